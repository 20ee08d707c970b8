//! Handling of information that a SASS listing lacks. The functions take missing information from the PTX source of the comparison, and
//! check whether differences between the runs depend on the information that remains unknown.

use crate::analysis::comparison::{PairedRun, SourceVariant};
use crate::analysis::memory_diff::{FinalMemory, final_memories};
use crate::session::Session;
use crate::session::memory_id::MemoryKey;
use crate::source::front_ends::front_end;
use warpgrid_launch::{Scenario, SourceLanguage};
use warpgrid_program::{CounterpartFacts, Overrides};

/// Bits of a positive and a negative NaN. Each byte of the memory that depends on a NaN literal differs for at least one of these values
/// and the canonical NaN.
const OTHER_NAN_WORDS: [Option<u32>; 2] = [Some(0x7f80_0001), Some(0xff80_0001)];

/// Adds information that the SASS listing lacks, if the PTX source of the comparison contains it.
pub(crate) fn complete(texts: &mut [SourceVariant; 2]) {
    for (listing, ptx) in [(0, 1), (1, 0)] {
        if [texts[listing].front, texts[ptx].front] != [SourceLanguage::Sass, SourceLanguage::Ptx] {
            continue;
        }
        let checked =
            front_end(SourceLanguage::Ptx).check(&texts[ptx].source, &Overrides::default());
        let facts = checked
            .program
            .map(|program| CounterpartFacts::of(&program));
        let completed = facts.and_then(|facts| {
            front_end(SourceLanguage::Sass).complete_listing(&texts[listing].source, &facts)
        });
        if let Some(completed) = completed {
            texts[listing].source = completed;
        }
    }
}

impl PairedRun {
    /// Checks whether every byte that differs between the runs changes if the NaN literals of a listing have other bits. `contents` contains
    /// the final memory of both runs.
    pub(crate) fn depends_on_nan(&self, contents: &[Vec<FinalMemory>; 2]) -> bool {
        let facts = CounterpartFacts {
            nan_words: OTHER_NAN_WORDS,
            ..CounterpartFacts::default()
        };
        self.sessions.iter().zip(contents).any(|(session, own)| {
            let scenario = session.scenario();
            if scenario.front != SourceLanguage::Sass {
                return false;
            }
            let front_end = front_end(scenario.front);
            let changed = front_end.complete_listing(&scenario.source, &facts);
            let again = changed.and_then(|source| {
                Session::new_without_last_writers(Scenario {
                    source,
                    ..scenario.clone()
                })
                .ok()
            });
            again.is_some_and(|mut again| {
                again.run(self.max_steps);
                explains(contents, own, &final_memories(&again))
            })
        })
    }
}

/// Checks whether every byte that differs between the two compared runs also differs between two runs of the same source.
fn explains(
    [first, second]: &[Vec<FinalMemory>; 2],
    own: &[FinalMemory],
    other: &[FinalMemory],
) -> bool {
    first.iter().all(|left| {
        let [second, own, other] =
            [second, own, other].map(|contents| bytes_of(&left.id, contents));
        let mut places = (0..left.bytes.len()).filter(|at| left.bytes.get(*at) != second.get(*at));
        places.all(|at| own.get(at) != other.get(at))
    })
}

fn bytes_of<'a>(id: &MemoryKey, contents: &'a [FinalMemory]) -> &'a [u8] {
    let left = contents.iter().find(|left| left.id == *id);
    left.map_or(&[], |left| &left.bytes)
}
