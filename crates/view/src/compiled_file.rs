//! Contents of a compiled file as plain data: its code objects, and the properties of their kernels that the file records.

#[cfg(feature = "paste")]
pub(crate) mod open;

use serde::{Deserialize, Serialize};

/// Contents of a compiled file, which hosts display: its kind, its code objects and the parts that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileView {
    /// Kind of the compiled file: `cubin`, `object with PTX`, `fatbin`, `object or program with fatbins`.
    pub kind: String,
    pub programs: Vec<ProgramView>,
    /// Descriptions of the parts of the file that cannot be read, one sentence each.
    pub notes: Vec<String>,
}

/// Code object in a [`FileView`], which is PTX or machine code, with its kernels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProgramView {
    pub language: ProgramLanguage,
    pub target: Option<String>,
    /// Name of the source file of the code object, as recorded by the compiler.
    pub source_name: Option<String>,
    /// Compression of the code object in the file: `zstd`, `LZ4`. The field is absent if the code object is not compressed.
    pub packed: Option<String>,
    /// Size of the code object in bytes after decompression.
    pub bytes: u32,
    pub kernels: Vec<ProgramKernel>,
}

/// Language of a code object in a [`FileView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ProgramLanguage {
    Ptx,
    /// Machine code, from which a disassembler produces a listing.
    MachineCode,
}

impl ProgramLanguage {
    /// Returns the name of the language for lists of code objects.
    pub const fn name(self) -> &'static str {
        match self {
            ProgramLanguage::Ptx => "PTX",
            ProgramLanguage::MachineCode => "SASS",
        }
    }
}

/// Kernel of a code object, with the properties that the compiled file records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProgramKernel {
    pub name: String,
    /// Properties of the kernel that the compiled file records, one phrase each: `32 registers`.
    pub facts: Vec<String>,
}

#[cfg(feature = "paste")]
pub use crate::compiled_file::open::{CompiledFile, is_compiled};
