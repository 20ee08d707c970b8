//! Spans, positions and line indices of a source.

/// Half-open range of bytes of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Creates the span from `start` to `end`, exclusive.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// Creates the empty span at an offset.
    pub const fn at(offset: u32) -> Span {
        Span {
            start: offset,
            end: offset,
        }
    }

    /// Returns the smallest span that contains both spans.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns the text of the span, or an empty string if the span is not within the source.
    pub fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// Position in the convention of editors: line and column start at 1, and columns count UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

/// Start offset of each line of a source, for the conversion of offsets to positions.
#[derive(Clone, Debug)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Creates the index. Lines end at `\n`; a `\r` before the `\n` belongs to the line.
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

    /// Returns the number of lines, at least one.
    pub fn n_lines(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the line of an offset, counted from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Returns the position of a byte offset. An offset past the end of the source is clamped to the end, and an offset inside a
    /// character to the start of the character.
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

    /// Returns the byte offset of the start of a line (counted from 1), or `None` if the source has no such line.
    pub fn line_start(&self, line: u32) -> Option<u32> {
        self.starts.get(line.checked_sub(1)? as usize).copied()
    }
}
