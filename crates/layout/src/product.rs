//! A layout repeated: at each place of another one there is a copy.

use crate::divide::{Spread, Tiler, by_part, spread, unzipped};
use crate::{Layout, LayoutError, complement, composition};

/// A copy of `layout` at each place that `tiler` names: `(layout, copies)`, for each part where the tiler has parts.
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    by_part(layout, tiler, &product_one)
}

fn product_one(layout: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let size = layout
        .size()
        .checked_mul(tiler.cosize())
        .filter(|size| *size <= crate::MAX_SIZE)
        .ok_or_else(|| {
            LayoutError::of(format!("the product of {layout} and {tiler} is too large"))
        })?;
    let copies = composition(&complement(layout, size)?, tiler)?;
    Layout::of_parts(&[layout.clone(), copies])
}

/// As [`logical_product`], with all layouts in the first part and all copies in the second.
pub fn zipped_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    unzipped(layout, tiler, &product_one)
}

/// As [`zipped_product`], with the copies in parts of their own.
pub fn tiled_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    spread(&zipped_product(layout, tiler)?, Spread::Second)
}

/// As [`zipped_product`], with layouts and copies in parts of their own.
pub fn flat_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    spread(&zipped_product(layout, tiler)?, Spread::Both)
}

/// Copies of a block side by side: each part is the block's, then the copies'.
pub fn blocked_product(block: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let (block, copies) = ranked(block, tiler)?;
    zipped(&block, &copies)
}

/// Copies of a block in between each other: each part is the copies', then the block's.
pub fn raked_product(block: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let (block, copies) = ranked(block, tiler)?;
    zipped(&copies, &block)
}

/// Both halves of the product, with as many parts.
fn ranked(block: &Layout, tiler: &Layout) -> Result<(Layout, Layout), LayoutError> {
    let rank = block.rank().max(tiler.rank());
    let product = product_one(&padded(block, rank)?, &padded(tiler, rank)?)?;
    Ok((product.part(0), product.part(1)))
}

fn padded(layout: &Layout, rank: usize) -> Result<Layout, LayoutError> {
    let mut parts = layout.parts();
    while parts.len() < rank {
        parts.push(Layout::of(1, 0)?);
    }
    Layout::of_parts(&parts)
}

fn zipped(first: &Layout, second: &Layout) -> Result<Layout, LayoutError> {
    let pairs = first.parts().into_iter().zip(second.parts());
    let parts: Result<Vec<Layout>, _> = pairs
        .map(|(first, second)| Layout::of_parts(&[first, second]))
        .collect();
    Layout::of_parts(&parts?)
}
