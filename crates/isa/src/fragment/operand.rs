//! Register lists of matrix instructions: computes the length and the element type of a register list from the instruction and its
//! modifiers. The checker validates register lists with this result, and the emulator reads the registers accordingly.

use super::FragmentQuery;
use super::operation::{FragmentOp, MatrixOperand, Shape};
use crate::modifier::{Flag, MatrixCount, MatrixLayout, MmaKind, Unpacking};
use crate::modifiers::Modifiers;
use crate::operation::MatrixOp;
use crate::target::Target;
use crate::types::ScalarType;

/// Number of lanes per warp.
const N_LANES: u32 = 32;

/// Registers of a matrix operand in each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandRegisters {
    /// Number of registers, or `None` if the assembler does not check the length of the list.
    pub n: Option<usize>,
    /// Type of the elements in the registers.
    pub ty: ScalarType,
}

/// Returns the registers of the operand `matrix` of `op`, or `None` if the instruction has no such operand or a modifier is missing.
pub fn operand_registers(
    op: MatrixOp,
    modifiers: &Modifiers,
    matrix: MatrixOperand,
) -> Option<OperandRegisters> {
    let ty = element_type(op, modifiers, matrix)?;
    if let MatrixOp::Ldmatrix | MatrixOp::Stmatrix = op {
        return Some(OperandRegisters {
            n: matrices_registers(modifiers)?,
            ty,
        });
    }
    let shape = modifiers.shape?;
    let shape = Shape::new(shape.rows, shape.columns, shape.depth);
    let is_factor = matches!(matrix, MatrixOperand::A | MatrixOperand::B);
    let is_wmma = !is_mma(op);
    // The `f16` vector has eight registers in every shape (PTX ISA, "wmma.load").
    if is_wmma && is_factor && ty == ScalarType::F16 {
        return Some(OperandRegisters { n: Some(8), ty });
    }
    let is_sparse = matches!(op, MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled);
    let (rows, columns) = match matrix == MatrixOperand::A && is_sparse {
        true => (shape.m, shape.k / 2),
        false => shape.size(matrix),
    };
    // In `mma.m8n8k4` with `f16` operands, each quarter of the warp multiplies separate matrices.
    let is_quartered = op == MatrixOp::Mma
        && shape == Shape::new(8, 8, 4)
        && modifiers.a_type == Some(ScalarType::F16);
    let n_matrices = if is_quartered { 4 } else { 1 };
    let bits = u32::from(rows) * u32::from(columns) * n_matrices * held_bits(modifiers, ty);
    let register_bits = if ty == ScalarType::F64 { 64 } else { 32 };
    let n = (bits / (N_LANES * register_bits)) as usize;
    Some(OperandRegisters { n: Some(n), ty })
}

/// Returns the matrix that an instruction transfers to or from memory. For instructions without a transfer, returns the result D.
pub const fn moved_matrix(op: MatrixOp) -> MatrixOperand {
    match op {
        MatrixOp::WmmaLoadA => MatrixOperand::A,
        MatrixOp::WmmaLoadB => MatrixOperand::B,
        MatrixOp::WmmaLoadC => MatrixOperand::C,
        MatrixOp::WmmaStore
        | MatrixOp::WmmaMma
        | MatrixOp::Mma
        | MatrixOp::MmaBlockScaled
        | MatrixOp::MmaSparse
        | MatrixOp::MmaSparseBlockScaled
        | MatrixOp::Ldmatrix
        | MatrixOp::Stmatrix => MatrixOperand::D,
    }
}

/// Returns the maximum sparsity selector: one, two or four lanes in each group of four provide metadata (PTX ISA, "Sparse matrix storage").
/// For ordered metadata of `f16` with `f32` accumulators, the assembler accepts the selectors of the smaller shape in the larger shape, too
/// (assembler 13.5).
pub fn last_selector(modifiers: &Modifiers) -> Option<u64> {
    let (a_type, d_type) = (modifiers.a_type?, modifiers.d_type?);
    let is_ordered = modifiers.has(Flag::OrderedSparse);
    let depth = match u64::from(modifiers.shape?.depth) {
        32 if is_ordered && (a_type, d_type) == (ScalarType::F16, ScalarType::F32) => 16,
        depth => depth,
    };
    let lanes = match a_type.width_bits() {
        32 => depth,
        4 if modifiers.kind.is_none() => depth / 4,
        _ => depth / 2,
    };
    Some((u64::from(N_LANES) / lanes.clamp(1, u64::from(N_LANES))) - 1)
}

