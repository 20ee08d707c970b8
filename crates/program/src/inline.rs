//! Inlining of direct calls. Registers, parameters and results of the called functions become unnamed registers of the caller.

use crate::function::{
    Function, Guard, Instruction, Module, OpcodeInfo, Parameter, Program, StepGrouping,
};
use crate::ids::{FunctionId, OpcodeId, RegisterId, VariableId};
use crate::operand::{
    Address, AddressBase, Callee, Operand, OperandList, OperandValue, RegisterTuple, Source,
    SourceModifiers,
};
use crate::registers::UNNAMED;
use crate::span::Span;
use std::collections::BTreeMap;
use warpgrid_isa::{ControlOp, MemoryOp, Modifiers, MoveOp, Operation, ScalarType, StateSpace};

/// Maximum depth of calls.
const MAX_DEPTH: usize = 8;
/// Maximum number of instructions of a function after inlining.
const MAX_INSTRUCTIONS: usize = 1 << 12;

/// Reason why a call cannot be inlined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineError {
    /// Span of the call in the outermost function.
    pub call: Span,
    pub kind: InlineErrorKind,
}

/// Kind of an [`InlineError`]. A string is the name of a function or parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineErrorKind {
    /// The call depth exceeds its maximum; always the case for recursion.
    TooDeep(String),
    TooManyInstructions,
    /// The module declares the function without a definition, or the driver provides the function.
    Undefined(String),
    /// The callee is the value of a register.
    Indirect,
    /// The parameter is not a scalar of at most 64 bits, or an access covers a part of it.
    Parameter(String),
}

/// Function whose calls are inlined.
#[derive(Clone, Debug)]
pub struct Inlined {
    pub id: FunctionId,
    /// Whether each instruction replaces a part of a call. The span of such an instruction is the span of the call.
    pub replaces_call: Vec<bool>,
}

impl Program {
    /// Inlines all calls of the given functions.
    pub fn inlined(
        &self,
        ids: &[FunctionId],
    ) -> std::result::Result<(Program, Vec<Inlined>), InlineError> {
        let mut module = Module::clone(self);
        let mut all = Vec::new();
        for id in ids {
            let Some(function) = self.functions.get(id.0 as usize) else {
                continue;
            };
            let mut inliner = Inliner {
                module: self,
                actions: &mut module.opcodes,
                out: Function {
                    instructions: Vec::new(),
                    operands: Vec::new(),
                    ..function.clone()
                },
                span: Span::default(),
                depth: 0,
                replaces_call: Vec::new(),
            };
            let mut frame = Frame::new(function, 0, 0);
            let result = inliner.body(&mut frame);
            result.map_err(|kind| InlineError {
                call: inliner.span,
                kind,
            })?;
            let mut out = inliner.out;
            for (index, _) in &mut out.labels {
                *index = frame.start_of(*index);
            }
            all.push(Inlined {
                id: *id,
                replaces_call: inliner.replaces_call,
            });
            if let Some(function) = module.functions.get_mut(id.0 as usize) {
                *function = out;
            }
        }
        Ok((Program::from_checked(module), all))
    }
}

/// Copy of a function within the caller.
struct Frame<'a> {
    function: &'a Function,
    /// Index of the first register of the function in the registers of the caller.
    registers: u32,
    /// Index of the first variable of the function in the variables of the caller.
    variables: u32,
    /// Registers that replace the parameter variables of the function.
    parameters: BTreeMap<u32, RegisterId>,
    /// Index in the caller of the first instruction that replaces each instruction of the function.
    starts: Vec<u32>,
    /// Operands that are labels of the function.
    labels: Vec<usize>,
}

