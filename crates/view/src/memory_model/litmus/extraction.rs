//! Extraction of litmus tests from kernels. The module takes a session, selected lines of a kernel, and selected threads, and returns a
//! litmus test whose thread bodies consist of these lines. Its initial register values and memory contents are the values and contents at
//! the time when the threads reach the selected lines.
//!
//! [`access_watch`] records the position at which each thread reaches the selected lines, and the bytes that the thread accesses in these
//! lines. [`location_table`] derives the locations of the test from these accesses, and [`thread_body`] formats the thread bodies.

pub(crate) mod access_watch;
pub(crate) mod call_parameters;
pub(crate) mod external_effects;
pub(crate) mod location_table;
pub(crate) mod slicing;
pub(crate) mod thread_body;

use crate::memory_model::concurrency::{RaceAccess, RaceView};
use crate::memory_model::litmus::extraction::access_watch::{
    ConflictFinder, LineSelection, ThreadKey, ThreadWatch,
};
use crate::memory_model::litmus::extraction::call_parameters::called_from;
use crate::memory_model::litmus::extraction::external_effects::ExternalEffects;
use crate::memory_model::litmus::extraction::location_table::{LocationTable, WrittenElement};
use crate::memory_model::litmus::extraction::slicing::prune;
use crate::memory_model::litmus::extraction::thread_body::{BodyBuilder, observed_place};
use crate::memory_model::litmus::test::{LitmusTest, LitmusThread};
use crate::memory_model::litmus::test_module::{LitmusError, fail};
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::{FunctionId, Instruction};

/// Maximum number of threads in an extracted litmus test.
const MAX_THREADS: usize = 8;
/// Maximum number of observed registers and locations in an extracted litmus test.
const MAX_OBSERVED: usize = 12;

/// Request of a host for the extraction of a litmus test: lines of a kernel, and threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtractionRequest {
    /// First and last line of the selection, starting at 1.
    pub lines: [u32; 2],
    /// Threads of the test. By default, the test has two threads that access the same bytes in the selected lines, where at least one of
    /// the accesses is a write.
    #[serde(default)]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<ExtractionThread>>", optional)
    )]
    pub threads: Vec<ExtractionThread>,
    /// Step before which the threads execute the lines. If the field is present, the test contains the last execution of the lines by each
    /// thread before this step, otherwise the first execution.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(type = "number | null", optional))]
    pub before: Option<u64>,
}

/// Thread of an [`ExtractionRequest`] that the extracted litmus test must contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(deny_unknown_fields)]
pub struct ExtractionThread {
    pub block: [u32; 3],
    /// Index of the thread in its block.
    pub thread: [u32; 3],
    /// Line that the thread must execute within the selected lines. By default, the thread may execute any of the selected lines.
    #[serde(default)]
    pub line: Option<u32>,
}

impl ExtractionRequest {
    /// Returns a request with the lines and threads of a race, or `None` if one side of the race is the start or exit of a block.
    pub fn from_race(race: &RaceView) -> Option<ExtractionRequest> {
        let (first, second) = (race.first.line?, race.second.line?);
        let thread = |access: &RaceAccess| ExtractionThread {
            block: access.block,
            thread: access.thread,
            line: access.line,
        };
        let mut threads = vec![thread(&race.first), thread(&race.second)];
        threads.dedup_by_key(|thread| (thread.block, thread.thread));
        Some(ExtractionRequest {
            lines: [first.min(second), first.max(second)],
            threads,
            before: Some(race.step),
        })
    }
}

impl Session {
    /// Extracts a litmus test from the kernel. Executes at most `max_steps` steps of the run, and then returns the session to its present
    /// position.
    pub fn litmus_test(
        &mut self,
        request: &ExtractionRequest,
        max_steps: u64,
    ) -> Result<LitmusTest, LitmusError> {
        let stood = self.position();
        let test = LitmusExtractor::new(self, request, max_steps).and_then(LitmusExtractor::cut);
        self.seek(stood);
        test
    }
}

/// Requested thread. If the request specifies a line that the thread must execute, the second element contains the instructions of this
/// line.
type RequestedThread = (ThreadKey, Option<Range<u32>>);

