//! Typed values for JavaScript: objects and lists made by the derives of `serde`. `serde-wasm-bindgen` does the same
//! for every type that there is, with a table of the names that it has seen, and takes three kilobytes of a module.

use std::fmt;

use js_sys::Array;
use serde::ser::{Error, Impossible, Serialize, SerializeSeq, SerializeStruct, SerializeTuple, Serializer};
use wasm_bindgen::JsValue;

use super::object::Object;

/// Makes a JavaScript value. Fields without a value are `undefined`.
pub fn to_js(value: &impl Serialize) -> JsValue {
    // It fails only for kinds of types that no export returns, such as maps.
    value.serialize(ToJs).unwrap_or_default()
}

/// The kind of a type has no form here.
#[derive(Debug)]
struct Unknown;

impl fmt::Display for Unknown {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Unknown {}

impl Error for Unknown {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

type Made = Result<JsValue, Unknown>;
type No = Impossible<JsValue, Unknown>;

/// Makes one value.
struct ToJs;

/// A list or an object that is being made.
struct Items(Array);
struct Fields(Object);

macro_rules! numbers {
    ($($name:ident: $type:ty),+) => { $(
        fn $name(self, number: $type) -> Made {
            Ok(JsValue::from_f64(number as f64))
        }
    )+ };
}

impl Serializer for ToJs {
    type Ok = JsValue;
    type Error = Unknown;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = No;
    type SerializeTupleVariant = No;
    type SerializeMap = No;
    type SerializeStruct = Fields;
    type SerializeStructVariant = No;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f32: f32, serialize_f64: f64
    }

    fn serialize_bool(self, flag: bool) -> Made {
        Ok(flag.into())
    }

    fn serialize_char(self, letter: char) -> Made {
        self.serialize_str(letter.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, text: &str) -> Made {
        Ok(text.into())
    }

    fn serialize_bytes(self, _: &[u8]) -> Made {
        Err(Unknown)
    }

    fn serialize_none(self) -> Made {
        Ok(JsValue::UNDEFINED)
    }

    fn serialize_some<T: ?Sized + Serialize>(self, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made {
        Ok(JsValue::UNDEFINED)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Made {
        Ok(JsValue::UNDEFINED)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Made {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: ?Sized + Serialize>(self, _: &'static str, value: &T) -> Made {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: ?Sized + Serialize>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Made {
        Err(Unknown)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items, Unknown> {
        Ok(Items(Array::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items, Unknown> {
        Ok(Items(Array::new()))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<No, Unknown> {
        Err(Unknown)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<No, Unknown> {
        Err(Unknown)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<No, Unknown> {
        Err(Unknown)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Unknown> {
        Ok(Fields(Object::new()))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<No, Unknown> {
        Err(Unknown)
    }
}

impl SerializeSeq for Items {
    type Ok = JsValue;
    type Error = Unknown;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unknown> {
        self.0.push(&value.serialize(ToJs)?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(self.0.into())
    }
}

impl SerializeTuple for Items {
    type Ok = JsValue;
    type Error = Unknown;

    fn serialize_element<T: ?Sized + Serialize>(&mut self, value: &T) -> Result<(), Unknown> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Made {
        SerializeSeq::end(self)
    }
}

impl SerializeStruct for Fields {
    type Ok = JsValue;
    type Error = Unknown;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unknown> {
        self.0.set(name, value.serialize(ToJs)?);
        Ok(())
    }

    fn end(self) -> Made {
        Ok(self.0.into())
    }
}
