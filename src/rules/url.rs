//! URLs, in the one form that may be allowed, and in every form that may be forbidden ([`Place`]).
//!
//! *Allow*: the value must be what the WHATWG parser would write for it, except for the letter case of scheme
//! and host, and an empty path. Nothing allows userinfo, an empty path segment, a host that is not ASCII, or
//! an escape that decoders and servers read in two ways (`%2f` and `%5c` in a path; `%2541`, controls, plain
//! letters, invisible characters, invalid UTF-8). `*` can be the first label of a host; it covers subdomains
//! of any depth, but not the host itself. An IP address, a port, `localhost`, `xn--` and schemes other than
//! http and https have to be named. `https://good.com` covers only `https://good.com/`. In a path `*` crosses
//! slashes. `https://*` covers every host with a dot in its name, but none of those that have to be named. A
//! pattern that ends in `*` covers every query and fragment; any other covers only those that it contains, and a
//! star in a query stays within its parameter (`?q=*` has one parameter, `?*` any number).
//! `?` is not a wildcard but begins the query.
//!
//! *Deny*, *ask*: a pattern with a host names a place. It covers its subdomains, because the owner of the
//! host controls them too. There is no list of public suffixes, so a public suffix is covered the same way.
//! It covers all ports unless it names one, and http, https, ws, wss and no scheme alike. It covers any query
//! and fragment unless it has its own, and the whole host if it has no path. A URL in the path or query of
//! another URL is not its target, so only a pattern that begins with `*` finds it. A pattern without a host
//! (`http://*`, `javascript:*`) is about the text, and so about the scheme. Punycode is not decoded: `xn--`
//! is denied by its own name, and allowed only by that name.

mod place;
mod plain;

use super::bigrams::Bigrams;
use super::glob::Glob;
use super::pattern::Pattern;
use super::percent::{bytes, decoded, escaped};
use super::platform::Platform;
use super::unicode::is_invisible;
pub use place::AnyReading;
use place::{Readings, is_address, literal};
use std::borrow::Cow;
use std::cell::OnceCell;

/// The one pattern of an allowance that names no host.
pub(super) const ANY_HOST: &str = "https://*";

/// A longer value asks.
const LONGEST: usize = 10_000;

/// A URL, prepared once for all rules.
pub struct Url<'a> {
    value: Cow<'a, str>,
    platform: &'a dyn Platform,
    simple: OnceCell<Option<Simple>>,
    readings: OnceCell<Readings>,
}

/// The pattern of a rule, prepared when the rule is read.
#[derive(Clone, Debug)]
pub enum UrlPattern {
    /// The pattern of an allow rule.
    Allow(Allow),
    /// The pattern of a rule that denies or asks.
    AnyReading(AnyReading),
}

impl UrlPattern {
    /// Prepares a pattern.
    ///
    /// # Errors
    ///
    /// A sentence, if an allow rule could mean something other than its author expects.
    pub fn new(pattern: &Pattern, allow: bool, platform: &dyn Platform) -> Result<Self, &'static str> {
        let glob = pattern.glob().ok_or("a rule for a URL has one pattern for all of it")?;
        if allow {
            Allow::new(glob.text(), platform).map(Self::Allow)
        } else {
            Ok(Self::AnyReading(AnyReading::new(glob, platform)))
        }
    }

    /// The bigrams of every value that it matches in any reading, or, for an allowance, strictly.
    pub fn bigrams(&self) -> Bigrams {
        match self {
            Self::Allow(allow) => Bigrams::any([Bigrams::of(&allow.host), allow.tail.path.bigrams()]),
            Self::AnyReading(pattern) => pattern.bigrams,
        }
    }
}

impl<'a> Url<'a> {
    /// Prepares a value.
    pub fn read(value: impl Into<Cow<'a, str>>, platform: &'a dyn Platform) -> Self {
        Self { value: value.into(), platform, simple: OnceCell::new(), readings: OnceCell::new() }
    }

    fn simple(&self) -> Option<&Simple> {
        self.simple.get_or_init(|| Simple::read(&self.value, self.platform)).as_ref()
    }

    fn readings(&self) -> &Readings {
        self.readings.get_or_init(|| Readings::of(&self.value, self.platform))
    }

    /// The bigrams of its host and path; none if nothing can allow it.
    pub fn simple_bigrams(&self) -> Bigrams {
        let of =
            |simple: &Simple| Bigrams::any([&simple.host, &simple.tail.path].map(|text| Bigrams::of(text)));
        self.simple().map_or(Bigrams::NONE, of)
    }

    /// The bigrams of its readings.
    pub fn bigrams(&self) -> Bigrams {
        self.readings().bigrams
    }

