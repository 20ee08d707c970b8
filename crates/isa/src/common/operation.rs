//! Operations: identifiers of instruction semantics, shared by the tables, the checked program and the emulator.
//!
//! Each table entry specifies an operation. Programs contain operations, and the decoder of the emulator matches exhaustively on the
//! operation. The variants are grouped by family. Each family has one file of forms in this crate and one file of semantics in the
//! emulator. The [`Modifiers`](crate::Modifiers) of an instruction specify the details (types, rounding, ordering, scope).

mod device_units;
mod participation;
mod synchronization;

pub use device_units::{
    ClusterLaunchControlOp, DeviceUnitOp, MultimemOp, StackOp, SurfaceOp, TensorCopyOp,
    TensorMapOp, TensorMemoryOp, TextureOp, WarpgroupOp,
};
pub use participation::ThreadParticipation;
pub use synchronization::AsyncTransferKind;

use crate::sass_op::SassOp;

/// Operation of an instruction form, by family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Elementwise operation with one result and up to four sources. The type of the instruction selects integer, floating-point or
    /// predicate arithmetic.
    Arithmetic(ArithmeticOp),
    /// Arithmetic that reads or writes the carry flag. [`Flag::Cc`](crate::Flag::Cc) marks the instructions that write the carry flag.
    Carry(CarryOp),
    /// Arithmetic on bytes, half-words and words of registers. An additional operand after the operands of the form encodes the selected
    /// bytes and half-words. See [`SubwordSelectors`](crate::video_selectors::SubwordSelectors).
    Video(VideoOp, SimdWidth),
    /// Comparison or selection.
    Compare(ComparisonOp),
    /// Moves and conversions between registers.
    Move(MoveOp),
    /// Memory accesses that complete before the next instruction of the lane.
    Memory(MemoryOp),
    /// Asynchronous memory accesses, and waits for them.
    Async(AsyncOp),
    /// Operations on mbarrier objects in shared memory.
    Mbarrier(MbarrierOp),
    /// Operations on matrices whose elements are distributed over the lanes of a warp.
    Matrix(MatrixOp),
    /// Control-flow instruction.
    Control(ControlOp),
    /// Barrier or fence.
    Sync(SyncOp),
    /// Data exchange between the lanes of a warp.
    Warp(WarpOp),
    /// Hints without effect on registers or memory.
    Hint(HintOp),
    /// Operations of device units outside the SIMT lanes: texture units, tensor memory, tensor copies, multi-device memory.
    Unit(DeviceUnitOp),
    /// Operations that exist only in SASS.
    Machine(SassOp),
    /// Opcode of the instruction set for which the tables contain no form. No table entry uses this variant.
    Unknown,
}

