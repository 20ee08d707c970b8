//! SASS text to the contract of the front ends. Nothing is read yet: a check answers with one diagnostic.

pub mod syntax;

use warpgrid_program::{
    CheckedText, CodeFacts, ColouredToken, Diagnostic, Explanation, FormFacts, FrontEnd, HoverText,
    Overrides, Reference, SignatureText, Span, Suggestion,
};

/// The front end for SASS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sass;

/// The one code of this front end.
const NOT_READ: CodeFacts = CodeFacts {
    code: "W0930",
    title: "SASS is not read yet",
    explanation: "This version reads PTX; SASS stores follow.",
    wrong: "front: \"sass\"",
    right: "front: \"ptx\"",
};

impl FrontEnd for Sass {
    fn check(&self, _source: &str, _overrides: &Overrides) -> CheckedText {
        CheckedText {
            diagnostics: vec![Diagnostic::error(
                NOT_READ.code,
                Span::at(0),
                NOT_READ.title,
            )],
            ..CheckedText::default()
        }
    }

    fn tokens(&self, _source: &str) -> Vec<ColouredToken> {
        Vec::new()
    }

    fn hover(&self, _source: &str, _overrides: &Overrides, _offset: u32) -> Option<HoverText> {
        None
    }

    fn complete(&self, _source: &str, _overrides: &Overrides, _offset: u32) -> Vec<Suggestion> {
        Vec::new()
    }

    fn signature(&self, _source: &str, _offset: u32) -> Option<SignatureText> {
        None
    }

    fn format(&self, source: &str) -> String {
        source.to_owned()
    }

    fn line_comment(&self) -> &'static str {
        "//"
    }
}

impl Reference for Sass {
    fn explain(&self, _instruction: &str) -> Option<Explanation> {
        None
    }

    fn forms(&self) -> Vec<FormFacts> {
        Vec::new()
    }

    fn codes(&self) -> Vec<CodeFacts> {
        vec![NOT_READ]
    }
}
