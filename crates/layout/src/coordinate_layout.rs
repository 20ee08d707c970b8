//! Layouts whose strides are coordinates, such as `(128,64):(1@0,1@1)`. CuTe uses these layouts for tensor copies.
//! Such a layout maps an index to a coordinate.
//!
//! `64@1` is 64 steps along coordinate 1, and `1@1@0` is one step along part 1 of coordinate 0.

use crate::algebra::{ModeTraversal, traverse_modes};
use crate::divide::TileableLayout;
use crate::{Layout, LayoutError, MAX_LISTED, MAX_OFFSET, MAX_SIZE, Tuple};
use std::collections::BTreeSet;
use std::fmt;

/// Maximum number of elements of a composition that is checked element by element.
const MAX_CHECKED: i64 = 1 << 14;

/// Stride along one coordinate, or an integer stride.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScaledBasis {
    pub scale: i64,
    /// Coordinate, part of the coordinate, and so on. Empty for an integer stride.
    pub path: Vec<u32>,
}

impl ScaledBasis {
    /// Returns an integer stride.
    pub const fn plain(scale: i64) -> ScaledBasis {
        ScaledBasis {
            scale,
            path: Vec::new(),
        }
    }

    fn times(&self, steps: i64) -> Result<ScaledBasis, LayoutError> {
        let scale = self.scale.checked_mul(steps).filter(|far| is_near(*far));
        let scale = scale.ok_or_else(|| {
            LayoutError::of(format!(
                "the stride overflows, because it is {steps} times {self}"
            ))
        })?;
        Ok(ScaledBasis {
            scale,
            // A stride of zero is the same along every coordinate.
            path: if scale == 0 {
                Vec::new()
            } else {
                self.path.clone()
            },
        })
    }
}

const fn is_near(far: i64) -> bool {
    far >= -MAX_OFFSET && far <= MAX_OFFSET
}

impl fmt::Display for ScaledBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scale)?;
        self.path
            .iter()
            .rev()
            .try_for_each(|part| write!(f, "@{part}"))
    }
}

/// Shape with a coordinate stride per mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinateLayout {
    shape: Tuple,
    /// Strides in the order of the modes.
    strides: Vec<ScaledBasis>,
    /// Start along each coordinate.
    pub start: Vec<i64>,
}

impl CoordinateLayout {
    /// Creates a layout from a shape with a stride per mode.
    pub fn new(shape: Tuple, strides: Vec<ScaledBasis>) -> Result<CoordinateLayout, LayoutError> {
        let sizes = shape.leaves();
        if sizes.len() != strides.len() {
            return Err(LayoutError::of(format!(
                "found {} strides for the shape {shape}, expected {}",
                strides.len(),
                sizes.len()
            )));
        }
        let (mut size, mut reach) = (1i64, 0i64);
        for (own, stride) in sizes.iter().zip(&strides) {
            size = size
                .checked_mul(*own)
                .filter(|size| *own >= 1 && *size <= MAX_SIZE)
                .ok_or_else(|| {
                    LayoutError::of(format!(
                        "the size of the layout overflows at the extent {own}, expected at most {MAX_SIZE} elements"
                    ))
                })?;
            reach = (own - 1)
                .checked_mul(stride.scale)
                .and_then(|far| reach.checked_add(far.checked_abs()?))
                .filter(|reach| *reach <= MAX_OFFSET)
                .ok_or_else(|| {
                    LayoutError::of(format!("the coordinate overflows with the stride {stride}, expected a coordinate of at most {MAX_OFFSET}"))
                })?;
        }
        Ok(CoordinateLayout {
            shape,
            strides,
            start: Vec::new(),
        })
    }

    /// Returns the layout with another start.
    pub fn starting_at(self, start: Vec<i64>) -> CoordinateLayout {
        CoordinateLayout { start, ..self }
    }

    /// Returns the extents of the modes with their strides.
    fn modes(&self) -> impl Iterator<Item = (i64, &ScaledBasis)> {
        self.shape.leaves().into_iter().zip(&self.strides)
    }

    /// Returns the coordinates of all strides in ascending order, such as `[0]`, `[0, 1]`.
    pub fn paths(&self) -> Vec<Vec<u32>> {
        let own = self.strides.iter().filter(|stride| stride.scale != 0);
        let mut paths: BTreeSet<Vec<u32>> = own.map(|stride| stride.path.clone()).collect();
        let begun = self.start.iter().zip(0..).filter(|(at, _)| **at != 0);
        paths.extend(begun.map(|(_, along)| vec![along]));
        paths.into_iter().collect()
    }

    /// Returns the coordinate of an element along each of the [`CoordinateLayout::paths`].
    pub fn at(&self, index: i64) -> Vec<i64> {
        let paths = self.paths();
        let mut found: Vec<i64> = paths.iter().map(|path| self.start_along(path)).collect();
        let mut rest = index;
        let last = self.strides.len();
        for (at, (size, stride)) in self.modes().enumerate() {
            let digit = if at + 1 == last {
                rest
            } else {
                rest.rem_euclid(size)
            };
            rest = rest.div_euclid(size);
            let along = paths.iter().position(|path| *path == stride.path);
            if let Some(sum) = along.and_then(|along| found.get_mut(along)) {
                *sum = sum.wrapping_add(digit.wrapping_mul(stride.scale));
            }
        }
        found
    }

