//! Source that is open in an editor. The document parses the source one time, and uses the syntax tree for checks, hover texts and
//! completions. The module takes a source and overrides of its directives, and returns plain data with positions in UTF-16 units.

use crate::layouts::tensor::descriptor_literal::descriptor_at;
use crate::layouts::tensor::instruction_descriptor_lookup::instruction_descriptor_at;
use crate::model::inline_asm_block::InlineAsmView;
use crate::source::check::{
    CheckOptions, CheckReport, CheckedSource, SourceMap, not_run_yet, overrides,
};
use crate::source::editor_assist::{
    CompletionView, HoverView, SignatureHelp, byte_of, descriptor_hover,
    instruction_descriptor_hover, unit_of,
};
#[cfg(feature = "paste")]
use crate::source::front_ends;
use crate::source::language::Language;
use std::borrow::Cow;
use warpgrid_launch::{Annotations, mistyped_names};
use warpgrid_program::{CheckResult, Diagnostic, Hover, MappedSource};
#[cfg(feature = "paste")]
use {warpgrid_launch::SourceLanguage, warpgrid_program::container::HostLanguage};

/// Parsed source of an editor, which checks the source, and provides hover texts and completions.
pub struct Document<'a> {
    language: Language,
    tree: Box<dyn warpgrid_program::Document + 'a>,
    /// Diagnostics about invalid overrides.
    override_error: Vec<Diagnostic>,
    scope: DiagnosticScope,
}

/// Text of a source about which a document reports diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiagnosticScope {
    /// The whole source, including launch annotations.
    Source,
    /// Only the asm blocks of a host source. Comments that start like launch annotations can have other meanings in the host language,
    /// such as `//@{` in C++.
    #[cfg(feature = "paste")]
    AsmBlocks,
}

impl Language {
    /// Parses a source in this language. The function ignores the language in `options`.
    pub fn open<'a>(self, source: impl Into<Cow<'a, str>>, options: &CheckOptions) -> Document<'a> {
        let (overrides, misread) = overrides(options);
        Document {
            language: self,
            tree: self.front_end.open(source.into(), &overrides),
            override_error: misread,
            scope: DiagnosticScope::Source,
        }
    }
}

#[cfg(feature = "paste")]
impl<'a> Document<'a> {
    /// Opens a source of a known host language, such as a file in an editor. The document contains the asm blocks with PTX, and reports
    /// only diagnostics of these asm blocks. A source without PTX has no diagnostics. The function ignores the language in `options`.
    pub fn open_host(
        source: impl Into<Cow<'a, str>>,
        host: HostLanguage,
        options: &CheckOptions,
    ) -> Document<'a> {
        let (overrides, misread) = overrides(options);
        Document {
            language: Language::from(SourceLanguage::Ptx),
            tree: front_ends::open_host(source.into(), host, &overrides),
            override_error: misread,
            scope: DiagnosticScope::AsmBlocks,
        }
    }
}

