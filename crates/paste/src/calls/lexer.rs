//! Lexer for the subset of Julia, C# and Rust that is necessary to parse calls and strings. The lexer splits a source into words, literals and
//! punctuation.

use crate::scan::{begins_word, depth_after, end_of_character, end_of_number, has_quotes};
use crate::token_stream::{Token, TokenKind};
use warpgrid_program::Span;

/// Host language that determines the syntax of comments and string literals in the lexer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Julia,
    CSharp,
    Rust,
}

/// Splits a text into tokens, including comments.
pub(crate) fn tokens(source: &str, language: Language) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        language,
        at: 0,
        starts_line: true,
        depth: 0,
        ends_value: false,
    };
    std::iter::from_fn(|| lexer.next()).collect()
}

/// Number of `#` signs around a raw string literal of Rust, or `None` for a string literal with escape sequences.
#[derive(Clone, Copy)]
struct RawDelimiter(Option<usize>);

impl RawDelimiter {
    const NONE: RawDelimiter = RawDelimiter(None);
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    language: Language,
    at: usize,
    starts_line: bool,
    /// Number of unclosed brackets at the current position.
    depth: usize,
    /// Whether the previous token ends a value, so that a quote after it is Julia's adjoint operator.
    ends_value: bool,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<Token> {
        let blanks_from = self.at;
        self.skip_blanks();
        let first = *self.bytes.get(self.at)?;
        let start = self.at;
        let starts_line = self.starts_line && self.depth == 0;
        let is_adjoint = self.ends_value && blanks_from == start;
        let kind = match (first, self.language) {
            (b'#', Language::Julia) => self.julia_comment(),
            (b'#', Language::CSharp) if self.starts_line => self.rest_of_line(),
            (b'/', Language::CSharp | Language::Rust) if self.rest().starts_with("//") => {
                self.rest_of_line()
            }
            (b'/', Language::Rust) if self.rest().starts_with("/*") => {
                self.nested_comment(["/*", "*/"])
            }
            (b'/', Language::CSharp) if self.rest().starts_with("/*") => {
                let end = self.rest().find("*/").map(|end| end + 2);
                self.at += end.unwrap_or(self.rest().len());
                TokenKind::Comment
            }
            (b'"', Language::Rust) => self.rust_string(RawDelimiter::NONE),
            (b'r' | b'b' | b'c', Language::Rust) if self.rust_prefix().is_some() => {
                let (n, delimiter) = self.rust_prefix().unwrap_or((0, RawDelimiter::NONE));
                self.at += n;
                self.rust_string(delimiter)
            }
            (b'\'', Language::Rust) if self.is_lifetime() => {
                self.at += 1;
                self.word()
            }
            (b'\'', Language::Rust) => {
                self.to(end_of_character(self.bytes, start), TokenKind::Character)
            }
            (b'"', _) => self.string(""),
            (b'\'', Language::CSharp) => {
                self.to(end_of_character(self.bytes, start), TokenKind::Character)
            }
            (b'\'', Language::Julia) if !is_adjoint => {
                self.to(end_of_character(self.bytes, start), TokenKind::Character)
            }
            (b'@' | b'$', Language::CSharp) if self.string_prefix() > 0 => {
                let n = self.string_prefix();
                self.at += n;
                self.string(&self.source[start..start + n])
            }
            (b'0'..=b'9', _) => self.to(end_of_number(self.bytes, start), TokenKind::Number),
            _ if begins_word(first) => self.word(),
            _ => {
                self.at += 1;
                self.depth = depth_after(first, self.depth);
                TokenKind::Punctuation(first)
            }
        };
        self.starts_line = false;
        self.ends_value = matches!(
            kind,
            TokenKind::Word | TokenKind::Number | TokenKind::Punctuation(b')' | b']' | b'\'')
        );
        Some(Token {
            kind,
            span: Span::new(start as u32, self.at as u32),
            starts_line,
        })
    }

