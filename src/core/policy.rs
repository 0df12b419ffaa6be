//! The options of an application by which the core decides. Each is declared here, and nowhere else: its name, which
//! is that of the application in the spelling of Rust, its type, the numbers that it takes, and its default. What the
//! shell checks and passes on is generated from this.

use super::clock::Time;
use super::row::{Crosses, Rows, Shape};

/// The shortest time a call may wait for an answer, in milliseconds.
pub const SHORTEST_WAIT: f64 = 1_000.0;
/// The longest time a call may wait for an answer, in milliseconds.
pub const LONGEST_WAIT: f64 = 30.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

vocabulary! {
    /// The causes of an automatic send.
    SendOn {
        /// Answers and outputs of the page.
        Both = "both",
        /// Only answers.
        Approvals = "approvals",
        /// Only outputs of the page.
        Outputs = "outputs",
    }
}

vocabulary! {
    /// The fate of open calls when a person moves on.
    WhenUserSends {
        /// They are denied as superseded.
        Deny = "deny",
        /// They stay as they are.
        Pass = "pass",
    }
}

vocabulary! {
    /// The fate of a step in which everything new is a denial.
    WhenAllDenied {
        /// It is sent.
        Send = "send",
        /// It waits for the person.
        Hold = "hold",
    }
}

/// The numbers that an option takes.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// The smallest.
    pub from: f64,
    /// The largest.
    pub to: f64,
    /// Whether it takes infinity, too.
    pub or_infinity: bool,
    /// Whether they are whole numbers, in place of milliseconds.
    pub is_count: bool,
}

/// A count.
const COUNT: Range = Range { from: 0.0, to: 1_000_000.0, or_infinity: false, is_count: true };
/// A wait that ends even if nothing has happened.
const WAIT: Range = Range { from: SHORTEST_WAIT, to: LONGEST_WAIT, or_infinity: false, is_count: false };
/// The time for which something is held back.
const DELAY: Range = Range { from: 0.0, or_infinity: true, ..WAIT };

/// Declares the options: name, type, default, and the range of a number. A default may use the options before it.
macro_rules! policy {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty = $default:expr $(, in $range:ident)?;)+
        }
    ) => {
        $(#[$meta])*
        pub struct $name { $($(#[$doc])* pub $field: $type),+ }

        impl $name {
            /// The names of all options, in the order in which they cross, with what each takes.
            pub const OPTIONS: &[(&str, Shape, Option<Range>)] =
                &[$((stringify!($field), <$type as Crosses>::SHAPE, [$(Some($range),)? None][0])),+];
        }

        impl Default for $name {
            fn default() -> Self {
                $(let $field: $type = $default;)+
                Self { $($field),+ }
            }
        }

        impl Crosses for $name {
            const SHAPE: Shape = Shape::Numbers;

            fn read(rows: &mut Rows) -> Option<Self> {
                $(let $field: $type = rows.given().unwrap_or($default);)+
                Some(Self { $($field),+ })
            }

            fn write(&self, to: &mut Vec<f64>) {
                $(self.$field.write(to);)+
            }
        }
    };
}

policy! {
    /// The application's wishes.
    #[derive(Clone, Copy, Debug)]
    pub struct Policy {
        /// The causes of an automatic send.
        pub send_on: SendOn = SendOn::Both;
        /// The fate of open calls when a person moves on.
        pub when_user_sends: WhenUserSends = WhenUserSends::Deny;
        /// The fate of a step in which everything new is a denial.
        pub when_all_denied: WhenAllDenied = WhenAllDenied::Send;
        /// Whether an answer is sent while other calls of its step still wait for theirs.
        pub send_each: bool = false;
        /// The most automatic sends between two acts of a person.
        pub max_automatic_sends: u32 = 20, in COUNT;
        /// The time in which a decided batch can be undone; `None` until somebody commits it.
        pub undo_ms: Option<Time> = Some(0), in DELAY;
        /// The same for a batch in which a call that is marked as dangerous is allowed.
        pub undo_ms_when_dangerous: Option<Time> = undo_ms.map(|undo| undo.max(5_000)), in DELAY;
        /// The time before its deadline at which a call is reported as about to expire.
        pub warn_ms: Option<Time> = Some(20_000), in DELAY;
        /// The time that a call of a tool that runs in the page may wait for its output; `None` for ever.
        pub output_ms: Option<Time> = None, in WAIT;
        /// Whether a person is there to answer.
        pub attended: bool = true;
    }
}

impl Policy {
    /// Whether open calls are closed when a person moves on.
    pub fn closes_calls(&self) -> bool {
        self.when_user_sends == WhenUserSends::Deny
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(numbers: &[f64]) -> Option<Policy> {
        Policy::read(&mut Rows::new(numbers))
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let mut given = vec![f64::NAN; Policy::OPTIONS.len()];
        let defaults = format!("{:?}", Policy::default());
        assert_eq!(format!("{:?}", read(&given).unwrap()), defaults);
        given[5] = 9_000.0;
        let policy = read(&given).unwrap();
        assert_eq!((policy.undo_ms, policy.undo_ms_when_dangerous), (Some(9_000), Some(9_000)));
        given[6] = f64::INFINITY;
        assert_eq!(read(&given).unwrap().undo_ms_when_dangerous, None);
    }

    #[test]
    fn what_was_written_is_read() {
        let policy = Policy { send_on: SendOn::Outputs, attended: false, undo_ms: None, ..Policy::default() };
        let mut numbers = Vec::new();
        policy.write(&mut numbers);
        assert_eq!(numbers.len(), Policy::OPTIONS.len());
        assert_eq!(format!("{:?}", read(&numbers).unwrap()), format!("{policy:?}"));
    }
}
