//! Implements the benchmark harness, which reads a directory of inputs and prints one JSON line per benchmark. The same program is compiled
//! for the host and for wasm, so that it only uses the clock, files and standard output.
mod analyses;
mod emulation;
mod language_server;
mod large_launches;
mod operations;
mod races;
mod text;
mod timing;
mod translated;

use serde_json::json;
use std::path::PathBuf;

/// Measured value, or the reason why a benchmark has no value.
type Measurement = Result<f64, String>;

/// Benchmark with its stable name, its title, its unit, and the function that measures the value.
struct Benchmark {
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    measure: fn(&Inputs) -> Measurement,
}

#[rustfmt::skip]
const FIGURES: &[Benchmark] = &[
    Benchmark { name: "parse",   title: "parsing a 4 MB module",               unit: "MB/s",           measure: text::parse },
    Benchmark { name: "check",   title: "parsing and checking this module",             unit: "MB/s",           measure: text::check },
    Benchmark { name: "recheck", title: "rechecking 10,000 lines after an edit",         unit: "ms",             measure: text::recheck },
    Benchmark { name: "lsp50",   title: "language server: keystroke to diagnostics, 10,000 lines, median", unit: "ms", measure: language_server::keystroke_median },
    Benchmark { name: "lsp99",   title: "language server: keystroke to diagnostics, 10,000 lines, p99", unit: "ms", measure: language_server::keystroke_p99 },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "lspmem",  title: "language server: peak memory for a 4 MB module", unit: "MB", measure: language_server::memory },
    Benchmark { name: "sass",    title: "parsing a 4 MB SASS listing",        unit: "MB/s",           measure: text::parse_sass },
    Benchmark { name: "sasschk", title: "checking this SASS listing",                         unit: "MB/s",           measure: text::check_sass },
    Benchmark { name: "batch",   title: "checking small modules",              unit: "modules/s",      measure: text::batch },
    Benchmark { name: "saxpy",   title: "running saxpy, 1,048,576 threads",    unit: "M lane-instr/s", measure: emulation::saxpy },
    Benchmark { name: "matmul",  title: "running a tiled matmul, 256 x 256",   unit: "M lane-instr/s", measure: emulation::matmul },
    Benchmark { name: "saxpym",  title: "running saxpy as SASS",      unit: "M lane-instr/s", measure: emulation::saxpy_machine },
    Benchmark { name: "matmulm", title: "running a tiled matmul as SASS",     unit: "M lane-instr/s", measure: emulation::matmul_machine },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "naivei", title: "untiled matmul, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "naivet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "transi", title: "transpose, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "transt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "reducei", title: "reduction, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "reducet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "lifei", title: "game of life, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "lifet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "sorti", title: "sort in local memory, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "sortt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "mandeli", title: "Mandelbrot set, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "mandelt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "halvesi", title: "sums of f16, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "halvest") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "tablei", title: "lookup table in shared memory, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "tablet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "sidesi", title: "divergent branch in a loop, interpreted", unit: "M lane-instr/s", measure: |inputs| translated::interpreted(inputs, "sidest") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "saxpyt", title: "saxpy, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "saxpyt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "matmult", title: "tiled matmul, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "matmult") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "naivet", title: "untiled matmul, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "naivet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "transt", title: "transpose, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "transt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "reducet", title: "reduction, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "reducet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "lifet", title: "game of life, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "lifet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "sortt", title: "sort in local memory, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "sortt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "mandelt", title: "Mandelbrot set, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "mandelt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "halvest", title: "sums of f16, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "halvest") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "tablet", title: "lookup table in shared memory, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "tablet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "sidest", title: "divergent branch in a loop, JIT", unit: "M lane-instr/s", measure: |inputs| translated::translated(inputs, "sidest") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "matmulp", title: "tiled matmul, JIT on two threads", unit: "M lane-instr/s", measure: |inputs| translated::on_threads(inputs, "matmult") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "naivep", title: "untiled matmul, JIT on two threads", unit: "M lane-instr/s", measure: |inputs| translated::on_threads(inputs, "naivet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "transp", title: "transpose, JIT on two threads", unit: "M lane-instr/s", measure: |inputs| translated::on_threads(inputs, "transt") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "reducep", title: "reduction, JIT on two threads", unit: "M lane-instr/s", measure: |inputs| translated::on_threads(inputs, "reducet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "lifep", title: "game of life, JIT on two threads", unit: "M lane-instr/s", measure: |inputs| translated::on_threads(inputs, "lifet") },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "transl", title: "compiling untiled matmul (JIT)", unit: "ms", measure: translated::translation },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "wmmas", title: "running a wmma matmul of 1024 x 1024, JIT", unit: "s", measure: |inputs| translated::seconds(inputs, "wmmat", 1) },
    #[cfg(not(target_arch = "wasm32"))]
    Benchmark { name: "wmmap", title: "the same wmma matmul, JIT on two threads", unit: "s", measure: |inputs| translated::seconds(inputs, "wmmat", 2) },
    Benchmark { name: "wmma",    title: "running a wmma matmul, 1024 x 1024", unit: "s",             measure: emulation::wmma },
    Benchmark { name: "wgmma",   title: "running a wgmma matmul, 1024 x 1024", unit: "s",            measure: emulation::wgmma },
    Benchmark { name: "tcgen05", title: "running a tcgen05 matmul, 1024 x 1024", unit: "s",          measure: emulation::tcgen05 },
    Benchmark { name: "tma",     title: "copying tiles of tensors (TMA)",           unit: "MB/s",           measure: emulation::tensor_copies },
    Benchmark { name: "add",     title: "add.f32 of a warp",                   unit: "ns",             measure: operations::addition },
    Benchmark { name: "ex2",     title: "ex2.approx.f32 of a warp",             unit: "additions",      measure: |inputs| operations::in_additions(inputs, "ex2.approx.f32") },
    Benchmark { name: "lg2",     title: "lg2.approx.f32 of a warp",             unit: "additions",      measure: |inputs| operations::in_additions(inputs, "lg2.approx.f32") },
    Benchmark { name: "sin",     title: "sin.approx.f32 of a warp",             unit: "additions",      measure: |inputs| operations::in_additions(inputs, "sin.approx.f32") },
    Benchmark { name: "tanh",    title: "tanh.approx.f32 of a warp",            unit: "additions",      measure: |inputs| operations::in_additions(inputs, "tanh.approx.f32") },
    Benchmark { name: "rsqrt",   title: "rsqrt.approx.f32 of a warp",           unit: "additions",      measure: |inputs| operations::in_additions(inputs, "rsqrt.approx.f32") },
    Benchmark { name: "div64",   title: "div.rn.f64 of a warp",                 unit: "additions",      measure: |inputs| operations::in_additions(inputs, "div.rn.f64") },
    Benchmark { name: "fma64",   title: "fma.rn.f64 of a warp",                 unit: "additions",      measure: |inputs| operations::in_additions(inputs, "fma.rn.f64") },
    Benchmark { name: "races",   title: "race detection, median slowdown",    unit: "runs",           measure: races::median_of_looking },
    Benchmark { name: "racesw",  title: "race detection, maximum slowdown",          unit: "runs",           measure: races::most_of_looking },
    Benchmark { name: "repairs", title: "race detection with fixes, maximum slowdown", unit: "runs",        measure: races::most_of_repairs },
    Benchmark { name: "litmus",  title: "litmus test, median",           unit: "ms",             measure: races::median_litmus },
    Benchmark { name: "litmusw", title: "litmus test, maximum",                 unit: "ms",             measure: races::slowest_litmus },
    Benchmark { name: "step",    title: "one step forward",                    unit: "µs",             measure: emulation::step },
    Benchmark { name: "back",    title: "one step back",                       unit: "µs",             measure: emulation::back },
    Benchmark { name: "look",    title: "slowest rendered step of 1,024 threads", unit: "ms",            measure: large_launches::step_and_look },
    Benchmark { name: "far",     title: "slowest step back after a far seek",  unit: "ms",             measure: large_launches::back_after_seek },
    Benchmark { name: "scatter", title: "slowest step back over scattered stores", unit: "ms",             measure: large_launches::back_where_scattered },
    Benchmark { name: "timeline", title: "timeline of 1,000,000 steps", unit: "ms", measure: analyses::timeline },
    Benchmark { name: "positions", title: "steps of compiled kernels with a source position", unit: "%", measure: analyses::source_positions },
    Benchmark { name: "open",    title: "opening 64 MiB and rendering the last frame", unit: "ms",             measure: large_launches::open },
];

