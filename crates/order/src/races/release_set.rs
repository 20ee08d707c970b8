//! Release sets (`ReleaseSet`): the releases that a strong write carries. A thread receives these releases if it
//! acquires the written value.

use crate::races::fence_order::ReleasedClock;
use crate::races::vector_clock::{Epoch, VectorClock, advance, join};
use crate::scope::{ScopeInstance, ThreadLocation, scopes_mutually_inclusive};
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_isa::Scope;

/// Release operation of a thread, with the vector clock and the epoch of the thread.
#[derive(Clone, Debug)]
pub(crate) struct ReleaseEvent {
    pub(crate) scope: Scope,
    pub(crate) home: ThreadLocation,
    pub(crate) known: ReleasedClock,
    pub(crate) own_epoch: Epoch,
}

impl ReleaseEvent {
    /// Checks whether this release includes `other`, which must be a release by the same block and with the same scope.
    fn includes(&self, other: &ReleaseEvent) -> bool {
        let Epoch { row, lane, epoch } = other.own_epoch;
        let is_own = (self.own_epoch.row, self.own_epoch.lane) == (row, lane)
            && self.own_epoch.epoch >= epoch;
        (is_own || self.known.includes_epoch(other.own_epoch)) && self.known.includes(&other.known)
    }
}

/// Set of all releases that a thread receives if it acquires the value of one strong write. The set merges releases by threads of the same
/// block with the same scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReleaseSet(SmallVec<[ReleaseEvent; 1]>);

impl ReleaseSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, release: &ReleaseEvent) {
        let same =
            |other: &&mut ReleaseEvent| (other.scope, other.home) == (release.scope, release.home);
        match self.0.iter_mut().find(same) {
            // The thread of the new release has acquired the earlier release, so the new release includes and replaces
            // the earlier release.
            Some(other) if release.includes(other) => *other = release.clone(),
            Some(other) => {
                let own = other.own_epoch;
                other.known.change(|clock| {
                    clock.raise_to(own);
                    clock.join(release.known.clock());
                    clock.raise_to(release.own_epoch);
                });
            }
            None => self.0.push(release.clone()),
        }
    }

    /// Checks whether the set includes all releases of `other`.
    pub(crate) fn includes(&self, other: &ReleaseSet) -> bool {
        other.0.iter().all(|release| {
            let mut own = self.0.iter();
            own.any(|own| {
                (own.scope, own.home) == (release.scope, release.home) && own.includes(release)
            })
        })
    }

    pub(crate) fn join(&mut self, other: &ReleaseSet) {
        for release in &other.0 {
            self.add(release);
        }
    }

    /// Joins into `clock` the releases that an acquire operation with the given scope receives.
    pub(crate) fn acquire(&self, clock: &mut Rc<VectorClock>, scope: Scope, home: ThreadLocation) {
        for release in &self.0 {
            if scopes_mutually_inclusive(
                ScopeInstance::new(release.scope, release.home),
                ScopeInstance::new(scope, home),
            ) {
                join(clock, release.known.clock());
                advance(clock, release.own_epoch);
            }
        }
    }
}
