//! GPU objects that contain PTX instead of machine code: ELF files with the header of a cubin, and one section per module. `warpgrid ptxas`
//! writes these files in place of cubins.

use super::elf::{ABI_VERSION, EM_CUDA, Elf, MAGIC, PROGBITS, STRTAB};
use warpgrid_isa::Target;

/// Name of the sections that contain the PTX modules of an object.
const PTX_SECTION: &str = ".warpgrid.ptx";
/// Value of `e_ident[EI_OSABI]` (assembler 13.5).
const OS_ABI: u8 = 0x41;
/// Sizes of the ELF header and of a section header in bytes.
const HEADER_BYTES: usize = 64;
const SECTION_HEADER_BYTES: usize = 64;
/// First section index that the header field `e_shnum` cannot contain.
const SHN_LORESERVE: usize = 0xff00;
/// Names of the sections, as the section header string table contains them.
const NAMES: &str = "\0.shstrtab\0.warpgrid.ptx\0";
const NAME_OF_NAMES: u32 = 1;
const NAME_OF_PTX: u32 = 11;

/// ELF type of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Complete program (`ET_EXEC`).
    Executable,
    /// Input of the linker (`ET_REL`), which `ptxas -c` produces.
    Relocatable,
}

/// Returns an ELF file for `target` that contains PTX modules.
pub fn write_object(modules: &[&str], target: &Target, kind: ObjectKind) -> Vec<u8> {
    let contents = modules.iter().map(|module| module.len());
    let names_at = HEADER_BYTES + contents.sum::<usize>();
    let table_at = (names_at + NAMES.len()).next_multiple_of(8);
    let n_sections = modules.len() + 2;
    let mut file = header(target, kind, table_at, n_sections);
    for module in modules {
        file.extend_from_slice(module.as_bytes());
    }
    file.extend_from_slice(NAMES.as_bytes());
    file.resize(table_at, 0);
    // The first section header contains the number of sections if the number exceeds the range of the header field.
    let n_in_table = if n_sections < SHN_LORESERVE {
        0
    } else {
        n_sections
    };
    section_header(&mut file, [0, 0], 0, n_in_table);
    section_header(&mut file, [NAME_OF_NAMES, STRTAB], names_at, NAMES.len());
    let mut at = HEADER_BYTES;
    for module in modules {
        section_header(&mut file, [NAME_OF_PTX, PROGBITS], at, module.len());
        at += module.len();
    }
    file
}

/// Returns the ELF header. The second section contains the section names.
fn header(target: &Target, kind: ObjectKind, table_at: usize, n_sections: usize) -> Vec<u8> {
    let file_type: u16 = match kind {
        ObjectKind::Relocatable => 1,
        ObjectKind::Executable => 2,
    };
    let n_sections = match u16::try_from(n_sections) {
        Ok(n) if n_sections < SHN_LORESERVE => n,
        _ => 0,
    };
    let mut header = Vec::new();
    header.extend_from_slice(MAGIC);
    // 64-bit, little-endian, ELF version 1.
    header.extend_from_slice(&[2, 1, 1, OS_ABI, ABI_VERSION, 0, 0, 0, 0, 0, 0, 0]);
    header.extend_from_slice(&file_type.to_le_bytes());
    header.extend_from_slice(&EM_CUDA.to_le_bytes());
    header.extend_from_slice(&1_u32.to_le_bytes());
    // `e_entry` and `e_phoff`.
    header.extend_from_slice(&[0; 16]);
    header.extend_from_slice(&(table_at as u64).to_le_bytes());
    header.extend_from_slice(&flags(target).to_le_bytes());
    let sizes = [HEADER_BYTES as u16, 0, 0, SECTION_HEADER_BYTES as u16];
    for number in sizes.into_iter().chain([n_sections, 1]) {
        header.extend_from_slice(&number.to_le_bytes());
    }
    header
}

/// Returns `e_flags` for a target (assembler 13.5): the flags of the ABI and the architecture number. The flags do not distinguish `sm_90`
/// and `sm_90a`.
fn flags(target: &Target) -> u32 {
    let of_generation = if target.sm < 100 { 0x4 } else { 0x2 };
    0x0600_0000 | (u32::from(target.sm) << 8) | of_generation
}

fn section_header(file: &mut Vec<u8>, [name, kind]: [u32; 2], offset: usize, size: usize) {
    file.extend_from_slice(&name.to_le_bytes());
    file.extend_from_slice(&kind.to_le_bytes());
    // `sh_flags` and `sh_addr`.
    file.extend_from_slice(&[0; 16]);
    file.extend_from_slice(&(offset as u64).to_le_bytes());
    file.extend_from_slice(&(size as u64).to_le_bytes());
    // `sh_link` and `sh_info`.
    file.extend_from_slice(&[0; 8]);
    let alignment = u64::from(kind != 0);
    file.extend_from_slice(&alignment.to_le_bytes());
    // `sh_entsize`.
    file.extend_from_slice(&[0; 8]);
}

/// Returns the PTX modules of an object. The list is empty for a cubin and for a corrupt file.
pub(super) fn modules(bytes: &[u8]) -> Vec<String> {
    let Ok(elf) = Elf::read(bytes) else {
        return Vec::new();
    };
    // Limit the total size of the copied sections to the size of the file, so that overlapping sections do not exhaust memory.
    let mut left = bytes.len();
    let sections = elf.sections.iter();
    let modules = sections
        .filter(|section| section.name == PTX_SECTION)
        .map(|section| {
            let data = elf.data(section);
            let data = &data[..data.len().min(left)];
            left -= data.len();
            String::from_utf8_lossy(data).into_owned()
        });
    modules.take(super::MAX_ENTRIES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_names_start_at_their_offsets() {
        let name = |at: u32| NAMES[at as usize..].split('\0').next();
        assert_eq!(name(NAME_OF_NAMES), Some(".shstrtab"));
        assert_eq!(name(NAME_OF_PTX), Some(PTX_SECTION));
    }

    #[test]
    fn section_count_above_header_range_is_read_from_first_section() {
        let target = Target::default_target();
        for n in [0, 1, SHN_LORESERVE - 3, SHN_LORESERVE - 2, 70_000] {
            let file = write_object(&vec![""; n], target, ObjectKind::Executable);
            let elf = Elf::read(&file).expect("an ELF file");
            assert_eq!(elf.sections.len(), n + 2);
        }
    }
}
