//! Search for a position at which a stop condition holds. The search resolves the condition against the program one time, and evaluates the
//! condition after each step.

use crate::analysis::cell_history::CellLocation;
use crate::diagnostics::{no_such_memory, suggestion};
use crate::expression::lexer::SyntaxError;
use crate::expression::tree::{Expression, RegisterCondition, WatchExpression};
use crate::session::Session;
use crate::session::step::warp::readable;
use crate::session::stop_conditions::condition::ParsedCondition;
use crate::session::stop_conditions::{Direction, StopCondition, StopConditionError, StopResult};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::{MachineStatus, MemoryRegion, NextStep};
use warpgrid_isa::ScalarType;
use warpgrid_program::{Function, FunctionId, RegisterId};

/// Number of steps in the first window of a backward search. Each subsequent window is twice as long as the preceding window.
const FIRST_WINDOW: u64 = 4_096;

/// State of a search for a stop condition in one direction. Hosts continue the search in slices.
#[derive(Debug)]
pub struct StopSearch {
    condition: ResolvedCondition,
    direction: Direction,
    /// Position of the session at the start of the search.
    from: u64,
    /// Window of past steps that a backward search examines, with the present position in this window. The field is `None` for a forward
    /// search.
    window: Option<SearchWindow>,
    reached: Option<StopHit>,
    is_done: bool,
}

#[derive(Clone, Copy, Debug)]
struct SearchWindow {
    start: u64,
    end: u64,
    size: u64,
}

/// Match of the stop condition, with its position and description.
#[derive(Clone, Debug)]
struct StopHit {
    position: u64,
    text: String,
}

#[derive(Debug)]
enum ResolvedCondition {
    Cell {
        place: CellLocation,
        region: MemoryRegion,
        title: String,
    },
    /// Source line of each watched instruction, indexed by function and instruction. The map contains only the first instruction of each
    /// line.
    Lines(BTreeMap<(u32, u32), u32>),
    Register(ResolvedRegister),
    /// Watch expression, and its text.
    Expression(WatchExpression, String),
}

#[derive(Debug)]
struct ResolvedRegister {
    condition: RegisterCondition,
    /// For each function, the register with the name in the condition, and the type of this register.
    of: Vec<Option<(RegisterId, ScalarType)>>,
}

impl ResolvedRegister {
    fn in_function(&self, function: FunctionId) -> Option<(RegisterId, ScalarType)> {
        self.of.get(function.0 as usize).copied().flatten()
    }
}

/// State before a step, which the search needs to detect a match after the step.
enum PreStepState {
    Nothing,
    Bytes(Option<Vec<u8>>),
    /// The next step, and the lanes that satisfy the condition before this step.
    Lanes(NextStep, u32),
}

impl StopSearch {
    /// Returns the direction of the search.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Returns the position of the session at the start of the search.
    pub fn from(&self) -> u64 {
        self.from
    }
}

impl Session {
    /// Starts a run until a stop condition holds. [`Session::continue_until`] continues the run, and [`Session::reached`] returns the
    /// position that the run reached.
    pub fn watch(
        &mut self,
        until: &StopCondition,
        direction: Direction,
    ) -> Result<StopSearch, StopConditionError> {
        let condition = match until {
            StopCondition::DataChange(place) => self.watched_cell(place)?,
            StopCondition::LineReached(lines) => self.watched_lines(lines)?,
            StopCondition::Predicate(text) => match ParsedCondition::read(text)? {
                ParsedCondition::Register(condition) => self.watched_register(text, condition)?,
                ParsedCondition::Expression(watch, error) => {
                    self.watched_expression(text, watch, error)?
                }
            },
        };
        let from = self.position();
        let window =
            (direction == Direction::Reverse).then(|| SearchWindow::before(from, FIRST_WINDOW));
        Ok(StopSearch {
            condition,
            direction,
            from,
            window,
            reached: None,
            is_done: false,
        })
    }

    fn watched_cell(&self, place: &CellLocation) -> Result<ResolvedCondition, StopConditionError> {
        let Some(memory) = self.memory_with(&place.memory) else {
            let message = no_such_memory(&place.memory.to_string());
            return Err(StopConditionError::new(message));
        };
        let size = memory.view.size_bytes;
        if !place.is_within(size) {
            let message = format!(
                "the {} bytes at offset {} are out of bounds: `{}` has {size} bytes",
                place.n_bytes, place.offset, place.memory
            );
            return Err(StopConditionError::new(message));
        }
        Ok(ResolvedCondition::Cell {
            place: place.clone(),
            region: memory.region,
            title: memory.view.title,
        })
    }

