//! The calling convention: which parameters and results a function that is called as such may have (assembler 13.5).
//! In: functions and types; out: what does not pass.

use crate::module::Module;
use warpgrid_isa::{ScalarType, TypeKind};
use warpgrid_program::{Function, Parameter, RegisterId, Variable};

/// The first architecture with a calling convention.
const CONVENTION: u16 = 20;

/// Whether calls of the module keep to a convention.
pub(crate) fn is_kept(module: &Module) -> bool {
    has_target(module) && !module.has_several_results
}

/// Whether calls on the module's target keep to a convention, unless a function has several results.
const fn has_target(module: &Module) -> bool {
    module.target.sm >= CONVENTION
}

/// Whether a function with several results turns off a convention that indirect calls and calls of other modules need.
pub(crate) fn is_turned_off(module: &Module) -> bool {
    has_target(module) && module.has_several_results
}

/// Whether a value of a type passes: no predicate, and no number of 8 or 16 bits but untyped bits and floats.
pub(crate) fn passes(ty: ScalarType) -> bool {
    let is_number = matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed);
    ty != ScalarType::Pred && !(is_number && ty.width_bits() < 32)
}

/// Whether a parameter in memory passes: arrays do, whatever their elements are.
pub(crate) fn passes_variable(source: &str, variable: &Variable) -> bool {
    is_declared_array(source, variable) || passes(variable.ty)
}

/// Whether the declaration says a size, be it of one element.
pub(crate) fn is_declared_array(source: &str, variable: &Variable) -> bool {
    variable.span.text(source).contains('[')
}

/// The type of a function's first parameter or result that does not pass.
pub(crate) fn refused(source: &str, function: &Function) -> Option<ScalarType> {
    let mut all = function.parameters.iter().chain(&function.returns);
    all.find_map(|parameter| match parameter {
        Parameter::Variable(index) => {
            let variable = function.variables.get(*index as usize)?;
            (!passes_variable(source, variable)).then_some(variable.ty)
        }
        // A vector register is passed as untyped bits.
        Parameter::Register(register) if component(function, *register).is_some() => None,
        Parameter::Register(register) => {
            let ty = function.registers.get(register.0 as usize)?.ty;
            (!passes(ty)).then_some(ty)
        }
    })
}

/// The component of a vector register that a parameter is: `x` of `name.x`.
pub(crate) fn component(function: &Function, register: RegisterId) -> Option<&str> {
    let (_, component) = function.registers.name(register).rsplit_once('.')?;
    Some(component)
}
