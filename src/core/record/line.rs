//! One event, as it is recorded: canonical JSON (RFC 8785) without any input, output or reason. A line is
//! written once and never changes, so its meaning must not depend on a later version.

use sha2::{Digest as _, Sha256};

use super::fault::Fault;
use super::hex;
use super::json::{self, MAX_NUMBER, Read, Reader, Write};
use crate::core::decision::{Actor, Outcome};
use crate::core::event::EventKind;

/// The maximum length of a line, in bytes.
pub const MAX_LINE: usize = 4096;
/// The maximum number of characters of a text.
const MAX_TEXT: usize = 256;
/// The maximum length of a text as JSON, in bytes: six such texts and all other fields fit into a line.
const MAX_JSON: usize = 512;
/// The prefix of a text that was too long, and was replaced by its hash.
const HASHED: &str = "sha256:";

/// The version of a line. It is always 1; no other version is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Write for Version {
    fn write(&self, text: &mut String) {
        text.push('1');
    }
}

impl Read for Version {
    fn read(from: &mut Reader) -> Option<Self> {
        from.open(b'1').map(|()| Self)
    }

    fn absent() -> Option<Self> {
        Some(Self)
    }
}

fields! {
    /// A line of a record.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Line {
        /// The actor that caused the event.
        pub actor: Option<Actor> = "actor",
        /// `approval.id`
        pub approval_id: Option<String> = "approvalId",
        /// Whether the answer that the line is about allows the call.
        pub approved: Option<bool> = "approved",
        /// The wall-clock time, in milliseconds since the epoch.
        pub at: u64 = "at",
        /// For `requested`: whether no person caused the request.
        pub automatic: Option<bool> = "automatic",
        /// The chat.
        pub chat_id: String = "chatId",
        /// For `absorbed`: the number of lines of the other chain.
        pub count: Option<u64> = "count",
        /// The time at which it expires, by the wall clock.
        pub deadline: Option<u64> = "deadline",
        /// For `failed`, `superseded` and `sent`: whether it is unknown if the call ran. For `asked`: whether it may have run.
        pub doubt: Option<bool> = "doubt",
        /// The salted hash of the changed input with which the call was allowed.
        pub edit_hash: Option<String> = "editHash",
        /// Whether the call was allowed with a changed input.
        pub edited: Option<bool> = "edited",
        /// The grant that the line is about.
        pub grant_id: Option<String> = "grantId",
        /// The hash of the line, in exports only. It is not part of the hashed text.
        pub hash: Option<String> = "hash",
        /// For `absorbed`: the head of the other chain.
        pub head: Option<String> = "head",
        /// The salted hash of the input.
        pub input_hash: Option<String> = "inputHash",
        /// The time of the guard's own clock.
        pub mono: Option<u64> = "mono",
        /// The meaning of the event for the call.
        pub outcome: Option<Outcome> = "outcome",
        /// The number of the request in its session.
        pub request: Option<u64> = "request",
        /// The rule that the line is about.
        pub rule_id: Option<String> = "ruleId",
        /// The number of the line: 0, 1, 2, …, across all sessions of the chain.
        pub seq: u64 = "seq",
        /// The session that wrote the line.
        pub session: String = "session",
        /// The program that decided.
        pub source: Option<String> = "source",
        /// `toolCallId`
        pub tool_call_id: Option<String> = "toolCallId",
        /// The name of the tool.
        pub tool_name: Option<String> = "toolName",
        /// The kind of the event.
        pub kind: EventKind = "type",
        /// The application's id of the person who acted.
        pub user: Option<String> = "user",
        /// The display name of that person.
        pub user_name: Option<String> = "userName",
        /// The version.
        pub v: Version = "v",
        /// The time that the call waited, in milliseconds.
        pub waited_ms: Option<u64> = "waitedMs",
    }
}

impl Line {
    /// Reads an entry in the form that a guard sends: like a line, but `v`, `session` and `chatId` are not
    /// filled in yet, and `seq` has its own meaning. Fails if it is not an entry.
    pub fn entry(text: &str) -> Result<Self, Fault> {
        json::parse(text).ok_or(Fault::Malformed)
    }

