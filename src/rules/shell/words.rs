//! The meaning of a command word for the words after it.
//!
//! No list of launchers is complete, so nothing relies on the lists alone: an allowance covers only the
//! command that it names, and a denial is tested at every position that one of these words opens.

use crate::core::sort::sort_by;
use crate::rules::unicode::folded;
use std::sync::OnceLock;

/// The kind of a command's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Data.
    Plain,
    /// Options and assignments, followed by a command.
    Prefix,
    /// For a shell: a file with a script, or, after an option, the script itself.
    Shell,
    /// For an interpreter: a file with a program, or, after an option, the program itself.
    Interpreter,
    /// Each of them can be a command.
    Launcher,
    /// Special: the word changes the meaning of later commands, or is not a command.
    Meaning,
}

/// A list of words, sorted by bytes, because each word of a command is looked up in most lists.
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
    "aa-exec arch box64 box86 builtin bunx busybox caffeinate call catchsegv cgexec chpst chronic \
    command coproc corepack cpulimit cross-env defined doas dotenvx dzdo eatmydata env envchain \
    envdir envuidgid errorlevel exec exist exp_spawn fakechroot fakeroot faketime gamemoderun gksu \
    gksudo gosu ifne ionice kdesu kdesudo keychain knownhostscommand lckdo libeatmydata linux32 \
    linux64 localcommand mangohud nice nocorrect noglob nohup npx optirun pfexec pipx pkexec pledge \
    pnpx prime-run primusrun proxychains proxychains-ng proxychains4 proxycommand pseudo \
    remotecommand rlwrap run0 runcon s6-applyuidgid s6-envdir s6-envuidgid s6-setuidgid s6-softlimit \
    setarch setlock setsid setuidgid softlimit spawn ssh-agent stdbuf steam-run su-exec su-rs sudo \
    sudo-rs time timeout torify torsocks toybox tsocks unbuffer uvx vglrun watch wine wine64 winpty \
    xargs xcrun",
);

/// Words of the grammar that precede a command, and words that precede something else.
static BEFORE: Words =
    Words::of("! and begin catch do elif else finally function if not or repeat then try until while {");
static KEYWORDS: Words = Words::of("[[ case done end esac fi for foreach in select switch }");

static SHELLS: Words =
    Words::of(". ash bash csh dash elvish fish ksh mksh nu pdksh rbash sh source tcsh xonsh yash zsh");

static INTERPRETERS: Words = Words::of(
    "babel-node bb bun clisp clojure coffee crystal csi dart deno dotnet ecl electron elixir erl \
    escript esno evcxr factor gforth ghc ghci gnuplot gosh gprolog groovy gst guile ipython irb java \
    javaw jiti jruby jshell julia kotlin kscript lua luajit maxima mono nim node nodejs nw ocaml \
    octave osascript perl perl6 php pike py pypy python racket raku rakudo rscript ruby runghc \
    runhaskell rust-script sage sbcl scala swift swipl tcc tclsh ts-node ts-node-dev tsx utop \
    vite-node wish wolframscript zx",
);

