//! Checked modules: variables, functions, registers and instructions.
//!
//! A front end fills a [`Module`], and seals it into a [`Program`] if the module has no errors. All names are resolved to
//! indices.

use crate::ids::{FunctionId, OpcodeId, RegisterId};
use crate::line_table::LineTable;
use crate::operand::{Callee, Operand, OperandList, OperandValue, RegisterTuple};
use crate::registers::Registers;
use crate::sass_info::SassKernelInfo;
use crate::span::Span;
use std::ops::{Deref, RangeInclusive};
use warpgrid_isa::{Modifiers, Operation, ScalarType, StateSpace, Target, Version};

/// Validated, immutable module whose instructions are legal for its target. Only front ends construct a `Program`, after checking
/// has succeeded; an architecture test restricts the callers of [`Program::from_checked`].
#[derive(Clone, Debug)]
pub struct Program(Module);

impl Program {
    /// Wraps a module that its front end has checked.
    pub fn from_checked(module: Module) -> Program {
        Program(module)
    }
}

impl Deref for Program {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.0
    }
}

/// Module of PTX or SASS in the form that the emulator executes: its target, variables, functions, opcodes and line table.
#[derive(Clone, Debug)]
pub struct Module {
    pub version: Version,
    pub target: &'static Target,
    /// Size of an address in bits: 32 or 64.
    pub address_bits: u32,
    /// Variables at module scope: `.global`, `.const`, `.shared`.
    pub variables: Vec<Variable>,
    /// Kernels and functions in the order of their definitions. Prototypes have no instructions.
    pub functions: Vec<Function>,
    /// Actions of the instructions: one for each distinct combination of an opcode and its modifiers.
    pub opcodes: Vec<OpcodeInfo>,
    /// Source locations that the compiler of the module recorded.
    pub line_table: LineTable,
}

impl Module {
    /// Returns the action of an instruction.
    pub fn opcode(&self, instruction: &Instruction) -> Option<&OpcodeInfo> {
        self.opcodes.get(instruction.opcode.0 as usize)
    }

    /// Returns the defined kernels, in order.
    pub fn entries(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, f)| f.kind == FunctionKind::Entry && f.defined)
            .map(|(i, f)| (FunctionId(i as u32), f))
    }
}

/// Variable: memory that a declaration reserves.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub space: StateSpace,
    /// Element type as declared.
    pub ty: ScalarType,
    /// Total size; 0 for an unsized `extern .shared` array, which denotes the dynamic shared memory.
    pub size_bytes: u64,
    pub align_bytes: u32,
    /// Whether the declaration has no size. The launch determines the size.
    pub dynamic: bool,
    /// Whether the variable is declared with `.visible`, `.weak`, `.extern` or `.common`.
    pub has_linkage: bool,
    /// Initial bytes, at most `size_bytes`. The remaining bytes are zero.
    pub init: Vec<u8>,
    /// Addresses to insert after the layout of the memory.
    pub relocations: Vec<Relocation>,
    pub span: Span,
}

/// Position in the initial bytes of a variable that contains an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    pub byte_offset: u64,
    pub width_bytes: u32,
    pub target: RelocationTarget,
    pub addend: i64,
    /// Whether the address is generic (`generic(x)`) instead of an address in the state space of its target.
    pub generic: bool,
}

/// Target of a relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationTarget {
    /// Index into [`Module::variables`].
    Variable(u32),
    Function(FunctionId),
}

/// Kernel or callable function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Entry,
    Function,
}

/// Parameter or return value of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `.param` variable: index into [`Function::variables`].
    Variable(u32),
    /// `.reg` parameter of a device function.
    Register(RegisterId),
}

/// Launch directives of a kernel. Directives that the kernel does not have are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaunchBounds {
    /// `.reqntid`
    pub required_threads: Option<[u32; 3]>,
    /// `.maxntid`
    pub max_threads: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// `.maxclusterrank`
    pub max_cluster_blocks: Option<u32>,
    /// `.minnctapersm`
    pub min_blocks_per_multiprocessor: Option<u32>,
    /// `.maxnreg`
    pub max_registers: Option<u32>,
}

/// Kernel or device function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub kind: FunctionKind,
    /// `false` for a prototype.
    pub defined: bool,
    pub parameters: Vec<Parameter>,
    pub returns: Vec<Parameter>,
    /// Variables that the function declares: parameters first, then `.local` and `.shared` variables and the `.param` variables
    /// of calls.
    pub variables: Vec<Variable>,
    pub registers: Registers,
    /// Registers in scope at the end of a snippet: the code around the snippet may read them. Empty for a kernel or function,
    /// whose registers are dead at the return.
    pub results: Vec<RegisterId>,
    pub instructions: Vec<Instruction>,
    /// Operands of all instructions. Each instruction refers to a range of these operands.
    pub operands: Vec<Operand>,
    /// Labels: instruction index and name, sorted by index.
    pub labels: Vec<(u32, String)>,
    pub bounds: LaunchBounds,
    /// Machine-code metadata; `None` for virtual instructions.
    pub machine: Option<Box<SassKernelInfo>>,
    pub span: Span,
}

/// Guard `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub predicate: RegisterId,
    /// Whether the guard is `@!p`.
    pub negated: bool,
}

