//! Tests of a sample of results of the reference assembler: the checker accepts and rejects the same sources. `cargo xtask
//! conformance` compares all results.

use serde_json::Value;
use warpgrid_program::Overrides;
use warpgrid_program::Severity;
use warpgrid_ptx::{check, parse};

const SAMPLE: &str = include_str!("data/verdicts.jsonl");

/// Returns the module that contains the instruction, as described in `data/README.md`.
fn module(case: &Value) -> String {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("");
    if !text("source").is_empty() {
        return text("source").to_owned();
    }
    let version = text("ptx_version");
    let is_old = version.starts_with("1.") || ["2.0", "2.1", "2.2"].contains(&version);
    let size = case.get("address_size").and_then(Value::as_u64);
    let address_size = match is_old {
        true => String::new(),
        false => format!(".address_size {}", size.unwrap_or(64)),
    };
    let header = match text("ctx") {
        "entry0" => ".visible .entry k()",
        "func" => {
            ".visible .func (.param .b32 fret) f(.param .b64 fp, .param .align 16 .b8 fpa[32])"
        }
        _ => ".visible .entry k(.param .u64 kp, .param .align 16 .b8 kpa[64])",
    };
    format!(
        ".version {version}\n.target {}\n{address_size}\n{header}\n{{\n{}\n{}\nret;\n}}\n",
        text("target"),
        text("decls"),
        text("insn"),
    )
}

#[test]
fn sampled_verdicts_match_ptxas() {
    let mut n = 0;
    let mut differing = Vec::new();
    for line in SAMPLE.lines() {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        let wanted = case
            .get("accept")
            .and_then(Value::as_bool)
            .expect("a verdict");
        let source = module(&case);
        let checked = check(&source, &parse(&source), &Overrides::default());
        n += 1;
        if checked.accept() != wanted {
            let codes: Vec<_> = checked.diagnostics.iter().map(|d| d.code).collect();
            differing.push(format!("{line}\n    ours: {codes:?}"));
        }
    }
    assert!(n > 1000, "only {n} verdicts");
    assert!(
        differing.is_empty(),
        "{} of {n} differ:\n{}",
        differing.len(),
        differing.join("\n")
    );
}

/// Diagnostics that may remain after a misspelled modifier has been fixed: the modifier requires a later version or target, or
/// another number of elements; a later version does not support 32-bit programs.
const LATER: &[&str] = &["W0106", "W0123", "W0107", "W0306", "W0311"];

#[test]
fn module_is_error_free_after_fix_of_only_error() {
    let mut n = 0;
    let mut wrong = Vec::new();
    for line in SAMPLE.lines() {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        let source = module(&case);
        let checked = check(&source, &parse(&source), &Overrides::default());
        let mut errors = checked
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error);
        let family = case.get("family").and_then(Value::as_str).unwrap_or("");
        if !matches!(family, "st" | "operands") {
            continue;
        }
        let (Some(error), None) = (errors.next(), errors.next()) else {
            continue;
        };
        for fix in &error.fixes {
            n += 1;
            let after = fix.apply(&source);
            let checked = check(&after, &parse(&after), &Overrides::default());
            let left = checked
                .diagnostics
                .iter()
                .filter(|d| d.severity == Severity::Error && !LATER.contains(&d.code));
            if left.clone().next().is_some() {
                let left: Vec<_> = left.map(|d| format!("{} {}", d.code, d.message)).collect();
                let text = case.get("insn").and_then(Value::as_str).unwrap_or("");
                wrong.push(format!(
                    "{text}: {} {}\n    {left:?}",
                    error.code, fix.title
                ));
            }
        }
    }
    assert!(n > 100, "only {n} fixes");
    assert!(
        wrong.is_empty(),
        "{} of {n} fixes leave errors:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

const GENERAL: [&str; 2] = [
    include_str!("data/verdicts_general.jsonl"),
    include_str!("data/verdicts_general_added.jsonl"),
];

/// Message with which release 13.5 rejects 32-bit programs.
const NARROW: &str = "32-Bit compilation is no longer supported";

#[test]
fn general_instruction_verdicts_match_ptxas() {
    let mut n = 0;
    let mut differing = Vec::new();
    for line in GENERAL.iter().flat_map(|text| text.lines()) {
        let case: Value = serde_json::from_str(line).expect("a line of JSON");
        let Some(expected) = case.get("accept").and_then(Value::as_bool) else {
            continue;
        };
        // Release 12.0 compiles 32-bit programs, and the checker accepts them.
        let message = case.get("message").and_then(Value::as_str);
        if message.is_some_and(|message| message.contains(NARROW)) {
            continue;
        }
        let source = module(&case);
        let checked = check(&source, &parse(&source), &Overrides::default());
        n += 1;
        if checked.accept() != expected {
            let codes: Vec<_> = checked.diagnostics.iter().map(|d| d.code).collect();
            differing.push(format!("{line}\n    ours: {codes:?}"));
        }
    }
    assert!(n > 300, "only {n} verdicts");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
