//! URLs and hosts that the parser would leave as they are. A call to the browser takes longer than all that is done with
//! its result, and most URLs are like this.

use super::super::platform::{ParsedUrl, Platform};

/// The pieces of a URL, as the parser reads it.
pub(super) fn parsed(text: &str, platform: &dyn Platform) -> Option<ParsedUrl> {
    let Some((scheme, host, tail)) = plain(text) else { return platform.url(text) };
    let (before, fragment) = tail.split_once('#').unwrap_or((tail, ""));
    let (path, query) = before.split_once('?').unwrap_or((before, ""));
    let slash = if path.is_empty() { "/" } else { "" };
    Some(ParsedUrl {
        href: [scheme, "://", host, slash, tail].concat(),
        scheme: scheme.to_owned(),
        host: host.to_owned(),
        path: [slash, path].concat(),
        query: query.to_owned(),
        fragment: fragment.to_owned(),
        ..ParsedUrl::default()
    })
}

/// The scheme and the host of a URL, and the rest, which has only characters that are never encoded, no dot segments, and
/// no query or fragment that is empty. `None` for a URL that may be anything else.
pub(super) fn plain(text: &str) -> Option<(&str, &str, &str)> {
    let (scheme, rest) = text.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let (host, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&()*+,;=:@?#".contains(&byte);
    let before = tail.split('#').next().unwrap_or_default();
    let path = before.split('?').next().unwrap_or_default();
    let is_plain = is_canonical(host)
        && tail.bytes().all(is_kept)
        && !before.ends_with('?')
        && !tail.ends_with('#')
        && !path.split('/').any(|segment| matches!(segment, "." | ".."));
    is_plain.then_some((scheme, host, tail))
}

/// Whether the host certainly is what the parser would write.
pub(super) fn is_canonical(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte))
        && !host.contains("xn--")
        && last.starts_with(|c: char| c.is_ascii_lowercase())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::super::super::platform::Native;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_not_parsed_is_what_the_parser_writes(host in "([a-z0-9.-]|xn--|0x){0,12}[.]{0,2}") {
            let url = Native.url(&format!("https://{host}/"));
            let parsed = url.map(|url| url.host).filter(|host| !host.is_empty()).unwrap_or(host.clone());
            prop_assert!(!is_canonical(&host) || parsed == host, "{host} {parsed}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn what_is_plain_has_the_pieces_that_the_parser_finds(
            before in "(https?|ftp|ws|HTTP)://?([a-z]{1,3}[.]|[0-9]{1,3}[.]|xn--|[A-Z@:é])?[a-z]{0,3}(:[0-9]{1,3})?",
            tail in "([/?#]|[.]{1,2}|[ -~]|%2e|[a-z;=&]){0,12}",
        ) {
            let text = format!("{before}{tail}");
            prop_assert_eq!(parsed(&text, &Native), Native.url(&text));
        }
    }

    #[test]
    fn most_urls_are_plain() {
        for text in [
            "https://example.com",
            "https://host-3.example.com/api/items/17?page=2&limit=50#top",
            "http://a.b?c/../d#e/./f",
        ] {
            assert!(plain(text).is_some(), "{text}");
            assert_eq!(parsed(text, &Native), Native.url(text), "{text}");
        }
        for text in [
            "https://example.com/a/../b",
            "https://example.com/%2e%2e",
            "https://example.com:443/",
            "https://user@example.com/",
            "https://127.1/",
            "https://EXAMPLE.com/",
            "https://example.com/a b",
            "https://example.com/?'",
            "https://example.com/?",
            "https://example.com/?#a",
            "https://example.com/#",
            "file:///etc",
            "https:/example.com/",
        ] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
