//! Disassembly listing: assembles the statements of the syntax tree into functions with addresses and labels, and sections with their
//! bytes, one part for each architecture of the source.

mod complete;
mod data;
mod info;
pub(crate) mod line_table;
mod schedule;

pub(crate) use complete::complete;
pub(crate) use data::number;
pub use data::{Section, Symbol, SymbolReference};
pub use info::{KernelInfo, ParameterInfo};
pub use schedule::{Schedule, schedule_at, schedule_of};

use crate::syntax::{StatementKind, Tree};
use data::SectionBuilder;
use warpgrid_isa::Target;
use warpgrid_program::Span;

/// Disassembly listing, assembled into one part per architecture.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// One part per architecture, in source order.
    pub parts: Vec<ArchUnit>,
}

/// Code and data for one architecture.
#[derive(Clone, Debug, Default)]
pub struct ArchUnit {
    /// Architecture that the source specifies, or `None` for instructions without a surrounding listing.
    pub target: Option<&'static Target>,
    /// Span of the architecture name in the source.
    pub target_span: Span,
    pub functions: Vec<FunctionCode>,
    pub sections: Vec<Section>,
}

/// Instructions of a function, or of a section with several functions.
#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    /// Name of the function or section. The name is empty for instructions without a surrounding listing.
    pub name: String,
    pub span: Span,
    pub instructions: Vec<AddressedInstruction>,
    /// Names and addresses of labels.
    pub labels: Vec<(String, u64)>,
    /// System functions that the source references, such as `vprintf`, with their assigned addresses.
    pub system: Vec<(String, u64)>,
}

/// Instruction of a listing with its address in the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressedInstruction {
    /// Index into [`Tree::instructions`].
    pub index: u32,
    pub address: u64,
    /// Complete encoding, if the listing contains it.
    pub encoding: Option<u128>,
}

impl FunctionCode {
    /// Returns whether the function contains an instruction with this address.
    pub fn has(&self, address: u64) -> bool {
        let place = self
            .instructions
            .binary_search_by_key(&address, |placed| placed.address);
        place.is_ok() || self.system.iter().any(|(_, at)| *at == address)
    }

    /// Returns the address of a label.
    pub fn label(&self, name: &str) -> Option<u64> {
        let mut labels = self.labels.iter().chain(&self.system);
        let found = labels.find(|(label, _)| label == name);
        found.map(|(_, address)| *address)
    }
}

impl ArchUnit {
    /// Returns the section with this name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

/// Assembles the listing of a source.
pub fn read(tree: &Tree, source: &str) -> Listing {
    let mut lister = ListingBuilder {
        tree,
        source,
        listing: Listing::default(),
        place: ListingContext::Loose,
        reader: SectionBuilder::default(),
        stride: 16,
    };
    for statement in &tree.statements {
        lister.statement(statement.address, statement.span, statement.kind);
    }
    lister.end_section();
    lister
        .listing
        .parts
        .retain(|part| !part.functions.is_empty() || !part.sections.is_empty());
    for part in &mut lister.listing.parts {
        part.functions.retain(|text| !text.instructions.is_empty());
    }
    lister.listing
}

/// Kind of the region that contains the current statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListingContext {
    /// The source contains no header before the current statement.
    Loose,
    /// Function in the output of `cuobjdump`, or section `.text.*`.
    Text,
    /// The following lines belong to a data section.
    Data,
}

struct ListingBuilder<'a> {
    tree: &'a Tree,
    source: &'a str,
    listing: Listing,
    place: ListingContext,
    reader: SectionBuilder,
    /// Distance between instructions in bytes, which determines addresses if the listing contains no addresses.
    stride: u64,
}

