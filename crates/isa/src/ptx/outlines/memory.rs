//! Asynchronous copies, mbarriers, multimem, and all other outlines.

use super::{BLACKWELL, TENSOR};
use crate::form::outline::{Outline, between, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};
use crate::target::TargetGate::{Family, OneOf, Only};

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("alloca", since(7, 3).sm(52).assembler("13.5"), "", &[], &["R RI", "R RI I"], &[
        exactly(1, "type", &[(ALWAYS, "u32 u64")]),
    ]),
    outline("clusterlaunchcontrol.query_cancel", since(8, 6).sm(100).assembler("13.5"), "", &[], &["RV RIV"], &[
        exactly(1, "ctaid", &[(ALWAYS, "get_first_ctaid get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z is_canceled")]),
        exactly(2, "type", &[(ALWAYS, "b128 b32 pred")]),
        up_to(1, "vector width", &[(ALWAYS, "v4")]),
    ]),
    outline("clusterlaunchcontrol.try_cancel.async", since(8, 6).sm(100).assembler("13.5"), "mbarrier::complete_tx::bytes", &[], &["A A"], &[
        up_to(1, "multicast", &[(since(8, 6).on(BLACKWELL), "multicast::cluster::all")]),
        up_to(1, "state space", &[(ALWAYS, "shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b128")]),
    ]),
    outline("cp.async.bulk.prefetch.tensor", since(8, 0).sm(90).assembler("13.5"), "L2", &[(ALWAYS, "L2::cache_hint")], &["A", "A RIV"], &[
        exactly(1, "dimension", &[(ALWAYS, "1d 2d 3d 4d 5d")]),
        up_to(1, "mode", &[(ALWAYS, "im2col tile"), (since(8, 6).on(TENSOR), "im2col::w im2col::w::128 tile::gather4")]),
        exactly(1, "state space", &[(ALWAYS, "global")]),
        up_to(1, "type", &[(ALWAYS, "b2")]),
    ]),
    outline("cp.async.bulk.tensor", since(8, 0).sm(90).assembler("13.5"), "", &[(ALWAYS, "L2::cache_hint bulk_group mbarrier::complete_tx::bytes")], &["A RIA", "RIA RA RIA", "RIA A RIA RIV", "A A RA RI R", "RIA A A V R R"], &[
        exactly(1, "dimension", &[(ALWAYS, "1d 2d 3d 4d 5d")]),
        up_to(1, "group", &[(since(8, 6).on(TENSOR), "cta_group::1 cta_group::2")]),
        up_to(1, "mode", &[(ALWAYS, "im2col im2col_no_offs tile"), (since(8, 6).on(TENSOR), "im2col::w im2col::w::128 tile::gather4 tile::scatter4")]),
        up_to(1, "multicast", &[(ALWAYS, "multicast::cluster")]),
        up_to(1, "scope", &[(ALWAYS, "sys")]),
        exactly(2, "state space", &[(ALWAYS, "global shared::cluster shared::cta")]),
        up_to(1, "type", &[(ALWAYS, "b2")]),
    ]).together(&[(since(8, 6).sm(90), "shared::cta global")]),
    outline("cp.reduce.async.bulk.tensor", since(8, 0).sm(90).assembler("13.5"), "bulk_group", &[(ALWAYS, "L2::cache_hint")], &["A RIA", "A A RI"], &[
        exactly(1, "dimension", &[(ALWAYS, "1d 2d 3d 4d 5d")]),
        up_to(1, "mode", &[(ALWAYS, "im2col_no_offs tile")]),
        exactly(1, "operation", &[(ALWAYS, "add and dec inc max min or xor")]),
        exactly(2, "state space", &[(ALWAYS, "global shared::cta")]),
    ]),
    outline("fabric.submit", since(9, 3).sm(100).assembler("13.5"), "", &[(since(9, 5), "commit_group")], &[""], &[]),
    outline("multimem.cp.async.bulk", since(9, 1).sm(90).assembler("13.5"), "bulk_group", &[(since(9, 1).sm(100), "cp_mask")], &["A A R", "A A R R"], &[
        exactly(2, "state space", &[(ALWAYS, "global shared::cta")]),
    ]),
    outline("multimem.cp.reduce.async.bulk", since(9, 1).sm(90).assembler("13.5"), "bulk_group", &[(ALWAYS, "noftz")], &["A A R"], &[
        exactly(1, "operation", &[(ALWAYS, "add and dec inc max min or xor")]),
        exactly(2, "state space", &[(ALWAYS, "global shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b32 b64 bf16 f16 f32 s32 u32 u64")]),
    ]),
    outline("multimem.ld_reduce", since(8, 1).sm(90).assembler("13.5"), "", &[(since(8, 2).sm(90), "acc::f32")], &["RV A"], &[
        exactly(1, "operation", &[(ALWAYS, "add and max min or xor")]),
        up_to(1, "order", &[(ALWAYS, "acquire relaxed weak")]),
        up_to(1, "scope", &[(ALWAYS, "cluster cta gpu sys")]),
        up_to(1, "state space", &[(ALWAYS, "global")]),
        exactly(1, "type", &[(ALWAYS, "b32 b64 bf16 bf16x2 f16 f16x2 f32 f64 s32 s64 u32 u64"), (since(8, 6).on(OneOf(&[Family(100), Family(101), Only(120), Only(121)])), "e4m3x4 e5m2x4")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4 v8")]),
    ]),
    outline("multimem.red", since(8, 1).sm(90).assembler("13.5"), "", &[], &["A RIV"], &[
        exactly(1, "operation", &[(ALWAYS, "add and max min or xor")]),
        up_to(1, "order", &[(ALWAYS, "relaxed release")]),
        up_to(1, "scope", &[(ALWAYS, "cluster gpu sys")]),
        up_to(1, "state space", &[(ALWAYS, "global")]),
        exactly(1, "type", &[(ALWAYS, "b32 b64 bf16 bf16x2 f16 f16x2 f32 f64 s32 s64 u32 u64")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4 v8")]),
    ]),
    outline("multimem.red.async", since(9, 3).sm(100).assembler("13.5"), "", &[], &["A RI"], &[
        exactly(1, "operation", &[(ALWAYS, "add")]),
        exactly(1, "order", &[(ALWAYS, "release")]),
        exactly(1, "scope", &[(ALWAYS, "gpu sys")]),
        up_to(1, "state space", &[(ALWAYS, "global")]),
        exactly(1, "type", &[(ALWAYS, "u32 u64")]),
    ]),
    outline("multimem.st", since(8, 1).sm(90).assembler("13.5"), "", &[], &["A RV"], &[
        up_to(1, "order", &[(ALWAYS, "relaxed release weak")]),
        up_to(1, "scope", &[(ALWAYS, "cluster cta gpu sys")]),
        up_to(1, "state space", &[(ALWAYS, "global")]),
        exactly(1, "type", &[(ALWAYS, "b32 b64 bf16 bf16x2 f16 f16x2 f32 f64 s32 s64 u32 u64"), (since(8, 6).on(OneOf(&[Family(100), Family(101), Only(120), Only(121)])), "e4m3x4 e5m2x4")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4 v8")]),
    ]),
    outline("multimem.st.async", since(9, 3).sm(100).assembler("13.5"), "", &[], &["A R"], &[
        exactly(1, "order", &[(ALWAYS, "release")]),
        exactly(1, "scope", &[(ALWAYS, "gpu sys")]),
        up_to(1, "state space", &[(ALWAYS, "global")]),
        between(1, 2, "type", &[(ALWAYS, "b2 b32 f32 u64")]),
    ]),
    outline("stackrestore", since(7, 3).sm(52).assembler("13.5"), "", &[], &["R"], &[
        exactly(1, "type", &[(ALWAYS, "u32 u64")]),
    ]),
    outline("stacksave", since(7, 3).sm(52).assembler("13.5"), "", &[], &["R"], &[
        exactly(1, "type", &[(ALWAYS, "u32 u64")]),
    ]),
    outline("tensormap.cp_fenceproxy", since(8, 3).sm(90).assembler("13.5"), "aligned sync tensormap::generic", &[], &["A A I"], &[
        exactly(1, "order", &[(ALWAYS, "release")]),
        exactly(1, "scope", &[(ALWAYS, "cluster cta gpu sys")]),
        exactly(2, "state space", &[(ALWAYS, "global shared::cta")]),
    ]),
    outline("tensormap.replace", since(8, 3).on(OneOf(&[Family(100), Family(101), Family(120), Only(90)])).assembler("13.5"), "", &[(ALWAYS, "box_dim element_stride elemtype global_address global_dim global_stride infinite interleave_layout rank swizzle_mode"), (since(8, 6).on(BLACKWELL), "swizzle_atomicity")], &["A RI", "A I RI"], &[
        exactly(1, "mode", &[(ALWAYS, "tile")]),
        up_to(1, "state space", &[(ALWAYS, "global shared::cta")]),
        exactly(2, "type", &[(ALWAYS, "b1024 b32 b64")]),
    ]),
];
