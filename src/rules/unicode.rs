//! Other readings of a text: without invisible characters, in other letters, in letters that look alike.
//!
//! Readings are for denials only; allowances compare the text as it is. ASCII characters that look alike (`l`
//! and `1`, `O` and `0`, `rn` and `m`) stay different, because both are in honest use: treating them as equal
//! would deny what nobody forbade.

use super::glob::Glob;
use super::platform::Platform;
use std::sync::LazyLock;

/// The plausible readings of a text without duplicates, the text itself first: without its invisible
/// characters, in normalisation form KC, in one letter case, and in the ASCII letters that its letters look
/// like.
pub fn readings(text: &str, platform: &dyn Platform) -> Vec<String> {
    let mut readings = vec![text.to_owned()];
    let mut add = |reading: String| {
        if !readings.contains(&reading) {
            readings.push(reading);
        }
    };
    add(folded(text));
    if text.is_ascii() {
        if text.bytes().any(is_control) {
            add(folded(&seen(text, Blank::Gone)));
            add(folded(&seen(text, Blank::Space)));
        }
        return readings;
    }
    let brief = brief(text, platform);
    let text = brief.as_ref().map_or(text, |(brief, marked)| {
        add(marked.clone());
        brief
    });
    add(canonical(text, platform));
    add(skeleton(text, platform));
    if text.chars().any(|c| is_blank(c) || is_line_end(c) || tagged(c).is_some()) {
        add(plain(&platform.nfkc(&lunate(&seen(text, Blank::Space)))));
    }
    readings
}

/// The readings of a pattern for denials. It matches a value if one of them matches a reading of the value:
/// two texts become equal in the form in which both have lost their differences.
pub fn forms(pattern: &Glob, platform: &dyn Platform) -> Vec<Glob> {
    let mut forms = vec![pattern.clone()];
    let mut add = |form: Glob| {
        // A pattern of invisible characters only must not become a pattern for everything.
        let wider = form.text().bytes().all(|byte| byte == b'*') && !pattern.is_any();
        if !wider && !forms.contains(&form) {
            forms.push(form);
        }
    };
    add(pattern.map(folded));
    if !pattern.text().is_ascii() || pattern.text().bytes().any(is_control) {
        add(pattern.map(|text| canonical(text, platform)));
        add(pattern.map(|text| skeleton(text, platform)));
        let marked = marked(pattern.map(|text| canonical(text, platform)).text());
        marked.into_iter().for_each(|marked| add(Glob::new(&marked)));
    }
    forms
}

/// The number of characters. That of the standard library is faster, and most of a kilobyte.
pub fn length(text: &str) -> usize {
    text.bytes().filter(|byte| byte & 0xC0 != 0x80).count()
}

/// The number of characters in each text that are read in full though form KC expands them into many.
const MAX_LONG: usize = 1 << 12;

/// Stands for such a character, and for each of its letters, in texts with more of them; no text uses this
/// character.
const LONG: char = '\u{f0b1a}';

/// Whether form KC expands the character to as many as 18 (Arabic phrases, squares of katakana).
fn is_long(c: char) -> bool {
    matches!(c, '\u{fdfa}' | '\u{fdfb}' | '\u{3300}'..='\u{3357}')
}

/// Whether the character can be part of such an expansion.
fn is_of_long(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}' | '\u{3099}'..='\u{30ff}' | LONG) || is_long(c)
}

/// A text with more such characters than are read in full, in which one mark stands for each of the rest; and
/// the same text with one mark for each run of letters that could belong to one, as [`marked`] writes
/// patterns.
fn brief(text: &str, platform: &dyn Platform) -> Option<(String, String)> {
    let (at, _) = text.char_indices().filter(|(_, c)| is_long(*c)).nth(MAX_LONG)?;
    let (head, tail) = text.split_at(at);
    let brief = [head, &*tail.replace(is_long, LONG.encode_utf8(&mut [0; 4]))].concat();
    let mut marked = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !is_of_long(c) => marked.push(c),
            _ if marked.ends_with(LONG) => {}
            _ => marked.push(LONG),
        }
    }
    Some((brief, canonical(&marked, platform)))
}

/// A pattern in form KC, in which the mark stands for every run of letters that could belong to such a
/// character.
fn marked(pattern: &str) -> Option<String> {
    pattern.contains(is_of_long).then_some(())?;
    let is_beside = |c: char| is_of_long(c) || matches!(c, ' ' | '?' | '*');
    let mut marked = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let beside = is_beside(first);
        let end = rest.find(|c| is_beside(c) != beside).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        if run.contains(is_of_long) {
            marked.extend(['*', LONG, '*']);
        } else {
            marked.push_str(run);
        }
    }
    Some(marked)
}

