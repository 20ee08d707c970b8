//! The two families of rules by which fragments are spread.

/// The two ways to spread a matrix over a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FragmentFamily {
    /// Eight lanes, four from each half warp, share an 8x8 tile.
    QuadPair,
    /// Four neighbouring lanes share a row.
    Group,
}

impl FragmentFamily {
    /// `quad-pair` or `group`.
    pub const fn name(self) -> &'static str {
        match self {
            FragmentFamily::QuadPair => "quad-pair",
            FragmentFamily::Group => "group",
        }
    }
}
