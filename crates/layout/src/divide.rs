//! Division of a layout by a tiler into tiles and the arrangement of the tiles.

use crate::{Layout, LayoutError, Tuple, complement, composition};
use std::fmt;

/// Divisor or multiplier of a layout: one layout, or a tiler per mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tiler {
    Whole(Layout),
    Each(Vec<Tiler>),
}

/// Layout that can be divided, with integer or coordinate strides.
pub trait TileableLayout: Clone + fmt::Display {
    /// Returns the shape.
    fn shape(&self) -> &Tuple;
    /// Returns the number of elements.
    fn size(&self) -> i64;
    /// Returns the top-level modes. A layout without nesting is its own mode.
    fn modes(&self) -> Vec<Self>;
    /// Creates a layout whose top-level modes are these layouts.
    fn from_modes(parts: &[Self]) -> Result<Self, LayoutError>;
    /// Returns the composition with a layout of indices.
    fn compose(&self, right: &Layout) -> Result<Self, LayoutError>;

    /// Returns a top-level mode, or the layout itself if the mode does not exist.
    fn part_at(&self, at: usize) -> Self {
        self.modes()
            .into_iter()
            .nth(at)
            .unwrap_or_else(|| self.clone())
    }
}

impl TileableLayout for Layout {
    fn shape(&self) -> &Tuple {
        Layout::shape(self)
    }

    fn size(&self) -> i64 {
        Layout::size(self)
    }

    fn modes(&self) -> Vec<Layout> {
        Layout::parts(self)
    }

    fn from_modes(parts: &[Layout]) -> Result<Layout, LayoutError> {
        Layout::of_parts(parts)
    }

    fn compose(&self, right: &Layout) -> Result<Layout, LayoutError> {
        composition(self, right)
    }
}

/// Composes a layout with one layout, or each top-level mode with the tiler of the mode.
pub(crate) fn compose_by_mode<L: TileableLayout>(
    layout: &L,
    tiler: &Tiler,
    operation: &dyn Fn(&L, &Layout) -> Result<L, LayoutError>,
) -> Result<L, LayoutError> {
    match tiler {
        Tiler::Whole(whole) => operation(layout, whole),
        Tiler::Each(tilers) => {
            let mut parts = layout.modes();
            check_rank(layout, tilers)?;
            for (part, tiler) in parts.iter_mut().zip(tilers) {
                *part = compose_by_mode(part, tiler, operation)?;
            }
            L::from_modes(&parts)
        }
    }
}

fn check_rank(layout: &impl TileableLayout, tilers: &[Tiler]) -> Result<(), LayoutError> {
    let rank = layout.shape().rank();
    if rank < tilers.len() || (layout.shape().is_one() && tilers.len() > 1) {
        return Err(LayoutError::of(format!(
            "found a tiler with {} modes for the layout {layout}, expected at most {rank} modes",
            tilers.len()
        )));
    }
    Ok(())
}

/// Divides a layout into `(tile, rest)`. A tiler with modes divides each top-level mode.
pub fn logical_divide<L: TileableLayout>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    compose_by_mode(layout, tiler, &divide_one)
}

fn divide_one<L: TileableLayout>(layout: &L, tiler: &Layout) -> Result<L, LayoutError> {
    let rest = complement(tiler, layout.size())?;
    layout.compose(&Layout::of_parts(&[tiler.clone(), rest])?)
}

/// Divides a layout as [`logical_divide`] does. The first mode of the result contains all tiles, and the second
/// mode contains all rests.
pub fn zipped_divide<L: TileableLayout>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    zip_modes(layout, tiler, &divide_one)
}

/// Divides a layout as [`zipped_divide`] does. Each rest is a separate mode.
pub fn tiled_divide<L: TileableLayout>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Flatten::Second)
}

/// Divides a layout as [`zipped_divide`] does. Each tile mode and each rest is a separate mode.
pub fn flat_divide<L: TileableLayout>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Flatten::Both)
}

/// Modes of a zipped pair that [`spread`] flattens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flatten {
    Second,
    Both,
}

pub(crate) fn spread<L: TileableLayout>(zipped: &L, how: Flatten) -> Result<L, LayoutError> {
    let mut parts = match how {
        Flatten::Second => vec![zipped.part_at(0)],
        Flatten::Both => zipped.part_at(0).modes(),
    };
    parts.extend(zipped.part_at(1).modes());
    L::from_modes(&parts)
}

/// Collects the first and the second elements of the pairs that an operation returns.
pub(crate) fn zip_modes<L: TileableLayout>(
    layout: &L,
    tiler: &Tiler,
    operation: &dyn Fn(&L, &Layout) -> Result<L, LayoutError>,
) -> Result<L, LayoutError> {
    let tilers = match tiler {
        Tiler::Whole(whole) => return operation(layout, whole),
        Tiler::Each(tilers) => tilers,
    };
    check_rank(layout, tilers)?;
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for (at, part) in layout.modes().into_iter().enumerate() {
        match tilers.get(at) {
            Some(tiler) => {
                let split = zip_modes(&part, tiler, operation)?;
                firsts.push(split.part_at(0));
                seconds.push(split.part_at(1));
            }
            None => seconds.push(part),
        }
    }
    L::from_modes(&[L::from_modes(&firsts)?, L::from_modes(&seconds)?])
}

impl From<&Tuple> for Tiler {
    /// Converts a number to a contiguous tile of this size, and a tuple to a tiler per mode. Numbers below 1 become
    /// 1.
    fn from(tuple: &Tuple) -> Tiler {
        match tuple {
            Tuple::Leaf(n) => match Layout::of((*n).max(1), 1) {
                Ok(layout) => Tiler::Whole(layout),
                Err(_) => Tiler::Each(Vec::new()),
            },
            Tuple::Node(all) => Tiler::Each(all.iter().map(Tiler::from).collect()),
        }
    }
}

impl fmt::Display for Tiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiler::Whole(layout) => write!(f, "{layout}"),
            Tiler::Each(all) => {
                f.write_str("<")?;
                for (at, part) in all.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{part}")?;
                }
                f.write_str(">")
            }
        }
    }
}
