//! `warpgrid analyze`: verdicts, findings with source positions, and output formats.

mod common;

use common::{Folder, json, warpgrid};
use serde_json::Value;
use std::path::Path;

/// Every lane stores another value to the same word.
const RACE: &str = "//@ launch grid=1 block=64\n//@ buffer out: u32[1] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry race(.param .u64 out)\n{\n.reg .b32 %t; .reg .b64 %p;\nld.param.u64 %p, [out];\nmov.u32 %t, %tid.x;\nst.global.u32 [%p], %t;\nret;\n}\n";

/// Every lane stores its index to its own word.
const CLEAN: &str = "//@ launch grid=1 block=32\n//@ buffer out: u32[32] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry fill(.param .u64 out)\n{\n.reg .b32 %t; .reg .b64 %p;\nld.param.u64 %p, [out];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %p, %t, 4, %p;\nst.global.u32 [%p], %t;\nret;\n}\n";

/// Endless loop, whose steps exceed every limit.
const ENDLESS: &str = "//@ launch grid=1 block=32\n//@ buffer out: u32[1] = 0\n.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry spin(.param .u64 out)\n{\n.reg .b32 %t;\nmov.u32 %t, 0;\nagain: add.u32 %t, %t, 1;\nbra again;\n}\n";

/// Compiled kernel with `.loc` directives, and its CUDA C++ source.
fn transpose() -> (String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../view/tests/source_lines");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a test file");
    (read("transpose.ptx"), read("transpose.cu"))
}

fn kinds(findings: &Value) -> Vec<&str> {
    let findings = findings.as_array().expect("findings");
    let kinds = findings.iter().map(|finding| finding["kind"].as_str());
    kinds.collect::<Option<_>>().expect("kinds")
}

#[test]
fn correct_kernel_is_clean() {
    let folder = Folder::new("analyze-clean");
    let file = folder.file("fill.ptx", CLEAN.as_bytes());
    let output = warpgrid(&["analyze", "--format", "json", &file], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report["verdict"], "clean");
    assert_eq!(report["kernels"][0]["kernel"], "fill");
    assert_eq!(report["kernels"][0]["seeds"], 8);
    assert_eq!(report["kernels"][0]["findings"], Value::Array(Vec::new()));
}

#[test]
fn file_without_subcommand_is_analyzed() {
    let folder = Folder::new("analyze-default");
    let file = folder.file("race.ptx", RACE.as_bytes());
    let short = warpgrid(&[&file], "");
    assert_eq!(short, warpgrid(&["analyze", &file], ""));
    assert_eq!(short.status.code(), Some(1));
    let missing = warpgrid(&["nothing.ptx"], "");
    assert_eq!(missing.status.code(), Some(2));
    let message = String::from_utf8_lossy(&missing.stderr);
    assert!(message.starts_with("warpgrid: nothing.ptx: "), "{message}");
}

#[test]
fn racing_kernel_has_one_finding_per_memory_and_exits_with_1() {
    let folder = Folder::new("analyze-race");
    let file = folder.file("race.ptx", RACE.as_bytes());
    let output = warpgrid(&["analyze", "--format", "json", &file], "");
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["verdict"], "findings");
    let findings = &report["kernels"][0]["findings"];
    assert_eq!(kinds(findings), ["data-race", "schedule-dependence"]);
    assert_eq!(findings[0]["severity"], "error");
    assert_eq!(findings[0]["lines"], serde_json::json!([11]));
    assert_eq!(findings[0]["dependsOnInferredLaunch"], false);
}

#[test]
fn finding_of_inferred_launch_is_compared_with_other_block() {
    let folder = Folder::new("analyze-other-block");
    let inferred = RACE.replace("//@ launch grid=1 block=64\n", "");
    let file = folder.file("race.ptx", inferred.as_bytes());
    let output = warpgrid(&["analyze", "--format", "json", &file], "");
    let findings = &json(&output)["kernels"][0]["findings"];
    assert_eq!(findings[0]["dependsOnInferredLaunch"], true);
    let details = findings[0]["details"].as_array().expect("details");
    let last = details.last().and_then(Value::as_str);
    assert_eq!(
        last,
        Some(
            "the block size of 32 threads is inferred: the run with 64 threads (`//@ launch block=64`) also has this finding"
        )
    );
}

