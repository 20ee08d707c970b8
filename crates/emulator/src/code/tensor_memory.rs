//! Plans of operations on tensor memory (PTX ISA, "tcgen05").

use crate::code::{AccessPlan, Element, Predicate};
use warpgrid_isa::{
    CopyShape, CtaGroup, MmaKind, MoveShape, ReduceOp, ScalarType, Unpacking, WarpMulticast,
};

/// An operation on tensor memory.
#[derive(Clone, Debug)]
pub(crate) enum TensorMemoryPlan {
    Allocate {
        to: Reserved,
        columns: Element,
    },
    Free {
        place: TensorAddress,
        columns: Element,
        /// Whether all lanes of the warp execute it together.
        takes_warp: bool,
    },
    /// The block will not reserve columns any more.
    Relinquish,
    Load(Box<MovePlan>),
    Store(Box<MovePlan>),
    Commit {
        object: AccessPlan,
        blocks: Option<Element>,
    },
    Start(Box<StartPlan>),
}

impl TensorMemoryPlan {
    /// Whether all lanes of the warp execute it together.
    pub(crate) const fn takes_warp(&self) -> bool {
        match self {
            TensorMemoryPlan::Allocate { to, .. } => match to {
                Reserved::Memory(_) => true,
                Reserved::Register(_) => false,
            },
            TensorMemoryPlan::Free { takes_warp, .. } => *takes_warp,
            TensorMemoryPlan::Relinquish
            | TensorMemoryPlan::Load(_)
            | TensorMemoryPlan::Store(_) => true,
            TensorMemoryPlan::Commit { .. } | TensorMemoryPlan::Start(_) => false,
        }
    }
}

/// Where the address of what was reserved goes.
#[derive(Clone, Debug)]
pub(crate) enum Reserved {
    Memory(AccessPlan),
    /// In machine code, whose one lane that executes it stores the address itself.
    Register(Element),
}

/// An address in tensor memory: a register and a constant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorAddress {
    pub(crate) base: Element,
    pub(crate) offset: u32,
}

/// Registers to or from tensor memory.
#[derive(Clone, Debug)]
pub(crate) struct MovePlan {
    pub(crate) place: TensorAddress,
    pub(crate) shape: MoveShape,
    /// Columns between the halves of `.16x32bx2`.
    pub(crate) half: u32,
    /// Whether a register holds the low halves of two columns.
    pub(crate) is_packed: bool,
    pub(crate) registers: Vec<Element>,
    /// The lanes whose registers move: machine code has an instruction for each half of `.16x32bx2`.
    pub(crate) lanes: u32,
    /// What is made of all registers of a thread.
    pub(crate) reduces: Option<Reduced>,
}

/// The smallest or largest of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reduced {
    pub(crate) to: Element,
    pub(crate) op: ReduceOp,
    pub(crate) ty: ScalarType,
    pub(crate) absolute: bool,
    pub(crate) nan: bool,
}

/// An operation that goes on by itself.
#[derive(Clone, Debug)]
pub(crate) struct StartPlan {
    pub(crate) kind: StartKind,
    pub(crate) group: CtaGroup,
    pub(crate) d: TensorAddress,
}

#[derive(Clone, Debug)]
pub(crate) enum StartKind {
    /// A copy of shared memory.
    Copy {
        source: Element,
        shape: CopyShape,
        warps: Option<WarpMulticast>,
        /// Elements of fewer bits, each of which gets a byte.
        unpacking: Option<Unpacking>,
    },
    /// Rows of tensor memory move down by one.
    Shift,
    Product(ProductOperands),
}

/// The operands of a product.
#[derive(Clone, Debug)]
pub(crate) struct ProductOperands {
    pub(crate) kind: MmaKind,
    pub(crate) a: FactorOperand,
    pub(crate) b: Element,
    pub(crate) descriptor: Element,
    pub(crate) adds: Option<Predicate>,
    pub(crate) left_out: Vec<Element>,
    /// The sums that are there are divided by two to this power.
    pub(crate) scale: u32,
    pub(crate) factors: Option<[TensorAddress; 2]>,
    pub(crate) factors_per_line: usize,
    pub(crate) metadata: Option<TensorAddress>,
    /// Which columns of B count as zero.
    pub(crate) zeros: Option<Element>,
    /// Whether the rows of A are taken one further down.
    pub(crate) is_shifted: bool,
    /// Whether the second factor stays in its collector, which changes where D lies.
    pub(crate) is_stationary: bool,
    /// Whether the descriptor alone says whether A is sparse, and which of the types of an opcode it has, as in machine code.
    pub(crate) is_described: bool,
}

/// A in tensor memory, or described in shared memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FactorOperand {
    Kept(TensorAddress),
    Described(Element),
}
