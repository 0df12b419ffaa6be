//! The codes and the rows of numbers that cross between the module of the guard and the shell. The shell's side,
//! `pkg-template/src/generated/abi.ts`, is generated from this file: a test fails where the two differ.

/// Declares rows: structs of numbers that cross as consecutive numbers, in the order of their fields.
macro_rules! rows {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),+ $(,)? })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #[repr(C)]
            pub struct $name { $($(#[$field_doc])* pub $field: f64),+ }

            impl $name {
                /// The names of the fields, in their order.
                pub const FIELDS: &[&str] = &[$(stringify!($field)),+];

                /// Appends the row.
                pub fn write(self, out: &mut Vec<f64>) {
                    out.extend([$(self.$field),+]);
                }
            }
        )+

        /// All rows: their names and the names of their fields.
        #[cfg(all(test, not(target_arch = "wasm32")))]
        const ROWS: &[(&str, &[&str])] = &[$((stringify!($name), $name::FIELDS)),+];
    };
}

rows! {
    /// The status block of a guard. It stands in the module's memory, where the shell reads it without a crossing.
    StatusRow {
        /// How many facts were taken.
        facts,
        /// How many entries the ledger has had.
        length,
        /// How many of them were given up.
        sealed,
        /// Counts what changes what can be shown.
        changes,
        /// Changes when a repair can have changed.
        revision,
        /// The calls below this one are forgotten.
        forgotten,
        /// How many requests there were.
        requests,
        /// How many problems are to be reported.
        problems,
        /// How many calls of the batch wait for a decision.
        asking,
        /// Something can be undone.
        undoable,
        /// Time alone can change something.
        timed,
        /// How many grants were given.
        grants,
        /// The part that was told last can need a repair.
        watched,
    }
    /// One entry of the ledger.
    EntryRow {
        /// Milliseconds since the epoch.
        at,
        /// An `EventKind`.
        kind,
        /// The call, or 0.
        call,
        /// 0: none, 1: no, 2: yes.
        answer,
        /// An `Actor`.
        actor,
        /// The request, or 0.
        request,
        /// The grant, or 0.
        grant,
        /// The id of the rule, or 0.
        rule,
        /// Milliseconds by the guard's own clock.
        mono,
        /// An `Outcome`, or NaN.
        outcome,
        /// How long the call had waited, or NaN.
        waited,
        /// The time at which something ends, or NaN.
        ends,
        /// An allowed call may have run: 1, 0, or NaN where the entry does not say.
        doubt,
        /// The request left automatically: 1, 0, or NaN where the entry is about no request.
        automatic,
    }
    /// One call.
    CallRow {
        /// Its number.
        call,
        /// The id of its tool.
        tool,
        /// The id of its call id.
        id,
        /// The id of its approval id, or 0.
        approval,
        /// The id of its message.
        message,
        /// A `Status`.
        status,
        /// 0: none, 1: no, 2: yes.
        answer,
        /// The `Actor` of the answer, or NaN.
        actor,
        /// The grant that answered it, or that its answer gave; or 0.
        grant,
        /// An `Outcome`, or NaN.
        outcome,
        /// How often the same call was refused.
        refusals,
        /// Its decision can be undone.
        undoable,
        /// It expires soon.
        expiring,
        /// It may do harm.
        dangerous,
        /// It waits for a decision.
        waits,
        /// A person asked to see what is hidden of its input.
        revealed,
        /// The time at which it expires, or NaN.
        deadline,
    }
    /// The batch; the numbers of its calls follow.
    BatchRow {
        /// A `Phase`.
        phase,
        /// How many calls wait for a decision.
        asking,
        /// How many are allowed.
        allowed,
        /// How many are denied.
        denied,
        /// How often the call that was refused most often was refused.
        refusals,
        /// Something can be undone.
        undoable,
        /// A message of the person would close calls.
        input_locked,
        /// The model asks for the same call again and again.
        looping,
        /// The person stopped the chat.
        stopped,
        /// The time at which it is committed, or NaN.
        due,
    }
    /// One grant.
    GrantRow {
        /// Its number.
        grant,
        /// It allows.
        allows,
        /// The call for which it was given; 0 for a grant of an earlier page.
        call,
        /// Which inputs it covers: -1 every one, 0 the same input, else the id of a list of fields.
        fields,
        /// Its decision cannot be undone any more.
        committed,
        /// It answers calls.
        active,
        /// The time at which it was given.
        at,
        /// The time at which it ends, or NaN.
        until,
        /// How many calls it has answered.
        uses,
        /// The time at which it answered last, or NaN.
        last_use,
        /// The id of its tool.
        tool,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::{ROWS, StatusRow};
    use crate::core::batch::Phase;
    use crate::core::call::{PartFlags, Status};
    use crate::core::decision::{Actor, Choice, Outcome, Refusal};
    use crate::core::effect::Effect;
    use crate::core::event::EventKind;
    use crate::core::guard::{Problem, Reach};
    use crate::core::protocol::{Chunk, PartType, Role, ToolState};
    use crate::core::repair::{Cause, Repair};
    use crate::core::verdict::{Need, Permit, Reason};

    /// Set in the environment, it writes the file instead of comparing it.
    const WRITE: &str = "WRITE_ABI";

    /// How the shell uses a vocabulary.
    enum Use {
        /// By its codes and its names.
        Codes,
        /// By its names alone.
        Names,
        /// By codes and names, and single names are spelled out.
        Spelled,
    }

    macro_rules! vocabularies {
        ($($name:ident: $kind:ident),+ $(,)?) => {
            [$((stringify!($name), $name::VARIANTS, $name::NAMES, Use::$kind)),+]
        };
    }

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

    /// The TypeScript of everything that crosses.
    fn typescript() -> String {
        let mut text = format!(
            "// Generated from src/web/abi.rs: {WRITE}=1 cargo test --lib abi. Do not edit.\n\n\
             /** A kind of row: how many numbers it has, and how it is read. A literal object is read fastest. */\n\
             export interface Shape<Row> {{\n  readonly length: number;\n  \
             readonly read: (n: Float64Array, at: number) => Row;\n}}\n"
        );
        for (name, variants, names, kind) in vocabularies! {
            ToolState: Spelled, PartType: Spelled, Role: Spelled, Chunk: Spelled,
            Repair: Codes, Cause: Names, Reason: Codes, Need: Names, Status: Names, Actor: Codes,
            EventKind: Names, Problem: Names, Permit: Codes, Choice: Names, Outcome: Names, Phase: Names,
            Refusal: Names, Effect: Codes, Reach: Names,
        } {
            if !matches!(kind, Use::Names) {
                let codes: String = variants.iter().map(|variant| format!("  {variant},\n")).collect();
                let _ = write!(text, "\nexport const enum {name} {{\n{codes}}}\n");
            }
            if matches!(kind, Use::Spelled) {
                let pairs = variants.iter().zip(names).filter(|(_, name)| !name.is_empty());
                let spelled: String =
                    pairs.map(|(variant, name)| format!("  {variant} = '{name}',\n")).collect();
                let _ = write!(text, "\nexport const enum {name}Name {{\n{spelled}}}\n");
            }
            let list: String = names.iter().map(|name| format!("  '{name}',\n")).collect();
            let _ = write!(text, "\nexport const {}Names = [\n{list}] as const;\n", lower_first(name));
        }
        let bits: String = PartFlags::BITS.iter().map(|(name, bit)| format!("  {name} = {bit},\n")).collect();
        let _ = write!(
            text,
            "\n/** The bits beside the state in the flags of a part. */\nexport const enum PartBit {{\n{bits}}}\n"
        );
        let places: String =
            StatusRow::FIELDS.iter().map(|field| format!("  {},\n", upper_first(&camel(field)))).collect();
        let _ = write!(
            text,
            "\n/** The places in the status block. */\nexport const enum StatusField {{\n{places}  Count,\n}}\n"
        );
        for (name, fields) in ROWS.iter().filter(|(name, _)| *name != "StatusRow") {
            let fields: Vec<String> = fields.iter().map(|field| camel(field)).collect();
            let typed: String = fields.iter().map(|field| format!("  {field}: number;\n")).collect();
            let length = fields.len();
            let place = |at: usize| if at == 0 { "at".to_owned() } else { format!("at + {at}") };
            let read = |(at, field): (usize, &String)| format!("    {field}: n[{}] as number,\n", place(at));
            let listed: String = fields.iter().enumerate().map(read).collect();
            let shape = lower_first(name);
            let _ = write!(
                text,
                "\nexport interface {name} {{\n{typed}}}\n\nexport const {shape}: Shape<{name}> = {{\n  length: {length},\n  \
                 read: (n, at) => ({{\n{listed}  }}),\n}};\n"
            );
        }
        text
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
}
