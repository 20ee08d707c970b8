//! Host sources: detects the language, and extracts the inline assembly blocks with their names.

use crate::block::AsmBlock;
use crate::calls::{csharp, julia};
use crate::parsed_block::ParsedAsmBlock;
use crate::{cpp, python};
use std::collections::BTreeMap;
use warpgrid_program::container::{ContainerFormat, has_csharp_assembly, has_julia_assembly};

/// Language of a host source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    Cpp,
    Python,
    Julia,
    CSharp,
}

impl HostLanguage {
    /// Returns the name of the language for messages.
    pub const fn name(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "C++",
            HostLanguage::Python => "Python",
            HostLanguage::Julia => "Julia",
            HostLanguage::CSharp => "C#",
        }
    }

    /// Returns the characters that start a line comment in the language.
    pub const fn line_comment(self) -> &'static str {
        match self {
            HostLanguage::Cpp | HostLanguage::CSharp => "//",
            HostLanguage::Python | HostLanguage::Julia => "#",
        }
    }
}

/// Host source with its asm blocks.
#[derive(Clone, Debug)]
pub struct HostSource {
    pub language: HostLanguage,
    blocks: Vec<(String, ParsedAsmBlock)>,
}

/// Values that are tried for unknown constants, in this order.
pub(crate) const CHOICES: &[i64] = &[1, 16, 0, 4, 8, 2, 32, 64, 128, -1];

impl HostSource {
    /// Parses a source. Returns `None` if it contains no inline assembly.
    pub fn read(source: &str) -> Option<HostSource> {
        if ContainerFormat::of_source(source) != Some(ContainerFormat::HostSource) {
            return None;
        }
        let language = match python::is_python(source) {
            true => HostLanguage::Python,
            false => HostLanguage::Cpp,
        };
        // Comments and strings in C++ and Python may contain calls of the other languages.
        let candidates = [
            has_julia_assembly(source).then_some(HostLanguage::Julia),
            has_csharp_assembly(source).then_some(HostLanguage::CSharp),
            Some(language),
        ];
        candidates.into_iter().flatten().find_map(|language| {
            let raw = raw_blocks(source, language);
            (!raw.is_empty()).then(|| HostSource {
                language,
                blocks: named(raw),
            })
        })
    }

    /// Returns the number of asm blocks, which is at least one.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns an asm block. `choices` are the values of its unknown constants in order, and the last value applies to all further
    /// constants.
    pub fn block(&self, index: usize, choices: &[i64]) -> Option<AsmBlock> {
        let (name, raw) = self.blocks.get(index)?;
        Some(raw.resolve_operands(name.clone(), choices))
    }
}

/// Returns the asm blocks of a source in one language, in source order.
fn raw_blocks(source: &str, language: HostLanguage) -> Vec<ParsedAsmBlock> {
    let mut raw = match language {
        HostLanguage::Python => python::blocks(source),
        HostLanguage::Cpp => cpp::blocks(source),
        HostLanguage::Julia => julia::blocks(source),
        HostLanguage::CSharp => csharp::blocks(source),
    };
    raw.retain(|block| !block.template.text.trim().is_empty() || !block.unknown.is_empty());
    raw.sort_by_key(|block| block.word.start);
    raw
}

/// Assigns unique names to asm blocks: the name of the function, followed by a number from the second block of the function on.
fn named(blocks: Vec<ParsedAsmBlock>) -> Vec<(String, ParsedAsmBlock)> {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let all = blocks.into_iter().map(|block| {
        let count = counts.entry(block.function.clone()).or_insert(0);
        *count += 1;
        let name = match count {
            1 => block.function.clone(),
            n => format!("{}#{n}", block.function),
        };
        (name, block)
    });
    all.collect()
}
