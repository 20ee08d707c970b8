//! The words with a dot that are tokens of their own to the assembler (13.5): no section can have their name. In: a word; out:
//! whether it is one of them. `words.txt` was measured word by word; modifiers that are missing there are names like any other.

const WORDS: &str = include_str!("words.txt");

/// Whether `word`, which begins with a dot, cannot be the name of a section.
pub(crate) fn is_token(word: &str) -> bool {
    WORDS.split_ascii_whitespace().any(|token| token == word)
}
