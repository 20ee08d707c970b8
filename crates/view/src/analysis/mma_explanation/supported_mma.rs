//! List of the MMA instructions of a target for which the user can request an explanation. The list contains the instructions whose sums
//! Tensor Cores round.

use crate::analysis::mma_explanation::{MmaRequest, exists};
use serde::{Deserialize, Serialize};
use warpgrid_emulator::tensor::{
    BitOp, IntegerOverflow, MmaDescription, MmaInstruction, TensorCoreModel,
};
use warpgrid_isa::ScalarType::{self, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, Tf32};
use warpgrid_isa::fragment::{Shape, TensorCoreGeneration};
use warpgrid_isa::{Rounding, Target};

/// MMA instruction for which the user can request an explanation, with its shape and its types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MmaChoice {
    /// Name of the instruction: `wmma` or `mma`.
    pub op: String,
    /// Shape of the matrix multiplication: `m16n16k16`.
    pub shape: String,
    /// Types of the matrices A, B, C and D.
    pub types: Vec<String>,
}

const SHAPES: [(MmaInstruction, Shape); 10] = [
    (MmaInstruction::Mma, Shape::new(16, 8, 16)),
    (MmaInstruction::Mma, Shape::new(16, 8, 8)),
    (MmaInstruction::Mma, Shape::new(16, 8, 4)),
    (MmaInstruction::Mma, Shape::new(16, 8, 32)),
    (MmaInstruction::Mma, Shape::new(8, 8, 4)),
    (MmaInstruction::Wmma, Shape::new(16, 16, 16)),
    (MmaInstruction::Wmma, Shape::new(8, 32, 16)),
    (MmaInstruction::Wmma, Shape::new(32, 8, 16)),
    (MmaInstruction::Wmma, Shape::new(16, 16, 8)),
    (MmaInstruction::Wmma, Shape::new(8, 8, 4)),
];
/// Operand types that A and B must share (`SAME_TYPE_OPERANDS`), and operand types that A and B can combine freely (`NARROW`).
const SAME_TYPE_OPERANDS: [ScalarType; 3] = [F16, Bf16, Tf32];
const NARROW: [ScalarType; 5] = [E4m3, E5m2, E3m2, E2m3, E2m1];
const SUMS: [[ScalarType; 2]; 4] = [[F32, F32], [F16, F16], [F16, F32], [F32, F16]];

fn factors() -> impl Iterator<Item = [ScalarType; 2]> {
    let narrow = NARROW.into_iter().flat_map(|a| NARROW.map(|b| [a, b]));
    SAME_TYPE_OPERANDS
        .into_iter()
        .map(|ty| [ty, ty])
        .chain(narrow)
}

/// Returns the first target of each Tensor Core generation, the oldest generation first.
pub fn targets() -> Vec<String> {
    let names = TensorCoreGeneration::ALL.map(|core| core.first_target().to_owned());
    names.into()
}

/// Returns the MMA instructions of `target` that the user can select.
pub fn choices(target: &str) -> Vec<MmaChoice> {
    let core = Target::from_name(target).and_then(TensorCoreGeneration::of);
    let Some(core) = core else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (op, shape) in SHAPES {
        for [a, b] in factors() {
            for [c, d] in SUMS {
                // Only `wmma` and the first shape of `mma` support different types for C and D.
                let is_mixed = c != d;
                let may_mix =
                    op == MmaInstruction::Wmma || shape == Shape::new(8, 8, 4) && c == F16;
                let is_half = a == F16 || a.width_bits() <= 8;
                if is_mixed && !(may_mix && a == F16) || !is_half && [c, d] != [F32, F32] {
                    continue;
                }
                let product = MmaDescription {
                    core,
                    op,
                    shape,
                    a,
                    b,
                    c,
                    d,
                    overflow: IntegerOverflow::Wrap,
                    rounding: Rounding::Rn,
                    bit_op: BitOp::Xor,
                };
                if exists(&product).is_ok() && TensorCoreModel::new(product).is_ok() {
                    found.push(MmaChoice {
                        op: match op {
                            MmaInstruction::Wmma => "wmma",
                            MmaInstruction::Mma => "mma",
                            MmaInstruction::Wgmma => "wgmma",
                            MmaInstruction::Tcgen05 => "tcgen05",
                        }
                        .to_owned(),
                        shape: shape.to_string(),
                        types: [a, b, c, d].map(|ty| ty.name().to_owned()).into(),
                    });
                }
            }
        }
    }
    found
}

impl MmaChoice {
    /// Checks whether `request` requests this instruction.
    pub fn is_of(&self, request: &MmaRequest) -> bool {
        (&self.op, &self.shape, &self.types) == (&request.op, &request.shape, &request.types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_supported_choice_is_computable() {
        for target in targets() {
            let choices = choices(&target);
            for choice in &choices {
                let request = MmaRequest {
                    op: choice.op.clone(),
                    shape: choice.shape.clone(),
                    types: choice.types.clone(),
                    target: target.clone(),
                    ..MmaRequest::default()
                };
                assert!(choice.is_of(&request));
                assert!(
                    crate::analysis::mma_explanation::product(&request).is_ok(),
                    "{request:?}"
                );
            }
            let has = |ty: &str| choices.iter().any(|choice| choice.types[0] == ty);
            assert!(has("f16"), "{target}");
            assert_eq!(has("e2m1"), target == "sm_120");
            assert_eq!(
                has("e4m3"),
                !["sm_70", "sm_75", "sm_80"].contains(&target.as_str())
            );
        }
    }
}
