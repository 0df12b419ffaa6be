//! A model of tabs that answer the same calls, including everything that can happen to them between two
//! transactions. Everything that a browser can do to a page is a [`Step`]; a page that takes no step is
//! frozen.

use super::{Progress, SharedAnswer, Standing};

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

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The response is complete.
    Delivered,
    /// The server is known to have refused the request, or the request never left.
    Refused,
    /// It is unknown what happened.
    Unknown,
}

/// A transaction of a page.
enum Request {
    /// It answers these calls.
    Commit(Vec<(usize, bool)>),
    /// It is about to send these answers with a request.
    Claim { request: u64, is_retry: bool, answers: Vec<(usize, bool)> },
    /// It shows that it is alive, if as many calls as before are claimed by its request.
    Renew(u64, usize),
    /// Its request has ended.
    End(u64, Outcome),
    /// It takes back its allowances that no page has claimed.
    Withdraw,
    /// It gives up another page, whose beat did not change for a whole lease.
    GiveUp(usize, u64),
    /// It is opened, and the page that it continues is gone.
    Open(usize),
}

/// The document, folded.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sheet<const N: usize> {
    pub held: [Option<SharedAnswer<usize>>; N],
    /// The number of the request that has claimed each answer; 0 for none.
    requests: [u64; N],
    /// Whether it is not known what came of an earlier request with the answer.
    in_doubt: [bool; N],
    beats: [Option<u64>; PAGES],
}

impl<const N: usize> Sheet<N> {
    /// Whether a page has a beat, as an implementation with this fault reads it.
    fn lives(&self, fault: Fault) -> impl Fn(usize) -> bool {
        move |page| self.beats[page].is_some() || fault == Fault::AbsentLives
    }

    /// Whether a page may give this answer.
    fn may_answer(&self, call: usize, approved: bool) -> bool {
        self.held[call].is_none_or(|held| held.may_be_replaced(approved))
    }

    /// Whether a page may claim to send this answer.
    fn may_claim(&self, call: usize, page: usize, approved: bool, is_retry: bool, fault: Fault) -> bool {
        let is_retry = is_retry || fault == Fault::DoubtIgnored;
        match self.held[call].filter(|held| held.approved == approved) {
            Some(held) => held.may_be_sent(page, is_retry, self.lives(fault)),
            None => self.may_answer(call, approved),
        }
    }

    fn answer(&mut self, call: usize, by: usize, approved: bool) {
        self.held[call] = Some(SharedAnswer { approved, by, progress: Progress::Unclaimed });
        (self.requests[call], self.in_doubt[call]) = (0, false);
    }

    /// A page is about to send an answer.
    fn claim(&mut self, call: usize, page: usize, request: u64) {
        let Some(held) = &mut self.held[call] else { return };
        // That its page was given up, or that this one has begun again, says nothing of the request.
        self.in_doubt[call] |= matches!(held.progress, Progress::Broken | Progress::Claimed(_));
        held.progress = Progress::Claimed(page);
        self.requests[call] = request;
    }

    fn is_claimed(&self, call: usize, page: usize, request: u64) -> bool {
        let is_its = self.held[call].is_some_and(|held| held.progress == Progress::Claimed(page));
        is_its && self.requests[call] == request
    }

    fn end(&mut self, page: usize, request: u64, outcome: Outcome) {
        for call in (0..N).filter(|&call| self.is_claimed(call, page, request)).collect::<Vec<_>>() {
            self.requests[call] = 0;
            if let Some(held) = &mut self.held[call] {
                held.progress = match outcome {
                    Outcome::Delivered => Progress::Delivered,
                    Outcome::Refused if !self.in_doubt[call] => Progress::Refused,
                    Outcome::Refused | Outcome::Unknown => Progress::Broken,
                };
            }
        }
    }

    /// A page writes. It has a beat as long as others wait for it.
    fn beat(&mut self, page: usize) {
        let is_awaited = self.held.iter().flatten().any(|held| match held.progress {
            Progress::Unclaimed => held.approved && held.by == page,
            way => way == Progress::Claimed(page),
        });
        let beat = self.beats[page].unwrap_or(1) + 1;
        self.beats[page] = is_awaited.then_some(beat);
    }
}

