//! File paths, judged by their text alone.
//!
//! A browser sees no file system. A symbolic link, a mount, a short name (`PROGRA~1`) or a working directory
//! can lead anywhere, and no rule here knows about it. The program that runs the tool has to resolve the path
//! and check it again.
//!
//! *Allow*: printable ASCII, with `/` between the segments. No segment is empty, `.` or `..`, none has a dot
//! or blank at an end that some systems drop. None contains anything that a shell, a decoder or a search
//! would expand. `*` and `?` stay within a segment; a segment `**` stands for any number of segments (one or
//! more at the end, as in gitignore). A relative pattern is for relative values only. `./a` is not the same
//! as `a`. A drive or a share is allowed only by its whole path, brackets only where the pattern contains
//! them.
//!
//! *Deny*, *ask*: `*` crosses slashes, and naming a folder covers everything below it. A relative pattern
//! matches below any folder, because the working directory of the tool is not known. `../../etc/passwd` may
//! be `/etc/passwd` and counts as it; `etc/passwd` does not, because otherwise `/bin/*` would deny every
//! project's own `bin`. All drives count as one drive, unless the pattern is about the drive alone (`D:\*`).
//! Paths below a home folder match in all spellings of that folder.

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::pattern::Pattern;
use super::percent::{add, forms, readings};
use super::platform::Platform;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A longer value asks.
const LONGEST: usize = 10_000;

/// A path, prepared once for all rules.
pub struct Path<'a> {
    value: Cow<'a, str>,
    platform: &'a dyn Platform,
    simple: OnceCell<Option<Simple>>,
    /// Each begins with `/`, `./` or `~/`, except for those that are not another spelling of such a path.
    readings: OnceCell<(Vec<String>, Bigrams)>,
}

/// The pattern of a rule, prepared when the rule is read.
#[derive(Clone, Debug)]
pub enum PathPattern {
    /// The pattern of an allow rule.
    Allow(Allow),
    /// The patterns of a rule that denies or asks; one of them has to match.
    AnyReading(Vec<AnyReading>, Bigrams),
}

/// One pattern of a rule that denies or asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnyReading {
    /// This file or folder, and everything below it.
    At(String),
    /// The same below any folder.
    Below(String),
    /// Everything that matches.
    Like(Glob),
}

impl AnyReading {
    fn bigrams(&self) -> Bigrams {
        match self {
            Self::At(folder) | Self::Below(folder) => Bigrams::of(folder),
            Self::Like(glob) => glob.bigrams(),
        }
    }

    fn matches(&self, reading: &str) -> bool {
        let covers = |folder: &str, text: &str| {
            text.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        match self {
            Self::At(folder) => covers(folder, reading),
            Self::Below(folder) => {
                let mut names = reading.match_indices('/').filter_map(|(at, _)| reading.get(at + 1..));
                names.any(|text| covers(folder, text))
            }
            Self::Like(glob) => glob.matches(reading),
        }
    }
}

/// The pattern of an allow rule.
#[derive(Clone, Debug)]
pub struct Allow {
    text: String,
    brackets: usize,
    /// The runs of segments between the `**`, each with its number of segments.
    runs: Vec<(Glob, usize)>,
}

impl PathPattern {
    /// Prepares a pattern.
    ///
    /// # Errors
    ///
    /// A sentence, if an allow rule could mean something other than its author expects.
    pub fn new(pattern: &Pattern, allow: bool, platform: &dyn Platform) -> Result<Self, &'static str> {
        let glob = pattern.glob().ok_or("a rule for a path has one pattern for all of it")?;
        if allow {
            return Allow::new(glob).map(Self::Allow);
        }
        let all = loose_forms(glob, platform);
        let bigrams = Bigrams::each(all.iter().map(AnyReading::bigrams));
        Ok(Self::AnyReading(all, bigrams))
    }

    /// The bigrams of every value that it matches in any reading, or, for an allowance, strictly.
    pub fn bigrams(&self) -> Bigrams {
        match self {
            Self::Allow(allow) => Bigrams::any(allow.runs.iter().map(|(run, _)| run.bigrams())),
            Self::AnyReading(_, bigrams) => *bigrams,
        }
    }
}

impl<'a> Path<'a> {
    /// Prepares a value.
    pub fn read(value: impl Into<Cow<'a, str>>, platform: &'a dyn Platform) -> Self {
        Self { value: value.into(), platform, simple: OnceCell::new(), readings: OnceCell::new() }
    }

    fn simple(&self) -> Option<&Simple> {
        self.simple.get_or_init(|| Simple::read(&self.value)).as_ref()
    }

