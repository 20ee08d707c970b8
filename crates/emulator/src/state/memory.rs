//! Memory: paged storage with dirty flags, global allocations and address windows.

use crate::contract::inspect::LastWriter;
use crate::contract::launch::{BufferIndex, WriterTracking};
use crate::state::last_writer_table::LastWriterTable;
use crate::state::page::PAGE_BYTES;
use crate::state::undo_log::UndoLog;
use std::sync::Arc;
use warpgrid_isa::{AccessKind, LaunchLimits, StateSpace};

/// Address and size of a memory access that failed the checks of address translation, for the error report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptedAccess {
    pub(crate) kind: AccessKind,
    pub(crate) space: StateSpace,
    /// Address that the lowest failing lane accessed.
    pub(crate) address: u64,
    pub(crate) width_bytes: u32,
}

/// Maximum number of blocks in a cluster on any target. The shared memory windows of these blocks are contiguous.
pub(crate) const MAX_CLUSTER_BLOCKS: u32 = LaunchLimits::LARGEST.cluster_blocks_nonportable;

/// Byte array that records which of its pages have been modified since the last snapshot. Global, shared and tensor
/// memory are stored in this type.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagedMemory {
    /// Contents of the memory, padded to a multiple of the widest element.
    bytes: Vec<u8>,
    size: usize,
    /// Dirty flag of each page, which is set if the page has been modified.
    dirty: Vec<bool>,
    writers: LastWriterTable,
    /// Offsets of the mbarrier objects that were initialized and not invalidated, in ascending order. Each insertion
    /// also modifies the bytes of the object, so that its page is dirty.
    objects: Vec<u64>,
    /// Undo log of the memory, if enabled.
    undo: Option<Box<UndoLog>>,
}

impl PagedMemory {
    /// Allocates zeroed memory, optionally with last writers.
    pub(crate) fn new(size: usize, tracking: WriterTracking) -> PagedMemory {
        PagedMemory {
            bytes: vec![0; size.next_multiple_of(128)],
            size,
            dirty: vec![false; size.div_ceil(PAGE_BYTES)],
            objects: Vec::new(),
            undo: None,
            writers: match tracking {
                WriterTracking::Off => LastWriterTable::default(),
                WriterTracking::LastWriter => LastWriterTable::new(size),
            },
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.size
    }

    /// Returns the bytes, including the padding.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes without the padding.
    pub(crate) fn contents(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or(&[])
    }

    pub(crate) fn writers(&self) -> &LastWriterTable {
        &self.writers
    }

    #[inline(always)]
    pub(crate) fn tracks_writers(&self) -> bool {
        self.writers.is_tracked()
    }

    /// Returns the offsets of the initialized mbarrier objects, including objects that ordinary stores have
    /// overwritten.
    pub(crate) fn objects(&self) -> &[u64] {
        &self.objects
    }

    /// Records the offset of an initialized mbarrier object.
    pub(crate) fn add_object(&mut self, offset: u64) {
        if let Err(place) = self.objects.binary_search(&offset) {
            self.objects.insert(place, offset);
        }
    }

    /// Removes the offset of an invalidated mbarrier object.
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

    /// Returns the size in bytes of a copy of the memory.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.writers.size()
    }

    pub(crate) fn clear_dirty(&mut self) {
        self.dirty.fill(false);
    }

    /// Returns the total size in bytes of copies of the dirty pages.
    pub(crate) fn dirty_bytes(&self) -> u64 {
        let dirty = self.dirty.iter().enumerate().filter(|(_, dirty)| **dirty);
        dirty
            .map(|(page, _)| PAGE_BYTES as u64 + self.writers.page_size(page))
            .sum()
    }

    /// Starts a segment of the undo log. [`PagedMemory::take_back`] reverts the changes that follow.
    pub(crate) fn begin_undo(&mut self) {
        self.undo.get_or_insert_default().begin_segment();
    }

    /// Returns the size of the undo log in bytes.
    pub(crate) fn undo_bytes(&self) -> u64 {
        self.undo.as_ref().map_or(0, |undo| undo.size())
    }

    /// Returns the undo log, if enabled.
    pub(crate) fn undo_mut(&mut self) -> Option<&mut UndoLog> {
        self.undo.as_deref_mut()
    }

    /// Disables the undo log and drops its contents.
    pub(crate) fn end_undo(&mut self) {
        self.undo = None;
    }

    /// Reverts the changes since the last [`PagedMemory::begin_undo`].
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

    /// Returns mutable access to the bytes and the last writers, for initialization and restoration. Pages are not
    /// marked as dirty. The caller must call [`PagedMemory::clear_dirty`] or ensure that the modified pages are marked.
    pub(crate) fn raw(&mut self) -> (&mut [u8], &mut LastWriterTable) {
        (&mut self.bytes, &mut self.writers)
    }

    /// Returns mutable access to a range of bytes, and marks its pages as dirty. If last writers are tracked, use
    /// [`PagedMemory::write`] instead.
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

    /// Marks the pages of 32 elements as dirty. Each offset must be a multiple of the element size.
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

