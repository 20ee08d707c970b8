//! `Swizzle<B,M,S>`: bits of an offset are changed by others of its bits. And a layout beneath one.

use crate::{Layout, LayoutError};
use std::fmt;

/// `bits` bits from `base` on are XORed with as many that are `shift` further up (down, if it is negative).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    pub bits: u32,
    pub base: u32,
    pub shift: i32,
}

impl Swizzle {
    /// A swizzle whose two groups of bits do not overlap, within 48 bits.
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

    /// The place of an offset. A swizzle is its own inverse.
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

    /// The lowest bit that changes.
    pub const fn target(self) -> u32 {
        if self.shift >= 0 {
            self.base
        } else {
            self.base + self.shift.unsigned_abs()
        }
    }

    /// The lowest bit that decides.
    pub const fn source(self) -> u32 {
        if self.shift >= 0 {
            self.base + self.shift.unsigned_abs()
        } else {
            self.base
        }
    }

    /// How far it looks: offsets that differ above change alike.
    pub const fn period(self) -> i64 {
        1 << (self.bits + self.base + self.shift.unsigned_abs())
    }

    /// The same on offsets that count units of 2^`n`: elements in place of bytes. `None` where it parts a unit.
    pub const fn in_units(self, n: u32) -> Option<Swizzle> {
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

/// A layout, an offset that is added, and a swizzle of the sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    pub swizzle: Option<Swizzle>,
    pub offset: i64,
    pub layout: Layout,
}

impl Composed {
    /// The place of an element by its number.
    pub fn at(&self, index: i64) -> i64 {
        self.place(self.layout.offset(index))
    }

    /// The place at a number for each part.
    pub fn at_each(&self, coordinates: &[i64]) -> i64 {
        self.place(self.layout.offset_at(coordinates))
    }

    fn place(&self, offset: i64) -> i64 {
        let sum = self.offset.wrapping_add(offset);
        self.swizzle.map_or(sum, |swizzle| swizzle.apply(sum))
    }

    /// Every place in order.
    pub fn offsets(&self) -> Result<Vec<i64>, LayoutError> {
        let offsets = self.layout.offsets()?;
        Ok(offsets
            .into_iter()
            .map(|offset| self.place(offset))
            .collect())
    }

    /// Whether both give the same place to each number. Those that are written otherwise are compared place by place.
    pub fn is_equivalent(&self, other: &Composed) -> Result<bool, LayoutError> {
        if self.layout.size() != other.layout.size() {
            return Ok(false);
        }
        let has_same_top = self.swizzle == other.swizzle && self.offset == other.offset;
        if has_same_top && self.layout.is_equivalent(&other.layout) {
            return Ok(true);
        }
        Ok(self.offsets()? == other.offsets()?)
    }

    /// Another layout beneath it.
    pub fn over(&self, layout: Layout) -> Composed {
        Composed {
            layout,
            ..self.clone()
        }
    }
}

impl From<Layout> for Composed {
    fn from(layout: Layout) -> Composed {
        Composed {
            swizzle: None,
            offset: 0,
            layout,
        }
    }
}

impl fmt::Display for Composed {
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