/// Semantics of an opcode with its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub struct OpcodeInfo {
    pub operation: Operation,
    pub modifiers: Modifiers,
    /// Opcode with its modifiers, in the spelling of the first occurrence: `st.global.v4.f32`.
    pub opcode: String,
}

/// Relation between an instruction and the steps of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum StepGrouping {
    /// Executed in a separate step.
    #[default]
    Whole,
    /// Executed in the same step as the next instruction. A front end inserts such instructions before an instruction of the
    /// source.
    WithNext,
}

/// Instruction: guard, action, operands and source span.
#[derive(Clone, Debug)]
pub struct Instruction {
    pub guard: Option<Guard>,
    pub opcode: OpcodeId,
    /// Operands in the order of the syntax line of the instruction form.
    pub operands: OperandList,
    pub step: StepGrouping,
    /// Span of the whole statement, from the guard to the semicolon.
    pub span: Span,
}

impl Instruction {
    /// Returns whether the instruction has no statement in the source. The return at the end of a body has the span of the
    /// closing brace, and inserted instructions have an empty span.
    pub const fn is_implicit(&self) -> bool {
        self.span.end <= self.span.start + 1
    }
}

impl Function {
    /// Returns the operands of a list or of an instruction ([`Instruction::operands`]).
    pub fn operands_of(&self, list: OperandList) -> &[Operand] {
        let start = list.start as usize;
        self.operands
            .get(start..start + list.n as usize)
            .unwrap_or(&[])
    }

    /// Returns the indices of the instructions that the emulator executes in the same step as an instruction.
    pub fn instructions_of_step(&self, instruction: u32) -> RangeInclusive<usize> {
        let is_with_next = |index: usize| {
            let instruction = self.instructions.get(index);
            instruction.is_some_and(|found| found.step == StepGrouping::WithNext)
        };
        let (mut first, mut last) = (instruction as usize, instruction as usize);
        while first > 0 && is_with_next(first - 1) {
            first -= 1;
        }
        while is_with_next(last) {
            last += 1;
        }
        first..=last
    }

    /// Visits the registers that an instruction may access: its guard, then its operands in order. All other queries for the
    /// registers of an instruction are folds over this function.
    pub fn visit_registers(
        &self,
        instruction: &Instruction,
        mut visit: impl FnMut(RegisterAccess, RegisterId),
    ) {
        if let Some(guard) = instruction.guard {
            visit(RegisterAccess::Read, guard.predicate);
        }
        for operand in self.operands_of(instruction.operands) {
            self.visit_operand(&operand.value, &mut visit);
        }
    }

    /// Visits the registers that an operand or the elements of a list access.
    fn visit_operand(
        &self,
        operand: &OperandValue,
        visit: &mut impl FnMut(RegisterAccess, RegisterId),
    ) {
        use RegisterAccess::{Read, Write};
        let mut visit_run = |access: RegisterAccess, run: Option<RegisterTuple>| {
            for register in run.into_iter().flat_map(RegisterTuple::registers) {
                visit(access, register);
            }
        };
        match operand {
            OperandValue::Destination(run) => visit_run(Write, *run),
            OperandValue::Pair(run, predicate) => {
                visit_run(Write, *run);
                visit_run(Write, predicate.map(RegisterTuple::one));
            }
            OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => {
                visit_run(Read, source.register());
            }
            OperandValue::Address(address) => {
                visit_run(Read, address.base.register());
                visit_run(Read, address.uniform);
            }
            OperandValue::List(list) => {
                for element in self.operands_of(*list) {
                    self.visit_operand(&element.value, visit);
                }
            }
            OperandValue::Callee(Callee::Indirect { register, .. }) => {
                visit_run(Read, Some(RegisterTuple::one(*register)));
            }
            OperandValue::Absent
            | OperandValue::Label(_)
            | OperandValue::Callee(Callee::Direct(_) | Callee::System(_)) => {}
        }
    }

    /// Returns the registers that an operand or the elements of a list access.
    pub fn operand_registers(&self, operand: &OperandValue) -> Vec<RegisterId> {
        let mut registers = Vec::new();
        self.visit_operand(operand, &mut |_, register| registers.push(register));
        registers
    }

    /// Returns the registers that an operand or the elements of a list read.
    pub fn operand_sources(&self, operand: &OperandValue) -> Vec<RegisterId> {
        let mut registers = Vec::new();
        self.visit_operand(operand, &mut |access, register| {
            if access == RegisterAccess::Read {
                registers.push(register);
            }
        });
        registers
    }

    /// Returns the registers that an instruction may write, in operand order.
    pub fn destinations(&self, instruction: &Instruction) -> Vec<RegisterId> {
        self.registers_with(RegisterAccess::Write, instruction)
    }

    /// Returns the registers that an instruction may read: its guard, then in operand order.
    pub fn sources(&self, instruction: &Instruction) -> Vec<RegisterId> {
        self.registers_with(RegisterAccess::Read, instruction)
    }

    fn registers_with(&self, wanted: RegisterAccess, instruction: &Instruction) -> Vec<RegisterId> {
        let mut registers = Vec::new();
        self.visit_registers(instruction, |access, register| {
            if access == wanted {
                registers.push(register);
            }
        });
        registers
    }
}

/// Access of an instruction to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterAccess {
    Read,
    Write,
}
