//! `cargo xtask conformance`: every verdict of the reference assembler beside ours. In: files of verdicts; out: how far
//! we agree, by family, by generator and by rule, and the modules on which we do not.

mod case;
mod report;
mod sample;

use crate::arguments::Arguments;
use crate::shell::Result;
use case::{Case, Verdict};
use std::path::PathBuf;
use std::time::Instant;

/// Where the verdicts lie, from the root of the repository; a checkout of the project alone has only its own sample.
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
}

/// Runs the command; false when a verdict differs that is not known to.
pub(crate) fn run(mut arguments: Arguments) -> Result<bool> {
    let take_sample = arguments.switch("--sample");
    let regenerate = arguments.switch("--regenerate");
    let ptxas = arguments.option("--ptxas")?;
    let options = Options {
        oracle: arguments.option("--oracle")?.unwrap_or_else(|| ORACLE.to_owned()).into(),
        family: arguments.option("--family")?,
        n_listed: number(arguments.option("--list")?, 20)?,
        n_threads: number(arguments.option("--threads")?, 1)?.clamp(1, 64),
        all: arguments.switch("--all"),
    };
    arguments.done()?;
    if take_sample {
        return sample::take(&options.oracle, SAMPLE.as_ref());
    }
    if regenerate {
        return sample::regenerate(SAMPLE.as_ref(), ptxas.as_deref().unwrap_or("ptxas"));
    }
    compare(&options)
}

fn number(text: Option<String>, default: usize) -> Result<usize> {
    text.map_or(Ok(default), |text| {
        text.parse().map_err(|_| format!("`{text}` is no number"))
    })
}

fn compare(options: &Options) -> Result<bool> {
    let cases = read_cases(options)?;
    if cases.is_empty() {
        return Err("there are no verdicts to compare with".to_owned());
    }
    let start = Instant::now();
    let verdicts = judge_all(&cases, options.n_threads);
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
        println!("no {}, reading the project's own sample", options.oracle.display());
        case::read(SAMPLE.as_ref(), &mut cases)?;
    }
    if let Some(family) = &options.family {
        cases.retain(|case| case.family == *family);
    }
    Ok(cases)
}

fn judge_all(cases: &[Case], n_threads: usize) -> Vec<Verdict> {
    let n_each = cases.len().div_ceil(n_threads).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(n_each)
            .map(|chunk| scope.spawn(move || chunk.iter().map(Case::judge).collect::<Vec<_>>()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_default())
            .collect()
    })
}
