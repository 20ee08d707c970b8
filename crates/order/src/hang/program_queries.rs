//! Static queries on the code of a kernel: loops, exit tests, register definitions, and barriers after an instruction.

use crate::hang::execution_trace::InstructionRef;
use std::collections::BTreeSet;
use warpgrid_isa::{
    ArithmeticOp, AsyncTransferKind, AtomicOp, ComparisonOp, ControlOp, DeviceUnitOp, Flag,
    MbarrierOp, MemoryOp, MoveOp, Operation, StateSpace, SyncOp,
};
use warpgrid_program::{
    Address, AddressBase, Callee, Function, FunctionId, Instruction, OpcodeInfo, OperandValue,
    Program, RegisterId, Source,
};

/// Wrapper around a program, with which the hang diagnosis queries instructions.
#[derive(Clone, Copy)]
pub(crate) struct ProgramQuery<'p>(pub(crate) &'p Program);

impl<'p> ProgramQuery<'p> {
    fn function(self, at: InstructionRef) -> Option<&'p Function> {
        self.0.functions.get(at.0.0 as usize)
    }

    pub(crate) fn instruction(self, at: InstructionRef) -> Option<&'p Instruction> {
        self.function(at)?.instructions.get(at.1 as usize)
    }

    pub(crate) fn action(self, at: InstructionRef) -> Option<&'p OpcodeInfo> {
        self.0.opcode(self.instruction(at)?)
    }

    pub(crate) fn operation_of(self, at: InstructionRef) -> Option<Operation> {
        Some(self.action(at)?.operation)
    }

    pub(crate) fn has(self, at: InstructionRef, flag: Flag) -> bool {
        self.action(at)
            .is_some_and(|action| action.modifiers.has(flag))
    }

    pub(crate) fn is_arrival(self, at: InstructionRef) -> bool {
        self.operation_of(at).is_some_and(|operation| {
            operation.mbarrier().is_some_and(MbarrierOp::is_arrival)
                || operation.transfer() == AsyncTransferKind::Arrival
        })
    }

    pub(crate) fn is_test(self, at: InstructionRef) -> bool {
        let op = self.operation_of(at).and_then(Operation::mbarrier);
        op.is_some_and(MbarrierOp::is_test)
    }

    /// Checks whether an instruction is a copy that completes on an mbarrier.
    pub(crate) fn is_copy(self, at: InstructionRef) -> bool {
        self.operation_of(at).is_some_and(|operation| {
            matches!(
                operation.transfer(),
                AsyncTransferKind::Bulk | AsyncTransferKind::Registers
            ) || operation
                .unit()
                .and_then(DeviceUnitOp::tensor_copy)
                .is_some()
        })
    }

    /// Returns the literal size in bytes of a bulk copy.
    pub(crate) fn literal_copy_size(self, at: InstructionRef) -> Option<u32> {
        let transfer = self.operation_of(at).map(Operation::transfer);
        let sizes = self
            .literals(at)
            .filter(|_| transfer == Some(AsyncTransferKind::Bulk));
        u32::try_from(sizes.last()?).ok()
    }

    /// Checks whether an instruction is `cp.async.mbarrier.arrive` without `.noinc`.
    pub(crate) fn is_uncounted_arrival(self, at: InstructionRef) -> bool {
        let transfer = self.operation_of(at).map(Operation::transfer);
        transfer == Some(AsyncTransferKind::Arrival) && !self.has(at, Flag::Noinc)
    }

    pub(crate) fn is_write(self, at: InstructionRef) -> bool {
        let op = self.operation_of(at).and_then(Operation::memory);
        op.is_some_and(MemoryOp::writes_elements)
    }

    /// Checks whether an instruction accesses shared memory.
    pub(crate) fn is_shared_access(self, at: InstructionRef) -> bool {
        self.is_data_access(at)
            && self.action(at).is_some_and(|action| {
                let space = action.modifiers.state_space();
                matches!(space, StateSpace::Shared | StateSpace::SharedCluster)
            })
    }

    /// Checks whether an instruction accesses memory that threads share.
    pub(crate) fn is_data_access(self, at: InstructionRef) -> bool {
        self.action(at).is_some_and(|action| {
            let space = action.modifiers.space;
            action.operation.memory().is_some()
                && !matches!(
                    space,
                    Some(
                        StateSpace::ParamEntry
                            | StateSpace::ParamFunc
                            | StateSpace::Local
                            | StateSpace::Const
                    )
                )
        })
    }

    /// Checks whether an instruction is a strong write, whose value other threads may poll.
    pub(crate) fn is_strong_write(self, at: InstructionRef) -> bool {
        self.is_write(at)
            && self.action(at).is_some_and(|action| {
                action.modifiers.sem.is_some()
                    || !action
                        .operation
                        .memory()
                        .is_some_and(MemoryOp::is_plain_store)
            })
    }

    /// Returns the operation of an `atom` instruction, which returns the old value of the memory location.
    fn atomic_with_result(self, at: InstructionRef) -> Option<AtomicOp> {
        let action = self.action(at)?;
        let has_result = action.operation.memory() == Some(MemoryOp::Atomic);
        action.modifiers.atomic.filter(|_| has_result)
    }

    /// Checks whether an instruction can acquire a lock: `atom.cas` or `atom.exch`.
    pub(crate) fn is_compare_and_swap(self, at: InstructionRef) -> bool {
        let operation = self.atomic_with_result(at);
        matches!(operation, Some(AtomicOp::Cas | AtomicOp::Exch))
    }

    /// Checks whether an instruction writes only if memory contains the expected value: `atom.cas`.
    pub(crate) fn is_comparison(self, at: InstructionRef) -> bool {
        self.atomic_with_result(at) == Some(AtomicOp::Cas)
    }

    /// Checks whether an atomic or a reduction increments or decrements the value in memory.
    pub(crate) fn is_atomic_add(self, at: InstructionRef) -> bool {
        let operation = self.action(at).and_then(|action| action.modifiers.atomic);
        matches!(
            operation,
            Some(AtomicOp::Add | AtomicOp::Inc | AtomicOp::Dec)
        )
    }

    pub(crate) fn is_cluster_arrival(self, at: InstructionRef) -> bool {
        self.operation_of(at).and_then(Operation::sync) == Some(SyncOp::ClusterArrive)
    }

    pub(crate) fn is_exit(self, at: InstructionRef) -> bool {
        let op = self.operation_of(at).and_then(Operation::control);
        op.is_some_and(ControlOp::exits_function)
    }

    pub(crate) fn is_barrier(self, at: InstructionRef) -> bool {
        self.operation_of(at)
            .is_some_and(Operation::is_block_barrier)
    }

    /// Returns the literal source operands of an instruction in source order.
    pub(crate) fn literals(self, at: InstructionRef) -> impl Iterator<Item = u64> + use<'p> {
        let operands = match (self.function(at), self.instruction(at)) {
            (Some(function), Some(instruction)) => function.operands_of(instruction.operands),
            _ => &[],
        };
        operands.iter().filter_map(|operand| match operand.value {
            OperandValue::Source(Source::Immediate(value), _) => Some(value),
            _ => None,
        })
    }

    /// Returns the literal operands of a barrier of the block in source order.
    fn barrier_literals(self, at: InstructionRef) -> impl Iterator<Item = u64> + use<'p> {
        let is_barrier = self.is_barrier(at);
        self.literals(at).filter(move |_| is_barrier)
    }

    /// Returns the literal barrier number of a barrier of the block.
    pub(crate) fn barrier_id(self, at: InstructionRef) -> Option<u64> {
        self.barrier_literals(at).next()
    }

    /// Returns the literal thread count of a block barrier, provided that the barrier number is also a literal.
    pub(crate) fn barrier_count(self, at: InstructionRef) -> Option<u64> {
        self.barrier_literals(at).skip(1).last()
    }

    /// Returns all instructions of the function that contains `at`.
    pub(crate) fn instruction_refs(
        self,
        at: InstructionRef,
    ) -> impl Iterator<Item = InstructionRef> + use<'p> {
        let n = self.function(at).map_or(0, |f| f.instructions.len() as u32);
        (0..n).map(move |index| (at.0, index))
    }

    /// Returns all instructions of the program.
    pub(crate) fn all_places(self) -> impl Iterator<Item = InstructionRef> + use<'p> {
        let functions = self.0.functions.iter().enumerate();
        functions.flat_map(|(id, function)| {
            let n = function.instructions.len() as u32;
            (0..n).map(move |index| (FunctionId(id as u32), index))
        })
    }

    /// Returns the first instruction in source order that is reachable from `at` without back edges and satisfies the predicate. If the
    /// function contains no such instruction, continues after the call sites of the function.
    pub(crate) fn next_after(
        self,
        at: InstructionRef,
        is_it: impl Fn(InstructionRef) -> bool,
    ) -> Option<InstructionRef> {
        let mut visited = BTreeSet::new();
        let mut open = vec![at];
        while let Some((function, index)) = open.pop() {
            if let Some(found) = self.first_reachable((function, index + 1), &is_it) {
                return Some(found);
            }
            if visited.insert(function) {
                open.extend(self.call_sites(function));
            }
        }
        None
    }

    /// Returns for each instruction of the function of `to` whether `to` is reachable from the start of the instruction without back edges.
    pub(crate) fn instructions_before(self, to: InstructionRef) -> Vec<bool> {
        let mut reaches = vec![false; to.1 as usize + 1];
        for index in (0..=to.1).rev() {
            let successors = self.forward_successors((to.0, index));
            let mut successors = successors.into_iter().flatten();
            let is_before =
                index == to.1 || successors.any(|next| reaches.get(next as usize) == Some(&true));
            if let Some(own) = reaches.get_mut(index as usize) {
                *own = is_before;
            }
        }
        reaches
    }

    /// Returns the successors of an instruction without back edges: the target of a branch and the next instruction.
    fn forward_successors(self, at: InstructionRef) -> [Option<u32>; 2] {
        let is_guarded = self.instruction(at).is_some_and(|i| i.guard.is_some());
        let ahead = self.target(at).filter(|target| *target > at.1);
        let goes_on = is_guarded || ahead.is_none() && !self.is_exit(at);
        [ahead, goes_on.then_some(at.1 + 1)]
    }

    /// Returns the first instruction in source order of a function that satisfies the predicate and is reachable without back edges from
    /// the start of the instruction `from`.
    fn first_reachable(
        self,
        from: InstructionRef,
        is_it: &impl Fn(InstructionRef) -> bool,
    ) -> Option<InstructionRef> {
        let mut open = BTreeSet::from([from.1]);
        while let Some(index) = open.pop_first() {
            let place = (from.0, index);
            if self.instruction(place).is_none() {
                continue;
            }
            if is_it(place) {
                return Some(place);
            }
            open.extend(self.forward_successors(place).into_iter().flatten());
        }
        None
    }

    /// Returns the direct calls of a function.
    pub(crate) fn call_sites(self, callee: FunctionId) -> Vec<InstructionRef> {
        let calls = |at: &InstructionRef| {
            let (Some(function), Some(instruction)) = (self.function(*at), self.instruction(*at))
            else {
                return false;
            };
            let operands = function.operands_of(instruction.operands).iter();
            let mut callees = operands.filter_map(|operand| match &operand.value {
                OperandValue::Callee(Callee::Direct(id)) => Some(*id),
                _ => None,
            });
            callees.any(|id| id == callee)
        };
        self.all_places().filter(calls).collect()
    }

    /// Returns the next block barrier with number `id` after an instruction.
    pub(crate) fn barrier_after(self, at: InstructionRef, id: u32) -> Option<InstructionRef> {
        self.next_after(at, |place| self.barrier_id(place) == Some(id.into()))
    }

    /// Returns the target of a branch.
    pub(crate) fn target(self, at: InstructionRef) -> Option<u32> {
        let op = self.operation_of(at).and_then(Operation::control)?;
        if !op.is_branch() {
            return None;
        }
        let function = self.function(at)?;
        let operands = function.operands_of(self.instruction(at)?.operands);
        operands.iter().find_map(|operand| match operand.value {
            OperandValue::Label(index) => Some(index),
            _ => None,
        })
    }

    /// Returns the exit test of the innermost loop that contains an instruction. The function skips a loop that only repeats the
    /// instruction itself, and uses the enclosing loop.
    pub(crate) fn loop_test(self, at: InstructionRef) -> Option<InstructionRef> {
        let mut loops: Vec<(u32, InstructionRef)> = self
            .instruction_refs(at)
            .filter(|branch| branch.1 > at.1)
            .filter_map(|branch| {
                let target = self.target(branch)?;
                (target <= at.1).then(|| (branch.1 - target, branch))
            })
            .collect();
        loops.sort_by_key(|(length, _)| *length);
        let answers = self.destinations(at);
        loops.into_iter().find_map(|(_, branch)| {
            let guard = self.instruction(branch)?.guard?;
            if answers.contains(&guard.predicate) {
                return None;
            }
            let test = self.definition_before(branch, guard.predicate)?;
            (test != at).then_some(test)
        })
    }

    pub(crate) fn destinations(self, at: InstructionRef) -> Vec<RegisterId> {
        match (self.function(at), self.instruction(at)) {
            (Some(function), Some(instruction)) => function.destinations(instruction),
            _ => Vec::new(),
        }
    }

    /// Returns the last instruction before `at` in source order that writes a register.
    pub(crate) fn definition_before(
        self,
        at: InstructionRef,
        register: RegisterId,
    ) -> Option<InstructionRef> {
        self.instruction_refs(at)
            .filter(|place| place.1 < at.1)
            .filter(|place| self.destinations(*place).contains(&register))
            .last()
    }

    /// Checks whether an instruction writes a register.
    pub(crate) fn defines(self, at: InstructionRef, register: RegisterId) -> bool {
        self.destinations(at).contains(&register)
    }

    /// Returns the registers that an instruction reads as values, in operand order.
    pub(crate) fn sources(self, at: InstructionRef) -> Vec<RegisterId> {
        let (Some(function), Some(instruction)) = (self.function(at), self.instruction(at)) else {
            return Vec::new();
        };
        let operands = function.operands_of(instruction.operands).iter();
        operands
            .filter_map(|operand| match operand.value {
                OperandValue::Source(Source::Register(run), _) => Some(run.first),
                _ => None,
            })
            .collect()
    }

    /// Returns the first instruction after a load that compares the loaded value.
    pub(crate) fn test_of(self, load: InstructionRef) -> Option<InstructionRef> {
        let loaded = self.destinations(load);
        self.next_after(load, |place| {
            self.operation_of(place)
                .is_some_and(Operation::is_comparison)
                && self.sources(place).iter().any(|r| loaded.contains(r))
        })
    }

    /// Checks whether the code after an instruction starts copies, or executes an `expect_tx` operation, before its
    /// next wait.
    pub(crate) fn produces_after(self, at: InstructionRef) -> bool {
        let rest = self.instruction_refs(at).filter(|place| place.1 > at.1);
        rest.take_while(|place| !self.is_test(*place))
            .any(|place| self.is_copy(place) || self.has(place, Flag::ExpectTx))
    }
}

