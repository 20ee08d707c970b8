//! Interned opcodes with their modifiers. Each distinct spelling is split (and checked) once per module.

use crate::tree::name::Symbols;
use warpgrid_program::Span;

/// Distinct spelling of an opcode with its modifiers, represented by an index into [`Mnemonics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MnemonicId(pub u32);

/// Opcode or modifier without its dot, such as `st`, `global`, `L1::evict_last`, `v4` or `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MnemonicToken {
    /// Offset from the start of the mnemonic.
    pub offset: u32,
    pub len: u32,
}

impl MnemonicToken {
    /// Returns the span of the word in a mnemonic that starts at `mnemonic_start`.
    pub const fn span_at(self, mnemonic_start: u32) -> Span {
        let start = mnemonic_start.saturating_add(self.offset);
        Span::new(start, start.saturating_add(self.len))
    }
}

/// Syntax of the operands of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    Plain,
    /// Call: results and arguments in parentheses.
    Call,
    /// Malformed opcode. The parser reports its instructions as errors.
    Malformed,
}

/// Distinct spelling of an opcode with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mnemonic {
    /// Span of the first occurrence. Blanks and comments between the words belong to the spelling.
    pub first: Span,
    words_start: u32,
    words_end: u32,
    pub(crate) grammar: Grammar,
}

impl Mnemonic {
    /// Returns the number of bytes from the opcode to the end of the last modifier.
    pub const fn span_len(&self) -> u32 {
        self.first.end - self.first.start
    }
}

/// Distinct spellings of a source, in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Mnemonics {
    entries: Vec<Mnemonic>,
    words: Vec<MnemonicToken>,
    index: Symbols,
}

impl Mnemonics {
    /// Returns the number of distinct spellings. Valid ids are less than this number.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the source contains no mnemonics.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the ids of all spellings, in the order of their first occurrence.
    pub fn ids(&self) -> impl Iterator<Item = MnemonicId> + use<> {
        (0..self.entries.len() as u32).map(MnemonicId)
    }

    /// Returns the spelling with an id.
    pub fn get(&self, id: MnemonicId) -> Mnemonic {
        self.entries
            .get(id.0 as usize)
            .copied()
            .unwrap_or(Mnemonic {
                first: Span::at(0),
                words_start: 0,
                words_end: 0,
                grammar: Grammar::Malformed,
            })
    }

    /// Returns the syntax of the operands of a spelling.
    #[inline]
    pub(crate) fn grammar(&self, id: MnemonicId) -> Grammar {
        let entry = self.entries.get(id.0 as usize);
        entry.map_or(Grammar::Malformed, |entry| entry.grammar)
    }

    /// Returns the words of a spelling: the opcode, followed by the modifiers in source order.
    pub fn words(&self, id: MnemonicId) -> &[MnemonicToken] {
        let entry = self.get(id);
        self.words
            .get(entry.words_start as usize..entry.words_end as usize)
            .unwrap_or(&[])
    }

    /// Returns the text of each word, such as `["st", "global", "v4", "f32"]`.
    pub fn texts<'t>(
        &'t self,
        source: &'t str,
        id: MnemonicId,
    ) -> impl Iterator<Item = &'t str> + 't {
        let start = self.get(id).first.start;
        self.words(id)
            .iter()
            .map(move |word| word.span_at(start).text(source))
    }

    /// Returns the text of the opcode without modifiers, such as `st`.
    pub fn opcode<'s>(&self, source: &'s str, id: MnemonicId) -> &'s str {
        let start = self.get(id).first.start;
        self.words(id)
            .first()
            .map_or("", |word| word.span_at(start).text(source))
    }

    /// Interns the spelling at `span`. `split` splits a new spelling into words.
    pub(crate) fn intern(
        &mut self,
        source: &[u8],
        span: Span,
        split: impl FnOnce(&mut Vec<MnemonicToken>) -> Grammar,
    ) -> MnemonicId {
        let id = self.index.intern(source, span).0;
        if id as usize == self.entries.len() {
            let words_start = self.words.len() as u32;
            let grammar = split(&mut self.words);
            self.entries.push(Mnemonic {
                first: span,
                words_start,
                words_end: self.words.len() as u32,
                grammar,
            });
        }
        MnemonicId(id)
    }
}
