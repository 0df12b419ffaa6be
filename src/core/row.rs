//! Values that cross the border as numbers. Each is declared once, with typed fields: how it is read, and what the
//! shell writes, come from the declaration.

use super::call::{Digest, PartFlags};
use super::clock::{Time, duration};
use super::id::{CallId, GrantId, RequestId, StringId};

/// The form in which the shell writes a value.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A number.
    Number,
    /// A code of this vocabulary, which has these names.
    Code(&'static str, &'static [&'static str]),
    /// The same, or NaN for none.
    OptionalCode(&'static str, &'static [&'static str]),
    /// A number, or NaN for none.
    Optional,
    /// 0: none, 1: no, 2: yes.
    Answer,
    /// 1 or 0.
    Flag,
    /// A digest: its low half and its high half.
    Digest,
    /// These fields, one after the other. The name is that of the whole.
    Fields(&'static str, &'static [(&'static str, Shape)]),
    /// The number of items, and the items.
    List(&'static Shape),
    /// Numbers that are ready to cross.
    Numbers,
}

/// Numbers that are read one after the other.
#[derive(Debug)]
pub struct Rows<'a> {
    numbers: &'a [f64],
    /// The calls of the parts so far, with the flags of those parts; `None` where a list says nothing about its part.
    pub parts: Vec<Option<(CallId, PartFlags)>>,
    is_short: bool,
}

impl<'a> Rows<'a> {
    /// The rows in these numbers.
    pub fn new(numbers: &'a [f64]) -> Self {
        Self { numbers, parts: Vec::new(), is_short: false }
    }

    /// Whether there is nothing more to read.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Whether more numbers were read than there are, so that what was read is nothing.
    pub fn is_short(&self) -> bool {
        self.is_short
    }

    /// The next number; NaN at the end.
    pub fn number(&mut self) -> f64 {
        let Some((&number, rest)) = self.numbers.split_first() else {
            self.is_short = true;
            return f64::NAN;
        };
        self.numbers = rest;
        number
    }

    /// The next value, if there is one: NaN stands for a value that is left out.
    pub fn given<T: Crosses>(&mut self) -> Option<T> {
        if self.numbers.first().is_some_and(|number| number.is_nan()) {
            self.number();
            return None;
        }
        T::read(self)
    }

    /// A call, as a part shows it: the call of that part or, if the core did not accept the part, the one that the
    /// place has shown before.
    fn call(&mut self) -> Option<(CallId, Option<PartFlags>)> {
        let (part, call) = (self.number(), self.number());
        let seen = (part as usize).checked_sub(1).and_then(|part| self.parts.get(part).copied().flatten());
        match seen {
            Some((call, flags)) => Some((call, Some(flags))),
            None => Some((call_from(call)?, None)),
        }
    }
}

/// A value that crosses. All of its numbers are read, also if one of them means nothing.
pub trait Crosses: Sized {
    /// The form in which the shell writes it.
    const SHAPE: Shape;

    /// Reads it; `None` if a number means nothing.
    fn read(rows: &mut Rows) -> Option<Self>;

    /// Writes it as the shell does.
    fn write(&self, to: &mut Vec<f64>);
}

/// A call that is known, by its number from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallNumber(pub CallId);

/// The number for a call: from 1, or 0 for none.
pub fn call_number(call: Option<CallId>) -> f64 {
    call.map_or(0.0, |call| f64::from(call) + 1.0)
}

/// The call with this number; `None` for 0.
pub fn call_from(number: f64) -> Option<CallId> {
    (number as u32).checked_sub(1).map(CallId)
}

/// A code of a vocabulary. An invalid code, such as -1, becomes one that no variant has; a cast would turn it
/// into the first.
pub fn code(number: f64) -> usize {
    if number >= 0.0 { number as usize } else { usize::MAX }
}

/// Declares a struct whose fields cross. Those after a semicolon do not, and have this value when it is read.
macro_rules! row {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* pub $field:ident: $type:ty),+ $(,)?
            $(; $($(#[$own_doc:meta])* pub $own:ident: $own_type:ty = $value:expr),+ $(,)?)?
        }
    ) => {
        $(#[$meta])*
        pub struct $name {
            $($(#[$doc])* pub $field: $type,)+
            $($($(#[$own_doc])* pub $own: $own_type),+)?
        }

        impl $crate::core::row::Crosses for $name {
            const SHAPE: $crate::core::row::Shape = $crate::core::row::Shape::Fields(
                stringify!($name),
                &[$((stringify!($field), <$type as $crate::core::row::Crosses>::SHAPE)),+],
            );

            fn read(rows: &mut $crate::core::row::Rows) -> Option<Self> {
                $(let $field = $crate::core::row::Crosses::read(rows);)+
                Some(Self { $($field: $field?,)+ $($($own: $value),+)? })
            }

            fn write(&self, to: &mut Vec<f64>) {
                $($crate::core::row::Crosses::write(&self.$field, to);)+
            }
        }
    };
}

/// Declares how a tuple crosses: the names and types of its places.
macro_rules! tuple_row {
    ($(#[$meta:meta])* $name:ident = ($($field:ident: $type:ty),+ $(,)?)) => {
        $(#[$meta])*
        impl $crate::core::row::Crosses for ($($type),+) {
            const SHAPE: $crate::core::row::Shape = $crate::core::row::Shape::Fields(
                stringify!($name),
                &[$((stringify!($field), <$type as $crate::core::row::Crosses>::SHAPE)),+],
            );

            fn read(rows: &mut $crate::core::row::Rows) -> Option<Self> {
                $(let $field = $crate::core::row::Crosses::read(rows);)+
                Some(($($field?),+))
            }

            fn write(&self, to: &mut Vec<f64>) {
                let ($($field),+) = self;
                $($crate::core::row::Crosses::write($field, to);)+
            }
        }
    };
}

/// Declares an enum whose variants cross, each after its code.
macro_rules! tagged_rows {
    ($(#[$meta:meta])* $name:ident {
        $(
            $(#[$doc:meta])*
            $row:ident
            $({ $($(#[$field_doc:meta])* $field:ident: $type:ty),+ $(,)? })?
            $(( $($place:ident: $place_type:ty),+ ))?
        ),+ $(,)?
    }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $row $({ $($(#[$field_doc])* $field: $type),+ })? $(($($place_type),+))?),+
        }

        impl $name {
            /// The names and fields of all variants, in the order of their codes.
            pub const ROWS: &[(&str, &[(&str, $crate::core::row::Shape)])] = &[$((
                stringify!($row),
                &[
                    $($((stringify!($field), <$type as $crate::core::row::Crosses>::SHAPE)),+)?
                    $($((stringify!($place), <$place_type as $crate::core::row::Crosses>::SHAPE)),+)?
                ],
            )),+];

            /// Appends it to numbers.
            pub fn write(&self, to: &mut Vec<f64>) {
                let start = to.len();
                to.push(f64::NAN);
                let mut code = 0_u32;
                $(
                    if let Self::$row $({ $($field),+ })? $(($($place),+))? = self {
                        to[start] = f64::from(code);
                        $($($crate::core::row::Crosses::write($field, to);)+)?
                        $($($crate::core::row::Crosses::write($place, to);)+)?
                    }
                    code += 1;
                )+
                let _ = code;
            }

            /// Reads the next one: `None` at the end, and if what follows is none; `Some(None)` if a number means
            /// nothing.
            pub fn read(rows: &mut $crate::core::row::Rows) -> Option<Option<Self>> {
                if rows.is_empty() {
                    return None;
                }
                let code = rows.number() as u32;
                let mut row = 0_u32;
                $(
                    if code == row {
                        $($(let $field = <$type as $crate::core::row::Crosses>::read(rows);)+)?
                        $($(let $place = <$place_type as $crate::core::row::Crosses>::read(rows);)+)?
                        let read = || Some(Self::$row $({ $($field: $field?),+ })? $(($($place?),+))?);
                        return if rows.is_short() { None } else { Some(read()) };
                    }
                    row += 1;
                )+
                let _ = row;
                None
            }
        }
    };
}

/// Declares an enum that crosses as a code and one field, which only some of its variants have. The codes are a
/// vocabulary of their own.
macro_rules! coded_row {
    (
        $(#[$meta:meta])*
        $name:ident as $code:ident: $(#[$code_meta:meta])* $codes:ident, $field:ident: $type:ty {
            $($(#[$doc:meta])* $variant:ident $(($with:ty))? = $text:literal),+ $(,)?
        }
    ) => {
        vocabulary! { $(#[$code_meta])* $codes { $($(#[$doc])* $variant = $text),+ } }

        $(#[$meta])*
        pub enum $name { $($(#[$doc])* $variant $(($with))?),+ }

        impl $crate::core::row::Crosses for $name {
            const SHAPE: $crate::core::row::Shape = $crate::core::row::Shape::Fields(
                stringify!($name),
                &[(stringify!($code), $codes::SHAPE), (stringify!($field), <Option<$type>>::SHAPE)],
            );

            fn read(rows: &mut $crate::core::row::Rows) -> Option<Self> {
                let (code, field) = ($codes::read(rows), <Option<$type>>::read(rows));
                Some(match code? {
                    $($codes::$variant => Self::$variant $(({ let field: Option<Option<$with>> = field; field?? }))?,)+
                })
            }

            fn write(&self, to: &mut Vec<f64>) {
                let mut field: Option<$type> = None;
                $($(if let Self::$variant(value) = *self {
                    let value: $with = value;
                    field = Some(value);
                })?)+
                match self { $(Self::$variant { .. } => $codes::$variant),+ }.write(to);
                field.write(to);
            }
        }
    };
}

/// Declares how a value of one number crosses.
macro_rules! number {
    ($($type:ty: $shape:ident, |$number:ident| $read:expr, |$value:ident| $write:expr;)+) => { $(
        impl Crosses for $type {
            const SHAPE: Shape = Shape::$shape;

            fn read(rows: &mut Rows) -> Option<Self> {
                let $number = rows.number();
                Some($read)
            }

            fn write(&self, to: &mut Vec<f64>) {
                let $value = *self;
                to.push($write);
            }
        }
    )+ };
}

number! {
    f64: Number, |number| number, |value| value;
    u32: Number, |number| number as u32, |value| value.into();
    bool: Flag, |number| number == 1.0, |value| value.into();
    StringId: Number, |number| Self(number as u32), |value| value.into();
    RequestId: Number, |number| Self(number as u32), |value| value.into();
    GrantId: Number, |number| Self(number as u32), |value| value.into();
    PartFlags: Number, |number| Self::from_code(number as u32), |value| value.code().into();
    // NaN is none.
    Option<f64>: Optional, |number| (!number.is_nan()).then_some(number), |value| value.unwrap_or(f64::NAN);
    // An index; NaN is none.
    Option<usize>: Optional,
        |number| (!number.is_nan()).then_some(number as usize),
        |value| value.map_or(f64::NAN, |index| index as f64);
    usize: Number, |number| number as usize, |value| value as f64;
    CallNumber: Number, |number| Self(call_from(number).unwrap_or_default()), |value| call_number(Some(value.0));
    // A call by its number, or 0.
    Option<CallId>: Number, |number| call_from(number), |value| call_number(value);
    // Milliseconds; infinity is none.
    Option<Time>: Number, |number| duration(number), |value| value.map_or(f64::INFINITY, |time| time as f64);
    // 0: none, 1: no, 2: yes.
    Option<bool>: Answer,
        |number| if number == 1.0 { Some(false) } else { (number == 2.0).then_some(true) },
        |value| value.map_or(0.0, |yes| if yes { 2.0 } else { 1.0 });
}

impl Crosses for Digest {
    const SHAPE: Shape = Shape::Digest;

    fn read(rows: &mut Rows) -> Option<Self> {
        // The shell computes them with bit operations, so they have a sign.
        let [low, high] = [rows.number(), rows.number()].map(|half| half as i64 as u32);
        Some(u64::from(high) << 32 | u64::from(low))
    }

    fn write(&self, to: &mut Vec<f64>) {
        to.extend([f64::from(*self as u32), f64::from((*self >> 32) as u32)]);
    }
}

/// The number, from 1, of a part among these facts, or 0; and the call if there is no part, or if the part says nothing
/// new.
const CALL: [(&str, Shape); 2] = [("part", Shape::Number), ("call", Shape::Number)];

/// A call that a part shows. A fact about a part that says nothing of its call, and never has, means nothing.
impl Crosses for CallId {
    const SHAPE: Shape = Shape::Fields("Call", &CALL);

    fn read(rows: &mut Rows) -> Option<Self> {
        rows.call().map(|(call, _)| call)
    }

    fn write(&self, to: &mut Vec<f64>) {
        to.extend([0.0, call_number(Some(*self))]);
    }
}

/// A call that a part shows, with the flags of that part.
impl Crosses for (CallId, PartFlags) {
    const SHAPE: Shape = Shape::Fields("ShownCall", &[CALL[0], CALL[1], ("flags", Shape::Number)]);

    fn read(rows: &mut Rows) -> Option<Self> {
        let call = rows.call();
        let flags = PartFlags::read(rows)?;
        call.map(|(call, seen)| (call, seen.unwrap_or(flags)))
    }

    fn write(&self, to: &mut Vec<f64>) {
        self.0.write(to);
        self.1.write(to);
    }
}

impl<T: Crosses> Crosses for Vec<T> {
    const SHAPE: Shape = Shape::List(&T::SHAPE);

    fn read(rows: &mut Rows) -> Option<Self> {
        let count = rows.number() as usize;
        let mut items = Self::new();
        for _ in 0..count {
            if rows.is_empty() {
                break;
            }
            items.extend(T::read(rows));
        }
        Some(items)
    }

    fn write(&self, to: &mut Vec<f64>) {
        to.push(self.len() as f64);
        self.iter().for_each(|item| item.write(to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::protocol::ToolState;

    #[test]
    fn what_is_no_code_is_nothing() {
        for number in [-1.0, f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 1e300] {
            assert_eq!(ToolState::from_code(code(number)), None, "{number}");
        }
        assert_eq!(ToolState::from_code(code(0.0)), ToolState::ALL.first().copied());
    }
}
