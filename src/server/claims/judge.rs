//! The rules: what each command does to the claims, in which state.

use super::answer::{Answer, Fate, Listed, Ruling, Verdict, refusal};
use super::claim::{Claim, Claims, End, State};
use super::command::{Answered, Command, Ending, Question, Runner, Says};
use crate::core::verdict::Need;

/// In the place of a state: the claim is that of another input than the one that is to run.
const OTHER_INPUT: &str = "of another input";

/// Carries out a command on the claims that it concerns: those of its ids, or all of the chat. What is
/// different afterwards has to be written in the same transaction.
pub fn handle(command: &Command, claims: &mut Claims, now: u64) -> Answer {
    match command {
        Command::Ask { questions, user, expires } => {
            for question in questions {
                claims
                    .entry(question.id.clone())
                    .or_insert_with(|| asked(question, user.clone(), *expires, now));
            }
            Answer::Is { ok: true }
        }
        Command::Take { decisions, user, token, until } => {
            let taker = Taker { user: user.as_deref(), token, until: *until, now };
            Answer::Take(taker.take(decisions, claims))
        }
        Command::Start { id, call, tool, input, token, until } => {
            let claim = claims.get_mut(id).filter(|claim| claim.call == *call && claim.tool == *tool);
            match claim {
                None => Answer::Start { go: false, state: None, kept: false },
                Some(claim) if claim.runs_with() != input.as_ref() => {
                    Answer::Start { go: false, state: Some(OTHER_INPUT), kept: false }
                }
                Some(claim) => start(claim, token.as_deref(), *until, now),
            }
        }
        Command::Renew { id, token, until } => {
            let mine = |claim: &mut Claim| match &mut claim.state {
                State::Running { token: holder, until: end } if holder == token => {
                    *end = (*end).max(*until);
                    true
                }
                _ => false,
            };
            Answer::Is { ok: claims.get_mut(id).is_some_and(mine) }
        }
        Command::Finish { id, token, end, kept } => {
            let mine = |claim: &&mut Claim| match &claim.state {
                State::Running { token: holder, .. } | State::InDoubt { token: holder } => holder == token,
                _ => false,
            };
            let ending = ended(*end, End { kept: *kept, settled: false }, token);
            Answer::Is { ok: change(claims.get_mut(id).filter(mine), ending, now) }
        }
        Command::Settle { id, end, kept } => {
            let doubtful = |claim: &&mut Claim| matches!(claim.now(now), State::InDoubt { .. });
            let claim = claims.get_mut(id).filter(doubtful).filter(|_| *end != Ending::InDoubt);
            Answer::Is { ok: change(claim, ended(*end, End { kept: *kept, settled: true }, ""), now) }
        }
        Command::Requested => {
            let call = |(id, claim): (&String, &Claim)| (id.clone(), claim.call.clone(), claim.tool.clone());
            Answer::Requested { calls: claims.iter().map(call).collect() }
        }
        Command::Waiting => Answer::List { calls: waiting(claims, now) },
        Command::Review => Answer::List { calls: doubts(claims, now) },
    }
}

fn asked(question: &Question, user: Option<String>, expires: Option<u64>, now: u64) -> Claim {
    Claim {
        call: question.call.clone(),
        tool: question.tool.clone(),
        input: question.input.clone(),
        edit: None,
        user,
        expires,
        at: now,
        state: State::Asked,
    }
}

fn ended(ending: Ending, end: End, token: &str) -> State {
    match ending {
        Ending::Done => State::Done(end),
        Ending::Failed => State::Failed(end),
        Ending::InDoubt => State::InDoubt { token: token.to_owned() },
    }
}

/// Puts a claim into a state, if there is one. Returns whether there is.
fn change(claim: Option<&mut Claim>, state: State, now: u64) -> bool {
    let Some(claim) = claim else { return false };
    claim.set(state, now);
    true
}

impl Claim {
    fn set(&mut self, state: State, now: u64) {
        if self.state != state {
            self.state = state;
            self.at = now;
        }
    }

    /// Writes down that the lease of a call that has started is lost. A lease that was only taken is not
    /// touched: as long as nobody else takes the call, its holder may still start it.
    fn lapse(&mut self, now: u64) {
        if let state @ State::InDoubt { .. } = self.now(now) {
            self.set(state, now);
        }
    }
}

fn start(claim: &mut Claim, token: Option<&str>, until: u64, now: u64) -> Answer {
    claim.lapse(now);
    let go = match &claim.state {
        // Even after the lease: nobody else has taken the call since, or the token would be another one.
        State::Taken { token: holder, .. } => token == Some(holder),
        _ => false,
    };
    if let (true, Some(token)) = (go, token) {
        claim.set(State::Running { token: token.to_owned(), until }, now);
    }
    let kept = matches!(&claim.state, State::Done(end) | State::Failed(end) if end.kept);
    Answer::Start { go, state: Some(claim.state.name()), kept }
}

