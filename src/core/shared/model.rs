//! A model of tabs that answer the same calls, including everything that can happen to them between two
//! transactions. Everything that a browser can do to a page is a [`Step`]; a page that takes no step is
//! frozen.

use super::decide::{Act, Request, decide};
use super::document::{Document, Entry, Held, Outcome, Standing, Tab, Way};

/// The number of tabs at the beginning. A page that is reloaded counts as another tab.
pub const TABS: usize = 3;
pub const PAGES: usize = TABS + 1;

/// The length of a lease, in ticks. If this many ticks lie between two events, more than `LEASE - 1` ticks of
/// time have passed.
const LEASE: u8 = 3;

/// A fault that is introduced on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// A commit checks nothing.
    CommitUnchecked,
    /// A claim checks nothing.
    ClaimUnchecked,
    /// A claim checks who sends, but not what was decided.
    AnswerUnchecked,
    /// A tab can be given up at any time.
    LeaseIgnored,
    /// A tab is given up although it has written since it was observed.
    BeatIgnored,
    /// A tab sends what it has claimed, however late.
    SentLate,
    /// Answers in doubt are sent again without a retry.
    DoubtIgnored,
    /// No tab is ever given up.
    NobodyGivenUp,
    /// A tab that has no beat counts as alive.
    AbsentLives,
    /// A page that was stopped takes back all answers that no tab has claimed.
    WithdrawUnchecked,
    /// A page that was stopped sends what it has claimed.
    SentStopped,
    /// A page that was stopped keeps its allowances.
    StoppedHolds,
    /// A page waits for the tab that gave an answer to send it.
    OwnAnswersOnly,
}

/// The document, folded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sheet<const N: usize> {
    pub held: [Option<Held>; N],
    beats: [Option<u64>; PAGES],
}

/// The document, as an implementation with this fault reads it.
struct View<'a, const N: usize>(&'a Sheet<N>, Fault);

impl<const N: usize> Document for View<'_, N> {
    type Call = usize;

    fn held(&self, call: &usize) -> Option<Held> {
        self.0.held[*call]
    }

    fn beat(&self, tab: Tab) -> Option<u64> {
        self.0.beats[tab.0 as usize].or((self.1 == Fault::AbsentLives).then_some(0))
    }
}

impl<const N: usize> Sheet<N> {
    fn apply(&mut self, entry: Entry<usize>) {
        match entry {
            Entry::Answered { call, approved, tab } => {
                self.held[call] = Some(Held { approved, by: tab, way: Way::Unclaimed });
            }
            Entry::Claimed { call, tab, request } => {
                if let Some(held) = &mut self.held[call] {
                    held.way = Way::Claimed { tab, request };
                }
            }
            Entry::Ended { tab, request, outcome } => {
                for held in self.held.iter_mut().flatten() {
                    if held.way == (Way::Claimed { tab, request }) {
                        held.way = match outcome {
                            Outcome::Delivered => Way::Delivered,
                            Outcome::Refused => Way::Refused,
                            Outcome::Unknown => Way::Broken,
                        };
                    }
                }
            }
            Entry::Withdrawn(tab) => {
                for held in &mut self.held {
                    *held =
                        held.filter(|held| !held.approved || held.way != Way::Unclaimed || held.by != tab);
                }
            }
            Entry::Lives(tab) => {
                let beat = self.beats[tab.0 as usize].unwrap_or(1) + 1;
                self.beats[tab.0 as usize] = self.is_awaited(tab).then_some(beat);
            }
            Entry::GivenUp(tab) => self.beats[tab.0 as usize] = None,
        }
    }

    /// Whether other tabs wait for this tab.
    fn is_awaited(&self, tab: Tab) -> bool {
        self.held.iter().flatten().any(|held| match held.way {
            Way::Unclaimed => held.approved && held.by == tab,
            Way::Claimed { tab: other, .. } => other == tab,
            _ => false,
        })
    }
}

/// A claim whose transaction is complete, although the tab does not know the result yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    granted: bool,
    act: Act,
    request: u64,
    /// Whether a tick has passed since its last transaction began.
    late: bool,
}

/// What a page will do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// It has decided, and will commit.
    Drafted,
    /// Its commit is complete, but it does not know the result.
    Commits { granted: bool },
    /// It knows that its answers stand. It claims all answers as soon as no call is open.
    Committed,
    /// Its claim is complete, but it does not know the result.
    Claims(Claim),
    /// Its request has left.
    Sent { request: u64 },
    /// It has nothing to do until a person presses something.
    Rests,
    /// A person has stopped it. It sends nothing until a person presses something.
    Stopped,
    /// It does not exist.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page<const N: usize> {
    pub phase: Phase,
    /// The answers that it gives, or has given.
    wants: [Option<bool>; N],
    requests: u64,
    /// The ticks since it last wrote.
    silence: u8,
}

