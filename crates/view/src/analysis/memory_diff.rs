//! Comparison of the final memory of two runs. The module takes two finished runs, and returns the first differing element of each memory,
//! and the stores that wrote this element.

use crate::model::MemorySpace;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::ElementType;

/// Maximum number of stores to an element that a difference lists.
const MAX_STORES: usize = 4;

/// Memory whose final contents differ between two runs, with the values of its first differing element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct MemoryDifference {
    pub memory: MemoryKey,
    /// Index of the first element whose value differs.
    pub index: u64,
    pub n_elements: u64,
    /// Values of this element in each run.
    pub sides: [DifferenceSide; 2],
}

/// Value of an element in one run, which the scheduler seed identifies, with the stores to the element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct DifferenceSide {
    pub seed: u64,
    pub value: String,
    /// Latest stores to the element, in order of execution. The list is empty if no store wrote the element.
    pub stores: Vec<ElementStore>,
}

/// Store to an element of a memory, with its source line and the value after the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ElementStore {
    pub step: u64,
    pub block: [u32; 3],
    pub warp: u32,
    pub lane: u8,
    /// Line of the source, starting at 1.
    pub line: u32,
    pub instruction: String,
    /// Value of the element after the store.
    pub value: String,
}

/// Final contents of a memory that still exists after the run, for the comparison of two runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FinalMemory {
    pub(crate) id: MemoryKey,
    pub(crate) ty: ElementType,
    pub(crate) bytes: Vec<u8>,
}

/// Checks whether a memory is writable and still exists after the run. Shared memory and tensor memory are released at the end of their
/// block.
pub(crate) fn outlasts_run(memory: &MemoryDescriptor) -> bool {
    match memory.view.id {
        MemoryKey::Buffer(_) => true,
        MemoryKey::Variable(_) => memory.view.space == MemorySpace::Global,
        MemoryKey::Shared(_) | MemoryKey::Tensor(_) => false,
    }
}

/// Returns the contents of all memories of a session that still exist after its run, at the present position.
pub(crate) fn final_memories(session: &Session) -> Vec<FinalMemory> {
    memories_of(session, outlasts_run)
}

/// Returns the contents, at the present position, of the memories for which `is_meant` returns `true`.
pub(crate) fn memories_of(
    session: &Session,
    is_meant: impl Fn(&MemoryDescriptor) -> bool,
) -> Vec<FinalMemory> {
    let machine = session.timeline.machine();
    let memories = session.memories().into_iter();
    memories
        .filter(is_meant)
        .map(|memory| FinalMemory {
            bytes: machine.memory(memory.region).unwrap_or(&[]).to_vec(),
            ty: memory.element,
            id: memory.view.id,
        })
        .collect()
}

/// Returns the first differing element of each memory that exists in both runs.
pub(crate) fn differences_between(
    [left, right]: [&[FinalMemory]; 2],
    [first, second]: &mut [Session; 2],
) -> Vec<MemoryDifference> {
    let mut found = Vec::new();
    for one in left {
        let Some(other) = right.iter().find(|other| other.id == one.id) else {
            continue;
        };
        let width = one.ty.width_bytes().max(1);
        let mut differing = differing(one.ty, [&one.bytes, &other.bytes]);
        let Some((index, a, b)) = differing.next() else {
            continue;
        };
        let place = ElementRef {
            id: &one.id,
            ty: one.ty,
            offset: (index * width) as u64,
        };
        found.push(MemoryDifference {
            memory: one.id.clone(),
            index: index as u64,
            n_elements: 1 + differing.count() as u64,
            sides: [side(first, a, &place), side(second, b, &place)],
        });
    }
    found
}

/// Returns the index and the bytes of each element of type `ty` that differs between the contents of a memory in both runs.
pub(crate) fn differing(
    ty: ElementType,
    [one, other]: [&[u8]; 2],
) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
    let width = ty.width_bytes().max(1);
    let pairs = one.chunks(width).zip(other.chunks(width));
    let pairs = pairs.enumerate().filter(|(_, (a, b))| a != b);
    pairs.map(|(index, (a, b))| (index, a, b))
}

/// Element in a memory of the launch.
struct ElementRef<'a> {
    id: &'a MemoryKey,
    ty: ElementType,
    /// Byte offset of the element from the start of the memory.
    offset: u64,
}

fn side(session: &mut Session, bytes: &[u8], element: &ElementRef<'_>) -> DifferenceSide {
    let end = session.position();
    let mut stores = Vec::new();
    while stores.len() < MAX_STORES {
        let Some((step, lane)) = session.last_writer(element.id, element.offset) else {
            break;
        };
        let value = session.value(element);
        let Some(store) = session.events(step, step + 1).into_iter().next() else {
            break;
        };
        stores.push(ElementStore {
            step,
            block: store.block,
            warp: store.warp,
            lane,
            line: store.range.line,
            instruction: store.instruction,
            value,
        });
        session.seek(step);
    }
    session.seek(end);
    stores.reverse();
    DifferenceSide {
        seed: session.scenario().seed.unwrap_or(0),
        value: element.ty.text(element.ty.bits(bytes)),
        stores,
    }
}

impl Session {
    /// Returns the step and the lane of the last store to a byte of a memory, or `None` if no store wrote the byte.
    pub(crate) fn last_writer(&self, id: &MemoryKey, offset: u64) -> Option<(u64, u8)> {
        let memory = self.memory_with(id)?;
        let writers = self.timeline.machine().writers(memory.region)?;
        let writer = writers.of(usize::try_from(offset).ok()?)?;
        Some((writer.step, writer.lane as u8))
    }

    fn value(&self, element: &ElementRef<'_>) -> String {
        let bytes = self.memory(element.id).unwrap_or_default();
        let start = usize::try_from(element.offset).unwrap_or(usize::MAX);
        let end = start.saturating_add(element.ty.width_bytes());
        let bytes = bytes.get(start..end).unwrap_or(&[]);
        element.ty.text(element.ty.bits(bytes))
    }
}
