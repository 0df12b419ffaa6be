//! Each refusal and each state, one by one.

use super::*;
use crate::core::verdict::Need;

const LEASE: u64 = 100;

fn question(id: &str) -> Question {
    Question { id: id.into(), call: format!("call {id}"), tool: "rm".into(), input: Some("f1".into()) }
}

/// The claims of a chat in which these approvals were asked for, by Ann and until 1,000.
fn asked(ids: &[&str]) -> Claims {
    let mut claims = Claims::new();
    let questions = ids.iter().map(|id| question(id)).collect();
    let command = Command::Ask { questions, user: Some("ann".into()), expires: Some(1_000) };
    assert_eq!(handle(&command, &mut claims, 0), Answer::Is { ok: true });
    claims
}

fn answered(id: &str, says: Says) -> Answered {
    Answered {
        says,
        current: true,
        approval_id: Some(id.into()),
        tool_call_id: Some(format!("call {id}")),
        tool_name: Some("rm".into()),
        fingerprint: Some("f1".into()),
        edit: None,
        runner: Runner::Server,
    }
}

fn yes(id: &str) -> Answered {
    answered(id, Says::Approved)
}

fn no(id: &str) -> Answered {
    answered(id, Says::Rejected { overwritten: false })
}

fn take_as(
    user: Option<&str>,
    token: &str,
    decisions: &[Answered],
    claims: &mut Claims,
    now: u64,
) -> Verdict {
    let user = user.map(Into::into);
    let command =
        Command::Take { decisions: decisions.to_vec(), user, token: token.into(), until: now + LEASE };
    match handle(&command, claims, now) {
        Answer::Take(verdict) => verdict,
        other => panic!("{other:?}"),
    }
}

fn take(token: &str, decisions: &[Answered], claims: &mut Claims, now: u64) -> Verdict {
    take_as(Some("ann"), token, decisions, claims, now)
}

fn start(id: &str, token: Option<&str>, claims: &mut Claims, now: u64) -> (bool, Option<&'static str>, bool) {
    start_with("f1", id, token, claims, now)
}

fn start_with(
    input: &str,
    id: &str,
    token: Option<&str>,
    claims: &mut Claims,
    now: u64,
) -> (bool, Option<&'static str>, bool) {
    let (call, tool) = (format!("call {id}"), "rm".into());
    let (input, token) = (Some(input.into()), token.map(Into::into));
    let command = Command::Start { id: id.into(), call, tool, input, token, until: now + LEASE };
    match handle(&command, claims, now) {
        Answer::Start { go, state, kept } => (go, state, kept),
        other => panic!("{other:?}"),
    }
}

fn finish(id: &str, token: &str, end: Ending, claims: &mut Claims, now: u64) -> bool {
    let command = Command::Finish { id: id.into(), token: token.into(), end, kept: true };
    handle(&command, claims, now) == Answer::Is { ok: true }
}

fn settle(id: &str, end: Ending, claims: &mut Claims, now: u64) -> bool {
    handle(&Command::Settle { id: id.into(), end, kept: true }, claims, now) == Answer::Is { ok: true }
}

fn review(claims: &mut Claims, now: u64) -> Vec<String> {
    match handle(&Command::Review, claims, now) {
        Answer::List { calls } => calls.into_iter().map(|doubt| doubt.id).collect(),
        other => panic!("{other:?}"),
    }
}

fn refused(verdict: &Verdict) -> (u16, &str) {
    assert!(!verdict.calls.iter().any(|call| matches!(call.fate, Fate::Run | Fate::Pass)));
    (verdict.status, verdict.error.as_deref().unwrap_or("nothing"))
}

fn fates(verdict: &Verdict) -> Vec<Fate> {
    verdict.calls.iter().map(|call| call.fate).collect()
}