/// All pages, the document they share, and what has been sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World<const N: usize> {
    pub sheet: Sheet<N>,
    pub pages: [Page<N>; PAGES],
    /// How often each answer was sent.
    sends: [u8; N],
    /// Whether the call was ever denied.
    denied: [bool; N],
    /// Whether the page that allowed the call was stopped before a page had claimed the answer.
    taken_back: [bool; N],
    /// How many times a page may still be closed, killed or reloaded.
    crashes: u8,
    /// How many times a person may still press something.
    presses: u8,
    /// How many times a person may still stop a page.
    stops: u8,
    /// How many times a page may still write only to show that it is alive.
    renewals: u8,
    /// A page that was silent for a lease, with its beat. Some page has observed this, and will give it up.
    silent: Option<(usize, u64)>,
    /// The violation, if there is one.
    pub broken: Option<&'static str>,
}

/// An event in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Time passes.
    Tick,
    /// The page continues: with its next transaction, or with the result of the last one.
    Go(usize),
    /// A response ends.
    Responds(usize, Outcome),
    /// A page writes to show that it is alive.
    Renews(usize),
    /// A person presses something.
    Presses(usize, Act),
    /// A person stops the page. Its request is aborted, before or after it has left.
    Stops(usize),
    /// Some page observes that another one is silent.
    Notices(usize),
    /// The page that was observed to be silent is given up.
    GivesUp,
    /// A page is closed, killed or crashes.
    Crashes(usize),
    /// A page is reloaded, and knows which page it continues.
    Reloads(usize),
}

/// The first state: each page wants to answer some of the calls.
pub fn world<const N: usize>(wants: [[Option<bool>; N]; TABS], presses: u8) -> World<N> {
    let page = |wants, phase| Page { phase, wants, requests: 0, silence: 0 };
    let mut pages = [page([None; N], Phase::Gone); PAGES];
    for (at, wants) in wants.into_iter().enumerate() {
        pages[at] = page(wants, if wants == [None; N] { Phase::Rests } else { Phase::Drafted });
    }
    World {
        sheet: Sheet { held: [None; N], beats: [None; PAGES] },
        pages,
        sends: [0; N],
        denied: [false; N],
        taken_back: [false; N],
        crashes: 1,
        presses,
        stops: 1,
        renewals: 1,
        silent: None,
        broken: None,
    }
}

impl<const N: usize> World<N> {
    /// All steps that are possible next.
    pub fn steps(&self, fault: Fault) -> Vec<Step> {
        let mut steps = vec![Step::Tick];
        for (at, page) in self.pages.iter().enumerate() {
            match page.phase {
                Phase::Gone => continue,
                Phase::Sent { .. } => {
                    steps.extend(
                        [Outcome::Delivered, Outcome::Refused, Outcome::Unknown]
                            .map(|o| Step::Responds(at, o)),
                    );
                }
                Phase::Rests | Phase::Stopped if self.presses > 0 && self.is_complete() => {
                    steps.extend([Step::Presses(at, Act::Send), Step::Presses(at, Act::Retry)]);
                }
                Phase::Rests | Phase::Stopped => {}
                Phase::Committed if !self.may_claim(at, fault) => {}
                _ => steps.push(Step::Go(at)),
            }
            if self.stops > 0 && !matches!(page.phase, Phase::Drafted | Phase::Rests | Phase::Stopped) {
                steps.push(Step::Stops(at));
            }
            if self.renewals > 0 && matches!(page.phase, Phase::Claims(_) | Phase::Sent { .. }) {
                steps.push(Step::Renews(at));
            }
            if self.crashes > 0 {
                steps.extend([Step::Crashes(at), Step::Reloads(at)]);
            }
        }
        steps.extend(self.watching(fault));
        steps
    }