/// Defines one method per operation family. Each method returns the operation, or `None` for an operation of another family.
macro_rules! families {
    ($owner:ident: $($(#[$doc:meta])* $method:ident($family:ident) -> $operation:ident;)*) => {
        impl $owner {
            $($(#[$doc])*
            pub const fn $method(self) -> Option<$operation> {
                match self {
                    $owner::$family(operation) => Some(operation),
                    _ => None,
                }
            })*
        }
    };
}
use families;

families! {
    Operation:
    /// Returns the arithmetic operation with one result, or `None` if the operation belongs to another family.
    arithmetic(Arithmetic) -> ArithmeticOp;
    /// Returns the move or conversion between registers, or `None` if the operation belongs to another family.
    moves(Move) -> MoveOp;
    /// Returns the synchronous memory access, or `None` if the operation belongs to another family.
    memory(Memory) -> MemoryOp;
    /// Returns the matrix operation, or `None` if the operation belongs to another family.
    matrix(Matrix) -> MatrixOp;
    /// Returns the control-flow operation, or `None` if the operation belongs to another family.
    control(Control) -> ControlOp;
    /// Returns the operation of a device unit, or `None` if the operation belongs to another family.
    unit(Unit) -> DeviceUnitOp;
    /// Returns the mbarrier operation, or `None` if the operation belongs to another family.
    mbarrier(Mbarrier) -> MbarrierOp;
    /// Returns the exchange between the lanes of a warp, or `None` if the operation belongs to another family.
    warp(Warp) -> WarpOp;
    /// Returns the asynchronous memory access or the wait for asynchronous accesses, or `None` if the operation belongs to another family.
    asynchronous(Async) -> AsyncOp;
    /// Returns the barrier or fence, or `None` if the operation belongs to another family.
    sync(Sync) -> SyncOp;
    /// Returns the comparison or selection, or `None` if the operation belongs to another family.
    compare(Compare) -> ComparisonOp;
    /// Returns the hint, or `None` if the operation belongs to another family.
    hint(Hint) -> HintOp;
    /// Returns the operation that exists only in SASS, or `None` if the operation belongs to another family.
    machine(Machine) -> SassOp;
}

impl Operation {
    /// Returns whether the only effect of the operation is on its destination registers, so that the assembler may eliminate the operation
    /// if these registers are dead.
    pub const fn is_computation(self) -> bool {
        matches!(
            self,
            Operation::Arithmetic(_)
                | Operation::Carry(_)
                | Operation::Video(..)
                | Operation::Compare(_)
                | Operation::Move(_)
        )
    }

    /// Returns whether the operation shifts its first source to the left by its second source.
    pub const fn is_left_shift(self) -> bool {
        matches!(self, Operation::Arithmetic(ArithmeticOp::Shl))
    }

    /// Returns whether the operation shifts its first source to the right by its second source.
    pub const fn is_right_shift(self) -> bool {
        matches!(self, Operation::Arithmetic(ArithmeticOp::Shr))
    }

    /// Returns whether the operation initializes an mbarrier, whose last operand is the expected arrival count.
    pub const fn is_mbarrier_init(self) -> bool {
        matches!(self, Operation::Mbarrier(MbarrierOp::Init))
    }
}

/// Arithmetic operations with one result and up to four sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    /// Multiply-add, `a * b + c`. For floats, equivalent to [`ArithmeticOp::Fma`].
    Mad,
    Fma,
    Mul24,
    Mad24,
    Sad,
    Div,
    Rem,
    Abs,
    Neg,
    Min,
    Max,
    Rcp,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Lg2,
    Ex2,
    Tanh,
    Copysign,
    And,
    Or,
    Xor,
    Not,
    Cnot,
    /// Bitwise logic function of three sources. The fourth source is an immediate with the truth table.
    Lop3,
    Shl,
    Shr,
    /// Funnel shift. [`Flag::Left`](crate::Flag::Left) or [`Flag::Right`](crate::Flag::Right) specifies the direction.
    Shf,
    Popc,
    Clz,
    Brev,
    Bfind,
    Bfe,
    Bfi,
    Fns,
    Szext,
    Bmsk,
    Prmt,
    Dp4a,
    Dp2a,
}

/// Atomic operation with which a repair of a data race replaces the sequence of a load, an arithmetic operation and a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicUpdate {
    Add,
    /// Adds the negated second source to memory. The first source receives the old value.
    AddNegated,
    /// Adds the product of the first two sources to memory. The third source is the old value.
    AddProduct,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl AtomicUpdate {
    /// Returns the PTX modifier of the atomic operation.
    pub const fn operation(self) -> &'static str {
        match self {
            AtomicUpdate::Add | AtomicUpdate::AddNegated | AtomicUpdate::AddProduct => "add",
            AtomicUpdate::Min => "min",
            AtomicUpdate::Max => "max",
            AtomicUpdate::And => "and",
            AtomicUpdate::Or => "or",
            AtomicUpdate::Xor => "xor",
        }
    }
}

impl ArithmeticOp {
    /// Returns the number of sources that the operation reads from registers, up to three.
    pub const fn n_sources(self) -> usize {
        self.facts().0
    }

    /// Returns the atomic operation that replaces a load, this operation and a store, if one exists.
    pub const fn atomic_update(self) -> Option<AtomicUpdate> {
        self.facts().1
    }

    /// Returns the number of sources, and the equivalent atomic operation.
    const fn facts(self) -> (usize, Option<AtomicUpdate>) {
        use ArithmeticOp as A;
        match self {
            A::Add => (2, Some(AtomicUpdate::Add)),
            A::Sub => (2, Some(AtomicUpdate::AddNegated)),
            A::Min => (2, Some(AtomicUpdate::Min)),
            A::Max => (2, Some(AtomicUpdate::Max)),
            A::And => (2, Some(AtomicUpdate::And)),
            A::Or => (2, Some(AtomicUpdate::Or)),
            A::Xor => (2, Some(AtomicUpdate::Xor)),
            A::Mad | A::Fma => (3, Some(AtomicUpdate::AddProduct)),
            A::Abs
            | A::Neg
            | A::Rcp
            | A::Sqrt
            | A::Rsqrt
            | A::Sin
            | A::Cos
            | A::Lg2
            | A::Ex2
            | A::Tanh
            | A::Not
            | A::Cnot
            | A::Popc
            | A::Clz
            | A::Brev
            | A::Bfind => (1, None),
            A::Mul
            | A::Mul24
            | A::Div
            | A::Rem
            | A::Copysign
            | A::Shl
            | A::Shr
            | A::Szext
            | A::Bmsk => (2, None),
            A::Mad24
            | A::Sad
            | A::Lop3
            | A::Shf
            | A::Bfe
            | A::Bfi
            | A::Fns
            | A::Prmt
            | A::Dp4a
            | A::Dp2a => (3, None),
        }
    }
}

/// Video instructions (PTX ISA, "Video Instructions").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoOp {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    /// Mean of two values, rounded up.
    Average,
    Shl,
    Shr,
    Mad,
    /// 1 if the comparison is true, otherwise 0.
    Set,
}

