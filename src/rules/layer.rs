//! The layers of rules.

vocabulary! {
    /// The layers of rules, from the least authority to the most. A layer can only add rules.
    #[derive(PartialOrd, Ord)]
    Layer {
        /// The person who uses the application.
        User = "user",
        /// The rules built into the application.
        Builtin = "builtin",
        /// The application.
        App = "app",
        /// The organisation that runs it.
        Organisation = "organisation",
    }
}
