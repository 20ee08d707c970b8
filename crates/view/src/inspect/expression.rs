//! Watch expressions: `out[3] + %r5`. A text goes in; the expression, or a sentence that names the place, comes out.
//!
//! ```text
//! watch   := [place ":"] expression
//! place   := one or more of  block N  warp N  lane N  thread N
//! operand := 7  0x1f  1.5  inf  nan  %r5  name[expression]  type(expression)  (expression)
//! ```
//! Between operands are the operators of C, with its precedence but for comparisons, which bind least; before them `-`, `~` and `!`.
//! `type(…)` reads the bits as another type of cells: `f32(%r5)`, `bin32(out[0])`.

use super::number::{Binary, LEVELS, Number, Unary};
use crate::memory_id::MemoryId;
use crate::until::condition::Place;
use warpgrid_isa::form::nearest;
use warpgrid_isa::read_decimal;
use warpgrid_launch::value::ElementType;

/// Longest text of an expression, in bytes.
pub const MAX_LENGTH: usize = 500;
/// Deepest nesting of an expression.
const MAX_DEPTH: u32 = 40;

/// An expression, and the lanes that it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchExpression {
    pub place: Place,
    pub expression: Expression,
}

/// What is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Integer(i128),
    Float(f64),
    Register(String),
    /// One index, or one for each extent.
    Element(MemoryId, Vec<Expression>),
    As(ElementType, Box<Expression>),
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<[Expression; 2]>),
}

impl Expression {
    pub(super) fn literal(&self) -> Option<Number> {
        match self {
            Expression::Integer(value) => Some(Number::Integer(*value)),
            Expression::Float(value) => Some(Number::Float(*value, None)),
            _ => None,
        }
    }

    /// Whether its value is one for each lane.
    pub fn is_of_lanes(&self) -> bool {
        match self {
            Expression::Integer(_) | Expression::Float(_) => false,
            Expression::Register(_) => true,
            Expression::As(_, of) | Expression::Unary(_, of) => of.is_of_lanes(),
            Expression::Element(_, of) => of.iter().any(Expression::is_of_lanes),
            Expression::Binary(_, of) => of.iter().any(Expression::is_of_lanes),
        }
    }
}

