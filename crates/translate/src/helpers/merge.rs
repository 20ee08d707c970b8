//! Steps and stores of a warp whose lanes went different ways. In: its records, each with a trace of the blocks that it executed; out: what the interpreter counts,
//! which lets the lanes go on that are furthest back in the code.

use super::count::add;
use super::turn::{add_to_turn, begin_turn, push_place_of_turn};
use super::{EMPTY, function, stops_if};
use crate::emit::{at, splat32};
use crate::place::{
    GANGS, HAS_LATEST_ENDED, HAS_PARTED, IS_COPY, IS_DETOUR, IS_FAR, IS_STORE, LANDING, PARTS,
    Places, STORE, TRACE_BYTES, block, cell, record,
};
use crate::run::stop;
use wasm_encoder::{Function, Instruction as I, ValType};

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

/// `(first record, which have run) -> why the run stops, or zero`: block by block, those that are furthest back first and together.
/// Schedules with a seed let lanes go on in another order, which is not counted. `stays` says that a branch may make groups which stay at one place: they come
/// together before the next step, which is counted as one of a turn.
pub(crate) fn merge(places: &Places, seed: u64, stays: bool) -> Function {
    use merged::{BEFORE, BLOCK, GROUP, INDEX, IS_FIRST, LIVE, N, WORD};
    let mut code = Vec::new();
    let c = &mut code;
    if seed != 0 {
        c.extend([I::I32Const(stop::UNCOUNTED as i32), I::Return]);
    }
    c.extend([I::I32Const(0), I::I32Load(at(cell::GROUPS)), I::LocalSet(N)]);
    begin_ways(c, places);
    begin_turn(c, places);
    c.extend([I::Block(EMPTY), I::Loop(EMPTY)]);
    // Where all of a group have gone on to one block, and are still the lowest, nothing else has to be looked at.
    c.extend([
        I::LocalGet(IS_FIRST),
        I::If(EMPTY),
        I::LocalGet(BEFORE),
        I::LocalSet(GROUP),
        I::Else,
    ]);
    find_lowest(c, places);
    c.extend([
        I::End,
        I::LocalGet(LIVE),
        I::I32Eqz,
        I::BrIf(1),
        I::LocalGet(N),
        I::I32Const(1),
        I::I32Add,
        I::LocalSet(N),
        I::I32Const(0),
        I::LocalGet(BLOCK),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(WORD),
        I::I32Const(0),
        I::I32Load(at(cell::FURTHEST)),
        I::LocalTee(INDEX),
        I::LocalGet(WORD),
        I::LocalGet(INDEX),
        I::I32GtU,
        I::Select,
        I::I32Store(at(cell::FURTHEST)),
    ]);
    add_block(c, places);
    add_to_turn(c, places, stays);
    pass_block(c, places);
    c.extend([I::Br(0), I::End, I::End]);
    end_merge(c, places);
    function(
        &[(22, ValType::I32), (2, ValType::I64), (5, ValType::V128)],
        &code,
    )
}

/// Locals of [`merge`].
pub(super) mod merged {
    pub(in crate::helpers) const FIRST: u32 = 0;
    pub(in crate::helpers) const RAN: u32 = 1;
    pub(in crate::helpers) const RECORD: u32 = 2;
    pub(in crate::helpers) const INDEX: u32 = 3;
    /// The groups so far.
    pub(in crate::helpers) const N: u32 = 4;
    /// The place of what is known of a way.
    pub(in crate::helpers) const WAY: u32 = 5;
    pub(in crate::helpers) const BLOCK: u32 = 6;
    /// Ways that are in the block at hand, that were in the one before, and that have not ended, a bit each.
    pub(in crate::helpers) const GROUP: u32 = 7;
    pub(in crate::helpers) const BEFORE: u32 = 8;
    pub(in crate::helpers) const LIVE: u32 = 9;
    pub(in crate::helpers) const TURN: u32 = 10;
    pub(in crate::helpers) const NUMBER: u32 = 11;
    pub(in crate::helpers) const POS: u32 = 12;
    pub(in crate::helpers) const WORD: u32 = 13;
    /// Ways of which other lanes wait at the end of a detour, a bit each; and whether there are any.
    pub(in crate::helpers) const APART: u32 = 14;
    pub(in crate::helpers) const DETOURS: u32 = 15;
    /// Those of the ways whose lanes wait at their end that have come there, a bit each.
    pub(in crate::helpers) const WAITING: u32 = 16;
    /// The block before, and the ways that were in it and have not ended.
    pub(in crate::helpers) const LAST: u32 = 17;
    pub(in crate::helpers) const LAST_LIVE: u32 = 18;
    /// Whether there are lanes elsewhere.
    pub(in crate::helpers) const OTHERS: u32 = 19;
    /// Ways whose lanes wait at their end, a bit each.
    pub(in crate::helpers) const WAIT: u32 = 20;
    /// The lowest block that others than the group are in, and the highest that its ways have gone on to; whether all have gone on to one that comes before the others.
    pub(in crate::helpers) const NEXT_LOWEST: u32 = 21;
    pub(in crate::helpers) const HIGHEST: u32 = 22;
    pub(in crate::helpers) const IS_FIRST: u32 = 23;
    pub(in crate::helpers) const STORES: u32 = 24;
    pub(in crate::helpers) const STEPS: u32 = 25;
    /// The blocks that all ways are in, and the lowest of them.
    pub(in crate::helpers) const BLOCKS: [u32; 4] = [26, 27, 28, 29];
    pub(in crate::helpers) const LOWEST: u32 = 30;
}

