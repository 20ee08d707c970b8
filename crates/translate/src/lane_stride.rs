//! Lane-stride analysis. The module takes decoded code with its launch, and returns the registers whose values differ
//! between neighboring lanes by a constant, which is zero for uniform registers. The generated code need not compare
//! the addresses of the lanes if the address register differs between neighboring lanes by a constant.

use crate::affine::AffineAnalysis;
use crate::control_flow_graph::{ControlFlowGraph, SuspendKind};
use crate::inlined_code::TranslationInput;
use crate::inlined_code::{InlinedCode, InlinedInstruction};
use crate::layout::SUBWARP_LANES;
use crate::primitive::{Destination, OperationResults, results};
use crate::registers::{DefSites, RegisterKey};
use crate::value::{Binary, Graph, Node, NodeId, Unary};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use warpgrid_emulator::translation_view::{
    AccessPlan, DecodedInstruction, DecodedOp, OperandLocation, OperandSlot, RegisterBank,
    TranslationView,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Difference between the values of neighboring lanes, wrapped to the width of the register. The stride of a uniform
/// predicate is zero.
type LaneStride = u64;

/// Strides of registers. Registers with unknown strides are absent.
pub(crate) type LaneStrides = BTreeMap<RegisterKey, LaneStride>;

/// Abstract value of a register in the lanes of a subwarp: the lane stride, and the number of trailing zeros of the
/// first lane's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LanePattern {
    stride: LaneStride,
    /// Lower bound of the number of trailing zeros of the first lane's value.
    trailing_zeros: u32,
}

/// Maximum number of trailing zeros that the analysis tracks. The maximum bounds the number of fixed-point iterations,
/// because a right shift in a loop can remove one trailing zero per iteration.
const MAX_ZEROS: u32 = 12;

impl LanePattern {
    /// Returns the pattern of a uniform value with at least `zeros` trailing zeros.
    fn one(zeros: u32) -> LanePattern {
        LanePattern {
            stride: 0,
            trailing_zeros: zeros.min(MAX_ZEROS),
        }
    }

    /// Returns the pattern of the values after truncation to `bits` bits.
    fn wrapped(self, bits: u32) -> LanePattern {
        let stride = match bits {
            1 => 0,
            32 => self.stride & 0xffff_ffff,
            _ => self.stride,
        };
        LanePattern { stride, ..self }
    }

    /// Returns the difference of each lane from the first lane if adding the difference to the first lane's value
    /// causes no carry, because all differences fit into the trailing zeros of this value.
    fn low_bits(self) -> Option<[u64; 4]> {
        let last = self.stride.checked_mul(u64::from(SUBWARP_LANES) - 1)?;
        (last >> self.trailing_zeros == 0).then(|| [0, 1, 2, 3].map(|lane| lane * self.stride))
    }

    /// Returns the pattern after an operation that changes the low bits independently of the high bits. `change`
    /// computes the low bits, and `zeros` is the number of trailing zeros of the result in the first lane.
    fn changed(self, zeros: u32, change: impl Fn(u64) -> u64) -> Option<LanePattern> {
        let [first, rest @ ..] = self.low_bits()?.map(change);
        let stride = rest[0].checked_sub(first)?;
        let is_even = (1..)
            .zip(rest)
            .all(|(lane, bits)| bits == first + lane * stride);
        is_even.then_some(LanePattern {
            stride,
            trailing_zeros: zeros.min(MAX_ZEROS),
        })
    }
}

/// Lattice value of a register in the lane-stride analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StrideLattice {
    /// Undefined: the analysis has not visited any definition of the register.
    Undefined,
    Row(LanePattern),
    /// The stride is unknown.
    Unknown,
}

impl StrideLattice {
    /// Returns the join of two lattice values.
    fn join(self, other: StrideLattice) -> StrideLattice {
        match (self, other) {
            (StrideLattice::Undefined, known) | (known, StrideLattice::Undefined) => known,
            (StrideLattice::Row(a), StrideLattice::Row(b)) if a.stride == b.stride => {
                StrideLattice::Row(LanePattern {
                    trailing_zeros: a.trailing_zeros.min(b.trailing_zeros),
                    ..a
                })
            }
            _ => StrideLattice::Unknown,
        }
    }

    /// Returns the lattice value of an operation without a specific transfer function: the result of two uniform
    /// operands is uniform, and all other strides are unknown.
    fn combine(self, other: StrideLattice) -> StrideLattice {
        self.with(other, |a, b| {
            ((a.stride, b.stride) == (0, 0)).then(|| LanePattern::one(0))
        })
    }

