//! Decoder of C++ and Python string literals, which produces the text with a source map.

use warpgrid_program::{MappedSource, Span};

/// Language that defines the escape sequences of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EscapeSyntax {
    /// A raw literal has no escape sequences.
    None,
    Cpp,
    Python,
}

/// Appends the decoded text of a literal to `to`. `inner` is the span of the literal in `source`, without quotes.
pub(crate) fn decode(source: &str, inner: Span, escapes: EscapeSyntax, to: &mut MappedSource) {
    let text = inner.text(source);
    let mut done = 0;
    while escapes != EscapeSyntax::None
        && let Some(found) = text[done..].find('\\')
    {
        let at = done + found;
        to.copy(&text[done..at], inner.start + done as u32);
        let (meaning, length) = escape(&text[at..], escapes);
        let place = Span::new(inner.start + at as u32, inner.start + (at + length) as u32);
        match meaning {
            Some(meaning) => to.stand_in(meaning.encode_utf8(&mut [0; 4]), place),
            None if length == 1 => to.copy("\\", place.start),
            // Add no character for a backslash at the end of a line, which continues the line.
            None => {}
        }
        done = at + length;
    }
    to.copy(&text[done..], inner.start + done as u32);
}

/// Returns the value of an escape sequence, and its length in bytes, which includes at least the backslash.
fn escape(text: &str, escapes: EscapeSyntax) -> (Option<char>, usize) {
    let mut rest = text.chars();
    rest.next();
    let Some(letter) = rest.next() else {
        return (None, 1);
    };
    let simple = |meaning| (Some(meaning), 2);
    match letter {
        'n' => simple('\n'),
        't' => simple('\t'),
        'r' => simple('\r'),
        'v' => simple('\u{b}'),
        'f' => simple('\u{c}'),
        'a' => simple('\u{7}'),
        'b' => simple('\u{8}'),
        'e' if escapes == EscapeSyntax::Cpp => simple('\u{1b}'),
        '\\' | '\'' | '"' => simple(letter),
        '?' if escapes == EscapeSyntax::Cpp => simple('?'),
        '0'..='7' => number(text, 1, 3, 8),
        'x' => number(
            text,
            2,
            if escapes == EscapeSyntax::Cpp { 8 } else { 2 },
            16,
        ),
        'u' => number(text, 2, 4, 16),
        'U' => number(text, 2, 8, 16),
        '\n' => (None, 2),
        '\r' if text[2..].starts_with('\n') => (None, 3),
        // Keep the backslash of an unknown escape sequence as part of the text.
        _ => (None, 1),
    }
}

/// Decodes a numeric escape sequence that has up to `most` digits after `skip` bytes.
fn number(text: &str, skip: usize, most: usize, base: u32) -> (Option<char>, usize) {
    let digits = text[skip..]
        .bytes()
        .take(most)
        .take_while(|byte| char::from(*byte).is_digit(base));
    let end = skip + digits.count();
    match u32::from_str_radix(&text[skip..end], base) {
        Ok(value) => (Some(char::from_u32(value).unwrap_or('\u{fffd}')), end),
        Err(_) => (None, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, escapes: EscapeSyntax) -> String {
        let mut origin = MappedSource::default();
        decode(text, Span::new(0, text.len() as u32), escapes, &mut origin);
        origin.text
    }

    #[test]
    fn cpp_and_python_escape_sequences_are_decoded() {
        assert_eq!(
            decoded(r#"a\n\tb\\n\"\x41;\101"#, EscapeSyntax::Cpp),
            "a\n\tb\\n\"A;A"
        );
        assert_eq!(decoded("a\\\nb", EscapeSyntax::Cpp), "ab");
        assert_eq!(decoded(r"\q\", EscapeSyntax::Python), r"\q\");
        assert_eq!(decoded(r"\u00e9\xe9", EscapeSyntax::Python), "éé");
    }
}
