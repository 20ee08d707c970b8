//! Lists of values in operands of specialized units: checks the number of values and their common type.

use crate::check::body::checker::BodyChecker;
use crate::check::body::list_type::merge;
use crate::check::body::lower::{destination, source};
use crate::check::body::operand::InstructionSite;
use crate::check::body::values::{ValueError, ValueOperand};
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::check as diagnose;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren, Operands};
use warpgrid_isa::{Flag, OperandAccess, OperandClass, ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, Source};

/// Requirements for a list of values in an operand of a specialized unit: length, type and permitted elements (assembler 13.5).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListRule {
    pub(crate) count: ListLength,
    /// Type with which all values of the list must be compatible.
    pub(crate) ty: ScalarType,
    pub(crate) fit: TypeMatch,
    pub(crate) taken: &'static [ExtraElements],
    /// Noun that denotes the values of the list in messages.
    pub(crate) what: &'static str,
}

/// Permitted number of values of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListLength {
    Exactly(usize),
    /// A list of 1, 2 or 4 values, with at least this number of values.
    AtLeast(usize),
}

impl ListLength {
    const fn takes(self, found: usize) -> bool {
        match self {
            ListLength::Exactly(n) => found == n,
            ListLength::AtLeast(n) => found >= n && matches!(found, 1 | 2 | 4),
        }
    }

    /// Returns the number of values that the vector width specifies. Without a vector width, a list may have 1, 2 or 4 values.
    pub(crate) fn of_vector(plan: &ResolvedOpcode) -> ListLength {
        match plan.modifiers.vector {
            Some(_) => ListLength::Exactly(plan.modifiers.n_elements()),
            None => ListLength::AtLeast(1),
        }
    }

    const fn expected(self) -> usize {
        match self {
            ListLength::Exactly(n) | ListLength::AtLeast(n) => n,
        }
    }
}

/// Additional syntax that a list operand accepts beside compatible values in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExtraElements {
    /// A vector register may replace the list.
    VectorRegister,
    /// An element may be the sink `_`, which the instruction ignores.
    Sink,
    /// An element of a list of untyped bits may be a predicate.
    Predicate,
}

/// Whether a list may contain special registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpecialRegisterRule {
    Taken,
    Refused,
}

/// Additional syntax of lists for which the source may omit the braces.
pub(crate) const SEVERAL: &[ExtraElements] =
    &[ExtraElements::VectorRegister, ExtraElements::Predicate];

impl ListRule {
    /// Creates a rule for a list of values in braces without additional syntax.
    pub(crate) const fn of(count: ListLength, ty: ScalarType, fit: TypeMatch) -> ListRule {
        ListRule {
            count,
            ty,
            fit,
            taken: &[],
            what: "values",
        }
    }

    pub(crate) const fn taking(self, taken: &'static [ExtraElements]) -> ListRule {
        ListRule { taken, ..self }
    }

    pub(crate) const fn named(self, what: &'static str) -> ListRule {
        ListRule { what, ..self }
    }

    fn takes(&self, taken: ExtraElements) -> bool {
        self.taken.contains(&taken)
    }

    /// Returns whether the values are compatible with each other and with the type of the rule.
    pub(crate) fn fits(&self, elements: Vec<ValueOperand>) -> bool {
        let class = match self.takes(ExtraElements::Predicate) {
            true => whole(elements),
            false => merge(&elements).ok(),
        };
        class.is_some_and(|class| is_of(self.ty, class, self.fit))
    }
}

