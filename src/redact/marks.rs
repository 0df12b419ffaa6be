//! Prefixes by which the issuers of keys make them recognisable.

/// The prefixes that are recognised anywhere, and the short ones that have to begin a word. They are sorted
/// by first letter, because every letter of a long text is looked up.
fn marks(first: u8) -> (&'static [&'static str], &'static [&'static str]) {
    match first {
        b'A' => (&["AKIA", "ASIA", "ABIA", "ACCA", "AIza", "AGE-SECRET-KEY-"], &[]),
        b'G' => (&["GOCSPX-"], &[]),
        b'P' => (&["PMAK-"], &[]),
        b'S' => (&[], &["SG."]),
        b'a' => (&["access-production-", "access-sandbox-"], &[]),
        b'b' => (&["bkua_"], &[]),
        b'd' => (&["dckr_pat_", "doo_v1_", "dop_v1_"], &[]),
        b'e' => (&["e2b_"], &[]),
        b'f' => (&["figd_"], &[]),
        b'g' => (
            &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "gloas-", "glpat-", "glptt-", "glsa_"],
            &["gsk_"],
        ),
        b'h' => (&["hvs."], &["hf_"]),
        b'k' => (&[], &["key-"]),
        b'l' => (&["lin_api_", "lin_oauth_", "lsv2_pt_", "lsv2_sk_"], &[]),
        b'n' => (&[], &["napi_", "npm_", "ntn_"]),
        b'p' => (&["pat-eu1-", "pat-na1-", "pypi-AgE"], &["pk-", "pul-"]),
        b'r' => (&["rk_live_", "rk_test_", "rubygems_"], &["r8_"]),
        b's' => (
            &[
                "shpat_", "shpca_", "shppa_", "shpss_", "sk-ant-", "sk-proj-", "sk_live_", "sk_test_",
                "sntrys_", "sntryu_", "sq0csp-",
            ],
            &["sbp_", "sgp_", "sk-", "sk_", "sqa_", "sqp_", "squ_"],
        ),
        b't' => (&["tskey-"], &[]),
        b'w' => (&["whsec_"], &[]),
        b'x' => (
            &["xapp-", "xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xoxp-", "xoxr-", "xoxs-"],
            &["xai-"],
        ),
        b'y' => (&["ya29."], &[]),
        _ => (&[], &[]),
    }
}

/// Whether such a prefix, or a JSON web token, can begin in this run of letters, digits, `_` and `-`. `is_dotted`: a dot
/// follows.
pub fn may_hold(run: &str, is_dotted: bool) -> bool {
    run.bytes().any(|byte| matches!(byte, b'_' | b'-' | b'A' | b'J'))
        || is_dotted && ["SG", "hvs", "xoxe", "ya29"].iter().any(|mark| run.ends_with(mark))
}

/// Whether a key begins here, judged by its prefix and what follows.
pub fn is_key(text: &[u8], begins_a_word: bool) -> bool {
    let Some(first) = text.first() else { return false };
    let (marked, short) = marks(*first);
    let is = |mark: &str, fewest: usize, begins_only: bool| {
        text.strip_prefix(mark.as_bytes()).is_some_and(|key| {
            // No more than needed is read, so that a long run is not read again and again.
            let key = key.get(..64).unwrap_or(key);
            let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            let length = key.iter().take_while(is_part).count();
            let key = key.get(..length).unwrap_or_default();
            // A name made of words has neither.
            length >= fewest
                && (!begins_only || key.iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()))
        })
    };
    let of_amazon = |mark: &str| mark.ends_with("IA") || mark == "ACCA";
    let capitals = || {
        let id = text.get(4..20).unwrap_or_default();
        id.len() == 16 && id.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    marked
        .iter()
        .any(|mark| is(mark, if *mark == "AIza" { 20 } else { 8 }, false) && (!of_amazon(mark) || capitals()))
        || begins_a_word && short.iter().any(|mark| is(mark, 16, true))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;

    #[test]
    fn no_mark_is_in_a_plain_word() {
        for (anywhere, begins) in (0..=255).map(marks) {
            for mark in anywhere.iter().chain(begins) {
                let (run, is_dotted) = mark.strip_suffix('.').map_or((*mark, false), |run| (run, true));
                assert!(may_hold(run, is_dotted), "{mark}");
            }
        }
        assert!(may_hold("eyJhbGciOiJIUzI1NiJ9", true), "a token begins like a brace and a quote in base64");
        assert!(!may_hold("paragraph", false) && !may_hold("example", true));
    }

    #[test]
    fn marks_of_keys_and_of_none() {
        for key in [
            "ghp_0123456789",
            "AKIAIOSFODNN7EXAMPLE",
            "sk-proj-Abcdefghij",
            "xoxb-1234567890-a",
            "sk-0123456789abcdef",
            "e2b_0123456789abcdef",
            "access-production-0a1b2c3d-0000",
            "lin_oauth_0123456789abcdef",
            "sqp_0123456789abcdef0123",
        ] {
            assert!(is_key(key.as_bytes(), true), "{key}");
        }
        for word in [
            "ASIAN_MARKETS_2024_REPORT",
            "access-production-",
            "npm_config_cache_directory",
            "sk-learn",
            "ghp_",
            "key-",
            "",
            "x",
        ] {
            assert!(!is_key(word.as_bytes(), true), "{word}");
        }
    }
}
