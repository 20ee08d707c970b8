//! Checks `.alias`, which declares a second name of a function (PTX ISA, "Kernel and Function Directives: .alias"; assembler
//! 13.5). After the directive, the name denotes the aliased function.

use crate::check::declare::declaration_pass::DeclarationPass;
use crate::check::declare::redeclaration;
use crate::check::names::binding::Binding;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::declaration::{Directive, Linkage};
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::Gate;
use warpgrid_program::{FunctionId, FunctionKind};

const ALIASES: Gate = Gate::ptx(6, 3).sm(30);

impl DeclarationPass<'_, '_> {
    /// Processes a directive `.alias name, function;`.
    pub(crate) fn alias(&mut self, own: &Directive) {
        let module = self.context.module;
        if !module.meets(ALIASES) {
            let problem = special_gate(".alias", own.word, ALIASES, module);
            self.reporter.report(problem);
        }
        let operands = self.context.tree.arguments_of(own);
        let mut operands = operands.map(|(operand, _)| operand);
        let (Some(name), Some(of)) = (operands.next(), operands.next()) else {
            return;
        };
        let (Some(alias), Some(function)) = (self.aliased(name), self.aliased(of)) else {
            return;
        };
        match self.alias_problem(alias, function) {
            Some(reason) => self
                .reporter
                .report(diagnose::alias(name.span, of.span, reason)),
            None => self.aliases.push((alias, function)),
        }
    }

    /// Returns the function that the operand names if the declaration of the function precedes the alias. Reports an error for all other
    /// operands.
    fn aliased(&mut self, operand: &Operand) -> Option<FunctionId> {
        let OperandKind::Name(name) = operand.kind else {
            return None;
        };
        let stamp = self.declared.names.get(name, operand.span.start);
        let reason = match stamp.map(|stamp| stamp.binding) {
            Some(Binding::Function(id)) => {
                let function = self.declared.function(id)?;
                if function.kind == FunctionKind::Function {
                    return Some(id);
                }
                "a kernel cannot have an alias"
            }
            Some(_) => "a variable cannot have an alias",
            None => {
                self.declarations().report_unknown(operand.span);
                return None;
            }
        };
        let problem = diagnose::alias(operand.span, operand.span, reason);
        self.reporter.report(problem);
        None
    }

    fn alias_problem(&self, alias: FunctionId, function: FunctionId) -> Option<&'static str> {
        let is_alias = |id| self.aliases.iter().any(|(known, _)| *known == id);
        if alias == function {
            return Some("a function cannot be an alias of itself");
        }
        if is_alias(alias) {
            return Some("the name is already declared as an alias");
        }
        if is_alias(function) {
            return Some("an alias must refer to a function, not to another alias");
        }
        if self.declared.function(alias)?.defined {
            return Some("the alias has a body");
        }
        let (own, other) = (self.head(alias)?, self.head(function)?);
        match other.linkage {
            Some(Linkage::Weak) => return Some("a `.weak` function may be replaced at link time"),
            Some(Linkage::Extern) => {
                return Some("an `.extern` function is defined in another module");
            }
            Some(Linkage::Visible | Linkage::Common) | None => {}
        }
        let differs = redeclaration::signature_difference(&self.context, own, other);
        differs.map(|_| "both names must be declared with the same parameters and directives")
    }
}
