//! Matrix operations as a translator reads them: what memory they move, and how sums are computed.

use crate::code::matrix_plan::MatrixPlan;
use crate::code::matrix_plan::{Gather, LinesPlan, OperandPlan, ProductPlan, RowsPlan};
use crate::code::plans::PlanId;
use crate::code::{AccessPlan, Element};
use crate::contract::fault::AccessKind;
use crate::plain::Plain;
use crate::semantics::registers::LANES;
use crate::semantics::registers::Slot;
use crate::semantics::tensor::rule::SumRule;

/// A value in a register of a lane, from bit `shift` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValuePlace {
    pub register: u8,
    pub lane: u8,
    pub shift: u8,
}

impl From<Gather> for ValuePlace {
    fn from(gather: Gather) -> ValuePlace {
        ValuePlace {
            register: gather.register,
            lane: gather.lane,
            shift: gather.shift,
        }
    }
}

/// An operand of a product: its registers, and where its values are: rows of A, C and D, columns of B.
#[derive(Clone, Debug)]
pub struct Operand<'m> {
    pub registers: &'m [Element],
    pub values: Vec<ValuePlace>,
    /// All places of values, copies included, in the same order.
    pub held: Vec<ValuePlace>,
}

impl<'m> Operand<'m> {
    fn new(plan: &'m OperandPlan) -> Operand<'m> {
        Operand {
            registers: &plan.registers,
            values: plan.values.iter().map(|place| (*place).into()).collect(),
            held: plan.held.iter().map(|place| (*place).into()).collect(),
        }
    }
}

/// `mma` or `wmma.mma` with factors of 16 bits and sums of `f32`.
#[derive(Clone, Debug)]
pub struct FusedProduct<'m> {
    pub rule: SumRule,
    pub a: Operand<'m>,
    pub b: Operand<'m>,
    pub c: Operand<'m>,
    pub d: Operand<'m>,
}

/// `wmma.load` or `wmma.store`.
#[derive(Clone, Copy, Debug)]
pub struct LinesAccess<'m> {
    /// Its elements are the registers.
    pub access: &'m AccessPlan,
    pub is_store: bool,
    /// Elements between lines, of 32 bits.
    pub stride: Slot,
    /// Registers that memory fills; those beyond repeat them.
    pub n_read: usize,
    /// Units in a register, and the bytes of one.
    pub per_register: u32,
    pub unit_bytes: u32,
    pub element_bits: u32,
    /// By unit and lane: line, and position in the line.
    pub places: &'m [[[u16; 2]; LANES]],
    /// Lines, and elements of a line.
    pub n_lines: u16,
    pub line_elements: u16,
    /// Address and stride in bytes are multiples of it.
    pub align_bytes: u8,
}

/// `ldmatrix` of elements of 16 bits: who holds element 0 of each word of a row.
#[derive(Clone, Debug)]
pub struct RowsAccess<'m> {
    pub access: &'m AccessPlan,
    /// A row of 16 bytes.
    pub row: &'m AccessPlan,
    pub is_store: bool,
    /// Lanes that give addresses.
    pub asking: u32,
    /// By element: the lane that gives the address of its row, its column, and where it is held.
    pub places: Vec<RowElement>,
}

/// An element of 16 bits of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowElement {
    pub asked: u8,
    pub column: u8,
    pub held: ValuePlace,
}

/// What a matrix operation does.
#[derive(Clone, Debug)]
pub enum MatrixOperation<'m> {
    Lines(LinesAccess<'m>),
    Rows(RowsAccess<'m>),
    Product(Box<FusedProduct<'m>>),
    /// A product of other types, which needs registers alone.
    OtherProduct,
    Other,
}

impl<'m> Plain<'m> {
    /// The matrix operation of a plan.
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

fn lines(plan: &LinesPlan) -> LinesAccess<'_> {
    LinesAccess {
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

fn rows(plan: &RowsPlan) -> Option<RowsAccess<'_>> {
    if plan.element_bits != 16 || plan.container_bits != 16 {
        return None;
    }
    let places = plan.places.iter().map(|place| RowElement {
        asked: place.asked,
        column: place.column,
        held: ValuePlace {
            register: place.register,
            lane: place.gave,
            shift: 16 * place.element,
        },
    });
    Some(RowsAccess {
        access: &plan.access,
        row: &plan.row,
        is_store: plan.kind != AccessKind::Load,
        asking: plan.asking,
        places: places.collect(),
    })
}

fn product(plan: &ProductPlan) -> Option<FusedProduct<'_>> {
    if plan.factors.is_some() || plan.n_matrices != 1 {
        return None;
    }
    Some(FusedProduct {
        rule: plan.plan.sum_rule()?,
        a: Operand::new(&plan.a),
        b: Operand::new(&plan.b),
        c: Operand::new(&plan.c),
        d: Operand::new(&plan.d),
    })
}
