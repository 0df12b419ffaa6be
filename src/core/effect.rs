//! The effect of a rule on a call.

vocabulary! {
    /// The effect of a rule, from the least strict to the strictest.
    Effect {
        /// Run the call without asking.
        Allow = "allow",
        /// Ask.
        Ask = "ask",
        /// Do not run the call.
        Deny = "deny",
    }
}
