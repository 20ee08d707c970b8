//! Where things lie in the module's memory. In: a machine's parts; out: addresses, and the bytes before the first block.

use crate::code::Code;
use crate::refusal::Refusal;

use crate::engine::{Instance, Memory};
use std::borrow::Cow;
use std::ops::Range;
use warpgrid_emulator::plain::{AddressRange, LANES, Plain, RangeKind};
use warpgrid_isa::SpecialRegister;

/// Lanes that run together.
pub(crate) const GANG: u32 = 4;
/// Gangs of a warp.
pub(crate) const GANGS: u32 = LANES as u32 / GANG;

/// Cells that the host and the code share, by address.
pub(crate) mod cell {
    /// Records there are.
    pub(crate) const RECORDS: u32 = 1024;
    /// The first name of the phase; the block's first phase begins at the block's.
    pub(crate) const PHASE: u32 = 1028;
    pub(crate) const BLOCK: u32 = 1032;
    /// The name of the gang that runs, and which of its earlier names are its ancestors.
    pub(crate) const ME: u32 = 1036;
    pub(crate) const ANCESTORS: u32 = 1040;
    /// Bytes of what is noted of words that must be stored again as they are.
    pub(crate) const SUSPECTS: u32 = 1044;
    /// Steps that a gang may take in a phase.
    pub(crate) const FUEL: u32 = 1048;
    /// Steps and stores of warps whose gangs agree.
    pub(crate) const STEPS: u32 = 1056;
    pub(crate) const STORES: u32 = 1064;
    /// Whether some warp came to a barrier, and where.
    pub(crate) const WAITING: u32 = 1072;
    pub(crate) const FIRST_ENTRY: u32 = 1076;
    /// Why no place was found.
    pub(crate) const STOP: u32 = 1080;
    /// The next name that no gang has had.
    pub(crate) const NEXT_NAME: u32 = 1084;
    /// The first names of the warp in this phase, and since its lanes last met.
    pub(crate) const WARP_START: u32 = 1088;
    pub(crate) const SINCE: u32 = 1092;
    /// The warp at hand, which of its records have run since its lanes last met, and whether lanes of it have ended in this phase.
    pub(crate) const WARP: u32 = 1096;
    pub(crate) const RAN: u32 = 1100;
    pub(crate) const ENDED: u32 = 1104;
    /// Steps of all warps before this one.
    pub(crate) const STEPS_BEFORE: u32 = 1112;
    /// Of an operation of the warp: its lanes, those that were there when they last met (all bits after a barrier), and where the gangs go on.
    pub(crate) const LIVE: u32 = 1120;
    pub(crate) const MET: u32 = 1148;
    pub(crate) const NEXT_ENTRY: u32 = 1128;
    /// 1 plus the highest number of a block that a lane has executed since the last reconvergence. Only blocks after the first warp-level operation
    /// that does not wait for all lanes count. Zero if all lanes took one path; all bits set if a time slice of the scheduler may have ended.
    pub(crate) const FURTHEST: u32 = 1124;
    /// Whether a warp has diverged in this phase, so that its number of steps is only a lower bound.
    pub(crate) const DIVERGED: u32 = 1132;
    /// Executed lane-instructions of this phase.
    pub(crate) const LANE_INSTRUCTIONS: u32 = 1136;
    /// What the phase at hand began with.
    pub(crate) const BEGINS: u32 = 1144;
    /// Read in place of what lanes that are not active mean.
    pub(crate) const NOWHERE: u32 = 1152;
    /// Whether all gangs of the warp have gone one way to the same place in one call of the strip, and their lanes.
    pub(crate) const ALIKE: u32 = 1216;
    pub(crate) const ALIKE_LIVE: u32 = 1220;
    /// Whether the current warp has executed an if-converted branch divergently since the last reconvergence.
    pub(crate) const DETOURS: u32 = 1224;
    /// Stored so that engines compute it there and then; never read.
    pub(crate) const PINNED: u32 = 1264;
    /// Special registers that differ by block, 16 bytes each.
    pub(crate) const BY_BLOCK: u32 = 1280;
    /// All of them but the special registers.
    pub(crate) const ALL: std::ops::Range<usize> = RECORDS as usize..BEGINS as usize;
}

