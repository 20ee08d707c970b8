//! Advice on accesses to global memory. The module computes the number of excess sectors of an access, and the number of sectors that a
//! different lane order or a wider vector would save.

use crate::layouts::inspector::access_recorder::{RecordedAccess, RecordedRequest};
use crate::layouts::inspector::named_regions::NamedRegion;
use crate::model::source_position::SourcePosition;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_emulator::MemoryId as Place;
use warpgrid_launch::instruction_summary::InstructionView;
use warpgrid_program::FunctionId;

/// Access to global memory that touches more sectors than necessary, with a suggestion for the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SectorAdvice {
    /// Line of the source, starting at 1.
    pub line: u32,
    /// Position in the language from which a compiler generated the instruction, followed by the call sites of inlined functions.
    pub source: Vec<SourcePosition>,
    pub opcode: String,
    /// Name of the accessed variable, or of the accessed buffer of the launch.
    pub buffer: String,
    pub requests: u64,
    /// Number of sectors that the access touches (`memory_l2_theoretical_sectors_global`).
    pub sectors: u64,
    /// Smallest number of sectors that contain as many bytes as the access transfers.
    pub ideal: u64,
    /// Sentence that suggests a change of the access.
    pub text: String,
}

impl Session {
    pub(crate) fn sector_advice(
        &self,
        recorded: &RecordedAccess,
        all: &[RecordedAccess],
        named: &[NamedRegion],
    ) -> Option<SectorAdvice> {
        let counted = self
            .counter
            .at(recorded.function, recorded.instruction)
            .global;
        if counted.sectors_excessive == 0 {
            return None;
        }
        let place = (FunctionId(recorded.function), recorded.instruction);
        let request = recorded.first_block.first()?;
        let part = request
            .parts
            .iter()
            .find(|part| part.memory == Place::Global)?;
        let buffer = named
            .iter()
            .find(|named| named.holds(part.memory, part.address));
        Some(SectorAdvice {
            line: self.range_of(place.0, place.1).line,
            source: self.source_of(place.0, place.1),
            opcode: self
                .reader(place.0, place.1)
                .map_or("", InstructionView::opcode)
                .to_owned(),
            buffer: buffer.map_or_else(String::new, |buffer| buffer.name.clone()),
            requests: counted.requests,
            sectors: counted.sectors,
            ideal: counted.sectors_ideal,
            text: self
                .vector_advice(recorded, request, all)
                .unwrap_or_else(|| advice(recorded, request)),
        })
    }

    /// Suggests a vector access if other instructions access the adjacent elements of the same lanes, such as the members of a structure.
    fn vector_advice(
        &self,
        recorded: &RecordedAccess,
        request: &RecordedRequest,
        all: &[RecordedAccess],
    ) -> Option<String> {
        let own = request.lanes()?;
        let (first, bytes) = (own.first()?.start, own.first()?.n_bytes.max(1));
        // Distance of another request from this request, if the distance is the same in all lanes.
        let distance = |other: &RecordedRequest| {
            let lanes = other.lanes().filter(|lanes| lanes.len() == own.len())?;
            let distance = lanes.first()?.start.wrapping_sub(first) as i64;
            let is_parallel = lanes.iter().zip(&own).all(|(other, own)| {
                (other.lane, other.n_bytes) == (own.lane, own.n_bytes)
                    && other.start.wrapping_sub(own.start) as i64 == distance
            });
            is_parallel.then_some(distance)
        };
        let is_alike = |other: &&RecordedAccess| {
            other.function == recorded.function
                && other.action == recorded.action
                && other.instruction != recorded.instruction
        };
        let mut lines: BTreeMap<i64, u32> = BTreeMap::new();
        for other in all.iter().filter(is_alike) {
            let same_warp = |found: &&RecordedRequest| found.warp == request.warp;
            let found = other.first_block.iter().find(same_warp);
            if let Some(distance) = found.and_then(distance) {
                let line = self
                    .range_of(FunctionId(other.function), other.instruction)
                    .line;
                lines.entry(distance).or_insert(line);
            }
        }
        let bytes_of_vector = [4, 2].map(|n| n * bytes).into_iter().find(|vector| {
            let before = (first % vector) as i64;
            let mut elements = (0..*vector as i64).step_by(bytes as usize);
            let is_aligned = own.iter().all(|lane| lane.start % vector == first % vector);
            *vector <= MAX_VECTOR_BYTES
                && is_aligned
                && elements.all(|at| at == before || lines.contains_key(&(at - before)))
        })?;
        let n = bytes_of_vector / bytes;
        let before = (first % bytes_of_vector) as i64;
        let elements = (0..bytes_of_vector as i64).step_by(bytes as usize);
        let others = elements.filter_map(|at| lines.get(&(at - before)));
        let others: Vec<String> = others.map(u32::to_string).collect();
        let noun = if others.len() == 1 { "line" } else { "lines" };
        Some(format!(
            "each lane accesses the adjacent elements at {noun} {}: use one `.v{n}` access for {n} elements, which divides the numbers of requests and sectors by {n}",
            others.join(", ")
        ))
    }
}

/// Maximum number of bytes that one lane transfers with a vector access on all targets.
const MAX_VECTOR_BYTES: u64 = 16;

/// Returns a suggestion for an access. The suggestion depends on the distances between the addresses of adjacent lanes and of consecutive
/// requests.
fn advice(recorded: &RecordedAccess, first: &RecordedRequest) -> String {
    let Some(lanes) = first.lanes().filter(|lanes| lanes.len() > 1) else {
        return "each lane accesses several locations: assign consecutive elements to consecutive lanes".to_owned();
    };
    let bytes = lanes.first().map_or(4, |lane| lane.n_bytes).max(1);
    let steps = lanes.windows(2).map(|pair| match pair {
        [a, b] => b.start as i64 - a.start as i64,
        _ => 0,
    });
    let steps: Vec<i64> = steps.collect();
    let step = steps.first().copied().unwrap_or(0);
    if steps.iter().any(|other| *other != step) {
        return "the addresses of the lanes have no uniform stride: sort the addresses, or stage the data through shared memory".to_owned();
    }
    if step.unsigned_abs() == bytes {
        return format!(
            "the accessed addresses are contiguous, but start {} bytes after a sector boundary: align the first address to 32 bytes",
            lanes.first().map_or(0, |lane| lane.start % 32)
        );
    }
    let next = recorded
        .first_block
        .iter()
        .find(|other| other.step > first.step && other.warp == first.warp);
    let next = next
        .and_then(RecordedRequest::lanes)
        .and_then(|lanes| lanes.first().copied());
    let along = next
        .zip(lanes.first())
        .map(|(next, first)| next.start as i64 - first.start as i64);
    let is_own =
        along.is_some_and(|along| along.unsigned_abs() == bytes) && step.unsigned_abs() > bytes;
    let wide = (16 / bytes).min(step.unsigned_abs() / bytes);
    if is_own && wide > 1 && step.unsigned_abs().is_multiple_of(wide * bytes) {
        return format!(
            "each lane accesses consecutive elements in consecutive iterations, with a lane stride of {step} bytes: use `.v{wide}` to access {wide} elements per request, which divides the numbers of requests and sectors by {wide}, or exchange lanes and iterations for a lane stride of {bytes} bytes"
        );
    }
    format!(
        "the lane stride is {step} bytes for accesses of {bytes} bytes: reduce the lane stride to {bytes} bytes, so that a request needs only {} sectors",
        (lanes.len() as u64 * bytes).div_ceil(32)
    )
}
