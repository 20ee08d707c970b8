//! Selects the decision samples in the repository from the full collections, and regenerates these samples with an installed assembler.

use super::assembler::{self, Assembler, AssemblerVerdict as Answer};
use super::case::{self, VerdictCase};
use super::{GENERAL_ADDED, GENERAL_SAMPLE, Options, ReferenceCollection, Result, STORES_SAMPLE};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use warpgrid_differential::files::{self, TempDir};

/// Size of the sample of a collection.
#[derive(Clone, Copy, Debug)]
struct SampleSize {
    /// Total number of sampled cases. Each combination of a generator and a decision receives a share in proportion to its number of cases.
    n_sample: usize,
    /// Minimum number of cases per generator and decision, if the collection contains this many cases.
    n_least: usize,
    /// Whether each generator of a family has a separate share.
    by_group: bool,
}

const STORES_AMOUNT: SampleSize = SampleSize {
    n_sample: 3000,
    n_least: 6,
    by_group: true,
};
const GENERAL_AMOUNT: SampleSize = SampleSize {
    n_sample: 780,
    n_least: 1,
    by_group: false,
};

/// Selects new samples of the requested collections.
pub(super) fn take(options: &Options) -> Result<bool> {
    if options.includes(ReferenceCollection::Stores) {
        choose(&options.stores, STORES_SAMPLE.as_ref(), STORES_AMOUNT)?;
    }
    if options.includes(ReferenceCollection::General) {
        choose(&options.general, GENERAL_SAMPLE.as_ref(), GENERAL_AMOUNT)?;
    }
    Ok(true)
}

/// Regenerates the decisions of the requested samples.
pub(super) fn regenerate(options: &Options) -> Result<bool> {
    let assembler = Assembler::find(&options.ptxas)?;
    println!("{} is release {}", options.ptxas, assembler.release);
    for (part, sample) in [
        (ReferenceCollection::Stores, STORES_SAMPLE),
        (ReferenceCollection::General, GENERAL_SAMPLE),
        (ReferenceCollection::General, GENERAL_ADDED),
    ] {
        if options.includes(part) {
            ask_again(sample.as_ref(), &assembler)?;
        }
    }
    Ok(true)
}

/// Selects the sample of a collection. For each generator, the sample contains a proportional number of accepted and of rejected cases,
/// which are ordered by the hash in their ids.
fn choose(oracle: &Path, sample: &Path, amount: SampleSize) -> Result<()> {
    let mut cases = Vec::new();
    for path in case::files(oracle)? {
        case::read(&path, &mut cases)?;
    }
    let n_all = cases.len().max(1);
    let mut strata: BTreeMap<(String, String, bool), Vec<VerdictCase>> = BTreeMap::new();
    for case in cases
        .into_iter()
        .filter(|case| case.known_difference().is_none())
    {
        let group = match amount.by_group {
            true => case.group.clone(),
            false => String::new(),
        };
        let key = (case.family.clone(), group, case.accept);
        strata.entry(key).or_default().push(case);
    }
    let mut text = String::new();
    let mut n = 0;
    for mut cases in strata.into_values() {
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        let n_kept = (cases.len() * amount.n_sample / n_all).max(amount.n_least);
        for case in cases.iter().take(n_kept) {
            text.push_str(&kept(case)?);
            text.push('\n');
            n += 1;
        }
    }
    files::write(sample, &text)?;
    println!("{n} decisions in {}", sample.display());
    Ok(())
}

/// Returns the line of a case with only those fields that the tests need.
fn kept(case: &VerdictCase) -> Result<String> {
    let value: Value = serde_json::from_str(&case.line).map_err(|e| e.to_string())?;
    let mut fields: Map<String, Value> = value.as_object().cloned().unwrap_or_default();
    fields.remove("messages");
    fields.remove("warnings");
    serde_json::to_string(&Value::Object(fields)).map_err(|e| e.to_string())
}

/// Regenerates the decisions of the sample that this release or an older release of the assembler made.
fn ask_again(sample: &Path, assembler: &Assembler) -> Result<()> {
    let mut cases = Vec::new();
    case::read(sample, &mut cases)?;
    let folder = TempDir::new("verdicts")?;
    let mut text = String::new();
    let mut n_changed = 0;
    let mut n_kept = 0;
    for (index, case) in cases.iter().enumerate() {
        let answer = assembler.ask(case, &folder.file(0))?;
        match answer {
            Answer::Said { accept, messages } if !assembler::cannot_say(&messages) => {
                if accept != case.accept {
                    n_changed += 1;
                    println!("changed: {} {}", case.id, case.insn);
                }
                let (ptxas, line) = (assembler.release.clone(), case.line.clone());
                let updated = VerdictCase {
                    accept,
                    messages,
                    ptxas,
                    line,
                    ..case.clone()
                };
                text.push_str(&updated.to_line());
            }
            Answer::Said { .. } | Answer::Crashed => {
                n_kept += 1;
                text.push_str(&case.line);
            }
        }
        text.push('\n');
        if index % 500 == 499 {
            println!("{} of {}", index + 1, cases.len());
        }
    }
    files::write(sample, &text)?;
    println!(
        "{} decisions: {n_changed} changed, and {n_kept} kept because this release rejects the whole module or prints no message",
        cases.len()
    );
    Ok(())
}
