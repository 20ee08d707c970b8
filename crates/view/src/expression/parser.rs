//! Parsers of conditions, watch expressions and lane selections.

use crate::diagnostics::suggestion;
use crate::expression::lexer::{Lexer, SyntaxError};
use crate::expression::tree::{
    BinaryOp, Expression, LaneFilter, Literal, RegisterCondition, WatchExpression,
};
use crate::expression::tree::{COMPARISONS, LEVELS, SIGNS};
use crate::session::memory_id::MemoryKey;
use warpgrid_launch::value::ElementType;

/// Example of a condition, which error messages contain.
const EXAMPLE: &str = "lane 3: %r5 == 7";
const SOME_COMPARISON: &str = "one of `==`, `!=`, `<`, `<=`, `>` and `>=`";
const SOME_OPERATOR: &str = "an operator such as `+` or `==`";
const SOME_OPERAND: &str = "a register such as `%r5`, an element such as `out[3]` or a number";
/// Maximum length of the text of a watch expression, in bytes.
const MAX_LENGTH: usize = 500;
/// Maximum nesting depth of an expression.
const MAX_DEPTH: u32 = 40;

impl RegisterCondition {
    pub(crate) fn parse(text: &str) -> Result<RegisterCondition, SyntaxError> {
        let mut lexer = Lexer::new(text);
        let place = match text.contains(':') {
            true => LaneFilter::parse(&mut lexer)?,
            false => LaneFilter::default(),
        };
        let register = lexer.take_while(|c| !"=!<>".contains(c));
        let Some(BinaryOp::Compare(comparison)) = lexer.operator(COMPARISONS) else {
            let sign = lexer.take_while(|c| "=!<>".contains(c));
            return Err(match sign.text {
                "" => register.error(format!(
                    "the condition contains no comparison, expected {SOME_COMPARISON}, as in `{EXAMPLE}`"
                )),
                found => sign.error(format!("found `{found}`, expected {SOME_COMPARISON}")),
            });
        };
        if register.text.is_empty() || register.text.contains(char::is_whitespace) {
            let found = match register.text {
                "" => "no register".to_owned(),
                other => format!("`{other}`"),
            };
            return Err(register.error(format!(
                "found {found}, expected a register before the comparison, as in `{EXAMPLE}`"
            )));
        }
        let number = lexer.take_while(|_| true);
        Ok(RegisterCondition {
            place,
            register: register.text.to_owned(),
            comparison,
            number: Literal::read(number.text).ok_or_else(|| {
                number.error(match number.text {
                    "" => {
                        "the condition contains no number after the comparison operator".to_owned()
                    }
                    found => format!(
                        "found `{found}`, expected a number such as `7`, `-4`, `0x1f` or `1.5`"
                    ),
                })
            })?,
            register_range: register.range(),
        })
    }
}

impl LaneFilter {
    /// Keywords with which a lane selection can start.
    pub(crate) const WORDS: [&str; 4] = ["block", "warp", "lane", "thread"];

    /// Parses a lane selection: `warp 1 lane 3`. A colon may follow the selection.
    pub(crate) fn read(text: &str) -> Result<LaneFilter, String> {
        let mut lexer = Lexer::new(text);
        let place = LaneFilter::parse(&mut lexer);
        let end = place.and_then(|place| lexer.end("a register").map(|()| place));
        end.map_err(|error| error.message)
    }

    /// Parses a lane selection up to and including `:`, or up to the end of the text.
    fn parse(lexer: &mut Lexer<'_>) -> Result<LaneFilter, SyntaxError> {
        let mut place = LaneFilter::default();
        let mut word = lexer.word();
        while !word.text.is_empty() {
            let number = lexer.word();
            if number.text.is_empty() {
                return Err(word.error(format!("found `{}` without a number", word.text)));
            }
            place
                .set(word.text, number.text)
                .map_err(|message| SyntaxError {
                    message,
                    range: word.start..number.range().end,
                })?;
            word = lexer.word();
        }
        lexer.take(":");
        match place == LaneFilter::default() {
            true => Err(word.error(
                "the prefix before `:` names no thread, expected a prefix such as `lane 3`",
            )),
            false => Ok(place),
        }
    }

