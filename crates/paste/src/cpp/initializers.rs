//! Initializers of variables in C++ sources. The module searches backward from an `asm` statement for the declaration of an operand, and
//! evaluates its initializer: a literal, a constant expression of literals, or a conditional expression whose arms are such expressions.

use super::CppSource;
use super::constants::ConstantTable;
use super::declared_types::declaration;
use crate::initializer::{ConstantValue, Initializer};
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_isa::read_decimal;

/// Maximum number of tokens of an initializer.
const MAX_TOKENS: usize = 64;

/// Maximum nesting depth of conditional expressions.
const MAX_DEPTH: usize = 8;

impl CppSource<'_> {
    /// Returns the initial value of an operand whose expression is in the parentheses at the tokens `open` and `close`: the initializer of a
    /// variable, or a constant expression.
    pub(super) fn initializer(
        &self,
        open: usize,
        close: usize,
        expression: &str,
    ) -> Option<Initializer> {
        if close == open + 2 && self.pieces.is_word(open + 1) {
            return self.variable_initializer(open, expression);
        }
        let value = literal(expression)?;
        let text = expression.to_owned();
        Some(Initializer { value, text })
    }

    /// Returns the initializer of the variable `name` for the `asm` statement that contains the token `before`. Returns `None` if the value
    /// is unknown, or if the source modifies the variable.
    fn variable_initializer(&self, before: usize, name: &str) -> Option<Initializer> {
        let pieces = self.pieces;
        let declared = declaration(pieces, before, name)?.name;
        if !pieces.is(declared + 1, b'=') || pieces.is(declared + 2, b'=') {
            return None;
        }
        let (from, to) = (declared + 2, end_of_initializer(pieces, declared + 2)?);
        let value = value_of(pieces, from, to, MAX_DEPTH)?;
        let is_constant = (first_of_statement(pieces, declared)..declared)
            .any(|at| matches!(pieces.text(at), "const" | "constexpr"));
        if !is_constant && is_modified(pieces, to, before, name) {
            return None;
        }
        let first = first_of_statement(pieces, declared);
        let span = pieces.tokens[first].span.to(pieces.tokens[to - 1].span);
        Some(Initializer {
            value,
            text: span.text(pieces.source).to_owned(),
        })
    }
}

/// Returns the index of the first token of the declaration that contains the token `at`.
fn first_of_statement(pieces: TokenStream<'_>, at: usize) -> usize {
    let is_part = |index: &usize| {
        matches!(
            pieces.kind(*index),
            Some(TokenKind::Word | TokenKind::Punctuation(b'*' | b'&'))
        )
    };
    (0..at).rev().take_while(is_part).last().unwrap_or(at)
}

/// Returns the index of the token after an initializer, which is a comma or a semicolon outside of all parentheses.
fn end_of_initializer(pieces: TokenStream<'_>, from: usize) -> Option<usize> {
    let mut at = from;
    while at < pieces.tokens.len().min(from + MAX_TOKENS) {
        at = match pieces.kind(at)? {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => pieces.closing(at)? + 1,
            TokenKind::Punctuation(b',' | b';') => return (at > from).then_some(at),
            TokenKind::Punctuation(b')' | b']' | b'}') => return None,
            _ => at + 1,
        };
    }
    None
}

