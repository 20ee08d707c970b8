//! The operand table: the register slots that each decoded operation reads and writes.

use crate::code::matrix_plan::{FactorsPlan, MatrixPlan};
use crate::code::op::Op;
use crate::code::tensor_memory::{
    FactorOperand, Reserved, StartKind, TensorAddress, TensorMemoryPlan,
};
use crate::code::warp_product::{FactorPlace, WarpProductPlan};
use crate::code::{
    AccessPlan, AsyncPlan, Bank, BarrierMode, CallPlan, Code, CollectiveKind, Combine, Comparison,
    Element, ImagePlan, LaunchPlan, MachinePlan, MultimemAction, Place, Predicate, Source,
    StackPlan, TensorCopyPlan, TensorMapPlan, Transfer,
};
use crate::contract::fault::AccessKind;
use crate::semantics::registers::Slot;
use warpgrid_isa::{BarrierReduce, SurfaceOp, VoteMode};

/// How an operation accesses a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotAccess {
    Read,
    Write,
}

use SlotAccess::{Read, Write};

impl Code {
    /// Visits the slots that an operation reads and writes, without the guard of the instruction. Slots of constants,
    /// special registers and absent operands are visited, too. A call reads and writes slots of two frames: the slots
    /// of the caller are visited.
    pub(crate) fn visit_slots(&self, op: &Op, mut visit: impl FnMut(SlotAccess, Bank, Slot)) {
        let mut visitor = Visitor(&mut visit);
        self.visit_operands(op, &mut visitor);
    }

