//! Measures the duration of warp operations relative to the duration of an addition.

use crate::measure::emulation::{scenario, session};
use crate::measure::timing::best_of;
use crate::measure::{Inputs, Measurement};
use serde_json::json;
use std::fmt::Write;
use warpgrid_view::Session;

/// Number of copies of the operation in the loop body, which makes the loop overhead negligible.
const COPIES: usize = 256;

/// Number of loop iterations. The number is small enough that a run is shorter than a scheduler time slice on a busy machine.
const ROUNDS: usize = 16;

/// Measures the duration of the reference addition in nanoseconds.
pub(super) fn addition(_: &Inputs) -> Measurement {
    nanoseconds("add.f32")
}

/// Measures the duration of an operation relative to `add.f32`. The operands are typical angles and fractions.
pub(super) fn in_additions(_: &Inputs, operation: &str) -> Measurement {
    Ok(nanoseconds(operation)? / nanoseconds("add.f32")?)
}

/// Measures the duration of one operation of a warp in nanoseconds. The result includes the share of the operation in the loop overhead.
fn nanoseconds(operation: &str) -> Measurement {
    let scenario = scenario(json!({ "source": kernel(operation), "block": [32, 1, 1] }))?;
    let seconds = best_of(
        || session(&scenario, Session::new_without_last_writers),
        |session| {
            session.run(u64::MAX);
            session
                .fault()
                .map_or(Ok(()), |fault| Err(format!("faulted: {}", fault.message)))
        },
    )?;
    Ok(seconds * 1e9 / (COPIES * ROUNDS) as f64)
}

/// Generates a kernel with a loop over copies of the operation. The operands differ between lanes.
fn kernel(operation: &str) -> String {
    let (register, sources) = match operation {
        "add.f32" => ("%f", "%f0, %f0"),
        "div.rn.f64" => ("%d", "%d0, %d0"),
        "fma.rn.f64" => ("%d", "%d0, %d0, %d0"),
        _ => ("%f", "%f0"),
    };
    let mut copies = String::new();
    for copy in 0..COPIES {
        let to = copy % 8 + 1;
        let _ = writeln!(copies, "  {operation} {register}{to}, {sources};");
    }
    format!(
        ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k()\n{{\n\
         .reg .b32 %r<4>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %p<2>;\n\
         mov.u32 %r1, %tid.x;\ncvt.rn.f32.u32 %f0, %r1;\nfma.rn.f32 %f0, %f0, 0f3DCCCCCD, 0f3DCCCCCD;\n\
         cvt.f64.f32 %d0, %f0;\nmov.u32 %r2, 0;\nL:\n{copies}\
         add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, {ROUNDS};\n@%p1 bra L;\nret;\n}}\n"
    )
}
