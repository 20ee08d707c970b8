//! Bytes, and where they are: paged storage with dirty marks, global allocations, address windows.

use crate::contract::inspect::Writer;
use crate::contract::launch::{BufferIndex, Launch};
use crate::state::page::PAGE_BYTES;
use crate::state::undo::Undo;
use crate::state::writers::Writers;
use std::sync::Arc;
use warpgrid_isa::{AccessKind, Limits, StateSpace};

/// An access that could not happen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriedAccess {
    pub(crate) kind: AccessKind,
    pub(crate) space: StateSpace,
    /// Of the lowest lane.
    pub(crate) address: u64,
    pub(crate) width_bytes: u32,
}

/// The most blocks that a cluster may have on any target: the windows of their shared memory lie side by side.
pub(crate) const MAX_CLUSTER_BLOCKS: u32 = Limits::LARGEST.cluster_blocks_nonportable;

/// Bytes that know which of their pages changed since the last snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagedBytes {
    /// Rounded up, so that the widest elements cover it whole.
    bytes: Vec<u8>,
    size: usize,
    /// One flag a page.
    dirty: Vec<bool>,
    writers: Writers,
    /// Where mbarrier objects were made and not invalidated, ascending; whoever adds one changes its bytes too.
    objects: Vec<u64>,
    /// What steps overwrote, while the past asks for it.
    undo: Option<Box<Undo>>,
}

impl PagedBytes {
    /// Zeroed bytes; with last writers when asked.
    pub(crate) fn new(size: usize, tracking: Tracking) -> PagedBytes {
        PagedBytes {
            bytes: vec![0; size.next_multiple_of(128)],
            size,
            dirty: vec![false; size.div_ceil(PAGE_BYTES)],
            objects: Vec::new(),
            undo: None,
            writers: match tracking {
                Tracking::Off => Writers::default(),
                Tracking::LastWriter => Writers::new(size),
            },
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.size
    }

    /// The bytes, and the padding after them.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Without the padding.
    pub(crate) fn contents(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or(&[])
    }

    pub(crate) fn writers(&self) -> &Writers {
        &self.writers
    }

    #[inline(always)]
    pub(crate) fn tracks_writers(&self) -> bool {
        self.writers.is_tracked()
    }

    /// Where mbarrier objects were made; something else may have been written over one since.
    pub(crate) fn objects(&self) -> &[u64] {
        &self.objects
    }

    /// Notes that there is an mbarrier object at an offset.
    pub(crate) fn add_object(&mut self, offset: u64) {
        if let Err(place) = self.objects.binary_search(&offset) {
            self.objects.insert(place, offset);
        }
    }

    /// Notes that there is none any more.
    pub(crate) fn remove_object(&mut self, offset: u64) {
        if let Ok(place) = self.objects.binary_search(&offset) {
            self.objects.remove(place);
        }
    }

    pub(crate) fn is_dirty(&self, page: usize) -> bool {
        self.dirty.get(page).copied().unwrap_or(false)
    }

    pub(crate) fn any_dirty(&self) -> bool {
        self.dirty.contains(&true)
    }

    /// Memory that a copy takes.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.writers.size()
    }

    pub(crate) fn clear_dirty(&mut self) {
        self.dirty.fill(false);
    }

    /// Memory that copies of the changed pages would take.
    pub(crate) fn dirty_bytes(&self) -> u64 {
        let dirty = self.dirty.iter().enumerate().filter(|(_, dirty)| **dirty);
        dirty
            .map(|(page, _)| PAGE_BYTES as u64 + self.writers.page_size(page))
            .sum()
    }

    /// From here on changes can be taken back to here, by [`PagedBytes::take_back`].
    pub(crate) fn begin_undo(&mut self) {
        self.undo.get_or_insert_default().begin_segment();
    }

    /// Memory that the log of what steps overwrote takes.
    pub(crate) fn undo_bytes(&self) -> u64 {
        self.undo.as_ref().map_or(0, |undo| undo.size())
    }

    /// What steps overwrote, if that is kept.
    pub(crate) fn undo_mut(&mut self) -> Option<&mut Undo> {
        self.undo.as_deref_mut()
    }

    /// Forgets what steps overwrote, and keeps it no longer.
    pub(crate) fn end_undo(&mut self) {
        self.undo = None;
    }

    /// Takes back what changed since the last [`PagedBytes::begin_undo`].
    pub(crate) fn take_back(&mut self) {
        let dirty = &mut self.dirty;
        if let Some(undo) = &mut self.undo {
            undo.take_back(&mut self.bytes, &mut self.writers, |at, n_bytes| {
                for page in at / PAGE_BYTES..=(at + n_bytes.max(1) - 1) / PAGE_BYTES {
                    if let Some(flag) = dirty.get_mut(page) {
                        *flag = true;
                    }
                }
            });
        }
    }

