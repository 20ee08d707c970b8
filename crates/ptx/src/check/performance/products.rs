//! Checks of `wgmma`: accesses to registers of MMAs in flight, and calls in kernels with MMAs (PTX ISA, "wgmma.mma_async"; assembler 13.5).
//! The checks use a forward data-flow analysis over the basic blocks of each function that a kernel reaches (A. V. Aho, M. S. Lam, R. Sethi
//! and J. D. Ullman, "Compilers: Principles, Techniques, and Tools").

use crate::check::performance::calls::{CallKind, Calls};
use crate::check::performance::{is_product, warpgroup};
use crate::diagnostics::performance as diagnose;
use crate::tree::SourceKind;
use warpgrid_isa::{ControlOp, MoveOp, WarpgroupOp};
use warpgrid_program::{
    BasicBlock, Diagnostic, Function, FunctionId, Instruction, LiveRegisters, Liveness, Module,
    OperandValue, RegisterId, Source, Span, reachable_blocks,
};

pub(crate) fn check(module: &Module, calls: &Calls<'_>, kind: SourceKind) -> Vec<Diagnostic> {
    let mut is_checked = vec![false; module.functions.len()];
    let mut found: Vec<Diagnostic> = Vec::new();
    for (id, kernel) in calls.kernels() {
        let reached = calls.reached(id);
        if !reached.iter().any(|id| has_products(module, calls, *id)) {
            continue;
        }
        for id in &reached {
            let (Some(function), Some(seen)) =
                (calls.function(*id), is_checked.get_mut(id.0 as usize))
            else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            found.append(&mut calls_with_products(module, calls, function, kernel));
            if has_products(module, calls, *id) {
                let analysis = Analysis::of(module, calls, function, kind);
                found.append(&mut analysis.run());
            }
        }
    }
    found
}

fn has_products(module: &Module, calls: &Calls<'_>, id: FunctionId) -> bool {
    let is_one = |instruction: &Instruction| {
        let action = module.opcode(instruction);
        action.is_some_and(|action| is_product(action.operation))
    };
    let function = calls.function(id);
    function.is_some_and(|function| function.instructions.iter().any(is_one))
}

/// Returns a diagnostic for each call that the assembler does not inline in a function that a kernel with MMAs reaches.
fn calls_with_products(
    module: &Module,
    calls: &Calls<'_>,
    function: &Function,
    kernel: &Function,
) -> Vec<Diagnostic> {
    let is_call = |instruction: &Instruction| {
        let action = module.opcode(instruction);
        action
            .and_then(|action| action.operation.control())
            .is_some_and(ControlOp::is_call)
    };
    if !function.instructions.iter().any(is_call) {
        return Vec::new();
    }
    let blocks = module.basic_blocks(function);
    let is_reachable = reachable_blocks(&blocks);
    let reachable = blocks.iter().zip(is_reachable);
    let ranges = reachable.filter_map(|(block, is_reachable)| is_reachable.then_some(&block.range));
    let instructions =
        ranges.flat_map(|range| function.instructions.get(range.clone()).unwrap_or(&[]));
    let problem = |instruction: &Instruction| {
        let kind = calls.kind(function, instruction)?;
        let is_inlined = match &kind {
            CallKind::Known(id) => !has_products(module, calls, *id),
            CallKind::Recursive(_)
            | CallKind::External(_)
            | CallKind::Indirect
            | CallKind::System(_) => false,
        };
        let callee = calls.describe(&kind);
        (!is_inlined).then(|| diagnose::call_with_products(instruction.span, &callee, &kernel.name))
    };
    instructions.filter_map(problem).collect()
}

/// Age of an MMA in flight: one plus the number of groups that have been committed since the start of the MMA, or 0 if no MMA is in flight.
type Age = u8;
const NONE: Age = 0;
/// Age of an MMA that has not been committed to a group.
const STARTED: Age = 1;
/// Maximum age. The maximum exceeds the number of groups that `wgmma.wait_group` can leave pending.
const OLDEST: Age = 9;

/// Ages of the MMAs that access a register and may be in flight at a program point, joined over all paths to this point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct InFlight {
    /// Age of the youngest MMA in flight that writes the register.
    accumulator: Age,
    /// Age of an MMA that writes the register, if the instruction `writer` has written the register since.
    written_accumulator: Age,
    writer: u32,
    /// Age of an MMA that reads the register as a part of matrix A.
    operand: Age,
    /// Age of an MMA that reads the register as a part of matrix A, if the instruction `operand_writer` has written the register
    /// since.
    written_operand: Age,
    operand_writer: u32,
}

