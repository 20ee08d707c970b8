//! Shadow-memory checks and updates for accesses that the inline code does not handle. The generated code takes
//! addresses of words, and produces updated shadow memory, or a bailout.

use crate::control_flow_graph::ControlFlowGraph;
use crate::instructions::{at, splat32};
use crate::layout::stop;
use crate::layout::{
    ALL_BYTES, BYTES_SHIFT, MAX_KINDS, MAX_VALUE_CHECKS, ModuleLayout, SHARED_EPOCH, cell, suspect,
};
use crate::runtime::{
    ATOMIC_SHIFT, EMPTY, FN_HAPPENS_BEFORE, function, loop_while_nonzero, stops_if,
};
use wasm_encoder::{Function, Instruction as I, ValType};

/// Epochs that the generated code compares with four shadow words of shared memory. Each epoch is represented by
/// instructions that push a vector with the epoch in all lanes.
pub(crate) struct EpochVectors {
    pub(crate) me: Vec<I<'static>>,
    pub(crate) phase: Vec<I<'static>>,
    /// First epoch of the warp in this barrier interval, and its first epoch since the last reconvergence of its lanes.
    /// The field is `None` for kernels without warp-level operations.
    pub(crate) warp: Option<[Vec<I<'static>>; 2]>,
}

impl EpochVectors {
    /// Emits code that pushes, for each epoch in a local, whether the accesses of the epoch happen before the current
    /// access. The accesses of an epoch happen before the current access if the epoch belongs to an earlier barrier
    /// interval, to this subwarp, or to the warp before the last reconvergence of its lanes.
    pub(crate) fn ordered(&self, local: u32) -> Vec<I<'static>> {
        let mut code = Vec::new();
        let mut compare = |name: &[I<'static>], compared: I<'static>| {
            code.push(I::LocalGet(local));
            code.extend_from_slice(name);
            code.push(compared);
        };
        compare(&self.phase, I::I32x4LtU);
        compare(&self.me, I::I32x4Eq);
        if let Some([start, since]) = &self.warp {
            compare(start, I::I32x4GeU);
            compare(since, I::I32x4LtU);
            code.extend([I::V128And, I::V128Or]);
        }
        code.push(I::V128Or);
        code
    }

    /// Pushes the new reader epoch of each word after a read by this subwarp. If all other reads happen before the
    /// current read, the new reader epoch is the epoch of this subwarp. Otherwise, the new reader epoch represents
    /// several readers: readers in this warp since the last reconvergence, or any readers.
    pub(crate) fn reader(&self, readers: u32, ordered: u32) -> Vec<I<'static>> {
        let mut code = self.me.clone();
        match &self.warp {
            Some([_, since]) => {
                code.extend_from_slice(since);
                code.extend_from_slice(&self.phase);
                code.push(I::LocalGet(readers));
                code.extend_from_slice(since);
                code.extend([I::I32x4GeU, I::V128Bitselect]);
            }
            None => code.extend_from_slice(&self.phase),
        }
        code.extend([I::LocalGet(ordered), I::V128Bitselect]);
        code
    }
}

/// Returns the function `(epoch, is_shared) -> whether the accesses of the epoch happen before the current access`.
pub(crate) fn ordered() -> Function {
    const NAME: u32 = 0;
    const SHARED: u32 = 1;
    let cell_of = |cell: u32| [I::I32Const(0), I::I32Load(at(cell))];
    let mut code = Vec::new();
    let c = &mut code;
    let yes = [I::If(EMPTY), I::I32Const(1), I::Return, I::End];
    c.extend([I::LocalGet(NAME), I::I32Eqz]);
    c.extend(yes.clone());
    c.push(I::LocalGet(NAME));
    c.extend(cell_of(cell::CURRENT_EPOCH));
    c.push(I::I32Eq);
    c.extend(yes.clone());
    // Accept epochs of earlier barrier intervals of this block. For shared memory, all smaller epochs belong to earlier
    // barrier intervals.
    c.extend(cell_of(cell::PHASE));
    c.extend([I::LocalGet(NAME), I::I32GtU, I::If(EMPTY)]);
    c.extend([I::LocalGet(SHARED), I::LocalGet(NAME)]);
    c.extend(cell_of(cell::BLOCK));
    c.extend([I::I32GeU, I::I32Or, I::Return, I::End]);
    // Accept epochs that this warp used before the last reconvergence of its lanes.
    c.push(I::LocalGet(NAME));
    c.extend(cell_of(cell::WARP_SYNC_EPOCH));
    c.extend([I::I32LtU, I::If(EMPTY), I::LocalGet(NAME)]);
    c.extend(cell_of(cell::WARP_INTERVAL_EPOCH));
    c.extend([I::I32GeU, I::Return, I::End]);
    // Accept epochs that this subwarp used before its lanes diverged.
    c.extend([I::LocalGet(NAME), I::I32Const(3), I::I32ShrU]);
    c.extend(cell_of(cell::CURRENT_EPOCH));
    c.extend([I::I32Const(3), I::I32ShrU, I::I32Eq]);
    c.extend(cell_of(cell::ANCESTOR_EPOCHS));
    c.extend([
        I::LocalGet(NAME),
        I::I32Const(7),
        I::I32And,
        I::I32ShrU,
        I::I32And,
        I::I32Const(1),
        I::I32And,
    ]);
    function(&[], &code)
}

