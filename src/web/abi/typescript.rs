//! Writes `pkg-template/src/generated/abi.ts`, or fails if the file is out of date.

use std::fmt::Write as _;
use std::path::Path;

use super::server::{DecisionRow, MergeRow};
use crate::core::batch::Phase;
use crate::core::call::{PartFlags, Status};
use crate::core::decision::{Actor, Choice, Effect, Outcome, Refusal};
use crate::core::event::{EventKind, Touch};
use crate::core::guard::{
    ActCode, Action, CommitCause, Fact, Options, Problem, Reach, Returned, Trigger, WaitedFor, Way,
};
use crate::core::policy::{LONGEST_WAIT, Policy, Range, SHORTEST_WAIT};
use crate::core::protocol::{Chunk, Note, PartType, Role, ToolState};
use crate::core::repair::{Cause, Repair, Scope};
use crate::core::rewrite::{Keeps, Kept, KeptOutput};
use crate::core::row::{Crosses, Shape};
use crate::core::verdict::{Need, Permit, Reason};
use crate::server::claims::{Ending, Fate, Runner};
use crate::server::decisions::DecisionType;
use crate::server::merge::{Merged, NotTaken};
use crate::server::reading::ReadProblem;
use crate::web::packed::Packed;
use crate::web::tables::{
    BatchRow, CallRow, EntryRow, GrantRow, HeaderRow, NeedRow, PendingRow, StatusRow, Table, VerdictRow,
    WantedRow,
};

/// If this environment variable is set, the file is written instead of compared.
const WRITE: &str = "WRITE_ABI";

/// The reader of rows.
const READING: &str = "\
/** Numbers of the module. */
type Numbers = ArrayLike<number>;

/** A kind of row: how many numbers it has, and how it is read. A literal object is read fastest. */
export interface Shape<Row> {
  /** Without the items of its list, whose count is the last of its numbers. */
  readonly length: number;
  readonly read: (n: Numbers, at: number) => Row;
  /** The count of numbers in an item of its list. */
  readonly item?: number;
}

/** The start of the next row. */
export const after = <Row>({ length, item }: Shape<Row>, n: Numbers, at: number): number =>
  at + length + (item === undefined ? 0 : item * (n[at + length - 1] as number));

const number: Shape<number> = { length: 1, read: (n, at) => n[at] as number };

/** So many rows. */
export function itemsAt<Row>(n: Numbers, at: number, count = 0, { length, read }: Shape<Row>): Row[] {
  const items: Row[] = [];
  for (let i = 0; i < count; i++) items.push(read(n, at + i * length));
  return items;
}

/** A number that may be missing (NaN). */
const optional = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** The answer for a code: 0 for none, 1 for no, 2 for yes. */
const answerOf = (code: number): boolean | undefined => (code === 0 ? undefined : code === 2);
";

/// All rows that are read.
const ROWS: &[Shape] = &[
    EntryRow::SHAPE,
    CallRow::SHAPE,
    BatchRow::SHAPE,
    GrantRow::SHAPE,
    PendingRow::SHAPE,
    VerdictRow::SHAPE,
    NeedRow::SHAPE,
    WantedRow::SHAPE,
    DecisionRow::SHAPE,
    MergeRow::SHAPE,
];

/// The use of a vocabulary in the shell.
#[derive(PartialEq, Eq)]
enum Use {
    /// By its codes, and so it reads them.
    Codes,
    /// By the list of its names.
    Names,
    /// By constants for single names.
    Texts,
    /// By the type of its names.
    Type,
}

