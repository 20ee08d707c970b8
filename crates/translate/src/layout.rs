//! Layout of the module's linear memory. The module takes the memories of a machine, and returns the addresses of all
//! structures, and their initial contents.

use crate::bailout::BailoutReason;
use crate::inlined_code::InlinedCode;

use crate::engine::{LinearMemory, ModuleInstance};
use std::borrow::Cow;
use std::ops::Range;
use warpgrid_emulator::translation_view::{AddressRange, LANES, MemoryKind, TranslationView};
use warpgrid_isa::SpecialRegister;

/// Number of lanes in a subwarp.
pub(crate) const SUBWARP_LANES: u32 = 4;
/// Number of subwarps in a warp.
pub(crate) const SUBWARPS_PER_WARP: u32 = LANES as u32 / SUBWARP_LANES;

/// Defines a structure in linear memory. The macro generates a constant for each field: the offset of the field in the
/// `repr(C)` structure, plus the address of the structure. `BYTES` is the size of the structure.
macro_rules! layout {
    ($(#[$doc:meta])* $module:ident at $address:literal { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        pub(crate) mod $module {
            #[repr(C)]
            #[expect(non_snake_case, reason = "only the offsets of the fields are used")]
            struct Layout {
                $($field: $ty),*
            }
            $($(#[$field_doc])*
            pub(crate) const $field: u32 = $address + std::mem::offset_of!(Layout, $field) as u32;)*
            #[allow(dead_code, reason = "the size of some structures is not used")]
            pub(crate) const BYTES: u32 = size_of::<Layout>() as u32;
        }
    };
}

layout! {
    /// Cells: variables that the host and the generated code share.
    cell at 1024 {
        /// Number of context records of the current warp that are in use.
        N_CONTEXTS: u32,
        /// First epoch of the current barrier interval.
        PHASE: u32,
        /// First epoch of the current block.
        BLOCK: u32,
        /// Epoch of the subwarp that is currently executed.
        CURRENT_EPOCH: u32,
        ANCESTOR_EPOCHS: u32,
        /// Size in bytes of the list of deferred equality checks.
        VALUE_CHECKS: u32,
        /// Number of steps that a subwarp may still execute in this barrier interval.
        FUEL: u64,
        /// Number of steps of the warps whose lanes have not diverged. The next cell contains the number of their
        /// stores.
        STEPS: u64,
        STORES: u64,
        /// Whether a warp has arrived at a barrier in this barrier interval.
        BARRIER_REACHED: u32,
        /// Region entry after the barrier at which the first warp has arrived.
        FIRST_ENTRY: u32,
        /// Exit code of a failed address translation.
        EXIT_CODE: u32,
        /// Next unused epoch.
        NEXT_EPOCH: u32,
        /// First epoch of the warp in this barrier interval. The next cell contains the first epoch of the warp since
        /// the last reconvergence of its lanes.
        WARP_INTERVAL_EPOCH: u32,
        WARP_SYNC_EPOCH: u32,
        /// Index of the current warp. The next two cells contain the mask of the warp's context records that have been
        /// executed since the last reconvergence, and whether lanes of the warp have exited in this barrier interval.
        WARP: u32,
        RAN_CONTEXTS: u32,
        ENDED: u32,
        /// Total number of steps of all previous warps of the block.
        STEPS_BEFORE: u64,
        /// Mask of the lanes that execute a warp-level operation.
        LIVE: u32,
        /// Highest number of a basic block that a lane has executed since the last reconvergence, plus one. Only blocks
        /// after the first warp-level operation that does not wait for all lanes are recorded. The value is zero if all
        /// lanes took one path. All bits are set if a time slice of the scheduler may have ended.
        FURTHEST_BLOCK: u32,
        /// Region entry at which the subwarps continue after a warp-level operation.
        NEXT_ENTRY: u32,
        /// Whether a warp has diverged in this barrier interval, so that its number of steps is only a lower bound.
        DIVERGED: u32,
        /// Number of lane-instructions that have been executed in this barrier interval.
        LANE_INSTRUCTIONS: u64,
        /// Region entry at which the current barrier interval began.
        BEGINS: u32,
        /// Mask of the lanes that were active at the last reconvergence. All bits are set after a barrier.
        LIVE_AT_LAST_SYNC: u32,
        /// Dummy memory to which accesses of inactive lanes are redirected.
        INACTIVE_LANE_TARGET: [u8; 64],
        /// Whether all subwarps of the warp have taken the same path to the same region entry in one region call. The
        /// next cell contains the mask of the warp's live lanes.
        IS_CONVERGED: u32,
        ALIKE_LIVE: u32,
        /// Nonzero if lanes of the current warp have taken different sides of an if-converted branch since the last
        /// reconvergence.
        DETOURS: u32,
    }
}

/// Address range of the cells that belong to a barrier interval, which the host writes at the start of the interval and
/// reads at its end.
pub(crate) const PHASE_CELLS: Range<usize> = cell::N_CONTEXTS as usize..cell::BEGINS as usize;

/// Address of a dummy store, which forces the engine to compute a value immediately. This memory is never read.
pub(crate) const DEAD_STORE: u32 = 1264;

/// Address of the values of special registers that differ by block: at most [`MAX_BLOCK_REGISTERS`] registers of 16
/// bytes each.
pub(crate) const BLOCK_REGISTERS: u32 = 1280;
const MAX_BLOCK_REGISTERS: usize = 32;

const _: () =
    assert!(cell::N_CONTEXTS + cell::BYTES <= DEAD_STORE && DEAD_STORE + 16 <= BLOCK_REGISTERS);

layout! {
    /// Context record: saved context of a subwarp, or of the lanes of a subwarp that have diverged.
    record at 0 {
        /// Region entry at which the lanes continue, or a negative number if the lanes have exited.
        ENTRY: u32,
        MASK: u32,
        SUBWARP: u32,
        /// Number of the current epoch among the epochs of the subwarp. The next field is a mask of the epochs that the
        /// subwarp used before the lanes diverged.
        EPOCH: u32,
        ANCESTOR_EPOCHS: u32,
        PATH: u32,
        STEPS: u64,
        /// Address of the special-register table of the subwarp.
        TABLE: u32,
        /// Number of the subwarp's next epoch. The code uses this field only in the context record of the whole
        /// subwarp.
        NEXT_EPOCH: u32,
        STORES: u64,
        /// Value of [`FURTHEST_BLOCK`](super::cell::FURTHEST_BLOCK) for the lanes of the context record.
        FURTHEST_BLOCK: u64,
        /// Number of the synchronization point at which the lanes wait, or zero if the lanes can continue.
        SUSPEND_CODE: u32,
        /// Mask of all lanes of the subwarp. The code uses this field only in the context record of the whole subwarp.
        FIRST_MASK: u32,
        REGISTERS: [u64; 0],
    }
}

/// Counter increment of a store. The low half of a counter counts stores, and the high half counts completions of
/// copies. The interpreter counts the completion of a copy as a separate step that stores.
pub(crate) const STORE: u64 = 1;
/// Counter increment of the completion of an asynchronous copy.
pub(crate) const LANDING: u64 = 1 << 32 | STORE;

/// Maximum number of kinds of atomic operations. A shadow word contains either the number of a kind or an epoch, so
/// kinds have lower numbers than [`SHARED_EPOCH`].
pub(crate) const MAX_KINDS: u32 = 14;
/// Epoch of words to which several subwarps or blocks have stored.
pub(crate) const SHARED_EPOCH: u32 = 15;
/// First epoch of the first subwarp.
pub(crate) const FIRST_NAME: u32 = 16;

/// Maximum number of deferred equality checks that are pending at the same time.
pub(crate) const MAX_VALUE_CHECKS: u32 = 2048;

layout! {
    /// Deferred equality check of a word to which several subwarps have stored: its address and its previous value.
    suspect at 0 {
        PLACE: u32,
        WORD: u32,
        /// Mask of the bits that must be unchanged when the check is executed.
        MASK: u32,
    }
}

/// Maximum number of asynchronous copies of a warp that are in flight. The number is a power of two.
pub(crate) const MAX_COPIES: u32 = 2048;
/// Maximum number of async-groups for which a wait instruction may not wait.
pub(crate) const MAX_GROUPS: u32 = 64;

layout! {
    /// Description of an asynchronous copy in flight.
    copy at 0 {
        /// Linear-memory address of the copy's destination.
        TO: u32,
        /// Linear-memory address of the copy's source.
        FROM: u32,
        /// Bitwise OR of the number of written bytes, the number of read bytes shifted by
        /// [`COPY_READ_SHIFT`](super::COPY_READ_SHIFT), and the flag [`COPY_IS_NOTED`](super::COPY_IS_NOTED).
        SIZES: u32,
        /// Epoch of the subwarp that started the copy.
        EPOCH: u32,
    }
}

pub(crate) const COPY_READ_SHIFT: u32 = 8;
/// Flag of a copy whose reads are recorded in shadow memory.
pub(crate) const COPY_IS_NOTED: u32 = 1 << 31;

layout! {
    /// Copy state of a warp: the numbers of started copies, completed copies and committed async-groups.
    copies at 0 {
        STARTED: u32,
        LANDED: u32,
        GROUPS: u32,
        /// Number of copies that the warp had started at the commit of each async-group.
        ENDS: [u32; super::MAX_GROUPS as usize],
    }
}

/// Epoch that marks the bytes of a copy in flight as written. No access with this epoch happens before another access.
pub(crate) const IN_FLIGHT_EPOCH: u32 = 0x0fff_fffe;

/// Bit position of the byte mask in a shadow word. The lower bits of the shadow word contain the epoch.
pub(crate) const BYTES_SHIFT: u32 = 28;
pub(crate) const ALL_BYTES: u32 = 15 << BYTES_SHIFT;

/// Flags for the kinds of memory in an address range. An access site accepts some of these kinds.
pub(crate) mod holds {
    pub(crate) const GLOBAL: u32 = 1;
    pub(crate) const CONSTANT: u32 = 2;
    pub(crate) const PARAMETERS: u32 = 4;
    /// Window of shared memory in the generic address space.
    pub(crate) const WINDOW: u32 = 8;
    /// Shared memory, addressed by offsets from 0.
    pub(crate) const SHARED: u32 = 16;
    /// Flag of an address range whose accesses are tracked in shadow memory.
    pub(crate) const TRACKED: u32 = 32;
    /// Flag of an address range that was read without tracking.
    pub(crate) const READ: u32 = 64;
    /// Flag of an address range that was written without tracking.
    pub(crate) const WRITTEN: u32 = 128;
}

layout! {
    /// Entry of the table of address ranges, in which the address translation searches.
    range at 0 {
        ADDRESS: u64,
        SIZE: u64,
        /// Linear-memory address at which the range starts.
        PLACE: u32,
        HOLDS: u32,
        /// Partition among threads that all accesses to the range so far have in common: none, a partition number, or
        /// [`NO_COMMON_PATTERN`](super::NO_COMMON_PATTERN).
        PRIVATE_PATTERN: u32,
        /// Whether any instruction has accessed the range.
        TOUCHED: u32,
    }
}

layout! {
    /// State of an access site: the address range that its memory instruction has cached.
    site at 0 {
        ADDRESS: u64,
        SIZE: u64,
        /// Number of offsets in the cached range at which a contiguous row of a subwarp may start.
        ROWS: u64,
        PLACE: u32,
        HOLDS: u32,
        /// Kinds of memory that the access site accepts.
        ACCEPTS: u32,
        PRIVATE_PATTERN: u32,
        /// Number of offsets in the cached range at which an access on the fast path may start. The offsets are
        /// multiples of the access alignment.
        FAST_OFFSETS: u64,
        /// Size in bytes of an access on the fast path. The next field is the binary logarithm of the access alignment.
        QUICK_BYTES: u32,
        QUICK_ALIGN: u32,
    }
}

/// Partition number of accesses that do not partition a range among threads, or that partition the range in different
/// ways.
pub(crate) const NO_COMMON_PATTERN: u32 = u32::MAX;

/// Maximum size in bytes of the emulated memory that is copied to linear memory.
const MAX_ARENA: usize = 768 << 20;

/// Maximum size in bytes of the local memory of a thread.
const MAX_LOCAL: u64 = 1 << 16;

/// Access site: a memory instruction of the translated code with a cache for one address range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessSite {
    /// Kinds of memory that the access site accepts.
    pub(crate) accepts: u32,
    /// Partition number of the accesses at the access site.
    pub(crate) sharing: u32,
    /// Size in bytes of the range check on the fast path, including the accesses that share this check. Zero for sites
    /// without a fast path.
    pub(crate) quick_bytes: u32,
    /// Binary logarithm of the alignment of the range check. Zero for sites without a fast path.
    pub(crate) quick_align: u32,
}

