//! Open documents of the client, and their snapshots for tasks.

use crate::run_values::RunValues;
use crate::settings::Settings;
use crate::text::{Encoding, Text};
use gen_lsp_types::{Range, Uri};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use warpgrid_program::Span;
use warpgrid_view::{
    Document, HostLanguage, Language, SourceLanguage, is_wrapped, starts_with_module_header,
};

/// Maximum size of a checked document in bytes. A larger document has one diagnostic, which states this limit. The check of a module at
/// this limit needs about 1 GB.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// Language of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Instructions(SourceLanguage),
    /// Assembler log, or PTX with headers of fat binary entries.
    Container,
    /// Source in which only the inline assembly is checked.
    Host(HostLanguage),
    /// Document in another language, for example a PreTeXt file with the extension `.ptx`, or a binary file.
    Other,
}

impl DocumentKind {
    /// Determines the language of a document from its language ID, its file extension and its text.
    pub(crate) fn of(language_id: &str, uri: &Uri, text: &str) -> DocumentKind {
        let extension = uri.0.rsplit('.').next().unwrap_or_default();
        let host = HostLanguage::from_language_id(language_id)
            .or_else(|| HostLanguage::from_extension(extension));
        let is_instructions =
            ["ptx", "sass"].contains(&language_id) || ["ptx", "sass"].contains(&extension);
        match host {
            Some(host) if !is_instructions => DocumentKind::Host(host),
            _ if !is_instructions || is_other_format(text) => DocumentKind::Other,
            _ if language_id == "sass" || extension == "sass" => {
                DocumentKind::Instructions(SourceLanguage::Sass)
            }
            // Fast path: the detection of container formats examines the whole text.
            _ if starts_with_module_header(text) => DocumentKind::Instructions(SourceLanguage::Ptx),
            _ if is_wrapped(text) => DocumentKind::Container,
            _ => DocumentKind::Instructions(SourceLanguage::of_source(text)),
        }
    }
}

/// Returns whether a text is XML, such as PreTeXt, or the decoded text of a binary file.
fn is_other_format(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let head = &text[..text.floor_char_boundary(4096)];
    start.starts_with('<') || head.contains('\0')
}

/// Revision of an open document. Tasks share the text.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) uri: Uri,
    pub(crate) version: i32,
    pub(crate) language_id: Arc<str>,
    pub(crate) kind: DocumentKind,
    pub(crate) text: Arc<Text>,
    pub(crate) settings: Arc<Settings>,
    /// Version of the newest revision, with which a task detects that its snapshot is stale.
    pub(crate) newest: Arc<AtomicI32>,
    /// Result of the last finished run, possibly of an earlier revision.
    pub(crate) run: Option<Arc<RunValues>>,
}

impl Snapshot {
    pub(crate) fn new(
        uri: Uri,
        version: i32,
        language_id: &str,
        text: String,
        encoding: Encoding,
        settings: Arc<Settings>,
    ) -> Snapshot {
        Snapshot {
            kind: DocumentKind::of(language_id, &uri, &text),
            uri,
            version,
            language_id: language_id.into(),
            text: Arc::new(Text::new(text, encoding)),
            settings,
            newest: Arc::new(AtomicI32::new(version)),
            run: None,
        }
    }

    /// Returns the revision after a change.
    pub(crate) fn with_text(&self, version: i32, text: Text) -> Snapshot {
        self.newest.store(version, Ordering::Relaxed);
        Snapshot {
            version,
            kind: DocumentKind::of(&self.language_id, &self.uri, text.as_str()),
            text: Arc::new(text),
            ..self.clone()
        }
    }

    /// Returns the same revision with another text, for example to check an edit before it is applied.
    pub(crate) fn with_source(&self, source: String) -> Snapshot {
        Snapshot {
            text: Arc::new(Text::new(source, self.text.encoding())),
            ..self.clone()
        }
    }

    /// Returns whether the document has a newer revision.
    pub(crate) fn is_stale(&self) -> bool {
        self.newest.load(Ordering::Relaxed) != self.version
    }

    pub(crate) fn source(&self) -> &str {
        self.text.as_str()
    }

    /// Returns the source language of a document that contains modules or listings.
    pub(crate) fn instructions(&self) -> Option<SourceLanguage> {
        match self.kind {
            DocumentKind::Instructions(language) => Some(language),
            DocumentKind::Container => Some(SourceLanguage::Ptx),
            DocumentKind::Host(_) | DocumentKind::Other => None,
        }
    }

    /// Parses the document. Returns `None` for a document without instructions, and for a document above the size limit.
    pub(crate) fn open(&self) -> Option<Document<'_>> {
        if self.is_too_large() {
            return None;
        }
        let options = self.settings.check_options();
        match self.kind {
            DocumentKind::Instructions(language) => {
                Some(Language::instructions(language).open(self.source(), &options))
            }
            DocumentKind::Container => {
                Some(Language::from(SourceLanguage::Ptx).open(self.source(), &options))
            }
            DocumentKind::Host(host) => host
                .may_contain_assembly(self.source())
                .then(|| Document::open_host(self.source(), host, &options)),
            DocumentKind::Other => None,
        }
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.source().len() > MAX_BYTES
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        self.text.range(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(language_id: &str, uri: &str, text: &str) -> DocumentKind {
        DocumentKind::of(language_id, &Uri(uri.to_owned()), text)
    }

    #[test]
    fn kind_depends_on_id_extension_and_content() {
        let ptx = DocumentKind::Instructions(SourceLanguage::Ptx);
        let sass = DocumentKind::Instructions(SourceLanguage::Sass);
        assert_eq!(kind("ptx", "untitled:1", ".version 8.0"), ptx);
        assert_eq!(kind("", "file:///a.ptx", ""), ptx);
        assert_eq!(kind("ptx", "file:///a.sass", "MOV R0, R1 ;"), sass);
        let listing =
            "\tcode for sm_80\n\t\tFunction : k\n        /*0000*/  MOV R1, c[0x0][0x28] ;\n";
        assert_eq!(kind("ptx", "file:///a.ptx", listing), sass);
        let other = DocumentKind::Other;
        assert_eq!(
            kind("ptx", "file:///book.ptx", "\u{feff}<?xml version='1.0'?>"),
            other
        );
        assert_eq!(kind("ptx", "file:///a.ptx", "\u{7f}ELF\0\0"), other);
        assert_eq!(kind("markdown", "file:///a.md", ""), other);
        let cpp = kind("cuda-cpp", "file:///a.cu", "");
        assert!(matches!(cpp, DocumentKind::Host(_)), "{cpp:?}");
    }
}
