//! Symbolic integer values. The module takes the source operands of an operation, and returns a simplified graph of
//! primitive operations without duplicate nodes.
//!
//! [`Value`] is the translator's instantiation of [`Word`]: the functions that define the integer instructions build a
//! graph from values of this type, and [`lower`](crate::emit::lower) generates code from the graph. Simplification
//! removes cases that the constants of an instruction exclude, such as the test of a constant shift amount.

use std::cell::RefCell;
use std::collections::BTreeMap;
use warpgrid_emulator::translation_view::integer::Apply;
use warpgrid_emulator::translation_view::word::{Truth, Word};
use warpgrid_emulator::translation_view::{OperandSlot, RegisterBank};
use warpgrid_isa::Signedness;

/// Index of a node in a [`Graph`], by which other nodes refer to the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// Returns the index of the node in [`Graph::nodes`].
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Primitive operation of a value graph with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unary {
    Not,
    CountOnes,
    LeadingZeros,
    ToNarrow,
    ToWideSigned,
    ToWideUnsigned,
}

/// Primitive operation of a value graph with two operands. Shift amounts have 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    MinSigned,
    MinUnsigned,
    MaxSigned,
    MaxUnsigned,
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    ShiftLeft,
    ShiftRightSigned,
    ShiftRightUnsigned,
    Equal,
    LessSigned,
    LessUnsigned,
    /// Addition whose second operand is a truth value.
    AddTruth,
}

/// Node of a value graph: a source operand of the instruction, a constant, or the result of a primitive operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    Source(RegisterBank, OperandSlot),
    /// Carry flag of each lane, read as a truth value.
    CarryFlag,
    /// Result of the floating-point comparison of two source operands.
    FloatComparison([NodeId; 2]),
    /// Constant number. Truth values are 0 or 1.
    Constant(u64),
    Unary(Unary, NodeId),
    Binary(Binary, [NodeId; 2]),
    Select {
        condition: NodeId,
        yes: NodeId,
        no: NodeId,
    },
    Blend {
        ones: NodeId,
        zeros: NodeId,
        mask: NodeId,
    },
    PermuteBytes {
        bytes: [NodeId; 2],
        selector: NodeId,
    },
    DotBytes {
        factors: [NodeId; 2],
        signs: [Signedness; 2],
    },
}

/// Graph of the primitive operations that compute the results of one instruction. The code generator and the analyses
/// read it. Each node has a width of 32 or 64 bits, or 1 bit for truth values.
#[derive(Default)]
pub(crate) struct Graph {
    nodes: RefCell<Vec<(Node, u32)>>,
    ids: RefCell<BTreeMap<(Node, u32), NodeId>>,
}

impl Graph {
    /// Returns a node and its width.
    pub(crate) fn node(&self, id: NodeId) -> (Node, u32) {
        self.nodes.borrow()[id.index()]
    }

    /// Returns all nodes with their widths. Operands precede the operations that read them.
    pub(crate) fn nodes(&self) -> Vec<(Node, u32)> {
        self.nodes.borrow().clone()
    }

    /// Returns the value of a constant node.
    pub(crate) fn constant_of(&self, id: NodeId) -> Option<u64> {
        match self.node(id).0 {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Returns a node of this graph as a value.
    pub(crate) fn value<const BITS: u32>(&self, node: Node) -> Value<'_, BITS> {
        let id = match node {
            Node::Constant(value) => self.constant(value, BITS),
            _ => self.add(node, BITS),
        };
        Value { graph: self, id }
    }

    /// Returns a node of this graph as a truth value.
    pub(crate) fn flag(&self, node: Node) -> Flag<'_> {
        Flag(self.value(node))
    }

    fn add(&self, node: Node, bits: u32) -> NodeId {
        *self
            .ids
            .borrow_mut()
            .entry((node, bits))
            .or_insert_with(|| {
                let mut nodes = self.nodes.borrow_mut();
                nodes.push((node, bits));
                NodeId(nodes.len() as u32 - 1)
            })
    }

    fn constant(&self, value: u64, bits: u32) -> NodeId {
        self.add(Node::Constant(value & all_ones(bits)), bits)
    }

    fn unary(&self, op: Unary, a: NodeId, bits: u32) -> NodeId {
        let (operand, operand_bits) = self.node(a);
        match (op, operand) {
            (_, Node::Constant(value)) => {
                return self.constant(evaluate_unary(op, operand_bits, value), bits);
            }
            (Unary::Not, Node::Unary(Unary::Not, x)) => return x,
            (Unary::ToNarrow, _) => {
                if let Some(narrow) = self.narrowed(operand) {
                    return narrow;
                }
            }
            _ => {}
        }
        self.add(Node::Unary(op, a), bits)
    }

