//! What the tests want to know of the effects of a fact.

use tool_approval_guard::core::guard::{Act, Effects, Permitted, Returned};
use tool_approval_guard::core::id::{CallId, RequestId};

impl Effects {
    /// What came of an act; [`ActResult::Done`] for no call if there was none.
    pub fn act(&self) -> Act {
        if let Some(Returned::Act(act)) = &self.returned { act.clone() } else { Act::default() }
    }

    /// The calls that an act has changed.
    pub fn changed(&self) -> Vec<CallId> {
        self.act().changed.iter().map(|changed| changed.call.0).collect()
    }

    /// How a permitted send is carried out.
    pub fn permitted(&self) -> Option<Permitted> {
        if let Some(Returned::Permitted(permitted)) = self.returned { Some(permitted) } else { None }
    }

    /// The number of a request; 0 if it may not leave.
    pub fn request(&self) -> RequestId {
        if let Some(Returned::Request { request, .. }) = self.returned { request } else { RequestId::NONE }
    }
}
