//! Reader of cubins, which are ELF files for one architecture. The reader extracts the sections, and the kernels with the properties that
//! the compiler recorded.

use super::elf::{ABI_VERSION, Elf, RawSection, is_of_gpu};
use super::reader::ByteReader;
use warpgrid_isa::sass::nv_info::{
    self, FRAME_SIZE, KPARAM_INFO, MAX_THREADS, MIN_STACK_SIZE, NUM_BARRIERS, NvInfoAttribute,
    PARAM_CBANK, ParameterInfo, REGCOUNT, UNBOUNDED_STACK,
};

/// Contents of a cubin: the machine code of the kernels for one architecture, the constant banks and the sections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cubin {
    /// Target of the code, such as `sm_90a`.
    pub target: String,
    pub kernels: Vec<Kernel>,
    pub sections: Vec<Section>,
    /// Number and contents of each constant bank of the module.
    pub constants: Vec<(u32, Vec<u8>)>,
}

/// Machine code of a kernel in a [`Cubin`], with the properties that the compiler recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    pub registers: Option<u32>,
    /// Size of static shared memory in bytes.
    pub shared_bytes: u64,
    /// Stack size per thread in bytes, or `None` if the stack size is unbounded.
    pub stack_bytes: Option<u32>,
    pub barriers: Option<u32>,
    /// Maximum block size, if the kernel specifies it.
    pub max_threads: Option<[u32; 3]>,
    pub parameters: Vec<ParameterInfo>,
    /// Byte offset of the parameters in constant bank 0.
    pub parameters_at: Option<u32>,
    /// Number of relocations that apply to the code of the kernel.
    pub n_relocations: u64,
    /// Encoded instructions of the kernel.
    pub code: Vec<u8>,
}

/// Name and size of a section in the ELF file of a cubin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: String,
    pub size_bytes: u64,
}

/// Maximum number of parameters of a kernel.
const MAX_PARAMETERS: usize = 8192;

pub(super) fn is_cubin(bytes: &[u8]) -> bool {
    is_of_gpu(bytes)
}

impl Cubin {
    pub(super) fn read(bytes: &[u8]) -> Result<Cubin, String> {
        let elf = Elf::read(bytes)?;
        let symbols = elf.symbols();
        let mut cubin = Cubin {
            target: target(&elf),
            ..Cubin::default()
        };
        // Limit the total size of the copied sections to the size of the file, so that invalid section headers do not exhaust memory.
        let mut left = bytes.len();
        for section in &elf.sections {
            cubin.sections.push(Section {
                name: section.name.clone(),
                size_bytes: section.size,
            });
            if let Some(name) = section.name.strip_prefix(".text.") {
                cubin.kernels.push(kernel(&elf, section, name, &mut left));
            } else if let Some(bank) = bank(&section.name) {
                cubin
                    .constants
                    .push((bank, take(elf.data(section), &mut left)));
            }
        }
        if let Some(section) = elf.section(".nv.info") {
            for attribute in attributes(elf.data(section)) {
                cubin.note(&attribute, &symbols);
            }
        }
        cubin.sections.retain(|section| !section.name.is_empty());
        Ok(cubin)
    }

    /// Records an attribute of a kernel from the `.nv.info` section, which contains attributes of all kernels.
    fn note(&mut self, attribute: &Attribute<'_>, symbols: &[String]) {
        let value = ByteReader(attribute.value);
        let (Some(symbol), Some(number)) = (value.u32(0), value.u32(4)) else {
            return;
        };
        let name = symbols.get(symbol as usize);
        let mut kernels = self.kernels.iter_mut();
        let Some(kernel) = kernels.find(|kernel| Some(&kernel.name) == name) else {
            return;
        };
        match attribute.number {
            REGCOUNT => kernel.registers = Some(number),
            FRAME_SIZE | MIN_STACK_SIZE if number != UNBOUNDED_STACK => {
                kernel.stack_bytes = Some(kernel.stack_bytes.unwrap_or(0).max(number));
            }
            _ => {}
        }
    }
}

