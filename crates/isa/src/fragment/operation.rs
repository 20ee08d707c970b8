//! Operations with fragments, their matrices and their shapes.

use std::fmt;

/// Matrix of the operation D = A * B + C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatrixOperand {
    /// Operand A with M rows and K columns.
    A,
    /// Operand B with K rows and N columns.
    B,
    /// Accumulator input C with M rows and N columns.
    C,
    /// Result D with M rows and N columns.
    D,
}

/// Operation whose operand is a fragment, or one operand of an operation with several fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FragmentOp {
    /// `wmma.store.d`
    StoreD,
    /// `wmma.load.a`, `.b` or `.c`.
    LoadA,
    LoadB,
    LoadC,
    /// Operand of `mma`.
    MmaA,
    MmaB,
    MmaC,
    MmaD,
    /// `ldmatrix` with one, two or four matrices.
    LdmatrixX1,
    LdmatrixX2,
    LdmatrixX4,
    /// `stmatrix` with one, two or four matrices, respectively.
    StmatrixX1,
    StmatrixX2,
    StmatrixX4,
    /// Operands of `movmatrix`: elements are numbered by their coordinates in the source matrix.
    MovmatrixA,
    MovmatrixD,
}

impl FragmentOp {
    /// All operations, in the order of the documentation.
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

    /// Returns the name of the operation, such as `store.d`, `mma.a` or `ldmatrix.x4`.
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

    /// Returns the operation with this name. The prefix `wmma.` is optional.
    pub fn from_name(name: &str) -> Option<FragmentOp> {
        let name = name.strip_prefix("wmma.").unwrap_or(name);
        FragmentOp::ALL.into_iter().find(|op| op.name() == name)
    }

    /// Returns the matrix that the operation transfers. For `ldmatrix`, `stmatrix` and `movmatrix`, the result is C or D, because their
    /// matrices have rows and columns, but no k dimension.
    pub const fn matrix(self) -> MatrixOperand {
        match self {
            FragmentOp::LoadA | FragmentOp::MmaA => MatrixOperand::A,
            FragmentOp::LoadB | FragmentOp::MmaB => MatrixOperand::B,
            FragmentOp::LoadC | FragmentOp::MmaC => MatrixOperand::C,
            FragmentOp::StoreD
            | FragmentOp::MmaD
            | FragmentOp::LdmatrixX1
            | FragmentOp::LdmatrixX2
            | FragmentOp::LdmatrixX4
            | FragmentOp::StmatrixX1
            | FragmentOp::StmatrixX2
            | FragmentOp::StmatrixX4
            | FragmentOp::MovmatrixA
            | FragmentOp::MovmatrixD => MatrixOperand::D,
        }
    }

    /// Returns whether the operation accesses memory. All other operations access only registers.
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

    /// Returns whether the operation is a `wmma.load` or `wmma.store`, which accesses rows or columns with a stride.
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

/// Shape of a matrix operation: `m16n16k16`, or `m8n8` without a depth (`k` is 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    /// Number of rows of A, C and D.
    pub m: u16,
    /// Number of columns of B, C and D.
    pub n: u16,
    /// Number of columns of A and rows of B.
    pub k: u16,
}

impl Shape {
    /// Creates the shape of a matrix operation with M rows, N columns and depth K.
    pub const fn new(m: u16, n: u16, k: u16) -> Shape {
        Shape { m, n, k }
    }

    /// Parses a shape such as `m16n16k16`.
    pub fn from_name(name: &str) -> Option<Shape> {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k').unwrap_or((rest, "0"));
        Some(Shape::new(
            m.parse().ok()?,
            n.parse().ok()?,
            k.parse().ok()?,
        ))
    }

    /// Returns the numbers of rows and columns of a matrix.
    pub const fn size(self, matrix: MatrixOperand) -> (u16, u16) {
        match matrix {
            MatrixOperand::A => (self.m, self.k),
            MatrixOperand::B => (self.k, self.n),
            MatrixOperand::C | MatrixOperand::D => (self.m, self.n),
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
