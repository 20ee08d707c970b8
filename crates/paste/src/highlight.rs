//! Syntax highlighting of host sources. The tokens are comments, strings and numbers of the host language, and the tokens of the assembly
//! within its strings.

use crate::calls::lexer as calls;
use crate::cpp::lexer as cpp;
use crate::host_source::{HostLanguage, HostSource};
use crate::log::LogText;
use crate::python::lexer as python;
use crate::token_stream::{Token, TokenKind};
use warpgrid_program::{FrontEnd, SemanticToken, SemanticTokenKind, Span};

/// Returns the semantic tokens of a host source, in source order. Each token is within one line.
pub(crate) fn tokens(source: &str, text: &HostSource, inner: &dyn FrontEnd) -> Vec<SemanticToken> {
    let around = match text.language {
        HostLanguage::Cpp => of_host(source, cpp::tokens(source), CPP_WORDS),
        HostLanguage::Python => of_host(source, python::tokens(source), PYTHON_WORDS),
        HostLanguage::Julia => {
            let found = calls::tokens(source, calls::Language::Julia);
            of_host(source, found, JULIA_WORDS)
        }
        HostLanguage::CSharp => {
            let found = calls::tokens(source, calls::Language::CSharp);
            of_host(source, found, CSHARP_WORDS)
        }
        HostLanguage::Rust => {
            let found = calls::tokens(source, calls::Language::Rust);
            of_host(source, found, RUST_WORDS)
        }
    };
    merged(around, assembly_tokens(text, inner))
}

/// Returns the semantic tokens of the assembly within the strings of a host source, in source order. Each token is within one line.
pub(crate) fn assembly_tokens(text: &HostSource, inner: &dyn FrontEnd) -> Vec<SemanticToken> {
    let mut within = Vec::new();
    for index in 0..text.n_blocks() {
        let Some(block) = text.block(index, &[]) else {
            continue;
        };
        for token in inner.tokens(&block.snippet.text) {
            let places = block.snippet.map.pieces_of(token.span);
            within.extend(places.map(|span| SemanticToken {
                span,
                class: token.class,
            }));
        }
    }
    within.retain(|token| token.span.start < token.span.end);
    within.sort_by_key(|token| token.span.start);
    // Several uses of one macro result in several asm blocks at the same source position. Keep the tokens of the first block.
    let mut end = 0;
    within.retain(|token| {
        let is_first = token.span.start >= end;
        if is_first {
            end = token.span.end;
        }
        is_first
    });
    within
}

/// Returns the semantic tokens of a log with its module. Log lines are highlighted as comments.
pub(crate) fn of_log(text: &LogText, inner: &dyn FrontEnd) -> Vec<SemanticToken> {
    let mut tokens: Vec<SemanticToken> = Vec::new();
    if let Some(module) = &text.module {
        for token in inner.tokens(&module.text) {
            let places = module.map.pieces_of(token.span);
            tokens.extend(places.map(|span| SemanticToken {
                span,
                class: token.class,
            }));
        }
    }
    tokens.extend(text.entries.iter().map(|entry| SemanticToken {
        span: entry.span,
        class: SemanticTokenKind::Comment,
    }));
    tokens.sort_by_key(|token| token.span.start);
    tokens
}

/// Returns the semantic tokens of the host language. `words` are the keywords of this language.
fn of_host(source: &str, found: Vec<Token>, words: &[&str]) -> Vec<SemanticToken> {
    let coloured = found.into_iter().filter_map(|Token { kind, span, .. }| {
        let class = match kind {
            TokenKind::Comment => SemanticTokenKind::Comment,
            TokenKind::Text { .. } | TokenKind::Character => SemanticTokenKind::String,
            TokenKind::Number => SemanticTokenKind::Number,
            TokenKind::Word if words.contains(&span.text(source)) => SemanticTokenKind::Directive,
            TokenKind::Word | TokenKind::Punctuation(_) => return None,
        };
        Some(SemanticToken { span, class })
    });
    coloured.collect()
}

/// C++ keywords for syntax highlighting.
const CPP_WORDS: &[&str] = &[
    "asm",
    "__asm__",
    "__asm",
    "volatile",
    "__volatile__",
    "__global__",
    "__device__",
    "__shared__",
    "__forceinline__",
    "template",
    "typename",
    "struct",
    "namespace",
    "inline",
    "static",
    "constexpr",
    "const",
    "void",
    "if",
    "else",
    "for",
    "while",
    "return",
    "extern",
    "using",
    "define",
    "include",
];
const PYTHON_WORDS: &[&str] = &[
    "def", "import", "from", "as", "return", "if", "else", "for", "in", "while", "class", "with",
    "True", "False", "None",
];
const JULIA_WORDS: &[&str] = &[
    "function", "end", "using", "import", "return", "if", "else", "elseif", "for", "in", "while",
    "struct", "const", "let", "begin", "true", "false", "nothing",
];
const CSHARP_WORDS: &[&str] = &[
    "using",
    "namespace",
    "class",
    "struct",
    "static",
    "public",
    "private",
    "internal",
    "void",
    "out",
    "ref",
    "in",
    "return",
    "if",
    "else",
    "for",
    "while",
    "var",
    "const",
    "new",
    "true",
    "false",
    "default",
];

const RUST_WORDS: &[&str] = &[
    "fn", "use", "let", "mut", "pub", "unsafe", "extern", "struct", "enum", "impl", "trait", "mod",
    "const", "static", "return", "if", "else", "for", "in", "while", "loop", "match", "where",
    "move", "as", "true", "false",
];

/// Merges the tokens of the assembly into the tokens of the host language. The function splits a token of the host language around the
/// assembly tokens that it contains.
fn merged(around: Vec<SemanticToken>, within: Vec<SemanticToken>) -> Vec<SemanticToken> {
    let mut tokens = Vec::with_capacity(around.len() + within.len());
    let mut within = within.into_iter().peekable();
    for outer in around {
        let mut at = outer.span.start;
        while let Some(inner) = within.next_if(|inner| inner.span.start < outer.span.end) {
            // Add only the tokens of the first of several asm blocks at the same source position, which result from several uses of one
            // macro.
            if inner.span.start < at || inner.span.end > outer.span.end {
                continue;
            }
            if at < inner.span.start {
                tokens.push(SemanticToken {
                    span: Span::new(at, inner.span.start),
                    class: outer.class,
                });
            }
            at = inner.span.end;
            tokens.push(inner);
        }
        if at < outer.span.end {
            tokens.push(SemanticToken {
                span: Span::new(at, outer.span.end),
                class: outer.class,
            });
        }
    }
    tokens
}
