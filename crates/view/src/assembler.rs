//! Assembly of PTX modules with the decisions and the message format of `ptxas`. The module takes PTX sources and the options of an
//! assembler, and returns messages and an object. The object contains the PTX instead of machine code, so that hosts can run the object.

use crate::source::front_ends::is_assembler_remark;
use crate::source::language::Language;
use std::fmt;
use warpgrid_isa::target::{TARGETS, TargetConflict, TargetKind};
use warpgrid_isa::{Target, Version, release};
use warpgrid_launch::SourceLanguage;
use warpgrid_paste::binary::write_object;
use warpgrid_program::{Diagnostic, LineIndex, Overrides, Severity};

pub use warpgrid_paste::binary::ObjectKind;

/// Release of the reference assembler, such as `13.5`, and its version, such as `13.5.37`.
pub fn reference_assembler() -> [&'static str; 2] {
    let toolkit = release::RELEASES.last().map_or("", |last| last.toolkit);
    [toolkit, release::REFERENCE_ASSEMBLER]
}

/// Returns the numbers of all architectures, the oldest architecture first.
pub fn architecture_numbers() -> impl Iterator<Item = u16> {
    let plain = TARGETS
        .iter()
        .filter(|target| target.kind == TargetKind::Plain);
    plain.map(|target| target.sm)
}

/// Returns all PTX ISA versions, the oldest version first.
pub fn ptx_versions() -> impl Iterator<Item = Version> {
    Version::all()
}

/// Architecture for which an assembler generates code.
#[derive(Clone, Copy, Debug)]
pub struct CodeArchitecture {
    target: &'static Target,
    /// First part of the name: `sm_`, or the prefix of a virtual architecture, for which the assembler only checks the module.
    prefix: &'static str,
}

/// Prefix of the architectures for which the assembler generates code.
const REAL: &str = "sm_";
/// Prefixes of all architectures.
const PREFIXES: [&str; 3] = [REAL, "compute_", "lto_"];

impl CodeArchitecture {
    /// Name of the architecture for which the assembler generates code by default.
    pub const DEFAULT_NAME: &str = "sm_75";

    /// Returns the architecture with a name such as `sm_90a` or `compute_90`.
    pub fn from_name(name: &str) -> Option<CodeArchitecture> {
        let (prefix, number) = PREFIXES
            .iter()
            .find_map(|prefix| Some((*prefix, name.strip_prefix(prefix)?)))?;
        let target = Target::from_name(&format!("{REAL}{number}"))?;
        Some(CodeArchitecture { target, prefix })
    }

    fn is_virtual(self) -> bool {
        self.prefix != REAL
    }
}

impl fmt::Display for CodeArchitecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.target.name.strip_prefix(REAL).unwrap_or_default();
        write!(f, "{}{number}", self.prefix)
    }
}

/// PTX module with the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedModule {
    pub name: String,
    pub source: String,
}

/// Options of [`assemble`], which correspond to options of `ptxas`.
#[derive(Clone, Debug)]
pub struct AssemblerOptions {
    pub architecture: CodeArchitecture,
    pub object: ObjectKind,
    pub warnings: WarningLevel,
    /// Whether to report the compiled kernels and information about the modules (`-v`).
    pub is_verbose: bool,
    /// Names of the kernels to compile (`-e`). An empty list selects all kernels.
    pub entries: Vec<String>,
}

/// Treatment of warnings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarningLevel {
    #[default]
    Report,
    /// Suppress all warnings (`-w`).
    Suppress,
    /// Treat all warnings as errors (`-Werror`).
    Deny,
}

/// Severity of an [`AssemblerMessage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageSeverity {
    Information,
    Warning,
    Error,
    Fatal,
}

/// Message of an assembler. The text of a message has the format of `ptxas`, such as
/// `ptxas kernel.ptx, line 5; error   : unknown instruction [W0100]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblerMessage {
    pub severity: MessageSeverity,
    /// Name of the file and line number, which starts at 1.
    pub location: Option<(String, u32)>,
    pub text: String,
}

impl AssemblerMessage {
    /// Creates a message without a source location.
    pub fn new(severity: MessageSeverity, text: String) -> AssemblerMessage {
        AssemblerMessage {
            severity,
            location: None,
            text,
        }
    }

    /// Creates the last message of an assembly that ended with errors.
    pub fn aborted() -> AssemblerMessage {
        let text = "Ptx assembly aborted due to errors".to_owned();
        AssemblerMessage::new(MessageSeverity::Fatal, text)
    }

    const fn is_error(&self) -> bool {
        matches!(
            self.severity,
            MessageSeverity::Error | MessageSeverity::Fatal
        )
    }
}

impl fmt::Display for AssemblerMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            MessageSeverity::Information => "info",
            MessageSeverity::Warning => "warning",
            MessageSeverity::Error => "error",
            MessageSeverity::Fatal => "fatal",
        };
        write!(f, "ptxas ")?;
        if let Some((file, line)) = &self.location {
            write!(f, "{file}, line {line}; ")?;
        }
        write!(f, "{severity:<8}: {}", self.text)
    }
}

/// Result of [`assemble`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssemblyResult {
    pub messages: Vec<AssemblerMessage>,
    /// Whether all modules are accepted.
    pub accept: bool,
    /// Object file, which is absent if a module is rejected, and for a virtual architecture.
    pub object: Option<Vec<u8>>,
}

