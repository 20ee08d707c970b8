//! Whether memory after a run is what the scenario promises, bit for bit.

use crate::model::FaultView;
use crate::scenario::{Buffer, ExpectedFault};
use crate::value::{ElementType, Literal};
use serde::{Deserialize, Serialize};

/// The first difference of a buffer, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    pub buffer: String,
    /// Element that differs first.
    pub index: u64,
    pub found: String,
    pub expected: String,
    pub n_wrong: u64,
}

/// The bytes of a literal list, little-endian; missing elements are zero.
pub fn bytes_of(ty: ElementType, values: &[Literal], len: u64) -> Result<Vec<u8>, String> {
    let width = ty.width_bytes();
    let mut bytes = Vec::with_capacity(values.len() * width);
    for (index, value) in values.iter().enumerate() {
        let bits = ty
            .encode(value)
            .map_err(|why| format!("element {index}: {why}"))?;
        bytes.extend_from_slice(&bits.to_le_bytes()[..width]);
    }
    if values.len() as u64 > len {
        return Err(format!("{} values for {len} elements", values.len()));
    }
    bytes.resize(len as usize * width, 0);
    Ok(bytes)
}

/// Compares a buffer's bytes with `expect` and `one_of`; the text says what is wrong with the expectation itself.
pub fn compare(buffer: &Buffer, bytes: &[u8]) -> Result<Option<Mismatch>, String> {
    let ty = ElementType::from_name(&buffer.ty)
        .ok_or_else(|| format!("unknown element type `{}`", buffer.ty))?;
    let mut first: Option<Mismatch> = None;
    let mut note = |index: usize, found: u128, expected: String| match &mut first {
        Some(mismatch) => mismatch.n_wrong += 1,
        None => {
            first = Some(Mismatch {
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
        if values.len() as u64 > buffer.len {
            return Err(format!(
                "`{}` expects {} values of {} elements",
                buffer.name,
                values.len(),
                buffer.len
            ));
        }
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

fn describe(ty: ElementType, bits: u128) -> String {
    format!("{} ({})", ty.text(bits), ty.hex(bits))
}

/// Whether a fault is the one that the case names; the text says what differs.
pub fn compare_fault(
    expected: Option<&ExpectedFault>,
    found: Option<&FaultView>,
) -> Option<String> {
    let (expected, found) = match (expected, found) {
        (None, None) => return None,
        (None, Some(found)) => return Some(format!("the launch stopped: {}", found.message)),
        (Some(expected), None) => {
            return Some(format!(
                "the launch ended well, expected a `{}` fault",
                expected.kind
            ));
        }
        (Some(expected), Some(found)) => (expected, found),
    };
    let differs = |what: &str, found: String, expected: String| {
        Some(format!(
            "{what} of the fault: found {found}, expected {expected}"
        ))
    };
    if expected.kind != found.kind {
        return differs("kind", found.kind.clone(), expected.kind.clone());
    }
    if expected.buffer.is_some() && expected.buffer != found.buffer {
        return differs(
            "buffer",
            format!("{:?}", found.buffer),
            format!("{:?}", expected.buffer),
        );
    }
    if expected.space.is_some() && expected.space != found.space {
        return differs(
            "space",
            format!("{:?}", found.space),
            format!("{:?}", expected.space),
        );
    }
    if expected.byte_offset.is_some() && expected.byte_offset != found.byte_offset {
        return differs(
            "byte offset",
            format!("{:?}", found.byte_offset),
            format!("{:?}", expected.byte_offset),
        );
    }
    if expected.width.is_some() && expected.width != found.width {
        return differs(
            "width",
            format!("{:?}", found.width),
            format!("{:?}", expected.width),
        );
    }
    if let Some(thread) = expected.thread.filter(|thread| *thread != found.thread) {
        return differs(
            "thread",
            format!("{:?}", found.thread),
            format!("{thread:?}"),
        );
    }
    if let Some(block) = expected.block.filter(|block| *block != found.block) {
        return differs("block", format!("{:?}", found.block), format!("{block:?}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_and_their_number_are_told() {
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
    fn a_race_may_end_with_any_of_its_values() {
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
