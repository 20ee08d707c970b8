//! Diagnostics for addresses of asynchronous stores and matrix stores: the same messages with the codes of either family.

use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Diagnostic, Span};

/// Codes of an instruction family for invalid addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressCodes {
    pub(crate) no_address: &'static str,
    pub(crate) address_type: &'static str,
    pub(crate) address_space: &'static str,
    pub(crate) constant_address: &'static str,
}

impl AddressCodes {
    /// Returns the diagnostic for an operand that is not an address in brackets. `bracketed` is the operand in brackets if that
    /// is a valid address.
    pub(crate) fn no_address(
        &self,
        span: Span,
        found: &str,
        bracketed: Option<String>,
    ) -> Diagnostic {
        let diagnostic = Diagnostic::error(
            self.no_address,
            span,
            format!("found {found}, expected an address in brackets"),
        )
        .help("an address is a register or a variable, optionally plus a constant, such as `[%rd1+64]`");
        match bracketed {
            Some(text) => diagnostic.fix(format!("write `{text}`"), span, text),
            None => diagnostic,
        }
    }

    /// Returns the diagnostic for a register that cannot contain an address.
    pub(crate) fn address_type(&self, span: Span, ty: ScalarType) -> Diagnostic {
        Diagnostic::error(
            self.address_type,
            span,
            format!("found a `.{ty}` register, expected an address"),
        )
        .help("use an integer or untyped register of 32 or 64 bits")
    }

    /// Returns the diagnostic for a variable in a different state space.
    pub(crate) fn address_space(
        &self,
        span: Span,
        found: StateSpace,
        wanted: StateSpace,
        declared: Option<Span>,
    ) -> Diagnostic {
        let wanted = match wanted {
            StateSpace::Generic => "global, shared or local memory".to_owned(),
            space => format!("`.{}`", space.name()),
        };
        let diagnostic = Diagnostic::error(
            self.address_space,
            span,
            format!("found a variable in `.{}`, expected {wanted}", found.name()),
        )
        .help("the address is generic if the opcode has no state space");
        match declared {
            Some(place) => diagnostic.label(place, "declared here"),
            None => diagnostic,
        }
    }

    /// Returns the diagnostic for a constant address.
    pub(crate) fn constant_address(&self, span: Span) -> Diagnostic {
        Diagnostic::error(
            self.constant_address,
            span,
            "constant addresses are allowed in `.local` memory only",
        )
        .help("move the address into a register or use a variable")
    }
}
