//! Tables of detectors that are gone, for the next one of the same thread: to ask for their memory anew takes longer than many a run. In: tables of a
//! small run; out: the same tables, empty.

use crate::races::detector::BlockState;
use crate::races::hash::Map;
use crate::races::location::Location;
use crate::races::shadow::Shadow;
use crate::races::site::Sites;
use crate::races::strong_write::{Observation, StrongWrite};
use crate::races::threads::Warps;
use std::cell::Cell;

/// Entries that a table of places or blocks may have room for to be kept.
const MOST_PLACES: usize = 1 << 9;

/// What every run fills.
#[derive(Default)]
pub(crate) struct Tables {
    pub(crate) sites: Sites,
    pub(crate) shadow: Option<Box<Shadow>>,
    pub(crate) warps: Warps,
    pub(crate) blocks: Map<u64, BlockState>,
    pub(crate) strong: Map<Location, StrongWrite>,
    pub(crate) observed: Map<Location, Vec<Observation>>,
}

thread_local! {
    static SPARE: Cell<Option<Tables>> = const { Cell::new(None) };
}

impl Tables {
    /// Empty tables.
    pub(crate) fn take() -> Tables {
        SPARE.take().unwrap_or_default()
    }

    /// Keeps tables for the next detector, unless they are large.
    pub(crate) fn give_back(mut self) {
        if self.is_small() {
            self.clear();
            SPARE.set(Some(self));
        }
    }

    fn is_small(&self) -> bool {
        let n = [
            self.blocks.capacity(),
            self.strong.capacity(),
            self.observed.capacity(),
        ];
        n.iter().all(|n| *n <= MOST_PLACES)
            && self.sites.is_small()
            && self.warps.is_small()
            && self.shadow.as_ref().is_none_or(|shadow| shadow.is_small())
    }

    fn clear(&mut self) {
        let Tables {
            sites,
            shadow,
            warps,
            blocks,
            strong,
            observed,
        } = self;
        sites.clear();
        if let Some(shadow) = shadow {
            shadow.clear();
        }
        warps.clear();
        blocks.clear();
        strong.clear();
        observed.clear();
    }
}
