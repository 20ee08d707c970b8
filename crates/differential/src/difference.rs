//! Decides whether a PTX kernel and the SASS that an assembler generates from it produce different memory contents. The kernel can be any
//! scenario, in contrast to the module `run`, which compares random kernels.

use crate::Result;
use crate::assemble::{AssemblerTools, AssemblyOptions, AssemblyOutcome};
use crate::run::{MISPRINTED_OPERAND, REPLACEMENT_NANS, has_misprinted_operand, with_nans};
use std::path::PathBuf;
use warpgrid_view::analysis::comparison::{self, ComparisonReport, ComparisonVerdict};
use warpgrid_view::scenario::ComparisonKernel;
use warpgrid_view::{MemoryKey, Scenario, SourceLanguage};

/// Comparison of PTX with the code of one assembler.
#[derive(Clone, Debug)]
pub struct DifferenceTest<'a> {
    pub tools: &'a AssemblerTools,
    pub build: AssemblyOptions,
    /// Path of the temporary PTX file.
    pub file: PathBuf,
    /// Step limit of each run.
    pub max_steps: u64,
}

/// Result of the comparison of PTX with the code of one assembler.
#[derive(Clone, Debug)]
pub enum DifferenceOutcome {
    Equal,
    Differs(Box<AssemblyDifference>),
    /// The comparison has no result, for the given reason.
    NotComparable(String),
    /// The assembler rejects the source.
    Rejected(String),
    /// The assembler or the disassembler crashes or exceeds its time limit. The message describes the failure.
    Failed(String),
}

/// Different results of PTX and SASS.
#[derive(Clone, Debug)]
pub struct AssemblyDifference {
    pub listing: String,
    pub report: ComparisonReport,
}

impl AssemblyDifference {
    /// Returns the memory with the first difference. A reduction preserves this memory.
    pub fn memory(&self) -> Option<&MemoryKey> {
        self.report
            .differences
            .first()
            .map(|difference| &difference.memory)
    }
}

impl DifferenceTest<'_> {
    /// Returns the same test with another assembler and optimization level.
    pub fn with<'t>(&self, tools: &'t AssemblerTools, level: u8) -> DifferenceTest<'t> {
        DifferenceTest {
            tools,
            build: AssemblyOptions {
                level,
                debug: self.build.debug && level == 0,
                ..self.build.clone()
            },
            file: self.file.clone(),
            max_steps: self.max_steps,
        }
    }

    /// Assembles the source of a scenario, and runs both versions. The error describes a program that cannot be started.
    pub fn run(&self, scenario: &Scenario) -> Result<DifferenceOutcome> {
        let listing = match self
            .tools
            .assemble(&scenario.source, &self.build, &self.file)?
        {
            AssemblyOutcome::Assembled(listing) => listing.text(),
            AssemblyOutcome::Rejected(errors) => {
                let messages: Vec<String> = errors.into_iter().map(|error| error.message).collect();
                return Ok(DifferenceOutcome::Rejected(messages.join("; ")));
            }
            AssemblyOutcome::Failed(reason) => return Ok(DifferenceOutcome::Failed(reason)),
        };
        Ok(self.compare(scenario, listing))
    }

    /// Runs the source of a scenario and a listing, and compares the final memory.
    fn compare(&self, scenario: &Scenario, listing: String) -> DifferenceOutcome {
        if has_misprinted_operand(&listing) {
            return DifferenceOutcome::NotComparable(MISPRINTED_OPERAND.to_owned());
        }
        let sass = ComparisonKernel {
            source: listing.clone(),
            front: Some(SourceLanguage::Sass),
            ..ComparisonKernel::default()
        };
        let report = match self.compare_with(scenario, sass) {
            Ok(report) => report,
            Err(reason) => return DifferenceOutcome::NotComparable(reason),
        };
        match report.verdict {
            ComparisonVerdict::Equal => return DifferenceOutcome::Equal,
            ComparisonVerdict::NotComparable => {
                return DifferenceOutcome::NotComparable(report.reason.unwrap_or(report.summary));
            }
            ComparisonVerdict::Unfinished => {
                return DifferenceOutcome::NotComparable(report.summary);
            }
            ComparisonVerdict::Different => {}
        }
        for (side, language) in report.sides.iter().zip(["PTX", "SASS"]) {
            if let Some(fault) = &side.fault {
                let reason = format!("execution of the {language} stops: {fault}");
                return DifferenceOutcome::NotComparable(reason);
            }
        }
        // Undefined behavior that does not explain the named difference may explain another one.
        if let Some(note) = report.notes.first() {
            return DifferenceOutcome::NotComparable(note.clone());
        }
        if report.differences.is_empty() || self.depends_on_nan_bits(scenario) {
            return DifferenceOutcome::NotComparable(report.summary);
        }
        DifferenceOutcome::Differs(Box::new(AssemblyDifference { listing, report }))
    }

    /// Checks whether the final memory of the PTX depends on the bits of NaNs that 64-bit arithmetic produces.
    fn depends_on_nan_bits(&self, scenario: &Scenario) -> bool {
        let mut replacements = REPLACEMENT_NANS.iter();
        replacements.any(|bits| {
            let replaced = ComparisonKernel {
                source: with_nans(&scenario.source, bits),
                front: Some(SourceLanguage::Ptx),
                ..ComparisonKernel::default()
            };
            let report = self.compare_with(scenario, replaced);
            report.is_ok_and(|report| !report.equal)
        })
    }

    fn compare_with(
        &self,
        scenario: &Scenario,
        other: ComparisonKernel,
    ) -> Result<ComparisonReport> {
        let scenario = Scenario {
            beside: Some(other),
            ..scenario.clone()
        };
        comparison::compare(scenario, self.max_steps).map_err(|error| error.error.message)
    }
}

/// Property of a reduction: PTX and SASS differ in the same memory as in the original source.
#[derive(Debug)]
pub struct PreservedDifference<'a> {
    test: &'a DifferenceTest<'a>,
    memory: Option<MemoryKey>,
    /// Reason for which an invocation of the assembler was impossible. The reduction then ends.
    error: Option<String>,
}

impl<'a> PreservedDifference<'a> {
    /// Returns the property of a source with the given difference.
    pub fn new(
        test: &'a DifferenceTest<'a>,
        difference: &AssemblyDifference,
    ) -> PreservedDifference<'a> {
        PreservedDifference {
            test,
            memory: difference.memory().cloned(),
            error: None,
        }
    }

    /// Checks whether a scenario has the same difference.
    pub fn holds(&mut self, scenario: &Scenario) -> bool {
        if self.error.is_some() {
            return false;
        }
        match self.test.run(scenario) {
            Ok(DifferenceOutcome::Differs(found)) => found.memory() == self.memory.as_ref(),
            Ok(_) => false,
            Err(reason) => {
                self.error = Some(reason);
                false
            }
        }
    }

    /// Returns the reason for which an invocation of the assembler was impossible.
    pub fn into_error(self) -> Option<String> {
        self.error
    }
}
