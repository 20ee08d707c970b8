//! Outcome of a run, such as completion, fault or hang, which a puzzle can ask the user to predict.

use crate::learn::MAX_STEPS;
use crate::memory_model::concurrency::races::RaceReport;
use crate::model::FaultSort;
use crate::session::Session;

/// Outcome of the run of a kernel, which a puzzle can ask the user to predict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Every thread exits, and the run has no data race.
    Completes,
    /// A fault stops the launch.
    Faults,
    /// Threads wait for an event that cannot occur.
    Hangs,
    /// Every thread exits, but the run has a data race.
    Races,
    /// The run exceeds the step limit.
    Continues,
}

impl RunOutcome {
    const ALL: [(RunOutcome, &'static str); 5] = [
        (RunOutcome::Completes, "completes"),
        (RunOutcome::Faults, "faults"),
        (RunOutcome::Hangs, "hangs"),
        (RunOutcome::Races, "races"),
        (RunOutcome::Continues, "continues"),
    ];

    /// Returns the name of the run outcome.
    pub fn name(self) -> &'static str {
        let found = RunOutcome::ALL.iter().find(|(outcome, _)| *outcome == self);
        found.map_or("completes", |(_, name)| name)
    }

    /// Parses the name or a former name of an outcome.
    pub fn read(text: &str) -> Result<RunOutcome, String> {
        let text = match text.trim() {
            // Accept former spellings, because saved answers may contain them.
            "ends" => "completes",
            "goes on" => "continues",
            text => text,
        };
        let found = RunOutcome::ALL.iter().find(|(_, name)| *name == text);
        let names = RunOutcome::ALL
            .map(|(_, name)| format!("`{name}`"))
            .join(", ");
        found
            .map(|(outcome, _)| *outcome)
            .ok_or_else(|| format!("found the outcome `{text}`, expected one of {names}"))
    }

    /// Executes a session to its end and returns the outcome.
    pub fn of(session: &mut Session) -> RunOutcome {
        let report = session.detect_races(MAX_STEPS);
        RunOutcome::after(session, &report)
    }

    /// Returns the outcome of a session after race detection has produced `report`.
    pub(crate) fn after(session: &Session, report: &RaceReport) -> RunOutcome {
        match session.fault() {
            Some(fault) if fault.kind == FaultSort::Deadlock => RunOutcome::Hangs,
            Some(_) => RunOutcome::Faults,
            None if !session.is_finished() => RunOutcome::Continues,
            None if !report.races.is_empty() => RunOutcome::Races,
            None => RunOutcome::Completes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_names_round_trip() {
        for (outcome, name) in RunOutcome::ALL {
            assert_eq!(outcome.name(), name);
            assert_eq!(RunOutcome::read(&format!(" {name} ")), Ok(outcome));
        }
    }

    #[test]
    fn former_outcome_names_are_accepted() {
        assert_eq!(RunOutcome::read("ends"), Ok(RunOutcome::Completes));
        assert_eq!(RunOutcome::read("goes on"), Ok(RunOutcome::Continues));
    }

    #[test]
    fn unknown_outcome_error_lists_known_names() {
        let reason = RunOutcome::read("stops").expect_err("an unknown name");
        let names = "`completes`, `faults`, `hangs`, `races`, `continues`";
        assert_eq!(
            reason,
            format!("found the outcome `stops`, expected one of {names}")
        );
    }
}
