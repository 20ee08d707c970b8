//! Values of a run in the background: findings, memory traffic per line, and register values of the first steps.

use crate::document::Snapshot;
use crate::text::Text;
use std::collections::HashMap;
use warpgrid_view::analysis::findings::{AnalysisLimits, Finding, analyze};
use warpgrid_view::model::{FrameRequest, Traffic};
use warpgrid_view::{Scenario, Session, counted};

/// Step limit of each run. A run at this limit takes about 0.1 s with race detection.
const MAX_STEPS: u64 = 100_000;

/// Number of scheduler seeds of each kernel.
const SEEDS: u64 = 2;

/// Number of steps of which the register values are recorded.
const RECORDED_STEPS: u64 = 1_000;

/// Maximum number of kernels of a module that run.
const MAX_KERNELS: usize = 8;

/// Maximum size of a module that runs, in bytes.
const MAX_SOURCE: usize = 1 << 20;

/// Results of the runs of the kernels of a document.
#[derive(Clone, Debug)]
pub(crate) struct RunValues {
    /// Version of the document.
    pub(crate) version: i32,
    /// Findings of the runs, without the diagnostics of the check.
    pub(crate) findings: Vec<Finding>,
    /// Values by line, counted from 0.
    lines: HashMap<u32, LineValues>,
    /// Text of each line with values, with which the server recognizes unchanged lines in a later revision.
    texts: HashMap<u32, String>,
}

/// Values of the instructions in a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct LineValues {
    traffic: Traffic,
    /// Summary of the last recorded step.
    last_step: String,
    /// Registers that the line writes, with their values in the last recorded step. The value is one text if all lanes have the same value.
    registers: Vec<RegisterValues>,
    /// Number of recorded executions.
    n_executions: u64,
}

#[derive(Clone, Debug, PartialEq)]
struct RegisterValues {
    name: String,
    /// Values of the active lanes.
    values: Vec<String>,
    /// Whether all recorded executions wrote the same value in all lanes.
    is_constant: bool,
}

/// Runs the kernels of a document. Returns `None` if the document cannot run.
pub(crate) fn run(snapshot: &Snapshot) -> Option<RunValues> {
    let language = snapshot.instructions()?;
    if snapshot.source().len() > MAX_SOURCE {
        return None;
    }
    let scenario = Scenario {
        source: snapshot.source().to_owned(),
        front: language,
        target: snapshot.settings.target.clone(),
        ptx_version: snapshot.settings.ptx_version.clone(),
        ..Scenario::default()
    };
    let kernels = Session::new_without_last_writers(scenario.clone())
        .ok()?
        .kernels();
    let mut values = RunValues {
        version: snapshot.version,
        findings: Vec::new(),
        lines: HashMap::new(),
        texts: HashMap::new(),
    };
    for kernel in kernels.into_iter().take(MAX_KERNELS) {
        if snapshot.is_stale() {
            return None;
        }
        let scenario = Scenario {
            entry: Some(kernel),
            ..scenario.clone()
        };
        values.run_kernel(&scenario);
    }
    let numbers: Vec<u32> = values.lines.keys().copied().collect();
    for line in numbers {
        values
            .texts
            .insert(line, snapshot.text.line(line).to_owned());
    }
    Some(values)
}

impl RunValues {
    fn run_kernel(&mut self, scenario: &Scenario) {
        let limits = AnalysisLimits {
            max_steps: MAX_STEPS,
            seeds: SEEDS,
        };
        let report = analyze(scenario, limits);
        let findings = report
            .kernels
            .into_iter()
            .flat_map(|kernel| kernel.findings);
        self.findings.extend(findings);
        let Ok(mut session) = Session::new_without_last_writers(scenario.clone()) else {
            return;
        };
        while session.position() < RECORDED_STEPS && session.step() {
            self.record_step(&mut session);
        }
        session.run_counted(MAX_STEPS);
        for found in session.traffic().lines {
            let Some(line) = found.line.checked_sub(1) else {
                continue;
            };
            self.lines.entry(line).or_default().traffic = found.traffic;
        }
    }

