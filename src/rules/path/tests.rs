use super::super::platform::Native;
use super::*;
use crate::native::growth::assert_linear;
use proptest::prelude::*;

fn rule(pattern: &str, allow: bool) -> Result<PathPattern, &'static str> {
    PathPattern::new(&Pattern::Glob(Glob::new(pattern)), allow, &Native)
}

fn allowed(pattern: &str, value: &str) -> bool {
    let path = Path::read(value, &Native);
    path.parts() == 1 && path.matches_strictly(0, &rule(pattern, true).unwrap())
}

fn denied(pattern: &str, value: &str) -> bool {
    Path::read(value, &Native).matches_any_reading(&rule(pattern, false).unwrap())
}

#[test]
fn allows() {
    for (pattern, value) in [
        ("src/*", "src/a.ts"),
        ("src/*", "src/.env"),
        ("src/**", "src/a.ts"),
        ("src/**", "src/a/b/c.ts"),
        ("**", "a"),
        ("**", "a/b"),
        ("*", "a"),
        ("**/*.ts", "a.ts"),
        ("**/*.ts", "x/y/a.ts"),
        ("src/**/a.ts", "src/a.ts"),
        ("src/**/a.ts", "src/x/y/a.ts"),
        ("src/**/x/**/a", "src/1/x/2/x/3/a"),
        ("src/*/a", "src/x/a"),
        ("src/?.ts", "src/a.ts"),
        ("/work/**", "/work/a"),
        ("/work/*/b", "/work/a/b"),
        ("/**", "/work/a"),
        ("/*", "/work"),
        ("README.md", "README.md"),
        ("a b/c", "a b/c"),
        ("(app)/page.tsx", "(app)/page.tsx"),
        ("app/[id]/*", "app/[id]/page.tsx"),
        ("@scope/**", "@scope/a,b=c+d#e!"),
        ("C:/work/a.txt", "C:/work/a.txt"),
        (r"C:\work\a.txt", r"C:\work\a.txt"),
        (r"\\server\share\a", r"\\server\share\a"),
        ("a**b", "axb"),
        (".github/**", ".github/x.yml"),
    ] {
        assert!(allowed(pattern, value), "{pattern} on {value}");
    }
}

#[test]
fn does_not_allow() {
    for (pattern, value) in [
        ("src/*", "src/a/b"),
        ("src/*", "src"),
        ("src/*", "src/"),
        ("src/**", "src"),
        ("src/**", "src/"),
        ("src/**", "/src/a"),
        ("src/**", "Src/a"),
        ("src/**", "srcs/a"),
        ("src/**", "x/src/a"),
        ("**", "/a"),
        ("**/*.ts", "/a.ts"),
        ("*/a", "/a"),
        ("**/a", "/a"),
        ("*", "/a"),
        ("*", "a/b"),
        ("/work/**", "work/a"),
        ("/**", "a"),
        ("a**b", "a/b"),
        ("src/?.ts", "src//.ts"),
        ("src?a", "src/a"),
        ("src/**/a", "src/x/b"),
        ("src/**", "./src/a"),
        ("src/**", "src/./a"),
        ("src/**", "src/../etc"),
        ("src/**", "src/.."),
        ("src/**", "src//a"),
        ("src/**", "src/a/"),
        ("src/**", "src/a."),
        ("src/**", "src/a "),
        ("src/**", "src/ a"),
        ("src/**", "src/..."),
        ("src/**", "src/.. /a"),
        ("src/**", "src/~/a"),
        ("src/**", "src/a~"),
        ("src/**", "src/PROGRA~1"),
        ("src/**", "src/$HOME"),
        ("src/**", "src/%2e%2e/a"),
        ("src/**", "src/100%"),
        ("src/**", r"src\a"),
        ("src/**", r"src/..\a"),
        ("src/**", "src/a:b"),
        ("src/**", "src/a::$DATA"),
        ("src/**", "src/a\0"),
        ("src/**", "src/a\n"),
        ("src/**", "src/a\tb"),
        ("src/**", "src/é"),
        ("src/**", "src/ａ"),
        ("src/**", "src/a\u{200b}"),
        ("src/**", "src/a*"),
        ("src/**", "src/a?"),
        ("src/**", "src/{a,b}"),
        ("src/**", "src/[a]"),
        ("app/[id]/*", "app/[id]/[x]"),
        ("src/**", "src/`a`"),
        ("src/**", "src/\"a\""),
        ("src/**", "src/a|b"),
        ("src/**", "src/<a>"),
        ("**", "-rf"),
        ("**", "C:/a"),
        ("**", "c:a"),
        ("/**", "//server/a"),
        ("/**", "/"),
        ("**", ""),
        ("**", " "),
        ("**", "."),
        ("**", ".."),
        ("**", "~"),
        ("**", "file:///etc/passwd"),
        (r"C:\work\a", r"c:\work\a"),
        (r"C:\work\a", r"C:/work/a"),
        (r"C:\work\a", r"C:\work\A"),
    ] {
        assert!(!allowed(pattern, value), "{pattern} on {value}");
    }
    assert!(!allowed("**", &"a/".repeat(6_000)));
    assert_eq!(Path::read("a", &Native).parts(), 1);
    assert_eq!(Path::read("../a", &Native).parts(), 0);
    assert!(!Path::read("a", &Native).matches_strictly(1, &rule("a", true).unwrap()));
    assert!(!Path::read("a", &Native).matches_strictly(0, &rule("a", false).unwrap()));
    assert!(!Path::read("a", &Native).matches_any_reading(&rule("a", true).unwrap()));
}

