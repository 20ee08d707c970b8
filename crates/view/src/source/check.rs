//! Check of a source for a host. The result contains diagnostics with lines and columns, and tokens for editors.

use crate::diagnostics;
use crate::model::inline_asm_block::InlineAsmView;
use crate::model::text::{DiagnosticView, EditView, FixView, LabelView, SourceRange, TokenView};
use crate::source::language::Language;
use serde::{Deserialize, Serialize};
use warpgrid_emulator::{Support, supports};
use warpgrid_isa::{Operation, Target, Version};
use warpgrid_launch::{Annotations, Scenario, SourceLanguage};
use warpgrid_program::diagnostic::TRUNCATION_CODES;
use warpgrid_program::{
    Diagnostic, Edit, LineIndex, MappedSource, Overrides, Program, Requirement, SemanticToken, Span,
};

/// Options with which a host checks a source: language, target and PTX ISA version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct CheckOptions {
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<SourceLanguage>", optional))]
    #[serde(rename = "front")]
    pub language: SourceLanguage,
    /// Target for which to check the source: `sm_90`. The option overrides the target of the module.
    #[serde(default)]
    pub target: Option<String>,
    /// PTX ISA version for which to check the source: `8.8`. The option overrides the version of the module. The JSON format of `check
    /// --batch` and of scenarios has a field with this name.
    #[serde(default)]
    pub ptx_version: Option<String>,
}

impl CheckOptions {
    /// Returns the options that a scenario specifies for its source.
    pub fn of_scenario(scenario: &Scenario) -> CheckOptions {
        CheckOptions {
            language: scenario.front,
            target: scenario.target.clone(),
            ptx_version: scenario.ptx_version.clone(),
        }
    }

    /// Returns a message about invalid options. The message does not depend on the source.
    pub fn mistake(&self) -> Option<String> {
        let (_, unknown) = overrides(self);
        unknown.into_iter().next().map(|found| found.message)
    }
}

/// Result of the check of a source, which hosts display: the diagnostics, the target and version, and the asm blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckReport {
    /// Whether the diagnostics contain no error.
    pub accept: bool,
    pub diagnostics: Vec<DiagnosticView>,
    /// Target that the source specifies.
    pub target: Option<String>,
    /// PTX ISA version that the source specifies.
    pub ptx_version: Option<String>,
    /// Target that the check assumes for a source without a target: the default target, or the nearest target for which the source is
    /// legal.
    pub assumed_target: Option<String>,
    /// PTX ISA version that the check assumes for a source without a version.
    pub assumed_ptx_version: Option<String>,
    /// Asm blocks of a source with inline assembly. Hosts run each asm block separately, and select it by its name.
    #[serde(default)]
    pub parts: Vec<InlineAsmView>,
}

impl CheckReport {
    /// Checks whether the source has more errors or warnings than the report lists.
    pub fn is_truncated(&self) -> bool {
        let mut codes = self.diagnostics.iter().map(|found| found.code.as_str());
        codes.any(|code| TRUNCATION_CODES.contains(&code))
    }
}

/// Checks a source in the language that `options` specifies.
pub fn check(source: &str, options: &CheckOptions) -> CheckReport {
    Language::from(options.language).check(source, options)
}

/// Splits a source into tokens for syntax highlighting.
pub fn tokens(source: &str, front: SourceLanguage) -> Vec<TokenView> {
    Language::from(front).tokens(source)
}

/// Result of the check of a source: the report for hosts, and the program with its annotations, from which a session is created.
pub(crate) struct CheckedSource {
    pub(crate) program: Option<Program>,
    /// Asm block from which the program is generated, or `None` if the source has no asm blocks.
    pub(crate) origin: Option<MappedSource>,
    /// Name of the asm block from which the program is generated.
    pub(crate) part: Option<String>,
    pub(crate) report: CheckReport,
    pub(crate) annotations: Annotations,
    /// Characters that start a line comment in the language of the source.
    pub(crate) mark: &'static str,
}

impl Language {
    /// Checks a source in this language. The function ignores the language in `options`.
    pub fn check(self, source: &str, options: &CheckOptions) -> CheckReport {
        self.checked(source, options, None).report
    }

    /// Splits a source into tokens for syntax highlighting. Offsets count UTF-16 units.
    pub fn tokens(self, source: &str) -> Vec<TokenView> {
        let mut units = Utf16Offsets::new(source);
        let tokens = self.semantic_tokens(source).into_iter();
        let views = tokens.map(|token| TokenView {
            start: units.at(token.span.start),
            end: units.at(token.span.end),
            class: token.class,
        });
        views.collect()
    }

