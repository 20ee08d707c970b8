//! Byte and half-word selectors of video instructions (PTX ISA, "Video Instructions"): parses the selectors of the operands and encodes
//! them as one additional immediate operand.

/// Maximum number of digits of a selector, such as four for `.b3210`.
pub const MAX_PARTS: usize = 4;

/// Selector of bytes or half words of an operand, such as `.b0`, `.h1` or `.b3210`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubwordSelector {
    /// `true` if the selector selects bytes, `false` if it selects half words.
    pub bytes: bool,
    /// Digits in source order. Only the first `n` array elements are used. The first digit selects the byte or half word for the most
    /// significant element.
    digits: [u8; MAX_PARTS],
    n: u8,
}

impl SubwordSelector {
    /// Parses a selector without the dot: `b3210`.
    pub fn read(text: &str) -> Option<SubwordSelector> {
        let (bytes, written) = match text.split_at_checked(1)? {
            ("b", digits) => (true, digits),
            ("h", digits) => (false, digits),
            _ => return None,
        };
        if written.is_empty() || written.len() > MAX_PARTS {
            return None;
        }
        let mut digits = [0; MAX_PARTS];
        for (digit, byte) in digits.iter_mut().zip(written.bytes()) {
            *digit = char::from(byte).to_digit(8)? as u8;
        }
        let n = written.len() as u8;
        Some(SubwordSelector { bytes, digits, n })
    }

    /// Returns the digits. The first digit selects the byte or half word for the most significant element.
    pub fn digits(&self) -> &[u8] {
        self.digits.get(..usize::from(self.n)).unwrap_or(&[])
    }

    /// Returns the digit of a single-element selector.
    pub fn first(&self) -> u32 {
        self.digits().first().map_or(0, |digit| u32::from(*digit))
    }

    /// Returns the index of the byte or half word that is selected for element `index`. Element 0 is the least significant element.
    pub fn element(&self, index: usize) -> Option<usize> {
        let digit = self.digits().iter().rev().nth(index);
        digit.map(|digit| usize::from(*digit))
    }

    /// Returns the width in bits of each selected byte or half word.
    pub const fn width_bits(&self) -> u32 {
        if self.bytes { 8 } else { 16 }
    }

    fn to_bits(self) -> u64 {
        let digits = self.digits.iter().rev();
        let packed = digits.fold(0, |packed, digit| packed << 3 | u64::from(*digit));
        packed | u64::from(self.n) << 12 | u64::from(self.bytes) << 15
    }

    fn from_bits(bits: u64) -> Option<SubwordSelector> {
        let n = (bits >> 12 & 7) as u8;
        let digits = std::array::from_fn(|index| (bits >> (3 * index) & 7) as u8);
        let bytes = bits >> 15 & 1 != 0;
        (n > 0).then_some(SubwordSelector { bytes, digits, n })
    }
}

/// Selectors of all operands of one video instruction, encoded as an additional immediate operand by [`SubwordSelectors::to_bits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct SubwordSelectors {
    /// Selector of the result.
    pub d: Option<SubwordSelector>,
    /// Selector of the first source.
    pub a: Option<SubwordSelector>,
    /// Selector of the second source.
    pub b: Option<SubwordSelector>,
    /// Whether the product of `vmad` is negated.
    pub negate_product: bool,
    /// Whether the addend of `vmad` is negated.
    pub negate_addend: bool,
}

impl SubwordSelectors {
    /// Encodes the selectors as an immediate, which is appended to the operands of the source.
    pub fn to_bits(self) -> u64 {
        let bits = |parts: Option<SubwordSelector>| parts.map_or(0, SubwordSelector::to_bits);
        bits(self.d)
            | bits(self.a) << 16
            | bits(self.b) << 32
            | u64::from(self.negate_product) << 48
            | u64::from(self.negate_addend) << 49
    }

    /// Decodes an immediate that [`SubwordSelectors::to_bits`] has encoded.
    pub fn from_bits(bits: u64) -> SubwordSelectors {
        SubwordSelectors {
            d: SubwordSelector::from_bits(bits & 0xffff),
            a: SubwordSelector::from_bits(bits >> 16 & 0xffff),
            b: SubwordSelector::from_bits(bits >> 32 & 0xffff),
            negate_product: bits >> 48 & 1 != 0,
            negate_addend: bits >> 49 & 1 != 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SubwordSelector, SubwordSelectors};

    #[test]
    fn subword_selectors_round_trip_through_bits() {
        let d = SubwordSelector::read("b30");
        let (a, b) = (SubwordSelector::read("b0123"), SubwordSelector::read("h1"));
        assert_eq!(a.map(|parts| parts.element(0)), Some(Some(3)));
        let selection = SubwordSelectors {
            d,
            a,
            b,
            negate_product: true,
            negate_addend: false,
        };
        assert_eq!(SubwordSelectors::from_bits(selection.to_bits()), selection);
        assert_eq!(SubwordSelectors::from_bits(0), SubwordSelectors::default());
        assert_eq!(SubwordSelector::read("b8"), None);
        assert_eq!(SubwordSelector::read("h"), None);
    }
}
