//! Final values of a run: the values of the registers that a snippet has written, and of the memory elements that the run has changed.

use crate::analysis::memory_diff::{differing, outlasts_run};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use crate::session::step::warp::readable;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use warpgrid_emulator::LaneMaskDisplay;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_launch::instruction_summary::{InstructionSummary, readers};
use warpgrid_launch::scenario::Buffer;
use warpgrid_program::counted;
use warpgrid_program::{Function, FunctionId, RegisterId};

/// Maximum number of registers that a report contains.
const MAX_REGISTERS: usize = 256;
/// Maximum number of warps whose registers a report contains.
const MAX_WARPS: usize = 64;
/// Maximum number of lane groups that the text of a register lists.
const MAX_GROUPS_IN_TEXT: usize = 8;
/// Maximum number of ranges of changed elements that a report contains per memory.
const MAX_RANGES: usize = 4;
/// Maximum number of values that a report contains per range.
const MAX_VALUES: usize = 16;

/// Register that a snippet has written, with its values at the end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RegisterResult {
    pub name: String,
    /// Type in which hosts display the values of the register: `b32`, `f32`.
    #[serde(rename = "type")]
    pub ty: String,
    /// Groups of lanes in which the register has equal values, in the order of blocks, warps and lanes.
    pub groups: Vec<LaneGroup>,
}

/// Lanes of a warp in which a register has the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LaneGroup {
    /// Linear index of the block.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub block: u64,
    pub warp: u32,
    /// Mask of the lanes of the group, with one bit per lane.
    pub lanes: u32,
    pub value: String,
}

impl fmt::Display for RegisterResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.ty)?;
        if let [first, others @ ..] = self.groups.as_slice()
            && others.iter().all(|group| group.value == first.value)
        {
            return write!(f, " = {}", first.value);
        }
        let has_one_warp = self
            .groups
            .iter()
            .all(|group| (group.block, group.warp) == (0, 0));
        if has_one_warp && self.groups.len() > MAX_GROUPS_IN_TEXT {
            return write!(f, " by lane = {}", self.values_by_lane().join(", "));
        }
        for (index, group) in self.groups.iter().take(MAX_GROUPS_IN_TEXT).enumerate() {
            let LaneGroup {
                block,
                warp,
                lanes,
                value,
            } = group;
            let separator = if index == 0 { "" } else { ";" };
            let lanes = LaneMaskDisplay(*lanes);
            match has_one_warp {
                true => write!(f, "{separator} {lanes} = {value}")?,
                false => write!(f, "{separator} block {block} warp {warp} {lanes} = {value}")?,
            }
        }
        match self.groups.len().saturating_sub(MAX_GROUPS_IN_TEXT) {
            0 => Ok(()),
            n => write!(f, "; {}", counted(n, "more lane group")),
        }
    }
}

impl RegisterResult {
    /// Returns the value of the register in each lane. Only one warp has written the register.
    fn values_by_lane(&self) -> Vec<&str> {
        let value = |lane: u32| {
            let of_lane = |group: &&LaneGroup| group.lanes >> lane & 1 != 0;
            self.groups
                .iter()
                .find(of_lane)
                .map(|group| group.value.as_str())
        };
        (0..u32::BITS).filter_map(value).collect()
    }
}

/// Memory with elements that the run has changed, which hosts list after the run of a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedMemory {
    /// Name of the memory that hosts display.
    pub title: String,
    /// First ranges of consecutive elements that the run has changed, up to the maximum number of ranges.
    pub ranges: Vec<ChangedRange>,
    /// Total number of elements that the run has changed.
    pub n_elements: u64,
}

/// Consecutive elements that the run has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedRange {
    /// Names of the first and the last element of the range: `rows[2][4]`.
    pub bounds: [String; 2],
    /// Values of the first elements of the range, up to the maximum number of values.
    pub values: Vec<String>,
    pub n_elements: u64,
}

impl fmt::Display for ChangedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, last] = &self.bounds;
        match self.n_elements {
            1 => write!(f, "{first} = ")?,
            n => write!(f, "{first} to {last} ({n} elements) = ")?,
        }
        let rest = match self.n_elements > self.values.len() as u64 {
            true => ", …",
            false => "",
        };
        write!(f, "{}{rest}", self.values.join(", "))
    }
}

