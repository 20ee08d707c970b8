//! The memory accesses of compiled `wmma.load` and `wmma.store`: their width is the alignment that address and stride need.
//! A fragment map and a layout go in.

use super::family::FragmentFamily;
use super::map::FragmentMap;
use super::operation::{FragmentOp, Matrix, Shape};
use super::tensor_core::TensorCore;
use crate::modifier::MatrixLayout;
use crate::types::ScalarType;

/// What a stride that is no multiple of [`Access::bytes`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShortStride {
    /// Misaligned accesses.
    Fault,
    /// No fault: low bits of the stride are dropped for some of the rows, which land elsewhere.
    Moved,
}

impl ShortStride {
    /// `fault` or `moved`.
    pub const fn name(self) -> &'static str {
        match self {
            ShortStride::Fault => "fault",
            ShortStride::Moved => "moved",
        }
    }
}

/// Accesses to one state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Bytes of the widest access, which is the alignment that the address and the stride in bytes need.
    pub bytes: u8,
    /// How many accesses a lane makes.
    pub count: u8,
    /// `None` where elements are accessed one by one, so that every stride is aligned.
    pub short_stride: Option<ShortStride>,
    /// Whether they are those of `ldmatrix`: the lane that gives the address of 16 bytes is not the one that gets them.
    pub by_rows: bool,
}

impl Access {
    /// Bytes of a lane that one pass over memory moves: of `ldmatrix` one register, which is the lane's part of a matrix.
    pub const fn lane_bytes(self) -> u32 {
        match self.by_rows {
            true => 4,
            false => self.bytes as u32,
        }
    }
}

/// The accesses of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Accesses {
    /// Global and generic addresses.
    pub global: Access,
    pub shared: Access,
}

const fn access(bytes: u8, count: u8, short_stride: Option<ShortStride>) -> Access {
    Access {
        bytes,
        count,
        short_stride,
        by_rows: false,
    }
}

const FAULT: Option<ShortStride> = Some(ShortStride::Fault);
const MOVED: Option<ShortStride> = Some(ShortStride::Moved);

impl FragmentMap {
    /// The accesses that compiled code makes for this fragment in `layout`; `None` for what is no `wmma.load` or `wmma.store`.
    pub fn accesses(&self, layout: MatrixLayout) -> Option<Accesses> {
        let core = TensorCore::of(&self.query.target)?;
        match self.query.op {
            FragmentOp::StoreD | FragmentOp::LoadC => {
                let access = self.accumulator(layout);
                Some(Accesses {
                    global: access,
                    shared: access,
                })
            }
            FragmentOp::LoadA | FragmentOp::LoadB => Some(self.factor(core, layout)),
            _ => None,
        }
    }

    fn n_elements(&self) -> u8 {
        self.n_registers * self.elements_per_register
    }

    fn accumulator(&self, layout: MatrixLayout) -> Access {
        let n = self.n_elements();
        let is_row = layout == MatrixLayout::Row;
        match (self.family, self.query.ty) {
            (FragmentFamily::QuadPair, ScalarType::F16) if is_row => access(16, 1, FAULT),
            (FragmentFamily::QuadPair, ScalarType::F16) => access(2, n, None),
            (FragmentFamily::QuadPair, _) if is_row => access(8, n / 2, FAULT),
            (_, ScalarType::F64) if is_row => access(16, 1, FAULT),
            (_, ScalarType::F64) => access(8, n, None),
            // Pairs are stored whole in both layouts: where they run across the rows, lanes exchange halves first.
            (FragmentFamily::Group, ScalarType::F16) => access(4, self.n_registers, MOVED),
            (FragmentFamily::Group, _) if is_row == self.has_pairs_in_rows() => {
                access(8, n / 2, MOVED)
            }
            _ => access(4, n, None),
        }
    }

    /// Whether elements 0 and 1 of a lane are neighbours in a row, not in a column.
    fn has_pairs_in_rows(&self) -> bool {
        self.formula.column.value(0, 1) == 1
    }

    fn factor(&self, core: TensorCore, layout: MatrixLayout) -> Accesses {
        // Elements that a lane holds side by side are neighbours in k.
        let is_along = match self.query.op.matrix() {
            Matrix::A => layout == MatrixLayout::Row,
            _ => layout == MatrixLayout::Col,
        };
        let same = |access| Accesses {
            global: access,
            shared: access,
        };
        let n_read = self.n_read_registers;
        // Rows of `ldmatrix`, which reads two matrices at once on `sm_75`, and up to four from `sm_80` on.
        let rows = |n_matrices: u8| Access {
            by_rows: true,
            ..access(16, n_read.div_ceil(n_matrices), FAULT)
        };
        let has_bytes = matches!(self.query.ty, ScalarType::U8 | ScalarType::S8);
        match self.query.ty {
            ScalarType::F16 if self.family == FragmentFamily::QuadPair => same(if is_along {
                access(16, 2, FAULT)
            } else {
                access(8, 4, FAULT)
            }),
            ScalarType::F64 => same(access(8, 1, None)),
            ScalarType::Tf32 => same(access(4, n_read, None)),
            _ if has_bytes && !is_along => same(access(1, self.n_elements(), None)),
            _ if has_bytes && core == TensorCore::Volta => same(access(4, n_read, FAULT)),
            _ if has_bytes => Accesses {
                global: access(4, n_read, FAULT),
                shared: rows(2),
            },
            _ if self.query.shape == Shape::new(8, 8, self.query.shape.k) => Accesses {
                global: access(4, n_read, MOVED),
                shared: rows(1),
            },
            _ => Accesses {
                global: access(4, n_read, MOVED),
                shared: rows(if core == TensorCore::Turing { 2 } else { 4 }),
            },
        }
    }
}