static LAUNCHERS: Words = Words::of(
    "adb alacritty ansible ansible-playbook apply apptainer asciinema at autossh aws-vault batch bear \
    bpftrace bwrap cage capsh catatonit ccache cgdb chroot chrt clush cmd complete concurrently \
    consul-template cool-retro-term coreutils crontab cross-env-shell cscript cssh daemon daemonize dbclient \
    dbus-launch dbus-run-session devbox direnv display-popup distrobox-enter dotenv dsh dtach dtrace dtruss \
    dumb-init entr env-cmd envconsul eval expect firejail flatpak-spawn flock flox foot foreman forever \
    forfiles fswatch gdb gdb-multiarch gdbserver gnome-terminal goreman heaptrack honcho hyperfine icm iex \
    if-shell inotifywait invoke-command invoke-expression jexec kitty konsole launchctl ld-linux-x86-64.so \
    ld-linux.so ld.so lima lldb lldb-server ltrace lxc-attach lxc-execute lxterminal memray minijail0 \
    mispipe mlterm mosh mshta nc ncat netcat new-session new-window newgrp niceload nix-shell nodemon \
    npm-run-all nq nsenter nsjail numactl nvm-exec onchange open overmind parallel parallel-slurp \
    parallel-ssh pdsh pee perf pexec plink pm2 powershell prlimit proot pssh ptyxis pwsh py-spy qterminal \
    reflex respawn-pane respawn-window rofi rr rsh run-p run-parts run-s run-shell runas rundll32 runuser \
    rush rust-gdb rust-lldb rustup rxvt s6-setsid salt salt-call salt-ssh sandbox-exec saps schroot schtasks \
    scl screen script sem setpriv sg socat split-window ssh sshpass sshrc start start-job start-process \
    start-server-and-test start-stop-daemon startx strace su supervise supervisor systemd-cat \
    systemd-inhibit systemd-nspawn systemd-run taskset tcpserver terminator tilix tini tmux toolbox trap \
    trickle tsh ttyrec uftrace unshare urxvt uxterm valgrind watchexec websocketd wezterm with-contenv wmic \
    wscript wsl wt x-terminal-emulator x11docker xdg-open xdotool xe xfce4-terminal xinit xterm xvfb-run \
    zargs zellij zlogin",
);

/// Prefixes that take one argument of their own before the command.
static WITH_ARGUMENT: Words = Words::of(
    "chpst cpulimit defined envchain envdir envuidgid errorlevel exist faketime gosu lckdo runcon \
    s6-envdir s6-envuidgid s6-setuidgid setarch setlock setuidgid su-exec timeout",
);

/// Commands that take the name of a container or machine, and then a command.
static TARGETS: Words = Words::of(
    "crictl docker docker-compose incus k3s kubectl limactl lxc microk8s nerdctl oc podman podman-compose",
);

static EDITORS: Words = Words::of(
    "awk bc dc duckdb ed elinks emacs emacsclient evim ex ftp gawk gsed gview gvim helix hx info jed joe kak \
    less lynx m4 man mariadb mawk mcedit micro mongosh more most mutt mysql nano nawk ne neomutt nvi \
    nvim nvimdiff pico psql redis-cli rview rvim sed sftp sqlcmd sqlite sqlite3 sqlplus telnet tftp vi view vim \
    vim.basic vim.tiny vimdiff vimx w3m xemacs",
);

static CONTAINERS: Words = Words::of(
    "apptainer asdf bazel bazelisk buildah bundle cabal chamber colima conda crictl crun ctr ddev \
    devbox devcontainer devenv distrobox docker docker-compose doppler dotenvx enroot flatpak fly \
    flyctl fnm foreman git guix hatch heroku honcho incus infisical k3s kubectl lando limactl lxc \
    machinectl mamba microk8s micromamba minikube mise multipass nerdctl nix nvm oc op pdm pipenv \
    pixi pm2 podman podman-compose poetry pyenv qm railway rbenv rtx runc rye singularity snap stack \
    teller toolbox uv vagrant volta",
);

/// The class of each word in these lists. Every word of a command is looked up.
static CLASSES: OnceLock<Vec<(&str, Class)>> = OnceLock::new();

static MEANING: Words = Words::of(
    "abbr alias assoc autoload bind bindkey compdef declare dirs disable doskey emulate enable export fc \
    float ftype functions getopts hash history integer let local mapfile nameref new-alias path r read \
    readarray readonly sched set set-alias set-item set-variable setenv setopt setx shopt typeset ulimit \
    umask unalias unset unsetenv unsetopt vared zle zmodload",
);

/// The name of a program: the text after the last separator, in one letter case, without the suffix of an
/// executable.
pub(super) fn name(word: &str) -> String {
    let last = folded(word.rsplit(['/', '\\']).next().unwrap_or(word));
    match bare(&last).map(str::len) {
        Some(length) => last.get(..length).unwrap_or_default().to_owned(),
        None => last,
    }
}

