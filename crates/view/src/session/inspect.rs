//! Inspection of a run beyond the displayed frame: values of watch expressions, differences between two positions, and memory views. Only
//! the WebAssembly module that the page loads on demand contains this code.
//!
//! - `value`: values and arithmetic of expressions. `watch_expressions`: evaluation of an expression for each lane.
//! - `state_diff`: cells and registers that differ between two positions of a run.
//! - `layout_view`: a memory in rows and columns according to a layout. `minimap`: an overview of a complete memory. `heatmap`: the
//!   elements of a memory as cells that are too small for text.

pub(crate) mod heatmap;
pub(crate) mod layout_view;
pub(crate) mod minimap;
pub(crate) mod state_diff;
pub(crate) mod value;
pub(crate) mod watch_expressions;

pub use crate::expression::tree::{Expression, WatchExpression};
pub use crate::session::inspect::heatmap::{Heatmap, HeatmapMode, HeatmapRequest, MAX_SHADES};
pub use crate::session::inspect::layout_view::{LayoutMemoryView, LayoutViewRequest};
pub use crate::session::inspect::minimap::{Minimap, MinimapSegment};
pub use crate::session::inspect::state_diff::{
    CellChange, CellWriter, MemoryChange, RegisterChange, StateDiff,
};
pub use crate::session::inspect::watch_expressions::WatchedValue;

use crate::session::Session;
use warpgrid_emulator::WarpView;
use warpgrid_program::FunctionId;

/// Maximum position to which the functions of this module seek.
pub const MAX_STEPS: u64 = 20_000_000;

impl Session {
    /// Returns the function that a warp executes, or the kernel if all lanes of the warp have exited.
    fn function_of(&self, warp: &WarpView) -> FunctionId {
        let kernel = || self.timeline.machine().entry();
        let running = warp.groups.first().map(|group| group.function);
        running.or_else(kernel).unwrap_or(FunctionId(0))
    }
}

/// Seeks to a position, or to the end if the run has fewer steps. The error is a message for the user.
pub(crate) fn go_to(session: &mut Session, position: u64) -> Result<(), String> {
    if position > MAX_STEPS {
        return Err(format!(
            "watch expressions support at most {MAX_STEPS} steps, but the selected step is {position}"
        ));
    }
    session.seek(position);
    Ok(())
}
