//! Release sets (`Message`): the releases that a strong write carries, and that an acquire of its value receives.

use crate::races::clock::{Clock, Point, join, raise};
use crate::races::turns::Knowledge;
use crate::scope::{Home, Scoped, mutual};
use smallvec::SmallVec;
use std::rc::Rc;
use warpgrid_isa::Scope;

/// One releasing operation: the vector clock and the epoch of its thread.
#[derive(Clone, Debug)]
pub(crate) struct Release {
    pub(crate) scope: Scope,
    pub(crate) home: Home,
    pub(crate) known: Knowledge,
    pub(crate) own: Point,
}

impl Release {
    /// Checks whether the release includes `other`, a release of the same block and scope.
    fn includes(&self, other: &Release) -> bool {
        let Point { row, lane, epoch } = other.own;
        let is_own = (self.own.row, self.own.lane) == (row, lane) && self.own.epoch >= epoch;
        (is_own || self.known.knows(other.own)) && self.known.includes(&other.known)
    }
}

/// All releases that an acquire of one strong write receives. Releases of one block and scope are merged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(SmallVec<[Release; 1]>);

impl Message {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, release: &Release) {
        let same =
            |other: &&mut Release| (other.scope, other.home) == (release.scope, release.home);
        match self.0.iter_mut().find(same) {
            // A thread that acquired the earlier release also releases it, so the new release replaces it.
            Some(other) if release.includes(other) => *other = release.clone(),
            Some(other) => {
                let own = other.own;
                other.known.change(|clock| {
                    clock.raise_to(own);
                    clock.join(release.known.clock());
                    clock.raise_to(release.own);
                });
            }
            None => self.0.push(release.clone()),
        }
    }

    /// Checks whether the set includes all releases of `other`.
    pub(crate) fn includes(&self, other: &Message) -> bool {
        other.0.iter().all(|release| {
            let mut own = self.0.iter();
            own.any(|own| {
                (own.scope, own.home) == (release.scope, release.home) && own.includes(release)
            })
        })
    }

    pub(crate) fn join(&mut self, other: &Message) {
        for release in &other.0 {
            self.add(release);
        }
    }

    /// Joins into a clock the releases that an acquire with this scope receives.
    pub(crate) fn acquire(&self, clock: &mut Rc<Clock>, scope: Scope, home: Home) {
        for release in &self.0 {
            if mutual(
                Scoped::new(release.scope, release.home),
                Scoped::new(scope, home),
            ) {
                join(clock, release.known.clock());
                raise(clock, release.own);
            }
        }
    }
}
