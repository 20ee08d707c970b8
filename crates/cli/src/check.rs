//! `warpgrid check`: verdicts on files.

use crate::output::{Source, complain, read_source, render, renderer};
use crate::{Format, Outcome, batch};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use warpgrid_view::model::{DiagnosticView, EditView};
use warpgrid_view::{CheckOptions, CheckReport, Front};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Judge for this target instead of the module's own.
    #[arg(long, value_name = "sm_90")]
    target: Option<String>,
    /// Judge for this PTX ISA version instead of the module's own.
    #[arg(long, value_name = "8.8")]
    ptx_version: Option<String>,
    /// The language of the sources.
    #[arg(long, value_enum, default_value_t)]
    front: FrontName,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// JSON Lines in, JSON Lines out, in order.
    #[arg(long, conflicts_with = "files")]
    batch: bool,
    /// Sources to judge; `-` reads standard input.
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

impl From<FrontName> for Front {
    fn from(name: FrontName) -> Front {
        match name {
            FrontName::Ptx => Front::Ptx,
            FrontName::Sass => Front::Sass,
        }
    }
}

/// One diagnostic in the form of the interface: lines and columns count from 1, columns in UTF-16 units.
#[derive(Debug, Serialize)]
pub(crate) struct DiagnosticLine<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    help: Option<&'a str>,
    needs: Option<&'a str>,
    fix: Option<FixLine<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_fixes: Vec<FixLine<'a>>,
}

/// A fix with its edits.
#[derive(Debug, Serialize)]
struct FixLine<'a> {
    title: &'a str,
    edits: Vec<EditLine<'a>>,
}

#[derive(Debug, Serialize)]
struct EditLine<'a> {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

impl<'a> From<&'a EditView> for EditLine<'a> {
    fn from(edit: &'a EditView) -> EditLine<'a> {
        let range = edit.range;
        EditLine {
            line: range.line,
            column: range.column,
            end_line: range.end_line,
            end_column: range.end_column,
            text: &edit.text,
        }
    }
}

impl<'a> From<&'a DiagnosticView> for DiagnosticLine<'a> {
    fn from(diagnostic: &'a DiagnosticView) -> DiagnosticLine<'a> {
        let range = diagnostic.range;
        let mut fixes = diagnostic.fixes.iter().map(|fix| FixLine {
            title: &fix.title,
            edits: fix.edits.iter().map(EditLine::from).collect(),
        });
        DiagnosticLine {
            code: &diagnostic.code,
            severity: &diagnostic.severity,
            message: &diagnostic.message,
            line: range.line,
            column: range.column,
            end_line: range.end_line,
            end_column: range.end_column,
            help: diagnostic.help.as_deref(),
            needs: diagnostic.needs.as_deref(),
            fix: fixes.next(),
            other_fixes: fixes.collect(),
        }
    }
}

/// A verdict in the form of the interface.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict<'a> {
    pub(crate) id: &'a str,
    pub(crate) accept: bool,
    pub(crate) diagnostics: Vec<DiagnosticLine<'a>>,
}

impl<'a> Verdict<'a> {
    pub(crate) fn new(id: &'a str, report: &'a CheckReport) -> Verdict<'a> {
        Verdict {
            id,
            accept: report.accept,
            diagnostics: report
                .diagnostics
                .iter()
                .map(DiagnosticLine::from)
                .collect(),
        }
    }
}

/// Judges every file; the worst verdict decides.
pub(crate) fn check(arguments: &CheckArguments) -> io::Result<Outcome> {
    let options = CheckOptions {
        front: arguments.front.into(),
        target: arguments.target.clone(),
        ptx_version: arguments.ptx_version.clone(),
    };
    if arguments.batch {
        return batch::batch(&options, io::stdin(), io::stdout().lock());
    }
    let mut outcome = Outcome::Well;
    let mut out = io::stdout().lock();
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
        let report = warpgrid_view::check(&source, &options);
        let name = path.display().to_string();
        match arguments.format {
            Format::Json => {
                serde_json::to_writer(&mut out, &Verdict::new(&name, &report))?;
                writeln!(out)?;
            }
            Format::Human => {
                let shown = Source::new(&name, &source);
                for diagnostic in &report.diagnostics {
                    writeln!(out, "{}\n", render(&shown, diagnostic, &renderer))?;
                }
                writeln!(out, "{name}: {}", summary(&report))?;
            }
        }
        outcome = outcome.and(if report.accept {
            Outcome::Well
        } else {
            Outcome::Wrong
        });
    }
    Ok(outcome)
}

fn summary(report: &CheckReport) -> String {
    let count = |severity: &str| {
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
    match (count("error"), count("warning")) {
        (0, 0) => verdict.to_owned(),
        (errors, 0) => format!("{verdict}, {}", plural(errors, "error")),
        (0, warnings) => format!("{verdict}, {}", plural(warnings, "warning")),
        (errors, warnings) => format!(
            "{verdict}, {}, {}",
            plural(errors, "error"),
            plural(warnings, "warning")
        ),
    }
}
