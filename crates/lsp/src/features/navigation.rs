//! Definitions, declarations, references and highlights.

use crate::document::Snapshot;
use crate::workspace::Workspace;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};
use warpgrid_program::SymbolIndex;
use warpgrid_program::symbols::{Occurrence, Symbol, SymbolAccess};

/// Symbol index of a document, and the occurrence at a position.
pub(crate) fn occurrence_at(
    snapshot: &Snapshot,
    position: Position,
) -> Option<(SymbolIndex, Occurrence)> {
    let index = snapshot.open()?.syntax().symbols();
    let offset = snapshot.text.offset(position);
    let found = *index.at(offset)?;
    Some((index, found))
}

/// Returns the definitions of the symbol at a position. The definition of an `.extern` symbol can be in another module.
pub(crate) fn definition(
    snapshot: &Snapshot,
    workspace: &Workspace,
    position: Position,
) -> Vec<Location> {
    let Some((index, found)) = occurrence_at(snapshot, position) else {
        return Vec::new();
    };
    let is_defined = index
        .occurrences_of(found.symbol)
        .any(|own| own.access == SymbolAccess::Definition);
    if !is_defined
        && let Some(symbol) = index.symbol(&found)
        && symbol.is_global
    {
        let elsewhere = workspace.definitions(&symbol.name, &snapshot.uri);
        if !elsewhere.is_empty() {
            return elsewhere;
        }
    }
    let definitions = index.definitions_of(found.symbol).into_iter();
    definitions
        .map(|span| Location::new(snapshot.uri.clone(), snapshot.range(span)))
        .collect()
}

/// Returns the declarations of the symbol at a position: prototypes and `.extern` variables, or the definition if there are none.
pub(crate) fn declaration(
    snapshot: &Snapshot,
    workspace: &Workspace,
    position: Position,
) -> Vec<Location> {
    let declarations = match occurrence_at(snapshot, position) {
        Some((index, found)) => {
            let own = index.occurrences_of(found.symbol);
            let own = own.filter(|own| own.access == SymbolAccess::Declaration);
            locations(snapshot, own, true)
        }
        None => Vec::new(),
    };
    match declarations.is_empty() {
        true => definition(snapshot, workspace, position),
        false => declarations,
    }
}

/// Returns the references to the symbol at a position. References to a global symbol include those of the other open modules.
pub(crate) fn references(
    snapshot: &Snapshot,
    workspace: &Workspace,
    position: Position,
    with_declaration: bool,
) -> Vec<Location> {
    let Some((index, found)) = occurrence_at(snapshot, position) else {
        return Vec::new();
    };
    let mut locations = locations(snapshot, index.same_object(found), with_declaration);
    if let Some(symbol) = index.symbol(&found).filter(|symbol| symbol.is_global) {
        for other in workspace.other_documents(&snapshot.uri) {
            locations.extend(global_references(other, symbol, with_declaration));
        }
    }
    locations
}

/// Returns the references to a global symbol in another module.
fn global_references(other: &Snapshot, symbol: &Symbol, with_declaration: bool) -> Vec<Location> {
    let Some(document) = other.open().filter(|_| other.instructions().is_some()) else {
        return Vec::new();
    };
    let index = document.syntax().symbols();
    let mut symbols = index.symbols.iter();
    let Some(same) = symbols.position(|own| own.is_global && own.name == symbol.name) else {
        return Vec::new();
    };
    locations(other, index.occurrences_of(same as u32), with_declaration)
}

fn locations<'i>(
    snapshot: &Snapshot,
    occurrences: impl Iterator<Item = &'i Occurrence>,
    with_declaration: bool,
) -> Vec<Location> {
    occurrences
        .filter(|own| with_declaration || !own.access.is_declaration())
        .map(|own| Location::new(snapshot.uri.clone(), snapshot.range(own.span)))
        .collect()
}

/// Returns the occurrences of the symbol at a position in its document, with their accesses.
pub(crate) fn highlights(snapshot: &Snapshot, position: Position) -> Vec<DocumentHighlight> {
    let Some((index, found)) = occurrence_at(snapshot, position) else {
        return Vec::new();
    };
    let occurrences = index.same_object(found);
    occurrences
        .map(|own| DocumentHighlight {
            range: snapshot.range(own.span),
            kind: Some(match own.access {
                SymbolAccess::Write => DocumentHighlightKind::Write,
                SymbolAccess::Read => DocumentHighlightKind::Read,
                _ => DocumentHighlightKind::Text,
            }),
        })
        .collect()
}
