//! Parser for store addresses: determines the address shape and its components.

use crate::syntax::{
    Bracket, MemoryOperand, Register, RegisterFile, RegisterNumber, Term, TermOperator, TermValue,
    Tree,
};
use warpgrid_isa::sass::AddressShape;
use warpgrid_program::Span;

/// Components of an address operand.
#[derive(Clone, Debug)]
pub(crate) struct AddressParts {
    pub(crate) shape: AddressShape,
    /// Per-lane register of the address.
    pub(crate) base: Option<AddressRegister>,
    /// Uniform register of the address.
    pub(crate) uniform: Option<AddressRegister>,
    /// Register that contains the descriptor.
    pub(crate) descriptor: Option<AddressRegister>,
    /// Signed offset in bytes. It may exceed 24 bits.
    pub(crate) offset: Option<(i128, Span)>,
}

/// Register in an address operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressRegister {
    pub(crate) register: Register,
    /// Span of the register without its modifiers.
    pub(crate) span: Span,
}

/// Error: the components of an address match no address shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AddressShapeError {
    pub(crate) span: Span,
    pub(crate) why: String,
}

/// Modifier of the per-lane register of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BaseModifier {
    None,
    Pair,
    LowHalf,
    Scale,
}

/// Splits an address into its components.
pub(crate) fn take_apart(
    tree: &Tree,
    source: &str,
    memory: &MemoryOperand,
) -> Result<AddressParts, AddressShapeError> {
    let brackets = tree.brackets(memory);
    let prefix = memory.prefix.map(|span| (span, span.text(source)));
    let (descriptor, bracket) = match (prefix, brackets) {
        (None, [only]) => (None, only),
        (Some((_, "desc")), [first, second]) => (Some(descriptor(tree, first)?), second),
        (Some((span, word)), _) => {
            return Err(AddressShapeError {
                span,
                why: format!("`{word}` is not a valid destination of a store"),
            });
        }
        (None, _) => {
            return Err(AddressShapeError {
                span: Span::at(0),
                why: "found a second address, expected only one address".to_owned(),
            });
        }
    };
    let mut parts = AddressParts {
        shape: AddressShape::Absolute,
        base: None,
        uniform: None,
        descriptor,
        offset: None,
    };
    let mut base_word = BaseModifier::None;
    for term in tree.terms(bracket) {
        if let Some(word) = add(tree, source, term, &mut parts)? {
            base_word = word;
        }
    }
    parts.shape = shape(&parts, base_word, bracket)?;
    Ok(parts)
}

fn descriptor(tree: &Tree, bracket: &Bracket) -> Result<AddressRegister, AddressShapeError> {
    match tree.terms(bracket) {
        [
            Term {
                span,
                value: TermValue::Register(register),
                ..
            },
        ] if register.file == RegisterFile::Uniform => Ok(AddressRegister {
            register: *register,
            span: *span,
        }),
        _ => Err(AddressShapeError {
            span: bracket.span,
            why: "expected a descriptor in a uniform register, such as `desc[UR4]`".to_owned(),
        }),
    }
}

/// Adds a term to the components of the address. If the term is the per-lane register, returns the modifier of the register.
fn add(
    tree: &Tree,
    source: &str,
    term: &Term,
    parts: &mut AddressParts,
) -> Result<Option<BaseModifier>, AddressShapeError> {
    let err = |reason: &str| {
        Err(AddressShapeError {
            span: term.span,
            why: reason.to_owned(),
        })
    };
    let negative = matches!(term.joint, TermOperator::Minus | TermOperator::PlusMinus);
    match term.value {
        TermValue::Integer(value) => {
            if parts.offset.is_some() {
                return err("found a second offset in an address, expected only one offset");
            }
            let value = i128::from(value);
            let value = if negative { -value } else { value };
            parts.offset = Some((value, term.span));
            Ok(None)
        }
        TermValue::Register(_) if negative => {
            err("found a subtracted register in an address, expected a register after `+`")
        }
        TermValue::Register(register) => add_register(tree, source, term, register, parts),
        TermValue::Other(_) => err("expected a register or an offset in an address"),
    }
}

