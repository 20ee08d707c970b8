//! `warpgrid run`: launches a scenario and checks its expectations.

use crate::check::{LanguageArg, front_of, has_asm_blocks};
use crate::compile::{CompilerOptions, is_cuda};
use crate::embedded;
use crate::launch::{LaunchOptions, kernels_text};
use crate::output::{
    NamedSource, about, is_same_file, read_bytes, read_source, render, renderer, report_error,
    stdout, text_of, without_mark,
};
use crate::save;
use crate::{ExitKind, OutputFormat, compare, disassemble, engine, races, seeds, traffic};
use clap::Args;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use warpgrid_share::SharedState;
use warpgrid_view::analysis::comparison::{ComparisonError, PairedRun};
use warpgrid_view::analysis::run_timeline::chrome_trace::chrome_trace;
use warpgrid_view::api::unknown_fields::{CASE_FACTS, unknown_field};
use warpgrid_view::api::{
    BufferDigest, BufferValues, ReportRequest, RunReport, STEPS_OF_A_COMMAND,
};
use warpgrid_view::compiled_file::is_compiled;
use warpgrid_view::layouts::inspector::layouts_text;
use warpgrid_view::memory_model::concurrency::RaceView;
use warpgrid_view::model::{CauseView, Severity, TimelineOptions};
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::{RequestError, Scenario, Schedule, Session, SourceLanguage, counted};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A case.json, a scenario JSON file that contains its source, or a PTX or SASS file with `//@` annotations.
    #[arg(value_name = "SCENARIO.json|FILE.ptx|FILE.sass")]
    file: PathBuf,
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
    /// Stop after this many steps (warp-instructions).
    #[arg(long, value_name = "N", default_value_t = STEPS_OF_A_COMMAND)]
    max_steps: u64,
    /// Write every store as one line of JSON to this file.
    #[arg(long, value_name = "FILE.jsonl")]
    trace: Option<PathBuf>,
    /// Write the trace in compact form: runs of addresses with the stored bytes, instead of one object per lane.
    #[arg(long, requires = "trace")]
    compact: bool,
    /// Write the timeline of the run to this file in the Trace Event Format, which Perfetto (ui.perfetto.dev) opens: the states of warps,
    /// the phases of barriers, and asynchronous operations. One step is one microsecond.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["seeds", "beside"])]
    timeline: Option<PathBuf>,
    /// Write the final contents of a buffer or variable, as in `out=out.npy`. Further formats are `.csv`, `.svg` and `.animated.svg`
    /// (an animation of the run). Repeatable.
    #[arg(long, value_name = "MEMORY=FILE", value_parser = save::read_save, conflicts_with_all = ["seeds", "beside"])]
    save: Vec<save::SaveTarget>,
    /// Count sectors, cache lines, wavefronts and bank conflicts per source line.
    #[arg(long, conflicts_with = "seeds")]
    traffic: bool,
    /// Detect data races according to the PTX memory model.
    #[arg(long, conflicts_with_all = ["seeds", "beside", "trace"])]
    races: bool,
    /// Infer the layout of each access to shared and global memory, such as `Swizzle<3,4,3> o (32,8):(128,16)`.
    #[arg(long, conflicts_with_all = ["seeds", "beside"])]
    layouts: bool,
    /// Always use the interpreter. By default, long-running kernels are compiled if every instruction is supported and the result does not
    /// depend on the schedule.
    #[arg(long)]
    interpret: bool,
    /// Number of host threads for a compiled kernel. The default is one thread per core. The number of threads does not affect the results.
    #[arg(long, value_name = "N", conflicts_with = "interpret", value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: Option<u32>,
    /// Seed of the scheduler. The seed 0 selects round-robin scheduling.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = read_seed)]
    seed: Option<u64>,
    /// Start with these turns of warps and asynchronous operations, as `analyze --schedules` prints them: `0.1:35,a2` executes 35 steps of
    /// warp 1 of block 0, and completes the asynchronous operation 2.
    #[arg(long, value_name = "TURNS", conflicts_with = "seeds")]
    schedule: Option<Schedule>,
    /// Run with each of these seeds (0..100, at most a million) and report the buffers that depend on the schedule.
    #[arg(long, value_name = "FROM..TO", allow_hyphen_values = true, value_parser = seeds::read_range, conflicts_with_all = ["seed", "trace"])]
    seeds: Option<std::ops::Range<u64>>,
    /// Language of the source. By default, the command infers the language from the scenario, the file extension or the contents.
    #[arg(long = "language", alias = "front", value_enum)]
    language: Option<LanguageArg>,
    /// Run another version of the kernel with the same launch configuration, and compare the final memory.
    #[arg(long = "compare", alias = "beside", value_name = "FILE", conflicts_with_all = ["seeds", "trace", "traffic"])]
    beside: Option<PathBuf>,
    /// Name or number (from 1) of the asm block to run, or of the code object of a cubin, fatbin, object file or executable.
    #[arg(long, value_name = "NAME|N", conflicts_with_all = ["variant", "entry"])]
    block: Option<String>,
    /// Run this variant of a case instead of its first file; `all` runs the first file and all variants.
    #[arg(long, value_name = "FILE")]
    variant: Option<String>,
    #[command(flatten)]
    launch: LaunchOptions,
    #[command(flatten)]
    compiler: CompilerOptions,
    /// Exit with 0 even if the run has data races or undefined behavior, provided that all other expectations hold.
    #[arg(long)]
    allow_undefined: bool,
}

