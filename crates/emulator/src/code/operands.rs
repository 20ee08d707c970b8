//! Visitor for the register slots that each decoded operation reads and writes.

use crate::code::decoded_op::DecodedOp;
use crate::code::matrix_plan::{MatrixPlan, ScaleFactorPlan};
use crate::code::tensor_memory::{
    AllocationTarget, AsyncTensorKind, MatrixAOperand, TensorMemoryAddress, TensorMemoryPlan,
};
use crate::code::warp_product::{MmaOperandLocation, WarpMmaPlan};
use crate::code::{
    AccessPlan, AsyncPayload, AsyncPlan, BarrierMode, CallPlan, CallValueLocation,
    ClusterLaunchPlan, CollectiveKind, Comparison, CopySource, DecodedCode, ImagePlan,
    MultimemAction, PredicateCombine, PredicateOperand, RegisterBank, RegisterOperand, SassPlan,
    StackPlan, TensorCopyPlan, TensorMapPlan,
};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::OperandSlot;
use warpgrid_isa::{BarrierReduce, SurfaceOp, VoteMode};

/// Whether a decoded operation reads or writes an operand slot: a register, a constant or a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotAccess {
    Read,
    Write,
}

use SlotAccess::{Read, Write};

impl DecodedCode {
    /// Visits the operand slots that an operation reads and writes, except for the guard of the instruction. The slots
    /// of constants, special registers and absent operands are also visited. For a call, which accesses two stack
    /// frames, only the slots of the caller are visited.
    pub(crate) fn visit_slots(
        &self,
        op: &DecodedOp,
        mut visit: impl FnMut(SlotAccess, RegisterBank, OperandSlot),
    ) {
        let mut visitor = Visitor(&mut visit);
        self.visit_operands(op, &mut visitor);
    }