impl<'a> BodyChecker<'a, '_> {
    /// Reads the values of a list, and checks their number. Returns `None` after an error has been reported.
    pub(crate) fn elements(
        &mut self,
        (operand, children): OperandWithChildren<'a>,
        rule: &ListRule,
    ) -> Option<Vec<ValueOperand>> {
        let is_list = matches!(operand.kind, OperandKind::Vector { .. });
        let list = match is_list || rule.takes(ExtraElements::VectorRegister) {
            true => self.list(operand, children),
            false => None,
        };
        let Some(list) = list else {
            return self.expect_list(operand, rule);
        };
        let found = list.len();
        if !rule.count.takes(found) {
            let expected = rule.count.expected();
            self.report(diagnose::vector_size(operand.span, found, expected));
            return None;
        }
        let mut elements = Vec::with_capacity(found);
        for element in list {
            match element {
                Ok(element) => elements.push(element),
                Err((_, ValueError::Sink)) if rule.takes(ExtraElements::Sink) => {}
                Err((_, ValueError::Reported)) => return None,
                Err(_) => return self.expect_list(operand, rule),
            }
        }
        Some(elements)
    }

    fn expect_list<T>(&mut self, operand: &Operand, rule: &ListRule) -> Option<T> {
        let expected = format!("{} in braces", rule.what);
        self.expect_that(false, operand, &expected);
        None
    }

    /// Checks whether the values of a list satisfy a rule.
    pub(crate) fn listed(
        &mut self,
        written: OperandWithChildren<'a>,
        rule: &ListRule,
    ) -> Option<OperandValue> {
        let elements = self.elements(written, rule)?;
        self.expect_typed(rule.fits(elements), written.0, rule)
    }

    /// Reports a list whose values are not compatible with the expected type.
    pub(crate) fn expect_typed(
        &mut self,
        fits: bool,
        operand: &Operand,
        rule: &ListRule,
    ) -> Option<OperandValue> {
        if fits {
            return Some(OperandValue::Absent);
        }
        let expected = format!("{} of a different type", rule.what);
        self.expect_that(false, operand, &expected)
    }

    /// Checks a list of `n` 32-bit registers, which may have any type.
    pub(crate) fn words(
        &mut self,
        list: OperandWithChildren<'a>,
        n: usize,
        role: OperandAccess,
        specials: SpecialRegisterRule,
    ) -> Option<OperandValue> {
        let rule = ListRule::of(ListLength::Exactly(n), ScalarType::B32, TypeMatch::Exact)
            .named("registers");
        let mut children = list.1;
        if children.all(|(child, _)| matches!(child.kind, OperandKind::Integer { .. })) {
            return self.expect_list(list.0, &rule);
        }
        let elements = self.elements(list, &rule)?;
        let fits = elements.iter().all(|element| match element.class {
            OperandClass::Integer | OperandClass::Single => role == OperandAccess::Read,
            OperandClass::Predicate => false,
            class => {
                let is_taken = specials == SpecialRegisterRule::Taken || !element.is_special();
                class.width() == Some(32) && is_taken
            }
        });
        self.expect_typed(fits, list.0, &rule)
    }

    /// Checks a 128-bit value, which is a single value or a brace list of its parts.
    pub(crate) fn whole_bits(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let Some(list) = self.list(operand, children) else {
            let value = self.source(site, operand, ScalarType::B128, TypeMatch::Exact)?;
            return Some(source(value));
        };
        let elements: Option<Vec<ValueOperand>> = list.into_iter().map(Result::ok).collect();
        let fits = elements.is_some_and(|elements| {
            let n = elements.len() as u32;
            let is_whole = |class: OperandClass| match class {
                OperandClass::Predicate | OperandClass::Halves => false,
                OperandClass::Double => n == 2,
                OperandClass::Single => n == 4,
                class => class.width().is_none_or(|width| width * n == 128),
            };
            n.is_power_of_two() && merge(&elements).is_ok_and(is_whole)
        });
        self.expect_that(fits, operand, "128 bits")
    }

    /// Checks a list of values whose length is the vector width, or a single value if there is no vector width.
    pub(crate) fn values(
        &mut self,
        site: &InstructionSite<'a>,
        (operand, children): OperandWithChildren<'a>,
        ty: ScalarType,
        role: OperandAccess,
    ) -> Option<OperandValue> {
        let n = site.plan.modifiers.n_elements();
        let is_list = matches!(operand.kind, OperandKind::Vector { .. });
        if role == OperandAccess::Written && n == 1 && is_list && !ty.is_float() {
            return self.expect_that(false, operand, "a register");
        }
        if role == OperandAccess::Written {
            let fit = match ty {
                ScalarType::F32 => TypeMatch::ExactInBraces,
                _ => TypeMatch::Exact,
            };
            return match n == 1 && !is_list {
                true => self.one_destination(site, operand, ty, TypeMatch::Exact),
                false => self.vector_destinations(site, operand, children, ty, fit, n),
            };
        }
        // Stores with a floating-point type also accept a brace list with one value (assembler 13.5).
        let is_one = is_list && ty.is_float() && site.plan.modifiers.has(Flag::St);
        if n == 1 && !is_one {
            let value = self.source(site, operand, ty, TypeMatch::Exact)?;
            return Some(source(value));
        }
        let fit = match ty {
            ScalarType::F32 | ScalarType::F16 => TypeMatch::ExactInBraces,
            _ => TypeMatch::Exact,
        };
        let rule = ListRule::of(ListLength::Exactly(n), ty, fit);
        let elements = self.elements((operand, children), &rule)?;
        let is_integer = |element: &ValueOperand| element.class == OperandClass::Integer;
        let has_number = ty.is_float() && elements.iter().any(is_integer);
        self.expect_typed(!has_number && rule.fits(elements), operand, &rule)
    }

    /// Checks a single destination register. The sink is rejected.
    pub(crate) fn one_destination(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        ty: ScalarType,
        fit: TypeMatch,
    ) -> Option<OperandValue> {
        match self.written(site, operand, ty, fit)? {
            Some(register) => Some(destination(register)),
            None => {
                self.report_sink(site, operand);
                None
            }
        }
    }

    /// Checks the registers of a matrix fragment.
    pub(crate) fn fragment(
        &mut self,
        written: OperandWithChildren<'a>,
        rule: ListRule,
        role: OperandAccess,
    ) -> Option<OperandValue> {
        let rule = rule.taking(SEVERAL).named("registers");
        let elements = self.elements(written, &rule)?;
        let is_constant = |element: &ValueOperand| matches!(element.source, Source::Immediate(_));
        let are_registers = match role {
            OperandAccess::Written => !elements.iter().any(is_constant),
            OperandAccess::Read => !elements.iter().all(is_constant),
        };
        self.expect_typed(are_registers && rule.fits(elements), written.0, &rule)
    }

    /// Checks the sparsity metadata, which may be any 32-bit operand except a literal. If the operand is a list, the instruction uses only
    /// the first element.
    pub(crate) fn metadata(
        &mut self,
        site: &InstructionSite<'a>,
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
            return self.expect_that(false, operand, "a 32-bit register");
        }
        let value = self.source(site, first, ScalarType::B32, TypeMatch::Exact)?;
        Some(source(value))
    }
}

/// Returns the class of a list. Predicates are compatible with adjacent untyped bits.
fn whole(mut elements: Vec<ValueOperand>) -> Option<OperandClass> {
    let is_taken = |class| matches!(class, OperandClass::Bits(_) | OperandClass::Predicate);
    let clashes = |pair: &[ValueOperand]| {
        let [one, other] = pair else { return false };
        let is_one = |element: &ValueOperand| element.class == OperandClass::Predicate;
        (is_one(one) || is_one(other)) && !(is_taken(one.class) && is_taken(other.class))
    };
    if elements.windows(2).any(clashes) {
        return None;
    }
    let mut classes = elements.iter().map(|element| element.class);
    if let Some(bits) = classes.find(|class| matches!(class, OperandClass::Bits(_))) {
        for element in &mut elements {
            if element.class == OperandClass::Predicate {
                element.class = bits;
            }
        }
    }
    merge(&elements).ok()
}

/// Returns whether values of a class are compatible with a type.
pub(crate) fn is_of(ty: ScalarType, class: OperandClass, fit: TypeMatch) -> bool {
    ty != ScalarType::Tf32 && class == OperandClass::of(ty) || ty.accepts(class, fit)
}
