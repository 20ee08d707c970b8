//! Conversion of the matrix instruction of a step. The module determines the lane, the value and the memory location of each element, and
//! the rounding of MMA results by Tensor Cores. The module takes the registers before and after the step, and the accesses of the step, and
//! returns plain data.

use crate::analysis::mma_explanation;
use crate::analysis::mma_explanation::MmaRequest;
use crate::layouts::fragment::CellHolder;
use crate::layouts::fragment::request::FragmentRequest;
use crate::model::matrix::{ElementView, MatrixOperandView, MatrixStep, StepMma};
use crate::session::memory_list::MemoryDescriptor;
use crate::session::memory_list::locate;
use crate::session::step::stores::StoreRecord;
use warpgrid_emulator::ElementAccess;
use warpgrid_isa::fragment::{
    ElementCoord, FragmentMap, FragmentOp, MatrixOperand, RegisterLocation, fragment,
};
use warpgrid_launch::instruction_summary::{RegisterFragment, SourceValue};
use warpgrid_program::RegisterId;

/// Alignment in bytes of the address to which the base offset of a matrix is relative.
const BOUNDARY_BYTES: u64 = 256;

/// Matrix operand of an executed instruction, with the bits of its elements before or after the step.
#[derive(Clone, Debug)]
pub(crate) struct MatrixRecord {
    owned_elements: RegisterFragment,
    map: FragmentMap,
    /// Bits of each element, ordered by lane, register and element, which is the order of [`FragmentMap::holders`].
    bits: Vec<u64>,
}

impl MatrixRecord {
    /// Reads the bits of the elements of a matrix. `register` returns the value of a register in a lane.
    pub(crate) fn read(
        held: RegisterFragment,
        register: impl Fn(u8, SourceValue) -> u64,
    ) -> Option<MatrixRecord> {
        let map = fragment(&held.fragment).ok()?;
        let container = map.container_bits();
        let value = |holder: RegisterLocation| {
            let named = held.registers.get(usize::from(holder.register));
            let word = named.map_or(0, |value| register(holder.lane, *value));
            word >> (u32::from(holder.element) * container) & (u64::MAX >> (64 - container))
        };
        let bits = map.holders().map(value).collect();
        Some(MatrixRecord {
            owned_elements: held,
            map,
            bits,
        })
    }

    /// Returns the operand of the instruction that contains the matrix.
    pub(crate) fn owned_elements(&self) -> &RegisterFragment {
        &self.owned_elements
    }

    /// Checks whether a register in `registers` contains elements of the matrix.
    pub(crate) fn is_held_in(&self, registers: &[RegisterId]) -> bool {
        let mut held = self.owned_elements.registers.iter();
        held.any(|value| value.register().is_some_and(|id| registers.contains(&id)))
    }

    /// Checks whether the instruction writes the matrix. In this case, the registers contain the values of the matrix only after the step.
    pub(crate) fn is_written(&self) -> bool {
        self.owned_elements.is_written
    }

    fn bits_of(&self, holder: RegisterLocation) -> u64 {
        let (n, per_register) = (self.map.n_registers, self.map.elements_per_register);
        let register = usize::from(holder.lane) * usize::from(n) + usize::from(holder.register);
        let at = register * usize::from(per_register) + usize::from(holder.element);
        self.bits.get(at).copied().unwrap_or(0)
    }

    /// Returns the memory access that transfers the element at `holder`.
    fn piece(&self, pieces: &[&ElementAccess], holder: RegisterLocation) -> Option<ElementAccess> {
        // Elements with less than 8 bits have no separate accesses, because an access transfers a complete register.
        let element = match self.map.container_bits() {
            0..8 => holder.register,
            _ => holder.register * self.map.elements_per_register + holder.element,
        };
        let mut found = pieces.iter();
        found
            .find(|piece| (piece.data_lane, piece.element) == (holder.lane, element))
            .map(|piece| **piece)
    }

    fn view(
        &self,
        pieces: &[&ElementAccess],
        memories: &[MemoryDescriptor],
        name: impl Fn(SourceValue) -> Option<String>,
    ) -> MatrixOperandView {
        let map = &self.map;
        let mut sorted: Vec<&ElementAccess> = pieces.to_vec();
        sorted.sort_by_cached_key(|piece| {
            u64::from(piece.data_lane) << 32 | u64::from(piece.element)
        });
        let cell = |holders: Vec<RegisterLocation>| {
            let first = holders.first().copied();
            let bits = first.map_or(0, |holder| self.bits_of(holder));
            let piece = first.and_then(|holder| self.piece(&sorted, holder));
            let found = piece.and_then(|piece| {
                let (memory, offset) = locate(memories, piece.memory, piece.address)?;
                Some((memory.view.id.clone(), offset))
            });
            let (memory, offset) = found.unzip();
            ElementView {
                value: mma_explanation::element_text(map.query.ty, bits, map.container_bits()),
                bits: format!("{bits:#x}"),
                memory,
                offset,
                holders: holders
                    .into_iter()
                    .map(|holder| CellHolder {
                        lane: holder.lane,
                        register: holder.register,
                        element: holder.element,
                    })
                    .collect(),
            }
        };
        let place = self.place_in_memory(&sorted);
        MatrixOperandView {
            name: match self.owned_elements.matrix {
                MatrixOperand::A => "A",
                MatrixOperand::B => "B",
                MatrixOperand::C => "C",
                MatrixOperand::D => "D",
            }
            .to_owned(),
            fragment: FragmentRequest {
                stride: place.and_then(|(_, stride)| stride),
                layout: Some(map.layout.name().to_owned()),
                ..FragmentRequest::from(&map.query)
            },
            base_bytes: place.map_or(0, |(start, _)| (start % BOUNDARY_BYTES) as u32),
            rows: map.rows,
            columns: map.columns,
            cells: map.cells().into_iter().map(cell).collect(),
            registers: self
                .owned_elements
                .registers
                .iter()
                .filter_map(|value| name(*value))
                .collect(),
            elements_per_register: map.elements_per_register,
        }
    }

