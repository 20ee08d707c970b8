//! Tiles of a layout: it is divided by a tiler into the tile and the rest.

use crate::{Layout, LayoutError, Tuple, complement, composition};
use std::fmt;

/// What a layout is divided or multiplied by: a layout, or one for each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tiler {
    Whole(Layout),
    Each(Vec<Tiler>),
}

/// What can be divided: a shape with strides, whatever these are.
pub trait Strided: Clone + fmt::Display {
    /// Its shape.
    fn shape(&self) -> &Tuple;
    /// Returns the number of elements.
    fn size(&self) -> i64;
    /// Its modes on the outside: itself, where it has no brackets.
    fn parts(&self) -> Vec<Self>;
    /// Layouts side by side, each a mode of the result.
    fn of_parts(parts: &[Self]) -> Result<Self, LayoutError>;
    /// It after a layout of its indices.
    fn after(&self, right: &Layout) -> Result<Self, LayoutError>;

    /// A part by its number; itself, where it has no such.
    fn part_at(&self, at: usize) -> Self {
        self.parts()
            .into_iter()
            .nth(at)
            .unwrap_or_else(|| self.clone())
    }
}

impl Strided for Layout {
    fn shape(&self) -> &Tuple {
        Layout::shape(self)
    }

    fn size(&self) -> i64 {
        Layout::size(self)
    }

    fn parts(&self) -> Vec<Layout> {
        Layout::parts(self)
    }

    fn of_parts(parts: &[Layout]) -> Result<Layout, LayoutError> {
        Layout::of_parts(parts)
    }

    fn after(&self, right: &Layout) -> Result<Layout, LayoutError> {
        composition(self, right)
    }
}

/// A layout after another one for each part, or after one as a whole.
pub(crate) fn by_part<L: Strided>(
    layout: &L,
    tiler: &Tiler,
    operation: &dyn Fn(&L, &Layout) -> Result<L, LayoutError>,
) -> Result<L, LayoutError> {
    match tiler {
        Tiler::Whole(whole) => operation(layout, whole),
        Tiler::Each(tilers) => {
            let mut parts = layout.parts();
            check_rank(layout, tilers)?;
            for (part, tiler) in parts.iter_mut().zip(tilers) {
                *part = by_part(part, tiler, operation)?;
            }
            L::of_parts(&parts)
        }
    }
}

fn check_rank(layout: &impl Strided, tilers: &[Tiler]) -> Result<(), LayoutError> {
    let rank = layout.shape().rank();
    if rank < tilers.len() || (layout.shape().is_one() && tilers.len() > 1) {
        return Err(LayoutError::of(format!(
            "found a tiler with {} modes for the layout {layout}, expected at most {rank} modes",
            tilers.len()
        )));
    }
    Ok(())
}

/// The tile that `tiler` picks, and the rest: `(tile, rest)`, for each part where the tiler has parts.
pub fn logical_divide<L: Strided>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    by_part(layout, tiler, &divide_one)
}

fn divide_one<L: Strided>(layout: &L, tiler: &Layout) -> Result<L, LayoutError> {
    let rest = complement(tiler, layout.size())?;
    layout.after(&Layout::of_parts(&[tiler.clone(), rest])?)
}

/// As [`logical_divide`], with all tiles in the first part and all rests in the second.
pub fn zipped_divide<L: Strided>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    unzipped(layout, tiler, &divide_one)
}

/// As [`zipped_divide`], with the rests in parts of their own.
pub fn tiled_divide<L: Strided>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Spread::Second)
}

/// As [`zipped_divide`], with tiles and rests in parts of their own.
pub fn flat_divide<L: Strided>(layout: &L, tiler: &Tiler) -> Result<L, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Spread::Both)
}

/// Which parts of a pair lose their brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    Second,
    Both,
}

pub(crate) fn spread<L: Strided>(zipped: &L, how: Spread) -> Result<L, LayoutError> {
    let mut parts = match how {
        Spread::Second => vec![zipped.part_at(0)],
        Spread::Both => zipped.part_at(0).parts(),
    };
    parts.extend(zipped.part_at(1).parts());
    L::of_parts(&parts)
}

/// Gathers the firsts and the seconds of an operation that gives pairs.
pub(crate) fn unzipped<L: Strided>(
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
    for (at, part) in layout.parts().into_iter().enumerate() {
        match tilers.get(at) {
            Some(tiler) => {
                let split = unzipped(&part, tiler, operation)?;
                firsts.push(split.part_at(0));
                seconds.push(split.part_at(1));
            }
            None => seconds.push(part),
        }
    }
    L::of_parts(&[L::of_parts(&firsts)?, L::of_parts(&seconds)?])
}

impl From<&Tuple> for Tiler {
    /// A number is that many neighbours; brackets are one tiler for each part. Numbers below 1 become 1.
    fn from(tuple: &Tuple) -> Tiler {
        match tuple {
            Tuple::One(n) => match Layout::of((*n).max(1), 1) {
                Ok(layout) => Tiler::Whole(layout),
                Err(_) => Tiler::Each(Vec::new()),
            },
            Tuple::Many(all) => Tiler::Each(all.iter().map(Tiler::from).collect()),
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
