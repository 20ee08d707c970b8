//! Faults: the attempted operation, the accessed bytes, and the faulting lanes.

use crate::contract::agent::Agent;
use crate::contract::launch::BufferIndex;
use crate::contract::mbarrier::{MbarrierMisuse, MbarrierState};
use crate::contract::observer::MemoryId;
use crate::contract::tensor_map::TensorType;
use std::fmt;
pub use warpgrid_isa::AccessKind;
use warpgrid_isa::StateSpace;
use warpgrid_program::{FunctionId, counted};

/// Fault that stopped a run: its kind, the faulting instruction, and the faulting lanes. The faulting instruction has
/// no effect, and all earlier steps are complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub kind: FaultKind,
    /// Warp or asynchronous operation that faulted.
    pub agent: Agent,
    /// Number of steps that completed before the fault.
    pub step: u64,
    pub function: FunctionId,
    /// Index of the instruction in the function.
    pub instruction: u32,
    /// Position of the block in the grid.
    pub block: [u32; 3],
    /// Linear index of the block.
    pub block_index: u64,
    pub warp: u32,
    /// All faulting lanes.
    pub lanes: u32,
    /// Thread index of the lowest faulting lane.
    pub thread: [u32; 3],
    /// Memory access that faulted, or `None` if no memory access caused the fault.
    pub access: Option<AccessFault>,
    /// Source names and shared memory addresses of the mbarriers to which the fault refers.
    pub mbarrier_names: Vec<(u64, String)>,
}

/// Memory access of the lowest faulting lane.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessFault {
    pub kind: AccessKind,
    /// State space of the faulting instruction.
    pub space: StateSpace,
    /// Address as computed by the lane.
    pub address: u64,
    pub width_bytes: u32,
    /// Location of the address relative to the region that contains the address or is nearest to it.
    pub place: FaultLocation,
}

/// Location of an address relative to a named region.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultLocation {
    /// Region that contains the address or is nearest to the address.
    pub region: NamedRegion,
    /// Offset of the address from the start of the region. The offset is negative for addresses before the region, and
    /// at least `size_bytes` for addresses after the region.
    pub byte_offset: i64,
    /// Size of the region in bytes.
    pub size_bytes: u64,
}

/// Named region of memory, in which hosts locate a faulting address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedRegion {
    Buffer {
        index: BufferIndex,
        name: String,
    },
    /// Module variable in global or constant memory.
    Variable {
        index: u32,
        name: String,
    },
    /// Shared memory of the block. Offsets are relative to the first variable.
    Shared,
    /// Stack of the faulting thread in local memory.
    Local,
    /// Kernel parameters.
    Parameters,
    /// No region is near the address.
    Nothing,
}

impl NamedRegion {
    /// Returns the name of the region in messages and in the test corpus: the name of the buffer or variable, or
    /// `shared`, `local`, `param` or `nothing`.
    pub fn name(&self) -> &str {
        match self {
            NamedRegion::Buffer { name, .. } | NamedRegion::Variable { name, .. } => name,
            NamedRegion::Shared => "shared",
            NamedRegion::Local => "local",
            NamedRegion::Parameters => "param",
            NamedRegion::Nothing => "nothing",
        }
    }
}

