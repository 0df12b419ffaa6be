//! Random histories of a chat.

use std::fmt;

use proptest::prelude::*;
use tool_approval_guard::core::guard::{Fact, Failure};
use tool_approval_guard::core::id::RequestId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Server,
    Asks,
    Client,
    UnnamedClient,
    ClientAsks,
    Provider,
    ProviderAsks,
    AutoDenied,
    Unknown,
    /// A call of another list, with its output: nobody has seen it open.
    Other,
}

#[derive(Clone, Debug)]
pub enum Piece {
    Step(Vec<(Kind, bool)>),
    Text(bool),
    EmptyStep,
    NewId,
    Serve,
}

#[derive(Clone, Copy, Debug)]
pub enum End {
    Ended,
    /// In the middle of the response, if it has come that far.
    Broken(Failure),
    /// Before any response.
    Failed(Failure),
}

impl End {
    pub(super) fn input(self, request: RequestId) -> Fact {
        match self {
            Self::Ended => Fact::Ended(request),
            Self::Broken(failure) | Self::Failed(failure) => Fact::Failed { request, failure },
        }
    }
}

#[derive(Clone, Debug)]
pub enum Op {
    User,
    Continue,
    Regenerate,
    Retry,
    Piece(Piece),
    Finish(End),
    /// A response that is over is reported once more.
    Again(usize, Option<End>),
    Respond(Vec<Piece>, End),
    Answer(usize, bool),
    Garble(usize),
    Output {
        which: usize,
        value: u8,
        keep: bool,
        error: bool,
    },
    Replay {
        which: usize,
        other_input: bool,
    },
    /// A response breaks off, and a resumed stream brings a question back.
    Resume {
        which: usize,
        end: End,
        other_input: bool,
    },
    /// The page writes an output over a denied call, along with another input.
    Rewrite(usize),
    Stop,
    Look(bool),
    /// The SDK asks whether to send, although nothing has changed.
    Ask,
    DroppedAsk,
    Copy,
    /// The application empties the chat, which then continues until its old content can be dropped.
    Clear,
    /// The application replaces the list by another one with the same tools, call ids and places.
    Swap {
        new_ids: bool,
        asks: bool,
    },
    WrongChat,
}

fn kind() -> impl Strategy<Value = Kind> {
    use Kind::*;
    prop_oneof![
        4 => Just(Asks), 2 => Just(Server), 2 => Just(Client), 1 => Just(UnnamedClient),
        1 => Just(ClientAsks), 1 => Just(Provider), 1 => Just(ProviderAsks), 1 => Just(AutoDenied),
        1 => Just(Unknown),
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        4 => prop::collection::vec((kind(), prop::bool::weighted(0.3)), 1..3).prop_map(Piece::Step),
        2 => any::<bool>().prop_map(Piece::Text),
        1 => Just(Piece::EmptyStep),
        1 => Just(Piece::NewId),
        3 => Just(Piece::Serve),
    ]
}

pub fn failure() -> impl Strategy<Value = Failure> {
    let status = prop_oneof![
        4 => 400..600u32, 1 => 0..1_000u32, 1 => Just(399), 1 => Just(600), 1 => Just(u32::MAX), 1 => any::<u32>(),
    ];
    prop_oneof![1 => Just(Failure::NotAsked), 3 => status.prop_map(Failure::Status), 3 => Just(Failure::Unknown)]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![8 => Just(End::Ended), 1 => failure().prop_map(End::Broken), 1 => failure().prop_map(End::Failed)]
}

fn op() -> impl Strategy<Value = Op> {
    let output = (0..6usize, 0..3u8, any::<bool>(), prop::bool::weighted(0.2))
        .prop_map(|(which, value, keep, error)| Op::Output { which, value, keep, error });
    let replay = (0..4usize, prop::bool::weighted(0.2))
        .prop_map(|(which, other_input)| Op::Replay { which, other_input });
    let resume = (0..4usize, end(), prop::bool::weighted(0.2))
        .prop_map(|(which, end, other_input)| Op::Resume { which, end, other_input });
    prop_oneof![
        2 => Just(Op::User),
        1 => Just(Op::Continue),
        1 => Just(Op::Regenerate),
        1 => Just(Op::Retry),
        3 => piece().prop_map(Op::Piece),
        3 => end().prop_map(Op::Finish),
        1 => (0..3usize, prop::option::of(end())).prop_map(|(which, end)| Op::Again(which, end)),
        8 => (prop::collection::vec(piece(), 0..4), end()).prop_map(|(pieces, end)| Op::Respond(pieces, end)),
        12 => (0..4usize, any::<bool>()).prop_map(|(which, yes)| Op::Answer(which, yes)),
        1 => (0..4usize).prop_map(Op::Garble),
        6 => output,
        1 => replay,
        1 => resume,
        1 => Just(Op::Stop),
        1 => any::<bool>().prop_map(Op::Look),
        2 => Just(Op::Ask),
        2 => Just(Op::DroppedAsk),
        1 => Just(Op::Copy),
        1 => Just(Op::Clear),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(new_ids, asks)| Op::Swap { new_ids, asks }),
        1 => Just(Op::WrongChat),
    ]
}

/// The steps, with the size of a ledger segment. `true`: the event loop turns before the step.
#[derive(Clone)]
pub struct History {
    pub segment: usize,
    pub steps: Vec<(Op, bool)>,
}

