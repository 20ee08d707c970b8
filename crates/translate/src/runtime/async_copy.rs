//! `cp.async` copies from global to shared memory. The generated code takes the addresses of the source and the
//! destination of a copy, and produces the copied bytes, and shadow memory that marks these bytes as in flight until
//! the warp has waited for the async-group of the copy.

use crate::instructions::{at, splat32};
use crate::layout::stop;
use crate::layout::{
    ALL_BYTES, COPY_IS_NOTED, COPY_READ_SHIFT, IN_FLIGHT_EPOCH, MAX_COPIES, ModuleLayout, cell,
    copies, copy as entry, holds, site,
};
use crate::runtime::{
    EMPTY, FN_TRANSLATE_ADDRESS, function, loop_while_nonzero, return_if_unresolved, stops_if,
};
use wasm_encoder::{Function, Instruction as I, ValType};

/// Emits code that stores the address of the current warp's copy state in a local.
pub(crate) fn find_state(places: &ModuleLayout, state: u32) -> [I<'static>; 7] {
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

/// Emits code that stores the address of a copy description in the local `found`. The local `number` contains the
/// number of the copy.
pub(crate) fn find_copy(places: &ModuleLayout, number: u32, found: u32) -> [I<'static>; 13] {
    [
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(MAX_COPIES as i32),
        I::I32Mul,
        I::LocalGet(number),
        I::I32Const(MAX_COPIES as i32 - 1),
        I::I32And,
        I::I32Add,
        I::I32Const(entry::BYTES as i32),
        I::I32Mul,
        I::I32Const(places.in_flight as i32),
        I::I32Add,
        I::LocalSet(found),
    ]
}

/// Emits a loop that stores an epoch in the shadow words of a copy's destination. Locals contain the epoch and the
/// number of words. The loop decrements the number of words to zero.
pub(crate) fn set_epochs(
    places: &ModuleLayout,
    place: u32,
    left: u32,
    name: u32,
) -> Vec<I<'static>> {
    let [wrote, _] = places.shared_shadow;
    let mut code = vec![
        I::Loop(EMPTY),
        I::LocalGet(place),
        I::LocalGet(left),
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
        I::LocalGet(name),
        // Store the epoch in the shadow word of the last remaining word.
        I::I32Store(at(wrote - 4)),
    ];
    code.extend(loop_while_nonzero(left));
    code
}

/// Returns a placeholder for the runtime functions of copies, which modules without copies never call.
pub(crate) fn never_called() -> Function {
    function(&[], &[I::Unreachable])
}

// Indices of the parameters and locals of [`copy`].
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

/// Returns the function `(destination, destination site, source, source site, written bytes, read bytes) -> exit code
/// or zero`, which executes the copy of one lane.
pub(crate) fn copy(places: &ModuleLayout) -> Function {
    if places.copies_bytes == 0 {
        return never_called();
    }
    let mut code = Vec::new();
    let c = &mut code;
    resolve_source(c);
    c.extend([
        I::LocalGet(TO),
        I::LocalGet(TO_SITE),
        I::LocalGet(SIZE),
        I::I32Const(1),
        I::Call(FN_TRANSLATE_ADDRESS),
        I::LocalTee(PLACE),
    ]);
    c.extend(return_if_unresolved());
    move_bytes(c, places);
    record_copy(c, places);
    c.push(I::I32Const(0));
    function(&[(8, ValType::I32)], &code)
}

/// Appends the copy to the list of copies that the warp has started.
fn record_copy(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(find_state(places, STATE));
    c.extend([
        I::LocalGet(STATE),
        I::I32Load(at(copies::STARTED)),
        I::LocalTee(NUMBER),
        I::LocalGet(STATE),
        I::I32Load(at(copies::LANDED)),
        I::I32Sub,
        I::I32Const(MAX_COPIES as i32),
        I::I32GeU,
    ]);
    c.extend(stops_if(stop::UNSUPPORTED));
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
        I::I32Const(COPY_READ_SHIFT as i32),
        I::I32Shl,
        I::LocalGet(SIZE),
        I::I32Or,
        I::LocalGet(NOTED),
        I::I32Or,
        I::I32Store(at(entry::SIZES)),
        I::LocalGet(ENTRY),
        I::I32Const(0),
        I::I32Load(at(cell::CURRENT_EPOCH)),
        I::I32Store(at(entry::EPOCH)),
    ]);
}

/// Translates the source address if the copy reads bytes. Also saves whether shadow memory tracks the source range.
fn resolve_source(c: &mut Vec<I<'static>>) {
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
        I::Call(FN_TRANSLATE_ADDRESS),
        I::LocalTee(SOURCE),
    ]);
    c.extend(return_if_unresolved());
    c.extend([
        I::I32Const(COPY_IS_NOTED as i32),
        I::I32Const(0),
        I::LocalGet(FROM_SITE),
        I::I32Load(at(site::HOLDS)),
        I::I32Const(holds::TRACKED as i32),
        I::I32And,
        I::Select,
        I::LocalSet(NOTED),
        I::End,
    ]);
}

/// Copies the read bytes, fills the remainder of the destination with zeros, and marks all written bytes as in flight.
fn move_bytes(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    let [wrote, _] = places.shared_shadow;
    let in_flight = IN_FLIGHT_EPOCH | ALL_BYTES;
    c.extend([
        I::LocalGet(N_READ),
        I::I32Const(16),
        I::I32Eq,
        I::If(EMPTY),
        I::LocalGet(PLACE),
        I::LocalGet(SOURCE),
        I::V128Load(at(0)),
        I::V128Store(at(0)),
        I::LocalGet(PLACE),
        splat32(in_flight),
        I::V128Store(at(wrote)),
        I::Else,
        I::LocalGet(PLACE),
        I::LocalGet(SOURCE),
        I::LocalGet(N_READ),
        I::MemoryCopy {
            src_mem: 0,
            dst_mem: 0,
        },
        I::LocalGet(PLACE),
        I::LocalGet(N_READ),
        I::I32Add,
        I::I32Const(0),
        I::LocalGet(SIZE),
        I::LocalGet(N_READ),
        I::I32Sub,
        I::MemoryFill(0),
        I::I32Const(in_flight as i32),
        I::LocalSet(NAME),
        I::LocalGet(SIZE),
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(LEFT),
    ]);
    c.extend(set_epochs(places, PLACE, LEFT, NAME));
    c.push(I::End);
}
