//! Repair candidates for races between modifications of a tensor map and copies that read the tensor map. A candidate contains a fence that
//! releases the modifications, and a fence that acquires the tensor map.

use crate::memory_model::concurrency::repair::body::Body;
use crate::memory_model::concurrency::repair::{RepairContext, RepairEdits};
use warpgrid_isa::{DeviceUnitOp, Proxy, Scope, TensorCopyOp, TensorMapOp};
use warpgrid_program::OpcodeInfo;

const FENCE: &str = "fence.proxy.tensormap::generic";

/// Returns candidates that widen the scope of an existing tensor-map fence, or that insert new tensor-map fences.
pub(crate) fn of_maps(broken: &RepairContext<'_>) -> Vec<RepairEdits> {
    let body = broken.body;
    let scope = broken.scope();
    let Some(map) = map_of(body, broken.second) else {
        return Vec::new();
    };
    let release = format!("{FENCE}.release.{};", scope.name());
    let acquire = format!("{FENCE}.acquire.{} [{map}], 128;", scope.name());
    let is_narrow_fence = |action: &OpcodeInfo| {
        let publishes = Some(DeviceUnitOp::TensorMap(TensorMapOp::CopyFenceProxy));
        let is_fence = action.operation.sync().is_some();
        let is_of_map = is_fence && action.modifiers.proxy == Some(Proxy::Tensormap);
        let own = action.modifiers.scope.unwrap_or(Scope::Sys);
        (is_of_map || action.operation.unit() == publishes) && own < scope
    };
    let fences = body.all(is_narrow_fence);
    let wider = fences.iter().filter_map(|at| {
        let own = body.action(*at)?.modifiers.scope?;
        body.set_modifier(*at, own.name(), &[scope.name()])
    });
    let mut all: Vec<RepairEdits> = wider.collect();
    all.push(vec![body.before(broken.second, &acquire)]);
    all.push(vec![body.after(broken.first, &release)]);
    all.push(vec![
        body.after(broken.first, &release),
        body.before(broken.second, &acquire),
    ]);
    all
}

/// Returns the name of the register that contains the address of the tensor map which a copy reads.
fn map_of<'a>(body: &Body<'a>, at: usize) -> Option<&'a str> {
    let operand = match body.operation(at)?.unit()?.tensor_copy()? {
        TensorCopyOp::Load => 1,
        TensorCopyOp::Store | TensorCopyOp::Reduction | TensorCopyOp::Prefetch => 0,
    };
    body.register(at, body.operands(at).get(operand)?)
}
