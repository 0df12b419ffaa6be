//! Goes through every state of three servers whose clocks differ. Requests arrive twice and disagree, one of them with
//! a changed input; one crash and one lost connection come at any point. What must hold is noted from what the servers
//! see, not from the claims.

use super::*;
use crate::native::fingerprint::{States, fingerprint};

const SERVERS: usize = 3;
const IDS: [&str; 2] = ["a", "b"];
const LEASE: u64 = 2;
/// Time stops here. Afterwards every lease has ended.
const END: u64 = 3;
const LATER: u64 = 100;

/// The servers that work. `npm test` leaves the one in the middle idle: it has no transition that the others have not.
fn at_work() -> &'static [usize] {
    if std::env::var_os("TEST_BREADTH").is_some() { &[0, 1, 2] } else { &[0, 2] }
}

/// The fingerprints of what the model asked for, and of what the user has put in its place.
const ASKED: &str = "f";
const CHANGED: &str = "e";

/// The progress of a server with a call that it has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Taken,
    Started,
    Ran,
}

/// A server that handles a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Handling {
    token: String,
    /// The number of its request.
    request: usize,
    calls: [Option<Step>; 2],
    renewed: bool,
}

/// The call as the outside has seen it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Seen {
    effects: u8,
    started: bool,
    /// Whether it was started with the changed input.
    changed: bool,
    ended: bool,
    denied: bool,
    doubted: bool,
    settled: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    claims: Claims,
    time: u64,
    servers: [Option<Handling>; SERVERS],
    /// The number of times that each request still arrives.
    arrivals: [u8; 3],
    tokens: u8,
    crashes: u8,
    breaks: u8,
    operator: u8,
    seen: [Seen; 2],
}

/// The decisions of a request: one allows both calls, one allows the first and denies the second, and one allows the first with
/// a changed input.
fn list(request: usize) -> Vec<Answered> {
    let second = if request == 1 { Says::Rejected { overwritten: false } } else { Says::Approved };
    let answered = |(id, says): (&str, Says)| Answered {
        says,
        current: true,
        approval_id: Some(id.into()),
        tool_call_id: Some(id.into()),
        tool_name: Some("rm".into()),
        fingerprint: Some(ASKED.into()),
        edit: None,
        runner: Runner::Server,
    };
    let mut all: Vec<Answered> = IDS.into_iter().zip([Says::Approved, second]).map(answered).collect();
    if request == 2 {
        all.truncate(1);
        change(&mut all[0]);
    }
    all
}

/// Makes an answer one with the changed input.
fn change(answered: &mut Answered) {
    answered.edit = Some(Edit { fingerprint: CHANGED.into(), fits: true });
}

/// A list whose first call has the input with which it was started.
fn as_started(mut list: Vec<Answered>, seen: &[Seen; 2]) -> Vec<Answered> {
    if let Some(first) = list.first_mut().filter(|first| seen[0].changed && first.says == Says::Approved) {
        change(first);
    }
    list
}

fn first() -> World {
    let mut claims = Claims::new();
    let question =
        |id: &str| Question { id: id.into(), call: id.into(), tool: "rm".into(), input: Some(ASKED.into()) };
    let questions = IDS.map(question).to_vec();
    handle(&Command::Ask { questions, user: None, expires: None }, &mut claims, 0);
    World {
        claims,
        time: 0,
        servers: [const { None }; SERVERS],
        arrivals: [2, 2, 1],
        tokens: 0,
        crashes: 1,
        breaks: 1,
        operator: 1,
        seen: [Seen::default(); 2],
    }
}

impl World {
    /// The clock of a server: one of them is ahead by half a lease, one by a whole one.
    fn clock(&self, server: usize) -> u64 {
        self.time + server as u64
    }

    fn start_command(&self, at: usize, input: &str, token: &str, now: u64) -> Command {
        let id = IDS[at].to_owned();
        Command::Start {
            call: id.clone(),
            tool: "rm".into(),
            id,
            input: Some(input.into()),
            token: Some(token.into()),
            until: now + LEASE,
        }
    }

