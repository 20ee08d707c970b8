//! A fragment map: what can be asked of a formula, with rows, columns, registers and offsets.

use super::family::FragmentFamily;
use super::formula::Formula;
use super::{FragmentQuery, Matrix};
use crate::form::Origin;
use crate::modifier::MatrixLayout;

/// Lanes of a warp.
const N_LANES: u8 = 32;

/// A matrix element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which matrix, where the operation has several; else 0.
    pub matrix: u16,
    pub row: u16,
    pub column: u16,
}

/// Where a matrix element is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Holder {
    pub lane: u8,
    /// The position in the PTX vector operand.
    pub register: u8,
    /// The position in the register, low bits first.
    pub element: u8,
}

impl MatrixLayout {
    /// The line of memory that `place` lies in, and its position in the line.
    pub const fn major_minor(self, place: Place) -> (u16, u16) {
        match self {
            MatrixLayout::Row => (place.row, place.column),
            MatrixLayout::Col => (place.column, place.row),
        }
    }
}

/// Which lane and register holds which element of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentMap {
    /// The query, with its layout filled in.
    pub query: FragmentQuery,
    pub layout: MatrixLayout,
    /// The layouts that have this very map.
    pub layouts: Vec<MatrixLayout>,
    pub family: FragmentFamily,
    /// Rows of one matrix.
    pub rows: u16,
    /// Columns of one matrix.
    pub columns: u16,
    /// Matrices in the fragment: 1 except for `ldmatrix`, `stmatrix` and `mma.m8n8k4`.
    pub n_matrices: u16,
    /// Registers in the vector operand; 64 bits each for `f64`, else 32.
    pub n_registers: u8,
    pub elements_per_register: u8,
    /// The leading registers that the product reads, for A and B: `wmma` vectors of `f16` repeat them to fill eight.
    pub n_read_registers: u8,
    pub formula: Formula,
    pub origin: Origin,
}

impl FragmentMap {
    /// The width of an element in bits.
    pub fn element_bits(&self) -> u32 {
        self.query.ty.width_bits()
    }

    /// Bits between two elements of a register: a byte for elements of less that `ldmatrix` unpacks.
    pub fn container_bits(&self) -> u32 {
        let per_register = u32::from(self.elements_per_register.max(1));
        self.element_bits().max(32 / per_register)
    }

    /// The matrix element that `holder` holds. Lanes and registers beyond the fragment count modulo its sizes.
    pub fn place(&self, holder: Holder) -> Place {
        let lane = u16::from(holder.lane % N_LANES);
        let register = u16::from(holder.register % self.n_registers);
        let per_register = u16::from(self.elements_per_register);
        let number = register * per_register + u16::from(holder.element) % per_register;
        Place {
            matrix: self.formula.matrix.value(lane, number),
            row: self.formula.row.value(lane, number),
            column: self.formula.column.value(lane, number),
        }
    }

    /// Every lane, register and position, in that order.
    pub fn holders(&self) -> impl Iterator<Item = Holder> + '_ {
        (0..N_LANES).flat_map(move |lane| {
            (0..self.n_registers).flat_map(move |register| {
                (0..self.elements_per_register).map(move |element| Holder {
                    lane,
                    register,
                    element,
                })
            })
        })
    }

    /// Everyone who holds `place`, lowest lane first: several where the hardware replicates, none outside the matrix.
    pub fn holders_of(&self, place: Place) -> impl Iterator<Item = Holder> + '_ {
        self.holders()
            .filter(move |holder| self.place(*holder) == place)
    }

    /// The holders of each element, matrix by matrix and row by row; see [`FragmentMap::cell`].
    pub fn cells(&self) -> Vec<Vec<Holder>> {
        let n_cells = [self.n_matrices, self.rows, self.columns]
            .into_iter()
            .map(usize::from)
            .product();
        let mut cells = vec![Vec::new(); n_cells];
        for holder in self.holders() {
            if let Some(cell) = cells.get_mut(self.cell(self.place(holder))) {
                cell.push(holder);
            }
        }
        cells
    }

    /// The index of `place` in [`FragmentMap::cells`].
    pub fn cell(&self, place: Place) -> usize {
        let above = usize::from(place.matrix) * usize::from(self.rows) + usize::from(place.row);
        above * usize::from(self.columns) + usize::from(place.column)
    }

    /// The stride when the operand is left out, in elements: the length of a row (`.row`) or of a column (`.col`).
    pub fn default_stride_elements(&self, layout: MatrixLayout) -> u32 {
        match layout {
            MatrixLayout::Row => u32::from(self.columns),
            MatrixLayout::Col => u32::from(self.rows),
        }
    }

    /// Elements between the start of the matrix and `place`, for rows (columns) that are `stride_elements` apart.
    pub fn offset_elements(&self, place: Place, layout: MatrixLayout, stride_elements: u32) -> u64 {
        let (major, minor) = layout.major_minor(place);
        u64::from(major) * u64::from(stride_elements) + u64::from(minor)
    }

    /// Bits between the start of the matrix and `place`; elements of less than a byte fill it from its low bits up. Where they
    /// are unpacked (`ldmatrix`), `stride_elements` counts bytes: elements lie at the start of a row, and padding follows.
    pub fn offset_bits(&self, place: Place, layout: MatrixLayout, stride_elements: u32) -> u64 {
        let (major, minor) = layout.major_minor(place);
        u64::from(major) * u64::from(stride_elements) * u64::from(self.container_bits())
            + u64::from(minor) * u64::from(self.element_bits())
    }

    /// A name made of family, matrix and sizes, such as `gr.cd.16x16.8x1`; with the layout where it decides.
    pub fn name(&self) -> String {
        let family = match self.family {
            FragmentFamily::QuadPair => "qp",
            FragmentFamily::Group => "gr",
        };
        let matrix = match self.query.op.matrix() {
            Matrix::A => "a",
            Matrix::B => "b",
            Matrix::C | Matrix::D => "cd",
        };
        let mut name = format!(
            "{family}.{matrix}.{}x{}.{}x{}",
            self.rows, self.columns, self.n_registers, self.elements_per_register
        );
        if let [layout] = self.layouts[..]
            && self.family == FragmentFamily::QuadPair
        {
            name = format!("{name}.{}", layout.name());
        }
        let is_straight = (self.rows, self.columns) == (8, 32)
            && self.formula.row.fields().len() == 1
            && matrix == "cd"
            && self.family == FragmentFamily::Group;
        if is_straight {
            name.push_str(".straight");
        }
        name
    }
}
