//! Two texts of a kernel side by side, as the page holds them. In: texts and answers of the core; out: lines to show, and a link.

use crate::examples::{EXAMPLES, with_source};
use crate::protocol::{BesideLook, BesideOpened, Refusal};
use std::rc::Rc;
use warpgrid_view::MemoryId;
use warpgrid_view::analysis::comparison::BesideFrame;

/// Examples that are the same kernel: PTX, and machine code of it.
const PAIRS: &[(&str, &str)] = &[("vector-addition", "machine-code-of-a-kernel")];

/// How a link to the view starts; for texts that are no examples it is all.
pub(crate) const START: &str = "#compare";
/// Former spelling of [`START`], which links may contain.
const EARLIER: &str = "#beside";
/// Lines of a text that are shown.
const MAX_LINES: usize = 4_000;

/// The view as it is set, and what the core has said of it.
#[derive(Clone, Debug, PartialEq)]
pub struct BesidePage {
    /// The text beside that of the editor; empty until there is one.
    pub other: Rc<str>,
    /// The text of the editor as it was compared.
    pub source: Rc<str>,
    /// The other text is being chosen.
    pub choosing: bool,
    pub look: BesideLook,
    pub opened: Option<Rc<BesideOpened>>,
    pub frame: Option<Rc<BesideFrame>>,
    /// Which text does not run, and why.
    pub refusal: Option<(usize, Rc<Refusal>)>,
    /// The request whose answer is awaited.
    pub asked: u32,
}

impl BesidePage {
    /// A view of a text, without another one yet.
    pub fn of(source: Rc<str>) -> BesidePage {
        BesidePage {
            other: Rc::from(""),
            source,
            choosing: true,
            look: BesideLook::default(),
            opened: None,
            frame: None,
            refusal: None,
            asked: 0,
        }
    }

    /// The row that a memory is shown from.
    pub fn first_row(&self, memory: &MemoryId) -> u64 {
        let mut rows = self.look.first_rows.iter();
        rows.find(|(of, _)| of == memory).map_or(0, |(_, row)| *row)
    }
}

/// An example and the other text of its kernel, by their places in the list.
pub type Pair = [usize; 2];

/// The pair of an example.
pub fn pair_of(index: usize) -> Option<Pair> {
    let id = EXAMPLES.get(index)?.id;
    let other = PAIRS.iter().find_map(|(ptx, code)| match id {
        _ if id == *ptx => Some(*code),
        _ if id == *code => Some(*ptx),
        _ => None,
    })?;
    Some([index, place_of(other)?])
}

/// The first pair of examples.
pub fn first_pair() -> Option<Pair> {
    pair_of(place_of(PAIRS.first()?.0)?)
}

fn place_of(id: &str) -> Option<usize> {
    EXAMPLES.iter().position(|example| example.id == id)
}

/// What a link to the view asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BesideLink {
    /// The text of the editor, with another one to be chosen.
    Own,
    /// An example beside the other text of its kernel.
    Examples(Pair),
    /// A name that no example with two texts has.
    Unknown(String),
}

/// Reads a URL fragment: `#compare`, `#compare=vector-addition`, or the former spelling `#beside` of `#compare`.
pub fn read_link(hash: &str) -> Option<BesideLink> {
    let rest = hash
        .strip_prefix(START)
        .or_else(|| hash.strip_prefix(EARLIER))?;
    if rest.is_empty() {
        return Some(BesideLink::Own);
    }
    let id = rest.strip_prefix('=')?;
    Some(match place_of(id).and_then(pair_of) {
        Some(pair) => BesideLink::Examples(pair),
        None => BesideLink::Unknown(id.chars().take(64).collect()),
    })
}

/// The link to a view: only examples can be named.
pub fn write_link(page: &BesidePage) -> String {
    let pair = with_source(&page.source).and_then(pair_of);
    match pair.filter(|[_, other]| with_source(&page.other) == Some(*other)) {
        Some([own, _]) => format!("{START}={}", EXAMPLES[own].id),
        None => START.to_owned(),
    }
}

/// The lines of a text with their numbers. Encodings of machine code are left out, and the wide gap after its addresses: they take
/// most of the width.
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
    fn a_link_leads_back_to_its_pair() {
        let pair = first_pair().expect("a pair");
        let [own, other] = pair.map(|index| text_of(&EXAMPLES[index]));
        let page = BesidePage {
            other: other.into(),
            ..BesidePage::of(own.into())
        };
        let link = write_link(&page);
        assert_eq!(read_link(&link), Some(BesideLink::Examples(pair)), "{link}");
        let own = BesidePage::of(Rc::from("ret;"));
        assert_eq!(read_link(&write_link(&own)), Some(BesideLink::Own));
    }

    #[test]
    fn the_former_spelling_opens_the_same_comparison() {
        assert_eq!(read_link("#beside"), Some(BesideLink::Own));
        let pair = read_link("#compare=vector-addition");
        assert!(matches!(pair, Some(BesideLink::Examples(_))));
        assert_eq!(read_link("#beside=vector-addition"), pair);
    }

    #[test]
    fn other_places_of_the_page_are_no_pair() {
        for hash in ["", "#layouts", "#matrix", "#compared", "#besides"] {
            assert_eq!(read_link(hash), None, "{hash}");
        }
        for id in ["", "nothing", "deadlock"] {
            let unknown = BesideLink::Unknown(id.to_owned());
            assert_eq!(read_link(&format!("#compare={id}")), Some(unknown));
        }
    }

    #[test]
    fn every_pair_is_two_examples_of_two_languages() {
        for (ptx, code) in PAIRS {
            let pair = place_of(code).and_then(pair_of).expect("examples");
            assert_eq!(pair.map(|index| EXAMPLES[index].id), [*code, *ptx]);
            let [first, second] = pair.map(|index| {
                let text = text_of(&EXAMPLES[index]);
                warpgrid_view::Front::of_source(&text)
            });
            assert_ne!(first, second, "{ptx}");
        }
    }

    #[test]
    fn encodings_are_left_out_and_numbers_stay() {
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
