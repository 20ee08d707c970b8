//! Counts of the steps and stores of a warp since the last reconvergence. The generated code takes the context records
//! of the warp, and produces updated counts. If all lanes took one path, the counts equal the counts of the
//! interpreter. The counts of a divergent warp depend on the order in which its lane groups reconverge, so only the
//! length of the longest path is counted, which is a lower bound of the number of steps.

use crate::instructions::at;
use crate::layout::{ModuleLayout, SUBWARPS_PER_WARP, cell, record};
use crate::runtime::{EMPTY, function, next_record};
use warpgrid_emulator::translation_view::GROUP_QUANTUM;
use wasm_encoder::{Function, Instruction as I, ValType};

/// Whether the results of warp-level operations depend on the reconvergence of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reconvergence {
    /// All warp-level operations wait for all lanes.
    Independent,
    /// At least one warp-level operation does not wait for all lanes, so that its result depends on the lane groups
    /// that the schedule with this seed forms.
    Dependent { seed: u64 },
}

/// Emits code that adds a 64-bit number to a cell.
pub(crate) fn add(cell: u32, what: &[I<'static>]) -> Vec<I<'static>> {
    let mut code = vec![I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))];
    code.extend_from_slice(what);
    code.extend([I::I64Add, I::I64Store(at(cell))]);
    code
}

const FIRST: u32 = 0;
/// Local that contains the bit set of the executed context records that have not been compared yet.
const LEFT: u32 = 1;
const RECORD: u32 = 2;
const INDEX: u32 = 3;
const PATH: u32 = 4;
/// Local that is nonzero if a context record has already been compared.
const HAS_RECORD: u32 = 5;
/// Local that is nonzero if lanes of the warp took different paths.
const HAS_DIVERGED: u32 = 6;
const FURTHEST: u32 = 7;
const STORES: u32 = 8;
/// Local that contains the number of steps of the previous context record.
const STEPS: u32 = 9;
/// Local that contains the number of steps on the longest path.
const MAX_RUN: u32 = 10;
/// Local that contains an upper bound of the number of steps of all lane groups.
const BOUND: u32 = 11;

/// Returns the function `(first context record, executed records) -> 0`, which counts the steps of a warp. The result
/// of the function is unused.
pub(crate) fn count(places: &ModuleLayout, reconvergence: Reconvergence) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        // The warp has diverged if lanes have diverged from their subwarp, or if lanes have taken different sides of an
        // if-converted branch.
        I::LocalGet(LEFT),
        I::I32Const(SUBWARPS_PER_WARP as i32),
        I::I32ShrU,
        I::I32Const(0),
        I::I32Load(at(cell::DETOURS)),
        I::I32Or,
        I::LocalSet(HAS_DIVERGED),
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
    compare_record(c, reconvergence);
    c.extend([I::End]);
    c.extend(next_record(places, RECORD, INDEX));
    c.extend([
        I::LocalGet(LEFT),
        I::I32Const(1),
        I::I32ShrU,
        I::LocalTee(LEFT),
        I::BrIf(0),
        I::End,
    ]);
    c.extend(add(cell::STEPS, &[I::LocalGet(MAX_RUN)]));
    c.extend(add(cell::STORES, &[I::LocalGet(STORES)]));
    note_divergence(c, places, reconvergence);
    c.push(I::I32Const(0));
    function(&[(6, ValType::I32), (4, ValType::I64)], &code)
}

/// Records that the launch has a divergent warp. If results depend on the reconvergence of the warp, also computes an
/// upper bound of the steps of the warp.
fn note_divergence(c: &mut Vec<I<'static>>, places: &ModuleLayout, reconvergence: Reconvergence) {
    c.extend([
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::FURTHEST_BLOCK)),
        I::LocalGet(HAS_DIVERGED),
        I::If(EMPTY),
        I::I32Const(0),
        I::I32Const(1),
        I::I32Store(at(cell::DIVERGED)),
    ]);
    if let Reconvergence::Dependent { seed } = reconvergence {
        bound_divergent_steps(c, places);
        c.extend([
            I::I32Const(0),
            I::I32Const(-1),
            I::LocalGet(FURTHEST),
            I::LocalGet(BOUND),
            I::I64Const(i64::from(GROUP_QUANTUM)),
            I::I64GeU,
            I::I32Const(i32::from(seed != 0)),
            I::I32Or,
            I::Select,
            I::I32Store(at(cell::FURTHEST_BLOCK)),
        ]);
    }
    c.push(I::End);
}

/// Compares the path of a context record with the path of the previous record.
fn compare_record(c: &mut Vec<I<'static>>, reconvergence: Reconvergence) {
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
    take_record(c);
    if let Reconvergence::Dependent { .. } = reconvergence {
        // Add one step per context record, because a lane group attempts a waiting operation at most once before the
        // scheduler selects another group.
        c.extend([
            I::LocalGet(BOUND),
            I::LocalGet(STEPS),
            I::I64Add,
            I::I64Const(2),
            I::I64Add,
            I::LocalSet(BOUND),
            I::LocalGet(RECORD),
            I::I32Load(at(record::FURTHEST_BLOCK)),
            I::LocalGet(FURTHEST),
            I::LocalGet(RECORD),
            I::I32Load(at(record::FURTHEST_BLOCK)),
            I::LocalGet(FURTHEST),
            I::I32GtU,
            I::Select,
            I::LocalSet(FURTHEST),
        ]);
    }
    c.push(I::End);
}

/// Makes the current context record the reference for the following comparisons if it is the first record, or if its
/// lanes took a different path.
fn take_record(c: &mut Vec<I<'static>>) {
    c.extend([
        I::LocalGet(HAS_RECORD),
        I::I32Eqz,
        I::I32Or,
        I::If(EMPTY),
        I::LocalGet(HAS_DIVERGED),
        I::LocalGet(HAS_RECORD),
        I::I32Or,
        I::LocalSet(HAS_DIVERGED),
        I::I32Const(1),
        I::LocalSet(HAS_RECORD),
        I::LocalGet(RECORD),
        I::I32Load(at(record::PATH)),
        I::LocalSet(PATH),
        I::LocalGet(RECORD),
        I::I64Load(at(record::STORES)),
        I::LocalSet(STORES),
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalTee(STEPS),
        I::LocalGet(MAX_RUN),
        I::LocalGet(STEPS),
        I::LocalGet(MAX_RUN),
        I::I64GtU,
        I::Select,
        I::LocalSet(MAX_RUN),
    ]);
}

/// Adds the steps of all lane groups to the upper bound of the warp, which is limited to the length of a time slice.
/// During a time slice, the scheduler selects the groups at the lowest positions in the code.
fn bound_divergent_steps(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
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
        I::I64Const(i64::from(GROUP_QUANTUM)),
        I::LocalGet(BOUND),
        I::I64Const(i64::from(GROUP_QUANTUM)),
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
