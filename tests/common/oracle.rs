//! What ought to stand between a person and the calls of a chat. Written from the text of the laws
//! and of `prompt.ts`: it is told the facts that a page sees, and knows nothing of how the guard
//! keeps them.

use std::collections::HashMap;

use tool_approval_guard::core::batch::Pace;
use tool_approval_guard::core::call::Digest;
use tool_approval_guard::core::clock::Time;
use tool_approval_guard::core::decision::{Choice, Refusal};
use tool_approval_guard::core::guard::Covers;
use tool_approval_guard::core::id::{GrantId, RequestId, StringId};

/// A call as it really is: the place of its truth.
pub type Tag = usize;

/// The input of a call: two fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Content {
    pub a: u8,
    pub b: u8,
}

/// The fields of which [`Content::a`] is the only one.
pub const FIELD_A: StringId = 70;

/// What stands in some fields of an input.
pub type Value = (u8, Option<u8>);

impl Content {
    pub fn digest(self) -> Digest {
        1 + 2 * (u64::from(self.a) + 16 * u64::from(self.b))
    }

    /// What stands in some fields, or for 0 in all.
    pub fn pick(self, fields: StringId) -> Value {
        (self.a, (fields == 0).then_some(self.b))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    Person,
    Grant,
    Time,
    Nobody,
}

/// A word about a call: a draft, or an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub who: Who,
    pub yes: bool,
    /// The grant that spoke, or that was given with it; 0 is none.
    pub grant: GrantId,
    pub at: Time,
}

impl Word {
    /// Can a person take it back?
    pub fn undoable(&self) -> bool {
        matches!(self.who, Who::Person | Who::Grant)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    /// Nobody has to approve it.
    Free,
    Asks,
    Drafted(Word),
    Answered(Word),
    Superseded,
    /// Answered by the server, or before this page.
    Elsewhere(bool),
}

impl Card {
    /// Is it allowed, or will it be?
    pub fn allows(self) -> bool {
        matches!(self, Self::Elsewhere(true)) || self.word().is_some_and(|word| word.yes)
    }

    /// Can a person still say something?
    pub fn open(self) -> bool {
        matches!(self, Self::Asks | Self::Drafted(_))
    }

    pub fn draft(self) -> Option<Word> {
        if let Self::Drafted(word) = self { Some(word) } else { None }
    }

    pub fn word(self) -> Option<Word> {
        if let Self::Drafted(word) | Self::Answered(word) = self { Some(word) } else { None }
    }
}

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Unsent,
    Sent(RequestId),
    Delivered(RequestId),
    Broken,
    /// The server has acted on it.
    Over,
}

#[derive(Clone, Debug)]
pub struct Truth {
    pub tool: StringId,
    pub card: Card,
    /// It was seen asking.
    pub has_asked: bool,
    /// The input of the question.
    pub asked: Content,
    /// The input of its answer.
    pub answered: Content,
    /// The input that the part showed last, and whether it showed a yes.
    pub shown: Content,
    pub shows_yes: bool,
    /// That yes does not count: it was taken back, refused, or given for another input.
    pub stale: bool,
    /// The part shows no question.
    pub begins: bool,
    /// The fields that the guard was told to compare, and of which input.
    pub told: Vec<(StringId, Content)>,
    pub dangerous: bool,
    pub lifetime: Option<Time>,
    pub deadline: Option<Time>,
    /// A person took a word back: no grant up to this one speaks next.
    pub grants_ignored_up_to: GrantId,
    /// What stands was heard or committed, or has stood against a replayed question, so that what the
    /// messages show later does not replace it.
    pub firm: bool,
    pub gone: bool,
    pub way: Way,
    pub output: bool,
}

