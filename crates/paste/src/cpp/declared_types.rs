//! Declared types of variables in C++ sources. The module searches backward from an `asm` statement for the declaration of an operand, and
//! recognizes only arithmetic types and pointers whose size is the same on all hosts.

use super::constants::size_of;
use crate::token_stream::{TokenKind, TokenStream};
use warpgrid_isa::ScalarType;

/// Arithmetic type or pointer of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeclaredType {
    /// Type in the notation of the source without qualifiers: `float`, `unsigned long long`, `int *`.
    pub(super) text: String,
    pub(super) size_bytes: u32,
    pub(super) is_float: bool,
}

impl DeclaredType {
    /// Checks whether a register of a constraint has the size and the kind of the type.
    pub(super) fn matches(&self, ty: ScalarType) -> bool {
        (self.size_bytes, self.is_float) == (ty.width_bytes(), ty.is_float())
    }
}

/// Words that can precede the name in a declaration, but that do not change its type.
const QUALIFIERS: &[&str] = &[
    "const",
    "constexpr",
    "volatile",
    "static",
    "register",
    "restrict",
    "__restrict__",
    "__restrict",
    "__shared__",
    "__device__",
    "__constant__",
    "__grid_constant__",
];

/// Types without a constraint letter that [`size_of`] also knows.
const CLASSES: &[&str] = &[
    "half",
    "__half",
    "half2",
    "__half2",
    "__nv_bfloat16",
    "nv_bfloat16",
    "float2",
    "int2",
    "uint2",
    "float4",
    "int4",
    "uint4",
    "double2",
    "ulonglong2",
];

/// Maximum number of tokens between a declaration and its use. The limit bounds the time for names that the source does not declare.
const MAX_DISTANCE: usize = 4096;

/// Declaration of a variable: the index of the token with its name, and its type if the type is known.
pub(super) struct Declaration {
    pub(super) name: usize,
    ty: Option<DeclaredType>,
}

/// Returns the type of the variable `name` whose declaration precedes the token `before`, or `None` if the type is unknown.
pub(super) fn declared_type(
    pieces: TokenStream<'_>,
    before: usize,
    name: &str,
) -> Option<DeclaredType> {
    declaration(pieces, before, name)?.ty
}

/// Returns the declaration of the variable `name` that precedes the token `before`.
pub(super) fn declaration(
    pieces: TokenStream<'_>,
    before: usize,
    name: &str,
) -> Option<Declaration> {
    // Number of unopened braces, because the declarations of a closed scope are invisible.
    let mut n_closed = 0usize;
    // Whether the current token precedes the body of a closed scope. The parameters of another function are invisible, too.
    let mut is_closed_head = false;
    for at in (before.saturating_sub(MAX_DISTANCE)..before).rev() {
        match pieces.kind(at)? {
            TokenKind::Punctuation(b'}') => {
                n_closed += 1;
                is_closed_head = false;
            }
            TokenKind::Punctuation(b'{') => {
                is_closed_head = n_closed == 1;
                n_closed = n_closed.saturating_sub(1);
            }
            TokenKind::Punctuation(b';') => is_closed_head = false,
            TokenKind::Word if n_closed == 0 && !is_closed_head && pieces.text(at) == name => {
                let is_end = |sign| pieces.is(at + 1, sign);
                if ![b',', b')', b';', b'='].into_iter().any(is_end) || pieces.is(at + 2, b'=') {
                    continue;
                }
                let ty = match at.checked_sub(1).map(|left| pieces.kind(left)) {
                    // A list of declarators has its type at its start, which can also be the argument of a call.
                    Some(Some(TokenKind::Punctuation(b','))) => TypeWords::Unknown,
                    Some(Some(TokenKind::Word | TokenKind::Punctuation(b'*' | b'&'))) => {
                        type_before(pieces, at)
                    }
                    _ => TypeWords::None,
                };
                let ty = match ty {
                    TypeWords::Known(found) => Some(found),
                    TypeWords::Unknown => None,
                    TypeWords::None => continue,
                };
                return Some(Declaration { name: at, ty });
            }
            _ => {}
        }
    }
    None
}

/// Result of reading the words before a name.
enum TypeWords {
    Known(DeclaredType),
    /// The words are a type of unknown size.
    Unknown,
    /// The words are no type, as in `return x;` or `a * x`.
    None,
}

/// Checks whether the token `at` belongs to a preprocessor directive.
fn is_in_directive(pieces: TokenStream<'_>, at: usize) -> bool {
    let mut line = (0..=at).rev();
    line.find(|index| pieces.tokens[*index].starts_line)
        .is_some_and(|first| pieces.is(first, b'#'))
}

fn type_before(pieces: TokenStream<'_>, name: usize) -> TypeWords {
    let (mut words, mut is_pointer) = (Vec::new(), false);
    let mut at = name;
    while let Some(left) = at.checked_sub(1) {
        // A directive ends at the end of its line without a semicolon.
        if pieces.tokens[at].starts_line && is_in_directive(pieces, left) {
            break;
        }
        match pieces.kind(left) {
            Some(TokenKind::Word) => words.insert(0, pieces.text(left)),
            Some(TokenKind::Punctuation(b'*')) if words.is_empty() => is_pointer = true,
            Some(TokenKind::Punctuation(b'&')) if words.is_empty() => {}
            _ => break,
        }
        at = left;
    }
    // An operator such as `*` or `&&` between two names is part of an expression unless the statement starts with the left name.
    let is_start = at.checked_sub(1).is_none_or(|left| {
        matches!(
            pieces.kind(left),
            Some(TokenKind::Punctuation(
                b'(' | b',' | b';' | b'{' | b'}' | b':'
            ))
        ) || pieces.tokens[at].starts_line && is_in_directive(pieces, left)
    });
    words.retain(|word| !QUALIFIERS.contains(word));
    let [.., last] = words[..] else {
        return TypeWords::None;
    };
    if !is_start
        || matches!(
            last,
            "return" | "else" | "case" | "goto" | "throw" | "new" | "delete" | "do"
        )
    {
        return TypeWords::None;
    }
    let text = words.join(" ");
    if is_pointer {
        return TypeWords::Known(DeclaredType {
            text: format!("{text} *"),
            size_bytes: 8,
            is_float: false,
        });
    }
    let n_long = words.iter().filter(|word| **word == "long").count();
    let is_plain = |word: &&&str| !matches!(**word, "unsigned" | "signed" | "long");
    let named: Vec<&str> = words.iter().filter(is_plain).copied().collect();
    let size = match (&named[..], n_long) {
        ([] | ["int"], 2) => Some(8),
        ([], 0) => Some(4),
        ([one], 0) if !CLASSES.contains(one) => size_of(one),
        _ => None,
    };
    match size {
        Some(size) => TypeWords::Known(DeclaredType {
            text,
            size_bytes: size as u32,
            is_float: matches!(last, "float" | "double"),
        }),
        None => TypeWords::Unknown,
    }
}
