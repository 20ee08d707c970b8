//! Decoder of `tcgen05` operations on tensor memory.

use crate::code::decoded_op::DecodedOp;
use crate::code::tensor_memory::{
    AllocationTarget, AsyncTensorKind, AsyncTensorPlan, LoadReduction, MatrixAOperand,
    TcgenMmaOperands, TensorLoadStorePlan, TensorMemoryAddress, TensorMemoryPlan,
};
use crate::code::{AccessPlan, RegisterOperand};
use crate::decode::asynchronous::object;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use warpgrid_isa::{
    CtaGroup, Flag, Modifiers, MulPart, ScalarType, TensorMemoryAccessShape, TensorMemoryOp,
};
use warpgrid_program::OperandValue;

pub(crate) fn decode(d: &mut Decoder<'_>, op: TensorMemoryOp) -> DecodeResult<DecodedOp> {
    use TensorMemoryOp as T;
    let plan = match op {
        T::Allocate => allocate(d)?,
        T::Deallocate => TensorMemoryPlan::Free {
            place: TensorMemoryAddress {
                base: d.element(0, 32)?,
                offset: 0,
            },
            columns: d.element(1, 32)?,
            takes_warp: d.function.machine.is_none(),
        },
        // SASS has no instruction that relinquishes the right to allocate.
        T::Relinquish if d.function.machine.is_some() => return Ok(DecodedOp::Nop),
        T::Relinquish => TensorMemoryPlan::Relinquish,
        // Fences and waits have no effect, because loads and stores complete in the step of their instruction.
        T::Fence | T::Wait => return Ok(DecodedOp::Nop),
        T::Commit => TensorMemoryPlan::Commit {
            object: object(d, 0)?,
            blocks: match d.modifiers.has(Flag::Multicast) {
                true => Some(d.element(1, 16)?),
                false => None,
            },
        },
        T::Copy => copy(d)?,
        T::Load => TensorMemoryPlan::Load(Box::new(moved(d, (0, 1, 2))?)),
        T::LoadReduce => TensorMemoryPlan::Load(Box::new(TensorLoadStorePlan {
            reduces: Some(reduction(d)?),
            ..moved(d, (0, 2, 3))?
        })),
        T::Store => store(d)?,
        T::Mma => product(d, MmaOperandIndices::PLAIN)?,
        T::MmaBlockScaled => product(d, MmaOperandIndices::SCALED)?,
        T::MmaSparse => product(d, MmaOperandIndices::PLAIN.sparse())?,
        T::MmaWeightStationary => product(d, MmaOperandIndices::STATIONARY)?,
        T::MmaWeightStationarySparse => product(d, MmaOperandIndices::STATIONARY.sparse())?,
        T::MmaSparseBlockScaled => product(d, MmaOperandIndices::SCALED.sparse())?,
        T::Shift => TensorMemoryPlan::Start(Box::new(AsyncTensorPlan {
            group: group(d),
            d: address(d, 0)?,
            kind: AsyncTensorKind::Shift,
        })),
    };
    Ok(DecodedOp::TensorMemory(d.code.tensor_memory.add(plan)))
}

/// Decodes the operands of an allocation: `[a], columns`.
fn allocate(d: &mut Decoder<'_>) -> DecodeResult<TensorMemoryPlan> {
    let to = match d.operand(0) {
        OperandValue::Destination(_) => AllocationTarget::Register(reduced(d, 0)?),
        _ => AllocationTarget::Memory(AccessPlan {
            width_bytes: 4,
            ..object(d, 0)?
        }),
    };
    Ok(TensorMemoryPlan::Allocate {
        to,
        columns: d.element(1, 32)?,
    })
}

/// Decodes a tensor memory address in brackets.
fn address(d: &mut Decoder<'_>, index: usize) -> DecodeResult<TensorMemoryAddress> {
    let address = d.address_operand(index)?;
    let (slot, is_wide, offset) = d.address(address)?;
    let bank = match is_wide {
        true => crate::code::RegisterBank::B64,
        false => crate::code::RegisterBank::B32,
    };
    Ok(TensorMemoryAddress {
        base: RegisterOperand {
            slot,
            bank,
            bits: if is_wide { 64 } else { 32 },
        },
        offset: offset as u32,
    })
}

