//! The functions beside the strip. Out: a function each that finds the place of a lane's bytes, notes who read or wrote words, makes a
//! record of lanes that part from their gang, and runs a phase: every gang of a block up to its next barrier.

mod note;
mod part;
mod phase;
mod resolve;

use crate::emit::at;
use crate::place::cell;
pub(crate) use note::{note, ordered};
pub(crate) use part::part;
pub(crate) use phase::phase;
pub(crate) use resolve::{resolve, resolve_all};
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Numbers of the functions.
pub(crate) const RESOLVE: u32 = 0;
pub(crate) const ORDERED: u32 = 1;
pub(crate) const NOTE: u32 = 2;
pub(crate) const PART: u32 = 3;
pub(crate) const STRIP: u32 = 4;
pub(crate) const PHASE: u32 = 5;
pub(crate) const RESOLVE_ALL: u32 = 6;

/// Parameters and result of a function.
pub(crate) type FunctionType = (&'static [ValType], ValType);

/// Parameters and result of each function, by its number.
pub(crate) const TYPES: [FunctionType; 7] = {
    use ValType::{I32, I64, V128};
    [
        (&[I64, I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32, I32, I32, I32], I32),
        (&[I32, I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32], I32),
        (&[V128, V128, I32, I32, I32, I32], V128),
    ]
};

fn function(locals: &[(u32, ValType)], code: &[I<'static>]) -> Function {
    let mut function = Function::new(locals.iter().copied());
    for instruction in code {
        function.instruction(instruction);
    }
    function.instruction(&I::End);
    function
}

const EMPTY: BlockType = BlockType::Empty;

/// Leaves with a number in the cell of why a run stops, and zero.
fn stops(why: u32) -> [I<'static>; 5] {
    [
        I::I32Const(0),
        I::I32Const(why as i32),
        I::I32Store(at(cell::STOP)),
        I::I32Const(0),
        I::Return,
    ]
}
