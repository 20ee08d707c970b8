//! Compatibility of several declarations of one function or variable, according to the reference assembler 13.5. The functions of this
//! module return a phrase for the difference between two declarations.

use crate::check::context::Context;
use crate::tree::Range;
use crate::tree::declaration::{
    Declaration, DeclarationSpace, Declarator, DeclaredType, Directive, FunctionHeader, Linkage,
};
use crate::tree::operand::OperandKind;

/// Returns the difference between two declarations of a function, or `None` if they are compatible.
pub(crate) fn function_difference(
    context: &Context<'_>,
    first: &FunctionHeader,
    again: &FunctionHeader,
) -> Option<&'static str> {
    if first.sort != again.sort {
        return Some("different kinds: a kernel and a function");
    }
    let is_left_out = again.linkage.is_none() && first.linkage != Some(Linkage::Extern);
    if first.linkage != again.linkage && !is_left_out {
        return Some("different linkage");
    }
    signature_difference(context, first, again)
}

/// Returns the difference between the parameters and directives of two functions.
pub(crate) fn signature_difference(
    context: &Context<'_>,
    first: &FunctionHeader,
    again: &FunctionHeader,
) -> Option<&'static str> {
    for word in [".noreturn", ".abi_preserve", ".abi_preserve_control"] {
        if directive_value(context, first, word) != directive_value(context, again, word) {
            return Some("different directives");
        }
    }
    list_difference(context, first.returns, again.returns)
        .or_else(|| list_difference(context, first.parameters, again.parameters))
}

/// Returns the directive with which a function changes its calling convention: `.abi_preserve` or `.abi_preserve_control`.
pub(crate) fn own_convention(
    context: &Context<'_>,
    header: &FunctionHeader,
) -> Option<&'static str> {
    let words = [".abi_preserve", ".abi_preserve_control"];
    let is_written = |word: &&str| directive_value(context, header, word).is_some();
    words.into_iter().find(is_written)
}

/// Returns the argument of a function directive: 0 for a directive without an argument, `None` if the function does not have the directive.
fn directive_value(context: &Context<'_>, header: &FunctionHeader, word: &str) -> Option<u64> {
    let directives = header.directives.of(&context.tree.directives);
    let is_meant = |directive: &&Directive| directive.word.text(context.source) == word;
    let directive = directives.iter().find(is_meant)?;
    let mut arguments = context.tree.arguments_of(directive);
    arguments
        .find_map(|(operand, _)| match operand.kind {
            OperandKind::Integer { value, .. } => Some(value),
            _ => None,
        })
        .or(Some(0))
}

fn list_difference(context: &Context<'_>, first: Range, again: Range) -> Option<&'static str> {
    let tree = context.tree;
    let (first, again) = (first.of(&tree.declarations), again.of(&tree.declarations));
    if first.len() != again.len() {
        return Some("different numbers of parameters");
    }
    let mut pairs = first.iter().zip(again);
    pairs.find_map(|(first, again)| parameter_difference(context, first, again))
}

fn parameter_difference(
    context: &Context<'_>,
    first: &Declaration,
    again: &Declaration,
) -> Option<&'static str> {
    if first.space != again.space {
        return Some("parameters in different state spaces");
    }
    let declarators = |declaration| context.tree.declarators_of(declaration).first();
    let shapes = declarators(first).zip(declarators(again));
    let has_type = shapes.is_none_or(|(one, other)| {
        has_type(
            context,
            DeclarationSignature::of(first, one),
            DeclarationSignature::of(again, other),
        )
    });
    if !has_type {
        return Some("parameters of different types");
    }
    let is_variable = first.space == DeclarationSpace::Param;
    if is_variable && alignment(first) != alignment(again) {
        return Some("parameters with different alignment");
    }
    None
}

/// Returns the alignment of a declaration in bytes.
fn alignment(declaration: &Declaration) -> u64 {
    let natural = match declaration.scalar {
        DeclaredType::Scalar(ty) => u64::from(ty.width_bytes()),
        DeclaredType::TexRef | DeclaredType::SamplerRef | DeclaredType::SurfRef => 8,
        DeclaredType::Missing => 1,
    };
    let own = declaration.alignment.map_or(0, |alignment| alignment.bytes);
    natural.max(own)
}

/// Declarator and its declaration, which specify the type of one declared name. The checker compares redeclarations with this declaration.
#[derive(Clone, Copy)]
pub(crate) struct DeclarationSignature<'t> {
    pub(crate) declaration: &'t Declaration,
    pub(crate) declarator: &'t Declarator,
}

impl<'t> DeclarationSignature<'t> {
    pub(crate) const fn of(
        declaration: &'t Declaration,
        declarator: &'t Declarator,
    ) -> DeclarationSignature<'t> {
        DeclarationSignature {
            declaration,
            declarator,
        }
    }
}

/// Returns whether two declared names have the same type, including vector width and array dimensions. An array without size is compatible
/// with arrays that differ only in the first dimension.
pub(crate) fn has_type(
    context: &Context<'_>,
    first: DeclarationSignature<'_>,
    again: DeclarationSignature<'_>,
) -> bool {
    let declarations = [first.declaration, again.declaration];
    let [one, other] = declarations.map(|declaration| (declaration.scalar, declaration.vector));
    if one != other {
        return false;
    }
    let sizes = |declarator| {
        let dimensions = context.tree.dimensions_of(declarator).iter();
        dimensions.map(|dimension| dimension.size.unwrap_or(0))
    };
    let (one, other) = (sizes(first.declarator), sizes(again.declarator));
    let n_alike = one.len() == other.len();
    let mut pairs = one.zip(other).enumerate();
    n_alike && pairs.all(|(index, (a, b))| a == b || (index == 0 && (a == 0 || b == 0)))
}
