//! The development commands: `cargo xtask serve`, `test`, `build`, `bench`, `conformance`, `differential`, `release` and `ready`.
//!
//! Each command installs the tools that it needs, so that it runs on a machine that has only Rust and Node. The commands that run the
//! emulator are compiled separately with the feature `core`. Tests: `cargo test -p xtask` checks the structure of the workspace, too.
#![expect(
    clippy::print_stdout,
    reason = "a command for people talks on standard output"
)]

mod address;
mod arguments;
mod bench;
mod declarations;
mod generated;
mod layouts;
mod litmus;
mod optimised;
mod order;
mod package;
mod ready;
mod record;
mod release;
mod rooms;
mod serve;
mod setup;
mod shell;
mod site;
mod sizes;
mod stamp;
mod test;

use arguments::Arguments;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port 8080] [--release]   build the playground and serve it at http://127.0.0.1:8080
  test [--only SUITE | --quick]     run the CI suite; SUITE is style, native, wasm, package or e2e; --quick runs style and native
  build                             build the release site in dist/, and print its sizes, also by crate of each emulator module
  package                           build the npm package in pkg/, and print its sizes
  bench [--peers] [--json]          run the benchmarks: parsing, checking, emulation, sizes
  conformance [--family NAME]       compare accept/reject decisions with `ptxas`; --gpu: compare results with the local GPU
  differential N --ptxas PROGRAM    run random kernels as PTX and as SASS, and compare memory; --seed S,
                                    --nvdisasm PROGRAM, --keep DIR; --gpu: compare with the local GPU
  record DIR PROGRAM …              run a program that uses the CUDA driver API, without a GPU, and record its PTX modules and launches;
                                    `conformance --recorded DIR` compares them with the inferred launch configurations
  litmus [--seeds 1000]             run litmus tests: check that all outcomes are allowed, and count tests with several outcomes
  order [--seeds 4] [--only NAME]   run kernels with data races or hangs and their correct counterparts, and compare findings and fixes
  layouts --python PROGRAM          compare the layout algebra with the Python packages tensor-layouts and pycute on thousands of cases
  release --dry-run [--verify]      package the crates and the npm package; without the option, publish them
          --check TAG | --notes | --archive NAME     check a release tag; print its section of CHANGELOG.md; archive the command
  ready                             regenerate generated files, then run `test`
  setup                             install the tools of all commands

Each command installs missing tools on first use.
";

fn main() -> ExitCode {
    let arguments = Arguments::from_environment();
    match run(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("\nerror: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs one command; false when it ran but what it looked at is wrong (a test failed).
fn run(mut arguments: Arguments) -> shell::Result<bool> {
    let command = arguments.command();
    match command.as_deref() {
        Some("serve") => serve::run(&mut arguments),
        Some("test") => test::run(&mut arguments),
        Some("build") => site::build(&mut arguments),
        Some("package") => package::run(&mut arguments),
        Some("bench") => bench::run(&mut arguments),
        Some("conformance") => optimised::run("conformance", arguments),
        Some("differential") => optimised::run("differential", arguments),
        Some("layouts") => layouts::run(&mut arguments),
        Some("litmus") => litmus::run(&mut arguments),
        Some("order") => order::run(&mut arguments),
        Some("record") => record::run(arguments),
        Some("release") => release::run(&mut arguments),
        Some("ready") => ready::run(&mut arguments),
        Some("setup") => setup::everything().map(|()| true),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(true)
        }
        Some(other) => Err(format!(
            "no command `{other}`; `cargo xtask help` lists them"
        )),
    }
}
