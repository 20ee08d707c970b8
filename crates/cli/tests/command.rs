//! The command as scripts use it: exit codes, JSON, batches.

use expect_test::expect;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const GOOD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<2>;\n.reg .b64 %a;\nst.global.u32 [%a], %r1;\nret;\n}\n";

fn warpgrid(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the command ends");
    // A command that does not read its input closes the pipe early.
    let _ = writer.join();
    output
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../view/tests/corpus")
        .join(name)
        .join("case.json")
}

#[test]
fn a_good_source_exits_with_0_and_a_bad_one_with_1() {
    assert_eq!(warpgrid(&["check", "-"], GOOD).status.code(), Some(0));
    assert_eq!(
        warpgrid(&["check", "-"], &GOOD.replace(".global", ".shred"))
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        warpgrid(&["check", "no/such/file.ptx"], "").status.code(),
        Some(2)
    );
    assert_eq!(warpgrid(&["chek"], "").status.code(), Some(2));
}

#[test]
fn people_see_the_line_and_the_fix() {
    let output = warpgrid(&["check", "-"], &GOOD.replace(".global", ".shred"));
    expect![[r#"
        error[W0101]: unknown modifier `.shred`
         --> -:8:4
          |
        8 | st.shred.u32 [%a], %r1;
          |    ^^^^^
          |
          = help: did you mean `.shared`?
          = fix: replace `.shred` by `.shared`

        -: rejected, 1 error
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_batch_answers_in_order_with_the_fields_of_the_interface() {
    let request = |id: &str, source: &str, target: Option<&str>| {
        serde_json::json!({"id": id, "source": source, "front": "ptx", "target": target})
            .to_string()
    };
    let wide = GOOD
        .replace(".u32", ".v8.b32")
        .replace("%r1;", "{%r1, %r1, %r1, %r1, %r1, %r1, %r1, %r1};")
        .replace(".version 8.0", ".version 8.8");
    let input = [
        request("a", GOOD, None),
        "no request".to_owned(),
        request("b", &wide, None),
        request("c", &wide, Some("sm_100")),
    ]
    .join("\n");
    let output = warpgrid(&["check", "--batch"], &input);
    let answers: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let accepted: Vec<(&str, bool)> = answers
        .iter()
        .map(|a| {
            (
                a["id"].as_str().expect("an id"),
                a["accept"].as_bool().expect("a verdict"),
            )
        })
        .collect();
    assert_eq!(
        accepted,
        [("a", true), ("2", false), ("b", false), ("c", true)]
    );
    let diagnostic = &answers[2]["diagnostics"][0];
    for field in [
        "code",
        "severity",
        "message",
        "line",
        "column",
        "end_line",
        "end_column",
        "help",
        "fix",
    ] {
        assert!(
            diagnostic.get(field).is_some(),
            "{field} is missing in {diagnostic}"
        );
    }
    assert_eq!(
        (diagnostic["line"].as_u64(), diagnostic["severity"].as_str()),
        (Some(8), Some("error"))
    );
}

#[test]
fn a_case_runs_with_all_its_variants() {
    let path = case("transpose_naive");
    let output = warpgrid(&["run", &path.to_string_lossy(), "--variant", "all"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .all(|line| line.ends_with("as promised"))
    );
}

#[test]
fn a_run_in_json_has_every_buffer_with_its_digest() {
    let path = case("module_variables");
    let report = json(&warpgrid(
        &["run", &path.to_string_lossy(), "--format", "json"],
        "",
    ));
    assert_eq!(
        (report["ok"].as_bool(), &report["fault"]),
        (Some(true), &Value::Null)
    );
    assert_eq!(
        report["buffers"]["out"]["sha256"],
        "dc75196debba243146442e19ace2abf04347cf709bf346fddba2d48eeb412503"
    );
    assert_eq!(
        report["buffers"]["letters"]["values"],
        serde_json::json!([119, 97, 114, 112, 0, 0, 0, 0])
    );
    assert!(report["steps"].as_u64() > Some(0) && report["stores"].as_u64() > Some(0));
}

#[test]
fn a_fault_is_reported_with_the_fields_of_the_corpus() {
    let path = case("misaligned_store");
    let output = warpgrid(&["run", &path.to_string_lossy(), "--format", "json"], "");
    assert_eq!(
        output.status.code(),
        Some(0),
        "the case promises this very fault"
    );
    let fault = &json(&output)["fault"];
    assert_eq!(
        (fault["kind"].as_str(), fault["buffer"].as_str()),
        (Some("misaligned"), Some("raw"))
    );
    assert_eq!(
        (fault["byte_offset"].as_i64(), fault["width"].as_u64()),
        (Some(21), Some(4))
    );
    assert_eq!(fault["thread"], serde_json::json!([5, 0, 0]));
    assert!(
        fault["message"]
            .as_str()
            .is_some_and(|message| message.contains("misaligned"))
    );
}

#[test]
fn a_kernel_that_never_ends_is_stopped_at_the_budget() {
    let endless = GOOD.replace("ret;", "again: bra again;");
    let folder = std::env::temp_dir().join(format!("warpgrid-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("endless.ptx");
    std::fs::write(&path, endless.replace("st.global.u32 [%a], %r1;", ""))
        .expect("a temporary file");
    let report = json(&warpgrid(
        &[
            "run",
            &path.to_string_lossy(),
            "--max-steps",
            "10000",
            "--format",
            "json",
        ],
        "",
    ));
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert_eq!(
        (report["ok"].as_bool(), report["steps"].as_u64()),
        (Some(false), Some(10_000))
    );
    assert!(
        report["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("--max-steps"))
    );
}

#[test]
fn codes_and_instructions_are_explained() {
    let output = warpgrid(&["explain", "W0101", "st.global.v4.f32"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("W0101: ") && text.contains(".v4  "), "{text}");
    assert_eq!(warpgrid(&["explain", "W9999"], "").status.code(), Some(2));
}

#[test]
fn the_formatter_keeps_comments_and_changes_nothing_twice() {
    let messy = GOOD.replace(
        "st.global.u32 [%a], %r1;",
        "st.global.u32   [%a],%r1 ; // where it lands",
    );
    let once = warpgrid(&["format", "-"], &messy);
    let text = String::from_utf8_lossy(&once.stdout).into_owned();
    assert!(text.contains("// where it lands"), "{text}");
    assert_eq!(
        String::from_utf8_lossy(&warpgrid(&["format", "-"], &text).stdout),
        text
    );
}
