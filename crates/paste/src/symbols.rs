//! Symbols of extracted text, with positions in the text that contains it.

use crate::block::AsmBlock;
use warpgrid_program::symbols::{Occurrence, SymbolAccess, SymbolIndex, SymbolKind};
use warpgrid_program::{SourceMap, Span};

/// Adds the symbols of an extracted text to `index`, with positions in the outer text.
pub(crate) fn append(index: &mut SymbolIndex, inner: SymbolIndex, map: &SourceMap) {
    let first = index.symbols.len() as u32;
    index
        .symbols
        .extend(inner.symbols.into_iter().map(|mut symbol| {
            symbol.declaration = symbol.declaration.map(|span| map.span(span));
            symbol.container = symbol.container.map(|container| container + first);
            symbol
        }));
    let mapped = inner.occurrences.into_iter().map(|found| Occurrence {
        span: map.span(found.span),
        symbol: found.symbol + first,
        ..found
    });
    index
        .occurrences
        .extend(mapped.filter(|found| found.span.start < found.span.end));
}

/// Adds the symbols of an asm block to `index`. The constraint of an operand is the definition of the operand.
pub(crate) fn append_block(index: &mut SymbolIndex, inner: SymbolIndex, block: &AsmBlock) {
    let first = index.symbols.len();
    append(index, inner, &block.snippet.map);
    let operands: Vec<(usize, Span)> = (first..index.symbols.len())
        .filter_map(|at| {
            let symbol = &index.symbols[at];
            let mut operands = block.operands.iter();
            let operand = operands.find(|operand| operand.name == symbol.name)?;
            (symbol.kind == SymbolKind::AsmOperand).then_some((at, operand.place))
        })
        .collect();
    for (symbol, place) in operands {
        index.symbols[symbol].declaration = Some(place);
        index.occurrences.push(Occurrence {
            span: place,
            symbol: symbol as u32,
            member: None,
            access: SymbolAccess::Definition,
        });
    }
}

/// Sorts the occurrences, and removes duplicates, which are due to several uses of one macro.
pub(crate) fn sorted(mut index: SymbolIndex) -> SymbolIndex {
    index
        .occurrences
        .sort_by_key(|found| (found.span, found.symbol));
    let mut end = 0;
    index.occurrences.retain(|found| {
        let is_disjoint = found.span.start >= end;
        end = end.max(found.span.end);
        is_disjoint
    });
    index
}