impl ListingBuilder<'_> {
    fn part(&mut self) -> &mut ArchUnit {
        if self.listing.parts.is_empty() {
            self.listing.parts.push(ArchUnit::default());
        }
        let last = self.listing.parts.len() - 1;
        &mut self.listing.parts[last]
    }

    fn statement(&mut self, address: Option<u64>, span: Span, kind: StatementKind) {
        match kind {
            StatementKind::Header { key, value } => self.header(key, value),
            StatementKind::Directive { name, arguments } => {
                let arguments = arguments.text(self.source).trim();
                self.directive(name, arguments);
            }
            StatementKind::Label(name) => self.label(name),
            StatementKind::Instruction(index) => self.instruction(index, address, span),
            StatementKind::Encoding(encoding) => {
                // An encoding on a separate line is the upper half of the encoding of the preceding instruction.
                let text = self.part().functions.last_mut();
                let last = text.and_then(|text| text.instructions.last_mut());
                if let Some(low) = last.and_then(|placed| placed.encoding.as_mut())
                    && *low >> 64 == 0
                {
                    *low |= encoding.value << 64;
                }
            }
            StatementKind::Unknown => {}
        }
    }

    fn header(&mut self, key: Span, value: Span) {
        let text = value.text(self.source);
        match key.text(self.source) {
            "Function" => {
                self.end_section();
                self.place = ListingContext::Text;
                let text = FunctionCode {
                    name: text.to_owned(),
                    span: value,
                    ..FunctionCode::default()
                };
                self.part().functions.push(text);
            }
            "code" | "arch" => self.target(text, value),
            _ => {}
        }
    }

    /// Starts a part for an architecture, unless the current part has this architecture.
    fn target(&mut self, name: &str, span: Span) {
        let Some(target) = Target::from_name(name) else {
            return;
        };
        let part = self.part();
        let is_new = part.target.is_some_and(|of| of != target)
            || (part.target.is_none() && !part.functions.is_empty());
        if is_new {
            self.end_section();
            self.place = ListingContext::Loose;
            self.listing.parts.push(ArchUnit::default());
        }
        let part = self.part();
        if part.target.is_none() {
            part.target = Some(target);
            part.target_span = span;
        }
    }

    fn directive(&mut self, name: Span, arguments: &str) {
        let word = name.text(self.source);
        match word {
            ".target" => {
                let first = arguments.split(',').next().unwrap_or("").trim();
                self.target(first, name);
            }
            ".headerflags" => {
                let known = self.part().target;
                if let Some(target) = header_target(arguments, known) {
                    self.target(target.name, name);
                }
            }
            ".section" => {
                self.end_section();
                let section = arguments.split(',').next().unwrap_or("").trim();
                self.begin_section(section, name);
            }
            _ if self.place == ListingContext::Data => self.reader.directive(word, arguments),
            _ => {}
        }
    }

    fn begin_section(&mut self, name: &str, span: Span) {
        match name.strip_prefix(".text.") {
            Some(function) => {
                self.place = ListingContext::Text;
                let text = FunctionCode {
                    name: function.to_owned(),
                    span,
                    ..FunctionCode::default()
                };
                self.part().functions.push(text);
            }
            None => {
                self.place = ListingContext::Data;
                self.reader.begin(name, span);
            }
        }
    }

    fn end_section(&mut self) {
        if let Some(section) = self.reader.end() {
            self.part().sections.push(section);
        }
    }

    fn label(&mut self, name: Span) {
        let name = name.text(self.source).to_owned();
        if self.place == ListingContext::Data {
            self.reader.label(name);
            return;
        }
        let stride = self.stride;
        if let Some(text) = self.part().functions.last_mut() {
            let address = text
                .instructions
                .last()
                .map_or(0, |last| last.address + stride);
            text.labels.push((name, address));
        } else {
            let text = FunctionCode {
                labels: vec![(name, 0)],
                ..FunctionCode::default()
            };
            self.part().functions.push(text);
        }
    }

    fn instruction(&mut self, index: u32, address: Option<u64>, span: Span) {
        if self.place == ListingContext::Data {
            // Data sections contain no code, so this line only resembles an instruction.
            return;
        }
        let encoding = self.tree.instructions.get(index as usize);
        let encoding = encoding
            .and_then(|found| found.encoding)
            .map(|found| found.value);
        let stride = self.stride;
        let part = self.part();
        if part.functions.is_empty() {
            part.functions.push(FunctionCode {
                span,
                ..FunctionCode::default()
            });
        }
        if let Some(text) = part.functions.last_mut() {
            let next = text
                .instructions
                .last()
                .map_or(0, |last| last.address + stride);
            text.instructions.push(AddressedInstruction {
                index,
                address: address.unwrap_or(next),
                encoding,
            });
        }
    }
}

/// Returns the target in the flags of an ELF header, such as `EF_CUDA_SM80`, because listings of CUDA 12 have no `.target` line. The flags
/// do not distinguish variants such as `sm_120f`, so the function returns `None` if the source has already specified the architecture.
pub(crate) fn header_target(flags: &str, known: Option<&Target>) -> Option<&'static Target> {
    let mut words = flags.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let number = words
        .clone()
        .find_map(|word| word.strip_prefix("EF_CUDA_SM"))?;
    let is_accelerated = words.any(|word| word == "EF_CUDA_ACCELERATORS");
    let suffix = if is_accelerated { "a" } else { "" };
    let target = Target::from_name(&format!("sm_{number}{suffix}"))?;
    let is_stated = known.is_some_and(|known| known.sm == target.sm);
    (!is_stated).then_some(target)
}
