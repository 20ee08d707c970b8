//! Steps of an agent that the host selects. The exploration of schedules selects the agent of each step.

use crate::contract::agent::Agent;
use crate::contract::inspect::MachineStatus;
use crate::contract::observer::Observer;
use crate::run::machine::Machine;
use crate::run::spin_detection::{HashMixer, fingerprint, place_of};
use crate::semantics::registers::lanes_of;
use crate::state::scheduler::{ScheduledAction, WarpSlot, action_of, can_run};
use std::sync::Arc;
use warpgrid_program::{FunctionId, RegisterId};

impl Machine {
    /// Returns the agents that can execute the next step: warps with a lane group that does not wait, in the order of
    /// their blocks, and then asynchronous operations in flight whose predecessors have completed. A lane group
    /// counts as ready until it executes the instruction at which it waits.
    pub fn runnable_agents(&self) -> Vec<Agent> {
        if self.state.fault.is_some() {
            return Vec::new();
        }
        let blocks = self.state.blocks.iter();
        let warps = blocks.flat_map(|block| {
            let ready = block.warps.iter().filter(|warp| warp.can_run());
            ready.map(|warp| Agent::Warp {
                block: block.index,
                warp: warp.index,
            })
        });
        let operations = self.state.in_flight.all().iter();
        let ready = operations.filter(|pending| self.state.in_flight.action(pending.id).is_some());
        warps
            .chain(ready.map(|pending| Agent::InFlight(pending.id)))
            .collect()
    }

    /// Checks whether an agent can execute the next step, see [`Machine::runnable_agents`].
    pub fn can_step(&self, agent: Agent) -> bool {
        self.state.fault.is_none() && self.chosen_action(agent).is_some()
    }

    /// Executes the next step of an agent. The position does not change if the agent cannot execute a step, or if its
    /// lane groups start to wait.
    pub fn step_agent(&mut self, agent: Agent, observer: &mut dyn Observer) -> MachineStatus {
        if self.state.fault.is_none()
            && let Some(action) = self.chosen_action(agent)
        {
            self.state.schedule.take_turn(action, 1);
            match action {
                ScheduledAction::Warp(place) => {
                    self.turn(place, self.state.position + 1, observer);
                }
                ScheduledAction::InFlight(id) => self.complete_operation(id, observer),
                ScheduledAction::Read(id) => self.read_now(id, observer),
            }
        }
        self.status()
    }

    /// Returns the next instruction of each ready lane group of a warp.
    pub fn ready_instructions(&self, block: u64, warp: u32) -> Vec<(FunctionId, u32)> {
        let warp = self.find_warp(block, warp);
        let groups = warp.into_iter().flat_map(|warp| warp.splits.all());
        let ready = groups.filter(|group| group.is_ready());
        ready
            .map(|group| self.setup.code.origin(group.pc))
            .collect()
    }

    /// Hashes the state that determines the execution of the ready lane groups of a warp: their lanes and program
    /// counters, the waiting groups, and the registers that `live` returns for the next instruction of a group. Memory is
    /// not part of the hash. In called functions, the hash includes all registers, because the callers may read theirs.
    pub fn warp_fingerprint(
        &self,
        block: u64,
        warp: u32,
        live: &mut dyn FnMut(FunctionId, u32) -> Arc<[RegisterId]>,
    ) -> Option<u64> {
        let state = self.find_warp(block, warp)?;
        let mut mixer = HashMixer::default();
        for group in state.splits.all() {
            mixer.add(place_of(group));
            if !group.is_ready() {
                continue;
            }
            if group.depth > 0 {
                mixer.add(fingerprint(state, group));
                continue;
            }
            let (function, instruction) = self.setup.code.origin(group.pc);
            for register in live(function, instruction).iter() {
                let row = self.register_row(block, warp, function, *register)?;
                for lane in lanes_of(group.mask) {
                    mixer.add(row[lane] as u64);
                    mixer.add((row[lane] >> 64) as u64);
                }
            }
        }
        mixer.add(u64::from(state.carry));
        Some(mixer.finish())
    }

    fn chosen_action(&self, agent: Agent) -> Option<ScheduledAction> {
        let state = &self.state;
        let runs = |at: WarpSlot| can_run(&state.blocks, at);
        action_of(agent, &state.blocks, &state.in_flight, runs)
    }

    /// Returns the first instruction that reads a clock, a timer or another value that depends on the number of executed
    /// steps.
    pub fn clock_read(&self) -> Option<(FunctionId, u32)> {
        let instructions = &self.setup.code.instructions;
        let pc = instructions.iter().position(|found| found.reads_clock)?;
        Some(self.setup.code.origin(pc as u32))
    }
}
