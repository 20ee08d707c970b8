//! Implements the benchmarks of kernel execution and of interactive stepping.

use crate::measure::timing::best_of;
use crate::measure::{Inputs, Measurement};
use serde_json::{Value, json};
use std::time::Instant;
use warpgrid_view::{Scenario, Session, SourceLanguage};

/// Step limit of a run. None of the benchmark runs reaches this limit.
const MAX_STEPS: u64 = 1_000_000_000;

/// Number of steps per measurement of [`step`] and [`step_back`].
const STEPS: u32 = 2000;

/// Measures a streaming kernel, in million lane-instructions per second.
pub(super) fn saxpy(inputs: &Inputs) -> Measurement {
    million_lane_instructions_a_second(&saxpy_scenario(inputs, 1 << 20)?)
}

/// Measures a kernel with a loop over shared memory, in million lane-instructions per second.
pub(super) fn matmul(inputs: &Inputs) -> Measurement {
    million_lane_instructions_a_second(&matmul_scenario(inputs, 256)?)
}

/// Measures the SASS of the kernel saxpy, in million lane-instructions per second. The kinds and the number of instructions differ from the
/// PTX version.
pub(super) fn saxpy_machine(inputs: &Inputs) -> Measurement {
    let scenario = as_machine_code(
        inputs,
        "saxpy_float4.sass",
        saxpy_scenario(inputs, 1 << 20)?,
    )?;
    million_lane_instructions_a_second(&scenario)
}

pub(super) fn matmul_machine(inputs: &Inputs) -> Measurement {
    let scenario = as_machine_code(inputs, "matmul_tiled.sass", matmul_scenario(inputs, 256)?)?;
    million_lane_instructions_a_second(&scenario)
}

/// Returns the scenario with the SASS listing as its source.
fn as_machine_code(inputs: &Inputs, name: &str, scenario: Scenario) -> Result<Scenario, String> {
    Ok(Scenario {
        source: inputs.read(name)?,
        front: SourceLanguage::Sass,
        ..scenario
    })
}

/// Measures the multiplication of two 1024 x 1024 matrices on emulated tensor cores by `wmma`, in seconds.
pub(super) fn wmma(inputs: &Inputs) -> Measurement {
    seconds_of(&wmma_scenario(inputs, 1024)?)
}

/// Measures the multiplication of two 1024 x 1024 matrices by warpgroup instructions, in seconds. Tensor copies transfer the tiles.
pub(super) fn wgmma(inputs: &Inputs) -> Measurement {
    let product = TensorProduct {
        file: "wgmma_gemm.ptx",
        threads: 256,
        tiles: [64, 64],
        boxes: [[64, 64], [64, 64], [64, 64]],
        swizzle: "128B",
        sums: ("f16", 2),
    };
    seconds_of(&product.scenario(inputs)?)
}

/// Measures the multiplication of two 1024 x 1024 matrices with accumulators in tensor memory, in seconds.
pub(super) fn tcgen05(inputs: &Inputs) -> Measurement {
    let product = TensorProduct {
        file: "tcgen05_gemm.ptx",
        threads: 128,
        tiles: [64, 128],
        boxes: [[32, 128], [32, 64], [32, 128]],
        swizzle: "64B",
        sums: ("f32", 4),
    };
    seconds_of(&product.scenario(inputs)?)
}

/// Measures tensor copies of 8 KB each to shared memory, in million bytes per second.
pub(super) fn tensor_copies(inputs: &Inputs) -> Measurement {
    const BLOCKS: u32 = 16;
    const COPIES: u32 = 1024;
    let scenario = scenario(json!({
        "source": inputs.read("tensor_copies.ptx")?,
        "grid": [BLOCKS, 1, 1],
        "block": [1, 1, 1],
        "params": [
            tensor_map("map", "x", "f16", 2, [64, 64], "128B"),
            { "kind": "scalar", "name": "n", "type": "u32", "value": COPIES },
            { "kind": "buffer", "name": "x", "type": "f16", "len": SIDE * SIDE, "init": 0.5 },
        ],
    }))?;
    let seconds = seconds_of(&scenario)?;
    Ok(f64::from(BLOCKS * COPIES) * 8192.0 / seconds / 1e6)
}

/// Measures the duration of one run in seconds.
fn seconds_of(scenario: &Scenario) -> Measurement {
    let mut session = session(scenario, Session::new_without_last_writers)?;
    let clock = Instant::now();
    session.run(MAX_STEPS);
    match session.fault() {
        Some(fault) => Err(format!("faulted: {}", fault.message)),
        None => Ok(clock.elapsed().as_secs_f64()),
    }
}

/// Number of rows and number of columns of the matrices in tensor kernels.
const SIDE: u32 = 1024;

/// Returns a tensor map of a square matrix that exactly covers its buffer.
fn tensor_map(
    name: &str,
    buffer: &str,
    ty: &str,
    bytes: u32,
    tile: [u32; 2],
    swizzle: &str,
) -> Value {
    json!({
        "kind": "tensormap", "name": name, "mode": "tiled", "buffer": buffer, "type": ty,
        "dims": [SIDE, SIDE], "strides": [SIDE * bytes], "box": tile, "swizzle": swizzle,
    })
}

