//! Diagnosis of hangs, which finds the waiting threads, the events for which they wait, and the source line that should have produced the
//! missing event.

use crate::diagnostics::ranges;
use crate::memory_model::concurrency::races::{shared_place, triple};
use crate::session::Session;
use serde::de::Visitor;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use warpgrid_emulator::{FaultKind, Machine, MemoryId as Place, MemoryRegion, RunDiagnosticKind};
use warpgrid_isa::{Operation, SyncOp};
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_order::hang::{Diagnosis, ExecutionTrace, HangKind, Wait, WaitKind, diagnose};

/// Step limit of a trial run on a machine on which all blocks are resident.
const MAX_TRIAL_STEPS: u64 = 4_000_000;

/// Diagnosis of a launch that hangs, which hosts display: the waiting threads, the missing event, and the line that should have produced
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HangView {
    pub kind: HangKind,
    /// Object for which threads wait: the number of a barrier or of a block, or the name of an mbarrier. The field is absent if the object
    /// differs between schedules.
    pub object: Option<HangResource>,
    /// Line at which the lanes of the root wait are waiting. All other waits depend on the root wait.
    pub line: u32,
    pub missing: Option<MissingCounts>,
    /// Line that should have produced the missing event, or the line after which this event should have occurred.
    pub line_at_fault: Option<u32>,
    pub message: String,
    pub waits: Vec<HangWait>,
}

/// Object for which threads in a [`HangView`] wait: a number of a barrier or block, or a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(untagged))]
pub enum HangResource {
    Number(u64),
    Name(String),
}

/// Representation of [`HangResource`] in messages between the page and its worker. This representation is necessary because the message
/// format is not self-describing and therefore does not support untagged enums.
#[derive(Serialize, Deserialize)]
struct TaggedObject(Option<u64>, Option<String>);

impl Serialize for HangResource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, serializer.is_human_readable()) {
            (HangResource::Number(number), true) => number.serialize(serializer),
            (HangResource::Name(name), true) => name.serialize(serializer),
            (HangResource::Number(number), false) => {
                TaggedObject(Some(*number), None).serialize(serializer)
            }
            (HangResource::Name(name), false) => {
                TaggedObject(None, Some(name.clone())).serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for HangResource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HangResource, D::Error> {
        if deserializer.is_human_readable() {
            return deserializer.deserialize_any(NumberOrName);
        }
        let TaggedObject(number, name) = TaggedObject::deserialize(deserializer)?;
        Ok(match (number, name) {
            (Some(number), _) => HangResource::Number(number),
            (None, name) => HangResource::Name(name.unwrap_or_default()),
        })
    }
}

struct NumberOrName;

impl Visitor<'_> for NumberOrName {
    type Value = HangResource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a name")
    }

    fn visit_u64<E>(self, number: u64) -> Result<HangResource, E> {
        Ok(HangResource::Number(number))
    }

    fn visit_str<E>(self, name: &str) -> Result<HangResource, E> {
        Ok(HangResource::Name(name.to_owned()))
    }
}

/// Numbers of missing arrivals, bytes or lanes of the root wait of a hang, if the analysis can count them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct MissingCounts {
    pub arrivals: Option<u32>,
    /// Number of missing bytes of an mbarrier phase. The number is negative if more bytes have completed than the phase expects.
    pub bytes: Option<i32>,
    pub lanes: Option<Vec<u32>>,
}

impl Serialize for MissingCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MissingCounts {
            arrivals,
            bytes,
            lanes,
        } = self;
        let all = !serializer.is_human_readable();
        let mut fields = serializer.serialize_struct("HangMissing", 3)?;
        if all || arrivals.is_some() {
            fields.serialize_field("arrivals", arrivals)?;
        }
        if all || bytes.is_some() {
            fields.serialize_field("bytes", bytes)?;
        }
        if all || lanes.is_some() {
            fields.serialize_field("lanes", lanes)?;
        }
        fields.end()
    }
}

/// Threads of one block that wait at the same line for the same object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct HangWait {
    pub kind: HangKind,
    pub block: [u32; 3],
    /// Ranges of the indices of the waiting threads in the block: `0, 32-63`.
    pub threads: String,
    pub line: Option<u32>,
    pub object: Option<HangResource>,
    /// Number of phases that the awaited barrier or mbarrier has completed.
    pub phase: Option<u32>,
    pub awaited_parity: Option<u32>,
    pub pending_arrivals: Option<u32>,
    pub pending_bytes: Option<i32>,
    pub expected: Option<u32>,
    pub arrived: Option<u32>,
}

