//! Links and files that contain the sources, the launch configuration and the state of a view.
//!
//! ```text
//! #1=eNqrVi…        version = base64url ( zlib ( compact JSON ) )
//! {"warpgrid": 1, "source": "…", "view": {"step": 12}}        the same as a file
//! ```
//! - Input and output: a [`Scenario`] with a [`ViewState`], and the fragment of a URL or the text of a file.
//! - Invariants: the version precedes the compressed part, so that this crate reports links of later versions as such. The checksum
//!   of zlib detects truncated links. Unknown fields are ignored. `rules.json` defines the limits, the types of the fields and all
//!   messages for this crate and for `web/editor/share-link.js`.
//! - Tests: `cargo test -p warpgrid-share` and `node --test web/editor/share-link.test.mjs` read the same cases in `tests/data`.

mod json;
mod link;
mod schema;

pub use json::{ShareError, ShareFormat, read_file, write_file};
pub use link::{link_version, read_link, write_link};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use warpgrid_view::Scenario;

/// Returns the maximum length of a link fragment in characters. Longer contents are passed as a file, because programs
/// truncate longer links.
pub fn max_link_chars() -> usize {
    schema::RULES.max_link_chars
}

/// Shared view: sources, launch configuration and view state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharedState {
    /// Sources and launch configuration.
    pub scenario: Scenario,
    /// `//@` annotations with the inferred launch configuration, because later versions may infer a different one.
    pub guessed: Option<String>,
    pub view: ViewState,
}

impl SharedState {
    /// Returns the scenario with the inferred annotations appended to its source, provided that the insertion moves no
    /// line of the source.
    pub fn into_scenario(self) -> Scenario {
        let SharedState {
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

/// State of a view, whose fields the page writes and reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewState {
    /// Number of executed steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u64>,
    /// Number of executed stores of each of two compared sources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stores: Option<u64>,
    /// Pinned element: `cell 17 of out`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
    /// Selected warp: `1 of block 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warp: Option<String>,
    /// Notation of registers: `hex` if the page shows registers in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<String>,
    /// Display options of each memory, indexed by the identifier of the memory: `f32 columns=16 lane`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub grids: BTreeMap<String, String>,
    /// Watch expressions in display order: `out[3] + %r5`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub watch: Vec<String>,
    /// Lines with a breakpoint in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<u64>,
}
