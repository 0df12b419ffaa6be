//! The news for a server: messages that it does not have, and calls about which the page has said something, since a
//! request whose response has ended as it should. A response that has broken proves nothing: some servers store a
//! request only at the end. In doubt a message is not there.

use super::deliveries::{Listed, News, Says};
use super::{Guard, Problem, Returned, Transaction};
use crate::core::call::{Answer, Call, Digest, PartFacts, PartFlags};
use crate::core::decision::{Actor, Author};
use crate::core::id::{CallId, RequestId, StringId};
use crate::core::protocol::ToolState;
use crate::core::repair::{Repair, Scope, ShownPart};

fn last_answer(list: &[Listed]) -> Option<usize> {
    list.iter().rposition(|listed| listed.assistant)
}

impl Guard {
    pub(super) fn says(&self, call: Option<&Call>, flags: PartFlags, output: Digest) -> Says {
        match flags.answer {
            _ if flags.state == ToolState::OutputDenied => Says::No { settled: true },
            Answer::No => Says::No { settled: false },
            _ if flags.has_output() && self.is_output_of_page(call) => Says::Output(output),
            Answer::Yes => Says::Yes,
            Answer::Absent | Answer::Malformed => Says::Nothing,
        }
    }

    /// Whether a server has what a part says. It has what it said itself, and what the page found in a stored list as
    /// the end of a call.
    fn has_part(&self, (id, flags, output): (Option<CallId>, PartFlags, Digest)) -> bool {
        let call = id.and_then(|id| self.call(id));
        let says = self.says(call, flags, output);
        if says == Says::Nothing {
            return true;
        }
        let Some((id, call)) = id.zip(call) else { return false };
        let had = self.deliveries.calls.get(&id).copied();
        if had == Some(says) {
            return true;
        }
        let actor = call.decision().map(|decision| decision.actor);
        match says {
            // The response to the denial has settled it.
            Says::No { settled: true } if had == Some(Says::No { settled: false }) => {
                call.denial_settled() && !call.closed_by_user_message()
            }
            Says::No { .. } | Says::Yes => {
                actor == Some(Actor::Server) || (actor == Some(Actor::History) && flags.state.has_result())
            }
            Says::Output(_) => call.output() == Some(Author::History),
            Says::Nothing => true,
        }
    }

    /// The messages and calls of a list that no server surely has. After a reload, when nothing is known, it has what is
    /// before the last message of the model.
    pub fn news(&self, list: &[Listed]) -> Vec<News> {
        let known = &self.deliveries;
        let last_answer = last_answer(list);
        let mut news = Vec::new();
        for (index, listed) in list.iter().enumerate() {
            let is_late = !known.accepted && Some(index) >= last_answer;
            let is_new = match known.messages.get(&listed.message) {
                _ if listed.assistant => is_late,
                _ if listed.message.is_none() => true,
                Some(&had) => had != Some(listed.content),
                None => known.accepted || is_late,
            };
            if is_new {
                news.push(News { index, call: None });
            }
            for &part in &listed.parts {
                if !self.has_part(part) {
                    news.push(News { index, call: part.0 });
                }
            }
        }
        news
    }

    /// Whether a call leaves with a stored output beside a question without an answer.
    fn leaves_unanswered(&self, id: CallId) -> bool {
        let Some((call, seen)) = self.known(id) else { return false };
        let PartFacts { flags, approval, input, edit, .. } = seen.part;
        let on_wire = ShownPart { flags, approval, input, edit, scope: Scope::Wire };
        seen.part.has_output_unanswered()
            && call.output() == Some(Author::History)
            && !call.gone()
            && self.repair(id, on_wire, false).repair == Repair::Keep
    }

    /// The index of the first message that the server needs.
    pub fn unsent_from(&self, list: &[Listed]) -> usize {
        let last = list.len().saturating_sub(1);
        let Some(first) = self.news(list).first().map(|news| news.index.min(last)) else { return last };
        let is_before_answer = !list[first].assistant && last_answer(list) > Some(first);
        if !is_before_answer {
            return first;
        }
        // Between its messages a server sees which ones are new by one that it has.
        list[..first].iter().rposition(|listed| !listed.assistant).unwrap_or(0)
    }
}

