//! Copies from global to shared memory, and the groups that a warp makes of them. In: addresses; out: bytes in their places, in notes that no thread may
//! access them until the warp has waited for their group, and whose bytes they are from then on.

use crate::helpers::{
    EMPTY, NOTE, RESOLVE, function, next_round, returns_if, stop_if_refused, stops_if,
};
use crate::instructions::{at, splat32};
use crate::place::stop;
use crate::place::{
    ALL_BYTES, IN_FLIGHT, MOST_COPIES, MOST_GROUPS, Places, cell, copies, copy as entry, holds,
    site,
};
use wasm_encoder::{Function, Instruction as I, ValType};

/// What a warp asks of its groups where it does not wait for all but the latest few: to make one, or to wait for all copies, grouped or not.
pub(crate) const COMMITS: i32 = -1;
pub(crate) const WAITS_FOR_ALL: i32 = -2;

/// Leaves the place of what is known of the copies of the warp at hand in a local.
fn find_state(places: &Places, state: u32) -> [I<'static>; 7] {
    [
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(copies::BYTES as i32),
        I::I32Mul,
        I::I32Const(places.copies as i32),
        I::I32Add,
        I::LocalSet(state),
    ]
}

/// Leaves the place of the copy with the number in a local in another one.
fn find_copy(places: &Places, number: u32, found: u32) -> [I<'static>; 13] {
    [
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(MOST_COPIES as i32),
        I::I32Mul,
        I::LocalGet(number),
        I::I32Const(MOST_COPIES as i32 - 1),
        I::I32And,
        I::I32Add,
        I::I32Const(entry::BYTES as i32),
        I::I32Mul,
        I::I32Const(places.in_flight as i32),
        I::I32Add,
        I::LocalSet(found),
    ]
}

/// Notes the name in a local for all words of a copy, whose number is in another local, which ends as zero.
fn name_words(places: &Places, place: u32, left: u32, name: u32) -> Vec<I<'static>> {
    let [wrote, _] = places.shared_notes;
    let mut code = vec![
        I::Loop(EMPTY),
        I::LocalGet(place),
        I::LocalGet(left),
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
        I::LocalGet(name),
        // Of the word before.
        I::I32Store(at(wrote - 4)),
    ];
    code.extend(next_round(left));
    code
}

/// A function that code without copies does not call.
fn never_called() -> Function {
    function(&[], &[I::Unreachable])
}

/// `(to, its site, from, its site, bytes, bytes that are read) -> why the run stops, or zero`
pub(crate) fn copy(places: &Places) -> Function {
    if places.copies_bytes == 0 {
        return never_called();
    }
    const TO: u32 = 0;
    const TO_SITE: u32 = 1;
    const FROM: u32 = 2;
    const FROM_SITE: u32 = 3;
    const SIZE: u32 = 4;
    const N_READ: u32 = 5;
    const PLACE: u32 = 6;
    const SOURCE: u32 = 7;
    const NOTED: u32 = 8;
    const STATE: u32 = 9;
    const NUMBER: u32 = 10;
    const ENTRY: u32 = 11;
    const NAME: u32 = 12;
    const LEFT: u32 = 13;
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::LocalGet(N_READ),
        I::If(EMPTY),
        I::LocalGet(FROM),
        I::I32WrapI64,
        I::LocalGet(SIZE),
        I::I32Const(1),
        I::I32Sub,
        I::I32And,
    ]);
    c.extend(stops_if(stop::FAULT));
    c.extend([
        I::LocalGet(FROM),
        I::LocalGet(FROM_SITE),
        I::LocalGet(N_READ),
        I::I32Const(0),
        I::Call(RESOLVE),
        I::LocalTee(SOURCE),
    ]);
    c.extend(stop_if_refused());
    c.extend([
        I::I32Const(entry::IS_NOTED as i32),
        I::I32Const(0),
        I::LocalGet(FROM_SITE),
        I::I32Load(at(site::HOLDS)),
        I::I32Const(holds::NOTED as i32),
        I::I32And,
        I::Select,
        I::LocalSet(NOTED),
        I::End,
        I::LocalGet(TO),
        I::LocalGet(TO_SITE),
        I::LocalGet(SIZE),
        I::I32Const(1),
        I::Call(RESOLVE),
        I::LocalTee(PLACE),
    ]);
    c.extend(stop_if_refused());
    move_bytes(c, places, [PLACE, SOURCE, SIZE, N_READ], [LEFT, NAME]);
    c.extend(find_state(places, STATE));
    c.extend([
        I::LocalGet(STATE),
        I::I32Load(at(copies::STARTED)),
        I::LocalTee(NUMBER),
        I::LocalGet(STATE),
        I::I32Load(at(copies::LANDED)),
        I::I32Sub,
        I::I32Const(MOST_COPIES as i32),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::RARE));
    c.extend([
        I::LocalGet(STATE),
        I::LocalGet(NUMBER),
        I::I32Const(1),
        I::I32Add,
        I::I32Store(at(copies::STARTED)),
    ]);
    c.extend(find_copy(places, NUMBER, ENTRY));
    c.extend([
        I::LocalGet(ENTRY),
        I::LocalGet(PLACE),
        I::I32Store(at(entry::TO)),
        I::LocalGet(ENTRY),
        I::LocalGet(SOURCE),
        I::I32Store(at(entry::FROM)),
        I::LocalGet(ENTRY),
        I::LocalGet(N_READ),
        I::I32Const(entry::READ_SHIFT as i32),
        I::I32Shl,
        I::LocalGet(SIZE),
        I::I32Or,
        I::LocalGet(NOTED),
        I::I32Or,
        I::I32Store(at(entry::SIZES)),
        I::LocalGet(ENTRY),
        I::I32Const(0),
        I::I32Load(at(cell::ME)),
        I::I32Store(at(entry::NAME)),
        I::I32Const(0),
    ]);
    function(&[(8, ValType::I32)], &code)
}