#[test]
fn a_call_runs_once_and_later_requests_get_its_result() {
    let mut claims = asked(&["a"]);
    let verdict = take("t1", &[yes("a")], &mut claims, 1);
    assert_eq!((verdict.status, fates(&verdict)), (200, vec![Fate::Run]));
    assert_eq!(refused(&take("t2", &[yes("a")], &mut claims, 2)), (409, "running"));
    assert_eq!(start("a", Some("t2"), &mut claims, 3), (false, Some("taken"), false));
    assert_eq!(start("a", Some("t1"), &mut claims, 3), (true, Some("running"), false));
    assert_eq!(start("a", Some("t1"), &mut claims, 3), (false, Some("running"), false));
    assert!(!finish("a", "t2", Ending::Done, &mut claims, 4));
    assert!(finish("a", "t1", Ending::Done, &mut claims, 4));
    let again = take("t3", &[yes("a")], &mut claims, 5);
    assert_eq!((again.status, fates(&again)), (200, vec![Fate::Done]));
    assert_eq!(start("a", None, &mut claims, 6), (false, Some("done"), true));
}

#[test]
fn what_was_not_shown_like_this_or_to_this_user_is_refused() {
    let cases: [(u16, &str, Answered); 5] = [
        (404, "unknown-approval", yes("b")),
        (404, "unknown-approval", Answered { tool_call_id: Some("call b".into()), ..yes("a") }),
        (409, "changed-input", Answered { fingerprint: Some("f2".into()), ..yes("a") }),
        (409, "changed-input", Answered { tool_name: Some("mv".into()), ..yes("a") }),
        (409, "too-late", Answered { current: false, ..yes("a") }),
    ];
    for (status, code, decision) in cases {
        let mut claims = asked(&["a"]);
        let before = claims.clone();
        assert_eq!(refused(&take("t", &[decision], &mut claims, 1)), (status, code));
        assert_eq!(claims, before);
    }
    for decision in [yes("a"), no("a")] {
        for user in [None, Some("bob")] {
            let mut claims = asked(&["a"]);
            let before = claims.clone();
            let verdict = take_as(user, "t", std::slice::from_ref(&decision), &mut claims, 1);
            assert_eq!((refused(&verdict), claims), ((403, "not-yours"), before));
        }
    }
}

#[test]
fn an_input_without_a_fingerprint_fits_no_yes() {
    let mut claims = Claims::new();
    let questions = vec![Question { input: None, ..question("a") }];
    handle(&Command::Ask { questions, user: None, expires: None }, &mut claims, 0);
    let decision = Answered { fingerprint: None, ..yes("a") };
    assert_eq!(refused(&take_as(None, "t", &[decision], &mut claims, 1)), (409, "changed-input"));
}

#[test]
fn a_question_ends() {
    let mut claims = asked(&["a"]);
    assert_eq!(refused(&take("t", &[yes("a")], &mut claims, 1_000)), (410, "expired"));
    assert_eq!(take("t", &[yes("a")], &mut claims, 999).status, 200);
}

#[test]
fn all_or_none_but_a_no_is_kept() {
    let mut claims = asked(&["a", "b", "c"]);
    let changed = Answered { fingerprint: None, ..yes("b") };
    let verdict = take("t1", &[yes("a"), changed, no("c")], &mut claims, 1);
    assert_eq!(refused(&verdict), (409, "changed-input"));
    assert_eq!(fates(&verdict), [Fate::Refused, Fate::Rejected]);
    assert_eq!(claims["a"].state, State::Asked);
    assert_eq!(claims["c"].state, State::Denied);
    assert_eq!(refused(&take("t2", &[yes("c")], &mut claims, 2)), (409, "replayed"));
}