#[test]
fn tile_that_is_not_aligned_to_its_swizzle_is_noted() {
    let folder = Folder::new("analyze-swizzle");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../public/examples");
    let aligned =
        std::fs::read_to_string(examples.join("matrix-epilogue.ptx")).expect("an example");
    let shifted = aligned
        .replace("tile[512]", "tile[1024]")
        .replace("mov.u32 %place, tile;", "mov.u32 %place, tile+128;")
        .replace("mov.u32 %column, tile;", "mov.u32 %column, tile+128;");
    let notes = |name: &str, source: &str| {
        let file = folder.file(name, source.as_bytes());
        let output = warpgrid(&["analyze", "--format", "json", &file], "");
        let findings = json(&output)["kernels"][0]["findings"].clone();
        let findings = findings.as_array().expect("findings").iter();
        let messages = findings.filter(|finding| finding["kind"] == "note");
        let messages: Vec<String> = messages.map(|f| f["message"].to_string()).collect();
        messages
    };
    assert_eq!(notes("aligned.ptx", &aligned), [""; 0]);
    let notes = notes("shifted.ptx", &shifted);
    assert!(
        notes[0].contains("starts at byte 128 of shared memory, which is not a multiple of 256"),
        "{notes:?}"
    );
}

/// Kernel that stores only if `n` has a certain value.
const RARE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry rare(.param .u64 out, .param .u32 n)\n{\n.reg .pred %q; .reg .b32 %t; .reg .b64 %p;\nld.param.u64 %p, [out];\nld.param.u32 %t, [n];\nst.global.u32 [%p], %t;\nsetp.ne.u32 %q, %t, 77;\n@%q bra DONE;\nst.global.u32 [%p+4], %t;\n\nst.global.u32 [%p+8], %t;\nDONE: ret;\n}\n";

#[test]
fn unreached_lines_of_inferred_launch_are_noted() {
    let folder = Folder::new("analyze-unreached");
    let file = folder.file("rare.ptx", RARE.as_bytes());
    let expected = "the run with the inferred `n = 32` and `//@ launch grid=1 block=32` does not reach lines 12-14";
    let output = warpgrid(&["analyze", "--format", "json", &file], "");
    let findings = json(&output)["kernels"][0]["findings"].clone();
    let messages = findings.as_array().expect("findings").iter();
    let messages: Vec<&str> = messages.filter_map(|f| f["message"].as_str()).collect();
    assert!(messages.contains(&expected), "{messages:?}");
    let run = warpgrid(&["run", "--format", "json", &file], "");
    let report = json(&run);
    assert_eq!(
        report["unreached_lines"],
        serde_json::json!([{"first": 12, "last": 14}]),
        "{report}"
    );
    let launch = "//@ launch grid=1 block=32";
    assert_eq!(report["guesses"][0], launch, "{report}");
    let text = String::from_utf8(warpgrid(&["run", &file], "").stdout).expect("text");
    assert!(text.contains(expected), "{text}");
    assert!(text.contains(&format!("inferred: `{launch}`")), "{text}");
    let stated = format!("//@ launch grid=1 block=32\n//@ scalar n: u32 = 5\n{RARE}");
    let file = folder.file("stated.ptx", stated.as_bytes());
    let run = json(&warpgrid(&["run", "--format", "json", &file], ""));
    assert_eq!(run["unreached_lines"], Value::Null);
}

