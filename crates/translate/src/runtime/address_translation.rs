//! Address translation. The generated code takes the address of a lane, and the memories that the access may address,
//! and produces a linear-memory address, or a bailout.

use crate::instructions::{at, high_words, low_words, splat32};
use crate::layout::stop;
use crate::layout::{
    ALL_BYTES, BYTES_SHIFT, ModuleLayout, NO_COMMON_PATTERN, cell, holds, range, site,
};
use crate::runtime::reconverge::spread_lanes;
use crate::runtime::shadow_memory::{note_arena_lanes, note_shared_lanes};
use crate::runtime::{
    ATOMIC_SHIFT, EMPTY, FN_RECORD_ACCESS, FN_TRANSLATE_ADDRESS, NO_STORES_IN_INTERVAL, bytes_left,
    function, is_outside, loop_while_nonzero, stops,
};
use wasm_encoder::{BlockType, Function, Instruction as I, ValType};

/// Minimum alignment in bytes of the address ranges that the fast path may access.
const ALIGNED: i32 = 64;

// Indices of the parameters and locals of [`translate_address`].
const ADDRESS: u32 = 0;
const SITE: u32 = 1;
const WIDTH: u32 = 2;
const FLAGS: u32 = 3;
const ENTRY: u32 = 4;
const LEFT: u32 = 5;
const PLACE: u32 = 6;
/// Local that is nonzero if the address is within the current entry during the search in the table of address ranges.
const IS_INSIDE: u32 = 6;
const HOLDS: u32 = 7;
const STORES: u32 = 8;
const OFFSET: u32 = 9;

/// Returns the function `(address, site, width, flags) -> linear-memory address`, whose result is zero for a bailout.
/// Flag 1 marks stores, [`NO_STORES_IN_INTERVAL`] disables shadow-memory updates for shared memory, and the bits from
/// `ATOMIC_SHIFT` on contain the kind of an atomic operation.
pub(crate) fn translate_address(places: &ModuleLayout) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(!(NO_STORES_IN_INTERVAL as i32)),
        I::I32And,
        I::LocalSet(STORES),
    ]);
    // Search the table of address ranges if the address is outside of the range that the access site has cached.
    c.extend(is_outside([ADDRESS, SITE, OFFSET]));
    c.push(I::If(EMPTY));
    find_range(c, places);
    c.extend([
        I::LocalGet(ENTRY),
        I::I32Load(at(range::HOLDS)),
        I::LocalSet(HOLDS),
    ]);
    note_range(c);
    fill_site(c);
    c.push(I::End);
    // Bail out if the access exceeds the range, or if the address is misaligned.
    c.extend(bytes_left(SITE, OFFSET));
    c.extend([
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
        I::LocalSet(HOLDS),
    ]);
    push_is_noted(c, HOLDS, FLAGS);
    c.push(I::If(EMPTY));
    note_words(c);
    c.extend([I::End, I::LocalGet(PLACE)]);
    function(&[(5, ValType::I32), (1, ValType::I64)], &code)
}

/// Records all words between the first and the last accessed word in shadow memory.
fn note_words(c: &mut Vec<I<'static>>) {
    c.extend([
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
    // For shared memory and for accesses to whole words, record all bytes of each word. Otherwise, record only the
    // accessed bytes.
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
        I::Call(FN_RECORD_ACCESS),
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::CONFLICT));
    c.push(I::End);
}

/// Pushes whether shadow memory records accesses to a range. The local `what` contains the kind flags of the range.
fn push_is_noted(c: &mut Vec<I<'static>>, what: u32, flags: u32) {
    c.extend([
        I::LocalGet(what),
        I::I32Const(holds::TRACKED as i32),
        I::I32Const((holds::TRACKED | holds::WINDOW | holds::SHARED) as i32),
        I::LocalGet(flags),
        I::I32Const(NO_STORES_IN_INTERVAL as i32),
        I::I32And,
        I::Select,
        I::I32And,
    ]);
}