impl Document<'_> {
    /// Returns the text of the source.
    pub fn source(&self) -> &str {
        self.tree.source()
    }

    /// Checks the source of the document.
    pub fn check(&self) -> CheckReport {
        self.checked(None).report
    }

    /// Returns all diagnostics of the source with byte spans, for hosts with their own line index.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.diagnosed(None).2
    }

    /// Returns the parsed source of the front end, whose positions count bytes.
    pub fn syntax(&self) -> &dyn warpgrid_program::Document {
        self.tree.as_ref()
    }

    /// Returns the hover text of the token at a byte offset.
    pub fn hover_at(&self, offset: u32) -> Option<Hover> {
        let source = self.source();
        if let Some(found) = descriptor_at(source, offset as usize) {
            return Some(descriptor_hover(&found));
        }
        if let Some(found) = instruction_descriptor_at(source, offset as usize) {
            return Some(instruction_descriptor_hover(&found));
        }
        self.tree.hover(offset)
    }

    /// Returns the hover text of the token at a position.
    pub fn hover(&self, at: u32) -> Option<HoverView> {
        let source = self.source();
        let found = self.hover_at(byte_of(source, at))?;
        let places = SourceMap::new(source.to_owned());
        Some(HoverView {
            start: unit_of(source, found.span.start),
            end: unit_of(source, found.span.end),
            title: found.title,
            lines: found.lines,
            section: found.section.map(str::to_owned),
            declared: found.declared.map(|span| places.range(span)),
        })
    }

    /// Returns the completions at a position. The completions are legal for the version and target of the source.
    pub fn complete(&self, at: u32) -> Vec<CompletionView> {
        let found = self.tree.complete(byte_of(self.source(), at));
        let views = found.into_iter().map(|found| CompletionView {
            start: at.saturating_sub(found.span.end - found.span.start),
            end: at,
            text: found.text,
            sort: found.kind,
            help: found.help,
            needs: found.needs,
        });
        views.collect()
    }

    /// Returns the signature of the instruction form at a position.
    pub fn signature(&self, at: u32) -> Option<SignatureHelp> {
        self.tree.signature(byte_of(self.source(), at))
    }

    /// Returns the characters that start a line comment in the language of the source.
    fn line_comment(&self) -> &'static str {
        let own = self.tree.line_comment();
        own.unwrap_or_else(|| self.language.front_end.line_comment())
    }

    /// Returns the asm blocks of the source. Hosts without the feature `paste` contain no code for asm blocks.
    fn parts(&self) -> Vec<InlineAsmView> {
        if cfg!(not(feature = "paste")) {
            return Vec::new();
        }
        let parts = self.tree.snippets();
        if parts.is_empty() {
            return Vec::new();
        }
        let places = SourceMap::new(self.source().to_owned());
        let views = parts.into_iter();
        views.map(|part| InlineAsmView::of(part, &places)).collect()
    }

    /// Checks the source. If the source has asm blocks, the resulting program is the program of the asm block with the name `part`, or of
    /// the first asm block without errors.
    pub(crate) fn checked(&self, part: Option<&str>) -> CheckedSource {
        let source = self.tree.source();
        let (checked, annotations, diagnostics) = self.diagnosed(part);
        let is_part = checked.origin.is_some();
        let is_error =
            |diagnostic: &Diagnostic| diagnostic.severity == warpgrid_program::Severity::Error;
        let accept = !diagnostics.iter().any(is_error);
        // Create a line index only if the check reports diagnostics.
        let views = match diagnostics.is_empty() {
            true => Vec::new(),
            false => {
                let places = SourceMap::new(source.to_owned());
                let views = diagnostics.iter().map(|found| places.diagnostic(found));
                views.collect()
            }
        };
        CheckedSource {
            // Keep the program of an asm block despite errors, because they can be in other asm blocks.
            program: checked.program.filter(|_| accept || is_part),
            origin: checked.origin,
            part: checked.part,
            report: CheckReport {
                accept,
                diagnostics: views,
                target: checked.stated_target.map(str::to_owned),
                ptx_version: checked.stated_version.map(|version| version.to_string()),
                assumed_target: checked.assumed_target.map(str::to_owned),
                assumed_ptx_version: checked.assumed_version.map(|version| version.to_string()),
                parts: self.parts(),
            },
            annotations,
            mark: self.line_comment(),
        }
    }

    /// Checks the source. Returns the result of the front end without its diagnostics, the annotations, and all diagnostics.
    fn diagnosed(&self, part: Option<&str>) -> (CheckResult, Annotations, Vec<Diagnostic>) {
        let source = self.tree.source();
        let checked = self.tree.check_snippet(part);
        let mut diagnostics = self.override_error.clone();
        let mark = self.line_comment();
        let mut annotations = Annotations::parse(source, mark);
        // If the caller selects no asm block, an annotation in the source can select one.
        let mut checked = match (part, &annotations.scenario.entry) {
            (None, Some(stated)) if checked.origin.is_some() => {
                self.tree.check_snippet(Some(stated))
            }
            _ => checked,
        };
        diagnostics.append(&mut checked.diagnostics);
        if let Some(program) = &checked.program {
            match &checked.origin {
                // Report unsupported instructions at their position in the complete source.
                Some(origin) => diagnostics.extend(map_diagnostics(not_run_yet(program), origin)),
                None => {
                    diagnostics.extend(not_run_yet(program));
                    diagnostics.extend(mistyped_names(&annotations, program));
                }
            }
        }
        match self.scope {
            DiagnosticScope::Source => diagnostics.append(&mut annotations.diagnostics),
            #[cfg(feature = "paste")]
            DiagnosticScope::AsmBlocks => annotations.diagnostics.clear(),
        }
        (checked, annotations, diagnostics)
    }
}

/// Converts the spans of diagnostics from spans in an asm block to spans in the complete source.
fn map_diagnostics(mut diagnostics: Vec<Diagnostic>, origin: &MappedSource) -> Vec<Diagnostic> {
    for found in &mut diagnostics {
        found.span = origin.map.span(found.span);
    }
    diagnostics
}

impl std::fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}