// Indices of the parameters and locals of [`note`].
const PLACE: u32 = 0;
const WORDS: u32 = 1;
const FLAGS: u32 = 2;
const BYTES: u32 = 3;
const WROTE: u32 = 4;
const READ: u32 = 5;
const SHARED: u32 = 6;
const CALM: u32 = 7;
const OLD: u32 = 8;
const SEVERAL: u32 = 9;
// Local that contains the epoch of the recorded store, if this store is not ordered with the current access.
const NAMED: u32 = 10;
/// Local that contains the mask of the bytes that both the recorded store and the current store have written.
const BOTH: u32 = 11;
const W: u32 = 12;
const R: u32 = 13;
const KEPT: u32 = 14;
const NAME: i32 = !(ALL_BYTES as i32);

/// Instructions that push the epoch of the current subwarp.
const ME: [I<'static>; 2] = [I::I32Const(0), I::I32Load(at(cell::CURRENT_EPOCH))];
const CONFLICT: [I<'static>; 3] = [I::I32Const(stop::CONFLICT as i32), I::Return, I::End];

/// Returns the function `(address, words, flags, bytes) -> exit code or zero`, which records an access in shadow
/// memory. Flag 1 marks stores, flag 2 marks shared memory, and the bits from `ATOMIC_SHIFT` on contain the kind of an
/// atomic operation. `bytes` is a mask of the accessed bytes of each word, in the upper bits. If unordered stores of
/// several subwarps write a word, the function defers a check that the stored values are equal until the subwarp stops.
/// While copies may be in flight, unordered stores are conflicts.
pub(crate) fn note(places: &ModuleLayout, flow: &ControlFlowGraph) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    find_notes(c, places);
    note_four(c, places, [PLACE, WORDS, FLAGS], [W, R, KEPT]);
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(ATOMIC_SHIFT as i32),
        I::I32ShrU,
        I::LocalTee(OLD),
        I::If(EMPTY),
    ]);
    note_atomic(c, [PLACE, WORDS, WROTE, READ, SHARED, OLD, CALM]);
    c.push(I::End);
    c.push(I::Loop(EMPTY));
    push_ordered(c, READ);
    c.push(I::LocalSet(CALM));
    find_several_readers(c);
    push_ordered(c, WROTE);
    c.extend([I::I32Eqz, I::If(EMPTY)]);
    note_unordered(c, places, flow);
    c.push(I::Else);
    note_ordered(c);
    c.extend([
        I::End,
        I::LocalGet(PLACE),
        I::I32Const(4),
        I::I32Add,
        I::LocalSet(PLACE),
    ]);
    c.extend(loop_while_nonzero(WORDS));
    c.push(I::I32Const(0));
    function(&[(8, ValType::I32), (3, ValType::V128)], &code)
}

/// Computes the offsets from memory words to their shadow words for the accessed memory.
fn find_notes(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(1),
        I::I32ShrU,
        I::I32Const(1),
        I::I32And,
        I::LocalSet(SHARED),
    ]);
    for (local, index) in [(WROTE, 0), (READ, 1)] {
        c.extend([
            I::I32Const(places.shared_shadow[index] as i32),
            I::I32Const(places.arena_shadow[index] as i32),
            I::LocalGet(SHARED),
            I::Select,
            I::LocalSet(local),
        ]);
    }
}

/// Pushes the address of the shadow word for the current memory word. The local `notes` contains the offset from the
/// memory word to its shadow word.
fn word(notes: u32) -> [I<'static>; 3] {
    [I::LocalGet(PLACE), I::LocalGet(notes), I::I32Add]
}

