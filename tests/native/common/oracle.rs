//! The history of a chat, and searches in it. Nothing is computed in advance, cached or carried along: each
//! question reads the history. The laws that are checked with it are in `oracle_laws`.

use std::collections::BTreeMap;

use tool_approval_guard::core::call::Digest;
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::{Choice, Refusal};
use tool_approval_guard::core::guard::Covers;
use tool_approval_guard::core::id::{GrantId, RequestId, StringId};
use tool_approval_guard::core::policy::{Policy, WhenUserSends};

/// The number of a call on the server, from 0. The guard never sees it.
pub type Tag = usize;

/// The input of a call: two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    pub a: u8,
    pub b: u8,
}

/// The name of a list with [`Content::a`] as its only field. 0 names all fields.
pub const FIELD_A: StringId = StringId(70);

/// The values of some fields.
pub type Value = (u8, Option<u8>);

impl Content {
    pub fn digest(self) -> Digest {
        1 + 2 * (u64::from(self.a) + 16 * u64::from(self.b))
    }

    pub fn pick(self, fields: StringId) -> Value {
        (self.a, (fields.is_none()).then_some(self.b))
    }
}

/// A tool part in a message list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub tag: Tag,
    pub tool: StringId,
    pub content: Content,
    /// Whether it is an `approval-requested`.
    pub asks: bool,
    /// Whether it is an `input-available`.
    pub begins: bool,
    /// Its `approval.approved`.
    pub says: Option<bool>,
    pub output: bool,
    /// Whether the server wrote its state.
    pub served: bool,
}

/// A tool part in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    pub tag: Tag,
    pub says: Option<bool>,
    pub output: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Person,
    Grant,
    Clock,
    Nobody,
    MovedOn,
    Other,
}

/// How a page shows a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    pub asks: bool,
    pub says: Option<bool>,
    pub who: Option<Who>,
    /// The grant that answered, or that came with the answer; 0 for none.
    pub grant: GrantId,
    /// Whether it can no longer be undone.
    pub final_: bool,
    pub gone: bool,
    pub deadline: Option<Time>,
    pub dangerous: bool,
}

impl Card {
    pub fn draft(&self) -> Option<bool> {
        self.says.filter(|_| !self.final_)
    }

    pub fn answer(&self) -> Option<bool> {
        self.says.filter(|_| self.final_)
    }

    /// Whether a person, or a person's grant, gave the answer, so that a person can undo it.
    pub fn undoable(&self) -> bool {
        self.draft().is_some() && matches!(self.who, Some(Who::Person | Who::Grant))
    }
}

/// How a page shows a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    pub yes: bool,
    pub tool: StringId,
    pub until: Option<Time>,
    pub uses: u32,
    pub ended: bool,
    pub active: bool,
}

/// How a page shows what is decided together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    pub calls: Vec<Tag>,
    pub asking: usize,
    pub allowed: usize,
    pub denied: usize,
    pub undoable: bool,
    pub due: Option<Time>,
    pub refusals: u32,
}

/// Everything that a page shows after something has happened.
#[derive(Clone, Debug, Default)]
pub struct Page {
    pub cards: BTreeMap<Tag, Card>,
    pub grants: Vec<Listed>,
    pub batch: Batch,
    pub wakes_in: Option<Time>,
    /// Whether a timer has just fired, so that nothing is late.
    pub timer: bool,
}

/// The result that a person or the page received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It was done; the calls are those that it affected as well.
    Done(Vec<Tag>),
    /// An expired call now counts as denied by a person; the calls are those that it affected as well.
    Late(Vec<Tag>),
    Refused(Refusal),
    Waiting,
    Responding,
    Nothing,
}

impl Reply {
    pub fn took(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Late(_))
    }
}

/// The known outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its response has ended.
    Ended,
    /// It is proven that the server refused it.
    Refused,
    Unknown,
}