impl<'a> Frame<'a> {
    fn new(function: &'a Function, registers: u32, variables: u32) -> Frame<'a> {
        Frame {
            function,
            registers,
            variables,
            parameters: BTreeMap::new(),
            starts: Vec::new(),
            labels: Vec::new(),
        }
    }

    fn start_of(&self, index: u32) -> u32 {
        let start = self.starts.get(index as usize).or(self.starts.last());
        start.copied().unwrap_or(0)
    }

    fn register(&self, RegisterId(own): RegisterId) -> RegisterId {
        RegisterId(self.registers + own)
    }

    fn guard(&self, guard: Option<Guard>) -> Option<Guard> {
        guard.map(|guard| Guard {
            predicate: self.register(guard.predicate),
            ..guard
        })
    }

    /// Returns an operand with the registers and variables of the caller. Elements of a list are not changed.
    fn moved(&self, value: &OperandValue) -> OperandValue {
        use OperandValue as V;
        let mut value = value.clone();
        match &mut value {
            V::Destination(Some(run))
            | V::Source(Source::Register(run), _)
            | V::Predicate {
                source: Source::Register(run),
                ..
            }
            | V::Address(Address {
                base: AddressBase::Register(run),
                ..
            }) => run.first = self.register(run.first),
            V::Source(Source::RegisterOffset { register, .. }, _) => {
                *register = self.register(*register);
            }
            V::Source(
                Source::VariableAddress {
                    variable: VariableId::Function(index),
                    ..
                },
                _,
            )
            | V::Address(Address {
                base: AddressBase::Variable(VariableId::Function(index)),
                ..
            }) => *index += self.variables,
            V::Pair(run, predicate) => {
                if let Some(run) = run {
                    run.first = self.register(run.first);
                }
                *predicate = predicate.map(|own| self.register(own));
            }
            _ => {}
        }
        value
    }

    /// Returns the parameter variable of an address, with the offset.
    fn parameter_of(&self, address: Address) -> Option<(u32, i64)> {
        let AddressBase::Variable(VariableId::Function(index)) = address.base else {
            return None;
        };
        let variable = self.function.variables.get(index as usize)?;
        (variable.space == StateSpace::ParamFunc).then_some((index, address.offset))
    }

    fn not_supported(&self, parameter: u32) -> InlineErrorKind {
        let variable = self.function.variables.get(parameter as usize);
        let name = variable.map_or("", |variable| &variable.name);
        InlineErrorKind::Parameter(name.to_owned())
    }
}

struct Inliner<'a> {
    module: &'a Module,
    actions: &'a mut Vec<OpcodeInfo>,
    out: Function,
    /// Span of the current instruction of the outermost function.
    span: Span,
    /// Current call depth.
    depth: usize,
    replaces_call: Vec<bool>,
}

type Result<T> = std::result::Result<T, InlineErrorKind>;

impl<'a> Inliner<'a> {
    fn body(&mut self, frame: &mut Frame<'a>) -> Result<()> {
        let mut returns = Vec::new();
        for instruction in &frame.function.instructions {
            frame.starts.push(self.out.instructions.len() as u32);
            if self.out.instructions.len() > MAX_INSTRUCTIONS {
                return Err(InlineErrorKind::TooManyInstructions);
            }
            if self.depth == 0 {
                self.span = instruction.span;
            }
            let control = self.operation(instruction).and_then(Operation::control);
            match control {
                Some(ControlOp::Call) => self.inline(frame, instruction)?,
                Some(ControlOp::Return) if self.depth > 0 => {
                    returns.push(self.branch(frame.guard(instruction.guard)));
                }
                _ => self.copy(frame, instruction)?,
            }
        }
        let end = self.out.instructions.len() as u32;
        frame.starts.push(end);
        for label in std::mem::take(&mut frame.labels) {
            if let Some(OperandValue::Label(index)) = self.value_mut(label) {
                *index = frame.start_of(*index);
            }
        }
        returns.into_iter().for_each(|at| self.set_label(at, end));
        Ok(())
    }

    fn operation(&self, instruction: &Instruction) -> Option<Operation> {
        Some(self.module.opcode(instruction)?.operation)
    }

    fn value_mut(&mut self, operand: usize) -> Option<&mut OperandValue> {
        Some(&mut self.out.operands.get_mut(operand)?.value)
    }

    fn set_label(&mut self, operand: usize, target: u32) {
        if let Some(value) = self.value_mut(operand) {
            *value = OperandValue::Label(target);
        }
    }

