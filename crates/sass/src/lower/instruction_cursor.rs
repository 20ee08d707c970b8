//! Cursor over the modifiers and operands of one instruction. Each lowering function consumes the modifiers that it supports. An
//! instruction with an unconsumed modifier is unsupported, so that no modifier is silently ignored.

use super::body::{LoweredOperand, SpannedValue, id_of, plain};
use crate::syntax::{
    Bracket, Instruction, MemoryOperand, Operand, OperandKind, Register, RegisterFile,
    RegisterNumber, TermOperator, TermValue, Tree,
};
use std::cell::Cell;
use warpgrid_isa::ScalarType;
use warpgrid_program::{
    OperandValue, RegisterId, RegisterTuple, Source, SourceModifiers, Span, SubregisterSelector,
};

/// Reason why the lowering does not support an instruction. The program represents an unsupported instruction by an operation that stops
/// execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unsupported {
    pub(super) what: String,
    pub(super) span: Span,
}

pub(super) type LowerResult<T> = Result<T, Unsupported>;

/// Cursor over the modifiers and operands of a SASS instruction, from which a lowering function reads.
#[derive(Clone)]
pub(super) struct InstructionCursor<'a> {
    pub(super) tree: &'a Tree,
    pub(super) source: &'a str,
    pub(super) instruction: &'a Instruction,
    /// Modifiers that the lowering function has not consumed.
    modifiers: Vec<&'a str>,
    operands: &'a [Operand],
    next: usize,
    /// Word of the encoding that contains the literal operand, or `None` if the listing contains no encodings.
    literal: Option<u32>,
    /// Span of a consumed NaN literal whose bits the listing does not contain.
    undetermined: Cell<Option<Span>>,
}

