//! Implements `cargo xtask differential`, the differential test of random kernels. Each kernel runs as PTX and as the SASS that an
//! installed assembler generates from the PTX. The command reports the kernels whose final memory differs, reduced to minimal test cases.

mod assemble;
mod body;
mod constructs;
mod excluded;
mod hardware;
mod inputs;
mod instruction;
mod kernel;
mod launch;
mod run;
mod shrink;

use crate::random::SplitMix64;
use crate::{Result, files, gpu, threads};
use assemble::{AssemblerTools, AssemblyOptions, Form};
use clap::Args;
use kernel::Kernel;
use run::ComparisonOutcome;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// Number of kernels per assembler invocation. A batch contains several kernels, since the startup of the assembler takes as long as the
/// assembly of several kernels.
const BATCH: usize = 32;

/// Targets for which the kernels are assembled.
const TARGETS: &[&str] = &[
    "sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110",
    "sm_120", "sm_121", "sm_90a", "sm_100a", "sm_103a", "sm_120a",
];

/// Optimization levels of the assembler. Most kernels use `-O3`, because most code is compiled with this level.
const LEVELS: &[u8] = &[3, 3, 0, 3, 1, 3, 0];

/// Runs random kernels as PTX and as SASS, and compares the final memory.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Number of kernels.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n_kernels: u32,
    /// The assembler.
    #[arg(long, value_name = "PROGRAM", default_value = "ptxas")]
    ptxas: String,
    /// The disassembler; by default, the `nvdisasm` next to the assembler.
    #[arg(long, value_name = "PROGRAM")]
    nvdisasm: Option<String>,
    /// Seed of the kernels. The same seed generates the same kernels.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Writes the PTX and the SASS of each differing kernel to DIR.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Target of all kernels; by default, each batch of kernels has a random target.
    #[arg(long)]
    target: Option<String>,
    /// Number of threads; all cores by default.
    #[arg(long = "threads", value_name = "N", default_value_t = threads::available())]
    n_threads: usize,
    /// Compares with the local GPU instead of SASS.
    #[arg(long)]
    gpu: bool,
    #[command(flatten)]
    transfer: gpu::Transfer,
}

impl Options {
    fn n_kernels(&self) -> usize {
        self.n_kernels as usize
    }
}

/// Results of a differential run.
#[derive(Debug, Default)]
struct DifferentialReport {
    n_kernels: usize,
    n_instructions: usize,
    /// Number of kernels that the assembler rejects although the checker accepts them.
    n_refused: usize,
    /// Number of kernels whose listing or PTX does not determine the final memory, by reason.
    not_comparable: BTreeMap<&'static str, usize>,
    different: Vec<Mismatch>,
}

/// Kernel whose PTX and SASS leave different memory contents.
#[derive(Debug)]
struct Mismatch {
    number: usize,
    kernel: Kernel,
    build: AssemblyOptions,
    why: String,
    listing: String,
}

