//! Defines the recorded decision of the reference assembler on one module.

use crate::Result;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// PTX module, and the recorded decision of the reference assembler.
#[derive(Clone, Debug, Default)]
pub(crate) struct VerdictCase {
    pub(crate) id: String,
    pub(crate) family: String,
    pub(crate) group: String,
    pub(crate) ptx_version: String,
    pub(crate) target: String,
    pub(crate) ptxas: String,
    pub(crate) decls: String,
    pub(crate) insn: String,
    /// Source of a complete module; empty if the module is the standard module around an instruction.
    pub(crate) source: String,
    pub(crate) accept: bool,
    pub(crate) messages: Vec<String>,
    pub(crate) context: String,
    pub(crate) address_size: u64,
    /// Original line of the decision file.
    pub(crate) line: String,
}

/// Decision of the Warpgrid checker on a module.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckerVerdict {
    pub(crate) accept: bool,
    /// Code and message of each reported error.
    pub(crate) errors: Vec<String>,
}

/// Returns the decision files of a directory, sorted by name.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // Files with crashes of the assembler contain no decisions.
            (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz"))
                && !name.starts_with("crashes")
        })
        .collect();
    paths.sort();
    Ok(paths)
}

/// Reads the decisions of one file and appends them to `cases`.
pub(crate) fn read(path: &Path, cases: &mut Vec<VerdictCase>) -> Result<()> {
    cases.extend(lines(path)?.into_iter().filter_map(VerdictCase::parse));
    Ok(())
}

/// Reads the lines of a file, which may be compressed with gzip.
pub(crate) fn lines(path: &Path) -> Result<Vec<String>> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let file = File::open(path).map_err(failed)?;
    let text: Box<dyn Read> = match path.extension().is_some_and(|e| e == "gz") {
        true => Box::new(flate2::read::GzDecoder::new(file)),
        false => Box::new(file),
    };
    let lines = BufReader::new(text).lines();
    lines.collect::<std::io::Result<_>>().map_err(failed)
}

impl VerdictCase {
    /// Parses a line of a decision file. Returns `None` if the line contains no decision.
    pub(crate) fn parse(line: String) -> Option<VerdictCase> {
        let value: Value = serde_json::from_str(&line).ok()?;
        let text = |key: &str| {
            value
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned()
        };
        let messages = match value.get("messages").and_then(Value::as_array) {
            Some(all) => all
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            None => value
                .get("message")
                .and_then(Value::as_str)
                .map(str::to_owned)
                .into_iter()
                .collect(),
        };
        let ptx_version = text("ptx_version");
        let default_size = if is_before_address_size(&ptx_version) {
            32
        } else {
            64
        };
        Some(VerdictCase {
            id: text("id"),
            family: text("family"),
            group: text("group"),
            target: text("target"),
            ptxas: text("ptxas"),
            decls: text("decls"),
            insn: text("insn"),
            source: text("source"),
            accept: value.get("accept")?.as_bool()?,
            messages,
            context: text("ctx"),
            address_size: value
                .get("address_size")
                .and_then(Value::as_u64)
                .unwrap_or(default_size),
            ptx_version,
            line,
        })
    }

    /// Creates a case for a complete module without a recorded decision.
    pub(crate) fn of_source(source: String) -> VerdictCase {
        VerdictCase {
            source,
            ..VerdictCase::default()
        }
    }

    /// Serializes the case as a line of a sample. The other fields of the original line are preserved.
    pub(crate) fn to_line(&self) -> String {
        let value = serde_json::from_str(&self.line).unwrap_or(Value::Null);
        let mut fields = match value {
            Value::Object(fields) => fields,
            _ => serde_json::Map::new(),
        };
        let texts = [
            ("id", &self.id),
            ("family", &self.family),
            ("group", &self.group),
            ("ptx_version", &self.ptx_version),
            ("target", &self.target),
            ("decls", &self.decls),
            ("insn", &self.insn),
            ("source", &self.source),
            ("ptxas", &self.ptxas),
        ];
        let texts = texts.into_iter();
        for (key, text) in texts.filter(|(_, text)| !text.is_empty()) {
            fields.insert(key.to_owned(), text.as_str().into());
        }
        for key in ["messages", "warnings"] {
            fields.remove(key);
        }
        fields.insert("accept".to_owned(), self.accept.into());
        fields.insert("message".to_owned(), self.messages.first().cloned().into());
        Value::Object(fields).to_string()
    }

    /// Returns the source of the module that the assembler received. The instruction is on line 7 of the standard module.
    pub(crate) fn module(&self) -> String {
        if !self.source.is_empty() {
            return self.source.clone();
        }
        let header = match self.context.as_str() {
            "entry0" => ".visible .entry k()",
            "func" => {
                ".visible .func (.param .b32 fret) f(.param .b64 fp, .param .align 16 .b8 fpa[32])"
            }
            _ => ".visible .entry k(.param .u64 kp, .param .align 16 .b8 kpa[64])",
        };
        let address_size = match is_before_address_size(&self.ptx_version) {
            true => String::new(),
            false => format!(".address_size {}", self.address_size),
        };
        format!(
            ".version {}\n.target {}\n{address_size}\n{header}\n{{\n{}\n{}\nret;\n}}\n",
            self.ptx_version, self.target, self.decls, self.insn
        )
    }

    /// Checks the module with the Warpgrid checker.
    pub(crate) fn check(&self) -> CheckerVerdict {
        let report = warpgrid_view::check(&self.module(), &warpgrid_view::CheckOptions::default());
        let errors = report
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == warpgrid_view::model::Severity::Error)
            .map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.message));
        CheckerVerdict {
            accept: report.accept,
            errors: errors.collect(),
        }
    }

    /// Returns the reason if Warpgrid intentionally differs from the assembler on this case.
    pub(crate) fn known_difference(&self) -> Option<&'static str> {
        let is_store = matches!(self.family.as_str(), "st" | "operands");
        let is_narrow = self.address_size == 32;
        if !self.ptxas.starts_with("12.0") || !(is_store || is_narrow) {
            return None;
        }
        let words = |word: &str| self.insn.split(['.', ' ', '\t']).any(|w| w == word);
        if is_store && words("v8") && !self.accept {
            return Some(
                "release 12.0 does not support `.v8`, whereas later releases accept `.v8` for 8- and 16-bit types in every PTX version",
            );
        }
        if self.accept {
            return Some(
                "release 12.0 compiles modules with 32-bit addresses, whereas later releases reject them",
            );
        }
        None
    }
}

/// Checks whether a PTX version precedes PTX 2.3, which introduced `.address_size`.
fn is_before_address_size(version: &str) -> bool {
    let mut parts = version
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < (2, 3)
}

/// Recorded case, and the decision of Warpgrid on this case.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerdictComparison<'a> {
    pub(super) case: &'a VerdictCase,
    pub(super) verdict: &'a CheckerVerdict,
}

impl VerdictComparison<'_> {
    pub(super) fn agrees(&self) -> bool {
        self.case.accept == self.verdict.accept
    }

    pub(super) fn difference(&self) -> serde_json::Value {
        json!({
            "id": self.case.id,
            "family": self.case.family,
            "group": self.case.group,
            "ptx_version": self.case.ptx_version,
            "target": self.case.target,
            "ctx": self.case.context,
            "decls": self.case.decls,
            "insn": self.case.insn,
            "source": self.case.source,
            "assembler": { "accept": self.case.accept, "messages": self.case.messages },
            "ours": { "accept": self.verdict.accept, "errors": self.verdict.errors },
        })
    }
}
