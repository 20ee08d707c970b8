//! Checks the element types of a brace list in `st` against the type of the instruction, according to assembler 13.5. The manual
//! contains only the table of operand sizes ("Operand Size Exceeding Instruction-Type Size").

use crate::check::body::values::ValueOperand;
use warpgrid_isa::{OperandClass, ScalarType, TypeMatch};

/// Error in the elements of a stored vector, which a diagnostic reports. `at` is an index into the list of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementError {
    /// The element and the preceding element have different kinds.
    Kinds { at: usize },
    /// The element has a different width than the first element.
    Width { at: usize },
    /// The vector is not compatible with the type of the instruction.
    Type,
}

/// Checks the elements of a stored brace list, from which the caller has removed the sinks.
pub(crate) fn find_problems(elements: &[ValueOperand], ty: ScalarType) -> Vec<ElementError> {
    let mut problems = Vec::new();
    let Some(first) = elements.first() else {
        return problems;
    };
    for (at, pair) in elements.windows(2).enumerate() {
        if let [a, b] = pair
            && !are_of_a_kind(as_register(a), as_register(b))
        {
            problems.push(ElementError::Kinds { at: at + 1 });
        }
    }
    if first.class.is_constant() {
        if !constants_fit(elements, ty) {
            problems.push(ElementError::Type);
        }
        return problems;
    }
    let is_odd = |element: &ValueOperand| {
        !element.class.is_constant() && element.class.stored_width() != first.class.stored_width()
    };
    let places = elements.iter().enumerate();
    problems.extend(
        places
            .filter(|(_, element)| is_odd(element))
            .map(|(at, _)| ElementError::Width { at }),
    );
    // If the elements have different types, the assembler treats the vector as untyped bits with the width of the first element.
    let combined = match are_uniform(elements) {
        true => first.class,
        false => OperandClass::Bits(first.class.stored_width()),
    };
    if !ty.accepts(combined, TypeMatch::StoredInBraces) {
        problems.push(ElementError::Type);
    }
    problems
}

/// Returns the operand class of the register that corresponds to a value. For a constant, the width is the width with which the assembler
/// evaluates the constant.
fn as_register(element: &ValueOperand) -> OperandClass {
    match element.class {
        OperandClass::Integer if element.is_unsigned => OperandClass::Unsigned(64),
        OperandClass::Integer => OperandClass::Signed(64),
        OperandClass::Single => OperandClass::Float(32),
        OperandClass::Double => OperandClass::Float(64),
        OperandClass::Open => OperandClass::Bits(64),
        class => class,
    }
}

fn are_of_a_kind(a: OperandClass, b: OperandClass) -> bool {
    use OperandClass as V;
    match (a, b) {
        (V::Bits(_), _) | (_, V::Bits(_)) => true,
        (V::Halves, _) | (V::Predicate, _) => a == b,
        _ => a.is_integer() && b.is_integer() || a.is_float() && b.is_float(),
    }
}

/// Checks whether all elements have the type of the first element.
fn are_uniform(elements: &[ValueOperand]) -> bool {
    let mut classes = elements.iter().map(as_register);
    let first = classes.next();
    classes.all(|class| Some(class) == first)
}

/// Checks whether a vector that starts with a constant is compatible with the type of the instruction. The assembler treats a vector that
/// starts with a constant as a constant.
fn constants_fit(elements: &[ValueOperand], ty: ScalarType) -> bool {
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else {
        return true;
    };
    let is_uniform = are_uniform(elements);
    let last = as_register(last).stored_width();
    match (first.class.is_float(), OperandClass::of(ty)) {
        (true, OperandClass::Float(_)) => true,
        (true, OperandClass::Bits(width)) => last == width,
        (true, _) => !is_uniform && last >= ty.width_bits(),
        (false, OperandClass::Float(width)) => !is_uniform || width == 64,
        (false, _) => true,
    }
}
