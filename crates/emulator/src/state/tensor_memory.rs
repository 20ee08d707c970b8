//! Tensor memory of a block: 128 lanes of 512 columns of 32 bits, and the allocation state of the columns (PTX ISA,
//! "Tensor Memory"). A single memory contains the cells in lane-major order, then two bytes with the mask of allocated
//! columns, and one byte that records whether the block has relinquished its right to allocate. With a single memory,
//! snapshots require no special case for the allocation state.

use crate::contract::inspect::LastWriter;
use crate::state::memory::PagedMemory;

/// Number of lanes of tensor memory.
pub const TENSOR_LANES: u32 = 128;
/// Number of 32-bit columns of tensor memory.
pub const TENSOR_COLUMNS: u32 = 512;
/// Allocation granularity of tensor memory in columns.
const UNIT: u32 = 32;
/// Size in bytes of the tensor memory cells of all lanes.
pub(crate) const CELL_BYTES: usize = (TENSOR_LANES * TENSOR_COLUMNS * 4) as usize;
/// Size in bytes of the cells and the allocation state of a block.
pub(crate) const TENSOR_BYTES: usize = CELL_BYTES + 3;
/// Offset of the byte that records whether the block has relinquished its right to allocate.
const RELINQUISHED: usize = CELL_BYTES + 2;

/// Lane and column of a decoded 32-bit tensor memory address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorMemoryLocation {
    pub(crate) lane: u32,
    pub(crate) column: u32,
}

impl TensorMemoryLocation {
    pub(crate) const fn of(address: u32) -> TensorMemoryLocation {
        TensorMemoryLocation {
            lane: address >> 16,
            column: address & 0xffff,
        }
    }

    /// Returns the address plus a number of lanes and columns.
    pub(crate) const fn plus(self, lanes: u32, columns: u32) -> TensorMemoryLocation {
        TensorMemoryLocation {
            lane: self.lane + lanes,
            column: self.column + columns,
        }
    }

    /// Returns the offset of the first byte of the cell, or `None` if the address is out of bounds.
    pub(crate) fn offset(self) -> Option<usize> {
        let is_inside = self.lane < TENSOR_LANES && self.column < TENSOR_COLUMNS;
        is_inside.then_some(((self.lane * TENSOR_COLUMNS + self.column) * 4) as usize)
    }
}

