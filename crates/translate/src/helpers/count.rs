//! Steps and stores of a warp since its lanes last met. In: its records; out: what the interpreter counts. Where all gangs went one way that is what one of them counted.

use super::{EMPTY, MERGE, function};
use crate::emit::at;
use crate::place::{GANGS, Places, cell, record};
use wasm_encoder::{Function, Instruction as I, ValType};

/// Adds a number of 64 bits to a cell.
pub(super) fn add(cell: u32, what: &[I<'static>]) -> Vec<I<'static>> {
    let mut code = vec![I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))];
    code.extend_from_slice(what);
    code.extend([I::I64Add, I::I64Store(at(cell))]);
    code
}

/// `(first record, which have run) -> why the run stops, or zero`. Where all gangs went one way it adds, else it merges.
pub(crate) fn count(places: &Places) -> Function {
    const FIRST: u32 = 0;
    const RAN: u32 = 1;
    const RECORD: u32 = 2;
    const LEFT: u32 = 3;
    const PATH: u32 = 4;
    const KNOWN: u32 = 5;
    const STORES: u32 = 6;
    const STEPS: u32 = 7;
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::COUNTED)),
        I::If(EMPTY),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::COUNTED)),
        I::I32Const(0),
        I::I32Const(-1),
        I::I32Store(at(cell::FURTHEST)),
        I::I32Const(0),
        I::Return,
        I::End,
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::FURTHEST)),
        I::LocalGet(RAN),
        I::LocalSet(LEFT),
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::Block(EMPTY),
        // Parts went another way, or lanes did for a while.
        I::LocalGet(RAN),
        I::I32Const(GANGS as i32),
        I::I32ShrU,
        I::I32Const(0),
        I::I32Load(at(cell::DETOURS)),
        I::I32Or,
        I::BrIf(0),
        I::Loop(EMPTY),
        I::LocalGet(LEFT),
        I::I32Const(1),
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(KNOWN),
        I::If(EMPTY),
    ]);
    c.extend(field(record::PATH));
    c.extend([I::LocalGet(PATH), I::I32Ne]);
    for (offset, local) in [(record::STORES, STORES), (record::STEPS, STEPS)] {
        c.extend([
            I::LocalGet(RECORD),
            I::I64Load(at(offset)),
            I::LocalGet(local),
            I::I64Ne,
            I::I32Or,
        ]);
    }
    c.extend([I::BrIf(3), I::Else, I::I32Const(1), I::LocalSet(KNOWN)]);
    c.extend(field(record::PATH));
    c.push(I::LocalSet(PATH));
    for (offset, local) in [(record::STORES, STORES), (record::STEPS, STEPS)] {
        c.extend([
            I::LocalGet(RECORD),
            I::I64Load(at(offset)),
            I::LocalSet(local),
        ]);
    }
    c.extend([
        I::End,
        I::End,
        I::LocalGet(RECORD),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalSet(RECORD),
        I::LocalGet(LEFT),
        I::I32Const(1),
        I::I32ShrU,
        I::LocalTee(LEFT),
        I::BrIf(0),
        I::End,
    ]);
    c.extend(add(cell::STEPS, &[I::LocalGet(STEPS)]));
    c.extend(add(cell::STORES, &[I::LocalGet(STORES)]));
    c.extend([
        I::I32Const(0),
        I::Return,
        I::End,
        I::LocalGet(FIRST),
        I::LocalGet(RAN),
        I::Call(MERGE),
    ]);
    function(&[(4, ValType::I32), (2, ValType::I64)], &code)
}