/// Parses a seed.
fn read_seed(text: &str) -> Result<u64, String> {
    let expected = |_| format!("found `{text}`, expected a nonnegative integer");
    text.parse::<u64>().map_err(expected)
}

/// Fields of a `case.json` file that are not part of a scenario.
#[derive(Debug, Default, Deserialize)]
struct TestCaseManifest {
    #[serde(default)]
    variants: Vec<Variant>,
    /// Default source file, if it is not `kernel.ptx`.
    source_file: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Variant {
    file: String,
}

impl TestCaseManifest {
    /// Returns the default source file.
    fn first(&self) -> &str {
        self.source_file.as_deref().unwrap_or("kernel.ptx")
    }

    /// Returns all source files, starting with the default file.
    fn files(&self) -> impl Iterator<Item = &str> {
        let first = self.first();
        let variants = self.variants.iter().map(|variant| variant.file.as_str());
        std::iter::once(first).chain(variants.filter(move |file| *file != first))
    }
}

/// JSON output of a run: the report, and every buffer with its values.
#[derive(Debug, Serialize)]
struct JsonRunReport<'a> {
    #[serde(flatten)]
    report: &'a RunReport,
    buffers: BTreeMap<&'a str, JsonBuffer<'a>>,
    /// Name of the executed kernel.
    kernel: &'a str,
    kernels: Vec<String>,
}

/// Contents of a buffer after the run.
#[derive(Debug, Serialize)]
struct JsonBuffer<'a> {
    #[serde(flatten)]
    digest: &'a BufferDigest,
    values: BufferValues<'a>,
}

/// Runs one file, or one test case with all its variants.
pub(crate) fn run(arguments: &RunArguments) -> io::Result<ExitKind> {
    let (scenario, facts) = match load(arguments) {
        Ok(loaded) => loaded,
        Err(reason) => {
            report_error(arguments.format == OutputFormat::Json, &reason)?;
            return Ok(ExitKind::UsageError);
        }
    };
    if let Some(reason) = misuse(arguments, &facts) {
        report_error(arguments.format == OutputFormat::Json, &reason)?;
        return Ok(ExitKind::UsageError);
    }
    let sources = sources(arguments, &facts);
    let mut outcome = ExitKind::Success;
    for source in &sources {
        let mut scenario = scenario.clone();
        if let Some(path) = source {
            scenario.source = without_mark(read_source(path)?);
            // In corpus files, the field `ptx_version` repeats the version that `kernel.ptx` specifies, so it is not an override.
            scenario.ptx_version = None;
        }
        if let Some(front) = arguments.language {
            scenario.front = front.into();
        }
        if let Some(seed) = arguments.seed {
            scenario.seed = Some(seed);
        }
        if let Some(schedule) = &arguments.schedule {
            scenario.schedule = Some(schedule.clone());
        }
        arguments.launch.apply(&mut scenario);
        let name = source
            .as_deref()
            .unwrap_or(&arguments.file)
            .display()
            .to_string();
        if let Some(path) = &arguments.beside {
            scenario.beside = Some(ComparisonKernel {
                source: without_mark(read_source(path)?),
                front: front_stated(path),
                ..ComparisonKernel::default()
            });
        }
        for scenario in scenarios_of_kernels(&arguments.launch, scenario) {
            outcome = outcome.and(match &arguments.seeds {
                Some(range) => run_seeds(arguments, &name, scenario, range.clone())?,
                None if scenario.beside.is_some() => run_beside(arguments, &name, scenario)?,
                None => run_one(arguments, &name, scenario)?,
            });
        }
    }
    Ok(outcome)
}

