//! Who read and who wrote words, where a glance does not tell. In: the place of words; out: notes, or a stop.

use crate::flow::Flow;
use crate::helpers::{ATOMIC_SHIFT, EMPTY, ORDERED, function, next_round, stops_if};
use crate::instructions::{at, splat32};
use crate::place::stop;
use crate::place::{
    ALL_BYTES, BYTES_SHIFT, MOST_KINDS, MOST_SUSPECTS, OF_SEVERAL, Places, cell, suspect,
};
use wasm_encoder::{Function, Instruction as I, ValType};

/// Names that notes of four words of shared memory are compared with, each as what pushes it in all lanes of a row.
pub(crate) struct RowNames {
    pub(crate) me: Vec<I<'static>>,
    pub(crate) phase: Vec<I<'static>>,
    /// The first of the warp in this phase, and since its lanes last met; none where they do not meet.
    pub(crate) warp: Option<[Vec<I<'static>>; 2]>,
}

impl RowNames {
    /// Pushes of each name in a local whether what it did is before what is done now: it is of an earlier phase, of this gang, or of the warp before its
    /// lanes last met.
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

    /// Pushes the names of who has read, with this gang: it alone where all others are before it, else one of several, of this warp since its lanes met, or of any.
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

/// `(name, is_shared) -> whether what that gang did is before what the present one does`.
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
    c.extend(cell_of(cell::ME));
    c.push(I::I32Eq);
    c.extend(yes.clone());
    // Of an earlier phase of the block; in shared memory of any earlier phase.
    c.extend(cell_of(cell::PHASE));
    c.extend([I::LocalGet(NAME), I::I32GtU, I::If(EMPTY)]);
    c.extend([I::LocalGet(SHARED), I::LocalGet(NAME)]);
    c.extend(cell_of(cell::BLOCK));
    c.extend([I::I32GeU, I::I32Or, I::Return, I::End]);
    // Of the warp before its lanes last met.
    c.push(I::LocalGet(NAME));
    c.extend(cell_of(cell::SINCE));
    c.extend([I::I32LtU, I::If(EMPTY), I::LocalGet(NAME)]);
    c.extend(cell_of(cell::WARP_START));
    c.extend([I::I32GeU, I::Return, I::End]);
    // Of the gang itself before lanes parted.
    c.extend([I::LocalGet(NAME), I::I32Const(3), I::I32ShrU]);
    c.extend(cell_of(cell::ME));
    c.extend([I::I32Const(3), I::I32ShrU, I::I32Eq]);
    c.extend(cell_of(cell::ANCESTORS));
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

// Parameters and locals of [`note`].
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
// Of a word that was stored to without an order: its name, and which of the bytes that are meant.
const NAMED: u32 = 10;
const BOTH: u32 = 11;
const W: u32 = 12;
const R: u32 = 13;
const KEPT: u32 = 14;
const NAME: i32 = !(ALL_BYTES as i32);

/// Name of the gang at hand.
const ME: [I<'static>; 2] = [I::I32Const(0), I::I32Load(at(cell::ME))];
const CONFLICT: [I<'static>; 3] = [I::I32Const(stop::CONFLICT as i32), I::Return, I::End];

/// `(place, words, flags, bytes) -> why the run stops, or zero`; flag 1 says that it stores, 2 that memory is shared, those from `ATOMIC_SHIFT` on
/// are the kind of an atomic operation, and `bytes` says which of each word are meant, at the top. Equal
/// stores of several gangs to a word are compared when the gang stops; while copies may be in flight, they are conflicts.
pub(crate) fn note(places: &Places, flow: &Flow) -> Function {
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
    c.extend(next_round(WORDS));
    c.push(I::I32Const(0));
    function(&[(8, ValType::I32), (3, ValType::V128)], &code)
}

/// Finds the notes of the memory that is accessed.
fn find_notes(c: &mut Vec<I<'static>>, places: &Places) {
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
            I::I32Const(places.shared_notes[index] as i32),
            I::I32Const(places.arena_notes[index] as i32),
            I::LocalGet(SHARED),
            I::Select,
            I::LocalSet(local),
        ]);
    }
}

/// Pushes the place of a word's note, from the place of the notes in a local.
fn word(notes: u32) -> [I<'static>; 3] {
    [I::LocalGet(PLACE), I::LocalGet(notes), I::I32Add]
}

/// Pushes whether the access comes after the access in a note, which stays in a local.
fn push_ordered(c: &mut Vec<I<'static>>, notes: u32) {
    c.extend(word(notes));
    c.extend([
        I::I32Load(at(0)),
        I::LocalTee(OLD),
        I::I32Const(NAME),
        I::I32And,
        I::LocalGet(SHARED),
        I::Call(ORDERED),
    ]);
}

/// Finds the name of several readers: of this warp since its lanes last met, of the block until the phase ends, of several blocks for good.
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
        I::I32Load(at(cell::SINCE)),
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(-1),
        I::LocalGet(SHARED),
    ]);
    c.extend(is_noted_since(cell::BLOCK));
    c.extend([I::I32Or, I::Select]);
    c.extend(is_noted_since(cell::SINCE));
    c.extend([I::Select, I::LocalSet(SEVERAL)]);
}