/// Indices of the parameters and locals of [`resolve_all`].
mod all {
    pub(crate) const ADDRESSES: [u32; 2] = [0, 1];
    pub(crate) const SITE: u32 = 2;
    pub(crate) const WIDTH: u32 = 3;
    pub(crate) const FLAGS: u32 = 4;
    pub(crate) const LANES: u32 = 5;
    pub(crate) const PLACE: u32 = 6;
    pub(crate) const HOLDS: u32 = 7;
    pub(crate) const LEFT: u32 = 8;
    pub(crate) const PLACES: u32 = 9;
    pub(crate) const MASK: u32 = 10;
    pub(crate) const OFFSETS: [u32; 2] = [11, 12];
    pub(crate) const KEPT: [u32; 4] = [13, 14, 15, 16];
    pub(crate) const LAST: u32 = 17;
}

/// Returns the function `(addresses, addresses, site, width, flags, lanes) -> linear-memory addresses` which translates
/// the addresses of four lanes. The result of an inactive lane is a dummy address, and a bailout returns zero. The
/// flags are those of [`translate_address`].
pub(crate) fn resolve_all(places: &ModuleLayout) -> Function {
    let mut code = Vec::new();
    let c = &mut code;
    translate_in_cached_range(c, places);
    for lane in 0..4u8 {
        c.extend([
            I::LocalGet(all::LANES),
            I::I32Const(1 << lane),
            I::I32And,
            I::If(BlockType::Result(ValType::I32)),
            I::LocalGet(all::ADDRESSES[usize::from(lane / 2)]),
            I::I64x2ExtractLane(lane % 2),
            I::LocalGet(all::SITE),
            I::LocalGet(all::WIDTH),
            I::LocalGet(all::FLAGS),
            I::Call(FN_TRANSLATE_ADDRESS),
            I::Else,
            I::I32Const(cell::INACTIVE_LANE_TARGET as i32),
            I::End,
            I::LocalTee(all::PLACE),
            I::I32Eqz,
            // If an address cannot be translated, skip the remaining lanes, so that the code reports the first bailout
            // reason.
            I::If(EMPTY),
            I::V128Const(0),
            I::Return,
            I::End,
            I::LocalGet(all::PLACES),
            I::LocalGet(all::PLACE),
            I::I32x4ReplaceLane(lane),
            I::LocalSet(all::PLACES),
        ]);
    }
    c.push(I::LocalGet(all::PLACES));
    let locals = [(3, ValType::I32), (8, ValType::V128), (1, ValType::I64)];
    function(&locals, &code)
}

/// Emits code that returns the addresses of all active lanes if the accesses are within the cached range and no lane
/// requires an individual check. Otherwise, execution continues after this code.
fn translate_in_cached_range(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    use all::{ADDRESSES, FLAGS, HOLDS, LANES, LAST, MASK, OFFSETS, PLACES, SITE, WIDTH};
    c.extend([
        I::Block(EMPTY),
        // Compute the last offset in the range at which the access fits. The comparison with this offset also excludes
        // negative offsets and offsets of more than 32 bits.
        I::LocalGet(SITE),
        I::I64Load(at(site::SIZE)),
        I::LocalGet(WIDTH),
        I::I64ExtendI32U,
        I::I64Sub,
        I::LocalTee(LAST),
        I::I64Const(0xffff_ffff),
        I::I64GtU,
        I::BrIf(0),
        I::LocalGet(LANES),
    ]);
    c.extend(spread_lanes());
    c.push(I::LocalSet(MASK));
    for (address, offset) in ADDRESSES.into_iter().zip(OFFSETS) {
        c.extend([
            I::LocalGet(address),
            I::LocalGet(SITE),
            I::V128Load64Splat(at(site::ADDRESS)),
            I::I64x2Sub,
            I::LocalSet(offset),
        ]);
    }
    push_any_unfit(c);
    c.extend([
        I::BrIf(0),
        I::LocalGet(PLACES),
        I::LocalGet(SITE),
        I::V128Load32Splat(at(site::PLACE)),
        I::I32x4Add,
        I::LocalSet(PLACES),
        I::LocalGet(SITE),
        I::I32Load(at(site::HOLDS)),
        I::LocalSet(HOLDS),
    ]);
    push_is_noted(c, HOLDS, FLAGS);
    c.push(I::If(EMPTY));
    record_lanes(c, places);
    c.extend([
        I::End,
        I::LocalGet(PLACES),
        splat32(cell::INACTIVE_LANE_TARGET),
        I::LocalGet(MASK),
        I::V128Bitselect,
        I::Return,
        I::End,
        I::V128Const(0),
        I::LocalSet(PLACES),
    ]);
}

