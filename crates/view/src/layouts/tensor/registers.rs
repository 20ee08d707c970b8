//! Layouts in registers: operand A and the accumulator of `wgmma`, and the metadata of sparse operands.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::query_parameters::{QueryParams, ShapeLimits};
use crate::layouts::tensor::{ElementLocation, LayoutView, RegisterShape};
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::{SparseMetadataLayout, accumulator_element, operand_element};

/// Number of threads in a warpgroup.
const THREADS: usize = 128;
/// Number of lanes in a warp.
const LANES: usize = 32;
const ROWS: usize = 16;
/// Limits of the shapes of `wgmma`.
pub(crate) const WARPGROUP: ShapeLimits = ShapeLimits {
    rows: &[64],
    columns: (8, 256, 8),
    usual: (64, 64),
};
const LETTERS: &str = "L = lane of the warp, w = warp of the warpgroup, r = register, e = element of the register (element 0 is in the low bits)";

/// Returns the size in bits that an element of type `ty` occupies. `tf32` elements occupy 32 bits.
pub(crate) fn bits_of(ty: &str) -> u32 {
    match ScalarType::from_name(ty) {
        Some(ScalarType::Tf32) | None => 32,
        Some(ty) => ty.width_bits(),
    }
}

pub(crate) fn sums(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let ty = words.choice("type", &["f32", "f16", "s32"], "the type of D")?;
    let (rows, columns) = words.shape(WARPGROUP)?;
    let per_register = if ty == "f16" { 2 } else { 1 };
    let size = RegisterShape {
        threads: THREADS,
        registers: columns / 2 / per_register,
        elements: per_register,
    };
    let view = LayoutView::from_registers(rows, columns, size, &|thread, register, position| {
        let (row, column) = accumulator_element(thread % LANES, register * per_register + position);
        (thread / LANES * ROWS + row, column)
    });
    Ok(LayoutView {
        title: format!(
            "Accumulator D of `wgmma.mma_async`, {rows} × {columns} of `{ty}`, in registers of a warpgroup"
        ),
        rule: format!(
            "row = 16*w + L/4 + 8*(v/2 % 2), column = 8*(v/4) + 2*(L%4) + v%2, with v = {}",
            if per_register == 2 { "2*r + e" } else { "r" }
        ),
        letters: LETTERS.to_owned(),
        element_bits: bits_of(ty),
        ..view
    })
}

pub(crate) fn factor(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let types = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "b1"];
    let ty = words.choice("type", &types, "the type of A")?;
    let bits = bits_of(ty);
    let per_register = (32 / bits) as usize;
    let depth = 8 * per_register;
    let size = RegisterShape {
        threads: THREADS,
        registers: 4,
        elements: per_register,
    };
    let view = LayoutView::from_registers(64, depth, size, &|thread, register, position| {
        let (row, column) = operand_element(thread % LANES, register, position, per_register);
        (thread / LANES * ROWS + row, column)
    });
    let mut notes = vec![format!(
        "A sparse matrix A stores half of its columns. The diagram shows {depth} stored columns, which represent {} columns of A.",
        2 * depth
    )];
    if bits == 1 {
        notes.push(
            "For `b1`, Warpgrid assumes that the layout follows the rule of the other types."
                .to_owned(),
        );
    }
    Ok(LayoutView {
        title: format!(
            "A of `wgmma.mma_async`, 64 × {depth} of `{ty}`, in registers of a warpgroup"
        ),
        rule: format!(
            "row = 16*w + L/4 + 8*(r%2), column = {per_register}*(L%4) + e + {}*(r/2)",
            4 * per_register
        ),
        letters: LETTERS.to_owned(),
        notes,
        confidence: if bits == 1 { "medium" } else { "high" }.to_owned(),
        element_bits: bits,
        ..view
    })
}

/// Instruction that multiplies a sparse matrix A, for which the metadata layout is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SparseOperation {
    /// `mma.sp`
    Mma,
    /// `wgmma.mma_async.sp`
    Wgmma,
}