#[test]
fn a_deny_wins_until_the_call_has_started() {
    let mut claims = asked(&["a"]);
    take("t1", &[yes("a")], &mut claims, 1);
    assert_eq!(fates(&take("t2", &[no("a")], &mut claims, 2)), [Fate::Rejected]);
    assert_eq!(start("a", Some("t1"), &mut claims, 3), (false, Some("denied"), false));

    let mut claims = asked(&["a"]);
    take("t1", &[yes("a")], &mut claims, 1);
    start("a", Some("t1"), &mut claims, 2);
    assert_eq!(refused(&take("t2", &[no("a")], &mut claims, 3)), (409, "running"));

    // Both in one list, in either order.
    for list in [[yes("a"), no("a")], [no("a"), yes("a")]] {
        let mut claims = asked(&["a"]);
        assert_eq!(refused(&take("t", &list, &mut claims, 1)), (409, "replayed"));
        assert_eq!(claims["a"].state, State::Denied);
    }
}

#[test]
fn the_same_yes_twice_in_a_list_is_one_too_many() {
    let mut claims = asked(&["a"]);
    assert_eq!(refused(&take("t", &[yes("a"), yes("a")], &mut claims, 1)), (409, "replayed"));
    assert_eq!(claims["a"].state, State::Asked);
}

#[test]
fn a_denial_under_a_result_is_refused_and_kept() {
    let mut claims = asked(&["a"]);
    let decision = answered("a", Says::Rejected { overwritten: true });
    assert_eq!(refused(&take("t", &[decision], &mut claims, 1)), (400, "overwritten"));
    assert_eq!(claims["a"].state, State::Denied);
}

#[test]
fn a_list_that_waits_or_cannot_be_believed_is_refused() {
    let mut claims = asked(&["a", "b"]);
    let waiting = answered("b", Says::Open { waits_for: Need::Approval });
    assert_eq!(refused(&take("t", &[yes("a"), waiting.clone()], &mut claims, 1)), (400, "waiting"));
    let broken = answered("b", Says::Malformed { code: "malformed-answer".into() });
    assert_eq!(refused(&take("t", &[yes("a"), broken], &mut claims, 1)), (400, "malformed-answer"));
    let provider =
        Answered { runner: Runner::Provider, ..answered("b", Says::Open { waits_for: Need::Output }) };
    let half = answered("b", Says::Open { waits_for: Need::Input });
    let history = Answered { current: false, ..waiting };
    for passed in [provider, half, history, answered("c", Says::Output), answered("b", Says::Error)] {
        let verdict = take("t", &[yes("a"), passed], &mut claims, 1_000 - 1);
        assert_eq!((verdict.status, fates(&verdict)), (200, vec![Fate::Run]));
        claims = asked(&["a", "b"]);
    }
}

#[test]
fn an_output_counts_only_if_its_call_has_ended() {
    let told = |claims: &Claims, says: Says, current: bool, now: u64| {
        let decision = Answered { current, ..answered("a", says) };
        let verdict = take("t9", &[decision], &mut claims.clone(), now);
        (verdict.status, verdict.error.clone().unwrap_or_default(), fates(&verdict))
    };
    let mut claims = asked(&["a"]);
    let mut denied = claims.clone();
    take("t0", &[no("a")], &mut denied, 1);
    let asked = claims.clone();
    take("t1", &[yes("a")], &mut claims, 1);
    let taken = claims.clone();
    start("a", Some("t1"), &mut claims, 2);
    let running = claims.clone();
    finish("a", "t1", Ending::Done, &mut claims, 3);
    let done = claims;
    for current in [true, false] {
        for says in [Says::Output, Says::Preliminary] {
            let told = |claims: &Claims, now: u64| told(claims, says.clone(), current, now);
            assert_eq!(told(&denied, 9), (400, "overwritten".into(), vec![Fate::Refused]));
            assert_eq!(told(&asked, 9), (400, "unanswered".into(), vec![Fate::Refused]));
            assert_eq!(told(&taken, 9), (409, "running".into(), vec![Fate::Running]));
            assert_eq!(told(&taken, 900), (400, "unanswered".into(), vec![Fate::Refused]));
            assert_eq!(told(&running, 9), (409, "running".into(), vec![Fate::Running]));
            assert_eq!(told(&running, 900), (409, "in-doubt".into(), vec![Fate::InDoubt]));
        }
        assert_eq!(told(&done, Says::Output, current, 9), (200, String::new(), vec![]));
        assert_eq!(told(&done, Says::Preliminary, current, 9), (200, String::new(), vec![Fate::Done]));
        // That a call failed says of nothing that it has run.
        assert_eq!(told(&denied, Says::Error, current, 9), (200, String::new(), vec![]));
        // The page has run it, so nobody here has started it.
        let by_page = Answered { current, runner: Runner::Page, ..answered("a", Says::Output) };
        assert_eq!(take("t9", &[by_page], &mut asked.clone(), 9).status, 200);
    }
    // A call that is not known here was forgotten, or needed no approval.
    assert_eq!(told(&Claims::new(), Says::Output, true, 9), (200, String::new(), vec![]));
    assert_eq!(told(&Claims::new(), Says::Preliminary, true, 9).1, "waiting");
    assert_eq!(told(&Claims::new(), Says::Preliminary, false, 9), (200, String::new(), vec![]));
}