    /// Resolves the watched source lines to instructions. A line without an instruction refers to the next line with an instruction.
    fn watched_lines(&self, lines: &[u32]) -> Result<ResolvedCondition, StopConditionError> {
        // Collect the first instruction of each source line in each function.
        let mut firsts: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for (function, of) in self.program.functions.iter().enumerate() {
            let mut seen = BTreeSet::new();
            for index in 0..of.instructions.len() as u32 {
                let line = self.range_of(FunctionId(function as u32), index).line;
                if seen.insert(line) {
                    firsts
                        .entry(line)
                        .or_default()
                        .push((function as u32, index));
                }
            }
        }
        let mut places = BTreeMap::new();
        for line in lines {
            if let Some((line, instructions)) = firsts.range(*line..).next() {
                places.extend(instructions.iter().map(|place| (*place, *line)));
            }
        }
        match places.is_empty() {
            true => Err(StopConditionError::new(match lines {
                [] => "no breakpoint is set".to_owned(),
                [line] => format!("the kernel has no instruction at or after line {line}"),
                _ => "the kernel has no instruction at or after any of these lines".to_owned(),
            })),
            false => Ok(ResolvedCondition::Lines(places)),
        }
    }

    /// Checks that the registers and memories of a watch expression exist. `error` is the reason why the text is not a comparison of one
    /// register. The function returns this error for an unknown name without `%`, which is probably a mistake in such a comparison.
    fn watched_expression(
        &self,
        text: &str,
        watch: WatchExpression,
        error: Option<StopConditionError>,
    ) -> Result<ResolvedCondition, StopConditionError> {
        let mut unknown = None;
        watch.expression.visit(&mut |part| {
            let reason = match part {
                Expression::Register(name) => {
                    let message = self.unknown_register(name);
                    message.map(|message| (message, name.clone()))
                }
                Expression::Element(id, _) => match self.memory_with(id) {
                    Some(_) => None,
                    None => Some((no_such_memory(&id.to_string()), id.to_string())),
                },
                Expression::Literal(_)
                | Expression::As(..)
                | Expression::Unary(..)
                | Expression::Binary(..) => None,
            };
            unknown = unknown.take().or(reason);
        });
        match (unknown, error) {
            (Some((_, name)), Some(error)) if !name.starts_with('%') => Err(error),
            (Some((message, name)), _) => {
                let start = text.find(&name).unwrap_or(0);
                let range = start..start + name.len();
                let error = SyntaxError { message, range };
                Err(StopConditionError::at(text, error))
            }
            (None, _) => Ok(ResolvedCondition::Expression(watch, text.trim().to_owned())),
        }
    }

    /// Returns a message if no function of the program has a register with this name.
    fn unknown_register(&self, name: &str) -> Option<String> {
        let functions = &self.program.functions;
        let mut all = functions.iter();
        if all.any(|function| function.registers.find(name).is_some()) {
            return None;
        }
        let mut names = functions
            .iter()
            .flat_map(|function| function.registers.names());
        let help = suggestion(name, &mut names);
        Some(format!("the kernel has no register `{name}`{help}"))
    }

    fn watched_register(
        &self,
        text: &str,
        condition: RegisterCondition,
    ) -> Result<ResolvedCondition, StopConditionError> {
        let functions = &self.program.functions;
        let find = |function: &Function| function.registers.find(&condition.register);
        let of: Vec<_> = functions.iter().map(find).collect();
        if let Some(message) = self.unknown_register(&condition.register) {
            let error = SyntaxError {
                message,
                range: condition.register_range,
            };
            return Err(StopConditionError::at(text, error));
        }
        Ok(ResolvedCondition::Register(ResolvedRegister {
            condition,
            of,
        }))
    }

    /// Executes at most `budget` steps of a search. Returns whether the stop condition holds or the search has ended.
    pub fn continue_until(&mut self, watch: &mut StopSearch, budget: u64) -> bool {
        if !watch.is_done {
            watch.is_done = match watch.direction {
                Direction::Forward => self.go_until(watch, budget),
                Direction::Reverse => self.go_back_until(watch, budget),
            };
        }
        watch.is_done
    }

