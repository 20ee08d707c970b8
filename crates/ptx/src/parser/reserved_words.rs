//! Dotted keywords that the assembler (13.5) tokenizes as keywords, so that a section cannot have these names. `words.txt` was
//! determined by testing each keyword; modifiers that are not in the list are ordinary names.

const WORDS: &str = include_str!("words.txt");

/// Returns whether `word`, which starts with a dot, is reserved and cannot be the name of a section.
pub(crate) fn is_token(word: &str) -> bool {
    WORDS.split_ascii_whitespace().any(|token| token == word)
}
