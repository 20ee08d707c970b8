//! Symbolic evaluation of the operations that the emulator defines with primitive operations: integer operations,
//! comparisons, selections and moves. The module takes a decoded operation, and returns a graph that computes the
//! results of the operation.
//!
//! The code generator, the stride analysis and the affine address analysis read these graphs instead of interpreting
//! operations.

use crate::value::{Capture, Flag, Graph, Node, NodeId, Value};
use warpgrid_emulator::translation_view::compare::{Upper16, compare, true_bits};
use warpgrid_emulator::translation_view::integer;
use warpgrid_emulator::translation_view::word::{Truth, Word};
use warpgrid_emulator::translation_view::{
    CarryMode, CarryOp, CompareType, Comparison, Conversion, DecodedOp, OperandLocation,
    OperandSlot, PlanId, PredicateCombine, RegisterBank, RegisterOperand, TranslationView,
};
use warpgrid_isa::{BoolOp, Signedness};

/// Destination register or flag of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    Register(RegisterBank, OperandSlot),
    CarryFlag,
}

/// Results of an operation, in the order of their computation.
pub(crate) type OperationResults = Vec<(Destination, NodeId)>;

type Word32<'g> = Value<'g, 32>;
type Word64<'g> = Value<'g, 64>;

/// Lookup of the constant operands of an operation, implemented by the code generator and the analyses.
pub(crate) trait Operands {
    fn plain(&self) -> TranslationView<'_>;
    /// Returns the constant value that a register has in all lanes, if it is known.
    fn known_register(&self, bank: RegisterBank, index: u32) -> Option<u64>;
}

/// Lookup that finds only the constants of the decoded code, not the constant values of registers.
impl Operands for TranslationView<'_> {
    fn plain(&self) -> TranslationView<'_> {
        *self
    }

    fn known_register(&self, _: RegisterBank, _: u32) -> Option<u64> {
        None
    }
}

/// Returns the results of an operation, or `None` if the operation is not defined with primitive operations.
pub(crate) fn results(
    operands: &impl Operands,
    graph: &Graph,
    op: &DecodedOp,
) -> Option<OperationResults> {
    GraphBuilder { operands, graph }.results(op)
}

/// Builder for the graph that computes the results of an operation.
struct GraphBuilder<'a, 'g, O> {
    operands: &'a O,
    graph: &'g Graph,
}