/// Queries about the parity and address registers of mbarrier waits.
impl ProgramQuery<'_> {
    /// Returns the parity register and the address register of a wait.
    pub(crate) fn wait_registers(
        self,
        wait: InstructionRef,
    ) -> (Option<RegisterId>, Option<RegisterId>) {
        let parity = self.sources(wait).last().copied();
        (parity, self.address_register(wait))
    }

    /// Returns the base register of the first address operand of an instruction.
    pub(crate) fn address_register(self, at: InstructionRef) -> Option<RegisterId> {
        let (Some(function), Some(instruction)) = (self.function(at), self.instruction(at)) else {
            return None;
        };
        let operands = function.operands_of(instruction.operands).iter();
        operands.clone().find_map(|operand| match operand.value {
            OperandValue::Address(address) => match address.base {
                AddressBase::Register(run) => Some(run.first),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns the first address operand of an instruction.
    pub(crate) fn address_of(self, at: InstructionRef) -> Option<Address> {
        let (function, instruction) = (self.function(at)?, self.instruction(at)?);
        let operands = function.operands_of(instruction.operands).iter();
        operands.clone().find_map(|operand| match operand.value {
            OperandValue::Address(address) => Some(address),
            _ => None,
        })
    }

    /// Checks whether two instructions read the same values.
    pub(crate) fn same_sources(self, a: InstructionRef, b: InstructionRef) -> bool {
        let of = |at: InstructionRef| -> Vec<Option<Source>> {
            let (Some(function), Some(instruction)) = (self.function(at), self.instruction(at))
            else {
                return Vec::new();
            };
            let operands = function.operands_of(instruction.operands).iter();
            operands
                .filter_map(|operand| match operand.value {
                    OperandValue::Source(source, _) => Some(Some(source)),
                    OperandValue::Destination(_) => None,
                    _ => Some(None),
                })
                .collect()
        };
        of(a) == of(b)
    }

    /// Follows the definition of a register backwards through copies, masks and parity flips, and returns the instruction at the start of
    /// this chain. Returns `None` if this chain contains a shift, a division or another phase update.
    pub(crate) fn copy_chain_origin(
        self,
        from: InstructionRef,
        register: RegisterId,
    ) -> Option<InstructionRef> {
        let (mut at, mut register, mut first) = (from, register, None);
        for _ in 0..8 {
            let Some(definition) = self.definition_before(at, register) else {
                return first;
            };
            if first.is_some() && self.is_constant(definition) {
                // A constant is the initial value of a counter, so the chain starts at the first update of the counter.
                return first;
            }
            if !self.is_copy_like(definition) {
                return if self.is_phase_update(definition) {
                    None
                } else {
                    first
                };
            }
            first = Some(definition);
            let Some(source) = self.sources(definition).first().copied() else {
                return first;
            };
            (at, register) = (definition, source);
        }
        first
    }

    fn arithmetic(self, at: InstructionRef) -> Option<ArithmeticOp> {
        self.operation_of(at).and_then(Operation::arithmetic)
    }

    fn moves(self, at: InstructionRef) -> Option<MoveOp> {
        self.operation_of(at).and_then(Operation::moves)
    }

    /// Checks whether an instruction copies or masks a register, or inverts bits of a source register that differs from
    /// the destination register.
    fn is_copy_like(self, at: InstructionRef) -> bool {
        let turns_itself = || {
            let sources = self.sources(at);
            self.destinations(at).iter().any(|d| sources.contains(d))
        };
        let op = self.arithmetic(at);
        op == Some(ArithmeticOp::And)
            || is_inversion(op) && !turns_itself()
            || self.moves(at).is_some_and(MoveOp::keeps_value)
    }

    /// Checks whether an instruction updates a phase: it computes the pass number of a ring buffer from a stage
    /// counter, or flips a bit.
    fn is_phase_update(self, at: InstructionRef) -> bool {
        use ArithmeticOp::{Bfe, Div, Shr};
        let op = self.arithmetic(at);
        matches!(op, Some(Shr | Div | Bfe))
            || is_inversion(op)
            || self.operation_of(at).and_then(Operation::compare) == Some(ComparisonOp::Selp)
    }

    /// Checks whether an instruction copies the bits of its source.
    pub(crate) fn is_move(self, at: InstructionRef) -> bool {
        self.moves(at).is_some_and(MoveOp::is_copy)
    }

    /// Checks whether an instruction copies a literal.
    pub(crate) fn is_constant(self, at: InstructionRef) -> bool {
        self.is_move(at) && self.sources(at).is_empty()
    }

    /// Returns a predicated instruction that resets a register on which a branch depends, if this branch skips the
    /// wait.
    pub(crate) fn guarded_reset(self, wait: InstructionRef) -> Option<InstructionRef> {
        let jumps = self.instruction_refs(wait).filter(|branch| {
            branch.1 < wait.1 && self.target(*branch).is_some_and(|target| target > wait.1)
        });
        jumps
            .filter_map(|branch| {
                let guard = self.instruction(branch)?.guard?;
                let test = self.definition_before(branch, guard.predicate)?;
                let register = *self.sources(test).first()?;
                let mut all = self.instruction_refs(wait);
                all.find(|place| {
                    place.1 > wait.1
                        && self.is_constant(*place)
                        && self.defines(*place, register)
                        && self.instruction(*place).is_some_and(|i| i.guard.is_some())
                })
            })
            .next()
    }

    /// Returns all mbarrier waits in the function of an instruction.
    pub(crate) fn waits(self, at: InstructionRef) -> Vec<InstructionRef> {
        self.instruction_refs(at)
            .filter(|place| self.is_test(*place))
            .collect()
    }
}

/// Checks whether an operation inverts bits.
fn is_inversion(op: Option<ArithmeticOp>) -> bool {
    matches!(op, Some(ArithmeticOp::Xor | ArithmeticOp::Not))
}
