//! Fast path for contiguous byte ranges of asynchronous operations, which checks one 128-byte line at a time. The fast
//! path records the accesses, and returns the remaining range, which starts at the first byte that may race.

use crate::races::access_site::AccessSiteId;
use crate::races::accessor::AccessContext;
use crate::races::detector::RaceDetector;
use crate::races::fast_path::LineAccess;
use crate::races::line_shadow::LineChecker;
use crate::races::location::ByteRange;
use crate::races::location::{LINE, MemoryInstance};
use crate::races::shadow_memory::{LineState, ShadowMemory};
use crate::races::word_fast_path::{WordAccess, WordFastPath};
use warpgrid_emulator::WarpId;

impl RaceDetector {
    /// Checks contiguous bytes that an asynchronous operation accesses. Returns the remaining bytes, which the slow
    /// path must check.
    pub(crate) fn see_range(
        &mut self,
        by: &AccessContext<'_>,
        bytes: ByteRange,
    ) -> Option<ByteRange> {
        let is_elsewhere =
            matches!(bytes.memory, MemoryInstance::Shared(block) if block != by.home.block);
        if is_elsewhere {
            return Some(bytes);
        }
        let floor = self.floor(bytes.memory);
        let lines = LineAccess {
            of: WarpId {
                block: by.home.block,
                warp: by.threads.warp(),
            },
            row: by.as_row,
            lanes: by.lanes,
            memory: bytes.memory,
            site: by.site,
            epoch: by.as_epoch,
            mask: by.as_lanes,
            handed: None,
        };
        let mut shadow = self.shadow.take().unwrap_or_default();
        let is_known = |other: AccessSiteId, address: u64| {
            self.is_reported(other, by.site, bytes.memory, address)
        };
        let mut visitor = self.visitor(&lines, by.warp, &floor, &is_known);
        let end = bytes.address.saturating_add(bytes.n.into());
        let mut reached = bytes.address;
        while reached < end {
            let next = (reached / LINE + 1).saturating_mul(LINE).min(end);
            let part = ByteRange {
                address: reached,
                n: (next - reached) as u32,
                ..bytes
            };
            reached = self.race_free_part(&mut visitor, &lines, part, &mut shadow);
            if reached < next {
                break;
            }
        }
        self.shadow = Some(shadow);
        (reached < end).then_some(ByteRange {
            address: reached,
            n: (end - reached) as u32,
            ..bytes
        })
    }

    /// Checks the bytes of one line. Returns the address of the first byte that may race.
    fn race_free_part(
        &self,
        by: &mut LineChecker<'_>,
        lines: &LineAccess,
        part: ByteRange,
        shadow: &mut ShadowMemory,
    ) -> u64 {
        let at = shadow.line_at(part.memory, part.address);
        if let LineState::Words = shadow.held(at) {
            return quiet_words(by, lines, part, shadow);
        }
        let Some(found) = shadow.shapes.of_range(part.address, part.n) else {
            return part.address;
        };
        match self.are_lines_quiet(by, lines, found, shadow) {
            true => part.address + u64::from(part.n),
            false => part.address,
        }
    }
}

/// Checks the bytes of a line that is tracked per word. Returns the address of the first byte that may race.
fn quiet_words(
    by: &LineChecker<'_>,
    lines: &LineAccess,
    part: ByteRange,
    shadow: &mut ShadowMemory,
) -> u64 {
    let of = (lines.row, lines.site);
    let mut quick = WordFastPath::of(by.settled, by.current, of, by.floor, by.is_known);
    let loud = part.words().find(|(address, bytes)| {
        let at = WordAccess {
            lanes: lines.mask,
            epoch: lines.epoch,
            address: *address,
            bytes: *bytes,
        };
        !quick.look(shadow, at)
    });
    match loud {
        Some((word, _)) => word.max(part.address),
        None => part.address + u64::from(part.n),
    }
}
