//! `warpgrid litmus`: enumerates the outcomes of a litmus test that the memory model allows (each with an execution), the forbidden
//! outcomes (each with the violated axiom), and the weakest repairs. The thread bodies come from a test file, or are lines of a kernel.

mod extract;

use crate::output::{JsonReport, print_error, read_source, report_error, stdout};
use crate::{ExitKind, OutputFormat};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use warpgrid_view::memory_model::litmus::{
    ExtractionThread, ForbiddenView, GraphView, LitmusEdit, LitmusEditOp, LitmusError,
    LitmusRepairs, LitmusTest, LitmusView, OutcomeView, RaceFrequency, explore, read_text, repairs,
    write_text,
};

/// Arguments of `litmus`.
#[derive(Debug, Args)]
pub(crate) struct LitmusArguments {
    /// A litmus test in PTX with `//@ location`, `//@ thread` and `//@ observe` annotations, or tests as JSON Lines; `-` reads standard input.
    /// With `--lines`, a kernel in a form that `run` accepts.
    #[arg(value_name = "FILE.ptx|FILE.jsonl")]
    file: PathBuf,
    /// Extract a litmus test from these lines of a kernel, such as `12-30`. The test starts with the registers and memory of the run at these lines.
    #[arg(long, value_name = "LINES", value_parser = extract::read_lines)]
    lines: Option<[u32; 2]>,
    /// With `--lines`: threads of the litmus test, as `block:thread`. By default, the command selects two threads that access the same bytes.
    #[arg(long, value_name = "0:0,1:0", value_delimiter = ',', value_parser = extract::read_thread, requires = "lines")]
    threads: Vec<ExtractionThread>,
    /// With `--lines`: use the last execution of the lines before this step instead of the first execution.
    #[arg(long, alias = "before", value_name = "STEP", requires = "lines")]
    before_step: Option<u64>,
    /// With `--lines`: print the extracted litmus test as an editable source instead of enumerating the outcomes.
    #[arg(long, alias = "question", requires = "lines")]
    print_test: bool,
    /// With `--lines`: stop the run of the kernel after this many steps.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    max_steps: u64,
    /// With `--lines`: seed of the scheduler for the run of the kernel.
    #[arg(long, value_name = "N", requires = "lines")]
    seed: Option<u64>,
    /// Find the weakest fixes that forbid the outcomes of `//@ bad`, or all outcomes that are not sequentially consistent.
    #[arg(long)]
    repairs: bool,
    /// Output format; `json` writes one line per test.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Explore only litmus tests whose name contains this text.
    #[arg(long, alias = "only", value_name = "NAME")]
    filter: Option<String>,
    /// Exit with 1 if the memory model allows an outcome of `//@ bad`.
    #[arg(long)]
    deny: bool,
    /// In JSON output, add an execution graph for each outcome.
    #[arg(long)]
    graphs: bool,
}

/// JSON output for a test.
#[derive(Serialize)]
struct TestReport<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<&'a str>,
    /// Allowed outcomes, or `None` if the memory model gives no guarantees for the test.
    outcomes: Option<Vec<&'a [u64]>>,
    race: bool,
    racy_pairs: &'a [[[u32; 2]; 2]],
    race_by_outcome: Option<Vec<RaceFrequency>>,
    forbidden: Vec<ForbiddenOutcome<'a>>,
    candidates: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off_after: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executions: Option<Vec<&'a GraphView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Vec<Vec<RepairEdit<'a>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bad: Option<&'a [Vec<u64>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete_to: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<u64>,
}

#[derive(Serialize)]
struct ForbiddenOutcome<'a> {
    values: &'a [u64],
    axiom: warpgrid_view::memory_model::litmus::Axiom,
    sentence: &'a str,
}

#[derive(Serialize)]
struct RepairEdit<'a> {
    thread: u32,
    line: u32,
    op: LitmusEditOp,
    text: &'a str,
}

#[derive(Serialize)]
struct TestFailure<'a> {
    ok: bool,
    name: &'a str,
    error: String,
}

/// Litmus test with its result.
struct SolvedTest {
    /// Source of an extracted test. The line numbers of the result refer to this source.
    question: Option<String>,
    view: LitmusView,
    repairs: Option<LitmusRepairs>,
}

