//! Accesses on the quick way of a block: lanes that follow each other, or mean one place, in the range that the site met last. In: how the
//! lanes' bases lie; out: bytes or registers, or the careful way from the access on.

use crate::emit::memory::address::Known;
use crate::emit::memory::address::Lie;
use crate::emit::memory::{Access, Way};
use crate::emit::{ALL, Emitter, Names, Pointer};
use crate::flow::stores_to_memory;
use crate::instructions::at;
use crate::place::{GANG, holds, site};
use crate::refusal::Refusal;
use crate::registers::Register;
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{AccessPlan, Bank, Instr, Op, SlotPlace};
use warpgrid_isa::StateSpace;
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// What lanes may do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Together {
    /// Follow each other.
    rows: bool,
    /// Mean one place.
    one: bool,
    /// Whether the base says that they do.
    is_known: bool,
    /// Are this far apart, if that is neither.
    apart: Option<i64>,
    /// May mean any places, since nothing is known of their base: a load that needs no notes of shared memory.
    anywhere: bool,
}

impl Together {
    /// How far a lane is from the lowest, where lanes are so far apart.
    fn distance(apart: i64, lane: u8) -> u32 {
        let lanes = i64::from(GANG) - 1;
        (apart * i64::from(lane) - (apart * lanes).min(0)) as u32
    }
}

/// An access that has a quick way. Those by one register, which no instruction between them writes, share the look at the range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    /// The place in the code, and that of the access which looks.
    pub(crate) at: u32,
    pub(crate) leader: u32,
    /// Of all that share the look: the lowest offset, the bytes from there on, and the power of two that all are a multiple of. No bytes where it
    /// is not known how the lanes lie.
    low: i64,
    pub(crate) bytes: u32,
    pub(crate) align: u32,
    /// Whether who reads and writes is noted.
    pub(crate) is_noted: bool,
    /// Whether the look is before the block: the register that it goes by is written in none of the instructions up to here.
    is_early: bool,
    /// The local with the place of the lowest, or what that is before the place of shared memory is added.
    place: u32,
    together: Together,
    /// Of a load of one word into all lanes: the four words that it is among, where another one loads one of them.
    among: Option<FourWords>,
}

/// Words that several accesses to one place each load at once.
#[derive(Clone, Copy, Debug)]
struct FourWords {
    /// The local that they are in.
    local: u32,
    /// Where the first one is, beyond the lowest of those that share the look.
    start: u32,
    /// Whether the access is the first, which loads them.
    loads: bool,
}

impl Quick {
    /// Whether the quick way may end here: where it looks, or notes.
    pub(crate) fn may_end(&self) -> bool {
        self.leader == self.at && !self.is_early || self.is_noted
    }

    /// Whether lanes may follow each other.
    pub(crate) fn may_be_row(&self) -> bool {
        self.together.rows
    }

    /// Whether they may mean one place.
    pub(crate) fn may_be_one(&self) -> bool {
        self.together.one
    }

    /// Lets another access share the look of this one, which is given back, unless they are too far apart.
    fn share(&mut self, other: &Quick) -> Option<u32> {
        let end = |quick: &Quick| quick.low.checked_add(quick.bytes.into());
        let low = self.low.min(other.low);
        let bytes = end(self)?.max(end(other)?).checked_sub(low)?;
        let is_aligned = (other.low - low) % (1 << self.align) == 0;
        if bytes > LONGEST_LOOK || !is_aligned || (self.low - low) % (1 << self.align) != 0 {
            return None;
        }
        (self.low, self.bytes) = (low, bytes as u32);
        Some(self.leader)
    }
}

/// Bytes of four words.
const FOUR_WORDS: u32 = 16;

/// What accesses have in common that share a look: base, width, way, ranges, and how they share them out.
type Look = (Register, u32, Way, u32, u32);

/// Bytes from the lowest to the end of those that share a look, at most.
const LONGEST_LOOK: i64 = 1 << 16;

