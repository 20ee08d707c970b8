//! Diagnostics for calls: callee, arguments and results.

use crate::diagnostics::check::{
    CALL_ARGUMENTS, CALL_SEQUENCE, CALL_TARGET, OWN_PARAMETER, space_name,
};
use warpgrid_isa::StateSpace;
use warpgrid_program::{Diagnostic, Span, counted};

pub(crate) fn call_target(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        "expected a function, or a register that contains the address of a function",
    )
}

pub(crate) fn call_prototype(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        "a call through a register needs a `.callprototype` or `.calltargets`",
    )
}

/// Returns the diagnostic for a function with a special convention in `.calltargets`. `word` is the directive that specifies the
/// convention.
pub(crate) fn call_convention(span: Span, name: &str, word: &str) -> Diagnostic {
    let message = format!(
        "`{name}` is declared with `{word}`, which is not supported in a call through `.calltargets`"
    );
    let mut diagnostic = Diagnostic::error(CALL_TARGET, span, message);
    diagnostic.help = Some(format!("use a `.callprototype` with `{word}` in the call"));
    diagnostic
}

/// Returns the diagnostic for a function that the device runtime of the target does not support.
pub(crate) fn removed_function(span: Span, name: &str) -> Diagnostic {
    let message = format!("`{name}` is not available in kernels for `sm_90` and later");
    Diagnostic::error(CALL_TARGET, span, message)
        .help("CUDA 12 removed the function from the device runtime; synchronize on the host, or define the function in the module")
}

/// Returns the diagnostic for a prototype or table after a direct call.
pub(crate) fn needless_table(span: Span) -> Diagnostic {
    let message = "a prototype or a list of targets is allowed only in calls through a register";
    Diagnostic::error(CALL_TARGET, span, message)
}

pub(crate) fn call_argument_space(span: Span, space: StateSpace) -> Diagnostic {
    let message = format!(
        "found a variable in {} memory, expected a `.param` variable or a register",
        space_name(space)
    );
    Diagnostic::error(CALL_ARGUMENTS, span, message)
}

/// Numbers of results and arguments of a call or a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallCounts {
    pub(crate) returns: usize,
    pub(crate) arguments: usize,
}

pub(crate) fn call_counts(
    span: Span,
    name: &str,
    found: CallCounts,
    want: CallCounts,
    missing: Option<(&str, Span)>,
) -> Diagnostic {
    if found.returns != want.returns {
        let found = counted(found.returns, "result");
        let message = format!("found {found}, but `{name}` has {}", want.returns);
        return Diagnostic::error(CALL_ARGUMENTS, span, message);
    }
    let found = counted(found.arguments, "argument");
    let message = format!("found {found}, but `{name}` expects {}", want.arguments);
    let problem = Diagnostic::error(CALL_ARGUMENTS, span, message);
    match missing {
        Some((parameter, place)) => problem
            .label(place, "no argument for this parameter")
            .help(format!("pass an argument for the parameter `{parameter}`")),
        None => problem,
    }
}

pub(crate) fn call_argument(span: Span, name: &str, index: usize, n_returns: usize) -> Diagnostic {
    let message = match index.checked_sub(n_returns) {
        Some(argument) => format!(
            "argument {} is not compatible with the corresponding parameter of `{name}`",
            argument + 1
        ),
        None => format!(
            "result {} is not compatible with the corresponding return parameter of `{name}`",
            index + 1
        ),
    };
    Diagnostic::error(CALL_ARGUMENTS, span, message)
}

/// Returns the diagnostic for a call of a kernel.
pub(crate) fn call_of_kernel(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(
        CALL_TARGET,
        span,
        format!("`{name}` is a kernel, expected a function"),
    )
    .help("only functions that are declared with `.func` can be called")
}

/// Returns the diagnostic for a read of a call parameter before a call has returned a value in it.
pub(crate) fn call_sequence(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_SEQUENCE,
        span,
        "the `.param` variable is read before a call returns a value in the variable",
    )
    .help("read a `.param` variable of the body only after a call that lists the variable as a return parameter")
}

/// Returns the diagnostic for a read of a result of the function itself.
pub(crate) fn read_of_result(span: Span, name: &str) -> Diagnostic {
    let message = format!("`{name}` is a return parameter, which the function itself cannot read");
    Diagnostic::error(OWN_PARAMETER, span, message)
        .help("keep the value in a register, and store the register with `st.param`")
}

/// Returns the diagnostic for a parameter of the function itself as an argument or result of a call.
pub(crate) fn own_parameter(span: Span, name: &str) -> Diagnostic {
    let message = format!(
        "`{name}` is a parameter of the enclosing function and cannot be an argument or result of a call"
    );
    Diagnostic::error(OWN_PARAMETER, span, message)
        .help("load the value and store it to a `.param` variable of the body")
}

/// Returns the diagnostic for the address of a call parameter.
pub(crate) fn address_of_argument(span: Span) -> Diagnostic {
    Diagnostic::error(
        CALL_SEQUENCE,
        span,
        "a `.param` variable of a function body has no address",
    )
    .help("use `st.param` before the call and `ld.param` after the call")
}
