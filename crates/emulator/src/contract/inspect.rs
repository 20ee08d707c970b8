//! Inspection of a machine between two steps. All types are plain data without references to the machine.

use crate::contract::agent::Agent;
use crate::contract::fault::WaitReason;
use crate::contract::pending::AsyncGroupKind;
use warpgrid_program::{FunctionId, RegisterId, VariableId};

/// Status of a run: running, finished or faulted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RunStatus"))]
pub enum MachineStatus {
    /// The run has not ended.
    Running,
    /// Every thread has exited.
    Finished,
    /// The last step faulted (see [`crate::run::machine::Machine::fault`]). Stores of earlier steps remain in memory.
    Faulted,
}

/// State of a resident block for inspection: its position and its warps. The block may have finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockView {
    /// Linear index of the block, in which x varies fastest.
    pub index: u64,
    pub position: [u32; 3],
    pub n_warps: u32,
    pub finished: bool,
}

/// State of a warp for inspection: its lanes, and its groups of converged lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpView {
    pub block: u64,
    pub warp: u32,
    /// Mask of the lanes that exist. The last warp of a block may be partial.
    pub present: u32,
    pub exited: u32,
    /// Groups of converged lanes. The group that is scheduled next comes first.
    pub groups: Vec<LaneGroup>,
}

/// Group of converged lanes of a warp, with the next instruction of the group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneGroup {
    pub mask: u32,
    pub function: FunctionId,
    /// Next instruction of the group.
    pub instruction: u32,
    pub call_depth: u32,
    pub waiting: Option<WaitReason>,
}

/// Next step of a machine: the selected warp, and the instruction that it will execute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextStep {
    pub agent: Agent,
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    pub instruction: u32,
    /// Lanes of the executing group before the guard predicate is applied.
    pub mask: u32,
    /// Lanes that are not predicated off.
    pub executed: u32,
}

/// Location of a shared variable in the shared memory of its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// Function that declares the variable; `None` for variables at module scope.
    pub function: Option<FunctionId>,
    pub variable: VariableId,
    pub name: String,
    pub byte_offset: u64,
    pub size_bytes: u64,
}

/// Diagnostic or output of a run that does not stop the run. Hosts print it with the step that produced it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDiagnostic {
    /// Step that produced the diagnostic.
    pub step: u64,
    pub block: u64,
    pub warp: u32,
    pub kind: RunDiagnosticKind,
}

/// Kind of a [`RunDiagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunDiagnosticKind {
    /// A lane has printed text with `printf`.
    Printed { lane: u32, text: String },
    /// Only part of a warp reached an aligned barrier, which is undefined behavior (PTX ISA, "barrier": `.aligned`).
    /// The machine records the diagnostic once per instruction.
    DivergentBarrierArrival {
        function: FunctionId,
        instruction: u32,
        /// Number of threads that arrived at the barrier.
        came: u32,
        /// Number of threads that must arrive at the barrier: the threads of the warp that had not exited, or all
        /// initial threads of the warp if some threads exited during the wait.
        of: u32,
    },
    /// Lanes executed a warp-level instruction whose member mask does not contain these lanes. The result in these
    /// lanes is undefined (PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync", "bar.warp.sync"). The machine
    /// records the diagnostic once per instruction.
    LanesOutsideMask {
        function: FunctionId,
        instruction: u32,
        lanes: u32,
    },
    /// A block exited without deallocating its tensor memory columns (PTX ISA, "tcgen05.alloc"). The machine records
    /// the diagnostic once.
    UnfreedTensorColumns { n: u32 },
    /// The instruction waits for async-groups of a kind that the kernel never commits. The machine records the
    /// diagnostic once per instruction.
    WaitWithoutGroups {
        function: FunctionId,
        instruction: u32,
        kind: AsyncGroupKind,
    },
    /// `mbarrier.init` was executed on an object that was not invalidated, which is undefined (PTX ISA,
    /// "mbarrier.init"). The machine records the diagnostic once per instruction.
    MbarrierReinitialized {
        function: FunctionId,
        instruction: u32,
        /// Offset of the object in shared memory, in bytes.
        offset: u64,
    },
    /// Registers of a pending `wgmma` were accessed before a wait, so that their contents are undefined (PTX ISA,
    /// "wgmma.mma_async"). The machine records the diagnostic once per instruction.
    RegistersInFlight {
        function: FunctionId,
        instruction: u32,
        registers: Vec<RegisterId>,
        /// Function and instruction index of the pending `wgmma`.
        product: (FunctionId, u32),
    },
}

/// Step and lane that last wrote a byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastWriter {
    /// Number of the step, counted from 0.
    pub step: u64,
    pub lane: u32,
}

/// Memory region that a host can inspect, such as a buffer or the shared memory of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryRegion {
    Buffer(crate::contract::launch::BufferIndex),
    /// Module variable in global or constant memory, as an index into the variables of the program.
    Variable(u32),
    /// Shared memory of a resident block, identified by its linear index.
    Shared {
        block: u64,
    },
    /// Tensor memory of a resident block, identified by its linear index: 128 lanes of 512 columns of 32 bits, in
    /// lane-major order. This region exists only for code that uses tensor memory.
    Tensor {
        block: u64,
    },
    /// Stack of one thread of a resident block.
    Local {
        block: u64,
        warp: u32,
        lane: u32,
    },
    /// Kernel parameters.
    Parameters,
}

impl LastWriter {
    /// Packs the writer into an integer that increases with the number of the step. The value 0 denotes a byte that no
    /// step has written.
    pub(crate) const fn pack(self) -> u64 {
        (self.step << 8) | (self.lane as u64 + 1)
    }

    /// Unpacks a writer from an integer. Returns `None` if no step wrote the byte, or if the writer is unknown.
    pub(crate) const fn unpack(entry: u64) -> Option<LastWriter> {
        match entry & 0xff {
            0 | 0xff => None,
            lane => Some(LastWriter {
                step: entry >> 8,
                lane: lane as u32 - 1,
            }),
        }
    }
}