    fn go_until(&mut self, watch: &mut StopSearch, budget: u64) -> bool {
        for _ in 0..budget {
            let was = self.position();
            let text = self.step_watched(watch);
            if text.is_some() || self.is_finished() || self.position() == was {
                let position = self.position();
                watch.reached = text.map(|text| StopHit { position, text });
                return true;
            }
        }
        false
    }

    /// Examines windows of past steps, starting with the latest window. The search selects the last match in the first window that contains
    /// a match.
    fn go_back_until(&mut self, watch: &mut StopSearch, budget: u64) -> bool {
        let Some(mut window) = watch.window else {
            return true;
        };
        if self.position() >= window.end || self.position() < window.start {
            self.seek(window.start);
            self.note_line(watch, window);
        }
        for _ in 0..budget {
            if self.position() >= window.end {
                break;
            }
            let was = self.position();
            let text = self.step_watched(watch);
            let position = self.position();
            let is_before = position < watch.from && position <= window.end;
            if let Some(text) =
                text.filter(|_| is_before && !watch.is_line_at_end(position, window))
            {
                watch.reached = Some(StopHit { position, text });
            }
            if position == was {
                break;
            }
        }
        if self.position() < window.end && !self.is_finished() {
            return false;
        }
        if let Some(found) = &watch.reached {
            self.seek(found.position);
            return true;
        }
        if window.start == 0 {
            self.seek(0);
            return true;
        }
        window = SearchWindow::before(window.start, window.size * 2);
        watch.window = Some(window);
        self.seek(window.start);
        self.note_line(watch, window);
        false
    }

    /// Records that the next step at the start of a window executes a watched line. The evaluation after each step does not include this
    /// position, because no step within the window leads to it.
    fn note_line(&self, watch: &mut StopSearch, window: SearchWindow) {
        if window.start < watch.from
            && let Some(text) = self.line_text(&watch.condition)
        {
            let position = window.start;
            watch.reached = Some(StopHit { position, text });
        }
    }

    /// Executes one step. If the stop condition holds after the step, returns the description of the match.
    fn step_watched(&mut self, watch: &StopSearch) -> Option<String> {
        let before = self.before_step(&watch.condition);
        let was = self.position();
        self.step();
        if self.position() == was {
            return None;
        }
        match (&watch.condition, before) {
            (ResolvedCondition::Lines(_), _) => self.line_text(&watch.condition),
            (
                ResolvedCondition::Cell {
                    place,
                    region,
                    title,
                },
                PreStepState::Bytes(Some(before)),
            ) => {
                let after = self.cell_now(*region, place)?;
                (before != after).then(|| changed_text(place, title, &before, after))
            }
            (ResolvedCondition::Register(register), PreStepState::Lanes(step, met)) => {
                let now = self.matching_lanes(register, &step);
                let lane = (now & !met).trailing_zeros();
                (lane < 32).then(|| self.register_text(register, &step, lane))
            }
            (ResolvedCondition::Expression(watch, text), PreStepState::Lanes(step, met)) => {
                let now = self.lanes_where(watch, step.block, step.warp);
                let lane = (now & !met).trailing_zeros();
                let place = match watch.expression.is_of_lanes() {
                    true => format!(
                        " in lane {lane} of warp {}, block {}",
                        step.warp, step.block
                    ),
                    false => String::new(),
                };
                (lane < 32).then(|| format!("`{text}` holds{place}"))
            }
            (
                ResolvedCondition::Cell { .. }
                | ResolvedCondition::Register(_)
                | ResolvedCondition::Expression(..),
                _,
            ) => None,
        }
    }

    fn before_step(&self, what: &ResolvedCondition) -> PreStepState {
        match what {
            ResolvedCondition::Lines(_) => PreStepState::Nothing,
            ResolvedCondition::Cell { place, region, .. } => {
                PreStepState::Bytes(self.cell_now(*region, place).map(<[u8]>::to_vec))
            }
            ResolvedCondition::Register(register) => match self.timeline.machine().next_step() {
                Some(step) => PreStepState::Lanes(step, self.matching_lanes(register, &step)),
                None => PreStepState::Nothing,
            },
            ResolvedCondition::Expression(watch, _) => match self.timeline.machine().next_step() {
                Some(step) => {
                    let met = self.lanes_where(watch, step.block, step.warp);
                    PreStepState::Lanes(step, met)
                }
                None => PreStepState::Nothing,
            },
        }
    }

