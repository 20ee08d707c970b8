//! `cargo xtask conformance`: compares the decisions and arithmetic results of Warpgrid with recorded ones of the reference assembler, and
//! reports the agreement by instruction family and operation, and the differences.

mod arithmetic;
mod assembler;
mod case;
mod generated_modules;
mod gpu_comparison;
mod public;
mod recorded;
mod report;
mod sample;
mod spellings;
mod verdicts;

use crate::{Result, gpu};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use warpgrid_differential::threads::map_on_threads;

/// Directories of the reference data, relative to the repository root.
const STORES: &str = "../shared/oracle";
const GENERAL: &str = "../shared/oracle_general";
const ARITHMETIC: &str = "../shared/arith";
const SPELLINGS: &str = "../shared/sass/spellings.jsonl";
/// Path of the sample of spellings in the repository.
const SPELLINGS_SAMPLE: &str = "crates/sass/tests/data/spellings.jsonl";
/// Paths of the samples of both decision collections in the repository. Checkouts without the reference data use these samples.
const STORES_SAMPLE: &str = "crates/ptx/tests/data/verdicts.jsonl";
const GENERAL_SAMPLE: &str = "crates/ptx/tests/data/verdicts_general.jsonl";
/// Paths of manually added decisions, which remain unchanged when a new sample is selected.
const GENERAL_ADDED: &str = "crates/ptx/tests/data/verdicts_general_added.jsonl";

/// Compares accept/reject decisions and results with those of `ptxas`, of a GPU, and of the tests of public projects.
///
/// Without a task, the command compares the recorded decisions for stores and for all other instructions, the recorded results of
/// arithmetic instructions, and the spellings of store instructions that disassemblers print.
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    task: Tasks,
    /// Directory with the recorded decisions for stores.
    #[arg(long = "oracle", value_name = "DIR", default_value = STORES)]
    stores: PathBuf,
    /// Directory with the recorded decisions for all other instructions.
    #[arg(long, value_name = "DIR", default_value = GENERAL)]
    general: PathBuf,
    /// Directory with the recorded results of arithmetic instructions.
    #[arg(long, value_name = "DIR", default_value = ARITHMETIC)]
    arithmetic: PathBuf,
    /// Collection of reference data.
    #[arg(long = "only", value_name = "COLLECTION")]
    part: Option<ReferenceCollection>,
    /// Instruction family (`st`, `atom`, `mbarrier.init`) or prefix of an instruction (`cvt.rn`).
    #[arg(long, value_name = "NAME")]
    family: Option<String>,
    /// Number of differing cases to print.
    #[arg(long = "show", value_name = "N", default_value_t = 10)]
    n_shown: usize,
    /// Number of threads; all cores by default.
    #[arg(long = "threads", value_name = "N", default_value_t = warpgrid_differential::threads::available())]
    n_threads: usize,
    /// Also lists the families without differences, and tests that the command cannot use.
    #[arg(long)]
    all: bool,
    /// Writes each differing case to FILE as one line of JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The assembler.
    #[arg(long, value_name = "PROGRAM", default_value = "ptxas")]
    ptxas: String,
    /// Seed of generated modules. The same seed generates the same modules.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Appends generated modules with different decisions to FILE in the format of a sample.
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    #[command(flatten)]
    transfer: gpu::Transfer,
    /// Directory of kernels for --gpu: PTX with annotations, or directories in the format of the corpus.
    #[arg(long, value_name = "DIR")]
    cases: Option<PathBuf>,
    /// Number of launches of each litmus test for --gpu.
    #[arg(long = "launches", value_name = "N", default_value_t = 10_240)]
    n_launches: u64,
}

/// Tasks other than the comparison with recorded data.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Tasks {
    /// Selects new samples of decisions for the test suite, and keeps manually added samples.
    #[arg(long)]
    sample: bool,
    /// Regenerates the decisions of the samples with an installed `ptxas`.
    #[arg(long)]
    regenerate: bool,
    /// Compares the decisions for N generated modules: valid modules with a changed modifier, operand, version or target, and
    /// modules of random directives, declarations and bodies.
    #[arg(long, value_name = "N")]
    fresh: Option<usize>,
    /// Runs compiled kernels, arithmetic instructions and litmus tests on the local GPU, and compares the memory with the emulator.
    #[arg(long)]
    gpu: bool,
    /// Checks and runs the PTX files and SASS listings of checkouts of public projects, the execution tests of ZLUDA, and the expected
    /// function bodies in the NVPTX tests of LLVM. The file `known.tsv` lists the known differences and their reasons.
    #[arg(long, value_name = "DIR")]
    public: Option<PathBuf>,
    /// Compares the recorded launches of a program with the inferred launches.
    #[arg(long, value_name = "DIR")]
    recorded: Option<PathBuf>,
}

/// A collection of reference data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReferenceCollection {
    Stores,
    General,
    /// Generated modules (--fresh).
    Modules,
    Arithmetic,
    Spellings,
    /// Compiled kernels (--gpu).
    Cases,
    /// Litmus tests (--gpu).
    Litmus,
}

impl Options {
    fn includes(&self, part: ReferenceCollection) -> bool {
        self.part.is_none_or(|only| only == part)
    }
}

/// Runs `cargo xtask conformance`. Returns false if an unknown difference exists.
pub(crate) fn run(options: &Options) -> Result<bool> {
    match &options.task {
        Tasks { sample: true, .. } => sample::take(options),
        Tasks {
            regenerate: true, ..
        } => sample::regenerate(options),
        Tasks { fresh: Some(n), .. } => generated_modules::compare(options, *n),
        Tasks { gpu: true, .. } => gpu_comparison::compare_with_gpu(options),
        Tasks {
            public: Some(folder),
            ..
        } => public::compare(options, folder),
        Tasks {
            recorded: Some(folder),
            ..
        } => recorded::compare(folder),
        _ => compare(options),
    }
}

fn compare(options: &Options) -> Result<bool> {
    let mut differences = report::Differences::default();
    let mut agreed = true;
    let mut n_compared = 0;
    let collections = [
        (
            ReferenceCollection::Stores,
            &options.stores,
            &[STORES_SAMPLE][..],
        ),
        (
            ReferenceCollection::General,
            &options.general,
            &[GENERAL_SAMPLE, GENERAL_ADDED],
        ),
    ];
    for (part, folder, samples) in collections {
        if options.includes(part) {
            let cases = verdicts::read(folder, samples, options.family.as_deref())?;
            n_compared += cases.len();
            agreed &= verdicts::compare(part, &cases, options, &mut differences);
        }
    }
    if options.includes(ReferenceCollection::Arithmetic) {
        let forms = arithmetic::read(&options.arithmetic, options.family.as_deref())?;
        n_compared += forms.len();
        agreed &= arithmetic::compare(&forms, options, &mut differences);
    }
    if options.includes(ReferenceCollection::Spellings) && options.family.is_none() {
        let (n, all_agree) = spellings::compare(&[SPELLINGS, SPELLINGS_SAMPLE], options.n_shown)?;
        n_compared += n;
        agreed &= all_agree;
    }
    if n_compared == 0 {
        return Err("there is nothing to compare with".to_owned());
    }
    differences.write(options.json.as_deref())?;
    Ok(agreed)
}
