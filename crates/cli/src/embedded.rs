//! Sources within other files: code objects of cubins, fatbins, object files and executables, and inline assembly blocks. This module lists
//! and checks these sources, and selects the source to run.

use crate::check::summary_of;
use crate::output::{NamedSource, render, renderer, report_error};
use crate::{ExitKind, OutputFormat};
use serde::Serialize;
use std::io::{self, Write};
use warpgrid_view::compiled_file::{CompiledFile, FileView, ProgramLanguage, ProgramView};
use warpgrid_view::model::InlineAsmView;
use warpgrid_view::{CheckOptions, CheckReport, Scenario};

/// Requested operation on a file.
pub(crate) struct EmbeddedRequest<'a> {
    pub(crate) name: &'a str,
    pub(crate) options: &'a CheckOptions,
    pub(crate) format: OutputFormat,
    /// Whether the user requests only a list of the sources, without checks.
    pub(crate) is_list: bool,
}

/// Verdict on a file and on each PTX source in it.
#[derive(Serialize)]
struct FileVerdict<'a> {
    id: &'a str,
    ok: bool,
    accept: bool,
    file: &'a FileView,
    /// One report per code object. The report of machine code is `None`.
    reports: &'a [Option<CheckReport>],
}

/// Lists the code objects of a file, and checks the code objects that contain PTX.
pub(crate) fn check(
    asked: &EmbeddedRequest<'_>,
    bytes: &[u8],
    out: &mut impl Write,
) -> io::Result<ExitKind> {
    let file = match CompiledFile::open(bytes) {
        Ok(file) => file,
        Err(reason) => {
            let is_json = asked.format == OutputFormat::Json;
            report_error(is_json, &format!("{}: {reason}", asked.name))?;
            return Ok(ExitKind::UsageError);
        }
    };
    let view = file.view();
    let report = |(index, program): (usize, &ProgramView)| {
        let is_checked = program.language == ProgramLanguage::Ptx && !asked.is_list;
        let text = file.text(index).filter(|_| is_checked)?;
        Some((warpgrid_view::check(&text, asked.options), text))
    };
    let checked: Vec<_> = view.programs.iter().enumerate().map(report).collect();
    let accept = checked.iter().flatten().all(|(report, _)| report.accept);
    match asked.format {
        OutputFormat::Json => {
            let reports: Vec<_> = checked
                .into_iter()
                .map(|checked| checked.map(|(report, _)| report))
                .collect();
            let verdict = FileVerdict {
                id: asked.name,
                ok: accept,
                accept,
                file: &view,
                reports: &reports,
            };
            serde_json::to_writer(&mut *out, &verdict)?;
            writeln!(out)?;
        }
        OutputFormat::Human => print_file(asked, &view, &checked, out)?,
    }
    Ok(match accept {
        true => ExitKind::Success,
        false => ExitKind::Failure,
    })
}

/// Prints the code objects of a file with their reports.
fn print_file(
    asked: &EmbeddedRequest<'_>,
    view: &FileView,
    checked: &[Option<(CheckReport, String)>],
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "{}: {}", asked.name, view.kind)?;
    for (index, program) in view.programs.iter().enumerate() {
        print_program(index, program, out)?;
        if let Some(Some((report, text))) = checked.get(index) {
            let name = format!("{}#{}", asked.name, index + 1);
            let shown = NamedSource::new(&name, text);
            for diagnostic in &report.diagnostics {
                writeln!(out, "{}\n", render(&shown, diagnostic, &renderer()))?;
            }
            writeln!(out, "     {}", summary_of(report, None))?;
        }
    }
    for note in &view.notes {
        writeln!(out, "  note: {note}")?;
    }
    let mut programs = view.programs.iter();
    if let Some(index) = programs.position(|own| own.language == ProgramLanguage::MachineCode) {
        let (name, number) = (asked.name, index + 1);
        writeln!(
            out,
            "  to run the SASS, use `warpgrid run {name} --block {number}`, which requires an installed `nvdisasm` or `cuobjdump`"
        )?;
    }
    Ok(())
}