    fn visit_operands(&self, op: &Op, v: &mut Visitor<'_>) {
        use Bank::{B32, B64, B128, Predicate};
        match *op {
            Op::Int16 { slots, .. }
            | Op::Int32 { slots, .. }
            | Op::Wide16 { slots, .. }
            | Op::Float32 { slots, .. }
            | Op::Half { slots, .. }
            | Op::Carry32 { slots, .. } => v.result_first(B32, &slots),
            Op::Int16x2 { slots, .. } | Op::Int8x4 { slots, .. } => v.result_first(B32, &slots),
            Op::Insert32(slots) => v.result_first(B32, &slots),
            Op::Int64 { slots, .. }
            | Op::Float64 { slots, .. }
            | Op::Float32x2 { slots, .. }
            | Op::Carry64 { slots, .. } => v.result_first(B64, &slots),
            Op::Shift64 {
                slots: [d, a, b], ..
            } => {
                v.result_first(B64, &[d, a]);
                v.read(B32, b);
            }
            Op::Extract64 {
                slots: [d, a, b, c],
                ..
            } => {
                v.result_first(B64, &[d, a]);
                v.read_all(B32, &[b, c]);
            }
            Op::Insert64([d, a, b, position, length]) => {
                v.result_first(B64, &[d, a, b]);
                v.read_all(B32, &[position, length]);
            }
            Op::Count64 { slots: [d, a], .. }
            | Op::Truncate64 { d, a }
            | Op::PendingCount { d, a } => {
                v.write(B32, d);
                v.read(B64, a);
            }
            Op::Wide32 {
                slots: [d, a, b, c],
                ..
            } => {
                v.result_first(B64, &[d, c]);
                v.read_all(B32, &[a, b]);
            }
            Op::Extend32 { d, a, .. } => {
                v.write(B64, d);
                v.read(B32, a);
            }
            Op::Video(plan) => {
                if let Some(plan) = self.videos.get(plan) {
                    v.result_first(B32, &plan.slots);
                }
            }
            Op::Mov32 { d, a } => v.result_first(B32, &[d, a]),
            Op::Mov64 { d, a } => v.result_first(B64, &[d, a]),
            Op::Mov128 { d, a } => v.result_first(B128, &[d, a]),
            Op::MovPredicate { d, a } => v.result_first(Predicate, &[d, a]),
            Op::PredicateLogic { d, a, b, .. } => v.result_first(Predicate, &[d, a, b]),
            Op::Pack { d, elements, .. } => {
                v.write_element(d);
                v.read_elements(self.list(elements));
            }
            Op::Unpack { a, elements, .. } => {
                v.read_element(a);
                v.write_elements(self.list(elements));
            }
            Op::Convert { d, a, .. }
            | Op::Modify { d, a, .. }
            | Op::Offset { d, a, .. }
            | Op::AlignDown { d, a, .. }
            | Op::RankOf { d, a, .. } => {
                v.write_element(d);
                v.read_element(a);
            }
            Op::ConvertPacked { d, a, b, .. } => v.result_first(B32, &[d, a, b]),
            Op::ConvertBy { d, sources, by, .. } => {
                v.write_element(d);
                v.read_elements(self.list(sources));
                v.read(B32, by);
            }
            Op::AddressSum {
                d, base, uniform, ..
            } => {
                v.write_element(d);
                v.read_elements(&[base, uniform]);
            }
            Op::IsSpace { d, a, .. } => {
                v.write(Predicate, d);
                v.read_element(a);
            }
            Op::SetPredicate {
                ref compare,
                d,
                q,
                combine,
            } => {
                v.read_comparison(compare, combine);
                v.write(Predicate, d);
                v.write(Predicate, q);
            }
            Op::Set {
                ref compare,
                d,
                combine,
                ..
            } => {
                v.read_comparison(compare, combine);
                v.write(B32, d);
            }
            Op::TestFloat { bank, d, a, .. } => {
                v.read(bank, a);
                v.write(Predicate, d);
            }
            Op::Select32 { d, a, b, p } => {
                v.result_first(B32, &[d, a, b]);
                v.read(Predicate, p);
            }
            Op::Select64 { d, a, b, p } => {
                v.result_first(B64, &[d, a, b]);
                v.read(Predicate, p);
            }
            Op::SelectSign { d, a, b, c, .. } => {
                v.write_element(d);
                v.read_all(d.bank, &[a, b]);
                v.read(B32, c);
            }
            Op::Policy { d } => v.write(B64, d),
            Op::ActiveMask { d } => v.write(B32, d),
            Op::MapToRank { d, a, b, .. } => {
                v.write_element(d);
                v.read_element(a);
                v.read(B32, b);
            }
            Op::Machine(plan) => v.plan(self.machine.get(plan), Visitor::machine),
            Op::Load(plan) => {
                if let Some(plan) = self.accesses.get(plan) {
                    v.read_base(plan);
                    v.write_elements(&plan.elements);
                }
            }
            Op::Store(plan) => {
                if let Some(plan) = self.accesses.get(plan) {
                    v.read_base(plan);
                    v.read_elements(&plan.elements);
                }
            }
            Op::Atomic(plan) => {
                if let Some(plan) = self.atomics.get(plan) {
                    v.read_base(&plan.access);
                    v.read_elements(&plan.b);
                    v.read_element(plan.c);
                    if plan.returns {
                        v.write_elements(&plan.access.elements);
                    }
                }
            }
            Op::Multimem(plan) => {
                if let Some(plan) = self.multimem.get(plan) {
                    v.read_base(&plan.access);
                    v.read_elements(&plan.sources);
                    if let MultimemAction::Load(_) = plan.action {
                        v.write_elements(&plan.access.elements);
                    }
                }
            }
            Op::Fill(plan) => {
                if let Some(plan) = self.fills.get(plan) {
                    v.read_base(&plan.access);
                    v.read_element(plan.size);
                }
            }
            Op::Mbarrier(plan) => {
                if let Some(plan) = self.mbarriers.get(plan) {
                    v.read_base(&plan.access);
                    v.read_element(plan.value);
                    v.write_element(plan.result);
                }
            }
            Op::StartAsync(plan) => v.plan(self.starts.get(plan), Visitor::start),
            Op::TensorCopy(plan) => v.plan(self.tensor_copies.get(plan), Visitor::tensor_copy),
            Op::TensorMap(plan) => match self.tensor_maps.get(plan) {
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
            Op::Stack(plan) => match self.stacks.get(plan) {
                Some(StackPlan::Allocate { d, size, .. }) => {
                    v.write_element(*d);
                    v.read_element(*size);
                }
                Some(StackPlan::Save(d)) => v.write_element(*d),
                Some(StackPlan::Restore(a)) => v.read_element(*a),
                None => {}
            },
            Op::Launch(plan) => match self.launches.get(plan) {
                Some(LaunchPlan::TryCancel { to, mbarrier, .. }) => {
                    v.read_base(to);
                    v.read_base(mbarrier);
                }
                Some(LaunchPlan::Read { answer, parts }) => {
                    v.read_element(*answer);
                    for (d, _) in parts {
                        v.write_element(*d);
                    }
                }
                None => {}
            },
            Op::Image(plan) => v.plan(self.images.get(plan), Visitor::image),
            Op::TensorMemory(plan) => v.plan(self.tensor_memory.get(plan), Visitor::tensor_memory),
            Op::Matrix(plan) => v.plan(self.matrices.get(plan), Visitor::matrix),
            Op::Warpgroup(plan) => v.plan(self.warp_products.get(plan), Visitor::warp_product),
            Op::Collective(plan) => {
                if let Some(plan) = self.collectives.get(plan) {
                    v.read(B32, plan.mask);
                    v.collective(&plan.kind);
                }
            }
            Op::Barrier(plan) => {
                if let Some(plan) = self.barriers.get(plan) {
                    v.read_all(B32, &[plan.id, plan.threads]);
                    if let BarrierMode::Reduce { d, predicate, op } = plan.kind {
                        v.read(Predicate, predicate.slot);
                        v.write(bank_of_reduction(op), d);
                    }
                }
            }
            Op::Call(plan) => v.plan(self.calls.get(plan), Visitor::call),
            Op::SystemCall(plan) => {
                if let Some(plan) = self.system_calls.get(plan) {
                    v.places(Read, plan.arguments.iter());
                    v.places(Write, plan.returns.iter());
                }
            }
            Op::BranchIndexed { index, .. } => v.read(B32, index),
            Op::BranchIndirect { a } => v.read_element(a),
            Op::WarpBarrier { mask }
            | Op::Reconverge { mask }
            | Op::ReconvergeUnlessYielded { mask }
            | Op::BranchDivergent { mask, .. } => v.read(B32, mask),
            Op::LeaveReconvergence { mask } => {
                v.read(B32, mask);
                v.write(B32, mask);
            }
            // `Op::Touch` checks the registers of a pending `wgmma`, but does not read them.
            Op::Touch(_)
            | Op::Nop
            | Op::Branch { .. }
            | Op::Return
            | Op::Exit
            | Op::Trap
            | Op::Fence
            | Op::ClusterArrive
            | Op::ClusterWait
            | Op::AsyncCommit(_)
            | Op::AsyncWait(_)
            | Op::Yield
            | Op::GiveWay
            | Op::Refused(_) => {}
        }
    }
}

/// Calls a function for each slot of an operand.
struct Visitor<'v>(&'v mut dyn FnMut(SlotAccess, Bank, Slot));

