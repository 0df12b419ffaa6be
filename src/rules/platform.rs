//! What the rules take from the platform, because it knows it better: the URL parser and the
//! normalisation of the browser. Natively the crates of the field stand in.

/// A URL as the WHATWG parser reads it, in its serialised pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedUrl {
    /// All of it, serialised.
    pub href: String,
    /// `https`, without the colon.
    pub scheme: String,
    /// Name and password before the host; empty where there is none.
    pub userinfo: String,
    /// In its ASCII form, with the brackets of an IPv6 address; empty where there is none.
    pub host: String,
    /// Empty where it is the default one of the scheme.
    pub port: String,
    /// From its first slash.
    pub path: String,
    /// Without the question mark.
    pub query: String,
    /// Without the hash.
    pub fragment: String,
}

/// What the platform can do.
pub trait Platform {
    /// Parses an absolute URL; `None` where it is none. <https://url.spec.whatwg.org/#concept-url-parser>
    fn url(&self, text: &str) -> Option<ParsedUrl>;

    /// Normalisation form KC. <https://unicode.org/reports/tr15/>
    fn nfkc(&self, text: &str) -> String;
}

/// The crates of the field, for native tests.
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
