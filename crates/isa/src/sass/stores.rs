//! SASS store opcodes with their address forms and their modifiers, by slot in the order of disassembler output.

use super::addresses::{self, SassAddressForm};
use super::{UP_TO_62, VOLTA};
use crate::modifier::{CacheOp, EvictionPriority, Scope};
use crate::space::StateSpace;
use crate::target::TargetRequirement::{self, Any, Between, From};

/// SASS opcode of a store instruction.
#[derive(Clone, Copy, Debug)]
pub struct StoreOpcode {
    /// Name of the opcode, such as `STG`.
    pub opcode: &'static str,
    /// State space of the store addresses.
    pub space: StateSpace,
    /// Architectures that support the opcode.
    pub on: TargetRequirement,
    /// Syntax line: slot names, in braces if optional.
    pub syntax: &'static str,
    pub help: &'static str,
    /// Modifier slots, in their order in the mnemonic.
    pub slots: &'static [&'static MnemonicSlot],
    pub addresses: &'static [SassAddressForm],
    /// Architectures on which a predicate operand may follow the data operand.
    pub trailing_predicate: Option<TargetRequirement>,
    /// Test cases: accepted instructions, each with an architecture.
    pub good: &'static [(&'static str, &'static str)],
    /// Test cases: rejected instructions, each with an architecture.
    pub bad: &'static [(&'static str, &'static str)],
}

/// Modifier position of a mnemonic.
#[derive(Clone, Copy, Debug)]
pub struct MnemonicSlot {
    /// Name in the syntax line, such as `cop`.
    pub name: &'static str,
    /// Noun that describes the slot, for messages and documentation.
    pub title: &'static str,
    pub words: &'static [StoreModifier],
}

/// Modifier of a SASS store, such as `STRONG.GPU`, that a slot of the mnemonic accepts, with its meaning.
#[derive(Clone, Copy, Debug)]
pub struct StoreModifier {
    /// Spelling of the modifier without the leading dot. The spelling `STRONG.GPU` consists of two components, separated by a dot.
    pub text: &'static str,
    pub meaning: StoreModifierKind,
    pub on: TargetRequirement,
    pub help: &'static str,
}

/// Meaning of a store modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreModifierKind {
    /// The address has 64 bits (`.E`).
    Extended,
    Cache(CacheOp),
    Evict(EvictionPriority),
    /// Number of low bits of the data that are stored.
    Width(u32),
    /// Weak store on architectures whose mnemonics of weak stores also contain a scope.
    Plain,
    /// Strong store with this scope.
    Strong(Scope),
    /// Memory-mapped I/O store, which the hardware does not merge with other stores.
    Mmio,
}

const fn word(
    text: &'static str,
    meaning: StoreModifierKind,
    on: TargetRequirement,
    help: &'static str,
) -> StoreModifier {
    StoreModifier {
        text,
        meaning,
        on,
        help,
    }
}

/// `.E`
pub static EXTENDED: MnemonicSlot = MnemonicSlot {
    name: "E",
    title: "width of the address",
    words: &[word(
        "E",
        StoreModifierKind::Extended,
        Any,
        "64-bit address in a register pair, whose lower register is Ra.",
    )],
};

/// `.E` of a store to a window, which the reference mentions but no disassembler prints.
static EXTENDED_WINDOW: MnemonicSlot = MnemonicSlot {
    name: "E",
    title: "width of the address",
    words: &[word(
        "E",
        StoreModifierKind::Extended,
        UP_TO_62,
        "64-bit address in a register pair, whose lower register is Ra.",
    )],
};

/// `.cop`
#[rustfmt::skip]
pub static CACHE: MnemonicSlot = MnemonicSlot {
    name: "cop",
    title: "cache operator",
    words: &[
        word("WB", StoreModifierKind::Cache(CacheOp::Wb), UP_TO_62, "Writes the data back at all coherent cache levels. Disassemblers omit this default."),
        word("CG", StoreModifierKind::Cache(CacheOp::Cg), UP_TO_62, "Caches the data at the global level, in L2 and below. Lines in L1 are marked for early eviction."),
        word("CS", StoreModifierKind::Cache(CacheOp::Cs), UP_TO_62, "Caches the data as streaming data, which is likely to be accessed once and is evicted early."),
        word("WT", StoreModifierKind::Cache(CacheOp::Wt), UP_TO_62, "Writes the data through to system memory."),
    ],
};

