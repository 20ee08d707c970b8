//! Parser and evaluator of constant expressions (PTX ISA, "Constant Expressions").

use crate::diagnostics::syntax;
use crate::lexer;
use crate::lexer::TokenKind;
use crate::lexer::number;
use crate::lexer::number::{Number, NumberError, NumberValue};
use crate::parser::{MAX_DEPTH, ParseResult, Parser};
use std::cmp::Ordering;
use warpgrid_program::Span;

/// Value of `WARP_SZ`.
const WARP_SIZE: u64 = 32;

/// Value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// Integer of type `.s64` or `.u64`.
    Integer { value: u64, unsigned: bool },
    /// `0f` literal. Such a literal is not permitted within an expression.
    Single(u32),
    /// Floating-point number of type `.f64`.
    Double(f64),
}

const ZERO: Constant = Constant::Integer {
    value: 0,
    unsigned: false,
};

fn signed(value: i64) -> Constant {
    Constant::Integer {
        value: value as u64,
        unsigned: false,
    }
}

/// Evaluates a comparison operator. `order` is `None` for unordered values (NaN). Returns `None` if the operator is not a
/// comparison.
fn compare(operator: &str, order: Option<Ordering>) -> Option<Constant> {
    let holds = match operator {
        "==" => order.is_some_and(Ordering::is_eq),
        "!=" => order.is_none_or(Ordering::is_ne),
        "<" => order.is_some_and(Ordering::is_lt),
        "<=" => order.is_some_and(Ordering::is_le),
        ">" => order.is_some_and(Ordering::is_gt),
        ">=" => order.is_some_and(Ordering::is_ge),
        _ => return None,
    };
    Some(signed(holds.into()))
}