    /// Returns a 32-bit node that computes the low 32 bits of a 64-bit node, if 32-bit operations suffice.
    fn narrowed(&self, wide: Node) -> Option<NodeId> {
        let narrow = |x| self.unary(Unary::ToNarrow, x, 32);
        match wide {
            Node::Unary(Unary::ToWideSigned | Unary::ToWideUnsigned, x) => Some(x),
            Node::Binary(
                op @ (Binary::Add
                | Binary::Sub
                | Binary::Mul
                | Binary::And
                | Binary::Or
                | Binary::Xor),
                operands,
            ) => Some(self.binary(op, operands.map(narrow), 32)),
            Node::Binary(Binary::AddTruth, [x, t]) => {
                Some(self.binary(Binary::AddTruth, [narrow(x), t], 32))
            }
            Node::Binary(op @ (Binary::ShiftLeft | Binary::ShiftRightUnsigned), [x, amount]) => {
                let n = self.constant_of(amount)?;
                let is_narrow = matches!(self.node(x).0, Node::Unary(Unary::ToWideUnsigned, _));
                if op == Binary::ShiftRightUnsigned && !is_narrow {
                    return None;
                }
                Some(match n < 32 {
                    true => self.binary(op, [narrow(x), amount], 32),
                    false => self.constant(0, 32),
                })
            }
            _ => None,
        }
    }

