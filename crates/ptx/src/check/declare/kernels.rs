//! Checks of kernels that depend on all bodies of the module: the shared memory of the functions that a kernel calls, and whether the
//! address of a kernel may be taken.

use crate::check::declare::memory;
use crate::diagnostics::rules::special_gate;
use crate::target_context::TargetContext;
use warpgrid_isa::StateSpace;
use warpgrid_isa::form::Gate;
use warpgrid_program::{
    AddressBase, Callee, Diagnostic, Function, FunctionId, FunctionKind, OperandValue,
    RelocationTarget, Source, Span, Variable, VariableId,
};

/// Required version and target for the address of a kernel (assembler 13.5).
pub(crate) const KERNEL_ADDRESS: Gate = Gate::ptx(3, 1).sm(35);

/// Reports variables that contain addresses of kernels.
pub(crate) fn check_addresses(
    module: &TargetContext,
    functions: &[Function],
    variables: &[Variable],
) -> Vec<Diagnostic> {
    if module.meets(KERNEL_ADDRESS) {
        return Vec::new();
    }
    let is_kernel = |id: FunctionId| {
        let function = functions.get(id.0 as usize);
        function.is_some_and(|function| function.kind == FunctionKind::Entry)
    };
    let holds_one = |variable: &&Variable| {
        let mut targets = variable.relocations.iter().map(|r| r.target);
        targets.any(|target| matches!(target, RelocationTarget::Function(id) if is_kernel(id)))
    };
    let subject = "the address of a kernel";
    let holding = variables.iter().filter(holds_one);
    holding
        .map(|variable| special_gate(subject, variable.span, KERNEL_ADDRESS, module))
        .collect()
}

/// Node of the call graph: the shared variables that a function uses, and the functions to which the function refers. If a function takes
/// the address of another function, the assembler assumes a call of this function.
#[derive(Debug, Default)]
struct CallGraphNode {
    named: Vec<u32>,
    functions: Vec<FunctionId>,
}

impl CallGraphNode {
    fn of(function: &Function, variables: &[Variable]) -> CallGraphNode {
        let mut uses = CallGraphNode::default();
        for operand in &function.operands {
            match &operand.value {
                OperandValue::Source(Source::VariableAddress { variable, .. }, _) => {
                    uses.variable(*variable, variables);
                }
                OperandValue::Address(address) => match address.base {
                    AddressBase::Variable(variable) => uses.variable(variable, variables),
                    AddressBase::Register(_) | AddressBase::Bank { .. } | AddressBase::None => {}
                },
                OperandValue::Callee(Callee::Direct(id))
                | OperandValue::Source(Source::FunctionAddress(id), _) => uses.functions.push(*id),
                OperandValue::Callee(Callee::Indirect { .. } | Callee::System(_))
                | OperandValue::Source(..)
                | OperandValue::Absent
                | OperandValue::Destination(_)
                | OperandValue::Pair(..)
                | OperandValue::Predicate { .. }
                | OperandValue::List(_)
                | OperandValue::Label(_) => {}
            }
        }
        uses.functions.sort_by_cached_key(|id| u64::from(id.0));
        uses.functions.dedup();
        uses
    }

    fn variable(&mut self, variable: VariableId, variables: &[Variable]) {
        let VariableId::Module(index) = variable else {
            return;
        };
        let found = variables.get(index as usize);
        if found.is_some_and(|variable| variable.space == StateSpace::Shared) {
            self.named.push(index);
        }
    }
}

/// Returns an upper bound of the total size in bytes of the shared variables, including padding.
fn shared_bytes(variables: &[Variable]) -> u64 {
    let shared = variables.iter().filter(|v| v.space == StateSpace::Shared);
    shared.fold(0, |sum, variable| {
        let size = variable
            .size_bytes
            .saturating_add(variable.align_bytes.into());
        sum.saturating_add(size)
    })
}

/// Reports excessive static shared memory of kernels. The size of a kernel includes its shared variables, the shared variables of all
/// functions that the kernel calls, and the shared module variables that these functions use.
pub(crate) fn check_shared(
    module: &TargetContext,
    functions: &[Function],
    variables: &[Variable],
) -> Vec<Diagnostic> {
    // Fast path: skip the traversal of the call graph if the upper bound is within the limit.
    let called = functions.iter().filter(|f| f.kind != FunctionKind::Entry);
    let common = called.fold(shared_bytes(variables), |sum, function| {
        sum.saturating_add(shared_bytes(&function.variables))
    });
    let most = module.architecture.static_shared_bytes();
    let may_be_much = |kernel: &Function| {
        let is_kernel = kernel.kind == FunctionKind::Entry && kernel.defined;
        is_kernel && shared_bytes(&kernel.variables).saturating_add(common) > most
    };
    if !functions.iter().any(may_be_much) {
        return Vec::new();
    }
    let uses: Vec<CallGraphNode> = functions
        .iter()
        .map(|function| CallGraphNode::of(function, variables))
        .collect();
    let kernels = functions.iter().zip(0..);
    let kernels = kernels.filter(|(function, _)| may_be_much(function));
    kernels
        .filter_map(|(kernel, id)| {
            let mut reached = vec![FunctionId(id)];
            // A kernel whose address is taken is launched separately, so its shared memory is not part of the shared memory of the
            // referring kernel.
            let mut is_reached: Vec<bool> = functions
                .iter()
                .map(|function| function.kind == FunctionKind::Entry)
                .collect();
            let mut next = 0;
            let mut named: Vec<u32> = Vec::new();
            while let Some(uses) = reached.get(next).and_then(|id| uses.get(id.0 as usize)) {
                next += 1;
                named.extend(&uses.named);
                for id in &uses.functions {
                    match is_reached.get_mut(id.0 as usize) {
                        Some(seen) if !*seen => *seen = true,
                        Some(_) | None => continue,
                    }
                    reached.push(*id);
                }
            }
            named.sort_by_cached_key(|index| u64::from(*index));
            named.dedup();
            reached.sort_by_cached_key(|id| u64::from(id.0));
            let reached = reached.iter().filter_map(|id| functions.get(id.0 as usize));
            let own = reached.flat_map(|function| &function.variables);
            let named = named
                .iter()
                .filter_map(|index| variables.get(*index as usize));
            let end = Span::at(kernel.span.end.saturating_sub(1));
            memory::check_shared(own.chain(named), module.architecture, end)
        })
        .collect()
}
