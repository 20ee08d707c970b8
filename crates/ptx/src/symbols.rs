//! Symbol index of a PTX source: resolves each name of the syntax tree in its scope. The index also supports sources with errors.

use crate::lexer::{TokenKind, token_at};
use crate::parser::Parse;
use crate::tokens::SPECIAL_VECTORS;
use crate::tree::declaration::{
    Declaration, DeclarationSpace, Directive, DirectiveKind, FunctionDirective, InitValueKind,
    Linkage,
};
use crate::tree::mnemonic::MnemonicId;
use crate::tree::name::{Name, Symbol as Stem};
use crate::tree::operand::OperandKind;
use crate::tree::{Instruction, Range, Statement, StatementKind, Tree};
use std::collections::HashMap;
use warpgrid_isa::SpecialRegister;
use warpgrid_isa::form::{OperandAccess, bind};
use warpgrid_program::symbols::{Occurrence, Symbol, SymbolAccess, SymbolIndex, SymbolKind};
use warpgrid_program::{ExternalRegister, Span};

/// Returns the symbols of a source and their occurrences. `given` are the registers that the surrounding code declares.
pub(crate) fn symbols(source: &str, parse: &Parse, given: &[ExternalRegister]) -> SymbolIndex {
    let mut resolver = Resolver {
        source,
        tree: &parse.tree,
        index: SymbolIndex::default(),
        scopes: vec![Scope::default()],
        names: HashMap::new(),
        groups: HashMap::new(),
        accesses: HashMap::new(),
        special_registers: HashMap::new(),
    };
    resolver.declare_operands(given);
    resolver.declare_all();
    resolver.resolve_all();
    let mut index = resolver.index;
    index
        .occurrences
        .sort_by_key(|found| (found.span.start, found.access));
    index.occurrences.dedup_by_key(|found| found.span);
    index
}

/// Scope of names. Scope 0 is the module.
#[derive(Clone, Copy, Default)]
struct Scope {
    parent: u32,
    /// Symbol of the function that contains the scope.
    function: Option<u32>,
}

struct Resolver<'s> {
    source: &'s str,
    tree: &'s Tree,
    index: SymbolIndex,
    scopes: Vec<Scope>,
    /// Symbols by scope and name.
    names: HashMap<(u32, Name), u32>,
    /// Register groups by scope and stem.
    groups: HashMap<(u32, Stem), Vec<u32>>,
    /// Accesses to the operands of each opcode, by opcode and number of operands.
    accesses: HashMap<(MnemonicId, usize), Vec<SymbolAccess>>,
    special_registers: HashMap<&'s str, u32>,
}

