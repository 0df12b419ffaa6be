//! The places where a URL may lead, in all its readings.

use super::super::bigrams::Bigrams;
use super::super::glob::Glob;
use super::super::path::resolved;
use super::super::percent::{self, add, readings};
use super::super::platform::Platform;
use super::super::unicode;
use super::plain::{is_canonical, plain};
use crate::core::json::digits;

/// Stands for the question mark, which is a wildcard to [`Glob`].
const MARK: char = '\u{1}';

/// Returns the text with [`MARK`] for each question mark.
pub(super) fn literal(text: &str) -> String {
    text.replace('?', MARK.encode_utf8(&mut [0; 4]))
}

/// Whether a host is an IPv4 address, in the form of the parser.
/// <https://url.spec.whatwg.org/#ends-in-a-number-checker>
pub(super) fn is_address(host: &str) -> bool {
    host.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The number of labels of a host that are read. No pattern is long enough to name more.
const LABELS: usize = 128;

/// The longest host that is given to the parser. None has more than 253 characters (RFC 1035, section 2.3.4).
const HOST: usize = 2_000;

/// The number of URLs of a list that are read.
const LIST: usize = 100;

/// Everything that a value may mean.
#[derive(Clone, Debug)]
pub struct Readings {
    /// The texts that name no place, or are another spelling of one.
    texts: Vec<String>,
    places: Vec<Place>,
    pub(super) bigrams: Bigrams,
}

/// A host and the text after it.
#[derive(Clone, Debug)]
struct Place {
    /// The text from the scheme on, with [`MARK`] for question marks.
    text: String,
    /// The length of the scheme; 0 if the value has none.
    scheme: usize,
    /// The beginning of the host, and of each of its parent names.
    starts: Vec<usize>,
    /// The ends of the text: with and without fragment, query, and the last slash.
    ends: Vec<usize>,
}

impl Readings {
    /// Reads a value.
    pub fn of(value: &str, platform: &dyn Platform) -> Self {
        let mut texts = Vec::new();
        for text in readings(value, platform) {
            // <https://url.spec.whatwg.org/#concept-basic-url-parser>, step 1 to 3.
            let clean: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
            let clean = clean.trim_matches(|c| c <= ' ').to_owned();
            // The delimiters of RFC 3986, appendix C, and of quoting.
            let bare = clean.trim_start_matches(['<', '"', '\'', '`', '(', '[', '{']);
            if bare.len() < clean.len() {
                add(&mut texts, bare.trim_end_matches(['>', '"', '\'', '`', ')', ']', '}']).to_owned());
            }
            if text.contains(char::is_whitespace) {
                text.split_whitespace().take(LIST).for_each(|one| add(&mut texts, one.to_owned()));
            }
            add(&mut texts, text);
            add(&mut texts, clean);
        }
        let mut found = Self { texts: Vec::new(), places: Vec::new(), bigrams: Bigrams::NONE };
        for text in &texts {
            found.add_text(text, platform);
        }
        for text in texts {
            let text = literal(&text);
            if !found.places.iter().any(|place| place.text == text) {
                add(&mut found.texts, text.replace('\\', "/"));
                add(&mut found.texts, text);
            }
        }
        let places = found.places.iter().map(|place| &place.text);
        found.bigrams = Bigrams::any(found.texts.iter().chain(places).map(|text| Bigrams::of(text)));
        found
    }

    /// Adds the places that a text may name, for the WHATWG parser and for simpler ones.
    fn add_text(&mut self, text: &str, platform: &dyn Platform) {
        match plain(text) {
            // Each parser reads it the same.
            Some((scheme, host, tail)) => self.add_places(scheme, host, "", tail),
            None => self.add_any_text(text, platform),
        }
    }

    fn add_any_text(&mut self, text: &str, platform: &dyn Platform) {
        let mut rest = text;
        let mut scheme = "";
        // `view-source:https:` and `url:https:` are schemes; `host:80` looks the same.
        for depth in 0..=4 {
            let inner = rest.split_once(':').filter(|(name, _)| depth < 4 && is_scheme(name));
            if !inner.is_some_and(|(name, after)| is_web(name) || after.starts_with(['/', '\\'])) {
                self.add_rest(scheme, rest, platform);
            }
            let Some(inner) = inner else { break };
            (scheme, rest) = inner;
        }
        let authority = text.trim_start_matches(|c| c != '/').trim_start_matches('/');
        let long = authority.split(['/', '?', '#', '\\']).next().is_some_and(|host| host.len() > HOST);
        if let Some(url) = platform.url(text).filter(|_| !long) {
            let part = |mark: &str, text: &str| {
                if text.is_empty() { String::new() } else { [mark, text].concat() }
            };
            let [query, fragment] = [part("?", &url.query), part("#", &url.fragment)];
            if !url.userinfo.is_empty() {
                add(&mut self.texts, literal(&unicode::folded(&url.href)));
            }
            if !url.host.is_empty() {
                let tail = unicode::folded(&[&*url.path, &*query, &*fragment].concat());
                self.add_places(&url.scheme, &url.host, &url.port, &tail);
            }
        }
    }

    /// Adds the places that may follow a scheme.
    fn add_rest(&mut self, scheme: &str, rest: &str, platform: &dyn Platform) {
        let rest = rest.trim_start_matches(['/', '\\']);
        let mut seen = Vec::new();
        // Browsers read a backslash as a slash, other programs as part of the userinfo. NUL ends a text in C.
        for stops in [&['/', '?', '#', '\0', '\\'][..], &['/', '?', '#', '\0']] {
            let (authority, tail) = rest.split_at(rest.find(stops).unwrap_or(rest.len()));
            let last = authority.rsplit('@').next().unwrap_or_default();
            let (first, after) = authority.split_once('@').unwrap_or((last, last));
            // Also without an invalid port.
            let names = [last, after, first].map(|host| host.split(':').next().unwrap_or_default());
            for host in [last, after, first].into_iter().chain(names) {
                let one = (host, tail);
                if !host.is_empty() && !seen.contains(&one) {
                    seen.push(one);
                    let (name, port) = ported(host);
                    self.add_places(scheme, &canonical(name, platform), port, &tail.replace('\\', "/"));
                }
            }
        }
    }

    fn add_places(&mut self, scheme: &str, host: &str, port: &str, tail: &str) {
        let tail = if tail.starts_with('/') { tail.to_owned() } else { ["/", tail].concat() };
        let (path, after) = tail.split_at(tail.find(['?', '#']).unwrap_or(tail.len()));
        let mut tails = vec![tail.clone()];
        for mark in [None, Some(';')] {
            add(&mut tails, resolved(path, mark) + after);
        }
        let mut ports = vec![String::new()];
        add(&mut ports, significant(port));
        let hosts = [Some(host.trim_end_matches('.').to_owned()), mapped(host), loopback(host)];
        for host in hosts.into_iter().flatten() {
            for port in &ports {
                for tail in &tails {
                    self.add_place(scheme, &host, port, tail);
                }
            }
        }
    }

    fn add_place(&mut self, scheme: &str, host: &str, port: &str, tail: &str) {
        let only = [scheme];
        for name in if scheme.is_empty() { &["https", "http"][..] } else { &only } {
            let text = literal(&[name, "://", host, port, tail].concat());
            if !self.places.iter().any(|place| place.text == text) {
                let length = if scheme.is_empty() { 0 } else { name.len() };
                self.places.push(Place::new(text, length, name.len() + 3, host));
            }
        }
    }
}

impl Place {
    fn new(text: String, scheme: usize, start: usize, host: &str) -> Self {
        let mut starts = Vec::new();
        if !host.starts_with('[') && !is_address(host) {
            starts.extend(host.rmatch_indices('.').take(LABELS).map(|(at, _)| start + at + 1));
        }
        starts.push(start);
        starts.reverse();
        let mut ends = Vec::new();
        for end in [Some(text.len()), text.find('#'), text.find([MARK, '#'])] {
            let Some(whole) = end.and_then(|end| text.get(..end)) else { continue };
            for end in [whole.len(), whole.trim_end_matches('/').len()] {
                if !ends.contains(&end) {
                    ends.push(end);
                }
            }
        }
        Self { text, scheme, starts, ends }
    }

    fn matches(&self, glob: &Glob, scheme: Option<&str>) -> bool {
        if scheme.is_some_and(|scheme| self.scheme != 0 && self.text.get(..self.scheme) != Some(scheme)) {
            return false;
        }
        let head = glob.head();
        // A leading star matches all names before it.
        let count = if head.is_empty() { 1 } else { self.starts.len() };
        self.starts.iter().take(count).filter_map(|start| Some((start, self.text.get(*start..)?))).any(
            |(start, text)| {
                let ends = || self.ends.iter().filter_map(|end| text.get(..end.checked_sub(*start)?));
                text.starts_with(head) && ends().any(|text| glob.matches(text))
            },
        )
    }
}

/// The IPv4 address in an IPv6 address, as the parser writes it (RFC 4291, section 2.5.5.2).
fn mapped(host: &str) -> Option<String> {
    let (high, low) = host.strip_prefix("[::ffff:")?.strip_suffix(']')?.split_once(':')?;
    let number = |text| u32::from_str_radix(text, 16).ok().filter(|number| *number < 1 << 16);
    let address = number(high)? << 16 | number(low)?;
    Some(address.to_be_bytes().map(|byte| digits(byte.into())).join("."))
}

/// One name for all hosts that lead to this machine (RFC 6761, section 6.3).
fn loopback(host: &str) -> Option<String> {
    let v4 = mapped(host);
    let host = v4.as_deref().unwrap_or(host);
    let own = matches!(host, "0.0.0.0" | "[::]" | "[::1]") || host.starts_with("127.") && is_address(host);
    own.then(|| "localhost".to_owned())
}

/// Whether the scheme is one of those that lead to the same place.
fn is_web(scheme: &str) -> bool {
    matches!(scheme, "http" | "https" | "ws" | "wss")
}

/// <https://url.spec.whatwg.org/#url-scheme-string>
fn is_scheme(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// The host and the port.
fn ported(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit() || byte == b'*') => (name, port),
        _ => (host, ""),
    }
}