impl Session {
    /// Returns the registers that a snippet has written and that are in scope at its end. A kernel has no such registers, because its
    /// registers are dead after it returns.
    pub fn register_results(&self) -> Vec<RegisterResult> {
        let Some((id, entry)) = self.snippet() else {
            return Vec::new();
        };
        // Display the values of a register with a bit-size type in the type of the last floating-point result that an instruction wrote to
        // the register.
        let mut written: BTreeMap<RegisterId, Option<ScalarType>> = BTreeMap::new();
        for reader in readers(&self.program, entry) {
            if reader.instruction.is_implicit() {
                continue;
            }
            let ty = match reader.read() {
                InstructionSummary::Compute { ty, .. } => Some(ty),
                _ => None,
            };
            written.extend(reader.destinations().into_iter().map(|to| (to, ty)));
        }
        let results = entry.results.iter().filter_map(|register| {
            let computed = written.get(register)?;
            let declared = entry.registers.get(register.0 as usize)?.ty;
            let is_float = |ty: &ScalarType| {
                declared.kind() == TypeKind::Bits
                    && ty.kind() == TypeKind::Float
                    && ty.width_bits() == declared.width_bits()
            };
            let ty = computed.filter(is_float).unwrap_or(declared);
            Some(RegisterResult {
                name: entry.registers.name(*register).to_owned(),
                ty: ty.name().to_owned(),
                groups: self.lane_groups(id, *register, ty),
            })
        });
        results.take(MAX_REGISTERS).collect()
    }

    /// Returns the executed entry function, or `None` if it is not a snippet.
    fn snippet(&self) -> Option<(FunctionId, &Function)> {
        let id = self.timeline.machine().entry()?;
        let entry = self.program.functions.get(id.0 as usize)?;
        (!entry.results.is_empty()).then_some((id, entry))
    }

    fn lane_groups(
        &self,
        function: FunctionId,
        register: RegisterId,
        ty: ScalarType,
    ) -> Vec<LaneGroup> {
        let machine = self.timeline.machine();
        let blocks = machine.blocks().into_iter();
        let warps =
            blocks.flat_map(|block| (0..block.n_warps).map(move |warp| (block.index, warp)));
        let mut groups = Vec::new();
        for (block, warp) in warps.take(MAX_WARPS) {
            let Some(row) = machine.register_row(block, warp, function, register) else {
                continue;
            };
            let n_lanes = self.n_threads().saturating_sub(warp * 32).min(32);
            let mut of_warp: Vec<(u128, u32)> = Vec::new();
            for (lane, bits) in (0..n_lanes).zip(row) {
                match of_warp.iter_mut().find(|(value, _)| *value == bits) {
                    Some((_, lanes)) => *lanes |= 1 << lane,
                    None => of_warp.push((bits, 1 << lane)),
                }
            }
            groups.extend(of_warp.into_iter().map(|(bits, lanes)| LaneGroup {
                block,
                warp,
                lanes,
                value: readable(ty, bits),
            }));
        }
        groups
    }

    /// Returns the memories that the run has changed and for which the scenario states no expectation. `start` is a session of the same
    /// launch at its start.
    pub fn changed_memories(&self, start: &Session) -> Vec<ChangedMemory> {
        let buffers = self.buffers();
        let is_expected = |id: &MemoryKey| {
            let of_memory = |buffer: &&Buffer| *id == MemoryKey::Buffer(buffer.name.clone());
            buffers
                .iter()
                .find(of_memory)
                .is_some_and(Buffer::has_expectation)
        };
        let memories = self.memories().into_iter();
        memories
            .filter(|memory| outlasts_run(memory) && !is_expected(&memory.view.id))
            .filter_map(|memory| {
                let id = &memory.view.id;
                changed_memory(&memory, [start.memory(id)?, self.memory(id)?])
            })
            .collect()
    }
}

/// Compares the bytes of a memory at the start and at the end of a run, and returns the changed elements. Returns `None` if no element
/// changed.
fn changed_memory(memory: &MemoryDescriptor, [before, after]: [&[u8]; 2]) -> Option<ChangedMemory> {
    let ty = memory.element;
    let name = |index: usize| {
        let subscript = memory.view.subscript(index as u64);
        format!("{}{subscript}", memory.view.title)
    };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut n_elements = 0;
    for (index, _, _) in differing(ty, [before, after]) {
        n_elements += 1;
        if let Some(last) = ranges.last_mut().filter(|last| last.end == index) {
            last.end += 1;
        } else if ranges.len() <= MAX_RANGES {
            ranges.push(index..index + 1);
        }
    }
    ranges.truncate(MAX_RANGES);
    let range = |range: Range<usize>| {
        let elements = after.chunks(ty.width_bytes().max(1));
        let elements = elements.skip(range.start).take(range.len().min(MAX_VALUES));
        ChangedRange {
            bounds: [name(range.start), name(range.end - 1)],
            values: elements.map(|bytes| ty.text(ty.bits(bytes))).collect(),
            n_elements: range.len() as u64,
        }
    };
    (n_elements > 0).then(|| ChangedMemory {
        title: memory.view.title.clone(),
        ranges: ranges.into_iter().map(range).collect(),
        n_elements,
    })
}
