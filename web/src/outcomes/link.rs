//! The address of a test: `#outcomes=message` for one that comes with the page, `#outcomes?text=…` for any other.

use super::samples::SAMPLES;
use std::fmt::Write as _;

const START: &str = "#outcomes";
/// The longest text that a link carries.
const MAX_BYTES: usize = 8_000;

/// Reads the part of an address after and with `#`; absent when it is no link to outcomes.
pub fn read_link(hash: &str) -> Option<String> {
    let rest = hash.strip_prefix(START)?;
    if let Some(text) = rest.strip_prefix("?text=") {
        return decoded(text.get(..MAX_BYTES * 3).unwrap_or(text));
    }
    let id = match rest.strip_prefix('=') {
        Some(id) => id,
        None if rest.is_empty() => SAMPLES[0].id,
        None => return None,
    };
    let sample = SAMPLES.iter().find(|sample| sample.id == id);
    Some(sample.unwrap_or(&SAMPLES[0]).text.to_owned())
}

/// The link to a test.
pub fn write_link(text: &str) -> String {
    match SAMPLES.iter().find(|sample| sample.text == text) {
        Some(sample) => format!("{START}={}", sample.id),
        None if text.len() > MAX_BYTES => START.to_owned(),
        None => format!("{START}?text={}", encoded(text)),
    }
}

fn encoded(text: &str) -> String {
    let mut link = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'.'
            | b'_'
            | b'-'
            | b':'
            | b','
            | b';'
            | b'='
            | b'@'
            | b'/' => {
                link.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(link, "%{byte:02X}")),
        }
    }
    link
}

fn decoded(link: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = link.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%');
        match escaped {
            Some(digits) => {
                let digits = std::str::from_utf8(digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after.get(2..).unwrap_or(&[]);
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_back_to_its_test() {
        for sample in SAMPLES {
            assert_eq!(
                read_link(&write_link(sample.text)).as_deref(),
                Some(sample.text)
            );
        }
        let own = "//@ thread\nld.global.u32 %r0, [x]; // é\n";
        assert_eq!(read_link(&write_link(own)).as_deref(), Some(own));
    }

    #[test]
    fn other_places_of_the_page_are_no_test() {
        assert_eq!(read_link("#outcome"), None);
        assert_eq!(read_link("#outcomes2"), None);
        assert_eq!(read_link("#outcomes?text=%zz"), None);
        assert_eq!(read_link("#outcomes").as_deref(), Some(SAMPLES[0].text));
    }
}
