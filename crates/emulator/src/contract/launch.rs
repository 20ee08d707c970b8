//! What a launch needs besides the program, and why one may be refused before its first step.

use crate::contract::image::ImageInit;
use crate::contract::multicast::MulticastInit;
use std::fmt;
use warpgrid_program::{FunctionId, counted};

/// Index into [`Launch::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BufferIndex(pub u32);

/// A kernel launch: entry, shape, memory and parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub entry: FunctionId,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// Blocks of one cluster; `[1, 1, 1]` without clusters.
    pub cluster: [u32; 3],
    pub dynamic_shared_bytes: u64,
    pub buffers: Vec<BufferInit>,
    /// Textures and surfaces; a handle is [`ImageInit::handle`] of the number.
    pub images: Vec<ImageInit>,
    /// Addresses that stand for several buffers: [`MulticastInit::address`] of the number.
    pub multicasts: Vec<MulticastInit>,
    /// One a kernel parameter, in order.
    pub arguments: Vec<ArgumentInit>,
    /// Turns the scheduler; 0 is plain round robin.
    pub seed: u64,
    /// Keep for every byte who wrote it last; costs eight bytes a byte.
    pub track_writers: bool,
    /// Registers that the kernel does not begin with zero in; what the kernel does not name is left out.
    pub registers: Vec<RegisterInit>,
    pub misaligned: Misaligned,
}

impl Launch {
    /// The least launch of a kernel: one thread, and no memory of the host.
    pub const fn single(entry: FunctionId) -> Launch {
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
            track_writers: false,
            registers: Vec::new(),
            misaligned: Misaligned::Fault,
        }
    }
}

/// What a register holds at the first step: `start + per_lane * lane + per_thread * thread`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterInit {
    /// Name of the register in the source: `R2`.
    pub name: String,
    pub start: u64,
    pub per_lane: u64,
    /// Of the thread's number in its block.
    pub per_thread: u64,
    /// The address of a buffer is added.
    pub buffer: Option<BufferIndex>,
}

/// Behaviour of an access whose address is not a multiple of its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Misaligned {
    /// The launch stops before the access.
    #[default]
    Fault,
    /// The address is rounded down to a multiple.
    Force,
}

/// A global allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferInit {
    pub name: String,
    pub contents: Contents,
    /// At least 256 is used, as allocators on the machine do.
    pub align_bytes: u32,
    /// Places in the contents where the address of a buffer goes, in those of a fill within its pattern.
    pub pointers: Vec<PointerPatch>,
}

/// The initial bytes of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    Bytes(Vec<u8>),
    /// This many bytes, all zero.
    Zeroed(u64),
    /// `size_bytes` bytes, the pattern over and over.
    Fill {
        size_bytes: u64,
        pattern: Vec<u8>,
    },
}

impl Contents {
    /// Size of the buffer.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Contents::Bytes(bytes) => bytes.len() as u64,
            Contents::Zeroed(size) => *size,
            Contents::Fill { size_bytes, .. } => *size_bytes,
        }
    }
}

/// The raw bytes of one kernel parameter.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ArgumentInit {
    pub bytes: Vec<u8>,
    /// Of its type; where a kernel leaves its parameters open, it decides their places.
    pub align_bytes: u64,
    /// Places where the address of a buffer goes.
    pub pointers: Vec<PointerPatch>,
}

/// Writes the address of a buffer, as wide as the module's addresses, into an argument or a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerPatch {
    pub byte_offset: u32,
    pub buffer: BufferIndex,
    /// Added to the address.
    pub addend: i64,
}

/// Bounds that keep a run from taking the host down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Global memory, constants and parameters; more than [`Limits::MOST_GLOBAL_BYTES`] is refused. Their last writers come on top,
    /// where they are kept, as steps write.
    pub max_memory_bytes: u64,
    /// Shared and local memory plus registers of resident warps, with last writers where they are kept; what global memory
    /// leaves is theirs too.
    pub max_resident_bytes: u64,
    /// Blocks that run at the same time.
    pub max_resident_blocks: u32,
    /// Threads that run at the same time; one cluster always fits.
    pub max_resident_threads: u32,
    pub max_call_depth: u32,
    /// Stack of one thread.
    pub max_local_bytes: u64,
    /// Lines that `printf` may leave.
    pub max_notes: u32,
}

impl Limits {
    /// The most global memory, constants and parameters of any launch: places in it are 32 bits wide.
    pub const MOST_GLOBAL_BYTES: u64 = (1 << 32) - (1 << 16);
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            // A buffer of a gibibyte, and small ones beside it.
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

/// Why a launch is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchError {
    NoSuchEntry,
    /// The entry is a device function or has no body.
    NotAnEntry {
        name: String,
    },
    ZeroExtent {
        what: &'static str,
        extents: [u32; 3],
    },
    /// `grid.x` up to 2^31-1, y and z up to 65535; `block` up to 1024, 1024, 64.
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
    /// The kernel says `.reqntid`, `.maxntid`, `.reqnctapercluster` or `.maxclusterrank`.
    BoundsOfKernel {
        directive: &'static str,
        wanted: [u32; 3],
        found: [u32; 3],
    },
    /// The grid is not a whole number of clusters.
    GridNotInClusters {
        grid: [u32; 3],
        cluster: [u32; 3],
    },
    /// More blocks in a cluster than the target, or the limits of the run, allow at the same time.
    ClusterTooLarge {
        blocks: u32,
        limit: u32,
    },
    /// The module's target has no clusters.
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
    /// A pointer patch names no buffer or lies outside of its argument.
    BadPointer {
        index: usize,
    },
    /// A texture or surface names no buffer, or is larger than it.
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
    /// The host allows more memory than a machine can have.
    LimitTooLarge {
        asked: u64,
        most: u64,
    },
    /// All together.
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
