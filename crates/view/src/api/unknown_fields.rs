//! Detection of unknown fields in the input of hosts, so that hosts can report misspelled fields. Without this detection, the
//! deserialization of JavaScript objects ignores fields that a type does not declare. Corpus files contain additional fields that are not
//! part of a scenario.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use std::cell::Cell;

/// Fields of corpus files (`case.json`) that are not part of a scenario.
pub const CASE_FACTS: &[&str] = &[
    "accepted_by",
    "arch",
    "compare",
    "compiler",
    "family",
    "notes",
    "opcodes",
    "source_file",
    "sure",
    "tags",
    "variants",
];

/// Returns the serialized field names of the struct `T`, or an empty list for other types.
pub fn fields_of<T: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let fields = Cell::new(&[][..]);
    // The deserializer `FieldProbe` only records the requested field names and contains no value, so the deserialization always fails.
    let _ = T::deserialize(FieldProbe(&fields));
    fields.get()
}

/// Returns a message about the first field in `given` that is neither a field of `T` nor an element of `others`.
pub fn unknown_field<T: for<'de> Deserialize<'de>>(
    given: impl IntoIterator<Item = String>,
    others: &[&str],
) -> Option<String> {
    let known = fields_of::<T>();
    let is_unknown =
        |field: &String| !known.contains(&field.as_str()) && !others.contains(&field.as_str());
    let field = given.into_iter().find(is_unknown)?;
    Some(format!(
        "unknown field `{field}`, expected one of `{}`",
        known.join("`, `")
    ))
}

/// Deserializer that records the field names that a struct requests, and then fails.
struct FieldProbe<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for FieldProbe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("a probe has no value"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.set(fields);
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::request::GridOptions;

    #[test]
    fn mistyped_field_is_reported_with_known_fields() {
        let given = |field: &str| [field.to_owned()];
        assert_eq!(unknown_field::<GridOptions>(given("firstRow"), &[]), None);
        assert_eq!(
            unknown_field::<GridOptions>(given("tags"), CASE_FACTS),
            None
        );
        assert_eq!(
            unknown_field::<GridOptions>(given("colums"), &[]).as_deref(),
            Some("unknown field `colums`, expected one of `type`, `columns`, `firstRow`, `nRows`")
        );
    }

    #[test]
    fn non_struct_type_has_no_fields() {
        assert_eq!(fields_of::<u32>(), &[] as &[&str]);
    }
}
