//! Pass over the statements of one function body.

use crate::check::body::checker::BodyChecker;
use crate::check::body::operand::InstructionSite;
use crate::check::declare::directive;
use crate::check::declare::directive::DirectiveContext;
use crate::check::names::binding::Binding;
use crate::check::resolved_opcodes::families::{ExtraOperandCheck, OperandGrammar};
use crate::check::resolved_opcodes::resolved_opcode::ResolvedOpcode;
use crate::diagnostics::check as diagnose;
use crate::tree::StatementKind;
use crate::tree::declaration::{Directive, DirectiveKind, FunctionDirective};
use crate::tree::operand::{Operand, OperandKind};
use warpgrid_isa::{ScalarType, SlotName};
use warpgrid_program::{
    Diagnostic, Guard, Instruction, OpcodeId, OperandList, OperandValue, Span, StepGrouping,
};

impl<'a> BodyChecker<'a, '_> {
    /// Checks all statements of the body in source order.
    pub(crate) fn run(&mut self) {
        let tree = self.tree;
        let header = self.outline.header;
        let header = header.and_then(|header| tree.functions.get(header as usize));
        match header {
            Some(header) => self.start(header),
            None => self.snippet_start(),
        }
        // Treat a snippet, which has no header, as the body of a kernel.
        let sort = header.map_or(FunctionDirective::Entry, |header| header.sort);
        // The rules for prototypes depend on the kind of the most recent function header. A function declaration in the body of a
        // kernel therefore changes the rules for the prototypes after it (assembler 13.5).
        let mut last = sort;
        for statement in self.outline.statements.of(&tree.statements) {
            match &statement.kind {
                StatementKind::Instruction(instruction) => {
                    self.instruction(instruction, statement.span);
                }
                StatementKind::Label(name) => self.place_label(*name),
                StatementKind::Declaration(declaration) => self.declaration(*declaration),
                StatementKind::Directive(index) => {
                    if let Some(own) = tree.directives.get(*index as usize) {
                        let place = DirectiveContext::Body(sort);
                        directive::check(&self.context(), own, place, self.reporter);
                        self.table_of_targets(own, last);
                        // The mask remains in effect if other directives, such as `.loc`, are between the pragma and the load.
                        let used_bytes = directive::used_bytes(&self.context(), own);
                        self.body.used_bytes = used_bytes.or(self.body.used_bytes);
                    }
                }
                // A function declaration in a body declares the function in the module.
                StatementKind::Prototype(header) => {
                    self.inner_function(*header);
                    last = FunctionDirective::Func;
                    self.names.reach(statement.span.end);
                }
                // The parser reports functions within functions.
                StatementKind::FunctionStart(_) | StatementKind::Empty | StatementKind::Error => {}
                StatementKind::FunctionEnd(_) => self.end(statement.span),
                StatementKind::BlockOpen => self.block_open(),
                StatementKind::BlockClose => self.names.close(),
            }
        }
        if header.is_none() {
            self.end(Span::at(self.source.len() as u32));
        }
    }

    /// Reports a function declaration whose name is already declared in the innermost scope. The name of the function itself is
    /// always permitted, even if its body declares the name differently (assembler 13.5).
    fn inner_function(&mut self, header: u32) {
        let header = self.tree.functions.get(header as usize);
        let Some((name, span)) = header.and_then(|header| Some((header.name?, header.name_span)))
        else {
            return;
        };
        if span.text(self.source) == self.function.name {
            return;
        }
        let clash = self.names.clash(name);
        // Ignore a label after this statement, because it is not declared yet.
        if let Some(first) = clash.filter(|first| first.start < span.start) {
            self.report(diagnose::duplicate(span.text(self.source), span, first));
        }
    }

    /// Checks the entries of a `.calltargets` or `.branchtargets` table, or a call prototype.
    fn table_of_targets(&mut self, own: &'a Directive, sort: FunctionDirective) {
        match own.kind {
            DirectiveKind::BranchTargets => self.branch_table(own),
            DirectiveKind::CallTargets => self.call_table(own),
            DirectiveKind::CallPrototype => {
                let header = own.prototype.checked_sub(1);
                let header = header.and_then(|header| self.tree.functions.get(header as usize));
                let Some(header) = header else { return };
                self.check_declaration(|checks| {
                    checks.check_parameters(header, Some(sort));
                    if sort == FunctionDirective::Func {
                        checks.refuse_textures(header);
                    }
                });
                directive::check_of_function(&self.context(), header, self.reporter);
            }
            _ => {}
        }
    }

    fn block_open(&mut self) {
        self.names.open();
        self.body.n_blocks += 1;
        self.declare_labels(self.body.n_blocks);
    }

    fn instruction(&mut self, instruction: &'a crate::tree::Instruction, span: Span) {
        let tree = self.tree;
        let Some(plan) = self.plans.get(instruction.mnemonic) else {
            return;
        };
        let site = InstructionSite {
            instruction,
            plan,
            span,
            operands: tree.operands_of(instruction),
        };
        if !plan.problems.is_empty() {
            self.report_problems(&site);
        }
        self.body.is_representable = true;
        let guard = match tree.guard(instruction) {
            Some(guard) => self.guard(guard, span),
            None => None,
        };
        self.body.mnemonic = instruction.mnemonic;
        let used_bytes = self.body.used_bytes.take();
        self.body.preceding.clear();
        let operands = match self.lower(&site) {
            Some(operands) => operands,
            // Add no instruction, because a source with errors does not produce a program.
            None if self.reporter.n_errors() > 0 => return,
            // The instruction is legal, but cannot be lowered. Add an unknown operation, so that execution stops at this instruction.
            None => {
                self.body.is_representable = false;
                self.body.close_list(self.body.operands.len())
            }
        };
        if let Some(used_bytes) = used_bytes {
            self.leave_unused(operands, plan, used_bytes);
        }
        let action = match self.body.is_representable {
            true => OpcodeId(instruction.mnemonic.0),
            false => self.unsayable(&site),
        };
        if !self.body.preceding.is_empty() {
            for inserted in std::mem::take(&mut self.body.preceding) {
                self.insert_before(inserted.in_step(span, guard));
            }
        }
        self.body.instructions.push(Instruction {
            guard,
            opcode: action,
            operands,
            step: StepGrouping::Whole,
            span,
        });
    }

    /// Replaces the destination elements of a load whose bytes are unused by sinks.
    #[cold]
    fn leave_unused(&mut self, operands: OperandList, plan: &ResolvedOpcode, used_bytes: u64) {
        let Some(bound) = &plan.bound else { return };
        if plan.grammar != OperandGrammar::Row(ExtraOperandCheck::Load) {
            return;
        }
        let size = bound
            .scalar(SlotName::Type)
            .map_or(0, |ty| ty.width_bytes());
        let first = self.body.operands.get(operands.start as usize);
        let Some(OperandValue::List(list)) = first.map(|operand| operand.value.clone()) else {
            return;
        };
        if !(1..=16).contains(&size) {
            return;
        }
        let elements = self.body.operands.iter_mut().skip(list.start as usize);
        for (index, element) in (0..list.n).zip(elements) {
            let bytes = used_bytes.checked_shr(index * size).unwrap_or(0) & ((1 << size) - 1);
            if bytes == 0 {
                element.value = OperandValue::Destination(None);
            }
        }
    }

    /// Reports the diagnostics of the instruction's opcode, and adds fixes that also change the operands.
    #[cold]
    fn report_problems(&mut self, site: &InstructionSite<'a>) {
        let other_way = self.as_two_words(site);
        for problem in &site.plan.problems {
            let mut moved = moved(problem, site.plan.first, site.instruction.mnemonic_start);
            let fitting = other_way.iter().filter(|(span, _)| *span == moved.span);
            moved.fixes.extend(fitting.map(|(_, fix)| fix.clone()));
            self.report(moved);
        }
    }

    fn guard(&mut self, guard: &crate::tree::Guard, span: Span) -> Option<Guard> {
        match self.binding(guard.name, guard.name_span) {
            Binding::Register(predicate) => {
                let ty = self.body.type_of(predicate);
                if ty == ScalarType::Pred {
                    return Some(Guard {
                        predicate,
                        negated: guard.negated,
                    });
                }
                self.report(diagnose::guard_type(guard.name_span, ty));
            }
            Binding::None => self.unknown(guard.name_span),
            // In the program representation, a guard must be a register. Copy the special register to a predicate first.
            Binding::Special(special) if special.fits(ScalarType::Pred) => {
                let (predicate, computed) = self.special_predicate(special);
                for inserted in computed {
                    self.insert_before(inserted.in_step(span, None));
                }
                return Some(Guard {
                    predicate,
                    negated: guard.negated,
                });
            }
            _ => self.report(diagnose::guard_type(guard.name_span, ScalarType::B32)),
        }
        None
    }

    /// Returns whether the names of an operand are declared, and reports undeclared names.
    pub(crate) fn names_known(&mut self, operand: &Operand) -> bool {
        let name = match operand.kind {
            OperandKind::Name(name)
            | OperandKind::Not(name)
            | OperandKind::Minus(name)
            | OperandKind::Component { name, .. }
            | OperandKind::Address { base: name, .. }
            | OperandKind::Sum { name, .. }
            | OperandKind::Indexed { name, .. } => name,
            OperandKind::Pair { first, second } => {
                let both = [first, second].into_iter().flatten();
                let unknown = both
                    .filter(|name| self.binding(*name, operand.span) == Binding::None)
                    .count();
                if unknown > 0 {
                    self.unknown(operand.span);
                }
                return unknown == 0;
            }
            _ => return true,
        };
        if self.binding(name, operand.span) != Binding::None {
            return true;
        }
        if let OperandKind::Component { .. } = operand.kind {
            let text = operand.span.text(self.source);
            if warpgrid_isa::SpecialRegister::from_name(text).is_some() {
                return true;
            }
        }
        self.unknown(operand.span);
        false
    }
}

/// Returns a copy of the diagnostic of an opcode, with its spans moved from the first occurrence of the opcode to another occurrence.
pub(crate) fn moved(problem: &Diagnostic, first: Span, start: u32) -> Diagnostic {
    let mut problem = problem.clone();
    if start == first.start {
        return problem;
    }
    let shift = |span: &mut Span| {
        if span.start.saturating_add(1) >= first.start && span.end <= first.end {
            span.start = (span.start + start).saturating_sub(first.start);
            span.end = (span.end + start).saturating_sub(first.start);
        }
    };
    shift(&mut problem.span);
    problem
        .labels
        .iter_mut()
        .for_each(|label| shift(&mut label.span));
    let edits = problem.fixes.iter_mut().flat_map(|fix| &mut fix.edits);
    edits.for_each(|edit| shift(&mut edit.span));
    problem
}
