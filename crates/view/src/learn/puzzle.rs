//! Puzzle that the user solves. The module takes a Markdown file and answers of users, and returns the content that the page displays, and
//! the verdict on an answer.
//!
//! All puzzles have the fields `title`, `chapter` and `hint` (repeatable). A puzzle to predict a quantity also has `ask` (a quantity), `at`
//! (a run position, by default `end`), `answer`, and `choice` (repeatable, for multiple choice). In a puzzle to write lines, the kernel
//! contains its solution between `//? answer` and `//? end`, and the initial text of the user after `//? instead`. The field `also`
//! specifies other values of the launch with which an answer is checked, and the field `limit` specifies the cost limit of an answer. An
//! answer is correct if its run has the same final memory as the run of the solution in every launch, without a fault and without a race
//! that the solution does not have.

pub(crate) mod answer_check;
pub(crate) mod launch_variant;
pub(crate) mod run_outcome;

pub use crate::learn::puzzle::run_outcome::RunOutcome;

use crate::learn::launched;
use crate::learn::lesson_file::LessonFile;
use crate::learn::lesson_position::LessonPosition;
use crate::learn::prose;
use crate::learn::prose::{Inline, Prose};
use crate::learn::puzzle::answer_check::{AnswerCheck, CostLimit};
use crate::learn::puzzle::launch_variant::LaunchVariant;
use crate::learn::quantity::Quantity;
use crate::learn::quantity::QuantityValue;

const FIELDS: &[&str] = &[
    "title", "chapter", "hint", "ask", "at", "answer", "choice", "also", "limit",
];
const ANSWER: &str = "//? answer";
const DEFAULT_PLACEHOLDER: &str = "//? instead";
const END: &str = "//? end";
/// Maximum length of an answer of a user in bytes.
const MAX_ANSWER: usize = 20_000;

/// Puzzle that was parsed from its file, which checks answers of users.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    pub title: String,
    pub chapter: String,
    prose: Prose,
    hints: Prose,
    task: PuzzleTask,
}

#[derive(Clone, Debug, PartialEq)]
enum PuzzleTask {
    Predict(Prediction),
    Write(CodeGap),
}

/// Quantity of a run that the user must predict.
#[derive(Clone, Debug, PartialEq)]
struct Prediction {
    source: String,
    ask: String,
    quantity: Quantity,
    moment: LessonPosition,
    choices: Vec<String>,
    answer: String,
}

/// Gap in a kernel that the user must fill with lines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CodeGap {
    before: String,
    placeholder: String,
    answer: String,
    after: String,
    variants: Vec<LaunchVariant>,
    limits: Vec<CostLimit>,
}

/// Content of a puzzle that the page displays: its prose, its question or gap, and its hints.
#[derive(Clone, Debug, PartialEq)]
pub struct PuzzleView {
    pub title: String,
    pub chapter: String,
    pub prose: Prose,
    pub hints: Prose,
    /// Question of a puzzle that asks the user to predict a quantity. The field is absent in a puzzle that asks the user to write lines.
    pub ask: Option<String>,
    /// Position of the run at which the quantity is measured: `at the end`.
    pub moment: Option<String>,
    pub choices: Vec<String>,
    /// Lines of the kernel before the gap.
    pub before: String,
    /// Text that the gap initially contains.
    pub placeholder: String,
    /// Lines of the kernel after the gap.
    pub after: String,
    /// Cost limits that an answer must not exceed.
    pub limits: Vec<String>,
    pub answer: String,
    /// Kernel that contains the solution of the puzzle.
    pub solution: String,
}

/// Verdict on an answer of a user to a puzzle, with the message that the page shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub passed: bool,
    pub sentence: String,
    /// Source of the kernel with the answer in the gap.
    pub source: String,
}

impl Puzzle {
    /// Parses a puzzle file. The error message describes the mistake in the file.
    pub fn read(text: &str) -> Result<Puzzle, String> {
        let sheet = LessonFile::read(text)?;
        sheet.check_names(FIELDS)?;
        let hints = sheet.all("hint").map(prose::read_paragraph);
        let source = sheet.code.clone();
        let source = source
            .ok_or("the puzzle has no kernel, expected a kernel between two lines of three `~`")?;
        let task = match sheet.field("ask") {
            Some(ask) => PuzzleTask::Predict(Prediction::read(&sheet, ask, source)?),
            None => PuzzleTask::Write(CodeGap::read(&sheet, &source)?),
        };
        Ok(Puzzle {
            title: sheet.need("title")?.to_owned(),
            chapter: sheet.need("chapter")?.to_owned(),
            prose: prose::read(&sheet.prose)?,
            hints: hints.collect::<Result<_, _>>()?,
            task,
        })
    }

