//! `warpgrid ptxas`: a replacement of the assembler `ptxas`, which checks PTX modules and writes objects that contain the PTX.

mod options;

use self::options::{ParsedOptions, help};
use crate::output::{read_bytes, text_of};
use clap::Args;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use warpgrid_view::assembler::{
    AssemblerMessage, AssemblerOptions, CodeArchitecture, MessageSeverity, NamedModule, ObjectKind,
    WarningLevel, architecture_numbers, assemble, ptx_versions, reference_assembler,
};

/// Arguments of `ptxas`. The command parses its arguments without clap, because the options of `ptxas` have another syntax.
#[derive(Debug, Args)]
pub(crate) struct PtxasArguments {
    /// Options and input files of `ptxas`; `warpgrid ptxas --help` lists the options.
    #[arg(
        value_name = "OPTION|FILE.ptx",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<OsString>,
}

/// Name of the command, and name of a link to `warpgrid` that executes the command.
const NAME: &str = "ptxas";
/// Exit status of all failures.
const FAILURE: u8 = 255;
/// Names of modules that are not files, in messages.
const NAME_OF_STDIN: &str = "stdin";
const NAME_OF_STRING: &str = "application ptx input";

/// Returns the arguments of `ptxas` if the process was started as `ptxas` or as `warpgrid ptxas`.
pub(crate) fn arguments_of(process: &[OsString]) -> Option<PtxasArguments> {
    let program = Path::new(process.first()?).file_stem();
    let n_names = if program.is_some_and(|name| name == NAME) {
        1
    } else if process.get(1).is_some_and(|name| name == NAME) {
        2
    } else {
        return None;
    };
    let arguments = process[n_names..].to_vec();
    Some(PtxasArguments { arguments })
}

/// Executes the command. The messages are written to standard error.
pub(crate) fn run(arguments: PtxasArguments) -> ExitCode {
    match execute(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(messages) => {
            print(&messages);
            ExitCode::from(FAILURE)
        }
    }
}

/// Writes messages to standard error.
fn print(messages: &[AssemblerMessage]) {
    let mut out = io::stderr().lock();
    for message in messages {
        // A failure to write to standard error cannot be reported, so it is ignored.
        let _ = writeln!(out, "{message}");
    }
}

fn fatal(text: String) -> Vec<AssemblerMessage> {
    vec![AssemblerMessage::new(MessageSeverity::Fatal, text)]
}

/// Executes the command. The error contains the messages of a failure.
fn execute(arguments: PtxasArguments) -> Result<(), Vec<AssemblerMessage>> {
    let arguments = arguments.arguments.into_iter();
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let parsed = ParsedOptions::parse(arguments.collect()).map_err(fatal)?;
    let level = warning_level(&parsed);
    if level != WarningLevel::Suppress {
        print(&redefinitions(&parsed));
    }
    if let Some(text) = information(&parsed) {
        let mut out = crate::output::stdout();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        return written.map_err(|error| fatal(error.to_string()));
    }
    let modules = modules(&parsed)?;
    let options = AssemblerOptions {
        architecture: architecture(&parsed)?,
        object: match parsed.contains("compile-only") {
            true => ObjectKind::Relocatable,
            false => ObjectKind::Executable,
        },
        warnings: level,
        is_verbose: parsed.contains("verbose") || parsed.contains("verbose2"),
        entries: parsed
            .all("entry")
            .flat_map(|names| names.split(','))
            .map(str::to_owned)
            .collect(),
    };
    let result = assemble(&modules, &options);
    if !result.accept {
        return Err(result.messages);
    }
    print(&result.messages);
    let Some(object) = result.object else {
        return Ok(());
    };
    let path = parsed.last("output-file").unwrap_or("elf.o");
    let written = std::fs::write(path, object);
    written.map_err(|_| fatal(format!("Output file '{path}' could not be opened")))
}

fn warning_level(parsed: &ParsedOptions) -> WarningLevel {
    if parsed.contains("disable-warnings") {
        WarningLevel::Suppress
    } else if parsed.contains("warning-as-error") {
        WarningLevel::Deny
    } else {
        WarningLevel::Report
    }
}

/// Returns the warnings about options with several values.
fn redefinitions(parsed: &ParsedOptions) -> Vec<AssemblerMessage> {
    let names = parsed.redefined.iter();
    let warnings = names.map(|name| {
        let text = format!(
            "incompatible redefinition for option '{name}', the last value of this option was used"
        );
        AssemblerMessage::new(MessageSeverity::Warning, text)
    });
    warnings.collect()
}

fn architecture(parsed: &ParsedOptions) -> Result<CodeArchitecture, Vec<AssemblerMessage>> {
    let name = parsed.last("gpu-name");
    let name = name.unwrap_or(CodeArchitecture::DEFAULT_NAME);
    let undefined = || {
        fatal(format!(
            "Value '{name}' is not defined for option 'gpu-name'"
        ))
    };
    CodeArchitecture::from_name(name).ok_or_else(undefined)
}

/// Returns the text that the options request instead of an assembly. Without input files, the text is the help.
fn information(parsed: &ParsedOptions) -> Option<String> {
    let lines = |lines: Vec<String>| lines.concat();
    let has_input = !parsed.files.is_empty() || parsed.contains("input-as-string");
    if parsed.contains("help") {
        Some(help())
    } else if parsed.contains("version") {
        Some(version())
    } else if parsed.contains("list-arch") {
        Some(lines(
            architecture_numbers().map(|sm| format!("{sm}\n")).collect(),
        ))
    } else if parsed.contains("list-version") {
        Some(lines(
            ptx_versions()
                .map(|version| format!("{version}\n"))
                .collect(),
        ))
    } else {
        (!has_input).then(help)
    }
}

/// Returns the text of `--version`. Compilers such as Triton read the release from the line of the reference assembler.
fn version() -> String {
    let [release, assembler] = reference_assembler();
    let own = env!("CARGO_PKG_VERSION");
    format!(
        "ptxas: Warpgrid {own}, a PTX checker that writes no machine code\n\
        Decisions of the assembler in Cuda compilation tools, release {release}, V{assembler}\n"
    )
}

/// Reads the input modules.
fn modules(parsed: &ParsedOptions) -> Result<Vec<NamedModule>, Vec<AssemblerMessage>> {
    let strings = parsed.all("input-as-string").map(|source| {
        Ok(NamedModule {
            name: NAME_OF_STRING.to_owned(),
            source: source.to_owned(),
        })
    });
    let files = parsed.files.iter().map(|file| {
        let path = Path::new(file);
        let bytes = read_bytes(path).map_err(|_| {
            let mut messages = fatal(format!("Input file '{file}' could not be opened"));
            messages.push(AssemblerMessage::aborted());
            messages
        })?;
        let source = text_of(path, bytes).map_err(|error| fatal(error.to_string()))?;
        let name = match file.as_str() {
            "-" => NAME_OF_STDIN,
            file => file,
        };
        Ok(NamedModule {
            name: name.to_owned(),
            source,
        })
    });
    strings.chain(files).collect()
}
