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
    /// How an asynchronous store reports that it is complete.
    Completion { MbarrierCompleteTxBytes "mbarrier::complete_tx::bytes", }
}
spelled! {
    /// Storage order of a matrix operand.
    MatrixLayout { Row "row", Col "col", }
}
spelled! {
    /// Rounding of floating-point results, and of conversions to integers (the `i` forms).
    Rounding { Rn "rn", Rz "rz", Rm "rm", Rp "rp", Rna "rna", Rni "rni", Rzi "rzi", Rmi "rmi", Rpi "rpi", Approx "approx", Full "full", }
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
    Proxy { Alias "alias", Async "async", Generic "generic", Constant "constant", Texture "texture", Surface "surface", }
}
spelled! {
    /// Modifiers that are either written or not.
    Flag {
        Sync "sync", Arrive "arrive", Red "red", Aligned "aligned", Warp "warp", Cta "cta", Uni "uni",
        Sat "sat", Ftz "ftz", Noftz "noftz", NaN "NaN", Xorsign "xorsign", Abs "abs", Relu "relu", Approx "approx", Full "full",
        Cc "cc", Left "l", Right "r", ShiftAmount "shiftamt", To "to",
        Mmio "mmio", NonCoherent "nc", CacheHint "L2::cache_hint", Weak "weak", SharedCta "shared::cta",
        Any "any", All "all", Mask "mask", Idx "idx",
        Async "async", Bulk "bulk", Store "store", D "d",
        Proxy "proxy", MbarrierInit "mbarrier_init", Release "release",
        Fractional "fractional", Range "range", Cvt "cvt", L1 "L1", L2 "L2",
    }
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