/// Positions of the register operand, the address operand and the immediate operand of a `tcgen05.ld` or `tcgen05.st`.
type MoveOperandIndices = (usize, usize, usize);

fn moved(
    d: &mut Decoder<'_>,
    (registers, place, half): MoveOperandIndices,
) -> DecodeResult<TensorLoadStorePlan> {
    let modifiers = d.modifiers;
    let shape = modifiers.unit.moved;
    let shape = shape.ok_or_else(|| DecodeError::missing("shape"))?;
    Ok(TensorLoadStorePlan {
        place: address(d, place)?,
        shape,
        half: match shape {
            TensorMemoryAccessShape::M16x32x2 => d.immediate(half)? as u32,
            TensorMemoryAccessShape::M32x32
            | TensorMemoryAccessShape::M16x64
            | TensorMemoryAccessShape::M16x128
            | TensorMemoryAccessShape::M16x256 => 0,
        },
        is_packed: modifiers.has(Flag::Pack16) || modifiers.has(Flag::Unpack16),
        registers: d.destinations(registers)?.0,
        lanes: lanes(modifiers),
        reduces: None,
    })
}

/// Decodes the reduction that a load applies to the loaded words.
fn reduction(d: &mut Decoder<'_>) -> DecodeResult<LoadReduction> {
    let op = d.modifiers.reduce;
    Ok(LoadReduction {
        to: reduced(d, 1)?,
        op: op.ok_or_else(|| DecodeError::missing("operation"))?,
        ty: d.modifiers.ty.unwrap_or(ScalarType::U32),
        absolute: d.modifiers.has(Flag::Abs),
        nan: d.modifiers.has(Flag::NaN),
    })
}

/// Returns the mask of the lanes that participate in a load or store.
fn lanes(modifiers: &Modifiers) -> u32 {
    match modifiers.part {
        Some(MulPart::Lo) => 0xffff,
        Some(MulPart::Hi) => 0xffff_0000,
        Some(MulPart::Wide) | None => u32::MAX,
    }
}

/// Decodes a single register, with or without braces.
fn reduced(d: &mut Decoder<'_>, index: usize) -> DecodeResult<RegisterOperand> {
    let (elements, _) = d.destinations(index)?;
    elements
        .first()
        .copied()
        .ok_or_else(|| DecodeError::missing("register"))
}

/// Decodes the operands of a store: `[taddr]{, half}, r`.
fn store(d: &mut Decoder<'_>) -> DecodeResult<TensorMemoryPlan> {
    let modifiers = d.modifiers;
    let shape = modifiers.unit.moved;
    let shape = shape.ok_or_else(|| DecodeError::missing("shape"))?;
    let is_split = shape == TensorMemoryAccessShape::M16x32x2;
    Ok(TensorMemoryPlan::Store(Box::new(TensorLoadStorePlan {
        place: address(d, 0)?,
        shape,
        half: match is_split {
            true => d.immediate(1)? as u32,
            false => 0,
        },
        is_packed: modifiers.has(Flag::Unpack16),
        registers: d.sources(1 + usize::from(is_split), 32)?.0,
        lanes: lanes(modifiers),
        reduces: None,
    })))
}

fn group(d: &Decoder<'_>) -> CtaGroup {
    d.modifiers.unit.group.unwrap_or(CtaGroup::One)
}

/// Decodes the operands of a copy: `[taddr], source`.
fn copy(d: &mut Decoder<'_>) -> DecodeResult<TensorMemoryPlan> {
    let unit = d.modifiers.unit;
    Ok(TensorMemoryPlan::Start(Box::new(AsyncTensorPlan {
        group: group(d),
        d: address(d, 0)?,
        kind: AsyncTensorKind::Copy {
            source: d.element(1, 64)?,
            shape: unit.copied.ok_or_else(|| DecodeError::missing("shape"))?,
            warps: unit.warps,
            unpacking: d.modifiers.unpacking,
        },
    })))
}

