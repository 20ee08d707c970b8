//! Strong accesses: what they hand on and get, and who has observed whom.

use super::accesses::memory_of;
use super::check::{Accessor, Bytes, Part};
use super::clock::{Point, lanes_of};
use super::detector::Detector;
use super::message::Message;
use super::shadow::{Entry, WORD};
use super::site::{Kind, Site};
use super::threads::{Location, Warp, row_of};
use crate::scope::{Home, Scoped, Strength, acquires, mutual, releases};
use std::cell::RefCell;
use std::rc::Rc;
use warpgrid_emulator::{AccessAction, AccessEvent, Piece, WarpId};
use warpgrid_isa::{Scope, Sem};

/// Writes that a chain of atomics begins with and goes on with, at most.
const LONGEST_CHAIN: usize = 1 << 14;

/// The latest strong write at a place.
#[derive(Debug)]
pub(crate) struct StrongWrite {
    n_bytes: u32,
    scope: Scope,
    home: Home,
    /// What it hands on, if anything.
    message: Option<Rc<Message>>,
    point: Point,
    /// It, and the writes that it continues as an atomic, once one observes it or continues it.
    chain: Option<Chain>,
}

/// Writes, each of which continues the one before.
type Chain = Rc<RefCell<Vec<Point>>>;

impl StrongWrite {
    fn chain(&mut self) -> &Chain {
        let point = self.point;
        self.chain
            .get_or_insert_with(|| Rc::new(RefCell::new(vec![point])))
    }
}

/// A strong read that observed the first writes of a chain.
#[derive(Debug)]
pub(crate) struct Observation {
    reader: Point,
    chain: Chain,
    n: usize,
}

/// A strong access of one lane.
#[derive(Clone, Copy)]
struct Strong {
    lane: usize,
    home: Home,
    scope: Scope,
    sem: Sem,
    action: AccessAction,
    place: Location,
    n_bytes: u32,
}

impl Detector {
    pub(crate) fn see_strong(
        &mut self,
        event: &AccessEvent<'_>,
        state: &mut Warp,
        of: WarpId,
        scope: Scope,
    ) {
        let row = row_of(of.block, of.warp);
        let home = self.shape.home(of.block);
        if event.action.writes() {
            self.strong.reserve(event.pieces.len());
        }
        for piece in event.pieces {
            let Some(memory) = memory_of(piece.memory) else {
                continue;
            };
            let lane = (piece.asked & 31) as usize;
            let strong = Strong {
                lane,
                home,
                scope,
                sem: event.sem,
                action: event.action,
                place: (memory, piece.address),
                n_bytes: piece.n_bytes,
            };
            let continued = self.before_strong(state, row, &strong);
            let site = self.site_of(event, piece.n_bytes);
            let by = Accessor {
                warp: state,
                threads: row,
                lanes: 1 << lane,
                home,
                site,
                as_row: row,
                as_lanes: 1 << lane,
                as_epoch: state.epochs[lane],
                step: event.step,
            };
            self.look(&by, bytes_of(event, piece, strong.place));
            if event.action.writes() {
                self.after_strong_write(state, row, &strong, continued);
            }
        }
    }

    /// What a strong access gets before it takes effect: the write that it continues, if it is an atomic and reads one.
    fn before_strong(
        &mut self,
        state: &mut Warp,
        row: super::clock::Row,
        by: &Strong,
    ) -> Option<StrongWrite> {
        if by.action == AccessAction::Store {
            return None;
        }
        let gets = by.action.reads();
        if gets && acquires(by.sem) {
            let met = state.known_details(by.lane).map(|details| {
                let here = details.met.iter().filter(|(at, _)| *at == by.place);
                here.map(|(_, message)| Rc::clone(message)).collect()
            });
            let met: Vec<Rc<Message>> = met.unwrap_or_default();
            for message in met {
                message.acquire(state.clock_mut(by.lane), by.scope, by.home);
            }
        }
        self.spell_strong(by.place, by.n_bytes);
        let message = self.observe(by, state.point(row, by.lane))?;
        if let (true, Some(message)) = (gets, &message) {
            if acquires(by.sem) {
                message.acquire(state.clock_mut(by.lane), by.scope, by.home);
            }
            state.details(by.lane).meet(by.place, message);
        }
        match by.action {
            AccessAction::Atomic | AccessAction::Reduction => self.strong.remove(&by.place),
            AccessAction::Load | AccessAction::Store => None,
        }
    }