/// Pushes whether the access that a shadow word records happens before the current access. The code saves the shadow
/// word in a local.
fn push_ordered(c: &mut Vec<I<'static>>, notes: u32) {
    c.extend(word(notes));
    c.extend([
        I::I32Load(at(0)),
        I::LocalTee(OLD),
        I::I32Const(NAME),
        I::I32And,
        I::LocalGet(SHARED),
        I::Call(FN_HAPPENS_BEFORE),
    ]);
}

/// Computes the epoch that represents several readers. The readers are in this warp since the last reconvergence of its
/// lanes, in this block until the end of the barrier interval, or permanently in several blocks.
fn find_several_readers(c: &mut Vec<I<'static>>) {
    let is_noted_since = |first: u32| {
        [
            I::LocalGet(OLD),
            I::I32Const(0),
            I::I32Load(at(first)),
            I::I32GeU,
            I::LocalGet(OLD),
            I::I32Const(NAME),
            I::I32Ne,
            I::I32And,
        ]
    };
    c.extend([
        I::LocalGet(OLD),
        I::I32Const(NAME),
        I::I32And,
        I::LocalSet(OLD),
        I::I32Const(0),
        I::I32Load(at(cell::WARP_SYNC_EPOCH)),
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(-1),
        I::LocalGet(SHARED),
    ]);
    c.extend(is_noted_since(cell::BLOCK));
    c.extend([I::I32Or, I::Select]);
    c.extend(is_noted_since(cell::WARP_SYNC_EPOCH));
    c.extend([I::Select, I::LocalSet(SEVERAL)]);
}

/// Records an access to a word after a store that is not ordered with this access. The access is a conflict unless both
/// accesses store equal values or store different bytes.
fn note_unordered(c: &mut Vec<I<'static>>, places: &ModuleLayout, flow: &ControlFlowGraph) {
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(1),
        I::I32And,
        I::I32Eqz,
        I::LocalGet(CALM),
        I::I32Eqz,
        I::I32Or,
        I::If(EMPTY),
    ]);
    c.extend(CONFLICT);
    c.extend([
        I::LocalGet(OLD),
        I::LocalGet(BYTES),
        I::I32And,
        I::I32Const(ALL_BYTES as i32),
        I::I32And,
        I::LocalTee(BOTH),
        I::I32Eqz,
        I::LocalGet(OLD),
        I::I32Const(NAME),
        I::I32And,
        I::LocalTee(NAMED),
        I::I32Const(3),
        I::I32ShrU,
    ]);
    c.extend(ME);
    c.extend([
        I::I32Const(NAME),
        I::I32And,
        I::I32Const(3),
        I::I32ShrU,
        I::I32Eq,
        I::I32And,
        I::If(EMPTY),
        // If diverged lanes of one subwarp have stored to different bytes of the word, the shadow word receives the
        // last epoch of the subwarp.
        I::LocalGet(NAMED),
        I::I32Const(7),
        I::I32Or,
        I::LocalSet(NAMED),
        I::Else,
    ]);
    match flow.has_copies {
        true => c.extend([I::I32Const(stop::CONFLICT as i32), I::Return]),
        false => record_value_check(c, places),
    }
    c.push(I::End);
    c.extend(word(WROTE));
    c.extend([
        I::LocalGet(OLD),
        I::LocalGet(BYTES),
        I::I32Or,
        I::I32Const(ALL_BYTES as i32),
        I::I32And,
        I::LocalGet(NAMED),
        I::I32Or,
        I::I32Store(at(0)),
    ]);
}

/// Records an access to a word if all earlier stores to the word happen before this access.
fn note_ordered(c: &mut Vec<I<'static>>) {
    c.extend([I::LocalGet(FLAGS), I::I32Const(1), I::I32And, I::If(EMPTY)]);
    c.extend([I::LocalGet(CALM), I::I32Eqz, I::If(EMPTY)]);
    c.extend(CONFLICT);
    // Add the bytes that the same subwarp has already stored to this word to the mask of written bytes.
    c.extend(word(WROTE));
    c.extend(ME);
    c.extend([
        I::LocalGet(BYTES),
        I::I32Or,
        I::LocalGet(OLD),
        I::I32Const(0),
    ]);
    c.extend([I::LocalGet(OLD), I::I32Const(NAME), I::I32And]);
    c.extend(ME);
    c.extend([I::I32Eq, I::Select, I::I32Or, I::I32Store(at(0)), I::Else]);
    c.extend(word(READ));
    c.extend(ME);
    c.extend([
        I::LocalGet(SEVERAL),
        I::LocalGet(CALM),
        I::Select,
        I::I32Const(ALL_BYTES as i32),
        I::I32Or,
        I::I32Store(at(0)),
        I::End,
    ]);
}