    /// Applies a transfer function with one operand.
    fn map(self, change: impl FnOnce(LanePattern) -> Option<LanePattern>) -> StrideLattice {
        match self {
            StrideLattice::Row(row) => {
                change(row).map_or(StrideLattice::Unknown, StrideLattice::Row)
            }
            other => other,
        }
    }

    /// Applies a transfer function with two operands.
    fn with(
        self,
        other: StrideLattice,
        change: impl FnOnce(LanePattern, LanePattern) -> Option<LanePattern>,
    ) -> StrideLattice {
        match (self, other) {
            (StrideLattice::Row(a), StrideLattice::Row(b)) => {
                change(a, b).map_or(StrideLattice::Unknown, StrideLattice::Row)
            }
            (StrideLattice::Unknown, _) | (_, StrideLattice::Unknown) => StrideLattice::Unknown,
            _ => StrideLattice::Undefined,
        }
    }

    /// Returns the lattice value of a sum or a difference.
    fn sum(
        self,
        other: StrideLattice,
        change: impl FnOnce(LaneStride, LaneStride) -> LaneStride,
    ) -> StrideLattice {
        self.with(other, |a, b| {
            Some(LanePattern {
                stride: change(a.stride, b.stride),
                trailing_zeros: a.trailing_zeros.min(b.trailing_zeros),
            })
        })
    }

    fn is_one(self) -> bool {
        matches!(
            self,
            StrideLattice::Undefined | StrideLattice::Row(LanePattern { stride: 0, .. })
        )
    }
}

const ONE: StrideLattice = StrideLattice::Row(LanePattern {
    stride: 0,
    trailing_zeros: 0,
});

/// Lattice value of the thread index in the four lanes of a subwarp. The thread index of the first lane is a multiple
/// of four.
const NEIGHBOURS: StrideLattice = StrideLattice::Row(LanePattern {
    stride: 1,
    trailing_zeros: SUBWARP_LANES.trailing_zeros(),
});

/// Maximum number of iterations of the fixed-point iteration. Most kernels require one iteration more than the depth of
/// their nested loops.
const MAX_ITERATIONS: u32 = 48;

struct StrideAnalysis<'a, 'p> {
    plain: TranslationView<'p>,
    code: &'a InlinedCode<'p>,
    /// Block dimensions.
    block: [u32; 3],
    known: BTreeMap<RegisterKey, StrideLattice>,
    /// Registers whose strides the analysis treats as unknown, because an if-converted branch may diverge.
    untracked: BTreeSet<RegisterKey>,
    /// Frame of the called function that contains the instruction under analysis.
    frame: usize,
    /// Whether the analysis is restricted to registers that each thread of the launch writes at most once.
    is_strict: bool,
    /// Symbolic results of each operation, by position of the instruction.
    operations: BTreeMap<u32, Rc<(Graph, OperationResults)>>,
}

/// Returns the strides of registers, and the blocks whose if-converted branches may be divergent. `definitions`
/// contains the definitions of each register, `at_start` contains the registers that are live at the kernel start, and
/// `forms` contains the affine values of registers. `mixed` contains, for each block that ends with an if-converted
/// branch, the registers whose strides are unknown if the branch is divergent.
pub(crate) fn find_strides(
    source: TranslationInput<'_>,
    flow: &ControlFlowGraph,
    definitions: &DefSites,
    at_start: &BTreeSet<RegisterKey>,
    forms: &AffineAnalysis<'_>,
    mixed: &BTreeMap<usize, BTreeSet<RegisterKey>>,
) -> (LaneStrides, BTreeSet<usize>) {
    let mut parting = BTreeSet::new();
    loop {
        let lost = mixed.iter().filter(|(at, _)| parting.contains(*at));
        let lost: BTreeSet<RegisterKey> =
            lost.flat_map(|(_, registers)| registers).copied().collect();
        let mut reader = StrideAnalysis {
            plain: source.plain,
            code: source.code,
            block: source.plain.extents().0,
            known: BTreeMap::new(),
            untracked: lost,
            frame: 0,
            is_strict: false,
            operations: BTreeMap::new(),
        };
        reader.find(flow, definitions, at_start, forms);
        let before = parting.len();
        for block in mixed.keys() {
            if reader.diverges_at(flow, *block) {
                parting.insert(*block);
            }
        }
        if parting.len() == before {
            return (reader.strides(), parting);
        }
    }
}

