//! Operands of `tex` and `tld4`: results, textures with coordinates, levels, gradients, offsets and values to compare with
//! (PTX ISA, "Texture Instructions"; assembler 13.5). In: an operand and the words of its instruction; out: whether they
//! go together.

use super::lists::{is_of, whole};
use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::destination;
use crate::check::body::operand::Site;
use crate::check::body::values::{Element, NoValue};
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::{DeclaredType, Operand, OperandKind, Written};
use warpgrid_isa::form::UnitOperand;
use warpgrid_isa::forms::texture::{INDIRECT, INDIRECT_PAIR, OFFSETS, RESIDENCY};
use warpgrid_isa::{Fit, Gate, Geometry, ScalarType, ValueClass};
use warpgrid_program::{OperandValue, Source, Span};

/// What the words of an instruction say of its operands.
#[derive(Clone, Copy, Debug)]
struct Texture {
    geometry: Geometry,
    texel: ScalarType,
    coordinate: ScalarType,
    n_texels: usize,
}

impl Texture {
    fn read(plan: &Plan) -> Option<Texture> {
        Some(Texture {
            geometry: plan.modifiers.unit.geometry?,
            texel: plan.modifiers.d_type?,
            coordinate: plan.modifiers.c_type?,
            n_texels: plan.modifiers.n_elements(),
        })
    }
}

