//! Fast path for word accesses of a whole warp with a constant stride in one memory. Most memory accesses of most
//! kernels have this form. The fast path transfers the words of all lanes together. The fast path has no effect on
//! other accesses, or if an observer receives the transferred bytes. [`access`](crate::exec::memory::access::access)
//! executes these accesses.

use crate::code::{AccessPlan, RegisterOperand};
use crate::contract::observer::MemoryId;
use crate::exec::context::ExecutionContext;
use crate::exec::memory::address_translation::{HalfWarpPattern, even32, even64, space_allows};
use crate::exec::memory::request::{AccessRequest, ObserverDetail};
use crate::semantics::registers::{FULL, LANES, LaneRegisters};
use crate::state::memory::PagedMemory;
use warpgrid_isa::StateSpace;

/// Size of a word that the fast path transfers, in bytes.
const WORD: usize = 4;

/// Cache line size of the host.
const LINE: usize = 64;

/// Locations of the words that a warp accesses within one memory.
struct WordPattern {
    /// Offset of the first word of each half-warp.
    at: [usize; 2],
    how: WordPatternKind,
}

#[derive(Clone, Copy)]
enum WordPatternKind {
    /// The addresses of all lanes are contiguous.
    Row,
    /// The addresses within each half-warp are contiguous.
    TwoRows,
    /// All lanes of each half-warp access the same word.
    TwoWords,
}

/// Executes a load or a store of words. Returns `None` if the access requires the slow path. The address translation
/// checks the allocation `hint` first. If a summary is offered to an observer, `observer_detail` receives the response
/// of the observer.
#[inline(always)]
pub(crate) fn access_coalesced_words(
    around: &mut ExecutionContext<'_>,
    l: &mut LaneRegisters<'_>,
    plan: &AccessPlan,
    request: AccessRequest,
    hint: &mut u32,
    observer_detail: &mut ObserverDetail,
    ask_for: impl Prefetch,
) -> Option<()> {
    if !plan.moves_words || l.mask != FULL {
        return None;
    }
    let loads = request.loads;
    let HalfWarpPattern { starts, follow } = even_starts(l, plan)?;
    let (is_shared, address, size, start) = match plan.space {
        StateSpace::Shared if around.map.own_window => (true, 0, around.shared.len() as u64, 0),
        StateSpace::Global | StateSpace::Const | StateSpace::ParamEntry => {
            let allocation = around.global.find_again(starts[0], hint)?;
            if !space_allows(plan.space, allocation) || !loads && allocation.read_only() {
                return None;
            }
            (false, allocation.address, allocation.size, allocation.start)
        }
        _ => return None,
    };
    let relative = starts.map(|start| start.wrapping_sub(address));
    let width = u64::from(plan.width_bytes);
    let half = 16 * width;
    let how = match follow {
        true if relative[0].wrapping_add(half) == relative[1] => WordPatternKind::Row,
        true => WordPatternKind::TwoRows,
        false => WordPatternKind::TwoWords,
    };
    let last = size.checked_sub(if follow { half } else { width })?;
    let is_aligned = (relative[0] | relative[1]) & (width - 1) == 0;
    if relative[0].max(relative[1]) > last || !is_aligned {
        return None;
    }
    let at = relative.map(|relative| start + relative as usize);
    let pattern = WordPattern { at, how };
    if around.interest.includes_accesses() {
        *observer_detail = offer_summary(around, plan, request, starts, how);
        if !observer_detail.needs_no_events() {
            return None;
        }
    }
    let memory = match is_shared {
        true => &mut *around.shared,
        false => &mut around.global.arena,
    };
    if matches!(how, WordPatternKind::Row) && loads && plan.space == StateSpace::Global {
        let n_bytes = 2 * half as usize;
        prefetch_next_row(memory.bytes(), at[0] + n_bytes, n_bytes, ask_for);
    }
    match (plan.elements.as_slice(), loads) {
        ([element], true) => load_word(memory.bytes(), l, *element, &pattern),
        ([a, b, c, d], true) => load_four(memory.bytes(), l, [a, b, c, d], &pattern),
        (elements, false) => store(memory, l, elements, &pattern, request.step),
        (_, true) => None,
    }
}

/// Returns the addresses of the first lane in each half-warp, or `None` if a half-warp has no constant stride.
#[inline(always)]
fn even_starts(l: &LaneRegisters<'_>, plan: &AccessPlan) -> Option<HalfWarpPattern<u64>> {
    let is_constant = plan.base.is_constant();
    let even = if plan.has_64_bit_base {
        let HalfWarpPattern { starts, follow } =
            even64(l.r64(plan.base), is_constant, u64::from(plan.width_bytes))?;
        let starts = starts.map(|start| start.wrapping_add(plan.offset as u64));
        HalfWarpPattern { starts, follow }
    } else {
        let HalfWarpPattern { starts, follow } =
            even32(l.r32(plan.base), is_constant, plan.width_bytes)?;
        // The sum of a 32-bit address and an offset wraps.
        let starts = starts.map(|start| u64::from(start.wrapping_add(plan.offset as u32)));
        HalfWarpPattern { starts, follow }
    };
    Some(even)
}

