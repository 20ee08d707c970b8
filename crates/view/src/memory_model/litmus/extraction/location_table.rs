//! Computation of the locations of an extracted litmus test, which are the bytes that the tested threads access. Each location has its name
//! in the kernel, its address and its contents.

use crate::expression::tree::read_unsigned;
use crate::memory_model::litmus::extraction::access_watch::{ByteAccess, ThreadKey};
use crate::memory_model::litmus::extraction::external_effects::ExternalEffects;
use crate::memory_model::litmus::test::{LitmusLocation, LitmusTest};
use crate::memory_model::litmus::test_module::{LitmusError, fail};
use crate::session::Session;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::{MbarrierState, MemoryId, MemoryRegion};

/// Maximum number of elements that all locations of an extracted test have together.
const MAX_ELEMENTS: usize = 1024;

/// Named memory region, and the block whose shared memory contains the region.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RegionKey {
    name: String,
    block: Option<u64>,
    /// Start address of the region.
    base: u64,
}

/// Element of a memory region that becomes part of a location of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegionElement {
    offset: u64,
    n_bytes: u64,
    is_object: bool,
}

/// Accesses of the tested threads, grouped by memory region, from which the locations of the test are computed.
pub(crate) struct LocationTable {
    /// Accesses to each memory region. Overlapping accesses are split, so that each access covers complete elements.
    touched: BTreeMap<RegionKey, Vec<ByteAccess>>,
    /// Offsets of the mbarrier objects in each region.
    objects: BTreeMap<RegionKey, BTreeSet<u64>>,
}

/// Element that a thread writes, with the name that the list of observed values uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WrittenElement {
    pub(crate) name: String,
    pub(crate) block: Option<u64>,
    pub(crate) element: u64,
    /// Whether several threads or a pending asynchronous operation write the element.
    pub(crate) has_conflicting_writes: bool,
}

impl Session {
    /// Groups the accesses `touches` by named memory region.
    pub(crate) fn places_of<'t>(
        &self,
        touches: impl Iterator<Item = &'t ByteAccess>,
    ) -> LocationTable {
        let mut places = LocationTable {
            touched: BTreeMap::new(),
            objects: BTreeMap::new(),
        };
        for touch in touches {
            let Some(home) = self.home_of(touch) else {
                continue;
            };
            if touch.is_object {
                let offset = touch.address - home.base;
                places
                    .objects
                    .entry(home.clone())
                    .or_default()
                    .insert(offset);
            }
            places.touched.entry(home).or_default().push(*touch);
        }
        places
    }

    fn home_of(&self, touch: &ByteAccess) -> Option<RegionKey> {
        let bytes = touch.n_bytes;
        let (place, block, number) = match touch.memory {
            MemoryId::Global => (self.global_place(touch.address, bytes), None, touch.address),
            MemoryId::Shared { block } => {
                let place = self.shared_place(block, touch.address, bytes);
                (place, Some(block), touch.address)
            }
            MemoryId::Constant | MemoryId::Parameters | MemoryId::Local { .. } => return None,
        };
        let named = place.buffer.or(place.variable);
        let fallback = if block.is_some() { "shared" } else { "memory" };
        let name = named.unwrap_or_else(|| fallback.to_owned());
        let base = number - place.offset.min(number);
        Some(RegionKey { name, block, base })
    }
}

impl LocationTable {
    /// Returns the names of the buffers and variables in global memory that the threads access, indexed by address.
    pub(crate) fn global_bases(&self) -> BTreeMap<u64, String> {
        let homes = self.touched.keys().filter(|home| home.block.is_none());
        homes.map(|home| (home.base, name_of(&home.name))).collect()
    }

    /// Returns the locations of the test, with their contents at the present position of the session.
    pub(crate) fn locations(
        &self,
        session: &Session,
        others: &ExternalEffects,
    ) -> Result<Vec<LitmusLocation>, LitmusError> {
        let mut locations = Vec::new();
        let mut n = 0;
        for (home, touches) in &self.touched {
            let elements = self.elements(home, touches);
            n += elements.len();
            if n > MAX_ELEMENTS {
                return fail(format!(
                    "the selected lines access more than {MAX_ELEMENTS} elements: select fewer lines or fewer threads"
                ));
            }
            let own = self.own_block(home);
            for run in elements.chunk_by(|a, b| {
                !a.is_object
                    && !b.is_object
                    && a.n_bytes == b.n_bytes
                    && a.offset + a.n_bytes == b.offset
            }) {
                locations.extend(location(session, others, home, own, run));
            }
        }
        Ok(locations)
    }

