//! Rules of textures and surfaces that the cases of `tensor` do not cover.

use crate::common::keeps_promise;
use warpgrid_view::{MemoryKey, Scenario, Session};

const MAX_STEPS: u64 = 100_000;

fn session(lines: &str, parameters: &str, module: &str, body: &str) -> Session {
    let declared: Vec<String> = parameters
        .split_whitespace()
        .map(|name| format!(".param .u64 {name}"))
        .collect();
    let source = format!(
        "{lines}\n.version 8.8\n.target sm_90\n.address_size 64\n{module}\n.visible .entry k({})\n{{\n.reg .b64 %rd<9>;\n.reg .b32 %r<20>;\n.reg .f32 %f<20>;\n.reg .pred %p<4>;\nmov.u32 %r0, %tid.x;\n{body}\nret;\n}}\n",
        declared.join(", ")
    );
    Session::new(Scenario {
        source,
        ..Scenario::default()
    })
    .expect("a session")
}

fn words(session: &Session, name: &str) -> Vec<u32> {
    let bytes = session.memory(&MemoryKey::Buffer(name.to_owned()));
    let (words, _) = bytes.expect("a memory").as_chunks();
    words.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Runs to the end without a fault and returns the words of a memory.
fn ran(mut session: Session, name: &str) -> Vec<u32> {
    keeps_promise(&mut session, MAX_STEPS).expect("no fault");
    words(&session, name)
}

fn fault_of(mut session: Session) -> String {
    session.run(MAX_STEPS);
    session.fault().expect("a fault").message.clone()
}

#[test]
fn cube_map_direction_selects_face() {
    // Lane 0 to 5: +x, -x, +y, -y, +z, -z.
    let session = session(
        "//@ launch block=6\n//@ array sky: u32[1][2][2] cubemap = iota\n//@ texture image = sky\n//@ buffer out: u32[6]\n//@ buffer at: f32[6][3] = 2, 1, -1, -2, 1, -1, 1, 2, -1, 1, -2, -1, 1, -1, 2, 1, -1, -2",
        "image out at",
        "",
        "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [at];\nmad.wide.u32 %rd3, %r0, 12, %rd2;\nld.global.f32 %f0, [%rd3];\nld.global.f32 %f1, [%rd3+4];\nld.global.f32 %f2, [%rd3+8];\ntex.cube.v4.u32.f32 {%r1, _, _, _}, [%rd0, {%f0, %f1, %f2, %f2}];\nmad.wide.u32 %rd4, %r0, 4, %rd1;\nst.global.u32 [%rd4], %r1;",
    );
    assert_eq!(ran(session, "out"), [1, 4, 9, 15, 19, 22]);
}

#[test]
fn missing_channels_read_as_0_0_1_and_texels_are_resident() {
    let session = session(
        "//@ launch block=1\n//@ array texels: u8x2[4] = 255, 51, 0, 0, 0, 0, 0, 0\n//@ texture image = texels read=normalized_float\n//@ buffer out: f32[5]\n//@ expect out = 1.0, 0.2, 0, 1, 1",
        "image out",
        "",
        "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [out];\nmov.f32 %f0, 0f00000000;\ntex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}|%p0, [%rd0, {%f0}];\nselp.f32 %f5, 0f3f800000, 0f00000000, %p0;\nst.global.f32 [%rd1], %f1;\nst.global.f32 [%rd1+4], %f2;\nst.global.f32 [%rd1+8], %f3;\nst.global.f32 [%rd1+12], %f4;\nst.global.f32 [%rd1+16], %f5;",
    );
    ran(session, "out");
}

#[test]
fn f16x2_fetch_returns_packed_pairs() {
    let session = session(
        "//@ launch block=1\n//@ array texels: f32x4[2] = 1.0, -2.0, 0.5, 4.0\n//@ texture image = texels\n//@ buffer out: u32[2]",
        "image out",
        "",
        "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [out];\nmov.u32 %r1, 0;\ntex.1d.v2.f16x2.s32 {%r2, %r3}, [%rd0, {%r1}];\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1+4], %r3;",
    );
    assert_eq!(ran(session, "out"), [0xc000_3c00, 0x4400_3800]);
}

#[test]
fn depth_comparison_precedes_filtering() {
    let lines = "//@ launch block=1\n//@ array depths: f32[1][4] = 0.25, 0.5, 0.75, 1\n//@ buffer out: f32[8]\n";
    let body = "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [out];\nmov.f32 %f0, 0f3f800000;\nmov.f32 %f9, 0f3f000000;\nmov.f32 %f8, 0f3f19999a;\ntex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd0, {%f0, %f9}], %f9;\nst.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};\nmov.f32 %f0, 0f40000000;\ntld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd0, {%f0, %f9}], %f8;\nst.global.v4.f32 [%rd1+16], {%f1, %f2, %f3, %f4};";
    // One of texels 0 and 1 is not less than the reference 0.5, so the filtered result is 0.5. Of texels 1 and 2, only the second is not
    // less than 0.6.
    let linear = session(
        &format!(
            "{lines}//@ texture image = depths filter=linear\n//@ expect out = 0.5, 0, 0, 1, 0, 1, 1, 0"
        ),
        "image out",
        "",
        body,
    );
    ran(linear, "out");
}

#[test]
fn multisample_fetch_and_istypep_return_expected_results() {
    let lines = "//@ launch block=1\n//@ array texels: u32[2][2] surface = 5, 6, 7, 8\n//@ texture image = texels\n//@ surface to = texels\n//@ buffer out: u32[4]\n";
    let start = "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [to];\nmov.u32 %r1, 1;\nmov.u32 %r2, 0;\n";
    let asked = session(
        &format!("{lines}//@ expect out = 8, 1, 0, 1"),
        "image to out",
        "",
        &format!(
            "{start}tex.2dms.v4.u32.s32 {{%r3, %r4, %r5, %r6}}, [%rd0, {{%r2, %r1, %r1, %r1}}];\nistypep.texref %p0, %rd0;\nistypep.surfref %p1, %rd0;\nistypep.surfref %p2, %rd2;\nselp.u32 %r4, 1, 0, %p0;\nselp.u32 %r5, 1, 0, %p1;\nselp.u32 %r6, 1, 0, %p2;\nst.global.v4.u32 [%rd1], {{%r3, %r4, %r5, %r6}};"
        ),
    );
    ran(asked, "out");
    let other = session(
        lines,
        "image to out",
        "",
        &format!(
            "{start}tex.2dms.v4.u32.s32 {{%r3, %r4, %r5, %r6}}, [%rd0, {{%r1, %r1, %r1, %r1}}];"
        ),
    );
    assert_eq!(
        fault_of(other),
        "thread (0, 0, 0) of block (0, 0, 0): the instruction reads sample 1 of `image`, but `image` has only sample 0"
    );
}

#[test]
fn sust_p_saturates_and_sured_uses_format_signedness() {
    let session = session(
        "//@ launch block=1\n//@ array small: u8x4[2] surface\n//@ array sums: s32[2][2] surface = -5, 0, 0, 7\n//@ surface to = small\n//@ surface sum = sums\n//@ expect small = 0, 0, 0, 0, 255, 7, 0, 9\n//@ expect sums = -5, -3, 0, 7",
        "to sum",
        "",
        "ld.param.u64 %rd0, [to];\nld.param.u64 %rd1, [sum];\nmov.u32 %r1, 1;\nmov.u32 %r2, 300;\nmov.u32 %r3, 7;\nmov.u32 %r4, 0;\nmov.u32 %r5, 9;\nsust.p.1d.v4.b32.trap [%rd0, {%r1}], {%r2, %r3, %r4, %r5};\nmov.u32 %r6, -3;\nsured.p.min.2d.b32.trap [%rd1, {%r1, %r4}], %r6;",
    );
    ran(session, "sums");
}

#[test]
fn texref_resolves_to_texture_of_same_name() {
    let session = session(
        "//@ launch block=4\n//@ array texels: u32[4] = 9, 8, 7, 6\n//@ buffer out: u32[4]\n//@ texture image = texels\n//@ expect out = 9, 8, 7, 6",
        "out",
        ".global .texref image;",
        "ld.param.u64 %rd1, [out];\ntex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [image, {%r0}];\nmad.wide.u32 %rd4, %r0, 4, %rd1;\nst.global.u32 [%rd4], %r1;",
    );
    ran(session, "out");
}

#[test]
fn seeking_back_restores_surface_contents() {
    let mut session = session(
        "//@ launch block=4\n//@ array cells: u32[4] surface\n//@ surface to = cells",
        "to",
        "",
        "ld.param.u64 %rd0, [to];\nshl.b32 %r1, %r0, 2;\nadd.u32 %r2, %r0, 5;\nsust.b.1d.b32.trap [%rd0, {%r1}], {%r2};",
    );
    session.run(MAX_STEPS);
    let end = session.position();
    assert_eq!(words(&session, "cells"), [5, 6, 7, 8]);
    session.seek(1);
    assert_eq!(words(&session, "cells"), [0, 0, 0, 0]);
    session.seek(end);
    assert_eq!(words(&session, "cells"), [5, 6, 7, 8]);
}

#[test]
fn invalid_texture_accesses_fault_with_reason() {
    let lines = "//@ launch block=1\n//@ array cells: u32[4][4] surface\n//@ texture image = cells\n//@ surface to = cells";
    let load = "ld.param.u64 %rd0, [image];\nld.param.u64 %rd1, [to];\nmov.f32 %f0, 0f00000000;\nmov.u32 %r1, 2;\n";
    let of = |body: &str| fault_of(session(lines, "image to", "", &format!("{load}{body}")));
    let who = "thread (0, 0, 0) of block (0, 0, 0)";
    for (body, reason) in [
        (
            "tex.1d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd0, {%f0}];",
            "the geometry `.1d` of the instruction is not compatible with `image`, which has 4 rows of 4 texels",
        ),
        (
            "tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [%rd1, {%f0, %f0}];",
            "`to` is a surface, expected a texture",
        ),
        (
            "add.u64 %rd0, %rd0, 1;\ntxq.width.b32 %r2, [%rd0];",
            "no texture or surface with handle 0x7d0000000041",
        ),
        (
            "suld.b.2d.b32.zero {%r2}, [%rd1, {%r1, %r1}];",
            "the x coordinate of surface `to` is the byte offset 2, expected a multiple of 4",
        ),
        (
            "suld.b.2d.b16.trap {%r2}, [%rd1, {%r1, 4}];",
            "row 4 is out of bounds for surface `to`, which has 4 rows",
        ),
        (
            "txq.level.width.b32 %r2, [%rd0], 1;",
            "the instruction reads mipmap level 1 of `image`, but `image` has only level 0",
        ),
    ] {
        assert_eq!(of(body), format!("{who}: {reason}"), "{body}");
    }
}

#[test]
fn invalid_texture_resources_are_rejected_at_launch() {
    for (lines, reason) in [
        (
            "//@ texture image = texels",
            "texture `image`: unknown array `texels`",
        ),
        (
            "//@ buffer x: f32[4]\n//@ texture image = linear x+4: f32[4]",
            "texture `image`: the image requires 20 bytes, but the buffer has only 16 bytes",
        ),
        (
            "//@ array texels: u32[4]\n//@ texture image = texels filter=linear",
            "texture `image`: the texture has `linear` filtering, but the texels of `texels` are read as integers",
        ),
    ] {
        let source = format!(
            "{lines}\n.version 8.8\n.target sm_90\n.visible .entry k(.param .u64 image)\n{{\nret;\n}}\n"
        );
        let opened = Session::new(Scenario {
            source,
            ..Scenario::default()
        });
        let error = opened.err().expect("a refusal");
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            ("W0703", reason)
        );
    }
}
