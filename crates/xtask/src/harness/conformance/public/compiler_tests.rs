//! Parses the code generation tests of LLVM (`llvm/test/CodeGen/NVPTX`). A RUN line specifies the processor, the PTX version and the check
//! prefix of a test. The lines `; PREFIX-NEXT: …` after `; PREFIX-LABEL: name(` contain the body of a function. Each complete body is
//! checked as a snippet.

use super::Outcome;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::Path;
use warpgrid_view::CheckOptions;
use warpgrid_view::check;
use warpgrid_view::model::Severity;

/// Code of the diagnostic for an unknown name, which is expected because a body may refer to parameters, functions and variables of its
/// module.
const UNKNOWN_NAME: &str = "W0110";

/// Processor and PTX version that a RUN line specifies.
#[derive(Clone, Debug, Default, PartialEq)]
struct Run {
    target: Option<String>,
    version: Option<String>,
}

/// Checks the functions of a test file. The check prefix precedes each returned function name. Returns an empty list if the file tests
/// another target.
pub(super) fn check_functions(path: &Path) -> Vec<(String, Outcome)> {
    let Ok(text) = read_to_string(path) else {
        return Vec::new();
    };
    let runs = runs(&text);
    let mut found = Vec::new();
    for (prefix, run) in &runs {
        let bodies = bodies(&text, prefix).into_iter();
        found.extend(bodies.map(|(name, body)| (format!("{prefix}:{name}"), outcome(&body, run))));
    }
    found
}

/// Returns the invocations of `llc` for PTX, by check prefix.
fn runs(text: &str) -> BTreeMap<&str, Run> {
    let mut runs = BTreeMap::new();
    let lines = text
        .lines()
        .filter(|line| line.contains("RUN:") && line.contains("FileCheck"));
    for line in lines.filter(|line| line.contains("nvptx")) {
        let words = || line.split([' ', '=', ',']);
        let after = |option: &str| {
            let mut words = words().skip_while(|word| *word != option);
            words.nth(1).map(str::to_owned)
        };
        let version = words().find_map(|word| {
            let digits = word.strip_prefix("+ptx")?;
            let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
            Some(format!("{major}.{minor}"))
        });
        let target = after("-mcpu").filter(|target| target.starts_with("sm_"));
        let run = Run { target, version };
        let check = line.split("FileCheck").nth(1).unwrap_or("");
        let prefixes = check.split(' ').find_map(|word| {
            let word = word.trim_start_matches('-');
            word.strip_prefix("check-prefixes=")
                .or_else(|| word.strip_prefix("check-prefix="))
        });
        for prefix in prefixes.unwrap_or("CHECK").split(',') {
            runs.entry(prefix).or_insert_with(|| run.clone());
        }
    }
    runs
}

/// Returns the complete bodies in the check lines with the given prefix, together with the function names.
fn bodies(text: &str, prefix: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        let Some(rest) = line
            .trim_start_matches([';', ' ', '/'])
            .strip_prefix(prefix)
        else {
            continue;
        };
        let Some((kind, code)) = rest.split_once(':') else {
            continue;
        };
        match kind {
            "-LABEL" => {
                let name = code.trim().split('(').next().unwrap_or("").to_owned();
                open = Some((name, String::new()));
            }
            "" | "-NEXT" | "-EMPTY" => {
                let Some((_, body)) = &mut open else { continue };
                body.push_str(code.trim());
                body.push('\n');
                if code.trim() == "ret;" {
                    found.extend(open.take());
                }
            }
            // Unordered check lines and check lines with patterns do not determine a body.
            _ => open = None,
        }
    }
    let is_complete =
        |body: &str| body.starts_with('{') && !body.contains("{{") && !body.contains("[[");
    found.retain(|(_, body)| is_complete(body));
    found
}

/// Checks a function body. The closing brace of the body is missing in the text.
fn outcome(body: &str, run: &Run) -> Outcome {
    let options = CheckOptions {
        target: run.target.clone(),
        ptx_version: run.version.clone(),
        ..CheckOptions::default()
    };
    let checked = check(&format!("{body}}}\n"), &options);
    let mut errors = checked.diagnostics.iter();
    match errors.find(|found| found.severity == Severity::Error) {
        None => Outcome::Agrees,
        Some(error) if error.code == UNKNOWN_NAME => Outcome::Unusable,
        Some(error) => Outcome::Differs(format!(
            "{}: {} in `{}`",
            error.code,
            error.message,
            body.lines()
                .nth((error.line as usize).saturating_sub(1))
                .unwrap_or("")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: &str = "; RUN: llc < %s -mtriple=nvptx64 -mcpu=sm_90 -mattr=+ptx78 | FileCheck %s --check-prefixes=CHECK,SM90
define void @f() {
; CHECK-LABEL: f(
; CHECK:       {
; CHECK-NEXT:    .reg .b32 %r<2>;
; CHECK-EMPTY:
; CHECK-NEXT:  // %bb.0:
; CHECK-NEXT:    mov.b32 %r1, 1;
; CHECK-NEXT:    ret;
";

    #[test]
    fn function_body_is_checked_for_target_of_run_line() {
        let run = Run {
            target: Some("sm_90".to_owned()),
            version: Some("7.8".to_owned()),
        };
        assert_eq!(
            runs(TEST),
            BTreeMap::from([("CHECK", run.clone()), ("SM90", run.clone())])
        );
        let [(name, body)] = &bodies(TEST, "CHECK")[..] else {
            panic!("one body");
        };
        assert_eq!(name, "f");
        assert!(matches!(outcome(body, &run), Outcome::Agrees));
        let wrong = body.replace("mov.b32", "mov.b33");
        assert!(matches!(outcome(&wrong, &run), Outcome::Differs(_)));
    }
}
