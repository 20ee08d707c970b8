//! Rules that this crate shares with the page, read once from `rules.json`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Limits, field types, and all messages.
#[derive(Debug, Deserialize)]
pub(crate) struct Rules {
    pub(crate) version: u64,
    pub(crate) most_in_link: usize,
    pub(crate) most_to_read: usize,
    pub(crate) most_bytes: usize,
    pub(crate) most_in_word: usize,
    pub(crate) most_words: usize,
    pub(crate) most_number: u64,
    pub(crate) fields: BTreeMap<String, Kind>,
    pub(crate) kinds: BTreeMap<Kind, String>,
    pub(crate) sentences: Sentences,
}

/// Type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Text,
    Word,
    Number,
    Words,
    List,
    Numbers,
}

/// Messages for links and files that cannot be opened.
#[derive(Debug, Deserialize)]
pub(crate) struct Sentences {
    pub(crate) cut: String,
    pub(crate) later: String,
    pub(crate) large: String,
    pub(crate) odd: String,
    pub(crate) no_json: String,
}

pub(crate) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    serde_json::from_str(include_str!("rules.json")).expect("the rules of this room are JSON")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_sentences() {
        let rules = &*RULES;
        let grouped = |n: u64| {
            let digits = n.to_string();
            let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
            String::from_utf8(groups.join(&b','))
        };
        for (kind, limit) in [
            (Kind::Word, rules.most_in_word as u64),
            (Kind::Number, rules.most_number),
        ] {
            let words = &rules.kinds[&kind];
            assert!(words.contains(&grouped(limit).expect("digits")), "{words}");
        }
        for kind in [Kind::Words, Kind::List, Kind::Numbers] {
            assert!(rules.kinds[&kind].contains(&rules.most_words.to_string()));
        }
        let millions = rules.most_bytes / 1_000_000;
        assert!(
            rules
                .sentences
                .large
                .contains(&format!("{millions} million"))
        );
        assert_eq!(rules.kinds.len(), 6);
    }
}
