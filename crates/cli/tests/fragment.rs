//! `warpgrid fragment` as scripts and people use it: the table, JSON, the drawing, and what it says of a map that does not exist.

use expect_test::expect;
use serde_json::Value;
use std::process::{Command, Output};

/// Runs the command with a query of four words and more options.
fn fragment(op: &str, shape: &str, ty: &str, target: &str, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args([
            "fragment", "--op", op, "--shape", shape, "--type", ty, "--target", target,
        ])
        .args(options)
        .output()
        .expect("the command starts")
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn people_see_the_matrix_with_lane_and_register() {
    let output = fragment("store.d", "m8n8k4", "f64", "sm_90", &["--stride", "4"]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        wmma.store.d m8n8k4 f64, sm_90
        8 x 8 elements; a lane has 2 registers with 1 element
        group family, the same on sm_80 sm_82 sm_86 sm_87 sm_88 sm_89 sm_90 sm_100 sm_101 sm_103 sm_107 sm_110 sm_120 sm_121
        source: compiled code of assembler 13.5

          row = g; col = 2*t + e
          e = element number in the lane: reg * elems_per_reg + position in the register, low bits first
          g = L >> 2
          t = L & 3

        in memory, .row with stride 4: byte offset 8 * (row*4 + col)
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
fn json_is_a_file_of_maps_with_this_one_in_it() {
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
fn the_layout_decides_where_the_hardware_says_so() {
    let lanes = |layout: &str, target: &str| {
        let options = ["--layout", layout, "--format", "json"];
        json(&fragment("load.a", "m16n16k16", "f16", target, &options))["lanes"].clone()
    };
    assert_ne!(lanes("row", "sm_70"), lanes("col", "sm_70"));
    assert_eq!(lanes("row", "sm_75"), lanes("col", "sm_75"));
}

#[test]
fn several_matrices_are_kept_apart() {
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
fn a_drawing_has_a_cell_for_each_element() {
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
fn a_map_that_does_not_exist_is_explained() {
    let complaint = |op, shape, ty, target, options: &[&str]| {
        let output = fragment(op, shape, ty, target, options);
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    expect![[r#"
        warpgrid: `store.d` has no type `tf32` in shape `m16n16k8`, expected `f32`
    "#]]
    .assert_eq(&complaint("store.d", "m16n16k8", "tf32", "sm_80", &[]));
    expect![[r#"
        warpgrid: `load.b` with `m8n8k128` and `b1` requires `sm_75` or higher, found `sm_72`
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