    /// Returns the content that the page displays.
    pub fn view(&self) -> PuzzleView {
        let mut view = PuzzleView {
            title: self.title.clone(),
            chapter: self.chapter.clone(),
            prose: self.prose.clone(),
            hints: self.hints.clone(),
            ask: None,
            moment: None,
            choices: Vec::new(),
            before: String::new(),
            placeholder: String::new(),
            after: String::new(),
            limits: Vec::new(),
            answer: self.answer().to_owned(),
            solution: self.with(self.answer()),
        };
        match &self.task {
            PuzzleTask::Predict(asked) => {
                view.ask = Some(asked.ask.clone());
                view.moment = Some(asked.moment.words());
                view.choices = asked.choices.clone();
                view.before = asked.source.clone();
            }
            PuzzleTask::Write(gap) => {
                (view.before, view.placeholder) = (gap.before.clone(), gap.placeholder.clone());
                view.after = gap.after.clone();
                view.limits = gap.limits.iter().map(CostLimit::words).collect();
            }
        }
        view
    }

    /// Returns the solution that the puzzle file contains.
    pub fn answer(&self) -> &str {
        match &self.task {
            PuzzleTask::Predict(asked) => &asked.answer,
            PuzzleTask::Write(gap) => &gap.answer,
        }
    }

    /// Checks whether the puzzle asks the user to write lines.
    pub fn is_written(&self) -> bool {
        matches!(self.task, PuzzleTask::Write(_))
    }

    /// Returns the source of the kernel with an answer in the gap.
    pub fn with(&self, answer: &str) -> String {
        match &self.task {
            PuzzleTask::Predict(asked) => asked.source.clone(),
            PuzzleTask::Write(gap) => gap.with(answer),
        }
    }

    /// Runs the kernel and checks whether an answer is correct.
    pub fn check(&self, answer: &str) -> Verdict {
        let checked = match answer.len() {
            0..=MAX_ANSWER => match &self.task {
                PuzzleTask::Predict(asked) => asked.check(answer),
                PuzzleTask::Write(gap) => AnswerCheck::new(gap).check(answer),
            },
            n => Err(format!(
                "the answer has {n} bytes, expected at most {MAX_ANSWER}"
            )),
        };
        let source = self.with(answer);
        match checked {
            Ok(sentence) => Verdict {
                passed: true,
                sentence,
                source,
            },
            Err(sentence) => Verdict {
                passed: false,
                sentence,
                source,
            },
        }
    }

    /// Returns the inline elements of all prose paragraphs of the puzzle.
    pub fn pieces(&self) -> impl Iterator<Item = &Inline> {
        self.prose.iter().chain(&self.hints).flatten()
    }
}

impl Prediction {
    fn read(sheet: &LessonFile, ask: &str, source: String) -> Result<Prediction, String> {
        Ok(Prediction {
            quantity: Quantity::read(ask)?,
            moment: LessonPosition::read(sheet.field("at").unwrap_or("end"))?,
            choices: sheet.all("choice").map(str::to_owned).collect(),
            answer: sheet.need("answer")?.to_owned(),
            ask: ask.to_owned(),
            source,
        })
    }

    /// Returns the value of the predicted quantity in the run.
    fn find(&self) -> Result<QuantityValue, String> {
        let mut session = launched(&self.source).map_err(|failure| failure.message)?;
        self.moment.go(&mut session)?;
        self.quantity.find(&mut session)
    }

    fn check(&self, answer: &str) -> Result<String, String> {
        let found = self.find()?;
        found.compare(answer)?;
        Ok(format!("Correct: {} is {}.", self.ask, found.text()))
    }
}

