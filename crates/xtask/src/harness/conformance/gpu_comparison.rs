//! Compares the results of the emulator with the results of the local GPU for compiled kernels, arithmetic instructions and litmus tests.

use super::arithmetic;
use super::{Options, ReferenceCollection, Result};
use crate::gpu::{GpuBatch, GpuLaunch, GpuOutcome, GpuResult};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use warpgrid_launch::expect::compare;
use warpgrid_view::{Parameter, Scenario};

/// Directories of kernels with their launches, relative to the repository root. An entry of a directory contains one kernel as a directory
/// or a source file, or contains a family of kernels in one file.
const CASES: &[&str] = &["crates/view/tests/corpus", "crates/view/tests/tensor"];
/// Files with the litmus tests of the memory model: the full collection, and the sample in the repository.
const LITMUS: [&str; 2] = [
    "../shared/litmus/litmus.jsonl",
    "crates/view/tests/data/litmus.jsonl",
];

/// Batch of launches for the GPU, with the expected results.
#[derive(Default)]
struct GpuQuestion {
    questions: GpuBatch,
    cases: HashMap<String, Scenario>,
    litmus: HashMap<String, Litmus>,
}

/// Litmus test, with the memory locations of its outcome and the outcomes that the memory model allows.
struct Litmus {
    /// Byte offset within the concatenated buffers, and width in bytes, of each number of an outcome.
    observed: Vec<(usize, usize)>,
    /// Allowed outcomes; `None` if the test specifies no outcomes.
    allowed: Option<Vec<Vec<u64>>>,
}

/// Runs the launches on the GPU and prints the differences. Returns true if there are none.
pub(super) fn compare_with_gpu(options: &Options) -> Result<bool> {
    let mut question = GpuQuestion::default();
    if options.includes(ReferenceCollection::Cases) {
        let folders = CASES.iter().map(PathBuf::from);
        let folders = options
            .cases
            .as_ref()
            .map_or_else(|| folders.collect(), |own| vec![own.clone()]);
        for folder in folders {
            question.add_cases(&folder, options.family.as_deref())?;
        }
    }
    let mut forms = Vec::new();
    if options.includes(ReferenceCollection::Arithmetic) {
        forms = arithmetic::read(&options.arithmetic, options.family.as_deref())?;
        for (index, form) in forms.iter().enumerate() {
            let scenario = arithmetic::launch(form).map_err(|error| error.to_string())?;
            question.add(format!("arithmetic {index}"), scenario, None);
        }
    }
    if options.includes(ReferenceCollection::Litmus) {
        let collection = LITMUS.iter().map(Path::new).find(|file| file.exists());
        question.add_litmus(collection.unwrap_or(Path::new(LITMUS[1])), options)?;
    }
    let Some(answers) = question.questions.ask(&options.transfer)? else {
        return Ok(true);
    };
    let mut equal = true;
    let mut counts = LitmusCounts::default();
    for answer in &answers {
        let reason = question.difference(answer, &forms, options);
        counts.add(&answer.found, reason.is_some());
        if let Some(reason) = reason {
            println!("{}: {reason}", answer.name);
            equal = false;
        }
    }
    println!(
        "{} launches: {} produce identical memory, {} differ, {} do not run on this GPU",
        answers.len(),
        counts.equal,
        counts.different,
        counts.stopped
    );
    Ok(equal)
}

#[derive(Default)]
struct LitmusCounts {
    equal: usize,
    different: usize,
    stopped: usize,
}

impl LitmusCounts {
    fn add(&mut self, found: &GpuOutcome, differs: bool) {
        match found {
            _ if differs => self.different += 1,
            GpuOutcome::Stopped(_) => self.stopped += 1,
            GpuOutcome::Equal | GpuOutcome::Differs(_) | GpuOutcome::Counted(_) => self.equal += 1,
        }
    }
}

