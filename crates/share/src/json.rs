//! JSON of links and files: serialization, and validation of every field before deserialization.

use crate::schema::{FieldKind, RULES};
use crate::{SharedState, ViewState};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use warpgrid_view::Scenario;
use warpgrid_view::api::unknown_fields::fields_of;
use warpgrid_view::scenario::ComparisonKernel;

/// Name of the version field of a file.
const VERSION: &str = "warpgrid";
/// Name of the field with the inferred launch configuration.
const GUESSED: &str = "guessed";

/// Format of the shared data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareFormat {
    Link,
    File,
}

/// Reason why a link or file cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShareError {
    /// The link is incomplete.
    Truncated,
    /// The link or file has a later version, which this crate does not support.
    NewerVersion(ShareFormat, String),
    /// The link or file is too large.
    TooLarge(ShareFormat),
    /// A field is invalid; the values are the name of the field and a description of its expected contents.
    InvalidField(ShareFormat, String, String),
    /// The file is not valid JSON.
    InvalidJson,
}

impl ShareError {
    pub(crate) fn later(what: ShareFormat, version: &str) -> ShareError {
        const MAX_DIGITS: usize = 12;
        ShareError::NewerVersion(what, version.chars().take(MAX_DIGITS).collect())
    }
}

impl fmt::Display for ShareFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ShareFormat::Link => "link",
            ShareFormat::File => "file",
        })
    }
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages = &RULES.messages;
        let about =
            |message: &str, what: &ShareFormat| message.replace("{what}", &what.to_string());
        f.write_str(&match self {
            ShareError::Truncated => messages.truncated.clone(),
            ShareError::NewerVersion(what, version) => about(&messages.newer_version, what)
                .replace("{version}", version)
                .replace("{own}", &RULES.version.to_string()),
            ShareError::TooLarge(what) => about(&messages.too_large, what),
            ShareError::InvalidField(what, part, expected) => about(&messages.invalid_field, what)
                .replace("{part}", part)
                .replace("{expected}", expected),
            ShareError::InvalidJson => messages.invalid_json.clone(),
        })
    }
}

/// Returns a human-readable file that the page and the command open.
pub fn write_file(shared: &SharedState) -> String {
    let mut file = Map::new();
    file.insert(VERSION.to_owned(), RULES.version.into());
    if let Value::Object(fields) = to_json(shared) {
        file.extend(fields);
    }
    // Serialization of JSON values cannot fail.
    let text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text + "\n"
}

/// Parses a file that [`write_file`] wrote, or a scenario that contains its source.
pub fn read_file(text: &str) -> Result<SharedState, ShareError> {
    if text.len() > RULES.max_bytes {
        return Err(ShareError::TooLarge(ShareFormat::File));
    }
    let value: Value = serde_json::from_str(text).map_err(|_| ShareError::InvalidJson)?;
    match value.get(VERSION) {
        Some(version)
            if version
                .as_u64()
                .is_none_or(|version| version > RULES.version) =>
        {
            Err(ShareError::later(ShareFormat::File, &version.to_string()))
        }
        _ => read_value(value, ShareFormat::File),
    }
}

/// Returns the shared view as JSON without absent fields.
pub(crate) fn to_json(shared: &SharedState) -> Value {
    let mut fields = object(&shared.scenario);
    fields.retain(|_, value| {
        let is_none = value.is_null() || value.as_u64() == Some(0);
        let is_empty = value.as_str() == Some("") || value.as_array().is_some_and(Vec::is_empty);
        !is_none && !is_empty
    });
    if fields.get("front").and_then(Value::as_str) == Some("ptx") {
        fields.remove("front");
    }
    if shared.scenario.seed == Some(0) {
        fields.insert("seed".to_owned(), 0u64.into());
    }
    fields.insert("source".to_owned(), shared.scenario.source.clone().into());
    let guessed = shared.guessed.clone();
    fields.extend(guessed.map(|lines| (GUESSED.to_owned(), lines.into())));
    let view = object(&shared.view);
    if !view.is_empty() {
        fields.insert("view".to_owned(), view.into());
    }
    if let Some(parameters) = fields.get_mut("params") {
        encode_large_integers(parameters);
    }
    fields.into()
}

