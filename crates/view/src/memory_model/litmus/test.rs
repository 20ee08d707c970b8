//! Litmus test as plain data, which is also the format of the JSON lines that `warpgrid litmus` reads.

use serde::{Deserialize, Serialize};

/// Litmus test as data: the launch shape, the threads with their code, the shared locations, and the observed and unwanted values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LitmusTest {
    #[serde(default)]
    pub name: String,
    /// Target architecture of the test: `sm_90`.
    #[serde(default)]
    pub target: Option<String>,
    /// PTX version of the test: `8.6`.
    #[serde(default)]
    pub ptx_version: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: [u32; 3],
    pub locations: Vec<LitmusLocation>,
    /// PTX source of each `.func` that threads call, as lines.
    #[serde(default)]
    pub functions: Vec<String>,
    pub threads: Vec<LitmusThread>,
    /// Observed values: `1:%r0` is the final value of register `%r0` of thread 1, and `x[0]` is the final value of element 0 of location
    /// `x`.
    pub observe: Vec<String>,
    /// Outcomes that repairs of the test must forbid. Default: the outcomes that no interleaving produces.
    #[serde(default)]
    #[serde(rename = "bad")]
    pub unwanted_outcomes: Vec<Vec<u64>>,
}

/// Named location in memory of a litmus test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct LitmusLocation {
    pub name: String,
    /// State space of the location: `global`, `shared`, `shared::cluster`, `mbarrier` or `mbarrier::cluster`.
    pub space: String,
    /// Type of the elements: `u32`. Absent for an mbarrier object.
    #[serde(default, rename = "type")]
    pub ty: Option<String>,
    /// Initial value of each element.
    #[serde(default)]
    pub init: Vec<u64>,
    /// Expected arrival count of an mbarrier object.
    #[serde(default)]
    pub count: Option<u32>,
    /// Contents of an mbarrier object that is not newly initialized.
    #[serde(default)]
    pub word: Option<u64>,
    /// Byte offset of the location from the base of its name. Several locations can have the same name.
    #[serde(default)]
    pub offset: u64,
    /// Base of the name: an address in global memory, or an offset in the shared memory of a block. If absent, the base is arbitrary.
    #[serde(default)]
    pub at: Option<u64>,
    /// Block whose shared memory contains the location. If absent, the shared memory of every block contains the location.
    #[serde(default)]
    pub block: Option<u32>,
}

/// Thread of a litmus test with its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LitmusThread {
    /// Linear index of the block of the thread in the grid.
    pub block: u32,
    /// Linear index of the thread in its block.
    pub thread: u32,
    /// Lines of PTX that form the thread body.
    pub body: Vec<String>,
    /// Line of the source at which the thread body starts, starting at 1. The value is 0 if the test has no source.
    #[serde(default)]
    pub first_line: u32,
}
