//! Calls: what is called, and with which arguments and results.

use super::Checker;
use super::names::Binding;
use super::operand::Site;
use super::plan::Plan;
use super::types::{Fit, fits};
use crate::diagnostics::check as diagnose;
use crate::tree::{FunctionHeader, Operand, OperandKind, Operands};
use warpgrid_isa::{ScalarType, StateSpace};
use warpgrid_program::{
    CallArgument, CallTarget, Function, FunctionId, FunctionKind, Operation, Parameter, Source,
    VariableId,
};

/// Functions that the driver provides.
const SYSTEM: &[&str] = &[
    "vprintf",
    "malloc",
    "free",
    "__assertfail",
    "cudaDeviceSynchronize",
];

/// What stands in a call, in the order of the text.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'t> {
    returns: Option<Operands<'t>>,
    target: Option<&'t Operand>,
    arguments: Option<Operands<'t>>,
    table: Option<&'t Operand>,
}

impl<'a> Checker<'a> {
    /// `call (returns), target, (arguments){, prototype or targets}`; both lists may be left out.
    pub(crate) fn call(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        uniform: bool,
    ) -> Option<Operation> {
        let parts = parts(site);
        let Some(target) = parts.target else {
            self.report(diagnose::call_target(site.span));
            return None;
        };
        let returns = self.call_values(site, plan, parts.returns);
        let arguments = self.call_values(site, plan, parts.arguments);
        let target_value = self.call_target(site, target, parts.table)?;
        let (returns, arguments) = (returns?, arguments?);
        if let CallTarget::Direct(function) = target_value {
            self.match_signature(site, function, &returns, &arguments)?;
        }
        Some(Operation::Call {
            target: target_value,
            arguments,
            returns,
            uniform,
        })
    }

    fn call_values(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        list: Option<Operands<'a>>,
    ) -> Option<Vec<CallArgument>> {
        let mut values = Vec::new();
        let mut ok = true;
        for (operand, _) in list.into_iter().flatten() {
            match self.call_value(site, plan, operand) {
                Some(value) => values.push(value),
                None => ok = false,
            }
        }
        ok.then_some(values)
    }

    fn call_value(
        &mut self,
        site: &Site<'a>,
        plan: &'a Plan,
        operand: &Operand,
    ) -> Option<CallArgument> {
        let OperandKind::Name(name) = operand.kind else {
            return match operand.kind {
                OperandKind::Sink => Some(Source::Sink),
                OperandKind::Single(bits) => Some(Source::Immediate(bits.into())),
                _ => self.source(site, plan, operand, ScalarType::B64, Fit::Exact),
            };
        };
        match self.binding(name, operand.span) {
            Binding::Register(register) => Some(Source::Register(register)),
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
                let found = diagnose::describe_binding(other);
                let problem = diagnose::expected_register(self.opcode(site), operand.span, found);
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
    ) -> Option<CallTarget> {
        let OperandKind::Name(name) = target.kind else {
            self.report(diagnose::call_target(target.span));
            return None;
        };
        match self.binding(name, target.span) {
            Binding::Function(function) => Some(self.direct(function)),
            Binding::Register(register) => {
                let candidates = self.candidates(site, table)?;
                Some(CallTarget::Indirect {
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

    fn direct(&self, function: FunctionId) -> CallTarget {
        let found = self.program.functions.get(function.0 as usize);
        match found {
            Some(f) if !f.defined && SYSTEM.contains(&f.name.as_str()) => {
                CallTarget::System(f.name.clone())
            }
            _ => CallTarget::Direct(function),
        }
    }

    /// The functions that an indirect call may reach. A prototype leaves the list empty until the module ends, see
    /// [`Checker::complete_calls`].
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
            self.note_indirect(header);
            return Some(Vec::new());
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

    fn note_indirect(&mut self, header: &FunctionHeader) {
        if let Some(function) = self.body.function {
            let at = self.body.instructions.len() as u32;
            let shape = (header.returns.len(), header.parameters.len());
            self.indirect.push((function, at, shape));
        }
    }

    /// Fills in, at the end of the module, which functions have the shape of each indirect call's prototype.
    pub(crate) fn complete_calls(&mut self) {
        for (function, at, (n_returns, n_parameters)) in std::mem::take(&mut self.indirect) {
            let fits = |f: &Function| {
                f.kind == FunctionKind::Function
                    && f.defined
                    && f.returns.len() == n_returns
                    && f.parameters.len() == n_parameters
            };
            let functions = self.program.functions.iter().enumerate();
            let found: Vec<_> = functions
                .filter(|(_, f)| fits(f))
                .map(|(i, _)| FunctionId(i as u32))
                .collect();
            let caller = self.program.functions.get_mut(function.0 as usize);
            let call = caller.and_then(|f| f.instructions.get_mut(at as usize));
            if let Some(Operation::Call {
                target: CallTarget::Indirect { candidates, .. },
                ..
            }) = call.map(|i| &mut i.operation)
            {
                *candidates = found;
            }
        }
    }

    /// Compares a direct call with the function's header.
    fn match_signature(
        &mut self,
        site: &Site<'a>,
        function: FunctionId,
        returns: &[CallArgument],
        arguments: &[CallArgument],
    ) -> Option<()> {
        let callee = self.program.functions.get(function.0 as usize)?;
        let counts = (callee.returns.len(), callee.parameters.len());
        if (returns.len(), arguments.len()) != counts {
            let name = callee.name.clone();
            let found = (returns.len(), arguments.len());
            self.report(diagnose::call_counts(site.span, &name, found, counts));
            return None;
        }
        let own = self.body.function == Some(function);
        let (variables, registers) = match own {
            true => (&self.body.variables, &self.body.registers),
            false => (&callee.variables, &callee.registers),
        };
        let expected = callee.returns.iter().chain(&callee.parameters);
        let found = returns.iter().chain(arguments);
        let wrong = expected.zip(found).position(|(expected, found)| {
            let wanted = match expected {
                Parameter::Variable(index) => {
                    variables.get(*index as usize).map(|v| (v.size_bytes, v.ty))
                }
                Parameter::Register(register) => registers
                    .get(register.0 as usize)
                    .map(|r| (u64::from(r.ty.width_bytes()), r.ty)),
            };
            wanted.is_some_and(|(size, ty)| !self.argument_fits(*found, size, ty))
        });
        if let Some(index) = wrong {
            let name = callee.name.clone();
            self.report(diagnose::call_argument(site.span, &name, index, counts.0));
            return None;
        }
        Some(())
    }

    fn argument_fits(&self, argument: CallArgument, size: u64, ty: ScalarType) -> bool {
        match argument {
            Source::Register(register) => fits(self.body.type_of(register), ty, Fit::Exact),
            Source::VariableAddress {
                variable: VariableId::Function(index),
                ..
            } => {
                let variable = self.body.variables.get(index as usize);
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
