//! State of the comparison of two sources of a kernel: stores the sources and the responses of the worker, and provides the listed lines
//! and the link to the comparison.

use crate::examples::{EXAMPLES, with_source};
use crate::protocol::{CompareOpened, ComparePosition, LaunchRejection};
use std::rc::Rc;
use warpgrid_view::MemoryKey;
use warpgrid_view::analysis::comparison::ComparisonFrame;

/// Pairs of examples that contain the same kernel, as PTX and as SASS.
const PAIRS: &[(&str, &str)] = &[("vector-addition", "machine-code-of-a-kernel")];

/// Prefix of the examples of miscompiles. The PTX of an example is compared with the listing that the assembler generated incorrectly, and
/// each of its listings with the PTX.
const MISCOMPILE: &str = "miscompile-";
/// Suffixes of the listings of a miscompile, of which the first one is the incorrect listing.
const LISTINGS: [&str; 2] = ["-wrong", "-right"];

/// Prefix of a link to the comparison. If the sources are not examples, the link consists of this prefix only.
pub(crate) const START: &str = "#compare";
/// Former spelling of [`START`], which existing links contain.
const EARLIER: &str = "#beside";
/// Maximum number of listed lines per source.
const MAX_LINES: usize = 4_000;

/// Settings of the comparison, and the last responses of the worker.
#[derive(Clone, Debug, PartialEq)]
pub struct CompareState {
    /// Second source of the comparison. Empty if no second source has been selected.
    pub other: Rc<str>,
    /// Source that the editor contained when the comparison was started.
    pub source: Rc<str>,
    /// Whether the form for the second source is open.
    pub is_editing_second_source: bool,
    pub look: ComparePosition,
    pub opened: Option<Rc<CompareOpened>>,
    pub frame: Option<Rc<ComparisonFrame>>,
    /// Selected line of each source, starting at 1. A move to another position clears the selection.
    pub selected_lines: [Option<u32>; 2],
    /// Index of the source that the worker has rejected, and the reason for the rejection.
    pub refusal: Option<(usize, Rc<LaunchRejection>)>,
    /// ID of the pending request to the worker.
    pub asked: u32,
}

impl CompareState {
    /// Returns a comparison for which the second source must still be selected.
    pub fn of(source: Rc<str>) -> CompareState {
        CompareState {
            other: Rc::from(""),
            source,
            is_editing_second_source: true,
            look: ComparePosition::default(),
            opened: None,
            frame: None,
            selected_lines: [None; 2],
            refusal: None,
            asked: 0,
        }
    }

    /// Returns the first visible row of a memory.
    pub fn first_row(&self, memory: &MemoryKey) -> u64 {
        let mut rows = self.look.first_rows.iter();
        rows.find(|(of, _)| of == memory).map_or(0, |(_, row)| *row)
    }
}

/// Indices of an example and of another example with the same kernel.
pub type ExamplePair = [usize; 2];

/// Returns the pair of examples that contains the given example. The given example is the first element of the pair.
pub fn counterpart_of(index: usize) -> Option<ExamplePair> {
    let id = EXAMPLES.get(index)?.id;
    let of_pair = PAIRS.iter().find_map(|(ptx, code)| match id {
        _ if id == *ptx => Some(*code),
        _ if id == *code => Some(*ptx),
        _ => None,
    });
    let other = match of_pair {
        Some(other) => place_of(other),
        None if !id.starts_with(MISCOMPILE) => None,
        None => match LISTINGS.iter().find_map(|suffix| id.strip_suffix(suffix)) {
            Some(ptx) => place_of(ptx),
            None => place_of(&format!("{id}{}", LISTINGS[0])),
        },
    };
    Some([index, other?])
}

/// Returns whether an example is a listing of a miscompile. The comparison with its PTX opens the listing, so that menus omit it.
pub fn is_miscompile_listing(id: &str) -> bool {
    id.starts_with(MISCOMPILE) && LISTINGS.iter().any(|suffix| id.ends_with(suffix))
}

/// Returns the first pair of examples.
pub fn first_pair() -> Option<ExamplePair> {
    counterpart_of(place_of(PAIRS.first()?.0)?)
}

fn place_of(id: &str) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.id == id)
}

/// Target of a link to the comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompareLink {
    /// The source of the editor is compared with a second source that the user selects.
    Own,
    /// An example is compared with another example that contains the same kernel.
    Examples(ExamplePair),
    /// The link contains a name that does not belong to any pair of examples.
    Unknown(String),
}