/// Pushes whether the access of any active lane exceeds the range or is misaligned. The code saves the offsets of the
/// lanes in the locals for addresses.
fn push_any_unfit(c: &mut Vec<I<'static>>) {
    use all::{ADDRESSES, LAST, MASK, OFFSETS, PLACES, WIDTH};
    c.extend([
        I::LocalGet(OFFSETS[0]),
        I::LocalGet(OFFSETS[1]),
        high_words(),
        splat32(0),
        I::I32x4Ne,
        I::LocalGet(OFFSETS[0]),
        I::LocalGet(OFFSETS[1]),
        low_words(),
        I::LocalTee(PLACES),
        I::LocalGet(LAST),
        I::I32WrapI64,
        I::I32x4Splat,
        I::I32x4GtU,
        I::V128Or,
        // Check whether the address of any lane is misaligned.
        I::LocalGet(ADDRESSES[0]),
        I::LocalGet(ADDRESSES[1]),
        low_words(),
        I::LocalGet(WIDTH),
        I::I32Const(1),
        I::I32Sub,
        I::I32x4Splat,
        I::V128And,
        splat32(0),
        I::I32x4Ne,
        I::V128Or,
        I::LocalGet(MASK),
        I::V128And,
        I::V128AnyTrue,
    ]);
}

/// Records the accesses of all active lanes in shadow memory. If the words require individual checks, the code exits
/// the WebAssembly construct that encloses the current construct.
fn record_lanes(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    use all::{FLAGS, HOLDS, KEPT, LEFT, WIDTH};
    let [words, ..] = KEPT;
    c.extend([
        I::LocalGet(FLAGS),
        I::I32Const(ATOMIC_SHIFT as i32),
        I::I32ShrU,
        I::BrIf(1),
        I::LocalGet(HOLDS),
        I::I32Const((holds::WINDOW | holds::SHARED) as i32),
        I::I32And,
        I::LocalTee(HOLDS),
        I::I32Eqz,
        I::LocalGet(WIDTH),
        I::I32Const(4),
        I::I32LtU,
        I::I32And,
        I::BrIf(1),
    ]);
    find_words(c);
    c.extend([
        I::LocalGet(WIDTH),
        I::I32Const(3),
        I::I32Add,
        I::I32Const(2),
        I::I32ShrU,
        I::LocalSet(LEFT),
        I::Loop(EMPTY),
        I::LocalGet(HOLDS),
        I::If(EMPTY),
    ]);
    note_shared_lanes(c, places.shared_shadow, FLAGS, KEPT);
    c.push(I::Else);
    note_arena_lanes(c, places.arena_shadow, FLAGS, KEPT);
    c.extend([
        I::End,
        I::LocalGet(words),
        splat32(4),
        I::I32x4Add,
        I::LocalSet(words),
    ]);
    c.extend(loop_while_nonzero(LEFT));
}

/// Computes the offset of the first accessed word in each lane. Inactive lanes receive the offset of an active lane.
fn find_words(c: &mut Vec<I<'static>>) {
    use all::{KEPT, MASK, PLACES};
    let [words, ..] = KEPT;
    c.extend([
        I::LocalGet(PLACES),
        I::LocalGet(MASK),
        I::V128And,
        I::LocalTee(words),
        I::LocalGet(words),
        I::LocalGet(words),
        I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
        I::I32x4MaxU,
        I::LocalTee(words),
        I::LocalGet(words),
        I::LocalGet(words),
        I::I8x16Shuffle([4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]),
        I::I32x4MaxU,
        I::LocalSet(words),
        I::LocalGet(PLACES),
        I::LocalGet(words),
        I::LocalGet(MASK),
        I::V128Bitselect,
        splat32(!3),
        I::V128And,
        I::LocalSet(words),
    ]);
}

