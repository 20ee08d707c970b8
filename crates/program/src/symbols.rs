//! Index of the symbols of a source and their occurrences, which editors use for definitions, references and renames.

use crate::span::Span;

/// Symbols of a source, with the positions at which the source refers to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolIndex {
    /// Symbols in the order of their declarations.
    pub symbols: Vec<Symbol>,
    /// Occurrences in source order. Occurrences do not overlap.
    pub occurrences: Vec<Occurrence>,
}

/// Named object of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Name. The name of a register group `%r<4>` is `%r`.
    pub name: String,
    pub kind: SymbolKind,
    /// Declaration in one line, such as `.reg .b32 %r<4>`.
    pub detail: String,
    /// Declared type of a register or variable, such as `.b32` or `.v4 .f32`.
    pub type_name: Option<String>,
    /// Span of the whole declaration, including the body of a function. Absent for an object that the source does not declare, such as a
    /// special register.
    pub declaration: Option<Span>,
    /// Index of the function that contains the declaration.
    pub container: Option<u32>,
    /// Number of registers of a group.
    pub count: Option<u32>,
    /// Whether other modules can refer to the symbol.
    pub is_global: bool,
}

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Kernel,
    Function,
    /// Prototype of indirect calls, or list of the targets of an indirect call or branch.
    Prototype,
    Variable,
    Parameter,
    Register,
    Label,
    SpecialRegister,
    /// Operand of an asm block, such as `%0`.
    AsmOperand,
}

/// Position at which a source refers to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub span: Span,
    /// Index of the symbol.
    pub symbol: u32,
    /// Number of the register if the symbol is a register group: 3 for `%r3`.
    pub member: Option<u32>,
    pub access: SymbolAccess,
}

/// Effect of an occurrence on its symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolAccess {
    /// Declaration without a definition, such as the prototype of a function or an `.extern` variable.
    Declaration,
    Definition,
    Read,
    Write,
    Call,
}

impl SymbolAccess {
    /// Returns whether the occurrence declares or defines the symbol.
    pub const fn is_declaration(self) -> bool {
        matches!(self, SymbolAccess::Declaration | SymbolAccess::Definition)
    }
}

impl SymbolIndex {
    /// Returns the occurrence that contains an offset or ends at the offset.
    pub fn at(&self, offset: u32) -> Option<&Occurrence> {
        let after = self
            .occurrences
            .partition_point(|found| found.span.start <= offset);
        let found = self.occurrences.get(after.checked_sub(1)?)?;
        (offset <= found.span.end).then_some(found)
    }

    /// Returns the symbol of an occurrence.
    pub fn symbol(&self, occurrence: &Occurrence) -> Option<&Symbol> {
        self.symbols.get(occurrence.symbol as usize)
    }

    /// Returns the occurrences of the object to which `of` refers. For a member of a register group, these are the occurrences of the same
    /// member and the declaration of the group. For the declaration of a group, these are the occurrences of all members.
    pub fn same_object(&self, of: Occurrence) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |found| {
            let is_same_member =
                of.member.is_none() || found.member == of.member || found.access.is_declaration();
            found.symbol == of.symbol && is_same_member
        })
    }

    /// Returns all occurrences of the symbol with this index.
    pub fn occurrences_of(&self, symbol: u32) -> impl Iterator<Item = &Occurrence> {
        self.occurrences
            .iter()
            .filter(move |found| found.symbol == symbol)
    }

    /// Returns the definitions of a symbol, or its declarations if the source does not define the symbol.
    pub fn definitions_of(&self, symbol: u32) -> Vec<Span> {
        let spans_with = |access| -> Vec<Span> {
            let found = self.occurrences_of(symbol);
            found
                .filter(|found| found.access == access)
                .map(|found| found.span)
                .collect()
        };
        let definitions = spans_with(SymbolAccess::Definition);
        match definitions.is_empty() {
            true => spans_with(SymbolAccess::Declaration),
            false => definitions,
        }
    }

    /// Returns the first definition of each symbol, or its first declaration if the source does not define the symbol.
    pub fn definitions(&self) -> Vec<Option<Span>> {
        let mut found: Vec<Option<(SymbolAccess, Span)>> = vec![None; self.symbols.len()];
        for own in self
            .occurrences
            .iter()
            .filter(|own| own.access.is_declaration())
        {
            if let Some(first) = found.get_mut(own.symbol as usize) {
                let is_better = first.is_none_or(|(access, _)| {
                    access == SymbolAccess::Declaration && own.access == SymbolAccess::Definition
                });
                if is_better {
                    *first = Some((own.access, own.span));
                }
            }
        }
        found
            .into_iter()
            .map(|own| own.map(|(_, span)| span))
            .collect()
    }

    /// Returns the innermost function whose declaration contains `offset`.
    pub fn function_at(&self, offset: u32) -> Option<u32> {
        let contains = |symbol: &Symbol| {
            matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function)
                && symbol
                    .declaration
                    .is_some_and(|span| span.start <= offset && offset < span.end)
        };
        let found = self.symbols.iter().position(contains)?;
        Some(found as u32)
    }
}
