//! The value that a store writes: one value, a vector register, or a list in braces.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register as register_source, source};
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::store::Store;
use crate::diagnostics::store as diagnose;
use crate::tree::{Component, Name, Operand, OperandKind, Operands};
use crate::values::{Class, Element, Problem, find_problems};
use warpgrid_isa::{Fit, ScalarType, SpecialRegister};
use warpgrid_program::{OperandValue, RegisterId, Source, Span};

/// A value as it was read: what it is, and what the emulator makes of it.
#[derive(Clone, Copy, Debug)]
struct Read {
    element: Element,
    source: Source,
    is_component: bool,
}

/// The most elements of a vector access; a longer list is refused for its length.
const MAX_ELEMENTS: usize = 8;

/// The elements in braces, sinks left out.
#[derive(Debug)]
struct Reads {
    elements: [Element; MAX_ELEMENTS],
    spans: [Span; MAX_ELEMENTS],
    n: usize,
    /// The first component of a vector.
    component: Option<Span>,
    /// The first literal.
    literal: Option<Span>,
}

impl Reads {
    const NONE: Reads = Reads {
        elements: [Element::literal(Class::Bits, 0); MAX_ELEMENTS],
        spans: [Span::at(0); MAX_ELEMENTS],
        n: 0,
        component: None,
        literal: None,
    };

    fn push(&mut self, span: Span, read: Read) {
        if let (Some(element), Some(place)) =
            (self.elements.get_mut(self.n), self.spans.get_mut(self.n))
        {
            *element = read.element;
            *place = span;
            self.n += 1;
        }
        let is_literal = read.element.is_literal;
        self.component = self.component.or(read.is_component.then_some(span));
        self.literal = self.literal.or(is_literal.then_some(span));
    }

    fn elements(&self) -> &[Element] {
        self.elements.get(..self.n).unwrap_or(&[])
    }

    fn get(&self, index: usize) -> Option<(Span, Element)> {
        let element = self.elements().get(index)?;
        Some((*self.spans.get(index)?, *element))
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks the second operand. `None`: something was reported.
    pub(crate) fn store_sources(&mut self, site: &Site<'a>, store: &Store) -> Option<OperandValue> {
        let (operand, children) = site.operand(1)?;
        match operand.kind {
            OperandKind::Vector { .. } => self.store_braces(store, operand, children),
            OperandKind::Name(name) => self.store_name(store, operand, name),
            OperandKind::Component { name, component } => {
                self.store_component(store, operand, name, component)
            }
            OperandKind::Integer { .. } | OperandKind::Single(_) | OperandKind::Double(_) => {
                let read = literal(operand.kind, store.ty)?;
                self.store_alone(store, operand.span, read)
            }
            OperandKind::Sum { name, offset } => self.store_sum(store, operand, name, offset),
            OperandKind::Error => None,
            kind => {
                self.report(diagnose::not_a_value(operand.span, kind));
                None
            }
        }
    }

    fn store_alone(&mut self, store: &Store, span: Span, read: Read) -> Option<OperandValue> {
        if store.n_elements > 1 {
            self.report(diagnose::n_elements(span, 1, store.n_elements));
            return None;
        }
        let element = read.element;
        if !store.ty.takes(element.value(), Fit::Stored) {
            self.report(diagnose::type_mismatch(span, element, store.ty));
            return None;
        }
        Some(source(read.source))
    }

    fn store_name(&mut self, store: &Store, operand: &Operand, name: Name) -> Option<OperandValue> {
        let span = operand.span;
        match self.binding(name, span) {
            Binding::Register(register) => {
                let read = self.register_read(register);
                self.store_alone(store, span, read)
            }
            Binding::Vector { first, n } => self.store_vector(store, span, first, n),
            Binding::Special(_) => {
                self.report(diagnose::special_register(span));
                None
            }
            Binding::None if span.text(self.source) == WARP_SZ => {
                let read = literal(warp_size(), store.ty)?;
                self.store_alone(store, span, read)
            }
            Binding::None => {
                if is_special_vector(span.text(self.source)) {
                    self.report(diagnose::special_register(span));
                } else {
                    self.unknown(span);
                }
                None
            }
            Binding::Function(function) if store.n_elements == 1 => {
                self.report(diagnose::function_value(span));
                Some(source(Source::FunctionAddress(function)))
            }
            Binding::Function(_) => {
                self.report(diagnose::n_elements(span, 1, store.n_elements));
                None
            }
            Binding::Variable(_) => {
                self.report(diagnose::variable_value(span, span.text(self.source)));
                None
            }
            _ => {
                self.report(diagnose::not_a_value(span, operand.kind));
                None
            }
        }
    }

    fn store_vector(
        &mut self,
        store: &Store,
        span: Span,
        first: RegisterId,
        n: u8,
    ) -> Option<OperandValue> {
        if usize::from(n) != store.n_elements {
            self.report(diagnose::n_elements(span, n.into(), store.n_elements));
            return None;
        }
        let element = self.register_read(first).element;
        if !store.ty.takes(element.value(), Fit::StoredInBraces) {
            self.report(diagnose::type_mismatch(span, element, store.ty));
            return None;
        }
        let start = self.body.elements.len();
        for index in 0..u32::from(n) {
            let value = source(register_source(RegisterId(first.0 + index)));
            self.body.push_element(value, span);
        }
        Some(self.body.list_from(start))
    }

    fn store_component(
        &mut self,
        store: &Store,
        operand: &Operand,
        name: Name,
        component: Component,
    ) -> Option<OperandValue> {
        match self.component_read(name, component, operand.span)? {
            Read {
                source: Source::Special(_),
                ..
            } => {
                self.report(diagnose::special_register(operand.span));
                None
            }
            read => self.store_alone(store, operand.span, read),
        }
    }

    /// `name+constant`: the assembler takes it for registers and for variables, whose address is meant.
    fn store_sum(
        &mut self,
        store: &Store,
        operand: &Operand,
        name: Name,
        offset: i64,
    ) -> Option<OperandValue> {
        let span = operand.span;
        if store.n_elements > 1 {
            self.report(diagnose::n_elements(span, 1, store.n_elements));
            return None;
        }
        let (element, sum) = match self.binding(name, span) {
            Binding::Register(register) => (
                self.register_read(register).element,
                Source::RegisterOffset { register, offset },
            ),
            Binding::Special(special) => (special_element(special), self.not_said()?),
            Binding::Variable(variable) => {
                let address = Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                };
                (Element::register(ScalarType::U64), address)
            }
            Binding::None => {
                let span = self.name_span(operand, name);
                self.unknown(span);
                return None;
            }
            _ => {
                self.report(diagnose::not_a_value(span, operand.kind));
                return None;
            }
        };
        if !store.ty.takes(element.value(), Fit::StoredSum) {
            self.report(diagnose::type_mismatch(span, element, store.ty));
            return None;
        }
        self.report(diagnose::sum_value(span));
        Some(source(sum))
    }