/// Returns one scenario per kernel for `--entry all`, and the scenario itself otherwise. The scenario of a source with errors is returned
/// unchanged, so that its errors are reported.
pub(crate) fn scenarios_of_kernels(launch: &LaunchOptions, scenario: Scenario) -> Vec<Scenario> {
    if !launch.selects_all() {
        return vec![scenario];
    }
    let Ok(session) = Session::new_without_last_writers(scenario.clone()) else {
        return vec![scenario];
    };
    let kernels = session.kernels().into_iter();
    let of_kernel = |entry| Scenario {
        entry: Some(entry),
        ..scenario.clone()
    };
    kernels.map(of_kernel).collect()
}

/// Returns a message about options that are inconsistent with the input file: a variant of a file without variants, or a trace that would
/// overwrite an input file.
fn misuse(arguments: &RunArguments, facts: &Option<TestCaseManifest>) -> Option<String> {
    let folder = arguments.file.parent().unwrap_or(Path::new("."));
    let mut read = vec![arguments.file.clone()];
    match facts {
        Some(facts) => read.extend(facts.files().map(|file| folder.join(file))),
        None if arguments.variant.is_some() => {
            return Some(format!(
                "`--variant` requires a `case.json` with the source files in the same directory, but {} is not a `case.json`",
                arguments.file.display()
            ));
        }
        None => {}
    }
    read.extend(sources(arguments, facts).into_iter().flatten());
    read.extend(arguments.beside.clone());
    let saved = arguments.save.iter().map(|save| ("--save", &save.file));
    let mut written = arguments
        .trace
        .iter()
        .map(|file| ("--trace", file))
        .chain(arguments.timeline.iter().map(|file| ("--timeline", file)))
        .chain(saved);
    written.find_map(|(option, file)| {
        let read = read.iter().find(|path| is_same_file(path, file))?;
        Some(format!(
            "{option} {} would overwrite the input file {}",
            file.display(),
            read.display()
        ))
    })
}

/// Returns the files to run, or `None` if the scenario contains its source.
fn sources(arguments: &RunArguments, facts: &Option<TestCaseManifest>) -> Vec<Option<PathBuf>> {
    let Some(facts) = facts else {
        return vec![None];
    };
    let folder = arguments.file.parent().unwrap_or(Path::new("."));
    match arguments.variant.as_deref() {
        None => vec![Some(folder.join(facts.first()))],
        Some("all") => facts.files().map(|file| Some(folder.join(file))).collect(),
        Some(file) => vec![Some(folder.join(file))],
    }
}

/// Loads a shareable scenario with its source: a file that the page has saved, a scenario, a test case with a separate source file, or a
/// source.
pub(crate) fn load_shared(path: &Path) -> Result<SharedState, String> {
    let bytes = read_bytes(path).map_err(|error| error.to_string())?;
    if is_compiled(&bytes) {
        return Ok(SharedState {
            scenario: scenario_of_compiled(path, &bytes, None)?,
            ..SharedState::default()
        });
    }
    let text = without_mark(text_of(path, bytes).map_err(|error| error.to_string())?);
    if is_json(path) && is_shared(&text) {
        let shared = warpgrid_share::read_file(&text);
        return shared.map_err(|reason| format!("{}: {reason}", path.display()));
    }
    let (mut scenario, facts) = read(path, text)?;
    if let Some(facts) = facts {
        let folder = path.parent().unwrap_or(Path::new("."));
        let source = read_source(&folder.join(facts.first()));
        scenario.source = without_mark(source.map_err(|error| error.to_string())?);
        scenario.ptx_version = None;
    }
    Ok(SharedState {
        scenario,
        ..SharedState::default()
    })
}

