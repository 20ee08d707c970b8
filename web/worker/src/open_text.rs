//! The text that the page asked about last: it stays parsed, so that hover, completion and signature cost no second reading. In: a source and
//! what overrides its directives; out: its document, in the language that the text shows.

use warpgrid_view::{CheckOptions, Document, Front, Language};

/// Longer texts are read anew each time: a tree takes some twenty times the memory of its text.
const MAX_KEPT_BYTES: usize = 4 << 20;

/// The text that is open.
#[derive(Debug, Default)]
pub(crate) struct OpenText {
    open: Option<(CheckOptions, Document<'static>)>,
}

impl OpenText {
    /// Reads from the document of a text, which is opened unless it is the present one.
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
        // The old tree goes first, so that its memory is free for the new one.
        self.open = None;
        // The page has no switch for the language: the text shows it.
        let language = Language::from(Front::of_source(source));
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
    fn a_text_is_read_again_when_it_or_its_target_has_changed() {
        let mut text = OpenText::default();
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
