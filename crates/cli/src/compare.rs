//! `warpgrid run --beside`: runs two versions of a kernel with the same launch configuration, and compares the final memory of both runs.

use crate::first_difference::print_difference;
use crate::launch::{InferredReport, write_guesses};
use crate::output::{JsonReport, stdout};
use crate::{ExitKind, OutputFormat};
use std::io::{self, Write};
use warpgrid_view::analysis::comparison::{
    ComparisonReport, ComparisonSide, ComputedValue, FirstDifference,
};
use warpgrid_view::counted;
use warpgrid_view::source::line_table::SourcePosition;
use warpgrid_view::{MemoryKey, SourceLanguage};

/// Writes a comparison report. Returns [`ExitKind::Failure`] if the runs diverge.
pub(crate) fn print(
    format: OutputFormat,
    names: [&str; 2],
    report: &ComparisonReport,
    guesses: &[String],
) -> io::Result<ExitKind> {
    let mut out = stdout();
    match format {
        OutputFormat::Json => {
            let ok = report.equal;
            let answer = JsonReport { ok, report };
            serde_json::to_writer(&mut out, &InferredReport { answer, guesses })?;
            writeln!(out)?;
        }
        OutputFormat::Human => print_text(&mut out, names, report, guesses)?,
    }
    out.flush()?;
    Ok(match report.equal {
        true => ExitKind::Success,
        false => ExitKind::Failure,
    })
}

fn print_text(
    out: &mut impl Write,
    names: [&str; 2],
    report: &ComparisonReport,
    guesses: &[String],
) -> io::Result<()> {
    let [first, second] = names;
    writeln!(out, "{first} compared with {second}: {}", report.summary)?;
    for (name, side) in names.into_iter().zip(&report.sides) {
        print_side(out, name, side)?;
    }
    for note in &report.notes {
        writeln!(out, "  {note}")?;
    }
    for difference in &report.differences {
        print_difference(out, names, difference)?;
    }
    if let Some(difference) = &report.first_difference {
        print_first_difference(out, names, difference)?;
    }
    for (name, alone) in names.into_iter().zip(&report.unmatched_memories) {
        if let Some(text) = unmatched_text(name, alone) {
            writeln!(out, "  {text}")?;
        }
    }
    write_guesses(out, guesses)
}

/// Writes the first instruction of each version that computed another value than the other version.
pub(crate) fn print_first_difference(
    out: &mut impl Write,
    names: [&str; 2],
    difference: &FirstDifference,
) -> io::Result<()> {
    let FirstDifference {
        memory,
        index,
        sides,
        replaced_side,
        omitted,
        confirmed,
    } = difference;
    let title = match confirmed {
        true => "first instructions that computed different values",
        false => "instructions that computed the stored values (no earlier difference was found)",
    };
    writeln!(out, "  {title} ({memory}[{index}]):")?;
    for (name, side) in names.into_iter().zip(sides) {
        writeln!(out, "    {name}: {}", computed_text(side))?;
    }
    for value in omitted {
        let name = names.get(*replaced_side).copied().unwrap_or_default();
        writeln!(out, "    not computed by {name}: {}", computed_text(value))?;
    }
    Ok(())
}

/// Formats a computed value: `R9 = 0x7fffffff, block (0, 0, 0) warp 0 lane 0 in step 13, line 269: SEL R9, R9, 0x7fffffff, !P0`.
fn computed_text(side: &ComputedValue) -> String {
    let [x, y, z] = side.block;
    let register = side.register.as_deref().unwrap_or("stored constant");
    let number = side.number.as_ref().map(|number| format!(" ({number})"));
    let source = side.source.first().map(SourcePosition::short);
    format!(
        "{register} = {}{}, block ({x}, {y}, {z}) warp {} lane {} in step {}, line {}{}: {}",
        side.value,
        number.unwrap_or_default(),
        side.warp,
        side.lane,
        side.step,
        side.range.line,
        source.map_or(String::new(), |source| format!(" ({source})")),
        side.instruction
    )
}

/// Returns a line about the memories that exist only in one version. A kernel that uses libcu++ contains hundreds of variables without
/// uses, which the assembler omits.
fn unmatched_text(name: &str, alone: &[MemoryKey]) -> Option<String> {
    const MAX_NAMED: usize = 4;
    match alone {
        [] => None,
        [id] => Some(format!(
            "{id} is not compared, because it exists only in {name}"
        )),
        ids => {
            let named: Vec<String> = ids
                .iter()
                .take(MAX_NAMED)
                .map(ToString::to_string)
                .collect();
            let more = match ids.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let named = named.join(", ");
            let n_memories = ids.len();
            Some(format!(
                "{n_memories} memories are not compared, because they exist only in {name}: {named}{more}"
            ))
        }
    }
}

fn print_side(out: &mut impl Write, name: &str, side: &ComparisonSide) -> io::Result<()> {
    let language = match side.front {
        SourceLanguage::Ptx => "PTX",
        SourceLanguage::Sass => "SASS",
    };
    let ComparisonSide { target, entry, .. } = side;
    let (steps, stores) = (counted(side.steps, "step"), counted(side.stores, "store"));
    write!(
        out,
        "  {name}: {language} for {target}, `{entry}`, {steps}, {stores}"
    )?;
    match (&side.fault, side.over) {
        (Some(fault), _) => writeln!(out, ": {fault}"),
        (None, true) => writeln!(out),
        (None, false) => writeln!(out, ": the run has not finished (increase --max-steps)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unmatched_memories_are_listed_in_one_line() {
        let memories = |n: u32| -> Vec<MemoryKey> {
            let names = (0..n).map(|i| MemoryKey::from(format!("var:v{i}").as_str()));
            names.collect()
        };
        assert_eq!(unmatched_text("k.ptx", &[]), None);
        assert_eq!(
            unmatched_text("k.ptx", &memories(1)).as_deref(),
            Some("var:v0 is not compared, because it exists only in k.ptx")
        );
        assert_eq!(
            unmatched_text("k.ptx", &memories(800)).as_deref(),
            Some(
                "800 memories are not compared, because they exist only in k.ptx: var:v0, var:v1, var:v2, var:v3 and 796 more"
            )
        );
    }
}
