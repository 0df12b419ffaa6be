//! What rules want, and whose they are.

vocabulary! {
    /// What a rule wants, from the least strict to the strictest.
    Effect {
        /// Run it without a question.
        Allow = "allow",
        /// Ask.
        Ask = "ask",
        /// Do not run it.
        Deny = "deny",
    }
}

vocabulary! {
    /// Who gave a rule, from the least authority to the most. A layer only adds rules.
    Layer {
        /// The person at the screen.
        User = "user",
        /// What the application was built with.
        Builtin = "builtin",
        /// The application.
        App = "app",
        /// Whoever runs it.
        Organisation = "organisation",
    }
}
