//! The simplest layout with the offsets of a table: a shape with strides, a swizzle of such a layout, or bases over
//! GF(2). If no layout exists, the result contains the first offset that differs.

use crate::linear::{Dimension, LinearLayout, linear_of};
use crate::{ComposedLayout, Layout, MAX_LISTED, Mode, Swizzle};

/// Table of offsets. The first dimension varies fastest.
#[derive(Clone, Debug)]
pub struct AddressTable {
    /// Name and size of each dimension.
    pub dimensions: Vec<(String, usize)>,
    pub values: Vec<i64>,
}

/// Layout that reproduces a table of offsets: a strided layout with an optional swizzle, or a linear layout over GF(2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InferredLayout {
    /// `swizzle(offset + layout)`. The top-level modes of the layout are the dimensions.
    Layout(ComposedLayout),
    /// `first ^ bases`.
    Linear { first: i64, bases: LinearLayout },
}

/// First element that differs from the layout of the previous elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Coordinates of the element, one per dimension.
    pub coordinates: Vec<usize>,
    pub expected: i64,
    pub found: i64,
}

/// Layout, or the first element that no layout explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InferenceResult {
    Explained(InferredLayout),
    Broken(Mismatch),
}

/// Result for a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutInference {
    pub found: InferenceResult,
}

/// Maximum number of bits of a swizzle in the search.
const MAX_BITS: u32 = 6;

/// Returns the simplest layout of a table. Returns `None` if the table is empty or too large, or if its length is
/// not the product of its dimensions.
pub fn infer_layout(table: &AddressTable) -> Option<LayoutInference> {
    let sizes: Vec<usize> = table.dimensions.iter().map(|(_, n)| *n).collect();
    let n = sizes
        .iter()
        .try_fold(1usize, |all, n| all.checked_mul(*n))?;
    if n == 0 || n != table.values.len() || n as i64 > MAX_LISTED {
        return None;
    }
    let plain = affine(&sizes, &table.values, None);
    let found = match plain {
        Ok(layout) => InferenceResult::Explained(InferredLayout::Layout(layout)),
        Err(index) => swizzled(&sizes, &table.values)
            .map(InferredLayout::Layout)
            .or_else(|| linear(table, &sizes))
            .map_or_else(
                || InferenceResult::Broken(broken(&sizes, &table.values, index)),
                InferenceResult::Explained,
            ),
    };
    Some(LayoutInference { found })
}

/// Returns the offset of an element before the swizzle.
fn at(values: &[i64], swizzle: Option<Swizzle>, index: usize) -> i64 {
    let value = values.get(index).copied().unwrap_or(0);
    swizzle.map_or(value, |swizzle| swizzle.apply(value))
}

/// Returns the shape and strides of a table without its swizzle. Returns the index of the first differing element
/// if no such layout exists.
fn affine(
    sizes: &[usize],
    values: &[i64],
    swizzle: Option<Swizzle>,
) -> Result<ComposedLayout, usize> {
    let first = at(values, swizzle, 0);
    let mut parts = Vec::new();
    let mut pitch = 1;
    for size in sizes {
        let along = |i: usize| at(values, swizzle, i * pitch) - first;
        let modes = modes_of(*size, &along).map_err(|i| i * pitch)?;
        parts.push(Layout::of_modes(&modes).map_err(|_| pitch)?);
        pitch *= size;
    }
    let layout = match parts.as_slice() {
        [one] => one.clone(),
        many => Layout::of_parts(many).map_err(|_| 0usize)?,
    };
    let expected = layout.offsets().map_err(|_| 0usize)?;
    let wrong = expected
        .iter()
        .enumerate()
        .position(|(index, offset)| at(values, swizzle, index) != first + offset);
    match wrong {
        Some(index) => Err(index),
        None => Ok(ComposedLayout {
            swizzle,
            offset: first,
            layout,
        }),
    }
}

/// Returns the modes of a sequence that starts with 0. A mode consists of equal steps, and the next mode repeats
/// the previous modes.
fn modes_of(n: usize, along: &dyn Fn(usize) -> i64) -> Result<Vec<Mode>, usize> {
    let mut modes: Vec<Mode> = Vec::new();
    let mut unit = 1;
    while unit < n {
        let step = along(unit);
        let count = n / unit;
        let run = (1..count)
            .find(|i| along(i * unit) != *i as i64 * step)
            .unwrap_or(count);
        if run < 2 || !count.is_multiple_of(run) {
            return Err(run.max(1) * unit);
        }
        modes.push(Mode {
            shape: run as i64,
            stride: step,
        });
        unit *= run;
    }
    Ok(modes)
}

/// Returns the swizzle with the fewest bits, without which the table has a shape and strides.
fn swizzled(sizes: &[usize], values: &[i64]) -> Option<ComposedLayout> {
    if values.iter().any(|value| *value < 0) {
        return None;
    }
    let all = values.iter().fold(0, |all, value| all | value);
    let width = 64 - all.leading_zeros();
    for bits in 1..=MAX_BITS {
        for base in 0..width {
            for distance in bits..width {
                if base + distance >= width {
                    break;
                }
                for shift in [distance as i32, -(distance as i32)] {
                    let Ok(swizzle) = Swizzle::new(bits, base, shift) else {
                        continue;
                    };
                    if let Ok(found) = affine(sizes, values, Some(swizzle)) {
                        return Some(found);
                    }
                }
            }
        }
    }
    None
}

/// Returns the bases over GF(2) if the size of each dimension is a power of two.
fn linear(table: &AddressTable, sizes: &[usize]) -> Option<InferredLayout> {
    if !sizes.iter().all(|size| size.is_power_of_two()) {
        return None;
    }
    let first = table.values.first().copied()?;
    let inputs = table.dimensions.iter();
    let inputs = inputs.map(|(name, size)| Dimension::new(name.clone(), size.trailing_zeros()));
    let places: Vec<i64> = table.values.iter().map(|value| value ^ first).collect();
    let bases = linear_of(&places, inputs.collect()).ok()?;
    Some(InferredLayout::Linear { first, bases })
}

/// Returns the offset at an index, and the offset that the layout of the previous elements predicts along each
/// dimension.
fn broken(sizes: &[usize], values: &[i64], index: usize) -> Mismatch {
    let mut rest = index;
    let mut coordinates = Vec::new();
    for size in sizes {
        coordinates.push(rest % size);
        rest /= size;
    }
    let first = at(values, None, 0);
    let mut expected = first;
    let mut pitch = 1;
    for (size, coordinate) in sizes.iter().zip(&coordinates) {
        let along = |i: usize| at(values, None, i * pitch) - first;
        expected += guessed(*size, *coordinate, &along);
        pitch *= size;
    }
    Mismatch {
        coordinates,
        expected,
        found: at(values, None, index),
    }
}

/// Predicts the offset of a coordinate from the offsets of smaller coordinates.
fn guessed(size: usize, coordinate: usize, along: &dyn Fn(usize) -> i64) -> i64 {
    match modes_of(size, along) {
        Ok(_) => along(coordinate),
        Err(run) if coordinate >= run => {
            let step = along(1);
            match coordinate == run && run > 1 {
                true => run as i64 * step,
                false => along(coordinate % run) + (coordinate / run) as i64 * along(run),
            }
        }
        Err(_) => along(coordinate),
    }
}
