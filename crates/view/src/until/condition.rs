//! Conditions on registers: `lane 3: %r5 == 7`. A text goes in; the condition, or a sentence with its place, comes out.
//!
//! ```text
//! condition := [place ":"] register comparison number
//! place     := one or more of  block N  warp N  lane N  thread N
//! number    := 7  -4  0x1f  1.5  nan  inf  -inf  true  false
//! ```
//! Without a place any lane of any warp may meet it. A number in hexadecimal is compared with the bits of the register, one with a point as a
//! float of the register's width, one with a sign (and any where it is asked whether it is below 0) as a signed integer, and any other as the type of the register says.

use super::UntilError;
use warpgrid_isa::ScalarType;
use warpgrid_isa::read_decimal;
use warpgrid_launch::value::ElementType;

/// A condition to show.
const EXAMPLE: &str = "lane 3: %r5 == 7";
const COMPARISONS: &str = "one of `==`, `!=`, `<`, `<=`, `>` and `>=`";
/// Longest text of a condition.
const MAX_BYTES: usize = 1_000;

/// A condition as it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub place: Place,
    pub register: String,
    pub comparison: Comparison,
    pub number: Number,
    /// The place of the register in the text.
    pub(super) register_at: (u32, u32),
}

/// The lanes that something is asked of: all of which it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub block: Option<u64>,
    pub warp: Option<u32>,
    pub lane: Option<u8>,
}

/// How a register is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Those of two characters first, so that none is read as a part of another.
    const ALL: [(&'static str, Comparison); 6] = [
        ("==", Comparison::Equal),
        ("!=", Comparison::NotEqual),
        ("<=", Comparison::LessOrEqual),
        (">=", Comparison::GreaterOrEqual),
        ("<", Comparison::Less),
        (">", Comparison::Greater),
    ];

    fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Comparison::Equal => left == right,
            Comparison::NotEqual => left != right,
            Comparison::Less => left < right,
            Comparison::LessOrEqual => left <= right,
            Comparison::Greater => left > right,
            Comparison::GreaterOrEqual => left >= right,
        }
    }
}

/// What a register is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
    /// In hexadecimal.
    Bits(u128),
    NotANumber,
}

/// What is wrong, and its place in bytes.
struct Mistake {
    message: String,
    from: usize,
    to: usize,
}

impl Condition {
    /// Reads a condition.
    pub fn read(text: &str) -> Result<Condition, UntilError> {
        if text.len() > MAX_BYTES {
            let n = text.len();
            let message = format!("found a condition of {n} bytes, expected at most {MAX_BYTES}");
            return Err(UntilError::new(message));
        }
        Condition::read_parts(text).map_err(|mistake| UntilError {
            at: units(text, mistake.from, mistake.to),
            message: mistake.message,
        })
    }

    fn read_parts(text: &str) -> Result<Condition, Mistake> {
        let whole = Part { text, start: 0 };
        let (place, rest) = match text.find(':') {
            Some(at) => (Some(whole.part(0, at)), whole.part(at + 1, text.len())),
            None => (None, whole),
        };
        let (register, comparison, number) = rest.compared()?;
        if register.text.is_empty() || register.text.contains(char::is_whitespace) {
            let found = match register.text {
                "" => "no register".to_owned(),
                other => format!("`{other}`"),
            };
            return Err(register.mistake(format!(
                "found {found}, expected a register before the comparison, as in `{EXAMPLE}`"
            )));
        }
        let mut condition = Condition {
            place: Place::default(),
            register: register.text.to_owned(),
            comparison,
            number: number.number()?,
            register_at: units(text, register.start, register.start + register.text.len()),
        };
        if let Some(place) = place {
            condition.place.add(place)?;
        }
        Ok(condition)
    }
}

impl Place {
    /// What a place begins with.
    pub const WORDS: [&str; 4] = ["block", "warp", "lane", "thread"];

    /// Reads a place: `warp 1 lane 3`.
    pub fn read(text: &str) -> Result<Place, String> {
        let mut place = Place::default();
        let whole = Part { text, start: 0 };
        place
            .add(whole.part(0, text.len()))
            .map_err(|mistake| mistake.message)?;
        Ok(place)
    }

    fn add(&mut self, place: Part<'_>) -> Result<(), Mistake> {
        let mut words = place.words();
        let mut is_empty = true;
        while let Some(word) = words.next() {
            is_empty = false;
            let Some(number) = words.next() else {
                return Err(word.mistake(format!("found `{}` without a number", word.text)));
            };
            self.set(word.text, number.text)
                .map_err(|message| Mistake {
                    message,
                    from: word.start,
                    to: number.start + number.text.len(),
                })?;
        }
        match is_empty {
            true => Err(place.mistake("found no thread before `:`, expected one such as `lane 3`")),
            false => Ok(()),
        }
    }

