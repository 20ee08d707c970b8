//! Steps and stores of a warp since its lanes last met. In: its records, each with a trace of the blocks that it executed; out: what the
//! interpreter counts, which lets the lanes go on that are furthest back in the code.

use super::{EMPTY, MERGE, function, stops_if};
use crate::emit::{at, splat32};
use crate::place::{
    GANGS, HAS_LATEST_ENDED, HAS_PARTED, IS_COPY, IS_DETOUR, IS_FAR, IS_STORE, IS_UNSURE, LANDING,
    PARTS, Places, STORE, TRACE_BYTES, block, cell, record,
};
use crate::run::stop;
use warpgrid_emulator::plain::TURN_STEPS;
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Steps before the interpreter may let others of a warp go on.
const LONGEST_TURN: i32 = TURN_STEPS as i32 - 1;

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

/// Where the warp's turn is kept.
fn push_place_of_turn(c: &mut Vec<I<'static>>) {
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(2),
        I::I32Shl,
    ]);
}

/// What is used up of the warp's turn from before. Where a group which was kept waiting has its turn, the host counts.
fn begin_turn(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{BEFORE, DETOURS, LIVE, RAN, TURN};
    c.extend([
        I::LocalGet(LIVE),
        I::LocalSet(BEFORE),
        I::I32Const(0),
        I::LocalGet(RAN),
        I::I32Store(at(cell::RAN)),
        I::I32Const(0),
        I::I32Load(at(cell::DETOURS)),
        I::LocalSet(DETOURS),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::DETOURS)),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(places.ways + LAST_APART)),
    ]);
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(!HAS_PARTED as i32),
        I::I32And,
        I::LocalTee(TURN),
        // With its mark the turn is longer than any.
        I::I32Const(!(IS_UNSURE | HAS_LATEST_ENDED) as i32),
        I::I32And,
    ]);
    leave_to_host_if_over(c, places);
}

/// The host counts the steps of the warp since its lanes last met, if the number on the stack is more than a group may use up of a turn.
fn leave_to_host_if_over(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{N, TURN};
    c.extend([I::I32Const(LONGEST_TURN), I::I32GtU, I::If(EMPTY)]);
    // What the host must know of the start is how much was used up, and that a group that was there had the last turn.
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(HAS_LATEST_ENDED as i32),
        I::I32And,
    ]);
    push_place_of_turn(c);
    c.extend([
        I::I32Load(at(places.turns)),
        I::I32Const(HAS_PARTED as i32),
        I::I32And,
        I::I32Const(0),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32And,
        I::Select,
        I::I32Or,
    ]);
    c.extend(stops_if(stop::UNCOUNTED));
    c.extend([
        I::I32Const(0),
        I::LocalGet(N),
        I::I32Store(at(cell::GROUPS)),
        I::I32Const(stop::COUNT as i32),
        I::Return,
        I::End,
    ]);
}

