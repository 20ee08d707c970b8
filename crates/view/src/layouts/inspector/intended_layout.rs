//! Intended layout of a tile, if it differs from the layout that the descriptors specify. The module takes query parameters, and returns
//! the operand with the intended layout, and the descriptor fields that differ.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::instruction_descriptor::{
    decoded, differences, fields as instruction_fields,
};
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::refusal;
use crate::layouts::tensor::shared_operand::{
    SharedOperand, from_instruction_descriptor, usual_offsets,
};
use warpgrid_isa::tensor_layout::{Major, MatrixDescriptor, SharedMatrixOperand, SwizzleMode};

const DESCRIPTOR_LAYOUT: &str = "per descriptor";

/// Operand of an MMA instruction with the layout in which its tile was stored.
pub(crate) struct IntendedTile {
    pub(crate) matrix: SharedMatrixOperand,
    /// Phrase that names the intended layout: `with swizzle 64B`, `MN-major`, `as was meant`.
    pub(crate) how: String,
    /// Notes on the descriptor fields that differ from the intended layout.
    pub(crate) notes: Vec<String>,
}

/// Parses the parameters of the intended layout. Returns `None` if the query does not specify an intended layout.
pub(crate) fn read(
    words: &mut QueryParams<'_>,
    found: &SharedOperand,
) -> Result<Option<IntendedTile>, FragmentRequestError> {
    let about =
        "the actual swizzle mode of the tile in memory, for a comparison with the descriptor";
    let swizzles = [DESCRIPTOR_LAYOUT, "128B", "64B", "32B", "none"];
    let swizzle = SwizzleMode::from_name(words.choice("stored", &swizzles, about)?);
    let about = "the actual major-ness of the tile in memory, for a comparison with the descriptor";
    let major = match words.choice("stored_major", &[DESCRIPTOR_LAYOUT, "k", "mn"], about)? {
        "k" => Some(Major::K),
        "mn" => Some(Major::Mn),
        _ => None,
    };
    let about = "the bits of the intended descriptor, for a comparison";
    let bits = words.bits("meant", u64::MAX, about)?;
    let mut meant = IntendedTile {
        matrix: found.matrix,
        how: "according to the intended descriptor".to_owned(),
        notes: Vec::new(),
    };
    let is_said = meant.take_instruction(words, found)?;
    if let Some(major) = major {
        meant.matrix.major = major;
    }
    if let Some(bits) = bits {
        meant.take_bits(bits, found)?;
    } else if swizzle.is_some() || major.is_some() || is_said {
        let swizzle = swizzle.unwrap_or(found.matrix.descriptor.swizzle);
        meant.take_usual(swizzle, found);
    } else {
        return Ok(None);
    }
    if let (None, false, Some(swizzle)) = (bits, is_said, swizzle) {
        meant.how = format!("with swizzle {}", swizzle.name());
    } else if let (None, false, Some(major)) = (bits, is_said, major) {
        meant.how = format!("{}-major", if major == Major::Mn { "MN" } else { "K" });
    }
    Ok(Some(meant))
}

impl IntendedTile {
    /// Applies the parameters of the intended instruction descriptor, which are the element type and the major-ness.
    fn take_instruction(
        &mut self,
        words: &mut QueryParams<'_>,
        found: &SharedOperand,
    ) -> Result<bool, FragmentRequestError> {
        let Some(instruction) = &found.instruction else {
            return Ok(false);
        };
        let about = "the bits of the intended instruction descriptor, for a comparison";
        let Some(bits) = words.bits("meant_idesc", u32::MAX.into(), about)? else {
            return Ok(false);
        };
        let (name, kind) = (instruction.kind_name, instruction.kind);
        let intended = decoded(bits, name, kind)?;
        let operand = from_instruction_descriptor(&intended, found.factor, kind)?;
        self.matrix.storage = operand.storage;
        self.matrix.major = operand.major();
        let own = decoded(instruction.bits.into(), name, kind)?;
        self.notes.extend(differences(
            &instruction_fields(instruction.bits, &own, kind),
            &instruction_fields(bits as u32, &intended, kind),
        ));
        Ok(true)
    }

    fn take_bits(&mut self, bits: u64, found: &SharedOperand) -> Result<(), FragmentRequestError> {
        let descriptor = MatrixDescriptor::decode(bits, found.kind).ok_or_else(|| {
            refusal(format!(
                "the intended descriptor 0x{bits:016x} encodes an invalid swizzle mode"
            ))
        })?;
        self.matrix.descriptor = descriptor;
        let stored = SharedOperand {
            matrix: self.matrix,
            written: Some(bits),
            ..found.clone()
        };
        self.notes
            .extend(differences(&found.fields(), &stored.fields()));
        Ok(())
    }

    /// Replaces the intended layout by a contiguous layout with the given swizzle that starts at the same byte as the tile.
    fn take_usual(&mut self, swizzle: SwizzleMode, found: &SharedOperand) {
        let stored = SharedOperand {
            matrix: self.matrix,
            ..found.clone()
        };
        let extent = stored.extent();
        let (leading_bytes, stride_bytes) = usual_offsets(swizzle, self.matrix.major, extent);
        self.matrix.descriptor = MatrixDescriptor {
            start: found.matrix.descriptor.start,
            leading_bytes,
            stride_bytes,
            base_offset: 0,
            swizzle,
        };
    }
}