#[test]
fn a_call_that_was_taken_and_not_started_is_free_after_its_lease() {
    let mut claims = asked(&["a"]);
    take("t1", &[yes("a")], &mut claims, 0);
    assert_eq!(refused(&take("t2", &[yes("a")], &mut claims, LEASE - 1)), (409, "running"));
    assert_eq!(fates(&take("t2", &[yes("a")], &mut claims, LEASE)), [Fate::Run]);
    assert_eq!(start("a", Some("t1"), &mut claims, LEASE), (false, Some("taken"), false));
    assert_eq!(start("a", Some("t2"), &mut claims, LEASE), (true, Some("running"), false));
    assert!(review(&mut claims, LEASE).is_empty());
}

#[test]
fn a_lost_lease_is_a_doubt_that_its_holder_or_an_operator_ends() {
    let lost = || {
        let mut claims = asked(&["a"]);
        take("t1", &[yes("a")], &mut claims, 0);
        start("a", Some("t1"), &mut claims, 0);
        claims
    };
    let mut claims = lost();
    assert!(!settle("a", Ending::Done, &mut claims, LEASE - 1));
    let renew = |until| Command::Renew { id: "a".into(), token: "t1".into(), until };
    assert_eq!(handle(&renew(2 * LEASE), &mut claims, 50), Answer::Is { ok: true });
    assert_eq!(handle(&renew(1), &mut claims, 51), Answer::Is { ok: true });
    assert!(review(&mut claims, 2 * LEASE - 1).is_empty());
    assert_eq!(review(&mut claims, 2 * LEASE), ["a"]);
    assert_eq!(handle(&renew(9 * LEASE), &mut claims, 2 * LEASE), Answer::Is { ok: false });
    assert_eq!(refused(&take("t2", &[yes("a")], &mut claims, 300)), (409, "in-doubt"));
    assert_eq!(start("a", Some("t1"), &mut claims, 300), (false, Some("in-doubt"), false));
    assert_eq!((claims["a"].forgettable_from(), claims["a"].doubtful_from()), (None, Some(2 * LEASE)));
    assert!(finish("a", "t1", Ending::Done, &mut claims, 301));
    assert!(!settle("a", Ending::Done, &mut claims, 302));
    assert_eq!(fates(&take("t3", &[yes("a")], &mut claims, 303)), [Fate::Done]);

    let mut claims = lost();
    assert!(!settle("a", Ending::InDoubt, &mut claims, LEASE));
    assert!(settle("a", Ending::Failed, &mut claims, LEASE));
    assert!(!finish("a", "t1", Ending::Done, &mut claims, LEASE + 1));
    assert_eq!(claims["a"].state, State::Failed(End { kept: true, settled: true }));
    assert_eq!(claims["a"].forgettable_from(), Some(LEASE));
}

