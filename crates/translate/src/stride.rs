//! How the lanes of a gang lie to each other. In: decoded code with its launch; out: registers whose values differ from lane to lane by a number that is known before
//! the run, zero where all lanes have one value. Addresses of that kind need not be compared at each access.

use crate::affine::Forms;
use crate::code::Source;
use crate::code::{Code, Placed};
use crate::flow::{Flow, Meeting};
use crate::place::GANG;
use crate::registers::{Definitions, Register};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{
    AccessPlan, Bank, Combine, Comparison, Instr, Int32Op, Int64Op, IntOp, Op, Plain, ShiftOp,
    Slot, SlotPlace,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// What a value of a lane is beyond that of the lane before: wrapped to the width of the register, zero for predicates.
type Stride = u64;

/// By register; those of which nothing is known are not there.
pub(crate) type Strides = BTreeMap<Register, Stride>;

/// The values of the lanes of a gang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    stride: Stride,
    /// Low bits of the first lane's value that are zero, at least.
    zeros: u32,
}

/// Zeros that are followed, at most: each shift to the right in a loop takes one away, and takes a round.
const MOST_ZEROS: u32 = 12;

impl Row {
    /// One value of all lanes.
    fn one(zeros: u32) -> Row {
        Row {
            stride: 0,
            zeros: zeros.min(MOST_ZEROS),
        }
    }

    /// What each lane is beyond the first, if that lies in the first one's low zeros, so that nothing is carried: the bits of both are apart.
    fn low_bits(self) -> Option<[u64; 4]> {
        let last = self.stride.checked_mul(u64::from(GANG) - 1)?;
        (last >> self.zeros == 0).then(|| [0, 1, 2, 3].map(|lane| lane * self.stride))
    }

    /// The row after its low bits and all others have been changed apart from each other.
    fn changed(self, zeros: u32, change: impl Fn(u64) -> u64) -> Option<Row> {
        let [first, rest @ ..] = self.low_bits()?.map(change);
        let stride = rest[0].checked_sub(first)?;
        let is_even = (1..)
            .zip(rest)
            .all(|(lane, bits)| bits == first + lane * stride);
        is_even.then_some(Row {
            stride,
            zeros: zeros.min(MOST_ZEROS),
        })
    }
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing has been written yet.
    Unwritten,
    Row(Row),
    /// It differs in ways that are not followed.
    Differs,
}

impl Known {
    /// What holds wherever the value is from.
    fn or(self, other: Known) -> Known {
        match (self, other) {
            (Known::Unwritten, known) | (known, Known::Unwritten) => known,
            (Known::Row(a), Known::Row(b)) if a.stride == b.stride => Known::Row(Row {
                zeros: a.zeros.min(b.zeros),
                ..a
            }),
            _ => Known::Differs,
        }
    }

    /// A value that depends on both alone, where nothing more is known of the operation.
    fn and(self, other: Known) -> Known {
        self.with(other, |a, b| {
            ((a.stride, b.stride) == (0, 0)).then(|| Row::one(0))
        })
    }

    /// A value that depends on this one alone, in a way that is known.
    fn map(self, change: impl FnOnce(Row) -> Option<Row>) -> Known {
        match self {
            Known::Row(row) => change(row).map_or(Known::Differs, Known::Row),
            other => other,
        }
    }

    /// The same of both.
    fn with(self, other: Known, change: impl FnOnce(Row, Row) -> Option<Row>) -> Known {
        match (self, other) {
            (Known::Row(a), Known::Row(b)) => change(a, b).map_or(Known::Differs, Known::Row),
            (Known::Differs, _) | (_, Known::Differs) => Known::Differs,
            _ => Known::Unwritten,
        }
    }

    /// A sum or a difference.
    fn sum(self, other: Known, change: impl FnOnce(Stride, Stride) -> Stride) -> Known {
        self.with(other, |a, b| {
            Some(Row {
                stride: change(a.stride, b.stride),
                zeros: a.zeros.min(b.zeros),
            })
        })
    }

    fn is_one(self) -> bool {
        matches!(self, Known::Unwritten | Known::Row(Row { stride: 0, .. }))
    }
}

const ONE: Known = Known::Row(Row {
    stride: 0,
    zeros: 0,
});

/// Numbers of lanes, from a multiple of four on.
const NEIGHBOURS: Known = Known::Row(Row {
    stride: 1,
    zeros: GANG.trailing_zeros(),
});

/// Rounds through the code until nothing more is learnt, at most: most kernels take as many as loops lie in each other, and one more.
const MOST_ROUNDS: u32 = 48;

