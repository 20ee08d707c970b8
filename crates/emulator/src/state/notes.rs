//! Insertion of notes into the notes of a run.

use crate::contract::inspect::{Note, NoteKind};
use std::sync::Arc;

/// Adds a note, unless the notes contain one about the same instruction or `most` notes.
pub(crate) fn add_once(notes: &mut Arc<Vec<Note>>, note: Note, most: u32) {
    let place = |note: &Note| match &note.kind {
        NoteKind::Printed { .. } | NoteKind::ColumnsKept { .. } => None,
        NoteKind::BarrierInParts {
            function,
            instruction,
            ..
        }
        | NoteKind::LanesLeftOut {
            function,
            instruction,
            ..
        }
        | NoteKind::RegistersInFlight {
            function,
            instruction,
            ..
        }
        | NoteKind::MbarrierReinitialized {
            function,
            instruction,
            ..
        }
        | NoteKind::NoGroups {
            function,
            instruction,
            ..
        } => Some((*function, *instruction)),
    };
    let is_same = |other: &Note| match (&other.kind, &note.kind) {
        (NoteKind::ColumnsKept { .. }, NoteKind::ColumnsKept { .. }) => true,
        _ => place(other) == place(&note),
    };
    let is_new = !notes.iter().any(is_same);
    if is_new && notes.len() < most as usize {
        Arc::make_mut(notes).push(note);
    }
}
