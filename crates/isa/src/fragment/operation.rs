//! The names of what has fragments: operations, the matrices that they move, shapes.

use std::fmt;

/// A matrix of the operation D = A * B + C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Matrix {
    /// M rows, K columns.
    A,
    /// K rows, N columns.
    B,
    /// The accumulator that is read: M rows, N columns.
    C,
    /// The result: M rows, N columns.
    D,
}

/// An operation, or an operand of one, that spreads a matrix over the registers of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FragmentOp {
    /// `wmma.store.d`
    StoreD,
    /// `wmma.load.a`, `.b` or `.c`.
    LoadA,
    LoadB,
    LoadC,
    /// An operand of `mma`.
    MmaA,
    MmaB,
    MmaC,
    MmaD,
    /// `ldmatrix` of one, two or four matrices.
    LdmatrixX1,
    LdmatrixX2,
    LdmatrixX4,
    /// `stmatrix` of one, two or four matrices.
    StmatrixX1,
    StmatrixX2,
    StmatrixX4,
    /// The operands of `movmatrix`: elements are numbered in the matrix that goes in.
    MovmatrixA,
    MovmatrixD,
}

impl FragmentOp {
    /// Every operation, in the order of the documentation.
    pub const ALL: [FragmentOp; 16] = [
        FragmentOp::StoreD,
        FragmentOp::LoadA,
        FragmentOp::LoadB,
        FragmentOp::LoadC,
        FragmentOp::MmaA,
        FragmentOp::MmaB,
        FragmentOp::MmaC,
        FragmentOp::MmaD,
        FragmentOp::LdmatrixX1,
        FragmentOp::LdmatrixX2,
        FragmentOp::LdmatrixX4,
        FragmentOp::StmatrixX1,
        FragmentOp::StmatrixX2,
        FragmentOp::StmatrixX4,
        FragmentOp::MovmatrixA,
        FragmentOp::MovmatrixD,
    ];

    /// The name: `store.d`, `mma.a`, `ldmatrix.x4`.
    pub const fn name(self) -> &'static str {
        match self {
            FragmentOp::StoreD => "store.d",
            FragmentOp::LoadA => "load.a",
            FragmentOp::LoadB => "load.b",
            FragmentOp::LoadC => "load.c",
            FragmentOp::MmaA => "mma.a",
            FragmentOp::MmaB => "mma.b",
            FragmentOp::MmaC => "mma.c",
            FragmentOp::MmaD => "mma.d",
            FragmentOp::LdmatrixX1 => "ldmatrix.x1",
            FragmentOp::LdmatrixX2 => "ldmatrix.x2",
            FragmentOp::LdmatrixX4 => "ldmatrix.x4",
            FragmentOp::StmatrixX1 => "stmatrix.x1",
            FragmentOp::StmatrixX2 => "stmatrix.x2",
            FragmentOp::StmatrixX4 => "stmatrix.x4",
            FragmentOp::MovmatrixA => "movmatrix.a",
            FragmentOp::MovmatrixD => "movmatrix.d",
        }
    }

    /// The operation with this name; a leading `wmma.` may be written.
    pub fn from_name(name: &str) -> Option<FragmentOp> {
        let name = name.strip_prefix("wmma.").unwrap_or(name);
        FragmentOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// The matrix that the operation moves. Those of `ldmatrix` and its relatives are like C and D: rows and columns
    /// without a depth.
    pub const fn matrix(self) -> Matrix {
        match self {
            FragmentOp::LoadA | FragmentOp::MmaA => Matrix::A,
            FragmentOp::LoadB | FragmentOp::MmaB => Matrix::B,
            FragmentOp::LoadC | FragmentOp::MmaC => Matrix::C,
            FragmentOp::StoreD
            | FragmentOp::MmaD
            | FragmentOp::LdmatrixX1
            | FragmentOp::LdmatrixX2
            | FragmentOp::LdmatrixX4
            | FragmentOp::StmatrixX1
            | FragmentOp::StmatrixX2
            | FragmentOp::StmatrixX4
            | FragmentOp::MovmatrixA
            | FragmentOp::MovmatrixD => Matrix::D,
        }
    }

    /// Whether it moves the matrix from or to memory; the others are registers only.
    pub const fn has_memory(self) -> bool {
        match self {
            FragmentOp::StoreD
            | FragmentOp::LoadA
            | FragmentOp::LoadB
            | FragmentOp::LoadC
            | FragmentOp::LdmatrixX1
            | FragmentOp::LdmatrixX2
            | FragmentOp::LdmatrixX4
            | FragmentOp::StmatrixX1
            | FragmentOp::StmatrixX2
            | FragmentOp::StmatrixX4 => true,
            FragmentOp::MmaA
            | FragmentOp::MmaB
            | FragmentOp::MmaC
            | FragmentOp::MmaD
            | FragmentOp::MovmatrixA
            | FragmentOp::MovmatrixD => false,
        }
    }

    /// Whether it is a `wmma.load` or `wmma.store`, which goes to memory in rows or columns with a stride.
    pub const fn is_wmma(self) -> bool {
        matches!(
            self,
            FragmentOp::StoreD | FragmentOp::LoadA | FragmentOp::LoadB | FragmentOp::LoadC
        )
    }
}

impl fmt::Display for FragmentOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The shape of a matrix operation: `m16n16k16`, or `m8n8` where there is no depth (`k` is 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Rows of A, C and D.
    pub m: u16,
    /// Columns of B, C and D.
    pub n: u16,
    /// Columns of A, rows of B.
    pub k: u16,
}

impl Shape {
    /// The shape with these numbers.
    pub const fn new(m: u16, n: u16, k: u16) -> Shape {
        Shape { m, n, k }
    }

    /// The shape that is written so: `m16n16k16`.
    pub fn from_name(name: &str) -> Option<Shape> {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k').unwrap_or((rest, "0"));
        Some(Shape::new(
            m.parse().ok()?,
            n.parse().ok()?,
            k.parse().ok()?,
        ))
    }

    /// Rows and columns of one of its matrices.
    pub const fn size(self, matrix: Matrix) -> (u16, u16) {
        match matrix {
            Matrix::A => (self.m, self.k),
            Matrix::B => (self.k, self.n),
            Matrix::C | Matrix::D => (self.m, self.n),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}", self.m, self.n)?;
        if self.k > 0 {
            write!(f, "k{}", self.k)?;
        }
        Ok(())
    }
}
