//! `warpgrid check` and `run` on embedded instructions: C++ with inline assembly, and compiled files.

mod common;

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
fn asm_blocks_are_listed_with_operands() {
    let output = warpgrid(&["check", "--list", EXAMPLE]);
    assert_eq!(output.status.code(), Some(0));
    let text = text(&output);
    // The first line has no indentation, so the indentation of the other lines is significant.
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
             The asm block writes memory and requires `volatile` and `"memory"`. As written, the compiler neither deletes nor moves the statement, and does not cache memory values in registers across the statement.
    "#]]
    .assert_eq(&head);
    let output = warpgrid(&["check", "--list", "--format", "json", EXAMPLE]);
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(list["blocks"].as_array().map(Vec::len), Some(5));
    assert_eq!(list["blocks"][2]["operands"][0]["constraint"], "=r");
}

#[test]
fn asm_block_is_selected_by_name_or_number() {
    for block in ["store_row", "2"] {
        let output = warpgrid(&["run", EXAMPLE, "--block", block, "--format", "json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["buffers"]["rows"]["values"][6], 2, "{report}");
    }
    let output = warpgrid(&["run", EXAMPLE, "--block", "none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(complaint(&output).contains("expected one of store, store_row, bit_count, below, add"));
}

#[test]
fn embedded_programs_are_listed_and_checked() {
    let output = warpgrid(&["check", "zstd.fatbin"]);
    expect![[r#"
        zstd.fatbin: fatbin
          1. PTX for sm_80, 1351 bytes, compressed with zstd
             scale
             reverse
             accepted
          2. SASS for sm_90, 5704 bytes
             reverse: 10 registers, 1152 bytes of shared memory, 0 bytes of stack, 1 barrier, 1 parameter (8 bytes), parameters at 0x210 in constant bank 0, 512 bytes of code
             scale: 8 registers, 0 bytes of shared memory, 0 bytes of stack, 3 parameters (16 bytes), parameters at 0x210 in constant bank 0, 512 bytes of code
          to run the SASS, use `warpgrid run zstd.fatbin --block 2`, which requires an installed `nvdisasm` or `cuobjdump`
    "#]]
    .assert_eq(&text(&output));
    assert_eq!(output.status.code(), Some(0));
    let output = warpgrid(&["check", "--format", "json", "host.o"]);
    let verdict: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(verdict["accept"], true);
    assert_eq!(verdict["file"]["programs"][1]["language"], "ptx");
    assert_eq!(verdict["reports"][0], Value::Null);
}

/// Runs the command on a host whose only programs are those in a directory.
fn warpgrid_with_programs(programs: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(arguments)
        .current_dir(folder())
        .env("PATH", programs)
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH")
        .output()
        .expect("the command runs")
}

#[test]
fn embedded_ptx_program_runs_and_sass_requires_disassembler() {
    let output = warpgrid(&["run", "lz4.fatbin", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["ok"], true);
    let folder = common::Folder::new("no-disassembler");
    for arguments in [
        &["run", "lz4.fatbin", "--block", "2"][..],
        &["run", "sm_90.cubin"],
        &["analyze", "sm_90.cubin"],
    ] {
        let output = warpgrid_with_programs(&folder.0, arguments);
        assert!(
            complaint(&output).contains("`pip install nvidia-cuda-nvdisasm`"),
            "{output:?}"
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

#[cfg(unix)]
#[test]
fn cubin_is_disassembled_and_executed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = common::Folder::new("disassembler");
    let listing = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\n.target sm_90\nS2R R0, SR_TID.X ;\nEXIT ;\n";
    let listing = folder.file("listing.sass", listing.as_bytes());
    // nvdisasm rejects the file, as it rejects fatbins, so that cuobjdump is used.
    let programs = [
        ("nvdisasm", "#!/bin/sh\nexit 1\n".to_owned()),
        (
            "cuobjdump",
            format!(
                "#!/bin/sh\n[ \"$1 $2\" = \"-sass sm_90.cubin\" ] || exit 2\nwhile read -r line; do echo \"$line\"; done < '{listing}'\n"
            ),
        ),
    ];
    for (name, script) in programs {
        let path = folder.file(name, script.as_bytes());
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, executable).expect("an executable");
    }
    let output = warpgrid_with_programs(&folder.0, &["run", "sm_90.cubin", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["steps"], 2, "{report}");
}

#[test]
fn run_prints_final_registers_of_snippet() {
    let folder = common::Folder::new("registers-of-snippets");
    let lines = |text: &str, name: &str| {
        let path = folder.file(name, text.as_bytes());
        let output = warpgrid(&["run", &path]);
        let values = String::from_utf8_lossy(&output.stdout).into_owned();
        let values = values
            .lines()
            .skip(1)
            .filter(|line| !line.contains("guessed"));
        values
            .map(|line| format!("{}\n", line.trim_start()))
            .collect::<String>()
    };
    let block =
        r#"asm("{ .reg .b32 t; add.u32 t, %1, 4; mul.lo.u32 %0, t, 3; }" : "=r"(x) : "r"(a));"#;
    expect![[r#"
        inferred: `//@ launch grid=1 block=32`
        x: b32 by lane = 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75, 78, 81, 84, 87, 90, 93, 96, 99, 102, 105
    "#]]
    .assert_eq(&lines(block, "block.cu"));
    let snippet = "mov.u32 i, %laneid;
        { .reg .b32 t; and.b32 t, i, 1; setp.eq.u32 even, t, 0; }
        .reg .b32 f; add.f32 f, 0f3f800000, 0f3f800000;
        .reg .v2 .u32 pair; mov.v2.u32 pair, {3, 4};";
    expect![[r#"
        inferred: `//@ launch grid=1 block=32`
        i: b32 by lane = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
        even: pred lanes 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28 and 30 = 1; lanes 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 and 31 = 0
        f: f32 = 2.0
        pair.x: u32 = 3
        pair.y: u32 = 4
    "#]]
    .assert_eq(&lines(snippet, "snippet.ptx"));
    let loose = "//@ register UR32 = 0xffffffff
UVIMNMX.S32 UR15, UR32, 0x1, !UPT ;";
    expect![[r#"
        inferred: `//@ launch grid=1 block=32 misaligned=force`
        UR15: b32 = 1
    "#]]
    .assert_eq(&lines(loose, "loose.sass"));
}

#[test]
fn run_prints_changed_elements() {
    let folder = common::Folder::new("changed-elements");
    let kernel = "//@ launch grid=1 block=4
//@ buffer out: u32[16] = 1
//@ buffer same: u32[4] = 0
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 same) {
    .reg .b32 %i; .reg .b64 %a, %o;
    ld.param.u64 %a, [out];
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, 12;
    add.u64 %a, %a, %o;
    st.global.u32 [%a], %i;
    st.global.u32 [%a+4], 7;
    ret;
}
";
    let path = folder.file("changed.ptx", kernel.as_bytes());
    expect![[r#"
        changed.ptx: 7 steps, 2 stores: completed
          out[0] to out[1] (2 elements) = 0, 7
          out[4] = 7
          out[6] to out[7] (2 elements) = 2, 7
          out[9] to out[10] (2 elements) = 3, 7
    "#]]
    .assert_eq(&text(&warpgrid(&["run", &path])).replace(&path, "changed.ptx"));
}

#[test]
fn stdin_language_is_detected() {
    let listing = "\tcode for sm_80\n\t\tFunction : k\n        /*0000*/                   EXIT ;\n";
    let checked = common::warpgrid(&["check", "-"], listing);
    assert_eq!(text(&checked), "-: accepted\n");
    let ptx = "Fatbin elf code:\n================\narch = sm_80\n\nFatbin ptx code:\n================\narch = sm_80\n\n.version 8.0\n.target sm_80\n.entry k() { ret; }\n";
    let checked = common::warpgrid(&["check", "-"], ptx);
    assert_eq!(text(&checked), "-: accepted\n");
}