/// Uses up the turn with the steps of the block at hand, or begins another one: the interpreter takes a step off it wherever there are several groups before it looks
/// which of them have come together, and begins anew where it goes on with another group than before.
fn add_to_turn(c: &mut Vec<I<'static>>, places: &Places, stays: bool) {
    use merged::{
        APART, BEFORE, BLOCK, DETOURS, GROUP, LAST, LAST_LIVE, LIVE, NUMBER, OTHERS, TURN, WAITING,
    };
    c.extend([
        I::LocalGet(NUMBER),
        I::If(EMPTY),
        // Those that have not ended.
        I::LocalGet(BEFORE),
        I::LocalGet(LIVE),
        I::I32And,
        I::LocalSet(LAST_LIVE),
        // Whether there are others after those at one place have come together.
        I::LocalGet(LIVE),
        I::LocalGet(GROUP),
        I::I32Xor,
        I::LocalGet(WAITING),
        I::I32Or,
        I::LocalGet(APART),
        I::I32Or,
        I::LocalSet(OTHERS),
        // Most often all go on.
        I::Block(EMPTY),
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::LocalGet(LAST_LIVE),
        I::I32Eq,
        I::LocalGet(LAST_LIVE),
        I::I32Const(0),
        I::I32Ne,
        I::I32And,
        I::LocalGet(APART),
        I::I32Eqz,
        I::I32And,
        I::I32Eqz,
        I::If(EMPTY),
    ]);
    is_another_group(c, places);
    c.extend([
        I::If(EMPTY),
        // The step that begins another turn is the last one of the turn before: if that is over then, it may be the turn of one that was kept waiting.
        I::LocalGet(TURN),
        I::I32Const(!(IS_UNSURE | HAS_LATEST_ENDED) as i32),
        I::I32And,
        I::I32Const(1),
        I::I32Add,
    ]);
    leave_to_host_if_over(c, places);
    c.extend([
        I::I32Const(0),
        I::LocalSet(TURN),
        I::Br(2),
        I::End,
        // The interpreter takes the first group for one that is no more. Where one is left, it has no turn.
        I::LocalGet(LAST_LIVE),
        I::I32Eqz,
        I::If(EMPTY),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32Const(HAS_LATEST_ENDED as i32),
        I::LocalGet(OTHERS),
        I::Select,
        I::I32Or,
        I::LocalSet(TURN),
        I::End,
        I::End,
        // There were others.
        I::LocalGet(TURN),
        I::I32Const(0),
        I::I32Load(at(places.ways + LAST_APART)),
        I::LocalGet(OTHERS),
        I::I32Or,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32Xor,
        I::I32Const(0),
        I::LocalGet(LAST_LIVE),
        I::Select,
        I::I32Or,
        I::I32Const(0),
        I::I32Ne,
        I::I32Add,
        I::LocalSet(TURN),
        I::End,
    ]);
    if stays {
        // Groups that stay at one place are not in traces.
        c.extend([
            I::LocalGet(TURN),
            I::I32Const(1),
            I::I32Add,
            I::I32Const(IS_UNSURE as i32),
            I::I32Or,
            I::LocalSet(TURN),
        ]);
    }
    c.extend([
        I::LocalGet(TURN),
        I::LocalGet(NUMBER),
        I::I32Const(1),
        I::I32Sub,
        I::I32Const(0),
        I::LocalGet(OTHERS),
        I::Select,
        I::I32Add,
        I::LocalTee(TURN),
        I::I32Const(!(IS_UNSURE | HAS_LATEST_ENDED) as i32),
        I::I32And,
    ]);
    leave_to_host_if_over(c, places);
    c.extend([
        I::LocalGet(GROUP),
        I::LocalSet(BEFORE),
        I::LocalGet(BLOCK),
        I::LocalSet(LAST),
        I::LocalGet(DETOURS),
        I::If(EMPTY),
        I::I32Const(0),
        I::LocalGet(APART),
        I::I32Store(at(places.ways + LAST_APART)),
        I::End,
        I::Else,
        // An operation that the lanes wait for: they try in vain, if others are elsewhere.
        I::LocalGet(LIVE),
        I::LocalGet(GROUP),
        I::I32Ne,
        I::If(EMPTY),
        I::LocalGet(TURN),
        I::I32Const(IS_UNSURE as i32),
        I::I32Or,
        I::LocalSet(TURN),
        I::End,
        I::End,
    ]);
}