/// A record of a gang, or of a part of one, by offset.
pub(crate) mod record {
    /// Which entry comes next; below zero where it has ended.
    pub(crate) const ENTRY: u32 = 0;
    pub(crate) const MASK: u32 = 4;
    pub(crate) const GANG: u32 = 8;
    /// Which of the names of the gang it has, and which are those of its ancestors.
    pub(crate) const NAME: u32 = 12;
    pub(crate) const ANCESTORS: u32 = 16;
    pub(crate) const PATH: u32 = 20;
    pub(crate) const STEPS: u32 = 24;
    /// The place of the gang's special registers.
    pub(crate) const TABLE: u32 = 32;
    /// Of the record of the whole gang: the next name.
    pub(crate) const NEXT_NAME: u32 = 36;
    pub(crate) const STORES: u32 = 40;
    /// As [`super::cell::FURTHEST`], for the lanes of the record.
    pub(crate) const FURTHEST: u32 = 48;
    /// What it waits for, by number; zero while it can go on.
    pub(crate) const WAITS_FOR: u32 = 56;
    /// Of the record of a whole gang: its lanes.
    pub(crate) const FIRST_MASK: u32 = 60;
    pub(crate) const REGISTERS: u32 = 64;
}

/// What is counted of a store, and of a copy, whose landing is a step of its own that stores: stores in the low half, landings in the high one.
pub(crate) const STORE: u64 = 1;
pub(crate) const LANDING: u64 = 1 << 32 | STORE;

/// Kinds of atomic operations, at most; a number of those that store to a word, blocks among them; and the first name of a gang.
pub(crate) const MOST_KINDS: u32 = 14;
pub(crate) const OF_SEVERAL: u32 = 15;
pub(crate) const FIRST_NAME: u32 = 16;

/// Words that several gangs have stored to without an order since one of them began, at most.
pub(crate) const MOST_SUSPECTS: u32 = 2048;

/// What such a word held before, by offset.
pub(crate) mod suspect {
    pub(crate) const PLACE: u32 = 0;
    pub(crate) const WORD: u32 = 4;
    /// The bits that must be the same.
    pub(crate) const MASK: u32 = 8;
    pub(crate) const BYTES: u32 = 12;
}

/// Copies of a warp that may be in flight, a power of two, and groups of them that a wait may leave in flight.
pub(crate) const MOST_COPIES: u32 = 2048;
pub(crate) const MOST_GROUPS: u32 = 64;

/// A copy in flight, by offset.
pub(crate) mod copy {
    /// Where it is written and where it was read.
    pub(crate) const TO: u32 = 0;
    pub(crate) const FROM: u32 = 4;
    /// Bytes that are written; from bit 8 on bytes that are read; and whether who read them is noted.
    pub(crate) const SIZES: u32 = 8;
    pub(crate) const READ_SHIFT: u32 = 8;
    pub(crate) const IS_NOTED: u32 = 1 << 31;
    /// The name of the gang that started it, as it started it.
    pub(crate) const NAME: u32 = 12;
    pub(crate) const BYTES: u32 = 16;
}

/// The copies of a warp, by offset: how many it has started, how many it has waited for, and the groups that it has made.
pub(crate) mod copies {
    pub(crate) const STARTED: u32 = 0;
    pub(crate) const LANDED: u32 = 4;
    pub(crate) const GROUPS: u32 = 8;
    /// By group: how many copies the warp had started before its end.
    pub(crate) const ENDS: u32 = 16;
    pub(crate) const BYTES: u32 = ENDS + 4 * super::MOST_GROUPS;
}

/// The name of who wrote bytes in which a copy may land yet: before no other one.
pub(crate) const IN_FLIGHT: u32 = 0x0fff_fffe;

/// What a note says beside the name of the gang: which bytes of the word it means.
pub(crate) const BYTES_SHIFT: u32 = 28;
pub(crate) const ALL_BYTES: u32 = 15 << BYTES_SHIFT;

/// What a range of addresses holds, a bit each; a site accepts some.
pub(crate) mod holds {
    pub(crate) const GLOBAL: u32 = 1;
    pub(crate) const CONSTANT: u32 = 2;
    pub(crate) const PARAMETERS: u32 = 4;
    /// Shared memory among generic addresses.
    pub(crate) const WINDOW: u32 = 8;
    /// Shared memory from address 0.
    pub(crate) const SHARED: u32 = 16;
    /// Of a range: readers and writers are noted.
    pub(crate) const NOTED: u32 = 32;
    /// Of a range: it was read without a note.
    pub(crate) const READ: u32 = 64;
    /// Of a range: it was written without a note.
    pub(crate) const WRITTEN: u32 = 128;
}

