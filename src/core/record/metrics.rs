//! Metrics of the questions of a chat: how many there are, how fast they are answered, and by whom. They are
//! counted line by line.

use std::collections::VecDeque;

use super::known::Change;
use super::known_call::Class;
use super::line::Line;
use crate::core::decision::Actor;
use crate::core::event::EventKind;
use crate::core::id_map::IdMap;
use serde::Serialize;

/// The maximum number of response times that are kept.
const MOST_TIMES: usize = 1000;

fields! {
    /// The counts.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Metrics {
        /// The number of answers of each actor.
        answers: IdMap<Actor, u64> = "answers",
        /// The number of questions with each result.
        classes: IdMap<Class, u64> = "classes",
        /// The number of calls that a later page has taken up.
        recovered: u64 = "recovered",
        /// The latest response times of persons, in milliseconds, oldest first.
        times: VecDeque<u64> = "times",
        /// The number of requests that a person caused.
        turns: u64 = "turns",
        /// The number of decisions that a person has undone.
        undone: u64 = "undone",
    }
}

/// The figures of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Calls that nobody has answered, and that nobody can answer any more.
    pub abandoned: u64,
    /// Calls that were allowed.
    pub allowed: u64,
    /// The number of answers of each actor.
    pub answers: Vec<(Actor, u64)>,
    /// Calls that asked.
    pub asked: u64,
    /// Answers by grants, rules and timers, and answers given because nobody was there to ask.
    pub automatic: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Calls that expired.
    pub expired: u64,
    /// Calls that a later page has taken up.
    pub recovered: u64,
    /// The latest response times of persons, in milliseconds, oldest first.
    pub times: VecDeque<u64>,
    /// Requests that a person caused.
    pub turns: u64,
    /// Decisions that a person has undone.
    pub undone: u64,
    /// Calls that wait for an answer.
    pub waiting: u64,
}

impl Metrics {
    /// Applies one line, and what it did to the question of its call.
    pub fn apply(&mut self, line: &Line, change: Change) {
        self.count(change.before, change.after);
        self.recovered += u64::from(change.recovered);
        match line.kind {
            EventKind::Undone if line.actor == Some(Actor::Person) => self.undone += 1,
            // A continue by the chat itself is not a person's turn. Older lines do not say who caused a
            // request.
            EventKind::Requested
                if line.automatic == Some(false) && line.actor != Some(Actor::Application) =>
            {
                self.turns += 1;
            }
            EventKind::Answered | EventKind::LateDenial => self.answered(line),
            _ => {}
        }
    }

    fn answered(&mut self, line: &Line) {
        let Some(actor) = line.actor else { return };
        self.answers.add(actor, 1);
        if let (Actor::Person, Some(waited)) = (actor, line.waited_ms) {
            if self.times.len() == MOST_TIMES {
                self.times.pop_front();
            }
            self.times.push_back(waited);
        }
    }

    /// Moves a question from one result to another.
    fn count(&mut self, before: Option<Class>, after: Option<Class>) {
        if before == after {
            return;
        }
        if let Some(count) = before.and_then(|class| self.classes.get_mut(&class)) {
            *count = count.saturating_sub(1);
        }
        if let Some(class) = after {
            self.classes.add(class, 1);
        }
    }

    /// Returns the figures. `waiting` is the number of questions that wait in the current session. All other
    /// unanswered questions were abandoned with their session.
    pub fn figures(&self, waiting: u64) -> Figures {
        let count = |class: Class| self.classes.get(&class).copied().unwrap_or_default();
        let unanswered = count(Class::Waiting);
        let waiting = waiting.min(unanswered);
        let automatic = [Actor::Grant, Actor::Rule, Actor::Timer, Actor::Unattended];
        Figures {
            abandoned: count(Class::Abandoned) + (unanswered - waiting),
            allowed: count(Class::Allowed),
            answers: self.answers.iter().copied().collect(),
            asked: self.classes.iter().map(|(_, count)| count).sum(),
            automatic: automatic.iter().filter_map(|actor| self.answers.get(actor)).sum(),
            denied: count(Class::Denied),
            expired: count(Class::Expired),
            recovered: self.recovered,
            times: self.times.clone(),
            turns: self.turns,
            undone: self.undone,
            waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn figures(metrics: &Metrics) -> Value {
        serde_json::to_value(metrics.figures(3)).expect("JSON")
    }

    fn answer(waited: u64) -> Line {
        let (kind, actor) = (EventKind::Answered, Some(Actor::Person));
        Line { kind, actor, approved: Some(true), waited_ms: Some(waited), ..Line::default() }
    }

    #[test]
    fn the_latest_thousand_response_times_are_kept() {
        let mut metrics = Metrics::default();
        for waited in 0..3000 {
            metrics.apply(&answer(waited), Change::default());
        }
        let figures = figures(&metrics);
        assert_eq!(figures["times"], json!((2000..3000).collect::<Vec<u64>>()));
        assert_eq!(figures["answers"], json!([["person", 3000]]));
    }

    #[test]
    fn only_persons_have_response_times_and_only_others_answer_automatically() {
        let mut metrics = Metrics::default();
        for actor in Actor::ALL {
            metrics.apply(&Line { actor: Some(*actor), ..answer(5) }, Change::default());
        }
        let figures = figures(&metrics);
        assert_eq!(figures["times"], json!([5]));
        assert_eq!(figures["automatic"], 4);
    }

    #[test]
    fn a_turn_is_a_request_of_a_person() {
        let mut metrics = Metrics::default();
        let requested = Line { kind: EventKind::Requested, automatic: Some(false), ..Line::default() };
        // The oldest lines do not say whose request it is.
        for actor in [Some(Actor::Person), None, Some(Actor::Application)] {
            metrics.apply(&Line { actor, ..requested.clone() }, Change::default());
        }
        metrics.apply(&Line { automatic: Some(true), ..requested }, Change::default());
        assert_eq!(figures(&metrics)["turns"], 2);
    }

    #[test]
    fn nothing_was_counted() {
        let figures = figures(&Metrics::default());
        assert_eq!(
            (&figures["asked"], &figures["waiting"], &figures["abandoned"]),
            (&json!(0), &json!(0), &json!(0))
        );
    }
}
