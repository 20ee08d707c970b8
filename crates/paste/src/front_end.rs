//! [`FrontEnd`] for texts with embedded instructions. It extracts the instructions, passes them to the front end of their language, and
//! converts all results to positions in the whole text. It passes a text that consists only of instructions unchanged to the front end of
//! its language.

use crate::fatbin::{FatbinDocument, FatbinText};
use crate::highlight;
use crate::host_document::{DefaultBlock, HostDocument};
use crate::host_source::{HostLanguage, HostSource};
use crate::log::LogText;
use crate::log_document::LogDocument;
use std::borrow::Cow;
use warpgrid_isa::Target;
use warpgrid_program::container::ContainerFormat;
use warpgrid_program::{Document, ExternalRegister, FrontEnd, Overrides, SemanticToken, Span};

/// Front end that also accepts texts with embedded instructions of its language.
#[derive(Clone, Copy)]
pub struct EmbeddedFrontEnd {
    inner: &'static dyn FrontEnd,
}

impl EmbeddedFrontEnd {
    /// Creates a front end for texts with embedded instructions in the language of `inner`.
    pub const fn over(inner: &'static dyn FrontEnd) -> EmbeddedFrontEnd {
        EmbeddedFrontEnd { inner }
    }
}

impl EmbeddedFrontEnd {
    /// Opens a source of a known host language. The document contains the asm blocks with PTX, and reports only their diagnostics. It
    /// ignores all other text, including inline assembly for other processors.
    pub fn open_host<'a>(
        &self,
        source: Cow<'a, str>,
        language: HostLanguage,
        overrides: &Overrides,
    ) -> Box<dyn Document + 'a> {
        let text = HostSource::read_as(&source, language);
        Box::new(HostDocument::new(
            source,
            &text,
            self.inner,
            overrides,
            DefaultBlock::None,
        ))
    }

    /// Returns the semantic tokens of the PTX within the strings of a host source, in source order.
    pub fn host_tokens(&self, source: &str, language: HostLanguage) -> Vec<SemanticToken> {
        highlight::assembly_tokens(&HostSource::read_as(source, language), self.inner)
    }
}

impl FrontEnd for EmbeddedFrontEnd {
    fn open<'a>(&self, source: Cow<'a, str>, overrides: &Overrides) -> Box<dyn Document + 'a> {
        if let Some(text) = HostSource::read(&source) {
            return Box::new(HostDocument::new(
                source,
                &text,
                self.inner,
                overrides,
                DefaultBlock::FirstRunnable,
            ));
        }
        if let Some(text) = FatbinText::read(&source) {
            return Box::new(FatbinDocument::new(source, text, self.inner, overrides));
        }
        match LogText::read(&source) {
            Some(text) => Box::new(LogDocument::new(source, text, self.inner, overrides)),
            None => self.inner.open(source, overrides),
        }
    }

    fn open_with_registers<'a>(
        &self,
        source: Cow<'a, str>,
        overrides: &Overrides,
        given: Vec<ExternalRegister>,
    ) -> Box<dyn Document + 'a> {
        self.inner.open_with_registers(source, overrides, given)
    }

    fn tokens(&self, source: &str) -> Vec<SemanticToken> {
        if let Some(text) = HostSource::read(source) {
            return highlight::tokens(source, &text, self.inner);
        }
        if let Some(text) = FatbinText::read(source) {
            return text.tokens(self.inner);
        }
        match LogText::read(source) {
            Some(text) => highlight::of_log(&text, self.inner),
            None => self.inner.tokens(source),
        }
    }

    /// Returns the text of a host source unchanged, because other tools format host languages.
    fn format(&self, source: &str) -> String {
        match ContainerFormat::of_source(source).is_some() {
            true => source.to_owned(),
            false => self.inner.format(source),
        }
    }

    fn schedule(&self, source: &str, statement: Span, target: &Target) -> Option<String> {
        self.inner.schedule(source, statement, target)
    }

    /// Returns the definitions of a text that consists only of instructions.
    fn definitions(&self, source: &str) -> Vec<(String, Span)> {
        let is_wrapped = HostSource::read(source).is_some()
            || FatbinText::read(source).is_some()
            || LogText::read(source).is_some();
        match is_wrapped {
            true => Vec::new(),
            false => self.inner.definitions(source),
        }
    }

    fn line_comment(&self) -> &'static str {
        self.inner.line_comment()
    }
}