    fn record_step(&mut self, session: &mut Session) {
        let frame = session.frame(&FrameRequest::default());
        let Some(step) = frame.last else { return };
        let Some(line) = step.range.line.checked_sub(1) else {
            return;
        };
        let own = self.lines.entry(line).or_default();
        own.n_executions += 1;
        own.last_step = frame
            .sentence
            .iter()
            .map(|phrase| phrase.text.as_str())
            .collect();
        let registers = frame.warp.map(|warp| warp.registers).unwrap_or_default();
        let written = registers
            .into_iter()
            .filter(|register| register.changed && step.names.contains(&register.name));
        for register in written {
            let values: Vec<String> = register
                .values
                .into_iter()
                .enumerate()
                .filter(|(lane, _)| step.active >> lane & 1 == 1)
                .map(|(_, value)| value)
                .collect();
            own.record_register(register.name, values);
        }
    }

    /// Returns the values of a line (counted from 0) of a document whose revision may be later than that of the run. A changed line has no
    /// values.
    pub(crate) fn line(&self, text: &Text, version: i32, line: u32) -> Option<&LineValues> {
        let is_unchanged = version == self.version
            || self.texts.get(&line).map(String::as_str) == Some(text.line(line));
        self.lines.get(&line).filter(|_| is_unchanged)
    }
}

impl LineValues {
    fn record_register(&mut self, name: String, values: Vec<String>) {
        let is_uniform = values.windows(2).all(|pair| pair[0] == pair[1]);
        let previous = self.registers.iter_mut().find(|own| own.name == name);
        match previous {
            Some(own) => {
                own.is_constant &= is_uniform && own.values.first() == values.first();
                own.values = values;
            }
            None => self.registers.push(RegisterValues {
                is_constant: is_uniform && !values.is_empty(),
                name,
                values,
            }),
        }
    }

    /// Returns the inlay hint of the line, or `None` if the line accesses no memory and writes no constant register.
    pub(crate) fn hint(&self) -> Option<String> {
        let mut parts: Vec<String> = self.traffic_parts();
        for register in self.registers.iter().filter(|own| own.is_constant) {
            if let Some(value) = register.values.first() {
                parts.push(format!("{} = {value}", register.name));
            }
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns the bytes, sectors and bank conflicts of the line.
    fn traffic_parts(&self) -> Vec<String> {
        let Traffic {
            global,
            local,
            shared,
            ..
        } = &self.traffic;
        let mut parts = Vec::new();
        for (sectors, space) in [(global, ""), (local, " local")] {
            if sectors.requests == 0 {
                continue;
            }
            let excess = match sectors.sectors_excessive {
                0 => String::new(),
                _ => format!(" (ideal {})", sectors.sectors_ideal),
            };
            parts.push(format!(
                "{} in {}{space}{excess}",
                counted(sectors.bytes, "byte"),
                counted(sectors.sectors, "sector"),
            ));
        }
        if shared.requests > 0 {
            let excess = match shared.bank_conflicts {
                0 => String::new(),
                n => format!(" ({})", counted(n, "bank conflict")),
            };
            parts.push(format!(
                "{} in {}{excess}",
                counted(shared.bytes, "byte"),
                counted(shared.wavefronts, "wavefront"),
            ));
        }
        parts
    }

    /// Returns paragraphs in Markdown about the executions of the line. `is_opcode`: the user hovers over the opcode, and not over an
    /// operand.
    pub(crate) fn hover(&self, is_opcode: bool) -> Vec<String> {
        let mut paragraphs = Vec::new();
        if is_opcode {
            let traffic = self.traffic_parts();
            if !traffic.is_empty() {
                paragraphs.push(format!("**Run:** {}.", traffic.join(", ")));
            }
            if !self.last_step.is_empty() {
                let times = counted(self.n_executions, "execution");
                paragraphs.push(format!("**Last step** of {times}: {}", self.last_step));
            }
        }
        for register in &self.registers {
            paragraphs.push(register.text());
        }
        paragraphs
    }
}

impl RegisterValues {
    /// Returns the values of the last recorded step: one value, or the value of each active lane.
    fn text(&self) -> String {
        let is_uniform = self.values.windows(2).all(|pair| pair[0] == pair[1]);
        match (is_uniform, self.values.first()) {
            (true, Some(value)) => format!("`{} = {value}` in all active lanes", self.name),
            _ => {
                let shown: Vec<&str> = self.values.iter().take(8).map(String::as_str).collect();
                let rest = match self.values.len() > shown.len() {
                    true => ", …",
                    false => "",
                };
                format!("`{} = {}{rest}` by lane", self.name, shown.join(", "))
            }
        }
    }
}
