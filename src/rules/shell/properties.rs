//! Properties that hold for every value.

use super::tests::read;
use super::*;
use crate::native::growth::assert_linear;
use crate::rules::platform::Native;
use proptest::prelude::*;

fn rule(text: &str, allow: bool) -> ShellPattern {
    ShellPattern::new(&Pattern::Glob(Glob::new(text)), allow, &Native).expect(text)
}

fn allowed(shell: &Shell, rules: &[ShellPattern]) -> bool {
    shell.parts() > 0
        && (0..shell.parts()).all(|part| rules.iter().any(|rule| shell.matches_strictly(part, rule)))
}

/// Other spellings of a command with the same meaning.
fn quoted(word: String) -> impl Strategy<Value = String> {
    let letters = word.chars().count();
    (0..9_u8, 0..letters).prop_map(move |(how, at)| {
        let change = |mutate: &dyn Fn(char) -> String| {
            let one = |(place, c): (usize, char)| if place == at { mutate(c) } else { c.to_string() };
            word.chars().enumerate().map(one).collect::<String>()
        };
        match how {
            0 => change(&|c| format!("\\{c}")),
            1 => change(&|c| format!("'{c}'")),
            2 => change(&|c| format!("\"{c}\"")),
            3 => change(&|c| format!("''{c}")),
            4 => change(&|c| format!("\\\n{c}")),
            5 => change(&|c| format!("$'\\x{:02x}'", u32::from(c))),
            6 => change(&|c| format!("$'\\{:03o}'", u32::from(c))),
            7 => change(&|c| format!("$@{c}")),
            _ => format!("/usr/bin/{word}"),
        }
    })
}

/// Text around a command that still runs it.
fn wrapped(command: String) -> impl Strategy<Value = String> {
    (0..40_usize).prop_map(move |how| {
        let single = command.replace('\'', "'\\''");
        let is_same = !command.contains(['\\', '"', '$', '`', '\'']);
        match how {
            0 => format!("ls; {command}"),
            1 => format!("ls && {command}"),
            2 => format!("false || {command}"),
            3 => format!("ls | {command}"),
            4 => format!("ls & {command}"),
            5 => format!("ls\n{command}"),
            6 => format!("({command})"),
            7 => format!("{{ {command}; }}"),
            8 => format!("if {command}; then ls; fi"),
            9 => format!("while {command}; do ls; done"),
            10 => format!("! {command}"),
            11 => format!("A=1 B='x y' {command}"),
            12 => format!(">/dev/null {command}"),
            13 => format!("2>&1 {command}"),
            14 => format!("sudo {command}"),
            15 => format!("sudo -u root {command}"),
            16 => format!("env -i A=1 {command}"),
            17 => format!("timeout -s KILL 5 {command}"),
            18 => format!("nice -n 5 {command}"),
            19 => format!("xargs -n 1 {command}"),
            20 => format!("command {command}"),
            21 => format!("ls $({command})"),
            22 => format!("ls \"$({command})\""),
            23 => format!("ls <({command})"),
            24 => format!("A=$({command})"),
            25 => format!("bash -c '{single}'"),
            26 => format!("sudo sh -xc '{single}' x"),
            27 => format!("eval '{single}'"),
            28 => format!("ssh host '{single}'"),
            29 => format!("find . -exec {command} {{}} +"),
            30 => format!("f() {{ {command}; }}; f"),
            31 => format!("ls # don't\n{command}"),
            32 => format!("cat <<E\nit's\nE\n{command}"),
            33 => {
                // No line of the command itself may end it.
                let end = "E".repeat(1 + command.lines().map(str::len).max().unwrap_or(0));
                format!("sh <<{end}\n{command}\n{end}")
            }
            34 => format!("case x in x) {command};; esac"),
            35 => format!("  \t{command}  "),
            36 if is_same => format!("bash -c \"{command}\""),
            37 if is_same => format!("ls `{command}`"),
            38 => format!("docker run --rm -v a:b image {command}"),
            _ => format!("time {command}; ls"),
        }
    })
}

fn disguised() -> impl Strategy<Value = String> {
    quoted("rm".to_owned())
        .prop_map(|word| format!("{word} -rf /"))
        .prop_flat_map(wrapped)
        .prop_flat_map(wrapped)
        .prop_flat_map(wrapped)
}

/// Parts of command lines.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rm", "ls", "git", "status", "sudo", "bash", "-c", "eval", "x=", "-la", "a", " ", " ", " ", "\t",
        "'", "\"", "\\", ";", "&", "&&", "|", "||", "\n", "\r", "$", "$(", "${", "$'", ")", "}", "{", ",",
        "`", "(", "<", ">", "<<E", "#", "*", "?", "[", "]", "~", "!", "^", "%", "=", "-", "/", "..", "é",
        "ｒ", "\u{200b}", "\u{0}", "\u{1}", "\u{e}", "\u{f}", "\u{202e}", "İ", "ß",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// The same in the letters of ASCII, with more of what ends or begins something.
