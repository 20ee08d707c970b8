//! View of matrix operations for the JIT compiler: their operands, memory accesses and summation rules.

use crate::code::matrix_plan::MatrixPlan;
use crate::code::matrix_plan::{
    FragmentElement, FragmentPlan, LdmatrixPlan, MmaPlan, WmmaMemoryPlan,
};
use crate::code::plan_table::PlanId;
use crate::code::{AccessPlan, RegisterOperand};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::LANES;
use crate::semantics::registers::OperandSlot;
use crate::semantics::tensor::algorithm::Fp16SumRule;
use crate::translation_view::TranslationView;

/// Operand of an MMA: its registers and the locations of its elements. Elements of A, C and D are in row-major order,
/// and elements of B in column-major order.
#[derive(Clone, Debug)]
pub struct MmaOperand<'m> {
    pub registers: &'m [RegisterOperand],
    pub values: Vec<FragmentElement>,
    /// Locations of all elements in the same order as `values`, including elements that several lanes hold.
    pub held: Vec<FragmentElement>,
}

impl<'m> MmaOperand<'m> {
    fn new(plan: &'m FragmentPlan) -> MmaOperand<'m> {
        MmaOperand {
            registers: &plan.registers,
            values: plan.values.clone(),
            held: plan.held.clone(),
        }
    }
}

/// View of an `mma` or `wmma.mma` instruction with 16-bit operands and `f32` accumulators, for which the JIT compiler
/// generates code.
#[derive(Clone, Debug)]
pub struct FusedMma<'m> {
    pub rule: Fp16SumRule,
    pub a: MmaOperand<'m>,
    pub b: MmaOperand<'m>,
    pub c: MmaOperand<'m>,
    pub d: MmaOperand<'m>,
}

/// View of a `wmma.load` or `wmma.store` instruction, for which the JIT compiler generates code.
#[derive(Clone, Copy, Debug)]
pub struct WmmaTransfer<'m> {
    /// Memory access whose elements are the fragment registers.
    pub access: &'m AccessPlan,
    pub is_store: bool,
    /// Number of elements between the starts of consecutive lines of the matrix, in a 32-bit register.
    pub stride: OperandSlot,
    /// Number of registers that are loaded from memory. The remaining registers receive copies of the loaded registers.
    pub n_read: usize,
    /// Number of units that one register contains.
    pub per_register: u32,
    /// Number of bytes per unit.
    pub unit_bytes: u32,
    pub element_bits: u32,
    /// Index of the line in the matrix, and index of the element within the line, for each unit and lane.
    pub places: &'m [[[u16; 2]; LANES]],
    /// Number of lines of the matrix.
    pub n_lines: u16,
    /// Number of elements per line.
    pub line_elements: u16,
    /// Required alignment of the address and of the stride in bytes.
    pub align_bytes: u8,
}

/// View of the decoded plan of an `ldmatrix` or `stmatrix` instruction with 16-bit elements, from which the JIT compiler
/// generates code.
#[derive(Clone, Debug)]
pub struct LdmatrixPlanView<'m> {
    pub access: &'m AccessPlan,
    /// Memory access to a matrix row of 16 bytes.
    pub row: &'m AccessPlan,
    pub is_store: bool,
    /// Mask of the lanes that provide row addresses.
    pub asking: u32,
    /// Location of each element: the lane that provides the row address, the column, and the register.
    pub places: Vec<RowElement>,
}

/// Location of a 16-bit element that `ldmatrix` or `stmatrix` transfers between a matrix row in memory and a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowElement {
    pub asked: u8,
    pub column: u8,
    pub held: FragmentElement,
}

/// Matrix operation of a plan, in the form that the JIT compiler translates.
#[derive(Clone, Debug)]
pub enum MatrixOperation<'m> {
    Lines(WmmaTransfer<'m>),
    Rows(LdmatrixPlanView<'m>),
    Product(Box<FusedMma<'m>>),
    /// MMA with any other operand types. It accesses only registers, and the interpreter executes it.
    OtherProduct,
    Other,
}

impl<'m> TranslationView<'m> {
    /// Returns the matrix operation of a plan.
    pub fn matrix(self, plan: PlanId<MatrixPlan>) -> MatrixOperation<'m> {
        match self.code().matrices.get(plan) {
            Some(MatrixPlan::Lines(plan)) => MatrixOperation::Lines(lines(plan)),
            Some(MatrixPlan::Rows(plan)) => {
                rows(plan).map_or(MatrixOperation::Other, MatrixOperation::Rows)
            }
            Some(MatrixPlan::Product(plan)) => match product(plan) {
                Some(product) => MatrixOperation::Product(Box::new(product)),
                None => MatrixOperation::OtherProduct,
            },
            Some(MatrixPlan::Sparse(_)) | None => MatrixOperation::Other,
        }
    }
}

fn lines(plan: &WmmaMemoryPlan) -> WmmaTransfer<'_> {
    WmmaTransfer {
        access: &plan.access,
        is_store: plan.kind != AccessKind::Load,
        stride: plan.stride,
        n_read: plan.n_read,
        per_register: plan.per_register,
        unit_bytes: plan.unit_bytes,
        element_bits: plan.element_bits,
        places: &plan.places,
        n_lines: plan.n_major,
        line_elements: plan.n_minor,
        align_bytes: plan.rules.bytes,
    }
}

fn rows(plan: &LdmatrixPlan) -> Option<LdmatrixPlanView<'_>> {
    if plan.element_bits != 16 || plan.container_bits != 16 {
        return None;
    }
    let places = plan.places.iter().map(|place| RowElement {
        asked: place.asked,
        column: place.column,
        held: FragmentElement {
            register: place.register,
            lane: place.gave,
            shift: 16 * place.element,
        },
    });
    Some(LdmatrixPlanView {
        access: &plan.access,
        row: &plan.row,
        is_store: plan.kind != AccessKind::Load,
        asking: plan.address_lanes,
        places: places.collect(),
    })
}

fn product(plan: &MmaPlan) -> Option<FusedMma<'_>> {
    if plan.factors.is_some() || plan.n_matrices != 1 {
        return None;
    }
    Some(FusedMma {
        rule: plan.plan.sum_rule()?,
        a: MmaOperand::new(&plan.a),
        b: MmaOperand::new(&plan.b),
        c: MmaOperand::new(&plan.c),
        d: MmaOperand::new(&plan.d),
    })
}
