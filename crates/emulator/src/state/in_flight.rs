//! Queue of asynchronous operations that have been issued but have not completed.

use crate::contract::agent::{AsyncOperationId, WarpId};
use crate::contract::pending::{
    AsyncEffect, AsyncGroupKind, AsyncOperation, AsyncWrite, CompletionMechanism, InFlightOperation,
};
use crate::semantics::registers::RegisterFileSizes;
use crate::state::scheduler::ScheduledAction;
use crate::state::scheduler::Scheduler;
use std::sync::Arc;
use warpgrid_isa::StateSpace;
use warpgrid_program::FunctionId;

/// Number of steps between the issue and the completion of an operation in the default schedule (seed 0).
pub(crate) const DEFAULT_COMPLETION_DELAY: u64 = 32;

/// State of the async-groups of a warp: the number of groups that each lane has committed, and the outstanding `wgmma`
/// instructions of the warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AsyncGroups {
    made: [[u32; 32]; 3],
    /// Number of `wgmma` instructions that the warp has issued.
    products: u32,
    /// Last issued `wgmma` of each plan for whose completion the warp has not waited.
    open: Vec<OutstandingWgmma>,
}

/// Issued `wgmma` for whose completion the warp has not waited. [`AsyncGroups`] stores it to detect accesses to its
/// registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutstandingWgmma {
    pub(crate) plan: u32,
    /// First row of the stack frame that contains the registers of the `wgmma`, in each bank.
    pub(crate) base: RegisterFileSizes,
    /// Index of the wgmma-group that contains the `wgmma`, or that will contain it after the next commit.
    pub(crate) group: u32,
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
}

impl AsyncGroups {
    /// Returns the number of async-groups of this kind that a lane has committed.
    pub(crate) fn made(&self, kind: AsyncGroupKind, lane: usize) -> u32 {
        let [copies, bulk, products] = &self.made;
        let row = match kind {
            AsyncGroupKind::Copies => copies,
            AsyncGroupKind::Bulk => bulk,
            AsyncGroupKind::Products => products,
        };
        row[lane & 31]
    }

    /// Returns the index of the `wgmma` that the warp issues next, and increments the counter.
    pub(crate) fn next_product(&mut self) -> u32 {
        self.products = self.products.wrapping_add(1);
        self.products.wrapping_sub(1)
    }

    /// Records the issue of a `wgmma`.
    pub(crate) fn open(&mut self, product: OutstandingWgmma) {
        self.open.retain(|other| other.plan != product.plan);
        self.open.push(product);
    }

    /// Returns the issued `wgmma` instructions for whose completion the warp has not waited.
    pub(crate) fn open_products(&self) -> &[OutstandingWgmma] {
        &self.open
    }

    /// Records that the warp has waited for all wgmma-groups except for the latest `n` groups.
    pub(crate) fn close(&mut self, n: u32) {
        let first = self.made(AsyncGroupKind::Products, 0).saturating_sub(n);
        self.open.retain(|product| product.group >= first);
    }

    /// Commits the uncommitted operations of the lanes as one async-group.
    pub(crate) fn commit(&mut self, kind: AsyncGroupKind, lanes: u32) {
        let [copies, bulk, products] = &mut self.made;
        let row = match kind {
            AsyncGroupKind::Copies => copies,
            AsyncGroupKind::Bulk => bulk,
            AsyncGroupKind::Products => products,
        };
        for (lane, made) in row.iter_mut().enumerate() {
            *made = made.wrapping_add(lanes >> lane & 1);
        }
    }
}

/// Queue of all asynchronous operations of a run that have been issued but have not completed, ordered by the step of
/// their next event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InFlightQueue {
    /// Operations in flight, ordered by the step of their next event, and in the order of insertion for equal steps.
    operations: Vec<Arc<InFlightOperation>>,
    started: u64,
}

impl InFlightQueue {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the number of operations that have been issued.
    pub(crate) fn n_started(&self) -> u64 {
        self.started
    }

    pub(crate) fn all(&self) -> &[Arc<InFlightOperation>] {
        &self.operations
    }