/// Leaves on the stack whether another group goes on than before: lanes that were not in it, or those of it that branched while others follow the code.
fn is_another_group(c: &mut Vec<I<'static>>, places: &Places) {
    use merged::{APART, BEFORE, BLOCK, GROUP, LAST, LAST_LIVE, WAITING};
    const NUMBER: BlockType = BlockType::Result(ValType::I32);
    c.extend([
        I::LocalGet(LAST_LIVE),
        I::I32Eqz,
        I::If(NUMBER),
        I::LocalGet(WAITING),
        I::LocalGet(BEFORE),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::Else,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::LocalGet(LAST_LIVE),
        I::I32Eq,
        I::If(NUMBER),
        I::I32Const(0),
        I::Else,
        I::LocalGet(LAST_LIVE),
        I::LocalGet(GROUP),
        I::I32And,
        I::I32Eqz,
        I::LocalGet(LAST),
        I::I32Const(block::BYTES_LOG2 as i32),
        I::I32Shl,
        I::I32Load(at(places.blocks + block::NEXT)),
        I::LocalGet(BLOCK),
        I::I32Ne,
        I::I32Or,
        I::End,
        I::End,
        // Those that were to go another way.
        I::LocalGet(APART),
        I::If(NUMBER),
        I::LocalGet(APART),
        I::I32Ctz,
        I::I32Const(1),
        I::I32Shl,
        I::I32Load16U(at(places.ways + BLOCKS_OF_WAYS)),
        I::I32Const(IS_FAR as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::Else,
        I::I32Const(0),
        I::End,
        I::I32Or,
    ]);
}

/// Locals of [`merge`].
mod merged {
    pub(super) const FIRST: u32 = 0;
    pub(super) const RAN: u32 = 1;
    pub(super) const RECORD: u32 = 2;
    pub(super) const INDEX: u32 = 3;
    /// The groups so far.
    pub(super) const N: u32 = 4;
    /// The place of what is known of a way.
    pub(super) const WAY: u32 = 5;
    pub(super) const BLOCK: u32 = 6;
    /// Ways that are in the block at hand, that were in the one before, and that have not ended, a bit each.
    pub(super) const GROUP: u32 = 7;
    pub(super) const BEFORE: u32 = 8;
    pub(super) const LIVE: u32 = 9;
    pub(super) const TURN: u32 = 10;
    pub(super) const NUMBER: u32 = 11;
    pub(super) const POS: u32 = 12;
    pub(super) const WORD: u32 = 13;
    /// Ways of which other lanes wait at the end of a detour, a bit each; and whether there are any.
    pub(super) const APART: u32 = 14;
    pub(super) const DETOURS: u32 = 15;
    /// Those of the ways whose lanes wait at their end that have come there, a bit each.
    pub(super) const WAITING: u32 = 16;
    /// The block before, and the ways that were in it and have not ended.
    pub(super) const LAST: u32 = 17;
    pub(super) const LAST_LIVE: u32 = 18;
    /// Whether there are lanes elsewhere.
    pub(super) const OTHERS: u32 = 19;
    /// Ways whose lanes wait at their end, a bit each.
    pub(super) const WAIT: u32 = 20;
    /// The lowest block that others than the group are in, and the highest that its ways have gone on to; whether all have gone on to one that comes before the others.
    pub(super) const NEXT_LOWEST: u32 = 21;
    pub(super) const HIGHEST: u32 = 22;
    pub(super) const IS_FIRST: u32 = 23;
    pub(super) const STORES: u32 = 24;
    pub(super) const STEPS: u32 = 25;
    /// The blocks that all ways are in, and the lowest of them.
    pub(super) const BLOCKS: [u32; 4] = [26, 27, 28, 29];
    pub(super) const LOWEST: u32 = 30;
}

/// What is in place of a block where a way has ended.
const NONE: i32 = 0xffff;

/// All but what says that it is on a detour, in pairs.
const BLOCK_BITS: u32 = !((IS_DETOUR | IS_FAR) * 0x1_0001);

/// Each has a bit in a number of 32, and a part in one of [`merged::BLOCKS`].
const _: () = assert!(GANGS + PARTS == 32);

/// Where the ways are in their traces comes first, then the block that each is in, 16 bits a way.
const BLOCKS_OF_WAYS: u32 = 4 * (GANGS + PARTS);

/// Then what is seldom read: which ways wait at their end, and which had lanes that waited at the end of a detour in the block before, a bit each.
const WAIT_AT_END: u32 = BLOCKS_OF_WAYS + 2 * (GANGS + PARTS);
const LAST_APART: u32 = WAIT_AT_END + 4;

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
    push_lowest(c, BLOCKS, LOWEST);
    c.extend([
        I::I16x8ExtractLaneU(0),
        I::LocalSet(NEXT_LOWEST),
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
