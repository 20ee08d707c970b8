//! Diagrams of layout expressions. A layout expression consists of a shape and a stride with an optional swizzle, of operations of the
//! layout algebra, or of bases over GF(2). The module takes query parameters, and returns a diagram that shows the offset, bank or element
//! of each cell.

use crate::layouts::fragment::request::FragmentRequestError;
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::{ElementLocation, LayoutView, refusal};
use std::collections::BTreeMap;
use warpgrid_layout::{
    ComposedLayout, CoordinateLayout, EvalResult, LinearLayout, TileableLayout, coalesce, evaluate,
};

/// Maximum number of cells in a diagram.
const MAX_CELLS: usize = 1 << 15;
/// Size of a bank of shared memory in bytes.
const BANK_BYTES: u64 = 4;
/// Number of banks of shared memory.
const BANKS: u64 = 32;
const DEFAULT_EXPRESSION: &str = "Swizzle<3,3,3> o (8,64):(64,1)";

/// Parsed layout expression with the offset of each cell, from which the diagram is drawn.
struct ParsedLayout {
    text: String,
    /// Offsets of the cells in column-major order, because the first mode of the layout corresponds to the row.
    places: Vec<u64>,
    rows: usize,
    columns: usize,
    notes: Vec<String>,
}

pub(crate) fn view(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let text = words.text(
        "expression",
        DEFAULT_EXPRESSION,
        "a CuTe layout (shape:stride), the bases of a linear layout of Triton, or an operation of the layout algebra",
    );
    let shown = words.choice(
        "shown",
        &["offset", "bank", "element"],
        "the label of each cell",
    )?;
    let bytes = words
        .number(
            "bytes",
            2,
            16,
            "the element size in bytes, which determines the banks",
        )?
        .max(1);
    let value = evaluate(&text).map_err(|error| refusal(error.in_text(&text)))?;
    if let EvalResult::Coordinates(layout) = value {
        return of_coordinates(&layout);
    }
    let read = read(value)?;
    let size = read.places.len();
    let most = read.places.iter().max().copied().unwrap_or(0);
    let place = |row: usize, column: usize| read.places.get(column * read.rows + row).copied();
    let title = format!("`{}`: {size} elements at offsets 0 to {most}", read.text);
    let base = LayoutView {
        title,
        letters: "the first mode is the row, and the other modes are the column".to_owned(),
        notes: read.notes.clone(),
        origin: "the layout as entered".to_owned(),
        element_bits: 8 * bytes as u32,
        ..LayoutView::default()
    };
    let view = match shown {
        "element" => by_offset(&read, most)?,
        "bank" => {
            let bank = |offset: u64| (offset * bytes / BANK_BYTES % BANKS) as u32;
            LayoutView::from_grid(read.rows, read.columns, &["bank"], &|row, column| {
                place(row, column)
                    .map(|offset| vec![bank(offset)])
                    .into_iter()
                    .collect()
            })
        }
        _ => LayoutView::from_grid(read.rows, read.columns, &["offset"], &|row, column| {
            place(row, column)
                .map(|offset| vec![offset as u32])
                .into_iter()
                .collect()
        }),
    };
    let rule = match shown {
        "element" => {
            "the cells show the element at each offset, with 16 offsets per row".to_owned()
        }
        "bank" => format!("bank = offset * {bytes} / 4 % 32"),
        _ => format!("offset = ({})(row, column)", read.text),
    };
    Ok(LayoutView {
        rule,
        title: base.title,
        letters: base.letters,
        notes: base.notes,
        origin: base.origin,
        element_bits: base.element_bits,
        ..view
    })
}

