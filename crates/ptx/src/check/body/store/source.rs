//! Stored value: a single value, a vector register, or a list in braces.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register, source};
use crate::check::body::operand::InstructionSite;
use crate::check::body::store::vector_elements::{ElementError, find_problems};
use crate::check::body::values::{ValueError, ValueOperand};
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::store::StoreConstraints;
use crate::diagnostics::store as diagnose;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, Operands};
use warpgrid_isa::{OperandClass, ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, RegisterId, Source, Span};

/// Maximum number of elements of a vector access. For a list with more elements, the checker reports only the length.
const MAX_ELEMENTS: usize = 8;

/// Elements of a stored brace list, excluding sinks, with the spans that diagnostics require.
#[derive(Debug)]
struct VectorSource {
    elements: [ValueOperand; MAX_ELEMENTS],
    n: usize,
    /// Span of the first element that is a component of a vector register.
    component: Option<Span>,
    /// Span of the first element that is a literal.
    literal: Option<Span>,
}

impl VectorSource {
    const NONE: VectorSource = VectorSource {
        elements: [ValueOperand::NONE; MAX_ELEMENTS],
        n: 0,
        component: None,
        literal: None,
    };

    fn push(&mut self, read: &ValueOperand) {
        if let Some(place) = self.elements.get_mut(self.n) {
            *place = *read;
            self.n += 1;
        }
        let component = read.is_component.then_some(read.span);
        let literal = read.class.is_constant().then_some(read.span);
        self.component = self.component.or(component);
        self.literal = self.literal.or(literal);
    }

