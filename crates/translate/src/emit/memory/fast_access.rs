//! Memory accesses on the fast path of a basic block, which are contiguous or uniform and within the cached range of
//! their access site. The generated code takes the address pattern of the base register, and produces stored bytes or
//! loaded registers. If a check fails, execution continues on the slow path at the same access.

use crate::bailout::BailoutReason;
use crate::control_flow_graph::stores_to_memory;
use crate::emit::memory::address_pattern::AddressPattern;
use crate::emit::memory::address_pattern::CachedBound;
use crate::emit::memory::{AccessDirection, SubwarpAccess};
use crate::emit::{ALL, AddressOperand, Emitter, FixedLocals};
use crate::instructions::at;
use crate::layout::{SUBWARP_LANES, holds, site};
use crate::registers::RegisterKey;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{
    AccessPlan, DecodedInstruction, DecodedOp, OperandLocation, RegisterBank,
};
use warpgrid_isa::StateSpace;
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// Address patterns that an access may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PatternSet {
    /// Whether the addresses may be contiguous.
    rows: bool,
    /// Whether all lanes may have the same address.
    one: bool,
    /// Whether the stride analysis has proved the pattern of the base.
    is_known: bool,
    /// Constant distance in bytes between neighboring lanes, for strided accesses that are neither contiguous nor
    /// uniform.
    constant_stride: Option<i64>,
    /// Whether the addresses are arbitrary, because the stride of the base is unknown. Only loads whose readers are not
    /// recorded in shadow memory have this pattern.
    is_gather: bool,
}

impl PatternSet {
    /// Returns the byte offset of a lane from the lane with the lowest address. `apart` is the distance in bytes
    /// between neighboring lanes.
    fn distance(apart: i64, lane: u8) -> u32 {
        let lanes = i64::from(SUBWARP_LANES) - 1;
        (apart * i64::from(lane) - (apart * lanes).min(0)) as u32
    }
}

/// Access that the fast path supports. Accesses with the same base register share one range check if no instruction
/// between them writes this register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastAccess {
    /// Position of this access in the code.
    pub(crate) at: u32,
    /// Position of the access that performs the range check of this access.
    pub(crate) checking_access: u32,
    /// Lowest constant offset among the accesses that share the range check.
    low: i64,
    /// Total size in bytes of the range that all accesses of the shared range check cover. Zero if the address pattern
    /// is unknown.
    pub(crate) bytes: u32,
    /// Binary logarithm of the alignment that the shared range check requires.
    pub(crate) align: u32,
    /// Whether the access is recorded in shadow memory.
    pub(crate) is_noted: bool,
    /// Whether the range check is hoisted to the start of the block, because no earlier instruction of the block writes
    /// the base register.
    is_early: bool,
    /// Local that contains the address of the lowest byte in the range check. For shared memory, this address is
    /// relative to the start of shared memory.
    place: u32,
    together: PatternSet,
    /// Vector load from which this uniform load of one word takes its word. The field is `None` if no other access
    /// loads one of the four words.
    among: Option<VectorLoad>,
}

/// Vector load of four words that is shared by several uniform accesses.
#[derive(Clone, Copy, Debug)]
struct VectorLoad {
    /// Local that contains the four loaded words.
    local: u32,
    /// Offset of the first word from the lowest byte of the range check.
    start: u32,
    /// Whether this access performs the vector load, because it is the first of the accesses that share the load.
    loads: bool,
}

impl FastAccess {
    /// Checks whether the fast path can exit at this access, due to a range check or an update of shadow memory.
    pub(crate) fn may_end(&self) -> bool {
        self.checking_access == self.at && !self.is_early || self.is_noted
    }

    /// Checks whether the lanes may have contiguous addresses.
    pub(crate) fn may_be_row(&self) -> bool {
        self.together.rows
    }

    /// Checks whether all lanes may have the same address.
    pub(crate) fn may_be_one(&self) -> bool {
        self.together.one
    }

