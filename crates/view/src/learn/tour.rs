//! Guided tour of a run. The module takes a Markdown file, and the source of the example that it describes, and returns the stops of the
//! tour with their positions in the run. The module returns the stops only if all facts of the tour hold.
//!
//! ```text
//! ---
//! title: One column, one bank
//! ---
//! What the tour is about.
//!
//! ## line 20
//! Text that names [line 20] and a fact: {{passes of line 20 = 1}}.
//!
//! ## end
//! ```

use crate::learn::lesson_file::LessonFile;
use crate::learn::lesson_position::LessonPosition;
use crate::learn::prose;
use crate::learn::prose::{Inline, Prose};
use crate::learn::{MAX_STEPS, launched};
use crate::session::Session;

const HEADING: &str = "## ";

/// Guided tour that was parsed from its file, whose stops can be verified against a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Tour {
    pub title: String,
    intro: Prose,
    stops: Vec<(LessonPosition, Prose)>,
}

/// Guided tour that the page displays, with the positions of its stops in the run.
#[derive(Clone, Debug, PartialEq)]
pub struct TourView {
    pub title: String,
    pub intro: Prose,
    pub stops: Vec<TourStop>,
    /// Number of steps of the complete run.
    pub length: u64,
}

/// Stop of a guided tour: a position in the run and the prose about this position.
#[derive(Clone, Debug, PartialEq)]
pub struct TourStop {
    /// Description of the position of the stop: `just after line 20`.
    pub moment: String,
    /// Number of steps that the run has executed at the stop.
    pub position: u64,
    pub prose: Prose,
}

impl Tour {
    /// Parses a tour file. The error is a message about the file.
    pub fn read(text: &str) -> Result<Tour, String> {
        let sheet = LessonFile::read(text)?;
        sheet.check_names(&["title"])?;
        let mut intro = String::new();
        let mut stops: Vec<(LessonPosition, String)> = Vec::new();
        for line in sheet.prose.lines() {
            if let Some(moment) = line.strip_prefix(HEADING) {
                stops.push((LessonPosition::read(moment)?, String::new()));
                continue;
            }
            let text = stops.last_mut().map_or(&mut intro, |(_, text)| text);
            text.push_str(line);
            text.push('\n');
        }
        let read = |(moment, text): (LessonPosition, String)| {
            Ok::<_, String>((moment, prose::read(&text)?))
        };
        Ok(Tour {
            title: sheet.need("title")?.to_owned(),
            intro: prose::read(&intro)?,
            stops: stops.into_iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Runs the source, finds the stops of the tour, and verifies the facts. The error names the missing stop or line, or the fact that
    /// does not hold.
    pub fn verify_stops(&self, source: &str) -> Result<TourView, String> {
        let mut session = launched(source).map_err(|failure| failure.message)?;
        let n_lines = source.lines().count() as u32;
        check_lines(&self.intro, n_lines)?;
        let mut stops: Vec<TourStop> = Vec::new();
        for (moment, prose) in &self.stops {
            let words = moment.words();
            let stop = follow_stop(&mut session, *moment, prose, n_lines);
            let position = stop.map_err(|reason| format!("the stop {words}: {reason}"))?;
            if stops.last().is_some_and(|last| last.position >= position) {
                return Err(format!(
                    "the tour stop {words} is not later in the run than the previous stop"
                ));
            }
            stops.push(TourStop {
                moment: words,
                position,
                prose: prose.clone(),
            });
        }
        session.run(MAX_STEPS);
        Ok(TourView {
            title: self.title.clone(),
            intro: self.intro.clone(),
            stops,
            length: session.position(),
        })
    }

    /// Returns the number of facts in the tour.
    pub fn n_facts(&self) -> usize {
        let proses = self
            .stops
            .iter()
            .map(|(_, prose)| prose)
            .chain([&self.intro]);
        let pieces = proses.flatten().flatten();
        pieces
            .filter(|piece| matches!(piece, Inline::Fact(_)))
            .count()
    }
}

/// Seeks to a stop, verifies the facts of the stop, and returns the position of the stop.
fn follow_stop(
    session: &mut Session,
    moment: LessonPosition,
    prose: &Prose,
    n_lines: u32,
) -> Result<u64, String> {
    moment.go(session)?;
    let position = session.position();
    check_lines(prose, n_lines)?;
    for piece in prose.iter().flatten() {
        if let Inline::Fact(fact) = piece {
            let found = fact.quantity.find(session)?;
            session.seek(position);
            found.compare(&fact.answer).map_err(|reason| {
                format!(
                    "the statement `{}` does not hold: {reason}; found {}",
                    fact.text,
                    found.text()
                )
            })?;
        }
    }
    Ok(position)
}

fn check_lines(prose: &Prose, n_lines: u32) -> Result<(), String> {
    for piece in prose.iter().flatten() {
        match piece {
            Inline::Line(line) if *line > n_lines => {
                return Err(format!(
                    "the text refers to line {line}, but the source has only {n_lines} lines"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//@ launch grid=1 block=4\n//@ buffer out: u32[4] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
        mad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n";

    fn follow(stops: &str) -> Result<TourView, String> {
        Tour::read(&format!("---\ntitle: T\n---\nIntro.\n\n{stops}"))?.verify_stops(SOURCE)
    }

    #[test]
    fn tour_stops_resolve_to_step_positions() {
        let tour = follow(
            "## start\nNothing: {{out[3] = 0}}.\n\n## line 12\n{{out[0..4] = 0, 1, 2, 3}} by {{lanes = 0-3}}, see [line 10].\n",
        );
        let tour = tour.expect("a tour");
        let at: Vec<u64> = tour.stops.iter().map(|stop| stop.position).collect();
        assert_eq!(at, [0, 4]);
    }

    #[test]
    fn false_facts_and_invalid_stops_are_rejected() {
        let reason = follow("## line 12\n{{out[1] = 2}}\n").expect_err("a wrong fact");
        assert_eq!(
            reason,
            "the stop after line 12: the statement `out[1] = 2` does not hold: the first mismatch is in byte 4 of `out`: element 1 does not contain 2; found 1"
        );
        assert!(follow("## line 12\n[line 50]\n").is_err());
        assert!(follow("## line 12\nA.\n\n## start\nB.\n").is_err());
        assert!(follow("## line 2\nA.\n").is_err());
    }
}