struct Reader<'a, 'p> {
    plain: Plain<'p>,
    code: &'a Code<'p>,
    /// Threads of a block by axis.
    block: [u32; 3],
    known: BTreeMap<Register, Known>,
    /// Registers that are not followed.
    lost: BTreeSet<Register>,
    /// The frame at hand.
    frame: usize,
    /// Whether only registers that are written once in a run are followed.
    is_strict: bool,
}

/// Finds the strides of registers. `definitions` says where each is written, `at_start` which matter at the start, `forms` what is known of sums of coordinates, and `mixed`
/// which are no longer followed where lanes part at the end of a block, to be together again soon. The blocks at which they do come out, too.
pub(crate) fn find_strides(
    source: Source<'_>,
    flow: &Flow,
    definitions: &Definitions,
    at_start: &BTreeSet<Register>,
    forms: &Forms<'_>,
    mixed: &BTreeMap<usize, BTreeSet<Register>>,
) -> (Strides, BTreeSet<usize>) {
    let mut parting = BTreeSet::new();
    loop {
        let lost = mixed.iter().filter(|(at, _)| parting.contains(*at));
        let lost: BTreeSet<Register> = lost.flat_map(|(_, registers)| registers).copied().collect();
        let mut reader = Reader {
            plain: source.plain,
            code: source.code,
            block: source.plain.extents().0,
            known: BTreeMap::new(),
            lost,
            frame: 0,
            is_strict: false,
        };
        reader.find(flow, definitions, at_start, forms);
        let before = parting.len();
        for block in mixed.keys() {
            if reader.parts_at(flow, *block) {
                parting.insert(*block);
            }
        }
        if parting.len() == before {
            return (reader.strides(), parting);
        }
    }
}

/// Blocks that no way leads back to.
fn blocks_done_once(flow: &Flow) -> Vec<bool> {
    let comes_back = |start: usize| {
        let mut seen = vec![false; flow.blocks.len()];
        let mut left = vec![start];
        while let Some(block) = left.pop() {
            for next in flow.blocks.get(block).into_iter().flat_map(|b| &b.next) {
                if *next == start {
                    return true;
                }
                if seen.get(*next) == Some(&false) {
                    seen[*next] = true;
                    left.push(*next);
                }
            }
        }
        false
    };
    (0..flow.blocks.len())
        .map(|block| !comes_back(block))
        .collect()
}

impl Reader<'_, '_> {
    /// Follows all registers, or those that lanes may be together with again.
    fn find(
        &mut self,
        flow: &Flow,
        definitions: &Definitions,
        at_start: &BTreeSet<Register>,
        forms: &Forms<'_>,
    ) {
        let factors = match self.has_rows() {
            true => forms.factors_of_x(),
            false => BTreeMap::new(),
        };
        self.solve(definitions, at_start, &factors);
        if !self.may_join(flow) {
            return;
        }
        self.is_strict = true;
        let is_once = blocks_done_once(flow);
        let followed = definitions.iter().filter(|(register, places)| {
            let at = places.first().map_or(0, |at| *at as usize);
            let block = flow.blocks.partition_point(|block| block.start <= at);
            let is_once = is_once.get(block.wrapping_sub(1)) == Some(&true);
            is_once && places.len() == 1 && !at_start.contains(register)
        });
        let followed: Definitions = followed.map(|(r, places)| (*r, places.clone())).collect();
        let factors = factors
            .into_iter()
            .filter(|(r, _)| followed.contains_key(r));
        let factors = factors.collect();
        self.known.clear();
        self.solve(&followed, at_start, &factors);
    }

    /// What is known of registers.
    fn strides(&self) -> Strides {
        let found = self.known.iter();
        found
            .filter_map(|(register, known)| match known {
                Known::Row(row) => Some((*register, row.stride)),
                Known::Unwritten | Known::Differs => None,
            })
            .collect()
    }

    /// Whether the lanes of a gang are neighbours in a row of the block.
    fn has_rows(&self) -> bool {
        let [x, y, z] = self.block;
        x.is_multiple_of(GANG) || (y, z) == (1, 1)
    }

