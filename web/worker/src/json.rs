//! Serializes JSON for requests that are strings. The serialization is implemented manually, because a JSON library would add 40 KB to the
//! worker module.

pub(crate) use warpgrid_view::json::json_string as text;

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