/// A range in memory: address, size, place, what it holds.
pub(crate) mod range {
    pub(crate) const ADDRESS: u32 = 0;
    pub(crate) const SIZE: u32 = 8;
    pub(crate) const PLACE: u32 = 16;
    pub(crate) const HOLDS: u32 = 20;
    /// The sharing-out that all accesses so far have: none, its number, or several.
    pub(crate) const SHARING: u32 = 24;
    /// Whether there was an access.
    pub(crate) const TOUCHED: u32 = 28;
    pub(crate) const BYTES: u32 = 32;
}

/// What an instruction knows of the range that it met last.
pub(crate) mod site {
    pub(crate) const ADDRESS: u32 = 0;
    pub(crate) const SIZE: u32 = 8;
    /// How many offsets there are at which a row of a whole gang may begin.
    pub(crate) const ROWS: u32 = 16;
    pub(crate) const PLACE: u32 = 24;
    pub(crate) const HOLDS: u32 = 28;
    /// What it accepts, and how it shares a range out among threads: a number, or several.
    pub(crate) const ACCEPTS: u32 = 32;
    pub(crate) const SHARING: u32 = 36;
    /// How many offsets there are at which a quick access may begin, in units of its alignment.
    pub(crate) const QUICK: u32 = 40;
    /// Bytes of a quick access, and its alignment as a power of two.
    pub(crate) const QUICK_BYTES: u32 = 48;
    pub(crate) const QUICK_ALIGN: u32 = 52;
    pub(crate) const BYTES: u32 = 56;
}

/// Accesses that do not share a range out, or not in the same way.
pub(crate) const SEVERAL: u32 = u32::MAX;

/// Most bytes of memory that is copied.
const MOST_ARENA: usize = 768 << 20;

/// Most bytes of local memory of a thread.
const MOST_LOCAL: u64 = 1 << 16;

/// What an access may mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Ranges that it accepts, by what they hold.
    pub(crate) accepts: u32,
    /// How it shares a range out among threads.
    pub(crate) sharing: u32,
    /// Bytes that a quick access of a gang needs, with those that share its look; zero where there is none. And the power of two that it is
    /// a multiple of.
    pub(crate) quick_bytes: u32,
    pub(crate) quick_align: u32,
}

impl Site {
    /// One of accesses that are not quick, and that do not share ranges out in a known way.
    pub(crate) fn of_any(accepts: u32) -> Site {
        Site {
            accepts,
            sharing: SEVERAL,
            quick_bytes: 0,
            quick_align: 0,
        }
    }
}

/// How much of what depends on the code there is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    pub(crate) sites: u32,
    /// Bytes of the registers of a record.
    pub(crate) registers: u32,
    pub(crate) has_copies: bool,
}

/// Parts of the gangs of a warp, at most: a lane each, without those that stay.
pub(crate) const PARTS: u32 = GANGS * (GANG - 1);

/// Bytes for rows of a warp and operands of a product.
const SCRATCH_BYTES: u64 = 32 << 10;

/// Addresses in the module's memory.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) n_gangs: u32,
    /// Special registers of the kernel that differ by block, in the order of their cells.
    pub(crate) by_block: Vec<SpecialRegister>,
    /// The others, in the order of a gang's table.
    pub(crate) by_thread: Vec<SpecialRegister>,
    pub(crate) table: u32,
    pub(crate) sites: u32,
    pub(crate) ranges: u32,
    pub(crate) n_ranges: u32,
    pub(crate) records: u32,
    pub(crate) record_bytes: u32,
    pub(crate) most_records: u32,
    /// Upper bound of the steps of each warp since the start of the block in which several groups of its lanes were ready.
    pub(crate) divergent_steps: u32,
    /// Words that must be stored again as they are.
    pub(crate) suspects: u32,
    /// Rows of a warp while an operation is done.
    pub(crate) scratch: u32,
    /// By warp: how its copies are doing, and those that are in flight.
    pub(crate) copies: u32,
    pub(crate) copies_bytes: u32,
    pub(crate) in_flight: u32,
    /// Coefficients of approximate functions, which the module brings.
    pub(crate) tables_of_unit: u32,
    pub(crate) shared: u32,
    pub(crate) shared_bytes: u32,
    /// Local memory of the threads of a block, one after the other, and the bytes of each.
    pub(crate) local: u32,
    pub(crate) local_bytes: u32,
    /// From bytes of shared memory to who wrote and who read them.
    pub(crate) shared_notes: [u32; 2],
    pub(crate) arena: u32,
    pub(crate) arena_notes: [u32; 2],
    /// Of all.
    pub(crate) bytes: u64,
}

