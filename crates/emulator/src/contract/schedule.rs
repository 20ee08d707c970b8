//! Turns of a schedule, which fix the order in which the agents of a run execute steps.

use crate::contract::agent::Agent;

/// Turn of an agent: the scheduler selects the agent for a number of consecutive steps. A turn ends early if the agent
/// cannot execute a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScheduledTurn {
    pub agent: Agent,
    /// Number of steps, at least 1.
    pub n_steps: u32,
}