    /// A server that runs another input than the one that it has taken starts nothing, and gets no result of it.
    fn check_other_input(&self, at: usize, input: &str, token: &str, now: u64) {
        let other = if input == ASKED { CHANGED } else { ASKED };
        let mut claims = self.claims.clone();
        let answer = handle(&self.start_command(at, other, token, now), &mut claims, now);
        let ran = if self.seen[at].changed { CHANGED } else { ASKED };
        assert!(
            matches!(answer, Answer::Start { go: false, kept, .. } if !kept || ran == other),
            "{answer:?} {self:?}"
        );
        assert_eq!(claims, self.claims);
    }

    /// A request reaches a server. If `heard` is false, the store commits and the server never learns of it.
    fn arrive(&self, request: usize, server: usize, heard: bool) -> World {
        let mut next = self.clone();
        next.arrivals[request] -= 1;
        next.tokens += 1;
        let now = self.clock(server);
        let token = format!("t{}", next.tokens);
        let decisions = list(request);
        let command = Command::Take { decisions, user: None, token: token.clone(), until: now + LEASE };
        let Answer::Take(verdict) = handle(&command, &mut next.claims, now) else { unreachable!() };
        let mut calls = [None; 2];
        if request == 1 {
            self.check_denial(1, &verdict);
        }
        // No answer gets what another input has run, and none starts anything beside it.
        let first = verdict.calls.iter().find(|ruling| ruling.at == 0);
        if self.seen[0].started && self.seen[0].changed != (request == 2) {
            assert_eq!(first.and_then(|ruling| ruling.code.as_deref()), Some("changed-input"), "{self:?}");
        }
        for ruling in &verdict.calls {
            match ruling.fate {
                Fate::Run => calls[ruling.at] = Some(Step::Taken),
                Fate::Rejected => next.seen[ruling.at].denied = true,
                Fate::InDoubt => next.seen[ruling.at].doubted = true,
                _ => {}
            }
        }
        let runs = calls.iter().flatten().count();
        assert!(verdict.error.is_none() || runs == 0, "all or none: {verdict:?}");
        assert_eq!(verdict.error.is_none(), verdict.status == 200);
        if !heard {
            next.breaks -= 1;
        } else if runs > 0 {
            next.servers[server] = Some(Handling { token, request, calls, renewed: false });
        }
        next
    }

    /// A person who denies a call is told that it did not run only if it never runs.
    fn check_denial(&self, at: usize, verdict: &Verdict) {
        let seen = self.seen[at];
        let fate = verdict.calls.iter().find(|ruling| ruling.at == at).map(|ruling| ruling.fate);
        let fits = match fate {
            Some(Fate::Rejected) => !seen.started,
            Some(Fate::Done) => seen.ended || seen.settled,
            Some(Fate::Running | Fate::InDoubt) => seen.started && !seen.ended && !seen.settled,
            _ => false,
        };
        assert!(fits, "{verdict:?} {self:?}");
    }

    /// When everything has ended and an operator has looked after what is in doubt, no denial stops the chat.
    fn check_that_a_denial_goes_on(&self, claims: &Claims) {
        let mut settled = claims.clone();
        for id in IDS {
            let command = Command::Settle { id: id.into(), end: Ending::Done, kept: true };
            handle(&command, &mut settled, LATER);
        }
        for current in [true, false] {
            let at_hand = as_started(list(1), &self.seen).into_iter().map(|it| Answered { current, ..it });
            // In history, only what has started is no longer too late.
            let decisions: Vec<_> = at_hand.filter(|it| current || it.says != Says::Approved).collect();
            let take = Command::Take { decisions, user: None, token: "later".into(), until: LATER + LEASE };
            let Answer::Take(verdict) = handle(&take, &mut settled.clone(), LATER) else { unreachable!() };
            assert_eq!(verdict.status, 200, "{verdict:?} {self:?}");
            let denial = verdict.calls.last().map(|ruling| ruling.fate);
            assert_eq!(denial, Some(if self.seen[1].started { Fate::Done } else { Fate::Rejected }));
        }
    }