#[test]
fn a_call_of_another_tool_does_not_start() {
    let mut claims = asked(&["a"]);
    take("t", &[yes("a")], &mut claims, 0);
    let start = |tool: &str, call: &str| Command::Start {
        id: "a".into(),
        call: call.into(),
        tool: tool.into(),
        input: Some("f1".into()),
        token: Some("t".into()),
        until: LEASE,
    };
    for other in [start("mv", "call a"), start("rm", "call b")] {
        let refused = Answer::Start { go: false, state: None, kept: false };
        assert_eq!(handle(&other, &mut claims, 1), refused);
    }
    let started = Answer::Start { go: true, state: Some("running"), kept: false };
    assert_eq!(handle(&start("rm", "call a"), &mut claims, 1), started);
}

/// The claims of a chat in which the call `a` has run.
fn ended(end: Ending, kept: bool) -> Claims {
    let mut claims = asked(&["a"]);
    take("t1", &[yes("a")], &mut claims, 1);
    start("a", Some("t1"), &mut claims, 1);
    let command = Command::Finish { id: "a".into(), token: "t1".into(), end, kept };
    assert_eq!(handle(&command, &mut claims, 2), Answer::Is { ok: true });
    claims
}

/// Every form of a denial.
fn denials(id: &str) -> Vec<Answered> {
    let mut all = Vec::new();
    for overwritten in [false, true] {
        for current in [false, true] {
            all.push(Answered { current, ..answered(id, Says::Rejected { overwritten }) });
        }
    }
    all
}

/// A page that was reloaded asks again while the tool runs, or after it has run.
#[test]
fn a_denial_of_a_call_that_has_ended_gets_its_result() {
    for end in [Ending::Done, Ending::Failed] {
        for kept in [false, true] {
            for denial in denials("a") {
                let mut claims = ended(end, kept);
                let before = claims.clone();
                for _ in 0..2 {
                    let verdict = take("t2", std::slice::from_ref(&denial), &mut claims, 3);
                    assert_eq!((verdict.status, fates(&verdict)), (200, vec![Fate::Done]), "{denial:?}");
                    assert_eq!(claims, before, "it stays what it was");
                }
                for user in [None, Some("bob")] {
                    let other = take_as(user, "t2", std::slice::from_ref(&denial), &mut claims, 3);
                    assert_eq!(refused(&other), (403, "not-yours"));
                }
                for changed in [
                    Answered { fingerprint: Some("f2".into()), ..denial.clone() },
                    Answered { tool_name: Some("mv".into()), ..denial.clone() },
                ] {
                    assert_eq!(refused(&take("t2", &[changed], &mut claims, 3)), (409, "changed-input"));
                }
                assert_eq!(claims, before);
            }
        }
    }
}

#[test]
fn a_denial_of_a_call_that_has_started_waits_for_its_end_like_a_yes() {
    for denial in denials("a") {
        let denial = std::slice::from_ref(&denial);
        let mut claims = asked(&["a"]);
        take("t1", &[yes("a")], &mut claims, 0);
        start("a", Some("t1"), &mut claims, 0);
        assert_eq!(refused(&take("t2", denial, &mut claims, 1)), (409, "running"));
        assert_eq!(fates(&take("t2", denial, &mut claims, 1)), [Fate::Running]);
        assert_eq!(refused(&take_as(None, "t2", denial, &mut claims, 1)), (403, "not-yours"));
        assert_eq!(refused(&take("t2", denial, &mut claims, LEASE)), (409, "in-doubt"));
        assert_eq!(fates(&take("t2", denial, &mut claims, LEASE)), [Fate::InDoubt]);
        assert_eq!(review(&mut claims, LEASE), ["a"], "a denial ends no doubt");
        let mut settled = claims.clone();
        assert!(settle("a", Ending::Failed, &mut settled, LEASE));
        assert_eq!(fates(&take("t2", denial, &mut settled, LEASE)), [Fate::Done]);
        assert!(finish("a", "t1", Ending::Done, &mut claims, LEASE));
        assert_eq!(fates(&take("t2", denial, &mut claims, LEASE)), [Fate::Done]);
    }
}

