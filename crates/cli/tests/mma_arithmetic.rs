//! `warpgrid product`: the computation steps of Tensor Cores, JSON, and the error for a nonexistent instruction.

use expect_test::expect;
use serde_json::Value;
use std::process::{Command, Output};

/// 1 + 4 * 2^-24 in the first block of `sm_70`: each product is half a unit in the last place of 1.
const HALF_UNITS: [&str; 6] = [
    "--a",
    "0x0c00,0x0c00,0x0c00,0x0c00",
    "--b",
    "0x0c00,0x0c00,0x0c00,0x0c00",
    "--c",
    "1",
];

fn product(options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .arg("product")
        .args(options)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn human_output_shows_truncated_bits() {
    let output = product(&[&["--target", "sm_70"][..], &HALF_UNITS].concat());
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        wmma.mma m16n16k16: f16 * f16 + f32 into f32, computed by the Tensor Cores of sm_70
        The result is 1, but the correctly rounded sum is 1.000000238418579, because low-order bits are truncated during alignment (k = 0, k = 1, k = 2, k = 3).

        result           1 (0x3f800000)
        exact sum        1.000000238418579
          rounded        1.000000238418579 (0x3f800002)
        chain of f32 fma 1 (0x3f800000)
        on sm_70: 1 (0x3f800000)
        on sm_75 sm_80 sm_89 sm_90 sm_100 sm_120: 1.000000238418579 (0x3f800002)

        block k = 0 to 3, accumulator 1 (0x3f800000)
          the terms are aligned to 2^0 with 23 fraction bits, in units of 2^-23
          term                  exact value    units  truncated
          accumulator                     1  8388608
          k = 0        5.960464477539063e-8        0  100000000000000000000
          k = 1        5.960464477539063e-8        0  100000000000000000000
          k = 2        5.960464477539063e-8        0  100000000000000000000
          k = 3        5.960464477539063e-8        0  100000000000000000000
          sum                                8388608
          result 1 (0x3f800000)

        block k = 4 to 7, accumulator 1 (0x3f800000)
          all products are zero

        block k = 8 to 11, accumulator 1 (0x3f800000)
          all products are zero

        block k = 12 to 15, accumulator 1 (0x3f800000)
          all products are zero
    "#]].assert_eq(&text(&output.stdout));
}

#[test]
fn fp8_mma_runs_as_two_partial_sums_and_final_addition() {
    let output = product(&[
        "--op",
        "mma",
        "--shape",
        "m16n8k32",
        "--types",
        "e4m3,e5m2,f16,f16",
        "--target",
        "sm_90",
        "--a",
        "1,0.5,448,2",
        "--b",
        "1,0x3c,1,-3",
        "--c",
        "0.1",
    ]);
    assert_eq!(output.status.code(), Some(0));
    expect![[r#"
        mma.sync m16n8k32: e4m3 * e5m2 + f16 into f16, computed by the Tensor Cores of sm_90
        The result is correctly rounded (to nearest).

        result           443.5 (0x5eee)
        exact sum        443.5999755859375
          rounded        443.5 (0x5eee)
        chain of f32 fma 443.5 (0x5eee)
        on sm_89 sm_90 sm_100 sm_120: 443.5 (0x5eee)

        block k mod 4 = 0 and 1, accumulator 0 (0x0000)
          the terms are aligned to 2^0 with 25 fraction bits, in units of 2^-25
          term         exact value     units  truncated
          k = 0                  1  33554432
          k = 1                0.5  16777216
          sum                       50331648
          result 1.5 (0x3e00)

        block k mod 4 = 2 and 3, accumulator 1.5 (0x3e00)
          the terms are aligned to 2^8 with 25 fraction bits, in units of 2^-17
          term         exact value     units  truncated
          accumulator          1.5    196608
          k = 2                448  58720256
          k = 3                 -6   -786432
          sum                       58130432
          result 443.5 (0x5eee)

        443.5 + 0.0999755859375, rounded to nearest even: 443.5 (0x5eee)
    "#]]
    .assert_eq(&text(&output.stdout));
}

#[test]
fn json_output_contains_result_steps_and_generations() {
    let output = product(&[&["--target", "sm_90", "--format", "json"][..], &HALF_UNITS].concat());
    let view: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(view["result"]["bits"], "0x3f800002");
    assert_eq!(view["steps"][0]["block"]["kept_bits"], 25);
    assert_eq!(view["generations"][0]["targets"][0], "sm_70");
}

#[test]
fn unsupported_mma_is_usage_error() {
    let refused = |options: &[&str]| {
        let output = product(&[&["--target", "sm_90"][..], options].concat());
        assert_eq!(output.status.code(), Some(2));
        text(&output.stderr)
    };
    let refusals = [
        refused(&["--types", "s8,s8,s32,s32"]),
        refused(&["--types", "f64,f64,f64,f64"]),
        refused(&["--types", "f16,f16"]),
        refused(&["--shape", "m16n16k8"]),
        refused(&["--a", "0x12345"]),
        refused(&["--op", "fma"]),
        refused(&[
            "--op",
            "mma",
            "--shape",
            "m16n8k4",
            "--types",
            "tf32,f16,f32,f32",
        ]),
    ];
    expect![[r#"
        warpgrid: no bits are truncated, because sums of `s8` are exact
        warpgrid: no bits are truncated, because `f64` results are IEEE 754 fused multiply-adds in ascending order of k
        warpgrid: found 2 types, expected four types for A, B, C and D
        warpgrid: `load.a` with shape `m16n16k8` does not support type `f16`, expected `tf32`
        warpgrid: found `0x12345`, expected an element of `f16`: a number such as `1.5` or bits such as `0x3c00`
        warpgrid: found the operation `fma`, expected `wmma` or `mma`
        warpgrid: `mma.b` with shape `m16n8k4` does not support type `f16`, expected one of `tf32`, `f64`
    "#]].assert_eq(&refusals.concat());
}