/// Returns the special registers whose values differ by block, and those whose values differ by thread.
fn special_registers(plain: Plain<'_>) -> [Vec<SpecialRegister>; 2] {
    let mut by_block = Vec::new();
    let mut by_thread = Vec::new();
    for special in (0..).map_while(|index| plain.special32(index)) {
        match plain.differs_by_block(special) {
            Some(true) => by_block.push(special),
            Some(false) => by_thread.push(special),
            None => {}
        }
    }
    [by_block, by_thread]
}

impl Places {
    /// Lays out what does not depend on the code.
    pub(crate) fn new(plain: Plain<'_>, code: &Code<'_>, sizes: Sizes) -> Result<Places, Refusal> {
        let n_gangs = plain.n_threads().div_ceil(LANES as u32) * GANGS;
        let [by_block, by_thread] = special_registers(plain);
        let (_, shared_bytes) = plain.shared();
        let local_bytes = code.local_bytes;
        let arena_bytes = plain.arena().len();
        if arena_bytes > MOST_ARENA
            || shared_bytes > 1 << 20
            || local_bytes > MOST_LOCAL
            || by_block.len() > 32
        {
            return Err(Refusal::TooLarge);
        }
        let mut next = u64::from(cell::BY_BLOCK) + 16 * 32;
        let mut place = |bytes: u64| {
            let start = next.next_multiple_of(128);
            next = start + bytes;
            start as u32
        };
        let n_ranges = plain.ranges().count() as u32 + 2;
        let record_bytes = (record::REGISTERS + sizes.registers).next_multiple_of(64);
        let most_records = n_gangs + PARTS;
        let table = place(u64::from(n_gangs) * 16 * by_thread.len() as u64);
        let sites = place(u64::from(sizes.sites * site::BYTES));
        let ranges = place(u64::from(n_ranges * range::BYTES));
        let records = place(u64::from(most_records) * u64::from(record_bytes));
        let divergent_steps = place(u64::from(n_gangs / GANGS) * 4);
        let suspects = place(u64::from(MOST_SUSPECTS * suspect::BYTES));
        let scratch = place(SCRATCH_BYTES);
        let n_copying = if sizes.has_copies { n_gangs / GANGS } else { 0 };
        let copies_bytes = n_copying * copies::BYTES;
        let copies = place(u64::from(copies_bytes));
        let in_flight = place(u64::from(n_copying * MOST_COPIES * copy::BYTES));
        let tables_of_unit = place(u64::from(ALL_TABLE_BYTES));
        let shared_size = shared_bytes.next_multiple_of(128);
        let shared = place(shared_size);
        let shared_notes = [place(shared_size) - shared, place(shared_size) - shared];
        let local = place(local_bytes * u64::from(n_gangs * GANG));
        let arena_size = (arena_bytes as u64).next_multiple_of(128);
        let arena = place(arena_size);
        let arena_notes = [place(arena_size) - arena, place(arena_size) - arena];
        Ok(Places {
            n_gangs,
            by_block,
            by_thread,
            table,
            sites,
            ranges,
            n_ranges,
            records,
            record_bytes,
            most_records,
            divergent_steps,
            suspects,
            scratch,
            copies,
            copies_bytes,
            in_flight,
            tables_of_unit,
            shared,
            shared_bytes: shared_bytes as u32,
            local,
            local_bytes: local_bytes as u32,
            shared_notes,
            arena,
            arena_notes,
            bytes: next + 4096,
        })
    }

    /// The bytes of ranges of addresses.
    pub(crate) fn ranges(&self) -> Range<usize> {
        self.ranges as usize..(self.ranges + self.n_ranges * range::BYTES) as usize
    }

    /// The bytes of all that is filled before the first block, but the arena.
    fn tables(&self) -> Range<usize> {
        self.table as usize..self.divergent_steps as usize
    }

