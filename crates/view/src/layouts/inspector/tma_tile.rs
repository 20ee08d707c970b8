//! Diagram of the tile that a tensor copy writes to shared memory. The module takes the parameters of the tensor map, and returns lines of
//! 128 bytes with the coordinates of each 16-byte chunk, with and without the swizzle. The result also contains the elements that a kernel
//! reads if it computes the swizzle relative to the tile instead of address 0.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::{ElementLocation, LayoutView, refusal};
use std::collections::BTreeMap;
use warpgrid_isa::ScalarType;
use warpgrid_isa::tensor_layout::SwizzleMode;

const LINE: u64 = 128;
const PIECE: u64 = 16;
/// Maximum extent of a box in elements along one dimension (PTX ISA, "Tensors").
const MAX_EXTENT: u64 = 256;
const MAX_BYTES: u64 = 0x3ffff;

/// Box that a tensor copy transfers, with the properties of the tensor map that determine its layout in shared memory.
struct CopyBox {
    ty: String,
    element_bytes: u64,
    columns: u64,
    rows: u64,
    swizzle: SwizzleMode,
    base: u64,
}

pub(crate) fn view(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let copied = read(words)?;
    const MEMORY: &str = "memory";
    const BEFORE: &str = "memory before the swizzle";
    const RELATIVE: &str = "elements read with a tile-relative swizzle";
    let about = "the memory after the swizzle, the memory before the swizzle, or the elements that a kernel reads if it computes the XOR of the swizzle with the row index of the tile";
    let shown = words.choice("shown", &[MEMORY, BEFORE, RELATIVE], about)?;
    let view = match shown {
        RELATIVE => copied.found_relative(),
        MEMORY => copied.memory(|unswizzled_offset| copied.swizzle.apply(unswizzled_offset)),
        _ => copied.memory(|plain| plain),
    };
    let CopyBox {
        ty,
        columns,
        rows,
        swizzle,
        base,
        ..
    } = &copied;
    Ok(LayoutView {
        title: format!(
            "A box of {columns} × {rows} of `{ty}`, swizzle {}, in shared memory from byte {base}",
            swizzle.name()
        ),
        rule: copied.rule(),
        letters: "es = element size in bytes; coordinate 0 belongs to the innermost dimension, which is contiguous"
            .to_owned(),
        notes: copied.notes(),
        element_bits: 8 * copied.element_bytes as u32,
        origin: "PTX ISA".to_owned(),
        ptx: vec![copied.annotation()],
        ..view
    })
}

fn read(words: &mut QueryParams<'_>) -> Result<CopyBox, FragmentRequestError> {
    let types = [
        "f16", "bf16", "f32", "f64", "u8", "u16", "u32", "u64", "s32", "s64",
    ];
    let ty = words.choice("type", &types, "the type of an element")?;
    let about = "the box extents in elements, starting with the innermost dimension, as in `64x8`";
    let extents = words.text("box", "64x8", about);
    let extent = |text: &str| {
        let number: Option<u64> = text.trim().parse().ok();
        number.filter(|n| (1..=MAX_EXTENT).contains(n))
    };
    let pair = extents.split_once('x');
    let pair = pair.and_then(|(columns, rows)| Some((extent(columns)?, extent(rows)?)));
    let (columns, rows) = pair.ok_or_else(|| {
        refusal(format!(
            "found the box `{extents}`, expected two extents from 1 to {MAX_EXTENT} such as `64x8`"
        ))
    })?;
    let names = SwizzleMode::ALL.map(SwizzleMode::name);
    // Move the most common swizzle mode to the first position, because the first name is the default.
    let mut names = names.to_vec();
    names.swap(0, 3);
    let name = words.choice("swizzle", &names, "the swizzle mode of the tensor map")?;
    let about = "the shared memory address of the tile";
    let base = words.number("base", 0, MAX_BYTES, about)?;
    if !base.is_multiple_of(PIECE) {
        return Err(refusal(format!(
            "found the base address {base}, expected a multiple of 16, which is the required alignment of tensor copies"
        )));
    }
    let element_bytes = ScalarType::from_name(ty).map_or(4, |ty| u64::from(ty.width_bytes()));
    Ok(CopyBox {
        ty: ty.to_owned(),
        element_bytes,
        columns,
        rows,
        swizzle: SwizzleMode::from_name(name).unwrap_or_default(),
        base,
    })
}

impl CopyBox {
    fn row_bytes(&self) -> u64 {
        self.columns * self.element_bytes
    }

    /// Returns the period of the swizzle pattern in bytes. The start address of the tile must be a multiple of this period.
    fn pattern(&self) -> u64 {
        match self.swizzle.span_bytes() {
            None => LINE,
            Some(span) => (8 * span).max(LINE),
        }
    }

    /// Returns the 16-byte chunks of the tile. Each returned item contains the coordinates of the first element of the chunk, and the byte
    /// offset of the chunk before the swizzle.
    fn pieces(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        let (row_bytes, size) = (self.row_bytes(), self.element_bytes);
        (0..self.rows).flat_map(move |row| {
            (0..row_bytes.div_ceil(PIECE)).map(move |piece| {
                let along = piece * PIECE;
                (along / size, row, self.base + row * row_bytes + along)
            })
        })
    }