#[test]
fn a_denial_that_came_too_late_stands_beside_other_decisions() {
    for denial in denials("a") {
        for list in [[denial.clone(), yes("b")], [yes("b"), denial.clone()]] {
            let mut claims = ended(Ending::Done, true);
            claims.extend(asked(&["b"]));
            let verdict = take("t2", &list, &mut claims, 3);
            assert_eq!((verdict.status, verdict.calls.len()), (200, 2));
            for ruling in &verdict.calls {
                let is_a = list[ruling.at].approval_id.as_deref() == Some("a");
                assert_eq!(ruling.fate, if is_a { Fate::Done } else { Fate::Run });
            }
            assert_eq!(start("a", Some("t2"), &mut claims, 4), (false, Some("done"), true));
            assert_eq!(start("b", Some("t2"), &mut claims, 4), (true, Some("running"), false));
        }
        let mut claims = ended(Ending::Done, true);
        claims.extend(asked(&["b"]));
        let list = [denial.clone(), no("b")];
        assert_eq!(fates(&take("t2", &list, &mut claims, 3)), [Fate::Done, Fate::Rejected]);
        assert_eq!(claims["b"].state, State::Denied);

        // All or none: while the one runs, the other is not taken.
        let mut claims = asked(&["a", "b"]);
        take("t1", &[yes("a")], &mut claims, 1);
        start("a", Some("t1"), &mut claims, 1);
        assert_eq!(refused(&take("t2", &[denial.clone(), yes("b")], &mut claims, 3)), (409, "running"));
        assert_eq!(claims["b"].state, State::Asked);
    }
}

/// A yes in a list that has gone on without a result: the response of the request that ran the call broke.
#[test]
fn a_yes_of_history_gets_the_stored_result_and_runs_nothing() {
    let past = || Answered { current: false, ..yes("a") };
    for end in [Ending::Done, Ending::Failed] {
        let mut claims = ended(end, true);
        let before = claims.clone();
        let verdict = take("t2", &[past()], &mut claims, 3);
        assert_eq!((verdict.status, fates(&verdict)), (200, vec![Fate::Done]));
        let changed = Answered { fingerprint: Some("f2".into()), ..past() };
        assert_eq!(refused(&take("t2", &[changed], &mut claims, 3)), (409, "changed-input"));
        assert_eq!(refused(&take_as(None, "t2", &[past()], &mut claims, 3)), (403, "not-yours"));
        assert_eq!(claims, before);
        // Without a stored result the chat goes on, too; only a yes that could run the call is refused.
        let mut claims = ended(end, false);
        assert_eq!(fates(&take("t2", &[past()], &mut claims, 3)), [Fate::Done]);
        assert_eq!(refused(&take("t2", &[yes("a")], &mut claims, 3)), (409, "replayed"));
    }
    // Only the call of history has ended, so the other one runs.
    let mut claims = ended(Ending::Done, true);
    claims.extend(asked(&["b"]));
    assert_eq!(fates(&take("t2", &[past(), yes("b")], &mut claims, 3)), [Fate::Done, Fate::Run]);

    let mut claims = asked(&["a"]);
    assert_eq!(refused(&take("t1", &[past()], &mut claims, 1_000)), (409, "too-late"));
    take("t1", &[yes("a")], &mut claims, 1);
    assert_eq!(refused(&take("t2", &[past()], &mut claims, 2)), (409, "running"));
    assert_eq!(refused(&take("t2", &[past()], &mut claims, 1 + LEASE)), (409, "too-late"));
    start("a", Some("t1"), &mut claims, 2);
    assert_eq!(refused(&take("t2", &[past()], &mut claims, 3)), (409, "running"));
    assert_eq!(refused(&take("t2", &[past()], &mut claims, 2 + LEASE)), (409, "in-doubt"));

    let mut claims = asked(&["a"]);
    take("t1", &[no("a")], &mut claims, 1);
    assert_eq!(refused(&take("t2", &[past()], &mut claims, 2)), (409, "replayed"));
}