    /// Adds a node for an operation. All operands except for shift amounts and truth values have the width of the first
    /// operand.
    fn binary(&self, op: Binary, [a, b]: [NodeId; 2], bits: u32) -> NodeId {
        use Binary as B;
        let (first, operand_bits) = self.node(a);
        let is_commutative = matches!(
            op,
            B::Add
                | B::Mul
                | B::And
                | B::Or
                | B::Xor
                | B::MinSigned
                | B::MinUnsigned
                | B::MaxSigned
                | B::MaxUnsigned
                | B::Equal
        );
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(x), Some(y)) => {
                return self.constant(evaluate_binary(op, operand_bits, x, y), bits);
            }
            (Some(_), None) if is_commutative => return self.binary(op, [b, a], bits),
            (None, Some(y)) => {
                if let Some(id) = self.with_constant(op, [a, b], first, operand_bits, y) {
                    return id;
                }
            }
            _ if op == B::Equal && a == b => return self.constant(1, 1),
            _ => {}
        }
        self.add(Node::Binary(op, [a, b]), bits)
    }

    /// Simplifies an operation whose second operand is a constant.
    fn with_constant(
        &self,
        op: Binary,
        [a, b]: [NodeId; 2],
        first: Node,
        bits: u32,
        number: u64,
    ) -> Option<NodeId> {
        use Binary as B;
        let ones = all_ones(bits);
        match op {
            B::Add | B::Sub | B::Or | B::Xor | B::MaxUnsigned | B::AddTruth if number == 0 => {
                Some(a)
            }
            B::AddTruth => Some(self.binary(B::Add, [a, self.constant(1, bits)], bits)),
            B::Mul if number == 1 => Some(a),
            B::And | B::MinUnsigned if number == ones => Some(a),
            B::And | B::Mul | B::MinUnsigned if number == 0 => Some(b),
            B::Or if number == ones => Some(b),
            B::Xor if number == ones => Some(self.unary(Unary::Not, a, bits)),
            B::LessUnsigned if number == 0 => Some(self.constant(0, 1)),
            B::ShiftLeft | B::ShiftRightSigned | B::ShiftRightUnsigned => {
                let amount = number % u64::from(bits);
                if amount == 0 {
                    return Some(a);
                }
                self.shift_by_constant(op, b, first, bits, amount)
            }
            B::And => match first {
                Node::Unary(Unary::ToWideUnsigned, _) if number & 0xffff_ffff == 0xffff_ffff => {
                    Some(a)
                }
                // Remove a mask that does not clear any bit that can be nonzero after the shift.
                Node::Binary(B::ShiftRightUnsigned, [_, amount]) => {
                    let amount = self.constant_of(amount)? % u64::from(bits);
                    let left = ones >> amount;
                    (number & left == left).then_some(a)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Simplifies a shift of a shifted or masked value.
    fn shift_by_constant(
        &self,
        op: Binary,
        b: NodeId,
        first: Node,
        bits: u32,
        amount: u64,
    ) -> Option<NodeId> {
        use Binary as B;
        let ones = all_ones(bits);
        match first {
            // A left shift by 32 bits followed by a right shift by 32 bits extends the low half of a 64-bit value.
            Node::Binary(B::ShiftLeft, [x, same])
                if amount == 32 && bits == 64 && same == b && op != B::ShiftLeft =>
            {
                let low = self.unary(Unary::ToNarrow, x, 32);
                let extension = match op {
                    B::ShiftRightSigned => Unary::ToWideSigned,
                    _ => Unary::ToWideUnsigned,
                };
                Some(self.unary(extension, low, 64))
            }
            // Remove the mask if the shift discards all bits that the mask clears.
            Node::Binary(B::And, [x, mask])
                if op == B::ShiftLeft
                    && self
                        .constant_of(mask)
                        .is_some_and(|mask| mask << amount & ones == ones << amount & ones) =>
            {
                Some(self.binary(op, [x, b], bits))
            }
            _ => None,
        }
    }

    fn select(&self, condition: NodeId, yes: NodeId, no: NodeId, bits: u32) -> NodeId {
        match self.node(condition).0 {
            Node::Constant(0) => no,
            Node::Constant(_) => yes,
            _ if yes == no => yes,
            Node::Unary(Unary::Not, opposite) => self.select(opposite, no, yes, bits),
            _ => self.add(Node::Select { condition, yes, no }, bits),
        }
    }

    fn blend(&self, ones: NodeId, zeros: NodeId, mask: NodeId, bits: u32) -> NodeId {
        let [all, none] = [all_ones(bits), 0].map(Some);
        let not = |id| self.unary(Unary::Not, id, bits);
        match [ones, zeros, mask].map(|id| self.constant_of(id)) {
            _ if ones == zeros => ones,
            [_, _, m] if m == all => ones,
            [_, _, m] if m == none => zeros,
            [x, y, _] if x == all && y == none => mask,
            [x, y, _] if x == none && y == all => not(mask),
            [_, y, _] if y == none => self.binary(Binary::And, [ones, mask], bits),
            [x, ..] if x == none => self.binary(Binary::And, [zeros, not(mask)], bits),
            [x, ..] if x == all => self.binary(Binary::Or, [zeros, mask], bits),
            [_, y, _] if y == all => self.binary(Binary::Or, [ones, not(mask)], bits),
            _ => self.add(Node::Blend { ones, zeros, mask }, bits),
        }
    }
}

/// Returns a number with `bits` low ones.
fn all_ones(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

fn evaluate_unary(op: Unary, bits: u32, a: u64) -> u64 {
    match (op, bits) {
        (Unary::Not, 1) => a ^ 1,
        (_, 32) => evaluate_word_unary(op, a as u32),
        _ => evaluate_word_unary(op, a),
    }
}

fn evaluate_word_unary<W>(op: Unary, a: W) -> u64
where
    W: Word<Narrow = u32, Wide = u64>,
{
    match op {
        Unary::Not => a.not().to_wide_unsigned(),
        Unary::CountOnes => a.count_ones().into(),
        Unary::LeadingZeros => a.leading_zeros().into(),
        Unary::ToNarrow => a.to_narrow().into(),
        Unary::ToWideSigned => a.to_wide_signed(),
        Unary::ToWideUnsigned => a.to_wide_unsigned(),
    }
}

fn evaluate_binary(op: Binary, bits: u32, a: u64, b: u64) -> u64 {
    match bits {
        32 => evaluate_word_binary(op, a as u32, b),
        // Evaluate truth values as words, because the results of the operations are equal for the values 0 and 1.
        _ => evaluate_word_binary(op, a, b),
    }
}

fn evaluate_word_binary<W>(op: Binary, a: W, second: u64) -> u64
where
    W: Word<Narrow = u32, Wide = u64, Truth = bool>,
{
    let b = a.constant(second);
    let amount = second as u32;
    let result = match op {
        Binary::Add => a.add(b),
        Binary::Sub => a.sub(b),
        Binary::Mul => a.mul(b),
        Binary::And => a.and(b),
        Binary::Or => a.or(b),
        Binary::Xor => a.xor(b),
        Binary::MinSigned => a.min_signed(b),
        Binary::MinUnsigned => a.min_unsigned(b),
        Binary::MaxSigned => a.max_signed(b),
        Binary::MaxUnsigned => a.max_unsigned(b),
        Binary::DivSigned => a.div_signed(b),
        Binary::DivUnsigned => a.div_unsigned(b),
        Binary::RemSigned => a.rem_signed(b),
        Binary::RemUnsigned => a.rem_unsigned(b),
        Binary::ShiftLeft => a.shift_left(amount),
        Binary::ShiftRightSigned => a.shift_right_signed(amount),
        Binary::ShiftRightUnsigned => a.shift_right_unsigned(amount),
        Binary::Equal => return a.equal(b).into(),
        Binary::LessSigned => return a.less_signed(b).into(),
        Binary::LessUnsigned => return a.less_unsigned(b).into(),
        Binary::AddTruth => a.add_truth(second != 0),
    };
    result.to_wide_unsigned()
}

/// Node of a graph that represents a symbolic integer with `BITS` bits. Implements the primitive operations by adding
/// nodes.
#[derive(Clone, Copy)]
pub(crate) struct Value<'g, const BITS: u32> {
    graph: &'g Graph,
    pub(crate) id: NodeId,
}

impl<'g, const BITS: u32> Value<'g, BITS> {
    fn unary<const RESULT: u32>(self, op: Unary) -> Value<'g, RESULT> {
        self.of(self.graph.unary(op, self.id, RESULT))
    }

    fn binary<const OTHER: u32, const RESULT: u32>(
        self,
        op: Binary,
        other: Value<'g, OTHER>,
    ) -> Value<'g, RESULT> {
        self.of(self.graph.binary(op, [self.id, other.id], RESULT))
    }

    /// Returns a node of the same graph as a value.
    fn of<const RESULT: u32>(self, id: NodeId) -> Value<'g, RESULT> {
        Value {
            graph: self.graph,
            id,
        }
    }

    /// Returns the upper 64 bits of the product of two unsigned 64-bit factors, computed from the products of the
    /// factors' 32-bit halves.
    fn mul_high_wide_unsigned(self, other: Self) -> Self {
        let low = |v: Self| v.and(v.constant(0xffff_ffff));
        let high = |v: Self| v.shift_right_unsigned(v.of(v.graph.constant(32, 32)));
        let (x, y) = (self, other);
        let middle = low(x).mul(high(y));
        let carried = high(low(x).mul(low(y)))
            .add(low(middle))
            .add(high(x).mul(low(y)));
        high(carried).add(high(middle)).add(high(x).mul(high(y)))
    }

    /// Returns the upper 64 bits of the product of two signed 64-bit factors. The code corrects the unsigned product,
    /// because a negative factor exceeds its value by 2^64 if it is interpreted as an unsigned number.
    fn mul_high_wide_signed(self, other: Self) -> Self {
        let product = self.mul_high_wide_unsigned(other);
        let correction =
            |v: Self, w: Self| v.shift_right_signed(v.of(v.graph.constant(63, 32))).and(w);
        product
            .sub(correction(self, other))
            .sub(correction(other, self))
    }
}

