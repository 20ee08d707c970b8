//! A warp as a host shows it: 32 lanes, what each is doing, and the registers.

use crate::model::warp::{LaneState, LaneView, RegisterType, RegisterView, WarpView};
use crate::session::memory_list::element_of;
use crate::session::step::stores::unravel;
use std::collections::BTreeSet;
use warpgrid_emulator::{LaneGroup, Machine};
use warpgrid_isa::ScalarType;
use warpgrid_launch::{DEFAULT_BLOCK, Scenario};
use warpgrid_program::{Function, FunctionId, Program, RegisterId};

/// Registers that one view shows at most.
pub(crate) const MAX_REGISTERS: usize = 512;

/// What the present step did in a warp.
pub(crate) struct PresentStep {
    /// Lanes that took part.
    pub(crate) active: u32,
    /// Lanes that were at the instruction, also those that its guard left out.
    pub(crate) at: u32,
    /// The registers that it wrote.
    pub(crate) written: Vec<RegisterId>,
}

/// Lanes and registers of a warp. `present` is the present step, if it is this warp's; `faulted` has the lanes that the launch stopped for.
pub(crate) fn view(
    machine: &Machine,
    block: u64,
    warp: u32,
    scenario: &Scenario,
    present: Option<PresentStep>,
    faulted: u32,
    line: impl Fn(FunctionId, u32) -> u32,
) -> Option<WarpView> {
    let state = machine.warp(block, warp)?;
    let extents = scenario.block.unwrap_or(DEFAULT_BLOCK);
    let is_present_step = present.is_some();
    let (active, at, registers_changed) = match present {
        Some(step) => (step.active, step.at, step.written),
        None => (0, 0, Vec::new()),
    };
    let group_of = |lane: u32| {
        state
            .groups
            .iter()
            .find(|group| group.mask >> lane & 1 == 1)
    };
    let lanes = (0..32)
        .map(|lane| {
            let group = group_of(lane);
            LaneView {
                lane: lane as u8,
                thread: unravel(u64::from(warp) * 32 + u64::from(lane), extents),
                state: match faulted >> lane & 1 {
                    1 => LaneState::Faulted,
                    _ => match lane_state(lane, &state, group, active) {
                        LaneState::Inactive if !is_present_step => LaneState::Ready,
                        LaneState::Inactive if at >> lane & 1 == 1 => LaneState::Guarded,
                        lane_state => lane_state,
                    },
                },
                line: group.map(|group| line(group.function, group.instruction)),
                waits: group.and_then(|group| Some(group.waiting.as_ref()?.to_string())),
            }
        })
        .collect();
    let function = state
        .groups
        .first()
        .map_or(machine.entry(), |group| Some(group.function));
    let registers = function
        .and_then(|id| Some((id, machine.program().functions.get(id.0 as usize)?)))
        .map(|(id, function)| {
            let next = state.groups.first().map(|group| group.instruction);
            let floats = floats(machine.program(), function, next);
            let all = function.registers.iter().enumerate();
            let all = all.map(|(index, register)| (RegisterId(index as u32), register));
            all.filter(|(id, _)| function.registers.is_named(*id))
                .take(MAX_REGISTERS)
                .map(|(id_of_register, register)| {
                    let bits = |lane| {
                        machine
                            .register(block, warp, lane, id, id_of_register)
                            .unwrap_or(0)
                    };
                    let name = function.registers.name(id_of_register);
                    let changed = registers_changed.contains(&id_of_register);
                    let ty = match floats.contains(&id_of_register) {
                        true => ScalarType::F32,
                        false => register.ty,
                    };
                    register_view(name, ty, bits, changed)
                })
                .collect()
        })
        .unwrap_or_default();
    Some(WarpView {
        block,
        block_id: unravel(block, scenario.grid.unwrap_or([1; 3])),
        warp,
        active,
        lanes,
        registers,
    })
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

/// Registers of machine code, which have no type, that the text above an instruction last wrote as 32-bit floats.
fn floats(program: &Program, function: &Function, next: Option<u32>) -> BTreeSet<RegisterId> {
    let mut floats = BTreeSet::new();
    if function.machine.is_none() {
        return floats;
    }
    let n = next.map_or(function.instructions.len(), |next| next as usize);
    for instruction in function.instructions.iter().take(n) {
        let modifiers = program.action(instruction).map(|action| &action.modifiers);
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

/// Untyped registers most often hold integers, so they are shown as such; wide values most often are
/// addresses, which read best in hexadecimal.
pub(crate) fn readable(ty: ScalarType, bits: u128) -> String {
    match ty {
        ScalarType::Pred => (bits & 1).to_string(),
        ScalarType::B64 | ScalarType::U64 if bits >= 1 << 40 => format!("{bits:#x}"),
        ScalarType::B8 | ScalarType::B16 | ScalarType::B32 | ScalarType::B64 => bits.to_string(),
        _ => element_of(ty).text(bits),
    }
}