/// One letter case for all letters: full case folding, as far as the case mappings of the Unicode standard
/// provide it (section 3.13). `ſ` becomes `s` and `ß` becomes `ss`. All variants of `i`, with and without a
/// dot, become one letter, which is true of no language, but of file names in all of them.
pub fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            _ if has_no_case(c) => folded.push(c),
            _ => fold(c, &mut folded),
        }
    }
    folded
}

/// One form for all texts that differ in letter case, compatibility forms and invisible characters, after
/// NFKC_Casefold (Unicode standard, section 3.13).
pub fn canonical(text: &str, platform: &dyn Platform) -> String {
    let seen = seen(text, Blank::Gone);
    if seen.is_ascii() {
        return folded(&seen);
    }
    let composed = platform.nfkc(&seen);
    let folded = folded(&composed);
    // Most texts have no letter whose folding composes anew.
    if folded == composed { composed } else { platform.nfkc(&folded) }
}

/// One form for all texts that look alike, after the skeleton of <https://www.unicode.org/reports/tr39/>:
/// without accents and strokes, and in ASCII for everything that looks like one ASCII character.
pub fn skeleton(text: &str, platform: &dyn Platform) -> String {
    let seen = seen(text, Blank::Gone);
    if seen.is_ascii() { folded(&seen) } else { plain(&platform.nfkc(&lunate(&seen))) }
}

/// Whether the character is invisible, or has no shape of its own: Default_Ignorable_Code_Point and the
/// general category Cf (Unicode 17.0), controls other than tab, line feed and carriage return, noncharacters,
/// and blank letters.
pub fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return is_control(c as u8);
    }
    matches!(c,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || is_blank(c)
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Whether the character is a letter or a digit of any script. The tables of the standard library would be two kilobytes
/// of the module. Without them, what is visible beyond ASCII counts, unless its block is one of punctuation or symbols.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    !c.is_whitespace()
        && !is_invisible(c)
        && !matches!(c, '\u{a1}'..='\u{a9}' | '\u{ab}'..='\u{b1}' | '\u{b4}' | '\u{b6}'..='\u{b8}' | '\u{bb}' | '\u{bf}'
            | '\u{d7}' | '\u{f7}' | '\u{2010}'..='\u{205e}' | '\u{20a0}'..='\u{20ff}' | '\u{2190}'..='\u{245f}'
            | '\u{2500}'..='\u{2775}' | '\u{2794}'..='\u{2bff}' | '\u{2e00}'..='\u{2e2e}' | '\u{2e30}'..='\u{2e7f}'
            | '\u{3001}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff01}'..='\u{ff0f}'
            | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}')
}

/// A control that no text needs. Vertical tab and form feed are line ends, but nobody types them.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r')
}

/// Letters and symbols that are drawn as nothing: Hangul fillers, the empty Braille pattern, the null
/// notehead.
fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{1d159}')
}

/// Line ends other than those of ASCII, <https://www.unicode.org/reports/tr14/#BK>.
fn is_line_end(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The letter that a tag character stands for. A model reads it although nobody sees it.
fn tagged(c: char) -> Option<char> {
    let code = u32::from(c).checked_sub(0xe0000)?;
    if matches!(code, 0x20..=0x7e) { char::from_u32(code) } else { None }
}

/// The reading of an invisible character.
#[derive(Clone, Copy, PartialEq)]
enum Blank {
    /// As nothing; a line end stays one.
    Gone,
    /// As a space; tags become their letters.
    Space,
}

/// The text without its invisible characters.
fn seen(text: &str, blank: Blank) -> String {
    let show = |c: char| match c {
        c if is_line_end(c) => Some(if blank == Blank::Space { ' ' } else { '\n' }),
        c if !is_invisible(c) => Some(c),
        _ if blank == Blank::Gone => None,
        c if is_blank(c) => Some(' '),
        c => tagged(c),
    };
    text.chars().filter_map(show).collect()
}

/// The lunate sigma becomes the letter that it looks like, because form KC turns it into the other sigma.
fn lunate(text: &str) -> String {
    text.replace(['\u{3f2}', '\u{3f9}'], "c")
}

/// Adds a letter in one letter case.
pub fn fold(c: char, into: &mut String) {
    let code = u32::from(c);
    let before = FOLDING.partition_point(|run| run.first <= code);
    match before.checked_sub(1).and_then(|at| FOLDING.get(at)) {
        _ if c.is_ascii() => into.push(c.to_ascii_lowercase()),
        Some(run) if code == run.first && !run.letters.is_empty() => into.push_str(run.letters),
        Some(run) if code <= run.last && (code - run.first) % run.step == 0 => {
            into.extend(char::from_u32(run.to + (code - run.first)));
        }
        _ => into.push(c),
    }
}

/// Letters whose other case lies at one distance.
struct Run {
    first: u32,
    last: u32,
    /// The distance between two of them.
    step: u32,
    /// The folded form of the first.
    to: u32,
    /// Its folded form, if that is several letters.
    letters: &'static str,
}

/// The runs of letters, in ascending order. The table is made from the case mappings of the standard library, which
/// would be 24 KB of the module: `WRITE_FOLDING=1 cargo test --lib folding`.
static FOLDING: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let run = |line: &'static str| {
        let (first, rest) = line.split_once(' ')?;
        let number = |text| u32::from_str_radix(text, 16).ok();
        let mut fields = rest.split(' ');
        let mut next = || number(fields.next()?);
        let first = number(first)?;
        Some(match (next(), next(), next()) {
            (Some(last), Some(step), Some(to)) => Run { first, last, step, to, letters: "" },
            _ => Run { first, last: first, step: 1, to: first, letters: rest },
        })
    };
    include_str!("folding.txt").lines().filter_map(run).collect()
});

