//! Calls: what is called, and with which arguments and results.

use crate::check::body::checker::BodyChecker;
use crate::check::body::lower::{register as register_source, source};
use crate::check::body::operand::Site;
use crate::check::names::binding::Binding;
use crate::check::plans::plan::Plan;
use crate::diagnostics::check as diagnose;
use crate::tree::{Directive, FunctionHeader, Operand, OperandKind, Operands};
use warpgrid_isa::{Fit, ScalarType, StateSpace};
use warpgrid_program::{
    Callee, Function, FunctionId, FunctionKind, OperandValue, Parameter, RegisterId, Source,
    Variable, VariableId,
};

/// Functions that the driver provides.
const SYSTEM: &[&str] = &[
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaDeviceSynchronize",
];

/// The parts of a call, in the order of the text.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'t> {
    returns: Option<Operands<'t>>,
    target: Option<&'t Operand>,
    arguments: Option<Operands<'t>>,
    table: Option<&'t Operand>,
}

impl<'a> BodyChecker<'a, '_> {
    /// `call (returns), target, (arguments){, prototype or targets}`; both lists may be left out in the text.
    pub(crate) fn call(&mut self, site: &Site<'a>, plan: &'a Plan) -> Option<()> {
        let parts = parts(site);
        let Some(target) = parts.target else {
            self.report(diagnose::call_target(site.span));
            return None;
        };
        let first = self.body.elements.len();
        let returned = self.call_values(site, plan, parts.returns);
        let middle = self.body.elements.len();
        let returns = self.body.list_from(first);
        let given = self.call_values(site, plan, parts.arguments);
        let arguments = self.body.list_from(middle);
        let callee = self.call_target(site, target, parts.table)?;
        returned?;
        given?;
        match &callee {
            Callee::Direct(function) => {
                self.check_table(parts.table)?;
                self.match_signature(site, *function, (first, middle))?;
            }
            Callee::Indirect { .. } => self.match_table(site, parts.table, (first, middle))?,
            Callee::System(_) => self.check_table(parts.table)?,
        }
        self.note_returned((first, middle));
        // What is returned is written.
        for element in self.body.elements.iter_mut().take(middle).skip(first) {
            element.value = match element.value {
                OperandValue::Source(Source::Register(run), _) => {
                    OperandValue::Destination(Some(run))
                }
                OperandValue::Source(Source::Sink, _) => OperandValue::Destination(None),
                _ => continue,
            };
        }
        self.body.push(returns, target.span);
        self.body.push(OperandValue::Callee(callee), target.span);
        self.body.push(arguments, target.span);
        Some(())
    }

    /// Notes which parameters of the body the call returns into.
    fn note_returned(&mut self, (first, middle): (usize, usize)) {
        let returned = self.body.elements.get(first..middle).unwrap_or(&[]);
        for element in returned {
            if let OperandValue::Source(Source::VariableAddress { variable, .. }, _) = element.value
            {
                self.body.returned.push(variable);
            }
        }
    }

    fn call_values(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        list: Option<Operands<'a>>,
    ) -> Option<()> {
        let mut ok = true;
        for (operand, _) in list.into_iter().flatten() {
            // A vector register means its components.
            if let OperandKind::Name(name) = operand.kind
                && let Binding::Vector { first, n } = self.binding(name, operand.span)
            {
                for index in 0..u32::from(n) {
                    let value = source(register_source(RegisterId(first.0 + index)));
                    self.body.push_element(value, operand.span);
                }
                continue;
            }
            match self.call_value(site, plan, operand) {
                Some(value) => self.body.push_element(source(value), operand.span),
                None => ok = false,
            }
        }
        ok.then_some(())
    }

    fn call_value(&mut self, site: &Site<'a>, plan: &'a Plan, operand: &Operand) -> Option<Source> {
        let OperandKind::Name(name) = operand.kind else {
            return match operand.kind {
                OperandKind::Sink => Some(Source::Sink),
                OperandKind::Single(bits) => Some(Source::Immediate(bits.into())),
                _ => self.source(site, plan, operand, ScalarType::B64, Fit::Exact),
            };
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => Some(register_source(register)),
            Binding::Variable(variable) => {
                let space = self.space_of(variable);
                if !matches!(space, StateSpace::ParamFunc | StateSpace::ParamEntry) {
                    let problem = diagnose::call_argument_space(operand.span, space);
                    self.report(problem);
                    return None;
                }
                Some(Source::VariableAddress {
                    variable,
                    offset: 0,
                    generic: false,
                })
            }
            Binding::None => {
                self.unknown(operand.span);
                None
            }
            other => {
                let found = other.describe();
                let problem = diagnose::expected_register(operand.span, found);
                self.report(problem);
                None
            }
        }
    }

    fn call_target(
        &mut self,
        site: &Site<'a>,
        target: &Operand,
        table: Option<&Operand>,
    ) -> Option<Callee> {
        let OperandKind::Name(name) = target.kind else {
            self.report(diagnose::call_target(target.span));
            return None;
        };
        match self.binding(name, target.span) {
            Binding::Function(function) => {
                let callee = self.declared.function(function)?;
                if callee.kind == FunctionKind::Entry {
                    self.report(diagnose::call_of_kernel(target.span, &callee.name));
                    return None;
                }
                Some(self.direct(function))
            }
            Binding::Register(register) => {
                let ty = self.body.type_of(register);
                let is_address = ty.is_integer() && matches!(ty.width_bits(), 32 | 64);
                if !is_address || ty == ScalarType::F16x2 {
                    let problem = diagnose::type_mismatch(target.span, ty, ScalarType::U64);
                    self.report(problem);
                    return None;
                }
                let candidates = self.candidates(site, table)?;
                Some(Callee::Indirect {
                    register,
                    candidates,
                })
            }
            Binding::None => {
                self.unknown(target.span);
                None
            }
            _ => {
                self.report(diagnose::call_target(target.span));
                None
            }
        }
    }

    fn direct(&self, function: FunctionId) -> Callee {
        match self.declared.function(function) {
            Some(f) if !f.defined && SYSTEM.contains(&f.name.as_str()) => {
                Callee::System(f.name.clone())
            }
            _ => Callee::Direct(function),
        }
    }

    /// The functions that an indirect call may reach.
    fn candidates(&mut self, site: &Site<'a>, table: Option<&Operand>) -> Option<Vec<FunctionId>> {
        let Some(table) = table else {
            self.report(diagnose::call_prototype(site.span));
            return None;
        };
        let binding = match table.kind {
            OperandKind::Name(name) => self.names.get(name),
            _ => Binding::None,
        };
        let Binding::Table(index) = binding else {
            let text = table.span.text(self.source);
            self.report(diagnose::unknown_label(text, table.span, None));
            return None;
        };
        let tree = self.tree;
        let directive = tree.directives.get(index as usize)?;
        if let Some(header) = directive.prototype.checked_sub(1) {
            let header = tree.functions.get(header as usize)?;
            return Some(self.functions_like(header));
        }
        let mut functions = Vec::new();
        for (argument, _) in tree.arguments_of(directive) {
            if let OperandKind::Name(name) = argument.kind {
                match self.names.get(name) {
                    Binding::Function(function) => functions.push(function),
                    _ => self.unknown(argument.span),
                }
            }
        }
        Some(functions)
    }

    /// What follows the arguments of a direct call, if anything, is a label.
    fn check_table(&mut self, table: Option<&Operand>) -> Option<()> {
        let Some(table) = table else {
            return Some(());
        };
        if let OperandKind::Name(name) = table.kind
            && let Binding::Table(_) = self.names.get(name)
        {
            return Some(());
        }
        let text = table.span.text(self.source);
        self.report(diagnose::unknown_label(text, table.span, None));
        None
    }

    /// Compares an indirect call with its prototype, or with the functions that it may reach.
    fn match_table(
        &mut self,
        site: &Site<'a>,
        table: Option<&Operand>,
        (first, middle): (usize, usize),
    ) -> Option<()> {
        let end = self.body.elements.len();
        let found = (middle.saturating_sub(first), end.saturating_sub(middle));
        let table = table?;
        let OperandKind::Name(name) = table.kind else {
            return None;
        };
        let Binding::Table(index) = self.names.get(name) else {
            return None;
        };
        let directive = self.tree.directives.get(index as usize)?;
        let header = directive.prototype.checked_sub(1);
        let header = header.and_then(|header| self.tree.functions.get(header as usize));
        let expected = match header {
            Some(header) => vec![(header.returns.len(), header.parameters.len())],
            None => {
                let functions = self.functions_of(directive);
                let functions = functions
                    .iter()
                    .filter_map(|id| self.declared.function(*id));
                functions
                    .map(|f| (f.returns.len(), f.parameters.len()))
                    .collect()
            }
        };
        if let Some(counts) = expected.into_iter().find(|counts| *counts != found) {
            let text = table.span.text(self.source);
            self.report(diagnose::call_counts(site.span, text, found, counts));
            return None;
        }
        Some(())
    }

    /// The functions that a `.calltargets` names.
    fn functions_of(&self, directive: &Directive) -> Vec<FunctionId> {
        let arguments = self.tree.arguments_of(directive);
        arguments
            .filter_map(|(argument, _)| match argument.kind {
                OperandKind::Name(name) => match self.names.get(name) {
                    Binding::Function(function) => Some(function),
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// The functions that have as many returns and parameters as a prototype.
    fn functions_like(&self, prototype: &FunctionHeader) -> Vec<FunctionId> {
        let counts = (prototype.returns.len(), prototype.parameters.len());
        let fits = |f: &Function| {
            f.kind == FunctionKind::Function
                && f.defined
                && (f.returns.len(), f.parameters.len()) == counts
        };
        let functions = self.declared.functions.iter().enumerate();
        functions
            .filter(|(_, function)| fits(function))
            .map(|(index, _)| FunctionId(index as u32))
            .collect()
    }

    /// Compares a direct call with the function's header.
    fn match_signature(
        &mut self,
        site: &Site<'a>,
        function: FunctionId,
        (first, middle): (usize, usize),
    ) -> Option<()> {
        let given = self.body.elements.get(first..).unwrap_or(&[]);
        let n_returns = middle.saturating_sub(first);
        let callee = self.declared.function(function)?;
        let counts = (callee.returns.len(), callee.parameters.len());
        let found = (n_returns, given.len().saturating_sub(n_returns));
        if found != counts {
            self.report(diagnose::call_counts(
                site.span,
                &callee.name,
                found,
                counts,
            ));
            return None;
        }
        let (variables, registers) = (&callee.variables, &callee.registers);
        let expected = callee.returns.iter().chain(&callee.parameters);
        let wrong = expected
            .zip(given)
            .position(|(expected, found)| match expected {
                Parameter::Variable(index) => variables
                    .get(*index as usize)
                    .is_some_and(|wanted| !self.argument_fits(&found.value, wanted)),
                Parameter::Register(register) => {
                    registers.get(register.0 as usize).is_some_and(|wanted| {
                        let size = u64::from(wanted.ty.width_bytes());
                        !self.value_fits(&found.value, size, wanted.ty)
                    })
                }
            });
        if let Some(index) = wrong {
            self.report(diagnose::call_argument(
                site.span,
                &callee.name,
                index,
                counts.0,
            ));
            return None;
        }
        Some(())
    }

    /// Whether an argument can be given for a variable. One of no size takes every array of bytes of its alignment.
    fn argument_fits(&self, argument: &OperandValue, wanted: &Variable) -> bool {
        let OperandValue::Source(Source::VariableAddress { variable, .. }, _) = argument else {
            return self.value_fits(argument, wanted.size_bytes, wanted.ty);
        };
        match self.variable(*variable) {
            Some(found) if wanted.dynamic => {
                found.ty == ScalarType::B8 && found.align_bytes == wanted.align_bytes
            }
            _ => self.value_fits(argument, wanted.size_bytes, wanted.ty),
        }
    }

    fn value_fits(&self, argument: &OperandValue, size: u64, ty: ScalarType) -> bool {
        match argument {
            OperandValue::Source(Source::Register(run), _) => {
                ty.takes_register(self.body.type_of(run.first), Fit::Exact)
            }
            OperandValue::Source(
                Source::VariableAddress {
                    variable: variable @ VariableId::Function(_),
                    ..
                },
                _,
            ) => {
                let variable = self.variable(*variable);
                variable.is_none_or(|v| v.size_bytes == size)
            }
            _ => true,
        }
    }
}

fn parts<'t>(site: &Site<'t>) -> Parts<'t> {
    let mut parts = Parts::default();
    for (operand, children) in site.operands {
        match operand.kind {
            OperandKind::Group { .. } if parts.target.is_none() => parts.returns = Some(children),
            OperandKind::Group { .. } => parts.arguments = Some(children),
            _ if parts.target.is_none() => parts.target = Some(operand),
            _ => parts.table = Some(operand),
        }
    }
    parts
}
