//! Parameters for a kernel that came without any: what a pointer points to is read off the accesses
//! made through it. Guesses are always said, never silent.

use crate::launch::variables;
use crate::scenario::{Buffer, Init, Parameter, Scenario};
use crate::value::{ElementType, Literal};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{
    AddressBase, Function, FunctionId, Operation, Program, RegisterId, Source, VariableId,
};

/// Elements of a guessed buffer, at most.
const MAX_ELEMENTS: u64 = 4096;

/// One guess a parameter of the kernel, in order.
pub(crate) fn parameters(
    scenario: &Scenario,
    program: &Program,
    entry: FunctionId,
) -> Vec<Parameter> {
    let Some(function) = program.functions.get(entry.0 as usize) else {
        return Vec::new();
    };
    let threads = threads(scenario);
    let accesses = accesses(function);
    variables(function)
        .enumerate()
        .map(|(place, variable)| {
            let name = variable.name.clone();
            match accesses.get(place).copied().flatten() {
                Some(access) => {
                    let len = (threads * u64::from(access.n_elements)).clamp(32, MAX_ELEMENTS);
                    let init = if access.is_read {
                        Init::Fill(Literal::Text("iota".to_owned()))
                    } else {
                        Init::Fill(Literal::Integer(0))
                    };
                    Parameter::Buffer(Buffer {
                        name,
                        ty: element(access.ty).name().to_owned(),
                        len,
                        init,
                        ..Buffer::default()
                    })
                }
                None if variable.size_bytes > 8 => Parameter::Struct {
                    name,
                    size: variable.size_bytes,
                    align: variable.align_bytes.into(),
                    fields: Vec::new(),
                },
                None => scalar(name, variable.size_bytes, function, place, threads),
            }
        })
        .collect()
}

/// A guess as a person reads it.
pub(crate) fn describe(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Buffer(buffer) => {
            format!("buffer `{}`: {}[{}]", buffer.name, buffer.ty, buffer.len)
        }
        Parameter::Scalar { name, ty, value } => match value {
            Literal::Integer(value) => format!("scalar `{name}`: {ty} = {value}"),
            Literal::Float(value) => format!("scalar `{name}`: {ty} = {value}"),
            Literal::Text(value) => format!("scalar `{name}`: {ty} = {value}"),
        },
        Parameter::Struct { name, size, .. } => format!("structure `{name}`: {size} bytes of zero"),
        Parameter::Alias { name, of } => format!("`{name}` points to `{of}`"),
    }
}

fn threads(scenario: &Scenario) -> u64 {
    let product = |extents: Option<[u32; 3]>| {
        extents
            .unwrap_or([1; 3])
            .iter()
            .fold(1u64, |n, extent| n.saturating_mul((*extent).into()))
    };
    product(scenario.grid).saturating_mul(product(scenario.block))
}

/// How a pointer parameter is used.
#[derive(Clone, Copy, Debug)]
struct Access {
    ty: ScalarType,
    n_elements: u32,
    is_read: bool,
}

/// Follows each parameter forward through moves and address arithmetic to the accesses made with it.
fn accesses(function: &Function) -> Vec<Option<Access>> {
    let mut origin = Origins(vec![None; function.registers.len()]);
    let mut found = vec![None; function.parameters.len()];
    // Two passes, for addresses that a loop carries backwards.
    for instruction in function.instructions.iter().chain(&function.instructions) {
        match &instruction.operation {
            Operation::Load { access, address, d } if access.space == StateSpace::ParamEntry => {
                let place = parameter_place(function, address.base)
                    .filter(|_| access.ty.width_bits() == 64 && address.offset == 0);
                if let [Some(d)] = d.as_slice() {
                    origin.insert(*d, place);
                }
            }
            Operation::Move { d, a, .. } | Operation::ConvertAddress { d, a, .. } => {
                let place = origin.of(a);
                origin.insert(*d, place);
            }
            Operation::Arithmetic { d, sources, ty, .. }
                if ty.width_bits() == 64 || is_wide(&instruction.operation) =>
            {
                let place = sources.iter().find_map(|source| origin.of(source));
                origin.insert(*d, place);
            }
            Operation::Load { access, address, d } => {
                note(&mut found, &origin, address.base, access.ty, d.len(), true)
            }
            Operation::Store {
                access,
                address,
                sources,
            } => note(
                &mut found,
                &origin,
                address.base,
                access.ty,
                sources.len(),
                false,
            ),
            Operation::Atomic {
                access, address, ..
            } => note(&mut found, &origin, address.base, access.ty, 1, false),
            _ => {}
        }
    }
    found
}

