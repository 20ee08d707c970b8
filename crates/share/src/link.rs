//! Link fragments: encodes JSON with zlib and base64url, and decodes link fragments within size limits.

use crate::SharedState;
use crate::json::{ShareError, ShareFormat, read_value, to_json};
use crate::schema::RULES;
use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use std::io::Read;

/// Base64url variant that decodes in the same way as `atob` of browsers: without padding, and with arbitrary trailing
/// bits.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// Returns the link fragment including `#`.
pub fn write_link(shared: &SharedState) -> String {
    let json = to_json(shared).to_string();
    let mut packed = Vec::new();
    // A read from memory cannot fail, so the result is ignored.
    let _ = ZlibEncoder::new(json.as_bytes(), Compression::best()).read_to_end(&mut packed);
    format!("#{}={}", RULES.version, BASE64.encode(packed))
}

/// Returns the version and the payload of a link, or `None` if the fragment is not a link of this format. Text that
/// follows the payload is ignored.
pub fn link_version(hash: &str) -> Option<(&str, &str)> {
    let (version, rest) = hash.strip_prefix('#').unwrap_or(hash).split_once('=')?;
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let end = rest.find(|c| !is_code(c)).unwrap_or(rest.len());
    is_number.then(|| (version, &rest[..end]))
}

/// Reads a link fragment, which is untrusted input.
pub fn read_link(hash: &str) -> Result<SharedState, ShareError> {
    let (version, code) = link_version(hash).ok_or(ShareError::Truncated)?;
    if version.trim_start_matches('0') != RULES.version.to_string() {
        let version = version.trim_start_matches('0');
        return Err(match version.is_empty() {
            true => ShareError::Truncated,
            false => ShareError::later(ShareFormat::Link, version),
        });
    }
    if code.len() > RULES.max_input_chars {
        return Err(ShareError::TooLarge(ShareFormat::Link));
    }
    let packed = BASE64.decode(code).map_err(|_| ShareError::Truncated)?;
    let json = unpacked(&packed)?;
    let value = serde_json::from_slice(&json).unwrap_or_default();
    read_value(value, ShareFormat::Link)
}

/// Decompresses a payload. Returns an error if the checksum is wrong, or if further data follows the payload.
fn unpacked(packed: &[u8]) -> Result<Vec<u8>, ShareError> {
    let limit = RULES.max_bytes as u64;
    let mut decoder = ZlibDecoder::new(packed);
    let mut bytes = Vec::new();
    let read = decoder.by_ref().take(limit + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > limit {
        return Err(ShareError::TooLarge(ShareFormat::Link));
    }
    read.map_err(|_| ShareError::Truncated)?;
    match decoder.total_in() == packed.len() as u64 {
        true => Ok(bytes),
        false => Err(ShareError::Truncated),
    }
}
