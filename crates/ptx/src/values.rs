//! Which values a store takes: the type of one value or of a vector, compared with the type of the instruction.
//! Facts of assembler 13.5; the manual has only the table of operand sizes ("Operand Size Exceeding Instruction-Type
//! Size").

use warpgrid_isa::{Fit, ScalarType, TypeKind, ValueClass};

/// What the bits of a value mean, as far as stores care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Bits,
    Unsigned,
    Signed,
    Float,
    /// `.f16x2`: taken where integers are.
    Packed,
    Predicate,
}

impl Class {
    pub(crate) fn of(ty: ScalarType) -> Class {
        match ty.kind() {
            TypeKind::Bits => Class::Bits,
            TypeKind::Unsigned => Class::Unsigned,
            TypeKind::Signed => Class::Signed,
            TypeKind::Predicate => Class::Predicate,
            TypeKind::Float if ty == ScalarType::F16x2 => Class::Packed,
            TypeKind::Float => Class::Float,
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Class::Unsigned | Class::Signed)
    }
}

/// A predicate beside others counts as 32 bits.
const PREDICATE_BITS: u32 = 32;

/// A value, before it meets the type of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) class: Class,
    pub(crate) width_bits: u32,
    pub(crate) is_literal: bool,
}

impl Element {
    /// A register of this type.
    pub(crate) fn register(ty: ScalarType) -> Element {
        Element::of(ValueClass::of(ty), false)
    }

    /// Untyped bits, such as special registers hold.
    pub(crate) const fn bits(width_bits: u32) -> Element {
        Element {
            class: Class::Bits,
            width_bits,
            is_literal: false,
        }
    }

    /// A value that was read; `is_unsigned` says of an integer literal that it has no sign.
    pub(crate) fn of(class: ValueClass, is_unsigned: bool) -> Element {
        let (class, width_bits) = match class {
            ValueClass::Bits(width) => (Class::Bits, width),
            ValueClass::Unsigned(width) => (Class::Unsigned, width),
            ValueClass::Signed(width) => (Class::Signed, width),
            ValueClass::Float(width) => (Class::Float, width),
            ValueClass::Halves => (Class::Packed, 32),
            ValueClass::Predicate => (Class::Predicate, PREDICATE_BITS),
            ValueClass::Integer if is_unsigned => return Element::literal(Class::Unsigned, 64),
            ValueClass::Integer => return Element::literal(Class::Signed, 64),
            ValueClass::Single => return Element::literal(Class::Float, 32),
            ValueClass::Double => return Element::literal(Class::Float, 64),
            ValueClass::Open => return Element::literal(Class::Bits, 64),
        };
        Element {
            class,
            width_bits,
            is_literal: false,
        }
    }

    /// A literal of this type; integers are 64 bits wide.
    pub(crate) const fn literal(class: Class, width_bits: u32) -> Element {
        Element {
            class,
            width_bits,
            is_literal: true,
        }
    }

    /// What the type of the instruction is compared with.
    pub(crate) fn value(self) -> ValueClass {
        match (self.class, self.is_literal) {
            (Class::Float, true) if self.width_bits == 32 => ValueClass::Single,
            (Class::Float, true) => ValueClass::Double,
            (_, true) => ValueClass::Integer,
            (Class::Bits, _) => ValueClass::Bits(self.width_bits),
            (Class::Unsigned, _) => ValueClass::Unsigned(self.width_bits),
            (Class::Signed, _) => ValueClass::Signed(self.width_bits),
            (Class::Float, _) => ValueClass::Float(self.width_bits),
            (Class::Packed, _) => ValueClass::Halves,
            (Class::Predicate, _) => ValueClass::Predicate,
        }
    }

    fn same_type(self, other: Element) -> bool {
        self.class == other.class && self.width_bits == other.width_bits
    }
}

/// What is wrong with the elements of a vector; numbers are places in the list of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The element and its neighbour before it are of different kinds.
    Kinds { at: usize },
    /// The element is not as wide as the first.
    Width { at: usize },
    /// The vector does not fit the type of the instruction.
    Type,
}

/// Checks the elements of a vector in braces, sinks left out.
pub(crate) fn find_problems(elements: &[Element], ty: ScalarType) -> Vec<Problem> {
    let mut problems = Vec::new();
    let Some(first) = elements.first() else {
        return problems;
    };
    for (at, pair) in elements.windows(2).enumerate() {
        if let [a, b] = pair
            && !are_of_a_kind(a.class, b.class)
        {
            problems.push(Problem::Kinds { at: at + 1 });
        }
    }
    let is_uniform = elements.iter().all(|element| element.same_type(*first));
    if first.is_literal {
        let last = elements.last().unwrap_or(first);
        if !literals_fit(*first, *last, is_uniform, ty) {
            problems.push(Problem::Type);
        }
        return problems;
    }
    let odd = elements
        .iter()
        .enumerate()
        .filter(|(_, element)| !element.is_literal && element.width_bits != first.width_bits);
    problems.extend(odd.map(|(at, _)| Problem::Width { at }));
    // Elements of several types count as untyped bits of the first one's width.
    let whole = match is_uniform {
        true => first.value(),
        false => ValueClass::Bits(first.width_bits),
    };
    if !ty.takes(whole, Fit::StoredInBraces) {
        problems.push(Problem::Type);
    }
    problems
}

fn are_of_a_kind(a: Class, b: Class) -> bool {
    a == b || a == Class::Bits || b == Class::Bits || (a.is_integer() && b.is_integer())
}

/// A vector that starts with a literal counts as a literal.
fn literals_fit(first: Element, last: Element, is_uniform: bool, ty: ScalarType) -> bool {
    match (first.class, Class::of(ty)) {
        (Class::Float, Class::Float) => true,
        (Class::Float, Class::Bits) => last.width_bits == ty.width_bits(),
        (Class::Float, _) => !is_uniform && last.width_bits >= ty.width_bits(),
        (_, Class::Float) => !is_uniform || ty.width_bits() == 64,
        _ => true,
    }
}