/// Defers an equality check for a word after an unordered store of the epoch `NAMED`: the bytes in the mask `BOTH` must
/// keep their value. The shadow word receives an epoch that represents several subwarps, either in this block and
/// barrier interval or in any block. If atomic operations have accessed the word, the store is a conflict.
fn record_value_check(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    // The epochs that represent kinds of atomic operations start after the first epoch of the barrier interval for
    // shared memory, and after zero for global memory.
    c.extend([
        I::LocalGet(NAMED),
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(0),
        I::LocalGet(SHARED),
        I::Select,
        I::I32Sub,
        I::I32Const(1),
        I::I32Sub,
        I::I32Const(MAX_KINDS as i32),
        I::I32LtU,
    ]);
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::VALUE_CHECKS)),
        I::I32Const((MAX_VALUE_CHECKS * suspect::BYTES) as i32),
        I::I32GeU,
        I::I32Or,
    ]);
    c.extend(stops_if(stop::CONFLICT));
    c.extend([I::LocalGet(BOTH), I::If(EMPTY)]);
    push_suspect(c, places);
    c.extend([
        I::End,
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(SHARED_EPOCH as i32),
        I::LocalGet(NAMED),
        I::I32Const(0),
        I::I32Load(at(cell::BLOCK)),
        I::I32GeU,
        I::LocalGet(SHARED),
        I::I32Or,
        I::Select,
        I::LocalSet(NAMED),
    ]);
}

/// Appends a deferred check: the address of the word, its value, and a bit mask of the bytes that must keep their
/// value.
fn push_suspect(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    let suspects = || [I::I32Const(0), I::I32Load(at(cell::VALUE_CHECKS))];
    c.extend(suspects());
    c.extend([
        I::LocalGet(PLACE),
        I::I32Store(at(places.suspects + suspect::PLACE)),
    ]);
    c.extend(suspects());
    c.extend([
        I::LocalGet(PLACE),
        I::I32Load(at(0)),
        I::I32Store(at(places.suspects + suspect::WORD)),
    ]);
    c.extend(suspects());
    c.extend([
        I::LocalGet(BOTH),
        I::I32Const(BYTES_SHIFT as i32),
        I::I32ShrU,
        I::I32Const(0x0020_4081),
        I::I32Mul,
        I::I32Const(0x0101_0101),
        I::I32And,
        I::I32Const(0xff),
        I::I32Mul,
        I::I32Store(at(places.suspects + suspect::MASK)),
        I::I32Const(0),
    ]);
    c.extend(suspects());
    c.extend([
        I::I32Const(suspect::BYTES as i32),
        I::I32Add,
        I::I32Store(at(cell::VALUE_CHECKS)),
    ]);
}

/// Returns the function `() -> exit code or zero`, which executes the deferred checks. A check passes if the unordered
/// stores have not changed the value of the word, because the result then does not depend on the order of the stores.
pub(crate) fn check_same_value_stores(places: &ModuleLayout) -> Function {
    const LEFT: u32 = 0;
    let field = |offset: u32| [I::LocalGet(LEFT), I::I32Load(at(places.suspects + offset))];
    let mut code = vec![
        I::I32Const(0),
        I::I32Load(at(cell::VALUE_CHECKS)),
        I::LocalSet(LEFT),
        I::Loop(EMPTY),
        I::LocalGet(LEFT),
        I::I32Const(suspect::BYTES as i32),
        I::I32Sub,
        I::LocalSet(LEFT),
    ];
    code.extend(field(suspect::PLACE));
    code.push(I::I32Load(at(0)));
    code.extend(field(suspect::WORD));
    code.push(I::I32Xor);
    code.extend(field(suspect::MASK));
    code.push(I::I32And);
    code.extend(stops_if(stop::CONFLICT));
    code.extend([
        I::LocalGet(LEFT),
        I::BrIf(0),
        I::End,
        I::I32Const(0),
        I::I32Const(0),
        I::I32Store(at(cell::VALUE_CHECKS)),
        I::I32Const(0),
    ]);
    function(&[(1, ValType::I32)], &code)
}