/// The name of a command as written, without its directory and suffix.
pub(super) fn own_name(word: &str) -> &str {
    let last = word.rsplit(['/', '\\']).next().filter(|last| !last.is_empty()).unwrap_or(word);
    let suffix = last.len().checked_sub(4).and_then(|at| last.split_at_checked(at));
    match suffix {
        Some((name, suffix)) if !name.is_empty() && bare(&suffix.to_ascii_lowercase()) == Some("") => name,
        _ => last,
    }
}

/// A file name without a suffix that Windows adds by itself.
pub(super) fn bare(word: &str) -> Option<&str> {
    [".exe", ".cmd", ".bat", ".com", ".ps1"].iter().find_map(|suffix| word.strip_suffix(suffix))
}

/// The class of a command.
pub(super) fn class(word: &str) -> Class {
    if word.is_empty() {
        return Class::Plain;
    }
    let lower = folded(word);
    if BEFORE.have(&lower) {
        return Class::Prefix;
    }
    // `cmd/c` needs no blank, because the slash begins an option.
    if lower.starts_with("cmd/") || lower.starts_with("cmd.exe/") {
        return Class::Launcher;
    }
    let last = lower.rsplit(['/', '\\']).next().unwrap_or(&lower);
    let name = bare(last).unwrap_or(last);
    // Versions as in python3.12, and the `g` of GNU tools on systems with other defaults.
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let gnu = name.strip_prefix('g');
    [Some(name), Some(unversioned).filter(|other| *other != name), gnu]
        .into_iter()
        .flatten()
        .map(exactly)
        .find(|class| *class != Class::Plain)
        .unwrap_or(Class::Plain)
}

/// No word of the lists is longer.
const LONGEST: usize = 26;

fn exactly(name: &str) -> Class {
    if name.is_empty() || name.len() > LONGEST {
        return Class::Plain;
    }
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
        sort_by(&mut all, |(a, _), (b, _)| a < b);
        all
    });
    let found = classes.binary_search_by_key(&name, |(word, _)| word).ok().and_then(|at| classes.get(at));
    // Loaders and emulators for other machines.
    let loads = ["ld-linux", "ld-musl"].iter().any(|begin| name.starts_with(begin));
    let emulates = name.strip_prefix("qemu-").is_some_and(|rest| {
        !["system", "img", "nbd", "io", "ga"].iter().any(|begin| rest.starts_with(begin))
    });
    found.map_or(if loads || emulates { Class::Launcher } else { Class::Plain }, |(_, class)| *class)
}

/// The longest word after which a block is looked for.
pub(super) const LONGEST_BEFORE_BLOCK: usize = 24;

/// Whether a block of PowerShell can follow the word directly.
pub(super) fn is_before_block(word: &str) -> bool {
    let blocks = [
        "%",
        "?",
        ".",
        "foreach-object",
        "where-object",
        "icm",
        "invoke-command",
        "start-job",
        "pwsh",
        "powershell",
        "measure-command",
        "trap",
        "process",
        "begin",
        "end",
        "catch",
        "default",
        "filter",
        "iex",
    ];
    !word.is_empty() && (blocks.contains(&&*folded(word)) || is_keyword(word))
}

/// Whether the prefix of this name takes an argument, such as a user or a duration, before the command.
pub(super) fn takes_argument(prefix: &str) -> bool {
    WITH_ARGUMENT.have(prefix)
}

/// Whether a name, such as that of a container, precedes the command that a program of this name runs.
pub(super) fn has_target(command: &str) -> bool {
    TARGETS.have(command)
}

/// The kind of a launcher's arguments that are no commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    No,
    /// Programs in a language of its own, in which each word could be a command.
    Language,
    /// Addresses like `EXEC:rm`.
    Address,
    /// Short options with their values in one word.
    Options,
}

