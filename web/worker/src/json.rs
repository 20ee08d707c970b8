//! Serializes JSON for requests that are strings. The serialization is implemented manually, because a JSON library would add 40 KB to the
//! worker module.

use std::fmt::Write;

/// Returns a string as a JSON string literal.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            // Writing to a string cannot fail.
            c if u32::from(c) < 0x20 => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(crate) fn or_null(value: Option<&String>) -> String {
    value.map_or("null".to_owned(), |value| text(value))
}

pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

pub(crate) fn texts(values: &[String]) -> String {
    list(values.iter().map(|value| text(value)))
}

/// Returns an object with the given names, whose values are already JSON.
pub(crate) fn object(fields: &[(&str, String)]) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// Returns the response to a request with the given ID, which contains the result or the error message.
pub(crate) fn response(id: &str, found: Result<String, String>) -> String {
    let field = match found {
        Ok(found) => ("found", found),
        Err(reason) => ("error", text(&reason)),
    };
    object(&[("id", id.to_owned()), field])
}
