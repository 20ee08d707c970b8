//! A litmus test as plain data: the form of the JSON lines that `warpgrid litmus` reads.

use serde::{Deserialize, Serialize};

/// A few threads that share memory, and what is observed of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LitmusTest {
    #[serde(default)]
    pub name: String,
    /// `sm_90`
    #[serde(default)]
    pub target: Option<String>,
    /// `8.6`
    #[serde(default)]
    pub ptx_version: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub locations: Vec<LitmusLocation>,
    /// Lines of PTX with each `.func` that threads call.
    #[serde(default)]
    pub functions: Vec<String>,
    pub threads: Vec<LitmusThread>,
    /// `1:%r0` is a register of a thread at its end, `x[0]` an element of a location.
    pub observe: Vec<String>,
    /// Outcomes that repairs are to forbid; without them, those that no interleaving reaches.
    #[serde(default)]
    pub bad: Vec<Vec<u64>>,
}

/// A named place in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LitmusLocation {
    pub name: String,
    /// `global`, `shared`, `shared::cluster`, `mbarrier` or `mbarrier::cluster`.
    pub space: String,
    /// `u32`; an mbarrier object has none.
    #[serde(default, rename = "type")]
    pub ty: Option<String>,
    /// A value for each element.
    #[serde(default)]
    pub init: Vec<u64>,
    /// Arrivals that an mbarrier object expects.
    #[serde(default)]
    pub count: Option<u32>,
    /// What an mbarrier object holds that is not new.
    #[serde(default)]
    pub word: Option<u64>,
    /// Bytes from where the name starts: a location of a name may have several pieces.
    #[serde(default)]
    pub offset: u64,
    /// Where the name starts: an address of global memory, or an offset in the shared memory of a block; any where it does not matter.
    #[serde(default)]
    pub at: Option<u64>,
    /// The block that alone has it in its shared memory.
    #[serde(default)]
    pub block: Option<u32>,
}

/// A thread, and its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LitmusThread {
    /// Linear index in the grid.
    pub block: u32,
    /// Linear index within the block.
    pub thread: u32,
    /// Lines of PTX.
    pub body: Vec<String>,
    /// The line of the text where the body starts, from 1; 0 where there is no text.
    #[serde(default)]
    pub first_line: u32,
}
