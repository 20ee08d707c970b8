//! Address patterns of a subwarp. From base addresses and offsets, the module determines whether the lanes access
//! contiguous or equal addresses, and the linear-memory address of the first lane.

use crate::bailout::BailoutReason;
use crate::emit::memory::SubwarpAccess;
use crate::emit::{ALL, Emitter, FixedLocals};
use crate::instructions::{at, splat32, splat64};
use crate::layout::site;
use crate::registers::RegisterKey;
use warpgrid_emulator::translation_view::{OperandLocation, OperandSlot, RegisterBank};
use wasm_encoder::{Instruction as I, ValType};

/// WebAssembly locals that contain the address pattern of a base register in a subwarp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressPattern {
    /// Local that contains the base address of the first lane.
    pub(crate) first: u32,
    /// Local that is nonzero if all lanes are active and have contiguous addresses. The field is `None` if this pattern
    /// is impossible. The pattern implies that the base is aligned.
    pub(crate) is_contiguous: Option<u32>,
    /// Local that is nonzero if all lanes are active and have the same address. The field is `None` if this pattern is
    /// impossible. The pattern implies that the base is aligned.
    is_uniform: Option<u32>,
}

/// Kind of bound that an access site caches for the address range of its last access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CachedBound {
    /// Start of the address range, and the number of offsets in the range at which a contiguous row of the subwarp may
    /// start.
    Row,
    /// Start and size of the address range.
    Range,
}

impl CachedBound {
    /// Returns the offset of the bound in the access site.
    const fn extent(self) -> u32 {
        match self {
            CachedBound::Row => site::ROWS,
            CachedBound::Range => site::SIZE,
        }
    }
}

impl AddressPattern {
    /// Checks whether the lanes may have contiguous addresses.
    pub(crate) fn may_be_row(&self) -> bool {
        self.is_contiguous.is_some()
    }

    pub(crate) fn may_be_one(&self) -> bool {
        self.is_uniform.is_some()
    }
}

