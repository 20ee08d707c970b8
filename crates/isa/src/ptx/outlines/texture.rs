//! Textures and surfaces.

use crate::form::outline::{Outline, between, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("istypep", since(4, 0).sm(30).assembler("13.5"), "", &[], &["R RI"], &[
        exactly(1, "type", &[(ALWAYS, "samplerref surfref texref")]),
    ]),
    outline("suld.b", since(2, 0).sm(20).assembler("13.5"), "", &[], &["RV A"], &[
        up_to(1, "cache operator", &[(ALWAYS, "ca cg cs cv")]),
        exactly(1, "clamping", &[(ALWAYS, "clamp trap zero")]),
        exactly(1, "dimension", &[(ALWAYS, "1d 2d"), (since(3, 0).sm(20), "3d a1d a2d"), (since(4, 3).sm(20), "4d")]),
        exactly(1, "type", &[(ALWAYS, "b16 b32 b64 b8")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4")]),
    ]),
    outline("suq", since(2, 0).sm(20).assembler("13.5"), "", &[], &["R A"], &[
        exactly(1, "query", &[(since(4, 1).sm(20), "array_size"), (ALWAYS, "channel_data_type channel_order depth height width"), (since(4, 2).sm(20), "memory_layout")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]),
    outline("sured.b", since(2, 0).sm(20).assembler("13.5"), "", &[], &["A RI"], &[
        exactly(1, "clamping", &[(ALWAYS, "clamp trap zero")]),
        exactly(1, "dimension", &[(ALWAYS, "1d 2d"), (since(3, 0).sm(20), "3d")]),
        exactly(1, "operation", &[(ALWAYS, "add and max min or")]),
        exactly(1, "type", &[(ALWAYS, "b32 s32 s64 u32 u64")]),
    ]).together(&[(since(8, 1).sm(50), "max s64"), (since(8, 1).sm(50), "max u64"), (since(8, 1).sm(50), "min s64"), (since(8, 1).sm(50), "min u64")]),
    outline("sured.p", since(2, 0).sm(20).assembler("13.5"), "", &[], &["A RI"], &[
        exactly(1, "clamping", &[(ALWAYS, "clamp trap zero")]),
        exactly(1, "dimension", &[(ALWAYS, "1d 2d"), (since(3, 0).sm(20), "3d")]),
        exactly(1, "operation", &[(ALWAYS, "add and max min or")]),
        exactly(1, "type", &[(ALWAYS, "b32"), (since(8, 1).sm(50), "b64")]),
    ]),
    outline("sust.b", since(2, 0).sm(20).assembler("13.5"), "", &[], &["A RV"], &[
        up_to(1, "cache operator", &[(ALWAYS, "cg cs wb wt")]),
        exactly(1, "clamping", &[(ALWAYS, "clamp trap zero")]),
        exactly(1, "dimension", &[(ALWAYS, "1d 2d 5d"), (since(3, 0).sm(20), "3d a1d a2d")]),
        exactly(1, "type", &[(ALWAYS, "b16 b32 b64 b8")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4")]),
    ]),
    outline("sust.p", since(2, 0).sm(20).assembler("13.5"), "", &[], &["A RIV"], &[
        up_to(1, "cache operator", &[(ALWAYS, "cg cs wb wt")]),
        exactly(1, "clamping", &[(ALWAYS, "clamp trap zero")]),
        exactly(1, "dimension", &[(ALWAYS, "1d 2d"), (since(3, 0).sm(20), "3d"), (since(4, 1).sm(30), "a1d a2d")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
        up_to(1, "vector width", &[(ALWAYS, "v2 v4")]),
    ]),
    outline("tex", ALWAYS, "", &[(since(3, 1).sm(20), "base grad level"), (ALWAYS, "uni")], &["V A", "V A RIV", "V A RIV RIV", "V A RIV RIV RI", "V A V V RIV RIV"], &[
        exactly(1, "dimension", &[(ALWAYS, "1d 2d 3d 5d"), (since(2, 3).sm(20), "a1d a2d"), (since(3, 0).sm(20), "acube cube"), (since(3, 2).sm(30), "2dms a2dms")]),
        between(2, 3, "type", &[(ALWAYS, "b2 f32 u32 s32"), (since(4, 2).sm(53), "f16x2")]),
        exactly(1, "vector width", &[(ALWAYS, "v2 v4")]),
    ]).resident(since(7, 1).sm(60)).texture(),
    outline("tld4", since(2, 2).sm(20).assembler("13.5"), "", &[], &["V A", "V A RIV", "V A V R"], &[
        exactly(1, "component", &[(ALWAYS, "a b g"), (since(3, 1).sm(20), "r")]),
        exactly(1, "dimension", &[(ALWAYS, "2d"), (since(4, 3).sm(30), "a2d acube cube")]),
        exactly(2, "type", &[(ALWAYS, "f32 u32"), (since(3, 1).sm(20), "s32")]),
        exactly(1, "vector width", &[(ALWAYS, "v4")]),
    ]).resident(since(7, 1).sm(60)).texture(),
    outline("txq", since(2, 0).sm(20).assembler("13.5"), "", &[], &["R A"], &[
        exactly(1, "query", &[(ALWAYS, "addr_mode_0 addr_mode_2 array_size channel_data_type depth force_unnormalized_coords height normalized_coords width"), (since(3, 1).sm(20), "addr_mode_1 filter_mode"), (since(2, 1).sm(20), "channel_order"), (since(4, 1).sm(30), "num_mipmap_levels num_samples")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]),
    outline("txq.level", since(4, 3).sm(30).assembler("13.5"), "", &[], &["R A RIV"], &[
        exactly(1, "query", &[(ALWAYS, "depth height width")]),
        exactly(1, "type", &[(ALWAYS, "b32")]),
    ]),
];
