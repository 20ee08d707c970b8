//! Decoder of warpgroup matrix multiplications (`wgmma`) and sparse matrix multiplications of a warp (`mma.sp`).

use crate::code::decoded_op::DecodedOp;
use crate::code::held::InFlightRegisters;
use crate::code::warp_product::{MmaOperandLocation, WarpMmaPlan};
use crate::contract::pending::{AsyncGroupKind, GroupWait};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder, matrix};
use crate::semantics::tensor::algorithm::{BitOp, IntegerOverflow, MmaDescription, MmaInstruction};
use crate::semantics::tensor::block_scaling::ScaleType;
use crate::semantics::tensor::model::TensorCoreModel;
use warpgrid_isa::fragment::{MatrixOperand, Shape, TensorCoreGeneration};
use warpgrid_isa::tensor_layout::{DescriptorKind, Major};
use warpgrid_isa::{AtomicOp, Flag, MmaKind, Rounding, ScalarType, WarpgroupOp};
use warpgrid_program::OperandValue;

pub(crate) fn supports(op: WarpgroupOp) -> Support {
    match op {
        WarpgroupOp::MmaAsync
        | WarpgroupOp::MmaAsyncSparse
        | WarpgroupOp::Fence
        | WarpgroupOp::Commit
        | WarpgroupOp::Wait => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: WarpgroupOp) -> DecodeResult<DecodedOp> {
    let kind = AsyncGroupKind::Products;
    match op {
        WarpgroupOp::MmaAsync => product(d, MatrixSparsity::Dense),
        WarpgroupOp::MmaAsyncSparse => product(d, MatrixSparsity::Sparse),
        // The fence has no effect, because `wgmma` reads its register operands at issue.
        WarpgroupOp::Fence => Ok(DecodedOp::Nop),
        WarpgroupOp::Commit => Ok(d.commit(kind)),
        WarpgroupOp::Wait => Ok(DecodedOp::AsyncWait(GroupWait {
            kind,
            latest: Some(d.immediate(0)? as u32),
            reads: false,
        })),
    }
}

/// Whether matrix A of a multiplication is dense or sparse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatrixSparsity {
    Dense,
    Sparse,
}

/// Decodes the operands of `wgmma`: `d, a, b{, metadata, selector}, scale-d{, scale-a, scale-b{, trans-a}, trans-b}`.
fn product(d: &mut Decoder<'_>, sparsity: MatrixSparsity) -> DecodeResult<DecodedOp> {
    let (plan, depth) = plan(d, MmaInstruction::Wgmma, sparsity)?;
    let n_columns = d.modifiers.shape.map_or(0, |shape| shape.columns.into());
    let (sums, _) = d.destinations(0)?;
    let (after, sparse) = match sparsity {
        MatrixSparsity::Dense => (3, None),
        MatrixSparsity::Sparse => (5, Some((d.element(3, 32)?, d.immediate(4)? as u32))),
    };
    let negated = |d: &Decoder<'_>, at| Ok(number(d, at)?.is_some_and(|n| n as i64 == -1));
    let negate = [negated(d, after + 1)?, negated(d, after + 2)?];
    let major = |d: &Decoder<'_>, at| {
        let is_transposed = number(d, at)? == Some(1);
        Ok(if is_transposed { Major::Mn } else { Major::K })
    };
    let (a_major, b_major) = (major(d, after + 3)?, major(d, after + 4)?);
    let a = match d.operand(1) {
        OperandValue::List(_) => MmaOperandLocation::Registers(d.sources(1, 32)?.0),
        _ => MmaOperandLocation::Described {
            descriptor: d.element(1, 64)?,
            major: a_major,
        },
    };
    let b = MmaOperandLocation::Described {
        descriptor: d.element(2, 64)?,
        major: b_major,
    };
    let adds = d.condition(after)?;
    Ok(DecodedOp::Warpgroup(d.code.warp_products.add(
        WarpMmaPlan {
            plan,
            kind: DescriptorKind::Warpgroup,
            c: sums.clone(),
            d: sums,
            d_type: d.modifiers.d_type.unwrap_or(ScalarType::F32),
            a,
            b,
            n_columns,
            depth,
            adds,
            negate,
            sparse,
            element_bits: element_bits(d),
            held: d.held(),
            factors: None,
        },
    )))
}

