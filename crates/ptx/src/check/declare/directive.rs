//! Directives of functions and bodies. In: a header or a directive; out: diagnostics where version, target, numbers or
//! the directives beside it do not go with it.

use crate::check::Checker;
use crate::diagnostics::declarations as diagnose;
use crate::diagnostics::rules::special_gate;
use crate::tree::{Directive, DirectiveKind, FunctionHeader, OperandKind};
use warpgrid_isa::directives::{PRAGMAS, directive};

impl Checker<'_> {
    /// Checks the directives between the head and the body of a function.
    pub(crate) fn check_performance(&mut self, header: &FunctionHeader) {
        let tree = self.tree;
        for own in header.directives.of(&tree.directives) {
            self.check_directive(own, false);
            let text = own.word.text(self.source);
            if text == ".noreturn" && !header.returns.is_empty() {
                self.report(diagnose::returns_nothing(own.word));
            }
            let Some(row) = directive(text) else { continue };
            let has = |word: &str| {
                let mut others = header.directives.of(&tree.directives).iter();
                others.any(|other| other.word.text(self.source) == word)
            };
            let clash = row.excludes.iter().find(|word| has(word));
            let lack = row.needs.iter().find(|word| !has(word));
            let problems = [
                clash.map(|word| diagnose::directives_clash(own.word, text, word)),
                lack.map(|word| diagnose::directive_needs(own.word, text, word)),
            ];
            for problem in problems.into_iter().flatten() {
                self.report(problem);
            }
            let first = tree.arguments_of(own).next();
            if row.is_positive
                && let Some((operand, _)) = first
                && matches!(operand.kind, OperandKind::Integer { value: 0, .. })
            {
                self.report(diagnose::directive_of_zero(operand.span, text));
            }
        }
    }

    /// Checks whether version and target have a directive; pragmas for single instructions are inside of bodies.
    pub(crate) fn check_directive(&mut self, own: &Directive, in_body: bool) {
        if own.kind == DirectiveKind::Pragma {
            self.check_pragma(own, in_body);
            return;
        }
        let text = own.word.text(self.source);
        let Some(row) = directive(text) else { return };
        if let Some(until) = row.until
            && self.module.version >= until
        {
            self.report(diagnose::directive_ended(own.word, text, until));
        }
        if !self.module.meets(row.gate) {
            let problem = special_gate(text, own.word, row.gate, &self.module);
            self.report(problem);
        }
    }

    fn check_pragma(&mut self, own: &Directive, in_body: bool) {
        let text = own.span.text(self.source);
        let Some((word, gate)) = PRAGMAS
            .iter()
            .copied()
            .find(|(word, _)| text.contains(word))
        else {
            return;
        };
        if !self.module.meets(gate) {
            let problem = special_gate(word, own.span, gate, &self.module);
            self.report(problem);
        }
        if word == "used_bytes_mask" && !in_body {
            self.report(diagnose::pragma_place(own.span, word));
        }
    }
}
