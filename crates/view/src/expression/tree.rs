//! Syntax trees of conditions and watch expressions, and their operators.

use crate::session::memory_id::MemoryKey;
use std::ops::Range;
use warpgrid_isa::read_decimal;
use warpgrid_launch::value::{ElementType, hexadecimal_digits};

/// Condition that compares the value of a register with a number. A run stops when the condition holds.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterCondition {
    pub place: LaneFilter,
    pub register: String,
    pub comparison: RelationalOp,
    pub number: Literal,
    /// Byte range of the register name in the text of the condition.
    pub register_range: Range<usize>,
}

/// Watch expression of the user, which consists of an expression and the lanes for which the page evaluates it.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchExpression {
    pub place: LaneFilter,
    pub expression: Expression,
}

/// Lane selection, which contains all lanes that match every number in the selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneFilter {
    pub block: Option<u64>,
    pub warp: Option<u32>,
    pub lane: Option<u8>,
}

/// Syntax tree of a watch expression or condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Literal(Literal),
    Register(String),
    /// Element of a memory, identified by its linear index or by one index per dimension.
    Element(MemoryKey, Vec<Expression>),
    As(ElementType, Box<Expression>),
    Unary(UnaryOp, Box<Expression>),
    Binary(BinaryOp, Box<[Expression; 2]>),
}

/// Number literal in the notation in which the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    Integer(i128),
    Float(f64),
    /// Number in hexadecimal notation, which denotes a bit pattern.
    Bits(u128),
    /// The number `nan`, which equals every NaN in a condition.
    NotANumber,
}

/// Comparison operator of a condition or expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationalOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Operator of an [`Expression`] with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Compare(RelationalOp),
    Or,
    Xor,
    And,
    Left,
    Right,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Operator of an [`Expression`] with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Negate,
    Complement,
    Not,
}

/// Comparison operators with their notations. An operator whose notation is a prefix of another operator's notation comes after this
/// operator.
pub(crate) const COMPARISONS: &[(&str, BinaryOp)] = &[
    ("==", BinaryOp::Compare(RelationalOp::Equal)),
    ("!=", BinaryOp::Compare(RelationalOp::NotEqual)),
    ("<=", BinaryOp::Compare(RelationalOp::LessOrEqual)),
    (">=", BinaryOp::Compare(RelationalOp::GreaterOrEqual)),
    ("<", BinaryOp::Compare(RelationalOp::Less)),
    (">", BinaryOp::Compare(RelationalOp::Greater)),
];

/// Binary operators with their notations, grouped by precedence level, the lowest level first.
pub(crate) const LEVELS: &[&[(&str, BinaryOp)]] = &[
    COMPARISONS,
    &[("|", BinaryOp::Or)],
    &[("^", BinaryOp::Xor)],
    &[("&", BinaryOp::And)],
    &[("<<", BinaryOp::Left), (">>", BinaryOp::Right)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[
        ("*", BinaryOp::Multiply),
        ("/", BinaryOp::Divide),
        ("%", BinaryOp::Remainder),
    ],
];

/// Unary operators with their notations. A unary operator precedes its operand.
pub(crate) const SIGNS: [(&str, UnaryOp); 3] = [
    ("-", UnaryOp::Negate),
    ("~", UnaryOp::Complement),
    ("!", UnaryOp::Not),
];

impl BinaryOp {
    pub(crate) fn sign(self) -> &'static str {
        let mut all = LEVELS.iter().copied().flatten();
        all.find(|(_, own)| *own == self)
            .map_or("", |(sign, _)| *sign)
    }
}

impl RelationalOp {
    pub(crate) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            RelationalOp::Equal => left == right,
            RelationalOp::NotEqual => left != right,
            RelationalOp::Less => left < right,
            RelationalOp::LessOrEqual => left <= right,
            RelationalOp::Greater => left > right,
            RelationalOp::GreaterOrEqual => left >= right,
        }
    }
}

/// Parses an unsigned integer in decimal or hexadecimal notation.
pub(crate) fn read_unsigned(text: &str) -> Option<u64> {
    match hexadecimal_digits(text) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Literal {
    /// Parses a number with an optional sign.
    pub(crate) fn read(text: &str) -> Option<Literal> {
        match (text, hexadecimal_digits(text)) {
            ("nan" | "NaN", _) => Some(Literal::NotANumber),
            ("true", _) => Some(Literal::Integer(1)),
            ("false", _) => Some(Literal::Integer(0)),
            (_, Some(digits)) => u128::from_str_radix(digits, 16).ok().map(Literal::Bits),
            (_, None) => {
                let integer = text.parse().ok().map(Literal::Integer);
                integer.or_else(|| read_decimal(text).map(Literal::Float))
            }
        }
    }
}

impl Expression {
    /// Calls a function with this expression and all expressions that it contains.
    pub(crate) fn visit<'a>(&'a self, visitor: &mut impl FnMut(&'a Expression)) {
        visitor(self);
        match self {
            Expression::Literal(_) | Expression::Register(_) => {}
            Expression::As(_, of) | Expression::Unary(_, of) => of.visit(visitor),
            Expression::Element(_, of) => of.iter().for_each(|index| index.visit(visitor)),
            Expression::Binary(_, of) => of.iter().for_each(|operand| operand.visit(visitor)),
        }
    }

    /// Checks whether the value of the expression can differ between lanes.
    pub fn is_of_lanes(&self) -> bool {
        match self {
            Expression::Literal(_) => false,
            Expression::Register(_) => true,
            Expression::As(_, of) | Expression::Unary(_, of) => of.is_of_lanes(),
            Expression::Element(_, of) => of.iter().any(Expression::is_of_lanes),
            Expression::Binary(_, of) => of.iter().any(Expression::is_of_lanes),
        }
    }
}