    /// Returns mutable access to all bytes. The caller may modify only pages that are already marked as dirty.
    #[inline(always)]
    pub(crate) fn unmarked(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Writes bytes, and records the last writer of these bytes.
    #[inline(always)]
    pub(crate) fn write(&mut self, offset: usize, data: &[u8], writer: LastWriter) {
        if let Some(place) = self.place(offset, data.len()) {
            copy_few(place, data);
        }
        self.writers.note(offset, data.len(), writer);
    }

    /// Records the writers of consecutive bytes, of which each lane of a warp has written `width` bytes.
    #[inline(always)]
    pub(crate) fn note_row(&mut self, offset: usize, width: usize, step: u64) {
        self.writers.note_row(offset, width, step);
    }

    /// Clears all bytes and last writers.
    pub(crate) fn reset(&mut self) {
        self.bytes.fill(0);
        self.writers.clear();
        self.objects.clear();
        self.dirty.fill(true);
    }
}

/// Map of the windows of the state spaces in the generic address space, which address translation uses. Addresses in
/// global, constant and parameter memory equal generic addresses. Addresses in shared and local memory are offsets
/// within their windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressMap {
    pub(crate) global: u64,
    pub(crate) constant: u64,
    pub(crate) parameters: u64,
    pub(crate) shared: u64,
    pub(crate) local: u64,
    /// The code address of function i is `code + 16 * (i + 1)`.
    pub(crate) code: u64,
    /// Size in bytes of the local memory window.
    pub(crate) window_bytes: u64,
    /// Size of the shared memory window of one block. The shared memory of the block with rank r in the cluster starts
    /// at `(r + 1) * shared_stride` within the shared window, in both generic and `.shared::cluster` addresses.
    pub(crate) shared_stride: u64,
    /// Whether the first shared memory window belongs to the executing block, which is the convention of PTX. In SASS
    /// with clusters, the upper byte of each shared memory address contains the rank of a block, which may be the
    /// executing block. In this case, the memory of the block with rank r starts at `r * shared_stride`.
    pub(crate) own_window: bool,
}

/// Block and offset of a `.shared::cluster` address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClusterSharedAddress {
    /// Rank of the block that contains the address, or `None` if the address is in the window of the executing block.
    pub(crate) rank: Option<u32>,
    pub(crate) offset: u64,
}

impl AddressMap {
    /// Returns the address map of modules with 32-bit or 64-bit addresses.
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
                // The address range below the local window has space for 17 windows of this size.
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

    /// Checks whether a generic address is in the shared memory window of the executing block.
    #[inline(always)]
    pub(crate) const fn in_shared(&self, address: u64) -> bool {
        self.own_window && address.wrapping_sub(self.shared) < self.shared_stride
    }

    /// Checks whether a generic address is in a shared memory window of the block or its cluster.
    #[inline(always)]
    pub(crate) const fn in_shared_cluster(&self, address: u64) -> bool {
        address.wrapping_sub(self.shared) < (MAX_CLUSTER_BLOCKS as u64 + 1) * self.shared_stride
    }

    /// Decodes a `.shared::cluster` address into a block and an offset.
    #[inline(always)]
    pub(crate) const fn shared_place(&self, address: u64) -> ClusterSharedAddress {
        let window = address / self.shared_stride;
        ClusterSharedAddress {
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

    /// Returns the `.shared::cluster` address of the same offset in the block with a given rank (PTX ISA, "mapa"). For
    /// a generic address, the caller subtracts [`AddressMap::shared`] before the call, and adds it to the result.
    pub(crate) const fn map_to_rank(&self, address: u64, rank: u32) -> u64 {
        (rank as u64 + self.own_window as u64) * self.shared_stride + address % self.shared_stride
    }

    #[inline(always)]
    pub(crate) const fn in_local(&self, address: u64) -> bool {
        address.wrapping_sub(self.local) < self.window_bytes
    }
}

/// Object for which an allocation of global memory was created, such as a buffer or a module variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllocationOwner {
    Buffer(BufferIndex, String),
    GlobalVariable(u32, String),
    ConstVariable(u32, String),
    Parameters,
}

/// Accessible address range of global memory and the object to which the range belongs.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// Offset of the first byte in the arena.
    pub(crate) start: usize,
    pub(crate) owner: AllocationOwner,
}

impl Allocation {
    pub(crate) fn read_only(&self) -> bool {
        matches!(
            self.owner,
            AllocationOwner::ConstVariable(..) | AllocationOwner::Parameters
        )
    }

    #[inline(always)]
    pub(crate) fn holds(&self, address: u64, width: u64) -> bool {
        let offset = address.wrapping_sub(self.address);
        offset < self.size && self.size - offset >= width
    }
}

/// Memory that all blocks of the grid share. The memory contains the buffers, module variables and kernel parameters of
/// a launch.
#[derive(Clone, Debug, Default)]
pub(crate) struct GlobalMemory {
    pub(crate) arena: PagedMemory,
    /// Allocations sorted by address, with gaps in between. The list is immutable after initialization.
    allocations: Arc<[Allocation]>,
}

impl GlobalMemory {
    /// Creates global memory. Allocations must be sorted by address, and must be within the arena.
    pub(crate) fn new(arena: PagedMemory, allocations: Vec<Allocation>) -> GlobalMemory {
        GlobalMemory {
            arena,
            allocations: allocations.into(),
        }
    }

    pub(crate) fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Returns the allocation that contains `address`, or `None` if the address is in a gap.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64) -> Option<&Allocation> {
        let after = self.allocations.partition_point(|a| a.address <= address);
        let allocation = self.allocations.get(after.checked_sub(1)?)?;
        (address - allocation.address < allocation.size).then_some(allocation)
    }

    /// Returns the allocation that contains `address`. The search starts with the allocation that has the index `hint`,
    /// and stores the index of the returned allocation in `hint`.
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

    /// Returns the allocation nearest to the address.
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

/// Copies the bytes of one element. For a copy of four bytes, a separate case with a constant length compiles to a
/// single store.
#[inline(always)]
pub(crate) fn copy_few(to: &mut [u8], from: &[u8]) {
    match (<&mut [u8; 4]>::try_from(&mut *to), from.try_into()) {
        (Ok(to), Ok(from)) => *to = from,
        _ => to.copy_from_slice(from),
    }
}
