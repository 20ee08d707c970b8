//! Inline assembly in Python: calls that take assembly and constraints as texts (Triton, Numba, MLIR), and C++ in strings. A text goes in, its
//! blocks come out in the places of that text.

pub(crate) mod call;
pub(crate) mod lexer;
mod strings;

use crate::cpp;
use crate::pieces::{Kind, Pieces, Token};
use crate::raw::RawBlock;
use lexer::tokens;
use strings::Strings;
use warpgrid_program::wrapped::ASM_CALLS;

/// Whether a text is Python rather than C++: what its first telling line says.
pub(crate) fn is_python(source: &str) -> bool {
    source.lines().find_map(of_line).unwrap_or(false)
}

/// What a line says; `None` where it could be of both.
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
    ASM_CALLS
        .iter()
        .any(|call| line.contains(call))
        .then_some(true)
}

/// The blocks of a text, in order.
pub(crate) fn blocks(source: &str) -> Vec<RawBlock> {
    let all = tokens(source);
    let tokens: Vec<Token> = all
        .into_iter()
        .filter(|token| token.kind != Kind::Comment)
        .collect();
    let pieces = Pieces {
        source,
        tokens: &tokens,
    };
    let strings = Strings { pieces };
    let mut functions = Functions::default();
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        functions.step(pieces, at);
        let is_call = ASM_CALLS.contains(&pieces.text(at)) && pieces.is(at + 1, b'(');
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

/// The blocks of C++ in a string.
fn within(strings: Strings<'_>, from: usize, to: usize) -> Vec<RawBlock> {
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

/// The function that a place is in, by the columns of its lines.
#[derive(Debug, Default)]
struct Functions<'a> {
    /// Name, and column of its `def`.
    open: Vec<(&'a str, usize)>,
}

impl<'a> Functions<'a> {
    fn step(&mut self, pieces: Pieces<'a>, at: usize) {
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
