//! Lexer: character classes, the cursor of the parser, and the tokenizer for messages, error recovery and highlighting, which are not
//! performance-critical.
//!
//! The parser does not use a token vector, but reads the bytes of the source with a [`Cursor`].

pub(crate) mod number;

use warpgrid_program::Span;

/// Class of blank characters. As in the reference assembler, the class contains form feed, but not vertical tab.
const SPACE: u16 = 1;
/// Class of characters that may start a name.
const START: u16 = 2;
/// Class of characters that a name may contain.
pub(crate) const NAME: u16 = 4;
pub(crate) const DIGIT: u16 = 8;
/// Class of characters that a modifier may contain.
const WORD: u16 = 16;
pub(crate) const HEX: u16 = 32;
/// Class of characters that an opcode with its modifiers may contain.
pub(crate) const MNEMONIC: u16 = 64;

/// Class of characters that usually start an operand and that start no other construct.
pub(crate) const OPERAND: u16 = 128;

/// Class of characters that may start a comment or a line marker.
const COMMENT: u16 = 256;

/// Lexical classes of each byte value.
static CLASS: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0u16; 256];
    let mut byte = 0usize;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = match b {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => SPACE,
            b'0'..=b'9' => NAME | DIGIT | WORD | HEX | MNEMONIC | OPERAND,
            b'a'..=b'f' | b'A'..=b'F' => START | NAME | WORD | HEX | MNEMONIC,
            b'g'..=b'z' | b'G'..=b'Z' => START | NAME | WORD | MNEMONIC,
            b'_' => START | NAME | WORD | MNEMONIC | OPERAND,
            b'$' => START | NAME | WORD | MNEMONIC | OPERAND,
            b'%' => START | OPERAND,
            b'[' | b'{' | b'(' | b'-' | b'!' => OPERAND,
            b'.' | b':' => MNEMONIC,
            b'/' | b'#' => COMMENT,
            _ => 0,
        };
        byte += 1;
    }
    table
}

/// Returns whether a byte belongs to a class.
#[inline]
pub(crate) fn is(byte: u8, class: u16) -> bool {
    CLASS[byte as usize] & class != 0
}

/// Returns whether a byte may follow a number.
#[inline]
pub(crate) fn ends_number(byte: u8) -> bool {
    !is(byte, NAME)
}

/// Position in the bytes of a source.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'s> {
    pub(crate) source: &'s str,
    pub(crate) text: &'s [u8],
    pub(crate) at: usize,
}

