//! Links and files that contain the sources, the launch configuration and the state of a view.
//!
//! ```text
//! #1=eNqrVi…        version = base64url ( zlib ( compact JSON ) )
//! {"warpgrid": 1, "source": "…", "view": {"step": 12}}        the same as a file
//! ```
//! - Input and output: a [`Scenario`] with a [`View`], and the fragment of a URL or the text of a file.
//! - Invariants: the version precedes the compressed part, so that this crate reports links of later versions as such. The checksum
//!   of zlib detects truncated links. Unknown fields are ignored. `rules.json` defines the limits, the types of the fields and all
//!   messages for this crate and for `web/editor/link.js`.
//! - Tests: `cargo test -p warpgrid-share` and `node --test web/editor/link.test.mjs` read the same cases in `tests/data`.

mod packed;
mod read;
mod rules;

pub use packed::{link_version, read_link, write_link};
pub use read::{Mistake, What, read_file, write_file};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_view::Scenario;

/// The longest part of an address that is passed on, in characters: what is longer goes as a file, since programs cut it.
pub fn most_in_link() -> usize {
    rules::RULES.most_in_link
}

/// What a person sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shared {
    /// The texts and their launch.
    pub scenario: Scenario,
    /// The `//@` lines of what the text leaves open, as they were guessed: later versions may guess otherwise.
    pub guessed: Option<String>,
    pub view: View,
}

impl Shared {
    /// The scenario, with what was guessed stated after its source, where it moves no line.
    pub fn into_scenario(self) -> Scenario {
        let Shared {
            mut scenario,
            guessed,
            ..
        } = self;
        if let Some(lines) = guessed.filter(|lines| !lines.is_empty()) {
            scenario.source += &format!("\n{lines}\n");
        }
        scenario
    }
}

/// How a run is shown; the page writes and reads the words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Steps that the run has done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// Stores that each of two texts has done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<u64>,
    /// What is pinned: `cell 17 of out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// The warp that is shown: `1 of block 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<String>,
    /// `hex`, where registers are shown so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<String>,
    /// How memories are shown, by their ids: `f32 columns=16 lane`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grids: BTreeMap<String, String>,
    /// Expressions that are watched, in the order of the page: `out[3] + %r5`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watch: Vec<String>,
    /// Lines with a breakpoint, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<u64>,
}
