//! Releases of the CUDA toolkit with their PTX ISA version and driver. The sources are the release history table of the PTX ISA ("Release
//! Notes") up to PTX 9.1, the release notes of CUDA 13.4 for PTX 9.4, and the assembler of CUDA 13.5 for PTX 9.5. The entries of PTX 9.2
//! and 9.3 are interpolated.

use crate::version::Version;

/// Release of the toolkit or the driver: its number, the newest PTX version that it accepts, and the first driver branch for this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// Newest PTX ISA version that the release accepts.
    pub version: Version,
    /// Toolkit version such as `12.8`. Empty if only a driver introduced the PTX version.
    pub toolkit: &'static str,
    /// Branch of the first driver that supports the version: 570 for r570. `None` if the table does not specify it.
    pub driver: Option<u16>,
}

impl Release {
    /// Returns the first release that accepts a PTX ISA version. No release introduced PTX 5.1, so the result for PTX 5.1 is the release of
    /// PTX 6.0.
    pub fn of_version(version: Version) -> Option<&'static Release> {
        RELEASES.iter().find(|release| release.version >= version)
    }
}

/// Version of the reference assembler, whose decisions the checker reproduces.
pub const REFERENCE_ASSEMBLER: &str = "13.5.37";

const fn release(major: u8, minor: u8, toolkit: &'static str, driver: u16) -> Release {
    Release {
        version: Version::new(major, minor),
        toolkit,
        driver: if driver == 0 { None } else { Some(driver) },
    }
}

/// All releases, the oldest release first.
#[rustfmt::skip]
pub static RELEASES: &[Release] = &[
    release(1, 0, "1.0", 0),
    release(1, 1, "1.1", 0),
    release(1, 2, "2.0", 0),
    release(1, 3, "2.1", 0),
    release(1, 4, "2.2", 0),
    release(1, 5, "", 190),
    release(2, 0, "3.0", 195),
    release(2, 1, "3.1", 256),
    release(2, 2, "3.2", 260),
    release(2, 3, "4.0", 270),
    release(3, 0, "4.1", 285),
    release(3, 0, "4.2", 295),
    release(3, 1, "5.0", 302),
    release(3, 2, "5.5", 319),
    release(4, 0, "6.0", 331),
    release(4, 1, "6.5", 340),
    release(4, 2, "7.0", 346),
    release(4, 3, "7.5", 352),
    release(5, 0, "8.0", 361),
    release(6, 0, "9.0", 384),
    release(6, 1, "9.1", 387),
    release(6, 2, "9.2", 396),
    release(6, 3, "10.0", 400),
    release(6, 4, "10.1", 418),
    release(6, 5, "10.2", 440),
    release(7, 0, "11.0", 445),
    release(7, 1, "11.1", 455),
    release(7, 2, "11.2", 460),
    release(7, 3, "11.3", 465),
    release(7, 4, "11.4", 470),
    release(7, 5, "11.5", 495),
    release(7, 6, "11.6", 510),
    release(7, 7, "11.7", 515),
    release(7, 8, "11.8", 520),
    release(8, 0, "12.0", 525),
    release(8, 1, "12.1", 530),
    release(8, 2, "12.2", 535),
    release(8, 3, "12.3", 545),
    release(8, 4, "12.4", 550),
    release(8, 5, "12.5", 555),
    release(8, 5, "12.6", 560),
    release(8, 6, "12.7", 565),
    release(8, 7, "12.8", 570),
    release(8, 8, "12.9", 575),
    release(9, 0, "13.0", 580),
    release(9, 1, "13.1", 590),
    release(9, 2, "13.2", 0),
    release(9, 3, "13.3", 0),
    release(9, 4, "13.4", 0),
    release(9, 5, "13.5", 0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_assembler_belongs_to_newest_toolkit() {
        let newest = RELEASES.last().expect("a release").toolkit;
        assert!(REFERENCE_ASSEMBLER.starts_with(&format!("{newest}.")));
    }

    #[test]
    fn each_ptx_version_has_release_and_releases_are_sorted() {
        for version in Version::all() {
            assert!(Release::of_version(version).is_some(), "{version}");
        }
        assert!(
            RELEASES
                .is_sorted_by_key(|release| (release.version, release.driver.unwrap_or(u16::MAX)))
        );
    }
}