    /// Issues an operation. `delay` is the number of steps by which the scheduler delays the operation after its
    /// earliest step.
    pub(crate) fn start(&mut self, operation: AsyncOperation, delay: u64) -> AsyncOperationId {
        let id = AsyncOperationId(self.started);
        self.started += 1;
        let after = |delay: u64| operation.earliest_step.saturating_add(delay);
        let (reads_at, lands_at) = (after(delay / 2), after(delay));
        self.insert(InFlightOperation {
            id,
            completes_at: lands_at,
            reads_at: operation.reads_apart().then_some(reads_at),
            operation,
        });
        id
    }

    fn insert(&mut self, pending: InFlightOperation) {
        let due = pending.due();
        let index = self.operations.partition_point(|p| p.due() <= due);
        self.operations.insert(index, Arc::new(pending));
    }

    /// Reinserts an operation whose source has been read, at the step of its completion.
    pub(crate) fn put_back(&mut self, pending: InFlightOperation) {
        self.take(pending.id);
        self.insert(pending);
    }

    /// Returns the step at which the next event is due. An event is the source read or the completion of an operation.
    #[inline(always)]
    pub(crate) fn next_landing(&self) -> Option<u64> {
        self.operations.first().map(|p| p.due())
    }

    /// Returns the most recently issued operation if it is still in flight.
    pub(crate) fn latest(&self) -> Option<AsyncOperationId> {
        let id = AsyncOperationId(self.started.checked_sub(1)?);
        self.get(id).map(|pending| pending.id)
    }

    /// Returns the action for the next due event: the read of a source, or a completion.
    pub(crate) fn first(&self) -> Option<ScheduledAction> {
        self.operations.first().map(|pending| next_action(pending))
    }

    /// Returns the next action of an operation. Returns `None` if the operation is not in flight, depends on another
    /// operation in flight, or is a part of a `wgmma` that some warps have not issued.
    pub(crate) fn action(&self, id: AsyncOperationId) -> Option<ScheduledAction> {
        let pending = self.get(id)?;
        let is_issued = pending.completes_at != u64::MAX;
        let is_next = is_issued && self.first_of(id) == Some(id);
        is_next.then(|| next_action(pending))
    }

    pub(crate) fn get(&self, id: AsyncOperationId) -> Option<&Arc<InFlightOperation>> {
        self.operations.iter().find(|p| p.id == id)
    }

    /// Returns the operation that must complete first: an operation in flight on which the given operation depends, or
    /// the given operation itself if it has no dependencies.
    pub(crate) fn first_of(&self, id: AsyncOperationId) -> Option<AsyncOperationId> {
        let operation = &self.get(id)?.operation;
        let mut before = operation.depends_on.iter();
        let earlier = before.find_map(|earlier| self.first_of(*earlier));
        Some(earlier.unwrap_or(id))
    }

    /// Returns the operations of a warp that belong to async-groups of this kind, each with its lanes and the index of
    /// its group.
    pub(crate) fn grouped(
        &self,
        of: WarpId,
        wanted: AsyncGroupKind,
    ) -> impl Iterator<Item = (&InFlightOperation, u32, u32)> {
        self.operations.iter().filter_map(move |pending| {
            let operation = &pending.operation;
            let origin = &operation.origin;
            match operation.completion {
                CompletionMechanism::AsyncGroup { kind, number }
                    if kind == wanted && origin.warp_id() == of =>
                {
                    Some((&**pending, pending.lanes(), number))
                }
                CompletionMechanism::None
                | CompletionMechanism::Mbarrier { .. }
                | CompletionMechanism::Arrival { .. }
                | CompletionMechanism::AsyncGroup { .. } => None,
            }
        })
    }

