//! Operations in flight: started by one step, completed by a later one.

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

/// Steps between the start of an operation and its completion, in the natural order (seed 0).
pub(crate) const NATURAL_DELAY: u64 = 32;

/// Groups that each lane of a warp has made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Groups {
    made: [[u32; 32]; 3],
    /// Products of a warpgroup that the warp has started.
    products: u32,
    /// By plan of a product: the last that has been started and not waited for.
    open: Vec<OpenProduct>,
}

/// A product that the warp has started and not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenProduct {
    pub(crate) plan: u32,
    /// Where its registers begin.
    pub(crate) base: BankSizes,
    /// The group that it is in, or will be.
    pub(crate) group: u32,
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
}

impl Groups {
    /// Groups that a lane has made.
    pub(crate) fn made(&self, kind: GroupKind, lane: usize) -> u32 {
        let [copies, bulk, products] = &self.made;
        let row = match kind {
            GroupKind::Copies => copies,
            GroupKind::Bulk => bulk,
            GroupKind::Products => products,
        };
        row[lane & 31]
    }

    /// The number of a product that the warp starts now.
    pub(crate) fn next_product(&mut self) -> u32 {
        self.products = self.products.wrapping_add(1);
        self.products.wrapping_sub(1)
    }

    /// Notes that a product is started.
    pub(crate) fn open(&mut self, product: OpenProduct) {
        self.open.retain(|other| other.plan != product.plan);
        self.open.push(product);
    }

    /// Products that are started and not waited for.
    pub(crate) fn open_products(&self) -> &[OpenProduct] {
        &self.open
    }

    /// All but the latest `n` groups of products are waited for.
    pub(crate) fn close(&mut self, n: u32) {
        let first = self.made(GroupKind::Products, 0).saturating_sub(n);
        self.open.retain(|product| product.group >= first);
    }

    /// Lanes make a group of what they have started and not grouped yet.
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

/// All operations in flight, by when they land.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InFlight {
    /// In the order of what is due, then of when they were put here.
    operations: Vec<Arc<Pending>>,
    started: u64,
}

impl InFlight {
    pub(crate) fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Operations that were put here.
    pub(crate) fn n_started(&self) -> u64 {
        self.started
    }

    pub(crate) fn all(&self) -> &[Arc<Pending>] {
        &self.operations
    }

    /// Adds an operation; `delay` is what the schedule adds to its earliest step.
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

    /// Puts an operation whose source is read back.
    pub(crate) fn put_back(&mut self, pending: Pending) {
        self.take(pending.id);
        self.insert(pending);
    }

    /// The step at which something becomes of the next one by itself.
    #[inline(always)]
    pub(crate) fn next_landing(&self) -> Option<u64> {
        self.operations.first().map(|p| p.due())
    }

    /// The operation that was started last, while it is in flight.
    pub(crate) fn latest(&self) -> Option<PendingId> {
        let id = PendingId(self.started.checked_sub(1)?);
        self.get(id).map(|pending| pending.id)
    }

    /// The operation that is due next: it reads its source, or lands.
    pub(crate) fn first(&self) -> Option<Turn> {
        self.operations.first().map(|p| match p.reads_at {
            Some(_) => Turn::Read(p.id),
            None => Turn::InFlight(p.id),
        })
    }

    pub(crate) fn get(&self, id: PendingId) -> Option<&Arc<Pending>> {
        self.operations.iter().find(|p| p.id == id)
    }

    /// The operation itself, or one that must land before it.
    pub(crate) fn first_of(&self, id: PendingId) -> Option<PendingId> {
        let operation = &self.get(id)?.operation;
        let mut before = operation.after.iter();
        let earlier = before.find_map(|earlier| self.first_of(*earlier));
        Some(earlier.unwrap_or(id))
    }

    /// Operations of a warp that are in one of its lanes' groups, with the lanes and the number of the group.
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

    /// Lets the parts of a product land, each after the one before it of its warp, once all `n_warps` of its warpgroup have started theirs.
    /// Until then they would land last of all.
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

    /// Takes an operation out.
    pub(crate) fn take(&mut self, id: PendingId) -> Option<Arc<Pending>> {
        let index = self.operations.iter().position(|p| p.id == id)?;
        Some(self.operations.remove(index))
    }

    /// Whether an operation comes from one of these blocks, or will write or wake something there.
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

/// A product of a warpgroup, which each of its warps starts for its own rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupProduct {
    /// Linear index of the block.
    pub(crate) block: u64,
    pub(crate) warpgroup: u32,
    /// Among the products of the warpgroup.
    pub(crate) index: u32,
}

/// Starts operations while a warp runs: the schedule chooses when they land.
#[derive(Debug)]
pub(crate) struct Starter<'a> {
    pub(crate) in_flight: &'a mut InFlight,
    pub(crate) schedule: &'a mut Schedule,
}

impl Starter<'_> {
    /// Puts an operation in flight. The instruction that does so ends its warp's run with `Stop::Turn`, so that the
    /// operation can land before the next step of the warp.
    pub(crate) fn start(&mut self, operation: PendingOperation) -> PendingId {
        let delay = self.schedule.landing_delay();
        self.in_flight.start(operation, delay)
    }

    /// As [`InFlight::join_product`], from a step on.
    pub(crate) fn join_product(&mut self, group: GroupProduct, n_warps: usize, step: u64) {
        let delay = self.schedule.landing_delay();
        self.in_flight.join_product(group, n_warps, step + delay);
    }
}