/// Returns the epochs of the current subwarp and warp, which the generated code loads from cells.
fn names_of_cells() -> EpochVectors {
    let name = |cell: u32| {
        vec![
            I::I32Const(0),
            I::V128Load32Splat(at(cell)),
            splat32(ALL_BYTES),
            I::V128Or,
        ]
    };
    EpochVectors {
        me: name(cell::CURRENT_EPOCH),
        phase: name(cell::PHASE),
        warp: Some([name(cell::WARP_INTERVAL_EPOCH), name(cell::WARP_SYNC_EPOCH)]),
    }
}

/// Emits code that records the accesses of four lanes to words of shared memory, whose addresses are in a vector. If an
/// access is unordered or does not access whole words, the code exits three WebAssembly constructs. `flags` is the
/// local that contains the store flag.
pub(crate) fn note_shared_lanes(
    c: &mut Vec<I<'static>>,
    notes: [u32; 2],
    flags: u32,
    [words, wrote, read, kept]: [u32; 4],
) {
    let names = names_of_cells();
    load_notes(c, notes, [words, wrote, read]);
    push_happens_before(c, &names, flags, [wrote, read, kept]);
    c.extend([I::I32Eqz, I::BrIf(3)]);
    let reader = names.reader(read, kept);
    store_notes(c, notes, flags, [words, kept], [names.me, reader]);
}

/// Emits code that records the accesses of four lanes to words of global memory. If the last access to a word was not
/// an access of the subwarp itself, the code exits three WebAssembly constructs.
pub(crate) fn note_arena_lanes(
    c: &mut Vec<I<'static>>,
    notes: [u32; 2],
    flags: u32,
    [words, wrote, read, kept]: [u32; 4],
) {
    let me = names_of_cells().me;
    load_notes(c, notes, [words, wrote, read]);
    for local in [wrote, read] {
        c.extend([I::LocalGet(local), I::LocalGet(local)]);
        c.extend(me.clone());
        c.extend([I::I32x4Ne, I::V128And]);
    }
    c.extend([I::V128Or, I::V128AnyTrue, I::BrIf(3)]);
    store_notes(c, notes, flags, [words, kept], [me.clone(), me]);
}

/// Emits code that loads the two shadow words (writer and readers) of one memory word per lane.
fn load_notes(c: &mut Vec<I<'static>>, notes: [u32; 2], [words, wrote, read]: [u32; 3]) {
    for (local, place) in [wrote, read].into_iter().zip(notes) {
        for lane in 0..4 {
            c.extend([
                I::LocalGet(words),
                I::I32x4ExtractLane(lane),
                I::LocalGet(local),
                I::V128Load32Lane {
                    memarg: at(place),
                    lane,
                },
                I::LocalSet(local),
            ]);
        }
    }
}