impl GpuQuestion {
    /// Adds all kernels of a directory, or only the kernels of one family.
    fn add_cases(&mut self, folder: &Path, family: Option<&str>) -> Result<()> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            println!(
                "the directory {} does not exist, so compiled kernels are not compared",
                folder.display()
            );
            return Ok(());
        };
        let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        folders.sort();
        for folder in folders {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if family.is_some_and(|family| !name.starts_with(family)) {
                continue;
            }
            let file = folder.join("case.json");
            if file.exists() {
                self.add_case(&name, &folder, &read(&file)?)?;
            } else if name.ends_with(".json.gz") {
                self.add_family(&folder)?;
            } else if name.ends_with(".ptx") {
                let scenario = Scenario {
                    source: read(&folder)?,
                    ..Scenario::default()
                };
                self.add_text(&name, scenario);
            }
        }
        Ok(())
    }

    fn add_family(&mut self, file: &Path) -> Result<()> {
        let about = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        let opened = std::fs::File::open(file).map_err(|error| about(&error))?;
        let cases: Vec<Value> =
            serde_json::from_reader(GzDecoder::new(opened)).map_err(|error| about(&error))?;
        for case in cases {
            let scenario: Scenario =
                serde_json::from_value(case["case"].clone()).map_err(|error| about(&error))?;
            let texts = case["texts"].as_object().into_iter().flatten();
            for (text, source) in texts {
                let name = format!("{}/{text}", scenario.name);
                let scenario = Scenario {
                    source: source.as_str().unwrap_or_default().to_owned(),
                    ptx_version: None,
                    target: None,
                    ..scenario.clone()
                };
                self.add_text(&name, scenario);
            }
        }
        Ok(())
    }

    fn add_case(&mut self, name: &str, folder: &Path, text: &str) -> Result<()> {
        let about = |error: serde_json::Error| format!("{name}: {error}");
        let facts: Value = serde_json::from_str(text).map_err(about)?;
        let scenario: Scenario = serde_json::from_str(text).map_err(about)?;
        let mut texts = vec![facts["source_file"].as_str().unwrap_or("kernel.ptx")];
        let variants = facts["variants"].as_array().map_or(&[][..], Vec::as_slice);
        texts.extend(
            variants
                .iter()
                .filter_map(|variant| variant["file"].as_str()),
        );
        for text in texts {
            let scenario = Scenario {
                source: read(&folder.join(text))?,
                ptx_version: None,
                target: None,
                ..scenario.clone()
            };
            self.add_text(&format!("{name}/{text}"), scenario);
        }
        Ok(())
    }

    fn add_text(&mut self, name: &str, scenario: Scenario) {
        self.cases.insert(name.to_owned(), scenario.clone());
        self.add(name.to_owned(), scenario, None);
    }

    fn add(&mut self, name: String, scenario: Scenario, times: Option<u64>) {
        let source = scenario.source.clone();
        let launch = GpuLaunch {
            name,
            scenario,
            times,
        };
        self.questions.add(&source, &[launch]);
    }

    /// Adds the litmus tests of a file. Each test is launched many times.
    fn add_litmus(&mut self, file: &Path, options: &Options) -> Result<()> {
        if !file.exists() {
            println!(
                "the file {} does not exist, so litmus tests are not compared",
                file.display()
            );
            return Ok(());
        }
        for line in super::case::lines(file)? {
            let value: Value = serde_json::from_str(&line).map_err(|error| error.to_string())?;
            let name = value["name"].as_str().unwrap_or_default();
            if options
                .family
                .as_ref()
                .is_some_and(|family| !name.starts_with(family))
            {
                continue;
            }
            let Some((scenario, litmus)) = litmus_test(&value) else {
                self.questions
                    .left_out
                    .push((name.to_owned(), "unknown form".to_owned()));
                continue;
            };
            self.add(name.to_owned(), scenario, Some(options.n_launches));
            self.litmus.insert(name.to_owned(), litmus);
        }
        Ok(())
    }

    /// Describes how a GPU result differs from the expected result. Returns `None` if the results agree.
    fn difference(
        &self,
        answer: &GpuResult,
        forms: &[arithmetic::Form],
        options: &Options,
    ) -> Option<String> {
        match &answer.found {
            GpuOutcome::Equal => None,
            GpuOutcome::Stopped(reason) if options.all => Some(reason.clone()),
            GpuOutcome::Stopped(_) => None,
            GpuOutcome::Counted(counts) => self.litmus.get(&answer.name)?.difference(counts),
            GpuOutcome::Differs(buffers) => {
                if let Some(index) = answer.name.strip_prefix("arithmetic ") {
                    let form = forms.get(index.parse::<usize>().ok()?)?;
                    return arithmetic::describe_gpu(form, buffers.get("out")?, options.n_shown);
                }
                let scenario = self.cases.get(&answer.name)?;
                let wrong: Vec<String> = buffers
                    .iter()
                    .filter_map(|(name, bytes)| wrong_memory(scenario, name, bytes))
                    .collect();
                (!wrong.is_empty()).then(|| wrong.join("; "))
            }
        }
    }
}

