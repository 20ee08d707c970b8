//! Symbol index of a listing: functions, labels and registers. Registers have no declaration, and each function has its own registers.

use crate::assist::tokens;
use crate::syntax::{StatementKind, Tree};
use std::collections::HashMap;
use warpgrid_program::symbols::{Occurrence, Symbol, SymbolAccess, SymbolIndex, SymbolKind};
use warpgrid_program::{SemanticTokenKind, Span};

/// Returns the symbols of a listing and their occurrences.
pub(crate) fn symbols(source: &str, tree: &Tree) -> SymbolIndex {
    let mut index = SymbolIndex::default();
    declare_functions(source, tree, &mut index);
    let labels: Vec<Span> = tree.statements.iter().filter_map(label).collect();
    let mut known: HashMap<(Option<u32>, &str), u32> = HashMap::new();
    let mut uses: Vec<(Span, SymbolKind)> = Vec::new();
    for token in tokens(source) {
        match token.class {
            SemanticTokenKind::Register => uses.push((token.span, SymbolKind::Register)),
            SemanticTokenKind::SpecialRegister => {
                uses.push((token.span, SymbolKind::SpecialRegister))
            }
            SemanticTokenKind::Label => uses.push((token.span, SymbolKind::Label)),
            _ => {}
        }
    }
    for (span, kind) in uses {
        let text = span.text(source);
        let function = index.function_at(span.start);
        let is_definition = labels.binary_search(&span).is_ok();
        let symbol = *known.entry((function, text)).or_insert_with(|| {
            index.symbols.push(Symbol {
                name: text.to_owned(),
                kind,
                detail: text.to_owned(),
                type_name: None,
                declaration: None,
                container: function,
                count: None,
                is_global: false,
            });
            index.symbols.len() as u32 - 1
        });
        if is_definition && let Some(own) = index.symbols.get_mut(symbol as usize) {
            own.declaration = Some(span);
        }
        index.occurrences.push(Occurrence {
            span,
            symbol,
            member: None,
            access: match is_definition {
                true => SymbolAccess::Definition,
                false => SymbolAccess::Read,
            },
        });
    }
    index.occurrences.sort_by_key(|found| found.span.start);
    index.occurrences.dedup_by_key(|found| found.span.start);
    index
}

/// Declares the functions of a listing. Each function extends to the header of the next function.
fn declare_functions(source: &str, tree: &Tree, index: &mut SymbolIndex) {
    for statement in &tree.statements {
        let Some(name) = function_name(source, &statement.kind) else {
            continue;
        };
        if let Some(last) = index.symbols.last_mut()
            && let Some(span) = &mut last.declaration
        {
            span.end = statement.span.start;
        }
        index.occurrences.push(Occurrence {
            span: name,
            symbol: index.symbols.len() as u32,
            member: None,
            access: SymbolAccess::Definition,
        });
        index.symbols.push(Symbol {
            name: name.text(source).to_owned(),
            kind: SymbolKind::Kernel,
            detail: name.text(source).to_owned(),
            type_name: None,
            declaration: Some(Span::new(statement.span.start, source.len() as u32)),
            container: None,
            count: None,
            is_global: true,
        });
    }
}

/// Returns the span of the name of a function header: `Function : name` or `.section .text.name`.
fn function_name(source: &str, kind: &StatementKind) -> Option<Span> {
    match kind {
        StatementKind::Header { key, value } if key.text(source).trim() == "Function" => {
            Some(*value)
        }
        StatementKind::Directive { name, arguments } if name.text(source) == ".section" => {
            let text = arguments.text(source);
            let section = text.split(',').next().unwrap_or(text).trim_end();
            let name = section.strip_prefix(".text.")?;
            let start = arguments.start + (section.len() - name.len()) as u32;
            Some(Span::new(start, start + name.len() as u32))
        }
        _ => None,
    }
}

fn label(statement: &crate::syntax::Statement) -> Option<Span> {
    match statement.kind {
        StatementKind::Label(name) => Some(name),
        _ => None,
    }
}
