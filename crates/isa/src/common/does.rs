//! What an instruction does: the one meaning that the tables, the checked program and the emulator share.
//!
//! A row of the tables names it, a program carries it, and the emulator's decoder matches on it exhaustively.
//! Members are grouped by family: a family has one file of rows here and one file of semantics in the emulator.
//! What a form does in detail (types, rounding, order, scope) is said by its [`Modifiers`](crate::Modifiers).

mod order;
mod share;
mod units;

pub use order::Transfer;
pub use share::Share;
pub use units::{
    LaunchOp, MultimemOp, StackOp, SurfaceOp, TensorCopyOp, TensorMapOp, TensorMemoryOp, TextureOp,
    UnitOp, WarpgroupOp,
};

use crate::machine::MachineOp;

/// What a form does, by family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Does {
    /// One result from up to four sources, lane by lane; the types say whether integers, floats or predicates are meant.
    Arithmetic(ArithmeticOp),
    /// Arithmetic that reads or writes the carry flag; [`Flag::Cc`](crate::Flag::Cc) says whether it writes.
    Carry(CarryOp),
    /// Arithmetic on bytes, half words and words of registers; an operand after those of the row says which, see
    /// [`Selection`](crate::video::Selection).
    Video(VideoOp, VideoLanes),
    /// Comparisons and selections.
    Compare(CompareForm),
    /// Moves and conversions between registers.
    Move(MoveOp),
    /// Accesses to memory that are done when the next instruction of the lane starts.
    Memory(MemoryOp),
    /// Accesses to memory that are done at some later time, and waits for them.
    Async(AsyncOp),
    /// Operations on mbarrier objects in shared memory.
    Mbarrier(MbarrierOp),
    /// Operations on matrices whose elements are spread over the lanes of a warp.
    Matrix(MatrixOp),
    /// Where a lane goes next.
    Control(ControlOp),
    /// Barriers and fences.
    Sync(SyncOp),
    /// Exchange between the lanes of a warp.
    Warp(WarpOp),
    /// Hints that change neither registers nor memory.
    Hint(HintOp),
    /// What other units of the device do for the lanes: texture units, tensor memory, copies of tensors, groups of devices.
    Unit(UnitOp),
    /// What machine code does and no virtual instruction.
    Machine(MachineOp),
    /// An opcode of the language that the tables have no row for; no row says so.
    Unknown,
}

/// Defines a method per family. Each method returns the operation, or `None` for an operation of another family.
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
    Does:
    /// Returns the arithmetic operation with one result.
    arithmetic(Arithmetic) -> ArithmeticOp;
    /// Returns the move or conversion between registers.
    moves(Move) -> MoveOp;
    /// Returns the memory access that completes in its step.
    memory(Memory) -> MemoryOp;
    /// Returns the matrix operation.
    matrix(Matrix) -> MatrixOp;
    /// Returns the control-flow operation.
    control(Control) -> ControlOp;
    /// Returns the operation of a device unit.
    unit(Unit) -> UnitOp;
    /// Returns the mbarrier operation.
    mbarrier(Mbarrier) -> MbarrierOp;
    /// Returns the exchange between the lanes of a warp.
    warp(Warp) -> WarpOp;
    /// Returns the asynchronous memory access, or the wait for such accesses.
    asynchronous(Async) -> AsyncOp;
    /// Returns the barrier or fence.
    sync(Sync) -> SyncOp;
    /// Returns the comparison or selection.
    compare(Compare) -> CompareForm;
    /// Returns the hint.
    hint(Hint) -> HintOp;
}

impl Does {
    /// Whether its only effect is on the registers that it writes, so that an assembler may delete it where they are not used.
    pub const fn is_computation(self) -> bool {
        matches!(
            self,
            Does::Arithmetic(_)
                | Does::Carry(_)
                | Does::Video(..)
                | Does::Compare(_)
                | Does::Move(_)
        )
    }
}

/// Operations of one result over up to four sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    /// a*b+c; for floats the same as [`ArithmeticOp::Fma`].
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
    /// Three-input logic; the fourth source is the truth table, an immediate.
    Lop3,
    Shl,
    Shr,
    /// Funnel shift; [`Flag::Left`](crate::Flag::Left) or [`Flag::Right`](crate::Flag::Right) says where to.
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

