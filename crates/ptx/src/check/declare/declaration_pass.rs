//! Declaration pass: collects the declarations of a module from its module-scope statements.

use crate::check::context::Context;
use crate::check::declare::body_outline::Outline;
use crate::check::declare::declarations::{DeclarationScope, Declarations, Validity};
use crate::check::declare::directive;
use crate::check::declare::directive::DirectiveContext;
use crate::check::declare::redeclaration::DeclarationSignature;
use crate::check::declare::{ModuleDeclarations, debug, redeclaration};
use crate::check::diagnostic_sink::DiagnosticSink;
use crate::check::names::binding::Binding;
use crate::check::names::module_names::Definition;
use crate::check::names::name_map::NameMap;
use crate::diagnostics::check as diagnose;
use crate::diagnostics::declarations as diagnose_declarations;
use crate::tree::declaration::{
    Declaration, DeclarationSpace, Declarator, DeclaredType, Directive, DirectiveKind,
    FunctionHeader, Linkage,
};
use crate::tree::name::Name;
use crate::tree::{SourceKind, StatementKind};
use warpgrid_isa::{SpecialRegister, StateSpace};
use warpgrid_program::{
    Function, FunctionId, FunctionKind, LaunchBounds, Registers, Span, Variable, VariableId,
};

/// Collects all declarations of a module. A snippet declares only the function of its body.
pub(crate) fn declare(context: Context<'_>, reporter: &mut DiagnosticSink) -> ModuleDeclarations {
    let mut pass = DeclarationPass {
        context,
        reporter,
        declared: ModuleDeclarations::default(),
        heads: Vec::new(),
        open: None,
        aliases: Vec::new(),
        known: Vec::new(),
        families: NameMap::default(),
        externs: Vec::new(),
    };
    match context.tree.kind {
        SourceKind::Module => {
            pass.module();
            pass.resolve();
            debug::check(&context, pass.reporter);
        }
        SourceKind::Snippet => pass.snippet(),
    }
    pass.declared
}

/// State of the declaration pass: the declarations so far, and the information about them that later statements require.
#[derive(Debug)]
pub(crate) struct DeclarationPass<'a, 'r> {
    pub(crate) context: Context<'a>,
    pub(crate) reporter: &'r mut DiagnosticSink,
    pub(crate) declared: ModuleDeclarations,
    /// Index in the tree of the header of the first declaration of each function.
    pub(crate) heads: Vec<u32>,
    /// Function whose body the pass is processing. The body may contain another declaration of this function.
    pub(crate) open: Option<FunctionId>,
    /// Aliases of functions, each with the function to which it refers.
    pub(crate) aliases: Vec<(FunctionId, FunctionId)>,
    /// First declaration of each variable.
    known: Vec<(Declaration, Declarator)>,
    /// First declaration of each register group, such as `x<4>`, by the name of the group before the `<`.
    families: NameMap<(Declaration, Declarator)>,
    /// Indices of the variables that are declared `.extern` and have not been defined.
    externs: Vec<u32>,
}

