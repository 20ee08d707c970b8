//! Names of operands in a snippet. The module derives a recognizable name from the expression of an operand, and avoids names that occur in
//! the assembly. `d[0]` becomes `d0`, and `__cvta_generic_to_shared(tile)` becomes `tile`.

use crate::cpp::lexer::tokens;
use crate::token_stream::{Token, TokenKind};
use std::collections::BTreeSet;

/// Maximum length of a name.
const MAX_LEN: usize = 40;

/// Allocator that assigns unique names to the operands of an asm block.
#[derive(Debug)]
pub(crate) struct NameAllocator {
    taken: BTreeSet<String>,
}

impl NameAllocator {
    /// Creates an allocator that does not assign any word of the assembly as a name.
    pub(crate) fn avoiding(assembly: &str) -> NameAllocator {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
        // Remove `%[name]`, which is an operand and not a register.
        let mut words = String::new();
        let mut rest = assembly;
        while let Some(at) = rest.find("%[") {
            words.push_str(&rest[..at]);
            let end = rest[at..].find(']').map_or(rest.len(), |end| at + end);
            rest = &rest[end..];
        }
        words.push_str(rest);
        let words = words.split(|c| !is_part(c)).filter(|word| !word.is_empty());
        NameAllocator {
            taken: words.map(str::to_owned).collect(),
        }
    }

    /// Assigns a name to the operand with index `number` and the given expression.
    pub(crate) fn name(&mut self, expression: &str, number: usize) -> String {
        let pieces = tokens(expression);
        let pieces: Vec<Token> = pieces
            .into_iter()
            .filter(|token| token.kind != TokenKind::Comment)
            .collect();
        let mut name = String::new();
        ExpressionReader {
            source: expression,
            pieces: &pieces,
        }
        .read(0, pieces.len(), MAX_DEPTH, &mut name);
        name.truncate(MAX_LEN);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || name == "WARP_SZ" {
            name = format!("operand{number}");
        }
        let mut fresh = name.clone();
        let mut n = 2;
        while !self.taken.insert(fresh.clone()) {
            fresh = format!("{name}_{n}");
            n += 1;
        }
        fresh
    }
}

/// Maximum depth of nested parentheses in an expression.
const MAX_DEPTH: usize = 16;

struct ExpressionReader<'a> {
    source: &'a str,
    pieces: &'a [Token],
}

impl ExpressionReader<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        match self.pieces.get(at)?.kind {
            TokenKind::Punctuation(byte) => Some(byte),
            _ => None,
        }
    }

    fn is_word(&self, at: usize) -> bool {
        self.pieces
            .get(at)
            .is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn text(&self, at: usize) -> &str {
        self.pieces
            .get(at)
            .map_or("", |token| token.span.text(self.source))
    }

    /// Returns the exclusive end of the bracketed group that opens at `at`.
    fn close(&self, at: usize, to: usize, open: u8, close: u8) -> usize {
        let mut depth = 0usize;
        for index in at..to {
            match self.byte(index) {
                Some(byte) if byte == open => depth += 1,
                Some(byte) if byte == close => {
                    depth -= 1;
                    if depth == 0 {
                        return index + 1;
                    }
                }
                _ => {}
            }
        }
        to
    }

    /// Appends the name that is derived from an expression.
    fn read(&self, from: usize, to: usize, depth: usize, name: &mut String) {
        let mut at = from;
        while at < to && matches!(self.byte(at), Some(b'*' | b'&' | b'-' | b'+' | b'~' | b'!')) {
            at += 1;
        }
        if depth == 0 || at >= to {
            return;
        }
        if self.byte(at) == Some(b'(') {
            let end = self.close(at, to, b'(', b')');
            // Distinguish a cast such as `(int) x` from an expression in parentheses such as `(x)`.
            let is_cast = self.is_word(end) || matches!(self.byte(end), Some(b'(' | b'*' | b'&'));
            return match is_cast && end < to {
                true => self.read(end, to, depth - 1, name),
                false => self.read(at + 1, end.saturating_sub(1), depth - 1, name),
            };
        }
        if self.is_word(at) {
            self.path(at, to, depth, name);
        }
    }

    /// Parses a path such as `a.b[1]->c`, a call, or a cast with a type in angle brackets.
    fn path(&self, from: usize, to: usize, depth: usize, name: &mut String) {
        let mut at = from + 1;
        let is_cast = self.text(from).ends_with("_cast");
        if is_cast && self.byte(at) == Some(b'<') {
            at = self.close(at, to, b'<', b'>');
        }
        if self.byte(at) == Some(b'(') && at < to {
            let end = self.close(at, to, b'(', b')').saturating_sub(1);
            let before = name.len();
            self.read(at + 1, end, depth - 1, name);
            if name.len() > before {
                return;
            }
        }
        if self.byte(at) == Some(b':') && self.byte(at + 1) == Some(b':') && self.is_word(at + 2) {
            return self.path(at + 2, to, depth - 1, name);
        }
        let first = self.text(from);
        if first != "this" && first != "self" {
            push(first, name);
        }
        while at < to {
            match (self.byte(at), self.byte(at + 1)) {
                (Some(b'.'), _) if self.is_word(at + 1) => {
                    push(self.text(at + 1), name);
                    at += 2;
                }
                (Some(b'-'), Some(b'>')) if self.is_word(at + 2) => {
                    push(self.text(at + 2), name);
                    at += 3;
                }
                (Some(b'['), _) => {
                    let end = self.close(at, to, b'[', b']');
                    self.index(at + 1, end.saturating_sub(1), name);
                    at = end;
                }
                _ => return,
            }
        }
    }

    /// Appends an index: `0` for `[0]`, and `_i_1` for `[i + 1]`.
    fn index(&self, from: usize, to: usize, name: &mut String) {
        for at in from..to {
            match self.pieces.get(at).map(|token| token.kind) {
                Some(TokenKind::Number)
                    if at == from && !name.ends_with(|c: char| c.is_ascii_digit()) =>
                {
                    push_plain(self.text(at), name);
                }
                Some(TokenKind::Number | TokenKind::Word) => push(self.text(at), name),
                _ => {}
            }
        }
    }
}

fn push(word: &str, name: &mut String) {
    if !name.is_empty() {
        name.push('_');
    }
    push_plain(word, name);
}

fn push_plain(word: &str, name: &mut String) {
    let fits = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    name.extend(word.chars().filter(fits));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operand_names_are_derived_from_expressions() {
        for (expression, name) in [
            ("x", "x"),
            ("*p", "p"),
            ("d[0]", "d0"),
            ("acc[i][2].x", "acc_i2_x"),
            ("reinterpret_cast<uint32_t const&>(d[1])", "d1"),
            ("(uint32_t)__cvta_generic_to_shared(tile)", "tile"),
            ("static_cast<uint64_t>(this->policy)", "policy"),
            ("((int*)q)[3]", "q"),
            ("cute::raw_pointer_cast(ptr)", "ptr"),
            ("16", "operand7"),
            ("", "operand7"),
            ("add", "add_2"),
            ("((((((((((((((((((((x))))))))))))))))))))", "operand7"),
        ] {
            assert_eq!(
                NameAllocator::avoiding("add.u32 %0;").name(expression, 7),
                name,
                "{expression}"
            );
        }
        let mut names = NameAllocator::avoiding("");
        assert_eq!([names.name("x", 0), names.name("x", 1)], ["x", "x_2"]);
    }
}