    /// The canonical JSON of the line.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(512);
        self.write(&mut text);
        text
    }

    /// Reads a line. Only the exact text that [`text`](Self::text) writes is valid.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let line = Self::exported(text)?;
        if line.hash.is_some() { Err(Fault::Malformed) } else { Ok(line) }
    }

    /// Reads a line of an export, which contains its hash.
    pub fn exported(text: &str) -> Result<Self, Fault> {
        if text.len() > MAX_LINE {
            return Err(Fault::Malformed);
        }
        let line = Self::entry(text)?;
        line.check()?;
        if line.text() == text { Ok(line) } else { Err(Fault::Malformed) }
    }

    /// Turns an entry into a line: long texts are replaced by hashes, and everything else is checked.
    pub fn seal(mut self, seq: u64, session: &str, chat: &str) -> Result<Self, Fault> {
        let texts = [
            &mut self.approval_id,
            &mut self.grant_id,
            &mut self.rule_id,
            &mut self.source,
            &mut self.tool_call_id,
            &mut self.tool_name,
            &mut self.user,
            &mut self.user_name,
        ];
        for text in texts.into_iter().flatten() {
            if let Some(short) = shorter(text) {
                *text = short;
            }
        }
        self.seq = seq;
        self.hash = None;
        session.clone_into(&mut self.session);
        chat.clone_into(&mut self.chat_id);
        self.check()?;
        Ok(self)
    }

    fn check(&self) -> Result<(), Fault> {
        let numbers = [self.count, self.deadline, self.mono, self.request, self.waited_ms];
        let numbers = numbers.into_iter().flatten().chain([self.at, self.seq]);
        let mut hashes = [&self.hash, &self.head, &self.input_hash, &self.edit_hash].into_iter().flatten();
        let answers = matches!(
            self.kind,
            EventKind::Answered | EventKind::Drafted | EventKind::Recalled | EventKind::Elsewhere
        );
        let good = numbers.into_iter().all(|number| number <= MAX_NUMBER)
            && hashes.all(|hash| hex::is(hash, 64))
            && hex::is(&self.session, 16)
            // Without `approved`, the answer would be unknown.
            && (!answers || self.approved.is_some());
        if good { Ok(()) } else { Err(Fault::Malformed) }
    }
}

/// The form in which a record keeps an id or a name: the text itself, or its hash if it is too long. A text
/// that looks like such a hash is hashed as well, so that two different ids never become equal.
pub fn short(text: &str) -> String {
    shorter(text).unwrap_or_else(|| text.to_owned())
}