    /// Follows what instructions write until nothing more is learnt. Nothing is known where that takes too many rounds.
    fn solve(
        &mut self,
        definitions: &Definitions,
        at_start: &BTreeSet<Register>,
        factors: &BTreeMap<Register, i64>,
    ) {
        let mut places: Vec<(u32, Register)> = Vec::new();
        for (register, all) in definitions {
            places.extend(all.iter().map(|at| (*at, *register)));
            let start = match at_start.contains(register) {
                _ if self.lost.contains(register) => Known::Differs,
                // All zeros.
                true => ONE,
                false => Known::Unwritten,
            };
            self.known.insert(*register, start);
        }
        places.sort_unstable();
        for _ in 0..MOST_ROUNDS {
            let mut is_changed = false;
            for (at, register) in &places {
                let result = self.result(*at, *register);
                let written = match factors.get(register) {
                    Some(factor) => {
                        let stride = wrapped(register.0, *factor as u64);
                        let zeros = match result {
                            Known::Row(row) if row.stride == stride => row.zeros,
                            _ => 0,
                        };
                        Known::Row(Row { stride, zeros })
                    }
                    None => result,
                };
                let before = self.known.get(register).copied();
                let found = before.map_or(written, |before| before.or(written));
                is_changed |= before != Some(found);
                self.known.insert(*register, found);
            }
            if !is_changed {
                return;
            }
        }
        for known in self.known.values_mut() {
            *known = Known::Differs;
        }
    }

    /// Whether lanes that have parted may be one gang again, of which one has gone another way or is a round ahead.
    fn may_join(&mut self, flow: &Flow) -> bool {
        let n = flow.blocks.len();
        let mut meets: Vec<bool> = flow
            .blocks
            .iter()
            .map(|b| b.meets != Meeting::None)
            .collect();
        loop {
            let mut is_changed = false;
            for (index, block) in flow.blocks.iter().enumerate().rev() {
                let will = block
                    .next
                    .iter()
                    .any(|next| meets.get(*next) == Some(&true));
                if will && !meets[index] {
                    meets[index] = true;
                    is_changed = true;
                }
            }
            if !is_changed {
                break;
            }
        }
        (0..n).any(|index| {
            let mut next = flow.blocks[index].next.iter();
            self.parts_at(flow, index) && next.all(|next| meets.get(*next) == Some(&true))
        })
    }

    /// Whether lanes may part at the end of a block.
    fn parts_at(&mut self, flow: &Flow, index: usize) -> bool {
        let last = flow.blocks.get(index).map_or(0, |block| block.end - 1);
        let Some(Placed { instr, frame, .. }) = self.code.get(last) else {
            return false;
        };
        self.frame = *frame;
        matches!(instr.op, Op::Branch { .. })
            && instr.guard.place() != SlotPlace::None
            && !self.predicate(instr.guard).is_one()
    }

    fn register(&self, bank: Bank, slot: Slot) -> Option<Register> {
        match slot.place() {
            SlotPlace::Register(index) => Some(self.code.register(self.frame, (bank, index))),
            SlotPlace::Constant(_) | SlotPlace::Special(_) | SlotPlace::None => None,
        }
    }

    fn read(&self, bank: Bank, slot: Slot) -> Known {
        if let Some(register) = self.register(bank, slot) {
            return match self.known.get(&register) {
                Some(known) => *known,
                None if self.is_strict => Known::Differs,
                // Nothing writes it.
                None => ONE,
            };
        }
        match slot.place() {
            SlotPlace::Constant(_) | SlotPlace::None => match self.number(bank, slot) {
                Some(number) => Known::Row(Row::one(number.trailing_zeros())),
                None => ONE,
            },
            SlotPlace::Special(index) if bank == Bank::B32 => self.special(index),
            SlotPlace::Special(_) | SlotPlace::Register(_) => Known::Differs,
        }
    }

    fn predicate(&self, slot: Slot) -> Known {
        self.read(Bank::Predicate, slot)
    }

    fn special(&self, index: u32) -> Known {
        match self.plain.special32(index) {
            // A row of threads begins with a gang.
            Some(SpecialRegister::Tid(0)) if self.has_rows() => NEIGHBOURS,
            Some(SpecialRegister::Tid(_)) if self.has_rows() => ONE,
            Some(SpecialRegister::Laneid) => NEIGHBOURS,
            Some(
                SpecialRegister::Ctaid(_) | SpecialRegister::Ntid(_) | SpecialRegister::Nctaid(_),
            ) => ONE,
            _ => Known::Differs,
        }
    }

    /// The number that the code names.
    fn number(&self, bank: Bank, slot: Slot) -> Option<u64> {
        match (slot.place(), bank) {
            (SlotPlace::Constant(index), Bank::B64) => Some(self.plain.constant64(index)),
            (SlotPlace::Constant(index), Bank::B32) => {
                Some(i64::from(self.plain.constant32(index) as i32) as u64)
            }
            _ => None,
        }
    }