    fn start_along(&self, path: &[u32]) -> i64 {
        match path {
            [along] => self.start.get(*along as usize).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// Returns the coordinates of all elements. Returns an error if the layout has more than
    /// [`MAX_LISTED`](crate::MAX_LISTED) elements.
    pub fn all(&self) -> Result<Vec<Vec<i64>>, LayoutError> {
        let size = self.size();
        if size > MAX_LISTED {
            return Err(LayoutError::of(format!(
                "the layout has {size} elements, expected at most {MAX_LISTED} for a list of all elements"
            )));
        }
        Ok((0..size).map(|index| self.at(index)).collect())
    }

    /// Returns the layout with the fewest modes and the same coordinates.
    pub fn coalesced(&self) -> CoordinateLayout {
        let (mut sizes, mut strides): (Vec<i64>, Vec<ScaledBasis>) = (Vec::new(), Vec::new());
        for (size, stride) in self.modes().filter(|(size, _)| *size != 1) {
            match (sizes.last_mut(), strides.last()) {
                (Some(last), Some(before))
                    if before.path == stride.path && *last * before.scale == stride.scale =>
                {
                    *last *= size;
                }
                _ => {
                    sizes.push(size);
                    strides.push(stride.clone());
                }
            }
        }
        if sizes.is_empty() {
            (sizes, strides) = (vec![1], vec![ScaledBasis::plain(0)]);
        }
        CoordinateLayout {
            shape: Tuple::of_leaves(&sizes),
            strides,
            start: self.start.clone(),
        }
    }

    /// Returns the layout of one mode of a composition.
    fn walked(&self, found: &[ModeTraversal]) -> Result<CoordinateLayout, LayoutError> {
        let sizes: Vec<i64> = found.iter().map(|step| step.shape).collect();
        let strides = found.iter().map(|step| {
            let along = step.mode.and_then(|at| self.strides.get(at));
            along.map_or(Ok(ScaledBasis::plain(0)), |stride| stride.times(step.steps))
        });
        CoordinateLayout::new(Tuple::of_leaves(&sizes), strides.collect::<Result<_, _>>()?)
    }

    fn compose_tuple(
        &self,
        shape: &Tuple,
        stride: &Tuple,
    ) -> Result<CoordinateLayout, LayoutError> {
        match (shape, stride) {
            (Tuple::Leaf(shape), Tuple::Leaf(stride)) => {
                let sizes = self.shape.leaves();
                self.walked(&traverse_modes(&sizes, &self.strides, *shape, *stride)?)
            }
            (Tuple::Node(shapes), Tuple::Node(strides)) => {
                let pairs = shapes.iter().zip(strides);
                let parts: Result<Vec<_>, _> = pairs
                    .map(|(shape, stride)| self.compose_tuple(shape, stride))
                    .collect();
                CoordinateLayout::from_modes(&parts?)
            }
            _ => Err(LayoutError::of(format!(
                "found the stride {stride} for the shape {shape}, expected a stride that is congruent to the shape"
            ))),
        }
    }
}

impl TileableLayout for CoordinateLayout {
    fn shape(&self) -> &Tuple {
        &self.shape
    }

    fn size(&self) -> i64 {
        self.shape.leaves().iter().product()
    }

    fn modes(&self) -> Vec<CoordinateLayout> {
        let Tuple::Node(shapes) = &self.shape else {
            return vec![self.clone()];
        };
        let mut strides = self.strides.iter().cloned();
        let parts = shapes.iter().map(|shape| CoordinateLayout {
            shape: shape.clone(),
            strides: strides.by_ref().take(shape.leaves().len()).collect(),
            start: Vec::new(),
        });
        parts.collect()
    }

    fn from_modes(parts: &[CoordinateLayout]) -> Result<CoordinateLayout, LayoutError> {
        let shapes = parts.iter().map(|part| part.shape.clone());
        let strides = parts.iter().flat_map(|part| part.strides.iter().cloned());
        CoordinateLayout::new(Tuple::Node(shapes.collect()), strides.collect())
    }

    fn compose(&self, right: &Layout) -> Result<CoordinateLayout, LayoutError> {
        let left = self.coalesced();
        let mut result = left.compose_tuple(right.shape(), right.stride())?;
        result.start.clone_from(&self.start);
        let is_checked = right.size() <= MAX_CHECKED;
        let paths = self.paths();
        let along = |found: &CoordinateLayout, index: i64| -> Vec<i64> {
            let own = found.paths();
            let at = found.at(index);
            let place = |path: &Vec<u32>| own.iter().position(|other| other == path);
            let of = |path| place(path).and_then(|place| at.get(place).copied());
            paths
                .iter()
                .map(|path| of(path).unwrap_or(found.start_along(path)))
                .collect()
        };
        let is_same = |index: i64| along(&result, index) == along(self, right.offset(index));
        match !is_checked || (0..right.size()).all(is_same) {
            true => Ok(result),
            false => Err(LayoutError::of(format!(
                "cannot compose {self} with {right}: several modes of the right layout step through the same mode of the left layout, and no layout describes the result"
            ))),
        }
    }
}

impl fmt::Display for CoordinateLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start.iter().any(|number| *number != 0) {
            let numbers: Vec<String> = self.start.iter().map(i64::to_string).collect();
            write!(f, "ArithTuple({}) o ", numbers.join(","))?;
        }
        write!(f, "{}:", self.shape)?;
        write_strides(f, &self.shape, &mut self.strides.iter())
    }
}

/// Writes the strides with the nesting of the shape.
fn write_strides<'a>(
    f: &mut fmt::Formatter<'_>,
    shape: &Tuple,
    strides: &mut impl Iterator<Item = &'a ScaledBasis>,
) -> fmt::Result {
    match shape {
        Tuple::Leaf(_) => strides
            .next()
            .map_or(Ok(()), |stride| write!(f, "{stride}")),
        Tuple::Node(all) => {
            f.write_str("(")?;
            for (at, part) in all.iter().enumerate() {
                if at > 0 {
                    f.write_str(",")?;
                }
                write_strides(f, part, strides)?;
            }
            f.write_str(")")
        }
    }
}
