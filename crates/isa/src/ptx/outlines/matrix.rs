//! Matrix operations: `mma`, `wmma`, `wgmma`, and moves of matrices.

use super::BLACKWELL;
use crate::form::outline::{Outline, between, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};
use crate::target::TargetGate::{Family, OneOf, Only};

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("ldmatrix", since(6, 5).sm(75).assembler("13.5"), "aligned sync", &[(ALWAYS, "b4x16_p64 b6x16_p32 b8x16 trans")], &["V A"], &[
        exactly(1, "count", &[(ALWAYS, "x1 x128 x16 x2 x32 x4 x64 x8")]),
        exactly(1, "shape", &[(since(8, 6).on(BLACKWELL), "m16n16 m8n16"), (ALWAYS, "m8n8")]),
        up_to(1, "state space", &[(ALWAYS, "shared"), (since(7, 8).sm(75), "shared::cta")]),
        up_to(1, "type", &[(ALWAYS, "b16 b8")]),
    ]),
    outline("mma", since(6, 4).sm(70).assembler("13.5"), "aligned sync", &[(ALWAYS, "satfinite")], &["V V V V", "V V V V RV V RI V"], &[
        up_to(1, "kind", &[(since(8, 7).on(OneOf(&[Family(120), Only(100)])), "kind::f8f6f4"), (ALWAYS, "kind::mxf4 kind::mxf4nvf4 kind::mxf8f6f4")]),
        exactly(2, "layout", &[(ALWAYS, "col row")]),
        up_to(2, "operation", &[(since(7, 1).sm(80), "and"), (ALWAYS, "popc xor")]),
        up_to(1, "rounding", &[(ALWAYS, "rm rn rp rz")]),
        up_to(2, "scale", &[(since(8, 7).family(120), "block_scale"), (ALWAYS, "scale_vec::1X scale_vec::2X scale_vec::4X")]),
        exactly(1, "shape", &[(since(7, 0).sm(80), "m16n8k128 m16n8k16 m16n8k256 m16n8k32"), (ALWAYS, "m16n8k4 m16n8k64 m8n8k128 m8n8k16 m8n8k4"), (since(6, 5).sm(75), "m16n8k8 m8n8k32")]),
        between(4, 6, "type", &[(since(7, 0).sm(75), "b1"), (since(7, 0).sm(80), "bf16 f64 tf32"), (since(8, 7).family(120), "e2m1 e2m3 e3m2"), (ALWAYS, "e4m3 f16 f32 s32 s4 s8 u2 u4 u8 ue4m3 ue8m0"), (since(8, 4).sm(89), "e5m2")]),
    ]),
    outline("mma.sp", since(7, 1).sm(80).assembler("13.5"), "aligned sync", &[(ALWAYS, "satfinite")], &["V V V V RV I"], &[
        exactly(2, "layout", &[(ALWAYS, "col row")]),
        exactly(1, "shape", &[(ALWAYS, "m16n8k128 m16n8k16 m16n8k32 m16n8k64 m16n8k8")]),
        exactly(4, "type", &[(ALWAYS, "bf16 e4m3 f16 f32 s32 s4 s8 tf32 u4 u8"), (since(8, 4).sm(89), "e5m2")]),
    ]),
    outline("mma.sp::ordered_metadata", since(8, 5).sm(80).assembler("13.5"), "aligned sync", &[(ALWAYS, "satfinite")], &["V V V V R I", "V V V V RIV I RV V R V"], &[
        up_to(1, "kind", &[(since(8, 7).on(BLACKWELL), "kind::f8f6f4"), (since(8, 7).only_a(120), "kind::mxf4 kind::mxf4nvf4"), (ALWAYS, "kind::mxf8f6f4")]),
        exactly(2, "layout", &[(ALWAYS, "col row")]),
        up_to(2, "scale", &[(since(8, 7).family(120), "block_scale"), (ALWAYS, "scale_vec::1X scale_vec::2X scale_vec::4X")]),
        exactly(1, "shape", &[(ALWAYS, "m16n8k128 m16n8k16 m16n8k32 m16n8k64 m16n8k8")]),
        between(4, 5, "type", &[(ALWAYS, "bf16 e4m3 f16 f32 s32 s4 s8 tf32 u4 u8 ue4m3 ue8m0"), (since(8, 7).family(120), "e2m1 e2m3 e3m2"), (since(8, 5).sm(89), "e5m2")]),
    ]),
    outline("stmatrix", since(7, 8).sm(90).assembler("13.5"), "aligned sync", &[(ALWAYS, "trans")], &["A V"], &[
        exactly(1, "count", &[(ALWAYS, "x1 x128 x16 x2 x32 x4 x64 x8")]),
        up_to(1, "layout", &[(ALWAYS, "col row")]),
        exactly(1, "shape", &[(since(8, 6).on(BLACKWELL), "m16n8"), (ALWAYS, "m8n8")]),
        up_to(1, "state space", &[(ALWAYS, "shared shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b16 b8")]),
    ]),
    outline("wgmma.commit_group", since(8, 0).only_a(90).assembler("13.5"), "aligned sync", &[], &[""], &[]),
    outline("wgmma.fence", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned")], &[""], &[]),
    outline("wgmma.mma_async", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned satfinite")], &["V RIV RI RI", "V RIV RI RI I I", "V V RI R I I I", "V RI RI RI I I I I"], &[
        up_to(1, "layout", &[(ALWAYS, "col row")]),
        up_to(2, "operation", &[(ALWAYS, "and popc")]),
        exactly(1, "shape", &[(ALWAYS, "m64n104k16 m64n104k32 m64n104k8 m64n128k16 m64n128k256 m64n128k32 m64n128k8 m64n16k16 m64n16k256 m64n16k32 m64n16k8 m64n200k16 m64n200k32 m64n200k8 m64n24k16 m64n24k256 m64n24k32 m64n24k8 m64n256k16 m64n256k256 m64n256k32 m64n256k8 m64n64k16 m64n64k256 m64n64k32 m64n64k8 m64n8k16 m64n8k256 m64n8k32 m64n8k8")]),
        between(3, 4, "type", &[(ALWAYS, "b1 bf16 e4m3 e5m2 f16 f32 pred s32 s8 tf32"), (since(8, 4).only_a(90), "u8")]),
    ]),
    outline("wgmma.mma_async.sp", since(8, 2).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned satfinite")], &["V RI RI RV I R", "V R RI RV I R I I", "V V R R I R I I I", "V R RI R I R I I I I"], &[
        up_to(1, "layout", &[(ALWAYS, "row")]),
        exactly(1, "shape", &[(ALWAYS, "m64n104k16 m64n104k32 m64n104k64 m64n128k16 m64n128k32 m64n128k64 m64n16k16 m64n16k32 m64n16k64 m64n200k16 m64n200k32 m64n200k64 m64n24k32 m64n24k64 m64n256k16 m64n256k32 m64n256k64 m64n64k16 m64n64k32 m64n64k64 m64n8k16 m64n8k32 m64n8k64")]),
        exactly(3, "type", &[(ALWAYS, "bf16 e4m3 e5m2 f16 f32 s32 s8 tf32"), (since(8, 4).only_a(90), "u8")]),
    ]),
    outline("wgmma.wait_group", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned")], &["RI"], &[]),
    outline("wmma.load.a", since(6, 0).sm(70).assembler("13.5"), "sync", &[(since(6, 3).sm(70), "aligned")], &["V A", "V A RI"], &[
        exactly(1, "layout", &[(ALWAYS, "col row")]),
        exactly(1, "shape", &[(ALWAYS, "m16n16k16 m8n8k128"), (since(6, 1).sm(70), "m32n8k16 m8n32k16"), (since(6, 3).sm(75), "m8n8k32"), (since(7, 0).sm(80), "m8n8k4")]),
        up_to(1, "state space", &[(ALWAYS, "global shared"), (since(7, 8).sm(70), "shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b1 f16 f64 s4 u4"), (since(7, 0).sm(80), "bf16"), (since(7, 8).sm(72), "s8"), (since(6, 3).sm(72), "u8")]),
    ]),
    outline("wmma.load.b", since(6, 0).sm(70).assembler("13.5"), "sync", &[(since(6, 3).sm(70), "aligned")], &["V A", "V A RI"], &[
        exactly(1, "layout", &[(ALWAYS, "col row")]),
        exactly(1, "shape", &[(ALWAYS, "m16n16k16 m16n16k8"), (since(6, 1).sm(70), "m32n8k16 m8n32k16"), (since(6, 3).sm(75), "m8n8k128 m8n8k32")]),
        up_to(1, "state space", &[(ALWAYS, "global shared"), (since(7, 8).sm(70), "shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b1 f16 s4 u4"), (since(7, 0).sm(80), "bf16 tf32"), (since(6, 3).sm(72), "s8 u8")]),
    ]),
    outline("wmma.load.c", since(6, 0).sm(70).assembler("13.5"), "sync", &[(since(6, 3).sm(70), "aligned")], &["V A", "V A RI"], &[
        exactly(1, "layout", &[(ALWAYS, "col row")]),
        exactly(1, "shape", &[(ALWAYS, "m16n16k16"), (since(7, 0).sm(80), "m16n16k8 m8n8k4"), (since(6, 1).sm(70), "m32n8k16 m8n32k16"), (since(6, 3).sm(75), "m8n8k128 m8n8k32")]),
        up_to(1, "state space", &[(ALWAYS, "global shared"), (since(7, 8).sm(70), "shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "f16 f32 f64"), (since(6, 3).sm(72), "s32")]),
    ]),
    outline("wmma.mma", since(6, 0).sm(70).assembler("13.5"), "sync", &[(since(6, 3).sm(70), "aligned"), (ALWAYS, "satfinite")], &["V V V V"], &[
        exactly(2, "layout", &[(ALWAYS, "col row")]),
        up_to(2, "operation", &[(since(7, 1).sm(80), "and"), (ALWAYS, "popc xor")]),
        exactly(1, "shape", &[(ALWAYS, "m16n16k16 m16n16k8 m8n32k16 m8n8k32"), (since(6, 1).sm(70), "m32n8k16"), (since(6, 3).sm(75), "m8n8k128")]),
        between(2, 4, "type", &[(ALWAYS, "b1 f16 f32 pred s8 u4 u8"), (since(7, 0).sm(80), "bf16 tf32"), (since(6, 3).sm(72), "s32"), (since(6, 3).sm(75), "s4")]),
    ]),
];
