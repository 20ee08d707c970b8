//! Vector clocks with one component per thread and per asynchronous operation. A clock stores its components in rows of 32 components. Most
//! rows represent the lanes of a warp.

use crate::races::location::MemoryInstance;
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_isa::Scope;

/// Identifier of a row of 32 vector-clock components: the lanes of a warp, one kind of asynchronous operation of these lanes, or 32
/// individual operations in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClockGroup(u64);

/// Kind of thread or operation that the components of a row represent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClockGroupKind {
    Threads = 0,
    /// `cp.async` operations of the lanes, counted in start order.
    Copies = 1,
    /// Reads by the bulk copies of the lanes.
    BulkReads = 2,
    /// Writes by the bulk copies of the lanes.
    BulkWrites = 3,
    /// Asynchronous operations that complete individually, with one component for each operation.
    Individual = 4,
    /// Reads by the matrix operations of a warpgroup, counted in start order. Lane 0 represents the whole warpgroup.
    Products = 5,
}

impl ClockGroup {
    pub(crate) const fn of(kind: ClockGroupKind, block: u64, warp: u32) -> ClockGroup {
        ClockGroup((kind as u64) << 60 | (block & 0xffff_ffff) << 16 | warp as u64 & 0xffff)
    }

    /// Returns the row that contains the component of an operation in flight, and the bit of the operation in this row.
    pub(crate) const fn single(id: u64) -> (ClockGroup, u32) {
        (
            ClockGroup((ClockGroupKind::Individual as u64) << 60 | id >> 5),
            1 << (id & 31),
        )
    }

    pub(crate) const fn is_threads(self) -> bool {
        self.0 >> 60 == 0
    }

    pub(crate) const fn is_single(self) -> bool {
        self.0 >> 60 == ClockGroupKind::Individual as u64
    }

    pub(crate) const fn is_copies(self) -> bool {
        self.0 >> 60 == ClockGroupKind::Copies as u64
    }

    /// Returns a mask of all lanes if the row represents the threads of a warp, and `lanes` otherwise.
    pub(crate) const fn whole(self, lanes: u32) -> u32 {
        match self.is_threads() {
            true => u32::MAX,
            false => lanes,
        }
    }

    /// Returns the identifier of the operation that a bit of the row represents.
    pub(crate) const fn operation(self, bit: u32) -> u64 {
        (self.0 & 0x0fff_ffff_ffff_ffff) << 5 | bit as u64
    }

    pub(crate) const fn block(self) -> u64 {
        self.0 >> 16 & 0xffff_ffff
    }

    pub(crate) const fn warp(self) -> u32 {
        self.0 as u32 & 0xffff
    }
}

/// Values of the 32 components of a vector-clock row, stored as one number if they are equal.
#[derive(Clone, Debug)]
enum GroupEpochs {
    Uniform(u32),
    PerLane(Rc<[u32; 32]>),
}

impl GroupEpochs {
    /// Returns the subset of `lanes` whose component is less than `epoch`.
    fn unknown(&self, lanes: u32, epoch: u32) -> u32 {
        match self {
            GroupEpochs::Uniform(known) if *known >= epoch => 0,
            GroupEpochs::Uniform(_) => lanes,
            GroupEpochs::PerLane(known) => lanes_of(lanes)
                .filter(|lane| known[*lane] < epoch)
                .fold(0, |unknown, lane| unknown | 1 << lane),
        }
    }

    fn join(&mut self, other: &GroupEpochs) {
        match (&mut *self, other) {
            (GroupEpochs::Uniform(a), GroupEpochs::Uniform(b)) => *a = (*a).max(*b),
            (GroupEpochs::PerLane(a), GroupEpochs::PerLane(b)) if Rc::ptr_eq(a, b) => {}
            (GroupEpochs::PerLane(a), GroupEpochs::Uniform(b)) => {
                if a.iter().any(|own| own < b) {
                    *self = GroupEpochs::from(a.map(|own| own.max(*b)));
                }
            }
            (GroupEpochs::Uniform(a), GroupEpochs::PerLane(b)) => {
                let a = *a;
                *self = match b.iter().any(|other| *other < a) {
                    true => GroupEpochs::from(b.map(|other| other.max(a))),
                    false => GroupEpochs::PerLane(Rc::clone(b)),
                };
            }
            (GroupEpochs::PerLane(a), GroupEpochs::PerLane(b)) => {
                let mut joined = **a;
                for (own, other) in joined.iter_mut().zip(b.iter()) {
                    *own = (*own).max(*other);
                }
                if are_equal(&joined, b) {
                    *a = Rc::clone(b);
                } else if !are_equal(&joined, a) {
                    *self = GroupEpochs::from(joined);
                }
            }
        }
    }

