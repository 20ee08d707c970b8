//! `#if` within a statement: the pieces of a text go in; those without such lines, and without what follows `#else` up to `#endif`, come out. The
//! text does not say which branch is compiled; the first one is taken.

use crate::pieces::{Kind, Token};
use warpgrid_program::wrapped::{ASM_QUALIFIERS, ASM_WORDS};

/// Leaves out conditions and their later branches within `asm` statements; all else stays.
pub(super) fn without(source: &str, tokens: Vec<Token>) -> Vec<Token> {
    let mut left = Left {
        source,
        depth: 0,
        is_skipping: false,
    };
    let mut kept = Vec::with_capacity(tokens.len());
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
            left.step(&kept, *token);
            kept.push(*token);
        }
        at += 1;
    }
    kept
}

/// Where the pass is.
struct Left<'a> {
    source: &'a str,
    /// Parentheses that are open since an `asm` statement began.
    depth: usize,
    /// Whether this is a later branch.
    is_skipping: bool,
}

impl Left<'_> {
    /// Whether a directive is a condition; then what follows is kept or left out.
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
            Kind::Punctuation(b'(') if self.depth > 0 || self.begins(before) => self.depth += 1,
            Kind::Punctuation(b')') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Whether a parenthesis after these pieces is that of a statement.
    fn begins(&self, before: &[Token]) -> bool {
        let words = before
            .iter()
            .rev()
            .map(|token| token.span.text(self.source));
        let mut words = words.skip_while(|word| ASM_QUALIFIERS.contains(word));
        words.next().is_some_and(|word| ASM_WORDS.contains(&word))
    }
}