impl<'s> Cursor<'s> {
    pub(crate) fn new(source: &'s str) -> Cursor<'s> {
        Cursor {
            source,
            text: source.as_bytes(),
            at: 0,
        }
    }

    /// Returns the byte at the cursor, or 0 at the end of the source.
    #[inline]
    pub(crate) fn byte(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Returns the byte `ahead` bytes after the cursor, or 0 beyond the end of the source.
    #[inline]
    pub(crate) fn byte_at(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Returns the cursor as a 32-bit offset. The parser rejects larger sources.
    #[inline]
    pub(crate) fn offset(&self) -> u32 {
        self.at as u32
    }

    /// Skips blanks, comments and line markers, and returns the byte that follows, or 0 at the end of the source.
    #[inline]
    pub(crate) fn skip(&mut self) -> u8 {
        loop {
            let byte = self.byte();
            if !is(byte, SPACE | COMMENT) {
                return byte;
            }
            if is(byte, SPACE) {
                self.at += 1;
            } else if !self.skip_comment() {
                return byte;
            }
        }
    }

    /// Skips the comment or line marker at the cursor. Returns `false` if there is no comment or line marker at the cursor, or if the
    /// comment is unterminated.
    #[cold]
    fn skip_comment(&mut self) -> bool {
        match comment_end(self.source, self.at) {
            Some(CommentEnd::At(end)) => {
                self.at = end;
                true
            }
            _ => false,
        }
    }

    /// Skips the rest of a name that starts at the cursor.
    #[inline]
    pub(crate) fn skip_name(&mut self) {
        self.at += 1;
        while is(self.byte(), NAME) {
            self.at += 1;
        }
    }

    /// Skips the rest of a name like [`Cursor::skip_name`], and returns the offset after the last character of the name that is
    /// not a digit.
    #[inline]
    pub(crate) fn skip_split_name(&mut self) -> u32 {
        self.at += 1;
        let mut stem_end = self.at;
        loop {
            let class = CLASS[self.byte() as usize];
            if class & NAME == 0 {
                return stem_end as u32;
            }
            self.at += 1;
            if class & DIGIT == 0 {
                stem_end = self.at;
            }
        }
    }

    /// Skips the characters of a modifier, including `::` between its parts.
    #[inline]
    pub(crate) fn skip_word(&mut self) {
        loop {
            while is(self.byte(), WORD) {
                self.at += 1;
            }
            if self.byte() == b':' && self.byte_at(1) == b':' && is(self.byte_at(2), WORD) {
                self.at += 2;
            } else {
                return;
            }
        }
    }

    /// Consumes the directive keyword at the cursor and returns its span including the dot, or returns `None` if no keyword is at the
    /// cursor.
    #[inline]
    pub(crate) fn word(&mut self) -> Option<Span> {
        if self.byte() != b'.' || !self.byte_at(1).is_ascii_alphabetic() {
            return None;
        }
        let start = self.offset();
        self.at += 1;
        self.skip_word();
        Some(Span::new(start, self.offset()))
    }

    /// Consumes the name at the cursor and returns its span, or returns `None` if no name is at the cursor.
    #[inline]
    pub(crate) fn name(&mut self) -> Option<Span> {
        if !self.at_name() {
            return None;
        }
        let start = self.offset();
        self.skip_name();
        Some(Span::new(start, self.offset()))
    }

    /// Returns whether a modifier starts at the cursor (after the dot): a letter, or digits and a letter as in `.2d` and
    /// `.32x32b`. In contrast, `.32` is a number.
    pub(crate) fn at_modifier(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or(&[]);
        let letter = rest.iter().find(|b| !b.is_ascii_digit());
        letter.is_some_and(u8::is_ascii_alphabetic)
    }

    /// Returns whether a name starts at the cursor. A single `%` or `$` is not a name.
    #[inline]
    pub(crate) fn at_name(&self) -> bool {
        let byte = self.byte();
        if byte == b'%' || byte == b'$' {
            is(self.byte_at(1), NAME)
        } else {
            is(byte, START)
        }
    }

    /// Returns the token at the cursor, for messages.
    pub(crate) fn token(&self) -> Token {
        token_at(self.source, self.at)
    }
}

/// Lexical kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Blank,
    /// A comment or a line marker.
    Comment,
    /// Comment that is not terminated.
    OpenComment,
    Name,
    /// Word with a leading dot, such as `.word` or `.shared::cta`.
    Word,
    /// Number, including all name characters that directly follow it.
    Number,
    String,
    /// String that is not terminated on its line.
    OpenString,
    Punctuation,
    /// Sequence of bytes that PTX syntax does not permit.
    Foreign,
    End,
}

impl TokenKind {
    pub(crate) const fn is_comment(self) -> bool {
        matches!(self, TokenKind::Comment | TokenKind::OpenComment)
    }
}

/// Token of a source, with its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) span: Span,
    pub(crate) kind: TokenKind,
}

enum CommentEnd {
    At(usize),
    Never,
}

/// Returns the end of the comment or line marker that starts at `at`, or `None` if no comment or line marker starts at `at`.
fn comment_end(source: &str, at: usize) -> Option<CommentEnd> {
    if source.as_bytes().get(at) == Some(&b'#') {
        return line_marker_end(source.as_bytes(), at).map(CommentEnd::At);
    }
    let rest = source.get(at + 1..)?;
    match rest.as_bytes().first()? {
        b'/' => Some(CommentEnd::At(
            rest.find('\n').map_or(source.len(), |n| at + 1 + n),
        )),
        b'*' => {
            let mut from = 1;
            loop {
                let Some(star) = rest.get(from..).and_then(|tail| tail.find('*')) else {
                    return Some(CommentEnd::Never);
                };
                from += star + 1;
                if rest.as_bytes().get(from) == Some(&b'/') {
                    return Some(CommentEnd::At(at + 1 + from + 1));
                }
            }
        }
        _ => None,
    }
}

/// Returns the end of the preprocessor line marker that starts with the `#` at `at`: `# 7 "file.cu"`, `#line 7 "file.cu"`, optionally with
/// one-digit flags after the name. The assembler treats a line marker as white space at any position (assembler 13.5). Returns `None` for
/// all other syntax, and for a line marker without a line end.
fn line_marker_end(text: &[u8], at: usize) -> Option<usize> {
    let after_blanks = |at: usize| {
        let rest = text.get(at..).unwrap_or(&[]);
        let blanks = rest.iter().take_while(|b| is(**b, SPACE) && **b != b'\n');
        at + blanks.count()
    };
    let mut number = after_blanks(at + 1);
    if text.get(number..)?.starts_with(b"line") {
        number = after_blanks(number + 4);
    }
    let number_end = run(text, number, DIGIT);
    let name = after_blanks(number_end);
    if number_end == number || name == number_end {
        return None;
    }
    let quoted = text.get(name..)?.strip_prefix(b"\"")?;
    let n_letters = quoted.iter().position(|b| matches!(b, b'"' | b'\n'))?;
    let letters = quoted.get(..n_letters)?;
    if quoted.get(n_letters) != Some(&b'"') || !letters.is_ascii() {
        return None;
    }
    let mut end = name + n_letters + 2;
    loop {
        let next = after_blanks(end);
        match text.get(next)? {
            b'\n' => return Some(next),
            flag if flag.is_ascii_digit() && next > end => end = next + 1,
            _ => return None,
        }
    }
}

/// Returns the token (or trivia) that starts at a byte.
pub(crate) fn token_at(source: &str, at: usize) -> Token {
    let text = source.as_bytes();
    let Some(&byte) = text.get(at) else {
        return token(text.len(), text.len(), TokenKind::End);
    };
    let next = text.get(at + 1).copied().unwrap_or(0);
    if is(byte, SPACE) {
        return token(at, run(text, at, SPACE), TokenKind::Blank);
    }
    match byte {
        b'/' | b'#' => match comment_end(source, at) {
            Some(CommentEnd::At(end)) => token(at, end, TokenKind::Comment),
            Some(CommentEnd::Never) => token(at, text.len(), TokenKind::OpenComment),
            None => token(at, at + 1, TokenKind::Punctuation),
        },
        b'"' => string_at(text, at),
        b'.' if next.is_ascii_digit() && !is_sized_word(text, at) => number_at(source, at),
        b'0'..=b'9' => number_at(source, at),
        b'.' if is(next, WORD) => {
            let mut cursor = Cursor::new(source);
            cursor.at = at + 1;
            cursor.skip_word();
            token(at, cursor.at, TokenKind::Word)
        }
        b'%' | b'$' if !is(next, NAME) => token(at, at + 1, TokenKind::Punctuation),
        _ if is(byte, START) => token(at, run(text, at + 1, NAME), TokenKind::Name),
        _ if byte.is_ascii_punctuation() => {
            token(at, operator_end(byte, next, at), TokenKind::Punctuation)
        }
        _ => token(at, foreign_end(text, at), TokenKind::Foreign),
    }
}

/// Returns whether `.` and digits start a modifier such as `.2d`, not a number such as `.5` or `.5e3`.
fn is_sized_word(text: &[u8], at: usize) -> bool {
    let end = run(text, at + 1, DIGIT);
    let letter = text.get(end).copied().unwrap_or(0);
    letter.is_ascii_alphabetic() && !matches!(letter, b'e' | b'E')
}

fn token(start: usize, end: usize, kind: TokenKind) -> Token {
    Token {
        span: Span::new(start as u32, end as u32),
        kind,
    }
}

fn run(text: &[u8], at: usize, class: u16) -> usize {
    let rest = text.get(at..).unwrap_or(&[]);
    at + rest.iter().take_while(|b| is(**b, class)).count()
}

fn operator_end(byte: u8, next: u8, at: usize) -> usize {
    let doubled = matches!(
        (byte, next),
        (b'<', b'<')
            | (b'>', b'>')
            | (b'=', b'=')
            | (b'!', b'=')
            | (b'<', b'=')
            | (b'>', b'=')
            | (b'&', b'&')
            | (b'|', b'|')
    );
    at + 1 + usize::from(doubled)
}

fn number_at(source: &str, at: usize) -> Token {
    let text = source.as_bytes();
    let number = number::scan(text, at);
    let mut end = run(text, number.end, NAME);
    if text.get(end) == Some(&b'.') && text.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = run(text, end + 1, NAME);
    }
    token(at, end, TokenKind::Number)
}

fn string_at(text: &[u8], at: usize) -> Token {
    let rest = text.get(at + 1..).unwrap_or(&[]);
    match rest.iter().position(|b| matches!(b, b'"' | b'\n')) {
        Some(n) if rest.get(n) == Some(&b'"') => token(at, at + n + 2, TokenKind::String),
        Some(n) => token(at, at + 1 + n, TokenKind::OpenString),
        None => token(at, text.len(), TokenKind::OpenString),
    }
}

fn foreign_end(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(&[]);
    let foreign = |b: &u8| !b.is_ascii_graphic() && !is(*b, SPACE);
    at + rest.iter().take_while(|b| foreign(b)).count().max(1)
}
