//! The faults in data that is given to a record.

vocabulary! {
    /// The fault in data that was given to a record.
    Fault {
        /// It was not written by this package.
        Foreign = "foreign",
        /// It was written by a later version of this package.
        Newer = "newer",
        /// It was changed or cut off since it was written.
        Corrupt = "corrupt",
        /// It belongs to another chat.
        OtherChat = "other-chat",
        /// It contains less than was there before.
        RolledBack = "rolled-back",
        /// It no longer exists.
        Lost = "lost",
        /// It is larger than what is stored at most.
        TooLarge = "too-large",
        /// It is not an entry.
        Malformed = "malformed",
    }
}
