//! Conversion of checked operands of specialized units to program operands: registers, numbers and variables in source order.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::values::{ValueError, ValueOperand};
use crate::check::names::binding::Binding;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren};
use warpgrid_isa::{OperandAccess, ScalarType};
use warpgrid_program::{
    Address, AddressBase, OperandValue, RegisterId, RegisterTuple, Source, SourceModifiers, Span,
};

impl<'a> BodyChecker<'a, '_> {
    /// Returns the value of a checked operand. `ty` is the type of the literals in the operand. An object with coordinates becomes one list
    /// that contains the object and the coordinates.
    pub(crate) fn lower_unchecked(
        &mut self,
        (operand, children): OperandWithChildren<'a>,
        role: OperandAccess,
        ty: ScalarType,
    ) -> OperandValue {
        let first = self.body.elements.len();
        match operand.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in children {
                    self.keep_element(child, role, ty);
                }
                self.body.list_from(first)
            }
            OperandKind::AddressList { .. } => {
                for (part, inner) in children {
                    match part.kind {
                        OperandKind::Vector { .. } => {
                            for (child, _) in inner {
                                self.keep_element(child, role, ty);
                            }
                        }
                        _ => self.keep_vector(part, role, ty),
                    }
                }
                self.body.list_from(first)
            }
            OperandKind::Address { base, offset } => {
                let base = match self.binding(base, operand.span) {
                    Binding::Register(id) => AddressBase::Register(RegisterTuple::one(id)),
                    Binding::Variable(variable) => AddressBase::Variable(variable),
                    _ => return OperandValue::Absent,
                };
                OperandValue::Address(Address::new(base, offset))
            }
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Vector { .. } => {
                    self.keep_vector(operand, role, ty);
                    self.body.list_from(first)
                }
                _ => self.kept_alone(operand, role, ty),
            },
            _ => self.kept_alone(operand, role, ty),
        }
    }

    /// Appends the registers of a vector register or the value of a single operand to the elements of the instruction.
    fn keep_vector(&mut self, operand: &Operand, role: OperandAccess, ty: ScalarType) {
        if let OperandKind::Name(name) = operand.kind
            && let Binding::Vector { first, n } = self.binding(name, operand.span)
        {
            for index in 0..u32::from(n) {
                let value = moved(RegisterId(first.0 + index), role);
                self.body.push_element(value, operand.span);
            }
            return;
        }
        self.keep_element(operand, role, ty);
    }

    fn keep_element(&mut self, operand: &Operand, role: OperandAccess, ty: ScalarType) {
        let value = self.kept_alone(operand, role, ty);
        let span: Span = operand.span;
        self.body.push_element(value, span);
    }

    fn kept_alone(
        &mut self,
        operand: &Operand,
        role: OperandAccess,
        ty: ScalarType,
    ) -> OperandValue {
        match self.value(operand) {
            Ok(ValueOperand {
                source: Source::Register(run),
                ..
            }) => moved(run.first, role),
            Ok(element) => source(element.source_as(ty)),
            Err(ValueError::Sink) => match role {
                OperandAccess::Written => OperandValue::Destination(None),
                OperandAccess::Read => source(Source::Sink),
            },
            Err(ValueError::Variable(variable)) => source(Source::VariableAddress {
                variable,
                offset: 0,
                generic: true,
            }),
            Err(_) => self.kept_sum(operand),
        }
    }

    /// Returns the source value of a sum of a name and a constant.
    fn kept_sum(&mut self, operand: &Operand) -> OperandValue {
        let OperandKind::Sum { name, offset } = operand.kind else {
            return OperandValue::Absent;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => source(Source::RegisterOffset { register, offset }),
            Binding::Variable(variable) => source(Source::VariableAddress {
                variable,
                offset,
                generic: true,
            }),
            _ => OperandValue::Absent,
        }
    }
}

/// Returns a register as a source or destination.
fn moved(id: RegisterId, role: OperandAccess) -> OperandValue {
    match role {
        OperandAccess::Written => OperandValue::Destination(Some(RegisterTuple::one(id))),
        OperandAccess::Read => OperandValue::Source(register(id), SourceModifiers::NONE),
    }
}