/// Returns for each basic block whether it executes at most once, because it is outside of all cycles of the
/// control-flow graph.
fn blocks_done_once(flow: &ControlFlowGraph) -> Vec<bool> {
    let comes_back = |start: usize| {
        let mut visited = vec![false; flow.blocks.len()];
        let mut left = vec![start];
        while let Some(block) = left.pop() {
            for next in flow
                .blocks
                .get(block)
                .into_iter()
                .flat_map(|b| &b.successors)
            {
                if *next == start {
                    return true;
                }
                if visited.get(*next) == Some(&false) {
                    visited[*next] = true;
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

impl StrideAnalysis<'_, '_> {
    /// Analyzes all registers. If lanes that executed different numbers of iterations may reconverge, only registers
    /// with a single definition outside of loops are analyzed.
    fn find(
        &mut self,
        flow: &ControlFlowGraph,
        definitions: &DefSites,
        at_start: &BTreeSet<RegisterKey>,
        forms: &AffineAnalysis<'_>,
    ) {
        let factors = match self.has_rows() {
            true => forms.x_strides(),
            false => BTreeMap::new(),
        };
        self.solve(definitions, at_start, &factors);
        if !self.can_reconverge_out_of_step(flow) {
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
        let followed: DefSites = followed.map(|(r, places)| (*r, places.clone())).collect();
        let factors = factors
            .into_iter()
            .filter(|(r, _)| followed.contains_key(r));
        let factors = factors.collect();
        self.known.clear();
        self.solve(&followed, at_start, &factors);
    }

    /// Returns the known strides of all registers.
    fn strides(&self) -> LaneStrides {
        let found = self.known.iter();
        found
            .filter_map(|(register, known)| match known {
                StrideLattice::Row(row) => Some((*register, row.stride)),
                StrideLattice::Undefined | StrideLattice::Unknown => None,
            })
            .collect()
    }

    /// Checks whether the lanes of each subwarp are neighbors in the x dimension of the block.
    fn has_rows(&self) -> bool {
        let [x, y, z] = self.block;
        x.is_multiple_of(SUBWARP_LANES) || (y, z) == (1, 1)
    }

    /// Iterates the transfer functions until a fixed point is reached. If more than [`MAX_ITERATIONS`] iterations are
    /// required, all strides are unknown.
    fn solve(
        &mut self,
        definitions: &DefSites,
        at_start: &BTreeSet<RegisterKey>,
        factors: &BTreeMap<RegisterKey, i64>,
    ) {
        let mut places: Vec<(u32, RegisterKey)> = Vec::new();
        for (register, all) in definitions {
            places.extend(all.iter().map(|at| (*at, *register)));
            let start = match at_start.contains(register) {
                _ if self.untracked.contains(register) => StrideLattice::Unknown,
                // The kernel start initializes registers with zeros.
                true => ONE,
                false => StrideLattice::Undefined,
            };
            self.known.insert(*register, start);
        }
        places.sort_unstable();
        for _ in 0..MAX_ITERATIONS {
            let mut is_changed = false;
            for (at, register) in &places {
                let result = self.result(*at, *register);
                let written = match factors.get(register) {
                    Some(factor) => {
                        let stride = match register.0 {
                            RegisterBank::B64 => *factor as u64,
                            _ => u64::from(*factor as u32),
                        };
                        let zeros = match result {
                            StrideLattice::Row(row) if row.stride == stride => row.trailing_zeros,
                            _ => 0,
                        };
                        StrideLattice::Row(LanePattern {
                            stride,
                            trailing_zeros: zeros,
                        })
                    }
                    None => result,
                };
                let before = self.known.get(register).copied();
                let found = before.map_or(written, |before| before.join(written));
                is_changed |= before != Some(found);
                self.known.insert(*register, found);
            }
            if !is_changed {
                return;
            }
        }
        for known in self.known.values_mut() {
            *known = StrideLattice::Unknown;
        }
    }

    /// Checks whether diverged lanes may reconverge after they have taken different paths or executed different numbers
    /// of loop iterations.
    fn can_reconverge_out_of_step(&mut self, flow: &ControlFlowGraph) -> bool {
        let n = flow.blocks.len();
        let mut meets: Vec<bool> = flow
            .blocks
            .iter()
            .map(|b| b.suspends_for != SuspendKind::None)
            .collect();
        loop {
            let mut is_changed = false;
            for (index, block) in flow.blocks.iter().enumerate().rev() {
                let will = block
                    .successors
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
            let mut next = flow.blocks[index].successors.iter();
            self.diverges_at(flow, index) && next.all(|next| meets.get(*next) == Some(&true))
        })
    }

    /// Checks whether lanes may diverge at the end of a block.
    fn diverges_at(&mut self, flow: &ControlFlowGraph, index: usize) -> bool {
        let last = flow.blocks.get(index).map_or(0, |block| block.end - 1);
        let Some(InlinedInstruction { instr, frame, .. }) = self.code.get(last) else {
            return false;
        };
        self.frame = *frame;
        matches!(instr.op, DecodedOp::Branch { .. })
            && instr.guard.place() != OperandLocation::None
            && !self.predicate(instr.guard).is_one()
    }

    fn register(&self, bank: RegisterBank, slot: OperandSlot) -> Option<RegisterKey> {
        match slot.place() {
            OperandLocation::Register(index) => Some(self.code.register(self.frame, (bank, index))),
            OperandLocation::Constant(_) | OperandLocation::Special(_) | OperandLocation::None => {
                None
            }
        }
    }

    fn read(&self, bank: RegisterBank, slot: OperandSlot) -> StrideLattice {
        if let Some(register) = self.register(bank, slot) {
            return match self.known.get(&register) {
                Some(known) => *known,
                None if self.is_strict => StrideLattice::Unknown,
                // A register without a definition is zero in all lanes.
                None => ONE,
            };
        }
        match slot.place() {
            OperandLocation::Constant(_) | OperandLocation::None => ONE,
            OperandLocation::Special(index) if bank == RegisterBank::B32 => self.special(index),
            OperandLocation::Special(_) | OperandLocation::Register(_) => StrideLattice::Unknown,
        }
    }

    fn predicate(&self, slot: OperandSlot) -> StrideLattice {
        self.read(RegisterBank::Predicate, slot)
    }

    fn special(&self, index: u32) -> StrideLattice {
        match self.plain.special32(index) {
            // The lanes of a subwarp are neighbors in the x dimension, because the block size in this dimension is a
            // multiple of the subwarp size.
            Some(SpecialRegister::Tid(0)) if self.has_rows() => NEIGHBOURS,
            Some(SpecialRegister::Tid(_)) if self.has_rows() => ONE,
            Some(SpecialRegister::Laneid) => NEIGHBOURS,
            Some(
                SpecialRegister::Ctaid(_) | SpecialRegister::Ntid(_) | SpecialRegister::Nctaid(_),
            ) => ONE,
            _ => StrideLattice::Unknown,
        }
    }

    /// Returns the lattice value of the result that an instruction writes to a register.
    fn result(&mut self, at: u32, register: RegisterKey) -> StrideLattice {
        let Some(InlinedInstruction {
            instr,
            frame,
            moves,
            ..
        }) = self.code.get(at as usize)
        else {
            return StrideLattice::Unknown;
        };
        self.frame = *frame;
        let is_moved = !moves.values.is_empty();
        let is_one_way =
            instr.guard.place() == OperandLocation::None || self.predicate(instr.guard).is_one();
        if is_moved || !is_one_way {
            return StrideLattice::Unknown;
        }
        self.written(at, instr, register)
            .unwrap_or(StrideLattice::Unknown)
    }

    /// Returns the lattice value of the result that an instruction writes to a register, assuming that all lanes
    /// execute the instruction.
    fn written(
        &mut self,
        at: u32,
        instr: &DecodedInstruction,
        register: RegisterKey,
    ) -> Option<StrideLattice> {
        if let DecodedOp::Load(plan) = instr.op {
            return self.loaded(self.plain.access(plan)?);
        }
        let plain = self.plain;
        let operation = self.operations.entry(at).or_insert_with(|| {
            let graph = Graph::default();
            let results = results(&plain, &graph, &instr.op);
            Rc::new((graph, results.unwrap_or_default()))
        });
        let (graph, results) = &*operation.clone();
        let (_, id) = results
            .iter()
            .rfind(|(destination, _)| match *destination {
                Destination::Register(bank, slot) => self.register(bank, slot) == Some(register),
                Destination::CarryFlag => false,
            })?;
        let mut known: Vec<StrideLattice> = Vec::new();
        for (node, bits) in graph.nodes() {
            let value = self.value(graph, &known, node);
            known.push(value.map(|row| Some(row.wrapped(bits))));
        }
        Some(known[id.index()])
    }

    /// Returns the lattice value of a graph node, given the lattice values of its operands.
    fn value(&self, graph: &Graph, known: &[StrideLattice], node: Node) -> StrideLattice {
        let of = |id: NodeId| known[id.index()];
        match node {
            Node::Source(bank, slot) => self.read(bank, slot),
            Node::CarryFlag => StrideLattice::Unknown,
            Node::Constant(number) => StrideLattice::Row(LanePattern::one(number.trailing_zeros())),
            Node::Unary(Unary::ToNarrow, a) => of(a),
            Node::Unary(Unary::ToWideSigned | Unary::ToWideUnsigned, a) => of(a).map(extended),
            Node::Unary(_, a) => of(a).combine(ONE),
            Node::Binary(op, [a, b]) => {
                let (row, other) = (of(a), of(b));
                match (op, graph.constant_of(b)) {
                    (Binary::Add, _) => row.sum(other, u64::wrapping_add),
                    (Binary::Sub, _) => row.sum(other, u64::wrapping_sub),
                    (Binary::Mul, Some(number)) => row.map(|row| Some(times(row, number))),
                    (Binary::ShiftLeft, Some(amount @ 0..32)) => {
                        row.map(|row| Some(times(row, 1 << amount)))
                    }
                    // Signed and unsigned shifts have the same effect on the low bits in which the lanes differ,
                    // because these bits exclude the sign bit.
                    (
                        Binary::ShiftRightSigned | Binary::ShiftRightUnsigned,
                        Some(amount @ 0..32),
                    ) => row.map(|row| {
                        let zeros = row.trailing_zeros.saturating_sub(amount as u32);
                        row.changed(zeros, |bits| bits >> amount)
                    }),
                    (Binary::And | Binary::Or | Binary::Xor, number) => match row.is_one() {
                        true => logic(op, other, row, graph.constant_of(a)),
                        false => logic(op, row, other, number),
                    },
                    _ => row.combine(other),
                }
            }
            Node::FloatComparison([a, b]) => of(a).combine(of(b)),
            Node::Select { condition, yes, no } => match of(condition) {
                StrideLattice::Unknown => StrideLattice::Unknown,
                _ => of(yes).join(of(no)),
            },
            Node::Blend { ones, zeros, mask } => of(ones).combine(of(zeros)).combine(of(mask)),
            Node::PermuteBytes { bytes, selector } => {
                of(bytes[0]).combine(of(bytes[1])).combine(of(selector))
            }
            Node::DotBytes { factors, .. } => of(factors[0]).combine(of(factors[1])),
        }
    }

    /// Returns the lattice value of a loaded value. A load from a uniform address is uniform, unless diverged lanes may
    /// execute the load at different times.
    fn loaded(&self, plan: &AccessPlan) -> Option<StrideLattice> {
        let is_constant = matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const);
        let is_of_all = matches!(plan.space, StateSpace::Global | StateSpace::Shared);
        if !is_constant && (!is_of_all || self.is_strict) {
            return None;
        }
        let bank = plan.base_bank();
        Some(self.read(bank, plan.base).combine(ONE))
    }
}

/// Returns the lattice value of a logic operation whose second operand is uniform: a constant, or a value that is zero
/// in the low bits in which the lanes differ.
fn logic(
    op: Binary,
    row: StrideLattice,
    other: StrideLattice,
    number: Option<u64>,
) -> StrideLattice {
    row.with(other, |row, one| {
        if one.stride != 0 {
            return None;
        }
        let low = match number {
            Some(number) => number & ((1 << row.trailing_zeros) - 1),
            None if one.trailing_zeros >= row.trailing_zeros || row.stride == 0 => 0,
            None => return None,
        };
        let ones = number.map_or(one.trailing_zeros, u64::trailing_zeros);
        match op {
            Binary::And => row.changed(row.trailing_zeros.max(ones), |bits| bits & low),
            Binary::Or => row.changed(row.trailing_zeros.min(ones), |bits| bits | low),
            _ => row.changed(row.trailing_zeros.min(ones), |bits| bits ^ low),
        }
    })
}

/// Returns the pattern of the values multiplied by a constant.
fn times(row: LanePattern, number: u64) -> LanePattern {
    LanePattern {
        stride: row.stride.wrapping_mul(number),
        trailing_zeros: row
            .trailing_zeros
            .saturating_add(number.trailing_zeros())
            .min(MAX_ZEROS),
    }
}

/// Returns the pattern of the values extended to 64 bits. Returns `None` if the values may wrap around between lanes,
/// because the lanes differ in more than the low bits.
fn extended(row: LanePattern) -> Option<LanePattern> {
    row.low_bits().map(|_| row)
}
