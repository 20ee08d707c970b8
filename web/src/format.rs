//! Numbers and facts as the page writes them.

use crate::protocol::LaunchFacts;

/// `1 234 567`, in groups of three with thin spaces.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

/// `4`, `4 × 2` or `4 × 2 × 3`: trailing ones are left out.
pub fn extents(extents: [u32; 3]) -> String {
    let [x, y, z] = extents;
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x} × {y}"),
        _ => format!("{x} × {y} × {z}"),
    }
}

/// `2 blocks × 64 threads`.
pub fn launch(facts: &LaunchFacts) -> String {
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

/// `256 bytes`, `4 KiB`.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        0..=9_999 => format!("{} bytes", count(n)),
        10_000..=10_485_759 => format!("{} KiB", count(n / 1024)),
        _ => format!("{} MiB", count(n / (1024 * 1024))),
    }
}

/// Backticks mark code in the core's sentences: pieces, and whether each is code.
pub fn code_pieces(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.split('`')
        .enumerate()
        .map(|(i, piece)| (piece, i % 2 == 1))
        .filter(|(piece, _)| !piece.is_empty())
}

/// Bytes of an element type by its name's digits: `f32` has 4.
pub fn element_bytes(ty: &str) -> u64 {
    let digits: String = ty.chars().skip_while(|c| !c.is_ascii_digit()).collect();
    digits.parse::<u64>().map_or(4, |bits| (bits / 8).max(1))
}

/// The name of the register that a store takes its element `element` from: `st.v2.f32 [p], {a, b};` has `a` and `b`.
pub fn stored_register(instruction: &str, element: usize) -> Option<&str> {
    let operands = instruction.split_once(']').map(|(_, rest)| rest)?;
    let operands = operands.trim_start_matches([',', ' ', '\t']);
    let list = match operands.strip_prefix('{') {
        Some(rest) => rest.split('}').next()?,
        None => operands.split([',', ';']).next()?,
    };
    let name = list.split(',').nth(element)?.trim();
    (!name.is_empty() && name != "_").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_from_five_digits() {
        assert_eq!(count(0), "0");
        assert_eq!(count(9999), "9999");
        assert_eq!(count(1_234_567), "1\u{2009}234\u{2009}567");
    }

    #[test]
    fn extents_drop_trailing_ones() {
        assert_eq!(extents([4, 1, 1]), "4");
        assert_eq!(extents([16, 8, 1]), "16 × 8");
        assert_eq!(extents([4, 1, 2]), "4 × 1 × 2");
    }

    #[test]
    fn stored_registers_are_found() {
        assert_eq!(
            stored_register("st.global.u32 [%rd4], %r5;", 0),
            Some("%r5")
        );
        let vector = "st.global.v4.f32 [%rd4+16], {%f1, %f2, _, %f4};";
        assert_eq!(stored_register(vector, 1), Some("%f2"));
        assert_eq!(stored_register(vector, 2), None);
        assert_eq!(stored_register("ret;", 0), None);
    }

    #[test]
    fn backticks_become_code() {
        let pieces: Vec<_> = code_pieces("`.v8` needs `sm_100`").collect();
        assert_eq!(
            pieces,
            [(".v8", true), (" needs ", false), ("sm_100", true)]
        );
    }

    #[test]
    fn element_sizes_follow_the_name() {
        assert_eq!(
            (
                element_bytes("bf16"),
                element_bytes("u8"),
                element_bytes("b128")
            ),
            (2, 1, 16)
        );
    }
}
