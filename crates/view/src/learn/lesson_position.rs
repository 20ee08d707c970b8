//! Positions of a run that tours and puzzles specify, in the notation `start`, `end`, `step 12`, `line 18` or `line 18 time 2`. A session
//! can seek to these positions.

use crate::learn::MAX_STEPS;
use crate::session::Session;

/// Position in a run that the text of a tour or puzzle specifies, such as `step 12` or `line 18 time 2`. The lesson shows the state of the
/// run at this position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LessonPosition {
    Start,
    End,
    /// Position after the run has executed this number of steps.
    Step(u64),
    /// Position directly after the first or a later execution of an instruction of this source line. The count includes the executions by
    /// all warps.
    Line {
        line: u32,
        time: u32,
    },
}

impl LessonPosition {
    /// Parses the notation of a position.
    pub fn read(text: &str) -> Result<LessonPosition, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |word: &str| {
            word.parse::<u32>()
                .ok()
                .filter(|number| *number > 0)
                .ok_or_else(|| format!("found `{word}`, expected a positive integer"))
        };
        match words[..] {
            ["start"] => Ok(LessonPosition::Start),
            ["end"] => Ok(LessonPosition::End),
            ["step", step] => Ok(LessonPosition::Step(number(step)?.into())),
            ["line", line] => Ok(LessonPosition::Line {
                line: number(line)?,
                time: 1,
            }),
            ["line", line, "time", time] => Ok(LessonPosition::Line {
                line: number(line)?,
                time: number(time)?,
            }),
            _ => Err(format!(
                "found the position `{text}`, expected `start`, `end`, `step 12`, `line 18` or `line 18 time 2`"
            )),
        }
    }

    /// Formats the position for the user.
    pub fn words(self) -> String {
        match self {
            LessonPosition::Start => "at the start".to_owned(),
            LessonPosition::End => "at the end".to_owned(),
            LessonPosition::Step(step) => format!("after {step} steps"),
            LessonPosition::Line { line, time: 1 } => format!("after line {line}"),
            LessonPosition::Line { line, time } => format!("after execution {time} of line {line}"),
        }
    }

    /// Seeks a session to the position. The error is the reason why the position does not exist.
    pub fn go(self, session: &mut Session) -> Result<(), String> {
        match self {
            LessonPosition::Start => session.seek(0),
            LessonPosition::End => {
                session.run(MAX_STEPS);
            }
            LessonPosition::Step(step) => {
                session.seek(step.min(MAX_STEPS));
                if session.position() != step {
                    let n = session.position();
                    return Err(format!(
                        "the position is step {step}, but the run has only {n} steps"
                    ));
                }
            }
            LessonPosition::Line { line, time } => go_to_line(session, line, time)?,
        }
        Ok(())
    }
}

fn go_to_line(session: &mut Session, line: u32, time: u32) -> Result<(), String> {
    session.seek(0);
    let mut seen = 0;
    while session.position() < MAX_STEPS && session.step() {
        seen += u32::from(session.last_line() == Some(line));
        if seen == time {
            return Ok(());
        }
    }
    Err(format!(
        "the position is execution {time} of line {line}, but the run executes this line only {seen} times"
    ))
}

impl Session {
    /// Returns the source line of the last executed step.
    pub(crate) fn last_line(&self) -> Option<u32> {
        let event = self.timeline.machine().last_step()?;
        Some(self.range_of(event.function, event.instruction).line)
    }

    /// Returns the lanes that executed the last step.
    pub(crate) fn last_lanes(&self) -> u32 {
        let event = self.timeline.machine().last_step();
        event.map_or(0, |event| event.executed)
    }
}
