//! Module-wide settings from the header (version, target and modes), which determine the valid instructions.

use warpgrid_isa::{Gate, Target, Version};
use warpgrid_program::{Requirement, Span};

/// Settings of the module that determine the checks of the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetContext {
    pub(crate) version: Version,
    pub(crate) target: &'static Target,
    /// Architecture of the generated code, whose limit for static shared memory applies (assembler 13.5).
    pub(crate) architecture: &'static Target,
    pub(crate) address_bits: u32,
    /// Whether textures and samplers are declared separately (`texmode_independent`).
    pub(crate) has_samplers: bool,
    /// Whether the module is compiled for debugging (`debug`).
    pub(crate) is_debug: bool,
    /// Whether a function of the module has several results. In this case, the assembler disables the calling convention for all
    /// functions (assembler 13.5: "Function 'f' with multiple return values found, disabling ABI").
    pub(crate) has_several_results: bool,
    /// Span of `.version 8.0`, for fixes that raise the version.
    pub(crate) version_span: Option<Span>,
    /// Span of the name of the target.
    pub(crate) target_span: Option<Span>,
}

impl TargetContext {
    /// Returns whether the version and the target satisfy the gate.
    pub(crate) fn meets(&self, gate: Gate) -> bool {
        gate.is_satisfied_by(self.version, self.target)
    }

    /// Returns the unmet requirements of the gate for this version and target.
    pub(crate) fn lacking(&self, gate: Gate) -> Requirement {
        let lacking = gate.lacking(self.version, self.target);
        let on = lacking.target.unwrap_or_default();
        let target = lacking.target.and_then(|on| on.lowest_from(self.target));
        Requirement {
            version: lacking.version,
            target: target.map(|target| target.name),
            targets: on,
        }
    }
}
