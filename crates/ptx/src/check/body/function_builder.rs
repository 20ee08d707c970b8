//! Function body under construction: the registers, variables and instructions that have been created so far.

use crate::check::body::lower::{destination, source};
use crate::check::declare::body_outline::Outline;
use crate::tree::mnemonic::MnemonicId;
use warpgrid_isa::ScalarType;
use warpgrid_isa::{CompareOp, ComparisonOp, Modifiers, MoveOp, MulPart, Operation};
use warpgrid_program::{
    Function, Instruction, Operand, OperandList, OperandValue, Parameter, RegisterId, Registers,
    Span, Variable, VariableId,
};
use warpgrid_program::{Guard, RegisterTuple, Source};

/// Builder for the function body that a [`BodyChecker`](super::checker::BodyChecker) checks: registers, variables, instructions and
/// operands.
#[derive(Debug, Default)]
pub(crate) struct FunctionBuilder {
    /// Registers, starting with those of the function header.
    pub(crate) registers: Registers,
    /// Variables of the body, numbered after the variables of the function header.
    pub(crate) variables: Vec<Variable>,
    /// Call parameters of the body to which a preceding call has written its results.
    pub(crate) returned: Vec<VariableId>,
    /// Parameters of a snippet, which has no header that could declare them.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) instructions: Vec<Instruction>,
    /// Operands of all instructions. Each instruction refers to a range of this vector.
    pub(crate) operands: Vec<Operand>,
    /// Elements of the operand lists in the current instruction. The builder appends the elements to `operands` when all operands of the
    /// instruction are known.
    pub(crate) elements: Vec<Operand>,
    /// Instructions that compute operands of the current instruction. These instructions precede the current instruction in the same step.
    pub(crate) preceding: Vec<SyntheticInstruction>,
    /// Opcode of the current instruction.
    pub(crate) mnemonic: MnemonicId,
    /// Mask of the used bytes of the next load, or `None` without a `used_bytes_mask` pragma.
    pub(crate) used_bytes: Option<u64>,
    /// Whether the program representation can express the current instruction.
    pub(crate) is_representable: bool,
    /// Index of the instruction after each label of the body, or `u32::MAX` for labels that the check has not reached.
    pub(crate) label_places: Vec<u32>,
    /// `.branchtargets` directives that have been checked so far, each with its label indices.
    pub(crate) tables: Vec<(Span, Vec<u32>)>,
    /// Indices of the operands whose branch targets are label indices, which are converted to instruction indices at the end of the body.
    pub(crate) branches: Vec<u32>,
    /// Number of brace scopes that have been opened.
    pub(crate) n_blocks: u32,
}

impl FunctionBuilder {
    /// Resets the builder for another body, and reuses its allocated memory.
    pub(crate) fn reset_for(mut self, function: &Function, outline: &Outline) -> FunctionBuilder {
        self.registers.clear();
        for (name, register) in function.registers.names().zip(function.registers.iter()) {
            self.registers.add(name, register.ty);
        }
        self.variables.clear();
        self.parameters.clear();
        self.returned.clear();
        self.elements.clear();
        self.branches.clear();
        self.tables.clear();
        self.label_places.clear();
        self.label_places.resize(outline.labels.len(), u32::MAX);
        self.n_blocks = 0;
        self.used_bytes = None;
        // Reserve capacity for the implicit return at the end, and for omitted operands of loads and stores.
        let n_instructions = outline.n_instructions + 1;
        self.instructions = Vec::with_capacity(n_instructions);
        self.operands = Vec::with_capacity(outline.n_operands + n_instructions / 2);
        self
    }

    /// Adds an operand of the current instruction.
    #[inline]
    pub(crate) fn push(&mut self, value: OperandValue, span: Span) {
        self.operands.push(Operand { value, span });
    }

    /// Adds a list element of the current instruction.
    pub(crate) fn push_element(&mut self, value: OperandValue, span: Span) {
        self.elements.push(Operand { value, span });
    }

    /// Adds an element to the last operand, which is a list.
    pub(crate) fn extend_list(&mut self, value: OperandValue, span: Span) {
        let end = self.elements.len();
        if let Some(last) = self.operands.last_mut()
            && let OperandValue::List(list) = &mut last.value
            && (list.start + list.n) as usize == end
        {
            list.n += 1;
            self.elements.push(Operand { value, span });
        }
    }

    /// Returns the list that consists of the elements from index `first` on. When all operands of the instruction are known,
    /// [`FunctionBuilder::close_list`] sets the final position of the list.
    pub(crate) fn list_from(&self, first: usize) -> OperandValue {
        OperandValue::List(OperandList {
            start: first as u32,
            n: self.elements.len().saturating_sub(first) as u32,
        })
    }