    /// A change that the server does not take, or that is one of another input, runs nothing in any state.
    fn check_a_change_that_does_not_fit(&self, claims: &Claims) {
        let other = Edit { fingerprint: "x".into(), fits: false };
        let of_other = Answered { fingerprint: Some("g".into()), ..list(2).remove(0) };
        for decision in [Answered { edit: Some(other), ..list(0).remove(0) }, of_other] {
            let mut claims = claims.clone();
            let before = claims.clone();
            let take = Command::Take {
                decisions: vec![decision],
                user: None,
                token: "later".into(),
                until: LATER + LEASE,
            };
            let Answer::Take(verdict) = handle(&take, &mut claims, LATER) else { unreachable!() };
            assert!(verdict.status != 200 && claims == before, "{verdict:?} {self:?}");
        }
    }

    /// The next step of a server with one of its calls.
    fn step(&self, server: usize, at: usize, heard: bool) -> Option<World> {
        let handling = self.servers[server].as_ref()?;
        let step = handling.calls[at]?;
        let mut next = self.clone();
        let now = self.clock(server);
        let token = &handling.token;
        let changed = handling.request == 2;
        let input = if changed { CHANGED } else { ASKED };
        let seen = &mut next.seen[at];
        let after = match step {
            Step::Taken => {
                self.check_other_input(at, input, token, now);
                let command = self.start_command(at, input, token, now);
                let Answer::Start { go, .. } = handle(&command, &mut next.claims, now) else {
                    unreachable!()
                };
                if go {
                    assert!(!seen.started, "a call starts twice");
                    assert!(!seen.denied, "a denied call starts");
                    assert!(!seen.doubted, "a call in doubt starts again");
                    (seen.started, seen.changed) = (true, changed);
                }
                go.then_some(Step::Started)
            }
            Step::Started => {
                if !heard {
                    return None;
                }
                seen.effects += 1;
                Some(Step::Ran)
            }
            Step::Ran => {
                let (id, token) = (IDS[at].to_owned(), token.clone());
                let command = Command::Finish { id, token, end: Ending::Done, kept: true };
                let ok = handle(&command, &mut next.claims, now) == Answer::Is { ok: true };
                assert!(ok || seen.settled, "only an operator is before the holder");
                seen.ended |= ok;
                None
            }
        };
        let handling = next.servers[server].as_mut()?;
        handling.calls[at] = if heard { after } else { None };
        if !heard {
            next.breaks -= 1;
        }
        if handling.calls == [None, None] {
            next.servers[server] = None;
        }
        Some(next)
    }

    fn renew(&self, server: usize, at: usize) -> Option<World> {
        let handling = self.servers[server].as_ref().filter(|handling| !handling.renewed)?;
        matches!(handling.calls[at]?, Step::Started | Step::Ran).then_some(())?;
        let mut next = self.clone();
        let until = self.clock(server) + LEASE;
        let command = Command::Renew { id: IDS[at].into(), token: handling.token.clone(), until };
        handle(&command, &mut next.claims, self.clock(server));
        next.servers[server].as_mut()?.renewed = true;
        Some(next)
    }

    fn operate(&self, at: usize) -> Option<World> {
        let mut next = self.clone();
        next.operator = next.operator.checked_sub(1)?;
        let command = Command::Settle { id: IDS[at].into(), end: Ending::Failed, kept: true };
        let ok = handle(&command, &mut next.claims, self.time) == Answer::Is { ok: true };
        if ok {
            assert!(self.seen[at].started && !self.seen[at].ended, "settled without a doubt");
            next.seen[at].settled = true;
        }
        ok.then_some(next)
    }

    fn next(&self, servers: &[usize]) -> Vec<World> {
        let mut all = Vec::new();
        for &server in servers {
            for heard in [true, false].into_iter().filter(|heard| *heard || self.breaks > 0) {
                for request in (0..3).filter(|request| self.arrivals[*request] > 0) {
                    if self.servers[server].is_none() {
                        all.push(self.arrive(request, server, heard));
                    }
                }
                all.extend((0..2).filter_map(|at| self.step(server, at, heard)));
            }
            all.extend((0..2).filter_map(|at| self.renew(server, at)));
            if self.crashes > 0 && self.servers[server].is_some() {
                let mut next = self.clone();
                next.crashes -= 1;
                next.servers[server] = None;
                all.push(next);
            }
        }
        all.extend((0..2).filter_map(|at| self.operate(at)));
        if self.time < END {
            let mut next = self.clone();
            next.time += 1;
            all.push(next);
        }
        all
    }