#[test]
fn run_without_end_is_incomplete_and_exits_with_1() {
    let folder = Folder::new("analyze-incomplete");
    let file = folder.file("spin.ptx", ENDLESS.as_bytes());
    let limit = ["analyze", "--format", "json", "--max-steps", "1000", &file];
    let output = warpgrid(&limit, "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let kernel = &json(&output)["kernels"][0];
    let is_ended = kernel["verdict"] == "findings" && kinds(&kernel["findings"]) == ["hang"];
    let reasons = kernel["notCovered"].as_array().map_or(0, Vec::len);
    assert!(
        is_ended || kernel["verdict"] == "incomplete" && reasons == 1,
        "{kernel}"
    );
}

#[test]
fn rejected_source_has_verdict_error() {
    let output = warpgrid(
        &["analyze", "--format", "json", "-"],
        "st.shred.u32 [p], 5;",
    );
    assert_eq!(output.status.code(), Some(1));
    let report = json(&output);
    assert_eq!(report["verdict"], "error");
    let diagnostics = report["diagnostics"].as_array().expect("diagnostics");
    assert!(diagnostics.iter().any(|found| found["severity"] == "error"));
    assert_eq!(report["kernels"], Value::Array(Vec::new()));
}

#[test]
fn findings_of_compiled_kernel_name_lines_of_cuda_source() {
    let folder = Folder::new("analyze-source");
    let (ptx, cuda) = transpose();
    let file = folder.file("transpose.ptx", ptx.as_bytes());
    folder.file("transpose.cu", cuda.as_bytes());
    let launch = [
        "--grid",
        "1",
        "--block-size",
        "32x8",
        "--arg",
        "w=32",
        "--arg",
        "h=32",
    ];
    let arguments: Vec<&str> = ["analyze", &file].into_iter().chain(launch).collect();
    let output = warpgrid(&arguments, "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("transpose.cu:16"), "{text}");
    assert!(
        text.contains("16 | out[flat(y + j, x, h)] = t[threadIdx.x][threadIdx.y + j];"),
        "{text}"
    );
    let deny = [&arguments[..], &["--deny", "performance"]].concat();
    assert_eq!(warpgrid(&deny, "").status.code(), Some(1));
}

#[test]
fn every_kernel_of_a_folder_is_analyzed() {
    let folder = Folder::new("analyze-folder");
    folder.file("a.ptx", CLEAN.as_bytes());
    folder.file("b.ptx", RACE.as_bytes());
    let path = folder.0.to_string_lossy().into_owned();
    let output = warpgrid(&["analyze", "--format", "json", &path], "");
    let text = String::from_utf8_lossy(&output.stdout);
    let reports: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect();
    let verdicts: Vec<&Value> = reports.iter().map(|report| &report["verdict"]).collect();
    assert_eq!(verdicts, ["clean", "findings"]);
}

#[test]
fn kernel_with_worst_verdict_is_first() {
    let header = ".version 8.0\n.target sm_80\n.address_size 64\n";
    let kernel = |source: &str| source.split(header).nth(1).expect("a kernel").to_owned();
    let source = format!("{header}{}{}", kernel(CLEAN), kernel(RACE));
    let output = warpgrid(&["analyze", "--format", "json", "-"], &source);
    let report = json(&output);
    assert_eq!(report["kernels"][0]["kernel"], "race");
    assert_eq!(report["kernels"][1]["kernel"], "fill");
    assert_eq!(report["verdict"], "findings");
}

#[test]
fn sarif_names_rule_level_and_region_of_findings() {
    let folder = Folder::new("analyze-sarif");
    let file = folder.file("my race.ptx", RACE.as_bytes());
    let output = warpgrid(&["analyze", "--format", "sarif", &file], "");
    let report = json(&output);
    assert_eq!(report["version"], "2.1.0");
    let result = &report["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "data-race");
    assert_eq!(result["level"], "error");
    let location = &result["locations"][0]["physicalLocation"];
    assert_eq!(location["region"]["startLine"], 11);
    let uri = location["artifactLocation"]["uri"].as_str().expect("a URI");
    assert!(uri.ends_with("my%20race.ptx"), "{uri}");
}

#[test]
fn files_with_worst_verdicts_are_first_and_counted() {
    let folder = Folder::new("analyze-order");
    let clean = folder.file("clean.ptx", CLEAN.as_bytes());
    let race = folder.file("race.ptx", RACE.as_bytes());
    let output = warpgrid(&["analyze", &clean, &race, "missing.ptx"], "");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout);
    let place = |name: &str| text.find(name).expect("a file");
    assert!(place("race.ptx: findings") < place("clean.ptx: clean"));
    assert_eq!(
        text.lines().last(),
        Some("3 files: 1 unreadable, 1 findings, 1 clean")
    );
}

#[test]
fn unreadable_file_never_counts_as_clean() {
    let folder = Folder::new("analyze-unreadable");
    let clean = folder.file("clean.ptx", CLEAN.as_bytes());
    let badge = folder.0.join("badge.svg");
    let path = badge.to_string_lossy().into_owned();
    let arguments = ["analyze", &clean, "missing.ptx", "--badge", &path];
    let output = warpgrid(&[&arguments[..], &["--format", "json"]].concat(), "");
    let text = String::from_utf8_lossy(&output.stdout);
    let report: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(report["ok"], false);
    assert_eq!(report["verdict"], "error");
    let svg = std::fs::read_to_string(&badge).expect("a badge");
    assert!(svg.contains("<title>warpgrid: error</title>"), "{svg}");
    let output = warpgrid(&[&arguments[..], &["--format", "sarif"]].concat(), "");
    let invocation = &json(&output)["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0]["message"]["text"];
    let notification = notification.as_str().expect("a text");
    assert!(notification.starts_with("missing.ptx: "), "{notification}");
}

#[test]
fn incomplete_run_is_notification_of_sarif() {
    let folder = Folder::new("analyze-sarif-incomplete");
    let file = folder.file("fill.ptx", CLEAN.as_bytes());
    let limit = ["analyze", "--format", "sarif", "--max-steps", "2", &file];
    let output = warpgrid(&limit, "");
    assert_eq!(output.status.code(), Some(1));
    let notification = &json(&output)["runs"][0]["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(notification["level"], "warning", "{notification}");
}

#[test]
fn badge_shows_verdict() {
    let folder = Folder::new("analyze-badge");
    let file = folder.file("fill.ptx", CLEAN.as_bytes());
    let badge = folder.0.join("badge.svg");
    let path = badge.to_string_lossy().into_owned();
    let output = warpgrid(&["analyze", "--badge", &path, &file], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let svg = std::fs::read_to_string(badge).expect("a badge");
    assert!(svg.contains("<title>warpgrid: clean</title>"), "{svg}");
}

/// Writes a compiler that prints the PTX of the transpose kernel, or fails if the source contains `syntax error`.
#[cfg(unix)]
fn stand_in_compiler(folder: &Folder) -> String {
    use std::os::unix::fs::PermissionsExt;
    let (ptx, _) = transpose();
    let ptx = folder.file("compiled.txt", ptx.as_bytes());
    let script = format!(
        "#!/bin/sh\nfor last; do :; done\ncase \"$*\" in *-lineinfo*) ;; *) exit 3;; esac\nif grep -q 'syntax error' \"$last\"; then echo \"$last(1): error: expected a declaration\" >&2; exit 1; fi\ncat '{ptx}'\n"
    );
    let path = folder.file("nvcc", script.as_bytes());
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("an executable");
    path
}

#[cfg(unix)]
#[test]
fn cuda_file_is_compiled_and_analyzed_with_its_lines() {
    let folder = Folder::new("analyze-cuda");
    let compiler = stand_in_compiler(&folder);
    let file = folder.file("transpose.cu", transpose().1.as_bytes());
    let launch = ["--block-size", "32x8", "--arg", "w=32", "--arg", "h=32"];
    let arguments = ["analyze", "--compiler", &compiler, &file];
    let output = warpgrid(&[&arguments[..], &launch].concat(), "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("16 | out[flat(y + j, x, h)]"), "{output:?}");
    let run = warpgrid(
        &[&["run", "--compiler", &compiler, &file][..], &launch].concat(),
        "",
    );
    assert_eq!(run.status.code(), Some(0), "{run:?}");
}

#[cfg(unix)]
#[test]
fn errors_of_compiler_are_printed() {
    let folder = Folder::new("analyze-cuda-error");
    let compiler = stand_in_compiler(&folder);
    let file = folder.file("broken.cu", b"syntax error");
    let output = warpgrid(&["analyze", "--compiler", &compiler, &file], "");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("broken.cu(1): error: expected a declaration"),
        "{message}"
    );
}

#[test]
fn missing_compiler_is_reported_with_installation_command() {
    let folder = Folder::new("analyze-no-compiler");
    let file = folder.file("k.cu", b"");
    let output = warpgrid(&["analyze", "--compiler", "no-such-compiler", &file], "");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("pip install nvidia-cuda-nvcc"),
        "{message}"
    );
}

/// Writes a Python interpreter that prints the PTX of the transpose kernel if its arguments are those of a compilation with NVRTC.
#[cfg(unix)]
fn stand_in_python(folder: &Folder) {
    use std::os::unix::fs::PermissionsExt;
    let ptx = folder.file("compiled.txt", transpose().0.as_bytes());
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *libnvrtc.so.12*-lineinfo*--gpu-architecture=compute_90*-DN=1*) cat > /dev/null; cat '{ptx}';; *) exit 3;; esac\n"
    );
    let path = folder.file("python3", script.as_bytes());
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, executable).expect("an executable");
}

