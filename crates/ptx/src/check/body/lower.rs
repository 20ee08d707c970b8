//! Operands into the function's arena. In: an instruction and its plan; out: the range of its operands, in the order of
//! the row's syntax line.
//!
//! The row says what each operand is; only families whose operands have a grammar of their own have code.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::outline as words;
use crate::diagnostics::rules::special_gate;
use crate::tree::OperandKind;
use warpgrid_isa::form::{Gate, Outline};
use warpgrid_isa::{
    ArithmeticOp, AsyncOp, ControlOp, Does, Flag, MemoryOp, Modifiers, MoveOp, ScalarType,
    SlotName, StateSpace, SyncOp,
};
use warpgrid_program::{
    Action, ActionId, Address, AddressBase, Operand, OperandList, OperandValue, RegisterId,
    RegisterRun, Source, SourceModifiers, Span, VariableId,
};

impl<'a> BodyChecker<'a, '_> {
    /// Puts the operands of an instruction into the arena; `None` when something was reported.
    pub(crate) fn lower(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<OperandList> {
        let start = self.body.operands.len();
        let done = self.operands(site, plan, start);
        if done.is_none() {
            self.body.operands.truncate(start);
            self.body.elements.clear();
            return None;
        }
        Some(self.body.close_list(start))
    }

    fn operands(&mut self, site: &Site<'a>, plan: &'a Plan, start: usize) -> Option<()> {
        match plan.does {
            Does::Unknown => self.names_only(site, plan),
            Does::Memory(MemoryOp::Store) => self.store(site, plan),
            Does::Memory(MemoryOp::StoreBulk) => self.store_bulk(site, plan),
            Does::Async(AsyncOp::Store) => self.store_async(site, plan),
            Does::Async(AsyncOp::BulkCopy) => {
                self.resolve(site, plan)?;
                self.check_masks(plan, start)
            }
            Does::Async(AsyncOp::Copy) => {
                self.resolve(site, plan)?;
                self.check_copy(site, plan, start)
            }
            Does::Async(
                AsyncOp::Reduction
                | AsyncOp::CopyCommit
                | AsyncOp::CopyWait
                | AsyncOp::CopyWaitAll
                | AsyncOp::CopyArrive
                | AsyncOp::BulkReduction
                | AsyncOp::BulkCommit
                | AsyncOp::BulkWait,
            ) => self.resolve(site, plan),
            Does::Mbarrier(op) => {
                self.resolve(site, plan)?;
                self.check_arrival(site, plan, op, start)
            }
            Does::Move(MoveOp::MapToRank | MoveOp::RankOf) => {
                self.resolve(site, plan)?;
                self.check_shared_address(site, start)
            }
            Does::Move(MoveOp::CreatePolicy) => {
                self.resolve(site, plan)?;
                self.check_property(site, plan, start)
            }
            Does::Matrix(op) => self.matrix(op, site, plan),
            Does::Move(MoveOp::Mov) => self.mov(site, plan),
            Does::Control(ControlOp::Branch) => self.branch(site, plan),
            Does::Control(ControlOp::BranchIndexed) => self.branch_indexed(site, plan),
            Does::Control(ControlOp::Call) => self.call(site, plan),
            Does::Move(MoveOp::Cvta) => {
                self.resolve(site, plan)?;
                self.check_converted_address(site, plan, start)
            }
            Does::Warp(_) | Does::Sync(SyncOp::WarpBarrier) => {
                self.resolve(site, plan)?;
                self.check_sums(plan, start)
            }
            Does::Sync(SyncOp::Bar | SyncOp::Barrier) => {
                self.resolve(site, plan)?;
                self.check_barrier(plan, start)?;
                self.check_sums(plan, start)
            }
            Does::Memory(op @ (MemoryOp::Load | MemoryOp::Atomic | MemoryOp::Reduction)) => {
                self.resolve(site, plan)?;
                if op == MemoryOp::Load {
                    self.check_function_parameter(site, plan, start)?;
                    self.check_call_sequence(start)?;
                }
                self.check_policy(site, plan, start)
            }
            Does::Arithmetic(ArithmeticOp::Min | ArithmeticOp::Max) if plan.n_slots > 3 => {
                self.resolve(site, plan)?;
                self.check_extremes(site, plan, start)
            }
            Does::Video(op, lanes) => self.video(site, plan, op, lanes),
            Does::Arithmetic(_)
            | Does::Carry(_)
            | Does::Compare(_)
            | Does::Move(MoveOp::Cvt | MoveOp::CvtPacked | MoveOp::CvtPack | MoveOp::Isspacep)
            | Does::Control(
                ControlOp::Return
                | ControlOp::Exit
                | ControlOp::Trap
                | ControlOp::Breakpoint
                | ControlOp::PushReconvergence
                | ControlOp::Reconverge
                | ControlOp::LeaveReconvergence
                | ControlOp::BranchIndirect
                | ControlOp::BranchDivergent,
            )
            | Does::Sync(SyncOp::Fence | SyncOp::ClusterArrive | SyncOp::ClusterWait)
            | Does::Machine(_)
            | Does::Hint(_) => self.resolve(site, plan),
        }
    }

    /// An instruction without a row, whose operands are checked as far as their names go.
    fn names_only(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        let mut ok = match plan.outline {
            Some(outline) if outline.reads_texture => {
                self.check_kinds(site, outline) && self.texture(site)
            }
            Some(outline) => self.check_kinds(site, outline) && self.outline_rules(site, outline),
            None => true,
        };
        for operand in site.instruction.operands.of(&self.tree.operands) {
            ok &= self.names_known(operand);
        }
        ok.then_some(())
    }

    /// Compares the kinds of the operands with those of the outline.
    fn check_kinds(&mut self, site: &Site<'a>, outline: &'static Outline) -> bool {
        // The predicate after the bar belongs to the values before it.
        let is_own =
            |operand: &&crate::tree::Operand| !matches!(operand.kind, OperandKind::Resident(_));
        let own = || site.operands.map(|(operand, _)| operand).filter(is_own);
        let mut all = site.operands.map(|(operand, _)| operand);
        let gate = outline.residency;
        if let Some(predicate) = all.find(|operand| !is_own(operand))
            && !self.module.meets(gate)
        {
            let what = "a residency predicate";
            let problem = special_gate(what, predicate.span, gate, self.module);
            self.report(problem);
            return false;
        }
        let n = own().count();
        let Some(shape) = outline.shape(n) else {
            let span = self.tree.mnemonic_span(site.instruction);
            let opcode = self.opcode(site);
            self.report(words::operand_count(opcode, span, n, outline));
            return false;
        };
        let mut ok = true;
        for (operand, kinds) in own().zip(shape.split_whitespace()) {
            if !self.is_of_kind(operand, kinds) {
                let found = diagnose::describe(operand.kind);
                let opcode = self.opcode(site);
                self.report(words::operand_kind(opcode, operand.span, found, kinds));
                ok = false;
            }
        }
        ok
    }

    /// Whether an operand is of one of the kinds, as letters (see `Outline::operands`).
    fn is_of_kind(&mut self, operand: &crate::tree::Operand, kinds: &str) -> bool {
        use OperandKind as K;
        match operand.kind {
            K::Address { .. } | K::AbsoluteAddress { .. } | K::AddressList { .. } => {
                kinds.contains('A')
            }
            K::Indexed { .. } | K::IndexedBy { .. } => kinds.contains(['A', 'R']),
            K::Vector { .. } => kinds.contains('V'),
            K::Integer { .. } | K::Single(_) | K::Double(_) => kinds.contains('I'),
            K::Name(name) if !kinds.contains('R') => {
                kinds.contains('V')
                    && matches!(self.names.get(name), Binding::Vector { .. } | Binding::None)
            }
            _ => kinds.contains('R') || kinds.is_empty(),
        }
    }

    /// The operand at a position of the instruction whose operands start at `start`.
    pub(crate) fn lowered(&self, start: usize, index: usize) -> Option<&Operand> {
        self.body.operands.get(start + index)
    }

    /// A hint and a policy operand come together (PTX ISA, "ld": `.level::cache_hint`).
    fn check_policy(&mut self, site: &Site<'a>, plan: &'a Plan, start: usize) -> Option<()> {
        let Some(position) = plan.policy else {
            return Some(());
        };
        let hinted = plan.modifiers.has(Flag::CacheHint);
        let operand = self.lowered(start, position)?;
        if let OperandValue::Source(Source::VariableAddress { .. }, _) = operand.value {
            let span = operand.span;
            self.report(diagnose::expected_register(span, "a variable"));
            return None;
        }
        if hinted != (operand.value == OperandValue::Absent) {
            return Some(());
        }
        let problem = diagnose::hint_and_policy(self.opcode(site), site.span, hinted);
        self.report(problem);
        None
    }

    /// `createpolicy.cvt d, a`: an access property is no address. `createpolicy.range d, [a], primary, total`: the first part is
    /// no more than the whole, as numbers of 32 bits (assembler 13.5).
    fn check_property(&mut self, site: &Site<'a>, plan: &'a Plan, start: usize) -> Option<()> {
        if let (Some((_, whole)), Some((span, part))) =
            (self.number_at(start, 3), self.number_at(start, 2))
            && part as u32 > whole as u32
        {
            let written = span.text(self.source);
            let range = (0, whole & u64::from(u32::MAX));
            self.report(diagnose::out_of_range(
                self.opcode(site),
                span,
                written,
                range,
            ));
            return None;
        }
        let property = self.lowered(start, 1)?;
        if plan.n_slots != 2
            || !matches!(
                property.value,
                OperandValue::Source(Source::VariableAddress { .. }, _)
            )
        {
            return Some(());
        }
        let span = property.span;
        self.report(diagnose::expected_register(span, "a variable"));
        None
    }

    /// `cvta` of a variable: its space is that of the instruction.
    fn check_converted_address(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        start: usize,
    ) -> Option<()> {
        let source = self.lowered(start, 1)?;
        let OperandValue::Source(Source::VariableAddress { variable, .. }, _) = source.value else {
            return Some(());
        };
        let span = source.span;
        let have = self.space_of(variable);
        if plan.takes_space(have) {
            return Some(());
        }
        let opcode = self.opcode(site);
        self.report(diagnose::space_mismatch(opcode, span, have, plan.space()));
        None
    }

    /// `min.f32` and `max.f32`: magnitudes are compared with `.xorsign` where there are two sources, and without it where
    /// there are three, which came with PTX 8.8 and `sm_100` (assembler 13.5).
    fn check_extremes(&mut self, site: &Site<'a>, plan: &'a Plan, start: usize) -> Option<()> {
        const THREE: Gate = Gate::ptx(8, 8).sm(100);
        let signs = plan.modifiers.has(Flag::Xorsign);
        let magnitudes = plan.modifiers.has(Flag::Abs);
        let third = self.lowered(start, 3)?;
        let (span, has_third) = (third.span, third.value != OperandValue::Absent);
        let opcode = self.opcode(site);
        let problem = match has_third {
            true if signs => diagnose::signs_of_three(opcode, span),
            true if !self.module.meets(THREE) => diagnose::third_source(opcode, span, THREE),
            false if signs != magnitudes => diagnose::signs_of_two(opcode, site.span),
            true | false => return Some(()),
        };
        self.report(problem);
        None
    }

    /// There are 16 barriers, and whole warps arrive at them (PTX ISA, "bar").
    fn check_barrier(&mut self, plan: &'a Plan, start: usize) -> Option<()> {
        let first = usize::from(plan.modifiers.has(Flag::Red));
        let literal = |checker: &Self, index: usize| {
            let operand = checker.lowered(start, index)?;
            match operand.value {
                OperandValue::Source(Source::Immediate(bits), _) => Some((operand.span, bits)),
                _ => None,
            }
        };
        if let Some((span, id)) = literal(self, first)
            && id > 15
        {
            self.report(diagnose::barrier_number(span, id));
            return None;
        }
        if let Some((span, threads)) = literal(self, first + 1)
            && threads % 32 != 0
        {
            self.report(diagnose::barrier_threads(span, threads));
            return None;
        }
        Some(())
    }

    /// Below `sm_90`, what warps do together goes through code of the assembler's own library, which takes no sums (assembler 13.5).
    fn check_sums(&mut self, plan: &'a Plan, start: usize) -> Option<()> {
        const WITHOUT_LIBRARY: u16 = 90;
        let has = |flag| plan.modifiers.has(flag);
        let is_written_out = plan.does == Does::Sync(SyncOp::Bar)
            || plan.does == Does::Sync(SyncOp::Barrier) && has(Flag::Aligned)
            || plan.does != Does::Sync(SyncOp::Barrier) && !has(Flag::Sync);
        if is_written_out || self.module.target.sm >= WITHOUT_LIBRARY {
            return Some(());
        }
        let own = self.body.operands.get(start..)?;
        let sum = own.iter().find(|operand| {
            let value = &operand.value;
            matches!(
                value,
                OperandValue::Source(
                    Source::VariableAddress { .. } | Source::RegisterOffset { .. },
                    _
                )
            )
        });
        match sum.map(|operand| operand.span) {
            None => Some(()),
            Some(span) => {
                let found = "a sum with a name";
                self.report(diagnose::expected_register(span, found));
                None
            }
        }
    }

    /// `st.bulk [a], size, initval`: a whole number of 8 bytes, up to 16 MiB, becomes zero (assembler 13.5).
    fn store_bulk(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        const MOST: u64 = 1 << 24;
        self.count_operands(site, plan)?;
        let mut ok = true;
        for (index, (operand, _)) in site.operands.enumerate() {
            let value = match index {
                0 => OperandValue::Address(self.filled_place(site, plan, operand)?),
                _ => source(self.loose_source(operand)?),
            };
            let problem = match (index, &value) {
                (1, OperandValue::Source(Source::Immediate(size), _)) => {
                    let is_whole = *size <= MOST && size % 8 == 0;
                    (!is_whole).then(|| diagnose::bulk_size(operand.span, *size))
                }
                (1, OperandValue::Source(Source::Register(run), _)) => {
                    let ty = self.body.type_of(run.first);
                    let is_size = ty.is_integer() && matches!(ty.width_bits(), 32 | 64);
                    (!is_size).then(|| diagnose::type_mismatch(operand.span, ty, ScalarType::U64))
                }
                (2, OperandValue::Source(Source::Immediate(0), _)) | (0, _) => None,
                (1, _) => Some(diagnose::expected_register(operand.span, "a variable")),
                (_, _) => Some(diagnose::literal_expected(operand.span)),
            };
            if let Some(problem) = problem {
                self.report(problem);
                ok = false;
            }
            self.body.push(value, operand.span);
        }
        ok.then_some(())
    }

    /// Where `st.bulk` starts: with a state space in a register of at least 32 bits (assembler 13.5).
    fn filled_place(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &crate::tree::Operand,
    ) -> Option<Address> {
        let address = self.address(site, plan, operand)?;
        if !plan.modifiers.has(Flag::SharedCta) {
            return Some(address);
        }
        let problem = match address.base {
            AddressBase::Register(run) => {
                let ty = self.body.type_of(run.first);
                (ty.width_bits() < 32).then(|| diagnose::address_type(operand.span, ty))
            }
            AddressBase::Variable(_) | AddressBase::Bank { .. } | AddressBase::None => {
                let found = "an address without a register";
                Some(diagnose::expected_register(operand.span, found))
            }
        };
        match problem {
            Some(problem) => {
                self.report(problem);
                None
            }
            None => Some(address),
        }
    }

    /// What a body declares for a call is read after a call has returned into it (assembler 13.5).
    fn check_call_sequence(&mut self, start: usize) -> Option<()> {
        let operand = self.lowered(start, 1)?;
        let (span, OperandValue::Address(address)) = (operand.span, &operand.value) else {
            return Some(());
        };
        let AddressBase::Variable(variable) = address.base else {
            return Some(());
        };
        if !self.is_call_parameter(variable) || self.body.returned.contains(&variable) {
            return Some(());
        }
        self.report(diagnose::call_sequence(span));
        None
    }

    /// Whether a variable is a parameter that the body declares, for calls.
    pub(super) fn is_call_parameter(&self, variable: VariableId) -> bool {
        let n_head = self.function.variables.len();
        matches!(variable, VariableId::Function(index) if index as usize >= n_head)
            && self.space_of(variable) == StateSpace::ParamFunc
            && self.outline.header.is_some()
    }

    /// `ld.param::func` reads parameters of functions by name: neither those of a kernel nor through registers
    /// (assembler 13.5).
    fn check_function_parameter(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        start: usize,
    ) -> Option<()> {
        let bound = plan.bound.as_ref()?;
        if bound.text(SlotName::Space) != Some("param::func") {
            return Some(());
        }
        let operand = self.lowered(start, 1)?;
        let (span, OperandValue::Address(address)) = (operand.span, &operand.value) else {
            return Some(());
        };
        let have = match address.base {
            AddressBase::Variable(variable) => self.space_of(variable),
            AddressBase::Register(_) | AddressBase::Bank { .. } | AddressBase::None => {
                StateSpace::Generic
            }
        };
        if have == StateSpace::ParamFunc {
            return Some(());
        }
        let opcode = self.opcode(site);
        let problem = diagnose::space_mismatch(opcode, span, have, StateSpace::ParamFunc);
        self.report(problem);
        None
    }

    /// The action of an instruction that is legal, but that the program has no way to say.
    #[cold]
    pub(crate) fn unsayable(&mut self, site: &Site<'a>) -> ActionId {
        let opcode = self.opcode(site).to_owned();
        self.made.action(Action {
            does: Does::Unknown,
            modifiers: Modifiers::default(),
            opcode,
        })
    }
}

/// A value that is read as it is.
pub(crate) const fn source(source: Source) -> OperandValue {
    OperandValue::Source(source, SourceModifiers::NONE)
}

/// A register that is read.
pub(crate) const fn register(register: RegisterId) -> Source {
    Source::Register(RegisterRun::one(register))
}

/// A register that is written.
pub(crate) const fn destination(register: RegisterId) -> OperandValue {
    OperandValue::Destination(Some(RegisterRun::one(register)))
}

/// An operand of an instruction that is not in the text.
pub(crate) const fn inserted(value: OperandValue) -> Operand {
    Operand {
        value,
        span: Span::at(0),
    }
}
