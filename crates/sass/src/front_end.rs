//! SASS as a [`FrontEnd`]: the calls of this crate go in, the plain data that hosts know comes out. No logic of its own.

use crate::assist;
use crate::check::check;
use crate::diagnostics;
use crate::program::build;
use crate::syntax::parse;
use warpgrid_isa::Target;
use warpgrid_program::{
    CheckedText, CodeFacts, ColouredToken, Diagnostic, Explanation, FormFacts, FrontEnd, HoverText,
    Overrides, Reference, Severity, SignatureText, Span, Suggestion,
};

/// The front end for SASS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sass;

impl FrontEnd for Sass {
    fn check(&self, source: &str, overrides: &Overrides) -> CheckedText {
        let tree = parse(source);
        let checked = check(source, &tree, overrides);
        let built = build(&tree, source, overrides);
        let mut diagnostics = checked.diagnostics;
        let is_error = |found: &Diagnostic| found.severity == Severity::Error;
        let is_legal = !diagnostics.iter().any(is_error);
        diagnostics.extend(built.diagnostics);
        CheckedText {
            program: built.program.filter(|_| is_legal),
            diagnostics,
            stated_target: checked.stated.map(|target| target.name),
            ..CheckedText::default()
        }
    }

    fn tokens(&self, source: &str) -> Vec<ColouredToken> {
        assist::tokens(source)
    }

    fn hover(&self, source: &str, overrides: &Overrides, offset: u32) -> Option<HoverText> {
        assist::hover(source, overrides, offset)
    }

    fn complete(&self, source: &str, overrides: &Overrides, offset: u32) -> Vec<Suggestion> {
        assist::complete(source, overrides, offset)
    }

    fn signature(&self, source: &str, offset: u32) -> Option<SignatureText> {
        assist::signature(source, offset)
    }

    fn format(&self, source: &str) -> String {
        assist::format(source)
    }

    fn schedule(&self, source: &str, statement: Span, target: &Target) -> Option<String> {
        assist::schedule(source, statement, target)
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }
}

impl Reference for Sass {
    fn explain(&self, instruction: &str) -> Option<Explanation> {
        assist::explain(instruction)
    }

    fn forms(&self) -> Vec<FormFacts> {
        assist::forms()
    }

    fn codes(&self) -> Vec<CodeFacts> {
        diagnostics::pages().collect()
    }
}
