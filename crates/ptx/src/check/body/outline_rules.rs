//! What data cannot say of an instruction without a row: conditions on its operands (assembler 13.5).

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::diagnostics::rules::special_gate;
use crate::tree::{Operand, OperandKind};
use warpgrid_isa::Gate;
use warpgrid_isa::form::Outline;
use warpgrid_isa::target::TargetGate::{Family, OneOf, Only};

/// Surfaces in registers.
const INDIRECT: Gate = Gate::ptx(3, 1).sm(20);
/// A power of two that the sum of `tcgen05.mma` is divided by before the product is added.
const SCALED_INPUT: Gate =
    Gate::ptx(8, 6).on(OneOf(&[Family(100), Only(100), Only(103), Only(107)]));

impl<'a> BodyChecker<'a, '_> {
    /// Conditions on operands; false when something was reported.
    pub(super) fn outline_rules(&mut self, site: &Site<'a>, outline: &'static Outline) -> bool {
        match outline.name {
            "suld.b" | "sust.b" | "sust.p" | "sured.b" | "sured.p" => self.surface(site),
            "tcgen05.mma" => self.scaled_input(site, 4),
            // The metadata come after the matrices.
            "tcgen05.mma.sp" => self.scaled_input(site, 5),
            _ => true,
        }
    }

    /// The surface that an address names may be a register since PTX 3.1.
    fn surface(&mut self, site: &Site<'a>) -> bool {
        let mut operands = site.operands;
        let list =
            operands.find(|(operand, _)| matches!(operand.kind, OperandKind::AddressList { .. }));
        let Some((surface, _)) = list.and_then(|(_, mut parts)| parts.next()) else {
            return true;
        };
        let OperandKind::Name(name) = surface.kind else {
            return true;
        };
        let is_register = matches!(self.binding(name, surface.span), Binding::Register(_));
        self.meets(is_register, "a surface in a register", surface, INDIRECT)
    }

    /// The number at the end of a product, after the predicate that may follow the lanes that are left out.
    fn scaled_input(&mut self, site: &Site<'a>, n_before: usize) -> bool {
        let operands: Vec<&Operand> = site.operands.map(|(operand, _)| operand).collect();
        let has_lanes = operands
            .get(n_before)
            .is_some_and(|operand| matches!(operand.kind, OperandKind::Vector { .. }));
        let Some(last) = operands.get(n_before + 1 + usize::from(has_lanes)) else {
            return true;
        };
        let is_scale = matches!(last.kind, OperandKind::Integer { .. });
        self.meets(is_scale, "a scale of the sum", last, SCALED_INPUT)
    }

    fn meets(&mut self, applies: bool, what: &str, operand: &Operand, gate: Gate) -> bool {
        let ok = !applies || self.module.meets(gate);
        if !ok {
            self.report(special_gate(what, operand.span, gate, self.module));
        }
        ok
    }
}