    /// Schedules the completion of a `wgmma` once all `n_warps` warps of the warpgroup have issued it. The part of each
    /// warp completes after the preceding `wgmma` of the warp. Until all warps have issued the `wgmma`, its parts are
    /// ordered after all other operations.
    pub(crate) fn join_product(&mut self, group: WarpgroupMma, n_warps: usize, lands_at: u64) {
        let WarpgroupMma { index, .. } = group;
        let of_group = |pending: &InFlightOperation| match &pending.operation.work {
            AsyncEffect::Product(product) => {
                let origin = &pending.operation.origin;
                let is_here = origin.block == group.block && origin.warp / 4 == group.warpgroup;
                is_here.then_some((origin.warp, product.index))
            }
            AsyncEffect::Pieces
            | AsyncEffect::Tensor(_)
            | AsyncEffect::TensorPieces(_)
            | AsyncEffect::Cancel { .. }
            | AsyncEffect::TensorMemory(_) => None,
        };
        let parts: Vec<(AsyncOperationId, u32)> = self
            .operations
            .iter()
            .filter_map(|pending| {
                let (warp, at) = of_group(pending)?;
                (at == index).then_some((pending.id, warp))
            })
            .collect();
        if parts.len() < n_warps {
            return;
        }
        for (id, warp) in parts {
            let of_warp = self.operations.iter().filter(|pending| pending.id != id);
            let earlier = of_warp.filter(|pending| {
                of_group(pending).is_some_and(|(of, at)| of == warp && at < index)
            });
            let after = earlier
                .map(|pending| pending.completes_at)
                .max()
                .unwrap_or(0);
            if let Some(pending) = self.take(id) {
                self.insert(InFlightOperation {
                    completes_at: lands_at.max(after),
                    ..InFlightOperation::clone(&pending)
                });
            }
        }
    }

    /// Removes an operation from the queue.
    pub(crate) fn take(&mut self, id: AsyncOperationId) -> Option<Arc<InFlightOperation>> {
        let index = self.operations.iter().position(|p| p.id == id)?;
        Some(self.operations.remove(index))
    }

    /// Checks whether an operation in flight was issued by one of the given blocks, writes their memory, or signals one
    /// of their mbarriers.
    pub(crate) fn touches(&self, of_cluster: impl Fn(u64) -> bool) -> bool {
        self.operations.iter().any(|pending| {
            let operation = &pending.operation;
            let completes = match operation.completion {
                CompletionMechanism::Mbarrier { block, .. }
                | CompletionMechanism::Arrival { block, .. } => of_cluster(block),
                CompletionMechanism::None | CompletionMechanism::AsyncGroup { .. } => false,
            };
            let writes =
                |piece: &AsyncWrite| piece.space != StateSpace::Global && of_cluster(piece.block);
            let moves = match &operation.work {
                AsyncEffect::Pieces | AsyncEffect::Product(_) => false,
                AsyncEffect::Tensor(transfer) | AsyncEffect::TensorPieces(transfer) => {
                    transfer.blocks.iter().any(|block| of_cluster(*block))
                }
                AsyncEffect::Cancel { blocks, .. } => blocks.iter().any(|block| of_cluster(*block)),
                AsyncEffect::TensorMemory(work) => {
                    work.blocks.iter().any(|block| of_cluster(*block))
                }
            };
            let lands = operation.pieces.iter().any(writes) || moves;
            completes || of_cluster(operation.origin.block) || lands
        })
    }
}

fn next_action(pending: &InFlightOperation) -> ScheduledAction {
    match pending.reads_at {
        Some(_) => ScheduledAction::Read(pending.id),
        None => ScheduledAction::InFlight(pending.id),
    }
}

/// Identification of one execution of a `wgmma` instruction by a warpgroup. Each warp of the warpgroup issues the part
/// for its own rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarpgroupMma {
    /// Linear index of the block.
    pub(crate) block: u64,
    pub(crate) warpgroup: u32,
    /// Index of this `wgmma` among all `wgmma` instructions that the warpgroup has issued.
    pub(crate) index: u32,
}

/// Interface with which the instructions of a warp issue asynchronous operations. The scheduler determines the delay of
/// each completion.
#[derive(Debug)]
pub(crate) struct AsyncIssuer<'a> {
    pub(crate) in_flight: &'a mut InFlightQueue,
    pub(crate) schedule: &'a mut Scheduler,
}

impl AsyncIssuer<'_> {
    /// Issues an operation. The issuing instruction stops the warp with `StopReason::ScheduledAction`, so that the
    /// operation can complete before the next step of the warp.
    pub(crate) fn start(&mut self, operation: AsyncOperation) -> AsyncOperationId {
        let delay = self.schedule.landing_delay();
        self.in_flight.start(operation, delay)
    }

    /// Schedules the completion of a `wgmma` with [`InFlightQueue::join_product`], relative to `step`.
    pub(crate) fn join_product(&mut self, group: WarpgroupMma, n_warps: usize, step: u64) {
        let delay = self.schedule.landing_delay();
        self.in_flight.join_product(group, n_warps, step + delay);
    }
}
