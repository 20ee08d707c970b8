//! Analysis of all schedules of a launch. The module takes a session, and returns a verdict: every schedule has the same result without an
//! error, a schedule shows an error, or the analysis is incomplete. [`warpgrid_order::schedules`] describes the algorithm.

use crate::analysis::findings::{
    AnalysisReport, Finding, FindingKind, FindingSeverity, KernelAnalysis, Verdict,
};
use crate::analysis::memory_diff::{MemoryDifference, differences_between, final_memories};
use crate::api::limits::steps;
use crate::model::text::FixView;
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::create::LaunchTemplate;
use serde::{Deserialize, Serialize};
use warpgrid_emulator::WriterTracking;
use warpgrid_launch::Schedule;
use warpgrid_order::schedules as order;
pub use warpgrid_order::schedules::ExplorationLimits;
use warpgrid_program::{FunctionId, counted};

/// Maximum number of steps of a witness that the analysis executes again.
const MAX_WITNESS_STEPS: u64 = 20_000_000;

/// Answer of an analysis about all schedules of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ScheduleVerdict {
    /// Every schedule ends without a data race, a hang or a fault, and with the same contents of global memory.
    Clean,
    /// A schedule has a data race, a hang, a fault, or different contents of global memory.
    Witness,
    /// The analysis has found no witness, and has not covered all schedules.
    Incomplete,
}

impl ScheduleVerdict {
    /// Returns the displayed verdict: `clean in every schedule`.
    pub const fn text(self) -> &'static str {
        match self {
            ScheduleVerdict::Clean => "clean in every schedule",
            ScheduleVerdict::Witness => "a schedule has an error",
            ScheduleVerdict::Incomplete => "incomplete",
        }
    }
}

/// Schedule with an error, and the error that a run with this schedule reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleWitness {
    /// Turns of the agents: `0.1:35,a2`. The field `schedule` of a scenario and the option `--schedule` accept this text.
    pub schedule: String,
    /// Error of the run with this schedule.
    pub finding: Finding,
    /// Edit of the source that states the schedule, so that a run of the source shows the error.
    pub play: FixView,
}

/// Result of an analysis of all schedules of a launch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleReport {
    pub verdict: ScheduleVerdict,
    pub witness: Option<ScheduleWitness>,
    /// Sentences that describe which schedules the analysis did not cover. The list is empty if the verdict is `clean`.
    pub not_covered: Vec<String>,
    /// Number of executed equivalence classes of schedules.
    pub executions: u64,
    /// Number of executions that the analysis ended early, because other executions cover the remaining steps.
    pub partial_executions: u64,
    /// Number of executed steps.
    pub steps: u64,
    /// Maximum number of synchronizing operations of an execution.
    pub events: usize,
}

impl ScheduleReport {
    /// Returns the report on a launch that is not explored, with the reasons.
    pub fn not_explored(reasons: Vec<String>) -> ScheduleReport {
        ScheduleReport {
            verdict: ScheduleVerdict::Incomplete,
            witness: None,
            not_covered: reasons,
            executions: 0,
            partial_executions: 0,
            steps: 0,
            events: 0,
        }
    }

    /// Returns the report as one sentence: `clean in every schedule (6 classes of schedules, 1200 steps)`.
    pub fn summary(&self) -> String {
        let classes = match self.executions {
            1 => "1 class".to_owned(),
            n => format!("{n} classes"),
        };
        let coverage = format!("{classes} of schedules, {}", counted(self.steps, "step"));
        match (&self.witness, self.not_covered.first()) {
            (Some(witness), _) => format!("{}: {}", self.verdict.text(), witness.finding.message),
            (None, Some(reason)) => format!("{}: {reason} ({coverage})", self.verdict.text()),
            (None, None) => format!("{} ({coverage})", self.verdict.text()),
        }
    }
}

/// Progress of an analysis, which hosts display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleProgress {
    /// Number of executed classes of schedules.
    pub done: u64,
    /// Number of classes that the analysis has found, but not executed.
    pub pending: u64,
}

/// Analysis of all schedules in progress. A host advances it in slices of steps.
pub struct ScheduleSearch {
    template: LaunchTemplate,
    /// Session at its start, whose source the edit of a witness changes.
    edited: Session,
    explorer: order::ScheduleExplorer,
}

impl ScheduleSearch {
    /// Creates an analysis of the launch of a session. `limits` bounds each execution.
    ///
    /// # Errors
    ///
    /// Fails if the launch cannot be repeated.
    pub fn new(
        session: &Session,
        limits: ExplorationLimits,
    ) -> Result<ScheduleSearch, RequestError> {
        let template = session.restart();
        let start = template.with_schedule(Schedule::default(), WriterTracking::Off)?;
        let machine = start.timeline.machine().clone();
        Ok(ScheduleSearch {
            explorer: order::ScheduleExplorer::new(machine, session.shape(), limits),
            edited: session.restart_without_last_writers()?,
            template,
        })
    }

