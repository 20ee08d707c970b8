//! `warpgrid check`: checks sources and documents.

use crate::compile::{CompilerOptions, is_cuda};
use crate::document::{CodeBlock, Markup};
use crate::embedded::{self, EmbeddedRequest};
use crate::input_files::{InputFile, list, nothing_in};
use crate::output::{
    NamedSource, file_totals, print_error, read_bytes, render, renderer, stdout, text_of,
};
use crate::{ExitKind, OutputFormat, batch, run};
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
    /// Check for this target instead of the target that the module declares. Several targets are separated by commas; each source is
    /// then checked for each target.
    #[arg(long = "target", value_name = "sm_90", value_delimiter = ',', value_parser = read_target)]
    targets: Vec<String>,
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
    #[command(flatten)]
    compiler: CompilerOptions,
    /// Sources to check; `-` reads standard input. The command checks each PTX and SASS block of Markdown and reStructuredText, each
    /// asm block of C++, Python, Julia and C#, the PTX of cubins, fatbins, object files and executables, the source of a scenario, and
    /// all sources and documents of a directory. A CUDA C++ file without asm blocks is compiled.
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
    /// Target of the check, if the command checks each source for several targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
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
            target: None,
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
            target: None,
            diagnostics,
            blocks: &[],
        }
    }
}

/// Checks every file. Returns the worst outcome of all files.
pub(crate) fn check(arguments: &CheckArguments) -> io::Result<ExitKind> {
    if arguments.batch {
        let options = options_for(arguments, arguments.targets.first());
        return batch::batch(&options, io::stdin(), stdout());
    }
    let mut outcomes = Vec::new();
    let mut out = stdout();
    for listed in list(&arguments.files, ENDINGS) {
        outcomes.push(check_file(arguments, &listed, &mut out)?);
    }
    if arguments.format == OutputFormat::Human && !arguments.list && outcomes.len() > 1 {
        writeln!(out, "{}", totals(&outcomes))?;
    }
    out.flush()?;
    let outcome = outcomes.into_iter().reduce(ExitKind::and);
    Ok(outcome.unwrap_or(ExitKind::Success))
}

/// Formats the number of accepted, rejected and unreadable files.
fn totals(outcomes: &[ExitKind]) -> String {
    let kinds = [
        (ExitKind::Success, "accepted"),
        (ExitKind::Failure, "rejected"),
        (ExitKind::UsageError, "unreadable"),
    ];
    let counts = kinds.map(|(kind, name)| {
        let n = outcomes.iter().filter(|outcome| **outcome == kind).count();
        (n, name)
    });
    file_totals(&counts)
}

/// Returns the options of the command line.
fn options_for(arguments: &CheckArguments, target: Option<&String>) -> CheckOptions {
    CheckOptions {
        language: arguments.language.unwrap_or_default().into(),
        target: target.cloned(),
        ptx_version: arguments.ptx_version.clone(),
    }
}

/// Checks one file for each target.
fn check_file(
    arguments: &CheckArguments,
    listed: &InputFile,
    out: &mut impl Write,
) -> io::Result<ExitKind> {
    let path = listed.path.as_path();
    let name = path.display().to_string();
    let read = match path.is_dir() {
        true => Err(nothing_in(path, ENDINGS)),
        false => read_bytes(path),
    };
    if let Some(bytes) = read.as_ref().ok().filter(|bytes| is_compiled(bytes)) {
        let options = options_for(arguments, arguments.targets.first());
        let request = EmbeddedRequest {
            name: &name,
            options: &options,
            format: arguments.format,
            is_list: arguments.list,
        };
        return embedded::check(&request, bytes, out);
    }
    let text = read.and_then(|bytes| text_of(path, bytes));
    let source = text.map_err(|error| error.to_string());
    let source = source.and_then(|text| source_to_check(arguments, listed, text));
    let source = match source {
        Ok(source) => source,
        Err(reason) => {
            print_error(&reason);
            if arguments.format == OutputFormat::Json {
                let diagnostics = [unreadable_file(&reason)];
                let verdict = CheckVerdict::unreadable(name.as_str().into(), &diagnostics);
                serde_json::to_writer(&mut *out, &verdict)?;
                writeln!(out)?;
            }
            return Ok(ExitKind::UsageError);
        }
    };
    let mut outcome = ExitKind::Success;
    let targets = match arguments.targets.as_slice() {
        [] => vec![None],
        targets => targets.iter().map(Some).collect(),
    };
    let is_several = targets.len() > 1;
    for target in targets {
        let options = options_for(arguments, target);
        let checked = check_text(arguments, &options, listed, &source);
        let report = &checked.report;
        if arguments.list {
            embedded::list_parts(&name, &report.parts, arguments.format, out)?;
            continue;
        }
        let shown = ShownVerdict {
            name: &name,
            origin: source.origin,
            target: target.map(String::as_str).filter(|_| is_several),
        };
        print(&shown, &source.text, &checked, arguments.format, out)?;
        outcome = outcome.and(match report.accept {
            true => ExitKind::Success,
            false => ExitKind::Failure,
        });
    }
    Ok(outcome)
}

/// Source that the command checks in place of a file.
struct SourceToCheck {
    text: String,
    /// Options of a scenario, which apply unless the command line specifies others.
    options: Option<CheckOptions>,
    /// Origin of a source that is not the text of the file, for messages: `PTX of nvcc`.
    origin: Option<&'static str>,
}

