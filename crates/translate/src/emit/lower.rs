//! Code generation for symbolic values. The module takes a graph of primitive operations, and generates instructions
//! that compute a value for the four lanes of a subwarp, or only for the first lane.
//!
//! Operations without a vector instruction are computed lane by lane. A value that is used several times is computed
//! once.

use crate::bailout::BailoutReason;
use crate::emit::Emitter;
use crate::instructions::{halves, high_words, low_words, splat32, splat64, zero_extended_words};
use crate::value::{Binary, Graph, Node, NodeId, Unary};
use std::collections::BTreeMap;
use warpgrid_isa::Signedness::{self, Signed, Unsigned};
use wasm_encoder::{BlockType, Instruction as I, ValType};

/// Shuffles that interleave the low words and the high words of two vectors.
const INTERLEAVED: [I<'static>; 2] = [
    I::I8x16Shuffle([0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]),
    I::I8x16Shuffle([8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]),
];

/// Lanes for which the code generator computes a symbolic value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LaneSelection {
    /// All four lanes, with 32 bits each.
    All,
    /// Lanes 0 and 1, or lanes 2 and 3, with 64 bits each.
    Half(u32),
    /// The first lane, as a scalar number. A truth value is all ones or zero.
    First,
}

/// Operand of an operation, saved in WebAssembly locals because the generated code reads it several times.
#[derive(Clone, Copy)]
enum SavedOperand {
    Constant(u64),
    /// Local that contains the number of the first lane.
    First(u32),
    /// Local that contains 32-bit lanes.
    All(u32),
    /// Locals that contain the 64-bit lanes of both halves.
    Halves([u32; 2]),
    /// Local that contains the 64-bit lanes of the current half.
    Half(u32),
}

/// Code generator for the symbolic values of one graph.
pub(crate) struct Lowering<'e, 'p, 'g> {
    emitter: &'e mut Emitter<'p>,
    graph: &'g Graph,
    /// Number of uses of each value, for each lane selection.
    uses: BTreeMap<(NodeId, LaneSelection), u32>,
    /// Whether the current pass only counts uses. The code of this pass is discarded.
    is_counting: bool,
    /// Locals that contain values with several uses.
    locals: BTreeMap<(NodeId, LaneSelection), u32>,
    /// Number of temporary locals in use, by type.
    n_taken: BTreeMap<ValType, usize>,
}

impl<'e, 'p, 'g> Lowering<'e, 'p, 'g> {
    /// Generates code that pushes several values of the graph in the given order.
    pub(crate) fn push_all(
        emitter: &'e mut Emitter<'p>,
        graph: &'g Graph,
        values: &[(NodeId, LaneSelection)],
    ) -> Result<(), BailoutReason> {
        let mut lowering = Lowering {
            emitter,
            graph,
            uses: BTreeMap::new(),
            is_counting: true,
            locals: BTreeMap::new(),
            n_taken: BTreeMap::new(),
        };
        let start = lowering.emitter.out.len();
        for (id, part) in values {
            lowering.push(*id, *part)?;
        }
        lowering.emitter.out.truncate(start);
        lowering.is_counting = false;
        lowering.n_taken.clear();
        for (id, part) in values {
            lowering.push(*id, *part)?;
        }
        Ok(())
    }

    /// Returns a temporary local that no other value of the graph uses.
    fn temporary(&mut self, ty: ValType) -> u32 {
        let n = self.n_taken.entry(ty).or_default();
        *n += 1;
        self.emitter.temporary(ty, *n - 1)
    }

    /// Pushes a value of the graph for the selected lanes.
    fn push(&mut self, id: NodeId, part: LaneSelection) -> Result<(), BailoutReason> {
        let key = (id, part);
        let (node, bits) = self.graph.node(id);
        if self.is_counting {
            let uses = self.uses.entry(key).or_default();
            *uses += 1;
            if *uses > 1 {
                return Ok(());
            }
        } else if let Some(local) = self.locals.get(&key) {
            self.emitter.get(*local);
            return Ok(());
        }
        match part {
            LaneSelection::First => self.first(node, bits)?,
            LaneSelection::All | LaneSelection::Half(_) => self.lanes(id, node, bits, part)?,
        }
        let is_leaf = matches!(
            node,
            Node::Source(..) | Node::Constant(_) | Node::FloatComparison(_)
        );
        if !self.is_counting && !is_leaf && self.uses.get(&key).is_some_and(|uses| *uses > 1) {
            let local = self.temporary(type_of(bits, part));
            self.emitter.tee(local);
            self.locals.insert(key, local);
        }
        Ok(())
    }

    fn op(&mut self, instruction: I<'static>) {
        self.emitter.op(instruction);
    }

