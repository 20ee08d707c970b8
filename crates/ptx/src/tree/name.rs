//! Names as pairs of an interned stem and a trailing decimal number.
//!
//! The name `%r12` consists of the stem `%r` and the number 12. A module with 10,000 registers therefore has only a few symbols, and the
//! checker looks up a register by a vector index instead of the hash of its text.

use warpgrid_program::Span;

/// Interned stem, represented by an index into [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// Name. Two names of the same parse are equal if and only if their texts are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    pub stem: Symbol,
    /// Trailing number of the name if its spelling is canonical (no leading zero, at most nine digits). Otherwise
    /// [`Name::NO_NUMBER`], and the digits are part of the stem.
    pub number: u32,
}

impl Name {
    /// Value of the field `number` for a name whose stem is the whole text.
    pub const NO_NUMBER: u32 = u32::MAX;

    /// Returns the trailing number, if any.
    pub const fn number(self) -> Option<u32> {
        if self.number == Name::NO_NUMBER {
            None
        } else {
            Some(self.number)
        }
    }
}

/// Distinct stems of a source, in the order of their first occurrence.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// Span of the first occurrence of each stem.
    spans: Vec<Span>,
    /// Hash table with open addressing. The number of slots is a power of two.
    slots: Vec<Slot>,
}

/// Slot of the hash table.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: Key,
    /// One plus the index of the symbol, or 0 for a free slot.
    symbol: u32,
}

/// Key of a text in the hash table, which allows fast comparisons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Key {
    /// First eight bytes of the text, padded with zeros. For a text of more than 16 bytes, a hash.
    head: u64,
    /// Last eight bytes of the text if the text has 9 to 16 bytes.
    tail: u64,
    len: u32,
}

impl Key {
    /// Returns whether equal keys imply equal texts.
    const fn is_exact(self) -> bool {
        self.len <= 16
    }

    /// Returns the hash of the key. The caller masks the hash to obtain the index of a slot.
    #[inline]
    const fn place(self) -> usize {
        let mixed = self.head ^ self.tail.rotate_left(29);
        let product = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (product >> 32 ^ product >> 52) as usize
    }

    fn of(text: &[u8]) -> Key {
        let chunks = (text.first_chunk::<8>(), text.last_chunk::<8>());
        let (head, tail) = match (text.len(), chunks) {
            (..=8, _) => {
                let bytes = text.iter().rev();
                (bytes.fold(0, |head, byte| head << 8 | u64::from(*byte)), 0)
            }
            (..=16, (Some(first), Some(last))) => {
                (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
            }
            _ => (hash(text), 0),
        };
        Key {
            head,
            tail,
            len: text.len() as u32,
        }
    }

    /// Returns the key of the text at `span`.
    #[inline]
    fn at(source: &[u8], span: Span) -> Key {
        let (start, len) = (span.start as usize, (span.end - span.start) as usize);
        if (1..=8).contains(&len)
            && let Some(chunk) = source
                .get(start..start + 8)
                .and_then(|s| s.first_chunk::<8>())
        {
            return Key {
                head: u64::from_le_bytes(*chunk) & (u64::MAX >> (64 - 8 * len)),
                tail: 0,
                len: len as u32,
            };
        }
        Key::of(bytes(source, span))
    }
}

impl Symbols {
    /// Returns the number of distinct stems.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether the source contains no names.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the span of the first occurrence of a stem.
    pub fn span(&self, symbol: Symbol) -> Span {
        self.spans
            .get(symbol.0 as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Returns the text of a stem.
    pub fn text<'s>(&self, source: &'s str, symbol: Symbol) -> &'s str {
        self.span(symbol).text(source)
    }

