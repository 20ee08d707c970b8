//! Asynchronous operations that one step issues and a later step completes.

use crate::contract::event::{PendingId, WarpId};
use crate::contract::pending::{
    GroupKind, Pending, PendingCompletion, PendingOperation, PendingPiece, Work,
};
use crate::semantics::registers::BankSizes;
use crate::state::schedule::Schedule;
use crate::state::schedule::Turn;
use std::sync::Arc;
use warpgrid_isa::StateSpace;
use warpgrid_program::FunctionId;

/// Number of steps between the issue and the completion of an operation in the default schedule (seed 0).
pub(crate) const NATURAL_DELAY: u64 = 32;

/// Asynchronous groups that each lane of a warp has committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    made: [[u32; 32]; 3],
    /// Number of `wgmma` instructions that the warp has issued.
    products: u32,
    /// For each plan, the last issued `wgmma` without a wait.
    open: Vec<OpenProduct>,
}

/// An issued `wgmma` on which the warp has not waited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenProduct {
    pub(crate) plan: u32,
    /// Start of the stack frame with its registers.
    pub(crate) base: BankSizes,
    /// Group that contains the operation, or will contain it after a commit.
    pub(crate) group: u32,
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
}

impl Groups {
    /// Returns the number of groups that a lane has committed.
    pub(crate) fn made(&self, kind: GroupKind, lane: usize) -> u32 {
        let [copies, bulk, products] = &self.made;
        let row = match kind {
            GroupKind::Copies => copies,
            GroupKind::Bulk => bulk,
            GroupKind::Products => products,
        };
        row[lane & 31]
    }

    /// Allocates the index of a `wgmma` that the warp issues.
    pub(crate) fn next_product(&mut self) -> u32 {
        self.products = self.products.wrapping_add(1);
        self.products.wrapping_sub(1)
    }

    /// Records the issue of a `wgmma`.
    pub(crate) fn open(&mut self, product: OpenProduct) {
        self.open.retain(|other| other.plan != product.plan);
        self.open.push(product);
    }

    /// Returns the issued `wgmma` instructions without a wait.
    pub(crate) fn open_products(&self) -> &[OpenProduct] {
        &self.open
    }

    /// Records a wait for all but the latest `n` groups of `wgmma`.
    pub(crate) fn close(&mut self, n: u32) {
        let first = self.made(GroupKind::Products, 0).saturating_sub(n);
        self.open.retain(|product| product.group >= first);
    }

    /// Commits the uncommitted operations of the lanes as a group.
    pub(crate) fn commit(&mut self, kind: GroupKind, lanes: u32) {
        let [copies, bulk, products] = &mut self.made;
        let row = match kind {
            GroupKind::Copies => copies,
            GroupKind::Bulk => bulk,
            GroupKind::Products => products,
        };
        for (lane, made) in row.iter_mut().enumerate() {
            *made = made.wrapping_add(lanes >> lane & 1);
        }
    }
}

/// All asynchronous operations in flight, ordered by the step of their next event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InFlight {
    /// Ordered by the step of the next event, then by insertion.
    operations: Vec<Arc<Pending>>,
    started: u64,
}

impl InFlight {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the number of operations that have been issued.
    pub(crate) fn n_started(&self) -> u64 {
        self.started
    }

    pub(crate) fn all(&self) -> &[Arc<Pending>] {
        &self.operations
    }

    /// Issues an operation. `delay` is the delay of the scheduler after the earliest step of the operation.
    pub(crate) fn start(&mut self, operation: PendingOperation, delay: u64) -> PendingId {
        let id = PendingId(self.started);
        self.started += 1;
        let after = |delay: u64| operation.earliest_step.saturating_add(delay);
        let (reads_at, lands_at) = (after(delay / 2), after(delay));
        self.insert(Pending {
            id,
            lands_at,
            reads_at: operation.reads_apart().then_some(reads_at),
            operation,
        });
        id
    }

    fn insert(&mut self, pending: Pending) {
        let due = pending.due();
        let index = self.operations.partition_point(|p| p.due() <= due);
        self.operations.insert(index, Arc::new(pending));
    }

    /// Reinserts an operation whose source has been read.
    pub(crate) fn put_back(&mut self, pending: Pending) {
        self.take(pending.id);
        self.insert(pending);
    }

    /// Returns the step at which the next event of any operation is due.
    #[inline(always)]
    pub(crate) fn next_landing(&self) -> Option<u64> {
        self.operations.first().map(|p| p.due())
    }

    /// Returns the operation that was issued last, if it is still in flight.
    pub(crate) fn latest(&self) -> Option<PendingId> {
        let id = PendingId(self.started.checked_sub(1)?);
        self.get(id).map(|pending| pending.id)
    }

    /// Returns the next due event: the read of a source, or a completion.
    pub(crate) fn first(&self) -> Option<Turn> {
        self.operations.first().map(|p| match p.reads_at {
            Some(_) => Turn::Read(p.id),
            None => Turn::InFlight(p.id),
        })
    }

    pub(crate) fn get(&self, id: PendingId) -> Option<&Arc<Pending>> {
        self.operations.iter().find(|p| p.id == id)
    }