    fn visit_operands(&self, op: &DecodedOp, v: &mut Visitor<'_>) {
        use RegisterBank::{B32, B64, B128, Predicate};
        match *op {
            DecodedOp::Int16 { slots, .. }
            | DecodedOp::Int32 { slots, .. }
            | DecodedOp::Wide16 { slots, .. }
            | DecodedOp::Float32 { slots, .. }
            | DecodedOp::Half { slots, .. }
            | DecodedOp::Carry32 { slots, .. } => v.result_first(B32, &slots),
            DecodedOp::Int16x2 { slots, .. } | DecodedOp::Int8x4 { slots, .. } => {
                v.result_first(B32, &slots)
            }
            DecodedOp::Insert32(slots) => v.result_first(B32, &slots),
            DecodedOp::Int64 { slots, .. }
            | DecodedOp::Float64 { slots, .. }
            | DecodedOp::Float32x2 { slots, .. }
            | DecodedOp::Carry64 { slots, .. } => v.result_first(B64, &slots),
            DecodedOp::Shift64 {
                slots: [d, a, b], ..
            } => {
                v.result_first(B64, &[d, a]);
                v.read(B32, b);
            }
            DecodedOp::Extract64 {
                slots: [d, a, b, c],
                ..
            } => {
                v.result_first(B64, &[d, a]);
                v.read_all(B32, &[b, c]);
            }
            DecodedOp::Insert64([d, a, b, position, length]) => {
                v.result_first(B64, &[d, a, b]);
                v.read_all(B32, &[position, length]);
            }
            DecodedOp::Count64 { slots: [d, a], .. }
            | DecodedOp::Truncate64 { d, a }
            | DecodedOp::PendingCount { d, a } => {
                v.write(B32, d);
                v.read(B64, a);
            }
            DecodedOp::Wide32 {
                slots: [d, a, b, c],
                ..
            } => {
                v.result_first(B64, &[d, c]);
                v.read_all(B32, &[a, b]);
            }
            DecodedOp::Extend32 { d, a, .. } => {
                v.write(B64, d);
                v.read(B32, a);
            }
            DecodedOp::Video(plan) => {
                if let Some(plan) = self.videos.get(plan) {
                    v.result_first(B32, &plan.slots);
                }
            }
            DecodedOp::Mov32 { d, a } => v.result_first(B32, &[d, a]),
            DecodedOp::Mov64 { d, a } => v.result_first(B64, &[d, a]),
            DecodedOp::Mov128 { d, a } => v.result_first(B128, &[d, a]),
            DecodedOp::MovPredicate { d, a } => v.result_first(Predicate, &[d, a]),
            DecodedOp::PredicateLogic { d, a, b, .. } => v.result_first(Predicate, &[d, a, b]),
            DecodedOp::Pack { d, elements, .. } => {
                v.write_element(d);
                v.read_elements(self.list(elements));
            }
            DecodedOp::Unpack { a, elements, .. } => {
                v.read_element(a);
                v.write_elements(self.list(elements));
            }
            DecodedOp::Convert { d, a, .. }
            | DecodedOp::Modify { d, a, .. }
            | DecodedOp::Offset { d, a, .. }
            | DecodedOp::AlignDown { d, a, .. }
            | DecodedOp::RankOf { d, a, .. } => {
                v.write_element(d);
                v.read_element(a);
            }
            DecodedOp::ConvertPacked { d, a, b, .. } => v.result_first(B32, &[d, a, b]),
            DecodedOp::ConvertBy { d, sources, by, .. } => {
                v.write_element(d);
                v.read_elements(self.list(sources));
                v.read(B32, by);
            }
            DecodedOp::AddressSum {
                d, base, uniform, ..
            } => {
                v.write_element(d);
                v.read_elements(&[base, uniform]);
            }
            DecodedOp::IsSpace { d, a, .. } => {
                v.write(Predicate, d);
                v.read_element(a);
            }
            DecodedOp::SetPredicate {
                ref compare,
                d,
                q,
                combine,
            } => {
                v.read_comparison(compare, combine);
                v.write(Predicate, d);
                v.write(Predicate, q);
            }
            DecodedOp::Set {
                ref compare,
                d,
                combine,
                ..
            } => {
                v.read_comparison(compare, combine);
                v.write(B32, d);
            }
            DecodedOp::TestFloat { bank, d, a, .. } => {
                v.read(bank, a);
                v.write(Predicate, d);
            }
            DecodedOp::Select32 { d, a, b, p } => {
                v.result_first(B32, &[d, a, b]);
                v.read(Predicate, p);
            }
            DecodedOp::Select64 { d, a, b, p } => {
                v.result_first(B64, &[d, a, b]);
                v.read(Predicate, p);
            }
            DecodedOp::SelectSign { d, a, b, c, .. } => {
                v.write_element(d);
                v.read_all(d.bank, &[a, b]);
                v.read(B32, c);
            }
            DecodedOp::Policy { d } => v.write(B64, d),
            DecodedOp::ActiveMask { d } => v.write(B32, d),
            DecodedOp::MapToRank { d, a, b, .. } => {
                v.write_element(d);
                v.read_element(a);
                v.read(B32, b);
            }
            DecodedOp::Machine(plan) => v.plan(self.machine.get(plan), Visitor::machine),
            DecodedOp::Load(plan) => {
                if let Some(plan) = self.accesses.get(plan) {
                    v.read_base(plan);
                    v.write_elements(&plan.elements);
                }
            }
            DecodedOp::Store(plan) => {
                if let Some(plan) = self.accesses.get(plan) {
                    v.read_base(plan);
                    v.read_elements(&plan.elements);
                }
            }
            DecodedOp::Atomic(plan) => {
                if let Some(plan) = self.atomics.get(plan) {
                    v.read_base(&plan.access);
                    v.read_elements(&plan.b);
                    v.read_element(plan.c);
                    if plan.returns {
                        v.write_elements(&plan.access.elements);
                    }
                }
            }
            DecodedOp::Multimem(plan) => {
                if let Some(plan) = self.multimem.get(plan) {
                    v.read_base(&plan.access);
                    v.read_elements(&plan.sources);
                    if let MultimemAction::Load(_) = plan.action {
                        v.write_elements(&plan.access.elements);
                    }
                }
            }
            DecodedOp::BulkFill(plan) => {
                if let Some(plan) = self.fills.get(plan) {
                    v.read_base(&plan.access);
                    v.read_element(plan.size);
                }
            }
            DecodedOp::Mbarrier(plan) => {
                if let Some(plan) = self.mbarriers.get(plan) {
                    v.read_base(&plan.access);
                    v.read_element(plan.value);
                    v.write_element(plan.result);
                }
            }
            DecodedOp::StartAsync(plan) => v.plan(self.starts.get(plan), Visitor::start),
            DecodedOp::TensorCopy(plan) => {
                v.plan(self.tensor_copies.get(plan), Visitor::tensor_copy)
            }
            DecodedOp::TensorMap(plan) => match self.tensor_maps.get(plan) {
                Some(TensorMapPlan::Replace { access, value, .. }) => {
                    v.read_base(access);
                    v.read_element(*value);
                }
                Some(TensorMapPlan::Publish { to, from }) => {
                    v.read_base(to);
                    v.read_base(from);
                }
                Some(TensorMapPlan::Acquire { map }) => v.read_base(map),
                None => {}
            },
            DecodedOp::Stack(plan) => match self.stacks.get(plan) {
                Some(StackPlan::Allocate { d, size, .. }) => {
                    v.write_element(*d);
                    v.read_element(*size);
                }
                Some(StackPlan::Save(d)) => v.write_element(*d),
                Some(StackPlan::Restore(a)) => v.read_element(*a),
                None => {}
            },
            DecodedOp::Launch(plan) => match self.launches.get(plan) {
                Some(ClusterLaunchPlan::TryCancel { to, mbarrier, .. }) => {
                    v.read_base(to);
                    v.read_base(mbarrier);
                }
                Some(ClusterLaunchPlan::Read { answer, parts }) => {
                    v.read_element(*answer);
                    for (d, _) in parts {
                        v.write_element(*d);
                    }
                }
                None => {}
            },
            DecodedOp::Image(plan) => v.plan(self.images.get(plan), Visitor::image),
            DecodedOp::TensorMemory(plan) => {
                v.plan(self.tensor_memory.get(plan), Visitor::tensor_memory)
            }
            DecodedOp::Matrix(plan) => v.plan(self.matrices.get(plan), Visitor::matrix),
            DecodedOp::Warpgroup(plan) => {
                v.plan(self.warp_products.get(plan), Visitor::warp_product)
            }
            DecodedOp::Collective(plan) => {
                if let Some(plan) = self.collectives.get(plan) {
                    v.read(B32, plan.mask);
                    v.collective(&plan.kind);
                }
            }
            DecodedOp::Barrier(plan) => {
                if let Some(plan) = self.barriers.get(plan) {
                    v.read_all(B32, &[plan.id, plan.threads]);
                    if let BarrierMode::Reduce { d, predicate, op } = plan.kind {
                        v.read(Predicate, predicate.slot);
                        v.write(bank_of_reduction(op), d);
                    }
                }
            }
            DecodedOp::Call(plan) => v.plan(self.calls.get(plan), Visitor::call),
            DecodedOp::SystemCall(plan) => {
                if let Some(plan) = self.system_calls.get(plan) {
                    v.places(Read, plan.arguments.iter());
                    v.places(Write, plan.returns.iter());
                }
            }
            DecodedOp::BranchIndexed { index, .. } => v.read(B32, index),
            DecodedOp::BranchIndirect { a } => v.read_element(a),
            DecodedOp::WarpBarrier { mask }
            | DecodedOp::Reconverge { mask }
            | DecodedOp::ReconvergeUnlessYielded { mask }
            | DecodedOp::BranchDivergent { mask, .. } => v.read(B32, mask),
            DecodedOp::BreakConvergence { mask } => {
                v.read(B32, mask);
                v.write(B32, mask);
            }
            // `DecodedOp::CheckInFlight` tests whether registers belong to a pending `wgmma`, but does not read these
            // registers.
            DecodedOp::CheckInFlight(_)
            | DecodedOp::Nop
            | DecodedOp::Branch { .. }
            | DecodedOp::Return
            | DecodedOp::Exit
            | DecodedOp::Trap
            | DecodedOp::Fence
            | DecodedOp::ClusterArrive
            | DecodedOp::ClusterWait
            | DecodedOp::AsyncCommit(_)
            | DecodedOp::AsyncWait(_)
            | DecodedOp::Yield
            | DecodedOp::YieldConvergence
            | DecodedOp::Unsupported(_) => {}
        }
    }
}

