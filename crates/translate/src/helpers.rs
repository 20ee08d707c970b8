//! The functions beside the strip. Out: a function each that finds the place of a lane's bytes, notes who read or wrote words, makes a
//! record of lanes that part from their gang, and runs a phase: every gang of a block up to its next barrier.

use crate::emit::at;
use crate::place::{
    ALL_BYTES, BYTES_SHIFT, GANGS, Places, SEVERAL, TRACE_BYTES, cell, holds, range, record, site,
};
use crate::run::stop;
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Numbers of the functions.
pub(crate) const RESOLVE: u32 = 0;
pub(crate) const ORDERED: u32 = 1;
pub(crate) const NOTE: u32 = 2;
pub(crate) const PART: u32 = 3;
pub(crate) const STRIP: u32 = 4;
pub(crate) const PHASE: u32 = 5;
pub(crate) const RESOLVE_ALL: u32 = 6;

/// Parameters and result of each function, by its number.
pub(crate) const TYPES: [(&[ValType], ValType); 7] = {
    use ValType::{I32, I64, V128};
    [
        (&[I64, I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32, I32, I32, I32], I32),
        (&[I32, I32, I32, I32], I32),
        (&[I32, I32], I32),
        (&[I32], I32),
        (&[V128, V128, I32, I32, I32, I32], V128),
    ]
};