/// Number of values that a video instruction processes in each register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SimdWidth {
    /// The register contains one value.
    One,
    /// The register contains two half-words.
    Two,
    /// The register contains four bytes.
    Four,
}

impl SimdWidth {
    /// Returns the number of values: 1, 2 or 4.
    pub const fn count(self) -> usize {
        match self {
            SimdWidth::One => 1,
            SimdWidth::Two => 2,
            SimdWidth::Four => 4,
        }
    }
}

/// Extended-precision operations. The PTX opcodes that end in `c` read the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarryOp {
    Add,
    Addc,
    Sub,
    Subc,
    Mad,
    Madc,
}

/// Operation that compares or selects values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComparisonOp {
    Setp,
    Set,
    Testp,
    Selp,
    Slct,
}

/// Moves and conversions between registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveOp {
    /// Copies a value, or packs or unpacks a vector.
    Mov,
    Cvt,
    /// Converts two floats and packs the results into one register, with the conversion of a in the upper half.
    CvtPacked,
    /// Saturates two integers to a narrower type and packs the results into the low bits of the result, below the low bits of c.
    CvtPack,
    Cvta,
    Isspacep,
    /// Creates a cache policy, an opaque 64-bit value.
    CreatePolicy,
    /// Maps an address to the corresponding address in the shared memory of another CTA of the cluster (`mapa`).
    Mapa,
    /// Returns the rank of the CTA whose shared memory contains an address (`getctarank`).
    GetCtaRank,
}

impl MoveOp {
    /// Returns whether the result has the same numeric value as the source, possibly in another type.
    pub const fn keeps_value(self) -> bool {
        matches!(self, MoveOp::Mov | MoveOp::Cvt)
    }

    /// Returns whether the result has the same bits as the source.
    pub const fn is_copy(self) -> bool {
        matches!(self, MoveOp::Mov)
    }
}

/// Effect of an access on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Load,
    Store,
    /// The access is an atomic read-modify-write.
    Atomic,
}

/// Operation that accesses memory synchronously.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOp {
    Load,
    Store,
    /// Atomic read-modify-write. The first operand receives the old value.
    Atomic,
    /// Atomic operation without a result.
    Reduction,
    /// Zeroes a range of shared memory.
    StoreBulk,
}

impl MemoryOp {
    /// Returns the kind of the access of each lane to the elements at its address, or `None` for operations that fill an address range.
    pub const fn access(self) -> Option<AccessKind> {
        match self {
            MemoryOp::Load => Some(AccessKind::Load),
            MemoryOp::Store => Some(AccessKind::Store),
            MemoryOp::Atomic | MemoryOp::Reduction => Some(AccessKind::Atomic),
            MemoryOp::StoreBulk => None,
        }
    }

