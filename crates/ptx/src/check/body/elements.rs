//! Values that must fit a type to the bit, alone or in braces, as `st.async` and `wmma.store` take them. In: operands;
//! out: sources and what they are, merged over a brace list as the reference assembler 13.5 merges them.

use crate::check::body::checker::BodyChecker;
use crate::check::names::binding::Binding;
use crate::tree::{Name, Operand, OperandKind, Operands};
use warpgrid_isa::SpecialRegister;
pub(crate) use warpgrid_isa::ValueClass as Class;
use warpgrid_program::{RegisterId, RegisterRun, Source, Span};

/// As a sentence calls a value.
pub(crate) fn describe(class: Class) -> String {
    match class {
        Class::Bits(w) => format!("a `.b{w}` register"),
        Class::Unsigned(w) => format!("a `.u{w}` register"),
        Class::Signed(w) => format!("a `.s{w}` register"),
        Class::Float(w) => format!("a `.f{w}` register"),
        Class::Halves => "a `.f16x2` register".to_owned(),
        Class::Predicate => "a predicate".to_owned(),
        Class::Integer => "an integer constant".to_owned(),
        Class::Single => "a single-precision constant".to_owned(),
        Class::Double => "a double-precision constant".to_owned(),
        Class::Open => "a constant".to_owned(),
    }
}

/// One value, read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) span: Span,
    pub(crate) class: Class,
    pub(crate) source: Source,
}

impl Element {
    pub(crate) const fn is_special(&self) -> bool {
        matches!(self.source, Source::Special(_))
    }
}

/// Why an operand is no value here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// Reported already.
    Reported,
    Sink,
    /// The address of a variable or function, where none is taken.
    Address,
    /// A vector register where one value is wanted.
    Vector,
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
}

impl NoValue {
    /// As a sentence calls it.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            NoValue::Reported => "",
            NoValue::Sink => "the sink `_`",
            NoValue::Address => "the address of a variable",
            NoValue::Vector => "a vector register",
            NoValue::Label => "a label",
            NoValue::Brackets => "an address in brackets",
            NoValue::Negated => "a negated register",
            NoValue::Nested => "a list",
            NoValue::Component => "a component that does not exist",
        }
    }
}

/// Two elements that do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    /// Index of the first element that does not go with the one before it.
    pub(crate) index: usize,
    /// Whether it is the width that differs.
    pub(crate) width: bool,
}

/// The class of a brace list. The assembler compares neighbours only: `{%f0, %r1, %u2}` passes, `{%r1, %f0, %u2}` not.
pub(crate) fn merge(elements: &[Element]) -> Result<Class, Clash> {
    let mut merged: Option<Class> = None;
    let mut before: Option<Class> = None;
    for (index, element) in elements.iter().enumerate() {
        let class = element.class;
        if let Some(before) = before {
            join(before, class).map_err(|width| Clash { index, width })?;
        }
        before = Some(class);
        merged = Some(match merged {
            None => class,
            Some(merged) => match join(merged, class) {
                Ok(class) => class,
                Err(false) => class
                    .width()
                    .or(merged.width())
                    .map_or(Class::Open, Class::Bits),
                Err(true) => return Err(Clash { index, width: true }),
            },
        });
    }
    Ok(merged.unwrap_or(Class::Open))
}

/// The class of two elements; `Err(true)` when their widths differ, `Err(false)` when their kinds do.
fn join(a: Class, b: Class) -> Result<Class, bool> {
    if let (Some(x), Some(y)) = (a.width(), b.width())
        && x != y
        && a != Class::Predicate
        && b != Class::Predicate
    {
        return Err(true);
    }
    if a == b {
        return Ok(a);
    }
    match (a, b) {
        (Class::Open, _) => Ok(Class::Open),
        (Class::Predicate, _) | (_, Class::Predicate) => Err(false),
        (Class::Integer, Class::Bits(_)) => Ok(Class::Open),
        (Class::Bits(w), _) | (_, Class::Bits(w)) => Ok(Class::Bits(w)),
        _ if a.is_integer() && b.is_integer() => {
            Ok(a.width().or(b.width()).map_or(Class::Integer, Class::Bits))
        }
        _ if a.is_float() && b.is_float() => Ok(join_floats(a, b)),
        _ => Err(false),
    }
}