    /// Splits a source into tokens for syntax highlighting. Offsets count bytes.
    pub fn semantic_tokens(self, source: &str) -> Vec<SemanticToken> {
        self.front_end.tokens(source)
    }

    /// Checks a source. If the source has asm blocks, the resulting program is the program of one asm block, which `part` selects by its
    /// name.
    pub(crate) fn checked(
        self,
        source: &str,
        options: &CheckOptions,
        part: Option<&str>,
    ) -> CheckedSource {
        self.open(source, options).checked(part)
    }
}

/// Returns a note for each kind of instruction that the emulator does not support, at its first occurrence. The front ends cannot report
/// these instructions, because they do not depend on the emulator.
pub(crate) fn not_run_yet(program: &Program) -> Vec<Diagnostic> {
    let reason = |action| match supports(action) {
        Support::Runs => None,
        Support::NotYet { reason } => Some(reason),
    };
    let reasons: Vec<Option<&str>> = program.opcodes.iter().map(reason).collect();
    // For an unknown opcode, the note of the front end is more informative than a note about the emulator.
    let is_known = |index: usize| program.opcodes[index].operation != Operation::Unknown;
    let mut missing: Vec<usize> = (0..reasons.len())
        .filter(|index| reasons[*index].is_some() && is_known(*index))
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let mut notes = Vec::new();
    for instruction in program.functions.iter().flat_map(|f| &f.instructions) {
        let index = instruction.opcode.0 as usize;
        let Some(place) = missing.iter().position(|of| *of == index) else {
            continue;
        };
        missing.swap_remove(place);
        let opcode = &program.opcodes[index].opcode;
        let reason = reasons[index].unwrap_or_default();
        notes.push(diagnostics::not_run_yet(opcode, reason, instruction.span));
    }
    notes
}

/// Returns the overrides of `options` in the form that front ends accept, and diagnostics about invalid overrides.
pub(crate) fn overrides(options: &CheckOptions) -> (Overrides, Vec<Diagnostic>) {
    let mut unknown = Vec::new();
    let target = options.target.as_deref().and_then(|name| {
        let target = Target::from_name(name);
        if target.is_none() {
            unknown.push(diagnostics::unknown_target(name));
        }
        target
    });
    let version = options.ptx_version.as_deref().and_then(|text| {
        let version = Version::parse(text).filter(|version| version.is_known());
        if version.is_none() {
            unknown.push(diagnostics::unknown_version(text));
        }
        version
    });
    let overrides = Overrides {
        target,
        version,
        ..Overrides::default()
    };
    (overrides, unknown)
}

/// Source with its line index, which converts byte spans of a program to the ranges that hosts display. If the program is an asm block of
/// the source, the spans refer to the text of the asm block, and the ranges refer to the complete source.
#[derive(Clone, Debug)]
pub(crate) struct SourceMap {
    source: String,
    lines: LineIndex,
    part: Option<MappedSource>,
}

impl SourceMap {
    pub(crate) fn new(source: String) -> SourceMap {
        SourceMap {
            lines: LineIndex::new(&source),
            source,
            part: None,
        }
    }

    /// Creates the source map of an asm block.
    pub(crate) fn of_part(source: String, part: Option<MappedSource>) -> SourceMap {
        SourceMap {
            part,
            ..SourceMap::new(source)
        }
    }

    /// Checks whether spans refer to an asm block of the source.
    pub(crate) fn is_part(&self) -> bool {
        self.part.is_some()
    }

    /// Returns the text to which spans refer.
    pub(crate) fn source(&self) -> &str {
        self.part.as_ref().map_or(&self.source, |part| &part.text)
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        span.text(self.source())
    }

    /// Checks whether the line breaks of the checked text are also line breaks of the source, so that edits can insert lines.
    pub(crate) fn has_line_breaks(&self) -> bool {
        self.part
            .as_ref()
            .is_none_or(MappedSource::keeps_line_breaks)
    }

    /// Converts an edit of the checked text to an edit of the source. Returns `None` if the source contains the edited text in another
    /// form, such as an escape sequence.
    pub(crate) fn edit(&self, edit: Edit) -> Option<Edit> {
        let Some(part) = &self.part else {
            return Some(edit);
        };
        let span = part.map.span(edit.span);
        let is_same = edit.span.text(&part.text) == span.text(&self.source);
        is_same.then_some(Edit { span, ..edit })
    }

