//! Parsers for inline assembly in Julia (`@asmcall` of LLVM.jl), C# (`CudaAsm.Emit` of ILGPU) and Rust (`asm!`). They extract the asm blocks of a source
//! with their spans in this source.

pub(crate) mod csharp;
pub(crate) mod julia;
pub(crate) mod lexer;
pub(crate) mod rust;

use crate::token_stream::{Token, TokenKind, TokenStream};

/// Maximum number of asm blocks that the parsers extract from one source.
const MAX_BLOCKS: usize = 4096;

/// Maximum number of operands that the parsers read from one inline assembly call.
const MAX_OPERANDS: usize = 64;

/// Returns the tokens of a text without its comments.
fn tokens(source: &str, language: lexer::Language) -> Vec<Token> {
    let mut tokens = lexer::tokens(source, language);
    tokens.retain(|token| token.kind != TokenKind::Comment);
    tokens
}

/// Returns the first token of the path that ends at token `at`, such as `LLVM` of `LLVM.Interop.@asmcall`.
fn start_of_path(pieces: TokenStream<'_>, at: usize) -> usize {
    let mut at = at;
    while at >= 2 && pieces.is(at - 1, b'.') && pieces.is_word(at - 2) {
        at -= 2;
    }
    at
}

/// Returns the closing parenthesis of the parameters that follow the function name at token `at`. The search is limited to 256 tokens.
fn end_of_parameters(pieces: TokenStream<'_>, at: usize) -> Option<usize> {
    let end = pieces.tokens.len().min(at + 256);
    let near = TokenStream {
        tokens: &pieces.tokens[..end],
        ..pieces
    };
    near.closing(at + 1)
}
