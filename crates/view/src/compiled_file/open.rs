//! Reader of compiled files. The module takes the bytes of a file, and returns the contents of the file as plain data, and its code objects
//! as source text.

use crate::compiled_file::{FileView, ProgramKernel, ProgramLanguage, ProgramView};
use warpgrid_paste::binary::{self, BinaryContents, EmbeddedProgram, EmbeddedProgramKind};

/// Opened compiled file, from which hosts get the list of code objects and the text of each code object.
#[derive(Debug)]
pub struct CompiledFile {
    contents: BinaryContents,
}

/// Checks whether the bytes of a file are the contents of a compiled file, not text.
pub fn is_compiled(bytes: &[u8]) -> bool {
    binary::is_binary(bytes)
}

impl CompiledFile {
    /// Opens a compiled file. If the bytes are not a compiled file, the error message describes their actual format.
    pub fn open(bytes: &[u8]) -> Result<CompiledFile, String> {
        let contents = binary::open(bytes)?;
        Ok(CompiledFile { contents })
    }

    /// Returns the contents of the compiled file as plain data.
    pub fn view(&self) -> FileView {
        FileView {
            kind: self.contents.kind.to_owned(),
            programs: self.contents.entries.iter().map(program).collect(),
            notes: self.contents.notes.clone(),
        }
    }

    /// Returns a code object as text. For PTX, the text is the unchanged source. For machine code, the text contains the parts of the code
    /// object that are readable without a disassembler.
    pub fn text(&self, program: usize) -> Option<String> {
        self.contents
            .entries
            .get(program)
            .map(EmbeddedProgram::text)
    }
}

fn program(entry: &EmbeddedProgram) -> ProgramView {
    let plain = || {
        let names = entry.kernels().into_iter();
        names.map(|name| ProgramKernel {
            name,
            facts: Vec::new(),
        })
    };
    let (language, kernels) = match &entry.kind {
        EmbeddedProgramKind::Ptx(_) => (ProgramLanguage::Ptx, plain().collect()),
        EmbeddedProgramKind::Machine(cubin) => {
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
