//! What a command word means for the words behind it.
//!
//! No list of launchers is complete, so none carries a property alone: an allowance covers only the command
//! that it names, and a denial is tested at every position that one of these words opens.

use std::sync::OnceLock;

/// What a command does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// They are data.
    Plain,
    /// After its options and assignments stands a command.
    Prefix,
    /// A shell: a file with a script, or after an option the script itself.
    Shell,
    /// A language: a file with a program, or after an option the program itself.
    Interpreter,
    /// Any of them can be a command.
    Launcher,
    /// It changes what later commands mean, or is no command at all.
    Meaning,
}

/// A list of words in the order of their bytes: each word of a command is looked for in most of them.
struct Words {
    text: &'static str,
    list: OnceLock<Vec<&'static str>>,
}

impl Words {
    const fn of(text: &'static str) -> Self {
        Self { text, list: OnceLock::new() }
    }

    fn list(&self) -> &[&'static str] {
        self.list.get_or_init(|| self.text.split_ascii_whitespace().collect())
    }

    fn have(&self, name: &str) -> bool {
        self.list().binary_search(&name).is_ok()
    }
}

static PREFIXES: Words = Words::of(
    "builtin bunx busybox caffeinate call catchsegv chronic command coproc doas eatmydata env exec \
    fakeroot gosu ionice linux32 linux64 nice nocorrect noglob nohup npx pipx pkexec proxychains rlwrap \
    setarch setsid stdbuf su-exec sudo time timeout torify torsocks toybox unbuffer uvx watch winpty \
    xargs",
);

/// Words of the grammar before a command, and those before something else.
static BEFORE: Words =
    Words::of("! and begin catch do elif else finally function if not or repeat then try until while {");
static KEYWORDS: Words = Words::of("[[ case done end esac fi for foreach in select switch }");

static SHELLS: Words =
    Words::of(". ash bash csh dash elvish fish ksh mksh nu pdksh rbash sh source tcsh xonsh yash zsh");

static INTERPRETERS: Words = Words::of(
    "bun deno elixir erl ghci groovy guile ipython irb jruby jshell julia lua luajit node nodejs \
    osascript perl php py pypy python racket rscript ruby scala swift tclsh ts-node tsx wish",
);

static LAUNCHERS: Words = Words::of(
    "ansible at aws-vault batch bwrap capsh chroot chrt cmd complete crontab cscript daemonize \
    dbus-run-session direnv dsh dumb-init entr eval expect firejail flock forfiles gdb hyperfine icm iex \
    inotifywait invoke-command invoke-expression ld-linux-x86-64.so ld-linux.so ld.so lldb ltrace mosh \
    mshta nc ncat netcat newgrp nix-shell nodemon nsenter numactl open parallel pdsh perf powershell \
    prlimit proot pwsh rsh run-parts runas rundll32 runuser saps schtasks screen script setpriv sg socat \
    ssh sshpass start start-process start-stop-daemon strace su systemd-inhibit systemd-run taskset tini \
    tmux trap unshare valgrind watchexec wmic wscript wsl xdg-open xvfb-run zellij",
);

static EDITORS: Words = Words::of(
    "awk bc dc ed emacs emacsclient ex ftp gawk gsed info less m4 man mariadb mawk mongosh more most \
    mysql nano nawk nvim psql redis-cli sed sftp sqlite3 telnet tftp vi view vim",
);

static CONTAINERS: Words = Words::of(
    "asdf bundle chamber colima conda crictl devcontainer docker docker-compose doppler dotenv flatpak \
    fly fnm git guix heroku incus k3s kubectl limactl lxc machinectl mamba minikube mise multipass \
    nerdctl nix nvm oc op pipenv podman podman-compose poetry pyenv rbenv rtx snap uv vagrant volta",
);

/// What each word of these lists is: every word of a command is asked for.
static CLASSES: OnceLock<Vec<(&str, Class)>> = OnceLock::new();

static MEANING: Words = Words::of(
    "abbr alias assoc autoload bind bindkey compdef declare dirs disable doskey emulate enable export fc \
    float ftype functions getopts hash history integer let local mapfile nameref new-alias path r read \
    readarray readonly sched set set-alias set-item set-variable setenv setopt setx shopt typeset ulimit \
    umask unalias unset unsetenv unsetopt vared zle zmodload",
);

/// The name of a program: what stands behind its last separator, in one letter case, without the suffix of
/// an executable file.
pub(super) fn name(word: &str) -> String {
    let last = word.rsplit(['/', '\\']).next().unwrap_or(word).to_lowercase();
    bare(&last).map_or(last.clone(), str::to_owned)
}

/// A file name without the suffix that Windows adds by itself.
pub(super) fn bare(word: &str) -> Option<&str> {
    [".exe", ".cmd", ".bat", ".com", ".ps1"].iter().find_map(|suffix| word.strip_suffix(suffix))
}