    /// Checks whether each component of the row is at least as large as the corresponding component of `other`.
    fn includes(&self, other: &GroupEpochs) -> bool {
        match (self, other) {
            (GroupEpochs::Uniform(a), GroupEpochs::Uniform(b)) => a >= b,
            (GroupEpochs::Uniform(a), GroupEpochs::PerLane(b)) => b.iter().all(|other| a >= other),
            (GroupEpochs::PerLane(a), GroupEpochs::Uniform(b)) => a.iter().all(|own| own >= b),
            (GroupEpochs::PerLane(a), GroupEpochs::PerLane(b)) => {
                Rc::ptr_eq(a, b) || {
                    let mut all = true;
                    for (own, other) in a.iter().zip(b.iter()) {
                        all &= own >= other;
                    }
                    all
                }
            }
        }
    }

    /// Checks whether any component is nonzero.
    fn is_any(&self) -> bool {
        match self {
            GroupEpochs::Uniform(epoch) => *epoch > 0,
            GroupEpochs::PerLane(epochs) => epochs.iter().any(|epoch| *epoch > 0),
        }
    }

    /// Raises the components of `lanes` to at least `epoch`.
    fn advance(&mut self, lanes: u32, epoch: u32) {
        if let (GroupEpochs::Uniform(known), u32::MAX) = (&mut *self, lanes) {
            *known = epoch.max(*known);
            return;
        }
        let mut raised = match self {
            GroupEpochs::Uniform(known) => [*known; 32],
            GroupEpochs::PerLane(known) => **known,
        };
        for lane in lanes_of(lanes) {
            raised[lane] = raised[lane].max(epoch);
        }
        *self = GroupEpochs::from(raised);
    }
}

impl From<[u32; 32]> for GroupEpochs {
    fn from(each: [u32; 32]) -> GroupEpochs {
        match are_equal(&each, &[each[0]; 32]) {
            true => GroupEpochs::Uniform(each[0]),
            false => GroupEpochs::PerLane(Rc::new(each)),
        }
    }
}

/// Sorted list of vector-clock rows with the values of their components, from which vector clocks are built.
#[derive(Debug, Default)]
pub(crate) struct ClockMap(Vec<(ClockGroup, GroupEpochs)>);

impl Clone for ClockMap {
    /// Clones the rows, and reserves space for one additional row, because most callers insert a row into the clone.
    fn clone(&self) -> ClockMap {
        let mut rows = Vec::with_capacity(self.0.len() + 1);
        rows.extend_from_slice(&self.0);
        ClockMap(rows)
    }
}

impl ClockMap {
    fn find(&self, row: ClockGroup) -> Result<usize, usize> {
        match self.0.as_slice() {
            [(only, _)] if *only == row => Ok(0),
            rows => rows.binary_search_by_key(&row, |(row, _)| *row),
        }
    }

    /// Returns the subset of `lanes` whose component in the given row is less than `epoch`.
    pub(crate) fn unknown(&self, row: ClockGroup, lanes: u32, epoch: u32) -> u32 {
        match self.find(row) {
            Ok(index) => self.0[index].1.unknown(lanes, epoch),
            Err(_) => lanes,
        }
    }

    /// Raises the components of the given lanes of a row to at least `epoch`.
    pub(crate) fn advance(&mut self, row: ClockGroup, lanes: u32, epoch: u32) {
        let index = match self.find(row) {
            Ok(index) => index,
            Err(index) => {
                self.0.insert(index, (row, GroupEpochs::Uniform(0)));
                index
            }
        };
        let known = &mut self.0[index].1;
        if known.unknown(lanes, epoch) != 0 {
            known.advance(lanes, epoch);
        }
    }

