//! Builder for the body of a function: registers, operands, instructions and opcodes.

use crate::syntax::{Register, RegisterFile, RegisterNumber};
use std::collections::HashMap;
use warpgrid_isa::{AsyncOp, Modifiers, Operation, ScalarType};
use warpgrid_program::{
    AddressBase, Guard, Instruction, OpcodeId, OpcodeInfo, Operand, OperandList, OperandValue,
    RegisterId, RegisterTuple, Registers, Source, SourceModifiers, Span, StepGrouping, UNNAMED,
};

/// Register number of the first uniform register. The following constants are the first numbers of the other register files. The lowering
/// uses these numbers until [`FunctionBuilder::number_registers`] assigns the final register numbers.
const UNIFORM: u32 = 256;
const PREDICATE: u32 = 512;
const UNIFORM_PREDICATE: u32 = 544;
const BARRIER: u32 = 576;
const HIDDEN: u32 = 1024;

/// Table of the distinct opcodes in all functions of the module, to which the lowering adds opcodes.
#[derive(Default)]
pub(super) struct OpcodeTable {
    pub(super) list: Vec<OpcodeInfo>,
    by_opcode: HashMap<(String, Operation, Modifiers), OpcodeId>,
}

impl OpcodeTable {
    fn id(&mut self, operation: Operation, modifiers: Modifiers, opcode: &str) -> OpcodeId {
        let key = (opcode.to_owned(), operation, modifiers);
        if let Some(id) = self.by_opcode.get(&key) {
            return *id;
        }
        let id = OpcodeId(self.list.len() as u32);
        self.list.push(OpcodeInfo {
            operation,
            modifiers,
            opcode: opcode.to_owned(),
        });
        self.by_opcode.insert(key, id);
        id
    }
}

/// Operand value with the span of the operand in the source.
pub(super) type SpannedValue = (OperandValue, Span);

/// Operand of a lowered instruction: one value or a list of values, with their source spans.
#[derive(Clone, Debug)]
pub(super) enum LoweredOperand {
    One(OperandValue, Span),
    List(Vec<SpannedValue>, Span),
}

impl LoweredOperand {
    /// Returns all values of the operand.
    pub(super) fn all(&self) -> Vec<(&OperandValue, Span)> {
        match self {
            LoweredOperand::One(value, span) => vec![(value, *span)],
            LoweredOperand::List(values, _) => {
                values.iter().map(|(value, span)| (value, *span)).collect()
            }
        }
    }
}

/// Operation to which a SASS instruction is lowered, before [`FunctionBuilder::add`] adds it to the function body.
#[derive(Clone, Debug)]
pub(super) struct LoweredInstruction {
    pub(super) operation: Operation,
    pub(super) modifiers: Modifiers,
    pub(super) args: Vec<LoweredOperand>,
    /// Guard of this operation, if it differs from the guard of the SASS instruction.
    pub(super) guard: Option<Guard>,
    /// Whether all lanes execute the operation, regardless of the guard of the SASS instruction.
    pub(super) unguarded: bool,
}

/// Builder for a function body: registers, operands and instructions, and the state that the lowering of later instructions requires.
#[derive(Default)]
pub(super) struct FunctionBuilder {
    pub(super) operands: Vec<Operand>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) addresses: Vec<u64>,
    /// Indices of the unsupported instructions, with the reason for each instruction.
    pub(super) not_run: Vec<(u32, String)>,
    /// Whether the lanes of a warp can diverge in the function.
    pub(super) may_diverge: bool,
    temporary: Vec<ScalarType>,
    /// Hidden registers that contain the result of the last barrier with a reduction, as a number and as a predicate.
    barrier_results: [Option<RegisterId>; 2],
    /// Hidden registers that contain the lower and the upper half of the return address.
    return_address: [Option<RegisterId>; 2],
    /// Distinct kinds of async-group commits that the function has executed so far, in source order.
    pub(super) commits: Vec<AsyncOp>,
    /// Predicates to which the current instruction writes an undetermined value.
    pub(super) undetermined: Vec<RegisterId>,
    /// Predicates to which some instruction of the function writes an undetermined value, each with its tag, a hidden predicate that is
    /// true in the lanes in which the value is undetermined.
    pub(super) tags: Vec<(RegisterId, RegisterId)>,
    /// Address of the instruction directly after the last `WARPSYNC`, and the member mask of this `WARPSYNC`.
    pub(super) converged_lanes: Option<(u64, SpannedValue)>,
}