fn plain_pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rm", "ls", "sudo", "bash", "-c", "eval", "x=", "-la", "a", "2", " ", " ", " ", "\t", "'", "\"",
        "\\", ";", "&", "&&", "|", "||", "|&", "$", "$(", "${", "$'", ")", "}", "{", ",", "`", "(", "<",
        "<<", "<<<", "<<-", "<<E", "<(", ">", ">>", ">&", ">|", "&>", "#", "*", "?", "[", "]", "~", "!", "^",
        "%", "=", "/",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_means_the_same_is_denied_too(value in disguised()) {
        let shell = read(&value);
        prop_assert!(shell.matches_any_reading(&rule("rm*", false)), "{:?}", value);
        prop_assert!(!allowed(&shell, &[rule("ls*", true), rule("git *", true)]), "{:?}", value);
    }

    #[test]
    fn what_nobody_sees_hides_nothing(value in disguised(), at in 0..100_usize, c in "[\u{200b}\u{ad}\u{feff}\u{2060}\u{fe0f}]") {
        // After a backslash, in an escape and in `$@` a character is more than invisible.
        let value = if value.contains(['\\', '$']) { "sudo rm -rf /".to_owned() } else { value };
        let at = value.char_indices().map(|(at, _)| at).nth(at).unwrap_or(0);
        let value = format!("{}{c}{}", &value[..at], &value[at..]);
        let shell = read(&value);
        prop_assert!(shell.matches_any_reading(&rule("rm*", false)), "{:?}", value);
        prop_assert!(!allowed(&shell, &[rule("ls*", true), rule("git *", true)]));
    }

    #[test]
    fn letter_case_and_width_hide_nothing(value in disguised()) {
        let wide = |c: char| if c == 'r' || c == 'm' { char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c) } else { c };
        for value in [value.to_uppercase().replace("\\X", "\\x"), value.chars().map(wide).collect::<String>()] {
            let shell = read(&value);
            prop_assert!(!allowed(&shell, &[rule("ls*", true), rule("git *", true)]), "{:?}", value);
        }
    }

    #[test]
    fn any_change_of_a_denied_value_is_denied_or_asked(value in disguised(), at in 0..100_usize, other in any::<char>()) {
        // One character is added, removed or replaced, unless the result is another command.
        let mut chars: Vec<char> = value.chars().collect();
        let at = at % chars.len();
        let one = chars[at];
        for change in 0..3 {
            match change {
                0 => chars[at] = other,
                1 => chars.insert(at, one),
                _ => drop(chars.remove(at)),
            }
            let value: String = chars.iter().collect();
            let shell = read(&value);
            prop_assert!(!allowed(&shell, &[rule("ls *", true), rule("git status", true)]), "{:?}", value);
        }
    }

    #[test]
    fn nothing_panics_and_nothing_both(value in ".{0,60}", pattern in ".{0,20}") {
        let shell = read(&value);
        for allow in [false, true] {
            if let Ok(rule) = ShellPattern::new(&Pattern::Glob(Glob::new(&pattern)), allow, &Native) {
                let _ = shell.matches_any_reading(&rule);
                let _ = (0..=shell.parts()).any(|part| shell.matches_strictly(part, &rule));
            }
        }
    }

    #[test]
    fn what_is_allowed_has_the_form_of_the_pattern(value in pieces()) {
        let shell = read(&value);
        for pattern in ["ls*", "git *", "ls a*", "*", "git status", "a ?"] {
            let (allow, deny) = (rule(pattern, true), rule(pattern, false));
            for (at, part) in shell.simple().iter().enumerate() {
                if shell.matches_strictly(at, &allow) {
                    let bare = pattern.strip_suffix(" *") == Some(&part.text);
                    prop_assert!(Glob::new(pattern).matches(&part.text) || bare);
                    prop_assert!(value.bytes().all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte)));
                    let active = value.contains(|c| "$`\\<>(){}*?[]~!#%^".contains(c));
                    prop_assert!(!active, "{:?}", value);
                    // A pattern that allows a value would also deny it.
                    prop_assert!(shell.matches_any_reading(&deny), "{} {:?}", pattern, value);
                }
            }
        }
    }

    #[test]
    fn a_command_before_it_loosens_no_denial(
        value in plain_pieces(), from in 0..100_usize, to in 0..100_usize, end in 0..100_usize, wild in "[*?]{0,2}",
    ) {
        // A pattern of the value itself: up to any place, with a wildcard somewhere.
        let place = |text: &str, any: usize| any % (text.len() + 1);
        let text = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = &text[..place(&text, end)];
        let (from, to) = (place(text, from), place(text, to));
        let pattern = format!("{}{wild}{}", &text[..from.min(to)], &text[from.max(to)..]);
        let rule = rule(&pattern, false);
        if !pattern.is_empty() && read(&value).matches_any_reading(&rule) {
            for before in ["  \t", "ls && ", "ls; ", "ls | ", "ls &", "ls\n"] {
                let later = format!("{before}{value}");
                prop_assert!(read(&later).matches_any_reading(&rule), "{:?} {:?}", pattern, later);
            }
        }
    }

    #[test]
    fn no_reading_has_letters_that_the_text_does_not_announce(value in prop_oneof![plain_pieces(), pieces()], quote in "[\"' ]") {
        for value in [value.clone(), value.replace(|c| !keeps_letters(&String::from(c)), &quote)] {
            let shell = read(&value);
            let Scan { lines, flows } = shell.scan();
            for line in lines.iter().chain(flows) {
                prop_assert!(shell.bigrams().cover(Bigrams::of_letters(&line.text)), "{:?} {:?}", value, line.text);
                prop_assert!(shell.beginnings().cover(Bigrams::of_beginnings(&line.text)), "{:?} {:?}", value, line.text);
                prop_assert!(line.wilds.is_empty() || shell.bigrams() == Bigrams::ALL);
            }
        }
    }

    #[test]
    fn a_value_is_suspect_where_its_text_is(value in pieces(), pattern in "[a-z*? ;$'|]{0,8}") {
        // The text itself is always one of the readings.
        let words: Vec<&str> = value.split_whitespace().collect();
        if Glob::new(&pattern).matches(&words.join(" ")) && pattern.split_whitespace().collect::<Vec<_>>().join(" ") == pattern {
            prop_assert!(read(&value).matches_any_reading(&rule(&pattern, false)));
        }
    }
}

