//! Text output of the first element in which two runs differ, with the stores that wrote the element.

use std::io::{self, Write};
use warpgrid_view::analysis::schedule_seeds::{DifferenceSide, MemoryDifference};
use warpgrid_view::counted;

/// Writes the element, and for each run the value of the element and the store that wrote this value.
pub(crate) fn print_difference(
    out: &mut impl Write,
    names: [&str; 2],
    difference: &MemoryDifference,
) -> io::Result<()> {
    let MemoryDifference {
        memory,
        index,
        n_elements,
        sides,
    } = difference;
    let elements = counted(*n_elements, "differing element");
    writeln!(out, "  {memory}[{index}] differs ({elements}):")?;
    for (name, DifferenceSide { value, stores, .. }) in names.into_iter().zip(sides) {
        write!(out, "    {name}: {value}, ")?;
        match stores.last() {
            None => writeln!(out, "initial value that no store has overwritten")?,
            Some(store) => {
                let [x, y, z] = store.block;
                writeln!(
                    out,
                    "stored by block ({x}, {y}, {z}) warp {} lane {} in step {}, line {}: {}",
                    store.warp, store.lane, store.step, store.line, store.instruction
                )?;
            }
        }
    }
    Ok(())
}
