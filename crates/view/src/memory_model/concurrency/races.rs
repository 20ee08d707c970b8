//! Race detection in a session. A race detector observes the run, and this module converts the findings of the detector to views with
//! source lines and names.

use crate::memory_model::concurrency::race_messages::{
    AsyncInitiator, TENSOR_MAP, message, own_copies_message, scope_words,
};
use crate::memory_model::concurrency::{
    RaceAccess, RaceAccessKind, RaceConfidence, RaceLocation, RaceView,
};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use serde::{Deserialize, Serialize};
use warpgrid_emulator::{Machine, MemoryRegion};
use warpgrid_isa::AsyncOp;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_order::hang::{ExecutionTrace, MixedPhase};
use warpgrid_order::races::{
    BlockLifetime, MemoryInstance, ObservedLaunchShape, ProxyKind, Race, RaceCause,
    RaceCounterpart, RaceDetector, RaceSide, SiteAccessKind, UninitializedRead,
};
use warpgrid_program::FunctionId;

/// Number of steps before the first check for races in a run that must be race-free. The interval between checks doubles after each check.
const FIRST_PART: u64 = 64;

/// Report for hosts on the data races, uninitialized reads and other findings of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RaceReport {
    /// Data races of the run in the order of their detection, except that certain races precede all other races.
    pub races: Vec<RaceView>,
    /// Uninitialized reads of shared memory, at most one per source position.
    #[serde(default)]
    pub unwritten: Vec<UninitializedReadView>,
    /// Additional notes as sentences, including one sentence for each uninitialized read.
    pub notes: Vec<String>,
}

/// Read of a shared memory location that no thread has written, with its source line and location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct UninitializedReadView {
    pub reader: RaceAccess,
    /// First uninitialized byte that the instruction reads.
    #[serde(rename = "where")]
    pub place: RaceLocation,
    pub step: u64,
    pub message: String,
}

impl Session {
    /// Runs the launch from its start to its end or to the step limit, and detects data races. For small launches, the method also searches
    /// for the weakest repair of the races.
    pub fn run_for_races(&mut self, max_steps: u64) -> RaceReport {
        let (mut report, found) = self.look_for_races_in_run(max_steps);
        self.add_repairs(&mut report.races, &found);
        report
    }

    /// Runs the launch from its start and detects data races. The method does not search for repairs.
    pub fn detect_races(&mut self, max_steps: u64) -> RaceReport {
        self.look_for_races_in_run(max_steps).0
    }

    fn look_for_races_in_run(&mut self, max_steps: u64) -> (RaceReport, Vec<Race>) {
        self.seek(0);
        let mut detector = self.detector();
        self.timeline.run_observed(max_steps, &mut detector);
        let (mut report, found) = self.report_races(detector);
        self.explain_by_iterations(&mut report.races, &found);
        self.explain_by_phases(&mut report.races);
        report.notes.extend(self.lockstep_notes());
        (report, found)
    }

    /// Extends the message about each race within a block with the first barrier phase in which threads of the block arrived at different
    /// instructions. From this phase on, threads wait for each other at barrier instructions that do not correspond in the source.
    fn explain_by_phases(&mut self, races: &mut [RaceView]) {
        let is_in_block = |race: &&mut RaceView| {
            race.cause == RaceCause::NoHappensBefore
                && race.second.description.is_none()
                && race.first.block == race.second.block
        };
        if !races.iter_mut().any(|race| is_in_block(&race)) {
            return;
        }
        let mixed = self.mixed_phases();
        for race in races.iter_mut().filter(is_in_block) {
            let machine = self.timeline.machine();
            let of_block =
                |phase: &&MixedPhase| machine.block_position(phase.block) == race.first.block;
            let Some(phase) = mixed.iter().find(of_block) else {
                continue;
            };
            let lines = self.lines_of_phase(phase);
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            race.message += &format!(
                "; threads arrive at barrier {2} from different lines ({0}) in phase {1}: change the kernel so that all threads execute the same sequence of barriers",
                lines.join(", "),
                phase.phase,
                phase.id
            );
        }
    }

