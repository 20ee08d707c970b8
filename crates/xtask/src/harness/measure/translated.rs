//! Implements the benchmarks of translated kernels, of the interpreter, and of the translation with the native engine. The module also
//! provides the launches that JavaScript hosts measure (`bench/translated.mjs`).

use crate::measure::Inputs;
use crate::measure::emulation::{matmul_scenario, saxpy_scenario, scenario, wmma_scenario};
use serde_json::{Value, json};
use warpgrid_view::Scenario;
#[cfg(not(target_arch = "wasm32"))]
use warpgrid_view::session::translated_run::RunLimits;

/// Limits of a run. None of the benchmark runs reaches these limits.
#[cfg(not(target_arch = "wasm32"))]
const LIMITS: RunLimits = RunLimits {
    max_steps: 1_000_000_000,
    min_steps_per_second: None,
};

/// Launch that the native engine and JavaScript hosts run. The launch consists of the name and the title of the benchmark, and of the
/// scenario.
pub(super) struct Launch {
    name: &'static str,
    title: &'static str,
    scenario: fn(&Inputs) -> Result<Scenario, String>,
}

#[rustfmt::skip]
const LAUNCHES: &[Launch] = &[
    Launch { name: "saxpyt",  title: "saxpy, JIT",                scenario: |inputs| saxpy_scenario(inputs, 1 << 20) },
    Launch { name: "matmult", title: "tiled matmul, JIT",         scenario: |inputs| matmul_scenario(inputs, 256) },
    Launch { name: "naivet",  title: "untiled matmul, JIT", scenario: |inputs| naive_scenario(inputs, 256) },
    Launch { name: "transt",  title: "transpose, JIT",            scenario: transpose_scenario },
    Launch { name: "reducet", title: "reduction, JIT",            scenario: reduction_scenario },
    Launch { name: "lifet",   title: "game of life, JIT",         scenario: life_scenario },
    Launch { name: "sortt",   title: "sort in local memory, JIT", scenario: sort_scenario },
    Launch { name: "mandelt", title: "Mandelbrot set, JIT",       scenario: mandelbrot_scenario },
    Launch { name: "halvest", title: "sums of f16, JIT",       scenario: halves_scenario },
    Launch { name: "tablet",  title: "lookup table in shared memory, JIT", scenario: |inputs| seeds_scenario(inputs, "table_lookup.ptx") },
    Launch { name: "sidest",  title: "divergent branch in a loop, JIT",  scenario: |inputs| seeds_scenario(inputs, "two_sides.ptx") },
    Launch { name: "wmmat",   title: "wmma matmul, JIT",         scenario: |inputs| wmma_scenario(inputs, 1024) },
];

/// Launch with a run time that is long enough for other workers to execute some of its blocks.
const SHARED: Launch = Launch {
    name: "shared",
    title: "running untiled matmul, 1024 x 1024",
    scenario: |inputs| naive_scenario(inputs, 1024),
};

/// Returns the launches for JavaScript hosts: name, title and scenario of each benchmark, and of the benchmark that distributes its blocks
/// among workers.
pub(super) fn launches(inputs: &Inputs) -> Result<Value, String> {
    let launch = |launch: &Launch| -> Result<Value, String> {
        let scenario = (launch.scenario)(inputs)?;
        Ok(json!({ "name": launch.name, "title": launch.title, "scenario": scenario }))
    };
    let alone: Value = LAUNCHES.iter().map(launch).collect::<Result<_, _>>()?;
    Ok(json!({ "alone": alone, "shared": launch(&SHARED)? }))
}

fn transpose_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let side = 1024;
    scenario(json!({
        "source": inputs.read("transpose_naive.ptx")?,
        "grid": [side / 16, side / 16, 1],
        "block": [16, 16, 1],
        "params": [
            buffer("in", "s32", side * side), buffer("out", "s32", side * side),
            number("rows", side), number("cols", side),
        ],
    }))
}

fn reduction_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let blocks = 4096;
    scenario(json!({
        "source": inputs.read("reduce_shared.ptx")?,
        "grid": [blocks, 1, 1],
        "block": [256, 1, 1],
        "params": [buffer("in", "s32", blocks * 256), buffer("out", "s32", blocks)],
    }))
}

fn life_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let side = 1024;
    scenario(json!({
        "source": inputs.read("game_of_life.ptx")?,
        "grid": [side / 16, side / 8, 1],
        "block": [16, 8, 1],
        "params": [buffer("now", "u8", side * side), buffer("next", "u8", side * side), number("n", side)],
    }))
}

/// Returns the launch of a kernel in which each thread sorts twelve numbers.
fn sort_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let (blocks, numbers) = (2048, 12);
    let len = blocks * 32 * numbers;
    scenario(json!({
        "source": inputs.read("local_array_sort.ptx")?,
        "grid": [blocks, 1, 1],
        "block": [32, 1, 1],
        "params": [buffer("in", "s32", len), buffer("out", "s32", len), number("n", numbers)],
    }))
}

/// Returns the launch of the longest-running kernel in the corpus. The lanes of this kernel execute from one to two hundred loop
/// iterations.
fn mandelbrot_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let side = 512;
    scenario(json!({
        "source": inputs.read("mandelbrot_fixed_point.ptx")?,
        "grid": [side / 16, side / 8, 1],
        "block": [16, 8, 1],
        "params": [buffer("out", "u8", side * side), number("w", side), number("h", side), number("limit", 200)],
    }))
}

