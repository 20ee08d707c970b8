//! What is asked of a run at a moment, beside what is shown. A run and texts go in; values of watch expressions, and what differs between two moments,
//! come out. Only the core that is loaded later links this.
//!
//! - `value`: values and arithmetic of the crate's `expression`s. `watch_expressions`: the value of an expression, lane by lane.
//! - `state_diff`: the cells and registers that differ between two positions.
//! - `layout_view`: a memory in rows and columns by a layout. `minimap`: all of it at a glance. `heatmap`: its elements as cells that are too small for a text.

pub(crate) mod heatmap;
pub(crate) mod layout_view;
pub(crate) mod minimap;
pub(crate) mod state_diff;
pub(crate) mod value;
pub(crate) mod watch_expressions;

pub use crate::expression::tree::{Expression, WatchExpression};
pub use crate::session::inspect::heatmap::{MAX_SHADES, ShadeRequest, Shades, Shading};
pub use crate::session::inspect::layout_view::{Arranged, Arrangement};
pub use crate::session::inspect::minimap::{MapPart, Minimap};
pub use crate::session::inspect::state_diff::{
    CellChange, CellWriter, MemoryChange, Moments, RegisterChange,
};
pub use crate::session::inspect::watch_expressions::WatchedValue;

use crate::session::Session;
use warpgrid_emulator::WarpView;
use warpgrid_program::FunctionId;

/// Steps up to which a moment is gone to.
pub const MAX_STEPS: u64 = 20_000_000;

impl Session {
    /// The function that a warp is in; the kernel, where it has ended.
    fn function_of(&self, warp: &WarpView) -> FunctionId {
        let kernel = || self.timeline.machine().entry();
        let running = warp.groups.first().map(|group| group.function);
        running.or_else(kernel).unwrap_or(FunctionId(0))
    }
}

/// Goes to a position, or to the end where the run has fewer steps. The sentence says why not.
pub(crate) fn go_to(session: &mut Session, position: u64) -> Result<(), String> {
    if position > MAX_STEPS {
        return Err(format!(
            "watch expressions support at most {MAX_STEPS} steps, but the selected step is {position}"
        ));
    }
    session.seek(position);
    Ok(())
}