/// Kind of a fault, with the values that its message contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The address is not a multiple of the access size.
    Misaligned,
    /// No allocation contains all bytes of the access.
    OutOfBounds,
    /// The instruction stores to constant memory or to the kernel parameters.
    ReadOnly,
    /// The memory at the address does not support the atomic operation, or belongs to another state space than the
    /// instruction specifies.
    WrongSpace,
    /// All remaining threads of the block wait for an event that cannot occur.
    Deadlock { waiting: Vec<WaitingGroup> },
    /// The matrix instruction is used in a way whose behavior the PTX ISA does not define.
    UndefinedMatrix(MatrixMisuse),
    /// The instruction is `trap`, or `brkpt` without a debugger.
    Trap,
    /// An assertion of the kernel failed (`__assertfail`).
    Assert { message: String },
    /// The instruction is valid, but the emulator does not support it. `opcode` is the opcode in the source. `why` is
    /// the missing feature, if the front end specifies it.
    Unsupported { opcode: String, why: Option<String> },
    /// The call depth or the stack size exceeds its limit.
    StackOverflow,
    /// The address of an indirect call is not a function, or the function is not a permitted target of the call.
    BadCallTarget { address: u64 },
    /// The index of a `brx.idx` instruction is beyond the end of its branch table.
    BadBranchIndex { index: u64, n_targets: u32 },
    /// A barrier number is 16 or more, or a thread count is not a multiple of 32.
    BadBarrier { id: u32, threads: Option<u32> },
    /// The PTX ISA does not define the behavior of an operation on an mbarrier object.
    Mbarrier(MbarrierFault),
    /// The completion mbarrier of an asynchronous operation is not in the memory of the operation's destination.
    MbarrierInOtherBlock,
    /// The size of a copy is not a multiple of `multiple`.
    InvalidCopySize { bytes: u64, multiple: u32 },
    /// A bulk copy ignores 16 bytes or more at one end, although a shorter copy would suffice.
    InvalidIgnoreBytes { bytes: u64 },
    /// A tensor map is invalid, or a copy with a tensor map is invalid.
    TensorCopy { why: String },
    /// The start coordinates of a tensor copy are invalid. The driver reports an illegal instruction (measured on an
    /// H100).
    IllegalInstruction(InvalidCoordinate),
    /// An instruction uses tensor memory in an invalid way.
    TensorMemory { why: String },
    /// A texture or surface handle is invalid, or an instruction uses the texture or surface in an invalid way.
    Image { why: String },
    /// A surface access with a trapping clamp mode is out of bounds.
    SurfaceOutOfBounds { why: String },
    /// The state of the emulator is inconsistent. This fault is a bug of the emulator, not of the program.
    Internal { what: String },
}

/// Reason why the start coordinates of a tensor copy are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidCoordinate {
    /// The byte offset of the coordinate of dimension 0 is not a multiple of 16 bytes.
    Misaligned {
        coordinate: i64,
        offset_bytes: i64,
        /// Element type of the tensor map.
        ty: TensorType,
        /// Number of elements in 16 bytes.
        multiple_elements: u64,
    },
    /// A tensor store starts before the first element of a dimension.
    NegativeStart { dimension: usize, coordinate: i64 },
}

impl InvalidCoordinate {
    /// Alignment in bytes of the start of a tensor copy in dimension 0.
    pub(crate) const ALIGNMENT_BYTES: u64 = 16;
}

impl fmt::Display for InvalidCoordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidCoordinate::Misaligned {
                coordinate,
                offset_bytes,
                ..
            } => write!(
                f,
                "coordinate {coordinate} of dimension 0 corresponds to byte offset {offset_bytes}, expected a multiple of {}",
                InvalidCoordinate::ALIGNMENT_BYTES
            ),
            InvalidCoordinate::NegativeStart {
                dimension,
                coordinate,
            } => write!(
                f,
                "the tensor store starts at coordinate {coordinate} of dimension {dimension}, expected at least 0"
            ),
        }
    }
}

/// Undefined operation on an mbarrier object: the misuse, and the location and state of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierFault {
    /// Linear index of the block whose shared memory contains the object.
    pub block: u64,
    /// Address of the object in shared memory.
    pub address: u64,
    pub problem: MbarrierMisuse,
    /// State of the mbarrier object, or `None` if the address contains no mbarrier object.
    pub held: Option<MbarrierState>,
}

/// Reason why the behavior of a matrix instruction is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixMisuse {
    /// Some lanes have exited, do not exist in the block, or are predicated off.
    MissingLanes { missing: u32 },
    /// The lanes specify different matrix addresses.
    UnequalAddresses,
    /// The lanes specify different strides.
    UnequalStrides,
    /// The stride, in elements, violates the alignment of the compiled accesses, which ignore the low address bits.
    MisalignedStride { stride: u32, needed_bytes: u8 },
    /// The byte ID or thread ID of a scale factor selector selects no scale factors, or the selectors differ between
    /// lanes. The fields are the values of lane 0.
    InvalidScaleSelectors { byte: u16, lane: u16 },
}

