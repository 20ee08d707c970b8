//! Execution of one barrier interval of a block. The generated code takes the context records of the block's subwarps.
//! At its end, every subwarp has reached its next barrier or has exited, and the counts of the interval are updated.

use crate::control_flow_graph::SuspendCodes;
use crate::instructions::at;
use crate::layout::{ModuleLayout, SUBWARP_LANES, SUBWARPS_PER_WARP, cell, record};
use crate::layout::{RESUMES, stop};
use crate::runtime::step_count::add;
use crate::runtime::{
    EMPTY, FN_CHECK_SAME_VALUE, FN_RECONVERGE, FN_REGION, REPLAY_SCHEDULER, WARP, advance_epochs,
    function, next_record, returns_if,
};
use wasm_encoder::{Function, Instruction as I, ValType};

const BEGINS: u32 = 0;
const INDEX: u32 = 1;
const RECORD: u32 = 2;
const STOP: u32 = 3;
const FIRST: u32 = 4;
const WAIT: u32 = 5;
const LIVE: u32 = 6;
const MIXED: u32 = 7;
const NUMBER: u32 = 8;
const RESUMED: u32 = 9;
const FOR_HOST: u32 = 10;

fn field(offset: u32) -> [I<'static>; 2] {
    [I::LocalGet(RECORD), I::I32Load(at(offset))]
}

fn load(cell: u32) -> [I<'static>; 2] {
    [I::I32Const(0), I::I32Load(at(cell))]
}

fn store(cell: u32, what: I<'static>) -> [I<'static>; 3] {
    [I::I32Const(0), what, I::I32Store(at(cell))]
}

fn put(offset: u32, what: I<'static>) -> [I<'static>; 3] {
    [I::LocalGet(RECORD), what, I::I32Store(at(offset))]
}

fn leaves(reason: u32) -> [I<'static>; 2] {
    [I::I32Const(reason as i32), I::Return]
}

/// Emits a call of a function, and returns the exit code of the called function if it is not zero.
fn call(number: u32) -> [I<'static>; 6] {
    let [a, b, c, d, e] = returns_if(STOP);
    [I::Call(number), a, b, c, d, e]
}

/// Emits a call of a function, followed by the deferred equality checks of unordered stores.
fn call_and_look(number: u32) -> Vec<I<'static>> {
    let mut code = call(number).to_vec();
    code.extend(load(cell::VALUE_CHECKS));
    code.push(I::If(EMPTY));
    code.extend(call(FN_CHECK_SAME_VALUE));
    code.push(I::End);
    code
}