/// `.EF`
#[rustfmt::skip]
pub static EVICTION: MnemonicSlot = MnemonicSlot {
    name: "evict",
    title: "eviction priority",
    words: &[
        word("EF", StoreModifierKind::Evict(EvictionPriority::First), From(70), "Marks the cache line to be evicted first."),
        word("EL", StoreModifierKind::Evict(EvictionPriority::Last), From(70), "Marks the cache line to be evicted last."),
        word("EU", StoreModifierKind::Evict(EvictionPriority::Unchanged), From(70), "Leaves the eviction priority of the cache line unchanged."),
        word("NA", StoreModifierKind::Evict(EvictionPriority::NoAllocate), From(70), "Does not allocate a cache line."),
    ],
};

/// `.sz`
#[rustfmt::skip]
pub static WIDTH: MnemonicSlot = MnemonicSlot {
    name: "sz",
    title: "width",
    words: WINDOW_WIDTHS,
};

#[rustfmt::skip]
const WINDOW_WIDTHS: &[StoreModifier] = &[
    word("8", StoreModifierKind::Width(8), Any, "Stores the low 8 bits of Rb."),
    word("U8", StoreModifierKind::Width(8), Any, "Stores the low 8 bits of Rb."),
    word("S8", StoreModifierKind::Width(8), Any, "Stores the low 8 bits of Rb. Stores ignore the signedness."),
    word("16", StoreModifierKind::Width(16), Any, "Stores the low 16 bits of Rb."),
    word("U16", StoreModifierKind::Width(16), Any, "Stores the low 16 bits of Rb."),
    word("S16", StoreModifierKind::Width(16), Any, "Stores the low 16 bits of Rb. Stores ignore the signedness."),
    word("32", StoreModifierKind::Width(32), Any, "Stores all 32 bits of Rb. Disassemblers omit this default."),
    word("64", StoreModifierKind::Width(64), Any, "Stores two registers that start at Rb, whose index must be even."),
    word("128", StoreModifierKind::Width(128), Any, "Stores four registers that start at Rb, whose index must be a multiple of 4."),
];

/// `.sz` of stores to global memory.
#[rustfmt::skip]
pub static WIDE: MnemonicSlot = MnemonicSlot {
    name: "sz",
    title: "width",
    words: &[
        WINDOW_WIDTHS[0], WINDOW_WIDTHS[1], WINDOW_WIDTHS[2], WINDOW_WIDTHS[3], WINDOW_WIDTHS[4], WINDOW_WIDTHS[5], WINDOW_WIDTHS[6], WINDOW_WIDTHS[7], WINDOW_WIDTHS[8],
        word("ENL2.256", StoreModifierKind::Width(256), From(100), "Stores two ranges of four registers, which are followed by a mask of the stored words."),
        word("EFL2.256", StoreModifierKind::Width(256), From(100), "Performs the store of `.ENL2.256` and marks the cache line to be evicted first from L2."),
        word("ELL2.256", StoreModifierKind::Width(256), From(100), "Performs the store of `.ENL2.256` and marks the cache line to be evicted last from L2."),
    ],
};

/// `.STRONG.GPU`
#[rustfmt::skip]
pub static ORDER: MnemonicSlot = MnemonicSlot {
    name: "sem",
    title: "memory order and scope",
    words: &[
        word("SYS", StoreModifierKind::Plain, VOLTA, "Weak store, for which `sm_70` to `sm_75` nevertheless specify a scope."),
        word("STRONG.CTA", StoreModifierKind::Strong(Scope::Cta), Between(70, 75), "Strong store at block scope."),
        word("STRONG.SM", StoreModifierKind::Strong(Scope::Cta), From(70), "Strong store at block scope, because all threads of a block run on one multiprocessor."),
        word("STRONG.GPU", StoreModifierKind::Strong(Scope::Gpu), From(70), "Strong store at GPU scope."),
        word("STRONG.SYS", StoreModifierKind::Strong(Scope::Sys), From(70), "Strong store at system scope."),
        word("MMIO.SYS", StoreModifierKind::Mmio, From(70), "Memory-mapped I/O store, which is neither merged nor repeated."),
    ],
};

