//! Random histories of a chat whose pages are killed.

use proptest::prelude::*;

#[derive(Clone, Debug)]
pub enum Op {
    User,
    Decide(usize, bool),
    Direct(usize, bool),
    Undo(usize),
    Commit,
    Extend(usize),
    Stop,
    Resume,
    Retry,
    Wait(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    Ended,
    Broken,
    Stopped,
    /// It never arrives.
    Lost,
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The calls of the new step: whether each asks, and a number for its tool, input and call id.
    pub calls: Vec<(bool, u8)>,
    pub end: End,
    /// Whether it stores the list on arrival.
    pub stores: bool,
    /// Whether it continues when nobody listens any more.
    pub goes_on: bool,
    /// Whether the page scans its messages after each chunk.
    pub looks: bool,
}

/// The list with which a page starts.
#[derive(Clone, Debug)]
pub struct Load {
    /// How many steps old it is.
    pub lag: usize,
    /// A call that has lost its approval.
    pub loses: Option<usize>,
    /// Whether the last message has another id.
    pub drifts: bool,
    /// A call that has another input.
    pub changes: Option<usize>,
}

/// One page: its list, the acts in it, and the number of effects after which it is killed.
#[derive(Clone, Debug)]
pub struct Script {
    pub load: Load,
    pub ops: Vec<Op>,
    pub fuel: usize,
    /// How much time passes before it opens.
    pub gap: u32,
    /// Whether saving is slow, and the record is read only after the chat was attached.
    pub slow: bool,
}

#[derive(Clone, Debug)]
pub struct History {
    pub pages: Vec<Script>,
    pub plans: Vec<Plan>,
    /// Whether the application stores each list that it shows.
    pub app: bool,
    /// Whether decisions are committed at once.
    pub quick: bool,
    /// Whether calls expire.
    pub timed: bool,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => Just(Op::User),
        8 => (0..3usize, prop::bool::weighted(0.7)).prop_map(|(which, yes)| Op::Decide(which, yes)),
        4 => (0..3usize, prop::bool::weighted(0.7)).prop_map(|(which, yes)| Op::Direct(which, yes)),
        2 => (0..3usize).prop_map(Op::Undo),
        4 => Just(Op::Commit),
        1 => (0..3usize).prop_map(Op::Extend),
        1 => Just(Op::Stop),
        2 => Just(Op::Resume),
        1 => Just(Op::Retry),
        2 => (0..1500u32).prop_map(Op::Wait),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let end = prop_oneof![
        7 => Just(End::Ended), 1 => Just(End::Broken), 1 => Just(End::Stopped), 1 => Just(End::Lost),
    ];
    let calls = prop::collection::vec((prop::bool::weighted(0.85), 0..16u8), 0..4);
    (calls, end, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(calls, end, stores, goes_on, looks)| Plan { calls, end, stores, goes_on, looks })
}

fn script() -> impl Strategy<Value = Script> {
    let lag = prop_oneof![4 => Just(0usize), 2 => Just(1), 1 => Just(2), 1 => 3..6usize];
    let rarely = |chance| prop::option::weighted(chance, 0..4usize);
    let load = (lag, rarely(0.15), prop::bool::weighted(0.15), rarely(0.08))
        .prop_map(|(lag, loses, drifts, changes)| Load { lag, loses, drifts, changes });
    let fuel = prop_oneof![1 => 0..10usize, 4 => 8..70usize, 1 => 60..160usize];
    let slow = prop::bool::weighted(0.3);
    (load, prop::collection::vec(op(), 1..8), fuel, 0..800u32, slow)
        .prop_map(|(load, ops, fuel, gap, slow)| Script { load, ops, fuel, gap, slow })
}

/// A random history of up to four pages.
pub fn history() -> impl Strategy<Value = History> {
    let plans = prop::collection::vec(plan(), 1..6);
    (prop::collection::vec(script(), 2..5), plans, any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(pages, plans, app, quick, timed)| History { pages, plans, app, quick, timed })
}