impl<'a> InstructionCursor<'a> {
    /// Creates a cursor for an instruction. `encoding` is the encoding of the instruction, if the source contains it.
    pub(super) fn new(
        tree: &'a Tree,
        source: &'a str,
        instruction: &'a Instruction,
        encoding: Option<u128>,
    ) -> InstructionCursor<'a> {
        let modifiers = tree.modifiers(instruction).iter();
        // 128-bit instructions have at most one literal, in bits 32 to 63 (observed from `sm_75` to `sm_121`).
        let encoding = encoding.filter(|bits| bits >> 64 != 0);
        InstructionCursor {
            tree,
            source,
            instruction,
            modifiers: modifiers.map(|span| span.text(source)).collect(),
            operands: tree.operands(instruction),
            next: 0,
            literal: encoding.map(|bits| (bits >> 32) as u32),
            undetermined: Cell::new(None),
        }
    }

    pub(super) fn opcode(&self) -> &'a str {
        self.instruction.opcode.text(self.source)
    }

    /// Returns the opcode with its modifiers in source notation.
    pub(super) fn mnemonic(&self) -> &'a str {
        let last = self.tree.modifiers(self.instruction).last();
        let end = last.map_or(self.instruction.opcode.end, |span| span.end);
        Span::new(self.instruction.opcode.start, end).text(self.source)
    }

    // `#[inline(never)]` reduces the code size, because these functions have many call sites and are rarely executed.
    #[inline(never)]
    pub(super) fn unknown(&self, what: impl AsRef<str>, span: Span) -> Unsupported {
        Unsupported {
            what: what.as_ref().to_owned(),
            span,
        }
    }

    /// Consumes a modifier and returns whether it was present.
    #[inline(never)]
    pub(super) fn consume(&mut self, word: &str) -> bool {
        #[cfg(test)]
        note_asked(word);
        let place = self.modifiers.iter().position(|modifier| *modifier == word);
        place.map(|place| self.modifiers.remove(place)).is_some()
    }

    /// Consumes the first modifier in `words` that is present, and returns its value.
    pub(super) fn consume_one_of<T: Copy>(&mut self, words: &[(&str, T)]) -> Option<T> {
        #[cfg(test)]
        words.iter().for_each(|(word, _)| note_asked(word));
        let found = words
            .iter()
            .find(|(word, _)| self.modifiers.contains(word))?;
        self.consume(found.0);
        Some(found.1)
    }

    /// Consumes the modifiers in `words` if they are present. These modifiers have no effect on results.
    pub(super) fn ignore_modifiers(&mut self, words: &[&str]) {
        for word in words {
            self.consume(word);
        }
    }

    /// Returns whether a modifier is present and has not been consumed.
    pub(super) fn has(&self, word: &str) -> bool {
        self.modifiers.contains(&word)
    }

    /// Returns the modifiers that have not been consumed.
    pub(super) fn modifiers_left(&self) -> Vec<&'a str> {
        self.modifiers.clone()
    }

    /// Consumes all remaining modifiers and operands, for instructions that have no effect on results.
    pub(super) fn ignore_rest(&mut self) {
        self.modifiers.clear();
        self.next = self.operands.len();
    }

    /// Returns the span of a consumed NaN literal whose bits the listing does not contain.
    pub(super) fn undetermined_literal(&self) -> Option<Span> {
        self.undetermined.get()
    }

    /// Returns an error if a modifier or operand has not been consumed.
    pub(super) fn expect_end(&self) -> LowerResult<()> {
        if let Some(word) = self.modifiers.first() {
            let subject = format!("modifier `.{word}`");
            return Err(self.unknown(subject, self.instruction.opcode));
        }
        match self.operands.get(self.next) {
            Some(operand) => Err(self.unknown("unexpected operand", operand.span)),
            None => Ok(()),
        }
    }

    // The following methods read the operands of the instruction.

    pub(super) fn peek(&self) -> Option<&'a Operand> {
        self.operands.get(self.next)
    }

    /// Returns the number of remaining operands.
    pub(super) fn n_left(&self) -> usize {
        self.operands.len().saturating_sub(self.next)
    }

    pub(super) fn next(&mut self) -> LowerResult<&'a Operand> {
        let operand = self.peek();
        self.next += 1;
        operand.ok_or_else(|| self.unknown("missing operand", self.instruction.span))
    }

    pub(super) fn operand_words(&self, operand: &Operand) -> Vec<&'a str> {
        let modifiers = self.tree.operand_modifiers(operand).iter();
        modifiers.map(|span| span.text(self.source)).collect()
    }

    /// Returns whether the next operand is a predicate register.
    pub(super) fn is_predicate(&self) -> bool {
        let register = self.peek().and_then(|operand| as_register(&operand.value));
        register.is_some_and(is_predicate)
    }

    /// Reads a destination register, or the first of `n` destination registers. Returns `None` for `RZ`.
    pub(super) fn destination(&mut self, n: u8) -> LowerResult<(Option<RegisterTuple>, Span)> {
        let operand = self.next()?;
        let register = as_register(&operand.value);
        let Some(register) = register.filter(|r| !is_predicate(*r)) else {
            return Err(self.unknown("destination is not a register", operand.span));
        };
        let run = id_of(register).map(|first| RegisterTuple { first, n });
        Ok((run, operand.span))
    }

    /// Reads a destination register or a run of `n` destination registers, and returns the operand of the lowered operation.
    pub(super) fn to(&mut self, n: u8) -> LowerResult<LoweredOperand> {
        let (run, span) = self.destination(n)?;
        Ok(LoweredOperand::One(OperandValue::Destination(run), span))
    }

    /// Reads a destination predicate. Returns `None` for `PT`, which discards the result.
    pub(super) fn predicate_destination(&mut self) -> LowerResult<(Option<RegisterId>, Span)> {
        let operand = self.next()?;
        match as_register(&operand.value).filter(|register| is_predicate(*register)) {
            Some(register) => Ok((id_of(register), operand.span)),
            None => Err(self.unknown("destination is not a predicate", operand.span)),
        }
    }

    /// Reads a destination predicate, and returns it as an element for the operand list of the lowered operation.
    pub(super) fn placed_predicate(&mut self) -> LowerResult<SpannedValue> {
        let (id, span) = self.predicate_destination()?;
        Ok((OperandValue::Destination(id.map(RegisterTuple::one)), span))
    }

    /// Reads a source predicate, which the prefix `!` negates.
    pub(super) fn predicate(&mut self) -> LowerResult<SpannedValue> {
        let operand = self.next()?;
        let register = as_register(&operand.value).filter(|register| is_predicate(*register));
        let Some(register) = register else {
            return Err(self.unknown("source is not a predicate", operand.span));
        };
        let source = match id_of(register) {
            Some(id) => Source::Register(RegisterTuple::one(id)),
            None => Source::Immediate(1),
        };
        let negated = operand.signs.not;
        Ok((OperandValue::Predicate { source, negated }, operand.span))
    }

    /// Reads a 32-bit integer source.
    pub(super) fn source(&mut self) -> LowerResult<SpannedValue> {
        self.source_as(ScalarType::B32)
    }

    /// Reads a source operand of type `ty`. A 64-bit source is a register pair, and a 128-bit source consists of four registers. For
    /// floating-point types, decimal numbers are floats.
    pub(super) fn source_as(&mut self, ty: ScalarType) -> LowerResult<SpannedValue> {
        let operand = self.next()?;
        let value = self.value_of(operand, ty)?;
        Ok((value, operand.span))
    }

    pub(super) fn value_of(&self, operand: &Operand, ty: ScalarType) -> LowerResult<OperandValue> {
        self.value_with(operand, ty, self.part(operand)?)
    }

    /// Returns the value of an operand without the modifiers of the operand, which the caller has evaluated.
    pub(super) fn plain_value_of(
        &self,
        operand: &Operand,
        ty: ScalarType,
    ) -> LowerResult<OperandValue> {
        self.value_with(operand, ty, SubregisterSelector::Whole)
    }

    fn value_with(
        &self,
        operand: &Operand,
        ty: ScalarType,
        part: SubregisterSelector,
    ) -> LowerResult<OperandValue> {
        let n_registers = (ty.width_bits() / 32).max(1) as u8;
        let signs = operand.signs;
        let mut modifiers = SourceModifiers {
            negate: signs.negated,
            absolute: signs.absolute,
            invert: signs.inverted,
            part,
        };
        let source = match &operand.value {
            OperandKind::Register(register) => {
                let is_pair = self.operand_words(operand).contains(&"64");
                let n = if is_pair { 2 } else { n_registers };
                match (register.file, id_of(*register)) {
                    (
                        RegisterFile::General | RegisterFile::Uniform | RegisterFile::Barrier,
                        Some(first),
                    ) => Source::Register(RegisterTuple { first, n }),
                    (RegisterFile::General | RegisterFile::Uniform, None) => Source::Immediate(0),
                    _ => return Err(self.unknown("unsupported kind of source", operand.span)),
                }
            }
            OperandKind::Integer(_) | OperandKind::Float(_) => {
                // The bits of the literal already include the effect of its sign modifiers.
                let bits = self.number(operand, ty)?;
                modifiers = SourceModifiers {
                    part: modifiers.part,
                    invert: modifiers.invert,
                    ..SourceModifiers::NONE
                };
                Source::Immediate(bits)
            }
            OperandKind::Memory(memory) => self.constant(memory, operand.span)?,
            OperandKind::Target(_)
            | OperandKind::Relocation(_)
            | OperandKind::Set(_)
            | OperandKind::Word(_)
            | OperandKind::Unknown(_) => return Err(self.unknown("this source", operand.span)),
        };
        // Remove the negation of an integer zero, which has no effect.
        if source == Source::Immediate(0) && !ty.is_float() {
            modifiers.negate = false;
        }
        Ok(OperandValue::Source(source, modifiers))
    }

    /// Returns the part of the register that the modifiers of an operand select, such as `.H1`.
    fn part(&self, operand: &Operand) -> LowerResult<SubregisterSelector> {
        let mut part = SubregisterSelector::Whole;
        for word in self.operand_words(operand) {
            part = match word {
                "reuse" | "64" | "H1_H0" => part,
                "H0_H0" | "H0" => SubregisterSelector::LowTwice,
                "H1_H1" | "H1" => SubregisterSelector::HighTwice,
                "H0_H1" => SubregisterSelector::Swapped,
                "B0" => SubregisterSelector::Byte(0),
                "B1" => SubregisterSelector::Byte(1),
                "B2" => SubregisterSelector::Byte(2),
                "B3" => SubregisterSelector::Byte(3),
                _ => return Err(self.unknown(format!("`.{word}`"), operand.span)),
            };
        }
        Ok(part)
    }

    /// Returns the bits of a literal with its sign modifiers applied.
    pub(super) fn number(&self, operand: &Operand, ty: ScalarType) -> LowerResult<u64> {
        let text = operand.span.text(self.source);
        let float = match operand.value {
            OperandKind::Float(value) => Some(value),
            OperandKind::Integer(value) if ty.is_float() && !text.contains("0x") => {
                Some(value as f64)
            }
            _ => None,
        };
        if let Some(value) = float {
            let value = if operand.signs.absolute {
                value.abs()
            } else {
                value
            };
            let value = if operand.signs.negated { -value } else { value };
            if value.is_nan() && self.literal.is_none() {
                self.undetermined.set(Some(operand.span));
            }
            return Ok(match self.literal {
                // Take the bits of a NaN from the encoding, because disassemblers print a NaN without its payload.
                Some(word) if value.is_nan() && !is_half(ty) => match ty.width_bits() {
                    64 => u64::from(word) << 32,
                    _ => word.into(),
                },
                _ => float_bits(value, ty),
            });
        }
        match operand.value {
            OperandKind::Integer(value) if operand.signs.negated => Ok(match ty.width_bits() {
                64 => value.wrapping_neg(),
                _ => u64::from((value as u32).wrapping_neg()),
            }),
            OperandKind::Integer(value) => Ok(value),
            _ => Err(self.unknown("operand is not a number", operand.span)),
        }
    }

    /// Returns the bits of a register whose high and low halves are two literals.
    pub(super) fn halves(&self, high: &Operand, low: &Operand, ty: ScalarType) -> LowerResult<u64> {
        let bits = self.number(high, ty)? << 16 | self.number(low, ty)? & 0xffff;
        let is_nan = |operand: &Operand| matches!(operand.value, OperandKind::Float(value) if value.is_nan());
        Ok(match self.literal {
            Some(word) if is_nan(high) || is_nan(low) => word.into(),
            _ => bits,
        })
    }

    /// Reads the next operand as a number.
    pub(super) fn immediate(&mut self) -> LowerResult<u64> {
        let operand = self.next()?;
        self.number(operand, ScalarType::B32)
    }

    /// Returns the source for a constant bank operand such as `c[0x0][0x160]`.
    fn constant(&self, memory: &MemoryOperand, span: Span) -> LowerResult<Source> {
        let (bank, inside) = self.bank(memory, span)?;
        let mut byte_offset = 0i64;
        for term in self.tree.terms(inside) {
            match term.value {
                TermValue::Integer(value) => byte_offset += signed(term.joint, value),
                TermValue::Register(register) if is_zero(register) => {}
                TermValue::Register(_) | TermValue::Other(_) => {
                    return Err(self.unknown("a constant with a register offset", span));
                }
            }
        }
        Ok(Source::Constant {
            bank,
            byte_offset: byte_offset as u32,
        })
    }

    /// Reads the operand `PR`, which denotes all predicates.
    pub(super) fn all_predicates(&mut self) -> LowerResult<Span> {
        let operand = self.next()?;
        match operand.value {
            OperandKind::Word(span) if matches!(span.text(self.source), "PR" | "UPR") => {
                Ok(operand.span)
            }
            _ => Err(self.unknown("operand is not `PR`", operand.span)),
        }
    }

    /// Returns the predicate with the given number. For an opcode of the uniform datapath, the predicate is uniform.
    pub(super) fn predicate_id(&self, number: u16) -> Option<RegisterId> {
        id_of(Register {
            file: match self.opcode().starts_with('U') {
                true => RegisterFile::UniformPredicate,
                false => RegisterFile::Predicate,
            },
            number: RegisterNumber::Number(number),
        })
    }

    /// Returns the predicate with the given number as a source if bit `number` of `mask` is set, otherwise the constant false.
    pub(super) fn predicate_number(&self, number: u16, mask: u64) -> OperandValue {
        let id = (mask >> number & 1 != 0).then(|| self.predicate_id(number));
        let source = match id.flatten() {
            Some(id) => Source::Register(RegisterTuple::one(id)),
            None => Source::Immediate(0),
        };
        OperandValue::Predicate {
            source,
            negated: false,
        }
    }

    /// Returns the number of a constant bank, and the bracketed term that specifies the offset.
    pub(super) fn bank(
        &self,
        memory: &MemoryOperand,
        span: Span,
    ) -> LowerResult<(u8, &'a Bracket)> {
        let prefix = memory.prefix.map(|prefix| prefix.text(self.source));
        let [bank, inside] = self.tree.brackets(memory) else {
            return Err(self.unknown("this constant", span));
        };
        match (prefix, self.tree.terms(bank)) {
            (Some("c"), [term]) => match term.value {
                TermValue::Integer(number) if number < 32 => Ok((number as u8, inside)),
                _ => Err(self.unknown("this constant bank", span)),
            },
            _ => Err(self.unknown("this constant bank", span)),
        }
    }
}

