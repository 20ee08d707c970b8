//! Interface of a machine for the JIT compiler. The interface provides decoded code, the memory layout and values of
//! special registers, and transfers the final state of a run of translated code to the machine.

pub(crate) mod approximate;
pub(crate) mod calls;
pub(crate) mod copies;
pub(crate) mod matrix;
pub(crate) mod registers;

pub use crate::code::decoded_op::DecodedOp;
pub use crate::code::matrix_plan::{FragmentElement, MatrixPlan};
pub use crate::code::operands::SlotAccess;
pub use crate::code::plan_table::PlanId;
pub use crate::code::{
    AccessPlan, AsyncPlan, AtomicPlan, BarrierMode, BarrierPlan, CollectiveKind, CollectivePlan,
    CompareType, Comparison, DecodedInstruction, MatchMode, PredicateCombine, PredicateOperand,
    RegisterBank, RegisterOperand,
};
pub use crate::contract::pending::{AsyncGroupKind, GroupWait};
pub use crate::semantics::alu_ops::{
    BitCountOp, CarryMode, CarryOp, Float32Op, Float64Op, FloatOp, HalfOp, Int16Op, Int32Op,
    Int64Op, IntOp, PackedIntOp, ShiftOp, ShiftOverflow,
};
pub use crate::semantics::registers::{OperandLocation, OperandSlot};
pub use crate::semantics::rounding::{ArithmeticMode, Conversion, FloatMode, RoundingMode};
pub use crate::semantics::tensor::algorithm::Fp16SumRule;
pub use crate::semantics::{compare, integer, word};
pub use crate::state::warp::GROUP_QUANTUM;

pub use crate::code::{CallPlan, CallValueLocation};
pub use crate::semantics::special_function::{
    ScaledRanges, SpecialFunction, TURNS, scaling_of_quotient,
};
pub use crate::translation_view::approximate::{
    CoefficientRow, index_bits, tangent_bits, unit_function, unit_rows,
};
pub use crate::translation_view::calls::Call;
pub use crate::translation_view::copies::AsyncCopyAccess;
pub use crate::translation_view::matrix::{
    FusedMma, LdmatrixPlanView, MatrixOperation, MmaOperand, RowElement, WmmaTransfer,
};
pub use crate::translation_view::registers::{BankRegister, RegisterUseDef, WarpRegisterFile};

use crate::code::DecodedCode;
use crate::contract::launch::WriterTracking;
use crate::run::machine::Machine;
use crate::run::setup::LaunchSetup;
use crate::state::memory::{Allocation, AllocationOwner};
use crate::state::memory_layout::MemoryLayout;
use crate::state::page::PAGE_BYTES;
use warpgrid_isa::SpecialRegister;
use warpgrid_program::FunctionId;

/// Step position of a machine after a run of translated code that did not count steps.
pub(crate) const UNCOUNTED: u64 = u64::MAX;

/// Number of lanes of a warp.
pub const LANES: usize = crate::semantics::registers::LANES;

/// Kind of memory that an [`AddressRange`] contains. The JIT compiler uses it to find the ranges of a state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    Global,
    Constant,
    Parameters,
}

/// Range of generic addresses that a kernel may access. The JIT compiler generates bounds checks from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    pub kind: MemoryKind,
    pub address: u64,
    pub size: u64,
    /// Offset of the range's first byte in the arena, which contains the memory that all blocks of the grid share.
    pub start: usize,
}

/// Final state of a run of translated code, which the JIT compiler transfers to the machine.
#[derive(Clone, Copy, Debug)]
pub struct TranslatedRunResult<'a> {
    /// Start offset and new contents of each range of the arena that may have changed.
    pub changes: &'a [(usize, &'a [u8])],
    /// Step counts of the run, or `None` if a warp diverged. The number of steps of a divergent warp depends on the
    /// order in which its lanes reconverge.
    pub counts: Option<StepCounts>,
    /// Number of executed lane-instructions, as defined by [`Machine::lane_instructions`].
    pub lane_instructions: u64,
}