/// Blocks of scripts without letter case. Looking up each of their letters would take most of the time.
fn has_no_case(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{109f}' | '\u{1100}'..='\u{139f}' | '\u{1400}'..='\u{1c7f}'
        | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{faff}' | '\u{fb1d}'..='\u{feff}' | '\u{f0000}'..)
}

/// A text in form KC without accents, in one letter case, and in ASCII wherever it looks like ASCII.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(ascii) = look_alike(c) {
            plain.push(ascii);
            continue;
        }
        if c == '\u{2014}' {
            // Editors turn two hyphens into this dash.
            plain.push_str("--");
            continue;
        }
        if has_no_case(c) && !is_accent(c) && !is_mark_of_a_script(c) {
            plain.push(c);
            continue;
        }
        let mut letters = String::new();
        fold(c, &mut letters);
        for c in letters.chars() {
            // Vowels of Indic scripts are marks too, but not accents: they are removed only where no letter
            // of such a script precedes.
            let odd = is_mark_of_a_script(c) && plain.ends_with(|last: char| last.is_ascii());
            if !is_accent(c) && !odd {
                plain.push(look_alike(c).unwrap_or(c));
            }
        }
    }
    plain
}

/// Combining marks for the letters of any script.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}'
        | '\u{1d165}'..='\u{1d169}' | '\u{1d16d}'..='\u{1d172}' | '\u{1d17b}'..='\u{1d1ad}')
}

/// Combining marks of the scripts that have most of them.
fn is_mark_of_a_script(c: char) -> bool {
    // The blocks of Indic scripts share one layout.
    let indic = matches!(c, '\u{900}'..='\u{dff}')
        && matches!(u32::from(c) & 0x7f, 0..=3 | 0x3c | 0x3e..=0x4d | 0x51..=0x57 | 0x62 | 0x63);
    indic
        || matches!(c, '\u{591}'..='\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
        | '\u{6d6}'..='\u{6ed}' | '\u{711}' | '\u{730}'..='\u{74a}' | '\u{7a6}'..='\u{7b0}' | '\u{7eb}'..='\u{7f3}'
        | '\u{816}'..='\u{82d}' | '\u{859}'..='\u{85b}' | '\u{897}'..='\u{903}'
        | '\u{e31}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{eb1}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}'
        | '\u{f18}'..='\u{f39}' | '\u{102b}'..='\u{103e}' | '\u{17b6}'..='\u{17d3}' | '\u{f71}'..='\u{f84}' | '\u{a66f}'..='\u{a67d}' | '\u{a8e0}'..='\u{a8f1}')
}

/// The ASCII character that a character in form KC looks like, from the data of UTS 39 (confusables). This
/// includes letters that differ only by marks, small capitals, regional indicators, and enclosed letters and
/// digits without a compatibility form.
pub fn look_alike(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let index = LOOK_ALIKES.binary_search_by_key(&u32::from(c), |entry| entry >> 8).ok()?;
    LOOK_ALIKES.get(index).map(|entry| char::from(*entry as u8))
}

/// Each code point, with its ASCII character in the lowest byte, sorted by code point.
static LOOK_ALIKES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut entries = Vec::new();
    for (start, row) in include_str!("look_alikes.txt").lines().filter_map(|line| line.split_once(' ')) {
        let Ok(mut code) = u32::from_str_radix(start, 16) else { continue };
        for byte in row.bytes() {
            match byte {
                // Skips as many code points as the letter's place in the alphabet; capitals are never
                // targets.
                b'A'..=b'Y' => code += u32::from(byte - b'A') + 1,
                _ => {
                    entries.push(code << 8 | u32::from(if byte == b'Z' { b' ' } else { byte }));
                    code += 1;
                }
            }
        }
    }
    entries
});

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
