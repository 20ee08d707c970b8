//! Operands of `tex` and `tld4`: results, textures with coordinates, levels of detail, gradients, offsets and depth comparison
//! values (PTX ISA, "Texture Instructions"; assembler 13.5).

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::destination;
use crate::check::body::operand::InstructionSite;
use crate::check::body::units::lists::{ExtraElements, ListLength, ListRule, SEVERAL, is_of};
use crate::check::body::values::ValueOperand;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::rules::special_gate;
use crate::tree::declaration::DeclaredType;
use crate::tree::operand::{Operand, OperandKind, OperandWithChildren};
use warpgrid_isa::form::DeviceUnitOperand;
use warpgrid_isa::forms::texture::{INDIRECT, INDIRECT_PAIR, OFFSETS, RESIDENCY};
use warpgrid_isa::{Gate, Geometry, OperandClass, ScalarType, TypeMatch};
use warpgrid_program::{OperandValue, Source, Span};

/// Additional syntax of result lists. A sink may replace a texel component whose value is not needed.
const SINKS: &[ExtraElements] = &[
    ExtraElements::VectorRegister,
    ExtraElements::Predicate,
    ExtraElements::Sink,
];

/// Properties of a texture instruction that determine the checks of its operands: geometry, coordinate type and result type.
#[derive(Clone, Copy, Debug)]
struct TextureOperands {
    geometry: Geometry,
    texel: ScalarType,
    coordinate: ScalarType,
    n_texels: usize,
}

impl TextureOperands {
    fn read(plan: &ResolvedOpcode) -> Option<TextureOperands> {
        Some(TextureOperands {
            geometry: plan.modifiers.unit.geometry?,
            texel: plan.modifiers.d_type?,
            coordinate: plan.modifiers.c_type?,
            n_texels: plan.modifiers.n_elements(),
        })
    }
}