/// Number of all steps, and of the steps that stored to memory, in a run of translated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCounts {
    pub steps: u64,
    /// Number of executed steps that stored to memory.
    pub stores: u64,
}

/// Read-only view of a machine before its first step, from which the JIT compiler generates code. The launch of the
/// machine requires only code, registers, shared memory and the arena.
#[derive(Clone, Copy)]
pub struct TranslationView<'m> {
    machine: &'m Machine,
}

impl Machine {
    /// Returns the view of the machine for the JIT compiler. Returns `None` if the machine has executed a step, or if
    /// the launch requires a feature that translated code does not support: clusters, images, multicast objects, last
    /// writers, host inputs, fixed turns or initial register values.
    pub fn translation_view(&self) -> Option<TranslationView<'_>> {
        let setup = &*self.setup;
        let code = &*setup.code;
        let function = code.functions.first()?;
        let is_plain = self.state.position == 0
            && self.state.fault.is_none()
            && self.inputs.is_empty()
            && setup.n_ranks == 1
            && setup.tracking == WriterTracking::Off
            && setup.schedule.is_empty()
            && setup.images.is_empty()
            && setup.multicasts.is_empty()
            && setup.layout.map.own_window
            && code.initial.is_empty()
            && function.start == 0
            && self.state.in_flight.is_empty();
        is_plain.then_some(TranslationView { machine: self })
    }

    /// Transfers the final state of a run of translated code to the machine, and marks its blocks as finished. If a
    /// change is outside of the arena, returns `false` without an effect.
    pub(crate) fn take_end(&mut self, end: &TranslatedRunResult<'_>) -> bool {
        let state = &mut self.state;
        let arena = &mut state.global.arena;
        let size = arena.bytes().len();
        let is_inside = |(start, bytes): &(usize, &[u8])| {
            start
                .checked_add(bytes.len())
                .is_some_and(|end| end <= size)
        };
        if !end.changes.iter().all(is_inside) {
            return false;
        }
        for (start, bytes) in end.changes {
            for (piece, bytes) in (*start..).step_by(PAGE_BYTES).zip(bytes.chunks(PAGE_BYTES)) {
                if let Some(place) = arena.place(piece, bytes.len()) {
                    place.copy_from_slice(bytes);
                }
            }
        }
        for warp in state.blocks.iter_mut().flat_map(|block| &mut block.warps) {
            warp.exit(warp.present);
            warp.dirty = true;
        }
        for block in &mut state.blocks {
            block.n_live_warps = 0;
        }
        for cluster in &mut state.clusters {
            cluster.n_live_blocks = 0;
        }
        state.next_cluster = self.setup.n_clusters;
        state.blocks_done = self.setup.n_blocks;
        (state.position, state.stores_done) = match end.counts {
            Some(counts) => (counts.steps, counts.stores),
            None => (UNCOUNTED, 0),
        };
        state.lane_instructions = end.lane_instructions;
        state.last_step = None;
        true
    }
}

