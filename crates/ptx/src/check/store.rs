//! Stores: what `st` writes, where, and under which policy. The modifiers are judged by [`super::rules`]; here are the
//! operands, and the operation that comes out.

mod address;
mod policy;
mod source;
mod width;

pub(crate) use source::is_special_vector;

use super::Checker;
use super::lower::source;
use super::offer;
use super::operand::Site;
use super::plan::Plan;
use crate::diagnostics::store as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::SlotName;
use warpgrid_isa::form::Bound;
use warpgrid_isa::forms::st::WIDE;
use warpgrid_isa::{Does, MemoryOp, ScalarType, StateSpace};
use warpgrid_program::{Diagnostic, OperandValue, Span};

/// What the operands of a store are compared with, read once for each distinct opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    ty: ScalarType,
    n_elements: usize,
    /// A 256-bit access, which takes sinks.
    is_wide: bool,
    space: StateSpace,
    /// `.param::func` rather than `.param`.
    says_func: bool,
    /// The word that names the space.
    space_word: Option<usize>,
    /// The word `.L2::cache_hint`.
    hint_word: Option<usize>,
    /// Whether every modifier is one of the form.
    words_fit: bool,
    /// The word before which another modifier may be added: the vector width or the type.
    first_word: usize,
}

impl<'a> Checker<'a> {
    /// `st [a], b{, cache-policy}`: checks every operand, whether or not the modifiers are right.
    pub(crate) fn store(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        let counted = self.count_operands(site, plan);
        let store = plan.store?;
        let start = self.body.operands.len();
        self.judge_width(site, plan, &store);
        let address = self.store_address(site, &store);
        let sources = self.store_sources(site, &store);
        let policy = self.store_policy(site, &store);
        let (address, sources, policy) = (address?, sources?, policy?);
        counted?;
        let mut operands = site.operands;
        self.body
            .push(OperandValue::Address(address), operands.next()?.0.span);
        self.body.push(sources, operands.next()?.0.span);
        if let (Some(policy), Some((operand, _))) = (policy, operands.next()) {
            self.body.push(source(policy), operand.span);
        }
        self.fill_operands(site, plan, start);
        Some(())
    }

    /// Whether the opcode may name this space instead of its own.
    #[cold]
    fn can_name_space(&self, site: &Site<'a>, space: StateSpace) -> bool {
        let opcode = Opcode::read(self.source, self.tree, site.instruction.mnemonic);
        let plan = self.plans.get(site.instruction.mnemonic.0 as usize);
        let word = plan.and_then(|plan| plan.bound.as_ref()?.word(SlotName::Space));
        let module = &self.module;
        // Beside other errors it is a step.
        !offer::is_legal(opcode.name(), opcode.modifiers(), module)
            || word.is_some_and(|word| offer::is_legal_with(&opcode, word, space.name(), module))
    }

    /// Whether `.L2::cache_hint` may be added to the opcode.
    #[cold]
    fn can_hint(&self, site: &Site<'a>) -> bool {
        let opcode = Opcode::read(self.source, self.tree, site.instruction.mnemonic);
        let mut modifiers = opcode.modifiers().to_vec();
        modifiers.push("L2::cache_hint");
        offer::is_legal(opcode.name(), &modifiers, &self.module)
    }

    /// Where a word of the opcode stands.
    fn place(&self, site: &Site<'a>, word: Option<usize>) -> Option<Span> {
        word.map(|word| self.tree.word_span(site.instruction, word + 1))
    }
}

impl Store {
    /// Reads the bound modifiers; `None` for another opcode, or without a type.
    pub(crate) fn read(opcode: &Opcode<'_>, bound: &Bound) -> Option<Store> {
        if bound.layout.form.does != Does::Memory(MemoryOp::Store) {
            return None;
        }
        let modifiers = bound.modifiers();
        let (vector, type_word) = (bound.word(SlotName::Vector), bound.word(SlotName::Type)?);
        // A float that memory does not know is judged as the bits it is stored as.
        let refused = ScalarType::from_name(opcode.modifier(type_word)).filter(|ty| ty.is_float());
        let ty = modifiers.ty.or(refused.map(ScalarType::to_bits))?;
        Some(Store {
            ty,
            n_elements: modifiers.n_elements(),
            is_wide: WIDE.has(bound.text(SlotName::Vector), ty.width_bits()),
            space: modifiers.state_space(),
            says_func: bound.text(SlotName::Space) == Some("param::func"),
            space_word: bound.word(SlotName::Space),
            hint_word: bound.word(SlotName::CacheHint),
            words_fit: bound.complaints.is_empty(),
            first_word: vector.map_or(type_word, |vector| vector.min(type_word)),
        })
    }
}

/// What the opcode alone makes odd: the assembler wants the vector width right before the type.
pub(crate) fn check_order(opcode: &Opcode<'_>, bound: &Bound) -> Vec<Diagnostic> {
    let (Some(vector), Some(ty)) = (bound.word(SlotName::Vector), bound.word(SlotName::Type))
    else {
        return Vec::new();
    };
    if vector + 1 == ty {
        return Vec::new();
    }
    vec![diagnose::vector_order(opcode, vector, ty)]
}
