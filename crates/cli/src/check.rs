//! `warpgrid check`: verdicts on files.

use crate::document::{Block, Markup};
use crate::output::{Source, complain, read_source, render, renderer, stdout};
use crate::{Format, Outcome, batch};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use warpgrid_view::model::{DiagnosticView, Severity};
use warpgrid_view::{CheckOptions, CheckReport, Front};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Check for this target instead of the module's own.
    #[arg(long, value_name = "sm_90")]
    target: Option<String>,
    /// Check for this PTX ISA version instead of the module's own.
    #[arg(long, value_name = "8.8")]
    ptx_version: Option<String>,
    /// The language of the sources; without it the ending of each file says it.
    #[arg(long, value_enum)]
    front: Option<FrontName>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// JSON Lines in, JSON Lines out, in order.
    #[arg(long, conflicts_with = "files")]
    batch: bool,
    /// Sources to check; `-` reads standard input. Of Markdown and reStructuredText every block of PTX is checked.
    #[arg(value_name = "FILE", required_unless_present = "batch")]
    files: Vec<PathBuf>,
}

/// `--front`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FrontName {
    #[default]
    Ptx,
    Sass,
}

/// The language that the ending of a file says: machine code for `.sass`.
pub(crate) fn front_of(path: &Path) -> Front {
    match path.extension() {
        Some(extension) if extension == "sass" => Front::Sass,
        Some(_) | None => Front::Ptx,
    }
}

impl From<FrontName> for Front {
    fn from(name: FrontName) -> Front {
        match name {
            FrontName::Ptx => Front::Ptx,
            FrontName::Sass => Front::Sass,
        }
    }
}

/// What names the request that a verdict answers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Id<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Number(serde_json::Number),
    /// The request has none that can be read.
    Unknown(()),
}

impl<'a> From<&'a str> for Id<'a> {
    fn from(text: &'a str) -> Id<'a> {
        Id::Text(text.into())
    }
}

/// A verdict in the form of the interface.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict<'a> {
    pub(crate) id: Id<'a>,
    pub(crate) accept: bool,
    pub(crate) diagnostics: &'a [DiagnosticView],
}

impl<'a> Verdict<'a> {
    pub(crate) fn new(id: Id<'a>, report: &'a CheckReport) -> Verdict<'a> {
        Verdict {
            id,
            accept: report.accept,
            diagnostics: &report.diagnostics,
        }
    }
}

/// Checks every file; the worst verdict decides.
pub(crate) fn check(arguments: &CheckArguments) -> io::Result<Outcome> {
    let options = CheckOptions {
        front: arguments.front.unwrap_or_default().into(),
        target: arguments.target.clone(),
        ptx_version: arguments.ptx_version.clone(),
    };
    if arguments.batch {
        return batch::batch(&options, io::stdin(), stdout());
    }
    let mut outcome = Outcome::Well;
    let mut out = stdout();
    let renderer = renderer();
    for path in &arguments.files {
        let source = match read_source(path) {
            Ok(source) => source,
            Err(error) => {
                complain(&error.to_string());
                outcome = Outcome::Usage;
                continue;
            }
        };
        let checked = match Markup::of_file(path) {
            Some(markup) => check_document(&markup.blocks(&source), &options),
            None => Checked {
                report: warpgrid_view::check(
                    &source,
                    &CheckOptions {
                        front: arguments.front.map_or(front_of(path), Front::from),
                        ..options.clone()
                    },
                ),
                n_blocks: None,
            },
        };
        let report = &checked.report;
        let name = path.display().to_string();
        match arguments.format {
            Format::Json => {
                serde_json::to_writer(&mut out, &Verdict::new(name.as_str().into(), report))?;
                writeln!(out)?;
            }
            Format::Human => {
                let shown = Source::new(&name, &source);
                for diagnostic in &report.diagnostics {
                    writeln!(out, "{}\n", render(&shown, diagnostic, &renderer))?;
                }
                writeln!(out, "{name}: {}", summary(&checked))?;
            }
        }
        outcome = outcome.and(if report.accept {
            Outcome::Well
        } else {
            Outcome::Wrong
        });
    }
    out.flush()?;
    Ok(outcome)
}

/// The verdict on a file.
struct Checked {
    report: CheckReport,
    /// Blocks of a document; absent for a program.
    n_blocks: Option<usize>,
}

/// Checks every block of a document, each as a text of its own; the places are those of the document.
fn check_document(blocks: &[Block], options: &CheckOptions) -> Checked {
    let mut report = CheckReport {
        accept: true,
        ..CheckReport::default()
    };
    for block in blocks {
        let options = CheckOptions {
            front: Front::Ptx,
            target: options.target.clone().or_else(|| block.target.clone()),
            ptx_version: options
                .ptx_version
                .clone()
                .or_else(|| block.ptx_version.clone()),
        };
        let of_block = warpgrid_view::check(&block.source, &options);
        report.accept &= of_block.accept;
        let placed = of_block.diagnostics.into_iter().map(|it| block.place(it));
        report.diagnostics.extend(placed);
    }
    Checked {
        report,
        n_blocks: Some(blocks.len()),
    }
}

fn summary(checked: &Checked) -> String {
    let report = &checked.report;
    let count = |severity: Severity| {
        report
            .diagnostics
            .iter()
            .filter(|d| d.severity == severity)
            .count()
    };
    let verdict = if report.accept {
        "accepted"
    } else {
        "rejected"
    };
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let verdict = match checked.n_blocks {
        None => verdict.to_owned(),
        Some(n_blocks) => format!("{} of PTX, {verdict}", plural(n_blocks, "block")),
    };
    let errors = (count(Severity::Error), "error");
    let warnings = (count(Severity::Warning), "warning");
    let counts = [errors, warnings].into_iter().filter(|(n, _)| *n > 0);
    let mut parts = vec![verdict];
    parts.extend(counts.map(|(n, word)| plural(n, word)));
    if report.is_cut_short() {
        parts.push("and more, which are not listed".to_owned());
    }
    parts.join(", ")
}