    /// Pushes the operands of an instruction, and emits the instruction.
    fn apply<const N: usize>(
        &mut self,
        instruction: I<'static>,
        operands: [NodeId; N],
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        for operand in operands {
            self.push(operand, part)?;
        }
        self.op(instruction);
        Ok(())
    }

    fn ops<const N: usize>(&mut self, instructions: [I<'static>; N]) {
        self.emitter.ops(instructions);
    }

    /// Pushes the value of a graph node for all lanes or half of the lanes.
    fn lanes(
        &mut self,
        id: NodeId,
        node: Node,
        bits: u32,
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        if bits == 1 {
            return self.truth(id, node, part);
        }
        match (node, part) {
            (Node::Source(_, slot), LaneSelection::Half(half)) => self.emitter.read64(slot, half),
            (Node::Source(_, slot), _) => self.emitter.read32(slot),
            (Node::Constant(value), _) => {
                self.op(match bits {
                    64 => splat64(value),
                    _ => splat32(value as u32),
                });
                Ok(())
            }
            (Node::Unary(op, a), _) => self.unary(op, a, part),
            (Node::Binary(op, operands), _) => self.binary(op, operands, bits, part),
            (Node::Select { condition, yes, no }, _) => {
                match (self.graph.constant_of(yes), self.graph.constant_of(no)) {
                    (Some(0), _) => self.apply(I::V128AndNot, [no, condition], part),
                    (_, Some(0)) => self.apply(I::V128And, [yes, condition], part),
                    _ => self.apply(I::V128Bitselect, [yes, no, condition], part),
                }
            }
            (Node::Blend { ones, zeros, mask }, _) => {
                self.apply(I::V128Bitselect, [ones, zeros, mask], part)
            }
            (Node::PermuteBytes { bytes, selector }, _) => self.permute(bytes, selector, part),
            (Node::DotBytes { factors, signs }, _) => self.dot(factors, signs, part),
            (Node::CarryFlag | Node::FloatComparison(_), _) => {
                self.refuse("a predicate value as an integer operand")
            }
        }
    }

    /// Pushes a truth value as a mask with all ones or all zeros in each lane.
    fn truth(&mut self, id: NodeId, node: Node, part: LaneSelection) -> Result<(), BailoutReason> {
        let wide = |operands: [NodeId; 2]| self.graph.node(operands[0]).1 == 64;
        match (node, part) {
            (Node::Constant(value), _) => {
                self.op(splat32(if value == 0 { 0 } else { u32::MAX }));
                Ok(())
            }
            (Node::Unary(_, a), _) => {
                if let (Node::Binary(op, operands), _) = self.graph.node(a)
                    && let Some(complement) = complement(op, self.graph.node(operands[0]).1)
                    && wide(operands) == matches!(part, LaneSelection::Half(_))
                {
                    return self.apply(complement, operands, part);
                }
                self.apply(I::V128Not, [a], part)
            }
            (Node::Binary(op @ (Binary::And | Binary::Or | Binary::Xor), operands), _) => {
                self.vector_operation(op, operands, 1, part)
            }
            (Node::Binary(_, operands), LaneSelection::All) if wide(operands) => {
                self.push(id, LaneSelection::Half(0))?;
                self.push(id, LaneSelection::Half(1))?;
                self.op(low_words());
                Ok(())
            }
            (Node::Binary(op, operands), LaneSelection::Half(_)) if wide(operands) => {
                self.compare_wide(op, operands, part)
            }
            (Node::Binary(op, operands), LaneSelection::All) => {
                let instruction = match op {
                    Binary::Equal => I::I32x4Eq,
                    Binary::LessSigned => I::I32x4LtS,
                    _ => I::I32x4LtU,
                };
                self.apply(instruction, operands, part)
            }
            (Node::Source(_, slot), LaneSelection::All) => self.emitter.read_predicate(slot),
            (Node::CarryFlag, LaneSelection::All) => {
                self.emitter.read_flag();
                Ok(())
            }
            (Node::FloatComparison(_), LaneSelection::All) => {
                let local = self.emitter.names.float_comparison();
                self.emitter.get(local);
                Ok(())
            }
            (_, LaneSelection::Half(half)) => {
                self.push(id, LaneSelection::All)?;
                self.op(halves(half));
                Ok(())
            }
            _ => self.refuse("an integer value as a predicate operand"),
        }
    }

    /// Compares 64-bit lanes. For unsigned operands, the code inverts the top bits and compares the results as signed
    /// numbers.
    fn compare_wide(
        &mut self,
        op: Binary,
        operands: [NodeId; 2],
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        for operand in operands {
            match (op, self.graph.constant_of(operand)) {
                (Binary::LessUnsigned, Some(value)) => self.op(splat64(value ^ 1 << 63)),
                (Binary::LessUnsigned, None) => {
                    self.push(operand, part)?;
                    self.ops([splat64(1 << 63), I::V128Xor]);
                }
                _ => self.push(operand, part)?,
            }
        }
        self.op(match op {
            Binary::Equal => I::I64x2Eq,
            _ => I::I64x2LtS,
        });
        Ok(())
    }

    fn unary(&mut self, op: Unary, a: NodeId, part: LaneSelection) -> Result<(), BailoutReason> {
        match (op, part) {
            (Unary::Not, _) => self.apply(I::V128Not, [a], part)?,
            (Unary::ToWideSigned, LaneSelection::Half(half)) => {
                self.apply(halves(half), [a], LaneSelection::All)?;
            }
            (Unary::ToWideUnsigned, LaneSelection::Half(half)) => {
                self.apply(zero_extended_words(half), [a], LaneSelection::All)?;
            }
            (Unary::ToNarrow, _) => {
                // A shuffle extracts the upper words of both vectors.
                let (source, words) = match self.graph.node(a).0 {
                    Node::Binary(
                        Binary::ShiftRightUnsigned | Binary::ShiftRightSigned,
                        [x, amount],
                    ) if self.graph.constant_of(amount) == Some(32) => (x, high_words()),
                    _ => (a, low_words()),
                };
                self.push(source, LaneSelection::Half(0))?;
                self.push(source, LaneSelection::Half(1))?;
                self.op(words);
            }
            (Unary::CountOnes, LaneSelection::All) if self.graph.node(a).1 == 32 => {
                self.push(a, part)?;
                self.ops([
                    I::I8x16Popcnt,
                    I::I16x8ExtAddPairwiseI8x16U,
                    I::I32x4ExtAddPairwiseI16x8U,
                ]);
            }
            _ => {
                let bits = self.graph.node(a).1;
                let a = self.save_operand(a, part)?;
                self.each_lane(part, |lowering, lane| {
                    lowering.push_lane(a, bits, lane);
                    lowering.count(op, bits);
                });
            }
        }
        Ok(())
    }

    fn binary(
        &mut self,
        op: Binary,
        [a, b]: [NodeId; 2],
        bits: u32,
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        if let LaneSelection::Half(half) = part {
            if op == Binary::Mul
                && let Some((sign, factors)) = self.extended_factors([a, b])
            {
                for factor in factors {
                    self.push_factor(factor)?;
                }
                self.op(extended_product(sign, half));
                return Ok(());
            }
            if op == Binary::Or
                && let Some(words) = self.words([a, b])
            {
                return self.apply(
                    INTERLEAVED[half as usize].clone(),
                    words,
                    LaneSelection::All,
                );
            }
        }
        if let Some(shift) = vector_shift(op, bits)
            && (self.graph.constant_of(b).is_some() || self.is_uniform(b))
        {
            self.push(a, part)?;
            return self.apply(shift, [b], LaneSelection::First);
        }
        if op == Binary::And
            && let Node::Unary(Unary::Not, mask) = self.graph.node(b).0
        {
            return self.apply(I::V128AndNot, [a, mask], part);
        }
        self.vector_operation(op, [a, b], bits, part)
    }

    /// Emits the vector instruction for an operation, or computes the operation lane by lane if WebAssembly has no such
    /// instruction.
    fn vector_operation(
        &mut self,
        op: Binary,
        [a, b]: [NodeId; 2],
        bits: u32,
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        if let Some(instruction) = vector_instruction(op, bits) {
            return self.apply(instruction, [a, b], part);
        }
        let operands = [self.save_operand(a, part)?, self.save_operand(b, part)?];
        self.each_lane(part, |lowering, lane| {
            lowering.number(op, operands, bits, lane);
        });
        Ok(())
    }

    /// Checks whether a source is a scalar register that has the same value in all lanes.
    fn is_uniform(&self, id: NodeId) -> bool {
        match self.graph.node(id).0 {
            Node::Source(bank, slot) => {
                let scalar = self.emitter.scalar(bank, slot);
                scalar.is_some_and(|scalar| scalar.stride == 0)
            }
            _ => false,
        }
    }

    /// Returns the 32-bit factors whose sign extensions or zero extensions are the given 64-bit factors, and the
    /// signedness of the extensions.
    fn extended_factors(&self, factors: [NodeId; 2]) -> Option<(Signedness, [Factor; 2])> {
        let extended = |sign: Signedness| {
            let factor = |id: NodeId| match self.graph.node(id).0 {
                Node::Unary(Unary::ToWideSigned, x) if sign == Signed => Some(Factor::Node(x)),
                Node::Unary(Unary::ToWideUnsigned, x) if sign == Unsigned => Some(Factor::Node(x)),
                Node::Constant(value) => {
                    let word = value as u32;
                    let extension = match sign {
                        Signed => i64::from(word as i32) as u64,
                        Unsigned => word.into(),
                    };
                    (extension == value).then_some(Factor::Constant(word))
                }
                _ => None,
            };
            Some((sign, [factor(factors[0])?, factor(factors[1])?]))
        };
        extended(Unsigned).or_else(|| extended(Signed))
    }

    /// Returns the low word and the high word of a 64-bit value that is composed of two words.
    fn words(&self, [a, b]: [NodeId; 2]) -> Option<[NodeId; 2]> {
        let extended = |id: NodeId| match self.graph.node(id).0 {
            Node::Unary(Unary::ToWideUnsigned, x) => Some(x),
            _ => None,
        };
        let shifted = |id: NodeId| match self.graph.node(id).0 {
            Node::Binary(Binary::ShiftLeft, [x, amount])
                if self.graph.constant_of(amount) == Some(32) =>
            {
                extended(x)
            }
            _ => None,
        };
        let in_order = |low: NodeId, high: NodeId| Some([extended(low)?, shifted(high)?]);
        in_order(a, b).or_else(|| in_order(b, a))
    }

    fn push_factor(&mut self, factor: Factor) -> Result<(), BailoutReason> {
        match factor {
            Factor::Node(id) => self.push(id, LaneSelection::All),
            Factor::Constant(value) => {
                self.op(splat32(value));
                Ok(())
            }
        }
    }

    /// Saves an operand in locals.
    fn save_operand(
        &mut self,
        id: NodeId,
        part: LaneSelection,
    ) -> Result<SavedOperand, BailoutReason> {
        let (node, bits) = self.graph.node(id);
        if let Node::Constant(value) = node {
            return Ok(SavedOperand::Constant(value));
        }
        Ok(match (part, bits) {
            (LaneSelection::First, _) => SavedOperand::First(self.save(id, part)?),
            (_, 32) => SavedOperand::All(self.save(id, LaneSelection::All)?),
            (LaneSelection::Half(_), _) => SavedOperand::Half(self.save(id, part)?),
            (LaneSelection::All, _) => SavedOperand::Halves([
                self.save(id, LaneSelection::Half(0))?,
                self.save(id, LaneSelection::Half(1))?,
            ]),
        })
    }

    fn save(&mut self, id: NodeId, part: LaneSelection) -> Result<u32, BailoutReason> {
        self.push(id, part)?;
        let local = self.temporary(type_of(self.graph.node(id).1, part));
        self.emitter.set(local);
        Ok(local)
    }

    /// Pushes a 32-bit operand as a vector. The code broadcasts the number of a [`LaneSelection::First`] operand to all
    /// lanes.
    fn push_vector(&mut self, id: NodeId, part: LaneSelection) -> Result<(), BailoutReason> {
        self.push(id, part)?;
        if part == LaneSelection::First {
            self.op(I::I32x4Splat);
        }
        Ok(())
    }

    /// Saves a 32-bit operand as a vector in a local, and returns the local.
    fn save_vector(&mut self, id: NodeId, part: LaneSelection) -> Result<u32, BailoutReason> {
        self.push_vector(id, part)?;
        let local = self.temporary(ValType::V128);
        self.emitter.set(local);
        Ok(local)
    }

    /// Pushes one lane of a saved operand.
    fn push_lane(&mut self, saved: SavedOperand, bits: u32, lane: u8) {
        match saved {
            SavedOperand::Constant(value) => self.op(match bits {
                64 => I::I64Const(value.cast_signed()),
                _ => I::I32Const(value as i32),
            }),
            SavedOperand::First(local) => self.emitter.get(local),
            SavedOperand::All(local) => {
                self.emitter.get(local);
                self.op(I::I32x4ExtractLane(lane));
            }
            SavedOperand::Halves(locals) => {
                self.emitter.get(locals[usize::from(lane / 2)]);
                self.op(I::I64x2ExtractLane(lane % 2));
            }
            SavedOperand::Half(local) => {
                self.emitter.get(local);
                self.op(I::I64x2ExtractLane(lane % 2));
            }
        }
    }

    /// Computes each lane as a scalar number, and pushes the vector of results.
    fn each_lane(&mut self, part: LaneSelection, mut one: impl FnMut(&mut Self, u8)) {
        match part {
            LaneSelection::Half(half) => {
                self.op(splat64(0));
                for lane in 0..2 {
                    one(self, 2 * half as u8 + lane);
                    self.op(I::I64x2ReplaceLane(lane));
                }
            }
            LaneSelection::All => {
                self.op(splat32(0));
                for lane in 0..4 {
                    one(self, lane);
                    self.op(I::I32x4ReplaceLane(lane));
                }
            }
            LaneSelection::First => one(self, 0),
        }
    }

    /// Permutes bytes as specified by a selector. For a constant selector without sign bits, the code is one shuffle.
    fn permute(
        &mut self,
        bytes: [NodeId; 2],
        selector: NodeId,
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        if let Some(selector) = self.graph.constant_of(selector).filter(|s| s & 0x8888 == 0) {
            let indices = std::array::from_fn(|at| {
                let (lane, byte) = (at as u64 / 4, at as u64 % 4);
                let picked = selector >> (4 * byte) & 7;
                (4 * lane + picked % 4 + picked / 4 * 16) as u8
            });
            for word in bytes {
                self.push_vector(word, part)?;
            }
            self.op(I::I8x16Shuffle(indices));
            return Ok(());
        }
        let [low, high] = [
            self.save_vector(bytes[0], part)?,
            self.save_vector(bytes[1], part)?,
        ];
        let [nibbles, indices, result] = [ValType::V128; 3].map(|ty| self.temporary(ty));
        self.push_vector(selector, part)?;
        // Expand the selector, so that each byte of the expanded selector contains the nibble that selects the
        // corresponding byte of the result.
        self.ops([splat32(0xffff), I::V128And]);
        for (shift, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f)] {
            self.emitter.tee(nibbles);
            self.emitter.get(nibbles);
            self.ops([I::I32Const(shift), I::I32x4Shl, I::V128Or]);
            self.ops([splat32(mask), I::V128And]);
        }
        self.emitter.set(nibbles);
        // Compute the index of the selected byte within the vector. The selected byte and the result are in the same
        // lane.
        self.emitter.get(nibbles);
        self.ops([splat32(0x0303_0303), I::V128And]);
        let starts = (0..16).fold(0u128, |starts, at| starts | (at / 4 * 4) << (8 * at));
        self.ops([I::V128Const(starts as i128), I::V128Or]);
        self.emitter.set(indices);
        for word in [high, low] {
            self.emitter.get(word);
            self.emitter.get(indices);
            self.op(I::I8x16Swizzle);
        }
        self.push_bytes_with(nibbles, 4);
        self.op(I::V128Bitselect);
        self.emitter.set(result);
        self.emitter.get(result);
        self.ops([I::I32Const(7), I::I8x16ShrS]);
        self.emitter.get(result);
        self.push_bytes_with(nibbles, 8);
        self.op(I::V128Bitselect);
        Ok(())
    }

