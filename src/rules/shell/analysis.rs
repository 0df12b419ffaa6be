//! Finds the words of a command that are commands themselves, and the texts in it that are read by a shell.

use super::code;
use super::lex::Word;
use super::options::Program;
use super::words::{self, Class, Foreign};
use crate::core::sort::distinct;
use crate::rules::unicode::{folded, is_letter};

/// The commands and scripts that a command can run.
#[derive(Default)]
pub(super) struct CommandAnalysis {
    /// The words that can be commands.
    pub starts: Vec<usize>,
    /// Texts that a shell reads, each with whether any of its words can be a command.
    pub scripts: Vec<(String, bool)>,
    /// Whether it can run its input.
    pub reads: bool,
    /// Whether it hands its scripts to a Windows shell.
    pub windows: bool,
}

/// Whether the text is more than one word.
fn is_script(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || ";|&<>()$`\"'\\{}!*?#^%".contains(c))
}

/// `NAME=value`, `NAME+=value`, `NAME[0]=value`.
fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name).unwrap_or_default();
    name.starts_with(|c: char| is_letter(c) && !c.is_ascii_digit() || c == '_')
        && name.chars().all(|c| is_letter(c) || "_+[]".contains(c))
}

/// The reading of the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// A command, or a word before one.
    Command,
    /// An argument of the command.
    Arguments,
    /// This word and each following word can be a command.
    Any,
}

/// The number of times that a word is read both as a command and as an argument before one. After that, each following word
/// can be a command.
const MAX_FORKS: usize = 2;

/// Finds the commands and scripts that a command can run.
pub(super) fn analyze(words: &[Word]) -> CommandAnalysis {
    analyze_from(words, 0)
}

fn analyze_from(words: &[Word], forks: usize) -> CommandAnalysis {
    let mut analyzer = Analyzer::new(forks);
    for (at, word) in words.iter().enumerate() {
        analyzer.take(at, word);
    }
    let Analyzer { mut out, fork, launched, state, .. } = analyzer;
    // A launcher without a command reads one from its input.
    out.reads |= launched && state == State::Command;
    if let Some((from, rest)) = fork.and_then(|from| Some((from, words.get(from..)?))) {
        let other = analyze_from(rest, forks + 1);
        out.starts.extend(other.starts.iter().map(|at| from + at));
        distinct(&mut out.starts);
        out.scripts.extend(other.scripts);
        out.reads |= other.reads;
        out.windows |= other.windows;
    }
    out
}

/// Reads the words of a command from the first to the last.
struct Analyzer {
    out: CommandAnalysis,
    state: State,
    /// The number of earlier words that are read in two ways.
    forks: usize,
    /// Whether another command could begin after this word.
    fork: Option<usize>,
    /// The command of these arguments.
    command: Program,
    /// The command around it.
    outer: Program,
    /// The words that may be the subcommand that decides the meaning of the arguments.
    subcommands: Vec<String>,
    /// The previous word, if both can be commands.
    before: String,
    /// Whether a launcher precedes the command.
    launched: bool,
    /// Whether the next plain word is an argument before the command.
    argument: bool,
    /// The grammar of the launcher's arguments.
    foreign: Foreign,
    /// Whether the launcher is a shell.
    shell: bool,
    /// Whether the command is an interpreter.
    interpreter: bool,
    after_option: bool,
}

impl Analyzer {
    fn new(forks: usize) -> Self {
        Self {
            out: CommandAnalysis::default(),
            state: State::Command,
            forks,
            fork: None,
            command: Program::default(),
            outer: Program::default(),
            subcommands: Vec::new(),
            before: String::new(),
            launched: forks > 0,
            argument: false,
            foreign: Foreign::No,
            shell: false,
            interpreter: false,
            after_option: false,
        }
    }

    fn take(&mut self, at: usize, word: &Word) {
        let text = code::written(&word.code);
        let is_option = text.starts_with('-');
        let inner_is_command = self.state != State::Arguments;
        self.out.scripts.extend(word.inner.iter().map(|inner| (inner.clone(), inner_is_command)));
        match self.state {
            State::Any => self.take_any(at, text),
            State::Command if is_option && self.launched => self.take_option_of_launcher(at, &text),
            State::Command => self.take_command(at, word, text),
            State::Arguments => self.take_argument(at, &text, is_option),
        }
    }

