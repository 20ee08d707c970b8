//! [`Document`] of a log with or without its module. It checks the module with the Warpgrid checker. It reports each log message at its
//! module line, with the diagnostic of the Warpgrid checker for the same line.

use crate::diagnostics as diagnose;
use crate::embedded::{Embedded, place};
use crate::log::{LogEntry, LogSeverity, LogText};
use crate::log_hints::{advice, function, is_about_module, is_about_wgmma, spilled_bytes};
use crate::symbols;
use std::borrow::Cow;
use warpgrid_program::{
    CheckResult, CompletionItem, Diagnostic, Document, FrontEnd, Hover, LineIndex, MappedSource,
    Overrides, Severity, SignatureHelp, Span, SymbolIndex,
};

/// Open document of a log in an editor, with the check result of its module.
pub(crate) struct LogDocument<'a> {
    source: Cow<'a, str>,
    entries: Vec<LogEntry>,
    module: Option<(MappedSource, Box<dyn Document>)>,
}

impl<'a> LogDocument<'a> {
    pub(crate) fn new(
        source: Cow<'a, str>,
        text: LogText,
        inner: &'static dyn FrontEnd,
        overrides: &Overrides,
    ) -> LogDocument<'a> {
        let module = text.module.map(|module| {
            let own = Cow::Owned(module.text.clone());
            let document = inner.open(own, overrides);
            (module, document)
        });
        LogDocument {
            source,
            entries: text.entries,
            module,
        }
    }

    fn at(&self, offset: u32) -> Option<Embedded<'_>> {
        let (origin, document) = self.module.as_ref()?;
        Embedded::at(origin, document.as_ref(), offset)
    }
}

impl Document for LogDocument<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        let Some((origin, document)) = &self.module else {
            return CheckResult {
                diagnostics: log_without_module(&self.entries),
                ..CheckResult::default()
            };
        };
        let mut checked = document.check();
        for found in &mut checked.diagnostics {
            place(found, origin);
        }
        let beside = LogWithModule {
            origin,
            lines: LineIndex::new(&origin.text),
            own: &checked.diagnostics,
        };
        let adjacent: Vec<Diagnostic> = beside.said(&self.entries);
        checked.diagnostics.extend(adjacent);
        CheckResult {
            origin: Some(origin.clone()),
            ..checked
        }
    }

    fn symbols(&self) -> SymbolIndex {
        let mut index = SymbolIndex::default();
        if let Some((origin, document)) = &self.module {
            symbols::append(&mut index, document.symbols(), &origin.map);
        }
        symbols::sorted(index)
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        self.at(offset)?.hover()
    }

    fn complete(&self, offset: u32) -> Vec<CompletionItem> {
        self.at(offset)
            .map_or_else(Vec::new, |inner| inner.complete())
    }

    fn signature(&self, offset: u32) -> Option<SignatureHelp> {
        self.at(offset)?.signature()
    }
}

/// Returns the diagnostics of a log without its module.
fn log_without_module(entries: &[LogEntry]) -> Vec<Diagnostic> {
    let diagnostics = entries.iter().map(|entry| {
        let severity = match entry.word {
            LogSeverity::Error => Severity::Error,
            LogSeverity::Warning => Severity::Warning,
            LogSeverity::Information => Severity::Information,
        };
        diagnose::log_line(severity, &entry.message, entry.span, advice(&entry.message))
    });
    let mut diagnostics: Vec<Diagnostic> = diagnostics.collect();
    diagnostics.extend(entries.first().map(|first| diagnose::log_alone(first.span)));
    diagnostics
}

/// Checks whether a diagnostic of the Warpgrid checker predicts a remark of the assembler (codes W0800 to W0899).
fn is_prediction(found: &Diagnostic) -> bool {
    found.code.starts_with("W08")
}

/// Module of a log with the diagnostics of the Warpgrid checker, from which the diagnostics about log messages are created.
struct LogWithModule<'a> {
    origin: &'a MappedSource,
    lines: LineIndex,
    /// Diagnostics of the Warpgrid checker, with spans in the whole text.
    own: &'a [Diagnostic],
}

