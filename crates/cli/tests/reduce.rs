//! `warpgrid reduce`: reduced sources, output files and errors.

mod common;

use common::{Folder, json, warpgrid};

const RACE: &str = "//@ launch grid=1 block=64
//@ buffer out: u32[4] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry race(.param .u64 out)
{
    .reg .b32 %t, %u;
    .reg .b64 %p;
    ld.param.u64 %p, [out];
    mov.u32 %t, %tid.x;
    add.u32 %u, %t, 1;
    st.global.u32 [%p+4], %t;
    ret;
}
";

#[test]
fn reduced_source_is_written_to_standard_output() {
    let folder = Folder::new("reduce-race");
    let file = folder.file("race.ptx", RACE.as_bytes());
    let output = warpgrid(&["reduce", "--while", "races", &file], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let source = String::from_utf8_lossy(&output.stdout);
    assert!(source.contains("st.global.u32"), "{source}");
    assert!(!source.contains("add.u32"), "{source}");
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(summary.starts_with("5 statements -> "), "{summary}");
    // The reduced source has the same finding.
    let analyzed = warpgrid(&["analyze", "--format", "json", "-"], &source);
    assert_eq!(
        json(&analyzed)["kernels"][0]["findings"][0]["kind"],
        "data-race"
    );
}

#[test]
fn output_file_contains_the_source_of_the_report() {
    let folder = Folder::new("reduce-output");
    let file = folder.file("race.ptx", RACE.as_bytes());
    let target = folder.file("small.ptx", b"");
    let arguments = [
        "reduce", "--while", "races", "--format", "json", "-o", &target, &file,
    ];
    let output = warpgrid(&arguments, "");
    let report = json(&output);
    assert_eq!(report["ok"], true);
    assert_eq!(report["statementsBefore"], 5);
    let written = std::fs::read_to_string(&target).expect("a file");
    assert_eq!(report["source"], written);
}

#[test]
fn source_without_the_finding_and_overwritten_input_are_errors() {
    let folder = Folder::new("reduce-errors");
    let file = folder.file("race.ptx", RACE.as_bytes());
    let output = warpgrid(&["reduce", "--while", "hangs", &file], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the source has no hang"));
    let output = warpgrid(&["reduce", "--while", "races", "-o", &file, &file], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("would overwrite the input file"));
}