impl Transaction<'_> {
    /// Says what of a list the server needs.
    pub(super) fn unsent(&mut self, list: &[Listed]) {
        let (from, news) = (self.guard.unsent_from(list), self.guard.news(list));
        self.returns(Returned::Unsent { from, news });
    }

    /// Remembers a call whose part may leave like that, so that a request need not look at each call.
    pub(super) fn find_unanswered(&mut self, id: CallId, part: &PartFacts) {
        let unanswered = &mut self.guard.deliveries.unanswered;
        if part.has_output_unanswered() && unanswered.get(&id).is_none() {
            unanswered.insert(id, false);
        }
    }

    /// Law 17: servers refuse a list with an output beside a question without an answer (`validateUIMessages`), as `ai` 6 has stored it.
    /// Nobody knows who has allowed the call, so it leaves as it came, and is reported once.
    pub(super) fn report_unanswered(&mut self) {
        // Then a server has taken the list.
        if self.guard.deliveries.accepted {
            return;
        }
        let is_new = |&&(id, is_reported): &&(CallId, bool)| !is_reported && self.guard.leaves_unanswered(id);
        let unanswered: Vec<CallId> =
            self.guard.deliveries.unanswered.iter().filter(is_new).map(|&(id, _)| id).collect();
        for id in unanswered {
            self.guard.deliveries.unanswered.insert(id, true);
            self.problem(Problem::MalformedApproval, Some(id));
        }
    }

    /// A list leaves with a request.
    pub(super) fn carried(&mut self, request: RequestId, list: Vec<Listed>) {
        let deliveries = &mut self.guard.deliveries;
        let begin = last_answer(&list);
        for (index, listed) in list.iter().enumerate() {
            // A message that a page has sent once is never taken for an old one, also if its request fails.
            let is_own = !listed.assistant && (deliveries.accepted || Some(index) > begin);
            if is_own && deliveries.messages.get(&listed.message).is_none() {
                deliveries.messages.insert(listed.message, None);
            }
        }
        self.guard.responses.carry(request, Some(list));
    }

    /// The response to a request has come to its end, so the server has its list.
    pub(super) fn list_arrived(&mut self, list: Vec<Listed>) {
        for listed in list {
            for (id, flags, output) in listed.parts {
                let says = self.guard.says(id.and_then(|id| self.guard.call(id)), flags, output);
                if let (Some(id), true) = (id, says != Says::Nothing) {
                    self.guard.deliveries.calls.insert(id, says);
                }
            }
            if !listed.assistant {
                self.guard.deliveries.messages.insert(listed.message, Some(listed.content));
            }
        }
        self.guard.deliveries.accepted = true;
    }

    /// The response to a message of a person is an older message: the server has gone on with that one, and has not taken
    /// the message of the person. What is left of the list of a regeneration may end with the message that goes on, and what
    /// has come there since may be from another response.
    pub(super) fn begun(&mut self, request: RequestId, message: StringId) {
        if self.guard.writes_older_message(request, message) {
            self.guard.responses.carry(request, None);
            self.problem(Problem::NotInRequest, None);
        }
    }

    /// The body of a request lacks something that the server does not have. It is reported once.
    pub(super) fn lacking(&mut self, request: RequestId, message: StringId, call: Option<CallId>) {
        match (self.guard.responses.list_of(request), call) {
            (Some(list), None) => list.retain(|listed| listed.message != message),
            (Some(list), _) => list.iter_mut().for_each(|listed| listed.parts.retain(|part| part.0 != call)),
            (None, _) => {}
        }
        let deliveries = &mut self.guard.deliveries;
        if !deliveries.reported.contains(&(message, call)) {
            deliveries.reported.push((message, call));
            self.problem(Problem::NotInRequest, call);
        }
    }
}