/// Emits a loop that executes `body` for each subwarp of the current warp.
fn for_each_subwarp(places: &ModuleLayout, body: Vec<I<'static>>) -> Vec<I<'static>> {
    let mut code = vec![
        I::I32Const(0),
        I::LocalSet(INDEX),
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::Loop(EMPTY),
    ];
    code.extend(body);
    code.extend([
        I::LocalGet(RECORD),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalSet(RECORD),
        I::LocalGet(INDEX),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(INDEX),
        I::I32Const(SUBWARPS_PER_WARP as i32),
        I::I32LtU,
        I::BrIf(0),
        I::End,
    ]);
    code
}

/// Emits a loop that executes `body` for each context record of the current warp, including records of lanes that
/// diverge during the loop.
fn for_each_context(places: &ModuleLayout, body: Vec<I<'static>>) -> Vec<I<'static>> {
    let mut code = vec![
        I::I32Const(0),
        I::LocalSet(INDEX),
        I::LocalGet(FIRST),
        I::LocalSet(RECORD),
        I::Loop(EMPTY),
    ];
    code.extend(body);
    code.extend(next_record(places, RECORD, INDEX));
    code.push(I::LocalGet(INDEX));
    code.extend(load(cell::N_CONTEXTS));
    code.extend([
        I::I32Const((places.n_subwarps - SUBWARPS_PER_WARP) as i32),
        I::I32Sub,
        I::I32LtU,
        I::BrIf(0),
        I::End,
    ]);
    code
}

/// Returns the function `(begins) -> exit code or zero`, which runs every context record up to its next barrier or its
/// exit, warp by warp. At the start of the block, `begins` is the region entry at which all subwarps start. In later
/// barrier intervals, `begins` is negative. After a host call, `begins` is [`RESUMES`].
pub(crate) fn phase(places: &ModuleLayout, numbers: SuspendCodes) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    resume_or_begin(c, places);
    c.extend([
        I::Loop(EMPTY),
        I::LocalGet(NUMBER),
        I::I32Const((SUBWARPS_PER_WARP * places.record_bytes) as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::LocalSet(FIRST),
        I::LocalGet(RESUMED),
        I::I32Eqz,
        I::If(EMPTY),
    ]);
    begin_warp(c, places);
    c.extend([I::End, I::I32Const(0), I::LocalSet(RESUMED)]);
    run_warp(c, places, numbers);
    c.extend([
        I::LocalGet(NUMBER),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(NUMBER),
        I::I32Const((places.n_subwarps / SUBWARPS_PER_WARP) as i32),
        I::I32LtU,
        I::BrIf(0),
        I::End,
        I::I32Const(0),
    ]);
    function(&[(10, ValType::I32)], &code)
}

/// Runs the context records of the warp one by one, and determines the synchronization points at which their lanes
/// wait.
fn run_apart(c: &mut Vec<I<'static>>, places: &ModuleLayout, numbers: SuspendCodes) {
    c.extend([
        I::I32Const(-1),
        I::LocalSet(WAIT),
        I::I32Const(0),
        I::LocalSet(LIVE),
        I::I32Const(0),
        I::LocalSet(MIXED),
        I::I32Const(0),
        I::LocalSet(FOR_HOST),
    ]);
    let mut record = run_record();
    record.extend(classify_suspend(numbers));
    c.extend(for_each_context(places, record));
    c.extend([I::LocalGet(FOR_HOST), I::If(EMPTY)]);
    c.extend(leaves(stop::HOST_CALL));
    c.extend([I::End, I::LocalGet(FIRST)]);
    c.extend(load(cell::RAN_CONTEXTS));
    c.extend([
        I::Call(REPLAY_SCHEDULER),
        I::Drop,
        I::LocalGet(MIXED),
        I::If(EMPTY),
    ]);
    c.extend(leaves(stop::DIVERGENT));
}

/// Restores the state of the barrier interval if it continues after a host call. Otherwise, initializes this state.
fn resume_or_begin(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend([
        I::LocalGet(BEGINS),
        I::I32Const(RESUMES),
        I::I32Eq,
        I::LocalTee(RESUMED),
        I::If(EMPTY),
    ]);
    for (local, cell) in [(BEGINS, cell::BEGINS), (NUMBER, cell::WARP)] {
        c.extend(load(cell));
        c.push(I::LocalSet(local));
    }
    c.push(I::Else);
    c.extend(store(cell::BEGINS, I::LocalGet(BEGINS)));
    c.extend([
        I::LocalGet(BEGINS),
        I::I32Const(0),
        I::I32GeS,
        I::If(EMPTY),
        I::I32Const(places.divergent_steps as i32),
        I::I32Const(0),
        I::I32Const((places.n_subwarps / SUBWARPS_PER_WARP * 4) as i32),
        I::MemoryFill(0),
        I::End,
        I::End,
    ]);
}

/// Checks that all lanes of all warps wait at the same barrier.
fn meet_barrier(c: &mut Vec<I<'static>>) {
    c.extend(load(cell::ENDED));
    c.extend(load(cell::FIRST_ENTRY));
    c.extend([I::I32Const(0), I::I32GeS]);
    c.extend(load(cell::FIRST_ENTRY));
    c.extend([
        I::LocalGet(WAIT),
        I::I32Ne,
        I::I32And,
        I::I32Or,
        I::If(EMPTY),
    ]);
    c.extend(leaves(stop::DIVERGENT));
    c.push(I::End);
    c.extend(store(cell::FIRST_ENTRY, I::LocalGet(WAIT)));
    c.extend(store(cell::BARRIER_REACHED, I::I32Const(1)));
}

/// Merges all context records of diverged lanes into the records of their subwarps.
fn join_parts(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(load(cell::N_CONTEXTS));
    c.extend([
        I::I32Const(places.n_subwarps as i32),
        I::I32GtU,
        I::If(EMPTY),
    ]);
    c.extend(for_each_context(places, join_record(places)));
    c.extend(store(
        cell::N_CONTEXTS,
        I::I32Const(places.n_subwarps as i32),
    ));
    c.extend(for_each_subwarp(places, take_first_name()));
    c.push(I::End);
}

/// Runs a warp until all of its lanes wait at a barrier or have exited.
fn run_warp(c: &mut Vec<I<'static>>, places: &ModuleLayout, numbers: SuspendCodes) {
    c.extend([I::Block(EMPTY), I::Loop(EMPTY)]);
    run_converged(c, places);
    c.extend(load(cell::IS_CONVERGED));
    c.push(I::If(EMPTY));
    continue_converged(c);
    c.push(I::Else);
    run_apart(c, places, numbers);
    c.extend([I::End, I::End]);
    c.extend(store(cell::RAN_CONTEXTS, I::I32Const(0)));
    c.extend([
        // The warp has finished if all of its lanes have exited.
        I::LocalGet(WAIT),
        I::I32Const(0),
        I::I32LtS,
        I::BrIf(1),
    ]);
    join_parts(c, places);
    c.extend([
        I::LocalGet(WAIT),
        I::I32Const(numbers.first_barrier as i32),
        I::I32GeU,
        I::If(EMPTY),
    ]);
    meet_barrier(c);
    c.extend([I::Br(2), I::End]);
    do_operation(c, places);
    c.extend([I::Br(0), I::End, I::End]);
}

fn take_first_name() -> Vec<I<'static>> {
    let mut code = Vec::new();
    for (offset, value) in [
        (record::EPOCH, 0),
        (record::ANCESTOR_EPOCHS, 0),
        (record::NEXT_EPOCH, 1),
    ] {
        code.extend(put(offset, I::I32Const(value)));
    }
    code
}

/// Initializes the context records of a warp's subwarps at the kernel start or after a barrier.
fn begin_warp(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(store(cell::WARP, I::LocalGet(NUMBER)));
    c.extend(advance_epochs());
    c.push(I::I32Const(0));
    c.extend(load(cell::WARP_SYNC_EPOCH));
    c.push(I::I32Store(at(cell::WARP_INTERVAL_EPOCH)));
    c.extend(store(
        cell::N_CONTEXTS,
        I::I32Const(places.n_subwarps as i32),
    ));
    c.extend(store(cell::ENDED, I::I32Const(0)));
    c.extend(store(cell::DETOURS, I::I32Const(0)));
    c.extend(store(cell::LIVE, I::I32Const(-1)));
    c.extend([
        I::I32Const(0),
        I::I32Const(0),
        I::I64Load(at(cell::STEPS)),
        I::I64Store(at(cell::STEPS_BEFORE)),
    ]);
    c.extend(store(cell::RAN_CONTEXTS, I::I32Const(0)));
    c.extend([I::LocalGet(BEGINS), I::I32Const(0), I::I32GeS, I::If(EMPTY)]);
    let mut subwarp = take_first_name();
    subwarp.extend(put(record::SUSPEND_CODE, I::I32Const(0)));
    // Treat a subwarp without lanes as exited.
    subwarp.extend([I::LocalGet(RECORD), I::LocalGet(BEGINS), I::I32Const(-1)]);
    subwarp.extend(field(record::FIRST_MASK));
    subwarp.extend([
        I::Select,
        I::I32Store(at(record::ENTRY)),
        I::LocalGet(RECORD),
    ]);
    subwarp.extend(field(record::FIRST_MASK));
    subwarp.push(I::I32Store(at(record::MASK)));
    c.extend(for_each_subwarp(places, subwarp));
    c.push(I::Else);
    // Subwarps of converged warps already have their first epochs, and subwarps of diverged warps have received new
    // epochs at their reconvergence.
    for subwarp in 0..SUBWARPS_PER_WARP {
        c.extend([
            I::LocalGet(FIRST),
            I::I32Const(0),
            I::I32Store(at(subwarp * places.record_bytes + record::SUSPEND_CODE)),
        ]);
    }
    c.push(I::End);
}

/// Runs all subwarps of the warp in one region call if the first subwarp can continue and no lanes have diverged.
fn run_converged(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(store(cell::IS_CONVERGED, I::I32Const(0)));
    c.extend([
        I::LocalGet(FIRST),
        I::I32Load(at(record::ENTRY)),
        I::I32Const(0),
        I::I32GeS,
        I::LocalGet(FIRST),
        I::I32Load(at(record::SUSPEND_CODE)),
        I::I32Eqz,
        I::I32And,
    ]);
    c.extend(load(cell::N_CONTEXTS));
    c.extend([
        I::I32Const(places.n_subwarps as i32),
        I::I32Eq,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(FIRST),
        I::I32Const(0),
    ]);
    c.extend(call_and_look(FN_REGION));
    c.push(I::End);
}

/// Continues after a region call in which all subwarps took the same path to the same synchronization point: determines
/// this point, and updates the counts.
fn continue_converged(c: &mut Vec<I<'static>>) {
    let first = |offset: u32| [I::LocalGet(FIRST), I::I32Load(at(offset))];
    c.push(I::I32Const(-1));
    c.extend(first(record::SUSPEND_CODE));
    c.extend(first(record::SUSPEND_CODE));
    c.extend([I::I32Eqz, I::Select, I::LocalSet(WAIT)]);
    c.extend(load(cell::ALIKE_LIVE));
    c.push(I::LocalSet(LIVE));
    for (cell, offset) in [(cell::STEPS, record::STEPS), (cell::STORES, record::STORES)] {
        c.extend(add(cell, &[I::LocalGet(FIRST), I::I64Load(at(offset))]));
    }
    c.extend(store(cell::FURTHEST_BLOCK, I::I32Const(0)));
}

/// Runs a context record whose lanes can continue. The region call may also run the subwarps after it.
fn run_record() -> Vec<I<'static>> {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend(field(record::ENTRY));
    c.extend([I::I32Const(0), I::I32GeS]);
    c.extend(field(record::SUSPEND_CODE));
    c.extend([
        I::I32Eqz,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(RECORD),
        I::LocalGet(INDEX),
    ]);
    c.extend(call_and_look(FN_REGION));
    c.push(I::End);
    code
}

