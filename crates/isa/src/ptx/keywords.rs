//! PTX keywords that are not part of a form: all opcodes, modifiers without effect, and keywords of other languages.

use crate::dialect::IgnoredTypes;

/// All PTX opcodes up to ISA 9.5, sorted. The opcode of `st.async` is `st`.
#[rustfmt::skip]
pub static OPCODES: &[&str] = &[
    "abs", "activemask", "add", "addc", "alloca", "and", "applypriority", "atom",
    "bar", "barrier", "bfe", "bfi", "bfind", "bmsk", "bra", "brev", "brkpt", "brx",
    "call", "clusterlaunchcontrol", "clz", "cnot", "copysign", "cos", "cp", "createpolicy", "cvt", "cvta",
    "discard", "div", "dp2a", "dp4a",
    "elect", "ex2", "exit",
    "fabric", "fence", "fma", "fns",
    "getctarank", "griddepcontrol",
    "isspacep", "istypep",
    "ld", "ldmatrix", "ldu", "lg2", "lop3",
    "mad", "mad24", "madc", "mapa", "match", "max", "mbarrier", "membar", "min", "mma", "mov", "movmatrix", "mul",
    "mul24", "multimem",
    "nanosleep", "neg", "not",
    "or",
    "pmevent", "popc", "prefetch", "prefetchu", "prmt",
    "rcp", "red", "redux", "rem", "ret", "rsqrt",
    "sad", "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt", "st", "stackrestore",
    "stacksave", "stmatrix", "sub", "subc", "suld", "suq", "sured", "sust", "szext",
    "tanh", "tcgen05", "tensormap", "testp", "tex", "tld4", "trap", "txq",
    "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4", "vmad", "vmax", "vmax2",
    "vmax4", "vmin", "vmin2", "vmin4", "vote", "vset", "vset2", "vset4", "vshl", "vshr", "vsub", "vsub2", "vsub4",
    "wgmma", "wmma",
    "xor",
];

/// Modifiers that every instruction accepts. They have an effect only in instructions whose form contains the modifier (assembler 13.5).
#[rustfmt::skip]
pub static IGNORED: &[&str] = &[
    "finite", "infinite", "number", "notanumber", "normal", "subnormal",
    "acc::f16", "acc::f32", "b8x16", "b6x16_p32", "b4x16_p64",
    "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype",
    "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode",
];

/// Type modifiers that instructions accept and ignore in addition to the types of their form (assembler 13.5). Instructions that the
/// assembler checks against a list of complete type combinations ignore the types that no list contains. All other instructions ignore
/// `.b2`.
#[rustfmt::skip]
pub static IGNORED_TYPES: IgnoredTypes = IgnoredTypes {
    opcodes: &["add", "atom", "cvt", "div", "ex2", "fma", "max", "min", "mul", "rcp", "red", "rsqrt", "sqrt", "sub", "tanh", "wgmma", "wmma.mma", "multimem.red",
        "multimem.st", "multimem.ld_reduce", "multimem.cp.reduce.async.bulk", "cp.reduce.async.bulk"],
    ignored: &["pred", "texref", "samplerref", "surfref"],
    excluded_opcodes: &["red.async", "multimem.red.async", "multimem.st.async", "cp.reduce.async.bulk.tensor"],
    checked_opcodes: &["mma", "wmma.load.c", "wmma.store.d"],
    ignored_elsewhere: &["b2"],
};

/// Groups of modifiers that are mutually exclusive even in instructions on which they have no effect (assembler 13.5): properties of
/// `testp`, accumulator types, and fields of a tensor map.
#[rustfmt::skip]
pub static EXCLUSIVE: &[&[&str]] = &[
    &["finite", "infinite", "number", "notanumber", "normal", "subnormal"],
    &["acc::f16", "acc::f32"],
    &["global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype", "interleave_layout",
        "swizzle_mode", "swizzle_atomicity", "fill_mode"],
];

/// The only modifiers that may be repeated in every instruction (assembler 13.5).
pub static REPEATABLE: &[&str] = &[
    "sat",
    "satfinite",
    "NaN",
    "relu",
    "approx",
    "uni",
    "cc",
    "sync",
];

/// Modifiers that are part of the name `wmma.store.d` and of no other instruction (assembler 13.5).
pub static NAME_WORDS: &[&str] = &["store", "d"];

/// PTX equivalents of foreign or incomplete keywords whose edit distance to the equivalent is too large for spelling correction.
#[rustfmt::skip]
pub static MEANT: &[(&str, &str)] = &[
    ("i8", "s8"), ("i16", "s16"), ("i32", "s32"), ("i64", "s64"), ("int8", "s8"),
    ("int16", "s16"), ("int32", "s32"), ("int64", "s64"), ("uint8", "u8"), ("uint16", "u16"),
    ("uint32", "u32"), ("uint64", "u64"), ("int", "s32"), ("unsigned", "u32"), ("char", "s8"),
    ("byte", "b8"), ("short", "s16"), ("long", "s64"), ("half", "b16"), ("float", "f32"),
    ("double", "f64"), ("b256", "b128"), ("glob", "global"), ("smem", "shared"),
    ("gmem", "global"), ("lmem", "local"), ("block", "cta"), ("device", "gpu"),
    ("system", "sys"), ("cache_hint", "L2::cache_hint"), ("cachehint", "L2::cache_hint"),
    ("no_allocate", "L1::no_allocate"), ("evict_normal", "L1::evict_normal"),
    ("evict_unchanged", "L1::evict_unchanged"), ("evict_first", "L1::evict_first"),
    ("evict_last", "L1::evict_last"),
];
