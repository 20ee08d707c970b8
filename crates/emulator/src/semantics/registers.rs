//! Registers of a warp, structure of arrays: one row of 32 lanes a register, one bank a width.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const FULL: u32 = u32::MAX;

pub(crate) type Row32 = [u32; LANES];
pub(crate) type Row64 = [u64; LANES];
pub(crate) type Row128 = [u128; LANES];

/// Where an operand lives: a register of the frame, a constant of the code, or a special register
/// of the warp. The bank follows from the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(pub(crate) u32);

impl Slot {
    const CONSTANT: u32 = 1 << 30;
    const SPECIAL: u32 = 2 << 30;
    const INDEX: u32 = (1 << 30) - 1;
    /// No operand.
    pub(crate) const NONE: Slot = Slot(u32::MAX);

    pub(crate) const fn register(index: u32) -> Slot {
        Slot(index & Slot::INDEX)
    }

    pub(crate) const fn constant(index: u32) -> Slot {
        Slot(index & Slot::INDEX | Slot::CONSTANT)
    }

    pub(crate) const fn special(index: u32) -> Slot {
        Slot(index & Slot::INDEX | Slot::SPECIAL)
    }

    /// Whether all lanes have the same value, whatever the program does.
    #[inline(always)]
    pub(crate) const fn is_constant(self) -> bool {
        self.0 >> 30 == 1
    }

    #[inline(always)]
    pub const fn is_some(self) -> bool {
        self.0 != u32::MAX
    }

    /// Where it is in its bank.
    pub const fn place(self) -> SlotPlace {
        let index = self.0 & Slot::INDEX;
        match self.0 & !Slot::INDEX {
            0 => SlotPlace::Register(index),
            Slot::CONSTANT => SlotPlace::Constant(index),
            Slot::SPECIAL => SlotPlace::Special(index),
            _ => SlotPlace::None,
        }
    }
}

/// Where an operand lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlotPlace {
    /// A register of the kernel, by its number in the bank.
    Register(u32),
    /// A number that all lanes share.
    Constant(u32),
    /// A special register, by its number in the bank.
    Special(u32),
    /// No operand: it reads as zero.
    None,
}

/// Rows of all banks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Banks {
    pub(crate) r32: Vec<Row32>,
    pub(crate) r64: Vec<Row64>,
    pub(crate) r128: Vec<Row128>,
    /// A predicate is a mask of lanes.
    pub(crate) predicates: Vec<u32>,
}

/// Numbers of rows, or where a frame starts, by bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BankSizes {
    pub(crate) r32: u32,
    pub(crate) r64: u32,
    pub(crate) r128: u32,
    pub(crate) predicates: u32,
}

impl BankSizes {
    /// Bank by bank the larger.
    pub(crate) fn max(self, other: BankSizes) -> BankSizes {
        BankSizes {
            r32: self.r32.max(other.r32),
            r64: self.r64.max(other.r64),
            r128: self.r128.max(other.r128),
            predicates: self.predicates.max(other.predicates),
        }
    }

    /// `self + n * other`.
    pub(crate) fn plus_times(self, n: u32, other: BankSizes) -> BankSizes {
        BankSizes {
            r32: self.r32 + n * other.r32,
            r64: self.r64 + n * other.r64,
            r128: self.r128 + n * other.r128,
            predicates: self.predicates + n * other.predicates,
        }
    }

    /// Memory of that many rows.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.r32) * 128
            + u64::from(self.r64) * 256
            + u64::from(self.r128) * 512
            + u64::from(self.predicates) * 4
    }
}

