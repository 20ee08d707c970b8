//! What a host does to a run from outside: it starts an operation, or lets one land now. An input belongs to a
//! position; a run that comes to the position again meets it again.

use crate::contract::event::PendingId;
use crate::contract::pending::{Pending, PendingOperation};
use crate::contract::tiles::Tile;
use crate::exec::matrix::tiles::tiles;
use crate::run::machine::Machine;
use std::sync::Arc;

/// One input, before the step from `position`.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    position: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Start(Arc<PendingOperation>),
    Land(PendingId),
}

impl Machine {
    /// Operations in flight, in the order in which they will land.
    pub fn pending(&self) -> &[Arc<Pending>] {
        self.state.in_flight.all()
    }

    /// The matrices that an operation in flight reads and writes, and where each lies; none of one that moves no matrix, or that will fault.
    pub fn tiles(&self, pending: &Pending) -> Vec<Tile> {
        tiles(&self.setup.code, pending)
    }

    /// Puts an operation in flight, as an instruction at this position would. For hosts and tests.
    pub fn start_pending(&mut self, operation: PendingOperation) -> Option<PendingId> {
        self.add_input(What::Start(Arc::new(operation)));
        let before = self.state.inputs_done;
        self.apply_starts();
        (self.state.inputs_done > before).then(|| self.state.in_flight.latest())?
    }

    /// Makes the landing of an operation the next step, in place of another landing that was asked for at the same
    /// position; of one that must land before it, if there is one. False if it is not in flight.
    pub fn land(&mut self, id: PendingId) -> bool {
        let in_flight = self.state.in_flight.get(id).is_some();
        if in_flight {
            self.add_input(What::Land(id));
        }
        in_flight
    }

    /// A new input makes another future: later inputs go.
    fn add_input(&mut self, what: What) {
        self.inputs.truncate(self.state.inputs_done);
        self.inputs.push(Input {
            position: self.state.position,
            what,
        });
    }

    /// The next input, once its position is reached.
    fn due_input(&self) -> Option<&Input> {
        let input = self.inputs.get(self.state.inputs_done)?;
        (input.position <= self.state.position).then_some(input)
    }

    /// Starts the operations that the host started at this position.
    pub(crate) fn apply_starts(&mut self) {
        while let Some(Input {
            what: What::Start(operation),
            ..
        }) = self.due_input()
        {
            let operation = PendingOperation::clone(operation);
            let delay = self.state.schedule.landing_delay();
            self.state.in_flight.start(operation, delay);
            self.state.inputs_done += 1;
        }
    }

    /// The operation that the host lets land at this position.
    pub(crate) fn asked_landing(&mut self) -> Option<PendingId> {
        while let Some(Input { what, .. }) = self.due_input() {
            if let What::Land(id) = *what {
                self.state.inputs_done += 1;
                if let Some(id) = self.state.in_flight.first_of(id) {
                    return Some(id);
                }
            }
            self.apply_starts();
        }
        None
    }

    /// As [`Machine::asked_landing`], without changing anything.
    pub(crate) fn due_landing(&self) -> Option<PendingId> {
        let due = self.inputs.get(self.state.inputs_done..)?.iter();
        due.take_while(|input| input.position <= self.state.position)
            .find_map(|input| match input.what {
                What::Land(id) => self.state.in_flight.first_of(id),
                What::Start(_) => None,
            })
    }

    /// The position at which a warp's turn is interrupted at the latest.
    pub(crate) fn next_interruption(&self) -> u64 {
        let input = self.inputs.get(self.state.inputs_done);
        let input = input.map_or(u64::MAX, |input| input.position);
        let landing = self.state.in_flight.next_landing().unwrap_or(u64::MAX);
        input.min(landing)
    }
}
