//! Instruction descriptors of `tcgen05.mma`: 32-bit encodings of types, sizes and layouts (PTX ISA, "Instruction descriptor").

use super::descriptor::Major;
use crate::modifier::MmaKind;
use crate::types::ScalarType;

/// Fields of a decoded instruction descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionDescriptor {
    /// Number of rows of D, over all CTAs of the group.
    pub m: usize,
    /// Number of columns of D.
    pub n: usize,
    pub a: ScalarType,
    pub b: ScalarType,
    pub d: ScalarType,
    pub a_major: Major,
    pub b_major: Major,
    pub negate: [bool; 2],
    pub is_sparse: bool,
    pub saturates: bool,
    pub selector: u32,
    /// Byte indices of the scale factors of A and of B within their 32-bit words.
    pub factor_ids: [u32; 2],
    pub factor_type: ScalarType,
}

impl InstructionDescriptor {
    /// Returns the sparsity bit of an instruction descriptor for any MMA kind.
    pub const fn is_sparse(bits: u32) -> bool {
        bits >> 2 & 1 != 0
    }

    /// Returns the width in bits of the descriptor field for the element type of B. The field starts at bit 10.
    pub const fn n_b_type_bits(kind: MmaKind) -> u32 {
        match kind {
            MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => 2,
            MmaKind::F16 | MmaKind::Tf32 | MmaKind::I8 | MmaKind::F8f6f4 | MmaKind::Mxf8f6f4 => 3,
        }
    }

    /// Decodes the 32 bits of a descriptor for an MMA kind. Returns `None` for a type that the kind does not support.
    pub fn decode(bits: u32, kind: MmaKind) -> Option<InstructionDescriptor> {
        let field = |from: u32, n: u32| bits >> from & ((1 << n) - 1);
        let is_scaled = kind.is_scaled();
        let d = match (is_scaled, kind, field(4, 2)) {
            (true, ..) => ScalarType::F32,
            (false, MmaKind::I8, 2) => ScalarType::S32,
            (false, MmaKind::F16 | MmaKind::F8f6f4, 0) => ScalarType::F16,
            (false, MmaKind::F16 | MmaKind::F8f6f4 | MmaKind::Tf32, 1) => ScalarType::F32,
            _ => return None,
        };
        let major = |bit| {
            if field(bit, 1) == 1 {
                Major::Mn
            } else {
                Major::K
            }
        };
        Some(InstructionDescriptor {
            m: (field(24, 5) << 4) as usize,
            n: (field(17, 6) << 3) as usize,
            a: factor_type(kind, field(7, 3))?,
            b: factor_type(kind, field(10, InstructionDescriptor::n_b_type_bits(kind)))?,
            d,
            a_major: major(15),
            b_major: major(16),
            negate: [field(13, 1) == 1, field(14, 1) == 1],
            is_sparse: InstructionDescriptor::is_sparse(bits),
            saturates: !is_scaled && field(3, 1) == 1,
            selector: field(0, 2),
            factor_ids: match is_scaled {
                true => [field(29, 2), field(4, 2)],
                false => [0; 2],
            },
            factor_type: match field(23, 1) {
                1 => ScalarType::Ue8m0,
                _ => ScalarType::Ue4m3,
            },
        })
    }
}

/// Returns the element type of an operand matrix that a type code denotes, or `None` for a code that the kind does not support.
const fn factor_type(kind: MmaKind, code: u32) -> Option<ScalarType> {
    use ScalarType as T;
    Some(match (kind, code) {
        (MmaKind::F16, 0) => T::F16,
        (MmaKind::F16, 1) => T::Bf16,
        (MmaKind::Tf32, 2) => T::Tf32,
        (MmaKind::I8, 0) => T::U8,
        (MmaKind::I8, 1) => T::S8,
        (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, 0) => T::E4m3,
        (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, 1) => T::E5m2,
        (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, 3) => T::E2m3,
        (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, 4) => T::E3m2,
        (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, 5) => T::E2m1,
        // These kinds support only one type.
        (MmaKind::Mxf4 | MmaKind::Mxf4nvf4, _) => T::E2m1,
        _ => return None,
    })
}

impl InstructionDescriptor {
    /// Encodes the descriptor. Returns `None` for a type that the kind does not support or for a size that cannot be encoded.
    pub fn encode(&self, kind: MmaKind) -> Option<u32> {
        use ScalarType as T;
        let is_scaled = kind.is_scaled();
        let code = |ty: ScalarType| {
            Some(match (kind, ty) {
                (MmaKind::F16, T::F16) | (MmaKind::I8, T::U8) => 0,
                (MmaKind::F16, T::Bf16) | (MmaKind::I8, T::S8) => 1,
                (MmaKind::Tf32, T::Tf32) => 2,
                (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, T::E4m3) => 0,
                (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, T::E5m2) => 1,
                (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, T::E2m3) => 3,
                (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, T::E3m2) => 4,
                (MmaKind::F8f6f4 | MmaKind::Mxf8f6f4, T::E2m1) => 5,
                (MmaKind::Mxf4 | MmaKind::Mxf4nvf4, T::E2m1) => 1,
                _ => return None,
            })
        };
        let d: u32 = match self.d {
            T::F16 => 0,
            T::F32 => 1,
            T::S32 => 2,
            _ => return None,
        };
        let bit = |is: bool, at: u32| u32::from(is) << at;
        let size = |n: usize, unit: usize, most: usize| {
            let is_whole = n.is_multiple_of(unit) && n / unit <= most;
            is_whole.then_some((n / unit) as u32)
        };
        let mut bits = self.selector & 3
            | bit(self.is_sparse, 2)
            | code(self.a)? << 7
            | code(self.b)? << 10
            | bit(self.negate[0], 13)
            | bit(self.negate[1], 14)
            | bit(self.a_major == Major::Mn, 15)
            | bit(self.b_major == Major::Mn, 16)
            | size(self.n, 8, 63)? << 17
            | size(self.m, 16, 31)? << 24;
        bits |= match is_scaled {
            true => {
                let [of_a, of_b] = self.factor_ids;
                (of_b & 3) << 4 | (of_a & 3) << 29 | bit(self.factor_type == T::Ue8m0, 23)
            }
            false => d << 4 | bit(self.saturates, 3),
        };
        let read = InstructionDescriptor::decode(bits, kind)?;
        (read == *self).then_some(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cute_instruction_descriptors_decode_to_types_and_sizes() {
        // The expected values are from the tables of CuTe.
        let halves = InstructionDescriptor::decode(0x0841_0000, MmaKind::F16).expect("types");
        assert_eq!(
            (halves.m, halves.n, halves.a, halves.d),
            (128, 256, ScalarType::F16, ScalarType::F16)
        );
        assert_eq!((halves.a_major, halves.b_major), (Major::K, Major::Mn));
        let narrow = InstructionDescriptor::decode(0x0818_7280, MmaKind::F8f6f4).expect("types");
        assert_eq!(
            (narrow.a, narrow.b, narrow.n),
            (ScalarType::E2m1, ScalarType::E3m2, 96)
        );
        assert_eq!(narrow.negate, [true, true]);
        let whole = InstructionDescriptor::decode(0x0841_0420, MmaKind::I8).expect("types");
        assert_eq!(
            (whole.a, whole.b, whole.d),
            (ScalarType::U8, ScalarType::S8, ScalarType::S32)
        );
        assert_eq!(
            InstructionDescriptor::decode(0x0841_0420, MmaKind::Tf32),
            None
        );
    }
}
