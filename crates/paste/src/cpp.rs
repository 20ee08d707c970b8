//! Parser for inline assembly in C++, which extracts the `asm` statements of a source. The parser does not run a preprocessor, but expands
//! the macros that the source defines, and reports all other macros as unresolved.

pub(crate) mod constants;
mod declared_types;
mod initializers;
pub(crate) mod lexer;
mod macros;
mod preprocessor;
mod scopes;
mod statement;

use crate::parsed_block::ParsedAsmBlock;
use crate::token_stream::{TokenKind, TokenStream};
use constants::ConstantTable;
use macros::Macros;
use scopes::Scopes;
use warpgrid_program::container::ASM_KEYWORDS;

/// C++ source with its tokens, macros and constants, from which `asm` statements are parsed.
pub(crate) struct CppSource<'a> {
    pieces: TokenStream<'a>,
    macros: Macros<'a>,
    pub(crate) constants: ConstantTable<'a>,
}

/// Maximum number of `asm` statements that the parser extracts from one source.
const MAX_BLOCKS: usize = 4096;

/// Returns the asm blocks of a source, in source order.
pub(crate) fn blocks(source: &str) -> Vec<ParsedAsmBlock> {
    let mut tokens = lexer::tokens(source);
    tokens.retain(|token| token.kind != TokenKind::Comment);
    let tokens = preprocessor::without(source, tokens);
    let pieces = TokenStream {
        source,
        tokens: &tokens,
    };
    let reading = CppSource {
        macros: Macros::of(pieces),
        constants: ConstantTable::of(pieces),
        pieces,
    };
    let mut scopes = Scopes::default();
    let mut blocks = Vec::new();
    for at in 0..tokens.len() {
        scopes.step(pieces, at);
        if pieces.is_word(at) && ASM_KEYWORDS.contains(&pieces.text(at)) {
            reading.statement(at, &scopes, &mut blocks);
        }
        if blocks.len() >= MAX_BLOCKS {
            break;
        }
    }
    blocks
}
