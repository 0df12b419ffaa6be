//! Random histories for [`DecisionHarness`](super::decision_harness::DecisionHarness).

use std::fmt;

use proptest::prelude::*;
use tool_approval_guard::core::policy::{Policy, WhenUserSends};

use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::Choice;
use tool_approval_guard::core::grant::Tool;
use tool_approval_guard::core::guard::Covers;
use tool_approval_guard::core::id::StringId;

use super::decision_harness::Law;
use super::oracle::{Content, FIELD_A};

/// The first of three tools.
pub const TOOL: StringId = StringId(50);

/// Name and server of a tool. The third one has the name of the first one, and is of another server.
pub fn tool_of(tool: StringId) -> Tool {
    if tool.0 == TOOL.0 + 2 {
        Tool { name: TOOL, server: StringId(90) }
    } else {
        Tool { name: tool, server: StringId::NONE }
    }
}

/// A call as the server starts it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub asks: bool,
    pub tool: StringId,
    pub content: Content,
    /// Whether its input has no fingerprint.
    pub shy: bool,
    pub dangerous: bool,
    pub lifetime: Option<Time>,
    /// Whether it has the call id that is used again and again.
    pub reuses: bool,
}

impl Spec {
    pub fn new(tool: StringId, content: Content) -> Self {
        Self { asks: true, tool, content, shy: false, dangerous: false, lifetime: None, reuses: false }
    }
}

/// How a response ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    Ended,
    Broken,
    Refused,
}

/// What else has changed in a part in which an answer is first seen.
#[derive(Clone, Copy, Debug)]
pub enum With {
    Nothing,
    OtherInput,
    Output,
}

#[derive(Clone, Debug)]
pub enum Op {
    Say,
    Continue,
    Regenerate,
    Edit,
    Retry,
    /// A message and a whole response, or the rest of the running one.
    Transaction(Vec<Spec>),
    Respond(Vec<Spec>, End),
    /// More calls of a running response; `true`: in the same step.
    Calls(Vec<Spec>, bool),
    Serve,
    Finish(End),
    Decide(usize, Choice, Covers, Option<Time>),
    /// A person changes the input of a call, and allows it.
    Correct(usize, u64),
    Direct {
        which: usize,
        yes: bool,
        heard: bool,
        with: With,
    },
    Overwrite(usize),
    Undo(usize),
    /// Undoes the drafts of a call and of all that are equal to it.
    UndoEqual(usize),
    UndoAll,
    Extend(usize),
    Revoke(u32),
    RevokeAll,
    Refused(usize),
    Commit,
    /// A commit of what is due; `true`: a chat is attached.
    Due(bool),
    /// What a page does after a change; `true`: a chat is attached.
    Settle(bool),
    Stop(bool),
    Leave,
    Look,
    LookAgain,
    Repair,
    Change(usize),
    Replay(usize),
    /// A response breaks off, and a resumed stream brings a question back; `true`: followed by what the
    /// server has done since.
    Resume(usize, End, bool),
    Output(usize),
    Restart(usize),
    Remark(usize, bool, Option<Time>),
    Vanish,
    Return,
    /// The application empties the chat, which then continues until its old content can be dropped.
    Clear,
    Nothing,
}

impl Op {
    /// Whether a person acts, or the page writes an answer as a person would.
    pub fn is_of_a_person(&self) -> bool {
        match self {
            Self::Say
            | Self::Regenerate
            | Self::Edit
            | Self::Retry
            | Self::Transaction(_)
            | Self::Decide(..)
            | Self::Correct(..)
            | Self::Direct { .. }
            | Self::Overwrite(_)
            | Self::Undo(_)
            | Self::UndoEqual(_)
            | Self::UndoAll
            | Self::Extend(_)
            | Self::Revoke(_)
            | Self::RevokeAll
            | Self::Refused(_)
            | Self::Commit
            | Self::Stop(_)
            | Self::Output(_)
            | Self::Clear => true,
            Self::Continue
            | Self::Respond(..)
            | Self::Calls(..)
            | Self::Serve
            | Self::Finish(_)
            | Self::Due(_)
            | Self::Settle(_)
            | Self::Leave
            | Self::Look
            | Self::LookAgain
            | Self::Repair
            | Self::Change(_)
            | Self::Replay(_)
            | Self::Resume(..)
            | Self::Restart(_)
            | Self::Remark(..)
            | Self::Vanish
            | Self::Return
            | Self::Nothing => false,
        }
    }
}

/// How the clocks have moved since the last step.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    Both(f64),
    Wall(f64),
    Steady(f64),
    Unread,
}

