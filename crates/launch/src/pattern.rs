//! Patterns that initialize buffers: `iota`, `random 7`, `nan`, `bytes 00ff` or a value, optionally followed by exceptions for single elements, such as
//! `0 [5000]=7`.
//!
//! ```text
//! pattern := base { "[" index "]=" value }
//! base    := "iota" | "random" seed | "nan" | "bytes" hexadecimal digits | value
//! ```
//! `random` draws floating-point numbers from -1 (inclusive) to 1 (exclusive) in steps of 1/256, which all floating-point types of at least
//! 16 bits represent exactly, and integers from 0 to 99. The numbers depend only on the seed.

use crate::diagnostics::not_a_literal;
use crate::value::{ElementType, Literal};
use warpgrid_program::counted;

/// Maximum number of exceptions in a pattern.
const MAX_PLACES: usize = 4_096;

/// Pattern that determines the initial elements of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub base: FillPattern,
    /// Exceptions: elements that differ from the base pattern, with their values, ordered by index.
    pub places: Vec<(u64, Literal)>,
}

/// Base pattern, which determines the values of all elements that are not exceptions.
#[derive(Clone, Debug, PartialEq)]
pub enum FillPattern {
    /// Ascending numbers 0, 1, 2, …
    Iota,
    Random(u64),
    NotANumber,
    /// Bytes of the first elements in little-endian order. The bytes of the remaining elements are zero.
    Bytes(Vec<u8>),
    Value(Literal),
}

impl Pattern {
    /// Parses a pattern. Returns `None` for a single value or a list. For any other text, the error is a message.
    pub fn read(text: &str) -> Result<Option<Pattern>, String> {
        let (base, places) = match text.find('[') {
            Some(0) => return Ok(None),
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let base = base.trim();
        let is_list = base.contains(',') || base.starts_with(['{', '&']);
        let base = match base.split_whitespace().collect::<Vec<_>>()[..] {
            _ if is_list => return Ok(None),
            ["iota"] => FillPattern::Iota,
            ["nan" | "NaN"] => FillPattern::NotANumber,
            ["random", seed] => FillPattern::Random(seed.parse().map_err(|_| {
                format!("found `random {seed}`, expected an integer seed, as in `random 7`")
            })?),
            ["random"] => FillPattern::Random(0),
            ["bytes", digits] => FillPattern::Bytes(read_bytes(digits)?),
            [_] if places.is_empty() => return Ok(None),
            [value] => FillPattern::Value(literal(value)?),
            _ => return Ok(None),
        };
        let places = read_places(places)?;
        Ok(Some(Pattern { base, places }))
    }

    /// Formats the pattern in the notation of `//@` lines.
    pub fn text(&self) -> String {
        let mut text = match &self.base {
            FillPattern::Iota => "iota".to_owned(),
            FillPattern::Random(seed) => format!("random {seed}"),
            FillPattern::NotANumber => "nan".to_owned(),
            FillPattern::Bytes(bytes) => bytes_text(bytes),
            FillPattern::Value(value) => value.to_string(),
        };
        for (index, value) in &self.places {
            text.push_str(&format!(" [{index}]={value}"));
        }
        text
    }

    /// Returns the pattern with an exception for the element at `index`.
    #[must_use]
    pub fn with(mut self, index: u64, value: Literal) -> Pattern {
        match self.places.binary_search_by_key(&index, |(at, _)| *at) {
            Ok(at) => self.places[at].1 = value,
            Err(at) => self.places.insert(at, (index, value)),
        }
        self
    }

    /// Checks whether the maximum number of exceptions is reached.
    pub fn is_full(&self) -> bool {
        self.places.len() >= MAX_PLACES
    }

    /// Returns the bytes of `len` elements of type `ty`. The error is a message about a value that the type cannot represent.
    pub fn bytes(&self, ty: ElementType, len: u64) -> Result<Vec<u8>, String> {
        let width = ty.width_bytes();
        let mut bytes = Vec::with_capacity(len as usize * width);
        let mut add = |bits: u128| bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
        match &self.base {
            FillPattern::Iota => (0..len).for_each(|index| add(iota_bits(ty, index))),
            FillPattern::Random(seed) => {
                let mut draw = PatternRng::new(*seed);
                (0..len).for_each(|_| add(draw.element(ty)));
            }
            FillPattern::NotANumber => {
                let bits = ty.float_bits(f64::NAN);
                let bits = bits.ok_or_else(|| format!("the type `{ty}` has no NaN"))?;
                (0..len).for_each(|_| add(bits));
            }
            FillPattern::Bytes(stated) => {
                let size = len as usize * width;
                if stated.len() > size {
                    return Err(format!(
                        "found {}, but the buffer has only {}",
                        counted(stated.len() as u64, "byte"),
                        counted(size as u64, "byte")
                    ));
                }
                bytes.extend_from_slice(stated);
                bytes.resize(size, 0);
            }
            FillPattern::Value(value) => {
                let bits = ty.encode(value)?;
                (0..len).for_each(|_| add(bits));
            }
        }
        for (index, value) in &self.places {
            let bits = ty.encode(value)?.to_le_bytes();
            let start = usize::try_from(*index)
                .ok()
                .and_then(|at| at.checked_mul(width));
            let place = start.and_then(|start| bytes.get_mut(start..start.checked_add(width)?));
            let place = place.ok_or_else(|| {
                let len = counted(len, "element");
                format!("the element index {index} is out of bounds for a buffer of {len}")
            })?;
            place.copy_from_slice(&bits[..width]);
        }
        Ok(bytes)
    }
}

/// Formats bytes as a pattern: `bytes 00ff`.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(6 + 2 * bytes.len());
    text.push_str("bytes ");
    for byte in bytes {
        text.extend(
            [byte >> 4, byte & 15].map(|digit| char::from(HEXADECIMAL_DIGITS[usize::from(digit)])),
        );
    }
    text
}