/// The port with its colon; empty for a default port.
fn significant(port: &str) -> String {
    match port.trim_start_matches('0') {
        "" | "80" | "443" | "*" => String::new(),
        port => [":", port].concat(),
    }
}

/// The host as the parser writes it: in ASCII, with addresses in their usual form.
fn canonical(host: &str, platform: &dyn Platform) -> String {
    let parsed = (host.len() <= HOST && !is_canonical(host))
        .then(|| platform.url(&["https://", &*host, "/"].concat()));
    let parsed = parsed.flatten().map(|url| url.host).filter(|host| !host.is_empty());
    parsed.as_deref().unwrap_or(host).trim_end_matches('.').to_owned()
}

/// The pattern of a denial.
#[derive(Clone, Debug)]
pub struct AnyReading {
    /// Patterns for the whole text.
    texts: Vec<Glob>,
    /// Patterns from the host on, with a scheme if only that one is meant.
    places: Vec<(Glob, Option<String>)>,
    pub(super) bigrams: Bigrams,
}

impl AnyReading {
    pub(super) fn new(pattern: &Glob, platform: &dyn Platform) -> Self {
        let mut found = Self { texts: Vec::new(), places: Vec::new(), bigrams: Bigrams::ALL };
        for form in percent::forms(pattern, platform) {
            let slashed = form.replace('\\', "/");
            for text in [&form, &slashed] {
                let glob = Glob::new(&literal(text));
                if !found.texts.contains(&glob) {
                    found.texts.push(glob);
                }
            }
            found.add_place(&slashed, platform);
        }
        let globs = found.texts.iter().chain(found.places.iter().map(|(glob, _)| glob));
        found.bigrams = Bigrams::each(globs.map(Glob::bigrams));
        found
    }

