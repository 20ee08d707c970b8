//! Async-groups of `cp.async` copies. The generated code takes a commit or a wait of a warp, and produces shadow memory
//! that records the whole warp as the writer of the bytes of completed copies.

use crate::instructions::at;
use crate::layout::{ALL_BYTES, MAX_GROUPS, ModuleLayout, cell, copies, copy as entry, stop};
use crate::runtime::async_copy::{find_copy, find_state, never_called, set_epochs};
use crate::runtime::{EMPTY, FN_RECORD_ACCESS, function, loop_while_nonzero, returns_if, stops_if};
use wasm_encoder::{Function, Instruction as I, ValType};

/// Request that commits an async-group. A nonnegative request waits for all groups except for this number of latest
/// groups.
pub(crate) const COMMITS: i32 = -1;
/// Request that waits for all copies, including uncommitted copies.
pub(crate) const WAITS_FOR_ALL: i32 = -2;

const ASKED: u32 = 0;
const STATE: u32 = 1;
const MADE: u32 = 2;
const END: u32 = 3;
const NUMBER: u32 = 4;
const COPY: u32 = 5;
const PLACE: u32 = 6;
const LEFT: u32 = 7;
const NAME: u32 = 8;
const WHY: u32 = 9;

/// Returns the function `(request) -> exit code or zero`. The function commits the copies that the warp has started
/// since the last commit, or waits for all groups except for the given number of latest groups. After a wait, shadow
/// memory records the whole warp as the writer of the bytes of completed copies.
pub(crate) fn groups(places: &ModuleLayout) -> Function {
    if places.copies_bytes == 0 {
        return never_called();
    }
    let mut code = Vec::new();
    let c = &mut code;
    c.extend(find_state(places, STATE));
    c.extend([
        I::LocalGet(STATE),
        I::I32Load(at(copies::GROUPS)),
        I::LocalSet(MADE),
        I::LocalGet(STATE),
        I::I32Load(at(copies::STARTED)),
        I::LocalSet(END),
        I::LocalGet(ASKED),
        I::I32Const(COMMITS),
        I::I32Eq,
        I::If(EMPTY),
    ]);
    commit(c);
    find_last_waited(c);
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::CURRENT_EPOCH)),
        I::I32Const(ALL_BYTES as i32),
        I::I32Or,
        I::LocalSet(NAME),
        I::LocalGet(STATE),
        I::I32Load(at(copies::LANDED)),
        I::LocalSet(NUMBER),
        I::Block(EMPTY),
        I::Loop(EMPTY),
        I::LocalGet(NUMBER),
        I::LocalGet(END),
        I::I32GeU,
        I::BrIf(1),
    ]);
    land_copy(c, places);
    c.extend([
        I::LocalGet(NUMBER),
        I::I32Const(1),
        I::I32Add,
        I::LocalSet(NUMBER),
        I::LocalGet(STATE),
        I::LocalGet(NUMBER),
        I::I32Store(at(copies::LANDED)),
        I::Br(0),
        I::End,
        I::End,
        I::I32Const(0),
    ]);
    function(&[(9, ValType::I32)], &code)
}

/// Computes the end of the copies for which the warp waits: the end of all copies, or the end of the last group that
/// the wait includes. Returns from the function if there is no such copy.
fn find_last_waited(c: &mut Vec<I<'static>>) {
    c.extend([
        I::LocalGet(ASKED),
        I::I32Const(WAITS_FOR_ALL),
        I::I32Ne,
        I::If(EMPTY),
        I::LocalGet(MADE),
        I::LocalGet(ASKED),
        I::I32LeU,
        I::If(EMPTY),
        I::I32Const(0),
        I::Return,
        I::End,
        I::LocalGet(ASKED),
        I::I32Const(MAX_GROUPS as i32),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::UNSUPPORTED));
    // Compute the number of the last group for which the warp waits.
    c.extend([
        I::LocalGet(MADE),
        I::LocalGet(ASKED),
        I::I32Sub,
        I::LocalSet(MADE),
    ]);
    c.extend(end_of(-1));
    c.extend([I::I32Load(at(copies::ENDS)), I::LocalSet(END), I::End]);
}

/// Commits the copies that the warp has started since the last commit, and returns from the function.
fn commit(c: &mut Vec<I<'static>>) {
    c.extend(end_of(0));
    c.extend([
        I::LocalGet(END),
        I::I32Store(at(copies::ENDS)),
        I::LocalGet(STATE),
        I::LocalGet(MADE),
        I::I32Const(1),
        I::I32Add,
        I::I32Store(at(copies::GROUPS)),
        I::I32Const(0),
        I::Return,
        I::End,
    ]);
}

/// Completes a copy: records the whole warp as the writer of the copied bytes, and checks the reads of the copy if
/// shadow memory tracks the source range.
fn land_copy(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(find_copy(places, NUMBER, COPY));
    c.extend([
        I::LocalGet(COPY),
        I::I32Load(at(entry::TO)),
        I::LocalSet(PLACE),
        I::LocalGet(COPY),
        I::I32Load8U(at(entry::SIZES)),
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(LEFT),
    ]);
    c.extend(set_epochs(places, PLACE, LEFT, NAME));
    c.extend([
        I::LocalGet(COPY),
        I::I32Load(at(entry::SIZES)),
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
    ]);
    recheck_source(c, places);
    c.push(I::End);
}

/// Checks the source of a copy for conflicting writes. A copy may read its source as late as at its completion.
/// Therefore, a write to the source conflicts with the copy if it occurs between the start of the copy and the wait, or
/// after the wait in the same barrier interval.
fn recheck_source(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    let [wrote, _] = places.arena_shadow;
    c.extend([
        I::LocalGet(COPY),
        I::I32Load(at(entry::FROM)),
        I::LocalSet(PLACE),
        I::LocalGet(COPY),
        I::I32Load8U(at(entry::SIZES + 1)),
        I::LocalGet(PLACE),
        I::I32Const(3),
        I::I32And,
        I::I32Add,
        I::I32Const(3),
        I::I32Add,
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(LEFT),
        I::LocalGet(PLACE),
        I::I32Const(-4),
        I::I32And,
        I::LocalTee(PLACE),
        I::LocalGet(LEFT),
        I::I32Const(0),
        I::I32Const(ALL_BYTES as i32),
        I::Call(FN_RECORD_ACCESS),
    ]);
    c.extend(returns_if(WHY));
    c.extend([
        I::Loop(EMPTY),
        I::LocalGet(PLACE),
        I::LocalGet(LEFT),
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
        I::I32Load(at(wrote - 4)),
        I::I32Const(!(ALL_BYTES as i32)),
        I::I32And,
        I::LocalGet(COPY),
        I::I32Load(at(entry::EPOCH)),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::CONFLICT));
    c.extend(loop_while_nonzero(LEFT));
}

/// Pushes the address of the entry that contains the end of a group. `distance` is the number of the group relative to
/// the next group.
fn end_of(distance: i32) -> [I<'static>; 9] {
    [
        I::LocalGet(STATE),
        I::LocalGet(MADE),
        I::I32Const(distance),
        I::I32Add,
        I::I32Const(MAX_GROUPS as i32 - 1),
        I::I32And,
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
    ]
}