/// A vocabulary: its name, the identifiers and the names of its variants, and how the shell uses it.
type Vocabulary = (&'static str, &'static [&'static str], &'static [&'static str], &'static [Use]);

macro_rules! vocabularies {
    ($($name:ident: $($used:ident)+),+ $(,)?) => {
        &[$((stringify!($name), $name::VARIANTS, $name::NAMES, &[$(Use::$used),+])),+]
    };
}

const VOCABULARIES: &[Vocabulary] = vocabularies! {
    ToolState: Codes Texts Names, Note: Texts, PartType: Texts, Role: Texts, Chunk: Texts Names,
    Repair: Codes, Keeps: Codes, KeptOutput: Codes, Cause: Codes Names, Reason: Codes Names, Need: Names, Status: Names,
    Actor: Names, EventKind: Names, Problem: Names, Permit: Codes, Choice: Names, Outcome: Names, Phase: Names,
    Action: Names, Refusal: Names, Effect: Codes Names, Reach: Names, Scope: Codes, Trigger: Codes,
    CommitCause: Codes, WaitedFor: Codes, Packed: Codes, ActCode: Codes, Way: Codes, DecisionType: Codes Names,
    ReadProblem: Names, NotTaken: Names, Merged: Codes, Fate: Type, Ending: Type, Runner: Type,
};

fn camel(snake: &str) -> String {
    let mut words = snake.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &upper_first(word))
}

fn upper_first(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

fn lower_first(name: &str) -> String {
    name[..1].to_lowercase() + &name[1..]
}

/// The TypeScript for everything that crosses.
fn typescript() -> String {
    let mut text =
        format!("// Generated from src/web/abi: {WRITE}=1 cargo test --lib abi. Do not edit.\n\n{READING}");
    for (name, variants, names, used) in VOCABULARIES {
        if used.contains(&Use::Codes) {
            let codes: String = variants.iter().map(|variant| format!("  {variant},\n")).collect();
            let _ = write!(text, "\nexport const enum {name} {{\n{codes}}}\n");
        }
        if used.contains(&Use::Texts) {
            let pairs = variants.iter().zip(*names).filter(|(_, name)| !name.is_empty());
            let spelled: String = pairs.map(|(variant, name)| format!("  {variant} = '{name}',\n")).collect();
            let _ = write!(text, "\nexport const enum {name}Name {{\n{spelled}}}\n");
        }
        if used.contains(&Use::Names) {
            let list: String = names.iter().map(|name| format!("  '{name}',\n")).collect();
            let _ = write!(text, "\nexport const {}Names = [\n{list}] as const;\n", lower_first(name));
        }
        if used.contains(&Use::Type) {
            let _ = write!(text, "\nexport type {name} = {};\n", quoted(names));
        }
    }
    let ended = ToolState::ALL.iter().filter(|state| state.has_result()).map(|state| state.name());
    text += &listed("statesWithResult", "The states of calls that have come to their end.", ended);
    let durable = EventKind::ALL.iter().filter(|kind| kind.touches(Touch::Durable)).map(|kind| kind.name());
    text +=
        &listed("durableEvents", "Events that are stored before any other code of the page runs.", durable);
    let sending = || Reason::ALL.iter().zip(Reason::VARIANTS).filter(|(reason, _)| reason.sends());
    let names = sending().map(|(reason, _)| reason.name());
    text += &listed("sendingReasons", "The reasons for which the chat sends.", names);
    let sending = sending().map(|(_, name)| *name);
    text += &question("sends", "Whether the chat sends for this reason.", "reason", "Reason", sending);
    let answered = ToolState::ALL.iter().zip(ToolState::VARIANTS).filter(|(state, _)| state.is_answered());
    let answered = answered.map(|(_, name)| *name);
    let what = "Whether a call has an answer or a result, or needed no approval.";
    text += &question("isAnswered", what, "state", "ToolState", answered);
    let bits: String = PartFlags::BITS.iter().map(|(name, bit)| format!("  {name} = {bit},\n")).collect();
    let _ = write!(
        text,
        "\n/** The bits beside the state in the flags of a part. */\nexport const enum PartBit {{\n{bits}}}\n"
    );
    let times = [("SHORTEST_WAIT", SHORTEST_WAIT), ("LONGEST_WAIT", LONGEST_WAIT)];
    for (name, millis) in times {
        let _ = write!(
            text,
            "\n/** A time that a call may wait for an answer, in milliseconds. */\nexport const {name} = {millis};\n"
        );
    }
    let _ = write!(
        text,
        "\n/** The kept objects of a call that has to be repaired. */\n\
         export type Kept<Value> = Readonly<Record<{}, Value | undefined>>;\n",
        quoted(Kept::NAMES)
    );
    text += &places("StatusField", "The positions in the status of a guard.", StatusRow::SHAPE);
    text += &places("HeaderField", "The positions in the header of the module.", HeaderRow::SHAPE);
    for row in ROWS {
        let mut items = Vec::new();
        let row = read_row(*row, &mut items);
        text = items.iter().fold(text, |text, item| text + item) + &row;
    }
    let mut items = Vec::new();
    let facts = Fact::ROWS.iter().enumerate();
    let facts: String =
        facts.map(|(code, (name, fields))| fact(code, &format!("{name}Fact"), fields, &mut items)).collect();
    let options = written(Options::SHAPE, &mut items);
    for item in &items {
        text += item;
    }
    text += &facts;
    text += &options;
    text += &policy();
    text += &kinds("Table", Table::ROWS);
    text += &kinds("EffectKind", Returned::ROWS);
    let mut items = Vec::new();
    let effects = Returned::ROWS.iter().filter(|(_, fields)| !fields.is_empty());
    let effects: String =
        effects.map(|(name, fields)| reader(&format!("{name}Effect"), fields, &mut items)).collect();
    items.iter().fold(text, |text, item| text + item) + &effects
}

/// A function that says whether a code is one of these.
fn question<'a>(
    name: &str,
    what: &str,
    code: &str,
    of: &str,
    variants: impl Iterator<Item = &'a str>,
) -> String {
    let any: Vec<String> = variants.map(|variant| format!("{code} === {of}.{variant}")).collect();
    format!("\n/** {what} */\nexport const {name} = ({code}: {of}): boolean =>\n  {};\n", any.join(" || "))
}

/// The type of these names.
fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" | ")
}

