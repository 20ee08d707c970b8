//! Outlines of documents, and the symbols of the workspace.

use crate::document::Snapshot;
use crate::workspace::Workspace;
use gen_lsp_types::{DocumentSymbol, SymbolKind, WorkspaceSymbol};
use std::collections::HashMap;
use warpgrid_program::symbols::{Symbol, SymbolKind as Kind};
use warpgrid_program::{Span, SymbolIndex};

/// Maximum number of results of a search in the workspace.
const MAX_RESULTS: usize = 256;

/// Returns the outline of a document: functions with their parameters, variables and labels. Registers are omitted, because compiled
/// kernels have thousands.
pub(crate) fn document_symbols(snapshot: &Snapshot) -> Vec<DocumentSymbol> {
    let Some(document) = snapshot.open() else {
        return Vec::new();
    };
    let index = document.syntax().symbols();
    let blocks = document.syntax().snippets();
    if !blocks.is_empty() {
        let outline = blocks.iter().map(|block| {
            let start = Span::at(block.span.start);
            symbol(
                snapshot,
                &block.name,
                String::new(),
                SymbolKind::Function,
                block.span,
                start,
            )
        });
        return outline.collect();
    }
    let names = index.definitions();
    let mut children: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
    for (at, own) in index.symbols.iter().enumerate() {
        if own.declaration.is_some() && own.kind != Kind::Register {
            children.entry(own.container).or_default().push(at as u32);
        }
    }
    let outline = Outline {
        snapshot,
        index: &index,
        names,
        children,
    };
    outline.of(None)
}

struct Outline<'s> {
    snapshot: &'s Snapshot,
    index: &'s SymbolIndex,
    /// Span of the name in the definition of each symbol.
    names: Vec<Option<Span>>,
    /// Symbols by the function that contains them.
    children: HashMap<Option<u32>, Vec<u32>>,
}

impl Outline<'_> {
    /// Returns the outline of a function, or of the module.
    fn of(&self, container: Option<u32>) -> Vec<DocumentSymbol> {
        let entries = self.children.get(&container).into_iter().flatten();
        let symbols = entries.filter_map(|at| {
            let own = self.index.symbols.get(*at as usize)?;
            let name = self.names.get(*at as usize).copied().flatten()?;
            let declaration = own.declaration?.to(name);
            let kind = symbol_kind(own.kind);
            let detail = own.detail.clone();
            let mut found = symbol(self.snapshot, &own.name, detail, kind, declaration, name);
            if is_function(own) {
                found.children = Some(self.of(Some(*at)));
            }
            Some(found)
        });
        symbols.collect()
    }
}

fn is_function(symbol: &Symbol) -> bool {
    matches!(symbol.kind, Kind::Kernel | Kind::Function)
}

#[expect(
    deprecated,
    reason = "the structure has the deprecated field `deprecated`"
)]
fn symbol(
    snapshot: &Snapshot,
    name: &str,
    detail: String,
    kind: SymbolKind,
    span: Span,
    selection: Span,
) -> DocumentSymbol {
    DocumentSymbol {
        name: match name.is_empty() {
            true => "(unnamed)".to_owned(),
            false => name.to_owned(),
        },
        detail: Some(detail).filter(|detail| !detail.is_empty()),
        kind,
        tags: None,
        deprecated: None,
        range: snapshot.range(span),
        selection_range: snapshot.range(selection),
        children: None,
    }
}

/// Returns the kind of a symbol in the protocol.
pub(crate) fn symbol_kind(kind: Kind) -> SymbolKind {
    match kind {
        Kind::Kernel | Kind::Function => SymbolKind::Function,
        Kind::Prototype => SymbolKind::Interface,
        Kind::Variable | Kind::AsmOperand => SymbolKind::Variable,
        Kind::Parameter => SymbolKind::Field,
        Kind::Register => SymbolKind::Variable,
        Kind::Label => SymbolKind::Key,
        Kind::SpecialRegister => SymbolKind::Constant,
    }
}

/// Returns the module-scope symbols of the workspace whose names contain the characters of `query` in order.
pub(crate) fn workspace_symbols(workspace: &Workspace, query: &str) -> Vec<WorkspaceSymbol> {
    let all = workspace.global_symbols();
    let mut found: Vec<_> = all
        .into_iter()
        .filter(|own| is_subsequence(query, &own.name))
        .collect();
    found.sort_by_key(|own| {
        (
            !own.is_definition,
            !own.name.contains(query),
            own.name.len(),
        )
    });
    found.truncate(MAX_RESULTS);
    let symbols = found.into_iter().map(|own| WorkspaceSymbol {
        location: own.location.into(),
        data: None,
        base_symbol_information: gen_lsp_types::BaseSymbolInformation {
            name: own.name,
            kind: symbol_kind(own.kind),
            tags: None,
            container_name: None,
        },
    });
    symbols.collect()
}

/// Returns whether `text` contains the characters of `query` in order, without regard to case.
fn is_subsequence(query: &str, text: &str) -> bool {
    let mut rest = text.chars();
    query
        .chars()
        .all(|wanted| rest.any(|c| c.eq_ignore_ascii_case(&wanted)))
}
