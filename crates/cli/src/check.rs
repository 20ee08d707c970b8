//! `warpgrid check`: checks sources and documents.

use crate::document::{CodeBlock, Markup};
use crate::embedded::{self, EmbeddedRequest};
use crate::input_files::{InputFile, list, nothing_in};
use crate::output::{NamedSource, print_error, read_bytes, render, renderer, stdout, text_of};
use crate::{ExitKind, OutputFormat, batch};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use warpgrid_view::compiled_file::is_compiled;
use warpgrid_view::diagnostics::{no_blocks, unreadable_file};
use warpgrid_view::model::{DiagnosticView, InlineAsmView, Severity};
use warpgrid_view::{CheckOptions, CheckReport, SourceLanguage, counted};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Check for this target instead of the target that the module declares.
    #[arg(long, value_name = "sm_90", value_parser = read_target)]
    target: Option<String>,
    /// Check for this PTX ISA version instead of the version that the module declares.
    #[arg(long, value_name = "8.8", value_parser = read_version)]
    ptx_version: Option<String>,
    /// Language of the sources. By default, the command infers the language from the file extension or the contents.
    #[arg(long = "language", alias = "front", value_enum)]
    language: Option<LanguageArg>,
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Read requests as JSON Lines, and write one result per request as JSON Lines in the same order.
    #[arg(long, conflicts_with = "files")]
    batch: bool,
    /// List the asm blocks of each source, or the code objects of a cubin, fatbin, object file or executable, without checking them.
    #[arg(long, conflicts_with = "batch")]
    list: bool,
    /// Sources to check; `-` reads standard input. The command checks each PTX and SASS block of Markdown and reStructuredText, each
    /// asm block of C++, Python, Julia and C#, the PTX of cubins, fatbins, object files and executables, and all sources and documents
    /// of a directory.
    #[arg(value_name = "FILE", required_unless_present = "batch")]
    files: Vec<PathBuf>,
}

/// Parses `--target`. A misspelled target is a usage error, not an error of a source.
fn read_target(text: &str) -> Result<String, String> {
    read_option(
        text,
        CheckOptions {
            target: Some(text.to_owned()),
            ..CheckOptions::default()
        },
    )
}

/// Parses `--ptx-version`.
fn read_version(text: &str) -> Result<String, String> {
    read_option(
        text,
        CheckOptions {
            ptx_version: Some(text.to_owned()),
            ..CheckOptions::default()
        },
    )
}

fn read_option(text: &str, options: CheckOptions) -> Result<String, String> {
    match options.mistake() {
        None => Ok(text.to_owned()),
        Some(reason) => Err(reason),
    }
}

/// Value of `--language`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArg {
    #[default]
    Ptx,
    Sass,
}

/// Returns the language of a file. The file extension determines the language if the extension is known. Otherwise, and for standard input,
/// the contents determine the language.
pub(crate) fn front_of(path: &Path, source: &str) -> SourceLanguage {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("sass") => SourceLanguage::Sass,
        Some("ptx") => SourceLanguage::Ptx,
        Some(_) | None => SourceLanguage::of_source(source),
    }
}

impl From<LanguageArg> for SourceLanguage {
    fn from(name: LanguageArg) -> SourceLanguage {
        match name {
            LanguageArg::Ptx => SourceLanguage::Ptx,
            LanguageArg::Sass => SourceLanguage::Sass,
        }
    }
}

/// Identifier of the file or request to which a verdict belongs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum Id<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Number(serde_json::Number),
    /// The ID of the request cannot be parsed.
    Unknown(()),
}

impl<'a> From<&'a str> for Id<'a> {
    fn from(text: &'a str) -> Id<'a> {
        Id::Text(text.into())
    }
}

/// Verdict in the JSON format of the command.
#[derive(Debug, Serialize)]
pub(crate) struct CheckVerdict<'a> {
    pub(crate) id: Id<'a>,
    /// Whether the check succeeded. Every JSON result of the command has this field. In a verdict, the value equals `accept`.
    ok: bool,
    accept: bool,
    diagnostics: &'a [DiagnosticView],
    /// Inline assembly blocks of the source, if it contains any.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    blocks: &'a [InlineAsmView],
}

impl<'a> CheckVerdict<'a> {
    pub(crate) fn new(id: Id<'a>, report: &'a CheckReport) -> CheckVerdict<'a> {
        CheckVerdict {
            id,
            ok: report.accept,
            accept: report.accept,
            diagnostics: &report.diagnostics,
            blocks: &report.parts,
        }
    }

    /// Returns the verdict on an input that cannot be read.
    pub(crate) fn unreadable(id: Id<'a>, diagnostics: &'a [DiagnosticView]) -> CheckVerdict<'a> {
        CheckVerdict {
            id,
            ok: false,
            accept: false,
            diagnostics,
            blocks: &[],
        }
    }
}

