//! Call hierarchy: callers and callees of the functions of a module.

use crate::document::Snapshot;
use crate::features::navigation::occurrence_at;
use crate::features::symbols::symbol_kind;
use gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Range,
};
use std::collections::BTreeMap;
use warpgrid_program::symbols::{SymbolAccess, SymbolKind};
use warpgrid_program::{Span, SymbolIndex};

/// Returns the function at a position.
pub(crate) fn prepare(snapshot: &Snapshot, position: Position) -> Option<CallHierarchyItem> {
    let (index, found) = occurrence_at(snapshot, position)?;
    let symbol = index.symbol(&found)?;
    let is_function = matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function);
    is_function.then(|| item(snapshot, &index, found.symbol))?
}

fn item(snapshot: &Snapshot, index: &SymbolIndex, symbol: u32) -> Option<CallHierarchyItem> {
    let own = index.symbols.get(symbol as usize)?;
    let name = *index.definitions_of(symbol).first()?;
    Some(CallHierarchyItem {
        name: own.name.clone(),
        kind: symbol_kind(own.kind),
        tags: None,
        detail: Some(own.detail.clone()),
        uri: snapshot.uri.clone(),
        range: snapshot.range(own.declaration.unwrap_or(name)),
        selection_range: snapshot.range(name),
        data: None,
    })
}

/// Calls between two functions of a module, by their symbols, with the spans of the callees.
fn calls(index: &SymbolIndex) -> BTreeMap<(u32, u32), Vec<Span>> {
    let mut calls: BTreeMap<(u32, u32), Vec<Span>> = BTreeMap::new();
    for own in &index.occurrences {
        let is_function = index
            .symbol(own)
            .is_some_and(|own| matches!(own.kind, SymbolKind::Kernel | SymbolKind::Function));
        // A function whose address is taken, or that a list of call targets contains, can be called indirectly.
        let is_use = matches!(own.access, SymbolAccess::Call | SymbolAccess::Read);
        if is_function
            && is_use
            && let Some(caller) = index.function_at(own.span.start)
        {
            calls
                .entry((caller, own.symbol))
                .or_default()
                .push(own.span);
        }
    }
    calls
}

/// Returns the callers or the callees of a function, with the ranges of the callees. `select` takes the function and a call (caller and
/// callee), and returns the function to list if the call belongs to the function.
fn functions(
    snapshot: &Snapshot,
    of: &CallHierarchyItem,
    select: impl Fn(u32, (u32, u32)) -> Option<u32>,
) -> Vec<(CallHierarchyItem, Vec<Range>)> {
    let Some((index, found)) = occurrence_at(snapshot, of.selection_range.start) else {
        return Vec::new();
    };
    let calls = calls(&index);
    let functions = calls.iter().filter_map(|(call, spans)| {
        let function = select(found.symbol, *call)?;
        let ranges = spans.iter().map(|span| snapshot.range(*span));
        Some((item(snapshot, &index, function)?, ranges.collect()))
    });
    functions.collect()
}

/// Returns the functions that call a function.
pub(crate) fn incoming(
    snapshot: &Snapshot,
    of: &CallHierarchyItem,
) -> Vec<CallHierarchyIncomingCall> {
    let callers = functions(snapshot, of, |own, (caller, callee)| {
        (callee == own).then_some(caller)
    });
    let calls = callers.into_iter();
    calls
        .map(|(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges })
        .collect()
}

/// Returns the functions that a function calls.
pub(crate) fn outgoing(
    snapshot: &Snapshot,
    of: &CallHierarchyItem,
) -> Vec<CallHierarchyOutgoingCall> {
    let callees = functions(snapshot, of, |own, (caller, callee)| {
        (caller == own).then_some(callee)
    });
    let calls = callees.into_iter();
    calls
        .map(|(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges })
        .collect()
}