const HEXADECIMAL_DIGITS: [u8; 16] = *b"0123456789abcdef";

/// Parses the bytes of a pattern, which have two hexadecimal digits each.
fn read_bytes(digits: &str) -> Result<Vec<u8>, String> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let text = str::from_utf8(pair).ok().filter(|text| text.len() == 2)?;
        let is_hexadecimal = text.bytes().all(|digit| digit.is_ascii_hexdigit());
        u8::from_str_radix(text, 16).ok().filter(|_| is_hexadecimal)
    });
    pairs.collect::<Option<Vec<u8>>>().ok_or_else(|| {
        "expected two hexadecimal digits for each byte, as in `bytes 00ff`".to_owned()
    })
}

/// Parses the exceptions of a pattern, such as `[5]=7 [9]=1.5`.
fn read_places(text: &str) -> Result<Vec<(u64, Literal)>, String> {
    let mut pattern = Pattern {
        base: FillPattern::Iota,
        places: Vec::new(),
    };
    for place in text.split('[').skip(1) {
        let parts = place.split_once(']').and_then(|(index, rest)| {
            let value = rest.trim().strip_prefix('=')?;
            Some((index.trim().parse().ok()?, value.trim()))
        });
        let (index, value) =
            parts.ok_or_else(|| format!("found `[{}`, expected `[5000]=7`", place.trim()))?;
        if pattern.is_full() {
            return Err(format!(
                "the initializer has more than {MAX_PLACES} values of single elements"
            ));
        }
        pattern = pattern.with(index, literal(value)?);
    }
    Ok(pattern.places)
}

fn literal(text: &str) -> Result<Literal, String> {
    Literal::read(text).ok_or_else(|| not_a_literal(text).message)
}

/// Returns the bits of an index in the element type. For integer types, the index wraps around.
fn iota_bits(ty: ElementType, index: u64) -> u128 {
    ty.float_bits(index as f64).unwrap_or(index.into())
}

/// Pseudorandom number generator whose sequence depends only on the seed. The generator is xorshift64 (G. Marsaglia, "Xorshift RNGs",
/// 2003).
struct PatternRng(u64);

impl PatternRng {
    fn new(seed: u64) -> PatternRng {
        // The multiplication ensures that seeds that differ in one bit do not produce similar sequences. The state must not be zero, so the
        // lowest bit is set.
        PatternRng(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 32
    }

    fn element(&mut self, ty: ElementType) -> u128 {
        let drawn = self.next();
        let float = (drawn % 512) as f64 / 256.0 - 1.0;
        ty.float_bits(float).unwrap_or((drawn % 100).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, ty: ElementType, len: u64) -> Result<Vec<u8>, String> {
        Pattern::read(text)?.ok_or("no pattern")?.bytes(ty, len)
    }

    #[test]
    fn patterns_round_trip_through_source_form() {
        for text in [
            "iota",
            "random 7",
            "nan",
            "0 [5000]=7",
            "1.5 [0]=2.5 [3]=0x3f",
            "random 0 [1]=-4",
            "bytes 00ff7f",
            "bytes 01 [1]=2",
        ] {
            let read = Pattern::read(text).expect("a pattern").expect("a pattern");
            assert_eq!(read.text(), text);
        }
        for text in [
            "7",
            "0x1f",
            "1, 2",
            "[1, 2]",
            "&out",
            "&out+16",
            "",
            "some words",
        ] {
            assert_eq!(Pattern::read(text), Ok(None), "{text}");
        }
        for text in [
            "0 [a]=1",
            "0 [1]",
            "random x",
            "iota [1]=x",
            "bytes 0",
            "bytes +1",
            "bytes 0é",
        ] {
            assert!(Pattern::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn index_overrides_replace_pattern_elements() {
        assert_eq!(
            bytes("iota [1]=9", ElementType::U8, 4),
            Ok(vec![0, 9, 2, 3])
        );
        assert_eq!(bytes("0 [2]=-1", ElementType::S8, 3), Ok(vec![0, 0, 255]));
        assert_eq!(
            bytes("nan", ElementType::F16, 1).map(|bytes| bytes[1] & 0x7e),
            Ok(0x7e)
        );
        assert!(bytes("nan", ElementType::U32, 1).is_err());
        assert!(bytes("0 [4]=1", ElementType::U8, 4).is_err());
        assert!(bytes("0 [1]=256", ElementType::U8, 4).is_err());
    }

    #[test]
    fn bytes_initialize_first_elements() {
        let found = bytes("bytes 0102ff", ElementType::U16, 2);
        assert_eq!(found, Ok(vec![1, 2, 255, 0]));
        let found = bytes("bytes 0102 [1]=5", ElementType::U8, 2);
        assert_eq!(found, Ok(vec![1, 5]));
        assert!(bytes("bytes 0102ff", ElementType::U8, 2).is_err());
    }

    #[test]
    fn random_pattern_is_deterministic_per_seed() {
        let drawn = |seed: u64| bytes(&format!("random {seed}"), ElementType::F32, 64);
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        let all_values = bytes("random 1", ElementType::U8, 256).expect("bytes");
        assert!(all_values.iter().all(|byte| *byte < 100));
        assert!(all_values.windows(2).any(|pair| pair[0] != pair[1]));
    }
}
