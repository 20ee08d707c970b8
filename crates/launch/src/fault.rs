//! Faults and state spaces in the notation of scenarios. Expected faults and displayed faults have the same type.

use serde::{Deserialize, Serialize};
use warpgrid_emulator::FaultKind;
use warpgrid_isa::StateSpace;

/// Declares [`FaultSort`], which has one variant for each variant of [`FaultKind`], and declares the name of each variant.
macro_rules! fault_sorts {
    ($($sort:ident => $name:literal,)*) => {
        /// Kind of a fault.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
        #[serde(rename_all = "snake_case")]
        pub enum FaultSort {
            $($sort,)*
        }

        impl FaultSort {
            /// Returns the serialized name: `out_of_bounds`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FaultSort::$sort => $name,)*
                }
            }
        }

        impl From<&FaultKind> for FaultSort {
            fn from(kind: &FaultKind) -> FaultSort {
                match kind {
                    $(FaultKind::$sort { .. } => FaultSort::$sort,)*
                }
            }
        }
    };
}

fault_sorts! {
    Misaligned => "misaligned",
    OutOfBounds => "out_of_bounds",
    ReadOnly => "read_only",
    WrongSpace => "wrong_space",
    Deadlock => "deadlock",
    UndefinedMatrix => "undefined_matrix",
    Trap => "trap",
    Assert => "assert",
    Unsupported => "not_emulated",
    StackOverflow => "stack_overflow",
    BadCallTarget => "bad_call_target",
    BadBranchIndex => "bad_branch_index",
    BadBarrier => "bad_barrier",
    Mbarrier => "mbarrier",
    MbarrierInOtherBlock => "distant_mbarrier",
    InvalidCopySize => "bad_copy_size",
    InvalidIgnoreBytes => "left_out_bytes",
    TensorCopy => "tensor_copy",
    IllegalInstruction => "illegal_instruction",
    TensorMemory => "tensor_memory",
    Image => "image",
    SurfaceOutOfBounds => "surface_out_of_bounds",
    Internal => "internal",
}

/// State space or memory of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum MemorySpace {
    Generic,
    Const,
    Global,
    Local,
    Param,
    Shared,
    #[serde(rename = "shared::cluster")]
    SharedCluster,
    /// Tensor memory, which is not a state space of PTX.
    Tensor,
}

impl MemorySpace {
    /// Returns the name of the state space, as it appears in opcodes.
    pub const fn name(self) -> &'static str {
        match self {
            MemorySpace::Generic => "generic",
            MemorySpace::Const => "const",
            MemorySpace::Global => "global",
            MemorySpace::Local => "local",
            MemorySpace::Param => "param",
            MemorySpace::Shared => "shared",
            MemorySpace::SharedCluster => "shared::cluster",
            MemorySpace::Tensor => "tensor",
        }
    }
}

impl From<StateSpace> for MemorySpace {
    fn from(space: StateSpace) -> MemorySpace {
        match space {
            StateSpace::Generic => MemorySpace::Generic,
            StateSpace::Const => MemorySpace::Const,
            StateSpace::Global => MemorySpace::Global,
            StateSpace::Local => MemorySpace::Local,
            StateSpace::ParamEntry | StateSpace::ParamFunc => MemorySpace::Param,
            StateSpace::Shared => MemorySpace::Shared,
            StateSpace::SharedCluster => MemorySpace::SharedCluster,
        }
    }
}
