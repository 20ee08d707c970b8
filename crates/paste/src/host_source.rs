//! Host sources with inline assembly. The module detects the host language, and extracts the inline assembly blocks with their names.

use crate::assembly_language::retain_ptx;
use crate::block::AsmBlock;
use crate::calls::{csharp, julia, rust};
use crate::parsed_block::ParsedAsmBlock;
use crate::split_scope::complete_split_scopes;
use crate::{cpp, python};
use std::collections::BTreeMap;
use warpgrid_program::container::{
    ContainerFormat, has_csharp_assembly, has_julia_assembly, has_rust_assembly,
};

pub use warpgrid_program::container::HostLanguage;

/// Host source with its language and its asm blocks, whose operands are resolved on request.
#[derive(Clone, Debug)]
pub struct HostSource {
    pub language: HostLanguage,
    blocks: Vec<(String, ParsedAsmBlock)>,
}

impl HostSource {
    /// Parses a source. Returns `None` if the source contains no inline assembly.
    pub fn read(source: &str) -> Option<HostSource> {
        if ContainerFormat::of_source(source) != Some(ContainerFormat::HostSource) {
            return None;
        }
        let language = match python::is_python(source) {
            true => HostLanguage::Python,
            false => HostLanguage::Cpp,
        };
        // Select the first language in which the source contains an asm block. The detection of Julia, C# and Rust is not sufficient, because
        // comments and strings in C++ and Python may contain calls of these languages.
        let candidates = [
            has_rust_assembly(source).then_some(HostLanguage::Rust),
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

    /// Parses a source whose language is known. The result contains no asm block if the source contains no PTX.
    pub fn read_as(source: &str, language: HostLanguage) -> HostSource {
        let mut blocks = match language.may_contain_assembly(source) {
            true => raw_blocks(source, language),
            false => Vec::new(),
        };
        retain_ptx(source, &mut blocks);
        HostSource {
            language,
            blocks: named(blocks),
        }
    }

    /// Returns the number of asm blocks.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the asm block at `index`. `choices` are the values of the unknown constants in order. The last value also applies to all
    /// further unknown constants.
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
        HostLanguage::Rust => rust::blocks(source),
    };
    raw.retain(|block| !block.template.text.trim().is_empty() || !block.unknown.is_empty());
    raw.sort_by_key(|block| block.word.start);
    complete_split_scopes(&mut raw);
    raw
}

/// Assigns unique names to asm blocks. The name of a block is the name of its enclosing function. From the second block of a function on, a
/// number follows the name.
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
