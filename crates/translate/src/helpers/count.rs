//! Steps and stores of a warp since its lanes last met. In: its records, each with a trace of the blocks that it executed; out: what the
//! interpreter counts, which lets the lanes go on that are furthest back in the code.

use super::{EMPTY, MERGE, function, stops_if};
use crate::emit::at;
use crate::place::{
    GANGS, HAS_PARTED, IS_COPY, IS_STORE, LANDING, Places, STORE, TRACE_BYTES, cell, record,
};
use crate::run::stop;
use warpgrid_emulator::plain::TURN_STEPS;
use wasm_encoder::{Function, Instruction as I, ValType};

/// Steps after which the interpreter may let others of a warp go on, less a margin: what is counted here are whole blocks.
const LONGEST_TURN: i32 = TURN_STEPS as i32 * 3 / 4;

/// Adds a number of 64 bits to a cell.
fn add(cell: u32, what: &[I<'static>]) -> Vec<I<'static>> {
    let mut code = vec![I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))];
    code.extend_from_slice(what);
    code.extend([I::I64Add, I::I64Store(at(cell))]);
    code
}

/// Leaves a record on the stack: the gangs of a warp first, then all parts.
fn next_record(places: &Places, index: u32, at_record: u32) -> [I<'static>; 10] {
    [
        I::I32Const((places.records + places.n_gangs * places.record_bytes) as i32),
        I::LocalGet(at_record),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalGet(index),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(index),
        I::I32Const(GANGS as i32),
        I::I32Eq,
    ]
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
        // Parts went another way.
        I::LocalGet(RAN),
        I::I32Const(GANGS as i32),
        I::I32ShrU,
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

/// `(first record, which have run) -> why the run stops, or zero`: block by block, those that are furthest back first and together.
/// Schedules with a seed let lanes go on in another order, which is not counted.
pub(crate) fn merge(places: &Places, seed: u64) -> Function {
    const FIRST: u32 = 0;
    const RAN: u32 = 1;
    const RECORD: u32 = 2;
    const INDEX: u32 = 3;
    const N: u32 = 4;
    const WAY: u32 = 5;
    const END: u32 = 6;
    const BLOCK: u32 = 7;
    const GROUP: u32 = 8;
    const OTHERS: u32 = 9;
    const BEFORE: u32 = 10;
    const TURN: u32 = 11;
    const NUMBER: u32 = 12;
    const POS: u32 = 13;
    const WORD: u32 = 14;
    const AT: u32 = 15;
    const PARTED: u32 = 16;
    const FURTHEST: u32 = 17;
    const STORES: u32 = 18;
    const STEPS: u32 = 19;
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    let gives_up = stops_if(stop::UNCOUNTED);
    let mut code = Vec::new();
    let c = &mut code;
    if seed != 0 {
        c.extend([I::I32Const(stop::UNCOUNTED as i32), I::Return]);
    }
    // Where each way starts and ends.
    c.extend([
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::I32Const(places.ways as i32),
        I::LocalSet(WAY),
        I::Loop(EMPTY),
        I::LocalGet(RAN),
        I::LocalGet(INDEX),
        I::I32ShrU,
        I::I32Const(1),
        I::I32And,
        I::If(EMPTY),
    ]);
    c.extend(field(record::TRACED));
    c.extend([I::I32Const(TRACE_BYTES as i32), I::I32GtU]);
    c.extend(gives_up);
    c.push(I::LocalGet(WAY));
    c.extend(field(record::TRACE));
    c.extend([I::I32Store(at(0)), I::LocalGet(WAY)]);
    c.extend(field(record::TRACE));
    c.extend(field(record::TRACED));
    c.extend([
        I::I32Add,
        I::I32Store(at(4)),
        I::LocalGet(WAY),
        I::I32Const(8),
        I::I32Add,
        I::LocalSet(WAY),
        I::End,
    ]);
    c.extend(next_record(places, INDEX, RECORD));
    c.extend([
        I::Select,
        I::LocalSet(RECORD),
        I::LocalGet(RAN),
        I::LocalGet(INDEX),
        I::I32ShrU,
        I::I32Const(0),
        I::LocalGet(INDEX),
        I::I32Const(32),
        I::I32LtU,
        I::Select,
        I::BrIf(0),
        I::End,
        I::LocalGet(WAY),
        I::LocalSet(END),
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(2),
        I::I32Shl,
        I::LocalTee(AT),
        I::I32Load(at(places.turns)),
        I::LocalTee(PARTED),
        I::I32Const(!HAS_PARTED as i32),
        I::I32And,
        I::LocalSet(TURN),
        I::I32Const(0),
        I::I32Load(at(cell::GROUPS)),
        I::LocalSet(N),
    ]);
    let each_way = |c: &mut Vec<I<'static>>, body: &dyn Fn(&mut Vec<I<'static>>)| {
        c.extend([
            I::I32Const(places.ways as i32),
            I::LocalSet(WAY),
            I::Loop(EMPTY),
            I::LocalGet(WAY),
            I::I32Load(at(0)),
            I::LocalTee(POS),
            I::LocalGet(WAY),
            I::I32Load(at(4)),
            I::I32LtU,
            I::If(EMPTY),
        ]);
        body(c);
        c.extend([
            I::End,
            I::LocalGet(WAY),
            I::I32Const(8),
            I::I32Add,
            I::LocalTee(WAY),
            I::LocalGet(END),
            I::I32LtU,
            I::BrIf(0),
            I::End,
        ]);
    };
    c.extend([
        I::Block(EMPTY),
        I::Loop(EMPTY),
        I::I32Const(0xffff),
        I::LocalSet(BLOCK),
    ]);
    each_way(c, &|c| {
        c.extend([
            I::LocalGet(POS),
            I::I32Load16U(at(0)),
            I::LocalTee(WORD),
            I::LocalGet(BLOCK),
            I::LocalGet(WORD),
            I::LocalGet(BLOCK),
            I::I32LtU,
            I::Select,
            I::LocalSet(BLOCK),
        ]);
    });
    c.extend([
        I::LocalGet(BLOCK),
        I::I32Const(0xffff),
        I::I32Eq,
        I::BrIf(1),
        I::LocalGet(N),
        I::I32Const(1),
        I::I32Add,
        I::LocalSet(N),
        I::LocalGet(BLOCK),
        I::LocalGet(FURTHEST),
        I::LocalGet(BLOCK),
        I::LocalGet(FURTHEST),
        I::I32GtU,
        I::Select,
        I::LocalSet(FURTHEST),
        I::LocalGet(BLOCK),
        I::I32Const(3),
        I::I32Shl,
        I::I32Load(at(places.blocks)),
        I::LocalTee(NUMBER),
        I::I64ExtendI32U,
        I::LocalGet(STEPS),
        I::I64Add,
        I::LocalSet(STEPS),
        I::LocalGet(BLOCK),
        I::I32Const(3),
        I::I32Shl,
        I::I32Load(at(places.blocks + 4)),
        I::LocalTee(WORD),
        I::I32Const(0xffff),
        I::I32And,
        I::I64ExtendI32U,
        I::LocalGet(WORD),
        I::I32Const(16),
        I::I32ShrU,
        I::I64ExtendI32U,
        I::I64Const(32),
        I::I64Shl,
        I::I64Or,
        I::LocalGet(STORES),
        I::I64Add,
        I::LocalSet(STORES),
        I::I32Const(0),
        I::LocalSet(GROUP),
        I::I32Const(0),
        I::LocalSet(OTHERS),
    ]);
    each_way(c, &|c| {
        c.extend([
            I::LocalGet(POS),
            I::I32Load16U(at(0)),
            I::LocalGet(BLOCK),
            I::I32Ne,
            I::If(EMPTY),
            I::I32Const(1),
            I::LocalSet(OTHERS),
            I::Else,
            I::LocalGet(GROUP),
            I::I32Const(1),
            I::LocalGet(WAY),
            I::I32Const(places.ways as i32),
            I::I32Sub,
            I::I32Const(3),
            I::I32ShrU,
            I::I32Shl,
            I::I32Or,
            I::LocalSet(GROUP),
            // Past the block, with the stores that it did.
            I::Block(EMPTY),
            I::Loop(EMPTY),
            I::LocalGet(POS),
            I::I32Const(2),
            I::I32Add,
            I::LocalTee(POS),
            I::LocalGet(WAY),
            I::I32Load(at(4)),
            I::I32GeU,
            I::BrIf(1),
            I::LocalGet(POS),
            I::I32Load16U(at(0)),
            I::LocalTee(WORD),
            I::I32Const(IS_STORE as i32),
            I::I32And,
            I::I32Eqz,
            I::BrIf(1),
            I::LocalGet(WORD),
            I::I32Const(IS_COPY as i32 - 1),
            I::I32And,
            I::I32Const(2),
            I::I32Shl,
            I::LocalTee(WORD),
            I::I32Load(at(places.guarded)),
            I::LocalGet(N),
            I::I32Ne,
            I::If(EMPTY),
            I::LocalGet(WORD),
            I::LocalGet(N),
            I::I32Store(at(places.guarded)),
            I::I64Const(LANDING as i64),
            I::I64Const(STORE as i64),
            I::LocalGet(POS),
            I::I32Load16U(at(0)),
            I::I32Const(IS_COPY as i32),
            I::I32And,
            I::Select,
            I::LocalGet(STORES),
            I::I64Add,
            I::LocalSet(STORES),
            I::End,
            I::Br(0),
            I::End,
            I::End,
            I::LocalGet(WAY),
            I::LocalGet(POS),
            I::I32Store(at(0)),
            I::End,
        ]);
    });
    c.extend([
        I::LocalGet(GROUP),
        I::LocalGet(BEFORE),
        I::I32And,
        I::I32Eqz,
        I::If(EMPTY),
        I::I32Const(0),
        I::LocalSet(TURN),
        I::End,
        I::LocalGet(GROUP),
        I::LocalSet(BEFORE),
        I::LocalGet(OTHERS),
        I::If(EMPTY),
        I::LocalGet(TURN),
        I::LocalGet(NUMBER),
        I::I32Add,
        I::LocalTee(TURN),
        I::I32Const(LONGEST_TURN),
        I::I32GtU,
        I::If(EMPTY),
        I::LocalGet(PARTED),
        I::If(EMPTY),
        I::I32Const(stop::UNCOUNTED as i32),
        I::Return,
        I::End,
        // The host counts it from the start.
        I::I32Const(0),
        I::LocalGet(N),
        I::I32Store(at(cell::GROUPS)),
        I::I32Const(0),
        I::LocalGet(RAN),
        I::I32Store(at(cell::RAN)),
        I::I32Const(stop::COUNT as i32),
        I::Return,
        I::End,
        I::End,
        I::Br(0),
        I::End,
        I::End,
        I::LocalGet(AT),
        I::LocalGet(TURN),
        I::I32Const(HAS_PARTED as i32),
        I::I32Or,
        I::I32Store(at(places.turns)),
        I::I32Const(0),
        I::LocalGet(N),
        I::I32Store(at(cell::GROUPS)),
        I::I32Const(0),
        I::LocalGet(FURTHEST),
        I::I32Const(1),
        I::I32Add,
        I::I32Store(at(cell::FURTHEST)),
    ]);
    c.extend(add(cell::STEPS, &[I::LocalGet(STEPS)]));
    c.extend(add(cell::STORES, &[I::LocalGet(STORES)]));
    c.push(I::I32Const(0));
    function(&[(16, ValType::I32), (2, ValType::I64)], &code)
}