/// What is in place of a block where a way has ended.
const NONE: i32 = 0xffff;

/// All but what says that it is on a detour, in pairs.
const BLOCK_BITS: u32 = !((IS_DETOUR | IS_FAR) * 0x1_0001);

/// Each has a bit in a number of 32, and a part in one of [`merged::BLOCKS`].
const _: () = assert!(GANGS + PARTS == 32);

/// Where the ways are in their traces comes first, then the block that each is in, 16 bits a way.
pub(super) const BLOCKS_OF_WAYS: u32 = 4 * (GANGS + PARTS);

/// Then what is seldom read: which ways wait at their end, and which had lanes that waited at the end of a detour in the block before, a bit each.
const WAIT_AT_END: u32 = BLOCKS_OF_WAYS + 2 * (GANGS + PARTS);
pub(super) const LAST_APART: u32 = WAIT_AT_END + 4;

/// Starts each way at the beginning of its trace.
fn begin_ways(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{BLOCK, FIRST, INDEX, LIVE, RAN, RECORD, WAIT, WAY};
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    for group in 0..4 {
        c.extend([
            I::I32Const(0),
            I::V128Const(-1),
            I::V128Store(at(places.ways + BLOCKS_OF_WAYS + 16 * group)),
        ]);
    }
    c.extend([
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::LocalGet(RAN),
        I::LocalSet(LIVE),
        I::Loop(EMPTY),
        I::LocalGet(RAN),
        I::LocalGet(INDEX),
        I::I32ShrU,
        I::I32Const(1),
        I::I32And,
        I::If(EMPTY),
    ]);
    c.extend(field(record::TRACED));
    // The end has a mark, too.
    c.extend([I::I32Const(TRACE_BYTES as i32), I::I32GeU]);
    c.extend(stops_if(stop::UNCOUNTED));
    c.extend(field(record::TRACE));
    c.extend(field(record::TRACED));
    c.extend([I::I32Add, I::I32Const(NONE), I::I32Store16(at(0))]);
    c.extend([
        I::LocalGet(INDEX),
        I::I32Const(2),
        I::I32Shl,
        I::LocalTee(WAY),
    ]);
    c.extend(field(record::TRACE));
    c.extend([
        I::I32Store(at(places.ways)),
        I::LocalGet(WAY),
        I::I32Const(1),
        I::I32ShrU,
    ]);
    c.extend(field(record::TRACE));
    c.extend([
        I::I32Load16U(at(0)),
        I::LocalTee(BLOCK),
        I::I32Store16(at(places.ways + BLOCKS_OF_WAYS)),
        I::LocalGet(WAIT),
    ]);
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Const(0),
        I::I32GeS,
        I::LocalGet(INDEX),
        I::I32Shl,
        I::I32Or,
        I::LocalSet(WAIT),
        // One that did nothing.
        I::LocalGet(LIVE),
        I::LocalGet(BLOCK),
        I::I32Const(NONE),
        I::I32Eq,
        I::LocalGet(INDEX),
        I::I32Shl,
        I::I32Const(-1),
        I::I32Xor,
        I::I32And,
        I::LocalSet(LIVE),
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
        I::I32Const(0),
        I::LocalGet(WAIT),
        I::I32Store(at(places.ways + WAIT_AT_END)),
    ]);
}

