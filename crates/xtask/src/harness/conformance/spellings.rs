//! Compares the spellings of store instructions in disassembler output by architecture. The comparison counts the spellings that Warpgrid
//! accepts and formats without a change.

use crate::Result;
use serde_json::Value;
use std::fs;
use std::path::Path;
use warpgrid_sass::syntax::{parse, print_instruction};
use warpgrid_view::{CheckOptions, SourceLanguage};

/// Reads the first existing file of `paths`. Returns the number of spellings, and whether Warpgrid accepts all spellings without a change.
pub(super) fn compare(paths: &[&str], n_shown: usize) -> Result<(usize, bool)> {
    let Some(path) = paths.iter().find(|path| Path::new(path).exists()) else {
        return Ok((0, true));
    };
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut n = 0;
    let mut differing = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).map_err(|error| format!("{path}: {error}"))?;
        let field = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("");
        n += 1;
        if let Some(reason) = difference(field("arch"), field("text")) {
            differing.push(format!("{}: {}: {reason}", field("arch"), field("text")));
        }
    }
    println!(
        "spellings of stores: {} of {n} are accepted and formatted unchanged",
        n - differing.len()
    );
    for line in differing.iter().take(n_shown) {
        println!("    {line}");
    }
    Ok((n, differing.is_empty()))
}

/// Describes why Warpgrid rejects a spelling or formats the spelling differently. Returns `None` if there is no difference.
fn difference(arch: &str, text: &str) -> Option<String> {
    let options = CheckOptions {
        language: SourceLanguage::Sass,
        target: Some(arch.to_owned()),
        ..CheckOptions::default()
    };
    let report = warpgrid_view::check(text, &options);
    let mut found = report.diagnostics.iter();
    // The diagnostic W1015 concerns the execution and not the syntax.
    if let Some(found) = found.find(|found| found.code != "W1015") {
        return Some(format!("{} {}", found.code, found.message));
    }
    let tree = parse(text);
    let mut printed = String::new();
    for instruction in &tree.instructions {
        print_instruction(&tree, text, instruction, &mut printed);
    }
    (printed != text).then(|| format!("written `{printed}`"))
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn spelling_of_other_architecture_is_difference() {
        assert_eq!(difference("sm_75", "STS [R7.X4], R0"), None);
        assert!(difference("sm_90", "STS [R7.X4], R0").is_some());
        assert!(difference("sm_75", "STS [R7.X4],  R0").is_some());
    }
}