    /// Pushes a mask with all ones in each byte whose bit `bit` is set.
    fn push_bytes_with(&mut self, bytes: u32, bit: u32) {
        self.emitter.get(bytes);
        self.ops([splat32(bit * 0x0101_0101), I::V128And]);
        self.ops([splat32(0), I::I8x16Ne]);
    }

    /// Pushes the sum of the products of corresponding bytes in each lane.
    fn dot(
        &mut self,
        factors: [NodeId; 2],
        signs: [Signedness; 2],
        part: LaneSelection,
    ) -> Result<(), BailoutReason> {
        let rows = [
            self.save_vector(factors[0], part)?,
            self.save_vector(factors[1], part)?,
        ];
        let sums = [ValType::V128; 2].map(|ty| self.temporary(ty));
        let extended = |sign: Signedness, half: usize| match (sign, half) {
            (Signed, 0) => I::I16x8ExtendLowI8x16S,
            (Signed, _) => I::I16x8ExtendHighI8x16S,
            (Unsigned, 0) => I::I16x8ExtendLowI8x16U,
            (Unsigned, _) => I::I16x8ExtendHighI8x16U,
        };
        for (half, sum) in sums.into_iter().enumerate() {
            for (row, sign) in rows.into_iter().zip(signs) {
                self.emitter.get(row);
                self.op(extended(sign, half));
            }
            self.op(I::I16x8Mul);
            // The product of two unsigned bytes uses all 16 bits, so the addition of the products must be unsigned.
            self.op(match signs {
                [Unsigned, Unsigned] => I::I32x4ExtAddPairwiseI16x8U,
                _ => I::I32x4ExtAddPairwiseI16x8S,
            });
            self.emitter.set(sum);
        }
        for words in [low_words(), high_words()] {
            for sum in sums {
                self.emitter.get(sum);
            }
            self.op(words);
        }
        self.op(I::I32x4Add);
        Ok(())
    }