    /// Replaces a call by moves of its arguments, the body of the function, and moves of the results.
    fn inline(&mut self, frame: &mut Frame<'a>, call: &Instruction) -> Result<()> {
        let caller = frame.function;
        let (mut lists, mut callee) = (Vec::new(), None);
        for operand in caller.operands_of(call.operands) {
            match &operand.value {
                OperandValue::List(list) => lists.push(caller.operands_of(*list)),
                OperandValue::Callee(found) => callee = Some(found),
                _ => {}
            }
        }
        let callee = match callee {
            Some(Callee::Direct(id)) => self.module.functions.get(id.0 as usize),
            Some(Callee::System(name)) => return Err(InlineErrorKind::Undefined(name.clone())),
            Some(Callee::Indirect { .. }) | None => None,
        };
        let callee = callee.ok_or(InlineErrorKind::Indirect)?;
        if !callee.defined {
            return Err(InlineErrorKind::Undefined(callee.name.clone()));
        }
        if self.depth >= MAX_DEPTH {
            return Err(InlineErrorKind::TooDeep(callee.name.clone()));
        }
        self.depth += 1;
        let over = frame.guard(call.guard).map(|guard| {
            let negated = !guard.negated;
            self.branch(Some(Guard { negated, ..guard }))
        });
        let registers = self.out.registers.len() as u32;
        for (register, id) in callee.registers.iter().zip(0..) {
            let name = callee.registers.name(RegisterId(id));
            self.add_register(name, register.ty);
        }
        let mut own = Frame::new(callee, registers, self.out.variables.len() as u32);
        self.out.variables.extend(callee.variables.iter().cloned());
        let [results, arguments] = [0, 1].map(|at| lists.get(at).copied().unwrap_or(&[]));
        for (formal, argument) in callee.parameters.iter().zip(arguments) {
            let to = self.formal(&mut own, *formal)?;
            if let Some(from) = self.argument(frame, &argument.value)? {
                self.move_to(to, from, None);
            }
        }
        self.body(&mut own)?;
        for (formal, result) in callee.returns.iter().zip(results) {
            let from = self.formal(&mut own, *formal)?;
            if let Some(Source::Register(to)) = self.argument(frame, &result.value)? {
                self.move_to(to.first, Source::Register(RegisterTuple::one(from)), None);
            }
        }
        let end = self.out.instructions.len() as u32;
        over.into_iter().for_each(|at| self.set_label(at, end));
        self.depth -= 1;
        Ok(())
    }

    fn add_register(&mut self, name: &str, ty: ScalarType) -> RegisterId {
        let registers = &mut self.out.registers;
        registers.add_formatted(format_args!("{UNNAMED}{name}"), ty)
    }

    /// Returns the register of a formal parameter or result.
    fn formal(&mut self, frame: &mut Frame<'a>, formal: Parameter) -> Result<RegisterId> {
        match formal {
            Parameter::Register(register) => Ok(frame.register(register)),
            Parameter::Variable(index) => self.parameter(frame, index),
        }
    }

    /// Returns the value of an argument or the register of a result; `None` for a sink.
    fn argument(&mut self, frame: &mut Frame<'a>, value: &OperandValue) -> Result<Option<Source>> {
        Ok(match frame.moved(value) {
            OperandValue::Destination(run) => run.map(Source::Register),
            OperandValue::Source(
                Source::VariableAddress {
                    variable: VariableId::Function(index),
                    ..
                },
                _,
            ) => {
                let register = self.parameter(frame, index - frame.variables)?;
                Some(Source::Register(RegisterTuple::one(register)))
            }
            OperandValue::Source(Source::Sink, _) => None,
            OperandValue::Source(source, _) => Some(source),
            _ => None,
        })
    }

    /// Returns the register of a parameter variable of a function.
    fn parameter(&mut self, frame: &mut Frame<'a>, index: u32) -> Result<RegisterId> {
        if let Some(register) = frame.parameters.get(&index) {
            return Ok(*register);
        }
        let variable = frame.function.variables.get(index as usize);
        let ty = match variable.map_or(0, |variable| variable.size_bytes) {
            2 => ScalarType::B16,
            4 => ScalarType::B32,
            8 => ScalarType::B64,
            _ => return Err(frame.not_supported(index)),
        };
        let name = variable.map_or("", |variable| &variable.name);
        let register = self.add_register(name, ty);
        frame.parameters.insert(index, register);
        Ok(register)
    }