impl<'g, O: Operands> GraphBuilder<'_, 'g, O> {
    fn results(&self, op: &DecodedOp) -> Option<OperationResults> {
        self.integer_results(op)
            .or_else(|| self.bit_results(op))
            .or_else(|| self.move_results(op))
            .or_else(|| self.predicate_results(op))
    }

    /// Returns the results of integer arithmetic, products, and carry chains.
    fn integer_results(&self, op: &DecodedOp) -> Option<OperationResults> {
        match *op {
            DecodedOp::Int16 { f, sign, slots } => {
                let (d, sources) = self.words(slots);
                to_32(d, |result| {
                    integer::int16(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Int32 { f, sign, slots } => {
                let (d, sources) = self.words(slots);
                to_32(d, |result| {
                    integer::int32(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Int64 { f, sign, slots } => {
                let (d, sources) = self.wide_words(slots);
                to_64(d, |result| {
                    integer::int64(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Int16x2 { f, sign, slots } => {
                let (d, sources) = (slots[0], [slots[1], slots[2]].map(|slot| self.word32(slot)));
                to_32(d, |result| {
                    integer::int16x2(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Int8x4 { f, sign, slots } => {
                let (d, sources) = (slots[0], [slots[1], slots[2]].map(|slot| self.word32(slot)));
                to_32(d, |result| {
                    integer::int8x4(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Wide32 { sign, slots } => {
                let [d, a, b, c] = slots;
                let [a, b] = [a, b].map(|slot| self.word32(slot));
                let sources = (a, b, self.word64(c));
                to_64(d, |result| {
                    integer::wide32(sign, Capture { sources, result });
                })
            }
            DecodedOp::Wide16 { sign, slots } => {
                let (d, sources) = self.words(slots);
                to_32(d, |result| {
                    integer::wide16(sign, Capture { sources, result });
                })
            }
            DecodedOp::Carry32 { f, mode, slots } => {
                let (d, sources) = self.words(slots);
                self.carried(RegisterBank::B32, d, f, mode, sources)
            }
            DecodedOp::Carry64 { f, mode, slots } => {
                let (d, sources) = self.wide_words(slots);
                self.carried(RegisterBank::B64, d, f, mode, sources)
            }
            _ => None,
        }
    }

    /// Returns the results of shifts, bit field operations, and accesses to register elements.
    fn bit_results(&self, op: &DecodedOp) -> Option<OperationResults> {
        let graph = self.graph;
        match *op {
            DecodedOp::Shift64 { f, sign, slots } => {
                let [d, a, b] = slots;
                let sources = (self.word64(a), self.word32(b));
                to_64(d, |result| {
                    integer::shift(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Count64 { f, sign, slots } => {
                let sources = self.word64(slots[1]);
                to_32(slots[0], |result| {
                    integer::count(f, sign, Capture { sources, result });
                })
            }
            DecodedOp::Extract64 { sign, slots } => {
                let [d, a, b, c] = slots;
                let [position, length] = [b, c].map(|slot| self.word32(slot));
                let bits = integer::extract(self.word64(a), position, length, sign);
                register(RegisterBank::B64, d, bits.id)
            }
            DecodedOp::Insert32([d, slots @ ..]) => {
                let [a, b, position, length] = slots.map(|slot| self.word32(slot));
                register(
                    RegisterBank::B32,
                    d,
                    integer::insert(a, b, position, length).id,
                )
            }
            DecodedOp::Insert64([d, a, b, c, e]) => {
                let [a, b] = [a, b].map(|slot| self.word64(slot));
                let [position, length] = [c, e].map(|slot| self.word32(slot));
                register(
                    RegisterBank::B64,
                    d,
                    integer::insert(a, b, position, length).id,
                )
            }
            DecodedOp::Pack {
                d,
                elements,
                element_bits,
            } if d.bank != RegisterBank::B128 => self.packed(d, elements, element_bits),
            DecodedOp::Unpack {
                a,
                elements,
                element_bits,
            } if a.bank != RegisterBank::B128 => {
                let a = self.element(a)?;
                let elements = self.operands.plain().elements(elements).iter();
                let parts = elements.zip((0u64..).step_by(element_bits.max(1).into()));
                let parts = parts.map(|(element, shift)| {
                    let part = match shift < 64 {
                        true => a.shift_right_unsigned(graph.value(Node::Constant(shift))),
                        false => a.constant(0),
                    };
                    to_element(*element, low_bits(part, element_bits.into()))
                });
                let results: Option<Vec<OperationResults>> = parts.collect();
                results.map(|results| results.concat())
            }
            _ => None,
        }
    }

    /// Returns the results of moves, conversions between integers, and selections.
    fn move_results(&self, op: &DecodedOp) -> Option<OperationResults> {
        let graph = self.graph;
        match *op {
            DecodedOp::Mov32 { d, a } => register(RegisterBank::B32, d, self.word32(a).id),
            DecodedOp::Mov64 { d, a } => register(RegisterBank::B64, d, self.word64(a).id),
            DecodedOp::MovPredicate { d, a } => {
                register(RegisterBank::Predicate, d, self.flag(a).id())
            }
            DecodedOp::Extend32 { sign, d, a } => {
                let wide = extended(self.word32(a), sign);
                register(RegisterBank::B64, d, wide.id)
            }
            DecodedOp::Truncate64 { d, a } => {
                register(RegisterBank::B32, d, self.word64(a).to_narrow().id)
            }
            DecodedOp::Convert {
                ref conversion,
                d,
                a,
            } if conversion.is_between_integers() => {
                let Conversion { from, to, .. } = *conversion;
                let wide = self.element(a)?;
                to_element(
                    d,
                    match from.width_bits().max(to.width_bits()) > 32 {
                        true => integer::convert(wide, conversion),
                        false => {
                            let narrow = integer::convert(wide.to_narrow(), conversion);
                            extended(narrow, to.signedness())
                        }
                    },
                )
            }
            DecodedOp::AlignDown { d, a, bytes } => {
                let a = self.element(a)?;
                to_element(d, a.and(a.constant(!u64::from(bytes.max(1) - 1))))
            }
            DecodedOp::Offset { d, a, addend } => {
                let a = self.element(a)?;
                to_element(d, a.add(a.constant(addend)))
            }
            DecodedOp::Select32 { d, a, b, p } => {
                let [a, b] = [a, b].map(|slot| self.word32(slot));
                register(RegisterBank::B32, d, Value::select(self.flag(p), a, b).id)
            }
            DecodedOp::Select64 { d, a, b, p } => {
                let [a, b] = [a, b].map(|slot| self.word64(slot));
                register(RegisterBank::B64, d, Value::select(self.flag(p), a, b).id)
            }
            DecodedOp::Policy { d } => register(
                RegisterBank::B64,
                d,
                graph.value::<64>(Node::Constant(0)).id,
            ),
            _ => None,
        }
    }

    /// Returns the results of predicate logic and comparisons.
    fn predicate_results(&self, op: &DecodedOp) -> Option<OperationResults> {
        let graph = self.graph;
        match *op {
            DecodedOp::PredicateLogic { table, d, a, b } => {
                let [a, b] = [a, b].map(|slot| self.flag(slot));
                // In the truth table, bit `2 * a + b` is the result for the operands `a` and `b`.
                let terms = (0..4u8).filter(|bit| table >> bit & 1 != 0).map(|bit| {
                    let a = if bit & 2 != 0 { a } else { a.not() };
                    let b = if bit & 1 != 0 { b } else { b.not() };
                    a.and(b)
                });
                let value = terms.reduce(Truth::or);
                let value = value.unwrap_or_else(|| graph.flag(Node::Constant(0)));
                register(RegisterBank::Predicate, d, value.id())
            }
            DecodedOp::SetPredicate {
                ref compare,
                d,
                q,
                combine,
            } => {
                let holds = self.comparison(compare)?;
                let results = [(d, holds), (q, holds.not())].into_iter();
                let results = results
                    .filter(|(slot, _)| slot.is_some())
                    .map(|(slot, value)| {
                        let value = self.combined(value, combine);
                        (
                            Destination::Register(RegisterBank::Predicate, slot),
                            value.id(),
                        )
                    });
                Some(results.collect())
            }
            DecodedOp::Set {
                ref compare,
                to,
                d,
                combine,
            } => {
                let holds = self.comparison(compare)?;
                let holds = self.combined(holds, combine);
                let yes: Word32<'g> = graph.value(Node::Constant(true_bits(to).into()));
                register(
                    RegisterBank::B32,
                    d,
                    Value::select(holds, yes, yes.constant(0)).id,
                )
            }
            _ => None,
        }
    }

    /// Returns the sum of an operation in a carry chain, and the carry flag that the operation writes.
    fn carried<const BITS: u32>(
        &self,
        bank: RegisterBank,
        d: OperandSlot,
        f: CarryOp,
        mode: CarryMode,
        sources: [Value<'g, BITS>; 3],
    ) -> Option<OperationResults> {
        let sources = (sources, self.graph.flag(Node::CarryFlag));
        let mut found = None;
        let result = &mut found;
        integer::carry(f, mode, Capture { sources, result });
        let (sum, flag) = found?;
        let mut results = vec![(Destination::Register(bank, d), sum.id)];
        if mode.writes {
            results.push((Destination::CarryFlag, flag.id()));
        }
        Some(results)
    }

    /// Returns the value of a register into which elements are packed.
    fn packed(
        &self,
        d: RegisterOperand,
        elements: PlanId<Vec<RegisterOperand>>,
        element_bits: u8,
    ) -> Option<OperationResults> {
        let mut value = self.graph.value::<64>(Node::Constant(0));
        for (shift, element) in (0u64..)
            .step_by(element_bits.max(1).into())
            .zip(self.operands.plain().elements(elements))
            .take_while(|(shift, _)| *shift < 64)
        {
            let element = low_bits(self.element(*element)?, element_bits.into());
            value = value.or(element.shift_left(self.graph.value(Node::Constant(shift))));
        }
        to_element(d, value)
    }

    /// Compares integers with primitive operations. A comparison of floats is a single graph node.
    fn comparison(&self, c: &Comparison) -> Option<Flag<'g>> {
        use CompareType as K;
        let sign = c.kind.signedness();
        let mut found = None;
        let result = &mut found;
        match c.kind {
            K::U32 | K::S32 => {
                let sources = [c.a, c.b].map(|slot| self.word32(slot));
                compare(c.op, sign, Capture { sources, result });
            }
            K::U16 | K::S16 => {
                let sources = [c.a, c.b].map(|slot| self.word32(slot));
                compare(c.op, sign, Upper16(Capture { sources, result }));
            }
            K::U64 | K::S64 => {
                let sources = [c.a, c.b].map(|slot| self.word64(slot));
                compare(c.op, sign, Capture { sources, result });
            }
            K::F16 | K::Bf16 | K::F32 => {
                let sources = [c.a, c.b].map(|slot| self.word32(slot).id);
                return Some(self.graph.flag(Node::FloatComparison(sources)));
            }
            K::F64 => {
                let sources = [c.a, c.b].map(|slot| self.word64(slot).id);
                return Some(self.graph.flag(Node::FloatComparison(sources)));
            }
        }
        found
    }

    fn combined(&self, value: Flag<'g>, combine: Option<PredicateCombine>) -> Flag<'g> {
        let Some(combine) = combine else {
            return value;
        };
        let other = self.flag(combine.slot);
        let other = if combine.negated { other.not() } else { other };
        match combine.op {
            BoolOp::And => value.and(other),
            BoolOp::Or => value.or(other),
            BoolOp::Xor => value.xor(other),
        }
    }

    /// Returns the destination slot of an operation, and the source operands as 32-bit values.
    fn words(&self, slots: [OperandSlot; 4]) -> (OperandSlot, [Word32<'g>; 3]) {
        let [d, sources @ ..] = slots;
        (d, sources.map(|slot| self.word32(slot)))
    }

    /// Returns the destination slot of an operation, and the source operands as 64-bit values.
    fn wide_words(&self, slots: [OperandSlot; 4]) -> (OperandSlot, [Word64<'g>; 3]) {
        let [d, sources @ ..] = slots;
        (d, sources.map(|slot| self.word64(slot)))
    }

    fn word32(&self, slot: OperandSlot) -> Word32<'g> {
        let plain = self.operands.plain();
        self.graph.value(match slot.place() {
            OperandLocation::Constant(index) => Node::Constant(plain.constant32(index).into()),
            _ => self.source(RegisterBank::B32, slot),
        })
    }

    fn word64(&self, slot: OperandSlot) -> Word64<'g> {
        let plain = self.operands.plain();
        self.graph.value(match slot.place() {
            OperandLocation::Constant(index) => Node::Constant(plain.constant64(index)),
            _ => self.source(RegisterBank::B64, slot),
        })
    }

    fn flag(&self, slot: OperandSlot) -> Flag<'g> {
        let plain = self.operands.plain();
        self.graph.flag(match slot.place() {
            OperandLocation::Constant(index) => {
                Node::Constant(plain.constant_predicate(index).into())
            }
            _ => self.source(RegisterBank::Predicate, slot),
        })
    }

    /// Returns the node of an operand that is not a constant of the code.
    fn source(&self, bank: RegisterBank, slot: OperandSlot) -> Node {
        let known = match slot.place() {
            OperandLocation::None => Some(0),
            OperandLocation::Register(index) => self.operands.known_register(bank, index),
            OperandLocation::Constant(_) | OperandLocation::Special(_) => None,
        };
        known.map_or(Node::Source(bank, slot), Node::Constant)
    }

    /// Returns a register element of at most 64 bits, zero-extended to 64 bits.
    fn element(&self, e: RegisterOperand) -> Option<Word64<'g>> {
        match e.bank {
            RegisterBank::B32 => Some(self.word32(e.slot).to_wide_unsigned()),
            RegisterBank::B64 => Some(self.word64(e.slot)),
            RegisterBank::B128 | RegisterBank::Predicate => None,
        }
    }
}

/// Returns the result that replaces a register element with the low bits of a value.
fn to_element(e: RegisterOperand, value: Word64<'_>) -> Option<OperationResults> {
    match e.bank {
        RegisterBank::B64 => register(RegisterBank::B64, e.slot, value.id),
        RegisterBank::B32 => {
            let low = low_bits(value, e.bits.clamp(1, 32)).to_narrow();
            register(RegisterBank::B32, e.slot, low.id)
        }
        RegisterBank::B128 | RegisterBank::Predicate => None,
    }
}
fn extended(value: Word32<'_>, sign: Signedness) -> Word64<'_> {
    match sign {
        Signedness::Signed => value.to_wide_signed(),
        Signedness::Unsigned => value.to_wide_unsigned(),
    }
}

/// Clears all bits of a value except for the low `bits` bits.
fn low_bits(value: Word64<'_>, bits: u32) -> Word64<'_> {
    value.and(value.constant(u64::MAX >> (64 - bits.clamp(1, 64))))
}

fn register(bank: RegisterBank, slot: OperandSlot, id: NodeId) -> Option<OperationResults> {
    Some(vec![(Destination::Register(bank, slot), id)])
}

fn to_32<'g>(
    d: OperandSlot,
    operation: impl FnOnce(&mut Option<Word32<'g>>),
) -> Option<OperationResults> {
    let mut result = None;
    operation(&mut result);
    register(RegisterBank::B32, d, result?.id)
}

fn to_64<'g>(
    d: OperandSlot,
    operation: impl FnOnce(&mut Option<Word64<'g>>),
) -> Option<OperationResults> {
    let mut result = None;
    operation(&mut result);
    register(RegisterBank::B64, d, result?.id)
}