const fn is_mma(op: MatrixOp) -> bool {
    matches!(
        op,
        MatrixOp::Mma
            | MatrixOp::MmaBlockScaled
            | MatrixOp::MmaSparse
            | MatrixOp::MmaSparseBlockScaled
    )
}

/// Returns the number of register bits that an element occupies. Sub-byte floats occupy one byte if their kind also permits 8-bit types.
fn held_bits(modifiers: &Modifiers, ty: ScalarType) -> u32 {
    match modifiers.kind {
        Some(MmaKind::F8f6f4 | MmaKind::Mxf8f6f4) => ty.width_bits().max(8),
        Some(MmaKind::Mxf4 | MmaKind::Mxf4nvf4 | MmaKind::F16 | MmaKind::Tf32 | MmaKind::I8)
        | None => ty.width_bits(),
    }
}

/// Returns the element type of the operand `matrix`.
fn element_type(op: MatrixOp, modifiers: &Modifiers, matrix: MatrixOperand) -> Option<ScalarType> {
    match (op, matrix) {
        (MatrixOp::WmmaLoadA, MatrixOperand::A)
        | (MatrixOp::WmmaLoadB, MatrixOperand::B)
        | (MatrixOp::WmmaLoadC, MatrixOperand::C)
        | (MatrixOp::WmmaStore, MatrixOperand::D) => modifiers.ty,
        (MatrixOp::Ldmatrix | MatrixOp::Stmatrix, MatrixOperand::D) => {
            Some(modifiers.ty.unwrap_or(ScalarType::B8))
        }
        (
            MatrixOp::WmmaMma
            | MatrixOp::Mma
            | MatrixOp::MmaBlockScaled
            | MatrixOp::MmaSparse
            | MatrixOp::MmaSparseBlockScaled,
            matrix,
        ) => match matrix {
            // `wmma.mma` on half-precision operand matrices specifies only the types of the accumulators.
            MatrixOperand::A if modifiers.b_type.is_none() => {
                modifiers.a_type.or(Some(ScalarType::F16))
            }
            MatrixOperand::B if modifiers.a_type.is_none() => {
                modifiers.b_type.or(Some(ScalarType::F16))
            }
            MatrixOperand::A => modifiers.a_type,
            MatrixOperand::B => modifiers.b_type,
            MatrixOperand::C => modifiers.c_type,
            MatrixOperand::D => modifiers.d_type,
        },
        (
            MatrixOp::WmmaLoadA
            | MatrixOp::WmmaLoadB
            | MatrixOp::WmmaLoadC
            | MatrixOp::WmmaStore
            | MatrixOp::Ldmatrix
            | MatrixOp::Stmatrix,
            _,
        ) => None,
    }
}

/// Returns the number of registers of `ldmatrix` and `stmatrix`: one per matrix, or two for matrices of 16 rows of 16 elements.
fn matrices_registers(modifiers: &Modifiers) -> Option<Option<usize>> {
    let shape = modifiers.shape?;
    let each = usize::from(shape.rows / 8) * usize::from(shape.columns / 8);
    // Matrices with byte elements require half as many registers as matrices with 16-bit elements.
    let each = match modifiers.ty {
        Some(ScalarType::B16) => each,
        _ => each.div_ceil(2),
    };
    Some(match modifiers.count? {
        MatrixCount::X1 => Some(each),
        MatrixCount::X2 => Some(2 * each),
        MatrixCount::X4 => Some(4 * each),
        MatrixCount::X8
        | MatrixCount::X16
        | MatrixCount::X32
        | MatrixCount::X64
        | MatrixCount::X128 => None,
    })
}