#[derive(Clone, Debug)]
pub enum Event {
    /// The messages as they were scanned. `loaded`: the chat had them before the page.
    List {
        parts: Vec<Shown>,
        step: Vec<Tag>,
        /// The requests whose response is the last message, or continues it.
        writers: Vec<RequestId>,
        loaded: bool,
    },
    Annotated {
        tag: Tag,
        lifetime: Option<Time>,
    },
    /// The guard can compare these fields of this input; with `None` it cannot.
    Compared {
        tag: Tag,
        fields: StringId,
        content: Option<Content>,
    },
    Decided {
        tag: Tag,
        choice: Choice,
        covers: Covers,
        lifetime: Option<Time>,
        grant: GrantId,
        reply: Reply,
    },
    /// A click that went through the chat itself, before its messages show it.
    Clicked {
        tag: Tag,
        yes: bool,
    },
    /// These calls; `None` for all of them.
    Undone {
        tags: Option<Vec<Tag>>,
        reply: Reply,
    },
    Extended {
        tag: Tag,
        reply: Reply,
    },
    Revoked {
        grant: Option<GrantId>,
        reply: Reply,
    },
    /// `due`: only if it is time. `attached`: a chat is attached.
    Committed {
        due: bool,
        attached: bool,
        reply: Reply,
    },
    Requested {
        request: RequestId,
        person: bool,
        automatic: bool,
        wire: Vec<Carried>,
    },
    Started(RequestId),
    Over(RequestId, Fate),
    Stopped,
    Left,
    Shown(Page),
}

pub struct Oracle {
    pub history: Vec<(Time, Event)>,
    pub policy: Policy,
    /// Whether a message of a person closes open calls.
    pub closes: bool,
    /// How often each interesting case occurred.
    pub occurred: BTreeMap<&'static str, u32>,
}

/// A grant as it was given.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub id: GrantId,
    pub yes: bool,
    pub by: Tag,
    pub tool: StringId,
    pub covers: Covers,
    pub content: Content,
    pub until: Option<Time>,
    /// Its index in the history.
    pub at: usize,
}

impl Oracle {
    pub fn new(policy: Policy) -> Self {
        let closes = policy.when_user_sends == WhenUserSends::Deny;
        Self { history: Vec::new(), policy, closes, occurred: BTreeMap::new() }
    }

    pub fn happened(&mut self, now: Time, event: Event) {
        self.history.push((now, event));
    }

    pub fn count(&mut self, what: &'static str) {
        *self.occurred.entry(what).or_default() += 1;
    }

    // ---- what the page showed ----

    /// The display of the page before an index of the history.
    pub fn page_before(&self, end: usize) -> Option<&Page> {
        self.history[..end].iter().rev().find_map(|(_, event)| match event {
            Event::Shown(page) => Some(page),
            _ => None,
        })
    }

    /// The index of that display.
    pub fn shown_before(&self, end: usize) -> usize {
        self.history[..end].iter().rposition(|(_, event)| matches!(event, Event::Shown(_))).unwrap_or(0)
    }

    pub fn card(&self, tag: Tag) -> Option<Card> {
        self.page_before(self.history.len())?.cards.get(&tag).copied()
    }

    /// The last card of a call, even if the call was dropped since.
    pub fn last_card(&self, tag: Tag) -> Option<Card> {
        self.history.iter().rev().find_map(|(_, event)| match event {
            Event::Shown(page) => page.cards.get(&tag).copied(),
            _ => None,
        })
    }

    /// The index of the history since which a card has shown its current answer.
    pub fn unchanged_since(&self, tag: Tag, end: usize) -> usize {
        let mut last = None;
        let mut since = 0;
        for (index, (_, event)) in self.history[..end].iter().enumerate() {
            let Event::Shown(page) = event else { continue };
            let card = page.cards.get(&tag).map(|card| (card.says, card.final_));
            if last != Some(card) {
                last = Some(card);
                since = index;
            }
        }
        since
    }

    // ---- what stood in the messages ----

    pub fn lists(&self, end: usize) -> impl Iterator<Item = (usize, &Vec<Shown>, &Vec<Tag>)> {
        let events = self.history[..end].iter().enumerate().rev();
        events.filter_map(|(index, (_, event))| match event {
            Event::List { parts, step, .. } => Some((index, parts, step)),
            _ => None,
        })
    }