impl InFlight {
    /// Joins the states of two paths. If both paths have an MMA in flight, the result contains the age of the younger MMA, which completes
    /// later.
    fn join(&mut self, other: &InFlight) {
        let younger = |own: Age, other: Age| match (own, other) {
            (NONE, age) | (age, NONE) => age,
            (own, other) => own.min(other),
        };
        self.accumulator = younger(self.accumulator, other.accumulator);
        self.written_accumulator = younger(self.written_accumulator, other.written_accumulator);
        self.writer = self.writer.max(other.writer);
        self.operand = younger(self.operand, other.operand);
        self.written_operand = younger(self.written_operand, other.written_operand);
        self.operand_writer = self.operand_writer.max(other.operand_writer);
    }

    fn ages(&mut self) -> [&mut Age; 4] {
        [
            &mut self.accumulator,
            &mut self.written_accumulator,
            &mut self.operand,
            &mut self.written_operand,
        ]
    }
}

/// Returns whether `wgmma.wait_group` with the operand `n_pending` waits for an MMA of the given age. With the operand 0, the instruction
/// also waits for uncommitted MMAs.
const fn completes(age: Age, n_pending: u8) -> bool {
    age != NONE && (n_pending == 0 || age > n_pending.saturating_add(STARTED))
}

/// Effect of an instruction on the data-flow state of the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Product,
    Commit,
    Wait {
        n_pending: u8,
    },
    /// Copy of a register, which the assembler coalesces.
    Copy {
        from: RegisterId,
        to: RegisterId,
    },
    Call,
    /// `ret` or `exit`.
    End,
    Other,
}

/// Violation of the rules for registers that MMAs in flight access, from which a diagnostic is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Read(RegisterId),
    Written(RegisterId),
    OperandWritten(RegisterId),
    /// The function ends while an MMA writes the register.
    InFlight(RegisterId),
}

/// State of the analysis: the MMAs in flight for each register of [`Analysis::tracked`].
type State = Vec<InFlight>;

/// Index of an instruction, and the problem at this instruction.
type Finding = (usize, Problem);

struct Analysis<'f> {
    module: &'f Module,
    calls: &'f Calls<'f>,
    function: &'f Function,
    kind: SourceKind,
    blocks: Vec<BasicBlock>,
    /// Registers that MMAs access, and registers that contain copies of these registers.
    tracked: Vec<RegisterId>,
    /// Index into `tracked` of each register.
    places: Vec<Option<u32>>,
}