    /// Notes that a strong access observes the strong write at its place, if both are linked; what the write hands on, if anything.
    fn observe(&mut self, by: &Strong, reader: Point) -> Option<Option<Rc<Message>>> {
        let write = self.strong.get_mut(&by.place)?;
        let is_linked = write.n_bytes == by.n_bytes
            && mutual(
                Scoped::new(write.scope, write.home),
                Scoped::new(by.scope, by.home),
            );
        if !is_linked {
            return None;
        }
        let message = write.message.clone();
        let chain = write.chain();
        let n = chain.borrow().len();
        let observations = self.observed.entry(by.place).or_default();
        // Who polls observes the same again and again.
        let is_again = observations.last().is_some_and(|last| {
            (last.reader.row, last.reader.lane, last.n) == (reader.row, reader.lane, n)
                && Rc::ptr_eq(&last.chain, chain)
        });
        if !is_again && observations.len() < LONGEST_CHAIN {
            let chain = Rc::clone(chain);
            observations.push(Observation { reader, chain, n });
        }
        Some(message)
    }

    /// Gives writes that were kept with their lines a place of their own, in their order.
    pub(crate) fn spell_strong(&mut self, (memory, address): Location, n_bytes: u32) {
        let Some(shadow) = &mut self.shadow else {
            return;
        };
        if !shadow.has_strong_lines() {
            return;
        }
        for write in shadow.take_strong(memory, address, n_bytes) {
            let mark = write.mark;
            let place = (write.memory, write.address);
            let strength = self.sites.get(mark.site).strength;
            let (true, Strength::Strong(scope)) = (mark.is_strong, strength) else {
                self.hide_strong(place, write.n_bytes);
                continue;
            };
            let by = Strong {
                lane: write.lane as usize,
                home: self.shape.home(mark.row.block()),
                scope,
                sem: Sem::Relaxed,
                action: match mark.kind {
                    Kind::Atomic => AccessAction::Atomic,
                    Kind::Read | Kind::Write => AccessAction::Store,
                },
                place,
                n_bytes: write.n_bytes,
            };
            let point = Point {
                row: mark.row,
                lane: write.lane,
                epoch: mark.epoch,
            };
            let is_continued = mark.kind == Kind::Atomic && self.observe(&by, point).is_some();
            let continued = match is_continued {
                true => self.strong.remove(&place),
                false => None,
            };
            let mut message = continued.as_ref().and_then(|write| write.message.clone());
            for (lane, release) in mark.handed.iter().flat_map(|handed| handed.iter()) {
                if *lane == write.lane {
                    Rc::make_mut(message.get_or_insert_default()).add(release);
                }
            }
            self.hide_strong(place, write.n_bytes);
            self.replace_strong(&by, point, continued, message);
        }
    }

    /// What a strong write hands on.
    fn after_strong_write(
        &mut self,
        state: &mut Warp,
        row: super::clock::Row,
        by: &Strong,
        continued: Option<StrongWrite>,
    ) {
        let mut message = continued.as_ref().and_then(|write| write.message.clone());
        if let Some(details) = state.known_details(by.lane) {
            let here = details.released.iter().filter(|(at, _)| *at == by.place);
            let all = details
                .fences
                .iter()
                .chain(here.map(|(_, release)| release));
            for release in all {
                Rc::make_mut(message.get_or_insert_default()).add(release);
            }
        }
        let point = state.point(row, by.lane);
        if releases(by.sem) {
            let release = state.release(row, by.lane, by.scope, by.home);
            Rc::make_mut(message.get_or_insert_default()).add(&release);
            state.details(by.lane).add_release(by.place, release);
            state.tick(1 << by.lane);
        }
        let bytes = Bytes::at(by.place.0, by.place.1, by.n_bytes);
        // What it continues shares its bytes with no other strong write.
        if continued.is_none() {
            self.forget_strong(bytes);
        }
        let shadow = self.shadow.get_or_insert_default();
        for address in (by.place.1..by.place.1 + u64::from(by.n_bytes)).step_by(WORD as usize) {
            let word = shadow.word(by.place.0, address);
            shadow.set_strong(word);
        }
        self.replace_strong(by, point, continued, message);
    }

