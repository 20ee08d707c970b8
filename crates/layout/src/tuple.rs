//! Nested tuples of numbers such as `(8,(2,4))`: shapes, strides and coordinates.

use std::fmt;

/// Number, or a tuple of nested tuples.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tuple {
    Leaf(i64),
    Node(Vec<Tuple>),
}

impl Tuple {
    /// Returns the numbers from left to right.
    pub fn leaves(&self) -> Vec<i64> {
        let mut leaves = Vec::new();
        self.collect(&mut leaves);
        leaves
    }

    fn collect(&self, into: &mut Vec<i64>) {
        match self {
            Tuple::Leaf(number) => into.push(*number),
            Tuple::Node(all) => all.iter().for_each(|part| part.collect(into)),
        }
    }

    /// Checks whether the tuple is a number.
    pub const fn is_one(&self) -> bool {
        matches!(self, Tuple::Leaf(_))
    }

    /// Returns the number of elements. The rank of a number is 1.
    pub fn rank(&self) -> usize {
        match self {
            Tuple::Leaf(_) => 1,
            Tuple::Node(all) => all.len(),
        }
    }

    /// Checks whether both tuples have the same nesting.
    pub fn is_congruent(&self, other: &Tuple) -> bool {
        match (self, other) {
            (Tuple::Leaf(_), Tuple::Leaf(_)) => true,
            (Tuple::Node(own), Tuple::Node(others)) => {
                own.len() == others.len() && own.iter().zip(others).all(|(a, b)| a.is_congruent(b))
            }
            _ => false,
        }
    }

    /// Returns a tuple with the same nesting and other numbers, in order from left to right. The iterator must
    /// return enough numbers.
    pub(crate) fn with_leaves(&self, numbers: &mut impl Iterator<Item = i64>) -> Tuple {
        match self {
            Tuple::Leaf(own) => Tuple::Leaf(numbers.next().unwrap_or(*own)),
            Tuple::Node(all) => {
                Tuple::Node(all.iter().map(|part| part.with_leaves(numbers)).collect())
            }
        }
    }

    /// Creates a tuple without nesting, or a number from a single number.
    pub(crate) fn of_leaves(numbers: &[i64]) -> Tuple {
        match numbers {
            [one] => Tuple::Leaf(*one),
            many => Tuple::Node(many.iter().map(|number| Tuple::Leaf(*number)).collect()),
        }
    }
}

impl fmt::Display for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tuple::Leaf(number) => write!(f, "{number}"),
            Tuple::Node(all) => {
                f.write_str("(")?;
                for (at, part) in all.iter().enumerate() {
                    if at > 0 {
                        f.write_str(",")?;
                    }
                    write!(f, "{part}")?;
                }
                f.write_str(")")
            }
        }
    }
}