/// All SASS opcodes that store to memory.
#[rustfmt::skip]
pub static STORES: &[StoreOpcode] = &[
    StoreOpcode {
        opcode: "ST", space: StateSpace::Generic, on: From(35),
        syntax: "ST{.E}{.cop|.evict}{.sz}{.sem} [a], Rb{, Pp}",
        help: "Store to a generic address in shared, local or global memory.",
        slots: &[&EXTENDED, &CACHE, &EVICTION, &WIDE, &ORDER],
        addresses: addresses::GENERIC,
        trailing_predicate: Some(Between(50, 62)),
        good: &[("sm_35", "ST.E.CG.U16 [R2+0x8], R5"), ("sm_61", "ST.E [R2], R5, P0"), ("sm_90", "ST.E.EL.U8 desc[UR4][R2.64], R5")],
        bad: &[("sm_80", "ST.E.CG [R2.64], R5"), ("sm_90", "ST.E [R3], R5")],
    },
    StoreOpcode {
        opcode: "STG", space: StateSpace::Global, on: From(50),
        syntax: "STG{.E}{.cop|.evict}{.sz}{.sem} [a], Rb{, Rc{, mask}}",
        help: "Store to global memory.",
        slots: &[&EXTENDED, &CACHE, &EVICTION, &WIDE, &ORDER],
        addresses: addresses::GLOBAL,
        trailing_predicate: None,
        good: &[("sm_75", "STG.E.64.SYS [R4+0x8], R2"), ("sm_89", "STG.E.EF.128 [R4.64], R24"), ("sm_100", "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8"), ("sm_120", "STG.E.NA.EFL2.256 desc[UR4][R2.64], R6, R8, 0xa4")],
        bad: &[("sm_90", "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8"), ("sm_100", "STG.E.ENL2.256 desc[UR4][R2.64], R4, R8, 0x1ff"), ("sm_80", "STG.E.64 [R4.64], R3")],
    },
    StoreOpcode {
        opcode: "STL", space: StateSpace::Local, on: From(35),
        syntax: "STL{.cop}{.sz} [Ra + ImmS24], Rb",
        help: "Store to local memory of the executing thread.",
        slots: &[&EXTENDED_WINDOW, &CACHE, &WIDTH],
        addresses: addresses::LOCAL,
        trailing_predicate: None,
        good: &[("sm_50", "STL.32 [R3+0x1234], R1"), ("sm_61", "STL.CG.64 [R1+-0x8], R4"), ("sm_120", "STL.128 [R1], R8")],
        bad: &[("sm_75", "STL.CG [R1], R4"), ("sm_90", "STL [R1+0x800000], R4")],
    },
    StoreOpcode {
        opcode: "STS", space: StateSpace::Shared, on: From(35),
        syntax: "STS{.sz} [Ra + ImmS24], Rb",
        help: "Store to shared memory of the block.",
        slots: &[&EXTENDED_WINDOW, &WIDTH],
        addresses: addresses::SHARED,
        trailing_predicate: None,
        good: &[("sm_50", "STS.64 [R3 - 16], R4"), ("sm_50", "STS.32 [0x12], R1"), ("sm_75", "STS [R7.X4+0x100], R0"), ("sm_75", "STS [R5+UR4+0x10], R3"), ("sm_90", "STS [R4+UR4+0x10], R7")],
        bad: &[("sm_50", "STS.CG [R3], R4"), ("sm_70", "STS [R5+UR4], R3"), ("sm_90", "STS [R7.X4], R0"), ("sm_90", "STS [0x20], R0")],
    },
];

/// Returns the store with this opcode.
pub fn find_store(opcode: &str) -> Option<&'static StoreOpcode> {
    STORES.iter().find(|store| store.opcode == opcode)
}