fn shorter(text: &str) -> Option<String> {
    let width = |c: char| match c {
        '\0'..' ' => 6,
        '"' | '\\' => 2,
        _ => c.len_utf8(),
    };
    let measured = || text.chars().fold((0, 0), |(count, json), c| (count + 1, json + width(c)));
    let fits = text.len() <= 80 || matches!(measured(), (..=MAX_TEXT, ..=MAX_JSON));
    let plain = fits && !text.starts_with(HASHED);
    (!plain).then(|| [HASHED, &hex::of(&Sha256::digest(text.as_bytes()))].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "0123456789abcdef";

    fn sealed(line: Line) -> Line {
        line.seal(7, SESSION, "chat").expect("a line")
    }

    #[test]
    fn its_text_is_canonical_json() {
        let line = sealed(Line {
            kind: EventKind::Answered,
            actor: Some(Actor::Person),
            approval_id: Some("a\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}".to_owned()),
            approved: Some(true),
            at: 1_700_000_000_000,
            input_hash: Some("ab".repeat(32)),
            mono: Some(5),
            outcome: Some(Outcome::AllowedOnce),
            tool_call_id: Some("\u{2028}\u{2029}€😀\u{e000}".to_owned()),
            tool_name: Some("__proto__".to_owned()),
            waited_ms: Some(0),
            ..Line::default()
        });
        // The expected text was written by hand according to RFC 8785, 3.2.2.2: only these characters are
        // escaped, and only in this way.
        let hash = "ab".repeat(32);
        let expected = [
            r#"{"actor":"person","approvalId":"a\"\\/\b\f\n\r\t\u0001\u001f"#,
            "\u{7f}",
            r#"","approved":true,"at":1700000000000,"chatId":"chat","inputHash":""#,
            &hash,
            r#"","mono":5,"outcome":"allowed-once","seq":7,"session":"0123456789abcdef","toolCallId":""#,
            "\u{2028}\u{2029}€😀\u{e000}",
            r#"","toolName":"__proto__","type":"answered","v":1,"waitedMs":0}"#,
        ]
        .concat();
        assert_eq!(line.text(), expected);
        assert_eq!(Line::parse(&expected), Ok(line));
    }

    #[test]
    fn only_its_own_text_is_read() {
        let good = sealed(Line { at: 3, ..Line::default() }).text();
        assert_eq!(
            good,
            r#"{"at":3,"chatId":"chat","seq":7,"session":"0123456789abcdef","type":"noticed","v":1}"#
        );
        assert!(Line::parse(&good).is_ok());
        let bad = [
            good.replace(":3", ": 3"),
            good.replace("\"at\":3", "\"at\":3.0"),
            good.replace("\"at\":3", "\"at\":9007199254740992"),
            good.replace("\"at\":3", "\"at\":-3"),
            good.replace("\"at\":3,", ""),
            good.replace("\"v\":1", "\"v\":2"),
            good.replace("noticed", "other"),
            good.replace("noticed", "answered"),
            good.replace("noticed", "n\\u006fticed"),
            good.replace("0123456789abcdef", "0123456789abcdeF"),
            good.replace("}", ",\"x\":1}"),
            good.replace("}", ",\"v\":1}"),
            good.replace("\"seq\"", &format!("\"hash\":\"{}\",\"seq\"", "0".repeat(64))),
            format!("{good} "),
            format!("{good}{good}"),
            String::new(),
            "null".to_owned(),
            "[]".to_owned(),
        ];
        for text in bad {
            assert_eq!(Line::parse(&text), Err(Fault::Malformed), "{text}");
        }
    }

    #[test]
    fn an_entry_is_checked() {
        let read = |text: &str| Line::entry(text)?.seal(0, SESSION, "c");
        assert!(read(r#"{"at":1,"mono":2,"seq":0,"type":"acted"}"#).is_ok());
        for text in [
            r#"{"seq":0,"type":"acted"}"#,
            r#"{"at":1,"seq":0}"#,
            r#"{"at":1,"type":"acted"}"#,
            r#"{"at":1.5,"seq":0,"type":"acted"}"#,
            r#"{"at":1,"input":"x","seq":0,"type":"acted"}"#,
            r#"{"at":1,"inputHash":"x","seq":0,"type":"acted"}"#,
            r#"{"at":1,"seq":0,"type":"drafted"}"#,
            r#"{"at":1,"seq":0,"toolName":"\ud800","type":"acted"}"#,
            r#"{"seq":0,"at":1,"type":"acted"}"#,
            r#"{"at":1,"seq":0,"type":"acted"}x"#,
            "",
        ] {
            assert_eq!(read(text), Err(Fault::Malformed), "{text}");
        }
    }

    #[test]
    fn a_line_is_bounded() {
        for long in ["x".repeat(257), "\u{1}".repeat(86), "€".repeat(171), "\"".repeat(257)] {
            let line = sealed(Line { tool_name: Some(long.clone()), ..Line::default() });
            let name = line.tool_name.unwrap_or_default();
            assert!(name.starts_with(HASHED) && name.len() == 71, "{long}");
            assert_eq!(short(&long), name);
            assert_ne!(short(&name), name, "an id cannot pass for the hash of another one");
        }
        for kept in ["x".repeat(256), "\u{1}".repeat(85), "€".repeat(170), "\"".repeat(256)] {
            assert_eq!(short(&kept), kept);
        }
        let text = || Some("\u{1}".repeat(85));
        let line = Line {
            approval_id: text(),
            grant_id: text(),
            rule_id: text(),
            tool_call_id: text(),
            tool_name: text(),
            ..Line::default()
        };
        let line = line.seal(0, SESSION, &"\u{1}".repeat(85)).expect("a line");
        let most = Line {
            hash: Some("0".repeat(64)),
            head: Some("0".repeat(64)),
            input_hash: Some("0".repeat(64)),
            edit_hash: Some("0".repeat(64)),
            edited: Some(false),
            at: MAX_NUMBER,
            seq: MAX_NUMBER,
            count: Some(MAX_NUMBER),
            deadline: Some(MAX_NUMBER),
            mono: Some(MAX_NUMBER),
            request: Some(MAX_NUMBER),
            waited_ms: Some(MAX_NUMBER),
            actor: Some(Actor::Superseded),
            outcome: Some(Outcome::AllowedAutomatically),
            automatic: Some(false),
            doubt: Some(false),
            approved: Some(false),
            ..line
        };
        assert!(most.text().len() <= MAX_LINE, "{}", most.text().len());
    }
}