/// Returns the `n` individual registers of a destination run.
pub(super) fn destinations(run: Option<RegisterTuple>, n: u8, span: Span) -> Vec<SpannedValue> {
    let one = |i: u8| {
        let register = run.map(|run| RegisterTuple::one(RegisterId(run.first.0 + u32::from(i))));
        (OperandValue::Destination(register), span)
    };
    (0..n).map(one).collect()
}

/// Splits a source into `n` 32-bit parts, starting with the low part.
pub(super) fn parts((value, span): SpannedValue, n: u8) -> Vec<SpannedValue> {
    let part = |i: u8| {
        let OperandValue::Source(source, modifiers) = value else {
            return (value.clone(), span);
        };
        let i = u32::from(i);
        let source = match source {
            Source::Register(run) => {
                Source::Register(RegisterTuple::one(RegisterId(run.first.0 + i)))
            }
            Source::Immediate(bits) => {
                Source::Immediate(bits.checked_shr(32 * i).unwrap_or(0) & 0xffff_ffff)
            }
            Source::Constant { bank, byte_offset } => Source::Constant {
                bank,
                byte_offset: byte_offset.wrapping_add(4 * i),
            },
            other => other,
        };
        (OperandValue::Source(source, modifiers), span)
    };
    (0..n).map(part).collect()
}

