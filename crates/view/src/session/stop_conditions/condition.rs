//! Evaluation of conditions on registers, such as `lane 3: %r5 == 7`. The functions check whether the bits of a register meet the
//! condition.
//!
//! If the condition names no lane, warp or block, any lane of any warp may meet the condition. The notation of the number determines the
//! comparison. For a hexadecimal number, the condition compares the bits of the register. For a number with a decimal point, it compares
//! floating-point numbers of the register's width. For a number with a sign, and for the 0 of `< 0` and `>= 0`, the condition compares
//! signed integers. For any other number, the condition compares values in the type of the register.
//!
//! Any other text is a watch expression that contains a comparison, such as `trail[4][0] == 1` or `lane 3: %r5 + 1 == %r6`. The condition
//! holds if the value of the expression is not 0.

use crate::expression::lexer::Lexer;
pub use crate::expression::tree::RegisterCondition;
use crate::expression::tree::{BinaryOp, Expression, WatchExpression};
use crate::expression::tree::{Literal, RelationalOp};
use crate::session::stop_conditions::StopConditionError;
use warpgrid_isa::ScalarType;
use warpgrid_launch::value::ElementType;

/// Maximum length of the text of a condition, in bytes.
const MAX_BYTES: usize = 1_000;

/// Parsed condition: a comparison of one register, or a watch expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ParsedCondition {
    Register(RegisterCondition),
    /// Watch expression, and the reason why the text is not a comparison of one register.
    Expression(WatchExpression, Option<StopConditionError>),
}

impl ParsedCondition {
    /// Parses the text of a condition. The error for a text in neither of the notations is the error of the comparison of a register,
    /// unless the left side of the comparison is not a name.
    pub(crate) fn read(text: &str) -> Result<ParsedCondition, StopConditionError> {
        let register = RegisterCondition::read(text);
        if let Ok(condition) = &register
            && Lexer::new(&condition.register).name().text == condition.register
        {
            return register.map(ParsedCondition::Register);
        }
        match (WatchExpression::parse(text), register) {
            (Ok(watch), register) if has_comparison(&watch.expression) => {
                Ok(ParsedCondition::Expression(watch, register.err()))
            }
            (_, Err(error)) => Err(error),
            (Err(error), Ok(_)) => Err(StopConditionError::at(text, error)),
            (Ok(_), Ok(condition)) => Ok(ParsedCondition::Register(condition)),
        }
    }
}

fn has_comparison(expression: &Expression) -> bool {
    let mut is_found = false;
    expression.visit(&mut |part| {
        is_found |= matches!(part, Expression::Binary(BinaryOp::Compare(_), _));
    });
    is_found
}

impl RegisterCondition {
    /// Parses the text of a condition.
    pub fn read(text: &str) -> Result<RegisterCondition, StopConditionError> {
        if text.len() > MAX_BYTES {
            let n = text.len();
            let message = format!("the condition has {n} bytes, expected at most {MAX_BYTES}");
            return Err(StopConditionError::new(message));
        }
        RegisterCondition::parse(text).map_err(|error| StopConditionError::at(text, error))
    }

    /// Checks whether a register of type `ty` with the value `bits` meets the condition.
    pub fn holds(&self, ty: ScalarType, bits: u128) -> bool {
        use ScalarType as T;
        let float = float_of(ty);
        let value = || float.and_then(|float| float.float(bits));
        let compares = |number: f64| value().is_some_and(|own| self.comparison.holds(own, number));
        match self.number {
            Literal::Bits(number) => self.comparison.holds(bits, number),
            Literal::NotANumber => {
                let is_nan = value().is_some_and(f64::is_nan);
                self.comparison.holds(is_nan, true)
            }
            // Round a decimal number with the rules for decimal numbers in a source text.
            Literal::Float(number) => compares(float.map_or(number, |float| float.rounded(number))),
            Literal::Integer(number)
                if matches!(ty, T::F16 | T::Bf16 | T::F32 | T::Tf32 | T::F64) =>
            {
                compares(number as f64)
            }
            Literal::Integer(number) => {
                // Use a signed comparison for `< 0`, because this comparison is false for every unsigned value.
                let asks_for_sign = number == 0
                    && matches!(
                        self.comparison,
                        RelationalOp::Less | RelationalOp::GreaterOrEqual
                    );
                let unused = 128 - ty.width_bits();
                let value = match number < 0 || asks_for_sign || ty.is_signed() {
                    true => (bits << unused) as i128 >> unused,
                    false => bits as i128,
                };
                self.comparison.holds(value, number)
            }
        }
    }
}

/// Returns the floating-point type that has the same width as the type `ty`. The comparison interprets the bits of the register in this
/// type.
fn float_of(ty: ScalarType) -> Option<ElementType> {
    match (ty, ty.width_bits()) {
        (ScalarType::Bf16, _) => Some(ElementType::Bf16),
        (_, 16) => Some(ElementType::F16),
        (_, 32) => Some(ElementType::F32),
        (_, 64) => Some(ElementType::F64),
        _ => None,
    }
}