    /// Pushes the value of the first lane as a scalar number.
    fn first(&mut self, node: Node, bits: u32) -> Result<(), BailoutReason> {
        match node {
            Node::Source(bank, slot) => self.emitter.push_first(bank, slot),
            Node::Constant(value) => {
                self.op(match bits {
                    64 => I::I64Const(value.cast_signed()),
                    32 => I::I32Const(value as i32),
                    _ => I::I32Const(-(value as i32)),
                });
                Ok(())
            }
            Node::Unary(op, a) => self.first_unary(op, a, bits),
            Node::Binary(op, operands) => self.first_binary(op, operands),
            Node::Select { condition, yes, no } => {
                self.apply(I::Select, [yes, no, condition], LaneSelection::First)
            }
            Node::Blend { ones, zeros, mask } => {
                // zeros ^ ((ones ^ zeros) & mask)
                let (xor, and) = match bits {
                    64 => (I::I64Xor, I::I64And),
                    _ => (I::I32Xor, I::I32And),
                };
                let zeros = self.save_operand(zeros, LaneSelection::First)?;
                self.push_lane(zeros, bits, 0);
                self.push(ones, LaneSelection::First)?;
                self.push_lane(zeros, bits, 0);
                self.op(xor.clone());
                self.push(mask, LaneSelection::First)?;
                self.ops([and, xor]);
                Ok(())
            }
            Node::PermuteBytes { bytes, selector } => {
                self.permute(bytes, selector, LaneSelection::First)?;
                self.op(I::I32x4ExtractLane(0));
                Ok(())
            }
            Node::DotBytes { factors, signs } => {
                self.dot(factors, signs, LaneSelection::First)?;
                self.op(I::I32x4ExtractLane(0));
                Ok(())
            }
            Node::CarryFlag | Node::FloatComparison(_) => {
                self.refuse("a vector value in a scalar computation")
            }
        }
    }

