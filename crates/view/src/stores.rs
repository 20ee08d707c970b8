//! What stores did, lane by lane: collected while the emulator runs a step, shown in the screen's words.

use crate::hardware::Hardware;
use crate::memories::{Memory, element_of};
use crate::model::{LaneStore, SourceRange, Space, StoreView};
use warpgrid_emulator::{AccessEvent, MemoryRegion, Observer};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_launch::value::ElementType;

/// A store as the emulator reports it, without borrowed parts.
#[derive(Clone, Debug)]
pub(crate) struct StoreRecord {
    pub(crate) step: u64,
    pub(crate) block: u64,
    pub(crate) warp: u32,
    pub(crate) function: u32,
    pub(crate) instruction: u32,
    resolved: [StateSpace; 32],
    mask: u32,
    addresses: [u64; 32],
    width_bytes: u32,
    element_bytes: u32,
    bytes: Vec<u8>,
    elements: u32,
}

impl From<&AccessEvent<'_>> for StoreRecord {
    fn from(event: &AccessEvent<'_>) -> StoreRecord {
        StoreRecord {
            step: event.step,
            block: event.block,
            warp: event.warp,
            function: event.function.0,
            instruction: event.instruction,
            resolved: *event.resolved,
            mask: event.mask,
            addresses: *event.addresses,
            width_bytes: event.width_bytes,
            element_bytes: event.element_bytes,
            bytes: event.bytes.to_vec(),
            elements: event.elements,
        }
    }
}

/// Keeps the stores of the steps that it watches, up to a limit.
#[derive(Debug)]
pub(crate) struct StoreCollector {
    pub(crate) stores: Vec<StoreRecord>,
    limit: usize,
}

impl StoreCollector {
    pub(crate) fn new(limit: usize) -> StoreCollector {
        StoreCollector {
            stores: Vec::new(),
            limit,
        }
    }
}

impl Observer for StoreCollector {
    fn store(&mut self, event: &AccessEvent<'_>) {
        if self.stores.len() < self.limit {
            self.stores.push(event.into());
        }
    }
}

/// What a host knows about the place of a store.
pub(crate) struct StorePlace<'a> {
    pub(crate) range: SourceRange,
    pub(crate) instruction: &'a str,
    pub(crate) opcode: String,
    pub(crate) sources: Vec<Option<String>>,
    pub(crate) hardware: Hardware,
    /// Element type of the instruction.
    pub(crate) ty: ScalarType,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) memories: &'a [Memory],
}

