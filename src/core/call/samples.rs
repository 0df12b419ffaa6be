//! Calls for unit tests, each made from the events that lead to it.

use super::{Call, Delivery};
use crate::core::clock::Time;
use crate::core::decision::{Actor, Author, Decision};
use crate::core::event::{Event, EventKind};
use crate::core::id::{CallId, RequestId, StringId};

/// A call of tool 1 with call id 2, after these events.
pub fn after(events: &[Event]) -> Call {
    changed(Call::new(StringId(1), StringId(2), StringId::NONE), events)
}

/// A call after further events at time 0.
pub fn changed(mut call: Call, events: &[Event]) -> Call {
    events.iter().for_each(|event| call.apply(event, 0));
    call
}

/// A call that needs no approval.
pub fn plain() -> Call {
    after(&[])
}

/// A call that asks with approval id 3.
pub fn asking() -> Call {
    after(&[Event::asked(CallId(0), StringId(3), 0, Actor::Server)])
}

/// A call that asks for approval, with a draft from this time.
pub fn drafted(approved: bool, actor: Actor, at: Time) -> Call {
    let mut call = asking();
    call.apply(
        &Event { actor, ..Event::answer(CallId(0), EventKind::Drafted, Decision::new(approved, actor)) },
        at,
    );
    call
}

/// A call that a person has answered, with this delivery of the answer.
pub fn decided(approved: bool, delivery: Delivery) -> Call {
    let actor = if delivery == Delivery::History { Actor::History } else { Actor::Person };
    let answered = Event::answer(CallId(0), EventKind::Answered, Decision::new(approved, actor));
    delivered(changed(asking(), &[answered]), delivery)
}

/// A call with an output of the page, with this delivery.
pub fn put_out(delivery: Delivery) -> Call {
    let author = if delivery == Delivery::History { Author::History } else { Author::Page };
    delivered(after(&[Event::put_out(CallId(0), EventKind::Output, author)]), delivery)
}

/// A call whose answer, or output, has this delivery.
pub fn delivered(call: Call, delivery: Delivery) -> Call {
    let sent = |request| changed(call, &[Event::sent(CallId(0), request, None, Actor::Application)]);
    let mut call = match delivery {
        Delivery::Idle | Delivery::Unsent | Delivery::History | Delivery::Arrived => call,
        Delivery::Sent(request) | Delivery::Delivered(request) => sent(request),
        Delivery::Failed | Delivery::Doubt => sent(RequestId(1)),
    };
    match delivery {
        Delivery::Delivered(request) => call.started(request),
        Delivery::Arrived => call.set_transmission(delivery, false),
        Delivery::Failed => call.failed(RequestId(1), false),
        Delivery::Doubt => call.failed(RequestId(1), true),
        _ => {}
    }
    assert_eq!(call.delivery(), delivery, "no such call");
    call
}
