//! `warpgrid open`: prints or opens a playground link for a source or a scenario.

use crate::ExitKind;
use crate::output::{about, is_same_file, print_error, stdout};
use crate::run::load_shared;
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;
use warpgrid_share::{SharedState, max_link_chars, write_file, write_link};
use warpgrid_view::SourceLanguage;

/// Arguments of `open`.
#[derive(Debug, Args)]
pub(crate) struct OpenArguments {
    /// A PTX or SASS file, a case.json, a scenario JSON file that contains its source, or a file saved by the playground; `-` reads standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Open the playground at this step.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MAX_STEPS))]
    step: Option<u64>,
    /// Open the link in the browser instead of printing it.
    #[arg(long)]
    browser: bool,
    /// Write a file for the playground instead of a link, for sources that are too long for a link.
    #[arg(long, value_name = "NAME.warpgrid.json", conflicts_with = "browser")]
    save: Option<PathBuf>,
}

/// Maximum step number, which is the largest integer that JavaScript represents exactly.
const MAX_STEPS: u64 = (1 << 53) - 1;

/// Returns the URL of the playground: the URL that is configured at build time, the project page, or the local server of
/// `cargo xtask serve`.
fn address() -> &'static str {
    let homepage = env!("CARGO_PKG_HOMEPAGE");
    let stated = option_env!("WARPGRID_SITE").unwrap_or(homepage);
    match stated.is_empty() {
        true => "http://127.0.0.1:8080/",
        false => stated,
    }
}

/// Prints the link, opens the link, or writes the file.
pub(crate) fn open(arguments: &OpenArguments) -> io::Result<ExitKind> {
    let mut shared = match load_shared(&arguments.file) {
        Ok(shared) => shared,
        Err(reason) => {
            print_error(&reason);
            return Ok(ExitKind::UsageError);
        }
    };
    shared.view.step = arguments.step.or(shared.view.step);
    if shared.scenario.front == SourceLanguage::Ptx {
        shared.scenario.front = SourceLanguage::of_source(&shared.scenario.source);
    }
    match &arguments.save {
        Some(path) if is_same_file(path, &arguments.file) => {
            let path = path.display();
            print_error(&format!("`--save {path}` would overwrite the input file"));
            Ok(ExitKind::UsageError)
        }
        Some(path) => {
            std::fs::write(path, write_file(&shared)).map_err(|error| about(path, error))?;
            Ok(ExitKind::Success)
        }
        None => open_link(arguments, &shared),
    }
}

fn open_link(arguments: &OpenArguments, shared: &SharedState) -> io::Result<ExitKind> {
    let link = write_link(shared);
    let (length, most) = (link.len(), max_link_chars());
    if length > most {
        print_error(&format!(
            "{}: the link would have {length} characters, but many programs truncate links of more than {most} characters: write a file with `--save`, share this file, and drop the file onto the playground to open it",
            arguments.file.display()
        ));
        return Ok(ExitKind::Failure);
    }
    let link = format!("{}{link}", address());
    if !arguments.browser {
        let mut out = stdout();
        writeln!(out, "{link}")?;
        out.flush()?;
        return Ok(ExitKind::Success);
    }
    match open::that_detached(&link) {
        Ok(()) => Ok(ExitKind::Success),
        Err(error) => {
            print_error(&format!(
                "cannot open a browser ({error}): omit `--browser` to print the link"
            ));
            Ok(ExitKind::UsageError)
        }
    }
}
