//! Words with a leading dot that the assembler (13.5) tokenizes as keywords, so that they cannot be names of sections. The list in
//! `words.txt` was determined by a test of each keyword with the assembler. Modifiers that the list does not contain are ordinary names.

const WORDS: &str = include_str!("words.txt");

/// Returns whether `word`, which starts with a dot, is reserved and cannot be the name of a section.
pub(crate) fn is_token(word: &str) -> bool {
    WORDS.split_ascii_whitespace().any(|token| token == word)
}
