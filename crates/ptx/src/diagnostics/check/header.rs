//! Diagnostics for the whole source: versions, targets, sizes of addresses and of variables.

use crate::diagnostics::check::{
    ADDRESS_SIZE, DEBUG_SECTION, EMPTY, MISSING_TARGET, MISSING_VERSION, TARGET_VERSION,
    UNKNOWN_TARGET, UNKNOWN_VERSION, VARIABLE_TOO_LARGE, suggest,
};
use crate::tree::declaration::Directive;

use warpgrid_isa::{ScalarType, Target, TargetRequirement, Version};
use warpgrid_program::{Diagnostic, Requirement, Span};

pub(crate) fn empty() -> Diagnostic {
    Diagnostic::error(EMPTY, Span::at(0), "the source contains no statements")
        .help("write or paste a kernel")
}

pub(crate) fn missing_version() -> Diagnostic {
    let version = Version::NEWEST;
    Diagnostic::error(
        MISSING_VERSION,
        Span::at(0),
        "the module does not start with `.version`",
    )
    .fix(
        format!("add `.version {version}`"),
        Span::at(0),
        format!(".version {version}\n"),
    )
}

pub(crate) fn missing_target() -> Diagnostic {
    Diagnostic::error(MISSING_TARGET, Span::at(0), "the module has no `.target`")
}

pub(crate) fn unknown_version(span: Span, text: &str) -> Diagnostic {
    let message = format!("unknown PTX version `{text}`");
    Diagnostic::error(UNKNOWN_VERSION, span, message)
        .help(format!("the newest version is {}", Version::NEWEST))
}

pub(crate) fn unknown_target(span: Span, text: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::error(UNKNOWN_TARGET, span, format!("unknown target `{text}`"));
    suggest(found, text, span, nearest)
}

/// Returns the diagnostic for a target option before any target.
pub(crate) fn option_without_target(span: Span, text: &str) -> Diagnostic {
    let message = format!("expected a target before the option `{text}`");
    Diagnostic::error(MISSING_TARGET, span, message)
}

/// Returns the diagnostic for an option that is only allowed for older targets.
pub(crate) fn needless_option(span: Span, text: &str, target: &Target) -> Diagnostic {
    let message = format!(
        "`{text}` is allowed only for targets without double precision, found `{}`",
        target.name
    );
    Diagnostic::error(UNKNOWN_TARGET, span, message)
}

pub(crate) fn target_needs_version(
    target: &Directive,
    version: &Directive,
    have: Version,
    need: &Target,
) -> Diagnostic {
    let message = format!(
        "target `{}` needs PTX {}, found PTX {have}",
        need.name, need.since
    );
    let mut found = Diagnostic::error(TARGET_VERSION, target.span, message)
        .label(version.span, format!("the module has PTX version {have}"));
    found.needs = Requirement {
        version: Some(need.since),
        ..Requirement::default()
    };
    found.fix(
        format!("raise `.version` to {}", need.since),
        version.span,
        format!(".version {}", need.since),
    )
}

pub(crate) fn address_size(span: Span) -> Diagnostic {
    Diagnostic::error(
        ADDRESS_SIZE,
        span,
        "expected an address size of 32 or 64 bits",
    )
    .fix("use 64-bit addresses", span, ".address_size 64")
}

pub(crate) fn narrow_program(span: Span, target: &Target) -> Diagnostic {
    const WITHOUT_ABI: TargetRequirement = TargetRequirement::From(90);
    if WITHOUT_ABI.met_by(target) {
        let message = "32-bit programs are not supported on `sm_90` and later";
        return Diagnostic::error(ADDRESS_SIZE, span, message).fix(
            "use 64-bit addresses",
            span,
            ".address_size 64",
        );
    }
    let message = "`ptxas` releases after 12.0 do not compile 32-bit programs";
    Diagnostic::warning(ADDRESS_SIZE, span, message)
        .help("compile with `ptxas` 12.0, or use `.address_size 64` with PTX 2.3 or later")
}

/// Returns the diagnostic for a 32-bit type for the address of a global variable.
pub(crate) fn narrow_global(span: Span, ty: ScalarType) -> Diagnostic {
    let message =
        format!("found `.{ty}`, expected a 64-bit type for the address of a global variable");
    Diagnostic::error(ADDRESS_SIZE, span, message)
        .help("use `mov.u64`; 32-bit programs are no longer supported")
}

/// Returns the diagnostic for the handle of a texture, a sampler or a surface as a type other than `.u64`.
pub(crate) fn handle_type(span: Span, kind: &str, ty: ScalarType) -> Diagnostic {
    let message = format!("found `.{ty}`, expected `.u64` for the handle of a {kind}");
    Diagnostic::error(ADDRESS_SIZE, span, message).help("use `mov.u64`")
}

/// Returns the diagnostic for `.address_size` in a version that does not support it.
pub(crate) fn early_address_size(span: Span, version: Version) -> Diagnostic {
    let message = format!("`.address_size` needs PTX 2.3, found PTX {version}");
    Diagnostic::error(ADDRESS_SIZE, span, message)
        .fix("remove the directive", span, "")
        .help("addresses have 64 bits if the directive is omitted")
}

/// Returns the diagnostic for `.target sm_90, debug` without debug information.
pub(crate) fn no_debug_section(span: Span) -> Diagnostic {
    Diagnostic::error(
        DEBUG_SECTION,
        span,
        "the target has the option `debug`, but the module has no `.section`",
    )
    .help("remove `debug` from `.target` or compile with debug information")
}

pub(crate) fn variable_too_large(span: Span) -> Diagnostic {
    Diagnostic::error(
        VARIABLE_TOO_LARGE,
        span,
        "the variable is larger than 2^40 bytes",
    )
}