impl Emitter<'_> {
    pub(crate) fn find_addresses(
        &mut self,
        access: &SubwarpAccess<'_>,
    ) -> Result<(), BailoutReason> {
        let [low, high] = self.names.addresses;
        let plan = access.plan;
        if plan.has_64_bit_base {
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

    /// Returns the address pattern of an access. The code of a block computes the pattern only once for all accesses
    /// with the same base register. Returns `None` if the offset is not a multiple of the access width, or if the base
    /// is not a register of address width.
    pub(crate) fn classify_addresses(
        &mut self,
        access: &SubwarpAccess<'_>,
    ) -> Result<Option<AddressPattern>, BailoutReason> {
        let plan = access.plan;
        let OperandLocation::Register(index) = plan.base.place() else {
            return Ok(None);
        };
        if !access.has_aligned_base() {
            return Ok(None);
        }
        let bank = plan.base_bank();
        let key = (self.frame_register(bank, index), access.width());
        if let Some(pattern) = self.address_patterns.get(&key) {
            return Ok(Some(*pattern));
        }
        let [first, is_row, is_one] = self.address_pattern_locals(key.0);
        let stride = self.strides.get(&key.0).copied();
        let pattern = match stride {
            None => {
                let locals = [first, is_row, is_one];
                match plan.has_64_bit_base {
                    true => self.find_wide_lie(plan.base, locals, access.width())?,
                    false => self.find_narrow_lie(plan.base, locals, access.width())?,
                }
                self.push_whole(access, first);
                self.tee(self.names.pointer);
                self.get(is_row);
                self.op(I::I32And);
                self.set(is_row);
                self.get_all([self.names.pointer, is_one]);
                self.op(I::I32And);
                self.set(is_one);
                AddressPattern {
                    first,
                    is_contiguous: Some(is_row),
                    is_uniform: Some(is_one),
                }
            }
            Some(stride) => {
                self.push_first(bank, plan.base)?;
                self.set(first);
                let may_be_row = stride == u64::from(access.width());
                let pattern = AddressPattern {
                    first,
                    is_contiguous: may_be_row.then_some(is_row),
                    is_uniform: (stride == 0).then_some(is_one),
                };
                if let Some(is_whole) = pattern.is_contiguous.or(pattern.is_uniform) {
                    match self.on_quick_way().filter(|_| self.guard.is_none()) {
                        // On the fast path, this access checks its alignment and its active lanes before another access
                        // uses the pattern, so the pattern includes no such check.
                        Some(_) => self.op(I::I32Const(1)),
                        None => self.push_whole(access, first),
                    }
                    self.set(is_whole);
                }
                pattern
            }
        };
        self.address_patterns.insert(key, pattern);
        Ok(Some(pattern))
    }

    /// Returns the locals for the address pattern of a base register whose pattern the current access determines. The
    /// fast path and the slow path of a block use the same locals.
    fn address_pattern_locals(&mut self, register: RegisterKey) -> [u32; 3] {
        let at = self.at;
        let known = self
            .ways
            .as_ref()
            .and_then(|ways| ways.pattern_locals.get(&(at, register)));
        if let Some(locals) = known {
            return *locals;
        }
        let first = match register.0 {
            RegisterBank::B64 => ValType::I64,
            _ => ValType::I32,
        };
        let locals = [first, ValType::I32, ValType::I32].map(|ty| self.local(ty));
        if let Some(ways) = &mut self.ways {
            ways.pattern_locals.insert((at, register), locals);
        }
        locals
    }

    /// Pushes 1 if all lanes are active and the address in the local `first` is aligned, otherwise 0.
    fn push_whole(&mut self, access: &SubwarpAccess<'_>, first: u32) {
        self.get(self.names.mask);
        self.ops([I::I32Const(ALL), I::I32Eq]);
        self.get(first);
        if access.plan.has_64_bit_base {
            self.op(I::I32WrapI64);
        }
        self.ops([
            I::I32Const(access.width() as i32 - 1),
            I::I32And,
            I::I32Eqz,
            I::I32And,
        ]);
    }

    fn find_narrow_lie(
        &mut self,
        base: OperandSlot,
        [first, is_row, is_one]: [u32; 3],
        width: u32,
    ) -> Result<(), BailoutReason> {
        let [low, high] = self.names.addresses;
        self.read32(base)?;
        self.tee(low);
        self.op(I::I32x4ExtractLane(0));
        self.set(first);
        self.get_all([low, first]);
        self.ops([I::I32x4Splat, I::I32x4Sub]);
        self.tee(high);
        self.ops([lane_offsets32(width), I::I32x4Eq, I::I32x4AllTrue]);
        self.set(is_row);
        self.get(high);
        self.ops([I::V128AnyTrue, I::I32Eqz]);
        self.set(is_one);
        Ok(())
    }

    fn find_wide_lie(
        &mut self,
        base: OperandSlot,
        [first, is_row, is_one]: [u32; 3],
        width: u32,
    ) -> Result<(), BailoutReason> {
        let [low, high] = self.names.addresses;
        self.read64(base, 0)?;
        self.op(I::I64x2ExtractLane(0));
        self.set(first);
        for (half, local) in [(0, low), (1, high)] {
            self.read64(base, half)?;
            self.get(first);
            self.ops([I::I64x2Splat, I::I64x2Sub]);
            self.set(local);
        }
        for (half, local) in [(0, low), (1, high)] {
            self.get(local);
            self.ops([ramp64(width, half), I::I64x2Eq]);
        }
        self.ops([I::V128And, I::I64x2AllTrue]);
        self.set(is_row);
        self.get_all([low, high]);
        self.ops([I::V128Or, I::V128AnyTrue, I::I32Eqz]);
        self.set(is_one);
        Ok(())
    }

    /// Emits the check of an access whose address pattern an earlier access of the block has determined. Exits the
    /// enclosing WebAssembly block if the pattern does not apply.
    pub(crate) fn check_pattern(
        &mut self,
        access: &SubwarpAccess<'_>,
        pattern: AddressPattern,
        gap: u32,
    ) {
        let FixedLocals {
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
        match if gap == 0 {
            pattern.is_uniform
        } else {
            pattern.is_contiguous
        } {
            Some(known) => self.get(known),
            None => self.op(I::I32Const(0)),
        }
        self.op(I::I32Eqz);
        self.leave_if();
        self.get(pattern.first);
        if access.is_narrow {
            self.ops([I::I32Const(access.plan.offset as i32), I::I32Add]);
            self.set(first);
        } else {
            self.ops([I::I64Const(access.plan.offset), I::I64Add]);
            self.set(offset);
        }
    }

    /// Returns the branch depth of the construct that a failing check of the access exits: the innermost WebAssembly
    /// block, or the fast path of the basic block.
    pub(crate) fn fallback_target(&self) -> u32 {
        self.fallback_label.map_or(0, |level| self.nest - level)
    }

    /// Branches to the fallback target if the number on the stack is not zero.
    pub(crate) fn leave_if(&mut self) {
        self.op(I::BrIf(self.fallback_target()));
    }

    /// Exits the enclosing WebAssembly block unless all lanes are active and their addresses are `gap` bytes apart.
    pub(crate) fn check_addresses(&mut self, access: &SubwarpAccess<'_>, gap: u32) {
        let FixedLocals {
            active,
            first,
            offset,
            addresses: [low, high],
            ..
        } = self.names;
        if let Some(pattern) = access.pattern {
            return self.check_pattern(access, pattern, gap);
        }
        self.get(active);
        self.ops([I::I32Const(ALL), I::I32Ne]);
        self.leave_if();
        let aligned = access.width();
        if access.is_narrow {
            self.get(low);
            self.op(I::I32x4ExtractLane(0));
            self.tee(first);
            self.op(I::I32x4Splat);
            if gap != 0 {
                self.ops([lane_offsets32(gap), I::I32x4Add]);
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

    /// Computes the linear-memory address of `bytes` bytes that start at the address of the first lane. Exits the
    /// enclosing WebAssembly block if the range that the access site has cached does not contain these bytes.
    pub(crate) fn find_place(
        &mut self,
        access: &SubwarpAccess<'_>,
        bytes: u32,
        known: CachedBound,
    ) {
        let FixedLocals {
            first,
            offset,
            pointer,
            ..
        } = self.names;
        if access.is_narrow {
            let Some(last) = self.places.shared_bytes.checked_sub(bytes) else {
                self.op(I::Br(self.fallback_target()));
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
        self.get(offset);
        self.ops([
            I::I32Const(0),
            I::I64Load(at(access.site + site::ADDRESS)),
            I::I64Sub,
        ]);
        self.tee(offset);
        self.ops([I::I32Const(0), I::I64Load(at(access.site + known.extent()))]);
        if known == CachedBound::Range {
            // The cached bound is the size of the range, so subtract the size of the access before the comparison.
            self.ops([I::I64Const(i64::from(bytes)), I::I64Sub, I::I64GtS]);
            self.leave_if();
            self.get(offset);
            self.ops([I::I64Const(0), I::I64LtS]);
        } else {
            self.op(I::I64GeU);
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
}

/// Returns a vector of the byte offsets of the lanes in a contiguous row, relative to the first lane.
fn lane_offsets32(gap: u32) -> I<'static> {
    let [a, b, c] = [1, 2, 3].map(|n| u128::from(n * gap));
    I::V128Const((a << 32 | b << 64 | c << 96) as i128)
}

/// Returns a vector of the byte offsets of two lanes in one half of a contiguous row, relative to the first lane, as
/// 64-bit numbers.
fn ramp64(gap: u32, half: u32) -> I<'static> {
    let [a, b] = [2 * half, 2 * half + 1].map(|n| u128::from(n * gap));
    I::V128Const((a | b << 64) as i128)
}
