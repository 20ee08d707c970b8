//! From a test to a question. Each body becomes a kernel of one module, so that the checker and the tables say what its lines mean; a
//! location is a register that holds its address.

use super::ask::Asker;
use super::functions::{Functions, Inlined};
use super::launch::Shape;
use super::test::LitmusTest;
use crate::front_ends::front_end;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use warpgrid_launch::Front;
use warpgrid_order::explore::{ExploreError, Question};
use warpgrid_program::{Diagnostic, LineIndex, Overrides, Severity};

/// Longest body, in bytes.
const MOST_BYTES: usize = 1 << 16;

/// Why a test has no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LitmusError {
    /// Whose instruction it is.
    pub thread: Option<u32>,
    /// Line of the source, starting at 1, or line of the thread body if the test has no source.
    pub line: Option<u32>,
    pub message: String,
}

impl fmt::Display for LitmusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

pub(super) fn fail<T>(message: impl Into<String>) -> Result<T, LitmusError> {
    Err(LitmusError {
        thread: None,
        line: None,
        message: message.into(),
    })
}

/// A test that is understood.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(crate) question: Question,
    /// By thread and instruction: the line of its body, from 0.
    lines: Vec<Vec<u32>>,
    /// By thread and instruction: its text, guard to semicolon.
    statements: Vec<Vec<String>>,
    /// By location of the question: the location of the test.
    pub(crate) origins: Vec<usize>,
}

impl Prepared {
    /// The line of a thread's body where an instruction is, from 0.
    pub(crate) fn line(&self, thread: usize, instruction: u32) -> u32 {
        let lines = self.lines.get(thread).map_or(&[][..], |lines| lines);
        let line = lines.get(instruction as usize).or(lines.last());
        line.copied().unwrap_or(0)
    }

    /// The text of an instruction.
    pub(crate) fn statement(&self, thread: usize, instruction: u32) -> &str {
        let statements = self.statements.get(thread);
        let found = statements.and_then(|all| all.get(instruction as usize));
        found.map_or("", |statement| statement)
    }

    pub(crate) fn error(&self, test: &LitmusTest, error: &ExploreError) -> LitmusError {
        let place = match error {
            ExploreError::NoPlace {
                thread,
                instruction,
                ..
            } => Some((*thread, self.line(*thread, *instruction))),
            _ => None,
        };
        LitmusError {
            thread: place.map(|(thread, _)| thread as u32),
            line: place.map(|(thread, line)| shown_line(test, thread, line)),
            message: error.to_string(),
        }
    }
}

/// Returns the displayed line number.
pub(crate) fn shown_line(test: &LitmusTest, thread: usize, line: u32) -> u32 {
    let first = test
        .threads
        .get(thread)
        .map_or(0, |thread| thread.first_line);
    first.max(1) + line
}

/// The text of a module, and where each body is in it.
struct Text {
    source: String,
    /// By thread: the lines of its body that call something, with what is called in their place.
    calls: Vec<Vec<u32>>,
    /// By line of the source, from 0: thread and line of its body.
    places: Vec<Option<(usize, u32)>>,
}

/// Understands a test.
pub fn prepare(test: &LitmusTest) -> Result<Prepared, LitmusError> {
    check_shape(test)?;
    let text = module_of(test)?;
    let source = Cow::Borrowed(text.source.as_str());
    let document = front_end(Front::Ptx).open(source, &Overrides::default());
    let checked = document.check();
    let index = LineIndex::new(&text.source);
    let place_of = |offset: u32| {
        let line = index.line(offset) as usize;
        text.places.get(line.checked_sub(1)?).copied().flatten()
    };
    let error = checked
        .diagnostics
        .iter()
        .find(|found| found.severity == Severity::Error);
    if let Some(found) = error {
        return Err(of_diagnostic(test, found, place_of(found.span.start)));
    }
    let Some(program) = checked.program else {
        return fail("the bodies of the threads do not form a valid PTX module");
    };
    let lines = program.functions.iter().map(|function| {
        let lines = function.instructions.iter();
        let lines = lines.map(|i| place_of(i.span.start).map_or(0, |(_, line)| line));
        lines.collect()
    });
    let lines: Vec<Vec<u32>> = lines.collect();
    let called = text.calls.iter().zip(&lines).map(|(calls, lines)| {
        let called = lines
            .iter()
            .map(|line| Some(*line).filter(|line| calls.contains(line)));
        called.collect()
    });
    let called: Vec<Vec<Option<u32>>> = called.collect();
    let statements = program.functions.iter().map(|function| {
        let statements = function.instructions.iter();
        let statements = statements.map(|i| i.span.text(&text.source).to_owned());
        statements.collect()
    });
    let statements = statements.collect();
    let (question, origins) = Asker::new(test)?.ask(program, &called)?;
    Ok(Prepared {
        question,
        lines,
        statements,
        origins,
    })
}

