//! Launch configuration, and the reasons why a launch is rejected before its first step.

use crate::contract::image::ImageInit;
use crate::contract::multicast::MulticastInit;
use crate::contract::schedule::ScheduledTurn;
use std::fmt;
use std::sync::Arc;
use warpgrid_program::{FunctionId, counted};

/// Index of a buffer in [`Launch::buffers`], by which arguments and images refer to the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferIndex(pub u32);

/// Launch configuration from which a machine is created: entry function, grid and block dimensions, memory and
/// arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub entry: FunctionId,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Cluster dimensions in blocks; `[1, 1, 1]` for a launch without clusters.
    pub cluster: [u32; 3],
    pub dynamic_shared_bytes: u64,
    pub buffers: Vec<BufferInit>,
    /// Textures and surfaces. The function [`ImageInit::handle`] returns the handle of the image with a given index.
    pub images: Vec<ImageInit>,
    /// Multicast addresses. The function [`MulticastInit::address`] returns the multicast address with a given index.
    pub multicasts: Vec<MulticastInit>,
    /// Kernel arguments in the order of the parameters.
    pub arguments: Vec<KernelArgument>,
    /// Seed of the scheduler. The seed 0 selects round-robin scheduling.
    pub seed: u64,
    /// Turns with which the run starts. After the last turn, the scheduler selects agents by its seed.
    pub schedule: Arc<[ScheduledTurn]>,
    pub writer_tracking: WriterTracking,
    /// Registers with a nonzero initial value. Entries for registers that the kernel does not use have no effect.
    pub registers: Vec<RegisterInit>,
    pub misaligned: MisalignedPolicy,
}

/// Whether the machine records the last writer of each byte, which memory grids require. Recording increases the run
/// time, and requires up to eight bytes of memory per byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterTracking {
    Off,
    LastWriter,
}

impl WriterTracking {
    /// Returns the maximum number of bytes that one byte of memory consumes, including the entry for its last writer.
    pub(crate) const fn bytes_per_byte(self) -> u64 {
        match self {
            WriterTracking::Off => 1,
            WriterTracking::LastWriter => 9,
        }
    }
}

impl Launch {
    /// Returns a launch of a kernel with one thread, without buffers and arguments.
    pub fn single(entry: FunctionId) -> Launch {
        Launch {
            entry,
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            buffers: Vec::new(),
            images: Vec::new(),
            multicasts: Vec::new(),
            arguments: Vec::new(),
            seed: 0,
            schedule: Arc::default(),
            writer_tracking: WriterTracking::Off,
            registers: Vec::new(),
            misaligned: MisalignedPolicy::Fault,
        }
    }
}

/// Initial value of a register: `start + per_lane * lane + per_thread * thread`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInit {
    /// Name of the register in the source, such as `R2`.
    pub name: String,
    pub start: u64,
    pub per_lane: u64,
    /// Factor of the thread's linear index within its block.
    pub per_thread: u64,
    /// Buffer whose address is added to the initial value.
    pub buffer: Option<BufferIndex>,
}

/// Treatment of misaligned memory accesses by the emulator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum MisalignedPolicy {
    /// The launch faults when an instruction attempts a misaligned access.
    #[default]
    Fault,
    /// The emulator rounds the address down to a multiple of the access size.
    Force,
}

/// Buffer that a launch allocates in global memory, with its initial contents.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferInit {
    pub name: String,
    pub contents: BufferContents,
    /// Alignment in bytes. The alignment is at least 256, as the allocators of CUDA guarantee.
    pub align_bytes: u32,
    /// Positions in the contents that receive the address of a buffer. For [`BufferContents::Fill`], the positions are
    /// within the pattern.
    pub pointers: Vec<PointerRelocation>,
}

/// Initial contents of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum BufferContents {
    Bytes(Vec<u8>),
    /// Bytes that the host shares with other launches.
    Shared(Arc<[u8]>),
    /// The buffer consists of this number of zero bytes.
    Zeroed(u64),
    /// The buffer consists of `size_bytes` bytes, which repeat the pattern.
    Fill {
        size_bytes: u64,
        pattern: Vec<u8>,
    },
}

