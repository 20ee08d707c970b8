//! Why a run stopped before its end: what was attempted, on which bytes, by which lanes.

use crate::contract::event::Agent;
use crate::contract::launch::BufferIndex;
use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
use crate::contract::observe::MemoryId;
use std::fmt;
pub use warpgrid_isa::AccessKind;
use warpgrid_isa::StateSpace;
use warpgrid_program::{FunctionId, counted};

/// A run that stopped. Nothing of the faulting instruction happened; all before it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// The warp, or the operation in flight that could not land.
    pub agent: Agent,
    /// The number of steps that were completed.
    pub step: u64,
    pub function: FunctionId,
    /// Index into the function's instructions.
    pub instruction: u32,
    /// Block of the grid.
    pub block: [u32; 3],
    /// Linear index of the block.
    pub block_index: u64,
    pub warp: u32,
    /// Every lane that cannot go on.
    pub lanes: u32,
    /// Thread of the lowest of them.
    pub thread: [u32; 3],
    /// What was accessed, when memory was.
    pub access: Option<AccessFault>,
    /// How the source calls the mbarriers of the fault, by their address in shared memory.
    pub mbarrier_names: Vec<(u64, String)>,
}

/// The access of the lowest faulting lane.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessFault {
    pub kind: AccessKind,
    /// As the instruction names it.
    pub space: StateSpace,
    /// As the lane computed it.
    pub address: u64,
    pub width_bytes: u32,
    /// What the address belongs to, or lies nearest to.
    pub place: Place,
}

/// Where an address lies, relative to something with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// What it lies in, or next to.
    pub region: Region,
    /// From the start of the region; negative before it, at or beyond `size_bytes` after it.
    pub byte_offset: i64,
    /// Of the region.
    pub size_bytes: u64,
}

/// Something with a name that memory was reserved for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    Buffer {
        index: BufferIndex,
        name: String,
    },
    /// A variable of the module in global or constant memory.
    Variable {
        index: u32,
        name: String,
    },
    /// The block's shared memory, from its first variable.
    Shared,
    /// The stack of the thread.
    Local,
    /// The parameters of the kernel.
    Parameters,
    /// Nothing is near.
    Nothing,
}

impl Region {
    /// `buffer`, `shared`, ... as the corpus and a message name it.
    pub fn name(&self) -> &str {
        match self {
            Region::Buffer { name, .. } | Region::Variable { name, .. } => name,
            Region::Shared => "shared",
            Region::Local => "local",
            Region::Parameters => "param",
            Region::Nothing => "nothing",
        }
    }
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The address is no multiple of the access width.
    Misaligned,
    /// No allocation holds all bytes of the access.
    OutOfBounds,
    /// A store to constant memory or to the parameters of a kernel.
    ReadOnly,
    /// An atomic or a named space that the memory at the address does not allow.
    WrongSpace,
    /// Every thread of the block that is left waits for something that cannot come.
    Deadlock { waiting: Vec<Waiter> },
    /// A matrix operation that the manual leaves undefined: what its lanes do not agree about.
    UndefinedMatrix(MatrixMistake),
    /// `trap`, or `brkpt` without a debugger.
    Trap,
    /// `__assertfail`.
    Assert { message: String },
    /// Checked, but not emulated yet: the opcode as written, and what is missing where the front end states that.
    NotEmulated { opcode: String, why: Option<String> },
    /// Calls nested too deep, or a stack that grew too large.
    StackOverflow,
    /// A call to an address that is not a function, or one that the call does not allow.
    BadCallTarget { address: u64 },
    /// `brx.idx` with an index beyond its table.
    BadBranchIndex { index: u64, n_targets: u32 },
    /// A barrier number of 16 or more, or a thread count that is no multiple of 32.
    BadBarrier { id: u32, threads: Option<u32> },
    /// An operation on an mbarrier object that is undefined.
    Mbarrier(MbarrierFault),
    /// An asynchronous operation whose mbarrier is in another memory than its bytes go to.
    DistantMbarrier,
    /// A number of bytes that is not one of this multiple.
    BadCopySize { bytes: u64, multiple: u32 },
    /// A bulk copy that leaves out 16 bytes or more at an end, and could be shorter instead.
    LeftOutBytes { bytes: u64 },
    /// A tensor map, or a copy with it, that cannot be.
    TensorCopy { why: String },
    /// Tensor memory that is not used as it can be.
    TensorMemory { why: String },
    /// A texture or surface that is none, or is used as it cannot be.
    Image { why: String },
    /// An access outside of a surface, where that stops the launch.
    SurfaceOutOfBounds { why: String },
    /// The emulator met a state that cannot be: its own mistake, not the program's.
    Internal { what: String },
}