fn of_diagnostic(
    test: &LitmusTest,
    found: &Diagnostic,
    place: Option<(usize, u32)>,
) -> LitmusError {
    LitmusError {
        thread: place.map(|(thread, _)| thread as u32),
        line: place.map(|(thread, line)| shown_line(test, thread, line)),
        message: format!("{} {}", found.code, found.message),
    }
}

/// Refuses what no module could be made of.
fn check_shape(test: &LitmusTest) -> Result<(), LitmusError> {
    if test.threads.is_empty() {
        return fail("the litmus test has no threads, expected at least one");
    }
    let bytes: usize = test
        .threads
        .iter()
        .flat_map(|t| &t.body)
        .chain(&test.functions)
        .map(String::len)
        .sum();
    if bytes > MOST_BYTES {
        return fail(format!(
            "the threads and functions have {bytes} bytes of source text, expected at most {MOST_BYTES}"
        ));
    }
    let shape = Shape::new(test)?;
    let mut pieces = BTreeSet::new();
    for location in &test.locations {
        let name = &location.name;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'));
        if !is_name || !pieces.insert((name, location.offset, location.block)) {
            return fail(format!(
                "the location name `{name}` is invalid, reserved or already used: select another name"
            ));
        }
    }
    for thread in &test.threads {
        if u64::from(thread.block) >= shape.n_blocks() || thread.thread >= shape.n_threads() {
            return fail(format!(
                "the launch has no thread {} in block {}",
                thread.thread, thread.block
            ));
        }
    }
    Ok(())
}

/// The module: a kernel for each thread.
fn module_of(test: &LitmusTest) -> Result<Text, LitmusError> {
    let functions = Functions::read(&test.functions)?;
    let version = test.ptx_version.as_deref().unwrap_or("8.6");
    let target = test.target.as_deref().unwrap_or("sm_90");
    let mut text = Text {
        source: String::new(),
        calls: Vec::new(),
        places: Vec::new(),
    };
    text.line(&format!(".version {version}"), None);
    text.line(&format!(".target {target}"), None);
    text.line(".address_size 64", None);
    for (number, thread) in test.threads.iter().enumerate() {
        text.line(&format!(".visible .entry thread{number}()"), None);
        text.line("{", None);
        text.line(&registers_of(test, number), None);
        for line in names_of(test) {
            text.line(&line, None);
        }
        let Inlined { lines, calls } = functions.inline(&thread.body)?;
        text.calls.push(calls);
        for (line, body) in lines.iter().enumerate() {
            for part in body.split('\n') {
                text.line(part, Some((number, line as u32)));
            }
        }
        text.line("ret;", None);
        text.line("}", None);
    }
    for line in functions.text() {
        text.line(&line, None);
    }
    Ok(text)
}

impl Text {
    fn line(&mut self, line: &str, place: Option<(usize, u32)>) {
        self.source.push_str(line);
        self.source.push('\n');
        self.places.push(place);
    }
}

/// The registers that hold the addresses of locations; the pieces of one have one.
fn names_of(test: &LitmusTest) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for location in &test.locations {
        let bits = if location.space == "global" { 64 } else { 32 };
        lines.insert(format!(".reg .b{bits} {};", location.name));
        if location.space.ends_with("::cluster") {
            lines.insert(format!(".reg .b32 own_{};", location.name));
        }
    }
    lines
}

/// The registers that a body may name without a declaration, by their stems.
pub(super) const STEMS: [(&str, &str); 6] = [
    ("%rd", "b64"),
    ("%rs", "b16"),
    ("%r", "b32"),
    ("%p", "pred"),
    ("%fd", "f64"),
    ("%f", "f32"),
];

/// Declarations of the registers that a body, or what is observed, names with such a stem; those that the body declares itself are left out.
fn registers_of(test: &LitmusTest, number: usize) -> String {
    let body = test
        .threads
        .get(number)
        .map_or(&[][..], |thread| &thread.body);
    let declared = || body.iter().filter(|text| text.contains(".reg"));
    let mut line = String::new();
    for (stem, ty) in STEMS {
        if declared().any(|text| text.contains(&format!("{stem}<"))) {
            continue;
        }
        let named = body
            .iter()
            .chain(&test.observe)
            .flat_map(|text| numbers_after(text, stem));
        let own: BTreeSet<u32> = declared()
            .flat_map(|text| numbers_after(text, stem))
            .collect();
        let named: BTreeSet<u32> = named.filter(|n| !own.contains(n)).collect();
        let mut separator = format!(".reg .{ty} ");
        for n in named {
            // Writing to a string cannot fail.
            let _ = write!(line, "{separator}{stem}{n}");
            separator = ", ".to_owned();
        }
        if separator == ", " {
            line.push_str("; ");
        }
    }
    line
}

/// The numbers of registers with this stem.
fn numbers_after<'t>(text: &'t str, stem: &'t str) -> impl Iterator<Item = u32> + 't {
    text.match_indices(stem).filter_map(move |(at, _)| {
        let rest = text.get(at + stem.len()..)?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest.get(..end)?.parse().ok()
    })
}
