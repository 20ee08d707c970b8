//! Loads and stores of a subwarp. The module takes the addresses of four lanes, and generates code that transfers the
//! bytes. A contiguous or uniform access is a single vector operation. All other accesses, and the first access to an
//! address range that the access site has not cached, translate their addresses lane by lane.

pub(crate) mod address_pattern;
pub(crate) mod async_copy;
pub(crate) mod atomic;
pub(crate) mod fast_access;
pub(crate) mod gather;
pub(crate) mod local;
pub(crate) mod per_lane;
pub(crate) mod vector_access;

use crate::bailout::BailoutReason;
pub(crate) use crate::emit::memory::address_pattern::AddressPattern;
use crate::emit::memory::fast_access::accepts;
use crate::emit::{Emitter, FixedLocals};
use crate::instructions::{at, halves, zero_extended_words};
use crate::layout::{AccessSite, NO_COMMON_PATTERN, STORE, holds, site};
use crate::registers::EmitMode;
use warpgrid_emulator::translation_view::{
    AccessPlan, MemoryKind, OperandLocation, PlanId, RegisterBank, RegisterOperand,
};
use warpgrid_isa::Signedness::{Signed, Unsigned};
use warpgrid_isa::StateSpace;
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// Direction of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AccessDirection {
    Load,
    Store,
}

/// Memory access of a subwarp for which the emitter generates code.
#[derive(Clone, Copy)]
pub(crate) struct SubwarpAccess<'p> {
    pub(crate) plan: &'p AccessPlan,
    pub(crate) way: AccessDirection,
    /// Kinds of memory that the access site accepts.
    pub(crate) accepts: u32,
    /// Address of the access site.
    site: u32,
    /// Whether the addresses of the access are 32-bit offsets in shared memory.
    is_narrow: bool,
    /// Address pattern of the base register, if an earlier access of the block has determined it.
    pattern: Option<AddressPattern>,
}

impl SubwarpAccess<'_> {
    fn width(&self) -> u32 {
        self.plan.width_bytes
    }

    /// Checks whether the base of an access is a register of address width, and its constant offset is a multiple of
    /// the access width.
    fn has_aligned_base(&self) -> bool {
        let align = i64::from(self.width());
        matches!(self.plan.base.place(), OperandLocation::Register(_))
            && (self.is_narrow || self.plan.has_64_bit_base)
            && self.plan.offset.rem_euclid(align) == 0
    }

    /// Checks whether a subwarp in which all lanes are active can execute the access as a vector operation.
    fn has_rows(&self) -> bool {
        let elements = self.plan.elements.len();
        match self.plan.element_bytes {
            4 => matches!(elements, 1 | 2 | 4),
            1 | 2 | 8 => elements == 1,
            _ => false,
        }
    }
}

impl<'p> Emitter<'p> {
    pub(crate) fn load_or_store(
        &mut self,
        id: PlanId<AccessPlan>,
        way: AccessDirection,
    ) -> Result<(), BailoutReason> {
        let Some(plan) = self.plain.access(id) else {
            return self.unsupported("a memory access with an invalid internal identifier");
        };
        if matches!(plan.space, StateSpace::Local | StateSpace::ParamFunc) {
            self.check_elements(plan)?;
            return self.access_local(plan, way);
        }
        let Some(accepts) = accepts(plan.space) else {
            return self.unsupported(format!("an access to {:?} memory", plan.space));
        };
        self.check_elements(plan)?;
        if way == AccessDirection::Load && self.load_known(plan)? {
            return Ok(());
        }
        let [quick_bytes, quick_align] = self.quick_look();
        let site = AccessSite {
            accepts,
            sharing: self.private_pattern_at(self.at),
            quick_bytes,
            quick_align,
        };
        let access = self.begin_access(plan, way, site);
        self.enter_slow_path();
        let may_be_local = self.may_be_local(plan);
        if self.predicated_side.is_some() && !may_be_local {
            return self.emit_guarded(way, |e| e.access_on_detour(&access));
        }
        let access = SubwarpAccess {
            pattern: match may_be_local {
                true => None,
                false => self.classify_addresses(&access)?,
            },
            ..access
        };
        if let Some(quick) = self.on_quick_way() {
            return self.access_quickly(&access, quick);
        }
        self.emit_guarded(way, |e| e.access_anywhere(&access))
    }

    /// Checks whether generic addresses of an access may be in the window of local memory.
    fn may_be_local(&self, plan: &AccessPlan) -> bool {
        plan.space == StateSpace::Generic && plan.has_64_bit_base && self.places.local_bytes > 0
    }

