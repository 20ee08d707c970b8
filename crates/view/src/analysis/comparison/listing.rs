//! Facts that a SASS listing does not contain. Some follow from the PTX of the comparison. Differences between the runs may depend on the
//! remaining facts.

use crate::analysis::comparison::{Pair, Text};
use crate::analysis::memory_diff::{Left, left_by};
use crate::session::Session;
use crate::session::memory_id::MemoryId;
use crate::source::front_ends::front_end;
use warpgrid_launch::{Front, Scenario};
use warpgrid_program::{CounterpartFacts, Overrides};

/// Bits of a positive and a negative NaN. They differ from the canonical NaN in each byte whose value depends on the literal.
const OTHER_NAN_WORDS: [Option<u32>; 2] = [Some(0x7f80_0001), Some(0xff80_0001)];

/// Adds facts that the listing lacks and the PTX of the comparison contains.
pub(crate) fn complete(texts: &mut [Text; 2]) {
    for (listing, ptx) in [(0, 1), (1, 0)] {
        if [texts[listing].front, texts[ptx].front] != [Front::Sass, Front::Ptx] {
            continue;
        }
        let checked = front_end(Front::Ptx).check(&texts[ptx].source, &Overrides::default());
        let facts = checked
            .program
            .map(|program| CounterpartFacts::of(&program));
        let completed = facts.and_then(|facts| {
            front_end(Front::Sass).complete_listing(&texts[listing].source, &facts)
        });
        if let Some(completed) = completed {
            texts[listing].source = completed;
        }
    }
}

impl Pair {
    /// Checks whether every byte that differs changes if NaN literals of a listing have other bits. `lefts` is the memory of both runs.
    pub(crate) fn depends_on_nan(&self, lefts: &[Vec<Left>; 2]) -> bool {
        let facts = CounterpartFacts {
            nan_words: OTHER_NAN_WORDS,
            ..CounterpartFacts::default()
        };
        self.sessions.iter().zip(lefts).any(|(session, own)| {
            let scenario = session.scenario();
            if scenario.front != Front::Sass {
                return false;
            }
            let front_end = front_end(scenario.front);
            let changed = front_end.complete_listing(&scenario.source, &facts);
            let again = changed.and_then(|source| {
                Session::untracked(Scenario {
                    source,
                    ..scenario.clone()
                })
                .ok()
            });
            again.is_some_and(|mut again| {
                again.run(self.max_steps);
                explains(lefts, own, &left_by(&again))
            })
        })
    }
}

/// Checks whether every byte that differs between the two runs also differs between two runs of the same source.
fn explains([first, second]: &[Vec<Left>; 2], own: &[Left], other: &[Left]) -> bool {
    first.iter().all(|left| {
        let [second, own, other] = [second, own, other].map(|lefts| bytes_of(&left.id, lefts));
        let mut places = (0..left.bytes.len()).filter(|at| left.bytes.get(*at) != second.get(*at));
        places.all(|at| own.get(at) != other.get(at))
    })
}

fn bytes_of<'a>(id: &MemoryId, lefts: &'a [Left]) -> &'a [u8] {
    let left = lefts.iter().find(|left| left.id == *id);
    left.map_or(&[], |left| &left.bytes)
}