/// Copies at most `left` bytes, so that overlapping sections do not increase the total memory use.
fn take(bytes: &[u8], left: &mut usize) -> Vec<u8> {
    let taken = &bytes[..bytes.len().min(*left)];
    *left -= taken.len();
    taken.to_vec()
}

/// Returns the target of the file with its suffix, such as `sm_90a`.
fn target(elf: &Elf<'_>) -> String {
    // From version 8 of the ABI on, the second byte of the flags contains the architecture number.
    let (sm, is_specific) = match elf.abi_version {
        ABI_VERSION.. => ((elf.flags >> 8) & 0xff, elf.flags & 0x8 != 0),
        _ => (elf.flags & 0xff, elf.flags & 0x800 != 0),
    };
    format!("sm_{sm}{}", if is_specific { "a" } else { "" })
}

/// Returns the number of a constant bank from its section name, such as `.nv.constant3`.
fn bank(name: &str) -> Option<u32> {
    name.strip_prefix(".nv.constant")?.parse().ok()
}

fn kernel(elf: &Elf<'_>, section: &RawSection, name: &str, left: &mut usize) -> Kernel {
    let size_of = |name: String| elf.section(&name).map_or(0, |section| section.size);
    let mut kernel = Kernel {
        name: name.to_owned(),
        shared_bytes: size_of(format!(".nv.shared.{name}")),
        n_relocations: size_of(format!(".rela.text.{name}")) / 24
            + size_of(format!(".rel.text.{name}")) / 16,
        code: take(elf.data(section), left),
        // Read the register count from the `sh_info` field of the section header, because older files contain it only there.
        registers: Some(section.info >> 24).filter(|n| *n > 0),
        ..Kernel::default()
    };
    if let Some(info) = elf.section(&format!(".nv.info.{name}")) {
        for attribute in attributes(elf.data(info)) {
            kernel.note(&attribute);
        }
    }
    kernel.parameters.sort_by_key(|parameter| parameter.ordinal);
    kernel
}

impl Kernel {
    /// Returns the total size of the parameters in bytes.
    pub fn parameter_bytes(&self) -> u64 {
        let ends = self.parameters.iter();
        let ends = ends.map(|own| u64::from(own.byte_offset) + u64::from(own.size_bytes));
        ends.max().unwrap_or(0)
    }

    fn note(&mut self, attribute: &Attribute<'_>) {
        let value = ByteReader(attribute.value);
        match attribute.number {
            KPARAM_INFO => {
                let (Some(place), Some(bits)) = (value.u32(4), value.u32(8)) else {
                    return;
                };
                if self.parameters.len() < MAX_PARAMETERS {
                    self.parameters.push(ParameterInfo::read(place, bits));
                }
            }
            PARAM_CBANK => self.parameters_at = value.u16(4).map(u32::from),
            MAX_THREADS => {
                if let (Some(x), Some(y), Some(z)) = (value.u32(0), value.u32(4), value.u32(8)) {
                    self.max_threads = Some([x, y, z]);
                }
            }
            NUM_BARRIERS => self.barriers = Some(u32::from(attribute.small)),
            _ => {}
        }
    }
}

/// Attribute of a kernel in a `.nv.info` section, with its number and its value.
struct Attribute<'a> {
    number: u8,
    /// Value of an attribute without an explicit size.
    small: u16,
    value: &'a [u8],
}

fn attributes(bytes: &[u8]) -> impl Iterator<Item = Attribute<'_>> {
    let found = nv_info::attributes(bytes).into_iter();
    found.map(
        move |NvInfoAttribute {
                  number,
                  small,
                  start,
                  size,
              }| Attribute {
            number,
            small,
            value: bytes.get(start..start + size).unwrap_or(&[]),
        },
    )
}
