//! The one reader of values, alone or in braces, whose types are compared by the family that takes them. In: an operand;
//! out: what it is and where its bits come from, or why it is no value.

use crate::check::body::checker::BodyChecker;
use crate::check::body::element::WARP_SZ;
use crate::check::names::binding::Binding;
use crate::tree::name::Name;
use crate::tree::operand::{Component, Operand, OperandKind, Operands};
use warpgrid_isa::{ScalarType, SpecialRegister, ValueClass as Class};
use warpgrid_program::{FunctionId, RegisterId, RegisterRun, Source, Span, VariableId};

/// One value, read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) span: Span,
    pub(crate) class: Class,
    /// A literal has the bits that it was written with, see [`Element::source_as`].
    pub(crate) source: Source,
    /// Whether it is a component of a vector, of registers or a special one.
    pub(crate) is_component: bool,
    /// Whether it is an integer literal that says `U` or is too large to be signed.
    pub(crate) is_unsigned: bool,
}

impl Element {
    /// A place for a value that is not read yet.
    pub(crate) const NONE: Element = Element::new(Span::at(0), Class::Open, Source::Sink);

    const fn new(span: Span, class: Class, source: Source) -> Element {
        Element {
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

    /// Where the bits come from when they are those of a type; a literal in its format.
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

/// Why an operand is no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// Reported already.
    Reported,
    Sink,
    /// The address of a variable.
    Variable(VariableId),
    /// The address of a function.
    Function(FunctionId),
    /// A name with a number added.
    Sum,
    /// A vector register where one value is wanted: `n` registers from the first on.
    Vector {
        first: RegisterId,
        n: u8,
    },
    /// `%tid`, without a component.
    SpecialVector,
    /// A label or a table.
    Label,
    /// Brackets.
    Brackets,
    /// `-%r1` or `!%p1`
    Negated,
    /// A brace list within a list, or a group in parentheses.
    Nested,
    /// A component of something that has none.
    Component,
    /// A component beyond the last one, which is this register, of `n`.
    BeyondVector {
        last: RegisterId,
        n: u8,
    },
}

impl NoValue {
    /// As a sentence calls it.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            NoValue::Reported => "",
            NoValue::Sink => "the sink `_`",
            NoValue::Variable(_) | NoValue::Sum => "the address of a variable",
            NoValue::Function(_) => "the address of a function",
            NoValue::Vector { .. } => "a vector register",
            NoValue::SpecialVector => "a vector special register without a component",
            NoValue::Label => "a label",
            NoValue::Brackets => "an address in brackets",
            NoValue::Negated => "a negated register",
            NoValue::Nested => "a list",
            NoValue::Component | NoValue::BeyondVector { .. } => "a nonexistent component",
        }
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// The elements of a brace list, or the registers of a vector register; `None` for any other operand.
    pub(crate) fn list(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<Vec<Result<Element, (Span, NoValue)>>> {
        if let OperandKind::Vector { .. } = operand.kind {
            let children = children.map(|(child, _)| child);
            let read = children.map(|child| self.value(child).map_err(|why| (child.span, why)));
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

    /// One value, of a brace list or alone.
    pub(crate) fn value(&mut self, operand: &Operand) -> Result<Element, NoValue> {
        let span = operand.span;
        let constant = |class, bits| Element::new(span, class, Source::Immediate(bits));
        match operand.kind {
            OperandKind::Name(name) => self.named_value(name, span),
            OperandKind::Component { name, component } => {
                self.component_value(operand, name, component)
            }
            OperandKind::Integer { value, unsigned } => Ok(Element {
                is_unsigned: unsigned,
                ..constant(Class::Integer, value)
            }),
            OperandKind::Single(bits) => Ok(constant(Class::Single, bits.into())),
            OperandKind::Double(bits) => Ok(constant(Class::Double, bits)),
            OperandKind::Sink => Err(NoValue::Sink),
            OperandKind::Sum { .. }
            | OperandKind::Indexed { .. }
            | OperandKind::IndexedBy { .. } => Err(NoValue::Sum),
            OperandKind::Address { .. }
            | OperandKind::AbsoluteAddress { .. }
            | OperandKind::AddressList { .. } => Err(NoValue::Brackets),
            OperandKind::Not(_) | OperandKind::Minus(_) => Err(NoValue::Negated),
            OperandKind::Error => Err(NoValue::Reported),
            _ => Err(NoValue::Nested),
        }
    }

    fn named_value(&mut self, name: Name, span: Span) -> Result<Element, NoValue> {
        let text = span.text(self.source);
        match self.binding(name, span) {
            Binding::Register(register) => Ok(self.register_element(register, span)),
            Binding::Special(special) => Ok(special_element(special, span)),
            Binding::Vector { first, n } => Err(NoValue::Vector { first, n }),
            Binding::Variable(variable) => Err(NoValue::Variable(variable)),
            Binding::Function(function) => Err(NoValue::Function(function)),
            Binding::Label(_) | Binding::Table(_) | Binding::Group(_) | Binding::Outer { .. } => {
                Err(NoValue::Label)
            }
            Binding::None if text == WARP_SZ => {
                let size = Source::Immediate(32);
                Ok(Element::new(span, Class::Integer, size))
            }
            Binding::None if is_special_vector(text) => Err(NoValue::SpecialVector),
            Binding::None => {
                self.unknown(span);
                Err(NoValue::Reported)
            }
        }
    }

    fn component_value(
        &mut self,
        operand: &Operand,
        name: Name,
        component: Component,
    ) -> Result<Element, NoValue> {
        let span = operand.span;
        // A byte or half word, which only video instructions select.
        let is_part = matches!(component, Component::Byte(_) | Component::Half(_));
        let element = match self.binding(name, span) {
            Binding::Vector { first, n } if !is_part => {
                let index = component.index();
                if index >= usize::from(n) {
                    let last = RegisterId(first.0 + u32::from(n.saturating_sub(1)));
                    return Err(NoValue::BeyondVector { last, n });
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
                    return Err(NoValue::Reported);
                }
            },
            _ => return Err(NoValue::Component),
        };
        Ok(Element {
            is_component: true,
            ..element
        })
    }

    /// A register as a value.
    pub(crate) fn register_element(&self, register: RegisterId, span: Span) -> Element {
        let class = Class::of(self.body.type_of(register));
        Element::new(span, class, Source::Register(RegisterRun::one(register)))
    }
}

/// Special registers count as untyped bits.
fn special_element(special: SpecialRegister, span: Span) -> Element {
    let class = Class::Bits(special.width_bits());
    Element::new(span, class, Source::Special(special))
}

/// `%tid` and its like, without a component.
pub(crate) fn is_special_vector(text: &str) -> bool {
    !text.contains('.') && SpecialRegister::from_name(&format!("{text}.x")).is_some()
}
