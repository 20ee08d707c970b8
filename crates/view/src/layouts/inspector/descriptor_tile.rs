//! Diagram of the shared memory that a matrix descriptor addresses, drawn in lines of 128 bytes. The diagram exists for each step along k,
//! with and without the swizzle. Each 16-byte chunk shows the coordinates (row, k) of the first element that the hardware reads from the
//! chunk. If the layout in which the tile was stored differs from the layout that the descriptor specifies, the diagram also shows the
//! elements that the hardware reads instead of the intended elements.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::inspector::descriptor_ptx::lines_of_ptx;
use crate::layouts::inspector::intended_layout;
use crate::layouts::inspector::intended_layout::IntendedTile;
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::shared_operand::{
    LETTERS, SharedOperand, base_note, rule, sureness, usual_offsets,
};
use crate::layouts::tensor::{ElementLocation, LayoutView, Operand, refusal};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_isa::tensor_layout::{
    ElementPacking, Major, MatrixDescriptor, SharedMatrixOperand, SwizzleMode,
};
use warpgrid_layout::{
    AddressTable, ComposedLayout, InferenceResult, InferredLayout, infer_layout,
};

/// Size of a line of the diagram in bytes.
const LINE: u64 = 128;
/// Size of a chunk of the diagram in bytes.
const PIECE: u64 = 16;
/// Maximum number of lines in the diagram.
const MAX_LINES: u64 = 2048;

/// Range of the steps along k that the diagram displays.
struct KSteps {
    /// First step that the diagram displays.
    first: u64,
    /// Number of steps that the diagram displays.
    n: u64,
}

pub(crate) fn view(
    words: &mut QueryParams<'_>,
    found: &SharedOperand,
) -> Result<LayoutView, FragmentRequestError> {
    let n = found.n_steps();
    let names = ["all", "0", "1", "2", "3", "4", "5", "6", "7"];
    let steps = words.choice(
        "step",
        &names[..=(n as usize).min(8)],
        "the step along k, where each step is one instruction",
    )?;
    let steps = match steps.parse() {
        Ok(first) => KSteps { first, n: 1 },
        Err(_) => KSteps { first: 0, n },
    };
    let stored = intended_layout::read(words, found)?;
    const READ: &str = "elements read";
    const BEFORE: &str = "memory before the swizzle";
    // If the query specifies an intended layout, compare the elements that the hardware reads with the stored elements in the first
    // diagram.
    let pictures = match stored {
        None => ["memory", BEFORE, READ],
        Some(_) => [READ, "memory", BEFORE],
    };
    let shown = words.choice(
        "shown",
        &pictures,
        "the memory after the swizzle, the memory before the swizzle, or the element that the hardware reads for each position",
    )?;
    let mut view = match shown {
        READ => what_is_read(found, &steps, stored.as_ref().map(|meant| &meant.matrix)),
        "memory" => memory(found, &steps, SwizzleApplied::Yes)?,
        _ => memory(found, &steps, SwizzleApplied::No)?,
    };
    let descriptor = &found.matrix.descriptor;
    let depth = found.depth() * steps.n;
    view.title = found.title(depth);
    view.rule = rule(descriptor, found.matrix.major);
    view.letters = LETTERS.to_owned();
    view.notes = notes(found, &steps);
    if let Some(stored) = &stored {
        let differs = [difference(found, stored, &steps)];
        view.notes
            .splice(0..0, differs.into_iter().chain(stored.notes.clone()));
    }
    view.notes.extend(base_note(descriptor));
    view.element_bits = match found.matrix.storage {
        ElementPacking::Bytes(size) => 8 * size,
        ElementPacking::Padded(_) => 8,
        ElementPacking::Nibbles => 4,
    };
    describe_step(&mut view, found, steps.first);
    view.ptx = lines_of_ptx(found);
    view.confidence = sureness(descriptor).to_owned();
    view.origin = "PTX ISA, CuTe".to_owned();
    Ok(view)
}

/// Adds the descriptor of a step along k, with the fields of the descriptor, to the view.
fn describe_step(view: &mut LayoutView, found: &SharedOperand, step: u64) {
    let descriptor = at_step(found, step);
    let bits = match step {
        0 => found.bits(),
        _ => descriptor.encode(found.kind),
    };
    view.descriptor = bits.map(|bits| format!("0x{bits:016x}"));
    view.fields = match step {
        0 => found.fields(),
        _ => SharedOperand {
            written: None,
            matrix: SharedMatrixOperand {
                descriptor,
                ..found.matrix
            },
            ..found.clone()
        }
        .fields(),
    };
}

