//! Bounds-checked reader of little-endian numbers.

/// Byte slice with bounds-checked access to little-endian numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteReader<'a>(pub(super) &'a [u8]);

impl<'a> ByteReader<'a> {
    /// Returns `n` bytes at an offset.
    pub(super) fn slice(self, at: u64, n: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(at).ok()?;
        let end = usize::try_from(at.checked_add(n)?).ok()?;
        self.0.get(start..end)
    }

    pub(super) fn u8(self, at: u64) -> Option<u8> {
        self.slice(at, 1).map(|bytes| bytes[0])
    }

    pub(super) fn u16(self, at: u64) -> Option<u16> {
        let bytes = self.slice(at, 2)?;
        Some(u16::from_le_bytes(bytes.try_into().ok()?))
    }

    pub(super) fn u32(self, at: u64) -> Option<u32> {
        let bytes = self.slice(at, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    pub(super) fn u64(self, at: u64) -> Option<u64> {
        let bytes = self.slice(at, 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Returns the text at an offset, up to a zero byte or the end of the bytes.
    pub(super) fn text(self, at: u64) -> String {
        let start = usize::try_from(at).unwrap_or(usize::MAX);
        let rest = self.0.get(start..).unwrap_or(&[]);
        let end = rest.iter().take(MAX_NAME).position(|byte| *byte == 0);
        let name = &rest[..end.unwrap_or(rest.len().min(MAX_NAME))];
        String::from_utf8_lossy(name).into_owned()
    }
}

/// Maximum length of a name in bytes.
const MAX_NAME: usize = 4096;
