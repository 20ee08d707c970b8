//! `wgmma`: registers of products in flight that other instructions access, and calls beside products (PTX ISA, "wgmma.mma_async";
//! assembler 13.5). A forward data-flow analysis over the basic blocks of each function that a kernel reaches.

use super::calls::{CallKind, Calls};
use super::liveness::{LiveRegisters, Liveness, accumulators, reachable_blocks};
use super::{is_product, warpgroup};
use crate::diagnostics::performance as diagnose;
use crate::tree::SourceKind;
use warpgrid_isa::{ControlOp, MoveOp, WarpgroupOp};
use warpgrid_program::{
    BasicBlock, Diagnostic, Function, FunctionId, Instruction, Module, OperandValue, RegisterId,
    Source, Span,
};

pub(super) fn check(module: &Module, calls: &Calls<'_>, kind: SourceKind) -> Vec<Diagnostic> {
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
            found.append(&mut calls_beside_products(module, calls, function, kernel));
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
        let action = module.action(instruction);
        action.is_some_and(|action| is_product(action.does))
    };
    let function = calls.function(id);
    function.is_some_and(|function| function.instructions.iter().any(is_one))
}

/// Returns a diagnostic for each call that the assembler does not inline.
fn calls_beside_products(
    module: &Module,
    calls: &Calls<'_>,
    function: &Function,
    kernel: &Function,
) -> Vec<Diagnostic> {
    let is_call = |instruction: &Instruction| {
        let action = module.action(instruction);
        action
            .and_then(|action| action.does.control())
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
        (!is_inlined)
            .then(|| diagnose::call_beside_product(instruction.span, &callee, &kernel.name))
    };
    instructions.filter_map(problem).collect()
}

/// How many groups were committed since a product started, and one more; 0 if no product is in flight.
type Age = u8;
const NONE: Age = 0;
/// Not committed.
const STARTED: Age = 1;
/// More groups than `wgmma.wait_group` can leave pending.
const OLDEST: Age = 9;

/// What may be in flight with respect to a register: on some path to a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct InFlight {
    /// A product that writes the register.
    sum: Age,
    /// A product that writes the register, which an instruction has written since: `writer`.
    written_sum: Age,
    writer: u32,
    /// A product that reads the register as a part of A.
    factor: Age,
    /// A product that reads the register as a part of A, which an instruction has written since: `factor_writer`.
    written_factor: Age,
    factor_writer: u32,
}

impl InFlight {
    /// Joins the states of two paths: the younger product completes later.
    fn join(&mut self, other: &InFlight) {
        let younger = |own: Age, other: Age| match (own, other) {
            (NONE, age) | (age, NONE) => age,
            (own, other) => own.min(other),
        };
        self.sum = younger(self.sum, other.sum);
        self.written_sum = younger(self.written_sum, other.written_sum);
        self.writer = self.writer.max(other.writer);
        self.factor = younger(self.factor, other.factor);
        self.written_factor = younger(self.written_factor, other.written_factor);
        self.factor_writer = self.factor_writer.max(other.factor_writer);
    }

    fn ages(&mut self) -> [&mut Age; 4] {
        [
            &mut self.sum,
            &mut self.written_sum,
            &mut self.factor,
            &mut self.written_factor,
        ]
    }
}

/// Whether `wgmma.wait_group` with `n_pending` waits for a product. A wait for all groups also waits for products that no group has.
const fn completes(age: Age, n_pending: u8) -> bool {
    age != NONE && (n_pending == 0 || age > n_pending.saturating_add(STARTED))
}

/// What an instruction means for products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Product,
    Commit,
    Wait {
        n_pending: u8,
    },
    /// A copy between registers, which the assembler merges into one register.
    Copy {
        from: RegisterId,
        to: RegisterId,
    },
    Call,
    /// `ret` or `exit`.
    End,
    Other,
}

/// What is wrong with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    Read(RegisterId),
    Written(RegisterId),
    FactorWritten(RegisterId),
    /// The function ends while a product writes the register.
    InFlight(RegisterId),
}

/// By place of [`Analysis::tracked`].
type State = Vec<InFlight>;

/// A problem with the instruction of an index.
type Finding = (usize, Problem);