    fn readings(&self) -> &(Vec<String>, Bigrams) {
        self.readings.get_or_init(|| {
            let mut all = Vec::new();
            for text in readings(&self.value, self.platform) {
                add_readings(&mut all, &text, false);
            }
            let bigrams = Bigrams::any(all.iter().map(|reading| Bigrams::of(reading)));
            (all, bigrams)
        })
    }

    /// The bigrams of its text; none if nothing can allow it.
    pub fn simple_bigrams(&self) -> Bigrams {
        self.simple().map_or(Bigrams::NONE, |simple| Bigrams::of(&simple.text))
    }

    /// The bigrams of its readings.
    pub fn bigrams(&self) -> Bigrams {
        self.readings().1
    }

    /// The number of parts that rules have to allow; 0 if nothing can allow the value.
    pub fn parts(&self) -> usize {
        usize::from(self.simple().is_some())
    }

    /// Whether the rule allows a part.
    pub fn matches_strictly(&self, part: usize, rule: &PathPattern) -> bool {
        matches!((part, rule, self.simple()), (0, PathPattern::Allow(allow), Some(simple)) if allow.covers(simple))
    }

    /// Whether any reading matches.
    pub fn matches_any_reading(&self, rule: &PathPattern) -> bool {
        match rule {
            PathPattern::Allow(_) => false,
            PathPattern::AnyReading(all, needed) => {
                let (readings, bigrams) = self.readings();
                bigrams.cover(*needed) && all.iter().any(|one| readings.iter().any(|text| one.matches(text)))
            }
        }
    }
}

/// A path in its canonical form.
#[derive(Clone, Debug)]
struct Simple {
    text: String,
    /// The start and end of each segment. The segment before the first slash of an absolute path is empty.
    segments: Vec<(usize, usize)>,
    brackets: usize,
    /// Whether it is on a drive or a share.
    rooted: bool,
}

impl Simple {
    fn read(text: &str) -> Option<Self> {
        let (root, separator) = match text.as_bytes() {
            [b'\\', b'\\', ..] => (2, '\\'),
            [drive, b':', separator @ (b'\\' | b'/'), ..] if drive.is_ascii_alphabetic() => {
                (3, char::from(*separator))
            }
            [b'/', ..] => (1, '/'),
            _ => (0, '/'),
        };
        let names = text.get(root..)?;
        let plain = text.len() <= LONGEST && names.split(separator).all(is_plain) && !text.starts_with('-');
        if !plain {
            return None;
        }
        let mut segments = Vec::new();
        let mut at = 0;
        for segment in text.split('/') {
            segments.push((at, at + segment.len()));
            at += segment.len() + 1;
        }
        Some(Self { text: text.to_owned(), segments, brackets: brackets(text), rooted: root > 1 })
    }

    /// The text of some segments.
    fn segments(&self, from: usize, count: usize) -> Option<&str> {
        let (start, _) = self.segments.get(from)?;
        let (_, end) = self.segments.get((from + count).checked_sub(1)?)?;
        self.text.get(*start..*end)
    }
}

/// Whether the name means one file on every system, and nothing else in any program.
fn is_plain(name: &str) -> bool {
    let letter = |byte: u8| matches!(byte, b' '..=b'~') && !b"\"$%*/:<>?\\`{|}~".contains(&byte);
    name.bytes().all(letter) && !name.starts_with(' ') && !name.ends_with([' ', '.']) && !name.is_empty()
}

/// The number of search brackets in a text. If pattern and value have the same number, no star has matched a
/// bracket.
fn brackets(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'[' | b']')).count()
}

impl Allow {
    fn new(glob: &Glob) -> Result<Self, &'static str> {
        let text = glob.text();
        let sample = Simple::read(&text.replace(['*', '?'], "x")).ok_or(
            "an allow rule for a path is written in its one form: printable ASCII, / between names, no . or .. \
             or empty name, no name that begins or ends with a blank or ends with a dot, and none of \
             \" $ % : < > \\ ` { | } ~",
        )?;
        if sample.rooted && !glob.is_literal() {
            return Err("a drive or a share can be allowed only by a whole path, without * and ?");
        }
        let mut runs = vec![Vec::new()];
        for segment in text.split('/') {
            match (segment, runs.last_mut()) {
                ("**", _) | (_, None) => runs.push(Vec::new()),
                (_, Some(run)) => run.push(segment),
            }
        }
        let runs = runs.into_iter().map(|run| (Glob::new(&run.join("/")), run.len())).collect();
        Ok(Self { text: text.to_owned(), brackets: brackets(text), runs })
    }

    fn covers(&self, simple: &Simple) -> bool {
        if simple.rooted {
            return simple.text == self.text;
        }
        // A star does not match the empty segment before the first slash either.
        if simple.brackets != self.brackets || simple.text.starts_with('/') != self.text.starts_with('/') {
            return false;
        }
        // The window has as many segments as the run, so its stars cannot match a slash.
        let at = |from: usize, run: &Glob, count: usize| {
            count == 0 || simple.segments(from, count).is_some_and(|window| run.matches(window))
        };
        let count = simple.segments.len();
        let [(head, first), middle @ .., (tail, last)] = self.runs.as_slice() else {
            return self.runs.first().is_some_and(|(only, all)| *all == count && at(0, only, count));
        };
        if !at(0, head, *first) {
            return false;
        }
        let mut from = *first;
        for (run, length) in middle {
            let found = (from..count).find(|from| at(*from, run, *length));
            let Some(place) = found else { return false };
            from = place + length;
        }
        // `**` at the end matches at least one segment.
        let least = (*last).max(1);
        from + least <= count && at(count - last, tail, *last)
    }
}

