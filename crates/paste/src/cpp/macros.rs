//! Macros that a C++ source defines, with their names, parameters, bodies and uses.

use crate::token_stream::{TokenKind, TokenStream};
use std::ops::Range;

/// Macro that a `#define` directive defines: name, parameters and body.
#[derive(Clone, Debug)]
pub(crate) struct Macro<'a> {
    pub(crate) name: &'a str,
    /// Parameters of a function-like macro.
    pub(crate) parameters: Option<Vec<&'a str>>,
    /// Token range of the macro body.
    pub(crate) body: Range<usize>,
}

/// All macros of a source, in source order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Macros<'a> {
    all: Vec<Macro<'a>>,
}

/// Maximum number of uses for which the parser expands a macro.
const MAX_USES: usize = 32;

impl<'a> Macros<'a> {
    pub(crate) fn of(pieces: TokenStream<'a>) -> Macros<'a> {
        let mut all = Vec::new();
        for at in 0..pieces.tokens.len() {
            let is_define = pieces.is(at, b'#')
                && pieces.tokens[at].starts_line
                && pieces.text(at + 1) == "define"
                && pieces.is_word(at + 2);
            if is_define {
                all.push(definition(pieces, at + 2));
            }
        }
        Macros { all }
    }

    /// Returns the macro whose body contains the token at index `at`.
    pub(crate) fn around(&self, at: usize) -> Option<&Macro<'a>> {
        self.all.iter().find(|own| own.body.contains(&at))
    }

    /// Returns the object-like macro with this name.
    pub(crate) fn plain(&self, name: &str) -> Option<&Macro<'a>> {
        let mut all = self.all.iter();
        all.find(|own| own.name == name && own.parameters.is_none())
    }

    /// Returns the token indices of the uses of a macro outside of macro definitions.
    pub(crate) fn uses(&self, pieces: TokenStream<'a>, of: &Macro<'a>) -> Vec<usize> {
        let is_use = |at: &usize| {
            pieces.text(*at) == of.name
                && pieces.is_word(*at)
                && pieces.is(at + 1, b'(')
                && self.around(*at).is_none()
                && !(*at >= 2 && pieces.text(at - 1) == "define")
        };
        let uses = (0..pieces.tokens.len()).filter(is_use);
        uses.take(MAX_USES).collect()
    }
}

/// Parses a macro definition, starting at the token with the macro name.
fn definition<'a>(pieces: TokenStream<'a>, name: usize) -> Macro<'a> {
    let tokens = pieces.tokens;
    let line_end = (name + 1..tokens.len())
        .find(|at| tokens[*at].starts_line)
        .unwrap_or(tokens.len());
    let has_list = pieces.is(name + 1, b'(')
        && tokens[name + 1].span.start == tokens[name].span.end
        && name + 1 < line_end;
    let close = has_list.then(|| pieces.closing(name + 1)).flatten();
    let (parameters, start) = match close.filter(|close| *close < line_end) {
        Some(close) => {
            let words = (name + 2..close).filter(|at| pieces.kind(*at) == Some(TokenKind::Word));
            (Some(words.map(|at| pieces.text(at)).collect()), close + 1)
        }
        None => (None, name + 1),
    };
    Macro {
        name: pieces.text(name),
        parameters,
        body: start..line_end,
    }
}