    /// Keeps a strong write, which may continue another one; those at the same bytes are gone.
    fn replace_strong(
        &mut self,
        by: &Strong,
        point: Point,
        continued: Option<StrongWrite>,
        message: Option<Rc<Message>>,
    ) {
        let chain = continued.and_then(|mut write| {
            let mut points = write.chain().borrow_mut();
            if points.len() < LONGEST_CHAIN {
                points.push(point);
            }
            drop(points);
            write.chain
        });
        let new = StrongWrite {
            n_bytes: by.n_bytes,
            scope: by.scope,
            home: by.home,
            message,
            point,
            chain,
        };
        self.strong.insert(by.place, new);
    }

    /// A write hides strong writes at the same bytes: who reads them now gets nothing of theirs.
    pub(crate) fn forget_strong(&mut self, bytes: Bytes) {
        let place = (bytes.memory, bytes.address);
        self.spell_strong(place, bytes.n);
        if self.strong.is_empty() || !self.has_strong(bytes) {
            return;
        }
        // Strong writes that are kept share no bytes.
        match self.strong.get(&place) {
            Some(known) if known.n_bytes == bytes.n => {
                self.strong.remove(&place);
            }
            _ => self.hide_strong(place, bytes.n),
        }
    }

    fn hide_strong(&mut self, (memory, address): Location, n_bytes: u32) {
        // A write of some bytes starts at a multiple of their number, so those that begin before it do at these places.
        let around = [2, 4, 8, 16].map(|size| address / size * size);
        let before = around.into_iter().filter(|start| *start < address);
        for start in before.chain(address..address + u64::from(n_bytes)) {
            let hidden = self
                .strong
                .get(&(memory, start))
                .is_some_and(|write| start + u64::from(write.n_bytes) > address);
            if hidden {
                self.strong.remove(&(memory, start));
            }
        }
    }

    /// Whether a strong write was ever noted at one of the words of these bytes.
    fn has_strong(&mut self, bytes: Bytes) -> bool {
        bytes.words().any(|(address, _)| {
            let shadow = self.shadow();
            let word = shadow.word(bytes.memory, address);
            shadow.is_strong(word)
        })
    }

    /// Whether a strong write precedes an access because one observed it whom the access is ordered after.
    pub(crate) fn is_observed(
        &self,
        by: &Accessor<'_>,
        lane: usize,
        other: &Site,
        entry: &Entry,
        thread: usize,
        part: Part,
    ) -> bool {
        if !other.kind.writes() || other.strength == Strength::Weak || !entry.row.is_threads() {
            return false;
        }
        let size = u64::from(other.element_bytes.max(1));
        let start = part.word.max(part.bytes.address) / size * size;
        let Some(observations) = self.observed.get(&(part.bytes.memory, start)) else {
            return false;
        };
        let clock = by.warp.clock(lane);
        observations.iter().any(|observation| {
            let Point {
                row,
                lane: reader,
                epoch,
            } = observation.reader;
            let is_own = row == by.threads && reader as usize == lane;
            if !is_own && clock.seen().unknown(row, 1 << reader, epoch) != 0 {
                return false;
            }
            let chain = observation.chain.borrow();
            chain.iter().take(observation.n).any(|write| {
                (write.row, write.lane, write.epoch) == (entry.row, thread as u32, entry.epoch)
            })
        })
    }

    /// What lanes get from all that their strong reads have met, by a fence with this scope.
    pub(crate) fn acquire_by_fence(&self, state: &mut Warp, lanes: u32, scope: Scope, home: Home) {
        for lane in lanes_of(lanes) {
            let met: Vec<Rc<Message>> = match state.known_details(lane) {
                Some(details) => details.met.iter().map(|(_, m)| Rc::clone(m)).collect(),
                None => continue,
            };
            for message in met {
                message.acquire(state.clock_mut(lane), scope, home);
            }
        }
    }
}

fn bytes_of(event: &AccessEvent<'_>, piece: &Piece, (memory, address): Location) -> Bytes {
    Bytes {
        memory,
        address,
        n: piece.n_bytes,
        same_value: event.action.writes() && event.before(piece) == event.bytes(piece),
        same_among: false,
    }
}
