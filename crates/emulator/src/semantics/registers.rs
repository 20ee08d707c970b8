//! Register file of a warp as a structure of arrays: each register is a row of 32 lanes, and each register width has
//! its own bank.

/// Number of lanes of a warp.
pub(crate) const LANES: usize = 32;
/// Lane mask in which all lanes are set.
pub(crate) const FULL: u32 = u32::MAX;

pub(crate) type Row32 = [u32; LANES];
pub(crate) type Row64 = [u64; LANES];
pub(crate) type Row128 = [u128; LANES];

/// Encoded location of an operand: a register of the stack frame, a constant of the code, or a special register of the
/// warp. The operation that contains the slot determines the register bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperandSlot(pub(crate) u32);

impl OperandSlot {
    const CONSTANT: u32 = 1 << 30;
    const SPECIAL: u32 = 2 << 30;
    const INDEX: u32 = (1 << 30) - 1;
    /// Slot of an absent operand.
    pub(crate) const NONE: OperandSlot = OperandSlot(u32::MAX);

    pub(crate) const fn register(index: u32) -> OperandSlot {
        OperandSlot(index & OperandSlot::INDEX)
    }

    pub(crate) const fn constant(index: u32) -> OperandSlot {
        OperandSlot(index & OperandSlot::INDEX | OperandSlot::CONSTANT)
    }

    pub(crate) const fn special(index: u32) -> OperandSlot {
        OperandSlot(index & OperandSlot::INDEX | OperandSlot::SPECIAL)
    }

    /// Checks whether the slot refers to a constant, which is uniform across lanes.
    #[inline(always)]
    pub(crate) const fn is_constant(self) -> bool {
        self.0 >> 30 == 1
    }

    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }

    /// Decodes the location of the operand within its bank.
    pub const fn place(self) -> OperandLocation {
        let index = self.0 & OperandSlot::INDEX;
        match self.0 & !OperandSlot::INDEX {
            0 => OperandLocation::Register(index),
            OperandSlot::CONSTANT => OperandLocation::Constant(index),
            OperandSlot::SPECIAL => OperandLocation::Special(index),
            _ => OperandLocation::None,
        }
    }
}

/// Location of an operand within its register bank, as decoded from an [`OperandSlot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OperandLocation {
    /// Register of the current stack frame, by index in the bank.
    Register(u32),
    /// Constant of the code, by index in the bank. All lanes read the same value.
    Constant(u32),
    /// Special register of the warp, by index in the bank.
    Special(u32),
    /// Absent operand, which reads as zero.
    None,
}

/// Register file of a warp: register rows in one bank per register width, and one bank of predicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RegisterFile {
    pub(crate) r32: Vec<Row32>,
    pub(crate) r64: Vec<Row64>,
    pub(crate) r128: Vec<Row128>,
    /// Predicates, each as a lane mask.
    pub(crate) predicates: Vec<u32>,
}

/// Number of rows in each register bank, or first row of a stack frame in each register bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegisterFileSizes {
    pub(crate) r32: u32,
    pub(crate) r64: u32,
    pub(crate) r128: u32,
    pub(crate) predicates: u32,
}

impl RegisterFileSizes {
    /// Returns the maximum of both sizes for each bank.
    pub(crate) fn max(self, other: RegisterFileSizes) -> RegisterFileSizes {
        RegisterFileSizes {
            r32: self.r32.max(other.r32),
            r64: self.r64.max(other.r64),
            r128: self.r128.max(other.r128),
            predicates: self.predicates.max(other.predicates),
        }
    }

    /// Returns `self + n * other`.
    pub(crate) fn plus_times(self, n: u32, other: RegisterFileSizes) -> RegisterFileSizes {
        RegisterFileSizes {
            r32: self.r32 + n * other.r32,
            r64: self.r64 + n * other.r64,
            r128: self.r128 + n * other.r128,
            predicates: self.predicates + n * other.predicates,
        }
    }

    /// Returns the size in bytes of a register file with these numbers of rows.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.r32) * 128
            + u64::from(self.r64) * 256
            + u64::from(self.r128) * 512
            + u64::from(self.predicates) * 4
    }
}

