//! List of the statements that repairs can edit, with the semantics of their instructions. The statements are numbered in source order.

use crate::memory_model::concurrency::repair::RepairEdits;
use std::collections::BTreeMap;
use warpgrid_isa::{MbarrierOp, Operation, Proxy, Sem, SyncOp};
use warpgrid_order::races::RaceSide;
use warpgrid_program::syntax::{
    Change, InstructionSyntax, Statement, StatementEdit, StatementKind,
};
use warpgrid_program::{
    Function, FunctionId, Instruction, OpcodeInfo, Operand, OperandValue, Program, Source, Span,
};

/// Statements of the functions that a launch can execute, from which the repair search generates and formats edits.
pub(crate) struct Body<'a> {
    program: &'a Program,
    statements: Vec<Statement>,
    /// Instruction of each statement, indexed by the start offset of the statement's span.
    places: BTreeMap<u32, (FunctionId, u32)>,
}

impl<'a> Body<'a> {
    /// Collects all statements except the statements in the spans `unreachable`, which the launch cannot execute.
    pub(crate) fn new(
        program: &'a Program,
        mut statements: Vec<Statement>,
        unreachable: &[Span],
    ) -> Body<'a> {
        let is_in = |start: u32, span: &Span| span.start <= start && start < span.end;
        statements.retain(|own| !unreachable.iter().any(|span| is_in(own.span.start, span)));
        let mut places = BTreeMap::new();
        for (function, id) in program.functions.iter().zip(0..) {
            for (instruction, index) in function.instructions.iter().zip(0..) {
                if !instruction.is_implicit() {
                    let place = (FunctionId(id), index);
                    places.entry(instruction.span.start).or_insert(place);
                }
            }
        }
        Body {
            program,
            statements,
            places,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.statements.len()
    }

    /// Returns the number of the statement that contains an instruction.
    pub(crate) fn statement_of(&self, (function, index): (FunctionId, u32)) -> Option<usize> {
        let function = self.program.functions.get(function.0 as usize)?;
        let start = function.instructions.get(index as usize)?.span.start;
        let found = self
            .statements
            .binary_search_by_key(&start, |own| own.span.start);
        found.ok()
    }

    /// Returns the number of the statement that performs an access of a race.
    pub(crate) fn statement_of_access(&self, access: &RaceSide) -> Option<usize> {
        self.statement_of((access.function, access.instruction))
    }

    /// Returns the numbers of the statements for whose instruction `is_it` returns `true`.
    pub(crate) fn all(&self, is_it: impl Fn(&OpcodeInfo) -> bool) -> Vec<usize> {
        let all = 0..self.statements.len();
        all.filter(|at| self.action(*at).is_some_and(&is_it))
            .collect()
    }

    /// Returns the numbers of the statements whose instruction is a synchronization operation of one of the kinds `ops`.
    pub(crate) fn all_sync(&self, ops: &[SyncOp]) -> Vec<usize> {
        self.all(|action| action.operation.sync().is_some_and(|op| ops.contains(&op)))
    }

    fn instruction(&self, at: usize) -> Option<(&'a Function, &'a Instruction)> {
        let start = self.statements.get(at)?.span.start;
        let (function, index) = *self.places.get(&start)?;
        let function = self.program.functions.get(function.0 as usize)?;
        Some((function, function.instructions.get(index as usize)?))
    }

