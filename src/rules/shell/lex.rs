//! The deny side: splits a command line into commands and words like a shell, with quotes and escapes
//! removed. <https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html>
//!
//! Nothing here is an error. An unclosed text extends to the end, and sets [`Lexed::doubt`].

use super::code;
use super::words;
use crate::rules::unicode;

/// The dialect of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// bash and zsh, with or without comments: an interactive zsh has none.
    Bash { comments: bool },
    /// Without the `$'...'` that older shells do not know.
    Sh,
    /// fish: a backslash also escapes in single quotes.
    Fish,
    /// PowerShell and cmd, where they agree: a backslash is part of a path; a circumflex and a backtick
    /// escape.
    Windows,
    /// cmd, where single quotes are ordinary characters.
    Cmd,
}

impl Dialect {
    /// A letter of its own for each dialect.
    pub fn letter(self) -> char {
        match self {
            Self::Bash { comments: true } => 'b',
            Self::Bash { comments: false } => 'i',
            Self::Sh => 's',
            Self::Fish => 'f',
            Self::Windows => 'w',
            Self::Cmd => 'c',
        }
    }

    fn is_windows(self) -> bool {
        matches!(self, Self::Windows | Self::Cmd)
    }
}

/// A word without its quotes.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    /// Its text, with each active character replaced by its code ([`code`]).
    pub code: String,
    /// The texts of its substitutions and parameter expansions.
    pub inner: Vec<String>,
}

/// The words up to an operator.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    pub words: Vec<Word>,
    /// The targets of its redirections.
    pub targets: Vec<Word>,
    /// Whether it reads the output of the previous command.
    pub fed: bool,
}

/// Commands in one line, in one letter case, without blanks beside operators.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub text: String,
    /// The beginning of each command.
    pub begins: Vec<usize>,
    pub ends: Vec<usize>,
    /// Whether the last token was an operator, so that no blank follows.
    glued: bool,
}

impl Flow {
    fn word(&mut self, word: &str) {
        if self.begins.len() == self.ends.len() {
            self.begins.push(self.text.len());
        } else if !self.glued {
            self.text.push(' ');
        }
        self.glued = false;
        let word = unicode::folded(word);
        self.text.push_str(&if word.contains('\n') { word.replace('\n', " ") } else { word });
    }

    /// Whether the next word is a command.
    fn begins(&self) -> bool {
        self.begins.len() == self.ends.len()
    }

    fn operator(&mut self, operator: &str) {
        self.glued = true;
        self.text.push_str(operator);
    }

    fn end(&mut self, operator: &str) {
        if self.ends.len() < self.begins.len() {
            self.ends.push(self.text.len());
        }
        self.operator(operator);
    }
}

/// A command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Lexed {
    pub commands: Vec<Command>,
    /// All of it as one line, with operators.
    pub flow: Flow,
    /// The same, with each command name without its directory and suffix.
    pub bare: Flow,
    /// Whether something was not closed.
    pub doubt: bool,
    /// The texts of its here-documents.
    pub bodies: Vec<String>,
    /// The places in the text behind operators and here-documents, where another command can begin.
    pub begins: Vec<usize>,
}

/// Splits a text into commands and words.
pub(super) fn lex(text: &str, dialect: Dialect) -> Lexed {
    let mut lexer = Lexer { text, dialect, ..Lexer::default() };
    lexer.run();
    lexer.out
}

impl Default for Dialect {
    fn default() -> Self {
        Self::Bash { comments: true }
    }
}