impl LogWithModule<'_> {
    fn said(&self, entries: &[LogEntry]) -> Vec<Diagnostic> {
        let mut present = None;
        let mut diagnostics = Vec::new();
        for entry in entries {
            // Remember the named function, because the assembler with `-v` prints several lines about one function, and only the first line
            // names it.
            present = function(&entry.message).or(present);
            // Skip this message, which only states that other errors have occurred.
            if entry.message.starts_with("Ptx assembly aborted") {
                continue;
            }
            diagnostics.push(self.line(entry, present));
        }
        diagnostics
    }

    fn line(&self, entry: &LogEntry, function: Option<&str>) -> Diagnostic {
        let of_line = entry.line.and_then(|line| self.place_of_line(line));
        let of_function = function
            .filter(|_| !is_about_module(&entry.message))
            .and_then(|name| self.place_of_function(name));
        // The checker predicts the remarks about `wgmma`. Its diagnostic names the cause, which the remark itself does not contain.
        let cause = match is_about_wgmma(&entry.message) {
            true => self.cause_at(of_line),
            false => None,
        };
        let place = of_line.or(cause.map(|cause| cause.span)).or(of_function);
        // Report errors and warnings of another assembler as warnings, because the Warpgrid checker decides whether the module is legal.
        let severity = match entry.word {
            LogSeverity::Error | LogSeverity::Warning => Severity::Warning,
            LogSeverity::Information
                if spilled_bytes(&entry.message).is_some_and(|bytes| bytes > 0)
                    || entry.message.contains("Performance Loss") =>
            {
                Severity::Warning
            }
            LogSeverity::Information => Severity::Information,
        };
        let own = place.and_then(|place| self.own_at(place));
        let help = match (cause.or(own), entry.word) {
            (Some(own), _) => Some(diagnose::agrees(own)),
            (None, LogSeverity::Error) => Some(match advice(&entry.message) {
                Some(advice) => advice,
                None => diagnose::accepted_here().to_owned(),
            }),
            (None, _) => advice(&entry.message),
        };
        let found = diagnose::log_line(severity, &entry.message, place.unwrap_or(entry.span), help);
        match place {
            Some(_) => found.label(entry.span, "log message"),
            None => found,
        }
    }

    /// Returns the diagnostic of the Warpgrid checker that predicts a remark about `wgmma`: the diagnostic nearest to the line of the
    /// remark, or the first one for a remark without a line.
    fn cause_at(&self, place: Option<Span>) -> Option<&Diagnostic> {
        let mut predictions = self.own.iter().filter(|found| is_prediction(found));
        match place {
            Some(place) => predictions.min_by_key(|found| found.span.start.abs_diff(place.start)),
            None => predictions.next(),
        }
    }

    /// Returns the span of a module line without leading and trailing white space.
    fn place_of_line(&self, line: u32) -> Option<Span> {
        let start = self.lines.line_start(line)?;
        let rest = self.origin.text.get(start as usize..)?;
        let text = rest.lines().next().unwrap_or("");
        let blanks = text.len() - text.trim_start().len();
        let own = start + blanks as u32;
        let span = Span::new(own, own + text.trim().len() as u32);
        (span.end > span.start).then(|| self.origin.map.span(span))
    }

    fn place_of_function(&self, name: &str) -> Option<Span> {
        let text = &self.origin.text;
        let mut places = text.match_indices(name);
        let (at, _) = places.find(|(at, _)| {
            let before = text[..*at].trim_end();
            before.ends_with(".entry") || before.ends_with(".func") || before.ends_with(')')
        })?;
        let span = Span::new(at as u32, (at + name.len()) as u32);
        Some(self.origin.map.span(span))
    }

    /// Returns the diagnostic of the Warpgrid checker at the same position.
    fn own_at(&self, place: Span) -> Option<&Diagnostic> {
        let is_here = |found: &&Diagnostic| {
            found.span.start <= place.end
                && place.start <= found.span.end
                && found.severity != Severity::Information
        };
        self.own.iter().find(is_here)
    }
}