/// Returns the scenario of a code object in a compiled file: the named code object, the first PTX source, or the listing of a file without
/// PTX.
fn scenario_of_compiled(path: &Path, bytes: &[u8], name: Option<&str>) -> Result<Scenario, String> {
    let source = embedded::source_of(bytes, name).and_then(|ptx| match ptx {
        Some(source) => Ok((SourceLanguage::Ptx, source)),
        None => Ok((SourceLanguage::Sass, disassemble::listing(path)?)),
    });
    let (front, source) = source.map_err(|reason| format!("{}: {reason}", path.display()))?;
    Ok(Scenario {
        source,
        front,
        ..Scenario::default()
    })
}

/// Checks whether a file is JSON by its extension.
pub(crate) fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "json")
}

/// Checks whether a JSON text is a file that the page has saved. Such a file contains the version of the file format.
fn is_shared(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Version {
        warpgrid: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str(text).is_ok_and(|Version { warpgrid }| warpgrid.is_some())
}

/// Loads a scenario. If the source is in a separate file, also returns the additional fields of the corpus file.
fn load(arguments: &RunArguments) -> Result<(Scenario, Option<TestCaseManifest>), String> {
    let path = arguments.file.as_path();
    if is_cuda(path) && arguments.compiler.is_requested() {
        return Ok((arguments.compiler.compile(path)?, None));
    }
    let bytes = read_bytes(path).map_err(|error| error.to_string())?;
    let block = arguments.block.as_deref();
    if is_compiled(&bytes) {
        return Ok((scenario_of_compiled(path, &bytes, block)?, None));
    }
    let text = text_of(path, bytes).map_err(|error| error.to_string())?;
    if is_cuda(path) && block.is_none() && !has_asm_blocks(&text) {
        return Ok((arguments.compiler.compile(path)?, None));
    }
    // The assembler rejects a byte-order mark, but the mark does not prevent a run.
    let (mut scenario, facts) = read(path, without_mark(text))?;
    if let Some(block) = block {
        scenario.entry = Some(embedded::part_name(&scenario, block)?);
    }
    Ok((scenario, facts))
}

/// Parses the text of a file: a scenario, a corpus file, or a source.
fn read(path: &Path, text: String) -> Result<(Scenario, Option<TestCaseManifest>), String> {
    if !is_json(path) {
        return Ok((
            Scenario {
                front: front_of(path, &text),
                source: text,
                ..Scenario::default()
            },
            None,
        ));
    }
    if is_shared(&text) {
        let shared = warpgrid_share::read_file(&text);
        let scenario = shared.map(|shared| (shared.into_scenario(), None));
        return scenario.map_err(|reason| format!("{}: {reason}", path.display()));
    }
    read_scenario(&text).map_err(|error| format!("{}: not a scenario: {error}", path.display()))
}

/// Parses a scenario, or a corpus file, which has additional fields and does not contain the source.
fn read_scenario(text: &str) -> Result<(Scenario, Option<TestCaseManifest>), serde_json::Error> {
    let mut object: Map<String, Value> = serde_json::from_str(text)?;
    let is_script = spell_as_files(&mut object);
    let is_case = !object.contains_key("source");
    let keys = object.keys().cloned();
    if let Some(reason) = unknown_field::<Scenario>(keys, CASE_FACTS) {
        return Err(serde_json::Error::custom(reason));
    }
    // Errors have line numbers only if the scenario is deserialized directly from the text.
    let scenario = match is_script {
        true => Scenario::deserialize(Value::Object(object))?,
        false => serde_json::from_str(text)?,
    };
    let facts = is_case.then(|| serde_json::from_str(text)).transpose()?;
    Ok((scenario, facts))
}

/// Converts the field names of an object and all nested objects from the JavaScript spelling to the file spelling, such as `dynamicShared`
/// to `dynamic_shared`. Returns whether a name was converted.
fn spell_as_files(object: &mut Map<String, Value>) -> bool {
    let mut is_changed = false;
    let members = std::mem::take(object).into_iter();
    *object = members
        .map(|(key, mut value)| {
            is_changed |= match &mut value {
                Value::Object(inner) => spell_as_files(inner),
                Value::Array(list) => spell_list_as_files(list),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
            };
            let spelled = snake_cased(&key);
            is_changed |= spelled != key;
            (spelled, value)
        })
        .collect();
    is_changed
}

fn spell_list_as_files(list: &mut [Value]) -> bool {
    let mut is_changed = false;
    for object in list.iter_mut().filter_map(Value::as_object_mut) {
        is_changed |= spell_as_files(object);
    }
    is_changed
}

fn snake_cased(name: &str) -> String {
    let mut spelled = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            spelled.push('_');
        }
        spelled.push(letter.to_ascii_lowercase());
    }
    spelled
}

