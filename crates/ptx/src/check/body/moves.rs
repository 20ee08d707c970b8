//! Checks of `mov` in all forms: registers, literals, addresses, packing and unpacking.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{destination, register, source};
use crate::check::body::operand::InstructionSite;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren, Operands};
use warpgrid_isa::{ScalarType, SpecialRegister, StateSpace, TypeKind, TypeMatch};
use warpgrid_program::{OperandValue, RegisterId, RegisterTuple, Source, Span};

impl<'a> BodyChecker<'a, '_> {
    /// Checks `mov d, a`.
    pub(crate) fn mov(&mut self, site: &InstructionSite<'a>) -> Option<()> {
        self.count_operands(site)?;
        let mut operands = site.operands;
        let (d, a) = (operands.next()?, operands.next()?);
        let Some(ty) = site
            .plan
            .modifiers
            .ty
            .filter(|_| site.plan.modifiers_are_valid)
        else {
            // The invalid type of the opcode has already been reported, and the operands cannot be checked without a type.
            return None;
        };
        let (to, from) = self.moved_values(site, ty, d, a)?;
        let from = from?;
        let ((d, _), (a, _)) = (d, a);
        self.check_address_width(a, &from, ty)?;
        self.body.push(to?, d.span);
        self.body.push(from, a.span);
        Some(())
    }

    /// Returns the destination and the source of `mov d, a`. An invalid operand is `None`.
    fn moved_values(
        &mut self,
        site: &InstructionSite<'a>,
        ty: ScalarType,
        (mut d, d_children): OperandWithChildren<'a>,
        (mut a, a_children): OperandWithChildren<'a>,
    ) -> Option<(Option<OperandValue>, Option<OperandValue>)> {
        let n_elements = site.plan.modifiers.n_elements();
        let is_list = |operand: &Operand| matches!(operand.kind, OperandKind::Vector { .. });
        if ty.kind() == TypeKind::Bits && n_elements == 1 && is_list(d) != is_list(a) {
            match is_list(d) {
                true => d = self.only_element(d_children).unwrap_or(d),
                false => a = self.only_element(a_children).unwrap_or(a),
            }
        }
        if n_elements > 1 {
            let to =
                self.vector_destinations(site, d, d_children, ty, TypeMatch::Exact, n_elements);
            let from = match self.is_single(a) {
                true => self.source(site, a, ty, TypeMatch::Exact).map(source),
                false => self.vector_sources(site, (a, a_children), ty, n_elements),
            };
            return Some((to, from));
        }
        if let Some((first, n)) = self.whole_vector(d) {
            let to = self.vector_elements(site, d, first, n, ty, destination);
            return Some((to, self.source(site, a, ty, TypeMatch::Exact).map(source)));
        }
        if let Some((first, n)) = self.whole_vector(a) {
            let to = self.moved_to(site, d, ty);
            let from = self.vector_elements(site, a, first, n, ty, |id| source(register(id)));
            return Some((to, from));
        }
        match (d.kind, a.kind) {
            (OperandKind::Vector { .. }, _) => {
                let element = self.element_type(site, ty, d, d_children)?;
                let to = self.unpacked(site, element, d_children);
                Some((to, self.source(site, a, ty, TypeMatch::Exact).map(source)))
            }
            (_, OperandKind::Vector { .. }) => {
                let element = self.element_type(site, ty, a, a_children)?;
                let to = self.moved_to(site, d, ty);
                Some((to, self.packed(site, element, a_children)))
            }
            (_, OperandKind::Not(_)) if ty == ScalarType::Pred => {
                Some((self.moved_to(site, d, ty), self.predicate(site, a)))
            }
            _ => {
                let to = self.moved_to(site, d, ty);
                Some((to, self.source(site, a, ty, TypeMatch::Exact).map(source)))
            }
        }
    }

    /// Returns the element of a list with a single element on one side of `mov`. A list with a single element is equivalent to the element
    /// without braces (assembler 13.5).
    fn only_element(&mut self, mut children: Operands<'a>) -> Option<&'a Operand> {
        let (element, _) = children.next()?;
        let is_value = match element.kind {
            OperandKind::Integer { .. } => true,
            OperandKind::Name(name) => {
                let binding = self.binding(name, element.span);
                matches!(binding, Binding::Register(_) | Binding::Special(_))
            }
            _ => false,
        };
        (is_value && children.next().is_none()).then_some(element)
    }

    /// Checks the type of an address operand. The name of a global variable denotes its 64-bit address, whereas the assembler treats a sum
    /// of a name and a constant as a number of any width. A handle of a texture, sampler or surface that is not an array requires `.u64`
    /// among the 64-bit types (assembler 13.5).
    fn check_address_width(
        &mut self,
        a: &Operand,
        from: &OperandValue,
        ty: ScalarType,
    ) -> Option<()> {
        let variable = match from {
            OperandValue::Source(Source::VariableAddress { variable, .. }, _) => Some(*variable),
            _ => self.indexed_variable(a),
        };
        let Some(variable) = variable else {
            return Some(());
        };
        let is_global = self.space_of(variable) == StateSpace::Global;
        if let OperandKind::Name(name) = a.kind
            && ty != ScalarType::U64
            && let Some(kind) = self.reference_of(name, a)
        {
            self.report(diagnose::handle_type(a.span, kind, ty));
            return None;
        }
        // For types of up to 16 bits, the assembler truncates the address without an error, as it does for variables in other state spaces.
        let is_narrow = (17..self.module.address_bits).contains(&ty.width_bits());
        let is_whole = !matches!(a.kind, OperandKind::Sum { .. });
        if is_global && is_narrow && is_whole {
            self.report(diagnose::narrow_global(a.span, ty));
            return None;
        }
        Some(())
    }

    /// Returns whether an operand is a single value, although the other operand of the move consists of several values.
    fn is_single(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Vector { .. } | OperandKind::Error => false,
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Vector { .. } => false,
                Binding::None => {
                    SpecialRegister::from_name(&self.context().name_text(name)).is_some()
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// Returns the first component and the number of components if the operand is a whole vector register, or `None` for a single value.
    fn whole_vector(&mut self, operand: &Operand) -> Option<(RegisterId, u8)> {
        let OperandKind::Name(name) = operand.kind else {
            return None;
        };
        match self.binding(name, operand.span) {
            Binding::Vector { first, n } => Some((first, n)),
            _ => None,
        }
    }

    /// Returns the registers of a vector whose total width equals the width of the type. Reports a vector with a different width.
    fn vector_elements(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        first: RegisterId,
        n: u8,
        ty: ScalarType,
        value: impl Fn(RegisterId) -> OperandValue,
    ) -> Option<OperandValue> {
        let element = self.body.type_of(first);
        let bits = element.width_bits() * u32::from(n);
        if ty.kind() != TypeKind::Bits || bits != ty.width_bits() {
            let problem = diagnose::cannot_pack(self.opcode(site), operand.span, ty, n.into());
            self.report(problem);
            return None;
        }
        let start = self.body.elements.len();
        for index in 0..u32::from(n) {
            let value = value(RegisterId(first.0 + index));
            self.body.push_element(value, operand.span);
        }
        Some(self.body.list_from(start))
    }

    fn moved_to(
        &mut self,
        site: &InstructionSite<'a>,
        d: &Operand,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        match self.written(site, d, ty, TypeMatch::Exact)? {
            Some(register) => Some(destination(register)),
            None => {
                self.report_sink(site, d);
                None
            }
        }
    }

    /// Checks the source of a packing move such as `mov.b64 d, {a, b}`, and returns its elements.
    fn packed(
        &mut self,
        site: &InstructionSite<'a>,
        element: ScalarType,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        let mut ok = true;
        let has_register = children
            .clone()
            .any(|(child, _)| matches!(child.kind, OperandKind::Name(_)));
        for (child, _) in children {
            let value = match has_register {
                true => self.overlooked(child, element),
                false => None,
            };
            let value = value.or_else(|| self.element(site, child, element));
            match value {
                Some(value) => self.body.push_element(source(value), child.span),
                None => ok = false,
            }
        }
        ok.then(|| self.body.list_from(first))
    }

    /// Returns the source of a list element whose type assembler 13.5 does not check, because the list contains a register. For a
    /// predicate, the result is 1 or 0. For a floating-point literal and the sink `_`, the result is 0.
    fn overlooked(&mut self, element: &Operand, ty: ScalarType) -> Option<Source> {
        match element.kind {
            OperandKind::Name(name) if ty == ScalarType::B32 && self.is_predicate(element) => {
                match self.binding(name, element.span) {
                    Binding::Register(predicate) => Some(register(predicate)),
                    _ => None,
                }
            }
            OperandKind::Single(_) | OperandKind::Double(_) => Some(Source::Immediate(0)),
            OperandKind::Sink if ty == ScalarType::B16 => Some(Source::Immediate(0)),
            _ => None,
        }
    }

    /// Checks a source element of a list, and returns its source. A list must not contain the name of a variable.
    fn element(
        &mut self,
        site: &InstructionSite<'a>,
        child: &Operand,
        ty: ScalarType,
    ) -> Option<Source> {
        if let OperandKind::Name(name) = child.kind
            && let Binding::Variable(_) = self.binding(name, child.span)
        {
            let problem = diagnose::expected_register(child.span, "a variable");
            self.report(problem);
            return None;
        }
        self.source(site, child, ty, TypeMatch::Exact)
    }

    /// Checks the destination of an unpacking move such as `mov.b64 {a, b}, d`, and returns its elements.
    fn unpacked(
        &mut self,
        site: &InstructionSite<'a>,
        element: ScalarType,
        children: Operands<'a>,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        let mut ok = true;
        for (child, _) in children {
            let is_name = matches!(child.kind, OperandKind::Name(_));
            if element == ScalarType::B32 && is_name && self.is_predicate(child) {
                // The assembler accepts a predicate as a destination element, and assigns the lowest bit of the element to the predicate.
                if let OperandKind::Name(name) = child.kind
                    && let Binding::Register(predicate) = self.binding(name, child.span)
                {
                    self.body.push_element(destination(predicate), child.span);
                }
                continue;
            }
            match self.written(site, child, element, TypeMatch::Exact) {
                Some(register) => {
                    let run = register.map(RegisterTuple::one);
                    self.body
                        .push_element(OperandValue::Destination(run), child.span);
                }
                None => ok = false,
            }
        }
        ok.then(|| self.body.list_from(first))
    }

    /// Returns the type of each element of a packed value: untyped bits whose width is an equal part of the total width.
    fn element_type(
        &mut self,
        site: &InstructionSite<'a>,
        ty: ScalarType,
        vector: &Operand,
        children: Operands<'a>,
    ) -> Option<ScalarType> {
        let n = children.count() as u32;
        let width = ty.width_bits().checked_div(n).unwrap_or(0);
        let element = match (ty.kind(), n, width) {
            (TypeKind::Bits, 2 | 4, 8) => ScalarType::B8,
            (TypeKind::Bits, 2 | 4 | 8, 16) => ScalarType::B16,
            (TypeKind::Bits, 2 | 4, 32) => ScalarType::B32,
            (TypeKind::Bits, 2, 64) => ScalarType::B64,
            _ => {
                let problem = diagnose::cannot_pack(self.opcode(site), vector.span, ty, n);
                self.report(problem);
                return None;
            }
        };
        Some(element)
    }

    /// Returns the source values of a brace list `{a, b}` or of a vector register.
    pub(crate) fn vector_sources(
        &mut self,
        site: &InstructionSite<'a>,
        (a, children): OperandWithChildren<'a>,
        ty: ScalarType,
        n_elements: usize,
    ) -> Option<OperandValue> {
        let first = self.body.elements.len();
        match a.kind {
            OperandKind::Vector { .. } => {
                for (child, _) in children {
                    let value = self.element(site, child, ty)?;
                    self.body.push_element(source(value), child.span);
                }
            }
            OperandKind::Name(name) => match self.binding(name, a.span) {
                Binding::Vector { first, n } => {
                    self.fit(a.span, first, ty, TypeMatch::Exact)?;
                    for index in 0..u32::from(n) {
                        let value = source(register(RegisterId(first.0 + index)));
                        self.body.push_element(value, a.span);
                    }
                }
                Binding::None if site.plan.takes_special && ty.width_bits() == 32 => {
                    self.special_vector(name, a.span);
                }
                _ => {}
            },
            _ => {}
        }
        let n = self.body.elements.len() - first;
        if n != n_elements {
            self.report(diagnose::vector_size(a.span, n, n_elements));
            return None;
        }
        Some(self.body.list_from(first))
    }

    /// Appends the components of a special register as elements. The fourth component of the special register is zero.
    fn special_vector(&mut self, name: Name, span: Span) {
        let text = self.context().name_text(name);
        let components = ["x", "y", "z"].map(|component| format!("{text}.{component}"));
        let registers = components.map(|text| SpecialRegister::from_name(&text));
        let [Some(x), Some(y), Some(z)] = registers else {
            return;
        };
        self.check_special(x, span);
        for special in [x, y, z] {
            let value = source(Source::Special(special));
            self.body.push_element(value, span);
        }
        self.body.push_element(source(Source::Immediate(0)), span);
    }
}
