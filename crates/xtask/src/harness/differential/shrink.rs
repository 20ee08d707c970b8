//! Reduces a kernel with different results to a minimal test case.

use super::Result;
use super::assemble::{AssemblerTools, AssemblyOptions};
use super::kernel::Kernel;
use super::run::{self, ComparisonOutcome};
use std::path::Path;

/// Maximum number of assembler invocations for the reduction of one kernel.
const MAX_CALLS: usize = 120;

/// Removes lines while the results of PTX and SASS still differ. Returns the reduced kernel, the description of the difference, and the
/// listing.
pub(super) fn shrink(
    mut kernel: Kernel,
    mut why: String,
    mut listing: String,
    build: &AssemblyOptions,
    tools: &AssemblerTools,
    file: &Path,
) -> Result<(Kernel, String, String)> {
    let stops = run::is_stop(&why);
    let mut n_calls = 0;
    let mut size = kernel.lines.len().div_ceil(2).max(1);
    loop {
        let mut start = 0;
        let mut removed = false;
        while start < kernel.lines.len() && n_calls < MAX_CALLS {
            let end = (start + size).min(kernel.lines.len());
            let mut shorter = kernel.clone();
            shorter.lines.drain(start..end);
            // If the checker rejects the shorter kernel, the reduction needs no assembler invocation.
            if !run::is_accepted(&shorter, build) {
                start = end;
                continue;
            }
            n_calls += 1;
            let differs = match tools.assemble(&shorter.module(build), build, file)? {
                Ok(found) => {
                    let own = found.of_kernel(&shorter.name);
                    match run::compare(&shorter, build, &own) {
                        ComparisonOutcome::Differs(reason) if run::is_stop(&reason) == stops => {
                            Some((reason, own))
                        }
                        ComparisonOutcome::Differs(_)
                        | ComparisonOutcome::NotComparable(_)
                        | ComparisonOutcome::Equal => None,
                    }
                }
                Err(_) => None,
            };
            match differs {
                Some(found) => {
                    (why, listing) = found;
                    kernel = shorter;
                    removed = true;
                }
                None => start = end,
            }
        }
        if n_calls >= MAX_CALLS || (size == 1 && !removed) {
            return Ok((kernel, why, listing));
        }
        size = match removed {
            true => size.min(kernel.lines.len()).max(1),
            false => (size / 2).max(1),
        };
    }
}