impl Emitter<'_> {
    /// The accesses of a block that have a quick way, in the order of the code.
    pub(crate) fn quick_accesses(&mut self, index: usize) -> Vec<Quick> {
        let block = &self.flow.blocks[index];
        let mut found: Vec<Quick> = Vec::new();
        let mut looks: BTreeMap<Look, usize> = BTreeMap::new();
        let mut written_before: BTreeSet<Register> = BTreeSet::new();
        for at in block.start..block.end {
            let Some(placed) = self.code.get(at) else {
                continue;
            };
            self.come_to(at);
            if let Some((quick, look)) = self.quick_access(&placed.instr) {
                let leader = looks.get(&look).and_then(|leader| found.get_mut(*leader));
                let shares =
                    quick.together.is_known && placed.instr.guard.place() == SlotPlace::None;
                match leader
                    .filter(|_| shares)
                    .and_then(|leader| leader.share(&quick))
                {
                    Some(leader) => found.push(Quick { leader, ..quick }),
                    None => {
                        let place = self.local(ValType::I32);
                        if shares {
                            looks.insert(look, found.len());
                        }
                        // The first access of a block ends the quick way before anything has been loaded.
                        let is_early =
                            shares && !found.is_empty() && !written_before.contains(&look.0);
                        found.push(Quick {
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
        for place in 0..found.len() {
            let leader = found.iter().find(|leader| leader.at == found[place].leader);
            if let Some(leader) = leader.copied() {
                let own = &mut found[place];
                (own.low, own.place) = (leader.low, leader.place);
            }
        }
        self.find_four_words(index, &mut found);
        found
    }

    /// Finds loads into all lanes of words that are among four which the look has found, and no store is between them.
    fn find_four_words(&mut self, index: usize, all: &mut [Quick]) {
        let block = &self.flow.blocks[index];
        // By the access that looks and where the words begin: the accesses since the last store.
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
            self.come_to(at);
            if let Some((leader, start)) = self.find_word(&placed.instr, all, place) {
                since.entry((leader, start)).or_default().push(place);
            }
        }
        found.extend(since);
        for ((_, start), places) in found.into_iter().filter(|(_, places)| places.len() > 1) {
            let local = self.local(ValType::V128);
            for (number, place) in places.into_iter().enumerate() {
                all[place].among = Some(FourWords {
                    local,
                    start,
                    loads: number == 0,
                });
            }
        }
    }

    /// The access that looks for the one at hand, and where four words begin, beyond the lowest that it looks at, among which the loaded one is.
    fn find_word(&self, instr: &Instr, all: &[Quick], place: usize) -> Option<(u32, u32)> {
        let quick = all.get(place)?;
        let Op::Load(plan) = instr.op else {
            return None;
        };
        let plan = self.plain.access(plan)?;
        let leader = all.iter().find(|leader| leader.at == quick.leader)?;
        let is_one = quick.together.is_known && quick.together.one && !quick.is_noted;
        let is_guarded = instr.guard.place() != SlotPlace::None;
        if !is_one || is_guarded || !self.loads_rows_of_words(plan) || plan.elements.len() != 1 {
            return None;
        }
        let last = leader.bytes.checked_sub(FOUR_WORDS)?;
        let offset = u32::try_from(plan.offset.checked_sub(leader.low)?).ok()?;
        Some((leader.at, (offset / FOUR_WORDS * FOUR_WORDS).min(last)))
    }

    /// The instruction at hand as a quick access that looks for itself.
    fn quick_access(&self, instr: &Instr) -> Option<(Quick, Look)> {
        let (plan, way) = match instr.op {
            Op::Load(plan) => (plan, Way::Load),
            Op::Store(plan) => (plan, Way::Store),
            _ => return None,
        };
        let plan = self.plain.access(plan)?;
        let accepts = accepts(plan.space)?;
        let access = Access {
            plan,
            way,
            accepts,
            site: 0,
            is_narrow: accepts == holds::SHARED && !plan.wide,
            lie: None,
        };
        let together = self.together(&access);
        let may_be_local = plan.space == StateSpace::Generic && self.places.local_bytes > 0;
        let is_any = together.rows || together.one || together.apart.is_some() || together.anywhere;
        if may_be_local || !access.has_aligned_base() || !is_any {
            return None;
        }
        let (low, bytes) = match (together.is_known, together.apart) {
            (false, _) if together.anywhere => (plan.offset, access.width()),
            (false, _) => (plan.offset, 0),
            (true, None) if together.rows => (plan.offset, 4 * access.width()),
            (true, None) => (plan.offset, access.width()),
            (true, Some(apart)) => {
                let all = 3 * apart;
                let bytes = all.unsigned_abs() as u32 + access.width();
                (plan.offset.checked_add(all.min(0))?, bytes)
            }
        };
        // Notes are of whole words.
        let align = match accepts {
            holds::SHARED if !together.anywhere => access.width().max(4),
            _ => access.width(),
        };
        let quick = Quick {
            at: self.at,
            leader: self.at,
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
            (base, access.width(), way, accepts, self.sharing_at(self.at)),
        ))
    }

    /// Whether who reads and writes is noted wherever the access goes.
    fn is_noted(&self, access: &Access<'_>) -> bool {
        access.accepts == holds::SHARED && self.flow.shared[self.block].stores
    }

    /// The register that an access has as its base.
    fn base_of(&self, plan: &AccessPlan) -> Option<Register> {
        let bank = plan.base_bank();
        match plan.base.place() {
            SlotPlace::Register(index) => Some(self.own(bank, index)),
            _ => None,
        }
    }

    /// What the lanes of an access may do together, by what is known of its base.
    fn together(&self, access: &Access<'_>) -> Together {
        let plan = access.plan;
        let base = self.base_of(plan);
        let stride = base.and_then(|base| self.strides.get(&base).copied());
        let width = access.width();
        let is_store = access.way == Way::Store;
        let rows = access.has_rows() && stride.is_none_or(|stride| stride == u64::from(width));
        // A part of a word of shared memory is noted with care.
        let one = !is_store
            && stride.is_none_or(|stride| stride == 0)
            && (width >= 4 || access.accepts != holds::SHARED);
        // So is what lanes access that are apart.
        let apart = stride.filter(|_| !rows && !one && !self.is_noted(access));
        Together {
            rows,
            one,
            is_known: stride.is_some(),
            anywhere: stride.is_none() && !is_store && !self.is_noted(access),
            apart: apart.and_then(|stride| {
                let apart = match plan.wide {
                    true => stride.cast_signed(),
                    false => i64::from(stride as i32),
                };
                let is_near = apart.checked_mul(3)?.unsigned_abs() <= LONGEST_LOOK as u64;
                (is_near && apart % i64::from(width) == 0).then_some(apart)
            }),
        }
    }

    /// An access of a whole gang, or of none of its lanes.
    pub(crate) fn access_quickly(
        &mut self,
        access: &Access<'_>,
        quick: Quick,
    ) -> Result<(), Refusal> {
        if quick.together.anywhere {
            return self.under_guard(access.way, |e| e.load_from_anywhere(access, quick));
        }
        self.note_active();
        if self.guard.is_some() {
            self.open_block();
            self.get(self.names.active);
            self.ops([I::I32Eqz, I::BrIf(0)]);
        }
        // All that may end the quick way comes before anything is counted.
        let kept = self.pointer;
        match quick.together.is_known {
            true => self.look_quickly(access, quick)?,
            false => self.find_quickly(access, quick.together),
        }
        self.leaves_to = None;
        if self.guard.is_some() {
            self.close();
        }
        self.under_guard(access.way, |e| e.move_quickly(access, quick))?;
        self.pointer = kept;
        Ok(())
    }

    /// Finds the place of lanes of which it is known how they lie, for all accesses that share the look.
    fn look_quickly(&mut self, access: &Access<'_>, quick: Quick) -> Result<(), Refusal> {
        self.leave_to_careful();
        let active = self.names.active;
        if self.guard.is_some() && !may_be_partial(access, quick) {
            self.get(active);
            self.ops([I::I32Const(ALL), I::I32Ne]);
            self.leave_if();
        }
        if quick.leader == quick.at {
            match quick.is_early {
                true => self.look_early(|e| e.look(access, quick, None))?,
                false => self.look(access, quick, access.lie)?,
            }
        }
        // The lowest place of the access itself, beyond that of all.
        let lowest = quick.together.apart.map_or(0, |apart| (3 * apart).min(0));
        let offset = access.plan.offset.wrapping_add(lowest);
        let beyond = offset.wrapping_sub(quick.low) as u32;
        self.pointer = Pointer {
            local: quick.place,
            beyond: beyond + self.place_of_all(access),
        };
        if access.accepts == holds::SHARED {
            let lanes = if quick.together.rows { 4 } else { 1 };
            self.note_shared(access.way, lanes * access.width());
        }
        Ok(())
    }

    /// What is added to the places of a look: where it finds offsets in shared memory, the place of that.
    pub(crate) fn place_of_all(&self, access: &Access<'_>) -> u32 {
        match access.is_narrow {
            true => self.places.shared,
            false => 0,
        }
    }

    /// Looks whether the bytes are in the range that the site met last, and leaves the way at hand where they are not. Goes by the first lane's base, which
    /// the block may know.
    fn look(&mut self, access: &Access<'_>, quick: Quick, lie: Option<Lie>) -> Result<(), Refusal> {
        let Names { first, offset, .. } = self.names;
        match lie {
            Some(lie) => self.get(lie.first),
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
            I::I64Load(at(access.site + site::QUICK)),
            I::I64GeU,
        ]);
        self.leave_if();
        self.get(offset);
        self.ops([I::I32WrapI64, I::I32Const(0)]);
        self.ops([I::I32Load(at(access.site + site::PLACE)), I::I32Add]);
        self.set(quick.place);
        Ok(())
    }

    /// Keeps an offset in shared memory, which is on the stack, in `first`; leaves the way at hand where `bytes` from there on are beyond its end, or it is no
    /// multiple of a power of two.
    fn check_shared(&mut self, bytes: u32, align: u32) {
        self.tee(self.names.first);
        self.ops([I::I32Const(align as i32), I::I32Rotr]);
        match self.places.shared_bytes.checked_sub(bytes) {
            Some(last) => self.ops([I::I32Const((last >> align) as i32), I::I32GtU]),
            None => self.ops([I::Drop, I::I32Const(1)]),
        }
        self.leave_if();
    }

    /// Finds the place of lanes that follow each other, or mean one place.
    fn find_quickly(&mut self, access: &Access<'_>, together: Together) {
        let width = access.width();
        if !together.one || !together.rows {
            self.leave_to_careful();
            let (gap, bytes, known) = match together.rows {
                true => (width, 4 * width, Known::Row),
                false => (0, width, Known::Range),
            };
            self.check_addresses(access, gap);
            self.find_place(access, bytes, known);
            self.note_bytes(access, bytes);
            return;
        }
        self.ops([I::Block(BlockType::Empty), I::Block(BlockType::Empty)]);
        self.check_addresses(access, width);
        self.find_place(access, 4 * width, Known::Row);
        self.ops([I::Br(1), I::End]);
        self.nest += 1;
        self.leave_to_careful();
        self.check_addresses(access, 0);
        self.find_place(access, width, Known::Range);
        self.close();
        self.if_row(access);
        self.note_bytes(access, 4 * width);
        self.op(I::Else);
        self.note_bytes(access, width);
        self.close();
    }

    fn move_quickly(&mut self, access: &Access<'_>, quick: Quick) -> Result<(), Refusal> {
        let together = quick.together;
        if let Some(apart) = together.apart {
            let beyond = self.pointer.beyond;
            let place = |e: &mut Self, lane: u8| {
                e.get_pointer();
                beyond + Together::distance(apart, lane)
            };
            for index in 0..access.plan.elements.len() as u32 {
                match access.way {
                    Way::Load => self.load_each(access.plan, index, place),
                    Way::Store => self.store_each(access.plan, index, place)?,
                }
            }
            return Ok(());
        }
        if access.way == Way::Load && quick.among.is_none_or(|words| words.loads) {
            self.count_loads(access.plan.elements.len());
        }
        match (access.way, together.rows, together.one) {
            (Way::Store, ..) => {
                let kept = self.guard.filter(|_| may_be_partial(access, quick));
                self.store_row(access.plan, kept)?;
            }
            (Way::Load, true, false) => self.load_row(access.plan),
            (Way::Load, false, _) => match quick.among {
                Some(words) => self.load_among(access, quick, words),
                None => self.load_one(access.plan),
            },
            (Way::Load, true, true) => {
                self.if_row(access);
                self.load_row(access.plan);
                self.op(I::Else);
                self.load_one(access.plan);
                self.close();
            }
        }
        Ok(())
    }

    /// Loads one of four words into all lanes.
    fn load_among(&mut self, access: &Access<'_>, quick: Quick, words: FourWords) {
        let FourWords {
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

    /// An access of lanes that are on a detour. Where they follow each other in shared memory, all are done at once, and the bytes and notes of those that
    /// do not take part stay as they are.
    pub(crate) fn access_on_detour(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        let plan = access.plan;
        let is_word = plan.element_bytes == 4 && plan.elements.len() == 1;
        let base = self.scalar(Bank::B32, plan.base);
        let together = self.together(access);
        let rows = together.is_known && together.rows && is_word && access.is_narrow;
        let (Some(_), Some(guard)) = (base.filter(|_| rows), self.guard) else {
            self.find_addresses(access)?;
            return self.move_lanes(access);
        };
        self.ops([I::Block(BlockType::Empty), I::Block(BlockType::Empty)]);
        self.nest += 2;
        self.leaves_to = Some(self.nest);
        self.push_first(Bank::B32, plan.base)?;
        self.ops([I::I32Const(plan.offset as i32), I::I32Add]);
        self.check_shared(16, 2);
        let kept = self.pointer;
        self.pointer = Pointer {
            local: self.names.first,
            beyond: self.places.shared,
        };
        self.note_shared_of(access.way, 16, Some(guard));
        match access.way {
            Way::Load => self.load_row(plan),
            Way::Store => self.store_row(plan, Some(guard))?,
        }
        self.pointer = kept;
        self.leaves_to = None;
        self.ops([I::Br(1), I::End]);
        self.find_addresses(access)?;
        self.move_lanes(access)?;
        self.op(I::End);
        self.nest -= 2;
        Ok(())
    }

    /// Begins what is done where the lanes follow each other.
    fn if_row(&mut self, access: &Access<'_>) {
        match access.lie.and_then(|lie| lie.is_row) {
            Some(is_row) => self.get(is_row),
            None => self.op(I::I32Const(0)),
        }
        self.op(I::If(BlockType::Empty));
        self.nest += 1;
    }
}

/// Whether an access under a guard may be done for all lanes where some of them do not take part: they keep their registers, or their bytes as they are.
fn may_be_partial(access: &Access<'_>, quick: Quick) -> bool {
    let together = quick.together;
    let is_one_word = matches!(access.plan.element_bytes, 4 | 8) && access.plan.elements.len() == 1;
    let is_any = access.way == Way::Load || together.rows && is_one_word;
    together.is_known && !quick.is_noted && is_any
}

/// The ranges that accesses to a state space may lie in, by what they hold; none where memory of this kind is not translated, or is each thread's own.
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