impl<'s> Resolver<'s> {
    fn text(&self, span: Span) -> &'s str {
        span.text(self.source)
    }

    /// Declares the registers that the surrounding code declares, in the module scope.
    fn declare_operands(&mut self, given: &[ExternalRegister]) {
        for register in given {
            let Some(name) = self.tree.symbols.find_name(self.source, &register.name) else {
                continue;
            };
            let symbol = self.push(Symbol {
                name: register.name.clone(),
                kind: SymbolKind::AsmOperand,
                detail: format!(".reg .{} {}", register.ty, register.name),
                type_name: Some(format!(".{}", register.ty)),
                declaration: None,
                container: None,
                count: None,
                is_global: false,
            });
            self.names.entry((0, name)).or_insert(symbol);
        }
    }

    /// First pass: creates the scopes and declares all names, because labels are visible before their definition.
    fn declare_all(&mut self) {
        let mut scope = 0;
        for statement in &self.tree.statements {
            match statement.kind {
                StatementKind::FunctionStart(index) => {
                    let function = self.declare_function(index, statement.span);
                    scope = self.open(scope, function);
                    self.declare_parameters(index, scope);
                }
                StatementKind::Prototype(index) => {
                    let function = self.declare_function(index, statement.span);
                    let own = self.open(scope, function);
                    self.declare_parameters(index, own);
                }
                StatementKind::FunctionEnd(_) => {
                    if let Some(function) = self.scope(scope).function
                        && let Some(symbol) = self.index.symbols.get_mut(function as usize)
                        && let Some(declaration) = &mut symbol.declaration
                    {
                        declaration.end = statement.span.end;
                    }
                    scope = 0;
                }
                StatementKind::BlockOpen => scope = self.open(scope, self.scope(scope).function),
                StatementKind::BlockClose => scope = self.scope(scope).parent,
                StatementKind::Declaration(index) => {
                    if let Some(declaration) = self.tree.declarations.get(index as usize) {
                        self.declare_names(declaration, scope, SymbolKind::Variable);
                    }
                }
                StatementKind::Label(name) => self.declare_label(name, statement, scope),
                StatementKind::Directive(index) => {
                    if let Some(directive) = self.tree.directives.get(index as usize) {
                        self.declare_prototype(directive, scope);
                    }
                }
                _ => {}
            }
        }
    }

    fn scope(&self, scope: u32) -> Scope {
        self.scopes.get(scope as usize).copied().unwrap_or_default()
    }

    fn open(&mut self, parent: u32, function: Option<u32>) -> u32 {
        self.scopes.push(Scope { parent, function });
        self.scopes.len() as u32 - 1
    }

    fn push(&mut self, symbol: Symbol) -> u32 {
        self.index.symbols.push(symbol);
        self.index.symbols.len() as u32 - 1
    }

    fn refer(&mut self, span: Span, symbol: u32, member: Option<u32>, access: SymbolAccess) {
        self.index.occurrences.push(Occurrence {
            span,
            symbol,
            member,
            access,
        });
    }

    /// Declares a name, or adds a declaration to the symbol of the same scope and name.
    fn declare(&mut self, scope: u32, name: Name, span: Span, access: SymbolAccess, new: Symbol) {
        let symbol = match self.names.get(&(scope, name)) {
            Some(symbol) => *symbol,
            None => {
                let symbol = self.push(new);
                self.names.insert((scope, name), symbol);
                symbol
            }
        };
        self.refer(span, symbol, None, access);
    }

    fn declare_function(&mut self, index: u32, span: Span) -> Option<u32> {
        let header = self.tree.functions.get(index as usize)?;
        let name = header.name?;
        let access = match header.has_body {
            true => SymbolAccess::Definition,
            false => SymbolAccess::Declaration,
        };
        let kind = match header.sort {
            FunctionDirective::Entry => SymbolKind::Kernel,
            FunctionDirective::Func => SymbolKind::Function,
        };
        let symbol = Symbol {
            name: self.text(header.name_span).to_owned(),
            kind,
            detail: one_line(self.text(header.span)),
            type_name: None,
            declaration: Some(span),
            container: None,
            count: None,
            is_global: header.linkage.is_some(),
        };
        self.declare(0, name, header.name_span, access, symbol);
        let symbol = *self.names.get(&(0, name))?;
        // The definition replaces the span of a preceding prototype.
        if header.has_body
            && let Some(own) = self.index.symbols.get_mut(symbol as usize)
        {
            own.declaration = Some(span);
        }
        Some(symbol)
    }

    fn declare_parameters(&mut self, function: u32, scope: u32) {
        let Some(header) = self.tree.functions.get(function as usize) else {
            return;
        };
        for list in [header.returns, header.parameters] {
            for declaration in list.of(&self.tree.declarations) {
                self.declare_names(declaration, scope, SymbolKind::Parameter);
            }
        }
    }

    fn declare_names(&mut self, declaration: &Declaration, scope: u32, otherwise: SymbolKind) {
        let kind = match declaration.space {
            DeclarationSpace::Reg => SymbolKind::Register,
            _ => otherwise,
        };
        let access = match declaration.linkage {
            Some(Linkage::Extern) => SymbolAccess::Declaration,
            _ => SymbolAccess::Definition,
        };
        let specifiers = [declaration.vector_span, declaration.type_span];
        let type_name = specifiers
            .map(|span| self.text(span))
            .join(" ")
            .trim()
            .to_owned();
        for declarator in self.tree.declarators_of(declaration) {
            let Some(name) = declarator.name else {
                continue;
            };
            let symbol = Symbol {
                name: self.text(declarator.name_span).to_owned(),
                kind,
                detail: detail_of(self.source, declaration, declarator.span),
                type_name: Some(type_name.clone()),
                declaration: Some(declaration.span),
                container: self.scope(scope).function,
                count: declarator.count,
                is_global: scope == 0 && declaration.linkage.is_some(),
            };
            if declarator.count.is_none() {
                self.declare(scope, name, declarator.name_span, access, symbol);
                continue;
            }
            let symbol = self.push(symbol);
            self.groups
                .entry((scope, name.stem))
                .or_default()
                .push(symbol);
            self.refer(declarator.name_span, symbol, None, access);
        }
    }

    fn declare_label(&mut self, name: Name, statement: &Statement, scope: u32) {
        let text = self.text(statement.span).trim_end_matches(':').trim_end();
        let span = Span::new(
            statement.span.start,
            statement.span.start + text.len() as u32,
        );
        let symbol = self.named(text, SymbolKind::Label, statement.span, scope);
        self.declare(scope, name, span, SymbolAccess::Definition, symbol);
    }

    /// Declares the label of `.callprototype`, `.calltargets` or `.branchtargets`.
    fn declare_prototype(&mut self, directive: &Directive, scope: u32) {
        let is_labelled = matches!(
            directive.kind,
            DirectiveKind::CallPrototype
                | DirectiveKind::CallTargets
                | DirectiveKind::BranchTargets
        );
        let first = token_at(self.source, directive.span.start as usize);
        if !is_labelled || first.kind != TokenKind::Name {
            return;
        }
        let text = self.text(first.span);
        let Some(name) = self.tree.symbols.find_name(self.source, text) else {
            return;
        };
        let symbol = self.named(text, SymbolKind::Prototype, directive.span, scope);
        self.declare(scope, name, first.span, SymbolAccess::Definition, symbol);
    }

    /// Creates a symbol whose detail is its name.
    fn named(&self, text: &str, kind: SymbolKind, declaration: Span, scope: u32) -> Symbol {
        Symbol {
            name: text.to_owned(),
            kind,
            detail: text.to_owned(),
            type_name: None,
            declaration: Some(declaration),
            container: self.scope(scope).function,
            count: None,
            is_global: false,
        }
    }

    /// Second pass: resolves the names of all statements.
    fn resolve_all(&mut self) {
        let mut scope = 0;
        let mut n_opened = 0;
        for statement in &self.tree.statements {
            match statement.kind {
                StatementKind::FunctionStart(_) | StatementKind::BlockOpen => {
                    n_opened += 1;
                    scope = n_opened;
                }
                StatementKind::Prototype(_) => n_opened += 1,
                StatementKind::FunctionEnd(_) => scope = 0,
                StatementKind::BlockClose => scope = self.scope(scope).parent,
                StatementKind::Instruction(instruction) => self.instruction(&instruction, scope),
                StatementKind::Declaration(index) => {
                    if let Some(declaration) = self.tree.declarations.get(index as usize) {
                        self.initializers(declaration, scope);
                    }
                }
                StatementKind::Directive(index) => {
                    if let Some(directive) = self.tree.directives.get(index as usize) {
                        self.directive(directive, scope);
                    }
                }
                _ => {}
            }
        }
    }

    fn instruction(&mut self, instruction: &Instruction, scope: u32) {
        if let Some(guard) = self.tree.guard(instruction) {
            self.resolve(guard.name, guard.name_span, scope, SymbolAccess::Read);
        }
        let accesses = self.accesses_of(instruction);
        for (position, (operand, _)) in self.tree.operands_of(instruction).enumerate() {
            let access = accesses.get(position).copied();
            let access = match operand.kind {
                // An address is read, even if the instruction writes to the memory at the address.
                OperandKind::Address { .. } | OperandKind::AddressList { .. } => SymbolAccess::Read,
                _ => access.unwrap_or(SymbolAccess::Read),
            };
            self.names_in(operand.span, scope, access);
        }
    }

    /// Returns the access of an instruction to each of its operands.
    fn accesses_of(&mut self, instruction: &Instruction) -> Vec<SymbolAccess> {
        let n_operands = self.tree.operands_of(instruction).count();
        let key = (instruction.mnemonic, n_operands);
        if let Some(known) = self.accesses.get(&key) {
            return known.clone();
        }
        let words: Vec<&str> = self
            .tree
            .mnemonics
            .texts(self.source, instruction.mnemonic)
            .collect();
        let (opcode, modifiers) = words.split_first().unwrap_or((&"", &[]));
        let accesses: Vec<SymbolAccess> = match *opcode {
            "call" => self.call_accesses(instruction),
            _ => {
                let bound = bind(opcode, modifiers, Some(n_operands));
                let positions = bound.iter().flat_map(|bound| &bound.layout.operands);
                positions
                    .map(|position| match position.role {
                        OperandAccess::Written => SymbolAccess::Write,
                        OperandAccess::Read => SymbolAccess::Read,
                    })
                    .collect()
            }
        };
        // The operands of a call do not depend on the opcode alone.
        if *opcode != "call" {
            self.accesses.insert(key, accesses.clone());
        }
        accesses
    }

    /// Returns the access of a call to its operands: the results are written, and the callee is called.
    fn call_accesses(&self, instruction: &Instruction) -> Vec<SymbolAccess> {
        let mut has_callee = false;
        let operands = self.tree.operands_of(instruction);
        let access = operands.map(|(operand, _)| match operand.kind {
            OperandKind::Group { .. } if !has_callee => SymbolAccess::Write,
            OperandKind::Name(_) if !has_callee => {
                has_callee = true;
                SymbolAccess::Call
            }
            _ => SymbolAccess::Read,
        });
        access.collect()
    }

    fn initializers(&mut self, declaration: &Declaration, scope: u32) {
        for declarator in self.tree.declarators_of(declaration) {
            for value in self.tree.init_values_of(declarator) {
                match value.kind {
                    InitValueKind::Address {
                        name, name_span, ..
                    } => self.resolve(name, name_span, scope, SymbolAccess::Read),
                    InitValueKind::Setting {
                        symbol: Some(span), ..
                    } => self.names_in(span, scope, SymbolAccess::Read),
                    _ => {}
                }
            }
        }
    }

    fn directive(&mut self, directive: &Directive, scope: u32) {
        let refers_to_names = matches!(
            directive.kind,
            DirectiveKind::Alias
                | DirectiveKind::CallTargets
                | DirectiveKind::BranchTargets
                | DirectiveKind::Loc
        );
        let Range { start, end } = directive.arguments;
        if refers_to_names && start < end {
            for (operand, _) in self.tree.arguments_of(directive) {
                self.names_in(operand.span, scope, SymbolAccess::Read);
            }
        }
    }

    /// Resolves the names in a span. The first name has access `access`; names in brackets are read.
    fn names_in(&mut self, within: Span, scope: u32, access: SymbolAccess) {
        let mut at = within.start as usize;
        let mut depth = 0;
        while at < within.end as usize {
            let token = token_at(self.source, at);
            let text = self.text(token.span);
            match token.kind {
                TokenKind::Name => {
                    let access = match depth {
                        0 => access,
                        _ => SymbolAccess::Read,
                    };
                    if let Some(name) = self.tree.symbols.find_name(self.source, text) {
                        self.resolve(name, token.span, scope, access);
                    }
                }
                TokenKind::Punctuation if text == "[" => depth += 1,
                TokenKind::Punctuation if text == "]" => depth -= 1,
                _ => {}
            }
            at = (token.span.end as usize).max(at + 1);
        }
    }

    fn resolve(&mut self, name: Name, span: Span, scope: u32, access: SymbolAccess) {
        let text = self.text(span);
        let mut scope = scope;
        loop {
            if let Some((symbol, member)) = self.find_in(scope, name, text, span.start) {
                return self.refer(span, symbol, member, access);
            }
            if scope == 0 {
                break;
            }
            scope = self.scope(scope).parent;
        }
        if SpecialRegister::from_name(text).is_some() || SPECIAL_VECTORS.contains(&text) {
            let symbol = self.special_register(text);
            self.refer(span, symbol, None, SymbolAccess::Read);
        }
    }

    /// Returns the symbol that a scope declares for a name, and the number of the member of a group.
    fn find_in(&self, scope: u32, name: Name, text: &str, at: u32) -> Option<(u32, Option<u32>)> {
        let is_visible = |symbol: u32| {
            self.index.symbols.get(symbol as usize).is_some_and(|own| {
                matches!(
                    own.kind,
                    SymbolKind::Label
                        | SymbolKind::Prototype
                        | SymbolKind::Function
                        | SymbolKind::Kernel
                ) || own.declaration.is_none_or(|span| span.start <= at)
            })
        };
        if let Some(symbol) = self.names.get(&(scope, name))
            && is_visible(*symbol)
        {
            return Some((*symbol, None));
        }
        let groups = self.groups.get(&(scope, name.stem))?;
        groups.iter().rev().find_map(|group| {
            let own = self.index.symbols.get(*group as usize)?;
            let digits = text.strip_prefix(own.name.as_str())?;
            let number: u32 = digits.parse().ok()?;
            (number < own.count? && is_visible(*group)).then_some((*group, Some(number)))
        })
    }

    fn special_register(&mut self, text: &'s str) -> u32 {
        if let Some(known) = self.special_registers.get(text) {
            return *known;
        }
        let symbol = self.push(Symbol {
            name: text.to_owned(),
            kind: SymbolKind::SpecialRegister,
            detail: text.to_owned(),
            type_name: None,
            declaration: None,
            container: None,
            count: None,
            is_global: false,
        });
        self.special_registers.insert(text, symbol);
        symbol
    }
}

