//! Formatting of numbers and launch configurations.

use crate::protocol::LaunchConfiguration;
pub use warpgrid_worker::count::{count, plural};

/// Formats a number with up to three decimal digits, as in `37.5`. The float formatting of the standard library would add 15 KB to the
/// WebAssembly module of the page.
pub fn decimal(value: f64) -> String {
    let thousandths = (value * 1_000.0).round() as i64;
    let sign = if thousandths < 0 { "-" } else { "" };
    let n = thousandths.unsigned_abs();
    let digits = format!("{sign}{}.{:03}", n / 1_000, n % 1_000);
    let digits = digits.trim_end_matches('0');
    digits.strip_suffix('.').unwrap_or(digits).to_owned()
}

/// Returns the CSS style of a box with the given size, as in `width: 320px; height: 48px`.
pub fn extent_css(width: f64, height: f64) -> String {
    let [width, height] = [width, height].map(|pixels| decimal(pixels.round()));
    format!("width: {width}px; height: {height}px")
}

/// Removes leading zeros from the digits of a hexadecimal number such as `0x001f`. The result for zero is `0`.
pub fn short_hex(hex: &str) -> String {
    match hex.trim_start_matches("0x").trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => format!("0x{digits}"),
    }
}

/// Formats extents as `4`, `4 × 2` or `4 × 2 × 3`. Trailing extents of 1 are omitted.
pub fn extents(extents: [u32; 3]) -> String {
    let [x, y, z] = extents;
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} × {y}"),
        _ => format!("{x} × {y} × {z}"),
    }
}

/// Formats a launch configuration as `2 blocks of 64 threads`.
pub fn launch(facts: &LaunchConfiguration) -> String {
    let one = |n: [u32; 3], word: &str| match n {
        [1, 1, 1] => format!("1 {word}"),
        _ => format!("{} {word}s", extents(n)),
    };
    format!(
        "{} of {}",
        one(facts.grid, "block"),
        one(facts.block, "thread")
    )
}

/// Formats a launch configuration in the notation of CUDA C++, as `<<<2, 64>>>` or `<<<1, 32 × 8, 4096>>>` with the bytes of dynamic shared
/// memory.
pub fn execution_configuration(facts: &LaunchConfiguration) -> String {
    let (grid, block) = (extents(facts.grid), extents(facts.block));
    match facts.dynamic_shared {
        0 => format!("<<<{grid}, {block}>>>"),
        bytes => format!("<<<{grid}, {block}, {bytes}>>>"),
    }
}

/// Formats a size as `256 bytes` or `40 KiB`.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        0..=9_999 => format!("{} bytes", count(n)),
        10_000..=10_485_759 => format!("{} KiB", count(n / 1024)),
        _ => format!("{} MiB", count(n / (1024 * 1024))),
    }
}

/// Splits a message at its backticks. Each piece has a flag that specifies whether the piece is code.
pub fn code_pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`')
        .enumerate()
        .map(|(i, piece)| (piece, i % 2 == 1))
        .filter(|(piece, _)| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_hex_strips_leading_zeros() {
        assert_eq!(short_hex("0x0000001f"), "0x1f");
        assert_eq!(short_hex("0x00000000000000000000000000000000"), "0");
    }

    #[test]
    fn extents_omit_trailing_ones() {
        assert_eq!(extents([4, 1, 1]), "4");
        assert_eq!(extents([16, 8, 1]), "16 × 8");
        assert_eq!(extents([4, 1, 2]), "4 × 1 × 2");
    }

    #[test]
    fn backticks_delimit_code() {
        let pieces: Vec<_> = code_pieces("`.v8` needs `sm_100`").collect();
        assert_eq!(
            pieces,
            [(".v8", true), (" needs ", false), ("sm_100", true)]
        );
    }

    #[test]
    fn decimals_are_rounded_to_three_places() {
        for (value, text) in [
            (0.0, "0"),
            (100.0, "100"),
            (37.5, "37.5"),
            (0.0004, "0"),
            (-2.25, "-2.25"),
            (1.0 / 3.0, "0.333"),
            (99.9996, "100"),
        ] {
            assert_eq!(decimal(value), text);
        }
        assert_eq!(extent_css(320.4, 47.5), "width: 320px; height: 48px");
    }
}