    /// Executes about `budget` steps. Returns whether the analysis is complete.
    pub fn advance(&mut self, budget: u64) -> bool {
        self.explorer.advance(budget)
    }

    /// Ends the analysis. Without a witness, the verdict is then `incomplete`.
    pub fn stop(&mut self) {
        self.explorer.stop();
    }

    pub fn progress(&self) -> ScheduleProgress {
        let (done, pending) = self.explorer.progress();
        ScheduleProgress { done, pending }
    }

    /// Returns the result. The method executes the witness again to describe its error.
    ///
    /// # Errors
    ///
    /// Fails if the launch cannot be repeated.
    pub fn report(&self) -> Result<ScheduleReport, RequestError> {
        let found = self.explorer.report();
        let witness = match &found.witness {
            Some(witness) => Some(self.witness(witness)?),
            None => None,
        };
        let not_covered = found.not_covered.iter();
        Ok(ScheduleReport {
            verdict: match found.verdict {
                order::ScheduleVerdict::Clean => ScheduleVerdict::Clean,
                order::ScheduleVerdict::Witness => ScheduleVerdict::Witness,
                order::ScheduleVerdict::Incomplete => ScheduleVerdict::Incomplete,
            },
            not_covered: not_covered
                .map(|reason| self.edited.not_covered_text(reason))
                .collect(),
            witness,
            executions: found.n_executions,
            partial_executions: found.n_partial,
            steps: found.n_steps,
            events: found.n_events,
        })
    }

    fn witness(&self, witness: &order::Witness) -> Result<ScheduleWitness, RequestError> {
        let schedule = Schedule {
            turns: witness.schedule.clone().into(),
        };
        let mut session = self
            .template
            .with_schedule(schedule.clone(), WriterTracking::Off)?;
        let finding = match witness.kind {
            order::WitnessKind::Memory => {
                let reference = Schedule {
                    turns: witness.reference.clone().into(),
                };
                self.memory_finding([reference, schedule.clone()])?
            }
            order::WitnessKind::Race
            | order::WitnessKind::ModelOnlyRace
            | order::WitnessKind::Hang
            | order::WitnessKind::Fault => {
                let found = session.errors_of_run(MAX_WITNESS_STEPS);
                found.into_iter().next().unwrap_or_else(|| {
                    let (kind, message) = match witness.kind {
                        order::WitnessKind::Race | order::WitnessKind::ModelOnlyRace => {
                            (FindingKind::DataRace, "the schedule has a data race")
                        }
                        order::WitnessKind::Hang => (
                            FindingKind::Hang,
                            "the schedule does not end: each remaining warp waits for another warp",
                        ),
                        order::WitnessKind::Fault | order::WitnessKind::Memory => {
                            (FindingKind::Fault, "the schedule has a fault")
                        }
                    };
                    Finding::new(kind, FindingSeverity::Error, message.to_owned())
                })
            }
        };
        Ok(ScheduleWitness {
            play: self.edited.edit_schedule(&schedule.to_string()),
            schedule: schedule.to_string(),
            finding,
        })
    }

    /// Returns a finding about the memory that differs between two schedules.
    fn memory_finding(&self, schedules: [Schedule; 2]) -> Result<Finding, RequestError> {
        let run = |schedule: Schedule| {
            let mut session = self
                .template
                .with_schedule(schedule, WriterTracking::LastWriter)?;
            session.run(MAX_WITNESS_STEPS);
            Ok::<Session, RequestError>(session)
        };
        let [first, second] = schedules;
        let mut sessions = [run(first)?, run(second)?];
        let memories = [0, 1].map(|index: usize| final_memories(&sessions[index]));
        let differences = differences_between([&memories[0], &memories[1]], &mut sessions);
        let text = |difference: &MemoryDifference| {
            let [one, other] = &difference.sides;
            format!(
                "`{}[{}]` is {} in one schedule and {} in another schedule",
                difference.memory, difference.index, one.value, other.value
            )
        };
        let sides = differences.iter().flat_map(|difference| &difference.sides);
        let stores = sides.flat_map(|side| &side.stores);
        let lines = stores.map(|store| store.line).collect();
        let mut texts = differences.iter().map(text);
        let mut message = "the final memory depends on the schedule".to_owned();
        if let Some(first) = texts.next() {
            message = format!("{message}: {first}");
        }
        let kind = FindingKind::ScheduleDependence;
        let mut finding = sessions[1].finding_at(kind, FindingSeverity::Warning, message, lines);
        finding.details = texts.collect();
        Ok(finding)
    }
}

