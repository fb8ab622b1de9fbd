//! Values to text and JSON.

use starlark::values::dict::DictRef;
use starlark::values::float::StarlarkFloat;
use starlark::values::list::ListRef;
use starlark::values::structs::StructRef;
use starlark::values::tuple::TupleRef;
use starlark::values::{Heap, Value, ValueLike};

use crate::error::WorkerError;
use crate::limits::JSON_DEPTH;

/// Text of bounded length.
#[derive(Clone, Copy)]
pub(super) struct Bound {
    /// The value, for the error.
    pub(super) what: &'static str,
    /// Most bytes.
    pub(super) bytes: usize,
}

/// A value as people read it: text is itself, nothing is empty, and the rest is JSON.
pub(super) fn to_text<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    bound: Bound,
) -> Result<String, WorkerError> {
    if value.is_none() {
        return Ok(String::new());
    }
    let Some(text) = value.unpack_str() else {
        return to_json(value, heap, bound);
    };
    if text.len() > bound.bytes {
        return Err(bound.error());
    }
    Ok(text.to_owned())
}

/// A value as JSON, keys in the order in which they were set.
pub(super) fn to_json<'v>(
    value: Value<'v>,
    heap: Heap<'v>,
    bound: Bound,
) -> Result<String, WorkerError> {
    let mut writer = Writer {
        text: Vec::new(),
        heap,
        bound,
    };
    writer.value(value, JSON_DEPTH)?;
    writer.check()?;
    String::from_utf8(writer.text).map_err(|_| WorkerError::Unwritable(value.get_type()))
}

impl Bound {
    fn error(self) -> WorkerError {
        WorkerError::TooLong {
            what: self.what,
            limit: self.bytes,
        }
    }
}

struct Writer<'v> {
    text: Vec<u8>,
    heap: Heap<'v>,
    bound: Bound,
}

impl<'v> Writer<'v> {
    fn check(&self) -> Result<(), WorkerError> {
        if self.text.len() > self.bound.bytes {
            return Err(self.bound.error());
        }
        Ok(())
    }

    fn value(&mut self, value: Value<'v>, depth: usize) -> Result<(), WorkerError> {
        self.check()?;
        if value.is_none() {
            self.text.extend_from_slice(b"null");
        } else if let Some(yes) = value.unpack_bool() {
            self.text
                .extend_from_slice(if yes { b"true" } else { b"false" });
        } else if let Some(text) = value.unpack_str() {
            self.string(text)?;
        } else if value.get_type() == "int" {
            self.text.extend_from_slice(value.to_str().as_bytes());
        } else if let Some(StarlarkFloat(float)) = value.downcast_ref() {
            if !float.is_finite() {
                return Err(WorkerError::NotFinite(*float));
            }
            serde_json::to_writer(&mut self.text, float)?;
        } else {
            let depth = depth.checked_sub(1).ok_or(WorkerError::JsonDepth)?;
            self.collection(value, depth)?;
        }
        Ok(())
    }

    fn collection(&mut self, value: Value<'v>, depth: usize) -> Result<(), WorkerError> {
        if let Some(dict) = DictRef::from_value(value) {
            let name = |(key, value): (Value<'v>, Value<'v>)| {
                let text = key.unpack_str();
                Ok((text.ok_or(WorkerError::Key(key.get_type()))?, value))
            };
            return self.object(dict.iter().map(name), depth);
        }
        if let Some(fields) = StructRef::from_value(value) {
            let name = |(key, value): (starlark::values::StringValue<'v>, Value<'v>)| {
                Ok((key.as_str(), value))
            };
            return self.object(fields.iter().map(name), depth);
        }
        if let Some(list) = ListRef::from_value(value) {
            return self.array(list.iter(), depth);
        }
        if let Some(tuple) = TupleRef::from_value(value) {
            return self.array(tuple.iter(), depth);
        }
        let unwritable = WorkerError::Unwritable(value.get_type());
        if !matches!(value.get_type(), "range" | "set") {
            return Err(unwritable);
        }
        let elements = value.iterate(self.heap).map_err(|_| unwritable)?;
        self.array(elements, depth)
    }

    fn object<'t>(
        &mut self,
        members: impl Iterator<Item = Result<(&'t str, Value<'v>), WorkerError>>,
        depth: usize,
    ) -> Result<(), WorkerError> {
        self.text.push(b'{');
        for (at, member) in members.enumerate() {
            let (key, value) = member?;
            if at > 0 {
                self.text.push(b',');
            }
            self.string(key)?;
            self.text.push(b':');
            self.value(value, depth)?;
        }
        self.text.push(b'}');
        Ok(())
    }

    fn array(
        &mut self,
        elements: impl Iterator<Item = Value<'v>>,
        depth: usize,
    ) -> Result<(), WorkerError> {
        self.text.push(b'[');
        for (at, element) in elements.enumerate() {
            if at > 0 {
                self.text.push(b',');
            }
            self.value(element, depth)?;
        }
        self.text.push(b']');
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), WorkerError> {
        serde_json::to_writer(&mut self.text, text)?;
        Ok(())
    }
}
