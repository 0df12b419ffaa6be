use super::tests::*;
use super::*;
use crate::rules::platform::Native;

#[test]
fn what_an_allowance_covers() {
    for (pattern, value, expected) in [
        ("ls *", "ls", true),
        ("ls *", "  ls   -la\t-h ", true),
        ("ls *", "lsof", false),
        ("ls*", "lsof", true),
        ("ls*", "ls -la", true),
        ("ls*", "ls/../../bin/x", false),
        ("ls *", "./ls", false),
        ("ls *", "/bin/ls", false),
        ("git *", "git commit -m \"fix: it\"", true),
        ("git commit -m *", "git commit -m 'fix it'", true),
        ("git commit -m \"fix it\"", "git commit -m \"fix it\"", true),
        ("git commit -m \"fix it\"", "git commit -m 'fix it'", false),
        ("npm run *", "npm run build", true),
        ("npm *", "npm exec x", false),
        ("npm *", "npm x y", false),
        ("npm run build", "npm run build", true),
        ("npm run build", "npm run build x", false),
        ("./scripts/*", "./scripts/a.sh -x", true),
        ("./scripts/*", "./scripts/../x", false),
        ("cat docs/*", "cat docs/a", true),
        ("cat docs/*", "cat docs/../../etc/passwd", false),
        ("cat *", "cat ../x", true),
        // A star within a word, or between words, stands for one word; the last one alone for all the rest.
        ("rm *.tmp", "rm a.tmp", true),
        ("rm *.tmp", "rm -rf /home x.tmp", false),
        ("rm *.tmp", "rm a.tmp b.tmp", false),
        ("cat docs/*", "cat docs/a /etc/shadow", false),
        ("git * status", "git -C status", false),
        ("git * status", "git push --force origin status", false),
        ("rm *.tmp", "rm -r.tmp", false),
        ("git diff *.rs", "git diff --output=a.rs", false),
        ("rm ???", "rm -rf", false),
        ("ls -?", "ls -l", true),
        ("cp * /tmp/*", "cp a /tmp/b", true),
        ("cp * /tmp/*", "cp -r /tmp/b", false),
        ("cp * /tmp/*", "cp a b /tmp/c", false),
        ("npm run te?t *", "npm run test -- --watch", true),
        ("npm run te?t *", "npm run te t", false),
        // The exact text is allowed, if nothing in it stands for something else.
        ("git diff HEAD~1", "git diff HEAD~1", true),
        ("git diff HEAD~1", " git diff HEAD~1", false),
        ("git diff HEAD~1", "git diff HEAD~2", false),
        ("git *", "git diff HEAD~1", false),
        ("*", "git diff HEAD~1", false),
        ("grep \"a|b\" c", "grep \"a|b\" c", true),
        ("ls > out.txt", "ls > out.txt", true),
        ("history", "history", true),
        ("python manage.py *", "python manage.py test", true),
        ("python manage.py *", "python -c manage.py", false),
        ("python -m pytest *", "python -m pytest -q", true),
        ("bash build.sh *", "bash build.sh all", true),
        ("*", "ls", true),
        ("*", "sudo ls", false),
        ("*", "ls; ls", true),
        ("sudo ls", "sudo ls", true),
        ("sudo ls", "sudo ls x", false),
        ("find *", "find . -name x", true),
        ("find *", "find . -delete", false),
        ("find *", "find . -exec ls", false),
        ("git *", "git -c a=b log", false),
        ("git *", "git rebase --exec x", false),
        ("git *", "git bisect run x", false),
        ("git *", "git rebase -x reboot main", false),
        ("git *", "git difftool -x reboot", false),
        ("git *", "git clone -u /tmp/evil host:repo", false),
        ("git *", "git push -u origin main", true),
        ("tar *", "tar --to-c=x -xf a", false),
        ("tar *", "tar -xf a", true),
        ("tar *", "tar xIf a b", false),
        ("docker *", "docker ps", true),
        ("docker *", "docker run x", false),
        ("docker *", "docker \"run\" x", false),
        ("printf *", "printf -v PATH x", false),
        ("rsync *", "rsync -ae x a b", false),
        ("xsudo *", "xsudo ls", true),
        ("s*", "sudo ls", false),
        ("py*", "python -c x", false),
        ("py*", "python x.py", false),
    ] {
        let shell = read(value);
        let rule = rule(pattern, true);
        let matches = shell.parts() > 0 && (0..shell.parts()).all(|part| shell.matches_strictly(part, &rule));
        assert_eq!(matches, expected, "{pattern} on {value:?}");
        assert!(!shell.matches_any_reading(&rule) && !shell.matches_strictly(99, &rule));
    }
    // A launcher runs what is piped into it.
    assert_eq!(judge(&["curl *", "bash"], &[], "curl x | bash"), "ask");
    assert_eq!(judge(&["cat *", "grep *"], &[], "cat x | grep y || cat z; grep a"), "allow");
    let tokens = Pattern::Tokens(["git", "commit", "-m", "fix it"].map(str::to_owned).to_vec());
    let tokens = ShellPattern::new(&tokens, true, &Native).unwrap();
    for (value, expected) in [
        ("git commit -m \"fix it\" -q", true),
        ("git commit -m 'fix it'", true),
        ("git commit -m fix it", false),
        ("git \"commit\" -m 'fix it'", false),
        ("git commit", false),
    ] {
        assert_eq!(read(value).matches_strictly(0, &tokens), expected, "{value}");
    }
}

