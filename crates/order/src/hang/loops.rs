//! Static queries on the loops of a kernel: exit tests, exit branches, and the definitions of addresses and parities in
//! the loop bodies.

use crate::hang::execution_trace::{ExecutionTrace, InstructionRef, LaneId};
use crate::hang::program_queries::ProgramQuery;
use warpgrid_isa::{ControlOp, Operation};
use warpgrid_program::RegisterId;

/// Maximum number of instructions in a backward data-flow search.
const MAX_CHAIN_LENGTH: usize = 64;

/// Loop as a range of instructions in source order, from its first instruction to its back edge.
#[derive(Clone, Copy, Debug)]
struct TextLoop {
    start: u32,
    back: InstructionRef,
}

impl TextLoop {
    fn contains(self, at: InstructionRef) -> bool {
        (self.start..=self.back.1).contains(&at.1)
    }
}

impl ProgramQuery<'_> {
    /// Returns the loops that contain an instruction.
    fn loops_around(self, at: InstructionRef) -> impl Iterator<Item = TextLoop> {
        let backs = self
            .instruction_refs(at)
            .filter(move |branch| branch.1 >= at.1);
        backs.filter_map(move |back| {
            let start = self.target(back)?;
            (start <= at.1).then_some(TextLoop { start, back })
        })
    }

    /// Returns the innermost loop that contains an instruction.
    fn loop_around(self, at: InstructionRef) -> Option<TextLoop> {
        let loops = self.loops_around(at);
        loops.min_by_key(|found| found.back.1 - found.start)
    }

    /// Returns the instruction that resets the counter from which the parity of a wait is computed in each iteration of an outer loop, and
    /// the back edge of the inner loop that contains the wait and increments the counter.
    pub(crate) fn counter_reset(
        self,
        wait: InstructionRef,
    ) -> Option<(InstructionRef, InstructionRef)> {
        let (parity, address) = self.wait_registers(wait);
        let mut open: Vec<RegisterId> = parity.filter(|_| parity != address).into_iter().collect();
        let mut seen = Vec::new();
        while let Some(register) = open.pop() {
            if seen.contains(&register) || seen.len() >= MAX_CHAIN_LENGTH {
                continue;
            }
            seen.push(register);
            let definitions = self
                .instruction_refs(wait)
                .filter(|at| self.defines(*at, register));
            let definitions: Vec<InstructionRef> = definitions.collect();
            let is_increment = |at: &InstructionRef| self.sources(*at).contains(&register);
            let resets = definitions.iter().filter(|at| self.is_constant(**at));
            for reset in resets {
                let mut inner = self.loops_around(wait).filter(|inner| {
                    !inner.contains(*reset)
                        && definitions
                            .iter()
                            .any(|at| inner.contains(*at) && is_increment(at))
                });
                let mut outer = self
                    .loops_around(wait)
                    .filter(|outer| outer.contains(*reset));
                if let (Some(inner), Some(_)) = (inner.next(), outer.next()) {
                    return Some((*reset, inner.back));
                }
            }
            open.extend(definitions.iter().flat_map(|at| self.sources(*at)));
        }
        None
    }

    /// Checks whether a loop around an instruction contains an instruction that satisfies the predicate.
    pub(crate) fn is_in_loop_with(
        self,
        at: InstructionRef,
        is_it: impl Fn(InstructionRef) -> bool,
    ) -> bool {
        self.loops_around(at).any(|around| {
            let mut places = self.instruction_refs(at);
            places.any(|place| around.contains(place) && is_it(place))
        })
    }

    /// Checks whether an instruction is in a loop.
    pub(crate) fn is_in_loop(self, at: InstructionRef) -> bool {
        self.loop_around(at).is_some()
    }

    /// Checks whether an instruction is a conditional branch.
    pub(crate) fn is_guarded_branch(self, at: InstructionRef) -> bool {
        let op = self.operation_of(at).and_then(Operation::control);
        op.is_some_and(ControlOp::is_branch)
            && self.instruction(at).is_some_and(|i| i.guard.is_some())
    }

    /// Checks whether an instruction is a conditional branch, return or exit.
    pub(crate) fn is_conditional_transfer(self, at: InstructionRef) -> bool {
        let op = self.operation_of(at).and_then(Operation::control);
        op.is_some_and(ControlOp::transfers_control)
            && self.instruction(at).is_some_and(|i| i.guard.is_some())
    }

    /// Returns an exit test of the loop that contains a load, if none of the loop's exit tests depends on the load.
    pub(crate) fn test_of_something_else(self, load: InstructionRef) -> Option<InstructionRef> {
        let around = self.loop_around(load)?;
        let loaded = self.destinations(load);
        let exits: Vec<InstructionRef> = self
            .instruction_refs(load)
            .filter(|at| around.contains(*at) && self.is_guarded_branch(*at))
            .filter_map(|branch| {
                let guard = self.instruction(branch)?.guard?;
                self.definition_before(branch, guard.predicate)
            })
            .collect();
        let first = exits.first().copied()?;
        let depends = exits
            .iter()
            .any(|test| around.contains(*test) && self.depends_on(*test, around, &loaded));
        (!depends && !loaded.is_empty()).then_some(first)
    }

    /// Returns a load on which the condition of a branch depends.
    pub(crate) fn load_before(self, branch: InstructionRef) -> Option<InstructionRef> {
        let guard = self.instruction(branch)?.guard?;
        let mut open = vec![self.definition_before(branch, guard.predicate)?];
        let mut seen = Vec::new();
        while let Some(at) = open.pop() {
            if seen.contains(&at) || seen.len() >= MAX_CHAIN_LENGTH {
                continue;
            }
            seen.push(at);
            if self.is_data_access(at) {
                return Some(at);
            }
            let sources = self.sources(at).into_iter();
            open.extend(sources.filter_map(|r| self.definition_before(at, r)));
        }
        None
    }

    /// Checks whether an instruction of a loop depends on one of the given registers through instructions of the same
    /// loop.
    fn depends_on(self, at: InstructionRef, around: TextLoop, registers: &[RegisterId]) -> bool {
        let mut open = vec![at];
        let mut seen = Vec::new();
        while let Some(at) = open.pop() {
            if seen.contains(&at) || seen.len() >= MAX_CHAIN_LENGTH {
                continue;
            }
            seen.push(at);
            if self.destinations(at).iter().any(|d| registers.contains(d)) {
                return true;
            }
            for register in self.sources(at) {
                if registers.contains(&register) {
                    return true;
                }
                let all = self
                    .instruction_refs(at)
                    .filter(|place| around.contains(*place));
                open.extend(all.filter(|place| self.defines(*place, register)));
            }
        }
        false
    }

    /// Returns the branch by which a thread left a loop early, before the loop condition became false. The loop is the loop that contains
    /// the given instruction.
    pub(crate) fn early_exit_branch(
        self,
        trace: &ExecutionTrace,
        thread: LaneId,
        at: InstructionRef,
    ) -> Option<InstructionRef> {
        let around = self.loop_around(at)?;
        let path = trace.paths.get(&thread.warp)?;
        let own = path
            .steps
            .iter()
            .filter(|(_, lanes)| lanes >> thread.lane & 1 != 0);
        let steps: Vec<InstructionRef> = own.map(|(at, _)| *at).collect();
        let last = steps.iter().rposition(|step| around.contains(*step))?;
        let exit = steps[last];
        (exit != around.back && self.is_guarded_branch(exit)).then_some(exit)
    }

    /// Checks whether the address operands of two instructions are defined by equal instructions.
    pub(crate) fn same_address(self, a: InstructionRef, b: InstructionRef) -> bool {
        match (self.address_register(a), self.address_register(b)) {
            (Some(first), Some(second)) => {
                let made = [(a, first), (b, second)].map(|(at, r)| self.definition_before(at, r));
                match made {
                    [Some(x), Some(y)] => {
                        x == y
                            || self.action(x) == self.action(y)
                                && self.same_sources(x, y)
                                && !self.sources(x).is_empty()
                    }
                    _ => first == second,
                }
            }
            (None, None) => {
                self.address_of(a).is_some() && self.address_of(a) == self.address_of(b)
            }
            _ => false,
        }
    }

    /// Returns the instruction that defines the parity operand of an mbarrier wait, or the wait itself if the parity is
    /// a literal.
    pub(crate) fn parity_definition(self, wait: InstructionRef) -> InstructionRef {
        let (parity, address) = self.wait_registers(wait);
        let register = parity.filter(|_| parity != address);
        let made = register.and_then(|register| self.definition_before(wait, register));
        made.unwrap_or(wait)
    }

    /// Checks whether the first access to shared memory after a wait is a read, and no copy or mbarrier operation
    /// precedes this read.
    pub(crate) fn reads_after(self, wait: InstructionRef) -> bool {
        let first = self.next_after(wait, |at| {
            self.is_test(at) || self.is_copy(at) || self.is_arrival(at) || self.is_shared_access(at)
        });
        first.is_some_and(|at| {
            self.is_data_access(at)
                && !self.is_write(at)
                && !self.is_test(at)
                && !self.is_arrival(at)
        })
    }
}
