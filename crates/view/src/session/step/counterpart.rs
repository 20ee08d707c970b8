//! A store in the other language: PTX as the machine code that the assembler chooses, machine code as PTX that gives it.

use crate::model::step::CounterpartView;
use warpgrid_isa::Target;
use warpgrid_isa::sass::pairs;
use warpgrid_launch::Front;
use warpgrid_program::Action;

/// What a store is in the other language; `None` for other instructions, and where the machine has no such store.
pub(crate) fn counterpart(
    front: Front,
    action: &Action,
    target: &Target,
) -> Option<CounterpartView> {
    match front {
        Front::Ptx => Some(CounterpartView {
            text: pairs::machine_code(action.does, &action.modifiers, target)?,
            language: format!("SASS for {}", target.name),
            about: pairs::APPROXIMATION.to_owned(),
        }),
        Front::Sass => Some(CounterpartView {
            text: pairs::ptx_of(&action.opcode)?,
            language: "PTX".to_owned(),
            about: pairs::AMONG_OTHERS.to_owned(),
        }),
    }
}
