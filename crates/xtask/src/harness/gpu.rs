//! Runs PTX scenarios on the local GPU and compares the final memory with the final memory in the emulator. The Python script `gpu/ask.py`
//! launches the kernels through the CUDA driver API.

use crate::Result;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, Crc};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use warpgrid_differential::files;
use warpgrid_emulator::{BufferContents, BufferInit, KernelArgument, PointerRelocation};
use warpgrid_launch::prepare::{LaunchDescription, describe};
use warpgrid_launch::scenario::{Buffer, TexelArray};
use warpgrid_program::{FrontEnd, Overrides};
use warpgrid_view::{MemoryKey, Parameter, Scenario, Session};

/// Path of the script that calls the driver, relative to the repository root.
const SCRIPT: &str = "crates/xtask/src/harness/gpu/ask.py";
/// Step limit of the emulator. No compared kernel reaches this limit.
const MAX_STEPS: u64 = 20_000_000;

/// Files for launches on a GPU in another machine.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Transfer {
    /// Writes the launches to FILE. To run the launches on another machine, run `python3 crates/xtask/src/harness/gpu/ask.py FILE ANSWERS` on
    /// that machine.
    #[arg(long, value_name = "FILE")]
    pub(crate) questions: Option<PathBuf>,
    /// Reads the results of these launches from FILE.
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
}

impl Transfer {
    /// Returns whether the launches run on a GPU in another machine.
    pub(crate) fn is_file(&self) -> bool {
        self.questions.is_some() || self.answers.is_some()
    }
}

/// Batch of kernel launches for the GPU.
#[derive(Debug, Default)]
pub(crate) struct GpuBatch {
    modules: Vec<Value>,
    /// Names of the skipped launches with the reasons.
    pub(crate) left_out: Vec<(String, String)>,
}

/// One launch of a kernel in a module.
#[derive(Clone, Debug)]
pub(crate) struct GpuLaunch {
    pub(crate) name: String,
    /// Scenario of the launch. The source of the scenario is the source of the module.
    pub(crate) scenario: Scenario,
    /// Number of launches whose results are counted; `None` for a single launch whose memory is compared.
    pub(crate) times: Option<u64>,
}

/// Result of one launch on the GPU.
#[derive(Clone, Debug)]
pub(crate) struct GpuResult {
    pub(crate) name: String,
    pub(crate) found: GpuOutcome,
}

/// Outcome of one launch on the GPU.
#[derive(Clone, Debug)]
pub(crate) enum GpuOutcome {
    /// The contents of all buffers equal the contents in the emulator.
    Equal,
    /// Contents of the buffers that differ from the contents in the emulator, by buffer name.
    Differs(BTreeMap<String, Vec<u8>>),
    /// Number of occurrences of each final memory. A final memory is the concatenation of the contents of all buffers.
    Counted(Vec<(Vec<u8>, u64)>),
    /// The driver rejects the module or the launch, the launch faults, or the launch exceeds the time limit.
    Stopped(String),
}

impl GpuBatch {
    /// Adds the launches of one module to the batch. The expected memory of each launch is the final memory in the emulator.
    pub(crate) fn add(&mut self, source: &str, launches: &[GpuLaunch]) {
        let mut asked = Vec::new();
        for launch in launches {
            match question(source, launch) {
                Ok(question) => asked.push(question),
                Err(reason) => self.left_out.push((launch.name.clone(), reason)),
            }
        }
        if !asked.is_empty() {
            self.modules
                .push(json!({ "ptx": without_facts(source), "launches": asked }));
        }
    }

    /// Prints the skipped launches and runs the other launches. Returns `None` if the function only writes the launches to a file.
    pub(crate) fn ask(&self, options: &Transfer) -> Result<Option<Vec<GpuResult>>> {
        for (name, reason) in &self.left_out {
            println!("not launched: {name}: {reason}");
        }
        if self.modules.is_empty() {
            return Err("no launches".to_owned());
        }
        if let Some(answers) = &options.answers {
            return read(answers).map(Some);
        }
        if let Some(file) = &options.questions {
            self.write(file)?;
            println!("wrote {} modules", self.modules.len());
            return Ok(None);
        }
        let folder = files::TempDir::new("gpu")?;
        let [questions, answers] = [folder.file(0), folder.file(1)];
        self.write(&questions)?;
        let mut python = Command::new("python3");
        python.arg(SCRIPT).arg(&questions).arg(&answers);
        let status = python
            .status()
            .map_err(|error| format!("python3: {error}"))?;
        match status.success() {
            true => read(&answers).map(Some),
            false => Err("the GPU was not used".to_owned()),
        }
    }

    fn write(&self, file: &Path) -> Result<()> {
        let about = |error: std::io::Error| format!("{}: {error}", file.display());
        let mut to = GzEncoder::new(File::create(file).map_err(about)?, Compression::default());
        for module in &self.modules {
            writeln!(to, "{module}").map_err(about)?;
        }
        to.finish().map_err(about)?;
        Ok(())
    }
}

