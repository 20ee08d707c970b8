//! Implements `--public`, which checks and runs sources and execution tests of public projects. The checkouts of the projects are in one
//! directory. The command reports the sources that Warpgrid rejects or cannot execute, and the execution tests whose final memory differs.
//! A file lists the known differences, which the command does not report, with their reasons.
//!
//! - The command checks each `.ptx` and `.sass` file, and launches the kernel without launch parameters. An out-of-bounds access or a
//!   reached step limit is no difference, since the launch is inferred.
//! - `run_tests` contains the execution tests of ZLUDA, which specify inputs and outputs in a macro call.
//! - `compiler_tests` contains the code that the NVPTX tests of LLVM expect in their CHECK lines.

mod compiler_tests;
mod run_tests;

use super::{Options, Result, map_on_threads};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use warpgrid_view::check;
use warpgrid_view::model::Severity;
use warpgrid_view::{CheckOptions, Scenario, Session, SourceLanguage};

/// Known differences. Each line contains the path below the directory of checkouts, a tab, and the reason.
const KNOWN: &str = include_str!("public/known.tsv");
/// Step limit of a launch with inferred inputs.
const MAX_STEPS: u64 = 200_000;
/// Code of the diagnostic for a module that contains functions but no kernel.
const NO_KERNEL: &str = "W0711";
/// Maximum size of a source file in bytes. Larger files contain test data instead of sources.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// Source or test, and the outcome of its check or run.
struct Finding {
    /// Path below the directory of checkouts, followed by `#` and the name of a test.
    name: String,
    outcome: Outcome,
}

/// Outcome of the check or run of a source or test.
enum Outcome {
    Agrees,
    /// The test specifies values that cannot be parsed, such as a call of a Rust function, or the test refers to declarations of its
    /// module.
    Unusable,
    Differs(String),
}

/// Source or test that is compared.
enum Question {
    Text(PathBuf),
    RunTest(run_tests::RunTest),
    CompilerTest(PathBuf),
}

/// Compares all sources and tests below a directory of checkouts.
pub(super) fn compare(options: &Options, folder: &Path) -> Result<bool> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    let mut questions = Vec::new();
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("ptx" | "sass") => questions.push(Question::Text(path)),
            Some("rs") => {
                let tests = run_tests::read(&path)?.into_iter();
                questions.extend(tests.map(Question::RunTest));
            }
            Some("ll") => questions.push(Question::CompilerTest(path)),
            _ => {}
        }
    }
    if questions.is_empty() {
        return Err(format!(
            "{} contains no PTX source, listing or test of a known project",
            folder.display()
        ));
    }
    let name = |path: &Path| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        below.display().to_string().replace('\\', "/")
    };
    let answers = map_on_threads(&questions, options.n_threads, |question| match question {
        Question::Text(path) => vec![Finding {
            name: name(path),
            outcome: launch_as_pasted(path),
        }],
        Question::RunTest(test) => vec![Finding {
            name: format!("{}#{}", name(&test.file), test.name),
            outcome: test.run(),
        }],
        Question::CompilerTest(path) => {
            let functions = compiler_tests::check_functions(path).into_iter();
            let finding = |(function, outcome)| Finding {
                name: format!("{}#{function}", name(path)),
                outcome,
            };
            functions.map(finding).collect()
        }
    });
    let findings: Vec<Finding> = answers.into_iter().flatten().collect();
    if options.all {
        let unusable = findings
            .iter()
            .filter(|finding| matches!(finding.outcome, Outcome::Unusable));
        unusable.for_each(|finding| println!("  {}: unusable", finding.name));
    }
    Ok(report(&findings, options.n_shown))
}

/// Appends the paths of all files below a directory, except the files of the version control system.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        let Ok(metadata) = path.symlink_metadata() else {
            continue;
        };
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if metadata.is_dir() && !is_hidden {
            collect(&path, paths)?;
        } else if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES {
            paths.push(path);
        }
    }
    Ok(())
}

/// Checks a source and runs its kernel with an inferred launch.
fn launch_as_pasted(path: &Path) -> Outcome {
    let source = match read_to_string(path) {
        Ok(source) => source,
        Err(error) => return Outcome::Differs(error.to_string()),
    };
    let front = SourceLanguage::of_source(&source);
    if let Some(reason) = rejection(&source, front) {
        return Outcome::Differs(reason);
    }
    let scenario = Scenario {
        source,
        front,
        ..Scenario::default()
    };
    let mut session = match Session::new_without_last_writers(scenario) {
        Ok(session) => session,
        Err(failure) if failure.code == NO_KERNEL => return Outcome::Agrees,
        Err(failure) => return Outcome::Differs(format!("cannot run: {}", failure.message)),
    };
    session.run(MAX_STEPS);
    match session.fault() {
        Some(fault) if fault.message.contains("not emulated") => Outcome::Differs(fault.message),
        _ => Outcome::Agrees,
    }
}

/// Returns a description of the first error in a source, or `None` if the checker accepts the source.
fn rejection(source: &str, front: SourceLanguage) -> Option<String> {
    let options = CheckOptions {
        language: front,
        ..CheckOptions::default()
    };
    let checked = check(source, &options);
    let mut errors = checked.diagnostics.iter();
    let error = errors.find(|found| found.severity == Severity::Error)?;
    Some(format!(
        "line {}: {}: {}",
        error.line, error.code, error.message
    ))
}

/// Prints the agreement for each project. Returns true if all differences are known.
fn report(findings: &[Finding], n_shown: usize) -> bool {
    let known: BTreeMap<&str, &str> = KNOWN
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let mut tallies: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut differing = Vec::new();
    let mut met = BTreeSet::new();
    for Finding { name, outcome } in findings {
        let (project, _) = name.split_once('/').unwrap_or((name, ""));
        let [agree, n_known, unusable, differ] = tallies.entry(project).or_default();
        match outcome {
            Outcome::Agrees => *agree += 1,
            Outcome::Unusable => *unusable += 1,
            Outcome::Differs(_) if known.contains_key(name.as_str()) => {
                met.insert(name.as_str());
                *n_known += 1;
            }
            Outcome::Differs(reason) => {
                *differ += 1;
                differing.push((name, reason));
            }
        }
    }
    for (project, [agree, n_known, unusable, differ]) in &tallies {
        println!(
            "  {project:<24} {agree:>6} agree, {n_known} known differences, {unusable} unusable tests, {differ} differ"
        );
    }
    for (name, reason) in differing.iter().take(n_shown) {
        println!("  {name}: {reason}");
    }
    let n_more = differing.len().saturating_sub(n_shown);
    if n_more > 0 {
        println!(
            "  {n_more} further differences; --show {} lists all differences",
            differing.len()
        );
    }
    let names: BTreeSet<&str> = findings.iter().map(|finding| &*finding.name).collect();
    for name in known
        .keys()
        .filter(|name| !met.contains(*name) && names.contains(*name))
    {
        println!("  {name} now agrees: remove the entry from the known differences");
    }
    differing.is_empty()
}