/// The atomic operation that replaces a load, an arithmetic operation and a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicUpdate {
    Add,
    /// Adds the negated second source; the old value is the first.
    AddNegated,
    /// Adds the product of the first two sources; the old value is the third.
    AddProduct,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl AtomicUpdate {
    /// The word of the atomic operation.
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
    /// Sources that an operation reads from registers, up to three.
    pub const fn n_sources(self) -> usize {
        self.facts().0
    }

    /// Returns the atomic operation that stores the same result, if there is one.
    pub const fn atomic_update(self) -> Option<AtomicUpdate> {
        self.facts().1
    }

    /// The number of sources and the atomic operation.
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
    /// The mean, rounded up.
    Average,
    Shl,
    Shr,
    Mad,
    /// 1 where a comparison holds, else 0.
    Set,
}

/// How much a video instruction computes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VideoLanes {
    /// One value.
    One,
    /// Two half words.
    Two,
    /// Four bytes.
    Four,
}

impl VideoLanes {
    /// 1, 2 or 4.
    pub const fn count(self) -> usize {
        match self {
            VideoLanes::One => 1,
            VideoLanes::Two => 2,
            VideoLanes::Four => 4,
        }
    }
}

/// Operations of carry chains; those that end in `c` in PTX read the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarryOp {
    Add,
    Addc,
    Sub,
    Subc,
    Mad,
    Madc,
}

/// Comparisons and selections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareForm {
    Setp,
    Set,
    Testp,
    Selp,
    Slct,
}

/// Moves and conversions between registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveOp {
    /// Copies, packs and unpacks.
    Mov,
    Cvt,
    /// Two floats into one register, a in the high half.
    CvtPacked,
    /// Two integers, brought into the range of a narrower type, below those of c.
    CvtPack,
    Cvta,
    Isspacep,
    /// Makes a cache policy, an opaque 64-bit value.
    CreatePolicy,
    /// The address of the same place in the shared memory of another block of the cluster.
    MapToRank,
    /// The rank of the block whose shared memory an address is in.
    RankOf,
}

impl MoveOp {
    /// Whether the result is the value of the source, perhaps in another type.
    pub const fn keeps_value(self) -> bool {
        matches!(self, MoveOp::Mov | MoveOp::Cvt)
    }

    /// Whether the result has the bits of the source.
    pub const fn is_copy(self) -> bool {
        matches!(self, MoveOp::Mov)
    }
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Load,
    Store,
    /// Reads and writes in one.
    Atomic,
}

/// Accesses that are done in their step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOp {
    Load,
    Store,
    /// Reads and writes in one; the first operand takes the old value.
    Atomic,
    /// An atomic that returns nothing.
    Reduction,
    /// Zeroes a range of shared memory.
    StoreBulk,
}

impl MemoryOp {
    /// How each lane accesses the elements at its address; `None` for what fills a range.
    pub const fn access(self) -> Option<AccessKind> {
        match self {
            MemoryOp::Load => Some(AccessKind::Load),
            MemoryOp::Store => Some(AccessKind::Store),
            MemoryOp::Atomic | MemoryOp::Reduction => Some(AccessKind::Atomic),
            MemoryOp::StoreBulk => None,
        }
    }

    /// Whether it is an atomic that returns nothing: `red`.
    pub const fn returns_nothing(self) -> bool {
        matches!(self, MemoryOp::Reduction)
    }

    /// Whether registers are stored as they are: `st`.
    pub const fn is_plain_store(self) -> bool {
        matches!(self, MemoryOp::Store)
    }
}

/// Accesses that are done at some later time.
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
    /// Checks whether it waits for `cp.async` copies of the executing thread.
    pub const fn waits_for_own_copies(self) -> bool {
        matches!(self, AsyncOp::CopyWait | AsyncOp::CopyWaitAll)
    }

    /// The operand that is the address of what is read, by its place in the row.
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
    /// Arrives; [`Flag::ExpectTx`](crate::Flag::ExpectTx) expects bytes first.
    Arrive,
    /// Arrives, and is not expected in later phases.
    ArriveDrop,
    ExpectTx,
    CompleteTx,
    /// Tests whether a phase is complete.
    TestWait,
    /// As [`MbarrierOp::TestWait`], after waiting for a while.
    TryWait,
    /// Reads the arrivals that were pending out of a state.
    PendingCount,
    CheckLayout,
}

impl MbarrierOp {
    /// Whether its last operand is a number of bytes that the mbarrier is to expect.
    pub const fn is_expectation(self) -> bool {
        matches!(self, MbarrierOp::ExpectTx)
    }
}