/// Returns the descriptor of the given step along k.
fn at_step(found: &SharedOperand, step: u64) -> MatrixDescriptor {
    let mut descriptor = found.matrix.descriptor;
    descriptor.start = descriptor.start.wrapping_add(step * found.step_bytes());
    descriptor
}

/// Returns every element of the displayed steps. Each element consists of its line, its k coordinate across all steps, and the address of
/// the byte that the hardware reads.
fn elements<'a>(
    found: &'a SharedOperand,
    steps: &'a KSteps,
) -> impl Iterator<Item = (u64, u64, u64)> + 'a {
    let depth = found.depth();
    (steps.first..steps.first + steps.n).flat_map(move |step| {
        let matrix = SharedMatrixOperand {
            descriptor: at_step(found, step),
            ..found.matrix
        };
        (0..found.lines as u64).flat_map(move |line| {
            (0..depth).map(move |k| (line, step * depth + k, matrix.element(line, k).0))
        })
    })
}

#[derive(Clone, Copy, PartialEq)]
enum SwizzleApplied {
    Yes,
    No,
}

/// Returns the lines of memory. Each chunk of a line shows the first element that the hardware reads from the chunk in any step. The view
/// marks the chunks that the selected steps read.
fn memory(
    found: &SharedOperand,
    steps: &KSteps,
    swizzled: SwizzleApplied,
) -> Result<LayoutView, FragmentRequestError> {
    let descriptor = &found.matrix.descriptor;
    let shift = descriptor.base_offset << 7;
    let mut pieces: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    let mut chosen = BTreeSet::new();
    let all = KSteps {
        first: 0,
        n: found.n_steps(),
    };
    let depth = found.depth();
    for (line, k, byte) in elements(found, &all) {
        let byte = match swizzled {
            SwizzleApplied::Yes => byte,
            SwizzleApplied::No => descriptor
                .swizzle
                .apply(byte.wrapping_sub(shift))
                .wrapping_add(shift),
        };
        let piece = pieces.entry(byte / PIECE).or_insert((line, k));
        *piece = (*piece).min((line, k));
        if steps.n < all.n && k / depth == steps.first {
            chosen.insert(byte / PIECE);
        }
    }
    let first = pieces.keys().next().copied().unwrap_or(0) * PIECE / LINE;
    let last = pieces.keys().next_back().copied().unwrap_or(0) * PIECE / LINE;
    if last - first >= MAX_LINES {
        return Err(refusal(format!(
            "the descriptor addresses bytes {} to {}, which exceed the shared memory of a block: check the offsets of the descriptor",
            first * LINE,
            (last + 1) * LINE
        )));
    }
    let name = match found.factor {
        Operand::A => "row",
        Operand::B => "column",
    };
    let view = LayoutView::from_grid(
        (last - first + 1) as usize,
        (LINE / PIECE) as usize,
        &[name, "k"],
        &|line, piece| -> Vec<ElementLocation> {
            let number = (first + line as u64) * (LINE / PIECE) + piece as u64;
            let found = pieces.get(&number);
            found
                .map(|(line, k)| vec![*line as u32, *k as u32])
                .into_iter()
                .collect()
        },
    );
    let marked = chosen.into_iter().map(|piece| {
        let (line, at) = (piece * PIECE / LINE - first, piece % (LINE / PIECE));
        [line as u32, at as u32]
    });
    Ok(LayoutView {
        marked: marked.collect(),
        row_name: match first {
            0 => "128-byte line".to_owned(),
            first => format!("128-byte line from byte {}", first * LINE),
        },
        column_name: "16-byte chunk".to_owned(),
        ..view
    })
}

/// Returns a grid with one cell per element of the operand. The cell shows the element that is stored at the address from which the
/// hardware reads.
fn what_is_read(
    found: &SharedOperand,
    steps: &KSteps,
    stored: Option<&SharedMatrixOperand>,
) -> LayoutView {
    let elements_by_byte = contents(found, stored.unwrap_or(&found.matrix));
    let depth = found.depth();
    let mut places: BTreeMap<(u64, u64), Vec<ElementLocation>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, k, byte) in elements(found, steps) {
        let column = k - steps.first * depth;
        let is_right = match elements_by_byte.get(&byte) {
            Some(at) => {
                places.insert((line, column), vec![vec![at.0 as u32, at.1 as u32]]);
                *at == (line, k)
            }
            None => false,
        };
        if !is_right {
            wrong.push([line as u32, column as u32]);
        }
    }
    let name = match found.factor {
        Operand::A => "row",
        Operand::B => "column",
    };
    let view = LayoutView::from_grid(
        found.lines,
        (depth * steps.n) as usize,
        &[name, "k"],
        &|line, k| {
            places
                .get(&(line as u64, k as u64))
                .cloned()
                .unwrap_or_default()
        },
    );
    LayoutView {
        row_name: found.line_name().to_owned(),
        column_name: "k".to_owned(),
        mismatched_cells: wrong,
        ..view
    }
}

