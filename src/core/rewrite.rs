//! The form of a repaired part: its state, its approval, and the fields that stay. [`repair`](super::repair) says which
//! repair a part needs.

use super::call::{Answer, PartFacts};
use super::protocol::{Field, ToolState};
use super::repair::{InputRepair, Needed, Repair};

/// An object with named fields, or a value of one: JavaScript's in a page, JSON natively. Each object is
/// a copy that is passed on, so that nobody else sees what is written into it.
pub trait Object: Sized {
    /// A text.
    fn text(text: &str) -> Self;
    /// `true` or `false`.
    fn boolean(value: bool) -> Self;
    /// The value of a field; `None` if there is no such field.
    fn get(&self, field: Field) -> Option<Self>;
    /// The object with this value in the field.
    fn with(self, field: Field, value: Self) -> Self;
    /// The object without the field.
    fn without(self, field: Field) -> Self;
    /// The fields of both objects; those of `other` win.
    fn merged(self, other: Self) -> Self;
}

vocabulary! {
    /// The things that the shell keeps of a part that was read, for later repairs of its call.
    #[derive(Default)]
    Keeps {
        /// Nothing: the part is older than the one that is kept.
        #[default]
        Nothing = "nothing",
        /// The part, and of its approval nothing.
        Part = "part",
        /// The part, and its approval as the question.
        Asked = "asked",
        /// The part, and its approval as the allowance.
        Allowed = "allowed",
        /// The part, and its approval as the denial.
        Denied = "denied",
        /// The part, which shows no approval, and what the responses have said of one.
        Heard = "heard",
    }
}

impl Keeps {
    /// The things that are kept of a part that is news.
    pub fn of(part: &PartFacts) -> Self {
        match part.flags.answer {
            _ if part.approval.is_none() => Self::Heard,
            Answer::Yes => Self::Allowed,
            Answer::No => Self::Denied,
            // Under an answer or an output, it is what the page has left of the question.
            Answer::Absent if !part.flags.state.is_answered() => Self::Asked,
            Answer::Absent | Answer::Malformed => Self::Part,
        }
    }
}

vocabulary! {
    /// The fate of the part that the shell keeps because it shows the output of a call.
    #[derive(Default)]
    KeptOutput {
        /// It stays, if there is one.
        #[default]
        Stays = "stays",
        /// The part that was read takes its place.
        Replaced = "replaced",
        /// It is dropped: its output belongs to another input, or is not the last one.
        Dropped = "dropped",
    }
}

