//! `warpgrid litmus`: allowed outcomes of litmus tests.

mod common;

use common::{Folder, json, warpgrid};
use expect_test::expect;

const MESSAGE: &str = "//@ title Message passing
//@ location x: u32 = 0
//@ location flag: u32 = 0
//@ thread block=0
st.global.u32 [x], 1;
st.global.u32 [flag], 1;
//@ thread block=1
ld.global.u32 %r0, [flag];
ld.global.u32 %r1, [x];
//@ observe 1:%r0 1:%r1
";

fn printed(arguments: &[&str], text: &str) -> String {
    let output = warpgrid(arguments, text);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn outcomes_list_source_write_of_each_read() {
    expect![[r#"
        Message passing
        observed: 1:%r0, 1:%r1
        allowed 0 0, with a data race
            thread 1: `read x: 0`, from the initial value
            thread 1: `read flag: 0`, from the initial value
        allowed 0 1, with a data race
            thread 1: `read flag: 0`, from the initial value
            thread 1: `read x: 1`, from `x = 1` of thread 0
        allowed 1 0, not sequentially consistent, with a data race
            thread 1: `read x: 0`, from the initial value
            thread 1: `read flag: 1`, from `flag = 1` of thread 0
        allowed 1 1, with a data race
            thread 1: `read x: 1`, from `x = 1` of thread 0
            thread 1: `read flag: 1`, from `flag = 1` of thread 0
        data race between line 5 (thread 0) and line 9 (thread 1)
        data race between line 6 (thread 0) and line 8 (thread 1)
    "#]]
    .assert_eq(&printed(&["litmus", "-"], MESSAGE));
}

#[test]
fn forbidden_outcome_names_violated_axiom() {
    let ordered = MESSAGE
        .replace("st.global.u32 [flag]", "st.release.gpu.global.u32 [flag]")
        .replace(
            "ld.global.u32 %r0, [flag]",
            "ld.acquire.gpu.global.u32 %r0, [flag]",
        );
    expect![[r#"
        Message passing
        observed: 1:%r0, 1:%r1
        allowed 0 0, with a data race
            thread 1: `read x: 0`, from the initial value
            thread 1: `read flag: 0`, from the initial value
        allowed 0 1, with a data race
            thread 1: `read flag: 0`, from the initial value
            thread 1: `read x: 1`, from `x = 1` of thread 0
        allowed 1 1
            thread 1: `read x: 1`, from `x = 1` of thread 0
            thread 1: `read flag: 1`, from `flag = 1` of thread 0
        forbidden 1 0: the write `x = 1` (thread 0, line 5) precedes the `read x: 0` (thread 1, line 9) in causality order, so the read cannot return the older value of the initial value `x = 0`
        data race between line 5 (thread 0) and line 9 (thread 1)
    "#]].assert_eq(&printed(&["litmus", "-"], &ordered));
}

#[test]
fn json_report_includes_bad_outcomes_and_repairs() {
    let output = warpgrid(&["litmus", "-", "--repairs", "--format", "json"], MESSAGE);
    let found = json(&output);
    assert_eq!(found["outcomes"].as_array().map(Vec::len), Some(4));
    assert_eq!(found["bad"], serde_json::json!([[1, 0]]));
    let repairs = found["repairs"].as_array().expect("repairs");
    assert!(!repairs.is_empty());
    for repair in repairs {
        for edit in repair.as_array().expect("changes") {
            assert!(edit["op"].is_string() && edit["text"].is_string(), "{edit}");
        }
    }
}

#[test]
fn invalid_litmus_test_error_names_line() {
    let output = warpgrid(
        &["litmus", "-"],
        "//@ thread block=0\nst.global.u32 [x], 1;\n",
    );
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("observe"), "{said}");
    let unknown = MESSAGE.replace("[x], 1", "[y], 1");
    let output = warpgrid(&["litmus", "-"], &unknown);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("line 5") && said.contains('y'), "{said}");
}

#[test]
fn deny_option_fails_on_allowed_bad_outcome() {
    let folder = Folder::new("deny");
    let text = "//@ location x: u32 = 0\n//@ thread block=0\nst.relaxed.gpu.global.u32 [x], 1;\n//@ thread block=1\nld.relaxed.gpu.global.u32 %r0, [x];\n//@ observe 1:%r0\n//@ bad 1\n";
    let bad = folder.file("bad.ptx", text.as_bytes());
    assert_eq!(warpgrid(&["litmus", &bad], "").status.code(), Some(0));
    assert_eq!(
        warpgrid(&["litmus", &bad, "--deny"], "").status.code(),
        Some(1)
    );
    let good = folder.file("good.ptx", text.replace("bad 1", "bad 2").as_bytes());
    assert_eq!(
        warpgrid(&["litmus", &good, "--deny"], "").status.code(),
        Some(0)
    );
}

/// Two threads of one block store to the same element and read it.
const RACY_KERNEL: &str = "//@ launch grid=1 block=2
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .b64 %a;
.reg .b32 %r<3>;
ld.param.u64 %a, [p];
mov.u32 %r1, %tid.x;
st.global.u32 [%a], %r1;
ld.global.u32 %r2, [%a];
ret;
}
";

#[test]
fn litmus_test_is_extracted_from_lines_of_kernel() {
    let folder = Folder::new("extract");
    let kernel = folder.file("kernel.ptx", RACY_KERNEL.as_bytes());
    let lines = [
        "litmus",
        &kernel,
        "--lines",
        "11-12",
        "--threads",
        "0:0,0:1",
    ];
    let extracted = printed(&[&lines[..], &["--print-test"]].concat(), "");
    assert_eq!(extracted.matches("//@ thread").count(), 2, "{extracted}");
    let outcomes = printed(&lines, "");
    assert!(outcomes.contains("line 11"), "{outcomes}");
}

#[test]
fn former_options_produce_same_output() {
    let folder = Folder::new("former");
    let kernel = folder.file("kernel.ptx", RACY_KERNEL.as_bytes());
    let tests = folder.file("test.ptx", MESSAGE.as_bytes());
    let lines = [
        "litmus",
        &kernel,
        "--lines",
        "11-12",
        "--threads",
        "0:0,0:1",
    ];
    let with = |options: &[&str]| printed(&[&lines[..], options].concat(), "");
    assert_eq!(with(&["--question"]), with(&["--print-test"]));
    assert_eq!(with(&["--before", "9"]), with(&["--before-step", "9"]));
    assert_eq!(
        printed(&["litmus", &tests, "--only", "Message"], ""),
        printed(&["litmus", &tests, "--filter", "Message"], "")
    );
}