/// Checks PTX modules for the targets that they declare, and for the architecture of the generated code. If the checker accepts all modules,
/// the result contains an object. Each module is checked separately.
pub fn assemble(modules: &[NamedModule], options: &AssemblerOptions) -> AssemblyResult {
    let mut messages = Vec::new();
    let mut kernels = Vec::new();
    for module in modules {
        let checked = check_module(module, options, &mut messages);
        match checked {
            Ok(names) => kernels.extend(names),
            // The assembler ends at an impossible combination of a module and an architecture, without a summary.
            Err(conflict) => {
                messages.push(AssemblerMessage::new(MessageSeverity::Fatal, conflict));
                return AssemblyResult::rejected(messages);
            }
        }
    }
    if messages.iter().any(AssemblerMessage::is_error) {
        messages.push(AssemblerMessage::aborted());
        return AssemblyResult::rejected(messages);
    }
    let is_unknown = |name: &&String| !kernels.contains(name);
    if let Some(name) = options.entries.iter().find(is_unknown) {
        let text = format!("Unknown function {name}");
        messages.push(AssemblerMessage::new(MessageSeverity::Fatal, text));
        return AssemblyResult::rejected(messages);
    }
    let is_virtual = options.architecture.is_virtual();
    if options.is_verbose && !is_virtual {
        messages.extend(compiled_kernels(&kernels, options));
    }
    let sources: Vec<&str> = modules
        .iter()
        .map(|module| module.source.as_str())
        .collect();
    AssemblyResult {
        messages,
        accept: true,
        object: (!is_virtual)
            .then(|| write_object(&sources, options.architecture.target, options.object)),
    }
}

impl AssemblyResult {
    fn rejected(messages: Vec<AssemblerMessage>) -> AssemblyResult {
        AssemblyResult {
            messages,
            accept: false,
            object: None,
        }
    }
}

/// Checks a module, and returns the names of its kernels. The error is a message about the target of the module.
fn check_module(
    module: &NamedModule,
    options: &AssemblerOptions,
    messages: &mut Vec<AssemblerMessage>,
) -> Result<Vec<String>, String> {
    let overrides = Overrides {
        architecture: Some(options.architecture.target),
        ..Overrides::default()
    };
    // The assembler accepts neither asm blocks nor modules with logs, and ignores launch annotations, which are comments.
    let language = Language::instructions(SourceLanguage::Ptx);
    let checked = language.front_end.check(&module.source, &overrides);
    let stated = checked.stated_target.and_then(Target::from_name);
    if let Some(message) = stated.and_then(|stated| conflict(stated, options.architecture)) {
        return Err(message);
    }
    let at = |line: u32, severity, text| AssemblerMessage {
        severity,
        location: Some((module.name.clone(), line)),
        text,
    };
    let lines = LineIndex::new(&module.source);
    let found = checked.diagnostics.iter().filter_map(|found| {
        let severity = severity(found, options)?;
        let line = lines.position(&module.source, found.span.start).line;
        Some(at(
            line,
            severity,
            format!("{} [{}]", found.message, found.code),
        ))
    });
    messages.extend(found);
    let is_error = |found: &Diagnostic| found.severity == Severity::Error;
    // The checker accepts instructions without a header, but the assembler requires a header.
    let missing = match (checked.stated_version, checked.stated_target) {
        (None, _) => Some(".version"),
        (_, None) => Some(".target"),
        _ => None,
    };
    if let Some(directive) = missing.filter(|_| !checked.diagnostics.iter().any(is_error)) {
        let name = &module.name;
        let text = format!("Missing {directive} directive at start of file '{name}'");
        messages.push(at(1, MessageSeverity::Fatal, text));
    }
    let kernels = checked.program.iter().flat_map(|program| program.entries());
    Ok(kernels.map(|(_, kernel)| kernel.name.clone()).collect())
}

/// Returns the message of the assembler about a module whose target excludes an architecture (assembler 13.5).
fn conflict(stated: &Target, architecture: CodeArchitecture) -> Option<String> {
    let name = stated.name;
    Some(match architecture.target.conflict_with(stated)? {
        TargetConflict::NewerModule => {
            "SM version specified by .target is higher than default SM version assumed".to_owned()
        }
        TargetConflict::FutureArchitecture => {
            format!("Program with .target '{name}' cannot be compiled to future architecture")
        }
        TargetConflict::OtherKind => format!(
            "PTX with .target '{name}' cannot be compiled for architecture '{architecture}'"
        ),
        TargetConflict::OtherFamily => format!(
            "Program with .target '{name}' cannot be compiled to different SM-family architecture"
        ),
    })
}

/// Returns the severity with which a diagnostic is reported, or `None` if the options suppress the diagnostic.
fn severity(found: &Diagnostic, options: &AssemblerOptions) -> Option<MessageSeverity> {
    if is_assembler_remark(found.code) {
        return Some(MessageSeverity::Information);
    }
    match (found.severity, options.warnings) {
        (Severity::Error, _) | (Severity::Warning, WarningLevel::Deny) => {
            Some(MessageSeverity::Error)
        }
        (Severity::Warning, WarningLevel::Report) => Some(MessageSeverity::Warning),
        (Severity::Warning, WarningLevel::Suppress) => None,
        (Severity::Information, _) => options.is_verbose.then_some(MessageSeverity::Information),
    }
}

/// Returns the messages of the verbose mode about the compiled kernels.
fn compiled_kernels(kernels: &[String], options: &AssemblerOptions) -> Vec<AssemblerMessage> {
    let is_selected = |name: &&String| options.entries.is_empty() || options.entries.contains(name);
    let texts = kernels.iter().filter(is_selected).map(|kernel| {
        let architecture = options.architecture;
        format!("Compiling entry function '{kernel}' for '{architecture}'")
    });
    let note =
        "the object contains PTX instead of machine code, so the number of registers is unknown";
    let texts = texts.chain([note.to_owned()]);
    texts
        .map(|text| AssemblerMessage::new(MessageSeverity::Information, text))
        .collect()
}