#[test]
fn says_what_an_allowance_cannot_be() {
    for pattern in [
        "",
        "./src/*",
        "src/",
        "src//a",
        "../*",
        "src/../*",
        "~/*",
        "$HOME/*",
        "%TMP%/*",
        r"src\*",
        "C:/*",
        r"C:\work\*",
        r"\\server\*",
        "//server/*",
        "file:///*",
        "é/*",
        "src/*.",
        "src/ *",
        "-*",
        "/",
        "a\n",
        "src/{a,b}/*",
        "a:b",
        "/work/*/",
    ] {
        assert!(rule(pattern, true).is_err(), "{pattern}");
        assert!(rule(pattern, false).is_ok(), "{pattern}");
    }
    let tokens = Pattern::Tokens(vec!["ls".to_owned()]);
    assert!(
        PathPattern::new(&tokens, true, &Native).is_err()
            && PathPattern::new(&tokens, false, &Native).is_err()
    );
}

#[test]
fn denies() {
    for (pattern, values) in [
        (
            "/etc/*",
            vec![
                "/etc",
                "/etc/",
                "/etc/passwd",
                "/etc//passwd",
                "/etc/./passwd",
                "/./etc/passwd",
                "//etc/passwd",
                "///etc/passwd",
                "/tmp/../etc/passwd",
                "/../etc/passwd",
                "../../etc/passwd",
                "a/../../etc/passwd",
                "../etc",
                "..\\..\\etc\\passwd",
                "\\etc\\passwd",
                "/ETC/passwd",
                "/Etc/PASSWD",
                "/etc/../etc/passwd",
                "/%65tc/passwd",
                "%2fetc%2fpasswd",
                "%252fetc%252fpasswd",
                "/tmp/%2e%2e/etc/passwd",
                "/tmp/%252e%252e/etc/passwd",
                "/tmp/..%2fetc%2fpasswd",
                "/tmp/%2e%2e%5cetc",
                "/tmp/%c0%ae%c0%ae/etc/x",
                "file:///etc/passwd",
                "FILE:///etc/passwd",
                "file:/etc/passwd",
                "file://localhost/etc/passwd",
                "file:%2f%2f/etc/passwd",
                "vscode-file://vscode-app/etc/passwd",
                "C:/etc/passwd",
                "c:\\etc\\passwd",
                "\\\\?\\C:\\etc\\passwd",
                "\\\\.\\c:\\etc\\passwd",
                "//?/c:/etc/passwd",
                "\\??\\C:\\etc\\passwd",
                "\\\\localhost\\c$\\etc\\passwd",
                "//127.0.0.1/C$/etc/passwd",
                "\\\\?\\UNC\\host\\c$\\etc\\x",
                "file:///C:/etc/passwd",
                "/private/etc/passwd",
                "/proc/self/root/etc/passwd",
                "/proc/1/root/etc/passwd",
                "/proc/self/cwd/../../etc/passwd",
                "/mnt/c/etc/passwd",
                "/cygdrive/c/etc/passwd",
                "/c/etc/passwd",
                "~/../../etc/passwd",
                "~root/../etc/passwd",
                "$HOME/../../etc/passwd",
                "${HOME}/../../etc/passwd",
                "$X/etc/passwd",
                "%X%/etc/passwd",
                "/etc./passwd",
                "/etc /passwd",
                "/etc/passwd.",
                "/etc/passwd ",
                "/etc.../passwd",
                "/etc/passwd::$DATA",
                "/etc::$INDEX_ALLOCATION/passwd",
                " /etc/passwd",
                "/etc/passwd\n",
                "\t/etc/passwd",
                "\"/etc/passwd\"",
                "'/etc/passwd'",
                "`/etc/passwd`",
                "/etc/passwd\0.txt",
                "/etc\0/x",
                "/etc/passwd%00.png",
                "/tmp/.. /etc/passwd",
                "/tmp/x/../../etc/passwd",
                "/ｅｔｃ/passwd",
                "／etc／passwd",
                "/tmp/．．/etc/passwd",
                "/tmp/％2e％2e/etc/x",
                "/e\u{200b}tc/passwd",
                "/\u{435}tc/passwd",
                "/et\u{ad}c/x",
                "\u{feff}/etc/passwd",
                "/etc\u{202e}/passwd",
                "/system/volumes/data/etc/passwd",
                "/etc/*",
            ],
        ),
        (
            "secrets/**",
            vec![
                "secrets/a",
                "secrets",
                "secrets/",
                "./secrets/a",
                "../secrets/a",
                "x/secrets/a",
                "/x/secrets/a",
                "SECRETS/a",
                "x/../secrets/a",
                "secrets//a",
                "secrets\\a",
                ".\\secrets\\a",
                "C:\\app\\secrets\\a",
                "c:secrets\\a",
                "secr%65ts/a",
                "~/secrets/a",
                "$PWD/secrets/a",
                "secrets./a",
                "secrets /a",
                "file:///x/secrets/a",
                "secrets:x/a",
                "secrets/../secrets/a",
                "x/y/z/secrets/deep/er",
            ],
        ),
        (
            "*.env",
            vec![
                ".env",
                "a.env",
                "/x/.env",
                "x/.env",
                "./.env",
                ".ENV",
                "x/prod.env",
                ".env/",
                ".env.",
                ".env ",
                ".env:x",
                ".env::$DATA",
                ".e%6ev",
                "x\\.env",
                "../.env",
                ".env/x",
                ".\u{435}nv",
                "~/.env",
                "C:.env",
                "'.env'",
            ],
        ),
        (".env", vec![".env", "x/.env", "/x/.env", "./.env", ".env/x", ".Env", "x/../.env", ".env::$DATA"]),
        (
            ".git",
            vec![
                ".git",
                ".git/config",
                "a/.git/hooks/x",
                ".GIT/config",
                ".git./config",
                ".g\u{200c}it/config",
            ],
        ),
        ("/etc", vec!["/etc", "/etc/passwd", "/etc/", "../etc/passwd"]),
        ("/etc/", vec!["/etc", "/etc/passwd", "/etc/"]),
        ("/etc/**", vec!["/etc", "/etc/a/b"]),
        ("/etc/*.conf", vec!["/etc/a.conf", "/etc/a/b.conf", "/etc/a.conf/x", "/ETC/A.CONF"]),
        ("/**/id_rsa", vec!["/id_rsa", "/a/b/id_rsa", "/a/ID_RSA"]),
        ("a/**/b", vec!["a/b", "a/x/b", "/z/a/x/y/b/c"]),
        ("**/node_modules/**", vec!["node_modules", "node_modules/a", "/x/node_modules/a"]),
        (
            "~/.ssh/*",
            vec![
                "~/.ssh",
                "~/.ssh/id_rsa",
                "~bob/.ssh/id_rsa",
                "$HOME/.ssh/id_rsa",
                "${HOME}/.ssh/x",
                "/root/.ssh/x",
                "/home/bob/.ssh/x",
                "/Users/bob/.ssh/x",
                "C:\\Users\\bob\\.ssh\\x",
                "%USERPROFILE%\\.ssh\\x",
                "$env:USERPROFILE\\.ssh\\x",
                ".ssh/x",
                "../.ssh/x",
                "/var/lib/x/.ssh/id",
            ],
        ),
        ("$HOME/.ssh/*", vec!["~/.ssh/x", "/home/bob/.ssh/x", ".ssh/x", "$HOME/.ssh/x"]),
        (
            "~/*",
            vec!["~", "~/x", "~bob/x", "$HOME/x", "/home/bob/x", "/Users/bob", "/root/x", "%userprofile%\\x"],
        ),
        ("/home/*", vec!["/home/bob/x", "~/x", "$HOME/x", "~", "/home"]),
        ("/home/bob/*", vec!["/home/bob/x", "/home/bob", "~/x", "$HOME/x"]),
        ("/root/.ssh/*", vec!["/root/.ssh/x", "~/.ssh/x", "~root/.ssh/x"]),
        (
            "C:\\Windows\\*",
            vec![
                "C:\\Windows\\x",
                "c:/windows/x",
                "C:/WINDOWS",
                "\\Windows\\x",
                "D:\\windows\\x",
                "\\\\?\\C:\\Windows\\x",
                "/mnt/c/Windows/x",
                "C:\\x\\..\\Windows\\y",
                "file:///C:/Windows/x",
                "\\\\host\\C$\\Windows\\x",
            ],
        ),
        ("D:\\*", vec!["D:\\x", "d:/x", "D:\\"]),
        (
            "\\\\server\\share\\*",
            vec!["\\\\server\\share\\x", "//server/share/x", "\\\\?\\UNC\\server\\share\\x"],
        ),
        ("file:*", vec!["file:///etc", "FILE:x"]),
        ("file:///etc/*", vec!["/etc/x", "file:///etc/x", "../../etc/x"]),
        ("/private/etc/*", vec!["/private/etc/x", "/etc/x"]),
        ("/", vec!["/", "//", "/.", "/a/..", "\\", "C:\\", "file:///"]),
        ("/*", vec!["/", "/a", "../a", "~/a", "C:\\a"]),
        ("*", vec!["", "a", "/a", "\0", "é"]),
        ("**", vec!["", "a", "/a"]),
        ("a/../b/*", vec!["b/x", "a/../b/x"]),
        ("./src/*", vec!["src/a", "./src/a", "/x/src/a"]),
        ("%2fetc/*", vec!["/etc/x", "%2fetc/x"]),
        ("dé/*", vec!["dé/x", "de\u{301}/x", "DÉ/x", "d%C3%A9/x"]),
        ("\u{435}tc/*", vec!["\u{435}tc/x", "x/\u{435}tc/x"]),
        ("*passwd*", vec!["/etc/passwd", "x/PASSWD.bak", "pass%77d"]),
    ] {
        let rule = rule(pattern, false).unwrap();
        for value in values {
            assert!(Path::read(value, &Native).matches_any_reading(&rule), "{pattern} on {value}");
        }
    }
}