    /// Returns the address of the first element. If the rows have equal distances in memory, also returns the stride in elements.
    fn place_in_memory(&self, pieces: &[&ElementAccess]) -> Option<(u64, Option<u32>)> {
        let map = &self.map;
        let (n_lines, _) = map.layout.major_minor(ElementCoord {
            matrix: 0,
            row: map.rows,
            column: map.columns,
        });
        let start_of = |line: u16| {
            let (row, column) = match map.layout {
                warpgrid_isa::MatrixLayout::Row => (line, 0),
                warpgrid_isa::MatrixLayout::Col => (0, line),
            };
            let place = ElementCoord {
                matrix: 0,
                row,
                column,
            };
            let holder = map.holders_of(place).next()?;
            Some(self.piece(pieces, holder)?.address)
        };
        let starts = (0..n_lines).map(start_of).collect::<Option<Vec<u64>>>()?;
        let first = *starts.first()?;
        let apart = starts.get(1).map_or(0, |second| second.wrapping_sub(first));
        let is_even = starts
            .windows(2)
            .all(|pair| pair[1].wrapping_sub(pair[0]) == apart);
        let stride = apart.wrapping_mul(8) / u64::from(map.container_bits());
        Some((first, u32::try_from(stride).ok().filter(|_| is_even)))
    }
}

/// Returns the matrix instruction in the form that hosts display, or `None` if the step executed no matrix instruction with known
/// fragments.
pub(crate) fn view<'a>(
    records: &[MatrixRecord],
    accesses: impl Iterator<Item = &'a StoreRecord>,
    memories: &[MemoryDescriptor],
    name: impl Fn(SourceValue) -> Option<String>,
) -> Option<MatrixStep> {
    let pieces: Vec<&ElementAccess> = accesses
        .flat_map(|access| &access.pieces)
        .map(|piece| &piece.piece)
        .collect();
    let operands = records
        .iter()
        .map(|record| record.view(&pieces, memories, &name));
    (!records.is_empty()).then(|| MatrixStep {
        operands: operands.collect(),
        product: product_of(records),
    })
}

/// Compares each element of D with the exact sum of products, and returns the result of the comparison.
fn product_of(records: &[MatrixRecord]) -> Option<StepMma> {
    let of = |matrix: MatrixOperand| {
        records
            .iter()
            .find(|record| record.owned_elements.matrix == matrix)
    };
    let [a, b, c, d] = [
        MatrixOperand::A,
        MatrixOperand::B,
        MatrixOperand::C,
        MatrixOperand::D,
    ]
    .map(of);
    let (a, b, c, d) = (a?, b?, c?, d?);
    // Return no comparison for an MMA with block scale factors, because the recorded matrices do not contain the scale factors.
    if d.owned_elements.has_factors {
        return None;
    }
    let query = d.map.query;
    let request = MmaRequest {
        op: match query.op {
            FragmentOp::StoreD => "wmma",
            _ => "mma",
        }
        .to_owned(),
        shape: query.shape.to_string(),
        types: [a, b, c, d]
            .map(|record| record.map.query.ty.name().to_owned())
            .into(),
        target: query.target.name.to_owned(),
        ..MmaRequest::default()
    };
    let values = |record: &MatrixRecord| -> Vec<u64> {
        let cells = record.map.cells();
        let first = cells.iter().map(|holders| holders.first().copied());
        first
            .map(|holder| holder.map_or(0, |holder| record.bits_of(holder)))
            .collect()
    };
    let types = [a, b, c, d].map(|record| record.map.query.ty);
    let sums = mma_explanation::ReferenceSums::new(&request, types)?;
    let (rows, columns) = (usize::from(d.map.rows), usize::from(d.map.columns));
    let depth = usize::from(query.shape.k);
    let [a, b, c, d] = [a, b, c, d].map(values);
    let mut odd = Vec::new();
    for (cell, found) in d.iter().enumerate() {
        let (matrix, row, column) = (cell / columns / rows, cell / columns % rows, cell % columns);
        let row_of_a: Vec<u64> = (0..depth)
            .filter_map(|k| a.get((matrix * rows + row) * depth + k).copied())
            .collect();
        let column_of_b: Vec<u64> = (0..depth)
            .filter_map(|k| b.get((matrix * depth + k) * columns + column).copied())
            .collect();
        let addend = c.get(cell).copied().unwrap_or(0);
        if sums
            .single_rounding_result(&row_of_a, &column_of_b, addend)
            .is_some_and(|exact| exact != *found)
        {
            odd.push(cell as u32);
        }
    }
    Some(StepMma {
        request,
        n_elements: d.len() as u32,
        n_odd: odd.len() as u32,
        first_odd: odd.first().copied(),
    })
}
