//! Which words of a command are commands themselves.

use super::code;
use super::lex::Word;
use super::words::{self, Class};

/// What a command opens.
#[derive(Default)]
pub(super) struct Walk {
    /// The words that can be commands.
    pub starts: Vec<usize>,
    /// Texts that a shell reads, and whether each of their words can be a command.
    pub scripts: Vec<(String, bool)>,
    /// Can it run what it reads?
    pub reads: bool,
    /// Does it hand its scripts to a shell of Windows?
    pub windows: bool,
}

/// Is it more than a word?
fn is_script(text: &str) -> bool {
    text.contains(|c: char| c.is_whitespace() || ";|&<>()$`\"'\\{}!*?#^%".contains(c))
}

/// `NAME=value`, `NAME+=value`, `NAME[0]=value`.
fn is_assignment(text: &str) -> bool {
    let name = text.split_once('=').map(|(name, _)| name).unwrap_or_default();
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || "_+[]".contains(c))
}

enum State {
    /// A command, or what stands before one.
    Command,
    Arguments,
    /// Each can be a command.
    Any,
}

/// How often a word is read both as a command and as an argument before one; after that, each word behind it
/// can be a command.
const MAX_FORKS: usize = 2;

/// Where the words of a command can be commands themselves.
pub(super) fn walk(words: &[Word]) -> Walk {
    walk_from(words, 0)
}