/// A list of names.
fn listed<'a>(name: &str, what: &str, names: impl Iterator<Item = &'a str>) -> String {
    let list: String = names.map(|name| format!("  '{name}',\n")).collect();
    format!("\n/** {what} */\nexport const {name} = [\n{list}] as const;\n")
}

/// The positions of the fields of a row in the memory.
fn places(name: &str, what: &str, row: Shape) -> String {
    let Shape::Fields(_, fields) = row else { panic!("{row:?} has no fields") };
    let places: String =
        fields.iter().map(|(field, _)| format!("  {},\n", upper_first(&camel(field)))).collect();
    format!("\n/** {what} */\nexport const enum {name} {{\n{places}  Count,\n}}\n")
}

/// The codes of tagged rows.
fn kinds(name: &str, rows: &[(&str, &[(&str, Shape)])]) -> String {
    let codes: String = rows.iter().map(|(name, _)| format!("  {name},\n")).collect();
    format!("\nexport const enum {name} {{\n{codes}}}\n")
}

/// A row of a table.
fn read_row(shape: Shape, items: &mut Vec<String>) -> String {
    let Shape::Fields(name, fields) = shape else { panic!("{shape:?} has no fields") };
    reader(name, fields, items)
}

/// A row that is read. Items of a list have a reader of their own.
fn reader(name: &str, fields: &[(&str, Shape)], items: &mut Vec<String>) -> String {
    let (mut types, mut reads, mut length, mut item) = (String::new(), String::new(), 0, String::new());
    for (field, shape) in flat(fields) {
        assert!(item.is_empty(), "a list is the last of {name}");
        let place = |at: usize| if at == 0 { "n[at]".to_owned() } else { format!("n[at + {at}]") };
        let (of, read) = match shape {
            Shape::List(&Shape::Number) => {
                item = "  item: 1,\n".to_owned();
                let of = "readonly number[]".to_owned();
                (of, format!("itemsAt(n, at + {}, {}, number)", length + 1, place(length)))
            }
            Shape::List(of) => {
                let Shape::Fields(row, inner) = *of else { panic!("a list of {of:?}") };
                let text = reader(&format!("{row}Row"), inner, &mut Vec::new());
                if !items.contains(&text) {
                    items.push(text);
                }
                let constant = format!("{}Row", lower_first(row));
                // As a number: what reads a member of another constant stays in a bundle that does not use it.
                item = format!(
                    "  item: {},\n",
                    flat(inner).iter().map(|&(_, shape)| width(shape)).sum::<usize>()
                );
                let read = format!("itemsAt(n, at + {}, {}, {constant})", length + 1, place(length));
                (format!("readonly {row}Row[]"), read)
            }
            Shape::Digest => (
                "readonly [low: number, high: number]".to_owned(),
                format!("[{} as number, {} as number]", place(length), place(length + 1)),
            ),
            _ => read_number(shape, &place(length)),
        };
        length += width(shape);
        let _ = writeln!(types, "  {field}: {of};");
        let _ = writeln!(reads, "    {field}: {read},");
    }
    let constant = lower_first(name);
    format!(
        "\nexport interface {name} {{\n{types}}}\n\nexport const {constant}: Shape<{name}> = {{\n  \
         length: {length},\n{item}  read: (n, at) => ({{\n{reads}  }}),\n}};\n"
    )
}

