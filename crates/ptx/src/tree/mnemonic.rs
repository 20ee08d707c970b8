//! Opcodes with their modifiers, interned: each spelling is taken apart (and checked) once a module.

use crate::tree::name::Symbols;
use warpgrid_program::Span;

/// One spelling of an opcode with its modifiers; index into [`Mnemonics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MnemonicId(pub u32);

/// The opcode or a modifier, without its dot: `st`, `global`, `L1::evict_last`, `v4`, `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// From the start of the mnemonic.
    pub offset: u32,
    pub len: u32,
}

impl Word {
    /// The word's place in a mnemonic that starts at `mnemonic_start`.
    pub const fn span_at(self, mnemonic_start: u32) -> Span {
        let start = mnemonic_start.saturating_add(self.offset);
        Span::new(start, start.saturating_add(self.len))
    }
}

/// How the operands after an opcode are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    Plain,
    /// Results and arguments in parentheses.
    Call,
    /// The opcode itself is broken; its instructions are errors.
    Malformed,
}

/// A distinct spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mnemonic {
    /// Where it occurs first. Blanks or comments between the words belong to the spelling.
    pub first: Span,
    words_start: u32,
    words_end: u32,
    pub(crate) grammar: Grammar,
}

impl Mnemonic {
    /// Bytes from the opcode to the end of the last modifier.
    pub const fn span_len(&self) -> u32 {
        self.first.end - self.first.start
    }
}

/// The distinct spellings of a text, in order of first use.
#[derive(Clone, Debug, Default)]
pub struct Mnemonics {
    entries: Vec<Mnemonic>,
    words: Vec<Word>,
    index: Symbols,
}

impl Mnemonics {
    /// Number of distinct spellings; ids run from 0 to here.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All spellings, in order of first use.
    pub fn ids(&self) -> impl Iterator<Item = MnemonicId> + use<> {
        (0..self.entries.len() as u32).map(MnemonicId)
    }

    /// One spelling.
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

    /// How the operands after a spelling are read.
    #[inline]
    pub(crate) fn grammar(&self, id: MnemonicId) -> Grammar {
        let entry = self.entries.get(id.0 as usize);
        entry.map_or(Grammar::Malformed, |entry| entry.grammar)
    }

    /// Opcode first, then the modifiers in text order.
    pub fn words(&self, id: MnemonicId) -> &[Word] {
        let entry = self.get(id);
        self.words
            .get(entry.words_start as usize..entry.words_end as usize)
            .unwrap_or(&[])
    }

    /// The texts of the words: `["st", "global", "v4", "f32"]`.
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

    /// The opcode alone: `st`.
    pub fn opcode<'s>(&self, source: &'s str, id: MnemonicId) -> &'s str {
        let start = self.get(id).first.start;
        self.words(id)
            .first()
            .map_or("", |word| word.span_at(start).text(source))
    }

    /// The spelling at `span`; `split` takes it apart when it is new.
    pub(crate) fn intern(
        &mut self,
        source: &[u8],
        span: Span,
        split: impl FnOnce(&mut Vec<Word>) -> Grammar,
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