/// Emits code that stores the epoch of a writer or a reader in the shadow words of one memory word per lane.
fn store_notes(
    c: &mut Vec<I<'static>>,
    [wrote_at, read_at]: [u32; 2],
    flags: u32,
    [words, kept]: [u32; 2],
    [writer, reader]: [Vec<I<'static>>; 2],
) {
    let store = |c: &mut Vec<I<'static>>, name: Vec<I<'static>>, place: u32| {
        c.extend(name);
        c.push(I::LocalSet(kept));
        for lane in 0..4 {
            c.extend([
                I::LocalGet(words),
                I::I32x4ExtractLane(lane),
                I::LocalGet(kept),
                I::V128Store32Lane {
                    memarg: at(place),
                    lane,
                },
            ]);
        }
    };
    c.extend([I::LocalGet(flags), I::I32Const(1), I::I32And, I::If(EMPTY)]);
    store(c, writer, wrote_at);
    c.push(I::Else);
    store(c, reader, read_at);
    c.push(I::End);
}

/// Emits code that pushes whether all recorded accesses to four words happen before the current access. Locals contain
/// the writers and the readers of the words, and the code stores the mask of ordered readers in another local.
fn push_happens_before(
    c: &mut Vec<I<'static>>,
    names: &EpochVectors,
    flags: u32,
    [wrote, read, kept]: [u32; 3],
) {
    for local in [wrote, read] {
        c.extend(names.ordered(local));
        c.extend(is_of_ancestor(&names.me, local));
        c.push(I::V128Or);
    }
    // For a store, also check that all recorded reads happen before it.
    c.extend([
        I::LocalTee(kept),
        splat32(u32::MAX),
        I::LocalGet(flags),
        I::I32Const(1),
        I::I32And,
        I::Select,
        I::V128And,
        I::I32x4AllTrue,
    ]);
}

/// Emits code that pushes, for each epoch in a local, whether the current subwarp used the epoch before its lanes
/// diverged.
fn is_of_ancestor(me: &[I<'static>], local: u32) -> Vec<I<'static>> {
    let number = |c: &mut Vec<I<'static>>| {
        c.push(I::LocalGet(local));
        c.extend_from_slice(me);
        c.extend([splat32(!7), I::V128And, I::I32x4Sub]);
    };
    // The table contains one bit for each epoch number of a subwarp. A number outside of this range selects zero.
    let mut code = vec![I::V128Const(0x8040_2010_0804_0201)];
    number(&mut code);
    code.extend([splat32(!0xff), I::V128Or, splat32(u32::MAX)]);
    number(&mut code);
    code.extend([
        splat32(8),
        I::I32x4LtU,
        I::V128Bitselect,
        I::I8x16Swizzle,
        I::I32Const(0),
        I::V128Load32Splat(at(cell::ANCESTOR_EPOCHS)),
        I::V128And,
        splat32(0),
        I::I32x4Ne,
    ]);
    code
}

/// Records ordered accesses to four contiguous words of shared memory, which occur in transfers of matrix rows and in
/// copies. The code records nothing for other accesses.
fn note_four(
    c: &mut Vec<I<'static>>,
    places: &ModuleLayout,
    [place, words, flags]: [u32; 3],
    [wrote, read, kept]: [u32; 3],
) {
    let names = names_of_cells();
    let [wrote_at, read_at] = places.shared_shadow;
    c.extend([
        I::LocalGet(words),
        I::I32Const(4),
        I::I32Eq,
        I::LocalGet(flags),
        I::I32Const(-2),
        I::I32And,
        I::I32Const(2),
        I::I32Eq,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(place),
        I::V128Load(at(wrote_at)),
        I::LocalSet(wrote),
        I::LocalGet(place),
        I::V128Load(at(read_at)),
        I::LocalSet(read),
    ]);
    push_happens_before(c, &names, flags, [wrote, read, kept]);
    c.extend([
        I::If(EMPTY),
        I::LocalGet(flags),
        I::I32Const(1),
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(place),
    ]);
    c.extend(names.me.clone());
    c.extend([I::V128Store(at(wrote_at)), I::Else, I::LocalGet(place)]);
    c.extend(names.reader(read, kept));
    c.extend([
        I::V128Store(at(read_at)),
        I::End,
        I::I32Const(0),
        I::Return,
        I::End,
        I::End,
    ]);
}

/// Records atomic operations. The accessed words are reserved for one kind of atomic operation: in shared memory until
/// the end of the barrier interval, in global memory permanently. Shadow memory does not track individual accesses to
/// the reserved words.
fn note_atomic(
    c: &mut Vec<I<'static>>,
    [place, words, wrote, read, shared, kind, before]: [u32; 7],
) {
    let word = |local: u32| [I::LocalGet(place), I::LocalGet(local), I::I32Add];
    let name = |c: &mut Vec<I<'static>>, local: u32| {
        c.extend(word(local));
        c.extend([
            I::I32Load(at(0)),
            I::I32Const(!(ALL_BYTES as i32)),
            I::I32And,
        ]);
    };
    // Compute the lowest epoch whose accesses do not happen before the atomic operation.
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(1),
        I::LocalGet(shared),
        I::Select,
        I::LocalSet(before),
        I::LocalGet(kind),
        I::LocalGet(before),
        I::I32Const(0),
        I::LocalGet(shared),
        I::Select,
        I::I32Add,
        I::LocalSet(kind),
        I::Loop(EMPTY),
    ]);
    name(c, read);
    c.extend([I::LocalGet(before), I::I32GeU]);
    name(c, wrote);
    c.extend([I::LocalGet(before), I::I32GeU]);
    name(c, wrote);
    c.extend([
        I::LocalGet(kind),
        I::I32Ne,
        I::I32And,
        I::I32Or,
        I::If(EMPTY),
        I::I32Const(stop::CONFLICT as i32),
        I::Return,
        I::End,
    ]);
    c.extend(word(wrote));
    c.extend([
        I::LocalGet(kind),
        I::I32Const(ALL_BYTES as i32),
        I::I32Or,
        I::I32Store(at(0)),
        I::LocalGet(place),
        I::I32Const(4),
        I::I32Add,
        I::LocalSet(place),
    ]);
    c.extend(loop_while_nonzero(words));
    c.extend([I::I32Const(0), I::Return]);
}
