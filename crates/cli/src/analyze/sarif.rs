//! SARIF 2.1.0 (OASIS standard) of an analysis, for code scanning services and editors.

use super::{AnalyzedFile, UnreadableFile};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use warpgrid_view::analysis::findings::{Finding, FindingSeverity};
use warpgrid_view::model::SourceRange;
use warpgrid_view::source::line_table::SourcePosition;
use warpgrid_view::url_encoding::percent_encode;

/// Builds the SARIF document of all files. Notifications describe the files that cannot be read, and the parts of a run that the analysis
/// did not cover, because a run without results would otherwise count as a run without findings.
pub(super) fn document(files: &[AnalyzedFile], unreadable: &[UnreadableFile]) -> Value {
    let mut rules: BTreeMap<String, Value> = BTreeMap::new();
    let mut results = Vec::new();
    for file in files {
        for finding in file.report.findings() {
            let id = rule_id(finding);
            let name = finding.kind.name();
            let rule = json!({ "id": id, "shortDescription": { "text": name } });
            rules.entry(id).or_insert(rule);
            results.push(result(&file.name, finding));
        }
    }
    let not_read = unreadable
        .iter()
        .map(|file| notification("error", &file.name, &file.reason));
    let not_covered = files.iter().flat_map(|file| {
        let kernels = file.report.kernels.iter();
        kernels.flat_map(|kernel| {
            kernel.not_covered.iter().map(|reason| {
                let text = format!("kernel `{}` is not covered: {reason}", kernel.kernel);
                notification("warning", &file.name, &text)
            })
        })
    });
    let notifications: Vec<Value> = not_read.chain(not_covered).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "warpgrid",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_values().collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": unreadable.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

/// Builds the notification about a condition of the analysis itself.
fn notification(level: &str, file: &str, text: &str) -> Value {
    json!({
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
    })
}

/// Returns the rule of a finding: the code of a diagnostic, and the kind of any other finding.
fn rule_id(finding: &Finding) -> String {
    match &finding.code {
        Some(code) => code.clone(),
        None => finding.kind.name().replace(' ', "-"),
    }
}

fn result(file: &str, finding: &Finding) -> Value {
    let level = match finding.severity {
        FindingSeverity::Error => "error",
        FindingSeverity::Warning => "warning",
        FindingSeverity::Performance | FindingSeverity::Information => "note",
    };
    let text: Vec<&str> = std::iter::once(&finding.message)
        .chain(&finding.details)
        .map(String::as_str)
        .collect();
    let location = match &finding.range {
        Some(range) => json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": region(range),
        } }),
        None => json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }),
    };
    let mut result = json!({
        "ruleId": rule_id(finding),
        "level": level,
        "message": { "text": text.join("\n") },
        "locations": [location],
    });
    if !finding.source.is_empty() {
        let related: Vec<Value> = finding.source.iter().map(related_location).collect();
        result["relatedLocations"] = Value::Array(related);
    }
    if let Some(fix) = &finding.fix {
        let replacements: Vec<Value> = fix
            .edits
            .iter()
            .map(|edit| {
                json!({ "deletedRegion": region(&edit.range()), "insertedContent": { "text": edit.text } })
            })
            .collect();
        result["fixes"] = json!([{
            "description": { "text": fix.title },
            "artifactChanges": [{
                "artifactLocation": { "uri": uri(file) },
                "replacements": replacements,
            }],
        }]);
    }
    result
}

fn region(range: &SourceRange) -> Value {
    json!({
        "startLine": range.line,
        "startColumn": range.column,
        "endLine": range.end_line,
        "endColumn": range.end_column,
    })
}

/// Returns the position in the language from which a compiler generated the kernel.
fn related_location(position: &SourcePosition) -> Value {
    let mut region = json!({ "startLine": position.line });
    if let Some(column) = position.column {
        region["startColumn"] = column.into();
    }
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(&position.file) },
        "region": region,
    } });
    if let Some(function) = &position.function {
        location["message"] = json!({ "text": format!("in the inlined function `{function}`") });
    }
    location
}

/// Converts a path to a URI reference with percent-encoded components.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let components: Vec<String> = path.split('/').map(percent_encode).collect();
    components.join("/")
}
