//! Completions. Documentation is added when the client resolves an item, because it is not needed for the list.

use crate::document::Snapshot;
use crate::features::hover::markdown;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionList, Position,
    TextEdit,
};
use serde_json::Value;
use warpgrid_program::{CompletionItemKind as Kind, Span};

/// Maximum number of items of a list. The client requests a new list when the user types more characters.
const MAX_ITEMS: usize = 400;

/// Returns the completions at a position, best first.
pub(crate) fn completion(snapshot: &Snapshot, position: Position) -> CompletionList {
    let Some(document) = snapshot.open() else {
        return list(Vec::new(), false);
    };
    let offset = snapshot.text.offset(position);
    let found = document.syntax().complete(offset);
    let is_incomplete = found.len() > MAX_ITEMS;
    let items = found.into_iter().take(MAX_ITEMS).enumerate();
    let items = items.map(|(rank, found)| {
        // In an asm block, the span refers to the expanded text, which has the same length as the typed prefix.
        let length = found.span.end - found.span.start;
        let span = Span::new(offset.saturating_sub(length), offset);
        CompletionItem {
            kind: Some(kind(found.kind)),
            label_details: found
                .needs
                .as_ref()
                .map(|needs| CompletionItemLabelDetails {
                    detail: None,
                    description: Some(needs.clone()),
                }),
            detail: Some(found.help).filter(|help| !help.is_empty()),
            sort_text: Some(format!("{rank:05}")),
            filter_text: Some(found.text.clone()),
            text_edit: Some(TextEdit::new(snapshot.range(span), found.text.clone()).into()),
            data: (found.kind == Kind::Opcode).then(|| Value::from(found.text.as_str())),
            label: found.text,
            ..CompletionItem::default()
        }
    });
    list(items.collect(), is_incomplete)
}

fn list(items: Vec<CompletionItem>, is_incomplete: bool) -> CompletionList {
    CompletionList {
        is_incomplete,
        item_defaults: None,
        apply_kind: None,
        items,
    }
}

/// Adds the reference page of an opcode to its item.
pub(crate) fn resolve(mut item: CompletionItem) -> CompletionItem {
    if let Some(Value::String(subject)) = &item.data
        && let Some(page) = warpgrid_view::explain(subject)
    {
        item.documentation = Some(markdown(format!("```text\n{}\n```", page.trim_end())).into());
    }
    item
}

fn kind(kind: Kind) -> CompletionItemKind {
    match kind {
        Kind::Opcode => CompletionItemKind::Keyword,
        Kind::Modifier => CompletionItemKind::EnumMember,
        Kind::Type => CompletionItemKind::TypeParameter,
        Kind::Register => CompletionItemKind::Variable,
        Kind::Variable => CompletionItemKind::Field,
        Kind::Label => CompletionItemKind::Reference,
        Kind::Function => CompletionItemKind::Function,
        Kind::Directive => CompletionItemKind::Constant,
    }
}
