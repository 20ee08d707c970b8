//! Conversion of a warp to the form that hosts display, which contains the 32 lanes of the warp with their states, and the registers of the
//! warp.

use crate::model::warp::{LaneState, LaneView, RegisterType, RegisterView, WarpView};
use crate::session::memory_list::element_of;
use crate::session::step::stores::unravel;
use std::collections::BTreeSet;
use warpgrid_emulator::{LaneGroup, Machine};
use warpgrid_isa::ScalarType;
use warpgrid_launch::{DEFAULT_BLOCK, Scenario};
use warpgrid_program::{Function, FunctionId, Program, RegisterId};

/// Maximum number of registers of a warp that hosts display.
pub(crate) const MAX_REGISTERS: usize = 512;

/// Lanes of a warp that took part in the last step, and registers that the step wrote.
pub(crate) struct CurrentStep {
    /// Mask of the lanes that executed the step.
    pub(crate) active: u32,
    /// Mask of the lanes that reached the instruction, including the lanes that the guard disabled.
    pub(crate) at: u32,
    /// Registers that the step wrote.
    pub(crate) written: Vec<RegisterId>,
}

/// Returns the lanes and registers of a warp. `present` describes the last step, and is `None` if another warp executed this step.
/// `faulted` is the mask of the lanes with a fault.
pub(crate) fn view(
    machine: &Machine,
    block: u64,
    warp: u32,
    scenario: &Scenario,
    present: Option<CurrentStep>,
    faulted: u32,
    line: impl Fn(FunctionId, u32) -> u32,
) -> Option<WarpView> {
    let state = machine.warp(block, warp)?;
    let extents = scenario.block.unwrap_or(DEFAULT_BLOCK);
    let lanes = (0..32).map(|lane| {
        let mut groups = state.groups.iter();
        let group = groups.find(|group| group.mask >> lane & 1 == 1);
        LaneView {
            lane: lane as u8,
            thread: unravel(u64::from(warp) * 32 + u64::from(lane), extents),
            state: match faulted >> lane & 1 {
                1 => LaneState::Faulted,
                _ => state_in_step(lane, &state, group, present.as_ref()),
            },
            line: group.map(|group| line(group.function, group.instruction)),
            waits: group.and_then(|group| Some(group.waiting.as_ref()?.to_string())),
        }
    });
    let lanes = lanes.collect();
    let written = present.as_ref().map_or(&[][..], |step| &step.written);
    Some(WarpView {
        block,
        block_id: unravel(block, scenario.grid.unwrap_or([1; 3])),
        warp,
        active: present.as_ref().map_or(0, |step| step.active),
        lanes,
        registers: registers(machine, block, warp, &state, written),
    })
}

/// Returns the named registers of the function that the warp executes.
fn registers(
    machine: &Machine,
    block: u64,
    warp: u32,
    state: &warpgrid_emulator::WarpView,
    written: &[RegisterId],
) -> Vec<RegisterView> {
    let group = state.groups.first();
    let Some(id) = group.map_or(machine.entry(), |group| Some(group.function)) else {
        return Vec::new();
    };
    let Some(function) = machine.program().functions.get(id.0 as usize) else {
        return Vec::new();
    };
    let next = group.map(|group| group.instruction);
    let floats = floats(machine.program(), function, next);
    let all = (0..).map(RegisterId).zip(function.registers.iter());
    let named = all.filter(|(register, _)| function.registers.is_named(*register));
    let views = named.take(MAX_REGISTERS).map(|(register, facts)| {
        let bits = |lane| {
            machine
                .register(block, warp, lane, id, register)
                .unwrap_or(0)
        };
        let ty = match floats.contains(&register) {
            true => ScalarType::F32,
            false => facts.ty,
        };
        let name = function.registers.name(register);
        register_view(name, ty, bits, written.contains(&register))
    });
    views.collect()
}

/// If the warp executed the last step, returns the state of a lane in this step. Otherwise, the returned state shows whether the lane can
/// continue.
fn state_in_step(
    lane: u32,
    state: &warpgrid_emulator::WarpView,
    group: Option<&LaneGroup>,
    present: Option<&CurrentStep>,
) -> LaneState {
    let active = present.map_or(0, |step| step.active);
    match (lane_state(lane, state, group, active), present) {
        (LaneState::Inactive, None) => LaneState::Ready,
        (LaneState::Inactive, Some(step)) if step.at >> lane & 1 == 1 => LaneState::Guarded,
        (lane_state, _) => lane_state,
    }
}

fn lane_state(
    lane: u32,
    state: &warpgrid_emulator::WarpView,
    group: Option<&LaneGroup>,
    active: u32,
) -> LaneState {
    let bit = 1u32 << lane;
    if state.present & bit == 0 {
        LaneState::Absent
    } else if state.exited & bit != 0 && active & bit == 0 {
        LaneState::Exited
    } else if group.is_some_and(|group| group.waiting.is_some()) && active & bit == 0 {
        LaneState::Waiting
    } else if active & bit != 0 {
        LaneState::Active
    } else {
        LaneState::Inactive
    }
}

/// Returns the registers of SASS code that probably contain 32-bit floats. Because SASS registers are untyped, the function determines the
/// type of a register from the last instruction before `next` in program order that defines the register.
fn floats(program: &Program, function: &Function, next: Option<u32>) -> BTreeSet<RegisterId> {
    let mut floats = BTreeSet::new();
    if function.machine.is_none() {
        return floats;
    }
    let n = next.map_or(function.instructions.len(), |next| next as usize);
    for instruction in function.instructions.iter().take(n) {
        let modifiers = program.opcode(instruction).map(|action| &action.modifiers);
        let ty = modifiers.and_then(|modifiers| modifiers.d_type.or(modifiers.ty));
        for register in function.destinations(instruction) {
            match ty {
                Some(ScalarType::F32) => floats.insert(register),
                _ => floats.remove(&register),
            };
        }
    }
    floats
}

fn register_view(
    name: &str,
    ty: ScalarType,
    bits: impl Fn(u32) -> u128,
    changed: bool,
) -> RegisterView {
    if ty == ScalarType::Pred {
        let values: Vec<String> = (0..32).map(|lane| readable(ty, bits(lane))).collect();
        return RegisterView {
            name: name.to_owned(),
            ty: RegisterType::Pred,
            hex: values.clone(),
            values,
            changed,
        };
    }
    let element = element_of(ty);
    RegisterView {
        name: name.to_owned(),
        ty: ty.into(),
        values: (0..32).map(|lane| readable(ty, bits(lane))).collect(),
        hex: (0..32).map(|lane| element.hex(bits(lane))).collect(),
        changed,
    }
}

/// Formats the contents of a register. Untyped values are formatted as integers, because they are usually integers. Wide untyped values are
/// formatted in hexadecimal, because they are usually addresses.
pub(crate) fn readable(ty: ScalarType, bits: u128) -> String {
    match ty {
        ScalarType::Pred => (bits & 1).to_string(),
        ScalarType::B64 | ScalarType::U64 if bits >= 1 << 40 => format!("{bits:#x}"),
        ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 => bits.to_string(),
        _ => element_of(ty).text(bits),
    }
}