impl Session {
    /// Returns the diagnosis if the launch hangs, or if only some lanes of a warp arrived at an aligned barrier.
    pub fn hang(&mut self) -> Option<HangView> {
        let machine = self.timeline.machine();
        let is_stuck = machine.fault().is_some_and(|fault| {
            matches!(
                fault.kind,
                FaultKind::Deadlock { .. } | FaultKind::Mbarrier(_)
            )
        });
        let in_parts = machine
            .notes()
            .iter()
            .any(|note| matches!(note.kind, RunDiagnosticKind::DivergentBarrierArrival { .. }));
        if !is_stuck && !in_parts {
            return None;
        }
        let mut trace = ExecutionTrace::new();
        let seen = self.steps_seen();
        self.timeline.replay(0, seen, &mut trace);
        let ahead = self.full_residency_trace();
        let found = diagnose(self.timeline.machine(), &trace, ahead.as_ref())?;
        Some(self.hang_view(&found))
    }

    /// Executes the same launch, and returns its execution trace on a machine on which all blocks are resident, or `None` if all blocks are
    /// already resident on this machine.
    fn full_residency_trace(&self) -> Option<ExecutionTrace> {
        let machine = self.timeline.machine();
        let last = machine.n_blocks().checked_sub(1)?;
        if machine.has_started(last) {
            return None;
        }
        let mut scenario = self.scenario().clone();
        // An absent limit would be replaced by the limit of the launch annotation.
        scenario.resident = Some(u32::MAX);
        let mut other = Session::new_without_last_writers(scenario).ok()?;
        let mut trace = ExecutionTrace::new();
        other.timeline.run_observed(MAX_TRIAL_STEPS, &mut trace);
        Some(trace)
    }

    fn hang_view(&self, found: &Diagnosis) -> HangView {
        let line = |at: (warpgrid_program::FunctionId, u32)| self.range_of(at.0, at.1).line;
        let mut root = self.hang_wait(&found.root);
        let object = match found.block {
            Some(block) => Some(HangResource::Number(block)),
            None if found.depends_on_order => None,
            None => root.object.clone(),
        };
        let mut waits: Vec<HangWait> = Vec::new();
        for wait in &found.waits {
            let one = self.hang_wait(wait);
            add_wait(&mut waits, one);
        }
        // The message names all threads that wait for the object of the root wait at the same line.
        let is_root = |wait: &&HangWait| {
            let threads = root.threads.clone();
            root == HangWait {
                threads,
                ..(*wait).clone()
            }
        };
        if let Some(merged) = waits.iter().find(is_root) {
            root.threads = merged.threads.clone();
        }
        let mut hang = HangView {
            kind: found.kind,
            object,
            line: root.line.unwrap_or(0),
            missing: missing(&found.root, found.kind),
            line_at_fault: found.culprit.map(line),
            message: String::new(),
            waits,
        };
        hang.message = message(&hang, &root, &found.explanation);
        hang
    }

