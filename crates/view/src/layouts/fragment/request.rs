//! Requests for fragments and layouts, and the errors of these requests.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use warpgrid_isa::fragment::FragmentQuery;

/// Request for a fragment layout or a tensor layout. The parameter values are PTX names.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
pub struct FragmentRequest {
    /// Operation: `store.d`, `load.a`, `load.b` or `load.c` of `wmma`, `mma.a` to `mma.d`, `ldmatrix.x4`, `stmatrix.x4`,
    /// `movmatrix.a`, `movmatrix.d`, or a tensor layout such as `wgmma.d` or `tcgen05.ld`.
    pub op: String,
    /// Shape of the matrix operation: `m16n16k16`.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub shape: String,
    /// Element type: `f16`.
    #[serde(default, rename = "type")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub ty: String,
    /// Target for which the layout is requested: `sm_90`. The default is the newest target that supports the fragment. Tensor layouts do
    /// not depend on the target.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(as = "Option<String>", optional))]
    pub target: String,
    /// Layout of the matrix in memory: `row` or `col`. The default is the first layout that the operation supports.
    #[serde(default)]
    pub layout: Option<String>,
    /// Distance in elements between the starts of adjacent rows (columns) in memory. The default is the length of a row (column).
    #[serde(default)]
    pub stride: Option<u32>,
    /// Additional parameters of a tensor layout, indexed by name: `swizzle: "128B"`.
    #[serde(default)]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<BTreeMap<String, String>>", optional)
    )]
    pub with: BTreeMap<String, String>,
}

impl From<&FragmentQuery> for FragmentRequest {
    fn from(query: &FragmentQuery) -> FragmentRequest {
        FragmentRequest {
            op: query.op.name().to_owned(),
            shape: query.shape.to_string(),
            ty: query.ty.name().to_owned(),
            target: query.target.name.to_owned(),
            layout: query.layout.map(|layout| layout.name().to_owned()),
            stride: None,
            with: BTreeMap::new(),
        }
    }
}

/// Reason why the requested fragment does not exist, and the available alternatives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentRequestError {
    pub message: String,
}

impl fmt::Display for FragmentRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FragmentRequestError {}
