//! Uninitialized-register analysis, which follows the values of registers that no instruction has written, up to the stores, addresses and
//! branches that use these values. The module takes a session at its start, and returns a note for each use of an unwritten value. The
//! analysis replays the first steps, but only if the kernel may read a register before an instruction writes it.
//!
//! The analysis propagates shadow state like Memcheck (J. Seward and N. Nethercote, "Using Valgrind to Detect Undefined Value Errors with
//! Bit-Precision", 2005), but its granularity is one register instead of one bit. The shadow mask of each register contains the lanes whose
//! value derives from an unwritten register. A value that an instruction loads from memory counts as written.

mod local_memory;
mod tensor_memory;

use crate::analysis::MAX_REPEATED_STEPS;
use crate::session::Session;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use warpgrid_emulator::{Agent, EventMask, Observer, StepEvent};
use warpgrid_isa::{AccessKind, ControlOp, StateSpace};
use warpgrid_launch::scenario::InitialRegister;
use warpgrid_program::{Function, FunctionId, Instruction, OperandValue, Program, RegisterId};

/// Maximum number of uses that the analysis reports.
const MAX_USES: usize = 4;

/// Kind of the instruction or operand that uses an unwritten value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueUse {
    Stored,
    Address,
    Branch,
}

/// Data flow of one instruction: the registers that it reads and writes, and the purpose for which it reads them.
#[derive(Debug, Default)]
struct ValueFlow {
    guard: Option<RegisterId>,
    sources: Vec<RegisterId>,
    destinations: Vec<RegisterId>,
    addresses: Vec<RegisterId>,
    /// Registers whose values the instruction stores.
    stored: Vec<RegisterId>,
    /// Whether the instruction is a branch, barrier or other instruction whose guard or operands determine control flow.
    is_branch: bool,
    /// Whether the instruction loads its results from memory.
    is_load: bool,
    /// Whether the sources of the instruction are alternatives or elements. The result of a selection or packing counts as written if at
    /// least one source is written.
    selects: bool,
}

impl ValueFlow {
    fn of(program: &Program, function: &Function, instruction: &Instruction) -> ValueFlow {
        let mut flow = ValueFlow {
            guard: instruction.guard.map(|guard| guard.predicate),
            destinations: function.destinations(instruction),
            ..ValueFlow::default()
        };
        let Some(action) = program.opcode(instruction) else {
            return flow;
        };
        // Stores to call parameters and to the stack only transfer values between registers, so do not count these stores as uses.
        let space = action.modifiers.space.unwrap_or(StateSpace::Generic);
        let is_private = matches!(space, StateSpace::ParamFunc | StateSpace::Local);
        let memory = action.operation.memory();
        let control = action.operation.control();
        flow.is_load = memory.is_some() || action.operation.unit().is_some();
        flow.is_branch = control.is_some_and(ControlOp::transfers_control);
        let is_store = memory.is_some_and(|op| op.access() != Some(AccessKind::Load));
        let stores = is_store && !is_private;
        for operand in function.operands_of(instruction.operands) {
            match stores {
                true => flow.add(function, &operand.value, |flow| &mut flow.stored),
                false => flow.add(function, &operand.value, |flow| &mut flow.sources),
            }
            // A selection has a predicate operand, and a packed value is a list of elements. Compilers pack values together with an
            // unwritten register that no instruction unpacks.
            flow.selects |= matches!(
                operand.value,
                OperandValue::Predicate { .. } | OperandValue::List(_)
            );
        }
        // The difference or the exclusive or of a register with itself is a constant, so the result does not depend on the register and has
        // no sources.
        if flow.sources.len() == 2 && flow.sources.first() == flow.sources.last() {
            flow.sources.clear();
        }
        flow
    }

    /// Adds the registers of an operand to the list of `flow` that `select` returns, and the registers of its address to the addresses of
    /// `flow`.
    fn add(
        &mut self,
        function: &Function,
        value: &OperandValue,
        select: fn(&mut ValueFlow) -> &mut Vec<RegisterId>,
    ) {
        match *value {
            OperandValue::List(list) => {
                for element in function.operands_of(list) {
                    self.add(function, &element.value, select);
                }
            }
            OperandValue::Address(_) => self.addresses.extend(function.operand_sources(value)),
            _ => select(self).extend(function.operand_sources(value)),
        }
    }
}

