//! SASS as a [`FrontEnd`]: the calls of this crate go in, the plain data that hosts know comes out. No logic of its own.

use crate::check::check;
use crate::diagnostics;
use crate::syntax::parse;
use warpgrid_program::{
    CheckedText, CodeFacts, ColouredToken, Explanation, FormFacts, FrontEnd, HoverText, Overrides,
    Reference, SignatureText, Suggestion,
};

/// The front end for SASS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sass;

impl FrontEnd for Sass {
    fn check(&self, source: &str, overrides: &Overrides) -> CheckedText {
        let tree = parse(source);
        let checked = check(source, &tree, overrides);
        CheckedText {
            program: None,
            diagnostics: checked.diagnostics,
            stated_target: checked.stated.map(|target| target.name),
            stated_version: None,
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
        diagnostics::pages().collect()
    }
}
