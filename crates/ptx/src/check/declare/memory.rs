//! Limits for the static memory of kernels and modules: shared memory, parameters and constants.

use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::target_context::TargetContext;
use warpgrid_isa::form::Gate;
use warpgrid_isa::{StateSpace, Target};
use warpgrid_program::{Diagnostic, Span, Variable};

/// Reports the shared variables of a kernel if their total size exceeds the limit. `end` is the span of the end of the kernel.
pub(crate) fn check_shared<'v>(
    variables: impl Iterator<Item = &'v Variable> + Clone,
    target: &Target,
    end: Span,
) -> Option<Diagnostic> {
    let shared = variables.filter(|v| v.space == StateSpace::Shared);
    let last = shared.clone().last().map(|v| v.span);
    let total = total_bytes(shared);
    let most = target.static_shared_bytes();
    (total > most).then(|| diagnose::shared_size(last.unwrap_or(end), total, most))
}

/// Maximum total size in bytes of kernel parameters in all versions and targets. The next constants specify a larger limit with its
/// requirements (assembler 13.5).
const PARAMETER_BYTES: u64 = 4352;
const MANY_PARAMETERS: Gate = Gate::ptx(8, 1).sm(70);
const MAX_PARAMETER_BYTES: u64 = 32_764;
/// Size in bytes of the constant bank that contains the parameters. If the parameters are at the start of the bank, their alignment
/// requires no padding (assembler 13.5).
const BANK_BYTES: u64 = 65_536;
const BANK_OF_PARAMETERS: Gate = Gate::ptx(7, 8).sm(90);

/// Reports the parameters of a kernel if their total size exceeds the limit.
pub(crate) fn check_parameters(
    parameters: &[Variable],
    module: &TargetContext,
    kernel: Span,
) -> Option<Diagnostic> {
    let total = parameters.iter().fold(0_u64, |end, parameter| {
        end.next_multiple_of(u64::from(parameter.align_bytes.max(1)))
            .saturating_add(parameter.size_bytes)
    });
    if total > MAX_PARAMETER_BYTES {
        return Some(diagnose::parameter_bytes(
            kernel,
            total,
            MAX_PARAMETER_BYTES,
        ));
    }
    let alignments = parameters.iter().map(|parameter| parameter.align_bytes);
    let in_bank = u64::from(alignments.max().unwrap_or(1)).saturating_add(total);
    if in_bank > BANK_BYTES && !module.meets(BANK_OF_PARAMETERS) {
        return Some(diagnose::parameter_bank(kernel, in_bank, BANK_BYTES));
    }
    let subject = format!("{total} bytes of parameters");
    (total > PARAMETER_BYTES && !module.meets(MANY_PARAMETERS))
        .then(|| special_gate(&subject, kernel, MANY_PARAMETERS, module))
}

/// Reports the constant variables of a module if their total size exceeds the limit.
pub(crate) fn check_const<'v>(
    variables: impl Iterator<Item = &'v Variable> + Clone,
    target: &Target,
) -> Option<Diagnostic> {
    let constant = variables.filter(|v| v.space == StateSpace::Const);
    let last = constant
        .clone()
        .map(|v| v.span)
        .max_by_key(|span| span.start)?;
    let total = total_bytes(constant);
    (total > target.limits.constant_bytes).then(|| diagnose::const_size(last, total))
}

/// Returns the total size in bytes of variables that are laid out consecutively in descending order of their alignment.
fn total_bytes<'v>(variables: impl Iterator<Item = &'v Variable>) -> u64 {
    let mut sizes: Vec<_> = variables.map(|v| (v.size_bytes, v.align_bytes)).collect();
    sizes.sort_by_cached_key(|(_, align)| u64::from(u32::MAX - align));
    sizes.iter().fold(0u64, |end, (size, align)| {
        end.checked_next_multiple_of(u64::from((*align).max(1)))
            .unwrap_or(u64::MAX)
            .saturating_add(*size)
    })
}