/// The kind of this launcher's arguments that are no commands.
pub(super) fn foreign(launcher: &str) -> Foreign {
    match launcher.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) {
        "socat" => Foreign::Address,
        "ssh" | "autossh" | "plink" | "mosh" => Foreign::Options,
        "expect" | "gdb" | "gdb-multiarch" | "cgdb" | "rust-gdb" | "lldb" | "rust-lldb" | "rr" | "dtrace"
        | "bpftrace" | "xdotool" | "salt" | "salt-call" | "salt-ssh" | "mshta" | "rundll32" | "wscript"
        | "cscript" => Foreign::Language,
        _ => Foreign::No,
    }
}

/// Whether the word is a comparison operator of `if` in cmd.
pub(super) fn is_comparison(word: &str) -> bool {
    matches!(&*folded(word), "equ" | "neq" | "lss" | "leq" | "gtr" | "geq")
}

/// Whether the meaning of arguments depends on this subcommand.
pub(super) fn is_subcommand(word: &str) -> bool {
    matches!(word, "rebase" | "difftool" | "clone" | "config")
}

/// Parts of the settings whose values git runs, or that lead to more settings (git-config(1)).
const RUN_BY_GIT: &str = "alias askpass browser cmd command driver editor exec external filter fsmonitor helper hook \
     include pager program protocol proxy receivepack template textconv tool uploadpack vcs";

/// The same as [`super::options::Program::runs`], for arguments that have another meaning in other subcommands.
pub(super) fn runs_within(command: &str, subcommand: &str, argument: &str) -> bool {
    let has = |letter| {
        let short = argument.strip_prefix('-').unwrap_or_default();
        short.chars().take_while(char::is_ascii_alphabetic).any(|c| c == letter)
    };
    match subcommand {
        _ if command != "git" => false,
        "rebase" | "difftool" => has('x'),
        "clone" => has('u'),
        _ => {
            let key = folded(argument);
            key.contains('.') && RUN_BY_GIT.split(' ').any(|part| key.contains(part))
        }
    }
}

/// Whether the word belongs to the syntax, and is not a command.
pub(super) fn is_keyword(word: &str) -> bool {
    // PowerShell and cmd ignore letter case.
    let lower = folded(word);
    BEFORE.have(&lower) || KEYWORDS.have(&lower)
}

/// Whether an argument of this program can be a script.
pub(super) fn is_editor(name: &str) -> bool {
    EDITORS.have(name)
}

/// Whether the word is a subcommand that runs another program.
pub(super) fn hands_over(command: &str, word: &str) -> bool {
    match folded(word).as_str() {
        "exec" | "dlx" | "foreach" | "eval" | "exec-env" | "exec-file" | "exec-path" => true,
        // These run something in a file, such as a task, or everything that they are given.
        "run" | "task" | "repl" | "script"
            if matches!(command, "deno" | "bun" | "dart" | "go" | "zig" | "crystal") =>
        {
            true
        }
        "ssh" if matches!(command, "gh" | "gcloud" | "az") => true,
        "run" | "debug" | "ssh" | "attach" | "create" | "develop" | "shell" | "enter" | "rsh" => {
            CONTAINERS.have(command)
        }
        "-e" => command == "cmake",
        "x" => matches!(command, "npm" | "pnpm" | "yarn" | "bun" | "mise" | "rtx"),
        // The options of tar need no hyphen.
        _ if matches!(command, "tar" | "bsdtar" | "gtar") => {
            word.len() < 9 && word.bytes().all(|b| b.is_ascii_alphabetic()) && word.contains(['I', 'F'])
        }
        _ => false,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
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
            &WITH_ARGUMENT,
            &TARGETS,
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
        exactly("a");
        assert!(exactly("ld-linux-x86-64.so") == Class::Launcher);
        let classes = CLASSES.get().unwrap();
        assert!(classes.iter().all(|(word, _)| word.len() <= LONGEST));
        assert!(classes.is_sorted_by(|(one, _), (next, _)| one < next), "a word is in two lists");
    }
}