impl BufferContents {
    /// Returns the size of the buffer in bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            BufferContents::Bytes(bytes) => bytes.len() as u64,
            BufferContents::Shared(bytes) => bytes.len() as u64,
            BufferContents::Zeroed(size) => *size,
            BufferContents::Fill { size_bytes, .. } => *size_bytes,
        }
    }
}

/// Argument for one kernel parameter, as raw bytes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct KernelArgument {
    pub bytes: Vec<u8>,
    /// Alignment of the parameter type, which determines the parameter offsets of a kernel that does not declare its
    /// parameters.
    pub align_bytes: u64,
    /// Positions in the argument that receive the address of a buffer.
    pub pointers: Vec<PointerRelocation>,
}

/// Position in an argument or a buffer that receives the address of a buffer. The address has the address size of the
/// module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerRelocation {
    pub byte_offset: u32,
    pub buffer: BufferIndex,
    /// Constant that is added to the address of the buffer.
    pub addend: i64,
}

/// Limits on the memory, blocks and threads of a run, which the host specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Limit for the size of global memory, constants and parameters. Values above [`ResourceLimits::MAX_GLOBAL_BYTES`]
    /// are rejected. The limit does not include last-writer entries, which are allocated on the first write.
    pub max_memory_bytes: u64,
    /// Limit for the size of shared memory, local memory and registers of resident warps, including last-writer entries
    /// if writers are tracked. In addition, memory that global memory does not use is available.
    pub max_resident_bytes: u64,
    /// Maximum number of resident blocks.
    pub max_resident_blocks: u32,
    /// Maximum number of resident threads. One cluster is always resident, even if it exceeds the limit.
    pub max_resident_threads: u32,
    pub max_call_depth: u32,
    /// Maximum stack size of a thread in bytes.
    pub max_local_bytes: u64,
    /// Maximum number of lines that `printf` may output.
    pub max_notes: u32,
}

impl ResourceLimits {
    /// Upper bound for the size of global memory, constants and parameters of any launch, because internal offsets have
    /// 32 bits.
    pub const MAX_GLOBAL_BYTES: u64 = (1 << 32) - (1 << 16);
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            // One buffer of 1 GiB, and 16 MiB for small buffers.
            max_memory_bytes: (1 << 30) + (16 << 20),
            max_resident_bytes: 256 << 20,
            max_resident_blocks: 32,
            max_resident_threads: 8192,
            max_call_depth: 256,
            max_local_bytes: 512 << 10,
            max_notes: 1000,
        }
    }
}

