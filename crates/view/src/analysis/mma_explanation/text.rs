//! Text output of an MMA explanation for terminals.

use crate::analysis::mma_explanation::mma_steps::{AccumulationBlockView, MmaStepView};
use crate::analysis::mma_explanation::{MmaExplanation, NumberView};
use std::fmt::Write;

/// Formats the explanation `view` as text: the result with its comparison values, followed by each hardware step.
pub fn text(view: &MmaExplanation) -> String {
    let mut out = String::new();
    // Ignore the result, because formatting into a `String` cannot fail.
    let _ = write(&mut out, view);
    out
}

fn number(number: &NumberView) -> String {
    format!("{} ({})", number.text, number.bits)
}

fn write(out: &mut String, view: &MmaExplanation) -> std::fmt::Result {
    writeln!(out, "{}", view.title)?;
    writeln!(out, "{}", view.summary)?;
    writeln!(out)?;
    writeln!(out, "result           {}", number(&view.result))?;
    if let Some(exact) = &view.exact {
        writeln!(out, "exact sum        {exact}")?;
    }
    if let Some(rounded) = &view.single_rounding_result {
        writeln!(out, "  rounded        {}", number(rounded))?;
    }
    writeln!(out, "chain of f32 fma {}", number(&view.chain))?;
    for view in &view.generations {
        writeln!(
            out,
            "on {}: {}",
            view.targets.join(" "),
            number(&view.result)
        )?;
    }
    for step in &view.steps {
        writeln!(out)?;
        match step {
            MmaStepView::Block(view) => block(out, view)?,
            MmaStepView::Operation(view) => {
                writeln!(out, "{}: {}", view.text, number(&view.result))?;
            }
        }
    }
    Ok(())
}

fn block(out: &mut String, view: &AccumulationBlockView) -> std::fmt::Result {
    let accumulator = number(&view.accumulator);
    writeln!(out, "block {}, accumulator {accumulator}", view.products)?;
    if let Some(special) = &view.special {
        return writeln!(out, "  {special}: {}", number(&view.result));
    }
    if !view.has_products() && view.result == view.accumulator {
        return writeln!(out, "  all products are zero");
    }
    let (exponent, kept) = (view.exponent, view.kept_bits);
    let unit = exponent - i32::from(kept);
    writeln!(
        out,
        "  the terms are aligned to 2^{exponent} with {kept} fraction bits, in units of 2^{unit}"
    )?;
    let width = |column: fn(&crate::analysis::mma_explanation::mma_steps::TermView) -> &str,
                 heading: usize| {
        let widest = view.terms.iter().map(|term| column(term).len()).max();
        widest.unwrap_or(0).max(heading)
    };
    let source = width(|term| &term.source, 11);
    let value = width(|term| &term.value, 11);
    let aligned = width(|term| &term.aligned, 5).max(view.sum.len());
    let heading = format!(
        "  {:source$}  {:>value$}  {:>aligned$}  truncated",
        "term", "exact value", "units"
    );
    writeln!(out, "{heading}")?;
    for term in &view.terms {
        let line = format!(
            "  {:source$}  {:>value$}  {:>aligned$}  {}",
            term.source, term.value, term.aligned, term.cut
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    let cut = if view.is_cut {
        ", rounded toward zero to the result type"
    } else {
        ""
    };
    let sum = format!(
        "  {:source$}  {:>value$}  {:>aligned$}",
        "sum", "", view.sum
    );
    writeln!(out, "{sum}")?;
    writeln!(out, "  result {}{cut}", number(&view.result))
}