    fn elements(&self) -> &[ValueOperand] {
        self.elements.get(..self.n).unwrap_or(&[])
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Checks the stored operand. Returns `None` after an error has been reported.
    pub(crate) fn store_sources(
        &mut self,
        site: &InstructionSite<'a>,
        store: &StoreConstraints,
    ) -> Option<OperandValue> {
        let (operand, children) = site.operand(1)?;
        match operand.kind {
            OperandKind::Vector { .. } => self.store_braces(store, operand, children),
            OperandKind::Sum { name, offset } => self.store_sum(store, operand, name, offset),
            _ => match self.value(operand) {
                Ok(element) if element.is_special() => {
                    self.report(diagnose::special_register(operand.span));
                    None
                }
                Ok(element) => self.store_alone(store, &element),
                Err(reason) => self.store_no_value(store, operand, reason),
            },
        }
    }

    fn store_alone(
        &mut self,
        store: &StoreConstraints,
        element: &ValueOperand,
    ) -> Option<OperandValue> {
        let span = element.span;
        if store.n_elements > 1 {
            self.report(diagnose::n_elements(span, 1, store.n_elements));
            return None;
        }
        if !store.ty.accepts(element.class, TypeMatch::Stored) {
            self.report(diagnose::type_mismatch(span, element.class, store.ty));
            return None;
        }
        Some(source(element.source_as(store.ty)))
    }

    /// Checks a stored operand that is not a single value, such as a sum of a name and a constant.
    fn store_no_value(
        &mut self,
        store: &StoreConstraints,
        operand: &Operand,
        reason: ValueError,
    ) -> Option<OperandValue> {
        let span = operand.span;
        let problem = match reason {
            ValueError::Reported => return None,
            ValueError::Vector { first, n } => return self.store_vector(store, span, first, n),
            ValueError::Function(function) if store.n_elements == 1 => {
                self.report(diagnose::function_value(span));
                return Some(source(Source::FunctionAddress(function)));
            }
            ValueError::BeyondVector { last, n } => {
                let element = self.beyond_vector(span, last, n);
                return self.store_alone(store, &element);
            }
            ValueError::Function(_) => diagnose::n_elements(span, 1, store.n_elements),
            ValueError::Variable(_) => diagnose::variable_value(span, span.text(self.source)),
            ValueError::SpecialVector => diagnose::special_register(span),
            ValueError::Component => diagnose::no_component(span),
            ValueError::Sink
            | ValueError::Sum
            | ValueError::Label
            | ValueError::Brackets
            | ValueError::Negated
            | ValueError::Nested => diagnose::not_a_value(span, operand.kind),
        };
        self.report(problem);
        None
    }

    /// Reports a component beyond the end of the vector, which the assembler accepts and treats as the last component.
    fn beyond_vector(&mut self, span: Span, last: RegisterId, n: u8) -> ValueOperand {
        self.report(diagnose::beyond_vector(span, n));
        self.body.is_representable = false;
        ValueOperand {
            is_component: true,
            ..self.register_element(last, span)
        }
    }

    fn store_vector(
        &mut self,
        store: &StoreConstraints,
        span: Span,
        first: RegisterId,
        n: u8,
    ) -> Option<OperandValue> {
        if usize::from(n) != store.n_elements {
            self.report(diagnose::n_elements(span, n.into(), store.n_elements));
            return None;
        }
        let class = OperandClass::of(self.body.type_of(first));
        if !store.ty.accepts(class, TypeMatch::StoredInBraces) {
            self.report(diagnose::type_mismatch(span, class, store.ty));
            return None;
        }
        let start = self.body.elements.len();
        for index in 0..u32::from(n) {
            let value = source(register(RegisterId(first.0 + index)));
            self.body.push_element(value, span);
        }
        Some(self.body.list_from(start))
    }

    /// Checks `name+constant`, which the assembler accepts for registers and for variables. The name of a variable denotes its address.
    fn store_sum(
        &mut self,
        store: &StoreConstraints,
        operand: &Operand,
        name: Name,
        offset: i64,
    ) -> Option<OperandValue> {
        let span = operand.span;
        if store.n_elements > 1 {
            self.report(diagnose::n_elements(span, 1, store.n_elements));
            return None;
        }
        let (class, sum) = match self.binding(name, span) {
            Binding::Register(register) => (
                OperandClass::of(self.body.type_of(register)),
                Source::RegisterOffset { register, offset },
            ),
            Binding::Special(special) => {
                (OperandClass::Bits(special.width_bits()), self.not_said()?)
            }
            Binding::Variable(variable) => {
                let address = Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                };
                (OperandClass::of(ScalarType::U64), address)
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
        if !store.ty.accepts(class, TypeMatch::StoredSum) {
            self.report(diagnose::type_mismatch(span, class, store.ty));
            return None;
        }
        self.report(diagnose::sum_value(span));
        Some(source(sum))
    }

    fn store_braces(
        &mut self,
        store: &StoreConstraints,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let n_before = self.n_errors();
        let first = self.body.elements.len();
        let mut reads = VectorSource::NONE;
        let mut n_children = 0;
        for (child, _) in children {
            n_children += 1;
            let value = match self.braced_value(store, child) {
                Some(element) => {
                    reads.push(&element);
                    element.source_as(store.ty)
                }
                None => Source::Sink,
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

    /// Returns the value of an element in braces, which may be a special register. Returns `None` for a sink, or after an error has been
    /// reported.
    fn braced_value(&mut self, store: &StoreConstraints, child: &Operand) -> Option<ValueOperand> {
        let span = child.span;
        let problem = match self.value(child) {
            Ok(element) => return Some(element),
            Err(ValueError::BeyondVector { last, n }) => {
                return Some(self.beyond_vector(span, last, n));
            }
            Err(ValueError::Reported) => return None,
            Err(ValueError::Sink) if store.is_wide => return None,
            Err(ValueError::Sink) => diagnose::sink(span),
            Err(ValueError::Component) => diagnose::no_component(span),
            Err(
                ValueError::Variable(_)
                | ValueError::Function(_)
                | ValueError::Sum
                | ValueError::Vector { .. }
                | ValueError::SpecialVector
                | ValueError::Label
                | ValueError::Brackets
                | ValueError::Negated
                | ValueError::Nested,
            ) => diagnose::not_an_element(span),
        };
        self.report(problem);
        None
    }

    fn check_elements(
        &mut self,
        store: &StoreConstraints,
        span: Span,
        reads: &VectorSource,
        n_before: usize,
    ) {
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
        let elements = reads.elements();
        for problem in find_problems(elements, store.ty) {
            let at = |index: usize| elements.get(index);
            let report = match problem {
                ElementError::Kinds { at: index } => at(index)
                    .zip(at(index.saturating_sub(1)))
                    .map(|(e, before)| {
                        diagnose::different_kinds(e.span, e.class, before.span, before.class)
                    }),
                ElementError::Width { at: index } => at(index).zip(at(0)).map(|(e, first)| {
                    diagnose::different_widths(e.span, e.class, first.span, first.class)
                }),
                ElementError::Type => {
                    at(0).map(|first| diagnose::vector_mismatch(span, first.class, store.ty))
                }
            };
            if let Some(report) = report {
                self.report(report);
            }
        }
    }
}