fn function(locals: &[(u32, ValType)], code: &[I<'static>]) -> Function {
    let mut function = Function::new(locals.iter().copied());
    for instruction in code {
        function.instruction(instruction);
    }
    function.instruction(&I::End);
    function
}

const EMPTY: BlockType = BlockType::Empty;

/// Leaves with a number in the cell of why a run stops, and zero.
fn stops(why: u32) -> [I<'static>; 5] {
    [
        I::I32Const(0),
        I::I32Const(why as i32),
        I::I32Store(at(cell::STOP)),
        I::I32Const(0),
        I::Return,
    ]
}

/// `(address, site, width, stores) -> place`, zero where the run must stop.
pub(crate) fn resolve(places: &Places) -> Function {
    const ADDRESS: u32 = 0;
    const SITE: u32 = 1;
    const WIDTH: u32 = 2;
    const STORES: u32 = 3;
    const ENTRY: u32 = 4;
    const LEFT: u32 = 5;
    const PLACE: u32 = 6;
    const HOLDS: u32 = 7;
    const OFFSET: u32 = 8;
    let mut code = Vec::new();
    let c = &mut code;
    // Another range than that of the last time.
    c.extend([
        I::LocalGet(ADDRESS),
        I::LocalGet(SITE),
        I::I64Load(at(site::ADDRESS)),
        I::I64Sub,
        I::LocalTee(OFFSET),
        I::LocalGet(SITE),
        I::I64Load(at(site::SIZE)),
        I::I64GeU,
        I::If(EMPTY),
    ]);
    find_range(c, places, [ADDRESS, SITE, ENTRY, LEFT, OFFSET]);
    c.extend([
        I::LocalGet(ENTRY),
        I::I32Load(at(range::HOLDS)),
        I::LocalSet(HOLDS),
    ]);
    note_range(c, [SITE, STORES, ENTRY, HOLDS]);
    fill_site(c, [SITE, ENTRY, WIDTH, HOLDS]);
    c.push(I::End);
    // Beyond its end, or not a multiple of its size.
    c.extend([
        I::LocalGet(SITE),
        I::I64Load(at(site::SIZE)),
        I::LocalGet(OFFSET),
        I::I64Sub,
        I::LocalGet(WIDTH),
        I::I64ExtendI32U,
        I::I64LtU,
        I::LocalGet(ADDRESS),
        I::I32WrapI64,
        I::LocalGet(WIDTH),
        I::I32Const(1),
        I::I32Sub,
        I::I32And,
        I::I32Or,
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::FAULT));
    c.push(I::End);
    c.extend([
        I::LocalGet(OFFSET),
        I::I32WrapI64,
        I::LocalGet(SITE),
        I::I32Load(at(site::PLACE)),
        I::I32Add,
        I::LocalSet(PLACE),
        I::LocalGet(SITE),
        I::I32Load(at(site::HOLDS)),
        I::LocalTee(HOLDS),
        I::I32Const((holds::NOTED | holds::WINDOW | holds::SHARED) as i32),
        I::I32And,
        I::If(EMPTY),
        // From the first word to the last.
        I::LocalGet(PLACE),
        I::I32Const(-4),
        I::I32And,
        I::LocalGet(WIDTH),
        I::I32Const(3),
        I::I32Add,
        I::I32Const(2),
        I::I32ShrU,
        I::LocalGet(STORES),
        I::LocalGet(HOLDS),
        I::I32Const((holds::WINDOW | holds::SHARED) as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::I32Const(1),
        I::I32Shl,
        I::I32Or,
    ]);
    // All bytes of shared words and of whole ones, else those that are meant.
    c.extend([
        I::I32Const(ALL_BYTES as i32),
        I::I32Const(1),
        I::LocalGet(WIDTH),
        I::I32Shl,
        I::I32Const(1),
        I::I32Sub,
        I::LocalGet(PLACE),
        I::I32Const(3),
        I::I32And,
        I::I32Shl,
        I::I32Const(BYTES_SHIFT as i32),
        I::I32Shl,
        I::LocalGet(HOLDS),
        I::I32Const((holds::WINDOW | holds::SHARED) as i32),
        I::I32And,
        I::LocalGet(WIDTH),
        I::I32Const(4),
        I::I32GeU,
        I::I32Or,
        I::Select,
        I::Call(NOTE),
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::CONFLICT));
    c.extend([I::End, I::End, I::LocalGet(PLACE)]);
    function(&[(4, ValType::I32), (1, ValType::I64)], &code)
}

/// `(addresses, addresses, site, width, stores, lanes) -> places`: those of four lanes, nowhere for lanes that do not take part, zero where
/// the run must stop.
pub(crate) fn resolve_all() -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    for lane in 0..4u8 {
        c.extend([
            I::LocalGet(5),
            I::I32Const(1 << lane),
            I::I32And,
            I::If(BlockType::Result(ValType::I32)),
            I::LocalGet(u32::from(lane / 2)),
            I::I64x2ExtractLane(lane % 2),
            I::LocalGet(2),
            I::LocalGet(3),
            I::LocalGet(4),
            I::Call(RESOLVE),
            I::Else,
            I::I32Const(cell::NOWHERE as i32),
            I::End,
            I::LocalTee(6),
            I::I32Eqz,
            // None of those that follow, so that the first reason stays.
            I::If(EMPTY),
            I::V128Const(0),
            I::Return,
            I::End,
            I::LocalGet(7),
            I::LocalGet(6),
            I::I32x4ReplaceLane(lane),
            I::LocalSet(7),
        ]);
    }
    c.push(I::LocalGet(7));
    function(&[(1, ValType::I32), (1, ValType::V128)], &code)
}

/// The range that holds the address and that the site accepts; a fault where there is none.
fn find_range(
    c: &mut Vec<I<'static>>,
    places: &Places,
    [address, at_site, entry, left, offset]: [u32; 5],
) {
    c.extend([
        I::I32Const(places.ranges as i32),
        I::LocalSet(entry),
        I::I32Const(places.n_ranges as i32),
        I::LocalSet(left),
        I::Block(EMPTY),
        I::Loop(EMPTY),
        I::LocalGet(entry),
        I::I32Load(at(range::HOLDS)),
        I::LocalGet(at_site),
        I::I32Load(at(site::ACCEPTS)),
        I::I32And,
        I::LocalGet(address),
        I::LocalGet(entry),
        I::I64Load(at(range::ADDRESS)),
        I::I64Sub,
        I::LocalTee(offset),
        I::LocalGet(entry),
        I::I64Load(at(range::SIZE)),
        I::I64LtU,
        I::I32Const(0),
        I::I32Ne,
        I::LocalSet(left + 1),
        I::I32Const(0),
        I::I32Ne,
        I::LocalGet(left + 1),
        I::I32And,
        I::BrIf(1),
        I::LocalGet(entry),
        I::I32Const(range::BYTES as i32),
        I::I32Add,
        I::LocalSet(entry),
        I::LocalGet(left),
        I::I32Const(1),
        I::I32Sub,
        I::LocalTee(left),
        I::BrIf(0),
        I::End,
    ]);
    c.extend(stops(stop::FAULT));
    c.push(I::End);
}

/// A store to what may not be written is a fault. While all accesses to a range share it out in the same way nothing need be noted; else
/// readers and writers are from the first store on. If it was touched before without notes, the run begins again, and notes them from its
/// start.
fn note_range(c: &mut Vec<I<'static>>, [at_site, stores, entry, what]: [u32; 4]) {
    c.extend([
        I::LocalGet(stores),
        I::LocalGet(what),
        I::I32Const((holds::CONSTANT | holds::PARAMETERS) as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::I32And,
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::FAULT));
    c.push(I::End);
    // The sharing-out of all so far.
    c.extend([
        I::LocalGet(entry),
        I::LocalGet(at_site),
        I::I32Load(at(site::SHARING)),
        I::I32Const(SEVERAL as i32),
        I::LocalGet(entry),
        I::I32Load(at(range::SHARING)),
        I::I32Eqz,
        I::LocalGet(entry),
        I::I32Load(at(range::SHARING)),
        I::LocalGet(at_site),
        I::I32Load(at(site::SHARING)),
        I::I32Eq,
        I::I32Or,
        I::Select,
        I::I32Store(at(range::SHARING)),
    ]);
    c.extend([
        I::LocalGet(entry),
        I::LocalGet(what),
        I::I32Const(holds::WRITTEN as i32),
        I::I32Const(holds::READ as i32),
        I::LocalGet(stores),
        I::Select,
        I::I32Or,
        I::LocalTee(what),
        I::I32Store(at(range::HOLDS)),
    ]);
    // Global memory that is written, accessed in several ways, and not noted.
    c.extend([
        I::LocalGet(what),
        I::I32Const((holds::GLOBAL | holds::NOTED | holds::WRITTEN) as i32),
        I::I32And,
        I::I32Const((holds::GLOBAL | holds::WRITTEN) as i32),
        I::I32Eq,
        I::LocalGet(entry),
        I::I32Load(at(range::SHARING)),
        I::I32Const(SEVERAL as i32),
        I::I32Eq,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(entry),
        I::LocalGet(what),
        I::I32Const(holds::NOTED as i32),
        I::I32Or,
        I::LocalTee(what),
        I::I32Store(at(range::HOLDS)),
        // Nothing is lost where this store is the first access of all.
        I::LocalGet(entry),
        I::I32Load(at(range::TOUCHED)),
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::AGAIN));
    c.extend([
        I::End,
        I::End,
        I::LocalGet(entry),
        I::I32Const(1),
        I::I32Store(at(range::TOUCHED)),
    ]);
}

/// The site knows the range from now on.
fn fill_site(c: &mut Vec<I<'static>>, [at_site, entry, width, what]: [u32; 4]) {
    for (to, from) in [(site::ADDRESS, range::ADDRESS), (site::SIZE, range::SIZE)] {
        c.extend([
            I::LocalGet(at_site),
            I::LocalGet(entry),
            I::I64Load(at(from)),
            I::I64Store(at(to)),
        ]);
    }
    c.extend([
        I::LocalGet(at_site),
        I::LocalGet(entry),
        I::I32Load(at(range::PLACE)),
        I::I32Store(at(site::PLACE)),
        I::LocalGet(at_site),
        I::LocalGet(what),
        I::I32Store(at(site::HOLDS)),
        // Where a whole gang fits.
        I::LocalGet(entry),
        I::I64Load(at(range::SIZE)),
        I::LocalGet(width),
        I::I64ExtendI32U,
        I::I64Const(2),
        I::I64Shl,
        I::I64GeU,
        I::If(EMPTY),
        I::LocalGet(at_site),
        I::LocalGet(entry),
        I::I64Load(at(range::ADDRESS)),
        I::I64Store(at(site::FAST)),
        I::LocalGet(at_site),
        I::LocalGet(entry),
        I::I64Load(at(range::SIZE)),
        I::LocalGet(width),
        I::I64ExtendI32U,
        I::I64Const(2),
        I::I64Shl,
        I::I64Sub,
        I::I64Store(at(site::LAST)),
        I::Else,
        I::LocalGet(at_site),
        I::I64Const(i64::MIN),
        I::I64Store(at(site::FAST)),
        I::LocalGet(at_site),
        I::I64Const(0),
        I::I64Store(at(site::LAST)),
        I::End,
    ]);
}

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

/// `(record, entry, lanes, bytes of the trace) -> a record of these lanes`, zero where no more fit. Both get a name of their own.
pub(crate) fn part(places: &Places) -> Function {
    const RECORD: u32 = 0;
    const ENTRY: u32 = 1;
    const LANES: u32 = 2;
    const TRACED: u32 = 3;
    const MADE: u32 = 4;
    const WHOLE: u32 = 5;
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::RECORDS)),
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
        I::I32Store(at(cell::RECORDS)),
        I::LocalGet(MADE),
        I::I32Const(places.record_bytes as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::LocalSet(MADE),
    ]);
    // The record of the whole gang has the next name.
    c.extend(field(record::GANG));
    c.extend([
        I::I32Const(places.record_bytes as i32),
        I::I32Mul,
        I::I32Const(places.records as i32),
        I::I32Add,
        I::LocalSet(WHOLE),
    ]);
    for offset in [record::GANG, record::TABLE] {
        c.push(I::LocalGet(MADE));
        c.extend(field(offset));
        c.push(I::I32Store(at(offset)));
    }
    c.extend([
        I::LocalGet(MADE),
        I::LocalGet(ENTRY),
        I::I32Store(at(record::ENTRY)),
        I::LocalGet(MADE),
        I::LocalGet(LANES),
        I::I32Store(at(record::MASK)),
    ]);
    // The old name is an ancestor's of both.
    c.push(I::LocalGet(RECORD));
    c.extend(field(record::ANCESTORS));
    c.push(I::I32Const(1));
    c.extend(field(record::NAME));
    c.extend([I::I32Shl, I::I32Or, I::I32Store(at(record::ANCESTORS))]);
    c.push(I::LocalGet(MADE));
    c.extend(field(record::ANCESTORS));
    c.push(I::I32Store(at(record::ANCESTORS)));
    for local in [MADE, RECORD] {
        c.extend([
            I::LocalGet(local),
            I::LocalGet(WHOLE),
            I::I32Load(at(record::NEXT_NAME)),
            I::I32Store(at(record::NAME)),
            I::LocalGet(WHOLE),
            I::LocalGet(WHOLE),
            I::I32Load(at(record::NEXT_NAME)),
            I::I32Const(1),
            I::I32Add,
            I::I32Store(at(record::NEXT_NAME)),
        ]);
    }
    // The trace is that of both.
    c.extend([I::LocalGet(MADE), I::I32Load(at(record::TRACE))]);
    c.extend(field(record::TRACE));
    c.extend([
        I::LocalGet(TRACED),
        I::I32Const(TRACE_BYTES as i32),
        I::LocalGet(TRACED),
        I::I32Const(TRACE_BYTES as i32),
        I::I32LtU,
        I::Select,
        I::MemoryCopy {
            src_mem: 0,
            dst_mem: 0,
        },
    ]);
    c.extend([I::I32Const(0), I::I32Const(0), I::I32Load(at(cell::PHASE))]);
    c.extend(field(record::GANG));
    c.extend([
        I::I32Const(3),
        I::I32Shl,
        I::I32Const(8),
        I::I32Add,
        I::I32Add,
    ]);
    c.extend(field(record::NAME));
    c.extend([I::I32Add, I::I32Store(at(cell::ME)), I::I32Const(0)]);
    c.extend(field(record::ANCESTORS));
    c.extend([I::I32Store(at(cell::ANCESTORS)), I::LocalGet(MADE)]);
    function(&[(2, ValType::I32)], &code)
}