    /// Copies an instruction; an access to a parameter variable becomes a move.
    fn copy(&mut self, frame: &mut Frame<'a>, own: &Instruction) -> Result<()> {
        let guard = frame.guard(own.guard);
        let operands = frame.function.operands_of(own.operands);
        let action = self.module.opcode(own);
        let parameter = operands.iter().find_map(|operand| match operand.value {
            OperandValue::Address(address) => frame.parameter_of(address),
            _ => None,
        });
        if let (Some(action), Some((index, offset))) = (action, parameter) {
            let register = self.parameter(frame, index)?;
            let ty = action.modifiers.ty.map_or(0, ScalarType::width_bits);
            let whole = self.out.registers.get(register.0 as usize);
            let is_whole = offset == 0
                && action.modifiers.n_elements() == 1
                && whole.is_some_and(|own| own.ty.width_bits() == ty);
            let mut values = operands.iter().map(|operand| frame.moved(&operand.value));
            let value = values.find_map(|value| match value {
                OperandValue::Destination(run) => run.map(Source::Register),
                OperandValue::Source(source, _) => Some(source),
                _ => None,
            });
            match (action.operation.memory(), value) {
                (Some(MemoryOp::Load), Some(Source::Register(to))) if is_whole => {
                    self.move_to(
                        to.first,
                        Source::Register(RegisterTuple::one(register)),
                        guard,
                    );
                }
                (Some(MemoryOp::Store), Some(from)) if is_whole => {
                    self.move_to(register, from, guard);
                }
                _ => return Err(frame.not_supported(index)),
            }
            return Ok(());
        }
        let operands = self.operands(frame, own.operands);
        self.push(Instruction {
            guard,
            operands,
            span: self.span,
            ..own.clone()
        });
        Ok(())
    }

    fn operands(&mut self, frame: &mut Frame<'a>, list: OperandList) -> OperandList {
        let all = frame.function.operands_of(list).iter();
        let all: Vec<Operand> = all
            .map(|operand| Operand {
                value: match &operand.value {
                    OperandValue::List(list) => OperandValue::List(self.operands(frame, *list)),
                    value => frame.moved(value),
                },
                span: operand.span,
            })
            .collect();
        let start = self.out.operands.len();
        let labels = all.iter().zip(start..);
        let labels = labels.filter(|(own, _)| matches!(own.value, OperandValue::Label(_)));
        frame.labels.extend(labels.map(|(_, at)| at));
        self.out.operands.extend(all);
        OperandList {
            start: start as u32,
            n: list.n,
        }
    }

    fn move_to(&mut self, to: RegisterId, from: Source, guard: Option<Guard>) {
        let register = self.out.registers.get(to.0 as usize);
        let ty = match register.map_or(ScalarType::B32, |register| register.ty) {
            ScalarType::Pred => ScalarType::Pred,
            ty => match ty.width_bits() {
                16 => ScalarType::B16,
                64 => ScalarType::B64,
                _ => ScalarType::B32,
            },
        };
        let action = OpcodeInfo {
            operation: Operation::Move(MoveOp::Mov),
            modifiers: Modifiers {
                ty: Some(ty),
                ..Modifiers::default()
            },
            opcode: format!("mov.{}", ty.name()),
        };
        let to = OperandValue::Destination(Some(RegisterTuple::one(to)));
        let from = OperandValue::Source(from, SourceModifiers::NONE);
        self.emit(action, &[to, from], guard);
    }

    /// Emits a branch, and returns the index of its target operand, which the caller sets later.
    fn branch(&mut self, guard: Option<Guard>) -> usize {
        let action = OpcodeInfo {
            operation: Operation::Control(ControlOp::Branch),
            modifiers: Modifiers::default(),
            opcode: "bra".to_owned(),
        };
        self.emit(action, &[OperandValue::Label(0)], guard)
    }

    /// Emits an instruction, and returns the index of its first operand.
    fn emit(&mut self, action: OpcodeInfo, values: &[OperandValue], guard: Option<Guard>) -> usize {
        let known = self.actions.iter().position(|own| *own == action);
        let action = known.unwrap_or_else(|| {
            self.actions.push(action);
            self.actions.len() - 1
        });
        let (start, span) = (self.out.operands.len(), self.span);
        let operands = values.iter().cloned();
        let operands = operands.map(|value| Operand { value, span });
        self.out.operands.extend(operands);
        self.push(Instruction {
            guard,
            opcode: OpcodeId(action as u32),
            operands: OperandList {
                start: start as u32,
                n: values.len() as u32,
            },
            step: StepGrouping::Whole,
            span,
        });
        start
    }

    fn push(&mut self, instruction: Instruction) {
        self.out.instructions.push(instruction);
        self.replaces_call.push(self.depth > 0);
    }
}