/// The count of numbers in a value; of a list, only the number that is their count.
fn width(shape: Shape) -> usize {
    if matches!(shape, Shape::Digest) { 2 } else { 1 }
}

/// The type of a value of one number, and how it is read. Where the shell uses a vocabulary by its names, it reads a name.
fn read_number(shape: Shape, number: &str) -> (String, String) {
    let used = |name| VOCABULARIES.iter().find(|(known, ..)| *known == name).map(|(.., used)| *used);
    let names = |name: &str| format!("{}Names", lower_first(name));
    match shape {
        Shape::Number => ("number".to_owned(), format!("{number} as number")),
        Shape::Optional => ("number | undefined".to_owned(), format!("optional({number} as number)")),
        Shape::Flag => ("boolean".to_owned(), format!("{number} === 1")),
        Shape::Answer => ("boolean | undefined".to_owned(), format!("answerOf({number} as number)")),
        Shape::Code(name, _) => match used(name) {
            Some(used) if !used.contains(&Use::Codes) => {
                let of = format!("(typeof {})[number]", names(name));
                let read = format!("{}[{number} as number] as {of}", names(name));
                (of, read)
            }
            Some(_) => (name.to_owned(), format!("{number} as {name}")),
            None => ("number".to_owned(), format!("{number} as number")),
        },
        Shape::OptionalCode(name, _) => match used(name) {
            Some(used) if !used.contains(&Use::Codes) => {
                let read = format!("{}[{number} as number]", names(name));
                (format!("(typeof {})[number] | undefined", names(name)), read)
            }
            _ => ("number".to_owned(), format!("{number} as number")),
        },
        _ => panic!("{shape:?} is not one number"),
    }
}

/// The fields of a value, as the shell writes them: those of a value in it are its own.
fn flat(fields: &[(&str, Shape)]) -> Vec<(String, Shape)> {
    let flat = |&(name, shape): &(&str, Shape)| match shape {
        Shape::Fields(_, fields) => flat(fields),
        _ => vec![(camel(name), shape)],
    };
    fields.iter().flat_map(flat).collect()
}

/// The type of a field, and the numbers that are written for it. Items of a list have a function of their own.
fn field(name: &str, shape: Shape, items: &mut Vec<String>) -> (String, String) {
    match shape {
        Shape::Number | Shape::Code(..) | Shape::OptionalCode(..) | Shape::Optional | Shape::Answer => {
            ("number".to_owned(), format!("f.{name}"))
        }
        Shape::Numbers => ("readonly number[]".to_owned(), format!("...f.{name}")),
        Shape::Flag => ("boolean".to_owned(), format!("Number(f.{name})")),
        Shape::Digest => {
            ("readonly [low: number, high: number]".to_owned(), format!("f.{name}[0], f.{name}[1]"))
        }
        Shape::List(&Shape::Number) => {
            ("readonly number[]".to_owned(), format!("f.{name}.length, ...f.{name}"))
        }
        Shape::List(item) => {
            let Shape::Fields(of, _) = *item else { panic!("a list of {item:?}") };
            let text = written(*item, items);
            if !items.contains(&text) {
                items.push(text);
            }
            (format!("readonly {of}Row[]"), format!("f.{name}.length"))
        }
        Shape::Fields(of, _) => panic!("{of} has fields"),
    }
}

/// An item of a list, or the options.
fn written(shape: Shape, items: &mut Vec<String>) -> String {
    let Shape::Fields(name, fields) = shape else { panic!("{shape:?} has no fields") };
    writer(&format!("{name}Row"), None, fields, items)
}

