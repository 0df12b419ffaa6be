//! Exports of the record: JSON Lines, which [`verify`](super::verify) can check, and CSV for a spreadsheet.
//! Lines contain no inputs, outputs or reasons, so exports contain none either.

use super::chain::Chain;
use super::hex;
use super::json::{self, Reader, Write};

fields! {
    /// The header of an export.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Header {
        /// The chat.
        pub chat_id: String = "chatId",
        /// [`FORMAT`]
        pub format: String = "format",
        /// [`VERSION`]
        pub version: u64 = "version",
    }
}

fields! {
    /// Sealed lines, of which only the count and the head are left.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Sealed {
        /// The number of the first sealed line.
        pub from: u64 = "from",
        /// The hash of all lines before `to`.
        pub head: String = "head",
        /// The number of the first line that is not sealed.
        pub to: u64 = "to",
        /// [`SEALED`]
        pub kind: String = "type",
    }
}

/// The format that the header of an export states.
pub const FORMAT: &str = "tool-approval-guard/record";
/// The version of exports.
pub const VERSION: u64 = 1;
/// The type of the line that stands for sealed lines.
pub const SEALED: &str = "sealed";

/// The columns of a CSV export: the fields of a line, the most important ones first.
pub const COLUMNS: [&str; 29] = [
    "seq",
    "at",
    "type",
    "toolName",
    "toolCallId",
    "approvalId",
    "approved",
    "actor",
    "user",
    "userName",
    "source",
    "outcome",
    "waitedMs",
    "ruleId",
    "grantId",
    "request",
    "automatic",
    "doubt",
    "deadline",
    "inputHash",
    "edited",
    "editHash",
    "count",
    "head",
    "mono",
    "session",
    "chatId",
    "v",
    "hash",
];

/// JSON Lines: a header, a line for the sealed lines, and each kept line with its hash.
pub fn jsonl(chat: &str, chain: &Chain) -> String {
    let header = Header { chat_id: chat.to_owned(), format: FORMAT.to_owned(), version: VERSION };
    let mut text = json::text(&header);
    text.push('\n');
    if chain.sealed() > 0 {
        let (head, to) = (hex::of(chain.base()), chain.sealed());
        let sealed = Sealed { from: 0, head, to, kind: SEALED.to_owned() };
        sealed.write(&mut text);
        text.push('\n');
    }
    for line in chain.hashed() {
        line.write(&mut text);
        text.push('\n');
    }
    text
}

/// CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front.
pub fn csv(chain: &Chain) -> String {
    let mut text = row(&|column| column.to_owned());
    for line in chain.hashed() {
        let line = line.text();
        let fields = Reader::cells(&line).unwrap_or_default();
        text.push_str(&row(&|column| fields.get(&column).map_or_else(String::new, |text| cell(text))));
    }
    text
}

/// A row with the cell of each column.
fn row(cell: &dyn Fn(&str) -> String) -> String {
    let mut row = String::new();
    for column in COLUMNS {
        row.push_str(&cell(column));
        row.push(',');
    }
    row.pop();
    row.push_str("\r\n");
    row
}

/// The characters with which a formula begins in a spreadsheet, including full-width ones.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];
const UNSEEN: [char; 2] = ['\u{200B}', '\u{FEFF}'];