    /// Extends the range check of this access to another access. Returns the access that performs the check, or `None`
    /// if the two accesses are too far apart.
    fn share(&mut self, other: &FastAccess) -> Option<u32> {
        let end = |quick: &FastAccess| quick.low.checked_add(quick.bytes.into());
        let low = self.low.min(other.low);
        let bytes = end(self)?.max(end(other)?).checked_sub(low)?;
        let is_aligned = (other.low - low) % (1 << self.align) == 0;
        if bytes > MAX_CHECK_SPAN || !is_aligned || (self.low - low) % (1 << self.align) != 0 {
            return None;
        }
        (self.low, self.bytes) = (low, bytes as u32);
        Some(self.checking_access)
    }
}

const FOUR_WORDS: u32 = 16;

/// Key by which accesses share a range check: base register, width, direction, accepted memories, and partition number.
type RangeCheckKey = (RegisterKey, u32, AccessDirection, u32, u32);

/// Maximum size of a shared range check in bytes.
const MAX_CHECK_SPAN: i64 = 1 << 16;

impl Emitter<'_> {
    /// Returns the memory accesses of a basic block that its fast path supports, in code order.
    pub(crate) fn quick_accesses(&mut self, index: usize) -> Vec<FastAccess> {
        let block = &self.flow.blocks[index];
        let mut fast_accesses: Vec<FastAccess> = Vec::new();
        let mut looks: BTreeMap<RangeCheckKey, usize> = BTreeMap::new();
        let mut written_before: BTreeSet<RegisterKey> = BTreeSet::new();
        for at in block.start..block.end {
            let Some(placed) = self.code.get(at) else {
                continue;
            };
            self.set_current_instruction(at);
            if let Some((quick, look)) = self.quick_access(&placed.instr) {
                let leader = looks
                    .get(&look)
                    .and_then(|leader| fast_accesses.get_mut(*leader));
                let shares =
                    quick.together.is_known && placed.instr.guard.place() == OperandLocation::None;
                match leader
                    .filter(|_| shares)
                    .and_then(|leader| leader.share(&quick))
                {
                    Some(leader) => fast_accesses.push(FastAccess {
                        checking_access: leader,
                        ..quick
                    }),
                    None => {
                        let place = self.local(ValType::I32);
                        if shares {
                            looks.insert(look, fast_accesses.len());
                        }
                        // The range check of the first access in a block is not hoisted, because no earlier load of the
                        // block could delay the check.
                        let is_early = shares
                            && !fast_accesses.is_empty()
                            && !written_before.contains(&look.0);
                        fast_accesses.push(FastAccess {
                            place,
                            is_early,
                            ..quick
                        });
                    }
                }
            }
            if let Some(written) = self.writes_at.get(&(at as u32)) {
                looks.retain(|(base, ..), _| !written.contains(base));
                written_before.extend(written);
            }
        }
        for place in 0..fast_accesses.len() {
            let leader = fast_accesses
                .iter()
                .find(|leader| leader.at == fast_accesses[place].checking_access);
            if let Some(leader) = leader.copied() {
                let own = &mut fast_accesses[place];
                (own.low, own.place) = (leader.low, leader.place);
            }
        }
        self.find_four_words(index, &mut fast_accesses);
        fast_accesses
    }

    /// Finds uniform loads of single words that can be taken from one vector load of four words. A range check must
    /// cover the vector, and there must be no store between the loads.
    fn find_four_words(&mut self, index: usize, all: &mut [FastAccess]) {
        let block = &self.flow.blocks[index];
        // Loads since the last store, grouped by the access that performs the range check and by the start of the
        // vector.
        let mut since: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        let mut found = Vec::new();
        for at in block.start..block.end {
            let Some(placed) = self.code.get(at) else {
                continue;
            };
            if stores_to_memory(self.plain, &placed.instr.op) {
                found.extend(std::mem::take(&mut since));
            }
            let place = all.binary_search_by_key(&(at as u32), |quick| quick.at);
            let Ok(place) = place else {
                continue;
            };
            self.set_current_instruction(at);
            if let Some((leader, start)) = self.find_word(&placed.instr, all, place) {
                since.entry((leader, start)).or_default().push(place);
            }
        }
        found.extend(since);
        for ((_, start), places) in found.into_iter().filter(|(_, places)| places.len() > 1) {
            let local = self.local(ValType::V128);
            for (number, place) in places.into_iter().enumerate() {
                all[place].among = Some(VectorLoad {
                    local,
                    start,
                    loads: number == 0,
                });
            }
        }
    }

    /// Returns the position of the access that performs the range check for a load, and the offset of the four-word
    /// vector that contains the loaded word. The offset is relative to the lowest byte of the range check.
    fn find_word(
        &self,
        instr: &DecodedInstruction,
        all: &[FastAccess],
        place: usize,
    ) -> Option<(u32, u32)> {
        let quick = all.get(place)?;
        let DecodedOp::Load(plan) = instr.op else {
            return None;
        };
        let plan = self.plain.access(plan)?;
        let leader = all
            .iter()
            .find(|leader| leader.at == quick.checking_access)?;
        let is_one = quick.together.is_known && quick.together.one && !quick.is_noted;
        let is_guarded = instr.guard.place() != OperandLocation::None;
        if !is_one || is_guarded || !self.loads_rows_of_words(plan) || plan.elements.len() != 1 {
            return None;
        }
        let last = leader.bytes.checked_sub(FOUR_WORDS)?;
        let offset = u32::try_from(plan.offset.checked_sub(leader.low)?).ok()?;
        Some((leader.at, (offset / FOUR_WORDS * FOUR_WORDS).min(last)))
    }

    /// Returns the fast-path description of the current access, and the key of the range check that covers only this
    /// access.
    fn quick_access(&self, instr: &DecodedInstruction) -> Option<(FastAccess, RangeCheckKey)> {
        let (plan, way) = match instr.op {
            DecodedOp::Load(plan) => (plan, AccessDirection::Load),
            DecodedOp::Store(plan) => (plan, AccessDirection::Store),
            _ => return None,
        };
        let plan = self.plain.access(plan)?;
        let accepts = accepts(plan.space)?;
        let access = SubwarpAccess {
            plan,
            way,
            accepts,
            site: 0,
            is_narrow: accepts == holds::SHARED && !plan.has_64_bit_base,
            pattern: None,
        };
        let together = self.together(&access);
        let may_be_local = plan.space == StateSpace::Generic && self.places.local_bytes > 0;
        let is_any = together.rows
            || together.one
            || together.constant_stride.is_some()
            || together.is_gather;
        if may_be_local || !access.has_aligned_base() || !is_any {
            return None;
        }
        let (low, bytes) = match (together.is_known, together.constant_stride) {
            (false, _) if together.is_gather => (plan.offset, access.width()),
            (false, _) => (plan.offset, 0),
            (true, None) if together.rows => (plan.offset, 4 * access.width()),
            (true, None) => (plan.offset, access.width()),
            (true, Some(apart)) => {
                let all = 3 * apart;
                let bytes = all.unsigned_abs() as u32 + access.width();
                (plan.offset.checked_add(all.min(0))?, bytes)
            }
        };
        // Accesses that are recorded in shadow memory must be word-aligned, because shadow memory tracks whole words.
        let align = match accepts {
            holds::SHARED if !together.is_gather => access.width().max(4),
            _ => access.width(),
        };
        let quick = FastAccess {
            at: self.at,
            checking_access: self.at,
            low,
            bytes,
            align: align.trailing_zeros(),
            is_noted: self.is_noted(&access),
            is_early: false,
            place: 0,
            together,
            among: None,
        };
        let base = self.base_of(plan)?;
        Some((
            quick,
            (
                base,
                access.width(),
                way,
                accepts,
                self.private_pattern_at(self.at),
            ),
        ))
    }

    /// Checks whether an access is always recorded in shadow memory.
    fn is_noted(&self, access: &SubwarpAccess<'_>) -> bool {
        access.accepts == holds::SHARED && self.flow.shared[self.block].stores
    }

    /// Returns the base register of an access.
    fn base_of(&self, plan: &AccessPlan) -> Option<RegisterKey> {
        let bank = plan.base_bank();
        match plan.base.place() {
            OperandLocation::Register(index) => Some(self.frame_register(bank, index)),
            _ => None,
        }
    }

    /// Returns the address patterns that are possible for an access, given the stride of its base register.
    fn together(&self, access: &SubwarpAccess<'_>) -> PatternSet {
        let plan = access.plan;
        let base = self.base_of(plan);
        let stride = base.and_then(|base| self.strides.get(&base).copied());
        let width = access.width();
        let is_store = access.way == AccessDirection::Store;
        let rows = access.has_rows() && stride.is_none_or(|stride| stride == u64::from(width));
        // Accesses to parts of a word in shared memory are excluded, because only the slow path records them in shadow
        // memory.
        let one = !is_store
            && stride.is_none_or(|stride| stride == 0)
            && (width >= 4 || access.accepts != holds::SHARED);
        // Recorded accesses with other strides are excluded, because only the slow path records them in shadow memory.
        let apart = stride.filter(|_| !rows && !one && !self.is_noted(access));
        PatternSet {
            rows,
            one,
            is_known: stride.is_some(),
            is_gather: stride.is_none() && !is_store && !self.is_noted(access),
            constant_stride: apart.and_then(|stride| {
                let apart = match plan.has_64_bit_base {
                    true => stride.cast_signed(),
                    false => i64::from(stride as i32),
                };
                let is_near = apart.checked_mul(3)?.unsigned_abs() <= MAX_CHECK_SPAN as u64;
                (is_near && apart % i64::from(width) == 0).then_some(apart)
            }),
        }
    }

    /// Emits a memory access on the fast path. The access executes either for all lanes of the subwarp or for no lane.
    pub(crate) fn access_quickly(
        &mut self,
        access: &SubwarpAccess<'_>,
        quick: FastAccess,
    ) -> Result<(), BailoutReason> {
        if quick.together.is_gather {
            return self.emit_guarded(access.way, |e| e.emit_gather(access, quick));
        }
        self.set_active_lanes();
        if self.guard.is_some() {
            self.open_block();
            self.get(self.names.active);
            self.ops([I::I32Eqz, I::BrIf(0)]);
        }
        // All checks that can exit the fast path must precede the updates of counters, because the slow path repeats
        // these updates.
        let previous_pointer = self.pointer;
        match quick.together.is_known {
            true => self.emit_shared_range_check(access, quick)?,
            false => self.find_quickly(access, quick.together),
        }
        self.fallback_label = None;
        if self.guard.is_some() {
            self.close();
        }
        self.emit_guarded(access.way, |e| e.move_quickly(access, quick))?;
        self.pointer = previous_pointer;
        Ok(())
    }

    /// Emits the range check of an access with a known address pattern, for all accesses that share this check.
    fn emit_shared_range_check(
        &mut self,
        access: &SubwarpAccess<'_>,
        quick: FastAccess,
    ) -> Result<(), BailoutReason> {
        self.branch_to_slow_path();
        let active = self.names.active;
        if self.guard.is_some() && !may_be_partial(access, quick) {
            self.get(active);
            self.ops([I::I32Const(ALL), I::I32Ne]);
            self.leave_if();
        }
        if quick.checking_access == quick.at {
            match quick.is_early {
                true => self.hoist_range_check(|e| e.emit_range_check(access, quick, None))?,
                false => self.emit_range_check(access, quick, access.pattern)?,
            }
        }
        // Compute the lowest address of this access, relative to the lowest address of the range check.
        let lowest = quick
            .together
            .constant_stride
            .map_or(0, |apart| (3 * apart).min(0));
        let offset = access.plan.offset.wrapping_add(lowest);
        let beyond = offset.wrapping_sub(quick.low) as u32;
        self.pointer = AddressOperand {
            local: quick.place,
            beyond: beyond + self.place_of_all(access),
        };
        if access.accepts == holds::SHARED {
            let lanes = if quick.together.rows { 4 } else { 1 };
            self.record_shared_access(access.way, lanes * access.width());
        }
        Ok(())
    }

    /// Returns the base address to which the result of a range check is relative: the start of shared memory if the
    /// result is an offset in shared memory, otherwise zero.
    pub(crate) fn place_of_all(&self, access: &SubwarpAccess<'_>) -> u32 {
        match access.is_narrow {
            true => self.places.shared,
            false => 0,
        }
    }

    /// Emits the check that an access is within the cached range of its access site, and exits the current path
    /// otherwise. The check reads the base address of the first lane from a local that an earlier access of the block
    /// may have computed.
    fn emit_range_check(
        &mut self,
        access: &SubwarpAccess<'_>,
        quick: FastAccess,
        pattern: Option<AddressPattern>,
    ) -> Result<(), BailoutReason> {
        let FixedLocals { first, offset, .. } = self.names;
        match pattern {
            Some(pattern) => self.get(pattern.first),
            None => self.push_first(access.plan.base_bank(), access.plan.base)?,
        }
        if access.is_narrow {
            self.ops([I::I32Const(quick.low as i32), I::I32Add]);
            self.check_shared(quick.bytes, quick.align);
            self.get(first);
            self.set(quick.place);
            return Ok(());
        }
        self.ops([I::I64Const(quick.low), I::I64Add, I::I32Const(0)]);
        self.ops([I::I64Load(at(access.site + site::ADDRESS)), I::I64Sub]);
        self.tee(offset);
        self.ops([
            I::I64Const(quick.align.into()),
            I::I64Rotr,
            I::I32Const(0),
            I::I64Load(at(access.site + site::FAST_OFFSETS)),
            I::I64GeU,
        ]);
        self.leave_if();
        self.get(offset);
        self.ops([I::I32WrapI64, I::I32Const(0)]);
        self.ops([I::I32Load(at(access.site + site::PLACE)), I::I32Add]);
        self.set(quick.place);
        Ok(())
    }

    /// Stores the shared memory offset on the stack in the local `first`. Exits the current path if `bytes` bytes at
    /// this offset exceed shared memory, or if the offset is misaligned.
    fn check_shared(&mut self, bytes: u32, align: u32) {
        self.tee(self.names.first);
        self.ops([I::I32Const(align as i32), I::I32Rotr]);
        match self.places.shared_bytes.checked_sub(bytes) {
            Some(last) => self.ops([I::I32Const((last >> align) as i32), I::I32GtU]),
            None => self.ops([I::Drop, I::I32Const(1)]),
        }
        self.leave_if();
    }

    /// Computes the address of an access whose contiguous or uniform address pattern is checked at run time.
    fn find_quickly(&mut self, access: &SubwarpAccess<'_>, together: PatternSet) {
        let width = access.width();
        if !together.one || !together.rows {
            self.branch_to_slow_path();
            let (gap, bytes, known) = match together.rows {
                true => (width, 4 * width, CachedBound::Row),
                false => (0, width, CachedBound::Range),
            };
            self.check_addresses(access, gap);
            self.find_place(access, bytes, known);
            self.record_range_access(access, bytes);
            return;
        }
        self.ops([I::Block(BlockType::Empty), I::Block(BlockType::Empty)]);
        self.check_addresses(access, width);
        self.find_place(access, 4 * width, CachedBound::Row);
        self.ops([I::Br(1), I::End]);
        self.nest += 1;
        self.branch_to_slow_path();
        self.check_addresses(access, 0);
        self.find_place(access, width, CachedBound::Range);
        self.close();
        self.if_row(access);
        self.record_range_access(access, 4 * width);
        self.op(I::Else);
        self.record_range_access(access, width);
        self.close();
    }

    fn move_quickly(
        &mut self,
        access: &SubwarpAccess<'_>,
        quick: FastAccess,
    ) -> Result<(), BailoutReason> {
        let together = quick.together;
        if let Some(apart) = together.constant_stride {
            let beyond = self.pointer.beyond;
            let place = |e: &mut Self, lane: u8| {
                e.get_pointer();
                beyond + PatternSet::distance(apart, lane)
            };
            for index in 0..access.plan.elements.len() as u32 {
                match access.way {
                    AccessDirection::Load => self.load_each(access.plan, index, place),
                    AccessDirection::Store => self.store_each(access.plan, index, place)?,
                }
            }
            return Ok(());
        }
        if access.way == AccessDirection::Load && quick.among.is_none_or(|words| words.loads) {
            self.count_loads(access.plan.elements.len());
        }
        match (access.way, together.rows, together.one) {
            (AccessDirection::Store, ..) => {
                let kept = self.guard.filter(|_| may_be_partial(access, quick));
                self.store_row(access.plan, kept)?;
            }
            (AccessDirection::Load, true, false) => self.load_row(access.plan),
            (AccessDirection::Load, false, _) => match quick.among {
                Some(words) => self.load_among(access, quick, words),
                None => self.load_one(access.plan),
            },
            (AccessDirection::Load, true, true) => {
                self.if_row(access);
                self.load_row(access.plan);
                self.op(I::Else);
                self.load_one(access.plan);
                self.close();
            }
        }
        Ok(())
    }

    /// Broadcasts one of the four words of a shared vector load to all lanes.
    fn load_among(&mut self, access: &SubwarpAccess<'_>, quick: FastAccess, words: VectorLoad) {
        let VectorLoad {
            local,
            start,
            loads,
        } = words;
        if loads {
            self.get(quick.place);
            let start = start + self.place_of_all(access);
            self.op(I::V128Load(at(start)));
            self.set(local);
        }
        let offset = access.plan.offset.wrapping_sub(quick.low) as u32;
        self.load_words(access.plan, local, (offset - start) / 4);
    }

    /// Emits an access in an if-converted side. A contiguous access to shared memory becomes a single vector operation
    /// that preserves the bytes and the shadow words of inactive lanes.
    pub(crate) fn access_on_detour(
        &mut self,
        access: &SubwarpAccess<'_>,
    ) -> Result<(), BailoutReason> {
        let plan = access.plan;
        let is_word = plan.element_bytes == 4 && plan.elements.len() == 1;
        let base = self.scalar(RegisterBank::B32, plan.base);
        let together = self.together(access);
        let rows = together.is_known && together.rows && is_word && access.is_narrow;
        let (Some(_), Some(guard)) = (base.filter(|_| rows), self.guard) else {
            self.find_addresses(access)?;
            return self.move_lanes(access);
        };
        self.ops([I::Block(BlockType::Empty), I::Block(BlockType::Empty)]);
        self.nest += 2;
        self.fallback_label = Some(self.nest);
        self.push_first(RegisterBank::B32, plan.base)?;
        self.ops([I::I32Const(plan.offset as i32), I::I32Add]);
        self.check_shared(16, 2);
        let previous_pointer = self.pointer;
        self.pointer = AddressOperand {
            local: self.names.first,
            beyond: self.places.shared,
        };
        self.note_shared_of(access.way, 16, Some(guard));
        match access.way {
            AccessDirection::Load => self.load_row(plan),
            AccessDirection::Store => self.store_row(plan, Some(guard))?,
        }
        self.pointer = previous_pointer;
        self.fallback_label = None;
        self.ops([I::Br(1), I::End]);
        self.find_addresses(access)?;
        self.move_lanes(access)?;
        self.op(I::End);
        self.nest -= 2;
        Ok(())
    }

    /// Opens the WebAssembly construct that handles contiguous addresses.
    fn if_row(&mut self, access: &SubwarpAccess<'_>) {
        match access.pattern.and_then(|pattern| pattern.is_contiguous) {
            Some(is_row) => self.get(is_row),
            None => self.op(I::I32Const(0)),
        }
        self.op(I::If(BlockType::Empty));
        self.nest += 1;
    }
}

/// Checks whether a vector operation may execute a predicated access although some lanes are inactive. A vector load
/// must preserve the registers of inactive lanes, and a vector store must preserve the bytes of inactive lanes.
fn may_be_partial(access: &SubwarpAccess<'_>, quick: FastAccess) -> bool {
    let together = quick.together;
    let is_one_word = matches!(access.plan.element_bytes, 4 | 8) && access.plan.elements.len() == 1;
    let is_any = access.way == AccessDirection::Load || together.rows && is_one_word;
    together.is_known && !quick.is_noted && is_any
}

/// Returns the kinds of memory that a state space can denote. Returns `None` if accesses to the state space are not
/// translated, or if its memory is private to each thread.
pub(crate) fn accepts(space: StateSpace) -> Option<u32> {
    match space {
        StateSpace::Global => Some(holds::GLOBAL),
        StateSpace::Const => Some(holds::CONSTANT),
        StateSpace::ParamEntry => Some(holds::PARAMETERS),
        StateSpace::Shared => Some(holds::SHARED),
        StateSpace::Generic => {
            Some(holds::GLOBAL | holds::CONSTANT | holds::PARAMETERS | holds::WINDOW)
        }
        _ => None,
    }
}