    /// What an instruction writes to a register.
    fn result(&mut self, at: u32, register: Register) -> Known {
        let Some(Placed {
            instr,
            frame,
            moves,
            ..
        }) = self.code.get(at as usize)
        else {
            return Known::Differs;
        };
        self.frame = *frame;
        let is_moved = !moves.values.is_empty();
        let is_one_way =
            instr.guard.place() == SlotPlace::None || self.predicate(instr.guard).is_one();
        if is_moved || !is_one_way {
            return Known::Differs;
        }
        match self.written(instr, register) {
            Some(known) => known.map(|row| {
                Some(Row {
                    stride: wrapped(register.0, row.stride),
                    ..row
                })
            }),
            None => Known::Differs,
        }
    }

    /// The same for an instruction that all lanes execute; none for those that are not followed.
    fn written(&self, instr: &Instr, register: Register) -> Option<Known> {
        let is = |bank: Bank, slot: Slot| (self.register(bank, slot)? == register).then_some(());
        let r32 = |slot: Slot| self.read(Bank::B32, slot);
        let r64 = |slot: Slot| self.read(Bank::B64, slot);
        match instr.op {
            Op::Mov32 { d, a } => is(Bank::B32, d).map(|()| r32(a)),
            Op::Mov64 { d, a } => is(Bank::B64, d).map(|()| r64(a)),
            Op::MovPredicate { d, a } => is(Bank::Predicate, d).map(|()| self.predicate(a)),
            Op::Int32 {
                f,
                slots: [d, a, b, c],
                ..
            } => {
                is(Bank::B32, d)?;
                Some(match f {
                    Int32Op::Plain(f) => self.integer(Bank::B32, f, [a, b, c]),
                    Int32Op::Shl => self.shifted(Bank::B32, a, b),
                    Int32Op::Shr => self.shifted_right(Bank::B32, a, b),
                    _ => r32(a).and(r32(b)).and(r32(c)),
                })
            }
            Op::Int64 {
                f: Int64Op::Plain(f),
                slots: [d, a, b, c],
                ..
            } => is(Bank::B64, d).map(|()| self.integer(Bank::B64, f, [a, b, c])),
            Op::Shift64 {
                f: ShiftOp::Left,
                slots: [d, a, b],
                ..
            } => is(Bank::B64, d).map(|()| self.shifted(Bank::B64, a, b)),
            Op::Shift64 {
                f: ShiftOp::Right,
                slots: [d, a, b],
                ..
            } => is(Bank::B64, d).map(|()| self.shifted_right(Bank::B64, a, b)),
            Op::Wide32 {
                signed,
                slots: [d, a, b, c],
            } => is(Bank::B64, d).map(|()| {
                self.wide_product(signed, a, b)
                    .sum(r64(c), u64::wrapping_add)
            }),
            Op::Extend32 { d, a, .. } => is(Bank::B64, d).map(|()| r32(a).map(extended)),
            Op::Truncate64 { d, a } => is(Bank::B32, d).map(|()| r64(a)),
            Op::Offset { d, a, .. } if d.bank == a.bank => {
                is(d.bank, d.slot).map(|()| self.read(a.bank, a.slot))
            }
            Op::Select32 { d, a, b, p } => {
                is(Bank::B32, d).map(|()| self.selected(p, r32(a), r32(b)))
            }
            Op::Select64 { d, a, b, p } => {
                is(Bank::B64, d).map(|()| self.selected(p, r64(a), r64(b)))
            }
            Op::PredicateLogic { a, b, .. } => Some(self.predicate(a).and(self.predicate(b))),
            Op::SetPredicate {
                ref compare,
                combine,
                ..
            } => Some(self.compared(compare, combine)),
            Op::Load(plan) => self.loaded(self.plain.access(plan)?),
            _ => None,
        }
    }

    fn integer(&self, bank: Bank, f: IntOp, [a, b, c]: [Slot; 3]) -> Known {
        let read = |slot: Slot| self.read(bank, slot);
        match f {
            IntOp::Add => read(a).sum(read(b), u64::wrapping_add),
            IntOp::Sub => read(a).sum(read(b), u64::wrapping_sub),
            IntOp::MulLo => self.product(bank, a, b),
            IntOp::MadLo => self.product(bank, a, b).sum(read(c), u64::wrapping_add),
            IntOp::And | IntOp::Or | IntOp::Xor => self.logic(bank, f, a, b),
            _ => read(a).and(read(b)).and(read(c)),
        }
    }