fn cell(text: &str) -> String {
    // A spreadsheet still recognizes a formula after invisible characters.
    let first = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || UNSEEN.contains(&c));
    let runs = first.starts_with(FORMULA) || text.starts_with(['\t', '\r']);
    let guard = if runs { "'" } else { "" };
    if text.contains(['"', ',', '\r', '\n']) {
        ["\"", guard, &text.replace('"', "\"\""), "\""].concat()
    } else {
        [guard, text].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::decision::{Actor, Outcome};
    use crate::core::event::EventKind;
    use crate::core::record::Replica;
    use crate::core::record::line::Line;
    use serde_json::Value;

    fn record(lines: usize) -> Replica {
        let salt = "0".repeat(64);
        let mut record = Replica::new("0123456789abcdef", "chat", &salt, 64, false).expect("a record");
        record.go_alone();
        for number in 0..lines {
            let line = Line {
                kind: EventKind::Noticed,
                tool_name: Some("=1+1, \"x\"".to_owned()),
                tool_call_id: Some(number.to_string()),
                ..Line::default()
            };
            record.append(line).expect("a line");
        }
        record.change();
        record.written();
        record
    }

    #[test]
    fn every_field_of_a_line_stands_in_the_order_of_its_name_and_has_a_column() {
        let line = Line {
            actor: Some(Actor::Rule),
            approval_id: Some(String::new()),
            approved: Some(false),
            automatic: Some(true),
            count: Some(1),
            deadline: Some(2),
            doubt: Some(true),
            edit_hash: Some("3".repeat(64)),
            edited: Some(true),
            grant_id: Some(String::new()),
            head: Some("0".repeat(64)),
            input_hash: Some("1".repeat(64)),
            mono: Some(3),
            outcome: Some(Outcome::Denied),
            request: Some(4),
            rule_id: Some(String::new()),
            source: Some(String::new()),
            tool_call_id: Some(String::new()),
            tool_name: Some(String::new()),
            user: Some(String::new()),
            user_name: Some(String::new()),
            waited_ms: Some(5),
            ..Line::default()
        };
        let line = line.seal(7, "0123456789abcdef", "chat").expect("a line");
        let line = Line { hash: Some("2".repeat(64)), ..line };
        let value: Value = serde_json::from_str(&line.text()).expect("JSON");
        let names: Vec<&String> = value.as_object().expect("an object").keys().collect();
        assert_eq!(names.len(), 29, "a field is not tested here");
        let mut columns = COLUMNS;
        columns.sort_unstable();
        assert_eq!(names, columns, "every field has a column in an export");
        assert_eq!(value.to_string(), line.text(), "a map of serde_json is sorted");
        assert_eq!(Line::exported(&line.text()), Ok(line));
    }

    #[test]
    fn json_lines_are_canonical_and_have_their_hashes() {
        let mut record = record(2);
        let text = record.export_jsonl();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], r#"{"chatId":"chat","format":"tool-approval-guard/record","version":1}"#);
        assert_eq!(lines.len(), 3);
        for line in &lines {
            let value: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(value.to_string(), *line, "a map of serde_json is sorted");
        }
        let last = Line::exported(lines[2]).expect("a line");
        assert_eq!(last.hash, Some(record.head()));
        assert!(text.ends_with('\n'));
    }

    #[test]
    fn what_is_sealed_is_one_line() {
        let text = record(300).export_jsonl();
        let lines: Vec<&str> = text.lines().collect();
        let sealed: Sealed = json::parse(lines[1]).expect("what is sealed");
        assert_eq!((sealed.from, sealed.to, sealed.kind.as_str()), (0, 192, SEALED));
        assert_eq!(lines.len(), 2 + 108);
        assert_eq!(Line::exported(lines[2]).map(|line| line.seq), Ok(192));
    }

    #[test]
    fn a_cell_is_no_formula_and_no_two_cells() {
        let cases = [
            ("plain", "plain"),
            ("", ""),
            ("=1", "'=1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            (" =1", "' =1"),
            ("\u{1}=1", "'\u{1}=1"),
            ("\u{feff}=1", "'\u{feff}=1"),
            ("＝1", "'＝1"),
            ("a=1", "a=1"),
            ("a,b", "\"a,b\""),
            ("a\"b", "\"a\"\"b\""),
            ("a\nb", "\"a\nb\""),
            ("=\"a\",1", "\"'=\"\"a\"\",1\""),
        ];
        for (text, expected) in cases {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn a_csv_export_has_a_row_for_each_line() {
        let text = record(2).export_csv();
        let rows: Vec<&str> = text.split("\r\n").collect();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].split(',').count(), COLUMNS.len());
        assert!(rows[2].starts_with("1,0,noticed,\"'=1+1, \"\"x\"\"\",1,,,"), "{}", rows[2]);
        assert_eq!(rows[3], "");
    }
}