    /// Returns the operation itself, or an operation that must complete before it.
    pub(crate) fn first_of(&self, id: PendingId) -> Option<PendingId> {
        let operation = &self.get(id)?.operation;
        let mut before = operation.after.iter();
        let earlier = before.find_map(|earlier| self.first_of(*earlier));
        Some(earlier.unwrap_or(id))
    }

    /// Returns the operations of a warp that belong to groups of this kind, with their lanes and the index of the
    /// group.
    pub(crate) fn grouped(
        &self,
        of: WarpId,
        wanted: GroupKind,
    ) -> impl Iterator<Item = (&Pending, u32, u32)> {
        self.operations.iter().filter_map(move |pending| {
            let operation = &pending.operation;
            let origin = &operation.origin;
            match operation.completion {
                PendingCompletion::AsyncGroup { kind, number }
                    if kind == wanted && origin.warp_id() == of =>
                {
                    Some((&**pending, pending.lanes(), number))
                }
                PendingCompletion::None
                | PendingCompletion::Mbarrier { .. }
                | PendingCompletion::Arrival { .. }
                | PendingCompletion::AsyncGroup { .. } => None,
            }
        })
    }

    /// Schedules the completion of the parts of a `wgmma` once all `n_warps` warps of the warpgroup have issued it.
    /// Each part completes after the preceding `wgmma` of its warp. Before, the parts are scheduled after all other
    /// operations.
    pub(crate) fn join_product(&mut self, group: GroupProduct, n_warps: usize, lands_at: u64) {
        let GroupProduct { index, .. } = group;
        let of_group = |pending: &Pending| match &pending.operation.work {
            Work::Product(product) => {
                let origin = &pending.operation.origin;
                let is_here = origin.block == group.block && origin.warp / 4 == group.warpgroup;
                is_here.then_some((origin.warp, product.index))
            }
            Work::Pieces
            | Work::Tensor(_)
            | Work::TensorPieces(_)
            | Work::Cancel { .. }
            | Work::TensorMemory(_) => None,
        };
        let parts: Vec<(PendingId, u32)> = self
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
            let after = earlier.map(|pending| pending.lands_at).max().unwrap_or(0);
            if let Some(pending) = self.take(id) {
                self.insert(Pending {
                    lands_at: lands_at.max(after),
                    ..Pending::clone(&pending)
                });
            }
        }
    }

    /// Removes an operation.
    pub(crate) fn take(&mut self, id: PendingId) -> Option<Arc<Pending>> {
        let index = self.operations.iter().position(|p| p.id == id)?;
        Some(self.operations.remove(index))
    }

    /// Checks whether an operation was issued by one of these blocks, or writes memory or signals an mbarrier there.
    pub(crate) fn touches(&self, of_cluster: impl Fn(u64) -> bool) -> bool {
        self.operations.iter().any(|pending| {
            let operation = &pending.operation;
            let completes = match operation.completion {
                PendingCompletion::Mbarrier { block, .. }
                | PendingCompletion::Arrival { block, .. } => of_cluster(block),
                PendingCompletion::None | PendingCompletion::AsyncGroup { .. } => false,
            };
            let writes =
                |piece: &PendingPiece| piece.space != StateSpace::Global && of_cluster(piece.block);
            let moves = match &operation.work {
                Work::Pieces | Work::Product(_) => false,
                Work::Tensor(transfer) | Work::TensorPieces(transfer) => {
                    transfer.blocks.iter().any(|block| of_cluster(*block))
                }
                Work::Cancel { blocks, .. } => blocks.iter().any(|block| of_cluster(*block)),
                Work::TensorMemory(work) => work.blocks.iter().any(|block| of_cluster(*block)),
            };
            let lands = operation.pieces.iter().any(writes) || moves;
            completes || of_cluster(operation.origin.block) || lands
        })
    }
}

/// A `wgmma`, which each warp of a warpgroup issues for its own rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupProduct {
    /// Linear index of the block.
    pub(crate) block: u64,
    pub(crate) warpgroup: u32,
    /// Index among the `wgmma` instructions of the warpgroup.
    pub(crate) index: u32,
}

/// Issues operations while a warp executes. The scheduler determines the delay of the completion.
#[derive(Debug)]
pub(crate) struct Starter<'a> {
    pub(crate) in_flight: &'a mut InFlight,
    pub(crate) schedule: &'a mut Schedule,
}

impl Starter<'_> {
    /// Issues an operation. The issuing instruction stops the warp with `Stop::Turn`, so that the operation can
    /// complete before the next step of the warp.
    pub(crate) fn start(&mut self, operation: PendingOperation) -> PendingId {
        let delay = self.schedule.landing_delay();
        self.in_flight.start(operation, delay)
    }

    /// Schedules a `wgmma` with [`InFlight::join_product`], relative to `step`.
    pub(crate) fn join_product(&mut self, group: GroupProduct, n_warps: usize, step: u64) {
        let delay = self.schedule.landing_delay();
        self.in_flight.join_product(group, n_warps, step + delay);
    }
}
