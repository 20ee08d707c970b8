//! Memory in cells: parts of locations that every access takes whole. In: locations, and the accesses that are met; out: numbers of cells.

use super::question::{Location, LocationKind};
use std::ops::Range;

/// A part of a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) start: u64,
    pub(crate) n_bytes: u32,
    pub(crate) location: usize,
    pub(crate) init: u64,
}

/// All cells, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    pub(crate) list: Vec<Cell>,
    /// Bytes that belong to a location, by start.
    ranges: Vec<(Range<u64>, usize)>,
}

/// What was found at an address.
pub(crate) enum Found {
    Cells(Range<usize>),
    /// A cell must be cut here first.
    Cut(u64),
    /// No location has these bytes.
    Nothing,
}

impl Cells {
    /// The elements of the locations, and nothing finer.
    pub(crate) fn new(locations: &[Location]) -> Cells {
        let mut cells = Cells::default();
        for (index, location) in locations.iter().enumerate() {
            let end = location.start + location.n_bytes();
            cells.ranges.push((location.start..end, index));
            for (element, init) in location.init.iter().enumerate() {
                cells.list.push(Cell {
                    start: location.start + u64::from(location.element_bytes) * element as u64,
                    n_bytes: location.element_bytes,
                    location: index,
                    init: *init,
                });
            }
        }
        cells.list.sort_by_key(|cell| cell.start);
        cells
    }

    pub(crate) fn find(&self, start: u64, n_bytes: u64) -> Found {
        let end = start.saturating_add(n_bytes);
        let inside = |(range, _): &&(Range<u64>, usize)| range.start <= start && end <= range.end;
        if n_bytes == 0 || !self.ranges.iter().any(|range| inside(&range)) {
            return Found::Nothing;
        }
        let first = self.list.partition_point(|cell| cell.start < start);
        let last = self.list.partition_point(|cell| cell.start < end);
        if self.list.get(first).is_none_or(|cell| cell.start != start) {
            return Found::Cut(start);
        }
        let ends_at = |cell: &Cell| cell.start + u64::from(cell.n_bytes) == end;
        match self.list.get(last.saturating_sub(1)) {
            Some(cell) if ends_at(cell) => Found::Cells(first..last),
            _ => Found::Cut(end),
        }
    }

    /// Cuts the cell that has this byte inside.
    pub(crate) fn cut(&mut self, at: u64) {
        let Some(index) = self
            .list
            .partition_point(|cell| cell.start < at)
            .checked_sub(1)
        else {
            return;
        };
        let Some(cell) = self.list.get_mut(index) else {
            return;
        };
        let low = (at - cell.start) as u32;
        if low == 0 || low >= cell.n_bytes {
            return;
        }
        let high = Cell {
            start: at,
            n_bytes: cell.n_bytes - low,
            location: cell.location,
            init: cell.init >> (8 * low),
        };
        cell.n_bytes = low;
        cell.init &= keep(low);
        self.list.insert(index + 1, high);
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// The location of an address, and what kind of memory it is in.
    pub(crate) fn kind(&self, locations: &[Location], cell: usize) -> LocationKind {
        let location = self
            .list
            .get(cell)
            .and_then(|cell| locations.get(cell.location));
        location.map_or(LocationKind::Global, |location| location.kind)
    }

    /// Puts the values of neighbouring cells together.
    pub(crate) fn join(&self, cells: Range<usize>, values: &[u64]) -> u64 {
        let mut shift = 0;
        let mut joined = 0u64;
        for (cell, value) in self.list.get(cells).unwrap_or(&[]).iter().zip(values) {
            joined |= value.checked_shl(shift).unwrap_or(0);
            shift += 8 * cell.n_bytes;
        }
        joined
    }

    /// Takes a value apart into those of neighbouring cells.
    pub(crate) fn split(&self, cells: Range<usize>, value: u64) -> Vec<u64> {
        let mut shift = 0;
        let parts = self.list.get(cells).unwrap_or(&[]).iter().map(|cell| {
            let part = value.checked_shr(shift).unwrap_or(0) & keep(cell.n_bytes);
            shift += 8 * cell.n_bytes;
            part
        });
        parts.collect()
    }
}

/// The low bytes of a word.
fn keep(n_bytes: u32) -> u64 {
    u64::MAX >> (64 - 8 * n_bytes.clamp(1, 8))
}
