//! Typed values of instruction modifiers.

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $text, "`")] $variant,)* }

        impl $name {
            /// All variants, in table order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// Returns the spelling without the leading dot.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// Returns the variant with this spelling (without dot).
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

macro_rules! flags {
    ($($variant:ident $text:literal $help:literal;)*) => {
        spelled! {
            /// Modifiers that are either present or absent.
            Flag { $($variant $text,)* }
        }

        impl Flag {
            /// Returns a one-line description of the modifier in this variant.
            pub const fn help(self) -> &'static str {
                match self { $(Flag::$variant => $help,)* }
            }
        }
    };
}

mod units;

pub use units::{
    BlockIndex, CtaGroup, Geometry, LoadMode, QueryObject, ReferenceKind, SurfaceBounds,
    SurfaceMode, TensorMapField, TensorMemoryAccessShape, TensorMemoryCopyShape, TexelComponent,
    TextureQuery, WarpMulticast,
};

spelled! {
    /// Memory ordering of an access (PTX ISA, "Memory Consistency Model").
    Sem { Weak "weak", Volatile "volatile", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", Sc "sc", }
}
spelled! {
    /// Scope: the set of threads with which a strong access can synchronize.
    Scope { Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys", }
}
spelled! {
    /// Cache operators of loads and stores (PTX ISA, "Cache Operators").
    CacheOp { Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", }
}
spelled! {
    /// Eviction priority of an access. The slot of the modifier specifies the cache level (1 or 2).
    EvictionPriority { Normal "evict_normal", Unchanged "evict_unchanged", First "evict_first", Last "evict_last", NoAllocate "no_allocate", }
}
spelled! {
    /// Completion mechanism of an asynchronous store or copy.
    Completion { MbarrierCompleteTxBytes "mbarrier::complete_tx::bytes", BulkGroup "bulk_group", }
}
spelled! {
    /// Storage order of a matrix operand.
    MatrixLayout { Row "row", Col "col", }
}
spelled! {
    /// Rounding modes of floating-point results, and of conversions to integers (the variants that end in `i`).
    Rounding { Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rs "rs", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi", Approx "approx", Full "full", }
}
spelled! {
    /// Comparison operators of `setp`, `set` and related instructions. The comparisons that end in `u` are true if an operand is a NaN.
    CompareOp {
        Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Lo "lo", Ls "ls", Hi "hi", Hs "hs",
        Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan",
    }
}
spelled! {
    /// Boolean operator with which `setp` and `set` combine their result with a predicate.
    BoolOp { And "and", Or "or", Xor "xor", }
}
spelled! {
    /// Read-modify-write operation of `atom` and `red`.
    AtomicOp { Add "add", Min "min", Max "max", Inc "inc", Dec "dec", And "and", Or "or", Xor "xor", Exch "exch", Cas "cas", }
}
spelled! {
    /// Operation of `redux.sync` over the lanes of a warp.
    ReduceOp { Add "add", Min "min", Max "max", And "and", Or "or", Xor "xor", }
}
spelled! {
    /// Reduction of a predicate over the threads that participate in a barrier (`bar.red`).
    BarrierReduce { Popc "popc", And "and", Or "or", }
}
spelled! {
    /// Modes of `prmt`. Without a mode, the selector operand selects each byte of the result.
    PermuteMode { F4e "f4e", B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr", Rc16 "rc16", }
}
spelled! {
    /// Properties of a floating-point number that `testp` tests.
    FloatTest { Finite "finite", Infinite "infinite", Number "number", NotANumber "notanumber", Normal "normal", Subnormal "subnormal", }
}
spelled! {
    /// Treatment of shift amounts and bit field positions that exceed the width of the operand.
    OverflowMode { Clamp "clamp", Wrap "wrap", }
}
spelled! {
    /// Levels of the cache hierarchy.
    CacheLevel { L1 "L1", L2 "L2", }
}
spelled! {
    /// Proxies that a proxy fence orders.
    Proxy { Alias "alias", Async "async", Generic "generic", Constant "constant", Texture "texture", Surface "surface", Tensormap "tensormap::generic", AsyncGeneric "async::generic", }
}
spelled! {
    /// Number of matrices that one `ldmatrix` or `stmatrix` instruction transfers. The assembler accepts and ignores numbers above four.
    MatrixCount { X1 "x1", X2 "x2", X4 "x4", X8 "x8", X16 "x16", X32 "x32", X64 "x64", X128 "x128", }
}
spelled! {
    /// Kind of the operand types of `mma` and `tcgen05.mma` (`.kind::`).
    MmaKind { F8f6f4 "kind::f8f6f4", Mxf8f6f4 "kind::mxf8f6f4", Mxf4 "kind::mxf4", Mxf4nvf4 "kind::mxf4nvf4", F16 "kind::f16", Tf32 "kind::tf32", I8 "kind::i8", }
}
spelled! {
    /// Number of scale factors per row of A or column of B in a block-scaled MMA.
    ScaleVector { X1 "scale_vec::1X", X2 "scale_vec::2X", X4 "scale_vec::4X", Block16 "block16", Block32 "block32", }
}
spelled! {
    /// Memory layout of narrow elements that `ldmatrix` expands to bytes.
    Unpacking { B6 "b6x16_p32", B4 "b4x16_p64", }
}
flags! {
    // Modifiers of barriers and branches.
    Sync         "sync"          "waits until all participating threads have arrived";
    Arrive       "arrive"        "arrives at the barrier without waiting for other threads";
    Red          "red"           "reduces the predicates of all participating threads";
    Aligned      "aligned"       "requires all threads of the warp to execute the same instruction";
    Trans        "trans"         "transposes the matrix";
    Warp         "warp"          "synchronizes the threads of a warp";
    Cta          "cta"           "synchronizes the threads of the block";
    Uni          "uni"           "asserts that all active threads of the warp execute the instruction with the same operands";
    // Modifiers of arithmetic instructions.
    Sat          "sat"           "clamps an integer result to the range of its type, and a floating-point result to [0, 1]";
    Ftz          "ftz"           "flushes subnormal operands and results to zero";
    Noftz        "noftz"         "preserves subnormal operands and results";
    NaN          "NaN"           "returns NaN if a source operand is NaN";
    Xorsign      "xorsign"       "sets the sign of the result to the XOR of the signs of both sources";
    Abs          "abs"           "compares the absolute values of the sources";
    Relu         "relu"          "clamps negative results to zero";
    Satfinite    "satfinite"     "clamps out-of-range results to the largest finite value of the type";
    ScaledN2     "scaled::n2::ue8m0" "scales the two values by the two exponents in the last operand";
    Oob          "oob"           "treats out-of-bounds NaN values as zero";
    Pack         "pack"          "packs two results into one register";
    PlusOne      "po"            "adds one to the result";
    Shr7         "shr7"          "shifts the result right by 7 bits";
    Shr15        "shr15"         "shifts the result right by 15 bits";
    Approx       "approx"        "computes a fast approximation";
    Full         "full"          "computes an approximation over the full range of the type";
    Cc           "cc"            "writes the carry-out to the condition code register";
    Left         "l"             "shifts towards the most significant bit";
    Right        "r"             "shifts towards the least significant bit";
    ShiftAmount  "shiftamt"      "returns the shift amount that moves the found bit to the most significant bit position";
    To           "to"            "converts a generic address to an address in the state space";
    // Modifiers of memory accesses.
    Mmio         "mmio"          "performs a memory-mapped I/O access, which is executed exactly once";
    NonCoherent  "nc"            "loads through the non-coherent cache";
    CacheHint    "L2::cache_hint" "applies the cache policy in the last operand";
    Weak         "weak"          "performs a weak access (the default), which does not synchronize with other threads";
    SharedCta    "shared::cta"   "accesses shared memory of the block";
    // Modifiers that are part of the instruction name.
    Any          "any"           "compares a value across the lanes of the warp";
    All          "all"           "tests whether all lanes of the warp have the same value";
    Mask         "mask"          "triggers all events whose bits are set in the operand";
    Idx          "idx"           "selects the branch target from a list by index";
    Async        "async"         "performs the operation asynchronously";
    RestrictCluster "sync_restrict::shared::cluster" "restricts the fence to shared memory of the cluster";
    RestrictCta  "sync_restrict::shared::cta" "restricts the fence to shared memory of the block";
    LaunchDependents "launch_dependents" "signals that dependent grids may be launched";
    Wait         "wait"          "waits for the completion of prerequisite grids";
    Tensormap    "tensormap"     "operates on a tensor map";
    L1Prefetch   "L1::32B"       "prefetches 32 bytes into L1";
    Readonly     "proxy::readonly" "loads through the read-only proxy";
    Bulk         "bulk"          "operates on an address range";
    Store        "store"         "stores a matrix to memory";
    Load         "load"          "loads a matrix from memory";
    Mma          "mma"           "performs a matrix multiply-accumulate";
    A            "a"             "selects matrix A";
    B            "b"             "selects matrix B";
    C            "c"             "selects the accumulator matrix C";
    D            "d"             "selects the result matrix D";
    Popc         "popc"          "counts the set bits";
    Sparse       "sp"            "treats matrix A as sparse, with 2:4 or 1:2 structured sparsity";
    OrderedSparse "sp::ordered_metadata" "treats matrix A as sparse, with 2:4 structured sparsity and ordered metadata";
    BlockScale   "block_scale"   "multiplies each block of elements along K by a scale factor";
    B8x16        "b8x16"         "expands each element to one byte";
    Proxy        "proxy"         "orders accesses through different proxies";
    MbarrierInit "mbarrier_init" "orders the initialization of mbarrier objects";
    Release      "release"       "has release semantics, which order all earlier memory accesses before the operation";
    Fractional   "fractional"    "applies the cache policy to a fraction of the accesses";
    Range        "range"         "applies the cache policy to a range of addresses";
    Cvt          "cvt"           "converts an access property to a cache policy";
    L1           "L1"            "operates on the L1 cache";
    L2           "L2"            "operates on the L2 cache";
    // Modifiers of cluster and mbarrier instructions.
    Cluster      "cluster"       "synchronizes the threads of the cluster";
    Mbarrier     "mbarrier"      "operates on an mbarrier object";
    Init         "init"          "initializes an mbarrier object";
    Inval        "inval"         "invalidates an mbarrier object";
    ArriveDrop   "arrive_drop"   "arrives at the mbarrier and decrements the expected arrival count of later phases";
    NoComplete   "noComplete"    "asserts that the arrival does not complete the phase";
    ExpectTx     "expect_tx"     "increases the tx-count of the mbarrier";
    CompleteTx   "complete_tx"   "decreases the tx-count of the mbarrier";
    TestWait     "test_wait"     "tests without waiting whether a phase of the mbarrier is complete";
    TryWait      "try_wait"      "waits for a phase of the mbarrier, up to a time limit";
    Parity       "parity"        "identifies the phase of the mbarrier by phase parity";
    PendingCount "pending_count" "extracts the pending arrival count";
    CheckLayout  "check_layout"  "compares the layout version of the mbarrier object";
    LayoutV1     "layout::v1"    "selects the first version of the mbarrier layout";
    // Modifiers of asynchronous copies.
    CommitGroup  "commit_group"  "commits all prior asynchronous operations to a group";
    WaitGroup    "wait_group"    "waits for all groups of asynchronous operations except the most recent ones";
    WaitAll      "wait_all"      "waits for all prior asynchronous copies";
    Noinc        "noinc"         "does not increment the pending count of the mbarrier before the arrival";
    Read         "read"          "waits only until the reads from the source locations are complete";
    Prefetch     "prefetch"      "prefetches the data into a cache";
    Multicast    "multicast::cluster" "copies the data to the same offset in shared memory of several blocks of the cluster";
    CpMask       "cp_mask"       "writes only the bytes of each 16-byte chunk that are selected by a byte mask";
    IgnoreOob    "ignore_oob"    "ignores the specified numbers of bytes at both ends of the source";
    ZeroFill     "zfill"         "fills as many trailing bytes with zeros as the low bits of the source address specify";
    Reduce       "reduce"        "performs a reduction on the destination instead of a copy";
    Inc          "inc"           "requests additional registers for each thread of the warp";
    Dec          "dec"           "releases registers of each thread of the warp";
    // Modifiers of device-unit instructions.
    LoadReduce   "ld_reduce"     "loads the values of all devices and returns the result of a reduction";
    St           "st"            "stores data";
    Cp           "cp"            "copies data";
    Tensor       "tensor"        "operates on a tensor tile";
    TryCancel    "try_cancel"    "requests the cancellation of a block that has not been launched";
    QueryCancel  "query_cancel"  "decodes a response of `try_cancel`";
    IsCanceled   "is_canceled"   "tests whether the cancellation request was granted";
    Replace      "replace"       "modifies a field of a tensor map";
    CpFenceproxy "cp_fenceproxy" "copies a tensor map and orders accesses through the tensormap proxy";
    MmaAsync     "mma_async"     "performs an asynchronous matrix multiply-accumulate of a warpgroup";
    FenceWord    "fence"         "orders register and shared memory accesses";
    Alloc        "alloc"         "allocates tensor memory columns";
    Dealloc      "dealloc"       "deallocates tensor memory columns";
    Relinquish   "relinquish_alloc_permit" "relinquishes the right to allocate tensor memory columns";
    Commit       "commit"        "makes an mbarrier track the completion of all prior `tcgen05` operations";
    Ld           "ld"            "loads data";
    Ws           "ws"            "performs a weight-stationary operation, which keeps matrix B in a collector buffer";
    Shift        "shift"         "shifts rows of tensor memory";
    Down         "down"          "shifts rows of tensor memory down";
    AShift       "ashift"        "shifts the rows of matrix A down by one";
    Submit       "submit"        "submits pending accesses to the inter-device fabric";
    Level        "level"         "accesses the specified mipmap level";
    Base         "base"          "accesses the base mipmap level";
    Grad         "grad"          "accesses the mipmap level derived from gradients";
    WaitLoads    "wait::ld"      "waits for loads from tensor memory";
    WaitStores   "wait::st"      "waits for stores to tensor memory";
    FenceBefore  "fence::before_thread_sync" "orders earlier `tcgen05` operations before a following thread synchronization";
    MulticastAll "multicast::cluster::all" "writes the response to all blocks of the cluster";
    Pack16       "pack::16b"     "packs two 16-bit columns into one register";
    Unpack16     "unpack::16b"   "unpacks the halves of a register into two 16-bit columns";
    FenceAfter   "fence::after_thread_sync" "orders later `tcgen05` operations after a preceding thread synchronization";
}
spelled! {
    /// L2 prefetch size of a load.
    PrefetchSize { B64 "L2::64B", B128 "L2::128B", B256 "L2::256B", }
}
spelled! {
    /// Part of a product that is the result of the instruction.
    MulPart { Lo "lo", Hi "hi", Wide "wide", }
}
spelled! {
    /// Modes of `shfl`.
    ShuffleMode { Up "up", Down "down", Bfly "bfly", Idx "idx", }
}
spelled! {
    /// Modes of `vote`.
    VoteMode { All "all", Any "any", Uni "uni", Ballot "ballot", }
}

/// Vector width of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorWidth {
    /// The operand has one element.
    Scalar,
    /// `.v2`
    V2,
    /// `.v4`
    V4,
    /// `.v8`
    V8,
}

impl VectorWidth {
    /// Returns the number of elements: 1, 2, 4 or 8.
    pub const fn n_elements(self) -> usize {
        match self {
            VectorWidth::Scalar => 1,
            VectorWidth::V2 => 2,
            VectorWidth::V4 => 4,
            VectorWidth::V8 => 8,
        }
    }
}

impl MatrixCount {
    /// Returns the number of matrices, from 1 to 128.
    pub const fn number(self) -> usize {
        match self {
            MatrixCount::X1 => 1,
            MatrixCount::X2 => 2,
            MatrixCount::X4 => 4,
            MatrixCount::X8 => 8,
            MatrixCount::X16 => 16,
            MatrixCount::X32 => 32,
            MatrixCount::X64 => 64,
            MatrixCount::X128 => 128,
        }
    }
}

impl MmaKind {
    /// Returns whether the operand matrices of this kind have scale factors.
    pub const fn is_scaled(self) -> bool {
        match self {
            MmaKind::Mxf8f6f4 | MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => true,
            MmaKind::F16 | MmaKind::Tf32 | MmaKind::I8 | MmaKind::F8f6f4 => false,
        }
    }
}
