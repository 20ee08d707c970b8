//! Branches, calls, barriers, and what lanes do together.

use super::{Decoded, Decoder};
use crate::decode::code::*;
use crate::state::layout::VariablePlace;
use crate::state::registers::Slot;
use warpgrid_isa::StateSpace;
use warpgrid_program::{
    BarrierKind, BarrierReduce, CallArgument, CallTarget, FunctionId, Parameter, Source, VariableId,
};

/// `brx.idx`
pub(super) fn branch_indexed(d: &mut Decoder<'_>, index: Source, targets: &[u32]) -> Decoded<Op> {
    let index = d.source(index, 32)?;
    let table = targets.iter().map(|t| d.pc(*t)).collect();
    d.code.branch_tables.push(table);
    Ok(Op::BranchIndexed {
        index,
        table: d.code.branch_tables.len() as u32 - 1,
    })
}

/// `bar` and `barrier`
pub(super) fn barrier(
    d: &mut Decoder<'_>,
    kind: &BarrierKind,
    id: Source,
    threads: Option<Source>,
) -> Decoded<Op> {
    let kind = match kind {
        BarrierKind::Sync => BarrierMode::Sync,
        BarrierKind::Arrive => BarrierMode::Arrive,
        BarrierKind::Reduce {
            op,
            d: to,
            predicate,
            negated,
        } => {
            let bits = match op {
                BarrierReduce::Popc => 32,
                _ => 1,
            };
            BarrierMode::Reduce {
                op: *op,
                d: d.target(*to, bits)?,
                predicate: d.target(*predicate, 1)?,
                negated: *negated,
            }
        }
    };
    let plan = BarrierPlan {
        id: d.source(id, 32)?,
        threads: threads.map_or(Ok(Slot::NONE), |t| d.source(t, 32))?,
        kind,
    };
    d.code.barriers.push(plan);
    Ok(Op::Barrier(d.code.barriers.len() as u32 - 1))
}

/// Shuffles, votes and relatives, for the lanes of a mask
pub(super) fn collective(
    d: &mut Decoder<'_>,
    kind: CollectiveKind,
    mask: Option<Source>,
) -> Decoded<Op> {
    let mask = mask.map_or(Ok(Slot::NONE), |m| d.source(m, 32))?;
    d.code.collectives.push(Collective { mask, kind });
    Ok(Op::Collective(d.code.collectives.len() as u32 - 1))
}

pub(super) fn call(
    d: &mut Decoder<'_>,
    target: &CallTarget,
    arguments: &[CallArgument],
    returns: &[CallArgument],
) -> Decoded<Op> {
    let arguments = places(d, arguments)?;
    let returns = places(d, returns)?;
    let (register, candidates) = match target {
        CallTarget::System(name) => {
            let kind = match name.as_str() {
                "vprintf" => SystemCall::Printf,
                "__assertfail" => SystemCall::AssertFail,
                _ => return Ok(d.refuse(format!("call {name}"))),
            };
            d.code.system_calls.push(SystemPlan {
                kind,
                arguments,
                returns,
            });
            return Ok(Op::SystemCall(d.code.system_calls.len() as u32 - 1));
        }
        CallTarget::Direct(id) => (Element::SINK, vec![*id]),
        CallTarget::Indirect {
            register,
            candidates,
        } => (d.register(*register)?, candidates.clone()),
    };
    let mut targets = Vec::with_capacity(candidates.len());
    for id in candidates {
        match target_plan(d, id, &arguments, &returns) {
            Some(plan) => targets.push(plan),
            None if register == Element::SINK => {
                let name = d.program.functions.get(id.0 as usize).map(|f| &f.name);
                let name = name.map_or("?", |n| n.as_str());
                return Ok(d.refuse(format!("call {name}")));
            }
            None => {}
        }
    }
    d.code.calls.push(CallPlan { register, targets });
    Ok(Op::Call(d.code.calls.len() as u32 - 1))
}

/// Places of arguments or results in the caller.
fn places(d: &mut Decoder<'_>, sources: &[CallArgument]) -> Decoded<Vec<Place>> {
    sources
        .iter()
        .map(|source| {
            if let Source::VariableAddress {
                variable: id @ VariableId::Function(index),
                ..
            } = source
                && let (VariablePlace::Frame(offset), StateSpace::ParamFunc) = d.variable(*id)?
            {
                let size = d
                    .function
                    .variables
                    .get(*index as usize)
                    .map_or(0, |v| v.size_bytes as u32);
                return Ok(Place::Stack { offset, size });
            }
            Ok(Place::Register(d.element(*source, 64)?))
        })
        .collect()
}

/// How one function is called from here; nothing when it cannot be called.
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
