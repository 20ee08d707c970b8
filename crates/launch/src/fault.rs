//! Faults and state spaces in the notation of scenarios. Expected faults and displayed faults have the same type.

use serde::{Deserialize, Serialize};
use warpgrid_emulator::FaultKind;
use warpgrid_isa::StateSpace;

/// Declares [`FaultSort`] with one variant per variant of [`FaultKind`], and the name of each variant.
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
    NotEmulated => "not_emulated",
    StackOverflow => "stack_overflow",
    BadCallTarget => "bad_call_target",
    BadBranchIndex => "bad_branch_index",
    BadBarrier => "bad_barrier",
    Mbarrier => "mbarrier",
    DistantMbarrier => "distant_mbarrier",
    BadCopySize => "bad_copy_size",
    LeftOutBytes => "left_out_bytes",
    TensorCopy => "tensor_copy",
    TensorMemory => "tensor_memory",
    Image => "image",
    SurfaceOutOfBounds => "surface_out_of_bounds",
    Internal => "internal",
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
    /// Tensor memory, which is not a state space of PTX.
    Tensor,
}

impl Space {
    /// Returns the name, as in an opcode.
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