    /// The bytes for setting up and for restoring; every change must be followed by
    /// [`PagedBytes::clear_dirty`] or be wanted as dirty.
    pub(crate) fn raw(&mut self) -> (&mut [u8], &mut Writers) {
        (&mut self.bytes, &mut self.writers)
    }

    /// Bytes that are about to be changed: their pages are marked. Whoever tracks writers uses
    /// [`PagedBytes::write`].
    #[inline(always)]
    pub(crate) fn place(&mut self, offset: usize, size: usize) -> Option<&mut [u8]> {
        let end = offset + size;
        for page in [offset / PAGE_BYTES, (end - 1) / PAGE_BYTES] {
            if let Some(flag) = self.dirty.get_mut(page) {
                *flag = true;
            }
        }
        if let Some(undo) = &mut self.undo
            && let Some(before) = self.bytes.get(offset..end)
        {
            undo.note(offset, before, &self.writers);
        }
        self.bytes.get_mut(offset..end)
    }

    /// Marks the pages of 32 places, each at a multiple of its size.
    #[inline(always)]
    pub(crate) fn mark_all(&mut self, offsets: &[u32; 32], size: usize) {
        let first = offsets[0];
        let differ = offsets.iter().fold(0, |d, offset| d | offset ^ first);
        if differ as usize / PAGE_BYTES == 0 && size <= PAGE_BYTES {
            if let Some(flag) = self.dirty.get_mut(first as usize / PAGE_BYTES) {
                *flag = true;
            }
            return;
        }
        for offset in offsets {
            if let Some(flag) = self.dirty.get_mut(*offset as usize / PAGE_BYTES) {
                *flag = true;
            }
        }
    }

    /// All bytes, for changes in pages that were marked.
    #[inline(always)]
    pub(crate) fn unmarked(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Changes bytes, and who wrote them.
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: usize, data: &[u8], writer: Writer) {
        if let Some(place) = self.place(offset, data.len()) {
            copy_few(place, data);
        }
        self.writers.note(offset, data.len(), writer);
    }

    /// Notes who wrote bytes that follow each other, `width` per lane of a whole warp.
    #[inline(always)]
    pub(crate) fn note_row(&mut self, offset: usize, width: usize, step: u64) {
        self.writers.note_row(offset, width, step);
    }

    /// Sets all bytes to zero, written by no step.
    pub(crate) fn reset(&mut self) {
        self.bytes.fill(0);
        self.writers.clear();
        self.objects.clear();
        self.dirty.fill(true);
    }
}

/// Whether last writers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracking {
    Off,
    LastWriter,
}

impl Tracking {
    /// As the launch asks.
    pub(crate) const fn of(launch: &Launch) -> Tracking {
        if launch.track_writers {
            Tracking::LastWriter
        } else {
            Tracking::Off
        }
    }

    /// Bytes that a byte of memory takes with its writer, in a memory that keeps one for each byte.
    pub(crate) const fn bytes_per_byte(self) -> u64 {
        match self {
            Tracking::Off => 1,
            Tracking::LastWriter => 9,
        }
    }
}

/// Where the spaces appear among generic addresses. Global, constant and parameter addresses are
/// generic addresses; shared and local ones are offsets into their windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressMap {
    pub(crate) global: u64,
    pub(crate) constant: u64,
    pub(crate) parameters: u64,
    pub(crate) shared: u64,
    pub(crate) local: u64,
    /// Code address of function i: `code + 16 * (i + 1)`.
    pub(crate) code: u64,
    /// Size of the local window.
    pub(crate) window_bytes: u64,
    /// Size of the window of a block's own shared memory. The shared memory of the block with rank r of the cluster
    /// lies `(r + 1) * shared_stride` after the start of the window, in generic and in `.shared::cluster` addresses.
    pub(crate) shared_stride: u64,
    /// Whether the first window is that of the block itself, as virtual code has it. Machine code in a cluster has the rank of a
    /// block, its own as well, in the upper byte of all addresses in shared memory, so the block with rank r is at `r * shared_stride`.
    pub(crate) own_window: bool,
}

/// Which block of a cluster a `.shared::cluster` address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedPlace {
    /// None for the block's own window.
    pub(crate) rank: Option<u32>,
    pub(crate) offset: u64,
}

impl AddressMap {
    /// For modules with 32-bit or 64-bit addresses.
    pub(crate) const fn for_address_bits(bits: u32) -> AddressMap {
        if bits == 32 {
            AddressMap {
                global: 0x1000_0000,
                constant: 0x0800_0000,
                parameters: 0x0700_0000,
                shared: 0x0400_0000,
                local: 0x0500_0000,
                code: 0x0001_0000,
                window_bytes: 0x0100_0000,
                // 17 windows lie before those of local memory.
                shared_stride: 0x0008_0000,
                own_window: true,
            }
        } else {
            AddressMap {
                global: 0x7f00_0000_0000,
                constant: 0x7ef0_0000_0000,
                parameters: 0x7ee0_0000_0000,
                shared: 0x7ffe_0000_0000,
                local: 0x7fff_0000_0000,
                code: 0x0001_0000,
                window_bytes: 0x0100_0000,
                shared_stride: 0x0100_0000,
                own_window: true,
            }
        }
    }