    /// Returns, for each barrier, the first phase in which threads arrived at different instructions.
    fn mixed_phases(&mut self) -> Vec<MixedPhase> {
        let mut story = ExecutionTrace::new();
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut story);
        story.mixed_phases()
    }

    /// Returns the source lines of the barrier instructions of a phase in ascending order.
    fn lines_of_phase(&self, phase: &MixedPhase) -> Vec<u32> {
        let lines = phase.places.iter();
        let mut lines: Vec<u32> = lines.map(|at| self.range_of(at.0, at.1).line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// For each barrier of a block with a race, returns the barrier instructions of the first phase in which threads arrived at different
    /// instructions.
    pub(crate) fn mixed_barriers(&mut self, races: &[RaceView]) -> Vec<Vec<(FunctionId, u32)>> {
        let is_in_block = |race: &RaceView| {
            race.cause == RaceCause::NoHappensBefore && race.first.block == race.second.block
        };
        if !races.iter().any(is_in_block) {
            return Vec::new();
        }
        let mut all: Vec<Vec<(FunctionId, u32)>> = Vec::new();
        for phase in self.mixed_phases() {
            let places: Vec<(FunctionId, u32)> = phase.places.into_iter().collect();
            if places.len() > 1 && !all.contains(&places) {
                all.push(places);
            }
        }
        all
    }

    /// Runs a session from its start, and checks that the run has no data race. The run stops soon after the first race.
    pub(crate) fn is_free_of_races(&mut self, max_steps: u64) -> bool {
        let mut detector = self.detector();
        let mut part = FIRST_PART;
        while self.position() < max_steps {
            let before = self.position();
            let n = part.min(max_steps - before);
            self.timeline.run_observed(n, &mut detector);
            if !detector.found().iter().all(Race::is_equal_store_of_lanes) {
                return false;
            }
            if self.position() == before || self.is_finished() {
                break;
            }
            part = part.saturating_mul(2);
        }
        self.report_races(detector).0.races.is_empty()
    }

    /// Returns the data races in the executed steps.
    pub fn races(&mut self) -> RaceReport {
        let (mut report, found) = self.races_of_executed_steps();
        self.explain_by_iterations(&mut report.races, &found);
        self.explain_by_phases(&mut report.races);
        self.add_repairs(&mut report.races, &found);
        report.notes.extend(self.lockstep_notes());
        report
    }

    /// Returns the data races in the executed steps, and the races of the detector in the same order. The method searches for no repairs.
    pub(crate) fn races_of_executed_steps(&mut self) -> (RaceReport, Vec<Race>) {
        let mut detector = self.detector();
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut detector);
        self.report_races(detector)
    }

    fn detector(&self) -> RaceDetector {
        RaceDetector::new(self.program.clone(), self.shape())
    }

    /// Returns the dimensions of the launch for the race detector.
    pub(crate) fn shape(&self) -> ObservedLaunchShape {
        let launch = self.scenario();
        ObservedLaunchShape {
            grid: launch.grid.unwrap_or([1; 3]),
            block: launch.block.unwrap_or([1; 3]),
            cluster: launch.cluster.unwrap_or([1; 3]),
        }
    }

    /// Returns the report of a detector, and the races of the detector in the order of the report.
    fn report_races(&self, mut detector: RaceDetector) -> (RaceReport, Vec<Race>) {
        if self.is_finished() && self.timeline.machine().fault().is_none() {
            detector.finish();
        }
        let found = detector.found().iter();
        let mut races: Vec<(RaceView, Race)> = found
            .filter(|found| !found.is_equal_store_of_lanes())
            .map(|found| (self.race(found), found.clone()))
            .collect();
        races.sort_by_key(|(race, _)| race.confidence == RaceConfidence::ModelOnly);
        let (races, found) = races.into_iter().unzip();
        let unwritten: Vec<UninitializedReadView> = detector
            .unwritten()
            .iter()
            .map(|found| self.unwritten(found))
            .collect();
        let mut notes: Vec<String> = unwritten.iter().map(|read| read.message.clone()).collect();
        if detector.is_truncated() {
            notes.push(
                "the access history is full, so some accesses were not checked for data races"
                    .to_owned(),
            );
        }
        let report = RaceReport {
            races,
            unwritten,
            notes,
        };
        (report, found)
    }

    fn unwritten(&self, found: &UninitializedRead) -> UninitializedReadView {
        let place = self.race_place(found.memory, found.address, 1);
        let reader = self.race_access(&found.reader);
        UninitializedReadView {
            message: format!(
                "line {}: thread {} of block {} reads {}, which is uninitialized",
                reader.line.unwrap_or(0),
                triple(reader.thread),
                triple(reader.block),
                crate::memory_model::concurrency::race_messages::place_words(&place)
            ),
            reader,
            place,
            step: found.step,
        }
    }

    /// Returns the displayed memory that contains the first byte of a race location, and the byte offset of this byte within the memory.
    pub fn memory_of(&self, place: &RaceLocation) -> Option<(MemoryKey, u64)> {
        if let Some(block) = place.block {
            let variables = self.timeline.machine().shared_variables().iter();
            let named = variables.filter(|known| place.variable.as_ref() == Some(&known.name));
            let start = named.map(|variable| variable.byte_offset).next();
            return Some((MemoryKey::Shared(block), start.unwrap_or(0) + place.offset));
        }
        let buffer = place.buffer.clone().map(MemoryKey::Buffer);
        let variable = || place.variable.clone().map(MemoryKey::Variable);
        Some((buffer.or_else(variable)?, place.offset))
    }

    fn race(&self, found: &Race) -> RaceView {
        let first = self.race_access(&found.first);
        let second = match &found.second {
            RaceCounterpart::Access(access) => self.race_access(access),
            RaceCounterpart::Life(life) => self.life(*life),
        };
        let place = self.race_place(found.memory, found.address, found.n_bytes);
        let started_by = |access: &RaceSide| {
            let reader = self.reader(access.function, access.instruction);
            AsyncInitiator::by(reader.and_then(InstructionView::operation))
        };
        let started = [
            started_by(&found.first),
            match &found.second {
                RaceCounterpart::Access(access) => started_by(access),
                RaceCounterpart::Life(_) => AsyncInitiator::Copy,
            },
        ];
        let sure = match found.why {
            // The axioms of the memory model do not cover the operand reads of an asynchronous MMA. Only the text of the PTX ISA defines
            // the order of these reads.
            _ if started.contains(&AsyncInitiator::Product) && !found.is_model_only() => {
                RaceConfidence::OutsideModel
            }
            RaceCause::MissingProxyFence if found.is_model_only() => RaceConfidence::ModelOnly,
            RaceCause::MissingProxyFence if second.proxy == TENSOR_MAP => {
                RaceConfidence::OutsideModel
            }
            RaceCause::Lifetime | RaceCause::MissingInitFence => RaceConfidence::OutsideModel,
            RaceCause::NoHappensBefore
            | RaceCause::InsufficientScope
            | RaceCause::MissingProxyFence
            | RaceCause::NotCompleted => RaceConfidence::Certain,
        };
        let mut race = RaceView {
            first,
            second,
            place,
            cause: found.why,
            confidence: sure,
            same_value: found.same_value,
            step: found.step,
            message: String::new(),
            repair: Vec::new(),
            repair_tried: false,
        };
        race.message = match self.own_wait(found) {
            Some(wait) => own_copies_message(&race, wait),
            None => message(&race, &found.second, started),
        };
        race
    }

    /// Returns the line of the first `cp.async` wait between a `cp.async` and an access of another thread. A `cp.async` wait covers only
    /// the copies of the thread that executes the wait.
    fn own_wait(&self, found: &Race) -> Option<u32> {
        let RaceCounterpart::Access(second) = found.second else {
            return None;
        };
        let first = &found.first;
        let is_other = (first.block, first.thread) != (second.block, second.thread);
        let is_completion = found.why == RaceCause::NotCompleted && first.asynchronous && is_other;
        if !is_completion || first.function != second.function {
            return None;
        }
        let between = first.instruction + 1..second.instruction;
        let function = self.program.functions.get(first.function.0 as usize)?;
        let mut waits = between.filter(|index| {
            let instruction = function.instructions.get(*index as usize);
            let action = instruction.and_then(|instruction| self.program.opcode(instruction));
            let operation = action.and_then(|action| action.operation.asynchronous());
            operation.is_some_and(AsyncOp::waits_for_own_copies)
        });
        let wait = waits.next()?;
        Some(self.range_of(first.function, wait).line)
    }

    fn race_access(&self, access: &RaceSide) -> RaceAccess {
        let machine = self.timeline.machine();
        let range = self.range_of(access.function, access.instruction);
        RaceAccess {
            line: Some(range.line),
            description: None,
            block: machine.block_position(access.block),
            thread: machine.thread(access.thread / 32, access.thread % 32),
            kind: match access.kind {
                SiteAccessKind::Read => RaceAccessKind::Read,
                SiteAccessKind::Write => RaceAccessKind::Write,
                SiteAccessKind::Atomic => RaceAccessKind::Atomic,
            },
            proxy: match access.proxy {
                ProxyKind::Generic | ProxyKind::ReadOnly => "generic",
                ProxyKind::Async => "async",
                ProxyKind::TensorMap => TENSOR_MAP,
            }
            .to_owned(),
            asynchronous: access.asynchronous,
            scope: scope_words(access.strength),
        }
    }

    fn life(&self, life: BlockLifetime) -> RaceAccess {
        let (what, block) = match life {
            BlockLifetime::Start(block) => ("start", block),
            BlockLifetime::Exit(block) => ("exit", block),
        };
        RaceAccess {
            line: None,
            description: Some(format!("{what} of block {block}")),
            block: self.timeline.machine().block_position(block),
            thread: [0; 3],
            kind: RaceAccessKind::Life,
            proxy: "generic".to_owned(),
            asynchronous: false,
            scope: None,
        }
    }

    pub(crate) fn race_place(
        &self,
        memory: MemoryInstance,
        address: u64,
        bytes: u32,
    ) -> RaceLocation {
        match memory {
            MemoryInstance::Global => self.global_place(address, bytes),
            MemoryInstance::Shared(block) => self.shared_place(block, address, bytes),
        }
    }

    /// Returns the location of a byte range of global memory, relative to the start of the buffer or variable that contains the range.
    pub(crate) fn global_place(&self, address: u64, bytes: u32) -> RaceLocation {
        let machine = self.timeline.machine();
        let mut place = RaceLocation {
            space: "global".to_owned(),
            block: None,
            buffer: None,
            variable: None,
            offset: address,
            bytes,
        };
        match machine.region_at(address) {
            Some((MemoryRegion::Buffer(index), offset)) => {
                let buffer = self.buffers().get(index.0 as usize).map(|b| b.name.clone());
                place.buffer = buffer;
                place.offset = offset;
            }
            Some((MemoryRegion::Variable(index), offset)) => {
                let variables = &machine.program().variables;
                place.variable = variables.get(index as usize).map(|v| v.name.clone());
                place.offset = offset;
            }
            _ => {}
        }
        place
    }

    /// Returns the location of a byte range of shared memory, relative to the start of the variable that contains the range.
    pub(crate) fn shared_place(&self, block: u64, address: u64, bytes: u32) -> RaceLocation {
        shared_place(self.timeline.machine(), block, address, bytes)
    }
}