    fn first_unary(&mut self, op: Unary, a: NodeId, bits: u32) -> Result<(), BailoutReason> {
        self.push(a, LaneSelection::First)?;
        match op {
            Unary::Not if bits == 64 => self.ops([I::I64Const(-1), I::I64Xor]),
            Unary::Not => self.ops([I::I32Const(-1), I::I32Xor]),
            Unary::ToNarrow => self.op(I::I32WrapI64),
            Unary::ToWideSigned => self.op(I::I64ExtendI32S),
            Unary::ToWideUnsigned => self.op(I::I64ExtendI32U),
            Unary::CountOnes | Unary::LeadingZeros => {
                let bits = self.graph.node(a).1;
                self.count(op, bits);
            }
        }
        Ok(())
    }

    fn first_binary(&mut self, op: Binary, [a, b]: [NodeId; 2]) -> Result<(), BailoutReason> {
        let bits = self.graph.node(a).1;
        if let Some(instruction) = number_instruction(op, bits) {
            self.push(a, LaneSelection::First)?;
            self.push_second(op, b, bits)?;
            self.op(instruction);
        } else if is_comparison(op) {
            self.op(I::I32Const(0));
            self.push(a, LaneSelection::First)?;
            self.push(b, LaneSelection::First)?;
            self.ops([comparison(op, bits), I::I32Sub]);
        } else {
            let operands = [
                self.save_operand(a, LaneSelection::First)?,
                self.save_operand(b, LaneSelection::First)?,
            ];
            self.number(op, operands, bits, 0);
        }
        Ok(())
    }