/// The lowest block that a way is in, in all parts of a row, and the ways that are there.
fn find_lowest(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{APART, BLOCK, BLOCKS, DETOURS, GROUP, LOWEST, NEXT_LOWEST};
    c.extend([I::I32Const(0), I::LocalSet(APART)]);
    for (group, local) in (0..).zip(BLOCKS) {
        c.extend([
            I::I32Const(0),
            I::V128Load(at(places.ways + BLOCKS_OF_WAYS + 16 * group)),
            I::LocalSet(local),
        ]);
    }
    c.extend([I::LocalGet(DETOURS), I::If(EMPTY)]);
    for (group, local) in (0..).zip(BLOCKS) {
        c.extend([
            I::LocalGet(APART),
            I::LocalGet(local),
            I::I32Const(1),
            I::I16x8Shl,
            I::I16x8Bitmask,
            I::I32Const(8 * group),
            I::I32Shl,
            I::I32Or,
            I::LocalSet(APART),
            I::LocalGet(local),
            splat32(BLOCK_BITS),
            I::V128And,
            I::LocalSet(local),
        ]);
    }
    c.push(I::End);
    push_lowest(c, BLOCKS, LOWEST);
    c.extend([
        I::LocalTee(LOWEST),
        I::I16x8ExtractLaneU(0),
        I::LocalSet(BLOCK),
    ]);
    for (group, local) in (0..).zip(BLOCKS) {
        c.extend([
            I::LocalGet(local),
            I::LocalGet(local),
            I::LocalGet(LOWEST),
            I::I16x8Eq,
            I::LocalTee(local),
            // The others, for the next to them.
            I::V128Or,
            I::LocalGet(local),
            I::I16x8Bitmask,
        ]);
        if group > 0 {
            c.extend([
                I::I32Const(8 * group),
                I::I32Shl,
                I::LocalGet(GROUP),
                I::I32Or,
            ]);
        }
        c.push(I::LocalSet(GROUP));
        c.push(I::LocalSet(local));
    }
    // It is not asked for where there are detours.
    c.extend([I::LocalGet(DETOURS), I::I32Eqz, I::If(EMPTY)]);
    push_lowest(c, BLOCKS, LOWEST);
    c.extend([
        I::I16x8ExtractLaneU(0),
        I::LocalSet(NEXT_LOWEST),
        I::End,
        I::LocalGet(GROUP),
        I::LocalGet(APART),
        I::I32And,
        I::LocalSet(APART),
    ]);
}

/// Pushes the lowest number of four rows, in all parts of a row.
fn push_lowest(c: &mut Vec<I<'static>>, rows: [u32; 4], kept: u32) {
    c.extend(rows.map(I::LocalGet));
    c.extend([I::I16x8MinU, I::I16x8MinU, I::I16x8MinU]);
    for distance in [8, 4, 2] {
        let turned = std::array::from_fn(|byte| (byte as u8 + distance) % 16);
        c.extend([
            I::LocalTee(kept),
            I::LocalGet(kept),
            I::LocalGet(kept),
            I::I8x16Shuffle(turned),
            I::I16x8MinU,
        ]);
    }
}

/// Counts the block at hand.
fn add_block(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{BLOCK, NUMBER, STEPS, STORES, WORD};
    c.extend([
        I::LocalGet(BLOCK),
        I::I32Const(block::BYTES_LOG2 as i32),
        I::I32Shl,
        I::I32Load(at(places.blocks + block::STEPS)),
        I::LocalTee(NUMBER),
        I::I64ExtendI32U,
        I::LocalGet(STEPS),
        I::I64Add,
        I::LocalSet(STEPS),
        I::LocalGet(BLOCK),
        I::I32Const(block::BYTES_LOG2 as i32),
        I::I32Shl,
        I::I32Load(at(places.blocks + block::STORES)),
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
    ]);
}

