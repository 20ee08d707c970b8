//! Function multiversioning of the step loop: the step loop is compiled for each supported vector width, and the
//! version for the host is selected at the first turn. All versions return identical bits, because operations are
//! neither contracted nor reordered.
//!
//! A function is compiled for a vector width only if it is inlined into the step loop. Hot functions are therefore
//! always inlined on x86-64. On other hosts, hot functions are never inlined, because a single loop with hundreds of
//! variables is larger and half as fast as several functions.

use crate::exec::context::{ExecutionContext, WarpRunResult};
use crate::exec::memory::access::ScratchBuffers;
use crate::exec::step::run_warp_with;
use crate::state::warp::Warp;

/// Executes at most `budget` steps of a warp, starting with step number `step`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn run_warp(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    rows: &mut ScratchBuffers,
    step: u64,
    budget: u32,
) -> WarpRunResult {
    // Use the version with separate functions for a single step, because entering and leaving the large loop takes
    // longer than the step.
    if budget == 1 {
        run_warp_with::<false, true>(around, warp, rows, step, budget, |_| {})
    } else {
        run_warp_widest(around, warp, rows, step, budget)
    }
}

/// Executes at most `budget` steps of a warp with the widest vectors that the host supports.
#[cfg(target_arch = "x86_64")]
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
))]
fn run_warp_widest(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    rows: &mut ScratchBuffers,
    step: u64,
    budget: u32,
) -> WarpRunResult {
    multiversion::target::match_target! {
        "x86_64+avx2+fma" => {
            // The closure inherits the target features of the enclosing function, so it may call the intrinsic.
            #[cfg(not(target_feature = "avx2"))]
            let ask_for = |line: &u8| {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast());
            };
            // Do not prefetch if the build enables these features globally, because the closure then cannot call the
            // intrinsic.
            #[cfg(target_feature = "avx2")]
            let ask_for = |_: &u8| {};
            run_warp_with::<true, false>(around, warp, rows, step, budget, ask_for)
        },
        _ => run_warp_with::<false, false>(around, warp, rows, step, budget, |_| {}),
    }
}

/// Executes at most `budget` steps of a warp. On hosts other than x86-64, the step loop has only one version.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run_warp(
    around: &mut ExecutionContext<'_>,
    warp: &mut Warp,
    rows: &mut ScratchBuffers,
    step: u64,
    budget: u32,
) -> WarpRunResult {
    run_warp_with::<false, false>(around, warp, rows, step, budget, |_| {})
}