/// A claim whose transaction is complete, although the tab does not know the result yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    granted: bool,
    is_retry: bool,
    request: u64,
    /// The number of answers that it has claimed.
    calls: usize,
    /// Whether a tick has passed since its last transaction began.
    late: bool,
}

/// The next act of a page.
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
    /// For each answer, the number of times that it was sent.
    sends: [u8; N],
    /// Whether the call was ever denied.
    denied: [bool; N],
    /// Whether the page that allowed the call was stopped before a page had claimed the answer.
    taken_back: [bool; N],
    /// The number of times that a page may still be closed, killed or reloaded.
    crashes: u8,
    /// The number of times that a person may still press something.
    presses: u8,
    /// The number of times that a person may still stop a page.
    stops: u8,
    /// The number of times that a page may still write only to show that it is alive.
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
    /// A person sends what was never sent, or retries.
    Presses(usize, bool),
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
        sheet: Sheet { held: [None; N], requests: [0; N], in_doubt: [false; N], beats: [None; PAGES] },
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
                    steps.extend([Step::Presses(at, false), Step::Presses(at, true)]);
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
                    next.forget_refused(at, request, outcome);
                    next.transact(at, Request::End(request, outcome), fault);
                    next.pages[at].phase = Phase::Rests;
                }
            }
            Step::Renews(at) => {
                next.renewals -= 1;
                next.transact(at, Request::Renew(0, 0), fault);
            }
            Step::Presses(at, is_retry) => {
                next.presses -= 1;
                let answers = next.answers();
                next.claim(at, is_retry, answers, fault);
            }
            Step::Stops(at) => next.stop(at, fault),
            Step::Notices(page) => next.silent = next.sheet.beats[page].map(|beat| (page, beat)),
            Step::GivesUp => {
                if let Some((page, beat)) = next.silent.take() {
                    let now = next.sheet.beats[page].unwrap_or_default();
                    let beat = if fault == Fault::BeatIgnored { now } else { beat };
                    let other = (page + 1) % PAGES;
                    next.transact(other, Request::GiveUp(page, beat), fault);
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
                next.transact(TABS, Request::Open(at), fault);
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

    /// The answers that stand, which a person would send. What has arrived does not leave again.
    fn answers(&self) -> Vec<(usize, bool)> {
        let held = self.sheet.held.iter().enumerate();
        let left = held.filter_map(|(call, held)| Some((call, (*held)?)));
        left.filter(|(_, held)| held.progress != Progress::Delivered)
            .map(|(call, held)| (call, held.approved))
            .collect()
    }

    /// Whether no call is open.
    fn is_complete(&self) -> bool {
        self.sheet.held.iter().all(Option::is_some)
    }

    /// Whether a page that has committed its answers claims all of them. If it was not refused yet, it does not
    /// know what other pages have claimed or denied since.
    fn may_claim(&self, at: usize, fault: Fault) -> bool {
        let is_own = |held: &SharedAnswer<usize>| held.by == at;
        let mut held = self.sheet.held.iter().flatten();
        let is_told = self.pages[at].wants == [None; N];
        let is_free = |held: &SharedAnswer<usize>| {
            matches!(held.progress, Progress::Unclaimed | Progress::Refused | Progress::Delivered)
        };
        let is_new = |held: &SharedAnswer<usize>| is_own(held) && held.progress == Progress::Unclaimed;
        let is_unclaimed = held.clone().all(is_free) && held.clone().any(is_new);
        let waits = fault == Fault::OwnAnswersOnly && held.any(|held| held.approved && !is_own(held));
        self.is_complete() && (!is_told || is_unclaimed) && !waits
    }

    fn go(&mut self, at: usize, fault: Fault) {
        let Page { phase, wants, .. } = self.pages[at];
        let wanted = wants.into_iter().enumerate();
        let answers: Vec<(usize, bool)> = wanted.filter_map(|(call, answer)| Some((call, answer?))).collect();
        match phase {
            Phase::Drafted => {
                let granted = self.transact(at, Request::Commit(answers), fault);
                self.pages[at].phase = Phase::Commits { granted };
            }
            Phase::Commits { granted } => {
                self.pages[at].phase = if granted { Phase::Committed } else { Phase::Rests };
            }
            Phase::Committed => {
                let held = self.answers().into_iter();
                let answers = held.map(|(call, held)| (call, wants[call].unwrap_or(held))).collect();
                self.claim(at, false, answers, fault);
            }
            // It has been told which answers stand. What it still has claimed never leaves.
            Phase::Claims(claim) if !claim.granted => {
                self.transact(at, Request::End(claim.request, Outcome::Refused), fault);
                self.pages[at].wants = [None; N];
                self.pages[at].phase = Phase::Committed;
            }
            Phase::Claims(claim) if claim.late && fault != Fault::SentLate => {
                let claim = Claim { late: false, ..claim };
                let granted = self.transact(at, Request::Renew(claim.request, claim.calls), fault);
                self.pages[at].phase = Phase::Claims(Claim { granted, ..claim });
            }
            Phase::Claims(claim) => self.send(at, claim),
            Phase::Sent { .. } | Phase::Rests | Phase::Stopped | Phase::Gone => {}
        }
    }

    /// Stops a page. A request that has not left yet is known to be refused, and one that has left is in doubt.
    fn stop(&mut self, at: usize, fault: Fault) {
        self.stops -= 1;
        for (held, taken_back) in self.sheet.held.iter().zip(&mut self.taken_back) {
            *taken_back |=
                *held == Some(SharedAnswer { approved: true, by: at, progress: Progress::Unclaimed });
        }
        let (request, outcome) = match self.pages[at].phase {
            Phase::Claims(Claim { request, .. }) => (request, Outcome::Refused),
            Phase::Sent { request } => (request, Outcome::Unknown),
            _ => (0, Outcome::Refused),
        };
        self.transact(at, Request::End(request, outcome), fault);
        if fault != Fault::StoppedHolds {
            self.transact(at, Request::Withdraw, fault);
        }
        if fault == Fault::WithdrawUnchecked {
            self.sheet.held =
                self.sheet.held.map(|held| held.filter(|held| held.progress != Progress::Unclaimed));
        }
        if fault != Fault::SentStopped {
            self.pages[at].phase = Phase::Stopped;
        }
    }

    /// The calls that a request of a page has claimed, and that no other request has claimed since.
    fn carried(&self, at: usize, request: u64) -> Vec<usize> {
        (0..N).filter(|&call| self.sheet.is_claimed(call, at, request)).collect()
    }

    /// An answer that a server has refused was not sent.
    fn forget_refused(&mut self, at: usize, request: u64, outcome: Outcome) {
        if outcome == Outcome::Refused {
            for call in self.carried(at, request) {
                self.sends[call] -= 1;
            }
        }
    }

    fn claim(&mut self, at: usize, is_retry: bool, answers: Vec<(usize, bool)>, fault: Fault) {
        self.pages[at].requests += 1;
        let request = self.pages[at].requests;
        let calls = answers.len();
        let granted = self.transact(at, Request::Claim { request, is_retry, answers }, fault);
        self.pages[at].phase = Phase::Claims(Claim { granted, is_retry, request, calls, late: false });
    }

    /// The request leaves the page.
    fn send(&mut self, at: usize, claim: Claim) {
        let Claim { is_retry, request, .. } = claim;
        self.pages[at].phase = Phase::Sent { request };
        for call in 0..N {
            let Some(held) = self.sheet.held[call].filter(|held| held.progress != Progress::Delivered) else {
                continue;
            };
            let holds = self.sheet.is_claimed(call, at, request) && self.sheet.beats[at].is_some();
            let broken = match () {
                () if !holds => Some("it was sent under a claim that does not stand"),
                () if held.approved && self.denied[call] => Some("a yes was sent after a no"),
                () if held.approved && self.taken_back[call] => Some("a yes was sent that was taken back"),
                // A denial runs nothing, however often it is sent.
                () if held.approved && self.sends[call] > 0 && !is_retry => Some("it was sent twice"),
                () => None,
            };
            self.broken = self.broken.or(broken);
            self.sends[call] = (self.sends[call] + 1).min(2);
        }
    }

    /// Runs one transaction. Returns whether the page was allowed to do what it wanted.
    fn transact(&mut self, at: usize, request: Request, fault: Fault) -> bool {
        let sheet = &self.sheet;
        let is_granted = match &request {
            Request::Commit(_) if fault == Fault::CommitUnchecked => true,
            Request::Commit(answers) => {
                answers.iter().all(|&(call, approved)| sheet.may_answer(call, approved))
            }
            Request::Claim { .. } if fault == Fault::ClaimUnchecked => true,
            Request::Claim { answers, .. } if fault == Fault::AnswerUnchecked => {
                let is_free = |held: SharedAnswer<usize>| held.progress == Progress::Unclaimed;
                answers.iter().all(|&(call, _)| sheet.held[call].is_none_or(is_free))
            }
            Request::Claim { is_retry, answers, .. } => {
                answers.iter().all(|&(call, approved)| sheet.may_claim(call, at, approved, *is_retry, fault))
            }
            Request::Renew(request, calls) => self.carried(at, *request).len() == *calls,
            Request::GiveUp(page, beat) => sheet.beats[*page] == Some(*beat),
            Request::End(..) | Request::Withdraw | Request::Open(_) => true,
        };
        if is_granted {
            self.write(at, request, fault);
        }
        is_granted
    }

    fn write(&mut self, at: usize, request: Request, fault: Fault) {
        let gives_up = matches!(request, Request::GiveUp(..));
        match request {
            Request::Commit(answers) => self.answer(at, &answers),
            Request::Claim { request, answers, .. } => {
                let is_other = |&(call, approved): &(usize, bool)| {
                    fault != Fault::ClaimUnchecked
                        && self.sheet.held[call].is_none_or(|held| held.approved != approved)
                };
                let new: Vec<(usize, bool)> = answers.iter().copied().filter(is_other).collect();
                self.answer(at, &new);
                for (call, _) in answers {
                    self.sheet.claim(call, at, request);
                }
            }
            Request::End(request, outcome) => self.sheet.end(at, request, outcome),
            Request::Withdraw => {
                for held in &mut self.sheet.held {
                    *held =
                        held.filter(|it| !it.approved || it.progress != Progress::Unclaimed || it.by != at);
                }
            }
            Request::GiveUp(page, _) | Request::Open(page) => self.sheet.beats[page] = None,
            Request::Renew(..) => {}
        }
        if !gives_up {
            self.sheet.beat(at);
            self.pages[at].silence = 0;
        }
    }

    fn answer(&mut self, at: usize, answers: &[(usize, bool)]) {
        for &(call, approved) in answers {
            if approved && self.denied[call] {
                self.broken = self.broken.or(Some("a yes stands after a no"));
            }
            self.sheet.answer(call, at, approved);
            self.taken_back[call] = false;
            self.denied[call] |= !approved;
        }
    }

    /// Whether a page waits for nothing: a person can act in it, or everything has been delivered.
    pub fn is_at_end(&self, at: usize, fault: Fault) -> bool {
        let phase = self.pages[at].phase;
        let standing = |held: &SharedAnswer<usize>| held.standing(at, self.sheet.lives(fault));
        // Nothing leaves by itself beside an answer that may have been sent.
        let waits_for_retry =
            self.sheet.held.iter().flatten().any(|held| standing(held) == Standing::InDoubt);
        let ends = |held: &SharedAnswer<usize>| match standing(held) {
            // Nobody has asked this page to send it, or a person can still answer another call.
            Standing::Unclaimed => {
                held.by != at || phase == Phase::Stopped || !self.is_complete() || waits_for_retry
            }
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
