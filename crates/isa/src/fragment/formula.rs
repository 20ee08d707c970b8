//! Closed formulas: rows and columns as sums of bit fields of the lane index and of the element index.
//!
//! Every fragment has a formula of this kind, because the sizes of matrices and fragments are powers of two, and each bit of a row or
//! column index equals one bit of the lane index or of the element index.

use std::fmt;

/// Variables of a printed formula, with their descriptions.
pub const VARIABLES: [(&str, &str); 6] = [
    ("L", "lane index in the warp, from 0 to 31"),
    (
        "e",
        "element index in the lane, which is reg * elems_per_reg + position in the register, counted from the low bits",
    ),
    ("g", "L >> 2"),
    ("t", "L & 3"),
    ("p", "(L >> 2) & 3"),
    ("u", "L >> 4"),
];

/// Index from which a bit field is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexSource {
    /// Lane index, 5 bits.
    Lane,
    /// Index of the element within the lane: register index times number of elements per register, plus position within the register.
    Element,
}

/// Bit field that copies `width` bits of the source, starting at bit `from`, to the bits of the result that start at bit `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitField {
    pub source: IndexSource,
    pub from: u8,
    pub width: u8,
    pub to: u8,
}

/// Creates a bit field of the lane index.
pub(super) const fn lane(from: u8, width: u8, to: u8) -> BitField {
    BitField {
        source: IndexSource::Lane,
        from,
        width,
        to,
    }
}

/// Creates a bit field of the element index.
pub(super) const fn element(from: u8, width: u8, to: u8) -> BitField {
    BitField {
        source: IndexSource::Element,
        from,
        width,
        to,
    }
}

impl BitField {
    /// Returns the value of the bit field for a lane and an element index.
    pub const fn value(self, lane: u16, element: u16) -> u16 {
        let source = match self.source {
            IndexSource::Lane => lane,
            IndexSource::Element => element,
        };
        ((source >> self.from) & ((1 << self.width) - 1)) << self.to
    }

    /// Formats the bit field as an expression. `element_bits` is the width of the element index in bits.
    fn text(self, element_bits: u8) -> String {
        let (name, start, bits) = match (self.source, self.from, self.width) {
            (IndexSource::Element, ..) => ("e", 0, element_bits),
            (IndexSource::Lane, 0 | 1, _) => ("t", 0, 2),
            (IndexSource::Lane, 2, 3) => ("g", 2, 3),
            (IndexSource::Lane, 2 | 3, _) => ("p", 2, 2),
            (IndexSource::Lane, ..) => ("u", 4, 1),
        };
        let from = self.from - start;
        let mask = (1u16 << self.width) - 1;
        let is_top = from + self.width >= bits;
        // A field that keeps its bit position requires only a mask. All other fields require a shift.
        if from == self.to && from > 0 {
            return format!("({name}&{})", mask << from);
        }
        let field = match (from, is_top) {
            (0, true) => name.to_owned(),
            (0, false) => format!("({name}&{mask})"),
            (_, true) => format!("({name}>>{from})"),
            (_, false) => format!("(({name}>>{from})&{mask})"),
        };
        if self.to == 0 {
            field
        } else {
            format!("{}*{field}", 1u16 << self.to)
        }
    }
}

/// Sum of bit fields that occupy disjoint bits of the result.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct BitFieldSum(Vec<BitField>);

impl BitFieldSum {
    /// Creates the sum of these bit fields. The function drops fields of width 0 and merges adjacent fields.
    pub(super) fn of(fields: impl IntoIterator<Item = BitField>) -> BitFieldSum {
        let mut sum: Vec<BitField> = Vec::new();
        for field in fields.into_iter().filter(|field| field.width > 0) {
            match sum.last_mut() {
                Some(last)
                    if last.source == field.source
                        && last.from + last.width == field.from
                        && last.to + last.width == field.to =>
                {
                    last.width += field.width;
                }
                _ => sum.push(field),
            }
        }
        BitFieldSum(sum)
    }

    /// Returns the bit fields in the order in which the printed formula contains them.
    pub fn fields(&self) -> &[BitField] {
        &self.0
    }

    /// Returns the value for a lane and an element index.
    pub fn value(&self, lane: u16, element: u16) -> u16 {
        self.0.iter().map(|field| field.value(lane, element)).sum()
    }

    fn text(&self, element_bits: u8) -> String {
        let terms: Vec<String> = self
            .0
            .iter()
            .map(|field| field.text(element_bits))
            .collect();
        if terms.is_empty() {
            "0".to_owned()
        } else {
            terms.join(" + ")
        }
    }
}

/// Fragment formula: the matrix, the row and the column of an element as functions of the lane index and the element index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentFormula {
    /// Index of the matrix, for operations with several matrices (such as `ldmatrix.x4`, or `mma.m8n8k4` with one matrix per quad pair).
    pub matrix: BitFieldSum,
    pub row: BitFieldSum,
    pub column: BitFieldSum,
    /// Width of the element index in bits.
    pub element_bits: u8,
}

impl FragmentFormula {
    /// Returns the formula with rows and columns exchanged.
    pub(super) fn transposed(self) -> FragmentFormula {
        FragmentFormula {
            row: self.column,
            column: self.row,
            ..self
        }
    }
}

impl fmt::Display for FragmentFormula {
    /// Prints the formula in terms of [`VARIABLES`]. The text is valid JavaScript and valid Python.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |sum: &BitFieldSum| sum.text(self.element_bits);
        write!(f, "row = {}; col = {}", text(&self.row), text(&self.column))?;
        if self.matrix.fields().is_empty() {
            return Ok(());
        }
        write!(f, "; matrix = {}", text(&self.matrix))
    }
}
