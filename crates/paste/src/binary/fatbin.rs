//! Reader of fatbins, which are sequences of PTX sources and cubins. Each entry has a header and is usually compressed. The reader extracts
//! the entries.

use super::cubin::is_cubin;
use super::reader::ByteReader;
use super::{
    BinaryContents, EmbeddedProgram, EmbeddedProgramKind, MAX_ENTRIES, MAX_ENTRY_BYTES, lz4,
    programs_of_elf,
};
use ruzstd::io::Read;

/// Magic number of a fatbin.
const MAGIC: &[u8] = &[0x50, 0xed, 0x55, 0xba];
const KIND_PTX: u16 = 1;
const KIND_CUBIN: u16 = 2;
/// Flags in the header of an entry.
const IS_LZ4: u64 = 0x2000;
const IS_ZSTD: u64 = 0x8000;
const IS_SPECIFIC: u64 = 0x10_0000;
const IS_OF_FAMILY: u64 = 0x20_0000;
/// Minimum header size of a fatbin and of an entry.
const HEADER: u64 = 16;
const ENTRY_HEADER: u64 = 64;

/// Returns the offset of the next fatbin. A fatbin is aligned to 8 bytes within its section, but the offset of the section in the file may
/// be unaligned.
pub(super) fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let mut done = 0;
    // Search for the last byte of the magic number, because it is the rarest of the four bytes.
    while let Some(found) = rest[done..].iter().position(|byte| *byte == 0xba) {
        let at = done + found;
        let is_here = at >= 3 && rest[at - 3..=at] == *MAGIC;
        // Also check the version and the header size after the magic number, because random bytes rarely match both.
        let head = ByteReader(&rest[at.saturating_sub(3)..]);
        if is_here
            && head.u16(4) == Some(1)
            && head.u16(6).is_some_and(|size| (16..=256).contains(&size))
        {
            return Some(from + at - 3);
        }
        done = at + 1;
    }
    None
}

/// Reads the fatbin at offset `start`, and returns the offset of its end. `left` is the number of decompressed bytes that the size limit
/// still permits.
pub(super) fn read(
    bytes: &[u8],
    start: usize,
    left: &mut usize,
    contents: &mut BinaryContents,
) -> usize {
    let file = ByteReader(bytes);
    let begin = start as u64;
    let header = u64::from(file.u16(begin + 6).unwrap_or(0));
    let size = file.u64(begin + 8).unwrap_or(0);
    let first = begin + header.max(HEADER);
    let file_size = bytes.len() as u64;
    let end = first.saturating_add(size).min(file_size);
    if first.saturating_add(size) > file_size {
        contents
            .notes
            .push(format!("the fatbin at byte {start} is truncated"));
    }
    let mut at = first;
    while at < end && contents.entries.len() < MAX_ENTRIES {
        let Some(entry) = EntryHeader::read(file, at) else {
            contents.notes.push(format!(
                "the fatbin at byte {start} is truncated within an entry"
            ));
            break;
        };
        match entry.open(file, at, left) {
            Ok(found) => {
                let left = MAX_ENTRIES - contents.entries.len();
                contents.entries.extend(found.into_iter().take(left));
            }
            Err(reason) => contents.notes.push(reason),
        }
        let Some(next) = at
            .checked_add(entry.header)
            .and_then(|after| after.checked_add(entry.size))
        else {
            break;
        };
        // Stop at an entry of size zero, because it would cause an infinite loop.
        if entry.header == 0 || next <= at {
            break;
        }
        at = next.next_multiple_of(8);
    }
    usize::try_from(end).unwrap_or(bytes.len())
}

/// Header of an entry in a fatbin: kind, sizes, target and flags of a code object.
struct EntryHeader {
    kind: u16,
    header: u64,
    size: u64,
    /// Size of a compressed entry without padding, in bytes.
    packed_size: u64,
    arch: u32,
    name_at: u32,
    name_length: u32,
    flags: u64,
    unpacked_size: u64,
}

impl EntryHeader {
    fn read(file: ByteReader<'_>, at: u64) -> Option<EntryHeader> {
        file.slice(at, ENTRY_HEADER)?;
        Some(EntryHeader {
            kind: file.u16(at)?,
            header: u64::from(file.u32(at + 4)?).max(ENTRY_HEADER),
            size: file.u64(at + 8)?,
            packed_size: u64::from(file.u32(at + 16)?),
            arch: file.u32(at + 28)?,
            name_at: file.u32(at + 32)?,
            name_length: file.u32(at + 36)?,
            flags: file.u64(at + 40)?,
            unpacked_size: file.u64(at + 56)?,
        })
    }

