//! URL fragment of a litmus test: `#litmus=message` names a built-in test, and `#litmus?text=…` contains the source of any other test.

use super::samples::SAMPLES;
use warpgrid_view::url_encoding::{percent_decode, percent_encode};

const START: &str = "#litmus";
/// Former spelling of [`START`], which existing links contain.
const EARLIER: &str = "#outcomes";
/// Maximum length in bytes of a litmus test in a link.
const MAX_BYTES: usize = 8_000;

/// Parses a URL fragment, including `#`. Returns `None` if it is not a link to the litmus test view.
pub fn read_link(hash: &str) -> Option<String> {
    let rest = hash
        .strip_prefix(START)
        .or_else(|| hash.strip_prefix(EARLIER))?;
    if let Some(text) = rest.strip_prefix("?text=") {
        return percent_decode(text.get(..MAX_BYTES * 3).unwrap_or(text));
    }
    let id = match rest.strip_prefix('=') {
        Some(id) => id,
        None if rest.is_empty() => SAMPLES[0].id,
        None => return None,
    };
    let sample = SAMPLES.iter().find(|sample| sample.id == id);
    Some(sample.unwrap_or(&SAMPLES[0]).text.to_owned())
}

/// Returns the link to a litmus test.
pub fn write_link(text: &str) -> String {
    match SAMPLES.iter().find(|sample| sample.text == text) {
        Some(sample) => format!("{START}={}", sample.id),
        None if text.len() > MAX_BYTES => START.to_owned(),
        None => format!("{START}?text={}", percent_encode(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_round_trips() {
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
    fn unrelated_hashes_are_not_litmus_links() {
        assert_eq!(read_link("#outcome"), None);
        assert_eq!(read_link("#litmus2"), None);
        assert_eq!(read_link("#outcomes2"), None);
        assert_eq!(read_link("#litmus?text=%zz"), None);
    }

    #[test]
    fn legacy_link_opens_same_test() {
        for sample in SAMPLES {
            let earlier = write_link(sample.text).replace("#litmus", "#outcomes");
            assert_eq!(read_link(&earlier).as_deref(), Some(sample.text));
        }
        let own = "//@ thread\nld.global.u32 %r0, [x];\n";
        let earlier = write_link(own).replace("#litmus", "#outcomes");
        assert_eq!(read_link(&earlier).as_deref(), Some(own));
        assert_eq!(read_link("#outcomes?text=%zz"), None);
        assert_eq!(read_link("#outcomes").as_deref(), Some(SAMPLES[0].text));
    }
}
