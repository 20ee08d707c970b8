//! Where a text comes from that was taken out of another one: pieces of it go in, and for each of its places the place in the whole text
//! comes out.

use crate::span::Span;

/// A stretch of a part, up to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// Where it begins in the part.
    start: u32,
    /// Its place in the whole.
    place: Span,
    /// Whether it is that text byte by byte; otherwise all of it means all of the place, as an escape does.
    is_verbatim: bool,
}

/// From the places of a part to those of the whole. Every place of the part has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceMap {
    pieces: Vec<Piece>,
}

impl PlaceMap {
    /// The place of a stretch of the part: from where its first byte comes from to where its last one does.
    pub fn span(&self, span: Span) -> Span {
        let start = self.start(span.start);
        if span.end <= span.start {
            return Span::at(start);
        }
        let end = self.end(span.end);
        // Pieces of a macro may lie anywhere: then the place of the first byte is that of all.
        match end >= start {
            true => Span::new(start, end),
            false => Span::new(start, self.end(span.start + 1).max(start)),
        }
    }

    /// The place of the byte at an offset.
    fn start(&self, offset: u32) -> u32 {
        match self.piece(offset) {
            Some(piece) if piece.is_verbatim => {
                (piece.place.start + (offset - piece.start)).min(piece.place.end)
            }
            Some(piece) => piece.place.start,
            None => self.pieces.first().map_or(0, |first| first.place.start),
        }
    }

    /// The end of the place of the byte before an offset.
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

    fn piece(&self, offset: u32) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= offset);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// The offset in the part of a place in the whole; `None` where no piece comes from there.
    pub fn offset_of(&self, place: u32) -> Option<u32> {
        let holds = |piece: &&Piece| piece.place.start <= place && place <= piece.place.end;
        let mut found = self.pieces.iter().filter(holds);
        // At the border of two the later one goes on.
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

    /// The stretches of a span of the part with their places, each of one piece.
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

    /// The map into the text that the whole was taken out of.
    #[must_use]
    pub fn through(&self, outer: &PlaceMap) -> PlaceMap {
        let mut through = PlaceMap::default();
        for (index, piece) in self.pieces.iter().enumerate() {
            if !piece.is_verbatim {
                through.pieces.push(Piece {
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

    /// Adds the pieces of an outer map that a verbatim stretch spans.
    fn copy(&mut self, outer: &PlaceMap, start: u32, from: Span) {
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
            self.pieces.push(Piece {
                start: start + (stretch.start - from.start),
                place: outer.span(stretch),
                is_verbatim: piece.is_verbatim,
            });
            index += 1;
        }
    }
}

/// A text that was taken out of another one, with the map back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub text: String,
    pub map: PlaceMap,
}

impl Origin {
    /// Checks whether the line breaks of the text are line breaks of the whole text and not, for example, escape sequences.
    pub fn keeps_line_breaks(&self) -> bool {
        let mut breaks = self.text.match_indices('\n');
        breaks.all(|(at, _)| {
            let piece = self.map.piece(at as u32);
            piece.is_some_and(|piece| piece.is_verbatim)
        })
    }

    /// Adds a stretch of the whole text as it is there, at `start`.
    pub fn copy(&mut self, text: &str, start: u32) {
        if text.is_empty() {
            return;
        }
        let at = self.text.len() as u32;
        self.text.push_str(text);
        let end = start + text.len() as u32;
        // A stretch that goes on where the last one ends is one with it.
        if let Some(last) = self.map.pieces.last_mut()
            && last.is_verbatim
            && last.place.end == start
            && at - last.start == last.place.end - last.place.start
        {
            last.place.end = end;
            return;
        }
        self.map.pieces.push(Piece {
            start: at,
            place: Span::new(start, end),
            is_verbatim: true,
        });
    }

    /// Adds what replaces a place of the whole text: an escape, or the name of an operand.
    pub fn stand_in(&mut self, text: &str, place: Span) {
        if text.is_empty() {
            return;
        }
        self.map.pieces.push(Piece {
            start: self.text.len() as u32,
            place,
            is_verbatim: false,
        });
        self.text.push_str(text);
    }

    /// Adds a stretch of another origin, with its places.
    pub fn append(&mut self, other: &Origin, span: Span) {
        let at = self.text.len() as u32;
        self.text.push_str(span.text(&other.text));
        if span.start < span.end {
            self.map.copy(&other.map, at, span);
        }
    }

    /// This text in terms of the text that the whole was taken out of.
    #[must_use]
    pub fn through(self, outer: &PlaceMap) -> Origin {
        Origin {
            map: self.map.through(outer),
            text: self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `ab\n%0` as it is in a string that begins at 10.
    fn decoded() -> Origin {
        let mut origin = Origin::default();
        origin.copy("ab", 10);
        origin.stand_in("\n", Span::new(12, 14));
        origin.stand_in("first", Span::new(14, 16));
        origin.copy(";", 16);
        origin
    }

    #[test]
    fn places_lead_back_to_the_whole() {
        assert!(!decoded().keeps_line_breaks());
        let Origin { text, map } = decoded();
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
    fn a_map_leads_through_another_one() {
        // The whole is itself a string with an escape in it: `xyz` is `x\ty` at 100.
        let mut outer = Origin::default();
        outer.copy("0123456789a", 100);
        outer.stand_in("b", Span::new(111, 113));
        outer.copy("cdef0", 113);
        let inner = decoded().through(&outer.map);
        let place = |start, end| inner.map.span(Span::new(start, end));
        assert_eq!(place(0, 1), Span::new(110, 111));
        assert_eq!(place(0, 2), Span::new(110, 113));
        assert_eq!(place(3, 8), Span::new(115, 117));
    }
}