impl fmt::Display for MatrixMisuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatrixMisuse::MissingLanes { missing } => write!(
                f,
                "{} did not participate in a matrix instruction, which is undefined behavior: all 32 threads of the warp must execute the instruction",
                LaneMaskDisplay(*missing)
            ),
            MatrixMisuse::UnequalAddresses => write!(
                f,
                "the matrix address of a lane differs from the address of lane 0, which is undefined behavior: all threads of the warp must use the same address"
            ),
            MatrixMisuse::UnequalStrides => write!(
                f,
                "the matrix stride of a lane differs from the stride of lane 0, which is undefined behavior: all threads of the warp must use the same stride"
            ),
            MatrixMisuse::MisalignedStride {
                stride,
                needed_bytes,
            } => write!(
                f,
                "the matrix stride of {} is not a multiple of {}, so the compiled accesses would be misaligned",
                counted(*stride, "element"),
                counted(*needed_bytes, "byte")
            ),
            MatrixMisuse::InvalidScaleSelectors { byte, lane } => write!(
                f,
                "the scale factor selector with byte ID {byte} and thread ID {lane} is invalid, which is undefined behavior: the selector must refer to a scale factor, and must be the same in all lanes"
            ),
        }
    }
}

/// Lane mask that is formatted as text in messages: `lane 3`, `lanes 0 to 7 and 12`, `all lanes`.
#[derive(Clone, Copy, Debug)]
pub struct LaneMaskDisplay(pub u32);

impl fmt::Display for LaneMaskDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaneMaskDisplay(mask) = *self;
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

/// Group of lanes that wait in a deadlock: its location, and the event for which it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingGroup {
    /// Linear index of the block.
    pub block: u64,
    pub warp: u32,
    pub lanes: u32,
    pub function: FunctionId,
    pub instruction: u32,
    pub waits_for: WaitReason,
    /// State of the mbarrier for which the lanes wait.
    pub mbarrier: Option<MbarrierState>,
    /// Condition that the lanes poll in a spin loop, or `None` if the lanes wait without executing instructions.
    pub spins_at: Option<PollTarget>,
}

/// Condition that a spin loop polls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PollTarget {
    Memory {
        memory: MemoryId,
        address: u64,
    },
    /// Phase of an mbarrier in the shared memory of the block.
    Phase {
        address: u64,
        parity: bool,
    },
    /// The spin loop tests only registers that it does not modify.
    Registers,
}

/// Reason why a group of lanes waits, with the event that ends the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// The lanes wait at a barrier of the block at which other threads have not arrived.
    Barrier { id: u32 },
    /// The lanes wait for lanes in the member mask of a warp-level collective or barrier that have not arrived.
    WarpLanes { missing: u32 },
    /// The lanes wait until the phase with this parity completes. The mbarrier is located at this address in the shared
    /// memory of the block.
    MbarrierPhase { address: u64, parity: bool },
    /// The lanes wait until all async-groups except for the latest `n` groups have completed.
    AsyncGroup { n: u32 },
    /// The lanes wait at the barrier of the cluster, at which other threads have not arrived.
    ClusterBarrier,
    /// The lanes wait until the block deallocates columns of tensor memory.
    TensorColumns { n: u32 },
    /// The lanes wait until another warp modifies memory.
    Memory,
}

impl WaitReason {
    /// Checks whether an arrival count includes the waiting lanes. No other lanes may be merged into a group whose
    /// arrival count includes the waiting lanes.
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

    /// Checks whether only warps and asynchronous operations of the same cluster can satisfy the wait condition.
    pub(crate) const fn stays_in_cluster(&self) -> bool {
        !matches!(self, WaitReason::Memory)
    }
}

impl FaultKind {
    /// Returns the addresses of the mbarriers to which the fault refers.
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

