//! Support status of instructions. The decoder calls the same function as hosts, so that diagnostics before a run agree
//! with the execution of the run.

use crate::contract::support::Support;
use crate::decode::{
    arithmetic, asynchronous, compare, control, data_movement, extended_precision, hint, matrix,
    mbarrier, memory, sass, sync, unit_ops, warp,
};
use warpgrid_isa::Operation;
use warpgrid_program::OpcodeInfo;

/// Returns whether the emulator supports the operation of an opcode.
pub fn supports(action: &OpcodeInfo) -> Support {
    let modifiers = &action.modifiers;
    match action.operation {
        Operation::Arithmetic(op) => arithmetic::supports(op, modifiers),
        Operation::Carry(op) => extended_precision::supports(op, modifiers),
        Operation::Video(..) => Support::Runs,
        Operation::Compare(form) => compare::supports(form, modifiers),
        Operation::Move(op) => data_movement::supports(op, modifiers),
        Operation::Memory(op) => memory::supports(op, modifiers),
        Operation::Async(op) => asynchronous::supports(op),
        Operation::Mbarrier(op) => mbarrier::supports(op),
        Operation::Matrix(op) => matrix::supports(op),
        Operation::Control(op) => control::supports(op),
        Operation::Sync(op) => sync::supports(op),
        Operation::Warp(op) => warp::supports(op, modifiers),
        Operation::Hint(op) => hint::supports(op),
        Operation::Machine(op) => sass::supports(op),
        Operation::Unit(op) => unit_ops::supports(op),
        Operation::Unknown => Support::not_yet("an unknown opcode"),
    }
}