fn run_one(arguments: &RunArguments, name: &str, scenario: Scenario) -> io::Result<ExitKind> {
    let source = scenario.source.clone();
    // Saved drawings show the last writers, so a run that saves a file requires last-writer tracking.
    let open = match arguments.save.is_empty() {
        true => Session::new_without_last_writers,
        false => Session::new,
    };
    let mut session = match open(scenario) {
        Ok(session) => session,
        Err(error) => return report_failure(arguments.format, name, &source, &error),
    };
    if let Some(path) = &arguments.trace {
        trace(&mut session, arguments, path)?;
    }
    if let Some(path) = &arguments.timeline {
        write_timeline(&mut session, arguments.max_steps, path)?;
    }
    let is_json = arguments.format == OutputFormat::Json;
    let engine = match is_watched(arguments) {
        true => None,
        false => engine::run(&mut session, arguments.max_steps, arguments.threads),
    };
    let mut report = session.report(&ReportRequest {
        max_steps: arguments.max_steps,
        // JSON output always includes the traffic counts.
        traffic: arguments.traffic || is_json,
        races: arguments.races,
        layouts: arguments.layouts,
        digests: is_json,
        allow_undefined: arguments.allow_undefined,
    });
    let ran = session.scenario().entry.clone().unwrap_or_default();
    if !arguments.launch.selects_all() {
        report.notes.extend(kernels_text(&ran, &session.kernels()));
    }
    let unsaved = save::write(&mut session, &arguments.save)?;
    report.ok &= unsaved.is_empty();
    report.notes.extend(unsaved.iter().cloned());
    report.differences.extend(unsaved);
    let mut out = stdout();
    match is_json {
        true => write_json(&mut out, &mut report, &session)?,
        false => {
            let name = match session.kernels().len() {
                0 | 1 => name.to_owned(),
                _ => format!("{name}: {ran}"),
            };
            print(&mut out, &name, &report, &session)?;
            if let Some(engine) = engine {
                writeln!(out, "  {engine}")?;
            }
        }
    }
    let ok = report.ok;
    out.flush()?;
    Ok(if ok {
        ExitKind::Success
    } else {
        ExitKind::Failure
    })
}

/// Checks whether an option requires execution in single steps, or requests the interpreter.
fn is_watched(arguments: &RunArguments) -> bool {
    arguments.interpret
        || arguments.trace.is_some()
        || arguments.timeline.is_some()
        || !arguments.save.is_empty()
        || arguments.traffic
        || arguments.races
        || arguments.layouts
        // JSON output always includes the traffic counts.
        || arguments.format == OutputFormat::Json
}

/// Writes the report as a line of JSON.
fn write_json(out: &mut impl Write, report: &mut RunReport, session: &Session) -> io::Result<()> {
    let digests = report.buffers.take().unwrap_or_default();
    let buffers = session.buffers();
    let written = buffers.iter().filter_map(|buffer| {
        let digest = digests.get(&buffer.name)?;
        let values = session.values_of(buffer);
        Some((buffer.name.as_str(), JsonBuffer { digest, values }))
    });
    let buffers = written.collect();
    let written = JsonRunReport {
        report,
        buffers,
        kernel: session.scenario().entry.as_deref().unwrap_or_default(),
        kernels: session.kernels(),
    };
    serde_json::to_writer(&mut *out, &written)?;
    writeln!(out)
}