    /// Returns the code objects of the entry. The list is empty for entries of undocumented kinds.
    fn open(
        &self,
        file: ByteReader<'_>,
        at: u64,
        left: &mut usize,
    ) -> Result<Vec<EmbeddedProgram>, String> {
        if !matches!(self.kind, KIND_PTX | KIND_CUBIN) {
            return Ok(Vec::new());
        }
        let place = format!("the code object for sm_{} at byte {at}", self.arch);
        let packed = match (self.flags & IS_ZSTD != 0, self.flags & IS_LZ4 != 0) {
            (true, _) => Some("zstd"),
            (_, true) => Some("LZ4"),
            (false, false) => None,
        };
        let size = match packed {
            Some(_) if self.packed_size > 0 => self.packed_size.min(self.size),
            _ => self.size,
        };
        let start = at.checked_add(self.header);
        let raw = start.and_then(|start| file.slice(start, size));
        let raw = raw.ok_or_else(|| format!("{place} is truncated"))?;
        let limit = (*left).min(MAX_ENTRY_BYTES);
        let wanted = usize::try_from(self.unpacked_size).unwrap_or(usize::MAX);
        if packed.is_some() && wanted > limit {
            return Err(format!(
                "{place} has an uncompressed size of {} bytes, which exceeds the limit",
                self.unpacked_size
            ));
        }
        let unpacked =
            unpack(packed, raw, wanted, limit).map_err(|reason| format!("{place} {reason}"))?;
        *left -= unpacked.len().min(*left);
        let source_name = start.and_then(|_| self.name(file, at));
        let found = match self.kind {
            KIND_PTX => {
                let text = ptx_text(&unpacked);
                vec![EmbeddedProgram {
                    target: stated_target(&text),
                    kind: EmbeddedProgramKind::Ptx(text),
                    source_name: None,
                    packed: None,
                    n_bytes: unpacked.len(),
                }]
            }
            _ if is_cubin(&unpacked) => {
                programs_of_elf(&unpacked).map_err(|reason| format!("{place}: {reason}"))?
            }
            _ => return Err(format!("{place} is not a cubin")),
        };
        let placed = found.into_iter().map(|program| EmbeddedProgram {
            target: Some(self.target(program.target)),
            source_name: source_name.clone(),
            packed,
            ..program
        });
        Ok(placed.collect())
    }

    /// Returns the target that the code specifies, with the suffix from the header of the entry, because only the header specifies the
    /// suffix.
    fn target(&self, stated: Option<String>) -> String {
        let plain = format!("sm_{}", self.arch);
        match stated.filter(|stated| *stated != plain) {
            Some(stated) => stated,
            None if self.flags & IS_OF_FAMILY != 0 => format!("{plain}f"),
            None if self.flags & IS_SPECIFIC != 0 => format!("{plain}a"),
            None => plain,
        }
    }

    /// Returns the source file name from the header.
    fn name(&self, file: ByteReader<'_>, at: u64) -> Option<String> {
        let length = u64::from(self.name_length);
        let fits = length > 0 && u64::from(self.name_at) + length <= self.header;
        let bytes = file
            .slice(at + u64::from(self.name_at), length)
            .filter(|_| fits)?;
        let text = String::from_utf8_lossy(bytes);
        Some(text.trim_end_matches('\0').to_owned())
    }
}

/// Converts PTX bytes to text, without trailing zeros and leading blank lines.
fn ptx_text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    let text = String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]);
    text.trim_start_matches('\n').to_owned()
}

/// Returns the target that the header of a PTX module specifies.
pub(super) fn stated_target(text: &str) -> Option<String> {
    let (_, rest) = text.split_once(".target")?;
    let name: String = rest
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    (!name.is_empty()).then_some(name)
}

/// Returns the decompressed bytes of a code object. The error message is the predicate of a sentence with the code object as its subject.
fn unpack(
    packed: Option<&str>,
    raw: &[u8],
    wanted: usize,
    limit: usize,
) -> Result<Vec<u8>, &'static str> {
    match packed {
        Some("zstd") => {
            unzstd(raw, wanted).ok_or("cannot be decompressed, because its zstd data is invalid")
        }
        Some(_) => lz4::unpack(raw, wanted)
            .ok_or("cannot be decompressed, because its LZ4 data is invalid"),
        None if raw.len() > limit => Err("exceeds the size limit"),
        None => Ok(raw.to_vec()),
    }
}

/// Decompresses zstd data to at most `wanted` bytes.
fn unzstd(bytes: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let mut rest = bytes;
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest).ok()?;
    let mut unpacked = Vec::new();
    let mut piece = [0; 1 << 14];
    loop {
        let n = decoder.read(&mut piece).ok()?;
        if n == 0 {
            return Some(unpacked);
        }
        if unpacked.len() + n > wanted {
            return None;
        }
        unpacked.extend_from_slice(&piece[..n]);
    }
}
