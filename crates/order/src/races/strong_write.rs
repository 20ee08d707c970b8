//! Strong writes to a location, and the strong reads that observe the written values.

use crate::races::location::StrongLocation;
use crate::races::release_set::ReleaseSet;
use crate::races::vector_clock::Epoch;
use crate::scope::{ScopeInstance, ThreadLocation, scopes_mutually_inclusive};
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_emulator::{AccessAction, AccessEvent};
use warpgrid_isa::{Scope, Sem};

/// Maximum length of a release sequence.
pub(crate) const MAX_CHAIN_LEN: usize = 1 << 14;

/// Latest strong write at a location, with the releases that it carries and its release sequence.
#[derive(Debug)]
pub(crate) struct StrongWrite {
    pub(crate) n_bytes: u32,
    pub(crate) scope: Scope,
    pub(crate) home: ThreadLocation,
    /// Releases that a thread receives if it acquires the written value.
    pub(crate) message: Option<Rc<ReleaseSet>>,
    pub(crate) point: Epoch,
    /// Release sequence that ends with this write. The field is `None` until another access observes or continues the
    /// sequence.
    pub(crate) chain: Option<RmwChain>,
}

/// Release sequence, represented by the epochs of its writes. Each write except the first is an atomic that reads the
/// value of the previous write.
pub(crate) type RmwChain = Rc<RefCell<Vec<Epoch>>>;

impl StrongWrite {
    /// Checks whether a strong access to the same location is morally strong with this write.
    pub(crate) fn is_morally_strong(&self, by: &StrongAccess) -> bool {
        self.n_bytes == by.n_bytes
            && scopes_mutually_inclusive(
                ScopeInstance::new(self.scope, self.home),
                ScopeInstance::new(by.scope, by.home),
            )
    }

    /// Returns a write that starts a release sequence.
    pub(crate) const fn new(
        by: &StrongAccess,
        point: Epoch,
        message: Option<Rc<ReleaseSet>>,
    ) -> StrongWrite {
        StrongWrite {
            n_bytes: by.n_bytes,
            scope: by.scope,
            home: by.home,
            message,
            point,
            chain: None,
        }
    }

    /// Replaces the write with an atomic that continues the release sequence of the write.
    pub(crate) fn extend_chain(
        &mut self,
        by: &StrongAccess,
        point: Epoch,
        message: Option<Rc<ReleaseSet>>,
    ) {
        let mut points = self.chain().borrow_mut();
        if points.len() < MAX_CHAIN_LEN {
            points.push(point);
        }
        drop(points);
        self.n_bytes = by.n_bytes;
        self.scope = by.scope;
        self.home = by.home;
        self.message = message;
        self.point = point;
    }

    pub(crate) fn chain(&mut self) -> &RmwChain {
        let point = self.point;
        self.chain
            .get_or_insert_with(|| Rc::new(RefCell::new(vec![point])))
    }
}

/// Observation of the first `n` writes of a release sequence by a strong read.
#[derive(Debug)]
pub(crate) struct Observation {
    pub(crate) reader: Epoch,
    pub(crate) chain: RmwChain,
    pub(crate) n: usize,
}

/// Strong access of one lane: its location, memory ordering and scope.
#[derive(Clone, Copy)]
pub(crate) struct StrongAccess {
    pub(crate) lane: usize,
    pub(crate) home: ThreadLocation,
    pub(crate) scope: Scope,
    pub(crate) sem: Sem,
    pub(crate) action: AccessAction,
    pub(crate) place: StrongLocation,
    pub(crate) n_bytes: u32,
}

impl StrongAccess {
    /// Returns the strong access of a lane to the bytes at a location.
    pub(crate) const fn of(
        event: &AccessEvent<'_>,
        lane: usize,
        n_bytes: u32,
        place: StrongLocation,
        (scope, home): (Scope, ThreadLocation),
    ) -> StrongAccess {
        StrongAccess {
            lane,
            home,
            scope,
            sem: event.sem,
            action: event.action,
            place,
            n_bytes,
        }
    }
}
