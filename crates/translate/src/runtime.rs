//! Runtime functions of the module: address translation, shadow-memory updates, context records of diverged lanes, step
//! counts, reconvergence, dispatch to the functions of a long region, and execution of a barrier interval.

pub(crate) mod address_translation;
pub(crate) mod async_copy;
pub(crate) mod barrier_interval;
pub(crate) mod groups;
pub(crate) mod reconverge;
pub(crate) mod shadow_memory;
pub(crate) mod split_context;
pub(crate) mod step_count;

use crate::instructions::at;
use crate::layout::{ModuleLayout, SUBWARPS_PER_WARP, cell, record, site};
pub(crate) use crate::runtime::address_translation::{resolve_all, translate_address};
pub(crate) use crate::runtime::async_copy::copy;
pub(crate) use crate::runtime::barrier_interval::phase;
pub(crate) use crate::runtime::groups::{COMMITS, WAITS_FOR_ALL, groups};
pub(crate) use crate::runtime::reconverge::{join, spread_lanes};
pub(crate) use crate::runtime::shadow_memory::{check_same_value_stores, note, ordered};
pub(crate) use crate::runtime::split_context::part;
pub(crate) use crate::runtime::step_count::{add, count};
use wasm_encoder::{BlockType, Function, Instruction as I, MemArg, ValType};

/// Indices of the runtime functions among the functions of the module.
pub(crate) const FN_TRANSLATE_ADDRESS: u32 = 0;
pub(crate) const FN_HAPPENS_BEFORE: u32 = 1;
pub(crate) const FN_RECORD_ACCESS: u32 = 2;
pub(crate) const FN_SPLIT_CONTEXT: u32 = 3;
pub(crate) const FN_REGION: u32 = 4;
pub(crate) const FN_RUN_INTERVAL: u32 = 5;
pub(crate) const RESOLVE_ALL: u32 = 6;
pub(crate) const REPLAY_SCHEDULER: u32 = 7;
pub(crate) const FN_RECONVERGE: u32 = 8;
pub(crate) const WARP: u32 = 9;
pub(crate) const COPY: u32 = 10;
pub(crate) const GROUPS: u32 = 11;
pub(crate) const FN_CHECK_SAME_VALUE: u32 = 12;
/// Function index of the first outlined routine, which follows the runtime functions.
pub(crate) const ROUTINES: u32 = 13;

