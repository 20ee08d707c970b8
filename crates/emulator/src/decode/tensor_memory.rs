//! Decoder of tensor memory operations.

use crate::code::op::Op;
use crate::code::tensor_memory::{
    FactorOperand, MovePlan, ProductOperands, Reduced, Reserved, StartKind, StartPlan,
    TensorAddress, TensorMemoryPlan,
};
use crate::code::{AccessPlan, Element};
use crate::decode::asynchronous::object;
use crate::decode::{Decoded, Decoder, Refusal};
use warpgrid_isa::{CtaGroup, Flag, Modifiers, MoveShape, MulPart, ScalarType, TensorMemoryOp};
use warpgrid_program::OperandValue;

pub(crate) fn decode(d: &mut Decoder<'_>, op: TensorMemoryOp) -> Decoded<Op> {
    use TensorMemoryOp as T;
    let plan = match op {
        T::Allocate => allocate(d)?,
        T::Free => TensorMemoryPlan::Free {
            place: TensorAddress {
                base: d.element(0, 32)?,
                offset: 0,
            },
            columns: d.element(1, 32)?,
            takes_warp: d.function.machine.is_none(),
        },
        // SASS has no instruction that relinquishes the right to allocate.
        T::Relinquish if d.function.machine.is_some() => return Ok(Op::Nop),
        T::Relinquish => TensorMemoryPlan::Relinquish,
        // Loads and stores complete in their step.
        T::Fence | T::Wait => return Ok(Op::Nop),
        T::Commit => TensorMemoryPlan::Commit {
            object: object(d, 0)?,
            blocks: match d.modifiers.has(Flag::Multicast) {
                true => Some(d.element(1, 16)?),
                false => None,
            },
        },
        T::Copy => copy(d)?,
        T::Load => TensorMemoryPlan::Load(Box::new(moved(d, (0, 1, 2))?)),
        T::LoadReduce => TensorMemoryPlan::Load(Box::new(MovePlan {
            reduces: Some(reduction(d)?),
            ..moved(d, (0, 2, 3))?
        })),
        T::Store => store(d)?,
        T::Product => product(d, Places::PLAIN)?,
        T::ScaledProduct => product(d, Places::SCALED)?,
        T::SparseProduct => product(d, Places::PLAIN.sparse())?,
        T::StationaryProduct => product(d, Places::STATIONARY)?,
        T::StationarySparseProduct => product(d, Places::STATIONARY.sparse())?,
        T::SparseScaledProduct => product(d, Places::SCALED.sparse())?,
        T::Shift => TensorMemoryPlan::Start(Box::new(StartPlan {
            group: group(d),
            d: address(d, 0)?,
            kind: StartKind::Shift,
        })),
    };
    Ok(Op::TensorMemory(d.code.tensor_memory.add(plan)))
}

/// `[a], columns`
fn allocate(d: &mut Decoder<'_>) -> Decoded<TensorMemoryPlan> {
    let to = match d.operand(0) {
        OperandValue::Destination(_) => Reserved::Register(reduced(d, 0)?),
        _ => Reserved::Memory(AccessPlan {
            width_bytes: 4,
            ..object(d, 0)?
        }),
    };
    Ok(TensorMemoryPlan::Allocate {
        to,
        columns: d.element(1, 32)?,
    })
}

/// Decodes an address in brackets.
fn address(d: &mut Decoder<'_>, index: usize) -> Decoded<TensorAddress> {
    let address = d.address_operand(index)?;
    let (slot, is_wide, offset) = d.address(address)?;
    let bank = match is_wide {
        true => crate::code::Bank::B64,
        false => crate::code::Bank::B32,
    };
    Ok(TensorAddress {
        base: Element {
            slot,
            bank,
            bits: if is_wide { 64 } else { 32 },
        },
        offset: offset as u32,
    })
}

/// Operand positions of the registers, the address and the immediate.
type MovePlaces = (usize, usize, usize);

fn moved(d: &mut Decoder<'_>, (registers, place, half): MovePlaces) -> Decoded<MovePlan> {
    let modifiers = d.modifiers;
    let shape = modifiers.unit.moved;
    let shape = shape.ok_or_else(|| Refusal::missing("shape"))?;
    Ok(MovePlan {
        place: address(d, place)?,
        shape,
        half: match shape {
            MoveShape::M16x32x2 => d.immediate(half)? as u32,
            MoveShape::M32x32 | MoveShape::M16x64 | MoveShape::M16x128 | MoveShape::M16x256 => 0,
        },
        is_packed: modifiers.has(Flag::Pack16) || modifiers.has(Flag::Unpack16),
        registers: d.destinations(registers)?.0,
        lanes: lanes(modifiers),
        reduces: None,
    })
}