/// For each register the place of the first parameter that came into it.
struct Origins(Vec<Option<usize>>);

impl Origins {
    fn insert(&mut self, d: RegisterId, place: Option<usize>) {
        if let Some(origin) = self.0.get_mut(d.0 as usize) {
            *origin = origin.or(place);
        }
    }

    fn of(&self, source: &Source) -> Option<usize> {
        match source {
            Source::Register(register) => self.get(*register),
            _ => None,
        }
    }

    fn get(&self, register: RegisterId) -> Option<usize> {
        self.0.get(register.0 as usize).copied().flatten()
    }
}

/// `mad.wide` names the narrow type but adds to an address.
fn is_wide(operation: &Operation) -> bool {
    use warpgrid_isa::MulPart::Wide;
    use warpgrid_program::Arithmetic;
    matches!(
        operation,
        Operation::Arithmetic {
            op: Arithmetic::Mad(Wide),
            ..
        }
    )
}

fn note(
    found: &mut [Option<Access>],
    origin: &Origins,
    base: AddressBase,
    ty: ScalarType,
    n_elements: usize,
    is_read: bool,
) {
    let AddressBase::Register(register) = base else {
        return;
    };
    let Some(access) = origin.get(register).and_then(|place| found.get_mut(place)) else {
        return;
    };
    let access = access.get_or_insert(Access {
        ty,
        n_elements: n_elements as u32,
        is_read,
    });
    access.is_read |= is_read;
    access.n_elements = access.n_elements.max(n_elements as u32);
}

fn parameter_place(function: &Function, base: AddressBase) -> Option<usize> {
    let AddressBase::Variable(VariableId::Function(index)) = base else {
        return None;
    };
    function
        .parameters
        .iter()
        .position(|parameter| *parameter == warpgrid_program::Parameter::Variable(index))
}

/// An integer that is not a pointer is most often a number of elements; a float is most often a factor.
fn scalar(name: String, size: u64, function: &Function, place: usize, threads: u64) -> Parameter {
    let is_float = function
        .instructions
        .iter()
        .any(|instruction| match &instruction.operation {
            Operation::Load {
                access, address, ..
            } => access.ty.is_float() && parameter_place(function, address.base) == Some(place),
            _ => false,
        });
    let (ty, value) = match (size, is_float) {
        (8, true) => ("f64", Literal::Float(2.0)),
        (4, true) => ("f32", Literal::Float(2.0)),
        (8, false) => ("u64", Literal::Integer(threads.into())),
        (4, false) => ("u32", Literal::Integer(threads.min(u32::MAX.into()).into())),
        (2, _) => ("u16", Literal::Integer(threads.min(1000).into())),
        _ => ("u8", Literal::Integer(threads.min(100).into())),
    };
    Parameter::Scalar {
        name,
        ty: ty.to_owned(),
        value,
    }
}

fn element(ty: ScalarType) -> ElementType {
    use warpgrid_isa::TypeKind;
    match (ty.kind(), ty.width_bits()) {
        (TypeKind::Float, 64) => ElementType::F64,
        (TypeKind::Float, 32) => ElementType::F32,
        (TypeKind::Signed, 8) => ElementType::S8,
        (TypeKind::Signed, 16) => ElementType::S16,
        (TypeKind::Signed, 32) => ElementType::S32,
        (TypeKind::Signed, 64) => ElementType::S64,
        (_, 8) => ElementType::U8,
        (_, 16) => ElementType::U16,
        (_, 64 | 128) => ElementType::U64,
        _ => ElementType::U32,
    }
}