impl FunctionBuilder {
    /// Returns the hidden register for the result of barriers with a reduction, which is a predicate or a number depending on `ty`.
    pub(super) fn barrier_result(&mut self, ty: ScalarType) -> RegisterId {
        let index = usize::from(ty == ScalarType::Pred);
        if let Some(register) = self.barrier_results[index] {
            return register;
        }
        let register = self.temporary(ty);
        self.barrier_results[index] = Some(register);
        register
    }

    /// Returns the register for the lower half (0) or the upper half (1) of the return address.
    pub(super) fn return_address(&mut self, half: usize) -> RegisterId {
        let half = half & 1;
        if let Some(register) = self.return_address[half] {
            return register;
        }
        let register = self.temporary(ScalarType::B32);
        self.return_address[half] = Some(register);
        register
    }

    /// Allocates a hidden register, which has no name in the source.
    pub(super) fn temporary(&mut self, ty: ScalarType) -> RegisterId {
        self.temporary.push(ty);
        RegisterId(HIDDEN + self.temporary.len() as u32 - 1)
    }

    /// Adds the operations of a SASS instruction to the body. The emulator executes these operations in one step.
    pub(super) fn add(
        &mut self,
        actions: &mut OpcodeTable,
        steps: Vec<LoweredInstruction>,
        guard: Option<Guard>,
        opcode: &str,
        span: Span,
        address: u64,
    ) {
        let n = steps.len();
        for (index, step) in steps.into_iter().enumerate() {
            let operands = self.add_operands(step.args);
            self.instructions.push(Instruction {
                guard: step.guard.or(guard.filter(|_| !step.unguarded)),
                opcode: actions.id(step.operation, step.modifiers, opcode),
                operands,
                step: if index + 1 < n {
                    StepGrouping::WithNext
                } else {
                    StepGrouping::Whole
                },
                span,
            });
            self.addresses.push(address);
        }
    }

    fn add_operands(&mut self, args: Vec<LoweredOperand>) -> OperandList {
        let mut top = Vec::with_capacity(args.len());
        for arg in args {
            top.push(match arg {
                LoweredOperand::One(value, span) => Operand { value, span },
                LoweredOperand::List(values, span) => {
                    let start = self.operands.len() as u32;
                    let n = values.len() as u32;
                    let values = values.into_iter();
                    self.operands
                        .extend(values.map(|(value, span)| Operand { value, span }));
                    let value = OperandValue::List(OperandList { start, n });
                    Operand { value, span }
                }
            });
        }
        let list = OperandList {
            start: self.operands.len() as u32,
            n: top.len() as u32,
        };
        self.operands.extend(top);
        list
    }

    /// Assigns the final numbers to all used registers, in the order of the register files. The numbers of registers in the same register
    /// run remain contiguous.
    pub(super) fn number_registers(&mut self) -> Registers {
        let mut used = Vec::new();
        self.for_registers(&mut |run| {
            used.extend(run.registers().map(|register| register.0));
            run.first
        });
        used.sort_by_cached_key(|id| u64::from(*id));
        used.dedup();
        let mut registers = Registers::default();
        for id in &used {
            let (prefix, number, ty) = match *id {
                HIDDEN.. => {
                    let index = id - HIDDEN;
                    let ty = self.temporary.get(index as usize);
                    (UNNAMED, index, ty.copied().unwrap_or(ScalarType::B32))
                }
                BARRIER.. => ("B", id - BARRIER, ScalarType::B32),
                UNIFORM_PREDICATE.. => ("UP", id - UNIFORM_PREDICATE, ScalarType::Pred),
                PREDICATE.. => ("P", id - PREDICATE, ScalarType::Pred),
                UNIFORM.. => ("UR", id - UNIFORM, ScalarType::B32),
                _ => ("R", *id, ScalarType::B32),
            };
            registers.add_numbered(prefix, number, ty);
        }
        self.for_registers(&mut |run| {
            let place = used.binary_search(&run.first.0).unwrap_or(0);
            RegisterId(place as u32)
        });
        registers
    }

