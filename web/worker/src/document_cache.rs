//! Cache of the document that was requested last. The document remains parsed, so that hover, completion and signature help do not parse
//! the source again. Input: a source, and the overrides of its directives. Output: the document of the source in the detected language.

use warpgrid_view::{CheckOptions, Document, Language, SourceLanguage};

/// Maximum size in bytes of a cached source. A syntax tree requires about twenty times the memory of its source, so that longer sources are
/// parsed for each request.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// Cache that contains at most one parsed document.
#[derive(Debug, Default)]
pub(crate) struct DocumentCache {
    open: Option<(CheckOptions, Document<'static>)>,
}

impl DocumentCache {
    /// Calls `read` with the document of a source, which is parsed unless it is cached.
    pub(crate) fn with<T>(
        &mut self,
        source: &str,
        options: &CheckOptions,
        read: impl FnOnce(&Document<'static>) -> T,
    ) -> T {
        let is_open = |(own, document): &&(CheckOptions, Document<'static>)| {
            own == options && document.source() == source
        };
        if let Some((_, document)) = self.open.as_ref().filter(is_open) {
            return read(document);
        }
        // The previous syntax tree is dropped first in order to free its memory for the new one.
        self.open = None;
        // The page has no language option, so the language is detected from the source.
        let language = Language::from(SourceLanguage::of_source(source));
        let document = language.open(source.to_owned(), options);
        let found = read(&document);
        if source.len() <= MAX_KEPT_BYTES {
            self.open = Some((options.clone(), document));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_reparses_on_source_or_target_change() {
        let mut text = DocumentCache::default();
        let plain = CheckOptions::default();
        let other = CheckOptions {
            target: Some("sm_70".into()),
            ..CheckOptions::default()
        };
        let line = "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], b, [m];";
        assert!(text.with(line, &plain, |document| document.check().accept));
        assert!(!text.with(line, &other, |document| document.check().accept));
        assert!(!text.with("st.shred [a], b;", &other, |document| {
            document.check().accept
        }));
        assert!(text.with(line, &plain, |document| document.check().accept));
        assert_eq!(
            text.with(line, &plain, |document| document.source().len()),
            line.len()
        );
    }
}
