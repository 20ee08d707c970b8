//! Race check of matrix operations and copies to tensor memory, which read shared memory through the asynchronous proxy
//! (PTX ISA, "Async proxy" of `wgmma` and of `tcgen05`). The check adds the reads of a starting operation to the shadow
//! memory. A read ends when a thread waits for the `wgmma` group of the operation, or for the mbarrier at which
//! `tcgen05.commit` arrives.

use crate::races::access_site::{AccessSite, AccessSiteId, OperandRole, ProxyKind, SiteAccessKind};
use crate::races::accessor::AccessContext;
use crate::races::detector::RaceDetector;
use crate::races::location::ByteRange;
use crate::races::location::MemoryInstance;
use crate::races::race_report::ThreadId;
use crate::races::vector_clock::row_of;
use crate::races::vector_clock::{ClockGroup, ClockGroupKind, Epoch, advance, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::Strength;
use std::rc::Rc;
use warpgrid_emulator::{
    AsyncEffect, AsyncGroupKind, InFlightOperation, MemoryRegion, SyncEvent, Tile,
};

impl RaceDetector {
    /// Checks the shared-memory reads of a matrix operation or of a copy to tensor memory.
    pub(crate) fn see_matrices(
        &mut self,
        event: &SyncEvent<'_>,
        pending: &InFlightOperation,
        tiles: &[Tile],
    ) {
        let (block, warp) = (event.block, event.warp);
        let mut state = self.take(block, warp);
        let lane = event.lanes.trailing_zeros() & 31;
        let (as_row, as_lanes, as_epoch) = match pending.operation.work {
            AsyncEffect::Product(_) => {
                let numbers = state.start(AsyncGroupKind::Products, event.lanes);
                let row = row_of_products(block, warp);
                (row, 1, numbers[lane as usize])
            }
            _ => {
                let thread = ThreadId::of_lane(block, warp, lane);
                self.individual_operations.insert(pending.id.0, thread);
                let (row, bit) = ClockGroup::single(pending.id.0);
                // Add the operation to the clock that later `tcgen05.commit` arrivals of the thread release, because these arrivals follow
                // its completion.
                let committed = self.committed.entry(thread).or_default();
                Rc::make_mut(committed).advance(row, bit, 1);
                (row, bit, 1)
            }
        };
        let (shape, site) = (self.shape, self.site_of_matrices(event));
        let by = |block: u64| AccessContext {
            warp: &state,
            threads: row_of(block, warp),
            lanes: 1 << lane,
            // The reading block is the owner of the shared memory, because each block of a CTA pair reads its own shared memory.
            home: shape.home(block),
            site,
            as_row,
            as_lanes,
            as_epoch,
            step: event.step,
        };
        for tile in tiles.iter().filter(|tile| !tile.is_written) {
            for (memory, range) in &tile.ranges {
                let MemoryRegion::Shared { block } = memory else {
                    continue;
                };
                let bytes = ByteRange::at(
                    MemoryInstance::Shared(*block),
                    range.start,
                    (range.end - range.start) as u32,
                );
                let by = by(*block);
                if let Some(rest) = self.see_range(&by, bytes) {
                    self.check(&by, rest);
                }
            }
        }
        state.advance_epoch(event.lanes);
        self.put(block, warp, state);
    }

    fn site_of_matrices(&mut self, event: &SyncEvent<'_>) -> AccessSiteId {
        self.sites.of(
            event.function,
            event.instruction,
            OperandRole::Source,
            0,
            || AccessSite {
                function: event.function,
                instruction: event.instruction,
                kind: SiteAccessKind::Read,
                strength: Strength::Weak,
                proxy: ProxyKind::Async,
                asynchronous: true,
                element_bytes: 0,
            },
        )
    }
}

/// Returns the row of the matrix operations of a warpgroup. The four warps of a warpgroup execute each operation
/// together, so the operation completes for all four warps at once.
const fn row_of_products(block: u64, warp: u32) -> ClockGroup {
    ClockGroup::of(ClockGroupKind::Products, block, warp & !3)
}

/// Records a wait for matrix operations: all lanes of the warp acquire the operations that the warp has started.
pub(crate) fn see_products_complete(
    state: &mut WarpState,
    event: &SyncEvent<'_>,
    complete: &[u32; 32],
) {
    let first = event.lanes.trailing_zeros() as usize & 31;
    let point = Epoch {
        row: row_of_products(event.block, event.warp),
        lane: 0,
        epoch: complete[first],
    };
    if point.epoch == 0 {
        return;
    }
    for lane in lanes_of(event.lanes) {
        advance(state.clock_mut(lane), point);
    }
}
