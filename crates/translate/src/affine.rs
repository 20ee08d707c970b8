//! Affine address analysis: addresses that are linear combinations of the thread and block coordinates. Input: decoded
//! code with its launch. Output: the accesses for which each thread of the grid accesses bytes that no other thread
//! accesses, so that shadow memory is not needed.

use crate::code::{Code, Placed};
use crate::flow::Flow;
use crate::primitive::{Destination, results};
use crate::registers::{Definitions, Register};
use crate::value::{Binary, Graph, Node, NodeId, Unary};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::plain::{
    AccessPlan, Bank, Instr, Op, Plain, PlanId, RangeKind, Slot, SlotPlace,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Number of coordinates: of the thread in its block, and of the block.
const AXES: usize = 6;

/// Affine expression: a constant, and a coefficient for each coordinate.
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

    /// Returns the product if one of the two expressions is a constant.
    fn by(self, other: Form) -> Option<Form> {
        if other.factors == [0; AXES] {
            self.times(other.constant)
        } else if self.factors == [0; AXES] {
            other.times(self.constant)
        } else {
            None
        }
    }

    /// Returns the minimum and the maximum for coordinates below their extents.
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

/// Affine analysis of a kernel.
pub(crate) struct Forms<'p> {
    plain: Plain<'p>,
    code: &'p Code<'p>,
    extents: [u32; AXES],
    /// Affine values of registers that a single instruction writes, and the block of this instruction.
    known: BTreeMap<Register, (Form, usize)>,
    dominators: &'p [BTreeSet<usize>],
    /// Current basic block.
    block: usize,
    /// Current frame.
    frame: usize,
    accesses: Vec<Known>,
}

/// Access with an affine address.
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

    /// Returns the accesses that are partitioned among threads, by position in the code. The value is the number of the
    /// memory range plus one; accesses with equal numbers access the same bytes in each thread.
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

    /// Returns the coefficient of the x coordinate of the thread for each register, which is the difference between
    /// neighboring threads.
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

    /// Returns the affine value of a register in the current block if the block of its definition dominates the current
    /// block.
    fn known(&self, register: Register) -> Option<Form> {
        let (form, block) = self.known.get(&register)?;
        let dominators = self.dominators.get(self.block)?;
        dominators.contains(block).then_some(*form)
    }

    fn read(&self, bank: Bank, slot: Slot) -> Option<Form> {
        match (slot.place(), bank) {
            (SlotPlace::Register(_), _) => self.known(self.register(bank, slot)?),
            (SlotPlace::Constant(index), Bank::B64) => {
                Some(Form::number(self.plain.constant64(index) as i64))
            }
            (SlotPlace::Constant(index), _) => {
                Some(Form::number(i64::from(self.plain.constant32(index) as i32)))
            }
            (SlotPlace::Special(index), Bank::B32) => self.special(index),
            (SlotPlace::Special(_), _) => None,
            (SlotPlace::None, _) => Some(Form::number(0)),
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

    /// Returns the expression if it does not overflow 32 bits in any thread.
    fn narrow(&self, form: Form) -> Option<Form> {
        let (low, high) = form.bounds(&self.extents)?;
        (low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX)).then_some(form)
    }

    /// Zero-extends an expression to 64 bits. An expression that may be negative becomes unknown.
    fn zero_extended(&self, form: Form) -> Option<Form> {
        let (low, _) = form.bounds(&self.extents)?;
        (low >= 0).then_some(form)
    }

    /// Returns the affine value that an instruction writes, if it is known.
    fn result(&self, instr: &Instr) -> Option<(Register, Form)> {
        if instr.guard.place() != SlotPlace::None {
            return None;
        }
        if let Op::Load(plan) = instr.op {
            return self.parameter(self.plain.access(plan)?);
        }
        let graph = Graph::default();
        let results = results(&self.plain, &graph, &instr.op)?;
        let [(Destination::Register(bank, slot), id)] = results.as_slice() else {
            return None;
        };
        let mut forms: Vec<Option<Form>> = Vec::new();
        for (node, bits) in graph.nodes() {
            let form = self.form(&graph, &forms, node, bits);
            forms.push(match bits {
                32 => form.and_then(|form| self.narrow(form)),
                _ => form,
            });
        }
        Some((self.register(*bank, *slot)?, forms[id.index()]?))
    }

    /// Returns the affine value of a node whose operands have these values.
    fn form(&self, graph: &Graph, forms: &[Option<Form>], node: Node, bits: u32) -> Option<Form> {
        let of = |id: NodeId| forms[id.index()];
        match node {
            Node::Source(bank, slot) => self.read(bank, slot),
            Node::Constant(number) if bits == 32 => Some(Form::number(i64::from(number as i32))),
            Node::Constant(number) => Some(Form::number(number as i64)),
            Node::Unary(Unary::ToNarrow, a) => of(a),
            // The affine value of a 32-bit number is within the range of `i32`.
            Node::Unary(Unary::ToWideSigned, a) => of(a),
            Node::Unary(Unary::ToWideUnsigned, a) => self.zero_extended(of(a)?),
            Node::Binary(Binary::Add, [a, b]) => of(a)?.plus(of(b)?),
            Node::Binary(Binary::Sub, [a, b]) => of(a)?.plus(of(b)?.times(-1)?),
            Node::Binary(Binary::Mul, [a, b]) => of(a)?.by(of(b)?),
            Node::Binary(Binary::ShiftLeft, [a, b]) => match graph.constant_of(b)? {
                amount @ 0..31 => of(a)?.times(1 << amount),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the value of a kernel parameter, which no thread modifies.
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
            true => self.read(Bank::B64, plan.base)?.constant,
            false => self.read(Bank::B32, plan.base)?.constant & 0xffff_ffff,
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

    /// Returns the affine address of an access to global memory.
    fn access(&self, at: u32, id: PlanId<AccessPlan>) -> Option<Known> {
        let plan = self.plain.access(id)?;
        if !plan.wide || !matches!(plan.space, StateSpace::Global | StateSpace::Generic) {
            return None;
        }
        let form = self
            .read(Bank::B64, plan.base)?
            .plus(Form::number(plan.offset))?;
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

    /// Checks whether all accesses of a group stay within a cell that is private to each thread.
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
        // In ascending order, each stride must exceed the extent of all smaller strides.
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