/// A fact, which is written after its code.
fn fact(code: usize, name: &str, fields: &[(&str, Shape)], items: &mut Vec<String>) -> String {
    if fields.is_empty() {
        let constant = lower_first(name);
        return format!("\nexport const {constant} = (to: number[]): void => void to.push({code});\n");
    }
    writer(name, Some(code), fields, items)
}

/// The options by which the core decides: their type, and what is checked.
fn policy() -> String {
    let (mut types, mut names, mut takes) = (String::new(), String::new(), String::new());
    for &(name, shape, range) in Policy::OPTIONS {
        let name = camel(name);
        let (of, taken) = match (shape, range) {
            (Shape::Flag, None) => ("boolean".to_owned(), "undefined".to_owned()),
            (Shape::Number, Some(Range { from, to, or_infinity, is_count })) => (
                "number".to_owned(),
                format!("{{ from: {from}, to: {to}, orInfinity: {or_infinity}, isCount: {is_count} }}"),
            ),
            (Shape::Code(_, listed), None) => {
                let quoted: Vec<String> = listed.iter().map(|name| format!("'{name}'")).collect();
                (quoted.join(" | "), format!("[{}]", quoted.join(", ")))
            }
            _ => panic!("{name} takes {shape:?} in {range:?}"),
        };
        let _ = writeln!(types, "  {name}?: {of};");
        let _ = writeln!(names, "  '{name}',");
        let _ = writeln!(takes, "  {taken},");
    }
    format!(
        "\n/** The options by which the core decides. */\nexport interface PolicyOptions {{\n{types}}}\n\n\
         /** Their names, in the order in which they cross. */\nexport const policyNames = [\n{names}] as const;\n\n\
         /** The numbers that an option takes. */\nexport interface Range {{\n  readonly from: number;\n  \
         readonly to: number;\n  readonly orInfinity: boolean;\n  readonly isCount: boolean;\n}}\n\n\
         /** The values of each: one of these names, a number, or true or false. */\n\
         export const policyTakes: readonly (readonly string[] | Range | undefined)[] = [\n{takes}];\n"
    )
}

/// Compares the default in the documentation of an option with that of the core.
#[test]
fn the_documented_defaults_are_those_of_the_core() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("pkg-template/src/types.ts");
    let types = std::fs::read_to_string(place).unwrap();
    let mut numbers = Vec::new();
    Policy::default().write(&mut numbers);
    for (&(name, shape, _), number) in Policy::OPTIONS.iter().zip(numbers) {
        let name = camel(name);
        let default = match shape {
            Shape::Flag => (number == 1.0).to_string(),
            Shape::Code(_, names) => format!("'{}'", names[number as usize]),
            _ if number.is_finite() => number.to_string(),
            _ => "no limit".to_owned(),
        };
        let (before, _) = types.split_once(&format!("\n  {name}?:")).expect(&name);
        let (_, documented) = before.rsplit_once("@default ").expect(&name);
        assert!(documented.starts_with(&default), "{name}: {default}, documented as {documented}");
    }
}

fn writer(name: &str, code: Option<usize>, fields: &[(&str, Shape)], items: &mut Vec<String>) -> String {
    let constant = lower_first(name);
    let (mut types, mut statements) = (String::new(), String::new());
    let mut numbers: Vec<String> = code.map(|code| code.to_string()).into_iter().collect();
    for (name, shape) in flat(fields) {
        let (of, number) = field(&name, shape, items);
        let _ = writeln!(types, "  {name}: {of};");
        numbers.push(number);
        if let Shape::List(&Shape::Fields(of, _)) = shape {
            let _ = writeln!(statements, "  to.push({});", numbers.join(", "));
            let item = lower_first(of);
            let _ = writeln!(statements, "  for (const item of f.{name}) {item}Row(to, item);");
            numbers.clear();
        }
    }
    if !numbers.is_empty() {
        let _ = writeln!(statements, "  to.push({});", numbers.join(", "));
    }
    format!(
        "\nexport interface {name} {{\n{types}}}\n\n\
         export const {constant} = (to: number[], f: {name}): void => {{\n{statements}}};\n"
    )
}

#[test]
fn the_shell_has_what_this_file_says() {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("pkg-template/src/generated/abi.ts");
    let expected = typescript();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&place, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&place).unwrap_or_default();
    assert!(found == expected, "abi.ts is stale: run `{WRITE}=1 cargo test --lib abi`");
}