#[cfg(unix)]
#[test]
fn nvrtc_compiles_checked_and_executed_files() {
    let folder = Folder::new("nvrtc");
    stand_in_python(&folder);
    let toolkit = folder.0.join("toolkit/lib64");
    std::fs::create_dir_all(&toolkit).expect("a folder");
    for name in ["libnvrtc.so.12", "libnvrtc-builtins.so.12.9"] {
        std::fs::write(toolkit.join(name), "").expect("a file");
    }
    let file = folder.file("transpose.cu", transpose().1.as_bytes());
    let command = |arguments: &[&str]| {
        let compiler = ["--compile-target", "sm_90", "--compiler-arg", "-DN=1"];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_warpgrid"))
            .args(arguments)
            .arg(&file)
            .args(compiler)
            .env("PATH", format!("{}:/usr/bin:/bin", folder.0.display()))
            .env("CUDA_HOME", folder.0.join("toolkit"))
            .output();
        output.expect("the command")
    };
    for compiler in [&["--compiler", "nvrtc"][..], &[]] {
        let output = command(&[&["check"], compiler].concat());
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.ends_with("transpose.cu (compiled PTX): accepted\n"),
            "{output:?}"
        );
    }
    let launch = ["--block-size", "32x8", "--arg", "w=32", "--arg", "h=32"];
    let output = command(&[&["run"], &launch[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let missing = warpgrid(&["check", "--compiler", "nvrtc-13", &file], "");
    let message = String::from_utf8_lossy(&missing.stderr);
    assert!(
        message.contains("`pip install nvidia-cuda-nvrtc`"),
        "{message}"
    );
}
