//! Checks the stored values of `st.async`, whose types must match exactly.

use crate::check::body::checker::BodyChecker;
use crate::check::body::list_type::{Class, describe, merge};
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::check::body::store_async::StoreAsyncConstraints;
use crate::check::body::values::{ValueError, ValueOperand};
use crate::check::names::binding::Binding;
use crate::diagnostics::store_async as diagnose;
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::{ScalarType, TypeKind, TypeMatch};
use warpgrid_program::{OperandValue, Source, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the stored operand: a value or a list.
    pub(crate) fn async_sources(
        &mut self,
        site: &InstructionSite<'a>,
        wanted: &StoreAsyncConstraints,
    ) -> Option<OperandValue> {
        let (operand, children) = site.operand(1)?;
        let Some(items) = self.list(operand, children) else {
            return self.async_single(operand, wanted);
        };
        if !wanted.has_barrier {
            if wanted.n == 1 {
                self.report(diagnose::no_value(operand.span, "a list"));
            }
            return None;
        }
        let mut elements = Vec::with_capacity(items.len());
        let mut ok = true;
        for item in items {
            match item {
                Ok(element) => elements.push(element),
                Err((span, reason)) => {
                    ok = false;
                    self.report_no_value(span, reason);
                }
            }
        }
        let count = match wanted.n {
            1 => matches!(elements.len(), 1 | 2 | 4),
            n => elements.len() == n,
        };
        if ok && !count {
            let expected = match wanted.n {
                1 => "one".to_owned(),
                n => n.to_string(),
            };
            self.report(diagnose::element_count(
                operand.span,
                elements.len(),
                &expected,
            ));
            return None;
        }
        if !ok {
            return None;
        }
        self.fit_list(operand, &elements, wanted)
    }

    fn fit_list(
        &mut self,
        operand: &Operand,
        elements: &[ValueOperand],
        wanted: &StoreAsyncConstraints,
    ) -> Option<OperandValue> {
        let class = match merge(elements) {
            Ok(class) => class,
            Err(clash) => {
                let first = clash
                    .index
                    .checked_sub(1)
                    .and_then(|i| elements.get(i))
                    .map_or(operand.span, |e| e.span);
                let second = elements.get(clash.index).map_or(operand.span, |e| e.span);
                self.report(diagnose::element_clash(first, second, clash.mismatch));
                return None;
            }
        };
        let ty = wanted.ty;
        let fits = match wanted.n {
            // An instruction with an untyped bit type accepts a list in place of one value, and packs the elements of the list into the
            // value.
            1 if ty == ScalarType::B128 => false,
            1 if ty.kind() == TypeKind::Bits => packs(class, elements.len(), ty),
            _ => ty != ScalarType::B128 && ty.accepts(class, TypeMatch::ExactInBraces),
        };
        if !fits {
            let odd = elements
                .iter()
                .find(|e| !ty.accepts(e.class, TypeMatch::ExactInBraces))
                .or(elements.first())?;
            self.report_source(*odd, ty);
            return None;
        }
        if wanted.n == 1 && elements.len() > 1 {
            return self.not_said().map(source);
        }
        let first = self.body.elements.len();
        for element in elements {
            let value = self.converted(*element, ty);
            self.body.push_element(source(value), element.span);
        }
        Some(self.body.list_from(first))
    }

    fn async_single(
        &mut self,
        operand: &Operand,
        wanted: &StoreAsyncConstraints,
    ) -> Option<OperandValue> {
        if operand.kind == OperandKind::Sink {
            // The parser has already reported the sink as an error, so the operand is not reported again.
            return None;
        }
        if let OperandKind::Sum { name, .. } = operand.kind {
            return self.async_sum(operand, self.name_span(operand, name), wanted);
        }
        if let OperandKind::Name(name) = operand.kind
            && let Binding::Function(_) = self.binding(name, operand.span)
            && (!wanted.is_release || wanted.ty.width_bits() == 16)
        {
            self.report(diagnose::beyond_manual(
                operand.span,
                "the name of a function",
            ));
            return self.not_said().map(source);
        }
        let element = match self.value(operand) {
            Ok(element) if element.is_special() => {
                self.report(diagnose::no_value(operand.span, "a special register"));
                return None;
            }
            Ok(element) => element,
            Err(reason) => {
                self.report_no_value(operand.span, reason);
                return None;
            }
        };
        let is_register = element.class.width().is_some();
        let quad = wanted.ty == ScalarType::B128 && !is_register;
        if !exactly(wanted.ty, element.class) || (quad && element.class != Class::Integer) {
            self.report_source(element, wanted.ty);
            return None;
        }
        if wanted.n > 1 {
            self.report(diagnose::one_value_for_vector(operand.span));
            return self.not_said().map(source);
        }
        Some(source(self.converted(element, wanted.ty)))
    }

    /// Checks a sum of a variable and a constant, which the assembler treats as an integer, or of a register and a constant.
    fn async_sum(
        &mut self,
        operand: &Operand,
        span: Span,
        wanted: &StoreAsyncConstraints,
    ) -> Option<OperandValue> {
        let OperandKind::Sum { name, offset } = operand.kind else {
            return None;
        };
        let binding = self.binding(name, span);
        let ty = wanted.ty;
        let problem = match binding {
            Binding::None => {
                self.unknown(span);
                return None;
            }
            _ if wanted.is_release && ty.width_bits() != 16 => {
                diagnose::no_value(operand.span, "an address expression")
            }
            Binding::Variable(variable) if ty.is_integer() => {
                return Some(source(Source::VariableAddress {
                    variable,
                    offset,
                    generic: false,
                }));
            }
            Binding::Variable(_) => {
                diagnose::source_type(operand.span, "the address of a variable", ty, None)
            }
            binding => {
                self.report(diagnose::beyond_manual(
                    operand.span,
                    "a register plus a constant",
                ));
                return match binding {
                    Binding::Register(register) => {
                        Some(source(Source::RegisterOffset { register, offset }))
                    }
                    _ => self.not_said().map(source),
                };
            }
        };
        self.report(problem);
        None
    }

    /// Returns the source of an element. For a literal, the result is its bit pattern in the type `ty`. For a 128-bit literal, the function
    /// marks the instruction as not representable.
    fn converted(&mut self, element: ValueOperand, ty: ScalarType) -> Source {
        if let (Source::Immediate(_), ScalarType::B128) = (element.source, ty) {
            self.body.is_representable = false;
        }
        element.source_as(ty)
    }

    fn report_no_value(&mut self, span: Span, reason: ValueError) {
        if reason != ValueError::Reported {
            self.report(diagnose::no_value(span, reason.describe()));
        }
    }

    fn report_source(&mut self, element: ValueOperand, ty: ScalarType) {
        let found = describe(element.class);
        let mut problem = diagnose::source_type(element.span, &found, ty, None);
        let text = element.span.text(self.source);
        if element.class == Class::Integer
            && ty.is_float()
            && text.bytes().all(|b| b.is_ascii_digit())
        {
            problem = problem.fix(
                format!("write `{text}.0`"),
                element.span,
                format!("{text}.0"),
            );
        }
        self.report(problem);
    }
}

/// Returns whether a single value of class `class` can be stored as the type `ty`. Floating-point types of the same width are
/// interchangeable.
fn exactly(ty: ScalarType, class: Class) -> bool {
    match class {
        Class::Float(width) if ty.is_float() => width == ty.width_bits(),
        class => ty.accepts(class, TypeMatch::Exact),
    }
}

fn packs(class: Class, count: usize, ty: ScalarType) -> bool {
    let width = match class {
        Class::Integer | Class::Open => return true,
        Class::Single => 32,
        Class::Double => 64,
        Class::Predicate => return false,
        class => class.width().unwrap_or(0),
    };
    width as usize * count == ty.width_bits() as usize
}
