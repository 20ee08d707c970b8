//! Plans of operations on tensor memory (PTX ISA, "tcgen05").

use crate::code::{AccessPlan, PredicateOperand, RegisterOperand};
use warpgrid_isa::{
    CtaGroup, MmaKind, ReduceOp, ScalarType, TensorMemoryAccessShape, TensorMemoryCopyShape,
    Unpacking, WarpMulticast,
};

/// Plan of an operation on tensor memory.
#[derive(Clone, Debug)]
pub(crate) enum TensorMemoryPlan {
    Allocate {
        to: AllocationTarget,
        columns: RegisterOperand,
    },
    Free {
        place: TensorMemoryAddress,
        columns: RegisterOperand,
        /// Whether all lanes of the warp must execute the operation together.
        takes_warp: bool,
    },
    /// The block relinquishes the right to allocate columns.
    Relinquish,
    Load(Box<TensorLoadStorePlan>),
    Store(Box<TensorLoadStorePlan>),
    Commit {
        object: AccessPlan,
        blocks: Option<RegisterOperand>,
    },
    Start(Box<AsyncTensorPlan>),
}

impl TensorMemoryPlan {
    /// Checks whether all lanes of the warp must execute the operation together.
    pub(crate) const fn takes_warp(&self) -> bool {
        match self {
            TensorMemoryPlan::Allocate { to, .. } => match to {
                AllocationTarget::Memory(_) => true,
                AllocationTarget::Register(_) => false,
            },
            TensorMemoryPlan::Free { takes_warp, .. } => *takes_warp,
            TensorMemoryPlan::Relinquish
            | TensorMemoryPlan::Load(_)
            | TensorMemoryPlan::Store(_) => true,
            TensorMemoryPlan::Commit { .. } | TensorMemoryPlan::Start(_) => false,
        }
    }
}

/// Destination of the address of allocated tensor memory columns.
#[derive(Clone, Debug)]
pub(crate) enum AllocationTarget {
    Memory(AccessPlan),
    /// The address is written to a register. SASS code stores the register with a separate instruction.
    Register(RegisterOperand),
}

/// Tensor memory address: the sum of a register and a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorMemoryAddress {
    pub(crate) base: RegisterOperand,
    pub(crate) offset: u32,
}

/// Plan of a transfer between registers and tensor memory (`tcgen05.ld`, `tcgen05.st`).
#[derive(Clone, Debug)]
pub(crate) struct TensorLoadStorePlan {
    pub(crate) place: TensorMemoryAddress,
    pub(crate) shape: TensorMemoryAccessShape,
    /// Distance in columns between the halves of `.16x32bx2`.
    pub(crate) half: u32,
    /// Whether each register contains the low halves of two columns.
    pub(crate) is_packed: bool,
    pub(crate) registers: Vec<RegisterOperand>,
    /// Mask of the lanes that transfer registers. SASS has one instruction for each half of `.16x32bx2`.
    pub(crate) lanes: u32,
    /// Reduction of all registers that a thread loads, or `None` for an instruction without a reduction.
    pub(crate) reduces: Option<LoadReduction>,
}

/// Reduction of a `tcgen05.ld`: minimum or maximum of the loaded words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadReduction {
    pub(crate) to: RegisterOperand,
    pub(crate) op: ReduceOp,
    pub(crate) ty: ScalarType,
    pub(crate) absolute: bool,
    pub(crate) nan: bool,
}

/// Plan of an asynchronous operation on tensor memory (`tcgen05.cp`, `tcgen05.shift`, `tcgen05.mma`).
#[derive(Clone, Debug)]
pub(crate) struct AsyncTensorPlan {
    pub(crate) kind: AsyncTensorKind,
    pub(crate) group: CtaGroup,
    pub(crate) d: TensorMemoryAddress,
}

#[derive(Clone, Debug)]
pub(crate) enum AsyncTensorKind {
    /// Copy from shared memory.
    Copy {
        source: RegisterOperand,
        shape: TensorMemoryCopyShape,
        warps: Option<WarpMulticast>,
        /// Expansion of elements with 4 or 6 bits to bytes.
        unpacking: Option<Unpacking>,
    },
    /// The operation shifts the rows of tensor memory down by one row.
    Shift,
    Product(TcgenMmaOperands),
}

/// Operands of `tcgen05.mma`.
#[derive(Clone, Debug)]
pub(crate) struct TcgenMmaOperands {
    pub(crate) kind: MmaKind,
    pub(crate) a: MatrixAOperand,
    pub(crate) b: RegisterOperand,
    pub(crate) descriptor: RegisterOperand,
    pub(crate) adds: Option<PredicateOperand>,
    pub(crate) left_out: Vec<RegisterOperand>,
    /// Binary logarithm of the divisor of the previous contents of D.
    pub(crate) scale: u32,
    pub(crate) factors: Option<[TensorMemoryAddress; 2]>,
    pub(crate) factors_per_line: usize,
    pub(crate) metadata: Option<TensorMemoryAddress>,
    /// Mask of the columns of B that are treated as zero.
    pub(crate) zeros: Option<RegisterOperand>,
    /// Whether the rows of A are shifted down by one row.
    pub(crate) is_shifted: bool,
    /// Whether matrix B remains in the collector buffer (`.ws`), which changes the layout of D.
    pub(crate) is_stationary: bool,
    /// Whether the instruction descriptor alone specifies the sparsity of A and the element types, as in SASS.
    pub(crate) is_described: bool,
}

/// Location of matrix A of a `tcgen05.mma`: tensor memory, or shared memory at the addresses that a descriptor defines.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixAOperand {
    Kept(TensorMemoryAddress),
    Described(RegisterOperand),
}