/// Prints the report as text.
fn print(
    out: &mut impl Write,
    name: &str,
    report: &RunReport,
    session: &Session,
) -> io::Result<()> {
    let counts = match (report.steps, report.stores) {
        (Some(steps), Some(stores)) => {
            let (steps, stores) = (counted(steps, "step"), counted(stores, "store"));
            format!("{steps}, {stores}")
        }
        _ => counted(report.lane_instructions, "executed lane-instruction"),
    };
    writeln!(out, "{name}: {counts}: {}", verdict(report, session))?;
    print_reasons(out, report)?;
    print_values(out, report, session)?;
    if let Some(hang) = &report.hang {
        writeln!(out, "  hang: {}", hang.message)?;
    }
    races::print(out, report.races.as_deref(), session)?;
    if let Some(traffic) = &report.traffic {
        traffic::print(out, traffic)?;
    }
    if let Some(layouts) = &report.layouts {
        out.write_all(layouts_text(layouts).as_bytes())?;
    }
    Ok(())
}

/// Prints the registers that a snippet has written, and the changed elements of memories for which the scenario states no expectation.
fn print_values(out: &mut impl Write, report: &RunReport, session: &Session) -> io::Result<()> {
    const MAX_MEMORIES: usize = 8;
    for register in &report.registers {
        writeln!(out, "  {register}")?;
    }
    let changed = match session.restart_without_last_writers() {
        Ok(start) => session.changed_memories(&start),
        Err(_) => Vec::new(),
    };
    for memory in changed.iter().take(MAX_MEMORIES) {
        for range in &memory.ranges {
            writeln!(out, "  {range}")?;
        }
        let n_listed: u64 = memory.ranges.iter().map(|range| range.n_elements).sum();
        let n_more = memory.n_elements - n_listed;
        if n_more > 0 {
            let elements = counted(n_more, "more element");
            writeln!(out, "  {}: {elements} modified", memory.title)?;
        }
    }
    let n_more = changed.len().saturating_sub(MAX_MEMORIES);
    if n_more > 0 {
        writeln!(
            out,
            "  {n_more} further modified buffers and variables are not listed"
        )?;
    }
    Ok(())
}

/// Prints the fault, its causes, the differences from the expected memory, and the notes of the run, with one line for each.
fn print_reasons(out: &mut impl Write, report: &RunReport) -> io::Result<()> {
    let fault = report.fault.as_ref();
    let stop = fault.map(|fault| format!("line {}: {}", fault.line, fault.message));
    let causes = fault.map_or(&[][..], |fault| &fault.causes).iter();
    let causes = causes.map(|cause| {
        let CauseView { step, range, text } = cause;
        format!("line {}, step {step}: {text}", range.line)
    });
    // The fault has already been printed with its source line, so it is not printed again as a difference.
    let is_said = |line: &&String| fault.is_some_and(|fault| line.ends_with(&fault.message));
    let wrong = report.differences.iter().filter(|line| !is_said(line));
    let is_note = |line: &&String| !report.differences.contains(line);
    let notes = report.notes.iter().filter(is_note);
    let lines = wrong.chain(notes).cloned();
    for line in stop.into_iter().chain(causes).chain(lines) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// Returns the language of a file by its extension, or `None` if the contents determine the language.
fn front_stated(path: &Path) -> Option<SourceLanguage> {
    match path.extension()?.to_str()? {
        "ptx" => Some(SourceLanguage::Ptx),
        "sass" => Some(SourceLanguage::Sass),
        _ => None,
    }
}

/// Runs two versions of a kernel with the same launch configuration, and compares their final memory.
fn run_beside(arguments: &RunArguments, name: &str, scenario: Scenario) -> io::Result<ExitKind> {
    let second = scenario.beside.as_ref().map(|beside| beside.source.clone());
    let sources = [scenario.source.clone(), second.unwrap_or_default()];
    let path = arguments.beside.as_ref().map(|path| path.display());
    let other = path.map_or_else(|| "kernel B".to_owned(), |path| path.to_string());
    let names = [name, &other];
    let pair = PairedRun::new(scenario, arguments.max_steps).map(|mut pair| {
        while !pair.advance(u64::MAX) {}
        (pair.report(), pair.guesses().to_vec())
    });
    match pair {
        Ok((report, guesses)) => compare::print(arguments.format, names, &report, &guesses),
        Err(ComparisonError { side, error }) => {
            report_failure(arguments.format, names[side], &sources[side], &error)
        }
    }
}

/// Runs one file with several scheduler seeds.
fn run_seeds(
    arguments: &RunArguments,
    name: &str,
    scenario: Scenario,
    range: std::ops::Range<u64>,
) -> io::Result<ExitKind> {
    let source = scenario.source.clone();
    let session = Session::new_without_last_writers(scenario.clone());
    let guesses = session.map_or(Vec::new(), |session| {
        session.inferred_annotations().to_vec()
    });
    match seeds::search(scenario, range, arguments.max_steps) {
        Ok(report) => seeds::print(arguments.format, name, &report, &guesses),
        Err(error) => report_failure(arguments.format, name, &source, &error),
    }
}

/// Formats the outcome of a run in two words.
fn verdict(report: &RunReport, session: &Session) -> &'static str {
    let races = report.races.iter().flatten();
    let has_race = report.fault.is_none() && races.into_iter().any(RaceView::is_undefined);
    let is_undefined = report.fault.is_none() && report.hang.is_some();
    match (report.ok, session.has_expectation()) {
        (true, true) => "all expectations passed",
        (true, false) => "completed",
        (false, _) if !session.is_finished() => "not finished",
        (false, _) if has_race => "data race",
        (false, _) if is_undefined => "undefined behavior",
        (false, true) => "differs",
        // Without an expectation, a completed run fails only because a memory cannot be saved.
        (false, false) if report.fault.is_none() => "completed, but not saved",
        (false, false) => "stopped",
    }
}