impl FragmentQuery {
    /// Returns the fragment map of the operand `matrix` of `op`. If the instruction does not specify a layout, the function queries the
    /// default layout of the operation.
    pub fn of_operand(
        op: MatrixOp,
        modifiers: &Modifiers,
        matrix: MatrixOperand,
        target: Target,
    ) -> Option<FragmentQuery> {
        let found = FragmentOp::of_operand(op, modifiers, matrix)?;
        let shape = modifiers.shape?;
        let shape = Shape::new(shape.rows, shape.columns, shape.depth);
        let layout = match op {
            MatrixOp::WmmaLoadA
            | MatrixOp::WmmaLoadB
            | MatrixOp::WmmaLoadC
            | MatrixOp::WmmaStore => modifiers.layout,
            MatrixOp::Ldmatrix | MatrixOp::Stmatrix => Some(match modifiers.has(Flag::Trans) {
                true => MatrixLayout::Col,
                false => MatrixLayout::Row,
            }),
            MatrixOp::WmmaMma
            | MatrixOp::Mma
            | MatrixOp::MmaBlockScaled
            | MatrixOp::MmaSparse
            | MatrixOp::MmaSparseBlockScaled => match matrix {
                MatrixOperand::A => modifiers.layout,
                MatrixOperand::B => modifiers.b_layout,
                MatrixOperand::C | MatrixOperand::D => None,
            },
        };
        let ty = match (modifiers.unpacking, element_type(op, modifiers, matrix)?) {
            (Some(Unpacking::B6), _) => ScalarType::E3m2,
            (Some(Unpacking::B4), _) => ScalarType::E2m1,
            // In shape m8n8, the manual documents `wmma.store` only for `.s32`, but assembler 13.5 also accepts `.f32`. Both types have the
            // same fragment.
            (None, ScalarType::F32) if found.is_wmma() && shape.m == 8 && shape.n == 8 => {
                ScalarType::S32
            }
            (None, ty) => ty,
        };
        Some(FragmentQuery {
            op: found,
            shape,
            ty,
            layout,
            target,
        })
    }
}

impl FragmentOp {
    /// Returns the fragment operation of the operand `matrix` of `op`, if it has a fragment map.
    pub fn of_operand(
        op: MatrixOp,
        modifiers: &Modifiers,
        matrix: MatrixOperand,
    ) -> Option<FragmentOp> {
        let wmma = match matrix {
            MatrixOperand::A => FragmentOp::LoadA,
            MatrixOperand::B => FragmentOp::LoadB,
            MatrixOperand::C => FragmentOp::LoadC,
            MatrixOperand::D => FragmentOp::StoreD,
        };
        element_type(op, modifiers, matrix)?;
        match op {
            MatrixOp::WmmaLoadA
            | MatrixOp::WmmaLoadB
            | MatrixOp::WmmaLoadC
            | MatrixOp::WmmaStore
            | MatrixOp::WmmaMma => Some(wmma),
            MatrixOp::Mma | MatrixOp::MmaBlockScaled => Some(match matrix {
                MatrixOperand::A => FragmentOp::MmaA,
                MatrixOperand::B => FragmentOp::MmaB,
                MatrixOperand::C => FragmentOp::MmaC,
                MatrixOperand::D => FragmentOp::MmaD,
            }),
            MatrixOp::Ldmatrix => match modifiers.count? {
                MatrixCount::X1 => Some(FragmentOp::LdmatrixX1),
                MatrixCount::X2 => Some(FragmentOp::LdmatrixX2),
                MatrixCount::X4 => Some(FragmentOp::LdmatrixX4),
                MatrixCount::X8
                | MatrixCount::X16
                | MatrixCount::X32
                | MatrixCount::X64
                | MatrixCount::X128 => None,
            },
            MatrixOp::Stmatrix => match modifiers.count? {
                MatrixCount::X1 => Some(FragmentOp::StmatrixX1),
                MatrixCount::X2 => Some(FragmentOp::StmatrixX2),
                MatrixCount::X4 => Some(FragmentOp::StmatrixX4),
                MatrixCount::X8
                | MatrixCount::X16
                | MatrixCount::X32
                | MatrixCount::X64
                | MatrixCount::X128 => None,
            },
            MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled => None,
        }
    }
}