impl<'f> Analysis<'f> {
    fn of(
        module: &'f Module,
        calls: &'f Calls<'f>,
        function: &'f Function,
        kind: SourceKind,
    ) -> Analysis<'f> {
        let mut analysis = Analysis {
            module,
            calls,
            function,
            kind,
            blocks: module.basic_blocks(function),
            tracked: Vec::new(),
            places: vec![None; function.registers.len()],
        };
        for instruction in &function.instructions {
            if analysis.step_of(instruction) == Step::Product {
                let accumulators = accumulators(module, function, instruction);
                accumulators
                    .into_iter()
                    .for_each(|register| analysis.track(register));
                let operand_registers = operand_registers(function, instruction);
                operand_registers
                    .into_iter()
                    .for_each(|register| analysis.track(register));
            }
        }
        let mut n_known = 0;
        while n_known != analysis.tracked.len() {
            n_known = analysis.tracked.len();
            for instruction in &function.instructions {
                if let Step::Copy { from, to } = analysis.step_of(instruction)
                    && analysis.place(from).is_some()
                {
                    analysis.track(to);
                }
            }
        }
        analysis
    }

    fn track(&mut self, register: RegisterId) {
        let next = self.tracked.len() as u32;
        if let Some(place) = self.places.get_mut(register.0 as usize)
            && place.is_none()
        {
            *place = Some(next);
            self.tracked.push(register);
        }
    }

    fn place(&self, register: RegisterId) -> Option<usize> {
        let place = self.places.get(register.0 as usize).copied().flatten();
        place.map(|place| place as usize)
    }

    fn run(&self) -> Vec<Diagnostic> {
        let function = self.function;
        let liveness = Liveness::of(function, &self.blocks, &function.results, |instruction| {
            read_accumulators(self.module, function, instruction)
        });
        let live = |block: usize, instruction: usize| liveness.after(block, instruction);
        let mut at_start: Vec<Option<State>> = vec![None; self.blocks.len()];
        if let Some(entry) = at_start.first_mut() {
            *entry = Some(vec![InFlight::default(); self.tracked.len()]);
        }
        let mut pending: Vec<usize> = vec![0];
        while let Some(index) = pending.pop() {
            let Some(Some(start)) = at_start.get(index) else {
                continue;
            };
            let mut state = start.clone();
            self.block(index, &mut state, &live, &mut Vec::new());
            let successors = self.blocks.get(index).map(|block| &block.successors);
            for next in successors.into_iter().flatten() {
                let Some(known) = at_start.get_mut(*next) else {
                    continue;
                };
                if join(known, &state) {
                    pending.push(*next);
                }
            }
        }
        let mut found: Vec<Finding> = Vec::new();
        for (index, start) in at_start.into_iter().enumerate() {
            if let Some(mut state) = start {
                self.block(index, &mut state, &live, &mut found);
            }
        }
        self.diagnostics(found)
    }

    /// Returns at most one diagnostic of each kind per instruction. If the assembler inserts a wait before a read, no MMA is in flight at
    /// the end of the function, so the end is not reported.
    fn diagnostics(&self, found: Vec<Finding>) -> Vec<Diagnostic> {
        let is_read = |(_, problem): &Finding| matches!(problem, Problem::Read(_));
        let has_read = found.iter().any(is_read);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let name = |register: RegisterId| self.function.registers.name(register);
        for (index, problem) in found {
            let Some(instruction) = self.function.instructions.get(index) else {
                continue;
            };
            let span = instruction.span;
            let diagnostic = match problem {
                Problem::Read(register) => diagnose::accumulator_read(span, name(register)),
                Problem::Written(register) => diagnose::accumulator_written(span, name(register)),
                Problem::OperandWritten(register) => {
                    diagnose::operand_written(span, name(register))
                }
                Problem::InFlight(_) if has_read || self.kind == SourceKind::Snippet => continue,
                Problem::InFlight(register) => {
                    let product = self.product_of(register).unwrap_or(span);
                    diagnose::missing_wait(span, &self.function.name, product)
                }
            };
            let is_known =
                |known: &Diagnostic| known.code == diagnostic.code && known.span == diagnostic.span;
            if !diagnostics.iter().any(is_known) {
                diagnostics.push(diagnostic);
            }
        }
        diagnostics
    }

    /// Returns the span of the last MMA instruction that writes the given register.
    fn product_of(&self, register: RegisterId) -> Option<Span> {
        let mut products = self.function.instructions.iter().rev();
        let writes = |instruction: &&Instruction| {
            accumulators(self.module, self.function, instruction).contains(&register)
        };
        products.find(writes).map(|product| product.span)
    }

    /// Applies the instructions of a basic block to a data-flow state, and appends the problems to `found` if it is given.
    fn block(
        &self,
        index: usize,
        state: &mut State,
        live_after: &dyn Fn(usize, usize) -> LiveRegisters,
        found: &mut Vec<Finding>,
    ) {
        let Some(block) = self.blocks.get(index) else {
            return;
        };
        for at in block.range.clone() {
            let Some(instruction) = self.function.instructions.get(at) else {
                continue;
            };
            let live = || live_after(index, at);
            match self.step_of(instruction) {
                Step::Product => self.product(at, instruction, state, found),
                Step::Commit => commit(state),
                Step::Wait { n_pending } => self.wait(n_pending, &live(), state, found),
                Step::Copy { from, to } => self.copy(at, [from, to], state),
                Step::End => self.end(at, state, found),
                Step::Call => {
                    self.access(at, instruction, &live, state, found);
                    if self.may_wait(instruction) {
                        state.fill(InFlight::default());
                    }
                }
                Step::Other => self.access(at, instruction, &live, state, found),
            }
        }
    }

    fn product(
        &self,
        at: usize,
        instruction: &Instruction,
        state: &mut State,
        found: &mut Vec<Finding>,
    ) {
        let operand_registers = operand_registers(self.function, instruction);
        let is_accumulator =
            |register: &RegisterId| self.in_flight(state, *register).accumulator != NONE;
        if let Some(register) = operand_registers.iter().copied().find(is_accumulator) {
            found.push((at, Problem::Read(register)));
            state.fill(InFlight::default());
        }
        for register in operand_registers {
            let Some(own) = self.place(register).and_then(|place| state.get_mut(place)) else {
                continue;
            };
            if own.written_operand != NONE {
                let writer = own.operand_writer as usize;
                found.push((writer, Problem::OperandWritten(register)));
            }
            own.operand = STARTED;
        }
        for register in accumulators(self.module, self.function, instruction) {
            let Some(own) = self.place(register).and_then(|place| state.get_mut(place)) else {
                continue;
            };
            own.accumulator = STARTED;
            if instruction.guard.is_none() {
                own.written_accumulator = NONE;
            }
        }
    }

    fn wait(
        &self,
        n_pending: u8,
        live: &LiveRegisters,
        state: &mut State,
        found: &mut Vec<Finding>,
    ) {
        let is_live = |register: &RegisterId| live.contains(*register);
        // Ignore MMAs whose results are unused, because the assembler deletes them.
        let mut completed = self.tracked.iter().zip(state.iter());
        let is_used = completed
            .any(|(register, own)| completes(own.accumulator, n_pending) && is_live(register));
        for (register, own) in self.tracked.iter().zip(state.iter_mut()) {
            if completes(own.written_accumulator, n_pending) && is_used && is_live(register) {
                found.push((own.writer as usize, Problem::Written(*register)));
            }
            if completes(own.written_operand, n_pending) && is_live(register) {
                found.push((
                    own.operand_writer as usize,
                    Problem::OperandWritten(*register),
                ));
            }
            for age in own.ages() {
                if completes(*age, n_pending) {
                    *age = NONE;
                }
            }
        }
    }

    /// Copies a register. The check treats the copy of an accumulator in flight as an accumulator in flight.
    fn copy(&self, at: usize, [from, to]: [RegisterId; 2], state: &mut State) {
        let source = self.in_flight(state, from);
        let Some(own) = self.place(to).and_then(|place| state.get_mut(place)) else {
            return;
        };
        if source.accumulator != NONE {
            own.accumulator = source.accumulator;
            own.written_accumulator = NONE;
        } else {
            write_accumulator(own, at);
        }
        write_operand(own, at);
    }

    /// Applies an instruction other than `wgmma` instructions, register copies and the end of the function to the state.
    fn access(
        &self,
        at: usize,
        instruction: &Instruction,
        live: &dyn Fn() -> LiveRegisters,
        state: &mut State,
        found: &mut Vec<Finding>,
    ) {
        let written = self.function.destinations(instruction);
        let mut read = self.function.sources(instruction);
        if instruction.guard.is_some() {
            // The instruction also reads its destinations, because lanes that are predicated off keep the previous values.
            read.extend(&written);
        }
        let is_accumulator =
            |register: &RegisterId| self.in_flight(state, *register).accumulator != NONE;
        if let Some(register) = read.iter().copied().find(is_accumulator)
            && self.is_used(instruction, &written, live)
        {
            found.push((at, Problem::Read(register)));
            state.fill(InFlight::default());
        }
        if instruction.guard.is_some() {
            return;
        }
        for register in written {
            let Some(own) = self.place(register).and_then(|place| state.get_mut(place)) else {
                continue;
            };
            write_accumulator(own, at);
            write_operand(own, at);
        }
    }

    /// Returns whether the assembler retains an instruction. The assembler deletes computations whose results are unused.
    fn is_used(
        &self,
        instruction: &Instruction,
        written: &[RegisterId],
        live: &dyn Fn() -> LiveRegisters,
    ) -> bool {
        let action = self.module.opcode(instruction);
        let is_computation = action.is_some_and(|action| action.operation.is_computation());
        if !is_computation {
            return true;
        }
        let live = live();
        written.iter().any(|register| live.contains(*register))
    }

    /// Returns whether a called function may wait for MMAs.
    fn may_wait(&self, instruction: &Instruction) -> bool {
        let is_of_products = |instruction: &Instruction| {
            let action = self.module.opcode(instruction);
            action.is_some_and(|action| warpgroup(action.operation).is_some())
        };
        match self.calls.kind(self.function, instruction) {
            Some(CallKind::Known(callee)) => self
                .calls
                .reached(callee)
                .into_iter()
                .filter_map(|id| self.calls.function(id))
                .any(|function| function.instructions.iter().any(is_of_products)),
            _ => true,
        }
    }

    fn end(&self, at: usize, state: &State, found: &mut Vec<Finding>) {
        let mut all = self.tracked.iter().zip(state);
        let in_flight = all.find(|(_, own)| own.accumulator != NONE);
        found.extend(in_flight.map(|(register, _)| (at, Problem::InFlight(*register))));
    }

    fn in_flight(&self, state: &State, register: RegisterId) -> InFlight {
        let place = self.place(register);
        let own = place.and_then(|place| state.get(place));
        own.copied().unwrap_or_default()
    }

    fn step_of(&self, instruction: &Instruction) -> Step {
        let Some(action) = self.module.opcode(instruction) else {
            return Step::Other;
        };
        let operands = self.function.operands_of(instruction.operands);
        let operand = |at: usize| operands.get(at).map(|operand| &operand.value);
        if let Some(operation) = warpgroup(action.operation) {
            return match operation {
                WarpgroupOp::MmaAsync | WarpgroupOp::MmaAsyncSparse => Step::Product,
                WarpgroupOp::Fence => Step::Other,
                WarpgroupOp::Commit => Step::Commit,
                WarpgroupOp::Wait => match operand(0) {
                    Some(OperandValue::Source(Source::Immediate(n), _)) => Step::Wait {
                        n_pending: u8::try_from(*n).unwrap_or(u8::MAX),
                    },
                    _ => Step::Other,
                },
            };
        }
        if let Some(control) = action.operation.control() {
            return match (control.exits_function(), control.is_call()) {
                (true, _) => Step::End,
                (_, true) => Step::Call,
                (false, false) => Step::Other,
            };
        }
        let is_copy = action.operation.moves().is_some_and(MoveOp::is_copy);
        if !is_copy || instruction.guard.is_some() {
            return Step::Other;
        }
        match (operand(0), operand(1)) {
            (
                Some(OperandValue::Destination(Some(to))),
                Some(OperandValue::Source(Source::Register(from), _)),
            ) if to.n == 1 && from.n == 1 => Step::Copy {
                from: from.first,
                to: to.first,
            },
            _ => Step::Other,
        }
    }
}