fn walk_from(words: &[Word], forks: usize) -> Walk {
    let mut walk = Walk::default();
    // Behind which word another command could begin, too.
    let mut fork = None;
    // Is the next plain word an argument before the command? What launches it, where its arguments have a
    // grammar of their own.
    let (mut argument, mut foreign) = (false, words::Foreign::No);
    let mut state = State::Command;
    // The command whose arguments these are, and the one around it.
    let (mut command, mut outer) = (String::new(), String::new());
    let (mut launched, mut shell, mut interpreter) = (forks > 0, false, false);
    let mut after_option = false;
    // The one of its arguments on which the meaning of its options hangs.
    let mut subcommand = String::new();
    let mut before = String::new();
    for (at, word) in words.iter().enumerate() {
        let text = code::written(&word.code);
        let is_option = text.starts_with('-');
        let inner_is_command = !matches!(state, State::Arguments);
        walk.scripts.extend(word.inner.iter().map(|inner| (inner.clone(), inner_is_command)));
        let mut script = |coarse: bool| {
            if is_script(&text) || coarse {
                walk.scripts.push((text.clone(), coarse));
            }
        };
        match state {
            State::Any => {
                walk.starts.push(at);
                // `cmd /crm`
                if let Some(glued) =
                    text.strip_prefix("/c").or(text.strip_prefix("/k")).or(text.strip_prefix("/C"))
                {
                    walk.scripts.push((glued.to_owned(), false));
                }
                match foreign {
                    words::Foreign::Address => {
                        let parts = text.split([':', ',']).skip(1);
                        walk.scripts.extend(parts.map(|part| (part.to_owned(), false)));
                        walk.scripts.extend(text.split_once(':').map(|(_, rest)| (rest.to_owned(), false)));
                    }
                    words::Foreign::Options if is_script(&text) => walk.scripts.extend(glued(&text)),
                    _ => {}
                }
                if is_script(&text) {
                    walk.scripts.push((text, foreign == words::Foreign::Language));
                }
            }
            State::Command if is_option && launched => {
                script(false);
                if is_script(&text) {
                    walk.scripts.extend(glued(&text));
                }
                after_option = text != "--";
                if text.contains('=') {
                    walk.starts.push(at);
                }
                // `-c`, alone or among others.
                if shell && text.to_lowercase().contains('c') {
                    state = State::Any;
                }
            }
            State::Command => {
                walk.starts.push(at);
                if launched {
                    script(false);
                }
                if is_assignment(&text) {
                    let value = text.split_once('=').map(|(_, value)| value).unwrap_or_default();
                    if is_script(value) {
                        walk.scripts.push((value.to_owned(), false));
                    }
                    continue;
                }
                // What is not known can be a launcher.
                let last = word.code.rsplit(['/', '\\']).next().unwrap_or_default();
                let known =
                    !last.contains([code::VALUE, code::VALUE_END, code::STAR, code::QUERY, code::BRACKET])
                        && !word.code.contains(code::OPEN)
                        || text == "["
                        || text == "[[";
                let name = text.trim_start_matches(['@', '!', '=', '{']);
                let class = words::class(if name.is_empty() { &text } else { name });
                // xargs puts what it reads in the place of `{}`.
                walk.reads |= launched && (!text.contains(char::is_alphanumeric) || before == text);
                before.clone_from(&text);
                let is_argument = std::mem::take(&mut after_option);
                // `if /i`, `start /b`
                let is_switch = text.strip_prefix('/').is_some_and(|rest| rest.len() < 3);
                match class {
                    _ if !known => (walk.reads, state) = (true, State::Any),
                    Class::Prefix => {
                        launched = true;
                        argument |= words::takes_argument(name);
                    }
                    Class::Shell => (launched, shell, walk.reads) = (true, true, true),
                    Class::Interpreter => {
                        (interpreter, walk.reads) = (true, true);
                        state = State::Arguments;
                        // `sudo -u node`, `docker run node`: a name can be one of a user or an image.
                        if launched && (is_argument || argument) {
                            if forks < MAX_FORKS {
                                fork = fork.or(Some(at + 1));
                            } else {
                                state = State::Any;
                            }
                        }
                    }
                    Class::Launcher | Class::Meaning => {
                        walk.reads |= class == Class::Launcher;
                        foreign = words::foreign(name);
                        walk.windows |= matches!(
                            words::name(name).split('/').next(),
                            Some(
                                "cmd"
                                    | "powershell"
                                    | "pwsh"
                                    | "wsl"
                                    | "start"
                                    | "forfiles"
                                    | "iex"
                                    | "c"
                                    | "k"
                            )
                        );
                        state = State::Any;
                    }
                    // The duration of timeout, the priority of nice.
                    Class::Plain if launched && text.starts_with(|c: char| c.is_ascii_digit()) => {
                        argument &= is_argument;
                    }
                    Class::Plain if launched && (is_switch || text == "=") => {}
                    Class::Plain if words::hands_over(&command, &text) => {
                        walk.reads = true;
                        if words::has_target(&command) {
                            (launched, argument) = (true, true);
                        } else {
                            state = State::Any;
                        }
                    }
                    Class::Plain if launched && !is_argument && std::mem::take(&mut argument) => {
                        outer = std::mem::replace(&mut command, text);
                    }
                    Class::Plain if launched && is_argument => outer = std::mem::replace(&mut command, text),
                    Class::Plain => {
                        let around = std::mem::replace(&mut command, text);
                        if !around.is_empty() {
                            outer = around;
                        }
                        subcommand.clear();
                        state = State::Arguments;
                    }
                }
            }
            State::Arguments => {
                let follows_option = std::mem::replace(&mut after_option, is_option);
                if words::is_subcommand(&text) {
                    subcommand.clone_from(&text);
                }
                let runs = |command: &String| {
                    words::runs(command, &text) || words::runs_within(command, &subcommand, &text)
                };
                if text.starts_with('{') && text != "{}" {
                    walk.starts.push(at);
                    state = State::Command;
                    if let Some(rest) = text.strip_prefix('{').filter(|rest| !rest.is_empty()) {
                        walk.scripts.push((rest.to_owned(), false));
                    }
                } else if runs(&command) || runs(&outer) {
                    script(false);
                    walk.scripts.extend(glued(&text));
                    if text.contains('=') {
                        walk.starts.push(at);
                    }
                    if !command.is_empty() {
                        outer = std::mem::take(&mut command);
                    }
                    launched = true;
                    after_option = false;
                    state = State::Command;
                } else if let Some(by) =
                    [&command, &outer].into_iter().find(|by| words::hands_over(by, &text))
                {
                    (walk.reads, state) = (true, State::Any);
                    if words::has_target(by) {
                        (launched, argument, after_option) = (true, true, false);
                        state = State::Command;
                    }
                } else if words::is_comparison(&text) {
                    // `if a equ b rm` of cmd.
                    (launched, argument, after_option) = (true, true, false);
                    state = State::Command;
                } else if let Some(script) = text.strip_prefix('!').filter(|_| command == "git") {
                    // The value of an alias.
                    walk.scripts.push((script.to_owned(), false));
                } else if interpreter {
                    if is_option || follows_option {
                        script(is_script(&text));
                    } else {
                        walk.reads = false;
                    }
                } else if words::is_editor(&command) && can_run(&text) {
                    script(true);
                }
            }
        }
    }
    // A launcher without a command reads one.
    walk.reads |= launched && matches!(state, State::Command);
    if let Some((from, rest)) = fork.and_then(|from| Some((from, words.get(from..)?))) {
        let other = walk_from(rest, forks + 1);
        walk.starts.extend(other.starts.iter().map(|at| from + at));
        walk.starts.sort_unstable();
        walk.starts.dedup();
        walk.scripts.extend(other.scripts);
        walk.reads |= other.reads;
        walk.windows |= other.windows;
    }
    walk
}

/// The value in one word with its short option, `-Irm`.
fn glued(option: &str) -> Option<(String, bool)> {
    let value = option.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    value.char_indices().nth(1).and_then(|(at, _)| value.get(at..)).map(|value| (value.to_owned(), false))
}

/// Does a program for an editor or awk hold what runs another program?
fn can_run(program: &str) -> bool {
    let by_name = ["system", "exec", "shell", "!", "|", "popen", "getline"];
    // The command `e` of sed, and its flag.
    let letter = |at: usize| program.get(at..).and_then(|rest| rest.chars().next());
    let e = program.match_indices('e').any(|(at, _)| {
        let before = program.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(char::is_alphabetic) && letter(at + 1).is_none_or(char::is_whitespace)
    });
    is_script(program) && (by_name.iter().any(|name| program.contains(name)) || e)
        || program.ends_with(['e']) && program.contains('/')
}