impl RegisterFile {
    /// Resizes the banks and clears all rows. The function reuses the allocated capacity.
    #[inline(always)]
    pub(crate) fn reset(&mut self, sizes: RegisterFileSizes) {
        /// Clears each row with a zero that is opaque to the compiler. Otherwise the compiler would emit a call of
        /// `memset`, which takes longer than clearing the few rows of a warp.
        #[inline(always)]
        fn reset<T: Copy>(rows: &mut Vec<[T; LANES]>, n: u32, zero: T) {
            rows.truncate(n as usize);
            let zero = std::hint::black_box(zero);
            for row in rows {
                *row = [zero; LANES];
            }
        }
        reset(&mut self.r32, sizes.r32, 0);
        reset(&mut self.r64, sizes.r64, 0);
        reset(&mut self.r128, sizes.r128, 0);
        self.predicates.clear();
        self.grow(sizes);
    }

    /// Extends the banks to at least `sizes` rows. New rows are zero.
    pub(crate) fn grow(&mut self, sizes: RegisterFileSizes) {
        fn grow<T: Clone>(rows: &mut Vec<T>, n: u32, zero: T) {
            if rows.len() < n as usize {
                rows.resize(n as usize, zero);
            }
        }
        grow(&mut self.r32, sizes.r32, [0; LANES]);
        grow(&mut self.r64, sizes.r64, [0; LANES]);
        grow(&mut self.r128, sizes.r128, [0; LANES]);
        grow(&mut self.predicates, sizes.predicates, 0);
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.r32.len() * 128 + self.r64.len() * 256 + self.r128.len() * 512) as u64
            + self.predicates.len() as u64 * 4
    }
}

/// Scratch rows for the arithmetic results of all lanes. The interpreter then copies only the results of active lanes
/// to the register file.
#[derive(Clone)]
pub(crate) struct ResultRows {
    pub(crate) r32: Row32,
    pub(crate) r64: Row64,
}

/// Register file view of an instruction: the registers of its stack frame, and the mask of its active lanes.
pub(crate) struct LaneRegisters<'a> {
    pub(crate) banks: &'a mut RegisterFile,
    pub(crate) constants: &'a RegisterFile,
    pub(crate) specials: &'a RegisterFile,
    /// First row of the current stack frame in each bank.
    pub(crate) base: RegisterFileSizes,
    pub(crate) mask: u32,
    /// Carry flags of `.cc` instructions, one bit per lane.
    pub(crate) carry: &'a mut u32,
}

/// Copies a row with the widest vectors of the host.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn copy<T: Copy>(to: &mut [T; LANES], from: &[T; LANES]) {
    let (to, from) = (to.as_chunks_mut::<16>().0, from.as_chunks::<16>().0);
    to[0] = from[0];
    to[1] = from[1];
}

/// Copies a row in chunks. In WebAssembly, a copy of more than a few words compiles to a call of the host, which is
/// slower than several small copies. The copies of the chunks are written out, because the compiler would merge the
/// copies of a loop into a single call.
#[cfg(target_arch = "wasm32")]
#[inline(always)]
pub(crate) fn copy<T: Copy>(to: &mut [T; LANES], from: &[T; LANES]) {
    let (to, from) = (to.as_chunks_mut::<4>().0, from.as_chunks::<4>().0);
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = from[3];
    to[4] = from[4];
    to[5] = from[5];
    to[6] = from[6];
    to[7] = from[7];
}

/// Copies the lanes of a mask from `value` to `row`.
#[inline(always)]
fn copy_masked<T: Copy>(row: &mut [T; LANES], value: &[T; LANES], mask: u32) {
    if mask == FULL {
        copy(row, value);
    } else {
        copy_partial_mask(row, value, mask);
    }
}

/// Copies the lanes of a partial mask. The function is not inlined, because the compiler would otherwise compute the
/// per-lane masks before the test for a full mask.
#[inline(never)]
fn copy_partial_mask<T: Copy>(row: &mut [T; LANES], value: &[T; LANES], mask: u32) {
    for lane in 0..LANES {
        if mask & (1 << lane) != 0 {
            row[lane] = value[lane];
        }
    }
}

