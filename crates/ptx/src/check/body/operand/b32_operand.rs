//! Checks of 32-bit operands with special type rules in the assembler.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower;
use crate::check::body::lower::{destination, source};
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::{OperandAccess, ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, Source};

/// Number of 32-bit registers in a list that the assembler accepts in place of one 128-bit value.
const N_WORDS: usize = 4;

impl<'a> BodyChecker<'a, '_> {
    /// Checks a register of a matrix fragment. Predicates are accepted, but integer literals are rejected (assembler 13.5).
    pub(crate) fn row(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        role: OperandAccess,
    ) -> Option<OperandValue> {
        const TY: ScalarType = ScalarType::B32;
        // A predicate as a source has the value 1 or 0. A predicate as a destination receives the lowest bit of the result.
        if let OperandKind::Name(name) = operand.kind
            && self.is_predicate(operand)
            && let Binding::Register(predicate) = self.binding(name, operand.span)
        {
            return Some(match role {
                OperandAccess::Written => destination(predicate),
                OperandAccess::Read => source(lower::register(predicate)),
            });
        }
        match role {
            OperandAccess::Written => match self.written(site, operand, TY, TypeMatch::Exact)? {
                Some(register) => Some(destination(register)),
                None => {
                    self.report_sink(site, operand);
                    None
                }
            },
            OperandAccess::Read => {
                let value = self.source(site, operand, TY, TypeMatch::Exact)?;
                let is_number = !matches!(operand.kind, OperandKind::Single(_))
                    && matches!(value, Source::Immediate(_));
                if is_number {
                    let subject = "an integer";
                    let problem = diagnose::literal_type(operand.span, subject, TY, self.source);
                    self.report(problem);
                    return None;
                }
                Some(source(value))
            }
        }
    }

    /// Checks that an operand is a register of exactly the type `ty`. Literals are rejected.
    pub(crate) fn own_source(&mut self, operand: &Operand, ty: ScalarType) -> Option<OperandValue> {
        let OperandKind::Name(name) = operand.kind else {
            let found = diagnose::describe(operand.kind);
            self.report(diagnose::expected_register(operand.span, found));
            return None;
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) if self.body.type_of(register) == ty => {
                Some(source(lower::register(register)))
            }
            Binding::Register(register) => {
                let have = self.body.type_of(register);
                self.report(diagnose::type_mismatch(operand.span, have, ty));
                None
            }
            _ => {
                self.report(diagnose::expected_register(operand.span, "another name"));
                None
            }
        }
    }

    /// Checks a source value. A floating-point literal must have the type `f32`.
    pub(crate) fn single_source(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        match operand.kind {
            OperandKind::Single(bits) => Some(source(Source::Immediate(bits.into()))),
            OperandKind::Double(_) => {
                let what = "a double";
                let problem = diagnose::literal_type(operand.span, what, ty, self.source);
                self.report(problem);
                None
            }
            _ => Some(source(self.source(site, operand, ty, TypeMatch::Exact)?)),
        }
    }

    /// Returns whether an operand is a list of four 32-bit registers.
    pub(crate) fn is_four_words(&mut self, operand: &Operand, children: Operands<'a>) -> bool {
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            return false;
        }
        let mut n = 0;
        for (child, _) in children {
            let OperandKind::Name(name) = child.kind else {
                return false;
            };
            let Binding::Register(register) = self.binding(name, child.span) else {
                return false;
            };
            let ty = self.body.type_of(register);
            if !ty.is_integer() || ty.width_bits() != 32 {
                return false;
            }
            n += 1;
        }
        n == N_WORDS
    }
}
