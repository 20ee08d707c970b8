//! A phase of a block. In: its records; out: every gang at its next barrier or its end, and counts.

use super::{EMPTY, STRIP, function};
use crate::emit::at;
use crate::place::{GANGS, Places, cell, record};
use wasm_encoder::{Function, Instruction as I, ValType};

/// `(begins) -> why the run stops, or zero`: every record that has not ended goes on to its next barrier. `begins` is the entry that
/// all gangs begin at, or below zero.
pub(crate) fn phase(places: &Places) -> Function {
    const BEGINS: u32 = 0;
    const INDEX: u32 = 1;
    const RECORD: u32 = 2;
    const STOP: u32 = 3;
    const PATH: u32 = 4;
    const IS_FIRST: u32 = 5;
    const WAITS: u32 = 6;
    const STORES: u32 = 7;
    const BEGAN: u32 = 8;
    const STEPS: u32 = 9;
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    let add = |cell: u32, what: I<'static>| {
        [
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell)),
            what,
            I::I32Add,
            I::I32Store(at(cell)),
        ]
    };
    let flag = |cell: u32| [I::I32Const(0), I::I32Const(1), I::I32Store(at(cell))];
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::RECORDS)),
        I::LocalSet(BEGAN),
        I::I32Const(places.records as i32),
        I::LocalSet(RECORD),
        I::Loop(EMPTY),
        I::LocalGet(INDEX),
        I::I32Const(GANGS as i32 - 1),
        I::I32And,
        I::I32Eqz,
        I::If(EMPTY),
        I::I32Const(1),
        I::LocalSet(IS_FIRST),
        I::End,
        I::LocalGet(BEGINS),
        I::I32Const(0),
        I::I32GeS,
        I::LocalGet(INDEX),
        I::I32Const(places.n_gangs as i32),
        I::I32LtU,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(RECORD),
    ]);
    // A gang without lanes has ended.
    c.extend([I::LocalGet(BEGINS), I::I32Const(-1)]);
    c.extend(field(record::FIRST_MASK));
    c.extend([
        I::Select,
        I::I32Store(at(record::ENTRY)),
        I::LocalGet(RECORD),
    ]);
    c.extend(field(record::FIRST_MASK));
    c.push(I::I32Store(at(record::MASK)));
    for (offset, value) in [
        (record::NAME, 0),
        (record::ANCESTORS, 0),
        (record::NEXT_NAME, 1),
    ] {
        c.extend([
            I::LocalGet(RECORD),
            I::I32Const(value),
            I::I32Store(at(offset)),
        ]);
    }
    c.push(I::End);
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
        // What is over counts nothing.
        I::LocalGet(RECORD),
        I::I64Const(0),
        I::I64Store(at(record::STEPS)),
        I::Else,
        I::LocalGet(RECORD),
        // Counts begin again, but those of lanes that parted in this phase.
        I::LocalGet(INDEX),
        I::LocalGet(BEGAN),
        I::I32LtU,
        I::Call(STRIP),
        I::LocalTee(STOP),
        I::If(EMPTY),
        I::LocalGet(STOP),
        I::Return,
        I::End,
    ]);
    c.extend(field(record::ENTRY));
    c.extend([I::I32Const(0), I::I32GeS, I::LocalTee(STOP), I::If(EMPTY)]);
    c.extend(add(cell::WAITING, I::I32Const(1)));
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::FIRST_ENTRY)),
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
        I::I32Const(0),
    ]);
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Store(at(cell::FIRST_ENTRY)),
        I::End,
        I::I32Const(0),
        I::I32Load(at(cell::FIRST_ENTRY)),
    ]);
    c.extend(field(record::ENTRY));
    c.extend([I::I32Ne, I::If(EMPTY)]);
    c.extend(flag(cell::MIXED));
    c.extend([I::End, I::Else]);
    c.extend(add(cell::ENDED, I::I32Const(1)));
    c.push(I::End);
    // The gangs of a warp should go the same way; a part of a gang does not.
    c.extend([
        I::LocalGet(INDEX),
        I::I32Const(places.n_gangs as i32),
        I::I32GeU,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::DIVERGENT));
    c.extend([
        I::Else,
        I::LocalGet(IS_FIRST),
        I::If(EMPTY),
        I::I32Const(0),
        I::LocalSet(IS_FIRST),
    ]);
    c.extend(field(record::PATH));
    c.push(I::LocalSet(PATH));
    c.extend(field(record::STORES));
    c.push(I::LocalSet(STORES));
    c.extend([
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalSet(STEPS),
        I::LocalGet(STOP),
        I::LocalSet(WAITS),
    ]);
    for (cell, value) in [
        (cell::STEPS, vec![I::LocalGet(STEPS)]),
        (cell::STORES, vec![I::LocalGet(STORES), I::I64ExtendI32U]),
    ] {
        c.extend([I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))]);
        c.extend(value);
        c.extend([I::I64Add, I::I64Store(at(cell))]);
    }
    c.push(I::Else);
    c.extend(field(record::PATH));
    c.extend([I::LocalGet(PATH), I::I32Ne]);
    c.extend(field(record::STORES));
    c.extend([
        I::LocalGet(STORES),
        I::I32Ne,
        I::I32Or,
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalGet(STEPS),
        I::I64Ne,
        I::I32Or,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::DIVERGENT));
    c.extend([
        I::End,
        I::LocalGet(STOP),
        I::LocalGet(WAITS),
        I::I32Ne,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::MIXED));
    c.extend([I::End, I::End, I::End, I::End]);
    // On to the next record; those that were made meanwhile come last.
    c.extend([
        I::LocalGet(RECORD),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalSet(RECORD),
        I::LocalGet(INDEX),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(INDEX),
        I::I32Const(0),
        I::I32Load(at(cell::RECORDS)),
        I::I32LtU,
        I::BrIf(0),
        I::End,
        I::I32Const(0),
    ]);
    function(&[(8, ValType::I32), (1, ValType::I64)], &code)
}
