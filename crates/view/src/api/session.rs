//! Methods of a session with plain arguments: memories are identified by name, and options are validated. The methods return a view or a
//! [`Failure`].

use crate::analysis::cell_history::{CellPlace, MAX_CELL_BYTES};
use crate::api::limits::check_columns;
use crate::diagnostics::{NO_SUCH_MEMORY, no_such_memory};
use crate::memory_export::MemoryForm;
use crate::model::Frame;
use crate::model::grid::Grid;
use crate::model::history::{CellHistory, HistoryOptions};
use crate::model::request::{FrameRequest, GridOptions, RunOptions, UntilOptions};
use crate::request_error::Failure;
use crate::session::Session;
use crate::session::memory_id::MemoryId;
use crate::session::until::{Direction, Reached, Until, UntilError};

impl Session {
    /// Returns the bytes of the named memory.
    pub fn bytes_of(&self, name: &str) -> Result<&[u8], Failure> {
        let memory = self.memory(&MemoryId::from(name));
        memory.ok_or_else(|| unknown_memory(name))
    }

    /// Returns a window of the named memory as cells.
    pub fn grid_named(&mut self, name: &str, options: GridOptions) -> Result<Grid, Failure> {
        check_columns(options.columns, "options")?;
        let request = options.request(MemoryId::from(name));
        self.grid(&request).ok_or_else(|| unknown_memory(name))
    }

    /// Returns all stores to a cell of the named memory, `offset` bytes from its start.
    pub fn history_named(
        &mut self,
        name: &str,
        offset: u64,
        options: HistoryOptions,
    ) -> Result<CellHistory, Failure> {
        let id = MemoryId::from(name);
        let memory = self.memory_with(&id).ok_or_else(|| unknown_memory(name))?;
        let ty = options.ty.unwrap_or(memory.element);
        let place = CellPlace {
            n_bytes: options.bytes.unwrap_or(ty.width_bytes() as u64),
            memory: id,
            offset,
            ty,
        };
        if !(1..=MAX_CELL_BYTES).contains(&place.n_bytes) {
            let why = format!(
                "`bytes` is {}, expected 1 to {MAX_CELL_BYTES}",
                place.n_bytes
            );
            return Err(Failure::unreadable("options", &why));
        }
        let size = memory.view.size_bytes;
        self.history(&place).ok_or_else(|| {
            let end = offset.saturating_add(place.n_bytes);
            let why = format!(
                "found the byte range {offset} to {end}, expected an end of at most {size}, the size of `{name}`"
            );
            Failure::unreadable("offset", &why)
        })
    }

    /// Runs forward, or backward through past steps, until a condition is true.
    pub fn run_until_asked(&mut self, options: &UntilOptions) -> Result<Reached, Failure> {
        let until = self.until_of(options)?;
        let direction = match options.back {
            true => Direction::Back,
            false => Direction::Forward,
        };
        let run = RunOptions {
            max_steps: options.max_steps,
        };
        let reached = self.run_until(&until, direction, run.steps()?);
        reached.map_err(|UntilError { message, at }| {
            Failure::unreadable(
                "options",
                &match at {
                    (0, 0) => message,
                    (from, _) => format!("{message} (at {} of `condition`)", from + 1),
                },
            )
        })
    }

    fn until_of(&self, options: &UntilOptions) -> Result<Until, Failure> {
        match (&options.condition, &options.lines, &options.memory) {
            (Some(condition), None, None) => Ok(Until::Meets(condition.clone())),
            (None, Some(lines), None) => Ok(Until::Lines(lines.clone())),
            (None, None, Some(name)) => {
                let id = MemoryId::from(&**name);
                let memory = self.memory_with(&id).ok_or_else(|| unknown_memory(name))?;
                Ok(Until::Changes(CellPlace {
                    memory: id,
                    offset: options.offset.unwrap_or(0),
                    n_bytes: options.bytes.unwrap_or(memory.element.width_bytes() as u64),
                    ty: memory.element,
                }))
            }
            _ => Err(Failure::unreadable(
                "options",
                "expected exactly one of the options `condition`, `lines` and `memory`",
            )),
        }
    }

    /// Returns all data that the page displays at the present position. Fails if a requested memory does not exist.
    pub fn frame_asked(&mut self, request: &FrameRequest) -> Result<Frame, Failure> {
        for grid in &request.grids {
            check_columns(grid.columns, "request")?;
        }
        let frame = self.frame(request);
        let is_there = |id: &MemoryId| frame.grids.iter().any(|grid| grid.memory.id == *id);
        let mut asked = request.grids.iter().map(|grid| &grid.memory);
        match asked.find(|id| !is_there(id)) {
            Some(id) => Err(unknown_memory(&id.to_string())),
            None => Ok(frame),
        }
    }

    /// Exports the named memory as a file. `form` is the name of a [`MemoryForm`].
    pub fn file_named(
        &mut self,
        name: &str,
        form: &str,
        options: GridOptions,
    ) -> Result<Vec<u8>, Failure> {
        check_columns(options.columns, "options")?;
        let form = MemoryForm::from_name(form)
            .ok_or_else(|| Failure::unreadable("form", &MemoryForm::expected(form)))?;
        self.bytes_of(name)?;
        let request = options.request(MemoryId::from(name));
        let file = self.memory_file(&request, form);
        file.map_err(|why| Failure::unreadable("form", &why))
    }
}

fn unknown_memory(name: &str) -> Failure {
    Failure::new(NO_SUCH_MEMORY, no_such_memory(name))
}