    fn join(&mut self, other: &ClockMap) {
        if self.0.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let same = self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(|((a, _), (b, _))| a == b);
        if same {
            for ((_, own), (_, new)) in self.0.iter_mut().zip(&other.0) {
                own.join(new);
            }
            return;
        }
        let mut merged = Vec::with_capacity(self.0.len() + other.0.len());
        let mut own = std::mem::take(&mut self.0).into_iter().peekable();
        for (row, epochs) in &other.0 {
            while let Some(before) = own.next_if(|(at, _)| at < row) {
                merged.push(before);
            }
            match own.next_if(|(at, _)| at == row) {
                Some((_, mut known)) => {
                    known.join(epochs);
                    merged.push((*row, known));
                }
                None => merged.push((*row, epochs.clone())),
            }
        }
        merged.extend(own);
        self.0 = merged;
    }

    /// Checks whether each component of the rows is at least as large as the corresponding component of `other`.
    fn includes(&self, other: &ClockMap) -> bool {
        let mut own = self.0.iter();
        for (row, epochs) in &other.0 {
            let known = loop {
                match own.next() {
                    Some((at, known)) if at == row => break known,
                    Some((at, _)) if at < row => {}
                    _ => return false,
                }
            };
            if !known.includes(epochs) {
                return false;
            }
        }
        true
    }

    /// Checks whether the clock has a nonzero component for any thread of a block.
    pub(crate) fn knows_block(&self, block: u64) -> bool {
        let first = ClockGroup::of(ClockGroupKind::Threads, block, 0);
        let start = self.0.partition_point(|(row, _)| *row < first);
        let rows = self.0.iter().skip(start);
        let mut own = rows.take_while(|(row, _)| row.is_threads() && row.block() == block);
        own.any(|(_, known)| known.is_any())
    }
}

/// Memory and proxies to which a proxy fence applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ProxyFence {
    /// Fence for global memory that a thread of this block executes.
    Global(u64),
    /// Fence for shared memory that a thread of this block executes.
    Shared(u64),
    /// Fence for the initialization of mbarriers (`fence.mbarrier_init`).
    Init,
    /// Releasing tensor-map fence with this scope that a thread of this block executes.
    MapReleased(Scope, u64),
    /// Acquiring fence for the tensor map at this address, after a releasing fence.
    Map(MemoryInstance, u64),
}

/// Epoch of a thread or operation: a component of a vector clock and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch {
    pub(crate) row: ClockGroup,
    pub(crate) lane: u32,
    pub(crate) epoch: u32,
}

/// Vector clock of a thread. The clock represents the accesses that precede the current point in base causality order, and the subset of
/// these accesses that proxy fences cover.
#[derive(Clone, Debug, Default)]
pub(crate) struct VectorClock {
    seen: Rc<ClockMap>,
    /// Components that each kind of proxy fence covers. The capacity is sufficient for a proxy fence without a state space, which adds
    /// three elements.
    fenced: SmallVec<[(ProxyFence, Rc<ClockMap>); 3]>,
}

thread_local! {
    /// Initial clock, which all threads share until their first acquire.
    static EMPTY_CLOCK: Rc<VectorClock> = Rc::default();
}

impl VectorClock {
    /// Returns the empty clock without an allocation.
    pub(crate) fn empty() -> Rc<VectorClock> {
        EMPTY_CLOCK.with(Rc::clone)
    }

    fn is_nothing(&self) -> bool {
        self.seen.0.is_empty() && self.fenced.is_empty()
    }

    pub(crate) fn seen(&self) -> &ClockMap {
        &self.seen
    }

    /// Returns the components that a proxy fence covers.
    pub(crate) fn fenced(&self, by: ProxyFence) -> Option<&ClockMap> {
        let found = self.fenced.iter().find(|(fence, _)| *fence == by);
        found.map(|(_, rows)| &**rows)
    }

