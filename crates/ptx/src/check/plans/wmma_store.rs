//! `wmma.store`: what its modifiers must be, and what registers they ask for. In: a bound opcode; out: diagnostics, and
//! the fragment.

use crate::diagnostics::wmma_store as diagnose;
use crate::module::Module;
use crate::opcode::Opcode;
use warpgrid_isa::form::{Bound, Origin};
use warpgrid_isa::forms::wmma_store::n_registers;
use warpgrid_isa::{Flag, MatrixShape, Modifiers, PTX, ScalarType, SlotName, ValueClass as Class};
use warpgrid_program::Diagnostic;

/// What the words of the opcode are short of, apart from the rows' own rules.
pub(crate) fn check(opcode: &Opcode<'_>, bound: &Bound, module: &Module) -> Vec<Diagnostic> {
    let modifiers = bound.modifiers();
    let mut problems = Vec::new();
    let joined = opcode.is_joined(1) && opcode.is_joined(2);
    if bound.word(Flag::Store) != Some(0) || bound.word(Flag::D) != Some(1) || !joined {
        problems.push(diagnose::name_order(opcode.span, &in_order(opcode, bound)));
    }
    let aligned_from = bound.layout.form.required_from(Flag::Aligned);
    let is_required = aligned_from.is_some_and(|version| module.version >= version);
    match bound.word(Flag::Aligned) {
        None if is_required => {
            let name = opcode.modifier_span(0).to(opcode.modifier_span(1));
            let last = bound.word(Flag::Sync).unwrap_or(1);
            problems.push(diagnose::aligned_missing(
                name,
                opcode.modifier_span(last).end,
                module.version,
            ));
        }
        Some(word) if !is_required => problems.push(diagnose::aligned_too_early(
            opcode.dotted_span(word),
            module.version,
        )),
        _ => {}
    }
    if let (Some(word), Some(fragment)) = (bound.word(SlotName::Vector), Fragment::of(&modifiers)) {
        let n = fragment.n_registers();
        let dotted = opcode.dotted_span(word);
        match modifiers.n_elements() == n {
            true => problems.push(diagnose::beyond_manual(dotted, "a vector width")),
            false => problems.push(diagnose::vector_width(dotted, n)),
        }
    }
    problems.extend(beyond_manual(opcode, bound, &modifiers));
    problems
}

/// The opcode with the words of its name in front, the others in the order written.
fn in_order(opcode: &Opcode<'_>, bound: &Bound) -> String {
    let mut text = bound.layout.name();
    let others = opcode
        .modifiers()
        .iter()
        .filter(|word| !PTX.tables.name_words.contains(word));
    for word in others {
        text.push('.');
        text.push_str(word);
    }
    text
}

fn beyond_manual(opcode: &Opcode<'_>, bound: &Bound, modifiers: &Modifiers) -> Option<Diagnostic> {
    let word = bound.word(SlotName::Type)?;
    let is_sub_byte = modifiers
        .shape
        .is_some_and(|shape| matches!(shape.depth, 32 | 128));
    let value = bound
        .slots
        .iter()
        .flatten()
        .find(|b| b.word == word)?
        .value?;
    let what = format!("`.{}` with this shape", value.text);
    (is_sub_byte && matches!(value.gate.origin, Origin::Assembler(_)))
        .then(|| diagnose::beyond_manual(opcode.modifier_span(word), &what))
}

/// What the fragment of an instruction must be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) shape: MatrixShape,
    pub(crate) ty: ScalarType,
}

impl Fragment {
    pub(crate) fn of(modifiers: &Modifiers) -> Option<Fragment> {
        Some(Fragment {
            shape: modifiers.shape?,
            ty: modifiers.ty?,
        })
    }

    pub(crate) fn n_registers(self) -> usize {
        n_registers(
            self.shape.rows,
            self.shape.columns,
            self.ty == ScalarType::F16,
        )
    }

    /// Whether registers of this merged class hold the fragment (assembler 13.5).
    pub(crate) fn takes(self, class: Class) -> bool {
        match (self.ty, class) {
            (_, Class::Open) => true,
            (ScalarType::F16, _) => matches!(class, Class::Bits(32) | Class::Halves),
            (ScalarType::F32, _) => {
                matches!(class, Class::Bits(32) | Class::Float(32) | Class::Single)
            }
            (ScalarType::S32, _) => matches!(
                class,
                Class::Bits(32) | Class::Unsigned(32) | Class::Signed(32) | Class::Integer
            ),
            (ScalarType::F64, _) => matches!(
                class,
                Class::Bits(64) | Class::Float(64) | Class::Double | Class::Single
            ),
            _ => false,
        }
    }

    /// Whether one value of a list that fits as a whole can be moved into the fragment.
    pub(crate) fn takes_element(self, class: Class, is_special: bool) -> bool {
        match (self.ty, class) {
            _ if is_special => false,
            (ScalarType::F64, Class::Unsigned(_) | Class::Signed(_) | Class::Integer) => false,
            (ScalarType::F64, _) => true,
            (_, class) => class != Class::Double,
        }
    }

    pub(crate) fn expected(self) -> &'static str {
        match self.ty {
            ScalarType::F16 => "a `.b32` or `.f16x2` register",
            ScalarType::F32 => "a `.f32` or `.b32` register",
            ScalarType::S32 => "a `.s32`, `.u32` or `.b32` register",
            _ => "a `.f64` or `.b64` register",
        }
    }
}
