//! `cargo xtask bench`: runs the benchmarks of Warpgrid and prints a table of results and target values.
//!
//! The harness is compiled for the native host, and for wasm with the profile of the page. Node runs the wasm module. Both builds read the
//! same inputs, so the columns are comparable.

mod inputs;
mod table;

use crate::arguments::Arguments;
use crate::package;
use crate::setup::{browser, npm, rust};
use crate::shell::{self, Result};
use crate::{optimized_build, site, sizes};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use table::Table;

/// Wasm target of the harness. WASI programs can read files and the clock, so the harness needs no page.
const WASI: &str = "wasm32-wasip1";

/// Runs the harness natively and in wasm, the package in Node and Chromium, and interactions on the page, and prints the table.
/// `--only native|wasm|page|size` selects one part; `--peers` adds third-party parsers on the same input, which take minutes to compile
/// once.
pub(crate) fn run(arguments: &mut Arguments) -> Result<bool> {
    let only = arguments.option("--only")?;
    let json = arguments.switch("--json");
    let with_peers = arguments.switch("--peers");
    arguments.done()?;
    let included = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let inputs = inputs::write()?;
    let mut table = Table::default();
    let mut all_well = true;
    if included("native") {
        let program = native_program()?;
        let harness = || native(&program, &inputs);
        all_well &= measure_each("native", harness, |figures| table.native(figures))?;
    }
    if with_peers {
        table.native(&measure("measuring other parsers", &mut peers(&inputs)?)?);
    }
    if included("wasm") {
        let program = wasm_program(&inputs)?;
        let harness = || wasm(&program, &inputs);
        all_well &= measure_each("wasm in Node", harness, |figures| table.wasm(figures))?;
        let hosts = translated(&program, &inputs)?;
        for (host, mut command) in hosts {
            let title = format!("measuring compiled kernels, {host}");
            table.wasm(&measure(&title, &mut command)?);
        }
    }
    if included("page") || included("size") {
        let site = site::released()?;
        if included("page") {
            npm::packages()?;
            let found = browser::find_or_install()?;
            let mut figures = shell::command("node");
            figures.arg("e2e/page-benchmarks.mjs");
            figures.env("CHROMIUM", found.of_journeys());
            table.wasm(&measure("measuring the page in Chromium", &mut figures)?);
        }
        if included("size") {
            for size in sizes::of_folder(&site)? {
                table.size(&size);
            }
        }
    }
    println!(
        "{}",
        if json {
            table.json()
        } else {
            table.to_string()
        }
    );
    Ok(all_well)
}

fn native_program() -> Result<PathBuf> {
    optimized_build::compile("compiling the harness, native", &["--release"])
}

fn native(program: &Path, inputs: &Path) -> Command {
    let mut command = shell::command(program);
    command.arg("measure").arg(inputs);
    command
}

fn wasm_program(inputs: &Path) -> Result<PathBuf> {
    rust::target(WASI)?;
    let npm = npm::packages()?;
    let options = ["--target", WASI, "--profile", "wasm"];
    let compiled = optimized_build::compile("compiling the harness, wasm", &options)?;
    let program = inputs.join("measure.wasm");
    std::fs::copy(&compiled, &program)
        .map_err(|error| format!("{}: {error}", program.display()))?;
    package::optimise(&npm, &program)?;
    Ok(program)
}

fn wasm(program: &Path, inputs: &Path) -> Command {
    let mut command = shell::command("node");
    // Node 20 can crash on exit while its compiler threads still compile the module, so Node runs with a single thread.
    command
        .args(["--no-warnings", "--single-threaded"])
        .arg("crates/xtask/src/bench/wasi.mjs")
        .arg(program)
        .arg(inputs);
    command
}

/// Returns the commands that run the same launches with the npm package in Node and in Chromium, where the WebAssembly engine of the host
/// executes the translated code.
fn translated(program: &Path, inputs: &Path) -> Result<[(&'static str, Command); 2]> {
    let package = package::built()?;
    let launches = shell::capture_stdout(wasm(program, inputs).arg("--launches"));
    let launches = launches.ok_or("the benchmark harness printed no launches")?;
    let file = inputs.join("launches.json");
    shell::write(&file, &launches)?;
    let by = |script: &str| {
        let mut command = shell::command("node");
        command.arg(Path::new("crates/xtask/src/bench").join(script));
        command.arg(&package).arg(&file);
        command
    };
    let mut in_chromium = by("chromium.mjs");
    in_chromium.env("CHROMIUM", browser::find_or_install()?.of_journeys());
    Ok([("Node", by("translated.mjs")), ("Chromium", in_chromium)])
}

fn peers(inputs: &Path) -> Result<Command> {
    let mut build = shell::cargo();
    build.args([
        "build",
        "--release",
        "--locked",
        "--manifest-path",
        "crates/xtask/peers/Cargo.toml",
    ]);
    build.args(["--target-dir", "target/peers"]);
    build.args(["--message-format", "json-render-diagnostics"]);
    let outcome = shell::step("compiling other parsers", &mut build)?;
    let program = package::artefact(&outcome.transcript, "/warpgrid-peers")
        .ok_or("cargo did not build the program warpgrid-peers")?;
    let mut command = shell::command(program);
    command.arg(inputs);
    Ok(command)
}

/// Runs each benchmark in a separate process and prints its result. Node 20 crashes if one process runs all benchmarks. With separate
/// processes, a crash affects only the current benchmark. Returns false if a result is missing.
fn measure_each(
    title: &str,
    harness: impl Fn() -> Command,
    mut take: impl FnMut(&[Value]),
) -> Result<bool> {
    let names = shell::capture_stdout(harness().arg("--names"))
        .ok_or("the benchmark harness printed no figure names")?;
    let mut all_well = true;
    for name in names.lines() {
        let outcome = shell::observe(&format!("measuring {name}, {title}"), harness().arg(name))?;
        let figures = figures(&outcome.transcript);
        for figure in &figures {
            eprintln!("  {}", table::line(figure));
        }
        all_well &= !figures.is_empty();
        take(&figures);
    }
    Ok(all_well)
}

/// Runs the harness and parses its output, one JSON object per benchmark.
fn measure(title: &str, command: &mut Command) -> Result<Vec<Value>> {
    let outcome = shell::step(title, command)?;
    Ok(figures(&outcome.transcript))
}

fn figures(transcript: &str) -> Vec<Value> {
    let lines = transcript.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}
