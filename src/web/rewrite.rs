//! The export that makes a repaired part. It touches no guard: the shell has read everything before, and passes plain
//! copies, so that no getter of the application runs here.

use js_sys::{Array, Object as Fields, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::core::protocol::Field;
use crate::core::repair::{InputRepair, Needed, Repair};
use crate::core::rewrite::{Kept, Object, rewrite};

/// A value of JavaScript; as an object, a plain copy.
struct Value(JsValue);

impl Value {
    fn of(value: JsValue) -> Option<Self> {
        (!value.is_undefined()).then_some(Self(value))
    }
}

impl Object for Value {
    fn text(text: &str) -> Self {
        Self(text.into())
    }

    fn boolean(value: bool) -> Self {
        Self(value.into())
    }

    fn get(&self, field: Field) -> Option<Self> {
        Reflect::get(&self.0, &field.name().into()).ok().and_then(Self::of)
    }

    fn with(self, field: Field, value: Self) -> Self {
        // A plain object takes any field.
        let _ = Reflect::set(&self.0, &field.name().into(), &value.0);
        self
    }

    fn without(self, field: Field) -> Self {
        if let Some(fields) = self.0.dyn_ref::<Fields>() {
            let _ = Reflect::delete_property(fields, &field.name().into());
        }
        self
    }

    fn merged(self, other: Self) -> Self {
        // Not `assign`: a field named `__proto__` stays a field.
        let entries = |value: &Self| Fields::entries(value.0.unchecked_ref());
        let all: Array = entries(&self).concat(&entries(&other));
        Fields::from_entries(&all).map_or(self, |merged| Self(merged.into()))
    }
}

/// Returns the repaired part.
///
/// - `repair`: a `Repair`
/// - `keeps_shown_denial`: whether the denial that the part shows stays as it is
/// - `input`: an `InputRepair`
/// - `part`: a plain copy, which becomes the repaired part
/// - `kept`: the kept objects of its call by their names, each a plain copy or `undefined`
#[wasm_bindgen]
pub fn rewrite_part(
    repair: u32,
    keeps_shown_denial: bool,
    input: u32,
    part: JsValue,
    kept: &JsValue,
) -> JsValue {
    let kept = Kept::read(|name| Reflect::get(kept, &name.into()).ok().and_then(Value::of));
    let repair = Repair::from_code(repair as usize).unwrap_or(Repair::Keep);
    let input = InputRepair::from_code(input as usize).unwrap_or_default();
    let needed = Needed { repair, keeps_shown_denial, input, ..Needed::NOTHING };
    rewrite(needed, Value(part), kept).0
}
