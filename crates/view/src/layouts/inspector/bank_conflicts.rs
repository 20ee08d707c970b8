//! Explanation of the bank conflicts of an access. The module takes the recorded requests of the access, and returns the lanes that access
//! each bank in each phase, and an example of two conflicting lanes.

use crate::analysis::traffic::access::{
    LaneBytes, WavefrontMode, accesses, count_accesses, groups,
};
use crate::layouts::inspector::access_recorder::{RecordedAccess, RecordedRequest};
use crate::layouts::inspector::bank_conflict_fix::BufferConflicts;
use crate::layouts::inspector::sector_advice::SectorAdvice;
use crate::model::source_position::SourcePosition;
use crate::model::traffic::BankTraffic;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_emulator::{AccessAction, MemoryId as Place};
use warpgrid_isa::MemoryGeometry;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::FunctionId;

/// Report for hosts on the bank conflicts and uncoalesced accesses of a run, with proposed layout changes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ConflictReport {
    /// Accesses to shared memory, ordered by source line.
    pub accesses: Vec<AccessConflicts>,
    /// Buffers in shared memory whose accesses have bank conflicts.
    pub buffers: Vec<BufferConflicts>,
    /// Accesses to global memory that touch more sectors than necessary for the transferred bytes.
    pub sectors: Vec<SectorAdvice>,
}

/// Instruction that accesses shared memory, with the number and an example of its bank conflicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct AccessConflicts {
    /// Line of the source, starting at 1.
    pub line: u32,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    pub opcode: String,
    /// Name of the accessed variable.
    pub buffer: String,
    pub requests: u64,
    pub wavefronts: u64,
    /// Minimum number of wavefronts of requests that transfer the same number of bytes per lane.
    pub ideal: u64,
    pub conflicts: u64,
    /// Nsight Compute metrics that correspond to the counts of this access.
    pub profiler: Vec<ProfilerCount>,
    /// Step of the request with the most bank conflicts. `phases` contains the phases of this request.
    pub worst_step: u64,
    pub phases: Vec<BankPhase>,
    /// Example of two lanes that access different words of one bank.
    pub collision: Option<Collision>,
}

/// Value that Nsight Compute is expected to report for a metric of an access, with the name of the metric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProfilerCount {
    pub name: String,
    pub count: u64,
    /// Reason why Nsight Compute may report a different value.
    pub beside: String,
}

/// Group of lanes that access shared memory together: 32 lanes if each lane accesses 4 bytes, 16 lanes for 8 bytes, and 8 lanes for 16
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankPhase {
    pub first_lane: u32,
    pub last_lane: u32,
    /// Number of wavefronts that the phase needs.
    pub wavefronts: u32,
    /// Banks that the lanes of the phase access, in ascending order.
    pub banks: Vec<BankCell>,
}

/// Accesses of one phase to one bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankCell {
    pub bank: u32,
    /// Words of the bank that the phase accesses, each with its lanes.
    pub words: Vec<BankWord>,
}

/// Word of a bank with the lanes that access it in one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BankWord {
    /// Address of the word in the shared memory of the block.
    pub address: u32,
    pub lanes: Vec<u8>,
}

/// Example of two lanes that access different words of one bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Collision {
    pub lanes: [u8; 2],
    /// Addresses of the words that the two lanes access, in the shared memory of the block.
    pub addresses: [u32; 2],
    pub bank: u32,
    pub text: String,
}

/// Returns the number of wavefronts of a request, and the minimum number of wavefronts for the same number of bytes per lane.
pub(crate) fn traffic_of(
    recorded: &RecordedAccess,
    request: &RecordedRequest,
    shape: MemoryGeometry,
) -> BankTraffic {
    let (width, access) = (request.width_bytes, request.access_bytes);
    let n_lanes = request.mask.count_ones();
    count_accesses(
        &request.parts,
        n_lanes,
        width,
        access,
        recorded.passes(),
        shape,
    )
    .shared
}

impl Session {
    /// Returns the bank conflicts of the access `recorded`, or `None` if the access is not an access to shared memory. `counted` is the
    /// memory traffic of the access in the complete run.
    pub(crate) fn conflicts_of(
        &self,
        recorded: &RecordedAccess,
        buffer: &str,
    ) -> Option<AccessConflicts> {
        let shape = self.memory_shape();
        let is_shared = |part: &LaneBytes| matches!(part.memory, Place::Shared { .. });
        if !recorded
            .distinct
            .iter()
            .any(|request| request.parts.iter().any(is_shared))
        {
            return None;
        }
        let counted = self
            .counter
            .at(recorded.function, recorded.instruction)
            .shared;
        let place = (FunctionId(recorded.function), recorded.instruction);
        let worst = recorded.distinct.iter().max_by_key(|request| {
            let found = traffic_of(recorded, request, shape);
            (found.bank_conflicts, std::cmp::Reverse(request.step))
        })?;
        let phases = phases_of(recorded, worst, shape);
        let collision = collision_of(&phases, recorded.passes());
        Some(AccessConflicts {
            line: self.range_of(place.0, place.1).line,
            source: self.source_of(place.0, place.1),
            opcode: self
                .reader(place.0, place.1)
                .map_or("", InstructionView::opcode)
                .to_owned(),
            buffer: buffer.to_owned(),
            requests: counted.requests,
            wavefronts: counted.wavefronts,
            ideal: counted.wavefronts_ideal,
            conflicts: counted.bank_conflicts,
            profiler: profiler(recorded, &counted),
            worst_step: worst.step,
            phases,
            collision,
        })
    }
}

