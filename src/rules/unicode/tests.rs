use super::super::platform::Native;
use super::*;
use crate::native::growth::assert_linear;
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The planes that contain characters, without ASCII.
fn assigned() -> impl Iterator<Item = char> {
    ('\u{80}'..='\u{33fff}').chain('\u{e0000}'..='\u{e0fff}')
}

fn skeletal(text: &str) -> String {
    skeleton(text, &Native)
}

fn is_denied(pattern: &str, value: &str) -> bool {
    let forms = forms(&Glob::new(pattern), &Native);
    readings(value, &Native).iter().any(|reading| forms.iter().any(|form| form.matches(reading)))
}

/// The skeleton of UTS 39, without combining marks.
fn prototype(text: &str) -> String {
    let skeleton: String = unicode_security::skeleton(text).collect();
    skeleton.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

#[test]
fn what_the_confusables_of_unicode_say_is_known() {
    let prototypes: Vec<(String, char)> =
        (' '..='~').map(|c| (prototype(&c.to_string()), c.to_ascii_lowercase())).collect();
    let mut strangers = Vec::new();
    let mut known = 0;
    for c in assigned().filter(|c| !is_combining_mark(*c) && !is_invisible(*c)) {
        let looks = prototype(&c.to_string());
        let targets: String = prototypes.iter().filter(|(text, _)| *text == looks).map(|(_, c)| c).collect();
        if targets.is_empty() {
            continue;
        }
        known += 1;
        let mut found = skeletal(&c.to_string()).chars().collect::<Vec<_>>();
        found.retain(|c| targets.contains(*c));
        if found.is_empty() {
            strangers.push((c, targets, skeletal(&c.to_string())));
        }
    }
    println!("{} of {known} look-alikes read otherwise: {strangers:?}", strangers.len());
    assert!(known > 2_000);
    assert!(strangers.len() <= 100, "{strangers:?}");
}

#[test]
fn marks_go_with_few_exceptions() {
    let marks = assigned().filter(|c| is_combining_mark(*c));
    let (gone, left): (Vec<char>, Vec<char>) = marks.partition(|c| skeletal(&format!("r{c}m")) == "rm");
    println!("{} marks go, {} are left", gone.len(), left.len());
    assert!(left.len() <= 2_000, "{}", left.len());
    for c in assigned().filter(|c| is_invisible(*c) && !is_line_end(*c)) {
        assert!(is_denied("rm *", &format!("r{c}m x")), "{c:?}");
    }
}

#[test]
fn the_table_is_in_order() {
    assert!(LOOK_ALIKES.is_sorted_by(|one, other| one < other));
    assert!(LOOK_ALIKES.len() > 1_400);
    for entry in LOOK_ALIKES.iter() {
        let c = char::from_u32(entry >> 8).unwrap();
        assert_eq!(Native.nfkc(&c.to_string()), c.to_string());
        assert!(matches!(*entry as u8, b' '..=b'@' | b'['..=b'~'), "{c}");
    }
}

#[test]
fn forms_are_stable() {
    for c in ('\0'..='\u{7f}').chain(assigned()).map(|c| c.to_string()) {
        let skeleton = skeletal(&c);
        assert_eq!(skeletal(&skeleton), skeleton, "{c:?}");
        let canonical = canonical(&c, &Native);
        assert_eq!(super::canonical(&canonical, &Native), canonical, "{c:?}");
        assert_eq!(folded(&folded(&c)), folded(&c), "{c:?}");
        if c != "İ" {
            assert_eq!(folded(&c.to_lowercase()), folded(&c), "{c:?}");
        }
    }
}

#[test]
fn ascii_has_two_readings_at_most() {
    assert_eq!(readings("rm -rf /\tx\n", &Native), ["rm -rf /\tx\n"]);
    assert_eq!(readings("RM", &Native), ["RM", "rm"]);
    assert_eq!(readings("l1O0rnm", &Native), ["l1O0rnm", "l1o0rnm"]);
    assert_eq!(readings("", &Native), [""]);
}

#[test]
fn one_command_in_many_clothes() {
    for value in [
        "rm x",
        "RM x",
        "ｒｍ x",
        "ＲＭ x",
        "r\u{200b}m x",
        "r\u{ad}m\u{3000}x",
        "rm\u{a0}x",
        "𝐫𝐦 x",
        "ⓡⓜ x",
        "ʀᴍ x",
        "гm x",
        "г\u{43c} x",
        "rм x",
        "RМ x",
        "r̶m̷ x",
        "ŕḿ x",
        "r\u{301}\u{336}ḿ x",
        "ṙṃ x",
        "🅁🄼 x",
        "🅡🅜 x",
        "🆁🅼 x",
        "🇷🇲 x",
        "r\0m x",
        "r\u{7f}m x",
        "r\u{e0001}m x",
        "rm\u{2800}x",
        "rm\u{3164}x",
        "rm\u{b}x",
        "rm\u{85}x",
        "rm\u{2028}x",
        "\u{e0072}\u{e006d}\u{e0020}x",
        "\u{feff}rm x",
        "\u{202e}rm x",
        "r\u{5b4}m x",
        "r\u{64b}m x",
        "r\u{34f}m\u{fe0f} x",
        "ꭈᴍ x",
        "ℛℳ x",
        "r\u{fffe}m x",
        "rｍ x",
        "ʳᵐ x",
    ] {
        assert!(is_denied("rm *", value), "{value:?} {:?}", readings(value, &Native));
    }
    for value in ["rn x", "lm x", "ñm x", "rmx", "ym x", "r x", "р м"] {
        assert!(!is_denied("rm *", value), "{value:?} {:?}", readings(value, &Native));
    }
    for (pattern, value) in [
        ("password*", "paſſword"),
        ("mask", "mas\u{212a}"),
        ("straße", "STRASSE"),
        ("strasse", "straße"),
        ("info", "İNFO"),
        ("info", "ınfo"),
        ("İnfo", "INFO"),
        ("ΑΣ*", "ας"),
        ("удалить*", "УДАЛИТЬ"),
        ("удалить*", "y\u{434}aлить"),
        ("удалить*", "у\u{336}д\u{336}а\u{336}л\u{336}ить"),
        ("café", "cafe\u{301}"),
        ("cafe", "café"),
        ("--force", "—force"),
        ("a-b", "a‐b"),
        ("a/b", "a∕b"),
        ("a/b", "a⁄b"),
        ("a.b", "a․b"),
        ("a:b", "a：b"),
        ("\"a\"", "“a”"),
        ("'a'", "‘a’"),
        ("a@b", "a＠b"),
        ("ﬁle", "file"),
        ("file", "ﬁle"),
        ("1", "❶"),
        ("paypal", "раураl"),
        ("apple", "аррӏе"),
        ("github", "gіtһub"),
        ("git", "ցіt"),
        ("cat", "сαt"),
        ("sudo", "ѕսԁο"),
    ] {
        assert!(is_denied(pattern, value), "{pattern} {value} {:?}", readings(value, &Native));
    }
    assert!(!is_denied("ดู*", "ดี"));
    assert!(!is_denied("कि*", "का"));
    assert!(!is_denied("\u{200b}*", "x"));
    assert!(is_denied("*\u{200b}*", "a\u{200b}b"));
}

/// Texts with the same meaning or the same look.
fn clothed(text: &'static str) -> impl Strategy<Value = String> {
    let letters: Vec<Vec<String>> = text
        .chars()
        .map(|c| {
            let alike = LOOK_ALIKES.iter().filter(|entry| **entry as u8 == c as u8);
            let alike = alike.filter_map(|entry| char::from_u32(entry >> 8)).map(String::from);
            let wide = char::from_u32(c as u32 + 0xfee0).filter(|_| c > ' ').map(String::from);
            let own =
                [c.to_string(), c.to_uppercase().to_string(), format!("{c}\u{200d}"), format!("\u{ad}{c}")];
            let marked =
                [format!("{c}\u{301}"), format!("{c}\u{336}\u{20dd}"), format!("{c}\u{fe0f}\u{5bf}")];
            alike.chain(wide).chain(own).chain(marked).collect()
        })
        .collect();
    let letters: Vec<_> = letters.into_iter().map(proptest::sample::select).collect();
    letters.prop_map(|letters| letters.concat())
}

proptest! {
    #[test]
    fn clothes_do_not_matter(value in clothed("rm -rf ~/work.txt; git push --force"), capital: bool) {
        // Some capitals look like a different letter than their small forms.
        let raised = |c: char| {
            let upper: String = c.to_uppercase().collect();
            if capital && skeletal(&upper) == skeletal(&c.to_string()) { upper } else { c.to_string() }
        };
        let value: String = value.chars().map(raised).collect();
        prop_assert!(is_denied("rm -rf *", &value), "{:?}", readings(&value, &Native));
        prop_assert!(is_denied("*git push --force", &value), "{:?}", readings(&value, &Native));
    }

    #[test]
    fn equivalent_texts_have_one_skeleton(text: String) {
        let one = skeletal(&text);
        prop_assert_eq!(&skeletal(&text.nfd().collect::<String>()), &one);
        prop_assert_eq!(&skeletal(&text.nfc().collect::<String>()), &one);
    }

    #[test]
    fn the_first_reading_is_the_text(text: String) {
        let readings = readings(&text, &Native);
        prop_assert_eq!(&readings[0], &text);
        prop_assert!(readings.len() <= 5);
        prop_assert!((1..readings.len()).all(|at| !readings[..at].contains(&readings[at])));
    }
}

#[test]
fn the_time_grows_with_the_text() {
    for text in ["a", "A\0", "é", "\u{435}", "\u{200b}", "a\u{301}", "\u{301}", "\u{fdfa}", "漢", "\u{1f170}"]
    {
        assert_linear(
            text,
            1 << 16,
            |size| text.repeat(size / text.len()),
            |text| {
                std::hint::black_box(readings(text, &Native));
            },
        );
    }
}

#[test]
fn letters_without_case_have_none() {
    for c in ('\0'..=char::MAX).filter(|c| has_no_case(*c)) {
        let through: Vec<char> =
            c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
        assert_eq!(through, [c], "{:x}", u32::from(c));
    }
}

#[test]
fn many_long_characters_hide_nothing() {
    let matches = |pattern: &str, value: &str| {
        let forms = forms(&Glob::new(pattern), &Native);
        readings(value, &Native).iter().any(|reading| forms.iter().any(|form| form.matches(reading)))
    };
    let phrase: String = "\u{fdfa}".nfkc().collect();
    let word = phrase.split(' ').next().unwrap_or_default();
    for count in [1, MAX_LONG, MAX_LONG + 1, 3 * MAX_LONG] {
        let long = "\u{fdfa}".repeat(count);
        let squares = "\u{3300}\u{fdfb}".repeat(count);
        for (pattern, value, expected) in [
            (format!("*{phrase}*"), long.clone(), true),
            (format!("x {word}*"), format!("x {long}"), true),
            (format!("x ?{}*", &word[2..]), format!("x {long}"), true),
            (format!("*{word}*y*{word}*z"), format!("{word}{squares} y {long}z"), true),
            ("*ア*rm*".to_owned(), format!("{squares} rm"), true),
            ("*\u{fdfa}* rm".to_owned(), format!("{long} ｒm"), true),
            ("* rm".to_owned(), format!("{long} ｒ\u{200b}m"), true),
            (format!("*{word}*y"), format!("{squares} z"), false),
            ("rm*".to_owned(), format!("{long} z"), false),
        ] {
            assert_eq!(matches(&pattern, &value), expected, "{pattern} on {count}");
        }
    }
    assert!(!matches(&format!("*{word}*"), "x"));
    assert!(readings(&"\u{fdfa}".repeat(80_000), &Native).iter().all(|reading| reading.len() < 800_000));
}

/// One letter case, by way of the capital letter, because some letters have only that in common with others.
fn folded_by_the_library(c: char) -> String {
    let c = if c == '\u{130}' { 'i' } else { c };
    c.to_lowercase().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// Each letter beyond ASCII that has another case, with the letters that it becomes.
fn letters_with_a_case() -> Vec<(u32, String)> {
    let beyond = '\u{80}'..=char::MAX;
    let changed = beyond.map(|c| (u32::from(c), folded_by_the_library(c)));
    changed.filter(|(code, folded)| !folded.chars().map(u32::from).eq([*code])).collect()
}

#[test]
fn the_table_of_folding_is_that_of_the_standard_library() {
    let mut lines: Vec<String> = Vec::new();
    // First, last, step and what becomes of the first.
    let mut run: Option<(u32, u32, u32, u32)> = None;
    let write = |run: &mut Option<(u32, u32, u32, u32)>, lines: &mut Vec<String>| {
        let of_run = |(first, last, step, to)| format!("{first:x} {last:x} {step:x} {to:x}");
        lines.extend(run.take().map(of_run));
    };
    for (code, folded) in letters_with_a_case() {
        let mut letters = folded.chars();
        let (to, rest) = (u32::from(letters.next().unwrap()), letters.as_str());
        if !rest.is_empty() {
            write(&mut run, &mut lines);
            lines.push(format!("{code:x} {folded}"));
            continue;
        }
        run = match run {
            Some((first, last, step, of))
                if to.wrapping_sub(code) == of.wrapping_sub(first)
                    && (code - last == step || first == last && code - last <= 2) =>
            {
                Some((first, code, code - last, of))
            }
            mut other => {
                write(&mut other, &mut lines);
                Some((code, code, 1, to))
            }
        };
    }
    write(&mut run, &mut lines);
    let text = format!("{}\n", lines.join("\n"));
    if std::env::var_os("WRITE_FOLDING").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules/folding.txt"), &text).unwrap();
    }
    assert_eq!(include_str!("../folding.txt"), text, "see WRITE_FOLDING in src/rules/unicode.rs");
}

#[test]
fn folding_is_that_of_the_standard_library() {
    for c in '\0'..=char::MAX {
        let mut folded = String::new();
        fold(c, &mut folded);
        assert_eq!(folded, folded_by_the_library(c), "{c:?}");
    }
}

#[test]
fn letters_are_those_of_the_standard_library() {
    for c in ('\0'..=char::MAX).filter(|c| is_letter(*c) != c.is_alphanumeric()) {
        // An invisible character is no letter, and a rare one may count as a letter.
        assert!(is_letter(c) && !c.is_ascii() || is_invisible(c), "{c:?}");
    }
    for c in "“”‘’–—…«»·•→≤€×¡¿、。「」！（）：；＜＞｛｝\u{a0}\u{3000}".chars()
    {
        assert!(!is_letter(c), "{c:?}");
    }
}
