//! What `.nv.info` says about a kernel: its parameters, and the stack that its threads need.

use super::Part;
use super::data::Section;

/// What the text says about a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// By ordinal; none where the text has no such section.
    pub parameters: Option<Vec<ParameterInfo>>,
    /// Where the parameters start in constant bank 0, in bytes.
    pub parameter_start: Option<u32>,
    /// Bytes of stack of a thread, with all that it calls, if that is known.
    pub stack_bytes: Option<u32>,
    /// Whether nothing bounds that stack: what is called may call itself.
    pub is_recursive: bool,
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterInfo {
    pub ordinal: u32,
    /// From the first parameter on.
    pub byte_offset: u32,
    pub size_bytes: u32,
}

/// How the length of an attribute is said: the first byte of it.
const SIZED: u64 = 4;

/// Numbers of attributes (their names stand in the comments of a listing).
const PARAM_CBANK: u64 = 0x0a;
const FRAME_SIZE: u64 = 0x11;
const MIN_STACK_SIZE: u64 = 0x12;
/// The stack of what calls itself, or what is not known.
const UNBOUNDED: u32 = u32::MAX;
const KPARAM_INFO: u64 = 0x17;

impl KernelInfo {
    /// What a part says about the kernel with this name.
    pub fn of(part: &Part, kernel: &str) -> KernelInfo {
        let mut info = KernelInfo::default();
        if let Some(section) = part.section(&format!(".nv.info.{kernel}")) {
            info.parameters = Some(Vec::new());
            for (number, start, size) in attributes(section) {
                info.add(section, number, start, size);
            }
            if let Some(parameters) = &mut info.parameters {
                parameters.sort_by_cached_key(|parameter| u64::from(parameter.ordinal));
            }
        }
        if let Some(section) = part.section(".nv.info") {
            let own = format!("index@({kernel})");
            for (number, start, _) in attributes(section) {
                let mut references = section.references.iter();
                let names = references.any(|r| r.byte_offset == start as u64 && r.text == own);
                if names && matches!(number, FRAME_SIZE | MIN_STACK_SIZE) {
                    let bytes = section.number(start + 4, 4) as u32;
                    if bytes == UNBOUNDED {
                        info.is_recursive = true;
                        continue;
                    }
                    info.stack_bytes = Some(info.stack_bytes.unwrap_or(0).max(bytes));
                }
            }
        }
        info
    }

    fn add(&mut self, section: &Section, number: u64, start: usize, size: usize) {
        match (number, size) {
            (KPARAM_INFO, 12..) => {
                let bits = section.number(start + 8, 4) as u32;
                let parameter = ParameterInfo {
                    ordinal: section.number(start + 4, 2) as u32,
                    byte_offset: section.number(start + 6, 2) as u32,
                    // The lower bits say alignment, space and bank.
                    size_bytes: bits >> 18,
                };
                self.parameters.get_or_insert_default().push(parameter);
            }
            (PARAM_CBANK, 6..) => self.parameter_start = Some(section.number(start + 4, 2) as u32),
            _ => {}
        }
    }
}

/// The attributes of a section: number, where the value starts, and its bytes. Without a size of its own an attribute has
/// two bytes.
fn attributes(section: &Section) -> Vec<(u64, usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + 4 <= section.bytes.len() {
        let (format, number) = (section.number(at, 1), section.number(at + 1, 1));
        let size = match format {
            SIZED => section.number(at + 2, 2) as usize,
            _ => 0,
        };
        found.push((number, at + 4, size));
        at += 4 + size;
    }
    found
}
