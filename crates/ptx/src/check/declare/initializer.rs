//! Conversion of initializers to initial bytes and relocations. The checks of declarations have already reported invalid values.

use crate::check::declare::declarations::Declarations;
use crate::check::names::binding::Binding;
use crate::check::names::lookup::meaning;
use crate::diagnostics::check as diagnose;
use crate::tree::declaration::{Declaration, Declarator, InitValue, InitValueKind};
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{Relocation, RelocationTarget, Span, Variable, VariableId};

/// Maximum number of initial bytes of a variable.
const MAX_INIT: u64 = 1 << 28;

impl Declarations<'_, '_> {
    /// Sets the initial bytes of a variable.
    pub(crate) fn initialize(
        &mut self,
        variable: &mut Variable,
        declaration: &Declaration,
        declarator: &Declarator,
    ) {
        let values = self.tree.init_values_of(declarator);
        if values.is_empty() {
            return;
        }
        let n_elements = declaration.vector.map_or(1, |v| v.n_elements()) as u32;
        let element_bytes = variable.ty.width_bytes() * n_elements;
        let mut strides = vec![u64::from(element_bytes.max(1))];
        let dimensions = self.tree.dimensions_of(declarator);
        for dimension in dimensions.iter().skip(1).rev() {
            let last = strides.last().copied().unwrap_or(1);
            strides.push(last.saturating_mul(dimension.size.unwrap_or(1)));
        }
        if u64::from(element_bytes) > u64::from(variable.ty.width_bytes()) {
            strides.insert(0, u64::from(variable.ty.width_bytes()));
        }
        let values = match values.first().map(|v| v.kind) {
            Some(InitValueKind::List { entries }) => {
                values.get(1..1 + entries as usize).unwrap_or(&[])
            }
            _ => values,
        };
        self.fill(variable, values, &strides, 0);
    }

    /// Returns the number of values at the top level of an initializer.
    pub(crate) fn top_values(&self, declarator: &Declarator) -> u64 {
        let values = self.tree.init_values_of(declarator);
        let Some(InitValueKind::List { entries }) = values.first().map(|v| v.kind) else {
            return 1;
        };
        let mut rest = values.get(1..1 + entries as usize).unwrap_or(&[]);
        let mut n = 0;
        while let Some((value, tail)) = rest.split_first() {
            rest = match value.kind {
                InitValueKind::List { entries } => tail.get(entries as usize..).unwrap_or(&[]),
                _ => tail,
            };
            n += 1;
        }
        n
    }

    /// Writes initial values to the bytes of the variable, starting at offset `start`. `strides` contains the size in bytes of an element,
    /// followed by the size of each enclosing array.
    fn fill(&mut self, variable: &mut Variable, values: &[InitValue], strides: &[u64], start: u64) {
        let (stride, inner) = match strides.split_last() {
            Some((stride, inner)) => (*stride, inner),
            None => (u64::from(variable.ty.width_bytes()), strides),
        };
        let element = u64::from(variable.ty.width_bytes().max(1));
        let mut at = start;
        let mut rest = values;
        while let Some((value, tail)) = rest.split_first() {
            rest = tail;
            if let InitValueKind::List { entries } = value.kind {
                let n = (entries as usize).min(tail.len());
                let (children, after) = tail.split_at(n);
                self.fill(variable, children, inner, at);
                rest = after;
                at = at.saturating_add(stride);
                continue;
            }
            if at.saturating_add(element) > variable.size_bytes {
                return;
            }
            self.write_value(variable, value, at);
            at = at.saturating_add(element);
        }
    }

    fn write_value(&mut self, variable: &mut Variable, value: &InitValue, at: u64) {
        let width = variable.ty.width_bytes();
        match value.kind {
            InitValueKind::Address {
                name,
                name_span,
                offset,
                generic,
                mask,
            } => {
                let width = if mask.is_some() { 1 } else { width };
                if let Some(target) = self.relocation_target(name, name_span) {
                    variable.relocations.push(Relocation {
                        byte_offset: at,
                        width_bytes: width,
                        target,
                        addend: offset,
                        generic,
                    });
                }
            }
            InitValueKind::String => self.write_string(variable, value.span, at),
            _ => {
                if let Some(bits) = literal_bits(value.kind, variable.ty) {
                    self.write_bytes(variable, at, &bits.to_le_bytes(), width);
                }
            }
        }
    }

    fn write_bytes(&mut self, variable: &mut Variable, at: u64, bytes: &[u8], width: u32) {
        let end = at.saturating_add(u64::from(width));
        if end > MAX_INIT {
            self.report(diagnose::variable_too_large(variable.span));
            return;
        }
        if (variable.init.len() as u64) < end {
            variable.init.resize(end as usize, 0);
        }
        let place = variable.init.get_mut(at as usize..end as usize);
        for (to, from) in place.unwrap_or(&mut []).iter_mut().zip(bytes) {
            *to = *from;
        }
    }

    fn write_string(&mut self, variable: &mut Variable, span: Span, at: u64) {
        let text = span.text(self.source).trim_matches('"').as_bytes();
        let room = variable
            .size_bytes
            .saturating_sub(at)
            .min(text.len() as u64);
        let text = text.get(..room as usize).unwrap_or(text);
        self.write_bytes(variable, at, text, text.len() as u32);
    }

    /// Returns the variable or function whose address a name in an initializer denotes. Reports an unknown name.
    fn relocation_target(&mut self, name: Name, span: Span) -> Option<RelocationTarget> {
        match meaning(&self.context, self.names, name) {
            Binding::Variable(VariableId::Module(index)) => Some(RelocationTarget::Variable(index)),
            Binding::Function(function) => Some(RelocationTarget::Function(function)),
            Binding::None => {
                self.report_unknown(span);
                None
            }
            _ => None,
        }
    }
}

/// Returns the bit pattern of a literal as an element of type `ty`, or `None` if the type cannot represent the literal.
fn literal_bits(kind: InitValueKind, ty: ScalarType) -> Option<u64> {
    let float = ty.kind() == TypeKind::Float;
    match kind {
        InitValueKind::Integer { value, .. } | InitValueKind::MaskedInteger { value, .. }
            if !float =>
        {
            Some(value)
        }
        InitValueKind::Integer { value, unsigned } => {
            let number = if unsigned {
                value as f64
            } else {
                value as i64 as f64
            };
            double_bits(number, ty)
        }
        InitValueKind::Single(bits) => match ty {
            ScalarType::F64 => Some(f64::from(f32::from_bits(bits)).to_bits()),
            _ => Some(bits.into()),
        },
        InitValueKind::Double(bits) => match ty {
            ScalarType::F32 => Some(u64::from((f64::from_bits(bits) as f32).to_bits())),
            _ => Some(bits),
        },
        _ => None,
    }
}

fn double_bits(number: f64, ty: ScalarType) -> Option<u64> {
    match ty {
        ScalarType::F32 => Some(u64::from((number as f32).to_bits())),
        ScalarType::F64 => Some(number.to_bits()),
        _ if number == 0.0 => Some(0),
        _ => None,
    }
}