impl<'a> BodyChecker<'a, '_> {
    pub(crate) fn texture_operand(
        &mut self,
        site: &InstructionSite<'a>,
        what: DeviceUnitOperand,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        use DeviceUnitOperand as U;
        let texture = TextureOperands::read(site.plan)?;
        match what {
            U::TexelResult => self.sampled(texture, written),
            U::TextureCoordinates => self.texture_place(texture, written),
            U::LevelOfDetail => self.detail(texture, written),
            U::Gradient => self.gradient(texture, written),
            U::TextureOffset => {
                self.meets_at(
                    "an offset or depth comparison value",
                    written.0.span,
                    OFFSETS,
                )?;
                self.texture_offset(site, texture, written)
            }
            _ => self.compared(texture, written.0),
        }
    }

    /// Checks the residency predicate after the bar. Returns `None` after an error has been reported.
    #[cold]
    pub(crate) fn residency(&mut self, operand: &Operand) -> Option<()> {
        let OperandKind::Resident(name) = operand.kind else {
            return None;
        };
        self.meets_at("a residency predicate", operand.span, RESIDENCY)?;
        let is_predicate = match self.binding(name, operand.span) {
            Binding::Register(register) => {
                // In the program representation, the residency predicate is the last element of the destination list, after the texels.
                self.body.extend_list(destination(register), operand.span);
                self.body.type_of(register) == ScalarType::Pred
            }
            Binding::None => {
                self.unknown(operand.span);
                return None;
            }
            _ => false,
        };
        self.expect_that(is_predicate, operand, "a predicate after `|`")?;
        Some(())
    }

    fn meets_at(&mut self, what: &str, span: Span, gate: Gate) -> Option<()> {
        if self.module.meets(gate) {
            return Some(());
        }
        self.report(special_gate(what, span, gate, self.module));
        None
    }

    /// Checks the destination registers: four registers or sinks, or two `.f16x2` registers.
    fn sampled(
        &mut self,
        texture: TextureOperands,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let is_pair = texture.texel == ScalarType::F16x2;
        let (fit, taken) = match is_pair {
            true => (TypeMatch::Exact, SEVERAL),
            false => (TypeMatch::ExactInBraces, SINKS),
        };
        let rule = ListRule::of(ListLength::Exactly(texture.n_texels), texture.texel, fit);
        let rule = rule.taking(taken).named("registers");
        let elements = self.elements(written, &rule)?;
        let is_odd = |element: &ValueOperand| match element.source {
            Source::Immediate(_) => true,
            Source::Special(_) => is_pair,
            _ => is_pair && element.class == OperandClass::Predicate,
        };
        let fits = !elements.is_empty() && !elements.iter().any(is_odd) && rule.fits(elements);
        self.expect_typed(fits, written.0, &rule)
    }

    /// Checks the texture, a separate sampler, and the coordinates.
    fn texture_place(
        &mut self,
        texture: TextureOperands,
        (operand, children): OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let parts: Vec<OperandWithChildren<'a>> = match operand.kind {
            OperandKind::AddressList { .. } => children.collect(),
            _ => Vec::new(),
        };
        let (coordinates, references) = match (parts.as_slice(), self.module.has_samplers) {
            ([first, coordinates], false) => (coordinates, &[first.0][..]),
            // In the unified texturing mode, the assembler accepts a second reference without checking its kind (assembler 13.5).
            ([first, second, coordinates], _) => (coordinates, &[first.0, second.0][..]),
            (_, true) => {
                return self.expect_that(false, operand, "a texture, a sampler and coordinates");
            }
            (_, false) => return self.expect_that(false, operand, "a texture and coordinates"),
        };
        let gate = match references.len() {
            1 => INDIRECT,
            _ => INDIRECT_PAIR,
        };
        let mut kinds: &[DeclaredType] = &[DeclaredType::TexRef];
        for reference in references {
            self.texture_reference(reference, gate, kinds)?;
            kinds = match self.module.has_samplers {
                true => &[DeclaredType::SamplerRef],
                false => &[
                    DeclaredType::TexRef,
                    DeclaredType::SamplerRef,
                    DeclaredType::SurfRef,
                ],
            };
        }
        self.texture_coordinates(texture, *coordinates)
    }

    /// Checks an operand that is the name of a reference with one of the given kinds, or a 64-bit register.
    fn texture_reference(
        &mut self,
        operand: &Operand,
        gate: Gate,
        kinds: &[DeclaredType],
    ) -> Option<OperandValue> {
        let expected = match kinds {
            [DeclaredType::SamplerRef] => "a sampler",
            _ => "a texture",
        };
        let OperandKind::Name(name) = operand.kind else {
            return self.expect_that(false, operand, expected);
        };
        match self.binding(name, operand.span) {
            Binding::None => {
                self.unknown(operand.span);
                return None;
            }
            Binding::Register(_) => {
                self.meets_at("a texture in a register", operand.span, gate)?;
            }
            _ => {}
        }
        let is_right = kinds.iter().any(|kind| self.refers(name, operand, *kind));
        self.expect_that(is_right, operand, expected)
    }

    /// Checks the coordinates in braces. The list must contain at least as many coordinates as the geometry requires. The assembler accepts
    /// a single register in place of the list.
    fn texture_coordinates(
        &mut self,
        texture: TextureOperands,
        (operand, children): OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let (ty, geometry) = (texture.coordinate, texture.geometry);
        if !self.is_list(operand) {
            let is_right = !geometry.is_array()
                && self.value(operand).is_ok_and(|element| {
                    let is_register = matches!(element.source, Source::Register(_));
                    is_register && is_of(ty, element.class, TypeMatch::Exact)
                });
            return self.expect_that(is_right, operand, "coordinates");
        }
        let rule = ListRule::of(
            ListLength::AtLeast(geometry.n_coordinates()),
            ty,
            TypeMatch::ExactInBraces,
        )
        .taking(SEVERAL)
        .named("coordinates");
        let mut elements = self.elements((operand, children), &rule)?;
        if let Some(layer) = elements.first_mut()
            && geometry.is_array()
        {
            let is_index = match layer.class {
                OperandClass::Integer => true,
                class => ScalarType::U32.accepts(class, TypeMatch::Integer),
            };
            self.expect_that(is_index, operand, "the layer index as the first coordinate")?;
            // The layer index is compatible with coordinates of any type.
            layer.class = OperandClass::Bits(32);
        }
        self.expect_typed(rule.fits(elements), operand, &rule)
    }

    /// Checks a level of detail, which must have the type of the coordinates. If the operand is a list, the assembler checks only its type.
    fn detail(
        &mut self,
        texture: TextureOperands,
        (operand, children): OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let ty = texture.coordinate;
        if self.is_list(operand) {
            let rule = ListRule::of(ListLength::AtLeast(1), ty, TypeMatch::ExactInBraces)
                .taking(SEVERAL)
                .named("levels of detail");
            return self.listed((operand, children), &rule);
        }
        let class = self.class_of(operand);
        let fits = class.is_some_and(|class| is_of(ty, class, TypeMatch::Exact));
        self.expect_that(fits, operand, "a level of detail")
    }

    /// Checks one of the two gradients, which specify the differences between the coordinates of adjacent pixels.
    fn gradient(
        &mut self,
        texture: TextureOperands,
        written: OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let n = texture.geometry.n_gradients();
        let rule = ListRule::of(
            n.map_or(ListLength::AtLeast(1), ListLength::Exactly),
            ScalarType::F32,
            TypeMatch::Exact,
        )
        .taking(SEVERAL)
        .named("gradients");
        let elements = self.elements(written, &rule)?;
        let takes = n.is_some() || !elements.iter().any(ValueOperand::is_special);
        self.expect_typed(takes && rule.fits(elements), written.0, &rule)
    }

    /// Checks an offset in texels. If the last operand may be a floating-point number, the function checks it as a depth comparison value.
    fn texture_offset(
        &mut self,
        site: &InstructionSite<'a>,
        texture: TextureOperands,
        (operand, children): OperandWithChildren<'a>,
    ) -> Option<OperandValue> {
        let geometry = texture.geometry;
        if self.is_list(operand) {
            let Some(n) = geometry.n_offsets() else {
                return self.expect_that(false, operand, "no offset for a cube map");
            };
            let rule = ListRule::of(ListLength::AtLeast(n), ScalarType::S32, TypeMatch::Integer)
                .taking(SEVERAL)
                .named("offsets");
            return self.listed((operand, children), &rule);
        }
        let class = self.class_of(operand);
        let is_bits = class == Some(OperandClass::Bits(32));
        let is_float =
            is_bits || class.is_some_and(|class| is_of(ScalarType::F32, class, TypeMatch::Exact));
        // An instruction can only omit its last operand, the depth comparison value. The offset is therefore the last operand unless all
        // operands are present.
        let is_own = |(operand, _): &OperandWithChildren<'_>| !is_residency(operand);
        let is_last = site.operands.filter(is_own).count() < site.plan.max_operands;
        let is_right = match is_last && is_float {
            // Volume textures do not support depth comparison, so a depth comparison value is never valid.
            true if geometry == Geometry::D3 => false,
            true => is_bits || texture.coordinate == ScalarType::F32,
            false => class.is_some_and(|class| ScalarType::S32.accepts(class, TypeMatch::Integer)),
        };
        self.expect_that(is_right, operand, "an offset or a depth comparison value")
    }

    /// Checks a depth comparison value.
    fn compared(&mut self, texture: TextureOperands, operand: &Operand) -> Option<OperandValue> {
        let compares = texture.geometry.compares() && texture.coordinate == ScalarType::F32;
        let fits = compares
            && self
                .class_of(operand)
                .is_some_and(|class| is_of(ScalarType::F32, class, TypeMatch::Exact));
        let expected = match compares {
            true => "a depth comparison value",
            false => "no depth comparison value",
        };
        self.expect_that(fits, operand, expected)
    }

    /// Returns the class of a single value other than a special register. A sum has the class of its name.
    fn class_of(&mut self, operand: &Operand) -> Option<OperandClass> {
        if let OperandKind::Sum { name, .. } = operand.kind {
            return match self.binding(name, operand.span) {
                Binding::Register(register) => Some(OperandClass::of(self.body.type_of(register))),
                Binding::Variable(_) => Some(OperandClass::Integer),
                _ => None,
            };
        }
        let element = self.value(operand).ok()?;
        (!element.is_special()).then_some(element.class)
    }
}

const fn is_residency(operand: &Operand) -> bool {
    matches!(operand.kind, OperandKind::Resident(_))
}
