//! Generates the random kernels of one assembler invocation, and compares them.

use crate::Result;
use crate::assemble::{AssemblerTools, AssemblyOptions, Form, Listing};
use crate::excluded::KnownMiscompiles;
use crate::kernel::Kernel;
use crate::random::SplitMix64;
use crate::run::{self, ComparisonOutcome, KernelDifference};
use std::collections::BTreeMap;
use std::path::Path;
use warpgrid_isa::Version;

#[cfg(test)]
mod tests;

/// Number of kernels per assembler invocation. A batch contains several kernels, since the startup of the assembler takes as long as the
/// assembly of several kernels.
pub const BATCH_SIZE: usize = 32;

/// Targets for which kernels are assembled.
pub const TARGETS: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110",
    "sm_120", "sm_121", "sm_90a", "sm_100a", "sm_103a", "sm_120a",
];

/// Optimization levels of the assembler. Most kernels use `-O3`, because most code is compiled with this level.
const LEVELS: &[u8] = &[3, 3, 0, 3, 1, 3, 0];

/// Distribution of random batches.
#[derive(Clone, Debug)]
pub struct BatchOptions<'a> {
    /// Seed of the kernels. The same seed generates the same kernels.
    pub seed: u64,
    /// Targets, of which each batch uses one.
    pub targets: &'a [&'a str],
    /// PTX ISA version of the modules.
    pub ptx_version: Version,
    /// Listing forms, of which each batch uses one.
    pub forms: &'a [Form],
    /// Whether the kernels contain the instructions that `ptxas` is known to miscompile.
    pub known: KnownMiscompiles,
}

/// Random kernels of one assembler invocation, with the options of this invocation.
#[derive(Clone, Debug)]
pub struct Batch {
    pub build: AssemblyOptions,
    pub kernels: Vec<Kernel>,
}

impl Batch {
    /// Generates the first `count` kernels of the batch with the given number. Batches are independent of each other, so that the kernels do
    /// not depend on the number of batches or threads.
    pub fn random(number: usize, count: usize, options: &BatchOptions<'_>) -> Batch {
        let mut random =
            SplitMix64::new(options.seed.wrapping_mul(0x0100_0000_01b3) ^ number as u64);
        let target = (*random.pick(options.targets).unwrap_or(&"sm_90")).to_owned();
        let debug = random.below(8) == 0;
        let level = *random.pick(LEVELS).unwrap_or(&3);
        let build = AssemblyOptions {
            target,
            level: if debug { 0 } else { level },
            ptx_version: options.ptx_version,
            debug,
            form: *random.pick(options.forms).unwrap_or(&Form::Encodings),
        };
        let kernels = (0..count)
            .map(|index| {
                Kernel::random(&Kernel::name_of(index), &build, options.known, &mut random)
            })
            .collect();
        Batch { build, kernels }
    }

    /// Assembles and compares the kernels. `file` is the path of the temporary PTX file.
    pub fn compare(self, tools: &AssemblerTools, file: &Path) -> Result<BatchReport> {
        let mut report = BatchReport::default();
        let (kernels, listing) =
            tools.assemble_all(self.kernels, &self.build, file, &mut report.rejected)?;
        for kernel in kernels {
            report.n_kernels += 1;
            report.n_instructions += kernel.lines.len();
            let listing: &Listing = &listing;
            let own = listing.of_kernel(&kernel.name);
            match run::compare(&kernel, &self.build, &own) {
                ComparisonOutcome::Equal => {}
                ComparisonOutcome::NotComparable(reason) => {
                    *report.not_comparable.entry(reason).or_default() += 1;
                }
                ComparisonOutcome::Differs(difference) => report.different.push(Mismatch {
                    number: kernel.number(),
                    kernel,
                    build: self.build.clone(),
                    difference,
                    listing: own,
                }),
            }
        }
        Ok(report)
    }
}

/// Result of the comparison of the kernels of a batch.
#[derive(Debug, Default)]
pub struct BatchReport {
    /// Number of compared kernels.
    pub n_kernels: usize,
    /// Number of lines in the bodies of the compared kernels.
    pub n_instructions: usize,
    /// Kernels that the assembler rejects although the checker accepts them, or for which the assembler fails.
    pub rejected: Vec<Rejection>,
    /// Number of kernels whose listing or PTX does not determine the final memory, by reason.
    pub not_comparable: BTreeMap<&'static str, usize>,
    pub different: Vec<Mismatch>,
}

/// Kernel that the assembler does not assemble.
#[derive(Debug)]
pub struct Rejection {
    pub kernel: Kernel,
    pub kind: RejectionKind,
}

/// Reason why the assembler does not assemble a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RejectionKind {
    /// The assembler reports errors.
    Rejected(Vec<String>),
    /// The assembler or the disassembler crashes or exceeds its time limit. The message describes the failure.
    Failed(String),
}

/// Kernel whose PTX and SASS leave different memory contents.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// Number of the original kernel in its batch. A reduced kernel has the number of a candidate.
    pub number: usize,
    pub kernel: Kernel,
    pub build: AssemblyOptions,
    pub difference: KernelDifference,
    pub listing: String,
}
