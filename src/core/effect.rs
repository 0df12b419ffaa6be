//! What is to happen to a call.

vocabulary! {
    /// What is to happen to a call, from the least strict to the strictest.
    Effect {
        /// Run it without a question.
        Allow = "allow",
        /// Ask.
        Ask = "ask",
        /// Do not run it.
        Deny = "deny",
    }
}