/// What was attempted on which mbarrier object, and what it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierFault {
    /// Linear index of the block whose shared memory the object is in.
    pub block: u64,
    /// There.
    pub address: u64,
    pub problem: MbarrierMisuse,
    /// None where there is no object.
    pub held: Option<MbarrierState>,
}

/// What makes a matrix operation undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixMistake {
    /// Lanes that have ended, that the block does not have, or that the guard excludes.
    MissingLanes { missing: u32 },
    /// Lanes give different addresses of the matrix.
    UnequalAddresses,
    /// Lanes give different strides.
    UnequalStrides,
    /// A stride in elements that keeps lines off the alignment of the compiled code's accesses, which then drop low bits of it.
    MovedLines { stride: u32, needed_bytes: u8 },
    /// A byte or lane that holds no factors, or others in other lanes; these are what lane 0 gives.
    FactorSelectors { byte: u16, lane: u16 },
}

impl fmt::Display for MatrixMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatrixMistake::MissingLanes { missing } => write!(
                f,
                "{} did not participate in a matrix instruction, which is undefined behavior: all 32 threads of the warp must execute the instruction",
                LaneList(*missing)
            ),
            MatrixMistake::UnequalAddresses => write!(
                f,
                "the matrix address of a lane differs from the address of lane 0, which is undefined behavior: all threads of the warp must use the same address"
            ),
            MatrixMistake::UnequalStrides => write!(
                f,
                "the matrix stride of a lane differs from the stride of lane 0, which is undefined behavior: all threads of the warp must use the same stride"
            ),
            MatrixMistake::MovedLines {
                stride,
                needed_bytes,
            } => write!(
                f,
                "the matrix stride of {} is not a multiple of {}, so the compiled accesses would be misaligned",
                counted(*stride, "element"),
                counted(*needed_bytes, "byte")
            ),
            MatrixMistake::FactorSelectors { byte, lane } => write!(
                f,
                "the scale factor selector with byte ID {byte} and thread ID {lane} is invalid, which is undefined behavior: the selector must refer to a scale factor, and must be the same in all lanes"
            ),
        }
    }
}

/// Lanes as a person counts them: `lane 3`, `lanes 0 to 7 and 12`, `all lanes`.
#[derive(Clone, Copy, Debug)]
pub struct LaneList(pub u32);

impl fmt::Display for LaneList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaneList(mask) = *self;
        match mask.count_ones() {
            32 => return write!(f, "all lanes"),
            1 => write!(f, "lane ")?,
            _ => write!(f, "lanes ")?,
        }
        let mut items = Vec::new();
        let mut rest = u64::from(mask);
        while rest != 0 {
            let first = rest.trailing_zeros();
            let last = first + (rest >> first).trailing_ones() - 1;
            rest &= u64::MAX << (last + 1);
            match last - first {
                0 => items.push(first.to_string()),
                1 => items.extend([first.to_string(), last.to_string()]),
                _ => items.push(format!("{first} to {last}")),
            }
        }
        match items.split_last() {
            Some((last, [])) => write!(f, "{last}"),
            Some((last, others)) => write!(f, "{} and {last}", others.join(", ")),
            None => Ok(()),
        }
    }
}

/// A group of lanes that waits, in a deadlock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    pub function: FunctionId,
    pub instruction: u32,
    pub waits_for: WaitReason,
    /// What the mbarrier holds that they wait for.
    pub mbarrier: Option<MbarrierState>,
    /// What they read again and again, where they do not stand still.
    pub spins_at: Option<SpinPlace>,
}

