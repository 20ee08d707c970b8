//! Loads and stores of a gang. In: addresses of four lanes; out: bytes. Lanes that follow each other move in one go, lanes that mean one
//! place are loaded once; all else, and the first access to another range, is found lane by lane.

use super::{Emitter, Names, at, halves, high_words, low_words, splat32, splat64};
use crate::Refusal;
use crate::helpers;
use crate::place::{IS_STORE, SEVERAL, Site, cell, holds, site};
use warpgrid_emulator::plain::{AccessPlan, Bank, Element, RangeKind, Slot, SlotPlace};
use warpgrid_isa::StateSpace;
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Load,
    Store,
}

/// The low, or the high, words of two rows by turns.
pub(super) const ZIP_LOW: I<'static> =
    I::I8x16Shuffle([0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]);
pub(super) const ZIP_HIGH: I<'static> =
    I::I8x16Shuffle([8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]);
/// The low, or the high, halves of two rows.
const LOW_HALVES: I<'static> =
    I::I8x16Shuffle([0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
const HIGH_HALVES: I<'static> =
    I::I8x16Shuffle([8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]);

/// All lanes of a gang.
const ALL: i32 = 15;

/// An access at hand.
#[derive(Clone, Copy)]
pub(super) struct Access<'p> {
    pub(super) plan: &'p AccessPlan,
    pub(super) way: Way,
    /// What its site accepts, and where the site is.
    pub(super) accepts: u32,
    site: u32,
    /// Whether addresses are offsets of 32 bits in shared memory.
    is_narrow: bool,
    /// How the lanes' bases lie, where the block has looked already.
    lie: Option<Lie>,
}

/// How the bases of a gang lie, in locals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lie {
    /// The base of the first lane.
    first: u32,
    /// Whether all lanes are there and follow each other, and whether they mean one place. Both are aligned.
    is_row: u32,
    is_one: u32,
}

