//! The parts of the platform that rules use: the URL parser and the normalisation of the browser. Native
//! builds use crates instead.

/// A URL as the WHATWG parser reads it, in its serialised pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedUrl {
    /// The whole URL.
    pub href: String,
    /// `https`, without the colon.
    pub scheme: String,
    /// User name and password before the host; may be empty.
    pub userinfo: String,
    /// The host in its ASCII form, an IPv6 address with brackets; may be empty.
    pub host: String,
    /// The port; empty for the default port of the scheme.
    pub port: String,
    /// The path from its first slash.
    pub path: String,
    /// The query without the question mark.
    pub query: String,
    /// The fragment without the hash.
    pub fragment: String,
}

/// The capabilities of the platform.
pub trait Platform {
    /// Parses an absolute URL; `None` if it is not one. <https://url.spec.whatwg.org/#concept-url-parser>
    fn url(&self, text: &str) -> Option<ParsedUrl>;

    /// Returns normalisation form KC. <https://unicode.org/reports/tr15/>
    fn nfkc(&self, text: &str) -> String;
}

/// The platform of native tests, which uses crates.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

#[cfg(not(target_arch = "wasm32"))]
impl Platform for Native {
    fn url(&self, text: &str) -> Option<ParsedUrl> {
        let url = ::url::Url::parse(text).ok()?;
        let password = url.password().map(|password| format!(":{password}")).unwrap_or_default();
        Some(ParsedUrl {
            href: url.as_str().to_owned(),
            scheme: url.scheme().to_owned(),
            userinfo: format!("{}{password}", url.username()),
            host: url.host_str().unwrap_or_default().to_owned(),
            port: url.port().map(|port| port.to_string()).unwrap_or_default(),
            path: url.path().to_owned(),
            query: url.query().unwrap_or_default().to_owned(),
            fragment: url.fragment().unwrap_or_default().to_owned(),
        })
    }

    fn nfkc(&self, text: &str) -> String {
        use unicode_normalization::UnicodeNormalization;
        text.nfkc().collect()
    }
}
