//! Matrix operations: `mma`, `wmma`, `wgmma`, and moves of matrices.

use crate::form::outline::{Gated, Outline, between, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};

/// Factors of which one is signed.
const MIXED_SIGNS: &[Gated] = &[
    (since(8, 4).only_a(90), "s8 u8"),
    (since(8, 4).only_a(90), "u8 s8"),
];

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("wgmma.commit_group", since(8, 0).only_a(90).assembler("13.5"), "aligned sync", &[], &[""], &[]),
    outline("wgmma.fence", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned")], &[""], &[]),
    outline("wgmma.mma_async", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned satfinite")], &["V RIV RI RI", "V RIV RI RI I I", "V V RI R I I I", "V RI RI RI I I I I"], &[
        up_to(1, "layout", &[(ALWAYS, "col row")]),
        up_to(2, "operation", &[(ALWAYS, "and popc")]),
        exactly(1, "shape", &[(ALWAYS, "m64n*k16 m64n*k32 m64n*k8 m64n8k256 m64n16k256 m64n24k256 m64n32k256 m64n48k256 m64n64k256 m64n80k256 m64n96k256 m64n112k256 m64n128k256 m64n144k256 m64n160k256 m64n176k256 m64n192k256 m64n208k256 m64n224k256 m64n240k256 m64n256k256")]),
        between(3, 4, "type", &[(ALWAYS, "b1 bf16 e4m3 e5m2 f16 f32 pred s32 s8 tf32 u8")]),
    ]).together(MIXED_SIGNS),
    outline("wgmma.mma_async.sp", since(8, 2).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned satfinite")], &["V RI RI RV I R", "V R RI RV I R I I", "V V R R I R I I I", "V R RI R I R I I I I"], &[
        up_to(1, "layout", &[(ALWAYS, "row")]),
        exactly(1, "shape", &[(ALWAYS, "m64n*k16 m64n*k32 m64n*k64")]),
        exactly(3, "type", &[(ALWAYS, "bf16 e4m3 e5m2 f16 f32 s32 s8 tf32 u8")]),
    ]).together(MIXED_SIGNS),
    outline("wgmma.wait_group", since(8, 0).only_a(90).assembler("13.5"), "sync", &[(ALWAYS, "aligned")], &["RI"], &[]),
];