/// Returns the accumulators of an MMA, or an empty list for other instructions.
fn accumulators(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Vec<RegisterId> {
    let action = module.opcode(instruction);
    match action.is_some_and(|action| is_product(action.operation)) {
        true => function.destinations(instruction),
        false => Vec::new(),
    }
}

/// Returns the accumulator registers that an MMA reads. The list is empty if `scale-d` is the constant 0.
fn read_accumulators(
    module: &Module,
    function: &Function,
    instruction: &Instruction,
) -> Vec<RegisterId> {
    let action = module.opcode(instruction);
    let operation = action.and_then(|action| warpgroup(action.operation));
    let Some(at) = operation.and_then(WarpgroupOp::scale_operand) else {
        return Vec::new();
    };
    let scale = function.operands_of(instruction.operands).get(at);
    match scale.map(|operand| &operand.value) {
        Some(OperandValue::Source(Source::Immediate(0), _)) => Vec::new(),
        _ => accumulators(module, function, instruction),
    }
}

/// Returns the registers that contain matrix A of an MMA. The list is empty if matrix A is in shared memory.
fn operand_registers(function: &Function, instruction: &Instruction) -> Vec<RegisterId> {
    let operands = function.operands_of(instruction.operands);
    match operands.get(1).map(|operand| &operand.value) {
        Some(operand @ OperandValue::List(_)) => function.operand_registers(operand),
        _ => Vec::new(),
    }
}

fn commit(state: &mut State) {
    for age in state.iter_mut().flat_map(InFlight::ages) {
        if *age != NONE {
            *age = age.saturating_add(1).min(OLDEST);
        }
    }
}

fn write_accumulator(own: &mut InFlight, at: usize) {
    if own.accumulator != NONE {
        own.written_accumulator = own.accumulator;
        own.accumulator = NONE;
    }
    if own.written_accumulator != NONE {
        own.writer = at as u32;
    }
}

fn write_operand(own: &mut InFlight, at: usize) {
    if own.operand != NONE {
        own.written_operand = own.operand;
        own.operand_writer = at as u32;
    }
}

/// Joins a state into the known state at the start of a basic block. Returns whether the state of the block has changed.
fn join(known: &mut Option<State>, state: &State) -> bool {
    let Some(known) = known else {
        *known = Some(state.clone());
        return true;
    };
    let mut is_new = false;
    for (own, other) in known.iter_mut().zip(state) {
        let old = *own;
        own.join(other);
        is_new |= *own != old;
    }
    is_new
}
