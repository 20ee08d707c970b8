//! Options after the language of a block, such as `view=grid step=3`. This module extracts the values of the options, and reports a warning
//! for each unknown option. `attributes.json`, which the widget also reads, contains all known options.

use super::CodeBlock;
use super::line_index::LineIndex;
use serde_json::{Map, Value};
use std::ops::Range;
use std::sync::LazyLock;
use warpgrid_view::diagnostics::unknown_word;
use warpgrid_view::value::ElementType;

/// Permitted values of each attribute of the element: a list of values, a maximum, or a kind of value.
static ATTRIBUTES: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("attributes.json")).unwrap_or_default());

/// Options of documentation tools, which the command ignores.
#[rustfmt::skip]
const OF_HOSTS: &[&str] = &[
    "playground", "ignore", "id", "class", "style", "slot", "hidden", "dir", "lang", "title", "name", "caption", "file", "filename", "copy", "wrap",
    "nowrap", "linenos", "lineno-start", "linenums", "linenostart", "hl_lines", "emphasize-lines", "number-lines", "numberLines", "showLineNumbers",
    "startLine", "startFrom", "highlight", "dedent", "force", "editable", "hidelines", "live", "twoslash",
];

/// Option with its byte range in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockAttribute<'a> {
    pub(super) name: &'a str,
    /// Value without quotation marks, or `None` for a name without a value.
    pub(super) value: Option<&'a str>,
    pub(super) range: Range<usize>,
}