    /// The steps by which pages observe and give up a silent page.
    fn watching(&self, fault: Fault) -> Vec<Step> {
        if self.silent.is_some() {
            return vec![Step::GivesUp];
        }
        let lease = if fault == Fault::LeaseIgnored { 0 } else { LEASE };
        let lives = |page: usize| self.pages[page].phase != Phase::Gone;
        let is_seen = |page: usize| (0..PAGES).any(|other| other != page && lives(other));
        let has_beat = |page: usize| self.sheet.beats[page].is_some();
        let is_silent = |&page: &usize| is_seen(page) && has_beat(page) && self.pages[page].silence >= lease;
        let pages = if fault == Fault::NobodyGivenUp { 0..0 } else { 0..PAGES };
        pages.filter(is_silent).map(Step::Notices).collect()
    }

    /// Removes everything that makes no difference to the further steps, so that equivalent states become
    /// equal.
    fn reduced(mut self) -> Self {
        for at in 0..PAGES {
            let beat = &mut self.sheet.beats[at];
            let page = &mut self.pages[at];
            page.silence = if beat.is_some() { page.silence.min(LEASE) } else { 0 };
            if matches!(page.phase, Phase::Rests | Phase::Stopped | Phase::Gone) {
                page.wants = [None; N];
            }
            // All that matters about an observation is whether the beat is still the same.
            self.silent = self.silent.map(|(page, seen)| match page == at {
                true => (page, u64::from(Some(seen) == *beat)),
                false => (page, seen),
            });
            *beat = beat.map(|_| 1);
        }
        self
    }

    /// The state after a step.
    pub fn after(&self, step: Step, fault: Fault) -> Self {
        let mut next = self.clone();
        match step {
            Step::Tick => next.tick(),
            Step::Go(at) => next.go(at, fault),
            Step::Responds(at, outcome) => {
                if let Phase::Sent { request } = next.pages[at].phase {
                    next.transact(at, Request::End { request, outcome }, fault);
                    next.pages[at].phase = Phase::Rests;
                }
            }
            Step::Renews(at) => {
                next.renewals -= 1;
                next.transact(at, Request::Renew { claim: None }, fault);
            }
            Step::Presses(at, act) => {
                next.presses -= 1;
                let answers = next.answers();
                next.claim(at, act, answers, fault);
            }
            Step::Stops(at) => next.stop(at, fault),
            Step::Notices(page) => next.silent = next.sheet.beats[page].map(|beat| (page, beat)),
            Step::GivesUp => {
                if let Some((page, beat)) = next.silent.take() {
                    let now = next.sheet.beats[page].unwrap_or_default();
                    let beat = if fault == Fault::BeatIgnored { now } else { beat };
                    let other = (page + 1) % PAGES;
                    next.transact(other, Request::GiveUp { tab: Tab(page as u64), beat }, fault);
                }
            }
            Step::Crashes(at) => {
                next.crashes -= 1;
                next.pages[at].phase = Phase::Gone;
            }
            Step::Reloads(at) => {
                next.crashes -= 1;
                next.pages[at].phase = Phase::Gone;
                next.pages[TABS].phase = Phase::Rests;
                next.transact(TABS, Request::Open { before: Some(Tab(at as u64)) }, fault);
            }
        }
        next.reduced()
    }

    fn tick(&mut self) {
        for page in &mut self.pages {
            page.silence += 1;
            if let Phase::Claims(claim) = &mut page.phase {
                claim.late = true;
            }
        }
    }

    /// The answers that stand, which a person would send.
    fn answers(&self) -> Vec<(usize, bool)> {
        let held = self.sheet.held.iter().enumerate();
        held.filter_map(|(call, held)| Some((call, (*held)?.approved))).collect()
    }

    /// Whether no call is open.
    fn is_complete(&self) -> bool {
        self.sheet.held.iter().all(Option::is_some)
    }

    /// Whether a page that has committed its answers claims all of them. If it was not refused yet, it does not
    /// know what other pages have claimed or denied since.
    fn may_claim(&self, at: usize, fault: Fault) -> bool {
        let is_own = |held: &Held| held.by == Tab(at as u64);
        let mut held = self.sheet.held.iter().flatten();
        let is_told = self.pages[at].wants == [None; N];
        let is_unclaimed = held.clone().all(|held| held.way == Way::Unclaimed) && held.clone().any(is_own);
        let waits = fault == Fault::OwnAnswersOnly && held.any(|held| held.approved && !is_own(held));
        self.is_complete() && (!is_told || is_unclaimed) && !waits
    }