    /// Advances to the end of a token, and returns its kind.
    fn to(&mut self, end: usize, kind: TokenKind) -> TokenKind {
        self.at = end;
        kind
    }

    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => self.starts_line = true,
                _ if byte.is_ascii_whitespace() => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    fn rest_of_line(&mut self) -> TokenKind {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        TokenKind::Comment
    }

    /// Reads a line comment, or a block comment, which can be nested.
    fn julia_comment(&mut self) -> TokenKind {
        match self.rest().starts_with("#=") {
            true => self.nested_comment(["#=", "=#"]),
            false => self.rest_of_line(),
        }
    }

    /// Reads a block comment, which can contain block comments. The delimiters consist of two characters.
    fn nested_comment(&mut self, [open, close]: [&str; 2]) -> TokenKind {
        let mut depth = 0usize;
        while self.at < self.bytes.len() {
            let rest = &self.bytes[self.at..];
            if rest.starts_with(open.as_bytes()) {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with(close.as_bytes()) {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    break;
                }
            } else {
                self.at += 1;
            }
        }
        TokenKind::Comment
    }

    /// Returns the length of the prefix of a Rust string literal, and its delimiter: `r`, `r##`, `b`, `br#`, `c`.
    fn rust_prefix(&self) -> Option<(usize, RawDelimiter)> {
        let rest = &self.bytes[self.at..];
        let n_letters = rest
            .iter()
            .take(2)
            .take_while(|byte| matches!(byte, b'r' | b'b' | b'c'))
            .count();
        let is_raw = n_letters > 0 && rest[n_letters - 1] == b'r';
        let signs = rest[n_letters..].iter();
        let n_signs = signs.take_while(|byte| **byte == b'#').count();
        let is_string = rest.get(n_letters + n_signs) == Some(&b'"') && (is_raw || n_signs == 0);
        is_string.then_some((n_letters + n_signs, RawDelimiter(is_raw.then_some(n_signs))))
    }

    /// Reads a Rust string that starts at its opening quote.
    fn rust_string(&mut self, RawDelimiter(delimiter): RawDelimiter) -> TokenKind {
        self.at += 1;
        let start = self.at;
        let is_end = |at: usize| match delimiter {
            Some(n) => has_quotes(self.bytes, at + 1, b'#', n),
            None => true,
        };
        let (mut at, mut after) = (start, self.bytes.len());
        while let Some(byte) = self.bytes.get(at) {
            match byte {
                b'\\' if delimiter.is_none() => at = (at + 2).min(self.bytes.len()),
                b'"' if is_end(at) => {
                    after = at + 1 + delimiter.unwrap_or(0);
                    break;
                }
                _ => at += 1,
            }
        }
        self.at = after;
        TokenKind::Text {
            inner: Span::new(start as u32, at as u32),
            is_raw: delimiter.is_some(),
            is_formatted: false,
        }
    }

    /// Checks whether the quote at the current position starts a lifetime or a label (`'a`) instead of a character literal (`'a'`).
    fn is_lifetime(&self) -> bool {
        let mut rest = self.rest().chars().skip(1);
        let first = rest.next();
        first.is_some_and(|c| c != '\\') && rest.next() != Some('\'')
    }

    /// Returns the length of the prefix of a C# string: `@`, `$`, `$@`, `@$`, `$$`.
    fn string_prefix(&self) -> usize {
        let signs = self.bytes[self.at..].iter();
        let n = signs.take_while(|byte| matches!(byte, b'@' | b'$')).count();
        match self.bytes.get(self.at + n) {
            Some(b'"') => n,
            _ => 0,
        }
    }