/// Checks every file. Returns the worst outcome of all files.
pub(crate) fn check(arguments: &CheckArguments) -> io::Result<ExitKind> {
    let options = CheckOptions {
        language: arguments.language.unwrap_or_default().into(),
        target: arguments.target.clone(),
        ptx_version: arguments.ptx_version.clone(),
    };
    if arguments.batch {
        return batch::batch(&options, io::stdin(), stdout());
    }
    let mut outcome = ExitKind::Success;
    let mut out = stdout();
    for listed in list(&arguments.files, ENDINGS) {
        let path = listed.path.as_path();
        let name = path.display().to_string();
        let read = match path.is_dir() {
            true => Err(nothing_in(path, ENDINGS)),
            false => read_bytes(path),
        };
        if let Some(bytes) = read.as_ref().ok().filter(|bytes| is_compiled(bytes)) {
            let request = EmbeddedRequest {
                name: &name,
                options: &options,
                format: arguments.format,
                is_list: arguments.list,
            };
            outcome = outcome.and(embedded::check(&request, bytes, &mut out)?);
            continue;
        }
        let source = match read.and_then(|bytes| text_of(path, bytes)) {
            Ok(source) => source,
            Err(error) => {
                print_error(&error.to_string());
                outcome = ExitKind::UsageError;
                if let OutputFormat::Json = arguments.format {
                    let diagnostics = [unreadable_file(&error.to_string())];
                    let verdict = CheckVerdict::unreadable(name.as_str().into(), &diagnostics);
                    serde_json::to_writer(&mut out, &verdict)?;
                    writeln!(out)?;
                }
                continue;
            }
        };
        let checked = check_text(arguments, &options, &listed, &source);
        let report = &checked.report;
        if arguments.list {
            embedded::list_parts(&name, &report.parts, arguments.format, &mut out)?;
            continue;
        }
        print(&name, &source, &checked, arguments.format, &mut out)?;
        outcome = outcome.and(if report.accept {
            ExitKind::Success
        } else {
            ExitKind::Failure
        });
    }
    out.flush()?;
    Ok(outcome)
}

/// Checks a source or the blocks of a document.
fn check_text(
    arguments: &CheckArguments,
    options: &CheckOptions,
    listed: &InputFile,
    source: &str,
) -> CheckedFile {
    if let Some(markup) = Markup::of_file(&listed.path) {
        let mut checked = check_document(&markup.blocks(source), options);
        // Many documents in a directory contain no blocks, so a document without blocks is reported only if the user named it explicitly.
        if listed.is_named && checked.is_empty() {
            checked.report.diagnostics.push(no_blocks());
        }
        return checked;
    }
    let front = arguments.language.map(SourceLanguage::from);
    let options = CheckOptions {
        language: front.unwrap_or_else(|| front_of(&listed.path, source)),
        ..options.clone()
    };
    CheckedFile {
        report: warpgrid_view::check(source, &options),
        n_blocks: None,
    }
}

/// Prints the verdict on a file.
fn print(
    name: &str,
    source: &str,
    checked: &CheckedFile,
    format: OutputFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Json => {
            serde_json::to_writer(&mut *out, &CheckVerdict::new(name.into(), &checked.report))?;
            writeln!(out)
        }
        OutputFormat::Human => {
            let shown = NamedSource::new(name, source);
            let renderer = renderer();
            for diagnostic in &checked.report.diagnostics {
                writeln!(out, "{}\n", render(&shown, diagnostic, &renderer))?;
            }
            writeln!(out, "{name}: {}", summary(checked))
        }
    }
}

/// Extensions of the files that are checked in a directory.
const ENDINGS: &[&str] = &["ptx", "sass", "md", "mdx", "rst"];

/// Verdict on a file.
struct CheckedFile {
    report: CheckReport,
    /// Number of PTX blocks and number of SASS blocks in a document; `None` for a program.
    n_blocks: Option<[usize; 2]>,
}

impl CheckedFile {
    /// Checks whether the verdict belongs to a document without blocks.
    fn is_empty(&self) -> bool {
        self.n_blocks == Some([0, 0])
    }
}

/// Checks every block of a document as a separate source. The positions of diagnostics refer to the document.
fn check_document(blocks: &[CodeBlock], options: &CheckOptions) -> CheckedFile {
    let mut report = CheckReport {
        accept: true,
        ..CheckReport::default()
    };
    for block in blocks {
        let options = CheckOptions {
            language: block.front,
            target: options.target.clone().or_else(|| block.target.clone()),
            ptx_version: options
                .ptx_version
                .clone()
                .or_else(|| block.ptx_version.clone()),
        };
        let of_block = warpgrid_view::check(&block.source, &options);
        report.accept &= of_block.accept;
        report.diagnostics.extend_from_slice(block.words());
        let placed = of_block.diagnostics.into_iter().map(|it| block.place(it));
        report.diagnostics.extend(placed);
    }
    let of = |front: SourceLanguage| blocks.iter().filter(|block| block.front == front).count();
    CheckedFile {
        report,
        n_blocks: Some([of(SourceLanguage::Ptx), of(SourceLanguage::Sass)]),
    }
}

fn summary(checked: &CheckedFile) -> String {
    summary_of(&checked.report, checked.n_blocks)
}

/// Formats the summary of a verdict in one line.
pub(crate) fn summary_of(report: &CheckReport, n_blocks: Option<[usize; 2]>) -> String {
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
    let verdict = match n_blocks {
        None => verdict.to_owned(),
        Some([0, 0]) => "no blocks".to_owned(),
        Some([ptx, 0]) => format!("{} of PTX, {verdict}", counted(ptx, "block")),
        Some([0, sass]) => format!("{} of SASS, {verdict}", counted(sass, "block")),
        Some([ptx, sass]) => {
            let ptx = counted(ptx, "block");
            format!("{ptx} of PTX, {sass} of SASS, {verdict}")
        }
    };
    let errors = (count(Severity::Error), "error");
    let warnings = (count(Severity::Warning), "warning");
    let counts = [errors, warnings].into_iter().filter(|(n, _)| *n > 0);
    let mut parts = vec![verdict];
    parts.extend(counts.map(|(n, word)| counted(n, word)));
    if report.is_truncated() {
        parts.push("and further diagnostics that are not listed".to_owned());
    }
    parts.join(", ")
}