#[test]
fn what_the_provider_runs_is_passed_on_once() {
    let mut claims = asked(&["a"]);
    let decision = Answered { runner: Runner::Provider, ..yes("a") };
    assert_eq!(fates(&take("t1", std::slice::from_ref(&decision), &mut claims, 1)), [Fate::Pass]);
    // The provider would get the yes again, also that of history.
    for current in [true, false] {
        let again = Answered { current, ..decision.clone() };
        assert_eq!(refused(&take("t2", &[again], &mut claims, 2)), (409, "replayed"));
    }
    for denial in denials("a") {
        let denial = Answered { runner: Runner::Provider, ..denial };
        assert_eq!(fates(&take("t3", &[denial], &mut claims, 3)), [Fate::Done]);
    }
}

#[test]
fn a_question_that_is_known_stays_as_it_is() {
    let mut claims = asked(&["a"]);
    take("t1", &[yes("a")], &mut claims, 1);
    let before = claims.clone();
    let questions = vec![Question { input: Some("f2".into()), ..question("a") }];
    handle(&Command::Ask { questions, user: None, expires: None }, &mut claims, 2);
    assert_eq!(claims, before);
}

#[test]
fn the_stored_form_is_stable() {
    let mut claims = asked(&["a"]);
    let text = |claims: &Claims| stored::write(&claims["a"]);
    let head = r#"{"v":1,"call":"call a","tool":"rm","input":"f1","user":"ann","expires":1000,"#;
    assert_eq!(text(&claims), format!(r#"{head}"at":0,"state":"asked"}}"#));
    take("t", &[yes("a")], &mut claims, 1);
    assert_eq!(text(&claims), format!(r#"{head}"at":1,"state":"taken","token":"t","until":101}}"#));
    start("a", Some("t"), &mut claims, 2);
    assert_eq!(text(&claims), format!(r#"{head}"at":2,"state":"running","token":"t","until":102}}"#));
    finish("a", "t", Ending::InDoubt, &mut claims, 3);
    assert_eq!(text(&claims), format!(r#"{head}"at":3,"state":"in-doubt","token":"t"}}"#));
    settle("a", Ending::Done, &mut claims, 4);
    assert_eq!(text(&claims), format!(r#"{head}"at":4,"state":"done","kept":true,"settled":true}}"#));
}

#[test]
fn what_was_stored_is_read_and_anything_else_is_not() {
    let end = End { kept: false, settled: false };
    let token = || "t\"\\ \u{1F600}".to_owned();
    for state in [
        State::Asked,
        // The last time that is read as it was written.
        State::Taken { token: token(), until: (1 << 53) - 1 },
        State::Running { token: token(), until: 0 },
        State::Done(End { kept: true, settled: true }),
        State::Failed(end),
        State::InDoubt { token: token() },
        State::Denied,
    ] {
        for (user, expires, input) in [(None, None, None), (Some(token()), Some(7), Some(String::new()))] {
            let claim = Claim { user, expires, input, state: state.clone(), ..asked(&["a"])["a"].clone() };
            let text = stored::write(&claim);
            assert_eq!(stored::read(&text), Some(claim), "{text}");
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                assert_eq!(stored::read(&text[..end]), None);
            }
        }
    }
    let good = stored::write(&asked(&["a"])["a"]);
    for (from, to) in [
        (r#""v":1"#, r#""v":2"#),
        (r#""v":1,"#, ""),
        ("asked", "else"),
        (r#""at":0"#, r#""at":-1"#),
        (r#""at":0"#, r#""at":"0""#),
        (r#""user":"ann""#, r#""user":7"#),
        (r#""expires":1000"#, r#""expires":null"#),
        (r#""state":"asked""#, r#""state":"taken","token":"t""#),
        (r#""state":"asked""#, r#""state":"done""#),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        assert_eq!(stored::read(&bad), None, "{bad}");
    }
}

fn edited(id: &str, to: &str, fits: bool) -> Answered {
    Answered { edit: Some(Edit { fingerprint: to.into(), fits }), ..yes(id) }
}

#[test]
fn a_changed_input_runs_where_it_fits_and_only_as_a_change_of_what_was_asked() {
    let mut claims = asked(&["a"]);
    let before = claims.clone();
    let other = Answered { fingerprint: Some("f2".into()), ..edited("a", "e1", true) };
    let cases = [(edited("a", "e1", false), (403, "not-editable")), (other, (409, "changed-input"))];
    for (decision, refusal) in cases {
        assert_eq!(refused(&take("t", &[decision], &mut claims, 1)), refusal);
        assert_eq!(claims, before);
    }
    assert_eq!(fates(&take("t1", &[edited("a", "e1", true)], &mut claims, 1)), [Fate::Run]);
    assert_eq!(claims["a"].edit.as_deref(), Some("e1"), "what runs is stored");
    let text = stored::write(&claims["a"]);
    assert_eq!(stored::read(&text), Some(claims["a"].clone()));
}

#[test]
fn a_change_gets_no_second_run() {
    let mut claims = asked(&["a"]);
    assert_eq!(fates(&take("t1", &[edited("a", "e1", true)], &mut claims, 1)), [Fate::Run]);
    let others = [yes("a"), edited("a", "e2", true)];
    let refuse = |claims: &mut Claims, now| {
        for other in &others {
            let verdict = take("t2", std::slice::from_ref(other), claims, now);
            assert_eq!(refused(&verdict), (409, "changed-input"));
        }
    };
    refuse(&mut claims, 2);
    let before = claims.clone();
    assert_eq!(start("a", Some("t1"), &mut claims, 3), (false, Some("of another input"), false));
    assert_eq!(claims, before, "what the model asked for does not run in the place of what was allowed");
    assert_eq!(start_with("e1", "a", Some("t1"), &mut claims, 3), (true, Some("running"), false));
    refuse(&mut claims, 4);
    assert!(finish("a", "t1", Ending::Done, &mut claims, 5));
    refuse(&mut claims, 6);
    assert_eq!(
        start("a", None, &mut claims, 6),
        (false, Some("of another input"), false),
        "nor gets its result"
    );
    assert_eq!(start_with("e1", "a", None, &mut claims, 6), (false, Some("done"), true));
    let again = take("t3", &[edited("a", "e1", true)], &mut claims, 7);
    assert_eq!((again.status, fates(&again)), (200, vec![Fate::Done]));
    assert_eq!(fates(&take("t4", &[no("a")], &mut claims, 8)), [Fate::Done], "a denial comes too late");
}

#[test]
fn until_a_call_has_started_the_newest_yes_counts() {
    let mut claims = asked(&["a"]);
    assert_eq!(fates(&take("t1", &[edited("a", "e1", true)], &mut claims, 1)), [Fate::Run]);
    let later = 1 + LEASE;
    assert_eq!(fates(&take("t2", &[yes("a")], &mut claims, later)), [Fate::Run]);
    assert_eq!(claims["a"].edit, None);
    assert_eq!(start("a", Some("t1"), &mut claims, later), (false, Some("taken"), false), "it has lost it");
    assert_eq!(start("a", Some("t2"), &mut claims, later), (true, Some("running"), false));
}
