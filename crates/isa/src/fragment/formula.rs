//! Closed formulas: rows and columns as sums of bit fields of the lane and of the element number.
//!
//! Every fragment is such a sum, since matrices and fragments have powers of two as sizes and each bit of a row or column comes
//! from one bit of the lane or of the element number.

use std::fmt;

/// The letters of a written formula, with their meaning.
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

/// What a bit field is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// The lane, 5 bits.
    Lane,
    /// The number of the element in the lane: register times elements per register, plus the place in the register.
    Element,
}

/// `width` bits of the source from bit `from` on, placed from bit `to` of the result on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    pub source: Source,
    pub from: u8,
    pub width: u8,
    pub to: u8,
}

/// A field of the lane.
pub(super) const fn lane(from: u8, width: u8, to: u8) -> Field {
    Field {
        source: Source::Lane,
        from,
        width,
        to,
    }
}

/// A field of the element number.
pub(super) const fn element(from: u8, width: u8, to: u8) -> Field {
    Field {
        source: Source::Element,
        from,
        width,
        to,
    }
}

impl Field {
    /// The field's part of the sum.
    pub const fn value(self, lane: u16, element: u16) -> u16 {
        let source = match self.source {
            Source::Lane => lane,
            Source::Element => element,
        };
        ((source >> self.from) & ((1 << self.width) - 1)) << self.to
    }

    /// The field as it is written, given how many bits the element number has.
    fn text(self, element_bits: u8) -> String {
        let (name, start, bits) = match (self.source, self.from, self.width) {
            (Source::Element, ..) => ("e", 0, element_bits),
            (Source::Lane, 0 | 1, _) => ("t", 0, 2),
            (Source::Lane, 2, 3) => ("g", 2, 3),
            (Source::Lane, 2 | 3, _) => ("p", 2, 2),
            (Source::Lane, ..) => ("u", 4, 1),
        };
        let from = self.from - start;
        let mask = (1u16 << self.width) - 1;
        let is_top = from + self.width >= bits;
        // A field that stays in its place needs a mask only, others a shift.
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

/// A sum of fields that share no bit of the result.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Sum(Vec<Field>);

impl Sum {
    /// The sum of these fields; those without bits are left out, neighbours become one field.
    pub(super) fn of(fields: impl IntoIterator<Item = Field>) -> Sum {
        let mut sum: Vec<Field> = Vec::new();
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
        Sum(sum)
    }

    /// The fields, in the order in which the formula is written.
    pub fn fields(&self) -> &[Field] {
        &self.0
    }

    /// The value for a lane and an element number.
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

/// A whole fragment: the place of each element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// The matrix, where an operation has several (`ldmatrix.x4`; `mma.m8n8k4`, one a quad pair).
    pub matrix: Sum,
    pub row: Sum,
    pub column: Sum,
    /// Bits of the element number.
    pub element_bits: u8,
}

impl Formula {
    /// The same with rows and columns exchanged.
    pub(super) fn transposed(self) -> Formula {
        Formula {
            row: self.column,
            column: self.row,
            ..self
        }
    }
}

impl fmt::Display for Formula {
    /// In [`VARIABLES`]; valid JavaScript and Python.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |sum: &Sum| sum.text(self.element_bits);
        write!(f, "row = {}; col = {}", text(&self.row), text(&self.column))?;
        if self.matrix.fields().is_empty() {
            return Ok(());
        }
        write!(f, "; matrix = {}", text(&self.matrix))
    }
}
