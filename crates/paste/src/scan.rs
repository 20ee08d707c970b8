//! Scanning functions that the lexers of the host languages share.

/// Checks whether a byte can start a word. Bytes of non-ASCII characters can start a word.
pub(crate) fn begins_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

/// Returns the number of unclosed brackets after a byte, given the number before the byte.
pub(crate) fn depth_after(byte: u8, depth: usize) -> usize {
    match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth.saturating_sub(1),
        _ => depth,
    }
}

/// Returns the end of the number that begins at `at`, including its suffix.
pub(crate) fn end_of_number(bytes: &[u8], at: usize) -> usize {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    let rest = bytes[at..].iter();
    at + rest.take_while(|byte| is_part(byte)).count()
}

/// Returns the end of the character literal whose opening quote is at `at`. A literal without a closing quote ends at the end of the line.
pub(crate) fn end_of_character(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' => at = (at + 2).min(bytes.len()),
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// Checks whether `n` quotes are at `at`.
pub(crate) fn has_quotes(bytes: &[u8], at: usize, quote: u8, n: usize) -> bool {
    bytes[at..]
        .iter()
        .take(n)
        .filter(|byte| **byte == quote)
        .count()
        == n
}
