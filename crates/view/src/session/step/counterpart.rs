//! Equivalent of a store in the other language. For PTX, the equivalent is the SASS that the assembler emits. For SASS, it is PTX that the
//! assembler compiles to this SASS.

use crate::model::step::CounterpartView;
use warpgrid_isa::Target;
use warpgrid_isa::sass::ptx_mapping;
use warpgrid_launch::SourceLanguage;
use warpgrid_program::OpcodeInfo;

/// Returns the equivalent of a store instruction in the other language. Returns `None` if the instruction is not a store, or if the target
/// has no equivalent store.
pub(crate) fn counterpart(
    front: SourceLanguage,
    action: &OpcodeInfo,
    target: &Target,
) -> Option<CounterpartView> {
    match front {
        SourceLanguage::Ptx => Some(CounterpartView {
            text: ptx_mapping::machine_code(action.operation, &action.modifiers, target)?,
            language: format!("SASS for {}", target.name),
            about: ptx_mapping::APPROXIMATION.to_owned(),
        }),
        SourceLanguage::Sass => Some(CounterpartView {
            text: ptx_mapping::ptx_of(&action.opcode)?,
            language: "PTX".to_owned(),
            about: ptx_mapping::AMONG_OTHERS.to_owned(),
        }),
    }
}