    /// Reads a string that starts at its opening quote. `prefix` is the string prefix before the quote.
    fn string(&mut self, prefix: &str) -> TokenKind {
        let quotes = self.bytes[self.at..].iter();
        let n_found = quotes.take_while(|byte| **byte == b'"').count();
        let is_verbatim = prefix.contains('@');
        let n_quotes = match (n_found, self.language) {
            (3.., Language::Julia) => 3,
            (3.., Language::CSharp) if !is_verbatim => n_found,
            _ => 1,
        };
        let is_csharp = self.language == Language::CSharp;
        let is_raw = is_verbatim || prefix == "raw" || (is_csharp && n_quotes > 1);
        let has_escapes = !is_raw || prefix == "raw";
        let is_line = is_csharp && !is_raw;
        self.at += n_quotes;
        let start = self.at;
        let end = loop {
            match self.bytes.get(self.at) {
                None => break self.at,
                Some(b'\\') if has_escapes => self.at = (self.at + 2).min(self.bytes.len()),
                Some(b'\n') if is_line => break self.at,
                // Continue after two consecutive quotes, which denote one quote character in a verbatim string.
                Some(b'"') if is_verbatim && self.bytes.get(self.at + 1) == Some(&b'"') => {
                    self.at += 2;
                }
                Some(b'"') if has_quotes(self.bytes, self.at, b'"', n_quotes) => {
                    self.at += n_quotes;
                    break self.at - n_quotes;
                }
                Some(_) => self.at += 1,
            }
        };
        TokenKind::Text {
            inner: Span::new(start as u32, end as u32),
            is_raw,
            is_formatted: match self.language {
                Language::Julia => prefix.is_empty(),
                Language::CSharp => prefix.contains('$'),
                Language::Rust => false,
            },
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        let is_part = |byte: &u8| {
            begins_word(*byte) || byte.is_ascii_digit() || (*byte == b'!' && self.is_julia())
        };
        let mut end = self.at;
        while self.bytes.get(end).is_some_and(is_part) {
            end += 1;
        }
        self.at = end;
        let is_prefix = self.is_julia() && self.bytes.get(end) == Some(&b'"');
        match is_prefix {
            true => self.string(&self.source[start..end]),
            false => TokenKind::Word,
        }
    }

    fn is_julia(&self) -> bool {
        self.language == Language::Julia
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, language: Language) -> Vec<&str> {
        let found = tokens(source, language).into_iter();
        found.map(|token| token.span.text(source)).collect()
    }

    #[test]
    fn julia_adjoints_nested_comments_and_raw_strings_are_tokenized() {
        assert_eq!(
            texts("A' * f('\\'') #= a #= b =# =# raw\"\\$0\"", Language::Julia),
            [
                "A",
                "'",
                "*",
                "f",
                "(",
                "'\\''",
                ")",
                "#= a #= b =# =#",
                "raw\"\\$0\""
            ]
        );
    }

    #[test]
    fn csharp_verbatim_and_raw_strings_are_tokenized() {
        assert_eq!(
            texts(
                "f(@\"a\"\"b\n\", $\"{x}\", \"\"\"\"c\"d\"\"\"\")",
                Language::CSharp
            ),
            [
                "f",
                "(",
                "@\"a\"\"b\n\"",
                ",",
                "$\"{x}\"",
                ",",
                "\"\"\"\"c\"d\"\"\"\"",
                ")"
            ]
        );
    }

    #[test]
    fn rust_raw_strings_lifetimes_and_nested_comments_are_tokenized() {
        assert_eq!(
            texts(
                r####"f::<'a>('\'', 'b', r#"a"b"#, b"\"", r) /* /* */ */ 'l: x"####,
                Language::Rust
            ),
            [
                "f",
                ":",
                ":",
                "<",
                "'a",
                ">",
                "(",
                r"'\''",
                ",",
                "'b'",
                ",",
                r###"r#"a"b"#"###,
                ",",
                r#"b"\"""#,
                ",",
                "r",
                ")",
                "/* /* */ */",
                "'l",
                ":",
                "x"
            ]
        );
    }

    #[test]
    fn unterminated_literals_end_within_source() {
        for source in [
            "\"",
            "\"\"\"",
            "'",
            "'\\",
            "\"\\",
            "#=",
            "/*",
            "@\"",
            "$\"\"\"",
            "raw\"\\",
            "r#\"",
            "br##\"a\"#",
            "r\"",
            "'é",
        ] {
            for language in [Language::Julia, Language::CSharp, Language::Rust] {
                let found = tokens(source, language);
                assert!(
                    found
                        .iter()
                        .all(|token| token.span.end as usize <= source.len())
                );
            }
        }
    }
}