/// Checks whether the function modifies a variable after its declaration: by an assignment, an increment, its address or a reference, or by
/// an `asm` statement before the token `statement`. `from` is the index of the token after the declaration.
fn is_modified(pieces: TokenStream<'_>, from: usize, statement: usize, name: &str) -> bool {
    let mut depth = 0i32;
    for at in from..pieces.tokens.len() {
        match pieces.kind(at) {
            Some(TokenKind::Punctuation(b'{')) => depth += 1,
            Some(TokenKind::Punctuation(b'}')) => depth -= 1,
            Some(TokenKind::Word)
                if pieces.text(at) == name
                    && (is_write(pieces, at) || (at < statement && is_output(pieces, at))) =>
            {
                return true;
            }
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    false
}

/// Checks whether the expression around the name at `at` can modify the variable.
fn is_write(pieces: TokenStream<'_>, at: usize) -> bool {
    let is = |index: Option<usize>, byte: u8| index.is_some_and(|index| pieces.is(index, byte));
    let (before, two_before) = (at.checked_sub(1), at.checked_sub(2));
    let is_assigned = pieces.is(at + 1, b'=') && !pieces.is(at + 2, b'=');
    let is_updated =
        b"+-*/%&|^".iter().any(|sign| pieces.is(at + 1, *sign)) && pieces.is(at + 2, b'=');
    let is_shifted = [b'<', b'>'].iter().any(|sign| {
        (1..=2).all(|distance| pieces.is(at + distance, *sign)) && pieces.is(at + 3, b'=')
    });
    let is_counted = [b'+', b'-'].iter().any(|sign| {
        (pieces.is(at + 1, *sign) && pieces.is(at + 2, *sign))
            || (is(before, *sign) && is(two_before, *sign))
    });
    let is_address = is(before, b'&') && !is(two_before, b'&');
    is_assigned || is_updated || is_shifted || is_counted || is_address
}

/// Checks whether the name at `at` is an output operand of an `asm` statement, as in `"+r"(x)`.
fn is_output(pieces: TokenStream<'_>, at: usize) -> bool {
    let constraint = at.checked_sub(2).and_then(|index| pieces.kind(index));
    let Some(TokenKind::Text { inner, .. }) = constraint else {
        return false;
    };
    pieces.is(at - 1, b'(') && inner.text(pieces.source).starts_with(['=', '+'])
}

/// Returns the value of an expression. The value of a conditional expression is the value of its first arm that is not zero.
fn value_of(
    pieces: TokenStream<'_>,
    from: usize,
    to: usize,
    depth: usize,
) -> Option<ConstantValue> {
    if from >= to || depth == 0 {
        return None;
    }
    if let Some((question, colon)) = conditional(pieces, from, to) {
        let first = value_of(pieces, question + 1, colon, depth - 1)?;
        let second = value_of(pieces, colon + 1, to, depth - 1)?;
        return Some(if first.is_zero() { second } else { first });
    }
    if pieces.is(from, b'(') && pieces.closing(from) == Some(to - 1) {
        return value_of(pieces, from + 1, to - 1, depth - 1);
    }
    let span = pieces.tokens[from].span.to(pieces.tokens[to - 1].span);
    literal(span.text(pieces.source))
}

/// Returns the positions of `?` and `:` of a conditional expression outside of all parentheses.
fn conditional(pieces: TokenStream<'_>, from: usize, to: usize) -> Option<(usize, usize)> {
    let (mut at, mut question, mut n_open) = (from, None, 0usize);
    while at < to {
        match pieces.kind(at)? {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => at = pieces.closing(at)?,
            TokenKind::Punctuation(b'?') => {
                question = question.or(Some(at));
                n_open += 1;
            }
            // The token `::` qualifies a name.
            TokenKind::Punctuation(b':') if pieces.is(at + 1, b':') => at += 1,
            TokenKind::Punctuation(b':') => {
                n_open = n_open.checked_sub(1)?;
                if n_open == 0 {
                    return Some((question?, at));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Evaluates a constant expression without names, or a floating-point literal.
fn literal(text: &str) -> Option<ConstantValue> {
    if let Some(number) = ConstantTable::default().number(text) {
        return Some(ConstantValue::Integer(number));
    }
    let is_hexadecimal = text.contains(['x', 'X']);
    let digits = text.trim_end_matches(['f', 'F']);
    let is_number = digits.contains(|c: char| c.is_ascii_digit());
    (is_number && !is_hexadecimal)
        .then(|| read_decimal(digits))
        .flatten()
        .map(ConstantValue::Float)
}

#[cfg(test)]
mod tests {
    use crate::HostSource;

    /// Returns the initializer of the first operand of the last `asm` statement of a function.
    fn initializer(body: &str) -> Option<String> {
        let source = format!("__device__ void f(bool pred, int n) {{ {body} }}");
        let host = HostSource::read(&source)?;
        let block = host.block(host.n_blocks() - 1, &[])?;
        let found = block.operands.first()?.initializer.as_ref()?;
        Some(format!("{:?} {}", found.value, found.text))
    }

    #[test]
    fn initializers_of_operands_are_evaluated() {
        let used = |declaration: &str| {
            initializer(&format!(
                "{declaration} asm volatile(\"prefetch.global.L1 [%0];\" :: \"r\"(v));"
            ))
        };
        for (declaration, expected) in [
            (
                "int v = pred ? 16 : 0;",
                "Integer(16) int v = pred ? 16 : 0",
            ),
            ("int v = pred ? 0 : 8;", "Integer(8) int v = pred ? 0 : 8"),
            (
                "int v = (n > 1 ? (n > 2 ? 0 : 4) : 2);",
                "Integer(4) int v = (n > 1 ? (n > 2 ? 0 : 4) : 2)",
            ),
            ("const int v = 16;", "Integer(16) const int v = 16"),
            ("uint32_t v = 0x3c00;", "Integer(15360) uint32_t v = 0x3c00"),
            (
                "int v = 4 * sizeof(float);",
                "Integer(16) int v = 4 * sizeof(float)",
            ),
            ("unsigned w = 2, v = 1 << 4;", "Integer(16) v = 1 << 4"),
            ("float v = -1.5f;", "Float(-1.5) float v = -1.5f"),
            ("auto v = 3;", "Integer(3) auto v = 3"),
        ] {
            assert_eq!(
                used(declaration).as_deref(),
                Some(expected),
                "{declaration}"
            );
        }
        for declaration in [
            "int v = n;",
            "int v = g(1);",
            "int v = 1; v += 2;",
            "int v = 1; v++;",
            "int v = 1; g(&v);",
            "int v = 1; asm(\"mov.u32 %0, 2;\" : \"=r\"(v));",
            "{ int v = 1; } extern int v;",
            "int v;",
        ] {
            assert_eq!(used(declaration), None, "{declaration}");
        }
        let counted = "for (int v = 1; v < n; ++v) { asm volatile(\"prefetch.global.L1 [%0];\" :: \"r\"(v)); }";
        assert_eq!(initializer(counted), None);
        let literal = "asm volatile(\"prefetch.global.L1 [%0];\" :: \"r\"(1 << 4));";
        assert_eq!(initializer(literal).as_deref(), Some("Integer(16) 1 << 4"));
    }
}