/// Returns a source without its launch annotations, which the script does not read.
fn without_facts(source: &str) -> String {
    let lines = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//@"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Serializes one launch as JSON for the script.
fn question(source: &str, launch: &GpuLaunch) -> Result<Value> {
    let GpuLaunch { name, times, .. } = launch;
    let scenario = Scenario {
        source: source.to_owned(),
        ..launch.scenario.clone()
    };
    let mut session = Session::new_without_last_writers(scenario).map_err(|error| error.message)?;
    let is_over = session.run(MAX_STEPS);
    if let Some(fault) = session.fault() {
        return Err(format!(
            "the execution in the emulator stops: {}",
            fault.message
        ));
    }
    if !is_over {
        return Err("the run does not terminate in the emulator within the step limit".to_owned());
    }
    let completed = session.scenario().clone();
    let program = warpgrid_ptx::Ptx
        .check(source, &Overrides::default())
        .program;
    let program = program.ok_or("the source is rejected")?;
    let described = describe(&completed, &program).map_err(|problem| problem.message)?;
    let LaunchDescription {
        launch,
        buffers,
        parameters,
    } = described;
    if !launch.multicasts.is_empty() {
        return Err("the kernel requires several devices".to_owned());
    }
    let memory = |buffer: &Buffer| {
        let bytes = session.memory(&MemoryKey::from(buffer.name.as_str()));
        bytes
            .map(sum)
            .ok_or_else(|| format!("{} does not exist", buffer.name))
    };
    let mut all = Vec::new();
    for (buffer, init) in buffers.iter().zip(&launch.buffers) {
        let array = completed
            .arrays
            .iter()
            .find(|array| array.name == buffer.name);
        all.push(memory_json(init, array, memory(buffer)?)?);
    }
    let arguments = launch.arguments.iter().zip(parameters);
    let arguments: Vec<Value> = arguments
        .map(|(argument, parameter)| argument_json(argument, parameter))
        .collect();
    let function = &program.functions[launch.entry.0 as usize];
    Ok(json!({
        "name": name,
        "entry": completed.entry,
        "grid": launch.grid,
        "block": launch.block,
        "cluster": launch.cluster,
        // If the kernel declares a cluster size, the launch must not specify the cluster size again.
        "required": function.bounds.required_cluster.is_some(),
        "shared": launch.dynamic_shared_bytes,
        "repeat": times,
        "buffers": all,
        "arguments": arguments,
    }))
}

fn memory_json(init: &BufferInit, array: Option<&TexelArray>, after: u32) -> Result<Value> {
    let mut value = match &init.contents {
        BufferContents::Bytes(bytes) => json!({ "bytes": hex(bytes) }),
        BufferContents::Shared(bytes) => json!({ "bytes": hex(bytes) }),
        BufferContents::Zeroed(size) => json!({ "size": size }),
        BufferContents::Fill {
            size_bytes,
            pattern,
        } => json!({ "size": size_bytes, "pattern": hex(pattern) }),
    };
    value["name"] = json!(init.name);
    value["after"] = json!(after);
    value["pointers"] = pointers_json(&init.pointers);
    if let Some(array) = array {
        value["array"] = serde_json::to_value(array).map_err(|error| error.to_string())?;
    }
    Ok(value)
}

fn argument_json(argument: &KernelArgument, parameter: &Parameter) -> Value {
    let mut value = json!({
        "bytes": hex(&argument.bytes),
        "pointers": pointers_json(&argument.pointers),
    });
    if let Parameter::Tensormap(_) | Parameter::Texture(_) | Parameter::Surface(_) = parameter {
        value["object"] = serde_json::to_value(parameter).unwrap_or_default();
    }
    value
}

fn pointers_json(pointers: &[PointerRelocation]) -> Value {
    let pointers = pointers.iter().map(|pointer| {
        json!({
            "at": pointer.byte_offset,
            "buffer": pointer.buffer.0,
            "add": pointer.addend,
        })
    });
    pointers.collect()
}

fn read(file: &Path) -> Result<Vec<GpuResult>> {
    let about = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut text = String::new();
    let from = GzDecoder::new(File::open(file).map_err(about)?);
    BufReader::new(from)
        .read_to_string(&mut text)
        .map_err(about)?;
    let mut answers = Vec::new();
    // The first line of the output describes the GPU.
    for line in text.as_bytes().lines().skip(1) {
        let line = line.map_err(about)?;
        answers.push(answer(&line).ok_or_else(|| format!("{line}: no result"))?);
    }
    Ok(answers)
}

fn answer(line: &str) -> Option<GpuResult> {
    let value: Value = serde_json::from_str(line).ok()?;
    let state = value["state"].as_str()?;
    let found = match state {
        "equal" => GpuOutcome::Equal,
        "differs" => {
            let buffers = value["buffers"].as_object()?.iter();
            let buffers =
                buffers.map(|(name, bytes)| Some((name.clone(), unhex(bytes.as_str()?)?)));
            GpuOutcome::Differs(buffers.collect::<Option<_>>()?)
        }
        "counted" => {
            let counts = value["counts"].as_object()?.iter();
            let counts = counts.map(|(bytes, n)| Some((unhex(bytes)?, n.as_u64()?)));
            GpuOutcome::Counted(counts.collect::<Option<_>>()?)
        }
        _ => GpuOutcome::Stopped(format!("{state} {}", value["why"].as_str().unwrap_or(""))),
    };
    Some(GpuResult {
        name: value["name"].as_str()?.to_owned(),
        found,
    })
}

/// Returns the CRC-32 checksum of a byte sequence, as computed by zlib.
fn sum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    digits.collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.chars().map(|digit| Some(digit.to_digit(16)? as u8));
    let digits: Vec<u8> = digits.collect::<Option<_>>()?;
    Some(
        digits
            .chunks_exact(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect(),
    )
}
