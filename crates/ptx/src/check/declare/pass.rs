//! The pass over the statements outside of bodies.

use crate::check::context::Context;
use crate::check::declare::Declared;
use crate::check::declare::declarations::{Declarations, Place};
use crate::check::declare::directive::{self, DirectivePlace};
use crate::check::declare::outline::Outline;
use crate::check::names::binding::Binding;
use crate::check::report::Reporter;
use crate::diagnostics::check as diagnose;
use crate::tree::{
    Declaration, DeclarationSpace, Declarator, DeclaredType, Linkage, Name, SourceKind,
    StatementKind,
};
use warpgrid_isa::StateSpace;
use warpgrid_program::{
    Function, FunctionId, FunctionKind, LaunchBounds, Registers, Span, Variable, VariableId,
};

/// Reads all declarations of a module. A snippet declares nothing outside of its one body.
pub(crate) fn declare(context: Context<'_>, reporter: &mut Reporter) -> Declared {
    let mut pass = Pass {
        context,
        reporter,
        declared: Declared::default(),
        externs: Vec::new(),
    };
    match context.tree.kind {
        SourceKind::Module => pass.module(),
        SourceKind::Snippet => pass.snippet(),
    }
    pass.declared
}

/// The pass, and what it has found so far.
#[derive(Debug)]
pub(super) struct Pass<'a, 'r> {
    pub(super) context: Context<'a>,
    pub(super) reporter: &'r mut Reporter,
    pub(super) declared: Declared,
    /// Variables that are only declared so far: `.extern`.
    externs: Vec<u32>,
}

impl<'a> Pass<'a, '_> {
    fn module(&mut self) {
        let statements = &self.context.tree.statements;
        let mut index = 0;
        while let Some(statement) = statements.get(index) {
            index += 1;
            match statement.kind {
                StatementKind::Declaration(declaration) => self.declaration(declaration),
                StatementKind::Directive(own) => {
                    if let Some(own) = self.context.tree.directives.get(own as usize) {
                        directive::check(&self.context, own, DirectivePlace::Module, self.reporter);
                    }
                }
                StatementKind::FunctionStart(header) => {
                    index = self.definition(header, index, statement.span.end);
                }
                StatementKind::Prototype(header) => self.prototype(header),
                // The parser reports what belongs into bodies.
                StatementKind::Instruction(_)
                | StatementKind::Label(_)
                | StatementKind::BlockOpen
                | StatementKind::BlockClose
                | StatementKind::FunctionEnd(_)
                | StatementKind::Empty
                | StatementKind::Error => {}
            }
        }
    }

    /// A snippet is the body of a kernel.
    fn snippet(&mut self) {
        self.declared.functions.push(Function {
            name: "snippet".to_owned(),
            kind: FunctionKind::Entry,
            defined: true,
            parameters: Vec::new(),
            returns: Vec::new(),
            variables: Vec::new(),
            registers: Registers::default(),
            instructions: Vec::new(),
            operands: Vec::new(),
            labels: Vec::new(),
            bounds: LaunchBounds::default(),
            machine: None,
            span: Span::at(0),
        });
        let labels = &mut self.declared.labels;
        let outline = Outline::read(&self.context, FunctionId(0), (None, 0), 0, labels);
        self.declared.bodies.push(outline);
    }

    /// The checks of a declaration at this place of the module.
    pub(super) fn declarations(&mut self) -> Declarations<'a, '_> {
        Declarations::new(self.context, &self.declared, self.reporter)
    }

    fn declaration(&mut self, index: u32) {
        let tree = self.context.tree;
        let Some(declaration) = tree.declarations.get(index as usize) else {
            return;
        };
        let is_sound = self.declarations().check(declaration, Place::Module);
        for declarator in tree.declarators_of(declaration) {
            let Some(name) = declarator.name else {
                continue;
            };
            if declaration.space == DeclarationSpace::Reg {
                self.registers(declaration, declarator, name);
                continue;
            }
            let space = StateSpace::ParamFunc;
            let variable = self.declarations().variable(declaration, declarator, space);
            let Some(variable) = variable else {
                continue;
            };
            match declarator.count {
                None => self.variable(declaration, declarator, name, variable, is_sound),
                Some(count) => {
                    for (name, text) in self.context.numbered_names(&variable.name, count) {
                        let variable = Variable {
                            name: text,
                            ..variable.clone()
                        };
                        self.variable(declaration, declarator, name, variable, is_sound);
                    }
                }
            }
        }
    }

    /// Registers of the module, before PTX 3.0.
    fn registers(&mut self, declaration: &Declaration, declarator: &Declarator, name: Name) {
        let DeclaredType::Scalar(ty) = declaration.scalar else {
            return;
        };
        let n = declaration.vector.map_or(1, |v| v.n_elements()) as u8;
        let names = match declarator.count {
            None => vec![name],
            Some(count) => {
                let stem = self.context.name_text(name);
                let names = self.context.numbered_names(&stem, count);
                names.map(|(name, _)| name).collect()
            }
        };
        for name in names {
            self.stamp(name, Binding::Outer { ty, n }, declarator.name_span);
        }
    }

    /// Gives a name its meaning; whether it had none. Reports it where it had.
    fn stamp(&mut self, name: Name, binding: Binding, span: Span) -> bool {
        let stamped = self.declared.names.declare(name, binding, span);
        if let Err(first) = stamped {
            let text = self.context.name_text(name);
            self.reporter
                .report(diagnose::duplicate(&text, span, first));
        }
        stamped.is_ok()
    }

    fn variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        name: Name,
        mut variable: Variable,
        is_sound: bool,
    ) {
        let Some(place) = self.place(declaration, (name, declarator.name_span)) else {
            return;
        };
        if is_sound {
            let mut checks = self.declarations();
            checks.initialize(&mut variable, declaration, declarator);
        }
        match self.declared.variables.get_mut(place as usize) {
            // What is only declared again stays as it was.
            Some(_) if declaration.linkage == Some(Linkage::Extern) => {}
            Some(known) => *known = variable,
            None => self.declared.variables.push(variable),
        }
    }

    /// The number of a variable: a new one, or that of an `.extern` one that is declared again. `None`: the name means
    /// something else, and that is reported.
    fn place(&mut self, declaration: &Declaration, (name, span): (Name, Span)) -> Option<u32> {
        let new = self.declared.variables.len() as u32;
        let is_extern = declaration.linkage == Some(Linkage::Extern);
        let known = self.declared.names.get(name, u32::MAX);
        if let Some(Binding::Variable(VariableId::Module(index))) = known.map(|k| k.binding)
            && (is_extern || self.externs.binary_search(&index).is_ok())
        {
            return Some(index);
        }
        let binding = Binding::Variable(VariableId::Module(new));
        if let Err(first) = self.declared.names.declare(name, binding, span) {
            let text = self.context.name_text(name);
            self.reporter
                .report(diagnose::duplicate(&text, span, first));
            return None;
        }
        if is_extern {
            self.externs.push(new);
        }
        Some(new)
    }

    /// A function with a body, whose first statement has the index `start`; the index after its last one.
    fn definition(&mut self, header: u32, start: usize, at: u32) -> usize {
        let Some(function) = self.defined_function(header) else {
            return start;
        };
        let labels = &mut self.declared.labels;
        let outline = Outline::read(&self.context, function, (Some(header), at), start, labels);
        self.declared.bodies.push(outline);
        outline.statements.end as usize
    }
}
