//! Positions in tensors, textures and surfaces: checks the object in brackets, the number of coordinates, and the values that surface
//! instructions load and store.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::source;
use crate::check::body::operand::InstructionSite;
use crate::check::body::units::lists::{ExtraElements, ListLength, ListRule, SEVERAL};
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::rules::special_gate;
use crate::tree::declaration::{Declaration, DeclarationSpace, Declarator, DeclaredType};
use crate::tree::name::Name;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren, Operands};
use warpgrid_isa::form::{BoundForm, ModifierValue};
use warpgrid_isa::forms::texture::INDIRECT;
use warpgrid_isa::{
    Geometry, Modifiers, OperandAccess, QueryObject, ScalarType, SlotName, StateSpace, TypeMatch,
};
use warpgrid_program::{Address, AddressBase, OperandValue, RegisterTuple, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the texture, sampler or surface in brackets in a query instruction.
    pub(crate) fn queried(&mut self, operand: &Operand, bound: &BoundForm) -> Option<OperandValue> {
        let kind = match bound.meaning(SlotName::Query)? {
            ModifierValue::Query(QueryObject::Sampler, _) => DeclaredType::SamplerRef,
            ModifierValue::Query(QueryObject::Filtering, _) if self.module.has_samplers => {
                DeclaredType::SamplerRef
            }
            ModifierValue::Query(QueryObject::Surface, _) => DeclaredType::SurfRef,
            _ => DeclaredType::TexRef,
        };
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

    /// Returns whether a name denotes a texture, sampler or surface reference of the given kind, or a register that may contain a handle.
    pub(crate) fn refers(&mut self, name: Name, operand: &Operand, kind: DeclaredType) -> bool {
        match self.binding(name, operand.span) {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                ty.is_integer() && ty.width_bits() == 64
            }
            Binding::Variable(variable) => {
                let declared = self.declaration_of(variable);
                declared.is_some_and(|(declaration, _)| {
                    // In PTX versions without texture references, `.tex .u64 t;` declares a texture.
                    let is_old = declaration.space == DeclarationSpace::Tex;
                    declaration.scalar == kind || is_old && kind == DeclaredType::TexRef
                })
            }
            _ => false,
        }
    }

    /// Returns the kind of a variable that is a texture, sampler or surface reference. Returns `None` for arrays.
    pub(crate) fn reference_of(&mut self, name: Name, operand: &Operand) -> Option<&'static str> {
        let Binding::Variable(variable) = self.binding(name, operand.span) else {
            return None;
        };
        // Handles have 64 bits, so the search for the declaration is limited to variables of this size.
        self.variable(variable).filter(|it| it.size_bytes == 8)?;
        let (declaration, declarator) = self.declaration_of(variable)?;
        match declaration.scalar {
            _ if !declarator.dimensions.is_empty() => None,
            DeclaredType::TexRef => Some("texture"),
            DeclaredType::SamplerRef => Some("sampler"),
            DeclaredType::SurfRef => Some("surface"),
            DeclaredType::Scalar(_) | DeclaredType::Missing => None,
        }
    }

    /// Returns the declaration of a variable.
    fn declaration_of(&self, variable: VariableId) -> Option<(&'a Declaration, &'a Declarator)> {
        let start = self.variable(variable)?.span.start;
        let tree = self.tree;
        tree.declarations.iter().find_map(|declaration| {
            let mut names = tree.declarators_of(declaration).iter();
            let declarator = names.find(|declarator| declarator.span.start == start)?;
            Some((declaration, declarator))
        })
    }

    /// Checks an address in the state space `space`, with or without brackets.
    pub(crate) fn address_or_name(
        &mut self,
        site: &InstructionSite<'a>,
        operand: &Operand,
        space: StateSpace,
    ) -> Option<OperandValue> {
        let is_right = match operand.kind {
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Register(register) => {
                    let base = AddressBase::Register(RegisterTuple::one(register));
                    return Some(OperandValue::Address(Address::new(base, 0)));
                }
                Binding::Variable(variable) if space.takes_variable(self.space_of(variable)) => {
                    let base = AddressBase::Variable(variable);
                    return Some(OperandValue::Address(Address::new(base, 0)));
                }
                _ => false,
            },
            OperandKind::Single(_) | OperandKind::Double(_) => true,
            _ => {
                let address = self.address_in(site, operand, space)?;
                return Some(OperandValue::Address(address));
            }
        };
        self.expect_that(is_right, operand, "an address in brackets")
    }

    /// Checks the surface and the coordinates in `[surface, {x, y}]`.
    pub(crate) fn surface_place(
        &mut self,
        (operand, children): OperandWithChildren<'a>,
        geometry: Geometry,
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
            let subject = "a surface in a register";
            self.report(special_gate(subject, surface.span, INDIRECT, self.module));
            return None;
        }
        let is_surface = self.refers(name, surface, DeclaredType::SurfRef);
        self.expect_that(is_surface, surface, "a surface")?;
        let rule = ListRule::of(
            ListLength::AtLeast(geometry.n_surface_coordinates()),
            ScalarType::S32,
            TypeMatch::Integer,
        )
        .taking(&[ExtraElements::Predicate])
        .named("coordinates");
        let fits = match (place.kind, self.value(place)) {
            (OperandKind::Vector { .. }, _) => return self.listed((place, values), &rule),
            (_, element) => element.is_ok_and(|element| rule.fits(vec![element])),
        };
        self.expect_that(fits, place, "32-bit coordinates")
    }

    /// Checks the values that a surface instruction loads or stores.
    pub(crate) fn texels(
        &mut self,
        site: &InstructionSite<'a>,
        (operand, children): OperandWithChildren<'a>,
        ty: ScalarType,
        role: OperandAccess,
    ) -> Option<OperandValue> {
        let n = site.plan.modifiers.n_elements();
        let is_list = self.is_list(operand);
        match role {
            OperandAccess::Written if is_list && self.has_predicate(children) => {
                self.texel_list(site.plan, (operand, children), ty)
            }
            OperandAccess::Written if n > 1 || is_list => {
                let n = self.texels_of(site.plan, operand, children);
                self.vector_destinations(site, operand, children, ty, TypeMatch::Wider, n)
            }
            OperandAccess::Written => self.one_destination(site, operand, ty, TypeMatch::Wider),
            OperandAccess::Read if is_list => self.texel_list(site.plan, (operand, children), ty),
            OperandAccess::Read => {
                // The assembler accepts a single value in place of a list (assembler 13.5).
                let value = self.source(site, operand, ty, TypeMatch::Wider)?;
                Some(source(value))
            }
        }
    }

    /// Returns whether a list of values contains a predicate register.
    fn has_predicate(&mut self, children: Operands<'a>) -> bool {
        let mut names = children.filter(|(child, _)| matches!(child.kind, OperandKind::Name(_)));
        names.any(|(child, _)| self.is_predicate(child))
    }

    /// Returns the length that a list of surface values must have, which is the vector width. Without a vector width, returns a rule that
    /// does not check the length.
    fn texels_of(
        &mut self,
        plan: &'a ResolvedOpcode,
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

    /// Checks the brace-enclosed values of a surface instruction.
    fn texel_list(
        &mut self,
        plan: &'a ResolvedOpcode,
        written: OperandWithChildren<'a>,
        ty: ScalarType,
    ) -> Option<OperandValue> {
        let rule = ListRule::of(ListLength::of_vector(plan), ty, TypeMatch::Wider).taking(SEVERAL);
        self.listed(written, &rule)
    }

    /// Checks `[tensorMap, {a, b}]`: a tensor map, and one coordinate for each dimension of the tensor.
    pub(crate) fn tensor_place(
        &mut self,
        modifiers: &Modifiers,
        (operand, children): OperandWithChildren<'a>,
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
        let unit = &modifiers.unit;
        let n = unit.load_mode().n_coordinates(unit.n_dimensions());
        let rule = ListRule::of(ListLength::Exactly(n), ScalarType::S32, TypeMatch::Integer);
        self.listed(coordinates, &rule)
    }
}
