//! Steps and stores of a warp since its lanes last met. In: its records; out: what the interpreter counts, if all lanes took one path. The interpreter's counts of a
//! divergent warp depend on when its groups of lanes reconverge: the longest path is a lower bound of its steps.

use super::{EMPTY, function};
use crate::emit::at;
use crate::place::{GANGS, Places, cell, record};
use warpgrid_emulator::plain::TURN_STEPS;
use wasm_encoder::{Function, Instruction as I, ValType};

/// What the results of warp-level operations depend on beside registers and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reconvergence {
    /// Nothing: all of them wait for all lanes.
    DoesNotMatter,
    /// The groups in which lanes come to an operation that does not wait for all of them, by the schedule with this seed.
    Matters { seed: u64 },
}

/// Adds a number of 64 bits to a cell.
pub(crate) fn add(cell: u32, what: &[I<'static>]) -> Vec<I<'static>> {
    let mut code = vec![I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))];
    code.extend_from_slice(what);
    code.extend([I::I64Add, I::I64Store(at(cell))]);
    code
}

const FIRST: u32 = 0;
/// The records that have run and were not looked at, a bit each.
const LEFT: u32 = 1;
const RECORD: u32 = 2;
const INDEX: u32 = 3;
const PATH: u32 = 4;
/// Whether a record was looked at.
const IS_KNOWN: u32 = 5;
/// Whether lanes took different paths.
const IS_APART: u32 = 6;
const FURTHEST: u32 = 7;
const STORES: u32 = 8;
/// Steps of the record before, and of the longest path.
const STEPS: u32 = 9;
const LONGEST: u32 = 10;
/// An upper bound of the steps of all groups.
const BOUND: u32 = 11;

/// `(first record, which have run) -> zero`.
pub(crate) fn count(places: &Places, reconvergence: Reconvergence) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        // Lanes have parted from their gang for good, or for a while.
        I::LocalGet(LEFT),
        I::I32Const(GANGS as i32),
        I::I32ShrU,
        I::I32Const(0),
        I::I32Load(at(cell::DETOURS)),
        I::I32Or,
        I::LocalSet(IS_APART),
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::DETOURS)),
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::Loop(EMPTY),
        I::LocalGet(LEFT),
        I::I32Const(1),
        I::I32And,
        I::If(EMPTY),
    ]);
    look_at_record(c, reconvergence);
    c.extend([
        I::End,
        // The gangs of the warp come first, then all parts.
        I::I32Const((places.records + places.n_gangs * places.record_bytes) as i32),
        I::LocalGet(RECORD),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalGet(INDEX),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(INDEX),
        I::I32Const(GANGS as i32),
        I::I32Eq,
        I::Select,
        I::LocalSet(RECORD),
        I::LocalGet(LEFT),
        I::I32Const(1),
        I::I32ShrU,
        I::LocalTee(LEFT),
        I::BrIf(0),
        I::End,
    ]);
    c.extend(add(cell::STEPS, &[I::LocalGet(LONGEST)]));
    c.extend(add(cell::STORES, &[I::LocalGet(STORES)]));
    c.extend([
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::FURTHEST)),
        I::LocalGet(IS_APART),
        I::If(EMPTY),
        I::I32Const(0),
        I::I32Const(1),
        I::I32Store(at(cell::DIVERGED)),
    ]);
    if let Reconvergence::Matters { seed } = reconvergence {
        bound_divergent_steps(c, places);
        c.extend([
            I::I32Const(0),
            I::I32Const(-1),
            I::LocalGet(FURTHEST),
            I::LocalGet(BOUND),
            I::I64Const(i64::from(TURN_STEPS)),
            I::I64GeU,
            I::I32Const(i32::from(seed != 0)),
            I::I32Or,
            I::Select,
            I::I32Store(at(cell::FURTHEST)),
        ]);
    }
    c.extend([I::End, I::I32Const(0)]);
    function(&[(6, ValType::I32), (4, ValType::I64)], &code)
}

/// Compares the path of a record with that of the record before.
fn look_at_record(c: &mut Vec<I<'static>>, reconvergence: Reconvergence) {
    c.extend([
        I::LocalGet(RECORD),
        I::I32Load(at(record::PATH)),
        I::LocalGet(PATH),
        I::I32Ne,
    ]);
    for (offset, local) in [(record::STORES, STORES), (record::STEPS, STEPS)] {
        c.extend([
            I::LocalGet(RECORD),
            I::I64Load(at(offset)),
            I::LocalGet(local),
            I::I64Ne,
            I::I32Or,
        ]);
    }
    c.extend([
        I::LocalGet(IS_KNOWN),
        I::I32Eqz,
        I::I32Or,
        I::If(EMPTY),
        I::LocalGet(IS_APART),
        I::LocalGet(IS_KNOWN),
        I::I32Or,
        I::LocalSet(IS_APART),
        I::I32Const(1),
        I::LocalSet(IS_KNOWN),
        I::LocalGet(RECORD),
        I::I32Load(at(record::PATH)),
        I::LocalSet(PATH),
        I::LocalGet(RECORD),
        I::I64Load(at(record::STORES)),
        I::LocalSet(STORES),
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalTee(STEPS),
        I::LocalGet(LONGEST),
        I::LocalGet(STEPS),
        I::LocalGet(LONGEST),
        I::I64GtU,
        I::Select,
        I::LocalSet(LONGEST),
    ]);
    if let Reconvergence::Matters { .. } = reconvergence {
        // A group tries an operation in vain at most once before the scheduler selects another group.
        c.extend([
            I::LocalGet(BOUND),
            I::LocalGet(STEPS),
            I::I64Add,
            I::I64Const(2),
            I::I64Add,
            I::LocalSet(BOUND),
            I::LocalGet(RECORD),
            I::I32Load(at(record::FURTHEST)),
            I::LocalGet(FURTHEST),
            I::LocalGet(RECORD),
            I::I32Load(at(record::FURTHEST)),
            I::LocalGet(FURTHEST),
            I::I32GtU,
            I::Select,
            I::LocalSet(FURTHEST),
        ]);
    }
    c.push(I::End);
}

/// Adds the steps of the groups to the bound of the warp, at most to the length of a time slice: before it, those furthest behind continue.
fn bound_divergent_steps(c: &mut Vec<I<'static>>, places: &Places) {
    let place = [
        I::I32Const(0),
        I::I32Load(at(cell::WARP)),
        I::I32Const(2),
        I::I32Shl,
    ];
    c.extend(place.clone());
    c.extend([
        I::I64Load32U(at(places.divergent_steps)),
        I::LocalGet(BOUND),
    ]);
    c.extend([I::I64Add, I::LocalTee(BOUND)]);
    c.extend([
        I::I64Const(i64::from(TURN_STEPS)),
        I::LocalGet(BOUND),
        I::I64Const(i64::from(TURN_STEPS)),
        I::I64LtU,
        I::Select,
        I::LocalSet(BOUND),
    ]);
    c.extend(place);
    c.extend([
        I::LocalGet(BOUND),
        I::I64Store32(at(places.divergent_steps)),
    ]);
}
