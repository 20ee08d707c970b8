//! Positions of the chunks of a tensor copy. The diagram represents shared memory in lines of 128 bytes, and each 16-byte chunk contains
//! its coordinates.

use super::DisplayList;
use super::display_list::{Line, line_plan};
use warpgrid_view::model::{TensorCopyView, TensorPieceView};

/// Size in bytes of a shared memory line.
const LINE_BYTES: u64 = 128;
/// Size in bytes of a chunk.
const PIECE_BYTES: u64 = 16;
/// Width in pixels of a character of a label.
const LETTER: f64 = 6.0;

/// Arrangement of the chunks in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    Swizzled,
    /// Arrangement that the chunks would have without the swizzle.
    Linear,
}

/// Returns the diagram of a tile with a width of `available` pixels. The color of a chunk is determined by its unswizzled position in its
/// line. A chunk that is partly or completely out of bounds is hatched.
pub fn tile_plan(copy: &TensorCopyView, arrangement: Arrangement, available: f64) -> DisplayList {
    let place = |piece: &TensorPieceView| match arrangement {
        Arrangement::Swizzled => piece.shared,
        Arrangement::Linear => piece.unswizzled_offset,
    };
    let boxes: Vec<(usize, u64, u8)> = copy
        .pieces
        .iter()
        .enumerate()
        .map(|(cell, piece)| {
            let along = piece.unswizzled_offset % LINE_BYTES / PIECE_BYTES;
            (cell, place(piece) * 8, along as u8 * 4)
        })
        .collect();
    let label = |cell: usize| {
        let piece = copy.pieces.get(cell);
        piece.map_or_else(String::new, |piece| coordinates(piece, ","))
    };
    // The longest coordinate label determines the minimum width of a chunk.
    let longest = (0..copy.pieces.len()).map(|cell| label(cell).len()).max();
    let widest = (longest.unwrap_or(0) as f64 + 0.5) * LETTER;
    let line = Line {
        bytes: LINE_BYTES,
        part_bytes: PIECE_BYTES,
        part_name: "",
        head: 40.0,
        narrowest: widest / PIECE_BYTES as f64,
    };
    let bits = copy.pieces.iter().map(|piece| piece.n_bytes).max();
    let bits = u64::from(bits.unwrap_or(0)) * 8;
    let mut plan = line_plan(&boxes, bits, line, available, &label);
    for mark in &mut plan.marks {
        let piece = copy.pieces.get(mark.cell);
        mark.is_hatched = piece.is_some_and(|piece| piece.n_inside < piece.n_bytes);
    }
    plan
}

fn coordinates(piece: &TensorPieceView, between: &str) -> String {
    let numbers: Vec<String> = piece.coordinates.iter().map(i64::to_string).collect();
    numbers.join(between)
}

/// Describes a 16-byte chunk in a sentence: `(8, 2): 16 bytes at shared-memory offset 304, which would be offset 272 without the swizzle.`
pub fn chunk_description(copy: &TensorCopyView, piece: usize) -> Option<String> {
    let piece = copy.pieces.get(piece)?;
    let mut words = format!(
        "({}): {} bytes at shared-memory offset {}",
        coordinates(piece, ", "),
        piece.n_bytes,
        piece.shared
    );
    if piece.unswizzled_offset != piece.shared {
        words.push_str(&format!(
            ", which would be offset {} without the swizzle",
            piece.unswizzled_offset
        ));
    }
    let n_outside = piece.n_bytes - piece.n_inside;
    words.push_str(&match (n_outside, copy.is_load) {
        (0, _) => ".".to_owned(),
        (n, true) => format!(
            "; {n} of these bytes are out of bounds and are filled with {}.",
            copy.fill
        ),
        (n, false) => format!("; {n} of these bytes are out of bounds and are not written."),
    });
    Some(words)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns a copy of a box with two rows of 128 bytes. The last chunk of each row is out of bounds.
    pub(crate) fn copy() -> TensorCopyView {
        let pieces = (0..16).map(|at: u64| TensorPieceView {
            coordinates: vec![(at % 8 * 8) as i64, (at / 8) as i64],
            shared: 1024 + (at ^ (at / 8)) * 16,
            unswizzled_offset: 1024 + at * 16,
            n_bytes: 16,
            n_inside: if at % 8 == 7 { 0 } else { 16 },
        });
        TensorCopyView {
            is_load: true,
            mode: "tiled".to_owned(),
            ty: "f16".to_owned(),
            extents: vec![56, 2],
            box_extents: vec![64, 2],
            coordinates: vec![0, 0],
            swizzle: "128B".to_owned(),
            memory: None,
            shared: Vec::new(),
            n_bytes: 256,
            n_outside: 32,
            fill: "0".to_owned(),
            mbarrier: None,
            pieces: pieces.collect(),
        }
    }

    #[test]
    fn chunks_are_drawn_at_swizzled_positions() {
        let copy = copy();
        let plain = tile_plan(&copy, Arrangement::Linear, 400.0);
        let swizzled = tile_plan(&copy, Arrangement::Swizzled, 400.0);
        let at = |plan: &DisplayList, piece: usize| {
            let mark = plan.marks.iter().find(|mark| mark.cell == piece);
            mark.map(|mark| (mark.rect.x, mark.rect.y)).expect("a mark")
        };
        assert_eq!(at(&plain, 3), at(&swizzled, 3));
        assert_eq!(at(&plain, 8), at(&swizzled, 9));
        assert_eq!(at(&plain, 9), at(&swizzled, 8));
        let hatched = swizzled.marks.iter().filter(|mark| mark.is_hatched);
        assert_eq!(hatched.map(|mark| mark.cell).collect::<Vec<_>>(), [7, 15]);
        assert_eq!(swizzled.marks[9].label, "8,1");
    }

    #[test]
    fn chunk_description_has_offset_and_out_of_bounds_bytes() {
        assert_eq!(
            chunk_description(&copy(), 15).as_deref(),
            Some(
                "(56, 1): 16 bytes at shared-memory offset 1248, which would be offset 1264 without the swizzle; 16 of these bytes are out of bounds and are filled with 0."
            )
        );
        assert_eq!(
            chunk_description(&copy(), 0).as_deref(),
            Some("(0, 0): 16 bytes at shared-memory offset 1024.")
        );
    }
}