    fn add_place(&mut self, text: &str, platform: &dyn Platform) {
        let wild =
            |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.*".contains(&byte));
        let (scheme, rest) = match text.split_once("://").filter(|(scheme, _)| wild(scheme)) {
            Some((scheme, rest)) => (Some(scheme), rest),
            None => (None, text.strip_prefix("//").unwrap_or(text)),
        };
        let scheme = scheme.filter(|it| !it.contains('*') && !is_web(it));
        let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        // A pattern without a host, or with userinfo, is about texts.
        if rest.trim_matches(['*', '/']).is_empty() || authority.is_empty() || authority.contains('@') {
            return;
        }
        let (host, port) = ported(authority);
        let host = host.strip_prefix("*.").unwrap_or(host);
        let host = if host.contains('*') { host.to_owned() } else { canonical(host, platform) };
        let slash = if tail.starts_with(['?', '#']) { "/" } else { "" };
        let after = [&*significant(port), slash, tail].concat();
        for host in [mapped(&host), loopback(&host), Some(host)].into_iter().flatten() {
            self.add_globs(&host, &after, scheme);
        }
    }

    fn add_globs(&mut self, host: &str, after: &str, scheme: Option<&str>) {
        let place = [host, after].concat();
        let base = place.trim_end_matches('*').strip_suffix('/');
        let mut globs = Vec::new();
        match base {
            _ if !after.contains('/') && !place.ends_with('*') => {
                globs.extend([place.clone(), [&*place, "/*"].concat()])
            }
            Some(base) if place.ends_with('*') => globs.extend([base.to_owned(), [base, "/*"].concat()]),
            Some(base) => globs.push(base.to_owned()),
            None => globs.push(place.clone()),
        }
        for glob in globs {
            let glob = (Glob::new(&literal(&glob)), scheme.map(str::to_owned));
            if !self.places.contains(&glob) {
                self.places.push(glob);
            }
        }
    }

