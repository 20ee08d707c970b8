//! Outcome of a run as one of five names.

use crate::learn::MAX_STEPS;
use crate::memory_model::concurrency::races::RaceReport;
use crate::model::FaultSort;
use crate::session::Session;

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread exits, and no accesses race.
    Completes,
    /// A fault stops the launch.
    Faults,
    /// Threads wait for an event that cannot occur.
    Hangs,
    /// Every thread exits, and two accesses race.
    Races,
    /// The run exceeds the step limit.
    Continues,
}

impl Outcome {
    const ALL: [(Outcome, &'static str); 5] = [
        (Outcome::Completes, "completes"),
        (Outcome::Faults, "faults"),
        (Outcome::Hangs, "hangs"),
        (Outcome::Races, "races"),
        (Outcome::Continues, "continues"),
    ];

    /// Returns the name of the outcome.
    pub fn name(self) -> &'static str {
        let found = Outcome::ALL.iter().find(|(outcome, _)| *outcome == self);
        found.map_or("completes", |(_, name)| name)
    }

    /// Reads the name of an outcome, or a former name.
    pub fn read(text: &str) -> Result<Outcome, String> {
        let text = match text.trim() {
            // Former spellings, which saved answers may contain.
            "ends" => "completes",
            "goes on" => "continues",
            text => text,
        };
        let found = Outcome::ALL.iter().find(|(_, name)| *name == text);
        let names = Outcome::ALL.map(|(_, name)| format!("`{name}`")).join(", ");
        found
            .map(|(outcome, _)| *outcome)
            .ok_or_else(|| format!("found the outcome `{text}`, expected one of {names}"))
    }

    /// Executes a session to its end and returns the outcome.
    pub fn of(session: &mut Session) -> Outcome {
        let report = session.look_for_races(MAX_STEPS);
        Outcome::after(session, &report)
    }

    /// Returns the outcome of a session after the detection of races.
    pub(crate) fn after(session: &Session, report: &RaceReport) -> Outcome {
        match session.fault() {
            Some(fault) if fault.kind == FaultSort::Deadlock => Outcome::Hangs,
            Some(_) => Outcome::Faults,
            None if !session.is_over() => Outcome::Continues,
            None if !report.races.is_empty() => Outcome::Races,
            None => Outcome::Completes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_outcome_is_read_from_its_name() {
        for (outcome, name) in Outcome::ALL {
            assert_eq!(outcome.name(), name);
            assert_eq!(Outcome::read(&format!(" {name} ")), Ok(outcome));
        }
    }

    #[test]
    fn former_names_of_outcomes_are_read() {
        assert_eq!(Outcome::read("ends"), Ok(Outcome::Completes));
        assert_eq!(Outcome::read("goes on"), Ok(Outcome::Continues));
    }

    #[test]
    fn an_unknown_outcome_lists_the_names() {
        let why = Outcome::read("stops").expect_err("an unknown name");
        let names = "`completes`, `faults`, `hangs`, `races`, `continues`";
        assert_eq!(
            why,
            format!("found the outcome `stops`, expected one of {names}")
        );
    }
}