    /// Returns whether the operation is an atomic operation without a result (`red`).
    pub const fn is_reduction(self) -> bool {
        matches!(self, MemoryOp::Reduction)
    }

    /// Returns whether the operation stores registers unmodified (`st`).
    pub const fn is_plain_store(self) -> bool {
        matches!(self, MemoryOp::Store)
    }
}

/// Operation that accesses memory asynchronously.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncOp {
    /// `st.async`
    Store,
    /// `red.async`
    Reduction,
    /// `cp.async`
    Copy,
    /// `cp.async.commit_group`
    CopyCommit,
    /// `cp.async.wait_group`
    CopyWait,
    /// `cp.async.wait_all`
    CopyWaitAll,
    /// `cp.async.mbarrier.arrive`
    CopyArrive,
    /// `cp.async.bulk`
    BulkCopy,
    /// `cp.reduce.async.bulk`
    BulkReduction,
    /// `cp.async.bulk.commit_group`
    BulkCommit,
    /// `cp.async.bulk.wait_group`
    BulkWait,
}

impl AsyncOp {
    /// Returns whether the operation waits for `cp.async` copies of the executing thread.
    pub const fn waits_for_own_copies(self) -> bool {
        matches!(self, AsyncOp::CopyWait | AsyncOp::CopyWaitAll)
    }

    /// Returns the index of the source address operand, or `None` if the source is not an address.
    pub const fn source(self) -> Option<usize> {
        match self {
            AsyncOp::Copy | AsyncOp::BulkCopy | AsyncOp::BulkReduction => Some(1),
            _ => None,
        }
    }
}

/// Operations on mbarrier objects (PTX ISA, "mbarrier").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbarrierOp {
    Init,
    Inval,
    /// Arrive-on operation. [`Flag::ExpectTx`](crate::Flag::ExpectTx) adds an expect-tx operation before the arrive-on operation.
    Arrive,
    /// Arrive-on operation that also decrements the expected arrival count of later phases.
    ArriveDrop,
    ExpectTx,
    CompleteTx,
    /// Non-blocking test for the completion of a phase.
    TestWait,
    /// Like [`MbarrierOp::TestWait`], but blocks for a limited time.
    TryWait,
    /// Extracts the pending arrival count from a phase state.
    PendingCount,
    CheckLayout,
}

impl MbarrierOp {
    /// Returns whether the last operand is a transaction count in bytes.
    pub const fn is_expectation(self) -> bool {
        matches!(self, MbarrierOp::ExpectTx)
    }
}

/// Operation on matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOp {
    /// `wmma.load.a`, `wmma.load.b`, `wmma.load.c`: loads rows or columns from memory into fragments.
    WmmaLoadA,
    WmmaLoadB,
    WmmaLoadC,
    WmmaStore,
    /// `wmma.mma`: D = A * B + C on fragments with the layouts of `wmma.load`.
    WmmaMma,
    /// `mma`: D = A * B + C on fragments with a documented layout.
    Mma,
    /// `mma` with scale factors for each block of A and B along k (`.block_scale`).
    MmaBlockScaled,
    /// `mma` with a sparse A: the registers contain half of the elements of A, and metadata specifies their positions.
    MmaSparse,
    /// Sparse matrix multiply-accumulate with block scaling (`mma.sp` with `.block_scale`).
    MmaSparseBlockScaled,
    /// Loads rows of matrices from shared memory into fragments. Each lane provides the address of a row.
    Ldmatrix,
    /// Stores fragments to rows of matrices in shared memory.
    Stmatrix,
}

impl MatrixOp {
    /// Returns whether A and B have scale factors.
    pub const fn is_scaled(self) -> bool {
        matches!(
            self,
            MatrixOp::MmaBlockScaled | MatrixOp::MmaSparseBlockScaled
        )
    }

    /// Returns whether A is sparse.
    pub const fn is_sparse(self) -> bool {
        matches!(self, MatrixOp::MmaSparse | MatrixOp::MmaSparseBlockScaled)
    }