    fn product(&self, bank: Bank, a: Slot, b: Slot) -> Known {
        let (row, other) = (self.read(bank, a), self.read(bank, b));
        match (self.number(bank, a), self.number(bank, b)) {
            (_, Some(number)) => row.map(|row| Some(times(row, number))),
            (Some(number), None) => other.map(|row| Some(times(row, number))),
            (None, None) => row.and(other),
        }
    }

    /// A product of 64 bits, of two sources of 32.
    fn wide_product(&self, signed: bool, a: Slot, b: Slot) -> Known {
        let number = |slot: Slot| {
            let number = self.number(Bank::B32, slot)?;
            Some(if signed { number } else { number & 0xffff_ffff })
        };
        let (row, other) = (self.read(Bank::B32, a), self.read(Bank::B32, b));
        match (number(a), number(b)) {
            (_, Some(number)) => row.map(|row| Some(times(extended(row)?, number))),
            (Some(number), None) => other.map(|row| Some(times(extended(row)?, number))),
            (None, None) => row.and(other),
        }
    }

    fn shifted(&self, bank: Bank, a: Slot, b: Slot) -> Known {
        match self.number(Bank::B32, b) {
            Some(amount @ 0..32) => self.read(bank, a).map(|row| Some(times(row, 1 << amount))),
            _ => self.read(bank, a).and(self.read(Bank::B32, b)),
        }
    }

    /// With or without a sign: the low bits of lanes are apart from it.
    fn shifted_right(&self, bank: Bank, a: Slot, b: Slot) -> Known {
        match self.number(Bank::B32, b) {
            Some(amount @ 0..32) => self.read(bank, a).map(|row| {
                let zeros = row.zeros.saturating_sub(amount as u32);
                row.changed(zeros, |bits| bits >> amount)
            }),
            _ => self.read(bank, a).and(self.read(Bank::B32, b)),
        }
    }

    /// Logic with one value of all lanes: with a number, or with one that has no ones among the low bits in which lanes differ.
    fn logic(&self, bank: Bank, f: IntOp, a: Slot, b: Slot) -> Known {
        let (row, other) = (self.read(bank, a), self.read(bank, b));
        let (row, other, number) = match row.is_one() {
            true => (other, row, self.number(bank, a)),
            false => (row, other, self.number(bank, b)),
        };
        row.with(other, |row, one| {
            if one.stride != 0 {
                return None;
            }
            let low = match number {
                Some(number) => number & ((1 << row.zeros) - 1),
                None if one.zeros >= row.zeros || row.stride == 0 => 0,
                None => return None,
            };
            let ones = number.map_or(one.zeros, u64::trailing_zeros);
            match f {
                IntOp::And => row.changed(row.zeros.max(ones), |bits| bits & low),
                IntOp::Or => row.changed(row.zeros.min(ones), |bits| bits | low),
                _ => row.changed(row.zeros.min(ones), |bits| bits ^ low),
            }
        })
    }

    fn selected(&self, p: Slot, a: Known, b: Known) -> Known {
        match self.predicate(p) {
            Known::Differs => Known::Differs,
            _ => a.or(b),
        }
    }

    fn compared(&self, compare: &Comparison, combine: Option<Combine>) -> Known {
        let bank = compare.kind.bank();
        let found = self.read(bank, compare.a).and(self.read(bank, compare.b));
        combine.map_or(found, |combine| found.and(self.predicate(combine.slot)))
    }

    /// All lanes load the same bytes at once; those that parted may load at different times.
    fn loaded(&self, plan: &AccessPlan) -> Option<Known> {
        let is_constant = matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const);
        let is_of_all = matches!(plan.space, StateSpace::Global | StateSpace::Shared);
        if !is_constant && (!is_of_all || self.is_strict) {
            return None;
        }
        let bank = Bank::of_width(plan.wide);
        Some(self.read(bank, plan.base).and(ONE))
    }
}

/// A stride in a register of this bank.
fn wrapped(bank: Bank, stride: Stride) -> Stride {
    match bank {
        Bank::B32 => stride & 0xffff_ffff,
        Bank::Predicate => 0,
        Bank::B64 | Bank::B128 => stride,
    }
}

/// A row times a number.
fn times(row: Row, number: u64) -> Row {
    Row {
        stride: row.stride.wrapping_mul(number),
        zeros: row
            .zeros
            .saturating_add(number.trailing_zeros())
            .min(MOST_ZEROS),
    }
}

/// A row with more bits, with or without the sign: lanes that differ in more than low bits may wrap.
fn extended(row: Row) -> Option<Row> {
    row.low_bits().map(|_| row)
}
