//! Inputs of the host to a run. The host can issue asynchronous operations, and it can complete operations early. The
//! machine records each input with its position in the run, so that a replay applies the input again at this position.

use crate::contract::agent::AsyncOperationId;
use crate::contract::pending::{AsyncOperation, InFlightOperation};
use crate::contract::tiles::Tile;
use crate::exec::matrix::operand_tiles::tiles;
use crate::run::machine::Machine;
use std::sync::Arc;

/// Input of the host to a run, which the machine applies before the step at `position`.
#[derive(Clone, Debug)]
pub(crate) struct HostInput {
    position: u64,
    what: HostInputKind,
}

#[derive(Clone, Debug)]
enum HostInputKind {
    Start(Arc<AsyncOperation>),
    Land(AsyncOperationId),
}

impl Machine {
    /// Returns the operations in flight, in the order of their completion.
    pub fn pending(&self) -> &[Arc<InFlightOperation>] {
        self.state.in_flight.all()
    }

    /// Returns the matrices that an operation in flight reads and writes, with their locations. The list is empty if
    /// the operation accesses no matrix, or if it will fault.
    pub fn tiles(&self, pending: &InFlightOperation) -> Vec<Tile> {
        tiles(&self.setup.code, pending)
    }

    /// Issues an asynchronous operation at the current position, as an instruction would. Hosts and tests call this
    /// method.
    pub fn start_pending(&mut self, operation: AsyncOperation) -> Option<AsyncOperationId> {
        self.add_input(HostInputKind::Start(Arc::new(operation)));
        let before = self.state.inputs_done;
        self.apply_starts();
        (self.state.inputs_done > before).then(|| self.state.in_flight.latest())?
    }

    /// Schedules the completion of an operation as the next step. The request replaces an earlier request at the same
    /// position. If the operation depends on another operation in flight, the next step is the completion of that other
    /// operation. Returns `false` if the operation is not in flight.
    pub fn land(&mut self, id: AsyncOperationId) -> bool {
        let in_flight = self.state.in_flight.get(id).is_some();
        if in_flight {
            self.add_input(HostInputKind::Land(id));
        }
        in_flight
    }

    /// Appends an input of the host. Discards inputs at later positions, because the new input changes the subsequent
    /// execution.
    fn add_input(&mut self, what: HostInputKind) {
        self.inputs.truncate(self.state.inputs_done);
        self.inputs.push(HostInput {
            position: self.state.position,
            what,
        });
    }

    /// Returns the next input if the run has reached its position.
    fn due_input(&self) -> Option<&HostInput> {
        let input = self.inputs.get(self.state.inputs_done)?;
        (input.position <= self.state.position).then_some(input)
    }

    /// Issues the operations that the host has requested at this position.
    pub(crate) fn apply_starts(&mut self) {
        while let Some(HostInput {
            what: HostInputKind::Start(operation),
            ..
        }) = self.due_input()
        {
            let operation = AsyncOperation::clone(operation);
            let delay = self.state.schedule.landing_delay();
            self.state.in_flight.start(operation, delay);
            self.state.inputs_done += 1;
        }
    }

    /// Returns the operation whose completion the host has requested at this position.
    pub(crate) fn asked_landing(&mut self) -> Option<AsyncOperationId> {
        while let Some(HostInput { what, .. }) = self.due_input() {
            if let HostInputKind::Land(id) = *what {
                self.state.inputs_done += 1;
                if let Some(id) = self.state.in_flight.first_of(id) {
                    return Some(id);
                }
            }
            self.apply_starts();
        }
        None
    }

    /// Returns the operation whose completion the host has requested at this position, without consuming the request.
    pub(crate) fn due_landing(&self) -> Option<AsyncOperationId> {
        let due = self.inputs.get(self.state.inputs_done..)?.iter();
        due.take_while(|input| input.position <= self.state.position)
            .find_map(|input| match input.what {
                HostInputKind::Land(id) => self.state.in_flight.first_of(id),
                HostInputKind::Start(_) => None,
            })
    }

    /// Returns the position of the next input, at which the turn of a warp must end.
    pub(crate) fn next_interruption(&self) -> u64 {
        let input = self.inputs.get(self.state.inputs_done);
        let input = input.map_or(u64::MAX, |input| input.position);
        let landing = self.state.in_flight.next_landing();
        let landing = landing.filter(|_| !self.state.schedule.is_in_fixed_turn());
        input.min(landing.unwrap_or(u64::MAX))
    }
}
