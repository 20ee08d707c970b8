//! Compares the recorded decisions of the assembler on modules with the decisions of Warpgrid.

use super::case::{self, VerdictCase, VerdictComparison};
use super::report::{self, Differences};
use super::{Options, ReferenceCollection, Result, map_on_threads};
use std::path::Path;
use std::time::Instant;

/// Reads the cases in a directory. If the directory does not exist, the function reads the cases of the samples.
pub(super) fn read(
    folder: &Path,
    samples: &[&str],
    family: Option<&str>,
) -> Result<Vec<VerdictCase>> {
    let mut cases = Vec::new();
    if folder.is_dir() {
        for path in case::files(folder)? {
            case::read(&path, &mut cases)?;
        }
    } else if folder.as_os_str().is_empty() {
        for sample in samples {
            case::read(sample.as_ref(), &mut cases)?;
        }
    } else {
        println!(
            "the directory {} does not exist, so the sample of the project is read",
            folder.display()
        );
        for sample in samples
            .iter()
            .map(Path::new)
            .filter(|sample| sample.is_file())
        {
            case::read(sample, &mut cases)?;
        }
    }
    if let Some(family) = family {
        cases.retain(|case| case.family == family);
    }
    Ok(cases)
}

/// Compares the decisions and prints the differences. Returns true if all differences are known.
pub(super) fn compare(
    part: ReferenceCollection,
    cases: &[VerdictCase],
    options: &Options,
    differences: &mut Differences,
) -> bool {
    if cases.is_empty() {
        return true;
    }
    let start = Instant::now();
    let verdicts = map_on_threads(cases, options.n_threads, VerdictCase::check);
    let seconds = start.elapsed().as_secs_f64();
    let compared: Vec<VerdictComparison<'_>> = cases
        .iter()
        .zip(&verdicts)
        .map(|(case, verdict)| VerdictComparison { case, verdict })
        .collect();
    let title = match part {
        ReferenceCollection::General => "decisions for all other instructions",
        ReferenceCollection::Stores
        | ReferenceCollection::Modules
        | ReferenceCollection::Arithmetic
        | ReferenceCollection::Spellings
        | ReferenceCollection::Cases
        | ReferenceCollection::Litmus => "verdicts, stores",
    };
    let agreed = report::print(title, &compared, options);
    for compared in &compared {
        if !compared.agrees() && compared.case.known_difference().is_none() {
            differences.add(&compared.difference());
        }
    }
    println!(
        "\n{} modules in {seconds:.2} s on {} thread(s): {:.0} modules per second",
        cases.len(),
        options.n_threads,
        cases.len() as f64 / seconds.max(1e-9)
    );
    agreed
}
