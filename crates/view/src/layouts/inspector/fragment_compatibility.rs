//! Comparison of the fragments of two instructions. It checks whether each element of the result of the first instruction is in the lane in
//! which the second instruction expects this element as an operand.

use crate::layouts::fragment;
use crate::layouts::fragment::request::{FragmentRequest, FragmentRequestError};
use crate::layouts::tensor;
use crate::layouts::tensor::query_parameters::QueryParams;
use crate::layouts::tensor::{ElementLocation, LayoutView, refusal};
use std::collections::BTreeMap;

/// Threads that contain the elements of a fragment in their registers, for the comparison of two fragments.
struct FragmentOwnership {
    name: String,
    rows: usize,
    columns: usize,
    bits: u32,
    /// Threads that contain each element, indexed by row and column. The lowest thread is first.
    threads: BTreeMap<(usize, usize), Vec<u32>>,
}

pub(crate) fn view(words: &mut QueryParams<'_>) -> Result<LayoutView, FragmentRequestError> {
    let about = "the operation, shape, type and target, as in `mma.d m16n8k16 f32 sm_80`";
    let first = words.text("first", "mma.d m16n8k16 f32 sm_80", about);
    let next = words.text("then", "mma.a m16n8k16 f16 sm_80", about);
    let (first, next) = (held(&first)?, held(&next)?);
    if !next.rows.is_multiple_of(first.rows) || !next.columns.is_multiple_of(first.columns) {
        return Err(refusal(format!(
            "{} has {} × {} elements, but {} has {} × {} elements: the size of the second matrix is not a multiple of the size of the first matrix",
            first.name, first.rows, first.columns, next.name, next.rows, next.columns
        )));
    }
    let now = |row: usize, column: usize| {
        first
            .threads
            .get(&(row % first.rows, column % first.columns))
    };
    // Returns the thread that expects an element, and a thread that contains the element. If the expecting thread contains the element,
    // both threads are equal.
    let pair = |row: usize, column: usize| -> Option<(u32, u32)> {
        let (wanted, has) = (next.threads.get(&(row, column))?, now(row, column)?);
        let same = wanted.iter().find(|thread| has.contains(thread));
        match same {
            Some(thread) => Some((*thread, *thread)),
            None => Some((*wanted.first()?, *has.first()?)),
        }
    };
    let is_missing = |(row, column): &(usize, usize)| {
        let wanted = next.threads.get(&(*row, *column));
        let threads = wanted.zip(now(*row, *column));
        threads.is_some_and(|(wanted, has)| !wanted.iter().all(|thread| has.contains(thread)))
    };
    let cells = (0..next.rows).flat_map(|row| (0..next.columns).map(move |column| (row, column)));
    let wrong = cells.filter(is_missing);
    let wrong: Vec<[u32; 2]> = wrong
        .map(|(row, column)| [row as u32, column as u32])
        .collect();
    let place = |row: usize, column: usize| -> Vec<ElementLocation> {
        let threads = pair(row, column).map(|(wanted, has)| vec![wanted, has]);
        threads.into_iter().collect()
    };
    let view = LayoutView::from_grid(next.rows, next.columns, &["lane", "now"], &place);
    let copies = (next.rows / first.rows) * (next.columns / first.columns);
    Ok(LayoutView {
        title: format!("From `{}` to `{}`", first.name, next.name),
        rule: "each cell shows the thread that needs the element and, below, the thread that holds the element if it is a different thread".to_owned(),
        notes: notes(&first, &next, copies, &wrong, &pair),
        letters: String::new(),
        element_bits: next.bits,
        mismatched_cells: wrong,
        ..view
    })
}

fn notes(
    first: &FragmentOwnership,
    next: &FragmentOwnership,
    copies: usize,
    wrong: &[[u32; 2]],
    pair: &dyn Fn(usize, usize) -> Option<(u32, u32)>,
) -> Vec<String> {
    let mut notes = Vec::new();
    if copies > 1 {
        notes.push(format!(
            "{copies} results of the first instruction form one operand of the second."
        ));
    }
    let n = next.rows * next.columns;
    match wrong.first() {
        None => notes.push(
            "Every element is already in the thread that needs the element, so no data exchange is required."
                .to_owned(),
        ),
        Some([row, column]) => {
            let threads = pair(*row as usize, *column as usize);
            let threads = threads.map_or_else(String::new, |(wanted, has)| {
                format!(
                    ": element ({row}, {column}) is in thread {has}, but needed in thread {wanted}"
                )
            });
            notes.push(format!(
                "{} of {n} elements are in a different thread than required{threads}. Exchange these elements with `shfl`, `movmatrix` or through shared memory.",
                wrong.len()
            ));
        }
    }
    if first.bits != next.bits {
        notes.push(format!(
            "The first fragment has {}-bit elements, and the second fragment has {}-bit elements. Convert the elements with `cvt` and repack the registers.",
            first.bits, next.bits
        ));
    }
    notes
}

/// Parses a fragment description such as `mma.d m16n8k16 f32 sm_80`, and returns the threads that contain the elements of this fragment.
fn held(text: &str) -> Result<FragmentOwnership, FragmentRequestError> {
    let mut request = FragmentRequest {
        target: "sm_90".to_owned(),
        ..FragmentRequest::default()
    };
    for (at, word) in text.split_whitespace().enumerate() {
        match word.split_once('=') {
            Some((name, value)) => {
                request.with.insert(name.to_owned(), value.to_owned());
            }
            None if at == 0 => request.op = word.to_owned(),
            None if word.starts_with("sm_") => request.target = word.to_owned(),
            None if ["row", "col"].contains(&word) => request.layout = Some(word.to_owned()),
            None if word.starts_with('m') && word.contains('n') => request.shape = word.to_owned(),
            None => request.ty = word.to_owned(),
        }
    }
    let mut held = FragmentOwnership {
        name: text.to_owned(),
        rows: 0,
        columns: 0,
        bits: 0,
        threads: BTreeMap::new(),
    };
    let lanes: Vec<Vec<Vec<[u32; 2]>>> = match tensor::has_layout(&request.op) {
        true => {
            let view = tensor::layout(&request)?;
            (held.rows, held.columns, held.bits) =
                (view.rows as usize, view.columns as usize, view.element_bits);
            view.lanes
                .ok_or_else(|| refusal(format!("`{}` has no registers", request.op)))?
        }
        false => {
            let view = fragment::fragment(&request)?;
            (held.rows, held.columns, held.bits) =
                (view.rows.into(), view.cols.into(), view.element_bits);
            let wide = |place: &[u16; 2]| place.map(u32::from);
            let registers = |registers: &Vec<Vec<[u16; 2]>>| -> Vec<Vec<[u32; 2]>> {
                registers
                    .iter()
                    .map(|elements| elements.iter().map(wide).collect())
                    .collect()
            };
            view.lanes.iter().map(registers).collect()
        }
    };
    for (thread, registers) in lanes.iter().enumerate() {
        for [row, column] in registers.iter().flatten() {
            let threads = held
                .threads
                .entry((*row as usize, *column as usize))
                .or_default();
            if threads.last() != Some(&(thread as u32)) {
                threads.push(thread as u32);
            }
        }
    }
    Ok(held)
}
