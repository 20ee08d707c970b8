//! From a test to a question. Each body becomes a kernel of one module, so that the checker and the tables say what its lines mean; a
//! location is a register that holds its address.

use super::test::{LitmusLocation, LitmusTest};
use super::text::MOST_ELEMENTS;
use crate::front_ends::front_end;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;
use warpgrid_emulator::{Launch, MbarrierState, Misaligned};
use warpgrid_isa::ScalarType;
use warpgrid_launch::Front;
use warpgrid_order::explore::{
    ExploreError, Limits, Location, LocationKind, Observed, Question, ThreadSpec, window,
};
use warpgrid_program::{
    Diagnostic, Function, FunctionId, LineIndex, Overrides, Program, RegisterId, Severity,
};

/// Where global locations start, and how far apart they are.
const GLOBAL: u64 = 1 << 32;
const GLOBAL_APART: u64 = 1 << 16;
/// Clusters that the threads of a test may be in.
const MOST_CLUSTERS: usize = 64;
/// Longest body, in bytes.
const MOST_BYTES: usize = 1 << 16;

/// Why a test has no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LitmusError {
    /// Whose instruction it is.
    pub thread: Option<u32>,
    /// Of the text, from 1; of the body of a test that has no text.
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

fn fail<T>(message: impl Into<String>) -> Result<T, LitmusError> {
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

/// The line as a person counts it.
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
    /// By line of the source, from 0: thread and line of its body.
    places: Vec<Option<(usize, u32)>>,
}

/// Understands a test.
pub fn prepare(test: &LitmusTest) -> Result<Prepared, LitmusError> {
    check_shape(test)?;
    let text = module_of(test);
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
        return fail("the bodies of the threads are no program");
    };
    let lines = program.functions.iter().map(|function| {
        let lines = function.instructions.iter();
        let lines = lines.map(|i| place_of(i.span.start).map_or(0, |(_, line)| line));
        lines.collect()
    });
    let lines = lines.collect();
    let statements = program.functions.iter().map(|function| {
        let statements = function.instructions.iter();
        let statements = statements.map(|i| i.span.text(&text.source).to_owned());
        statements.collect()
    });
    let statements = statements.collect();
    let (question, origins) = Asker::new(test)?.ask(program)?;
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
        return fail("found no threads, expected at least one");
    }
    let bytes: usize = test
        .threads
        .iter()
        .flat_map(|t| &t.body)
        .map(String::len)
        .sum();
    if bytes > MOST_BYTES {
        return fail(format!(
            "the bodies have {bytes} bytes, expected at most {MOST_BYTES}"
        ));
    }
    for extents in [test.grid, test.block, test.cluster] {
        if extents[1..] != [1, 1] || extents[0] == 0 {
            return fail("found a launch that is not along x alone, expected [n, 1, 1]");
        }
    }
    let mut names = BTreeSet::new();
    for location in &test.locations {
        let name = &location.name;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name || !names.insert(name) {
            return fail(format!(
                "found `{name}` as the name of a location, expected a name of its own"
            ));
        }
    }
    for thread in &test.threads {
        if thread.block >= test.grid[0] || thread.thread >= test.block[0] {
            return fail(format!(
                "found thread {} of block {}, expected one of the launch",
                thread.thread, thread.block
            ));
        }
    }
    Ok(())
}

/// The module: a kernel for each thread.
fn module_of(test: &LitmusTest) -> Text {
    let version = test.ptx_version.as_deref().unwrap_or("8.6");
    let target = test.target.as_deref().unwrap_or("sm_90");
    let mut text = Text {
        source: String::new(),
        places: Vec::new(),
    };
    text.line(&format!(".version {version}"), None);
    text.line(&format!(".target {target}"), None);
    text.line(".address_size 64", None);
    for (number, thread) in test.threads.iter().enumerate() {
        text.line(&format!(".visible .entry thread{number}()"), None);
        text.line("{", None);
        text.line(&registers_of(test, number), None);
        for location in &test.locations {
            let bits = if location.space == "global" { 64 } else { 32 };
            text.line(&format!(".reg .b{bits} {};", location.name), None);
            if location.space.ends_with("::cluster") {
                text.line(&format!(".reg .b32 own_{};", location.name), None);
            }
        }
        for (line, body) in thread.body.iter().enumerate() {
            for part in body.split('\n') {
                text.line(part, Some((number, line as u32)));
            }
        }
        text.line("ret;", None);
        text.line("}", None);
    }
    text
}

impl Text {
    fn line(&mut self, line: &str, place: Option<(usize, u32)>) {
        self.source.push_str(line);
        self.source.push('\n');
        self.places.push(place);
    }
}