#[derive(Clone, Debug)]
pub struct Setup {
    pub policy: Policy,
    /// How many entries are sealed at once.
    pub segment: usize,
    /// The calls in the chat from before this page: open, allowed or denied.
    pub history: Vec<Option<bool>>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub op: Op,
    pub clock: Move,
    /// Whether a timer fires first.
    pub timer: bool,
}

#[derive(Clone)]
pub struct History {
    pub setup: Setup,
    pub steps: Vec<Step>,
}

impl fmt::Debug for History {
    /// One line for each step, so that a failure is readable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.setup)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step:?}"))
    }
}

/// The law that a test concentrates on; `None` for all.
pub type Focus = Option<Law>;

/// A weight, four times as high if the focus is on one of these laws.
fn more(weight: u32, focus: Focus, laws: &[Law]) -> u32 {
    if focus.is_some_and(|law| laws.contains(&law)) { 4 * weight } else { weight }
}

fn spec(focus: Focus) -> impl Strategy<Value = Spec> {
    let rarely = || prop::bool::weighted(0.15);
    let timed = if focus == Some(Law::TimeOnlyCloses) { 0.8 } else { 0.4 };
    let lifetime = prop::option::weighted(timed, 1_500..20_000u64);
    // A loop needs equal calls.
    let values = if matches!(focus, Some(Law::Loops | Law::Equal)) { 1 } else { 2u8 };
    (prop::bool::weighted(0.9), 0..3u32, 0..values, 0..values, rarely(), rarely(), lifetime, rarely())
        .prop_map(|(asks, tool, a, b, shy, dangerous, lifetime, reuses)| {
            let content = Content { a, b };
            Spec { asks, tool: StringId(TOOL.0 + tool), content, shy, dangerous, lifetime, reuses }
        })
}

fn specs(focus: Focus) -> impl Strategy<Value = Vec<Spec>> {
    prop::collection::vec(spec(focus), 1..5)
}

fn end(focus: Focus) -> impl Strategy<Value = End> {
    let broken = more(1, focus, &[Law::Doubt]);
    prop_oneof![8 => Just(End::Ended), broken => Just(End::Broken), 1 => Just(End::Refused)]
}

fn choice(focus: Focus) -> impl Strategy<Value = Choice> {
    use Choice::*;
    prop_oneof![
        4 => Just(AllowOnce),
        more(4, focus, &[Law::Grants, Law::NoInventedYes]) => Just(AllowChat),
        more(3, focus, &[Law::Loops, Law::FirstAnswerWins]) => Just(Deny),
        more(2, focus, &[Law::Grants]) => Just(DenyChat),
    ]
}

fn covers() -> impl Strategy<Value = Covers> {
    use Covers::*;
    prop_oneof![3 => Just(Tool), 3 => Just(Fields(StringId::NONE)), 2 => Just(Fields(FIELD_A))]
}

/// Numbers below 8 pick a call of the last step.
fn which() -> impl Strategy<Value = usize> {
    prop_oneof![6 => 0..8usize, 1 => 8..40usize]
}

fn lifetime() -> impl Strategy<Value = Option<Time>> {
    prop::option::weighted(0.3, 500..20_000u64)
}

/// The acts of a person.
fn person(focus: Focus) -> impl Strategy<Value = Op> {
    use Law::*;
    let with = prop_oneof![6 => Just(With::Nothing), 1 => Just(With::OtherInput), 1 => Just(With::Output)];
    let decide = (which(), choice(focus), covers(), lifetime());
    let direct = (which(), any::<bool>(), any::<bool>(), with);
    prop_oneof![
        40 => decide.prop_map(move |(which, choice, covers, lifetime)| {
            let corrects = matches!(focus, Some(OneInput | Equal)) && choice == Choice::AllowOnce && which % 2 == 0;
            if corrects { Op::Correct(which, 901 + which as u64 % 4) } else { Op::Decide(which, choice, covers, lifetime) }
        }),
        more(9, focus, &[NoInventedYes, FirstAnswerWins]) =>
            direct.prop_map(|(which, yes, heard, with)| Op::Direct { which, yes, heard, with }),
        more(8, focus, &[UndoUntilSent, FirstAnswerWins, Equal]) => which().prop_map(move |which| {
            if focus == Some(Equal) && which % 2 == 0 { Op::UndoEqual(which) } else { Op::Undo(which) }
        }),
        more(2, focus, &[UndoUntilSent]) => Just(Op::UndoAll),
        more(2, focus, &[TimeOnlyCloses]) => which().prop_map(Op::Extend),
        more(3, focus, &[Grants]) => (0..6u32).prop_map(Op::Revoke),
        1 => Just(Op::RevokeAll),
        1 => which().prop_map(Op::Refused),
        more(6, focus, &[UndoUntilSent, Loops]) => Just(Op::Commit),
        more(3, focus, &[Stop]) => any::<bool>().prop_map(Op::Stop),
        more(2, focus, &[MovesOn]) => Just(Op::Say),
        more(1, focus, &[MovesOn]) => Just(Op::Continue),
        more(1, focus, &[MovesOn]) => Just(Op::Regenerate),
        more(1, focus, &[MovesOn]) => Just(Op::Edit),
        more(1, focus, &[MovesOn]) => Just(Op::Retry),
    ]
}

