//! The `warpgrid` command.
//!
//! - Input: command-line arguments, files and standard input. Output: text or JSON, and an exit status (0 for success, 1 for findings, 2
//!   for usage errors).
//! - This crate contains only argument parsing and output formats. The crate `view` performs checks and runs, and produces all messages.
//! - Tests: `cargo test -p warpgrid` runs the built command.

mod analyze;
mod assembler;
mod batch;
mod check;
mod compare;
mod compile;
mod conflicts;
mod descriptor;
mod disassemble;
mod document;
mod embedded;
mod engine;
mod explain;
mod first_difference;
mod format;
mod fragment;
mod fuzz;
mod input_files;
mod installed_tools;
mod launch;
mod layout;
mod litmus;
mod lsp;
mod manual;
mod open;
mod output;
mod product;
mod ptxas;
mod races;
mod reduce;
mod run;
mod save;
mod seeds;
mod traffic;

use clap::{ColorChoice, CommandFactory, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Checks, runs and explains GPU kernels in PTX and SASS, lane by lane.
#[derive(Debug, Parser)]
#[command(name = "warpgrid", version, about, max_term_width = 100)]
struct Arguments {
    /// Colour the human-readable output.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check and run every kernel, and list all findings: diagnostics, faults, data races, hangs, uninitialized reads, bank conflicts and
    /// uncoalesced accesses. `warpgrid FILE` is short for `warpgrid analyze FILE`.
    Analyze(analyze::AnalyzeArguments),
    /// Check sources for their PTX version and target, with the accept/reject decisions of `ptxas`.
    Check(check::CheckArguments),
    /// Run a scenario (case.json, scenario JSON, PTX or SASS) and check its expectations.
    Run(run::RunArguments),
    /// Document a diagnostic code, an instruction, a special register or a term such as `bank`.
    Explain(explain::ExplainArguments),
    /// Report the bank conflicts of shared memory accesses, and rewrite the kernel without bank conflicts.
    Conflicts(conflicts::ConflictsArguments),
    /// Reduce a PTX source to a minimal test case with the same finding, such as a data race, a hang or an error.
    Reduce(reduce::ReduceArguments),
    /// Find miscompiles of `ptxas`: run random kernels as PTX and as SASS, and reduce the kernels with different results to minimal test
    /// cases.
    Fuzz(fuzz::FuzzArguments),
    /// Show the fragment layout of a matrix, which is the lane and register of each element (wmma, mma, ldmatrix).
    Fragment(fragment::FragmentArguments),
    /// Show a layout in CuTe or Triton notation, evaluate layout algebra, or compare the fragments of two instructions.
    Layout(layout::LayoutArguments),
    /// Decode or build a matrix descriptor, and show the tile that the hardware reads.
    Descriptor(Box<descriptor::DescriptorArguments>),
    /// Check PTX with the options, messages and exit status of the assembler `ptxas`, and write an object that contains the PTX.
    #[command(disable_help_flag = true)]
    Ptxas(ptxas::PtxasArguments),
    /// Enumerate the outcomes of a litmus test that the PTX memory model allows, and find the weakest fixes.
    Litmus(litmus::LitmusArguments),
    /// Show how Tensor Cores accumulate one element of a matrix multiplication, and compare the result with IEEE 754 arithmetic.
    Product(product::ProductArguments),
    /// Print or open a playground link for a source or a scenario.
    Open(open::OpenArguments),
    /// Format sources in place, or from standard input to standard output.
    Format(format::FormatArguments),
    /// Start the language server on standard input and output, for editors.
    Lsp(lsp::LspArguments),
    /// Print the completion script of a shell.
    Completions(manual::CompletionsArguments),
    /// Print the manual page of `warpgrid` or of a command.
    Man(manual::ManArguments),
}

/// Output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    #[default]
    Human,
    Json,
}

/// Outcome of a command. The outcome of usage errors and unreadable files is [`ExitKind::UsageError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExitKind {
    Success,
    /// The command has read the input, but the input was rejected, its run ended with a fault, or its results differ from the expected
    /// results.
    Failure,
    UsageError,
}

impl ExitKind {
    /// Returns the worse of two outcomes.
    fn and(self, other: ExitKind) -> ExitKind {
        if self as u8 >= other as u8 {
            self
        } else {
            other
        }
    }
}

/// Returns the arguments for clap. If the first argument is a file or directory, inserts `analyze` before it.
fn with_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_file = |first: &OsString| {
        Arguments::command().find_subcommand(first).is_none() && is_input(Path::new(first))
    };
    if arguments.get(1).is_some_and(is_file) {
        arguments.insert(1, "analyze".into());
    }
    arguments
}

/// Returns whether an argument in the position of the subcommand is a path. No subcommand has an extension, so the name of a missing file
/// results in an error about the file.
fn is_input(argument: &Path) -> bool {
    argument.is_dir() || argument.is_file() || argument.extension().is_some()
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // clap would interpret `--help` and `--version` of `ptxas`.
    if let Some(arguments) = ptxas::arguments_of(&arguments) {
        return ptxas::run(arguments);
    }
    let Arguments { color, command } = Arguments::parse_from(with_default_command(arguments));
    output::set_colour(color);
    let outcome = match command {
        Command::Analyze(arguments) => analyze::analyze_files(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Conflicts(arguments) => conflicts::conflicts(&arguments),
        Command::Reduce(arguments) => reduce::reduce(&arguments),
        Command::Fuzz(arguments) => fuzz::fuzz(&arguments),
        Command::Fragment(arguments) => fragment::print(&arguments),
        Command::Layout(arguments) => layout::print(&arguments),
        Command::Descriptor(arguments) => descriptor::print(&arguments),
        Command::Ptxas(arguments) => return ptxas::run(arguments),
        Command::Litmus(arguments) => litmus::litmus(&arguments),
        Command::Product(arguments) => product::print(&arguments),
        Command::Open(arguments) => open::open(&arguments),
        Command::Format(arguments) => format::format(&arguments),
        Command::Lsp(arguments) => lsp::serve(&arguments),
        Command::Completions(arguments) => manual::complete(&arguments),
        Command::Man(arguments) => manual::print(&arguments),
    };
    match outcome {
        Ok(ExitKind::Success) => ExitCode::SUCCESS,
        Ok(ExitKind::Failure) => ExitCode::from(1),
        Ok(ExitKind::UsageError) => ExitCode::from(2),
        // A closed pipe (`warpgrid … | head`) is normal usage and not an error.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error.to_string());
            ExitCode::from(2)
        }
    }
}
