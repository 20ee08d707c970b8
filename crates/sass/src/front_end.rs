//! [`FrontEnd`] implementation for SASS, which delegates to the functions of this crate and converts the results.

use crate::assist;
use crate::check::check;
use crate::diagnostics;
use crate::listing;
use crate::lower_document::build;
use crate::syntax::{Tree, parse};
use std::borrow::Cow;
use warpgrid_isa::Target;
use warpgrid_program::{
    CheckResult, CompletionItem, CounterpartFacts, Diagnostic, DiagnosticDoc, Document,
    Explanation, FormDoc, FrontEnd, Hover, Overrides, ReferenceDocs, SemanticToken, Severity,
    SignatureHelp, Span, SymbolIndex,
};

/// Front end for SASS sources.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sass;

impl FrontEnd for Sass {
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a> {
        Box::new(SassDocument {
            tree: parse(&source),
            overrides: *overrides,
            source,
        })
    }

    fn tokens(&self, source: &str) -> Vec<SemanticToken> {
        assist::tokens(source)
    }

    fn format(&self, source: &str) -> String {
        assist::format(source)
    }

    fn schedule(&self, source: &str, statement: Span, target: &Target) -> Option<String> {
        assist::schedule(source, statement, target)
    }

    fn complete_listing(&self, source: &str, facts: &CounterpartFacts) -> Option<String> {
        listing::complete(source, facts)
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }
}

/// SASS source with its syntax tree.
struct SassDocument<'a> {
    source: Cow<'a, str>,
    tree: Tree,
    overrides: Overrides,
}

impl Document for SassDocument<'_> {
    fn source(&self) -> &str {
        &self.source
    }

    fn check(&self) -> CheckResult {
        let checked = check(&self.source, &self.tree, &self.overrides);
        let built = build(&self.tree, &self.source, &self.overrides);
        let mut diagnostics = checked.diagnostics;
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let is_legal = !diagnostics.iter().any(is_error);
        diagnostics.extend(built.diagnostics);
        CheckResult {
            origin: None,
            part: None,
            program: built.program.filter(|_| is_legal),
            diagnostics,
            stated_target: checked.stated.map(|target| target.name),
            ..CheckResult::default()
        }
    }

    fn symbols(&self) -> SymbolIndex {
        assist::symbols(&self.source, &self.tree)
    }

    fn hover(&self, offset: u32) -> Option<Hover> {
        assist::hover(&self.source, &self.tree, &self.overrides, offset)
    }

    fn complete(&self, offset: u32) -> Vec<CompletionItem> {
        assist::complete(&self.source, &self.tree, &self.overrides, offset)
    }

    fn signature(&self, offset: u32) -> Option<SignatureHelp> {
        assist::signature(&self.source, &self.tree, offset)
    }
}

impl ReferenceDocs for Sass {
    fn explain(&self, instruction: &str) -> Option<Explanation> {
        assist::explain(instruction)
    }

    fn forms(&self) -> Vec<FormDoc> {
        assist::forms()
    }

    fn codes(&self) -> Vec<DiagnosticDoc> {
        diagnostics::pages().collect()
    }
}
