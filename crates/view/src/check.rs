//! Judging a text for a host: diagnostics with lines and columns, tokens for the editor.

use crate::annotations::Annotations;
use crate::model::{
    DiagnosticView, EditView, FixView, LabelView, SourceRange, TokenClass, TokenView,
};
use crate::scenario::Front;
use serde::{Deserialize, Serialize};
use warpgrid_isa::{Target, Version};
use warpgrid_program::{Diagnostic, LineIndex, Needs, Program, Severity, Span};

/// What `check` may override.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckOptions {
    #[serde(default)]
    pub front: Front,
    #[serde(default)]
    pub target: Option<String>,
    #[serde(default)]
    pub ptx_version: Option<String>,
}

/// The verdict on a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// True exactly when no diagnostic is an error.
    pub accept: bool,
    pub diagnostics: Vec<DiagnosticView>,
}

/// Judges a text.
pub fn check(source: &str, options: &CheckOptions) -> CheckReport {
    program(source, options).1
}

/// The checked program, where there is one, and the verdict.
pub(crate) fn program(source: &str, options: &CheckOptions) -> (Option<Program>, CheckReport) {
    let (program, mut diagnostics) = match options.front {
        Front::Ptx => ptx(source, options),
        Front::Sass => (
            None,
            vec![Diagnostic::error(
                "W0930",
                Span::at(0),
                "SASS is not read yet",
            )],
        ),
    };
    diagnostics.extend(Annotations::parse(source).diagnostics);
    let accept = diagnostics
        .iter()
        .all(|diagnostic| diagnostic.severity != Severity::Error);
    if diagnostics.is_empty() {
        return (
            program,
            CheckReport {
                accept,
                diagnostics: Vec::new(),
            },
        );
    }
    let places = Places::new(source.to_owned());
    let diagnostics = diagnostics
        .iter()
        .map(|diagnostic| places.diagnostic(diagnostic))
        .collect();
    (
        program,
        CheckReport {
            accept,
            diagnostics,
        },
    )
}

fn ptx(source: &str, options: &CheckOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let (options, mut diagnostics) = overrides(options);
    let parse = warpgrid_ptx::parse(source);
    let checked = warpgrid_ptx::check(source, &parse, &options);
    diagnostics.extend(checked.diagnostics);
    (checked.program, diagnostics)
}

/// The overrides as the checker takes them, and what is wrong with them.
pub(crate) fn overrides(options: &CheckOptions) -> (warpgrid_ptx::Options, Vec<Diagnostic>) {
    let mut unknown = Vec::new();
    let target = options.target.as_deref().and_then(|name| {
        let target = Target::from_name(name);
        if target.is_none() {
            unknown.push(no_such_override("target", name, "one such as `sm_90`"));
        }
        target
    });
    let version = options.ptx_version.as_deref().and_then(|text| {
        let version = Version::parse(text);
        if version.is_none() {
            unknown.push(no_such_override("PTX version", text, "one such as `8.8`"));
        }
        version
    });
    (warpgrid_ptx::Options { target, version }, unknown)
}

fn no_such_override(what: &str, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::error(
        "W0903",
        Span::at(0),
        format!("found {what} `{found}`, expected {expected}"),
    )
}

/// A source with its lines: byte spans in, ranges for people out.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    source: String,
    lines: LineIndex,
}

impl Places {
    pub(crate) fn new(source: String) -> Places {
        Places {
            lines: LineIndex::new(&source),
            source,
        }
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        span.text(&self.source)
    }

