//! The loop over steps, compiled once more for each width of vectors that hosts have; which one runs is asked of
//! the host at the first turn. All give the same bits: no operation is contracted or reordered.
//!
//! A function is compiled for a width only if it is inlined into the loop. So the hot ones are always inlined on x86-64,
//! and never elsewhere: there one loop of hundreds of variables is larger and half as fast as a few functions.

use crate::exec::context::{Run, Surroundings};
use crate::exec::memory::access::Rows;
use crate::exec::step::run_warp_with;
use crate::state::warp::Warp;

/// Runs a warp for at most `budget` steps, the first of which has number `step`.
#[cfg(target_arch = "x86_64")]
pub(crate) fn run_warp(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    rows: &mut Rows,
    step: u64,
    budget: u32,
) -> Run {
    // To begin and to end the large loop takes longer than a step does.
    if budget == 1 {
        run_warp_with::<false, true>(around, warp, rows, step, budget, |_| {})
    } else {
        run_warp_widest(around, warp, rows, step, budget)
    }
}

/// As [`run_warp`], with the widest vectors that the host has.
#[cfg(target_arch = "x86_64")]
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+fma+bmi1+bmi2+lzcnt+popcnt",
))]
fn run_warp_widest(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    rows: &mut Rows,
    step: u64,
    budget: u32,
) -> Run {
    multiversion::target::match_target! {
        "x86_64+avx2+fma" => {
            // The closure has the features of the function that it is made in, so it may call the intrinsic.
            #[cfg(not(target_feature = "avx2"))]
            let ask_for = |line: &u8| {
                use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast());
            };
            // Where all hosts have these features, no function states them, and none may call the intrinsic.
            #[cfg(target_feature = "avx2")]
            let ask_for = |_: &u8| {};
            run_warp_with::<true, false>(around, warp, rows, step, budget, ask_for)
        },
        _ => run_warp_with::<false, false>(around, warp, rows, step, budget, |_| {}),
    }
}

/// As on hosts with several widths; here there is one.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn run_warp(
    around: &mut Surroundings<'_>,
    warp: &mut Warp,
    rows: &mut Rows,
    step: u64,
    budget: u32,
) -> Run {
    run_warp_with::<false, false>(around, warp, rows, step, budget, |_| {})
}
