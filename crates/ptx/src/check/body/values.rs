//! Reading of operand values for instruction families whose own functions check the types. The result is the class and the source of each
//! value, or the reason why an operand is not a value.

use crate::check::body::checker::BodyChecker;
use crate::check::body::element::WARP_SZ;
use crate::check::names::binding::Binding;
use crate::tree::name::Name;
use crate::tree::operand::{Component, Operand, OperandKind, Operands};
use warpgrid_isa::{OperandClass as Class, ScalarType, SpecialRegister};
use warpgrid_program::{FunctionId, RegisterId, RegisterTuple, Source, Span, VariableId};

/// Operand value that has been read: its span, class and source. Functions of the instruction families check the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueOperand {
    pub(crate) span: Span,
    pub(crate) class: Class,
    /// Source of the value. For a literal, the source contains the bit pattern of the spelling, without a conversion to the type of the
    /// instruction. See [`ValueOperand::source_as`].
    pub(crate) source: Source,
    /// Whether the value is a component of a vector register or of a special register.
    pub(crate) is_component: bool,
    /// Whether the value is an integer literal that has the suffix `U` or is too large for a signed type.
    pub(crate) is_unsigned: bool,
}

impl ValueOperand {
    /// Placeholder for a value that has not been read.
    pub(crate) const NONE: ValueOperand = ValueOperand::new(Span::at(0), Class::Open, Source::Sink);

    const fn new(span: Span, class: Class, source: Source) -> ValueOperand {
        ValueOperand {
            span,
            class,
            source,
            is_component: false,
            is_unsigned: false,
        }
    }

    pub(crate) const fn is_special(&self) -> bool {
        matches!(self.source, Source::Special(_))
    }

    /// Returns the source of the value as an operand of type `ty`. The function converts a literal to the format of the type.
    pub(crate) fn source_as(&self, ty: ScalarType) -> Source {
        let Source::Immediate(bits) = self.source else {
            return self.source;
        };
        Source::Immediate(match (self.class, ty) {
            (Class::Single, ScalarType::F64) => f64::from(f32::from_bits(bits as u32)).to_bits(),
            (Class::Double, ScalarType::F32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            _ => ty.truncate(bits),
        })
    }
}

/// Reason why an operand is not a value, which the instruction families describe in their diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueError {
    /// The operand is invalid, and the error has already been reported.
    Reported,
    Sink,
    /// The operand is the address of a variable.
    Variable(VariableId),
    /// The operand is the address of a function.
    Function(FunctionId),
    /// The operand is the sum of a name and a constant.
    Sum,
    /// The operand is a vector register of `n` consecutive registers in place of one value.
    Vector {
        first: RegisterId,
        n: u8,
    },
    /// The operand is a special register such as `%tid` without a component.
    SpecialVector,
    /// The operand is a label or a table.
    Label,
    /// The operand is in brackets.
    Brackets,
    /// The operand is negated: `-%r1` or `!%p1`.
    Negated,
    /// The operand is a brace list within a list, or a group in parentheses.
    Nested,
    /// The operand selects a component of a name that has no components.
    Component,
    /// The component index exceeds the `n` components of a vector. `last` is the register of the last component.
    BeyondVector {
        last: RegisterId,
        n: u8,
    },
}

