//! `warpgrid format`: formats sources.

use crate::ExitKind;
use crate::document::Markup;
use crate::output::{about, print_error, read_text, stdout};
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `format`.
#[derive(Debug, Args)]
pub(crate) struct FormatArguments {
    /// Do not modify files, and exit with 1 if a file is not formatted.
    #[arg(long)]
    check: bool,
    /// Sources to format in place; `-` formats standard input to standard output. In Markdown and reStructuredText, the command formats
    /// the PTX and SASS blocks.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

/// Formats every file. In a document, each block is formatted separately. A file that is not UTF-8 or not in a supported language is
/// reported and remains unchanged.
pub(crate) fn format(arguments: &FormatArguments) -> io::Result<ExitKind> {
    let mut outcome = ExitKind::Success;
    let mut out = stdout();
    for path in &arguments.files {
        let read = read_text(path).map_err(|error| error.to_string());
        let formatted = read.and_then(|source| {
            let formatted = formatted(path, &source).map_err(|reason| {
                format!("{}: {reason}, so the file is unchanged", path.display())
            })?;
            Ok((source, formatted))
        });
        let (source, formatted) = match formatted {
            Ok(texts) => texts,
            Err(reason) => {
                print_error(&reason);
                outcome = ExitKind::UsageError;
                continue;
            }
        };
        if path == Path::new("-") {
            out.write_all(formatted.as_bytes())?;
        } else if formatted != source {
            if arguments.check {
                print_error(&format!("{} would change", path.display()));
                outcome = outcome.and(ExitKind::Failure);
            } else {
                std::fs::write(path, formatted).map_err(|error| about(path, error))?;
            }
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Returns the formatted text of a file. The error contains the reason why the file cannot be formatted.
fn formatted(path: &Path, source: &str) -> Result<String, String> {
    match Markup::of_file(path) {
        Some(markup) => markup.formatted(source),
        None if is_program(path, source) => Ok(warpgrid_view::format(source)),
        None => Err("neither PTX nor SASS".to_owned()),
    }
}

/// Checks whether a file is a PTX or SASS program. If the file extension matches, one valid line is sufficient. Otherwise, at least half of
/// the lines must be valid, because a text in another language may contain a line of PTX.
fn is_program(path: &Path, source: &str) -> bool {
    let found = warpgrid_view::understanding(source);
    let is_named = path
        .extension()
        .is_some_and(|ending| ending == "ptx" || ending == "sass");
    let least = if is_named { 1 } else { found.n_wrong.max(1) };
    found.is_empty || found.n_parsed >= least
}