impl Access<'_> {
    fn width(&self) -> u32 {
        self.plan.width_bytes
    }

    /// Whether whole gangs have a way of their own.
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
    pub(super) fn load_or_store(&mut self, number: u32, way: Way) -> Result<(), Refusal> {
        let Some(plan) = self.plain.access(number) else {
            return self.refuse("an access without a plan");
        };
        let accepts = match plan.space {
            StateSpace::Global => holds::GLOBAL,
            StateSpace::Const => holds::CONSTANT,
            StateSpace::ParamEntry => holds::PARAMETERS,
            StateSpace::Shared => holds::SHARED,
            StateSpace::Generic => {
                holds::GLOBAL | holds::CONSTANT | holds::PARAMETERS | holds::WINDOW
            }
            other => return self.refuse(format!("an access to {other:?} memory")),
        };
        self.check_elements(plan)?;
        if way == Way::Load && self.load_known(plan)? {
            return Ok(());
        }
        let site = self.places.sites + self.sites.len() as u32 * site::BYTES;
        let sharing = self.sharing.get(&number).copied();
        self.sites.push(Site {
            accepts,
            sharing: sharing.unwrap_or(SEVERAL),
        });
        let access = Access {
            plan,
            way,
            accepts,
            site,
            is_narrow: accepts == holds::SHARED && !plan.wide,
            lie: None,
        };
        let access = Access {
            lie: self.find_lie(&access)?,
            ..access
        };
        self.note_active();
        if self.guard.is_some() && way == Way::Store {
            self.add_to_path(self.names.active);
        }
        if self.guard.is_some() {
            self.get(self.names.active);
            self.op(I::If(BlockType::Empty));
        }
        if way == Way::Store {
            self.count_store();
        }
        if access.lie.is_none() {
            self.find_addresses(&access)?;
        }
        self.op(I::Block(BlockType::Empty));
        if access.has_rows() {
            self.move_row(&access)?;
        }
        if way == Way::Load {
            self.load_one_place(&access)?;
        }
        self.move_lanes(&access)?;
        self.op(I::End);
        if self.guard.is_some() {
            self.op(I::End);
        }
        Ok(())
    }

    fn check_elements(&self, plan: &AccessPlan) -> Result<(), Refusal> {
        if !matches!(plan.element_bytes, 1 | 2 | 4 | 8) || plan.width_bytes > 64 {
            return self.refuse("an access of elements so wide");
        }
        let fits = |e: &Element| {
            e.slot.place() == SlotPlace::None
                || match plan.element_bytes {
                    8 => e.bank == Bank::B64,
                    4 => e.bank == Bank::B64 || e.bank == Bank::B32 && e.bits == 32,
                    _ => matches!(e.bank, Bank::B32 | Bank::B64),
                }
        };
        match plan.elements.iter().all(fits) {
            true => Ok(()),
            false => self.refuse("an access of elements of another width"),
        }
    }

    /// The lanes that take part.
    fn note_active(&mut self) {
        let Names { mask, active, .. } = self.names;
        self.get(mask);
        if let Some(guard) = self.guard {
            self.get(guard);
            self.ops([I::I32x4Bitmask, I::I32And]);
        }
        self.set(active);
    }

    /// Counts a store, of a guarded one only where some lane does it.
    fn count_store(&mut self) {
        let stores = self.names.stores;
        self.get(stores);
        self.ops([I::I32Const(1), I::I32Add]);
        self.set(stores);
        if self.guard.is_some() {
            self.trace(IS_STORE | self.n_guarded);
            self.n_guarded += 1;
        } else {
            self.stores[self.block] += 1;
        }
    }

    fn find_addresses(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        let [low, high] = self.names.addresses;
        let plan = access.plan;
        if plan.wide {
            for (half, local) in [(0, low), (1, high)] {
                self.read64(plan.base, half)?;
                if plan.offset != 0 {
                    self.ops([splat64(plan.offset as u64), I::I64x2Add]);
                }
                self.set(local);
            }
            return Ok(());
        }
        self.read32(plan.base)?;
        if plan.offset as u32 != 0 {
            self.ops([splat32(plan.offset as u32), I::I32x4Add]);
        }
        self.set(low);
        if !access.is_narrow {
            self.get(low);
            self.op(I::I64x2ExtendHighI32x4U);
            self.set(high);
            self.get(low);
            self.op(I::I64x2ExtendLowI32x4U);
            self.set(low);
        }
        Ok(())
    }

    /// How the bases of an access lie: found once in a block for all accesses by the same register. None where the offset is not a multiple
    /// of the width, or the base no register that is as wide as addresses are.
    fn find_lie(&mut self, access: &Access<'_>) -> Result<Option<Lie>, Refusal> {
        let plan = access.plan;
        let align = access.width().max(4);
        let SlotPlace::Register(index) = plan.base.place() else {
            return Ok(None);
        };
        let is_known = access.is_narrow || plan.wide;
        if !is_known || plan.offset.rem_euclid(i64::from(align)) != 0 {
            return Ok(None);
        }
        let bank = if plan.wide { Bank::B64 } else { Bank::B32 };
        let key = ((bank, index), access.width());
        if let Some(lie) = self.lies.get(&key) {
            return Ok(Some(*lie));
        }
        let ty = if plan.wide {
            ValType::I64
        } else {
            ValType::I32
        };
        let lie = Lie {
            first: self.local(ty),
            is_row: self.local(ValType::I32),
            is_one: self.local(ValType::I32),
        };
        let [low, high] = self.names.addresses;
        match plan.wide {
            true => self.find_wide_lie(plan.base, &lie, access.width())?,
            false => {
                self.read32(plan.base)?;
                self.tee(low);
                self.op(I::I32x4ExtractLane(0));
                self.set(lie.first);
                self.get(low);
                self.get(lie.first);
                self.ops([I::I32x4Splat, I::I32x4Sub]);
                self.tee(high);
                self.ops([ramp32(access.width()), I::I32x4Eq, I::I32x4AllTrue]);
                self.set(lie.is_row);
                self.get(high);
                self.ops([I::V128AnyTrue, I::I32Eqz]);
                self.set(lie.is_one);
            }
        }
        // All lanes are there, and the first is aligned.
        self.get(self.names.mask);
        self.ops([I::I32Const(ALL), I::I32Eq]);
        self.get(lie.first);
        if plan.wide {
            self.op(I::I32WrapI64);
        }
        self.ops([
            I::I32Const(align as i32 - 1),
            I::I32And,
            I::I32Eqz,
            I::I32And,
        ]);
        self.tee(self.names.pointer);
        self.get(lie.is_row);
        self.op(I::I32And);
        self.set(lie.is_row);
        self.get(self.names.pointer);
        self.get(lie.is_one);
        self.op(I::I32And);
        self.set(lie.is_one);
        self.lies.insert(key, lie);
        Ok(Some(lie))
    }

    fn find_wide_lie(&mut self, base: Slot, lie: &Lie, width: u32) -> Result<(), Refusal> {
        let [low, high] = self.names.addresses;
        self.read64(base, 0)?;
        self.op(I::I64x2ExtractLane(0));
        self.set(lie.first);
        for (half, local) in [(0, low), (1, high)] {
            self.read64(base, half)?;
            self.get(lie.first);
            self.ops([I::I64x2Splat, I::I64x2Sub]);
            self.set(local);
        }
        for (half, local) in [(0, low), (1, high)] {
            self.get(local);
            self.ops([ramp64(width, half), I::I64x2Eq]);
        }
        self.ops([I::V128And, I::I64x2AllTrue]);
        self.set(lie.is_row);
        self.get(low);
        self.get(high);
        self.ops([I::V128Or, I::V128AnyTrue, I::I32Eqz]);
        self.set(lie.is_one);
        Ok(())
    }

    /// As [`Emitter::check_addresses`], by what the block knows.
    fn check_lie(&mut self, access: &Access<'_>, lie: Lie, gap: u32) {
        let Names {
            active,
            first,
            offset,
            ..
        } = self.names;
        if self.guard.is_some() {
            self.get(active);
            self.ops([I::I32Const(ALL), I::I32Ne]);
            self.leave_if();
        }
        self.get(if gap == 0 { lie.is_one } else { lie.is_row });
        self.op(I::I32Eqz);
        self.leave_if();
        self.get(lie.first);
        if access.is_narrow {
            self.ops([I::I32Const(access.plan.offset as i32), I::I32Add]);
            self.set(first);
        } else {
            self.ops([I::I64Const(access.plan.offset), I::I64Add]);
            self.set(offset);
        }
    }

    /// Leaves the block around where the number on the stack is not zero.
    fn leave_if(&mut self) {
        self.op(I::BrIf(0));
    }

    /// Leaves the block around unless all lanes take part, and their addresses are `gap` apart.
    fn check_addresses(&mut self, access: &Access<'_>, gap: u32) {
        let Names {
            active,
            first,
            offset,
            addresses: [low, high],
            ..
        } = self.names;
        if let Some(lie) = access.lie {
            return self.check_lie(access, lie, gap);
        }
        self.get(active);
        self.ops([I::I32Const(ALL), I::I32Ne]);
        self.leave_if();
        let aligned = match gap {
            0 => access.width(),
            gap => gap.max(4),
        };
        if access.is_narrow {
            self.get(low);
            self.op(I::I32x4ExtractLane(0));
            self.tee(first);
            self.op(I::I32x4Splat);
            if gap != 0 {
                self.ops([ramp32(gap), I::I32x4Add]);
            }
            self.get(low);
            self.ops([I::I32x4Eq, I::I32x4AllTrue, I::I32Eqz]);
            self.leave_if();
            self.get(first);
            self.ops([I::I32Const(aligned as i32 - 1), I::I32And]);
            self.leave_if();
            return;
        }
        self.get(low);
        self.op(I::I64x2ExtractLane(0));
        self.set(offset);
        for (half, local) in [(0, low), (1, high)] {
            self.get(offset);
            self.op(I::I64x2Splat);
            if gap != 0 {
                self.ops([ramp64(gap, half), I::I64x2Add]);
            }
            self.get(local);
            self.ops([I::I64x2Eq, I::I64x2AllTrue]);
        }
        self.ops([I::I32And, I::I32Eqz]);
        self.leave_if();
        self.get(offset);
        self.ops([I::I32WrapI64, I::I32Const(aligned as i32 - 1), I::I32And]);
        self.leave_if();
    }

    /// Finds the place of `bytes` from the first address on; leaves the block around where they are not in the range that the site
    /// met last.
    fn find_place(&mut self, access: &Access<'_>, bytes: u32, fast: (u32, u32)) {
        let Names {
            first,
            offset,
            pointer,
            ..
        } = self.names;
        if access.is_narrow {
            let Some(last) = self.places.shared_bytes.checked_sub(bytes) else {
                self.op(I::Br(0));
                return;
            };
            self.get(first);
            self.ops([I::I32Const(last as i32), I::I32GtU]);
            self.leave_if();
            self.get(first);
            self.ops([I::I32Const(self.places.shared as i32), I::I32Add]);
            self.set(pointer);
            return;
        }
        let (address, last) = fast;
        self.get(offset);
        self.ops([
            I::I32Const(0),
            I::I64Load(at(access.site + address)),
            I::I64Sub,
        ]);
        self.tee(offset);
        self.ops([I::I32Const(0), I::I64Load(at(access.site + last))]);
        if address == site::ADDRESS {
            // A size, in which the bytes must fit.
            self.ops([I::I64Const(i64::from(bytes)), I::I64Sub, I::I64GtS]);
            self.leave_if();
            self.get(offset);
            self.ops([I::I64Const(0), I::I64LtS]);
        } else {
            self.op(I::I64GtU);
        }
        self.leave_if();
        self.get(offset);
        self.op(I::I32WrapI64);
        self.ops([
            I::I32Const(0),
            I::I32Load(at(access.site + site::PLACE)),
            I::I32Add,
        ]);
        self.set(pointer);
    }

    /// Lanes that follow each other. It ends the outer block where it has done all.
    fn move_row(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        self.op(I::Block(BlockType::Empty));
        self.check_addresses(access, access.width());
        self.find_place(access, 4 * access.width(), (site::FAST, site::LAST));
        self.note_bytes(access, 4 * access.width());
        match access.way {
            Way::Load => self.load_row(access.plan),
            Way::Store => self.store_row(access.plan)?,
        }
        self.ops([I::Br(1), I::End]);
        Ok(())
    }

    /// Notes what the gang reads or writes from the pointer on, where that must be known.
    fn note_bytes(&mut self, access: &Access<'_>, bytes: u32) {
        let is_shared = access.accepts & (holds::SHARED | holds::WINDOW) != 0;
        let is_global = access.accepts & holds::GLOBAL != 0;
        if access.accepts == holds::SHARED {
            return self.note_shared(access.way, bytes);
        }
        let holds = |e: &mut Self, what: u32| {
            e.ops([
                I::I32Const(0),
                I::I32Load(at(access.site + site::HOLDS)),
                I::I32Const(what as i32),
                I::I32And,
                I::If(BlockType::Empty),
            ]);
        };
        if is_shared {
            holds(self, holds::WINDOW | holds::SHARED);
            self.note_shared(access.way, bytes);
            self.op(I::End);
        }
        if is_global {
            holds(self, holds::NOTED);
            self.note_global(access.way, bytes);
            self.op(I::End);
        }
    }

    fn load_row(&mut self, plan: &AccessPlan) {
        let pointer = self.names.pointer;
        let kept = self.names.vectors;
        match (plan.element_bytes, plan.elements.len()) {
            (8, _) => {
                for half in 0..2 {
                    self.get(pointer);
                    self.op(I::V128Load(at(16 * half)));
                    self.write64(plan.elements[0].slot, half);
                }
                return;
            }
            (4, n) => {
                for (part, local) in (0..n as u32).zip(kept) {
                    self.get(pointer);
                    self.op(I::V128Load(at(16 * part)));
                    self.set(local);
                }
                self.part_words(n);
            }
            (2, _) => {
                self.get(pointer);
                self.op(I::V128Load64Zero(at(0)));
                self.op(match plan.signed {
                    true => I::I32x4ExtendLowI16x8S,
                    false => I::I32x4ExtendLowI16x8U,
                });
                self.set(kept[0]);
            }
            _ => {
                self.get(pointer);
                self.op(I::V128Load32Zero(at(0)));
                match plan.signed {
                    true => self.ops([I::I16x8ExtendLowI8x16S, I::I32x4ExtendLowI16x8S]),
                    false => self.ops([I::I16x8ExtendLowI8x16U, I::I32x4ExtendLowI16x8U]),
                }
                self.set(kept[0]);
            }
        }
        for (element, local) in plan.elements.iter().zip(kept) {
            self.get(local);
            self.write_loaded(plan, *element);
        }
    }

    /// Words of four lanes as they lie, to a row an element.
    fn part_words(&mut self, n: usize) {
        let [a, b, c, d, e, _] = self.names.vectors;
        if n == 2 {
            self.get(a);
            self.get(b);
            self.op(low_words());
            self.get(a);
            self.get(b);
            self.op(high_words());
            self.set(b);
            self.set(a);
        } else if n == 4 {
            // The first two elements in pairs of lanes, then the last two.
            for (zip, [low, high]) in [(ZIP_LOW, [a, e]), (ZIP_HIGH, [c, d])] {
                let is_first = low == a;
                self.get(a);
                self.get(b);
                self.op(zip.clone());
                self.get(c);
                self.get(d);
                self.op(zip);
                if is_first {
                    // Kept aside until the rows have been read again.
                    self.set(self.names.addresses[1]);
                    self.set(e);
                } else {
                    self.set(high);
                    self.set(low);
                }
            }
            let [first, second] = [e, self.names.addresses[1]];
            self.get(first);
            self.get(second);
            self.op(LOW_HALVES);
            self.set(a);
            self.get(first);
            self.get(second);
            self.op(HIGH_HALVES);
            self.set(b);
            self.get(c);
            self.get(d);
            self.op(HIGH_HALVES);
            self.get(c);
            self.get(d);
            self.op(LOW_HALVES);
            self.set(c);
            self.set(d);
        }
    }

    /// Writes a row of 32 bits on the stack, extended as the plan says, to a register.
    fn write_loaded(&mut self, plan: &AccessPlan, element: Element) {
        match element.bank {
            Bank::B64 => {
                let kept = self.names.vectors[5];
                self.set(kept);
                for half in 0..2 {
                    self.get(kept);
                    match plan.signed {
                        true => self.op(halves(half)),
                        false => self.extend_half(false, half),
                    }
                    self.write64(element.slot, half);
                }
            }
            _ => {
                self.fit(element.bits, false);
                self.write32(element.slot);
            }
        }
    }

    fn store_row(&mut self, plan: &AccessPlan) -> Result<(), Refusal> {
        let pointer = self.names.pointer;
        let element = plan.elements[0];
        match (plan.element_bytes, plan.elements.as_slice()) {
            (8, _) => {
                for half in 0..2 {
                    self.get(pointer);
                    self.read64(element.slot, half)?;
                    self.op(I::V128Store(at(16 * half)));
                }
            }
            (4, [a]) => {
                self.get(pointer);
                self.read_element32(*a)?;
                self.op(I::V128Store(at(0)));
            }
            (4, [a, b]) => {
                for (part, zip) in [(0, ZIP_LOW), (1, ZIP_HIGH)] {
                    self.get(pointer);
                    self.read_element32(*a)?;
                    self.read_element32(*b)?;
                    self.ops([zip, I::V128Store(at(16 * part))]);
                }
            }
            (4, [a, b, c, d]) => {
                for (part, zip, half) in [
                    (0, ZIP_LOW, LOW_HALVES),
                    (1, ZIP_LOW, HIGH_HALVES),
                    (2, ZIP_HIGH, LOW_HALVES),
                    (3, ZIP_HIGH, HIGH_HALVES),
                ] {
                    self.get(pointer);
                    self.read_element32(*a)?;
                    self.read_element32(*b)?;
                    self.op(zip.clone());
                    self.read_element32(*c)?;
                    self.read_element32(*d)?;
                    self.ops([zip, half, I::V128Store(at(16 * part))]);
                }
            }
            (2, _) => {
                self.get(pointer);
                self.read_element32(element)?;
                self.ops([
                    splat32(0xffff),
                    I::V128And,
                    splat32(0),
                    I::I16x8NarrowI32x4U,
                ]);
                self.op(I::V128Store64Lane {
                    memarg: at(0),
                    lane: 0,
                });
            }
            _ => {
                self.get(pointer);
                self.read_element32(element)?;
                self.ops([splat32(0xff), I::V128And, splat32(0), I::I16x8NarrowI32x4U]);
                self.ops([splat32(0), I::I8x16NarrowI16x8U]);
                self.op(I::V128Store32Lane {
                    memarg: at(0),
                    lane: 0,
                });
            }
        }
        Ok(())
    }

    /// Lanes that mean the same bytes.
    fn load_one_place(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        let plan = access.plan;
        self.op(I::Block(BlockType::Empty));
        self.check_addresses(access, 0);
        self.find_place(access, access.width(), (site::ADDRESS, site::SIZE));
        // Narrower accesses than words share a word with others.
        if access.width() >= 4 {
            self.note_bytes(access, access.width());
        } else if access.accepts & (holds::GLOBAL | holds::SHARED | holds::WINDOW) != 0 {
            self.op(I::Br(0));
        }
        let pointer = self.names.pointer;
        self.load_from(plan, |e, offset| {
            e.get(pointer);
            e.op(I::I32Const(offset as i32));
            e.op(I::I32Add);
        });
        self.ops([I::Br(1), I::End]);
        Ok(())
    }

    /// Loads bytes of one place into all lanes; `address` pushes that of the byte with this offset.
    fn load_from(&mut self, plan: &AccessPlan, address: impl Fn(&mut Self, u32)) {
        for (index, element) in (0u32..).zip(&plan.elements) {
            if element.slot.place() == SlotPlace::None {
                continue;
            }
            let offset = index * plan.element_bytes;
            address(self, offset);
            if plan.element_bytes == 8 {
                let kept = self.names.vectors[5];
                self.op(I::V128Load64Splat(at(0)));
                self.set(kept);
                for half in 0..2 {
                    self.get(kept);
                    self.write64(element.slot, half);
                }
                continue;
            }
            self.op(scalar_load(plan, 0));
            self.op(I::I32x4Splat);
            self.write_loaded(plan, *element);
        }
    }

    /// Lane by lane.
    fn move_lanes(&mut self, access: &Access<'_>) -> Result<(), Refusal> {
        if access.lie.is_some() {
            self.find_addresses(access)?;
        }
        let Names {
            active, pointers, ..
        } = self.names;
        let [low, high] = self.names.addresses;
        if access.is_narrow {
            self.get(low);
            self.op(I::I64x2ExtendLowI32x4U);
            self.get(low);
            self.op(I::I64x2ExtendHighI32x4U);
        } else {
            self.get(low);
            self.get(high);
        }
        self.ops([
            I::I32Const(access.site as i32),
            I::I32Const(access.width() as i32),
            I::I32Const(i32::from(access.way == Way::Store)),
        ]);
        self.get(active);
        self.op(I::Call(helpers::RESOLVE_ALL));
        self.tee(pointers);
        self.ops([
            I::I32x4AllTrue,
            I::I32Eqz,
            I::If(BlockType::Empty),
            I::I32Const(0),
            I::I32Load(at(cell::STOP)),
            I::Return,
            I::End,
        ]);
        for index in 0..access.plan.elements.len() as u32 {
            match access.way {
                Way::Load => self.load_lanes(access.plan, index),
                Way::Store => self.store_lanes(access.plan, index)?,
            }
        }
        Ok(())
    }

    fn load_lanes(&mut self, plan: &AccessPlan, index: u32) {
        let element = plan.elements[index as usize];
        if element.slot.place() == SlotPlace::None {
            return;
        }
        let pointers = self.names.pointers;
        let offset = index * plan.element_bytes;
        if plan.element_bytes == 8 {
            for half in 0..2 {
                self.each_wide_lane(|e, lane| {
                    e.get(pointers);
                    e.ops([I::I32x4ExtractLane(2 * half + lane), I::I64Load(at(offset))]);
                });
                self.write64(element.slot, half.into());
            }
            return;
        }
        self.each_lane(|e, lane| {
            e.get(pointers);
            e.op(I::I32x4ExtractLane(lane));
            e.op(scalar_load(plan, offset));
        });
        self.write_loaded(plan, element);
    }

    fn store_lanes(&mut self, plan: &AccessPlan, index: u32) -> Result<(), Refusal> {
        let element = plan.elements[index as usize];
        let offset = at(index * plan.element_bytes);
        for lane in 0..4 {
            self.get(self.names.pointers);
            self.op(I::I32x4ExtractLane(lane));
            if plan.element_bytes == 8 {
                self.read64(element.slot, u32::from(lane / 2))?;
                self.ops([I::I64x2ExtractLane(lane % 2), I::I64Store(offset)]);
                continue;
            }
            self.read_element32(element)?;
            self.op(I::I32x4ExtractLane(lane));
            self.op(match plan.element_bytes {
                4 => I::I32Store(offset),
                2 => I::I32Store16(offset),
                _ => I::I32Store8(offset),
            });
        }
        Ok(())
    }

    /// Loads from an address that the code names in memory that no thread writes: parameters and constants. False for all else.
    fn load_known(&mut self, plan: &AccessPlan) -> Result<bool, Refusal> {
        let read_only = matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const);
        let base = match (plan.base.place(), plan.wide) {
            (SlotPlace::Constant(index), true) => self.plain.constant64(index),
            (SlotPlace::Constant(index), false) => self.plain.constant32(index).into(),
            (SlotPlace::None, _) => 0,
            (SlotPlace::Register(_) | SlotPlace::Special(_), _) => return Ok(false),
        };
        if !read_only {
            return Ok(false);
        }
        let address = match plan.wide {
            true => base.wrapping_add(plan.offset as u64),
            false => u64::from((base as u32).wrapping_add(plan.offset as u32)),
        };
        let width = u64::from(plan.width_bytes);
        let kind = match plan.space {
            StateSpace::Const => RangeKind::Constant,
            _ => RangeKind::Parameters,
        };
        let found = self.plain.ranges().find(|range| {
            let offset = address.wrapping_sub(range.address);
            range.kind == kind && offset < range.size && range.size - offset >= width
        });
        let Some(range) = found.filter(|_| address.is_multiple_of(width)) else {
            return Ok(false);
        };
        let place = self.places.arena + range.start as u32 + (address - range.address) as u32;
        self.load_from(plan, |e, offset| e.op(I::I32Const((place + offset) as i32)));
        Ok(true)
    }
}

/// How far lanes that follow each other are from the first.
fn ramp32(gap: u32) -> I<'static> {
    let [a, b, c] = [1, 2, 3].map(|n| u128::from(n * gap));
    I::V128Const((a << 32 | b << 64 | c << 96) as i128)
}

/// As [`ramp32`], of half of the lanes.
fn ramp64(gap: u32, half: u32) -> I<'static> {
    let [a, b] = [2 * half, 2 * half + 1].map(|n| u128::from(n * gap));
    I::V128Const((a | b << 64) as i128)
}

/// A load of one element of up to 32 bits.
fn scalar_load(plan: &AccessPlan, offset: u32) -> I<'static> {
    let at = at(offset);
    match (plan.element_bytes, plan.signed) {
        (1, true) => I::I32Load8S(at),
        (1, false) => I::I32Load8U(at),
        (2, true) => I::I32Load16S(at),
        (2, false) => I::I32Load16U(at),
        _ => I::I32Load(at),
    }
}