/// Determines the synchronization point at which the lanes of a context record wait.
fn classify_suspend(numbers: SuspendCodes) -> Vec<I<'static>> {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend(field(record::ENTRY));
    c.extend([I::I32Const(0), I::I32GeS, I::If(EMPTY)]);
    c.extend(field(record::SUSPEND_CODE));
    c.extend([
        I::I32Const(numbers.first_of_host as i32),
        I::I32GeU,
        I::LocalGet(FOR_HOST),
        I::I32Or,
        I::LocalSet(FOR_HOST),
        I::LocalGet(WAIT),
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
    ]);
    c.extend(field(record::SUSPEND_CODE));
    c.extend([I::LocalSet(WAIT), I::End]);
    c.extend(field(record::SUSPEND_CODE));
    c.extend([
        I::LocalGet(WAIT),
        I::I32Ne,
        I::LocalGet(MIXED),
        I::I32Or,
        I::LocalSet(MIXED),
    ]);
    c.extend(field(record::MASK));
    c.extend(field(record::SUBWARP));
    c.extend([
        I::I32Const(SUBWARPS_PER_WARP as i32 - 1),
        I::I32And,
        I::I32Const(SUBWARP_LANES as i32),
        I::I32Mul,
        I::I32Shl,
        I::LocalGet(LIVE),
        I::I32Or,
        I::LocalSet(LIVE),
        I::End,
    ]);
    code
}

