//! Reduces a kernel with different results to a minimal test case.

use crate::Result;
use crate::assemble::{AssemblerTools, AssemblyOutcome};
use crate::batch::Mismatch;
use crate::run::{self, ComparisonOutcome};
use std::path::Path;

/// Maximum number of assembler invocations for the reduction of one kernel.
const MAX_CALLS: usize = 120;

/// Removes lines while the results of PTX and SASS still differ. Returns the reduced mismatch.
pub fn shrink(mismatch: Mismatch, tools: &AssemblerTools, file: &Path) -> Result<Mismatch> {
    let Mismatch {
        mut kernel,
        build,
        reason: mut why,
        mut listing,
    } = mismatch;
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
            if !run::is_accepted(&shorter, &build) {
                start = end;
                continue;
            }
            n_calls += 1;
            let differs = match tools.assemble(&shorter.module(&build), &build, file)? {
                AssemblyOutcome::Assembled(found) => {
                    let own = found.of_kernel(&shorter.name);
                    match run::compare(&shorter, &build, &own) {
                        ComparisonOutcome::Differs(reason) if run::is_stop(&reason) == stops => {
                            Some((reason, own))
                        }
                        ComparisonOutcome::Differs(_)
                        | ComparisonOutcome::NotComparable(_)
                        | ComparisonOutcome::Equal => None,
                    }
                }
                AssemblyOutcome::Rejected(_) | AssemblyOutcome::Failed(_) => None,
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
            return Ok(Mismatch {
                kernel,
                build,
                reason: why,
                listing,
            });
        }
        size = match removed {
            true => size.min(kernel.lines.len()).max(1),
            false => (size / 2).max(1),
        };
    }
}
