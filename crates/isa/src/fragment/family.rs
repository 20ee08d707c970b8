//! The two families of fragment layouts: quad pairs and groups of four lanes.

/// Distribution of the elements of a matrix over the lanes of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentFamily {
    /// Eight lanes, four of each half-warp, share an 8x8 tile.
    QuadPair,
    /// Four adjacent lanes share a row.
    Group,
}

impl FragmentFamily {
    /// Returns `quad-pair` or `group`.
    pub const fn name(self) -> &'static str {
        match self {
            FragmentFamily::QuadPair => "quad-pair",
            FragmentFamily::Group => "group",
        }
    }
}
