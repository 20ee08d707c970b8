//! Function that inserts a diagnostic into the list of run diagnostics without duplicates.

use crate::contract::inspect::{RunDiagnostic, RunDiagnosticKind};
use std::sync::Arc;

/// Adds a diagnostic, unless the list already contains a diagnostic of the same kind about the same instruction, or
/// `most` diagnostics.
pub(crate) fn add_once(notes: &mut Arc<Vec<RunDiagnostic>>, note: RunDiagnostic, most: u32) {
    let place = |note: &RunDiagnostic| match &note.kind {
        RunDiagnosticKind::Printed { .. } | RunDiagnosticKind::UnfreedTensorColumns { .. } => None,
        RunDiagnosticKind::DivergentBarrierArrival {
            function,
            instruction,
            ..
        }
        | RunDiagnosticKind::LanesOutsideMask {
            function,
            instruction,
            ..
        }
        | RunDiagnosticKind::RegistersInFlight {
            function,
            instruction,
            ..
        }
        | RunDiagnosticKind::MbarrierReinitialized {
            function,
            instruction,
            ..
        }
        | RunDiagnosticKind::WaitWithoutGroups {
            function,
            instruction,
            ..
        } => Some((*function, *instruction)),
    };
    let is_same = |other: &RunDiagnostic| match (&other.kind, &note.kind) {
        (
            RunDiagnosticKind::UnfreedTensorColumns { .. },
            RunDiagnosticKind::UnfreedTensorColumns { .. },
        ) => true,
        _ => place(other) == place(&note),
    };
    let is_new = !notes.iter().any(is_same);
    if is_new && notes.len() < most as usize {
        Arc::make_mut(notes).push(note);
    }
}
