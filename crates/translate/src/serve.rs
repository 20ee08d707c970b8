//! Host calls: the interpreter executes untranslated instructions. Input: the records of the waiting lanes. Output: the
//! registers of these lanes.

use crate::module::{HostOperation, Kernel, lane_bytes};
use crate::place::{GANG, GANGS, Window, record};
use crate::registers::parts;
use std::collections::BTreeMap;
use warpgrid_emulator::plain::{LANES, Plain, WarpRegisters};

/// Lanes for which the host executes an instruction: those of a lane vector, or all lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Callers {
    Lanes,
    Warp,
}

/// Pending host calls of a warp, by number of the synchronization point.
#[derive(Default)]
pub(crate) struct Served {
    found: BTreeMap<u32, Work>,
}

/// Pending host call: the waiting lanes, and their registers.
struct Work {
    at: u32,
    lanes: u32,
    registers: WarpRegisters,
}

/// Returns the number of the synchronization point of a record if it is a host call to execute now.
fn number_of<B: AsRef<[u8]>>(
    kernel: &Kernel,
    records: &Window<B>,
    at: u32,
    callers: Callers,
) -> Option<u32> {
    let number = records.get32(at + record::WAITS_FOR);
    let has_ended = records.get32(at + record::ENTRY).cast_signed() < 0;
    let of_number = match number < kernel.first_of_lanes {
        true => Callers::Warp,
        false => Callers::Lanes,
    };
    (number > 0 && of_number == callers && !has_ended).then_some(number)
}

/// Returns the addresses of the records of a window.
fn addresses<B: AsRef<[u8]>>(kernel: &Kernel, records: &Window<B>) -> Vec<u32> {
    let start = records.start as u32;
    let end = start + records.bytes.as_ref().len() as u32;
    let record_bytes = kernel.places.record_bytes as usize;
    (start..end).step_by(record_bytes).collect()
}

/// Returns the lanes of a record, each with its index in the warp.
fn lanes_of<B: AsRef<[u8]>>(
    records: &Window<B>,
    at: u32,
) -> impl Iterator<Item = LanePlace> + use<B> {
    let gang = records.get32(at + record::GANG) % GANGS;
    let mask = records.get32(at + record::MASK);
    let there = (0..GANG).filter(move |lane| mask >> lane & 1 != 0);
    there.map(move |lane| LanePlace {
        lane,
        of_warp: gang * GANG + lane,
    })
}

/// Lane of a lane vector.
#[derive(Clone, Copy)]
struct LanePlace {
    lane: u32,
    of_warp: u32,
}

impl Served {
    /// Collects the host calls for which the records of a window wait.
    pub(crate) fn read<B: AsRef<[u8]>>(
        &mut self,
        kernel: &Kernel,
        plain: Plain<'_>,
        records: &Window<B>,
        callers: Callers,
    ) {
        for at in addresses(kernel, records) {
            let Some(number) = number_of(kernel, records, at, callers) else {
                continue;
            };
            let Some(operation) = kernel.by_host.get(&number) else {
                continue;
            };
            let work = self.found.entry(number).or_insert_with(|| Work {
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

    /// Executes all host calls. Returns `false` if one of them cannot be executed.
    pub(crate) fn execute(&mut self, plain: Plain<'_>) -> bool {
        let works = self.found.values_mut();
        let mut done = works.map(|work| plain.execute(work.at, work.lanes, &mut work.registers));
        done.all(|is_done| is_done)
    }

    /// Writes the results to the records of a window, whose lanes can continue.
    pub(crate) fn write<B: AsRef<[u8]> + AsMut<[u8]>>(
        &self,
        kernel: &Kernel,
        records: &mut Window<B>,
        callers: Callers,
    ) {
        for at in addresses(kernel, records) {
            let Some(number) = number_of(kernel, records, at, callers) else {
                continue;
            };
            let (Some(operation), Some(work)) =
                (kernel.by_host.get(&number), self.found.get(&number))
            else {
                continue;
            };
            for place in lanes_of(records, at) {
                work.write(operation, records, at, place);
            }
            records.put32(at + record::WAITS_FOR, 0);
        }
    }
}

impl Work {
    fn read<B: AsRef<[u8]>>(
        &mut self,
        operation: &HostOperation,
        records: &Window<B>,
        at: u32,
        place: LanePlace,
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
        operation: &HostOperation,
        records: &mut Window<B>,
        at: u32,
        place: LanePlace,
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
