//! `warpgrid explain`: explains a diagnostic code, an instruction, a register or a term.

use crate::ExitKind;
use crate::output::{print_error, stdout};
use clap::Args;
use std::io::{self, Write};
use warpgrid_view::SourceLanguage;
use warpgrid_view::source::reference::{codes, opcodes, terms};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// A diagnostic code such as `W0123`, an instruction such as `st.global.v4.f32`, a register such as `%tid.x`, or a term such as
    /// `bank`. Without a subject, the command lists all subjects.
    #[arg(value_name = "W0123|INSTRUCTION|WORD")]
    subjects: Vec<String>,
}

/// Prints the reference page of each subject.
pub(crate) fn explain(arguments: &ExplainArguments) -> io::Result<ExitKind> {
    let mut outcome = ExitKind::Success;
    let mut out = stdout();
    if arguments.subjects.is_empty() {
        list(&mut out)?;
    }
    for subject in &arguments.subjects {
        match warpgrid_view::explain(subject) {
            Some(text) => writeln!(out, "{}", text.trim_end())?,
            None => {
                print_error(&format!(
                    "`{subject}` is not a known diagnostic code, instruction, special register or term"
                ));
                outcome = outcome.and(ExitKind::UsageError);
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Lists all subjects.
fn list(out: &mut impl Write) -> io::Result<()> {
    for (title, front) in [("PTX", SourceLanguage::Ptx), ("SASS", SourceLanguage::Sass)] {
        let opcodes = opcodes(front);
        writeln!(
            out,
            "instructions of {title}\n{}",
            in_lines(opcodes.iter().map(String::as_str))
        )?;
    }
    let terms = terms();
    let names = terms.iter().map(|term| term.name.as_str());
    writeln!(out, "special registers and terms\n{}", in_lines(names))?;
    writeln!(out, "diagnostics")?;
    for page in codes() {
        writeln!(out, "  {}  {}", page.code, page.title)?;
    }
    Ok(())
}

/// Formats names as a comma-separated list with lines of at most 100 characters.
fn in_lines<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut width = usize::MAX;
    for name in names {
        if width.saturating_add(name.len() + 2) > 98 {
            text += if text.is_empty() { "  " } else { ",\n  " };
            width = 0;
        } else {
            text += ", ";
        }
        text += name;
        width += name.len() + 2;
    }
    text + "\n"
}