    /// The number of parts that rules have to allow; 0 if nothing can allow the value.
    pub fn parts(&self) -> usize {
        usize::from(self.simple().is_some())
    }

    /// Whether the rule allows a part.
    pub fn matches_strictly(&self, part: usize, rule: &UrlPattern) -> bool {
        matches!((part, rule, self.simple()), (0, UrlPattern::Allow(allow), Some(simple)) if allow.covers(simple))
    }

    /// Whether any reading matches.
    pub fn matches_any_reading(&self, rule: &UrlPattern) -> bool {
        matches!(rule, UrlPattern::AnyReading(pattern) if pattern.matches(self.readings()))
    }
}

/// A URL in its canonical form.
#[derive(Clone, Debug)]
struct Simple {
    scheme: String,
    host: String,
    port: String,
    /// The text behind the host.
    tail: Tail<String>,
    /// Whether only a pattern that names its host, port and scheme may allow it.
    special: bool,
}

/// Path, query and fragment.
#[derive(Clone, Debug)]
struct Tail<T> {
    path: T,
    query: Option<T>,
    fragment: Option<T>,
}

impl Tail<String> {
    fn read(text: &str) -> Self {
        let (text, fragment) = text.split_once('#').map_or((text, None), |(text, it)| (text, Some(it)));
        let (path, query) = text.split_once('?').map_or((text, None), |(path, it)| (path, Some(it)));
        let path = if path.is_empty() { "/" } else { path };
        Self { path: path.to_owned(), query: query.map(literal), fragment: fragment.map(literal) }
    }
}

impl Simple {
    fn read(text: &str, platform: &dyn Platform) -> Option<Self> {
        let letter = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        if text.len() > LONGEST || !text.bytes().all(letter) {
            return None;
        }
        let (scheme, authority, tail) = split(text)?;
        let slash = if tail.starts_with('/') { "" } else { "/" };
        let [scheme, authority] = [scheme, authority].map(str::to_ascii_lowercase);
        let parsed = plain::parsed(text, platform)?;
        if parsed.href != [&*scheme, "://", &*authority, slash, tail].concat() || authority.contains('@') {
            return None;
        }
        let (host, port) = (parsed.host, parsed.port);
        let label = |label: &str| !label.is_empty() && !label.contains(|c: char| !is_host_letter(c));
        let special = !port.is_empty()
            || !matches!(&*scheme, "http" | "https")
            || host.starts_with('[')
            || is_address(&host)
            || host.split('.').any(|label| label.starts_with("xn--"))
            || host.rsplit('.').next() == Some("localhost");
        let named =
            host.starts_with('[') || scheme == "file" && host.is_empty() || host.split('.').all(label);
        let (path, after) = tail.split_at(tail.find(['?', '#']).unwrap_or(tail.len()));
        let clear = is_clear_path(path) && is_clear(after, false);
        let tail = Tail::read(tail);
        (named && clear).then_some(Self { scheme, host, port, tail, special })
    }
}

/// The scheme, the authority, and the rest.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = text.split_once("://")?;
    let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    Some((scheme, authority, tail))
}

fn is_host_letter(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_')
}

/// Characters that NFKC or IDNA turns into dots.
const DOTS: [char; 7] = ['\u{2024}', '\u{2025}', '\u{2026}', '\u{3002}', '\u{fe52}', '\u{ff0e}', '\u{ff61}'];
/// Characters that it turns into slashes.
const SLASHES: [char; 3] = ['\u{ff0f}', '\u{ff3c}', '\u{fe68}'];

/// Whether the path has only this spelling.
fn is_clear_path(path: &str) -> bool {
    // A server may drop a parameter (RFC 3986, section 3.3), or the dots and blanks at an end, and then go
    // up.
    let hollow = |segment: &str| {
        // A program that decodes it and parses it again sees a query, and NFKC makes dots of other
        // characters.
        let name = segment.split([';', '?', '#']).next().unwrap_or_default();
        let is_dot = |c: char| c == ' ' || c == '.' || DOTS.contains(&c);
        !segment.is_empty() && name.trim_end_matches(is_dot).is_empty()
    };
    let text = decoded(path);
    let has_slash = text.as_deref().is_some_and(|text| text.contains(SLASHES));
    !path.contains("//")
        && !has_slash
        && !text.as_deref().unwrap_or(path).split('/').any(hollow)
        && is_clear(path, true)
}