    pub(super) fn matches(&self, readings: &Readings) -> bool {
        let place = |place: &Place| {
            self.places.iter().any(|(glob, scheme)| place.matches(glob, scheme.as_deref()))
                || self
                    .texts
                    .iter()
                    .any(|glob| place.text.starts_with(glob.head()) && glob.matches(&place.text))
        };
        let text = |text: &String| self.texts.iter().any(|glob| glob.matches(text));
        readings.bigrams.cover(self.bigrams)
            && (readings.places.iter().any(place) || readings.texts.iter().any(text))
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::super::platform::Native;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]
        #[test]
        fn a_plain_url_leads_where_all_parsers_say(
            text in "https?://([a-z0-9]{1,3}[.]){0,2}[a-z]{1,3}[.]?([/?#]|[.]{1,2}|[a-z;=&:@*+~]|//|://|a;b|[.]/){0,8}",
        ) {
            let empty = Readings { texts: Vec::new(), places: Vec::new(), bigrams: Bigrams::NONE };
            let (mut brief, mut full) = (empty.clone(), empty);
            brief.add_text(&text, &Native);
            full.add_any_text(&text, &Native);
            let places = |readings: &Readings| {
                let place = |place: &Place| (place.text.clone(), place.scheme, place.starts.clone(), place.ends.clone());
                let mut all: Vec<_> = readings.places.iter().map(place).collect();
                all.sort();
                all
            };
            prop_assert_eq!(places(&brief), places(&full));
        }
    }
}