    /// Adds a text that a shell reads.
    fn add_script(&mut self, text: &str) {
        self.out.scripts.push((text.to_owned(), false));
    }

    /// Adds a word that a shell may read. `coarse`: each of its words can be a command.
    fn add_word(&mut self, text: &str, coarse: bool) {
        if is_script(text) || coarse {
            self.out.scripts.push((text.to_owned(), coarse));
        }
    }

    fn take_any(&mut self, at: usize, text: String) {
        self.out.starts.push(at);
        // `cmd /crm`
        if let Some(glued) = text.strip_prefix("/c").or(text.strip_prefix("/k")).or(text.strip_prefix("/C")) {
            self.add_script(glued);
        }
        match self.foreign {
            Foreign::Address => {
                let parts = text.split([':', ',']).skip(1);
                self.out.scripts.extend(parts.map(|part| (part.to_owned(), false)));
                self.out.scripts.extend(text.split_once(':').map(|(_, rest)| (rest.to_owned(), false)));
            }
            Foreign::Options if is_script(&text) => self.out.scripts.extend(glued(&text)),
            _ => {}
        }
        if is_script(&text) {
            self.out.scripts.push((text, self.foreign == Foreign::Language));
        }
    }

    fn take_option_of_launcher(&mut self, at: usize, text: &str) {
        self.add_word(text, false);
        if is_script(text) {
            self.out.scripts.extend(glued(text));
        }
        self.after_option = text != "--";
        if text.contains('=') {
            self.out.starts.push(at);
        }
        // `-c`, alone or together with other letters.
        if self.shell && folded(text).contains('c') {
            self.state = State::Any;
        }
    }

    fn take_command(&mut self, at: usize, word: &Word, text: String) {
        self.out.starts.push(at);
        if self.launched {
            self.add_word(&text, false);
        }
        if is_assignment(&text) {
            let value = text.split_once('=').map(|(_, value)| value).unwrap_or_default();
            if is_script(value) {
                self.add_script(value);
            }
            return;
        }
        let name = text.trim_start_matches(['@', '!', '=', '{']).to_owned();
        let class = words::class(if name.is_empty() { &text } else { &name });
        // xargs replaces `{}` by its input.
        self.out.reads |= self.launched && (!text.contains(is_letter) || self.before == text);
        self.before.clone_from(&text);
        let is_argument = std::mem::take(&mut self.after_option);
        match class {
            _ if !is_known(word, &text) => (self.out.reads, self.state) = (true, State::Any),
            Class::Prefix => {
                self.launched = true;
                self.argument |= words::takes_argument(&words::name(&name));
            }
            Class::Shell => (self.launched, self.shell, self.out.reads) = (true, true, true),
            Class::Interpreter => self.take_interpreter(at, is_argument),
            Class::Launcher | Class::Meaning => {
                self.out.reads |= class == Class::Launcher;
                self.foreign = words::foreign(&words::name(&name));
                self.out.windows |= is_of_windows(&name);
                self.state = State::Any;
            }
            Class::Plain => self.take_plain(text, is_argument),
        }
    }

    fn take_interpreter(&mut self, at: usize, is_argument: bool) {
        (self.interpreter, self.out.reads) = (true, true);
        self.state = State::Arguments;
        // In `sudo -u node` and `docker run node`, the name can be that of a user or an image.
        if self.launched && (is_argument || self.argument) {
            if self.forks < MAX_FORKS {
                self.fork = self.fork.or(Some(at + 1));
            } else {
                self.state = State::Any;
            }
        }
    }

    /// Takes a word that is no known launcher: a command, or an argument before one.
    fn take_plain(&mut self, text: String, is_argument: bool) {
        // `if /i`, `start /b`
        let is_switch = text.strip_prefix('/').is_some_and(|rest| rest.len() < 3);
        if self.launched && text.starts_with(|c: char| c.is_ascii_digit()) {
            self.argument &= is_argument; // the duration of timeout, the priority of nice
        } else if self.launched && (is_switch || text == "=") {
            // The word belongs to the launcher.
        } else if words::hands_over(&self.command.name, &text) {
            self.out.reads = true;
            if words::has_target(&self.command.name) {
                (self.launched, self.argument) = (true, true);
            } else {
                self.state = State::Any;
            }
        } else if self.launched && (is_argument || std::mem::take(&mut self.argument)) {
            self.outer = std::mem::replace(&mut self.command, Program::of(&text));
        } else {
            let around = std::mem::replace(&mut self.command, Program::of(&text));
            if !around.name.is_empty() {
                self.outer = around;
            }
            self.subcommands.clear();
            self.state = State::Arguments;
        }
    }

