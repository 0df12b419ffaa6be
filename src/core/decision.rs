//! Decisions: what was answered, for how long, and by whom.

use super::call::Digest;
use super::clock::Time;
use super::id::{GrantId, StringId};
use super::row::{Crosses, Rows, Shape};

vocabulary! {
    /// The cause of an event.
    #[derive(PartialOrd, Ord)] // a key of maps
    Actor {
        /// A person: seen in the messages of this page, or acting through the guard or its chat.
        Person = "person",
        /// The guard, because the user moved on.
        Superseded = "superseded",
        /// The server.
        Server = "server",
        /// Unknown: found by the first `attach`, or in the record.
        History = "history",
        /// A grant that a person gave earlier.
        Grant = "grant",
        /// The passing of time.
        Timer = "timer",
        /// The guard, because nobody is there to answer.
        Unattended = "unattended",
        /// A stop of the chat.
        Stop = "stop",
        /// An edit of an earlier message.
        Edit = "edit",
        /// A request for another response.
        Regenerate = "regenerate",
        /// The application: its options, a request that no person asked for or that did not leave, a change to the messages.
        Application = "application",
        /// The end of the guard.
        Leave = "leave",
        /// A rule of the application.
        Rule = "rule",
        /// A person, in another tab.
        Tab = "tab",
        /// A program that the application lets decide, such as a policy engine or an approver in another window.
        External = "external",
    }
}

impl Actor {
    /// Whether it decides about a call, now and with its input in view: a person, or a program in a person's place.
    pub fn deliberates(self) -> bool {
        matches!(self, Self::Person | Self::External)
    }
}

vocabulary! {
    /// A person's choice for a call that asks for approval.
    Choice {
        /// Run this call.
        AllowOnce = "allow-once",
        /// Run this call and similar ones in this chat.
        AllowChat = "allow-chat",
        /// Do not run this call.
        Deny = "deny",
        /// Do not run this call or similar ones in this chat.
        DenyChat = "deny-chat",
    }
}

impl Choice {
    /// Whether the choice allows the call.
    pub fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowChat)
    }

    /// Whether the choice gives a grant.
    pub fn lasts(self) -> bool {
        matches!(self, Self::AllowChat | Self::DenyChat)
    }
}

vocabulary! {
    /// The answer to a call, as committed or drafted.
    Outcome {
        /// Allowed by a person, for this call.
        AllowedOnce = "allowed-once",
        /// Allowed by a person, for similar calls too.
        AllowedChat = "allowed-chat",
        /// Allowed by a grant.
        AllowedAutomatically = "allowed-automatically",
        /// Denied by a person, for this call.
        Denied = "denied",
        /// Denied by a person, for similar calls too.
        DeniedChat = "denied-chat",
        /// Denied by a grant.
        DeniedAutomatically = "denied-automatically",
        /// Nobody answered in time.
        Expired = "expired",
        /// Nobody was there to answer.
        Unattended = "unattended",
        /// The user moved on.
        Superseded = "superseded",
        /// Allowed by the server, or before this page was loaded.
        AllowedElsewhere = "allowed-elsewhere",
        /// Denied by the server, or before this page was loaded.
        DeniedElsewhere = "denied-elsewhere",
        /// Allowed by a rule.
        AllowedByRule = "allowed-by-rule",
        /// Denied by a rule.
        DeniedByRule = "denied-by-rule",
        /// Allowed by a program of the application.
        AllowedExternally = "allowed-externally",
        /// Denied by a program of the application.
        DeniedExternally = "denied-externally",
        /// The user moved on while it was not known whether the call had run.
        SupersededInDoubt = "superseded-in-doubt",
    }
}

/// An answer that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// `true` allows the call, `false` denies it.
    pub approved: bool,
    /// The author of the answer.
    pub actor: Actor,
    /// The grant that gave the answer, or that a person gave along with it.
    pub grant: GrantId,
    /// The id of the rule, the person or the program that gave the answer; 0 means none.
    pub source: StringId,
    /// The digest of the input that a person has put in the place of the one that the model asked for; 0 means none.
    pub edit: Digest,
}

vocabulary! {
    /// The effect of a rule, from the least strict to the strictest.
    #[derive(PartialOrd, Ord)]
    Effect {
        /// Run the call without asking.
        Allow = "allow",
        /// Ask.
        Ask = "ask",
        /// Do not run the call.
        Deny = "deny",
    }
}

/// The decision of the rules about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The effect on the call.
    pub effect: Effect,
    /// Ask even where a grant would answer.
    pub always: bool,
    /// The rule that decided; 0 means none.
    pub rule: StringId,
}

