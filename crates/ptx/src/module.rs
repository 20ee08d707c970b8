//! The version and target of a module, which decide what its instructions may be. In: what the header says; out: answers
//! about gates.

use warpgrid_isa::{Gate, Target, Version};
use warpgrid_program::{Needs, Span};

/// The version and target that the text is checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Module {
    pub(crate) version: Version,
    pub(crate) target: &'static Target,
    pub(crate) address_bits: u32,
    /// Whether textures and samplers are declared apart (`texmode_independent`).
    pub(crate) has_samplers: bool,
    /// Whether code is made for debuggers (`debug`).
    pub(crate) is_debug: bool,
    /// Whether a function of the module has several results, which turns the calling convention off for all of them
    /// (assembler 13.5: "Function 'f' with multiple return values found, disabling ABI").
    pub(crate) has_several_results: bool,
    /// The place of `.version 8.0`, for fixes that raise it.
    pub(crate) version_span: Option<Span>,
    /// The place of the target's name.
    pub(crate) target_span: Option<Span>,
}

impl Module {
    /// Whether version and target are past the gate.
    pub(crate) fn meets(&self, gate: Gate) -> bool {
        gate.met_by(self.version, self.target)
    }

    /// What the gate asks for beyond this version and target.
    pub(crate) fn lacking(&self, gate: Gate) -> Needs {
        let lacking = gate.lacking(self.version, self.target);
        let on = lacking.target.unwrap_or_default();
        let target = lacking.target.and_then(|on| on.lowest_from(self.target));
        Needs {
            version: lacking.version,
            target: target.map(|target| target.name),
            on,
        }
    }
}
