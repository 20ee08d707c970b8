//! Strong writes to a location and the observations of their values.

use crate::races::clock::Point;
use crate::races::location::Location;
use crate::races::message::Message;
use crate::scope::{Home, Scoped, mutual};
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_emulator::{AccessAction, AccessEvent};
use warpgrid_isa::{Scope, Sem};

/// Maximum length of a release sequence.
pub(crate) const LONGEST_CHAIN: usize = 1 << 14;

/// The latest strong write at a location.
#[derive(Debug)]
pub(crate) struct StrongWrite {
    pub(crate) n_bytes: u32,
    pub(crate) scope: Scope,
    pub(crate) home: Home,
    /// Releases that an acquire of the value receives.
    pub(crate) message: Option<Rc<Message>>,
    pub(crate) point: Point,
    /// Release sequence that ends with this write, once another access observes or continues it.
    pub(crate) chain: Option<Chain>,
}

/// A release sequence: each write continues the previous one by an atomic operation.
pub(crate) type Chain = Rc<RefCell<Vec<Point>>>;

impl StrongWrite {
    /// Checks whether a strong access of the location is morally strong with the write.
    pub(crate) fn is_linked(&self, by: &Strong) -> bool {
        self.n_bytes == by.n_bytes
            && mutual(
                Scoped::new(self.scope, self.home),
                Scoped::new(by.scope, by.home),
            )
    }

    /// Returns a write that starts a release sequence.
    pub(crate) const fn new(
        by: &Strong,
        point: Point,
        message: Option<Rc<Message>>,
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

    /// Replaces the write with a write that continues its release sequence.
    pub(crate) fn go_on(&mut self, by: &Strong, point: Point, message: Option<Rc<Message>>) {
        let mut points = self.chain().borrow_mut();
        if points.len() < LONGEST_CHAIN {
            points.push(point);
        }
        drop(points);
        self.n_bytes = by.n_bytes;
        self.scope = by.scope;
        self.home = by.home;
        self.message = message;
        self.point = point;
    }

    pub(crate) fn chain(&mut self) -> &Chain {
        let point = self.point;
        self.chain
            .get_or_insert_with(|| Rc::new(RefCell::new(vec![point])))
    }
}

/// A strong read that observed the first `n` writes of a release sequence.
#[derive(Debug)]
pub(crate) struct Observation {
    pub(crate) reader: Point,
    pub(crate) chain: Chain,
    pub(crate) n: usize,
}

/// A strong access of one lane.
#[derive(Clone, Copy)]
pub(crate) struct Strong {
    pub(crate) lane: usize,
    pub(crate) home: Home,
    pub(crate) scope: Scope,
    pub(crate) sem: Sem,
    pub(crate) action: AccessAction,
    pub(crate) place: Location,
    pub(crate) n_bytes: u32,
}

impl Strong {
    /// Returns the access of a lane to bytes at a location.
    pub(crate) const fn of(
        event: &AccessEvent<'_>,
        lane: usize,
        n_bytes: u32,
        place: Location,
        (scope, home): (Scope, Home),
    ) -> Strong {
        Strong {
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