impl Banks {
    /// All zero, of these sizes; keeps its allocation.
    #[inline(always)]
    pub(crate) fn reset(&mut self, sizes: BankSizes) {
        /// Row after row with a zero that the compiler does not know: it would make a call of zeros, which takes longer
        /// than the few rows of a warp do.
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

    /// At least these sizes; new rows are zero.
    pub(crate) fn grow(&mut self, sizes: BankSizes) {
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

/// Where arithmetic makes its results, all lanes of them, before the active ones are kept.
#[derive(Clone)]
pub(crate) struct Results {
    pub(crate) r32: Row32,
    pub(crate) r64: Row64,
}

/// The registers that one instruction sees, and the lanes it works on.
pub(crate) struct Lanes<'a> {
    pub(crate) banks: &'a mut Banks,
    pub(crate) constants: &'a Banks,
    pub(crate) specials: &'a Banks,
    /// Where the frame starts.
    pub(crate) base: BankSizes,
    pub(crate) mask: u32,
    /// Carry flags (`.cc`), one a lane.
    pub(crate) carry: &'a mut u32,
}

/// Copies a row, in as few vectors as the host has.
#[cfg(not(target_arch = "wasm32"))]
#[inline(always)]
pub(crate) fn copy<T: Copy>(to: &mut [T; LANES], from: &[T; LANES]) {
    let (to, from) = (to.as_chunks_mut::<16>().0, from.as_chunks::<16>().0);
    to[0] = from[0];
    to[1] = from[1];
}

/// Copies a row piece by piece. In wasm a copy of more than a few words is a call to the host, which
/// costs more than the whole row in its pieces, and a loop over them would become that call again.
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

/// Writes the lanes of a mask.
#[inline(always)]
fn put<T: Copy>(row: &mut [T; LANES], value: &[T; LANES], mask: u32) {
    if mask == FULL {
        copy(row, value);
    } else {
        put_some(row, value, mask);
    }
}

/// As [`put`]. A function of its own, since its mask of each lane would otherwise be computed before it is known
/// whether it is needed.
#[inline(never)]
fn put_some<T: Copy>(row: &mut [T; LANES], value: &[T; LANES], mask: u32) {
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
        pub(crate) fn $get(&self, slot: Slot) -> &$row {
            let index = (slot.0 & Slot::INDEX) as usize;
            let row = match slot.0 >> 30 {
                0 => self.banks.$bank.get(self.base.$bank as usize + index),
                1 => self.constants.$bank.get(index),
                _ => self.specials.$bank.get(index),
            };
            row.unwrap_or(&$zero)
        }

        /// Writes the active lanes.
        #[cfg_attr(target_arch = "x86_64", inline(always))]
        #[cfg_attr(not(target_arch = "x86_64"), inline(never))]
        pub(crate) fn $set(&mut self, slot: Slot, value: &$row) {
            let index = self.base.$bank as usize + (slot.0 & Slot::INDEX) as usize;
            if let Some(row) = self.banks.$bank.get_mut(index) {
                put(row, value, self.mask);
            }
        }
    };
}

macro_rules! whole {
    ($name:ident, $bank:ident, $row:ty) => {
        /// The row itself, to be written as a whole; none where not all lanes are active.
        #[inline(always)]
        pub(crate) fn $name(&mut self, slot: Slot) -> Option<&mut $row> {
            let index = self.base.$bank as usize + (slot.0 & Slot::INDEX) as usize;
            let row = self.banks.$bank.get_mut(index);
            row.filter(|_| self.mask == FULL)
        }
    };
}

impl Lanes<'_> {
    bank!(r32, set32, r32, Row32, ZERO_32);
    bank!(r64, set64, r64, Row64, ZERO_64);
    bank!(r128, set128, r128, Row128, ZERO_128);
    whole!(whole32, r32, Row32);
    whole!(whole64, r64, Row64);

    /// A predicate as a mask, also of lanes that are not active.
    #[inline(always)]
    pub(crate) fn predicate(&self, slot: Slot) -> u32 {
        let index = (slot.0 & Slot::INDEX) as usize;
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

    /// Writes the active lanes of a predicate.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, slot: Slot, value: u32) {
        let index = self.base.predicates as usize + (slot.0 & Slot::INDEX) as usize;
        if let Some(row) = self.banks.predicates.get_mut(index) {
            *row = *row & !self.mask | value & self.mask;
        }
    }

    /// The lowest active lane.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        (self.mask.trailing_zeros() & 31) as usize
    }
}

/// An integer with a bank of rows.
pub(crate) trait BankWord: Copy + Sized {
    fn row<'l>(lanes: &'l Lanes<'_>, slot: Slot) -> &'l [Self; LANES];

    /// Writes the active lanes.
    fn set_row(lanes: &mut Lanes<'_>, slot: Slot, row: &[Self; LANES]);
}

impl BankWord for u32 {
    #[inline(always)]
    fn row<'l>(lanes: &'l Lanes<'_>, slot: Slot) -> &'l Row32 {
        lanes.r32(slot)
    }

    #[inline(always)]
    fn set_row(lanes: &mut Lanes<'_>, slot: Slot, row: &Row32) {
        lanes.set32(slot, row);
    }
}

impl BankWord for u64 {
    #[inline(always)]
    fn row<'l>(lanes: &'l Lanes<'_>, slot: Slot) -> &'l Row64 {
        lanes.r64(slot)
    }

    #[inline(always)]
    fn set_row(lanes: &mut Lanes<'_>, slot: Slot, row: &Row64) {
        lanes.set64(slot, row);
    }
}

/// Lane numbers of a mask, lowest first.
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
