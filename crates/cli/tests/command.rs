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
fn errors_that_are_not_listed_are_not_left_out_of_the_count() {
    for wrong in [
        "st.globl.u32 [%a], %r1;",
        "st.global.u32 [%x], %r1;",
        "st.global.u32 [%a], %r1 %;",
    ] {
        let source = GOOD.replace("ret;", &format!("{wrong}\n").repeat(3000));
        let output = warpgrid(&["check", "-"], &source);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.ends_with("000 errors, and more, which are not listed\n"),
            "{wrong}: {:?}",
            text.lines().last()
        );
    }
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
    let accepted: Vec<(&Value, bool)> = answers
        .iter()
        .map(|a| (&a["id"], a["accept"].as_bool().expect("a verdict")))
        .collect();
    let ids = ["a", "b", "c"].map(Value::from);
    assert_eq!(
        accepted,
        [
            (&ids[0], true),
            (&Value::Null, false),
            (&ids[1], false),
            (&ids[2], true)
        ]
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
fn machine_code_is_checked_and_explained() {
    let listing = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../sass/tests/data/vecadd_f32__sm_75.cuobjdump.sass");
    let listing = listing.to_string_lossy();
    assert_eq!(warpgrid(&["check", &listing], "").status.code(), Some(0));
    let output = warpgrid(
        &["check", "--front", "sass", "--target", "sm_90", "-"],
        "STS.64 [R7.X4], R2;\n",
    );
    expect![[r#"
        error[W1107]: `STS` with an address `[Ra.X4 + Imm]` is not on `sm_90`
         --> -:1:8
          |
        1 | STS.64 [R7.X4], R2;
          |        ^^^^^^^
          |
          = help: it is on `sm_75` to `sm_89`

        -: rejected, 1 error
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
    let output = warpgrid(&["explain", "W1107", "STG.E.EF.64", "IMAD"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("W1107: ") && text.contains(".EF  eviction priority: "),
        "{text}"
    );
    assert!(text.contains("Multiply and add integers"), "{text}");
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

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("warpgrid-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    /// A file in it, and its path.
    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        path.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is the system's to remove.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_that_is_not_utf8_is_reported_and_never_rewritten() {
    let folder = Folder::new("encodings");
    let latin1 = [b"// f\xfcr\n".as_slice(), GOOD.as_bytes()].concat();
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(GOOD.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let noise: Vec<u8> = (0..100_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    for (name, bytes, said) in [
        ("latin1.ptx", &latin1, "not UTF-8 text"),
        ("utf16.ptx", &utf16, "UTF-16 text"),
        ("noise.ptx", &noise, "not UTF-8 text"),
    ] {
        let path = folder.file(name, bytes);
        let output = warpgrid(&["format", &path], "");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains(said) && words.contains(name), "{words}");
        assert!(
            std::fs::read(&path).expect("it is there") == *bytes,
            "{name} was rewritten"
        );
    }
    // A comment in another encoding is no mistake of the program; UTF-16 is refused in one sentence.
    let checked = |name: &str| warpgrid(&["check", &folder.0.join(name).to_string_lossy()], "");
    assert_eq!(checked("latin1.ptx").status.code(), Some(0));
    let output = checked("utf16.ptx");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
}

#[test]
fn the_formatter_keeps_the_ends_of_lines() {
    let messy = GOOD.replace(", ", " ,  ").replace('\n', "\r\n");
    let output = warpgrid(&["format", "-"], &messy);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("[%a], %r1;\r\n"), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let unix = warpgrid(&["format", "-"], &messy.replace('\r', ""));
    assert_eq!(
        text.replace('\r', ""),
        String::from_utf8_lossy(&unix.stdout)
    );
}

#[test]
fn a_bad_line_of_a_batch_is_answered_under_its_own_id() {
    let input = [
        r#"{"id":"6","source":5}"#,
        r#"{"id":"7"}"#,
        r#"{"id":"8","source":"","front":"basic"}"#,
        r#"{"id":2,"source":""}"#,
        r#"{"source":""}"#,
    ]
    .join("\n");
    let output = warpgrid(&["check", "--batch"], &input);
    let ids: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].take())
        .collect();
    assert_eq!(
        Value::from(ids),
        serde_json::json!(["6", "7", "8", 2, null])
    );
}

#[test]
fn a_field_of_a_batch_that_means_nothing_is_named() {
    let source = GOOD.replace('\n', " ");
    let lines = ["target", "tagret"]
        .map(|field| serde_json::json!({"id": field, "source": source, field: "sm_90"}));
    let output = warpgrid(
        &["check", "--batch"],
        &lines.map(|line| line.to_string()).join("\n"),
    );
    let answers: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        [&answers[0]["accept"], &answers[1]["accept"]],
        [&Value::Bool(true); 2]
    );
    assert_eq!(answers[0]["diagnostics"], serde_json::json!([]));
    assert_eq!(answers[1]["diagnostics"][0]["severity"], "warning");
    assert_eq!(
        answers[1]["diagnostics"][0]["message"],
        "line 2 has a field that is ignored: unknown field `tagret`, expected one of `id`, `source`, `front`, `target`, `ptx_version`"
    );
}

#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let folder = Folder::new("pipe");
    let mut bad = GOOD.replace("st.global", "st.globl");
    let line = "st.globl.u32 [%a], %r1;\n";
    bad = bad.replace(line, &line.repeat(900));
    let path = folder.file("bad.ptx", bad.as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpgrid"))
        .args(["check", &path])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}

#[test]
fn what_is_no_scenario_is_refused_by_the_name_of_its_field() {
    let folder = Folder::new("scenarios");
    let refused = |text: &str| {
        let path = folder.file("it.json", text.as_bytes());
        let output = warpgrid(&["run", &path], "");
        assert_eq!(output.status.code(), Some(2), "{text}: {output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("[]").contains("not a scenario"));
    assert!(refused(r#"{"a":1}"#).contains("unknown field `a`"));
    assert!(refused(r#"{"source":"","blokc":[32,1,1]}"#).contains("unknown field `blokc`"));
    assert!(
        refused(
            r#"{"source":"","params":[{"kind":"buffer","name":"p","type":"u8","len":1,"inti":0}]}"#
        )
        .contains("unknown field `inti`")
    );
    let kernel = folder.file("kernel.ptx", GOOD.as_bytes());
    let missing = folder
        .0
        .join("none/trace.jsonl")
        .to_string_lossy()
        .into_owned();
    let output = warpgrid(&["run", &kernel, "--trace", &missing], "");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains(&missing),
        "{output:?}"
    );
}

#[test]
fn one_store_is_counted_as_one() {
    let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\n";
    let output = warpgrid(&["run", "-"], source);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(", 1 store: ended well"), "{text}");
}

/// A document in a folder of its own.
fn document(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_markdown_document_is_checked_block_by_block() {
    let path = document(
        "guide.md",
        "# Stores\n\n```ptx\nst.global.f32 [p], x;\n```\n\n> é ```\n> ```ptx,playground\n> st.shred.f32 [p], x;\n> ```\n",
    );
    let output = warpgrid(&["check", "--format", "json", &path.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(1));
    let verdict = json(&output);
    let diagnostics = verdict["diagnostics"].as_array().expect("a list");
    let found = diagnostics.iter().find(|found| found["code"] == "W0101");
    let found = found.expect("the word is unknown");
    assert_eq!((&found["line"], &found["column"]), (&9.into(), &6.into()));
    // The fix is one of the document, too.
    let edit = &found["fix"]["edits"][0];
    assert_eq!((&edit["line"], &edit["column"]), (&9.into(), &6.into()));
    let output = warpgrid(&["check", &path.to_string_lossy()], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("guide.md:9:6"), "{text}");
    assert!(
        text.contains("guide.md: 2 blocks of PTX, rejected, 1 error"),
        "{text}"
    );
}

#[test]
fn a_restructured_document_states_the_target_of_its_blocks() {
    let text = "Title\n=====\n\n.. ptx-playground::\n   :target: sm_20\n\n   st.async.global.u32 [a], b;\n";
    let path = document("guide.rst", text);
    let path = path.to_string_lossy();
    let output = warpgrid(&["check", "--format", "json", &path], "");
    assert_eq!(output.status.code(), Some(1));
    let verdict = json(&output);
    let places = verdict["diagnostics"].as_array().expect("a list");
    assert!(places.iter().all(|found| found["line"] == 7), "{verdict}");
    // The command line has the last word.
    let good = document(
        "good.rst",
        &text.replace("st.async.global.u32", "st.global.u32"),
    );
    let good = good.to_string_lossy();
    let check = |target| {
        warpgrid(&["check", "--target", target, &good], "")
            .status
            .code()
    };
    assert_eq!(check("sm_90"), Some(0));
    assert_eq!(check("sm_nonsense"), Some(1));
}