    fn take_argument(&mut self, at: usize, text: &str, is_option: bool) {
        let follows_option = std::mem::replace(&mut self.after_option, is_option);
        if words::is_subcommand(text) {
            self.subcommands.push(text.to_owned());
        }
        let runs = |command: &Program| {
            let runs_within = |other: &String| words::runs_within(&command.name, other, text);
            command.runs(text) || self.subcommands.iter().any(runs_within)
        };
        let programs = [&self.command.name, &self.outer.name];
        let hands_over = || programs.into_iter().find(|by| words::hands_over(by, text));
        if text.starts_with('{') && text != "{}" {
            self.out.starts.push(at);
            self.state = State::Command;
            if let Some(rest) = text.strip_prefix('{').filter(|rest| !rest.is_empty()) {
                self.add_script(rest);
            }
        } else if runs(&self.command) || runs(&self.outer) {
            self.take_option_that_runs(at, text);
        } else if let Some(has_target) = hands_over().map(|by| words::has_target(by)) {
            (self.out.reads, self.state) = (true, State::Any);
            if has_target {
                self.expect_command_after_argument();
            }
        } else if words::is_comparison(text) {
            // `if a equ b rm` of cmd.
            self.expect_command_after_argument();
        } else if let Some(script) = text.strip_prefix('!').filter(|_| self.command.name == "git") {
            // The value of an alias.
            self.add_script(script);
        } else if self.interpreter {
            if is_option || follows_option {
                self.add_word(text, is_script(text));
            } else {
                self.out.reads = false;
            }
        } else if words::is_editor(&self.command.name) && can_run(text) {
            self.add_word(text, true);
        }
    }

    fn take_option_that_runs(&mut self, at: usize, text: &str) {
        self.add_word(text, false);
        self.out.scripts.extend(glued(text));
        if text.contains('=') {
            self.out.starts.push(at);
        }
        // `SHELL=rm` of make is complete.
        if is_assignment(text) {
            self.add_script(text.split_once('=').map(|(_, value)| value).unwrap_or_default());
            return;
        }
        if !self.command.name.is_empty() {
            self.outer = std::mem::take(&mut self.command);
        }
        self.launched = true;
        self.after_option = false;
        self.state = State::Command;
    }

    fn expect_command_after_argument(&mut self) {
        (self.launched, self.argument, self.after_option) = (true, true, false);
        self.state = State::Command;
    }
}

/// Whether the name of the command is written out. An unknown name can be that of a launcher.
fn is_known(word: &Word, text: &str) -> bool {
    let last = word.code.rsplit(['/', '\\']).next().unwrap_or_default();
    !last.contains([code::VALUE, code::VALUE_END, code::STAR, code::QUERY, code::BRACKET])
        && !word.code.contains(code::OPEN)
        || text == "["
        || text == "[["
}

fn is_of_windows(name: &str) -> bool {
    const SHELLS: [&str; 9] = ["cmd", "powershell", "pwsh", "wsl", "start", "forfiles", "iex", "c", "k"];
    words::name(name).split('/').next().is_some_and(|name| SHELLS.contains(&name))
}

/// A short option and its value in one word: `-Irm`.
fn glued(option: &str) -> Option<(String, bool)> {
    let value = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    value.char_indices().nth(1).and_then(|(at, _)| value.get(at..)).map(|value| (value.to_owned(), false))
}

/// Whether a program for an editor or awk can run another program.
fn can_run(program: &str) -> bool {
    let by_name = ["system", "exec", "shell", "!", "|", "popen", "getline"];
    // The command `e` of sed, and the flag `e`.
    let letter = |at: usize| program.get(at..).and_then(|rest| rest.chars().next());
    let e = program.match_indices('e').any(|(at, _)| {
        let before = program.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| is_letter(c) && !c.is_ascii_digit())
            && letter(at + 1).is_none_or(char::is_whitespace)
    });
    is_script(program) && (by_name.iter().any(|name| program.contains(name)) || e)
        || program.ends_with(['e']) && program.contains('/')
}