/// Binary operators with their precedence, longest spelling first.
const OPERATORS: &[(&str, u8)] = &[
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl Parser<'_> {
    /// Parses a constant expression, and returns its value and the end of its last token. Afterwards, the cursor is after the trivia that
    /// follows the expression.
    pub(crate) fn constant_expression(&mut self) -> ParseResult<(Constant, u32)> {
        if self.cursor.byte() == b'0' && matches!(self.cursor.byte_at(1), b'f' | b'F') {
            let constant = self.literal()?;
            return Ok((constant, self.cursor.offset()));
        }
        self.ternary()
    }

    /// Parses a constant expression of integer type. A value of another type is reported, and evaluates to 0.
    pub(crate) fn integer_constant(&mut self, what: &str) -> ParseResult<i64> {
        let start = self.cursor.offset();
        let (constant, end) = self.constant_expression()?;
        self.cursor.at = end as usize;
        match constant {
            Constant::Integer { value, .. } => Ok(value as i64),
            _ => {
                self.report(syntax::integer_constant(Span::new(start, end), what));
                Ok(0)
            }
        }
    }

    fn ternary(&mut self) -> ParseResult<(Constant, u32)> {
        self.nest()?;
        let start = self.cursor.offset();
        let (condition, mut end) = self.binary(1)?;
        let mut value = condition;
        if self.cursor.skip() == b'?' {
            self.cursor.at += 1;
            self.cursor.skip();
            let (yes, _) = self.ternary()?;
            if !self.eat(b':') {
                return self.unexpected("`:` of `? :`");
            }
            self.cursor.skip();
            let (no, no_end) = self.ternary()?;
            end = no_end;
            value = match (condition, yes, no) {
                (
                    Constant::Integer { value, .. },
                    Constant::Integer { .. },
                    Constant::Integer { .. },
                ) => {
                    if value != 0 {
                        yes
                    } else {
                        no
                    }
                }
                _ => {
                    self.report(syntax::integer_constant(
                        Span::new(start, end),
                        "each part of `? :`",
                    ));
                    ZERO
                }
            };
        }
        self.depth -= 1;
        Ok((value, end))
    }

    fn nest(&mut self) -> ParseResult<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.cursor.token().span;
            return self.broken(syntax::nested_too_deep(span, "expressions"));
        }
        Ok(())
    }

    /// Parses an operand, and the binary operators after it whose precedence is at least `weakest`.
    fn binary(&mut self, weakest: u8) -> ParseResult<(Constant, u32)> {
        let start = self.cursor.offset();
        let (mut left, mut end) = self.unary()?;
        while let Some((operator, strength)) = self.operator() {
            if strength < weakest {
                break;
            }
            self.cursor.at += operator.len();
            self.cursor.skip();
            let (right, right_end) = self.binary(strength + 1)?;
            end = right_end;
            left = self.compute(operator, left, right, Span::new(start, end));
        }
        Ok((left, end))
    }

    /// Skips trivia, and returns the binary operator at the cursor. The text `%0` is a name, and not a remainder operator.
    fn operator(&mut self) -> Option<(&'static str, u8)> {
        let byte = self.cursor.skip();
        if !byte.is_ascii_punctuation()
            || byte == b'%' && lexer::is(self.cursor.byte_at(1), lexer::NAME)
        {
            return None;
        }
        let rest = self.cursor.text.get(self.cursor.at..)?;
        OPERATORS
            .iter()
            .copied()
            .find(|(text, _)| rest.starts_with(text.as_bytes()))
    }

    fn unary(&mut self) -> ParseResult<(Constant, u32)> {
        let start = self.cursor.offset();
        let sign = self.cursor.byte();
        if !matches!(sign, b'-' | b'+' | b'~' | b'!') {
            return self.primary();
        }
        self.nest()?;
        self.cursor.at += 1;
        self.cursor.skip();
        let (operand, end) = self.unary()?;
        self.depth -= 1;
        let value = match (sign, operand) {
            (b'+', value) => value,
            (b'-', Constant::Integer { value, unsigned }) => Constant::Integer {
                value: value.wrapping_neg(),
                unsigned,
            },
            (b'-', Constant::Double(value)) => Constant::Double(-value),
            (b'~', Constant::Integer { value, .. }) => Constant::Integer {
                value: !value,
                unsigned: true,
            },
            (b'!', Constant::Integer { value, .. }) => signed((value == 0).into()),
            _ => {
                let what = if sign == b'!' {
                    "the operand of `!`"
                } else {
                    "the operand of `~`"
                };
                self.report(syntax::integer_constant(Span::new(start, end), what));
                ZERO
            }
        };
        Ok((value, end))
    }

    /// Parses a literal, `WARP_SZ`, a cast or an expression in parentheses.
    fn primary(&mut self) -> ParseResult<(Constant, u32)> {
        let byte = self.cursor.byte();
        if byte == b'(' {
            return self.parenthesised();
        }
        if byte.is_ascii_digit() || byte == b'.' && self.cursor.byte_at(1).is_ascii_digit() {
            let value = self.literal_in_expression()?;
            return Ok((value, self.cursor.offset()));
        }
        if self.cursor.at_name() {
            let span = self.cursor.token().span;
            let text = self.text(span);
            return match text {
                "WARP_SZ" => {
                    self.cursor.at = span.end as usize;
                    Ok((
                        Constant::Integer {
                            value: WARP_SIZE,
                            unsigned: false,
                        },
                        span.end,
                    ))
                }
                "_" => self.broken(syntax::misplaced_sink(span, "a constant")),
                _ => self.broken(syntax::name_in_constant(span, text)),
            };
        }
        self.unexpected("a constant")
    }

    fn parenthesised(&mut self) -> ParseResult<(Constant, u32)> {
        let open = self.cursor.offset();
        self.cursor.at += 1;
        if self.cursor.skip() == b'.' && self.cursor.token().kind == TokenKind::Word {
            return self.cast();
        }
        let (value, _) = self.ternary()?;
        self.close(open, b')', "`)` or an operator")?;
        Ok((value, self.cursor.offset()))
    }

    /// Parses a cast `(.u64)` and its operand. The cursor is at the dot.
    fn cast(&mut self) -> ParseResult<(Constant, u32)> {
        self.nest()?;
        let target = self.cursor.token().span;
        let text = self.text(target);
        self.cursor.at = target.end as usize;
        if !self.eat(b')') {
            return self.unexpected("`)` after the type of the cast");
        }
        self.cursor.skip();
        let (operand, end) = self.unary()?;
        self.depth -= 1;
        let value = match (text, operand) {
            (".s64" | ".u64", Constant::Integer { value, .. }) => Constant::Integer {
                value,
                unsigned: text == ".u64",
            },
            (".s64" | ".u64", _) => {
                self.report(syntax::integer_constant(
                    Span::new(target.start, end),
                    "the operand of the cast",
                ));
                ZERO
            }
            (_, value) => {
                self.report(syntax::constant_cast(target, text));
                value
            }
        };
        Ok((value, end))
    }

    /// Consumes the integer literal or `WARP_SZ` at the cursor, and returns its value and whether it is unsigned.
    pub(crate) fn eat_integer(&mut self) -> Option<(u64, bool)> {
        if self.at_warp_size() {
            self.cursor.at = self.cursor.token().span.end as usize;
            return Some((WARP_SIZE, false));
        }
        if !self.cursor.byte().is_ascii_digit() {
            return None;
        }
        let number = number::scan(self.cursor.text, self.cursor.at);
        let next = self.cursor.text.get(number.end).copied().unwrap_or(0);
        match number.value {
            _ if lexer::is(next, lexer::NAME) => None,
            NumberValue::Integer { value, unsigned } => {
                self.cursor.at = number.end;
                Some((value, unsigned))
            }
            NumberValue::Wrapped(_) => match self.literal() {
                Ok(Constant::Integer { value, unsigned }) => Some((value, unsigned)),
                Ok(_) | Err(_) => None,
            },
            _ => None,
        }
    }

    /// Parses the number literal at the cursor as part of an expression, which excludes `0f` literals.
    pub(crate) fn literal_in_expression(&mut self) -> ParseResult<Constant> {
        let start = self.cursor.at;
        let constant = self.literal()?;
        if matches!(constant, Constant::Single(_)) {
            self.cursor.at = start;
            return self.unexpected(
                "an integer, `0d` or decimal constant, because `0f` constants are not allowed in expressions",
            );
        }
        Ok(constant)
    }

    /// Parses the number literal at the cursor.
    fn literal(&mut self) -> ParseResult<Constant> {
        let number = number::scan(self.cursor.text, self.cursor.at);
        let next = self.cursor.text.get(number.end).copied().unwrap_or(0);
        let constant = match number.value {
            _ if !lexer::ends_number(next) || next == b'.' => return self.bad_literal(number),
            NumberValue::Integer { value, unsigned } => Constant::Integer { value, unsigned },
            NumberValue::Double(value) => Constant::Double(value),
            NumberValue::Single(bits) => Constant::Single(bits),
            NumberValue::Wrapped(_) | NumberValue::Overflow | NumberValue::Broken(_) => {
                return self.bad_literal(number);
            }
        };
        self.cursor.at = number.end;
        Ok(constant)
    }

    /// Reports a literal that is too large or malformed.
    #[cold]
    fn bad_literal(&mut self, number: Number) -> ParseResult<Constant> {
        let whole = self.cursor.token().span;
        let text = self.text(whole);
        let clings = whole.end as usize > number.end;
        let constant = match number.value {
            NumberValue::Broken(flaw) => {
                return self.broken(syntax::malformed_number(whole, text, &reason_of(flaw)));
            }
            NumberValue::Wrapped(value) if !clings => {
                self.report(syntax::constant_wraps(whole, text, value));
                Constant::Integer {
                    value,
                    unsigned: true,
                }
            }
            NumberValue::Overflow if !clings => {
                self.report(syntax::constant_overflow(whole, text));
                // Return a value of the intended type of the literal, so that the literal causes no further diagnostics.
                match syntax::is_decimal_float(text) {
                    true => Constant::Double(f64::INFINITY),
                    false => ZERO,
                }
            }
            _ => {
                let reason = "the number is followed by other characters";
                return self.broken(syntax::malformed_number(whole, text, reason));
            }
        };
        self.cursor.at = number.end;
        Ok(constant)
    }

    fn compute(&mut self, operator: &str, left: Constant, right: Constant, span: Span) -> Constant {
        match (left, right) {
            (Constant::Double(a), Constant::Double(b)) => {
                self.compute_doubles(operator, a, b, span)
            }
            (
                Constant::Integer {
                    value: a,
                    unsigned: ua,
                },
                Constant::Integer {
                    value: b,
                    unsigned: ub,
                },
            ) => match integers(operator, a, b, ua || ub, ua) {
                Some(value) => value,
                None => {
                    self.report(syntax::division_by_zero(span));
                    ZERO
                }
            },
            _ => {
                self.report(syntax::constant_mismatch(span));
                left
            }
        }
    }

    fn compute_doubles(&mut self, operator: &str, a: f64, b: f64, span: Span) -> Constant {
        if let Some(result) = compare(operator, a.partial_cmp(&b)) {
            return result;
        }
        match operator {
            "+" => Constant::Double(a + b),
            "-" => Constant::Double(a - b),
            "*" => Constant::Double(a * b),
            "/" if b == 0.0 => {
                self.report(syntax::division_by_zero(span));
                ZERO
            }
            "/" => Constant::Double(a / b),
            _ => {
                self.report(syntax::integer_constant(
                    span,
                    "both operands of this operator",
                ));
                ZERO
            }
        }
    }
}