    /// Pushes the second operand of a scalar instruction, with the width that the instruction requires.
    fn push_second(&mut self, op: Binary, b: NodeId, bits: u32) -> Result<(), BailoutReason> {
        match (op, self.graph.constant_of(b)) {
            (
                Binary::ShiftLeft | Binary::ShiftRightSigned | Binary::ShiftRightUnsigned,
                Some(amount),
            ) if bits == 64 => self.op(I::I64Const(amount.cast_signed())),
            _ => {
                self.push(b, LaneSelection::First)?;
                self.extend_second(op, bits);
            }
        }
        Ok(())
    }

    /// Extends the second operand on the stack to the width of the first operand.
    fn extend_second(&mut self, op: Binary, bits: u32) {
        match op {
            Binary::ShiftLeft | Binary::ShiftRightSigned | Binary::ShiftRightUnsigned
                if bits == 64 =>
            {
                self.op(I::I64ExtendI32U);
            }
            // A truth value is -1 if it is true, otherwise 0.
            Binary::AddTruth if bits == 64 => self.op(I::I64ExtendI32S),
            _ => {}
        }
    }

    /// Counts the leading zeros or the set bits of the number on the stack.
    fn count(&mut self, op: Unary, bits: u32) {
        match (op, bits) {
            (Unary::CountOnes, 64) => self.ops([I::I64Popcnt, I::I32WrapI64]),
            (Unary::CountOnes, _) => self.op(I::I32Popcnt),
            (_, 64) => self.ops([I::I64Clz, I::I32WrapI64]),
            _ => self.op(I::I32Clz),
        }
    }