/// The acts of the page and its server.
fn page(focus: Focus) -> impl Strategy<Value = Op> {
    use Law::*;
    let respond = (specs(focus), end(focus));
    let remark = (which(), any::<bool>(), lifetime());
    prop_oneof![
        20 => prop::bool::weighted(0.8).prop_map(Op::Settle),
        10 => respond.prop_map(|(calls, end)| Op::Respond(calls, end)),
        more(7, focus, &[Loops]) => specs(focus).prop_map(Op::Transaction),
        4 => (specs(focus), any::<bool>()).prop_map(|(calls, same)| Op::Calls(calls, same)),
        4 => end(focus).prop_map(Op::Finish),
        more(4, focus, &[UndoUntilSent]) => any::<bool>().prop_map(Op::Due),
        2 => Just(Op::Serve),
        2 => Just(Op::Look),
        more(1, focus, &[NoInventedYes, Stop]) => Just(Op::LookAgain),
        3 => Just(Op::Repair),
        more(3, focus, &[NoInventedYes, Grants, OneInput]) => which().prop_map(Op::Change),
        more(3, focus, &[NoInventedYes, FirstAnswerWins, UndoUntilSent, OneInput]) => which().prop_map(Op::Replay),
        more(2, focus, &[NoInventedYes, UndoUntilSent, Doubt, OneInput]) =>
            (which(), end(focus), any::<bool>()).prop_map(|(which, end, goes_on)| Op::Resume(which, end, goes_on)),
        more(2, focus, &[NoInventedYes]) => which().prop_map(Op::Output),
        more(2, focus, &[NoInventedYes, FirstAnswerWins]) => which().prop_map(Op::Overwrite),
        1 => which().prop_map(Op::Restart),
        more(1, focus, &[TimeOnlyCloses]) => remark.prop_map(|(which, dangerous, lifetime)| {
            Op::Remark(which, dangerous, lifetime)
        }),
        1 => Just(Op::Vanish),
        2 => Just(Op::Return),
        3 => Just(Op::Clear),
        more(1, focus, &[Stop]) => Just(Op::Leave),
        2 => Just(Op::Nothing),
    ]
}

pub const YEAR: f64 = 365.0 * 24.0 * 3_600_000.0;

pub fn clock(focus: Focus) -> impl Strategy<Value = Move> {
    let jumps = more(1, focus, &[Law::TimeOnlyCloses]);
    prop_oneof![
        30 => (0..300u32).prop_map(|ms| Move::Both(f64::from(ms))),
        8 => (500..6_000u32).prop_map(|ms| Move::Both(f64::from(ms))),
        1 => Just(Move::Both(60_000.0)),
        jumps => prop_oneof![Just(YEAR), Just(-YEAR), -5_000.0..5_000.0f64].prop_map(Move::Wall),
        jumps => prop_oneof![Just(-2_000.0), 0.0..5_000.0f64].prop_map(Move::Steady),
        jumps => Just(Move::Unread),
    ]
}

fn setup() -> impl Strategy<Value = Setup> {
    let undo = prop_oneof![2 => Just(Some(0)), 3 => Just(Some(1_000)), 2 => Just(None)];
    let undo_dangerous = prop_oneof![3 => Just(Some(5_000)), 1 => Just(None), 1 => Just(Some(0))];
    let attended = prop::bool::weighted(0.94);
    let history = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(any::<Option<bool>>(), 1..4)];
    (undo, undo_dangerous, attended, prop::bool::weighted(0.85), super::segment(), history).prop_map(
        |(undo, undo_dangerous, attended, closes, segment, history)| {
            let policy = Policy {
                when_user_sends: if closes { WhenUserSends::Deny } else { WhenUserSends::Pass },
                undo_ms: undo,
                undo_ms_when_dangerous: undo_dangerous,
                warn_ms: Some(500),
                attended,
                ..Policy::default()
            };
            Setup { policy, segment, history }
        },
    )
}

/// A random history.
pub fn history(focus: Focus) -> impl Strategy<Value = History> {
    let op = prop_oneof![6 => person(focus), 5 => page(focus)];
    let timer = prop::bool::weighted(0.4);
    let step = (op, clock(focus), timer).prop_map(|(op, clock, timer)| Step { op, clock, timer });
    let steps = prop::collection::vec(step, 1..45);
    (setup(), steps).prop_map(|(setup, steps)| History { setup, steps })
}
