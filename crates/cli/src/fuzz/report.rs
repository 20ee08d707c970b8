//! Reports of `warpgrid fuzz`: one directory per bug, and a summary of the search.

use crate::compare::print_first_difference;
use serde::Serialize;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use warpgrid_differential::assemble::AssemblerTools;
use warpgrid_differential::difference::{AssemblyDifference, DifferenceOutcome};
use warpgrid_differential::fuzz::{BugKind, FoundBug, FuzzCounts, LevelVerdict};
use warpgrid_view::analysis::schedule_seeds::DifferenceSide;
use warpgrid_view::counted;

/// Bug in the list of a search.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BugReport {
    /// Name of the directory with the report.
    pub(super) folder: String,
    /// Instructions of the minimal kernel, or the message of a failed assembler.
    pub(super) cause: String,
    /// Number of kernels with this cause.
    pub(super) kernels: usize,
}

/// Results of a search.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FuzzReport {
    release: String,
    seed: u64,
    seconds: f64,
    /// Number of compared kernels.
    kernels: usize,
    /// Number of compared kernels with different results.
    different: usize,
    /// Number of kernels that the assembler rejects.
    rejected: usize,
    /// Number of kernels without a result, by reason.
    not_comparable: Vec<(String, usize)>,
    pub(super) bugs: Vec<BugReport>,
}

impl FuzzReport {
    pub(super) fn new(
        tools: &AssemblerTools,
        seed: u64,
        seconds: f64,
        counts: FuzzCounts,
        mut bugs: Vec<BugReport>,
    ) -> FuzzReport {
        for bug in &mut bugs {
            bug.kernels = counts.causes.get(&bug.cause).copied().unwrap_or(1);
        }
        bugs.sort_by(|a, b| a.folder.cmp(&b.folder));
        FuzzReport {
            release: tools.release.clone(),
            seed,
            seconds,
            kernels: counts.n_kernels,
            different: counts.n_different,
            rejected: counts.n_rejected,
            not_comparable: counts.not_comparable.into_iter().collect(),
            bugs,
        }
    }

    /// Returns the sentence that summarizes the search.
    pub(super) fn sentence(&self) -> String {
        format!(
            "{} in {:.0} s, {} with different results, {}",
            counted(self.kernels as u64, "kernel"),
            self.seconds,
            self.different,
            counted(self.bugs.len() as u64, "bug")
        )
    }
}

/// Writes the summary of a search to `summary.md`.
pub(super) fn write_summary(folder: &Path, report: &FuzzReport) -> io::Result<()> {
    let mut text = format!(
        "# Bugs of ptxas {}\n\nSeed {}: {}.\n",
        report.release,
        report.seed,
        report.sentence()
    );
    if !report.bugs.is_empty() {
        text.push_str(
            "\n| report | instructions of the minimal kernel | kernels |\n| --- | --- | ---: |\n",
        );
    }
    for BugReport {
        folder,
        cause,
        kernels,
    } in &report.bugs
    {
        let _ = writeln!(
            text,
            "| [{folder}]({folder}/report.md) | `{cause}` | {kernels} |"
        );
    }
    if report.rejected > 0 {
        let _ = write!(
            text,
            "\nThe assembler rejects {}.\n",
            counted(report.rejected as u64, "kernel")
        );
    }
    if !report.not_comparable.is_empty() {
        text.push_str("\nThe following kernels have no result:\n\n");
    }
    for (reason, n) in &report.not_comparable {
        let _ = writeln!(text, "- {n}: {reason}");
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("summary.md"), text)
}

/// Writes the files of a bug to a new directory.
pub(super) fn write_bug(
    folder: &Path,
    number: usize,
    seed: u64,
    bug: &FoundBug,
) -> io::Result<BugReport> {
    let name = format!("{number:03}-{}", slug(&bug.cause));
    let own = folder.join(&name);
    std::fs::create_dir_all(&own)?;
    std::fs::write(own.join("kernel.ptx"), &bug.source)?;
    if let BugKind::WrongCode { difference, .. } = &bug.kind {
        std::fs::write(own.join("kernel.sass"), &difference.listing)?;
    }
    std::fs::write(own.join("report.md"), text_of(seed, bug))?;
    Ok(BugReport {
        folder: name,
        cause: bug.cause.clone(),
        kernels: 1,
    })
}

/// Maximum length of the part of a directory name that describes the cause.
const MAX_SLUG: usize = 40;

