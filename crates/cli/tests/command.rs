//! The command as used by scripts: exit status, JSON, batches.

mod common;

use common::{Folder, GOOD, json, warpgrid};
use expect_test::expect;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../view/tests/corpus")
        .join(name)
        .join("case.json")
}

#[test]
fn check_exits_with_0_if_valid_1_if_rejected_2_on_usage_error() {
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
fn human_output_shows_line_and_fix() {
    let output = warpgrid(&["check", "-"], &GOOD.replace(".global", ".shred"));
    expect![[r#"
        error[W0101]: unknown modifier `.shred`
         --> -:8:4
          |
        8 | st.shred.u32 [%a], %r1;
          |    ^^^^^
          |
          = help: did you mean `.shared`?
          = fix: replace `.shred` with `.shared`

        -: rejected, 1 error
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
}

#[test]
fn error_summary_mentions_unlisted_diagnostics() {
    for wrong in [
        "st.globl.u32 [%a], %r1;",
        "st.global.u32 [%x], %r1;",
        "st.global.u32 [%a], %r1 %;",
    ] {
        let source = GOOD.replace("ret;", &format!("{wrong}\n").repeat(3000));
        let output = warpgrid(&["check", "-"], &source);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.ends_with("000 errors, and further diagnostics that are not listed\n"),
            "{wrong}: {:?}",
            text.lines().last()
        );
    }
}

#[test]
fn batch_preserves_input_order_and_diagnostic_fields() {
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
fn case_passes_with_all_variants() {
    let path = case("transpose_naive");
    let output = warpgrid(&["run", &path.to_string_lossy(), "--variant", "all"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .all(|line| line.ends_with("all expectations passed"))
    );
}

#[test]
fn scenario_accepts_snake_case_and_camel_case_fields() {
    let source = ".version 8.0\n.target sm_90\n.address_size 64\n.extern .shared .align 4 .b8 tile[];\n.visible .entry k(.param .u64 p)\n{\n\t.reg .u64 %a;\n\tld.param.u64 %a, [p];\n\tst.global.u32 [%a], 7;\n\tst.shared.u32 [tile], 7;\n\tret;\n}\n";
    let folder = std::env::temp_dir().join(format!("warpgrid-spelled-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("scenario.json");
    for [shared, expect] in [
        ["dynamic_shared", "expect_sha256"],
        ["dynamicShared", "expectSha256"],
    ] {
        let scenario = serde_json::json!({
            "source": source, shared: 4,
            "params": [{"kind": "buffer", "name": "p", "type": "u32", "len": 1, expect: "00"}],
        });
        std::fs::write(&path, scenario.to_string()).expect("a temporary file");
        let output = warpgrid(&["run", &path.to_string_lossy(), "--format", "json"], "");
        let differences = &json(&output)["differences"];
        let first = differences[0].as_str().unwrap_or_default();
        assert!(first.starts_with("p: found SHA-256 digest "), "{output:?}");
    }
    std::fs::remove_dir_all(&folder).expect("it is ours");
}

#[test]
fn json_run_report_lists_buffers_with_digest() {
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
fn json_fault_has_kind_buffer_offset_width_and_thread() {
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
fn max_steps_stops_endless_kernel_with_note() {
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
            "1000",
            "--format",
            "json",
        ],
        "",
    ));
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert_eq!(
        (report["ok"].as_bool(), report["steps"].as_u64()),
        (Some(false), Some(1_000))
    );
    let notes = report["notes"].as_array().expect("notes");
    let is_stop =
        |note: &serde_json::Value| note.as_str().is_some_and(|n| n.contains("--max-steps"));
    assert!(notes.iter().any(is_stop), "{notes:?}");
}

#[test]
fn long_run_is_compiled_with_same_summary_as_interpreter() {
    let source = include_str!("../../view/tests/corpus/matmul_naive/kernel.ptx");
    let buffer = |name: &str| serde_json::json!({"kind": "buffer", "name": name, "type": "f32", "len": 262_144, "init": 0.5});
    let number = |name: &str, value: u32| serde_json::json!({"kind": "scalar", "name": name, "type": "s32", "value": value});
    let scenario = serde_json::json!({
        "source": source,
        "grid": [16, 16, 1],
        "block": [16, 16, 1],
        "params": [buffer("a"), buffer("b"), buffer("c"), number("m", 256), number("n", 256), number("k", 1024)],
    });
    let folder = Folder::new("translated");
    let path = folder.file("scenario.json", scenario.to_string().as_bytes());
    let text = |arguments: &[&str]| {
        let output = warpgrid(arguments, "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let translated = text(&["run", &path]);
    let interpreted = text(&["run", "--interpret", &path]);
    let first = |text: &str| text.lines().next().map(str::to_owned);
    assert_eq!(first(&translated), first(&interpreted));
    assert!(translated.contains("compiled in"), "{translated}");
    assert!(!interpreted.contains("compiled in"), "{interpreted}");
}

#[test]
fn compiled_divergent_run_reports_lane_instructions() {
    let source = ".version 8.0\n.target sm_80\n.address_size 64
//@ launch grid=128 block=32
//@ buffer out: u32[4096] = iota
.visible .entry k(.param .u64 out) {
.reg .b32 %i, %n, %x, %t; .reg .pred %p; .reg .b64 %q, %o;
mov.u32 %t, %tid.x; mov.u32 %n, %ctaid.x; mad.lo.u32 %x, %n, 32, %t; mul.wide.u32 %o, %x, 4;
mov.u32 %i, 0;
again: mad.lo.u32 %x, %x, %x, %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 8000; @%p bra again;
setp.lt.u32 %p, %t, 20; @%p bra store; add.u32 %x, %x, 1;
store: ld.param.b64 %q, [out]; add.s64 %q, %q, %o; st.global.u32 [%q], %x;
ret; }";
    let folder = Folder::new("divergent");
    let path = folder.file("kernel.ptx", source.as_bytes());
    let run = || {
        let output = warpgrid(&["run", &path], "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // On a busy machine, the interpreter can temporarily be faster.
    let mut texts = (0..8).map(|_| run());
    let text = texts.find(|text| text.contains("compiled in"));
    let text = text.expect("a compiled run");
    let interpreted = warpgrid(&["run", "--format", "json", &path], "");
    let report: serde_json::Value =
        serde_json::from_slice(&interpreted.stdout).expect("a line of JSON");
    assert!(report["steps"].is_u64(), "{report}");
    let n = report["lane_instructions"].as_u64().expect("a number");
    let first = text.lines().next().unwrap_or_default().replace(',', "");
    assert!(
        first.contains(&format!(": {n} executed lane-instructions: ")),
        "{n}: {text}"
    );
}

#[test]
fn explain_describes_diagnostic_codes_and_instructions() {
    let output = warpgrid(&["explain", "W0101", "st.global.v4.f32"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("W0101: ") && text.contains(".v4  "), "{text}");
    assert_eq!(warpgrid(&["explain", "W9999"], "").status.code(), Some(2));
}

#[test]
fn check_and_explain_support_sass() {
    let listing = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../sass/tests/data/vecadd_f32__sm_75.cuobjdump.sass");
    let listing = listing.to_string_lossy();
    assert_eq!(warpgrid(&["check", &listing], "").status.code(), Some(0));
    let output = warpgrid(
        &["check", "--language", "sass", "--target", "sm_90", "-"],
        "STS.64 [R7.X4], R2;\n",
    );
    expect![[r#"
        error[W1107]: `STS` with the address form `[Ra.X4 + Imm]` is not available on `sm_90`
         --> -:1:8
          |
        1 | STS.64 [R7.X4], R2;
          |        ^^^^^^^
          |
          = help: available on `sm_75` to `sm_89`

        -: rejected, 1 error
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stdout));
    let output = warpgrid(&["explain", "W1107", "STG.E.EF.64", "IMAD"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("W1107: ") && text.contains(".EF  eviction priority: "),
        "{text}"
    );
    assert!(
        text.contains("Multiply two integers and add a third"),
        "{text}"
    );
    let output = warpgrid(&["explain", "VOTE", "SHFL.IDEX"], "");
    expect![[r#"
        VOTE.vote {Rd, }Pd, Pa
          Reduce a predicate over the lanes of the warp.
          on `sm_35` and later

          .vote  vote
            .ALL  Returns true if the predicate is true in all lanes.
            .ANY  Returns true if the predicate is true in at least one lane.
            .EQ  Returns true if the predicate has the same value in all lanes.

          operands
            Rd  destination register, or first register of a wide result, optional
            Pd  destination predicate, where `PT` discards the result
            Pa  source predicate, optionally negated by `!`

          PTX counterparts include `vote.sync.all.pred`, `vote.sync.ballot.b32`, `activemask.b32`
        SHFL.IDEX
          unknown form: unknown modifier `.IDEX` of `SHFL` (did you mean `.IDX`? known modifiers: `.IDX`, `.UP`, `.DOWN` or `.BFLY`)
          Exchange registers between lanes.
          SHFL.shuffle Pd, Rd, Ra, Rb, Rc
          on `sm_35` and later

          .IDEX  this form does not support the modifier

          PTX counterparts include `shfl.sync`
    "#]].assert_eq(&String::from_utf8_lossy(&output.stdout));
}

#[test]
fn formatter_keeps_comments_and_is_idempotent() {
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

#[test]
fn format_rejects_non_utf8_and_binary_files_without_rewriting() {
    let folder = Folder::new("encodings");
    let latin1 = [b"// f\xfcr\n".as_slice(), GOOD.as_bytes()].concat();
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(GOOD.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let unmarked: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let nul = GOOD.replace("ret;", "ret;\0");
    let noise: Vec<u8> = (0..100_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    for (name, bytes, said) in [
        ("latin1.ptx", &latin1, "not UTF-8 text"),
        ("utf16.ptx", &utf16, "UTF-16 text"),
        (
            "noise.ptx",
            &noise,
            "the file is not a text file, because it contains NUL bytes",
        ),
        (
            "unmarked.ptx",
            &unmarked,
            "the file is not a text file, because it contains NUL bytes",
        ),
        (
            "nul.ptx",
            &nul.into_bytes(),
            "the file is not a text file, because it contains NUL bytes",
        ),
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
    // A comment in another encoding is not an error of the program, but UTF-16 is rejected with a message.
    let checked = |name: &str| warpgrid(&["check", &folder.0.join(name).to_string_lossy()], "");
    assert_eq!(checked("latin1.ptx").status.code(), Some(0));
    for name in ["utf16.ptx", "unmarked.ptx", "nul.ptx"] {
        let run = warpgrid(&["run", &folder.0.join(name).to_string_lossy()], "");
        for output in [checked(name), run] {
            assert_eq!(output.status.code(), Some(2), "{name}");
            let words = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(words.lines().count(), 1, "{words}");
        }
    }
}

#[test]
fn format_rejects_files_other_than_ptx_and_sass() {
    let folder = Folder::new("others");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in [
        "Cargo.toml",
        "Trunk.toml",
        "package.json",
        "web/widget/widget.css",
        "web/widget/element.js",
        "web/widget/tools/warpgrid_sphinx.py",
        "crates/cli/src/run.rs",
        "crates/emulator/src/semantics/softfloat.rs",
        "crates/ptx/src/parser/foreign_text.rs",
        "crates/ptx/tests/stores.rs",
        "crates/xtask/src/harness/measure/large_launches.rs",
        "e2e/run-cards.spec.ts",
        "LICENSE-MIT",
        "crates/view/tests/corpus/saxpy_float4/case.json",
        "docs/ci-example/ptx.yml",
        "web/widget/embed.html",
    ] {
        let bytes =
            std::fs::read(project.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let path = folder.file(&name.replace('/', "-"), &bytes);
        let output = warpgrid(&["format", &path], "");
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("neither PTX nor SASS"),
            "{name}"
        );
        assert!(
            std::fs::read(&path).expect("it is there") == bytes,
            "{name} was rewritten"
        );
    }
    // Prose remains unchanged, even if it has more errors than are listed.
    let prose = "Set x; add y to it; then exit the loop.\nRet means return;\n".repeat(3000);
    let output = warpgrid(&["format", &folder.file("prose.txt", prose.as_bytes())], "");
    assert_eq!(output.status.code(), Some(2));
    // A text without statements is valid in any language.
    for source in ["", "// nothing yet\n"] {
        let path = folder.file("empty.ptx", source.as_bytes());
        assert_eq!(
            warpgrid(&["format", &path], "").status.code(),
            Some(0),
            "{source:?}"
        );
    }
}

#[test]
fn save_option_writes_buffer_as_csv_npy_or_svg() {
    let folder = Folder::new("save");
    let source = GOOD
        .replace(".visible", "//@ launch grid=1 block=4\n.visible")
        .replace("()", "(.param .u64 out)")
        .replace(
            "st.global.u32 [%a], %r1;",
            "ld.param.u64 %a, [out]; mov.u32 %r1, 5; st.global.u32 [%a], %r1;",
        );
    let kernel = folder.file(
        "kernel.ptx",
        format!("//@ buffer out: u32[2] = 1\n{source}").as_bytes(),
    );
    let place = |name: &str| folder.0.join(name).to_string_lossy().into_owned();
    let save = |name: &str| format!("out={}", place(name));
    let (table, array, drawing) = (save("out.csv"), save("out.npy"), save("out.svg"));
    let output = warpgrid(
        &[
            "run", &kernel, "--save", &table, "--save", &array, "--save", &drawing,
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let read = |name: &str| std::fs::read(place(name)).expect("a file");
    assert_eq!(read("out.csv"), b"5,1\n");
    assert!(read("out.npy").starts_with(b"\x93NUMPY"));
    assert!(String::from_utf8_lossy(&read("out.svg")).contains("[0] = 5, lane 3"));
    // A nonexistent memory is reported. An unknown extension and an input file as output are usage errors.
    let output = warpgrid(
        &[
            "run",
            &kernel,
            "--save",
            &save("out.csv").replace("out=", "nothing="),
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("nothing"),
        "{output:?}"
    );
    for wrong in ["out", "out=out.png", &format!("out={kernel}")] {
        let output = warpgrid(&["run", &kernel, "--save", wrong], "");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
    assert!(
        std::fs::read_to_string(&kernel)
            .expect("the kernel")
            .contains("st.global")
    );
}

#[test]
fn trace_never_overwrites_input_files() {
    let folder = Folder::new("traces");
    let kernel = folder.file("kernel.ptx", GOOD.as_bytes());
    let other = folder.file("other.ptx", GOOD.as_bytes());
    let case_json = serde_json::json!({"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "params": [],
        "variants": [{"file": "other.ptx"}]});
    let case = folder.file("case.json", case_json.to_string().as_bytes());
    let beside = folder.file("beside.ptx", GOOD.as_bytes());
    let mut refused = vec![
        vec!["run", &kernel, "--trace", &kernel],
        vec!["run", &case, "--trace", &case],
        vec!["run", &case, "--timeline", &case],
        vec!["run", &case, "--trace", &kernel],
        vec!["run", &case, "--trace", &other],
        vec!["run", &case, "--variant", "beside.ptx", "--trace", &beside],
    ];
    let link = folder.0.join("link.jsonl").to_string_lossy().into_owned();
    let hard = folder.0.join("hard.jsonl").to_string_lossy().into_owned();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&kernel, &link).expect("a link");
        std::fs::hard_link(&kernel, &hard).expect("a link");
        refused.push(vec!["run", &kernel, "--trace", &link]);
        refused.push(vec!["run", &kernel, "--trace", &hard]);
    }
    for arguments in &refused {
        let output = warpgrid(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(words.contains("would overwrite"), "{words}");
    }
    for path in [&kernel, &other, &beside] {
        assert_eq!(std::fs::read_to_string(path).expect("it is there"), GOOD);
    }
    let trace = folder.0.join("trace.jsonl").to_string_lossy().into_owned();
    assert_eq!(
        warpgrid(&["run", &case, "--trace", &trace], "")
            .status
            .code(),
        Some(1)
    );
    assert!(std::fs::metadata(&trace).is_ok());
}

#[test]
fn compact_trace_contains_runs_of_addresses() {
    let folder = Folder::new("compact-traces");
    let kernel = folder.file("k.ptx", b"mov.u32 %t, %tid.x;\nst.global.u32 [p], %t;\n");
    let file = folder.0.join("trace.jsonl");
    let path = file.to_string_lossy().into_owned();
    let output = warpgrid(&["run", &kernel, "--trace", &path, "--compact"], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(&file).expect("a trace");
    let first = text.lines().next().expect("a store");
    let store: serde_json::Value = serde_json::from_str(first).expect("JSON");
    assert_eq!(store["runs"][0]["count"], 32, "{store}");
    assert!(store["lanes"].is_null(), "{store}");
    let output = warpgrid(&["run", &kernel, "--compact"], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn timeline_is_written_as_chrome_trace() {
    let folder = Folder::new("timelines");
    let kernel = folder.file(
        "k.ptx",
        b"//@ launch grid=2 block=64\n.version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bar.sync 0; ret; }\n",
    );
    let file = folder.0.join("timeline.json");
    let path = file.to_string_lossy().into_owned();
    let output = warpgrid(&["run", &kernel, "--timeline", &path], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text = std::fs::read_to_string(&file).expect("a timeline");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let names: Vec<&str> = events
        .iter()
        .filter(|event| event["ph"] == "M" && event["name"] == "thread_name")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "warp 0",
            "warp 1",
            "barrier 0",
            "warp 0",
            "warp 1",
            "barrier 0"
        ]
    );
    assert_eq!(trace["otherData"]["complete"], true);
}

#[test]
fn invalid_option_values_are_usage_errors() {
    let folder = Folder::new("options");
    let kernel = folder.file("k.ptx", GOOD.as_bytes());
    for (arguments, said) in [
        (
            vec!["check", "--target", "sm_1000", &kernel],
            "found the unknown target `sm_1000`",
        ),
        (
            vec!["check", "--ptx-version", "9", &kernel],
            "found the unknown PTX version `9`",
        ),
        (
            vec!["check", "--ptx-version", "7.77", &kernel],
            "found the unknown PTX version `7.77`",
        ),
        (
            vec!["check", "--batch", "--target", "sm_1000"],
            "found the unknown target `sm_1000`",
        ),
        (
            vec!["run", &kernel, "--seed", "-1"],
            "found `-1`, expected a nonnegative integer",
        ),
        (
            vec!["run", &kernel, "--seeds", "-1..4"],
            "expected a range of seeds",
        ),
        (
            vec!["run", &kernel, "--seeds", "0..1000000000000"],
            "expected at most 1000000",
        ),
        (
            vec!["run", &kernel, "--variant", "x.ptx"],
            "`--variant` requires a `case.json`",
        ),
        (vec!["man", "nothing"], "unknown command `nothing`"),
    ] {
        let output = warpgrid(&arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(words.contains(said), "{arguments:?}: {words}");
    }
}

#[test]
fn byte_order_mark_is_rejected_by_check_and_accepted_by_run() {
    let folder = Folder::new("marks");
    let numbers = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\n";
    let kernel = folder.file("k.ptx", format!("\u{feff}{numbers}").as_bytes());
    let output = warpgrid(&["check", &kernel], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("fix: remove the byte-order mark"), "{text}");
    let scenario = serde_json::json!({"source": numbers});
    let scenario = folder.file("s.json", format!("\u{feff}{scenario}").as_bytes());
    for path in [&kernel, &scenario] {
        assert_eq!(
            warpgrid(&["run", path], "").status.code(),
            Some(0),
            "{path}"
        );
    }
    let output = warpgrid(&["run", &kernel, "--compare", &kernel], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn step_limit_message_uses_singular_for_one_step() {
    let output = warpgrid(
        &["run", "-", "--max-steps", "1"],
        "st.global.u32 [p], 7;\nret;\n",
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("the run reached the step limit after 1 step: "),
        "{text}"
    );
}

#[test]
fn directory_check_is_recursive_and_skips_hidden_directories() {
    let folder = Folder::new("folder");
    for name in ["b/deep", ".hidden", "node_modules"] {
        std::fs::create_dir_all(folder.0.join(name)).expect("a folder");
    }
    for name in [
        "a.ptx",
        "b/deep/c.ptx",
        ".hidden/d.ptx",
        "node_modules/e.ptx",
        "f.txt",
    ] {
        folder.file(name, GOOD.as_bytes());
    }
    folder.file("b/notes.md", b"# Notes\n");
    folder.file("b/guide.md", b"```ptx\nret;\n```\n");
    let output = warpgrid(&["check", &folder.0.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let text =
        String::from_utf8_lossy(&output.stdout).replace(&format!("{}/", folder.0.display()), "");
    let verdicts = text
        .lines()
        .filter(|line| line.contains(": ") && !line.starts_with(' '));
    let found: Vec<&str> = verdicts
        .filter(|line| line.contains("accepted") || line.contains("no block"))
        .collect();
    assert_eq!(
        found,
        [
            "a.ptx: accepted",
            "b/deep/c.ptx: accepted",
            "b/guide.md: 1 block of PTX, accepted",
            "b/notes.md: no blocks",
            "4 files: 4 accepted"
        ]
    );
    // A directory without files to check is a usage error.
    let empty = folder.0.join(".hidden/none");
    std::fs::create_dir_all(&empty).expect("a folder");
    let output = warpgrid(&["check", &empty.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn directory_check_includes_source_files_with_asm_blocks() {
    let folder = Folder::new("folder-hosts");
    folder.file("bad.cu", b"__device__ void f(int* p) { asm volatile(\"st.gobal.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }");
    folder.file("plain.cu", b"__global__ void k() {}");
    folder.file("plain.py", b"print(1)");
    let output = warpgrid(&["check", &folder.0.to_string_lossy()], "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("bad.cu: rejected, 1 error"), "{text}");
    assert!(text.contains("plain.cu: no blocks"), "{text}");
    assert!(text.contains("plain.py: no blocks"), "{text}");
    assert!(
        text.ends_with("3 files: 2 accepted, 1 rejected\n"),
        "{text}"
    );
}

#[test]
fn source_is_checked_for_several_targets() {
    let source = ".version 8.0\n.target sm_70\n.entry k() {\n.reg .b32 %r<3>;\nredux.sync.add.s32 %r1, %r2, -1;\nret;\n}\n";
    let folder = Folder::new("targets");
    let file = folder.file("k.ptx", source.as_bytes());
    let output = warpgrid(&["check", "--target", "sm_70,sm_80", &file], "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("k.ptx for sm_70: rejected, 1 error"),
        "{text}"
    );
    assert!(text.contains("k.ptx for sm_80: accepted"), "{text}");
    let output = warpgrid(
        &[
            "check",
            "--target",
            "sm_80,sm_90",
            "--format",
            "json",
            &file,
        ],
        "",
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let targets: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(targets[0]["target"], "sm_80");
    assert_eq!(targets[1]["target"], "sm_90");
}

#[test]
fn source_of_scenario_is_checked() {
    let folder = Folder::new("check-scenario");
    let scenario = serde_json::json!({ "source": GOOD, "target": "sm_90", "block": [32, 1, 1] });
    let file = folder.file("case.json", scenario.to_string().as_bytes());
    let output = warpgrid(&["check", &file], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.ends_with("case.json (source of the scenario): accepted\n"),
        "{output:?}"
    );
}

#[test]
fn every_json_answer_has_ok() {
    let folder = Folder::new("json-ok");
    let kernel = folder.file("good.ptx", GOOD.as_bytes());
    let rewritten = folder.0.join("rewritten.ptx");
    let rewritten = rewritten.to_string_lossy();
    let product = [
        "product", "--op", "mma", "--shape", "m16n8k8", "--target", "sm_80", "--a", "1", "--b", "1",
    ];
    let fragment = [
        "fragment",
        "--op",
        "store.d",
        "--shape",
        "m16n16k16",
        "--type",
        "f32",
    ];
    let answers: &[(&[&str], bool)] = &[
        (&product, true),
        (&fragment, true),
        (&["layout", "(8,4):(4,1)"], true),
        (&["descriptor", "0x4000004000010040"], true),
        (&["check", "--list", &kernel], true),
        (&["conflicts", &kernel], true),
        (&["layout", "(8,4"], false),
        (&["fragment", "--op", "nothing"], false),
        (&["product", "--target", "sm_80", "--op", "nothing"], false),
        (&["run", "no/such.ptx"], false),
        (&["conflicts", "no/such.ptx"], false),
        (&["conflicts", &kernel, "--rewrite", &rewritten], false),
        (&["conflicts", &kernel, "--rewrite", &kernel], false),
        (&["litmus", "no/such.ptx"], false),
        (&["litmus", &kernel], false),
        (&["litmus", &kernel, "--lines", "90-91"], false),
        (&["analyze", "no/such.ptx"], false),
    ];
    for (arguments, ok) in answers {
        let output = warpgrid(&[arguments, &["--format", "json"][..]].concat(), "");
        assert_eq!(json(&output)["ok"], *ok, "{arguments:?}");
        assert_eq!(output.status.code() == Some(0), *ok, "{arguments:?}");
    }
}

#[test]
fn unknown_saved_memory_is_reported_with_known_memories() {
    let folder = Folder::new("save-unknown");
    let source = "mov.u32 %t, %tid.x;\nst.global.u32 [out], %t;\n";
    let file = folder.file("k.ptx", source.as_bytes());
    let output = warpgrid(&["run", &file, "--save", "nope=x.csv"], "");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("completed, but not saved"), "{text}");
    assert!(
        text.contains("the launch has no buffer or variable `nope`, expected one of `out`"),
        "{text}"
    );
}

#[test]
fn json_output_has_one_report_with_ok_per_input() {
    let folder = Folder::new("answers");
    let good = folder.file("good.ptx", GOOD.as_bytes());
    let bad = folder.file("bad.ptx", GOOD.replace(".global", ".shred").as_bytes());
    let output = warpgrid(
        &["check", "--format", "json", &good, "no/such.ptx", &bad],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let verdicts: Vec<_> = answers
        .map(|answer| {
            (
                answer["ok"].clone(),
                answer["accept"].clone(),
                answer["diagnostics"][0]["code"].clone(),
            )
        })
        .collect();
    let [yes, no] = [Value::Bool(true), Value::Bool(false)];
    assert_eq!(
        verdicts,
        [
            (yes.clone(), yes.clone(), Value::Null),
            (no.clone(), no.clone(), "W0909".into()),
            (no.clone(), no, "W0101".into())
        ]
    );
    let batch = warpgrid(&["check", "--batch"], "{\"id\": 1, \"source\": \"ret;\"}\n");
    assert_eq!(json(&batch)["ok"], json(&batch)["accept"]);
    let kernel = folder.file(
        "k.ptx",
        b"//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\n",
    );
    let beside = json(&warpgrid(
        &["run", &kernel, "--compare", &kernel, "--format", "json"],
        "",
    ));
    assert_eq!((&beside["ok"], &beside["equal"]), (&yes, &yes), "{beside}");
    let seeds = json(&warpgrid(
        &["run", &kernel, "--seeds", "0..3", "--format", "json"],
        "",
    ));
    assert_eq!(
        (&seeds["ok"], &seeds["nSeeds"]),
        (&yes, &3.into()),
        "{seeds}"
    );
}

#[test]
fn color_option_controls_ansi_escapes() {
    let bad = GOOD.replace(".global", ".shred");
    let has_colour = |option: &str| {
        let output = warpgrid(&["check", "--color", option, "-"], &bad);
        output.stdout.contains(&0x1b)
    };
    assert_eq!(
        ["always", "never", "auto"].map(has_colour),
        [true, false, false]
    );
}

#[test]
fn completions_and_man_pages_include_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = warpgrid(&["completions", shell], "");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && text.contains("max-steps"),
            "{shell}: {text}"
        );
    }
    let page =
        |arguments: &[&str]| String::from_utf8_lossy(&warpgrid(arguments, "").stdout).into_owned();
    assert!(page(&["man"]).contains(".TH warpgrid 1"));
    assert!(page(&["man", "run"]).contains("\\-\\-max\\-steps"));
}

#[test]
fn explain_without_arguments_lists_topics() {
    let output = warpgrid(&["explain"], "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "instructions of PTX",
        " wmma,",
        " HMMA,",
        " bank,",
        "\n  W0101  ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
}

#[test]
fn formatter_preserves_line_endings() {
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
fn invalid_batch_request_keeps_id() {
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
fn unknown_batch_field_produces_warning() {
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
        "line 2: an unknown field is ignored: unknown field `tagret`, expected one of `id`, `source`, `front`, `target`, `ptx_version`"
    );
}

#[test]
fn closed_pipe_keeps_exit_status() {
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
fn invalid_scenario_error_names_field() {
    let folder = Folder::new("scenarios");
    let refused = |text: &str| {
        let path = folder.file("it.json", text.as_bytes());
        let output = warpgrid(&["run", &path], "");
        assert_eq!(output.status.code(), Some(2), "{text}: {output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused("[]").contains("not a scenario"));
    assert!(refused(r#"{"a":1}"#).contains("unknown field `a`"));
    let array = r#"{"source":"","arrays":[{"name":"a","type":"u8","width":4,"hight":2}]}"#;
    assert!(refused(array).contains("unknown field `hight`"));
    for kind in ["texture", "surface"] {
        let map = serde_json::json!({"source": "", "params": [{"kind": kind, "name": "m", "mode": "tiled"}]});
        let said = refused(&map.to_string());
        assert!(said.contains("missing field `resource`"), "{said}");
    }
    let other = refused(r#"{"source":"","params":[{"kind":"bufer","name":"p"}]}"#);
    assert!(
        other.contains(
            "expected `buffer`, `scalar`, `struct`, `alias`, `tensormap`, `texture`, `surface` or `multimem`"
        ),
        "{other}"
    );
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
fn descriptive_case_fields_are_ignored() {
    let folder = Folder::new("facts");
    folder.file("kernel.ptx", GOOD.as_bytes());
    let facts = serde_json::json!({"name": "k", "entry": "k", "block": [32, 1, 1], "family": "small", "sure": "high", "notes": ["a"],
        "compare": "bits", "accepted_by": ["13.5"], "tags": [], "compiler": "hand", "arch": "sm_90", "opcodes": ["st"], "variants": [],
        "grid": [1, 1, 1], "params": []});
    let report = |facts: &Value| {
        let case = folder.file("case.json", facts.to_string().as_bytes());
        json(&warpgrid(&["run", &case, "--format", "json"], ""))
    };
    assert_eq!(report(&facts)["fault"]["kind"], "out_of_bounds");
    let mut inside = facts.clone();
    inside["source"] = GOOD.into();
    assert_eq!(report(&inside), report(&facts));
}

#[test]
fn wait_for_nonresident_block_does_not_complete() {
    // Block 0 waits for a store of block 1.
    let source = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p;\n.reg .b32 %r<3>;\n.reg .b64 %a;\nld.param.u64 %a, [p];\nmov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p, %r1, 0;\n@%p st.volatile.global.u32 [%a], 1;\n@%p ret;\nwait: ld.volatile.global.u32 %r2, [%a];\nsetp.eq.u32 %p, %r2, 0;\n@%p bra wait;\nret;\n}\n";
    let run = |resident: &str| {
        let source =
            format!("//@ launch grid=2 block=1 {resident}\n//@ buffer p: u32[1] = 0\n{source}");
        let report = json(&warpgrid(
            &["run", "-", "--format", "json", "--max-steps", "10000"],
            &source,
        ));
        report["ok"].clone()
    };
    assert_eq!(
        [run("resident=1"), run("resident=2"), run("")],
        [false, true, true].map(Value::Bool)
    );
}

#[test]
fn store_count_of_one_is_singular() {
    let source = "//@ launch grid=1 block=32\n//@ buffer p: u32[32] = 0\nst.global.u32 [p], 7;\n";
    let output = warpgrid(&["run", "-"], source);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains(", 1 store: completed"), "{text}");
}

/// All lanes of a warp store different values to one address.
const RACE: &str = "//@ launch grid=1 block=32\n//@ buffer out: u32[1] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r; .reg .b64 %a;\nld.param.u64 %a, [out];\nmov.u32 %r, %tid.x;\nst.global.u32 [%a], %r;\nret;\n}\n";

/// Some threads of a warp skip a barrier.
const BARRIER: &str = "//@ launch grid=1 block=64\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %q; .reg .b32 %r;\nmov.u32 %r, %tid.x;\nsetp.lt.u32 %q, %r, 40;\n@%q bra M;\nbar.sync 0;\nM: ret;\n}\n";

const TWO: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry first(.param .u64 out)\n{\n.reg .b64 %a;\nld.param.u64 %a, [out];\nst.global.u32 [%a], 1;\nret;\n}\n.visible .entry second(.param .u64 out, .param .u32 n)\n{\n.reg .b64 %a; .reg .b32 %r;\nld.param.u64 %a, [out];\nld.param.u32 %r, [n];\nst.global.u32 [%a], %r;\nret;\n}\n";

#[test]
fn undefined_behavior_exits_with_1_unless_allowed() {
    let folder = Folder::new("undefined");
    let race = folder.file("race.ptx", RACE.as_bytes());
    let barrier = folder.file("barrier.ptx", BARRIER.as_bytes());
    let code = |arguments: &[&str]| warpgrid(arguments, "").status.code();
    assert_eq!(code(&["run", &race]), Some(0));
    assert_eq!(code(&["run", &race, "--races"]), Some(1));
    assert_eq!(
        code(&["run", &race, "--races", "--allow-undefined"]),
        Some(0)
    );
    assert_eq!(code(&["run", &barrier]), Some(1));
    let report = json(&warpgrid(&["run", &barrier, "--format", "json"], ""));
    assert_eq!(report["ok"], false);
}

#[test]
fn options_select_kernel_grid_and_arguments() {
    let folder = Folder::new("kernels");
    let two = folder.file("two.ptx", TWO.as_bytes());
    let first = json(&warpgrid(&["run", &two, "--format", "json"], ""));
    assert_eq!(first["kernel"], "first");
    assert_eq!(first["kernels"], serde_json::json!(["first", "second"]));
    let text = warpgrid(&["run", &two], "");
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("the file also contains `second`"), "{text}");
    let options = [
        "run",
        &two,
        "--entry",
        "second",
        "--grid",
        "2",
        "--block-size",
        "32x2",
        "--arg",
        "n=100",
        "--format",
        "json",
    ];
    let second = json(&warpgrid(&options, ""));
    assert_eq!(second["kernel"], "second");
    assert_eq!(second["buffers"]["out"]["values"][0], 100);
    let all = warpgrid(&["run", &two, "--entry", "all"], "");
    assert_eq!(
        String::from_utf8_lossy(&all.stdout)
            .matches(": completed")
            .count(),
        2
    );
    assert_eq!(
        warpgrid(&["run", &two, "--entry", "third"], "")
            .status
            .code(),
        Some(1)
    );
    assert_eq!(
        warpgrid(&["run", &two, "--arg", "m=1"], "").status.code(),
        Some(1)
    );
}

#[test]
fn conflicts_rewrite_rejects_overwriting_input() {
    let folder = Folder::new("cure");
    let race = folder.file("race.ptx", RACE.as_bytes());
    assert_eq!(
        warpgrid(&["conflicts", &race, "--rewrite", &race], "")
            .status
            .code(),
        Some(2)
    );
    assert_eq!(std::fs::read_to_string(&race).expect("the input"), RACE);
}

#[test]
fn exitless_loop_is_reported_as_spin_hang() {
    let folder = Folder::new("loop");
    let text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nL: bra L;\n}\n";
    let path = folder.file("loop.ptx", text.as_bytes());
    let report = json(&warpgrid(&["run", &path, "--format", "json"], ""));
    assert_eq!(report["hang"]["kind"], "spin");
    assert!(report["steps"].as_u64() < Some(100_000));
}

/// Each former option and the option that replaced it, in an invocation that the command accepts.
const FORMER_OPTIONS: &[(&str, &str, &[&str])] = &[
    ("--front", "--language", &["check", "OPTION", "ptx", "-"]),
    ("--front", "--language", &["run", "OPTION", "ptx", "-"]),
    (
        "--with",
        "--param",
        &[
            "fragment",
            "--op",
            "wgmma.shared.a",
            "--type",
            "f16",
            "--shape",
            "m64n64",
            "OPTION",
            "swizzle=64B",
        ],
    ),
    (
        "--with",
        "--param",
        &[
            "descriptor",
            "--family",
            "instruction",
            "0x08410490",
            "OPTION",
            "kind=f16",
        ],
    ),
    (
        "--shown",
        "--show",
        &["descriptor", "--swizzle", "64B", "OPTION", "memory"],
    ),
    (
        "--stored",
        "--actual-swizzle",
        &["descriptor", "--swizzle", "64B", "OPTION", "128B"],
    ),
    (
        "--stored-major",
        "--actual-major",
        &["descriptor", "--swizzle", "64B", "OPTION", "mn"],
    ),
    (
        "--meant",
        "--intended",
        &[
            "descriptor",
            "0x4000002000010000",
            "OPTION",
            "0x4000004000010000",
        ],
    ),
    (
        "--meant-idesc",
        "--intended-idesc",
        &[
            "descriptor",
            "--factor",
            "b",
            "--idesc",
            "0x08410490",
            "--kind",
            "f16",
            "OPTION",
            "0x08400490",
        ],
    ),
    (
        "--shown",
        "--show",
        &["layout", "(8,8):(8,1)", "OPTION", "bank"],
    ),
    (
        "--bytes",
        "--element-bytes",
        &["layout", "(8,8):(8,1)", "--show", "bank", "OPTION", "4"],
    ),
    (
        "--first",
        "--producer",
        &[
            "layout",
            "OPTION",
            "mma.d m16n8k16 f32 sm_80",
            "--consumer",
            "mma.a m16n8k16 f16 sm_80",
        ],
    ),
    (
        "--then",
        "--consumer",
        &[
            "layout",
            "--producer",
            "mma.d m16n8k16 f32 sm_80",
            "OPTION",
            "mma.a m16n8k16 f16 sm_80",
        ],
    ),
];

#[test]
fn former_options_produce_same_output() {
    for &(former, current, arguments) in FORMER_OPTIONS {
        let output = |option| {
            let words: Vec<&str> = arguments
                .iter()
                .map(|&word| if word == "OPTION" { option } else { word })
                .collect();
            warpgrid(&words, GOOD)
        };
        let (before, now) = (output(former), output(current));
        assert_ne!(
            now.status.code(),
            Some(2),
            "usage error of {current}: {now:?}"
        );
        assert_eq!(before, now, "{former}");
    }
}