/// Decodes the reduction of the loaded words.
fn reduction(d: &mut Decoder<'_>) -> Decoded<Reduced> {
    let op = d.modifiers.reduce;
    Ok(Reduced {
        to: reduced(d, 1)?,
        op: op.ok_or_else(|| Refusal::missing("operation"))?,
        ty: d.modifiers.ty.unwrap_or(ScalarType::U32),
        absolute: d.modifiers.has(Flag::Abs),
        nan: d.modifiers.has(Flag::NaN),
    })
}

/// Returns the lanes that participate in a transfer.
fn lanes(modifiers: &Modifiers) -> u32 {
    match modifiers.part {
        Some(MulPart::Lo) => 0xffff,
        Some(MulPart::Hi) => 0xffff_0000,
        Some(MulPart::Wide) | None => u32::MAX,
    }
}

/// Decodes a single register, with or without braces.
fn reduced(d: &mut Decoder<'_>, index: usize) -> Decoded<Element> {
    let (elements, _) = d.destinations(index)?;
    elements
        .first()
        .copied()
        .ok_or_else(|| Refusal::missing("register"))
}

/// `[taddr]{, half}, r`
fn store(d: &mut Decoder<'_>) -> Decoded<TensorMemoryPlan> {
    let modifiers = d.modifiers;
    let shape = modifiers.unit.moved;
    let shape = shape.ok_or_else(|| Refusal::missing("shape"))?;
    let is_split = shape == MoveShape::M16x32x2;
    Ok(TensorMemoryPlan::Store(Box::new(MovePlan {
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

/// `[taddr], source`
fn copy(d: &mut Decoder<'_>) -> Decoded<TensorMemoryPlan> {
    let unit = d.modifiers.unit;
    Ok(TensorMemoryPlan::Start(Box::new(StartPlan {
        group: group(d),
        d: address(d, 0)?,
        kind: StartKind::Copy {
            source: d.element(1, 64)?,
            shape: unit.copied.ok_or_else(|| Refusal::missing("shape"))?,
            warps: unit.warps,
            unpacking: d.modifiers.unpacking,
        },
    })))
}

/// Operand positions of a product after `[d], a, b`.
#[derive(Clone, Copy)]
struct Places {
    metadata: Option<usize>,
    descriptor: usize,
    left_out: Option<usize>,
    factors: Option<usize>,
    adds: usize,
    scale: Option<usize>,
    zeros: Option<usize>,
}

impl Places {
    const PLAIN: Places = Places {
        metadata: None,
        descriptor: 3,
        left_out: Some(4),
        factors: None,
        adds: 5,
        scale: Some(6),
        zeros: None,
    };
    const SCALED: Places = Places {
        left_out: None,
        factors: Some(4),
        adds: 6,
        scale: None,
        ..Places::PLAIN
    };
    const STATIONARY: Places = Places {
        left_out: None,
        adds: 4,
        scale: None,
        zeros: Some(5),
        ..Places::PLAIN
    };

    /// Returns the positions of the sparse form, which has an additional `[metadata]` operand.
    fn sparse(self) -> Places {
        let next = |at: Option<usize>| at.map(|at| at + 1);
        Places {
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

fn product(d: &mut Decoder<'_>, places: Places) -> Decoded<TensorMemoryPlan> {
    let modifiers = d.modifiers;
    let there = |d: &Decoder<'_>, at: Option<usize>| {
        at.filter(|at| *d.operand(*at) != OperandValue::Absent)
    };
    let zeros = match there(d, places.zeros) {
        Some(at) => Some(d.element(at, 64)?),
        None => None,
    };
    let a = match d.operand(1) {
        OperandValue::Address(_) => FactorOperand::Kept(address(d, 1)?),
        _ => FactorOperand::Described(d.element(1, 64)?),
    };
    // The assembler also accepts the predicate at the position of the disabled output lanes.
    let leaves_out = there(d, places.left_out)
        .filter(|at| !matches!(d.operand(*at), OperandValue::Predicate { .. }));
    let adds = match places.left_out {
        Some(at) if leaves_out.is_none() && there(d, Some(at)).is_some() => d.condition(at)?,
        _ => d.condition(places.adds)?,
    };
    let left_out = match leaves_out {
        Some(at) => d.sources(at, 32)?.0,
        None => Vec::new(),
    };
    let scale = match there(d, places.scale) {
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
    Ok(TensorMemoryPlan::Start(Box::new(StartPlan {
        group: group(d),
        d: address(d, 0)?,
        kind: StartKind::Product(ProductOperands {
            kind: modifiers.kind.ok_or_else(|| Refusal::missing("kind"))?,
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