/// Options of an analysis of all schedules, as a host specifies them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleOptions {
    /// Maximum number of steps of all executions together. The default is 5,000,000.
    #[serde(default)]
    pub max_steps: Option<f64>,
}

/// Default number of steps of an analysis.
const DEFAULT_STEPS: f64 = 5e6;

impl Session {
    /// Explores all schedules of the launch within the step limit of the options. The position of the session does not change.
    ///
    /// # Errors
    ///
    /// Fails if an option is invalid or if the launch cannot be repeated.
    pub fn schedules(&self, options: ScheduleOptions) -> Result<ScheduleReport, RequestError> {
        let max_steps = steps(Some(options.max_steps.unwrap_or(DEFAULT_STEPS)))?;
        let mut search = ScheduleSearch::new(self, ExplorationLimits::default())?;
        if !search.advance(max_steps) {
            search.stop();
        }
        search.report()
    }

    /// Returns a sentence about schedules that an exploration did not cover.
    fn not_covered_text(&self, reason: &order::NotCovered) -> String {
        let line = |at: &(FunctionId, u32)| self.range_of(at.0, at.1).line;
        match reason {
            order::NotCovered::TooManyWarps { n_warps, limit } => format!(
                "the launch has {}, and the analysis of schedules supports at most {limit}: reduce the grid",
                counted(*n_warps, "warp")
            ),
            order::NotCovered::Clock(at) => format!(
                "line {} reads a clock or a timer, whose values depend on the hardware",
                line(at)
            ),
            order::NotCovered::ClusterLaunchControl(at) => format!(
                "line {} cancels the launch of blocks, whose order depends on the hardware",
                line(at)
            ),
            order::NotCovered::TryWaitWithoutLoop(at) => format!(
                "line {} tests an mbarrier outside of a loop, so that the result depends on the time limit of `mbarrier.try_wait`",
                line(at)
            ),
            order::NotCovered::PendingCount(at) => format!(
                "line {} reads the pending count of a phase, which depends on the order of the arrivals",
                line(at)
            ),
            order::NotCovered::StepLimit(limit) => format!(
                "an execution has not finished after {}",
                counted(*limit, "step")
            ),
            order::NotCovered::EventLimit(limit) => format!(
                "an execution has more than {}",
                counted(*limit as u64, "synchronizing operation")
            ),
            order::NotCovered::RaceDetection => {
                "the race detector has reached its memory limit".to_owned()
            }
            order::NotCovered::Reordering([first, second]) => match (line(first), line(second)) {
                (one, other) if one == other => format!(
                    "the memory model permits the reordering of the accesses of line {one}, and the analysis does not cover the reordered executions"
                ),
                (one, other) => format!(
                    "the memory model permits the reordering of the accesses of lines {one} and {other}, and the analysis does not cover the reordered executions"
                ),
            },
            order::NotCovered::Stopped => {
                "the analysis was stopped before it had covered all schedules".to_owned()
            }
        }
    }
}

impl AnalysisReport {
    /// Adds the result of an analysis of all schedules of a kernel.
    pub fn add_schedules(&mut self, kernel: usize, report: ScheduleReport) {
        if let Some(kernel) = self.kernels.get_mut(kernel) {
            kernel.add_schedules(report);
            self.verdict = self.verdict.max(kernel.verdict);
        }
    }
}

impl KernelAnalysis {
    /// Adds the result of an analysis of all schedules: the error of the witness, and the schedules that were not covered.
    fn add_schedules(&mut self, report: ScheduleReport) {
        if let Some(witness) = &report.witness {
            let finding = &witness.finding;
            let is_known = self
                .findings
                .iter()
                .any(|known| known.kind == finding.kind && known.lines == finding.lines);
            if !is_known {
                let mut finding = finding.clone();
                finding
                    .details
                    .push(format!("schedule: {}", witness.schedule));
                self.findings.push(finding);
                self.findings
                    .sort_by_key(|finding| (finding.severity, finding.kind, finding.lines.clone()));
            }
            if finding.is_error_or_warning() {
                self.verdict = self.verdict.max(Verdict::Findings);
            }
        }
        if report.verdict == ScheduleVerdict::Incomplete {
            self.verdict = self.verdict.max(Verdict::Incomplete);
            for reason in &report.not_covered {
                if !self.not_covered.contains(reason) {
                    self.not_covered.push(reason.clone());
                }
            }
        }
        self.schedules = Some(report);
    }
}