    /// Checks whether the clock includes `other`: its components are at least as large, and its proxy fences cover all components that they
    /// cover in `other`.
    pub(crate) fn includes(&self, other: &VectorClock) -> bool {
        let is_seen = Rc::ptr_eq(&self.seen, &other.seen) || self.seen.includes(&other.seen);
        is_seen
            && other.fenced.iter().all(|(fence, rows)| {
                self.fenced(*fence)
                    .is_some_and(|own| std::ptr::eq(own, &**rows) || own.includes(rows))
            })
    }

    pub(crate) fn advance(&mut self, row: ClockGroup, lanes: u32, epoch: u32) {
        if self.seen.unknown(row, lanes, epoch) != 0 {
            Rc::make_mut(&mut self.seen).advance(row, lanes, epoch);
        }
    }

    pub(crate) fn raise_to(&mut self, point: Epoch) {
        self.advance(point.row, 1 << point.lane, point.epoch);
    }

    pub(crate) fn join(&mut self, other: &VectorClock) {
        join_rows(&mut self.seen, &other.seen);
        for (fence, rows) in &other.fenced {
            self.join_fenced(*fence, rows);
        }
    }

    fn join_fenced(&mut self, fence: ProxyFence, rows: &Rc<ClockMap>) {
        match self.fenced.iter_mut().find(|(own, _)| *own == fence) {
            Some((_, own)) => join_rows(own, rows),
            None => self.fenced.push((fence, Rc::clone(rows))),
        }
    }

    /// Performs a tensor-map fence with acquire semantics. The fence covers the map for all components that are covered
    /// by releasing fences for which `takes_in` returns `true`.
    pub(crate) fn acquire_map(&mut self, map: ProxyFence, takes_in: impl Fn(Scope, u64) -> bool) {
        let released: Vec<Rc<ClockMap>> = self
            .fenced
            .iter()
            .filter(|(fence, _)| match fence {
                ProxyFence::MapReleased(scope, block) => takes_in(*scope, *block),
                ProxyFence::Global(_)
                | ProxyFence::Shared(_)
                | ProxyFence::Init
                | ProxyFence::Map(..) => false,
            })
            .map(|(_, rows)| Rc::clone(rows))
            .collect();
        for rows in released {
            self.join_fenced(map, &rows);
        }
    }

    /// Records that a proxy fence covers all components of the clock and the epoch `own` of the executing thread.
    pub(crate) fn fence(&mut self, fence: ProxyFence, own: Epoch) {
        self.fence_seen(fence);
        self.raise_fenced(fence, own.row, 1 << own.lane, own.epoch);
    }

    /// Records that a proxy fence covers all components of the clock.
    pub(crate) fn fence_seen(&mut self, fence: ProxyFence) {
        let rows = Rc::clone(&self.seen);
        self.join_fenced(fence, &rows);
    }

    /// Records that a proxy fence covers the accesses of lanes of a row up to an epoch.
    pub(crate) fn raise_fenced(
        &mut self,
        fence: ProxyFence,
        row: ClockGroup,
        lanes: u32,
        epoch: u32,
    ) {
        let is_known = |rows: &ClockMap| rows.unknown(row, lanes, epoch) == 0;
        if self.fenced(fence).is_some_and(is_known) {
            return;
        }
        let found = self.fenced.iter().position(|(known, _)| *known == fence);
        let index = found.unwrap_or_else(|| {
            self.fenced.push((fence, Rc::default()));
            self.fenced.len() - 1
        });
        Rc::make_mut(&mut self.fenced[index].1).advance(row, lanes, epoch);
    }
}

fn join_rows(own: &mut Rc<ClockMap>, other: &Rc<ClockMap>) {
    if Rc::ptr_eq(own, other) || other.0.is_empty() {
        return;
    }
    if own.0.is_empty() {
        *own = Rc::clone(other);
        return;
    }
    Rc::make_mut(own).join(other);
}

/// Joins a clock into another clock.
pub(crate) fn join(own: &mut Rc<VectorClock>, other: &Rc<VectorClock>) {
    let same =
        Rc::ptr_eq(own, other) || Rc::ptr_eq(&own.seen, &other.seen) && other.fenced.is_empty();
    if own.is_nothing() {
        *own = Rc::clone(other);
    } else if !same {
        Rc::make_mut(own).join(other);
    }
}