    /// Returns the lanes of the warp executing the step that satisfy the register condition.
    fn matching_lanes(&self, register: &ResolvedRegister, step: &NextStep) -> u32 {
        let condition = &register.condition;
        let is_meant = condition
            .place
            .block
            .is_none_or(|block| block == step.block)
            && condition.place.warp.is_none_or(|warp| warp == step.warp);
        let found = register.in_function(step.function);
        let Some((id, ty)) = found.filter(|_| is_meant) else {
            return 0;
        };
        let machine = self.timeline.machine();
        let row = machine.register_row(step.block, step.warp, step.function, id);
        let lanes = row.into_iter().flatten().enumerate();
        let meets = |lane: usize, bits| {
            let is_lane = condition
                .place
                .lane
                .is_none_or(|of| usize::from(of) == lane);
            u32::from(is_lane && condition.holds(ty, bits)) << lane
        };
        lanes.fold(0, |met, (lane, bits)| met | meets(lane, bits))
    }

    fn line_text(&self, what: &ResolvedCondition) -> Option<String> {
        let ResolvedCondition::Lines(places) = what else {
            return None;
        };
        let next = self.timeline.machine().next_step()?;
        let line = places.get(&(next.function.0, next.instruction))?;
        Some(format!(
            "next: line {line}, warp {} of block {}",
            next.warp, next.block
        ))
    }

    fn register_text(&self, register: &ResolvedRegister, step: &NextStep, lane: u32) -> String {
        let value = register.in_function(step.function).and_then(|(id, ty)| {
            let machine = self.timeline.machine();
            let bits = machine.register(step.block, step.warp, lane, step.function, id)?;
            Some(readable(ty, bits))
        });
        format!(
            "{} = {} in lane {lane} of warp {}, block {}",
            register.condition.register,
            value.unwrap_or_default(),
            step.warp,
            step.block
        )
    }

    /// Returns the position that the search reached, and the description of the match.
    pub fn reached(&self, watch: &StopSearch) -> StopResult {
        let position = self.position();
        let is_over = self.timeline.machine().status() != MachineStatus::Running;
        let text = match (&watch.reached, watch.direction) {
            (Some(found), _) => found.text.clone(),
            (None, Direction::Reverse) if position == 0 => {
                "no earlier step met the condition, so the run is now at the first step".to_owned()
            }
            (None, Direction::Forward) if is_over => {
                "no later step of the run meets the condition".to_owned()
            }
            (None, _) => "the run reached the step limit before the condition was met".to_owned(),
        };
        StopResult {
            is_reached: watch.reached.is_some(),
            position,
            text,
        }
    }

    /// Runs until a stop condition holds, with at most `max_steps` steps.
    pub fn run_until(
        &mut self,
        until: &StopCondition,
        direction: Direction,
        max_steps: u64,
    ) -> Result<StopResult, StopConditionError> {
        let mut watch = self.watch(until, direction)?;
        let mut left = max_steps;
        while left > 0 {
            let budget = left.min(FIRST_WINDOW);
            if self.continue_until(&mut watch, budget) {
                break;
            }
            left -= budget;
        }
        if !watch.is_done && direction == Direction::Reverse {
            self.seek(watch.from);
        }
        Ok(self.reached(&watch))
    }
}

impl StopSearch {
    /// Checks whether a position is the end of a window for a condition on the next line. A match at this position belongs to the following
    /// window, or is the position at which the search started.
    fn is_line_at_end(&self, position: u64, window: SearchWindow) -> bool {
        matches!(self.condition, ResolvedCondition::Lines(_)) && position >= window.end
    }
}

impl SearchWindow {
    fn before(end: u64, size: u64) -> SearchWindow {
        SearchWindow {
            start: end.saturating_sub(size),
            end,
            size,
        }
    }
}

fn changed_text(place: &CellLocation, title: &str, before: &[u8], after: &[u8]) -> String {
    let width = place.ty.width_bytes() as u64;
    let at = match place.offset % width {
        0 => format!("{title}[{}]", place.offset / width),
        _ => format!("{title} + {}", place.offset),
    };
    let text = |bytes: &[u8]| place.ty.text(place.ty.bits(bytes));
    format!("{at} changed from {} to {}", text(before), text(after))
}
