//! Rules that this crate shares with the page. The crate parses them once from `rules.json`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Contents of `rules.json`: limits, field types, and all messages.
#[derive(Debug, Deserialize)]
pub(crate) struct ShareSchema {
    pub(crate) version: u64,
    pub(crate) max_link_chars: usize,
    pub(crate) max_input_chars: usize,
    pub(crate) max_bytes: usize,
    pub(crate) max_word_chars: usize,
    pub(crate) max_words: usize,
    pub(crate) max_number: u64,
    pub(crate) fields: BTreeMap<String, FieldKind>,
    pub(crate) field_kinds: BTreeMap<FieldKind, String>,
    pub(crate) messages: ErrorMessages,
}

/// Type of a field of the view state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FieldKind {
    Text,
    Word,
    Number,
    Words,
    List,
    Numbers,
}

/// Messages for links and files that cannot be opened.
#[derive(Debug, Deserialize)]
pub(crate) struct ErrorMessages {
    pub(crate) truncated: String,
    pub(crate) newer_version: String,
    pub(crate) too_large: String,
    pub(crate) invalid_field: String,
    pub(crate) invalid_json: String,
}

pub(crate) static RULES: LazyLock<ShareSchema> = LazyLock::new(|| {
    serde_json::from_str(include_str!("rules.json")).expect("rules.json is valid")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_configured_limits() {
        let rules = &*RULES;
        let grouped = |n: u64| {
            let digits = n.to_string();
            let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
            String::from_utf8(groups.join(&b','))
        };
        for (kind, limit) in [
            (FieldKind::Word, rules.max_word_chars as u64),
            (FieldKind::Number, rules.max_number),
        ] {
            let words = &rules.field_kinds[&kind];
            assert!(words.contains(&grouped(limit).expect("digits")), "{words}");
        }
        for kind in [FieldKind::Words, FieldKind::List, FieldKind::Numbers] {
            assert!(rules.field_kinds[&kind].contains(&rules.max_words.to_string()));
        }
        let millions = rules.max_bytes / 1_000_000;
        assert!(
            rules
                .messages
                .too_large
                .contains(&format!("{millions} million"))
        );
        assert_eq!(rules.field_kinds.len(), 6);
    }
}