/// Searches the table for the address range that contains the address and that the access site accepts. If no such
/// range exists, the access is a fault.
fn find_range(c: &mut Vec<I<'static>>, places: &ModuleLayout) {
    c.extend([
        I::I32Const(places.ranges as i32),
        I::LocalSet(ENTRY),
        I::I32Const(places.n_ranges as i32),
        I::LocalSet(LEFT),
        I::Block(EMPTY),
        I::Loop(EMPTY),
        I::LocalGet(ENTRY),
        I::I32Load(at(range::HOLDS)),
        I::LocalGet(SITE),
        I::I32Load(at(site::ACCEPTS)),
        I::I32And,
        I::LocalGet(ADDRESS),
        I::LocalGet(ENTRY),
        I::I64Load(at(range::ADDRESS)),
        I::I64Sub,
        I::LocalTee(OFFSET),
        I::LocalGet(ENTRY),
        I::I64Load(at(range::SIZE)),
        I::I64LtU,
        I::I32Const(0),
        I::I32Ne,
        I::LocalSet(IS_INSIDE),
        I::I32Const(0),
        I::I32Ne,
        I::LocalGet(IS_INSIDE),
        I::I32And,
        I::BrIf(1),
        I::LocalGet(ENTRY),
        I::I32Const(range::BYTES as i32),
        I::I32Add,
        I::LocalSet(ENTRY),
    ]);
    c.extend(loop_while_nonzero(LEFT));
    c.extend(stops(stop::FAULT));
    c.push(I::End);
}

/// Determines whether a range requires shadow memory. No shadow memory is required while all accesses partition the
/// range among threads in the same way. Otherwise, shadow memory tracks the accesses from the first store on. If the
/// range has already been accessed without tracking, the launch restarts and tracks the range from the start.
fn note_range(c: &mut Vec<I<'static>>) {
    stop_store_to_constants(c);
    mark_range(c);
    // Start tracking if the range is in global memory, has been written, is not tracked yet, and its accesses have no
    // common partition.
    c.extend([
        I::LocalGet(HOLDS),
        I::I32Const((holds::GLOBAL | holds::TRACKED | holds::WRITTEN) as i32),
        I::I32And,
        I::I32Const((holds::GLOBAL | holds::WRITTEN) as i32),
        I::I32Eq,
        I::LocalGet(ENTRY),
        I::I32Load(at(range::PRIVATE_PATTERN)),
        I::I32Const(NO_COMMON_PATTERN as i32),
        I::I32Eq,
        I::I32And,
        I::If(EMPTY),
        I::LocalGet(ENTRY),
        I::LocalGet(HOLDS),
        I::I32Const(holds::TRACKED as i32),
        I::I32Or,
        I::LocalTee(HOLDS),
        I::I32Store(at(range::HOLDS)),
        // If this store is the first access to the range, tracking starts without a restart, because it misses no
        // access.
        I::LocalGet(ENTRY),
        I::I32Load(at(range::TOUCHED)),
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::RESTART));
    c.extend([
        I::End,
        I::End,
        I::LocalGet(ENTRY),
        I::I32Const(1),
        I::I32Store(at(range::TOUCHED)),
    ]);
}

/// Updates the partition number that is common to all accesses to the range, and the flags that record whether the
/// range has been read or written.
fn mark_range(c: &mut Vec<I<'static>>) {
    c.extend([
        I::LocalGet(ENTRY),
        I::LocalGet(SITE),
        I::I32Load(at(site::PRIVATE_PATTERN)),
        I::I32Const(NO_COMMON_PATTERN as i32),
        I::LocalGet(ENTRY),
        I::I32Load(at(range::PRIVATE_PATTERN)),
        I::I32Eqz,
        I::LocalGet(ENTRY),
        I::I32Load(at(range::PRIVATE_PATTERN)),
        I::LocalGet(SITE),
        I::I32Load(at(site::PRIVATE_PATTERN)),
        I::I32Eq,
        I::I32Or,
        I::Select,
        I::I32Store(at(range::PRIVATE_PATTERN)),
    ]);
    c.extend([
        I::LocalGet(ENTRY),
        I::LocalGet(HOLDS),
        I::I32Const(holds::WRITTEN as i32),
        I::I32Const(holds::READ as i32),
        I::LocalGet(STORES),
        I::Select,
        I::I32Or,
        I::LocalTee(HOLDS),
        I::I32Store(at(range::HOLDS)),
    ]);
}