/// Returns the accessed banks and their lanes for each phase of a request, in execution order.
fn phases_of(
    recorded: &RecordedAccess,
    request: &RecordedRequest,
    shape: MemoryGeometry,
) -> Vec<BankPhase> {
    let split = accesses(&request.parts, request.width_bytes, request.access_bytes);
    let mut phases = Vec::new();
    for (parts, width_bytes) in split {
        let n_groups = groups(&parts, width_bytes) as u8;
        let per_group = 32 / n_groups;
        for group in 0..n_groups {
            let lanes = group * per_group..(group + 1) * per_group;
            let own = parts.iter().filter(|part| lanes.contains(&part.lane));
            let banks = banks_of(own, shape);
            if banks.is_empty() {
                continue;
            }
            let passes = |cell: &BankCell| match recorded.passes() {
                WavefrontMode::Together => cell.words.len(),
                WavefrontMode::PerAccess => cell.words.iter().map(|word| word.lanes.len()).sum(),
            };
            phases.push(BankPhase {
                first_lane: lanes.start.into(),
                last_lane: (lanes.end - 1).into(),
                wavefronts: banks.iter().map(passes).max().unwrap_or(0) as u32,
                banks,
            });
        }
    }
    phases
}

fn banks_of<'a>(
    parts: impl Iterator<Item = &'a LaneBytes>,
    shape: MemoryGeometry,
) -> Vec<BankCell> {
    let bank_bytes = u64::from(shape.bank_bytes).max(1);
    let n_banks = u64::from(shape.banks).max(1);
    let mut words: BTreeMap<(u64, u64), Vec<u8>> = BTreeMap::new();
    for part in parts.filter(|part| matches!(part.memory, Place::Shared { .. })) {
        let last = part
            .address
            .saturating_add(u64::from(part.n_bytes).saturating_sub(1))
            / bank_bytes;
        // Examine only the first words of the part. This limit affects only bulk copies, because a part of any other request covers only a
        // few words.
        for word in (part.address / bank_bytes..=last).take(64) {
            let lanes = words.entry((word % n_banks, word)).or_default();
            if lanes.last() != Some(&part.lane) {
                lanes.push(part.lane);
            }
        }
    }
    let mut cells: Vec<BankCell> = Vec::new();
    for ((bank, word), lanes) in words {
        let word = BankWord {
            address: (word * bank_bytes) as u32,
            lanes,
        };
        match cells.last_mut() {
            Some(cell) if u64::from(cell.bank) == bank => cell.words.push(word),
            _ => cells.push(BankCell {
                bank: bank as u32,
                words: vec![word],
            }),
        }
    }
    cells
}

fn collision_of(phases: &[BankPhase], passes: WavefrontMode) -> Option<Collision> {
    let worst = phases.iter().max_by_key(|phase| phase.wavefronts)?;
    if passes == WavefrontMode::PerAccess {
        let mut words = worst
            .banks
            .iter()
            .flat_map(|cell| cell.words.iter().map(move |word| (cell.bank, word)));
        if let Some((bank, word)) = words.find(|(_, word)| word.lanes.len() > 1) {
            let [first, second, ..] = word.lanes[..] else {
                return None;
            };
            return Some(Collision {
                lanes: [first, second],
                addresses: [word.address; 2],
                bank,
                text: format!(
                    "lanes {first} and {second} update the same word at address {:#x}, so the updates are serialized in every layout",
                    word.address
                ),
            });
        }
    }
    let cell = worst.banks.iter().max_by_key(|cell| cell.words.len())?;
    let [first, second, ..] = &cell.words[..] else {
        return None;
    };
    let lanes = [*first.lanes.first()?, *second.lanes.first()?];
    Some(Collision {
        lanes,
        addresses: [first.address, second.address],
        bank: cell.bank,
        text: format!(
            "lanes {} and {} access different words of bank {}: addresses {:#x} and {:#x} differ by {} bytes, a multiple of 128",
            lanes[0],
            lanes[1],
            cell.bank,
            first.address,
            second.address,
            second.address.abs_diff(first.address)
        ),
    })
}

fn profiler(recorded: &RecordedAccess, counted: &BankTraffic) -> Vec<ProfilerCount> {
    let count = |name: &str, count: u64, beside: &str| ProfilerCount {
        name: name.to_owned(),
        count,
        beside: beside.to_owned(),
    };
    let op = match recorded.action {
        AccessAction::Load => "ld",
        AccessAction::Store => "st",
        AccessAction::Atomic => "atom",
        AccessAction::Reduction => "red",
    };
    vec![
        count("memory_l1_wavefronts_shared", counted.wavefronts, ""),
        count(
            "memory_l1_wavefronts_shared_ideal",
            counted.wavefronts_ideal,
            "",
        ),
        count(
            "derived__memory_l1_wavefronts_shared_excessive",
            counted.bank_conflicts,
            "",
        ),
        count(
            &format!("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum"),
            counted.bank_conflicts,
            "on hardware, this metric also counts stalls of the L1 data stage, which global accesses use, too; the metric can therefore be nonzero without bank conflicts",
        ),
    ]
}
