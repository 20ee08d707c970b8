//! Layouts in tensor memory: transfers between registers and tensor memory, copies from shared memory, accumulators, operand A, scale
//! factors, and metadata.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::query_parameters::{QueryParams, ShapeLimits};
use crate::layouts::tensor::registers::bits_of;
use crate::layouts::tensor::{ElementLocation, LayoutView, Operand, RegisterShape, refusal};
use warpgrid_isa::tensor_layout::{
    AccumulatorLayout, copied_lanes, metadata_place, scale_factor_location, transfer_location,
};
use warpgrid_isa::{TensorMemoryAccessShape, TensorMemoryCopyShape, WarpMulticast};
use warpgrid_program::counted;

/// Number of lanes of a warp.
const LANES: usize = 32;
/// Number of columns of tensor memory.
const COLUMNS: u64 = 512;
/// Limits of the shapes of `tcgen05.mma`.
pub(crate) const PRODUCT: ShapeLimits = ShapeLimits {
    rows: &[32, 64, 128, 256],
    columns: (8, 256, 8),
    usual: (128, 64),
};
const LETTERS: &str = "lanes and columns are relative to the tensor memory address of the operand";

/// Direction of a transfer between registers and tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoveDirection {
    /// `tcgen05.ld`
    Load,
    /// `tcgen05.st`
    Store,
}

/// Returns the layout of the registers that `tcgen05.ld` writes or `tcgen05.st` reads.
pub(crate) fn moved(
    words: &mut QueryParams<'_>,
    direction: MoveDirection,
) -> Result<LayoutView, FragmentRequestError> {
    const SHAPES: [(&str, TensorMemoryAccessShape); 5] = [
        ("32x32b", TensorMemoryAccessShape::M32x32),
        ("16x64b", TensorMemoryAccessShape::M16x64),
        ("16x128b", TensorMemoryAccessShape::M16x128),
        ("16x256b", TensorMemoryAccessShape::M16x256),
        ("16x32bx2", TensorMemoryAccessShape::M16x32x2),
    ];
    let names = SHAPES.map(|(name, _)| name);
    let name = words.choice(
        "shape",
        &names,
        "the shape of the transfer in lanes and bits",
    )?;
    let found = SHAPES.iter().find(|(shape, _)| *shape == name);
    let shape = found.map_or(TensorMemoryAccessShape::M32x32, |(_, shape)| *shape);
    let times = repetition_count(words, shape)?;
    let n_registers = times * shape.registers();
    let (verb, modifier) = match direction {
        MoveDirection::Load => ("ld", "pack"),
        MoveDirection::Store => ("st", "unpack"),
    };
    let packs = words.flag(
        modifier,
        "whether a register packs the low halves of two columns (`.pack::16b`, `.unpack::16b`)",
    )?;
    let per_register = if packs { 2 } else { 1 };
    let half = match shape {
        TensorMemoryAccessShape::M16x32x2 => {
            let about = "the number of columns between the halves of the lanes";
            words.number("half", n_registers as u64, COLUMNS - 1, about)? as u32
        }
        TensorMemoryAccessShape::M32x32
        | TensorMemoryAccessShape::M16x64
        | TensorMemoryAccessShape::M16x128
        | TensorMemoryAccessShape::M16x256 => 0,
    };
    let place = |thread: usize, register: usize, element: usize| {
        let (lane, column) = transfer_location(shape, half, thread as u32, register as u32);
        (lane as usize, column as usize * per_register + element)
    };
    let rows = if shape == TensorMemoryAccessShape::M32x32 {
        32
    } else {
        16
    };
    let last = (0..LANES).map(|thread| place(thread, n_registers - 1, per_register - 1).1);
    let columns = last.max().unwrap_or(0) + 1;
    let mut notes = vec![
        "Warp w of a warpgroup accesses lanes 32*w to 32*w + 31. A 16-lane shape starts at the first or the 17th of these lanes.".to_owned(),
    ];
    if packs {
        notes.push(match direction {
            MoveDirection::Store => "Each half of a register is stored to the low half of a column. Warpgrid stores zero to the upper half, which the PTX ISA manual does not document.".to_owned(),
            MoveDirection::Load => "A column c of the rule represents two columns of tensor memory. A register packs the low halves of columns 2*c and 2*c + 1.".to_owned(),
        });
    }
    let held = RegisterShape {
        threads: LANES,
        registers: n_registers,
        elements: per_register,
    };
    Ok(LayoutView {
        title: format!(
            "`tcgen05.{verb}.{name}.x{times}`: {n_registers} registers per lane of a warp, in tensor memory"
        ),
        rule: rule_of_move(shape).to_owned(),
        letters: format!("L = lane of the warp, r = register; {LETTERS}"),
        notes,
        row_name: "lane".to_owned(),
        element_bits: 32 / per_register as u32,
        ..LayoutView::from_registers(rows, columns, held, &place)
    })
}