impl<'a> BodyChecker<'a, '_> {
    pub(super) fn texture_operand(
        &mut self,
        site: &Site<'a>,
        what: UnitOperand,
        written: Written<'a>,
    ) -> Option<OperandValue> {
        use UnitOperand as U;
        let texture = Texture::read(site.plan)?;
        match what {
            U::Sampled => self.sampled(texture, written),
            U::TexturePlace => self.texture_place(texture, written),
            U::Detail => self.detail(texture, written),
            U::Gradient => self.gradient(texture, written),
            // Everything after the offset is there where it is not the last.
            U::TextureOffset => {
                let is_own = |(operand, _): &Written<'_>| !is_residency(operand);
                let is_last = site.operands.filter(is_own).count() < site.plan.n_most;
                self.meets_at(
                    "an offset or a value to compare with",
                    written.0.span,
                    OFFSETS,
                )?;
                self.texture_offset(texture, is_last, written)
            }
            _ => self.compared(texture, written.0),
        }
    }

    /// The predicate after the bar that says whether what is read is resident; `None` when something was reported.
    #[cold]
    pub(in crate::check::body) fn residency(&mut self, operand: &Operand) -> Option<()> {
        let OperandKind::Resident(name) = operand.kind else {
            return None;
        };
        self.meets_at("a residency predicate", operand.span, RESIDENCY)?;
        let is_predicate = match self.binding(name, operand.span) {
            Binding::Register(register) => {
                // It is written after the texels, in the same list.
                self.body.extend_list(destination(register), operand.span);
                self.body.type_of(register) == ScalarType::Pred
            }
            Binding::None => {
                self.unknown(operand.span);
                return None;
            }
            _ => false,
        };
        self.expect_that(is_predicate, operand, "a predicate after the bar")?;
        Some(())
    }

    fn meets_at(&mut self, what: &str, span: Span, gate: Gate) -> Option<()> {
        if self.module.meets(gate) {
            return Some(());
        }
        self.report(special_gate(what, span, gate, self.module));
        None
    }

    /// Registers that are written: four that may be sinks, or two of halves.
    fn sampled(
        &mut self,
        texture: Texture,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let Some(list) = self.list(operand, children) else {
            return self.expect_that(false, operand, "registers in braces");
        };
        let n = list.len();
        if n != texture.n_texels {
            self.report(diagnose::vector_size(operand.span, n, texture.n_texels));
            return None;
        }
        let is_pair = texture.texel == ScalarType::F16x2;
        let mut elements: Vec<Element> = Vec::new();
        for element in list {
            match element {
                Ok(element) => elements.push(element),
                Err((_, NoValue::Sink)) if !is_pair => {}
                Err((_, NoValue::Reported)) => return None,
                Err(_) => return self.expect_that(false, operand, "registers in braces"),
            }
        }
        let is_odd = |element: &Element| match element.source {
            Source::Immediate(_) => true,
            Source::Special(_) => is_pair,
            _ => is_pair && element.class == ValueClass::Predicate,
        };
        let fit = match is_pair {
            true => Fit::Exact,
            false => Fit::ExactInBraces,
        };
        let fits = !elements.is_empty()
            && !elements.iter().any(is_odd)
            && whole(elements).is_some_and(|class| is_of(texture.texel, class, fit));
        self.expect_that(fits, operand, "registers of another type")
    }

    /// The texture, the sampler where it is apart, and the coordinates.
    fn texture_place(
        &mut self,
        texture: Texture,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let parts: Vec<Written<'a>> = match operand.kind {
            OperandKind::AddressList { .. } => children.collect(),
            _ => Vec::new(),
        };
        let (coordinates, references) = match (parts.as_slice(), self.module.has_samplers) {
            ([first, coordinates], false) => (coordinates, &[first.0][..]),
            // A second reference is taken, and not looked at, where textures bring their samplers (assembler 13.5).
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

    /// A name of one of these kinds, or a register of 64 bits.
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

    /// Coordinates in braces, as many as the geometry has or more; one register passes for all of them.
    fn texture_coordinates(
        &mut self,
        texture: Texture,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let (ty, geometry) = (texture.coordinate, texture.geometry);
        let Some(list) = self.list(operand, children) else {
            let is_right = !geometry.is_array()
                && self.value(operand).is_ok_and(|element| {
                    let is_register = matches!(element.source, Source::Register(_));
                    is_register && is_of(ty, element.class, Fit::Exact)
                });
            return self.expect_that(is_right, operand, "coordinates");
        };
        let mut elements = self.values_of(list, operand)?;
        self.is_enough(operand, elements.len(), geometry.n_coordinates())?;
        if let Some(layer) = elements.first_mut()
            && geometry.is_array()
        {
            let is_index = match layer.class {
                ValueClass::Integer => true,
                class => ScalarType::U32.takes(class, Fit::Integer),
            };
            self.expect_that(is_index, operand, "the index of a layer first")?;
            // It goes with coordinates of any type.
            layer.class = ValueClass::Bits(32);
        }
        let fits = whole(elements).is_some_and(|class| is_of(ty, class, Fit::ExactInBraces));
        self.expect_that(fits, operand, "coordinates of another type")
    }

    /// A level of detail, of the type of the coordinates; only the type of a list is looked at.
    fn detail(
        &mut self,
        texture: Texture,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let ty = texture.coordinate;
        let fits = match self.list(operand, children) {
            Some(list) => {
                let elements = self.values_of(list, operand)?;
                self.is_enough(operand, elements.len(), 1)?;
                whole(elements).is_some_and(|class| is_of(ty, class, Fit::ExactInBraces))
            }
            None => self
                .class_of(operand)
                .is_some_and(|class| is_of(ty, class, Fit::Exact)),
        };
        self.expect_that(fits, operand, "a level of detail")
    }

    /// Two of them say how far apart the coordinates of neighbours are.
    fn gradient(
        &mut self,
        texture: Texture,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let Some(list) = self.list(operand, children) else {
            return self.expect_that(false, operand, "a gradient in braces");
        };
        let elements = self.values_of(list, operand)?;
        match texture.geometry.n_gradients() {
            Some(n) if elements.len() != n => {
                self.report(diagnose::vector_size(operand.span, elements.len(), n));
                return None;
            }
            Some(_) => {}
            None => self.is_enough(operand, elements.len(), 1)?,
        }
        let has_special = elements.iter().any(Element::is_special);
        let takes_special = texture.geometry.n_gradients().is_some();
        let fits = (takes_special || !has_special)
            && whole(elements).is_some_and(|class| is_of(ScalarType::F32, class, Fit::Exact));
        self.expect_that(fits, operand, "floats of 32 bits")
    }

    /// An offset in texels. Alone, what may be a float is a value to compare with.
    fn texture_offset(
        &mut self,
        texture: Texture,
        is_last: bool,
        (operand, children): Written<'a>,
    ) -> Option<OperandValue> {
        let geometry = texture.geometry;
        if let Some(list) = self.list(operand, children) {
            let Some(n) = geometry.n_offsets() else {
                return self.expect_that(false, operand, "no offset of a cube");
            };
            let elements = self.values_of(list, operand)?;
            self.is_enough(operand, elements.len(), n)?;
            let fits =
                whole(elements).is_some_and(|class| ScalarType::S32.takes(class, Fit::Integer));
            return self.expect_that(fits, operand, "an offset of 32 bits");
        }
        let class = self.class_of(operand);
        let is_bits = class == Some(ValueClass::Bits(32));
        let is_float =
            is_bits || class.is_some_and(|class| is_of(ScalarType::F32, class, Fit::Exact));
        let is_right = match is_last && is_float {
            // Volumes cannot be compared, not even with what would do for an offset.
            true if geometry == Geometry::D3 => false,
            true => is_bits || texture.coordinate == ScalarType::F32,
            false => class.is_some_and(|class| ScalarType::S32.takes(class, Fit::Integer)),
        };
        self.expect_that(is_right, operand, "an offset, or a value to compare with")
    }

    /// A value that texels are compared with.
    fn compared(&mut self, texture: Texture, operand: &Operand) -> Option<OperandValue> {
        let compares = texture.geometry.compares() && texture.coordinate == ScalarType::F32;
        let fits = compares
            && self
                .class_of(operand)
                .is_some_and(|class| is_of(ScalarType::F32, class, Fit::Exact));
        let expected = match compares {
            true => "a value to compare with",
            false => "no value to compare with",
        };
        self.expect_that(fits, operand, expected)
    }

    /// The class of a value alone, which is no special register; a sum is what its name is.
    fn class_of(&mut self, operand: &Operand) -> Option<ValueClass> {
        if let OperandKind::Sum { name, .. } = operand.kind {
            return match self.binding(name, operand.span) {
                Binding::Register(register) => Some(ValueClass::of(self.body.type_of(register))),
                Binding::Variable(_) => Some(ValueClass::Integer),
                _ => None,
            };
        }
        let element = self.value(operand).ok()?;
        (!element.is_special()).then_some(element.class)
    }

    /// The elements of a list of values.
    fn values_of(
        &mut self,
        list: Vec<Result<Element, (Span, NoValue)>>,
        operand: &Operand,
    ) -> Option<Vec<Element>> {
        let mut elements = Vec::with_capacity(list.len());
        for element in list {
            match element {
                Ok(element) => elements.push(element),
                Err((_, NoValue::Reported)) => return None,
                Err(_) => {
                    self.expect_that(false, operand, "values in braces")?;
                }
            }
        }
        Some(elements)
    }

    /// Whether a list has at least `n` values, and 1, 2 or 4.
    fn is_enough(&mut self, operand: &Operand, found: usize, n: usize) -> Option<()> {
        if found >= n && matches!(found, 1 | 2 | 4) {
            return Some(());
        }
        self.report(diagnose::vector_size(operand.span, found, n));
        None
    }
}

const fn is_residency(operand: &Operand) -> bool {
    matches!(operand.kind, OperandKind::Resident(_))
}
