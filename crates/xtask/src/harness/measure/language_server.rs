//! Measures the latency and the memory of the language server.

use crate::measure::{Inputs, Measurement};
use lsp_server::{Message, Notification, Request};
use serde_json::{Value, json};
use std::time::Instant;
use warpgrid_lsp::{Server, TaskGroup};

/// URI of the measured document.
const URI: &str = "file:///measured.ptx";

/// Number of keystrokes of one measurement.
const KEYSTROKES: usize = 400;

/// Client and server on one thread. Each method includes the serialization of its messages, as a transport requires.
struct Editor {
    server: Server,
    n_messages: i32,
}

impl Editor {
    /// Starts a server and opens a document. Kernels do not run in the background.
    fn open(source: &str) -> Editor {
        let mut editor = Editor {
            server: Server::new(),
            n_messages: 0,
        };
        let settings = json!({ "runValues": false });
        let params = json!({ "processId": null, "rootUri": null, "capabilities": {}, "initializationOptions": settings });
        editor.request("initialize", params);
        editor.notify("initialized", json!({}));
        let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": source });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
        editor
    }

    fn notify(&mut self, method: &str, params: Value) -> usize {
        let message = Notification::new(method.to_owned(), params).into();
        self.exchange(&message)
    }

    fn request(&mut self, method: &str, params: Value) -> usize {
        self.n_messages += 1;
        let message = Request::new(self.n_messages.into(), method.to_owned(), params).into();
        self.exchange(&message)
    }

    /// Passes a message to the server as JSON, executes all tasks, and returns the size of all messages of the server in bytes.
    fn exchange(&mut self, message: &Message) -> usize {
        let text = serde_json::to_vec(message).unwrap_or_default();
        match serde_json::from_slice(&text) {
            Ok(message) => self.server.receive(message),
            Err(reason) => self.server.reject(&reason.to_string()),
        }
        while self.server.work(&TaskGroup::ALL) {}
        self.server.take_outgoing().iter().map(String::len).sum()
    }
}

/// Measures the durations from a keystroke to its diagnostics in a module of 10,000 lines, and returns the given percentile in milliseconds.
fn keystroke(inputs: &Inputs, percentile: usize) -> Measurement {
    let source = inputs.read("lines.ptx")?;
    let n_lines = source.lines().count();
    let mut editor = Editor::open(&source);
    let mut durations = Vec::with_capacity(KEYSTROKES);
    for n in 0..KEYSTROKES {
        // Each second keystroke removes the character of the preceding keystroke.
        let line = (n / 2) * n_lines / (KEYSTROKES / 2);
        let start = json!({ "line": line, "character": 0 });
        let end = json!({ "line": line, "character": n % 2 });
        let text = ["x", ""][n % 2];
        let change = json!({ "range": { "start": start, "end": end }, "text": text });
        let document = json!({ "uri": URI, "version": n + 2 });
        let begin = Instant::now();
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        let size = editor.notify("textDocument/didChange", params);
        durations.push(begin.elapsed().as_secs_f64() * 1e3);
        if size == 0 {
            return Err("the server published no diagnostics".to_owned());
        }
    }
    durations.sort_by(f64::total_cmp);
    Ok(durations[(durations.len() - 1) * percentile / 100])
}

/// Measures the median of the durations from a keystroke to its diagnostics, in milliseconds.
pub(super) fn keystroke_median(inputs: &Inputs) -> Measurement {
    keystroke(inputs, 50)
}

/// Measures the 99th percentile of these durations, in milliseconds.
pub(super) fn keystroke_p99(inputs: &Inputs) -> Measurement {
    keystroke(inputs, 99)
}

/// Measures the peak memory of the process in MB after the server has opened a module of 4 MB and answered requests about the whole module.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn memory(inputs: &Inputs) -> Measurement {
    let mut editor = Editor::open(&inputs.read("large.ptx")?);
    let document = json!({ "textDocument": { "uri": URI } });
    for method in [
        "textDocument/semanticTokens/full",
        "textDocument/documentSymbol",
        "textDocument/codeLens",
    ] {
        editor.request(method, document.clone());
    }
    let status = std::fs::read_to_string("/proc/self/status")
        .map_err(|error| format!("the memory of a process is known only on Linux: {error}"))?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = peak.and_then(|text| text.trim().trim_end_matches(" kB").parse::<f64>().ok());
    Ok(kib.ok_or("the status of the process contains no peak memory")? * 1024.0 / 1e6)
}