/// Directory that contains the benchmark inputs.
struct Inputs {
    folder: PathBuf,
}

impl Inputs {
    fn read(&self, name: &str) -> Result<String, String> {
        std::fs::read_to_string(self.folder.join(name)).map_err(|error| format!("{name}: {error}"))
    }
}

/// Runs benchmarks and prints the result of each as one line of JSON.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Directory of the inputs.
    folder: PathBuf,
    /// Prints the names of all benchmarks.
    #[arg(long)]
    names: bool,
    /// Prints the launches of the compiled kernels as JSON.
    #[arg(long)]
    launches: bool,
    /// Names of the benchmarks to run; all benchmarks by default.
    figures: Vec<String>,
}

/// Runs the selected benchmarks and prints their results.
pub(crate) fn run(options: &Options) {
    let inputs = Inputs {
        folder: options.folder.clone(),
    };
    if options.launches {
        match translated::launches(&inputs) {
            Ok(launches) => println!("{launches}"),
            Err(reason) => println!("{}", json!({ "error": reason })),
        }
        return;
    }
    if options.names {
        for Benchmark { name, .. } in FIGURES {
            println!("{name}");
        }
        return;
    }
    let chosen = &options.figures;
    for Benchmark {
        name,
        title,
        unit,
        measure,
    } in FIGURES
    {
        if !chosen.is_empty() && !chosen.iter().any(|figure| figure == name) {
            continue;
        }
        let (value, note) = match measure(&inputs) {
            Ok(value) => (Some(value), None),
            Err(reason) => (None, Some(reason)),
        };
        println!(
            "{}",
            json!({ "name": name, "title": title, "unit": unit, "value": value, "note": note })
        );
    }
}
