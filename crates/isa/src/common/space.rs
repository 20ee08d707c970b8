//! State spaces (PTX ISA, "State Spaces").

/// State space of an address. `Generic` is the default of an instruction without a state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateSpace {
    /// Generic addressing: the address range determines whether the address refers to global, constant, local, shared or parameter memory.
    Generic,
    /// `.const`
    Const,
    /// `.global`
    Global,
    /// `.local`
    Local,
    /// `.param` of a kernel (`.param::entry`)
    ParamEntry,
    /// `.param` of a device function: parameters, return values and call arguments (`.param::func`)
    ParamFunc,
    /// `.shared` or `.shared::cta`
    Shared,
    /// `.shared::cluster`
    SharedCluster,
}

impl StateSpace {
    /// Returns the modifier without the leading dot, or an empty string for generic addressing.
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

    /// Returns whether an instruction on this state space may use a variable of the state space `variable` as its address (PTX ISA, "State
    /// Spaces"). Additional restrictions on parameters depend on the instruction and are not checked here.
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
