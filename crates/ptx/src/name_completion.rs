//! Names that are visible at an offset: names that are declared before the offset and whose scope contains the offset, with their meanings.
//! The functions also support sources with errors.

use crate::tree::declaration::{Declaration, DeclarationSpace, DeclaredType, FunctionHeader};
use crate::tree::{StatementKind, Tree};
use warpgrid_isa::{ScalarType, StateSpace, VectorWidth};
use warpgrid_program::Span;

/// Kind of object that a visible name denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Register, with the number of vector elements (1 for a scalar).
    Register(ScalarType, usize),
    /// Variable. The type of textures, samplers and surfaces is `None`.
    Variable(StateSpace, Option<ScalarType>),
    Function,
    Label,
}

/// Name that is visible at a position of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleName {
    pub name: String,
    /// Number of registers of a group: `%r<4>` denotes `%r0` to `%r3`.
    pub count: Option<u32>,
    pub meaning: NameKind,
    /// Span of the name in its declaration.
    pub span: Span,
    /// Span of the whole declaration.
    pub declaration: Span,
}

impl VisibleName {
    /// Returns whether `text` is this name or a member of its group.
    pub fn is_called(&self, text: &str) -> bool {
        match self.count {
            None => self.name == text,
            Some(count) => text
                .strip_prefix(self.name.as_str())
                .filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|digits| digits.parse::<u32>().ok())
                .is_some_and(|number| number < count),
        }
    }
}

/// Returns the names in scope at an offset, with the names of the innermost scope at the end.
pub fn visible(source: &str, tree: &Tree, offset: u32) -> Vec<VisibleName> {
    let mut names = VisibleNames {
        source,
        tree,
        list: Vec::new(),
        scopes: Vec::new(),
    };
    for statement in &tree.statements {
        if statement.span.start > offset {
            break;
        }
        names.statement(statement.kind, statement.span, offset);
    }
    names.labels(offset);
    names.list
}

/// Returns the meaning of a name at an offset. The innermost declaration takes precedence.
pub fn lookup(source: &str, tree: &Tree, offset: u32, text: &str) -> Option<VisibleName> {
    let mut names = visible(source, tree, offset);
    let index = names.iter().rposition(|name| name.is_called(text))?;
    Some(names.swap_remove(index))
}

struct VisibleNames<'s> {
    source: &'s str,
    tree: &'s Tree,
    list: Vec<VisibleName>,
    /// Number of names that precede each open scope.
    scopes: Vec<usize>,
}

impl VisibleNames<'_> {
    fn statement(&mut self, kind: StatementKind, span: Span, offset: u32) {
        let tree = self.tree;
        match kind {
            StatementKind::Declaration(index) => {
                if let Some(declaration) = tree.declarations.get(index as usize) {
                    self.declare(declaration, StateSpace::ParamFunc);
                }
            }
            StatementKind::FunctionStart(index) => {
                let header = tree.functions.get(index as usize);
                self.function(header, span);
                self.scopes.push(self.list.len());
                self.parameters(header);
            }
            StatementKind::Prototype(index) => {
                self.function(tree.functions.get(index as usize), span)
            }
            StatementKind::BlockOpen => self.scopes.push(self.list.len()),
            StatementKind::FunctionEnd(_) | StatementKind::BlockClose if span.end <= offset => {
                if let Some(length) = self.scopes.pop() {
                    self.list.truncate(length);
                }
            }
            _ => {}
        }
    }

    fn function(&mut self, header: Option<&FunctionHeader>, declaration: Span) {
        let Some(header) = header else { return };
        if header.name.is_some() {
            self.list.push(VisibleName {
                name: header.name_span.text(self.source).to_owned(),
                count: None,
                meaning: NameKind::Function,
                span: header.name_span,
                declaration,
            });
        }
    }

    fn parameters(&mut self, header: Option<&FunctionHeader>) {
        let Some(header) = header else { return };
        let space = match header.sort {
            crate::tree::declaration::FunctionDirective::Entry => StateSpace::ParamEntry,
            crate::tree::declaration::FunctionDirective::Func => StateSpace::ParamFunc,
        };
        for list in [header.returns, header.parameters] {
            for declaration in list.of(&self.tree.declarations) {
                self.declare(declaration, space);
            }
        }
    }

    fn declare(&mut self, declaration: &Declaration, parameter: StateSpace) {
        let ty = match declaration.scalar {
            DeclaredType::Scalar(ty) => Some(ty),
            _ => None,
        };
        let n = declaration.vector.map_or(1, VectorWidth::n_elements);
        let meaning = match (declaration.space, ty) {
            (DeclarationSpace::Reg, Some(ty)) => NameKind::Register(ty, n),
            (DeclarationSpace::Reg, None) => return,
            (DeclarationSpace::Const, ty) => NameKind::Variable(StateSpace::Const, ty),
            (DeclarationSpace::Local, ty) => NameKind::Variable(StateSpace::Local, ty),
            (DeclarationSpace::Param, ty) => NameKind::Variable(parameter, ty),
            (DeclarationSpace::Shared, ty) => NameKind::Variable(StateSpace::Shared, ty),
            (_, ty) => NameKind::Variable(StateSpace::Global, ty),
        };
        for declarator in self.tree.declarators_of(declaration) {
            if declarator.name.is_none() {
                continue;
            }
            self.list.push(VisibleName {
                name: declarator.name_span.text(self.source).to_owned(),
                count: declarator.count,
                meaning,
                span: declarator.name_span,
                declaration: declaration.span,
            });
        }
    }

    /// Adds the labels of the function, which are visible in the whole function.
    fn labels(&mut self, offset: u32) {
        if self.scopes.is_empty() && self.tree.kind == crate::tree::SourceKind::Module {
            return;
        }
        let statements = &self.tree.statements;
        let here = statements.partition_point(|s| s.span.start <= offset);
        let starts = |kind| matches!(kind, StatementKind::FunctionStart(_));
        let ends = |kind| matches!(kind, StatementKind::FunctionEnd(_));
        let before = statements.get(..here).unwrap_or(&[]);
        let first = before.iter().rposition(|s| starts(s.kind)).unwrap_or(0);
        for statement in statements.iter().skip(first) {
            if ends(statement.kind) {
                break;
            }
            if let StatementKind::Label(_) = statement.kind {
                let text = statement.span.text(self.source);
                let name = text.trim_end_matches(':').trim_end();
                let start = statement.span.start;
                self.list.push(VisibleName {
                    name: name.to_owned(),
                    count: None,
                    meaning: NameKind::Label,
                    span: Span::new(start, start + name.len() as u32),
                    declaration: statement.span,
                });
            }
        }
    }
}
