//! Textures and surfaces.

use crate::form::outline::{Outline, between, exactly, outline};
use crate::ptx::forms::table::{ALWAYS, since};

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
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
];
