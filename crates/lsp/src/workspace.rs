//! Modules of the workspace: open documents, and files on disk if the host has access to them.

use crate::document::Snapshot;
use crate::text::Text;
use gen_lsp_types::{Location, Uri};
use std::collections::HashSet;
use std::sync::Arc;
use warpgrid_program::symbols::{SymbolAccess, SymbolKind};

/// Access to the modules on disk. Hosts without a file system have no files.
pub trait WorkspaceFiles: Send + Sync {
    /// Returns the global symbols of the PTX files in the workspace.
    fn global_symbols(&self) -> Arc<Vec<GlobalSymbol>>;

    /// Sets the folders of the workspace.
    fn set_roots(&self, roots: Vec<Uri>);

    /// Discards the symbols, because files have changed.
    fn forget(&self);
}

/// Host without access to files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl WorkspaceFiles for NoFiles {
    fn global_symbols(&self) -> Arc<Vec<GlobalSymbol>> {
        Arc::default()
    }

    fn set_roots(&self, _roots: Vec<Uri>) {}

    fn forget(&self) {}
}

/// Kernel, function or module-scope variable of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalSymbol {
    pub name: String,
    pub(crate) kind: SymbolKind,
    pub location: Location,
    /// Whether the location is a definition.
    pub is_definition: bool,
    /// Whether other modules can refer to the symbol.
    pub is_linked: bool,
}

/// Modules that a request can refer to.
#[derive(Clone)]
pub(crate) struct Workspace {
    pub(crate) documents: Vec<Snapshot>,
    pub(crate) files: Arc<dyn WorkspaceFiles>,
}

impl Workspace {
    /// Returns the open documents other than `uri`.
    pub(crate) fn other_documents<'w>(
        &'w self,
        uri: &'w Uri,
    ) -> impl Iterator<Item = &'w Snapshot> {
        self.documents.iter().filter(move |own| own.uri != *uri)
    }

    /// Returns the module-scope symbols of the open documents and of the files that are not open.
    pub(crate) fn global_symbols(&self) -> Vec<GlobalSymbol> {
        let mut all: Vec<GlobalSymbol> = self.documents.iter().flat_map(global_symbols).collect();
        let open: HashSet<&Uri> = self.documents.iter().map(|own| &own.uri).collect();
        let on_disk = self.files.global_symbols();
        let closed = on_disk
            .iter()
            .filter(|own| !open.contains(&own.location.uri));
        all.extend(closed.cloned());
        all
    }

    /// Returns the definitions of a global symbol in modules other than `uri`.
    pub(crate) fn definitions(&self, name: &str, uri: &Uri) -> Vec<Location> {
        let found = self.global_symbols().into_iter().filter(|own| {
            own.is_definition && own.is_linked && own.name == name && own.location.uri != *uri
        });
        found.map(|own| own.location).collect()
    }
}

/// Returns the module-scope symbols of a document.
pub(crate) fn global_symbols(snapshot: &Snapshot) -> Vec<GlobalSymbol> {
    let Some(document) = snapshot
        .open()
        .filter(|_| snapshot.instructions().is_some())
    else {
        return Vec::new();
    };
    symbols_of(&document, &snapshot.text, &snapshot.uri)
}

/// Returns the module-scope symbols of a parsed module.
pub(crate) fn symbols_of(
    document: &warpgrid_view::Document<'_>,
    text: &Text,
    uri: &Uri,
) -> Vec<GlobalSymbol> {
    let index = document.syntax().symbols();
    let declarations = index
        .occurrences
        .iter()
        .filter(|own| own.access.is_declaration());
    let found = declarations.filter_map(|own| {
        let symbol = index.symbol(own)?;
        let is_module_scope = symbol.container.is_none()
            && matches!(
                symbol.kind,
                SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Variable
            );
        is_module_scope.then(|| GlobalSymbol {
            name: symbol.name.clone(),
            kind: symbol.kind,
            location: Location::new(uri.clone(), text.range(own.span)),
            is_definition: own.access == SymbolAccess::Definition,
            is_linked: symbol.is_global,
        })
    });
    found.collect()
}