/// Returns the floating-point literals of instructions that state the bits of their value, with the value in decimal notation.
pub(crate) fn bit_literals(source: &str, parse: &Parse) -> Vec<(Span, String)> {
    let literals = parse.tree.operands.iter().filter_map(|operand| {
        let value = match operand.kind {
            OperandKind::Single(bits) => format!("{:?}", f32::from_bits(bits)),
            OperandKind::Double(bits) => format!("{:?}", f64::from_bits(bits)),
            _ => return None,
        };
        let prefix = operand.span.text(source).get(..2)?;
        let states_bits = ["0f", "0d"]
            .iter()
            .any(|own| prefix.eq_ignore_ascii_case(own));
        states_bits.then_some((operand.span, value))
    });
    literals.collect()
}

/// Returns the declaration of one name: the declaration up to its first name, followed by the declarator.
fn detail_of(source: &str, declaration: &Declaration, declarator: Span) -> String {
    let start = declaration.span.start;
    let specifiers = match declaration.type_span.end >= start {
        true => Span::new(start, declaration.type_span.end),
        false => Span::at(start),
    };
    let initializer = declarator.text(source).split('=').next().unwrap_or("");
    one_line(&format!("{} {initializer}", specifiers.text(source)))
}

/// Joins the lines of a declaration, and limits its length.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_DETAIL) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Maximum number of characters of a declaration in the detail of a symbol.
const MAX_DETAIL: usize = 160;