/// Merges a waiting context record of diverged lanes into the record of their subwarp.
fn join_record(places: &ModuleLayout) -> Vec<I<'static>> {
    let mut code = vec![
        I::LocalGet(INDEX),
        I::I32Const(SUBWARPS_PER_WARP as i32),
        I::I32GeU,
    ];
    let c = &mut code;
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Const(0),
        I::I32GeS,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(RECORD),
    ]);
    c.extend(field(record::SUBWARP));
    c.extend([
        I::I32Const(places.record_bytes as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::Call(FN_RECONVERGE),
        I::Drop,
        I::End,
    ]);
    code
}

/// Executes the warp-level operation at which all lanes of the warp have reconverged, and the following operations of
/// its sequence.
fn do_operation(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend(advance_epochs());
    c.extend(load(cell::NEXT_EPOCH));
    c.extend([
        I::I32Const(crate::layout::MAX_EPOCHS as i32),
        I::I32GtU,
        I::If(EMPTY),
        I::I32Const(stop::TOO_LARGE as i32),
        I::Return,
        I::End,
        I::I32Const(0),
        I::I64Load(at(cell::STEPS)),
        I::I32Const(0),
        I::I64Load(at(cell::STEPS_BEFORE)),
        I::I64Sub,
        I::I32Const(0),
        I::I64Load(at(cell::FUEL)),
        I::I64GtU,
        I::If(EMPTY),
        I::I32Const(stop::STEPS as i32),
        I::Return,
        I::End,
    ]);
    c.push(I::I32Const(0));
    c.extend(load(cell::LIVE));
    c.push(I::I32Store(at(cell::LIVE_AT_LAST_SYNC)));
    c.extend(store(cell::LIVE, I::LocalGet(LIVE)));
    c.extend([I::LocalGet(FIRST), I::LocalGet(WAIT)]);
    c.extend(call_and_look(WARP));
    let mut subwarp = Vec::new();
    subwarp.extend(field(record::ENTRY));
    subwarp.extend([I::I32Const(0), I::I32GeS, I::If(EMPTY), I::LocalGet(RECORD)]);
    subwarp.extend(load(cell::NEXT_ENTRY));
    subwarp.push(I::I32Store(at(record::ENTRY)));
    subwarp.extend(put(record::SUSPEND_CODE, I::I32Const(0)));
    subwarp.push(I::End);
    c.extend(for_each_subwarp(places, subwarp));
}
