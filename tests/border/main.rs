//! The borders of all modules in a browser, with `wasm-pack test`: what crosses, and what the platform does.
#![cfg(target_arch = "wasm32")]

mod claims;
mod guard;
mod record;
mod redact;
mod rules;
mod server;
mod verify;

use gloo_timers::callback::Timeout;
use js_sys::{JSON, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test_configure;

wasm_bindgen_test_configure!(run_in_browser);

/// Waits for at least some milliseconds.
async fn wait(millis: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        Timeout::new(millis, move || {
            let _ = resolve.call0(&JsValue::NULL);
        })
        .forget();
    });
    let _ = JsFuture::from(promise).await;
}

/// An object with these fields.
fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        Reflect::set(&object, &(*name).into(), value).expect("a plain object takes any field");
    }
    object.into()
}

/// A field of an object; `undefined` if it has none.
fn field(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).expect("an object")
}

/// The names of the fields that an object has, also of those that are `undefined`.
fn names(value: &JsValue) -> Vec<String> {
    Object::keys(value.unchecked_ref::<Object>()).iter().filter_map(|name| name.as_string()).collect()
}

/// A value as JSON, in which a field that is `undefined` is missing.
fn json(value: &JsValue) -> String {
    JSON::stringify(value).expect("it is JSON").into()
}
