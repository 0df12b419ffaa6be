//! Law 11: no fact makes the guard panic, not even one with extreme numbers.

use proptest::prelude::*;
use tool_approval_guard::core::call::{PartFacts, PartFlags, Place};
use tool_approval_guard::core::clock::{Now, Time};
use tool_approval_guard::core::decision::{Actor, Choice, Effect, Ruling};
use tool_approval_guard::core::grant::{Cover, Tool};
use tool_approval_guard::core::guard::{
    Attempt, Chosen, CommitCause, Covers, EditGiven, Fact, Guard, Known, KnownAnswer, Lifetime, Listed,
    Named, Options, Reach, Said, Shown, Trigger, Waited, WaitedFor,
};
use tool_approval_guard::core::id::{CallId, StringId};
use tool_approval_guard::core::ledger::SEGMENT;
use tool_approval_guard::core::policy::Policy;
use tool_approval_guard::core::protocol::Chunk;
use tool_approval_guard::core::repair::{Scope, ShownPart};
use tool_approval_guard::core::verdict::{Permit, Step};

use crate::common::chat_simulator::histories::failure;
use crate::common::occurrences::{config, property};
use crate::common::options;

/// A number, or an id.
fn number<T: From<u32> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    prop_oneof![12 => 0..5u32, 1 => Just(u32::MAX), 1 => Just(u32::MAX - 1), 1 => any::<u32>()]
        .prop_map(T::from)
}

fn hash() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..3u64, 1 => Just(u64::MAX)]
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![4 => 0..5_000u64, 1 => Just(Time::MAX), 1 => Just(Time::MAX - 1), 1 => any::<Time>()]
}

/// A reading of a clock: mostly a time, sometimes any number.
fn clock() -> impl Strategy<Value = f64> {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, -1.0, 0.0, 1e300];
    prop_oneof![12 => (0..20_000u32).prop_map(f64::from), 1 => prop::sample::select(odd.to_vec()), 1 => any::<f64>()]
}

fn code<T: Copy + std::fmt::Debug>(all: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(all)
}

fn flags() -> impl Strategy<Value = PartFlags> {
    prop_oneof![4 => (0..512u32).prop_map(PartFlags::from_code), 1 => any::<u32>().prop_map(PartFlags::from_code)]
}

/// The digest of a changed input: mostly there is none.
fn edit() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(0), 2 => hash()]
}

fn given_edit() -> impl Strategy<Value = EditGiven> {
    let mostly = prop::bool::weighted(0.8);
    (edit(), mostly, prop::array::uniform3(prop::bool::weighted(0.1))).prop_map(
        |(input, editable, [signed, faulty, denied])| EditGiven { input, editable, signed, faulty, denied },
    )
}

