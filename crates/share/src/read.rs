//! JSON of links and files: serialization, and validation of every field before deserialization.

use crate::rules::{Kind, RULES};
use crate::{Shared, View};
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;
use warpgrid_view::Scenario;
use warpgrid_view::api::unknown_fields::fields_of;
use warpgrid_view::scenario::Beside;

/// Version field of a file.
const VERSION: &str = "warpgrid";
/// Field with the inferred launch configuration.
const GUESSED: &str = "guessed";

/// Source of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Link,
    File,
}

/// Reason for which a link or file cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The link is incomplete.
    Cut,
    /// The link or file has this later version.
    Later(What, String),
    /// The link or file is too large.
    Large(What),
    /// A field is invalid: its name, and the expected contents.
    Odd(What, String, String),
    /// The file is not valid JSON.
    NoJson,
}

impl Mistake {
    pub(crate) fn later(what: What, version: &str) -> Mistake {
        const MOST_DIGITS: usize = 12;
        Mistake::Later(what, version.chars().take(MOST_DIGITS).collect())
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            What::Link => "link",
            What::File => "file",
        })
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences = &RULES.sentences;
        let about = |sentence: &str, what: &What| sentence.replace("{what}", &what.to_string());
        f.write_str(&match self {
            Mistake::Cut => sentences.cut.clone(),
            Mistake::Later(what, version) => about(&sentences.later, what)
                .replace("{version}", version)
                .replace("{own}", &RULES.version.to_string()),
            Mistake::Large(what) => about(&sentences.large, what),
            Mistake::Odd(what, part, expected) => about(&sentences.odd, what)
                .replace("{part}", part)
                .replace("{expected}", expected),
            Mistake::NoJson => sentences.no_json.clone(),
        })
    }
}

/// Returns a human-readable file that the page and the command open.
pub fn write_file(shared: &Shared) -> String {
    let mut file = Map::new();
    file.insert(VERSION.to_owned(), RULES.version.into());
    if let Value::Object(fields) = value_of(shared) {
        file.extend(fields);
    }
    // Serialization of JSON values cannot fail.
    let text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text + "\n"
}

/// Reads such a file, or a scenario that contains its source.
pub fn read_file(text: &str) -> Result<Shared, Mistake> {
    if text.len() > RULES.most_bytes {
        return Err(Mistake::Large(What::File));
    }
    let value: Value = serde_json::from_str(text).map_err(|_| Mistake::NoJson)?;
    match value.get(VERSION) {
        Some(version)
            if version
                .as_u64()
                .is_none_or(|version| version > RULES.version) =>
        {
            Err(Mistake::later(What::File, &version.to_string()))
        }
        _ => read_value(value, What::File),
    }
}

/// Returns the shared view as JSON without absent fields.
pub(crate) fn value_of(shared: &Shared) -> Value {
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
        write_exactly(parameters);
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
pub(crate) fn read_value(mut value: Value, what: What) -> Result<Shared, Mistake> {
    for (part, kind) in &RULES.fields {
        let mut parts = part.split('.');
        let found = parts.try_fold(&value, |inside, name| inside.get(name));
        let found = found.filter(|found| !found.is_null());
        let is_needed = part == "source";
        if !found.map_or(!is_needed, |found| kind.has(found)) {
            let expected = RULES.kinds.get(kind).cloned().unwrap_or_default();
            return Err(Mistake::Odd(what, part.clone(), expected));
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
        _ => View::default(),
    };
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, field| !field.is_null());
    }
    if let Some(Value::Object(beside)) = value.get_mut("beside") {
        let known = fields_of::<Beside>();
        beside.retain(|name, _| known.contains(&name.as_str()));
    }
    if let Some(parameters) = value.get_mut("params") {
        read_exactly(parameters);
    }
    let odd = |error: serde_json::Error| {
        let expected = format!("a valid launch configuration ({error})");
        Mistake::Odd(what, "scenario".to_owned(), expected)
    };
    let scenario: Scenario = serde_json::from_value(value).map_err(odd)?;
    Ok(Shared {
        scenario,
        guessed,
        view,
    })
}

impl Kind {
    fn has(self, value: &Value) -> bool {
        let rules = &*RULES;
        // JavaScript counts UTF-16 code units.
        let is_word = |text: &str| text.encode_utf16().count() <= rules.most_in_word;
        let is_number = |value: &Value| value.as_u64().is_some_and(|n| n <= rules.most_number);
        let are = |has: &dyn Fn(&Value) -> bool| {
            let values = value.as_array();
            values.is_some_and(|values| values.len() <= rules.most_words && values.iter().all(has))
        };
        match self {
            Kind::Text => value.is_string(),
            Kind::Word => value.as_str().is_some_and(is_word),
            Kind::Number => is_number(value),
            Kind::Words => value.as_object().is_some_and(|words| {
                let is_short = |(name, text): (&String, &Value)| {
                    is_word(name) && text.as_str().is_some_and(is_word)
                };
                words.len() <= rules.most_words && words.iter().all(is_short)
            }),
            Kind::List => are(&|value| value.as_str().is_some_and(is_word)),
            Kind::Numbers => are(&is_number),
        }
    }
}

/// Converts integers beyond 53 bits to strings, because JavaScript rounds them.
fn write_exactly(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let most = RULES.most_number;
            let is_exact = number.as_i64().is_none_or(|n| n.unsigned_abs() <= most);
            if !is_exact || number.as_u64().is_some_and(|n| n > most) {
                *value = Value::String(number.to_string());
            }
        }
        Value::Array(values) => values.iter_mut().for_each(write_exactly),
        Value::Object(fields) => fields.values_mut().for_each(write_exactly),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Converts such strings back to numbers.
fn read_exactly(value: &mut Value) {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_number = digits.len() >= 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number: Option<i64> = is_number.then(|| text.parse().ok()).flatten();
            if let Some(number) = number {
                *value = number.into();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(read_exactly),
        Value::Object(fields) => fields.values_mut().for_each(read_exactly),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
