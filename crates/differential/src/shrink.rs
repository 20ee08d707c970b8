//! Reduces a kernel with different results by removing lines of its body. One invocation of the assembler and of the disassembler compares
//! many candidates, because the startup of the disassembler takes longer than the disassembly of a kernel.

use crate::Result;
use crate::assemble::AssemblerTools;
use crate::batch::Mismatch;
use crate::kernel::Kernel;
use crate::run::{self, ComparisonOutcome, KernelDifference};
use std::ops::Range;
use std::path::Path;

/// Maximum number of candidates per invocation of the assembler.
const MAX_CANDIDATES: usize = 32;

/// Removes lines while the results of PTX and SASS still differ. Returns the reduced mismatch. The algorithm is delta debugging with the
/// complements of chunks; all complements of one size are compared together.
pub fn shrink(mismatch: Mismatch, tools: &AssemblerTools, file: &Path) -> Result<Mismatch> {
    let mut best = mismatch;
    let mut size = best.kernel.lines.len().div_ceil(2).max(1);
    loop {
        let chunks = chunks(best.kernel.lines.len(), size);
        let single = compare_without(&best, &chunks, tools, file)?;
        let removable: Vec<Range<usize>> = chunks
            .iter()
            .zip(&single)
            .filter(|(_, found)| found.is_some())
            .map(|(chunk, _)| chunk.clone())
            .collect();
        // Chunks that can be removed separately can often be removed together.
        let together = match removable.len() {
            0 | 1 => None,
            _ => compare_without_all(&best, &removable, tools, file)?,
        };
        match together.or_else(|| single.into_iter().flatten().next()) {
            Some(shorter) => {
                best = shorter;
                size = size.min(best.kernel.lines.len()).max(1);
            }
            None if size == 1 => return Ok(best),
            None => size = (size / 2).max(1),
        }
        if best.kernel.lines.is_empty() {
            return Ok(best);
        }
    }
}

fn chunks(n_lines: usize, size: usize) -> Vec<Range<usize>> {
    let starts = (0..n_lines).step_by(size);
    starts
        .map(|start| start..(start + size).min(n_lines))
        .collect()
}

/// Compares the kernels without each of the chunks. The results have the order of the chunks.
fn compare_without(
    mismatch: &Mismatch,
    chunks: &[Range<usize>],
    tools: &AssemblerTools,
    file: &Path,
) -> Result<Vec<Option<Mismatch>>> {
    let candidates = chunks
        .iter()
        .map(|chunk| vec![chunk.clone()])
        .collect::<Vec<_>>();
    let mut found = Vec::new();
    for part in candidates.chunks(MAX_CANDIDATES) {
        found.extend(compare_candidates(mismatch, part, tools, file)?);
    }
    Ok(found)
}

/// Compares the kernel without all of the chunks.
fn compare_without_all(
    mismatch: &Mismatch,
    chunks: &[Range<usize>],
    tools: &AssemblerTools,
    file: &Path,
) -> Result<Option<Mismatch>> {
    let found = compare_candidates(mismatch, &[chunks.to_vec()], tools, file)?;
    Ok(found.into_iter().flatten().next())
}

/// Assembles one kernel per list of removed chunks, and returns the kernels with a difference of the same kind.
fn compare_candidates(
    mismatch: &Mismatch,
    candidates: &[Vec<Range<usize>>],
    tools: &AssemblerTools,
    file: &Path,
) -> Result<Vec<Option<Mismatch>>> {
    let build = &mismatch.build;
    let kernels = candidates
        .iter()
        .enumerate()
        .filter_map(|(number, removed)| {
            let kernel = without(&mismatch.kernel, removed, number);
            // If the checker rejects a candidate, the candidate needs no assembler.
            run::is_accepted(&kernel, build).then_some(kernel)
        });
    let mut rejected = Vec::new();
    let (kernels, listing) = tools.assemble_all(kernels.collect(), build, file, &mut rejected)?;
    let mut found: Vec<Option<Mismatch>> = candidates.iter().map(|_| None).collect();
    for kernel in kernels {
        let own = listing.of_kernel(&kernel.name);
        let ComparisonOutcome::Differs(difference) = run::compare(&kernel, build, &own) else {
            continue;
        };
        let number = kernel.number();
        if is_same_kind(&difference, &mismatch.difference)
            && let Some(place) = found.get_mut(number)
        {
            *place = Some(Mismatch {
                number: mismatch.number,
                kernel,
                build: build.clone(),
                difference,
                listing: own,
            });
        }
    }
    Ok(found)
}

/// Checks whether both differences are differences of the memory, or whether a run stops in both cases.
fn is_same_kind(one: &KernelDifference, other: &KernelDifference) -> bool {
    one.lane.is_none() == other.lane.is_none()
}

/// Returns the kernel without some of its lines and with another number.
fn without(kernel: &Kernel, removed: &[Range<usize>], number: usize) -> Kernel {
    let lines = kernel.lines.iter().enumerate();
    let kept = lines.filter(|(index, _)| !removed.iter().any(|range| range.contains(index)));
    Kernel {
        name: Kernel::name_of(number),
        lines: kept.map(|(_, line)| line.clone()).collect(),
        ..kernel.clone()
    }
}