/// Runs a session in windows of steps, and writes the stores of each window to a file.
fn trace(session: &mut Session, arguments: &RunArguments, path: &Path) -> io::Result<()> {
    const WINDOW: u64 = 4096;
    let max_steps = arguments.max_steps;
    let mut file = BufWriter::new(File::create(path).map_err(|error| about(path, error))?);
    while !session.is_finished() && session.position() < max_steps {
        let from = session.position();
        session.run(WINDOW.min(max_steps - from));
        let to = session.position();
        match arguments.compact {
            true => write_json_lines(&mut file, &session.compact_events(from, to))?,
            false => write_json_lines(&mut file, &session.events(from, to))?,
        }
        if session.position() == from {
            break;
        }
    }
    for register in session.register_results() {
        serde_json::to_writer(&mut file, &serde_json::json!({ "register": register }))?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

/// Writes one line of JSON per value.
fn write_json_lines(file: &mut impl Write, values: &[impl Serialize]) -> io::Result<()> {
    for value in values {
        serde_json::to_writer(&mut *file, value)?;
        file.write_all(b"\n")?;
    }
    Ok(())
}

/// Runs a session from its start, and writes its timeline to a file.
fn write_timeline(session: &mut Session, max_steps: u64, path: &Path) -> io::Result<()> {
    session.run_for_timeline(max_steps);
    let timeline = session
        .timeline(TimelineOptions::default())
        .map_err(|error| io::Error::other(error.message))?;
    std::fs::write(path, chrome_trace(&timeline)).map_err(|error| about(path, error))
}

/// Reports that a scenario cannot run, with the diagnostics or the message of the error.
pub(crate) fn report_failure(
    format: OutputFormat,
    name: &str,
    source: &str,
    error: &RequestError,
) -> io::Result<ExitKind> {
    let mut out = stdout();
    if format == OutputFormat::Json {
        let answer = serde_json::json!({"ok": false, "fault": null, "buffers": {}, "steps": 0, "stores": 0, "lane_instructions": 0,
            "notes": [error.message], "code": error.code, "diagnostics": error.diagnostics});
        writeln!(out, "{answer}")?;
        out.flush()?;
        return Ok(ExitKind::Failure);
    }
    let renderer = renderer();
    let shown = NamedSource::new(name, source);
    for diagnostic in error
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
    {
        writeln!(out, "{}\n", render(&shown, diagnostic, &renderer))?;
    }
    writeln!(
        out,
        "{name}: cannot run: {} ({})",
        error.message, error.code
    )?;
    out.flush()?;
    Ok(ExitKind::Failure)
}
