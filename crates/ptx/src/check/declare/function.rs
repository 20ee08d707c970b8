//! Functions: headers, parameters, launch bounds, and the end of a body.

use crate::check::Checker;
use crate::check::body::function::Body;
use crate::check::names::scopes::Binding;
use crate::diagnostics::check as diagnose;
use crate::tree::{
    DeclarationSpace, DeclaredType, FunctionHeader, FunctionSort, OperandKind, Range,
};
use warpgrid_isa::{ControlOp, Does, Modifiers, StateSpace};
use warpgrid_program::{
    Action, Function, FunctionId, FunctionKind, Instruction, LaunchBounds, OperandList, Parameter,
    Registers, Span, StepPart, VariableId,
};

impl<'a> Checker<'a> {
    /// `.entry` or `.func` without a body.
    pub(crate) fn prototype(&mut self, index: u32) {
        let tree = self.tree;
        let Some(header) = tree.functions.get(index as usize) else {
            return;
        };
        if header.name.is_none() || self.body.function.is_some() {
            return;
        }
        let function = self.function_id(header, false);
        self.check_parameters(header);
        self.names.open();
        self.body.variables.clear();
        self.body.registers.clear();
        let known = self.defined(function);
        let returns = self.parameters(header.returns, header);
        let parameters = self.parameters(header.parameters, header);
        let variables = std::mem::take(&mut self.body.variables);
        let registers = std::mem::take(&mut self.body.registers);
        self.names.close();
        if let (false, Some(function)) =
            (known, self.program.functions.get_mut(function.0 as usize))
        {
            function.parameters = parameters;
            function.returns = returns;
            function.variables = variables;
            function.registers = registers;
        }
    }

    /// The start of a body, whose first statement has this index.
    pub(crate) fn function_start(&mut self, index: u32, first_statement: usize) {
        let tree = self.tree;
        let Some(header) = tree.functions.get(index as usize) else {
            return;
        };
        let function = self.function_id(header, true);
        self.check_parameters(header);
        self.names.open();
        self.body.registers.clear();
        self.body = Body {
            function: Some(function),
            registers: std::mem::take(&mut self.body.registers),
            variables: Vec::new(),
            instructions: Vec::new(),
            operands: Vec::new(),
            elements: std::mem::take(&mut self.body.elements),
            is_sayable: true,
            labels: std::mem::take(&mut self.body.labels),
            branches: std::mem::take(&mut self.body.branches),
            n_blocks: 0,
        };
        let returns = self.parameters(header.returns, header);
        let parameters = self.parameters(header.parameters, header);
        self.check_performance(header);
        let bounds = self.bounds(header);
        if let Some(function) = self.program.functions.get_mut(function.0 as usize) {
            function.parameters = parameters;
            function.returns = returns;
            function.bounds = bounds;
        }
        self.find_labels(first_statement);
        self.declare_labels(0);
    }

    /// The end of a body.
    pub(crate) fn function_end(&mut self, span: Span) {
        let Some(id) = self.body.function.take() else {
            return;
        };
        self.check_static_shared(id, span);
        // Falling off the end returns; labels at the very end have an instruction to stand before.
        let action = self.action(Action {
            does: Does::Control(ControlOp::Return),
            modifiers: Modifiers::default(),
            opcode: "ret".to_owned(),
        });
        self.body.instructions.push(Instruction {
            guard: None,
            action,
            operands: OperandList::default(),
            step: StepPart::Whole,
            span,
        });
        self.place_branches();
        let labels = self.placed_labels();
        self.names.close();
        let variables = std::mem::take(&mut self.body.variables);
        // A copy has the size it needs; the room of this one is for the next function.
        let registers = self.body.registers.clone();
        let instructions = std::mem::take(&mut self.body.instructions);
        let operands = std::mem::take(&mut self.body.operands);
        if let Some(function) = self.program.functions.get_mut(id.0 as usize) {
            function.registers = registers;
            function.variables = variables;
            function.instructions = instructions;
            function.operands = operands;
            function.labels = labels;
            function.span = function.span.to(span);
        }
    }

