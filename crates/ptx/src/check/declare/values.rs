//! Checks of the types of initial values, and of the nesting of initializer lists against the shape of the variable. The module
//! `initializer` converts the values to bytes.

use crate::check::declare::calling_convention;
use crate::check::declare::declarations::{DeclarationScope, Declarations};
use crate::check::names::binding::Binding;
use crate::check::names::lookup::meaning;
use crate::diagnostics::check as names;
use crate::diagnostics::declarations as diagnose;
use crate::tree::declaration::{
    Declaration, DeclarationSpace, Declarator, DeclaredType, Dimension, InitValue, InitValueKind,
    Linkage,
};
use crate::tree::name::Name;
use warpgrid_isa::directives::{FIELD_VALUES, SAMPLER_FIELDS, SURFACE_FIELDS, TEXTURE_FIELDS};
use warpgrid_isa::{Gate, ScalarType, StateSpace, TypeKind, VectorWidth};
use warpgrid_program::{Diagnostic, Span};

const ADDRESSES: Gate = Gate::ptx(2, 1);
const FUNCTIONS: Gate = Gate::ptx(2, 1).sm(20);
const GENERIC: Gate = Gate::ptx(3, 1);
const MASKS: Gate = Gate::ptx(7, 1);
const MASKED_NUMBERS: Gate = Gate::ptx(7, 2);

/// Type and name of the declared variable, which determine the permitted values of its initializer.
#[derive(Clone, Copy, Debug)]
struct InitializerElement {
    ty: ScalarType,
    type_span: Span,
    /// Number of components of a vector element, or 1 for a scalar.
    n: usize,
    vector_span: Span,
    /// Name of the variable that is being declared. Its initializer may refer to this name.
    name: Option<Name>,
}

impl Declarations<'_, '_> {
    /// Returns whether an initializer has at least one value.
    pub(crate) fn has_values(&self, declarator: &Declarator) -> bool {
        match self.tree.init_values_of(declarator) {
            [] => false,
            [only] => !matches!(only.kind, InitValueKind::List { .. }),
            _ => true,
        }
    }

    /// Checks the initial values of one name.
    pub(crate) fn check_values(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        place: DeclarationScope,
    ) {
        let values = self.tree.init_values_of(declarator);
        let Some(first) = values.first() else {
            return;
        };
        let filled = matches!(
            declaration.space,
            DeclarationSpace::Global | DeclarationSpace::Const
        );
        if !filled || matches!(place, DeclarationScope::Parameter(_)) {
            let name = declarator.name_span.text(self.source);
            let removed = Span::new(self.before_value(declarator, first.span), first.span.end);
            self.report(diagnose::no_initializer(
                first.span,
                declaration.space_span,
                name,
                removed,
            ));
            return;
        }
        if declaration.linkage == Some(Linkage::Extern) {
            self.report(diagnose::extern_value(first.span, declaration.linkage_span));
            return;
        }
        let dimensions = self.tree.dimensions_of(declarator);
        let ty = match declaration.scalar {
            DeclaredType::Scalar(ty) => ty,
            DeclaredType::TexRef => return self.check_fields(values, dimensions, TEXTURE_FIELDS),
            DeclaredType::SamplerRef => {
                return self.check_fields(values, dimensions, SAMPLER_FIELDS);
            }
            DeclaredType::SurfRef => return self.check_fields(values, dimensions, SURFACE_FIELDS),
            DeclaredType::Missing => return,
        };
        if ty == ScalarType::F16 {
            self.report(diagnose::half_value(first.span, declaration.type_span));
            return;
        }
        let element = InitializerElement {
            ty,
            type_span: declaration.type_span,
            n: declaration.vector.map_or(1, VectorWidth::n_elements),
            vector_span: declaration.vector_span,
            name: declarator.name,
        };
        self.check_level(values, dimensions, &element);
    }