/// Returns the element that starts at each byte address of a tile, for all steps along k.
fn contents(found: &SharedOperand, matrix: &SharedMatrixOperand) -> BTreeMap<u64, (u64, u64)> {
    let stored = SharedOperand {
        matrix: *matrix,
        written: None,
        ..found.clone()
    };
    let steps = KSteps {
        first: 0,
        n: stored.n_steps().max(found.n_steps()),
    };
    let span = stored.n_steps();
    let mut elements_by_byte = BTreeMap::new();
    for (line, k, byte) in elements(&stored, &steps) {
        // Exclude the elements of a row beyond the span of the swizzle, because they are in the next tile.
        if k / stored.depth() < span || stored.matrix.major == Major::Mn {
            elements_by_byte.entry(byte).or_insert((line, k));
        }
    }
    elements_by_byte
}

fn difference(found: &SharedOperand, stored: &IntendedTile, steps: &KSteps) -> String {
    let elements_by_byte = contents(found, &stored.matrix);
    let (mut n, mut n_wrong, mut example) = (0, 0, None);
    for (line, k, byte) in elements(found, steps) {
        n += 1;
        let at = elements_by_byte.get(&byte);
        if at != Some(&(line, k)) {
            n_wrong += 1;
            example = example.or(Some((line, k, at.copied())));
        }
    }
    let how = &stored.how;
    match example {
        None => format!(
            "The hardware reads all {n} elements from the correct addresses of a tile that is stored {how}."
        ),
        Some((line, k, at)) => {
            let instead = at.map_or_else(
                || "bytes outside of the tile".to_owned(),
                |(line, k)| format!("({line}, {k})"),
            );
            format!(
                "If the tile is stored {how}, the hardware reads {n_wrong} of {n} elements from wrong addresses. For example, the hardware reads {instead} instead of ({line}, {k})."
            )
        }
    }
}

/// Returns notes on the descriptor, including notes on probable mistakes.
fn notes(found: &SharedOperand, steps: &KSteps) -> Vec<String> {
    let descriptor = &found.matrix.descriptor;
    let mut notes = mistakes(found);
    notes.push(format!(
        "One instruction reads {} elements along k. The next step along k adds {} bytes to the start address, which increases the address field by {}.",
        found.depth(),
        found.step_bytes(),
        found.step_bytes() / PIECE
    ));
    match (found.matrix.major, descriptor.swizzle) {
        (Major::K, SwizzleMode::None) => notes.push(
            "LBO is the distance between adjacent 16-byte chunks along k, and SBO is the distance between groups of 8 rows.".to_owned(),
        ),
        (Major::K, _) => notes.push(
            "With a swizzle and K-major order, LBO is unused (1 by convention), and SBO is the distance between groups of 8 rows. A step along k within the swizzle span only increases the start address, since the swizzle is applied to the final address.".to_owned(),
        ),
        (Major::Mn, SwizzleMode::None) => notes.push(
            "LBO is the distance between groups of 8 elements along k, and SBO is the distance between 16-byte chunks along the rows.".to_owned(),
        ),
        (Major::Mn, _) => notes.push(
            "LBO is the distance between swizzle spans along the rows, and SBO is the distance between groups of 8 elements along k.".to_owned(),
        ),
    }
    let moved = elements(found, steps)
        .filter(|(_, _, byte)| descriptor.swizzle.apply(*byte) != *byte)
        .count();
    if descriptor.swizzle != SwizzleMode::None {
        notes.push(match moved {
            0 => "The swizzle moves no elements, because the tile is smaller than the swizzle pattern."
                .to_owned(),
            n => format!(
                "The swizzle moves {n} of {} elements.",
                found.lines as u64 * found.depth() * steps.n
            ),
        });
    }
    notes.extend(in_cute(found, steps));
    notes
}

