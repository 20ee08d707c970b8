//! Source map between extracted text and the file that contains it: maps spans of the extracted text to spans of the file.

use crate::span::Span;

/// Segment of the extracted text. A segment ends at the start of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    /// Start offset in the extracted text.
    start: u32,
    /// Span in the file.
    place: Span,
    /// Whether the segment is a byte-by-byte copy of the span. Otherwise, each byte of the segment corresponds to the whole span,
    /// as in an escape sequence.
    is_verbatim: bool,
}

/// Map from positions of the extracted text to positions of the file. The map is total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMap {
    pieces: Vec<Segment>,
}

impl SourceMap {
    /// Returns the file span of a span of the extracted text: from the position of its first byte to the position of its last
    /// byte.
    pub fn span(&self, span: Span) -> Span {
        let start = self.start(span.start);
        if span.end <= span.start {
            return Span::at(start);
        }
        let end = self.end(span.end);
        // The segments of a macro can have any order in the file. If the end precedes the start, use the position of the first
        // byte.
        match end >= start {
            true => Span::new(start, end),
            false => Span::new(start, self.end(span.start + 1).max(start)),
        }
    }

    /// Returns the file position of the byte at an offset.
    fn start(&self, offset: u32) -> u32 {
        match self.piece(offset) {
            Some(piece) if piece.is_verbatim => {
                (piece.place.start + (offset - piece.start)).min(piece.place.end)
            }
            Some(piece) => piece.place.start,
            None => self.pieces.first().map_or(0, |first| first.place.start),
        }
    }

    /// Returns the end of the file position of the byte before an offset.
    fn end(&self, offset: u32) -> u32 {
        let last = offset.saturating_sub(1);
        match self.piece(last) {
            Some(piece) if piece.is_verbatim => {
                (piece.place.start + (last - piece.start) + 1).min(piece.place.end)
            }
            Some(piece) => piece.place.end,
            None => self.start(offset),
        }
    }

    fn piece(&self, offset: u32) -> Option<&Segment> {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// Returns the offset in the extracted text of a file position, or `None` if no segment contains the position.
    pub fn offset_of(&self, place: u32) -> Option<u32> {
        let holds = |piece: &&Segment| piece.place.start <= place && place <= piece.place.end;
        let mut found = self.pieces.iter().filter(holds);
        // At the boundary of two segments, prefer the segment that starts there.
        let first = found.next()?;
        let piece = match first.place.end == place {
            true => found
                .find(|piece| piece.place.start == place)
                .unwrap_or(first),
            false => first,
        };
        Some(match piece.is_verbatim {
            true => piece.start + (place - piece.place.start),
            false => piece.start,
        })
    }

    /// Splits a span of the extracted text at the boundaries of the segments.
    pub fn pieces_of(&self, span: Span) -> impl Iterator<Item = Span> + '_ {
        let first = self
            .pieces
            .partition_point(|piece| piece.start <= span.start);
        let mut index = first.saturating_sub(1);
        std::iter::from_fn(move || {
            let piece = self.pieces.get(index)?;
            if piece.start >= span.end {
                return None;
            }
            let end = self
                .pieces
                .get(index + 1)
                .map_or(u32::MAX, |next| next.start);
            index += 1;
            Some(self.span(Span::new(piece.start.max(span.start), end.min(span.end))))
        })
    }

    /// Composes the map with `outer`, which maps the file to another text that contains it.
    #[must_use]
    pub fn compose(&self, outer: &SourceMap) -> SourceMap {
        let mut through = SourceMap::default();
        for (index, piece) in self.pieces.iter().enumerate() {
            if !piece.is_verbatim {
                through.pieces.push(Segment {
                    place: outer.span(piece.place),
                    ..*piece
                });
                continue;
            }
            let next = self
                .pieces
                .get(index + 1)
                .map_or(u32::MAX, |next| next.start);
            let length = (piece.place.end - piece.place.start).min(next - piece.start);
            through.copy(
                outer,
                piece.start,
                Span::new(piece.place.start, piece.place.start + length),
            );
        }
        through
    }

