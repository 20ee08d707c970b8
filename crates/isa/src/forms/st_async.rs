//! Asynchronous stores (PTX ISA, "st.async"). In: nothing; out: the rows.
//!
//! The first two rows are the manual's. The third is what the reference assembler takes beyond it: the mechanism may
//! be left out unless the space is `.shared::cluster`, and plain shared memory of the block is a destination too.

use super::sets::{
    GLOBAL, SHARED, SHARED_CLUSTER, SHARED_CTA, plain, set, space, ty, ty_from, value,
};
use crate::does::AsyncOp;
use crate::does::Does;
use crate::form::rule::{Rule, RuleKind, Wide, any, assembler, of, rule};
use crate::form::{Form, Gate, Meaning, OperandType};
use crate::modifier::Flag;
use crate::modifier::{Completion, Scope, Sem, VectorWidth};
use crate::space::StateSpace;
use crate::types::ScalarType::{
    B8, B16, B32, B64, B128, F32, F64, S8, S16, S32, S64, U8, U16, U32, U64,
};

const ASSEMBLER: &str = "13.5";
/// With an mbarrier.
const MBARRIER: Gate = Gate::ptx(8, 1).sm(90);
/// To global memory, and with release order.
const RELEASE: Gate = Gate::ptx(8, 7).sm(100);

set!(
    WEAK,
    "weak",
    "memory order",
    [plain(
        "weak",
        Meaning::Sem(Sem::Weak),
        "the store itself orders nothing; only the mbarrier tells that it is done"
    )]
);
set!(
    SEM_RELEASE,
    "sem",
    "memory order",
    [value(
        "release",
        Meaning::Sem(Sem::Release),
        RELEASE,
        "orders all earlier accesses of the thread before the store"
    )]
);
set!(
    MMIO,
    "mmio",
    "memory-mapped input and output",
    [value(
        "mmio",
        Meaning::Flag(Flag::Mmio),
        RELEASE,
        "one access of exactly this width reaches the device"
    )]
);
set!(
    VECTOR,
    "vec",
    "vector width",
    [
        plain("v2", Meaning::Vector(VectorWidth::V2), "two elements"),
        plain("v4", Meaning::Vector(VectorWidth::V4), "four elements"),
    ]
);
set!(
    COMPLETION,
    "completion_mechanism",
    "completion mechanism",
    [value(
        Completion::MbarrierCompleteTxBytes.name(),
        Meaning::Completion(Completion::MbarrierCompleteTxBytes),
        Gate::ptx(8, 0).sm(90),
        "when the bytes are there, their number is counted off the mbarrier's transactions"
    )]
);
set!(
    SCOPE_CLUSTER,
    "scope",
    "scope",
    [value(
        "cluster",
        Meaning::Scope(Scope::Cluster),
        Gate::ptx(7, 8).sm(90).assembler(ASSEMBLER),
        "with the threads of the cluster"
    )]
);
set!(
    SCOPE_DEVICE,
    "scope",
    "scope",
    [
        value(
            "gpu",
            Meaning::Scope(Scope::Gpu),
            RELEASE,
            "with the threads of the device"
        ),
        value(
            "sys",
            Meaning::Scope(Scope::Sys),
            RELEASE,
            "with every thread of the system, the host included"
        ),
    ]
);
set!(
    SCOPE_PLAIN,
    "scope",
    "scope",
    [
        value(
            "gpu",
            Meaning::Scope(Scope::Gpu),
            MBARRIER.assembler(ASSEMBLER),
            "with the threads of the device"
        ),
        value(
            "sys",
            Meaning::Scope(Scope::Sys),
            MBARRIER.assembler(ASSEMBLER),
            "with every thread of the system, the host included"
        ),
    ]
);
set!(
    SPACE_CLUSTER,
    "ss",
    "state space",
    [
        SHARED_CLUSTER,
        space(
            SHARED.text,
            StateSpace::Shared,
            MBARRIER.assembler(ASSEMBLER),
            SHARED.help
        ),
        space(
            SHARED_CTA.text,
            StateSpace::Shared,
            MBARRIER.assembler(ASSEMBLER),
            SHARED_CTA.help
        ),
    ]
);
set!(
    SPACE_GLOBAL,
    "ss",
    "state space",
    [space(GLOBAL.text, StateSpace::Global, RELEASE, GLOBAL.help)]
);
set!(
    SPACE_PLAIN,
    "ss",
    "state space",
    [
        space(
            GLOBAL.text,
            StateSpace::Global,
            RELEASE.assembler(ASSEMBLER),
            GLOBAL.help
        ),
        space(
            SHARED.text,
            StateSpace::Shared,
            MBARRIER.assembler(ASSEMBLER),
            SHARED.help
        ),
        space(
            SHARED_CTA.text,
            StateSpace::Shared,
            MBARRIER.assembler(ASSEMBLER),
            SHARED_CTA.help
        ),
    ]
);
set!(
    TYPE_MBARRIER,
    "type",
    "type",
    [
        ty(B32),
        ty(B64),
        ty(U32),
        ty(U64),
        ty(S32),
        ty(S64),
        ty(F32),
        ty(F64),
        ty_from(B128, Gate::ptx(9, 2).sm(90).assembler(ASSEMBLER)),
        narrow(B8),
        narrow(B16),
        narrow(U8),
        narrow(U16),
        narrow(S8),
        narrow(S16),
    ]
);
set!(
    TYPE_RELEASE,
    "type",
    "type",
    [
        ty(B8),
        ty(B16),
        ty(B32),
        ty(B64),
        ty(U8),
        ty(U16),
        ty(U32),
        ty(U64),
        ty(S8),
        ty(S16),
        ty(S32),
        ty(S64),
        ty(F32),
        ty(F64),
        ty_from(B128, Gate::ptx(9, 2).sm(90).assembler(ASSEMBLER)),
    ]
);