/// Shadow state of the registers of one warp, which records the lanes whose values derive from an unwritten register.
#[derive(Debug)]
struct UninitializedShadow {
    /// For each register, the lanes whose value derives from an unwritten register.
    unwritten: Vec<u32>,
    /// For each register, the unwritten register from which its value derives.
    origins: Vec<RegisterId>,
}

impl UninitializedShadow {
    fn new(n_registers: usize) -> UninitializedShadow {
        UninitializedShadow {
            unwritten: vec![u32::MAX; n_registers],
            origins: (0..n_registers as u32).map(RegisterId).collect(),
        }
    }

    fn lanes(&self, register: RegisterId) -> u32 {
        let lanes = self.unwritten.get(register.0 as usize);
        lanes.copied().unwrap_or(0)
    }

    fn origin(&self, register: RegisterId) -> RegisterId {
        let origin = self.origins.get(register.0 as usize);
        origin.copied().unwrap_or(register)
    }

    /// Returns the lanes in which the result of an instruction derives from an unwritten register, and the unwritten register.
    fn result(&self, flow: &ValueFlow, executed: u32) -> (u32, RegisterId) {
        let mut sources = flow.sources.iter();
        let origin = sources.rfind(|register| self.lanes(**register) != 0);
        let origin = origin.map_or(RegisterId(0), |register| self.origin(*register));
        let sources = flow.sources.iter().map(|register| self.lanes(*register));
        let lanes = match (flow.is_load || flow.sources.is_empty(), flow.selects) {
            (true, _) => 0,
            (false, true) => sources.fold(executed, |all, lanes| all & lanes),
            (false, false) => sources.fold(0, |all, lanes| all | lanes),
        };
        (lanes, origin)
    }

    /// Propagates the shadow state through an executed instruction. If the guard of an instruction is unwritten, it is unknown whether the
    /// instruction writes its destination.
    fn execute(&mut self, flow: &ValueFlow, event: &StepEvent) {
        let (lanes, origin) = self.result(flow, event.executed);
        let guard = flow
            .guard
            .map(|guard| (self.lanes(guard) & event.lanes, self.origin(guard)));
        for register in &flow.destinations {
            self.write(*register, event.executed, lanes, origin);
            if let Some((unknown, guard)) = guard.filter(|(unknown, _)| *unknown != 0) {
                self.write(*register, unknown, u32::MAX, guard);
            }
        }
    }

    /// Replaces the lanes `executed` in the shadow mask of a register by the corresponding lanes of `lanes`.
    fn write(&mut self, register: RegisterId, executed: u32, lanes: u32, origin: RegisterId) {
        let index = register.0 as usize;
        if let Some(own) = self.unwritten.get_mut(index) {
            *own = *own & !executed | lanes & executed;
        }
        if lanes & executed != 0
            && let Some(own) = self.origins.get_mut(index)
        {
            *own = origin;
        }
    }
}

/// Use of an unwritten register by an instruction, which a [`ValueFollower`] has found.
#[derive(Clone, Copy, Debug)]
struct FoundUse {
    instruction: u32,
    origin: RegisterId,
    used: ValueUse,
    block: u64,
    /// First thread that uses the unwritten register, as the linear index of the thread within its block.
    thread: u32,
}

/// Observer that follows the values of unwritten registers of the kernel.
struct ValueFollower {
    entry: FunctionId,
    flows: Vec<ValueFlow>,
    /// For each instruction, the instructions that are executed in the same step.
    steps: Vec<RangeInclusive<usize>>,
    n_registers: usize,
    /// Registers to which the launch assigns an initial value.
    set: Vec<RegisterId>,
    shadows: HashMap<(u64, u32), UninitializedShadow>,
    found: Vec<FoundUse>,
}

impl ValueFollower {
    fn new(program: &Program, entry: FunctionId, set: &[InitialRegister]) -> Option<ValueFollower> {
        let function = program.functions.get(entry.0 as usize)?;
        let of = |instruction| ValueFlow::of(program, function, instruction);
        Some(ValueFollower {
            entry,
            flows: function.instructions.iter().map(of).collect(),
            steps: (0..function.instructions.len() as u32)
                .map(|index| function.instructions_of_step(index))
                .collect(),
            n_registers: function.registers.len(),
            set: (0..function.registers.len() as u32)
                .map(RegisterId)
                .filter(|id| {
                    set.iter()
                        .any(|own| own.name == function.registers.name(*id))
                })
                .collect(),
            shadows: HashMap::new(),
            found: Vec::new(),
        })
    }
}

