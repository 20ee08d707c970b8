//! Bit-exact comparison of memory after a run with the expectations of the scenario.

use crate::scenario::{Buffer, ExpectedFault};
use crate::value::{ElementType, Literal};
use serde::{Deserialize, Serialize};
use std::fmt;
use warpgrid_program::counted;

/// First difference between a buffer and its expected contents, and the number of differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferMismatch {
    pub buffer: String,
    /// Index of the first differing element.
    pub index: u64,
    pub found: String,
    pub expected: String,
    pub n_wrong: u64,
}

/// Returns the little-endian bytes of a list of literals. Elements without a literal are zero.
pub fn bytes_of(ty: ElementType, values: &[Literal], len: u64) -> Result<Vec<u8>, String> {
    let width = ty.width_bytes();
    let mut bytes = Vec::with_capacity(values.len() * width);
    for (index, value) in values.iter().enumerate() {
        let bits = ty
            .encode(value)
            .map_err(|reason| format!("element {index}: {reason}"))?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    if values.len() as u64 > len {
        let found = counted(values.len(), "value");
        return Err(format!("found {found} for {}", counted(len, "element")));
    }
    bytes.resize(len as usize * width, 0);
    Ok(bytes)
}

/// Compares the bytes of a buffer with `expect` and `one_of`. Returns the first mismatch, if any. The error is a
/// message about an invalid expectation.
pub fn compare(buffer: &Buffer, bytes: &[u8]) -> Result<Option<BufferMismatch>, String> {
    let ty = ElementType::from_name(&buffer.ty)
        .ok_or_else(|| format!("unknown element type `{}`", buffer.ty))?;
    let mut first: Option<BufferMismatch> = None;
    let mut note = |index: usize, found: u128, expected: String| match &mut first {
        Some(mismatch) => mismatch.n_wrong += 1,
        None => {
            first = Some(BufferMismatch {
                buffer: buffer.name.clone(),
                index: index as u64,
                found: describe(ty, found),
                expected,
                n_wrong: 1,
            });
        }
    };
    let elements = bytes
        .chunks(ty.width_bytes())
        .map(|chunk| ty.bits(chunk))
        .enumerate();
    if let Some(values) = &buffer.expect {
        check_count(buffer, values)?;
        for ((index, found), value) in elements.zip(values) {
            let expected = ty.encode(value)?;
            if found != expected {
                note(index, found, describe(ty, expected));
            }
        }
    } else if let Some(choices) = &buffer.one_of {
        for ((index, found), choices) in elements.zip(choices) {
            let mut allowed = false;
            for choice in choices {
                allowed |= ty.encode(choice)? == found;
            }
            if !allowed {
                let shown: Vec<String> = choices
                    .iter()
                    .take(4)
                    .map(|c| describe(ty, ty.encode(c).unwrap_or(0)))
                    .collect();
                note(
                    index,
                    found,
                    format!("one of {} values: {}, …", choices.len(), shown.join(", ")),
                );
            }
        }
    }
    Ok(first)
}

/// Returns an error if the number of expected values exceeds the number of elements.
fn check_count(buffer: &Buffer, values: &[Literal]) -> Result<(), String> {
    if values.is_empty() && buffer.len > 0 {
        return Err(format!(
            "the expectation for the buffer `{}` has an empty list of values for {}: specify at least one value or omit `expect`",
            buffer.name,
            counted(buffer.len, "element")
        ));
    }
    if values.len() as u64 > buffer.len {
        return Err(format!(
            "`{}` has {} for {}",
            buffer.name,
            counted(values.len(), "expected value"),
            counted(buffer.len, "element")
        ));
    }
    Ok(())
}

fn describe(ty: ElementType, bits: u128) -> String {
    format!("{} ({})", ty.text(bits), ty.hex(bits))
}

/// Compares the fault of a run and its message with the expected fault. Returns a message that describes the
/// difference, if any.
pub fn compare_fault(
    expected: Option<&ExpectedFault>,
    found: Option<(&ExpectedFault, &str)>,
) -> Option<String> {
    let (expected, found) = match (expected, found) {
        (None, None) => return None,
        (None, Some((_, message))) => return Some(format!("unexpected fault: {message}")),
        (Some(expected), None) => {
            return Some(format!(
                "the launch completed without a fault, but a fault of kind `{}` was expected",
                expected.kind.name()
            ));
        }
        (Some(expected), Some((found, _))) => (expected, found),
    };
    if expected.kind != found.kind {
        return Some(differs("kind", found.kind.name(), expected.kind.name()));
    }
    difference("buffer", &expected.buffer, &found.buffer)
        .or_else(|| difference("space", &expected.space, &found.space))
        .or_else(|| difference("byte offset", &expected.byte_offset, &found.byte_offset))
        .or_else(|| difference("width", &expected.width, &found.width))
        .or_else(|| difference("thread", &expected.thread, &found.thread))
        .or_else(|| difference("block", &expected.block, &found.block))
}

/// Describes the difference of one field of the fault, if the scenario specifies an expected value for this field.
fn difference<T: PartialEq + fmt::Debug>(
    what: &str,
    expected: &Option<T>,
    found: &Option<T>,
) -> Option<String> {
    let differ = expected.is_some() && expected != found;
    differ.then(|| differs(what, &format!("{found:?}"), &format!("{expected:?}")))
}

fn differs(what: &str, found: &str, expected: &str) -> String {
    format!("{what} of the fault: found {found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compare_reports_first_mismatch_and_count() {
        let buffer = Buffer {
            name: "out".into(),
            ty: "u16".into(),
            len: 4,
            expect: Some(vec![
                Literal::Integer(1),
                Literal::Integer(2),
                Literal::Integer(3),
            ]),
            ..Buffer::default()
        };
        let mismatch = compare(&buffer, &[1, 0, 9, 0, 9, 0, 7, 7])
            .expect("a sound expectation")
            .expect("a difference");
        assert_eq!((mismatch.index, mismatch.n_wrong), (1, 2));
        assert_eq!(
            (mismatch.found.as_str(), mismatch.expected.as_str()),
            ("9 (0x0009)", "2 (0x0002)")
        );
    }

    #[test]
    fn one_of_expectation_accepts_any_listed_value() {
        let choices = vec![vec![Literal::Integer(1), Literal::Integer(5)]];
        let buffer = Buffer {
            ty: "u8".into(),
            len: 1,
            one_of: Some(choices),
            ..Buffer::default()
        };
        assert_eq!(compare(&buffer, &[5]), Ok(None));
        assert!(compare(&buffer, &[4]).expect("sound").is_some());
    }
}