    fn hang_wait(&self, wait: &Wait) -> HangWait {
        let machine = self.timeline.machine();
        let mut view = HangWait {
            kind: HangKind::Spin,
            block: machine.block_position(wait.block),
            threads: threads(wait.warp, wait.lanes, self.n_threads()),
            line: Some(self.range_of(wait.function, wait.instruction).line),
            object: None,
            phase: None,
            awaited_parity: None,
            pending_arrivals: None,
            pending_bytes: None,
            expected: None,
            arrived: None,
        };
        match &wait.kind {
            WaitKind::Barrier {
                id,
                phase,
                expected,
                arrived,
            } => {
                view.kind = HangKind::Barrier;
                view.object = Some(HangResource::Number((*id).into()));
                view.phase = Some(*phase);
                (view.expected, view.arrived) = (Some(*expected), Some(*arrived));
            }
            WaitKind::Mbarrier {
                address,
                phase,
                parity,
                pending,
                bytes,
            } => {
                view.kind = HangKind::Mbarrier;
                view.object = Some(HangResource::Name(shared_name(
                    machine, wait.block, *address,
                )));
                view.phase = Some(*phase);
                view.awaited_parity = Some(u32::from(*parity));
                (view.pending_arrivals, view.pending_bytes) = (Some(*pending), Some(*bytes));
            }
            WaitKind::ClusterBarrier { missing } => {
                view.kind = HangKind::ClusterBarrier;
                view.pending_arrivals = Some(*missing);
            }
            WaitKind::WarpSync { .. } => {
                view.kind = HangKind::WarpSync;
                let reader = self.reader(wait.function, wait.instruction);
                let opcode = reader.map_or("", InstructionView::opcode);
                let sync = reader
                    .and_then(InstructionView::operation)
                    .and_then(Operation::sync);
                let name = match sync == Some(SyncOp::WarpBarrier) {
                    true => "bar.warp.sync",
                    false => opcode.split('.').next().unwrap_or(opcode),
                };
                view.object = Some(HangResource::Name(name.to_owned()));
            }
            WaitKind::Spin { memory, address } => {
                view.object = Some(HangResource::Name(
                    self.place_name(machine, *memory, *address),
                ));
            }
            WaitKind::Registers => {}
            WaitKind::TensorMemory { n_columns } => {
                view.kind = HangKind::TensorMemory;
                view.object = Some(HangResource::Name(format!("{n_columns} columns")));
            }
            WaitKind::Copies => view.kind = HangKind::Copies,
            WaitKind::NotResident => {
                view.kind = HangKind::NotResident;
                view.line = None;
                view.object = Some(HangResource::Number(wait.block));
                view.threads = format!("0-{}", self.n_threads().saturating_sub(1));
            }
        }
        view
    }

    fn place_name(&self, machine: &Machine, memory: Place, address: u64) -> String {
        let named = match memory {
            Place::Global => match machine.region_at(address) {
                Some((MemoryRegion::Buffer(index), offset)) => {
                    let buffers = self.buffers();
                    buffers
                        .get(index.0 as usize)
                        .map(|buffer| format!("{}+{offset}", buffer.name))
                }
                Some((MemoryRegion::Variable(index), offset)) => {
                    let variable = machine.program().variables.get(index as usize);
                    variable.map(|variable| format!("{}+{offset}", variable.name))
                }
                _ => None,
            },
            Place::Shared { block } => {
                let name = shared_name(machine, block, address);
                Some(match name.contains('+') {
                    true => name,
                    false => format!("{name}+0"),
                })
            }
            Place::Constant | Place::Parameters | Place::Local { .. } => None,
        };
        named.unwrap_or_else(|| format!("{address:#x}"))
    }
}

/// Formats a location in shared memory as the name of its variable and the byte offset from the start of the variable: `full+8`.
pub(crate) fn shared_name(machine: &Machine, block: u64, address: u64) -> String {
    let place = shared_place(machine, block, address, 8);
    match (place.variable, place.offset) {
        (Some(name), 0) => name,
        (Some(name), offset) => format!("{name}+{offset}"),
        (None, offset) => format!("{offset:#x}"),
    }
}

/// Returns the numbers of missing arrivals, bytes or lanes of the root wait.
fn missing(root: &Wait, kind: HangKind) -> Option<MissingCounts> {
    let nothing = MissingCounts {
        arrivals: None,
        bytes: None,
        lanes: None,
    };
    match (&root.kind, kind) {
        (
            WaitKind::Barrier {
                expected, arrived, ..
            },
            HangKind::Barrier,
        ) => Some(MissingCounts {
            arrivals: Some(expected.saturating_sub(*arrived)),
            ..nothing
        }),
        (WaitKind::Mbarrier { pending, bytes, .. }, _) => Some(MissingCounts {
            arrivals: Some(*pending),
            bytes: Some(*bytes),
            ..nothing
        }),
        (WaitKind::ClusterBarrier { missing }, _) => Some(MissingCounts {
            arrivals: Some(*missing),
            ..nothing
        }),
        (WaitKind::WarpSync { missing }, _) => Some(MissingCounts {
            lanes: Some((0..32).filter(|lane| missing >> lane & 1 != 0).collect()),
            ..nothing
        }),
        _ => None,
    }
}

/// Formats the threads of the given lanes of a warp as ranges of thread indices in the block.
fn threads(warp: u32, lanes: u32, n_threads: u32) -> String {
    let first = warp * 32;
    let all = (0..32).filter(|lane| lanes >> lane & 1 != 0 && first + lane < n_threads);
    ranges(&mut all.map(|lane| first + lane))
}