    /// Returns the block of a shared-memory region if the shared memories of several blocks were accessed, and `None` otherwise.
    fn own_block(&self, home: &RegionKey) -> Option<u32> {
        let others = self.touched.keys();
        let blocks: BTreeSet<u64> = others.filter_map(|other| other.block).collect();
        home.block
            .filter(|_| blocks.len() > 1)
            .map(|block| block as u32)
    }

    /// Returns the elements of a region in address order. Each recorded access covers complete elements.
    fn elements(&self, home: &RegionKey, touches: &[ByteAccess]) -> Vec<RegionElement> {
        let none = BTreeSet::new();
        let objects = self.objects.get(home).unwrap_or(&none);
        let is_object = |offset: u64| {
            objects
                .range(..=offset)
                .next_back()
                .is_some_and(|o| offset < o + 8)
        };
        let mut cuts = BTreeSet::new();
        let mut covered = BTreeMap::new();
        for touch in touches {
            let start = touch.address - home.base;
            let end = start + u64::from(touch.n_bytes);
            cuts.extend([start, end]);
            let known = covered.entry(start).or_insert(end);
            *known = end.max(*known);
        }
        let mut elements: Vec<RegionElement> = Vec::new();
        let mut at = 0;
        for (start, end) in covered {
            at = at.max(start);
            while at < end {
                let cut = cuts.range(at + 1..).next().copied().unwrap_or(end).min(end);
                let n_bytes = match is_object(at) {
                    true => 8,
                    false => whole_part(at, cut - at),
                };
                elements.push(RegionElement {
                    offset: at,
                    n_bytes,
                    is_object: is_object(at),
                });
                at += n_bytes;
            }
        }
        unify_widths(&elements)
    }

    /// Returns the elements that the threads write. The result does not contain mbarrier objects.
    pub(crate) fn written(&self) -> Vec<WrittenElement> {
        let mut written = Vec::new();
        for (home, touches) in &self.touched {
            let elements = self.elements(home, touches).into_iter();
            for element in elements.filter(|element| !element.is_object) {
                let writers: BTreeSet<Option<ThreadKey>> = touches
                    .iter()
                    .filter(|touch| {
                        let start = touch.address - home.base;
                        let end = start + u64::from(touch.n_bytes);
                        let meets = start < element.offset + element.n_bytes;
                        touch.writes && meets && element.offset < end
                    })
                    .map(|touch| touch.thread)
                    .collect();
                if writers.is_empty() || element.offset % element.n_bytes != 0 {
                    continue;
                }
                written.push(WrittenElement {
                    name: name_of(&home.name),
                    block: self.own_block(home).map(u64::from),
                    element: element.offset / element.n_bytes,
                    has_conflicting_writes: writers.len() > 1 || writers.contains(&None),
                });
            }
        }
        written
    }
}

/// Splits adjacent elements into elements of the smallest width among them, so that all bytes of a large copy belong to one location.
fn unify_widths(elements: &[RegionElement]) -> Vec<RegionElement> {
    let meet = |a: &RegionElement, b: &RegionElement| {
        !a.is_object && !b.is_object && a.offset + a.n_bytes == b.offset
    };
    let mut all = Vec::new();
    for run in elements.chunk_by(meet) {
        let width = run.iter().map(|element| element.n_bytes).min().unwrap_or(1);
        let start = run.first().map_or(0, |element| element.offset);
        let end = run.last().map_or(0, |last| last.offset + last.n_bytes);
        let is_object = run.iter().any(|element| element.is_object);
        let n = (end - start) / width.max(1);
        all.extend((0..n).map(|at| RegionElement {
            offset: start + at * width,
            n_bytes: width,
            is_object,
        }));
    }
    all
}