    /// Fills the tables and the arena.
    pub(crate) fn fill(&self, plain: Plain<'_>, sites: &[Site], instance: &mut impl Instance) {
        let tables = self.tables();
        let mut memory = Window {
            start: tables.start,
            bytes: vec![0; tables.len()],
        };
        self.fill_ranges(plain, &[], &mut memory);
        self.forget(sites, &mut memory);
        let n_threads = plain.n_threads();
        for gang in 0..self.n_gangs {
            let present = (0..GANG).filter(|lane| gang * GANG + lane < n_threads);
            let mask = present.fold(0, |mask, lane| mask | 1 << lane);
            let row = self.table + gang * 16 * self.by_thread.len() as u32;
            let at = self.records + gang * self.record_bytes;
            memory.put32(at + record::GANG, gang);
            memory.put32(at + record::TABLE, row);
            memory.put32(at + record::FIRST_MASK, mask);
            for (index, special) in (0..).zip(&self.by_thread) {
                for lane in 0..GANG {
                    let (warp, lane_of_warp) = (gang / GANGS, gang % GANGS * GANG + lane);
                    let value = plain.special(*special, 0, warp, lane_of_warp);
                    memory.put32(row + 16 * index + 4 * lane, value as u32);
                }
            }
        }
        instance.write(memory.start, &memory.bytes);
        instance.write(self.arena as usize, plain.arena());
    }

    /// The sites know no ranges.
    fn forget<B: AsRef<[u8]> + AsMut<[u8]>>(&self, sites: &[Site], memory: &mut Window<B>) {
        for (index, found) in (0..).zip(sites) {
            let at = self.sites + index * site::BYTES;
            // No address is within.
            for offset in [site::SIZE, site::ROWS, site::QUICK] {
                memory.put64(at + offset, 0);
            }
            memory.put32(at + site::QUICK_BYTES, found.quick_bytes);
            memory.put32(at + site::QUICK_ALIGN, found.quick_align);
            memory.put32(at + site::ACCEPTS, found.accepts);
            memory.put32(at + site::SHARING, found.sharing);
        }
    }

    /// The state at the start again, with these ranges noted; all others are as they were.
    pub(crate) fn refill(
        &self,
        plain: Plain<'_>,
        noted: &[u32],
        sites: &[Site],
        instance: &mut impl Instance,
    ) {
        let changed = self.that_hold(holds::NOTED | holds::WRITTEN, instance);
        instance.edit(self.sites as usize..self.records as usize, |bytes| {
            let mut memory = Window {
                start: self.sites as usize,
                bytes,
            };
            self.fill_ranges(plain, noted, &mut memory);
            self.forget(sites, &mut memory);
        });
        for (range, start) in self.changed(plain, &changed) {
            let n_bytes = range.len();
            let first = range.start;
            for notes in self.arena_notes {
                let notes = first + notes as usize;
                instance.clear(notes..notes + n_bytes);
            }
            if let Some(bytes) = plain.arena().get(start..start + n_bytes) {
                instance.write(first, bytes);
            }
        }
    }

    /// Where the bytes of ranges are, and where they lie in the arena.
    pub(crate) fn changed(&self, plain: Plain<'_>, ranges: &[u32]) -> Vec<(Range<usize>, usize)> {
        let chosen = self.all(plain).filter(|(index, _)| ranges.contains(index));
        let arena = self.arena as usize;
        chosen
            .map(|(_, place)| (place.clone(), place.start - arena))
            .collect()
    }

