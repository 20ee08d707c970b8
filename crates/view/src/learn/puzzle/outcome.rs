//! How a run ends: a session goes in; one of five words comes out.

use crate::learn::MAX_STEPS;
use crate::model::FaultSort;
use crate::order::RaceReport;
use crate::session::Session;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every thread returns, and nothing races.
    Ends,
    /// A fault stops the launch.
    Faults,
    /// Threads wait for what does not happen.
    Hangs,
    /// Every thread returns, and two accesses race.
    Races,
    /// It has not ended after very many steps.
    GoesOn,
}

impl Outcome {
    const ALL: [(Outcome, &'static str); 5] = [
        (Outcome::Ends, "completes"),
        (Outcome::Faults, "faults"),
        (Outcome::Hangs, "hangs"),
        (Outcome::Races, "races"),
        (Outcome::GoesOn, "continues"),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        let found = Outcome::ALL.iter().find(|(outcome, _)| *outcome == self);
        found.map_or("completes", |(_, name)| name)
    }

    /// The outcome of a word.
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
            .ok_or_else(|| format!("found `{text}`, expected one of {names}"))
    }

    /// Runs a session to its end, and says how it does.
    pub fn of(session: &mut Session) -> Outcome {
        let report = session.look_for_races(MAX_STEPS);
        Outcome::after(session, &report)
    }

    /// How a session has ended that was looked through for races.
    pub(super) fn after(session: &Session, report: &RaceReport) -> Outcome {
        match session.fault() {
            Some(fault) if fault.kind == FaultSort::Deadlock => Outcome::Hangs,
            Some(_) => Outcome::Faults,
            None if !session.is_over() => Outcome::GoesOn,
            None if !report.races.is_empty() => Outcome::Races,
            None => Outcome::Ends,
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
        assert_eq!(Outcome::read("ends"), Ok(Outcome::Ends));
        assert_eq!(Outcome::read("goes on"), Ok(Outcome::GoesOn));
    }

    #[test]
    fn an_unknown_outcome_lists_the_names() {
        let why = Outcome::read("stops").expect_err("an unknown name");
        let names = "`completes`, `faults`, `hangs`, `races`, `continues`";
        assert_eq!(why, format!("found `stops`, expected one of {names}"));
    }
}
