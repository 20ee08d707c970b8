//! Loads, stores and atomics of a thread: creates an event for each accessed memory cell, and one successor path for each combination of
//! values that the reads can return.

use crate::explore::event::{EventKind, MemoryOrdering, ReturnsValue, TraceEvent};
use crate::explore::memory_cells::CellLookup;
use crate::explore::query::{ExploreError, window};
use crate::explore::thread_path::{
    CurrentInstruction, PathExit, PathExplorer, Successors, ThreadPath,
};
use crate::explore::value_origins::ValueOrigins;
use std::ops::Range;
use warpgrid_emulator::atomic_result;
use warpgrid_isa::{AtomicOp, Flag, MemoryOp, ScalarType, Scope, Sem};
use warpgrid_program::{AddressBase, OperandValue, RegisterId};

/// Memory operand of an instruction: the address, the number of elements, and the type of the elements.
pub(crate) struct MemoryAccess {
    pub(crate) address: u64,
    pub(crate) element_bytes: u64,
    pub(crate) n: usize,
    pub(crate) ty: ScalarType,
}

impl PathExplorer<'_> {
    pub(crate) fn memory(
        &self,
        path: ThreadPath,
        at: &CurrentInstruction<'_>,
        op: MemoryOp,
    ) -> Successors {
        let in_reach = Self::is_shared_space(at.words.state_space());
        if at.words.has(Flag::NonCoherent) {
            let reason = "the memory model does not cover `.nc` loads, since such loads may bypass writes: remove `.nc`";
            return Err(self.unsupported_error(&path, reason).into());
        }
        if !in_reach {
            return Err(self.unsupported_error(&path, "the instruction accesses memory that threads do not share: replace the load with a move of the value, or remove the instruction").into());
        }
        match op {
            MemoryOp::Load => self.load(path, at),
            MemoryOp::Store => self.store(path, at),
            MemoryOp::Atomic => self.atomic(path, at, ReturnsValue::Yes),
            MemoryOp::Reduction => self.atomic(path, at, ReturnsValue::No),
            MemoryOp::StoreBulk => self.store_zeros(path, at),
        }
    }

    /// Returns the address that an address operand denotes.
    pub(crate) fn address(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<u64, PathExit> {
        let operand = self.operands(at).get(index).map(|operand| &operand.value);
        let Some(OperandValue::Address(address)) = operand else {
            return Err(self
                .unsupported_error(path, "the instruction has no address operand")
                .into());
        };
        let base = match address.base {
            AddressBase::Register(run) => path.emulator.register(run.first),
            AddressBase::None => 0,
            AddressBase::Variable(_) | AddressBase::Bank { .. } => {
                return Err(self
                    .unsupported_error(
                        path,
                        "found a module variable, expected a location of the litmus test: declare a location with `//@ location`",
                    )
                    .into());
            }
        };
        let number = base.wrapping_add(address.offset as u64);
        Ok(self.place_of(path, number))
    }

    /// Returns the canonical form of a numeric address. Each shared-memory location has only one canonical address,
    /// independent of the state space of the access.
    fn place_of(&self, path: &ThreadPath, number: u64) -> u64 {
        match path.emulator.shared_place(number) {
            None => number,
            Some(place) => {
                let rank = place.rank.map_or(self.thread.rank, u64::from);
                window(self.thread.cluster_index, rank) + place.offset
            }
        }
    }

    fn access(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<MemoryAccess, PathExit> {
        let address = self.address(path, at, index)?;
        let ty = at.words.ty.unwrap_or(ScalarType::B32);
        let element_bytes = u64::from(ty.width_bytes());
        if element_bytes > 8 {
            return Err(self
                .unsupported_error(
                    path,
                    "the instruction accesses elements of more than 64 bits: use several elements of at most 64 bits",
                )
                .into());
        }
        Ok(MemoryAccess {
            address,
            element_bytes,
            n: at.words.n_elements(),
            ty,
        })
    }

    /// Returns the cells of a byte range.
    pub(crate) fn cells_at(
        &self,
        path: &ThreadPath,
        start: u64,
        n_bytes: u64,
    ) -> Result<Range<usize>, PathExit> {
        match self.cells.find(start, n_bytes) {
            CellLookup::Cells(cells) => Ok(cells),
            CellLookup::Cut(at) => Err(PathExit::Cut(at)),
            CellLookup::Nothing => Err(self
                .unsupported_error(path, "the access is outside of all locations of the litmus test: add elements to the location, as in `//@ location x: u32[4] = 0`")
                .into()),
        }
    }

    /// Returns every combination of values that the cells can contain.
    pub(crate) fn choices(&self, cells: &Range<usize>) -> Vec<Vec<u64>> {
        self.choices_without(cells, None)
    }

    /// Returns every combination of values that the cells can contain, excluding values that depend on the write `own` of the executing
    /// instruction.
    fn choices_without(&self, cells: &Range<usize>, own: Option<usize>) -> Vec<Vec<u64>> {
        let mut all = vec![Vec::new()];
        for values in self.domain.get(cells.clone()).unwrap_or(&[]) {
            let comes_about = |origins: &ValueOrigins| own.is_none_or(|own| origins.excludes(own));
            let values = values.iter().filter(|(_, origins)| comes_about(origins));
            let values: Vec<u64> = values.map(|(value, _)| *value).collect();
            let longer = all.iter().flat_map(|start: &Vec<u64>| {
                values.iter().map(move |value| {
                    let mut combined = start.clone();
                    combined.push(*value);
                    combined
                })
            });
            all = longer.collect();
        }
        all
    }

    /// Removes the counter values that are less than the result of the last increment by the same thread.
    fn monotonic_values(
        &self,
        path: &ThreadPath,
        cells: &Range<usize>,
        mut choices: Vec<Vec<u64>>,
    ) -> Vec<Vec<u64>> {
        let is_counter = cells.len() == 1 && self.counters.get(cells.start) == Some(&true);
        if is_counter && let Some(values) = self.domain.get(cells.start) {
            // The value that an atomic reads can depend on all writes except for the write of the atomic itself.
            let most = self.writes.len().saturating_sub(1);
            let comes_about = |reads: &Vec<u64>| {
                let origins = reads.first().and_then(|read| values.get(read));
                origins.is_none_or(|origins| origins.needs_at_most(most))
            };
            choices.retain(comes_about);
        }
        let mut steps = path.steps.iter().rev().filter(|_| is_counter);
        let own = steps.find(|step| step.cells == *cells && !step.writes.is_empty());
        if let Some(own) = own {
            choices.retain(|reads| *reads > own.writes);
            choices.push(own.writes.clone());
        }
        choices
    }

    /// Returns the number of values that a cell can contain.
    pub(crate) fn values_of(&self, cell: usize) -> usize {
        self.domain.get(cell).map_or(0, |values| values.len())
    }

    pub(crate) fn path_limit_error(&self) -> PathExit {
        let (thread, limit) = (self.index, self.question.limits.paths_per_thread);
        ExploreError::TooManyWays { thread, limit }.into()
    }

    fn load(&self, path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let mut path = path;
        let access = self.access(&mut path, at, 1)?;
        let words = words_of(at, Sem::Weak);
        let targets = self.targets(at, 0);
        let mut ways = vec![path];
        for element in 0..access.n {
            let start = access.address + access.element_bytes * element as u64;
            let mut longer = Vec::new();
            for way in ways {
                let cells = self.cells_at(&way, start, access.element_bytes)?;
                for reads in self.monotonic_values(&way, &cells, self.choices(&cells)) {
                    let mut way = way.clone();
                    let value = self.cells.join(cells.clone(), &reads);
                    let mut step = TraceEvent::new(EventKind::Read, at.number, way.instance);
                    step.words = words;
                    step.cells = cells.clone();
                    step.reads = reads;
                    let event = way.push_event(step);
                    if let Some(Some(register)) = targets.get(element) {
                        way.write_destination(*register, extended(access.ty, value), event);
                    }
                    longer.push(way);
                }
            }
            ways = longer;
        }
        Ok(ways)
    }

    /// Returns the destination register of each loaded element, or `None` for the sink `_`.
    pub(crate) fn targets(
        &self,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Vec<Option<RegisterId>> {
        let register = |value: &OperandValue| match value {
            OperandValue::Destination(run) => run.map(|run| run.first),
            _ => None,
        };
        match self.operands(at).get(index).map(|operand| &operand.value) {
            Some(OperandValue::List(list)) => {
                let elements = self.function.operands_of(*list);
                elements.iter().map(|e| register(&e.value)).collect()
            }
            Some(value) => vec![register(value)],
            None => Vec::new(),
        }
    }

    /// Returns the value of each element of a scalar or vector operand.
    pub(crate) fn values(
        &self,
        path: &mut ThreadPath,
        at: &CurrentInstruction<'_>,
        index: usize,
    ) -> Result<Vec<u64>, PathExit> {
        match self.operands(at).get(index).map(|operand| &operand.value) {
            Some(OperandValue::List(list)) => {
                let elements = self.function.operands_of(*list);
                let values = elements.iter().map(|e| path.value_of(&e.value));
                let values: Option<Vec<u64>> = values.collect();
                values.ok_or_else(|| self.unsupported_error(path, "a vector element is neither a register nor a number: move the value into a register first").into())
            }
            _ => Ok(vec![self.value(path, at, index)?]),
        }
    }

    fn store(&self, mut path: ThreadPath, at: &CurrentInstruction<'_>) -> Successors {
        let access = self.access(&mut path, at, 0)?;
        let values = self.values(&mut path, at, 1)?;
        for (element, value) in values.iter().enumerate() {
            let start = access.address + access.element_bytes * element as u64;
            let cells = self.cells_at(&path, start, access.element_bytes)?;
            let mut step = TraceEvent::new(EventKind::Write, at.number, path.instance);
            step.words = words_of(at, Sem::Weak);
            step.writes = self.cells.split(cells.clone(), *value);
            step.cells = cells;
            path.push_event(step);
        }
        Ok(vec![path])
    }

    fn atomic(
        &self,
        mut path: ThreadPath,
        at: &CurrentInstruction<'_>,
        learns: ReturnsValue,
    ) -> Successors {
        let index = match learns {
            ReturnsValue::Yes => 1,
            ReturnsValue::No => 0,
        };
        let access = self.access(&mut path, at, index)?;
        let Some(op) = at.words.atomic else {
            return Err(self
                .unsupported_error(&path, "the atomic instruction has no operation")
                .into());
        };
        let b = self.values(&mut path, at, index + 1)?;
        let c = match op {
            AtomicOp::Cas => self.value(&mut path, at, index + 2)?,
            _ => 0,
        };
        let targets = match learns {
            ReturnsValue::Yes => self.targets(at, 0),
            ReturnsValue::No => Vec::new(),
        };
        let mut ways = vec![path];
        for (element, b) in b.iter().enumerate() {
            let start = access.address + access.element_bytes * element as u64;
            let mut longer = Vec::new();
            for way in ways {
                let cells = self.cells_at(&way, start, access.element_bytes)?;
                let own = self.writes.number(self.index, &way.steps, at.number);
                let own = own.filter(|_| op != AtomicOp::Exch);
                let choices = self.choices_without(&cells, own);
                for reads in self.monotonic_values(&way, &cells, choices) {
                    let mut way = way.clone();
                    let old = self.cells.join(cells.clone(), &reads);
                    let new = atomic_result(op, access.ty, old, [*b, c]);
                    let mut step = TraceEvent::new(EventKind::Atomic, at.number, way.instance);
                    step.words = words_of(at, Sem::Relaxed);
                    step.writes = self.cells.split(cells.clone(), new);
                    step.cells = cells.clone();
                    step.reads = reads;
                    step.learns = learns;
                    step.writes_depend_on_read = op != AtomicOp::Exch;
                    let event = way.push_event(step);
                    if let Some(Some(register)) = targets.get(element) {
                        way.write_destination(*register, extended(access.ty, old), event);
                    }
                    longer.push(way);
                }
            }
            ways = longer;
        }
        Ok(ways)
    }
}

impl ThreadPath {
    /// Assigns the value of a read event to a register.
    pub(crate) fn write_destination(&mut self, register: RegisterId, value: u64, event: usize) {
        self.emulator.set_register(register, value);
        let taint = self.depends | bit_of(event);
        self.set_taint(register, taint);
    }
}

/// Returns the bit that represents a read event in dependency masks.
pub(crate) const fn bit_of(event: usize) -> u64 {
    match event {
        0..64 => 1 << event,
        _ => 0,
    }
}

/// Returns the memory ordering of an access. `without` is the memory ordering that applies if the instruction specifies none.
pub(crate) fn words_of(at: &CurrentInstruction<'_>, without: Sem) -> MemoryOrdering {
    let sem = at.words.sem.unwrap_or(without);
    let scope = match sem {
        Sem::Volatile => Scope::Sys,
        _ => at.words.scope.unwrap_or(Scope::Gpu),
    };
    let sem = match at.words.has(Flag::Mmio) {
        true if sem == Sem::Weak => Sem::Relaxed,
        _ => sem,
    };
    MemoryOrdering::new(sem, scope)
}

/// Returns the value of a loaded element, extended to the width of its destination register.
fn extended(ty: ScalarType, value: u64) -> u64 {
    let bits = ty.width_bits();
    if !ty.is_signed() || bits >= 64 {
        return value;
    }
    let up = 64 - bits;
    ((value << up) as i64 >> up) as u64
}
