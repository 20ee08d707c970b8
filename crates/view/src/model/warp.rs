//! State of the machine that hosts display: lanes, registers, warps, and the progress of blocks.

use serde::{Deserialize, Serialize};
use warpgrid_isa::ScalarType;

/// Lane of a [`WarpView`], with its state, its next source line and the event for which it waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct LaneView {
    pub lane: u8,
    pub thread: [u32; 3],
    pub state: LaneState,
    /// Source line that the lane executes next. The line is absent if the lane has exited or does not exist.
    pub line: Option<u32>,
    /// Event for which the lane waits: `for the other threads at barrier 0`.
    pub waits: Option<String>,
}

/// State of a lane at the present step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum LaneState {
    /// The lane executed the last step.
    Active,
    /// The lane can execute its next instruction, but another warp executed the last step.
    Ready,
    /// The guard of the last step disabled the lane.
    Guarded,
    /// The lane can execute its next instruction, but is on another control-flow path than the last step.
    Inactive,
    /// The lane waits at a barrier or for other lanes.
    Waiting,
    /// The lane stopped because of its own fault.
    Faulted,
    /// The lane has exited.
    Exited,
    /// The block has no thread for this lane.
    Absent,
}

/// Register in a [`WarpView`], with its value in each lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RegisterView {
    pub name: String,
    #[serde(rename = "type")]
    pub ty: RegisterType,
    /// Value of the register in each lane, in the type of the register.
    pub values: Vec<String>,
    /// Value of the register in each lane, in hexadecimal.
    pub hex: Vec<String>,
    /// Whether the last step wrote the register.
    pub changed: bool,
}

/// Type that hosts display for a register. Hosts display a register with any other declared type as untyped bits of the same width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum RegisterType {
    B8,
    B16,
    B32,
    B64,
    B128,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    F32,
    F64,
    Pred,
}

impl RegisterType {
    /// Returns the name of the type without the leading dot.
    pub const fn name(self) -> &'static str {
        match self {
            RegisterType::B8 => "b8",
            RegisterType::B16 => "b16",
            RegisterType::B32 => "b32",
            RegisterType::B64 => "b64",
            RegisterType::B128 => "b128",
            RegisterType::U8 => "u8",
            RegisterType::U16 => "u16",
            RegisterType::U32 => "u32",
            RegisterType::U64 => "u64",
            RegisterType::S8 => "s8",
            RegisterType::S16 => "s16",
            RegisterType::S32 => "s32",
            RegisterType::S64 => "s64",
            RegisterType::F16 => "f16",
            RegisterType::F16x2 => "f16x2",
            RegisterType::F32 => "f32",
            RegisterType::F64 => "f64",
            RegisterType::Pred => "pred",
        }
    }
}

impl From<ScalarType> for RegisterType {
    fn from(ty: ScalarType) -> RegisterType {
        use ScalarType as T;
        match ty {
            T::U8 => RegisterType::U8,
            T::U16 => RegisterType::U16,
            T::U32 => RegisterType::U32,
            T::U64 => RegisterType::U64,
            T::S8 => RegisterType::S8,
            T::S16 => RegisterType::S16,
            T::S32 => RegisterType::S32,
            T::S64 => RegisterType::S64,
            T::F16 => RegisterType::F16,
            T::F16x2 => RegisterType::F16x2,
            T::F32 => RegisterType::F32,
            T::F64 => RegisterType::F64,
            T::Pred => RegisterType::Pred,
            T::B8
            | T::E4m3
            | T::E5m2
            | T::E2m1
            | T::E2m3
            | T::E3m2
            | T::Ue8m0
            | T::Ue4m3
            | T::E2m1x2
            | T::B1
            | T::U2
            | T::S2
            | T::U4
            | T::S4 => RegisterType::B8,
            T::B16
            | T::Bf16
            | T::E4m3x2
            | T::E5m2x2
            | T::E2m3x2
            | T::E3m2x2
            | T::Ue8m0x2
            | T::S2f6x2
            | T::E2m1x4 => RegisterType::B16,
            T::B32
            | T::Bf16x2
            | T::Tf32
            | T::E4m3x4
            | T::E5m2x4
            | T::E2m3x4
            | T::E3m2x4
            | T::U8x4
            | T::S8x4
            | T::U16x2
            | T::S16x2 => RegisterType::B32,
            T::B64 | T::F32x2 => RegisterType::B64,
            T::B128 => RegisterType::B128,
        }
    }
}

/// State of a warp, which hosts display: its lanes and the values of its registers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct WarpView {
    pub block: u64,
    pub block_id: [u32; 3],
    pub warp: u32,
    pub active: u32,
    pub lanes: Vec<LaneView>,
    pub registers: Vec<RegisterView>,
}

/// Progress of a block or a warp in a [`BlockMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum BlockProgress {
    /// The block is not yet resident on the machine.
    #[serde(rename = "toCome")]
    NotStarted,
    Running,
    /// No thread of the block or warp can execute before another event occurs.
    Waiting,
    Done,
}

/// Map of the blocks of a launch with their progress, which the page draws as a grid of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct BlockMap {
    /// Size of the grid in blocks.
    pub grid: [u32; 3],
    pub n_blocks: u64,
    #[serde(rename = "nDone")]
    pub n_finished: u64,
    /// Number of blocks that each cell represents. The number is 1 except for very large grids.
    pub blocks_per_cell: u64,
    /// Progress of the blocks that each cell represents, in the order of linear block indices. A cell that represents several blocks is
    /// finished if all of these blocks are finished, and not started if none of these blocks has started.
    pub cells: Vec<BlockProgress>,
    /// Blocks that are resident on the machine.
    pub resident: Vec<ResidentBlock>,
}

/// Resident block in a [`BlockMap`], with the progress of its warps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ResidentBlock {
    /// Linear index of the block.
    pub block: u64,
    /// Progress of each warp of the block.
    pub warps: Vec<BlockProgress>,
}
