//! What a file of a compiler holds, for the screen: bytes go in; its programs, with what the file states of their kernels, come out as plain
//! data.

use serde::{Deserialize, Serialize};
use warpgrid_paste::binary::{self, Contents, Entry, EntryKind};

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
            ProgramLanguage::MachineCode => "machine code",
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

/// A file of a compiler that is open.
#[derive(Debug)]
pub struct CompiledFile {
    contents: Contents,
}

/// Whether bytes are a file of a compiler rather than a text.
pub fn is_compiled(bytes: &[u8]) -> bool {
    binary::is_binary(bytes)
}

impl CompiledFile {
    /// Looks into a file; an error is a sentence that says what it is instead.
    pub fn open(bytes: &[u8]) -> Result<CompiledFile, String> {
        let contents = binary::open(bytes)?;
        Ok(CompiledFile { contents })
    }

    /// What it holds.
    pub fn view(&self) -> FileView {
        FileView {
            kind: self.contents.kind.to_owned(),
            programs: self.contents.entries.iter().map(program).collect(),
            notes: self.contents.notes.clone(),
        }
    }

    /// A program as a text: PTX as it is, of machine code what can be read without a disassembler.
    pub fn text(&self, program: usize) -> Option<String> {
        self.contents.entries.get(program).map(Entry::text)
    }
}

fn program(entry: &Entry) -> ProgramView {
    let plain = || {
        let names = entry.kernels().into_iter();
        names.map(|name| ProgramKernel {
            name,
            facts: Vec::new(),
        })
    };
    let (language, kernels) = match &entry.kind {
        EntryKind::Ptx(_) => (ProgramLanguage::Ptx, plain().collect()),
        EntryKind::Machine(cubin) => {
            let kernels = cubin.kernels.iter().map(|kernel| ProgramKernel {
                name: kernel.name.clone(),
                facts: kernel.facts(),
            });
            (ProgramLanguage::MachineCode, kernels.collect())
        }
    };
    ProgramView {
        language,
        target: entry.target.clone(),
        source_name: entry.source_name.clone(),
        packed: entry.packed.map(str::to_owned),
        bytes: u32::try_from(entry.n_bytes).unwrap_or(u32::MAX),
        kernels,
    }
}
