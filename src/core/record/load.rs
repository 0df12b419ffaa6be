//! Which calls ask most: a tool with exactly the same input, again and again. Such a call is worth a rule.

use super::known::Change;
use super::known_call::KnownCall;
use super::line::Line;
use crate::core::decision::Actor;
use crate::core::event::EventKind;
use serde::Serialize;

/// So many calls are counted.
const MOST: usize = 256;

fields! {
    /// How often one exact call has asked.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Asker {
        /// How often a person has allowed it.
        pub allowed: u64 = "allowed",
        /// How often it has asked.
        pub asked: u64 = "asked",
        /// How often a person has denied it.
        pub denied: u64 = "denied",
        /// The salted hash of its input.
        pub input_hash: String = "inputHash",
        /// The name of the tool.
        pub tool_name: String = "toolName",
    }
}

fields! {
    /// The calls that ask most.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Load {
        /// Those that were seen earlier come first.
        askers: Vec<Asker> = "askers",
    }
}

impl Load {
    /// Takes one line, its call as it is now, and what the line has done to the question of the call.
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

    /// Takes what another session has counted.
    pub fn merge(&mut self, other: Self) {
        other.askers.into_iter().for_each(|asker| self.add(asker));
    }

    /// So many that ask most, most first; of equal ones the one that was seen first.
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

    fn asker(tool: &str, asked: u64) -> Asker {
        Asker { tool_name: tool.to_owned(), asked, ..Asker::default() }
    }

    fn names(load: &Load, most: usize) -> Vec<&str> {
        load.top(most).iter().map(|asker| asker.tool_name.as_str()).collect()
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

    #[test]
    fn what_two_sessions_have_counted_is_added_up() {
        let [mut one, mut two] = [Load::default(), Load::default()];
        one.add(asker("a", 2));
        two.add(asker("b", 5));
        two.add(asker("a", 4));
        one.merge(two);
        assert_eq!(one.top(1).first().map(|asker| asker.asked), Some(6));
        assert_eq!(names(&one, 9), ["a", "b"]);
    }
}
