//! Description of the current access (the lanes of a warp that access the same bytes), and its comparison with earlier
//! accesses.

use crate::races::access_site::{AccessSiteId, AccessSites, ProxyKind};
use crate::races::location::{ByteRange, MemoryInstance};
use crate::races::observed_launch_shape::ObservedLaunchShape;
use crate::races::shadow_memory::AccessRecord;
use crate::races::vector_clock::{ClockGroup, VectorClock, lanes_of};
use crate::races::warp_state::WarpState;
use crate::scope::ThreadLocation;

/// Minimum number of access records of a word at which the detector drops the records that happen before the newest access.
pub(crate) const PRUNE_THRESHOLD: usize = 24;

/// Lanes of a warp that access the same bytes directly or by an asynchronous operation, with the state that the race check of this access
/// requires.
#[derive(Clone, Copy)]
pub(crate) struct AccessContext<'a> {
    pub(crate) warp: &'a WarpState,
    /// Row of the accessing threads in vector clocks.
    pub(crate) threads: ClockGroup,
    pub(crate) lanes: u32,
    pub(crate) home: ThreadLocation,
    pub(crate) site: AccessSiteId,
    /// Row of the vector clocks to which the accesses are attributed. For asynchronous operations, this row differs
    /// from `threads`.
    pub(crate) as_row: ClockGroup,
    pub(crate) as_lanes: u32,
    pub(crate) as_epoch: u32,
    pub(crate) step: u64,
}

/// Part of an access within one word of shadow memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordPart {
    /// All bytes of the access, including its bytes in other words.
    pub(crate) bytes: ByteRange,
    /// Address of the word that contains the bytes.
    pub(crate) word: u64,
    /// Accessed bytes of the word, one bit each.
    pub(crate) mask: u8,
}

/// Lanes that perform the current access directly or by an asynchronous operation, with their clocks and the proxy of the access.
#[derive(Clone, Copy)]
pub(crate) struct CurrentLanes<'a> {
    pub(crate) warp: &'a WarpState,
    /// Row of the accessing threads in vector clocks.
    pub(crate) threads: ClockGroup,
    pub(crate) lanes: u32,
    pub(crate) proxy: ProxyKind,
    pub(crate) memory: MemoryInstance,
}

impl CurrentLanes<'_> {
    /// Checks whether an earlier access happens before the current access of each lane.
    pub(crate) fn happens_before(&self, entry: &AccessRecord) -> bool {
        self.warp
            .all_know(self.lanes, (entry.row, entry.lanes, entry.epoch))
    }

    /// Checks whether the proxy of an earlier access is ordered before the current access, because no proxy fence is required or because
    /// each lane has executed the required proxy fence.
    pub(crate) fn is_proxy_fenced(&self, entry: &AccessRecord, their: ProxyKind) -> bool {
        let block = self.threads.block();
        let is_here = !entry.row.is_single() && entry.row.block() == block;
        if their == ProxyKind::Async && is_here {
            return true;
        }
        let of = (entry.row, entry.lanes, entry.epoch);
        lanes_of(self.lanes).all(|lane| {
            let own = self.warp.point(self.threads, lane);
            self.warp.unfenced(own, self.memory.fenced(block), of) == 0
        })
    }
}

/// Lookup with which the detector decides whether an earlier access can still race with later accesses.
#[derive(Clone, Copy)]
pub(crate) struct OrderingOracle<'a> {
    pub(crate) sites: &'a AccessSites,
    pub(crate) shape: &'a ObservedLaunchShape,
    pub(crate) has_proxies: bool,
    /// Whether the program contains copies that read tensor maps, or non-coherent loads. A write can race with these reads at any later
    /// time, so the detector never drops the records of writes in these programs.
    pub(crate) is_kept_for_ever: bool,
}

impl OrderingOracle<'_> {
    /// Checks whether an earlier access happens before the current access. A non-coherent load is not ordered with any access.
    pub(crate) fn is_ordered_after(&self, by: &CurrentLanes<'_>, entry: &AccessRecord) -> bool {
        let their = self.sites.get(entry.site).proxy;
        if [by.proxy, their].contains(&ProxyKind::ReadOnly) || !by.happens_before(entry) {
            return false;
        }
        match by.proxy {
            ProxyKind::Generic => true,
            ProxyKind::Async => by.is_proxy_fenced(entry, their),
            ProxyKind::ReadOnly | ProxyKind::TensorMap => false,
        }
    }

    /// Checks whether an earlier access is ordered before every later access, through any proxy, of a thread with the
    /// given vector clock.
    pub(crate) fn is_settled(
        &self,
        clock: &VectorClock,
        entry: &AccessRecord,
        memory: MemoryInstance,
    ) -> bool {
        let AccessRecord {
            row, lanes, epoch, ..
        } = *entry;
        if clock.seen().unknown(row, lanes, epoch) != 0 {
            return false;
        }
        if memory == MemoryInstance::Global {
            let site = self.sites.get(entry.site);
            let is_for_ever = self.is_kept_for_ever && site.kind.writes();
            if is_for_ever || site.proxy == ProxyKind::ReadOnly {
                return false;
            }
        }
        if !self.has_proxies || !row.is_threads() {
            return true;
        }
        let fenced = clock.fenced(memory.fenced(row.block()));
        fenced.is_some_and(|rows| rows.unknown(row, lanes, epoch) == 0)
    }
}