/// Reads the repetition count of a transfer shape. One instruction can transfer at most 128 registers per thread.
fn repetition_count(
    words: &mut QueryParams<'_>,
    shape: TensorMemoryAccessShape,
) -> Result<usize, FragmentRequestError> {
    let number = |count: &str| count[1..].parse().unwrap_or(1);
    let mut counts = vec!["x4", "x1", "x2", "x8", "x16", "x32", "x64", "x128"];
    counts.retain(|count| number(count) * shape.registers() <= 128);
    let about = "the repetition count of the shape along the columns";
    words.choice("num", &counts, about).map(number)
}

fn rule_of_move(shape: TensorMemoryAccessShape) -> &'static str {
    match shape {
        TensorMemoryAccessShape::M32x32 => "lane = L, column = r",
        TensorMemoryAccessShape::M16x64 => "lane = L/4 + 8*(L%2), column = L/2%2 + 2*r",
        TensorMemoryAccessShape::M16x128 => "lane = L/4 + 8*(r%2), column = L%4 + 4*(r/2)",
        TensorMemoryAccessShape::M16x256 => {
            "lane = L/4 + 8*(r/2%2), column = 2*(L%4) + r%2 + 8*(r/4)"
        }
        TensorMemoryAccessShape::M16x32x2 => {
            "lane = L%16, column = r, plus half the columns for L >= 16"
        }
    }
}

/// Returns the layout of the rows that `tcgen05.cp` copies to tensor memory.
pub(crate) fn copied(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    const SHAPES: [(&str, TensorMemoryCopyShape, Option<WarpMulticast>); 6] = [
        ("128x256b", TensorMemoryCopyShape::L128x256, None),
        ("4x256b", TensorMemoryCopyShape::L4x256, None),
        ("128x128b", TensorMemoryCopyShape::L128x128, None),
        (
            "64x128b.warpx2::02_13",
            TensorMemoryCopyShape::L64x128,
            Some(WarpMulticast::X2Even),
        ),
        (
            "64x128b.warpx2::01_23",
            TensorMemoryCopyShape::L64x128,
            Some(WarpMulticast::X2Halves),
        ),
        (
            "32x128b.warpx4",
            TensorMemoryCopyShape::L32x128,
            Some(WarpMulticast::X4),
        ),
    ];
    let names = SHAPES.map(|(name, ..)| name);
    let name = words.choice(
        "shape",
        &names,
        "the shape of the copy, in rows and bits per row",
    )?;
    let found = SHAPES.iter().find(|(shape, ..)| *shape == name);
    let (shape, warps) = found.map_or(
        (TensorMemoryCopyShape::L128x256, None),
        |(_, shape, warps)| (*shape, *warps),
    );
    let (rows, bytes) = shape.rows_and_bytes();
    let places = |row: usize, word: usize| -> Vec<ElementLocation> {
        let lanes = copied_lanes(shape, warps, row as u32);
        lanes
            .into_iter()
            .map(|lane| vec![lane, word as u32])
            .collect()
    };
    let rule = match (shape, warps) {
        (TensorMemoryCopyShape::L128x256 | TensorMemoryCopyShape::L128x128, _) => {
            "lane = row, column = word"
        }
        (TensorMemoryCopyShape::L4x256, _) => "lane = 32*row, column = word",
        (TensorMemoryCopyShape::L64x128, Some(WarpMulticast::X2Halves)) => {
            "lane = row%32 + 64*(row/32) + 32*i for i = 0 and 1, column = word"
        }
        (TensorMemoryCopyShape::L64x128, _) => "lane = row + 64*i for i = 0 and 1, column = word",
        (TensorMemoryCopyShape::L32x128, _) => "lane = row + 32*i for i = 0 to 3, column = word",
    };
    Ok(LayoutView {
        title: format!(
            "`tcgen05.cp.{name}`: {rows} rows of {bytes} bytes of shared memory, in tensor memory"
        ),
        rule: rule.to_owned(),
        letters: LETTERS.to_owned(),
        notes: vec![
            "The descriptor determines the layout of the rows in shared memory, which is K-major."
                .to_owned(),
        ],
        column_name: "word".to_owned(),
        element_bits: 32,
        confidence: if shape == TensorMemoryCopyShape::L4x256 {
            "medium"
        } else {
            "high"
        }
        .to_owned(),
        ..LayoutView::from_grid(rows, bytes / 4, &["lane", "column"], &places)
    })
}

