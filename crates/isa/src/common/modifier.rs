//! What the modifiers of an opcode mean, once the text is gone.

macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $text, "`")] $variant,)* }

        impl $name {
            /// Every member, in table order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The spelling without its leading dot.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }

            /// The member with this spelling (no dot).
            pub fn from_name(name: &str) -> Option<$name> {
                match name { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

macro_rules! flags {
    ($($variant:ident $text:literal $help:literal;)*) => {
        spelled! {
            /// Modifiers that are either written or not.
            Flag { $($variant $text,)* }
        }

        impl Flag {
            /// What the modifier says, in one line.
            pub const fn help(self) -> &'static str {
                match self { $(Flag::$variant => $help,)* }
            }
        }
    };
}

mod units;

pub use units::{
    BlockIndex, CopyShape, CtaGroup, Geometry, LoadMode, MoveShape, Property, Queried,
    ReferenceKind, SurfaceBounds, SurfaceMode, TensorMapField, TexelComponent, WarpMulticast,
};

spelled! {
    /// Memory ordering of an access (PTX ISA, "Memory Consistency Model").
    Sem { Weak "weak", Volatile "volatile", Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", Sc "sc", }
}
spelled! {
    /// The set of threads with which a strong access can synchronise.
    Scope { Cta "cta", Cluster "cluster", Gpu "gpu", Sys "sys", }
}
spelled! {
    /// Cache operators of loads and stores (PTX ISA, "Cache Operators").
    CacheOp { Ca "ca", Cg "cg", Cs "cs", Lu "lu", Cv "cv", Wb "wb", Wt "wt", }
}
spelled! {
    /// Eviction priorities, of level 1 or level 2 as the slot says.
    EvictionPriority { Normal "evict_normal", Unchanged "evict_unchanged", First "evict_first", Last "evict_last", NoAllocate "no_allocate", }
}
spelled! {
    /// How an asynchronous store or copy reports that it is complete.
    Completion { MbarrierCompleteTxBytes "mbarrier::complete_tx::bytes", BulkGroup "bulk_group", }
}
spelled! {
    /// Storage order of a matrix operand.
    MatrixLayout { Row "row", Col "col", }
}
spelled! {
    /// Rounding of floating-point results, and of conversions to integers (the `i` forms).
    Rounding { Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rs "rs", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi", Approx "approx", Full "full", }
}
spelled! {
    /// Comparison operators of `setp`, `set` and relatives; the `u` forms are true for NaN.
    CompareOp {
        Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge", Lo "lo", Ls "ls", Hi "hi", Hs "hs",
        Equ "equ", Neu "neu", Ltu "ltu", Leu "leu", Gtu "gtu", Geu "geu", Num "num", Nan "nan",
    }
}
spelled! {
    /// How `setp` and `set` combine their result with a predicate.
    BoolOp { And "and", Or "or", Xor "xor", }
}
spelled! {
    /// What an atomic does to memory.
    AtomicOp { Add "add", Min "min", Max "max", Inc "inc", Dec "dec", And "and", Or "or", Xor "xor", Exch "exch", Cas "cas", }
}
spelled! {
    /// What `redux.sync` computes over the lanes of a warp.
    ReduceOp { Add "add", Min "min", Max "max", And "and", Or "or", Xor "xor", }
}
spelled! {
    /// What a reducing barrier computes over its threads.
    BarrierReduce { Popc "popc", And "and", Or "or", }
}
spelled! {
    /// Modes of `prmt`; without one the selector picks each byte.
    PermuteMode { F4e "f4e", B4e "b4e", Rc8 "rc8", Ecl "ecl", Ecr "ecr", Rc16 "rc16", }
}
spelled! {
    /// Tests of `testp`.
    FloatTest { Finite "finite", Infinite "infinite", Number "number", NotANumber "notanumber", Normal "normal", Subnormal "subnormal", }
}
spelled! {
    /// What amounts beyond the width of a shift or field mean.
    OverflowMode { Clamp "clamp", Wrap "wrap", }
}
spelled! {
    /// Levels of the cache hierarchy.
    CacheLevel { L1 "L1", L2 "L2", }
}
spelled! {
    /// Ways to memory that a proxy fence orders.
    Proxy { Alias "alias", Async "async", Generic "generic", Constant "constant", Texture "texture", Surface "surface", Tensormap "tensormap::generic", AsyncGeneric "async::generic", }
}
spelled! {
    /// Matrices that one `ldmatrix` or `stmatrix` moves. Beyond four the assembler takes the word and does not look at it.
    MatrixCount { X1 "x1", X2 "x2", X4 "x4", X8 "x8", X16 "x16", X32 "x32", X64 "x64", X128 "x128", }
}
spelled! {
    /// What an `mma` of narrow floats is made of.
    MmaKind { F8f6f4 "kind::f8f6f4", Mxf8f6f4 "kind::mxf8f6f4", Mxf4 "kind::mxf4", Mxf4nvf4 "kind::mxf4nvf4", F16 "kind::f16", Tf32 "kind::tf32", I8 "kind::i8", }
}
spelled! {
    /// Factors in each row of the scale matrices of an `mma`.
    ScaleVector { X1 "scale_vec::1X", X2 "scale_vec::2X", X4 "scale_vec::4X", Block16 "block16", Block32 "block32", }
}
spelled! {
    /// How `ldmatrix` finds narrow elements in memory before it spreads them over bytes.
    Unpacking { B6 "b6x16_p32", B4 "b4x16_p64", }
}
flags! {
    // Barriers and branches.
    Sync         "sync"          "waits for the participating lanes";
    Arrive       "arrive"        "arrives at the barrier without waiting";
    Red          "red"           "combines the predicates of all participating threads";
    Aligned      "aligned"       "all threads of the warp execute the same instruction";
    Trans        "trans"         "the matrix is transposed";
    Warp         "warp"          "the threads of a warp participate";
    Cta          "cta"           "the threads of the block participate";
    Uni          "uni"           "asserts uniform execution: all active threads have the same operands";
    // Arithmetic.
    Sat          "sat"           "the result is clamped to the range of its type; floating-point results to [0, 1]";
    Ftz          "ftz"           "subnormal numbers are flushed to zero";
    Noftz        "noftz"         "subnormal numbers are preserved";
    NaN          "NaN"           "the result is NaN if a source is NaN";
    Xorsign      "xorsign"       "the sign of the result is the XOR of both source signs";
    Abs          "abs"           "absolute values are compared";
    Relu         "relu"          "negative results are clamped to zero";
    Satfinite    "satfinite"     "out-of-range results are clamped to the largest finite number";
    ScaledN2     "scaled::n2::ue8m0" "scaled by the two exponents in the last operand";
    Oob          "oob"           "out-of-bounds NaN values are treated as zero";
    Pack         "pack"          "two results packed in one register";
    PlusOne      "po"            "one is added to the result";
    Shr7         "shr7"          "the result is shifted right by 7 bits";
    Shr15        "shr15"         "the result is shifted right by 15 bits";
    Approx       "approx"        "a fast approximation";
    Full         "full"          "an approximation over the full range";
    Cc           "cc"            "the carry-out is written to the condition code register";
    Left         "l"             "towards the most significant bit";
    Right        "r"             "towards the least significant bit";
    ShiftAmount  "shiftamt"      "the result is the shift amount that moves the bit to the most significant position";
    To           "to"            "from generic addressing to the state space";
    // Memory accesses.
    Mmio         "mmio"          "memory-mapped I/O: each access is performed exactly once";
    NonCoherent  "nc"            "read through the non-coherent cache";
    CacheHint    "L2::cache_hint" "the last operand is a cache policy";
    Weak         "weak"          "weak: does not synchronize; this is the default";
    SharedCta    "shared::cta"   "shared memory of the block";
    // Parts of names.
    Any          "any"           "compares a value across the lanes";
    All          "all"           "tests whether all lanes have the same value";
    Mask         "mask"          "the operand is a mask of events";
    Idx          "idx"           "selects the label from a list by index";
    Async        "async"         "completes asynchronously";
    RestrictCluster "sync_restrict::shared::cluster" "for shared memory of the cluster only";
    RestrictCta  "sync_restrict::shared::cta" "for shared memory of the block only";
    LaunchDependents "launch_dependents" "allows dependent grids to start";
    Wait         "wait"          "waits for prerequisite grids";
    Tensormap    "tensormap"     "the tensor map";
    L1Prefetch   "L1::32B"       "prefetch 32 bytes into L1";
    Readonly     "proxy::readonly" "read through the read-only proxy";
    Bulk         "bulk"          "an address range";
    Store        "store"         "writes a matrix to memory";
    Load         "load"          "reads a matrix from memory";
    Mma          "mma"           "matrix multiply-accumulate";
    A            "a"             "operand A";
    B            "b"             "operand B";
    C            "c"             "the accumulator matrix";
    D            "d"             "the result matrix";
    Popc         "popc"          "counts the set bits";
    Sparse       "sp"            "A has 2:4 or 1:2 structured sparsity";
    OrderedSparse "sp::ordered_metadata" "A has 2:4 structured sparsity with ordered metadata";
    BlockScale   "block_scale"   "each block of elements along K has a scale factor";
    B8x16        "b8x16"         "each element is expanded to a byte";
    Proxy        "proxy"         "orders accesses through different proxies";
    MbarrierInit "mbarrier_init" "the initialization of mbarriers";
    Release      "release"       "release: orders all earlier accesses before the operation";
    Fractional   "fractional"    "for a fraction of the accesses";
    Range        "range"         "for a range of addresses";
    Cvt          "cvt"           "converts an access property";
    L1           "L1"            "in the L1 cache";
    L2           "L2"            "in the L2 cache";
    // Clusters and mbarriers.
    Cluster      "cluster"       "the threads of the cluster participate";
    Mbarrier     "mbarrier"      "an mbarrier object";
    Init         "init"          "initializes an mbarrier object";
    Inval        "inval"         "invalidates an mbarrier object";
    ArriveDrop   "arrive_drop"   "arrives and decrements the expected arrival count of later phases";
    NoComplete   "noComplete"    "the arrival must not complete the phase";
    ExpectTx     "expect_tx"     "increases the tx-count";
    CompleteTx   "complete_tx"   "decreases the tx-count";
    TestWait     "test_wait"     "tests whether a phase is complete";
    TryWait      "try_wait"      "waits for a phase with a time limit";
    Parity       "parity"        "the phase is identified by its parity";
    PendingCount "pending_count" "the pending arrival count";
    CheckLayout  "check_layout"  "compares the layout of the object";
    LayoutV1     "layout::v1"    "the first version of the mbarrier layout";
    // Asynchronous copies.
    CommitGroup  "commit_group"  "commits all prior copies to a group";
    WaitGroup    "wait_group"    "waits for all but the most recent groups";
    WaitAll      "wait_all"      "waits for all prior copies";
    Noinc        "noinc"         "the arrival does not increment the pending count";
    Read         "read"          "waits only until the source reads are complete";
    Prefetch     "prefetch"      "into a cache";
    Multicast    "multicast::cluster" "multicast to the same offset in several blocks of the cluster";
    CpMask       "cp_mask"       "a byte mask selects the bytes of each 16-byte chunk that are written";
    IgnoreOob    "ignore_oob"    "the given numbers of bytes at both ends are ignored";
    ZeroFill     "zfill"         "the low bits of the source address are the number of trailing bytes that are filled with zeros";
    Reduce       "reduce"        "performs a reduction on the destination";
    Inc          "inc"           "requests additional registers";
    Dec          "dec"           "releases registers";
    // Units beside the lanes.
    LoadReduce   "ld_reduce"     "loads the reduction of the values on all devices";
    St           "st"            "stores";
    Cp           "cp"            "copies";
    Tensor       "tensor"        "a tensor tile";
    TryCancel    "try_cancel"    "requests the cancellation of a block that has not been launched";
    QueryCancel  "query_cancel"  "decodes a response of `try_cancel`";
    IsCanceled   "is_canceled"   "whether the request was granted";
    Replace      "replace"       "modifies a field of a tensor map";
    CpFenceproxy "cp_fenceproxy" "copies a tensor map and orders accesses through the tensormap proxy";
    MmaAsync     "mma_async"     "matrix multiply-accumulate of a warpgroup";
    FenceWord    "fence"         "orders register and shared memory accesses";
    Alloc        "alloc"         "allocates tensor memory columns";
    Dealloc      "dealloc"       "deallocates tensor memory columns";
    Relinquish   "relinquish_alloc_permit" "relinquishes the right to allocate";
    Commit       "commit"        "makes an mbarrier track all prior operations";
    Ld           "ld"            "loads";
    Ws           "ws"            "matrix B is kept in a collector buffer (weight-stationary)";
    Shift        "shift"         "shifts rows";
    Down         "down"          "shifts rows down";
    AShift       "ashift"        "rows of A are shifted down by one";
    Submit       "submit"        "submits accesses to the fabric";
    Level        "level"         "of the specified mipmap level";
    Base         "base"          "of the base mipmap level";
    Grad         "grad"          "of the mipmap level derived from gradients";
    WaitLoads    "wait::ld"      "waits for loads from tensor memory";
    WaitStores   "wait::st"      "waits for stores to tensor memory";
    FenceBefore  "fence::before_thread_sync" "orders earlier tensor memory operations before a synchronization";
    MulticastAll "multicast::cluster::all" "multicast to all blocks of the cluster";
    Pack16       "pack::16b"     "packs two 16-bit columns into one register";
    Unpack16     "unpack::16b"   "unpacks the halves of a register into two columns";
    FenceAfter   "fence::after_thread_sync" "orders later tensor memory operations after a synchronization";
}
spelled! {
    /// How much a load brings into the second-level cache.
    PrefetchSize { B64 "L2::64B", B128 "L2::128B", B256 "L2::256B", }
}
spelled! {
    /// Which half of a product is kept.
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

/// Elements of a vector access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VectorWidth {
    /// One element.
    Scalar,
    /// `.v2`
    V2,
    /// `.v4`
    V4,
    /// `.v8`
    V8,
}

impl VectorWidth {
    /// Number of elements: 1, 2, 4 or 8.
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
    /// 1 to 128.
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
    /// Whether factors have scales.
    pub const fn is_scaled(self) -> bool {
        match self {
            MmaKind::Mxf8f6f4 | MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => true,
            MmaKind::F16 | MmaKind::Tf32 | MmaKind::I8 | MmaKind::F8f6f4 => false,
        }
    }
}