    /// Adds the segments of `outer` that a verbatim segment overlaps.
    fn copy(&mut self, outer: &SourceMap, start: u32, from: Span) {
        let first = outer
            .pieces
            .partition_point(|piece| piece.start <= from.start);
        let mut index = first.saturating_sub(1);
        while let Some(piece) = outer
            .pieces
            .get(index)
            .filter(|piece| piece.start < from.end)
        {
            let end = outer
                .pieces
                .get(index + 1)
                .map_or(u32::MAX, |next| next.start);
            let stretch = Span::new(piece.start.max(from.start), end.min(from.end));
            self.pieces.push(Segment {
                start: start + (stretch.start - from.start),
                place: outer.span(stretch),
                is_verbatim: piece.is_verbatim,
            });
            index += 1;
        }
    }
}

/// Extracted text with the map to the file that contains it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MappedSource {
    pub text: String,
    pub map: SourceMap,
}

impl MappedSource {
    /// Checks whether the line breaks of the extracted text are line breaks of the file and not, for example, escape sequences.
    pub fn keeps_line_breaks(&self) -> bool {
        let mut breaks = self.text.match_indices('\n');
        breaks.all(|(at, _)| {
            let piece = self.map.piece(at as u32);
            piece.is_some_and(|piece| piece.is_verbatim)
        })
    }

    /// Appends a verbatim copy of text that starts at `start` in the file.
    pub fn copy(&mut self, text: &str, start: u32) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len() as u32;
        self.text.push_str(text);
        let end = start + text.len() as u32;
        // Merge the copy with the last segment if the copy starts at the end of that segment.
        if let Some(last) = self.map.pieces.last_mut()
            && last.is_verbatim
            && last.place.end == start
            && at - last.start == last.place.end - last.place.start
        {
            last.place.end = end;
            return;
        }
        self.map.pieces.push(Segment {
            start: at,
            place: Span::new(start, end),
            is_verbatim: true,
        });
    }

    /// Appends text that replaces a span of the file: an escape sequence, or the name of an operand.
    pub fn stand_in(&mut self, text: &str, place: Span) {
        if text.is_empty() {
            return;
        }
        self.map.pieces.push(Segment {
            start: self.text.len() as u32,
            place,
            is_verbatim: false,
        });
        self.text.push_str(text);
    }

    /// Appends a span of another extracted text, with its positions.
    pub fn append(&mut self, other: &MappedSource, span: Span) {
        let at = self.text.len() as u32;
        self.text.push_str(span.text(&other.text));
        if span.start < span.end {
            self.map.copy(&other.map, at, span);
        }
    }

    /// Returns the same text with positions in the text to which `outer` maps.
    #[must_use]
    pub fn compose(self, outer: &SourceMap) -> MappedSource {
        MappedSource {
            map: self.map.compose(outer),
            text: self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decoded form of `ab\n%0` in a string literal that starts at offset 10.
    fn decoded() -> MappedSource {
        let mut origin = MappedSource::default();
        origin.copy("ab", 10);
        origin.stand_in("\n", Span::new(12, 14));
        origin.stand_in("first", Span::new(14, 16));
        origin.copy(";", 16);
        origin
    }

    #[test]
    fn extracted_spans_map_to_file_spans_and_back() {
        assert!(!decoded().keeps_line_breaks());
        let MappedSource { text, map } = decoded();
        assert_eq!(text, "ab\nfirst;");
        let place = |start, end| map.span(Span::new(start, end));
        assert_eq!(place(0, 2), Span::new(10, 12));
        assert_eq!(place(1, 3), Span::new(11, 14));
        assert_eq!(place(3, 8), Span::new(14, 16));
        assert_eq!(place(4, 5), Span::new(14, 16));
        assert_eq!(place(8, 9), Span::new(16, 17));
        assert_eq!(place(8, 99), Span::new(16, 17));
        assert_eq!(map.offset_of(11), Some(1));
        assert_eq!(map.offset_of(14), Some(3));
        assert_eq!(map.offset_of(9), None);
    }

    #[test]
    fn composed_map_translates_spans_through_both_maps() {
        // The file is itself the contents of a string literal with an escape sequence: `xyz` is `x\ty` at 100.
        let mut outer = MappedSource::default();
        outer.copy("0123456789a", 100);
        outer.stand_in("b", Span::new(111, 113));
        outer.copy("cdef0", 113);
        let inner = decoded().compose(&outer.map);
        let place = |start, end| inner.map.span(Span::new(start, end));
        assert_eq!(place(0, 1), Span::new(110, 111));
        assert_eq!(place(0, 2), Span::new(110, 113));
        assert_eq!(place(3, 8), Span::new(115, 117));
    }
}