impl AccessSite {
    /// Returns an access site that accepts the given kinds of memory, without a fast path and without a partition.
    pub(crate) fn of_any(accepts: u32) -> AccessSite {
        AccessSite {
            accepts,
            sharing: NO_COMMON_PATTERN,
            quick_bytes: 0,
            quick_align: 0,
        }
    }
}

/// Sizes of structures in linear memory that depend on the translated code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LayoutSizes {
    pub(crate) sites: u32,
    /// Size in bytes of the registers in a context record.
    pub(crate) registers: u32,
    pub(crate) has_copies: bool,
}

/// Maximum number of context records for diverged lanes of a warp: one per lane, except for one lane of each subwarp.
pub(crate) const PARTS: u32 = SUBWARPS_PER_WARP * (SUBWARP_LANES - 1);

/// Size in bytes of the scratch memory for operand rows of a warp, and for operands of an MMA.
const SCRATCH_BYTES: u64 = 32 << 10;

/// Addresses and sizes of the structures in the linear memory of a module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleLayout {
    pub(crate) n_subwarps: u32,
    /// Special registers that the kernel reads and whose values differ by block, in the order of their cells.
    pub(crate) by_block: Vec<SpecialRegister>,
    /// Special registers that the kernel reads and whose values differ by thread, in the order of the special-register
    /// table of a subwarp.
    pub(crate) by_thread: Vec<SpecialRegister>,
    pub(crate) table: u32,
    pub(crate) sites: u32,
    pub(crate) ranges: u32,
    pub(crate) n_ranges: u32,
    pub(crate) records: u32,
    pub(crate) record_bytes: u32,
    pub(crate) most_records: u32,
    /// Address of one counter per warp: an upper bound of the number of steps in which several lane groups of the warp
    /// were ready, since the start of the block.
    pub(crate) divergent_steps: u32,
    /// Address of the list of deferred equality checks.
    pub(crate) suspects: u32,
    /// Address of the scratch memory for the operand rows of a warp during a warp-level operation.
    pub(crate) scratch: u32,
    /// Address of the copy states of all warps.
    pub(crate) copies: u32,
    pub(crate) copies_bytes: u32,
    /// Address of the descriptions of the copies in flight.
    pub(crate) in_flight: u32,
    /// Address of the coefficient tables of the special functions, which are data segments of the module.
    pub(crate) special_function_tables: u32,
    pub(crate) shared: u32,
    pub(crate) shared_bytes: u32,
    /// Address of the local memory of all threads of a block, in the order of the thread indices.
    pub(crate) local: u32,
    /// Size of the local memory of one thread in bytes.
    pub(crate) local_bytes: u32,
    /// Offsets from the address of a word in shared memory to the two shadow words that contain its writer and its
    /// readers.
    pub(crate) shared_shadow: [u32; 2],
    pub(crate) arena: u32,
    pub(crate) arena_shadow: [u32; 2],
    /// Total size of linear memory in bytes.
    pub(crate) bytes: u64,
}