    fn check(&self) {
        for seen in self.seen {
            assert!(seen.effects <= 1, "dispatched twice: {self:?}");
            assert!(!(seen.denied && seen.started), "denied, and ran: {self:?}");
        }
        // Nothing stays running: when every lease has ended, what was started and has no end is in doubt.
        let mut claims = self.claims.clone();
        let mut listed = |command| match handle(&command, &mut claims, LATER) {
            Answer::List { calls } => calls,
            _ => unreachable!(),
        };
        let in_doubt = listed(Command::Review);
        let waiting = listed(Command::Waiting);
        for (id, seen) in IDS.into_iter().zip(self.seen) {
            // A question waits as long as a yes to it would still run.
            let waits = !seen.started && !seen.denied;
            assert_eq!(waiting.iter().any(|question| question.id == id), waits, "{id}: {self:?}");
            assert_eq!(claims[id].waiting_from().is_some_and(|from| from <= LATER), waits);
            let lost = seen.started && !seen.ended && !seen.settled;
            assert_eq!(in_doubt.iter().any(|doubt| doubt.id == id), lost, "{id}: {self:?}");
            assert_eq!(claims[id].forgettable_from().is_none(), lost);
            assert!(!matches!(claims[id].state, State::Running { .. }));
            // And what nobody started or denied can still run.
            let decisions = list(0).into_iter().filter(|it| it.approval_id.as_deref() == Some(id)).collect();
            let take = Command::Take { decisions, user: None, token: "later".into(), until: LATER + LEASE };
            let Answer::Take(verdict) = handle(&take, &mut claims.clone(), LATER) else { unreachable!() };
            let runs = verdict.calls.iter().any(|call| call.fate == Fate::Run);
            assert_eq!(runs, !seen.started && !seen.denied, "{id}: {verdict:?} {self:?}");
        }
        // In a list that has gone on, the same yes gets the result of what has ended, and runs nothing.
        let all = as_started(list(0), &self.seen);
        let decisions = all.into_iter().map(|it| Answered { current: false, ..it }).collect();
        let take = Command::Take { decisions, user: None, token: "later".into(), until: LATER + LEASE };
        let before = claims.clone();
        let Answer::Take(verdict) = handle(&take, &mut claims, LATER) else { unreachable!() };
        for (at, seen) in self.seen.iter().enumerate() {
            let is_done = verdict.calls.iter().any(|call| call.at == at && call.fate == Fate::Done);
            assert_eq!(is_done, seen.ended || seen.settled, "{at}: {verdict:?} {self:?}");
        }
        assert_eq!(claims, before, "history changes nothing");
        self.check_that_a_denial_goes_on(&claims);
        self.check_a_change_that_does_not_fit(&claims);
    }
}

#[test]
fn no_crash_and_no_order_of_requests_breaks_a_promise() {
    let mut known = States::from_iter([(fingerprint(&first()), ())]);
    let mut waiting = vec![first()];
    // The check depends on the claims and on the outside's view alone.
    let mut checked = States::default();
    let mut ends = [false; 7];
    let servers = at_work();
    while let Some(world) = waiting.pop() {
        if checked.insert(fingerprint(&(&world.claims, world.seen)), ()).is_none() {
            world.check();
        }
        let both = |is: fn(&Seen) -> bool| world.seen.iter().all(is);
        let any = |is: fn(&Seen) -> bool| world.seen.iter().any(is);
        ends[0] |= both(|seen| seen.ended);
        ends[1] |= any(|seen| seen.denied);
        ends[2] |= any(|seen| seen.settled);
        ends[3] |= any(|seen| seen.doubted && seen.ended);
        ends[4] |= world.seen[1].started && world.arrivals[1] > 0;
        ends[5] |= any(|seen| seen.changed && seen.ended);
        ends[6] |= any(|seen| seen.changed && seen.settled);
        for next in world.next(servers) {
            if known.insert(fingerprint(&next), ()).is_none() {
                waiting.push(next);
            }
        }
    }
    assert_eq!(ends, [true; 7], "the exploration reaches what it is about");
    assert!(known.len() > 20_000 * servers.len().pow(2), "{} states", known.len());
}