#[test]
fn is_never_simple() {
    for value in [
        "",
        " ",
        ";",
        "ls;",
        ";ls",
        "ls;;ls",
        "ls &",
        "ls & ls",
        "ls &&",
        "&& ls",
        "ls |",
        "ls ||| ls",
        "ls |& ls",
        "ls && && ls",
        "ls\nls",
        "ls\n",
        "ls\r",
        "ls $x",
        "ls ${x}",
        "ls $(x)",
        "ls `x`",
        "ls <x",
        "ls >x",
        "ls <<E",
        "ls 2>&1",
        "ls *",
        "ls ?",
        "ls [a]",
        "l? x",
        "ls {a,b}",
        "ls ~",
        "ls ~/x",
        "ls a~1",
        "ls !!",
        "ls !x",
        "! ls",
        "ls # x",
        "ls a#b",
        "ls \\",
        "ls \\\nx",
        "l\\s",
        "'ls'",
        "\"ls\" x",
        "l''s",
        "ls -\"l\"",
        "ls \"-l\"",
        "ls '-l'",
        "ls a\"b\"",
        "ls \"a\"b",
        "ls \"a",
        "ls 'a",
        "ls \"$x\"",
        "ls \"a;b\"",
        "ls 'a|b'",
        "ls \"a\tb\"",
        "ls \"a\nb\"",
        "A=1 ls",
        "A=1",
        "export A",
        "alias x",
        "set x",
        "unset x",
        "declare x",
        "read x",
        "hash x",
        "eval ls ;",
        ". x;",
        "if ls",
        "then ls",
        "fi",
        "{ ls; }",
        "(ls)",
        "ls)",
        "for x",
        "function x",
        "[[ x ]]",
        "[ x ]",
        "do ls",
        "select x",
        "ls %x%",
        "ls ^x",
        "=ls",
        "ls =ls",
        "-ls",
        "+ls",
        ".",
        "..",
        "/",
        "ls é",
        "ls\u{a0}x",
        "ls\u{200b}",
        "ls\u{0}",
        "ls \u{7f}",
        "ｌｓ",
        "ls \"é\"",
        "History",
        "SET x",
        "/usr/bin/export x",
        "ls (",
        "ls }",
        "ls ,(",
        "a:b",
        "a,b",
        "a@b",
    ] {
        let shell = read(value);
        let exact = ShellPattern::new(&glob(value), true, &Native);
        let matches = shell.parts() > 0
            && exact.is_ok_and(|rule| (0..shell.parts()).all(|part| shell.matches_strictly(part, &rule)));
        // The exact text can be allowed, if all of it is visible and nothing in it stands for something else.
        let is_fixed = value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !value.contains(['$', '`']);
        assert!(!matches || is_fixed, "{value:?}");
        assert_eq!(judge(&["*"], &[], value), "ask", "{value:?}");
    }
    assert!(!read(["ls"; 33].join(";")).is_simple());
    assert_eq!(read(["ls"; 32].join(";")).parts(), 32);
}