fn part_facts() -> impl Strategy<Value = PartFacts> {
    let place = (number(), number(), number(), number(), number()).prop_map(
        |(message, index, user_turn, step, occurrence)| Place { message, index, user_turn, step, occurrence },
    );
    (place, number(), number(), number(), number(), flags(), (hash(), edit()), hash()).prop_map(
        |(place, tool, server, id, approval, flags, (input, edit), output)| PartFacts {
            edit,
            place,
            tool,
            server,
            id,
            approval,
            flags,
            input,
            output,
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let rows = || (number(), flags());
    let rows = prop_oneof![
        40 => prop::collection::vec(rows(), 0..4),
        1 => prop::collection::vec(rows(), 2_000..2_001),
    ];
    (any::<bool>(), any::<bool>(), rows).prop_map(|(assistant, text, rows)| Step {
        assistant,
        text,
        rows,
        ..Step::default()
    })
}

fn chunk() -> impl Strategy<Value = Fact> {
    let said = (number(), number(), prop::option::of(any::<bool>()), hash(), any::<bool>());
    (number(), code(Chunk::ALL), number(), said).prop_map(|(request, kind, id, said)| {
        let (tool, approval, approved, content, preliminary) = said;
        Fact::Chunk { request, kind, id, said: Said { tool, approval, approved, content, preliminary } }
    })
}

fn listed() -> impl Strategy<Value = Vec<Listed>> {
    let parts = prop::collection::vec((prop::option::of(number()), flags(), hash()), 0..3);
    let listed = (number(), any::<bool>(), hash(), parts)
        .prop_map(|(message, assistant, content, parts)| Listed { message, assistant, content, parts });
    prop::collection::vec(listed, 0..4)
}

fn lifetime() -> impl Strategy<Value = Option<Time>> {
    prop::option::of(time())
}

fn known() -> impl Strategy<Value = Known> {
    let answer =
        (number(), prop::option::of(any::<bool>()), code(Actor::ALL), any::<bool>(), code(Reach::ALL));
    let rest = (any::<[bool; 5]>(), lifetime(), lifetime(), lifetime(), any::<u32>());
    (answer, rest).prop_map(
        |((approval, approved, actor, draft, reach), (flags, asked_at, deadline, latest, candidates))| {
            let [settled, same_input, taken_back, found, elsewhere] = flags;
            Known {
                approval,
                answer: KnownAnswer::of(approved, draft),
                actor,
                reach,
                settled,
                same_input,
                taken_back,
                found,
                elsewhere,
                asked_at,
                deadline,
                latest,
                candidates: candidates % 3,
                user: StringId(candidates % 5),
                edit: u64::from(candidates % 7 / 3),
            }
        },
    )
}

fn attempt() -> impl Strategy<Value = Attempt> {
    let number = || prop_oneof![4 => 0..3u32, 1 => Just(u32::MAX)];
    (number(), number(), number(), any::<bool>()).prop_map(|(signal, last, length, continues_another)| {
        Attempt { signal, last, length, continues_another }
    })
}

/// A call, or an id.
fn named() -> impl Strategy<Value = Named> {
    (prop::option::weighted(0.8, number()), number()).prop_map(|(call, id)| Named { call, id })
}

fn fact() -> impl Strategy<Value = Fact> {
    let shown = (prop::option::of(number()), hash(), number());
    let shown =
        prop::option::weighted(0.3, shown.prop_map(|(call, input, server)| Shown { call, input, server }));
    let covers = || prop_oneof![1 => Just(Covers::Tool), 2 => number().prop_map(Covers::Fields)];
    let cover = prop_oneof![
        1 => Just(Cover::Tool),
        2 => (number(), number()).prop_map(|(fields, fingerprint)| Cover::Fields(fields, fingerprint)),
    ];
    let ruling = (code(Effect::ALL), any::<bool>(), number());
    let permit = code(Permit::ALL);
    let seen = prop_oneof![
        16 => (prop::option::of(number()), part_facts(), any::<bool>())
            .prop_map(|(known, part, current)| Fact::Part { known, part, current }),
        2 => number().prop_map(Fact::Missing),
        1 => number().prop_map(Fact::Relocated),
        2 => code(Trigger::ALL).prop_map(Fact::ScanComplete),
        6 => step().prop_map(Fact::Step),
        1 => any::<bool>().prop_map(Fact::Hydrate),
        2 => (prop::collection::vec((number(), hash()), 0..2), prop::collection::vec(part_facts(), 0..3))
            .prop_map(|(messages, parts)| Fact::Adopt { messages, parts }),
        1 => any::<bool>().prop_map(Fact::ReportsAnswers),
        2 => (number(), any::<bool>(), lifetime())
            .prop_map(|(call, dangerous, lifetime)| Fact::Annotate { call, dangerous, lifetime: Lifetime(lifetime) }),
        1 => (number(), ruling).prop_map(|(call, (effect, always, rule))| {
            Fact::EvaluateRule { call, ruling: Ruling { effect, always, rule } }
        }),
        2 => (number(), number(), number())
            .prop_map(|(call, fields, fingerprint)| Fact::Fingerprint { call, fields, fingerprint }),
        1 => Just(Fact::ForgetFingerprints),
        1 => number().prop_map(Fact::Match),
        2 => (number(), known()).prop_map(|(call, known)| Fact::Restore { call, known }),
        1 => (number(), number(), any::<bool>(), cover, lifetime()).prop_map(|(name, server, approved, cover, lifetime)| {
            let tool = Tool { name, server };
            Fact::RestoreGrant { tool, approved, cover, lifetime }
        }),
        1 => number().prop_map(Fact::RestoreSends),
        1 => (number(), number(), prop::collection::vec((number(), number()), 0..3))
            .prop_map(|(name, server, keys)| Fact::Granted { tool: Tool { name, server }, keys }),
        2 => (number(), flags(), number(), edit(), edit(), code(Scope::ALL), any::<bool>()).prop_map(
            |(call, flags, approval, input, edit, scope, above)| Fact::Repair { number: 0, shown: (call, flags), approval, input, edit, scope, above },
        ),
    ];
    let sent = prop_oneof![
        3 => Just(Fact::Ask),
        1 => Just(Fact::AskedInVain),
        1 => any::<bool>().prop_map(|sending| Fact::LeaseOver { sending }),
        2 => (attempt(), any::<bool>()).prop_map(|(attempt, queues)| Fact::Outgoing { attempt, queues }),
        4 => (number(), code(Trigger::ALL), any::<bool>())
            .prop_map(|(chat, trigger, continues)| Fact::Send { chat, trigger, continues }),
        2 => number().prop_map(Fact::Started),
        2 => number().prop_map(Fact::Ended),
        1 => (number(), failure()).prop_map(|(request, failure)| Fact::Failed { request, failure }),
        4 => chunk(),
        1 => (any::<bool>(), any::<bool>(), number())
            .prop_map(|(continues, promised, latest)| Fact::Waited(Waited { continues, promised, latest })),
        1 => listed().prop_map(Fact::Unsent),
        2 => (number(), listed()).prop_map(|(request, list)| Fact::Carried { request, list }),
        1 => (number(), number(), prop::option::of(number()))
            .prop_map(|(request, message, call)| Fact::Lacking { request, message, call }),
        1 => (number(), number()).prop_map(|(request, message)| Fact::Begun { request, message }),
        1 => permit.prop_map(Fact::Permit),
        1 => Just(Fact::PermitOver),
        1 => (number(), hash()).prop_map(|(id, output)| Fact::PageOutput { id, output }),
        1 => Just(Fact::Look),
        1 => Just(Fact::Stopped),
        1 => number().prop_map(Fact::ClientTool),
    ];
    let decided = prop_oneof![
        2 => (number(), any::<bool>()).prop_map(|(approval, approved)| Fact::ChatAnswer { approval, approved }),
        6 => (named(), shown, code(Choice::ALL), covers(), lifetime(), given_edit(), number()).prop_map(
            |(named, shown, choice, covers, lifetime, edit, program)| {
                Fact::Decide { named, shown, chosen: Chosen { choice, covers, lifetime, edit }, program }
            }
        ),
        2 => prop::collection::vec(named(), 0..3).prop_map(Fact::Undo),
        1 => Just(Fact::UndoAll),
        3 => code(CommitCause::ALL).prop_map(Fact::Commit),
        1 => any::<bool>().prop_map(|by_person| Fact::TryCommit { by_person }),
        1 => code(WaitedFor::ALL).prop_map(Fact::Unwritten),
        1 => named().prop_map(Fact::Extend),
        1 => named().prop_map(Fact::Unmask),
        1 => (number(), any::<bool>()).prop_map(|(grant, elsewhere)| Fact::Revoke { grant, elsewhere }),
        1 => Just(Fact::RevokeAll),
        1 => Just(Fact::Wake),
        1 => Just(Fact::GuardEnds),
    ];
    prop_oneof![4 => seen, 2 => sent, 2 => decided]
}

/// Names the kinds of facts. A new kind does not compile until it is listed here, and a listed kind that is
/// not generated fails `law_11`.
macro_rules! kinds {
    ($($pattern:pat => $name:literal),+ $(,)?) => {
        /// Each kind, its name if the fact carries the largest possible number, and whether it carries any
        /// number.
        const KINDS: &[(&str, &str, bool)] = &[$((
            $name,
            concat!($name, " with the largest number"),
            stringify!($pattern).len() > "Fact::".len() + $name.len(),
        )),+];

        fn kind(fact: &Fact) -> (&'static str, &'static str) {
            match fact {
                $($pattern => ($name, concat!($name, " with the largest number"))),+
            }
        }
    };
}

kinds! {
    Fact::Part { .. } => "Part",
    Fact::Missing(_) => "Missing",
    Fact::Relocated(_) => "Relocated",
    Fact::ScanComplete(_) => "ScanComplete",
    Fact::Step(_) => "Step",
    Fact::Hydrate(_) => "Hydrate",
    Fact::Adopt { .. } => "Adopt",
    Fact::ReportsAnswers(_) => "ReportsAnswers",
    Fact::Ask => "Ask",
    Fact::AskedInVain => "AskedInVain",
    Fact::LeaseOver { .. } => "LeaseOver",
    Fact::Send { .. } => "Send",
    Fact::Started(_) => "Started",
    Fact::Ended(_) => "Ended",
    Fact::Failed { .. } => "Failed",
    Fact::Chunk { .. } => "Chunk",
    Fact::ChatAnswer { .. } => "ChatAnswer",
    Fact::Look => "Look",
    Fact::PageOutput { .. } => "PageOutput",
    Fact::Stopped => "Stopped",
    Fact::ClientTool(_) => "ClientTool",
    Fact::Permit(_) => "Permit",
    Fact::PermitOver => "PermitOver",
    Fact::Annotate { .. } => "Annotate",
    Fact::EvaluateRule { .. } => "EvaluateRule",
    Fact::Fingerprint { .. } => "Fingerprint",
    Fact::ForgetFingerprints => "ForgetFingerprints",
    Fact::Match(_) => "Match",
    Fact::Decide { .. } => "Decide",
    Fact::Undo(_) => "Undo",
    Fact::UndoAll => "UndoAll",
    Fact::Commit(_) => "Commit",
    Fact::TryCommit { .. } => "TryCommit",
    Fact::Unwritten(_) => "Unwritten",
    Fact::Extend(_) => "Extend",
    Fact::Unmask(_) => "Unmask",
    Fact::Revoke { .. } => "Revoke",
    Fact::RevokeAll => "RevokeAll",
    Fact::Restore { .. } => "Restore",
    Fact::RestoreGrant { .. } => "RestoreGrant",
    Fact::RestoreSends(_) => "RestoreSends",
    Fact::Wake => "Wake",
    Fact::GuardEnds => "GuardEnds",
    Fact::Outgoing { .. } => "Outgoing",
    Fact::Waited(_) => "Waited",
    Fact::Unsent(_) => "Unsent",
    Fact::Granted { .. } => "Granted",
    Fact::Repair { .. } => "Repair",
    Fact::Carried { .. } => "Carried",
    Fact::Lacking { .. } => "Lacking",
    Fact::Begun { .. } => "Begun",
}

/// Whether a fact carries the largest possible number.
fn is_extreme(fact: &Fact) -> bool {
    let text = format!("{fact:?}");
    text.contains(&u32::MAX.to_string()) || text.contains(&u64::MAX.to_string())
}

fn policy() -> impl Strategy<Value = Policy> {
    (lifetime(), lifetime(), lifetime(), lifetime(), prop::bool::weighted(0.8)).prop_map(
        |(undo_ms, undo_ms_when_dangerous, warn_ms, output_ms, attended)| Policy {
            undo_ms,
            undo_ms_when_dangerous,
            warn_ms,
            output_ms,
            attended,
            ..Policy::default()
        },
    )
}

#[test]
fn law_11_never_panics() {
    let now = (clock(), clock()).prop_map(|(wall, steady)| Now { wall, steady });
    let facts = prop::collection::vec((fact(), now), 0..80);
    let tools = prop::collection::vec(number(), 0..3);
    let asked =
        (number(), flags(), number(), prop_oneof![Just(Covers::Tool), number().prop_map(Covers::Fields)]);
    let segment = prop_oneof![1 => Just(SEGMENT), 3 => Just(1)];
    let history = (facts, tools, (policy(), segment), asked);
    let mut floors = vec![("a clock that says no number", 100), ("calls were forgotten", 10)];
    for &(kind, extreme, carries) in KINDS {
        floors.push((kind, 100));
        // The largest number also stands for a call, a request or a string that never existed.
        if carries
            && ![
                "ScanComplete",
                "Hydrate",
                "ReportsAnswers",
                "LeaseOver",
                "Permit",
                "Commit",
                "TryCommit",
                "Unwritten",
            ]
            .contains(&kind)
        {
            floors.push((extreme, 10));
        }
    }
    property(config(1_500), history, &floors, |(facts, tools, (policy, segment), asked), occurred| {
        let mut guard = Guard::new(Options { policy, segment, ..options(tools) });
        for (fact, now) in facts {
            let (kind, extreme) = kind(&fact);
            occurred.count(kind);
            occurred.count_if(is_extreme(&fact), extreme);
            occurred.count_if(now.wall.is_nan(), "a clock that says no number");
            let asks = matches!(fact, Fact::Ask) && !guard.is_displaced();
            let effects = guard.handle(fact, now);
            prop_assert_eq!(effects.reason().is_some(), asks);
            ask_everything(&guard, asked);
        }
        if guard.sealed() == 0 {
            prop_assert_eq!(&crate::common::fold(guard.entries()), guard.state());
        }
        occurred.count_if(guard.forgotten() > CallId(0), "calls were forgotten");
        Ok(())
    });
}

/// Calls every query of a guard.
fn ask_everything(guard: &Guard, (call, flags, number, covers): (CallId, PartFlags, u32, Covers)) {
    for scope in [Scope::Wire, Scope::Home] {
        guard.repair(call, ShownPart { flags, approval: StringId(number), input: 0, edit: 0, scope }, false);
    }
    guard.watches(call);
    guard.place(call);
    guard.waiting();
    guard.verdict();
    guard.batch();
    guard.result_of_commit(CommitCause::Predicate);
    guard.next_end(&guard.batch());
    guard.locks_input();
    guard.covered(call, covers);
    guard.fingerprint(call);
    let latest = guard.state().last_request;
    guard.is_taken(Waited { continues: true, promised: true, latest });
    guard.touched_since(call, number);
    guard.symbols();
    let entry = guard.entries().last();
    entry.and_then(|entry| entry.event.deadline).map(|time| guard.clock().wall(time));
}