fn object(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}

/// Returns the shared view of a JSON value if all fields are valid.
pub(crate) fn read_value(mut value: Value, what: ShareFormat) -> Result<SharedState, ShareError> {
    for (part, kind) in &RULES.fields {
        let mut parts = part.split('.');
        let found = parts.try_fold(&value, |inside, name| inside.get(name));
        let found = found.filter(|found| !found.is_null());
        let is_needed = part == "source";
        if !found.map_or(!is_needed, |found| kind.has(found)) {
            let expected = RULES.field_kinds.get(kind).cloned().unwrap_or_default();
            return Err(ShareError::InvalidField(what, part.clone(), expected));
        }
    }
    let guessed = value.get(GUESSED).and_then(Value::as_str);
    let guessed = guessed.map(str::to_owned);
    let view = value.get_mut("view").map(Value::take).unwrap_or_default();
    let view = match view {
        Value::Object(mut fields) => {
            fields.retain(|_, field| !field.is_null());
            serde_json::from_value(fields.into()).unwrap_or_default()
        }
        _ => ViewState::default(),
    };
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    if let Some(Value::Object(beside)) = value.get_mut("beside") {
        let known = fields_of::<ComparisonKernel>();
        beside.retain(|name, _| known.contains(&name.as_str()));
    }
    if let Some(parameters) = value.get_mut("params") {
        decode_large_integers(parameters);
    }
    let odd = |error: serde_json::Error| {
        let expected = format!("a valid launch configuration ({error})");
        ShareError::InvalidField(what, "scenario".to_owned(), expected)
    };
    let scenario: Scenario = serde_json::from_value(value).map_err(odd)?;
    Ok(SharedState {
        scenario,
        guessed,
        view,
    })
}

impl FieldKind {
    fn has(self, value: &Value) -> bool {
        let rules = &*RULES;
        // The limit is in UTF-16 code units, because JavaScript measures strings in these units.
        let is_word = |text: &str| text.encode_utf16().count() <= rules.max_word_chars;
        let is_number = |value: &Value| value.as_u64().is_some_and(|n| n <= rules.max_number);
        let are = |has: &dyn Fn(&Value) -> bool| {
            let values = value.as_array();
            values.is_some_and(|values| values.len() <= rules.max_words && values.iter().all(has))
        };
        match self {
            FieldKind::Text => value.is_string(),
            FieldKind::Word => value.as_str().is_some_and(is_word),
            FieldKind::Number => is_number(value),
            FieldKind::Words => value.as_object().is_some_and(|words| {
                let is_short = |(name, text): (&String, &Value)| {
                    is_word(name) && text.as_str().is_some_and(is_word)
                };
                words.len() <= rules.max_words && words.iter().all(is_short)
            }),
            FieldKind::List => are(&|value| value.as_str().is_some_and(is_word)),
            FieldKind::Numbers => are(&is_number),
        }
    }
}

/// Converts integers with more than 53 bits to strings, because JavaScript would round such integers.
fn encode_large_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let most = RULES.max_number;
            let is_exact = number.as_i64().is_none_or(|n| n.unsigned_abs() <= most);
            if !is_exact || number.as_u64().is_some_and(|n| n > most) {
                *value = Value::String(number.to_string());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(encode_large_integers),
        Value::Object(fields) => fields.values_mut().for_each(encode_large_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Converts the strings that `encode_large_integers` created back to integers.
fn decode_large_integers(value: &mut Value) {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_number = digits.len() >= 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number: Option<i64> = is_number.then(|| text.parse().ok()).flatten();
            if let Some(number) = number {
                *value = number.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(decode_large_integers),
        Value::Object(fields) => fields.values_mut().for_each(decode_large_integers),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