/// Adds the readings of a text in one letter case. For a pattern, readings that would widen its meaning are
/// left out, because each of them would be a denial that nobody wrote.
fn add_readings(all: &mut Vec<String>, text: &str, pattern: bool) {
    let slashed = text.replace('\\', "/");
    let bare = slashed.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
    let unquoted = if pattern { bare } else { bare.trim_matches(['"', '\'', '`']) };
    // C programs stop at NUL.
    let until = unquoted.split('\0').next().unwrap_or_default();
    let mut roots = Vec::new();
    // A quote may also be part of the name.
    for text in [unquoted, until, bare] {
        add(&mut roots, text.to_owned());
    }
    let mut next = 0;
    while let Some(root) = roots.get(next).cloned() {
        next += 1;
        let strict = resolved(&root, None);
        let loose = if pattern { strict.clone() } else { resolved(&root, Some(':')) };
        // No normal spelling has this many prefixes, but a forged one could have any number.
        if next < 12 {
            let others = [&strict, &loose].into_iter().filter(|form| **form != root);
            for form in [&root].into_iter().chain(others) {
                inner(form, pattern).into_iter().for_each(|inner| add(&mut roots, inner));
            }
        }
        for reading in [strict, loose] {
            if let (false, Some(climbed)) = (pattern, climbed(&reading)) {
                add(all, climbed);
            }
            add(all, reading);
        }
    }
    let written = if text.starts_with('/') { text.to_owned() } else { ["./", text].concat() };
    if pattern || !all.contains(&written) {
        add(all, text.to_owned());
        add(all, slashed);
    }
}

/// `../../etc/passwd` as it resolves from a folder near the root.
fn climbed(reading: &str) -> Option<String> {
    let mut rest = reading.strip_prefix("./../")?;
    while let Some(after) = rest.strip_prefix("../") {
        rest = after;
    }
    Some(if rest == ".." { "/".to_owned() } else { ["/", rest].concat() })
}

/// The same path without a prefix: a scheme, a device, a share, a drive, an alias, a home folder.
fn inner(text: &str, pattern: bool) -> Vec<String> {
    let mut found = Vec::new();
    let rooted = |rest: &str| ["/", rest.trim_start_matches('/')].concat();
    if let Some((scheme, rest)) = text.split_once(':') {
        let name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        match scheme.len() {
            1 if scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) => found.push(rest.to_owned()),
            2.. if scheme.bytes().all(name) => {
                found.push(rooted(rest));
                // Without its host: `file://localhost/etc`.
                found.extend(
                    rest.strip_prefix("//").and_then(|rest| rest.split_once('/')).map(|it| rooted(it.1)),
                );
            }
            _ => {}
        }
    }
    // <https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file#win32-file-namespaces>
    for device in ["//?/", "//./", "/??/"] {
        let name = text.strip_prefix(device);
        found.extend(name.map(str::to_owned));
        found.extend(name.and_then(|name| name.strip_prefix("unc/")).map(|share| ["//", share].concat()));
    }
    let mut segments = text.trim_start_matches('/').splitn(4, '/');
    let mut segment = || segments.next().unwrap_or_default();
    let [first, second, third, _] = [segment(), segment(), segment(), segment()];
    let after = |count: usize| {
        let rest = text.trim_start_matches('/').splitn(count + 1, '/').nth(count).unwrap_or_default();
        rooted(rest)
    };
    let is_drive = |name: &str| name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    if text.starts_with('/') {
        match (first, second, third) {
            ("private", ..) => found.push(after(1)),
            ("system", "volumes", "data") if !pattern => found.push(after(3)),
            ("proc", _, "root") if !pattern => found.push(after(3)),
            ("proc", _, "cwd") if !pattern => found.push([".", &*after(3)].concat()),
            ("mnt" | "cygdrive", drive, _) if !pattern && is_drive(drive) => found.push(after(2)),
            (drive, ..) if !pattern && is_drive(drive) => found.push(after(1)),
            (_, share, _) if text.starts_with("//") && share.strip_suffix('$').is_some_and(is_drive) => {
                found.push(after(2));
            }
            ("home" | "users", _, _) if pattern && !second.is_empty() => {
                found.push(["~", &*after(2)].concat())
            }
            ("root", ..) if pattern => found.push(["~", &*after(1)].concat()),
            _ => {}
        }
    } else if pattern {
        // Home folders were replaced before.
    } else if first.starts_with('~') {
        let rest = after(1);
        found.extend(["~", "/home/~", "/users/~", "/root", "."].map(|home| [home, &*rest].concat()));
    } else if first.starts_with(['$', '%']) {
        // Also for a variable that is not set.
        found.extend(["~", ""].map(|home| [home, &*after(1)].concat()));
    }
    if pattern {
        // A pattern that consists of a prefix only does not cover everything.
        found.retain(|inner| inner.starts_with('~') || !inner.trim_matches(['*', '/']).is_empty());
    }
    found
}