/// The registers that a body may name without a declaration, by their stems.
const STEMS: [(&str, &str); 6] = [
    ("%rd", "b64"),
    ("%rs", "b16"),
    ("%r", "b32"),
    ("%p", "pred"),
    ("%fd", "f64"),
    ("%f", "f32"),
];

fn registers_of(test: &LitmusTest, number: usize) -> String {
    let body = test
        .threads
        .get(number)
        .map_or(&[][..], |thread| &thread.body);
    let mut line = String::new();
    for (stem, ty) in STEMS {
        let is_declared = body
            .iter()
            .any(|text| text.contains(".reg") && text.contains(&format!("{stem}<")));
        let named = body
            .iter()
            .chain(&test.observe)
            .flat_map(|text| numbers_after(text, stem));
        let n = named.max().unwrap_or(0).min(4095) + 1;
        if !is_declared {
            // Writing to a string cannot fail.
            let _ = write!(line, ".reg .{ty} {stem}<{n}>; ");
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

/// Puts a question together.
struct Asker<'a> {
    test: &'a LitmusTest,
    /// Number of each cluster that has threads of the test.
    clusters: BTreeMap<u32, u64>,
    locations: Vec<Location>,
    origins: Vec<usize>,
    /// By location of the test and block, where it is; global ones have no block.
    places: BTreeMap<(usize, Option<u32>), u64>,
}

impl<'a> Asker<'a> {
    fn new(test: &'a LitmusTest) -> Result<Asker<'a>, LitmusError> {
        let size = test.cluster[0];
        let clusters: BTreeSet<u32> = test.threads.iter().map(|t| t.block / size).collect();
        if clusters.len() > MOST_CLUSTERS || size > 16 {
            return fail(format!(
                "found threads of {} clusters, expected at most {MOST_CLUSTERS}, of at most 16 blocks",
                clusters.len()
            ));
        }
        let clusters = clusters.into_iter().zip(0..).collect();
        let mut asker = Asker {
            test,
            clusters,
            locations: Vec::new(),
            origins: Vec::new(),
            places: BTreeMap::new(),
        };
        asker.place_all()?;
        Ok(asker)
    }

    fn place_all(&mut self) -> Result<(), LitmusError> {
        let mut offset = 0;
        for (index, location) in self.test.locations.iter().enumerate() {
            let (element_bytes, init) = contents(location)?;
            let kind = kind_of(location)?;
            let n_bytes = u64::from(element_bytes) * init.len() as u64;
            let add = |this: &mut Self, block: Option<u32>, start: u64| {
                this.places.insert((index, block), start);
                this.origins.push(index);
                this.locations.push(Location {
                    name: location.name.clone(),
                    start,
                    element_bytes,
                    init: init.clone(),
                    kind,
                });
            };
            if kind == LocationKind::Global {
                add(self, None, GLOBAL + GLOBAL_APART * index as u64);
                continue;
            }
            for block in self.blocks() {
                let start = self.shared_start(block) + offset;
                add(self, Some(block), start);
            }
            offset += n_bytes.next_multiple_of(16);
        }
        Ok(())
    }

    /// Blocks whose shared memory threads of the test can reach, in order.
    fn blocks(&self) -> Vec<u32> {
        let size = self.test.cluster[0];
        let of_cluster = |cluster: &u32| cluster * size..(cluster + 1) * size;
        self.clusters.keys().flat_map(of_cluster).collect()
    }

    fn shared_start(&self, block: u32) -> u64 {
        let size = self.test.cluster[0];
        let cluster = self.clusters.get(&(block / size)).copied().unwrap_or(0);
        window(cluster, u64::from(block % size))
    }

    fn ask(self, program: Program) -> Result<(Question, Vec<usize>), LitmusError> {
        let mut threads = Vec::new();
        for number in 0..self.test.threads.len() {
            let name = format!("thread{number}");
            let found = program.functions.iter().position(|f| f.name == name);
            let function = found.and_then(|i| Some((i, program.functions.get(i)?)));
            let Some((id, function)) = function else {
                return fail("a body ends its kernel: leave out its last brace");
            };
            threads.push(self.thread(number, FunctionId(id as u32), function));
        }
        let observed: Result<_, _> = self
            .test
            .observe
            .iter()
            .map(|text| self.observed(text, &program))
            .collect();
        let question = Question {
            launch: self.launch(),
            threads,
            observed: observed?,
            locations: self.locations,
            limits: Limits::default(),
            program: Arc::new(program),
        };
        Ok((question, self.origins))
    }

    fn launch(&self) -> Launch {
        Launch {
            entry: FunctionId(0),
            grid: self.test.grid,
            block: self.test.block,
            cluster: self.test.cluster,
            dynamic_shared_bytes: 0,
            buffers: Vec::new(),
            images: Vec::new(),
            multicasts: Vec::new(),
            arguments: Vec::new(),
            seed: 0,
            track_writers: false,
            registers: Vec::new(),
            misaligned: Misaligned::default(),
        }
    }

    fn thread(&self, number: usize, id: FunctionId, function: &Function) -> ThreadSpec {
        let thread = self.test.threads.get(number).cloned().unwrap_or_default();
        let size = self.test.cluster[0];
        let first = thread.block / size * size;
        let mut registers = Vec::new();
        for (index, location) in self.test.locations.iter().enumerate() {
            let mut set = |name: &str, block: Option<u32>| {
                let register = register_of(function, name);
                let place = self.places.get(&(index, block));
                registers.extend(register.zip(place.copied()));
            };
            let own = Some(thread.block);
            match location.space.as_str() {
                "global" => set(&location.name, None),
                space if space.ends_with("::cluster") => {
                    set(&location.name, Some(first));
                    set(&format!("own_{}", location.name), own);
                }
                _ => set(&location.name, own),
            }
        }
        ThreadSpec {
            function: id,
            block: [thread.block, 0, 0],
            block_index: u64::from(thread.block),
            cluster_index: self
                .clusters
                .get(&(thread.block / size))
                .copied()
                .unwrap_or(0),
            rank: u64::from(thread.block % size),
            thread: thread.thread,
            registers,
        }
    }

    fn observed(&self, text: &str, program: &Program) -> Result<Observed, LitmusError> {
        if let Some((thread, register)) = text.split_once(':')
            && let Ok(thread) = thread.trim().parse::<usize>()
            && thread < self.test.threads.len()
        {
            let name = format!("thread{thread}");
            let function = program.functions.iter().find(|f| f.name == name);
            let register = function.and_then(|f| register_of(f, register.trim()));
            return Ok(Observed::Register { thread, register });
        }
        let place = text.strip_suffix(']').and_then(|text| text.split_once('['));
        let (name, element) = place.unwrap_or((text, "0"));
        let location = self
            .locations
            .iter()
            .position(|location| location.name == name);
        let element = element.parse::<usize>().ok();
        match (location, element) {
            (Some(location), Some(element)) if self.has_element(location, element) => {
                Ok(Observed::Memory { location, element })
            }
            _ => fail(format!(
                "found `{text}` among what is observed, expected a register such as `0:%r0` or a place such as `x[0]`"
            )),
        }
    }

    fn has_element(&self, location: usize, element: usize) -> bool {
        let found = self.locations.get(location);
        found.is_some_and(|location| element < location.init.len())
    }
}

fn register_of(function: &Function, name: &str) -> Option<RegisterId> {
    let index = function.registers.names().position(|other| other == name)?;
    Some(RegisterId(index as u32))
}

/// Bytes of an element, and what each holds.
fn contents(location: &LitmusLocation) -> Result<(u32, Vec<u64>), LitmusError> {
    let name = &location.name;
    if location.space.starts_with("mbarrier") {
        let object = MbarrierState::new(location.count.unwrap_or(1));
        return match object {
            Ok(object) => Ok((8, vec![object.word()])),
            Err(_) => fail(format!("`{name}` expects no arrivals, expected at least 1")),
        };
    }
    let ty = location.ty.as_deref().unwrap_or("u32");
    let bytes = ScalarType::from_name(ty).map(ScalarType::width_bytes);
    let Some(bytes) = bytes.filter(|bytes| (1..=8).contains(bytes)) else {
        return fail(format!(
            "found `{ty}` as the type of `{name}`, expected one of 8 to 64 bits such as `u32`"
        ));
    };
    let n = location.init.len();
    if n == 0 || n > MOST_ELEMENTS {
        return fail(format!(
            "`{name}` has {n} elements, expected 1 to {MOST_ELEMENTS}"
        ));
    }
    let keep = u64::MAX >> (64 - 8 * bytes);
    Ok((
        bytes,
        location.init.iter().map(|value| value & keep).collect(),
    ))
}

fn kind_of(location: &LitmusLocation) -> Result<LocationKind, LitmusError> {
    match location.space.as_str() {
        "global" => Ok(LocationKind::Global),
        "shared" | "shared::cta" | "shared::cluster" => Ok(LocationKind::Shared),
        "mbarrier" | "mbarrier::cluster" => Ok(LocationKind::Mbarrier),
        space => fail(format!(
            "found `{space}` as the space of `{}`, expected `global`, `shared`, `shared::cluster`, `mbarrier` or `mbarrier::cluster`",
            location.name
        )),
    }
}