impl<'a> DeclarationPass<'a, '_> {
    fn module(&mut self) {
        let statements = &self.context.tree.statements;
        let mut index = 0;
        while let Some(statement) = statements.get(index) {
            index += 1;
            match statement.kind {
                StatementKind::Declaration(declaration) => self.declaration(declaration),
                StatementKind::Directive(own) => {
                    if let Some(own) = self.context.tree.directives.get(own as usize) {
                        directive::check(
                            &self.context,
                            own,
                            DirectiveContext::Module,
                            self.reporter,
                        );
                        self.module_directive(own);
                    }
                }
                StatementKind::FunctionStart(header) => {
                    index = self.definition(header, index, statement.span.end);
                }
                StatementKind::Prototype(header) => self.prototype(header),
                // The parser reports statements that are permitted only in bodies.
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

    fn module_directive(&mut self, own: &Directive) {
        if own.kind == DirectiveKind::Alias {
            self.alias(own);
        }
    }

    /// Returns the header of the first declaration of a function in the tree.
    pub(crate) fn head(&self, function: FunctionId) -> Option<&'a FunctionHeader> {
        let index = self.heads.get(function.0 as usize)?;
        self.context.tree.functions.get(*index as usize)
    }

    /// Reports functions that are neither defined nor declared `.extern`, and makes each alias denote its function.
    fn resolve(&mut self) {
        for (alias, function) in std::mem::take(&mut self.aliases) {
            if let Some(known) = self.declared.functions.get_mut(alias.0 as usize) {
                known.defined = true;
            }
            if let Some(name) = self.head(alias).and_then(|head| head.name) {
                let binding = Binding::Function(function);
                self.declared.names.replace(name, binding);
            }
        }
        for index in 0..self.declared.functions.len() as u32 {
            let id = FunctionId(index);
            let is_open = self.declared.function(id).is_some_and(|f| !f.defined);
            let Some(head) = self.head(id).filter(|_| is_open) else {
                continue;
            };
            if head.linkage != Some(Linkage::Extern) {
                let name = head.name_span.text(self.context.source);
                self.reporter
                    .report(diagnose_declarations::unresolved(head, name));
            }
        }
    }

    /// Adds the kernel whose body is the snippet.
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
            results: Vec::new(),
            bounds: LaunchBounds::default(),
            machine: None,
            span: Span::at(0),
        });
        let labels = &mut self.declared.labels;
        let outline = Outline::read(&self.context, FunctionId(0), None, 0, 0, labels);
        self.declared.bodies.push(outline);
    }

    /// Returns the checks of declarations at the current position of the module.
    pub(crate) fn declarations(&mut self) -> Declarations<'a, '_> {
        Declarations::new(self.context, &self.declared, self.reporter)
    }

    fn declaration(&mut self, index: u32) {
        let tree = self.context.tree;
        let Some(declaration) = tree.declarations.get(index as usize) else {
            return;
        };
        let validity = self
            .declarations()
            .check(declaration, DeclarationScope::Module);
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
            self.note_handle(declaration, declarator);
            match declarator.count {
                None => self.variable(declaration, declarator, name, variable, validity),
                Some(count) => {
                    if !self.family(DeclarationSignature::of(declaration, declarator), name) {
                        continue;
                    }
                    for (name, text) in self.context.numbered_names(&variable.name, count) {
                        let variable = Variable {
                            name: text,
                            ..variable.clone()
                        };
                        self.variable(declaration, declarator, name, variable, validity);
                    }
                }
            }
        }
    }

    /// Declares the name of a register group, and returns whether the registers of the group can be declared. The name of a group is
    /// distinct from the names of its members. Like the name of a variable, the name of a group can be redeclared, even with a different
    /// count (assembler 13.5).
    fn family(&mut self, again: DeclarationSignature<'_>, name: Name) -> bool {
        let Some((declaration, declarator)) = self.families.get(name).copied() else {
            self.families
                .get_or_insert(name, (*again.declaration, *again.declarator));
            return true;
        };
        let is_extern = |declaration: &Declaration| declaration.linkage == Some(Linkage::Extern);
        if is_extern(&declaration) || is_extern(again.declaration) {
            let is_same =
                self.check_same(DeclarationSignature::of(&declaration, &declarator), again);
            if is_same && !is_extern(again.declaration) {
                *self
                    .families
                    .get_or_insert(name, (*again.declaration, *again.declarator)) =
                    (*again.declaration, *again.declarator);
            }
            return is_same;
        }
        let (span, first) = (again.declarator.name_span, declarator.name_span);
        let problem = diagnose::duplicate(span.text(self.context.source), span, first);
        self.reporter.report(problem);
        false
    }

    /// Records that a declarator declares a texture, sampler or surface handle.
    pub(crate) fn note_handle(&mut self, declaration: &Declaration, declarator: &Declarator) {
        let is_number = matches!(declaration.scalar, DeclaredType::Scalar(_));
        if !is_number && declarator.dimensions.is_empty() {
            self.declared.handles.push(declarator.span);
        }
    }

    /// Declares registers at module scope (PTX versions before 3.0).
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

    /// Declares a name at module scope, and returns whether the name is new. Reports a name that is already declared.
    pub(crate) fn stamp(&mut self, name: Name, binding: Binding, span: Span) -> bool {
        let text = span.text(self.context.source);
        // The table of special registers contains the components of `%tid`, but not `%tid` itself, so look up the component `.x`.
        let first = text.starts_with('%').then(|| format!("{text}.x"));
        let mut names = [Some(text), first.as_deref()].into_iter().flatten();
        if names.any(|name| SpecialRegister::from_name(name).is_some()) {
            let problem = diagnose_declarations::special_name(text, span);
            self.reporter.report(problem);
        }
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
        validity: Validity,
    ) {
        let Some(place) = self.place(declaration, declarator, name) else {
            return;
        };
        if validity == Validity::Valid {
            let mut checks = self.declarations();
            checks.initialize(&mut variable, declaration, declarator);
        }
        match self.declared.variables.get_mut(place as usize) {
            // An `.extern` redeclaration does not change the existing variable.
            Some(_) if declaration.linkage == Some(Linkage::Extern) => {}
            Some(known) => *known = variable,
            None => self.declared.variables.push(variable),
        }
    }

    /// Returns the index of a declared variable: the index of the first declaration if an `.extern` variable is redeclared, otherwise a new
    /// index. Reports an error and returns `None` if the name already has a different meaning.
    fn place(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        name: Name,
    ) -> Option<u32> {
        let new = self.declared.variables.len() as u32;
        let span = declarator.name_span;
        let is_extern = declaration.linkage == Some(Linkage::Extern);
        let known = self.declared.names.get(name, u32::MAX);
        if let Some(Definition {
            binding: Binding::Variable(VariableId::Module(index)),
            ..
        }) = known
        {
            let open = self.externs.binary_search(&index);
            if is_extern || open.is_ok() {
                if let Some((declared, as_declared)) = self.known.get(index as usize).copied() {
                    let first = DeclarationSignature::of(&declared, &as_declared);
                    self.check_same(first, DeclarationSignature::of(declaration, declarator));
                }
                if let (false, Ok(place)) = (is_extern, open) {
                    self.externs.remove(place);
                }
                return Some(index);
            }
        }
        if !self.stamp(name, Binding::Variable(VariableId::Module(new)), span) {
            return None;
        }
        self.known.push((*declaration, *declarator));
        if is_extern {
            self.externs.push(new);
        }
        Some(new)
    }

    /// Checks the redeclaration of a variable: both declarations must have the same type, and a definition must be visible to other
    /// modules.
    fn check_same(
        &mut self,
        first: DeclarationSignature<'_>,
        again: DeclarationSignature<'_>,
    ) -> bool {
        let (span, place) = (again.declarator.name_span, first.declarator.name_span);
        let text = span.text(self.context.source);
        if !redeclaration::has_type(&self.context, first, again) {
            let problem = diagnose_declarations::redeclared(text, span, place, "different types");
            self.reporter.report(problem);
        } else if again.declaration.linkage.is_none() {
            let problem =
                diagnose_declarations::hidden_definition(text, again.declaration.span, span, place);
            self.reporter.report(problem);
        } else {
            return true;
        }
        false
    }

    /// Processes a function whose body starts at the statement with index `start`. Returns the index of the statement after the function.
    fn definition(&mut self, header: u32, start: usize, at: u32) -> usize {
        let Some(function) = self.defined_function(header) else {
            return start;
        };
        let labels = &mut self.declared.labels;
        let outline = Outline::read(&self.context, function, Some(header), at, start, labels);
        self.declared.bodies.push(outline);
        if outline.declares {
            self.open = Some(function);
            self.within_body(outline);
            self.open = None;
        }
        outline.statements.end as usize
    }

    /// Processes the function declarations within a body, because these functions belong to the module.
    fn within_body(&mut self, outline: Outline) {
        for statement in outline.statements.of(&self.context.tree.statements) {
            match statement.kind {
                StatementKind::Prototype(header) => self.prototype(header),
                StatementKind::Directive(own) => {
                    if let Some(own) = self.context.tree.directives.get(own as usize) {
                        self.module_directive(own);
                    }
                }
                _ => {}
            }
        }
    }
}