fn print_program(index: usize, program: &ProgramView, out: &mut impl Write) -> io::Result<()> {
    let language = program.language.name();
    let target = program.target.as_deref().unwrap_or("no target");
    let packed = program
        .packed
        .as_ref()
        .map_or(String::new(), |how| format!(", compressed with {how}"));
    writeln!(
        out,
        "  {}. {language} for {target}, {} bytes{packed}",
        index + 1,
        program.bytes
    )?;
    for kernel in &program.kernels {
        match kernel.facts.is_empty() {
            true => writeln!(out, "     {}", kernel.name)?,
            false => writeln!(out, "     {}: {}", kernel.name, kernel.facts.join(", "))?,
        }
    }
    Ok(())
}

/// Lists the inline assembly blocks of a source.
pub(crate) fn list_parts(
    name: &str,
    parts: &[InlineAsmView],
    format: OutputFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    if format == OutputFormat::Json {
        #[derive(Serialize)]
        struct BlockList<'a> {
            ok: bool,
            id: &'a str,
            blocks: &'a [InlineAsmView],
        }
        serde_json::to_writer(
            &mut *out,
            &BlockList {
                ok: true,
                id: name,
                blocks: parts,
            },
        )?;
        return writeln!(out);
    }
    if parts.is_empty() {
        return writeln!(out, "{name}: the source has no asm blocks");
    }
    writeln!(out, "{name}: inline assembly")?;
    for (index, part) in parts.iter().enumerate() {
        let verdict = if part.accept { "accepted" } else { "rejected" };
        let target = part
            .target
            .as_deref()
            .map_or(String::new(), |name| format!(" for {name}"));
        writeln!(
            out,
            "  {}. {}, line {}: {verdict}{target}",
            index + 1,
            part.name,
            part.line
        )?;
        for operand in &part.operands {
            writeln!(
                out,
                "     {} {}, \"{}\"({})",
                operand.ty, operand.name, operand.constraint, operand.expression
            )?;
        }
        if let Some(note) = &part.note {
            writeln!(out, "     {note}")?;
        }
    }
    Ok(())
}

/// Returns the PTX in a file that the command executes: the named code object, or the first PTX source. Returns `None` if the code object
/// contains SASS, or if the file contains no PTX.
pub(crate) fn source_of(bytes: &[u8], named: Option<&str>) -> Result<Option<String>, String> {
    let file = CompiledFile::open(bytes)?;
    let programs = file.view().programs;
    let is_meant = |(index, program): (usize, &ProgramView)| match named {
        None => program.language == ProgramLanguage::Ptx,
        Some(name) => {
            let mut kernels = program.kernels.iter();
            let is_number = name.parse() == Ok(index + 1);
            let is_name = kernels.any(|kernel| kernel.name == name);
            is_number || is_name && program.language == ProgramLanguage::Ptx
        }
    };
    let found = programs
        .iter()
        .enumerate()
        .position(|(index, own)| is_meant((index, own)));
    let program = found.and_then(|index| Some((programs.get(index)?, file.text(index)?)));
    match program {
        Some((program, text)) if program.language == ProgramLanguage::Ptx => Ok(Some(text)),
        Some(_) => Ok(None),
        None if named.is_some() => Err(format!(
            "the file has no such code object, expected a number from 1 to {}",
            programs.len()
        )),
        None => Ok(None),
    }
}

/// Returns the name of an inline assembly block. The user specifies the block by its name or number.
pub(crate) fn part_name(scenario: &Scenario, block: &str) -> Result<String, String> {
    let parts = warpgrid_view::check(&scenario.source, &CheckOptions::default()).parts;
    let is_meant = |(index, part): &(usize, &InlineAsmView)| {
        part.name == block || block.parse() == Ok(index + 1)
    };
    let mut all = parts.iter().enumerate();
    match all.find(is_meant) {
        Some((_, part)) => Ok(part.name.clone()),
        None if parts.is_empty() => Err(
            "the source has no asm block: to set the launch size of a kernel, add the annotation `//@ launch grid=1 block=32`"
                .to_owned(),
        ),
        None => {
            let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
            Err(format!(
                "the source has no asm block `{block}`, expected one of {}",
                names.join(", ")
            ))
        }
    }
}