/// What a waiting loop looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpinPlace {
    Memory {
        memory: MemoryId,
        address: u64,
    },
    /// The phase of an mbarrier in the block's shared memory.
    Phase {
        address: u64,
        parity: bool,
    },
    /// Nothing but registers, which the loop does not change.
    Registers,
}

/// What a group of lanes waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The other threads at this barrier of the block.
    Barrier { id: u32 },
    /// Lanes of the warp that a collective or a barrier of the warp names.
    WarpLanes { missing: u32 },
    /// The end of the phase with this parity of the mbarrier at an address in the block's shared memory.
    MbarrierPhase { address: u64, parity: bool },
    /// All but the latest `n` groups of asynchronous operations.
    AsyncGroup { n: u32 },
    /// The other threads at the barrier of the cluster.
    ClusterBarrier,
    /// Columns of tensor memory that the block gives back.
    TensorColumns { n: u32 },
    /// A change of memory by another warp.
    Memory,
}

impl WaitReason {
    /// Whether the lanes are counted where they wait, so that others must not join their group.
    pub(crate) const fn counts_arrival(&self) -> bool {
        match self {
            WaitReason::Barrier { .. } => true,
            WaitReason::WarpLanes { .. }
            | WaitReason::MbarrierPhase { .. }
            | WaitReason::AsyncGroup { .. }
            | WaitReason::ClusterBarrier
            | WaitReason::TensorColumns { .. }
            | WaitReason::Memory => false,
        }
    }

    /// Whether only warps of the own cluster, and operations in flight, can end the wait.
    pub(crate) const fn stays_in_cluster(&self) -> bool {
        !matches!(self, WaitReason::Memory)
    }
}

impl FaultKind {
    /// The addresses of the mbarriers that it is about.
    pub(crate) fn mbarriers(&self) -> Vec<u64> {
        match self {
            FaultKind::Mbarrier(fault) => vec![fault.address],
            FaultKind::Deadlock { waiting } => {
                let awaited = waiting.iter().filter_map(|waiter| match waiter.waits_for {
                    WaitReason::MbarrierPhase { address, .. } => Some(address),
                    _ => None,
                });
                awaited.collect()
            }
            _ => Vec::new(),
        }
    }

    /// A stable word: `misaligned`, `out_of_bounds`, ...
    pub const fn name(&self) -> &'static str {
        match self {
            FaultKind::Misaligned => "misaligned",
            FaultKind::OutOfBounds => "out_of_bounds",
            FaultKind::ReadOnly => "read_only",
            FaultKind::WrongSpace => "wrong_space",
            FaultKind::Deadlock { .. } => "deadlock",
            FaultKind::UndefinedMatrix(_) => "undefined_matrix",
            FaultKind::Trap => "trap",
            FaultKind::Assert { .. } => "assert",
            FaultKind::NotEmulated { .. } => "not_emulated",
            FaultKind::StackOverflow => "stack_overflow",
            FaultKind::BadCallTarget { .. } => "bad_call_target",
            FaultKind::BadBranchIndex { .. } => "bad_branch_index",
            FaultKind::BadBarrier { .. } => "bad_barrier",
            FaultKind::Mbarrier(_) => "mbarrier",
            FaultKind::DistantMbarrier => "distant_mbarrier",
            FaultKind::BadCopySize { .. } => "bad_copy_size",
            FaultKind::LeftOutBytes { .. } => "left_out_bytes",
            FaultKind::TensorCopy { .. } => "tensor_copy",
            FaultKind::TensorMemory { .. } => "tensor_memory",
            FaultKind::Image { .. } => "image",
            FaultKind::SurfaceOutOfBounds { .. } => "surface_out_of_bounds",
            FaultKind::Internal { .. } => "internal",
        }
    }
}

impl Fault {
    /// The faulting lane with the lowest number.
    pub fn lane(&self) -> u32 {
        self.lanes.trailing_zeros() & 31
    }

    /// An mbarrier as the source calls it, or else by its address.
    fn mbarrier(&self, address: u64) -> String {
        match self.mbarrier_names.iter().find(|(at, _)| *at == address) {
            Some((_, name)) => format!("`{name}`"),
            None => at_address(address),
        }
    }
}

