//! Kernel attributes in `.nv.info` sections: parameters, thread limits, and stack size.

use super::ArchUnit;
use super::data::Section;
pub use warpgrid_isa::sass::nv_info::ParameterInfo;
use warpgrid_isa::sass::nv_info::{
    FRAME_SIZE, KPARAM_INFO, MAX_THREADS, MIN_STACK_SIZE, NvInfoAttribute, PARAM_CBANK,
    REQUIRED_THREADS, UNBOUNDED_STACK, attributes,
};

/// Attributes of a kernel that the listing contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Parameters by ordinal, or `None` if the listing has no attribute section for the kernel.
    pub parameters: Option<Vec<ParameterInfo>>,
    /// Offset of the parameters in constant bank 0, in bytes.
    pub parameter_start: Option<u32>,
    /// Number of threads per CTA along x, y and z, that `.reqntid` or `.maxntid` specifies.
    pub required_threads: Option<[u32; 3]>,
    pub max_threads: Option<[u32; 3]>,
    /// Stack size per thread in bytes, including callees, if the section contains it.
    pub stack_bytes: Option<u32>,
    /// Whether the stack size is unbounded, because callees may be recursive.
    pub is_recursive: bool,
}

impl KernelInfo {
    /// Returns the attributes of the kernel named `kernel`.
    pub fn of(part: &ArchUnit, kernel: &str) -> KernelInfo {
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
            for NvInfoAttribute { number, start, .. } in attributes(&section.bytes) {
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

    fn add(&mut self, section: &Section, attribute: NvInfoAttribute) {
        let NvInfoAttribute {
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

/// Reads the extents x, y and z from three consecutive words of a section.
fn extents(section: &Section, start: usize) -> [u32; 3] {
    [0, 4, 8].map(|offset| section.number(start + offset, 4) as u32)
}