impl CodeGap {
    fn read(sheet: &LessonFile, source: &str) -> Result<CodeGap, String> {
        let part = |text: &str, mark: &str| -> Result<(String, String), String> {
            let at = text.lines().position(|line| line.trim() == mark);
            let at = at.ok_or_else(|| format!("the kernel of the puzzle has no line `{mark}`"))?;
            let lines = |lines: &mut dyn Iterator<Item = &str>| -> String {
                lines.map(|line| format!("{line}\n")).collect()
            };
            let before = lines(&mut text.lines().take(at));
            Ok((before, lines(&mut text.lines().skip(at + 1))))
        };
        let (before, rest) = part(source, ANSWER)?;
        let (written, after) = part(&rest, END)?;
        let (answer, given) = match part(&written, DEFAULT_PLACEHOLDER) {
            Ok(parts) => parts,
            Err(_) => (written, String::new()),
        };
        let variants = sheet.all("also").map(LaunchVariant::read);
        let limits = sheet.all("limit").map(CostLimit::read);
        Ok(CodeGap {
            before,
            placeholder: given,
            answer,
            after,
            variants: variants.collect::<Result<_, _>>()?,
            limits: limits.collect::<Result<_, _>>()?,
        })
    }

    pub(crate) fn with(&self, answer: &str) -> String {
        let end = if answer.is_empty() || answer.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        [&self.before, answer, end, &self.after].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: &str = "---\ntitle: T\nchapter: C\nalso: x = 5, 6, 7, 8\n---\nCopy.\n\n~~~ptx\n\
        //@ launch grid=1 block=4\n//@ buffer x: u32[4] = iota\n//@ buffer out: u32[4] = 0\n\
        .version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x, .param .u64 out)\n{\n\
        .reg .b32 %r<4>; .reg .b64 %rd<6>;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [out];\n\
        mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\n\
        ld.global.u32 %r2, [%rd4];\n//? answer\nst.global.u32 [%rd5], %r2;\n//? instead\n// here\n//? end\nret;\n}\n~~~\n";

    fn says(answer: &str) -> String {
        let puzzle = Puzzle::read(WRITE).expect("a puzzle");
        let verdict = puzzle.check(answer);
        format!("{} {}", verdict.passed, verdict.sentence)
    }

    #[test]
    fn reference_solution_passes_and_placeholder_fails() {
        let puzzle = Puzzle::read(WRITE).expect("a puzzle");
        assert!(puzzle.check(puzzle.answer()).passed);
        assert_eq!(puzzle.view().placeholder, "// here\n");
        assert!(!puzzle.check(&puzzle.view().placeholder).passed);
    }

    #[test]
    fn wrong_solution_names_first_mismatched_byte() {
        assert_eq!(
            says("st.global.u32 [%rd5], %r1;"),
            "false for `x = 5, 6, 7, 8`: found 0x00 in byte 0 of `out` (element 0), expected 0x05; written by lane 0 in line 17"
        );
        assert_eq!(
            says(""),
            "false found 0x00 in byte 4 of `out` (element 1), expected 0x01; not written by any lane"
        );
        assert!(says("st.global.u32 [%rd5], %r9;").starts_with("false line 17: "));
        assert!(says("st.global.u32 [%rd5+1], %r2;").starts_with("false line 17: "));
    }

    #[test]
    fn prediction_is_compared_with_run() {
        let text = "---\ntitle: T\nchapter: C\nask: out[0..2]\nanswer: 0, 3\n---\nSay.\n\n~~~ptx\n\
            //@ launch grid=1 block=4\n//@ buffer out: u32[4] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n\
        .visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n\
        mad.wide.u32 %rd2, %r1, 4, %rd1;\nmul.lo.u32 %r2, %r1, 3;\nst.global.u32 [%rd2], %r2;\nret;\n}\n~~~\n";
        let puzzle = Puzzle::read(text).expect("a puzzle");
        let right = puzzle.check("0 3");
        assert!(right.passed, "{}", right.sentence);
        assert_eq!(
            puzzle.check("0, 4").sentence,
            "the first mismatch is in byte 4 of `out`: element 1 does not contain 4"
        );
    }

    #[test]
    fn invalid_puzzle_file_is_rejected() {
        assert!(Puzzle::read("").is_err());
        assert!(
            Puzzle::read("---\ntitle: T\nchapter: C\n---\n~~~\nret;\n~~~\n")
                .is_err_and(|reason| reason.contains("//? answer"))
        );
    }
}