impl WatchExpression {
    /// Reads an expression.
    pub fn read(text: &str) -> Result<WatchExpression, String> {
        let n = text.len();
        if n > MAX_LENGTH {
            return Err(format!(
                "found an expression of {n} bytes, expected at most {MAX_LENGTH}"
            ));
        }
        let first = text.split_whitespace().next().unwrap_or("");
        let has_place = Place::WORDS.contains(&first);
        let (place, rest) = match text.split_once(':').filter(|_| has_place) {
            Some((place, rest)) => (Place::read(place)?, rest),
            None => (Place::default(), text),
        };
        let mut reader = Reader { rest, depth: 0 };
        let expression = reader.level(0)?;
        match reader.next_char() {
            None => Ok(WatchExpression { place, expression }),
            Some(_) => Err(reader.expected("an operator such as `+` or `==`")),
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: u32,
}

impl<'a> Reader<'a> {
    /// The next character that is no blank.
    fn next_char(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, word: &str) -> bool {
        self.next_char();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn need(&mut self, word: &str) -> Result<(), String> {
        match self.take(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{word}`"))),
        }
    }

    fn expected(&mut self, what: &str) -> String {
        match self.next_char() {
            None => format!("found the end, expected {what}"),
            Some(_) => {
                let found: String = self.rest.chars().take(16).collect();
                format!("found `{}`, expected {what}", found.trim_end())
            }
        }
    }

    /// Operands of one level of operators, from left to right.
    fn level(&mut self, level: usize) -> Result<Expression, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn operator(&mut self, of_level: &[(&str, Binary)]) -> Option<Binary> {
        self.next_char();
        // `<` and `>` of comparisons are not the beginnings of shifts.
        let is_shift = self.rest.starts_with("<<") || self.rest.starts_with(">>");
        let is_meant = |(sign, operator): &&(&str, Binary)| {
            let is_comparison = matches!(operator, Binary::Less | Binary::Greater);
            self.rest.starts_with(sign) && !(is_shift && is_comparison)
        };
        let (sign, operator) = of_level.iter().find(is_meant)?;
        self.rest = self.rest.get(sign.len()..)?;
        Some(*operator)
    }

    fn operand(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("found more than {MAX_DEPTH} levels of nesting"));
        }
        let found = self.deeper();
        self.depth -= 1;
        found
    }

    fn deeper(&mut self) -> Result<Expression, String> {
        let signs = [
            ("-", Unary::Negate),
            ("~", Unary::Complement),
            ("!", Unary::Not),
        ];
        for (sign, operator) in signs {
            if self.take(sign) {
                return Ok(Expression::Unary(operator, Box::new(self.operand()?)));
            }
        }
        if self.take("(") {
            let within = self.level(0)?;
            self.need(")")?;
            return Ok(within);
        }
        match self.next_char() {
            Some('0'..='9' | '.') => self.number(),
            Some(c) if c.is_alphabetic() || "%_$".contains(c) => self.named(),
            _ => {
                Err(self
                    .expected("a register such as `%r5`, an element such as `out[3]` or a number"))
            }
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let bytes = self.rest.as_bytes();
        let is_part = |at: usize, byte: u8| {
            let sign = at > 0 && matches!(byte, b'+' | b'-');
            let of_exponent = sign && matches!(bytes.get(at - 1), Some(b'e' | b'E'));
            let is_hex = self.rest.starts_with("0x") || self.rest.starts_with("0X");
            byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' || (of_exponent && !is_hex)
        };
        let n = bytes.iter().enumerate();
        let n = n.take_while(|(at, byte)| is_part(*at, **byte)).count();
        let (word, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, ""));
        let digits = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let integer = match digits {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        };
        let float = || read_decimal(word).filter(|_| digits.is_none());
        let found = integer.map(Expression::Integer);
        let found = found.or_else(|| float().map(Expression::Float));
        self.rest = rest;
        found.ok_or_else(|| format!("found `{word}`, expected a number"))
    }

    /// A register, an element, a type that bits are read as, or a word for a float.
    fn named(&mut self) -> Result<Expression, String> {
        let is_part = |(at, c): &(usize, char)| {
            c.is_alphanumeric() || "_$".contains(*c) || (*at == 0 && *c == '%')
        };
        let mut n = self
            .rest
            .char_indices()
            .take_while(is_part)
            .map(|(at, c)| at + c.len_utf8())
            .last()
            .unwrap_or(0);
        // `shared:0[4]`, `var:table[1]`.
        if self.rest.get(n..).is_some_and(|rest| rest.starts_with(':')) {
            let after = self.rest.get(n + 1..).unwrap_or("");
            let more = after.find(|c: char| !(c.is_alphanumeric() || "_$%".contains(c)));
            n += 1 + more.unwrap_or(after.len());
        }
        let (name, rest) = self.rest.split_at_checked(n).unwrap_or((self.rest, ""));
        self.rest = rest;
        let mut indices = Vec::new();
        while self.take("[") {
            indices.push(self.level(0)?);
            self.need("]")?;
        }
        if !indices.is_empty() {
            return Ok(Expression::Element(MemoryId::from(name), indices));
        }
        if self.take("(") {
            let ty = ElementType::from_name(name).ok_or_else(|| unknown_type(name))?;
            let within = self.level(0)?;
            self.need(")")?;
            return Ok(Expression::As(ty, Box::new(within)));
        }
        Ok(match name {
            "inf" => Expression::Float(f64::INFINITY),
            "nan" => Expression::Float(f64::NAN),
            _ => Expression::Register(name.to_owned()),
        })
    }
}

fn unknown_type(name: &str) -> String {
    let names = ElementType::ALL.iter().map(|(name, _)| *name);
    let meant = nearest(name, names);
    let help = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    format!("found `{name}(`, expected a type such as `f32` or `u16`{help}")
}