    /// Calls `visit` for the register runs of all operands and guards, and replaces the first register of each run by the result.
    fn for_registers(&mut self, visit: &mut impl FnMut(RegisterTuple) -> RegisterId) {
        for instruction in &mut self.instructions {
            if let Some(guard) = &mut instruction.guard {
                guard.predicate = visit(RegisterTuple::one(guard.predicate));
            }
        }
        for operand in &mut self.operands {
            match &mut operand.value {
                OperandValue::Destination(Some(run)) => run.first = visit(*run),
                OperandValue::Pair(run, predicate) => {
                    if let Some(run) = run {
                        run.first = visit(*run);
                    }
                    if let Some(predicate) = predicate {
                        *predicate = visit(RegisterTuple::one(*predicate));
                    }
                }
                OperandValue::Source(source, _) | OperandValue::Predicate { source, .. } => {
                    match source {
                        Source::Register(run) => run.first = visit(*run),
                        Source::RegisterOffset { register, .. } => {
                            *register = visit(RegisterTuple::one(*register));
                        }
                        Source::Immediate(_)
                        | Source::Special(_)
                        | Source::VariableAddress { .. }
                        | Source::FunctionAddress(_)
                        | Source::Constant { .. }
                        | Source::Launch(_)
                        | Source::Sink => {}
                    }
                }
                OperandValue::Address(address) => {
                    match &mut address.base {
                        AddressBase::Register(run)
                        | AddressBase::Bank {
                            index: Some(run), ..
                        } => run.first = visit(*run),
                        AddressBase::Bank { index: None, .. }
                        | AddressBase::Variable(_)
                        | AddressBase::None => {}
                    }
                    if let Some(run) = &mut address.uniform {
                        run.first = visit(*run);
                    }
                }
                OperandValue::Destination(None)
                | OperandValue::Absent
                | OperandValue::List(_)
                | OperandValue::Label(_)
                | OperandValue::Callee(_) => {}
            }
        }
    }
}

/// Returns the number of a register, or `None` for `RZ`, `PT` and similar registers.
pub(super) fn id_of(register: Register) -> Option<RegisterId> {
    let RegisterNumber::Number(number) = register.number else {
        return None;
    };
    let (first, limit) = match register.file {
        RegisterFile::General => (0, UNIFORM),
        RegisterFile::Uniform => (UNIFORM, PREDICATE - UNIFORM),
        RegisterFile::Predicate => (PREDICATE, UNIFORM_PREDICATE - PREDICATE),
        RegisterFile::UniformPredicate => (UNIFORM_PREDICATE, BARRIER - UNIFORM_PREDICATE),
        RegisterFile::Barrier => (BARRIER, HIDDEN - BARRIER),
        RegisterFile::Scoreboard => return None,
    };
    (u32::from(number) < limit).then(|| RegisterId(first + u32::from(number)))
}

/// Returns the type of a uniform register or uniform predicate, or `None` for per-lane registers.
pub(super) fn uniform_type(register: RegisterId) -> Option<ScalarType> {
    match register.0 {
        UNIFORM..PREDICATE => Some(ScalarType::B32),
        UNIFORM_PREDICATE..BARRIER => Some(ScalarType::Pred),
        _ => None,
    }
}

/// Returns the name of a predicate or uniform predicate.
pub(super) fn predicate_name(register: RegisterId) -> String {
    match register.0 {
        UNIFORM_PREDICATE.. => format!("UP{}", register.0 - UNIFORM_PREDICATE),
        id => format!("P{}", id.saturating_sub(PREDICATE)),
    }
}

/// Creates a source operand without modifiers.
pub(super) fn plain(source: Source) -> OperandValue {
    OperandValue::Source(source, SourceModifiers::NONE)
}

/// Creates a source operand that reads a register.
pub(super) fn read(register: RegisterId) -> OperandValue {
    plain(Source::Register(RegisterTuple::one(register)))
}

/// Creates a destination operand for a register.
pub(super) fn written(register: RegisterId) -> OperandValue {
    OperandValue::Destination(Some(RegisterTuple::one(register)))
}
