//! Addresses that are sums of multiples of the thread's and the block's coordinates. In: decoded code with its launch; out: which accesses
//! mean, for each thread of the grid, bytes that no other thread means: notes of who reads and writes there are not needed.

use crate::code::{Code, Placed};
use crate::flow::Flow;
use crate::registers::{Definitions, Register};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{
    AccessPlan, Bank, Instr, Int32Op, Int64Op, IntOp, Op, Plain, PlanId, RangeKind, ShiftOp, Slot,
    SlotPlace,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Coordinates: of the thread in its block, and of the block.
const AXES: usize = 6;

/// A constant and a factor for each coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    constant: i64,
    factors: [i64; AXES],
}

impl Form {
    fn number(constant: i64) -> Form {
        Form {
            constant,
            factors: [0; AXES],
        }
    }

    fn axis(axis: usize) -> Form {
        let mut form = Form::number(0);
        form.factors[axis] = 1;
        form
    }

    fn plus(self, other: Form) -> Option<Form> {
        let mut sum = Form::number(self.constant.checked_add(other.constant)?);
        for axis in 0..AXES {
            sum.factors[axis] = self.factors[axis].checked_add(other.factors[axis])?;
        }
        Some(sum)
    }

    fn times(self, factor: i64) -> Option<Form> {
        let mut product = Form::number(self.constant.checked_mul(factor)?);
        for axis in 0..AXES {
            product.factors[axis] = self.factors[axis].checked_mul(factor)?;
        }
        Some(product)
    }

    /// The product, if one of the two is a number.
    fn by(self, other: Form) -> Option<Form> {
        if other.factors == [0; AXES] {
            self.times(other.constant)
        } else if self.factors == [0; AXES] {
            other.times(self.constant)
        } else {
            None
        }
    }

    /// The least and the largest value, where each coordinate is below its extent.
    fn bounds(self, extents: &[u32; AXES]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.constant, self.constant);
        for (factor, extent) in self.factors.iter().zip(extents) {
            let far = factor.checked_mul(i64::from(*extent) - 1)?;
            low = low.checked_add(far.min(0))?;
            high = high.checked_add(far.max(0))?;
        }
        Some((low, high))
    }
}

/// What is known of the registers of a kernel.
pub(crate) struct Forms<'p> {
    plain: Plain<'p>,
    code: &'p Code<'p>,
    extents: [u32; AXES],
    /// Of registers that one instruction writes, and in which block that is.
    known: BTreeMap<Register, (Form, usize)>,
    dominators: &'p [BTreeSet<usize>],
    /// The block at hand.
    block: usize,
    /// The frame at hand.
    frame: usize,
    accesses: Vec<Known>,
}

/// An access whose addresses are known.
struct Known {
    at: u32,
    form: Form,
    width: i64,
    range: usize,
}

