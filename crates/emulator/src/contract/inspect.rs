//! What a host can see of a machine between two steps: plain data, no handles.

use crate::contract::event::Agent;
use crate::contract::fault::WaitReason;
use crate::contract::pending::GroupKind;
use warpgrid_program::{FunctionId, RegisterId, VariableId};

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RunStatus"))]
pub enum Status {
    /// Steps remain.
    Running,
    /// Every thread has exited.
    Finished,
    /// The last step faulted (see [`crate::run::machine::Machine::fault`]); earlier stores remain.
    Faulted,
}

/// A block that has a place on the machine; it may be finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockView {
    /// Linear index, x fastest.
    pub index: u64,
    pub position: [u32; 3],
    pub n_warps: u32,
    pub finished: bool,
}

/// A warp and the groups its lanes are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpView {
    pub block: u64,
    pub warp: u32,
    /// Lanes that exist; the last warp of a block may lack some.
    pub present: u32,
    pub exited: u32,
    /// Lanes that go together, the one that runs next first.
    pub groups: Vec<LaneGroup>,
}

/// Lanes of a warp that stand at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneGroup {
    pub mask: u32,
    pub function: FunctionId,
    /// The instruction that is executed next.
    pub instruction: u32,
    pub call_depth: u32,
    pub waiting: Option<WaitReason>,
}

/// What the next step executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextStep {
    pub agent: Agent,
    pub block: u64,
    pub warp: u32,
    pub function: FunctionId,
    pub instruction: u32,
    /// Before the guard.
    pub mask: u32,
    /// The lanes whose guard lets it happen.
    pub executed: u32,
}

/// Where a shared variable lies in the memory of its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedVariable {
    /// The function that declares it; `None` for module scope.
    pub function: Option<FunctionId>,
    pub variable: VariableId,
    pub name: String,
    pub byte_offset: u64,
    pub size_bytes: u64,
}

/// What a person should know of a run besides its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The step that left it.
    pub step: u64,
    pub block: u64,
    pub warp: u32,
    pub kind: NoteKind,
}

/// What a [`Note`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// Text that a thread printed.
    Printed { lane: u32, text: String },
    /// A part of the warp's threads came to a barrier that all of them must come to together: what happens then is
    /// undefined (PTX ISA, "barrier": `.aligned`). Noted once for each instruction.
    BarrierInParts {
        function: FunctionId,
        instruction: u32,
        /// Threads that came.
        came: u32,
        /// Threads that must come: those of the warp that had not ended, or all that it began with where some ended while these waited.
        of: u32,
    },
    /// Lanes executed an instruction of the warp whose mask does not name them: what it gives them is undefined (PTX ISA, "shfl.sync",
    /// "vote.sync", "match.sync", "redux.sync", "bar.warp.sync"). Noted once for each instruction.
    LanesLeftOut {
        function: FunctionId,
        instruction: u32,
        lanes: u32,
    },
    /// A block ended with columns of tensor memory that it has not given back (PTX ISA, "tcgen05.alloc"). Noted once.
    ColumnsKept { n: u32 },
    /// Groups of operations are waited for, and no code of the kernel makes one. Noted once for each instruction.
    NoGroups {
        function: FunctionId,
        instruction: u32,
        kind: GroupKind,
    },
    /// `mbarrier.init` of an object that was not invalidated, which is undefined (PTX ISA, "mbarrier.init"). Noted once
    /// for each instruction.
    MbarrierReinitialized {
        function: FunctionId,
        instruction: u32,
        /// The object's offset in shared memory, in bytes.
        offset: u64,
    },
    /// Registers of a product in flight were touched before it was waited for: what they hold is undefined (PTX ISA, "wgmma.mma_async").
    /// Noted once for each instruction.
    RegistersInFlight {
        function: FunctionId,
        instruction: u32,
        registers: Vec<RegisterId>,
        /// The product, in its function.
        product: (FunctionId, u32),
    },
}

/// Who wrote a byte last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The number of the step, from 0.
    pub step: u64,
    pub lane: u32,
}

/// A thing whose memory a host can look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MemoryRegion {
    Buffer(crate::contract::launch::BufferIndex),
    /// A module variable in global or constant memory: index into the program's variables.
    Variable(u32),
    /// Shared memory of a resident block, by linear index.
    Shared {
        block: u64,
    },
    /// Tensor memory of a resident block, by linear index: 128 lanes of 512 columns of 32 bits, lane after lane. Only of code that uses it.
    Tensor {
        block: u64,
    },
    /// The stack of one thread of a resident block.
    Local {
        block: u64,
        warp: u32,
        lane: u32,
    },
    /// The parameters of the kernel.
    Parameters,
}

impl Writer {
    /// As one number, larger for later steps; 0 is for bytes that no step wrote.
    pub(crate) const fn pack(self) -> u64 {
        (self.step << 8) | (self.lane as u64 + 1)
    }

    /// The writer that was packed; none if no step wrote, or it is not known which.
    pub(crate) const fn unpack(entry: u64) -> Option<Writer> {
        match entry & 0xff {
            0 | 0xff => None,
            lane => Some(Writer {
                step: entry >> 8,
                lane: lane as u32 - 1,
            }),
        }
    }
}
