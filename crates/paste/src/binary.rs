//! Reader of compiled files: cubins, fatbins, host object files and executables. The reader extracts the PTX and the machine code, with the
//! kernel properties that the compiler recorded. Because the file contents are untrusted, the reader validates sizes and offsets, and
//! limits the decompressed size. The module also writes objects that contain PTX ([`write_object`]).

mod cubin;
mod cubin_summary;
mod elf;
mod fatbin;
mod lz4;
mod object;
mod reader;

pub use cubin::{Cubin, Kernel, Section};
pub use object::{ObjectKind, write_object};
pub use warpgrid_isa::sass::nv_info::ParameterInfo;

/// Maximum size of a file in bytes.
pub const MAX_FILE_BYTES: usize = 512 << 20;
/// Maximum decompressed size in bytes of one entry, and of all entries together.
const MAX_ENTRY_BYTES: usize = 64 << 20;
const MAX_ALL_BYTES: usize = 256 << 20;
/// Maximum number of entries that the reader extracts from one file.
const MAX_ENTRIES: usize = 4096;

/// Contents of a compiled file: its kind, its code objects, and notes on unreadable parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BinaryContents {
    /// Kind of the file: `cubin`, `object with PTX`, `fatbin`, or a file that contains fatbins.
    pub kind: &'static str,
    pub entries: Vec<EmbeddedProgram>,
    /// Sentences that explain why parts of the file cannot be read.
    pub notes: Vec<String>,
}

/// Code object in a compiled file, which is PTX or a cubin, with the properties that the file records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedProgram {
    pub kind: EmbeddedProgramKind,
    /// Target of the code, such as `sm_90`. For PTX, the module header specifies the target.
    pub target: Option<String>,
    /// Name of the source file that the compiler recorded.
    pub source_name: Option<String>,
    /// Compression format of the entry: `zstd` or `LZ4`.
    pub packed: Option<&'static str>,
    /// Size of the entry after decompression in bytes.
    pub n_bytes: usize,
}

/// Contents of an [`EmbeddedProgram`]: a PTX source, or a cubin with machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EmbeddedProgramKind {
    Ptx(String),
    Machine(Box<Cubin>),
}

impl EmbeddedProgram {
    /// Returns the names of the kernels in the code object.
    pub fn kernels(&self) -> Vec<String> {
        match &self.kind {
            EmbeddedProgramKind::Ptx(text) => entries_of(text),
            EmbeddedProgramKind::Machine(cubin) => {
                let kernels = cubin.kernels.iter();
                kernels.map(|kernel| kernel.name.clone()).collect()
            }
        }
    }

    /// Returns the code object as text. The text is the unchanged PTX, or a summary of the machine code that requires no disassembler.
    pub fn text(&self) -> String {
        match &self.kind {
            EmbeddedProgramKind::Ptx(text) => text.clone(),
            EmbeddedProgramKind::Machine(cubin) => cubin_summary::listing(cubin),
        }
    }
}

/// Checks whether a file may be a compiled file and not a text file.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(elf::MAGIC) || fatbin::find(bytes, 0).is_some()
}

/// Reads the contents of a compiled file. The error is a message that describes the detected format.
pub fn open(bytes: &[u8]) -> Result<BinaryContents, String> {
    if bytes.len() > MAX_FILE_BYTES {
        let most = MAX_FILE_BYTES >> 20;
        return Err(format!("the file is larger than {most} MiB"));
    }
    if cubin::is_cubin(bytes) {
        let entries = programs_of_elf(bytes)?;
        let is_ptx = |entry: &EmbeddedProgram| matches!(entry.kind, EmbeddedProgramKind::Ptx(_));
        return Ok(BinaryContents {
            kind: match entries.iter().any(is_ptx) {
                true => "object with PTX",
                false => "cubin",
            },
            entries,
            notes: Vec::new(),
        });
    }
    let mut contents = BinaryContents {
        kind: match (bytes.starts_with(elf::MAGIC), fatbin::find(bytes, 0)) {
            (_, Some(0)) => "fatbin",
            (true, _) => "object or program with fatbins",
            (false, _) => "file with fatbins",
        },
        ..BinaryContents::default()
    };
    let mut at = 0;
    let mut left = MAX_ALL_BYTES;
    while let Some(start) = fatbin::find(bytes, at) {
        let end = fatbin::read(bytes, start, &mut left, &mut contents);
        at = end.max(start + 8);
        if contents.entries.len() >= MAX_ENTRIES {
            contents.notes.push(format!(
                "only the first {MAX_ENTRIES} code objects are listed"
            ));
            break;
        }
    }
    match contents.entries.is_empty() && contents.notes.is_empty() {
        true => Err(nothing_in(bytes)),
        false => Ok(contents),
    }
}

/// Returns the code objects of an ELF file with GPU code: the PTX modules of an object with PTX, or the machine code of a cubin.
fn programs_of_elf(bytes: &[u8]) -> Result<Vec<EmbeddedProgram>, String> {
    let program = |kind, target, n_bytes| EmbeddedProgram {
        kind,
        target,
        source_name: None,
        packed: None,
        n_bytes,
    };
    let modules = object::modules(bytes).into_iter();
    let modules = modules.map(|text| {
        let (target, n_bytes) = (fatbin::stated_target(&text), text.len());
        program(EmbeddedProgramKind::Ptx(text), target, n_bytes)
    });
    let programs: Vec<_> = modules.collect();
    if !programs.is_empty() {
        return Ok(programs);
    }
    let cubin = Cubin::read(bytes)?;
    let target = Some(cubin.target.clone());
    let kind = EmbeddedProgramKind::Machine(Box::new(cubin));
    Ok(vec![program(kind, target, bytes.len())])
}

fn nothing_in(bytes: &[u8]) -> String {
    match bytes.starts_with(elf::MAGIC) {
        true => "the file contains no GPU code, because it has no section `.nv_fatbin`".to_owned(),
        false => {
            "the file is not a text file, a cubin, a fatbin, or a program with a fatbin".to_owned()
        }
    }
}

/// Returns the names of the kernels of a PTX source.
fn entries_of(text: &str) -> Vec<String> {
    let found = text.match_indices(".entry").filter_map(|(at, word)| {
        let rest = text[at + word.len()..].trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        (end > 0).then(|| rest[..end].to_owned())
    });
    found.take(MAX_ENTRIES).collect()
}
