//! Context records of diverged lanes. The generated code takes the context record of a subwarp, and produces an
//! additional context record for the lanes that diverge.

use crate::instructions::at;
use crate::layout::{ModuleLayout, cell, record};
use crate::runtime::{EMPTY, first_epoch, function};
use wasm_encoder::{Function, Instruction as I, ValType};

const RECORD: u32 = 0;
const ENTRY: u32 = 1;
const LANES: u32 = 2;
const MADE: u32 = 3;
const WHOLE: u32 = 4;

fn field(offset: u32) -> [I<'static>; 2] {
    [I::LocalGet(RECORD), I::I32Load(at(offset))]
}

/// Returns the function `(context record, entry, lanes) -> context record of these lanes`, which moves the given lanes
/// to an additional record. The result is zero if no record is free. Both records receive new epochs.
pub(crate) fn part(places: &ModuleLayout) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    make_record(c, places);
    // The context record of the whole subwarp contains the number of the next epoch.
    c.extend(field(record::SUBWARP));
    c.extend([
        I::I32Const(places.record_bytes as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::LocalSet(WHOLE),
    ]);
    for offset in [record::SUBWARP, record::TABLE] {
        c.push(I::LocalGet(MADE));
        c.extend(field(offset));
        c.push(I::I32Store(at(offset)));
    }
    c.extend([
        I::LocalGet(MADE),
        I::I32Const(0),
        I::I32Store(at(record::SUSPEND_CODE)),
        I::LocalGet(MADE),
        I::LocalGet(ENTRY),
        I::I32Store(at(record::ENTRY)),
        I::LocalGet(MADE),
        I::LocalGet(LANES),
        I::I32Store(at(record::MASK)),
    ]);
    name_records(c);
    c.extend([
        I::I32Const(0),
        I::I32Const(0),
        I::I32Load(at(cell::WARP_SYNC_EPOCH)),
    ]);
    c.extend(field(record::SUBWARP));
    c.extend(first_epoch());
    c.push(I::I32Add);
    c.extend(field(record::EPOCH));
    c.extend([
        I::I32Add,
        I::I32Store(at(cell::CURRENT_EPOCH)),
        I::I32Const(0),
    ]);
    c.extend(field(record::ANCESTOR_EPOCHS));
    c.extend([I::I32Store(at(cell::ANCESTOR_EPOCHS)), I::LocalGet(MADE)]);
    function(&[(2, ValType::I32)], &code)
}

/// Assigns the next epochs of the subwarp to both context records. The previous epoch becomes an ancestor epoch of both
/// records.
fn name_records(c: &mut Vec<I<'static>>) {
    c.push(I::LocalGet(RECORD));
    c.extend(field(record::ANCESTOR_EPOCHS));
    c.push(I::I32Const(1));
    c.extend(field(record::EPOCH));
    c.extend([
        I::I32Shl,
        I::I32Or,
        I::I32Store(at(record::ANCESTOR_EPOCHS)),
    ]);
    c.push(I::LocalGet(MADE));
    c.extend(field(record::ANCESTOR_EPOCHS));
    c.push(I::I32Store(at(record::ANCESTOR_EPOCHS)));
    for local in [MADE, RECORD] {
        c.extend([
            I::LocalGet(local),
            I::LocalGet(WHOLE),
            I::I32Load(at(record::NEXT_EPOCH)),
            I::I32Store(at(record::EPOCH)),
            I::LocalGet(WHOLE),
            I::LocalGet(WHOLE),
            I::I32Load(at(record::NEXT_EPOCH)),
            I::I32Const(1),
            I::I32Add,
            I::I32Store(at(record::NEXT_EPOCH)),
        ]);
    }
}

/// Allocates a context record, or returns zero from the function if no record is free.
fn make_record(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::N_CONTEXTS)),
        I::LocalTee(MADE),
        I::I32Const(places.most_records as i32),
        I::I32GeU,
        I::If(EMPTY),
        I::I32Const(0),
        I::Return,
        I::End,
        I::I32Const(0),
        I::LocalGet(MADE),
        I::I32Const(1),
        I::I32Add,
        I::I32Store(at(cell::N_CONTEXTS)),
        I::LocalGet(MADE),
        I::I32Const(places.record_bytes as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::LocalSet(MADE),
    ]);
}
