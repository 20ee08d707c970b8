//! Contains the entry point of the `cargo xtask` commands that call the emulator. `cargo xtask` compiles this program with optimizations.
//! The command `bench` also compiles this program for wasm.
//!
//! The exit status is 1 if a command finds a difference, and 2 if the command cannot run.
#![expect(
    clippy::print_stdout,
    reason = "the commands print their results to standard output"
)]

mod conformance;
mod differential;
mod gpu;
mod measure;

use clap::Parser;
use std::process::ExitCode;

/// Result whose error is a sentence that states the cause and a remedy.
pub(crate) type Result<T> = std::result::Result<T, String>;

/// A command of `cargo xtask`.
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask")]
enum Command {
    Measure(measure::Options),
    Conformance(conformance::Options),
    Differential(differential::Options),
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Measure(options) => {
            measure::run(&options);
            Ok(true)
        }
        Command::Conformance(options) => conformance::run(&options),
        Command::Differential(options) => differential::run(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("\nerror: {message}");
            ExitCode::from(2)
        }
    }
}