    fn store_braces(
        &mut self,
        store: &Store,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let n_before = self.n_errors();
        let first = self.body.elements.len();
        let mut reads = Reads::NONE;
        let mut n_children = 0;
        for (child, _) in children {
            n_children += 1;
            let value = match child.kind {
                OperandKind::Sink => {
                    if !store.is_wide {
                        self.report(diagnose::sink(child.span));
                    }
                    Source::Sink
                }
                _ => match self.element_read(child, store.ty) {
                    Some(read) => {
                        reads.push(child.span, read);
                        read.source
                    }
                    None => Source::Sink,
                },
            };
            self.body.push_element(source(value), child.span);
        }
        if n_children != store.n_elements {
            self.report(diagnose::n_elements(
                operand.span,
                n_children,
                store.n_elements,
            ));
        }
        self.check_elements(store, operand.span, &reads, n_before);
        (self.n_errors() == n_before).then(|| self.body.list_from(first))
    }

    fn check_elements(&mut self, store: &Store, span: Span, reads: &Reads, n_before: usize) {
        if reads.n == 0 {
            if self.n_errors() == n_before {
                self.report(diagnose::all_sinks(span));
            }
            return;
        }
        if let (Some(component), Some(literal)) = (reads.component, reads.literal) {
            self.report(diagnose::literal_beside_component(literal, component));
            return;
        }
        for problem in find_problems(reads.elements(), store.ty) {
            let at = |index: usize| reads.get(index);
            let report = match problem {
                Problem::Kinds { at: index } => at(index).zip(at(index.saturating_sub(1))).map(
                    |((span, element), (before, neighbour))| {
                        diagnose::different_kinds(span, element, before, neighbour)
                    },
                ),
                Problem::Width { at: index } => {
                    at(index)
                        .zip(at(0))
                        .map(|((span, element), (first, other))| {
                            diagnose::different_widths(span, element, first, other)
                        })
                }
                Problem::Type => {
                    at(0).map(|(_, element)| diagnose::vector_mismatch(span, element, store.ty))
                }
            };
            if let Some(report) = report {
                self.report(report);
            }
        }
    }

