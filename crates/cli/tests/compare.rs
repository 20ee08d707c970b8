//! `warpgrid run --beside`: comparison of two versions of a kernel, and the position at which they diverge.

use expect_test::expect;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/tests")
}

fn run(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .arg("run")
        .args(arguments)
        .output()
        .expect("the command runs")
}

/// Returns the output without the directories of files.
fn text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let words = text.split_inclusive([' ', '\n']);
    words
        .map(|word| match word.rsplit_once('/') {
            Some((folder, name)) if folder.starts_with('/') => name,
            _ => word,
        })
        .collect()
}

fn listing(case: &str) -> PathBuf {
    tests().join(format!("machine_code/{case}/kernel.sm_80.nvdisasm.sass"))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn sass_and_ptx_produce_identical_memory() {
    let case = tests().join("corpus/vecadd_f32/case.json");
    let output = run(&[&case, Path::new("--beside"), &listing("vecadd_f32")]);
    expect![[r#"
        kernel.ptx compared with kernel.sm_80.nvdisasm.sass: identical memory contents: 12288 bytes in 3 buffers and variables
          kernel.ptx: PTX for sm_75, `vecadd`, 704 steps, 32 stores
          kernel.sm_80.nvdisasm.sass: SASS for sm_80, `vecadd`, 512 steps, 32 stores
    "#]]
    .assert_eq(&text(&output));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn diverging_runs_exit_with_1_and_name_both_stores() {
    let listing = std::fs::read_to_string(listing("vecadd_f32")).expect("a listing");
    let other = folder("parted").join("other.sass");
    std::fs::write(&other, listing.replace("FADD", "FMUL")).expect("a file");
    let case = tests().join("corpus/vecadd_f32/case.json");
    let output = run(&[&case, Path::new("--compare"), &other]);
    expect![[r#"
        kernel.ptx compared with other.sass: different memory contents: 1 of 3 buffers and variables differs
          kernel.ptx: PTX for sm_75, `vecadd`, 704 steps, 32 stores
          other.sass: SASS for sm_80, `vecadd`, 512 steps, 32 stores
          c[0] differs (1000 differing elements):
            kernel.ptx: 1.0, stored by block (0, 0, 0) warp 0 lane 0 in step 20, line 49: st.global.f32 	[%rd10], %f3;
            other.sass: 0.0, stored by block (0, 0, 0) warp 0 lane 0 in step 14, line 233: STG.E [R6.64], R9
          first instructions that computed different values (c[0]):
            kernel.ptx: %f3 = 0x3f800000 (1.0), block (0, 0, 0) warp 0 lane 0 in step 17, line 46: add.f32 	%f3, %f2, %f1;
            other.sass: R9 = 0x00000000 (0.0), block (0, 0, 0) warp 0 lane 0 in step 13, line 232: FMUL R9, R4, R3
    "#]]
    .assert_eq(&text(&output));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

const SNIPPET: &str =
    "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\n";

/// Runs a scenario with two sources, and returns the output of `--format json`.
fn run_json(name: &str, beside: Value) -> (Option<i32>, Value) {
    let file = folder(name).join("scenario.json");
    let scenario = json!({"source": SNIPPET, "beside": beside});
    std::fs::write(&file, scenario.to_string()).expect("a file");
    let output = run(&[&file, Path::new("--format"), Path::new("json")]);
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), report)
}

#[test]
fn scenario_can_contain_both_sources() {
    let (code, report) = run_json(
        "both",
        json!({"source": SNIPPET.replace("u32 [p]", "s32 [p]")}),
    );
    assert_eq!(
        (code, &report["equal"]),
        (Some(0), &json!(true)),
        "{report}"
    );
    assert_eq!(report["memories"], json!(["p"]));
    let (code, report) = run_json("other", json!({"source": SNIPPET.replace("7;", "8;")}));
    assert_eq!(
        (code, &report["equal"]),
        (Some(1), &json!(false)),
        "{report}"
    );
    assert_eq!(report["differences"][0]["sides"][1]["value"], "8");
}

#[test]
fn error_in_second_source_is_reported_at_own_line() {
    let (code, report) = run_json("wrong", json!({"source": "\n\nst.shred.u32 [p], 8;"}));
    assert_eq!(code, Some(1), "{report}");
    assert_eq!(report["diagnostics"][0]["line"], 3, "{report}");
    let (code, _) = run_json("mistyped", json!({"sauce": SNIPPET}));
    assert_eq!(code, Some(2));
}

#[test]
fn scenario_sets_registers_and_misaligned_access_policy() {
    let run = |name: &str, facts: Value| {
        let file = folder(name).join("scenario.json");
        let mut scenario = json!({"front": "sass", "block": [32, 1, 1], "source":
            "//@ buffer out: u32[32] = 0\nSTG.E.SYS [R2+0x1], R4 ;\nEXIT ;\n"});
        for (key, value) in facts.as_object().expect("facts") {
            scenario[key] = value.clone();
        }
        std::fs::write(&file, scenario.to_string()).expect("a file");
        let output = run(&[&file, Path::new("--format"), Path::new("json")]);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        (
            output.status.code(),
            report,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let registers = json!([
        {"name": "R2", "value": "out + lane * 4"}, {"name": "R3", "value": 0x7f00}, {"name": "R4", "value": 7}]);
    let forced = json!({"registers": registers, "misaligned": "force"});
    let (code, report, _) = run("forced", forced.clone());
    assert_eq!(code, Some(0), "{report}");
    assert_eq!(report["buffers"]["out"]["values"], json!(vec![7; 32]));
    let (code, report, _) = run(
        "faulting",
        json!({"registers": registers, "misaligned": "fault"}),
    );
    assert_eq!(
        (code, &report["fault"]["kind"]),
        (Some(1), &json!("misaligned")),
        "{report}"
    );
    for (name, key, value, said) in [
        ("no-way", "misaligned", json!("round"), "`fault` or `force`"),
        (
            "no-value",
            "registers",
            json!([{"name": "R2", "value": "lane * lane"}]),
            "register `R2`",
        ),
        (
            "no-register",
            "registers",
            json!([{"name": "X77", "value": 1}]),
            "no register `X77`",
        ),
        (
            "twice",
            "registers",
            json!([{"name": "R2", "value": 1}, {"name": "R2", "value": 2}]),
            "duplicate `R2`",
        ),
        (
            "no-field",
            "registers",
            json!([{"name": "R2", "valeu": 1}]),
            "unknown field `valeu`",
        ),
    ] {
        let mut facts = forced.clone();
        facts[key] = value;
        let (code, report, complaint) = run(name, facts);
        assert!(matches!(code, Some(1 | 2)), "{name}: {code:?}");
        assert!(
            format!("{report}{complaint}").contains(said),
            "{name}: {report}{complaint}"
        );
    }
}