pub(crate) fn shared_place(
    machine: &Machine,
    block: u64,
    address: u64,
    bytes: u32,
) -> RaceLocation {
    let variables = machine.shared_variables().iter();
    let found = variables
        .filter(|variable| {
            let offset = address.checked_sub(variable.byte_offset);
            offset.is_some_and(|offset| offset < variable.size_bytes.max(1))
        })
        .max_by_key(|variable| variable.byte_offset);
    // If no variable contains the address, use the dynamic shared variable, which has no declared size and contains all addresses after its
    // start.
    let dynamic = || {
        let all = machine.shared_variables().iter();
        all.filter(|v| v.size_bytes == 0 && v.byte_offset <= address)
            .max_by_key(|v| v.byte_offset)
    };
    let found = found.or_else(dynamic);
    RaceLocation {
        space: "shared".to_owned(),
        block: Some(block),
        buffer: None,
        variable: found.map(|variable| variable.name.clone()),
        offset: address - found.map_or(0, |variable| variable.byte_offset),
        bytes,
    }
}

/// Formats the index of a block or thread.
pub(crate) fn triple([x, y, z]: [u32; 3]) -> String {
    match (y, z) {
        (0, 0) => x.to_string(),
        _ => format!("({x}, {y}, {z})"),
    }
}