/// Evaluates an integer operator. Returns `None` for a division by zero.
fn integers(
    operator: &str,
    a: u64,
    b: u64,
    unsigned: bool,
    left_unsigned: bool,
) -> Option<Constant> {
    let (sa, sb) = (a as i64, b as i64);
    let number = |value: u64| Constant::Integer { value, unsigned };
    let bits = |value: u64| Constant::Integer {
        value,
        unsigned: true,
    };
    Some(match operator {
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" | "%" if b == 0 => return None,
        "/" if unsigned => number(a / b),
        "/" => signed(sa.wrapping_div(sb)),
        "%" if unsigned => number(a % b),
        "%" => signed(sa.wrapping_rem(sb)),
        "&" => bits(a & b),
        "|" => bits(a | b),
        "^" => bits(a ^ b),
        "<<" => Constant::Integer {
            value: a.wrapping_shl(b as u32),
            unsigned: left_unsigned,
        },
        ">>" if left_unsigned => bits(a.wrapping_shr(b as u32)),
        ">>" => signed(sa.wrapping_shr(b as u32)),
        "&&" => signed((a != 0 && b != 0).into()),
        "||" => signed((a != 0 || b != 0).into()),
        _ if unsigned => return compare(operator, Some(a.cmp(&b))),
        _ => return compare(operator, Some(sa.cmp(&sb))),
    })
}

fn reason_of(flaw: NumberError) -> String {
    match flaw {
        NumberError::Digits => {
            "octal digits are 0 to 7, binary digits are 0 and 1, and at least one digit is required"
                .to_owned()
        }
        NumberError::HexFloat { wanted, found } => {
            let prefix = if wanted == 8 { "0f" } else { "0d" };
            format!("`{prefix}` needs exactly {wanted} hexadecimal digits, found {found} digits")
        }
    }
}
