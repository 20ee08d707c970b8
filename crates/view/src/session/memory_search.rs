//! Search for a value or an address in the memories of a session. The module takes the text for which the user searches, and returns the
//! next matching cell, or a message if no cell matches.
//!
//! ```text
//! 0x7f0000000104      an address
//! out[5]  shared:0[3] an element
//! 7  -4  1.5  0x1f    a value, in the type of each memory
//! nan  inf
//! ```

use crate::diagnostics::no_such_memory;
use crate::session::Session;
use crate::session::launch_edit::read_value;
use crate::session::memory_id::MemoryKey;
use crate::session::memory_list::MemoryDescriptor;
use serde::{Deserialize, Serialize};
use warpgrid_launch::value::{ElementType, hexadecimal_digits};

/// Maximum length of the search text in bytes.
const MAX_BYTES: usize = 200;

/// Memory and index of an element that matches a search. The element has the element type of the memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellMatch {
    pub memory: MemoryKey,
    pub index: u64,
}

impl Session {
    /// Returns the first matching cell after the cell `after`. At the end of the last memory, the search continues at the first memory.
    pub fn find(&self, text: &str, after: Option<&CellMatch>) -> Result<CellMatch, String> {
        let text = text.trim();
        if text.is_empty() || text.len() > MAX_BYTES {
            return Err("the search term is empty or too long, expected a value such as `7` or `0x1f`, an element such as `out[5]`, or an address".to_owned());
        }
        let memories = self.memories();
        if let Some(found) = element(&memories, text)? {
            return Ok(found);
        }
        if let Some(found) = address(&memories, text) {
            return Ok(found);
        }
        self.find_value(&memories, text, after)
            .ok_or_else(|| format!("no memory location contains `{text}` at this step"))
    }

    fn find_value(
        &self,
        memories: &[MemoryDescriptor],
        text: &str,
        after: Option<&CellMatch>,
    ) -> Option<CellMatch> {
        let first = after.and_then(|after| {
            let at = memories
                .iter()
                .position(|memory| memory.view.id == after.memory)?;
            Some((at, after.index.saturating_add(1)))
        });
        let (start, from) = first.unwrap_or((0, 0));
        let n = memories.len();
        // Search the elements behind the cell `after` in its memory, then the other memories, and finally the elements up to the cell
        // `after`.
        let order = (0..=n).map(|turn| (turn, &memories[(start + turn) % n.max(1)]));
        order.filter(|_| n > 0).find_map(|(turn, memory)| {
            let skipped = if turn == 0 { from } else { 0 };
            let index = self.index_in(memory, text, skipped)?;
            Some(CellMatch {
                memory: memory.view.id.clone(),
                index,
            })
        })
    }

    fn index_in(&self, memory: &MemoryDescriptor, text: &str, from: u64) -> Option<u64> {
        let bits = bits_of(text, memory.element)?;
        let width = memory.element.width_bytes();
        let pattern = &bits.to_le_bytes()[..width];
        let bytes = self.timeline.machine().memory(memory.region)?;
        let elements = bytes.chunks_exact(width).enumerate();
        let from = usize::try_from(from).ok()?;
        let mut rest = elements.skip(from);
        rest.find(|(_, element)| *element == pattern)
            .map(|(index, _)| index as u64)
    }
}

/// Returns the bits that represent a value in the type `ty`, or `None` if the type cannot represent the value.
fn bits_of(text: &str, ty: ElementType) -> Option<u128> {
    ty.encode(&read_value(text, ty).ok()?).ok()
}

/// Parses the notation of an element: `out[5]`.
fn element(memories: &[MemoryDescriptor], text: &str) -> Result<Option<CellMatch>, String> {
    let parts = text.strip_suffix(']').and_then(|rest| rest.split_once('['));
    let Some((name, index)) = parts else {
        return Ok(None);
    };
    let id = MemoryKey::from(name.trim());
    let memory = memories.iter().find(|memory| memory.view.id == id);
    let memory = memory.ok_or_else(|| no_such_memory(name))?;
    let n = memory.view.size_bytes / (memory.element.width_bytes() as u64).max(1);
    let index = index.trim().parse().ok().filter(|index| *index < n);
    match index {
        Some(index) => Ok(Some(CellMatch { memory: id, index })),
        None => Err(format!(
            "`{name}` has only the elements 0 to {}",
            n.saturating_sub(1)
        )),
    }
}

/// Parses an address within a memory. A small number is a value and not an address.
fn address(memories: &[MemoryDescriptor], text: &str) -> Option<CellMatch> {
    let address = u64::from_str_radix(hexadecimal_digits(text)?, 16).ok()?;
    // Search only global memory, because shared memory and tensor memory start at address zero and would therefore contain any small number
    // as an address.
    let global = memories
        .iter()
        .filter(|memory| memory.start > u64::from(u32::MAX));
    let mut found = global.filter_map(|memory| Some((memory, memory.offset(address)?)));
    let (memory, offset) = found.next()?;
    Some(CellMatch {
        memory: memory.view.id.clone(),
        index: offset / (memory.element.width_bytes() as u64).max(1),
    })
}
