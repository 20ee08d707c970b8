//! JSON for answers to questions that are texts: values go in, text comes out. Written by hand, since a library for it weighs 40 KB of the core.

use std::fmt::Write;

/// A text in quotation marks.
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

/// Names with values that are JSON already.
pub(crate) fn object(fields: &[(&str, String)]) -> String {
    let fields = fields
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

/// An answer with the number of its question: what was found, or why nothing was.
pub(crate) fn response(id: &str, found: Result<String, String>) -> String {
    let field = match found {
        Ok(found) => ("found", found),
        Err(why) => ("error", text(&why)),
    };
    object(&[("id", id.to_owned()), field])
}
