//! The simplest layout that explains a table: a shape and stride, else a swizzle of one, else bases over GF(2), else none, and where it breaks.

use crate::linear::{Dimension, Linear, linear_of};
use crate::{Composed, Layout, MAX_LISTED, Mode, Swizzle};

/// Numbers by coordinates: the first dimension counts fastest.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name and size of each dimension.
    pub dimensions: Vec<(String, usize)>,
    pub values: Vec<i64>,
}

/// What explains a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// `swizzle(offset + layout)`, whose parts are the dimensions.
    Layout(Composed),
    /// `first ^ bases`.
    Linear { first: i64, bases: Linear },
}

/// Where a table leaves the layout that its beginning suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// A number for each dimension.
    pub coordinates: Vec<usize>,
    pub expected: i64,
    pub found: i64,
}

/// A layout, or where there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Explained(Explanation),
    Broken(Break),
}

/// The answer for a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    pub found: Found,
}

/// The most bits that a swizzle is tried with.
const MOST_BITS: u32 = 6;

/// The simplest explanation of a table. `None` for a table that is empty, too large, or not as long as its dimensions say.
pub fn fit(table: &Table) -> Option<Fit> {
    let sizes: Vec<usize> = table.dimensions.iter().map(|(_, n)| *n).collect();
    let n = sizes
        .iter()
        .try_fold(1usize, |all, n| all.checked_mul(*n))?;
    if n == 0 || n != table.values.len() || n as i64 > MAX_LISTED {
        return None;
    }
    let plain = affine(&sizes, &table.values, None);
    let found = match plain {
        Ok(layout) => Found::Explained(Explanation::Layout(layout)),
        Err(index) => swizzled(&sizes, &table.values)
            .map(Explanation::Layout)
            .or_else(|| linear(table, &sizes))
            .map_or_else(
                || Found::Broken(broken(&sizes, &table.values, index)),
                Found::Explained,
            ),
    };
    Some(Fit { found })
}

/// Places under a swizzle: of the layout, after it is taken off.
fn at(values: &[i64], swizzle: Option<Swizzle>, index: usize) -> i64 {
    let value = values.get(index).copied().unwrap_or(0);
    swizzle.map_or(value, |swizzle| swizzle.apply(value))
}

/// The shape and stride that explain a table without its swizzle; otherwise the index where it breaks.
fn affine(sizes: &[usize], values: &[i64], swizzle: Option<Swizzle>) -> Result<Composed, usize> {
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
        None => Ok(Composed {
            swizzle,
            offset: first,
            layout,
        }),
    }
}

/// The modes of a sequence that begins with 0: equal steps as far as they go, then the same again.
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

/// The swizzle with the fewest bits that leaves a shape and stride.
fn swizzled(sizes: &[usize], values: &[i64]) -> Option<Composed> {
    if values.iter().any(|value| *value < 0) {
        return None;
    }
    let all = values.iter().fold(0, |all, value| all | value);
    let width = 64 - all.leading_zeros();
    for bits in 1..=MOST_BITS {
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

/// Bases, where each dimension is a power of two.
fn linear(table: &Table, sizes: &[usize]) -> Option<Explanation> {
    if !sizes.iter().all(|size| size.is_power_of_two()) {
        return None;
    }
    let first = table.values.first().copied()?;
    let inputs = table.dimensions.iter();
    let inputs = inputs.map(|(name, size)| Dimension::new(name.clone(), size.trailing_zeros()));
    let places: Vec<i64> = table.values.iter().map(|value| value ^ first).collect();
    let bases = linear_of(&places, inputs.collect()).ok()?;
    Some(Explanation::Linear { first, bases })
}

/// What is found at an index, and what the elements before it suggest: along each dimension the layout that its beginning has.
fn broken(sizes: &[usize], values: &[i64], index: usize) -> Break {
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
    Break {
        coordinates,
        expected,
        found: at(values, None, index),
    }
}

/// The place of a coordinate by the places of smaller ones.
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
