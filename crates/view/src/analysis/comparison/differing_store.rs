//! Earliest store whose value differs between two runs, and the execution traces of the threads that executed it.

use crate::analysis::comparison::differing_instruction::InstructionRef;
use crate::analysis::comparison::execution_trace::Definition;
use crate::analysis::comparison::execution_trace::ExecutionTrace;
use crate::analysis::comparison::execution_trace::StepRecord;
use crate::analysis::comparison::execution_trace::WORD_BYTES;
use crate::analysis::comparison::value_slice::TracedRun;
use crate::analysis::comparison::value_slice::ValueSlice;
use crate::analysis::memory_diff::FinalMemory;
use crate::analysis::memory_diff::differing;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use std::collections::BTreeSet;
use warpgrid_emulator::AccessEvent;
use warpgrid_emulator::MemoryId;
use warpgrid_emulator::Observer;
use warpgrid_emulator::WarpId;

/// Maximum number of differing elements that the search considers as the earliest differing store.
const MAX_ELEMENTS: usize = 1 << 12;

/// Word of memory whose final contents differ, with the last store of each run.
pub(super) struct DifferingWord {
    pub(super) memory: MemoryKey,
    pub(super) index: u64,
    pub(super) offset: u64,
    pub(super) n_bytes: usize,
    /// Last store of each run, as its step and lane, or `None` if the run did not store to the word.
    pub(super) stores: [Option<(u64, u8)>; 2],
}

/// One of the two runs during the search.
pub(super) struct SearchSide {
    pub(super) trace: ExecutionTrace,
    /// Number of executed steps after the store, or at the end of the run without a store.
    pub(super) end: u64,
    pub(super) warp: WarpId,
    pub(super) lane: u8,
    pub(super) stores: bool,
    pub(super) address: u64,
    /// Bytes of the differing word after the store.
    pub(super) bytes: Vec<u8>,
}

/// Returns the differing word that the machine code stored first.
pub(super) fn differing_word(
    [first, second]: [&[FinalMemory]; 2],
    sessions: &[Session; 2],
    machine: usize,
) -> Option<DifferingWord> {
    let mut found: Option<DifferingWord> = None;
    for one in first {
        let Some(other) = second.iter().find(|other| other.id == one.id) else {
            continue;
        };
        let width = one.ty.width_bytes().max(1);
        let elements = differing(one.ty, [&one.bytes, &other.bytes]);
        for (index, a, b) in elements.take(MAX_ELEMENTS) {
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
            let byte = index * width + at;
            // A word is the unit of a register of machine code. Smaller elements have only the bytes of the element.
            let n_bytes = width.min(WORD_BYTES as usize);
            let offset = (byte / n_bytes * n_bytes) as u64;
            let stores = sessions
                .each_ref()
                .map(|session| session.last_writer(&one.id, byte as u64));
            // A store that exists in only one run follows all stores that exist in both runs.
            let rank = |stores: &[Option<(u64, u8)>; 2]| {
                let store = stores[machine].or(stores[1 - machine]);
                (stores.contains(&None), store.map(|(step, _)| step))
            };
            if stores == [None; 2] {
                continue;
            }
            let is_earlier = found
                .as_ref()
                .is_none_or(|found| rank(&stores) < rank(&found.stores));
            if is_earlier {
                found = Some(DifferingWord {
                    memory: one.id.clone(),
                    index: index as u64,
                    offset,
                    n_bytes,
                    stores,
                });
            }
        }
    }
    found
}

/// Thread that executed a store, with the step of the store.
#[derive(Clone, Copy)]
pub(super) struct StoringThread {
    pub(super) step: u64,
    pub(super) warp: WarpId,
    pub(super) lane: u8,
}

/// Observer that records the warp of a store.
#[derive(Default)]
pub(super) struct StoringWarp(Option<WarpId>);

impl Observer for StoringWarp {
    fn access(&mut self, event: &AccessEvent<'_>) {
        self.0 = event.warp();
    }
}

impl StoringThread {
    /// Returns the thread of the store in the given step, or `None` if an asynchronous operation executed the store.
    pub(super) fn of(session: &mut Session, (step, lane): (u64, u8)) -> Option<StoringThread> {
        let mut storing = StoringWarp::default();
        session.timeline.replay(step, step + 1, &mut storing);
        let warp = storing.0?;
        Some(StoringThread { step, warp, lane })
    }
}

impl SearchSide {
    pub(super) fn of(
        session: &mut Session,
        word: &DifferingWord,
        thread: StoringThread,
        stores: bool,
        contents: &[FinalMemory],
    ) -> Option<SearchSide> {
        let left = contents.iter().find(|left| left.id == word.memory)?;
        let start = usize::try_from(word.offset).ok()?;
        let bytes = left.bytes.get(start..start + word.n_bytes)?.to_vec();
        let address = session.memory_with(&word.memory)?.start + word.offset;
        let end = match stores {
            true => thread.step + 1,
            false => session.position(),
        };
        Some(SearchSide {
            trace: ExecutionTrace::record(session, thread.warp.block, end)?,
            end,
            warp: thread.warp,
            lane: thread.lane,
            stores,
            address,
            bytes,
        })
    }

    /// Returns the record of the store, or the last record of a run without the store.
    pub(super) fn last_record(&self) -> Option<&StepRecord> {
        self.trace.records.last()
    }

    pub(super) fn n_records(&self) -> u32 {
        self.trace.records.len() as u32
    }

    /// Returns the definitions of the stored value.
    pub(super) fn stored(&self, run: &TracedRun<'_>) -> Vec<Definition> {
        match self.n_records().checked_sub(1) {
            Some(last) if self.stores => {
                run.stored(last, self.lane, MemoryId::Global, self.address)
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn instruction(&self, definition: Definition) -> Option<InstructionRef> {
        let record = self.trace.record_of(definition)?;
        Some((record.function, record.instruction))
    }

    /// Returns the instructions of a slice and of the store.
    pub(super) fn instructions(&self, slice: &ValueSlice) -> BTreeSet<InstructionRef> {
        let definitions = slice.definitions.iter();
        let all = definitions.filter_map(|definition| self.instruction(*definition));
        let store = self.last_record();
        let store = store.map(|record| (record.function, record.instruction));
        all.chain(store).collect()
    }

    /// Returns the definitions of the predicates that decide whether the thread executed the store, and of the addresses of its stores.
    pub(super) fn conditions(&self, run: &TracedRun<'_>) -> Vec<Definition> {
        run.conditions(self.warp, self.lane, self.n_records())
    }
}