    fn go(&mut self, at: usize, fault: Fault) {
        let Page { phase, wants, .. } = self.pages[at];
        let wanted = wants.into_iter().enumerate();
        let answers: Vec<(usize, bool)> = wanted.filter_map(|(call, answer)| Some((call, answer?))).collect();
        match phase {
            Phase::Drafted => {
                let granted = self.transact(at, Request::Commit { answers }, fault);
                self.pages[at].phase = Phase::Commits { granted };
            }
            Phase::Commits { granted } => {
                self.pages[at].phase = if granted { Phase::Committed } else { Phase::Rests };
            }
            Phase::Committed => {
                let held = self.answers().into_iter();
                let answers = held.map(|(call, held)| (call, wants[call].unwrap_or(held))).collect();
                self.claim(at, Act::Send, answers, fault);
            }
            // It has been told which answers stand.
            Phase::Claims(claim) if !claim.granted => {
                self.pages[at].wants = [None; N];
                self.pages[at].phase = Phase::Committed;
            }
            Phase::Claims(claim) if claim.late && fault != Fault::SentLate => {
                let carried = self.carried(at, claim.request);
                // The answers that it carries are the page's own, even if the document says something else by
                // now.
                let answers = if carried.is_empty() { answers } else { carried };
                let claim = Claim { late: false, ..claim };
                let renew = Request::Renew { claim: Some((claim.request, answers)) };
                let granted = self.transact(at, renew, fault);
                self.pages[at].phase = Phase::Claims(Claim { granted, ..claim });
            }
            Phase::Claims(claim) => self.send(at, claim),
            Phase::Sent { .. } | Phase::Rests | Phase::Stopped | Phase::Gone => {}
        }
    }

    /// Stops a page. A request that has not left yet is known to be refused, and one that has left is in doubt.
    fn stop(&mut self, at: usize, fault: Fault) {
        self.stops -= 1;
        let tab = Tab(at as u64);
        for (held, taken_back) in self.sheet.held.iter().zip(&mut self.taken_back) {
            *taken_back |= *held == Some(Held { approved: true, by: tab, way: Way::Unclaimed });
        }
        let (request, outcome) = match self.pages[at].phase {
            Phase::Claims(Claim { granted: true, request, .. }) => (request, Outcome::Refused),
            Phase::Sent { request } => (request, Outcome::Unknown),
            _ => (0, Outcome::Refused),
        };
        self.transact(at, Request::End { request, outcome }, fault);
        if fault != Fault::StoppedHolds {
            self.transact(at, Request::Withdraw, fault);
        }
        if fault == Fault::WithdrawUnchecked {
            self.sheet.held = self.sheet.held.map(|held| held.filter(|held| held.way != Way::Unclaimed));
        }
        if fault != Fault::SentStopped {
            self.pages[at].phase = Phase::Stopped;
        }
    }

    /// The answers that a request of a page has claimed, and that no other request has claimed since.
    fn carried(&self, at: usize, request: u64) -> Vec<(usize, bool)> {
        let own = Way::Claimed { tab: Tab(at as u64), request };
        let is_own = |&(call, _): &(usize, bool)| self.sheet.held[call].is_some_and(|held| held.way == own);
        self.answers().into_iter().filter(is_own).collect()
    }

    fn claim(&mut self, at: usize, act: Act, answers: Vec<(usize, bool)>, fault: Fault) {
        self.pages[at].requests += 1;
        let request = self.pages[at].requests;
        let granted = self.transact(at, Request::Claim { request, act, answers }, fault);
        self.pages[at].phase = Phase::Claims(Claim { granted, act, request, late: false });
    }

    /// The request leaves the page.
    fn send(&mut self, at: usize, claim: Claim) {
        let Claim { act, request, .. } = claim;
        let tab = Tab(at as u64);
        self.pages[at].phase = Phase::Sent { request };
        for call in 0..N {
            let Some(held) = self.sheet.held[call] else { continue };
            let carries = self.pages[at].phase == Phase::Sent { request };
            let holds = held.way == (Way::Claimed { tab, request }) && self.sheet.beats[at].is_some();
            let broken = match () {
                () if carries && !holds => Some("it was sent under a claim that does not stand"),
                () if held.approved && self.denied[call] => Some("a yes was sent after a no"),
                () if held.approved && self.taken_back[call] => Some("a yes was sent that was taken back"),
                () if self.sends[call] > 0 && act != Act::Retry => Some("it was sent twice"),
                () => None,
            };
            self.broken = self.broken.or(broken);
            self.sends[call] = (self.sends[call] + 1).min(2);
        }
    }

