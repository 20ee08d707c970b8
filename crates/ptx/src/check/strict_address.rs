//! Addresses of instructions that take any integer register of 32 or 64 bits as one, whatever the space: `st.async` and
//! `wmma.store`. In: an operand and the space; out: the address, once what is wrong with it was told.

use super::Checker;
use super::names::Binding;
use crate::diagnostics::strict_address::AddressCodes;
use crate::tree::{Name, Operand, OperandKind};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Address, AddressBase, RegisterRun, Span};

/// What is wrong with an address operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoPlace {
    /// Told already.
    Reported,
    /// Not in brackets, or nothing that has an address.
    NoAddress(Span, &'static str),
    /// A register of this type.
    Type(Span, ScalarType),
    /// A variable of this space, declared there.
    Space(Span, StateSpace, Option<Span>),
    /// A bare number.
    Constant(Span),
}

/// The narrowest register that serves as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowest {
    Bits8,
    Bits32,
}

impl<'a> Checker<'a> {
    /// Reads an address operand; tells what is wrong with it under these codes.
    pub(crate) fn strict_address(
        &mut self,
        operand: &Operand,
        space: StateSpace,
        narrowest: Narrowest,
        codes: &AddressCodes,
    ) -> Option<Address> {
        let problem = match self.read_place(operand, space, narrowest) {
            Ok(place) => return Some(place),
            Err(NoPlace::Reported) => return None,
            Err(NoPlace::NoAddress(span, found)) => {
                codes.no_address(span, found, self.bracketed(operand))
            }
            Err(NoPlace::Type(span, ty)) => codes.address_type(span, ty),
            Err(NoPlace::Space(span, found, declared)) => {
                codes.address_space(span, found, space, declared)
            }
            Err(NoPlace::Constant(span)) => codes.constant_address(span),
        };
        self.report(problem);
        None
    }

    fn read_place(
        &mut self,
        operand: &Operand,
        space: StateSpace,
        narrowest: Narrowest,
    ) -> Result<Address, NoPlace> {
        let (name, offset) = match operand.kind {
            OperandKind::Address { base, offset } => (base, offset),
            OperandKind::AbsoluteAddress { .. } => return Err(NoPlace::Constant(operand.span)),
            OperandKind::Error => return Err(NoPlace::Reported),
            _ => {
                let found = describe(operand.kind);
                return Err(NoPlace::NoAddress(operand.span, found));
            }
        };
        let span = self.name_span(operand, name);
        match self.address_binding(name, span) {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                let least = match narrowest {
                    Narrowest::Bits8 => 8,
                    Narrowest::Bits32 => 32,
                };
                if !ty.is_integer() || ty.width_bits() < least || ty == ScalarType::B128 {
                    return Err(NoPlace::Type(span, ty));
                }
                let base = AddressBase::Register(RegisterRun::one(register));
                Ok(Address::new(base, offset))
            }
            Binding::Variable(variable) => {
                let found = self.space_of(variable);
                if !space.takes_variable(found) {
                    return Err(NoPlace::Space(span, found, self.names.span(name)));
                }
                Ok(Address::new(AddressBase::Variable(variable), offset))
            }
            Binding::Special(_) => {
                // Legal, but no address of a program has a special register for its base.
                self.body.is_sayable = false;
                Ok(Address::new(AddressBase::None, offset))
            }
            other => Err(self.no_base(name, span, other)),
        }
    }

    fn no_base(&mut self, name: Name, span: Span, binding: Binding) -> NoPlace {
        match binding {
            Binding::None if self.name_text(name) == "WARP_SZ" => NoPlace::Constant(span),
            Binding::None => {
                self.unknown(span);
                NoPlace::Reported
            }
            Binding::Vector { .. } => NoPlace::NoAddress(span, "a vector register"),
            Binding::Function(_) => NoPlace::NoAddress(span, "a function"),
            _ => NoPlace::NoAddress(span, "a label"),
        }
    }
}

fn describe(kind: OperandKind) -> &'static str {
    match kind {
        OperandKind::Name(_) | OperandKind::Component { .. } => "a name without brackets",
        OperandKind::Indexed { .. } | OperandKind::Sum { .. } => "an expression without brackets",
        OperandKind::Integer { .. } | OperandKind::Single(_) | OperandKind::Double(_) => {
            "a number without brackets"
        }
        OperandKind::Sink => "the sink `_`",
        OperandKind::Vector { .. } => "a brace list",
        _ => "something else",
    }
}
