//! Handling of preprocessor conditions within `asm` statements. The module removes the directives, and the tokens from `#else` up to
//! `#endif`. It always selects the first branch, because the source alone does not determine which branch the compiler selects.

use crate::token_stream::{Token, TokenKind};
use warpgrid_program::container::{ASM_KEYWORDS, ASM_QUALIFIERS};

/// Returns the tokens without the preprocessor conditions and their later branches within `asm` statements.
pub(super) fn without(source: &str, tokens: Vec<Token>) -> Vec<Token> {
    let mut left = ConditionalState {
        source,
        depth: 0,
        is_skipping: false,
    };
    let mut active = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let text = |at: usize| {
            tokens
                .get(at)
                .map_or("", |token: &Token| token.span.text(source))
        };
        if left.depth > 0 && token.starts_line && text(at) == "#" && left.condition(text(at + 1)) {
            at += 1;
            while tokens.get(at).is_some_and(|token| !token.starts_line) {
                at += 1;
            }
            continue;
        }
        if !left.is_skipping {
            left.step(&active, *token);
            active.push(*token);
        }
        at += 1;
    }
    active
}

/// State of the pass that removes preprocessor conditions from the tokens.
struct ConditionalState<'a> {
    source: &'a str,
    /// Number of unclosed parentheses since the start of an `asm` statement.
    depth: usize,
    /// Whether the current token belongs to a branch after the first branch.
    is_skipping: bool,
}

impl ConditionalState<'_> {
    /// Checks whether a directive is part of a condition, and updates the state accordingly.
    fn condition(&mut self, word: &str) -> bool {
        match word {
            "if" | "ifdef" | "ifndef" | "endif" => self.is_skipping = false,
            "else" | "elif" => self.is_skipping = true,
            _ => return false,
        }
        true
    }

    fn step(&mut self, before: &[Token], token: Token) {
        match token.kind {
            TokenKind::Punctuation(b'(') if self.depth > 0 || self.begins(before) => {
                self.depth += 1
            }
            TokenKind::Punctuation(b')') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Checks whether a parenthesis after the tokens `before` opens an `asm` statement.
    fn begins(&self, before: &[Token]) -> bool {
        let words = before
            .iter()
            .rev()
            .map(|token| token.span.text(self.source));
        let mut words = words.skip_while(|word| ASM_QUALIFIERS.contains(word));
        words
            .next()
            .is_some_and(|word| ASM_KEYWORDS.contains(&word))
    }
}
