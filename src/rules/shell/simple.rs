//! The allow side: commands that run exactly as written.

use super::options::Program;
use super::words::{self, Class};
use std::cell::OnceCell;

/// A person would not read a longer command.
const MAX_LENGTH: usize = 10_000;
/// The largest number of commands in one value.
const MAX_PARTS: usize = 32;

/// A value that is not simple, and so can only be allowed by its exact text. It has no invisible characters,
/// and nothing in it stands for something that only the shell knows.
pub(super) fn literal(value: &str) -> Option<Part> {
    let is_seen = value.len() <= MAX_LENGTH && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let is_fixed =
        is_seen && !value.contains(['$', '`']) && value.contains(|c: char| c.is_ascii_alphanumeric());
    is_fixed.then(|| Part { text: value.to_owned(), words: Vec::new(), needed: OnceCell::new() })
}

/// One of the commands of a value, in its canonical form.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Its words as written, separated by one space.
    pub text: String,
    /// Its words; quotes are removed where they are needed. None for a value that is not simple.
    pub words: Vec<String>,
    needed: OnceCell<Option<usize>>,
}

impl Part {
    /// The number of words that a pattern has to name; `None` if only the exact command can be allowed. It takes most of the time
    /// of reading a command, so it is found out when a pattern matches.
    pub fn needed(&self) -> Option<usize> {
        *self.needed.get_or_init(|| named(&self.words))
    }

    /// Whether a path contains `..`.
    pub fn climbs(&self) -> bool {
        self.words.iter().any(|word| word.split(['/', '=', ':', ' ']).any(|step| step == ".."))
    }
}

/// Whether the character has no special meaning in POSIX sh, bash, zsh, fish, cmd or PowerShell.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./:@+,=".contains(&byte)
}

/// The commands of a simple value; none if the value is not simple.
///
/// Simple means printable ASCII: plain words, joined by `;`, `&&`, `||` and `|`. An argument may be plain
/// words in quotes. A single `&` is not simple, because the process that it starts outlives the call. A line
/// end is not simple, because comments and here-documents depend on it.
pub(super) fn parts(value: &str) -> Vec<Part> {
    if value.len() > MAX_LENGTH {
        return Vec::new();
    }
    segments(value).filter(|parts| parts.len() <= MAX_PARTS).unwrap_or_default()
}

fn segments(value: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let mut rest = value;
    while let Some(&byte) = rest.as_bytes().first() {
        match byte {
            b' ' | b'\t' => rest = &rest[1..],
            b';' | b'&' | b'|' => {
                parts.push(part(&std::mem::take(&mut words))?);
                let doubled = rest.as_bytes().get(1) == Some(&byte);
                if doubled == (byte == b';') && byte != b'|' {
                    return None;
                }
                rest = &rest[1 + usize::from(doubled)..];
            }
            b'"' | b'\'' => {
                let end = 1 + rest[1..].find(char::from(byte))? + 1;
                words.push(&rest[..end]);
                rest = &rest[end..];
                if !rest.is_empty() && !rest.starts_with([' ', '\t', ';', '&', '|']) {
                    return None;
                }
            }
            _ => {
                let end = rest.bytes().position(|byte| !is_plain(byte)).unwrap_or(rest.len());
                if end == 0 || !rest[end..].chars().next().is_none_or(|next| " \t;&|".contains(next)) {
                    return None;
                }
                words.push(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    parts.push(part(&words)?);
    Some(parts)
}

/// One command, if its words are plain.
fn part(written: &[&str]) -> Option<Part> {
    let (command, arguments) = written.split_first()?;
    // In zsh a name can follow `=`, and an assignment contains one. A word of punctuation is an operator in
    // some shell.
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+".contains(&byte);
    let first = command.bytes().next()?;
    if !command.bytes().all(is_name)
        || !(first.is_ascii_alphanumeric() || b"_./".contains(&first))
        || !command.bytes().any(|byte| byte.is_ascii_alphanumeric())
        || words::is_keyword(command)
        || words::class(command) == Class::Meaning
    {
        return None;
    }
    let mut words = vec![(*command).to_owned()];
    for argument in arguments {
        words.push(match argument.strip_prefix(['"', '\'']) {
            None if argument.starts_with('=') => return None,
            None => (*argument).to_owned(),
            Some(quoted) => {
                let inner = &quoted[..quoted.len() - 1];
                if inner.starts_with(['-', '+']) || !inner.bytes().all(|byte| byte == b' ' || is_plain(byte))
                {
                    return None;
                }
                (if inner.contains(' ') { inner } else { argument }).to_owned()
            }
        });
    }
    Some(Part { text: written.join(" "), words, needed: OnceCell::new() })
}

/// The number of words that a pattern has to name to cover the command; `None` if it has to name all of them.
pub(super) fn named(words: &[String]) -> Option<usize> {
    let (command, arguments) = words.split_first()?;
    let arguments: Vec<String> =
        arguments.iter().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect();
    let program = Program::of(command);
    // Options may precede the subcommand.
    let subcommands: Vec<&String> =
        arguments.iter().filter(|argument| words::is_subcommand(argument)).collect();
    let hands_over = |argument: &String| {
        program.runs(argument)
            || program.writes(argument)
            || words::hands_over(&program.name, argument)
            || subcommands.iter().any(|other| words::runs_within(&program.name, other, argument))
    };
    if words::is_editor(&program.name)
        || arguments.iter().any(hands_over)
        || program.writes_operand(&arguments)
    {
        return None;
    }
    match words::class(command) {
        Class::Plain => Some(1),
        Class::Shell | Class::Interpreter => match arguments.as_slice() {
            // The rest are the words of the module.
            [flag, module, ..] if flag == "-m" && program.name.starts_with("py") => {
                named(&arguments[1..]).filter(|_| !module.starts_with('-')).map(|_| 3)
            }
            // The options after the file belong to the program in it.
            [file, ..] => (!file.starts_with(['-', '+'])).then_some(2),
            [] => None,
        },
        _ => None,
    }
}
