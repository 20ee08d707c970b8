//! Types for asynchronous operations in flight: their origin, the bytes that they will write, and their completion
//! mechanisms.

use crate::contract::agent::{AsyncOperationId, WarpId};
use crate::contract::tensor_transfer::{TensorCopy, TensorCopyDirection};
use crate::contract::wgmma_operation::WgmmaOperation;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use warpgrid_isa::{AtomicOp, ScalarType, StateSpace};
use warpgrid_program::FunctionId;

/// Operation on tensor memory in flight, with the register operands that were read when it was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMemoryOperation {
    /// Index of the plan in the decoded code.
    pub(crate) plan: u32,
    /// Tensor memory address of D, or destination address of a copy.
    pub(crate) d: u32,
    /// Descriptor of matrix A or of the source of a copy, or tensor memory address of matrix A.
    pub(crate) a: u64,
    pub(crate) b: u64,
    pub(crate) descriptor: u32,
    pub(crate) adds: bool,
    /// Mask of the tensor memory lanes of both blocks in which the operation does not write rows of D.
    pub(crate) left_out: [u32; 8],
    pub(crate) factors: [u32; 2],
    pub(crate) metadata: u32,
    /// Mask of the columns of B that are treated as zero.
    pub(crate) zeros: u64,
    pub(crate) lane: u32,
    /// Linear indices of the participating blocks, with the lower rank first.
    pub(crate) blocks: Vec<u64>,
}

/// Instruction that issued an asynchronous operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncOrigin {
    /// Number of the step in which the operation was issued.
    pub step: u64,
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    /// Index of the issuing instruction in its function.
    pub instruction: u32,
}

impl AsyncOrigin {
    /// Returns the warp that issued the operation.
    pub(crate) const fn warp_id(&self) -> WarpId {
        WarpId {
            block: self.block,
            warp: self.warp,
        }
    }
}

/// Bytes of an [`AsyncWrite`], of which up to 16 bytes are stored inline.
#[derive(Debug, PartialEq, Eq)]
pub struct PieceBytes(SmallVec<[u8; 16]>);

impl PieceBytes {
    /// Creates the bytes of a piece from a copy of a slice.
    pub fn from_slice(bytes: &[u8]) -> PieceBytes {
        PieceBytes(SmallVec::from_slice(bytes))
    }

    /// Returns `n` zero bytes.
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

/// Bytes that an asynchronous operation writes on completion, with their destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncWrite {
    /// Lane to which the write is attributed.
    pub lane: u32,
    /// State space of the write: `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is written.
    pub block: u64,
    /// Destination address in the state space. For shared memory, the address is an offset.
    pub address: u64,
    /// Bytes to write. Until the operation reads its source, these bytes are the contents of the source at the time of
    /// the issue.
    pub bytes: PieceBytes,
    /// Source of a copy, or `None` after the source has been read.
    pub source: Option<AsyncSource>,
    /// Reduction of the bytes with the contents of memory at completion, or `None` if the bytes replace the contents.
    pub reduces: Option<Reduction>,
}

/// Reduction that an asynchronous operation performs on the contents of memory: operation and element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    pub op: AtomicOp,
    /// Element type.
    pub ty: ScalarType,
    /// Whether an addition flushes subnormal inputs and results to zero.
    pub flushes: bool,
}

/// Source of an asynchronous copy: state space, address and conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsyncSource {
    /// State space of the source: `Global` or `Shared`.
    pub space: StateSpace,
    /// Linear index of the block whose shared memory is read.
    pub block: u64,
    /// Source address in the state space. For shared memory, the address is an offset.
    pub address: u64,
    pub form: SourceConversion,
}

/// Conversion that a copy applies to its source bytes before it writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceConversion {
    /// The bytes are not converted.
    #[default]
    Bytes,
    /// Conversion of `tf32` loads: each number is rounded to the nearest float with a 10-bit fraction, ties to even
    /// (measured on an H100).
    Tf32,
    /// Conversion of `u6_align16` stores: the low 6 bits of each of 16 bytes are packed into 12 bytes. The PTX ISA does
    /// not define the upper two bits of the source bytes, and the emulator ignores them.
    Sixes,
}

