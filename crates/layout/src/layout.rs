//! Layouts: a shape and a stride with the same nesting. A layout maps a coordinate to an offset.

use crate::{LayoutError, MAX_LISTED, MAX_OFFSET, MAX_SIZE, Tuple};
use std::fmt;

/// Extent of a shape with its stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    pub shape: i64,
    pub stride: i64,
}

/// Shape and stride. The first mode varies fastest. The offset of a coordinate is the sum of the products of
/// coordinates and strides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    shape: Tuple,
    stride: Tuple,
}

impl Layout {
    /// Creates a layout. Returns an error if the nesting of shape and stride differs, or if the size or an offset
    /// exceeds the limits of this crate.
    pub fn new(shape: Tuple, stride: Tuple) -> Result<Layout, LayoutError> {
        if !shape.is_congruent(&stride) {
            return Err(LayoutError::of(format!(
                "found the stride {stride} for the shape {shape}, expected a stride that is congruent to the shape"
            )));
        }
        let layout = Layout { shape, stride };
        layout.checked()
    }

    /// Returns the layout if its size and offsets are within the limits.
    fn checked(self) -> Result<Layout, LayoutError> {
        let (mut size, mut reach) = (1i64, 0i64);
        for (at, mode) in self.modes().into_iter().enumerate() {
            if mode.shape < 1 {
                return Err(LayoutError::of(format!(
                    "found the extent {} at position {at} of the shape, expected at least 1",
                    mode.shape
                )));
            }
            size = size
                .checked_mul(mode.shape)
                .filter(|size| *size <= MAX_SIZE)
                .ok_or_else(|| too_large(at, "size", MAX_SIZE))?;
            reach = (mode.shape - 1)
                .checked_mul(mode.stride)
                .and_then(|far| reach.checked_add(far.abs()))
                .filter(|reach| *reach <= MAX_OFFSET)
                .ok_or_else(|| too_large(at, "offset", MAX_OFFSET))?;
        }
        Ok(self)
    }

    /// Creates the compact layout of a shape, whose first mode varies fastest.
    pub fn compact(shape: Tuple) -> Result<Layout, LayoutError> {
        let mut next = 1i64;
        let mut strides = Vec::new();
        for (at, shape) in shape.leaves().into_iter().enumerate() {
            strides.push(next);
            next = next
                .checked_mul(shape)
                .filter(|next| *next <= MAX_SIZE)
                .ok_or_else(|| too_large(at, "size", MAX_SIZE))?;
        }
        let stride = shape.with_leaves(&mut strides.into_iter());
        Layout::new(shape, stride)
    }

    /// Creates a layout with one mode.
    pub fn of(shape: i64, stride: i64) -> Result<Layout, LayoutError> {
        Layout::new(Tuple::Leaf(shape), Tuple::Leaf(stride))
    }

    /// Creates a layout from modes without nesting. No mode gives `1:0`.
    pub fn of_modes(modes: &[Mode]) -> Result<Layout, LayoutError> {
        if modes.is_empty() {
            return Layout::of(1, 0);
        }
        let shapes: Vec<i64> = modes.iter().map(|mode| mode.shape).collect();
        let strides: Vec<i64> = modes.iter().map(|mode| mode.stride).collect();
        Layout::new(Tuple::of_leaves(&shapes), Tuple::of_leaves(&strides))
    }

    /// Creates a layout whose top-level modes are these layouts.
    pub fn of_parts(parts: &[Layout]) -> Result<Layout, LayoutError> {
        let shapes = parts.iter().map(|part| part.shape.clone());
        let strides = parts.iter().map(|part| part.stride.clone());
        Layout::new(
            Tuple::Node(shapes.collect()),
            Tuple::Node(strides.collect()),
        )
    }

    /// Returns the shape.
    pub const fn shape(&self) -> &Tuple {
        &self.shape
    }

    /// Returns the stride.
    pub const fn stride(&self) -> &Tuple {
        &self.stride
    }

    /// Returns the top-level modes. A layout without nesting is its own mode.
    pub fn parts(&self) -> Vec<Layout> {
        match (&self.shape, &self.stride) {
            (Tuple::Node(shapes), Tuple::Node(strides)) => shapes
                .iter()
                .zip(strides)
                .map(|(shape, stride)| Layout {
                    shape: shape.clone(),
                    stride: stride.clone(),
                })
                .collect(),
            _ => vec![self.clone()],
        }
    }

    /// Returns a top-level mode, or `1:0` if the mode does not exist.
    pub fn part(&self, at: usize) -> Layout {
        let found = self.parts().into_iter().nth(at);
        found.unwrap_or(Layout {
            shape: Tuple::Leaf(1),
            stride: Tuple::Leaf(0),
        })
    }

    /// Returns the number of top-level modes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns all modes without nesting.
    pub fn modes(&self) -> Vec<Mode> {
        let shapes = self.shape.leaves().into_iter();
        shapes
            .zip(self.stride.leaves())
            .map(|(shape, stride)| Mode { shape, stride })
            .collect()
    }

    /// Returns the number of elements.
    pub fn size(&self) -> i64 {
        self.shape.leaves().iter().product()
    }

    /// Returns the offset of the last element plus 1.
    pub fn cosize(&self) -> i64 {
        let last = |mode: &Mode| (mode.shape - 1) * mode.stride;
        self.modes().iter().map(last).sum::<i64>() + 1
    }

    /// Returns the offset of an element. The first mode varies fastest. Beyond the size, the coordinate of the last
    /// mode increases further.
    pub fn offset(&self, index: i64) -> i64 {
        let modes = self.modes();
        let mut rest = index;
        let mut offset = 0i64;
        for (at, mode) in modes.iter().enumerate() {
            let is_last = at + 1 == modes.len();
            let digit = if is_last {
                rest
            } else {
                rest.rem_euclid(mode.shape)
            };
            offset = offset.wrapping_add(digit.wrapping_mul(mode.stride));
            rest = rest.div_euclid(mode.shape);
        }
        offset
    }

    /// Returns the offset at an index per top-level mode.
    pub fn offset_at(&self, coordinates: &[i64]) -> i64 {
        let parts = self.parts();
        parts
            .iter()
            .zip(coordinates)
            .map(|(part, coordinate)| part.offset(*coordinate))
            .sum()
    }

    /// Returns the offsets of all elements. Returns an error if the layout has more than
    /// [`MAX_LISTED`](crate::MAX_LISTED) elements.
    pub fn offsets(&self) -> Result<Vec<i64>, LayoutError> {
        let size = self.size();
        if size > MAX_LISTED {
            return Err(LayoutError::of(format!(
                "the layout has {size} elements, expected at most {MAX_LISTED} for a list of all elements"
            )));
        }
        let mut offsets = vec![0];
        for mode in self.modes() {
            let before = offsets.clone();
            for digit in 1..mode.shape {
                offsets.extend(before.iter().map(|offset| offset + digit * mode.stride));
            }
        }
        Ok(offsets)
    }

    /// Checks whether both layouts have the same offsets.
    pub fn is_equivalent(&self, other: &Layout) -> bool {
        self.size() == other.size()
            && crate::coalesce(self).modes() == crate::coalesce(other).modes()
    }
}

fn too_large(at: usize, what: &str, most: i64) -> LayoutError {
    LayoutError::of(format!(
        "the {what} overflows at position {at}, expected at most {most}"
    ))
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.shape, self.stride)
    }
}