    /// Returns the symbol with this text, or `None` if the text is not a stem of the source.
    pub fn find(&self, source: &str, text: &str) -> Option<Symbol> {
        let key = Key::of(text.as_bytes());
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = key.place() & mask;
        loop {
            let slot = *self.slots.get(at)?;
            let symbol = Symbol(slot.symbol.checked_sub(1)?);
            if slot.key == key && (key.is_exact() || self.text(source, symbol) == text) {
                return Some(symbol);
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns the name with this text. The text is split in the same way as the names of the source.
    pub fn find_name(&self, source: &str, text: &str) -> Option<Name> {
        let (stem, number) = split(text.as_bytes());
        Some(Name {
            stem: self.find(source, text.get(..stem)?)?,
            number,
        })
    }

    /// Interns the name at `span`.
    #[inline]
    pub(crate) fn intern_name(&mut self, source: &[u8], span: Span) -> Name {
        let (stem, number) = split(bytes(source, span));
        let stem = Span::new(span.start, span.start + stem as u32);
        Name {
            stem: self.intern(source, stem),
            number,
        }
    }

    /// Interns the name at `span`. The lexer has determined that its last non-digit character ends at `stem_end`.
    #[inline]
    pub(crate) fn intern_split_name(&mut self, source: &[u8], span: Span, stem_end: u32) -> Name {
        let digits = bytes(source, Span::new(stem_end, span.end));
        let (stem_end, number) = match digits {
            [] => (span.end, Name::NO_NUMBER),
            [b'0', _, ..] => (span.end, Name::NO_NUMBER),
            digits if digits.len() > 9 => (span.end, Name::NO_NUMBER),
            digits => (stem_end, value(digits)),
        };
        Name {
            stem: self.intern(source, Span::new(span.start, stem_end)),
            number,
        }
    }

    /// Interns the stem at `span`.
    #[inline]
    pub(crate) fn intern(&mut self, source: &[u8], span: Span) -> Symbol {
        let key = Key::at(source, span);
        let first = key.place() & self.slots.len().wrapping_sub(1);
        match self.slots.get(first) {
            // A free slot has the same key as an empty text, so the symbol must also be checked.
            Some(slot) if slot.key == key && key.is_exact() && slot.symbol != 0 => {
                Symbol(slot.symbol - 1)
            }
            _ => self.intern_from(first, key, source, span),
        }
    }

    /// Continues the lookup at slot `at` after the fast path has failed.
    #[inline(never)]
    fn intern_from(&mut self, mut at: usize, key: Key, source: &[u8], span: Span) -> Symbol {
        let mask = self.slots.len().wrapping_sub(1);
        while let Some(slot) = self.slots.get(at) {
            if slot.symbol == 0 {
                break;
            }
            if slot.key == key && (key.is_exact() || self.same(source, slot.symbol, span)) {
                return Symbol(slot.symbol - 1);
            }
            at = (at + 1) & mask;
        }
        self.add(key, span)
    }

    fn same(&self, source: &[u8], symbol: u32, span: Span) -> bool {
        let known = self.spans.get(symbol as usize - 1).copied();
        bytes(source, known.unwrap_or_default()) == bytes(source, span)
    }

    /// Adds a stem that the table does not contain.
    #[cold]
    fn add(&mut self, key: Key, span: Span) -> Symbol {
        if self.slots.len() < (self.spans.len() + 1) * 2 {
            self.grow();
        }
        self.spans.push(span);
        let symbol = self.spans.len() as u32;
        self.put(Slot { key, symbol });
        Symbol(symbol - 1)
    }

    /// Stores an entry in the first free slot of its probe sequence.
    fn put(&mut self, entry: Slot) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = entry.key.place() & mask;
        while self.slots.get(at).is_some_and(|slot| slot.symbol != 0) {
            at = (at + 1) & mask;
        }
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = entry;
        }
    }

    fn grow(&mut self) {
        let n_slots = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); n_slots]);
        for entry in old.into_iter().filter(|entry| entry.symbol != 0) {
            self.put(entry);
        }
    }
}

/// Splits a name into the length of its stem and its trailing number.
pub(crate) fn split(text: &[u8]) -> (usize, u32) {
    let mut start = text.len();
    while start > 0 && text.get(start - 1).is_some_and(u8::is_ascii_digit) {
        start -= 1;
    }
    let digits = text.get(start..).unwrap_or(&[]);
    let leading_zero = digits.len() > 1 && digits.first() == Some(&b'0');
    if start == 0 || digits.is_empty() || digits.len() > 9 || leading_zero {
        return (text.len(), Name::NO_NUMBER);
    }
    (start, value(digits))
}

/// Converts at most nine decimal digits to a number.
#[inline]
fn value(digits: &[u8]) -> u32 {
    let digits = digits.iter().map(|digit| u32::from(digit - b'0'));
    digits.fold(0, |number, digit| number * 10 + digit)
}

fn bytes(source: &[u8], span: Span) -> &[u8] {
    source
        .get(span.start as usize..span.end as usize)
        .unwrap_or(&[])
}

/// Computes a fast hash of a text: multiplies and folds eight bytes at a time.
fn hash(text: &[u8]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut h: u64 = text.len() as u64;
    let (chunks, rest) = text.as_chunks::<8>();
    for chunk in chunks {
        h = (h.rotate_left(23) ^ u64::from_le_bytes(*chunk)).wrapping_mul(K);
    }
    let mut tail = 0u64;
    for byte in rest {
        tail = tail << 8 | u64::from(*byte);
    }
    (h.rotate_left(23) ^ tail).wrapping_mul(K)
}
