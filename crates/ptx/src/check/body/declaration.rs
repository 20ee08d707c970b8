//! Declarations in a body: registers, register groups, and variables in all state spaces.

use crate::check::body::checker::{BodyChecker, find_variable};
use crate::check::body::function_builder::FunctionBuilder;
use crate::check::body::module_additions::ModuleAdditions;
use crate::check::context::Context;
use crate::check::declare::ModuleDeclarations;
use crate::check::declare::declarations::{DeclarationScope, Declarations, Validity};
use crate::check::names::binding::Binding;
use crate::check::names::lookup::{MAX_CANDIDATES, NameLookup};
use crate::check::names::scopes::Scopes;
use crate::diagnostics::check as diagnose;
use crate::tree::declaration::{Declaration, DeclarationSpace, Declarator, DeclaredType, Linkage};
use crate::tree::name::Name;
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{Function, Span, Variable, VariableId};

impl<'a> BodyChecker<'a, '_> {
    /// Checks the declaration with index `index`, and declares its names in the innermost scope.
    pub(crate) fn declaration(&mut self, index: u32) {
        let tree = self.tree;
        let Some(declaration) = tree.declarations.get(index as usize) else {
            return;
        };
        let validity =
            self.check_declaration(|checks| checks.check(declaration, DeclarationScope::Body));
        for declarator in tree.declarators_of(declaration) {
            match declaration.space {
                DeclarationSpace::Reg => self.declare_register(declaration, declarator),
                _ => self.declare_variable(declaration, declarator, validity),
            }
        }
    }

    /// Checks a declaration against the names that are in scope.
    pub(crate) fn check_declaration<T>(
        &mut self,
        check: impl FnOnce(&mut Declarations<'a, '_>) -> T,
    ) -> T {
        let names = BodyNameLookup {
            scopes: &self.names,
            declared: self.declared,
            made: self.made,
            function: self.function,
            body: &self.body,
        };
        let context = Context {
            source: self.source,
            tree: self.tree,
            module: self.module,
            given: self.given,
        };
        check(&mut Declarations::new(context, &names, self.reporter))
    }

    fn declare_register(&mut self, declaration: &Declaration, declarator: &Declarator) {
        let (Some(name), DeclaredType::Scalar(ty)) = (declarator.name, declaration.scalar) else {
            return;
        };
        let n = declaration.vector.map_or(1, |v| v.n_elements()) as u8;
        let span = declarator.name_span;
        let mut clash = self.declare_register_as(name, declarator.count, ty, n, span);
        if clash.is_err() && self.reopen_snippet() {
            clash = self.declare_register_as(name, declarator.count, ty, n, span);
        }
        if let Err(first) = clash {
            let text = span.text(self.source);
            self.report(diagnose::duplicate(text, span, first));
        }
    }

    fn declare_register_as(
        &mut self,
        name: Name,
        count: Option<u32>,
        ty: ScalarType,
        n: u8,
        span: Span,
    ) -> Result<(), Span> {
        match count {
            Some(count) => self.declare_registers(name, count, ty, n, span),
            None => {
                // A preceding group `x<4>` has already declared the name `x03` (assembler 13.5).
                let same = self.context().without_zeros(name);
                if let Some(first) = same.and_then(|name| self.names.group_clash(name)) {
                    return Err(first);
                }
                let text = self.context().name_text(name);
                let binding = self.add_register(&text, ty, n);
                self.names.declare(name, binding, span)
            }
        }
    }

    /// Declares the registers `name<count>`. If the name ends in a number, this number belongs to the stem of the group (`%r1<3>` declares
    /// `%r10` to `%r12`). Because groups with such stems are rare, each of their registers is declared individually.
    fn declare_registers(
        &mut self,
        name: Name,
        count: u32,
        ty: ScalarType,
        n: u8,
        span: Span,
    ) -> Result<(), Span> {
        self.names.declare_family(name, span)?;
        if name.number().is_none() {
            return self.names.declare_group(name.stem, count, ty, n, span);
        }
        let stem = self.context().name_text(name);
        for (name, text) in self.context().numbered_names(&stem, count) {
            let binding = self.add_register(&text, ty, n);
            // The assembler accepts register groups that overlap (assembler 13.5).
            match self.names.group_clash(name) {
                Some(_) => self.names.bind(name, binding, span),
                None => self.names.declare(name, binding, span)?,
            }
        }
        Ok(())
    }

    fn declare_variable(
        &mut self,
        declaration: &Declaration,
        declarator: &Declarator,
        validity: Validity,
    ) {
        let Some(name) = declarator.name else {
            return;
        };
        let space = StateSpace::ParamFunc;
        let variable =
            self.check_declaration(|checks| checks.variable(declaration, declarator, space));
        let Some(variable) = variable else {
            return;
        };
        let span = declarator.name_span;
        let place = |checker: &mut Self, name, variable| {
            if let Some(place) = checker.reserve(declaration, name, span) {
                checker.fill(place, variable, declaration, declarator, validity);
            }
        };
        match declarator.count {
            None => place(self, name, variable),
            Some(count) => {
                if let Err(first) = self.names.declare_family(name, span) {
                    self.report(diagnose::duplicate(span.text(self.source), span, first));
                    return;
                }
                for (name, text) in self.context().numbered_names(&variable.name, count) {
                    let variable = Variable {
                        name: text,
                        ..variable.clone()
                    };
                    place(self, name, variable);
                }
            }
        }
    }

    /// Declares the name of a variable, and returns its id, or `None` if the name is already declared.
    fn reserve(&mut self, declaration: &Declaration, name: Name, span: Span) -> Option<VariableId> {
        use DeclarationSpace as S;
        // A global or constant variable belongs to the module, because its lifetime exceeds that of the function, but the scope of its name
        // is the body.
        let in_module = matches!(declaration.space, S::Global | S::Const);
        if in_module
            && declaration.linkage == Some(Linkage::Extern)
            && let Binding::Variable(VariableId::Module(_)) = self.names.get(name)
        {
            return None;
        }
        let id = match in_module {
            true => self.made.next_variable(),
            false => self.next_variable(),
        };
        if let Err(first) = self.names.declare(name, Binding::Variable(id), span) {
            let text = self.context().name_text(name);
            self.report(diagnose::duplicate(&text, span, first));
            return None;
        }
        Some(id)
    }

    fn fill(
        &mut self,
        id: VariableId,
        mut variable: Variable,
        declaration: &Declaration,
        declarator: &Declarator,
        validity: Validity,
    ) {
        if validity == Validity::Valid {
            self.check_declaration(|checks| {
                checks.initialize(&mut variable, declaration, declarator);
            });
        }
        match id {
            VariableId::Module(_) => self.made.variables.push(variable),
            VariableId::Function(_) => self.body.variables.push(variable),
        }
    }
}

/// Lookup of the names in scope, for the checks of declarations.
struct BodyNameLookup<'b, 'd> {
    scopes: &'b Scopes<'d>,
    declared: &'b ModuleDeclarations,
    made: &'b ModuleAdditions,
    function: &'b Function,
    body: &'b FunctionBuilder,
}

impl NameLookup for BodyNameLookup<'_, '_> {
    fn declared(&self, name: Name) -> Binding {
        self.scopes.get(name)
    }

    fn space_of(&self, variable: VariableId) -> StateSpace {
        let found = find_variable(variable, self.declared, self.made, self.function, self.body);
        found.map_or(StateSpace::Generic, |variable| variable.space)
    }

    fn candidates(&self) -> Vec<Name> {
        self.scopes.in_scope().take(MAX_CANDIDATES).collect()
    }
}
