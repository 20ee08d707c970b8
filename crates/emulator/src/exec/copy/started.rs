//! The operations that one instruction starts: one for each way in which they are completed. In: what each lane brings;
//! out: operations in flight.

use crate::contract::event::PendingId;
use crate::contract::pending::{
    PendingCompletion, PendingOperation, PendingOrigin, PendingPiece, PendingSource, Reduction,
    Work,
};
use warpgrid_isa::StateSpace;

/// A place in a memory that operations can read and write: space, block and address there.
pub(crate) type Landing = (StateSpace, u64, u64);

/// Bytes that an operation brings to a distance from the place where it lands.
#[derive(Clone)]
pub(crate) struct Brought {
    pub(crate) distance: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) source: Option<PendingSource>,
}

pub(crate) struct Operations {
    origin: PendingOrigin,
    reduces: Option<Reduction>,
    pub(crate) list: Vec<PendingOperation>,
}

impl Operations {
    pub(crate) fn new(origin: PendingOrigin, reduces: Option<Reduction>) -> Operations {
        Operations {
            origin,
            reduces,
            list: Vec::new(),
        }
    }

    /// Adds bytes at distances from a place to the operation that is completed so; an mbarrier counts `n_counted` for them.
    pub(crate) fn add(
        &mut self,
        lane: usize,
        (space, block, address): Landing,
        completion: PendingCompletion,
        n_counted: u32,
        pieces: impl Iterator<Item = Brought>,
    ) {
        let reduces = self.reduces;
        let made = pieces.map(|brought| PendingPiece {
            lane: lane as u32,
            space,
            block,
            address: address + brought.distance as u64,
            bytes: brought.bytes.into(),
            source: brought.source,
            reduces,
        });
        let operation = self.operation(completion);
        operation.pieces.extend(made);
        if let PendingCompletion::Mbarrier { bytes, .. } = &mut operation.completion {
            *bytes += n_counted;
        }
    }

    pub(crate) fn add_arrival(
        &mut self,
        completion: PendingCompletion,
        after: Vec<PendingId>,
        lands_after: u64,
    ) {
        let same = |operation: &PendingOperation| is_same(operation.completion, completion);
        let is_known = self.list.iter().any(same);
        let operation = self.operation(completion);
        operation.earliest_step = operation.earliest_step.max(lands_after);
        let new = after.into_iter().filter(|id| !operation.after.contains(id));
        let new: Vec<PendingId> = new.collect();
        operation.after.extend(new);
        if let PendingCompletion::Arrival { count, .. } = &mut operation.completion
            && is_known
        {
            *count += 1;
        }
    }

    /// The operation that is completed so: one that is there, or a new one.
    fn operation(&mut self, completion: PendingCompletion) -> &mut PendingOperation {
        let found = self
            .list
            .iter()
            .position(|operation| is_same(operation.completion, completion));
        let index = found.unwrap_or(self.list.len());
        if found.is_none() {
            self.list.push(PendingOperation {
                origin: self.origin,
                pieces: Vec::new(),
                work: Work::Pieces,
                completion,
                earliest_step: self.origin.step + 1,
                after: Vec::new(),
            });
        }
        &mut self.list[index]
    }
}

/// Whether two operations are completed in the same way, whatever they bring.
fn is_same(a: PendingCompletion, b: PendingCompletion) -> bool {
    use PendingCompletion as C;
    let object = |c: PendingCompletion| match c {
        C::Mbarrier { block, address, .. } => Some((false, block, address)),
        C::Arrival { block, address, .. } => Some((true, block, address)),
        C::None | C::AsyncGroup { .. } => None,
    };
    match (object(a), object(b)) {
        (None, None) => a == b,
        (a, b) => a == b,
    }
}