/// Reads the word at an address. Returns `None` if the address is out of bounds.
pub(crate) fn read(memory: &PagedMemory, place: TensorMemoryLocation) -> Option<u32> {
    let bytes = memory.contents().get(place.offset()?..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Returns consecutive words of a lane, or `None` if any word is out of bounds.
pub(crate) fn words(
    memory: &PagedMemory,
    place: TensorMemoryLocation,
    n: usize,
) -> Option<&[[u8; 4]]> {
    let last = u32::try_from(n).ok()?.checked_sub(1)?;
    place.plus(0, last).offset()?;
    let start = place.offset()?;
    Some(memory.contents().get(start..start + 4 * n)?.as_chunks().0)
}

/// Writes consecutive words of a lane. If any word is out of bounds, returns `false` without writing.
pub(crate) fn write_words(
    memory: &mut PagedMemory,
    place: TensorMemoryLocation,
    bytes: &[u8],
    writer: LastWriter,
) -> bool {
    if words(memory, place, bytes.len() / 4).is_none() {
        return false;
    }
    match place.offset() {
        Some(offset) => {
            memory.write(offset, bytes, writer);
            true
        }
        None => false,
    }
}

/// Writes the word at an address. Returns `false` if the address is out of bounds.
pub(crate) fn write(
    memory: &mut PagedMemory,
    place: TensorMemoryLocation,
    word: u32,
    writer: LastWriter,
) -> bool {
    match place.offset() {
        Some(offset) if memory.len() >= CELL_BYTES => {
            memory.write(offset, &word.to_le_bytes(), writer);
            true
        }
        _ => false,
    }
}

/// Returns a bit mask of the allocated units of 32 columns.
fn in_use(memory: &PagedMemory) -> u16 {
    let bytes = memory.contents().get(CELL_BYTES..);
    let bytes = bytes.and_then(<[u8]>::first_chunk);
    bytes.map_or(u16::MAX, |bytes| u16::from_le_bytes(*bytes))
}

/// Returns the number of allocated columns.
pub(crate) fn n_columns_in_use(memory: &PagedMemory) -> u32 {
    in_use(memory).count_ones() * UNIT
}

/// Checks whether `n` is a valid number of columns for an allocation.
pub(crate) fn is_reservable(n: u32) -> bool {
    n.is_power_of_two() && (UNIT..=TENSOR_COLUMNS).contains(&n)
}

/// Checks whether the allocation rules permit an allocation of `n` columns, regardless of the number of free columns.
pub(crate) fn can_be_reserved(memory: &PagedMemory, n: u32) -> bool {
    is_reservable(n) && !is_relinquished(memory)
}

/// Checks whether `n` contiguous columns are free.
pub(crate) fn has_free(memory: &PagedMemory, n: u32) -> bool {
    first_free(memory, n).is_some()
}

/// Checks whether the block has relinquished its right to allocate columns.
pub(crate) fn is_relinquished(memory: &PagedMemory) -> bool {
    memory
        .contents()
        .get(RELINQUISHED)
        .is_some_and(|byte| *byte != 0)
}

/// Relinquishes the right of the block to allocate columns.
pub(crate) fn relinquish(memory: &mut PagedMemory, writer: LastWriter) {
    if memory.len() > RELINQUISHED {
        memory.write(RELINQUISHED, &[1], writer);
    }
}

/// Returns the start of the first `n` contiguous free columns, and the mask of their allocation units.
fn first_free(memory: &PagedMemory, n: u32) -> Option<(u32, u16)> {
    let used = in_use(memory);
    let starts = (0..TENSOR_COLUMNS).step_by(UNIT as usize);
    let mut free = starts.filter_map(|first| Some((first, units(first, n)?)));
    free.find(|(_, units)| used & units == 0)
}

/// Returns the mask of the allocation units of `n` columns that start at `first`.
fn units(first: u32, n: u32) -> Option<u16> {
    let (first, n) = (first / UNIT, n / UNIT);
    let end = first.checked_add(n)?;
    let bits = |n: u32| (1u32 << n) - 1;
    (n > 0 && end <= 16).then(|| (bits(n) << first) as u16)
}

/// Allocates the first `n` contiguous free columns. Returns the index of the first allocated column, or `None` if there
/// are too few contiguous free columns.
pub(crate) fn reserve(memory: &mut PagedMemory, n: u32, writer: LastWriter) -> Option<u32> {
    let used = in_use(memory);
    let (first, units) = first_free(memory, n)?;
    memory.write(CELL_BYTES, &(used | units).to_le_bytes(), writer);
    Some(first)
}

/// Deallocates `n` columns that start at `first`. Returns `false` if the columns were not allocated.
pub(crate) fn free(memory: &mut PagedMemory, first: u32, n: u32, writer: LastWriter) -> bool {
    let used = in_use(memory);
    match units(first, n) {
        Some(units) if first.is_multiple_of(UNIT) && used & units == units => {
            memory.write(CELL_BYTES, &(used & !units).to_le_bytes(), writer);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::launch::WriterTracking;

    #[test]
    fn column_allocation_is_first_fit_and_rejects_double_free() {
        let mut memory = PagedMemory::new(TENSOR_BYTES, WriterTracking::Off);
        let writer = LastWriter { step: 0, lane: 0 };
        assert_eq!(reserve(&mut memory, 64, writer), Some(0));
        assert_eq!(reserve(&mut memory, 32, writer), Some(64));
        assert!(free(&mut memory, 0, 64, writer));
        assert!(!free(&mut memory, 0, 64, writer));
        assert_eq!(reserve(&mut memory, 128, writer), Some(96));
        assert_eq!(reserve(&mut memory, 512, writer), None);
        assert_eq!(n_columns_in_use(&memory), 160);
        let corner = TensorMemoryLocation {
            lane: 127,
            column: 511,
        };
        assert!(write(&mut memory, corner, 7, writer));
        assert_eq!(read(&memory, corner), Some(7));
        assert!(!write(&mut memory, corner.plus(1, 0), 7, writer));
        assert_eq!(n_columns_in_use(&memory), 160);
    }
}
