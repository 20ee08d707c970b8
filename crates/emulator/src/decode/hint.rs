//! Decoder of hints. Hints for caches, dependent grids and register counts have no effect. All other hints make the
//! warp yield to other warps.

use crate::code::decoded_op::DecodedOp;
use crate::contract::support::Support;
use warpgrid_isa::HintOp;

pub(crate) fn supports(op: HintOp) -> Support {
    match op {
        HintOp::Prefetch
        | HintOp::ApplyPriority
        | HintOp::Discard
        | HintOp::Nanosleep
        | HintOp::Pmevent
        | HintOp::GridDependency
        | HintOp::SetMaxRegisters(_)
        | HintOp::BulkPrefetch => Support::Runs,
    }
}

pub(crate) fn decode(op: HintOp) -> DecodedOp {
    match op {
        HintOp::Prefetch
        | HintOp::ApplyPriority
        | HintOp::Discard
        | HintOp::GridDependency
        | HintOp::SetMaxRegisters(_)
        | HintOp::BulkPrefetch => DecodedOp::Nop,
        HintOp::Nanosleep | HintOp::Pmevent => DecodedOp::Yield,
    }
}