/// The path without empty and dot segments (RFC 3986, section 5.2.4), from `/`, `./` or `~`. With `mark`,
/// also without what follows that mark in a name (a stream, a parameter), and without the dots and blanks at
/// its end.
pub fn resolved(text: &str, mark: Option<char>) -> String {
    let base = if text.starts_with('/') {
        "/"
    } else if text == "~" || text.starts_with("~/") {
        ""
    } else {
        "./"
    };
    let mut made = String::with_capacity(text.len() + base.len());
    made.push_str(base);
    for segment in text.split('/') {
        let segment = mark.map_or(segment, |mark| loose(segment, mark));
        if matches!(segment, "" | ".") {
            continue;
        }
        let kept = made.get(base.len()..).unwrap_or_default();
        if segment == ".." {
            if kept.is_empty() && base == "/" {
                continue;
            }
            let (before, last) = kept.rsplit_once('/').unwrap_or(("", kept));
            let is_home = base.is_empty() && last.len() == kept.len();
            if !matches!(last, "" | "..") && !is_home {
                made.truncate(base.len() + before.len());
                continue;
            }
        }
        if !kept.is_empty() {
            made.push('/');
        }
        made.push_str(segment);
    }
    made
}

/// A name as systems see it that drop the ends of names.
fn loose(name: &str, mark: char) -> &str {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.bytes().all(is_plain) && !name.ends_with('.') {
        return name;
    }
    let name = name.split(mark).next().unwrap_or(name);
    match name.trim() {
        name @ ("." | "..") => name,
        name => name.trim_end_matches(|letter: char| letter == '.' || letter.is_whitespace()),
    }
}

/// The forms of a pattern below a home folder: below all of them, or a name below any folder.
fn homes(pattern: String) -> Vec<String> {
    let slashed = pattern.replace('\\', "/");
    let (first, rest) = slashed.split_once('/').unwrap_or((&slashed, ""));
    let variable =
        first.starts_with(['$', '%']) && ["home", "userprofile"].iter().any(|it| first.contains(it));
    if !variable && !first.starts_with('~') {
        return vec![pattern];
    }
    if rest.trim_matches(['*', '/']).is_empty() {
        return ["~/*", "/home/*", "/users/*", "/root/*"].map(str::to_owned).to_vec();
    }
    vec![["~/", rest].concat(), rest.to_owned()]
}

/// The forms of a denial's pattern.
fn loose_forms(pattern: &Glob, platform: &dyn Platform) -> Vec<AnyReading> {
    let mut variants = Vec::new();
    for text in forms(pattern, platform).into_iter().flat_map(homes) {
        add_readings(&mut variants, &text, true);
    }
    let mut all = Vec::new();
    for variant in variants {
        let flat = variant.replace("/**/", "/");
        for variant in [variant, flat] {
            for reading in named(&variant) {
                if !all.contains(&reading) {
                    all.push(reading);
                }
            }
        }
    }
    all
}

/// The forms of one reading of a pattern.
fn named(pattern: &str) -> Vec<AnyReading> {
    let like = |text: &str| AnyReading::Like(Glob::new(text));
    let relative = pattern.strip_prefix("./").unwrap_or(pattern);
    if relative.is_empty() {
        return vec![like(pattern)];
    }
    let anchored = relative.starts_with(['/', '*', '~']);
    let folder = relative.trim_end_matches('*').strip_suffix('/').unwrap_or(relative).trim_end_matches('/');
    let before = if anchored { "" } else { "*/" };
    if folder.is_empty() || folder.ends_with('*') {
        vec![like(&[before, relative].concat())]
    } else if folder.contains(['*', '?']) {
        vec![like(&[before, folder].concat()), like(&[before, folder, "/*"].concat())]
    } else if anchored {
        vec![AnyReading::At(folder.to_owned())]
    } else {
        vec![AnyReading::Below(folder.to_owned())]
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
