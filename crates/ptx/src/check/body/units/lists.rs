//! Lists of values that other units than the lanes take or give. In: braces; out: whether there are as many as it takes, and
//! of the right type together.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{destination, source};
use crate::check::body::merge::merge;
use crate::check::body::operand::Site;
use crate::check::body::values::Element;
use crate::diagnostics::check as diagnose;
use crate::tree::{Operand, OperandKind, Operands, Written};
use warpgrid_isa::{Fit, Flag, Role, ScalarType, ValueClass};
use warpgrid_program::{OperandValue, Source};

/// Whether a list may name special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Specials {
    Taken,
    Refused,
}

impl<'a> BodyChecker<'a, '_> {
    /// The `n` values in braces; `None` when something was reported.
    fn in_braces(&mut self, (operand, children): Written<'a>, n: usize) -> Option<Vec<Element>> {
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            self.expect_that(false, operand, "values in braces");
            return None;
        }
        let elements = self.elements(children, "a value")?;
        if elements.len() != n {
            self.report(diagnose::vector_size(operand.span, elements.len(), n));
            return None;
        }
        Some(elements)
    }

    /// A list of `n` values, each of which fits.
    pub(super) fn list_of(
        &mut self,
        (operand, children): Written<'a>,
        n: usize,
        fits: impl Fn(&mut Self, &Element) -> bool,
    ) -> Option<OperandValue> {
        let elements = self.in_braces((operand, children), n)?;
        let is_right = elements.iter().all(|element| fits(self, element));
        self.expect_that(is_right, operand, "values of another type")
    }

    /// `n` words of 32 bits, in registers of any kind.
    pub(super) fn words(
        &mut self,
        list: Written<'a>,
        n: usize,
        role: Role,
        specials: Specials,
    ) -> Option<OperandValue> {
        let mut has_register = false;
        for (child, _) in list.1 {
            has_register |= !matches!(child.kind, OperandKind::Integer { .. });
        }
        if !has_register {
            return self.expect_that(false, list.0, "registers in braces");
        }
        let value = self.list_of(list, n, |_, element| match element.class {
            ValueClass::Integer | ValueClass::Single => role == Role::Read,
            ValueClass::Predicate => false,
            class => {
                let is_taken = specials == Specials::Taken || !element.is_special();
                class.width() == Some(32) && is_taken
            }
        })?;
        Some(value)
    }

    /// 128 bits: one value, or parts in braces.
    pub(super) fn whole_bits(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let Some(list) = self.list(operand, children) else {
            let value = self.source(site, operand, ScalarType::B128, Fit::Exact)?;
            return Some(source(value));
        };
        let elements: Option<Vec<Element>> = list.into_iter().map(Result::ok).collect();
        let fits = elements.is_some_and(|elements| {
            let n = elements.len() as u32;
            let is_whole = |class: ValueClass| match class {
                ValueClass::Predicate | ValueClass::Halves => false,
                ValueClass::Double => n == 2,
                ValueClass::Single => n == 4,
                class => class.width().is_none_or(|width| width * n == 128),
            };
            n.is_power_of_two() && merge(&elements).is_ok_and(is_whole)
        });
        self.expect_that(fits, operand, "128 bits")
    }

    /// As many values as the vector width says, or one.
    pub(super) fn values(
        &mut self,
        site: &Site<'a>,
        (operand, children): Written<'a>,
        ty: ScalarType,
        role: Role,
    ) -> Option<OperandValue> {
        let n = site.plan.modifiers.n_elements();
        let is_list = matches!(operand.kind, OperandKind::Vector { .. });
        if role == Role::Written && n == 1 && is_list && !ty.is_float() {
            return self.expect_that(false, operand, "a register");
        }
        if role == Role::Written {
            return match n == 1 && !is_list {
                true => match self.written(site, operand, ty, Fit::Exact)? {
                    Some(register) => Some(destination(register)),
                    None => {
                        self.report_sink(site, operand);
                        None
                    }
                },
                false => {
                    let fit = match ty {
                        ScalarType::F32 => Fit::ExactInBraces,
                        _ => Fit::Exact,
                    };
                    self.vector_destinations(site, operand, children, ty, fit, n)
                }
            };
        }
        // Stores of floats take one value in braces, too (assembler 13.5).
        let is_one = is_list && ty.is_float() && site.plan.modifiers.has(Flag::St);
        if n == 1 && !is_one {
            let value = self.source(site, operand, ty, Fit::Exact)?;
            return Some(source(value));
        }
        let elements = self.in_braces((operand, children), n)?;
        let has_number = elements
            .iter()
            .any(|element| element.class == ValueClass::Integer);
        if has_number && ty.is_float() {
            return self.expect_that(false, operand, "values of another type");
        }
        let fit = match ty {
            ScalarType::F32 | ScalarType::F16 => Fit::ExactInBraces,
            _ => Fit::Exact,
        };
        let fits = merge(&elements).is_ok_and(|class| is_of(ty, class, fit));
        self.expect_that(fits, operand, "values of another type")
    }

    /// `n` values in braces that together have a type.
    pub(super) fn alike(
        &mut self,
        (operand, children): Written<'a>,
        n: usize,
        ty: ScalarType,
        fit: Fit,
    ) -> Option<OperandValue> {
        let elements = self.in_braces((operand, children), n)?;
        let fits = merge(&elements).is_ok_and(|class| is_of(ty, class, fit));
        self.expect_that(fits, operand, "values of another type")
    }

    /// Registers of a matrix; beside untyped bits a predicate passes.
    pub(super) fn fragment(
        &mut self,
        (operand, children): Written<'a>,
        n: usize,
        ty: ScalarType,
        fit: Fit,
        role: Role,
    ) -> Option<OperandValue> {
        let Some(list) = self.list(operand, children) else {
            return self.expect_that(false, operand, "registers in braces");
        };
        let found = list.len();
        let elements: Option<Vec<Element>> = list.into_iter().map(Result::ok).collect();
        let Some(elements) = elements else {
            return self.expect_that(false, operand, "registers in braces");
        };
        if found != n {
            self.report(diagnose::vector_size(operand.span, found, n));
            return None;
        }
        let is_constant = |element: &Element| matches!(element.source, Source::Immediate(_));
        let has_register = elements.iter().any(|element| !is_constant(element));
        let is_written = role == Role::Written && elements.iter().any(is_constant);
        let fits = whole(elements).is_some_and(|class| is_of(ty, class, fit));
        self.expect_that(
            has_register && !is_written && fits,
            operand,
            "registers of another type",
        )
    }

    /// What says which elements a sparse factor has: any word but a number; the first of a list.
    pub(super) fn metadata(
        &mut self,
        site: &Site<'a>,
        operand: &Operand,
        mut children: Operands<'a>,
    ) -> Option<OperandValue> {
        let first = match operand.kind {
            OperandKind::Vector { .. } => children.next().map_or(operand, |(first, _)| first),
            _ => operand,
        };
        if matches!(first.kind, OperandKind::Name(_)) && self.is_predicate(first) {
            return Some(OperandValue::Absent);
        }
        if let OperandKind::Integer { .. } = first.kind {
            return self.expect_that(false, operand, "a register of 32 bits");
        }
        let value = self.source(site, first, ScalarType::B32, Fit::Exact)?;
        Some(source(value))
    }
}

/// The class of a list, where predicates pass for untyped bits beside them.
pub(super) fn whole(mut elements: Vec<Element>) -> Option<ValueClass> {
    let is_taken = |class| matches!(class, ValueClass::Bits(_) | ValueClass::Predicate);
    let clashes = |pair: &[Element]| {
        let [one, other] = pair else { return false };
        let is_one = |element: &Element| element.class == ValueClass::Predicate;
        (is_one(one) || is_one(other)) && !(is_taken(one.class) && is_taken(other.class))
    };
    if elements.windows(2).any(clashes) {
        return None;
    }
    let mut classes = elements.iter().map(|element| element.class);
    if let Some(bits) = classes.find(|class| matches!(class, ValueClass::Bits(_))) {
        for element in &mut elements {
            if element.class == ValueClass::Predicate {
                element.class = bits;
            }
        }
    }
    merge(&elements).ok()
}

/// Whether values of a class are of a type.
pub(super) fn is_of(ty: ScalarType, class: ValueClass, fit: Fit) -> bool {
    ty != ScalarType::Tf32 && class == ValueClass::of(ty) || ty.takes(class, fit)
}