/// Returns the last instructions of a cause as part of a file name.
fn slug(cause: &str) -> String {
    let words = cause
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    let mut first = words.len();
    let mut length = 0;
    while first > 0 && length + words[first - 1].len() < MAX_SLUG {
        first -= 1;
        length += words[first].len() + 1;
    }
    words[first..].join("-")
}

fn text_of(seed: u64, bug: &FoundBug) -> String {
    let arguments = bug.build.arguments().join(" ");
    let assemble = format!("ptxas {arguments} kernel.ptx -o kernel.cubin");
    let origin = format!("Kernel {} of seed {seed}.", bug.kernel_number);
    match &bug.kind {
        BugKind::Failure(message) => format!(
            "# `ptxas` fails\n\n{message}.\n\n## Reproduce\n\n```\n{assemble}\n```\n\n{origin}\n"
        ),
        BugKind::WrongCode {
            difference,
            verdicts,
            statements: [before, after],
        } => {
            let mut text = format!(
                "# Wrong code for `{}`\n\nThe code that `ptxas` generates with `{arguments}` stores other values than the PTX.\n\n",
                bug.instructions
            );
            write_values(&mut text, difference);
            write_cause(&mut text, difference);
            write_verdicts(&mut text, verdicts);
            let _ = write!(
                text,
                "\n## Reproduce\n\n```\n{assemble}\nnvdisasm -hex kernel.cubin > kernel.sass\nwarpgrid run kernel.ptx --compare kernel.sass\n```\n\n\
                 {origin} The reduction removed {} of {}.\n\n## PTX\n\n```\n{}```\n",
                before.saturating_sub(*after),
                counted(*before as u64, "statement"),
                bug.source
            );
            text
        }
    }
}

/// Writes the first differing element of each memory, with the values of both runs and the stores of these values.
fn write_values(text: &mut String, difference: &AssemblyDifference) {
    text.push_str("| element | version | value | stored by |\n| --- | --- | --- | --- |\n");
    for found in &difference.report.differences {
        for (version, side) in ["PTX", "SASS"].iter().zip(&found.sides) {
            let DifferenceSide { value, stores, .. } = side;
            let store = stores.last().map_or_else(
                || "no store".to_owned(),
                |store| format!("line {}: `{}`", store.line, store.instruction),
            );
            let _ = writeln!(
                text,
                "| {}[{}] | {version} | {value} | {store} |",
                found.memory, found.index
            );
        }
    }
}

/// Writes the first instructions that computed different values.
fn write_cause(text: &mut String, difference: &AssemblyDifference) {
    let Some(found) = &difference.report.first_difference else {
        return;
    };
    let mut printed = Vec::new();
    // Writing to a `Vec` cannot fail.
    let _ = print_first_difference(&mut printed, ["kernel.ptx", "kernel.sass"], found);
    let printed = String::from_utf8_lossy(&printed);
    let _ = write!(text, "\n```\n{printed}```\n");
}

/// Writes the table of the releases and optimization levels, with the conclusion about the origin of the error.
fn write_verdicts(text: &mut String, verdicts: &[LevelVerdict]) {
    text.push_str("\n## Releases and optimization levels\n\n| release | level | result |\n| --- | --- | --- |\n");
    for LevelVerdict {
        release,
        level,
        outcome,
    } in verdicts
    {
        let result = match outcome {
            DifferenceOutcome::Equal => "equal to the PTX".to_owned(),
            DifferenceOutcome::Differs(_) => "different".to_owned(),
            DifferenceOutcome::NotComparable(reason) => format!("not comparable: {reason}"),
            DifferenceOutcome::Rejected(reason) => format!("rejected: {reason}"),
            DifferenceOutcome::Failed(reason) => reason.clone(),
        };
        let _ = writeln!(text, "| {release} | `-O{level}` | {result} |");
    }
    let is_equal = |verdict: &&LevelVerdict| matches!(verdict.outcome, DifferenceOutcome::Equal);
    let conclusion = match verdicts.iter().find(is_equal) {
        Some(verdict) => format!(
            "The code of release {} with `-O{}` has the results of the PTX, so the error is an optimization of the assembler.",
            verdict.release, verdict.level
        ),
        None => "No release and no level has the results of the PTX. Either all of them have the error, or Warpgrid interprets an instruction incorrectly: compare with a GPU.".to_owned(),
    };
    let _ = write!(text, "\n{conclusion}\n");
}