    /// The part of a call in the last list that had one.
    pub fn shown(&self, tag: Tag, end: usize) -> Option<Shown> {
        self.lists(end).find_map(|(_, parts, _)| parts.iter().find(|part| part.tag == tag).copied())
    }

    /// The last part with a question.
    pub fn question(&self, tag: Tag, end: usize) -> Option<Shown> {
        self.lists(end).find_map(|(_, parts, _)| parts.iter().find(|p| p.tag == tag && p.asks).copied())
    }

    pub fn step(&self, end: usize) -> Vec<Tag> {
        self.lists(end).next().map(|(_, _, step)| step.clone()).unwrap_or_default()
    }

    /// Whether its question or its answer was there before the page.
    pub fn loaded(&self, tag: Tag) -> bool {
        self.history.iter().any(|(_, event)| {
            matches!(event, Event::List { parts, loaded: true, .. } if parts.iter().any(|p| p.tag == tag))
        })
    }

    // ---- what was sent ----

    /// The requests that have carried an answer of a call, from an index of the history on.
    pub fn carrying(&self, tag: Tag, yes: bool, from: usize) -> Vec<RequestId> {
        let events = self.history[from..].iter();
        let requests = events.filter_map(|(_, event)| match event {
            Event::Requested { request, wire, .. } => {
                wire.iter().any(|part| part.tag == tag && part.says == Some(yes)).then_some(*request)
            }
            _ => None,
        });
        requests.collect()
    }

    /// The requests that are not over.
    pub fn running(&self, end: usize) -> Vec<RequestId> {
        let mut running = Vec::new();
        for (_, event) in &self.history[..end] {
            match event {
                Event::Requested { request, .. } => running.push(*request),
                Event::Over(request, _) => running.retain(|running| running != request),
                _ => {}
            }
        }
        running
    }

    /// Law 1: whether a response runs that is the last message, or continues it, so that it may still ask there.
    pub fn may_ask(&self, end: usize) -> bool {
        let running = self.running(end);
        let is_list = |(_, event): &&(Time, Event)| matches!(event, Event::List { .. });
        let is_later = |(_, event): &(Time, Event)| matches!(event, Event::Requested { request, .. } if running.contains(request));
        let events = self.history[..end].iter();
        events.clone().rev().take_while(|event| !is_list(event)).any(is_later)
            || events.rev().find(is_list).is_some_and(|(_, event)| {
                matches!(event, Event::List { writers, .. } if writers.iter().any(|writer| running.contains(writer)))
            })
    }

    /// Law 13: whether an allowance was sent, neither its delivery nor its refusal is proven, and there is no
    /// result.
    pub fn in_doubt(&self, tag: Tag) -> bool {
        let end = self.history.len();
        let allowed = self.card(tag).is_some_and(|card| card.answer() == Some(true) && !card.gone);
        if !allowed || self.shown(tag, end).is_some_and(|part| part.output) {
            return false;
        }
        let since = self.shown_before(self.unchanged_since(tag, end));
        let carrying = self.carrying(tag, true, since);
        let fates = self.history[since..].iter().filter_map(|(_, event)| match event {
            Event::Over(request, fate) if carrying.contains(request) => Some(*fate),
            _ => None,
        });
        // A refused request says nothing about an earlier one.
        let doubt = fates.fold(false, |doubt, fate| (doubt || fate == Fate::Unknown) && fate != Fate::Ended);
        doubt && !self.running(end).iter().any(|request| carrying.contains(request))
    }

    /// Whether nobody has sent, answered or committed anything since the last stop.
    pub fn stopped(&self, end: usize) -> bool {
        let Some(index) = self.history[..end].iter().rposition(|(_, event)| matches!(event, Event::Stopped))
        else {
            return false;
        };
        let mut cards = self.page_before(index).map(|page| page.cards.clone()).unwrap_or_default();
        for (_, event) in &self.history[index..end] {
            let Event::Shown(page) = event else {
                let commits = matches!(event, Event::Committed { due: false, reply: Reply::Done(_), .. });
                if commits || matches!(event, Event::Requested { .. }) {
                    return false;
                }
                continue;
            };
            for (tag, card) in &page.cards {
                let was = cards.get(tag).and_then(Card::answer);
                if card.who == Some(Who::Person) && card.answer().is_some() && card.answer() != was {
                    return false;
                }
            }
            cards.clone_from(&page.cards);
        }
        true
    }

