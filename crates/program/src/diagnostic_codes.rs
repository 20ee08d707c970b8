//! Macro that declares diagnostic codes together with their reference pages, for all crates that define diagnostics.

/// Declares diagnostic codes with their reference pages:
/// ```text
/// diagnostic_codes! {
///     /// Explanation of the rule, in sentences.
///     MISSING_SEMICOLON = "W0001", "missing semicolon", "ret", "ret;";
/// }
/// ```
/// Each row defines a constant (`MISSING_SEMICOLON`). All rows together define the table `CODES`.
#[macro_export]
macro_rules! diagnostic_codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal, $title:literal, $wrong:literal, $right:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: &str = $code;)*

        /// Reference pages of this file, in the order of their codes.
        pub static CODES: &[$crate::DiagnosticDoc] = &[$($crate::DiagnosticDoc {
            code: $code,
            title: $title,
            explanation: concat!($($doc, "\n"),+),
            wrong: $wrong,
            right: $right,
        },)*];
    };
}
