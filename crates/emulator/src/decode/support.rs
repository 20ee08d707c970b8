//! Support of instructions. The decoder calls the same function, so that diagnostics before a run agree with its
//! execution.

use crate::contract::support::Support;
use crate::decode::{
    arithmetic, asynchronous, beside, carry, compare, control, hint, machine, matrix, mbarrier,
    memory, moves, sync, warp,
};
use warpgrid_isa::Does;
use warpgrid_program::Action;

/// Returns whether the emulator supports the semantics of `action`.
pub fn supports(action: &Action) -> Support {
    let modifiers = &action.modifiers;
    match action.does {
        Does::Arithmetic(op) => arithmetic::supports(op, modifiers),
        Does::Carry(op) => carry::supports(op, modifiers),
        Does::Video(..) => Support::Runs,
        Does::Compare(form) => compare::supports(form, modifiers),
        Does::Move(op) => moves::supports(op, modifiers),
        Does::Memory(op) => memory::supports(op, modifiers),
        Does::Async(op) => asynchronous::supports(op),
        Does::Mbarrier(op) => mbarrier::supports(op),
        Does::Matrix(op) => matrix::supports(op),
        Does::Control(op) => control::supports(op),
        Does::Sync(op) => sync::supports(op),
        Does::Warp(op) => warp::supports(op, modifiers),
        Does::Hint(op) => hint::supports(op),
        Does::Machine(op) => machine::supports(op),
        Does::Unit(op) => beside::supports(op),
        Does::Unknown => Support::not_yet("an unknown opcode"),
    }
}
