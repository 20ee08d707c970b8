//! Source code with inline assembly: a text goes in; its language, and its blocks with their names, come out.

use crate::block::Block;
use crate::calls::{csharp, julia};
use crate::raw::RawBlock;
use crate::{cpp, python};
use std::collections::BTreeMap;
use warpgrid_program::wrapped::{Wrapping, has_csharp_assembly, has_julia_assembly};

/// The language around the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    Cpp,
    Python,
    Julia,
    CSharp,
}

impl HostLanguage {
    /// As a sentence names it.
    pub const fn name(self) -> &'static str {
        match self {
            HostLanguage::Cpp => "C++",
            HostLanguage::Python => "Python",
            HostLanguage::Julia => "Julia",
            HostLanguage::CSharp => "C#",
        }
    }

    /// What starts a comment that ends with its line.
    pub const fn line_comment(self) -> &'static str {
        match self {
            HostLanguage::Cpp | HostLanguage::CSharp => "//",
            HostLanguage::Python | HostLanguage::Julia => "#",
        }
    }
}

/// A text with the blocks in it.
#[derive(Clone, Debug)]
pub struct HostText {
    pub language: HostLanguage,
    blocks: Vec<(String, RawBlock)>,
}

/// Numbers that are tried for constants that the text does not say, in order.
pub(crate) const CHOICES: &[i64] = &[1, 16, 0, 4, 8, 2, 32, 64, 128, -1];

impl HostText {
    /// Reads a text; `None` where it has no inline assembly.
    pub fn read(source: &str) -> Option<HostText> {
        if Wrapping::of_source(source) != Some(Wrapping::Code) {
            return None;
        }
        let language = match python::is_python(source) {
            true => HostLanguage::Python,
            false => HostLanguage::Cpp,
        };
        // A comment or a string of C++ and Python may name the calls of the other languages.
        let candidates = [
            has_julia_assembly(source).then_some(HostLanguage::Julia),
            has_csharp_assembly(source).then_some(HostLanguage::CSharp),
            Some(language),
        ];
        candidates.into_iter().flatten().find_map(|language| {
            let raw = raw_blocks(source, language);
            (!raw.is_empty()).then(|| HostText {
                language,
                blocks: named(raw),
            })
        })
    }

    /// How many blocks there are; at least one.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// A block; `choices` are the numbers of constants that the text does not say, in order. The last one is that of all further ones.
    pub fn block(&self, index: usize, choices: &[i64]) -> Option<Block> {
        let (name, raw) = self.blocks.get(index)?;
        Some(raw.understood(name.clone(), choices))
    }
}

/// Reads the blocks of a text in one language, in text order.
fn raw_blocks(source: &str, language: HostLanguage) -> Vec<RawBlock> {
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

/// Blocks with names of their own: that of the function, with a number from the second one on.
fn named(blocks: Vec<RawBlock>) -> Vec<(String, RawBlock)> {
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