#[test]
fn does_not_deny() {
    for (pattern, value) in [
        ("/etc/*", "etc/passwd"),
        ("/etc/*", "/etcetera/x"),
        ("/etc/*", "/tmp/etc/x"),
        ("/etc/*", "/work/etc"),
        ("/bin/*", "bin/cli.js"),
        ("/bin/*", "/work/bin/cli.js"),
        ("secrets/**", "nosecrets/a"),
        ("secrets/**", "secretss"),
        ("*.env", "env"),
        ("*.env", "a.environment"),
        ("*.env", ".env.example"),
        (".git", ".gitignore"),
        (".git", "x.git"),
        ("/home/bob/*", "/home/eve/x"),
        ("/home/bob/x/*", "/root/x"),
        ("~/*", "src/a"),
        ("~/*", "/srv/a"),
        ("D:\\*", "C:\\x"),
        ("D:\\*", "/x"),
        ("/", "/ab"),
        ("*/a", "/b"),
        ("/*", "a"),
        ("file:*", "/etc/passwd"),
        ("", "a"),
        ("\u{200b}", "a"),
        ("a/*/b", "a/b"),
        ("/private/*", "/etc"),
        ("/proc/*/root/*", "/etc"),
    ] {
        assert!(!denied(pattern, value), "{pattern} on {value}");
    }
}

