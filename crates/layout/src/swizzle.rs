//! `Swizzle<B,M,S>`, which XORs bits of an offset with other bits of the offset, and its composition with a layout.

use crate::{Layout, LayoutError};
use std::fmt;

/// XORs `bits` bits, starting at bit `base`, with the bits `shift` positions higher, or lower for a negative
/// `shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    pub bits: u32,
    pub base: u32,
    pub shift: i32,
}

impl Swizzle {
    /// Creates a swizzle. Returns an error if both groups of bits overlap, or exceed 48 bits.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<Swizzle, LayoutError> {
        let distance = shift.unsigned_abs();
        if distance < bits {
            return Err(LayoutError::of(format!(
                "found Swizzle<{bits},{base},{shift}>, expected a shift of at least {bits} so that source and target bits do not overlap"
            )));
        }
        if bits > 48 || base > 48 || distance > 48 || bits + base + distance > 48 {
            return Err(LayoutError::of(format!(
                "found Swizzle<{bits},{base},{shift}>, expected at most 48 bits in total"
            )));
        }
        Ok(Swizzle { bits, base, shift })
    }

    /// Applies the swizzle to an offset. A swizzle is its own inverse.
    pub const fn apply(self, offset: i64) -> i64 {
        let mask = (1i64 << self.bits) - 1;
        if self.shift >= 0 {
            let above = offset >> (self.base + self.shift.unsigned_abs()) & mask;
            offset ^ above << self.base
        } else {
            let below = offset >> self.base & mask;
            offset ^ below << (self.base + self.shift.unsigned_abs())
        }
    }

    /// Returns the lowest bit that the swizzle modifies.
    pub const fn target(self) -> u32 {
        if self.shift >= 0 {
            self.base
        } else {
            self.base + self.shift.unsigned_abs()
        }
    }

    /// Returns the lowest bit that the swizzle reads.
    pub const fn source(self) -> u32 {
        if self.shift >= 0 {
            self.base + self.shift.unsigned_abs()
        } else {
            self.base
        }
    }

    /// Returns the period: the swizzle modifies offsets that differ by a multiple of the period in the same way.
    pub const fn period(self) -> i64 {
        1 << (self.bits + self.base + self.shift.unsigned_abs())
    }

    /// Returns the swizzle for offsets in units of 2^`n`, for example in elements instead of bytes. Returns `None`
    /// if the swizzle modifies bits within a unit.
    pub const fn rescaled(self, n: u32) -> Option<Swizzle> {
        if self.base < n {
            return None;
        }
        Some(Swizzle {
            base: self.base - n,
            ..self
        })
    }
}

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Swizzle<{},{},{}>", self.bits, self.base, self.shift)
    }
}

/// Composition of a layout, an added offset and an optional swizzle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedLayout {
    pub swizzle: Option<Swizzle>,
    pub offset: i64,
    pub layout: Layout,
}

impl ComposedLayout {
    /// Returns the offset of an element.
    pub fn at(&self, index: i64) -> i64 {
        self.place(self.layout.offset(index))
    }

    /// Returns the offset at an index per top-level mode.
    pub fn at_each(&self, coordinates: &[i64]) -> i64 {
        self.place(self.layout.offset_at(coordinates))
    }

    fn place(&self, offset: i64) -> i64 {
        let sum = self.offset.wrapping_add(offset);
        self.swizzle.map_or(sum, |swizzle| swizzle.apply(sum))
    }

    /// Returns the offsets of all elements.
    pub fn offsets(&self) -> Result<Vec<i64>, LayoutError> {
        let offsets = self.layout.offsets()?;
        Ok(offsets
            .into_iter()
            .map(|offset| self.place(offset))
            .collect())
    }

    /// Checks whether both have the same offsets. If their terms differ, all offsets are compared.
    pub fn is_equivalent(&self, other: &ComposedLayout) -> Result<bool, LayoutError> {
        if self.layout.size() != other.layout.size() {
            return Ok(false);
        }
        let has_same_top = self.swizzle == other.swizzle && self.offset == other.offset;
        if has_same_top && self.layout.is_equivalent(&other.layout) {
            return Ok(true);
        }
        Ok(self.offsets()? == other.offsets()?)
    }

    /// Returns the composition with another layout.
    pub fn over(&self, layout: Layout) -> ComposedLayout {
        ComposedLayout {
            layout,
            ..self.clone()
        }
    }
}

impl From<Layout> for ComposedLayout {
    fn from(layout: Layout) -> ComposedLayout {
        ComposedLayout {
            swizzle: None,
            offset: 0,
            layout,
        }
    }
}

impl fmt::Display for ComposedLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(swizzle) = self.swizzle {
            write!(f, "{swizzle} o ")?;
        }
        if self.offset != 0 {
            write!(f, "{} o ", self.offset)?;
        }
        write!(f, "{}", self.layout)
    }
}