    pub(crate) fn range(&self, span: Span) -> SourceRange {
        let start = self.lines.position(&self.source, span.start);
        let end = self.lines.position(&self.source, span.end);
        SourceRange {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }

    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> DiagnosticView {
        let edits = |fix: &warpgrid_program::Fix| {
            fix.edits
                .iter()
                .map(|edit| EditView {
                    range: self.range(edit.span),
                    text: edit.text.clone(),
                })
                .collect()
        };
        DiagnosticView {
            code: diagnostic.code.to_owned(),
            severity: diagnostic.severity.name().to_owned(),
            message: diagnostic.message.clone(),
            range: self.range(diagnostic.span),
            labels: diagnostic
                .labels
                .iter()
                .map(|label| LabelView {
                    range: self.range(label.span),
                    text: label.text.clone(),
                })
                .collect(),
            help: diagnostic.help.clone(),
            needs: needs(&diagnostic.needs),
            fixes: diagnostic
                .fixes
                .iter()
                .map(|fix| FixView {
                    title: fix.title.clone(),
                    edits: edits(fix),
                })
                .collect(),
        }
    }
}

/// Gates as a person reads them.
fn needs(needs: &Needs) -> Option<String> {
    match (needs.version, needs.target) {
        (None, None) => None,
        (Some(version), None) => Some(format!("since PTX {version}")),
        (None, Some(target)) => Some(format!("on `{target}` and later")),
        (Some(version), Some(target)) => {
            Some(format!("since PTX {version}, on `{target}` and later"))
        }
    }
}

/// Colours a text. SASS has no colours.
pub fn tokens(source: &str, front: Front) -> Vec<TokenView> {
    if front != Front::Ptx {
        return Vec::new();
    }
    let mut units = Utf16Offsets::new(source);
    warpgrid_ptx::tokens(source)
        .into_iter()
        .map(|token| TokenView {
            start: units.at(token.span.start),
            end: units.at(token.span.end),
            class: class_view(token.class),
        })
        .collect()
}

/// Turns ascending byte offsets into UTF-16 units, in one pass over the text.
pub(crate) struct Utf16Offsets<'a> {
    source: &'a str,
    byte: usize,
    unit: u32,
}

impl<'a> Utf16Offsets<'a> {
    pub(crate) fn new(source: &'a str) -> Utf16Offsets<'a> {
        Utf16Offsets {
            source,
            byte: 0,
            unit: 0,
        }
    }

    /// The unit of a byte offset that is not before the last one asked for.
    pub(crate) fn at(&mut self, offset: u32) -> u32 {
        let between = self.source.get(self.byte..offset as usize).unwrap_or("");
        self.unit += match between.is_ascii() {
            true => between.len() as u32,
            false => between.encode_utf16().count() as u32,
        };
        self.byte += between.len();
        self.unit
    }
}

fn class_view(class: warpgrid_ptx::TokenClass) -> TokenClass {
    use warpgrid_ptx::TokenClass as Ptx;
    match class {
        Ptx::Comment => TokenClass::Comment,
        Ptx::Directive => TokenClass::Directive,
        Ptx::Opcode => TokenClass::Opcode,
        Ptx::Modifier => TokenClass::Modifier,
        Ptx::Type => TokenClass::Type,
        Ptx::Register => TokenClass::Register,
        Ptx::SpecialRegister => TokenClass::SpecialRegister,
        Ptx::Number => TokenClass::Number,
        Ptx::String => TokenClass::String,
        Ptx::Label => TokenClass::Label,
        Ptx::Name => TokenClass::Name,
        Ptx::Punctuation => TokenClass::Punctuation,
        Ptx::Error => TokenClass::Error,
    }
}

/// Names of every target, oldest first.
pub fn targets() -> Vec<&'static str> {
    warpgrid_isa::target::TARGETS
        .iter()
        .map(|target| target.name)
        .collect()
}

/// The PTX versions since 6.0, oldest first: what a picker offers.
pub fn versions() -> Vec<String> {
    // (major, last minor): one release line each.
    [(6, 5), (7, 8), (8, 8), (9, 5)]
        .into_iter()
        .flat_map(|(major, last)| (0..=last).map(move |minor| format!("{major}.{minor}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_count_in_utf_16_units() {
        let tokens = tokens("// 😀 é\nret;", Front::Ptx);
        let spans: Vec<_> = tokens.iter().map(|t| (t.start, t.end, t.class)).collect();
        assert_eq!(
            spans,
            [
                (0, 7, TokenClass::Comment),
                (8, 11, TokenClass::Opcode),
                (11, 12, TokenClass::Punctuation)
            ]
        );
    }
}
