//! How shared memory is swizzled: bits of an address that change with its line of 128 bytes (PTX ISA, "Swizzling Modes").

/// A way to swizzle shared memory, as tensor maps and descriptors of matrices name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum Swizzle {
    #[default]
    None,
    B32,
    B64,
    B128,
    /// Pieces of 32 bytes.
    B128Atom32,
    /// As [`Swizzle::B128Atom32`], and 8 bytes change places in every second line. The sources leave open which lines: ours are the odd
    /// ones.
    B128Atom32Flip8,
    /// Pieces of 64 bytes.
    B128Atom64,
}

impl Swizzle {
    /// Every way, in the order of the driver's numbers.
    pub const ALL: [Swizzle; 7] = [
        Swizzle::None,
        Swizzle::B32,
        Swizzle::B64,
        Swizzle::B128,
        Swizzle::B128Atom32,
        Swizzle::B128Atom32Flip8,
        Swizzle::B128Atom64,
    ];

    /// As a scenario spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Swizzle::None => "none",
            Swizzle::B32 => "32B",
            Swizzle::B64 => "64B",
            Swizzle::B128 => "128B",
            Swizzle::B128Atom32 => "128B_atom_32B",
            Swizzle::B128Atom32Flip8 => "128B_atom_32B_flip_8B",
            Swizzle::B128Atom64 => "128B_atom_64B",
        }
    }

    /// The way with this spelling.
    pub fn from_name(name: &str) -> Option<Swizzle> {
        Swizzle::ALL
            .into_iter()
            .find(|swizzle| swizzle.name() == name)
    }

    /// By the numbers of `tensormap.replace`: the mode, and what is swizzled as one. The mode of 96 bytes has no published pattern.
    pub fn of(mode: u8, atomicity: u8) -> Option<Swizzle> {
        Some(match (mode, atomicity) {
            (0, _) => Swizzle::None,
            (1, 0) => Swizzle::B32,
            (2, 0) => Swizzle::B64,
            (3, 0) => Swizzle::B128,
            (3, 1) => Swizzle::B128Atom32,
            (3, 2) => Swizzle::B128Atom32Flip8,
            (3, 3) => Swizzle::B128Atom64,
            _ => return None,
        })
    }

    /// The numbers of `tensormap.replace` for it.
    pub const fn numbers(self) -> (u8, u8) {
        match self {
            Swizzle::None => (0, 0),
            Swizzle::B32 => (1, 0),
            Swizzle::B64 => (2, 0),
            Swizzle::B128 => (3, 0),
            Swizzle::B128Atom32 => (3, 1),
            Swizzle::B128Atom32Flip8 => (3, 2),
            Swizzle::B128Atom64 => (3, 3),
        }
    }

    /// The place of an address.
    pub const fn apply(self, address: u64) -> u64 {
        let line = address >> 7;
        match self {
            Swizzle::None => address,
            Swizzle::B32 => address ^ (line & 1) << 4,
            Swizzle::B64 => address ^ (line & 3) << 4,
            Swizzle::B128 => address ^ (line & 7) << 4,
            Swizzle::B128Atom32 => address ^ (line & 3) << 5,
            Swizzle::B128Atom32Flip8 => address ^ (line & 3) << 5 ^ (line & 1) << 3,
            Swizzle::B128Atom64 => address ^ (line & 1) << 6,
        }
    }

    /// The most bytes of a row that are swizzled together; none without a swizzle.
    pub const fn span_bytes(self) -> Option<u64> {
        match self {
            Swizzle::None => None,
            Swizzle::B32 => Some(32),
            Swizzle::B64 => Some(64),
            Swizzle::B128
            | Swizzle::B128Atom32
            | Swizzle::B128Atom32Flip8
            | Swizzle::B128Atom64 => Some(128),
        }
    }

    /// Bytes that stay together.
    pub const fn atom_bytes(self) -> u64 {
        match self {
            Swizzle::None => u64::MAX,
            Swizzle::B32 | Swizzle::B64 | Swizzle::B128 => 16,
            Swizzle::B128Atom32 => 32,
            Swizzle::B128Atom32Flip8 => 8,
            Swizzle::B128Atom64 => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Swizzle;

    #[test]
    fn every_swizzle_is_its_own_inverse_and_keeps_its_atoms() {
        for swizzle in Swizzle::ALL {
            assert_eq!(Swizzle::from_name(swizzle.name()), Some(swizzle));
            let (mode, atomicity) = swizzle.numbers();
            assert_eq!(Swizzle::of(mode, atomicity), Some(swizzle));
            for address in 0..4096 {
                let place = swizzle.apply(address);
                assert_eq!(swizzle.apply(place), address, "{}", swizzle.name());
                let atom = swizzle.atom_bytes().min(4096);
                assert_eq!(place % atom, address % atom, "{}", swizzle.name());
            }
        }
    }
}
