//! URL fragment of a litmus test: `#litmus=message` names a built-in test, and `#litmus?text=…` contains the source of any other test.

use super::samples::SAMPLES;
use warpgrid_view::url_encoding::{percent_decode, percent_encode};

const START: &str = "#litmus";
/// Former spelling of [`START`], which existing links contain.
const EARLIER: &str = "#outcomes";
/// Maximum length in bytes of a litmus test in a link.
const MAX_BYTES: usize = 8_000;
/// Maximum length of an unknown ID in an error message.
const MAX_ID_CHARS: usize = 32;

/// Litmus test that a link selects or contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitmusLink {
    /// Source of the litmus test.
    pub text: String,
    /// ID in the link if no built-in test has this ID. In this case, `text` is the first built-in test.
    pub unknown_id: Option<String>,
}

/// Parses a URL fragment, including `#`. Returns `None` if it is not a link to the litmus test view.
pub fn read_link(hash: &str) -> Option<LitmusLink> {
    let rest = hash
        .strip_prefix(START)
        .or_else(|| hash.strip_prefix(EARLIER))?;
    if let Some(text) = rest.strip_prefix("?text=") {
        let text = percent_decode(text.get(..MAX_BYTES * 3).unwrap_or(text))?;
        return Some(LitmusLink {
            text,
            unknown_id: None,
        });
    }
    let id = match rest.strip_prefix('=') {
        Some(id) => id,
        None if rest.is_empty() => SAMPLES[0].id,
        None => return None,
    };
    let sample = SAMPLES.iter().find(|sample| sample.id == id);
    Some(LitmusLink {
        text: sample.unwrap_or(&SAMPLES[0]).text.to_owned(),
        unknown_id: sample
            .is_none()
            .then(|| id.chars().take(MAX_ID_CHARS).collect()),
    })
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

    /// Returns the source in a link without an unknown ID.
    fn text(hash: &str) -> Option<String> {
        let link = read_link(hash)?;
        assert_eq!(link.unknown_id, None, "{hash}");
        Some(link.text)
    }

    #[test]
    fn link_round_trips() {
        for sample in SAMPLES {
            assert_eq!(text(&write_link(sample.text)).as_deref(), Some(sample.text));
        }
        let own = "//@ thread\nld.global.u32 %r0, [x]; // é\n";
        assert_eq!(text(&write_link(own)).as_deref(), Some(own));
    }

    #[test]
    fn unknown_test_of_a_link_is_reported() {
        let link = read_link("#litmus=xyz").expect("a link");
        assert_eq!(link.unknown_id.as_deref(), Some("xyz"));
        assert_eq!(link.text, SAMPLES[0].text);
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
            assert_eq!(text(&earlier).as_deref(), Some(sample.text));
        }
        let own = "//@ thread\nld.global.u32 %r0, [x];\n";
        let earlier = write_link(own).replace("#litmus", "#outcomes");
        assert_eq!(text(&earlier).as_deref(), Some(own));
        assert_eq!(read_link("#outcomes?text=%zz"), None);
        assert_eq!(text("#outcomes").as_deref(), Some(SAMPLES[0].text));
    }
}
