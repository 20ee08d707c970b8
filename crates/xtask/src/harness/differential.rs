//! Implements `cargo xtask differential`, the differential test of random kernels. Each kernel runs as PTX and as the SASS that an
//! installed assembler generates from the PTX. The command reports the kernels whose final memory differs, reduced to minimal test cases.

mod hardware;

use crate::{Result, gpu};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;
use warpgrid_differential::assemble::{AssemblerTools, DEFAULT_PTX_VERSION, Form, TIME_LIMIT};
use warpgrid_differential::batch::{
    BATCH_SIZE, Batch, BatchOptions, BatchReport, Mismatch, TARGETS,
};
use warpgrid_differential::{KnownMiscompiles, files, shrink, threads};

/// Runs random kernels as PTX and as SASS, and compares the final memory.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Number of kernels.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n_kernels: u32,
    /// The assembler.
    #[arg(long, value_name = "PROGRAM", default_value = "ptxas")]
    ptxas: PathBuf,
    /// The disassembler; by default, the `nvdisasm` next to the assembler.
    #[arg(long, value_name = "PROGRAM")]
    nvdisasm: Option<PathBuf>,
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

    /// Returns the batch with the given number, which has one of the targets, or the target of the options.
    fn batch(&self, number: usize, targets: &[&str]) -> Batch {
        let only = self.target.as_deref();
        let options = BatchOptions {
            seed: self.seed,
            targets: only.as_ref().map_or(targets, std::slice::from_ref),
            ptx_version: DEFAULT_PTX_VERSION,
            forms: Form::ALL,
            known: KnownMiscompiles::Excluded,
        };
        let count = BATCH_SIZE.min(self.n_kernels() - number * BATCH_SIZE);
        Batch::random(number, count, &options)
    }
}

/// Runs `cargo xtask differential`. Returns false if the final memory of a kernel differs.
pub(crate) fn run(options: &Options) -> Result<bool> {
    if options.gpu || options.transfer.is_file() {
        return hardware::compare(options);
    }
    let tools = AssemblerTools::find(&options.ptxas, options.nvdisasm.as_deref(), TIME_LIMIT)?;
    println!(
        "{} kernels, seed {}, {} {}",
        options.n_kernels(),
        options.seed,
        options.ptxas.display(),
        tools.release
    );
    let folder = files::TempDir::new("differential")?;
    let start = Instant::now();
    let numbers: Vec<usize> = (0..options.n_kernels().div_ceil(BATCH_SIZE)).collect();
    let mut all = BatchReport::default();
    for chunk in numbers.chunks(options.n_threads.max(1) * 4) {
        let batches = threads::map_on_threads(chunk, options.n_threads, |number| {
            let batch = options.batch(*number, TARGETS);
            compare(batch, &tools, &folder.file(*number))
        });
        for (number, found) in chunk.iter().zip(batches) {
            let found = found?;
            all.n_kernels += found.n_kernels;
            all.n_instructions += found.n_instructions;
            all.rejected.extend(found.rejected);
            for (reason, n) in found.not_comparable {
                *all.not_comparable.entry(reason).or_default() += n;
            }
            for different in found.different {
                print(number * BATCH_SIZE, &different, options)?;
                all.different.push(different);
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    if !all.rejected.is_empty() {
        println!(
            "{} kernels are excluded, because `ptxas` does not assemble them",
            all.rejected.len()
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

/// Assembles and compares the kernels of a batch, and reduces the mismatches.
fn compare(batch: Batch, tools: &AssemblerTools, file: &Path) -> Result<BatchReport> {
    let mut report = batch.compare(tools, file)?;
    let mismatches = report.different.into_iter();
    let reduced = mismatches.map(|mismatch| shrink::shrink(mismatch, tools, file));
    report.different = reduced.collect::<Result<_>>()?;
    Ok(report)
}

/// Prints a mismatch, and writes the PTX and SASS of the kernel to the directory of `--keep`. `first` is the number of the first kernel of
/// the batch.
fn print(first: usize, different: &Mismatch, options: &Options) -> Result<()> {
    let Mismatch {
        kernel,
        build,
        difference,
        listing,
        number,
    } = different;
    let reason = &difference.reason;
    let number = first + number;
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