pub(super) fn as_register(value: &OperandKind) -> Option<Register> {
    match value {
        OperandKind::Register(register) => Some(*register),
        OperandKind::Integer(_)
        | OperandKind::Float(_)
        | OperandKind::Memory(_)
        | OperandKind::Target(_)
        | OperandKind::Relocation(_)
        | OperandKind::Set(_)
        | OperandKind::Word(_)
        | OperandKind::Unknown(_) => None,
    }
}

pub(super) fn is_predicate(register: Register) -> bool {
    matches!(
        register.file,
        RegisterFile::Predicate | RegisterFile::UniformPredicate
    )
}

pub(super) fn is_zero(register: Register) -> bool {
    register.number == RegisterNumber::Zero
}

pub(super) fn signed(joint: TermOperator, value: u64) -> i64 {
    match joint {
        TermOperator::First | TermOperator::Plus => value as i64,
        TermOperator::Minus | TermOperator::PlusMinus => (value as i64).wrapping_neg(),
    }
}

/// Returns the NaN that the hardware produces, with the sign of `nan`. For a 64-bit literal, the NaN has a zero lower half, because the
/// encoding contains only the upper half.
fn nan_bits(nan: f64, ty: ScalarType) -> u64 {
    let word = match nan.is_sign_negative() {
        true => 0xffff_ffff,
        false => 0x7fff_ffff,
    };
    match ty.width_bits() {
        64 => word << 32,
        _ if is_half(ty) => word >> 16,
        _ => word,
    }
}