/// Brings the ways of the group past the block, with the guarded stores that they did there, each counted once.
fn pass_block(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{
        BLOCK, DETOURS, GROUP, HIGHEST, INDEX, IS_FIRST, LIVE, N, NEXT_LOWEST, NUMBER, POS, STORES,
        WAITING, WAY, WORD,
    };
    c.extend([
        I::I32Const(0),
        I::LocalSet(HIGHEST),
        I::I32Const(NONE),
        I::LocalSet(BLOCK),
    ]);
    c.extend([
        I::Loop(EMPTY),
        I::LocalGet(GROUP),
        I::I32Ctz,
        I::LocalTee(INDEX),
        I::I32Const(2),
        I::I32Shl,
        I::LocalTee(WAY),
        I::I32Load(at(places.ways)),
        I::LocalSet(POS),
        I::Block(EMPTY),
        I::Loop(EMPTY),
        I::LocalGet(POS),
        I::I32Const(2),
        I::I32Add,
        I::LocalTee(POS),
        I::I32Load16U(at(0)),
        I::LocalTee(WORD),
        I::I32Const(IS_STORE as i32),
        I::I32LtU,
        I::BrIf(1),
        I::LocalGet(WORD),
        I::I32Const(NONE),
        I::I32Eq,
        I::If(EMPTY),
        I::LocalGet(LIVE),
        I::I32Const(-2),
        I::LocalGet(INDEX),
        I::I32Rotl,
        I::I32And,
        I::LocalSet(LIVE),
        I::I32Const(0),
        I::I32Load(at(places.ways + WAIT_AT_END)),
        I::I32Const(1),
        I::LocalGet(INDEX),
        I::I32Shl,
        I::I32And,
        I::LocalGet(WAITING),
        I::I32Or,
        I::LocalSet(WAITING),
        I::Br(2),
        I::End,
        I::LocalGet(WORD),
        I::I32Const(IS_COPY as i32 - 1),
        I::I32And,
        I::I32Const(2),
        I::I32Shl,
        I::LocalTee(WORD),
        I::I32Load(at(places.guarded)),
        I::LocalGet(N),
        I::I32Eq,
        I::BrIf(0),
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
        I::Br(0),
        I::End,
        I::End,
        I::LocalGet(WAY),
        I::LocalGet(POS),
        I::I32Store(at(places.ways)),
        I::LocalGet(WAY),
        I::I32Const(1),
        I::I32ShrU,
        I::LocalGet(WORD),
        I::I32Store16(at(places.ways + BLOCKS_OF_WAYS)),
        // Of all that have gone on: the highest and the lowest.
        I::LocalGet(WORD),
        I::LocalGet(HIGHEST),
        I::LocalGet(WORD),
        I::LocalGet(HIGHEST),
        I::I32GtU,
        I::Select,
        I::LocalSet(HIGHEST),
        I::LocalGet(WORD),
        I::LocalGet(BLOCK),
        I::LocalGet(WORD),
        I::LocalGet(BLOCK),
        I::I32LtU,
        I::Select,
        I::LocalSet(BLOCK),
        // Without the lowest bit.
        I::LocalGet(GROUP),
        I::LocalGet(GROUP),
        I::I32Const(1),
        I::I32Sub,
        I::I32And,
        I::LocalTee(GROUP),
        I::BrIf(0),
        I::End,
        // Marks of detours are looked at with all others, and so is a group that has done no step.
        I::LocalGet(HIGHEST),
        I::LocalGet(BLOCK),
        I::I32Eq,
        I::LocalGet(BLOCK),
        I::LocalGet(NEXT_LOWEST),
        I::I32LtU,
        I::I32And,
        I::LocalGet(DETOURS),
        I::I32Eqz,
        I::I32And,
        I::LocalGet(NUMBER),
        I::I32Const(0),
        I::I32Ne,
        I::I32And,
        I::LocalSet(IS_FIRST),
    ]);
}

/// What was counted goes to the cells.
fn end_merge(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{BEFORE, N, STEPS, STORES, TURN, WAITING};
    push_place_of_turn(c);
    c.extend([
        I::LocalGet(TURN),
        // Groups that wait apart come together at the next step. Where the last one has ended the others wait at an operation, as one.
        I::I32Const(0),
        I::I32Load(at(places.ways + LAST_APART)),
        I::LocalGet(WAITING),
        I::LocalGet(BEFORE),
        I::I32Const(-1),
        I::I32Xor,
        I::I32And,
        I::I32Const(0),
        I::LocalGet(WAITING),
        I::LocalGet(BEFORE),
        I::I32And,
        I::Select,
        I::I32Or,
        I::I32Const(0),
        I::I32Ne,
        I::I32Add,
        I::I32Const(HAS_PARTED as i32),
        I::I32Const((HAS_PARTED | HAS_LATEST_ENDED) as i32),
        I::LocalGet(WAITING),
        I::LocalGet(BEFORE),
        I::I32And,
        I::Select,
        I::I32Or,
        I::I32Store(at(places.turns)),
        I::I32Const(0),
        I::LocalGet(N),
        I::I32Store(at(cell::GROUPS)),
    ]);
    c.extend(add(cell::STEPS, &[I::LocalGet(STEPS)]));
    c.extend(add(cell::STORES, &[I::LocalGet(STORES)]));
    c.push(I::I32Const(0));
}
