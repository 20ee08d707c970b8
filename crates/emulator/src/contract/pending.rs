//! Asynchronous operations in flight: their origin, the bytes that they will write, and their completion mechanism.

use crate::contract::event::{PendingId, WarpId};
use crate::contract::tensor_transfer::{TensorDirection, TensorTransfer};
use crate::contract::warpgroup::WarpgroupProduct;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use warpgrid_isa::{AtomicOp, ScalarType, StateSpace};
use warpgrid_program::FunctionId;

/// An operation on tensor memory in flight: what registers held when it was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemoryWork {
    /// Which plan of the code it follows.
    pub(crate) plan: u32,
    /// The address of D, or where a copy goes.
    pub(crate) d: u32,
    /// A descriptor, or an address in tensor memory.
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) descriptor: u32,
    pub(crate) adds: bool,
    /// Lanes that are left out, of both blocks.
    pub(crate) left_out: [u32; 8],
    pub(crate) factors: [u32; 2],
    pub(crate) metadata: u32,
    /// Which columns of B count as zero.
    pub(crate) zeros: u64,
    pub(crate) lane: u32,
    /// Linear indices of the blocks: that of the lower rank first.
    pub(crate) blocks: Vec<u64>,
}

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
pub(crate) const fn rounded_to_tf32(bits: u32) -> u32 {
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
    pub(crate) fn reads_apart(&self) -> bool {
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
    pub(crate) fn due(&self) -> u64 {
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
