//! Detection of 64-bit constants in a source that may be shared-memory descriptors. For the constant at a position, the module returns the
//! fields of the descriptor.

use crate::expression::tree::read_unsigned;
use crate::layouts::tensor::DescriptorField;
use crate::layouts::tensor::shared_operand::fields;
use crate::url_encoding::LAYOUTS;
use warpgrid_isa::tensor_layout::{DescriptorKind, MatrixDescriptor};

/// Constant in a source whose bits have the format of a shared-memory descriptor. An editor shows its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DescriptorLiteral {
    /// Byte range of the constant in the source.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) bits: u64,
    /// Instruction family of the descriptor: `wgmma` or `tcgen05`.
    pub(crate) family: &'static str,
    pub(crate) fields: Vec<DescriptorField>,
}

/// Returns the descriptor constant at the byte position `at` of the source.
pub(crate) fn descriptor_at(source: &str, at: usize) -> Option<DescriptorLiteral> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = source.get(..at)?;
    let mut start = before.rfind(|c| !is_part(c)).map_or(0, |found| found + 1);
    let after = source.get(at..)?;
    let end = at + after.find(|c| !is_part(c)).unwrap_or(after.len());
    let token = source.get(start..end)?.trim_end_matches('U');
    let value = read_unsigned(token)?;
    let is_negative = source.get(..start)?.ends_with('-');
    start -= usize::from(is_negative);
    let bits = if is_negative {
        value.wrapping_neg()
    } else {
        value
    };
    let (family, kind, descriptor) = form_of(bits)?;
    Some(DescriptorLiteral {
        start,
        end,
        bits,
        family,
        fields: fields(bits, &descriptor, kind, None),
    })
}

/// Returns the URL fragment of the tile of a descriptor, or `None` if the value does not match a descriptor format.
pub fn descriptor_link(bits: u64) -> Option<String> {
    let (family, ..) = form_of(bits)?;
    Some(tile_link(family, bits))
}

/// Returns the URL fragment of the tile of a shared-memory descriptor.
pub(crate) fn tile_link(family: &str, bits: u64) -> String {
    format!("{LAYOUTS}?op={family}.tile.a&descriptor=0x{bits:x}")
}

/// Returns the URL fragment of an instruction descriptor of `tcgen05.mma`.
pub fn instruction_descriptor_link(kind: &str, bits: u64) -> String {
    format!("{LAYOUTS}?op=tcgen05.idesc&kind={kind}&descriptor=0x{bits:x}")
}

/// Returns the instruction family and the fields of a possible descriptor. The function accepts only values with a nonzero offset and with
/// zeros in the unused bits.
fn form_of(bits: u64) -> Option<(&'static str, DescriptorKind, MatrixDescriptor)> {
    /// Bits that are 0 in the descriptors of both families: 14, 15, 30, 31, and 53 to 60.
    const UNUSED: u64 = 0x1fe0_0000_c000_c000;
    let (kind, family) = match bits >> 46 & 7 {
        0 => (DescriptorKind::Warpgroup, "wgmma"),
        1 => (DescriptorKind::TensorMemory, "tcgen05"),
        _ => return None,
    };
    let descriptor = MatrixDescriptor::decode(bits, kind)?;
    let is_one = bits & UNUSED == 0 && bits > u64::from(u32::MAX) && descriptor.stride_bytes > 0;
    is_one.then_some((family, kind, descriptor))
}

#[cfg(test)]
mod tests {
    use super::descriptor_at;

    #[test]
    fn descriptor_like_literals_are_decoded() {
        let text = "or.b64 %d, %d, 4611686293313683456;  add.s64 %e, %d, -9223371899411562496; mov.b64 %f, 0x4000004000010040; mov.b64 %g, 0x3ff0000000000000; mov.b64 %h, 4611686018427387905;";
        let found = |word: &str| {
            let at = text.find(word).expect("the word") + 3;
            descriptor_at(text, at).map(|found| {
                let all: Vec<String> = found
                    .fields
                    .iter()
                    .map(|field| field.meaning.clone())
                    .collect();
                (
                    found.family,
                    text[found.start..found.end].to_owned(),
                    all.join("; "),
                )
            })
        };
        let wgmma = found("4611686293313683456").expect("a descriptor");
        assert_eq!(wgmma.0, "wgmma");
        assert!(
            wgmma.2.contains("1024 bytes = 64 × 16 bytes"),
            "{}",
            wgmma.2
        );
        assert_eq!(
            found("9223371899411562496").map(|found| found.1).as_deref(),
            Some("-9223371899411562496")
        );
        assert!(found("0x4000004000010040").is_some());
        // The following values are not descriptors: the bits of 1.0, and a number without offsets.
        assert_eq!(found("0x3ff0"), None);
        assert_eq!(found("4611686018427387905"), None);
    }
}