/// Reason why a launch is rejected before its first step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    NoSuchEntry,
    /// The entry is a device function, or it has no body.
    NotAnEntry {
        name: String,
    },
    ZeroExtent {
        what: &'static str,
        extents: [u32; 3],
    },
    /// An extent of the grid or the block is too large. The limit is 2^31-1 for `grid.x`, 65535 for `grid.y` and
    /// `grid.z`, and 1024, 1024 and 64 for `block`.
    ExtentTooLarge {
        what: &'static str,
        axis: usize,
        extent: u32,
        limit: u32,
    },
    TooManyThreads {
        threads: u64,
        limit: u32,
    },
    /// The launch violates `.reqntid`, `.maxntid`, `.reqnctapercluster` or `.maxclusterrank` of the kernel.
    BoundsOfKernel {
        directive: &'static str,
        wanted: [u32; 3],
        found: [u32; 3],
    },
    /// The grid dimensions are not multiples of the cluster dimensions.
    GridNotInClusters {
        grid: [u32; 3],
        cluster: [u32; 3],
    },
    /// The cluster has more blocks than the target or the limits of the run allow.
    ClusterTooLarge {
        blocks: u32,
        limit: u32,
    },
    /// The target of the module does not support clusters.
    NoClusters {
        target: &'static str,
    },
    ArgumentCount {
        expected: usize,
        found: usize,
    },
    ArgumentSize {
        index: usize,
        name: String,
        expected: u64,
        found: u64,
    },
    /// A pointer relocation refers to an unknown buffer, or its position exceeds its argument.
    BadPointer {
        index: usize,
    },
    /// A texture or surface refers to an unknown buffer, or its texels exceed the buffer.
    BadImage {
        index: usize,
    },
    SharedTooLarge {
        bytes: u64,
        limit: u64,
    },
    LocalTooLarge {
        bytes: u64,
        limit: u64,
    },
    BufferTooLarge {
        name: String,
        bytes: u64,
        limit: u64,
    },
    /// The memory limit that the host has set exceeds the maximum of the emulator.
    LimitTooLarge {
        asked: u64,
        most: u64,
    },
    /// The total memory size of the launch exceeds the limit.
    MemoryTooLarge {
        bytes: u64,
        limit: u64,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = |[x, y, z]: &[u32; 3]| format!("{x}x{y}x{z}");
        match self {
            LaunchError::NoSuchEntry => write!(f, "the module does not contain this kernel"),
            LaunchError::NotAnEntry { name } => {
                write!(f, "the function `{name}` is not a kernel with a body")
            }
            LaunchError::ZeroExtent { what, extents } => {
                write!(
                    f,
                    "the {what} size {} has an extent of zero",
                    shape(extents)
                )
            }
            LaunchError::ExtentTooLarge {
                what,
                axis,
                extent,
                limit,
            } => {
                let axis = ["x", "y", "z"].get(*axis).unwrap_or(&"?");
                write!(f, "{what}.{axis} is {extent}, expected at most {limit}")
            }
            LaunchError::TooManyThreads { threads, limit } => {
                write!(
                    f,
                    "the launch has {threads} threads per block, expected at most {limit}"
                )
            }
            LaunchError::BoundsOfKernel {
                directive,
                wanted,
                found,
            } => write!(
                f,
                "the directive `{directive}` of the kernel requires {}, but the launch configuration specifies {}",
                shape(wanted),
                shape(found)
            ),
            LaunchError::GridNotInClusters { grid, cluster } => write!(
                f,
                "the grid size {} is not divisible by the cluster size {}",
                shape(grid),
                shape(cluster)
            ),
            LaunchError::ClusterTooLarge { blocks, limit } => write!(
                f,
                "the launch has {blocks} blocks per cluster, expected at most {limit}"
            ),
            LaunchError::NoClusters { target } => {
                write!(
                    f,
                    "clusters require `sm_90` or later, but the target is `{target}`"
                )
            }
            LaunchError::ArgumentCount { expected, found } => {
                write!(
                    f,
                    "found {}, expected {expected}",
                    counted(*found, "argument")
                )
            }
            LaunchError::ArgumentSize {
                index,
                name,
                expected,
                found,
            } => write!(
                f,
                "found {} for argument {index} (`{name}`), expected {expected}",
                counted(*found, "byte")
            ),
            LaunchError::BadPointer { index } => {
                write!(
                    f,
                    "argument {index} contains a pointer that exceeds the argument or refers to an unknown buffer"
                )
            }
            LaunchError::BadImage { index } => {
                write!(f, "the memory of image {index} is not within a buffer")
            }
            LaunchError::LimitTooLarge { asked, most } => {
                write!(f, "`max_memory_bytes` is {asked}, expected at most {most}")
            }
            LaunchError::SharedTooLarge { bytes, limit } => {
                write!(
                    f,
                    "the launch uses {bytes} bytes of shared memory per block, expected at most {limit}"
                )
            }
            LaunchError::LocalTooLarge { bytes, limit } => {
                write!(
                    f,
                    "the kernel uses {bytes} bytes of local memory per thread, expected at most {limit}"
                )
            }
            LaunchError::BufferTooLarge { name, bytes, limit } => {
                write!(
                    f,
                    "buffer `{name}` has {bytes} bytes, expected at most {limit}"
                )
            }
            LaunchError::MemoryTooLarge { bytes, limit } => {
                write!(
                    f,
                    "the launch needs {bytes} bytes of memory, expected at most {limit}"
                )
            }
        }
    }
}

impl std::error::Error for LaunchError {}