/// Declares the kept objects of a call, each with its name in the shell.
macro_rules! kept {
    ($($(#[$doc:meta])* $field:ident = $name:literal),+ $(,)?) => {
        /// The kept objects of a call that has to be repaired. All are copies.
        pub struct Kept<O> { $($(#[$doc])* pub $field: Option<O>),+ }

        impl<O> Kept<O> {
            /// Reads them by their names.
            pub fn read(get: impl Fn(&str) -> Option<O>) -> Self {
                Self { $($field: get($name)),+ }
            }
        }

        impl Kept<()> {
            /// Their names.
            pub const NAMES: &[&str] = &[$($name),+];
        }
    };
}

kept! {
    /// The approval that the part shows, if it is an object.
    shown = "shown",
    /// The question as it was last seen.
    asked = "asked",
    /// The allowance as it was last seen.
    allowed = "allowed",
    /// The denial as it was last seen.
    denied = "denied",
    /// The allowance that was given here, or that a record knows, and that the messages may not show yet: `approved` and
    /// `reason`.
    given_allowance = "givenAllowance",
    /// The same for a denial.
    given_denial = "givenDenial",
    /// A part that shows the output of the call.
    output = "output",
    /// The reason that the guard itself gives.
    reason = "reason",
    /// The changed input with which the call was allowed, and the note of what the model asked for: `input` and
    /// `callProviderMetadata`.
    edited = "edited",
    /// The model's own input, where the part shows a changed one: `input`, and `callProviderMetadata` if there is
    /// something else in it.
    original = "original",
}

/// Returns the repaired part. `part` is a copy. Every field of an approval is kept as it came, whether it is known or
/// not (law 4). An approval that nobody has seen is not invented: the part then keeps what it has.
///
/// Law 6: the input is another one only where a person has changed it.
pub fn rewrite<O: Object>(needed: Needed, part: O, mut kept: Kept<O>) -> O {
    let Needed { mut repair, keeps_shown_denial, input, .. } = needed;
    if input == InputRepair::Edited
        && kept.edited.is_none()
        && matches!(repair, Repair::Allow | Repair::Input)
    {
        // The allowance is one of an input that nobody knows any more.
        repair = Repair::Ask;
    }
    let other = match input {
        InputRepair::Keep => None,
        InputRepair::Edited => kept.edited.take(),
        InputRepair::Original => kept.original.take(),
    };
    let part = match other {
        Some(other) => part.without(Field::CallProviderMetadata).merged(other),
        None => part,
    };
    match repair {
        Repair::Keep | Repair::Input => part,
        Repair::Deny | Repair::SettleDenial => {
            let settles = repair == Repair::SettleDenial;
            let state = if settles { ToolState::OutputDenied } else { ToolState::ApprovalResponded };
            let part = bare(part, state);
            if keeps_shown_denial { part } else { set(part, Field::Approval, kept.denial()) }
        }
        Repair::Ask => set(bare(part, ToolState::ApprovalRequested), Field::Approval, kept.question()),
        Repair::Allow => set(bare(part, ToolState::ApprovalResponded), Field::Approval, kept.answer(true)),
        Repair::Approve => set(part, Field::Approval, kept.approval_of_output()),
        Repair::Restore => kept.restore(part),
        Repair::Fail => set(bare(part, ToolState::OutputError), Field::ErrorText, kept.reason),
    }
}

impl<O: Object> Kept<O> {
    /// The question, without an answer.
    fn question(self) -> Option<O> {
        let known = self.asked.or(self.allowed).or(self.denied).or(self.shown)?;
        // The reason of an answer explains no other one.
        Some(known.without(Field::Approved).without(Field::Reason))
    }

    /// The answer as it was seen, or else the question with the answer that was given.
    fn answer(mut self, approved: bool) -> Option<O> {
        let (seen, given) = if approved {
            (&mut self.allowed, &mut self.given_allowance)
        } else {
            (&mut self.denied, &mut self.given_denial)
        };
        let given = given.take();
        seen.take().or_else(|| {
            let answer = self.question()?.with(Field::Approved, O::boolean(approved));
            merged(Some(answer), given)
        })
    }

    /// The denial. The model reads the reason of the guard in place of any other one.
    fn denial(mut self) -> Option<O> {
        match self.reason.take() {
            None => self.answer(false),
            reason => {
                let denial = self.question()?.with(Field::Approved, O::boolean(false));
                Some(set(denial, Field::Reason, reason))
            }
        }
    }

    /// The approval of an output: what the part shows, with what was seen before.
    fn approval_of_output(mut self) -> Option<O> {
        let shown = self.shown.take();
        let approval = merged(self.answer(true), shown)?;
        Some(approval.with(Field::Approved, O::boolean(true)))
    }

    /// The part with the output that was seen. If no list has shown it, the call leaves as an error.
    fn restore(mut self, part: O) -> O {
        let (shown, output, reason) = (self.shown.take(), self.output.take(), self.reason.take());
        // The reason of a later allowance explains another run.
        let of_run = output.as_ref().and_then(|output| output.get(Field::Approval));
        let approval = match (merged(shown, self.answer(true)), of_run) {
            (Some(approval), Some(of_run)) => {
                Some(set(approval.without(Field::Reason), Field::Reason, of_run.get(Field::Reason)))
            }
            (approval, _) => approval,
        };
        let part = set(bare(part, ToolState::OutputError), Field::Approval, approval);
        let state = output.as_ref().and_then(|output| output.get(Field::State));
        let Some((state, output)) = state.zip(output) else { return set(part, Field::ErrorText, reason) };
        let result = [Field::Output, Field::ErrorText];
        let put = |part, field| set(part, field, output.get(field));
        result.into_iter().fold(part.with(Field::State, state), put)
    }
}

/// The part in this state, without what only an output has.
fn bare<O: Object>(part: O, state: ToolState) -> O {
    let result = [Field::Output, Field::ErrorText, Field::Preliminary, Field::ResultProviderMetadata];
    let bare = result.into_iter().fold(part, Object::without);
    bare.with(Field::State, O::text(state.name()))
}

/// The object with this value in the field, if there is one.
fn set<O: Object>(object: O, field: Field, value: Option<O>) -> O {
    match value {
        Some(value) => object.with(field, value),
        None => object,
    }
}

fn merged<O: Object>(one: Option<O>, other: Option<O>) -> Option<O> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.merged(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(any(test, not(target_arch = "wasm32")))]
impl Object for serde_json::Value {
    fn text(text: &str) -> Self {
        text.into()
    }

    fn boolean(value: bool) -> Self {
        value.into()
    }

    fn get(&self, field: Field) -> Option<Self> {
        self.get(field.name()).cloned()
    }

    fn with(mut self, field: Field, value: Self) -> Self {
        if let Some(fields) = self.as_object_mut() {
            fields.insert(field.name().to_owned(), value);
        }
        self
    }

    fn without(mut self, field: Field) -> Self {
        if let Some(fields) = self.as_object_mut() {
            fields.remove(field.name());
        }
        self
    }

    fn merged(mut self, other: Self) -> Self {
        if let (Some(fields), Self::Object(others)) = (self.as_object_mut(), other) {
            fields.extend(others);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A call of which nothing is known.
    fn nothing() -> Kept<Value> {
        Kept::read(|_| None)
    }

    fn needed(repair: Repair, keeps_shown_denial: bool) -> Needed {
        Needed { repair, keeps_shown_denial, ..Needed::NOTHING }
    }

    fn written() -> Value {
        json!({
            "type": "tool-run", "toolCallId": "c", "state": "output-available", "input": 1, "title": "Run",
            "output": 2, "errorText": "no", "preliminary": true, "resultProviderMetadata": {},
        })
    }

    fn question() -> Option<Value> {
        Some(json!({ "id": "ap", "signature": "s", "requestReason": "It is new." }))
    }

    /// The state and the approval after a repair that takes every field of a result away.
    fn bare(repair: Repair, kept: Kept<Value>) -> (String, Option<Value>) {
        let mut part = rewrite(needed(repair, false), written(), kept);
        let fields = part.as_object_mut().expect("an object");
        let approval = fields.remove("approval");
        let state = fields.remove("state").expect("a state").as_str().expect("a text").to_owned();
        let rest = json!({ "type": "tool-run", "toolCallId": "c", "input": 1, "title": "Run" });
        assert_eq!(part, rest);
        (state, approval)
    }

    #[test]
    fn a_denial_has_every_field_of_its_question_and_the_reason_that_was_given() {
        let denial = |approved: Value| {
            let mut denial = question().expect("one");
            denial["approved"] = false.into();
            denial["reason"] = approved;
            Some(denial)
        };
        let given = || Some(json!({ "approved": false, "reason": "Not now." }));
        let (state, approval) =
            bare(Repair::Deny, Kept { asked: question(), given_denial: given(), ..nothing() });
        assert_eq!((state.as_str(), approval), ("approval-responded", denial(json!("Not now."))));
        let seen = denial(json!("Seen."));
        let kept = Kept { asked: question(), denied: seen.clone(), given_denial: given(), ..nothing() };
        assert_eq!(bare(Repair::SettleDenial, kept), ("output-denied".to_owned(), seen.clone()));
        let kept = Kept { asked: question(), denied: seen, reason: Some(json!("Too late.")), ..nothing() };
        assert_eq!(bare(Repair::Deny, kept).1, denial(json!("Too late.")), "the guard says why");
    }

    #[test]
    fn the_reason_of_an_allowance_explains_no_denial() {
        let allowed = || Some(json!({ "id": "ap", "approved": true, "reason": "Of course." }));
        let denial = Some(json!({ "id": "ap", "approved": false }));
        let given = Some(json!({ "approved": true, "reason": "Of course." }));
        assert_eq!(
            bare(Repair::Deny, Kept { allowed: allowed(), given_allowance: given, ..nothing() }).1,
            denial
        );
        assert_eq!(bare(Repair::Deny, Kept { shown: allowed(), ..nothing() }).1, denial);
        assert_eq!(
            bare(Repair::Ask, Kept { allowed: allowed(), ..nothing() }).1,
            Some(json!({ "id": "ap" }))
        );
    }

    #[test]
    fn no_approval_is_invented() {
        for repair in [Repair::Deny, Repair::SettleDenial, Repair::Ask, Repair::Allow] {
            let given = |approved| Some(json!({ "approved": approved, "reason": "Because." }));
            let kept = Kept { given_allowance: given(true), given_denial: given(false), ..nothing() };
            assert_eq!(bare(repair, kept).1, None, "{repair:?}");
        }
    }

    #[test]
    fn a_denial_that_is_shown_can_stay_as_it_is() {
        let mut part = written();
        part["approval"] = json!({ "id": "ap", "approved": false, "reason": "No.", "of": "the server" });
        let denied =
            rewrite(needed(Repair::Deny, true), part.clone(), Kept { denied: question(), ..nothing() });
        assert_eq!(denied["approval"], part["approval"]);
        assert_eq!((&denied["state"], denied.get("output")), (&json!("approval-responded"), None));
    }

    #[test]
    fn an_output_gets_its_allowance_and_keeps_its_fields() {
        let kept = Kept {
            asked: question(),
            shown: Some(json!({ "id": "ap", "own": 1 })),
            given_allowance: Some(json!({ "approved": true, "reason": "Yes." })),
            ..nothing()
        };
        let mut expected = written();
        expected["approval"] = question().expect("one");
        expected["approval"]["own"] = 1.into();
        expected["approval"]["approved"] = true.into();
        expected["approval"]["reason"] = "Yes.".into();
        assert_eq!(rewrite(needed(Repair::Approve, false), written(), kept), expected);
    }

    #[test]
    fn an_output_that_was_seen_comes_back_and_one_that_was_not_is_an_error() {
        let asks = json!({ "toolCallId": "c", "state": "approval-requested", "approval": { "id": "ap" } });
        let allowed = || Some(json!({ "id": "ap", "approved": true, "reason": "Yes." }));
        let kept = |output| Kept {
            shown: Some(asks["approval"].clone()),
            allowed: allowed(),
            output,
            reason: Some(json!("It may have run.")),
            ..nothing()
        };
        let ran = Some(json!({ "state": "output-available", "output": 7, "input": 1 }));
        let back = rewrite(needed(Repair::Restore, false), asks.clone(), kept(ran));
        let expected =
            json!({ "toolCallId": "c", "state": "output-available", "approval": allowed(), "output": 7 });
        assert_eq!(back, expected);
        let edited =
            |reason| json!({ "state": "output-available", "output": 7, "approval": { "reason": reason } });
        let back = rewrite(needed(Repair::Restore, false), asks.clone(), kept(Some(edited("Of course."))));
        assert_eq!(back["approval"]["reason"], "Of course.", "a later allowance explains another run");
        let back = rewrite(needed(Repair::Restore, false), asks.clone(), kept(None));
        assert_eq!(
            (&back["state"], &back["errorText"]),
            (&json!("output-error"), &json!("It may have run."))
        );
    }

    #[test]
    fn law_6_the_input_is_another_one_only_where_a_person_has_changed_it() {
        let note = json!({ "tool-approval-guard": { "editedFrom": 1 }, "openai": { "id": 2 } });
        let edited = || Some(json!({ "input": 5, "callProviderMetadata": note }));
        let original = || Some(json!({ "input": 1, "callProviderMetadata": { "openai": { "id": 2 } } }));
        let kept = || Kept { edited: edited(), original: original(), asked: question(), ..nothing() };
        let with = |repair, input| {
            let part = rewrite(Needed { input, ..needed(repair, false) }, written(), kept());
            (part["input"].clone(), part.get("callProviderMetadata").cloned())
        };
        for repair in [Repair::Input, Repair::Allow, Repair::Restore, Repair::SettleDenial] {
            assert_eq!(with(repair, InputRepair::Keep), (json!(1), None));
            assert_eq!(with(repair, InputRepair::Edited), (json!(5), Some(note.clone())));
        }
        for repair in [Repair::Ask, Repair::Deny] {
            assert_eq!(
                with(repair, InputRepair::Original),
                (json!(1), Some(json!({ "openai": { "id": 2 } })))
            );
        }
        for repair in [Repair::Input, Repair::Allow] {
            let needed = Needed { input: InputRepair::Edited, ..needed(repair, false) };
            let part = rewrite(needed, written(), Kept { edited: None, ..kept() });
            assert_eq!(part["state"], "approval-requested", "nothing runs whose input is not known");
        }
        let bare = Kept { original: Some(json!({ "input": 1 })), ..nothing() };
        let mut part = written();
        part["callProviderMetadata"] = json!({ "tool-approval-guard": { "editedFrom": 1 } });
        let back = Needed { input: InputRepair::Original, ..needed(Repair::Ask, false) };
        assert_eq!(
            rewrite(back, part, bare).get("callProviderMetadata"),
            None,
            "nothing is left of the note"
        );
    }
}