impl SourceConversion {
    /// Returns the number of source bytes that are required for a number of written bytes.
    pub const fn n_read(self, n_written: usize) -> usize {
        match self {
            SourceConversion::Bytes | SourceConversion::Tf32 => n_written,
            SourceConversion::Sixes => n_written / 12 * 16,
        }
    }

    /// Converts source bytes to written bytes.
    pub(crate) fn take(self, read: &[u8], written: &mut [u8]) {
        match self {
            SourceConversion::Bytes => written.copy_from_slice(read),
            SourceConversion::Tf32 => {
                let words = read.chunks_exact(4).zip(written.chunks_exact_mut(4));
                for (from, to) in words {
                    let bits = from.iter().rev();
                    let bits = bits.fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
                    to.copy_from_slice(&rounded_to_tf32(bits).to_le_bytes());
                }
            }
            SourceConversion::Sixes => {
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

/// Rounds the bits of an `f32` to `tf32`.
pub(crate) const fn rounded_to_tf32(bits: u32) -> u32 {
    const DROPPED: u32 = 13;
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        return 0x7fff_e000;
    }
    let is_odd = bits >> DROPPED & 1;
    let rounded = bits + (1 << (DROPPED - 1)) - 1 + is_odd;
    rounded >> DROPPED << DROPPED
}

/// Kind of an async-group, which the committing and waiting instructions determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AsyncGroupKind {
    /// Async-groups of `cp.async`.
    Copies,
    /// Bulk async-groups of `cp.async.bulk`.
    Bulk,
    /// wgmma-groups of `wgmma.mma_async`.
    Products,
}

/// Operands of an instruction that waits for async-groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupWait {
    pub kind: AsyncGroupKind,
    /// Number of latest groups that may remain pending. The value `None` represents a wait for all operations,
    /// including operations that do not belong to a group.
    pub latest: Option<u32>,
    /// Whether the instruction waits only until the sources have been read.
    pub reads: bool,
}

/// Completion mechanism of an asynchronous operation, which makes its completion visible to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompletionMechanism {
    /// The operation has no completion mechanism. Only threads that poll memory can observe the completion.
    None,
    /// Decrements the tx-count of the mbarrier at this address in the shared memory of a block. If the phase completes,
    /// the threads that wait for the phase continue.
    Mbarrier {
        block: u64,
        address: u64,
        bytes: u32,
    },
    /// The operation arrives at the mbarrier at this address in the shared memory of a block.
    Arrival {
        block: u64,
        address: u64,
        count: u32,
    },
    /// The operation belongs to an async-group of the warp that issued it. `number` is the number of groups that the
    /// lanes had committed before the operation.
    AsyncGroup { kind: AsyncGroupKind, number: u32 },
}

/// Effect and constraints of an asynchronous operation. An [`InFlightOperation`] combines this effect with the schedule
/// of the operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AsyncOperation {
    pub origin: AsyncOrigin,
    /// Bytes that the operation writes, in the order of the list.
    pub pieces: Vec<AsyncWrite>,
    /// Effect of the operation in addition to its pieces.
    pub work: AsyncEffect,
    pub completion: CompletionMechanism,
    /// First step in which the scheduler may complete the operation.
    pub earliest_step: u64,
    /// Operations that must complete before this operation.
    pub depends_on: Vec<AsyncOperationId>,
}

/// Effect of an asynchronous operation in addition to its pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AsyncEffect {
    /// The operation only writes its pieces.
    #[default]
    Pieces,
    /// Copies a box of a tensor. The emulator splits the box into pieces when the operation reads its source or
    /// completes.
    Tensor(Box<TensorCopy>),
    /// The operation only writes its pieces, into which this tensor copy was split.
    TensorPieces(Box<TensorCopy>),
    /// Writes registers of the warp that issued the operation.
    Product(Box<WgmmaOperation>),
    /// Requests the cancellation of a cluster that has not started. The response is written to these blocks, and the
    /// mbarriers of these blocks count its bytes.
    Cancel {
        lane: u32,
        blocks: Vec<u64>,
        address: u64,
        object: u64,
    },
    /// Writes tensor memory of a block, or of a pair of blocks.
    TensorMemory(Box<TensorMemoryOperation>),
}

