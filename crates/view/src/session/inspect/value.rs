//! Values of watch expressions. A value is the typed bits of a register or memory cell, or a computed number.

use crate::expression::tree::{BinaryOp, Literal, UnaryOp};
use crate::session::step::warp::readable;
use warpgrid_isa::ScalarType;
use warpgrid_launch::value::ElementType;

/// Value of a watch expression or of one of its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// Contents of a memory cell.
    Cell {
        ty: ElementType,
        bits: u128,
    },
    /// Contents of a register.
    Register {
        scalar: ScalarType,
        ty: ElementType,
        bits: u128,
    },
    Number(NumericValue),
}

/// Number that is an operand or the result of an arithmetic operator in a watch expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NumericValue {
    Integer(i128),
    /// Floating-point number and its type. The type is `None` for a literal.
    Float(f64, Option<ElementType>),
}

impl Value {
    /// Returns the numeric value. The error is the reason why the value is not a number.
    pub(crate) fn number(self) -> Result<NumericValue, String> {
        let (ty, bits) = match self {
            Value::Number(number) => return Ok(number),
            Value::Cell { ty, bits } | Value::Register { ty, bits, .. } => (ty, bits),
        };
        if let Some(float) = ty.float(bits) {
            return Ok(NumericValue::Float(float, Some(ty)));
        }
        use ElementType as T;
        let width = ty.width_bytes() as u32 * 8;
        match ty {
            T::S8 | T::S16 | T::S32 | T::S64 => {
                let value = (bits << (128 - width)) as i128 >> (128 - width);
                Ok(NumericValue::Integer(value))
            }
            T::E2m1x2
            | T::F16x2
            | T::Bf16x2
            | T::U4x2
            | T::S4x2
            | T::U8x4
            | T::S8x4
            | T::U16x2
            | T::S16x2 => Err(format!(
                "the packed type `{ty}` contains several numbers: use `b{width}(x)` to read the bits for shifts and masks"
            )),
            _ => of_bits(bits),
        }
    }

    /// Reinterprets the bits of the value as another type. A computed floating-point number has the bits of its type, or of `f32` if the
    /// number has no type.
    pub(crate) fn read_as(self, ty: ElementType) -> Value {
        let bits = match self {
            Value::Cell { bits, .. } | Value::Register { bits, .. } => bits,
            Value::Number(NumericValue::Integer(value)) => value as u128,
            Value::Number(NumericValue::Float(value, own)) => {
                let own = own.unwrap_or(ElementType::F32);
                own.float_bits(value).unwrap_or(0)
            }
        };
        let width = ty.width_bytes() as u32 * 8;
        let bits = bits << (128 - width) >> (128 - width);
        Value::Cell { ty, bits }
    }

    /// Formats the value for the user.
    pub(crate) fn text(self) -> String {
        match self {
            Value::Cell { ty, bits } => ty.text(bits),
            Value::Register { scalar, bits, .. } => readable(scalar, bits),
            Value::Number(NumericValue::Integer(value)) => value.to_string(),
            Value::Number(NumericValue::Float(value, ty)) => {
                let ty = ty.unwrap_or(ElementType::F64);
                ty.text(ty.float_bits(value).unwrap_or(0))
            }
        }
    }
}

impl TryFrom<Literal> for NumericValue {
    type Error = String;

    fn try_from(literal: Literal) -> Result<NumericValue, String> {
        match literal {
            Literal::Integer(value) => Ok(NumericValue::Integer(value)),
            Literal::Float(value) => Ok(NumericValue::Float(value, None)),
            Literal::NotANumber => Ok(NumericValue::Float(f64::NAN, None)),
            Literal::Bits(bits) => of_bits(bits),
        }
    }
}

fn of_bits(bits: u128) -> Result<NumericValue, String> {
    let integer = i128::try_from(bits).map(NumericValue::Integer);
    integer.map_err(|_| "the value of the expression has more than 127 bits".to_owned())
}

impl NumericValue {
    /// Checks whether the value is not 0.
    pub(crate) fn is_true(self) -> bool {
        match self {
            NumericValue::Integer(value) => value != 0,
            NumericValue::Float(value, _) => value != 0.0,
        }
    }

    /// Returns the value as the index of an element. The error is the reason why the value is not an index.
    pub(crate) fn index(self) -> Result<u64, String> {
        let index = match self {
            NumericValue::Integer(value) => u64::try_from(value).ok(),
            NumericValue::Float(..) => None,
        };
        index.ok_or_else(|| {
            let found = Value::Number(self).text();
            format!("found the index {found}, expected a nonnegative integer")
        })
    }

