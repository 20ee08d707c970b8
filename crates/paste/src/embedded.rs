//! Document that is embedded in another text. The module converts the spans of all results from the inner document to the outer text.

use warpgrid_program::{
    CompletionItem, Diagnostic, Document, Hover, MappedSource, SignatureHelp, SourceMap,
};

/// Inner document with the offset of an editor request, which converts the spans of results to the outer text.
pub(crate) struct Embedded<'d> {
    map: &'d SourceMap,
    document: &'d dyn Document,
    /// Offset of the request in the text of the inner document.
    offset: u32,
}

impl<'d> Embedded<'d> {
    /// Returns the inner document at `offset` of the outer text, or `None` if the offset is outside of `origin`.
    pub(crate) fn at(
        origin: &'d MappedSource,
        document: &'d dyn Document,
        offset: u32,
    ) -> Option<Embedded<'d>> {
        Some(Embedded {
            map: &origin.map,
            document,
            offset: origin.map.offset_of(offset)?,
        })
    }

    /// Returns the hover text with spans of the outer text.
    pub(crate) fn hover(&self) -> Option<Hover> {
        let found = self.document.hover(self.offset)?;
        Some(Hover {
            span: self.map.span(found.span),
            declared: found.declared.map(|span| self.map.span(span)),
            ..found
        })
    }

    pub(crate) fn complete(&self) -> Vec<CompletionItem> {
        self.document.complete(self.offset)
    }

    pub(crate) fn signature(&self) -> Option<SignatureHelp> {
        self.document.signature(self.offset)
    }
}

/// Converts the spans of a diagnostic of an inner document to the outer text.
pub(crate) fn place(found: &mut Diagnostic, origin: &MappedSource) {
    found.span = origin.map.span(found.span);
    for label in &mut found.labels {
        label.span = origin.map.span(label.span);
    }
    for edit in found.fixes.iter_mut().flat_map(|fix| &mut fix.edits) {
        edit.span = origin.map.span(edit.span);
    }
}