/// Positions of the operands of a `tcgen05.mma` after `[d], a, b`.
#[derive(Clone, Copy)]
struct MmaOperandIndices {
    metadata: Option<usize>,
    descriptor: usize,
    left_out: Option<usize>,
    factors: Option<usize>,
    adds: usize,
    scale: Option<usize>,
    zeros: Option<usize>,
}

impl MmaOperandIndices {
    const PLAIN: MmaOperandIndices = MmaOperandIndices {
        metadata: None,
        descriptor: 3,
        left_out: Some(4),
        factors: None,
        adds: 5,
        scale: Some(6),
        zeros: None,
    };
    const SCALED: MmaOperandIndices = MmaOperandIndices {
        left_out: None,
        factors: Some(4),
        adds: 6,
        scale: None,
        ..MmaOperandIndices::PLAIN
    };
    const STATIONARY: MmaOperandIndices = MmaOperandIndices {
        left_out: None,
        adds: 4,
        scale: None,
        zeros: Some(5),
        ..MmaOperandIndices::PLAIN
    };

    /// Returns the positions for a sparse MMA, which has an additional `[metadata]` operand.
    fn sparse(self) -> MmaOperandIndices {
        let next = |at: Option<usize>| at.map(|at| at + 1);
        MmaOperandIndices {
            metadata: Some(3),
            descriptor: self.descriptor + 1,
            left_out: next(self.left_out),
            factors: next(self.factors),
            adds: self.adds + 1,
            scale: next(self.scale),
            zeros: next(self.zeros),
        }
    }
}

fn product(d: &mut Decoder<'_>, places: MmaOperandIndices) -> DecodeResult<TensorMemoryPlan> {
    let modifiers = d.modifiers;
    let present = |d: &Decoder<'_>, at: Option<usize>| {
        at.filter(|at| *d.operand(*at) != OperandValue::Absent)
    };
    let zeros = match present(d, places.zeros) {
        Some(at) => Some(d.element(at, 64)?),
        None => None,
    };
    let a = match d.operand(1) {
        OperandValue::Address(_) => MatrixAOperand::Kept(address(d, 1)?),
        _ => MatrixAOperand::Described(d.element(1, 64)?),
    };
    // Test the kind of the operand, because the assembler also accepts the predicate at the position of the
    // disable-output-lane mask.
    let leaves_out = present(d, places.left_out)
        .filter(|at| !matches!(d.operand(*at), OperandValue::Predicate { .. }));
    let adds = match places.left_out {
        Some(at) if leaves_out.is_none() && present(d, Some(at)).is_some() => d.condition(at)?,
        _ => d.condition(places.adds)?,
    };
    let left_out = match leaves_out {
        Some(at) => d.sources(at, 32)?.0,
        None => Vec::new(),
    };
    let scale = match present(d, places.scale) {
        Some(at) => d.immediate(at)? as u32,
        None => 0,
    };
    let factors = match places.factors {
        Some(at) => Some([address(d, at)?, address(d, at + 1)?]),
        None => None,
    };
    let metadata = match places.metadata {
        Some(at) => Some(address(d, at)?),
        None => None,
    };
    Ok(TensorMemoryPlan::Start(Box::new(AsyncTensorPlan {
        group: group(d),
        d: address(d, 0)?,
        kind: AsyncTensorKind::Product(TcgenMmaOperands {
            kind: modifiers.kind.ok_or_else(|| DecodeError::missing("kind"))?,
            a,
            b: d.element(2, 64)?,
            descriptor: d.element(places.descriptor, 32)?,
            adds,
            left_out,
            scale,
            factors,
            factors_per_line: modifiers.factors_per_line().into(),
            metadata,
            zeros,
            is_shifted: modifiers.has(Flag::AShift),
            is_stationary: places.zeros.is_some(),
            is_described: d.function.machine.is_some(),
        }),
    })))
}