/// Reads the query parameters that determine the accumulator layout of an MMA instruction.
fn product(words: &mut QueryParams<'_>) -> Result<(AccumulatorLayout, char), FragmentRequestError> {
    let (m, n) = words.shape(PRODUCT)?;
    let groups: &[&str] = if m == 256 { &["2"] } else { &["1", "2"] };
    let group = words.choice(
        "cta_group",
        groups,
        "the number of blocks that execute the MMA (`.cta_group`)",
    )?;
    let is_stationary = match m {
        256 => false,
        _ => words.flag("ws", "weight-stationary MMA: `tcgen05.mma.ws`")?,
    };
    let is_sparse = words.flag("sparse", "whether A is sparse: `tcgen05.mma.sp`")?;
    let layout = AccumulatorLayout {
        m,
        n,
        n_blocks: if group == "2" { 2 } else { 1 },
        is_stationary,
        is_sparse,
    };
    let letter = layout.letter().ok_or_else(|| {
        refusal(format!(
            "found {} with {}{}, expected 128 or 64 with 1 block, 32 with `.ws`, 256 or 128 with 2 blocks",
            counted(m, "row"),
            counted(layout.n_blocks, "block"),
            if is_stationary { " and `.ws`" } else { "" }
        ))
    })?;
    Ok((layout, letter))
}

/// Returns the formulas for the lane and the column of an element of D, in the notation of the figures of the PTX ISA manual.
fn rule_of(letter: char, n: usize) -> String {
    match letter {
        'A' => "block = row/128, lane = row%128, column = column of D".to_owned(),
        'B' => format!(
            "block = row/64, lane = row%64 + 64*(column/{half}), column = column%{half}",
            half = n / 2
        ),
        'C' => "block = row/64, lane = row%64/16*32 + row%16, column = column of D".to_owned(),
        'E' => format!(
            "lane = row + 64*(column/{half}), column = column%{half}",
            half = n / 2
        ),
        'F' => "lane = row/16*32 + row%16, column = column of D".to_owned(),
        'G' => format!(
            "lane = row + 32*(column/{quarter}), column = column%{quarter}",
            quarter = n / 4
        ),
        _ => "lane = row, column = column of D".to_owned(),
    }
}

/// Returns the layout of the accumulator of `tcgen05.mma` in tensor memory.
pub(crate) fn sums(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let ty = words.choice("type", &["f32", "f16", "s32"], "the type of D")?;
    let (layout, letter) = product(words)?;
    let AccumulatorLayout { m, n, n_blocks, .. } = layout;
    let places = |row: usize, column: usize| -> Vec<ElementLocation> {
        let place = layout.place(row, column);
        let numbers =
            place.map(|(block, lane, column)| vec![block as u32, lane as u32, column as u32]);
        numbers.into_iter().collect()
    };
    let mut notes = Vec::new();
    if ty == "f16" {
        notes.push(
            "Each `f16` accumulator element occupies the low half of a separate column.".to_owned(),
        );
    }
    if letter == 'F' {
        notes
            .push("If the address of D is in lane 16, all rows are offset by 16 lanes.".to_owned());
    }
    if !n.is_multiple_of(16) {
        notes.push("For 128 rows of one block, the PTX ISA manual permits multiples of 8 columns, whereas CuTe requires multiples of 16.".to_owned());
    }
    Ok(LayoutView {
        title: format!(
            "Accumulator D of `tcgen05.mma`, {m} × {n} of `{ty}`, {}: layout {letter}, in tensor memory",
            if n_blocks == 2 {
                "two blocks"
            } else {
                "one block"
            }
        ),
        rule: rule_of(letter, n),
        letters: LETTERS.to_owned(),
        notes,
        element_bits: 32,
        ..LayoutView::from_grid(m, n, &["block", "lane", "column"], &places)
    })
}

/// Returns the layout of operand A of `tcgen05.mma` in tensor memory.
pub(crate) fn factor(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let types = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];
    let ty = words.choice("type", &types, "the type of A")?;
    let (layout, letter) = product(words)?;
    let bits = bits_of(ty) as usize;
    let depth = 256 / bits;
    let places = |row: usize, k: usize| -> Vec<ElementLocation> {
        let place = layout.place(row, 0);
        let numbers = place.map(|(block, lane, _)| {
            vec![
                block as u32,
                lane as u32,
                (k * bits / 32) as u32,
                (k * bits % 32) as u32,
            ]
        });
        numbers.into_iter().collect()
    };
    let is_open = letter == 'F' || letter == 'B';
    Ok(LayoutView {
        title: format!("A of `tcgen05.mma`, {} × {depth} of `{ty}`, in tensor memory", layout.m),
        rule: format!("lane as row of D in layout {letter}, column = k*{bits}/32, bit = k*{bits}%32"),
        letters: LETTERS.to_owned(),
        notes: match is_open {
            true => vec!["For 64 rows, and for 128 rows of two blocks, CuTe stores each row twice. The PTX ISA manual does not document which of the two copies the hardware reads.".to_owned()],
            false => Vec::new(),
        },
        confidence: if is_open { "medium" } else { "high" }.to_owned(),
        column_name: "k".to_owned(),
        element_bits: bits as u32,
        ..LayoutView::from_grid(layout.m, depth, &["block", "lane", "column", "bit"], &places)
    })
}