/// Whether the text, of visible ASCII characters, has a single reading, however often it is decoded.
fn is_clear(text: &str, path: bool) -> bool {
    if !text.contains('%') {
        return true;
    }
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let twice = || after.get(2..).is_some_and(|next| matches!(next, [a, b, ..] if hex(a) && hex(b)));
            let clear = match escaped(rest) {
                None => false,
                Some(b'%') => !twice(),
                Some(b'/' | b'\\') => !path,
                Some(byte) => byte >= b' ' && byte != 0x7F && !is_unreserved(byte),
            };
            if !clear {
                return false;
            }
        }
        rest = after;
    }
    std::str::from_utf8(&bytes(text)).is_ok_and(|text| !text.chars().any(is_invisible))
}

fn hex(byte: &u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// Whether the character never needs encoding (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

/// The pattern of an allow rule.
#[derive(Clone, Debug)]
pub struct Allow {
    scheme: String,
    /// Begins with a dot if it stands for subdomains; empty if it stands for every host.
    host: String,
    port: String,
    tail: Tail<Glob>,
    /// Whether it covers everything that begins like it.
    open: bool,
    /// The number of parameters in the query; `None` if it ends in any number of them.
    parameters: Option<usize>,
}

impl Allow {
    fn new(text: &str, platform: &dyn Platform) -> Result<Self, &'static str> {
        if text == ANY_HOST {
            let every = Self::new("https://*.example.com/*", platform);
            return every.map(|every| Self { host: String::new(), ..every });
        }
        let (scheme, authority, tail) =
            split(text).ok_or("an allow rule for a URL begins with its scheme, as in https://good.com/*")?;
        if scheme.contains('*') {
            return Err("an allow rule for a URL names its scheme: write one rule for each scheme");
        }
        if authority.contains('@') {
            return Err("a URL with a name or password before the host is never allowed: leave them out");
        }
        let subdomains = authority.strip_prefix("*.");
        match subdomains.unwrap_or(authority) {
            "*" => {
                return Err(
                    "an allow rule for a URL names its host, as in https://good.com/*; only https://* covers every host",
                );
            }
            rest if rest
                .split_once(':')
                .is_some_and(|(host, port)| port.contains('*') && !host.contains('*')) =>
            {
                return Err("an allow rule for a URL names its port, or leaves out the default port");
            }
            rest if rest.contains('*') => {
                return Err(
                    "a star within the host, or after it without a slash, also covers other people's hosts, \
                            such as good.com.evil.com: write https://good.com/* or https://*.good.com/*",
                );
            }
            rest if subdomains.is_some() && !rest.contains('.') => {
                return Err("this star covers a whole top-level domain: name a host in it");
            }
            _ => {}
        }
        let sample = Simple::read(&text.replace('*', "x"), platform).ok_or(
            "an allow rule for a URL is written as the URL parser writes it: a host in ASCII (xn--), no default \
             port, no . or .. or empty segment, in the path no %2f or %5c, and nothing encoded twice or without need",
        )?;
        if subdomains.is_some() && sample.special {
            return Err(
                "a port, an address, xn--, localhost and schemes other than http and https are allowed \
                        only with a host without a star",
            );
        }
        let host = if subdomains.is_some() { sample.host.trim_start_matches('x') } else { &sample.host };
        let tail = Tail::read(tail);
        let any = tail.query.as_ref().is_some_and(|query| query == "*" || query.ends_with("&*"));
        Ok(Self {
            scheme: sample.scheme,
            host: host.to_owned(),
            port: sample.port,
            open: text.ends_with('*'),
            parameters: tail.query.as_deref().filter(|_| !any).map(parameters),
            tail: Tail {
                path: Glob::new(&tail.path),
                query: tail.query.as_deref().map(Glob::new),
                fragment: tail.fragment.as_deref().map(Glob::new),
            },
        })
    }

    fn covers(&self, simple: &Simple) -> bool {
        let host = match self.host.as_str() {
            // A name without a dot is that of a machine in the own network.
            "" if self.scheme == "https" => !simple.special && simple.host.contains('.'),
            below if below.starts_with('.') => !simple.special && simple.host.ends_with(below),
            host => simple.host == host,
        };
        let part = |wanted: &Option<Glob>, found: &Option<String>, open: bool| match (wanted, found) {
            (Some(glob), Some(text)) => glob.matches(text),
            (None, Some(_)) => open,
            (wanted, None) => wanted.is_none(),
        };
        let (wanted, found) = (&self.tail, &simple.tail);
        let query = found.query.as_deref().map(parameters);
        host && simple.scheme == self.scheme
            && simple.port == self.port
            && wanted.path.matches(&found.path)
            && part(&wanted.query, &found.query, self.open && wanted.fragment.is_none())
            && part(&wanted.fragment, &found.fragment, self.open)
            && self.parameters.is_none_or(|count| query == Some(count))
    }
}

/// The number of parameters in a query. If pattern and value have the same number, no star has matched a
/// separator.
fn parameters(query: &str) -> usize {
    query.split(['&', ';']).count()
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
