//! Conversion of a litmus test to a PTX module and an exploration query. Each thread body becomes a kernel of the module, so that the
//! checker and the instruction tables define the semantics of the body. Each location becomes a register that contains the address of the
//! location.

use crate::memory_model::litmus::launch::LaunchShape;
use crate::memory_model::litmus::query_builder::QueryBuilder;
use crate::memory_model::litmus::test::LitmusTest;
use crate::model::text::EditView;
use crate::source::front_ends::front_end;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use warpgrid_launch::SourceLanguage;
use warpgrid_order::explore::{ExploreError, LitmusQuery};
use warpgrid_program::{
    Diagnostic, Edit, FunctionId, InlineError, InlineErrorKind, Inlined, LineIndex, Overrides,
    Severity, Span,
};

/// Maximum length of a thread body in bytes.
const MAX_BYTES: usize = 1 << 16;

/// Reason why a litmus test has no result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LitmusError {
    /// Thread whose body contains the error. Absent if the error does not belong to a thread.
    pub thread: Option<u32>,
    /// Line of the error in the source, starting at 1, or in the thread body if the test has no source.
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

pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T, LitmusError> {
    Err(LitmusError {
        thread: None,
        line: None,
        message: message.into(),
    })
}

/// Litmus test that passed the checker, with its module and its exploration query.
#[derive(Clone, Debug)]
pub struct PreparedTest {
    pub(crate) question: LitmusQuery,
    /// For each thread, the span of each instruction in the module.
    spans: Vec<Vec<Span>>,
    text: ModuleText,
    /// For each location of the query, the index of the corresponding location in the test.
    pub(crate) origins: Vec<usize>,
}

impl PreparedTest {
    /// Returns the line of the thread body that contains an instruction, starting at 0.
    pub(crate) fn line(&self, thread: usize, instruction: u32) -> u32 {
        let place = self.text.place_of(self.span(thread, instruction).start);
        place.map_or(0, |(_, line)| line)
    }

    /// Returns the span of an instruction in the module.
    pub(crate) fn span(&self, thread: usize, instruction: u32) -> Span {
        let spans = self.spans.get(thread).map_or(&[][..], |spans| spans);
        let span = spans.get(instruction as usize).or(spans.last());
        span.copied().unwrap_or_default()
    }

    /// Returns the source of the module that contains the threads as kernels.
    pub(crate) fn source(&self) -> &str {
        &self.text.source
    }

    /// Converts an edit of the module to an edit of the test.
    pub(crate) fn edit(&self, test: &LitmusTest, edit: Edit) -> EditView {
        let position = |offset: u32| {
            let position = self.text.lines.position(&self.text.source, offset);
            let place = self.text.place_of(offset);
            let line = place.map_or(0, |(thread, line)| shown_line(test, thread, line));
            (line, position.column)
        };
        let (line, column) = position(edit.span.start);
        let (end_line, end_column) = position(edit.span.end);
        EditView {
            line,
            column,
            end_line,
            end_column,
            text: edit.text,
        }
    }