/// Parses a URL fragment: `#compare`, `#compare=vector-addition`, or the former spelling `#beside` of `#compare`.
pub fn read_link(hash: &str) -> Option<CompareLink> {
    let rest = hash
        .strip_prefix(START)
        .or_else(|| hash.strip_prefix(EARLIER))?;
    if rest.is_empty() {
        return Some(CompareLink::Own);
    }
    let id = rest.strip_prefix('=')?;
    Some(match place_of(id).and_then(counterpart_of) {
        Some(pair) => CompareLink::Examples(pair),
        None => CompareLink::Unknown(id.chars().take(64).collect()),
    })
}

/// Returns the link to a comparison. Only examples can be named in the link.
pub fn write_link(page: &CompareState) -> String {
    let pair = with_source(&page.source).and_then(counterpart_of);
    match pair.filter(|[_, other]| with_source(&page.other) == Some(*other)) {
        Some([own, _]) => format!("{START}={}", EXAMPLES[own].id),
        None => START.to_owned(),
    }
}

/// Returns the numbered lines of a source. The encodings of SASS instructions and the wide gap after their addresses are omitted, because
/// they would occupy most of the width.
pub fn lines(text: &str) -> Vec<(u32, String)> {
    const ENCODING: &str = "/* 0x";
    const GAP: &str = "*/              ";
    let numbered = (1..).zip(text.lines()).take(MAX_LINES);
    numbered
        .filter_map(|(number, line)| {
            let code = line.split(ENCODING).next().unwrap_or(line).trim_end();
            let is_encoding = code.is_empty() && line.contains(ENCODING);
            let narrow = || code.replace('\t', "    ").replacen(GAP, "*/ ", 1);
            (!is_encoding).then(|| (number, narrow()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::text_of;

    #[test]
    fn link_round_trips() {
        let pair = first_pair().expect("a pair");
        let [own, other] = pair.map(|index| text_of(&EXAMPLES[index]));
        let page = CompareState {
            other: other.into(),
            ..CompareState::of(own.into())
        };
        let link = write_link(&page);
        assert_eq!(
            read_link(&link),
            Some(CompareLink::Examples(pair)),
            "{link}"
        );
        let own = CompareState::of(Rc::from("ret;"));
        assert_eq!(read_link(&write_link(&own)), Some(CompareLink::Own));
    }

    #[test]
    fn legacy_link_opens_same_comparison() {
        assert_eq!(read_link("#beside"), Some(CompareLink::Own));
        let pair = read_link("#compare=vector-addition");
        assert!(matches!(pair, Some(CompareLink::Examples(_))));
        assert_eq!(read_link("#beside=vector-addition"), pair);
    }

    #[test]
    fn unrelated_hashes_are_not_comparison_links() {
        for hash in ["", "#layouts", "#matrix", "#compared", "#besides"] {
            assert_eq!(read_link(hash), None, "{hash}");
        }
        for id in ["", "nothing", "deadlock"] {
            let unknown = CompareLink::Unknown(id.to_owned());
            assert_eq!(read_link(&format!("#compare={id}")), Some(unknown));
        }
    }

    #[test]
    fn every_pair_has_two_examples_in_different_languages() {
        for (ptx, code) in PAIRS {
            let pair = place_of(code).and_then(counterpart_of).expect("examples");
            assert_eq!(pair.map(|index| EXAMPLES[index].id), [*code, *ptx]);
            let [first, second] = pair.map(|index| {
                let text = text_of(&EXAMPLES[index]);
                warpgrid_view::SourceLanguage::of_source(&text)
            });
            assert_ne!(first, second, "{ptx}");
        }
    }

    #[test]
    fn every_miscompile_has_two_listings() {
        let miscompiles = EXAMPLES.iter().map(|example| example.id);
        let miscompiles =
            miscompiles.filter(|id| id.starts_with(MISCOMPILE) && !is_miscompile_listing(id));
        for id in miscompiles {
            let [wrong, right] = LISTINGS.map(|suffix| format!("{id}{suffix}"));
            let ids = |from: &str| {
                let pair = place_of(from).and_then(counterpart_of).expect("a pair");
                pair.map(|index| EXAMPLES[index].id)
            };
            assert_eq!(ids(id), [id, wrong.as_str()]);
            assert_eq!(ids(&wrong), [wrong.as_str(), id]);
            assert_eq!(ids(&right), [right.as_str(), id]);
        }
    }

    #[test]
    fn encodings_are_stripped_and_line_numbers_preserved() {
        let text =
            "  /*0000*/                @P0 NOP ;  /* 0x01 */\n       /* 0x02 */\n\n  EXIT ;\n";
        let shown = lines(text);
        let shown: Vec<_> = shown.iter().map(|(n, line)| (*n, line.as_str())).collect();
        assert_eq!(
            shown,
            [(1, "  /*0000*/   @P0 NOP ;"), (3, ""), (4, "  EXIT ;")]
        );
    }
}
