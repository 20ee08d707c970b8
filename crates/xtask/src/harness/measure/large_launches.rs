//! Measures the interactive latency of large launches: a launch of a million threads, and a launch with a buffer of 64 MiB.

use crate::measure::emulation::{scenario, session};
use crate::measure::{Inputs, Measurement};
use serde_json::json;
use std::time::Instant;
use warpgrid_view::model::{FrameRequest, GridRequest};
use warpgrid_view::{MemoryKey, Scenario, Session};

/// Kernel with one addition per thread. The kernel maximizes the number of warps for a given number of steps.
const ADD: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<7>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4];
    ld.global.f32 %f2, [%rd5];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd5], %f3;
    ret;
}
";

/// Kernel in which each thread stores words to distinct pseudorandom locations among 16,777,216 words.
const SCATTER: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry scatter(.param .u64 y)
{
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mov.u32 %r6, 0;
LOOP:
    mad.lo.u32 %r7, %r6, 1048576, %r4;
    mul.lo.u32 %r5, %r7, 2654435761;
    shr.u32 %r5, %r5, 8;
    mad.wide.u32 %rd3, %r5, 4, %rd1;
    st.global.u32 [%rd3], %r7;
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p, %r6, 4;
    @%p bra LOOP;
    ret;
}
";

/// Number of runs of [`step_and_look`].
const RUNS: u32 = 8;

/// Number of steps back that follow each seek.
const STEPS_BACK: u32 = 25;

/// Measures the slowest step back with frame, in milliseconds, after seeks across a launch of a million threads. Excludes the first step
/// after each seek, which may take longer.
pub(super) fn back_after_seek(_: &Inputs) -> Measurement {
    let mut session = session(&adding(4096, 1 << 20)?, Session::new)?;
    session.run(u64::MAX);
    let length = session.position();
    let request = FrameRequest::default();
    let mut slowest = 0.0f64;
    for quarter in [1, 3, 2] {
        session.seek(length / 4 * quarter);
        session.frame(&request);
        session.step_back();
        session.frame(&request);
        for _ in 0..STEPS_BACK {
            let clock = Instant::now();
            session.step_back();
            session.frame(&request);
            slowest = slowest.max(clock.elapsed().as_secs_f64());
        }
    }
    Ok(slowest * 1e3)
}

/// Measures the slowest step of a block of 1,024 threads with the frame that the page renders after it, in milliseconds. The frame contains
/// grids of two buffers of 1,024 elements.
pub(super) fn step_and_look(_: &Inputs) -> Measurement {
    let scenario = launch([1, 1024], 1024)?;
    let grid = |name: &str| GridRequest {
        memory: MemoryKey::Buffer(name.to_owned()),
        ty: None,
        columns: Some(32),
        first_row: 0,
        n_rows: Some(32),
    };
    let request = FrameRequest {
        grids: vec![grid("x"), grid("y")],
        ..FrameRequest::default()
    };
    // The benchmark uses the minimum of several runs for each step, since interference only increases the duration of a run.
    let mut best: Vec<f64> = Vec::new();
    for _ in 0..RUNS {
        let mut session = session(&scenario, Session::new)?;
        session.frame(&request);
        for at in 0.. {
            let clock = Instant::now();
            if !session.step() {
                break;
            }
            session.frame(&request);
            let took = clock.elapsed().as_secs_f64();
            match best.get_mut(at) {
                Some(best) => *best = best.min(took),
                None => best.push(took),
            }
        }
    }
    Ok(best.into_iter().fold(0.0, f64::max) * 1e3)
}

/// Measures the slowest step back with frame, in milliseconds, including the first step after a seek, in a launch whose four million stores
/// are scattered over 64 MiB.
pub(super) fn back_where_scattered(_: &Inputs) -> Measurement {
    let scenario = scenario(json!({
        "source": SCATTER,
        "grid": [4096, 1, 1],
        "block": [256, 1, 1],
        "params": [{ "kind": "buffer", "name": "y", "type": "u32", "len": 1 << 24, "init": 0 }],
    }))?;
    let mut session = session(&scenario, Session::new)?;
    session.run(u64::MAX);
    let length = session.position();
    let request = FrameRequest::default();
    let mut slowest = 0.0f64;
    for quarter in [4, 1, 3, 2] {
        session.seek(length / 4 * quarter);
        session.frame(&request);
        for _ in 0..STEPS_BACK {
            let clock = Instant::now();
            session.step_back();
            session.frame(&request);
            slowest = slowest.max(clock.elapsed().as_secs_f64());
        }
    }
    Ok(slowest * 1e3)
}

/// Measures the time to open a launch with a buffer of 64 MiB, to run it, and to compute the last frame, in milliseconds.
pub(super) fn open(_: &Inputs) -> Measurement {
    let scenario = adding(1024, 1 << 24)?;
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let clock = Instant::now();
        let mut session = session(&scenario, Session::new)?;
        session.run(u64::MAX);
        session.frame(&FrameRequest::default());
        best = best.min(clock.elapsed().as_secs_f64());
    }
    Ok(best * 1e3)
}

/// Returns a launch of `blocks` blocks of 256 threads that adds the first elements of two buffers of `len` elements.
fn adding(blocks: u32, len: u32) -> Result<Scenario, String> {
    launch([blocks, 256], len)
}

fn launch([blocks, threads]: [u32; 2], len: u32) -> Result<Scenario, String> {
    let buffer = |name: &str, init: f64| json!({ "kind": "buffer", "name": name, "type": "f32", "len": len, "init": init });
    scenario(json!({
        "source": ADD,
        "grid": [blocks, 1, 1],
        "block": [threads, 1, 1],
        "params": [buffer("x", 1.5), buffer("y", 0.0)],
    }))
}
