//! Who read and who wrote words, where a glance does not tell. In: the place of words; out: notes, or a stop.

use super::{EMPTY, ORDERED, function};
use crate::emit::at;
use crate::place::{ALL_BYTES, Places, cell};
use crate::run::stop;
use wasm_encoder::{Function, Instruction as I, ValType};

/// `(name, is_shared) -> whether what that gang did is before what the present one does`.
pub(crate) fn ordered() -> Function {
    const NAME: u32 = 0;
    const SHARED: u32 = 1;
    const PHASE_START: u32 = 2;
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
    c.extend([
        I::LocalTee(PHASE_START),
        I::LocalGet(NAME),
        I::I32GtU,
        I::If(EMPTY),
    ]);
    c.extend([I::LocalGet(SHARED), I::LocalGet(NAME)]);
    c.extend(cell_of(cell::BLOCK));
    c.extend([I::I32GeU, I::I32Or, I::Return, I::End]);
    // Of the gang itself before lanes parted.
    let own = |c: &mut Vec<I<'static>>| {
        c.extend([
            I::LocalGet(PHASE_START),
            I::I32Sub,
            I::I32Const(3),
            I::I32ShrU,
        ]);
    };
    c.push(I::LocalGet(NAME));
    own(c);
    c.extend(cell_of(cell::ME));
    own(c);
    c.push(I::I32Eq);
    c.extend(cell_of(cell::ANCESTORS));
    c.extend([
        I::LocalGet(NAME),
        I::LocalGet(PHASE_START),
        I::I32Sub,
        I::I32Const(7),
        I::I32And,
        I::I32ShrU,
        I::I32And,
        I::I32Const(1),
        I::I32And,
    ]);
    function(&[(1, ValType::I32)], &code)
}

/// `(place, words, flags, bytes) -> why the run stops, or zero`; flag 1 says that it stores, 2 that memory is shared, and `bytes` which of each word
/// are meant, at the top.
pub(crate) fn note(places: &Places) -> Function {
    const PLACE: u32 = 0;
    const WORDS: u32 = 1;
    const FLAGS: u32 = 2;
    const BYTES: u32 = 3;
    const WROTE: u32 = 4;
    const READ: u32 = 5;
    const SHARED: u32 = 6;
    const CALM: u32 = 7;
    const OLD: u32 = 8;
    const NAME: i32 = !(ALL_BYTES as i32);
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(1),
        I::I32ShrU,
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
    let word = |local: u32| [I::LocalGet(PLACE), I::LocalGet(local), I::I32Add];
    let ordered = |c: &mut Vec<I<'static>>, local: u32| {
        c.extend(word(local));
        c.extend([
            I::I32Load(at(0)),
            I::LocalTee(OLD),
            I::I32Const(NAME),
            I::I32And,
            I::LocalGet(SHARED),
            I::Call(ORDERED),
        ]);
    };
    let me = [I::I32Const(0), I::I32Load(at(cell::ME))];
    let conflict = [I::I32Const(stop::CONFLICT as i32), I::Return, I::End];
    c.push(I::Loop(EMPTY));
    ordered(c, READ);
    c.push(I::LocalSet(CALM));
    ordered(c, WROTE);
    c.extend([I::I32Eqz, I::If(EMPTY)]);
    // Lanes of one gang that have parted may store to other bytes of a word: it has the last name of the gang from then on.
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(1),
        I::I32Ne,
        I::LocalGet(OLD),
        I::LocalGet(BYTES),
        I::I32And,
    ]);
    c.extend([
        I::I32Const(ALL_BYTES as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::I32Or,
    ]);
    c.extend([I::LocalGet(CALM), I::I32Eqz, I::I32Or]);
    for (index, name) in [
        [I::LocalGet(OLD), I::I32Const(NAME), I::I32And].to_vec(),
        me.to_vec(),
    ]
    .into_iter()
    .enumerate()
    {
        c.extend(name);
        c.extend([
            I::I32Const(0),
            I::I32Load(at(cell::PHASE)),
            I::I32Sub,
            I::I32Const(3),
            I::I32ShrS,
        ]);
        if index == 1 {
            c.extend([I::I32Ne, I::I32Or]);
        }
    }
    c.push(I::If(EMPTY));
    c.extend(conflict.clone());
    c.extend(word(WROTE));
    c.extend([I::LocalGet(OLD), I::LocalGet(BYTES), I::I32Or]);
    c.extend([I::I32Const(7), I::I32Or, I::I32Store(at(0))]);
    c.push(I::Else);
    c.extend([I::LocalGet(FLAGS), I::I32Const(1), I::I32And, I::If(EMPTY)]);
    c.extend([I::LocalGet(CALM), I::I32Eqz, I::If(EMPTY)]);
    c.extend(conflict);
    // With the bytes that the same gang has stored before.
    c.extend(word(WROTE));
    c.extend(me.clone());
    c.extend([
        I::LocalGet(BYTES),
        I::I32Or,
        I::LocalGet(OLD),
        I::I32Const(0),
    ]);
    c.extend([I::LocalGet(OLD), I::I32Const(NAME), I::I32And]);
    c.extend(me.clone());
    c.extend([I::I32Eq, I::Select, I::I32Or, I::I32Store(at(0)), I::Else]);
    c.extend(word(READ));
    c.extend(me);
    // Several readers: of shared memory until the phase ends, of global memory for good.
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::PHASE)),
        I::I32Const(-1),
        I::LocalGet(SHARED),
        I::Select,
        I::LocalGet(CALM),
        I::Select,
        I::I32Const(ALL_BYTES as i32),
        I::I32Or,
        I::I32Store(at(0)),
        I::End,
        I::End,
        I::LocalGet(PLACE),
        I::I32Const(4),
        I::I32Add,
        I::LocalSet(PLACE),
        I::LocalGet(WORDS),
        I::I32Const(1),
        I::I32Sub,
        I::LocalTee(WORDS),
        I::BrIf(0),
        I::End,
        I::I32Const(0),
    ]);
    function(&[(5, ValType::I32)], &code)
}
