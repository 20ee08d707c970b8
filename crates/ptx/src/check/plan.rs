//! What checking finds out once for each distinct opcode: its form, the types its operands must have, what it will
//! become, and what is wrong with its modifiers. Every instruction with that opcode only compares its operands.

use super::kind::{self, Kind};
use super::store::Store;
use super::types::{Fit, widened};
use super::{Module, judge, offer};
use crate::diagnostics::check as diagnose;
use crate::tree::{MnemonicId, Tree};
use warpgrid_isa::form::{self, Bound, OperandShape, OperandSlot, SlotKind};
use warpgrid_isa::forms::OPCODES;
use warpgrid_isa::{Does, OperandType, ScalarType};
use warpgrid_program::{Diagnostic, Span};

/// The most operands that a form has.
pub(crate) const MAX_OPERANDS: usize = 8;

/// What must stand at an operand position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// A register that is written.
    Destination(ScalarType, Fit),
    /// A value that is read.
    Source(ScalarType, Fit),
    /// A destination and, after a bar, a predicate.
    Pair(ScalarType, PairRule),
    /// A predicate that is read, `!` allowed.
    Predicate,
    /// An address in brackets.
    Address,
    /// Left to the code of the family.
    Custom,
}

/// Whether a pair needs its second half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairRule {
    Required,
    Optional,
}

/// One distinct opcode, judged.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// `None` for opcodes that no row describes.
    pub(crate) bound: Option<Bound>,
    pub(crate) kind: Kind,
    pub(crate) expect: [Expect; MAX_OPERANDS],
    pub(crate) n_least: usize,
    pub(crate) n_most: usize,
    /// Whether special registers may be read.
    pub(crate) takes_special: bool,
    /// Whether a place that asks for a value may hold the address of a variable.
    pub(crate) takes_address: bool,
    /// What the operands of `st` are compared with.
    pub(crate) store: Option<Store>,
    /// Diagnostics of the opcode itself, placed at its first occurrence.
    pub(crate) problems: Vec<Diagnostic>,
    /// Where that first occurrence starts.
    pub(crate) first: Span,
}

/// An opcode's words and their places, for those who judge them.
#[derive(Clone, Debug)]
pub(crate) struct Opcode<'a> {
    /// Opcode first, then the modifiers.
    pub(crate) words: Vec<&'a str>,
    pub(crate) spans: Vec<Span>,
    /// All of it.
    pub(crate) span: Span,
    pub(crate) text: &'a str,
}

impl<'a> Opcode<'a> {
    pub(crate) fn read(source: &'a str, tree: &Tree, id: MnemonicId) -> Opcode<'a> {
        let span = tree.mnemonics.get(id).first;
        let words = tree.mnemonics.words(id);
        let spans: Vec<_> = words.iter().map(|w| w.span_at(span.start)).collect();
        Opcode {
            words: spans.iter().map(|span| span.text(source)).collect(),
            spans,
            span,
            text: span.text(source),
        }
    }

    pub(crate) fn name(&self) -> &'a str {
        self.words.first().copied().unwrap_or("")
    }

    /// The instruction as people call it: the opcode with the words that belong to its name (`st.async`).
    pub(crate) fn called(&self, bound: &Bound) -> String {
        let mut name = self.name().to_owned();
        for (index, slot) in bound.layout.slots.iter().enumerate() {
            match slot.kind {
                SlotKind::Literal(text)
                    if text != "sync" && self.modifiers().get(index) == Some(&text) =>
                {
                    name.push('.');
                    name.push_str(text);
                }
                _ => break,
            }
        }
        name
    }

    pub(crate) fn modifiers(&self) -> &[&'a str] {
        self.words.get(1..).unwrap_or(&[])
    }

    /// Whether nothing but the dot stands between a word (the opcode is word 0) and the one before.
    pub(crate) fn is_joined(&self, word: usize) -> bool {
        match (
            word.checked_sub(1).and_then(|w| self.spans.get(w)),
            self.spans.get(word),
        ) {
            (Some(before), Some(span)) => before.end.saturating_add(1) == span.start,
            _ => true,
        }
    }

    /// The place of a modifier, counted from 0; of the opcode for numbers beyond.
    pub(crate) fn modifier_span(&self, index: usize) -> Span {
        self.spans.get(index + 1).copied().unwrap_or(self.span)
    }

    /// The modifier with its dot, for removing it.
    pub(crate) fn dotted_span(&self, index: usize) -> Span {
        let span = self.modifier_span(index);
        Span::new(span.start.saturating_sub(1), span.end)
    }

    pub(crate) fn modifier(&self, index: usize) -> &'a str {
        self.words.get(index + 1).copied().unwrap_or("")
    }
}

impl Plan {
    /// What the form does; `None` without a form.
    pub(crate) fn does(&self) -> Option<Does> {
        self.bound.as_ref().map(|bound| bound.layout.form.does)
    }