fn join_floats(a: Class, b: Class) -> Class {
    let constant_width = |class| match class {
        Class::Single => Some(32),
        Class::Double => Some(64),
        _ => None,
    };
    match (a.width(), b.width()) {
        (Some(w), _) | (_, Some(w)) => {
            let constant = constant_width(a).or(constant_width(b));
            match constant == Some(w) {
                true => Class::Float(w),
                false => Class::Bits(w),
            }
        }
        _ => Class::Bits(64),
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// The elements of a brace list, or the registers of a vector register; `None` for any other operand.
    pub(crate) fn list(
        &mut self,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<Vec<Result<Element, (Span, NoValue)>>> {
        match operand.kind {
            OperandKind::Vector { .. } => Some(
                children
                    .map(|(child, _)| self.element(child).map_err(|why| (child.span, why)))
                    .collect(),
            ),
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Vector { first, n } => {
                    let span = operand.span;
                    Some(
                        (0..u32::from(n))
                            .map(|i| {
                                let register = RegisterId(first.0 + i);
                                Ok(self.register_element(register, span))
                            })
                            .collect(),
                    )
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// One value, of a brace list or alone.
    pub(crate) fn element(&mut self, operand: &Operand) -> Result<Element, NoValue> {
        let span = operand.span;
        let constant = |class, bits| {
            Ok(Element {
                span,
                class,
                source: Source::Immediate(bits),
            })
        };
        match operand.kind {
            OperandKind::Name(name) => self.named_element(name, span),
            OperandKind::Component { .. } => self.component_element(operand),
            OperandKind::Integer { value, .. } => constant(Class::Integer, value),
            OperandKind::Single(bits) => constant(Class::Single, bits.into()),
            OperandKind::Double(bits) => constant(Class::Double, bits),
            OperandKind::Sink => Err(NoValue::Sink),
            OperandKind::Sum { .. } | OperandKind::Indexed { .. } => Err(NoValue::Address),
            OperandKind::Address { .. }
            | OperandKind::AbsoluteAddress { .. }
            | OperandKind::AddressList { .. } => Err(NoValue::Brackets),
            OperandKind::Not(_) | OperandKind::Minus(_) => Err(NoValue::Negated),
            OperandKind::Error => Err(NoValue::Reported),
            _ => Err(NoValue::Nested),
        }
    }

    fn named_element(&mut self, name: Name, span: Span) -> Result<Element, NoValue> {
        match self.binding(name, span) {
            Binding::Register(register) => Ok(self.register_element(register, span)),
            Binding::Special(special) => Ok(special_element(special, span)),
            Binding::Vector { .. } => Err(NoValue::Vector),
            Binding::Variable(_) | Binding::Function(_) => Err(NoValue::Address),
            Binding::None if span.text(self.source) == "WARP_SZ" => Ok(Element {
                span,
                class: Class::Integer,
                source: Source::Immediate(32),
            }),
            Binding::None => {
                self.unknown(span);
                Err(NoValue::Reported)
            }
            _ => Err(NoValue::Label),
        }
    }

    fn component_element(&mut self, operand: &Operand) -> Result<Element, NoValue> {
        let span = operand.span;
        let OperandKind::Component { name, component } = operand.kind else {
            return Err(NoValue::Component);
        };
        match self.binding(name, span) {
            Binding::Vector { first, n } if component.index() < usize::from(n) => {
                let register = RegisterId(first.0 + component.index() as u32);
                Ok(self.register_element(register, span))
            }
            Binding::None => match SpecialRegister::from_name(span.text(self.source)) {
                Some(special) => Ok(special_element(special, span)),
                None => {
                    self.unknown(span);
                    Err(NoValue::Reported)
                }
            },
            _ => Err(NoValue::Component),
        }
    }

    fn register_element(&self, register: RegisterId, span: Span) -> Element {
        Element {
            span,
            class: Class::of(self.body.type_of(register)),
            source: Source::Register(RegisterRun::one(register)),
        }
    }
}

fn special_element(special: SpecialRegister, span: Span) -> Element {
    Element {
        span,
        class: Class::Bits(special.width_bits()),
        source: Source::Special(special),
    }
}
