//! Decoder of branches, calls and exits.

use crate::code::op::Op;
use crate::code::{CallPlan, CallTargetPlan, Element, Place, SystemCall, SystemPlan};
use crate::contract::support::Support;
use crate::decode::{Decoded, Decoder, Refusal};
use crate::state::layout::VariablePlace;
use warpgrid_isa::{ControlOp, StateSpace};
use warpgrid_program::{
    Callee, FunctionId, OperandValue, Parameter, Source, SourceModifiers, VariableId,
};

pub(crate) fn supports(op: ControlOp) -> Support {
    match op {
        ControlOp::Branch
        | ControlOp::BranchIndexed
        | ControlOp::Call
        | ControlOp::Return
        | ControlOp::Exit
        | ControlOp::Trap
        | ControlOp::Breakpoint
        | ControlOp::PushReconvergence
        | ControlOp::Reconverge
        | ControlOp::ReconvergeUnlessYielded
        | ControlOp::GiveWay
        | ControlOp::LeaveReconvergence
        | ControlOp::BranchIndirect
        | ControlOp::BranchDivergent => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: ControlOp) -> Decoded<Op> {
    match op {
        // Branch targets are instruction indices until the function has been decoded.
        ControlOp::Branch => Ok(Op::Branch {
            target: d.label(0)?,
        }),
        ControlOp::BranchIndexed => branch_indexed(d),
        ControlOp::Call => call(d),
        ControlOp::Return => Ok(Op::Return),
        ControlOp::Exit => Ok(Op::Exit),
        // Without a debugger, `brkpt` stops the launch as `trap` does.
        ControlOp::Trap | ControlOp::Breakpoint => Ok(Op::Trap),
        // The mask of the active lanes is saved for their reconvergence.
        ControlOp::PushReconvergence => Ok(Op::ActiveMask {
            d: d.target(0, 32)?,
        }),
        ControlOp::Reconverge => Ok(Op::Reconverge {
            mask: d.source(0, 32)?,
        }),
        ControlOp::ReconvergeUnlessYielded => Ok(Op::ReconvergeUnlessYielded {
            mask: d.source(0, 32)?,
        }),
        ControlOp::GiveWay => Ok(Op::GiveWay),
        ControlOp::LeaveReconvergence => Ok(Op::LeaveReconvergence {
            mask: d.source(0, 32)?,
        }),
        ControlOp::BranchIndirect => Ok(Op::BranchIndirect {
            a: d.element(0, 64)?,
        }),
        ControlOp::BranchDivergent => Ok(Op::BranchDivergent {
            mask: d.source(0, 32)?,
            target: d.label(1)?,
        }),
    }
}

/// `brx.idx`
fn branch_indexed(d: &mut Decoder<'_>) -> Decoded<Op> {
    let index = d.source(0, 32)?;
    let mut table = Vec::new();
    for operand in d.list(1).1 {
        match operand.value {
            OperandValue::Label(label) => table.push(label),
            _ => return Err(Refusal::internal("operand 1: expected labels".to_owned())),
        }
    }
    let table = d.code.branch_tables.add(table);
    Ok(Op::BranchIndexed { index, table })
}

/// `call`: results, function, arguments.
fn call(d: &mut Decoder<'_>) -> Decoded<Op> {
    let returns = places(d, 0)?;
    let arguments = places(d, 2)?;
    match d.callee(1)? {
        Callee::System(name) => system_call(d, name, arguments, returns),
        Callee::Direct(id) => {
            let Some(plan) = target_plan(d, *id, &arguments, &returns) else {
                let name = d.program.functions.get(id.0 as usize);
                let name = name.map_or("?", |f| f.name.as_str());
                return Err(Refusal::NotYet(Some(format!("call {name}"))));
            };
            push_call(d, Element::SINK, vec![plan])
        }
        Callee::Indirect {
            register,
            candidates,
        } => {
            let register = d.register(*register)?;
            let targets = candidates
                .iter()
                .filter_map(|id| target_plan(d, *id, &arguments, &returns))
                .collect();
            push_call(d, register, targets)
        }
    }
}

fn push_call(d: &mut Decoder<'_>, register: Element, targets: Vec<CallTargetPlan>) -> Decoded<Op> {
    Ok(Op::Call(d.code.calls.add(CallPlan { register, targets })))
}

/// Decodes a call into the driver.
fn system_call(
    d: &mut Decoder<'_>,
    name: &str,
    arguments: Vec<Place>,
    returns: Vec<Place>,
) -> Decoded<Op> {
    let kind = match name {
        "vprintf" => SystemCall::Printf,
        "__assertfail" => SystemCall::AssertFail,
        _ => return Err(Refusal::NotYet(Some(format!("call {name}")))),
    };
    Ok(Op::SystemCall(d.code.system_calls.add(SystemPlan {
        kind,
        arguments,
        returns,
    })))
}

/// Decodes the locations of arguments or results in the caller.
fn places(d: &mut Decoder<'_>, index: usize) -> Decoded<Vec<Place>> {
    if *d.operand(index) == OperandValue::Absent {
        return Ok(Vec::new());
    }
    let operands = d.list(index).1;
    operands.iter().map(|o| place(d, &o.value)).collect()
}

fn place(d: &mut Decoder<'_>, value: &OperandValue) -> Decoded<Place> {
    match value {
        OperandValue::Destination(None) => Ok(Place::Register(Element::SINK)),
        OperandValue::Destination(Some(run)) => Ok(Place::Register(d.written(*run)?)),
        OperandValue::Source(
            Source::VariableAddress {
                variable: id @ VariableId::Function(index),
                ..
            },
            _,
        ) if matches!(
            d.variable(*id)?,
            (VariablePlace::Frame(_), StateSpace::ParamFunc)
        ) =>
        {
            let variable = d.function.variables.get(*index as usize);
            let size = variable.map_or(0, |v| v.size_bytes as u32);
            match d.variable(*id)?.0 {
                VariablePlace::Frame(offset) => Ok(Place::Stack { offset, size }),
                VariablePlace::Fixed(_) => Err(Refusal::missing("stack slot")),
            }
        }
        OperandValue::Source(source, modifiers) => {
            Ok(Place::Register(d.read(*source, *modifiers, 64)?))
        }
        OperandValue::Predicate {
            source,
            negated: false,
        } => {
            let element = d.read(*source, SourceModifiers::NONE, 1)?;
            Ok(Place::Register(element))
        }
        _ => Err(Refusal::internal(
            "a call argument must be a register, a literal or a variable".to_owned(),
        )),
    }
}

/// Returns the argument and result transfer for one callee, or `None` if the function cannot be called.
fn target_plan(
    d: &Decoder<'_>,
    id: FunctionId,
    arguments: &[Place],
    returns: &[Place],
) -> Option<CallTargetPlan> {
    let callee = d.program.functions.get(id.0 as usize)?;
    if !callee.defined {
        return None;
    }
    let function = d.function_index(id)?;
    let code = d.code.functions.get(function as usize)?;
    let place = |parameter: &Parameter| match parameter {
        Parameter::Register(id) => code
            .registers
            .get(id.0 as usize)
            .map(|e| Place::Register(*e)),
        Parameter::Variable(index) => {
            let places = d.layout.functions.get(id.0 as usize)?;
            match places.get(*index as usize)? {
                VariablePlace::Frame(offset) => Some(Place::Stack {
                    offset: *offset,
                    size: callee.variables.get(*index as usize)?.size_bytes as u32,
                }),
                VariablePlace::Fixed(_) => None,
            }
        }
    };
    let mut plan = CallTargetPlan {
        function,
        address: d.layout.function_address(id),
        arguments: Vec::new(),
        returns: Vec::new(),
    };
    for (from, parameter) in arguments.iter().zip(&callee.parameters) {
        plan.arguments.push((*from, place(parameter)?));
    }
    for (to, parameter) in returns.iter().zip(&callee.returns) {
        plan.returns.push((place(parameter)?, *to));
    }
    Some(plan)
}