    /// Sets the number that follows a keyword of a lane selection. The error is a message for the user.
    fn set(&mut self, word: &str, number: &str) -> Result<(), String> {
        if !LaneFilter::WORDS.contains(&word) {
            return Err(format!(
                "found `{word}`, expected `block`, `warp`, `lane` or `thread`"
            ));
        }
        let value: u64 = number.parse().map_err(|_| {
            format!("found `{number}` after `{word}`, expected a nonnegative integer")
        })?;
        let small = |value: u64| {
            u32::try_from(value)
                .map_err(|_| format!("found the {word} index {value}, expected at most 4294967295"))
        };
        let is_given_twice = match word {
            "block" => self.block.replace(value).is_some(),
            "warp" => self.warp.replace(small(value)?).is_some(),
            "lane" if value > 31 => {
                return Err(format!("found the lane index {value}, expected 0 to 31"));
            }
            "lane" => self.lane.replace(value as u8).is_some(),
            _ => {
                let lane = self.lane.replace((value % 32) as u8);
                self.warp.replace(small(value / 32)?).is_some() || lane.is_some()
            }
        };
        match is_given_twice {
            true => Err(format!("found `{word}` twice")),
            false => Ok(()),
        }
    }
}

impl WatchExpression {
    /// Parses a watch expression. The error is a message for the user.
    pub fn read(text: &str) -> Result<WatchExpression, String> {
        let n = text.len();
        if n > MAX_LENGTH {
            return Err(format!(
                "the expression has {n} bytes, expected at most {MAX_LENGTH}"
            ));
        }
        WatchExpression::parse(text).map_err(|error| error.message)
    }

    pub(crate) fn parse(text: &str) -> Result<WatchExpression, SyntaxError> {
        let mut lexer = Lexer::new(text);
        let first = text.split_whitespace().next().unwrap_or("");
        // Parse a lane selection only after one of its keywords, because a memory name such as `shared:0[2]` can also contain a colon.
        let place = match LaneFilter::WORDS.contains(&first) && text.contains(':') {
            true => LaneFilter::parse(&mut lexer)?,
            false => LaneFilter::default(),
        };
        let mut parser = Parser { lexer, depth: 0 };
        let expression = parser.level(0)?;
        parser.lexer.end(SOME_OPERATOR)?;
        Ok(WatchExpression { place, expression })
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    depth: u32,
}

impl Parser<'_> {
    /// Parses operands that left-associative operators of one precedence level combine.
    fn level(&mut self, level: usize) -> Result<Expression, SyntaxError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.lexer.operator(operators) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let token = self.lexer.take_while(|_| true);
            return Err(token.error(format!(
                "the expression has more than {MAX_DEPTH} levels of nesting"
            )));
        }
        let operand = self.nested_operand();
        self.depth -= 1;
        operand
    }

    fn nested_operand(&mut self) -> Result<Expression, SyntaxError> {
        for (sign, operator) in SIGNS {
            if self.lexer.take(sign) {
                return Ok(Expression::Unary(operator, Box::new(self.operand()?)));
            }
        }
        if self.lexer.take("(") {
            return self.until(")");
        }
        match self.lexer.rest().chars().next() {
            Some('0'..='9' | '.') => {
                let number = self.lexer.number();
                let literal = Literal::read(number.text).map(Expression::Literal);
                literal.ok_or_else(|| {
                    number.error(format!("found `{}`, expected a number", number.text))
                })
            }
            Some(c) if c.is_alphabetic() || "%_$".contains(c) => self.named(),
            _ => Err(self.lexer.expected(SOME_OPERAND)),
        }
    }

    fn until(&mut self, sign: &str) -> Result<Expression, SyntaxError> {
        let expression = self.level(0)?;
        self.lexer.need(sign)?;
        Ok(expression)
    }

    /// Parses an operand that starts with a name: a register, an element, a reinterpretation, `inf` or `nan`.
    fn named(&mut self) -> Result<Expression, SyntaxError> {
        let name = self.lexer.name();
        let mut indices = Vec::new();
        while self.lexer.take("[") {
            indices.push(self.until("]")?);
        }
        if !indices.is_empty() {
            return Ok(Expression::Element(MemoryKey::from(name.text), indices));
        }
        if self.lexer.take("(") {
            let Some(ty) = ElementType::from_name(name.text) else {
                let names = &mut ElementType::ALL.iter().map(|(name, _)| *name);
                let (name_text, help) = (name.text, suggestion(name.text, names));
                return Err(name.error(format!(
                    "found `{name_text}(`, expected a type such as `f32` or `u16`{help}"
                )));
            };
            return Ok(Expression::As(ty, Box::new(self.until(")")?)));
        }
        Ok(match name.text {
            "inf" => Expression::Literal(Literal::Float(f64::INFINITY)),
            "nan" => Expression::Literal(Literal::NotANumber),
            text => Expression::Register(text.to_owned()),
        })
    }
}
