//! Implements `--fresh`, the differential test of the checker against an installed assembler. The tested modules are accepted modules with
//! a mutated modifier, operand, version or target, and complete generated modules.

mod modules;
mod mutate;

use super::assembler::{self, Assembler, AssemblerVerdict as Answer};
use super::case::{VerdictCase, VerdictComparison};
use super::report;
use super::verdicts;
use super::{
    GENERAL_ADDED, GENERAL_SAMPLE, Options, ReferenceCollection, Result, STORES_SAMPLE,
    map_on_threads,
};
use mutate::MutationPool;
use std::path::Path;
use warpgrid_differential::files::TempDir;
use warpgrid_differential::random::SplitMix64;

/// Compares the decisions of the checker and the assembler on `n` modules. Returns true if all decisions agree.
pub(super) fn compare(options: &Options, n: usize) -> Result<bool> {
    let assembler = Assembler::find(&options.ptxas)?;
    let mut differences = report::Differences::default();
    let mut agreed = true;
    let parts: Vec<ReferenceCollection> = [
        ReferenceCollection::Stores,
        ReferenceCollection::General,
        ReferenceCollection::Modules,
    ]
    .into_iter()
    .filter(|part| options.includes(*part))
    .collect();
    let share = n.div_ceil(parts.len().max(1));
    for part in parts {
        let cases = accepted(part, options)?;
        let source = match part {
            ReferenceCollection::Modules => "the grammar".to_owned(),
            _ if cases.is_empty() => continue,
            _ => format!("{} accepted ones", cases.len()),
        };
        println!(
            "{}: {share} modules from {source}, seed {}, {} {}",
            name(part),
            options.seed,
            options.ptxas,
            assembler.release
        );
        let fresh = make(part, &cases, share, options.seed);
        let mut asked = ask_about(fresh, options, &assembler)?;
        if part == ReferenceCollection::Modules {
            shorten(&mut asked, &assembler)?;
        }
        agreed &= print(part, &asked, options, &mut differences)?;
    }
    differences.write(options.json.as_deref())?;
    Ok(agreed)
}

fn name(part: ReferenceCollection) -> &'static str {
    match part {
        ReferenceCollection::Stores => "stores",
        ReferenceCollection::General => "all other instructions",
        ReferenceCollection::Modules => "whole modules",
        ReferenceCollection::Arithmetic
        | ReferenceCollection::Spellings
        | ReferenceCollection::Cases
        | ReferenceCollection::Litmus => "no verdicts",
    }
}

/// Returns the accepted modules that are mutated. The modules are the sample in the repository, which is always available, and the full
/// collection if the full collection exists.
fn accepted(part: ReferenceCollection, options: &Options) -> Result<Vec<VerdictCase>> {
    let (folder, samples) = match part {
        ReferenceCollection::Stores => (&options.stores, &[STORES_SAMPLE][..]),
        ReferenceCollection::General => (&options.general, &[GENERAL_SAMPLE, GENERAL_ADDED][..]),
        ReferenceCollection::Modules
        | ReferenceCollection::Arithmetic
        | ReferenceCollection::Spellings
        | ReferenceCollection::Cases
        | ReferenceCollection::Litmus => {
            return Ok(Vec::new());
        }
    };
    let family = options.family.as_deref();
    let mut cases = verdicts::read(Path::new(""), samples, family)?;
    if folder.is_dir() {
        cases.extend(verdicts::read(folder, &[], family)?);
    }
    cases.retain(|case| case.accept && case.source.is_empty());
    Ok(cases)
}

/// Generates `n` new modules.
fn make(part: ReferenceCollection, cases: &[VerdictCase], n: usize, seed: u64) -> Vec<VerdictCase> {
    let mut random = SplitMix64::new(seed);
    if part == ReferenceCollection::Modules {
        let modules = (0..n).map(|index| modules::module(index, &mut random));
        return modules.filter(|case| !modules::is_left_out(case)).collect();
    }
    let material = MutationPool::of(cases);
    (0..n)
        .map(|index| material.mutant(index, &mut random))
        .filter(|case| !mutate::is_disputed(case))
        .collect()
}

/// Returns the modules with the decisions of the assembler. Modules on which the assembler makes no decision are omitted.
fn ask_about(
    fresh: Vec<VerdictCase>,
    options: &Options,
    assembler: &Assembler,
) -> Result<Vec<VerdictCase>> {
    let folder = TempDir::new("verdicts")?;
    let numbered: Vec<(usize, &VerdictCase)> = fresh.iter().enumerate().collect();
    let answers = map_on_threads(&numbered, options.n_threads, |(index, case)| {
        assembler.ask(case, &folder.file(*index))
    });
    let mut decided = Vec::new();
    let mut n_silent = 0;
    for (mut case, answer) in fresh.into_iter().zip(answers) {
        match answer? {
            Answer::Said { accept, messages } if !assembler::cannot_say(&messages) => {
                case.accept = accept;
                case.messages = messages;
                case.ptxas.clone_from(&assembler.release);
                decided.push(case);
            }
            Answer::Said { .. } | Answer::Crashed => n_silent += 1,
        }
    }
    let n_accepted = decided.iter().filter(|case| case.accept).count();
    println!("{} answered, {n_accepted} accepted", decided.len());
    if n_silent > 0 {
        println!(
            "{n_silent} modules are excluded, because this release rejects the whole module, aborts or crashes"
        );
    }
    Ok(decided)
}

/// Reduces each module with different decisions. The reduction removes lines while the decisions still differ.
fn shorten(asked: &mut [VerdictCase], assembler: &Assembler) -> Result<()> {
    let folder = TempDir::new("verdicts")?;
    for case in asked.iter_mut() {
        if case.check().accept == case.accept {
            continue;
        }
        let mut lines: Vec<String> = case.source.lines().map(str::to_owned).collect();
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            let shorter = VerdictCase {
                source: fewer.join("\n") + "\n",
                ..case.clone()
            };
            let ours = shorter.check().accept;
            match assembler.ask(&shorter, &folder.file(0))? {
                Answer::Said { accept, messages }
                    if accept == case.accept
                        && ours != accept
                        && !assembler::cannot_say(&messages) =>
                {
                    *case = VerdictCase {
                        messages,
                        ..shorter
                    };
                    lines = fewer;
                }
                Answer::Said { .. } | Answer::Crashed => at += 1,
            }
        }
    }
    Ok(())
}

fn print(
    part: ReferenceCollection,
    asked: &[VerdictCase],
    options: &Options,
    differences: &mut report::Differences,
) -> Result<bool> {
    let verdicts = map_on_threads(asked, options.n_threads, VerdictCase::check);
    let compared: Vec<VerdictComparison<'_>> = asked
        .iter()
        .zip(&verdicts)
        .map(|(case, verdict)| VerdictComparison { case, verdict })
        .collect();
    let title = format!("fresh verdicts, {}", name(part));
    let agreed = report::print(&title, &compared, options);
    let mut sample = String::new();
    for compared in compared.iter().filter(|compared| !compared.agrees()) {
        differences.add(&compared.difference());
        sample.push_str(&compared.case.to_line());
        sample.push('\n');
    }
    if let Some(path) = &options.keep {
        assembler::append(path, &sample)?;
    }
    Ok(agreed)
}
