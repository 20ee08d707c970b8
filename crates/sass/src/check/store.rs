//! Checks the modifiers, the address and the data of a store for one architecture.

use super::address::{AddressParts, AddressRegister, AddressShapeError, take_apart};
use crate::diagnostics::store as report;
use crate::store_modifiers::{BoundModifiers, bind};
use crate::syntax::{
    Instruction, Operand, OperandKind, Register, RegisterFile, RegisterNumber, Tree,
};
use warpgrid_isa::form::nearest;
use warpgrid_isa::sass::addresses::{LARGEST_ABSOLUTE, OFFSETS};
use warpgrid_isa::sass::{AddressShape, SassAddressForm, StoreModifierKind, StoreOpcode};
use warpgrid_isa::{StateSpace, Target, TargetRequirement};
use warpgrid_program::{Diagnostic, Span};

/// Store with its bound modifiers and components.
pub(crate) struct StoreCheck<'a> {
    tree: &'a Tree,
    source: &'a str,
    instruction: &'a Instruction,
    store: &'static StoreOpcode,
    bound: BoundModifiers,
    parts: Option<Result<AddressParts, AddressShapeError>>,
}

impl<'a> StoreCheck<'a> {
    pub(crate) fn new(
        tree: &'a Tree,
        source: &'a str,
        instruction: &'a Instruction,
        store: &'static StoreOpcode,
    ) -> StoreCheck<'a> {
        let modifiers = tree.modifiers(instruction);
        let words: Vec<&str> = modifiers.iter().map(|span| span.text(source)).collect();
        let parts = match tree.operands(instruction).first() {
            Some(Operand {
                value: OperandKind::Memory(memory),
                ..
            }) => Some(take_apart(tree, source, memory)),
            Some(_) | None => None,
        };
        StoreCheck {
            tree,
            source,
            instruction,
            store,
            bound: bind(store, &words),
            parts,
        }
    }

    /// Returns the target requirements of the store.
    pub(crate) fn gates(&self) -> Vec<TargetRequirement> {
        let mut gates = vec![self.store.on];
        gates.extend(self.bound.words.iter().map(|bound| bound.word.on));
        if let Some(Ok(parts)) = &self.parts
            && let Some(form) = self.form(parts.shape)
        {
            gates.push(form.on);
        }
        if self.predicate().is_some() {
            gates.extend(self.store.trailing_predicate);
        }
        gates
    }

    /// Reports all errors of the store for the architecture `target`.
    pub(crate) fn report(&self, target: &Target, out: &mut Vec<Diagnostic>) {
        let opcode = self.instruction.opcode;
        if !self.store.on.met_by(target) {
            out.push(report::opcode_target(opcode, self.store, target));
            return;
        }
        self.report_words(target, out);
        self.report_commas(out);
        self.report_address(target, out);
        self.report_data(target, out);
    }

    fn modifier(&self, index: usize) -> (Span, &'a str) {
        let span = self.tree.modifiers(self.instruction)[index];
        (span, span.text(self.source))
    }

    /// Returns the span of the source modifiers that form a bound modifier.
    fn parts_of(&self, parts: &std::ops::Range<usize>) -> Span {
        let modifiers = self.tree.modifiers(self.instruction);
        modifiers[parts.start].to(modifiers[parts.end - 1])
    }

    fn report_words(&self, target: &Target, out: &mut Vec<Diagnostic>) {
        let before = out.len();
        for &index in &self.bound.unknown {
            let (span, found) = self.modifier(index);
            out.push(self.unknown_word(span, found));
        }
        for (index, bound) in self.bound.words.iter().enumerate() {
            let span = self.parts_of(&bound.parts);
            let earlier = self.bound.words[..index]
                .iter()
                .find(|other| other.slot == bound.slot);
            if let Some(first) = earlier {
                let slot = self.store.slots[bound.slot];
                let first = self.parts_of(&first.parts);
                out.push(report::repeated(span, slot, bound.word.text, first));
            } else if !bound.word.on.met_by(target) {
                let text = bound.word.text;
                out.push(report::word_target(
                    span,
                    self.store,
                    text,
                    bound.word.on,
                    target,
                ));
            }
        }
        if out.len() == before {
            self.report_spelling(target, out);
        }
    }

    /// Reports valid modifiers that differ from the notation of the disassemblers: a missing scope, or a different order.
    fn report_spelling(&self, target: &Target, out: &mut Vec<Diagnostic>) {
        let span = self.mnemonic_span();
        let sem = self.store.slots.iter().find(|slot| slot.name == "sem");
        let plain = sem.and_then(|slot| {
            let mut words = slot.words.iter();
            words.find(|word| word.meaning == StoreModifierKind::Plain && word.on.met_by(target))
        });
        if plain.is_some() && self.bound.find(self.store, "sem").is_none() {
            out.push(report::plain_without_scope(span, target, span.end));
        } else if !self.bound.words.is_sorted_by_key(|bound| bound.slot) {
            let mut words: Vec<_> = self.bound.words.iter().collect();
            words.sort_by_cached_key(|bound| bound.slot as u64);
            let words: Vec<&str> = words.iter().map(|bound| bound.word.text).collect();
            let mnemonic = format!("{}.{}", self.store.opcode, words.join("."));
            out.push(report::word_order(span, &mnemonic));
        }
    }

    fn mnemonic_span(&self) -> Span {
        let modifiers = self.tree.modifiers(self.instruction);
        let opcode = self.instruction.opcode;
        modifiers.last().map_or(opcode, |last| opcode.to(*last))
    }

    fn unknown_word(&self, span: Span, found: &str) -> Diagnostic {
        let slots = self.store.slots;
        let words = || slots.iter().flat_map(|slot| slot.words);
        let whole: Vec<&str> = words()
            .map(|word| word.text)
            .filter(|text| text.split('.').any(|part| part == found) && text.contains('.'))
            .collect();
        if !whole.is_empty() {
            return report::incomplete_word(span, found, &whole);
        }
        let digits = found.trim_start_matches(['U', 'S', 'B', 'F']);
        if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return report::unknown_width(span, self.store, found);
        }
        let cached = [
            &warpgrid_isa::sass::stores::CACHE,
            &warpgrid_isa::sass::stores::EVICTION,
        ];
        let cached = cached
            .into_iter()
            .find(|slot| slot.words.iter().any(|word| word.text == found));
        match cached {
            Some(slot) if self.store.space == StateSpace::Shared => {
                let with_dot = Span::new(span.start.saturating_sub(1), span.end);
                report::not_cached(span, self.store, found, slot, with_dot)
            }
            Some(_) | None => {
                let near = nearest(found, words().map(|word| word.text));
                report::unknown_word(span, self.store, found, near)
            }
        }
    }

    fn operands(&self) -> &'a [Operand] {
        self.tree.operands(self.instruction)
    }

    fn report_commas(&self, out: &mut Vec<Diagnostic>) {
        for pair in self.operands().windows(2) {
            if !pair[1].after_comma {
                out.push(report::no_comma(pair[1].span, pair[0].span.end));
            }
        }
    }

    fn form(&self, shape: AddressShape) -> Option<&'static SassAddressForm> {
        self.store.addresses.iter().find(|form| form.shape == shape)
    }

    fn report_address(&self, target: &Target, out: &mut Vec<Diagnostic>) {
        let Some(operand) = self.operands().first() else {
            let message = "expected an address and data";
            out.push(report::n_operands(self.mnemonic_span(), message));
            return;
        };
        let parts = match &self.parts {
            Some(Ok(parts)) => parts,
            Some(Err(no_shape)) => {
                let span = match no_shape.span == Span::at(0) {
                    true => operand.span,
                    false => no_shape.span,
                };
                // The parser has already reported operands with syntax errors.
                if !self.is_reported(operand.span) {
                    out.push(report::address_parts(span, &no_shape.why));
                }
                return;
            }
            None => {
                if !matches!(operand.value, OperandKind::Unknown(_)) {
                    let found = operand.span.text(self.source);
                    out.push(report::not_an_address(operand.span, found));
                }
                return;
            }
        };
        match self.form(parts.shape) {
            None => out.push(report::address_form(operand.span, self.store, parts.shape)),
            Some(form) if !form.on.met_by(target) => {
                let (span, shape) = (operand.span, parts.shape);
                out.push(report::address_target(
                    span, self.store, shape, form.on, target,
                ));
            }
            Some(_) => {}
        }
        self.report_registers(parts, target, out);
        report_offset(parts, out);
    }

    /// Returns whether the parser reported a syntax error within `span`.
    fn is_reported(&self, span: Span) -> bool {
        let inside = |error: Span| span.start <= error.start && error.end <= span.end;
        self.tree.errors.iter().any(|error| inside(error.span))
    }

    fn report_registers(&self, parts: &AddressParts, target: &Target, out: &mut Vec<Diagnostic>) {
        let window = matches!(self.store.space, StateSpace::Shared | StateSpace::Local);
        let extended = self.bound.find(self.store, "E").is_some();
        let base_is_pair = match parts.shape {
            AddressShape::Pair | AddressShape::PairAndUniform | AddressShape::Descriptor => true,
            AddressShape::Register => extended,
            AddressShape::Absolute
            | AddressShape::RegisterAndUniform
            | AddressShape::LowHalfAndUniform
            | AddressShape::ZeroAndUniform
            | AddressShape::Uniform
            | AddressShape::Scaled
            | AddressShape::ScaledAndUniform => false,
        };
        let pairs = [
            (parts.base, base_is_pair),
            (parts.uniform, !window),
            (parts.descriptor, true),
        ];
        for (part, is_pair) in pairs {
            let Some(AddressRegister { register, span }) = part else {
                continue;
            };
            let RegisterNumber::Number(number) = register.number else {
                continue;
            };
            let last = report::last_number(register.file, target);
            if number > last {
                out.push(report::beyond_last(span, register, 1, last));
            } else if is_pair && number % 2 == 1 {
                out.push(report::odd_address(span, register, span, last));
            } else if is_pair && number + 1 > last {
                out.push(report::beyond_last(span, register, 2, last));
            }
        }
    }

    /// Returns the predicate operand that follows the data of the store, if present.
    fn predicate(&self) -> Option<&'a Operand> {
        let last = self.operands().get(2)?;
        match last.value {
            OperandKind::Register(Register {
                file: RegisterFile::Predicate,
                ..
            }) => Some(last),
            _ => None,
        }
    }

    fn width_bits(&self) -> u32 {
        match self.bound.find(self.store, "sz").map(|word| word.meaning) {
            Some(StoreModifierKind::Width(bits)) => bits,
            Some(_) | None => 32,
        }
    }

    fn report_data(&self, target: &Target, out: &mut Vec<Diagnostic>) {
        let operands = self.operands();
        let bits = self.width_bits();
        let n_runs = if bits == 256 { 2 } else { 1 };
        let n_registers = (bits / n_runs).div_ceil(32);
        let mask = match bits {
            256 => operands.get(1 + n_runs as usize).and_then(mask_of),
            _ => None,
        };
        for index in 0..n_runs as usize {
            let n_registers = match mask {
                // The registers of the stored words are contiguous, so the number of selected words determines the number of registers.
                Some(mask) => (mask >> (4 * index) & 0xf).count_ones().next_power_of_two(),
                None => n_registers,
            };
            match operands.get(1 + index) {
                Some(operand) => self.report_run(operand, n_registers, target, out),
                None if operands.is_empty() => return,
                None => {
                    let message = match n_runs {
                        1 => "expected data after the address",
                        _ => "expected two register ranges for a 256-bit store",
                    };
                    let last = operands.last().map_or(self.instruction.span, |o| o.span);
                    out.push(report::n_operands(last, message));
                    return;
                }
            }
        }
        let n_expected = 1 + n_runs as usize + usize::from(mask.is_some());
        let Some(extra) = operands.get(n_expected) else {
            return;
        };
        match (self.predicate(), self.store.trailing_predicate) {
            (Some(last), Some(gate)) if operands.len() == 3 && gate.met_by(target) => {
                self.report_predicate(last, target, out);
            }
            (Some(last), _) if operands.len() == 3 => {
                out.push(report::trailing_predicate(last.span, self.store, target));
            }
            _ => out.push(report::n_operands(
                extra.span,
                match bits {
                    256 => "expected only a mask of eight words after the data",
                    _ => "expected only an address operand and a data operand",
                },
            )),
        }
    }

    fn report_predicate(&self, operand: &Operand, target: &Target, out: &mut Vec<Diagnostic>) {
        if let OperandKind::Register(register) = operand.value
            && let RegisterNumber::Number(number) = register.number
            && number > report::last_number(register.file, target)
        {
            let last = report::last_number(register.file, target);
            out.push(report::beyond_last(operand.span, register, 1, last));
        }
    }

    fn report_run(
        &self,
        operand: &Operand,
        n_registers: u32,
        target: &Target,
        out: &mut Vec<Diagnostic>,
    ) {
        let unsigned = operand.signs == Default::default();
        let register = match operand.value {
            OperandKind::Register(register)
                if register.file == RegisterFile::General && unsigned =>
            {
                register
            }
            OperandKind::Unknown(_) => return,
            _ => {
                let found = operand.span.text(self.source);
                out.push(report::not_data(operand.span, found));
                return;
            }
        };
        let RegisterNumber::Number(number) = register.number else {
            return;
        };
        let last = report::last_number(register.file, target);
        if number > last {
            out.push(report::beyond_last(operand.span, register, 1, last));
        } else if u32::from(number) % n_registers != 0 {
            out.push(report::unaligned_run(
                operand.span,
                register,
                n_registers,
                last,
            ));
        } else if u32::from(number) + n_registers - 1 > u32::from(last) {
            out.push(report::beyond_last(
                operand.span,
                register,
                n_registers,
                last,
            ));
        }
    }
}

/// Returns the mask of a store of eight words: bit i selects word i.
fn mask_of(operand: &Operand) -> Option<u64> {
    match operand.value {
        OperandKind::Integer(mask) if mask <= 0xff && operand.signs == Default::default() => {
            Some(mask)
        }
        _ => None,
    }
}

fn report_offset(parts: &AddressParts, out: &mut Vec<Diagnostic>) {
    let Some((offset, span)) = parts.offset else {
        return;
    };
    // If the address has no register, or the register `RZ`, the offset is an absolute address.
    let is_absolute = match parts.base {
        Some(base) => base.register.number == RegisterNumber::Zero && parts.uniform.is_none(),
        None => parts.uniform.is_none(),
    };
    if is_absolute {
        if !(0..=i128::from(LARGEST_ABSOLUTE)).contains(&offset) {
            out.push(report::absolute_range(span, offset));
        }
    } else if !(i128::from(*OFFSETS.start())..=i128::from(*OFFSETS.end())).contains(&offset) {
        out.push(report::offset_range(span, offset));
    }
}