/// A type that the mbarrier form takes without an mbarrier operand only.
const fn narrow(ty: crate::types::ScalarType) -> crate::form::Value {
    ty_from(ty, MBARRIER.assembler(ASSEMBLER))
}

/// No access is wider than 128 bits.
static WIDE: Wide = Wide {
    bits: 128,
    shapes: &[],
    gate: MBARRIER,
    spaces: &[],
};

/// What holds between the modifiers of `st.async`.
#[rustfmt::skip]
pub static RULES: &[Rule] = &[
    assembler(RuleKind::Leads { slot: "async" }, "`st.async` is one opcode, its modifiers follow"),
    assembler(RuleKind::Clash { a: any("weak"), b: any("scope") }, "a weak store synchronises with nobody, so it has no scope"),
    assembler(RuleKind::Only { when: of("scope", &["cluster"]), slot: "ss", among: &["shared::cluster"] }, "cluster scope goes with shared memory of the cluster"),
    rule(RuleKind::Only { when: of("scope", &["gpu", "sys"]), slot: "ss", among: &["global"] }, "these scopes go with global memory"),
    rule(RuleKind::Only { when: any("mmio"), slot: "scope", among: &["sys"] }, "a device is seen by the whole system"),
    rule(RuleKind::VectorBits { most: 128, wide: &WIDE }, "one access has at most this many bits"),
    rule(RuleKind::Refused { words: &["volatile", "relaxed", "acquire", "acq_rel", "sc"] }, "an asynchronous store is `.weak` or `.release`"),
    rule(RuleKind::Refused { words: &["cta"] }, "an asynchronous store reaches beyond the block"),
    rule(RuleKind::Refused { words: &["const", "local", "param", "param::func", "param::entry"] }, "asynchronous stores go to shared or global memory"),
    rule(RuleKind::Refused { words: &["wb", "cg", "cs", "wt", "ca", "L2::cache_hint"] }, "asynchronous stores take no cache operator and no cache policy"),
    rule(RuleKind::Refused { words: &["f16", "bf16"] }, "stored as `.b16`"),
    rule(RuleKind::Refused { words: &["f16x2", "bf16x2", "tf32"] }, "stored as `.b32`"),
    rule(RuleKind::Refused { words: &["pred"] }, "predicates have no bits in memory; `selp` makes a number of one"),
];

/// Judged by code: what fits depends on how many operands there are.
const OPERANDS: &[(&str, OperandType)] = &[
    ("a", OperandType::Custom),
    ("b", OperandType::Custom),
    ("mbar", OperandType::Custom),
];

/// The forms of `st.async`.
pub static FORMS: &[Form] = &[
    Form {
        syntax: "st.async{.weak}{.scope}{.ss}.completion_mechanism{.vec}.type [a], b{, [mbar]}",
        sets: &[
            &WEAK,
            &SCOPE_CLUSTER,
            &SPACE_CLUSTER,
            &COMPLETION,
            &VECTOR,
            &TYPE_MBARRIER,
        ],
        types: OPERANDS,
        gate: MBARRIER,
        does: Does::Async(AsyncOp::Store),
        rules: RULES,
        help: "Starts a store to shared memory of the cluster; an mbarrier there learns when its bytes have arrived.",
        section: "data-movement-and-conversion-instructions-st-async",
        good: &[
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [mbar];",
            "st.async.weak.mbarrier::complete_tx::bytes.v4.f32 [a], {b, b, b, b}, [mbar];",
        ],
        bad: &[
            ("st.async.shared::cluster.u32 [a], b, [mbar];", "W0105"),
            (
                "st.async.weak.cluster.mbarrier::complete_tx::bytes.u32 [a], b, [mbar];",
                "W0300",
            ),
        ],
    },
    Form {
        syntax: "st.async{.mmio}.sem.scope{.ss}.type [a], b",
        sets: &[
            &MMIO,
            &SEM_RELEASE,
            &SCOPE_DEVICE,
            &SPACE_GLOBAL,
            &TYPE_RELEASE,
        ],
        types: OPERANDS,
        gate: RELEASE,
        does: Does::Async(AsyncOp::Store),
        rules: RULES,
        help: "Starts a store to global memory that becomes visible after all earlier accesses of the thread.",
        section: "data-movement-and-conversion-instructions-st-async",
        good: &[
            "st.async.release.gpu.global.u32 [a], b;",
            "st.async.mmio.release.sys.global.u32 [a], b;",
        ],
        bad: &[
            ("st.async.release.global.u32 [a], b;", "W0105"),
            ("st.async.mmio.release.gpu.u32 [a], b;", "W0302"),
        ],
    },
    Form {
        syntax: "st.async{.weak}{.scope}{.ss}{.vec}.type [a], b{, [mbar]}",
        sets: &[&WEAK, &SCOPE_PLAIN, &SPACE_PLAIN, &VECTOR, &TYPE_RELEASE],
        types: OPERANDS,
        gate: MBARRIER.assembler(ASSEMBLER),
        does: Does::Async(AsyncOp::Store),
        rules: RULES,
        help: "Starts a store without saying how its end is seen; the manual does not have this form, the assembler takes it.",
        section: "data-movement-and-conversion-instructions-st-async",
        good: &["st.async.shared::cta.u32 [a], b, [mbar];"],
        bad: &[("st.async.u32 [a], b, [mbar];", "W0401")],
    },
];