/// Bails out if the access is a store to read-only memory.
fn stop_store_to_constants(c: &mut Vec<I<'static>>) {
    c.extend([
        I::LocalGet(STORES),
        I::LocalGet(HOLDS),
        I::I32Const((holds::CONSTANT | holds::PARAMETERS) as i32),
        I::I32And,
        I::I32Const(0),
        I::I32Ne,
        I::I32And,
        I::If(EMPTY),
    ]);
    c.extend(stops(stop::FAULT));
    c.push(I::End);
}

/// Caches the range in the access site.
fn fill_site(c: &mut Vec<I<'static>>) {
    for (to, from) in [(site::ADDRESS, range::ADDRESS), (site::SIZE, range::SIZE)] {
        c.extend([
            I::LocalGet(SITE),
            I::LocalGet(ENTRY),
            I::I64Load(at(from)),
            I::I64Store(at(to)),
        ]);
    }
    c.extend([
        I::LocalGet(SITE),
        I::LocalGet(ENTRY),
        I::I32Load(at(range::PLACE)),
        I::I32Store(at(site::PLACE)),
        I::LocalGet(SITE),
        I::LocalGet(HOLDS),
        I::I32Store(at(site::HOLDS)),
        // Cache the number of offsets in the range at which a contiguous row of a subwarp fits.
        I::LocalGet(SITE),
    ]);
    let row = [
        I::LocalGet(WIDTH),
        I::I64ExtendI32U,
        I::I64Const(2),
        I::I64Shl,
    ];
    push_fitting_offsets(c, &row, &[I::I64Const(0)]);
    c.extend([I::LocalGet(ENTRY), I::I64Load(at(range::SIZE))]);
    c.extend(row);
    c.extend([I::I64GeU, I::Select, I::I64Store(at(site::ROWS))]);
    fill_quick(c);
}

/// Pushes the number of aligned offsets in the range at which an access of `bytes` bytes fits, followed by zero. `unit`
/// is the binary logarithm of the alignment. With a subsequent `select` instruction, the caller replaces the number by
/// zero if the access does not fit.
fn push_fitting_offsets(c: &mut Vec<I<'static>>, bytes: &[I<'static>], unit: &[I<'static>]) {
    c.extend([I::LocalGet(ENTRY), I::I64Load(at(range::SIZE))]);
    c.extend_from_slice(bytes);
    c.push(I::I64Sub);
    c.extend_from_slice(unit);
    c.extend([I::I64ShrU, I::I64Const(1), I::I64Add, I::I64Const(0)]);
}

/// Caches the range for accesses on the fast path if the range is aligned, the access fits into the range, and shadow
/// memory does not track the range.
fn fill_quick(c: &mut Vec<I<'static>>) {
    let bytes = [I::LocalGet(SITE), I::I64Load32U(at(site::QUICK_BYTES))];
    let unit = [I::LocalGet(SITE), I::I64Load32U(at(site::QUICK_ALIGN))];
    c.push(I::LocalGet(SITE));
    push_fitting_offsets(c, &bytes, &unit);
    c.extend([
        I::LocalGet(HOLDS),
        I::I32Const((holds::TRACKED | holds::WINDOW) as i32),
        I::I32And,
        I::I32Eqz,
    ]);
    c.extend(bytes.clone());
    c.extend([
        I::LocalGet(ENTRY),
        I::I64Load(at(range::SIZE)),
        I::I64LeU,
        I::I32And,
    ]);
    c.extend(bytes);
    c.extend([
        I::I64Eqz,
        I::I32Eqz,
        I::I32And,
        I::LocalGet(ENTRY),
        I::I32Load(at(range::ADDRESS)),
        I::I32Const(ALIGNED - 1),
        I::I32And,
        I::I32Eqz,
        I::I32And,
        I::Select,
        I::I64Store(at(site::FAST_OFFSETS)),
    ]);
}
