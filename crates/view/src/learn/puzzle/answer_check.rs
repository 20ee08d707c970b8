//! Check of the lines that a user wrote. The check runs the kernel with the answer and the kernel with the solution with the same launches,
//! and returns a message about the first difference between the runs.

use crate::analysis::memory_diff::{FinalMemory, final_memories};
use crate::learn::puzzle::CodeGap;
use crate::learn::puzzle::run_outcome::RunOutcome;
use crate::learn::{MAX_STEPS, launched};
use crate::model::text::Severity;
use crate::session::Session;

/// Limit for a cost, such as the number of bank conflicts, that an answer must not exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CostLimit {
    what: Cost,
    most: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cost {
    Conflicts,
    Sectors,
    Stores,
    Steps,
}

impl Cost {
    /// All costs with their notations in puzzle files and their singular and plural names.
    const ALL: [(&'static str, Cost, [&'static str; 2]); 4] = [
        (
            "conflicts",
            Cost::Conflicts,
            ["bank conflict", "bank conflicts"],
        ),
        (
            "sectors",
            Cost::Sectors,
            ["global memory sector", "global memory sectors"],
        ),
        ("stores", Cost::Stores, ["warp store", "warp stores"]),
        ("steps", Cost::Steps, ["warp step", "warp steps"]),
    ];

    /// Returns the name of the cost in the singular or plural form, depending on the count `n`.
    fn words(self, n: u64) -> &'static str {
        let found = Cost::ALL.iter().find(|(_, cost, _)| *cost == self);
        found.map_or(
            "",
            |(.., [one, several])| if n == 1 { one } else { several },
        )
    }

    fn of(self, session: &mut Session) -> u64 {
        match self {
            Cost::Stores => session.stores(),
            Cost::Steps => session.position(),
            Cost::Conflicts | Cost::Sectors => {
                session.count_traffic(u64::MAX);
                let total = session.traffic().total;
                match self {
                    Cost::Conflicts => total.shared.bank_conflicts,
                    _ => total.global.sectors,
                }
            }
        }
    }
}

impl CostLimit {
    pub(crate) fn read(text: &str) -> Result<CostLimit, String> {
        let wrong = || {
            format!(
                "found the cost limit `limit: {text}`, expected a limit such as `conflicts 0`, `sectors 4`, `stores 1` or `steps 20`"
            )
        };
        let (word, most) = text.split_once(' ').ok_or_else(wrong)?;
        let found = Cost::ALL.iter().find(|(name, ..)| *name == word);
        let (_, what, _) = found.ok_or_else(wrong)?;
        Ok(CostLimit {
            what: *what,
            most: most.trim().parse().map_err(|_| wrong())?,
        })
    }

    /// Formats the cost limit for the user.
    pub(crate) fn words(&self) -> String {
        match self.most {
            0 => format!("no {}", self.what.words(0)),
            most => format!("at most {most} {}", self.what.words(most)),
        }
    }

    fn check(&self, session: &mut Session) -> Result<(), String> {
        let found = self.what.of(session);
        match found <= self.most {
            true => Ok(()),
            false => Err(format!(
                "all bytes are correct, but the run has {found} {}, and the limit is {}",
                self.what.words(found),
                self.words()
            )),
        }
    }
}

/// Gap of a puzzle, with the launches that check an answer.
pub(crate) struct AnswerCheck<'a> {
    gap: &'a CodeGap,
}