impl Truth {
    /// Whether anybody has denied it.
    fn denied(&self) -> bool {
        match self.card {
            Card::Answered(word) => !word.yes,
            card => matches!(card, Card::Superseded | Card::Elsewhere(false)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    Tool,
    Fields(StringId, Value),
}

/// A grant.
#[derive(Clone, Debug)]
pub struct Given {
    pub yes: bool,
    pub tool: StringId,
    pub cover: Cover,
    pub by: Tag,
    pub until: Option<Time>,
    pub committed: bool,
    pub delivered: bool,
    pub ended: bool,
    pub uses: u32,
}

impl Given {
    fn new(yes: bool, tool: StringId, cover: Cover, by: Tag, until: Option<Time>) -> Self {
        let (committed, delivered, ended) = (false, false, false);
        Self { yes, tool, cover, by, until, committed, delivered, ended, uses: 0 }
    }

    /// Does it answer later calls? An allowance does once it is delivered (C90).
    pub fn active(&self) -> bool {
        !self.ended && (self.delivered || (self.committed && !self.yes))
    }
}

/// What an act of a person ought to lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It happens, to these calls.
    Done(Vec<Tag>),
    /// A late denial counts as a person's, and a refusal that it gives has answered these calls.
    Counted(Vec<Tag>),
    /// Refused, for one of these reasons.
    Refused(Vec<Refusal>),
    Waiting,
    Responding,
    Nothing,
}

pub struct Oracle {
    pub truths: Vec<Truth>,
    pub grants: Vec<Given>,
    /// The calls of the last step, as it was seen last.
    pub step: Vec<Tag>,
    pub stopped: bool,
    /// A batch was due while nobody could be told, and no person has acted since.
    pub held: bool,
    pub running: Vec<RequestId>,
    has_sent: bool,
    pub refused: HashMap<(StringId, Content), u32>,
    pub now: Time,
    pub pace: Pace,
    /// A message of a person closes what is open.
    pub closes: bool,
}

impl Oracle {
    pub fn new(pace: Pace, closes: bool) -> Self {
        Self {
            truths: Vec::new(),
            grants: Vec::new(),
            step: Vec::new(),
            stopped: false,
            held: false,
            running: Vec::new(),
            has_sent: false,
            refused: HashMap::new(),
            now: 0,
            pace,
            closes,
        }
    }

    /// A call begins.
    pub fn begin(&mut self, tool: StringId, content: Content) {
        self.truths.push(Truth {
            tool,
            card: Card::Free,
            has_asked: false,
            asked: content,
            answered: content,
            shown: content,
            shows_yes: false,
            stale: false,
            begins: false,
            told: Vec::new(),
            dangerous: false,
            lifetime: None,
            deadline: None,
            grants_ignored_up_to: 0,
            firm: false,
            gone: false,
            way: Way::Unsent,
            output: false,
        });
    }

    fn card(&self, tag: Tag) -> Card {
        self.truths[tag].card
    }

    /// The drafts, by call.
    fn drafts(&self) -> Vec<(Tag, Word)> {
        let draft = |(tag, truth): (Tag, &Truth)| Some((tag, truth.card.draft()?));
        (0..).zip(&self.truths).filter_map(draft).collect()
    }

    // ---- time ----

    /// Time ends grants, and closes what nobody has answered.
    pub fn pass(&mut self, now: Time) {
        self.now = now;
        for at in 0..self.grants.len() {
            if self.grants[at].until.is_some_and(|until| until <= now) {
                self.end(at);
            }
        }
        self.expire();
    }

    fn expire(&mut self) {
        let now = self.now;
        for truth in self.truths.iter_mut().filter(|truth| !truth.gone) {
            let open = truth.card.open() && truth.card.draft().is_none_or(|word| word.yes);
            if open && truth.deadline.is_some_and(|deadline| deadline <= now) {
                truth.card = Card::Drafted(Word { who: Who::Time, yes: false, grant: 0, at: now });
            }
        }
        self.end_orphans();
    }

    // ---- grants ----

    /// Ends a grant: what it has drafted asks again, and a draft that would have given it is about its
    /// own call only.
    fn end(&mut self, at: usize) {
        if std::mem::replace(&mut self.grants[at].ended, true) {
            return;
        }
        for truth in &mut self.truths {
            match &mut truth.card {
                Card::Drafted(word) if word.grant as usize != at + 1 => {}
                Card::Drafted(word) if word.who == Who::Person => word.grant = 0,
                Card::Drafted(_) => truth.card = Card::Asks,
                _ => {}
            }
        }
    }

    /// C90: until it is delivered a grant lives only as long as the word that gave it stands. A
    /// refusal that was committed outlives the message of its call.
    fn end_orphans(&mut self) {
        for at in 0..self.grants.len() {
            let given = &self.grants[at];
            let owner = &self.truths[given.by];
            let own = |word: &Word| word.who == Who::Person && word.grant as usize == at + 1;
            let stands = owner.card.word().as_ref().is_some_and(own) && !(owner.gone && given.yes);
            if !given.delivered && !stands {
                self.end(at);
            }
        }
    }

    pub fn covers(&self, given: &Given, tag: Tag) -> bool {
        let truth = &self.truths[tag];
        given.tool == truth.tool
            && match given.cover {
                Cover::Tool => true,
                Cover::Fields(fields, value) => {
                    truth.told.contains(&(fields, truth.shown)) && truth.shown.pick(fields) == value
                }
            }
    }

    /// The newest word of a person about the same calls.
    fn newest(&self, id: GrantId) -> GrantId {
        let given = &self.grants[id as usize - 1];
        let same = |other: &Given| !other.ended && (other.tool, other.cover) == (given.tool, given.cover);
        let newer = (1..).zip(&self.grants).filter(|(other, given)| *other > id && same(given));
        newer.map(|(other, _)| other).last().unwrap_or(id)
    }

    /// Does a refusal that stands cover a call?
    pub fn refuses(&self, given: &Given, tag: Tag) -> bool {
        !given.ended && !given.yes && given.committed && self.covers(given, tag)
    }

    /// The grant that answers a call in a step: a refusal before an allowance (C93), and one that is
    /// not active only beside the call for which it was given.
    fn answering(&self, tag: Tag, step: &[Tag]) -> Option<(GrantId, bool)> {
        let speaks = |id: GrantId, given: &Given| {
            let beside = step.contains(&given.by) && step.contains(&tag);
            let over = given.ended || given.until.is_some_and(|until| until <= self.now);
            !over && self.newest(id) == id && (given.active() || beside) && self.covers(given, tag)
        };
        let live = (1..).zip(&self.grants).filter(|&(id, given)| speaks(id, given));
        let live: Vec<(GrantId, bool)> = live.map(|(id, given)| (id, given.yes)).collect();
        let found = live.iter().find(|(_, yes)| !yes).or(live.last()).copied();
        found.filter(|&(id, _)| id > self.truths[tag].grants_ignored_up_to)
    }

    /// What a grant has drafted is answered again: there may be a refusal, or a newer word, since.
    fn answer_by_grant(&mut self, tag: Tag, step: &[Tag]) {
        let truth = &self.truths[tag];
        let open = truth.card.open() && truth.card.draft().is_none_or(|word| word.who == Who::Grant);
        if !open || truth.gone || truth.begins || self.stopped {
            return;
        }
        let same = |grant, yes| truth.card.draft().is_some_and(|word| (word.grant, word.yes) == (grant, yes));
        if let Some((grant, yes)) = self.answering(tag, step).filter(|&(grant, yes)| !same(grant, yes)) {
            self.truths[tag].card = Card::Drafted(Word { who: Who::Grant, yes, grant, at: self.now });
        }
    }

    /// A card is about to be shown.
    pub fn shown(&mut self, tag: Tag) {
        let step = self.step.clone();
        self.deny_unattended(tag);
        self.answer_by_grant(tag, &step);
    }

    /// Nobody is there to ask, and whoever answers then is no person.
    fn deny_unattended(&mut self, tag: Tag) {
        let truth = &self.truths[tag];
        if !self.pace.attended && truth.card == Card::Asks && !truth.gone {
            let word = Word { who: Who::Nobody, yes: false, grant: 0, at: self.now };
            self.truths[tag].card = Card::Drafted(word);
        }
    }

    /// The last step was looked at.
    pub fn stepped(&mut self, step: Vec<Tag>) {
        self.step.clone_from(&step);
        for &tag in &step {
            self.answer_by_grant(tag, &step);
        }
    }

    // ---- what the parts show ----

    /// It asks, with what it had where it is the same question.
    fn ask(&mut self, tag: Tag, content: Content) {
        let truth = &mut self.truths[tag];
        truth.told.clear();
        if truth.asked != content {
            (truth.dangerous, truth.lifetime, truth.deadline) = (false, None, None);
            truth.grants_ignored_up_to = 0;
        }
        truth.card = Card::Asks;
        truth.has_asked = true;
        (truth.asked, truth.answered) = (content, content);
        truth.output = false;
        self.end_orphans();
    }

    /// It has begun again: what was said about it is void, and its question is not there.
    pub fn seen_beginning(&mut self, tag: Tag, content: Content) {
        let truth = &mut self.truths[tag];
        (truth.shown, truth.shows_yes, truth.begins) = (content, false, true);
        if truth.card.draft().is_some() {
            truth.card = Card::Asks;
            truth.told.clear();
            self.end_orphans();
        }
    }

    pub fn seen_asking(&mut self, tag: Tag, content: Content) {
        let truth = &mut self.truths[tag];
        (truth.shown, truth.shows_yes, truth.stale) = (content, false, false);
        truth.begins = false;
        let same = truth.asked == content;
        match truth.card {
            Card::Asks | Card::Drafted(_) if same => {}
            // A denial is of the input that was shown.
            _ if truth.denied() && truth.answered != content => self.ask(tag, content),
            Card::Answered(Word { yes: false, .. }) => truth.firm = true,
            Card::Superseded | Card::Elsewhere(false) => {}
            // A replayed question: the allowance is of its approval and input, so it stands. What was sent is sent
            // again by nobody but a person who presses retry (law 13).
            Card::Answered(_) if same && !truth.output => {}
            Card::Elsewhere(true) if same && !truth.output && truth.way != Way::Unsent => {}
            _ => self.ask(tag, content),
        }
    }

    /// A part shows an answer that a person gave past the drafts.
    pub fn seen_answered(&mut self, tag: Tag, content: Content, yes: bool) {
        let truth = &mut self.truths[tag];
        let changed = truth.asked != content;
        (truth.shown, truth.shows_yes, truth.begins) = (content, yes, false);
        if yes && truth.denied() && truth.answered != content {
            return self.answer_invalidated(tag);
        }
        match truth.card {
            Card::Asks if yes && truth.stale => {}
            // Beside another input than was shown it is no yes for it, and neither is a draft.
            Card::Asks | Card::Drafted(_) if yes && changed => self.answer_invalidated(tag),
            Card::Drafted(_) if yes && truth.stale => {}
            Card::Asks | Card::Drafted(_) => {
                truth.answered = content;
                self.direct(tag, yes);
            }
            Card::Answered(word) if word.yes && yes && changed && truth.way == Way::Unsent => {
                self.answer_invalidated(tag)
            }
            // The newest answer of the page counts until one was sent, or told otherwise than by the part.
            Card::Answered(word)
                if word.yes != yes
                    && (!yes || (word.who == Who::Person && truth.way == Way::Unsent && !truth.firm))
                    && (!yes || self.pace.attended) =>
            {
                truth.answered = content;
                self.answer(tag, Word { who: Who::Person, yes, grant: 0, at: self.now });
                self.held = false;
                self.end_orphans();
            }
            _ => {}
        }
    }

    fn answer_invalidated(&mut self, tag: Tag) {
        self.truths[tag].card = Card::Asks;
        self.truths[tag].stale = true;
        self.truths[tag].told.clear();
        self.end_orphans();
    }

    /// A person answers through the chat, before its messages show it.
    pub fn heard(&mut self, tag: Tag, yes: bool) {
        let open = self.card(tag).open();
        self.direct(tag, yes);
        self.truths[tag].firm |= open;
    }

    /// A person answers past the drafts: the first answer wins, and a denial wins a tie.
    fn direct(&mut self, tag: Tag, yes: bool) {
        self.pass(self.now);
        self.deny_unattended(tag);
        let word = match self.card(tag) {
            Card::Drafted(word) if yes && !word.yes => {
                self.truths[tag].stale = self.truths[tag].shows_yes;
                return;
            }
            Card::Drafted(word) if word.yes == yes && word.who == Who::Person => word,
            Card::Asks | Card::Drafted(_) => Word { who: Who::Person, yes, grant: 0, at: self.now },
            _ => return,
        };
        self.answer(tag, word);
        self.end_older(word);
        self.held = false;
        self.end_orphans();
    }

    /// A grant whose word is committed takes the place of older ones about the same calls.
    fn end_older(&mut self, word: Word) {
        for older in 1..word.grant {
            if word.who == Who::Person && self.newest(older) == word.grant {
                self.end(older as usize - 1);
            }
        }
    }

    fn answer(&mut self, tag: Tag, word: Word) {
        let truth = &mut self.truths[tag];
        truth.card = Card::Answered(word);
        truth.way = Way::Unsent;
        let (tool, asked) = (truth.tool, truth.asked);
        if word.who == Who::Person {
            self.stopped = false;
        }
        if let Some(given) = (word.grant as usize).checked_sub(1).and_then(|at| self.grants.get_mut(at)) {
            given.committed |= word.who == Who::Person;
            given.uses += u32::from(word.who == Who::Grant);
        }
        if !word.yes && word.who != Who::Time {
            *self.refused.entry((tool, asked)).or_default() += 1;
        }
    }

    /// The part is not in the list any more.
    pub fn lost(&mut self, tag: Tag) {
        let truth = &mut self.truths[tag];
        truth.gone = true;
        if truth.card.draft().is_some() {
            truth.card = Card::Asks;
        }
        self.end_orphans();
    }

    /// The page has written an output, and the part may show a yes beside it. An output alone is no
    /// answer. Of a call that was there before this page it is not known who answered.
    pub fn put_out(&mut self, tag: Tag, content: Content, yes: bool, began: bool) {
        self.pass(self.now);
        let truth = &mut self.truths[tag];
        truth.begins = false;
        if !yes && truth.denied() && truth.answered != content {
            truth.shown = content;
            return self.answer_invalidated(tag);
        }
        let counts = !truth.stale && truth.asked == content && truth.card.draft().is_none_or(|word| word.yes);
        if yes && counts && !began && truth.card.open() {
            truth.card = Card::Elsewhere(true);
            (truth.shown, truth.shows_yes) = (content, true);
        } else if yes && (counts || truth.shown != content) {
            self.seen_answered(tag, content, true);
        } else if yes {
            (truth.shows_yes, truth.stale) = (true, true);
        }
        let truth = &mut self.truths[tag];
        truth.output |= truth.card.allows() && !truth.card.open();
        if truth.output && (truth.card == Card::Elsewhere(true) || !self.has_sent) {
            truth.way = Way::Over;
        }
        self.end_orphans();
    }

    pub fn marked(&mut self, tag: Tag, dangerous: bool, lifetime: Option<Time>) {
        let now = self.now;
        let truth = &mut self.truths[tag];
        if truth.card.open() {
            (truth.dangerous, truth.lifetime) = (dangerous, lifetime);
            truth.deadline = truth.deadline.or(lifetime.map(|lifetime| now + lifetime));
        }
    }

    // ---- what a person does ----

    /// Why nothing can be said about a call any more.
    fn over(&self, tag: Tag) -> Vec<Refusal> {
        use Refusal::*;
        let truth = &self.truths[tag];
        let expired = truth.card.word().is_some_and(|word| word.who == Who::Time);
        let reasons = match truth.card {
            _ if expired => vec![Expired],
            Card::Answered(_) | Card::Elsewhere(_) => vec![AlreadyAnswered],
            Card::Superseded => vec![Superseded],
            Card::Free => vec![NotAsking, AlreadyAnswered],
            Card::Asks | Card::Drafted(_) => Vec::new(),
        };
        truth.gone.then_some(Gone).into_iter().chain(reasons).collect()
    }

    fn cover(&self, tag: Tag, covers: Covers) -> Option<Cover> {
        let truth = &self.truths[tag];
        match covers {
            Covers::Tool => Some(Cover::Tool),
            Covers::Fields(fields) => {
                let told = truth.told.contains(&(fields, truth.shown));
                told.then(|| Cover::Fields(fields, truth.shown.pick(fields)))
            }
        }
    }

    pub fn decide(&mut self, tag: Tag, choice: Choice, covers: Covers, lifetime: Option<Time>) -> Expect {
        self.pass(self.now);
        self.deny_unattended(tag);
        let yes = choice.allows();
        let truth = &self.truths[tag];
        let card = truth.card;
        let mut reasons = self.over(tag);
        // A late denial is a person's.
        let late = !yes && reasons == [Refusal::Expired];
        if late {
            reasons.clear();
        } else {
            if reasons.is_empty() && !self.step.contains(&tag) {
                reasons.push(Refusal::Unreachable);
            }
            if truth.begins {
                reasons.push(Refusal::NotAsking);
            }
            // A denial replaces a drafted allowance.
            if card.draft().is_some_and(|word| !word.yes || yes) {
                reasons.push(Refusal::AlreadyDrafted);
            }
        }
        let cover = if choice.lasts() { self.cover(tag, covers) } else { None };
        if choice.lasts() && cover.is_none() {
            reasons.push(Refusal::NotComparable);
        }
        if !reasons.is_empty() {
            return Expect::Refused(reasons);
        }
        let grant = if cover.is_some() { self.grants.len() as GrantId + 1 } else { 0 };
        self.held = false;
        // What has expired and was committed is denied already: from now on by a person, at once.
        let counts = if let Card::Answered(word) = card { Some(word) } else { None };
        self.truths[tag].card = match counts {
            Some(word) => Card::Answered(Word { who: Who::Person, grant, ..word }),
            None => Card::Drafted(Word { who: Who::Person, yes, grant, at: self.now }),
        };
        self.end_orphans();
        let mut also = Vec::new();
        if let Some(cover) = cover {
            let truth = &self.truths[tag];
            let until = lifetime.map(|lifetime| self.now + lifetime);
            let mut given = Given::new(yes, truth.tool, cover, tag, until);
            given.committed = counts.is_some();
            given.delivered = counts.is_some() && matches!(truth.way, Way::Delivered(_) | Way::Over);
            self.grants.push(given);
            if counts.is_some() {
                self.end_older(Word { who: Who::Person, yes, grant, at: self.now });
            }
            self.stepped(self.step.clone());
            let by_it = |word: Word| word.who == Who::Grant && word.grant == grant;
            let step = self.step.iter().copied();
            also = step.filter(|&other| self.card(other).draft().is_some_and(by_it)).collect();
        }
        if counts.is_some() { Expect::Counted(also) } else { Expect::Done(also) }
    }

    /// The waiting calls of the step that a choice which lasts would answer, this one among them.
    pub fn covered(&self, tag: Tag, covers: Covers) -> Vec<Tag> {
        let Some(cover) = self.cover(tag, covers) else { return Vec::new() };
        let given = Given::new(true, self.truths[tag].tool, cover, tag, None);
        let waits = |&other: &Tag| {
            let truth = &self.truths[other];
            truth.card == Card::Asks && !truth.begins && self.covers(&given, other)
        };
        self.step.iter().copied().filter(waits).collect()
    }

    /// Which of the drafts that there were ask again? Not what is over meanwhile, or what another grant
    /// answers.
    fn ask_again(&mut self, before: &[(Tag, Word)]) -> Expect {
        self.pass(self.now);
        self.stepped(self.step.clone());
        Expect::Done(before.iter().map(|&(tag, _)| tag).filter(|&tag| self.card(tag) == Card::Asks).collect())
    }

    fn take_back(&mut self, taken: &[Tag], before: &[(Tag, Word)]) -> Expect {
        for &tag in taken {
            self.truths[tag].card = Card::Asks;
            self.truths[tag].grants_ignored_up_to = self.grants.len() as GrantId;
        }
        self.held = false;
        self.end_orphans();
        self.ask_again(before)
    }

    pub fn undo(&mut self, tag: Tag) -> Expect {
        let before = self.drafts();
        self.pass(self.now);
        match self.card(tag).draft() {
            _ if !self.over(tag).is_empty() => Expect::Refused(self.over(tag)),
            None => Expect::Refused(vec![Refusal::NotDrafted]),
            Some(word) if !word.undoable() => Expect::Refused(vec![Refusal::AlreadyAnswered]),
            Some(_) => self.take_back(&[tag], &before),
        }
    }

    pub fn undo_all(&mut self) -> Expect {
        let before = self.drafts();
        self.pass(self.now);
        let drafts = self.drafts().into_iter();
        let undoable = drafts.filter(|(tag, word)| self.step.contains(tag) && word.undoable());
        let undoable: Vec<Tag> = undoable.map(|(tag, _)| tag).collect();
        if undoable.is_empty() {
            return Expect::Refused(vec![Refusal::NotDrafted]);
        }
        self.take_back(&undoable, &before)
    }

    pub fn extend(&mut self, tag: Tag) -> Expect {
        self.pass(self.now);
        let over = self.over(tag);
        let truth = &mut self.truths[tag];
        match truth.lifetime {
            _ if !over.is_empty() => Expect::Refused(over),
            None => Expect::Refused(vec![Refusal::NoDeadline]),
            Some(lifetime) => {
                truth.deadline = Some(self.now + lifetime);
                Expect::Done(Vec::new())
            }
        }
    }

    pub fn revoke(&mut self, grant: GrantId) -> Expect {
        let before = self.drafts();
        self.pass(self.now);
        let at = (grant as usize).checked_sub(1);
        match at.filter(|&at| self.grants.get(at).is_some_and(|given| !given.ended)) {
            Some(at) => self.end(at),
            None => return Expect::Refused(vec![Refusal::UnknownGrant]),
        }
        self.ask_again(&before)
    }

    pub fn revoke_all(&mut self) -> Expect {
        let before = self.drafts();
        self.pass(self.now);
        (0..self.grants.len()).for_each(|at| self.end(at));
        self.ask_again(&before)
    }

    // ---- the batch ----

    pub fn batch(&self) -> Vec<Tag> {
        let asked = |&tag: &Tag| !self.truths[tag].gone && self.card(tag) != Card::Free;
        self.step.iter().copied().filter(asked).collect()
    }

    /// Does a call of the batch wait?
    pub fn waits(&self) -> bool {
        self.batch().iter().any(|&tag| self.card(tag) == Card::Asks)
    }

    /// What is drafted, in the order of the parts, once nothing in the batch waits.
    pub fn decided(&self) -> Option<Vec<(Tag, Word)>> {
        let draft = |tag: Tag| Some((tag, self.card(tag).draft()?));
        let drafts: Vec<_> = self.batch().into_iter().filter_map(draft).collect();
        (!self.waits() && !drafts.is_empty()).then_some(drafts)
    }

    /// When a decided batch is committed by itself: the whole time for an undo after the last word, if
    /// a person has spoken, and a second before an allowance would expire, unless it is dangerous.
    pub fn due(&self, drafts: &[(Tag, Word)]) -> Option<Time> {
        let last = drafts.iter().map(|(_, word)| word.at).max()?;
        let allowed = || drafts.iter().filter(|(_, word)| word.yes).map(|&(tag, _)| &self.truths[tag]);
        let dangerous = allowed().any(|truth| truth.dangerous);
        let grace = if dangerous {
            self.pace.undo_dangerous
        } else if drafts.iter().any(|(_, word)| word.who == Who::Person) {
            self.pace.undo
        } else {
            Some(0)
        };
        let ends = allowed().filter_map(|truth| truth.deadline).min().filter(|_| !dangerous);
        Some((last + grace?).min(ends.unwrap_or(Time::MAX).saturating_sub(1_000)))
    }

    pub fn commit(&mut self, due: bool, attached: bool) -> Expect {
        self.pass(self.now);
        let Some(drafts) = self.decided() else {
            return if self.waits() { Expect::Waiting } else { Expect::Nothing };
        };
        if !self.running.is_empty() {
            return Expect::Responding;
        }
        if due {
            if self.due(&drafts).is_none_or(|due| self.now < due) {
                return Expect::Waiting;
            }
            if drafts.iter().any(|(_, word)| word.undoable()) && (self.held || !attached) {
                self.held = true;
                return Expect::Waiting;
            }
        }
        self.held = false;
        for &(tag, word) in &drafts {
            self.answer(tag, word);
        }
        for tag in self.batch() {
            self.truths[tag].firm = true;
        }
        for &(_, word) in &drafts {
            self.end_older(word);
        }
        Expect::Done(drafts.into_iter().map(|(tag, _)| tag).collect())
    }

    // ---- what leaves, and what becomes of it ----

    pub fn send(&mut self, request: RequestId, person: bool, automatic: bool) {
        self.pass(self.now);
        let closed = if self.closes && !automatic { self.truths.len() } else { 0 };
        for tag in 0..closed {
            let truth = &self.truths[tag];
            let unsent = matches!(truth.way, Way::Unsent | Way::Broken) && !truth.output && person;
            match truth.card {
                _ if truth.gone => {}
                Card::Drafted(word) if !word.yes => {
                    self.answer(tag, word);
                    self.end_older(word);
                }
                Card::Asks | Card::Drafted(_) => self.supersede(tag),
                card if card.allows() && unsent => self.supersede(tag),
                _ => {}
            }
        }
        if person {
            self.leave(); // the last step is another one now
        }
        self.end_orphans();
        self.held &= automatic;
        self.stopped = false;
        self.has_sent = true;
        self.running.push(request);
        for truth in self.truths.iter_mut().filter(|truth| !truth.gone) {
            let answered = !truth.card.open() && truth.card != Card::Free;
            if answered && matches!(truth.way, Way::Unsent | Way::Broken) {
                truth.way = Way::Sent(request);
            }
        }
    }

    fn supersede(&mut self, tag: Tag) {
        let truth = &mut self.truths[tag];
        // It is a denial of what the part shows now, also where nobody has seen that asked.
        (truth.card, truth.way, truth.answered) = (Card::Superseded, Way::Unsent, truth.shown);
    }

    pub fn started(&mut self, request: RequestId) {
        for truth in self.truths.iter_mut().filter(|truth| truth.way == Way::Sent(request)) {
            truth.way = Way::Delivered(request);
        }
        for given in &mut self.grants {
            let own = self.truths[given.by].way == Way::Delivered(request);
            given.delivered |= given.committed && own && !given.ended;
        }
    }

    pub fn ended(&mut self, request: RequestId) {
        self.running.retain(|&running| running != request);
    }

    pub fn failed(&mut self, request: RequestId) {
        self.ended(request);
        for truth in &mut self.truths {
            if truth.way == Way::Sent(request) || truth.way == Way::Delivered(request) {
                truth.way = Way::Broken;
            }
        }
    }

    pub fn stop(&mut self) {
        self.stopped = true;
        for truth in self.truths.iter_mut().filter(|truth| !truth.gone && !truth.output) {
            let allowed = matches!(truth.card, Card::Answered(word) if word.yes);
            if allowed && truth.way == Way::Unsent {
                truth.card = Card::Asks;
                truth.stale = truth.shows_yes;
            }
        }
        self.leave();
    }

    /// Every draft of a person, or of a grant of theirs, is taken back.
    pub fn leave(&mut self) {
        for (tag, word) in self.drafts() {
            if word.undoable() {
                self.truths[tag].card = Card::Asks;
            }
        }
        self.end_orphans();
    }
}