/// The questions that wait. One that has ended waits no more.
fn waiting(claims: &Claims, now: u64) -> Vec<Listed> {
    let waits = |claim: &Claim| claim.now(now) == State::Asked && claim.expires.is_none_or(|end| end > now);
    listed(claims, |claim| waits(claim).then(|| claim.waiting_from().unwrap_or(claim.at)))
}

fn doubts(claims: &mut Claims, now: u64) -> Vec<Listed> {
    claims.values_mut().for_each(|claim| claim.lapse(now));
    listed(claims, |claim| matches!(claim.state, State::InDoubt { .. }).then_some(claim.at))
}

/// `since`: the time of a claim that is listed.
fn listed(claims: &Claims, since: impl Fn(&Claim) -> Option<u64>) -> Vec<Listed> {
    let row = |(id, claim): (&String, &Claim)| {
        since(claim).map(|since| Listed {
            id: id.clone(),
            call: claim.call.clone(),
            tool: claim.tool.clone(),
            user: claim.user.clone(),
            since,
            until: claim.expires,
        })
    };
    claims.iter().filter_map(row).collect()
}

/// A request that brings a message list.
struct Taker<'a> {
    user: Option<&'a str>,
    token: &'a str,
    until: u64,
    now: u64,
}

/// The fate of a call, or the reason why the request is refused.
type Judged = Result<Option<Fate>, String>;

