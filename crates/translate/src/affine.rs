//! Affine address analysis: finds memory accesses whose addresses are linear combinations of the thread and block
//! coordinates. The module takes decoded code with its launch, and returns the accesses with which each thread of the
//! grid accesses bytes that no other thread accesses. The translated code does not record these accesses in shadow
//! memory.

use crate::control_flow_graph::ControlFlowGraph;
use crate::inlined_code::{InlinedCode, InlinedInstruction};
use crate::primitive::{Destination, results};
use crate::registers::{DefSites, RegisterKey};
use crate::value::{Binary, Graph, Node, NodeId, Unary};
use std::collections::{BTreeMap, BTreeSet};
use warpgrid_emulator::translation_view::{
    AccessPlan, DecodedInstruction, DecodedOp, MemoryKind, OperandLocation, OperandSlot, PlanId,
    RegisterBank, TranslationView,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Number of coordinates: three for the thread in its block, and three for the block in the grid.
const N_COORDINATES: usize = 6;

/// Affine expression: a constant, and a coefficient for each thread or block coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct AffineForm {
    constant: i64,
    factors: [i64; N_COORDINATES],
}

impl AffineForm {
    fn number(constant: i64) -> AffineForm {
        AffineForm {
            constant,
            factors: [0; N_COORDINATES],
        }
    }

    fn axis(axis: usize) -> AffineForm {
        let mut form = AffineForm::number(0);
        form.factors[axis] = 1;
        form
    }

    fn add(self, other: AffineForm) -> Option<AffineForm> {
        let mut sum = AffineForm::number(self.constant.checked_add(other.constant)?);
        for axis in 0..N_COORDINATES {
            sum.factors[axis] = self.factors[axis].checked_add(other.factors[axis])?;
        }
        Some(sum)
    }

    fn times(self, factor: i64) -> Option<AffineForm> {
        let mut product = AffineForm::number(self.constant.checked_mul(factor)?);
        for axis in 0..N_COORDINATES {
            product.factors[axis] = self.factors[axis].checked_mul(factor)?;
        }
        Some(product)
    }

    /// Returns the product of two affine expressions, or `None` if neither expression is a constant.
    fn multiply(self, other: AffineForm) -> Option<AffineForm> {
        if other.factors == [0; N_COORDINATES] {
            self.times(other.constant)
        } else if self.factors == [0; N_COORDINATES] {
            other.times(self.constant)
        } else {
            None
        }
    }

    /// Returns the minimum and the maximum of the expression over all coordinates within the extents of the grid and
    /// the block.
    fn bounds(self, extents: &[u32; N_COORDINATES]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.constant, self.constant);
        for (factor, extent) in self.factors.iter().zip(extents) {
            let far = factor.checked_mul(i64::from(*extent) - 1)?;
            low = low.checked_add(far.min(0))?;
            high = high.checked_add(far.max(0))?;
        }
        Some((low, high))
    }
}

/// State of the affine analysis of a kernel.
pub(crate) struct AffineAnalysis<'p> {
    plain: TranslationView<'p>,
    code: &'p InlinedCode<'p>,
    extents: [u32; N_COORDINATES],
    /// Affine values of registers with a single defining instruction, and the basic block of this instruction.
    known: BTreeMap<RegisterKey, (AffineForm, usize)>,
    dominators: &'p [BTreeSet<usize>],
    /// Basic block that contains the instruction under analysis.
    block: usize,
    /// Frame of the called function that contains the instruction under analysis.
    frame: usize,
    accesses: Vec<AffineAccess>,
}

/// Memory access with an affine address.
struct AffineAccess {
    at: u32,
    form: AffineForm,
    width: i64,
    range: usize,
}