    pub(crate) fn error(&self, test: &LitmusTest, error: &ExploreError) -> LitmusError {
        let place = match error {
            ExploreError::Unsupported {
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

/// Returns the line number that a host displays for a line of a thread body.
pub(crate) fn shown_line(test: &LitmusTest, thread: usize, line: u32) -> u32 {
    let first = test
        .threads
        .get(thread)
        .map_or(0, |thread| thread.first_line);
    first.max(1) + line
}

/// Source of a module, with the positions of the thread bodies.
#[derive(Clone, Debug)]
struct ModuleText {
    source: String,
    lines: LineIndex,
    /// For each line of the module, starting at 0, the thread and the line of the thread body, or `None` for a line outside of the thread
    /// bodies.
    places: Vec<Option<(usize, u32)>>,
}

impl ModuleText {
    /// Returns the thread and the line of its body that contain a byte offset of the module.
    fn place_of(&self, offset: u32) -> Option<(usize, u32)> {
        let line = self.lines.line(offset) as usize;
        self.places.get(line.checked_sub(1)?).copied().flatten()
    }
}

/// Returns the name of the kernel of a thread.
pub(crate) fn kernel_name(thread: usize) -> String {
    format!("thread{thread}")
}

/// Checks a litmus test and builds its exploration query.
pub fn prepare(test: &LitmusTest) -> Result<PreparedTest, LitmusError> {
    check_shape(test)?;
    let text = module_of(test);
    let source = Cow::Borrowed(text.source.as_str());
    let document = front_end(SourceLanguage::Ptx).open(source, &Overrides::default());
    let checked = document.check();
    let error = checked
        .diagnostics
        .iter()
        .find(|found| found.severity == Severity::Error);
    if let Some(found) = error {
        return Err(of_diagnostic(test, found, text.place_of(found.span.start)));
    }
    let Some(program) = checked.program else {
        return fail("the bodies of the threads do not form a valid PTX module");
    };
    let is_kernel = |number: usize, name: &str| name == kernel_name(number);
    let ids = (0..test.threads.len()).filter_map(|number| {
        let mut functions = program.functions.iter();
        let index = functions.position(|own| is_kernel(number, &own.name))?;
        Some(FunctionId(index as u32))
    });
    let ids: Vec<FunctionId> = ids.collect();
    let inlined = program.inlined(&ids);
    let (program, calls) =
        inlined.map_err(|error| of_inlining(test, &error, text.place_of(error.call.start)))?;
    let (mut spans, mut called) = (Vec::new(), Vec::new());
    for Inlined { id, replaces_call } in calls {
        let function = program.functions.get(id.0 as usize);
        let all = function.map_or(&[][..], |function| &function.instructions);
        let all: Vec<Span> = all.iter().map(|own| own.span).collect();
        let lines = all.iter().map(|span| text.place_of(span.start));
        let lines = lines.map(|place| place.map_or(0, |(_, line)| line));
        let lines = lines.zip(replaces_call);
        called.push(
            lines
                .map(|(line, replaces_call)| replaces_call.then_some(line))
                .collect(),
        );
        spans.push(all);
    }
    let (question, origins) = QueryBuilder::new(test)?.ask(program, &called)?;
    drop(document);
    Ok(PreparedTest {
        question,
        spans,
        text,
        origins,
    })
}

fn of_inlining(test: &LitmusTest, error: &InlineError, place: Option<(usize, u32)>) -> LitmusError {
    let message = match &error.kind {
        InlineErrorKind::TooDeep(name) => format!(
            "the function `{name}` is called at depth 8, but litmus tests support only smaller call depths and no recursion"
        ),
        InlineErrorKind::TooManyInstructions => {
            "the thread has too many instructions after the calls are inlined: reduce the number of calls or the size of the functions".to_owned()
        }
        InlineErrorKind::Undefined(name) => format!(
            "the called function `{name}` has no definition: define the function with `.func` before the first thread"
        ),
        InlineErrorKind::Indirect => {
            "found an indirect call, expected a direct call of a named function".to_owned()
        }
        InlineErrorKind::Parameter(name) => format!(
            "found the parameter `{name}` in a call, expected a register or a number of 16, 32 or 64 bits"
        ),
    };
    LitmusError {
        thread: place.map(|(thread, _)| thread as u32),
        line: place.map(|(thread, line)| shown_line(test, thread, line)),
        message,
    }
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

/// Returns an error if a test cannot be converted to a module.
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
    if bytes > MAX_BYTES {
        return fail(format!(
            "the threads and functions have {bytes} bytes of source text, expected at most {MAX_BYTES}"
        ));
    }
    let shape = LaunchShape::new(test)?;
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

/// Returns the module of a test, which consists of the functions of the test and one kernel for each thread.
fn module_of(test: &LitmusTest) -> ModuleText {
    let version = test.ptx_version.as_deref().unwrap_or("8.6");
    let target = test.target.as_deref().unwrap_or("sm_90");
    let (mut source, mut places) = (String::new(), Vec::new());
    let mut add = |line: &str, place: Option<(usize, u32)>| {
        source.push_str(line);
        source.push('\n');
        places.push(place);
    };
    add(&format!(".version {version}"), None);
    add(&format!(".target {target}"), None);
    add(".address_size 64", None);
    for line in test.functions.iter().flat_map(|text| text.split('\n')) {
        add(line, None);
    }
    for (number, thread) in test.threads.iter().enumerate() {
        add(&format!(".visible .entry {}()", kernel_name(number)), None);
        add("{", None);
        for (stem, ty) in STEMS {
            add(&format!(".reg .{ty} {stem}<{MAX_REGISTERS}>;"), None);
        }
        for line in names_of(test) {
            add(&line, None);
        }
        // The braces open a scope, so that declarations in the body shadow declarations of the same name outside of the scope.
        add("{", None);
        for (line, body) in (0..).zip(&thread.body) {
            for part in body.split('\n') {
                add(part, Some((number, line)));
            }
        }
        add("ret;", None);
        add("} }", None);
    }
    ModuleText {
        lines: LineIndex::new(&source),
        source,
        places,
    }
}

/// Returns the names of the registers that contain the addresses of locations. Locations with the same name share a register.
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

/// Maximum number of implicitly declared registers for each stem.
const MAX_REGISTERS: u32 = 100_000;

/// Stems of the registers that a thread body can use without a declaration, with the type of these registers.
pub(crate) const STEMS: [(&str, &str); 6] = [
    ("%rd", "b64"),
    ("%rs", "b16"),
    ("%r", "b32"),
    ("%p", "pred"),
    ("%fd", "f64"),
    ("%f", "f32"),
];