impl<'p> Forms<'p> {
    pub(crate) fn new(
        plain: Plain<'p>,
        code: &'p Code<'p>,
        flow: &Flow,
        dominators: &'p [BTreeSet<usize>],
        definitions: &Definitions,
    ) -> Forms<'p> {
        let (block, grid) = plain.extents();
        let [x, y, z] = block;
        let [u, v, w] = grid;
        let mut forms = Forms {
            plain,
            code,
            extents: [x, y, z, u, v, w],
            known: BTreeMap::new(),
            dominators,
            block: 0,
            frame: 0,
            accesses: Vec::new(),
        };
        for (index, block) in flow.blocks.iter().enumerate() {
            forms.block = index;
            for at in block.start..block.end {
                let Some(Placed { instr, frame, .. }) = code.get(at) else {
                    continue;
                };
                forms.frame = *frame;
                if let Op::Load(plan) | Op::Store(plan) = instr.op {
                    let known = forms.access(at as u32, plan);
                    forms.accesses.extend(known);
                }
                let Some((register, form)) = forms.result(instr) else {
                    continue;
                };
                let only = BTreeSet::from([at as u32]);
                if definitions.get(&register) == Some(&only) {
                    forms.known.insert(register, (form, index));
                }
            }
        }
        forms
    }

    /// By place in the code: the number, from 1, of the range whose bytes it shares out among threads; accesses with the same number mean the same bytes for
    /// each thread. Those of other accesses are not there.
    pub(crate) fn private_accesses(&self) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        for range in 0..self.plain.ranges().count() {
            let known = self.accesses.iter().filter(|known| known.range == range);
            let group: Vec<&Known> = known.collect();
            if self.are_private(&group) {
                found.extend(group.iter().map(|known| (known.at, range as u32 + 1)));
            }
        }
        found
    }

    /// By register: what its value is beyond that of the thread before in the row.
    pub(crate) fn factors_of_x(&self) -> BTreeMap<Register, i64> {
        let known = self.known.iter();
        known
            .map(|(register, (form, _))| (*register, form.factors[0]))
            .collect()
    }

    fn register(&self, bank: Bank, slot: Slot) -> Option<Register> {
        match slot.place() {
            SlotPlace::Register(index) => Some(self.code.register(self.frame, (bank, index))),
            SlotPlace::Constant(_) | SlotPlace::Special(_) | SlotPlace::None => None,
        }
    }

    /// What is known of a register in the block at hand: what is written in a block that every way here leads through.
    fn known(&self, register: Register) -> Option<Form> {
        let (form, block) = self.known.get(&register)?;
        let dominators = self.dominators.get(self.block)?;
        dominators.contains(block).then_some(*form)
    }

    fn read32(&self, slot: Slot) -> Option<Form> {
        match slot.place() {
            SlotPlace::Register(_) => self.known(self.register(Bank::B32, slot)?),
            SlotPlace::Constant(index) => {
                Some(Form::number(i64::from(self.plain.constant32(index) as i32)))
            }
            SlotPlace::Special(index) => self.special(index),
            SlotPlace::None => Some(Form::number(0)),
        }
    }

    fn special(&self, index: u32) -> Option<Form> {
        let special = self.plain.special32(index)?;
        let number = |axis: usize| {
            let extent = self.extents.get(axis)?;
            Some(Form::number(i64::from(*extent)))
        };
        match special {
            SpecialRegister::Tid(axis) if axis < 3 => Some(Form::axis(axis.into())),
            SpecialRegister::Ctaid(axis) if axis < 3 => Some(Form::axis(3 + usize::from(axis))),
            SpecialRegister::Ntid(axis) if axis < 3 => number(axis.into()),
            SpecialRegister::Nctaid(axis) if axis < 3 => number(3 + usize::from(axis)),
            _ => None,
        }
    }

    fn read64(&self, slot: Slot) -> Option<Form> {
        match slot.place() {
            SlotPlace::Register(_) => self.known(self.register(Bank::B64, slot)?),
            SlotPlace::Constant(index) => Some(Form::number(self.plain.constant64(index) as i64)),
            SlotPlace::Special(_) => None,
            SlotPlace::None => Some(Form::number(0)),
        }
    }

    /// A form that no thread's arithmetic wraps.
    fn narrow(&self, form: Form) -> Option<Form> {
        let (low, high) = form.bounds(&self.extents)?;
        (low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX)).then_some(form)
    }

    /// Extended to 64 bits.
    fn extended(&self, signed: bool, form: Form) -> Option<Form> {
        let (low, _) = form.bounds(&self.extents)?;
        (signed || low >= 0).then_some(form)
    }

    /// What an instruction writes, if that is known.
    fn result(&self, instr: &Instr) -> Option<(Register, Form)> {
        if instr.guard.place() != SlotPlace::None {
            return None;
        }
        let narrow =
            |d: Slot, form: Option<Form>| Some((self.register(Bank::B32, d)?, self.narrow(form?)?));
        let wide = |d: Slot, form: Option<Form>| Some((self.register(Bank::B64, d)?, form?));
        match instr.op {
            Op::Mov32 { d, a } => narrow(d, self.read32(a)),
            Op::Mov64 { d, a } => wide(d, self.read64(a)),
            Op::Int32 {
                f: Int32Op::Plain(f),
                slots: [d, a, b, c],
                ..
            } => {
                let [a, b, c] = [a, b, c].map(|slot| self.read32(slot));
                narrow(d, combined(f, a, b, c))
            }
            Op::Int32 {
                f: Int32Op::Shl,
                slots: [d, a, b, _],
                ..
            } => narrow(d, self.read32(a)?.times(self.power(b)?)),
            Op::Int64 {
                f: Int64Op::Plain(f),
                slots: [d, a, b, c],
                ..
            } => {
                let [a, b, c] = [a, b, c].map(|slot| self.read64(slot));
                wide(d, combined(f, a, b, c))
            }
            Op::Shift64 {
                f: ShiftOp::Left,
                slots: [d, a, b],
                ..
            } => wide(d, self.read64(a)?.times(self.power(b)?)),
            Op::Wide32 {
                signed,
                slots: [d, a, b, c],
            } => {
                let a = self.extended(signed, self.read32(a)?)?;
                let b = self.extended(signed, self.read32(b)?)?;
                wide(d, a.by(b)?.plus(self.read64(c)?))
            }
            Op::Extend32 { signed, d, a } => wide(d, self.extended(signed, self.read32(a)?)),
            Op::Offset { d, a, addend } if d.bank == Bank::B64 && a.bank == Bank::B64 => wide(
                d.slot,
                self.read64(a.slot)?.plus(Form::number(addend as i64)),
            ),
            Op::Load(plan) => self.parameter(self.plain.access(plan)?),
            _ => None,
        }
    }

    /// Two to a power that the code names.
    fn power(&self, slot: Slot) -> Option<i64> {
        let amount = self.read32(slot)?;
        let is_number = amount.factors == [0; AXES] && (0..31).contains(&amount.constant);
        is_number.then(|| 1 << amount.constant)
    }

    /// The value of a parameter, which no thread changes.
    fn parameter(&self, plan: &AccessPlan) -> Option<(Register, Form)> {
        let [element] = plan.elements.as_slice() else {
            return None;
        };
        let is_parameter = plan.space == StateSpace::ParamEntry
            && matches!(plan.base.place(), SlotPlace::Constant(_) | SlotPlace::None);
        if !is_parameter {
            return None;
        }
        let base = match plan.wide {
            true => self.read64(plan.base)?.constant,
            false => self.read32(plan.base)?.constant & 0xffff_ffff,
        };
        let address = base.wrapping_add(plan.offset) as u64;
        let mut ranges = self.plain.ranges();
        let range = ranges.find(|range| {
            let offset = address.wrapping_sub(range.address);
            let width = u64::from(plan.width_bytes);
            range.kind == RangeKind::Parameters
                && offset < range.size
                && range.size - offset >= width
        })?;
        let start = range.start + (address - range.address) as usize;
        let bytes = self.plain.arena().get(start..)?;
        let value = match (plan.element_bytes, element.bank) {
            (4, Bank::B32) => i64::from(i32::from_le_bytes(*bytes.first_chunk()?)),
            (8, Bank::B64) => i64::from_le_bytes(*bytes.first_chunk()?),
            _ => return None,
        };
        Some((
            self.register(element.bank, element.slot)?,
            Form::number(value),
        ))
    }

    /// The addresses of an access to global memory.
    fn access(&self, at: u32, id: PlanId<AccessPlan>) -> Option<Known> {
        let plan = self.plain.access(id)?;
        if !plan.wide || !matches!(plan.space, StateSpace::Global | StateSpace::Generic) {
            return None;
        }
        let form = self.read64(plan.base)?.plus(Form::number(plan.offset))?;
        let (low, _) = form.bounds(&self.extents)?;
        let mut ranges = self.plain.ranges().enumerate();
        let (range, _) = ranges.find(|(_, range)| {
            range.kind == RangeKind::Global && (low as u64).wrapping_sub(range.address) < range.size
        })?;
        Some(Known {
            at,
            form,
            width: plan.width_bytes.into(),
            range,
        })
    }

    /// Whether all accesses of a group mean bytes of a cell that each thread has to itself.
    fn are_private(&self, group: &[&Known]) -> bool {
        let Some(first) = group.first() else {
            return false;
        };
        if group
            .iter()
            .any(|known| known.form.factors != first.form.factors)
        {
            return false;
        }
        let low = group.iter().map(|known| known.form.constant).min();
        let high = group
            .iter()
            .map(|known| known.form.constant + known.width)
            .max();
        let cell = match (low, high) {
            (Some(low), Some(high)) => high - low,
            _ => return false,
        };
        // Strides from the least on: each beyond all that lies within those before it.
        let factors = first.form.factors.iter().zip(&self.extents);
        let mut strides: Vec<(i64, i64)> = factors
            .filter(|(_, extent)| **extent > 1)
            .map(|(factor, extent)| (factor.saturating_abs(), i64::from(*extent)))
            .collect();
        strides.sort_unstable();
        let mut reach = cell;
        for (stride, extent) in strides {
            if stride < reach {
                return false;
            }
            reach = reach.saturating_add(stride.saturating_mul(extent - 1));
        }
        true
    }
}

/// Sums, differences and products of what is known.
fn combined(f: IntOp, a: Option<Form>, b: Option<Form>, c: Option<Form>) -> Option<Form> {
    match f {
        IntOp::Add => a?.plus(b?),
        IntOp::Sub => a?.plus(b?.times(-1)?),
        IntOp::MulLo => a?.by(b?),
        IntOp::MadLo => a?.by(b?)?.plus(c?),
        _ => None,
    }
}