struct LitmusExtractor<'a> {
    session: &'a mut Session,
    request: &'a ExtractionRequest,
    lines: LineSelection,
    max_steps: u64,
}

impl<'a> LitmusExtractor<'a> {
    fn new(
        session: &'a mut Session,
        request: &'a ExtractionRequest,
        max_steps: u64,
    ) -> Result<LitmusExtractor<'a>, LitmusError> {
        if session.scenario().front != SourceLanguage::Ptx {
            return fail("a litmus test can be extracted only from PTX, but the source is SASS");
        }
        if session.program.address_bits != 64 {
            return fail("a litmus test can be extracted only from a module with 64-bit addresses");
        }
        let lines = lines_of(session, request.lines)?;
        Ok(LitmusExtractor {
            session,
            request,
            lines,
            max_steps,
        })
    }

    fn cut(mut self) -> Result<LitmusTest, LitmusError> {
        let threads = self.threads()?;
        let mut watch = ThreadWatch::new(self.lines.clone(), &threads, self.request.before);
        self.session.seek(0);
        self.session
            .timeline
            .run_observed(self.max_steps, &mut watch);
        let Some(start) = watch.start() else {
            return fail("the selected threads do not reach the selected lines in this run");
        };
        let mut others = ExternalEffects::new(
            self.lines.clone(),
            watch.stays.keys().copied(),
            watch.last().unwrap_or(start),
        );
        self.session.seek(start);
        self.session
            .timeline
            .run_observed(self.max_steps, &mut others);
        self.session.seek(start);
        let test = self.test(&watch, &others)?;
        if test.observe.is_empty() {
            return fail("the threads access no common memory location in the selected lines");
        }
        Ok(test)
    }

    /// Returns a litmus test that starts in the present state of the run.
    fn test(
        &mut self,
        watch: &ThreadWatch,
        others: &ExternalEffects,
    ) -> Result<LitmusTest, LitmusError> {
        let touches = watch.stays.values().flat_map(|stay| stay.touched());
        let places = self.session.places_of(touches);
        let mut test = self.frame();
        test.functions = call_parameters::texts(self.session, &self.lines)?;
        test.locations = places.locations(self.session, others)?;
        if test.locations.is_empty() {
            return fail(
                "the threads access no global or shared memory in the selected lines: select lines with loads and stores",
            );
        }
        let bases = places.global_bases();
        let syntax = self.session.instruction_syntax();
        for (thread, stay) in &watch.stays {
            let mut bodies = BodyBuilder {
                session: self.session,
                lines: &self.lines,
                bases: &bases,
                threads: watch.stays.keys().copied().collect(),
                syntax: &syntax,
            };
            test.threads.push(LitmusThread {
                block: thread.block as u32,
                thread: thread.thread,
                body: bodies.body(*thread, stay)?,
                first_line: 0,
            });
        }
        // Add only one observed location now, which is sufficient for `prune`. That function adds the registers that the threads load, and
        // the code below adds the other observed locations.
        test.observe = observed_places(&test, &places)
            .into_iter()
            .take(1)
            .collect();
        let mut test = prune(test)?;
        let written = observed_places(&test, &places);
        test.observe.extend(written);
        test.observe.truncate(MAX_OBSERVED);
        location_table::free_addresses(&mut test);
        Ok(test)
    }

    /// Returns the requested threads in order, each with the instructions of the line that the thread must execute, if the request
    /// specifies this line.
    fn threads(&mut self) -> Result<Vec<RequestedThread>, LitmusError> {
        if self.request.threads.is_empty() {
            let mut meeting = ConflictFinder::new(self.lines.clone());
            self.session.seek(0);
            self.session
                .timeline
                .run_observed(self.max_steps, &mut meeting);
            let found = meeting.threads();
            if found.is_empty() {
                return fail("no thread reaches the selected lines in this run");
            }
            return Ok(found.into_iter().map(|thread| (thread, None)).collect());
        }
        if self.request.threads.len() > MAX_THREADS {
            return fail(format!(
                "found {} selected threads, expected at most {MAX_THREADS}",
                self.request.threads.len()
            ));
        }
        let threads = self.request.threads.iter();
        threads.map(|thread| self.thread(thread)).collect()
    }

    fn thread(&self, thread: &ExtractionThread) -> Result<RequestedThread, LitmusError> {
        let launch = self.session.scenario();
        let (grid, block) = (
            launch.grid.unwrap_or([1; 3]),
            launch.block.unwrap_or([1; 3]),
        );
        let found = ThreadKey {
            block: linear(thread.block, grid),
            thread: linear(thread.thread, block) as u32,
        };
        let n = |extents: [u32; 3]| extents.iter().map(|n| u64::from(*n)).product::<u64>();
        if found.block >= n(grid) || u64::from(found.thread) >= n(block) {
            return fail(format!(
                "the launch has no thread {} in block {}",
                found.thread, found.block
            ));
        }
        let wanted = match thread.line {
            Some(line) => Some(lines_of(self.session, [line, line])?.instructions),
            None => None,
        };
        Ok((found, wanted))
    }

    /// Returns a litmus test with all properties except the bodies of its threads.
    fn frame(&self) -> LitmusTest {
        let launch = self.session.scenario();
        let program = &self.session.program;
        let function = program.functions.get(self.lines.function.0 as usize);
        let kernel = function.map_or("", |function| &function.name);
        let [first, last] = self.request.lines;
        LitmusTest {
            name: format!("Lines {first} to {last} of {kernel}"),
            target: Some(program.target.name.to_owned()),
            ptx_version: Some(program.version.to_string()),
            grid: launch.grid.unwrap_or([1; 3]),
            block: launch.block.unwrap_or([1; 3]),
            cluster: launch.cluster.unwrap_or([1; 3]),
            ..LitmusTest::default()
        }
    }
}

