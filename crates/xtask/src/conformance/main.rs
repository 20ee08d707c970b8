//! `cargo xtask conformance`: what the reference assembler says and computes beside what we say and compute. In: files of
//! verdicts and of arithmetic results; out: how far we agree, by family and by operation, and where we do not.

#![expect(
    clippy::print_stdout,
    reason = "the command prints its results to standard output"
)]

#[path = "../harness.rs"]
mod harness;

#[path = "../gpu.rs"]
mod gpu;

mod arithmetic;
mod ask;
mod case;
mod fresh;
mod hardware;
mod public;
mod recorded;
mod report;
mod sample;
mod spellings;
mod verdicts;

use harness::{Result, files, number, random, threads, value_of};
use std::path::PathBuf;
use std::process::ExitCode;
use threads::map_on_threads;

/// Where the reference data lie, from the root of the repository.
const STORES: &str = "../shared/oracle";
const GENERAL: &str = "../shared/oracle_general";
const ARITHMETIC: &str = "../shared/arith";
const SPELLINGS: &str = "../shared/sass/spellings.jsonl";
/// The project's own sample of it.
const SPELLINGS_SAMPLE: &str = "crates/sass/tests/data/spellings.jsonl";
/// What a checkout of the project alone has: samples of the two collections of verdicts.
const STORES_SAMPLE: &str = "crates/ptx/tests/data/verdicts.jsonl";
const GENERAL_SAMPLE: &str = "crates/ptx/tests/data/verdicts_general.jsonl";
/// Verdicts that were added to the sample by hand, which a new sample leaves alone.
const GENERAL_ADDED: &str = "crates/ptx/tests/data/verdicts_general_added.jsonl";

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    stores: PathBuf,
    general: PathBuf,
    arithmetic: PathBuf,
    part: Option<Part>,
    family: Option<String>,
    n_shown: usize,
    n_threads: usize,
    all: bool,
    json: Option<PathBuf>,
    task: Task,
    ptxas: String,
    seed: u64,
    keep: Option<PathBuf>,
    gpu: gpu::Options,
    /// A folder of kernels.
    cases: Option<PathBuf>,
    /// Of a litmus test.
    n_launches: u64,
}

/// A collection of reference data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Stores,
    General,
    /// Whole modules, of which there are fresh ones only.
    Modules,
    Arithmetic,
    Spellings,
    /// Kernels of compilers, on a GPU only.
    Cases,
    /// Litmus tests, on a GPU only.
    Litmus,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Task {
    Compare,
    Sample,
    Regenerate,
    Fresh(usize),
    Gpu,
    /// Compares texts and run tests of public projects.
    Public(PathBuf),
    /// Compares recorded launches.
    Recorded(PathBuf),
}

fn main() -> ExitCode {
    harness::run(run)
}

/// Runs the command; false when something differs that is not known to.
fn run(words: impl Iterator<Item = String>) -> Result<bool> {
    let options = Options::parse(words)?;
    match &options.task {
        Task::Compare => compare(&options),
        Task::Sample => sample::take(&options),
        Task::Regenerate => sample::regenerate(&options),
        Task::Fresh(n) => fresh::compare(&options, *n),
        Task::Gpu => hardware::compare_with_gpu(&options),
        Task::Public(folder) => public::compare(&options, folder),
        Task::Recorded(folder) => recorded::compare(folder),
    }
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Options> {
        let mut options = Options {
            stores: STORES.into(),
            general: GENERAL.into(),
            arithmetic: ARITHMETIC.into(),
            part: None,
            family: None,
            n_shown: 10,
            n_threads: std::thread::available_parallelism().map_or(1, usize::from),
            all: false,
            json: None,
            task: Task::Compare,
            ptxas: "ptxas".to_owned(),
            seed: 1,
            keep: None,
            gpu: gpu::Options::default(),
            cases: None,
            n_launches: 10_240,
        };
        while let Some(word) = words.next() {
            let mut value = || value_of(&word, &mut words);
            match word.as_str() {
                "--sample" => options.task = Task::Sample,
                "--regenerate" => options.task = Task::Regenerate,
                "--fresh" => options.task = Task::Fresh(number(&value()?)?),
                "--gpu" => options.task = Task::Gpu,
                "--public" => options.task = Task::Public(value()?.into()),
                "--recorded" => options.task = Task::Recorded(value()?.into()),
                "--questions" => options.gpu.questions = Some(value()?.into()),
                "--answers" => options.gpu.answers = Some(value()?.into()),
                "--cases" => options.cases = Some(value()?.into()),
                "--launches" => options.n_launches = number(&value()?)?,
                "--seed" => options.seed = number(&value()?)?,
                "--keep" => options.keep = Some(value()?.into()),
                "--ptxas" => options.ptxas = value()?,
                "--oracle" => options.stores = value()?.into(),
                "--general" => options.general = value()?.into(),
                "--arithmetic" => options.arithmetic = value()?.into(),
                "--only" => options.part = Some(Part::from_name(&value()?)?),
                "--family" => options.family = Some(value()?),
                "--show" => options.n_shown = number(&value()?)?,
                "--threads" => options.n_threads = number::<usize>(&value()?)?.clamp(1, 64),
                "--json" => options.json = Some(value()?.into()),
                "--all" => options.all = true,
                _ => return Err(format!("unknown argument `{word}`\n\n{HELP}")),
            }
        }
        Ok(options)
    }

    fn includes(&self, part: Part) -> bool {
        self.part.is_none_or(|only| only == part)
    }
}