    fn float(self) -> f64 {
        match self {
            NumericValue::Integer(value) => value as f64,
            NumericValue::Float(value, _) => value,
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        self.float() == 0.0
    }
}

/// Evaluates a unary operator for a number.
pub(crate) fn unary(operator: UnaryOp, of: NumericValue) -> Result<NumericValue, String> {
    match (operator, of) {
        (UnaryOp::Not, of) => Ok(NumericValue::Integer(of.is_zero().into())),
        (UnaryOp::Negate, NumericValue::Integer(value)) => checked(value.checked_neg()),
        (UnaryOp::Negate, NumericValue::Float(value, ty)) => Ok(NumericValue::Float(-value, ty)),
        (UnaryOp::Complement, NumericValue::Integer(value)) => Ok(NumericValue::Integer(!value)),
        (UnaryOp::Complement, NumericValue::Float(..)) => Err(not_of_floats("~")),
    }
}

/// Evaluates a binary operator for two numbers.
pub(crate) fn binary(
    operator: BinaryOp,
    left: NumericValue,
    right: NumericValue,
) -> Result<NumericValue, String> {
    match (left, right) {
        (NumericValue::Integer(left), NumericValue::Integer(right)) => {
            of_integers(operator, left, right)
        }
        _ => of_floats(operator, left, right),
    }
}

fn of_integers(operator: BinaryOp, left: i128, right: i128) -> Result<NumericValue, String> {
    let amount = || {
        let amount = u32::try_from(right).ok().filter(|amount| *amount < 127);
        amount.ok_or_else(|| format!("found the shift amount {right}, expected 0 to 126"))
    };
    if right == 0 && matches!(operator, BinaryOp::Divide | BinaryOp::Remainder) {
        return Err("division by zero".to_owned());
    }
    match operator {
        BinaryOp::Compare(comparison) => {
            Ok(NumericValue::Integer(comparison.holds(left, right).into()))
        }
        BinaryOp::Or => Ok(NumericValue::Integer(left | right)),
        BinaryOp::Xor => Ok(NumericValue::Integer(left ^ right)),
        BinaryOp::And => Ok(NumericValue::Integer(left & right)),
        BinaryOp::Left => checked(left.checked_mul(1 << amount()?)),
        BinaryOp::Right => Ok(NumericValue::Integer(left >> amount()?)),
        BinaryOp::Add => checked(left.checked_add(right)),
        BinaryOp::Subtract => checked(left.checked_sub(right)),
        BinaryOp::Multiply => checked(left.checked_mul(right)),
        BinaryOp::Divide => checked(left.checked_div(right)),
        BinaryOp::Remainder => checked(left.checked_rem(right)),
    }
}

fn of_floats(
    operator: BinaryOp,
    left: NumericValue,
    right: NumericValue,
) -> Result<NumericValue, String> {
    let ty = wider(left, right);
    let (left, right) = (left.float(), right.float());
    let value = match operator {
        BinaryOp::Compare(comparison) => {
            return Ok(NumericValue::Integer(comparison.holds(left, right).into()));
        }
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::Or | BinaryOp::Xor | BinaryOp::And | BinaryOp::Left | BinaryOp::Right => {
            return Err(not_of_floats(operator.sign()));
        }
    };
    Ok(NumericValue::Float(
        ty.map_or(value, |ty| ty.rounded(value)),
        ty,
    ))
}

/// Returns the type of the result of an operator, which is the wider of the floating-point types of both operands. A literal has the type
/// of the other operand.
fn wider(left: NumericValue, right: NumericValue) -> Option<ElementType> {
    let ty = |number| match number {
        NumericValue::Float(_, ty) => ty,
        NumericValue::Integer(_) => None,
    };
    match (ty(left), ty(right)) {
        (Some(left), Some(right)) if left != right => {
            Some(match left.width_bytes().max(right.width_bytes()) {
                8 => ElementType::F64,
                _ => ElementType::F32,
            })
        }
        (left, right) => left.or(right),
    }
}

fn checked(value: Option<i128>) -> Result<NumericValue, String> {
    let too_large = || "the result of the operation has more than 127 bits".to_owned();
    value.map(NumericValue::Integer).ok_or_else(too_large)
}

fn not_of_floats(sign: &str) -> String {
    format!(
        "the operator `{sign}` requires integers, but an operand is a float: use `u32(x)` to read the bits of a float"
    )
}