impl Taker<'_> {
    fn take(&self, decisions: &[Answered], claims: &mut Claims) -> Verdict {
        let mut verdict = Verdict { status: 200, error: None, calls: Vec::new() };
        for (at, judged) in self.judge_all(decisions, claims).into_iter().enumerate() {
            let (fate, code) = match judged {
                Ok(None) => continue,
                Ok(Some(fate)) => (fate, None),
                Err(code) => (Fate::Refused, Some(code)),
            };
            let stops = match fate {
                Fate::Running => Some(refusal::RUNNING),
                Fate::InDoubt => Some(refusal::IN_DOUBT),
                _ => code.as_deref(),
            };
            if let (None, Some(error)) = (&verdict.error, stops) {
                verdict.status = status(error);
                verdict.error = Some(error.to_owned());
            }
            verdict.calls.push(Ruling { at, fate, code });
        }
        if verdict.error.is_some() {
            // All or none. What was denied stays denied, because a no is never lost.
            verdict.calls.retain(|ruling| !matches!(ruling.fate, Fate::Run | Fate::Pass));
        }
        for ruling in &verdict.calls {
            let state = match ruling.fate {
                Fate::Run => State::Taken { token: self.token.to_owned(), until: self.until },
                // From here on it is in the hands of the provider, and nobody here learns of its end.
                Fate::Pass => State::Done(End { kept: false, settled: false }),
                _ => continue,
            };
            let Some(decision) = decisions.get(ruling.at) else { continue };
            let claim = decision.approval_id.as_ref().and_then(|id| claims.get_mut(id));
            if let Some(claim) = claim {
                claim.edit = decision.edit.as_ref().map(|edit| edit.fingerprint.clone());
                claim.set(state, self.now);
            }
        }
        verdict
    }

    /// Judges the denials first, because a deny wins wherever it is in the list.
    fn judge_all(&self, decisions: &[Answered], claims: &mut Claims) -> Vec<Judged> {
        let is_no = |decision: &Answered| matches!(decision.says, Says::Rejected { .. });
        let denied = |decision| is_no(decision).then(|| self.judge(decision, claims));
        let denials: Vec<Option<Judged>> = decisions.iter().map(denied).collect();
        let mut seen: Vec<&str> = Vec::new();
        let mut all = Vec::new();
        for (decision, denial) in decisions.iter().zip(denials) {
            all.push(denial.unwrap_or_else(|| self.judge_once(decision, claims, &mut seen)));
        }
        all
    }

    /// Judges a decision that is no denial. A second yes for the same approval is one too many.
    fn judge_once<'d>(&self, decision: &'d Answered, claims: &mut Claims, seen: &mut Vec<&'d str>) -> Judged {
        if decision.says == Says::Approved {
            let id = decision.approval_id.as_deref().unwrap_or_default();
            if seen.contains(&id) {
                return Err(refusal::REPLAYED.to_owned());
            }
            seen.push(id);
        }
        self.judge(decision, claims)
    }

    fn judge(&self, decision: &Answered, claims: &mut Claims) -> Judged {
        let claim = decision.approval_id.as_ref().and_then(|id| claims.get_mut(id));
        match &decision.says {
            Says::Malformed { code } => Err(code.clone()),
            Says::Rejected { overwritten } => self.deny(decision, claim, *overwritten),
            Says::Approved => self.allow(decision, claim),
            Says::Open { waits_for } => self.wait(decision, *waits_for),
            Says::Output | Says::Preliminary => self.output(decision, claim),
            // A report that a call failed says of nothing that it has run.
            Says::Error => Ok(None),
        }
    }

    fn wait(&self, decision: &Answered, waits_for: Need) -> Judged {
        let by_provider = waits_for == Need::Output && decision.runner == Runner::Provider;
        let waits = decision.current && waits_for != Need::Input && !by_provider;
        if waits { Err(refusal::WAITING.to_owned()) } else { Ok(None) }
    }

    /// Judges an output: only a call that has ended has one, and one that was interrupted gets the stored result.
    fn output(&self, decision: &Answered, claim: Option<&mut Claim>) -> Judged {
        let claim = claim.filter(|claim| decision.tool_call_id.as_ref() == Some(&claim.call));
        let is_over = decision.says == Says::Output;
        // A call that needed no approval, or was forgotten, cannot be compared.
        let Some(claim) = claim.filter(|_| decision.runner != Runner::Page) else {
            return if is_over { Ok(None) } else { self.wait(decision, Need::Output) };
        };
        claim.lapse(self.now);
        match claim.now(self.now) {
            State::Denied => Err(refusal::OVERWRITTEN.to_owned()),
            State::Asked => Err(refusal::UNANSWERED.to_owned()),
            State::Taken { .. } | State::Running { .. } => Ok(Some(Fate::Running)),
            State::InDoubt { .. } => Ok(Some(Fate::InDoubt)),
            State::Done(_) | State::Failed(_) => Ok((!is_over).then_some(Fate::Done)),
        }
    }

    fn deny(&self, decision: &Answered, claim: Option<&mut Claim>, overwritten: bool) -> Judged {
        if let Some(claim) = claim {
            match claim.now(self.now) {
                State::Denied => {}
                State::Asked | State::Taken { .. } if !self.may_answer(claim) => {
                    return Err(refusal::NOT_YOURS.to_owned());
                }
                // A deny wins over a yes that has not started anything yet.
                State::Asked | State::Taken { .. } => claim.set(State::Denied, self.now),
                // Afterwards it is too late: the request learns of the call what one with the yes learns.
                State::Running { .. } | State::Done(_) | State::Failed(_) | State::InDoubt { .. } => {
                    return self.allow(decision, Some(claim));
                }
            }
        }
        if overwritten { Err(refusal::OVERWRITTEN.to_owned()) } else { Ok(Some(Fate::Rejected)) }
    }

    fn allow(&self, decision: &Answered, claim: Option<&mut Claim>) -> Judged {
        let refuse = |code: &str| Err(code.to_owned());
        let Some(claim) = claim.filter(|claim| decision.tool_call_id.as_ref() == Some(&claim.call)) else {
            return refuse(refusal::UNKNOWN_APPROVAL);
        };
        if !self.may_answer(claim) {
            return refuse(refusal::NOT_YOURS);
        }
        let same_tool = decision.tool_name.as_ref() == Some(&claim.tool);
        let same_input = claim.input.is_some() && decision.fingerprint == claim.input;
        if !same_tool || !same_input {
            return refuse(refusal::CHANGED_INPUT);
        }
        claim.lapse(self.now);
        let state = claim.now(self.now);
        // Until it starts, the newest yes counts. Afterwards only that for the input that runs.
        let same_edit = decision.edit.as_ref().map(|edit| &edit.fingerprint) == claim.edit.as_ref();
        match state {
            State::Asked if decision.edit.as_ref().is_some_and(|edit| !edit.fits) => {
                refuse(refusal::NOT_EDITABLE)
            }
            State::Taken { .. }
            | State::Running { .. }
            | State::Done(_)
            | State::Failed(_)
            | State::InDoubt { .. }
                if decision.says == Says::Approved && !same_edit =>
            {
                refuse(refusal::CHANGED_INPUT)
            }
            // The SDK runs only what is at the end of the list.
            State::Asked if !decision.current => refuse(refusal::TOO_LATE),
            State::Asked if claim.expires.is_some_and(|end| end <= self.now) => refuse(refusal::EXPIRED),
            State::Asked if decision.runner == Runner::Provider => Ok(Some(Fate::Pass)),
            State::Asked => Ok(Some(Fate::Run)),
            State::Taken { .. } | State::Running { .. } => Ok(Some(Fate::Running)),
            State::Done(end) | State::Failed(end) if end.kept || !could_run(decision) => Ok(Some(Fate::Done)),
            State::Done(_) | State::Failed(_) | State::Denied => refuse(refusal::REPLAYED),
            State::InDoubt { .. } => Ok(Some(Fate::InDoubt)),
        }
    }

    fn may_answer(&self, claim: &Claim) -> bool {
        claim.user.as_deref().is_none_or(|user| self.user == Some(user))
    }
}

/// Whether somebody could run the call because of this decision, if the request went on: the SDK runs what is
/// approved at the end of the list, and a provider gets every yes.
fn could_run(decision: &Answered) -> bool {
    decision.says == Says::Approved && (decision.current || decision.runner == Runner::Provider)
}

/// The HTTP status that fits a reason.
fn status(error: &str) -> u16 {
    match error {
        refusal::NOT_YOURS | refusal::NOT_EDITABLE => 403,
        refusal::UNKNOWN_APPROVAL => 404,
        refusal::EXPIRED => 410,
        refusal::REPLAYED
        | refusal::CHANGED_INPUT
        | refusal::TOO_LATE
        | refusal::RUNNING
        | refusal::IN_DOUBT => 409,
        _ => 400,
    }
}
