//! Memory accesses in the compiled code of `wmma.load` and `wmma.store`, derived from a fragment map and a layout. The width of the widest
//! access is the required alignment of address and stride.

use super::family::FragmentFamily;
use super::map::FragmentMap;
use super::operation::{FragmentOp, MatrixOperand, Shape};
use super::tensor_core::TensorCoreGeneration;
use crate::modifier::MatrixLayout;
use crate::types::ScalarType;

/// Effect of a stride that is not a multiple of [`WmmaAccess::bytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MisalignedStride {
    /// A misaligned access causes a fault.
    Fault,
    /// Misaligned accesses do not fault. For some rows, the hardware drops the low bits of the stride, so that the accesses use wrong
    /// addresses.
    Moved,
}

impl MisalignedStride {
    /// Returns `fault` or `moved`.
    pub const fn name(self) -> &'static str {
        match self {
            MisalignedStride::Fault => "fault",
            MisalignedStride::Moved => "moved",
        }
    }
}

/// Memory accesses of one operation to one state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WmmaAccess {
    /// Size in bytes of the widest access. The address and the stride in bytes must be aligned to this size.
    pub bytes: u8,
    /// Number of memory accesses per lane.
    pub count: u8,
    /// Effect of a misaligned stride, or `None` if elements are accessed individually, so that every stride is aligned.
    pub short_stride: Option<MisalignedStride>,
    /// Whether the accesses are `ldmatrix` instructions, in which the lane that provides the address of a row differs from the lanes that
    /// receive the elements of the row.
    pub by_rows: bool,
}

impl WmmaAccess {
    /// Returns the number of bytes that one access transfers per lane. For `ldmatrix`, this is the size of one register, which contains the
    /// lane's part of a matrix.
    pub const fn lane_bytes(self) -> u32 {
        match self.by_rows {
            true => 4,
            false => self.bytes as u32,
        }
    }
}

/// Memory accesses of one operation, by state space of the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WmmaAccesses {
    /// Accesses with a global or generic address.
    pub global: WmmaAccess,
    pub shared: WmmaAccess,
}

const fn access(bytes: u8, count: u8, short_stride: Option<MisalignedStride>) -> WmmaAccess {
    WmmaAccess {
        bytes,
        count,
        short_stride,
        by_rows: false,
    }
}

const FAULT: Option<MisalignedStride> = Some(MisalignedStride::Fault);
const MOVED: Option<MisalignedStride> = Some(MisalignedStride::Moved);

impl FragmentMap {
    /// Returns the memory accesses that the compiled code performs for this fragment if the matrix has the layout `layout`, or `None` for
    /// operations other than `wmma.load` and `wmma.store`.
    pub fn accesses(&self, layout: MatrixLayout) -> Option<WmmaAccesses> {
        let core = TensorCoreGeneration::of(&self.query.target)?;
        match self.query.op {
            FragmentOp::StoreD | FragmentOp::LoadC => {
                let access = self.accumulator(layout);
                Some(WmmaAccesses {
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

    fn accumulator(&self, layout: MatrixLayout) -> WmmaAccess {
        let n = self.n_elements();
        let is_row = layout == MatrixLayout::Row;
        match (self.family, self.query.ty) {
            (FragmentFamily::QuadPair, ScalarType::F16) if is_row => access(16, 1, FAULT),
            (FragmentFamily::QuadPair, ScalarType::F16) => access(2, n, None),
            (FragmentFamily::QuadPair, _) if is_row => access(8, n / 2, FAULT),
            (_, ScalarType::F64) if is_row => access(16, 1, FAULT),
            (_, ScalarType::F64) => access(8, n, None),
            // In both layouts, one access stores two elements. If the two elements of a lane are in different rows, the lanes exchange
            // elements before the access.
            (FragmentFamily::Group, ScalarType::F16) => access(4, self.n_registers, MOVED),
            (FragmentFamily::Group, _) if is_row == self.has_pairs_in_rows() => {
                access(8, n / 2, MOVED)
            }
            _ => access(4, n, None),
        }
    }

    /// Returns whether elements 0 and 1 of a lane are adjacent in a row rather than in a column.
    fn has_pairs_in_rows(&self) -> bool {
        self.formula.column.value(0, 1) == 1
    }

    fn factor(&self, core: TensorCoreGeneration, layout: MatrixLayout) -> WmmaAccesses {
        // Adjacent elements of a lane are adjacent in the k dimension.
        let is_along = match self.query.op.matrix() {
            MatrixOperand::A => layout == MatrixLayout::Row,
            _ => layout == MatrixLayout::Col,
        };
        let same = |access| WmmaAccesses {
            global: access,
            shared: access,
        };
        let n_read = self.n_read_registers;
        // `ldmatrix` reads two matrices at once on `sm_75`, and up to four from `sm_80` on.
        let rows = |n_matrices: u8| WmmaAccess {
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
            _ if has_bytes && core == TensorCoreGeneration::Volta => same(access(4, n_read, FAULT)),
            _ if has_bytes => WmmaAccesses {
                global: access(4, n_read, FAULT),
                shared: rows(2),
            },
            _ if self.query.shape == Shape::new(8, 8, self.query.shape.k) => WmmaAccesses {
                global: access(4, n_read, MOVED),
                shared: rows(1),
            },
            _ => WmmaAccesses {
                global: access(4, n_read, MOVED),
                shared: rows(if core == TensorCoreGeneration::Turing {
                    2
                } else {
                    4
                }),
            },
        }
    }
}