    /// Emits an access with the first applicable method: access to local memory, contiguous row, uniform address, or
    /// lane by lane.
    fn access_anywhere(&mut self, access: &SubwarpAccess<'_>) -> Result<(), BailoutReason> {
        if access.pattern.is_none() {
            self.find_addresses(access)?;
        }
        self.op(I::Block(BlockType::Empty));
        if self.may_be_local(access.plan) {
            self.access_window(access)?;
        }
        if access.has_rows() && access.pattern.is_none_or(|pattern| pattern.may_be_row()) {
            self.move_row(access)?;
        }
        if access.way == AccessDirection::Load
            && access.pattern.is_none_or(|pattern| pattern.may_be_one())
        {
            self.load_one_place(access)?;
        }
        self.move_lanes(access)?;
        self.op(I::End);
        Ok(())
    }

    /// Returns the partition number of the access at a position in the code.
    fn private_pattern_at(&self, at: u32) -> u32 {
        self.private_patterns
            .get(&at)
            .copied()
            .unwrap_or(NO_COMMON_PATTERN)
    }

    pub(crate) fn add_site(&mut self, site: AccessSite) -> u32 {
        let place = self.places.sites + self.sites.len() as u32 * site::BYTES;
        self.sites.push(site);
        place
    }

    /// Returns the description of an access, and allocates an access site for it.
    fn begin_access<'a>(
        &mut self,
        plan: &'a AccessPlan,
        way: AccessDirection,
        site: AccessSite,
    ) -> SubwarpAccess<'a> {
        SubwarpAccess {
            plan,
            way,
            accepts: site.accepts,
            site: self.add_site(site),
            is_narrow: site.accepts == holds::SHARED && !plan.has_64_bit_base,
            pattern: None,
        }
    }

    /// Emits an access that executes if any lane of the subwarp is active, and counts executed stores.
    fn emit_guarded(
        &mut self,
        way: AccessDirection,
        access: impl FnOnce(&mut Self) -> Result<(), BailoutReason>,
    ) -> Result<(), BailoutReason> {
        self.set_active_lanes();
        let is_guarded = self.is_guarded();
        if is_guarded && way == AccessDirection::Store {
            self.add_to_path(self.names.active);
        }
        if is_guarded {
            self.get(self.names.active);
            self.op(I::If(BlockType::Empty));
            self.nest += 1;
        }
        if way == AccessDirection::Store {
            self.count_store(STORE);
        }
        access(self)?;
        if is_guarded {
            self.close();
        }
        Ok(())
    }

    fn check_elements(&self, plan: &AccessPlan) -> Result<(), BailoutReason> {
        if !matches!(plan.element_bytes, 1 | 2 | 4 | 8) || plan.width_bytes > 64 {
            return self.unsupported("an access with elements of this width");
        }
        let fits = |e: &RegisterOperand| {
            e.slot.place() == OperandLocation::None
                || match plan.element_bytes {
                    8 => e.bank == RegisterBank::B64,
                    4 => e.bank == RegisterBank::B64 || e.bank == RegisterBank::B32 && e.bits == 32,
                    _ => matches!(e.bank, RegisterBank::B32 | RegisterBank::B64),
                }
        };
        match plan.elements.iter().all(fits) {
            true => Ok(()),
            false => self.unsupported("an access with elements of a different width"),
        }
    }

    /// Computes the mask of the lanes that execute the current instruction, and stores the mask in the local for active
    /// lanes.
    pub(crate) fn set_active_lanes(&mut self) {
        let FixedLocals { mask, active, .. } = self.names;
        self.get(mask);
        if let Some(guard) = self.guard {
            self.get(guard);
            self.ops([I::I32x4Bitmask, I::I32And]);
        }
        self.set(active);
    }

    /// Counts a store or a copy. A guarded store counts only if a lane executes it.
    fn count_store(&mut self, what: u64) {
        if self.writes == EmitMode::Warp {
            if self.guard.is_some() {
                let did_store = self.local(ValType::I32);
                self.did_store.push((did_store, what));
                self.op(I::I32Const(1));
                self.set(did_store);
            } else {
                self.stores += what;
            }
            return;
        }
        let stores = self.names.stores;
        self.get(stores);
        self.ops([I::I64Const(what as i64), I::I64Add]);
        self.set(stores);
    }

    /// Records the bytes that the subwarp reads or writes in shadow memory, if the range is tracked.
    pub(crate) fn record_range_access(&mut self, access: &SubwarpAccess<'_>, bytes: u32) {
        if access.accepts == holds::SHARED {
            if self.flow.shared[self.block].stores {
                self.fall_back_if_subword(access, bytes, 0);
                self.record_shared_access(access.way, bytes);
            }
            return;
        }
        for (accepted, noted) in [
            (holds::SHARED | holds::WINDOW, holds::SHARED | holds::WINDOW),
            (holds::GLOBAL, holds::TRACKED),
        ] {
            if access.accepts & accepted == 0 {
                continue;
            }
            self.ops([
                I::I32Const(0),
                I::I32Load(at(access.site + site::HOLDS)),
                I::I32Const(noted as i32),
                I::I32And,
                I::If(BlockType::Empty),
            ]);
            self.nest += 1;
            self.fall_back_if_subword(access, bytes, 1);
            match accepted {
                holds::GLOBAL => self.record_global_access(access.way, bytes),
                _ => self.record_shared_access(access.way, bytes),
            }
            self.close();
        }
    }

    /// Exits the current path if the pointer is not word-aligned or the access is smaller than a word, because shadow
    /// memory tracks whole words. `within` is the number of WebAssembly constructs that are open within the current
    /// path.
    fn fall_back_if_subword(&mut self, access: &SubwarpAccess<'_>, bytes: u32, within: u32) {
        let depth = match self.fallback_label {
            Some(_) => self.fallback_target(),
            None => within,
        };
        if bytes < 4 {
            self.op(I::Br(depth));
        } else if access.width() < 4 {
            self.get(self.names.pointer);
            self.ops([I::I32Const(3), I::I32And, I::BrIf(depth)]);
        }
    }

    /// Writes a row of 32-bit values on the stack to a register. The access plan specifies whether the values are
    /// zero-extended or sign-extended.
    pub(crate) fn write_loaded(&mut self, plan: &AccessPlan, element: RegisterOperand) {
        match element.bank {
            RegisterBank::B64 => {
                let row = self.names.vectors[5];
                self.set(row);
                for half in 0..2 {
                    self.get(row);
                    match plan.sign {
                        Signed => self.op(halves(half)),
                        Unsigned => self.op(zero_extended_words(half)),
                    }
                    self.write64(element.slot, half);
                }
            }
            _ => {
                self.fit(element.bits, Unsigned);
                self.write32(element.slot);
            }
        }
    }

    /// Loads the same bytes to all lanes. Given a byte offset within the access, `address` pushes a base address and
    /// returns a constant. The sum of the base address and the constant is the address of the byte.
    pub(crate) fn load_from(&mut self, plan: &AccessPlan, address: impl Fn(&mut Self, u32) -> u32) {
        for (index, element) in (0u32..).zip(&plan.elements) {
            if element.slot.place() == OperandLocation::None {
                continue;
            }
            let offset = index * plan.element_bytes;
            let from = address(self, offset);
            if self.scalar(element.bank, element.slot).is_some() {
                self.load_scalar(*element, from);
                continue;
            }
            if plan.element_bytes == 8 {
                let row = self.names.vectors[5];
                self.op(I::V128Load64Splat(at(from)));
                self.set(row);
                for half in 0..2 {
                    self.get(row);
                    self.write64(element.slot, half);
                }
                continue;
            }
            self.ops([scalar_load(plan, from), I::I32x4Splat]);
            self.write_loaded(plan, *element);
        }
    }

    /// Emits a load from a constant address in read-only memory, which contains parameters and constants. Returns
    /// `false` for all other loads.
    fn load_known(&mut self, plan: &AccessPlan) -> Result<bool, BailoutReason> {
        let read_only = matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const);
        let base = match (plan.base.place(), plan.has_64_bit_base) {
            (OperandLocation::Constant(index), true) => self.plain.constant64(index),
            (OperandLocation::Constant(index), false) => self.plain.constant32(index).into(),
            (OperandLocation::None, _) => 0,
            (OperandLocation::Register(_) | OperandLocation::Special(_), _) => return Ok(false),
        };
        if !read_only {
            return Ok(false);
        }
        let address = match plan.has_64_bit_base {
            true => base.wrapping_add(plan.offset as u64),
            false => u64::from((base as u32).wrapping_add(plan.offset as u32)),
        };
        let width = u64::from(plan.width_bytes);
        let kind = match plan.space {
            StateSpace::Const => MemoryKind::Constant,
            _ => MemoryKind::Parameters,
        };
        let found = self.plain.ranges().find(|range| {
            let offset = address.wrapping_sub(range.address);
            range.kind == kind && offset < range.size && range.size - offset >= width
        });
        let Some(range) = found.filter(|_| address.is_multiple_of(width)) else {
            return Ok(false);
        };
        let place = self.places.arena + range.start as u32 + (address - range.address) as u32;
        self.load_from(plan, |e, offset| {
            e.op(I::I32Const((place + offset) as i32));
            0
        });
        Ok(true)
    }
}

/// Returns the scalar load instruction for an element of up to 32 bits.
pub(crate) fn scalar_load(plan: &AccessPlan, offset: u32) -> I<'static> {
    let at = at(offset);
    match (plan.element_bytes, plan.sign) {
        (1, Signed) => I::I32Load8S(at),
        (1, Unsigned) => I::I32Load8U(at),
        (2, Signed) => I::I32Load16S(at),
        (2, Unsigned) => I::I32Load16U(at),
        _ => I::I32Load(at),
    }
}
