//! What is wrong with what a record is given.

vocabulary! {
    /// What is wrong with something that a record was given.
    Fault {
        /// Not written by this package.
        Foreign = "foreign",
        /// Written by a later version of it.
        Newer = "newer",
        /// Changed or cut since it was written.
        Corrupt = "corrupt",
        /// Of another chat.
        OtherChat = "other-chat",
        /// More than is stored.
        TooLarge = "too-large",
        /// No entry, or no note.
        Malformed = "malformed",
        /// There is no such call, or it is settled.
        Unknown = "unknown",
        /// Documents are taken over before the first entry.
        Late = "late",
    }
}