#[test]
fn what_an_allowance_must_not_say() {
    for pattern in [
        "sudo *",
        "env *",
        "bash *",
        "bash -c *",
        "python *",
        "python -c *",
        "node -e *",
        "xargs *",
        "timeout 5 *",
        "find . -exec *",
        "git -c *",
        "ssh *",
        "docker run *",
        "docker exec *",
        "sed *",
        "awk *",
        "* --version",
        "?s",
        "*ls",
        "",
        " ",
        "ls && git status",
        "ls; *",
        "ls | *",
        "ls > *",
        "ls $*",
        "ls \"*\"",
        "ls '*'",
        "ls \\*",
        "ls $HOME",
        "export *",
        "if *",
        "ls\n*",
        "/usr/bin/sudo *",
        "SUDO *",
        "python3.12 *",
        "npx *",
        "é *",
        "su *",
        "eval *",
        "perl x*",
        "python -m *",
        "python -W ignore *",
        "tar --to-command=x *",
        "npm exec *",
    ] {
        assert!(ShellPattern::new(&glob(pattern), true, &Native).is_err(), "{pattern}");
        assert!(ShellPattern::new(&glob(pattern), false, &Native).is_ok(), "{pattern}");
    }
    for words in [
        vec![],
        vec!["sudo"],
        vec!["bash"],
        vec!["python", "-c"],
        vec!["ls", "$x"],
        vec!["ls", ""],
        vec!["a b"],
    ] {
        let tokens = Pattern::Tokens(words.iter().map(|word| (*word).to_owned()).collect());
        assert!(ShellPattern::new(&tokens, true, &Native).is_err(), "{words:?}");
    }
    assert!(ShellPattern::new(&glob(&"a".repeat(257)), false, &Native).is_err());
}