/// Adds a wait to the list of waits. If the list contains a wait of adjacent threads of the same block for the same object, the function
/// merges the two waits.
fn add_wait(waits: &mut Vec<HangWait>, new: HangWait) {
    let same = waits.iter_mut().find(|old| {
        let threads = String::new();
        let bare = |wait: &HangWait| HangWait {
            threads: threads.clone(),
            ..wait.clone()
        };
        bare(old) == bare(&new)
    });
    let Some(old) = same else {
        waits.push(new);
        return;
    };
    let end = old
        .threads
        .rsplit('-')
        .next()
        .and_then(|n| n.parse::<u32>().ok());
    let start = new
        .threads
        .split(['-', ','])
        .next()
        .and_then(|n| n.parse::<u32>().ok());
    let first = old.threads.split('-').next().unwrap_or_default().to_owned();
    let follows = end.zip(start).is_some_and(|(end, start)| end + 1 == start);
    match (
        follows && !old.threads.contains(','),
        new.threads.rsplit('-').next(),
    ) {
        (true, Some(last)) if !new.threads.contains(',') => {
            old.threads = format!("{first}-{last}");
        }
        _ => old.threads = format!("{}, {}", old.threads, new.threads),
    }
}

/// Returns the message about a hang, which consists of a sentence about the root wait, and the line that should have produced the missing
/// event.
fn message(hang: &HangView, root: &HangWait, what: &str) -> String {
    let wait = root_wait(hang, root);
    match hang.line_at_fault {
        Some(line) => format!("{wait}; line {line}: {what}"),
        None => wait,
    }
}

/// Returns a sentence that describes the root wait of a hang.
fn root_wait(hang: &HangView, root: &HangWait) -> String {
    let name = |object: &Option<HangResource>| match object {
        Some(HangResource::Number(number)) => number.to_string(),
        Some(HangResource::Name(name)) => format!("`{name}`"),
        None => String::new(),
    };
    let is_one = root.threads.bytes().all(|digit| digit.is_ascii_digit());
    let word = if is_one { "thread" } else { "threads" };
    let who = format!("{word} {} of block {}", root.threads, triple(root.block));
    let verb = |plural: &'static str, singular: &'static str| match is_one {
        true => singular,
        false => plural,
    };
    let wait = verb("wait", "waits");
    let (spin, poll, reach) = (
        verb("spin", "spins"),
        verb("poll", "polls"),
        verb("reach", "reaches"),
    );
    match hang.kind {
        HangKind::Barrier => format!(
            "{who} {wait} at barrier {} (line {}), where {} of {} threads have arrived",
            name(&root.object),
            hang.line,
            root.arrived.unwrap_or(0),
            root.expected.unwrap_or(0)
        ),
        HangKind::Mbarrier => format!(
            "{who} {wait} for the mbarrier {} (line {}) with phase {}, parity {}, pending count {} and tx-count {}",
            name(&root.object),
            hang.line,
            root.phase.unwrap_or(0),
            root.awaited_parity.unwrap_or(0),
            root.pending_arrivals.unwrap_or(0),
            root.pending_bytes.unwrap_or(0)
        ),
        HangKind::ClusterBarrier => format!(
            "{who} {wait} at the cluster barrier (line {}), where the number of missing threads is {}",
            hang.line,
            root.pending_arrivals.unwrap_or(0)
        ),
        HangKind::WarpSync => format!(
            "{who} {wait} at {} (line {}) for other lanes of the warp",
            name(&root.object),
            hang.line
        ),
        HangKind::Spin if root.object.is_none() => format!(
            "{who} {spin} in a loop (line {}) whose exit condition never changes",
            hang.line
        ),
        HangKind::Spin => format!(
            "{who} {poll} {} (line {}), which no remaining thread writes",
            name(&root.object),
            hang.line
        ),
        HangKind::NotResident => format!(
            "{who} {wait} (line {}) for block {}, which cannot start before another block exits",
            hang.line,
            name(&hang.object)
        ),
        HangKind::DivergentBarrier => format!(
            "{who} {reach} the aligned barrier {} (line {}) without the other threads of the warp",
            name(&root.object),
            hang.line
        ),
        HangKind::TensorMemory => format!(
            "{who} {wait} for {} of tensor memory (line {}), which no block deallocates",
            name(&root.object),
            hang.line
        ),
        HangKind::Copies => format!(
            "{who} {wait} for asynchronous operations that never complete (line {})",
            hang.line
        ),
    }
}
