//! Uniformity analysis: finds registers that can be represented by the value of their first lane. The module takes
//! decoded code and lane strides, and returns the registers whose first-lane value can be computed from the first-lane
//! values of other registers. The stride of a register determines the values of its other lanes, independently of the
//! active lanes.

use crate::inlined_code::InlinedInstruction;
use crate::inlined_code::TranslationInput;
use crate::lane_stride::LaneStrides;
use crate::primitive::results;
use crate::registers::{DefSites, RegisterKey};
use crate::value::{Graph, Node};
use std::collections::BTreeSet;
use warpgrid_emulator::translation_view::{
    AccessPlan, DecodedInstruction, DecodedOp, OperandLocation, OperandSlot, RegisterBank,
    SlotAccess, TranslationView,
};
use warpgrid_isa::{SpecialRegister, StateSpace};

/// Returns the registers that can be represented by the value of their first lane, with their strides.
pub(crate) fn find_uniform_registers(
    source: TranslationInput<'_>,
    definitions: &DefSites,
    strides: &LaneStrides,
) -> LaneStrides {
    let mut uniform = strides.clone();
    loop {
        let lost: Vec<RegisterKey> = uniform
            .keys()
            .filter(|register| !is_scalar(source, definitions, &uniform, **register))
            .copied()
            .collect();
        if lost.is_empty() {
            return uniform;
        }
        for register in lost {
            uniform.remove(&register);
        }
    }
}

/// Checks whether every definition of a register can compute the value of the first lane from scalar values.
fn is_scalar(
    source: TranslationInput<'_>,
    definitions: &DefSites,
    found: &LaneStrides,
    register: RegisterKey,
) -> bool {
    let nothing = BTreeSet::new();
    let places = definitions.get(&register).unwrap_or(&nothing);
    places.iter().all(|at| {
        let Some(InlinedInstruction {
            instr,
            frame,
            moves,
            ..
        }) = source.code.get(*at as usize)
        else {
            return false;
        };
        let reads_scalar = |bank: RegisterBank, slot: OperandSlot| match slot.place() {
            OperandLocation::Register(index) => {
                found.contains_key(&source.code.register(*frame, (bank, index)))
            }
            OperandLocation::Constant(_) | OperandLocation::None => true,
            OperandLocation::Special(index) => matches!(
                source.plain.special32(index),
                Some(
                    SpecialRegister::Tid(_)
                        | SpecialRegister::Ctaid(_)
                        | SpecialRegister::Ntid(_)
                        | SpecialRegister::Nctaid(_)
                )
            ),
        };
        let mut reads_scalars = true;
        source.plain.visit_slots(&instr.op, |access, bank, slot| {
            reads_scalars &= access == SlotAccess::Write || reads_scalar(bank, slot);
        });
        moves.values.is_empty()
            && instr.guard.place() == OperandLocation::None
            && is_done_on_scalars(source.plain, instr)
            && reads_scalars
    })
}

/// Checks whether an operation has a single result that the translator can compute for the first lane only.
fn is_done_on_scalars(plain: TranslationView<'_>, instr: &DecodedInstruction) -> bool {
    if let DecodedOp::Load(plan) = instr.op {
        return plain.access(plan).is_some_and(is_constant_load);
    }
    let graph = Graph::default();
    let results = results(&plain, &graph, &instr.op);
    let is_integer =
        |(node, _): &(Node, u32)| !matches!(node, Node::CarryFlag | Node::FloatComparison(_));
    results.is_some_and(|results| results.len() == 1 && graph.nodes().iter().all(is_integer))
}

/// Checks whether an access loads one number from a constant address in read-only memory.
fn is_constant_load(plan: &AccessPlan) -> bool {
    matches!(plan.space, StateSpace::ParamEntry | StateSpace::Const)
        && !matches!(plan.base.place(), OperandLocation::Register(_))
        && match plan.elements.as_slice() {
            [one] => matches!(
                (plan.element_bytes, one.bank, one.bits),
                (8, RegisterBank::B64, _) | (4, RegisterBank::B32, 32)
            ),
            _ => false,
        }
}
