//! Tensor memory of a block: 128 lanes of 512 columns of 32 bits, and who has reserved which columns (PTX ISA, "Tensor Memory"). It is one
//! range of bytes, lane after lane; two bytes after it are the columns in use, and one says whether the block may reserve more, so that
//! snapshots need no case of their own.

use crate::contract::inspect::Writer;
use crate::state::memory::PagedBytes;

/// Lanes of tensor memory.
pub const TENSOR_LANES: u32 = 128;
/// Columns of 32 bits.
pub const TENSOR_COLUMNS: u32 = 512;
/// Columns that are reserved together.
const UNIT: u32 = 32;
/// Bytes of the lanes.
pub(crate) const CELL_BYTES: usize = (TENSOR_LANES * TENSOR_COLUMNS * 4) as usize;
/// Bytes with those that say what is reserved.
pub(crate) const TENSOR_BYTES: usize = CELL_BYTES + 3;
/// Where it is said that the block reserves no more.
const RELINQUISHED: usize = CELL_BYTES + 2;

/// A place in tensor memory, as an address of 32 bits has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TensorPlace {
    pub(crate) lane: u32,
    pub(crate) column: u32,
}

impl TensorPlace {
    pub(crate) const fn of(address: u32) -> TensorPlace {
        TensorPlace {
            lane: address >> 16,
            column: address & 0xffff,
        }
    }

    /// The place some lanes and columns further.
    pub(crate) const fn plus(self, lanes: u32, columns: u32) -> TensorPlace {
        TensorPlace {
            lane: self.lane + lanes,
            column: self.column + columns,
        }
    }

    /// Of its first byte; none outside.
    pub(crate) fn offset(self) -> Option<usize> {
        let is_inside = self.lane < TENSOR_LANES && self.column < TENSOR_COLUMNS;
        is_inside.then_some(((self.lane * TENSOR_COLUMNS + self.column) * 4) as usize)
    }
}

/// The word at a place; none outside.
pub(crate) fn read(memory: &PagedBytes, place: TensorPlace) -> Option<u32> {
    let bytes = memory.contents().get(place.offset()?..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Words of a lane that follow each other; none where one is outside.
pub(crate) fn words(memory: &PagedBytes, place: TensorPlace, n: usize) -> Option<&[[u8; 4]]> {
    let last = u32::try_from(n).ok()?.checked_sub(1)?;
    place.plus(0, last).offset()?;
    let start = place.offset()?;
    Some(memory.contents().get(start..start + 4 * n)?.as_chunks().0)
}

/// Writes words of a lane that follow each other; false, and nothing is written, where one is outside.
pub(crate) fn write_words(
    memory: &mut PagedBytes,
    place: TensorPlace,
    bytes: &[u8],
    writer: Writer,
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

/// Writes the word at a place; false outside.
pub(crate) fn write(
    memory: &mut PagedBytes,
    place: TensorPlace,
    word: u32,
    writer: Writer,
) -> bool {
    match place.offset() {
        Some(offset) if memory.len() >= CELL_BYTES => {
            memory.write(offset, &word.to_le_bytes(), writer);
            true
        }
        _ => false,
    }
}

/// The units of columns in use, a bit each.
fn in_use(memory: &PagedBytes) -> u16 {
    let bytes = memory.contents().get(CELL_BYTES..);
    let bytes = bytes.and_then(<[u8]>::first_chunk);
    bytes.map_or(u16::MAX, |bytes| u16::from_le_bytes(*bytes))
}

/// The columns in use.
pub(crate) fn n_columns_in_use(memory: &PagedBytes) -> u32 {
    in_use(memory).count_ones() * UNIT
}

/// Whether this number of columns can be reserved at all.
pub(crate) fn is_reservable(n: u32) -> bool {
    n.is_power_of_two() && (UNIT..=TENSOR_COLUMNS).contains(&n)
}

/// Whether this number of columns could be reserved, were they free.
pub(crate) fn can_be_reserved(memory: &PagedBytes, n: u32) -> bool {
    is_reservable(n) && !is_relinquished(memory)
}

/// Whether this number of columns is free side by side.
pub(crate) fn has_free(memory: &PagedBytes, n: u32) -> bool {
    first_free(memory, n).is_some()
}

/// Whether the block has given up the right to reserve columns.
pub(crate) fn is_relinquished(memory: &PagedBytes) -> bool {
    memory
        .contents()
        .get(RELINQUISHED)
        .is_some_and(|byte| *byte != 0)
}

/// The block gives up the right to reserve columns.
pub(crate) fn relinquish(memory: &mut PagedBytes, writer: Writer) {
    if memory.len() > RELINQUISHED {
        memory.write(RELINQUISHED, &[1], writer);
    }
}

/// The first free columns, and their units.
fn first_free(memory: &PagedBytes, n: u32) -> Option<(u32, u16)> {
    let used = in_use(memory);
    let starts = (0..TENSOR_COLUMNS).step_by(UNIT as usize);
    let mut free = starts.filter_map(|first| Some((first, units(first, n)?)));
    free.find(|(_, units)| used & units == 0)
}

/// The units of `n` columns from one on.
fn units(first: u32, n: u32) -> Option<u16> {
    let (first, n) = (first / UNIT, n / UNIT);
    let end = first.checked_add(n)?;
    let bits = |n: u32| (1u32 << n) - 1;
    (n > 0 && end <= 16).then(|| (bits(n) << first) as u16)
}

/// Reserves the first free columns; which one they begin at, or none where too few are free.
pub(crate) fn reserve(memory: &mut PagedBytes, n: u32, writer: Writer) -> Option<u32> {
    let used = in_use(memory);
    let (first, units) = first_free(memory, n)?;
    memory.write(CELL_BYTES, &(used | units).to_le_bytes(), writer);
    Some(first)
}

/// Gives columns back; false where they were not reserved.
pub(crate) fn free(memory: &mut PagedBytes, first: u32, n: u32, writer: Writer) -> bool {
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
    use crate::state::memory::Tracking;

    #[test]
    fn columns_are_reserved_from_the_first_free_ones_on() {
        let mut memory = PagedBytes::new(TENSOR_BYTES, Tracking::Off);
        let writer = Writer { step: 0, lane: 0 };
        assert_eq!(reserve(&mut memory, 64, writer), Some(0));
        assert_eq!(reserve(&mut memory, 32, writer), Some(64));
        assert!(free(&mut memory, 0, 64, writer));
        assert!(!free(&mut memory, 0, 64, writer));
        assert_eq!(reserve(&mut memory, 128, writer), Some(96));
        assert_eq!(reserve(&mut memory, 512, writer), None);
        assert_eq!(n_columns_in_use(&memory), 160);
        let corner = TensorPlace {
            lane: 127,
            column: 511,
        };
        assert!(write(&mut memory, corner, 7, writer));
        assert_eq!(read(&memory, corner), Some(7));
        assert!(!write(&mut memory, corner.plus(1, 0), 7, writer));
        assert_eq!(n_columns_in_use(&memory), 160);
    }
}