/// Each `how` is another spelling of the path that someone reads with the same meaning.
fn mutated(path: &str, how: usize, at: usize) -> String {
    let at = at % path.len();
    let letter = path.as_bytes()[at];
    let (before, rest) = path.split_at(at);
    let after = &rest[1..];
    match how {
        0 => path.to_uppercase(),
        1 => format!("{before}%{letter:02x}{after}"),
        2 => format!("{before}%25{letter:02X}{after}"),
        3 => path.replace('/', "\\"),
        4 => path.replace('/', "//"),
        5 => path.replace('/', "/./"),
        6 => path.replace('/', "/x/../"),
        7 => format!("/tmp/..{path}"),
        8 => format!("../../..{path}"),
        9 => format!("file://{path}"),
        10 => format!("C:{path}"),
        11 => format!("\\\\?\\C:{}", path.replace('/', "\\")),
        12 => format!("{before}\u{200b}{rest}"),
        13 => format!("{before}{}{after}", char::from_u32(u32::from(letter) + 0xFEE0).unwrap()),
        14 => format!("{path}."),
        15 => format!(" {path}\n"),
        16 => format!("\"{path}\""),
        17 => format!("{path}\0.txt"),
        18 => format!("{path}::$DATA"),
        19 => format!("{path}/"),
        20 => path.replace('a', "\u{430}").replace('e', "\u{435}").replace('o', "\u{43e}"),
        21 => format!("~/../..{path}"),
        22 => format!("{before}\u{202e}{rest}"),
        23 => path.replace('/', "%2f"),
        _ => path.replace('/', "%5C"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_text_panics(pattern in "[a-z*?/.~:%\\\\$\\PC]{0,12}", value in "([a-z/.~:%\\\\$\\[]|\\PC|[\0-\u{20}]){0,16}") {
        let path = Path::read(&value, &Native);
        prop_assert!(path.matches_any_reading(&rule("*", false).unwrap()));
        for allow in [true, false] {
            if let Ok(rule) = rule(&pattern, allow) {
                let (strictly, in_any_reading) = (path.matches_strictly(0, &rule), path.matches_any_reading(&rule));
                prop_assert!(!strictly || allow);
                prop_assert!(!in_any_reading || !allow);
            }
        }
    }

    #[test]
    fn what_is_allowed_is_in_the_form_of_the_pattern(
        pattern in "(/|)([ab*?]{1,2}|\\*\\*)(/([ab*?]{1,2}|\\*\\*)){0,3}",
        value in "(/|)[ab]{1,2}(/[ab.]{1,2}){0,4}",
    ) {
        let Ok(rule) = rule(&pattern, true) else { return Ok(()) };
        let path = Path::read(&value, &Native);
        let segments = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
        let plain = value.split('/').skip(1).all(|name| !name.ends_with('.'));
        let expected = plain && defined(&segments(&pattern), &segments(&value));
        prop_assert_eq!(path.matches_strictly(0, &rule), expected, "{} on {}", pattern, value);
    }

    #[test]
    fn no_mutation_hides_a_denial(
        path in "/(etc|home/bob|srv/app)(/[a-z]{1,6}){1,3}",
        how in 0usize..25, at in 0usize..64,
        then in 0usize..25, there in 0usize..64,
    ) {
        let folder = path.rsplit_once('/').unwrap().0;
        let patterns = [format!("{folder}/*"), path.clone(), format!("{folder}/**")];
        let once = mutated(&path, how, at);
        for pattern in &patterns {
            prop_assert!(denied(pattern, &once), "{} on {:?}", pattern, once);
            prop_assert!(once == path || how == 0 || !allowed("/**", &once), "{:?}", once);
        }
        // Some pairs of changes lose the meaning, but none of them becomes an allowance.
        if once.is_ascii() {
            let twice = mutated(&once, then, there);
            let refused = !allowed("/**", &twice) && !allowed("**", &twice);
            prop_assert!(refused || denied(&patterns[0], &twice), "{:?}", twice);
        }
    }

    #[test]
    fn what_one_rule_allows_its_denial_denies(
        pattern in "[a-c*?]{1,3}(/[a-c*?]{1,3}){0,2}", value in "[a-c]{1,3}(/[a-c]{1,3}){0,3}",
    ) {
        if rule(&pattern, true).is_ok() && allowed(&pattern, &value) {
            prop_assert!(denied(&pattern, &value), "{} on {}", pattern, value);
        }
    }
}

/// Segments, by the definition of gitignore.
fn defined(pattern: &[String], value: &[String]) -> bool {
    match (pattern, value) {
        ([], []) => true,
        ([one, rest @ ..], _) if one == "**" => {
            let least = usize::from(rest.is_empty());
            (least..=value.len()).any(|skip| {
                value[..skip].iter().all(|name| !name.is_empty()) && defined(rest, &value[skip..])
            })
        }
        ([one, rest @ ..], [name, more @ ..]) => {
            one.is_empty() == name.is_empty() && Glob::new(one).matches(name) && defined(rest, more)
        }
        _ => false,
    }
}

#[test]
fn takes_time_by_the_length() {
    let rules: Vec<PathPattern> = ["/etc/*", "secrets/**", "*a*b*c*d*z", "~/.ssh/*"]
        .iter()
        .map(|it| rule(it, false).unwrap())
        .collect();
    for unit in ["a/", "../", "%25", "/c", "~/", "é", "x:"] {
        assert_linear(
            unit,
            1 << 20,
            |size| unit.repeat(size / unit.len()),
            |value| {
                let path = Path::read(value, &Native);
                rules.iter().for_each(|rule| assert!(!path.matches_any_reading(rule), "{value:.20}"));
            },
        );
    }
}

/// The result of [`resolved`], by its definition: a list of names.
fn resolved_by_names(text: &str, mark: Option<char>) -> String {
    let (base, is_home) = match text {
        _ if text.starts_with('/') => ("/", false),
        _ if text == "~" || text.starts_with("~/") => ("", true),
        _ => ("./", false),
    };
    let end = |name: &str| {
        let Some(mark) = mark else { return name.to_owned() };
        let name = name.split(mark).next().unwrap().trim();
        if name == "." || name == ".." {
            return name.to_owned();
        }
        name.trim_end_matches(|c: char| c == '.' || c.is_whitespace()).to_owned()
    };
    let mut names: Vec<String> = Vec::new();
    for name in text.split('/').map(end).filter(|name| !name.is_empty() && name != ".") {
        let may_leave = names.last().is_some_and(|last| last != "..") && !(is_home && names.len() == 1);
        if name == ".." && may_leave {
            names.pop();
        } else if name != ".." || !names.is_empty() || base != "/" {
            names.push(name);
        }
    }
    format!("{base}{}", names.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]
    #[test]
    fn a_path_is_resolved_name_by_name(text in "[/~]?([.]{1,3}|[ab;:é ~]|/|/[.]{1,2}/|a[.;]){0,9}") {
        for mark in [None, Some(':'), Some(';')] {
            prop_assert_eq!(resolved(&text, mark), resolved_by_names(&text, mark));
        }
    }
}
