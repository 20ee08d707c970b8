//! Merges the classes of the elements of a brace list into the class of the list, according to the reference assembler 13.5. The
//! instructions `st.async` and `wmma.store`, which require exact types, use this class.

use crate::check::body::values::ValueOperand;
use crate::diagnostics::MismatchedProperty;
pub(crate) use warpgrid_isa::OperandClass as Class;

/// Returns a description of a class for messages.
pub(crate) fn describe(class: Class) -> String {
    match class {
        Class::Bits(w) => format!("a `.b{w}` register"),
        Class::Unsigned(w) => format!("a `.u{w}` register"),
        Class::Signed(w) => format!("a `.s{w}` register"),
        Class::Float(w) => format!("a `.f{w}` register"),
        Class::Halves => "a `.f16x2` register".to_owned(),
        Class::Predicate => "a predicate".to_owned(),
        Class::Integer => "an integer constant".to_owned(),
        Class::Single => "a single-precision constant".to_owned(),
        Class::Double => "a double-precision constant".to_owned(),
        Class::Open => "a constant".to_owned(),
    }
}

/// Incompatible classes of two adjacent elements in a brace list, which a diagnostic reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementMismatch {
    /// Index of the first element that is incompatible with the preceding element.
    pub(crate) index: usize,
    pub(crate) mismatch: MismatchedProperty,
}

/// Returns the class of a brace list. The assembler compares only adjacent elements: it accepts `{%f0, %r1, %u2}`, but rejects
/// `{%r1, %f0, %u2}`.
pub(crate) fn merge(elements: &[ValueOperand]) -> Result<Class, ElementMismatch> {
    let mut merged: Option<Class> = None;
    let mut before: Option<Class> = None;
    for (index, element) in elements.iter().enumerate() {
        let class = element.class;
        if let Some(before) = before {
            join(before, class).map_err(|mismatch| ElementMismatch { index, mismatch })?;
        }
        before = Some(class);
        merged = Some(match merged {
            None => class,
            Some(merged) => match join(merged, class) {
                Ok(class) => class,
                Err(MismatchedProperty::Type) => class
                    .width()
                    .or(merged.width())
                    .map_or(Class::Open, Class::Bits),
                Err(mismatch @ MismatchedProperty::Width) => {
                    return Err(ElementMismatch { index, mismatch });
                }
            },
        });
    }
    Ok(merged.unwrap_or(Class::Open))
}

/// Returns the common class of two adjacent elements, or the property in which the elements differ.
fn join(a: Class, b: Class) -> Result<Class, MismatchedProperty> {
    if let (Some(x), Some(y)) = (a.width(), b.width())
        && x != y
        && a != Class::Predicate
        && b != Class::Predicate
    {
        return Err(MismatchedProperty::Width);
    }
    if a == b {
        return Ok(a);
    }
    match (a, b) {
        (Class::Open, _) => Ok(Class::Open),
        (Class::Predicate, _) | (_, Class::Predicate) => Err(MismatchedProperty::Type),
        (Class::Integer, Class::Bits(_)) => Ok(Class::Open),
        (Class::Bits(w), _) | (_, Class::Bits(w)) => Ok(Class::Bits(w)),
        _ if a.is_integer() && b.is_integer() => {
            Ok(a.width().or(b.width()).map_or(Class::Integer, Class::Bits))
        }
        _ if a.is_float() && b.is_float() => Ok(join_floats(a, b)),
        _ => Err(MismatchedProperty::Type),
    }
}

fn join_floats(a: Class, b: Class) -> Class {
    let constant_width = |class| match class {
        Class::Single => Some(32),
        Class::Double => Some(64),
        _ => None,
    };
    match (a.width(), b.width()) {
        (Some(w), _) | (_, Some(w)) => {
            let constant = constant_width(a).or(constant_width(b));
            match constant == Some(w) {
                true => Class::Float(w),
                false => Class::Bits(w),
            }
        }
        _ => Class::Bits(64),
    }
}