    /// Returns the kind of the memory access, or `None` for matrix multiplications.
    pub const fn access(self) -> Option<AccessKind> {
        match self {
            MatrixOp::WmmaLoadA
            | MatrixOp::WmmaLoadB
            | MatrixOp::WmmaLoadC
            | MatrixOp::Ldmatrix => Some(AccessKind::Load),
            MatrixOp::WmmaStore | MatrixOp::Stmatrix => Some(AccessKind::Store),
            _ => None,
        }
    }
}

/// Operation that changes the control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlOp {
    Branch,
    BranchIndexed,
    Call,
    Return,
    Exit,
    Trap,
    Breakpoint,
    /// Pushes a reconvergence point for lanes that diverge after this operation (SASS `BSSY`).
    PushReconvergence,
    /// Waits at a reconvergence point for all participating lanes (SASS `BSYNC`).
    Reconverge,
    /// Waits at a reconvergence point until all participating lanes arrive or a waiting lane yields (SASS `BSYNC` on targets that
    /// distinguish `BSYNC.RECONVERGENT`).
    ReconvergeYieldable,
    /// Yields to lanes that wait at a reconvergence point which permits yielding (SASS `YIELD`).
    Yield,
    /// Removes the active lanes from a reconvergence point, so that the other participants do not wait for them (SASS `BREAK`).
    BreakReconvergence,
    /// Jumps to the code address in a register (SASS `BRX`, `RET`).
    BranchIndirect,
    /// Branches to a label if not all lanes of the mask are converged (SASS `BRA.DIV`).
    BranchDivergent,
}

impl ControlOp {
    /// Returns whether lanes that execute the operation exit or return to their caller.
    pub const fn exits_function(self) -> bool {
        matches!(self, ControlOp::Return | ControlOp::Exit)
    }

    /// Returns whether the operation is a function call.
    pub const fn is_call(self) -> bool {
        matches!(self, ControlOp::Call)
    }

    /// Returns whether the operation determines the next instruction: a branch to a single label, a return or an exit.
    pub const fn transfers_control(self) -> bool {
        self.is_branch() || self.exits_function()
    }

    /// Returns whether the operation branches to a single label, so that lanes diverge if its predicate is not uniform.
    pub const fn is_branch(self) -> bool {
        matches!(self, ControlOp::Branch)
    }
}

/// Operation that synchronizes threads or orders memory accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncOp {
    /// `bar`: every thread of the warp participates.
    Bar,
    /// `barrier`: like `bar`, but without [`Flag::Aligned`](crate::Flag::Aligned) the lanes of a warp need not execute the barrier
    /// together.
    Barrier,
    WarpBarrier,
    /// `fence`, and fences of SASS.
    Fence,
    /// `membar`, a sequentially consistent fence.
    Membar,
    /// Arrives at the cluster barrier.
    ClusterArrive,
    /// Waits at the cluster barrier.
    ClusterWait,
}

/// Data exchange between the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpOp {
    Shuffle,
    Vote,
    Match,
    ActiveMask,
    Redux,
    Elect,
    /// Transposes an 8x8 matrix whose rows are distributed over the lanes (`movmatrix`).
    Movmatrix,
}

/// Operation that does not affect results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintOp {
    Prefetch,
    ApplyPriority,
    Discard,
    /// Yields to other warps (`nanosleep`).
    Nanosleep,
    Pmevent,
    /// Orders dependent grids. The operation has no effect in the emulator, which runs a single grid.
    GridDependency,
    SetMaxRegisters(RegisterCountDirection),
    /// Prefetches an address range into a cache.
    BulkPrefetch,
}

/// Direction of `setmaxnreg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterCountDirection {
    /// `.inc`: requests registers.
    Increase,
    /// `.dec`: releases registers.
    Decrease,
}

impl HintOp {
    /// Returns the direction in which `setmaxnreg` changes the register count of each thread, or `None` for other hints.
    pub const fn register_change(self) -> Option<RegisterCountDirection> {
        match self {
            HintOp::SetMaxRegisters(change) => Some(change),
            _ => None,
        }
    }
}
