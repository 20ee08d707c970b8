//! The calls of a session with plain arguments: memories by their names, options that are checked. A name goes in; a view or a [`Failure`]
//! comes out.

use super::limits::check_columns;
use crate::catalogue::{NO_SUCH_MEMORY, no_such_memory};
use crate::failure::Failure;
use crate::memory_id::MemoryId;
use crate::model::{Frame, FrameRequest, Grid, GridOptions};
use crate::picture::MemoryForm;
use crate::session::Session;

impl Session {
    /// The bytes of the memory of a name.
    pub fn bytes_of(&self, name: &str) -> Result<&[u8], Failure> {
        let memory = self.memory(&MemoryId::from(name));
        memory.ok_or_else(|| unknown_memory(name))
    }

    /// A window of the memory of a name as cells.
    pub fn grid_named(&mut self, name: &str, options: GridOptions) -> Result<Grid, Failure> {
        check_columns(options.columns, "options")?;
        let request = options.request(MemoryId::from(name));
        self.grid(&request).ok_or_else(|| unknown_memory(name))
    }

    /// Everything a page shows at the present position; fails where one of the memories does not exist.
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

    /// The memory of a name as a file; `form` is the name of a [`MemoryForm`].
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
