//! Columns of the stored elements of a sparse matrix (PTX ISA, "Sparse matrix storage"; for 8-bit elements as defined
//! by CuTe).

use crate::semantics::registers::Row32;
use warpgrid_isa::tensor_layout::SparseMetadataLayout;

/// Returns the columns of the stored elements of a row in storage order. `row` is the index of the row among the 16
/// rows of the operand tile.
pub(crate) fn stored_columns(
    sparsity: SparseMetadataLayout,
    row: usize,
    metadata: &Row32,
) -> Vec<usize> {
    let size = sparsity.chunk();
    (0..sparsity.depth / size)
        .flat_map(|chunk| {
            let (lane, bit) = sparsity.place(row, chunk);
            let choice = metadata[lane & 31] >> bit & 15;
            chosen(sparsity.bits, choice).map(move |column| chunk * size + column)
        })
        .collect()
}

/// Returns the columns within a chunk of a sparse row that the 4 metadata bits `choice` select.
pub(crate) fn chosen(bits: u32, choice: u32) -> impl Iterator<Item = usize> {
    let (first, second) = ((choice & 3) as usize, (choice >> 2 & 3) as usize);
    let (columns, n) = match bits {
        // The matrix stores one element of each pair, which the metadata selects.
        32 => ([first / 2, 0, 0, 0], 1),
        // The matrix stores two of four pairs of adjacent elements.
        4 => ([2 * first, 2 * first + 1, 2 * second, 2 * second + 1], 4),
        _ => ([first, second, 0, 0], 2),
    };
    columns.into_iter().take(n)
}
