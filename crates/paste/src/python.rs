//! Parser for inline assembly in Python: calls with assembly and constraints as strings (Triton, Numba, MLIR), and string literals that
//! contain C++ with `asm` statements. It extracts the asm blocks of a source with their spans.

pub(crate) mod call;
pub(crate) mod lexer;
mod strings;

use crate::cpp;
use crate::parsed_block::ParsedAsmBlock;
use crate::token_stream::{Token, TokenKind, TokenStream};
use lexer::tokens;
use strings::StringReader;
use warpgrid_program::container::ASM_FUNCTIONS;

/// Checks whether a source is Python and not C++. The first unambiguous line determines the result.
pub(crate) fn is_python(source: &str) -> bool {
    source.lines().find_map(of_line).unwrap_or(false)
}

/// Returns the language of a line, or `None` if the line is ambiguous.
fn of_line(line: &str) -> Option<bool> {
    let line = line.trim();
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    if let Some(rest) = line.strip_prefix('#') {
        let rest = rest.trim_start();
        let directives = [
            "include", "define", "if", "else", "elif", "endif", "pragma", "undef", "error", "line",
            "warning",
        ];
        let is_directive =
            directives.iter().any(|word| rest.starts_with(word)) && !line.starts_with("# ");
        return Some(!is_directive);
    }
    if starts(&[
        "import ", "from ", "def ", "@", "\"\"\"", "r\"\"\"", "'''", "r'''", "print(", "with ",
    ]) {
        return Some(true);
    }
    if starts(&[
        "//",
        "/*",
        "template",
        "namespace ",
        "__",
        "static ",
        "extern ",
        "inline ",
        "void ",
        "asm",
        "struct ",
        "using ",
        "constexpr ",
    ]) || line.ends_with([';', '{'])
    {
        return Some(false);
    }
    ASM_FUNCTIONS
        .iter()
        .any(|call| line.contains(call))
        .then_some(true)
}

/// Returns the asm blocks of a source, in source order.
pub(crate) fn blocks(source: &str) -> Vec<ParsedAsmBlock> {
    let all = tokens(source);
    let tokens: Vec<Token> = all
        .into_iter()
        .filter(|token| token.kind != TokenKind::Comment)
        .collect();
    let pieces = TokenStream {
        source,
        tokens: &tokens,
    };
    let strings = StringReader { pieces };
    let mut functions = FunctionScopes::default();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        functions.step(pieces, at);
        let is_call = ASM_FUNCTIONS.contains(&pieces.text(at)) && pieces.is(at + 1, b'(');
        let is_defined = at > 0 && pieces.text(at - 1) == "def";
        if is_call && !is_defined {
            blocks.extend(call::read(strings, at, functions.present()));
            at = pieces.closing(at + 1).unwrap_or(at) + 1;
            continue;
        }
        let end = strings.end(at);
        if end > at {
            blocks.extend(within(strings, at, end));
        }
        at = end.max(at + 1);
    }
    blocks
}

/// Returns the asm blocks of C++ code in a string.
fn within(strings: StringReader<'_>, from: usize, to: usize) -> Vec<ParsedAsmBlock> {
    let span = strings.pieces.tokens[from]
        .span
        .to(strings.pieces.tokens[to - 1].span);
    if !span.text(strings.pieces.source).contains("asm") {
        return Vec::new();
    }
    let (text, _) = strings.read(from, to);
    let found = cpp::blocks(&text.text).into_iter();
    found.map(|block| block.through(&text.map)).collect()
}

/// Enclosing functions of the current token, which are determined from the indentation.
#[derive(Debug, Default)]
struct FunctionScopes<'a> {
    /// Name of each function, and the column of its `def`.
    open: Vec<(&'a str, usize)>,
}

impl<'a> FunctionScopes<'a> {
    fn step(&mut self, pieces: TokenStream<'a>, at: usize) {
        if let Some(column) = pieces.column(at) {
            self.open.retain(|(_, own)| *own < column);
            let is_async = pieces.text(at) == "async";
            let def = at + usize::from(is_async);
            if pieces.text(def) == "def" {
                self.open.push((pieces.text(def + 1), column));
            }
        }
    }

    fn present(&self) -> &'a str {
        self.open.last().map_or("asm", |(name, _)| name)
    }
}
