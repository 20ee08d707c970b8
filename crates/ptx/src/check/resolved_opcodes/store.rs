//! Properties of a `st` opcode for the checks of its operands, and the check of the order of its modifiers.

use crate::diagnostics::store as diagnose;
use crate::opcode::Opcode;
use warpgrid_isa::form::BoundForm;
use warpgrid_isa::forms::st::WIDE;
use warpgrid_isa::{ScalarType, SlotName, StateSpace};
use warpgrid_program::Diagnostic;

/// Properties of a store for the checks of its operands, computed once for each distinct opcode.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreConstraints {
    pub(crate) ty: ScalarType,
    pub(crate) n_elements: usize,
    /// Whether the store is a 256-bit access, whose list of values may contain sinks.
    pub(crate) is_wide: bool,
    pub(crate) space: StateSpace,
    /// Whether the state space modifier is spelled `.param::func` instead of `.param`.
    pub(crate) says_func: bool,
    /// Index of the modifier that specifies the state space.
    pub(crate) space_word: Option<usize>,
    /// Index of the modifier `.L2::cache_hint`.
    pub(crate) hint_word: Option<usize>,
    /// Whether the form accepts all modifiers of the opcode.
    pub(crate) words_fit: bool,
    /// Index of the modifier before which a fix can insert another modifier: the vector width or the type.
    pub(crate) first_word: usize,
}

impl StoreConstraints {
    /// Reads the properties from the bound modifiers. Returns `None` if the type is missing.
    pub(crate) fn read(opcode: &Opcode<'_>, bound: &BoundForm) -> Option<StoreConstraints> {
        let modifiers = bound.modifiers();
        let (vector, type_word) = (bound.word(SlotName::Vector), bound.word(SlotName::Type)?);
        // Treat a floating-point type that stores do not support as the bit type of the same width, so that the operand checks continue.
        let refused = ScalarType::from_name(opcode.modifier(type_word)).filter(|ty| ty.is_float());
        let ty = modifiers.ty.or(refused.map(ScalarType::to_bits))?;
        Some(StoreConstraints {
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

/// Checks the order of the modifiers: the assembler expects the vector width directly before the type.
pub(crate) fn check_order(opcode: &Opcode<'_>, bound: &BoundForm) -> Vec<Diagnostic> {
    let (Some(vector), Some(ty)) = (bound.word(SlotName::Vector), bound.word(SlotName::Type))
    else {
        return Vec::new();
    };
    if vector + 1 == ty {
        return Vec::new();
    }
    vec![diagnose::vector_order(opcode, vector, ty)]
}
