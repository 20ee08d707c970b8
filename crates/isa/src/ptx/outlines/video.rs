//! Video instructions.

use crate::form::outline::{Outline, between, exactly, outline, up_to};
use crate::ptx::forms::table::{ALWAYS, since};

/// The outlines, by name.
#[rustfmt::skip]
pub static OUTLINES: &[Outline] = &[
    outline("vabsdiff", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R RI R", "R RI RI RI"], &[
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vabsdiff2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vabsdiff4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vadd", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R RI RI", "R R R RI"], &[
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vadd2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vadd4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vavrg2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vavrg4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmad", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "po sat shr15 shr7")], &["R RI RI RI"], &[
        between(3, 4, "type", &[(ALWAYS, "b2 s32 u32")]),
    ]),
    outline("vmax", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R", "R R RI R"], &[
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmax2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmax4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmin", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R", "R R R RI"], &[
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmin2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vmin4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vset", since(2, 0).sm(20).assembler("13.5"), "", &[], &["R R RI", "R R R R"], &[
        exactly(1, "comparison", &[(ALWAYS, "eq ge gt le lt ne")]),
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(2, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vset2", since(3, 0).sm(30).assembler("13.5"), "", &[], &["R R R R"], &[
        exactly(1, "comparison", &[(ALWAYS, "eq ge gt le lt ne")]),
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(2, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vset4", since(3, 0).sm(30).assembler("13.5"), "", &[], &["R R R R"], &[
        exactly(1, "comparison", &[(ALWAYS, "eq ge gt le lt ne")]),
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(2, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vshl", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R RI R", "R RI R RI"], &[
        exactly(1, "clamping", &[(ALWAYS, "clamp wrap")]),
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vshr", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R RI", "R R R R"], &[
        exactly(1, "clamping", &[(ALWAYS, "clamp wrap")]),
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vsub", since(2, 0).sm(20).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R", "R R RI R"], &[
        up_to(1, "operation", &[(ALWAYS, "add max min")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vsub2", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
    outline("vsub4", since(3, 0).sm(30).assembler("13.5"), "", &[(ALWAYS, "sat")], &["R R R R"], &[
        up_to(1, "operation", &[(ALWAYS, "add")]),
        exactly(3, "type", &[(ALWAYS, "s32 u32")]),
    ]),
];
