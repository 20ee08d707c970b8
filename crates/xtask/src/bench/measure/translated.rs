//! How fast translated kernels run, beside the interpreter, and what translation takes. Natively alone.

use crate::emulation::{matmul_scenario, saxpy_scenario, scenario, session};
use crate::timing::best_of;
use crate::{Inputs, Measured};
use serde_json::{Value, json};
use warpgrid_view::translated::{Native, Translated};
use warpgrid_view::{Scenario, Session};

/// More than any of the runs needs.
const MAX_STEPS: u64 = 1_000_000_000;

pub(super) fn saxpy(inputs: &Inputs) -> Measured {
    rate(&saxpy_scenario(inputs, 1 << 20)?)
}

pub(super) fn matmul(inputs: &Inputs) -> Measured {
    rate(&matmul_scenario(inputs, 256)?)
}

pub(super) fn naive(inputs: &Inputs) -> Measured {
    rate(&naive_scenario(inputs)?)
}

pub(super) fn transpose(inputs: &Inputs) -> Measured {
    let side = 1024;
    rate(&scenario(json!({
        "source": inputs.read("transpose_naive.ptx")?,
        "grid": [side / 16, side / 16, 1],
        "block": [16, 16, 1],
        "params": [
            buffer("in", "s32", side * side), buffer("out", "s32", side * side),
            number("rows", side), number("cols", side),
        ],
    }))?)
}

pub(super) fn reduction(inputs: &Inputs) -> Measured {
    let blocks = 4096;
    rate(&scenario(json!({
        "source": inputs.read("reduce_shared.ptx")?,
        "grid": [blocks, 1, 1],
        "block": [256, 1, 1],
        "params": [buffer("in", "s32", blocks * 256), buffer("out", "s32", blocks)],
    }))?)
}

pub(super) fn life(inputs: &Inputs) -> Measured {
    let side = 1024;
    rate(&scenario(json!({
        "source": inputs.read("game_of_life.ptx")?,
        "grid": [side / 16, side / 8, 1],
        "block": [16, 8, 1],
        "params": [buffer("now", "u8", side * side), buffer("next", "u8", side * side), number("n", side)],
    }))?)
}

/// Milliseconds from decoded code to machine code, of a kernel of a hundred instructions.
pub(super) fn translation(inputs: &Inputs) -> Measured {
    let scenario = naive_scenario(inputs)?;
    let mut best = f64::INFINITY;
    best_of(
        || session(&scenario, Session::untracked),
        |session| {
            let took = run(session)?;
            best = best.min(took.translating.as_secs_f64());
            Ok(())
        },
    )?;
    Ok(best * 1e3)
}

fn naive_scenario(inputs: &Inputs) -> Result<Scenario, String> {
    let side = 256;
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

fn run(session: &mut Session) -> Result<Translated, String> {
    session
        .run_translated(Native::get(), MAX_STEPS)
        .map_err(|why| why.to_string())
}

/// Million lane-instructions a second of the run alone, without translation.
fn rate(scenario: &Scenario) -> Measured {
    let mut best = 0.0f64;
    best_of(
        || session(scenario, Session::untracked),
        |session| {
            best = best.max(run(session)?.rate());
            Ok::<(), String>(())
        },
    )?;
    Ok(best)
}
