//! Faults and state spaces in the words of scenarios: what a case expects and what a host shows are the same values.

use serde::{Deserialize, Serialize};
use warpgrid_emulator::FaultKind;
use warpgrid_isa::StateSpace;

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FaultSort {
    Misaligned,
    OutOfBounds,
    ReadOnly,
    WrongSpace,
    Deadlock,
    UndefinedMatrix,
    Trap,
    Assert,
    NotEmulated,
    StackOverflow,
    BadCallTarget,
    BadBranchIndex,
    BadBarrier,
    Mbarrier,
    DistantMbarrier,
    BadCopySize,
    LeftOutBytes,
    TensorCopy,
    TensorMemory,
    Image,
    SurfaceOutOfBounds,
    Internal,
}

impl FaultSort {
    /// The word of a case: `out_of_bounds`.
    pub const fn name(self) -> &'static str {
        match self {
            FaultSort::Misaligned => "misaligned",
            FaultSort::OutOfBounds => "out_of_bounds",
            FaultSort::ReadOnly => "read_only",
            FaultSort::WrongSpace => "wrong_space",
            FaultSort::Deadlock => "deadlock",
            FaultSort::UndefinedMatrix => "undefined_matrix",
            FaultSort::Trap => "trap",
            FaultSort::Assert => "assert",
            FaultSort::NotEmulated => "not_emulated",
            FaultSort::StackOverflow => "stack_overflow",
            FaultSort::BadCallTarget => "bad_call_target",
            FaultSort::BadBranchIndex => "bad_branch_index",
            FaultSort::BadBarrier => "bad_barrier",
            FaultSort::Mbarrier => "mbarrier",
            FaultSort::DistantMbarrier => "distant_mbarrier",
            FaultSort::BadCopySize => "bad_copy_size",
            FaultSort::LeftOutBytes => "left_out_bytes",
            FaultSort::TensorCopy => "tensor_copy",
            FaultSort::TensorMemory => "tensor_memory",
            FaultSort::Image => "image",
            FaultSort::SurfaceOutOfBounds => "surface_out_of_bounds",
            FaultSort::Internal => "internal",
        }
    }
}

impl From<&FaultKind> for FaultSort {
    fn from(kind: &FaultKind) -> FaultSort {
        match kind {
            FaultKind::Misaligned => FaultSort::Misaligned,
            FaultKind::OutOfBounds => FaultSort::OutOfBounds,
            FaultKind::ReadOnly => FaultSort::ReadOnly,
            FaultKind::WrongSpace => FaultSort::WrongSpace,
            FaultKind::Deadlock { .. } => FaultSort::Deadlock,
            FaultKind::UndefinedMatrix(_) => FaultSort::UndefinedMatrix,
            FaultKind::Trap => FaultSort::Trap,
            FaultKind::Assert { .. } => FaultSort::Assert,
            FaultKind::NotEmulated { .. } => FaultSort::NotEmulated,
            FaultKind::StackOverflow => FaultSort::StackOverflow,
            FaultKind::BadCallTarget { .. } => FaultSort::BadCallTarget,
            FaultKind::BadBranchIndex { .. } => FaultSort::BadBranchIndex,
            FaultKind::BadBarrier { .. } => FaultSort::BadBarrier,
            FaultKind::Mbarrier(_) => FaultSort::Mbarrier,
            FaultKind::DistantMbarrier => FaultSort::DistantMbarrier,
            FaultKind::BadCopySize { .. } => FaultSort::BadCopySize,
            FaultKind::LeftOutBytes { .. } => FaultSort::LeftOutBytes,
            FaultKind::TensorCopy { .. } => FaultSort::TensorCopy,
            FaultKind::TensorMemory { .. } => FaultSort::TensorMemory,
            FaultKind::Image { .. } => FaultSort::Image,
            FaultKind::SurfaceOutOfBounds { .. } => FaultSort::SurfaceOutOfBounds,
            FaultKind::Internal { .. } => FaultSort::Internal,
        }
    }
}

/// State space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Generic,
    Const,
    Global,
    Local,
    Param,
    Shared,
    #[serde(rename = "shared::cluster")]
    SharedCluster,
    /// Tensor memory, which is no state space of its own.
    Tensor,
}

impl Space {
    /// The name, as in an opcode.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Generic => "generic",
            Space::Const => "const",
            Space::Global => "global",
            Space::Local => "local",
            Space::Param => "param",
            Space::Shared => "shared",
            Space::SharedCluster => "shared::cluster",
            Space::Tensor => "tensor",
        }
    }
}

impl From<StateSpace> for Space {
    fn from(space: StateSpace) -> Space {
        match space {
            StateSpace::Generic => Space::Generic,
            StateSpace::Const => Space::Const,
            StateSpace::Global => Space::Global,
            StateSpace::Local => Space::Local,
            StateSpace::ParamEntry | StateSpace::ParamFunc => Space::Param,
            StateSpace::Shared => Space::Shared,
            StateSpace::SharedCluster => Space::SharedCluster,
        }
    }
}
