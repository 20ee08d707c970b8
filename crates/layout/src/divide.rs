//! Tiles of a layout: it is divided by a tiler into the tile and the rest.

use crate::{Layout, LayoutError, Tuple, complement, composition};
use std::fmt;

/// What a layout is divided or multiplied by: a layout, or one for each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tiler {
    Whole(Layout),
    Each(Vec<Tiler>),
}

/// A layout after another one for each part, or after one as a whole.
pub(crate) fn by_part(
    layout: &Layout,
    tiler: &Tiler,
    operation: &dyn Fn(&Layout, &Layout) -> Result<Layout, LayoutError>,
) -> Result<Layout, LayoutError> {
    match tiler {
        Tiler::Whole(whole) => operation(layout, whole),
        Tiler::Each(tilers) => {
            let mut parts = layout.parts();
            check_rank(layout, tilers)?;
            for (part, tiler) in parts.iter_mut().zip(tilers) {
                *part = by_part(part, tiler, operation)?;
            }
            Layout::of_parts(&parts)
        }
    }
}

fn check_rank(layout: &Layout, tilers: &[Tiler]) -> Result<(), LayoutError> {
    let rank = layout.rank();
    if rank < tilers.len() || (layout.shape().is_one() && tilers.len() > 1) {
        return Err(LayoutError::of(format!(
            "found a tiler of {} parts for {layout}, expected at most {rank}",
            tilers.len()
        )));
    }
    Ok(())
}

/// The tile that `tiler` picks, and the rest: `(tile, rest)`, for each part where the tiler has parts.
pub fn logical_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    by_part(layout, tiler, &divide_one)
}

fn divide_one(layout: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let rest = complement(tiler, layout.size())?;
    composition(layout, &Layout::of_parts(&[tiler.clone(), rest])?)
}

/// As [`logical_divide`], with all tiles in the first part and all rests in the second.
pub fn zipped_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    unzipped(layout, tiler, &divide_one)
}

/// As [`zipped_divide`], with the rests in parts of their own.
pub fn tiled_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Spread::Second)
}

/// As [`zipped_divide`], with tiles and rests in parts of their own.
pub fn flat_divide(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    let zipped = zipped_divide(layout, tiler)?;
    spread(&zipped, Spread::Both)
}

/// Which parts of a pair lose their brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    Second,
    Both,
}

pub(crate) fn spread(zipped: &Layout, how: Spread) -> Result<Layout, LayoutError> {
    let mut parts = match how {
        Spread::Second => vec![zipped.part(0)],
        Spread::Both => zipped.part(0).parts(),
    };
    parts.extend(zipped.part(1).parts());
    Layout::of_parts(&parts)
}

/// Gathers the firsts and the seconds of an operation that gives pairs.
pub(crate) fn unzipped(
    layout: &Layout,
    tiler: &Tiler,
    operation: &dyn Fn(&Layout, &Layout) -> Result<Layout, LayoutError>,
) -> Result<Layout, LayoutError> {
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
                firsts.push(split.part(0));
                seconds.push(split.part(1));
            }
            None => seconds.push(part),
        }
    }
    Layout::of_parts(&[Layout::of_parts(&firsts)?, Layout::of_parts(&seconds)?])
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