/// Visitor that calls a function for each operand slot.
struct Visitor<'v>(&'v mut dyn FnMut(SlotAccess, RegisterBank, OperandSlot));

impl Visitor<'_> {
    /// Visits the operands of a plan. Does nothing if the plan is missing.
    fn plan<P>(&mut self, plan: Option<&P>, visit: impl FnOnce(&mut Self, &P)) {
        if let Some(plan) = plan {
            visit(self, plan);
        }
    }

    fn read(&mut self, bank: RegisterBank, slot: OperandSlot) {
        self.0(Read, bank, slot);
    }

    fn write(&mut self, bank: RegisterBank, slot: OperandSlot) {
        self.0(Write, bank, slot);
    }

    fn read_all(&mut self, bank: RegisterBank, slots: &[OperandSlot]) {
        for slot in slots {
            self.read(bank, *slot);
        }
    }

    /// Visits the sources, then the destination. The destination is the first slot, and all slots are in one register
    /// bank.
    fn result_first(&mut self, bank: RegisterBank, slots: &[OperandSlot]) {
        if let Some((d, sources)) = slots.split_first() {
            self.read_all(bank, sources);
            self.write(bank, *d);
        }
    }

    fn read_element(&mut self, element: RegisterOperand) {
        self.read(element.bank, element.slot);
    }

    fn write_element(&mut self, element: RegisterOperand) {
        self.write(element.bank, element.slot);
    }

    fn read_elements<'e>(&mut self, elements: impl IntoIterator<Item = &'e RegisterOperand>) {
        for element in elements {
            self.read_element(*element);
        }
    }

    fn write_elements(&mut self, elements: &[RegisterOperand]) {
        for element in elements {
            self.write_element(*element);
        }
    }

    fn read_predicate(&mut self, predicate: Option<PredicateOperand>) {
        if let Some(predicate) = predicate {
            self.read(RegisterBank::Predicate, predicate.slot);
        }
    }

    fn read_comparison(&mut self, compare: &Comparison, combine: Option<PredicateCombine>) {
        self.read_all(compare.kind.bank(), &[compare.a, compare.b]);
        if let Some(combine) = combine {
            self.read(RegisterBank::Predicate, combine.slot);
        }
    }

    /// Visits the base register of a memory access.
    fn read_base(&mut self, access: &AccessPlan) {
        self.read(access.base_bank(), access.base);
    }

    fn places<'p>(
        &mut self,
        access: SlotAccess,
        places: impl Iterator<Item = &'p CallValueLocation>,
    ) {
        for place in places {
            if let CallValueLocation::Register(element) = place {
                self.0(access, element.bank, element.slot);
            }
        }
    }

    fn machine(&mut self, plan: &SassPlan) {
        self.read_all(RegisterBank::B32, &plan.sources);
        for condition in plan.conditions {
            self.read(RegisterBank::Predicate, condition.slot);
        }
        for d in plan.registers {
            self.write(RegisterBank::B32, d);
        }
        for d in plan.predicates {
            self.write(RegisterBank::Predicate, d);
        }
    }

    fn call(&mut self, plan: &CallPlan) {
        self.read_element(plan.register);
        for target in &plan.targets {
            self.places(Read, target.arguments.iter().map(|(from, _)| from));
            self.places(Write, target.returns.iter().map(|(_, to)| to));
        }
    }

    fn start(&mut self, plan: &AsyncPlan) {
        for access in plan.to.iter().chain(&plan.mbarrier) {
            self.read_base(access);
        }
        match &plan.transfer {
            AsyncPayload::Registers => {
                self.read_elements(plan.to.iter().flat_map(|to| &to.elements));
            }
            AsyncPayload::Copy(source) => self.copy_source(source),
            AsyncPayload::Arrival(_) => {}
        }
    }

    fn copy_source(&mut self, source: &CopySource) {
        self.read_base(&source.from);
        self.read_element(source.size);
        let optional = [source.read, source.blocks, source.byte_mask];
        self.read_elements(optional.iter().flatten());
        self.read_elements(source.ignore_bytes.iter().flatten());
        self.read_predicate(source.ignore_source);
    }

    fn tensor_copy(&mut self, plan: &TensorCopyPlan) {
        for access in std::iter::once(&plan.shared).chain(&plan.mbarrier) {
            self.read_base(access);
        }
        self.read_element(plan.map);
        let lists = plan.coordinates.iter().chain(&plan.offsets);
        self.read_elements(lists.chain(&plan.blocks));
    }

    fn image(&mut self, plan: &ImagePlan) {
        match plan {
            ImagePlan::Sample(plan) => {
                self.read_element(plan.image);
                let optional = plan.sampler.iter().chain(&plan.compared);
                self.read_elements(optional.chain(&plan.coordinates).chain(&plan.offsets));
                self.write_elements(&plan.elements);
                self.write_elements(plan.resident.as_slice());
            }
            ImagePlan::Query(plan) => {
                self.read_element(plan.image);
                self.read_elements(&plan.level);
                self.write_element(plan.to);
            }
            ImagePlan::Refers(plan) => {
                self.read_element(plan.image);
                self.write_element(plan.to);
            }
            ImagePlan::Access(plan) => {
                self.read_element(plan.image);
                self.read_elements(&plan.coordinates);
                match plan.op {
                    SurfaceOp::Load => self.write_elements(&plan.access.elements),
                    SurfaceOp::Store | SurfaceOp::Reduction | SurfaceOp::Query => {
                        self.read_elements(&plan.access.elements);
                    }
                }
            }
        }
    }

    fn tensor_address(&mut self, address: &TensorMemoryAddress) {
        self.read_element(address.base);
    }

    fn tensor_memory(&mut self, plan: &TensorMemoryPlan) {
        match plan {
            TensorMemoryPlan::Allocate { to, columns } => {
                self.read_element(*columns);
                match to {
                    AllocationTarget::Memory(access) => self.read_base(access),
                    AllocationTarget::Register(d) => self.write_element(*d),
                }
            }
            TensorMemoryPlan::Free { place, columns, .. } => {
                self.tensor_address(place);
                self.read_element(*columns);
            }
            TensorMemoryPlan::Relinquish => {}
            TensorMemoryPlan::Load(plan) => {
                self.tensor_address(&plan.place);
                self.write_elements(&plan.registers);
                if let Some(reduced) = plan.reduces {
                    self.write_element(reduced.to);
                }
            }
            TensorMemoryPlan::Store(plan) => {
                self.tensor_address(&plan.place);
                self.read_elements(&plan.registers);
            }
            TensorMemoryPlan::Commit { object, blocks } => {
                self.read_base(object);
                self.read_elements(blocks);
            }
            TensorMemoryPlan::Start(plan) => {
                self.tensor_address(&plan.d);
                self.tensor_start(&plan.kind);
            }
        }
    }

    fn tensor_start(&mut self, kind: &AsyncTensorKind) {
        match kind {
            AsyncTensorKind::Copy { source, .. } => self.read_element(*source),
            AsyncTensorKind::Shift => {}
            AsyncTensorKind::Product(product) => {
                match &product.a {
                    MatrixAOperand::Kept(address) => self.tensor_address(address),
                    MatrixAOperand::Described(descriptor) => self.read_element(*descriptor),
                }
                self.read_elements(&[product.b, product.descriptor]);
                self.read_elements(product.left_out.iter().chain(&product.zeros));
                self.read_predicate(product.adds);
                let factors = product.factors.iter().flatten();
                for address in factors.chain(&product.metadata) {
                    self.tensor_address(address);
                }
            }
        }
    }

    fn factors(&mut self, factors: Option<[ScaleFactorPlan; 2]>) {
        for factors in factors.iter().flatten() {
            self.read(RegisterBank::B32, factors.register);
            self.read_elements(&[factors.byte, factors.lane]);
        }
    }

    fn matrix(&mut self, plan: &MatrixPlan) {
        match plan {
            MatrixPlan::Lines(plan) => {
                self.read(RegisterBank::B32, plan.stride);
                self.matrix_access(plan.kind, &plan.access);
            }
            MatrixPlan::Rows(plan) => {
                self.read_base(&plan.row);
                self.matrix_access(plan.kind, &plan.access);
            }
            MatrixPlan::Product(plan) => {
                for operand in [&plan.a, &plan.b, &plan.c] {
                    self.read_elements(&operand.registers);
                }
                self.factors(plan.factors);
                self.write_elements(&plan.d.registers);
            }
            MatrixPlan::Sparse(plan) => self.warp_product(plan),
        }
    }

    fn matrix_access(&mut self, kind: AccessKind, access: &AccessPlan) {
        self.read_base(access);
        match kind {
            AccessKind::Load => self.write_elements(&access.elements),
            AccessKind::Store | AccessKind::Atomic => self.read_elements(&access.elements),
        }
    }

    /// Visits the operands of a matrix multiplication. The accumulators of a `wgmma` are excluded, because the `wgmma`
    /// accesses them at its completion.
    fn warp_product(&mut self, plan: &WarpMmaPlan) {
        for factor in [&plan.a, &plan.b] {
            match factor {
                MmaOperandLocation::Registers(registers) => self.read_elements(registers),
                MmaOperandLocation::Described { descriptor, .. } => self.read_element(*descriptor),
            }
        }
        self.read_elements(&plan.c);
        self.read_elements(plan.sparse.iter().map(|(metadata, _)| metadata));
        self.read_predicate(plan.adds);
        self.factors(plan.factors);
        self.write_elements(&plan.d);
    }

    fn collective(&mut self, kind: &CollectiveKind) {
        use RegisterBank::{B32, Predicate};
        match *kind {
            CollectiveKind::Shuffle {
                d,
                predicate,
                a,
                b,
                c,
                ..
            } => {
                self.read_all(B32, &[a, b, c]);
                self.write(B32, d);
                self.write(Predicate, predicate);
            }
            CollectiveKind::Vote { mode, d, a } => {
                self.read(Predicate, a.slot);
                let bank = match mode {
                    VoteMode::Ballot => B32,
                    VoteMode::All | VoteMode::Any | VoteMode::Uni => Predicate,
                };
                self.write(bank, d);
            }
            CollectiveKind::Match {
                d, predicate, a, ..
            } => {
                self.read_element(a);
                self.write(B32, d);
                self.write(Predicate, predicate);
            }
            CollectiveKind::Reduce { d, a, .. } | CollectiveKind::Transpose { d, a } => {
                self.read(B32, a);
                self.write(B32, d);
            }
            CollectiveKind::Elect { d, predicate } => {
                self.write(B32, d);
                self.write(Predicate, predicate);
            }
        }
    }
}

const fn bank_of_reduction(op: BarrierReduce) -> RegisterBank {
    match op {
        BarrierReduce::Popc => RegisterBank::B32,
        BarrierReduce::And | BarrierReduce::Or => RegisterBank::Predicate,
    }
}