impl ValueError {
    /// Returns a description of the operand for messages.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            ValueError::Reported => "",
            ValueError::Sink => "the sink `_`",
            ValueError::Variable(_) | ValueError::Sum => "the address of a variable",
            ValueError::Function(_) => "the address of a function",
            ValueError::Vector { .. } => "a vector register",
            ValueError::SpecialVector => "a vector special register without a component",
            ValueError::Label => "a label",
            ValueError::Brackets => "an address in brackets",
            ValueError::Negated => "a negated register",
            ValueError::Nested => "a list",
            ValueError::Component | ValueError::BeyondVector { .. } => "a nonexistent component",
        }
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Reads the elements of a brace list, or the registers of a vector register. Returns `None` for other operands.
    pub(crate) fn list(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<Vec<Result<ValueOperand, (Span, ValueError)>>> {
        if let OperandKind::Vector { .. } = operand.kind {
            let children = children.map(|(child, _)| child);
            let read =
                children.map(|child| self.value(child).map_err(|reason| (child.span, reason)));
            return Some(read.collect());
        }
        let OperandKind::Name(name) = operand.kind else {
            return None;
        };
        let Binding::Vector { first, n } = self.binding(name, operand.span) else {
            return None;
        };
        let registers = (0..u32::from(n)).map(|index| RegisterId(first.0 + index));
        Some(
            registers
                .map(|register| Ok(self.register_element(register, operand.span)))
                .collect(),
        )
    }

    /// Reads one value, which is a single operand or an element of a brace list.
    pub(crate) fn value(&mut self, operand: &Operand) -> Result<ValueOperand, ValueError> {
        let span = operand.span;
        let constant = |class, bits| ValueOperand::new(span, class, Source::Immediate(bits));
        match operand.kind {
            OperandKind::Name(name) => self.named_value(name, span),
            OperandKind::Component { name, component } => {
                self.component_value(operand, name, component)
            }
            OperandKind::Integer { value, unsigned } => Ok(ValueOperand {
                is_unsigned: unsigned,
                ..constant(Class::Integer, value)
            }),
            OperandKind::Single(bits) => Ok(constant(Class::Single, bits.into())),
            OperandKind::Double(bits) => Ok(constant(Class::Double, bits)),
            OperandKind::Sink => Err(ValueError::Sink),
            OperandKind::Sum { .. }
            | OperandKind::Indexed { .. }
            | OperandKind::IndexedBy { .. } => Err(ValueError::Sum),
            OperandKind::Address { .. }
            | OperandKind::AbsoluteAddress { .. }
            | OperandKind::AddressList { .. } => Err(ValueError::Brackets),
            OperandKind::Not(_) | OperandKind::Minus(_) => Err(ValueError::Negated),
            OperandKind::Error => Err(ValueError::Reported),
            _ => Err(ValueError::Nested),
        }
    }

    fn named_value(&mut self, name: Name, span: Span) -> Result<ValueOperand, ValueError> {
        let text = span.text(self.source);
        match self.binding(name, span) {
            Binding::Register(register) => Ok(self.register_element(register, span)),
            Binding::Special(special) => Ok(special_element(special, span)),
            Binding::Vector { first, n } => Err(ValueError::Vector { first, n }),
            Binding::Variable(variable) => Err(ValueError::Variable(variable)),
            Binding::Function(function) => Err(ValueError::Function(function)),
            Binding::Label(_) | Binding::Table(_) | Binding::Group(_) | Binding::Outer { .. } => {
                Err(ValueError::Label)
            }
            Binding::None if text == WARP_SZ => {
                let size = Source::Immediate(32);
                Ok(ValueOperand::new(span, Class::Integer, size))
            }
            Binding::None if is_special_vector(text) => Err(ValueError::SpecialVector),
            Binding::None => {
                self.unknown(span);
                Err(ValueError::Reported)
            }
        }
    }

    fn component_value(
        &mut self,
        operand: &Operand,
        name: Name,
        component: Component,
    ) -> Result<ValueOperand, ValueError> {
        let span = operand.span;
        // Byte and half-word components are valid only in video instructions.
        let is_part = matches!(component, Component::Byte(_) | Component::Half(_));
        let element = match self.binding(name, span) {
            Binding::Vector { first, n } if !is_part => {
                let index = component.index();
                if index >= usize::from(n) {
                    let last = RegisterId(first.0 + u32::from(n.saturating_sub(1)));
                    return Err(ValueError::BeyondVector { last, n });
                }
                self.register_element(RegisterId(first.0 + index as u32), span)
            }
            Binding::None => match SpecialRegister::from_name(span.text(self.source)) {
                Some(special) => {
                    self.check_special(special, span);
                    special_element(special, span)
                }
                None => {
                    let span = self.name_span(operand, name);
                    self.unknown(span);
                    return Err(ValueError::Reported);
                }
            },
            _ => return Err(ValueError::Component),
        };
        Ok(ValueOperand {
            is_component: true,
            ..element
        })
    }

    /// Returns a register as a value.
    pub(crate) fn register_element(&self, register: RegisterId, span: Span) -> ValueOperand {
        let class = Class::of(self.body.type_of(register));
        ValueOperand::new(span, class, Source::Register(RegisterTuple::one(register)))
    }
}

/// Returns a special register as a value. The class of a special register is untyped bits.
fn special_element(special: SpecialRegister, span: Span) -> ValueOperand {
    let class = Class::Bits(special.width_bits());
    ValueOperand::new(span, class, Source::Special(special))
}

/// Returns whether a name such as `%tid` denotes a special register whose components have separate names.
pub(crate) fn is_special_vector(text: &str) -> bool {
    !text.contains('.') && SpecialRegister::from_name(&format!("{text}.x")).is_some()
}
