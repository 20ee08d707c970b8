//! The two families of fragment layouts.

/// Distribution of a matrix over a warp.
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