/// Explores the tests of a file.
pub(crate) fn litmus(arguments: &LitmusArguments) -> io::Result<ExitKind> {
    let tests = match tests(arguments)? {
        Ok(tests) => tests,
        Err(outcome) => return Ok(outcome),
    };
    if let [test] = tests.as_slice()
        && arguments.print_test
    {
        let mut out = stdout();
        out.write_all(write_text(test).as_bytes())?;
        out.flush()?;
        return Ok(ExitKind::Success);
    }
    let is_wanted = |test: &&LitmusTest| match &arguments.filter {
        Some(only) => test.name.contains(only.as_str()),
        None => true,
    };
    let mut out = stdout();
    let mut outcome = ExitKind::Success;
    let as_json = arguments.format == OutputFormat::Json;
    for test in tests.iter().filter(is_wanted) {
        let answer = answer(test, arguments);
        let is_denied = |found: &SolvedTest| arguments.deny && allows_bad(test, &found.view);
        if answer.as_ref().map_or(true, is_denied) {
            outcome = ExitKind::Failure;
        }
        match (answer, as_json) {
            (Ok(found), true) => {
                let report = JsonReport {
                    ok: !is_denied(&found),
                    report: &line(&found, arguments),
                };
                serde_json::to_writer(&mut out, &report)?;
                writeln!(out)?;
            }
            (Ok(found), false) => print(&mut out, &found)?,
            (Err(error), true) => {
                let name = &test.name;
                let error = error.to_string();
                let failure = TestFailure {
                    ok: false,
                    name,
                    error,
                };
                serde_json::to_writer(&mut out, &failure)?;
                writeln!(out)?;
            }
            (Err(error), false) => {
                out.flush()?;
                print_error(&format!("{}: {error}", arguments.file.display()));
            }
        }
        if out.is_closed() {
            break;
        }
    }
    out.flush()?;
    Ok(outcome)
}

/// Checks whether the memory model allows an outcome that the test declares as bad. If racing accesses overlap only partially, the memory
/// model gives no guarantees, so every outcome is allowed.
fn allows_bad(test: &LitmusTest, view: &LitmusView) -> bool {
    match &view.outcomes {
        Some(outcomes) => outcomes
            .iter()
            .any(|outcome| test.unwanted_outcomes.contains(&outcome.values)),
        None => !test.unwanted_outcomes.is_empty(),
    }
}

/// Returns the tests of the file, or the test that is extracted from the selected lines. The error is the exit status of the command.
fn tests(arguments: &LitmusArguments) -> io::Result<Result<Vec<LitmusTest>, ExitKind>> {
    let is_json = arguments.format == OutputFormat::Json;
    let made = match arguments.lines {
        Some(lines) => match extract::cut(arguments, lines)? {
            Ok(test) => write_text(&test),
            Err(outcome) => return Ok(Err(outcome)),
        },
        None => match read_source(&arguments.file) {
            Ok(text) => text,
            Err(error) => {
                report_error(is_json, &error.to_string())?;
                return Ok(Err(ExitKind::UsageError));
            }
        },
    };
    match tests_of(&made) {
        Ok(tests) => Ok(Ok(tests)),
        Err(reason) => {
            report_error(is_json, &format!("{}: {reason}", arguments.file.display()))?;
            Ok(Err(ExitKind::UsageError))
        }
    }
}

/// Parses litmus tests: one test in the text format, or JSON lines.
fn tests_of(text: &str) -> Result<Vec<LitmusTest>, String> {
    if !text.trim_start().starts_with('{') {
        let mut test = read_text(text).map_err(|error| error.to_string())?;
        if test.name.is_empty() {
            test.name = "test".to_owned();
        }
        return Ok(vec![test]);
    }
    if let Ok(test) = serde_json::from_str(text) {
        return Ok(vec![test]);
    }
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let tests = lines.map(|(number, line)| {
        serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))
    });
    tests.collect()
}

fn answer(test: &LitmusTest, arguments: &LitmusArguments) -> Result<SolvedTest, LitmusError> {
    let view = explore(test)?;
    let repairs = match arguments.repairs {
        true => Some(repairs(test, &view)?),
        false => None,
    };
    Ok(SolvedTest {
        question: arguments.lines.map(|_| write_text(test)),
        view,
        repairs,
    })
}

fn line<'f>(found: &'f SolvedTest, arguments: &LitmusArguments) -> TestReport<'f> {
    let SolvedTest {
        question,
        view,
        repairs,
    } = found;
    let outcomes = view.outcomes.as_deref();
    TestReport {
        name: &view.name,
        question: question.as_deref(),
        outcomes: outcomes.map(|all| all.iter().map(|o| o.values.as_slice()).collect()),
        race: view.race,
        racy_pairs: &view.racing_pairs,
        race_by_outcome: outcomes.map(|all| all.iter().map(|o| o.races).collect()),
        forbidden: view.forbidden.iter().map(forbidden).collect(),
        candidates: view.candidates,
        cut_off_after: view.truncated_after,
        executions: outcomes
            .filter(|_| arguments.graphs)
            .map(|all| all.iter().map(|o| &o.graph).collect()),
        repairs: repairs.as_ref().map(edits),
        bad: repairs.as_ref().map(|repairs| repairs.bad.as_slice()),
        complete_to: repairs.as_ref().map(|repairs| repairs.exhaustive_up_to),
        tried: repairs.as_ref().map(|repairs| repairs.candidates_tried),
    }
}