/// Returns the size of the first element of an access to `n` bytes at `at`. The size is 8 if the access consists of one element of 8 bytes.
/// Otherwise, the size is the largest naturally aligned size of at most 4 bytes.
fn whole_part(at: u64, n: u64) -> u64 {
    if n == 8 && at.is_multiple_of(8) {
        return 8;
    }
    let fits = |size: &u64| *size <= n && at.is_multiple_of(*size);
    [4, 2, 1].into_iter().find(fits).unwrap_or(1)
}

fn location(
    session: &Session,
    others: &ExternalEffects,
    home: &RegionKey,
    own: Option<u32>,
    elements: &[RegionElement],
) -> Option<LitmusLocation> {
    let first = elements.first()?;
    let held = |element: &RegionElement| {
        let start = home.base + element.offset;
        let memory = match home.block {
            Some(block) => MemoryId::Shared { block },
            None => MemoryId::Global,
        };
        let held = session.bytes_at(home.block, start, element.n_bytes as usize);
        others.applied(memory, start, held, element.n_bytes as usize)
    };
    let is_shared = home.block.is_some();
    let mut found = LitmusLocation {
        name: name_of(&home.name),
        space: if is_shared { "shared" } else { "global" }.to_owned(),
        offset: first.offset,
        at: Some(home.base),
        block: own,
        ..LitmusLocation::default()
    };
    let object = home.block.and_then(|block| {
        let objects = session.timeline.machine().mbarriers(block);
        let at = home.base + first.offset;
        let found = objects.into_iter().find(|(offset, _)| *offset == at);
        found.and_then(|(_, state)| state)
    });
    let object = object.map(|state| {
        let at = home.base + first.offset;
        others.object(home.block.unwrap_or(0), at, state)
    });
    match object.filter(|_| first.is_object) {
        Some(state) => {
            found.space = "mbarrier".to_owned();
            found.count = Some(state.expected);
            let is_new = MbarrierState::new(state.expected) == Ok(state);
            found.word = (!is_new).then(|| state.word());
        }
        None => {
            found.ty = Some(format!("u{}", 8 * first.n_bytes));
            found.init = elements.iter().map(held).collect();
        }
    }
    Some(found)
}

impl Session {
    /// Returns the value of up to eight bytes of memory at the present position of the session, or zero if the block that owns the memory
    /// has not started.
    fn bytes_at(&self, block: Option<u64>, start: u64, n: usize) -> u64 {
        let machine = self.timeline.machine();
        let (region, start) = match block {
            Some(block) => (MemoryRegion::Shared { block }, start),
            None => match machine.region_at(start) {
                Some(found) => found,
                None => return 0,
            },
        };
        let memory = machine.memory(region).unwrap_or(&[]);
        let bytes = memory.get(start as usize..).unwrap_or(&[]).iter().take(n);
        bytes.enumerate().fold(0, |value, (at, byte)| {
            value | u64::from(*byte) << (8 * (at % 8))
        })
    }
}

/// Converts the name of a variable or buffer in the kernel to a valid location name.
pub(crate) fn name_of(name: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let mut new: String = name
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    if !new.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        new.insert(0, '_');
    }
    new
}

/// Removes the address specification of each global location whose address does not occur as a number in the test. This simplifies the test
/// for readers.
pub(crate) fn free_addresses(test: &mut LitmusTest) {
    let is_global = |location: &LitmusLocation| location.space == "global";
    let bases: Vec<u64> = test
        .locations
        .iter()
        .filter(|l| is_global(l))
        .filter_map(|l| l.at)
        .collect();
    let near = |value: u64| {
        let is_high = |base: &u64| *base >> 32 == value || *base >> 32 == value >> 32;
        value > 0 && bases.iter().any(is_high)
    };
    let lines = test.threads.iter().flat_map(|thread| &thread.body);
    let mut numbers = lines.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric()));
    let in_text = numbers.any(|word| read_unsigned(word).is_some_and(near));
    let held = || test.locations.iter().flat_map(|location| &location.init);
    if in_text || held().any(|value| near(*value)) {
        return;
    }
    for location in test
        .locations
        .iter_mut()
        .filter(|location| is_global(location))
    {
        location.at = None;
    }
}