    /// An element in braces; special registers are allowed there.
    fn element_read(&mut self, operand: &Operand, ty: ScalarType) -> Option<Read> {
        let span = operand.span;
        match operand.kind {
            OperandKind::Name(name) => match self.binding(name, span) {
                Binding::Register(register) => return Some(self.register_read(register)),
                Binding::Special(special) => {
                    return Some(Read {
                        element: special_element(special),
                        source: Source::Special(special),
                        is_component: false,
                    });
                }
                Binding::None if span.text(self.source) == WARP_SZ => {
                    return literal(warp_size(), ty);
                }
                Binding::None if !is_special_vector(span.text(self.source)) => self.unknown(span),
                _ => self.report(diagnose::not_an_element(span)),
            },
            OperandKind::Component { name, component } => {
                return self.component_read(name, component, span);
            }
            OperandKind::Error => {}
            kind => match literal(kind, ty) {
                Some(read) => return Some(read),
                None => self.report(diagnose::not_an_element(span)),
            },
        }
        None
    }

    fn component_read(&mut self, name: Name, component: Component, span: Span) -> Option<Read> {
        match self.binding(name, span) {
            Binding::Vector { .. } if is_part(component) => {
                self.report(diagnose::no_component(span));
            }
            Binding::Vector { first, n } => {
                // Components beyond the vector are taken; they read the last one there is.
                let index = component.index().min(usize::from(n).saturating_sub(1)) as u32;
                let mut read = self.register_read(RegisterId(first.0 + index));
                read.is_component = true;
                if component.index() >= usize::from(n) {
                    self.report(diagnose::beyond_vector(span, n));
                    self.body.is_sayable = false;
                }
                return Some(read);
            }
            Binding::None => {
                let text = span.text(self.source);
                if let Some(special) = SpecialRegister::from_name(text) {
                    self.check_special(special, span);
                    return Some(Read {
                        element: special_element(special),
                        source: Source::Special(special),
                        is_component: true,
                    });
                }
                let operand = Operand {
                    span,
                    kind: OperandKind::Component { name, component },
                };
                let span = self.name_span(&operand, name);
                self.unknown(span);
            }
            _ => self.report(diagnose::no_component(span)),
        }
        None
    }

    fn register_read(&self, register: RegisterId) -> Read {
        Read {
            element: Element::register(self.body.type_of(register)),
            source: register_source(register),
            is_component: false,
        }
    }
}

/// A byte or half word, which only video instructions select.
fn is_part(component: Component) -> bool {
    matches!(component, Component::Byte(_) | Component::Half(_))
}

/// The name of the warp size, a literal.
pub(crate) const WARP_SZ: &str = "WARP_SZ";

fn warp_size() -> OperandKind {
    OperandKind::Integer {
        value: 32,
        unsigned: false,
    }
}

/// Special registers count as untyped bits.
fn special_element(special: SpecialRegister) -> Element {
    Element {
        class: Class::Bits,
        width_bits: special.width_bits(),
        is_literal: false,
    }
}

/// `%tid` and its like, without a component.
pub(crate) fn is_special_vector(text: &str) -> bool {
    !text.contains('.') && SpecialRegister::from_name(&format!("{text}.x")).is_some()
}

/// A literal in the format of the instruction.
fn literal(kind: OperandKind, ty: ScalarType) -> Option<Read> {
    let (element, bits) = match kind {
        OperandKind::Integer { value, unsigned } => {
            let class = if unsigned {
                Class::Unsigned
            } else {
                Class::Signed
            };
            (Element::literal(class, 64), ty.truncate(value))
        }
        OperandKind::Single(bits) => {
            let bits = match ty {
                ScalarType::F64 => f64::from(f32::from_bits(bits)).to_bits(),
                _ => ty.truncate(bits.into()),
            };
            (Element::literal(Class::Float, 32), bits)
        }
        OperandKind::Double(bits) => {
            let bits = match ty {
                ScalarType::F32 => u64::from((f64::from_bits(bits) as f32).to_bits()),
                _ => ty.truncate(bits),
            };
            (Element::literal(Class::Float, 64), bits)
        }
        _ => return None,
    };
    Some(Read {
        element,
        source: Source::Immediate(bits),
        is_component: false,
    })
}
