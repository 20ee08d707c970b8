//! Calling convention: types that the parameters and results of functions with ABI calls may have (assembler 13.5).

use crate::target_context::TargetContext;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{Function, Parameter, RegisterId, Variable};

/// First architecture with a calling convention.
const CONVENTION: u16 = 20;

/// Returns whether the calls in the module use the calling convention.
pub(crate) fn is_kept(module: &TargetContext) -> bool {
    has_target(module) && !module.has_several_results
}

/// Returns whether the target has a calling convention. Functions with several results may still disable the convention.
const fn has_target(module: &TargetContext) -> bool {
    module.target.sm >= CONVENTION
}

/// Returns whether a function with several results disables the calling convention. Indirect calls and calls of other modules require the
/// calling convention.
pub(crate) fn is_turned_off(module: &TargetContext) -> bool {
    has_target(module) && module.has_several_results
}

/// Returns whether the calling convention can pass a type. The calling convention cannot pass predicates, or signed and unsigned integers
/// with 8 or 16 bits.
pub(crate) fn passes(ty: ScalarType) -> bool {
    let is_number = matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed);
    ty != ScalarType::Pred && !(is_number && ty.width_bits() < 32)
}

/// Returns whether the calling convention can pass a parameter in memory. Arrays of any element type can be passed.
pub(crate) fn passes_variable(source: &str, variable: &Variable) -> bool {
    is_declared_array(source, variable) || passes(variable.ty)
}

/// Returns whether the declaration of a variable is an array, even with one element.
pub(crate) fn is_declared_array(source: &str, variable: &Variable) -> bool {
    variable.span.text(source).contains('[')
}

/// Returns the type of the first parameter or result that the calling convention cannot pass, or `None` if it can pass all of them.
pub(crate) fn refused(source: &str, function: &Function) -> Option<ScalarType> {
    let mut all = function.parameters.iter().chain(&function.returns);
    all.find_map(|parameter| match parameter {
        Parameter::Variable(index) => {
            let variable = function.variables.get(*index as usize)?;
            (!passes_variable(source, variable)).then_some(variable.ty)
        }
        // The calling convention passes vector registers as untyped bits.
        Parameter::Register(register) if component(function, *register).is_some() => None,
        Parameter::Register(register) => {
            let ty = function.registers.get(register.0 as usize)?.ty;
            (!passes(ty)).then_some(ty)
        }
    })
}

/// Returns the vector component that a register parameter represents, such as `x` for `name.x`.
pub(crate) fn component(function: &Function, register: RegisterId) -> Option<&str> {
    let (_, component) = function.registers.name(register).rsplit_once('.')?;
    Some(component)
}