fn is_linear(piece: &str, size: usize) {
    let rules: Vec<ShellPattern> = ["rm*", "*rm -rf*", "a*b*c?d", "x?*y", "* | sh", "?*?*z", "rm"]
        .iter()
        .map(|text| rule(text, false))
        .collect();
    let input = |size: usize| piece.repeat(size / piece.len());
    assert_linear(piece, size, input, |value| {
        let shell = read(value);
        for rule in &rules {
            std::hint::black_box(shell.matches_any_reading(rule));
        }
    });
}

/// Parts of texts that take long to read.
const LONG: [&str; 75] = [
    "a ",
    "rm",
    "'",
    "\"",
    "\\",
    "$(",
    "${",
    "`",
    "{",
    "{a,b}",
    "a;",
    "(",
    ")",
    "<<E\n",
    "<<E ",
    "$'",
    "#",
    "\n",
    "sudo ",
    "bash -c '",
    "$x ",
    "x* ",
    "a?",
    "\\'",
    "\"$(",
    "\"'",
    "'\"",
    "eval \"",
    "a=b ",
    "-a ",
    "git -c ",
    "a/",
    "=",
    "<(",
    "| sh ",
    "{,",
    "$(a)",
    "`a`",
    "é",
    "[",
    "sudo $(a) ",
    "bash -c \"$(a)\" ",
    "[a",
    "%a",
    "{a..b}",
    "[a] ",
    "*/",
    "x*y ",
    "\\\n",
    "\\\\\n",
    "[x](",
    "](",
    "(a)",
    "a|",
    "a&b ",
    "ls; ",
    "sh | ",
    "echo | ",
    "-p ",
    "$(($((",
    "$((1",
    "x\u{2028}",
    "\u{fdfa}",
    "\u{fdfa}\u{fdfb}a",
    "a\u{300}",
    "sudo node ",
    "sudo -u node ",
    "docker run node ",
    "try{",
    "function f{",
    "}catch{",
    "socat a:",
    "socat - a:b ",
    "git clone -u ",
    "$a.exe -x y ",
];

#[test]
fn the_time_grows_with_the_length() {
    for piece in LONG {
        is_linear(piece, 1 << 14);
    }
}

/// The places and the texts that each pattern is compared with are counted, in bytes.
#[test]
fn no_text_makes_more_than_its_share() {
    for piece in LONG {
        let value = piece.repeat(100_000 / piece.len());
        let shell = read(&value);
        let scan = shell.scan();
        let size = |line: &Line| line.text.len() + 8 * (line.starts.len() + line.ends.len());
        let made: usize = scan.lines.iter().chain(&scan.flows).map(size).sum();
        assert!(made < 60 * value.len(), "{piece:?}: {made} bytes");
    }
}

/// Many commands without a blank between them. Quadratic work shows in long values.
#[test]
fn many_commands_take_the_time_of_each() {
    for piece in ["\\\n", "](", "a;", "echo | "] {
        is_linear(piece, 1 << 18);
    }
}

#[test]
fn a_long_value_takes_its_time_and_no_more() {
    for piece in ["a ", "\"$("] {
        is_linear(piece, 1 << 20);
    }
}
