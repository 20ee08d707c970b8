//! Handles editor requests: syntax tokens, hover, completion, signature help, formatting and file exports.

use crate::open_text::OpenText;
use crate::protocol::{Answer, Question};
use warpgrid_view::layouts::{fragment, tensor};
use warpgrid_view::source::check::tokens;
use warpgrid_view::{Front, Language, Session};

/// Computes the response to an editor request from the cached document, or from the session for a memory export.
pub(crate) fn answer(
    question: &Question,
    text: &mut OpenText,
    run: Option<&mut Session>,
) -> Answer {
    match question {
        Question::MemoryFile(request, form) => Answer::MemoryFile(match run {
            Some(session) => session.memory_file(request, *form),
            None => Err("no kernel is loaded".to_owned()),
        }),
        Question::Tokens { source } => Answer::Tokens(
            tokens(source, Front::of_source(source))
                .into_iter()
                .flat_map(|token| [token.start, token.end, token.class as u32])
                .collect(),
        ),
        Question::Hover {
            source,
            options,
            at,
        } => Answer::Hover(text.with(source, options, |document| document.hover(*at))),
        Question::Complete {
            source,
            options,
            at,
        } => Answer::Complete(text.with(source, options, |document| document.complete(*at))),
        Question::Signature {
            source,
            options,
            at,
        } => Answer::Signature(text.with(source, options, |document| document.signature(*at))),
        Question::Format { source } => {
            Answer::Format(Language::from(Front::of_source(source)).format(source))
        }
        Question::FragmentSvg(request) => {
            Answer::FragmentSvg(match tensor::has_layout(&request.op) {
                true => tensor::layout(request).ok().as_ref().map(tensor::svg),
                false => fragment::fragment(request).ok().as_ref().map(fragment::svg),
            })
        }
        Question::FragmentTable(request) => {
            Answer::FragmentTable(match tensor::has_layout(&request.op) {
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
    fn tokens_are_triples_in_text_order() {
        let source = "st.global.u32 [p], 1;".into();
        let Answer::Tokens(triples) =
            answer(&Question::Tokens { source }, &mut OpenText::default(), None)
        else {
            panic!("the answer is not tokens")
        };
        assert_eq!(triples.len() % 3, 0);
        assert_eq!(triples[..2], [0, 2]);
        assert!(triples.chunks(3).all(|token| token[0] < token[1]));
    }
}
