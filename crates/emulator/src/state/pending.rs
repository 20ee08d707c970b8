//! Operations in flight: started by one step, completed by a later one.

use crate::run::event::{PendingId, Turn, WarpId};
use crate::run::schedule::Schedule;
use crate::state::registers::BankSizes;
use crate::state::tensor_memory::TensorMemoryWork;
use crate::state::tensor_transfer::{TensorDirection, TensorTransfer};
use crate::state::warpgroup::WarpgroupProduct;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use warpgrid_isa::{AtomicOp, ScalarType, StateSpace};
use warpgrid_program::FunctionId;

/// Steps between the start of an operation and its completion, in the natural order (seed 0).
pub(crate) const NATURAL_DELAY: u64 = 32;

/// The instruction that started an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingOrigin {
    /// The number of the step.
    pub step: u64,
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
}

impl PendingOrigin {
    /// The warp that started it.
    pub(crate) const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// The bytes of a piece: sixteen or fewer need no memory of their own, and are copied as a whole.
#[derive(Debug, PartialEq, Eq)]
pub struct PieceBytes(SmallVec<[u8; 16]>);

impl PieceBytes {
    /// These bytes.
    pub fn from_slice(bytes: &[u8]) -> PieceBytes {
        PieceBytes(SmallVec::from_slice(bytes))
    }

    /// As many zeros.
    pub fn zeros(n: usize) -> PieceBytes {
        PieceBytes(SmallVec::from_elem(0, n))
    }
}

impl Clone for PieceBytes {
    fn clone(&self) -> PieceBytes {
        PieceBytes::from_slice(&self.0)
    }
}

impl From<Vec<u8>> for PieceBytes {
    fn from(bytes: Vec<u8>) -> PieceBytes {
        PieceBytes::from_slice(&bytes)
    }
}

impl Deref for PieceBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for PieceBytes {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Bytes that an operation writes when it lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingPiece {
    /// The lane that the write is attributed to.
    pub lane: u32,
    /// `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is written.
    pub block: u64,
    /// In that space: an offset for shared memory.
    pub address: u64,
    /// What it brings; until its source is read, what the source held at the start.
    pub bytes: PieceBytes,
    /// Where the bytes of a copy come from, until they are read.
    pub source: Option<PendingSource>,
    /// How the bytes are combined, as elements of this type, with what memory holds when they land; `None` replaces it.
    pub reduces: Option<Reduction>,
}

/// How bytes are combined with those that memory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    pub op: AtomicOp,
    /// Of the elements.
    pub ty: ScalarType,
    /// An addition makes zero of subnormals, before and after.
    pub flushes: bool,
}

/// A place that a copy reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingSource {
    /// `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is read.
    pub block: u64,
    /// In that space: an offset for shared memory.
    pub address: u64,
    pub form: SourceForm,
}

/// How the bytes of a source become those of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceForm {
    /// As they are.
    #[default]
    Bytes,
    /// Rounded to the nearest float of 10 bits of fraction, ties to even (measured on an H100): loads of `tf32`.
    Tf32,
    /// The low 6 bits of each of 16 bytes, packed into 12: stores of `u6_align16`. That the upper two bits are not looked at is our choice.
    Sixes,
}

impl SourceForm {
    /// Bytes that are read for a number of them that are written.
    pub const fn n_read(self, n_written: usize) -> usize {
        match self {
            SourceForm::Bytes | SourceForm::Tf32 => n_written,
            SourceForm::Sixes => n_written / 12 * 16,
        }
    }

    /// Puts what was read into what is written.
    pub(crate) fn take(self, read: &[u8], written: &mut [u8]) {
        match self {
            SourceForm::Bytes => written.copy_from_slice(read),
            SourceForm::Tf32 => {
                let words = read.chunks_exact(4).zip(written.chunks_exact_mut(4));
                for (from, to) in words {
                    let bits = from.iter().rev();
                    let bits = bits.fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
                    to.copy_from_slice(&rounded_to_tf32(bits).to_le_bytes());
                }
            }
            SourceForm::Sixes => {
                let sixteens = read.chunks_exact(16).zip(written.chunks_exact_mut(12));
                for (from, to) in sixteens {
                    let values = from.iter().rev();
                    let packed = values.fold(0u128, |all, value| all << 6 | u128::from(value & 63));
                    to.copy_from_slice(&packed.to_le_bytes()[..12]);
                }
            }
        }
    }
}

/// Bits of a float that a load rounds to `tf32`.
const fn rounded_to_tf32(bits: u32) -> u32 {
    const DROPPED: u32 = 13;
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return 0x7fff_e000;
    }
    let is_odd = bits >> DROPPED & 1;
    let rounded = bits + (1 << (DROPPED - 1)) - 1 + is_odd;
    rounded >> DROPPED << DROPPED
}

/// The kinds of groups that a thread makes of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Of `cp.async`.
    Copies,
    /// Of `cp.async.bulk`.
    Bulk,
    /// Of `wgmma.mma_async`.
    Products,
}

