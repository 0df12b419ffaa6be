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

    /// Reads a decimal number, which [`is_decimal`] accepts.
    fn decimal(&self, text: &str) -> f64;

    /// Writes a finite number as JSON text.
    fn written(&self, number: f64) -> String;

    /// Reads a finite number in decimal digits, with an optional sign and exponent.
    fn number(&self, text: &str) -> Option<f64> {
        is_decimal(text).then(|| self.decimal(text)).filter(|number| number.is_finite())
    }
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['+', '-']).unwrap_or(text)
}

/// Whether a text is a number in decimal digits: `7`, `-1.5`, `+.5`, `5.`, `1e9`.
fn is_decimal(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, part) = unsigned(mantissa).split_once('.').unwrap_or((unsigned(mantissa), ""));
    let exponent = unsigned(exponent);
    digits(whole) && digits(part) && whole.len() + part.len() > 0 && digits(exponent) && !exponent.is_empty()
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

    fn decimal(&self, text: &str) -> f64 {
        text.parse().unwrap_or(f64::NAN)
    }

    fn written(&self, number: f64) -> String {
        serde_json::Value::from(number).to_string()
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_number_is_what_the_standard_library_reads(text in "[+-]?[0-9]{0,3}[.]?[0-9]{0,3}([eE][+-]?[0-9]{0,3})?|[-+.eEinfa0-9x_ ]{0,5}") {
            let parsed = text.parse::<f64>().ok().filter(|number| number.is_finite());
            prop_assert_eq!(Native.number(&text), parsed);
        }
    }

    #[test]
    fn these_are_numbers_and_those_are_none() {
        for (text, number) in
            [("7", 7.0), ("-1.5", -1.5), ("+.5", 0.5), ("5.", 5.0), ("1e9", 1e9), ("007", 7.0)]
        {
            assert_eq!(Native.number(text), Some(number), "{text}");
        }
        for text in [
            "", ".", "e5", "1e", "1e+", "0x10", "1_000", " 1", "inf", "NaN", "1e999", "--1", "1.2.3",
            "\u{661}",
        ] {
            assert_eq!(Native.number(text), None, "{text}");
        }
    }
}
