//! Equivalent of a store in the other language: the SASS that the assembler emits for PTX, or PTX that compiles to the SASS.

use crate::model::step::CounterpartView;
use warpgrid_isa::Target;
use warpgrid_isa::sass::pairs;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::OpcodeInfo;

/// Returns the equivalent of a store in the other language. Returns `None` for other instructions, and if the target has no equivalent
/// store.
pub(crate) fn counterpart(
    front: SourceLanguage,
    action: &OpcodeInfo,
    target: &Target,
) -> Option<CounterpartView> {
    match front {
        SourceLanguage::Ptx => Some(CounterpartView {
            text: pairs::machine_code(action.does, &action.modifiers, target)?,
            language: format!("SASS for {}", target.name),
            about: pairs::APPROXIMATION.to_owned(),
        }),
        SourceLanguage::Sass => Some(CounterpartView {
            text: pairs::ptx_of(&action.opcode)?,
            language: "PTX".to_owned(),
            about: pairs::AMONG_OTHERS.to_owned(),
        }),
    }
}
