//! Products of layouts: copies of one layout at the offsets of another layout.

use crate::divide::{Flatten, Tiler, compose_by_mode, spread, zip_modes};
use crate::{Layout, LayoutError, complement, composition};

/// Returns `(layout, copies)` with a copy of `layout` per element of `tiler`. A tiler with modes multiplies each
/// top-level mode.
pub fn logical_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    compose_by_mode(layout, tiler, &product_one)
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

/// Multiplies as [`logical_product`] does. The first mode of the result contains all layouts, and the second mode
/// contains all copies.
pub fn zipped_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    zip_modes(layout, tiler, &product_one)
}

/// Multiplies as [`zipped_product`] does. Each mode of the copies is a separate mode.
pub fn tiled_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    spread(&zipped_product(layout, tiler)?, Flatten::Second)
}

/// Multiplies as [`zipped_product`] does. Each mode of the layout and of the copies is a separate mode.
pub fn flat_product(layout: &Layout, tiler: &Tiler) -> Result<Layout, LayoutError> {
    spread(&zipped_product(layout, tiler)?, Flatten::Both)
}

/// Returns adjacent copies of a block. In each top-level mode, the mode of the block varies faster than the mode of
/// the copies.
pub fn blocked_product(block: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let (block, copies) = ranked(block, tiler)?;
    zipped(&block, &copies)
}

/// Returns interleaved copies of a block. In each top-level mode, the mode of the copies varies faster than the
/// mode of the block.
pub fn raked_product(block: &Layout, tiler: &Layout) -> Result<Layout, LayoutError> {
    let (block, copies) = ranked(block, tiler)?;
    zipped(&copies, &block)
}

/// Returns both factors of the product, padded to the same rank.
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