    fn placed_labels(&self) -> Vec<(u32, String)> {
        let placed = self.body.labels.iter().filter(|l| l.at != u32::MAX);
        let mut labels: Vec<_> = placed.map(|l| (l.at, self.name_text(l.name))).collect();
        labels.sort_by_cached_key(|(at, _)| *at);
        labels
    }

    fn defined(&self, function: FunctionId) -> bool {
        let function = self.program.functions.get(function.0 as usize);
        function.is_some_and(|f| f.defined)
    }

    /// The function with the header's name, made when the name is new.
    fn function_id(&mut self, header: &FunctionHeader, defines: bool) -> FunctionId {
        let new = FunctionId(self.program.functions.len() as u32);
        let name = header.name;
        let known = match name.map(|name| self.names.get(name)) {
            Some(Binding::Function(function)) => Some(function),
            _ => None,
        };
        if let Some(id) = known {
            let clash = defines && self.defined(id);
            if !clash {
                if let Some(function) = self.program.functions.get_mut(id.0 as usize) {
                    function.defined |= defines;
                    if defines {
                        function.span = header.span;
                    }
                }
                return id;
            }
        }
        if let Some(name) = name
            && let Err(first) = self
                .names
                .declare(name, Binding::Function(new), header.name_span)
        {
            let text = self.name_text(name);
            self.report(diagnose::duplicate(&text, header.name_span, first));
        }
        self.program.functions.push(Function {
            name: name.map(|n| self.name_text(n)).unwrap_or_default(),
            kind: match header.sort {
                FunctionSort::Entry => FunctionKind::Entry,
                FunctionSort::Func => FunctionKind::Function,
            },
            defined: defines,
            parameters: Vec::new(),
            returns: Vec::new(),
            variables: Vec::new(),
            registers: Registers::default(),
            instructions: Vec::new(),
            operands: Vec::new(),
            labels: Vec::new(),
            bounds: LaunchBounds::default(),
            span: header.span,
        });
        new
    }

    /// Declares parameters or returns in the scope of the function.
    fn parameters(&mut self, range: Range, header: &FunctionHeader) -> Vec<Parameter> {
        let tree = self.tree;
        let space = match header.sort {
            FunctionSort::Entry => StateSpace::ParamEntry,
            FunctionSort::Func => StateSpace::ParamFunc,
        };
        let mut parameters = Vec::with_capacity(range.len());
        for declaration in range.of(&tree.declarations) {
            for declarator in tree.declarators_of(declaration) {
                let (binding, parameter) = if declaration.space == DeclarationSpace::Reg {
                    let DeclaredType::Scalar(ty) = declaration.scalar else {
                        continue;
                    };
                    let name = declarator.name.map(|n| self.name_text(n));
                    let name = name.unwrap_or_default();
                    let register = self.body.registers.add(&name, ty);
                    (Binding::Register(register), Parameter::Register(register))
                } else {
                    let Some(variable) = self.variable(declaration, declarator, space) else {
                        continue;
                    };
                    let index = self.body.variables.len() as u32;
                    self.body.variables.push(variable);
                    let id = VariableId::Function(index);
                    (Binding::Variable(id), Parameter::Variable(index))
                };
                parameters.push(parameter);
                if let Some(name) = declarator.name
                    && let Err(first) = self.names.declare(name, binding, declarator.name_span)
                {
                    let text = self.name_text(name);
                    self.report(diagnose::duplicate(&text, declarator.name_span, first));
                }
            }
        }
        parameters
    }

    fn bounds(&self, header: &FunctionHeader) -> LaunchBounds {
        let mut bounds = LaunchBounds::default();
        for directive in header.directives.of(&self.tree.directives) {
            let mut extents = [1u32; 3];
            let arguments = self.tree.arguments_of(directive);
            for (extent, (operand, _)) in extents.iter_mut().zip(arguments) {
                if let OperandKind::Integer { value, .. } = operand.kind {
                    *extent = u32::try_from(value).unwrap_or(u32::MAX);
                }
            }
            match directive.word.text(self.source) {
                ".reqntid" => bounds.required_threads = Some(extents),
                ".maxntid" => bounds.max_threads = Some(extents),
                ".reqnctapercluster" => bounds.required_cluster = Some(extents),
                _ => {}
            }
        }
        bounds
    }
}