    fn memory(&self, place: impl Fn(u64) -> u64) -> LayoutView {
        let pieces: BTreeMap<u64, (u64, u64)> = self
            .pieces()
            .map(|(column, row, plain)| (place(plain) / PIECE, (row, column)))
            .collect();
        let first = pieces.keys().next().copied().unwrap_or(0) * PIECE / LINE;
        let last = pieces.keys().next_back().copied().unwrap_or(0) * PIECE / LINE;
        let view = LayoutView::from_grid(
            (last - first + 1) as usize,
            (LINE / PIECE) as usize,
            &["row", "k"],
            &|line, piece| -> Vec<ElementLocation> {
                let number = (first + line as u64) * (LINE / PIECE) + piece as u64;
                let found = pieces.get(&number);
                found
                    .map(|(row, column)| vec![*row as u32, *column as u32])
                    .into_iter()
                    .collect()
            },
        );
        LayoutView {
            row_name: match first {
                0 => "128-byte line".to_owned(),
                first => format!("128-byte line from byte {}", first * LINE),
            },
            column_name: "16-byte chunk".to_owned(),
            ..view
        }
    }

    /// Returns a diagram of the elements that a kernel reads if it computes the swizzle as if the tile started at address 0.
    fn found_relative(&self) -> LayoutView {
        let stored: BTreeMap<u64, (u64, u64)> = self
            .pieces()
            .map(|(column, row, plain)| (self.swizzle.apply(plain), (row, column)))
            .collect();
        let mut found = BTreeMap::new();
        let mut wrong = Vec::new();
        let size = self.element_bytes;
        for (column, row, plain) in self.pieces() {
            let read = self.base + self.swizzle.apply(plain - self.base);
            let cell = [row as u32, (column * size / PIECE) as u32];
            match stored.get(&read) {
                Some(at) => {
                    found.insert(cell, vec![at.0 as u32, at.1 as u32]);
                    if *at != (row, column) {
                        wrong.push(cell);
                    }
                }
                None => wrong.push(cell),
            }
        }
        let rows = self.rows as usize;
        let n_pieces = self.row_bytes().div_ceil(PIECE) as usize;
        let view = LayoutView::from_grid(rows, n_pieces, &["row", "k"], &|row, piece| {
            let found = found.get(&[row as u32, piece as u32]);
            found.cloned().into_iter().collect()
        });
        LayoutView {
            row_name: "coordinate 1".to_owned(),
            column_name: "16-byte chunk".to_owned(),
            mismatched_cells: wrong,
            ..view
        }
    }

    fn rule(&self) -> String {
        let plain = format!("byte = base + row*{} + column*es", self.row_bytes());
        let swizzled = match self.swizzle {
            SwizzleMode::None => "",
            SwizzleMode::B32 => ", then bit 4 ^= bit 7",
            SwizzleMode::B64 => ", then bits 4-5 ^= bits 7-8",
            SwizzleMode::B128 => ", then bits 4-6 ^= bits 7-9",
            SwizzleMode::B128Atom32 => ", then bits 5-6 ^= bits 7-8",
            SwizzleMode::B128Atom32Flip8 => ", then bits 5-6 ^= bits 7-8, bit 3 ^= bit 7",
            SwizzleMode::B128Atom64 => ", then bit 6 ^= bit 7",
        };
        format!("{plain}{swizzled}")
    }

    /// Returns the `//@` annotation that declares the tensor map, so that a kernel with this copy can run.
    fn annotation(&self) -> String {
        let CopyBox {
            ty,
            columns,
            rows,
            swizzle,
            ..
        } = self;
        format!(
            "//@ tensormap map = tiled x: {ty}[{rows}][{columns}] box=[{rows}][{columns}] swizzle={}",
            swizzle.name()
        )
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let (row_bytes, pattern) = (self.row_bytes(), self.pattern());
        if !row_bytes.is_multiple_of(PIECE) {
            notes.push(format!(
                "No tensor map permits this box, because its {row_bytes} bytes along coordinate 0 are not a multiple of 16 bytes."
            ));
        }
        if let Some(span) = self.swizzle.span_bytes().filter(|span| row_bytes > *span) {
            notes.push(format!(
                "No tensor map permits this box, because its {row_bytes} bytes along coordinate 0 exceed the swizzle span of {span} bytes. Copy {} elements at a time.",
                span / self.element_bytes
            ));
        }
        if self.swizzle == SwizzleMode::None {
            notes.push("Without a swizzle (`CU_TENSOR_MAP_SWIZZLE_NONE`), rows are contiguous. The address of the tile must be a multiple of 128.".to_owned());
        } else {
            notes.push(format!(
                "The swizzle depends on bits of the shared memory address, and not on the row of the tile. The swizzle pattern starts at multiples of {pattern} bytes. `CU_TENSOR_MAP_SWIZZLE_NONE` disables the swizzle."
            ));
        }
        let n = self.pieces().count();
        let differ = |(_, _, plain): &(u64, u64, u64)| {
            self.base + self.swizzle.apply(plain - self.base) != self.swizzle.apply(*plain)
        };
        let n_wrong = self.pieces().filter(differ).count();
        let off = self.base % pattern;
        if off != 0 {
            notes.push(format!(
                "The tile starts {off} bytes after the start of the {pattern}-byte swizzle pattern. Align the tile to {pattern} bytes. A kernel that computes the XOR with the row of the tile reads {n_wrong} of {n} chunks from wrong addresses."
            ));
        }
        let moved = self
            .pieces()
            .filter(|(_, _, plain)| self.swizzle.apply(*plain) != *plain);
        if self.swizzle != SwizzleMode::None {
            notes.push(format!(
                "The swizzle moves {} of {n} chunks.",
                moved.count()
            ));
        }
        notes
    }
}
