//! Host calls: the interpreter executes instructions without a translation. The module takes the context records of the
//! waiting lanes, and returns the updated registers of these lanes.

use crate::layout::{MemoryWindow, SUBWARP_LANES, SUBWARPS_PER_WARP, record};
use crate::module::{CompiledKernel, HostCall, lane_bytes};
use crate::registers::parts;
use std::collections::BTreeMap;
use warpgrid_emulator::translation_view::{LANES, TranslationView, WarpRegisterFile};

/// Lanes for which the host executes an instruction: the lanes of one subwarp, or all lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callers {
    Lanes,
    Warp,
}

/// Pending host calls of a warp, by the number of the synchronization point at which their lanes wait.
#[derive(Default)]
pub(crate) struct HostCallBatch {
    pending: BTreeMap<u32, PendingHostCall>,
}

/// Pending host call: the waiting lanes, and the registers of these lanes.
struct PendingHostCall {
    at: u32,
    lanes: u32,
    registers: WarpRegisterFile,
}

/// Returns the number of the synchronization point at which the lanes of a context record wait. Returns `None` unless
/// this point is a host call for the given callers.
fn number_of<B: AsRef<[u8]>>(
    kernel: &CompiledKernel,
    records: &MemoryWindow<B>,
    at: u32,
    callers: Callers,
) -> Option<u32> {
    let number = records.get32(at + record::SUSPEND_CODE);
    let has_ended = records.get32(at + record::ENTRY).cast_signed() < 0;
    let of_number = match number < kernel.first_of_lanes {
        true => Callers::Warp,
        false => Callers::Lanes,
    };
    (number > 0 && of_number == callers && !has_ended).then_some(number)
}

/// Returns the addresses of the context records in a window of linear memory.
fn addresses<B: AsRef<[u8]>>(kernel: &CompiledKernel, records: &MemoryWindow<B>) -> Vec<u32> {
    let start = records.start as u32;
    let end = start + records.bytes.as_ref().len() as u32;
    let record_bytes = kernel.places.record_bytes as usize;
    (start..end).step_by(record_bytes).collect()
}

/// Returns the lanes of a context record, each with its index in the warp.
fn lanes_of<B: AsRef<[u8]>>(
    records: &MemoryWindow<B>,
    at: u32,
) -> impl Iterator<Item = LaneIndex> + use<B> {
    let subwarp = records.get32(at + record::SUBWARP) % SUBWARPS_PER_WARP;
    let mask = records.get32(at + record::MASK);
    let lanes = (0..SUBWARP_LANES).filter(move |lane| mask >> lane & 1 != 0);
    lanes.map(move |lane| LaneIndex {
        lane,
        of_warp: subwarp * SUBWARP_LANES + lane,
    })
}

/// Lane of a subwarp, with its index in the warp.
#[derive(Clone, Copy)]
struct LaneIndex {
    lane: u32,
    of_warp: u32,
}

impl HostCallBatch {
    /// Collects the pending host calls of the context records in a window of linear memory.
    pub(crate) fn read<B: AsRef<[u8]>>(
        &mut self,
        kernel: &CompiledKernel,
        plain: TranslationView<'_>,
        records: &MemoryWindow<B>,
        callers: Callers,
    ) {
        for at in addresses(kernel, records) {
            let Some(number) = number_of(kernel, records, at, callers) else {
                continue;
            };
            let Some(operation) = kernel.host_calls.get(&number) else {
                continue;
            };
            let work = self
                .pending
                .entry(number)
                .or_insert_with(|| PendingHostCall {
                    at: operation.at,
                    lanes: 0,
                    registers: plain.warp_registers(),
                });
            for place in lanes_of(records, at) {
                work.lanes |= 1 << place.of_warp;
                work.read(operation, records, at, place);
            }
        }
    }

    /// Executes all pending host calls. Returns `false` if the interpreter cannot execute one of these calls.
    pub(crate) fn execute(&mut self, plain: TranslationView<'_>) -> bool {
        let works = self.pending.values_mut();
        let mut done = works.map(|work| plain.execute(work.at, work.lanes, &mut work.registers));
        done.all(|is_done| is_done)
    }

    /// Writes the results of the host calls to the context records in a window of linear memory, so that the waiting
    /// lanes can continue.
    pub(crate) fn write<B: AsRef<[u8]> + AsMut<[u8]>>(
        &self,
        kernel: &CompiledKernel,
        records: &mut MemoryWindow<B>,
        callers: Callers,
    ) {
        for at in addresses(kernel, records) {
            let Some(number) = number_of(kernel, records, at, callers) else {
                continue;
            };
            let (Some(operation), Some(work)) =
                (kernel.host_calls.get(&number), self.pending.get(&number))
            else {
                continue;
            };
            for place in lanes_of(records, at) {
                work.write(operation, records, at, place);
            }
            records.put32(at + record::SUSPEND_CODE, 0);
        }
    }
}

impl PendingHostCall {
    fn read<B: AsRef<[u8]>>(
        &mut self,
        operation: &HostCall,
        records: &MemoryWindow<B>,
        at: u32,
        place: LaneIndex,
    ) {
        for (register, offset) in &operation.read {
            let start = at + record::REGISTERS + offset + lane_bytes(*register, place.lane).start;
            let value = match parts(*register) {
                2 => records.get64(start),
                _ => records.get32(start).into(),
            };
            let lane = place.of_warp as usize % LANES;
            self.registers.set_lane(*register, lane, value);
        }
    }

    fn write<B: AsRef<[u8]> + AsMut<[u8]>>(
        &self,
        operation: &HostCall,
        records: &mut MemoryWindow<B>,
        at: u32,
        place: LaneIndex,
    ) {
        for (register, offset) in &operation.written {
            let start = at + record::REGISTERS + offset + lane_bytes(*register, place.lane).start;
            let lane = place.of_warp as usize % LANES;
            let value = self.registers.lane(*register, lane);
            match parts(*register) {
                2 => records.put64(start, value),
                _ => records.put32(start, value as u32),
            }
        }
    }
}
