//! Parser for assembler and driver logs. It extracts the messages with the module lines to which they refer, and the module, if the text
//! contains it.

use crate::log_hints::remark_text;
use warpgrid_program::container::{
    ContainerFormat, is_compiler_diagnostic, is_log_line, log_word, remark_code,
};
use warpgrid_program::{MappedSource, Span};

/// Parsed log of an assembler or driver: its messages, and its module if the text contains it.
#[derive(Clone, Debug)]
pub(crate) struct LogText {
    pub(crate) entries: Vec<LogEntry>,
    /// Module, which consists of all lines that are not part of the log, or `None` if all of these lines are blank.
    pub(crate) module: Option<MappedSource>,
}

/// Message in a line of a log, with its severity and the module line to which it refers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    pub(crate) word: LogSeverity,
    /// Line of the module to which the message refers.
    pub(crate) line: Option<u32>,
    /// Text of the message, without its severity.
    pub(crate) message: String,
    /// Span of the whole log line.
    pub(crate) span: Span,
}

/// Severity of a [`LogEntry`] in the notation of the assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogSeverity {
    Error,
    Warning,
    Information,
}

/// Maximum number of log lines.
const MAX_ENTRIES: usize = 1_000;

impl LogText {
    /// Parses a text. Returns `None` if the text contains no log line.
    pub(crate) fn read(source: &str) -> Option<LogText> {
        if ContainerFormat::of_source(source) != Some(ContainerFormat::AssemblerLog) {
            return None;
        }
        if let Some(code) = remark_code(source) {
            return Some(LogText {
                entries: vec![LogEntry {
                    word: LogSeverity::Information,
                    line: None,
                    message: remark_text(code).unwrap_or_else(|| format!("(C{code})")),
                    span: Span::new(0, source.trim_end().len() as u32),
                }],
                module: None,
            });
        }
        let mut module = MappedSource::default();
        let mut entries: Vec<LogEntry> = Vec::new();
        let mut start = 0;
        let mut is_after_log = false;
        // Whether the line belongs to a diagnostic of the C++ compiler, which includes the subsequent source lines up to an empty line.
        let mut is_in_message = false;
        for line in source.split_inclusive('\n') {
            let span = Span::new(start, start + line.trim_end().len() as u32);
            let is_diagnostic = is_compiler_diagnostic(line);
            is_in_message = is_diagnostic || (is_in_message && !line.trim().is_empty());
            if is_log_line(line) {
                is_in_message = false;
                is_after_log = true;
                if entries.len() < MAX_ENTRIES {
                    entries.extend(entry(line, span));
                }
            } else if is_after_log && belongs_to_log(line) {
                if let Some(last) = entries.last_mut() {
                    last.message.push_str("; ");
                    last.message.push_str(line.trim());
                }
            } else if !is_in_message {
                is_after_log = is_after_log && line.trim().is_empty();
                // Ignore lines that precede the module.
                if !module.text.is_empty() || is_part_of_module(line) {
                    module.copy(line, start);
                }
            }
            start += line.len() as u32;
        }
        let has_module = !module.text.trim().is_empty();
        Some(LogText {
            entries,
            module: has_module.then_some(module),
        })
    }
}

/// Parses a line of an assembler log.
fn entry(line: &str, span: Span) -> Option<LogEntry> {
    let begin = line.find("ptxas ").map_or(0, |at| at + "ptxas ".len());
    let rest = &line[begin..];
    let (word, start) = log_word(rest)?;
    let message = rest[start..].trim();
    // Remarks about `wgmma` and `setmaxnreg` contain the line in the message: `… is injected in around line 167 by compiler`.
    let line = number_after(&rest[..start], ", line ").or_else(|| number_after(message, " line "));
    Some(LogEntry {
        word: match word {
            "error" | "fatal" => LogSeverity::Error,
            "warning" => LogSeverity::Warning,
            _ => LogSeverity::Information,
        },
        line,
        message: message.to_owned(),
        span,
    })
}

/// Returns the number after the last occurrence of a word.
fn number_after(text: &str, word: &str) -> Option<u32> {
    let (_, after) = text.rsplit_once(word)?;
    let end = after.find(|c: char| !c.is_ascii_digit());
    after[..end.unwrap_or(after.len())].parse().ok()
}

/// Checks whether a line such as `    0 bytes stack frame, …` continues the previous log line.
fn belongs_to_log(line: &str) -> bool {
    line.starts_with("    ") && line.contains(" bytes stack frame")
}

/// Checks whether a line can be the first line of a module. Blank lines, prompts and Markdown fences cannot be its first line.
fn is_part_of_module(line: &str) -> bool {
    let line = line.trim();
    let is_prompt = line.starts_with("$ ") || line.starts_with("```") || line.starts_with("> ");
    let is_of_host = line.starts_with("Remark: The warnings can be suppressed")
        || line.contains(" generated when compiling for ")
        || line.contains(" detected in the compilation of ");
    !line.is_empty() && !is_prompt && !is_of_host && !line.starts_with("nvcc ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_messages_are_separated_from_module() {
        let source = "$ ptxas k.ptx\nptxas k.ptx, line 3; error   : Unknown symbol 'x'\nptxas info    : Function properties for k\n    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas fatal   : Ptx assembly aborted due to errors\n\n.version 8.0\n.target sm_90\n.entry k() { ret; }\n";
        let log = LogText::read(source).expect("a log");
        let found: Vec<_> = log
            .entries
            .iter()
            .map(|entry| (entry.word, entry.line, entry.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (LogSeverity::Error, Some(3), "Unknown symbol 'x'"),
                (
                    LogSeverity::Information,
                    None,
                    "Function properties for k; 8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads"
                ),
                (
                    LogSeverity::Error,
                    None,
                    "Ptx assembly aborted due to errors"
                ),
            ]
        );
        let module = log.module.expect("a module");
        assert!(module.text.starts_with(".version"));
        assert_eq!(module.map.span(Span::at(0)).text(source), "");
    }
}
