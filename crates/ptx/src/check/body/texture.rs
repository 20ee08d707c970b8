//! Operands of `tex` and `tld4`: results, textures, coordinates, levels, gradients, offsets and reference values (PTX ISA,
//! "Texture Instructions"; assembler 13.5). In: the words and operands of an instruction that has an outline; out:
//! diagnostics.

use crate::check::body::checker::BodyChecker;
use crate::check::body::merge::merge;
use crate::check::body::operand::Site;
use crate::check::body::values::Element;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::outline as words;
use crate::diagnostics::rules::special_gate;
use crate::tree::{Operand, OperandKind, Operands};
use warpgrid_isa::{Fit, Gate, ScalarType, StateSpace, TypeKind, ValueClass};
use warpgrid_program::Span;

/// Textures and samplers in registers.
const INDIRECT: Gate = Gate::ptx(3, 1).sm(20);
const INDIRECT_PAIR: Gate = Gate::ptx(4, 3).sm(30);
/// Offsets and reference values.
const MORE: Gate = Gate::ptx(4, 3).sm(30);
/// Gradients across the faces of a cube.
const CUBE_GRADIENTS: Gate = Gate::ptx(4, 3).sm(20);

/// The shape of a texture.
#[derive(Clone, Copy, Debug)]
struct Geometry {
    word: &'static str,
    /// Values of a coordinate.
    n_coordinates: usize,
    /// Values of an offset; none where there is no offset.
    n_offsets: Option<usize>,
    /// Whether the first coordinate is the index of a layer.
    is_array: bool,
    /// The only type of coordinates, where there is one.
    coordinates: Option<ScalarType>,
    /// Whether it can be compared with a reference value.
    compares: bool,
}

const fn geometry(
    word: &'static str,
    n_coordinates: usize,
    n_offsets: Option<usize>,
    is_array: bool,
    coordinates: Option<ScalarType>,
    compares: bool,
) -> Geometry {
    Geometry {
        word,
        n_coordinates,
        n_offsets,
        is_array,
        coordinates,
        compares,
    }
}

#[rustfmt::skip]
const GEOMETRIES: &[Geometry] = &[
    geometry("1d",    1, Some(1), false, None,                  true),
    geometry("2d",    2, Some(2), false, None,                  true),
    geometry("3d",    4, Some(4), false, None,                  false),
    geometry("a1d",   2, Some(1), true,  None,                  true),
    geometry("a2d",   4, Some(2), true,  None,                  true),
    geometry("cube",  4, None,    false, Some(ScalarType::F32), true),
    geometry("acube", 4, None,    true,  Some(ScalarType::F32), true),
    geometry("2dms",  4, Some(2), false, Some(ScalarType::S32), false),
    geometry("a2dms", 4, Some(2), false, Some(ScalarType::S32), false),
];

/// What the words of an instruction say.
#[derive(Clone, Copy, Debug)]
struct Texture {
    geometry: Geometry,
    result: ScalarType,
    coordinate: ScalarType,
    n_results: usize,
    has_level: bool,
    has_gradients: bool,
    has_other_types: bool,
}

/// Reads the words; `None` where they are wrong, which is reported elsewhere.
fn read(opcode: &str) -> Option<Texture> {
    let written = || opcode.split('.').skip(1).map(str::trim);
    let found = GEOMETRIES
        .iter()
        .find(|shape| written().any(|word| word == shape.word))?;
    let mut types = written().filter_map(|word| match word {
        "f32" => Some(ScalarType::F32),
        "s32" => Some(ScalarType::S32),
        "u32" => Some(ScalarType::U32),
        "f16x2" => Some(ScalarType::F16x2),
        _ => None,
    });
    let (result, coordinate) = (types.next()?, types.next()?);
    let has_other_types = types.next().is_some();
    Some(Texture {
        geometry: *found,
        result,
        coordinate,
        n_results: match written().any(|word| word == "v2") {
            true => 2,
            false => 4,
        },
        has_level: written().any(|word| word == "level"),
        has_gradients: written().any(|word| word == "grad"),
        has_other_types,
    })
}

