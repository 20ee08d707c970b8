//! The ways that lanes of a warp went. In: traces, as gangs and parts of them wrote them; out: a way for lanes that stayed together, where those that parted for a detour are two.

use crate::place::{IS_DETOUR, IS_FAR, IS_STORE};
use std::borrow::Cow;

/// Lanes that went one way.
#[derive(Clone, Debug)]
pub(crate) struct Way<'m> {
    /// Blocks by number, each followed by the guarded stores that were done there, two bytes each.
    pub(crate) trace: Cow<'m, [u8]>,
    /// Whether the lanes have ended, and wait for nothing.
    pub(crate) has_ended: bool,
    pub(crate) half: Half,
    /// The gang that they are of.
    pub(crate) gang: u32,
}

/// Which lanes of a gang a way is of, where they part for detours. The two that are one gang follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Whole,
    /// Those that do not branch.
    First,
    /// Those that do.
    Second,
}

/// In the trace of half a gang: its lanes part at the end of the block.
pub(crate) const LANES_PART: u16 = IS_FAR as u16;

/// Likewise: the block is the first one of a side of a detour.
pub(crate) const BEGINS_SIDE: u16 = IS_DETOUR as u16;

/// Likewise: the block is a later one of a side, before which some lanes may have left it for the end.
pub(crate) const LATER_IN_SIDE: u16 = (IS_DETOUR | IS_FAR) as u16;

/// The ways of lanes of a gang with this trace: one, or two if its lanes have made detours, which only some code has. None where a mark is missing.
pub(crate) fn ways_of(
    trace: Cow<'_, [u8]>,
    has_ended: bool,
    has_detours: bool,
    gang: u32,
) -> Option<Vec<Way<'_>>> {
    let words: Vec<u16> = match has_detours {
        true => trace
            .as_chunks()
            .0
            .iter()
            .copied()
            .map(u16::from_le_bytes)
            .collect(),
        false => Vec::new(),
    };
    let is_marked = |word: &u16| u32::from(*word) & (IS_STORE | IS_DETOUR) == IS_DETOUR;
    if !words.iter().any(is_marked) {
        let half = Half::Whole;
        return Some(vec![Way {
            trace,
            has_ended,
            half,
            gang,
        }]);
    }
    let mut halves = [Vec::new(), Vec::new()];
    // The last block that both were in, and who goes on.
    let mut last = [0; 2];
    let mut on_side = [true; 2];
    for word in words {
        let block = word & !LATER_IN_SIDE;
        let kept = if u32::from(word) & IS_STORE != 0 {
            word
        } else if !is_marked(&word) {
            on_side = [true; 2];
            last = halves.each_ref().map(Vec::len);
            word
        } else if u32::from(word) & IS_FAR != 0 {
            on_side = [false, true];
            block | BEGINS_SIDE
        } else if on_side == [true; 2] {
            for (half, last) in halves.iter_mut().zip(last) {
                *half.get_mut(last)? |= LANES_PART;
            }
            on_side = [true, false];
            block | BEGINS_SIDE
        } else {
            block | LATER_IN_SIDE
        };
        for (half, goes_on) in halves.iter_mut().zip(on_side) {
            if goes_on {
                half.push(kept);
            }
        }
    }
    let kinds = [Half::First, Half::Second].into_iter();
    let made = kinds.zip(halves).map(|(half, words)| Way {
        trace: words.into_iter().flat_map(u16::to_le_bytes).collect(),
        has_ended,
        half,
        gang,
    });
    Some(made.collect())
}

impl Way<'_> {
    /// Whether these are only some lanes of a gang.
    pub(crate) fn is_half(&self) -> bool {
        self.half != Half::Whole
    }

    /// What is at a place of the trace.
    pub(crate) fn word(&self, at: usize) -> Option<u16> {
        let bytes = self.trace.get(2 * at..2 * at + 2)?.first_chunk()?;
        Some(u16::from_le_bytes(*bytes))
    }

    /// The block at a place of the trace, and what is said of it there.
    pub(crate) fn block(&self, at: usize) -> Option<(u16, u16)> {
        let word = self.word(at)?;
        let marks = match self.half {
            Half::Whole => 0,
            Half::First | Half::Second => LATER_IN_SIDE,
        };
        Some((word & !marks, word & marks))
    }
}

/// Where in the trace of each half of a gang other lanes of it parted from these, so that one of both may be without lanes from there on.
pub(crate) fn partings(ways: &[Way<'_>]) -> Vec<Vec<usize>> {
    let of = |way: &Way<'_>| {
        let is_other = |other: &&Way<'_>| {
            other.gang == way.gang && other.half == way.half && other.trace != way.trace
        };
        let others = ways.iter().filter(is_other);
        let first_that_differs = |other: &Way<'_>| {
            let words = way.trace.chunks(2).zip(other.trace.chunks(2));
            words.take_while(|(word, other)| word == other).count()
        };
        match way.is_half() {
            true => others.map(first_that_differs).collect(),
            false => Vec::new(),
        }
    };
    ways.iter().map(of).collect()
}
