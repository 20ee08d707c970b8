//! Narrow floating-point types in complete kernels: conversions with random bits and scale factors, and block-scaled MMAs.

use warpgrid_view::{MemoryKey, Scenario, Session};

/// Returns the words that a warp stores to `out`. Each lane stores `%d0`.
fn words(target: &str, body: &str) -> Vec<u32> {
    let source = format!(
        "//@ launch block=32
//@ buffer out: u32[32] = 0
.version 9.4
.target {target}
.address_size 64
.visible .entry k(.param .u64 out) {{
.reg .b64 %p<2>; .reg .b32 %d<8>; .reg .b16 %h<4>; .reg .b8 %b<2>; .reg .f32 %f<8>; .reg .b32 %t<4>;
mov.u32 %t0, %tid.x;
ld.param.u64 %p0, [out];
mad.wide.u32 %p0, %t0, 4, %p0;
{body}
st.global.b32 [%p0], %d0;
ret;
}}"
    );
    let scenario = Scenario {
        source,
        ..Scenario::default()
    };
    let mut session = Session::new(scenario).unwrap_or_else(|error| panic!("{body}: {error:?}"));
    assert!(session.run(10_000), "{body}: not over");
    assert_eq!(session.fault(), None, "{body}");
    let bytes = session.memory(&MemoryKey::Buffer("out".to_owned()));
    let bytes = bytes.expect("a buffer");
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes(word.try_into().expect("a word")))
        .collect()
}

fn check(target: &str, body: &str, expected: u32) {
    let found = words(target, body)[0];
    assert_eq!(
        found, expected,
        "{body}: found {found:#x}, expected {expected:#x}"
    );
}

#[test]
fn cvt_rs_rounds_with_random_bits() {
    let numbers = "mov.f32 %f0, 0f3f800800; mov.f32 %f1, 0fbf800800;";
    let by = |code: &str, random: u32, expected| {
        let body = format!("{numbers} mov.b32 %t1, {random:#x};\n{code}");
        check("sm_100a", &body, expected);
    };
    let halves = "cvt.rs.f16x2.f32 %d0, %f0, %f1, %t1;";
    by(halves, 0x17ff_1800, 0x3c00_bc01);
    let brains = "cvt.rs.satfinite.relu.bf16x2.f32 %d0, %f0, %f1, %t1;";
    by(brains, 0xffff_ffff, 0x3f81_0000);
    by(brains, 0x0000_ffff, 0x3f80_0000);
    let bytes = "cvt.rs.satfinite.e4m3x4.f32 %d0, {%f0, %f1, %f0, %f1}, %t1;";
    by(bytes, 0xffff_0000, 0x39b9_38b8);
    let nibbles =
        "cvt.rs.satfinite.e2m1x4.f32 %h0, {%f0, %f1, %f0, %f1}, %t1; cvt.u32.u16 %d0, %h0;";
    by(nibbles, 0xff00_ff00, 0x3b2a);
}

#[test]
fn cvt_converts_to_and_from_s2f6_fixed_point() {
    let down = "mov.f32 %f0, 0.5; mov.f32 %f1, -0.25; mov.b16 %h1, 0x807e;";
    check(
        "sm_100a",
        &format!("{down} cvt.rn.satfinite.s2f6x2.f32 %h0, %f0, %f1; cvt.u32.u16 %d0, %h0;"),
        0x20f0,
    );
    check(
        "sm_100a",
        &format!(
            "{down} cvt.rn.satfinite.scaled::n2::ue8m0.s2f6x2.f32 %h0, %f0, %f1, %h1; cvt.u32.u16 %d0, %h0;"
        ),
        0x10e0,
    );
    check(
        "sm_100a",
        "mov.b16 %h0, 0x20f0; mov.b16 %h1, 0x807e; cvt.rn.scaled::n2::ue8m0.bf16x2.s2f6x2 %d0, %h0, %h1;",
        0x3f80_be00,
    );
    check(
        "sm_100a",
        "mov.b32 %d1, 0x3f00be80; cvt.rn.satfinite.s2f6x2.bf16x2 %h0, %d1; cvt.u32.u16 %d0, %h0;",
        0x20f0,
    );
}

/// Returns the element of D in the first register of each lane. Rows of A and columns of B contain ones.
fn scaled(kind: &str, types: &str, factors: &str) -> Vec<f32> {
    let a = if kind.contains("mxf8") {
        "0x38383838"
    } else {
        "0x22222222"
    };
    let body = format!(
        "mov.b32 %d4, {a}; mov.f32 %f0, 1.0;
shr.u32 %t1, %t0, 2; and.b32 %t2, %t0, 3;
{factors}
mma.sync.aligned.{kind}.f32.{types} {{%f1, %f2, %f3, %f4}}, {{%d4, %d4, %d4, %d4}}, {{%d4, %d4}}, {{%f0, %f0, %f0, %f0}}, %d1, {{0, 0}}, %d2, {{0, 0}};
mov.b32 %d0, %f1;"
    );
    words("sm_120a", &body)
        .into_iter()
        .map(f32::from_bits)
        .collect()
}

/// Computes the element of the first register of each lane: row `lane / 4`, column `lane % 4 * 2`.
fn of_first_registers(element: impl Fn(i32, i32) -> f32) -> Vec<f32> {
    (0..32)
        .map(|lane| element(lane / 4, lane % 4 * 2))
        .collect()
}

#[test]
fn block_scale_applies_row_and_column_scale_factors() {
    // The scale factor of a row is 2^row in lane 4 * row, and that of a column is 2^-column in lane 4 * column. Other lanes hold NaN or
    // rows eight below.
    let factors = "add.u32 %d1, %t1, 127; sub.u32 %d2, 127, %t1;
setp.gt.u32 %q, %t2, 1; @%q mov.b32 %d1, 0xffffffff; setp.gt.u32 %q, %t2, 0; @%q mov.b32 %d2, 0xffffffff;";
    let factors = format!(".reg .pred %q; {factors}");
    let kind = "m16n8k32.row.col.kind::mxf8f6f4.block_scale";
    let found = scaled(kind, "e4m3.e4m3.f32.ue8m0", &factors);
    let expected = of_first_registers(|row, column| 1.0 + 32.0 * 2f32.powi(row - column));
    assert_eq!(found, expected);
}

#[test]
fn scale_vec_applies_scale_factors_per_k_segment() {
    // `ue4m3` scale factors of rows: 1, 0.5, 0 and 2 from the low byte up. Those of columns are 1.
    let factors = "mov.b32 %d1, 0x40003038; mov.b32 %d2, 0x38383838;";
    let kind = "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X";
    let found = scaled(kind, "e2m1.e2m1.f32.ue4m3", factors);
    assert_eq!(found, vec![1.0 + 16.0 * 3.5; 32]);
    // `ue8m0` scale factors: 2 for the first half and 8 for the second half.
    let factors = "mov.b32 %d1, 0x00008280; mov.b32 %d2, 0x7f7f7f7f;";
    let kind = "m16n8k64.row.col.kind::mxf4.block_scale";
    let found = scaled(kind, "e2m1.e2m1.f32.ue8m0", factors);
    assert_eq!(found, vec![1.0 + 32.0 * 10.0; 32]);
}
