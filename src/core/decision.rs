//! What was answered, for how long, and by whom.

use super::clock::Time;
use super::effect::Effect;
use super::id::{GrantId, StringId};

vocabulary! {
    /// Who caused something.
    Actor {
        /// Seen in the messages of this page, or decided through the guard or its chat.
        Person = "person",
        /// The guard, because the user moved on.
        Superseded = "superseded",
        /// The server.
        Server = "server",
        /// Found by the first `attach`, or in the record; who it was is not known.
        History = "history",
        /// A grant that a person gave earlier.
        Grant = "grant",
        /// Time.
        Timer = "timer",
        /// The guard, because nobody is there to ask.
        Unattended = "unattended",
        /// A stop of the chat.
        Stop = "stop",
        /// An edit of an earlier message.
        Edit = "edit",
        /// A regeneration.
        Regenerate = "regenerate",
        /// The application: its options, a request that nobody asked for, what it changed in the messages.
        Application = "application",
        /// The end of the guard.
        Leave = "leave",
        /// A rule of the application.
        Rule = "rule",
        /// A person, in another tab.
        Tab = "tab",
    }
}

vocabulary! {
    /// What a person can say to a call that asks.
    Choice {
        /// Run this call.
        AllowOnce = "allow-once",
        /// Run this call and those like it in this chat.
        AllowChat = "allow-chat",
        /// Do not run this call.
        Deny = "deny",
        /// Refuse this call and those like it in this chat.
        DenyChat = "deny-chat",
    }
}

impl Choice {
    /// Whether it allows the call.
    pub fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowChat)
    }

    /// Whether it gives a grant.
    pub fn lasts(self) -> bool {
        matches!(self, Self::AllowChat | Self::DenyChat)
    }
}

vocabulary! {
    /// What the answer to a call was, or will be when it is committed.
    Outcome {
        /// By a person, for this call.
        AllowedOnce = "allowed-once",
        /// By a person, for those like it too.
        AllowedChat = "allowed-chat",
        /// By a grant.
        AllowedAutomatically = "allowed-automatically",
        /// By a person, for this call.
        Denied = "denied",
        /// By a person, for those like it too.
        DeniedChat = "denied-chat",
        /// By a grant that refuses.
        DeniedAutomatically = "denied-automatically",
        /// Nobody answered in time.
        Expired = "expired",
        /// Nobody was there to ask.
        Unattended = "unattended",
        /// The user moved on.
        Superseded = "superseded",
        /// By the server, or before this page.
        AllowedElsewhere = "allowed-elsewhere",
        /// The same.
        DeniedElsewhere = "denied-elsewhere",
        /// By a rule.
        AllowedByRule = "allowed-by-rule",
        /// The same.
        DeniedByRule = "denied-by-rule",
    }
}

/// An answer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// `true` allows the call, `false` denies it.
    pub approved: bool,
    /// Who answered.
    pub actor: Actor,
    /// The grant that answered, or that a person gave with the answer.
    pub grant: GrantId,
    /// The rule that answered; 0 is none.
    pub rule: StringId,
}

/// What rules say of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What is to happen.
    pub effect: Effect,
    /// It is to be asked also where a grant would answer.
    pub always: bool,
    /// The rule that says so; 0 is none.
    pub rule: StringId,
}

impl Ruling {
    /// What rules say, where the effect is known. What is no effect is a question, and nothing answers it.
    pub fn read(effect: Option<Effect>, always: bool, rule: StringId) -> Self {
        Self { effect: effect.unwrap_or(Effect::Ask), always: always || effect.is_none(), rule }
    }
}

impl Decision {
    /// An answer that no grant has to do with.
    pub const fn new(approved: bool, actor: Actor) -> Self {
        Self { approved, actor, grant: GrantId::NONE, rule: StringId::NONE }
    }

    /// An answer of a person, or of a grant.
    pub fn with_grant(approved: bool, actor: Actor, grant: GrantId) -> Self {
        Self { grant, ..Self::new(approved, actor) }
    }

    /// An answer of a rule.
    pub fn by_rule(approved: bool, rule: StringId) -> Self {
        Self { rule, ..Self::new(approved, Actor::Rule) }
    }

    /// What it means for the call.
    pub fn outcome(&self) -> Outcome {
        match (self.actor, self.approved) {
            (Actor::Person, true) if self.grant.is_some() => Outcome::AllowedChat,
            (Actor::Person, true) => Outcome::AllowedOnce,
            (Actor::Person, false) if self.grant.is_some() => Outcome::DeniedChat,
            (Actor::Person, false) => Outcome::Denied,
            (Actor::Grant, true) => Outcome::AllowedAutomatically,
            (Actor::Grant, false) => Outcome::DeniedAutomatically,
            (Actor::Timer, _) => Outcome::Expired,
            (Actor::Unattended, _) => Outcome::Unattended,
            (Actor::Superseded, _) => Outcome::Superseded,
            (Actor::Rule, true) => Outcome::AllowedByRule,
            (Actor::Rule, false) => Outcome::DeniedByRule,
            (_, true) => Outcome::AllowedElsewhere,
            (_, false) => Outcome::DeniedElsewhere,
        }
    }
}

/// A decision that is not in the messages yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft {
    /// What it will be.
    pub decision: Decision,
    /// When it was made.
    pub at: Time,
}

impl Draft {
    /// Can a person take it back? Time and rules cannot be, and nobody is there for the rest.
    pub fn undoable(&self) -> bool {
        matches!(self.decision.actor, Actor::Person | Actor::Grant)
    }
}

vocabulary! {
    /// Who wrote an output.
    Author {
        /// The page, through `addToolOutput`.
        Page = "page",
        /// The server, in a response.
        Server = "server",
        /// Found by the first `attach`.
        History = "history",
    }
}

impl Author {
    /// The actor that an output of this author has in the ledger.
    pub const fn actor(self) -> Actor {
        match self {
            Self::Page => Actor::Application,
            Self::Server => Actor::Server,
            Self::History => Actor::History,
        }
    }
}

vocabulary! {
    /// Why a decision, or an undo, is refused.
    Refusal {
        /// No call has this id.
        UnknownId = "unknown-id",
        /// Several calls have this id.
        AmbiguousId = "ambiguous-id",
        /// Its input is another one than the page was shown.
        Changed = "changed",
        /// Nobody has to approve the call.
        NotAsking = "not-asking",
        /// It was decided and not committed.
        AlreadyDrafted = "already-drafted",
        /// It was answered.
        AlreadyAnswered = "already-answered",
        /// Nobody answered in time.
        Expired = "expired",
        /// The user moved on.
        Superseded = "superseded",
        /// Its message is not in the list any more.
        Gone = "gone",
        /// It does not stand in the last step.
        Unreachable = "unreachable",
        /// Its input cannot be compared.
        NotComparable = "not-comparable",
        /// There is no draft to take back.
        NotDrafted = "not-drafted",
        /// It does not expire.
        NoDeadline = "no-deadline",
        /// There is no such grant.
        UnknownGrant = "unknown-grant",
    }
}
