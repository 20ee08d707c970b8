//! Analysis of communication between lanes of a warp that is ordered only by lockstep execution. The module takes an executed run, and
//! returns a note for each kernel or function that contains this kind of communication. The analysis replays the first steps of the run,
//! but only if the program contains strong loads and strong stores.

use crate::memory_model::concurrency::race_messages::place_words;
use crate::memory_model::concurrency::races::triple;
use crate::session::Session;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use warpgrid_isa::{AccessKind, Feature, Sem};
use warpgrid_order::races::{Race, RaceCounterpart, RaceDetector, RaceSide, SiteAccessKind};
use warpgrid_program::{Function, FunctionId, Instruction, OperandValue, Program};

/// Maximum number of steps that the analysis replays. This limit bounds the cost of the analysis.
const MAX_STEPS: u64 = 200_000;
/// Maximum number of pairs of lines that a note lists after the first pair.
const MAX_PAIRS: usize = 6;

impl Session {
    /// Returns notes on loads and stores that different lanes of one warp executed at the same address without a barrier between them.
    pub(crate) fn lockstep_notes(&mut self) -> Vec<String> {
        let program = self.program.clone();
        if !program.target.has(Feature::IndependentLanes) || !may_exchange(&program) {
            return Vec::new();
        }
        let mut detector = RaceDetector::with_lockstep(program.clone(), self.shape());
        let seen = self.steps_seen().min(MAX_STEPS);
        self.timeline.replay(0, seen, &mut detector);
        let found = detector.lockstep().iter();
        let found: Vec<&Race> = found.filter(|found| !is_polled(&program, found)).collect();
        let functions: BTreeSet<FunctionId> = found.iter().map(|own| own.first.function).collect();
        let notes = functions.iter().filter_map(|id| {
            let own = found
                .iter()
                .copied()
                .filter(|own| own.first.function == *id);
            self.lockstep_note(&own.collect::<Vec<_>>())
        });
        notes.collect()
    }

    fn lockstep_note(&self, found: &[&Race]) -> Option<String> {
        // Prefer a load after a store for the note, because this order shows the dependence between the lanes more clearly.
        let is_read = |found: &&&Race| found.first.kind == SiteAccessKind::Write;
        let shown = found.iter().find(is_read).or(found.first())?;
        let RaceCounterpart::Access(second) = &shown.second else {
            return None;
        };
        let machine = self.timeline.machine();
        let line = |access: &RaceSide| self.range_of(access.function, access.instruction).line;
        let thread = |access: &RaceSide| {
            let place = machine.thread(access.thread / 32, access.thread % 32);
            format!("thread {}", triple(place))
        };
        let place = place_words(&self.race_place(shown.memory, shown.address, shown.n_bytes));
        let block = triple(machine.block_position(second.block));
        let (earlier, later) = match second.kind {
            SiteAccessKind::Read => ("wrote", "reads"),
            SiteAccessKind::Write | SiteAccessKind::Atomic => ("read", "writes"),
        };
        let others = found.iter().filter_map(|own| match &own.second {
            RaceCounterpart::Access(second) => Some((line(&own.first), line(second))),
            RaceCounterpart::Life(_) => None,
        });
        let mut others: BTreeSet<(u32, u32)> = others.collect();
        others.remove(&(line(&shown.first), line(second)));
        let listed = others.iter().take(MAX_PAIRS);
        let mut listed: Vec<String> = listed.map(|(a, b)| format!("{a} and {b}")).collect();
        if others.len() > MAX_PAIRS {
            listed.push(format!("{} more", others.len() - MAX_PAIRS));
        }
        let others = match listed.is_empty() {
            true => String::new(),
            false => format!(" (also lines {})", listed.join(", ")),
        };
        Some(format!(
            "line {}: {} of block {block} {later} {place}, which {} of the same warp {earlier} at line {}{others}: only lockstep execution of the warp orders these accesses, but `sm_70` and later do not guarantee lockstep execution (independent thread scheduling), so insert `bar.warp.sync` between the accesses",
            line(second),
            thread(second),
            thread(&shown.first),
            line(&shown.first),
        ))
    }
}

/// Checks whether a program has both strong loads and strong stores.
fn may_exchange(program: &Program) -> bool {
    let has = |kind: AccessKind| {
        program.opcodes.iter().any(|action| {
            let access = action.operation.memory().and_then(|op| op.access());
            let sem = action.modifiers.sem;
            access == Some(kind) && sem.is_some_and(|sem| sem != Sem::Weak)
        })
    };
    has(AccessKind::Load) && has(AccessKind::Store)
}

/// Checks whether the load of the race polls a value in a loop. In this case, the polled value orders the lanes.
fn is_polled(program: &Program, found: &Race) -> bool {
    let RaceCounterpart::Access(second) = &found.second else {
        return false;
    };
    let accesses = [&found.first, second];
    let mut loads = accesses
        .iter()
        .filter(|access| access.kind == SiteAccessKind::Read);
    loads.any(|load| {
        let function = program.functions.get(load.function.0 as usize);
        function.is_some_and(|function| decides_a_loop(program, function, load.instruction))
    })
}

/// Returns the index of the target instruction of a branch.
fn branch_target(program: &Program, function: &Function, instruction: &Instruction) -> Option<u32> {
    let operands = function.operands_of(instruction.operands).iter();
    let mut labels = operands.filter_map(|operand| match operand.value {
        OperandValue::Label(target) => Some(target),
        _ => None,
    });
    let control = program.opcode(instruction)?.operation.control()?;
    control.is_branch().then(|| labels.next()).flatten()
}

/// Returns the loops that contain an instruction. Each loop is the range of instructions from the target of a backward branch to the
/// branch.
pub(crate) fn loops_around(
    program: &Program,
    function: &Function,
    index: u32,
) -> Vec<RangeInclusive<u32>> {
    let all = function.instructions.iter().zip(0..);
    let loops = all.filter_map(|(instruction, at): (_, u32)| {
        let start = branch_target(program, function, instruction)?;
        (start <= index && index <= at).then_some(start..=at)
    });
    loops.collect()
}

/// Checks whether the result of an instruction affects the exit condition of a loop that contains the instruction.
fn decides_a_loop(program: &Program, function: &Function, index: u32) -> bool {
    let own = function.instructions.get(index as usize);
    let loaded = own
        .map(|own| function.destinations(own))
        .unwrap_or_default();
    loops_around(program, function, index).iter().any(|range| {
        let all = || function.instructions.iter().zip(0..);
        let within = || all().filter(|(_, at)| range.contains(at));
        let mut derived = loaded.clone();
        // Execute two passes, because the back edge of the loop carries values from later instructions to earlier instructions.
        for _ in 0..2 {
            for (instruction, _) in within() {
                let sources = function.sources(instruction);
                if sources.iter().any(|source| derived.contains(source)) {
                    derived.extend(function.destinations(instruction));
                }
            }
        }
        within().any(|(instruction, at)| {
            let guard = instruction.guard;
            let is_guarded = guard.is_some_and(|own| derived.contains(&own.predicate));
            let target = branch_target(program, function, instruction);
            let leaves = |to: u32| at == *range.end() || !range.contains(&to);
            is_guarded && target.is_some_and(leaves)
        })
    })
}