    /// Whether a generic address lies in the window of the block's own shared memory.
    #[inline(always)]
    pub(crate) const fn in_shared(&self, address: u64) -> bool {
        self.own_window && address.wrapping_sub(self.shared) < self.shared_stride
    }

    /// Whether a generic address lies in a window of the shared memory of the block or its cluster.
    #[inline(always)]
    pub(crate) const fn in_shared_cluster(&self, address: u64) -> bool {
        address.wrapping_sub(self.shared) < (MAX_CLUSTER_BLOCKS as u64 + 1) * self.shared_stride
    }

    /// The block and the offset that a `.shared::cluster` address means.
    #[inline(always)]
    pub(crate) const fn shared_place(&self, address: u64) -> SharedPlace {
        let window = address / self.shared_stride;
        SharedPlace {
            rank: if !self.own_window {
                Some(window as u32)
            } else if window == 0 {
                None
            } else if window > MAX_CLUSTER_BLOCKS as u64 {
                Some(u32::MAX)
            } else {
                Some(window as u32 - 1)
            },
            offset: address % self.shared_stride,
        }
    }

    /// The `.shared::cluster` address at the same offset in the block with this rank (PTX ISA, "mapa"). For a
    /// generic address take [`AddressMap::shared`] away before and add it after.
    pub(crate) const fn map_to_rank(&self, address: u64, rank: u32) -> u64 {
        (rank as u64 + self.own_window as u64) * self.shared_stride + address % self.shared_stride
    }

    #[inline(always)]
    pub(crate) const fn in_local(&self, address: u64) -> bool {
        address.wrapping_sub(self.local) < self.window_bytes
    }
}

/// What an allocation was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Buffer(BufferIndex, String),
    GlobalVariable(u32, String),
    ConstVariable(u32, String),
    Parameters,
}

/// A range of addresses that may be accessed.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Where its bytes start in the arena.
    pub(crate) start: usize,
    pub(crate) owner: Owner,
}

impl Allocation {
    pub(crate) fn read_only(&self) -> bool {
        matches!(self.owner, Owner::ConstVariable(..) | Owner::Parameters)
    }

    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, width: u64) -> bool {
        let offset = address.wrapping_sub(self.address);
        offset < self.size && self.size - offset >= width
    }
}

/// Buffers, module variables and kernel parameters: all that the blocks of a grid share.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalMemory {
    pub(crate) arena: PagedBytes,
    /// Sorted by address, with gaps between; never changed after the launch is set up.
    allocations: Arc<[Allocation]>,
}

impl GlobalMemory {
    /// Allocations must be sorted by address and their bytes lie within the arena.
    pub(crate) fn new(arena: PagedBytes, allocations: Vec<Allocation>) -> GlobalMemory {
        GlobalMemory {
            arena,
            allocations: allocations.into(),
        }
    }

    pub(crate) fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// The allocation that holds the address; nothing for addresses in gaps.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64) -> Option<&Allocation> {
        let after = self.allocations.partition_point(|a| a.address <= address);
        let allocation = self.allocations.get(after.checked_sub(1)?)?;
        (address - allocation.address < allocation.size).then_some(allocation)
    }

    /// As [`GlobalMemory::find`], where the allocation with the index `hint` is likely to be the one; the index of the
    /// allocation found takes its place.
    #[inline(always)]
    pub(crate) fn find_again(&self, address: u64, hint: &mut u32) -> Option<&Allocation> {
        let holds = |a: &&Allocation| address.wrapping_sub(a.address) < a.size;
        if let Some(found) = self.allocations.get(*hint as usize).filter(holds) {
            return Some(found);
        }
        let after = self.allocations.partition_point(|a| a.address <= address);
        *hint = after.checked_sub(1)? as u32;
        self.allocations.get(*hint as usize).filter(holds)
    }

    /// The allocation with the smallest distance to the address.
    pub(crate) fn nearest(&self, address: u64) -> Option<&Allocation> {
        self.allocations.iter().min_by_key(|a| {
            if address < a.address {
                a.address - address
            } else {
                (address - a.address).saturating_sub(a.size.saturating_sub(1))
            }
        })
    }
}

/// Copies bytes of one element, as many as there is room for: a word costs less where it is known to be one.
#[inline(always)]
pub(crate) fn copy_few(to: &mut [u8], from: &[u8]) {
    match (<&mut [u8; 4]>::try_from(&mut *to), from.try_into()) {
        (Ok(to), Ok(from)) => *to = from,
        _ => to.copy_from_slice(from),
    }
}
