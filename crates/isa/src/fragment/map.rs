//! Fragment map: answers queries about the elements of a fragment by row and column, by register, or by memory offset.

use super::family::FragmentFamily;
use super::formula::FragmentFormula;
use super::{FragmentQuery, MatrixOperand};
use crate::form::FactSource;
use crate::modifier::MatrixLayout;

/// Number of lanes per warp.
const N_LANES: u8 = 32;

/// Coordinates of a matrix element: matrix, row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementCoord {
    /// Index of the matrix for operations with several matrices. Otherwise, the index is 0.
    pub matrix: u16,
    pub row: u16,
    pub column: u16,
}

/// Register location of a matrix element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterLocation {
    pub lane: u8,
    /// Index of the register in the PTX vector operand.
    pub register: u8,
    /// Index of the element within the register, counted from the low bits.
    pub element: u8,
}

impl MatrixLayout {
    /// Returns the index of the memory line (row or column) that contains `place`, and the position within the line.
    pub const fn major_minor(self, place: ElementCoord) -> (u16, u16) {
        match self {
            MatrixLayout::Row => (place.row, place.column),
            MatrixLayout::Col => (place.column, place.row),
        }
    }
}

/// Mapping between the elements of a matrix and lanes and registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FragmentMap {
    /// Query for which the map was created, with its layout resolved.
    pub query: FragmentQuery,
    pub layout: MatrixLayout,
    /// All memory layouts with the same map as the layout of the query.
    pub layouts: Vec<MatrixLayout>,
    pub family: FragmentFamily,
    /// Number of rows of one matrix.
    pub rows: u16,
    /// Number of columns of one matrix.
    pub columns: u16,
    /// Number of matrices in the fragment: 1 except for `ldmatrix`, `stmatrix` and `mma.m8n8k4`.
    pub n_matrices: u16,
    /// Number of registers in the vector operand. Registers have 64 bits for `f64`, and 32 bits for other types.
    pub n_registers: u8,
    pub elements_per_register: u8,
    /// Number of leading registers of A and B that the MMA reads. In `wmma` vectors of `f16`, which have eight registers, the remaining
    /// registers are copies of the leading registers.
    pub n_read_registers: u8,
    pub formula: FragmentFormula,
    pub origin: FactSource,
}

impl FragmentMap {
    /// Returns the width of an element in bits.
    pub fn element_bits(&self) -> u32 {
        self.query.ty.width_bits()
    }

    /// Returns the distance between adjacent elements of a register in bits: 8 for sub-byte elements that `ldmatrix` unpacks.
    pub fn container_bits(&self) -> u32 {
        let per_register = u32::from(self.elements_per_register.max(1));
        self.element_bits().max(32 / per_register)
    }

    /// Returns the coordinates of the matrix element at the register location `holder`. Lane and register indices are taken modulo the
    /// sizes of the fragment.
    pub fn place(&self, holder: RegisterLocation) -> ElementCoord {
        let lane = u16::from(holder.lane % N_LANES);
        let register = u16::from(holder.register % self.n_registers);
        let per_register = u16::from(self.elements_per_register);
        let number = register * per_register + u16::from(holder.element) % per_register;
        ElementCoord {
            matrix: self.formula.matrix.value(lane, number),
            row: self.formula.row.value(lane, number),
            column: self.formula.column.value(lane, number),
        }
    }

    /// Returns all register locations, ordered by lane, register and position.
    pub fn holders(&self) -> impl Iterator<Item = RegisterLocation> + '_ {
        (0..N_LANES).flat_map(move |lane| {
            (0..self.n_registers).flat_map(move |register| {
                (0..self.elements_per_register).map(move |element| RegisterLocation {
                    lane,
                    register,
                    element,
                })
            })
        })
    }

    /// Returns the register locations of the element at `place`, lowest lane first. There are several locations if the hardware replicates
    /// the element, and none if `place` is outside the matrix.
    pub fn holders_of(&self, place: ElementCoord) -> impl Iterator<Item = RegisterLocation> + '_ {
        self.holders()
            .filter(move |holder| self.place(*holder) == place)
    }

    /// Returns the register locations of each element, matrix by matrix and row by row. See [`FragmentMap::cell`].
    pub fn cells(&self) -> Vec<Vec<RegisterLocation>> {
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

    /// Returns the index of the element at `place` in [`FragmentMap::cells`].
    pub fn cell(&self, place: ElementCoord) -> usize {
        let above = usize::from(place.matrix) * usize::from(self.rows) + usize::from(place.row);
        above * usize::from(self.columns) + usize::from(place.column)
    }

    /// Returns the default stride in elements, which applies if the instruction has no stride operand: the length of a row for `.row`, or
    /// of a column for `.col`.
    pub fn default_stride_elements(&self, layout: MatrixLayout) -> u32 {
        match layout {
            MatrixLayout::Row => u32::from(self.columns),
            MatrixLayout::Col => u32::from(self.rows),
        }
    }

    /// Returns the offset of the element at `place` from the start of the matrix in elements. `stride_elements` is the distance between
    /// adjacent rows (`.row`) or columns (`.col`).
    pub fn offset_elements(
        &self,
        place: ElementCoord,
        layout: MatrixLayout,
        stride_elements: u32,
    ) -> u64 {
        let (major, minor) = layout.major_minor(place);
        u64::from(major) * u64::from(stride_elements) + u64::from(minor)
    }

    /// Returns the offset of the element at `place` from the start of the matrix in bits. Sub-byte elements are stored in a byte starting
    /// at the low bits. For elements that `ldmatrix` unpacks, `stride_elements` is in bytes, because the elements at the start of a row are
    /// followed by padding.
    pub fn offset_bits(
        &self,
        place: ElementCoord,
        layout: MatrixLayout,
        stride_elements: u32,
    ) -> u64 {
        let (major, minor) = layout.major_minor(place);
        u64::from(major) * u64::from(stride_elements) * u64::from(self.container_bits())
            + u64::from(minor) * u64::from(self.element_bits())
    }

    /// Returns a name that consists of family, matrix and sizes, such as `gr.cd.16x16.8x1`. If the map depends on the layout, the name also
    /// contains the layout.
    pub fn name(&self) -> String {
        let family = match self.family {
            FragmentFamily::QuadPair => "qp",
            FragmentFamily::Group => "gr",
        };
        let matrix = match self.query.op.matrix() {
            MatrixOperand::A => "a",
            MatrixOperand::B => "b",
            MatrixOperand::C | MatrixOperand::D => "cd",
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