/// Notes an access to a word that was stored to without an order: a conflict, unless the stores agree or are to other bytes.
fn note_unordered(c: &mut Vec<I<'static>>, places: &Places, flow: &Flow) {
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
        // Lanes of one gang that have parted store to other bytes of a word: it has the last name of the gang from then on.
        I::LocalGet(NAMED),
        I::I32Const(7),
        I::I32Or,
        I::LocalSet(NAMED),
        I::Else,
    ]);
    match flow.has_copies {
        true => c.extend([I::I32Const(stop::CONFLICT as i32), I::Return]),
        false => agree(c, places),
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

/// Notes an access that comes after all stores to a word.
fn note_ordered(c: &mut Vec<I<'static>>) {
    c.extend([I::LocalGet(FLAGS), I::I32Const(1), I::I32And, I::If(EMPTY)]);
    c.extend([I::LocalGet(CALM), I::I32Eqz, I::If(EMPTY)]);
    c.extend(CONFLICT);
    // With the bytes that the same gang has stored before.
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

/// Puts aside what must be stored again in a word that has been stored to by `NAMED`, without an order: the bytes that `BOTH` says, at the top. The word has the name of
/// several gangs from then on: of the block's in this phase, or of any. Words of atomic operations are a conflict.
fn agree(c: &mut Vec<I<'static>>, places: &Places) {
    // Kinds are numbers after the first name of the phase in shared memory, after zero elsewhere.
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
        I::I32Const(MOST_KINDS as i32),
        I::I32LtU,
    ]);
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::SUSPECTS)),
        I::I32Const((MOST_SUSPECTS * suspect::BYTES) as i32),
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
        I::I32Const(OF_SEVERAL as i32),
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

/// Puts a word aside: its place, its value, and all bits of each byte that must be stored again.
fn push_suspect(c: &mut Vec<I<'static>>, places: &Places) {
    let suspects = || [I::I32Const(0), I::I32Load(at(cell::SUSPECTS))];
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
        I::I32Store(at(cell::SUSPECTS)),
    ]);
}

/// `() -> why the run stops, or zero`: looks whether gangs have stored the same to words that several have stored to without an order, so that the order does not matter.
pub(crate) fn look_at_suspects(places: &Places) -> Function {
    const LEFT: u32 = 0;
    let field = |offset: u32| [I::LocalGet(LEFT), I::I32Load(at(places.suspects + offset))];
    let mut code = vec![
        I::I32Const(0),
        I::I32Load(at(cell::SUSPECTS)),
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
        I::I32Store(at(cell::SUSPECTS)),
        I::I32Const(0),
    ]);
    function(&[(1, ValType::I32)], &code)
}

/// The names of cells, in rows.
fn names_of_cells() -> RowNames {
    let name = |cell: u32| {
        vec![
            I::I32Const(0),
            I::V128Load32Splat(at(cell)),
            splat32(ALL_BYTES),
            I::V128Or,
        ]
    };
    RowNames {
        me: name(cell::ME),
        phase: name(cell::PHASE),
        warp: Some([name(cell::WARP_START), name(cell::SINCE)]),
    }
}

/// Notes a word of each lane of shared memory, by their places in a row, if all are whole words that were not touched without an order: leaves
/// three constructs where that is not so. `flags` is the local that says whether it stores.
pub(crate) fn note_shared_lanes(
    c: &mut Vec<I<'static>>,
    notes: [u32; 2],
    flags: u32,
    [words, wrote, read, kept]: [u32; 4],
) {
    let names = names_of_cells();
    load_notes(c, notes, [words, wrote, read]);
    push_all_ordered(c, &names, flags, [wrote, read, kept]);
    c.extend([I::I32Eqz, I::BrIf(3)]);
    let reader = names.reader(read, kept);
    store_notes(c, notes, flags, [words, kept], [names.me, reader]);
}

/// Does the same for global memory, where the gang itself must have touched the words last.
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

/// Loads the notes of a word of each lane: who wrote it, and who read it.
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

/// Stores the name of a writer or of a reader to the notes of a word of each lane.
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

/// Pushes whether what is done now comes after all that was noted of four words, by who wrote and who read them; a local keeps which readers it comes after.
fn push_all_ordered(
    c: &mut Vec<I<'static>>,
    names: &RowNames,
    flags: u32,
    [wrote, read, kept]: [u32; 3],
) {
    for local in [wrote, read] {
        c.extend(names.ordered(local));
        c.extend(is_of_ancestor(&names.me, local));
        c.push(I::V128Or);
    }
    // A store must be after all readers, too.
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

/// Pushes of each name in a local whether it is of the gang itself, before its lanes parted.
fn is_of_ancestor(me: &[I<'static>], local: u32) -> Vec<I<'static>> {
    let number = |c: &mut Vec<I<'static>>| {
        c.push(I::LocalGet(local));
        c.extend_from_slice(me);
        c.extend([splat32(!7), I::V128And, I::I32x4Sub]);
    };
    // A bit for each of the names of a gang, by number; none for all other numbers.
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
        I::V128Load32Splat(at(cell::ANCESTORS)),
        I::V128And,
        splat32(0),
        I::I32x4Ne,
    ]);
    code
}

/// Four words of shared memory that were not touched without an order: done here, as rows of copies and matrices are. Else nothing is.
fn note_four(
    c: &mut Vec<I<'static>>,
    places: &Places,
    [place, words, flags]: [u32; 3],
    [wrote, read, kept]: [u32; 3],
) {
    let names = names_of_cells();
    let [wrote_at, read_at] = places.shared_notes;
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
    push_all_ordered(c, &names, flags, [wrote, read, kept]);
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

/// Words that belong to one kind of atomic operation: of shared memory in this phase, of global memory for good. Who accessed them is not
/// known from then on.
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
    // Names from here on are not before the operation.
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
    c.extend(next_round(words));
    c.extend([I::I32Const(0), I::Return]);
}