impl<'p> AffineAnalysis<'p> {
    pub(crate) fn new(
        plain: TranslationView<'p>,
        code: &'p InlinedCode<'p>,
        flow: &ControlFlowGraph,
        dominators: &'p [BTreeSet<usize>],
        definitions: &DefSites,
    ) -> AffineAnalysis<'p> {
        let (block, grid) = plain.extents();
        let [x, y, z] = block;
        let [u, v, w] = grid;
        let mut forms = AffineAnalysis {
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
                let Some(InlinedInstruction { instr, frame, .. }) = code.get(at) else {
                    continue;
                };
                forms.frame = *frame;
                if let DecodedOp::Load(plan) | DecodedOp::Store(plan) = instr.op {
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

    /// Returns the accesses that are partitioned among threads, by position in the code. The result maps the position
    /// of each access to the number of its memory range plus one. If two accesses have the same number, each thread
    /// accesses the same bytes with both accesses.
    pub(crate) fn thread_private_accesses(&self) -> BTreeMap<u32, u32> {
        let mut found = BTreeMap::new();
        for range in 0..self.plain.ranges().count() {
            let known = self.accesses.iter().filter(|known| known.range == range);
            let group: Vec<&AffineAccess> = known.collect();
            if self.are_disjoint(&group) {
                found.extend(group.iter().map(|known| (known.at, range as u32 + 1)));
            }
        }
        found
    }

    /// Returns the coefficient of the thread's x coordinate for each register with an affine value. The coefficient is
    /// the difference between the register's values in neighboring threads.
    pub(crate) fn x_strides(&self) -> BTreeMap<RegisterKey, i64> {
        let known = self.known.iter();
        known
            .map(|(register, (form, _))| (*register, form.factors[0]))
            .collect()
    }

    fn register(&self, bank: RegisterBank, slot: OperandSlot) -> Option<RegisterKey> {
        match slot.place() {
            OperandLocation::Register(index) => Some(self.code.register(self.frame, (bank, index))),
            OperandLocation::Constant(_) | OperandLocation::Special(_) | OperandLocation::None => {
                None
            }
        }
    }

    /// Returns the affine value of a register if the definition of the register dominates the current block.
    fn known(&self, register: RegisterKey) -> Option<AffineForm> {
        let (form, block) = self.known.get(&register)?;
        let dominators = self.dominators.get(self.block)?;
        dominators.contains(block).then_some(*form)
    }

    fn read(&self, bank: RegisterBank, slot: OperandSlot) -> Option<AffineForm> {
        match (slot.place(), bank) {
            (OperandLocation::Register(_), _) => self.known(self.register(bank, slot)?),
            (OperandLocation::Constant(index), RegisterBank::B64) => {
                Some(AffineForm::number(self.plain.constant64(index) as i64))
            }
            (OperandLocation::Constant(index), _) => Some(AffineForm::number(i64::from(
                self.plain.constant32(index) as i32,
            ))),
            (OperandLocation::Special(index), RegisterBank::B32) => self.special(index),
            (OperandLocation::Special(_), _) => None,
            (OperandLocation::None, _) => Some(AffineForm::number(0)),
        }
    }

    fn special(&self, index: u32) -> Option<AffineForm> {
        let special = self.plain.special32(index)?;
        let number = |axis: usize| {
            let extent = self.extents.get(axis)?;
            Some(AffineForm::number(i64::from(*extent)))
        };
        match special {
            SpecialRegister::Tid(axis) if axis < 3 => Some(AffineForm::axis(axis.into())),
            SpecialRegister::Ctaid(axis) if axis < 3 => {
                Some(AffineForm::axis(3 + usize::from(axis)))
            }
            SpecialRegister::Ntid(axis) if axis < 3 => number(axis.into()),
            SpecialRegister::Nctaid(axis) if axis < 3 => number(3 + usize::from(axis)),
            _ => None,
        }
    }

    /// Returns the affine expression if its value fits into 32 bits in all threads, otherwise `None`.
    fn narrow(&self, form: AffineForm) -> Option<AffineForm> {
        let (low, high) = form.bounds(&self.extents)?;
        (low >= i64::from(i32::MIN) && high <= i64::from(i32::MAX)).then_some(form)
    }

    /// Zero-extends an affine expression to 64 bits. Returns `None` if the value of the expression may be negative.
    fn zero_extended(&self, form: AffineForm) -> Option<AffineForm> {
        let (low, _) = form.bounds(&self.extents)?;
        (low >= 0).then_some(form)
    }

    /// Returns the register that an instruction writes, and the affine value of this register. Returns `None` if the
    /// value is not affine.
    fn result(&self, instr: &DecodedInstruction) -> Option<(RegisterKey, AffineForm)> {
        if instr.guard.place() != OperandLocation::None {
            return None;
        }
        if let DecodedOp::Load(plan) = instr.op {
            return self.parameter(self.plain.access(plan)?);
        }
        let graph = Graph::default();
        let results = results(&self.plain, &graph, &instr.op)?;
        let [(Destination::Register(bank, slot), id)] = results.as_slice() else {
            return None;
        };
        let mut forms: Vec<Option<AffineForm>> = Vec::new();
        for (node, bits) in graph.nodes() {
            let form = self.form(&graph, &forms, node, bits);
            forms.push(match bits {
                32 => form.and_then(|form| self.narrow(form)),
                _ => form,
            });
        }
        Some((self.register(*bank, *slot)?, forms[id.index()]?))
    }

    /// Returns the affine value of a node of the value graph, given the affine values of its operands.
    fn form(
        &self,
        graph: &Graph,
        forms: &[Option<AffineForm>],
        node: Node,
        bits: u32,
    ) -> Option<AffineForm> {
        let of = |id: NodeId| forms[id.index()];
        match node {
            Node::Source(bank, slot) => self.read(bank, slot),
            Node::Constant(number) if bits == 32 => {
                Some(AffineForm::number(i64::from(number as i32)))
            }
            Node::Constant(number) => Some(AffineForm::number(number as i64)),
            Node::Unary(Unary::ToNarrow, a) => of(a),
            // No explicit sign extension is needed, because the affine value of a 32-bit number is within the range of
            // `i32`.
            Node::Unary(Unary::ToWideSigned, a) => of(a),
            Node::Unary(Unary::ToWideUnsigned, a) => self.zero_extended(of(a)?),
            Node::Binary(Binary::Add, [a, b]) => of(a)?.add(of(b)?),
            Node::Binary(Binary::Sub, [a, b]) => of(a)?.add(of(b)?.times(-1)?),
            Node::Binary(Binary::Mul, [a, b]) => of(a)?.multiply(of(b)?),
            Node::Binary(Binary::ShiftLeft, [a, b]) => match graph.constant_of(b)? {
                amount @ 0..31 => of(a)?.times(1 << amount),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the destination register of a parameter load, and the value of the parameter, which is constant during
    /// the launch.
    fn parameter(&self, plan: &AccessPlan) -> Option<(RegisterKey, AffineForm)> {
        let [element] = plan.elements.as_slice() else {
            return None;
        };
        let is_parameter = plan.space == StateSpace::ParamEntry
            && matches!(
                plan.base.place(),
                OperandLocation::Constant(_) | OperandLocation::None
            );
        if !is_parameter {
            return None;
        }
        let base = match plan.has_64_bit_base {
            true => self.read(RegisterBank::B64, plan.base)?.constant,
            false => self.read(RegisterBank::B32, plan.base)?.constant & 0xffff_ffff,
        };
        let address = base.wrapping_add(plan.offset) as u64;
        let mut ranges = self.plain.ranges();
        let range = ranges.find(|range| {
            let offset = address.wrapping_sub(range.address);
            let width = u64::from(plan.width_bytes);
            range.kind == MemoryKind::Parameters
                && offset < range.size
                && range.size - offset >= width
        })?;
        let start = range.start + (address - range.address) as usize;
        let bytes = self.plain.arena().get(start..)?;
        let value = match (plan.element_bytes, element.bank) {
            (4, RegisterBank::B32) => i64::from(i32::from_le_bytes(*bytes.first_chunk()?)),
            (8, RegisterBank::B64) => i64::from_le_bytes(*bytes.first_chunk()?),
            _ => return None,
        };
        Some((
            self.register(element.bank, element.slot)?,
            AffineForm::number(value),
        ))
    }

    /// Returns the affine address of an access to global memory.
    fn access(&self, at: u32, id: PlanId<AccessPlan>) -> Option<AffineAccess> {
        let plan = self.plain.access(id)?;
        if !plan.has_64_bit_base || !matches!(plan.space, StateSpace::Global | StateSpace::Generic)
        {
            return None;
        }
        let form = self
            .read(RegisterBank::B64, plan.base)?
            .add(AffineForm::number(plan.offset))?;
        let (low, _) = form.bounds(&self.extents)?;
        let mut ranges = self.plain.ranges().enumerate();
        let (range, _) = ranges.find(|(_, range)| {
            range.kind == MemoryKind::Global
                && (low as u64).wrapping_sub(range.address) < range.size
        })?;
        Some(AffineAccess {
            at,
            form,
            width: plan.width_bytes.into(),
            range,
        })
    }

    /// Checks whether the bytes that a thread accesses with the accesses of a group are disjoint from the bytes of all
    /// other threads.
    fn are_disjoint(&self, group: &[&AffineAccess]) -> bool {
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
        // Sort the strides of the coordinates in ascending order. The bytes of the threads are disjoint if each stride
        // is at least the total extent of all smaller strides.
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
