//! Table of benchmark results: measured values in columns next to the target values.

use crate::sizes::FileSize;
use serde_json::{Value, json};
use std::fmt;

/// Target values of each benchmark in native code and in wasm, with the result of the fastest known third-party parser.
#[rustfmt::skip]
const AIMS: &[(&str, &str)] = &[
    ("parse",           "200 MB/s (peers: 49 native, 9.2 wasm)"),
    ("check",           "100 MB/s"),
    ("sass",            "200 MB/s"),
    ("sasschk",         "100 MB/s"),
    ("recheck",         "under 16 ms in wasm"),
    ("batch",           "10,000 modules/s on one core"),
    ("saxpy",           "500 M lane-instr/s native, half of it in wasm (peer: 46)"),
    ("matmul",          "500 M lane-instr/s native, half of it in wasm (peer: 46)"),
    ("wmma",            "a few seconds, also in the worker of the page"),
    ("racesw",          "at most 4"),
    ("litmusw",         "under 100 ms in wasm"),
    ("step",            "instant"),
    ("back",            "instant"),
    ("look",            "under 4 ms in wasm"),
    ("far",             "under 16 ms after the first step back"),
    ("scatter",         "under 16 ms"),
    ("lsp50",           "at most 10 ms native, 30 ms in wasm"),
    ("lsp99",           "at most 10 ms native, 30 ms in wasm"),
    ("lspmem",          "at most 200 MB"),
    ("timeline",        "at most 300 ms"),
    ("positions",       "at least 95 %"),
    ("open",            "under 250 ms in wasm"),
    ("hover fragment",  "under 16.7 ms (60 frames per second)"),
    ("hover memory",    "under 16.7 ms (60 frames per second)"),
    ("scroll",          "60 frames/s"),
    ("scroll pixels",   "60 frames/s"),
    ("step paint",      "16 ms"),
    ("keystroke",       "30 ms"),
    ("play",            "60 frames/s"),
    ("play, memory",    "constant"),
    ("tile rows",       "under 16 ms"),
    ("tile columns",    "under 16 ms"),
    ("tile swizzle",    "under 16 ms"),
    ("link",            "not slower than the page without a link"),
    ("link, length",    "under 2,000"),
    ("page wasm, gzip", "305 KB"),
];

/// One benchmark in the table.
#[derive(Debug)]
struct Row {
    name: String,
    title: String,
    unit: String,
    native: Option<f64>,
    wasm: Option<f64>,
    /// Reason why a measured value is missing.
    note: Option<String>,
}

