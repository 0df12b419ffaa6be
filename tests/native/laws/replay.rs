//! Law 10: the entries, folded or stored, agree with the guard.

use proptest::prelude::*;
use tool_approval_guard::core::event::EventKind;
use tool_approval_guard::core::id::CallId;

use crate::common::chat_simulator::histories::{failing_history, history};
use crate::common::chat_simulator::{ChatSimulator, Moment};
use crate::common::occurrences::{config, property};
use crate::common::stored_lines::StoredLines;

#[test]
fn law_10_replay() {
    let floors = [("calls were forgotten", 20), ("a call asked", 400)];
    property(config(1200), history(), &floors, |history, occurred| {
        let mut simulator = ChatSimulator::new(history.segment, true);
        for (op, turns) in &history.steps {
            simulator.step(op, *turns);
            prop_assert_eq!(&crate::common::fold(&simulator.page.log), simulator.page.guard.state());
        }
        occurred.count_if(simulator.page.guard.forgotten() > CallId(0), "calls were forgotten");
        let asked = simulator.page.log.iter().filter(|entry| entry.event.kind == EventKind::Asked);
        occurred.add("a call asked", asked.count() as u32);
        let again = ChatSimulator::run(&history);
        prop_assert_eq!(simulator.page.log, again.page.log);
        Ok(())
    });
}

/// A reader who has only the stored lines knows the same as the guard.
#[test]
fn law_10_the_stored_text_says_the_same() {
    let floors = [("a request was sent", 600), ("a request has failed", 200)];
    let histories = prop_oneof![history(), failing_history()];
    property(config(600), histories, &floors, |history, occurred| {
        let mut simulator = ChatSimulator::new(history.segment, true);
        simulator.page.lines = Some(StoredLines::default());
        history.steps.iter().for_each(|(op, turns)| simulator.step(op, *turns));
        for moment in &simulator.trace {
            occurred.count_if(matches!(moment, Moment::Sent { .. }), "a request was sent");
            occurred.count_if(matches!(moment, Moment::Failed { .. }), "a request has failed");
        }
        let page = &simulator.page;
        let difference = page.lines.as_ref().and_then(|lines| lines.difference(&page.guard));
        prop_assert_eq!(difference, None);
        Ok(())
    });
}
