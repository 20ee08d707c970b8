//! What is asked of a run at a moment, beside what is shown. A run and texts go in; values of watch expressions, and what differs between two moments,
//! come out. Only the core that is loaded later links this.
//!
//! - `number`: values and arithmetic of the crate's `expression`s. `watch`: the value of an expression, lane by lane.
//! - `moments`: the cells and registers that differ between two positions.
//! - `arranged`: a memory in rows and columns by a layout. `minimap`: all of it at a glance. `shades`: its elements as cells that are too small for a text.

mod arranged;
mod minimap;
mod moments;
mod number;
mod shades;
mod watch;

pub use crate::expression::{Expression, WatchExpression};
pub use arranged::{Arranged, Arrangement};
pub use minimap::{MapPart, Minimap};
pub use moments::{CellChange, CellWriter, MemoryChange, Moments, RegisterChange};
pub use shades::{MAX_SHADES, ShadeRequest, Shades, Shading};
pub use watch::WatchedValue;

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
fn go_to(session: &mut Session, position: u64) -> Result<(), String> {
    if position > MAX_STEPS {
        return Err(format!(
            "watch expressions support at most {MAX_STEPS} steps, but the selected step is {position}"
        ));
    }
    session.seek(position);
    Ok(())
}