    /// All ranges with their numbers: where their bytes are.
    pub(crate) fn all<'m>(
        &self,
        plain: Plain<'m>,
    ) -> impl Iterator<Item = (u32, Range<usize>)> + use<'m> {
        let arena = self.arena as usize;
        let place = move |range: AddressRange| {
            let start = arena + range.start;
            start..start + range.size as usize
        };
        (0..).zip(plain.ranges().map(place))
    }

    fn fill_ranges<B: AsRef<[u8]> + AsMut<[u8]>>(
        &self,
        plain: Plain<'_>,
        noted: &[u32],
        memory: &mut Window<B>,
    ) {
        let mut at = self.ranges;
        let mut add = |address: u64, size: u64, place: u32, holds: u32| {
            memory.put64(at + range::ADDRESS, address);
            memory.put64(at + range::SIZE, size);
            memory.put32(at + range::PLACE, place);
            memory.put32(at + range::HOLDS, holds);
            memory.put32(at + range::SHARING, 0);
            memory.put32(at + range::TOUCHED, 0);
            at += range::BYTES;
        };
        for (index, found) in (0..).zip(plain.ranges()) {
            let mut holds = match found.kind {
                RangeKind::Global => holds::GLOBAL,
                RangeKind::Constant => holds::CONSTANT,
                RangeKind::Parameters => holds::PARAMETERS,
            };
            if noted.contains(&index) {
                holds |= holds::NOTED;
            }
            let place = self.arena + found.start as u32;
            add(found.address, found.size, place, holds);
        }
        let (window, size) = plain.shared();
        add(window, size, self.shared, holds::WINDOW);
        add(0, size, self.shared, holds::SHARED);
    }

    /// The ranges that hold something of this.
    pub(crate) fn that_hold(&self, what: u32, memory: &(impl Memory + ?Sized)) -> Vec<u32> {
        let memory = Window::of(memory, self.ranges());
        let holds = |index: &u32| {
            let at = self.ranges + index * range::BYTES + range::HOLDS;
            memory.get32(at) & what != 0
        };
        (0..self.n_ranges).filter(holds).collect()
    }

    /// The record with this number.
    pub(crate) fn record(&self, index: u32) -> u32 {
        self.records + index * self.record_bytes
    }
}

/// Bytes of the module's memory, by their addresses.
pub(crate) struct Window<B> {
    /// The address of the first.
    pub(crate) start: usize,
    pub(crate) bytes: B,
}

impl<'i> Window<Cow<'i, [u8]>> {
    /// A range as it is.
    pub(crate) fn of(
        memory: &'i (impl Memory + ?Sized),
        range: Range<usize>,
    ) -> Window<Cow<'i, [u8]>> {
        Window {
            start: range.start,
            bytes: memory.look(range),
        }
    }
}

impl<B: AsRef<[u8]>> Window<B> {
    /// The number at an address, zero outside.
    pub(crate) fn get32(&self, at: u32) -> u32 {
        let from = (at as usize).checked_sub(self.start);
        let bytes = from.and_then(|from| self.bytes.as_ref().get(from..from + 4));
        bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(crate) fn get64(&self, at: u32) -> u64 {
        u64::from(self.get32(at)) | u64::from(self.get32(at + 4)) << 32
    }
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> Window<B> {
    /// Puts a number at an address; outside nothing is put.
    pub(crate) fn put32(&mut self, at: u32, value: u32) {
        let from = (at as usize).checked_sub(self.start);
        let place = from.and_then(|from| self.bytes.as_mut().get_mut(from..from + 4));
        if let Some(place) = place {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    pub(crate) fn put64(&mut self, at: u32, value: u64) {
        self.put32(at, value as u32);
        self.put32(at + 4, (value >> 32) as u32);
    }
}

/// Return values of compiled code: why it stopped.
pub(crate) mod stop {
    pub(crate) const FAULT: u32 = 1;
    pub(crate) const CONFLICT: u32 = 2;
    /// The accesses to a range must be recorded from the start of the run.
    pub(crate) const AGAIN: u32 = 3;
    pub(crate) const STEPS: u32 = 4;
    /// An uncommon case that is not translated.
    pub(crate) const RARE: u32 = 5;
    /// The warp is divergent: lanes wait at different instructions, or some lanes exited before the others wait.
    pub(crate) const PARTED: u32 = 6;
    /// All timestamps are used.
    pub(crate) const TOO_LARGE: u32 = 7;
    /// A host call for lanes of a warp, or for the whole warp.
    pub(crate) const CALL: u32 = 8;
    pub(crate) const CALL_FOR_WARP: u32 = 9;
}

/// Argument of `phase` for the continuation after a host call.
pub(crate) const RESUMES: i32 = -2;

/// Maximum number of timestamps of a run.
pub(crate) const MOST_NAMES: u32 = 0x0fff_0000;

/// Size of a row of coefficients in bytes: c0 in 64 bits, c1 and c2 in 32 bits.
pub(crate) const ROW_BYTES: u32 = 16;

/// Maximum size of the rows of a function in bytes.
pub(crate) const TABLE_BYTES: u32 = 16 * 11 * ROW_BYTES;

/// Number of functions with separate rows.
pub(crate) const N_TABLES: u32 = 7;

/// Size of the rows of all functions in bytes.
pub(crate) const ALL_TABLE_BYTES: u32 = N_TABLES * TABLE_BYTES;
