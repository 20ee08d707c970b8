//! State spaces (PTX ISA, "State Spaces").

/// Where an address points. `Generic` is what an instruction without a space means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateSpace {
    /// No space named: the address falls into a window of one of the others.
    Generic,
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param` of a kernel (`.param::entry`)
    ParamEntry,
    /// `.param` of a function, its returns and call arguments (`.param::func`)
    ParamFunc,
    /// `.shared` or `.shared::cta`
    Shared,
    /// `.shared::cluster`
    SharedCluster,
}

impl StateSpace {
    /// The spelling in an opcode, without the leading dot; empty for generic.
    pub const fn name(self) -> &'static str {
        match self {
            StateSpace::Generic => "",
            StateSpace::Const => "const",
            StateSpace::Global => "global",
            StateSpace::Local => "local",
            StateSpace::ParamEntry | StateSpace::ParamFunc => "param",
            StateSpace::Shared => "shared",
            StateSpace::SharedCluster => "shared::cluster",
        }
    }
}
