//! Files of compilers, opened: bytes go in; what they hold, and their programs as texts, come out.

use crate::compiled_file::{FileView, ProgramKernel, ProgramLanguage, ProgramView};
use warpgrid_paste::binary::{self, Contents, Entry, EntryKind};

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