/// Node of a graph that represents a symbolic truth value.
#[derive(Clone, Copy)]
pub(crate) struct Flag<'g>(Value<'g, 1>);

impl Flag<'_> {
    pub(crate) fn id(self) -> NodeId {
        self.0.id
    }
}

impl Truth for Flag<'_> {
    fn and(self, other: Self) -> Self {
        Flag(self.0.binary(Binary::And, other.0))
    }

    fn or(self, other: Self) -> Self {
        Flag(self.0.binary(Binary::Or, other.0))
    }

    fn xor(self, other: Self) -> Self {
        Flag(self.0.binary(Binary::Xor, other.0))
    }

    fn not(self) -> Self {
        Flag(self.0.unary(Unary::Not))
    }
}

/// Defines methods with two operands, each of which adds one node to the graph.
macro_rules! binary {
    ($($name:ident: $op:ident;)*) => {
        $(fn $name(self, other: Self) -> Self {
            self.binary(Binary::$op, other)
        })*
    };
}

/// Defines comparisons, each of which adds one node to the graph.
macro_rules! comparison {
    ($($name:ident: $op:ident;)*) => {
        $(fn $name(self, other: Self) -> Flag<'g> {
            Flag(self.binary(Binary::$op, other))
        })*
    };
}

/// Defines shift methods, each of which adds one node to the graph.
macro_rules! shift {
    ($($name:ident: $op:ident;)*) => {
        $(fn $name(self, amount: Value<'g, 32>) -> Self {
            self.binary(Binary::$op, amount)
        })*
    };
}

/// Defines the minimum and maximum methods. For 64-bit values, they consist of a comparison and a selection, because
/// WebAssembly has no vector instructions for minima and maxima of 64-bit lanes.
macro_rules! extreme {
    ($($name:ident: $op:ident, $less:ident, $pick:expr;)*) => {
        $(fn $name(self, other: Self) -> Self {
            if BITS == 32 {
                return self.binary(Binary::$op, other);
            }
            let [yes, no]: [Self; 2] = $pick(self, other);
            Self::select(self.$less(other), yes, no)
        })*
    };
}

