//! Commands that the server executes: the analysis of a document, and the check for another target.

use crate::document::Snapshot;
use crate::features::diagnostics::diagnostics;
use crate::settings::Settings;
use serde_json::{Value, json};
use std::sync::Arc;
use warpgrid_view::analysis::findings::{AnalysisOptions, Finding};
use warpgrid_view::{Scenario, counted};

/// Result of a command: a message for the user, and data for the client.
#[derive(Debug)]
pub(crate) struct CommandResult {
    pub(crate) message: String,
    pub(crate) data: Value,
}

/// Runs a kernel, or all kernels, and lists all findings.
pub(crate) fn run(snapshot: &Snapshot, kernel: Option<&str>) -> Result<CommandResult, String> {
    let language = snapshot
        .instructions()
        .ok_or("the document contains no kernel")?;
    let scenario = Scenario {
        source: snapshot.source().to_owned(),
        front: language,
        target: snapshot.settings.target.clone(),
        ptx_version: snapshot.settings.ptx_version.clone(),
        entry: kernel.map(str::to_owned),
        ..Scenario::default()
    };
    let report = warpgrid_view::api::analyze(&scenario, AnalysisOptions::default())
        .map_err(|error| error.message)?;
    let findings: Vec<&Finding> = report.findings().collect();
    let launches = report.kernels.iter().map(|kernel| {
        let steps = counted(kernel.steps, "step");
        format!("{}{}: {steps}", kernel.kernel, kernel.launch)
    });
    let launches: Vec<String> = launches.collect();
    let mut message = format!("{}: {}", report.verdict.name(), launches.join(", "));
    for found in findings.iter().take(3) {
        message.push_str(&format!("; {}", found.message));
    }
    Ok(CommandResult {
        message,
        data: serde_json::to_value(&report).map_err(|error| error.to_string())?,
    })
}

/// Checks a document for a target.
pub(crate) fn check_on_target(snapshot: &Snapshot, target: &str) -> Result<CommandResult, String> {
    let snapshot = Snapshot {
        settings: Arc::new(Settings {
            target: Some(target.to_owned()),
            ..Settings::clone(&snapshot.settings)
        }),
        run: None,
        ..snapshot.clone()
    };
    let found = diagnostics(&snapshot);
    let errors: Vec<_> = found
        .iter()
        .filter(|found| found.severity == Some(gen_lsp_types::DiagnosticSeverity::Error))
        .collect();
    let message = match errors.first() {
        None => format!("accepted on {target}"),
        Some(first) => {
            let line = first.range.start.line + 1;
            let text = match &first.message {
                gen_lsp_types::Message::String(text) => text.lines().next().unwrap_or_default(),
                gen_lsp_types::Message::MarkupContent(text) => &text.value,
            };
            let number = counted(errors.len() as u64, "error");
            format!("rejected on {target} with {number}: line {line}: {text}")
        }
    };
    Ok(CommandResult {
        message,
        data: json!({ "target": target, "accept": errors.is_empty(), "diagnostics": found }),
    })
}
