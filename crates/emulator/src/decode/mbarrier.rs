//! Decoder of operations on mbarrier objects.

use crate::code::decoded_op::DecodedOp;
use crate::code::{MbarrierAction, MbarrierPlan, PhaseSelector, RegisterOperand};
use crate::contract::support::Support;
use crate::decode::memory::{AddressOperands, access_plan};
use crate::decode::{DecodeResult, Decoder};
use warpgrid_isa::{Flag, MbarrierOp, ScalarType, Sem};

pub(crate) fn supports(op: MbarrierOp) -> Support {
    match op {
        MbarrierOp::Init
        | MbarrierOp::Inval
        | MbarrierOp::Arrive
        | MbarrierOp::ArriveDrop
        | MbarrierOp::ExpectTx
        | MbarrierOp::CompleteTx
        | MbarrierOp::TestWait
        | MbarrierOp::TryWait
        | MbarrierOp::PendingCount
        | MbarrierOp::CheckLayout => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: MbarrierOp) -> DecodeResult<DecodedOp> {
    let expects = d.modifiers.has(Flag::ExpectTx);
    let (address, result, value, action) = match op {
        MbarrierOp::Init => (0, false, Some(1), MbarrierAction::Init),
        MbarrierOp::Inval => (0, false, None, MbarrierAction::Inval),
        MbarrierOp::Arrive | MbarrierOp::ArriveDrop => {
            let drops = op == MbarrierOp::ArriveDrop;
            let no_complete = d.modifiers.has(Flag::NoComplete);
            let action = match expects {
                true => MbarrierAction::ExpectAndArrive { drops },
                false => MbarrierAction::Arrive { drops, no_complete },
            };
            (1, true, Some(2), action)
        }
        MbarrierOp::ExpectTx => (0, false, Some(1), MbarrierAction::Expect),
        MbarrierOp::CompleteTx => (0, false, Some(1), MbarrierAction::Complete),
        MbarrierOp::TestWait | MbarrierOp::TryWait => {
            let phase = match d.modifiers.has(Flag::Parity) {
                true => PhaseSelector::Parity,
                false => PhaseSelector::State,
            };
            let waits = op == MbarrierOp::TryWait;
            (1, true, Some(2), MbarrierAction::Test { phase, waits })
        }
        MbarrierOp::CheckLayout => (1, true, None, MbarrierAction::CheckLayout),
        // `mbarrier.pending_count` reads a register, and does not access memory.
        MbarrierOp::PendingCount => {
            let (to, a) = (d.target(0, 32)?, d.source(1, 64)?);
            return Ok(DecodedOp::PendingCount { d: to, a });
        }
    };
    let waits = matches!(action, MbarrierAction::Test { .. });
    let sem = if waits { Sem::Acquire } else { Sem::Release };
    let access = access_plan(
        d,
        AddressOperands::address(address),
        ScalarType::B64,
        sem,
        vec![RegisterOperand::SINK],
        Vec::new(),
    )?;
    let value = match value {
        Some(index) if !d.is_absent(index) => d.element(index, value_bits(action))?,
        _ => RegisterOperand::SINK,
    };
    let result = match result {
        true => d.destination(0)?,
        false => RegisterOperand::SINK,
    };
    Ok(DecodedOp::Mbarrier(d.code.mbarriers.add(MbarrierPlan {
        access,
        action,
        value,
        result,
        is_in_source: d.is_of_text,
    })))
}

/// Returns the width in bits of the value operand, which is an mbarrier state, a parity or a count.
const fn value_bits(action: MbarrierAction) -> u32 {
    match action {
        MbarrierAction::Test {
            phase: PhaseSelector::State,
            ..
        } => 64,
        MbarrierAction::Test {
            phase: PhaseSelector::Parity,
            ..
        }
        | MbarrierAction::Init
        | MbarrierAction::Inval
        | MbarrierAction::Arrive { .. }
        | MbarrierAction::ExpectAndArrive { .. }
        | MbarrierAction::Expect
        | MbarrierAction::Complete
        | MbarrierAction::CheckLayout => 32,
    }
}