/// Who is woken when an operation lands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingCompletion {
    /// Only those that wait for memory.
    None,
    /// The mbarrier at this address in the shared memory of a block counts the bytes as landed; those that wait for a
    /// phase that this completes are woken.
    Mbarrier {
        block: u64,
        address: u64,
        bytes: u32,
    },
    /// Threads arrive at the mbarrier at this address in the shared memory of a block.
    Arrival {
        block: u64,
        address: u64,
        count: u32,
    },
    /// Those of the warp that started it that wait for asynchronous groups. `number` counts the groups that the lanes had
    /// made before.
    AsyncGroup { kind: GroupKind, number: u32 },
}

/// What an operation will do; see [`Pending`] for one that is in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingOperation {
    pub origin: PendingOrigin,
    /// Written in this order.
    pub pieces: Vec<PendingPiece>,
    /// What it does by rule instead.
    pub work: Work,
    pub completion: PendingCompletion,
    /// It does not land by itself before this step.
    pub earliest_step: u64,
    /// Operations that land before it.
    pub after: Vec<PendingId>,
}

/// What an operation does that is said by a rule, as long as it is in flight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Work {
    /// Nothing beyond its pieces.
    #[default]
    Pieces,
    /// Moves a part of a tensor, which becomes pieces when it reads or lands.
    Tensor(Box<TensorTransfer>),
    /// Nothing beyond its pieces, which are those of this copy.
    TensorPieces(Box<TensorTransfer>),
    /// Writes registers of the warp that started it.
    Product(Box<WarpgroupProduct>),
    /// Asks for a cluster that has not started; the answer, and the bytes that mbarriers count, go to these blocks.
    Cancel {
        lane: u32,
        blocks: Vec<u64>,
        address: u64,
        object: u64,
    },
    /// Writes tensor memory of a block, or of a pair.
    TensorMemory(Box<TensorMemoryWork>),
}

impl Work {
    /// Whether it is a copy that a tensor map describes.
    pub fn is_tensor_copy(&self) -> bool {
        matches!(self, Work::Tensor(_) | Work::TensorPieces(_))
    }
}

/// An operation in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub id: PendingId,
    /// The step before which it lands, unless nothing else can run earlier or a host asks for it.
    pub lands_at: u64,
    /// The step before which it reads its source, where threads can wait for that alone (PTX ISA,
    /// "cp.async.bulk.wait_group"), until it has. Other copies read as they land.
    pub reads_at: Option<u64>,
    pub operation: PendingOperation,
}

impl PendingOperation {
    /// Whether the source is read in a step of its own.
    fn reads_apart(&self) -> bool {
        let bulk = matches!(
            self.completion,
            PendingCompletion::AsyncGroup {
                kind: GroupKind::Bulk,
                ..
            }
        );
        let reads = match &self.work {
            Work::Pieces | Work::TensorPieces(_) => {
                self.pieces.iter().any(|piece| piece.source.is_some())
            }
            Work::Tensor(transfer) => transfer.direction == TensorDirection::Store,
            Work::Product(_) | Work::TensorMemory(_) | Work::Cancel { .. } => false,
        };
        bulk && reads
    }

    /// The pieces that it will write, those of a rule as well.
    pub fn all_pieces(&self) -> Cow<'_, [PendingPiece]> {
        match &self.work {
            Work::Pieces
            | Work::TensorPieces(_)
            | Work::Product(_)
            | Work::TensorMemory(_)
            | Work::Cancel { .. } => Cow::Borrowed(&self.pieces),
            Work::Tensor(transfer) => Cow::Owned(transfer.pieces()),
        }
    }

    /// The same operation with its rule as pieces.
    pub(crate) fn spelled_out(&self) -> PendingOperation {
        let mut operation = self.clone();
        if let Work::Tensor(transfer) = &self.work {
            operation.pieces = transfer.pieces();
            operation.work = Work::TensorPieces(transfer.clone());
        }
        operation
    }
}

impl Pending {
    /// The same operation with its rule as pieces.
    pub(crate) fn spelled_out(&self) -> Pending {
        Pending {
            operation: self.operation.spelled_out(),
            ..self.clone()
        }
    }

    /// The step before which something becomes of it.
    fn due(&self) -> u64 {
        self.reads_at.unwrap_or(self.lands_at)
    }

    /// The lanes that its pieces belong to.
    pub(crate) fn lanes(&self) -> u32 {
        let pieces = self.operation.pieces.iter();
        let lanes = pieces.fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31));
        match &self.operation.work {
            Work::Pieces => lanes,
            Work::Tensor(transfer) | Work::TensorPieces(transfer) => {
                lanes | 1 << (transfer.lane & 31)
            }
            Work::Product(_) => u32::MAX,
            Work::TensorMemory(work) => lanes | 1 << (work.lane & 31),
            Work::Cancel { lane, .. } => lanes | 1 << (lane & 31),
        }
    }
}

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
