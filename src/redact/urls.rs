//! Secrets in a URL: userinfo, and paths that grant access.

use super::random::is_word;
use super::scanner::{Scanner, is_space};

impl Scanner<'_> {
    /// Hides the userinfo of a URL. Its path does not count as generated.
    pub fn url(&mut self, from: usize) -> usize {
        let is_end = |byte: u8| {
            !is_word(byte) && (is_space(byte) || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'|'))
        };
        let mut host = self.past(from, |byte| !is_end(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\'));
        // A password without encoding may contain a slash.
        let authority = self.bytes.get(from..host).unwrap_or_default();
        let after_port = authority.iter().rev().find(|byte| !byte.is_ascii_digit());
        let odd = after_port != Some(&b':')
            && authority.contains(&b':')
            && !authority.contains(&b'@')
            && !authority.starts_with(b"[");
        if odd {
            if from >= self.piece {
                self.piece = self.past(from, |byte| !is_end(byte));
                self.sign = self.slice(from, self.piece).rfind('@').map_or(0, |length| from + length);
            }
            if self.sign > from {
                host = self.past(self.sign, |byte| !is_end(byte) && !matches!(byte, b'/' | b'?' | b'#'));
            }
        }
        let mut at = from;
        let authority = self.bytes.get(from..host).unwrap_or_default();
        if let Some(length) = authority.iter().rposition(|byte| *byte == b'@') {
            at = from + length;
            let user = self.slice(from, from + length);
            let is_name =
                user.len() <= 16 && user.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            if !is_name && !user.is_empty() {
                let scheme = self.past_back(from - 3);
                let is_whole = scheme == 0 || self.quotes().closing(scheme - 1).is_some();
                if is_whole {
                    self.hide(from, from + length);
                } else {
                    self.secret(from, from + length, from);
                }
            }
        }
        self.hook(at, host);
        if host < self.plain {
            return at;
        }
        let path = self.past(host, |byte| !is_end(byte) && !matches!(byte, b'?' | b'#'));
        self.plain = self.plain.max(path);
        at
    }

    /// The start of the scheme that ends at this place.
    fn past_back(&self, end: usize) -> usize {
        let before = self.bytes.get(end.saturating_sub(24)..end).unwrap_or_default();
        end - before.iter().rev().take_while(|byte| is_word(**byte)).count()
    }

    /// Hides the path for hosts where it grants access.
    fn hook(&mut self, from: usize, host: usize) {
        let name = self.slice(from, host).trim_start_matches('@');
        let (is_slack, is_telegram) = (name == "hooks.slack.com", name == "api.telegram.org");
        if !is_slack && !is_telegram && !matches!(name, "discord.com" | "discordapp.com") {
            return;
        }
        let is_part = |byte: u8| is_word(byte) || byte == b':' || byte >= 0x80;
        let is_end = |byte: u8| !is_part(byte) && byte != b'/';
        let end = self.past(host, |byte| !is_end(byte));
        let path = self.slice(host, end).trim_end_matches('/');
        if is_telegram {
            if let Some(rest) = path.strip_prefix("/bot") {
                let token = rest.split('/').next().unwrap_or_default();
                self.hide(host + 4, host + 4 + token.len());
            }
        } else if path.matches('/').count() >= 4 && (is_slack || path.starts_with("/api/webhooks/")) {
            let last = path.rsplit('/').next().unwrap_or_default();
            self.hide(host + path.len() - last.len(), host + path.len());
        }
    }
}
