//! What single instructions do, as far as a launch, its guesses and its views depend on it: an instruction of the program
//! goes in, a few plain facts come out. The only file to the right of the emulator that takes operations apart.

use warpgrid_isa::{MulPart, ScalarType, SpecialRegister, StateSpace};
use warpgrid_program::{
    AddressBase, Arithmetic, Function, Instruction, Operation, Program, RegisterId, Source,
    VariableId,
};

/// An instruction with what is needed to read it.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub instruction: &'a Instruction,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// Loads, stores, or changes memory atomically.
    Access(Access),
    /// Copies a value, or converts an address between spaces.
    Copy {
        to: RegisterId,
        from: Value,
    },
    /// Computes a register from values.
    Compute {
        to: RegisterId,
        sources: Vec<Value>,
        ty: ScalarType,
        /// The result is as wide as an address though `ty` is half as wide: `mad.wide`.
        is_wide: bool,
        is_addition: bool,
    },
    Other,
}

/// How memory is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    pub kind: AccessKind,
    pub space: StateSpace,
    /// Type of one element.
    pub ty: ScalarType,
    pub base: Base,
    pub byte_offset: i64,
    /// The register of each element; absent for a sink or a constant, and for atomics.
    pub data: Vec<Option<RegisterId>>,
}

/// What an address is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Register(RegisterId),
    Variable(VariableId),
    Absolute,
}

/// A value that an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    Register(RegisterId),
    Constant(u64),
    /// The address of a variable plus a constant.
    Variable(VariableId, i64),
    Special(SpecialRegister),
    Other,
}

impl Value {
    /// The register that is read.
    pub fn register(self) -> Option<RegisterId> {
        match self {
            Value::Register(register) => Some(register),
            Value::Constant(_) | Value::Variable(..) | Value::Special(_) | Value::Other => None,
        }
    }
}

/// The instructions of a function, each with a reader.
pub fn readers<'a>(
    program: &'a Program,
    function: &'a Function,
) -> impl Iterator<Item = Reader<'a>> {
    function.instructions.iter().map(move |instruction| Reader {
        program,
        function,
        instruction,
    })
}

impl<'a> Reader<'a> {
    /// A reader of the instruction at `index` of a function.
    pub fn at(
        program: &'a Program,
        function: warpgrid_program::FunctionId,
        index: u32,
    ) -> Option<Reader<'a>> {
        let function = program.functions.get(function.0 as usize)?;
        Some(Reader {
            program,
            function,
            instruction: function.instructions.get(index as usize)?,
        })
    }

    /// What the instruction does.
    pub fn read(self) -> Reading {
        match &self.instruction.operation {
            Operation::Move { d, a, .. } | Operation::ConvertAddress { d, a, .. } => {
                Reading::Copy {
                    to: *d,
                    from: value(a),
                }
            }
            Operation::Arithmetic {
                op, d, sources, ty, ..
            } => Reading::Compute {
                to: *d,
                sources: sources.iter().map(value).collect(),
                ty: *ty,
                is_wide: matches!(op, Arithmetic::Mad(MulPart::Wide)),
                is_addition: matches!(op, Arithmetic::Add),
            },
            _ => self.access().map_or(Reading::Other, Reading::Access),
        }
    }

    /// The access to memory, if the instruction is one.
    pub fn access(self) -> Option<Access> {
        let (kind, access, address, data) = match &self.instruction.operation {
            Operation::Load { access, address, d } => {
                (AccessKind::Load, access, address, d.clone())
            }
            Operation::Store {
                access,
                address,
                sources,
            } => {
                let registers = sources.iter().map(|source| value(source).register());
                (AccessKind::Store, access, address, registers.collect())
            }
            Operation::Atomic {
                access, address, ..
            } => (AccessKind::Atomic, access, address, Vec::new()),
            _ => return None,
        };
        Some(Access {
            kind,
            space: access.space,
            ty: access.ty,
            base: match address.base {
                AddressBase::Register(register) => Base::Register(register),
                AddressBase::Variable(variable) => Base::Variable(variable),
                AddressBase::None => Base::Absolute,
            },
            byte_offset: address.offset,
            data,
        })
    }

    /// The registers that the instruction may write.
    pub fn destinations(self) -> Vec<RegisterId> {
        self.instruction.operation.destinations()
    }

    /// The names of the registers that a store takes its elements from, in order of address.
    pub fn stored_names(self) -> Vec<Option<String>> {
        let data = self.access().map(|access| access.data).unwrap_or_default();
        let name = |register: RegisterId| {
            let register = self.function.registers.get(register.0 as usize)?;
            Some(register.name.clone())
        };
        data.into_iter().map(|found| name(found?)).collect()
    }
}

fn value(source: &Source) -> Value {
    match *source {
        Source::Register(register) => Value::Register(register),
        Source::Immediate(bits) => Value::Constant(bits),
        Source::Special(special) => Value::Special(special),
        Source::VariableAddress {
            variable, offset, ..
        } => Value::Variable(variable, offset),
        Source::FunctionAddress(_) | Source::Sink => Value::Other,
    }
}