struct Analysis<'f> {
    module: &'f Module,
    calls: &'f Calls<'f>,
    function: &'f Function,
    kind: SourceKind,
    blocks: Vec<BasicBlock>,
    /// The registers of products and their copies.
    tracked: Vec<RegisterId>,
    /// By register: its place among the tracked ones.
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
                let sums = accumulators(module, function, instruction);
                sums.into_iter()
                    .for_each(|register| analysis.track(register));
                let factors = factors(function, instruction);
                factors
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
        let liveness = Liveness::of(self.module, self.function, &self.blocks);
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
            self.block(index, &mut state, &liveness, &mut Vec::new());
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
                self.block(index, &mut state, &liveness, &mut found);
            }
        }
        self.diagnostics(found)
    }

    /// One diagnostic for each kind of problem of an instruction. Where a wait is inserted before a read, the end has no products in flight.
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
                Problem::FactorWritten(register) => diagnose::factor_written(span, name(register)),
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

    /// Returns the last product that writes a register.
    fn product_of(&self, register: RegisterId) -> Option<Span> {
        let mut products = self.function.instructions.iter().rev();
        let writes = |instruction: &&Instruction| {
            accumulators(self.module, self.function, instruction).contains(&register)
        };
        products.find(writes).map(|product| product.span)
    }

    /// Executes a block on a state.
    fn block(
        &self,
        index: usize,
        state: &mut State,
        liveness: &Liveness<'_>,
        found: &mut Vec<Finding>,
    ) {
        let Some(block) = self.blocks.get(index) else {
            return;
        };
        for at in block.range.clone() {
            let Some(instruction) = self.function.instructions.get(at) else {
                continue;
            };
            let live = || liveness.after(index, at);
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
        let factors = factors(self.function, instruction);
        let is_sum = |register: &RegisterId| self.in_flight(state, *register).sum != NONE;
        if let Some(register) = factors.iter().copied().find(is_sum) {
            found.push((at, Problem::Read(register)));
            state.fill(InFlight::default());
        }
        for register in factors {
            let Some(own) = self.place(register).and_then(|place| state.get_mut(place)) else {
                continue;
            };
            if own.written_factor != NONE {
                let writer = own.factor_writer as usize;
                found.push((writer, Problem::FactorWritten(register)));
            }
            own.factor = STARTED;
        }
        for register in accumulators(self.module, self.function, instruction) {
            let Some(own) = self.place(register).and_then(|place| state.get_mut(place)) else {
                continue;
            };
            own.sum = STARTED;
            if instruction.guard.is_none() {
                own.written_sum = NONE;
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
        // The assembler deletes products without a used result.
        let mut completed = self.tracked.iter().zip(state.iter());
        let is_used =
            completed.any(|(register, own)| completes(own.sum, n_pending) && is_live(register));
        for (register, own) in self.tracked.iter().zip(state.iter_mut()) {
            if completes(own.written_sum, n_pending) && is_used && is_live(register) {
                found.push((own.writer as usize, Problem::Written(*register)));
            }
            if completes(own.written_factor, n_pending) && is_live(register) {
                found.push((
                    own.factor_writer as usize,
                    Problem::FactorWritten(*register),
                ));
            }
            for age in own.ages() {
                if completes(*age, n_pending) {
                    *age = NONE;
                }
            }
        }
    }

    /// The copy of an accumulator in flight is one, too.
    fn copy(&self, at: usize, [from, to]: [RegisterId; 2], state: &mut State) {
        let source = self.in_flight(state, from);
        let Some(own) = self.place(to).and_then(|place| state.get_mut(place)) else {
            return;
        };
        if source.sum != NONE {
            own.sum = source.sum;
            own.written_sum = NONE;
        } else {
            write_sum(own, at);
        }
        write_factor(own, at);
    }

    /// An instruction that is none of `wgmma`.
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
            // Lanes that are predicated off keep the old value.
            read.extend(&written);
        }
        let is_sum = |register: &RegisterId| self.in_flight(state, *register).sum != NONE;
        if let Some(register) = read.iter().copied().find(is_sum)
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
            write_sum(own, at);
            write_factor(own, at);
        }
    }

    /// Whether an instruction has an effect: the assembler deletes computations without a used result.
    fn is_used(
        &self,
        instruction: &Instruction,
        written: &[RegisterId],
        live: &dyn Fn() -> LiveRegisters,
    ) -> bool {
        let action = self.module.action(instruction);
        let is_computation = action.is_some_and(|action| action.does.is_computation());
        if !is_computation {
            return true;
        }
        let live = live();
        written.iter().any(|register| live.contains(*register))
    }

    /// Whether a called function may wait for products.
    fn may_wait(&self, instruction: &Instruction) -> bool {
        let is_of_products = |instruction: &Instruction| {
            let action = self.module.action(instruction);
            action.is_some_and(|action| warpgroup(action.does).is_some())
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
        let in_flight = all.find(|(_, own)| own.sum != NONE);
        found.extend(in_flight.map(|(register, _)| (at, Problem::InFlight(*register))));
    }

    fn in_flight(&self, state: &State, register: RegisterId) -> InFlight {
        let place = self.place(register);
        let own = place.and_then(|place| state.get(place));
        own.copied().unwrap_or_default()
    }

    fn step_of(&self, instruction: &Instruction) -> Step {
        let Some(action) = self.module.action(instruction) else {
            return Step::Other;
        };
        let operands = self.function.operands_of(instruction.operands);
        let operand = |at: usize| operands.get(at).map(|operand| &operand.value);
        if let Some(operation) = warpgroup(action.does) {
            return match operation {
                WarpgroupOp::Product | WarpgroupOp::SparseProduct => Step::Product,
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
        if let Some(control) = action.does.control() {
            return match (control.leaves(), control.is_call()) {
                (true, _) => Step::End,
                (_, true) => Step::Call,
                (false, false) => Step::Other,
            };
        }
        let is_copy = action.does.moves().is_some_and(MoveOp::is_copy);
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

/// Returns the registers of a matrix A in registers.
fn factors(function: &Function, instruction: &Instruction) -> Vec<RegisterId> {
    let operands = function.operands_of(instruction.operands);
    let mut registers = Vec::new();
    if let Some(OperandValue::List(list)) = operands.get(1).map(|operand| &operand.value) {
        for element in function.operands_of(*list) {
            element.value.add_sources(&mut registers);
        }
    }
    registers
}

fn commit(state: &mut State) {
    for age in state.iter_mut().flat_map(InFlight::ages) {
        if *age != NONE {
            *age = age.saturating_add(1).min(OLDEST);
        }
    }
}

fn write_sum(own: &mut InFlight, at: usize) {
    if own.sum != NONE {
        own.written_sum = own.sum;
        own.sum = NONE;
    }
    if own.written_sum != NONE {
        own.writer = at as u32;
    }
}

fn write_factor(own: &mut InFlight, at: usize) {
    if own.factor != NONE {
        own.written_factor = own.factor;
        own.factor_writer = at as u32;
    }
}

/// Joins a state into that at the start of a block. Returns whether the latter changed.
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
