//! Codes of diagnostics with their reference pages, for every room that words diagnostics.

/// Declares codes from their reference pages:
/// ```text
/// catalogue! {
///     /// Why this is wrong, in sentences.
///     MISSING_SEMICOLON = "W0001", "missing semicolon", "ret", "ret;";
/// }
/// ```
/// Each row gives a constant (`MISSING_SEMICOLON`), and all of them the table `CODES`.
#[macro_export]
macro_rules! catalogue {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $title:literal, $wrong:literal, $right:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)*

        /// The reference pages of this file, in order of their codes.
        pub static CODES: &[$crate::CodeFacts] = &[$($crate::CodeFacts {
            code: $code,
            title: $title,
            explanation: concat!($($doc, "\n"),+),
            wrong: $wrong,
            right: $right,
        },)*];
    };
}
