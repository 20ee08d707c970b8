//! `warpgrid fragment`: the table, JSON, the drawing, and the error for a nonexistent map.

use expect_test::expect;
use serde_json::Value;
use std::process::{Command, Output};

/// Runs the command with these arguments.
fn warpgrid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(arguments)
        .output()
        .expect("the command starts")
}

/// Runs the command with a query of four parameters and further options.
fn fragment(op: &str, shape: &str, ty: &str, target: &str, options: &[&str]) -> Output {
    let words = [
        "fragment", "--op", op, "--shape", shape, "--type", ty, "--target", target,
    ];
    warpgrid(&[&words[..], options].concat())
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn human_output_shows_lane_and_register_per_element() {
    let output = fragment("store.d", "m8n8k4", "f64", "sm_90", &["--stride", "4"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        wmma.store.d m8n8k4 f64, sm_90
        8 x 8 elements, per lane 2 registers with 1 element each
        group family, identical on sm_80 sm_82 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_101 sm_103 sm_107 sm_110 sm_120 sm_121
        source: compiled code of assembler 13.5

          row = g; col = 2*t + e
          e = element index in the lane, which is reg * elems_per_reg + position in the register, counted from the low bits
          g = L >> 2
          t = L & 3

        memory layout .row with stride 4: byte offset 8 * (row*4 + col)
        note: rows overlap: the stride is 4, a row has 8 elements

        lane:register
            |    0    1    2    3    4    5    6    7
        ----+----------------------------------------
          0 |  0:0  0:1  1:0  1:1  2:0  2:1  3:0  3:1
          1 |  4:0  4:1  5:0  5:1  6:0  6:1  7:0  7:1
          2 |  8:0  8:1  9:0  9:1 10:0 10:1 11:0 11:1
          3 | 12:0 12:1 13:0 13:1 14:0 14:1 15:0 15:1
          4 | 16:0 16:1 17:0 17:1 18:0 18:1 19:0 19:1
          5 | 20:0 20:1 21:0 21:1 22:0 22:1 23:0 23:1
          6 | 24:0 24:1 25:0 25:1 26:0 26:1 27:0 27:1
          7 | 28:0 28:1 29:0 29:1 30:0 30:1 31:0 31:1
    "#]]
    .assert_eq(&text(&output.stdout));
}

#[test]
fn json_output_contains_requested_map() {
    let options = ["--layout", "col", "--stride", "40", "--format", "json"];
    let view = json(&fragment(
        "wmma.store.d",
        "m16n16k16",
        "f32",
        "sm_80",
        &options,
    ));
    let entry = &view["fragments"][0];
    assert_eq!(entry["op"], "store.d");
    assert_eq!(entry["default_stride"]["col"], 16);
    let map = &view["maps"][entry["map"].as_str().expect("the name of a map")];
    assert_eq!(map["lanes"], view["lanes"]);
    assert_eq!(map["lanes"][5][2][0], serde_json::json!([9, 2]));
    assert_eq!(view["offsets"][5][2][0], 2 * 40 + 9);
    assert_eq!(view["access"][1]["global"]["bytes"], 4);
}

#[test]
fn fragment_map_depends_on_layout_only_on_sm_70() {
    let lanes = |layout: &str, target: &str| {
        let options = ["--layout", layout, "--format", "json"];
        json(&fragment("load.a", "m16n16k16", "f16", target, &options))["lanes"].clone()
    };
    assert_ne!(lanes("row", "sm_70"), lanes("col", "sm_70"));
    assert_eq!(lanes("row", "sm_75"), lanes("col", "sm_75"));
}

#[test]
fn ldmatrix_x2_matrices_are_separate() {
    let output = fragment("ldmatrix.x2", "m8n8", "b16", "sm_80", &["--layout", "col"]);
    let table = text(&output.stdout);
    assert!(
        table.contains("matrix 0\n") && table.contains("matrix 1\n"),
        "{table}"
    );
    let view = json(&fragment(
        "ldmatrix.x2",
        "m8n8",
        "b16",
        "sm_80",
        &["--format", "json"],
    ));
    assert_eq!(view["matrices"][31], serde_json::json!([[0, 0], [1, 1]]));
}

#[test]
fn svg_has_one_cell_per_element() {
    let output = fragment("load.a", "m16n16k16", "f16", "sm_70", &["--format", "svg"]);
    let drawing = text(&output.stdout);
    assert!(drawing.starts_with("<svg ") && drawing.ends_with("</svg>\n"));
    assert_eq!(drawing.matches("<rect ").count(), 16 * 16 + 1);
    // Quad pairs 0 and 2 hold the same rows of A.
    assert!(
        drawing.contains("(0, 0): lane 0, register 0, element 0; lane 8, register 0, element 0<")
    );
    assert!(!drawing.contains("&1)"), "formulas are escaped");
}

#[test]
fn tensor_instruction_layouts_and_descriptors_are_printed() {
    let output = warpgrid(&[
        "fragment",
        "--op",
        "tcgen05.ld",
        "--shape",
        "16x128b",
        "--param",
        "num=x1",
    ]);
    expect![[r#"
        tcgen05.ld.16x128b.x1: 2 registers per lane of a warp, in tensor memory
        source: PTX ISA, CuTe, certainty high

          lane = L/4 + 8*(r%2), column = L%4 + 4*(r/2)
          L = lane of the warp, r = register; lanes and columns are relative to the tensor memory address of the operand
        note: Warp w of a warpgroup accesses lanes 32*w to 32*w + 31. A 16-lane shape starts at the first or the 17th of these lanes.

        lane by column: thread, register, element
            |      0      1      2      3
        ----+----------------------------
          0 |  T0:r0  T1:r0  T2:r0  T3:r0
          1 |  T4:r0  T5:r0  T6:r0  T7:r0
          2 |  T8:r0  T9:r0 T10:r0 T11:r0
          3 | T12:r0 T13:r0 T14:r0 T15:r0
          4 | T16:r0 T17:r0 T18:r0 T19:r0
          5 | T20:r0 T21:r0 T22:r0 T23:r0
          6 | T24:r0 T25:r0 T26:r0 T27:r0
          7 | T28:r0 T29:r0 T30:r0 T31:r0
          8 |  T0:r1  T1:r1  T2:r1  T3:r1
          9 |  T4:r1  T5:r1  T6:r1  T7:r1
         10 |  T8:r1  T9:r1 T10:r1 T11:r1
         11 | T12:r1 T13:r1 T14:r1 T15:r1
         12 | T16:r1 T17:r1 T18:r1 T19:r1
         13 | T20:r1 T21:r1 T22:r1 T23:r1
         14 | T24:r1 T25:r1 T26:r1 T27:r1
         15 | T28:r1 T29:r1 T30:r1 T31:r1
    "#]].assert_eq(&text(&output.stdout));
    let output = warpgrid(&[
        "fragment",
        "--op",
        "tcgen05.idesc",
        "--param",
        "kind=f16,descriptor=0x08410490",
    ]);
    expect![[r#"
        Instruction descriptor of tcgen05.mma.kind::f16: 0x08410490
        source: PTX ISA, CuTe, certainty high

          fields in order of their bits, from the lowest bit; all other bits are 0

        descriptor 0x08410490
            0-1  sparsity selector      0  0
              2  sparse A               0  no
              3  saturated              0  no
            4-5  type of D              1  f32, 32 bits
            7-9  type of A              1  bf16, 16 bits
          10-12  type of B              1  bf16, 16 bits
             13  A negated              0  no
             14  B negated              0  no
             15  A transposed           0  K-major
             16  B transposed           1  MN-major
          17-22  N / 8                 32  256 columns = 32 × 8
          24-28  M / 16                 8  128 rows = 8 × 16

          mov.b32 %idesc, 0x08410490;
        see also: The tile of A that the hardware reads: #layouts?op=tcgen05.tile.a&idesc=0x8410490&kind=f16
        see also: The tile of B that the hardware reads: #layouts?op=tcgen05.tile.b&idesc=0x8410490&kind=f16
    "#]]
    .assert_eq(&text(&output.stdout));
    let view = json(&warpgrid(&[
        "fragment", "--op", "wgmma.d", "--shape", "m64n8k16", "--format", "json",
    ]));
    assert_eq!(view["lanes"][37][2], serde_json::json!([[25, 2]]));
    let output = warpgrid(&["fragment", "--op", "wgmma.d", "--param", "swizzle"]);
    assert!(text(&output.stderr).contains("NAME=VALUE"));
}

#[test]
fn unsupported_fragment_is_usage_error_with_explanation() {
    let complaint = |op, shape, ty, target, options: &[&str]| {
        let output = fragment(op, shape, ty, target, options);
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    expect![[r#"
        warpgrid: `store.d` with shape `m16n16k8` does not support type `tf32`, expected `f32`
    "#]]
    .assert_eq(&complaint("store.d", "m16n16k8", "tf32", "sm_80", &[]));
    expect![[r#"
        warpgrid: `load.b` with shape `m8n8k128` and type `b1` requires `sm_75` or higher, found `sm_72`
    "#]]
    .assert_eq(&complaint("load.b", "m8n8k128", "b1", "sm_72", &[]));
    expect![[r#"
        warpgrid: found layout `diagonal`, expected `row`, `col`
    "#]]
    .assert_eq(&complaint(
        "load.b",
        "m16n16k16",
        "f16",
        "sm_80",
        &["--layout", "diagonal"],
    ));
    assert!(complaint("store.d", "16x16", "f32", "sm_80", &[]).contains("`m16n16k16`"));
    assert!(complaint("store.d", "m16n16k16", "f32", "sm_81", &[]).contains("`sm_80`"));
}