/// Returns the source to check: the text of the file, the source of a scenario, or the PTX of a CUDA C++ file. A CUDA C++ file with asm
/// blocks is compiled only if the user selects a compiler. In a directory, a CUDA C++ file without asm blocks is not compiled.
fn source_to_check(
    arguments: &CheckArguments,
    listed: &InputFile,
    text: String,
) -> Result<SourceToCheck, String> {
    let path = listed.path.as_path();
    if run::is_json(path) {
        let scenario = run::load_shared(path)?.into_scenario();
        return Ok(SourceToCheck {
            text: scenario.source,
            options: Some(CheckOptions {
                language: scenario.front,
                target: scenario.target,
                ptx_version: scenario.ptx_version,
            }),
            origin: Some("source of the scenario"),
        });
    }
    let is_requested = arguments.compiler.is_requested();
    if is_cuda(path)
        && !arguments.list
        && (is_requested || listed.is_named && !has_asm_blocks(&text))
    {
        return Ok(SourceToCheck {
            text: arguments.compiler.compile(path)?.source,
            options: Some(CheckOptions::default()),
            origin: Some("compiled PTX"),
        });
    }
    Ok(SourceToCheck {
        text,
        options: None,
        origin: None,
    })
}

/// Checks whether a source contains asm blocks.
pub(crate) fn has_asm_blocks(source: &str) -> bool {
    let report = warpgrid_view::check(source, &CheckOptions::default());
    !report.parts.is_empty()
}

/// Checks a source or the blocks of a document.
fn check_text(
    arguments: &CheckArguments,
    options: &CheckOptions,
    listed: &InputFile,
    source: &SourceToCheck,
) -> CheckedFile {
    let text = source.text.as_str();
    if let Some(own) = &source.options {
        let options = CheckOptions {
            language: arguments.language.map_or(own.language, Into::into),
            target: options.target.clone().or_else(|| own.target.clone()),
            ptx_version: options
                .ptx_version
                .clone()
                .or_else(|| own.ptx_version.clone()),
        };
        return CheckedFile {
            report: warpgrid_view::check(text, &options),
            n_blocks: None,
        };
    }
    if let Some(markup) = Markup::of_file(&listed.path) {
        let mut checked = check_document(&markup.blocks(text), options);
        // Many documents in a directory contain no blocks, so a document without blocks is reported only if the user named it explicitly.
        if listed.is_named && checked.is_empty() {
            checked.report.diagnostics.push(no_blocks());
        }
        return checked;
    }
    let front = arguments.language.map(SourceLanguage::from);
    let options = CheckOptions {
        language: front.unwrap_or_else(|| front_of(&listed.path, text)),
        ..options.clone()
    };
    let report = warpgrid_view::check(text, &options);
    // Many source files in a directory contain no asm blocks.
    if !listed.is_named && is_host_source(&listed.path) && report.parts.is_empty() {
        return CheckedFile::without_blocks();
    }
    CheckedFile {
        report,
        n_blocks: None,
    }
}

/// Name of a verdict in the output.
struct ShownVerdict<'a> {
    name: &'a str,
    origin: Option<&'static str>,
    /// Target of the check, if the command checks each source for several targets.
    target: Option<&'a str>,
}

/// Prints the verdict on a file.
fn print(
    shown: &ShownVerdict<'_>,
    source: &str,
    checked: &CheckedFile,
    format: OutputFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Json => {
            let verdict = CheckVerdict {
                target: shown.target,
                ..CheckVerdict::new(shown.name.into(), &checked.report)
            };
            serde_json::to_writer(&mut *out, &verdict)?;
            writeln!(out)
        }
        OutputFormat::Human => {
            let origin = shown.origin.map(|origin| format!(" ({origin})"));
            let name = format!("{}{}", shown.name, origin.unwrap_or_default());
            let named = NamedSource::new(&name, source);
            let renderer = renderer();
            for diagnostic in &checked.report.diagnostics {
                writeln!(out, "{}\n", render(&named, diagnostic, &renderer))?;
            }
            let target = shown.target.map(|target| format!(" for {target}"));
            let target = target.unwrap_or_default();
            writeln!(out, "{name}{target}: {}", summary(checked))
        }
    }
}

/// Extensions of source files in other languages, which can contain asm blocks.
const HOST_ENDINGS: [&str; 3] = ["cu", "cuh", "py"];

/// Extensions of the files that are checked in a directory.
const ENDINGS: &[&str] = &[
    "ptx", "sass", "md", "mdx", "rst", "cu", "cuh", "py", "cubin", "fatbin",
];

fn is_host_source(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| HOST_ENDINGS.contains(&ending))
}

/// Verdict on a file.
struct CheckedFile {
    report: CheckReport,
    /// Number of PTX blocks and number of SASS blocks in a document; `None` for a program.
    n_blocks: Option<[usize; 2]>,
}

impl CheckedFile {
    /// Returns the verdict on a source file without asm blocks.
    fn without_blocks() -> CheckedFile {
        CheckedFile {
            report: CheckReport {
                accept: true,
                ..CheckReport::default()
            },
            n_blocks: Some([0, 0]),
        }
    }

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
