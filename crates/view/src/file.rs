//! What a file of a compiler holds, for the screen: bytes go in; its programs, with what the file states of their kernels, come out as plain
//! data.

use serde::{Deserialize, Serialize};

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FileView {
    /// What the file is: `cubin`, `fatbin`, `object or program with fatbins`.
    pub kind: String,
    pub programs: Vec<ProgramView>,
    /// What could not be read, a sentence each.
    pub notes: Vec<String>,
}

/// A program in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ProgramView {
    pub language: ProgramLanguage,
    pub target: Option<String>,
    /// The name of the source that the compiler noted.
    pub source_name: Option<String>,
    /// How it was packed: `zstd`, `LZ4`.
    pub packed: Option<String>,
    /// Bytes after unpacking.
    pub bytes: u32,
    pub kernels: Vec<ProgramKernel>,
}

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ProgramLanguage {
    Ptx,
    /// Machine code as bytes: a disassembler makes a listing of it.
    MachineCode,
}

impl ProgramLanguage {
    /// As a list names it.
    pub const fn name(self) -> &'static str {
        match self {
            ProgramLanguage::Ptx => "PTX",
            ProgramLanguage::MachineCode => "SASS",
        }
    }
}

/// A kernel of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProgramKernel {
    pub name: String,
    /// What the file states of it, one phrase each: `32 registers`.
    pub facts: Vec<String>,
}

#[cfg(feature = "paste")]
mod open;
#[cfg(feature = "paste")]
pub use open::{CompiledFile, is_compiled};