    pub(crate) fn action(&self, at: usize) -> Option<&'a OpcodeInfo> {
        self.program.opcode(self.instruction(at)?.1)
    }

    pub(crate) fn operation(&self, at: usize) -> Option<Operation> {
        Some(self.action(at)?.operation)
    }

    /// Returns the operands of the instruction of a statement, in the order of its row in the instruction table.
    pub(crate) fn operands(&self, at: usize) -> &'a [Operand] {
        let instruction = self.instruction(at);
        instruction.map_or(&[], |(function, own)| function.operands_of(own.operands))
    }

    /// Returns the name of the first predicate register that the instruction of a statement writes.
    pub(crate) fn predicate(&self, at: usize) -> Option<&'a str> {
        let (function, instruction) = self.instruction(at)?;
        let first = function.destinations(instruction).first().copied()?;
        Some(function.registers.name(first))
    }

    pub(crate) fn label(&self, at: usize) -> Option<&str> {
        match &self.statements.get(at)?.kind {
            StatementKind::Label(name) => Some(name),
            StatementKind::Instruction(_) => None,
        }
    }

    /// Returns the name of the label directly before a statement.
    pub(crate) fn label_before(&self, at: usize) -> Option<&str> {
        self.label(at.checked_sub(1)?)
    }

    /// Returns the number of the first branch after a statement whose target is the label directly before the statement.
    pub(crate) fn branch_back_to(&self, at: usize) -> Option<usize> {
        let start = self.statements.get(at)?.span.start;
        let (_, index) = *self.places.get(&start)?;
        let is_target = |operand: &Operand| operand.value == OperandValue::Label(index);
        let mut after = at + 1..self.statements.len();
        after.find(|branch| self.is_branch(*branch) && self.operands(*branch).iter().any(is_target))
    }

    pub(crate) fn is_branch(&self, at: usize) -> bool {
        let control = self.operation(at).and_then(Operation::control);
        control.is_some_and(|op| op.is_branch())
    }

    /// Returns the syntactic parts of the instruction of a statement. A label has no parts.
    pub(crate) fn syntax(&self, at: usize) -> InstructionSyntax {
        match self.statements.get(at).map(|own| &own.kind) {
            Some(StatementKind::Instruction(syntax)) => syntax.clone(),
            Some(StatementKind::Label(_)) | None => InstructionSyntax::default(),
        }
    }

    pub(crate) fn text(&self, at: usize) -> String {
        self.syntax(at).to_string()
    }

    pub(crate) fn unguarded_text(&self, at: usize) -> String {
        self.syntax(at).unguarded().to_string()
    }

    /// Returns the name of the first register that an operand contains.
    pub(crate) fn register(&self, at: usize, operand: &Operand) -> Option<&'a str> {
        let (function, _) = self.instruction(at)?;
        let registers = function.operand_registers(&operand.value);
        Some(function.registers.name(registers.first().copied()?))
    }

    /// Returns the source text of the operand `operand`.
    pub(crate) fn operand_text(&self, at: usize, operand: &Operand) -> Option<String> {
        let syntax = self.syntax(at);
        let index = syntax.operand_at(operand.span)?;
        Some(syntax.operands.get(index)?.text.clone())
    }

    fn edit(&self, at: usize, change: Change) -> StatementEdit {
        let statement = self
            .statements
            .get(at)
            .map_or(Span::default(), |own| own.span);
        StatementEdit { statement, change }
    }

    pub(crate) fn before(&self, at: usize, text: &str) -> StatementEdit {
        match at.checked_sub(self.statements.len()) {
            Some(_) => self.after(self.statements.len().saturating_sub(1), text),
            None => self.edit(at, Change::InsertBefore(text.to_owned())),
        }
    }

    pub(crate) fn after(&self, at: usize, text: &str) -> StatementEdit {
        self.edit(at, Change::InsertAfter(text.to_owned()))
    }

    pub(crate) fn replace(&self, at: usize, text: &str) -> StatementEdit {
        self.edit(at, Change::Replace(text.to_owned()))
    }

    pub(crate) fn delete(&self, at: usize) -> StatementEdit {
        self.edit(at, Change::Delete)
    }

    /// Returns an edit that replaces one modifier of an instruction, or `None` if the instruction does not have the modifier.
    pub(crate) fn set_modifier(&self, at: usize, old: &str, new: &[&str]) -> Option<RepairEdits> {
        let changed = self.syntax(at).with_modifier(old, new)?;
        Some(vec![self.replace(at, &changed.to_string())])
    }

    /// Returns the edits that move the statement `at` before the statement `other`.
    pub(crate) fn move_before(&self, at: usize, other: usize) -> RepairEdits {
        vec![self.delete(at), self.before(other, &self.text(at))]
    }
}

/// Returns the value of a literal operand.
pub(crate) fn literal(operand: &Operand) -> Option<u64> {
    match operand.value {
        OperandValue::Source(Source::Immediate(bits), _) => Some(bits),
        _ => None,
    }
}

/// Checks whether an instruction waits for all threads of its block.
pub(crate) fn is_block_barrier(action: &OpcodeInfo) -> bool {
    use warpgrid_isa::Flag;
    action.operation.is_block_barrier()
        && !action.modifiers.has(Flag::Arrive)
        && !action.modifiers.has(Flag::Red)
}

/// Checks whether an instruction is a memory fence that is not a proxy fence.
pub(crate) fn is_fence(action: &OpcodeInfo) -> bool {
    let is_fence = matches!(
        action.operation.sync(),
        Some(SyncOp::Fence | SyncOp::Membar)
    );
    let sem = action.modifiers.sem.unwrap_or(Sem::AcqRel);
    is_fence && action.modifiers.proxy.is_none() && matches!(sem, Sem::AcqRel | Sem::Sc)
}

/// Checks whether an instruction is a fence between the generic proxy and the async proxy.
pub(crate) fn is_async_proxy_fence(action: &OpcodeInfo) -> bool {
    action.operation.sync().is_some() && action.modifiers.proxy == Some(Proxy::Async)
}

/// Checks whether an instruction arrives at an mbarrier.
pub(crate) fn is_arrival(action: &OpcodeInfo) -> bool {
    action
        .operation
        .mbarrier()
        .is_some_and(MbarrierOp::is_arrival)
}

/// Checks whether an instruction tests a phase of an mbarrier.
pub(crate) fn is_test(action: &OpcodeInfo) -> bool {
    action.operation.mbarrier().is_some_and(MbarrierOp::is_test)
}
