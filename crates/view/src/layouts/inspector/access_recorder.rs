//! Observer that records the memory accesses of a run by instruction, up to a maximum number of accesses per instruction.

use crate::analysis::traffic::access::{LaneBytes, WavefrontMode};
use crate::analysis::traffic::counter::wavefront_mode;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::{AccessAction, AccessEvent, Agent, EventMask, MemoryId as Place, Observer};

/// Maximum number of distinct requests that the recorder stores per instruction.
const MAX_REQUESTS: usize = 4096;
/// Maximum number of element accesses that the recorder stores in execution order per instruction.
const MAX_PARTS: usize = 1 << 17;

/// Memory request that a warp or an asynchronous operation performed in one step of a run, as recorded by the [`AccessRecorder`].
#[derive(Clone, Debug)]
pub(crate) struct RecordedRequest {
    pub(crate) step: u64,
    /// Linear index of the block of the warp. The value is 0 for pending asynchronous operations.
    pub(crate) block: u64,
    /// Index of the warp within its block. The value is 0 for pending asynchronous operations.
    pub(crate) warp: u32,
    pub(crate) mask: u32,
    pub(crate) parts: Vec<LaneBytes>,
    pub(crate) width_bytes: u32,
    pub(crate) access_bytes: u32,
    /// Whether a lane can transfer data at an address that another lane provides, as in `ldmatrix`.
    pub(crate) is_shared_out: bool,
}

impl RecordedRequest {
    /// Returns the contiguous byte range of each lane that provides an address, or `None` if the accesses of a lane are not contiguous.
    pub(crate) fn lanes(&self) -> Option<Vec<LaneAccess>> {
        let mut lanes: BTreeMap<u8, Vec<(u64, u32)>> = BTreeMap::new();
        for part in &self.parts {
            lanes
                .entry(part.lane)
                .or_default()
                .push((part.address, part.n_bytes));
        }
        let joined = lanes.into_iter().map(|(lane, mut parts)| {
            parts.sort_unstable();
            let start = parts.first()?.0;
            let mut end = start;
            for (address, n_bytes) in parts {
                if address > end {
                    return None;
                }
                end = end.max(address.saturating_add(n_bytes.into()));
            }
            Some(LaneAccess {
                lane,
                start,
                n_bytes: end - start,
            })
        });
        joined.collect()
    }
}

/// Contiguous byte range at the address that one lane of a request provides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneAccess {
    pub(crate) lane: u8,
    pub(crate) start: u64,
    pub(crate) n_bytes: u64,
}

/// Recorded requests of one memory access instruction, from which the inspector derives layouts and bank conflicts.
#[derive(Clone, Debug)]
pub(crate) struct RecordedAccess {
    pub(crate) function: u32,
    pub(crate) instruction: u32,
    pub(crate) action: AccessAction,
    /// Requests with distinct addresses, in order of execution.
    pub(crate) distinct: Vec<RecordedRequest>,
    /// Requests of the first block in order of execution, up to the maximum number of recorded accesses.
    pub(crate) first_block: Vec<RecordedRequest>,
    pub(crate) n_requests: u64,
    /// Number of requests with distinct addresses that the recorder omitted, because it had reached the maximum number of requests.
    pub(crate) n_left_out: u64,
    /// Whether the recorder omitted requests of the first block, because it had reached the maximum number of accesses.
    pub(crate) is_truncated: bool,
    seen: BTreeSet<u64>,
    n_parts: usize,
}

impl RecordedAccess {
    /// Returns a copy of the recorded access with `distinct` as its distinct requests.
    pub(crate) fn with(&self, distinct: Vec<RecordedRequest>) -> RecordedAccess {
        RecordedAccess {
            distinct,
            first_block: Vec::new(),
            seen: BTreeSet::new(),
            ..*self
        }
    }

    pub(crate) fn passes(&self) -> WavefrontMode {
        wavefront_mode(self.action)
    }
}

/// Observer that records the accesses of a run to shared and global memory.
#[derive(Debug, Default)]
pub(crate) struct AccessRecorder {
    /// Accesses by function, instruction and direction. An asynchronous copy reads its source and writes its destination in separate accesses.
    found: BTreeMap<(u32, u32, bool), RecordedAccess>,
}

impl AccessRecorder {
    pub(crate) fn into_found(self) -> Vec<RecordedAccess> {
        self.found.into_values().collect()
    }
}

impl Observer for AccessRecorder {
    fn interest(&self) -> EventMask {
        // An mbarrier object has a fixed layout, so its accesses are neither bank conflicts nor a pattern.
        EventMask {
            mbarriers_as_syncs: true,
            ..EventMask::ACCESSES
        }
    }

    fn access(&mut self, event: &AccessEvent<'_>) {
        let is_looked_at = |place: Place| matches!(place, Place::Shared { .. } | Place::Global);
        if !event.pieces.iter().any(|piece| is_looked_at(piece.memory)) {
            return;
        }
        let (block, warp) = match event.agent {
            Agent::Warp { block, warp } => (block, warp),
            Agent::InFlight(_) => (0, 0),
        };
        let request = RecordedRequest {
            step: event.step,
            block,
            warp,
            mask: event.mask,
            parts: event.pieces.iter().map(LaneBytes::from).collect(),
            width_bytes: event.width_bytes,
            access_bytes: event.access_bytes,
            is_shared_out: event
                .pieces
                .iter()
                .any(|piece| piece.address_lane != piece.data_lane),
        };
        let key = (event.function.0, event.instruction, event.action.writes());
        let recorded = self.found.entry(key).or_insert_with(|| RecordedAccess {
            function: key.0,
            instruction: key.1,
            action: event.action,
            distinct: Vec::new(),
            first_block: Vec::new(),
            n_requests: 0,
            n_left_out: 0,
            is_truncated: false,
            seen: BTreeSet::new(),
            n_parts: 0,
        });
        recorded.add(request);
    }
}

impl RecordedAccess {
    fn add(&mut self, request: RecordedRequest) {
        self.n_requests += 1;
        let first = self
            .first_block
            .first()
            .map_or(request.block, |first| first.block);
        if request.block == first {
            self.n_parts += request.parts.len();
            match self.n_parts <= MAX_PARTS {
                true => self.first_block.push(request.clone()),
                false => self.is_truncated = true,
            }
        }
        if self.distinct.len() >= MAX_REQUESTS {
            self.n_left_out += 1;
            return;
        }
        if self.seen.insert(hash_of(&request)) {
            self.distinct.push(request);
        }
    }
}

/// Returns the FNV-1a hash of the locations that a request accesses. The hash is independent of the block of the request.
fn hash_of(request: &RecordedRequest) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |number: u64| hash = (hash ^ number).wrapping_mul(0x0100_0000_01b3);
    for part in &request.parts {
        add(part.lane.into());
        add(part.address);
        add(part.n_bytes.into());
    }
    hash
}