    /// Returns the stable identifier of the fault kind, such as `misaligned` or `out_of_bounds`.
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
            FaultKind::Unsupported { .. } => "not_emulated",
            FaultKind::StackOverflow => "stack_overflow",
            FaultKind::BadCallTarget { .. } => "bad_call_target",
            FaultKind::BadBranchIndex { .. } => "bad_branch_index",
            FaultKind::BadBarrier { .. } => "bad_barrier",
            FaultKind::Mbarrier(_) => "mbarrier",
            FaultKind::MbarrierInOtherBlock => "distant_mbarrier",
            FaultKind::InvalidCopySize { .. } => "bad_copy_size",
            FaultKind::InvalidIgnoreBytes { .. } => "left_out_bytes",
            FaultKind::TensorCopy { .. } => "tensor_copy",
            FaultKind::IllegalInstruction(_) => "illegal_instruction",
            FaultKind::TensorMemory { .. } => "tensor_memory",
            FaultKind::Image { .. } => "image",
            FaultKind::SurfaceOutOfBounds { .. } => "surface_out_of_bounds",
            FaultKind::Internal { .. } => "internal",
        }
    }
}

impl Fault {
    /// Returns the lowest faulting lane.
    pub fn lane(&self) -> u32 {
        self.lanes.trailing_zeros() & 31
    }

    /// Returns the source name of an mbarrier, or its address if the name is unknown.
    fn mbarrier(&self, address: u64) -> String {
        match self.mbarrier_names.iter().find(|(at, _)| *at == address) {
            Some((_, name)) => format!("`{name}`"),
            None => at_address(address),
        }
    }
}

/// Formats an mbarrier without a known name by its address.
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
            FaultKind::Unsupported { opcode, why: None } => {
                write!(f, "the emulator does not support `{opcode}` yet")
            }
            FaultKind::Unsupported {
                opcode,
                why: Some(reason),
            } => write!(f, "the emulator does not support `{opcode}`: {reason}"),
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
            FaultKind::MbarrierInOtherBlock => {
                write!(
                    f,
                    "{who}: the mbarrier and the destination of the copy are in the shared memory of different blocks"
                )
            }
            FaultKind::TensorCopy { why: reason }
            | FaultKind::TensorMemory { why: reason }
            | FaultKind::Image { why: reason }
            | FaultKind::SurfaceOutOfBounds { why: reason } => {
                write!(f, "{who}: {reason}")
            }
            FaultKind::IllegalInstruction(reason) => write!(f, "{who}: {reason}"),
            FaultKind::InvalidIgnoreBytes { bytes } => {
                write!(
                    f,
                    "the bulk copy ignores {bytes} bytes at one end, expected 0 to 15"
                )
            }
            FaultKind::InvalidCopySize { bytes, multiple } => {
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

/// Writes the reason of a wait as text. The function `mbarrier` formats the mbarrier at an address.
fn write_reason(
    f: &mut fmt::Formatter<'_>,
    reason: &WaitReason,
    mbarrier: impl Fn(u64) -> String,
) -> fmt::Result {
    match reason {
        WaitReason::Barrier { id } => write!(f, "for the other threads at barrier {id}"),
        WaitReason::WarpLanes { missing } => {
            write!(f, "for {} of its warp", LaneMaskDisplay(*missing))
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

fn write_deadlock(
    f: &mut fmt::Formatter<'_>,
    fault: &Fault,
    waiting: &[WaitingGroup],
) -> fmt::Result {
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
        write!(
            f,
            "{} of warp {}",
            LaneMaskDisplay(waiter.lanes),
            waiter.warp
        )?;
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
            NamedRegion::Nothing => return write!(f, ", near no allocation"),
            NamedRegion::Buffer { name, .. } => format!("buffer `{name}`"),
            NamedRegion::Variable { name, .. } => format!("variable `{name}`"),
            NamedRegion::Shared => "shared memory".to_owned(),
            NamedRegion::Local => "local memory".to_owned(),
            NamedRegion::Parameters => "the kernel parameters".to_owned(),
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
    use crate::contract::fault::LaneMaskDisplay;

    #[test]
    fn lane_mask_display_lists_ranges_and_single_lanes() {
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
            assert_eq!(LaneMaskDisplay(mask).to_string(), text);
        }
    }
}
