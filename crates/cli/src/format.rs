//! `warpgrid format`: the formatter.

use crate::Outcome;
use crate::output::{about, complain, read_text, stdout};
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `format`.
#[derive(Debug, Args)]
pub(crate) struct FormatArguments {
    /// Change nothing; exit 1 when a file would change.
    #[arg(long)]
    check: bool,
    /// Sources to format in place; `-` goes from standard input to standard output.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Formats every file; one that is not UTF-8 text is reported and left as it is.
pub(crate) fn format(arguments: &FormatArguments) -> io::Result<Outcome> {
    let mut outcome = Outcome::Well;
    let mut out = stdout();
    for path in &arguments.files {
        let source = match read_text(path) {
            Ok(source) => source,
            Err(error) => {
                complain(&error.to_string());
                outcome = Outcome::Usage;
                continue;
            }
        };
        let formatted = warpgrid_view::format(&source);
        if path == Path::new("-") {
            out.write_all(formatted.as_bytes())?;
        } else if formatted != source {
            if arguments.check {
                complain(&format!("{} would change", path.display()));
                outcome = outcome.and(Outcome::Wrong);
            } else {
                std::fs::write(path, formatted).map_err(|error| about(path, error))?;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}