/// Parameter types and result type of a WebAssembly function.
pub(crate) type FunctionType = (&'static [ValType], ValType);

/// Type of each runtime function, by its index.
pub(crate) const TYPES: [FunctionType; ROUTINES as usize] = {
    use ValType::{I32, I64, V128};
    [
        (&[I64, I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32, I32, I32, I32], I32),
        (&[I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32], I32),
        (&[V128, V128, I32, I32, I32, I32], V128),
        (&[I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32, I32], I32),
        (&[I64, I32, I64, I32, I32, I32], I32),
        (&[I32], I32),
        (&[], I32),
    ]
};

/// Returns a function with the given code and additional locals.
pub(crate) fn function(locals: &[(u32, ValType)], code: &[I<'static>]) -> Function {
    let mut function = Function::new(locals.iter().copied());
    for instruction in code {
        function.instruction(instruction);
    }
    function.instruction(&I::End);
    function
}

/// Returns the function `FN_REGION`: `(context record, index of the record in the warp) -> exit code or zero`.
/// `FN_REGION` calls the function of the group of basic blocks in which the lanes of the record continue.
pub(crate) fn region_dispatch(groups_of_entries: &[usize], first_part: u32) -> Function {
    let n_groups = groups_of_entries.iter().max().map_or(0, |last| last + 1) as u32;
    let mut code = vec![I::Block(EMPTY); n_groups as usize];
    code.extend([I::LocalGet(0), I::I32Load(at(record::ENTRY))]);
    let table: Vec<u32> = groups_of_entries
        .iter()
        .map(|group| *group as u32)
        .collect();
    code.push(I::BrTable(table.into(), 0));
    for group in 0..n_groups {
        code.extend([
            I::End,
            I::LocalGet(0),
            I::LocalGet(1),
            I::Call(first_part + group),
            I::Return,
        ]);
    }
    code.push(I::Unreachable);
    function(&[], &code)
}

/// Bit position of the kind of atomic operation in the flags of an access.
pub(crate) const ATOMIC_SHIFT: u32 = 2;

/// Access flag: no thread stores to shared memory before the next barrier.
pub(crate) const NO_STORES_IN_INTERVAL: u32 = 2;

pub(crate) const EMPTY: BlockType = BlockType::Empty;

/// Emits code that replaces the index of a subwarp on the stack with the offset of the subwarp's first epoch from the
/// first epoch of its warp.
pub(crate) fn first_epoch() -> [I<'static>; 6] {
    [
        I::I32Const(SUBWARPS_PER_WARP as i32 - 1),
        I::I32And,
        I::I32Const(3),
        I::I32Shl,
        I::I32Const(8),
        I::I32Add,
    ]
}

/// Number of epochs that a warp uses between two reconvergences: eight epochs for each subwarp, and eight further
/// epochs. The first of these further epochs represents several readers in the warp.
pub(crate) const EPOCHS_PER_WARP: u32 = 8 * (SUBWARPS_PER_WARP + 1);

/// Emits code that starts new epochs for the warp, so that all earlier accesses of the warp happen before all later
/// accesses.
pub(crate) fn advance_epochs() -> [I<'static>; 10] {
    [
        I::I32Const(0),
        I::I32Const(0),
        I::I32Load(at(cell::NEXT_EPOCH)),
        I::I32Store(at(cell::WARP_SYNC_EPOCH)),
        I::I32Const(cell::NEXT_EPOCH as i32),
        I::I32Const(0),
        I::I32Load(at(cell::NEXT_EPOCH)),
        I::I32Const(EPOCHS_PER_WARP as i32),
        I::I32Add,
        I::I32Store(at(0)),
    ]
}

/// Emits the end of a counted loop, which decrements the number of remaining iterations in the local `left`.
pub(crate) fn loop_while_nonzero(left: u32) -> [I<'static>; 6] {
    [
        I::LocalGet(left),
        I::I32Const(1),
        I::I32Sub,
        I::LocalTee(left),
        I::BrIf(0),
        I::End,
    ]
}

/// Returns load and store instructions that copy `n_bytes` bytes at the given offsets. Each pair expects the addresses
/// of the destination and the source on the stack.
pub(crate) fn copies(n_bytes: u64, from: u64, to: u64) -> Vec<[I<'static>; 2]> {
    let mut all = Vec::new();
    let mut done = 0;
    while done < n_bytes {
        let [load, store] = [from, to].map(|start| MemArg {
            offset: start + done,
            align: 0,
            memory_index: 0,
        });
        let (n, pair) = match n_bytes - done {
            16.. => (16, [I::V128Load(load), I::V128Store(store)]),
            8.. => (8, [I::I64Load(load), I::I64Store(store)]),
            4.. => (4, [I::I32Load(load), I::I32Store(store)]),
            2.. => (2, [I::I32Load16U(load), I::I32Store16(store)]),
            _ => (1, [I::I32Load8U(load), I::I32Store8(store)]),
        };
        all.push(pair);
        done += n;
    }
    all
}

/// Emits code that pushes whether an address is outside of the cached range of an access site, and stores the offset of
/// the address in the range in a local.
pub(crate) fn is_outside([address, site, offset]: [u32; 3]) -> [I<'static>; 8] {
    [
        I::LocalGet(address),
        I::LocalGet(site),
        I::I64Load(at(site::ADDRESS)),
        I::I64Sub,
        I::LocalTee(offset),
        I::LocalGet(site),
        I::I64Load(at(site::SIZE)),
        I::I64GeU,
    ]
}

/// Emits code that pushes the number of bytes from an offset to the end of an access site's cached range.
pub(crate) fn bytes_left(site: u32, offset: u32) -> [I<'static>; 4] {
    [
        I::LocalGet(site),
        I::I64Load(at(site::SIZE)),
        I::LocalGet(offset),
        I::I64Sub,
    ]
}

/// Emits code that returns zero if the address on the stack is zero, which indicates a failed address translation.
/// After a failed translation, the exit-code cell contains the reason.
pub(crate) fn return_if_unresolved() -> [I<'static>; 6] {
    [
        I::I32Eqz,
        I::If(EMPTY),
        I::I32Const(0),
        I::I32Load(at(cell::EXIT_CODE)),
        I::Return,
        I::End,
    ]
}

/// Emits code that returns from the function with the exit code `reason` if the number on the stack is not zero.
pub(crate) fn stops_if(reason: u32) -> [I<'static>; 4] {
    [I::If(EMPTY), I::I32Const(reason as i32), I::Return, I::End]
}

/// Emits code that advances to the next context record of a warp. The records of the subwarps precede the records of
/// diverged lanes. `record` and `index` are locals with the address and the index of the current record.
pub(crate) fn next_record(places: &ModuleLayout, record: u32, index: u32) -> [I<'static>; 12] {
    let parts = places.records + places.n_subwarps * places.record_bytes;
    [
        I::I32Const(parts as i32),
        I::LocalGet(record),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalGet(index),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(index),
        I::I32Const(SUBWARPS_PER_WARP as i32),
        I::I32Eq,
        I::Select,
        I::LocalSet(record),
    ]
}

/// Emits code that returns from the function with the exit code on the stack if this exit code is not zero. The code
/// saves the exit code in the local `kept`.
pub(crate) fn returns_if(kept: u32) -> [I<'static>; 5] {
    [
        I::LocalTee(kept),
        I::If(EMPTY),
        I::LocalGet(kept),
        I::Return,
        I::End,
    ]
}

/// Emits code that stores an exit code in the exit-code cell and returns zero from the function.
pub(crate) fn stops(reason: u32) -> [I<'static>; 5] {
    [
        I::I32Const(0),
        I::I32Const(reason as i32),
        I::I32Store(at(cell::EXIT_CODE)),
        I::I32Const(0),
        I::Return,
    ]
}