/// Table of all benchmarks, in the order of measurement.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds the results of the native harness to the table.
    pub(super) fn native(&mut self, figures: &[Value]) {
        for figure in figures {
            self.row(figure).native = figure["value"].as_f64();
        }
    }

    /// Adds the results of the wasm harness to the table.
    pub(super) fn wasm(&mut self, figures: &[Value]) {
        for figure in figures {
            self.row(figure).wasm = figure["value"].as_f64();
        }
    }

    /// Adds the compressed size of a file that the page loads, in KB of 1,000 bytes.
    pub(super) fn size(&mut self, size: &FileSize) {
        let Some((_, ending)) = size
            .name
            .rsplit_once('.')
            .filter(|(_, e)| ["wasm", "js"].contains(e))
        else {
            return;
        };
        let plain = plain_name(&size.name);
        let name = match (ending, plain.contains("warpgrid-web")) {
            ("wasm", true) => "page wasm, gzip".to_string(),
            _ => size.name.clone(),
        };
        let title = format!("{plain}, gzip");
        let kilobytes = |bytes: usize| bytes as f64 / 1000.0;
        let figure = json!({ "name": name, "title": title, "unit": "KB", "note": null });
        self.row(&figure).wasm = Some(kilobytes(size.gzip));
    }

    /// Returns the table as JSON.
    pub(super) fn json(&self) -> String {
        let row = |row: &Row| {
            json!({ "name": row.name, "title": row.title, "unit": row.unit,
                    "native": row.native, "wasm": row.wasm, "note": row.note })
        };
        Value::Array(self.rows.iter().map(row).collect()).to_string()
    }

    /// Returns the row of a benchmark, and creates the row on first use.
    fn row(&mut self, figure: &Value) -> &mut Row {
        let text = |key: &str| figure[key].as_str().unwrap_or_default().to_string();
        let (name, title) = (text("name"), text("title"));
        let at = self
            .rows
            .iter()
            .position(|row| row.name == name && row.title == title);
        let at = at.unwrap_or_else(|| {
            let note = figure["note"].as_str().map(str::to_string);
            self.rows.push(Row {
                name,
                title,
                unit: text("unit"),
                native: None,
                wasm: None,
                note,
            });
            self.rows.len() - 1
        });
        &mut self.rows[at]
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            out,
            "\n  {:<44} {:>10} {:>10}  {:<14} aim",
            "figure", "native", "wasm", ""
        )?;
        for row in &self.rows {
            let aim = AIMS
                .iter()
                .find(|(name, _)| *name == row.name)
                .map_or("", |(_, aim)| aim);
            let aim = row.note.as_deref().unwrap_or(aim);
            let (native, wasm) = (number(row.native), number(row.wasm));
            writeln!(
                out,
                "  {:<44} {native:>10} {wasm:>10}  {:<14} {aim}",
                row.title, row.unit
            )?;
        }
        Ok(())
    }
}

/// Returns a file name without the content hash that Trunk inserts.
fn plain_name(file: &str) -> String {
    // A content hash has at most 16 hexadecimal digits, because Trunk omits leading zeros.
    let hash = |word: &&str| {
        (12..=16).contains(&word.len()) && word.chars().all(|c| c.is_ascii_hexdigit())
    };
    let parts = file
        .split(['-', '_', '.', '/'])
        .find(hash)
        .map(|hash| format!("-{hash}"));
    parts.map_or_else(|| file.to_string(), |hash| file.replace(&hash, ""))
}

/// Formats the progress line of a benchmark: its title, value and unit, or the reason for the missing value.
pub(super) fn line(figure: &Value) -> String {
    let text = |key: &str| figure[key].as_str().unwrap_or_default();
    let value = number(figure["value"].as_f64());
    let title = text("title");
    match figure["note"].as_str() {
        Some(note) => format!("{title}: {note}"),
        None => format!("{title}: {value} {}", text("unit")),
    }
}

fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
        None => "-".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, line, plain_name};
    use serde_json::json;

    #[test]
    fn native_and_wasm_values_share_one_row() {
        let mut table = Table::default();
        table.native(&[
            json!({"name": "parse", "title": "parsing", "unit": "MB/s", "value": 250.0}),
        ]);
        table.wasm(&[json!({"name": "parse", "title": "parsing", "unit": "MB/s", "value": 125.5})]);
        let text = table.to_string();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("250        126  MB/s"), "{text}");
    }

    #[test]
    fn line_shows_value_with_unit_or_failure_note() {
        let figure = |value: Option<f64>, note: Option<&str>| {
            line(&json!({"title": "parsing", "unit": "MB/s", "value": value, "note": note}))
        };
        assert_eq!(figure(Some(125.5), None), "parsing: 126 MB/s");
        assert_eq!(figure(None, Some("faulted: x")), "parsing: faulted: x");
    }

    #[test]
    fn plain_name_strips_hashes() {
        assert_eq!(
            plain_name("warpgrid-web-b90c377dfabf67e_bg.wasm"),
            "warpgrid-web_bg.wasm"
        );
        assert_eq!(
            plain_name("core-3b90c377dfabf67e/warpgrid-core_bg.wasm"),
            "core/warpgrid-core_bg.wasm"
        );
    }
}
