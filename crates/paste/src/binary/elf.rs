//! Parser for the parts of 64-bit ELF files that cubins use: header, sections and symbols.

use super::reader::ByteReader;

pub(super) const MAGIC: &[u8] = b"\x7fELF";

/// Value of `e_machine` that identifies GPU code.
pub(super) const EM_CUDA: u16 = 190;
/// Value of `e_ident[EI_ABIVERSION]` from CUDA 13 on.
pub(super) const ABI_VERSION: u8 = 8;
/// Maximum number of sections and symbols.
const MAX_SECTIONS: u64 = 100_000;
const MAX_SYMBOLS: u64 = 1_000_000;
/// Types of sections with data and with names.
pub(super) const PROGBITS: u32 = 1;
pub(super) const STRTAB: u32 = 3;
/// Type of a section that occupies no bytes in the file.
const NOBITS: u32 = 8;
const SYMTAB: u32 = 2;

/// Parsed ELF file, from which the cubin reader gets sections and symbols.
#[derive(Debug)]
pub(super) struct Elf<'a> {
    pub(super) bytes: ByteReader<'a>,
    /// `e_ident[EI_ABIVERSION]`
    pub(super) abi_version: u8,
    pub(super) flags: u32,
    pub(super) sections: Vec<RawSection>,
}

/// Entry of the section header table of an [`Elf`] file.
#[derive(Clone, Debug)]
pub(super) struct RawSection {
    pub(super) name: String,
    kind: u32,
    offset: u64,
    pub(super) size: u64,
    link: u32,
    pub(super) info: u32,
}

/// Checks whether the ELF header specifies GPU code.
pub(super) fn is_of_gpu(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) && ByteReader(bytes).u16(18) == Some(EM_CUDA)
}

impl<'a> Elf<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Elf<'a>, String> {
        let file = ByteReader(bytes);
        if file.u8(4) != Some(2) || file.u8(5) != Some(1) {
            return Err("32-bit cubins of toolkits before CUDA 12 are not supported".to_owned());
        }
        let short = || "the cubin is truncated: the header is incomplete".to_owned();
        let flags = file.u32(48).ok_or_else(short)?;
        let table = file.u64(40).ok_or_else(short)?;
        let row = u64::from(file.u16(58).ok_or_else(short)?);
        let n = u64::from(file.u16(60).ok_or_else(short)?);
        let names = u64::from(file.u16(62).ok_or_else(short)?);
        if row < 64 {
            return Err("the cubin is corrupt: the section headers are too short".to_owned());
        }
        // Read the number of sections from the first section header if it exceeds the range of the header field.
        let n = match n {
            0 => file.u64(table.saturating_add(32)).unwrap_or(0),
            n => n,
        };
        let cut = || "the cubin is truncated: the section header table is incomplete".to_owned();
        let at = |index: u64| {
            index
                .checked_mul(row)
                .and_then(|place| table.checked_add(place))
        };
        let names_at = at(names)
            .and_then(|place| file.u64(place + 24))
            .ok_or_else(cut)?;
        let mut sections = Vec::new();
        for index in 0..n.min(MAX_SECTIONS) {
            let place = at(index).ok_or_else(cut)?;
            file.slice(place, 64).ok_or_else(cut)?;
            sections.push(RawSection::read(file, place, names_at).ok_or_else(cut)?);
        }
        Ok(Elf {
            bytes: file,
            abi_version: file.u8(8).unwrap_or(0),
            flags,
            sections,
        })
    }

    /// Returns the bytes of a section, or an empty slice if the section extends beyond the end of the file.
    pub(super) fn data(&self, section: &RawSection) -> &'a [u8] {
        match section.kind {
            NOBITS => &[],
            _ => self
                .bytes
                .slice(section.offset, section.size)
                .unwrap_or(&[]),
        }
    }

    /// Returns the section with this name.
    pub(super) fn section(&self, name: &str) -> Option<&RawSection> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Returns the names of all symbols, in the order of the symbol table.
    pub(super) fn symbols(&self) -> Vec<String> {
        let Some(table) = self.sections.iter().find(|section| section.kind == SYMTAB) else {
            return Vec::new();
        };
        let names = self.sections.get(table.link as usize);
        let names = ByteReader(names.map_or(&[], |section| self.data(section)));
        let rows = ByteReader(self.data(table));
        let n = (rows.0.len() as u64 / 24).min(MAX_SYMBOLS);
        let name = |index: u64| rows.u32(index * 24).map(|at| names.text(at.into()));
        (0..n)
            .map(|index| name(index).unwrap_or_default())
            .collect()
    }
}

impl RawSection {
    fn read(file: ByteReader<'_>, at: u64, names_at: u64) -> Option<RawSection> {
        let name = names_at.checked_add(file.u32(at)?.into())?;
        Some(RawSection {
            name: file.text(name),
            kind: file.u32(at + 4)?,
            offset: file.u64(at + 24)?,
            size: file.u64(at + 32)?,
            link: file.u32(at + 40)?,
            info: file.u32(at + 44)?,
        })
    }
}
