//! Implements the development commands `cargo xtask serve`, `test`, `build`, `bench`, `conformance`, `differential`, `release` and `ready`.
//!
//! Each command installs the tools that the command needs, so that the command runs on a machine with only Rust and Node. The commands
//! that run the emulator are compiled separately with the feature `core`. `cargo test -p xtask` also checks the structure of the workspace.
#![expect(
    clippy::print_stdout,
    reason = "the command prints its results to standard output"
)]

mod arguments;
mod bench;
mod concurrency_suite;
mod crate_sizes;
mod dts;
mod editors;
mod layout_differential;
mod litmus;
mod optimized_build;
mod package;
mod precommit;
mod project_urls;
mod python;
mod random_kernels;
mod record;
mod release;
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

  serve [--port 8080] [--release]   Build the playground and serve it at http://127.0.0.1:8080.
  test [--only SUITE | --quick]     Run the CI suite. SUITE is style, native, wasm, package, python, e2e, editors or tree-sitter (only on request).
  build                             Build the release site in dist/, and print its sizes and the size of each crate per emulator module.
  package                           Build the npm package in pkg/, and print its sizes.
  extension                         Build the VS Code extension, and print the path of its archive.
  bench [--peers] [--json]          Run the benchmarks for parsing, checking, emulation and sizes.
  conformance [--family NAME]       Compare accept/reject decisions with `ptxas`, or results with the local GPU (--gpu).
  differential N --ptxas PROGRAM    Run N random kernels as PTX and as SASS, and compare the memory, or compare it with the local GPU
                                    (--gpu). Further options are --seed S, --nvdisasm PROGRAM and --keep DIR.
  record DIR PROGRAM …              Run a program that uses the CUDA driver API, without a GPU, and record its PTX modules and launches.
                                    `conformance --recorded DIR` compares each recorded launch with the launch that Warpgrid infers.
  litmus [--seeds 1000]             Run litmus tests, check that the memory model allows all outcomes, and count tests with several outcomes.
  order [--seeds 4] [--only NAME]   Run kernels with data races or hangs and their correct counterparts, and compare findings and fixes.
  layouts --python PROGRAM          Compare the layout algebra with the Python packages tensor-layouts and pycute in thousands of cases.
  release --dry-run [--verify]      Package the crates, the npm package, the Python wheel, the VS Code extension and the tree-sitter grammar.
                                    Without --dry-run, also publish the crates and the npm package.
          --check TAG               Check a release tag.
          --notes                   Print the section of CHANGELOG.md for the release.
          --archive NAME            Create an archive of the command.
  ready                             Regenerate generated files, and then run `test`.
  setup                             Install the tools of all commands.

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

/// Runs one command. Returns false if the command ran but found a failure, such as a failed test.
fn run(mut arguments: Arguments) -> shell::Result<bool> {
    let command = arguments.command();
    match command.as_deref() {
        Some("serve") => serve::run(&mut arguments),
        Some("test") => test::run(&mut arguments),
        Some("build") => site::build(&mut arguments),
        Some("package") => package::run(&mut arguments),
        Some("extension") => editors::run(&mut arguments),
        Some("bench") => bench::run(&mut arguments),
        Some("conformance") => optimized_build::run("conformance", arguments),
        Some("differential") => optimized_build::run("differential", arguments),
        Some("layouts") => layout_differential::run(&mut arguments),
        Some("litmus") => litmus::run(&mut arguments),
        Some("order") => concurrency_suite::run(&mut arguments),
        Some("record") => record::run(arguments),
        Some("release") => release::run(&mut arguments),
        Some("ready") => precommit::run(&mut arguments),
        Some("setup") => setup::everything().map(|()| true),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            Ok(true)
        }
        Some(other) => Err(format!(
            "unknown command `{other}`: `cargo xtask help` lists all commands"
        )),
    }
}