fn forbidden(found: &ForbiddenView) -> ForbiddenOutcome<'_> {
    ForbiddenOutcome {
        values: &found.values,
        axiom: found.violation.axiom,
        sentence: &found.violation.sentence,
    }
}

fn edits(repairs: &LitmusRepairs) -> Vec<Vec<RepairEdit<'_>>> {
    fn one(edit: &LitmusEdit) -> RepairEdit<'_> {
        RepairEdit {
            thread: edit.thread,
            line: edit.line,
            op: edit.op,
            text: &edit.text,
        }
    }
    let all = repairs.repairs.iter();
    all.map(|repair| repair.iter().map(one).collect()).collect()
}

fn print(out: &mut impl Write, found: &SolvedTest) -> io::Result<()> {
    let view = &found.view;
    if let Some(question) = &found.question {
        for (number, line) in (1..).zip(question.lines()) {
            writeln!(out, "{number:>4}  {line}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{}", view.name)?;
    writeln!(out, "observed: {}", view.observed.join(", "))?;
    match &view.outcomes {
        None => writeln!(
            out,
            "accesses with a data race overlap only partially, so the memory model gives no guarantees"
        )?,
        Some(outcomes) if outcomes.is_empty() => writeln!(
            out,
            "no execution terminates, because a thread waits for a value that no other thread writes"
        )?,
        Some(outcomes) => {
            for outcome in outcomes {
                print_outcome(out, outcome)?;
            }
        }
    }
    for forbidden in &view.forbidden {
        let values = words(&forbidden.values);
        writeln!(out, "forbidden {values}: {}", forbidden.violation.sentence)?;
    }
    if view.n_forbidden_omitted > 0 {
        writeln!(
            out,
            "and {} more forbidden outcomes",
            view.n_forbidden_omitted
        )?;
    }
    for [first, second] in &view.racy_lines {
        writeln!(
            out,
            "data race between line {} (thread {}) and line {} (thread {})",
            first[1], first[0], second[1], second[0]
        )?;
    }
    if let Some(rounds) = view.truncated_after {
        writeln!(
            out,
            "all loops except polling loops are unrolled {rounds} times"
        )?;
    }
    if let Some(repairs) = &found.repairs {
        print_repairs(out, repairs)?;
    }
    Ok(())
}

fn print_outcome(out: &mut impl Write, outcome: &OutcomeView) -> io::Result<()> {
    let note = match (outcome.is_interleaving, outcome.races) {
        (true, RaceFrequency::Never) => "",
        (true, _) => ", with a data race",
        (false, RaceFrequency::Never) => ", not sequentially consistent",
        (false, _) => ", not sequentially consistent, with a data race",
    };
    writeln!(out, "allowed {}{note}", words(&outcome.values))?;
    let graph = &outcome.graph;
    for edge in &graph.edges {
        if edge.kind != warpgrid_view::memory_model::litmus::EdgeKind::ReadsFrom {
            continue;
        }
        let node = |index: usize| graph.nodes.get(index);
        let (Some(writer), Some(reader)) = (node(edge.from), node(edge.to)) else {
            continue;
        };
        let from = match writer.thread {
            Some(thread) => format!("`{}` of thread {thread}", writer.label),
            None => "the initial value".to_owned(),
        };
        let thread = reader.thread.unwrap_or(0);
        writeln!(out, "    thread {thread}: `{}`, from {from}", reader.label)?;
    }
    Ok(())
}

fn print_repairs(out: &mut impl Write, repairs: &LitmusRepairs) -> io::Result<()> {
    let bad: Vec<String> = repairs.bad.iter().map(|values| words(values)).collect();
    if bad.is_empty() {
        return writeln!(
            out,
            "no fix is necessary, because all outcomes are sequentially consistent"
        );
    }
    writeln!(
        out,
        "the weakest fixes that forbid {} are:",
        bad.join(" and ")
    )?;
    for repair in &repairs.repairs {
        for (number, edit) in repair.iter().enumerate() {
            let mark = if number == 0 { "  -" } else { "   " };
            let place = format!("thread {} line {}", edit.thread, edit.shown_line);
            match edit.op {
                LitmusEditOp::Replace => {
                    writeln!(out, "{mark} replace {place} with `{}`", edit.text)?
                }
                LitmusEditOp::InsertBefore => {
                    writeln!(out, "{mark} insert before {place}: `{}`", edit.text)?
                }
            }
        }
    }
    if repairs.repairs.is_empty() {
        writeln!(
            out,
            "  no fix with at most {} edits forbids these outcomes",
            repairs.exhaustive_up_to
        )?;
    }
    writeln!(
        out,
        "the search covered all combinations of up to {} edits, and evaluated {} combinations",
        repairs.exhaustive_up_to, repairs.candidates_tried
    )
}

fn words(values: &[u64]) -> String {
    let words: Vec<String> = values.iter().map(u64::to_string).collect();
    words.join(" ")
}