impl Visitor<'_> {
    /// Visits the operands of a plan, if there is one.
    fn plan<P>(&mut self, plan: Option<&P>, visit: impl FnOnce(&mut Self, &P)) {
        if let Some(plan) = plan {
            visit(self, plan);
        }
    }

    fn read(&mut self, bank: Bank, slot: Slot) {
        self.0(Read, bank, slot);
    }

    fn write(&mut self, bank: Bank, slot: Slot) {
        self.0(Write, bank, slot);
    }

    fn read_all(&mut self, bank: Bank, slots: &[Slot]) {
        for slot in slots {
            self.read(bank, *slot);
        }
    }

    /// Visits the sources, then the destination, which is the first slot; all slots are in one bank.
    fn result_first(&mut self, bank: Bank, slots: &[Slot]) {
        if let Some((d, sources)) = slots.split_first() {
            self.read_all(bank, sources);
            self.write(bank, *d);
        }
    }

    fn read_element(&mut self, element: Element) {
        self.read(element.bank, element.slot);
    }

    fn write_element(&mut self, element: Element) {
        self.write(element.bank, element.slot);
    }

    fn read_elements<'e>(&mut self, elements: impl IntoIterator<Item = &'e Element>) {
        for element in elements {
            self.read_element(*element);
        }
    }

    fn write_elements(&mut self, elements: &[Element]) {
        for element in elements {
            self.write_element(*element);
        }
    }

    fn read_predicate(&mut self, predicate: Option<Predicate>) {
        if let Some(predicate) = predicate {
            self.read(Bank::Predicate, predicate.slot);
        }
    }

    fn read_comparison(&mut self, compare: &Comparison, combine: Option<Combine>) {
        self.read_all(compare.kind.bank(), &[compare.a, compare.b]);
        if let Some(combine) = combine {
            self.read(Bank::Predicate, combine.slot);
        }
    }

    /// Visits the base register of an address.
    fn read_base(&mut self, access: &AccessPlan) {
        self.read(access.base_bank(), access.base);
    }

    fn places<'p>(&mut self, access: SlotAccess, places: impl Iterator<Item = &'p Place>) {
        for place in places {
            if let Place::Register(element) = place {
                self.0(access, element.bank, element.slot);
            }
        }
    }

    fn machine(&mut self, plan: &MachinePlan) {
        self.read_all(Bank::B32, &plan.sources);
        for condition in plan.conditions {
            self.read(Bank::Predicate, condition.slot);
        }
        for d in plan.registers {
            self.write(Bank::B32, d);
        }
        for d in plan.predicates {
            self.write(Bank::Predicate, d);
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
            Transfer::Registers => {
                self.read_elements(plan.to.iter().flat_map(|to| &to.elements));
            }
            Transfer::Copy(source) => self.copy_source(source),
            Transfer::Arrival(_) => {}
        }
    }

    fn copy_source(&mut self, source: &Source) {
        self.read_base(&source.from);
        self.read_element(source.size);
        let optional = [source.read, source.blocks, source.byte_mask];
        self.read_elements(optional.iter().flatten());
        self.read_elements(source.left_out.iter().flatten());
        self.read_predicate(source.ignores);
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

    fn tensor_address(&mut self, address: &TensorAddress) {
        self.read_element(address.base);
    }

    fn tensor_memory(&mut self, plan: &TensorMemoryPlan) {
        match plan {
            TensorMemoryPlan::Allocate { to, columns } => {
                self.read_element(*columns);
                match to {
                    Reserved::Memory(access) => self.read_base(access),
                    Reserved::Register(d) => self.write_element(*d),
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

    fn tensor_start(&mut self, kind: &StartKind) {
        match kind {
            StartKind::Copy { source, .. } => self.read_element(*source),
            StartKind::Shift => {}
            StartKind::Product(product) => {
                match &product.a {
                    FactorOperand::Kept(address) => self.tensor_address(address),
                    FactorOperand::Described(descriptor) => self.read_element(*descriptor),
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

    fn factors(&mut self, factors: Option<[FactorsPlan; 2]>) {
        for factors in factors.iter().flatten() {
            self.read(Bank::B32, factors.register);
            self.read_elements(&[factors.byte, factors.lane]);
        }
    }

    fn matrix(&mut self, plan: &MatrixPlan) {
        match plan {
            MatrixPlan::Lines(plan) => {
                self.read(Bank::B32, plan.stride);
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

    /// Visits the operands of a matrix multiplication. A `wgmma` reads and writes its accumulators on completion.
    fn warp_product(&mut self, plan: &WarpProductPlan) {
        for factor in [&plan.a, &plan.b] {
            match factor {
                FactorPlace::Registers(registers) => self.read_elements(registers),
                FactorPlace::Described { descriptor, .. } => self.read_element(*descriptor),
            }
        }
        self.read_elements(&plan.c);
        self.read_elements(plan.sparse.iter().map(|(metadata, _)| metadata));
        self.read_predicate(plan.adds);
        self.factors(plan.factors);
        self.write_elements(&plan.d);
    }

    fn collective(&mut self, kind: &CollectiveKind) {
        use Bank::{B32, Predicate};
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

const fn bank_of_reduction(op: BarrierReduce) -> Bank {
    match op {
        BarrierReduce::Popc => Bank::B32,
        BarrierReduce::And | BarrierReduce::Or => Bank::Predicate,
    }
}
