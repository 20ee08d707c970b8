//! Operations on tensor memory: `tcgen05`.

use super::TENSOR;
use crate::form::outline::{Outline, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};
use crate::target::TargetGate::{self, Family, OneOf, Only};

/// Targets that reduce what they load from tensor memory.
const REDUCING: TargetGate = OneOf(&[Family(103), Family(107), Family(110)]);

/// Shapes that would take more than 128 registers with these counts.
const TOO_MANY_REGISTERS: &[&str] = &["16x128b x128", "16x256b x64", "16x256b x128"];

/// A matrix that is shifted is not read from where it was kept.
const SHIFTED: &[&str] = &["ashift collector::a::use", "ashift collector::a::fill"];

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("tcgen05.alloc", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[], &["A RI"], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        up_to(1, "state space", &[(ALWAYS, "shared::cta")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]),
    outline("tcgen05.commit", since(8, 6).on(TENSOR).assembler("13.5"), "mbarrier::arrive::one", &[], &["A", "A RI"], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        up_to(1, "multicast", &[(ALWAYS, "multicast::cluster")]),
        up_to(1, "state space", &[(ALWAYS, "shared::cluster")]),
        exactly(1, "type", &[(ALWAYS, "b64")]),
    ]),
    outline("tcgen05.cp", since(8, 6).on(TENSOR).assembler("13.5"), "", &[(ALWAYS, "b4x16_p64 b6x16_p32 b8x16")], &["A RI"], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        up_to(1, "multicast", &[(ALWAYS, "warpx2::01_23 warpx2::02_13 warpx4")]),
        exactly(1, "shape", &[(ALWAYS, "128x128b 128x256b 32x128b 4x256b 64x128b")]),
    ]),
    outline("tcgen05.dealloc", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[], &["RI RI"], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]),
    outline("tcgen05.ld", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[(ALWAYS, "pack::16b")], &["V A", "V A RI"], &[
        exactly(1, "count", &[(ALWAYS, "x1 x128 x16 x2 x32 x4 x64 x8")]),
        up_to(1, "layout", &[(ALWAYS, "row")]),
        exactly(1, "shape", &[(ALWAYS, "16x128b 16x256b 16x32bx2 16x64b 32x32b")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]).apart(TOO_MANY_REGISTERS),
    outline("tcgen05.ld.red", since(8, 8).on(REDUCING).assembler("13.5"), "aligned sync", &[(ALWAYS, "NaN abs")], &["V R A", "V R A I"], &[
        exactly(1, "count", &[(ALWAYS, "x128 x16 x2 x32 x4 x64 x8")]),
        exactly(1, "operation", &[(ALWAYS, "max min")]),
        exactly(1, "shape", &[(ALWAYS, "16x32bx2 32x32b")]),
        exactly(1, "type", &[(ALWAYS, "f32 s32 u32")]),
    ]),
    outline("tcgen05.mma", since(8, 6).on(TENSOR).assembler("13.5"), "", &[(ALWAYS, "ashift")], &["A RIA RI RI RI", "A RIA RI RI RV RI", "A RIA R RI RAV RIA RI"], &[
        up_to(1, "collector", &[(ALWAYS, "collector::a::discard collector::a::fill collector::a::lastuse collector::a::use")]),
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        exactly(1, "kind", &[(ALWAYS, "kind::f16 kind::f8f6f4 kind::mxf4 kind::mxf8f6f4 kind::tf32"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(110)])), "kind::i8"), (since(8, 7).on(TENSOR), "kind::mxf4nvf4")]),
        up_to(2, "scale", &[(ALWAYS, "block16 block_scale"), (since(8, 8).on(TENSOR), "block32"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "scale_vec::1X scale_vec::2X"), (since(8, 7).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "scale_vec::4X")]),
    ]).apart(SHIFTED),
    outline("tcgen05.mma.sp", since(8, 6).on(TENSOR).assembler("13.5"), "", &[(ALWAYS, "ashift")], &["A RA RI A R RI", "A RIA RI A RI RIV RI", "A RIA RI A RI AV RA RI"], &[
        up_to(1, "collector", &[(ALWAYS, "collector::a::discard collector::a::fill collector::a::lastuse collector::a::use")]),
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
        exactly(1, "kind", &[(ALWAYS, "kind::f16 kind::f8f6f4 kind::mxf8f6f4 kind::tf32"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(110)])), "kind::i8"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "kind::mxf4"), (since(8, 7).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "kind::mxf4nvf4")]),
        up_to(2, "scale", &[(since(8, 8).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "block16"), (since(8, 8).on(TENSOR), "block32"), (ALWAYS, "block_scale scale_vec::2X scale_vec::4X"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])), "scale_vec::1X")]),
        up_to(1, "type", &[(ALWAYS, "b2")]),
    ]).apart(SHIFTED),
    outline("tcgen05.mma.ws", since(8, 6).on(TENSOR).assembler("13.5"), "", &[], &["A RA R R RI", "A RA RI RI R R"], &[
        up_to(1, "collector", &[(ALWAYS, "collector::b0::discard collector::b0::fill collector::b0::lastuse collector::b0::use collector::b1::discard collector::b1::fill collector::b1::lastuse collector::b1::use collector::b2::discard collector::b2::fill collector::b2::lastuse collector::b2::use collector::b3::discard collector::b3::fill collector::b3::lastuse collector::b3::use")]),
        exactly(1, "group", &[(ALWAYS, "cta_group::1")]),
        exactly(1, "kind", &[(ALWAYS, "kind::f16 kind::f8f6f4 kind::tf32"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(110)])), "kind::i8")]),
    ]),
    outline("tcgen05.mma.ws.sp", since(8, 6).on(TENSOR).assembler("13.5"), "", &[], &["A RIA RI A RI RI", "A RA R A R R R"], &[
        up_to(1, "collector", &[(ALWAYS, "collector::b0::discard collector::b0::fill collector::b0::lastuse collector::b0::use collector::b1::discard collector::b1::fill collector::b1::lastuse collector::b1::use collector::b2::discard collector::b2::fill collector::b2::lastuse collector::b2::use collector::b3::discard collector::b3::fill collector::b3::lastuse collector::b3::use")]),
        exactly(1, "group", &[(ALWAYS, "cta_group::1")]),
        exactly(1, "kind", &[(ALWAYS, "kind::f16 kind::f8f6f4 kind::tf32"), (since(8, 6).on(OneOf(&[Only(100), Only(101), Only(110)])), "kind::i8")]),
    ]),
    outline("tcgen05.relinquish_alloc_permit", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[], &[""], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
    ]),
    outline("tcgen05.shift", since(8, 6).on(OneOf(&[Only(100), Only(101), Only(103), Only(107), Only(110)])).assembler("13.5"), "down", &[], &["A"], &[
        exactly(1, "group", &[(ALWAYS, "cta_group::1 cta_group::2")]),
    ]),
    outline("tcgen05.st", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[(ALWAYS, "unpack::16b")], &["A V", "A RI V"], &[
        exactly(1, "count", &[(ALWAYS, "x1 x128 x16 x2 x32 x4 x64 x8")]),
        exactly(1, "shape", &[(ALWAYS, "16x128b 16x256b 16x32bx2 16x64b 32x32b")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]).apart(TOO_MANY_REGISTERS),
    outline("tcgen05.fence::after_thread_sync", since(8, 6).on(TENSOR).assembler("13.5"), "", &[], &[""], &[]),
    outline("tcgen05.fence::before_thread_sync", since(8, 6).on(TENSOR).assembler("13.5"), "", &[], &[""], &[]),
    outline("tcgen05.wait::ld", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[], &[""], &[]),
    outline("tcgen05.wait::st", since(8, 6).on(TENSOR).assembler("13.5"), "aligned sync", &[], &[""], &[]),
];