    /// Computes the result for one lane from the saved operands.
    fn number(&mut self, op: Binary, [a, b]: [SavedOperand; 2], bits: u32, lane: u8) {
        let second_bits = match op {
            Binary::ShiftLeft | Binary::ShiftRightSigned | Binary::ShiftRightUnsigned => 32,
            _ => bits,
        };
        if let Some(instruction) = number_instruction(op, bits) {
            self.push_lane(a, bits, lane);
            self.push_lane(b, second_bits, lane);
            self.extend_second(op, bits);
            return self.op(instruction);
        }
        match op {
            Binary::DivSigned | Binary::DivUnsigned | Binary::RemSigned | Binary::RemUnsigned => {
                self.divide(op, [a, b], bits, lane);
            }
            // The remaining operations are minimum and maximum.
            _ => {
                let (less, operands) = match op {
                    Binary::MinSigned => (Binary::LessSigned, [a, b]),
                    Binary::MaxSigned => (Binary::LessSigned, [b, a]),
                    Binary::MinUnsigned => (Binary::LessUnsigned, [a, b]),
                    _ => (Binary::LessUnsigned, [b, a]),
                };
                for operand in operands.into_iter().chain([a, b]) {
                    self.push_lane(operand, bits, lane);
                }
                self.ops([comparison(less, bits), I::Select]);
            }
        }
    }

    /// Divides without a trap. A divisor of zero results in all ones, and MIN / -1 wraps around.
    fn divide(&mut self, op: Binary, [a, b]: [SavedOperand; 2], bits: u32, lane: u8) {
        let is_signed = matches!(op, Binary::DivSigned | Binary::RemSigned);
        let is_wide = bits == 64;
        let pick = |wide: I<'static>, narrow: I<'static>| if is_wide { wide } else { narrow };
        let ty = if is_wide { ValType::I64 } else { ValType::I32 };
        let result = BlockType::Result(ty);
        let ones = pick(I::I64Const(-1), I::I32Const(-1));
        let minus_one = match is_wide {
            true => u64::MAX,
            false => u32::MAX.into(),
        };
        let known = match b {
            SavedOperand::Constant(value) => Some(value),
            _ => None,
        };
        let may_be_zero = known.is_none_or(|value| value == 0);
        let may_overflow = is_signed && known.is_none_or(|value| value == minus_one);
        let divisor = match is_wide {
            true => self.emitter.names.offset,
            false => self.emitter.names.first,
        };
        if may_be_zero {
            self.push_lane(b, bits, lane);
            self.emitter.tee(divisor);
            self.ops([
                pick(I::I64Eqz, I::I32Eqz),
                I::If(result),
                ones.clone(),
                I::Else,
            ]);
        } else {
            self.push_lane(b, bits, lane);
            self.emitter.set(divisor);
        }
        if may_overflow {
            self.emitter.get(divisor);
            self.ops([ones, pick(I::I64Eq, I::I32Eq), I::If(result)]);
            self.op(pick(I::I64Const(0), I::I32Const(0)));
            if op == Binary::DivSigned {
                self.push_lane(a, bits, lane);
                self.op(pick(I::I64Sub, I::I32Sub));
            }
            self.op(I::Else);
        }
        self.push_lane(a, bits, lane);
        self.emitter.get(divisor);
        self.op(match op {
            Binary::DivSigned => pick(I::I64DivS, I::I32DivS),
            Binary::DivUnsigned => pick(I::I64DivU, I::I32DivU),
            Binary::RemSigned => pick(I::I64RemS, I::I32RemS),
            _ => pick(I::I64RemU, I::I32RemU),
        });
        for _ in 0..u32::from(may_be_zero) + u32::from(may_overflow) {
            self.op(I::End);
        }
    }

    fn refuse<T>(&self, what: &str) -> Result<T, BailoutReason> {
        self.emitter.unsupported(what)
    }
}

/// 32-bit number whose extension is a factor of a 64-bit product.
#[derive(Clone, Copy)]
enum Factor {
    Node(NodeId),
    Constant(u32),
}

/// Returns the WebAssembly type of a value.
fn type_of(bits: u32, part: LaneSelection) -> ValType {
    match (part, bits) {
        (LaneSelection::First, 64) => ValType::I64,
        (LaneSelection::First, _) => ValType::I32,
        (LaneSelection::All | LaneSelection::Half(_), _) => ValType::V128,
    }
}

