//! The `warpgrid` command: arguments in, text or JSON out. No logic of its own; every word comes from `view`.

mod batch;
mod beside;
mod check;
mod compiled;
mod conflicts;
mod descriptor;
mod difference;
mod document;
mod engine;
mod explain;
mod format;
mod fragment;
mod launch;
mod layout;
mod litmus;
mod manual;
mod open;
mod output;
mod product;
mod races;
mod run;
mod save;
mod seeds;
mod traffic;

use clap::{ColorChoice, Parser, Subcommand, ValueEnum};
use std::process::ExitCode;

/// Checks, runs and explains GPU kernels in PTX and machine code, and shows where every lane's store lands.
#[derive(Debug, Parser)]
#[command(name = "warpgrid", version, about, max_term_width = 100)]
struct Arguments {
    /// Whether output for people has colours.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check sources for their PTX version and target, as the reference assembler does.
    Check(check::CheckArguments),
    /// Run a scenario (a case.json, Warpgrid's own form, or a PTX file) and check what it promises.
    Run(run::RunArguments),
    /// Explain a diagnostic code, an instruction, a special register or a word such as `bank`.
    Explain(explain::ExplainArguments),
    /// Show which lanes collide in shared memory, and cure the text of its bank conflicts.
    Conflicts(conflicts::ConflictsArguments),
    /// Show which lane and register holds which element of a matrix (wmma, mma, ldmatrix).
    Fragment(fragment::FragmentArguments),
    /// Draw a layout that is written as CuTe or Triton does, compose and divide layouts, or see whether two instructions fit together.
    Layout(layout::LayoutArguments),
    /// Take a descriptor of shared memory apart, or build one, and show the tile that it makes hardware read.
    Descriptor(Box<descriptor::DescriptorArguments>),
    /// Show every outcome that the memory model allows for a few threads, what forbids the others, and the weakest repairs.
    Litmus(litmus::LitmusArguments),
    /// Show how a tensor core computes one element of a matrix product, and why it is not what IEEE arithmetic gives.
    Product(product::ProductArguments),
    /// Print a link that opens a source or a scenario in the playground, or open it.
    Open(open::OpenArguments),
    /// Format sources in place, or standard input to standard output.
    Format(format::FormatArguments),
    /// Print the completions of a shell, to be put where it looks for them.
    Completions(manual::CompletionsArguments),
    /// Print the manual page, or that of a command, for `man`.
    Man(manual::ManArguments),
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    #[default]
    Human,
    Json,
}

/// How a command ends. Wrong usage and unreadable files are [`Outcome::Usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Well,
    /// The input was read, but it is rejected, faulted or differs.
    Wrong,
    Usage,
}

impl Outcome {
    /// The worse of both.
    fn and(self, other: Outcome) -> Outcome {
        if self as u8 >= other as u8 {
            self
        } else {
            other
        }
    }
}

fn main() -> ExitCode {
    let Arguments { color, command } = Arguments::parse();
    output::set_colour(color);
    let outcome = match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Conflicts(arguments) => conflicts::conflicts(&arguments),
        Command::Fragment(arguments) => fragment::print(&arguments),
        Command::Layout(arguments) => layout::print(&arguments),
        Command::Descriptor(arguments) => descriptor::print(&arguments),
        Command::Litmus(arguments) => litmus::litmus(&arguments),
        Command::Product(arguments) => product::print(&arguments),
        Command::Open(arguments) => open::open(&arguments),
        Command::Format(arguments) => format::format(&arguments),
        Command::Completions(arguments) => manual::complete(&arguments),
        Command::Man(arguments) => manual::print(&arguments),
    };
    match outcome {
        Ok(Outcome::Well) => ExitCode::SUCCESS,
        Ok(Outcome::Wrong) => ExitCode::from(1),
        Ok(Outcome::Usage) => ExitCode::from(2),
        // A closed pipe (`warpgrid … | head`) is how people stop reading, not a mistake.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}
