//! Decoder of SASS operations: converts lists of registers and predicates to slots.

use crate::code::decoded_op::DecodedOp;
use crate::code::{PredicateOperand, SassPlan};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{SassOp, ScalarType};
use warpgrid_program::{OperandValue, Source, SourceModifiers};

pub(crate) fn supports(op: SassOp) -> Support {
    match op {
        SassOp::Add3
        | SassOp::Multiply { .. }
        | SassOp::ScaledAdd { .. }
        | SassOp::Logic3 { .. }
        | SassOp::PredicateLogic3
        | SassOp::FunnelShift(_)
        | SassOp::CompareExtended { .. }
        | SassOp::DivisionCheck
        | SassOp::Reciprocal64
        | SassOp::ReciprocalRoot64
        | SassOp::SineOfTurns
        | SassOp::CosineOfTurns
        | SassOp::ReadFirstLane
        | SassOp::BroadcastToWarp
        | SassOp::PackPredicates { .. }
        | SassOp::UnpackPredicates { .. } => Support::Runs,
    }
}

/// Decodes the operands `{registers}, {predicates}, {sources}, {source predicates}, number`.
pub(crate) fn decode(d: &mut Decoder<'_>, op: SassOp) -> DecodeResult<DecodedOp> {
    let mut plan = empty(d, op);
    for (slot, element) in plan.registers.iter_mut().zip(d.destinations(0)?.0) {
        *slot = element.slot;
    }
    for (slot, element) in plan.predicates.iter_mut().zip(d.destinations(1)?.0) {
        *slot = element.slot;
    }
    for (index, operand) in d.list(2).1.iter().enumerate().take(plan.sources.len()) {
        let OperandValue::Source(source, modifiers) = operand.value else {
            return Err(DecodeError::internal(
                "operand 2: expected sources".to_owned(),
            ));
        };
        // Leave negations and inversions to the operation, because they affect its carries.
        plan.negated |= u8::from(modifiers.negate) << index;
        plan.inverted |= u8::from(modifiers.invert) << index;
        let rest = SourceModifiers {
            negate: false,
            invert: false,
            ..modifiers
        };
        plan.sources[index] = d.read_as(source, rest, 32, ScalarType::S32)?.slot;
    }
    for (index, operand) in d.list(3).1.iter().enumerate().take(plan.conditions.len()) {
        let OperandValue::Predicate { source, negated } = operand.value else {
            return Err(DecodeError::internal(
                "operand 3: expected predicates".to_owned(),
            ));
        };
        let slot = d.read(source, SourceModifiers::NONE, 1)?.slot;
        plan.conditions[index] = PredicateOperand { slot, negated };
    }
    if let OperandValue::Source(Source::Immediate(number), _) = d.operand(4) {
        plan.number = *number as u32;
    }
    Ok(DecodedOp::Machine(d.code.machine.add(plan)))
}

/// Copies two predicates at once, because the guard of the instruction may be one of the destinations.
pub(crate) fn copy_both(
    d: &mut Decoder<'_>,
    to: [OperandSlot; 2],
    from: [OperandSlot; 2],
) -> DecodedOp {
    let mut plan = empty(d, SassOp::PredicateLogic3);
    for i in 0..2 {
        plan.predicates[i] = to[i];
        plan.conditions[i].slot = from[i];
    }
    // The number contains the truth tables of the logic functions `a` and `b`.
    plan.number = 0xf0 | 0xcc << 8;
    DecodedOp::Machine(d.code.machine.add(plan))
}

/// Returns a plan without destinations, whose sources are zero and whose source predicates are false.
fn empty(d: &mut Decoder<'_>, op: SassOp) -> SassPlan {
    let never = PredicateOperand {
        slot: d.constant(0, 1),
        negated: false,
    };
    SassPlan {
        op,
        registers: [OperandSlot::NONE; 2],
        predicates: [OperandSlot::NONE; 7],
        sources: [d.constant(0, 32); 5],
        negated: 0,
        inverted: 0,
        conditions: [never; 7],
        number: 0,
    }
}