    /// Checks the initializer of a texture, sampler or surface, which contains a list of fields for each element. A field may replace any
    /// list. The assembler does not check the name of a field that replaces a list (assembler 13.5).
    fn check_fields(&mut self, values: &[InitValue], dimensions: &[Dimension], fields: &[&str]) {
        let Some((value, rest)) = values.split_first() else {
            return;
        };
        let InitValueKind::List { entries } = value.kind else {
            self.check_field(value, "a list of fields in braces", None);
            return;
        };
        let mut children = rest.get(..entries as usize).unwrap_or(rest);
        if let Some((dimension, inner)) = dimensions.split_first() {
            let n = count(children);
            if let Some(size) = dimension.size.filter(|size| (1..n).contains(size)) {
                let problem = diagnose::too_many_values(value.span, n, size, dimension.span);
                self.report(problem);
                return;
            }
            while let Some(value) = children.first() {
                let n = match value.kind {
                    InitValueKind::List { entries } => 1 + entries as usize,
                    _ => 1,
                };
                let (this, after) = children.split_at(n.min(children.len()));
                self.check_fields(this, inner, fields);
                children = after;
            }
            return;
        }
        for value in children {
            if !self.check_field(value, "a field and its value", Some(fields)) {
                return;
            }
        }
    }

    /// Checks a field of an initializer and its value, and also its name if `fields` contains the valid names. Returns `false` if the
    /// initial value is not a field.
    fn check_field(&mut self, value: &InitValue, expected: &str, fields: Option<&[&str]>) -> bool {
        let InitValueKind::Setting { field, symbol } = value.kind else {
            let problem = diagnose::initial_shape(value.span, "a value", expected);
            self.report(problem);
            return false;
        };
        let field = fields.map(|known| (field, known));
        let symbol = symbol.map(|symbol| (symbol, FIELD_VALUES));
        for (span, known) in field.into_iter().chain(symbol) {
            let text = span.text(self.source);
            if !known.contains(&text) {
                let nearest = warpgrid_isa::form::nearest(text, known.iter().copied());
                self.report(names::unknown_symbol(text, span, nearest));
            }
        }
        true
    }

    /// Returns the end offset of the text before the initializer: the name with its count or its array dimensions.
    fn before_value(&self, declarator: &Declarator, value: Span) -> u32 {
        let dimensions = self.tree.dimensions_of(declarator);
        let end = dimensions
            .last()
            .map_or(declarator.name_span.end, |d| d.span.end);
        end.max(declarator.count_span.end.min(value.start))
    }

    /// Checks initial values of one nesting level, and the values that they contain. `dimensions` contains the remaining array dimensions.
    fn check_level(
        &mut self,
        values: &[InitValue],
        dimensions: &[Dimension],
        element: &InitializerElement,
    ) {
        let Some((value, rest)) = values.split_first() else {
            return;
        };
        let InitValueKind::List { entries } = value.kind else {
            // A field may replace a list at any level (assembler 13.5: `.global .v4 .f32 t[] = {width=1}`).
            let is_field = matches!(value.kind, InitValueKind::Setting { .. });
            if (!dimensions.is_empty() || element.n > 1) && !is_field {
                self.report(diagnose::initial_shape(
                    value.span,
                    "one value",
                    "a list in braces",
                ));
            } else {
                self.check_value(value, element);
            }
            return;
        };
        let children = rest.get(..entries as usize).unwrap_or(rest);
        let n = count(children);
        let inner: &[Dimension] = match dimensions.split_first() {
            Some((dimension, inner)) => {
                if let Some(size) = dimension.size
                    && size > 0
                    && n > size
                {
                    let span = dimension.span;
                    self.report(diagnose::too_many_values(value.span, n, size, span));
                    return;
                }
                inner
            }
            None if element.n > 1 => {
                if n != element.n as u64 {
                    let vector = element.vector_span;
                    self.report(diagnose::vector_values(value.span, n, element.n, vector));
                    return;
                }
                return self.check_each(children, &[], &InitializerElement { n: 1, ..*element });
            }
            None => {
                self.report(diagnose::initial_shape(value.span, "a list", "one value"));
                return;
            }
        };
        self.check_each(children, inner, element);
    }

    fn check_each(
        &mut self,
        values: &[InitValue],
        dimensions: &[Dimension],
        element: &InitializerElement,
    ) {
        let mut rest = values;
        while let Some(value) = rest.first() {
            let n = 1 + match value.kind {
                InitValueKind::List { entries } => entries as usize,
                _ => 0,
            };
            let (this, after) = rest.split_at(n.min(rest.len()));
            // The number of array dimensions bounds the recursion, because the check does not enter lists that are nested too deeply.
            self.check_level(this, dimensions, element);
            rest = after;
        }
    }