/// Offers an access summary to the observer. `starts` contains the address of the first lane of each half-warp.
#[cold]
#[inline(never)]
fn offer_summary(
    around: &mut ExecutionContext<'_>,
    plan: &AccessPlan,
    request: AccessRequest,
    starts: [u64; 2],
    how: WordPatternKind,
) -> ObserverDetail {
    let observer_detail = ObserverDetail::before(around.interest, plan, request);
    if observer_detail != ObserverDetail::Undecided {
        return observer_detail;
    }
    let memory = match plan.space {
        StateSpace::Shared => MemoryId::Shared {
            block: around.block,
        },
        _ if starts[0] < around.map.global => return ObserverDetail::Full,
        _ => MemoryId::Global,
    };
    let is_row = matches!(how, WordPatternKind::Row) && memory == MemoryId::Global;
    let row = is_row.then_some(starts[0]);
    let step = match how {
        WordPatternKind::Row | WordPatternKind::TwoRows => u64::from(plan.width_bytes),
        WordPatternKind::TwoWords => 0,
    };
    around
        .offer(plan, request)
        .make_even(memory, row, starts, step)
}

/// Function that prefetches a cache line, or does nothing on hosts without a prefetch instruction.
pub(crate) trait Prefetch: Fn(&u8) + Copy {}

impl<F: Fn(&u8) + Copy> Prefetch for F {}

/// Prefetches the cache lines of the next row. Most kernels read memory sequentially, one row per warp, so the prefetch
/// completes while the current warp executes.
#[inline(always)]
fn prefetch_next_row(bytes: &[u8], start: usize, n_bytes: usize, ask_for: impl Prefetch) {
    let next = bytes.get(start..start + n_bytes).unwrap_or(&[]);
    next.iter().step_by(LINE).for_each(ask_for);
}

/// Returns `N` words that start at the byte offset `start`.
#[inline(always)]
fn words<const N: usize>(bytes: &[u8], start: usize) -> Option<&[[u8; WORD]; N]> {
    bytes.get(start..)?.as_chunks::<WORD>().0.first_chunk::<N>()
}

/// Loads one word per lane into a register.
#[inline(always)]
fn load_word(
    bytes: &[u8],
    l: &mut LaneRegisters<'_>,
    element: RegisterOperand,
    pattern: &WordPattern,
) -> Option<()> {
    let row = l.whole32(element.slot)?;
    let [low, high] = pattern.at;
    if let WordPatternKind::Row = pattern.how {
        *row = words::<LANES>(bytes, low)?.map(u32::from_le_bytes);
        return Some(());
    }
    let [first, second] = row.as_chunks_mut::<16>().0 else {
        return None;
    };
    if let WordPatternKind::TwoRows = pattern.how {
        *first = words::<16>(bytes, low)?.map(u32::from_le_bytes);
        *second = words::<16>(bytes, high)?.map(u32::from_le_bytes);
    } else {
        *first = [u32::from_le_bytes(words::<1>(bytes, low)?[0]); 16];
        *second = [u32::from_le_bytes(words::<1>(bytes, high)?[0]); 16];
    }
    Some(())
}

/// Loads four words per lane, and transposes them into four registers.
#[inline(always)]
fn load_four(
    bytes: &[u8],
    l: &mut LaneRegisters<'_>,
    elements: [&RegisterOperand; 4],
    pattern: &WordPattern,
) -> Option<()> {
    let WordPatternKind::Row = pattern.how else {
        return None;
    };
    let lanes = bytes.get(pattern.at[0]..)?.as_chunks::<16>().0;
    let lanes = lanes.first_chunk::<LANES>()?;
    let mut rows = [[0; LANES]; 4];
    for lane in 0..LANES {
        let words = lanes[lane].as_chunks::<WORD>().0;
        rows[0][lane] = u32::from_le_bytes(words[0]);
        rows[1][lane] = u32::from_le_bytes(words[1]);
        rows[2][lane] = u32::from_le_bytes(words[2]);
        rows[3][lane] = u32::from_le_bytes(words[3]);
    }
    for (element, row) in elements.into_iter().zip(&rows) {
        l.set32(element.slot, row);
    }
    Some(())
}

/// Stores one or four words per lane to contiguous addresses.
#[inline(always)]
fn store(
    memory: &mut PagedMemory,
    l: &LaneRegisters<'_>,
    elements: &[RegisterOperand],
    pattern: &WordPattern,
    step: u64,
) -> Option<()> {
    let WordPatternKind::Row = pattern.how else {
        return None;
    };
    match elements {
        [element] => {
            let place = memory.place(pattern.at[0], LANES * WORD)?;
            let words = place.as_chunks_mut::<WORD>().0.first_chunk_mut::<LANES>()?;
            *words = l.r32(element.slot).map(u32::to_le_bytes);
        }
        [a, b, c, d] => {
            let place = memory.place(pattern.at[0], 4 * LANES * WORD)?;
            let lanes = place.as_chunks_mut::<16>().0.first_chunk_mut::<LANES>()?;
            let [a, b, c, d] = [a, b, c, d].map(|element| l.r32(element.slot));
            for lane in 0..LANES {
                let words = lanes[lane].as_chunks_mut::<WORD>().0;
                words[0] = a[lane].to_le_bytes();
                words[1] = b[lane].to_le_bytes();
                words[2] = c[lane].to_le_bytes();
                words[3] = d[lane].to_le_bytes();
            }
        }
        _ => return None,
    }
    memory.note_row(pattern.at[0], elements.len() * WORD, step);
    Some(())
}
