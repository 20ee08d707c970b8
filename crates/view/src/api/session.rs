//! Methods of a session for hosts. The methods have plain arguments: they identify memories by name and validate options. Each method
//! returns a view or a [`RequestError`].

use crate::analysis::cell_history::{CellLocation, MAX_CELL_BYTES};
use crate::api::limits::check_columns;
use crate::diagnostics::{NO_SUCH_MEMORY, no_such_memory};
use crate::memory_export::ExportFormat;
use crate::model::SessionFrame;
use crate::model::grid::MemoryGrid;
use crate::model::history::{CellHistory, HistoryOptions};
use crate::model::request::{FrameRequest, GridOptions, RunOptions, StopOptions};
use crate::request_error::RequestError;
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::session::stop_conditions::{Direction, StopCondition, StopConditionError, StopResult};

impl Session {
    /// Returns the bytes of the named memory.
    pub fn bytes_of(&self, name: &str) -> Result<&[u8], RequestError> {
        let memory = self.memory(&MemoryKey::from(name));
        memory.ok_or_else(|| unknown_memory(name))
    }

    /// Returns a window of the named memory as a grid of cells.
    pub fn grid_named(
        &mut self,
        name: &str,
        options: GridOptions,
    ) -> Result<MemoryGrid, RequestError> {
        check_columns(options.columns, "options")?;
        let request = options.request(MemoryKey::from(name));
        self.grid(&request).ok_or_else(|| unknown_memory(name))
    }

    /// Returns all stores to the cell that is `offset` bytes after the start of the named memory.
    pub fn history_named(
        &mut self,
        name: &str,
        offset: u64,
        options: HistoryOptions,
    ) -> Result<CellHistory, RequestError> {
        let id = MemoryKey::from(name);
        let memory = self.memory_with(&id).ok_or_else(|| unknown_memory(name))?;
        let ty = options.ty.unwrap_or(memory.element);
        let place = CellLocation {
            n_bytes: options.bytes.unwrap_or(ty.width_bytes() as u64),
            memory: id,
            offset,
            ty,
        };
        if !(1..=MAX_CELL_BYTES).contains(&place.n_bytes) {
            let reason = format!(
                "`bytes` is {}, expected 1 to {MAX_CELL_BYTES}",
                place.n_bytes
            );
            return Err(RequestError::invalid_argument("options", &reason));
        }
        let size = memory.view.size_bytes;
        self.history(&place).ok_or_else(|| {
            let end = offset.saturating_add(place.n_bytes);
            let reason = format!(
                "found the byte range {offset} to {end}, expected an end of at most {size}, the size of `{name}`"
            );
            RequestError::invalid_argument("offset", &reason)
        })
    }

    /// Runs the session forward, or backward through past steps, until the condition in `options` holds.
    pub fn run_until_request(&mut self, options: &StopOptions) -> Result<StopResult, RequestError> {
        let until = self.until_of(options)?;
        let direction = match options.back {
            true => Direction::Reverse,
            false => Direction::Forward,
        };
        let run = RunOptions {
            max_steps: options.max_steps,
        };
        let reached = self.run_until(&until, direction, run.steps()?);
        reached.map_err(|StopConditionError { message, at }| {
            RequestError::invalid_argument(
                "options",
                &match at {
                    (0, 0) => message,
                    (from, _) => format!("{message} (at {} of `condition`)", from + 1),
                },
            )
        })
    }

    fn until_of(&self, options: &StopOptions) -> Result<StopCondition, RequestError> {
        match (&options.condition, &options.lines, &options.memory) {
            (Some(condition), None, None) => Ok(StopCondition::Predicate(condition.clone())),
            (None, Some(lines), None) => Ok(StopCondition::LineReached(lines.clone())),
            (None, None, Some(name)) => {
                let id = MemoryKey::from(&**name);
                let memory = self.memory_with(&id).ok_or_else(|| unknown_memory(name))?;
                Ok(StopCondition::DataChange(CellLocation {
                    memory: id,
                    offset: options.offset.unwrap_or(0),
                    n_bytes: options.bytes.unwrap_or(memory.element.width_bytes() as u64),
                    ty: memory.element,
                }))
            }
            _ => Err(RequestError::invalid_argument(
                "options",
                "expected exactly one of the options `condition`, `lines` and `memory`",
            )),
        }
    }

    /// Returns all data that the page displays at the present position. Fails if a requested memory does not exist.
    pub fn requested_frame(
        &mut self,
        request: &FrameRequest,
    ) -> Result<SessionFrame, RequestError> {
        for grid in &request.grids {
            check_columns(grid.columns, "request")?;
        }
        let frame = self.frame(request);
        let is_there = |id: &MemoryKey| frame.grids.iter().any(|grid| grid.memory.id == *id);
        let mut requested = request.grids.iter().map(|grid| &grid.memory);
        match requested.find(|id| !is_there(id)) {
            Some(id) => Err(unknown_memory(&id.to_string())),
            None => Ok(frame),
        }
    }

    /// Exports the named memory as a file. `form` is the name of a [`ExportFormat`].
    pub fn file_named(
        &mut self,
        name: &str,
        form: &str,
        options: GridOptions,
    ) -> Result<Vec<u8>, RequestError> {
        check_columns(options.columns, "options")?;
        let form = ExportFormat::from_name(form)
            .ok_or_else(|| RequestError::invalid_argument("form", &ExportFormat::expected(form)))?;
        self.bytes_of(name)?;
        let request = options.request(MemoryKey::from(name));
        let file = self.memory_file(&request, form);
        file.map_err(|reason| RequestError::invalid_argument("form", &reason))
    }
}

fn unknown_memory(name: &str) -> RequestError {
    RequestError::new(NO_SUCH_MEMORY, no_such_memory(name))
}
