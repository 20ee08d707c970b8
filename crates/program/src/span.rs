//! Places in a source text.

/// A half-open range of bytes of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// From `start` to `end`, exclusive.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty span at one place.
    pub const fn at(offset: u32) -> Span {
        Span {
            start: offset,
            end: offset,
        }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The text of the span; empty when the span does not fit the source.
    pub fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// A place as people and editors count: both from 1, columns in UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Where each line of a source starts, for turning offsets into positions.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Lines end at `\n`; a `\r` before it belongs to the line.
    pub fn new(source: &str) -> LineIndex {
        let mut starts = vec![0];
        starts.extend(
            source
                .bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(i, _)| i as u32 + 1),
        );
        LineIndex { starts }
    }

    /// Number of lines, at least one.
    pub fn n_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line of an offset, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// The position of a byte offset; offsets past the end give the end.
    pub fn position(&self, source: &str, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(0) as usize;
        let mut end = (offset as usize).clamp(start, source.len().max(start));
        while end > start && !source.is_char_boundary(end) {
            end -= 1;
        }
        let column = source.get(start..end).unwrap_or("").encode_utf16().count() as u32 + 1;
        Position { line, column }
    }

    /// The byte offset where a line (from 1) starts; the end of the source for lines beyond it.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.starts.get(line.checked_sub(1)? as usize).copied()
    }
}