/// Returns the layout of the tile in CuTe notation, or `None` if CuTe cannot express the layout.
fn in_cute(found: &SharedOperand, steps: &KSteps) -> Option<String> {
    let ElementPacking::Bytes(size) = found.matrix.storage else {
        return None;
    };
    let depth = (found.depth() * steps.n) as usize;
    let mut values = vec![0; found.lines * depth];
    let start = found.matrix.descriptor.start;
    // Start the CuTe layout at the last multiple of the pattern size before the tile, because the swizzle applies to absolute addresses.
    let from = start - start % 1024;
    let descriptor = &found.matrix.descriptor;
    let shift = descriptor.base_offset << 7;
    for (line, k, byte) in elements(found, steps) {
        let at = (k - steps.first * found.depth()) as usize * found.lines + line as usize;
        let plain = descriptor
            .swizzle
            .apply(byte.wrapping_sub(shift))
            .wrapping_add(shift);
        *values.get_mut(at)? = (plain.wrapping_sub(from) / u64::from(size)) as i64;
    }
    let table = AddressTable {
        dimensions: vec![("row".to_owned(), found.lines), ("k".to_owned(), depth)],
        values,
    };
    let InferenceResult::Explained(InferredLayout::Layout(layout)) = infer_layout(&table)?.found
    else {
        return None;
    };
    let swizzle = match descriptor.swizzle {
        SwizzleMode::None => None,
        SwizzleMode::B32 => Some((1, 4, 3)),
        SwizzleMode::B64 => Some((2, 4, 3)),
        SwizzleMode::B128 => Some((3, 4, 3)),
        SwizzleMode::B128Atom32 => Some((2, 5, 2)),
        SwizzleMode::B128Atom64 => Some((1, 6, 1)),
        // This swizzle mode changes two groups of address bits, which a single CuTe swizzle cannot express.
        SwizzleMode::B128Atom32Flip8 => return None,
    };
    let in_elements = |(bits, base, shift): (u32, u32, i32)| {
        warpgrid_layout::Swizzle::new(bits, base, shift)
            .ok()?
            .rescaled(size.trailing_zeros())
    };
    let swizzle = match swizzle {
        Some(numbers) => Some(in_elements(numbers)?),
        None => None,
    };
    let layout = ComposedLayout { swizzle, ..layout };
    Some(format!(
        "The equivalent CuTe layout, in elements from byte {from}, is `{layout}`."
    ))
}

/// Returns messages about inconsistent fields of the descriptor.
fn mistakes(found: &SharedOperand) -> Vec<String> {
    let descriptor = &found.matrix.descriptor;
    let mut notes = Vec::new();
    let (leading, stride) = usual_offsets(descriptor.swizzle, found.matrix.major, found.extent());
    let uses_leading = found.matrix.major == Major::Mn || descriptor.swizzle == SwizzleMode::None;
    let fields = [
        ("LBO", descriptor.leading_bytes, leading, uses_leading),
        ("SBO", descriptor.stride_bytes, stride, true),
    ];
    for (name, is, usual, is_used) in fields {
        if is_used && is == 16 * usual {
            notes.push(format!(
                "{name} is {is} bytes, which is 16 times the value for a packed tile ({usual}). The field counts units of 16 bytes, so shift the byte count right by 4."
            ));
        } else if is_used && is != 0 && 16 * is == usual {
            notes.push(format!(
                "{name} is {is} bytes, which is 1/16 of the value for a packed tile ({usual}). The byte count was probably shifted right by 4 twice."
            ));
        }
    }
    if let Some((first, second, byte)) = overlap(found) {
        notes.push(format!(
            "The hardware reads both elements ({}, {}) and ({}, {}) from byte {byte}, because {}",
            first.0,
            first.1,
            second.0,
            second.1,
            match (uses_leading, descriptor.stride_bytes) {
                (_, 0) => "SBO is 0.",
                (true, _) if descriptor.leading_bytes == 0 => "LBO is 0.",
                _ => "an offset is smaller than the data that the offset must skip.",
            }
        ));
    }
    if let Some(span) = descriptor.swizzle.span_bytes() {
        let pattern = (8 * span).max(LINE);
        let line = descriptor.start % pattern / LINE;
        if line != 0 && descriptor.base_offset == 0 && found.matrix.major == Major::K {
            notes.push(format!(
                "The start address is {line} 128-byte lines after the start of the {pattern}-byte swizzle pattern. Align the tile to {pattern} bytes, or set the base offset to {line}."
            ));
        }
    }
    notes
}

type Element = (u64, u64);

/// Returns two elements of one instruction that the hardware reads from the same byte, with the address of this byte.
fn overlap(found: &SharedOperand) -> Option<(Element, Element, u64)> {
    let ElementPacking::Bytes(_) = found.matrix.storage else {
        return None;
    };
    let mut elements_by_byte: BTreeMap<u64, Element> = BTreeMap::new();
    let steps = KSteps { first: 0, n: 1 };
    for (line, k, byte) in elements(found, &steps) {
        if let Some(before) = elements_by_byte.insert(byte, (line, k)) {
            return Some((before, (line, k), byte));
        }
    }
    None
}
