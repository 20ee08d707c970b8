//! What of a thread's registers still matters. In: a function, and the registers that are looked at when it has ended; out: for each instruction
//! the registers that some way on from it reads before it writes them.

use warpgrid_isa::ControlOp;
use warpgrid_program::{Function, Instruction, OperandValue, Program, RegisterId};

/// By instruction, and at the end of the function: the registers whose values matter there, in order.
pub(crate) fn live_registers(
    program: &Program,
    function: &Function,
    at_end: &[RegisterId],
) -> Vec<Vec<RegisterId>> {
    let n_registers = function.registers.len();
    let mut end = vec![false; n_registers];
    for register in at_end {
        set(&mut end, *register, true);
    }
    let n = function.instructions.len();
    let mut live = vec![vec![false; n_registers]; n];
    live.push(end);
    let mut is_new = true;
    while is_new {
        is_new = false;
        for (index, instruction) in function.instructions.iter().enumerate().rev() {
            let here = before(program, function, instruction, index, &live);
            if let Some(known) = live.get_mut(index)
                && *known != here
            {
                *known = here;
                is_new = true;
            }
        }
    }
    let numbers = |row: &Vec<bool>| {
        let all = row.iter().zip(0..).filter(|(is_live, _)| **is_live);
        all.map(|(_, number)| RegisterId(number)).collect()
    };
    live.iter().map(numbers).collect()
}

fn before(
    program: &Program,
    function: &Function,
    instruction: &Instruction,
    index: usize,
    live: &[Vec<bool>],
) -> Vec<bool> {
    let action = program.action(instruction);
    let control = action.and_then(|action| action.does.control());
    let leaves = control.is_some_and(ControlOp::leaves);
    let next = match leaves && instruction.guard.is_none() {
        true => live.last(),
        false => live.get(index + 1),
    };
    let mut here = next.cloned().unwrap_or_default();
    let mut add = |row: Option<&Vec<bool>>| {
        for (own, other) in here.iter_mut().zip(row.into_iter().flatten()) {
            *own |= other;
        }
    };
    if leaves {
        add(live.last());
    }
    for operand in function.operands_of(instruction.operands) {
        if let OperandValue::Label(target) = operand.value {
            add(live.get(target as usize));
        }
    }
    if instruction.guard.is_none() {
        for register in function.destinations(instruction) {
            set(&mut here, register, false);
        }
    }
    for register in function.sources(instruction) {
        set(&mut here, register, true);
    }
    here
}

fn set(row: &mut [bool], register: RegisterId, is_live: bool) {
    if let Some(place) = row.get_mut(register.0 as usize) {
        *place = is_live;
    }
}