/// Product of two `f16` matrices that are accessed through tensor maps.
struct TensorProduct {
    file: &'static str,
    threads: u32,
    /// Number of columns and rows of D that one block computes.
    tiles: [u32; 2],
    /// Box sizes of the tensor maps for A, B and D.
    boxes: [[u32; 2]; 3],
    /// Swizzle mode of A and B. The swizzle mode of D is 128 bytes.
    swizzle: &'static str,
    /// Element type and element size of D.
    sums: (&'static str, u32),
}

impl TensorProduct {
    fn scenario(&self, inputs: &Inputs) -> Result<Scenario, String> {
        let buffer = |name: &str, ty: &str| json!({ "kind": "buffer", "name": name, "type": ty, "len": SIDE * SIDE, "init": 0.5 });
        let [a, b, d] = self.boxes;
        let [columns, rows] = self.tiles;
        scenario(json!({
            "source": inputs.read(self.file)?,
            "grid": [SIDE / columns, SIDE / rows, 1],
            "block": [self.threads, 1, 1],
            "params": [
                tensor_map("a", "a", "f16", 2, a, self.swizzle),
                tensor_map("b", "b", "f16", 2, b, self.swizzle),
                tensor_map("d", "d", self.sums.0, self.sums.1, d, "128B"),
                { "kind": "scalar", "name": "blocks_of_k", "type": "s32", "value": SIDE / a[0] },
                buffer("a", "f16"),
                buffer("b", "f16"),
                buffer("d", self.sums.0),
            ],
        }))
    }
}

/// Measures one step forward in a session that tracks last writers, as in the page, in microseconds.
pub(super) fn step(inputs: &Inputs) -> Measurement {
    let scenario = matmul_scenario(inputs, 64)?;
    let seconds = best_of(
        || session(&scenario, Session::new),
        |session| {
            let all = (0..STEPS).all(|_| session.step());
            all.then_some(()).ok_or_else(too_short)
        },
    )?;
    Ok(seconds * 1e6 / f64::from(STEPS))
}

/// Measures one step back in a session, in microseconds.
pub(super) fn back(inputs: &Inputs) -> Measurement {
    let mut session = session(&matmul_scenario(inputs, 64)?, Session::new)?;
    session.run(u64::from(STEPS) * 4);
    let clock = Instant::now();
    let all = (0..STEPS).all(|_| session.step_back());
    if !all {
        return Err(too_short());
    }
    Ok(clock.elapsed().as_secs_f64() * 1e6 / f64::from(STEPS))
}

fn too_short() -> String {
    "the run is too short to be measured".to_string()
}

pub(super) fn million_lane_instructions_a_second(scenario: &Scenario) -> Measurement {
    let mut lane_instructions = 0;
    let seconds = best_of(
        || session(scenario, Session::new_without_last_writers),
        |session| {
            session.run(MAX_STEPS);
            lane_instructions = session.lane_instructions();
            session
                .fault()
                .map_or(Ok(()), |fault| Err(format!("faulted: {}", fault.message)))
        },
    )?;
    if lane_instructions == 0 {
        return Err(too_short());
    }
    Ok(lane_instructions as f64 / seconds / 1e6)
}

pub(super) fn session(
    scenario: &Scenario,
    open: impl Fn(Scenario) -> Result<Session, warpgrid_view::RequestError>,
) -> Result<Session, String> {
    open(scenario.clone()).map_err(|error| format!("{}: {}", error.code, error.message))
}

pub(super) fn saxpy_scenario(inputs: &Inputs, threads: u32) -> Result<Scenario, String> {
    let buffer = |name: &str| json!({ "kind": "buffer", "name": name, "type": "f32", "len": threads * 4, "init": 1.5 });
    scenario(json!({
        "source": inputs.read("saxpy_float4.ptx")?,
        "grid": [threads / 256, 1, 1],
        "block": [256, 1, 1],
        "params": [
            { "kind": "scalar", "name": "alpha", "type": "f32", "value": 2.0 },
            buffer("x"),
            buffer("y"),
            { "kind": "scalar", "name": "n4", "type": "s32", "value": threads },
        ],
    }))
}

pub(super) fn matmul_scenario(inputs: &Inputs, side: u32) -> Result<Scenario, String> {
    let buffer = |name: &str| json!({ "kind": "buffer", "name": name, "type": "f32", "len": side * side, "init": 0.5 });
    scenario(json!({
        "source": inputs.read("matmul_tiled.ptx")?,
        "grid": [side / 16, side / 16, 1],
        "block": [16, 16, 1],
        "params": [buffer("a"), buffer("b"), buffer("c"), { "kind": "scalar", "name": "n", "type": "s32", "value": side }],
    }))
}

pub(super) fn wmma_scenario(inputs: &Inputs, side: u32) -> Result<Scenario, String> {
    let buffer = |name: &str, ty: &str| json!({ "kind": "buffer", "name": name, "type": ty, "len": side * side, "init": 0.5 });
    let scalar = |name: &str, ty: &str, value: f64| json!({ "kind": "scalar", "name": name, "type": ty, "value": value });
    scenario(json!({
        "source": inputs.read("wmma_f16_f32_gemm.ptx")?,
        "grid": [side / 16, side / 16, 1],
        "block": [32, 1, 1],
        "params": [
            buffer("a", "f16"),
            buffer("b", "f16"),
            buffer("c", "f32"),
            buffer("d", "f32"),
            scalar("n", "s32", side.into()),
            scalar("k", "s32", side.into()),
            scalar("alpha", "f32", 1.0),
            scalar("beta", "f32", 0.5),
        ],
    }))
}

pub(super) fn scenario(value: Value) -> Result<Scenario, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}