/// Returns the diagram of a layout with coordinate strides, in which each cell shows its coordinate.
fn of_coordinates(layout: &CoordinateLayout) -> Result<LayoutView, FragmentRequestError> {
    let size = layout.size();
    if size > MAX_CELLS as i64 {
        return Err(refusal(format!(
            "the layout has {size} elements, expected at most {MAX_CELLS} for a diagram"
        )));
    }
    let all = layout.all().map_err(|error| refusal(error.message))?;
    if let Some(negative) = all.iter().flatten().find(|at| **at < 0) {
        return Err(refusal(format!(
            "the layout has the negative coordinate {negative}, expected coordinates from 0 for a diagram"
        )));
    }
    let (rows, columns) = match layout.shape().rank() {
        1 => (1, all.len()),
        _ => {
            let rows = layout.part_at(0).size() as usize;
            (rows, all.len() / rows.max(1))
        }
    };
    let names: Vec<String> = layout.paths().iter().map(|path| named(path)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = |row: usize, column: usize| -> Vec<ElementLocation> {
        let found = all.get(column * rows + row).map(|at| {
            let numbers = at.iter().map(|number| *number as u32);
            numbers.collect()
        });
        found.into_iter().collect()
    };
    let view = LayoutView::from_grid(rows, columns, &names, &place);
    let extents = (0..names.len()).map(|at| {
        let most = all.iter().filter_map(|found| found.get(at)).max();
        most.map_or(0, |most| most + 1).to_string()
    });
    Ok(LayoutView {
        title: format!("`{layout}`: {size} coordinates"),
        rule: format!("coordinate = ({layout})(row, column)"),
        letters: "the first mode is the row, and the other modes are the column; `64@1` is 64 steps along coordinate 1".to_owned(),
        notes: vec![
            format!("Coalesced: `{}`.", layout.coalesced()),
            format!("The layout covers a box of {} coordinates, like the box of a tensor copy.", extents.collect::<Vec<_>>().join(" × ")),
        ],
        origin: "the layout as entered".to_owned(),
        element_bits: 32,
        ..view
    })
}

/// Formats the path of a coordinate: `coordinate 0`, `coordinate 0.1`.
fn named(path: &[u32]) -> String {
    let parts: Vec<String> = path.iter().map(u32::to_string).collect();
    format!("coordinate {}", parts.join("."))
}

/// Returns a diagram that shows the element of the layout at each offset.
fn by_offset(read: &ParsedLayout, most: u64) -> Result<LayoutView, FragmentRequestError> {
    const IN_LINE: usize = 16;
    let lines = most as usize / IN_LINE + 1;
    if lines * IN_LINE > MAX_CELLS {
        return Err(refusal(format!(
            "the largest offset is {most}, expected at most {MAX_CELLS} for a diagram of the offsets"
        )));
    }
    let mut elements: BTreeMap<u64, Vec<ElementLocation>> = BTreeMap::new();
    for (index, place) in read.places.iter().enumerate() {
        elements.entry(*place).or_default().push(vec![index as u32]);
    }
    let view = LayoutView::from_grid(lines, IN_LINE, &["element"], &|line, at| {
        elements
            .get(&((line * IN_LINE + at) as u64))
            .cloned()
            .unwrap_or_default()
    });
    Ok(LayoutView {
        row_name: "line".to_owned(),
        column_name: "offset".to_owned(),
        ..view
    })
}

fn read(value: EvalResult) -> Result<ParsedLayout, FragmentRequestError> {
    let value_kind = value.kind();
    if let EvalResult::Linear(linear) = value {
        return of_bases(&linear);
    }
    let layout = value
        .into_composed()
        .ok_or_else(|| refusal(format!("found {value_kind}, expected a layout")))?;
    let places = layout.offsets().map_err(|error| refusal(error.message))?;
    let rows = layout.layout.part(0).size() as usize;
    let rank = layout.layout.rank();
    let (rows, columns) = match rank {
        1 => (1, places.len()),
        _ => (rows, places.len() / rows.max(1)),
    };
    if places.len() > MAX_CELLS {
        return Err(refusal(format!(
            "the layout has {} elements, expected at most {MAX_CELLS} for a diagram",
            places.len()
        )));
    }
    if let Some(negative) = places.iter().find(|place| **place < 0) {
        return Err(refusal(format!(
            "the layout has the negative offset {negative}, expected offsets from 0 for a diagram"
        )));
    }
    Ok(ParsedLayout {
        text: layout.to_string(),
        notes: notes(&layout, &places),
        places: places.into_iter().map(|place| place as u64).collect(),
        rows,
        columns,
    })
}

/// Returns notes on the properties of the layout.
fn notes(layout: &ComposedLayout, places: &[i64]) -> Vec<String> {
    let mut notes = vec![format!(
        "Coalesced: `{}`.",
        layout.over(coalesce(&layout.layout))
    )];
    let mut sorted = places.to_vec();
    sorted.sort_unstable();
    let n = sorted.len();
    sorted.dedup();
    if sorted.len() < n {
        notes.push(format!(
            "{} elements have the same offset as another element.",
            n - sorted.len()
        ));
    }
    let reach = sorted.last().copied().unwrap_or(0) - sorted.first().copied().unwrap_or(0) + 1;
    if reach > sorted.len() as i64 {
        notes.push(format!(
            "{} offsets between the first and the last offset are unused.",
            reach - sorted.len() as i64
        ));
    }
    if let Some(swizzle) = layout.swizzle {
        let moved = places
            .iter()
            .filter(|place| swizzle.apply(**place) != **place)
            .count();
        notes.push(match moved {
            0 => {
                format!("The swizzle {swizzle} moves no cells, because the layout is smaller than the swizzle pattern.")
            }
            n => format!("{swizzle} moves {n} of {} cells.", places.len()),
        });
    }
    if let Ok(bases) = LinearLayout::of_layout(layout, &["row", "column"]) {
        notes.push(format!("The bases over GF(2) are `{bases}`."));
    }
    notes
}

/// Evaluates a linear layout. The first output of the layout is the row and the second output is the column. Each cell shows the input that
/// the layout maps to the cell.
fn of_bases(linear: &LinearLayout) -> Result<ParsedLayout, FragmentRequestError> {
    let bits: u32 = linear.inputs.iter().map(|input| input.bits).sum();
    if bits > MAX_CELLS.trailing_zeros() {
        return Err(refusal(format!(
            "the bases have {bits} input bits, expected at most {} for a diagram",
            MAX_CELLS.trailing_zeros()
        )));
    }
    let rows = 1usize << linear.inputs.first().map_or(0, |input| input.bits);
    let places: Vec<u64> = (0..1u64 << bits).map(|input| linear.apply(input)).collect();
    let mut notes = vec![match linear.collision() {
        Some((_, input)) => {
            format!("The layout is not injective: inputs 0 and {input} have the same offset.")
        }
        None => "The layout is injective.".to_owned(),
    }];
    match linear.to_layout() {
        Some(layout) => notes.push(format!("The equivalent shape and stride are `{layout}`.")),
        None => notes.push(
            "No strided layout is equivalent, because two input bits contribute to one output bit."
                .to_owned(),
        ),
    }
    if let Ok(inverse) = linear.inverse() {
        notes.push(format!("Inverse: `{inverse}`."));
    }
    Ok(ParsedLayout {
        text: linear.to_string(),
        columns: places.len() / rows,
        places,
        rows,
        notes,
    })
}
