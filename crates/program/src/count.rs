//! Formatting of counts in messages, with the singular or plural form of the noun.

use std::fmt::Display;

/// Formats a number with its noun: `1 byte`, `4 bytes`. The plural form of the noun ends in `s`.
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let ending = if n == N::from(1) { "" } else { "s" };
    format!("{n} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn counted_uses_singular_only_for_one() {
        assert_eq!(counted(0u32, "byte"), "0 bytes");
        assert_eq!(counted(1u64, "byte"), "1 byte");
        assert_eq!(counted(2usize, "initial value"), "2 initial values");
    }
}
