//! Decoder of branches, calls and exits.

use crate::code::decoded_op::DecodedOp;
use crate::code::{
    CallPlan, CallTargetPlan, CallValueLocation, DriverCall, DriverCallPlan, RegisterOperand,
};
use crate::contract::support::Support;
use crate::decode::{DecodeError, DecodeResult, Decoder};
use crate::state::memory_layout::VariableLocation;
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
        | ControlOp::ReconvergeYieldable
        | ControlOp::Yield
        | ControlOp::BreakReconvergence
        | ControlOp::BranchIndirect
        | ControlOp::BranchDivergent => Support::Runs,
    }
}

pub(crate) fn decode(d: &mut Decoder<'_>, op: ControlOp) -> DecodeResult<DecodedOp> {
    match op {
        // Branch targets are instruction indices until the whole function has been decoded.
        ControlOp::Branch => Ok(DecodedOp::Branch {
            target: d.label(0)?,
        }),
        ControlOp::BranchIndexed => branch_indexed(d),
        ControlOp::Call => call(d),
        ControlOp::Return => Ok(DecodedOp::Return),
        ControlOp::Exit => Ok(DecodedOp::Exit),
        // Decode `brkpt` like `trap`, because without a debugger, `brkpt` stops the launch.
        ControlOp::Trap | ControlOp::Breakpoint => Ok(DecodedOp::Trap),
        // Save the mask of the active lanes in a barrier register, with which these lanes reconverge later.
        ControlOp::PushReconvergence => Ok(DecodedOp::ActiveMask {
            d: d.target(0, 32)?,
        }),
        ControlOp::Reconverge => Ok(DecodedOp::Reconverge {
            mask: d.source(0, 32)?,
        }),
        ControlOp::ReconvergeYieldable => Ok(DecodedOp::ReconvergeUnlessYielded {
            mask: d.source(0, 32)?,
        }),
        ControlOp::Yield => Ok(DecodedOp::YieldConvergence),
        ControlOp::BreakReconvergence => Ok(DecodedOp::BreakConvergence {
            mask: d.source(0, 32)?,
        }),
        ControlOp::BranchIndirect => Ok(DecodedOp::BranchIndirect {
            a: d.element(0, 64)?,
        }),
        ControlOp::BranchDivergent => Ok(DecodedOp::BranchDivergent {
            mask: d.source(0, 32)?,
            target: d.label(1)?,
        }),
    }
}

/// Decodes `brx.idx`.
fn branch_indexed(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let index = d.source(0, 32)?;
    let mut table = Vec::new();
    for operand in d.list(1).1 {
        match operand.value {
            OperandValue::Label(label) => table.push(label),
            _ => {
                return Err(DecodeError::internal(
                    "operand 1: expected labels".to_owned(),
                ));
            }
        }
    }
    let table = d.code.branch_tables.add(table);
    Ok(DecodedOp::BranchIndexed { index, table })
}

/// Decodes `call`, whose operands are the results, the function and the arguments.
fn call(d: &mut Decoder<'_>) -> DecodeResult<DecodedOp> {
    let returns = places(d, 0)?;
    let arguments = places(d, 2)?;
    match d.callee(1)? {
        Callee::System(name) => system_call(d, name, arguments, returns),
        Callee::Direct(id) => {
            let Some(plan) = target_plan(d, *id, &arguments, &returns) else {
                let name = d.program.functions.get(id.0 as usize);
                let name = name.map_or("?", |f| f.name.as_str());
                return Err(DecodeError::NotYet(Some(format!("call {name}"))));
            };
            push_call(d, RegisterOperand::SINK, vec![plan])
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

fn push_call(
    d: &mut Decoder<'_>,
    register: RegisterOperand,
    targets: Vec<CallTargetPlan>,
) -> DecodeResult<DecodedOp> {
    Ok(DecodedOp::Call(
        d.code.calls.add(CallPlan { register, targets }),
    ))
}

/// Decodes a call of a device function that the driver provides.
fn system_call(
    d: &mut Decoder<'_>,
    name: &str,
    arguments: Vec<CallValueLocation>,
    returns: Vec<CallValueLocation>,
) -> DecodeResult<DecodedOp> {
    let kind = match name {
        "vprintf" => DriverCall::Printf,
        "__assertfail" => DriverCall::AssertFail,
        _ => return Err(DecodeError::NotYet(Some(format!("call {name}")))),
    };
    Ok(DecodedOp::SystemCall(d.code.system_calls.add(
        DriverCallPlan {
            kind,
            arguments,
            returns,
        },
    )))
}

/// Decodes the locations of arguments or results in the stack frame of the caller.
fn places(d: &mut Decoder<'_>, index: usize) -> DecodeResult<Vec<CallValueLocation>> {
    if *d.operand(index) == OperandValue::Absent {
        return Ok(Vec::new());
    }
    let operands = d.list(index).1;
    operands.iter().map(|o| place(d, &o.value)).collect()
}

fn place(d: &mut Decoder<'_>, value: &OperandValue) -> DecodeResult<CallValueLocation> {
    match value {
        OperandValue::Destination(None) => Ok(CallValueLocation::Register(RegisterOperand::SINK)),
        OperandValue::Destination(Some(run)) => Ok(CallValueLocation::Register(d.written(*run)?)),
        OperandValue::Source(
            Source::VariableAddress {
                variable: id @ VariableId::Function(index),
                ..
            },
            _,
        ) if matches!(
            d.variable(*id)?,
            (VariableLocation::Frame(_), StateSpace::ParamFunc)
        ) =>
        {
            let variable = d.function.variables.get(*index as usize);
            let size = variable.map_or(0, |v| v.size_bytes as u32);
            match d.variable(*id)?.0 {
                VariableLocation::Frame(offset) => Ok(CallValueLocation::Stack { offset, size }),
                VariableLocation::Fixed(_) => Err(DecodeError::missing("stack slot")),
            }
        }
        OperandValue::Source(source, modifiers) => Ok(CallValueLocation::Register(
            d.read(*source, *modifiers, 64)?,
        )),
        OperandValue::Predicate {
            source,
            negated: false,
        } => {
            let element = d.read(*source, SourceModifiers::NONE, 1)?;
            Ok(CallValueLocation::Register(element))
        }
        _ => Err(DecodeError::internal(
            "a call argument must be a register, a literal or a variable".to_owned(),
        )),
    }
}

/// Returns the plan for transferring the arguments and results of one callee. Returns `None` if the function cannot be
/// called.
fn target_plan(
    d: &Decoder<'_>,
    id: FunctionId,
    arguments: &[CallValueLocation],
    returns: &[CallValueLocation],
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
            .map(|e| CallValueLocation::Register(*e)),
        Parameter::Variable(index) => {
            let places = d.layout.functions.get(id.0 as usize)?;
            match places.get(*index as usize)? {
                VariableLocation::Frame(offset) => Some(CallValueLocation::Stack {
                    offset: *offset,
                    size: callee.variables.get(*index as usize)?.size_bytes as u32,
                }),
                VariableLocation::Fixed(_) => None,
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
