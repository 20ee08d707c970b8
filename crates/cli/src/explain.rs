//! `warpgrid explain`: what a diagnostic code or an instruction means.

use crate::Outcome;
use crate::output::{complain, stdout};
use clap::Args;
use std::io::{self, Write};

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// A code such as `W0123`, an instruction such as `st.global.v4.f32`, a register such as `%tid.x`, or a word such as `bank`.
    #[arg(value_name = "W0123|INSTRUCTION|WORD", required = true)]
    subjects: Vec<String>,
}

/// Prints the page of each subject.
pub(crate) fn explain(arguments: &ExplainArguments) -> io::Result<Outcome> {
    let mut outcome = Outcome::Well;
    let mut out = stdout();
    for subject in &arguments.subjects {
        match warpgrid_view::explain(subject) {
            Some(text) => writeln!(out, "{}", text.trim_end())?,
            None => {
                complain(&format!(
                    "`{subject}` is neither a diagnostic code, nor a known instruction, nor a word of the reference"
                ));
                outcome = outcome.and(Outcome::Usage);
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}