    /// Sets what a word of the place says; the sentence says why not.
    fn set(&mut self, word: &str, number: &str) -> Result<(), String> {
        if !Place::WORDS.contains(&word) {
            return Err(format!(
                "found `{word}`, expected `block`, `warp`, `lane` or `thread`"
            ));
        }
        let value: u64 = number
            .parse()
            .map_err(|_| format!("found `{number}`, expected a number from 0 after `{word}`"))?;
        let small = |value: u64| {
            u32::try_from(value)
                .map_err(|_| format!("found {word} {value}, expected at most 4294967295"))
        };
        let is_given_twice = match word {
            "block" => self.block.replace(value).is_some(),
            "warp" => self.warp.replace(small(value)?).is_some(),
            "lane" if value > 31 => return Err(format!("found lane {value}, expected 0 to 31")),
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

impl Condition {
    /// Whether a register of this type with these bits meets it.
    pub fn holds(&self, ty: ScalarType, bits: u128) -> bool {
        let element = float_of(ty);
        match (self.number, element) {
            (Number::Bits(number), _) => self.comparison.holds(bits, number),
            (Number::NotANumber, _) => {
                let float = element
                    .or(untyped_float(ty))
                    .and_then(|element| element.float(bits));
                self.comparison.holds(float.is_some_and(f64::is_nan), true)
            }
            (Number::Integer(number), Some(element)) => element
                .float(bits)
                .is_some_and(|value| self.comparison.holds(value, number as f64)),
            (Number::Float(number), _) => {
                let float = element
                    .or(untyped_float(ty))
                    .and_then(|element| element.float(bits));
                // A decimal is rounded as the text of a program is.
                let number = element
                    .or(untyped_float(ty))
                    .map_or(number, |element| element.rounded(number));
                float.is_some_and(|value| self.comparison.holds(value, number))
            }
            (Number::Integer(number), None) => {
                // Below zero is nothing that is unsigned: who asks for it means a sign.
                let asks_for_sign = number == 0
                    && matches!(
                        self.comparison,
                        Comparison::Less | Comparison::GreaterOrEqual
                    );
                let value = match number < 0 || asks_for_sign || ty.is_signed() {
                    true => signed(bits, ty.width_bits()),
                    false => bits as i128,
                };
                self.comparison.holds(value, number)
            }
        }
    }
}

/// The float that a type is.
fn float_of(ty: ScalarType) -> Option<ElementType> {
    match ty {
        ScalarType::F16 => Some(ElementType::F16),
        ScalarType::Bf16 => Some(ElementType::Bf16),
        ScalarType::F32 | ScalarType::Tf32 => Some(ElementType::F32),
        ScalarType::F64 => Some(ElementType::F64),
        _ => None,
    }
}

/// The float that bits of this width may hold.
fn untyped_float(ty: ScalarType) -> Option<ElementType> {
    match ty.width_bits() {
        16 => Some(ElementType::F16),
        32 => Some(ElementType::F32),
        64 => Some(ElementType::F64),
        _ => None,
    }
}

fn signed(bits: u128, width: u32) -> i128 {
    match width {
        1..128 => (bits << (128 - width)) as i128 >> (128 - width),
        _ => bits as i128,
    }
}

/// A place in UTF-16 units; one unit where it is empty.
fn units(text: &str, from: usize, to: usize) -> (u32, u32) {
    let count = |to: usize| text.get(..to).map_or(0, |part| part.encode_utf16().count()) as u32;
    let (start, end) = (count(from), count(to));
    (start, end.max(start + 1))
}

/// A part of the text without blanks around it, with its place in bytes.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    text: &'a str,
    start: usize,
}

impl<'a> Part<'a> {
    fn part(self, from: usize, to: usize) -> Part<'a> {
        let part = self.text.get(from..to).unwrap_or("");
        let trimmed = part.trim_start();
        Part {
            start: self.start + from + part.len() - trimmed.len(),
            text: trimmed.trim_end(),
        }
    }

    fn mistake(self, message: impl Into<String>) -> Mistake {
        Mistake {
            message: message.into(),
            from: self.start,
            to: self.start + self.text.len(),
        }
    }

    fn words(self) -> impl Iterator<Item = Part<'a>> {
        let is_gap = |c: char| c.is_whitespace() || c == ',';
        let mut rest = self;
        std::iter::from_fn(move || {
            let gap = rest.text.len() - rest.text.trim_start_matches(is_gap).len();
            rest = rest.part(gap, rest.text.len());
            let end = rest.text.find(is_gap).unwrap_or(rest.text.len());
            let word = rest.part(0, end);
            rest = rest.part(end, rest.text.len());
            (!word.text.is_empty()).then_some(word)
        })
    }

    /// What is before and after the comparison.
    fn compared(self) -> Result<(Part<'a>, Comparison, Part<'a>), Mistake> {
        let Some(at) = self.text.find(['=', '!', '<', '>']) else {
            return Err(self.mistake(format!(
                "found no comparison, expected {COMPARISONS}, as in `{EXAMPLE}`"
            )));
        };
        let rest = self.text.get(at..).unwrap_or("");
        let known = Comparison::ALL
            .iter()
            .find(|(word, _)| rest.starts_with(word));
        let Some((word, comparison)) = known else {
            let found = self.part(at, at + 1);
            return Err(found.mistake(format!("found `{}`, expected {COMPARISONS}", found.text)));
        };
        let number = self.part(at + word.len(), self.text.len());
        Ok((self.part(0, at), *comparison, number))
    }

    fn number(self) -> Result<Number, Mistake> {
        let text = self.text;
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let found = match (text, digits) {
            ("nan" | "NaN", _) => Some(Number::NotANumber),
            ("inf", _) => Some(Number::Float(f64::INFINITY)),
            ("-inf", _) => Some(Number::Float(f64::NEG_INFINITY)),
            ("true", _) => Some(Number::Integer(1)),
            ("false", _) => Some(Number::Integer(0)),
            (_, Some(digits)) => u128::from_str_radix(digits, 16).ok().map(Number::Bits),
            (_, None) => {
                let integer = text.parse().ok().map(Number::Integer);
                integer.or_else(|| read_decimal(text).map(Number::Float))
            }
        };
        found.ok_or_else(|| {
            self.mistake(match text.is_empty() {
                true => "found no number after the comparison".to_owned(),
                false => {
                    format!("found `{text}`, expected a number such as `7`, `-4`, `0x1f` or `1.5`")
                }
            })
        })
    }
}