/// Returns whether literals of a type have 16 bits.
fn is_half(ty: ScalarType) -> bool {
    use ScalarType as T;
    matches!(ty, T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2)
}

/// Returns the bits of a float in the format `ty`. Converts a NaN to the NaN that the hardware produces.
fn float_bits(value: f64, ty: ScalarType) -> u64 {
    match ty {
        _ if value.is_nan() => nan_bits(value, ty),
        ScalarType::F64 => value.to_bits(),
        ScalarType::F16 | ScalarType::F16x2 => half_bits(value),
        ScalarType::Bf16 | ScalarType::Bf16x2 => u64::from((value as f32).to_bits() >> 16),
        _ => u64::from((value as f32).to_bits()),
    }
}

/// Returns the bits of a 16-bit literal. The conversion does not round, because disassemblers print literals exactly.
fn half_bits(value: f64) -> u64 {
    const SMALLEST_NORMAL: f64 = 6.103515625e-5;
    const SUBNORMAL_UNITS: f64 = 16_777_216.0;
    let sign = u64::from(value.is_sign_negative()) << 15;
    let magnitude = value.abs();
    sign | match magnitude {
        _ if magnitude > 65504.0 => 0x7c00,
        _ if magnitude < SMALLEST_NORMAL => (magnitude * SUBNORMAL_UNITS) as u64,
        _ => {
            let bits = magnitude.to_bits();
            // Convert the exponent bias from 1023 to 15.
            (bits >> 42) - ((1023 - 15) << 10)
        }
    }
}

/// Creates an immediate source operand.
pub(super) fn number(value: u64) -> OperandValue {
    plain(Source::Immediate(value))
}

#[cfg(test)]
thread_local! {
    /// Modifiers that lowering functions have queried on this thread. Tests use this set.
    static ASKED: std::cell::RefCell<std::collections::BTreeSet<String>> =
        std::cell::RefCell::default();
}

#[cfg(test)]
fn note_asked(word: &str) {
    ASKED.with_borrow_mut(|asked| {
        if !asked.contains(word) {
            asked.insert(word.to_owned());
        }
    });
}

/// Returns the modifiers that lowering functions have queried on this thread.
#[cfg(test)]
pub(super) fn words_asked() -> Vec<String> {
    ASKED.with_borrow(|asked| asked.iter().cloned().collect())
}