impl Part {
    fn from_name(name: &str) -> Result<Part> {
        match name {
            "stores" => Ok(Part::Stores),
            "general" => Ok(Part::General),
            "modules" => Ok(Part::Modules),
            "arithmetic" => Ok(Part::Arithmetic),
            "spellings" => Ok(Part::Spellings),
            "cases" => Ok(Part::Cases),
            "litmus" => Ok(Part::Litmus),
            _ => Err(format!(
                "found `--only {name}`, expected `stores`, `general`, `modules`, `arithmetic`, `spellings`, `cases` or `litmus`"
            )),
        }
    }
}

const HELP: &str = "\
cargo xtask conformance [--only stores|general|arithmetic|spellings] [--family NAME] [--show N] [--all] [--threads N] [--json FILE]
    Compares Warpgrid with recorded results of `ptxas`. The command compares the accept/reject decisions for stores (--oracle DIR)
    and for all other instructions (--general DIR), and the results of arithmetic instructions (--arithmetic DIR). The default
    directories are in ../shared.
    `--only spellings` tests the spellings of store instructions that disassemblers print for each architecture. The checker must
    accept each spelling, and formatting must not change the spelling.
    --family selects an instruction family (`st`, `atom`, `mbarrier.init`) or the prefix of an instruction (`cvt.rn`).
    --show prints a sample of N differing cases. --all also lists the families without differences.
    --json writes each differing case to FILE as one line of JSON.
cargo xtask conformance --sample
    Selects new samples of decisions for the test suite. The command keeps manually added samples.
cargo xtask conformance --regenerate [--ptxas PROGRAM]
    Regenerates the decisions of the samples with an installed `ptxas`.
cargo xtask conformance --fresh N [--ptxas PROGRAM] [--seed S] [--only stores|general|modules] [--family NAME] [--keep FILE]
    Compares the decisions of the checker and of an installed `ptxas` for N generated modules. A generated module is a valid module
    with a changed modifier, operand, version or target, or a complete module of random directives, declarations and bodies. The
    valid modules are part of the samples and of the default directories. The same seed generates the same modules. --keep appends
    the modules with different decisions to FILE in the format of a sample.
cargo xtask conformance --public DIR [--show N] [--all] [--threads N]
    Checks and runs all PTX files and SASS listings in a directory with checkouts of public projects. The command also runs the
    execution tests of ZLUDA, and checks the expected function bodies in the NVPTX tests of LLVM.
    crates/xtask/src/conformance/public/known.tsv lists the known differences and their reasons. The command prints all other
    differences and exits with 1. --all also lists the tests that the command cannot use.
cargo xtask conformance --gpu [--only cases|arithmetic|litmus] [--family NAME] [--cases DIR] [--launches N]
    [--questions FILE | --answers FILE]
    Runs compiled kernels, arithmetic instructions and litmus tests (each N times) on the local GPU. The command compares the
    memory contents with the results of the emulator. --cases selects a directory of kernels, which contains PTX with annotations
    or directories in the format of the corpus. To use a GPU in another machine, write the launches to a file with --questions, run
    `python3 crates/xtask/src/gpu/ask.py QUESTIONS ANSWERS` on that machine, and read the results with --answers";

fn compare(options: &Options) -> Result<bool> {
    let mut differences = report::Differences::default();
    let mut agreed = true;
    let mut n_compared = 0;
    let collections = [
        (Part::Stores, &options.stores, &[STORES_SAMPLE][..]),
        (
            Part::General,
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
    if options.includes(Part::Arithmetic) {
        let forms = arithmetic::read(&options.arithmetic, options.family.as_deref())?;
        n_compared += forms.len();
        agreed &= arithmetic::compare(&forms, options, &mut differences);
    }
    if options.includes(Part::Spellings) && options.family.is_none() {
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