/// Returns the vector instruction that multiplies the 32-bit lanes in the low or high halves of two vectors to 64-bit
/// products.
fn extended_product(sign: Signedness, half: u32) -> I<'static> {
    match (sign, half) {
        (Signed, 0) => I::I64x2ExtMulLowI32x4S,
        (Signed, _) => I::I64x2ExtMulHighI32x4S,
        (Unsigned, 0) => I::I64x2ExtMulLowI32x4U,
        (Unsigned, _) => I::I64x2ExtMulHighI32x4U,
    }
}

/// Returns the vector instruction that shifts all lanes by the same number of bits.
fn vector_shift(op: Binary, bits: u32) -> Option<I<'static>> {
    Some(match (op, bits) {
        (Binary::ShiftLeft, 64) => I::I64x2Shl,
        (Binary::ShiftLeft, _) => I::I32x4Shl,
        (Binary::ShiftRightSigned, 64) => I::I64x2ShrS,
        (Binary::ShiftRightSigned, _) => I::I32x4ShrS,
        (Binary::ShiftRightUnsigned, 64) => I::I64x2ShrU,
        (Binary::ShiftRightUnsigned, _) => I::I32x4ShrU,
        _ => return None,
    })
}

/// Returns the vector instruction for an operation. The instruction represents a true truth value as -1 in its lane.
fn vector_instruction(op: Binary, bits: u32) -> Option<I<'static>> {
    Some(match (op, bits) {
        (Binary::And, _) => I::V128And,
        (Binary::Or, _) => I::V128Or,
        (Binary::Xor, _) => I::V128Xor,
        (Binary::Add, 64) => I::I64x2Add,
        (Binary::Add, _) => I::I32x4Add,
        (Binary::Sub | Binary::AddTruth, 64) => I::I64x2Sub,
        (Binary::Sub | Binary::AddTruth, _) => I::I32x4Sub,
        (Binary::Mul, 64) => I::I64x2Mul,
        (Binary::Mul, _) => I::I32x4Mul,
        (Binary::MinSigned, 32) => I::I32x4MinS,
        (Binary::MinUnsigned, 32) => I::I32x4MinU,
        (Binary::MaxSigned, 32) => I::I32x4MaxS,
        (Binary::MaxUnsigned, 32) => I::I32x4MaxU,
        _ => return None,
    })
}

/// Returns the scalar instruction for an operation, or `None` if WebAssembly has no such instruction. The operand of an
/// addition of truth values is -1 if it is true.
fn number_instruction(op: Binary, bits: u32) -> Option<I<'static>> {
    let pick = |wide: I<'static>, narrow: I<'static>| match bits {
        64 => wide,
        _ => narrow,
    };
    Some(match op {
        Binary::Add => pick(I::I64Add, I::I32Add),
        Binary::Sub | Binary::AddTruth => pick(I::I64Sub, I::I32Sub),
        Binary::Mul => pick(I::I64Mul, I::I32Mul),
        Binary::And => pick(I::I64And, I::I32And),
        Binary::Or => pick(I::I64Or, I::I32Or),
        Binary::Xor => pick(I::I64Xor, I::I32Xor),
        Binary::ShiftLeft => pick(I::I64Shl, I::I32Shl),
        Binary::ShiftRightSigned => pick(I::I64ShrS, I::I32ShrS),
        Binary::ShiftRightUnsigned => pick(I::I64ShrU, I::I32ShrU),
        _ => return None,
    })
}

fn is_comparison(op: Binary) -> bool {
    matches!(
        op,
        Binary::Equal | Binary::LessSigned | Binary::LessUnsigned
    )
}

/// Returns the scalar WebAssembly instruction for a comparison.
fn comparison(op: Binary, bits: u32) -> I<'static> {
    match (op, bits) {
        (Binary::Equal, 64) => I::I64Eq,
        (Binary::Equal, _) => I::I32Eq,
        (Binary::LessSigned, 64) => I::I64LtS,
        (Binary::LessSigned, _) => I::I32LtS,
        (_, 64) => I::I64LtU,
        _ => I::I32LtU,
    }
}

/// Returns the vector instruction for the complement of a comparison.
fn complement(op: Binary, bits: u32) -> Option<I<'static>> {
    Some(match (op, bits) {
        (Binary::Equal, 64) => I::I64x2Ne,
        (Binary::Equal, _) => I::I32x4Ne,
        (Binary::LessSigned, 64) => I::I64x2GeS,
        (Binary::LessSigned, _) => I::I32x4GeS,
        (Binary::LessUnsigned, 32) => I::I32x4GeU,
        _ => return None,
    })
}