/// Returns the layout of the scale factors of the rows of A or of the columns of B in tensor memory.
pub(crate) fn scale(
    words: &mut QueryParams<'_>,
    factor: Operand,
) -> Result<LayoutView, FragmentRequestError> {
    let (m, n) = words.shape(PRODUCT)?;
    let vectors = ["1X", "2X", "4X"];
    let vector = words.choice(
        "scale_vec",
        &vectors,
        "the number of scale factors per row or column",
    )?;
    let n_factors = match vector {
        "1X" => 1,
        "2X" => 2,
        _ => 4,
    };
    let ids: &[&str] = match n_factors {
        1 => &["0", "1", "2", "3"],
        2 => &["0", "2"],
        _ => &["0"],
    };
    let id = words.choice(
        "id",
        ids,
        "the byte of the first scale factor, which is the scale factor ID of the instruction descriptor",
    )?;
    let id: u32 = id.parse().unwrap_or(0);
    let (lines, line_name, lines_name) = match factor {
        Operand::A => (m, "row of A", "rows of A"),
        Operand::B => (n, "column of B", "columns of B"),
    };
    let line = if factor == Operand::A {
        "row"
    } else {
        "column"
    };
    let places = |line: usize, factor: usize| -> Vec<ElementLocation> {
        let (lane, column) = scale_factor_location(line);
        let part = |part: u32| vec![lane as u32 + 32 * part, column as u32, id + factor as u32];
        (0..4).map(part).collect()
    };
    Ok(LayoutView {
        title: format!(
            "Scale factors of {lines} {lines_name}, `scale_vec::{vector}`, in tensor memory"
        ),
        rule: format!(
            "lane = {line}%32 + 32*i for i = 0 to 3, column = {line}/32, byte = {id} + scale"
        ),
        letters: LETTERS.to_owned(),
        notes: vec![
            "The scale factors must be replicated in all four groups of 32 lanes.".to_owned(),
        ],
        confidence: if lines == 256 { "medium" } else { "high" }.to_owned(),
        row_name: line_name.to_owned(),
        column_name: "scale".to_owned(),
        element_bits: 8,
        ..LayoutView::from_grid(lines, n_factors, &["lane", "column", "byte"], &places)
    })
}

/// Returns the layout of the sparsity metadata of `tcgen05.mma.sp` in tensor memory.
pub(crate) fn metadata(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let types = ["f16", "bf16", "tf32", "e4m3", "e5m2", "s8", "u8"];
    let ty = words.choice("type", &types, "the type of A")?;
    let bits = bits_of(ty);
    let depth = 512 / bits as usize;
    let chunk = if bits == 32 { 2 } else { 4 };
    let places = |row: usize, at: usize| -> Vec<ElementLocation> {
        let (lane, column, bit) = metadata_place(bits, depth, row, at * chunk);
        vec![vec![lane as u32, column as u32, bit as u32]]
    };
    let rule = match bits {
        8 => "lane = row, column = c/32, bit = c%32".to_owned(),
        _ => format!(
            "lane = row%8 + 16*(row/16) + 8*(c/{half}), column = 0, bit = 16*(row/8%2) + 4*(c%{half}/{chunk})",
            half = depth / 2
        ),
    };
    Ok(LayoutView {
        title: format!(
            "Metadata of `tcgen05.mma.sp` for A of `{ty}`, 128 × {depth}, in tensor memory"
        ),
        rule,
        letters: format!("c = first column of the chunk; {LETTERS}"),
        notes: vec![
            "The PTX ISA manual does not document the effect of the sparsity selector. Warpgrid assumes that the selector counts columns.".to_owned(),
        ],
        confidence: "medium".to_owned(),
        origin: "CuTe".to_owned(),
        column_name: format!("chunk of {chunk} columns"),
        element_bits: 4,
        ..LayoutView::from_grid(128, depth / chunk, &["lane", "column", "bit"], &places)
    })
}