    /// Judges one opcode.
    pub(crate) fn new(opcode: &Opcode<'_>, module: &Module) -> Plan {
        match form::bind(opcode.name(), opcode.modifiers(), None) {
            Some(bound) if !is_unmodelled(opcode, &bound) => Plan::of_form(opcode, bound, module),
            Some(_) => Plan::without_form(opcode, None),
            None if OPCODES.binary_search(&opcode.name()).is_ok() => {
                Plan::without_form(opcode, None)
            }
            None => {
                let problem = diagnose::unknown_instruction(opcode, |other| {
                    offer::is_legal(other, opcode.modifiers(), module)
                });
                Plan::without_form(opcode, Some(problem))
            }
        }
    }

    fn of_form(opcode: &Opcode<'_>, bound: Bound, module: &Module) -> Plan {
        let problems = judge::judge(opcode, &bound, module);
        let kind = kind::of(&bound, opcode);
        let mut expect = [Expect::Custom; MAX_OPERANDS];
        for (place, slot) in expect.iter_mut().zip(&bound.layout.operands) {
            *place = expectation(slot, &bound);
        }
        Plan {
            kind,
            expect,
            n_least: bound.layout.n_required(),
            n_most: kind::n_most(&bound),
            takes_special: kind::takes_special(bound.layout.form.does),
            takes_address: kind::takes_address(bound.layout.form.does),
            problems,
            first: opcode.span,
            store: Store::read(opcode, &bound),
            bound: Some(bound),
        }
    }

    fn without_form(opcode: &Opcode<'_>, problem: Option<Diagnostic>) -> Plan {
        let mut problems = vec![problem.unwrap_or_else(|| diagnose::not_emulated(opcode))];
        let foreign = opcode
            .modifiers()
            .iter()
            .position(|word| STORE_WORDS.contains(word));
        problems.extend(foreign.map(|word| diagnose::foreign_modifier(opcode, word)));
        Plan {
            bound: None,
            kind: Kind::NotEmulated,
            expect: [Expect::Custom; MAX_OPERANDS],
            n_least: 0,
            n_most: usize::MAX,
            takes_special: true,
            takes_address: true,
            problems,
            first: opcode.span,
            store: None,
        }
    }
}

/// Words of the name `wmma.store.d` and of no other instruction.
const STORE_WORDS: &[&str] = &["store", "d"];

/// Whether the words are those of a form that has no row, although its opcode has others.
fn is_unmodelled(opcode: &Opcode<'_>, bound: &Bound) -> bool {
    !bound.complaints.is_empty()
        && warpgrid_isa::forms::UNMODELLED
            .iter()
            .any(|(name, word)| opcode.name() == *name && is_said(opcode, name, word))
}

/// Words of a name of several parts stand in front.
fn is_said(opcode: &Opcode<'_>, name: &str, word: &str) -> bool {
    match name {
        "st" | "red" | "wmma" => opcode.modifiers().first() == Some(&word),
        _ => opcode.modifiers().contains(&word),
    }
}

fn expectation(slot: &OperandSlot, bound: &Bound) -> Expect {
    let Some((ty, fit)) = operand_type(slot, bound) else {
        return match slot.ty {
            OperandType::Address => Expect::Address,
            OperandType::Predicate => predicate(slot),
            OperandType::CachePolicy => Expect::Source(ScalarType::U64, Fit::Exact),
            _ => Expect::Custom,
        };
    };
    match slot.shape {
        OperandShape::Pair { optional: true } => Expect::Pair(ty, PairRule::Optional),
        OperandShape::Pair { optional: false } => Expect::Pair(ty, PairRule::Required),
        _ if is_written(slot) => Expect::Destination(ty, fit),
        _ => Expect::Source(ty, fit),
    }
}

fn predicate(slot: &OperandSlot) -> Expect {
    match slot.shape {
        OperandShape::Pair { optional: true } => Expect::Pair(ScalarType::Pred, PairRule::Optional),
        OperandShape::Pair { optional: false } => {
            Expect::Pair(ScalarType::Pred, PairRule::Required)
        }
        OperandShape::Negatable => Expect::Predicate,
        _ if is_written(slot) => Expect::Destination(ScalarType::Pred, Fit::Exact),
        _ => Expect::Source(ScalarType::Pred, Fit::Exact),
    }
}

/// In syntax lines, `d` and `p` name what is written.
fn is_written(slot: &OperandSlot) -> bool {
    matches!(slot.name, "d" | "p")
}

fn operand_type(slot: &OperandSlot, bound: &Bound) -> Option<(ScalarType, Fit)> {
    Some(match slot.ty {
        OperandType::Slot(name) => (bound.scalar(name)?, Fit::Exact),
        OperandType::Loose(name) => (bound.scalar(name)?, Fit::Wider),
        OperandType::Wide(name) => (widened(bound.scalar(name)?), Fit::Exact),
        OperandType::Fixed(ty) => (ty, Fit::Exact),
        OperandType::Bits(8) => (ScalarType::U8, Fit::Integer),
        OperandType::Bits(16) => (ScalarType::U16, Fit::Integer),
        OperandType::Bits(64) => (ScalarType::U64, Fit::Integer),
        OperandType::Bits(_) => (ScalarType::U32, Fit::Integer),
        _ => return None,
    })
}