/// What the command does with its arguments.
pub(super) fn class(word: &str) -> Class {
    if word.is_empty() {
        return Class::Plain;
    }
    let lower = word.to_lowercase();
    if BEFORE.have(&lower) {
        return Class::Prefix;
    }
    // `cmd/c` needs no blank: the separator is that of an option.
    if lower.starts_with("cmd/") || lower.starts_with("cmd.exe/") {
        return Class::Launcher;
    }
    let name = name(word);
    // python3.12, and the g of the GNU tools where others are the default.
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let gnu = name.strip_prefix('g');
    [Some(name.as_str()), Some(unversioned).filter(|other| *other != name), gnu]
        .into_iter()
        .flatten()
        .map(exactly)
        .find(|class| *class != Class::Plain)
        .unwrap_or(Class::Plain)
}

fn exactly(name: &str) -> Class {
    let classes = CLASSES.get_or_init(|| {
        let lists = [
            (&PREFIXES, Class::Prefix),
            (&SHELLS, Class::Shell),
            (&INTERPRETERS, Class::Interpreter),
            (&LAUNCHERS, Class::Launcher),
            (&MEANING, Class::Meaning),
        ];
        let of = |(list, class): (&'static Words, Class)| list.list().iter().map(move |word| (*word, class));
        let mut all: Vec<(&str, Class)> = lists.into_iter().flat_map(of).collect();
        all.sort_unstable_by_key(|(word, _)| *word);
        all
    });
    let found = classes.binary_search_by_key(&name, |(word, _)| word).ok().and_then(|at| classes.get(at));
    found.map_or(Class::Plain, |(_, class)| *class)
}

/// Is it a word of the grammar rather than a command?
pub(super) fn is_keyword(word: &str) -> bool {
    // The letter case is of no importance to PowerShell and cmd.
    let lower = word.to_lowercase();
    BEFORE.have(&lower) || KEYWORDS.have(&lower)
}

/// Can an argument of this program be a program?
pub(super) fn is_editor(word: &str) -> bool {
    EDITORS.have(&name(word))
}

/// Does an option of this name hand what follows to a program? Long options can be cut short, so that the
/// beginning of a name is as good as the name.
pub(super) fn runs(command: &str, option: &str) -> bool {
    let Some(stripped) = option.strip_prefix('-') else { return false };
    let lower = stripped.trim_start_matches('-').to_lowercase();
    let option_name = lower.split('=').next().unwrap_or_default();
    if option_name.starts_with("no-") {
        return false;
    }
    let parts = "exec command cmd eval program shell pager editor hook preload";
    if parts.split(' ').any(|part| option_name.contains(part)) {
        return true;
    }
    let (short, long) = match name(command).as_str() {
        "find" => return ["ok", "delete", "fprint", "fls"].iter().any(|part| option_name.starts_with(part)),
        "git" => ("cO", "upload-pack receive-pack ext-diff textconv open-files-in-pager config-env"),
        "fd" | "fdfind" => ("xX", "exec exec-batch"),
        "tar" | "bsdtar" | "gtar" => (
            "IF",
            "to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command rmt-command",
        ),
        "rsync" => ("e", "rsh rsync-path"),
        "scp" => ("So", ""),
        "rg" => ("", "pre hostname-bin"),
        "sort" => ("", "compress-program"),
        "split" => ("", "filter"),
        "zip" => ("T", "unzip-command"),
        "printf" => ("v", ""),
        "curl" | "wget" => ("K", "config use-askpass"),
        "make" | "gmake" => ("f", "file makefile eval"),
        "npm" | "pnpm" | "yarn" => ("c", "call"),
        "cargo" => ("", "config"),
        "gcc" | "cc" | "clang" | "g++" => ("B", "wrapper"),
        "tcpdump" => ("z", ""),
        _ => return false,
    };
    if stripped.starts_with('-') {
        return !option_name.is_empty() && long.split(' ').any(|name| name.starts_with(option_name));
    }
    stripped.chars().take_while(char::is_ascii_alphabetic).any(|c| short.contains(c))
}

/// Is the word a command of its program that runs another program?
pub(super) fn hands_over(command: &str, word: &str) -> bool {
    match word.to_lowercase().as_str() {
        "exec" | "dlx" | "foreach" | "eval" => true,
        "run" | "debug" | "ssh" | "attach" | "create" => CONTAINERS.have(&name(command)),
        "x" => matches!(name(command).as_str(), "npm" | "pnpm" | "yarn" | "bun"),
        // The options of tar need no hyphen.
        _ if matches!(name(command).as_str(), "tar" | "bsdtar" | "gtar") => {
            word.len() < 9 && word.bytes().all(|b| b.is_ascii_alphabetic()) && word.contains(['I', 'F'])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_order() {
        let lists = [
            &PREFIXES,
            &BEFORE,
            &KEYWORDS,
            &SHELLS,
            &INTERPRETERS,
            &LAUNCHERS,
            &EDITORS,
            &CONTAINERS,
            &MEANING,
        ];
        for list in lists {
            assert!(
                list.list().is_sorted() && list.list().iter().all(|word| list.have(word)),
                "{}",
                list.text
            );
        }
        assert!(!SHELLS.have("") && !SHELLS.have("bash "));
        exactly("");
        let classes = CLASSES.get().unwrap();
        assert!(classes.is_sorted_by(|(one, _), (next, _)| one < next), "a word is in two lists");
    }
}
