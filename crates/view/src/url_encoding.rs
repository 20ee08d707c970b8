//! Percent-encoding of URL parameters.

/// URL fragment that opens the Layout Explorer.
pub const LAYOUTS: &str = "#layouts";
/// Former spellings of [`LAYOUTS`], which old links and documents can contain.
pub const FORMER_LAYOUTS: [&str; 2] = ["#matrix", "#lens"];

/// Percent-encodes a text. The function replaces each byte that requires encoding with its hexadecimal value, as in `%20`.
pub fn percent_encode(text: &str) -> String {
    let mut word = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'.' | b'_' | b':' | b'-' => word.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => word.push(char::from(byte)),
            byte => word += &format!("%{byte:02X}"),
        }
    }
    word
}

/// Decodes a percent-encoded text. Returns `None` if `%` is not followed by two hexadecimal digits, or if the bytes are not valid UTF-8.
pub fn percent_decode(word: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push((digit(high)? * 16 + digit(low)?) as u8);
                after
            }
            (b'%', _) => return None,
            (plain, after) => {
                bytes.push(*plain);
                after
            }
        };
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_round_trips_and_rejects_malformed_input() {
        for text in ["", "op", "Swizzle<3,4,3> o (8,8):(8,1)", "a=1&b\n%é"] {
            assert_eq!(percent_decode(&percent_encode(text)).as_deref(), Some(text));
        }
        for odd in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(percent_decode(odd), None, "{odd}");
        }
    }
}