    /// Runs one transaction: decides, then appends. Returns whether the request was granted.
    fn transact(&mut self, at: usize, request: Request<usize>, fault: Fault) -> bool {
        let tab = Tab(at as u64);
        let entries = match (fault, self.faulty(tab, &request, fault)) {
            (_, Some(entries)) => Ok(entries),
            (Fault::DoubtIgnored, None) => decide(&View(&self.sheet, fault), tab, repeating(request)),
            _ => decide(&View(&self.sheet, fault), tab, request),
        };
        let Ok(entries) = entries else { return false };
        for entry in entries {
            match entry {
                Entry::Lives(_) => self.pages[at].silence = 0,
                Entry::Answered { call, .. } => self.taken_back[call] = false,
                _ => {}
            }
            self.sheet.apply(entry);
        }
        for (call, held) in self.sheet.held.iter().enumerate() {
            let Some(held) = held else { continue };
            if held.approved && self.denied[call] {
                self.broken = self.broken.or(Some("a yes stands after a no"));
            }
            self.denied[call] |= !held.approved;
        }
        true
    }

    /// The entries that an implementation with this fault would append.
    fn faulty(&self, tab: Tab, request: &Request<usize>, fault: Fault) -> Option<Vec<Entry<usize>>> {
        let answer = |&(call, approved): &(usize, bool)| Entry::Answered { call, approved, tab };
        match (fault, request) {
            (Fault::CommitUnchecked, Request::Commit { answers }) => {
                Some(answers.iter().map(answer).chain([Entry::Lives(tab)]).collect())
            }
            (Fault::ClaimUnchecked, Request::Claim { request, answers, .. }) => {
                Some(claimed(tab, *request, answers))
            }
            (Fault::AnswerUnchecked, Request::Claim { request, answers, .. }) => {
                let is_free = |&(call, _): &(usize, bool)| match self.sheet.held[call] {
                    Some(held) => held.way == Way::Unclaimed,
                    None => true,
                };
                let entries = answers.iter().map(answer).chain(claimed(tab, *request, answers));
                answers.iter().all(is_free).then(|| entries.collect())
            }
            _ => None,
        }
    }

    /// Whether a page waits for nothing: a person can act in it, or everything has been delivered.
    pub fn is_at_end(&self, at: usize, fault: Fault) -> bool {
        let phase = self.pages[at].phase;
        let tab = Tab(at as u64);
        let ends = |held: &Held| match held.standing(tab, |tab| View(&self.sheet, fault).beat(tab)) {
            // Nobody has asked this page to send it, or a person can still answer another call.
            Standing::Unclaimed => held.by != tab || phase == Phase::Stopped || !self.is_complete(),
            Standing::Claimed | Standing::Elsewhere => false,
            Standing::InDoubt | Standing::Refused | Standing::Delivered => true,
        };
        !self.acts(at, fault) && (phase == Phase::Gone || self.sheet.held.iter().flatten().all(ends))
    }

    /// Whether a page continues without a person.
    fn acts(&self, at: usize, fault: Fault) -> bool {
        match self.pages[at].phase {
            Phase::Rests | Phase::Stopped | Phase::Gone => false,
            Phase::Committed => self.may_claim(at, fault),
            _ => true,
        }
    }

    /// Whether some page is not at its end although nothing happens any more without a person. All pages that
    /// exist show that they are alive, so none of them is given up.
    pub fn is_stuck(&self, fault: Fault) -> bool {
        let is_given_up = |at: usize| {
            let is_gone = self.pages[at].phase == Phase::Gone;
            is_gone && fault != Fault::NobodyGivenUp && self.sheet.beats[at].is_some()
        };
        let goes_on = |at: usize| self.acts(at, fault) || is_given_up(at);
        !(0..PAGES).any(goes_on) && !(0..PAGES).all(|at| self.is_at_end(at, fault))
    }
}

impl Step {
    /// Whether the page takes this step without the help of other pages.
    pub fn is_of(self, at: usize) -> bool {
        match self {
            Self::Go(page) => page == at,
            Self::GivesUp => true,
            Self::Notices(page) => page != at,
            Self::Responds(page, outcome) => page == at && outcome == Outcome::Delivered,
            _ => false,
        }
    }
}

fn claimed(tab: Tab, request: u64, answers: &[(usize, bool)]) -> Vec<Entry<usize>> {
    let claims = answers.iter().map(|&(call, _)| Entry::Claimed { call, tab, request });
    claims.chain([Entry::Lives(tab)]).collect()
}

/// Treats any claim as if a person had asked for a retry.
fn repeating(request: Request<usize>) -> Request<usize> {
    match request {
        Request::Claim { request, answers, .. } => Request::Claim { request, act: Act::Retry, answers },
        other => other,
    }
}