#[derive(Default)]
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
    word: Option<Word>,
    command: Command,
    /// Whether the next word is the target of a redirection.
    target: bool,
    /// Whether the next word is the delimiter of a here-document.
    here: bool,
    /// The delimiters of the here-documents that begin on the next line.
    pending: Vec<String>,
    quoted: bool,
    out: Lexed,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Takes the letters that have no meaning anywhere, most of a text, at once.
    fn take_plain(&mut self) {
        let is_plain = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_./:=+@".contains(byte);
        let length = self.text.as_bytes()[self.at..].iter().take_while(is_plain).count();
        if let Some(plain) = self.text.get(self.at..self.at + length).filter(|plain| !plain.is_empty()) {
            self.word.get_or_insert_default().code.push_str(plain);
            self.at += length;
        }
    }

    fn run(&mut self) {
        loop {
            self.take_plain();
            let Some(c) = self.next() else { break };
            match c {
                _ if self.quoted => self.in_quotes(c),
                '\\' if self.dialect.is_windows() => self.literal('/'),
                '\\' => self.escaped(),
                '^' if self.dialect.is_windows() => self.escaped(),
                '`' if self.dialect.is_windows() => self.escaped(),
                '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    self.end_command(";");
                    self.bodies();
                }
                '#' if self.word.is_none() && self.dialect != (Dialect::Bash { comments: false }) => {
                    self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
                }
                ';' => self.end_command(";"),
                '&' => self.end_command("&"),
                '|' => {
                    self.end_command("|");
                    self.command.fed = !self.rest().starts_with('|');
                }
                '(' => self.end_command("("),
                ')' => self.end_command(")"),
                '<' | '>' => self.redirection(c),
                '\'' if self.dialect != Dialect::Cmd => self.single(),
                '"' | '\u{201c}' | '\u{201d}' => self.quoted = true,
                '$' | '`' | '%' => self.expansion(c),
                '{' => {
                    if self.dialect.is_windows() && self.opens_block() {
                        self.end_word();
                    }
                    self.push(code::OPEN);
                }
                '}' if self.dialect.is_windows() && self.closes_block() => {
                    self.push(code::CLOSE);
                    self.end_command(";");
                }
                ',' => self.push(code::COMMA),
                '}' => self.push(code::CLOSE),
                '*' => self.push(code::STAR),
                '?' => self.push(code::QUERY),
                '[' => self.push(code::BRACKET),
                ']' => self.push(code::BRACKET_END),
                _ if c.is_whitespace() => self.end_word(),
                _ => self.literal(c),
            }
            if self.quoted && self.word.is_none() {
                self.word = Some(Word::default());
            }
        }
        self.out.doubt |= self.quoted;
        self.end_command("");
    }

    fn in_quotes(&mut self, c: char) {
        match c {
            '"' | '\u{201c}' | '\u{201d}' => self.quoted = false,
            '\\' if self.dialect.is_windows() => self.literal('/'),
            // Section 2.2.3: it escapes only these characters.
            '\\' => match self.peek() {
                Some('$' | '`' | '"' | '\\' | '\n' | '\r') => self.escaped(),
                _ => self.literal('\\'),
            },
            '`' if self.dialect.is_windows() => self.escaped(),
            '$' | '`' | '%' => self.expansion(c),
            _ => self.literal(c),
        }
    }

    /// Whether a block of PowerShell begins here without a blank, as in `try{rm x}` and `%{rm $_}`.
    fn opens_block(&self) -> bool {
        let short = |word: &&Word| word.code.len() <= words::LONGEST_BEFORE_BLOCK;
        let names =
            |last: &Word| ["function", "filter"].contains(&&*unicode::folded(&code::written(&last.code)));
        let word = self.word.as_ref();
        word.is_some() && self.command.words.last().filter(short).is_some_and(names)
            || word.filter(short).is_some_and(|word| words::is_before_block(&code::written(&word.code)))
    }

    /// Whether another block follows without a blank, as in `}catch{`.
    fn closes_block(&self) -> bool {
        let rest = self.rest().as_bytes();
        ["catch", "finally", "else", "while", "until"].iter().any(|word| {
            rest.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
        })
    }

    /// The character after an escape. An escaped line end disappears.
    fn escaped(&mut self) {
        match self.next() {
            Some('\r') if self.rest().starts_with('\n') => self.at += 1,
            None | Some('\n' | '\r') => {}
            Some(c) => self.literal(c),
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().code.push(c);
    }

    fn literal(&mut self, c: char) {
        match c {
            // A quoted text can be a script, in which a line end matters.
            '\n' | '\r' => self.push('\n'),
            '\t' | '\u{b}' | '\u{c}' => self.push(' '),
            _ if c.is_control() => {}
            _ => self.push(c),
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        let text = code::written(&word.code);
        self.out.bare.word(if self.out.bare.begins() { words::own_name(&text) } else { &text });
        self.out.flow.word(&text);
        if std::mem::take(&mut self.here) {
            self.pending.push(code::written(&word.code));
            self.target = false;
        } else if std::mem::take(&mut self.target) {
            self.command.targets.push(word);
        } else {
            self.command.words.push(word);
        }
    }

    fn end_command(&mut self, operator: &str) {
        self.end_word();
        self.target = false;
        self.here = false;
        let doubled = matches!(operator, "&" | "|") && self.out.flow.text.ends_with(operator);
        self.out.flow.end(operator);
        self.out.bare.end(operator);
        self.out.begins.push(self.at);
        let command = std::mem::take(&mut self.command);
        if command.words.is_empty() && command.targets.is_empty() {
            // `|&` and `| {line end}` also feed the next command.
            self.command.fed = command.fed && !doubled && operator != ";";
        } else {
            self.out.commands.push(command);
        }
    }

    fn redirection(&mut self, c: char) {
        if self.rest().starts_with('(') {
            // A process substitution.
            self.at += 1;
            return self.substitution(if c == '<' { "<(" } else { ">(" });
        }
        // The number or name of a descriptor is not a word of the command.
        if self.word.as_ref().is_some_and(|word| word.code.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        let start = self.at - 1;
        while matches!(self.peek(), Some('<' | '>')) {
            self.at += 1;
        }
        self.here = self.text.get(start..self.at) == Some("<<") && !self.dialect.is_windows();
        if self.here && self.rest().starts_with('-') {
            self.at += 1;
        }
        if matches!(self.peek(), Some('&' | '|')) {
            self.at += 1;
        }
        let operator = self.text.get(start..self.at).unwrap_or_default();
        self.out.flow.operator(operator);
        self.out.bare.operator(operator);
        self.target = true;
    }

    /// Reads the here-documents after a line end. Section 2.7.4.
    fn bodies(&mut self) {
        for end in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                let length = self.rest().find('\n').map_or(self.rest().len(), |at| at + 1);
                let line = self.rest().get(..length).unwrap_or_default();
                if line.is_empty() {
                    self.out.doubt = true;
                    break;
                }
                let is_end = line.trim_matches(['\t', '\r', '\n', ' ']) == end;
                if !is_end {
                    body.push_str(line);
                }
                self.at += length;
                if is_end {
                    break;
                }
            }
            self.out.bodies.push(body);
            self.out.begins.push(self.at);
        }
    }

    fn single(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next() {
            match c {
                '\'' => return,
                '\\' if self.dialect == Dialect::Fish && matches!(self.peek(), Some('\'' | '\\')) => {
                    self.escaped();
                }
                '\\' if self.dialect.is_windows() => self.literal('/'),
                _ => self.literal(c),
            }
        }
        self.out.doubt = true;
    }

    fn expansion(&mut self, c: char) {
        if c == '`' {
            return self.backquoted();
        }
        let next = self.peek();
        if c == '%' {
            // %NAME% of cmd, and its substrings.
            let rest = self.rest();
            let end = rest.find('%').filter(|end| *end > 0 && self.dialect.is_windows());
            let name = end.and_then(|end| rest.get(..end)).unwrap_or_default();
            let length = name.len() + 1;
            if name.is_empty() || name.contains(char::is_whitespace) {
                return self.literal('%');
            }
            let value = ["%", name, "%"].concat();
            self.at += length;
            return self.value(&value);
        }
        match next {
            Some('\'') if !self.quoted && matches!(self.dialect, Dialect::Bash { .. }) => {
                self.at += 1;
                self.ansi();
            }
            // A translated text, `$"..."`.
            Some('"') if !self.quoted => {}
            Some('(') => {
                self.at += 1;
                self.substitution("$(");
            }
            Some('{') => {
                self.at += 1;
                let end = code::closing(self.rest(), '}');
                self.enclosed("${", end);
            }
            Some(c) if unicode::is_letter(c) && !c.is_ascii_digit() || c == '_' => {
                let length = self
                    .rest()
                    .find(|c: char| {
                        !(unicode::is_letter(c) || c == '_' || (c == ':' && self.dialect.is_windows()))
                    })
                    .unwrap_or(self.rest().len());
                let value = ["$", self.rest().get(..length).unwrap_or_default()].concat();
                self.at += length;
                self.value(&value);
            }
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                self.value(&["$", c.encode_utf8(&mut [0; 4])].concat());
            }
            _ => self.literal('$'),
        }
    }

    fn value(&mut self, written: &str) {
        self.push(code::VALUE);
        for c in written.chars() {
            self.literal(c);
        }
        self.push(code::VALUE_END);
    }

    fn substitution(&mut self, opening: &str) {
        let end = code::closing(self.rest(), ')');
        self.enclosed(opening, end);
    }

    fn enclosed(&mut self, opening: &str, end: Option<usize>) {
        self.out.doubt |= end.is_none();
        let inner = self.rest().get(..end.unwrap_or(self.rest().len())).unwrap_or_default().to_owned();
        self.at = (self.at + inner.len() + 1).min(self.text.len());
        self.value(&[opening, &*inner, if opening == "${" { "}" } else { ")" }].concat());
        // The value of a parameter is not a command, but a command can be inside the expansion.
        let inner = if opening == "${" { [": ", &*inner].concat() } else { inner };
        self.word.get_or_insert_default().inner.push(inner);
    }

    fn backquoted(&mut self) {
        let mut inner = String::new();
        let mut closed = false;
        while let Some(c) = self.next() {
            match c {
                '`' => {
                    closed = true;
                    break;
                }
                '\\' => {
                    if !matches!(self.peek(), Some('`' | '\\' | '$')) {
                        inner.push('\\');
                    }
                    inner.extend(self.next());
                }
                _ => inner.push(c),
            }
        }
        self.out.doubt |= !closed;
        self.value(&["`", &*inner, "`"].concat());
        self.word.get_or_insert_default().inner.push(inner);
    }

    /// `$'...'`: <https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html>
    fn ansi(&mut self) {
        self.word.get_or_insert_default();
        while let Some(c) = self.next() {
            if c == '\'' {
                return;
            }
            if c != '\\' {
                self.literal(c);
                continue;
            }
            match self.next() {
                Some('x') => self.number(16, 2),
                Some('u') => self.number(16, 4),
                Some('U') => self.number(16, 8),
                Some('0'..='7') => {
                    self.at -= 1;
                    self.number(8, 3);
                }
                Some('n' | 'r') => self.push('\n'),
                Some('t' | 'v' | 'f') => self.push(' '),
                Some('c') => drop(self.next()),
                Some('a' | 'b' | 'e' | 'E') | None => {}
                Some(c) => self.literal(c),
            }
        }
        self.out.doubt = true;
    }

    fn number(&mut self, radix: u32, most: usize) {
        // bash takes \x{72} too.
        let braced = radix == 16 && self.rest().starts_with('{');
        self.at += usize::from(braced);
        let digits = self.rest().chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let number = u32::from_str_radix(self.rest().get(..digits).unwrap_or_default(), radix);
        self.at += digits;
        self.at += usize::from(braced && self.rest().starts_with('}'));
        if let Some(c) = number.ok().and_then(char::from_u32) {
            self.literal(c);
        }
    }
}
