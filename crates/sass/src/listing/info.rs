//! What `.nv.info` says about a kernel: its parameters, and the stack that its threads need.

use super::Part;
use super::data::Section;
pub use warpgrid_isa::sass::info::ParameterInfo;
use warpgrid_isa::sass::info::{
    FRAME_SIZE, InfoAttribute, KPARAM_INFO, MAX_THREADS, MIN_STACK_SIZE, PARAM_CBANK,
    REQUIRED_THREADS, UNBOUNDED_STACK, attributes,
};

/// What the text says about a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// By ordinal; none where the text has no such section.
    pub parameters: Option<Vec<ParameterInfo>>,
    /// Where the parameters start in constant bank 0, in bytes.
    pub parameter_start: Option<u32>,
    /// Threads of a block along x, y and z, as `.reqntid` and `.maxntid` state them.
    pub required_threads: Option<[u32; 3]>,
    pub max_threads: Option<[u32; 3]>,
    /// Bytes of stack of a thread, with all that it calls, if that is known.
    pub stack_bytes: Option<u32>,
    /// Whether nothing bounds that stack: what is called may call itself.
    pub is_recursive: bool,
}

impl KernelInfo {
    /// What a part says about the kernel with this name.
    pub fn of(part: &Part, kernel: &str) -> KernelInfo {
        let mut info = KernelInfo::default();
        if let Some(section) = part.section(&format!(".nv.info.{kernel}")) {
            info.parameters = Some(Vec::new());
            for attribute in attributes(&section.bytes) {
                info.add(section, attribute);
            }
            if let Some(parameters) = &mut info.parameters {
                parameters.sort_by_cached_key(|parameter| u64::from(parameter.ordinal));
            }
        }
        if let Some(section) = part.section(".nv.info") {
            let own = format!("index@({kernel})");
            for InfoAttribute { number, start, .. } in attributes(&section.bytes) {
                let mut references = section.references.iter();
                let names = references.any(|r| r.byte_offset == start as u64 && r.text == own);
                if names && matches!(number, FRAME_SIZE | MIN_STACK_SIZE) {
                    let bytes = section.number(start + 4, 4) as u32;
                    if bytes == UNBOUNDED_STACK {
                        info.is_recursive = true;
                        continue;
                    }
                    info.stack_bytes = Some(info.stack_bytes.unwrap_or(0).max(bytes));
                }
            }
        }
        info
    }

    fn add(&mut self, section: &Section, attribute: InfoAttribute) {
        let InfoAttribute {
            number,
            start,
            size,
            ..
        } = attribute;
        match (number, size) {
            (KPARAM_INFO, 12..) => {
                let [place, bits] = [4, 8].map(|at| section.number(start + at, 4) as u32);
                let parameter = ParameterInfo::read(place, bits);
                self.parameters.get_or_insert_default().push(parameter);
            }
            (REQUIRED_THREADS, 12..) => self.required_threads = Some(extents(section, start)),
            (MAX_THREADS, 12..) => self.max_threads = Some(extents(section, start)),
            (PARAM_CBANK, 6..) => self.parameter_start = Some(section.number(start + 4, 2) as u32),
            _ => {}
        }
    }
}

/// Three words of a section.
fn extents(section: &Section, start: usize) -> [u32; 3] {
    [0, 4, 8].map(|offset| section.number(start + offset, 4) as u32)
}
