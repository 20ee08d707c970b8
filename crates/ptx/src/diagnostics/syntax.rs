//! Syntax: codes W0001 to W0099.

use super::catalogue;
use warpgrid_program::{Diagnostic, Span};

catalogue! {
    /// A source may hold up to 4 GiB less one byte, since places in it are 32-bit numbers.
    SOURCE_TOO_LARGE = "W0001", "source too large", "a text of 5 GiB", "a text below 4 GiB";
}

/// The text does not fit 32-bit offsets.
pub fn source_too_large(n_bytes: usize) -> Diagnostic {
    Diagnostic::error(
        SOURCE_TOO_LARGE,
        Span::at(0),
        format!("the source has {n_bytes} bytes, at most 4294967294 can be read"),
    )
}