static ZERO_32: Row32 = [0; LANES];
static ZERO_64: Row64 = [0; LANES];
static ZERO_128: Row128 = [0; LANES];

macro_rules! bank {
    ($get:ident, $set:ident, $bank:ident, $row:ty, $zero:ident) => {
        #[inline(always)]
        pub(crate) fn $get(&self, slot: OperandSlot) -> &$row {
            let index = (slot.0 & OperandSlot::INDEX) as usize;
            let row = match slot.0 >> 30 {
                0 => self.banks.$bank.get(self.base.$bank as usize + index),
                1 => self.constants.$bank.get(index),
                _ => self.specials.$bank.get(index),
            };
            row.unwrap_or(&$zero)
        }

        /// Writes a row to a register in the active lanes.
        #[cfg_attr(target_arch = "x86_64", inline(always))]
        #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
        pub(crate) fn $set(&mut self, slot: OperandSlot, value: &$row) {
            let index = self.base.$bank as usize + (slot.0 & OperandSlot::INDEX) as usize;
            if let Some(row) = self.banks.$bank.get_mut(index) {
                copy_masked(row, value, self.mask);
            }
        }
    };
}

macro_rules! whole {
    ($name:ident, $bank:ident, $row:ty) => {
        /// Returns a mutable reference to the row of a register, or `None` if some lanes are inactive and must keep
        /// their values.
        #[inline(always)]
        pub(crate) fn $name(&mut self, slot: OperandSlot) -> Option<&mut $row> {
            let index = self.base.$bank as usize + (slot.0 & OperandSlot::INDEX) as usize;
            let row = self.banks.$bank.get_mut(index);
            row.filter(|_| self.mask == FULL)
        }
    };
}

impl LaneRegisters<'_> {
    bank!(r32, set32, r32, Row32, ZERO_32);
    bank!(r64, set64, r64, Row64, ZERO_64);
    bank!(r128, set128, r128, Row128, ZERO_128);
    whole!(whole32, r32, Row32);
    whole!(whole64, r64, Row64);

    /// Returns a predicate register as a lane mask that includes inactive lanes.
    #[inline(always)]
    pub(crate) fn predicate(&self, slot: OperandSlot) -> u32 {
        let index = (slot.0 & OperandSlot::INDEX) as usize;
        let row = match slot.0 >> 30 {
            0 => self
                .banks
                .predicates
                .get(self.base.predicates as usize + index),
            1 => self.constants.predicates.get(index),
            _ => self.specials.predicates.get(index),
        };
        row.copied().unwrap_or(0)
    }

    /// Writes a predicate register in the active lanes.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, slot: OperandSlot, value: u32) {
        let index = self.base.predicates as usize + (slot.0 & OperandSlot::INDEX) as usize;
        if let Some(row) = self.banks.predicates.get_mut(index) {
            *row = *row & !self.mask | value & self.mask;
        }
    }

    /// Returns the lowest active lane.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        (self.mask.trailing_zeros() & 31) as usize
    }
}

/// Integer type whose width has a register bank.
pub(crate) trait BankWord: Copy + Sized {
    fn row<'l>(lanes: &'l LaneRegisters<'_>, slot: OperandSlot) -> &'l [Self; LANES];

    /// Writes a register row in the active lanes.
    fn set_row(lanes: &mut LaneRegisters<'_>, slot: OperandSlot, row: &[Self; LANES]);
}

impl BankWord for u32 {
    #[inline(always)]
    fn row<'l>(lanes: &'l LaneRegisters<'_>, slot: OperandSlot) -> &'l Row32 {
        lanes.r32(slot)
    }

    #[inline(always)]
    fn set_row(lanes: &mut LaneRegisters<'_>, slot: OperandSlot, row: &Row32) {
        lanes.set32(slot, row);
    }
}

impl BankWord for u64 {
    #[inline(always)]
    fn row<'l>(lanes: &'l LaneRegisters<'_>, slot: OperandSlot) -> &'l Row64 {
        lanes.r64(slot)
    }

    #[inline(always)]
    fn set_row(lanes: &mut LaneRegisters<'_>, slot: OperandSlot, row: &Row64) {
        lanes.set64(slot, row);
    }
}

/// Returns the lanes of a mask in ascending order.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}