impl<'m> TranslationView<'m> {
    fn setup(self) -> &'m LaunchSetup {
        &self.machine.setup
    }

    fn code(self) -> &'m DecodedCode {
        &self.setup().code
    }

    fn layout(self) -> &'m MemoryLayout {
        &self.setup().layout
    }

    /// Returns the function and the index of the source instruction of a decoded operation.
    pub fn origin(self, at: u32) -> (FunctionId, u32) {
        self.code().origin(at)
    }

    pub fn access(self, plan: PlanId<AccessPlan>) -> Option<&'m AccessPlan> {
        self.code().accesses.get(plan)
    }

    pub fn atomic(self, plan: PlanId<AtomicPlan>) -> Option<&'m AtomicPlan> {
        self.code().atomics.get(plan)
    }

    pub fn barrier(self, plan: PlanId<BarrierPlan>) -> Option<&'m BarrierPlan> {
        self.code().barriers.get(plan)
    }

    pub fn collective(self, plan: PlanId<CollectivePlan>) -> Option<&'m CollectivePlan> {
        self.code().collectives.get(plan)
    }

    /// Visits the operand slots that an operation reads and writes.
    pub fn visit_slots(
        self,
        op: &DecodedOp,
        visit: impl FnMut(SlotAccess, RegisterBank, OperandSlot),
    ) {
        self.code().visit_slots(op, visit);
    }

    /// Returns the elements of a vector value that an instruction packs or unpacks.
    pub fn elements(self, list: PlanId<Vec<RegisterOperand>>) -> &'m [RegisterOperand] {
        self.code().list(list)
    }

    pub fn constant32(self, index: u32) -> u32 {
        let row = self.code().constants.r32.get(index as usize);
        row.map_or(0, |row| row[0])
    }

    pub fn constant64(self, index: u32) -> u64 {
        let row = self.code().constants.r64.get(index as usize);
        row.map_or(0, |row| row[0])
    }

    pub fn constant_predicate(self, index: u32) -> bool {
        let predicates = &self.code().constants.predicates;
        predicates
            .get(index as usize)
            .is_some_and(|mask| *mask != 0)
    }

    /// Returns the 32-bit special register with this index.
    pub fn special32(self, index: u32) -> Option<SpecialRegister> {
        self.code().specials32.get(index as usize).copied()
    }

    /// Returns the value of a special register for a lane of a warp of a block.
    pub fn special(self, special: SpecialRegister, block: u64, warp: u32, lane: u32) -> u64 {
        let position = self.setup().position_of(block);
        self.setup().special(special, position, warp, lane)
    }

    /// Checks whether the value of a special register depends on the block. Returns `None` for clock registers, whose
    /// values depend on time.
    pub fn differs_by_block(self, special: SpecialRegister) -> Option<bool> {
        crate::run::special_registers::differs_by_block(special)
    }

    /// Returns the accessible address ranges, ordered by address.
    pub fn ranges(self) -> impl Iterator<Item = AddressRange> + 'm {
        let kind = |allocation: &Allocation| match allocation.owner {
            AllocationOwner::Buffer(..) | AllocationOwner::GlobalVariable(..) => MemoryKind::Global,
            AllocationOwner::ConstVariable(..) => MemoryKind::Constant,
            AllocationOwner::Parameters => MemoryKind::Parameters,
        };
        let all = self.machine.state.global.allocations().iter();
        all.map(move |allocation| AddressRange {
            kind: kind(allocation),
            address: allocation.address,
            size: allocation.size,
            start: allocation.start,
        })
    }

    /// Returns the contents of the arena, which contains the memory that is accessible to all blocks.
    pub fn arena(self) -> &'m [u8] {
        self.machine.state.global.arena.bytes()
    }

    /// Returns the generic address of shared memory and its size in bytes.
    pub fn shared(self) -> (u64, u64) {
        let layout = self.layout();
        (layout.map.shared, layout.shared_bytes)
    }

    /// Returns the number of bytes of local memory per thread. Local memory starts at address 0 and is initially zero.
    pub fn local_bytes(self) -> u64 {
        let warp = self
            .machine
            .state
            .blocks
            .iter()
            .flat_map(|b| &b.warps)
            .next();
        warp.map_or(0, |warp| warp.stack.lane_bytes as u64)
    }

    /// Returns the generic addresses of the local memory window. These addresses are not part of any range of
    /// [`TranslationView::ranges`].
    pub fn local_window(self) -> std::ops::Range<u64> {
        let map = self.layout().map;
        map.local..map.local.saturating_add(map.window_bytes)
    }

    /// Returns the seed of the schedule; 0 selects round robin.
    pub fn seed(self) -> u64 {
        self.setup().seed
    }

    pub fn n_blocks(self) -> u64 {
        self.setup().n_blocks
    }

    /// Returns the block dimensions in threads and the grid dimensions in blocks.
    pub fn extents(self) -> ([u32; 3], [u32; 3]) {
        (self.setup().block, self.setup().grid)
    }

    /// Returns the number of threads per block.
    pub fn n_threads(self) -> u32 {
        self.setup().n_threads
    }
}
