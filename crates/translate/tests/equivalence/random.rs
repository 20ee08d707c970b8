//! Reproducible random numbers, and source text generated from them. Input: a seed. Output: numbers, labels, lines.

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 ^ (self.0 >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
    }
}

/// Source text of a kernel that is generated piece by piece.
pub(crate) struct Text {
    pub(crate) random: Random,
    pub(crate) lines: String,
    pub(crate) n_labels: u32,
    /// Number of remaining pieces.
    pub(crate) left: u32,
    /// Whether all warps have 32 active lanes.
    pub(crate) is_whole: bool,
}

impl Text {
    pub(crate) fn new(random: Random, n_pieces: u32, threads: u32) -> Text {
        Text {
            random,
            lines: String::new(),
            n_labels: 0,
            left: n_pieces,
            is_whole: threads.is_multiple_of(32),
        }
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.random.next() % n
    }

    pub(crate) fn label(&mut self) -> String {
        self.n_labels += 1;
        format!("L{}", self.n_labels)
    }
}