impl<'a> BodyChecker<'a, '_> {
    /// The operands of `tex` and `tld4`; false when something was reported.
    pub(super) fn texture(&mut self, site: &Site<'a>) -> bool {
        let opcode = self.opcode(site);
        let Some(texture) = read(opcode) else {
            return true;
        };
        let span = self.tree.mnemonic_span(site.instruction);
        let is_mode = |word: &&str| matches!(word.trim(), "base" | "level" | "grad");
        if opcode
            .split('.')
            .position(|word| is_mode(&word))
            .is_some_and(|at| at > 1)
        {
            self.report(words::other_operand(
                opcode,
                span,
                "a level or gradients after other words",
                "them right after its name",
            ));
            return false;
        }
        let coordinate = texture.coordinate;
        let is_pair = texture.result == ScalarType::F16x2;
        let expected = texture.geometry.coordinates;
        let takes_type = matches!(coordinate, ScalarType::F32 | ScalarType::S32)
            && expected.is_none_or(|ty| ty == coordinate);
        let is_gather = opcode.starts_with("tld4");
        if texture.has_other_types {
            self.report(words::other_operand(
                opcode,
                span,
                "three types",
                "two types",
            ));
            return false;
        }
        if !takes_type || is_gather && coordinate != ScalarType::F32 {
            let found = format!("coordinates of type `.{coordinate}`");
            self.report(words::other_operand(
                opcode,
                span,
                &found,
                "coordinates of another type",
            ));
            return false;
        }
        if is_pair != (texture.n_results == 2) {
            self.report(words::other_operand(
                opcode,
                span,
                "this number of results",
                "two pairs of halves or four results",
            ));
            return false;
        }
        let is_own = |(operand, _): &(&Operand, Operands<'a>)| {
            !matches!(operand.kind, OperandKind::Resident(_))
        };
        let mut operands = site.operands.filter(is_own);
        let (Some(results), Some(address)) = (operands.next(), operands.next()) else {
            return true;
        };
        let mut rest: Vec<_> = operands.collect();
        let n_least = usize::from(texture.has_level) + 2 * usize::from(texture.has_gradients);
        if rest.len() < n_least {
            let found = "no level or gradients";
            self.report(words::other_operand(
                opcode,
                span,
                found,
                "them as operands",
            ));
            return false;
        }
        let is_cube = matches!(texture.geometry.word, "cube" | "acube");
        if texture.has_gradients && is_cube && !self.module.meets(CUBE_GRADIENTS) {
            let what = "gradients of a cube";
            self.report(special_gate(what, span, CUBE_GRADIENTS, self.module));
            return false;
        }
        let mut ok = self.texture_results(results, texture);
        ok &= self.texture_address(site, address, texture);
        if texture.has_level && !rest.is_empty() {
            let level = rest.remove(0);
            ok &= self.texture_scalar(level.0, ScalarType::F32);
        }
        if texture.has_gradients {
            for _ in 0..2.min(rest.len()) {
                let gradient = rest.remove(0);
                // Layers have no gradient.
                let n = match texture.geometry.word {
                    "1d" | "a1d" => 1,
                    "2d" | "a2d" => 2,
                    _ => 4,
                };
                ok &= self.texture_vector(gradient, ScalarType::F32, |found| found == n, n);
            }
        }
        ok && self.texture_extras(site, &rest, texture)
    }

    /// An offset, then a reference value to compare with.
    fn texture_extras(
        &mut self,
        site: &Site<'a>,
        rest: &[(&'a Operand, Operands<'a>)],
        texture: Texture,
    ) -> bool {
        let opcode = self.opcode(site);
        let Some((first, _)) = rest.first().copied() else {
            return true;
        };
        if !self.module.meets(MORE) {
            let problem = special_gate(
                "an offset or reference value",
                first.span,
                MORE,
                self.module,
            );
            self.report(problem);
            return false;
        }
        let mut rest = rest.iter().copied();
        let mut next = rest.next();
        let is_offset = match first.kind {
            OperandKind::Vector { .. } => true,
            _ => rest.len() > 0 || !self.is_reference(first),
        };
        if is_offset && let Some(offset) = next {
            let ok = match (offset.0.kind, texture.geometry.n_offsets) {
                (OperandKind::Vector { .. }, None) => {
                    let found = "an offset";
                    self.report(words::other_operand(
                        opcode,
                        offset.0.span,
                        found,
                        "no offset",
                    ));
                    false
                }
                (OperandKind::Vector { .. }, Some(n)) => {
                    self.texture_vector(offset, ScalarType::S32, |found| found >= n, n)
                }
                _ => self.texture_scalar(offset.0, ScalarType::S32),
            };
            if !ok {
                return false;
            }
            next = rest.next();
        }
        let Some((reference, _)) = next else {
            return true;
        };
        let compares = texture.geometry.compares
            && texture.coordinate == ScalarType::F32
            && texture.result != ScalarType::F16x2;
        if !compares {
            let found = "a reference value";
            self.report(words::other_operand(
                opcode,
                reference.span,
                found,
                "no reference value",
            ));
            return false;
        }
        self.texture_scalar(reference, ScalarType::F32)
    }

    /// Whether a lone operand is a reference value: a float.
    fn is_reference(&mut self, operand: &Operand) -> bool {
        match operand.kind {
            OperandKind::Single(_) | OperandKind::Double(_) => true,
            OperandKind::Name(name) => match self.binding(name, operand.span) {
                Binding::Register(register) => {
                    self.body.type_of(register).kind() == TypeKind::Float
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Registers that are written.
    fn texture_results(
        &mut self,
        (operand, children): (&Operand, Operands<'a>),
        texture: Texture,
    ) -> bool {
        let mut ok = true;
        for (child, _) in children {
            if let OperandKind::Integer { .. } | OperandKind::Single(_) | OperandKind::Double(_) =
                child.kind
            {
                let found = diagnose::describe(child.kind);
                self.report(diagnose::expected_register(child.span, found));
                ok = false;
            }
        }
        let n = texture.n_results;
        if !ok {
            return false;
        }
        // What is thrown away has the type of the others.
        let is_sink =
            |(child, _): &(&Operand, Operands<'a>)| matches!(child.kind, OperandKind::Sink);
        if children.filter(is_sink).count() > 0 {
            return true;
        }
        self.texture_vector((operand, children), texture.result, |found| found == n, n)
    }

    /// The texture, the sampler where it is apart, and the coordinates.
    fn texture_address(
        &mut self,
        site: &Site<'a>,
        (operand, children): (&Operand, Operands<'a>),
        texture: Texture,
    ) -> bool {
        let opcode = self.opcode(site);
        if !matches!(operand.kind, OperandKind::AddressList { .. }) {
            let found = "no coordinates";
            let expected = "a texture and coordinates";
            self.report(words::other_operand(opcode, operand.span, found, expected));
            return false;
        }
        let mut parts: Vec<_> = children.collect();
        let Some(coordinates) = parts.pop() else {
            return true;
        };
        let expected = 1 + usize::from(self.module.has_samplers);
        if parts.len() != expected {
            let what = match expected {
                1 => "a texture and no sampler",
                _ => "a texture and a sampler",
            };
            let found = format!("{} names", parts.len());
            self.report(words::other_operand(opcode, operand.span, &found, what));
            return false;
        }
        for (part, _) in &parts {
            if !self.texture_handle(part, expected) {
                return false;
            }
        }
        let (list, _) = coordinates;
        if !matches!(list.kind, OperandKind::Vector { .. }) {
            return self.texture_scalar(list, texture.coordinate);
        }
        let n = texture.geometry.n_coordinates;
        if texture.geometry.is_array && texture.coordinate == ScalarType::F32 {
            let first = coordinates.1.clone().next();
            if let Some((layer, _)) = first
                && self.is_reference(layer)
            {
                let found = "a float";
                self.report(diagnose::expected_value(layer.span, ScalarType::U32, found));
                return false;
            }
        }
        self.texture_vector(coordinates, texture.coordinate, |found| found >= n, n)
    }

    /// A texture or sampler: a name, or a register of 64 bits.
    fn texture_handle(&mut self, operand: &Operand, n_handles: usize) -> bool {
        let OperandKind::Name(name) = operand.kind else {
            let found = diagnose::describe(operand.kind);
            self.report(diagnose::expected_register(operand.span, found));
            return false;
        };
        let problem = match self.binding(name, operand.span) {
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                let gate = match n_handles {
                    1 => INDIRECT,
                    _ => INDIRECT_PAIR,
                };
                if !(ty.is_integer() && ty.width_bits() == 64) {
                    Some(diagnose::type_mismatch(operand.span, ty, ScalarType::U64))
                } else if !self.module.meets(gate) {
                    let what = "a texture in a register";
                    Some(special_gate(what, operand.span, gate, self.module))
                } else {
                    None
                }
            }
            Binding::Special(_) => {
                let found = "a special register";
                Some(diagnose::expected_register(operand.span, found))
            }
            Binding::Variable(variable) => {
                let is_handle = self.variable(variable).is_none_or(|variable| {
                    variable.ty == ScalarType::B64 && variable.space == StateSpace::Global
                });
                (!is_handle).then(|| diagnose::expected_register(operand.span, "a variable"))
            }
            _ => None,
        };
        match problem {
            Some(problem) => {
                self.report(problem);
                false
            }
            None => true,
        }
    }

    /// A value alone.
    fn texture_scalar(&mut self, operand: &Operand, ty: ScalarType) -> bool {
        if let OperandKind::Sum { .. } = operand.kind
            && ty.is_integer()
        {
            return true;
        }
        match self.value(operand) {
            Ok(element) if !element.is_special() && fits(ty, element.class, Fit::Exact) => true,
            Ok(_) | Err(_) => {
                let found = diagnose::describe(operand.kind);
                self.report(diagnose::expected_value(operand.span, ty, found));
                false
            }
        }
    }

    /// Values in braces, as many as the geometry asks for.
    fn texture_vector(
        &mut self,
        (operand, children): (&Operand, Operands<'a>),
        ty: ScalarType,
        is_enough: impl Fn(usize) -> bool,
        expected: usize,
    ) -> bool {
        if !matches!(operand.kind, OperandKind::Vector { .. }) {
            // A vector register, or what is refused for its kind.
            return true;
        }
        let mut elements: Vec<Element> = Vec::new();
        let mut count = 0;
        for (child, _) in children {
            count += 1;
            match self.value(child) {
                Ok(element) => elements.push(element),
                Err(_) => {
                    let found = diagnose::describe(child.kind);
                    self.report(diagnose::expected_value(child.span, ty, found));
                    return false;
                }
            }
        }
        if !is_enough(count) || !matches!(count, 1 | 2 | 4) {
            self.report(diagnose::vector_size(operand.span, count, expected));
            return false;
        }
        self.texture_elements(operand.span, elements, ty)
    }

    /// Whether the values of a list are of a type together; beside untyped bits a predicate passes for them.
    fn texture_elements(&mut self, span: Span, mut elements: Vec<Element>, ty: ScalarType) -> bool {
        let has_bits = elements
            .iter()
            .any(|element| element.class == ValueClass::Bits(32));
        for element in &mut elements {
            if has_bits && ty.is_integer() && element.class == ValueClass::Predicate {
                element.class = ValueClass::Bits(32);
            }
        }
        let is_right = merge(&elements).is_ok_and(|class| fits(ty, class, Fit::ExactInBraces));
        if !is_right {
            self.report(diagnose::expected_value(span, ty, "a vector"));
        }
        is_right
    }
}

/// Whether a value is of a type.
fn fits(ty: ScalarType, class: ValueClass, fit: Fit) -> bool {
    class == ValueClass::of(ty) || ty.takes(class, fit)
}