impl SparseOperation {
    fn name(self) -> &'static str {
        match self {
            SparseOperation::Mma => "mma.sp",
            SparseOperation::Wgmma => "wgmma.mma_async.sp",
        }
    }

    /// Returns the number of rows of matrix A.
    fn rows(self) -> usize {
        match self {
            SparseOperation::Mma => ROWS,
            SparseOperation::Wgmma => 64,
        }
    }

    fn types(self) -> &'static [&'static str] {
        const TYPES: [&str; 9] = [
            "f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8", "s4", "u4",
        ];
        match self {
            SparseOperation::Mma => &TYPES,
            SparseOperation::Wgmma => &TYPES[..7],
        }
    }

    /// Returns the possible numbers of columns of the dense matrix A for elements of `bits` bits.
    fn depths(self, bits: u32) -> &'static [&'static str] {
        match (self, bits) {
            (SparseOperation::Wgmma, 16) => &["32"],
            (SparseOperation::Wgmma, 32) => &["16"],
            (SparseOperation::Wgmma, _) => &["64"],
            (SparseOperation::Mma, 16) => &["32", "16"],
            (SparseOperation::Mma, 32) => &["16", "8"],
            (SparseOperation::Mma, 8) => &["64", "32"],
            (SparseOperation::Mma, _) => &["128", "64"],
        }
    }
}

/// Returns the layout of the metadata of a sparse matrix A.
pub(crate) fn metadata(
    words: &mut QueryParams<'_>,
    operation: SparseOperation,
) -> Result<LayoutView, FragmentRequestError> {
    let ty = words.choice("type", operation.types(), "the type of A")?;
    let bits = bits_of(ty);
    let depths = operation.depths(bits);
    let depth = words.choice("k", depths, "the number of columns of the dense matrix A")?;
    let depth: usize = depth.parse().unwrap_or(32);
    let of = |selector| SparseMetadataLayout {
        bits,
        depth,
        selector,
    };
    let chunk = of(0).chunk();
    let n_chunks = depth / chunk;
    // Compute how many lanes of each group of four lanes one value of the sparsity selector selects. Each other value of the selector
    // selects different lanes.
    let read = (0..n_chunks).flat_map(|chunk| [0, 8].map(|row| of(0).place(row, chunk).0 % 4));
    let n_read = read.max().map_or(1, |last| last + 1);
    let selectors = ["every", "0", "1", "2", "3"];
    let chosen = words.choice(
        "selector",
        &selectors[..=4 / n_read.next_power_of_two()],
        "the lanes of each group of four lanes that supply the metadata",
    )?;
    let chosen: Vec<u32> = match chosen.parse() {
        Ok(one) => vec![one],
        Err(_) => (0..4 / n_read.next_power_of_two() as u32).collect(),
    };
    let rows = operation.rows();
    let places = |row: usize, chunk: usize| -> Vec<ElementLocation> {
        let place = |selector: &u32| {
            let (lane, bit) = of(*selector).place(row % ROWS, chunk);
            vec![(row / ROWS * LANES + lane) as u32, bit as u32]
        };
        chosen.iter().map(place).collect()
    };
    let selection = match bits {
        32 => "1 of 2 columns: `0100` selects the left column, and `1110` selects the right column".to_owned(),
        4 => "two pairs of 8 columns: the index of the lower pair is in the low bits".to_owned(),
        _ => "2 of 4 columns: the index of the first column is in the low bits, and the index of the second column is in the high bits"
            .to_owned(),
    };
    Ok(LayoutView {
        title: format!(
            "Metadata of `{}` for A of `{ty}`, {rows} × {depth}, in a register of each thread",
            operation.name()
        ),
        rule: format!("the 4 bits of a chunk select {selection}"),
        letters: "T = thread, b = position of the lowest of the 4 bits".to_owned(),
        notes: match chosen.len() {
            1 => Vec::new(),
            n => vec![format!(
                "{n} threads can hold the metadata of a chunk. The sparsity selector determines the thread that supplies the metadata."
            )],
        },
        column_name: format!("chunk of {chunk} columns"),
        element_bits: 4,
        ..LayoutView::from_grid(rows, n_chunks, &["thread", "bit"], &places)
    })
}