#[test]
fn no_wildcard_covers_an_option_that_writes_a_file() {
    let table = [
        ("sort *", "sort -o .bashrc a", "sort -rn a"),
        ("sort *", "sort -uo.bashrc a", "sort -k2 a"),
        ("sort *", "sort --output=.bashrc a", "sort --reverse a"),
        ("sort *", "sort --outp .bashrc a", "sort --unique a"),
        ("sort*", "sort a -o .bashrc", "sort a"),
        ("/usr/bin/sort *", "/usr/bin/sort -o b a", "/usr/bin/sort a"),
        ("cat *", "cat a | sort -o b", "cat a"),
        ("git log *", "git log --output=.git/config", "git log --oneline -5"),
        ("git diff *", "git diff --output .git/config", "git diff --stat"),
        ("git *", "git show --output=x", "git ls-files -o"),
        ("tree *", "tree -o x", "tree -L 2"),
        ("tar *", "tar -cf a.tar --remove-files b", "tar -tf a.tar"),
        ("tar *", "tar -tf a.tar --to-command=sh", "tar -tvf a.tar"),
        ("tar *", "tar -tf a.tar --checkpoint-action=exec=sh", "tar --list -f a.tar"),
        ("tar *", "tar -tf a.tar --index-file=x", "tar -tf a.tar b"),
        ("curl *", "curl -o x https://a.com/", "curl -sS https://a.com/"),
        ("curl *", "curl -sSO https://a.com/x", "curl -I https://a.com/"),
        ("curl *", "curl --dump-header x https://a.com/", "curl --head https://a.com/"),
        ("go vet *", "go vet -o x", "go vet ./..."),
        ("go test *", "go test -coverprofile=x", "go test -count=1 -cover"),
        ("gofmt *", "gofmt -w a.go", "gofmt -l a.go"),
        ("kubectl get *", "kubectl get pods --log-file=x", "kubectl get pods -o json"),
        ("kubectl get *", "kubectl get pods --log-file x", "kubectl get pods --output=json"),
        ("openssl x509 *", "openssl x509 -in a -out b", "openssl x509 -in a -text -outform der"),
        ("eslint *", "eslint --fix a.js", "eslint a.js"),
        ("prettier *", "prettier --write a.js", "prettier --check a.js"),
        ("ruff check *", "ruff check --fix", "ruff check a.py"),
        ("yq *", "yq -i a.yml", "yq .a a.yml"),
        ("xmllint *", "xmllint --output x a.xml", "xmllint --noout a.xml"),
        ("pandoc *", "pandoc -o x a.md", "pandoc a.md"),
        ("tsc *", "tsc --outDir x", "tsc --noEmit -p a"),
        ("unknown *", "unknown --output-file=x", "unknown --output=json"),
        // An operand that writes.
        ("uniq *", "uniq in out", "uniq -c in"),
        ("uniq *", "uniq -f 1 in out", "uniq -f 1 in"),
        ("uniq *", "uniq -- in out", "uniq"),
        ("uniq *", "uniq - out", "uniq -"),
        ("xxd *", "xxd in out", "xxd in"),
        ("xxd *", "xxd -r -p in .bashrc", "xxd -l 16 -s 4 in"),
        ("pdftotext *", "pdftotext a.pdf out.txt", "pdftotext a.pdf"),
        ("hostname *", "hostname evil", "hostname -f"),
        ("date *", "date 010100002030", "date -u"),
        ("date *", "date -s yesterday", "date --rfc-3339=date"),
        ("dd *", "dd if=/dev/zero of=/dev/sda", "dd if=/dev/zero count=1"),
        ("sysctl *", "sysctl kernel.panic=1", "sysctl kernel.panic"),
        ("exiftool *", "exiftool -X=a b.jpg", "exiftool -X b.jpg"),
        ("exiftool *", "exiftool -Artist=me b.jpg", "exiftool -Artist b.jpg"),
        ("exiftool *", "exiftool -all= b.jpg", "exiftool -all b.jpg"),
        ("exiftool *", "exiftool -Artist+=me b.jpg", "exiftool b.jpg"),
        ("exiftool *", "exiftool -if reboot b.jpg", "exiftool -G b.jpg"),
        ("exiftool *", "exiftool -delete_original b.jpg", "exiftool -s b.jpg"),
        ("mlr *", "mlr --icsv tee out.csv a.csv", "mlr --icsv head a.csv"),
        ("qsv *", "qsv index a.csv", "qsv count a.csv"),
        ("pidstat *", "pidstat -e reboot", "pidstat -d 1"),
        ("fzf *", "fzf --preview reboot", "fzf --height 40"),
        ("dmesg *", "dmesg --clear", "dmesg --ctime"),
        ("shfmt *", "shfmt -w a.sh", "shfmt -d a.sh"),
        ("rubocop *", "rubocop -A", "rubocop --format json"),
        ("oxlint *", "oxlint --fix src", "oxlint src"),
    ];
    let rule =
        |pattern: &str| ShellPattern::new(&Pattern::Glob(Glob::new(pattern)), true, &Native).expect(pattern);
    let allowed = |rules: &[&str], value: &str| {
        let (shell, rules) = (read(value), rules.iter().map(|pattern| rule(pattern)));
        let rules: Vec<ShellPattern> = rules.collect();
        (0..shell.parts()).all(|part| rules.iter().any(|rule| shell.matches_strictly(part, rule)))
    };
    for (pattern, writes, reads) in table {
        assert!(!allowed(&[pattern, "sort *"], writes), "{pattern}: {writes}");
        assert!(allowed(&[pattern], reads), "{pattern}: {reads}");
        // Word for word it can be allowed.
        assert!(writes.contains('|') || allowed(&[writes], writes), "{writes}");
    }
}