impl StoreRecord {
    /// The memory that a lane wrote, and where in it.
    fn locate<'a>(&self, lane: usize, memories: &'a [Memory]) -> Option<(&'a Memory, u64)> {
        let address = self.addresses[lane];
        memories.iter().find_map(|memory| {
            let here = match (self.resolved[lane], memory.region) {
                (StateSpace::Shared, MemoryRegion::Shared { block }) => block == self.block,
                (StateSpace::Global, MemoryRegion::Buffer(_) | MemoryRegion::Variable(_)) => true,
                _ => false,
            };
            Some((memory, memory.offset(address).filter(|_| here)?))
        })
    }

    /// The record in the screen's words.
    pub(crate) fn view(&self, place: &StorePlace<'_>) -> StoreView {
        let element = element_of(place.ty);
        let lanes: Vec<usize> = (0..32).filter(|lane| self.mask >> lane & 1 == 1).collect();
        let located: Vec<Option<(&Memory, u64)>> = lanes
            .iter()
            .map(|lane| self.locate(*lane, place.memories))
            .collect();
        let mut ids = located
            .iter()
            .map(|found| found.map(|(memory, _)| &memory.view.id));
        let first = ids.next().flatten();
        let memory = first.filter(|_| ids.all(|id| id == first)).cloned();
        let lane_stores = lanes
            .iter()
            .zip(&located)
            .map(|(lane, found)| self.lane(*lane, found.map(|(_, offset)| offset), element, place))
            .collect();
        StoreView {
            step: self.step,
            block: unravel(self.block, place.grid),
            warp: self.warp,
            range: place.range,
            instruction: place.instruction.to_owned(),
            opcode: place.opcode.clone(),
            sources: place.sources.clone(),
            memory,
            space: lanes
                .first()
                .map_or(Space::Generic, |lane| self.resolved[*lane].into()),
            ty: element,
            n_elements: self.width_bytes / self.element_bytes.max(1),
            lanes: lane_stores,
            n_sectors: self.n_sectors(place.hardware),
            n_wavefronts: self.n_wavefronts(place.hardware),
        }
    }

    fn lane(
        &self,
        lane: usize,
        offset: Option<u64>,
        element: ElementType,
        place: &StorePlace<'_>,
    ) -> LaneStore {
        let width = self.width_bytes as usize;
        let bytes = self
            .bytes
            .get(lane * width..(lane + 1) * width)
            .unwrap_or(&[])
            .to_vec();
        let values: Vec<String> = bytes
            .chunks(self.element_bytes.max(1) as usize)
            .enumerate()
            .map(|(index, chunk)| {
                if self.elements >> index & 1 == 1 {
                    element.text(element.bits(chunk))
                } else {
                    "_".to_owned()
                }
            })
            .collect();
        LaneStore {
            lane: lane as u8,
            thread: unravel(u64::from(self.warp) * 32 + lane as u64, place.block),
            address: format!("{:#x}", self.addresses[lane]),
            offset,
            bytes,
            value: values.join(", "),
        }
    }

    /// Distinct sectors of global memory that the lanes touch.
    fn n_sectors(&self, hardware: Hardware) -> u32 {
        let sector_bytes = u64::from(hardware.sector_bytes);
        let mut sectors = Distinct::default();
        for lane in self.lanes_in(StateSpace::Global) {
            let first = self.addresses[lane] / sector_bytes;
            let last =
                (self.addresses[lane] + u64::from(self.width_bytes.max(1)) - 1) / sector_bytes;
            (first..=last).for_each(|sector| sectors.add(sector));
        }
        sectors.0.len() as u32
    }

    /// Passes that the banks need: the most distinct words that any one bank is asked for. Accesses of
    /// 8 and 16 bytes go in two and four groups of lanes, each with its own passes.
    fn n_wavefronts(&self, hardware: Hardware) -> u32 {
        let (n_banks, bank_bytes) = (u64::from(hardware.n_banks), u64::from(hardware.bank_bytes));
        let lanes_a_pass = match self.width_bytes {
            0..=4 => 32,
            5..=8 => 16,
            _ => 8,
        };
        let mut passes = 0;
        for group in (0..32).step_by(lanes_a_pass) {
            let mut words = vec![Distinct::default(); n_banks as usize];
            for lane in self
                .lanes_in(StateSpace::Shared)
                .filter(|lane| (group..group + lanes_a_pass).contains(lane))
            {
                let first = self.addresses[lane] / bank_bytes;
                let last =
                    (self.addresses[lane] + u64::from(self.width_bytes.max(1)) - 1) / bank_bytes;
                for word in first..=last {
                    words[(word % n_banks) as usize].add(word);
                }
            }
            passes += words.iter().map(|bank| bank.0.len()).max().unwrap_or(0) as u32;
        }
        passes
    }

    fn lanes_in(&self, space: StateSpace) -> impl Iterator<Item = usize> {
        (0..32).filter(move |lane| self.mask >> lane & 1 == 1 && self.resolved[*lane] == space)
    }
}

/// Distinct numbers; those of one store are so few that they are quickly looked through.
#[derive(Clone, Default)]
struct Distinct(Vec<u64>);

impl Distinct {
    fn add(&mut self, number: u64) {
        if !self.0.contains(&number) {
            self.0.push(number);
        }
    }
}

/// Coordinates of a linear index, x fastest.
pub(crate) fn unravel(index: u64, extents: [u32; 3]) -> [u32; 3] {
    let [x, y] = [u64::from(extents[0].max(1)), u64::from(extents[1].max(1))];
    [
        (index % x) as u32,
        (index / x % y) as u32,
        (index / x / y) as u32,
    ]
}
