//! `warpgrid run --seeds`: whether the final memory depends on the schedule, and the stores at which two schedules diverge.

use expect_test::expect;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Two warps store their indices to one location.
const RACE: &str = "//@ launch grid=1 block=64
//@ buffer out: u32[4] = 9
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    mov.u32 %r1, %tid.x;
    shr.u32 %r2, %r1, 5;
    st.global.u32 [%a+4], %r2;
    ret;
}
";

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(["run", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that rejects its arguments closes the pipe.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the command ends")
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

#[test]
fn diverging_seeds_exit_with_1_and_name_differing_stores() {
    let output = run(&["--seeds", "0..8"], RACE);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    expect![[r#"
        -: 8 seeds produce 2 different results, so the result depends on the schedule
          6 seeds (0, 1, 2, 3, 5, 7)
          2 seeds (4, 6)
          out[1] differs (1 differing element):
            seed 0: 1, stored by block (0, 0, 0) warp 1 lane 31 in step 8, line 13: st.global.u32 [%a+4], %r2;
            seed 4: 0, stored by block (0, 0, 0) warp 0 lane 31 in step 8, line 13: st.global.u32 [%a+4], %r2;
    "#]].assert_eq(text(&output));
}

#[test]
fn agreeing_seeds_exit_with_0_and_are_counted() {
    let each = RACE.replace(
        "st.global.u32 [%a+4], %r2;",
        "shr.u32 %r3, %r1, 6; st.global.u32 [%a+4], %r3;",
    );
    let output = run(&["--seeds", "0..8"], &each);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    expect![[r#"
        -: 8 seeds produce identical memory contents
          8 seeds (0, 1, 2, 3, 4, 5, 6, 7)
    "#]]
    .assert_eq(text(&output));
}

#[test]
fn json_report_lists_every_final_state() {
    let output = run(&["--seeds", "0..8", "--format", "json"], RACE);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["ends"].as_array().map(Vec::len), Some(2), "{report}");
    assert_eq!(report["differences"][0]["index"], 1, "{report}");
}

#[test]
fn invalid_seed_range_is_usage_error() {
    for range in ["0", "4..4", "5..2", "a..b"] {
        let output = run(&["--seeds", range], RACE);
        assert_eq!(output.status.code(), Some(2), "{range}: {output:?}");
    }
}
