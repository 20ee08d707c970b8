//! What the opcode of `st` says for its operands. In: a bound form; out: the facts that each instruction with this opcode
//! is compared with, and what the order of its words makes odd.

use crate::diagnostics::store as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::form::Bound;
use warpgrid_isa::forms::st::WIDE;
use warpgrid_isa::{ScalarType, SlotName, StateSpace};
use warpgrid_program::Diagnostic;

/// What the operands of a store are compared with, read once for each distinct opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    pub(crate) ty: ScalarType,
    pub(crate) n_elements: usize,
    /// A 256-bit access, which takes sinks.
    pub(crate) is_wide: bool,
    pub(crate) space: StateSpace,
    /// `.param::func` rather than `.param`.
    pub(crate) says_func: bool,
    /// The word that names the space.
    pub(crate) space_word: Option<usize>,
    /// The word `.L2::cache_hint`.
    pub(crate) hint_word: Option<usize>,
    /// Whether every modifier is one of the form.
    pub(crate) words_fit: bool,
    /// The word before which another modifier may be added: the vector width or the type.
    pub(crate) first_word: usize,
}

impl Store {
    /// Reads the bound modifiers; `None` without a type.
    pub(crate) fn read(opcode: &Opcode<'_>, bound: &Bound) -> Option<Store> {
        let modifiers = bound.modifiers();
        let (vector, type_word) = (bound.word(SlotName::Vector), bound.word(SlotName::Type)?);
        // A float that memory does not know counts as the bits it is stored as.
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

/// What the opcode alone makes odd: the assembler expects the vector width right before the type.
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