/// Raises the component of a clock that belongs to a thread to the epoch of the thread.
pub(crate) fn advance(own: &mut Rc<VectorClock>, point: Epoch) {
    raise_lanes(own, point.row, 1 << point.lane, point.epoch);
}

/// Raises the components of the given lanes of a row in a clock to at least `epoch`.
pub(crate) fn raise_lanes(own: &mut Rc<VectorClock>, row: ClockGroup, lanes: u32, epoch: u32) {
    if own.seen.unknown(row, lanes, epoch) != 0 {
        Rc::make_mut(own).advance(row, lanes, epoch);
    }
}

/// Checks whether two arrays are equal. The loop has no early exit, because a branch-free loop is faster.
pub(crate) fn are_equal(one: &[u32; 32], other: &[u32; 32]) -> bool {
    let mut differ = 0;
    for (one, other) in one.iter().zip(other) {
        differ |= one ^ other;
    }
    differ == 0
}

/// Returns the lanes of a mask in ascending order.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            lane
        })
    })
}

/// Returns the subset of `lanes` whose epoch is `epoch`.
pub(crate) fn lanes_at(epochs: &[u32; 32], lanes: u32, epoch: u32) -> u32 {
    let mut same = 0;
    for (lane, own) in epochs.iter().enumerate() {
        same |= u32::from(*own == epoch) << lane;
    }
    same & lanes
}

/// Returns groups of lanes with the same epoch, and the epoch of each group.
pub(crate) fn groups_of(epochs: &[u32; 32], lanes: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut left = lanes;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let epoch = epochs[left.trailing_zeros() as usize & 31];
            let same = lanes_at(epochs, left, epoch);
            left &= !same;
            (same, epoch)
        })
    })
}

/// Returns the row of the threads of a warp.
pub(crate) const fn row_of(block: u64, warp: u32) -> ClockGroup {
    ClockGroup::of(ClockGroupKind::Threads, block, warp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(warp: u32) -> ClockGroup {
        ClockGroup::of(ClockGroupKind::Threads, 3, warp)
    }

    #[test]
    fn clock_tracks_epochs_per_lane() {
        let mut clock = VectorClock::default();
        clock.advance(row(1), 0b110, 4);
        assert_eq!(clock.seen().unknown(row(1), 0b111, 4), 0b001);
        assert_eq!(clock.seen().unknown(row(1), 0b110, 5), 0b110);
        assert_eq!(clock.seen().unknown(row(0), 0b1, 1), 0b1);
        clock.advance(row(1), u32::MAX, 4);
        assert_eq!(clock.seen().unknown(row(1), u32::MAX, 4), 0);
    }

    #[test]
    fn join_includes_epochs_of_both_clocks() {
        let (mut a, mut b) = (VectorClock::default(), VectorClock::default());
        a.advance(row(0), 1, 2);
        b.advance(row(0), 2, 3);
        b.advance(row(2), 1, 1);
        a.join(&b);
        assert_eq!(a.seen().unknown(row(0), 0b11, 2), 0);
        assert_eq!(a.seen().unknown(row(2), 1, 1), 0);
        assert!(a.seen().knows_block(3) && !a.seen().knows_block(4));
    }

    #[test]
    fn proxy_fence_covers_epochs_known_at_fence() {
        let own = Epoch {
            row: row(0),
            lane: 0,
            epoch: 1,
        };
        let mut clock = VectorClock::default();
        clock.advance(row(1), 1, 1);
        clock.fence(ProxyFence::Shared(3), own);
        clock.advance(row(1), 1, 2);
        let fenced = clock.fenced(ProxyFence::Shared(3)).unwrap();
        assert_eq!(fenced.unknown(row(1), 1, 1), 0);
        assert_eq!(fenced.unknown(row(1), 1, 2), 1);
        assert_eq!(fenced.unknown(row(0), 1, 1), 0);
        assert!(clock.fenced(ProxyFence::Global(3)).is_none());
    }
}
