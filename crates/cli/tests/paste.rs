//! `warpgrid check` and `run` on what is around instructions: C++ with inline assembly, files of compilers.

use expect_test::expect;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn warpgrid(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(arguments)
        .current_dir(folder())
        .output()
        .expect("the command runs")
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../paste/tests/data/binaries")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const EXAMPLE: &str = "../../../../../public/examples/inline-assembly.cu";

#[test]
fn blocks_are_listed_with_their_operands() {
    let output = warpgrid(&["check", "--list", EXAMPLE]);
    assert_eq!(output.status.code(), Some(0));
    let text = text(&output);
    // The first line has no blanks before it, so that those of the others count.
    let head: String = text
        .lines()
        .take(5)
        .map(|line| format!("{line}\n"))
        .collect();
    expect![[r#"
        ../../../../../public/examples/inline-assembly.cu: inline assembly
          1. store, line 10: accepted for sm_100
             .u64 out, "l"(out)
             .u32 value, "r"(value)
             The block writes memory: it needs `volatile` and `"memory"`. As it is, the compiler neither deletes nor moves it, and keeps no value of memory in a register over it.
    "#]]
    .assert_eq(&head);
    let output = warpgrid(&["check", "--list", "--format", "json", EXAMPLE]);
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(list["blocks"].as_array().map(Vec::len), Some(5));
    assert_eq!(list["blocks"][2]["operands"][0]["constraint"], "=r");
}

#[test]
fn a_block_runs_by_its_name_or_its_number() {
    for block in ["store_row", "2"] {
        let output = warpgrid(&["run", EXAMPLE, "--block", block, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["buffers"]["rows"]["values"][6], 2, "{report}");
    }
    let output = warpgrid(&["run", EXAMPLE, "--block", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("only store, store_row, bit_count, below, add"));
}

#[test]
fn programs_of_a_file_are_listed_and_checked() {
    let output = warpgrid(&["check", "zstd.fatbin"]);
    expect![[r#"
        zstd.fatbin: fatbin
          1. PTX for sm_80, 1351 bytes, packed with zstd
             scale
             reverse
             accepted
          2. machine code for sm_90, 5704 bytes
             reverse: 10 registers, 1152 bytes of shared memory, 0 bytes of stack, 1 barrier, 1 parameter of 8 bytes, from 0x210 of constant bank 0, 512 bytes of code
             scale: 8 registers, 0 bytes of shared memory, 0 bytes of stack, 3 parameters of 16 bytes, from 0x210 of constant bank 0, 512 bytes of code
          machine code runs as a listing: `cuobjdump -sass zstd.fatbin > code.sass`, then `warpgrid run code.sass`
    "#]]
    .assert_eq(&text(&output));
    assert_eq!(output.status.code(), Some(0));
    let output = warpgrid(&["check", "--format", "json", "host.o"]);
    let verdict: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(verdict["accept"], true);
    assert_eq!(verdict["file"]["programs"][1]["language"], "ptx");
    assert_eq!(verdict["reports"][0], Value::Null);
}

#[test]
fn a_program_of_a_file_runs() {
    let output = warpgrid(&["run", "lz4.fatbin", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["ok"], true);
    let output = warpgrid(&["run", "lz4.fatbin", "--block", "2"]);
    assert!(complaint(&output).contains("cuobjdump -sass"), "{output:?}");
    let output = warpgrid(&["run", "sm_90.cubin"]);
    assert!(complaint(&output).contains("it has no PTX"), "{output:?}");
    assert_eq!(output.status.code(), Some(2));
}