/// Operations on matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixOp {
    /// `wmma.load.a`, `wmma.load.b`, `wmma.load.c`: rows or columns of memory to fragments.
    WmmaLoadA,
    WmmaLoadB,
    WmmaLoadC,
    WmmaStore,
    /// `wmma.mma`: D = A * B + C of fragments that `wmma.load` made.
    WmmaMma,
    /// `mma`: D = A * B + C of fragments that the manual describes.
    Mma,
    /// `mma` with a factor of each element of A and B for every block of k (`.block_scale`).
    MmaScaled,
    /// `mma` whose A holds half of its elements; metadata say which.
    MmaSparse,
    /// Both.
    MmaSparseScaled,
    /// Rows of matrices in shared memory to fragments; each lane gives the address of a row.
    Ldmatrix,
    /// Fragments to rows of matrices in shared memory.
    Stmatrix,
}

impl MatrixOp {
    /// Returns whether A and B have scale factors.
    pub const fn is_scaled(self) -> bool {
        matches!(self, MatrixOp::MmaScaled | MatrixOp::MmaSparseScaled)
    }

    /// Returns whether A is sparse.
    pub const fn is_sparse(self) -> bool {
        matches!(self, MatrixOp::MmaSparse | MatrixOp::MmaSparseScaled)
    }

    /// How the warp accesses memory; `None` for products.
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

/// Where a lane goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlOp {
    Branch,
    BranchIndexed,
    Call,
    Return,
    Exit,
    Trap,
    Breakpoint,
    /// Declares where lanes that part now meet again (`BSSY` of the machine).
    PushReconvergence,
    /// Waits for the lanes of a declaration (`BSYNC` of the machine).
    Reconverge,
    /// Waits for the lanes of a declaration until one of them gives way (`BSYNC` of the machine where `BSYNC.RECONVERGENT` is
    /// another instruction).
    ReconvergeUnlessYielded,
    /// Lets lanes go on that wait only until others give way (`YIELD` of the machine).
    GiveWay,
    /// Takes the lanes out of a declaration, so that no other waits for them (`BREAK` of the machine).
    LeaveReconvergence,
    /// Goes to the place in the code whose address a register holds (`BRX`, `RET` of the machine).
    BranchIndirect,
    /// Goes to a label where not all lanes of the mask are together (`BRA.DIV` of the machine).
    BranchDivergent,
}

impl ControlOp {
    /// Whether lanes end here, or go back to a caller.
    pub const fn leaves(self) -> bool {
        matches!(self, ControlOp::Return | ControlOp::Exit)
    }

    /// Whether it calls a function.
    pub const fn is_call(self) -> bool {
        matches!(self, ControlOp::Call)
    }

    /// Whether it goes to one label, so that under a predicate some lanes go there and others go on.
    pub const fn is_branch(self) -> bool {
        matches!(self, ControlOp::Branch)
    }
}

/// Barriers and fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncOp {
    /// `bar`: every thread of the warp takes part.
    Bar,
    /// `barrier`: as `bar`, where [`Flag::Aligned`](crate::Flag::Aligned) does not say that all lanes execute it together.
    Barrier,
    WarpBarrier,
    /// `fence`, and fences of machine code.
    Fence,
    /// `membar`, which states no memory order and is sequentially consistent.
    Membar,
    /// Arrives at the barrier of the cluster.
    ClusterArrive,
    /// Waits for the threads of the cluster.
    ClusterWait,
}

/// Exchange between the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarpOp {
    Shuffle,
    Vote,
    Match,
    ActiveMask,
    Redux,
    Elect,
    /// Transposes an 8 x 8 matrix whose rows are spread over the lanes.
    Movmatrix,
}

/// Hints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintOp {
    Prefetch,
    ApplyPriority,
    Discard,
    /// Gives way to other warps.
    Nanosleep,
    Pmevent,
    /// Orders grids that depend on each other; there is one grid here.
    GridDependency,
    SetMaxRegisters(RegisterChange),
    /// Brings a range of memory into a cache.
    BulkPrefetch,
}

/// Direction of `setmaxnreg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterChange {
    /// `.inc`: requests registers.
    Increase,
    /// `.dec`: releases registers.
    Decrease,
}

impl HintOp {
    /// Returns how it changes the number of registers per thread; `None` for other hints.
    pub const fn register_change(self) -> Option<RegisterChange> {
        match self {
            HintOp::SetMaxRegisters(change) => Some(change),
            _ => None,
        }
    }
}