/// Copies what is read, with zeros after it, and notes that all of it is in flight.
fn move_bytes(
    c: &mut Vec<I<'static>>,
    places: &Places,
    [place, source, size, n_read]: [u32; 4],
    [left, name]: [u32; 2],
) {
    let [wrote, _] = places.shared_notes;
    let in_flight = IN_FLIGHT | ALL_BYTES;
    c.extend([
        I::LocalGet(n_read),
        I::I32Const(16),
        I::I32Eq,
        I::If(EMPTY),
        I::LocalGet(place),
        I::LocalGet(source),
        I::V128Load(at(0)),
        I::V128Store(at(0)),
        I::LocalGet(place),
        splat32(in_flight),
        I::V128Store(at(wrote)),
        I::Else,
        I::LocalGet(place),
        I::LocalGet(source),
        I::LocalGet(n_read),
        I::MemoryCopy {
            src_mem: 0,
            dst_mem: 0,
        },
        I::LocalGet(place),
        I::LocalGet(n_read),
        I::I32Add,
        I::I32Const(0),
        I::LocalGet(size),
        I::LocalGet(n_read),
        I::I32Sub,
        I::MemoryFill(0),
        I::I32Const(in_flight as i32),
        I::LocalSet(name),
        I::LocalGet(size),
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(left),
    ]);
    c.extend(name_words(places, place, left, name));
    c.push(I::End);
}

/// `(what is asked) -> why the run stops, or zero`: makes a group of the copies that the warp has started since the last one, or waits for
/// all but as many of the latest groups. What they brought was written by the whole warp, now.
pub(crate) fn groups(places: &Places) -> Function {
    if places.copies_bytes == 0 {
        return never_called();
    }
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
    // Where the end of a group is: of the next one, or of one before it.
    let end_of = |distance: i32| {
        [
            I::LocalGet(STATE),
            I::LocalGet(MADE),
            I::I32Const(distance),
            I::I32Add,
            I::I32Const(MOST_GROUPS as i32 - 1),
            I::I32And,
            I::I32Const(2),
            I::I32Shl,
            I::I32Add,
        ]
    };
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
        I::I32Const(MOST_GROUPS as i32),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::RARE));
    // The last group that is waited for.
    c.extend([
        I::LocalGet(MADE),
        I::LocalGet(ASKED),
        I::I32Sub,
        I::LocalSet(MADE),
    ]);
    c.extend(end_of(-1));
    c.extend([
        I::I32Load(at(copies::ENDS)),
        I::LocalSet(END),
        I::End,
        I::I32Const(0),
        I::I32Load(at(cell::ME)),
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
    c.extend(name_words(places, PLACE, LEFT, NAME));
    c.extend([
        I::LocalGet(COPY),
        I::I32Load(at(entry::SIZES)),
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
    ]);
    read_again(c, places, [COPY, PLACE, LEFT, WHY]);
    c.extend([
        I::End,
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

/// A copy may read as late as it lands: who has written to its source since it started is in conflict with it, and so is who writes there in
/// this phase.
fn read_again(c: &mut Vec<I<'static>>, places: &Places, [copy, place, left, why]: [u32; 4]) {
    let [wrote, _] = places.arena_notes;
    c.extend([
        I::LocalGet(copy),
        I::I32Load(at(entry::FROM)),
        I::LocalSet(place),
        I::LocalGet(copy),
        I::I32Load8U(at(entry::SIZES + 1)),
        I::LocalGet(place),
        I::I32Const(3),
        I::I32And,
        I::I32Add,
        I::I32Const(3),
        I::I32Add,
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(left),
        I::LocalGet(place),
        I::I32Const(-4),
        I::I32And,
        I::LocalTee(place),
        I::LocalGet(left),
        I::I32Const(0),
        I::I32Const(ALL_BYTES as i32),
        I::Call(NOTE),
    ]);
    c.extend(returns_if(why));
    c.extend([
        I::Loop(EMPTY),
        I::LocalGet(place),
        I::LocalGet(left),
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
        I::I32Load(at(wrote - 4)),
        I::I32Const(!(ALL_BYTES as i32)),
        I::I32And,
        I::LocalGet(copy),
        I::I32Load(at(entry::NAME)),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::CONFLICT));
    c.extend(next_round(left));
}
