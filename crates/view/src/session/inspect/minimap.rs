//! Minimap of a memory. The memory is divided into sections of equal length. For each section, the minimap contains the number of written
//! elements, the last writer, and the information whether the last step wrote to the section. The module takes a position and a memory, and
//! returns the sections.

use crate::diagnostics::no_such_memory;
use crate::session::Session;
use crate::session::inspect::go_to;
use crate::session::memory_id::MemoryKey;

/// Maximum number of sections in a minimap.
const MAX_PARTS: u64 = 1_024;
/// Maximum number of elements that the minimap examines. In a larger memory, it examines only evenly spaced elements.
const MAX_SAMPLES: u64 = 1 << 25;

/// Overview of the written parts of a complete memory, which consists of sections of equal length. The page draws it next to the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimap {
    pub title: String,
    pub n_elements: u64,
    /// Number of elements in each section. The last section may have fewer elements.
    pub part: u64,
    pub parts: Vec<MinimapSegment>,
}

/// Section of a memory in a [`Minimap`], with its number of written elements and its last writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinimapSegment {
    /// Number of elements of the section that a step has written.
    pub n_written: u64,
    /// Lane that performed the last write to the section, and the index of the written element.
    pub latest: Option<(u8, u64)>,
    /// Whether the last executed step wrote an element of the section.
    pub is_now: bool,
}

impl Session {
    /// Seeks to a position and returns the minimap of a memory.
    pub fn minimap(&mut self, position: u64, id: &MemoryKey) -> Result<Minimap, String> {
        go_to(self, position)?;
        let memory = self.memory_with(id);
        let memory = memory.ok_or_else(|| no_such_memory(&id.to_string()))?;
        let machine = self.timeline.machine();
        let width = memory.element.width_bytes().max(1) as u64;
        let n_elements = memory.view.size_bytes.div_ceil(width);
        let part = n_elements.div_ceil(MAX_PARTS).max(1);
        let mut parts = vec![MinimapSegment::default(); n_elements.div_ceil(part) as usize];
        let stride = n_elements.div_ceil(MAX_SAMPLES).max(1);
        let now = self.position().checked_sub(1);
        let Some(writers) = machine.writers(memory.region) else {
            return Err(format!(
                "the emulator does not record the last writers of `{id}`"
            ));
        };
        let mut latest = vec![0; parts.len()];
        for index in (0..n_elements).step_by(stride as usize) {
            let byte = (index * width) as usize;
            if !writers.is_written(byte) {
                continue;
            }
            let at = (index / part) as usize;
            let Some(found) = parts.get_mut(at) else {
                continue;
            };
            found.n_written += stride;
            if let Some(writer) = writers.of(byte).filter(|writer| writer.step >= latest[at]) {
                latest[at] = writer.step;
                found.latest = Some((writer.lane as u8, index));
                found.is_now = Some(writer.step) == now;
            }
        }
        Ok(Minimap {
            title: memory.view.title,
            n_elements,
            part,
            parts,
        })
    }
}