    pub(crate) fn range(&self, span: Span) -> SourceRange {
        let span = self.part.as_ref().map_or(span, |part| part.map.span(span));
        let start = self.lines.position(&self.source, span.start);
        let end = self.lines.position(&self.source, span.end);
        SourceRange {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }

    /// Returns the range of the text of a line of the source, without its indentation.
    pub(crate) fn line_range(&self, line: u32) -> SourceRange {
        let start = self.lines.line_start(line).unwrap_or_default() as usize;
        let text = self.source.get(start..).unwrap_or_default();
        let text = text.lines().next().unwrap_or_default();
        let columns = |text: &str| text.encode_utf16().count() as u32 + 1;
        let indentation = text.len() - text.trim_start().len();
        SourceRange {
            line,
            column: columns(text.get(..indentation).unwrap_or_default()),
            end_line: line,
            end_column: columns(text.trim_end()),
        }
    }

    pub(crate) fn diagnostic(&self, diagnostic: &Diagnostic) -> DiagnosticView {
        let mut fixes = diagnostic.fixes.iter().map(|fix| self.fix(fix));
        let labels = diagnostic.labels.iter().map(|label| {
            let range = self.range(label.span);
            LabelView {
                line: range.line,
                column: range.column,
                end_line: range.end_line,
                end_column: range.end_column,
                text: label.text.clone(),
            }
        });
        DiagnosticView {
            help: diagnostic.help.clone(),
            needs: needs(&diagnostic.needs),
            labels: labels.collect(),
            fix: fixes.next(),
            other_fixes: fixes.collect(),
            ..DiagnosticView::new(
                diagnostic.code,
                diagnostic.severity,
                diagnostic.message.clone(),
                self.range(diagnostic.span),
            )
        }
    }

    fn fix(&self, fix: &warpgrid_program::Fix) -> FixView {
        let edits = fix.edits.iter().map(|edit| {
            let range = self.range(edit.span);
            EditView {
                line: range.line,
                column: range.column,
                end_line: range.end_line,
                end_column: range.end_column,
                text: edit.text.clone(),
            }
        });
        // An edit changes the version or the target if its last word is the name of a version or target.
        let is_header = |edit: &warpgrid_program::Edit| {
            let word = edit.text.split_whitespace().last().unwrap_or("");
            Target::from_name(word).is_some() || versions().iter().any(|version| version == word)
        };
        FixView {
            title: fix.title.clone(),
            is_header: !fix.edits.is_empty() && fix.edits.iter().all(is_header),
            edits: edits.collect(),
        }
    }
}

/// Formats the requirement of a diagnostic for a version and a target.
fn needs(needs: &Requirement) -> Option<String> {
    let version = needs.version.map(|version| format!("since PTX {version}"));
    let targets = needs.targets.text().map(|targets| format!("on {targets}"));
    match (version, targets) {
        (Some(version), Some(targets)) => Some(format!("{version}, {targets}")),
        (version, targets) => version.or(targets),
    }
}

/// Converter of ascending byte offsets to UTF-16 units, which passes over the source only one time.
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

    /// Returns the UTF-16 offset of a byte offset, which must not be less than the previous byte offset.
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

/// Returns the names of all targets, the oldest target first.
pub fn targets() -> Vec<&'static str> {
    warpgrid_isa::target::TARGETS
        .iter()
        .map(|target| target.name)
        .collect()
}

/// Returns the PTX ISA versions since 6.0 that the user can select, the oldest version first.
pub fn versions() -> Vec<String> {
    let of_major = |major: u8| {
        let releases = (0..=u8::MAX).map(move |minor| Version::new(major, minor));
        releases.take_while(|version| version.is_known())
    };
    let majors = 6..=Version::NEWEST.major;
    majors
        .flat_map(of_major)
        .map(|version| version.to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpgrid_program::SemanticTokenKind;

    #[test]
    fn versions_list_every_ptx_release_since_6_0() {
        let versions = versions();
        assert_eq!(versions.len(), 6 + 9 + 9 + 6);
        assert_eq!(versions.last().map(String::as_str), Some("9.5"));
    }

    #[test]
    fn token_offsets_are_utf_16_code_units() {
        let tokens = tokens("// 😀 é\nret;", SourceLanguage::Ptx);
        let spans: Vec<_> = tokens.iter().map(|t| (t.start, t.end, t.class)).collect();
        assert_eq!(
            spans,
            [
                (0, 7, SemanticTokenKind::Comment),
                (8, 11, SemanticTokenKind::Opcode),
                (11, 12, SemanticTokenKind::Punctuation)
            ]
        );
    }
}