    /// Completes the operands of an instruction: the operands from index `start` on, followed by the elements of its lists.
    #[inline]
    pub(crate) fn close_list(&mut self, start: usize) -> OperandList {
        let end = self.operands.len();
        if !self.elements.is_empty() {
            self.place_elements(start, end as u32);
        }
        OperandList {
            start: start as u32,
            n: end.saturating_sub(start) as u32,
        }
    }

    fn place_elements(&mut self, start: usize, base: u32) {
        for operand in self.operands.iter_mut().skip(start) {
            if let OperandValue::List(list) = &mut operand.value {
                list.start += base;
            }
        }
        for (index, element) in self.elements.iter().enumerate() {
            if let OperandValue::Label(_) = element.value {
                self.branches.push(base + index as u32);
            }
        }
        self.operands.append(&mut self.elements);
    }

    /// Returns the declared type of a register.
    #[inline]
    pub(crate) fn type_of(&self, register: RegisterId) -> ScalarType {
        self.registers
            .get(register.0 as usize)
            .map_or(ScalarType::B32, |r| r.ty)
    }
}

/// Instruction that the checker inserts into the program to compute an operand or to initialize an inferred register.
#[derive(Debug)]
pub(crate) struct SyntheticInstruction {
    pub(crate) operation: Operation,
    pub(crate) modifiers: Modifiers,
    /// Spelling of the opcode in PTX.
    pub(crate) opcode: String,
    pub(crate) operands: Vec<OperandValue>,
    /// Guard of the instruction. Without a guard, all lanes execute the instruction.
    pub(crate) guard: Option<Guard>,
    /// Span of the statement whose step contains the instruction. For the prologue of a snippet, the span is empty.
    pub(crate) span: Span,
}

impl SyntheticInstruction {
    /// Returns an instruction with one type modifier, such as `add.u64`.
    pub(crate) fn new(
        operation: Operation,
        opcode: &str,
        ty: ScalarType,
        operands: Vec<OperandValue>,
    ) -> SyntheticInstruction {
        SyntheticInstruction {
            operation,
            modifiers: Modifiers {
                ty: Some(ty),
                ..Modifiers::default()
            },
            opcode: format!("{opcode}.{ty}"),
            operands,
            guard: None,
            span: Span::at(0),
        }
    }

    /// Returns an instruction with modifiers.
    pub(crate) fn with_modifiers(
        operation: Operation,
        modifiers: Modifiers,
        opcode: String,
        operands: Vec<OperandValue>,
    ) -> SyntheticInstruction {
        SyntheticInstruction {
            operation,
            modifiers,
            opcode,
            operands,
            guard: None,
            span: Span::at(0),
        }
    }

    /// Returns `cvt.to.from d, a`.
    pub(crate) fn conversion(
        to: ScalarType,
        from: ScalarType,
        d: RegisterId,
        a: OperandValue,
    ) -> SyntheticInstruction {
        let modifiers = Modifiers {
            d_type: Some(to),
            a_type: Some(from),
            ..Modifiers::default()
        };
        let (operation, opcode) = (Operation::Move(MoveOp::Cvt), format!("cvt.{to}.{from}"));
        SyntheticInstruction::with_modifiers(operation, modifiers, opcode, vec![destination(d), a])
    }

    /// Assigns the instruction to the step of a statement, and predicates it with the guard of that statement.
    pub(crate) fn in_step(mut self, span: Span, guard: Option<Guard>) -> SyntheticInstruction {
        (self.span, self.guard) = (span, guard);
        self
    }

    /// Returns a comparison with a constant, such as `setp.lt.u32 d, a, number`.
    pub(crate) fn compared(
        op: CompareOp,
        d: RegisterId,
        a: OperandValue,
        number: u64,
    ) -> SyntheticInstruction {
        let to = OperandValue::Pair(Some(RegisterTuple::one(d)), None);
        let operands = vec![to, a, source(Source::Immediate(number))];
        let opcode = format!("setp.{}", op.name());
        let operation = Operation::Compare(ComparisonOp::Setp);
        let mut comparison =
            SyntheticInstruction::new(operation, &opcode, ScalarType::U32, operands);
        comparison.modifiers.compare = Some(op);
        comparison
    }

    /// Selects the part of the product that the instruction returns, such as `.wide` in `mad.wide.u32`.
    pub(crate) fn part(mut self, part: MulPart) -> SyntheticInstruction {
        self.modifiers.part = Some(part);
        self
    }
}