/// Returns the names of the locations that several threads write. If the threads load nothing, returns the names of all written locations.
fn observed_places(test: &LitmusTest, places: &LocationTable) -> Vec<String> {
    let all = places.written();
    let loads = !test.observe.is_empty();
    let shown = all
        .iter()
        .filter(|written| written.has_conflicting_writes || !loads);
    let text = |written: &WrittenElement| {
        let own = |thread: &LitmusThread| Some(u64::from(thread.block)) == written.block;
        let thread = test.threads.iter().position(own);
        observed_place(&written.name, written.element, thread)
    };
    shown.map(text).collect()
}

fn linear(at: [u32; 3], extents: [u32; 3]) -> u64 {
    let [x, y, z] = at.map(u64::from);
    x + u64::from(extents[0]) * (y + u64::from(extents[1]) * z)
}

/// Returns the instructions of the kernel in the selected lines.
fn lines_of(session: &Session, [first, last]: [u32; 2]) -> Result<LineSelection, LitmusError> {
    let program = &session.program;
    let wanted = session.scenario().entry.as_deref();
    let mut entries = program.entries();
    let entry = entries.find(|(_, function)| wanted.is_none_or(|name| function.name == name));
    let Some((function, kernel)) = entry else {
        return fail("found no kernel");
    };
    if let Some(found) = instructions_in(session, function, &kernel.instructions, [first, last]) {
        return Ok(found);
    }
    let other = program.functions.iter().enumerate().find(|(index, other)| {
        let id = FunctionId(*index as u32);
        instructions_in(session, id, &other.instructions, [first, last]).is_some()
    });
    match other {
        Some((_, other)) => fail(format!(
            "lines {first} to {last} belong to the function `{}`, expected lines of the kernel `{}`",
            other.name, kernel.name
        )),
        None => fail(format!(
            "lines {first} to {last} contain no instruction of the kernel `{}`",
            kernel.name
        )),
    }
}

fn instructions_in(
    session: &Session,
    function: FunctionId,
    instructions: &[Instruction],
    [first, last]: [u32; 2],
) -> Option<LineSelection> {
    let is_in = |index: &u32| {
        let line = session.range_of(function, *index).line;
        (first..=last).contains(&line) && !instructions[*index as usize].is_implicit()
    };
    let mut within = (0..instructions.len() as u32).filter(is_in);
    let start = within.next()?;
    let end = within.next_back().unwrap_or(start) + 1;
    Some(LineSelection {
        function,
        instructions: start..end,
        called: called_from(session, function, start..end),
    })
}