impl fmt::Debug for History {
    /// One line for each step, so that a failure is readable.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "segment: {}", self.segment)?;
        self.steps.iter().try_for_each(|step| writeln!(f, "{step:?}"))
    }
}

/// A random history.
pub fn history() -> impl Strategy<Value = History> {
    let steps = prop::collection::vec((op(), prop::bool::weighted(0.9)), 1..30);
    (crate::common::segment(), steps).prop_map(|(segment, steps)| History { segment, steps })
}

/// A random history in which an allowance is sent, the request fails, and it is sent again.
pub fn failing_history() -> impl Strategy<Value = History> {
    let asks = prop::collection::vec(Just((Kind::Asks, false)), 1..3);
    let next = prop_oneof![
        6 => failure().prop_map(|failure| Op::Finish(End::Failed(failure))),
        2 => failure().prop_map(|failure| Op::Finish(End::Broken(failure))),
        6 => Just(Op::Retry),
        2 => any::<bool>().prop_map(|blank| Op::Piece(Piece::Text(blank))),
        1 => Just(Op::Piece(Piece::Serve)),
        3 => Just(Op::Ask),
        2 => (0..3usize, prop::option::of(end())).prop_map(|(which, end)| Op::Again(which, end)),
        1 => op(),
    ];
    let rest = prop::collection::vec((next, prop::bool::weighted(0.9)), 1..16);
    (crate::common::segment(), asks, any::<bool>(), rest).prop_map(|(segment, asks, second, rest)| {
        let begins =
            [Op::Respond(vec![Piece::Step(asks)], End::Ended), Op::Answer(0, true), Op::Answer(0, second)];
        let steps = begins.into_iter().map(|op| (op, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which the page adds output after output, so that one step after another is sent
/// automatically.
pub fn repeating_history() -> impl Strategy<Value = History> {
    let call = || prop_oneof![Just((Kind::UnnamedClient, false)), Just((Kind::Client, false))];
    let respond = || call().prop_map(|call| Op::Respond(vec![Piece::Step(vec![call])], End::Ended));
    let op = prop_oneof![
        6 => (0..6usize).prop_map(|which| Op::Output { which, value: 1, keep: true, error: false }),
        4 => respond(),
        3 => Just(Op::Ask),
        1 => Just(Op::DroppedAsk),
    ];
    let rest = prop::collection::vec((op, prop::bool::weighted(0.7)), 8..30);
    (crate::common::segment(), respond(), rest).prop_map(|(segment, begin, rest)| {
        let steps = std::iter::once((begin, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which the user stops the chat while an answer or an output is unsent.
pub fn stopping_history() -> impl Strategy<Value = History> {
    let call = || prop_oneof![3 => Just(Kind::Asks), 2 => Just(Kind::UnnamedClient), 1 => Just(Kind::Client)];
    let step = || prop::collection::vec((call(), Just(false)), 1..4).prop_map(Piece::Step);
    let respond = || step().prop_map(|step| Op::Respond(vec![step], End::Ended));
    let output =
        (0..6usize, 0..3u8).prop_map(|(which, value)| Op::Output { which, value, keep: true, error: false });
    let op = prop_oneof![
        6 => (0..4usize, any::<bool>()).prop_map(|(which, yes)| Op::Answer(which, yes)),
        6 => output,
        4 => Just(Op::Stop),
        2 => Just(Op::Ask),
        1 => Just(Op::Continue),
        1 => Just(Op::DroppedAsk),
        1 => respond(),
        1 => op(),
    ];
    let rest = prop::collection::vec((op, prop::bool::weighted(0.9)), 2..20);
    (crate::common::segment(), respond(), rest).prop_map(|(segment, begin, rest)| {
        let steps = std::iter::once((begin, true)).chain(rest).collect();
        History { segment, steps }
    })
}

/// A random history in which a call is denied, and then has another input or is replaced by another call.
pub fn replacing_history() -> impl Strategy<Value = History> {
    let asks = prop::collection::vec((Just(Kind::Asks), prop::bool::weighted(0.3)), 1..3);
    let respond = asks.prop_map(|asks| Op::Respond(vec![Piece::Step(asks)], End::Ended));
    let next = prop_oneof![
        3 => (0..4usize, prop::bool::weighted(0.3)).prop_map(|(which, yes)| Op::Answer(which, yes)),
        3 => (0..4usize, any::<bool>()).prop_map(|(which, other_input)| Op::Replay { which, other_input }),
        1 => (0..4usize, end(), any::<bool>())
            .prop_map(|(which, end, other_input)| Op::Resume { which, end, other_input }),
        3 => (0..4usize).prop_map(Op::Rewrite),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(new_ids, asks)| Op::Swap { new_ids, asks }),
        1 => (0..4usize, any::<bool>()).prop_map(|(which, keep)| Op::Output { which, value: 1, keep, error: false }),
        1 => Just(Op::User),
        1 => Just(Op::Copy),
        1 => op(),
    ];
    let rest = prop::collection::vec((next, prop::bool::weighted(0.9)), 1..12);
    (crate::common::segment(), respond, any::<bool>(), rest).prop_map(|(segment, begin, second, rest)| {
        let begins = [begin, Op::Answer(0, false), Op::Answer(0, second)];
        let steps = begins.into_iter().map(|op| (op, true)).chain(rest).collect();
        History { segment, steps }
    })
}