/// `(begins) -> why the run stops, or zero`: every record that has not ended goes on to its next barrier. `begins` is the entry that
/// all gangs begin at, or below zero.
pub(crate) fn phase(places: &Places) -> Function {
    const BEGINS: u32 = 0;
    const INDEX: u32 = 1;
    const RECORD: u32 = 2;
    const STOP: u32 = 3;
    const PATH: u32 = 4;
    const IS_FIRST: u32 = 5;
    const WAITS: u32 = 6;
    const STORES: u32 = 7;
    const BEGAN: u32 = 8;
    const STEPS: u32 = 9;
    let field = |offset: u32| [I::LocalGet(RECORD), I::I32Load(at(offset))];
    let add = |cell: u32, what: I<'static>| {
        [
            I::I32Const(0),
            I::I32Const(0),
            I::I32Load(at(cell)),
            what,
            I::I32Add,
            I::I32Store(at(cell)),
        ]
    };
    let flag = |cell: u32| [I::I32Const(0), I::I32Const(1), I::I32Store(at(cell))];
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::RECORDS)),
        I::LocalSet(BEGAN),
        I::I32Const(places.records as i32),
        I::LocalSet(RECORD),
        I::Loop(EMPTY),
        I::LocalGet(INDEX),
        I::I32Const(GANGS as i32 - 1),
        I::I32And,
        I::I32Eqz,
        I::If(EMPTY),
        I::I32Const(1),
        I::LocalSet(IS_FIRST),
        I::End,
        I::LocalGet(BEGINS),
        I::I32Const(0),
        I::I32GeS,
        I::LocalGet(INDEX),
        I::I32Const(places.n_gangs as i32),
        I::I32LtU,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(RECORD),
    ]);
    // A gang without lanes has ended.
    c.extend([I::LocalGet(BEGINS), I::I32Const(-1)]);
    c.extend(field(record::FIRST_MASK));
    c.extend([
        I::Select,
        I::I32Store(at(record::ENTRY)),
        I::LocalGet(RECORD),
    ]);
    c.extend(field(record::FIRST_MASK));
    c.push(I::I32Store(at(record::MASK)));
    for (offset, value) in [
        (record::NAME, 0),
        (record::ANCESTORS, 0),
        (record::NEXT_NAME, 1),
    ] {
        c.extend([
            I::LocalGet(RECORD),
            I::I32Const(value),
            I::I32Store(at(offset)),
        ]);
    }
    c.push(I::End);
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
        // What is over counts nothing.
        I::LocalGet(RECORD),
        I::I64Const(0),
        I::I64Store(at(record::STEPS)),
        I::Else,
        I::LocalGet(RECORD),
        // Counts begin again, but those of lanes that parted in this phase.
        I::LocalGet(INDEX),
        I::LocalGet(BEGAN),
        I::I32LtU,
        I::Call(STRIP),
        I::LocalTee(STOP),
        I::If(EMPTY),
        I::LocalGet(STOP),
        I::Return,
        I::End,
    ]);
    c.extend(field(record::ENTRY));
    c.extend([I::I32Const(0), I::I32GeS, I::LocalTee(STOP), I::If(EMPTY)]);
    c.extend(add(cell::WAITING, I::I32Const(1)));
    c.extend([
        I::I32Const(0),
        I::I32Load(at(cell::FIRST_ENTRY)),
        I::I32Const(0),
        I::I32LtS,
        I::If(EMPTY),
        I::I32Const(0),
    ]);
    c.extend(field(record::ENTRY));
    c.extend([
        I::I32Store(at(cell::FIRST_ENTRY)),
        I::End,
        I::I32Const(0),
        I::I32Load(at(cell::FIRST_ENTRY)),
    ]);
    c.extend(field(record::ENTRY));
    c.extend([I::I32Ne, I::If(EMPTY)]);
    c.extend(flag(cell::MIXED));
    c.extend([I::End, I::Else]);
    c.extend(add(cell::ENDED, I::I32Const(1)));
    c.push(I::End);
    // The gangs of a warp should go the same way; a part of a gang does not.
    c.extend([
        I::LocalGet(INDEX),
        I::I32Const(places.n_gangs as i32),
        I::I32GeU,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::DIVERGENT));
    c.extend([
        I::Else,
        I::LocalGet(IS_FIRST),
        I::If(EMPTY),
        I::I32Const(0),
        I::LocalSet(IS_FIRST),
    ]);
    c.extend(field(record::PATH));
    c.push(I::LocalSet(PATH));
    c.extend(field(record::STORES));
    c.push(I::LocalSet(STORES));
    c.extend([
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalSet(STEPS),
        I::LocalGet(STOP),
        I::LocalSet(WAITS),
    ]);
    for (cell, value) in [
        (cell::STEPS, vec![I::LocalGet(STEPS)]),
        (cell::STORES, vec![I::LocalGet(STORES), I::I64ExtendI32U]),
    ] {
        c.extend([I::I32Const(0), I::I32Const(0), I::I64Load(at(cell))]);
        c.extend(value);
        c.extend([I::I64Add, I::I64Store(at(cell))]);
    }
    c.push(I::Else);
    c.extend(field(record::PATH));
    c.extend([I::LocalGet(PATH), I::I32Ne]);
    c.extend(field(record::STORES));
    c.extend([
        I::LocalGet(STORES),
        I::I32Ne,
        I::I32Or,
        I::LocalGet(RECORD),
        I::I64Load(at(record::STEPS)),
        I::LocalGet(STEPS),
        I::I64Ne,
        I::I32Or,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::DIVERGENT));
    c.extend([
        I::End,
        I::LocalGet(STOP),
        I::LocalGet(WAITS),
        I::I32Ne,
        I::If(EMPTY),
    ]);
    c.extend(flag(cell::MIXED));
    c.extend([I::End, I::End, I::End, I::End]);
    // On to the next record; those that were made meanwhile come last.
    c.extend([
        I::LocalGet(RECORD),
        I::I32Const(places.record_bytes as i32),
        I::I32Add,
        I::LocalSet(RECORD),
        I::LocalGet(INDEX),
        I::I32Const(1),
        I::I32Add,
        I::LocalTee(INDEX),
        I::I32Const(0),
        I::I32Load(at(cell::RECORDS)),
        I::I32LtU,
        I::BrIf(0),
        I::End,
        I::I32Const(0),
    ]);
    function(&[(8, ValType::I32), (1, ValType::I64)], &code)
}
