//! `warpgrid format`: the formatter.

use crate::Outcome;
use crate::output::{complain, read_source};
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

/// Formats every file.
pub(crate) fn format(arguments: &FormatArguments) -> io::Result<Outcome> {
    let mut outcome = Outcome::Well;
    for path in &arguments.files {
        let source = match read_source(path) {
            Ok(source) => source,
            Err(error) => {
                complain(&error.to_string());
                outcome = Outcome::Usage;
                continue;
            }
        };
        let formatted = warpgrid_view::format(&source);
        if path == Path::new("-") {
            io::stdout().lock().write_all(formatted.as_bytes())?;
        } else if formatted != source {
            if arguments.check {
                complain(&format!("{} would change", path.display()));
                outcome = outcome.and(Outcome::Wrong);
            } else {
                std::fs::write(path, formatted)?;
            }
        }
    }
    Ok(outcome)
}