    // ---- grants ----

    pub fn given(&self, id: GrantId) -> Option<Given> {
        self.history.iter().enumerate().find_map(|(at, (now, event))| match event {
            Event::Decided { tag, choice, covers, lifetime, grant, .. } if *grant == id => {
                let shown = self.shown(*tag, at)?;
                Some(Given {
                    id,
                    yes: choice.allows(),
                    by: *tag,
                    tool: shown.tool,
                    covers: *covers,
                    content: shown.content,
                    until: lifetime.map(|lifetime| now.saturating_add(lifetime)),
                    at,
                })
            }
            _ => None,
        })
    }

    /// Whether two grants are about the same calls.
    pub fn same_cover(&self, one: Given, other: Given) -> bool {
        let fields = match (one.covers, other.covers) {
            (Covers::Tool, Covers::Tool) => return one.tool == other.tool,
            (Covers::Fields(one), Covers::Fields(other)) if one == other => one,
            _ => return false,
        };
        one.tool == other.tool && one.content.pick(fields) == other.content.pick(fields)
    }

    /// Whether the guard can compare these fields of what a call shows. First: surely. It is sure if nothing
    /// else was shown since it was told; it is excluded if the guard was never told, or was told that it
    /// cannot. Second: possibly.
    pub fn comparable(&self, tag: Tag, fields: StringId, end: usize) -> (bool, bool) {
        let told = self.history[..end].iter().enumerate().rev().find_map(|(at, (_, event))| match event {
            Event::Compared { tag: t, fields: f, content } if (*t, *f) == (tag, fields) => {
                Some((at, *content))
            }
            _ => None,
        });
        let Some((at, Some(content))) = told else { return (false, false) };
        let changed = self.history[at..end].iter().any(|(_, event)| match event {
            Event::List { parts, .. } => {
                parts.iter().any(|p| p.tag == tag && (p.content != content || p.begins))
            }
            Event::Shown(page) => page.cards.get(&tag).is_none_or(|card| card.gone),
            _ => false,
        });
        let reopened = self.unchanged_since(tag, end) > at;
        let shows = self.shown(tag, end).is_some_and(|part| part.content == content);
        (shows && !changed && !reopened, shows)
    }

    /// Whether a grant covers what a call shows: first surely, then possibly.
    pub fn covers(&self, given: Given, tag: Tag, end: usize) -> (bool, bool) {
        let Some(shown) = self.shown(tag, end).filter(|shown| shown.tool == given.tool) else {
            return (false, false);
        };
        match given.covers {
            Covers::Tool => (true, true),
            Covers::Fields(fields) if shown.content.pick(fields) != given.content.pick(fields) => {
                (false, false)
            }
            Covers::Fields(fields) => self.comparable(tag, fields, end),
        }
    }

    /// Whether a person has withdrawn an answer to a call since a grant was given. First: surely about its
    /// current question. Second: possibly.
    pub fn taken_back_since(&self, tag: Tag, at: usize) -> (bool, bool) {
        let undone = (at..self.history.len()).rev().find(|&index| match &self.history[index].1 {
            Event::Undone { tags: Some(undone), reply: Reply::Done(_) } => undone.contains(&tag),
            Event::Undone { tags: None, reply: Reply::Done(_) } => {
                let card = self.page_before(index).and_then(|page| page.cards.get(&tag));
                card.is_some_and(Card::undoable)
            }
            _ => false,
        });
        let Some(undone) = undone else { return (false, false) };
        let then = self.shown(tag, undone).map(|part| part.content);
        let other = |event: &Event| {
            matches!(event, Event::List { parts, .. }
                if parts.iter().any(|part| part.tag == tag && Some(part.content) != then))
        };
        (!self.history[undone..].iter().any(|(_, event)| other(event)), true)
    }
}