/// Returns the special registers whose values differ by block, and the special registers whose values differ by thread.
fn special_registers(plain: TranslationView<'_>) -> [Vec<SpecialRegister>; 2] {
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

impl ModuleLayout {
    /// Computes the layout of linear memory.
    pub(crate) fn new(
        plain: TranslationView<'_>,
        code: &InlinedCode<'_>,
        sizes: LayoutSizes,
    ) -> Result<ModuleLayout, BailoutReason> {
        let n_subwarps = plain.n_threads().div_ceil(LANES as u32) * SUBWARPS_PER_WARP;
        let [by_block, by_thread] = special_registers(plain);
        let (_, shared_bytes) = plain.shared();
        let local_bytes = code.local_bytes;
        let arena_bytes = plain.arena().len();
        if arena_bytes > MAX_ARENA
            || shared_bytes > 1 << 20
            || local_bytes > MAX_LOCAL
            || by_block.len() > MAX_BLOCK_REGISTERS
        {
            return Err(BailoutReason::TooLarge);
        }
        let mut next = u64::from(BLOCK_REGISTERS) + 16 * MAX_BLOCK_REGISTERS as u64;
        let mut place = |bytes: u64| {
            let start = next.next_multiple_of(128);
            next = start + bytes;
            start as u32
        };
        let n_ranges = plain.ranges().count() as u32 + 2;
        let record_bytes = (record::REGISTERS + sizes.registers).next_multiple_of(64);
        let most_records = n_subwarps + PARTS;
        let table = place(u64::from(n_subwarps) * 16 * by_thread.len() as u64);
        let sites = place(u64::from(sizes.sites * site::BYTES));
        let ranges = place(u64::from(n_ranges * range::BYTES));
        let records = place(u64::from(most_records) * u64::from(record_bytes));
        let divergent_steps = place(u64::from(n_subwarps / SUBWARPS_PER_WARP) * 4);
        let suspects = place(u64::from(MAX_VALUE_CHECKS * suspect::BYTES));
        let scratch = place(SCRATCH_BYTES);
        let n_copying = if sizes.has_copies {
            n_subwarps / SUBWARPS_PER_WARP
        } else {
            0
        };
        let copies_bytes = n_copying * copies::BYTES;
        let copies = place(u64::from(copies_bytes));
        let in_flight = place(u64::from(n_copying * MAX_COPIES * copy::BYTES));
        let tables_of_unit = place(u64::from(ALL_TABLE_BYTES));
        let shared_size = shared_bytes.next_multiple_of(128);
        let shared = place(shared_size);
        let shared_notes = [place(shared_size) - shared, place(shared_size) - shared];
        let local = place(local_bytes * u64::from(n_subwarps * SUBWARP_LANES));
        let arena_size = (arena_bytes as u64).next_multiple_of(128);
        let arena = place(arena_size);
        let arena_notes = [place(arena_size) - arena, place(arena_size) - arena];
        Ok(ModuleLayout {
            n_subwarps,
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
            special_function_tables: tables_of_unit,
            shared,
            shared_bytes: shared_bytes as u32,
            local,
            local_bytes: local_bytes as u32,
            shared_shadow: shared_notes,
            arena,
            arena_shadow: arena_notes,
            bytes: next + 4096,
        })
    }

    /// Returns the address range of the table of address ranges.
    pub(crate) fn ranges(&self) -> Range<usize> {
        self.ranges as usize..(self.ranges + self.n_ranges * range::BYTES) as usize
    }

    /// Returns the range of linear memory that contains the tables. The tables are initialized before the first block.
    fn tables(&self) -> Range<usize> {
        self.table as usize..self.divergent_steps as usize
    }

    /// Initializes the tables and the arena in the linear memory of an instance.
    pub(crate) fn fill(
        &self,
        plain: TranslationView<'_>,
        sites: &[AccessSite],
        instance: &mut impl ModuleInstance,
    ) {
        let tables = self.tables();
        let mut memory = MemoryWindow {
            start: tables.start,
            bytes: vec![0; tables.len()],
        };
        self.fill_ranges(plain, &[], &mut memory);
        self.invalidate_sites(sites, &mut memory);
        let n_threads = plain.n_threads();
        for subwarp in 0..self.n_subwarps {
            let present =
                (0..SUBWARP_LANES).filter(|lane| subwarp * SUBWARP_LANES + lane < n_threads);
            let mask = present.fold(0, |mask, lane| mask | 1 << lane);
            let row = self.table + subwarp * 16 * self.by_thread.len() as u32;
            let at = self.records + subwarp * self.record_bytes;
            memory.put32(at + record::SUBWARP, subwarp);
            memory.put32(at + record::TABLE, row);
            memory.put32(at + record::FIRST_MASK, mask);
            for (index, special) in (0..).zip(&self.by_thread) {
                for lane in 0..SUBWARP_LANES {
                    let (warp, lane_of_warp) = (
                        subwarp / SUBWARPS_PER_WARP,
                        subwarp % SUBWARPS_PER_WARP * SUBWARP_LANES + lane,
                    );
                    let value = plain.special(*special, 0, warp, lane_of_warp);
                    memory.put32(row + 16 * index + 4 * lane, value as u32);
                }
            }
        }
        instance.write(memory.start, &memory.bytes);
        instance.write(self.arena as usize, plain.arena());
    }

    /// Clears the cached address ranges of all access sites.
    fn invalidate_sites<B: AsRef<[u8]> + AsMut<[u8]>>(
        &self,
        sites: &[AccessSite],
        memory: &mut MemoryWindow<B>,
    ) {
        for (index, found) in (0..).zip(sites) {
            let at = self.sites + index * site::BYTES;
            // Cache an empty range, which contains no address, so that the first access misses the cache.
            for offset in [site::SIZE, site::ROWS, site::FAST_OFFSETS] {
                memory.put64(at + offset, 0);
            }
            memory.put32(at + site::QUICK_BYTES, found.quick_bytes);
            memory.put32(at + site::QUICK_ALIGN, found.quick_align);
            memory.put32(at + site::ACCEPTS, found.accepts);
            memory.put32(at + site::PRIVATE_PATTERN, found.sharing);
        }
    }

    /// Restores the initial state of linear memory. In the next run, shadow memory tracks the accesses to the given
    /// address ranges.
    pub(crate) fn reset(
        &self,
        plain: TranslationView<'_>,
        noted: &[u32],
        sites: &[AccessSite],
        instance: &mut impl ModuleInstance,
    ) {
        let changed = self.that_hold(holds::TRACKED | holds::WRITTEN, instance);
        instance.update(self.sites as usize..self.records as usize, |bytes| {
            let mut memory = MemoryWindow {
                start: self.sites as usize,
                bytes,
            };
            self.fill_ranges(plain, noted, &mut memory);
            self.invalidate_sites(sites, &mut memory);
        });
        for (range, start) in self.changed(plain, &changed) {
            let n_bytes = range.len();
            let first = range.start;
            for notes in self.arena_shadow {
                let notes = first + notes as usize;
                instance.zero(notes..notes + n_bytes);
            }
            if let Some(bytes) = plain.arena().get(start..start + n_bytes) {
                instance.write(first, bytes);
            }
        }
    }

    /// Returns the linear-memory location of each address range in `ranges`, and its start offset in the arena.
    pub(crate) fn changed(
        &self,
        plain: TranslationView<'_>,
        ranges: &[u32],
    ) -> Vec<(Range<usize>, usize)> {
        let chosen = self.all(plain).filter(|(index, _)| ranges.contains(index));
        let arena = self.arena as usize;
        chosen
            .map(|(_, place)| (place.clone(), place.start - arena))
            .collect()
    }

    /// Returns the number of each address range, and its location in linear memory.
    pub(crate) fn all<'m>(
        &self,
        plain: TranslationView<'m>,
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
        plain: TranslationView<'_>,
        noted: &[u32],
        memory: &mut MemoryWindow<B>,
    ) {
        let mut at = self.ranges;
        let mut add = |address: u64, size: u64, place: u32, holds: u32| {
            memory.put64(at + range::ADDRESS, address);
            memory.put64(at + range::SIZE, size);
            memory.put32(at + range::PLACE, place);
            memory.put32(at + range::HOLDS, holds);
            memory.put32(at + range::PRIVATE_PATTERN, 0);
            memory.put32(at + range::TOUCHED, 0);
            at += range::BYTES;
        };
        for (index, found) in (0..).zip(plain.ranges()) {
            let mut holds = match found.kind {
                MemoryKind::Global => holds::GLOBAL,
                MemoryKind::Constant => holds::CONSTANT,
                MemoryKind::Parameters => holds::PARAMETERS,
            };
            if noted.contains(&index) {
                holds |= holds::TRACKED;
            }
            let place = self.arena + found.start as u32;
            add(found.address, found.size, place, holds);
        }
        let (window, size) = plain.shared();
        add(window, size, self.shared, holds::WINDOW);
        add(0, size, self.shared, holds::SHARED);
    }

    /// Returns the indices of the address ranges in which at least one of the flags in `what` is set.
    pub(crate) fn that_hold(&self, what: u32, memory: &(impl LinearMemory + ?Sized)) -> Vec<u32> {
        let memory = MemoryWindow::of(memory, self.ranges());
        let holds = |index: &u32| {
            let at = self.ranges + index * range::BYTES + range::HOLDS;
            memory.get32(at) & what != 0
        };
        (0..self.n_ranges).filter(holds).collect()
    }

    /// Returns the linear-memory address of the context record with the given index.
    pub(crate) fn context(&self, index: u32) -> u32 {
        self.records + index * self.record_bytes
    }
}