impl<'a> AnswerCheck<'a> {
    pub(crate) fn new(gap: &'a CodeGap) -> AnswerCheck<'a> {
        AnswerCheck { gap }
    }

    /// Checks an answer. The result is a message that the answer is correct, and the error is a message about its first mistake.
    pub(crate) fn check(&self, answer: &str) -> Result<String, String> {
        let (own, wanted) = (self.gap.with(answer), self.gap.with(&self.gap.answer));
        let mut session = run(&own)?;
        let solved = run(&wanted)?;
        compare(&mut session, &solved)?;
        check_no_undefined_behavior(&session, &solved)?;
        for limit in &self.gap.limits {
            limit.check(&mut session)?;
        }
        for variant in &self.gap.variants {
            let with = |reason: String| format!("for `{}`: {reason}", variant.words());
            let other = variant.apply(&own).and_then(|own| run(&own));
            let solved = run(&variant.apply(&wanted)?)?;
            let mut other = other.map_err(with)?;
            compare(&mut other, &solved).map_err(with)?;
        }
        no_race(&mut session, &wanted)?;
        let n = self.gap.variants.len() + 1;
        Ok(match n {
            1 => "Correct: all bytes match.".to_owned(),
            n => format!("Correct: all bytes match in {n} launches."),
        })
    }
}

/// Runs a source to its end. The error is the reason why the run does not finish.
fn run(source: &str) -> Result<Session, String> {
    let mut session = launched(source).map_err(|failure| {
        let mut errors = failure.diagnostics.iter();
        let first = errors.find(|found| found.severity == Severity::Error);
        match first {
            Some(first) => format!("line {}: {}", first.line, first.message),
            None => failure.message,
        }
    })?;
    let is_over = session.run(MAX_STEPS);
    if let Some(fault) = session.fault() {
        return Err(format!("line {}: {}", fault.range.line, fault.message));
    }
    match is_over {
        true => Ok(session),
        false => Err(format!(
            "the run reached the step limit after {MAX_STEPS} steps"
        )),
    }
}

/// Compares the final memory of two runs. The error is a message about the first difference.
fn compare(own: &mut Session, wanted: &Session) -> Result<(), String> {
    let (left, right) = (final_memories(own), final_memories(wanted));
    for (own_left, wanted) in left.iter().zip(&right) {
        let mut pairs = own_left.bytes.iter().zip(&wanted.bytes);
        if let Some(at) = pairs.position(|(one, other)| one != other) {
            return Err(first_mismatch(own, own_left, wanted, at));
        }
    }
    Ok(())
}

fn first_mismatch(
    session: &mut Session,
    own: &FinalMemory,
    wanted: &FinalMemory,
    at: usize,
) -> String {
    let byte = |left: &FinalMemory| left.bytes.get(at).copied().unwrap_or(0);
    let element = at / own.ty.width_bytes().max(1);
    let writer = session.last_writer(&own.id, at as u64);
    let store = writer.and_then(|(step, _)| session.events(step, step + 1).into_iter().next());
    let by = match (writer, store) {
        (Some((_, lane)), Some(store)) => {
            format!("written by lane {lane} in line {}", store.range.line)
        }
        (Some((_, lane)), None) => format!("written by lane {lane}"),
        (None, _) => "not written by any lane".to_owned(),
    };
    format!(
        "found 0x{:02x} in byte {at} of `{}` (element {element}), expected 0x{:02x}; {by}",
        byte(own),
        own.id,
        byte(wanted)
    )
}

/// Checks that a run has no note about undefined behavior, unless the run of the solution also has a note about undefined behavior.
fn check_no_undefined_behavior(own: &Session, solved: &Session) -> Result<(), String> {
    match own.notes().first() {
        Some(note) if solved.notes().is_empty() => {
            Err(format!("all bytes match, but only by chance: {note}"))
        }
        _ => Ok(()),
    }
}

/// Checks that a run has no data race, unless the run of the solution has the same data race.
fn no_race(session: &mut Session, wanted: &str) -> Result<(), String> {
    let report = session.detect_races(MAX_STEPS);
    let Some(race) = report.races.first() else {
        return Ok(());
    };
    let mut solved = launched(wanted).map_err(|failure| failure.message)?;
    match RunOutcome::of(&mut solved) {
        RunOutcome::Races => Ok(()),
        _ => Err(format!(
            "all bytes match with this schedule, but the kernel has a data race: {}",
            race.message
        )),
    }
}