/// Names an mbarrier whose name is not known.
fn at_address(address: u64) -> String {
    format!("at 0x{address:x}")
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.thread;
        let [bx, by, bz] = self.block;
        let who = format!("thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz})");
        if let Some(access) = &self.access {
            return write!(f, "{who}: {}", AccessMessage(&self.kind, access));
        }
        match &self.kind {
            FaultKind::Deadlock { waiting } => write_deadlock(f, self, waiting),
            FaultKind::UndefinedMatrix(mistake) => write!(f, "in the warp of {who}: {mistake}"),
            FaultKind::Trap => write!(f, "{who} executed a trap"),
            FaultKind::Assert { message } => write!(f, "{who}: {message}"),
            FaultKind::NotEmulated { opcode, why: None } => {
                write!(f, "the emulator does not support `{opcode}` yet")
            }
            FaultKind::NotEmulated {
                opcode,
                why: Some(why),
            } => write!(f, "the emulator does not support `{opcode}`: {why}"),
            FaultKind::StackOverflow => write!(f, "stack overflow in {who}"),
            FaultKind::BadCallTarget { address } => {
                write!(
                    f,
                    "{who} called 0x{address:x}, which is not the address of a function"
                )
            }
            FaultKind::BadBranchIndex { index, n_targets } => write!(
                f,
                "{who} branched to index {index} of a branch table with {}",
                counted(*n_targets, "target")
            ),
            FaultKind::BadBarrier { id, threads } => match threads {
                Some(threads) => {
                    let threads = counted(*threads, "thread");
                    write!(f, "barrier {id} cannot wait for {threads}")
                }
                None => write!(f, "barrier {id} does not exist"),
            },
            FaultKind::Mbarrier(fault) => {
                write!(f, "{who}: ")?;
                write_misuse(f, fault, &self.mbarrier(fault.address))
            }
            FaultKind::DistantMbarrier => {
                write!(
                    f,
                    "{who}: the mbarrier and the destination of the copy are in the shared memory of different blocks"
                )
            }
            FaultKind::TensorCopy { why }
            | FaultKind::TensorMemory { why }
            | FaultKind::Image { why }
            | FaultKind::SurfaceOutOfBounds { why } => {
                write!(f, "{who}: {why}")
            }
            FaultKind::LeftOutBytes { bytes } => {
                write!(
                    f,
                    "the bulk copy ignores {bytes} bytes at one end, expected 0 to 15"
                )
            }
            FaultKind::BadCopySize { bytes, multiple } => {
                write!(
                    f,
                    "{who}: found a copy size of {}, expected a multiple of {multiple}",
                    counted(*bytes, "byte")
                )
            }
            FaultKind::Internal { what } => {
                write!(f, "internal emulator error: {what}")
            }
            FaultKind::Misaligned
            | FaultKind::OutOfBounds
            | FaultKind::ReadOnly
            | FaultKind::WrongSpace => write!(f, "{who}: {}", self.kind.name()),
        }
    }
}

fn write_misuse(f: &mut fmt::Formatter<'_>, fault: &MbarrierFault, name: &str) -> fmt::Result {
    let MbarrierFault { block, problem, .. } = fault;
    write!(f, "mbarrier {name} of block {block}: {problem}")?;
    match fault.held {
        Some(held) => write!(f, " ({held})"),
        None => Ok(()),
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_reason(f, self, at_address)
    }
}

/// Writes what a group waits for; `mbarrier` names the one at an address.
fn write_reason(
    f: &mut fmt::Formatter<'_>,
    reason: &WaitReason,
    mbarrier: impl Fn(u64) -> String,
) -> fmt::Result {
    match reason {
        WaitReason::Barrier { id } => write!(f, "for the other threads at barrier {id}"),
        WaitReason::WarpLanes { missing } => {
            write!(f, "for {} of its warp", LaneList(*missing))
        }
        WaitReason::MbarrierPhase { address, parity } => write!(
            f,
            "for the phase with parity {} of mbarrier {}",
            u32::from(*parity),
            mbarrier(*address)
        ),
        WaitReason::AsyncGroup { n: 0 } => write!(f, "for all asynchronous groups"),
        WaitReason::AsyncGroup { n } => {
            write!(f, "for all but {}", counted(*n, "asynchronous group"))
        }
        WaitReason::ClusterBarrier => write!(f, "for the other threads at the cluster barrier"),
        WaitReason::TensorColumns { n } => {
            write!(
                f,
                "for {n} tensor memory columns that are never deallocated"
            )
        }
        WaitReason::Memory => write!(f, "for a memory location to change"),
    }
}