/// View of a range of linear memory, which the host reads and writes by linear-memory address.
pub(crate) struct MemoryWindow<B> {
    /// Linear-memory address of the first byte.
    pub(crate) start: usize,
    pub(crate) bytes: B,
}

impl<'i> MemoryWindow<Cow<'i, [u8]>> {
    /// Returns a view of a range of linear memory.
    pub(crate) fn of(
        memory: &'i (impl LinearMemory + ?Sized),
        range: Range<usize>,
    ) -> MemoryWindow<Cow<'i, [u8]>> {
        MemoryWindow {
            start: range.start,
            bytes: memory.read(range),
        }
    }
}

impl<B: AsRef<[u8]>> MemoryWindow<B> {
    /// Returns the 32-bit number at an address, or zero if the address is outside of the view.
    pub(crate) fn get32(&self, at: u32) -> u32 {
        let from = (at as usize).checked_sub(self.start);
        let bytes = from.and_then(|from| self.bytes.as_ref().get(from..from + 4));
        bytes.map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(crate) fn get64(&self, at: u32) -> u64 {
        u64::from(self.get32(at)) | u64::from(self.get32(at + 4)) << 32
    }
}

impl<B: AsRef<[u8]> + AsMut<[u8]>> MemoryWindow<B> {
    /// Stores a 32-bit number at an address. The function ignores stores outside of the view.
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

/// Exit codes of the compiled code.
pub(crate) mod stop {
    pub(crate) const FAULT: u32 = 1;
    pub(crate) const CONFLICT: u32 = 2;
    /// The launch must restart, because shadow memory must track the accesses to an address range from the start of the
    /// launch.
    pub(crate) const RESTART: u32 = 3;
    pub(crate) const STEPS: u32 = 4;
    /// The execution reached a case for which the translator does not generate code.
    pub(crate) const UNSUPPORTED: u32 = 5;
    /// The warp is divergent: its lanes wait at different instructions, or some lanes exited before the other lanes
    /// arrived.
    pub(crate) const DIVERGENT: u32 = 6;
    /// The launch has used all [`MAX_EPOCHS`](super::MAX_EPOCHS) epochs.
    pub(crate) const TOO_LARGE: u32 = 7;
    /// The host must execute an instruction for some lanes of a warp.
    pub(crate) const HOST_CALL: u32 = 8;
    /// The host must execute an instruction for the whole warp.
    pub(crate) const CALL_FOR_WARP: u32 = 9;
}

/// Argument of `phase` that continues a barrier interval after a host call.
pub(crate) const RESUMES: i32 = -2;

/// Maximum number of epochs of a launch.
pub(crate) const MAX_EPOCHS: u32 = 0x0fff_0000;

/// Size in bytes of one row of a coefficient table: the coefficient c0 has 64 bits, and c1 and c2 have 32 bits each.
pub(crate) const ROW_BYTES: u32 = 16;

/// Maximum size in bytes of the coefficient table of one function.
pub(crate) const TABLE_BYTES: u32 = 16 * 11 * ROW_BYTES;

/// Number of special functions with a coefficient table.
pub(crate) const N_TABLES: u32 = 7;

/// Size in bytes of the coefficient tables of all functions.
pub(crate) const ALL_TABLE_BYTES: u32 = N_TABLES * TABLE_BYTES;