impl CodeBlock {
    /// Parses options, and records their values and diagnostics about unknown options.
    pub(super) fn read_words(&mut self, words: &[BlockAttribute<'_>], places: &LineIndex<'_>) {
        for word in words {
            let value = word.value.map(str::to_owned);
            match word.name {
                "target" => self.target = value,
                "version" => self.ptx_version = value,
                "front" if word.value == Some("sass") => {
                    self.front = warpgrid_view::SourceLanguage::Sass
                }
                // All other options affect only the presentation of the block, so they are ignored.
                _ => {}
            }
            if let Some((message, candidates)) = mistake(word) {
                let range = places.range(word.range.clone());
                self.words
                    .push(unknown_word(message, word.name, &candidates, range));
            }
        }
    }
}

/// Returns a message about an invalid option, and the possible intended options.
fn mistake(word: &BlockAttribute<'_>) -> Option<(String, Vec<&'static str>)> {
    let BlockAttribute { name, value, .. } = word;
    let Some(kind) = ATTRIBUTES.get(*name) else {
        // The command ignores words that are not attribute names, such as classes, line ranges, event handlers and framework bindings.
        let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let is_foreign = OF_HOSTS.contains(name)
            || ["on", "v-", "data-", "aria-"]
                .iter()
                .any(|start| name.starts_with(start));
        return (is_name && !is_foreign).then(|| {
            let known = ATTRIBUTES.keys().map(String::as_str).collect();
            (format!("unknown attribute `{name}`"), known)
        });
    };
    let found = value.unwrap_or("");
    let expected = match kind {
        Value::Array(values) => {
            let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
            let is_known = |word: &str| values.contains(&word);
            // The value of `controls` is a list of values, and all other values are single values.
            let all = match *name {
                "controls" => found
                    .split(|c: char| c.is_whitespace() || c == ',')
                    .all(|word| word.is_empty() || is_known(word)),
                _ => is_known(found),
            };
            (!all).then(|| format!("one of `{}`", values.join("`, `")))
        }
        Value::String(kind) => {
            let (is_right, expected) = matches_kind(kind, found);
            (!is_right).then(|| expected.to_owned())
        }
        Value::Number(most) => {
            let number = found.parse::<u64>().ok();
            let is_right = number.is_some_and(|n| n > 0 && Some(n) <= most.as_u64());
            (!is_right).then(|| format!("an integer from 1 to {most}"))
        }
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }?;
    Some((
        format!("found `{name}={found}`, expected {expected}"),
        Vec::new(),
    ))
}

/// Checks whether a value has the given kind, and returns a description of this kind.
fn matches_kind(kind: &str, found: &str) -> (bool, &'static str) {
    match kind {
        "position" => (
            found == "end" || found.parse::<u64>().is_ok(),
            "a step number or `end`",
        ),
        "count" => (
            found.parse::<u32>().is_ok_and(|count| count > 0),
            "a positive integer",
        ),
        "element" => (
            ElementType::from_name(found).is_some(),
            "an element type such as `u32` or `f16`",
        ),
        "length" => (is_length(found), "a CSS length or a number of pixels"),
        // Text attributes and flags accept every value.
        _ => (true, ""),
    }
}

/// Checks whether a text is a CSS length: a number with an optional unit, or a CSS function.
fn is_length(text: &str) -> bool {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse::<f64>().is_ok_and(|length| length > 0.0) || text.ends_with(')')
}

/// Splits `text`, which starts at byte `at` of the document, into options. The separators are white space, commas and braces outside of
/// quotation marks.
pub(super) fn split(text: &str, at: usize) -> Vec<BlockAttribute<'_>> {
    let separates = |c: char| c.is_whitespace() || matches!(c, ',' | '{' | '}');
    let mut words = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..]
        .find(|c| !separates(c))
        .map(|start| from + start)
    {
        let mut quote = None;
        let end = text[start..].char_indices().find(|(_, c)| match quote {
            Some(mark) if mark == *c => {
                quote = None;
                false
            }
            Some(_) => false,
            None if matches!(c, '"' | '\'') => {
                quote = Some(*c);
                false
            }
            None => separates(*c),
        });
        let end = end.map_or(text.len(), |(length, _)| start + length);
        let (name, value) = match text[start..end].split_once('=') {
            Some((name, value)) => (name, Some(value.trim_matches(['"', '\'']))),
            None => (&text[start..end], None),
        };
        words.push(BlockAttribute {
            name,
            value,
            range: at + start..at + end,
        });
        from = end;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<String> {
        let words = split(text, 0);
        words
            .iter()
            .filter_map(mistake)
            .map(|(message, _)| message)
            .collect()
    }

    #[test]
    fn widget_and_host_attributes_are_accepted() {
        let text = "playground view=grid step=end,columns=8 {1,3-4} .numberLines #id title=\"a b, c\" hl_lines=\"2 3\" :line-numbers [a.ptx] readonly height=50vh";
        assert_eq!(mistakes(text), [] as [&str; 0]);
        assert_eq!(
            mistakes("controls='step play' memory=\"a,b\" rows=1"),
            [] as [&str; 0]
        );
    }

    #[test]
    fn columns_limit_matches_memory_grid_limit() {
        assert_eq!(
            ATTRIBUTES["columns"],
            warpgrid_view::session::memory_grid::MAX_COLUMNS
        );
    }

    #[test]
    fn unknown_attributes_and_invalid_values_are_reported() {
        assert_eq!(
            mistakes(
                "veiw=grid view=nonsense step=x columns=0 columns=1025 rows=0 type=u99 height=zz theme=blue controls=stop target="
            ),
            [
                "unknown attribute `veiw`",
                "found `view=nonsense`, expected one of `split`, `editor`, `grid`, `matrix`, `result`, `quiz`",
                "found `step=x`, expected a step number or `end`",
                "found `columns=0`, expected an integer from 1 to 1024",
                "found `columns=1025`, expected an integer from 1 to 1024",
                "found `rows=0`, expected a positive integer",
                "found `type=u99`, expected an element type such as `u32` or `f16`",
                "found `height=zz`, expected a CSS length or a number of pixels",
                "found `theme=blue`, expected one of `light`, `dark`",
                "found `controls=stop`, expected one of `step`, `play`, `edit`, `open`",
            ]
        );
    }
}
