//! What a command word means for the words behind it.
//!
//! No list of launchers is complete, so none carries a property alone: an allowance covers only the command
//! that it names, and a denial is tested at every position that one of these words opens.

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

const PREFIXES: &str = " sudo doas pkexec env nohup nice ionice stdbuf setsid timeout time command exec builtin \
    xargs watch noglob nocorrect coproc caffeinate chronic unbuffer fakeroot eatmydata gosu su-exec catchsegv \
    setarch linux32 linux64 torsocks torify proxychains rlwrap winpty busybox toybox npx bunx pipx uvx call ";

/// Words of the grammar before a command, and those before something else.
const BEFORE: &str =
    " if then else elif while until do ! { function repeat begin not and or try catch finally ";
const KEYWORDS: &str = " fi for done case esac in select } [[ foreach end switch ";

const SHELLS: &str =
    " sh bash zsh dash ksh fish ash csh tcsh rbash mksh pdksh yash elvish nu xonsh source . ";

const INTERPRETERS: &str = " python pypy py perl ruby node nodejs php lua luajit tclsh wish deno bun rscript \
    osascript groovy scala julia jshell ghci irb ipython elixir erl swift tsx ts-node jruby guile racket ";

const LAUNCHERS: &str = " eval su ssh sshpass mosh rsh cmd powershell pwsh iex invoke-expression \
    invoke-command icm start-process saps start runas wsl forfiles wscript cscript mshta rundll32 \
    parallel chroot unshare nsenter setpriv capsh runuser sg newgrp flock taskset numactl chrt prlimit \
    strace ltrace gdb lldb valgrind perf script expect screen tmux zellij at batch crontab entr inotifywait \
    watchexec nodemon systemd-run systemd-inhibit firejail bwrap proot dbus-run-session xvfb-run hyperfine \
    start-stop-daemon daemonize run-parts dumb-init tini trap complete open xdg-open wmic schtasks \
    nix-shell direnv aws-vault ansible pdsh dsh socat nc ncat netcat ld.so ld-linux.so \
    ld-linux-x86-64.so ";

const EDITORS: &str = " awk gawk mawk nawk sed gsed vi vim nvim view ex ed emacs emacsclient nano less more \
    most man info sqlite3 psql mysql mariadb mongosh redis-cli bc dc m4 ftp sftp tftp telnet ";

const CONTAINERS: &str = " docker podman nerdctl docker-compose podman-compose kubectl oc k3s crictl lxc incus \
    machinectl multipass minikube colima limactl fly heroku devcontainer vagrant flatpak snap nix guix mise \
    asdf rtx volta fnm nvm rbenv pyenv pipenv poetry conda mamba uv bundle op chamber doppler dotenv git ";

const MEANING: &str = " alias unalias export unset set declare typeset local readonly shopt setopt unsetopt \
    emulate enable hash bind read mapfile readarray getopts let fc history r autoload zmodload zle functions \
    abbr setenv unsetenv umask ulimit disable bindkey compdef sched vared integer float nameref dirs \
    set-alias new-alias set-item set-variable doskey setx assoc ftype path ";

fn listed(list: &str, name: &str) -> bool {
    !name.is_empty() && !name.contains(' ') && list.contains(&format!(" {name} "))
}

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
    if listed(BEFORE, &lower) {
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
    let lists = [
        (PREFIXES, Class::Prefix),
        (SHELLS, Class::Shell),
        (INTERPRETERS, Class::Interpreter),
        (LAUNCHERS, Class::Launcher),
        (MEANING, Class::Meaning),
    ];
    // No name in the lists is longer.
    if name.is_empty() || name.len() > 24 || name.contains(' ') {
        return Class::Plain;
    }
    let name = format!(" {name} ");
    lists.into_iter().find(|(list, _)| list.contains(&name)).map_or(Class::Plain, |(_, class)| class)
}

/// Is it a word of the grammar rather than a command?
pub(super) fn is_keyword(word: &str) -> bool {
    // The letter case is of no importance to PowerShell and cmd.
    let lower = word.to_lowercase();
    listed(BEFORE, &lower) || listed(KEYWORDS, &lower)
}

/// Can an argument of this program be a program?
pub(super) fn is_editor(word: &str) -> bool {
    listed(EDITORS, &name(word))
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
        "run" | "debug" | "ssh" | "attach" | "create" => listed(CONTAINERS, &name(command)),
        "x" => matches!(name(command).as_str(), "npm" | "pnpm" | "yarn" | "bun"),
        // The options of tar need no hyphen.
        _ if matches!(name(command).as_str(), "tar" | "bsdtar" | "gtar") => {
            word.len() < 9 && word.bytes().all(|b| b.is_ascii_alphabetic()) && word.contains(['I', 'F'])
        }
        _ => false,
    }
}
