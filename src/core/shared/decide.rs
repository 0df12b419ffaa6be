//! Decides on the request of a tab.

use super::document::{Document, Entry, Held, Outcome, Standing, Tab, Way};

/// The cause of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// The chat itself or a person, for answers that were never sent.
    Send,
    /// A person, for all answers that were not delivered.
    Retry,
}

/// What a tab asks of the document.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request<C> {
    /// Answer calls.
    Commit {
        /// The calls, each with its answer.
        answers: Vec<(C, bool)>,
    },
    /// Send answers with a request.
    Claim {
        /// The number of the request.
        request: u64,
        /// The cause of the claim.
        act: Act,
        /// The calls, each with the answer that would be sent.
        answers: Vec<(C, bool)>,
    },
    /// Show that the tab is alive.
    Renew {
        /// A request whose claims must still belong to the tab, with the answers that it carries.
        claim: Option<(u64, Vec<(C, bool)>)>,
    },
    /// Report the end of a request.
    End {
        /// The number of the request.
        request: u64,
        /// The end of the request.
        outcome: Outcome,
    },
    /// Take back the allowances of this tab that no tab has claimed, because its chat was stopped.
    Withdraw,
    /// Give up another tab.
    GiveUp {
        /// The tab.
        tab: Tab,
        /// The beat that did not change for a whole lease.
        beat: u64,
    },
    /// Open the chat.
    Open {
        /// The page that this one continues, which is gone.
        before: Option<Tab>,
    },
}

/// The calls that were decided differently or by another tab, each with the answer that stands. Nothing was
/// appended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Elsewhere<C>(pub Vec<(C, bool)>);

/// Calls, each with an answer.
type Answers<C> = Vec<(C, bool)>;

/// Decides on the request of a tab, and returns the entries to append.
///
/// # Errors
///
/// Fails with the answers that stand, if another tab came first.
pub fn decide<D: Document>(
    document: &D,
    tab: Tab,
    request: Request<D::Call>,
) -> Result<Vec<Entry<D::Call>>, Elsewhere<D::Call>> {
    let lives = Entry::Lives(tab);
    let answered = |(call, approved)| Entry::Answered { call, approved, tab };
    let mut entries: Vec<Entry<D::Call>> = Vec::new();
    match request {
        Request::Commit { answers } => {
            let new = check(document, answers, |held, approved| commits(held, tab, approved))?;
            entries.extend(new.into_iter().map(answered));
            entries.push(lives);
        }
        Request::Claim { request, act, answers } => {
            let may = |held, approved| claims(document, held, tab, act, approved);
            let new = check(document, answers.clone(), may)?;
            entries.extend(new.into_iter().map(answered));
            entries.extend(answers.into_iter().map(|(call, _)| Entry::Claimed { call, tab, request }));
            entries.push(lives);
        }
        Request::Renew { claim } => {
            let (request, answers) = claim.unwrap_or((0, Vec::new()));
            let own = Way::Claimed { tab, request };
            let is_own = |held: Option<Held>| held.is_some_and(|held| held.way == own);
            check(document, answers, |held, _| is_own(held).then_some(New::No))?;
            entries.push(lives);
        }
        Request::End { request, outcome } => {
            entries.extend([Entry::Ended { tab, request, outcome }, lives]);
        }
        Request::Withdraw => entries.extend([Entry::Withdrawn(tab), lives]),
        Request::GiveUp { tab: other, beat } => {
            let is_silent = document.beat(other) == Some(beat);
            entries.extend(is_silent.then_some(Entry::GivenUp(other)));
        }
        Request::Open { before } => entries.extend(before.map(Entry::GivenUp).into_iter().chain([lives])),
    }
    Ok(entries)
}

/// Whether an answer that may be given still has to be appended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum New {
    Yes,
    No,
}

/// Checks each answer, and returns the new entries. `may` returns `None` if an answer is refused.
fn check<D: Document>(
    document: &D,
    answers: Answers<D::Call>,
    may: impl Fn(Option<Held>, bool) -> Option<New>,
) -> Result<Answers<D::Call>, Elsewhere<D::Call>> {
    let mut new = Vec::new();
    let mut decided = Vec::new();
    for (call, approved) in answers {
        let held = document.held(&call);
        match may(held, approved) {
            Some(New::Yes) => new.push((call, approved)),
            Some(New::No) => {}
            None => decided.push((call, held.is_some_and(|held| held.approved))),
        }
    }
    if decided.is_empty() { Ok(new) } else { Err(Elsewhere(decided)) }
}

/// The first answer wins. But until a tab has claimed to send it, a denial wins over an allowance (law 7).
fn commits(held: Option<Held>, tab: Tab, approved: bool) -> Option<New> {
    let Some(held) = held else { return Some(New::Yes) };
    if held.approved && !approved && held.way == Way::Unclaimed {
        return Some(New::Yes);
    }
    (held.approved == approved && held.by == tab).then_some(New::No)
}

/// An answer is sent as it stands, by one request only, and by any tab: the one that completes a step sends all
/// of it. If it may already have been sent, only a person's retry sends it again (law 13).
fn claims<D: Document>(document: &D, held: Option<Held>, tab: Tab, act: Act, approved: bool) -> Option<New> {
    let Some(standing) = held.filter(|held| held.approved == approved) else {
        return commits(held, tab, approved);
    };
    let may = match standing.standing(tab, |other| document.beat(other)) {
        Standing::Unclaimed => true,
        Standing::InDoubt | Standing::Refused => act == Act::Retry,
        Standing::Claimed | Standing::Elsewhere | Standing::Delivered => false,
    };
    may.then_some(New::No)
}
