//! A checked module: variables, functions, registers, instructions.
//!
//! Only a front end's `check` builds these values; what stands in a [`Program`] is legal for its
//! target, and names are resolved to indices.

use crate::operation::Operation;
use crate::span::Span;
use warpgrid_isa::{ScalarType, StateSpace, Target, Version};

/// Index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// Index into [`Function::registers`]. Only registers that some instruction names have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisterId(pub u32);

/// A variable of the module or of the function at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VariableId {
    /// Index into [`Program::variables`].
    Module(u32),
    /// Index into [`Function::variables`].
    Function(u32),
}

/// A checked module.
#[derive(Clone, Debug)]
pub struct Program {
    pub version: Version,
    pub target: &'static Target,
    /// 32 or 64.
    pub address_bits: u32,
    /// Variables at module scope: `.global`, `.const`, `.shared`.
    pub variables: Vec<Variable>,
    /// Kernels and functions, in the order of their definitions; prototypes have no instructions.
    pub functions: Vec<Function>,
}

impl Program {
    /// The kernels, in order.
    pub fn entries(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.kind == FunctionKind::Entry && f.defined)
            .map(|(i, f)| (FunctionId(i as u32), f))
    }
}

/// Memory that a declaration reserves.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub space: StateSpace,
    /// Element type as declared.
    pub ty: ScalarType,
    /// Total size; 0 for an unsized `extern .shared` array, which takes the dynamic shared memory.
    pub size_bytes: u64,
    pub align_bytes: u32,
    /// Declared without size, to be given at launch.
    pub dynamic: bool,
    /// Initial bytes; shorter than the size means zeros follow. Never longer than the size.
    pub init: Vec<u8>,
    /// Addresses to fill in once memory is laid out.
    pub relocations: Vec<Relocation>,
    pub span: Span,
}

/// A place in a variable's initial bytes that holds an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub byte_offset: u64,
    pub width_bytes: u32,
    pub target: RelocationTarget,
    pub addend: i64,
    /// Whether the generic address is meant (`generic(x)`), not the address in its own space.
    pub generic: bool,
}

/// What a relocation points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// Index into [`Program::variables`].
    Variable(u32),
    Function(FunctionId),
}

/// Kernel or callable function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Entry,
    Function,
}

/// A parameter or return value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A `.param` variable: index into [`Function::variables`].
    Variable(u32),
    /// A `.reg` parameter of a device function.
    Register(RegisterId),
}

/// Launch directives of a kernel; absent ones are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaunchBounds {
    /// `.reqntid`
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
}

/// A kernel or function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub kind: FunctionKind,
    /// False for a prototype.
    pub defined: bool,
    pub parameters: Vec<Parameter>,
    pub returns: Vec<Parameter>,
    /// Variables declared in the function: parameters first, then `.local`, `.shared` and call `.param` ones.
    pub variables: Vec<Variable>,
    pub registers: Vec<Register>,
    pub instructions: Vec<Instruction>,
    /// Names of branch targets: instruction index and name, sorted by index.
    pub labels: Vec<(u32, String)>,
    pub bounds: LaunchBounds,
    pub span: Span,
}

/// A register that some instruction names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// As written: `%rd4`.
    pub name: String,
    pub ty: ScalarType,
}

/// A guard `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub predicate: RegisterId,
    /// True for `@!p`.
    pub negated: bool,
}

/// One instruction: what it does, under which guard, and where it stands.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub guard: Option<Guard>,
    pub operation: Operation,
    /// The whole statement, guard to semicolon.
    pub span: Span,
}
