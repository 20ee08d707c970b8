//! Inline assembly in C++: a text goes in, its `asm` statements come out, each with what it hands to the assembler. Nothing is preprocessed:
//! macros of the same text are looked up, and what the text does not say is said to be unknown.

mod conditions;
pub(crate) mod constants;
pub(crate) mod lexer;
mod macros;
mod scopes;
mod statement;

use crate::pieces::{Kind, Pieces};
use crate::raw::RawBlock;
use constants::Constants;
use macros::Macros;
use scopes::Scopes;
use warpgrid_program::wrapped::ASM_WORDS;

/// A text that is read for its statements.
pub(crate) struct Reading<'a> {
    pieces: Pieces<'a>,
    macros: Macros<'a>,
    pub(crate) constants: Constants<'a>,
}

/// Statements that are looked at in one text.
const MAX_BLOCKS: usize = 512;

/// The statements of a text, in order.
pub(crate) fn blocks(source: &str) -> Vec<RawBlock> {
    let mut tokens = lexer::tokens(source);
    tokens.retain(|token| token.kind != Kind::Comment);
    let tokens = conditions::without(source, tokens);
    let pieces = Pieces {
        source,
        tokens: &tokens,
    };
    let reading = Reading {
        macros: Macros::of(pieces),
        constants: Constants::of(pieces),
        pieces,
    };
    let mut scopes = Scopes::default();
    let mut blocks = Vec::new();
    for at in 0..tokens.len() {
        scopes.step(pieces, at);
        if ASM_WORDS.contains(&pieces.text(at)) && pieces.is_word(at) {
            reading.statement(at, &scopes, &mut blocks);
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    blocks
}