impl Ruling {
    /// A ruling with this effect. An unknown effect becomes a question that no grant may answer.
    pub fn of(effect: Option<Effect>, always: bool, rule: StringId) -> Self {
        Self { effect: effect.unwrap_or(Effect::Ask), always: always || effect.is_none(), rule }
    }
}

impl Crosses for Ruling {
    const SHAPE: Shape = Shape::Fields(
        "Ruling",
        &[("effect", Shape::Number), ("always", Shape::Flag), ("rule", Shape::Number)],
    );

    fn read(rows: &mut Rows) -> Option<Self> {
        let (effect, always, rule) = (Effect::read(rows), bool::read(rows)?, StringId::read(rows)?);
        Some(Self::of(effect, always, rule))
    }

    fn write(&self, to: &mut Vec<f64>) {
        self.effect.write(to);
        self.always.write(to);
        self.rule.write(to);
    }
}

impl Decision {
    /// An answer that involves no grant.
    pub const fn new(approved: bool, actor: Actor) -> Self {
        Self { approved, actor, grant: GrantId::NONE, source: StringId::NONE, edit: 0 }
    }

    /// An answer of a person or a grant.
    pub fn with_grant(approved: bool, actor: Actor, grant: GrantId) -> Self {
        Self { grant, ..Self::new(approved, actor) }
    }

    /// An answer of a rule.
    pub fn by_rule(approved: bool, rule: StringId) -> Self {
        Self { source: rule, ..Self::new(approved, Actor::Rule) }
    }

    /// The outcome of the call under this answer.
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
            (Actor::External, true) => Outcome::AllowedExternally,
            (Actor::External, false) => Outcome::DeniedExternally,
            (_, true) => Outcome::AllowedElsewhere,
            (_, false) => Outcome::DeniedElsewhere,
        }
    }
}

impl Outcome {
    /// The same outcome, or, for a call that was `in_doubt` when the user moved on, the one that says so.
    pub fn in_doubt(self, in_doubt: bool) -> Self {
        if self == Self::Superseded && in_doubt { Self::SupersededInDoubt } else { self }
    }
}

/// A decision that is not written into the messages yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The decision.
    pub decision: Decision,
    /// The time at which it was made.
    pub at: Time,
}

impl Draft {
    /// Whether a person can undo the draft. Drafts of time and of rules cannot be undone, and when nobody
    /// attends nobody could undo one.
    pub fn undoable(&self) -> bool {
        self.decision.actor.deliberates() || self.decision.actor == Actor::Grant
    }
}

vocabulary! {
    /// The author of an output.
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
    /// The author of what this actor has put out.
    pub fn of(actor: Actor) -> Self {
        match actor {
            Actor::Application => Self::Page,
            Actor::Server => Self::Server,
            _ => Self::History,
        }
    }

    /// The actor under which an output of this author is recorded.
    pub const fn actor(self) -> Actor {
        match self {
            Self::Page => Actor::Application,
            Self::Server => Actor::Server,
            Self::History => Actor::History,
        }
    }
}

vocabulary! {
    /// The reason for which a decision, or an undo, is refused.
    Refusal {
        /// No call has this id.
        UnknownId = "unknown-id",
        /// Several calls have this id.
        AmbiguousId = "ambiguous-id",
        /// Its input differs from the one that the page was shown.
        Changed = "changed",
        /// Nobody has to approve the call.
        NotAsking = "not-asking",
        /// It was decided, but the decision is not committed.
        AlreadyDrafted = "already-drafted",
        /// It was answered.
        AlreadyAnswered = "already-answered",
        /// Nobody answered in time.
        Expired = "expired",
        /// The user moved on.
        Superseded = "superseded",
        /// Its message is no longer in the list.
        Gone = "gone",
        /// It is not in the last step.
        Unreachable = "unreachable",
        /// Its input cannot be compared.
        NotComparable = "not-comparable",
        /// The server no longer has the tool, so the call can only be denied.
        ToolUnavailable = "tool-unavailable",
        /// There is no draft to undo.
        NotDrafted = "not-drafted",
        /// It has no deadline.
        NoDeadline = "no-deadline",
        /// There is no such grant.
        UnknownGrant = "unknown-grant",
        /// The application lets nobody change this input, or these fields of it.
        NotEditable = "not-editable",
        /// The approval holds for its very input: it is signed, or a schema has made that input.
        Signed = "signed",
        /// The application has found problems with the changed input.
        InvalidInput = "invalid-input",
        /// The rules deny the changed input.
        DeniedByRule = "denied-by-rule",
    }
}
