//! Places in tensors, textures and surfaces. In: brackets; out: whether they name one, with as many coordinates as it has
//! dimensions; and what surfaces take and give.

use super::lists::whole;
use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{destination, source};
use crate::check::body::operand::Site;
use crate::check::body::values::Element;
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::{DeclaredType, Name, Operand, OperandKind, Operands};
use warpgrid_isa::form::Gate;
use warpgrid_isa::{Fit, Role, ScalarType, SlotName, StateSpace};
use warpgrid_program::{OperandValue, Source};

/// Since when surfaces are in registers.
const INDIRECT: Gate = Gate::ptx(3, 1).sm(20);

impl<'a> BodyChecker<'a, '_> {
    /// A reference in brackets.
    pub(super) fn reference(
        &mut self,
        operand: &Operand,
        kind: DeclaredType,
    ) -> Option<OperandValue> {
        let is_right = match operand.kind {
            OperandKind::Address { base, offset: 0 } => self.refers(base, operand, kind),
            _ => false,
        };
        let expected = match kind {
            DeclaredType::SamplerRef => "a sampler in brackets",
            DeclaredType::SurfRef => "a surface in brackets",
            _ => "a texture in brackets",
        };
        self.expect_that(is_right, operand, expected)
    }

    /// Whether a name is that of a reference of this kind, or of a register that may hold one.
    pub(super) fn refers(&mut self, name: Name, operand: &Operand, kind: DeclaredType) -> bool {
        match self.binding(name, operand.span) {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                ty.is_integer() && ty.width_bits() == 64
            }
            Binding::Variable(variable) => {
                let start = self.variable(variable).map(|variable| variable.span.start);
                let mut declarations = self.tree.declarations.iter();
                let declared = declarations.find(|declaration| {
                    let mut names = self.tree.declarators_of(declaration).iter();
                    names.any(|declarator| Some(declarator.span.start) == start)
                });
                declared.is_some_and(|declaration| declaration.scalar == kind)
            }
            _ => false,
        }
    }

    /// `[surface, {x, y}]`
    pub(super) fn surface_place(
        &mut self,
        (operand, children): (&Operand, Operands<'a>),
        geometry: Option<&str>,
    ) -> Option<OperandValue> {
        let mut parts = match operand.kind {
            OperandKind::AddressList { .. } => children,
            _ => return self.expect_that(false, operand, "a surface and coordinates"),
        };
        let (Some((surface, _)), Some((place, values)), None) =
            (parts.next(), parts.next(), parts.next())
        else {
            return self.expect_that(false, operand, "a surface and coordinates");
        };
        let OperandKind::Name(name) = surface.kind else {
            return self.expect_that(false, surface, "a surface");
        };
        let binding = self.binding(name, surface.span);
        if matches!(binding, Binding::Register(_)) && !self.module.meets(INDIRECT) {
            let what = "a surface in a register";
            self.report(special_gate(what, surface.span, INDIRECT, self.module));
            return None;
        }
        let is_surface = self.refers(name, surface, DeclaredType::SurfRef);
        self.expect_that(is_surface, surface, "a surface")?;
        let is_list = matches!(place.kind, OperandKind::Vector { .. });
        let elements = match is_list {
            true => self.elements(values, "a coordinate")?,
            false => vec![self.value(place).ok().or_else(|| {
                self.expect_that(false, place, "coordinates");
                None
            })?],
        };
        let n = coordinates(geometry);
        if is_list && (elements.len() < n || !matches!(elements.len(), 1 | 2 | 4)) {
            self.report(diagnose::vector_size(place.span, elements.len(), n));
            return None;
        }
        let fits = whole(elements).is_some_and(|class| ScalarType::S32.takes(class, Fit::Integer));
        self.expect_that(fits, place, "coordinates of 32 bits")
    }

    /// What a surface takes or gives.
    pub(super) fn texels(
        &mut self,
        (site, plan): (&Site<'a>, &'a Plan),
        (operand, children): (&Operand, Operands<'a>),
        ty: ScalarType,
        role: Role,
    ) -> Option<OperandValue> {
        let n = plan.modifiers.n_elements();
        let is_list = self.is_list(operand);
        match role {
            Role::Written if is_list && self.has_predicate(children) => {
                self.texel_list(plan, (operand, children), ty)
            }
            Role::Written if n > 1 || is_list => {
                let n = self.texels_of(plan, operand, children);
                self.vector_destinations(site, operand, children, (ty, Fit::Wider), n)
            }
            Role::Written => match self.written(site, operand, ty, Fit::Wider)? {
                Some(register) => Some(destination(register)),
                None => {
                    self.report_sink(site, operand);
                    None
                }
            },
            Role::Read if is_list => self.texel_list(plan, (operand, children), ty),
            Role::Read => {
                let value = self.source(site, plan, operand, ty, Fit::Wider)?;
                match value {
                    Source::Immediate(_) => Some(source(value)),
                    _ if n == 1 => Some(source(value)),
                    _ => self.expect_that(false, operand, "values in braces"),
                }
            }
        }
    }

    /// Whether a list names a predicate.
    pub(super) fn has_predicate(&mut self, children: Operands<'a>) -> bool {
        let mut names = children.filter(|(child, _)| matches!(child.kind, OperandKind::Name(_)));
        names.any(|(child, _)| self.is_predicate(child))
    }

    /// How many values a list has to have: as many as the vector width says; without one it is not looked at.
    pub(super) fn texels_of(
        &mut self,
        plan: &'a Plan,
        operand: &Operand,
        children: Operands<'a>,
    ) -> usize {
        let found = match operand.kind {
            OperandKind::Vector { .. } => children.count(),
            _ => 1,
        };
        match plan.modifiers.vector {
            None if matches!(found, 1 | 2 | 4) => found,
            _ => plan.modifiers.n_elements(),
        }
    }

    /// Values of a surface in braces.
    pub(super) fn texel_list(
        &mut self,
        plan: &'a Plan,
        (operand, children): (&Operand, Operands<'a>),
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let n = self.texels_of(plan, operand, children);
        let list = self.list(operand, children)?;
        let found = list.len();
        let elements: Option<Vec<Element>> = list.into_iter().map(Result::ok).collect();
        if elements.is_some() && found != n {
            self.report(diagnose::vector_size(operand.span, found, n));
            return None;
        }
        let fits = elements
            .and_then(whole)
            .is_some_and(|class| ty.takes(class, Fit::Wider));
        self.expect_that(fits, operand, "values of another type")
    }

    /// `[tensorMap, {a, b}]`: the description of a tensor, and as many coordinates as it has dimensions.
    pub(super) fn tensor_place(
        &mut self,
        plan: &'a Plan,
        (operand, children): (&Operand, Operands<'a>),
    ) -> Option<OperandValue> {
        let mut parts = match operand.kind {
            OperandKind::AddressList { .. } => children,
            _ => return self.expect_that(false, operand, "a tensor and coordinates"),
        };
        let (Some((tensor, _)), Some(coordinates), None) =
            (parts.next(), parts.next(), parts.next())
        else {
            return self.expect_that(false, operand, "a tensor and coordinates");
        };
        let is_tensor = match tensor.kind {
            OperandKind::Name(name) => match self.binding(name, tensor.span) {
                Binding::Register(_) => true,
                Binding::Variable(variable) => {
                    StateSpace::Global.takes_variable(self.space_of(variable))
                }
                Binding::None => {
                    self.unknown(tensor.span);
                    return None;
                }
                _ => false,
            },
            _ => false,
        };
        self.expect_that(is_tensor, tensor, "a tensor in global memory")?;
        let mode = plan.bound.as_ref()?.text(SlotName::LoadMode);
        let n = match mode {
            Some("tile::gather4" | "tile::scatter4") => 5,
            _ => dimensions(plan),
        };
        self.alike(coordinates, n, ScalarType::S32, Fit::Integer)
    }
}

/// Values of a coordinate of a surface.
fn coordinates(geometry: Option<&str>) -> usize {
    match geometry {
        Some("2d" | "a1d") => 2,
        Some("3d" | "a2d") => 4,
        _ => 1,
    }
}

/// Dimensions of a tensor: 1 to 5.
pub(super) fn dimensions(plan: &Plan) -> usize {
    let word = plan
        .bound
        .as_ref()
        .and_then(|bound| bound.text(SlotName::Dimension));
    let digits = word.map(|word| word.trim_end_matches('d'));
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(1)
}
