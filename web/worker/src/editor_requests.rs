//! Handles editor requests: syntax tokens, hover, completion, signature help, formatting and file exports.

use crate::document_cache::DocumentCache;
use crate::protocol::{EditorRequest, EditorResponse};
use warpgrid_view::layouts::{fragment, tensor};
use warpgrid_view::source::check::tokens;
use warpgrid_view::{Language, Session, SourceLanguage};

/// Returns the response to an editor request. Memory exports use the session, and all other requests use the cached document.
pub(crate) fn answer(
    question: &EditorRequest,
    text: &mut DocumentCache,
    run: Option<&mut Session>,
) -> EditorResponse {
    match question {
        EditorRequest::MemoryFile(request, form) => EditorResponse::MemoryFile(match run {
            Some(session) => session.memory_file(request, *form),
            None => Err("no kernel is loaded".to_owned()),
        }),
        EditorRequest::Tokens { source } => EditorResponse::Tokens(
            tokens(source, SourceLanguage::of_source(source))
                .into_iter()
                .flat_map(|token| [token.start, token.end, token.class as u32])
                .collect(),
        ),
        EditorRequest::Hover {
            source,
            options,
            at,
        } => EditorResponse::Hover(text.with(source, options, |document| document.hover(*at))),
        EditorRequest::Complete {
            source,
            options,
            at,
        } => {
            EditorResponse::Complete(text.with(source, options, |document| document.complete(*at)))
        }
        EditorRequest::Signature {
            source,
            options,
            at,
        } => EditorResponse::Signature(
            text.with(source, options, |document| document.signature(*at)),
        ),
        EditorRequest::Format { source } => {
            EditorResponse::Format(Language::from(SourceLanguage::of_source(source)).format(source))
        }
        EditorRequest::FragmentSvg(request) => {
            EditorResponse::FragmentSvg(match tensor::has_layout(&request.op) {
                true => tensor::layout(request).ok().as_ref().map(tensor::svg),
                false => fragment::fragment(request).ok().as_ref().map(fragment::svg),
            })
        }
        EditorRequest::FragmentTable(request) => {
            EditorResponse::FragmentTable(match tensor::has_layout(&request.op) {
                true => tensor::layout(request).ok().as_ref().map(tensor::table),
                false => fragment::fragment(request)
                    .ok()
                    .as_ref()
                    .map(fragment::table),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_triples_in_source_order() {
        let source = "st.global.u32 [p], 1;".into();
        let EditorResponse::Tokens(triples) = answer(
            &EditorRequest::Tokens { source },
            &mut DocumentCache::default(),
            None,
        ) else {
            panic!("the answer is not tokens")
        };
        assert_eq!(triples.len() % 3, 0);
        assert_eq!(triples[..2], [0, 2]);
        assert!(triples.chunks(3).all(|token| token[0] < token[1]));
    }
}
