//! How fast translated kernels run, beside the interpreter, and what translation takes. In: the inputs; out: figures of the engine that is linked
//! in, and the launches that hosts of JavaScript measure (`bench/translated.mjs`).

use crate::measure::Inputs;
use crate::measure::emulation::{matmul_scenario, saxpy_scenario, scenario, wmma_scenario};
use serde_json::{Value, json};
use warpgrid_view::Scenario;
#[cfg(not(target_arch = "wasm32"))]
use warpgrid_view::session::translated::Limits;

/// More than any of the runs needs.
#[cfg(not(target_arch = "wasm32"))]
const LIMITS: Limits = Limits {
    max_steps: 1_000_000_000,
    least_pace: None,
};

/// A launch that both engines run: the name of its figure, its title, and how it is made.
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

/// Long enough for workers to take blocks of it.
const SHARED: Launch = Launch {
    name: "shared",
    title: "running untiled matmul, 1024 x 1024",
    scenario: |inputs| naive_scenario(inputs, 1024),
};

/// What the hosts of JavaScript run: name, title and scenario of each figure, and of the one whose blocks workers share.
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

/// Twelve numbers a thread.
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

/// Lanes of a warp take from one round to two hundred: the kernel of the corpus that takes longest.
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

/// Each thread takes a number of its own, and leaves one.
fn seeds_scenario(inputs: &Inputs, file: &str) -> Result<Scenario, String> {
    let threads = 1 << 15;
    // Of a product the higher digits, which do not follow each other.
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
    use crate::measure::{Inputs, Measured};
    use warpgrid_view::session::translated::{Native, Translated};
    use warpgrid_view::{Scenario, Session};

    fn scenario_of(inputs: &Inputs, name: &str) -> Result<Scenario, String> {
        let launch = LAUNCHES.iter().find(|launch| launch.name == name);
        let launch = launch.ok_or_else(|| format!("no launch is named {name}"))?;
        (launch.scenario)(inputs)
    }

    /// Million lane-instructions a second of the run alone, without translation.
    pub(crate) fn translated(inputs: &Inputs, name: &str) -> Measured {
        rate(&scenario_of(inputs, name)?, |session| {
            session.run_translated(Native::get(), LIMITS)
        })
    }

    /// The same on two threads.
    pub(crate) fn on_threads(inputs: &Inputs, name: &str) -> Measured {
        rate(&scenario_of(inputs, name)?, |session| {
            session.run_on_threads(LIMITS, 2)
        })
    }

    /// Seconds of a translated run, with its translation, the blocks on this number of threads.
    pub(crate) fn seconds(inputs: &Inputs, name: &str, n_threads: u32) -> Measured {
        let mut best = f64::INFINITY;
        best_of(
            || session(&scenario_of(inputs, name)?, Session::untracked),
            |session| {
                let took = session.run_on_threads(LIMITS, n_threads);
                let took = took.map_err(|why| why.to_string())?;
                best = best.min((took.translating + took.running).as_secs_f64());
                Ok::<(), String>(())
            },
        )?;
        Ok(best)
    }

    /// The same by the interpreter.
    pub(crate) fn interpreted(inputs: &Inputs, name: &str) -> Measured {
        million_lane_instructions_a_second(&scenario_of(inputs, name)?)
    }

    /// Milliseconds from decoded code to machine code, of a kernel of a hundred instructions.
    pub(crate) fn translation(inputs: &Inputs) -> Measured {
        let scenario = naive_scenario(inputs, 256)?;
        let mut best = f64::INFINITY;
        best_of(
            || session(&scenario, Session::untracked),
            |session| {
                let took = session.run_translated(Native::get(), LIMITS);
                let took = took.map_err(|why| why.to_string())?;
                best = best.min(took.translating.as_secs_f64());
                Ok::<(), String>(())
            },
        )?;
        Ok(best * 1e3)
    }

    fn rate<E: ToString>(
        scenario: &Scenario,
        run: impl Fn(&mut Session) -> Result<Translated, E>,
    ) -> Measured {
        let mut best = 0.0f64;
        best_of(
            || session(scenario, Session::untracked),
            |session| {
                let took = run(session).map_err(|why| why.to_string())?;
                best = best.max(took.rate());
                Ok::<(), String>(())
            },
        )?;
        Ok(best)
    }
}
