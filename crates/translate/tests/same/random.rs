//! Random numbers, the same each time.

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