fn write_deadlock(f: &mut fmt::Formatter<'_>, fault: &Fault, waiting: &[Waiter]) -> fmt::Result {
    let [x, y, z] = fault.block;
    let one_block = waiting.iter().all(|w| w.block == fault.block_index);
    if one_block {
        write!(f, "block ({x}, {y}, {z}) is stuck")?;
    } else {
        write!(f, "block ({x}, {y}, {z}) and other blocks are stuck")?;
    }
    write!(f, ", because all remaining threads are waiting")?;
    for waiter in waiting.iter().take(4) {
        write!(f, "; ")?;
        write!(f, "{} of warp {}", LaneList(waiter.lanes), waiter.warp)?;
        if !one_block {
            write!(f, " of block {}", waiter.block)?;
        }
        write!(f, " ")?;
        write_reason(f, &waiter.waits_for, |address| fault.mbarrier(address))?;
        if let Some(held) = waiter.mbarrier {
            write!(f, " ({held})")?;
        }
    }
    if waiting.len() > 4 {
        write!(f, "; and {} more", waiting.len() - 4)?;
    }
    Ok(())
}

struct AccessMessage<'a>(&'a FaultKind, &'a AccessFault);

impl fmt::Display for AccessMessage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccessMessage(kind, access) = self;
        let verb = match access.kind {
            AccessKind::Load => "load",
            AccessKind::Store => "store",
            AccessKind::Atomic => "atomic access",
        };
        let what = match kind {
            FaultKind::Misaligned => "misaligned ",
            FaultKind::OutOfBounds => "out-of-bounds ",
            FaultKind::ReadOnly => "read-only ",
            FaultKind::WrongSpace => "wrong-space ",
            _ => "",
        };
        write!(
            f,
            "{what}{verb} of {} at 0x{:x}",
            counted(access.width_bytes, "byte"),
            access.address
        )?;
        let place = &access.place;
        let name = match &place.region {
            Region::Nothing => return write!(f, ", near no allocation"),
            Region::Buffer { name, .. } => format!("buffer `{name}`"),
            Region::Variable { name, .. } => format!("variable `{name}`"),
            Region::Shared => "shared memory".to_owned(),
            Region::Local => "local memory".to_owned(),
            Region::Parameters => "the kernel parameters".to_owned(),
        };
        let size = place.size_bytes;
        if place.byte_offset < 0 {
            let distance = counted(place.byte_offset.unsigned_abs(), "byte");
            return write!(f, ", {distance} before {name}");
        }
        match (place.byte_offset as u64).checked_sub(size) {
            Some(0) => write!(
                f,
                ", just after the end of {name} ({})",
                counted(size, "byte")
            ),
            Some(distance) => {
                let distance = counted(distance, "byte");
                write!(
                    f,
                    ", {distance} after the end of {name} ({})",
                    counted(size, "byte")
                )
            }
            None => write!(
                f,
                ", byte {} of {name} ({})",
                place.byte_offset,
                counted(size, "byte")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::fault::LaneList;

    #[test]
    fn lanes_are_listed_as_a_person_counts_them() {
        let cases = [
            (u32::MAX, "all lanes"),
            (1 << 31, "lane 31"),
            (0xff, "lanes 0 to 7"),
            (0xffff_ff00, "lanes 8 to 31"),
            (0b1_0000_0111, "lanes 0 to 2 and 8"),
            (0b1011, "lanes 0, 1 and 3"),
            (0b11, "lanes 0 and 1"),
            (0x8000_0005, "lanes 0, 2 and 31"),
        ];
        for (mask, text) in cases {
            assert_eq!(LaneList(mask).to_string(), text);
        }
    }
}