/// Describes how the contents of a buffer contradict the expected values. If a buffer has no expected values, the function compares the
/// contents with the contents in the emulator.
fn wrong_memory(scenario: &Scenario, name: &str, bytes: &[u8]) -> Option<String> {
    let buffer = scenario
        .params
        .iter()
        .find_map(|parameter| match parameter {
            Parameter::Buffer(buffer) if buffer.name == name => Some(buffer),
            _ => None,
        });
    let promised = buffer.filter(|buffer| buffer.expect.is_some() || buffer.one_of.is_some());
    let Some(buffer) = promised else {
        return Some(format!("{name} differs"));
    };
    match compare(buffer, bytes) {
        Ok(None) => None,
        Ok(Some(wrong)) => Some(format!(
            "{name}[{}] is {}, expected {} ({} differ)",
            wrong.index, wrong.found, wrong.expected, wrong.n_wrong
        )),
        Err(reason) => Some(reason),
    }
}

impl Litmus {
    /// Describes the observed outcomes that the memory model forbids.
    fn difference(&self, counts: &[(Vec<u8>, u64)]) -> Option<String> {
        let allowed = self.allowed.as_ref()?;
        let mut forbidden = Vec::new();
        for (bytes, n) in counts {
            let outcome: Vec<u64> = self
                .observed
                .iter()
                .map(|(start, width)| number(bytes.get(*start..start + width).unwrap_or(&[])))
                .collect();
            if !allowed.contains(&outcome) {
                forbidden.push(format!("{outcome:?} {n} times"));
            }
        }
        (!forbidden.is_empty()).then(|| format!("not allowed: {}", forbidden.join(", ")))
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Returns the launch of a litmus test and the memory locations of its outcome.
fn litmus_test(test: &Value) -> Option<(Scenario, Litmus)> {
    let mut params = Vec::new();
    // Each entry consists of a buffer name, a byte offset within the concatenated buffers, and an element width.
    let mut places: Vec<(&str, usize, usize)> = Vec::new();
    let mut start = 0;
    for location in test["locations"].as_array()? {
        if location["space"] != "global" {
            continue;
        }
        let (name, ty) = (location["name"].as_str()?, location["type"].as_str()?);
        let init = location["init"].as_array()?;
        let width = ty
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .parse::<usize>()
            .ok()?
            / 8;
        places.push((name, start, width));
        start += init.len() * width;
        params.push(serde_json::json!({
            "kind": "buffer", "name": format!("p_{name}"), "type": ty, "len": init.len(), "init": init,
        }));
    }
    let observe: Vec<&str> = test["observe"]
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let n_registers = observe.iter().filter(|what| what.contains(':')).count();
    params.push(serde_json::json!({
        "kind": "buffer", "name": "p_out", "type": "u64", "len": n_registers.max(1), "init": [],
    }));
    let mut n_before = 0;
    let mut observed = Vec::new();
    for what in observe {
        if what.contains(':') {
            observed.push((start + 8 * n_before, 8));
            n_before += 1;
            continue;
        }
        let (name, index) = what.strip_suffix(']')?.split_once('[')?;
        let (_, start, width) = places.iter().find(|(place, ..)| *place == name)?;
        observed.push((start + index.parse::<usize>().ok()? * width, *width));
    }
    let scenario = serde_json::from_value(serde_json::json!({
        "source": test["module"], "grid": test["grid"], "block": test["block"], "cluster": test["cluster"], "params": params,
    }));
    let allowed = test["allowed"].as_array().map(|outcomes| {
        let numbers = |outcome: &Value| {
            let values = outcome.as_array().map_or(&[][..], Vec::as_slice).iter();
            values.filter_map(Value::as_u64).collect()
        };
        outcomes.iter().map(numbers).collect()
    });
    Some((scenario.ok()?, Litmus { observed, allowed }))
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}
