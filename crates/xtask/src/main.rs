//! Every development command of Warpgrid: what a person types goes in, a built, served, tested or
//! measured project comes out. Each command sets up what it needs, so that it runs on a bare machine.
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
mod test;

use arguments::Arguments;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask COMMAND

  serve [--port 8080] [--release]   build the playground and serve it at http://127.0.0.1:8080
  test [--only SUITE | --quick]     what CI runs; SUITE is style, native, wasm, package or e2e; --quick takes style and native
  build                             the release site in dist/, with its sizes, also by room of the core
  package                           the npm package in pkg/, with its sizes
  bench [--peers] [--json]          the figures: parsing, checking, emulating, sizes
  conformance [--family NAME]       agreement with the reference assembler's verdicts; --gpu: with the GPU of this machine
  differential N --ptxas PROGRAM    runs random kernels as PTX and as machine code, and says where memory differs; --seed S,
                                    --nvdisasm PROGRAM, --keep FOLDER; --gpu: as PTX on the GPU of this machine
  record FOLDER PROGRAM …           runs a program that uses the CUDA driver API, without a GPU, and keeps its PTX modules and launches;
                                    `conformance --recorded FOLDER` compares the launches with those that Warpgrid infers
  litmus [--seeds 1000]             litmus tests of the memory model: allowed outcomes, and how many show several
  order [--seeds 4] [--only NAME]   kernels that race or hang, and healthy twins: races, hangs, repairs said exactly
  layouts --python PROGRAM          thousands of cases of the algebra of layouts, agreed with tensor-layouts and pycute, which that Python has
  release --dry-run [--verify]      packs the crates and the npm package as their registries would have them; without it, publishes them
          --check TAG | --notes | --archive NAME     whether a tag may be released; what CHANGELOG.md says of it; the command, packed
  ready                             rewrites generated files, then runs `test`
  setup                             only install what the other commands need

Every command installs what it needs, once; later calls find it in milliseconds.
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
