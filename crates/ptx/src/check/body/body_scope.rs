//! Start and end of the check of a body: declares parameters and labels, and completes the body.

use crate::check::body::checker::Body;
use crate::check::body::checker::BodyChecker;
use crate::check::declare::function::parameter_names;
use crate::check::declare::memory;
use crate::check::names::binding::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::SourceKind;
use crate::tree::declaration::FunctionHeader;
use warpgrid_isa::{ControlOp, Modifiers, Operation};
use warpgrid_program::{
    FunctionKind, Instruction, OpcodeInfo, OperandList, OperandValue, Parameter, RegisterId, Span,
    StepGrouping,
};

impl<'a> BodyChecker<'a, '_> {
    /// Opens the scope of the function with its parameters and labels.
    pub(crate) fn start(&mut self, header: &'a FunctionHeader) {
        self.names.open();
        let (declarations, function) = (&self.tree.declarations, self.function);
        self.declare_parameters(header.returns.of(declarations), &function.returns);
        self.declare_parameters(header.parameters.of(declarations), &function.parameters);
        self.declare_labels(0);
    }

    fn declare_parameters(
        &mut self,
        declarations: &'a [crate::tree::declaration::Declaration],
        parameters: &[Parameter],
    ) {
        let tree = self.tree;
        let declarators = |declaration: &'a crate::tree::declaration::Declaration| {
            tree.declarators_of(declaration)
        };
        parameter_names(
            declarations,
            declarators,
            self.function,
            parameters,
            |name, binding, span| {
                if let Err(first) = self.names.declare(name, binding, span) {
                    let text = self.context().name_text(name);
                    self.report(diagnose::duplicate(&text, span, first));
                }
            },
        );
    }

    /// Completes the body at its closing brace.
    pub(crate) fn end(&mut self, span: Span) {
        if self.function.kind == FunctionKind::Entry {
            let n_parameters = self.function.parameters.len();
            let parameters = self.function.variables.get(..n_parameters).unwrap_or(&[]);
            let kernel = self.function.span;
            let problem = memory::check_parameters(parameters, self.module, kernel);
            problem.into_iter().for_each(|problem| self.report(problem));
        }
        // Add an implicit return instruction. Labels at the end of the body refer to this instruction.
        let action = self.made.action(OpcodeInfo {
            operation: Operation::Control(ControlOp::Return),
            modifiers: Modifiers::default(),
            opcode: "ret".to_owned(),
        });
        self.body.instructions.push(Instruction {
            guard: None,
            opcode: action,
            operands: OperandList::default(),
            step: StepGrouping::Whole,
            span,
        });
        self.place_branches();
        let labels = self.placed_labels();
        let results = self.registers_in_scope();
        let body = &mut self.body;
        self.finished = Some(Body {
            function: self.outline.function,
            parameters: std::mem::take(&mut body.parameters),
            is_of_one_thread: self.snippet.n_threads == 1,
            variables: std::mem::take(&mut body.variables),
            // Clone the vectors, so that the body contains vectors of the exact size and the next function reuses the capacity of the
            // builder.
            registers: body.registers.clone(),
            results,
            instructions: std::mem::take(&mut body.instructions),
            operands: std::mem::take(&mut body.operands),
            labels,
            end: span,
        });
    }

    /// Returns the registers that are in scope at the end of a snippet, in the order of their declarations. Returns an empty list for the
    /// body of a function.
    fn registers_in_scope(&self) -> Vec<RegisterId> {
        if self.tree.kind != SourceKind::Snippet {
            return Vec::new();
        }
        let names = self.names.in_scope();
        let registers = names.flat_map(|name| match self.names.get(name) {
            Binding::Register(RegisterId(register)) => register..register + 1,
            Binding::Vector {
                first: RegisterId(first),
                n,
            } => first..first + u32::from(n),
            _ => 0..0,
        });
        let mut results: Vec<RegisterId> = registers.map(RegisterId).collect();
        results.sort_by_key(|register| register.0);
        results.dedup();
        results
    }

    fn placed_labels(&self) -> Vec<(u32, String)> {
        let all = self.labels().iter().zip(&self.body.label_places);
        let placed = all.filter(|(_, at)| **at != u32::MAX);
        let mut labels: Vec<_> = placed
            .map(|(label, at)| (*at, self.context().name_text(label.name)))
            .collect();
        labels.sort_by_cached_key(|(at, _)| u64::from(*at));
        labels
    }

    /// Declares the labels of the brace scope that has just been opened.
    pub(crate) fn declare_labels(&mut self, block: u32) {
        let labels = self.labels();
        let start = labels.partition_point(|label| label.block < block);
        let own = labels.iter().enumerate().skip(start);
        for (index, label) in own.take_while(|(_, label)| label.block == block) {
            let binding = match label.table.checked_sub(1) {
                Some(directive) => Binding::Table(directive),
                None => Binding::Label(index as u32),
            };
            if let Err(first) = self.names.declare(label.name, binding, label.span) {
                let text = self.context().name_text(label.name);
                self.report(diagnose::duplicate(&text, label.span, first));
            }
        }
    }

    /// Records the index of the next instruction as the position of a label.
    pub(crate) fn place_label(&mut self, name: crate::tree::name::Name) {
        let at = self.body.instructions.len() as u32;
        let index = match self.names.get(name) {
            Binding::Label(index) => Some(index),
            Binding::Table(directive) => self.label_of_table(directive),
            _ => None,
        };
        if let Some(index) = index
            && let Some(place) = self.body.label_places.get_mut(index as usize)
            && *place == u32::MAX
        {
            *place = at;
        }
    }

    /// Converts the label indices in branch operands to instruction indices at the end of the body.
    fn place_branches(&mut self) {
        let places = &self.body.label_places;
        let end = self.body.instructions.len() as u32;
        let place = |label: &mut u32| {
            let at = places.get(*label as usize).map_or(end, |at| *at);
            *label = at.min(end);
        };
        for index in &self.body.branches {
            let operand = self.body.operands.get_mut(*index as usize);
            if let Some(OperandValue::Label(target)) = operand.map(|operand| &mut operand.value) {
                place(target);
            }
        }
        self.body.branches.clear();
    }
}