impl AsyncEffect {
    /// Checks whether the operation is a tensor copy.
    pub fn is_tensor_copy(&self) -> bool {
        matches!(self, AsyncEffect::Tensor(_) | AsyncEffect::TensorPieces(_))
    }
}

/// Asynchronous operation in flight, with the steps in which it reads its source and completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InFlightOperation {
    pub id: AsyncOperationId,
    /// Step at which the operation completes, unless no warp is runnable before this step or a host requests an earlier
    /// completion.
    pub completes_at: u64,
    /// Step at which the operation reads its source, or `None` after the read. The operation reads its source before
    /// its completion only if threads can wait for the read (PTX ISA, "cp.async.bulk.wait_group").
    pub reads_at: Option<u64>,
    pub operation: AsyncOperation,
}

impl AsyncOperation {
    /// Checks whether the source is read in a separate step before the completion of the operation.
    pub(crate) fn reads_apart(&self) -> bool {
        let bulk = matches!(
            self.completion,
            CompletionMechanism::AsyncGroup {
                kind: AsyncGroupKind::Bulk,
                ..
            }
        );
        let reads = match &self.work {
            AsyncEffect::Pieces | AsyncEffect::TensorPieces(_) => {
                self.pieces.iter().any(|piece| piece.source.is_some())
            }
            AsyncEffect::Tensor(transfer) => transfer.direction == TensorCopyDirection::Store,
            AsyncEffect::Product(_) | AsyncEffect::TensorMemory(_) | AsyncEffect::Cancel { .. } => {
                false
            }
        };
        bulk && reads
    }

    /// Returns the pieces that the operation will write, including the pieces of a tensor copy.
    pub fn all_pieces(&self) -> Cow<'_, [AsyncWrite]> {
        match &self.work {
            AsyncEffect::Pieces
            | AsyncEffect::TensorPieces(_)
            | AsyncEffect::Product(_)
            | AsyncEffect::TensorMemory(_)
            | AsyncEffect::Cancel { .. } => Cow::Borrowed(&self.pieces),
            AsyncEffect::Tensor(transfer) => Cow::Owned(transfer.pieces()),
        }
    }

    /// Returns the operation with its tensor copy split into pieces.
    pub(crate) fn expand_pieces(&self) -> AsyncOperation {
        let mut operation = self.clone();
        if let AsyncEffect::Tensor(transfer) = &self.work {
            operation.pieces = transfer.pieces();
            operation.work = AsyncEffect::TensorPieces(transfer.clone());
        }
        operation
    }
}

impl InFlightOperation {
    /// Returns the operation with its tensor copy split into pieces.
    pub(crate) fn expand_pieces(&self) -> InFlightOperation {
        InFlightOperation {
            operation: self.operation.expand_pieces(),
            ..self.clone()
        }
    }

    /// Returns the step of the operation's next event, which is the read of its source or its completion.
    pub(crate) fn due(&self) -> u64 {
        self.reads_at.unwrap_or(self.completes_at)
    }

    /// Returns the lanes to which the writes of the operation are attributed.
    pub(crate) fn lanes(&self) -> u32 {
        let pieces = self.operation.pieces.iter();
        let lanes = pieces.fold(0, |lanes, piece| lanes | 1 << (piece.lane & 31));
        match &self.operation.work {
            AsyncEffect::Pieces => lanes,
            AsyncEffect::Tensor(transfer) | AsyncEffect::TensorPieces(transfer) => {
                lanes | 1 << (transfer.lane & 31)
            }
            AsyncEffect::Product(_) => u32::MAX,
            AsyncEffect::TensorMemory(work) => lanes | 1 << (work.lane & 31),
            AsyncEffect::Cancel { lane, .. } => lanes | 1 << (lane & 31),
        }
    }
}