    fn check_value(&mut self, value: &InitValue, element: &InitializerElement) {
        let InitializerElement { ty, type_span, .. } = *element;
        let kind = ty.kind();
        let problem = match value.kind {
            InitValueKind::Integer { .. } if ty.is_float() => {
                let text = value.span.text(self.source);
                match text.bytes().all(|b| b.is_ascii_digit() || b == b'-') {
                    true if ty != ScalarType::F16x2 => {
                        diagnose::initial_integer(value.span, text, ty, type_span)
                    }
                    _ => diagnose::initial_type(value.span, "an integer", ty, type_span),
                }
            }
            InitValueKind::Single(_) | InitValueKind::Double(_)
                if !matches!(kind, TypeKind::Bits)
                    && !matches!(ty, ScalarType::F32 | ScalarType::F64) =>
            {
                diagnose::initial_type(value.span, "a floating-point number", ty, type_span)
            }
            InitValueKind::Address { .. } => return self.check_address(value, element),
            InitValueKind::MaskedInteger { mask, .. } => {
                self.check_mask(value, mask);
                self.check_gate(MASKED_NUMBERS, value.span, "a mask of a constant");
                if !ty.is_float() {
                    return;
                }
                diagnose::initial_type(value.span, "an integer", ty, type_span)
            }
            _ => return,
        };
        self.report(problem);
    }

    /// Checks an address as an initial value (assembler 13.5).
    fn check_address(&mut self, value: &InitValue, element: &InitializerElement) {
        let InitValueKind::Address {
            name,
            name_span,
            mask,
            generic,
            ..
        } = value.kind
        else {
            return;
        };
        let InitializerElement { ty, type_span, .. } = *element;
        let found = match meaning(&self.context, self.names, name) {
            // In its own initializer, a name refers to the declared variable only if the name has no other declaration. In `.func b() {
            // .global .u64 b = b; }`, the value is the address of the function.
            Binding::None | Binding::Label(_) | Binding::Table(_) if element.name == Some(name) => {
                None
            }
            Binding::None => return self.report_unknown(name_span),
            found => Some(found),
        };
        let is_function = matches!(found, Some(Binding::Function(_)));
        match is_function {
            true => self.check_gate(FUNCTIONS, value.span, "the address of a function"),
            false => self.check_gate(ADDRESSES, value.span, "the address of a variable"),
        }
        if generic {
            self.check_gate(GENERIC, value.span, "`generic` in an initial value");
        }
        if let Some(mask) = mask {
            self.check_mask(value, mask);
        }
        let is_right = takes_address(ty) || mask.is_some() && ty == ScalarType::U8;
        let problem = match found.and_then(|found| self.initial_symbol(found, name_span)) {
            Some(problem) => problem,
            None if is_function && (generic || value.span.text(self.source).contains('+')) => {
                diagnose::initial_sum(value.span)
            }
            None if !is_right => diagnose::initial_type(value.span, "an address", ty, type_span),
            None if is_function && calling_convention::is_turned_off(self.context.module) => {
                diagnose::needs_convention(value.span, "the address of a function")
            }
            None => return,
        };
        self.report(problem);
    }

    /// Checks that a mask selects exactly one byte.
    fn check_mask(&mut self, value: &InitValue, mask: u64) {
        self.check_gate(MASKS, value.span, "a mask in an initial value");
        if !(0..8).any(|byte| mask == 0xff << (8 * byte)) {
            self.report(diagnose::mask(value.span, mask));
        }
    }

    fn initial_symbol(&self, found: Binding, span: Span) -> Option<Diagnostic> {
        let text = span.text(self.source);
        let found = match found {
            Binding::Function(_) | Binding::None => return None,
            Binding::Variable(variable) => match self.names.space_of(variable) {
                StateSpace::Global | StateSpace::Const => return None,
                _ => "a variable of another state space",
            },
            Binding::Register(_)
            | Binding::Vector { .. }
            | Binding::Group(_)
            | Binding::Outer { .. } => "a register",
            Binding::Special(_) => "a special register",
            Binding::Label(_) | Binding::Table(_) => "a label",
        };
        Some(diagnose::initial_symbol(span, text, found))
    }
}

/// Returns whether an initial value of this type may be an address.
const fn takes_address(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::U32 | ScalarType::U64)
}

/// Returns the number of values at the top level of a list.
fn count(values: &[InitValue]) -> u64 {
    let mut n = 0;
    let mut rest = values;
    while let Some((value, tail)) = rest.split_first() {
        rest = match value.kind {
            InitValueKind::List { entries } => tail.get(entries as usize..).unwrap_or(&[]),
            _ => tail,
        };
        n += 1;
    }
    n
}
