//! Whose rule it is.

vocabulary! {
    /// Who gave a rule, from the least authority to the most. A layer only adds rules.
    Layer {
        /// The person at the screen.
        User = "user",
        /// What the application was built with.
        Builtin = "builtin",
        /// The application.
        App = "app",
        /// The organisation that runs it.
        Organisation = "organisation",
    }
}