/// Adds a register to the components of the address. If the register is the per-lane register, returns its modifier.
fn add_register(
    tree: &Tree,
    source: &str,
    term: &Term,
    register: Register,
    parts: &mut AddressParts,
) -> Result<Option<BaseModifier>, AddressShapeError> {
    let err = |reason: &str| {
        Err(AddressShapeError {
            span: term.span,
            why: reason.to_owned(),
        })
    };
    let words = tree.term_modifiers(term);
    let name_end = words
        .first()
        .map_or(term.span.end, |word| word.start.saturating_sub(1));
    let start = (term.span.start..name_end)
        .find(|&at| {
            let byte = source.as_bytes().get(at as usize);
            byte.is_some_and(u8::is_ascii_alphabetic)
        })
        .unwrap_or(term.span.start);
    let part = AddressRegister {
        register,
        span: Span::new(start, name_end),
    };
    match register.file {
        RegisterFile::General if parts.base.is_none() => {
            parts.base = Some(part);
            base_word(source, words, term).map(Some)
        }
        RegisterFile::Uniform if parts.uniform.is_none() && words.is_empty() => {
            parts.uniform = Some(part);
            Ok(None)
        }
        RegisterFile::General => {
            err("found a second register in an address, expected only one register")
        }
        RegisterFile::Uniform => {
            err("expected at most one uniform register without modifiers in an address")
        }
        RegisterFile::Predicate
        | RegisterFile::UniformPredicate
        | RegisterFile::Barrier
        | RegisterFile::Scoreboard => err("this register cannot be part of an address"),
    }
}

fn base_word(source: &str, words: &[Span], term: &Term) -> Result<BaseModifier, AddressShapeError> {
    let texts: Vec<&str> = words.iter().map(|word| word.text(source)).collect();
    match texts[..] {
        [] => Ok(BaseModifier::None),
        ["64"] => Ok(BaseModifier::Pair),
        ["U32"] => Ok(BaseModifier::LowHalf),
        ["X4" | "X8" | "X16"] => Ok(BaseModifier::Scale),
        _ => Err(AddressShapeError {
            span: term.span,
            why: format!(
                "`.{}` is not a valid modifier of an address register",
                texts.join(".")
            ),
        }),
    }
}

fn shape(
    parts: &AddressParts,
    word: BaseModifier,
    bracket: &Bracket,
) -> Result<AddressShape, AddressShapeError> {
    let err = |reason: &str| {
        Err(AddressShapeError {
            span: bracket.span,
            why: reason.to_owned(),
        })
    };
    let zero = parts
        .base
        .is_some_and(|base| base.register.number == RegisterNumber::Zero);
    let (base, uniform) = (parts.base.is_some(), parts.uniform.is_some());
    if parts.descriptor.is_some() {
        return match (word, uniform) {
            (BaseModifier::Pair, _) => Ok(AddressShape::Descriptor),
            (BaseModifier::None | BaseModifier::LowHalf | BaseModifier::Scale, _) => {
                err("expected a register pair after the descriptor, such as `[R2.64]`")
            }
        };
    }
    Ok(match (base, word, uniform) {
        (false, _, false) => AddressShape::Absolute,
        (false, _, true) => AddressShape::Uniform,
        (true, BaseModifier::None, false) => AddressShape::Register,
        (true, BaseModifier::None, true) => AddressShape::RegisterAndUniform,
        (true, BaseModifier::Pair, false) => AddressShape::Pair,
        (true, BaseModifier::Pair, true) => AddressShape::PairAndUniform,
        (true, BaseModifier::LowHalf, true) if zero => AddressShape::ZeroAndUniform,
        (true, BaseModifier::LowHalf, true) => AddressShape::LowHalfAndUniform,
        (true, BaseModifier::LowHalf, false) => {
            return err("the modifier `.U32` needs a uniform register in the address");
        }
        (true, BaseModifier::Scale, false) => AddressShape::Scaled,
        (true, BaseModifier::Scale, true) => AddressShape::ScaledAndUniform,
    })
}
