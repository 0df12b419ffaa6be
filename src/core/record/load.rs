//! Finds the calls that ask most often: the same tool with exactly the same input. Such a call is worth a
//! rule.

use super::known::Change;
use super::known_call::KnownCall;
use super::line::Line;
use crate::core::decision::Actor;
use crate::core::event::EventKind;
use serde::Serialize;

/// The maximum number of calls that are counted.
const MOST: usize = 256;

fields! {
    /// The counts of one exact call.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Asker {
        /// The number of times that a person has allowed it.
        pub allowed: u64 = "allowed",
        /// The number of times that it has asked.
        pub asked: u64 = "asked",
        /// The number of times that a person has denied it.
        pub denied: u64 = "denied",
        /// The salted hash of its input.
        pub input_hash: String = "inputHash",
        /// The name of the tool.
        pub tool_name: String = "toolName",
    }
}

fields! {
    /// The calls that ask most often.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Load {
        /// The counted calls, in the order in which they were first seen.
        askers: Vec<Asker> = "askers",
    }
}

impl Load {
    /// Applies one line. `call` is the call after the line, and `change` is what the line did to its
    /// question.
    pub fn apply(&mut self, line: &Line, call: &KnownCall, change: Change) {
        let asked = change.before.is_none() && change.after.is_some();
        let person = line.kind == EventKind::Answered && line.actor == Some(Actor::Person);
        let (Some(input), true) = (&call.input_hash, asked || person) else { return };
        let asker = Asker {
            tool_name: call.tool_name.clone(),
            input_hash: input.clone(),
            asked: asked.into(),
            allowed: (person && line.approved == Some(true)).into(),
            denied: (person && line.approved == Some(false)).into(),
        };
        self.add(asker);
    }

    fn add(&mut self, more: Asker) {
        let same =
            |asker: &&mut Asker| asker.input_hash == more.input_hash && asker.tool_name == more.tool_name;
        if let Some(asker) = self.askers.iter_mut().find(same) {
            asker.asked += more.asked;
            asker.allowed += more.allowed;
            asker.denied += more.denied;
            return;
        }
        if self.askers.len() >= MOST {
            let least = self.askers.iter().map(|asker| asker.asked).min();
            let oldest = self.askers.iter().position(|asker| Some(asker.asked) == least);
            oldest.map(|oldest| self.askers.remove(oldest));
        }
        self.askers.push(more);
    }

    /// The calls that ask most often, at most this many, the most frequent first. Of equal ones, the one that
    /// was seen first goes first.
    pub fn top(&self, most: usize) -> Vec<&Asker> {
        let mut askers: Vec<&Asker> = self.askers.iter().collect();
        let mut top = Vec::new();
        while top.len() < most
            && let Some(asked) = askers.iter().map(|asker| asker.asked).max()
        {
            let (first, others) = askers.into_iter().partition::<Vec<_>, _>(|asker| asker.asked == asked);
            top.extend(first);
            askers = others;
        }
        top.truncate(most);
        top
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::record::known_call::Class;

    fn asker(tool: &str, asked: u64) -> Asker {
        Asker { tool_name: tool.to_owned(), asked, ..Asker::default() }
    }

    fn names(load: &Load, most: usize) -> Vec<&str> {
        load.top(most).iter().map(|asker| asker.tool_name.as_str()).collect()
    }

    #[test]
    fn a_question_counts_once() {
        let asked = Line {
            kind: EventKind::Asked,
            tool_name: Some("rm".to_owned()),
            input_hash: Some("hash".to_owned()),
            ..Line::default()
        };
        let mut call = KnownCall::new(&asked);
        call.apply(&asked);
        let mut load = Load::default();
        let after = Some(Class::Waiting);
        load.apply(&asked, &call, Change { after, ..Change::default() });
        load.apply(&asked, &call, Change { before: after, after, recovered: false });
        assert_eq!(load.top(9).iter().map(|asker| asker.asked).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn those_that_ask_most_come_first() {
        let mut load = Load::default();
        for name in ["a", "b", "b", "c", "c", "b"] {
            load.add(asker(name, 1));
        }
        assert_eq!(names(&load, 10), ["b", "c", "a"]);
        assert_eq!(names(&load, 2), ["b", "c"]);
    }

    #[test]
    fn the_least_frequent_oldest_one_is_dropped() {
        let mut load = Load::default();
        load.add(asker("often", 2));
        (0..600).for_each(|number| load.add(asker(&number.to_string(), 1)));
        assert_eq!(load.askers.len(), MOST);
        let names = names(&load, MOST);
        assert_eq!((names.first(), names.get(1), names.last()), (Some(&"often"), Some(&"345"), Some(&"599")));
    }
}