/// Decodes an optional immediate operand.
fn number(d: &Decoder<'_>, at: usize) -> DecodeResult<Option<u64>> {
    match d.operand(at) {
        OperandValue::Absent => Ok(None),
        _ => d.immediate(at).map(Some),
    }
}

/// Decodes the operands of `mma.sp`: `d, a, b, c, metadata, selector{, scale factors of A and of B}`, all of which are
/// registers.
pub(crate) fn sparse_of_warp(d: &mut Decoder<'_>) -> DecodeResult<WarpMmaPlan> {
    let (plan, depth) = plan(d, MmaInstruction::Mma, MatrixSparsity::Sparse)?;
    let factors = match d.is_absent(6) {
        true => None,
        false => Some([
            matrix::factors(d, MatrixOperand::A, 6)?,
            matrix::factors(d, MatrixOperand::B, 8)?,
        ]),
    };
    Ok(WarpMmaPlan {
        plan,
        kind: DescriptorKind::Warpgroup,
        d: d.destinations(0)?.0,
        c: d.sources(3, 32)?.0,
        d_type: d.modifiers.d_type.unwrap_or(ScalarType::F32),
        a: MmaOperandLocation::Registers(d.sources(1, 32)?.0),
        b: MmaOperandLocation::Registers(d.sources(2, 32)?.0),
        n_columns: d.modifiers.shape.map_or(0, |shape| shape.columns.into()),
        depth,
        adds: None,
        negate: [false; 2],
        sparse: Some((d.element(4, 32)?, d.immediate(5)? as u32)),
        element_bits: element_bits(d),
        held: InFlightRegisters::default(),
        factors,
    })
}

/// Returns the width in bits of an element of A and an element of B. Single-bit elements are stored in words of 32
/// elements, and a `tf32` element occupies one word. A float with fewer than 8 bits occupies one byte, unless both
/// matrices have packed 4-bit elements.
fn element_bits(d: &Decoder<'_>) -> [u32; 2] {
    let is_packed = matches!(d.modifiers.kind, Some(MmaKind::Mxf4 | MmaKind::Mxf4nvf4));
    let bits = |ty: Option<ScalarType>| match ty {
        Some(ScalarType::B1 | ScalarType::Tf32) | None => 32,
        Some(ty) if ty.is_float() && !is_packed => ty.width_bits().max(8),
        Some(ty) => ty.width_bits(),
    };
    [bits(d.modifiers.a_type), bits(d.modifiers.b_type)]
}

/// Returns the plan of a matrix multiplication, and the number of products per element of D.
fn plan(
    d: &Decoder<'_>,
    op: MmaInstruction,
    sparsity: MatrixSparsity,
) -> DecodeResult<(TensorCoreModel, usize)> {
    let modifiers = d.modifiers;
    let missing = || DecodeError::missing("type");
    let d_type = modifiers.d_type.ok_or_else(missing)?;
    let shape = modifiers
        .shape
        .ok_or_else(|| DecodeError::missing("shape"))?;
    let core = TensorCoreGeneration::of(d.program.target);
    // A sparse matrix stores half of the elements in each row.
    let terms = match sparsity {
        MatrixSparsity::Dense => shape.depth,
        MatrixSparsity::Sparse => shape.depth / 2,
    };
    let product = MmaDescription {
        core: core.ok_or(DecodeError::NotYet(None))?,
        op,
        shape: Shape::new(16, 8, terms),
        a: modifiers.a_type.ok_or_else(missing)?,
        b: modifiers.b_type.ok_or_else(missing)?,
        c: modifiers.c_type.unwrap_or(d_type),
        d: d_type,
        overflow: match modifiers.has(Flag::Satfinite) {
            true => IntegerOverflow::Saturate,
            false => IntegerOverflow::Wrap,
        },
        rounding: Rounding::Rn,
        bit_op: match modifiers.atomic {
            Some(AtomicOp::And) => BitOp::And,
            _ => BitOp::Xor,
        },
    };
    let plan = match modifiers.scale_type {
        None => TensorCoreModel::new(product),
        Some(ScalarType::Ue4m3) => TensorCoreModel::scaled(product, ScaleType::Ue4m3),
        Some(_) => TensorCoreModel::scaled(product, ScaleType::Ue8m0),
    };
    let plan = plan.map_err(|error| DecodeError::NotYet(Some(error.to_string())))?;
    let per_word = if product.a == ScalarType::B1 { 32 } else { 1 };
    Ok((plan, usize::from(shape.depth) / per_word))
}