impl Observer for ValueFollower {
    fn interest(&self) -> EventMask {
        EventMask::STEPS
    }

    fn step(&mut self, event: &StepEvent) {
        if event.function != self.entry || !matches!(event.agent, Agent::Warp { .. }) {
            return;
        }
        let Some(parts) = self.steps.get(event.instruction as usize).cloned() else {
            return;
        };
        let n_registers = self.n_registers;
        let shadow = self.shadows.entry((event.block, event.warp));
        let set = &self.set;
        let shadow = shadow.or_insert_with(|| {
            let mut shadow = UninitializedShadow::new(n_registers);
            set.iter()
                .for_each(|own| shadow.write(*own, u32::MAX, 0, *own));
            shadow
        });
        for index in parts {
            let Some(flow) = self.flows.get(index) else {
                continue;
            };
            let mut report = |registers: &[RegisterId], lanes: u32, used: ValueUse| {
                for register in registers {
                    let lanes = shadow.lanes(*register) & lanes;
                    let origin = shadow.origin(*register);
                    let is_known = |found: &FoundUse| {
                        found.instruction as usize == index || found.origin == origin
                    };
                    if lanes != 0 && self.found.len() < MAX_USES && !self.found.iter().any(is_known)
                    {
                        self.found.push(FoundUse {
                            instruction: index as u32,
                            origin,
                            used,
                            block: event.block,
                            thread: event.warp * 32 + lanes.trailing_zeros(),
                        });
                    }
                }
            };
            if flow.is_branch || !flow.stored.is_empty() {
                report(flow.guard.as_slice(), event.lanes, ValueUse::Branch);
            }
            if flow.is_branch {
                report(&flow.sources, event.executed, ValueUse::Branch);
            }
            report(&flow.addresses, event.executed, ValueUse::Address);
            report(&flow.stored, event.executed, ValueUse::Stored);
            shadow.execute(flow, event);
        }
    }
}

impl Session {
    /// Returns the uses of unwritten registers, local memory and tensor memory in the first steps of the launch.
    pub(crate) fn uninitialized_uses(&self) -> Vec<UninitializedUse> {
        let mut uses = self.uninitialized_registers();
        uses.extend(self.uninitialized_local_reads());
        uses.extend(self.uninitialized_tensor_reads());
        uses
    }

    fn uninitialized_registers(&self) -> Vec<UninitializedUse> {
        // Exclude SASS, because the hardware sets registers before a SASS kernel starts, and the launch sets registers before a SASS
        // snippet starts.
        let may_read = |function: &Function| {
            function.machine.is_none() && self.program.reads_unwritten_register(function)
        };
        let may_read = self.program.entries().any(|(_, entry)| may_read(entry));
        match may_read.then(|| self.restart_without_last_writers()) {
            Some(Ok(mut again)) => again.follow_unwritten_registers().unwrap_or_default(),
            Some(Err(_)) | None => Vec::new(),
        }
    }

    /// Runs a session that is at its start, and returns the uses of unwritten registers.
    fn follow_unwritten_registers(&mut self) -> Option<Vec<UninitializedUse>> {
        let entry = self.timeline.machine().next_step()?.function;
        let program = self.program.clone();
        let function = program.functions.get(entry.0 as usize)?;
        let mut follower = ValueFollower::new(&program, entry, &self.scenario().registers)?;
        self.timeline
            .run_observed(MAX_REPEATED_STEPS, &mut follower);
        let uses = follower.found.iter().map(|found| {
            let register = function.registers.name(found.origin);
            let used = match found.used {
                ValueUse::Stored => "the stored value",
                ValueUse::Address => "the address",
                ValueUse::Branch => "the predicate",
            };
            UninitializedUse {
                function: entry,
                instruction: found.instruction,
                message: format!(
                    "{used} depends on the uninitialized register `{register}` (thread {} of block {})",
                    found.thread, found.block
                ),
            }
        });
        Some(uses.collect())
    }
}

/// Instruction that stores, or uses as an address or predicate, a value that depends on an unwritten register, or that reads unwritten local
/// memory or tensor memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UninitializedUse {
    pub(crate) function: FunctionId,
    pub(crate) instruction: u32,
    pub(crate) message: String,
}
