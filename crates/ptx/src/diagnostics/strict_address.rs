//! Addresses of asynchronous stores and of matrix stores: one wording, under the codes of either family.

use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Diagnostic, Span};

/// The codes of a family for what can be wrong with an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressCodes {
    pub(crate) no_address: &'static str,
    pub(crate) address_type: &'static str,
    pub(crate) address_space: &'static str,
    pub(crate) constant_address: &'static str,
}

impl AddressCodes {
    /// No address in brackets; `bracketed` is the operand as one.
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

    /// A register that cannot hold an address.
    pub(crate) fn address_type(&self, span: Span, ty: ScalarType) -> Diagnostic {
        Diagnostic::error(
            self.address_type,
            span,
            format!("found a `.{ty}` register, expected an address"),
        )
        .help("use an integer or untyped register of 32 or 64 bits")
    }

    /// A variable of another space.
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

    /// A number as an address.
    pub(crate) fn constant_address(&self, span: Span) -> Diagnostic {
        Diagnostic::error(
            self.constant_address,
            span,
            "constant addresses are allowed in `.local` memory only",
        )
        .help("move the address into a register or use a variable")
    }
}
