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

    /// Whether an instruction on this space may name a variable of the space `variable` as its address (PTX ISA,
    /// "State Spaces"; which parameters fit is for the instruction to say).
    pub const fn takes_variable(self, variable: StateSpace) -> bool {
        use StateSpace as S;
        match self {
            S::Generic => matches!(variable, S::Global | S::Shared | S::Local),
            S::Shared | S::SharedCluster => matches!(variable, S::Shared),
            S::ParamEntry | S::ParamFunc => matches!(variable, S::ParamEntry | S::ParamFunc),
            S::Const => matches!(variable, S::Const),
            S::Global => matches!(variable, S::Global),
            S::Local => matches!(variable, S::Local),
        }
    }
}
