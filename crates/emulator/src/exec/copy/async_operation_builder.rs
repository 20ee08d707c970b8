//! Builder for the asynchronous operations that one instruction issues. The builder creates one operation per
//! completion mechanism.

use crate::contract::agent::AsyncOperationId;
use crate::contract::pending::{
    AsyncEffect, AsyncOperation, AsyncOrigin, AsyncSource, AsyncWrite, CompletionMechanism,
    Reduction,
};
use warpgrid_isa::StateSpace;

/// Memory location to which an asynchronous operation writes: state space, block and address.
pub(crate) type CompletionTarget = (StateSpace, u64, u64);

/// Data that an asynchronous operation writes at an offset from its destination address.
#[derive(Clone)]
pub(crate) struct PieceData {
    pub(crate) distance: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) source: Option<AsyncSource>,
}

pub(crate) struct AsyncOperationBuilder {
    origin: AsyncOrigin,
    reduces: Option<Reduction>,
    pub(crate) list: Vec<AsyncOperation>,
}

impl AsyncOperationBuilder {
    pub(crate) fn new(origin: AsyncOrigin, reduces: Option<Reduction>) -> AsyncOperationBuilder {
        AsyncOperationBuilder {
            origin,
            reduces,
            list: Vec::new(),
        }
    }

    /// Adds data to the operation with a completion mechanism. `n_counted` is the number of bytes by which the
    /// completion of the data decreases the tx-count of the mbarrier.
    pub(crate) fn add(
        &mut self,
        lane: usize,
        (space, block, address): CompletionTarget,
        completion: CompletionMechanism,
        n_counted: u32,
        pieces: impl Iterator<Item = PieceData>,
    ) {
        let reduces = self.reduces;
        let made = pieces.map(|brought| AsyncWrite {
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
        if let CompletionMechanism::Mbarrier { bytes, .. } = &mut operation.completion {
            *bytes += n_counted;
        }
    }

    pub(crate) fn add_arrival(
        &mut self,
        completion: CompletionMechanism,
        after: Vec<AsyncOperationId>,
        lands_after: u64,
    ) {
        let same = |operation: &AsyncOperation| is_same(operation.completion, completion);
        let is_known = self.list.iter().any(same);
        let operation = self.operation(completion);
        operation.earliest_step = operation.earliest_step.max(lands_after);
        let new = after
            .into_iter()
            .filter(|id| !operation.depends_on.contains(id));
        let new: Vec<AsyncOperationId> = new.collect();
        operation.depends_on.extend(new);
        if let CompletionMechanism::Arrival { count, .. } = &mut operation.completion
            && is_known
        {
            *count += 1;
        }
    }

    /// Returns the operation with a completion mechanism, and creates the operation if necessary.
    fn operation(&mut self, completion: CompletionMechanism) -> &mut AsyncOperation {
        let found = self
            .list
            .iter()
            .position(|operation| is_same(operation.completion, completion));
        let index = found.unwrap_or(self.list.len());
        if found.is_none() {
            self.list.push(AsyncOperation {
                origin: self.origin,
                pieces: Vec::new(),
                work: AsyncEffect::Pieces,
                completion,
                earliest_step: self.origin.step + 1,
                depends_on: Vec::new(),
            });
        }
        &mut self.list[index]
    }
}

/// Checks whether two completion mechanisms are equal except for their byte counts and arrival counts.
fn is_same(a: CompletionMechanism, b: CompletionMechanism) -> bool {
    use CompletionMechanism as C;
    let object = |c: CompletionMechanism| match c {
        C::Mbarrier { block, address, .. } => Some((false, block, address)),
        C::Arrival { block, address, .. } => Some((true, block, address)),
        C::None | C::AsyncGroup { .. } => None,
    };
    match (object(a), object(b)) {
        (None, None) => a == b,
        (a, b) => a == b,
    }
}
