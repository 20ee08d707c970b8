//! Swizzle modes of shared memory, which permute the bytes of each 128-byte line depending on the address of the line (PTX ISA, "Swizzling
//! Modes").

/// Swizzle mode of tensor maps and matrix descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, PartialOrd, Ord)]
pub enum SwizzleMode {
    #[default]
    None,
    B32,
    B64,
    B128,
    /// 128-byte mode with 32-byte atoms.
    B128Atom32,
    /// [`SwizzleMode::B128Atom32`] with an additional exchange of 8-byte halves in every second line. The documentation does not specify
    /// which lines are affected, so the implementation assumes the odd lines.
    B128Atom32Flip8,
    /// 128-byte mode with 64-byte atoms.
    B128Atom64,
}

impl SwizzleMode {
    /// All modes, in the order of the constants of the CUDA driver API.
    pub const ALL: [SwizzleMode; 7] = [
        SwizzleMode::None,
        SwizzleMode::B32,
        SwizzleMode::B64,
        SwizzleMode::B128,
        SwizzleMode::B128Atom32,
        SwizzleMode::B128Atom32Flip8,
        SwizzleMode::B128Atom64,
    ];

    /// Returns the name of the mode, which scenarios use.
    pub const fn name(self) -> &'static str {
        match self {
            SwizzleMode::None => "none",
            SwizzleMode::B32 => "32B",
            SwizzleMode::B64 => "64B",
            SwizzleMode::B128 => "128B",
            SwizzleMode::B128Atom32 => "128B_atom_32B",
            SwizzleMode::B128Atom32Flip8 => "128B_atom_32B_flip_8B",
            SwizzleMode::B128Atom64 => "128B_atom_64B",
        }
    }

    /// Returns the mode with this name.
    pub fn from_name(name: &str) -> Option<SwizzleMode> {
        SwizzleMode::ALL
            .into_iter()
            .find(|swizzle| swizzle.name() == name)
    }

    /// Returns the mode for the swizzle mode and atomicity values of `tensormap.replace`. The 96-byte mode has no published pattern.
    pub fn of(mode: u8, atomicity: u8) -> Option<SwizzleMode> {
        Some(match (mode, atomicity) {
            (0, _) => SwizzleMode::None,
            (1, 0) => SwizzleMode::B32,
            (2, 0) => SwizzleMode::B64,
            (3, 0) => SwizzleMode::B128,
            (3, 1) => SwizzleMode::B128Atom32,
            (3, 2) => SwizzleMode::B128Atom32Flip8,
            (3, 3) => SwizzleMode::B128Atom64,
            _ => return None,
        })
    }

    /// Returns the swizzle mode and atomicity values of `tensormap.replace`.
    pub const fn numbers(self) -> (u8, u8) {
        match self {
            SwizzleMode::None => (0, 0),
            SwizzleMode::B32 => (1, 0),
            SwizzleMode::B64 => (2, 0),
            SwizzleMode::B128 => (3, 0),
            SwizzleMode::B128Atom32 => (3, 1),
            SwizzleMode::B128Atom32Flip8 => (3, 2),
            SwizzleMode::B128Atom64 => (3, 3),
        }
    }

    /// Returns the address to which the swizzle maps `address`.
    pub const fn apply(self, address: u64) -> u64 {
        let line = address >> 7;
        match self {
            SwizzleMode::None => address,
            SwizzleMode::B32 => address ^ (line & 1) << 4,
            SwizzleMode::B64 => address ^ (line & 3) << 4,
            SwizzleMode::B128 => address ^ (line & 7) << 4,
            SwizzleMode::B128Atom32 => address ^ (line & 3) << 5,
            SwizzleMode::B128Atom32Flip8 => address ^ (line & 3) << 5 ^ (line & 1) << 3,
            SwizzleMode::B128Atom64 => address ^ (line & 1) << 6,
        }
    }

    /// Returns the maximum number of bytes of a row that the swizzle permutes, or `None` for the mode without a swizzle.
    pub const fn span_bytes(self) -> Option<u64> {
        match self {
            SwizzleMode::None => None,
            SwizzleMode::B32 => Some(32),
            SwizzleMode::B64 => Some(64),
            SwizzleMode::B128
            | SwizzleMode::B128Atom32
            | SwizzleMode::B128Atom32Flip8
            | SwizzleMode::B128Atom64 => Some(128),
        }
    }

    /// Returns the number of contiguous bytes that remain contiguous after the swizzle.
    pub const fn atom_bytes(self) -> u64 {
        match self {
            SwizzleMode::None => u64::MAX,
            SwizzleMode::B32 | SwizzleMode::B64 | SwizzleMode::B128 => 16,
            SwizzleMode::B128Atom32 => 32,
            SwizzleMode::B128Atom32Flip8 => 8,
            SwizzleMode::B128Atom64 => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SwizzleMode;

    #[test]
    fn swizzles_are_involutions_and_preserve_atoms() {
        for swizzle in SwizzleMode::ALL {
            assert_eq!(SwizzleMode::from_name(swizzle.name()), Some(swizzle));
            let (mode, atomicity) = swizzle.numbers();
            assert_eq!(SwizzleMode::of(mode, atomicity), Some(swizzle));
            for address in 0..4096 {
                let place = swizzle.apply(address);
                assert_eq!(swizzle.apply(place), address, "{}", swizzle.name());
                let atom = swizzle.atom_bytes().min(4096);
                assert_eq!(place % atom, address % atom, "{}", swizzle.name());
            }
        }
    }
}