/// Runs `cargo xtask differential`. Returns false if the final memory of a kernel differs.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.gpu || options.transfer.is_file() {
        return hardware::compare(options);
    }
    let tools = AssemblerTools::find(&options.ptxas, options.nvdisasm.as_deref())?;
    println!(
        "{} kernels, seed {}, {} {}",
        options.n_kernels(),
        options.seed,
        options.ptxas,
        tools.release
    );
    let folder = files::TempDir::new("differential")?;
    let start = Instant::now();
    let numbers: Vec<usize> = (0..options.n_kernels().div_ceil(BATCH)).collect();
    let mut all = DifferentialReport::default();
    for chunk in numbers.chunks(options.n_threads.max(1) * 4) {
        let batches = threads::map_on_threads(chunk, options.n_threads, |number| {
            batch(*number, options, &tools, &folder)
        });
        for found in batches {
            let found = found?;
            all.n_kernels += found.n_kernels;
            all.n_instructions += found.n_instructions;
            all.n_refused += found.n_refused;
            for (reason, n) in found.not_comparable {
                *all.not_comparable.entry(reason).or_default() += n;
            }
            for different in found.different {
                print(&different, options)?;
                all.different.push(different);
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if all.n_refused > 0 {
        println!(
            "{} kernels are excluded, because `ptxas` rejects them",
            all.n_refused
        );
    }
    for (reason, n) in &all.not_comparable {
        println!("{n} not comparable: {reason}");
    }
    println!(
        "{} kernels, of which {} differ; {} lines, {:.1} kernels per second",
        all.n_kernels,
        all.different.len(),
        all.n_instructions,
        all.n_kernels as f64 / seconds
    );
    Ok(all.different.is_empty())
}

/// Generates the random kernels of one assembler invocation. Batches are independent of each other, so that the kernels do not depend on
/// the number of batches or threads.
fn random_batch(
    number: usize,
    options: &Options,
    targets: &[&str],
) -> (AssemblyOptions, Vec<Kernel>) {
    let mut random = SplitMix64::new(options.seed.wrapping_mul(0x0100_0000_01b3) ^ number as u64);
    let target = match &options.target {
        Some(name) => name.clone(),
        None => (*random.pick(targets).unwrap_or(&"sm_90")).to_owned(),
    };
    let debug = random.below(8) == 0;
    let level = *random.pick(LEVELS).unwrap_or(&3);
    let build = AssemblyOptions {
        target,
        level: if debug { 0 } else { level },
        debug,
        form: *random.pick(Form::ALL).unwrap_or(&Form::Encodings),
    };
    let count = BATCH.min(options.n_kernels() - number * BATCH);
    let kernels = (0..count).map(|index| Kernel::random(&format!("k{index}"), &build, &mut random));
    let kernels = kernels.collect();
    (build, kernels)
}

/// Assembles and compares the kernels of one assembler invocation.
fn batch(
    number: usize,
    options: &Options,
    tools: &AssemblerTools,
    folder: &files::TempDir,
) -> Result<DifferentialReport> {
    let first = number * BATCH;
    let (build, kernels) = random_batch(number, options, TARGETS);
    let mut found = DifferentialReport::default();
    let file = folder.file(number);
    let (kernels, listing) = tools.assemble_all(kernels, &build, &file, &mut found.n_refused)?;
    for kernel in kernels {
        found.n_kernels += 1;
        found.n_instructions += kernel.lines.len();
        let own = listing.of_kernel(&kernel.name);
        let reason = match run::compare(&kernel, &build, &own) {
            ComparisonOutcome::Equal => continue,
            ComparisonOutcome::NotComparable(reason) => {
                *found.not_comparable.entry(reason).or_default() += 1;
                continue;
            }
            ComparisonOutcome::Differs(reason) => reason,
        };
        let (kernel, reason, listing) = shrink::shrink(kernel, reason, own, &build, tools, &file)?;
        let index: usize = kernel.name[1..].parse().unwrap_or(0);
        found.different.push(Mismatch {
            number: first + index,
            kernel,
            build: build.clone(),
            why: reason,
            listing,
        });
    }
    Ok(found)
}

/// Prints a mismatch, and writes the PTX and SASS of the kernel to the directory of `--keep`.
fn print(different: &Mismatch, options: &Options) -> Result<()> {
    let Mismatch {
        number,
        kernel,
        build,
        why: reason,
        listing,
    } = different;
    println!("\nseed {} kernel {number}, {build}: {reason}", options.seed);
    for line in &kernel.lines {
        println!("    {line}");
    }
    let Some(folder) = &options.keep else {
        return Ok(());
    };
    let name = format!("{}-{number}", options.seed);
    let launch = kernel.annotations();
    files::write(
        &folder.join(format!("{name}.ptx")),
        &format!("{launch}{}", kernel.module(build)),
    )?;
    files::write(
        &folder.join(format!("{name}.sass")),
        &format!("{launch}{listing}"),
    )
}
