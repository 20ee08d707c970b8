//! PTX ISA versions, which `.version` specifies, and the list of released versions.

use std::fmt;

/// PTX ISA version such as 8.8, in release order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u8,
    pub minor: u8,
}

impl Version {
    /// First released version.
    pub const FIRST: Version = Version::new(1, 0);

    /// Newest version that the tables describe (PTX ISA 9.5).
    pub const NEWEST: Version = Version::new(
        Version::LAST_MINOR.len() as u8,
        Version::LAST_MINOR[Version::LAST_MINOR.len() - 1],
    );

    /// Last minor version of each major version, starting at 1 (assembler 13.5).
    const LAST_MINOR: [u8; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 5];

    /// Returns all released versions, oldest first.
    pub fn all() -> impl Iterator<Item = Version> {
        (1..)
            .zip(Version::LAST_MINOR)
            .flat_map(|(major, last)| (0..=last).map(move |minor| Version::new(major, minor)))
    }

    /// Returns whether the version was released.
    pub const fn is_known(self) -> bool {
        self.major >= 1
            && self.major as usize <= Version::LAST_MINOR.len()
            && self.minor <= Version::LAST_MINOR[self.major as usize - 1]
    }

    /// Creates a version from its major and minor number.
    pub const fn new(major: u8, minor: u8) -> Version {
        Version { major, minor }
    }

    /// Parses a version such as `8.8`. Returns `None` for text that is not a version.
    pub fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let digits = |s: &str| {
            (!s.is_empty() && s.len() <= 3 && s.bytes().all(|b| b.is_ascii_digit()))
                .then(|| s.parse().ok())
                .flatten()
        };
        Some(Version {
            major: digits(major)?,
            minor: digits(minor)?,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_list_is_sorted_from_first_to_newest() {
        let all: Vec<Version> = Version::all().collect();
        assert!(all.is_sorted());
        assert_eq!(all.first(), Some(&Version::FIRST));
        assert_eq!(all.last(), Some(&Version::NEWEST));
        assert!(all.iter().all(|version| version.is_known()));
        assert!(!Version::new(5, 2).is_known());
    }
}