fn halves_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let pairs = 1 << 20;
    scenario(json!({
        "source": inputs.read("axpy_half2.ptx")?,
        "grid": [pairs / 64, 1, 1],
        "block": [64, 1, 1],
        "params": [buffer("x", "f16", 2 * pairs), buffer("y", "f16", 2 * pairs), number("n2", pairs)],
    }))
}

/// Returns the launch of a kernel in which each thread reads a distinct number and writes one result.
fn seeds_scenario(inputs: &Inputs, file: &str) -> Result<Scenario, String> {
    let threads = 1 << 15;
    // The seeds are the upper bits of a product, so that the seeds are not consecutive.
    let seeds: Vec<u32> = (1..=threads)
        .map(|n: u32| n.wrapping_mul(0x9e37_79b1) >> 7)
        .collect();
    scenario(json!({
        "source": inputs.read(file)?,
        "grid": [threads / 256, 1, 1],
        "block": [256, 1, 1],
        "params": [
            { "kind": "buffer", "name": "seeds", "type": "u32", "len": threads, "init": seeds },
            buffer("out", "u32", threads),
        ],
    }))
}

fn naive_scenario(inputs: &Inputs, side: u32) -> Result<Scenario, String> {
    scenario(json!({
        "source": inputs.read("matmul_naive.ptx")?,
        "grid": [side / 16, side / 16, 1],
        "block": [16, 16, 1],
        "params": [
            buffer("a", "f32", side * side), buffer("b", "f32", side * side), buffer("c", "f32", side * side),
            number("m", side), number("n", side), number("k", side),
        ],
    }))
}

fn buffer(name: &str, ty: &str, len: u32) -> Value {
    json!({ "kind": "buffer", "name": name, "type": ty, "len": len, "init": 1 })
}

fn number(name: &str, value: u32) -> Value {
    json!({ "kind": "scalar", "name": name, "type": "s32", "value": value })
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::{interpreted, on_threads, seconds, translated, translation};

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{LAUNCHES, LIMITS, naive_scenario};
    use crate::measure::emulation::{million_lane_instructions_a_second, session};
    use crate::measure::timing::best_of;
    use crate::measure::{Inputs, Measurement};
    use warpgrid_view::session::translated_run::{TranslatedRunStats, WasmtimeEngine};
    use warpgrid_view::{Scenario, Session};

    fn scenario_of(inputs: &Inputs, name: &str) -> Result<Scenario, String> {
        let launch = LAUNCHES.iter().find(|launch| launch.name == name);
        let launch = launch.ok_or_else(|| format!("no launch is named {name}"))?;
        (launch.scenario)(inputs)
    }

    /// Measures the throughput of the translated run in million lane-instructions per second. The measured time excludes the translation.
    pub(crate) fn translated(inputs: &Inputs, name: &str) -> Measurement {
        rate(&scenario_of(inputs, name)?, |session| {
            session.run_translated(WasmtimeEngine::get(), LIMITS)
        })
    }

    /// Measures the throughput of the translated run on two threads in million lane-instructions per second.
    pub(crate) fn on_threads(inputs: &Inputs, name: &str) -> Measurement {
        rate(&scenario_of(inputs, name)?, |session| {
            session.run_on_threads(LIMITS, 2)
        })
    }

    /// Measures the duration of a translated run in seconds, including the translation. The blocks are distributed over the given number of
    /// threads.
    pub(crate) fn seconds(inputs: &Inputs, name: &str, n_threads: u32) -> Measurement {
        let mut best = f64::INFINITY;
        best_of(
            || {
                session(
                    &scenario_of(inputs, name)?,
                    Session::new_without_last_writers,
                )
            },
            |session| {
                let took = session.run_on_threads(LIMITS, n_threads);
                let took = took.map_err(|reason| reason.to_string())?;
                best = best.min((took.translating + took.running).as_secs_f64());
                Ok::<(), String>(())
            },
        )?;
        Ok(best)
    }

    /// Measures the throughput of the interpreter in million lane-instructions per second.
    pub(crate) fn interpreted(inputs: &Inputs, name: &str) -> Measurement {
        million_lane_instructions_a_second(&scenario_of(inputs, name)?)
    }

    /// Measures the duration of the translation from decoded code to machine code for a kernel with about a hundred instructions, in
    /// milliseconds.
    pub(crate) fn translation(inputs: &Inputs) -> Measurement {
        let scenario = naive_scenario(inputs, 256)?;
        let mut best = f64::INFINITY;
        best_of(
            || session(&scenario, Session::new_without_last_writers),
            |session| {
                let took = session.run_translated(WasmtimeEngine::get(), LIMITS);
                let took = took.map_err(|reason| reason.to_string())?;
                best = best.min(took.translating.as_secs_f64());
                Ok::<(), String>(())
            },
        )?;
        Ok(best * 1e3)
    }

    fn rate<E: ToString>(
        scenario: &Scenario,
        run: impl Fn(&mut Session) -> Result<TranslatedRunStats, E>,
    ) -> Measurement {
        let mut best = 0.0f64;
        best_of(
            || session(scenario, Session::new_without_last_writers),
            |session| {
                let took = run(session).map_err(|reason| reason.to_string())?;
                best = best.max(took.rate());
                Ok::<(), String>(())
            },
        )?;
        Ok(best)
    }
}