impl<'g, const BITS: u32> Word for Value<'g, BITS> {
    type Narrow = Value<'g, 32>;
    type Wide = Value<'g, 64>;
    type Truth = Flag<'g>;

    const BITS: u32 = BITS;

    fn constant(self, value: u64) -> Self {
        self.of(self.graph.constant(value, BITS))
    }

    binary! {
        add: Add;
        sub: Sub;
        mul: Mul;
        and: And;
        or: Or;
        xor: Xor;
        div_signed: DivSigned;
        div_unsigned: DivUnsigned;
        rem_signed: RemSigned;
        rem_unsigned: RemUnsigned;
    }

    extreme! {
        min_signed: MinSigned, less_signed, |a, b| [a, b];
        min_unsigned: MinUnsigned, less_unsigned, |a, b| [a, b];
        max_signed: MaxSigned, less_signed, |a, b| [b, a];
        max_unsigned: MaxUnsigned, less_unsigned, |a, b| [b, a];
    }

    shift! {
        shift_left: ShiftLeft;
        shift_right_signed: ShiftRightSigned;
        shift_right_unsigned: ShiftRightUnsigned;
    }

    comparison! {
        equal: Equal;
        less_signed: LessSigned;
        less_unsigned: LessUnsigned;
    }

    fn not(self) -> Self {
        self.unary(Unary::Not)
    }

    fn mul_high_signed(self, other: Self) -> Self {
        if BITS == 64 {
            return self.mul_high_wide_signed(other);
        }
        let product = self.to_wide_signed().mul(other.to_wide_signed());
        let high = product.shift_right_unsigned(self.of(self.graph.constant(32, 32)));
        self.of(high.to_narrow().id)
    }

    fn mul_high_unsigned(self, other: Self) -> Self {
        if BITS == 64 {
            return self.mul_high_wide_unsigned(other);
        }
        let product = self.to_wide_unsigned().mul(other.to_wide_unsigned());
        let high = product.shift_right_unsigned(self.of(self.graph.constant(32, 32)));
        self.of(high.to_narrow().id)
    }

    fn count_ones(self) -> Value<'g, 32> {
        self.unary(Unary::CountOnes)
    }

    fn leading_zeros(self) -> Value<'g, 32> {
        self.unary(Unary::LeadingZeros)
    }

    /// Exchanges adjacent groups of 1, 2, 4, … bits, so that the order of all bits is reversed.
    fn reverse_bits(self) -> Self {
        (0..BITS.trailing_zeros()).fold(self, |value, step| {
            let size = 1 << step;
            let amount = value.of(value.graph.constant(size, 32));
            let mask = value.constant(u64::MAX / ((1 << size) + 1));
            let upper = value.shift_right_unsigned(amount).and(mask);
            upper.or(value.and(mask).shift_left(amount))
        })
    }

    fn to_narrow(self) -> Value<'g, 32> {
        match BITS {
            32 => self.of(self.id),
            _ => self.unary(Unary::ToNarrow),
        }
    }

    fn to_wide_signed(self) -> Value<'g, 64> {
        match BITS {
            64 => self.of(self.id),
            _ => self.unary(Unary::ToWideSigned),
        }
    }

    fn to_wide_unsigned(self) -> Value<'g, 64> {
        match BITS {
            64 => self.of(self.id),
            _ => self.unary(Unary::ToWideUnsigned),
        }
    }

    fn select(condition: Flag<'g>, yes: Self, no: Self) -> Self {
        yes.of(yes.graph.select(condition.id(), yes.id, no.id, BITS))
    }

    fn add_truth(self, condition: Flag<'g>) -> Self {
        self.binary(Binary::AddTruth, condition.0)
    }

    fn blend(self, other: Self, mask: Self) -> Self {
        self.of(self.graph.blend(self.id, other.id, mask.id, BITS))
    }

    fn permute_bytes(self, high: Self, selector: Self) -> Self {
        self.graph.value(Node::PermuteBytes {
            bytes: [self.id, high.id],
            selector: selector.id,
        })
    }

    fn dot_bytes(self, other: Self, signs: [Signedness; 2]) -> Self {
        self.graph.value(Node::DotBytes {
            factors: [self.id, other.id],
            signs,
        })
    }
}

/// Receiver of a generic instruction definition: applies the definition to symbolic source operands, and stores the
/// result.
pub(crate) struct Capture<'a, S, R> {
    pub(crate) sources: S,
    pub(crate) result: &'a mut Option<R>,
}

impl<S, R> Apply<S, R> for Capture<'_, S, R> {
    fn apply(self, f: impl Fn(S) -> R) {
        *self.result = Some(f(self.sources));
    }
}
