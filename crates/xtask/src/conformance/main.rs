//! `cargo xtask conformance`: every verdict of the reference assembler beside ours. In: files of verdicts; out: how far
//! we agree, by family, by generator and by rule, and the modules on which we do not.

#![expect(
    clippy::print_stdout,
    reason = "a command for people talks on standard output"
)]

mod case;
mod report;
mod sample;

use case::{Case, Verdict};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// A sentence says what went wrong and what to do.
type Result<T> = std::result::Result<T, String>;

/// Folder of all verdicts, from the root of the repository. It is not part of the project; without it the sample is
/// read.
const ORACLE: &str = "../shared/oracle";
const SAMPLE: &str = "crates/ptx/tests/data/verdicts.jsonl";

/// What the command line asks for.
#[derive(Debug)]
struct Options {
    oracle: PathBuf,
    family: Option<String>,
    n_listed: usize,
    n_threads: usize,
    all: bool,
    task: Task,
    ptxas: String,
}

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Compare,
    Sample,
    Regenerate,
}

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("\nerror: {message}");
            ExitCode::from(2)
        }
    }
}

/// Runs the command; false when a verdict differs that is not known to.
fn run(mut words: impl Iterator<Item = String>) -> Result<bool> {
    let mut options = Options {
        oracle: ORACLE.into(),
        family: None,
        n_listed: 20,
        n_threads: 1,
        all: false,
        task: Task::Compare,
        ptxas: "ptxas".to_owned(),
    };
    while let Some(word) = words.next() {
        let mut value = || {
            words
                .next()
                .ok_or_else(|| format!("`{word}` needs a value"))
        };
        match word.as_str() {
            "--sample" => options.task = Task::Sample,
            "--regenerate" => options.task = Task::Regenerate,
            "--ptxas" => options.ptxas = value()?,
            "--oracle" => options.oracle = value()?.into(),
            "--family" => options.family = Some(value()?),
            "--list" => options.n_listed = number(&value()?)?,
            "--threads" => options.n_threads = number(&value()?)?.clamp(1, 64),
            "--all" => options.all = true,
            _ => return Err(format!("`{word}` is not understood here\n\n{HELP}")),
        }
    }
    match options.task {
        Task::Compare => compare(&options),
        Task::Sample => sample::take(&options.oracle, SAMPLE.as_ref()),
        Task::Regenerate => sample::regenerate(SAMPLE.as_ref(), &options.ptxas),
    }
}

const HELP: &str = "\
cargo xtask conformance [--family NAME] [--list N] [--all] [--threads N] [--oracle FOLDER]
    agreement with the verdicts in FOLDER (default ../shared/oracle, else the project's own sample)
cargo xtask conformance --sample [--oracle FOLDER]
    choose the project's own sample again
cargo xtask conformance --regenerate [--ptxas PROGRAM]
    ask an installed assembler about the sample again";

fn number(text: &str) -> Result<usize> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

fn compare(options: &Options) -> Result<bool> {
    let cases = read_cases(options)?;
    if cases.is_empty() {
        return Err("there are no verdicts to compare with".to_owned());
    }
    let start = Instant::now();
    let verdicts = verdicts_of(&cases, options.n_threads);
    let seconds = start.elapsed().as_secs_f64();
    let agreed = report::print(&cases, &verdicts, options.n_listed, options.all);
    println!(
        "\n{} modules in {seconds:.2} s on {} thread(s): {:.0} modules a second",
        cases.len(),
        options.n_threads,
        cases.len() as f64 / seconds.max(1e-9)
    );
    Ok(agreed)
}

fn read_cases(options: &Options) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    if options.oracle.is_dir() {
        for path in case::files(&options.oracle)? {
            case::read(&path, &mut cases)?;
        }
    } else {
        println!(
            "no {}, reading the project's own sample",
            options.oracle.display()
        );
        case::read(SAMPLE.as_ref(), &mut cases)?;
    }
    if let Some(family) = &options.family {
        cases.retain(|case| case.family == *family);
    }
    Ok(cases)
}

fn verdicts_of(cases: &[Case], n_threads: usize) -> Vec<Verdict> {
    let n_each = cases.len().div_ceil(n_threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(n_each)
            .map(|chunk| scope.spawn(move || chunk.iter().map(Case::verdict).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    })
}
